/* The openings of a mesh, and triangles that close them.
 *
 * Every edge of a closed mesh is passed as often one way as the other by the triangles around it. What is
 * left over, counted with its direction, is the border of the openings. As the border of a border is nothing,
 * the edges left over form closed loops, whatever the mesh looks like: a hole, a crack, a triangle that faces
 * the wrong way (its loop is counted twice), triangles that hang together nowhere (each is its own loop). A
 * patch that fills the loops the other way round makes the mesh closed, so that
 *
 *     generalized winding number of the mesh = winding number of mesh and patch (whole, by counting
 * crossings)
 *                                              - solid angle of the patch / 4 pi
 *
 * exactly, and the costly solid angles are needed for the patch alone. Any patch serves. To keep its
 * triangles near the border, where most of them are needed only by points nearby, a loop is filled by cutting
 * off every second vertex, then every second of the rest, and so on. */
#include "mesh/mesh.h"

#include <stdlib.h>
#include <string.h>

/* Directed edges by the vertex where they begin. */
typedef struct edge_list {
    int64_t *begin; /* (vertices + 1) */
    int32_t *to;
    int8_t *way; /* +1: from the lower to the higher vertex; -1: the other way */
} edge_list;

/* Edges left over, as arrows of the patch (against the mesh), by the vertex where they begin. */
typedef struct arrows {
    int64_t *next; /* of each vertex: the first arrow not yet used, (vertices + 1) */
    int64_t *end;
    int32_t *to;
    int64_t count;
} arrows;

static void free_edges(edge_list *e)
{
    free(e->begin);
    free(e->to);
    free(e->way);
}

static void free_arrows(arrows *a)
{
    free(a->next);
    free(a->end);
    free(a->to);
}

/* All edges by their lower vertex. */
static bool list_edges(const vxe_mesh *mesh, edge_list *e)
{
    const size_t vertices = (size_t)mesh->view.vertex_count;
    const size_t corners = 3 * (size_t)mesh->view.triangle_count;
    e->begin = calloc(vertices + 2, sizeof *e->begin);
    e->to = malloc(corners * sizeof *e->to);
    e->way = malloc(corners);
    if (e->begin == NULL || e->to == NULL || e->way == NULL) return false;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < corners; i++) {
            const int32_t a = mesh->triangle[i];
            const int32_t b = mesh->triangle[i % 3 == 2 ? i - 2 : i + 1];
            const int32_t low = a < b ? a : b;
            if (pass == 0) {
                e->begin[low + 2]++;
            } else {
                const int64_t place = e->begin[low + 1]++;
                e->to[place] = a < b ? b : a;
                e->way[place] = a < b ? 1 : -1;
            }
        }
        if (pass == 0)
            for (size_t v = 0; v < vertices; v++) e->begin[v + 2] += e->begin[v + 1];
    }
    return true;
}

static int compare_vertices(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a;
    const int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Calls for each edge of one vertex with what is left over: net > 0 times forward, net < 0 times backward. */
typedef void edge_visitor(void *user, int32_t low, int32_t high, int net);

/* Sums the edges of each vertex; false if there is no memory. */
static bool visit_left_over(const edge_list *e, int32_t vertices, edge_visitor *visit, void *user)
{
    int32_t *sorted = NULL;
    size_t room = 0;
    for (int32_t low = 0; low < vertices; low++) {
        const int64_t first = e->begin[low];
        const int64_t count = e->begin[low + 1] - first;
        int32_t *larger = vxe_grow(sorted, (size_t)count, &room, sizeof *sorted);
        if (larger == NULL && count > 0) {
            free(sorted);
            return false;
        }
        sorted = larger;
        /* The direction is the lowest bit, so that equal edges lie together after sorting. Vertices are below
         * 2^30 (VXE_MESH_VERTICES_MAX), so there is a bit to spare. */
        for (int64_t i = 0; i < count; i++)
            sorted[i] = 2 * e->to[first + i] + (e->way[first + i] > 0 ? 1 : 0);
        if (count > 1) qsort(sorted, (size_t)count, sizeof *sorted, compare_vertices);
        for (int64_t i = 0; i < count;) {
            const int32_t high = sorted[i] / 2;
            int net = 0;
            for (; i < count && sorted[i] / 2 == high; i++) net += sorted[i] % 2 != 0 ? 1 : -1;
            if (net != 0) visit(user, low, high, net);
        }
    }
    free(sorted);
    return true;
}

typedef struct collector {
    arrows *arrows;
    int32_t open_edges;
    bool fill; /* false: only count */
} collector;

static void collect(void *user, int32_t low, int32_t high, int net)
{
    collector *c = user;
    arrows *a = c->arrows;
    const int times = net < 0 ? -net : net;
    const int32_t from = net > 0 ? high : low; /* against the mesh */
    const int32_t to = net > 0 ? low : high;
    if (!c->fill) {
        c->open_edges++;
        a->count += times;
        a->end[from] += times;
        return;
    }
    for (int i = 0; i < times; i++) a->to[a->end[from]++] = to;
}

static bool list_arrows(const vxe_mesh *mesh, arrows *a, int32_t *open_edges)
{
    const int32_t vertices = mesh->view.vertex_count;
    edge_list edges = {NULL, NULL, NULL};
    collector c = {a, 0, false};
    a->next = calloc((size_t)vertices + 1, sizeof *a->next);
    a->end = calloc((size_t)vertices + 1, sizeof *a->end);
    bool good = a->next != NULL && a->end != NULL && list_edges(mesh, &edges) &&
                visit_left_over(&edges, vertices, collect, &c);
    if (good && a->count > 0) {
        a->to = malloc((size_t)a->count * sizeof *a->to);
        int64_t place = 0;
        for (int32_t v = 0; v < vertices; v++) {
            const int64_t here = a->end[v];
            a->next[v] = place;
            a->end[v] = place;
            place += here;
        }
        c.fill = true;
        good = a->to != NULL && visit_left_over(&edges, vertices, collect, &c);
    }
    *open_edges = c.open_edges;
    free_edges(&edges);
    return good;
}

/* Fills one loop of n >= 3 vertices; the loop is used up. Gives the number of triangles: n - 2. */
static int64_t fill_loop(int32_t *loop, int64_t n, int32_t *patch)
{
    int64_t count = 0;
    while (n >= 3) {
        int64_t kept = 0;
        for (int64_t i = 0; i < n; i += 2) {
            loop[kept++] = loop[i];
            if (i + 1 >= n) break; /* the last of an odd number has no partner */
            const int32_t cut[3] = {loop[i], loop[i + 1], i + 2 < n ? loop[i + 2] : loop[0]};
            memcpy(patch + 3 * count++, cut, sizeof cut);
        }
        n = kept;
    }
    return count;
}

/* Follows arrows until the path meets itself; cuts off and fills that loop; goes on. */
static bool fill_loops(vxe_mesh *mesh, arrows *a)
{
    const int32_t vertices = mesh->view.vertex_count;
    int64_t *place = malloc((size_t)vertices * sizeof *place); /* of a vertex on the path; -1: not on it */
    int32_t *path = malloc(((size_t)a->count + 1) * sizeof *path);
    mesh->patch = malloc(3 * (size_t)a->count * sizeof *mesh->patch);
    int64_t filled = 0;
    const bool good = place != NULL && path != NULL && mesh->patch != NULL;
    if (good) {
        for (int32_t v = 0; v < vertices; v++) place[v] = -1;
        for (int32_t start = 0; start < vertices; start++) {
            int64_t length = 0;
            int32_t v = start;
            while (length > 0 || a->next[start] < a->end[start]) {
                if (place[v] >= 0) { /* back where the path has been: a loop */
                    const int64_t first = place[v];
                    for (int64_t i = first; i < length; i++) place[path[i]] = -1;
                    filled += fill_loop(path + first, length - first, mesh->patch + 3 * filled);
                    length = first;
                    if (length == 0) continue;
                }
                place[v] = length;
                path[length++] = v;
                v = a->to[a->next[v]++]; /* as many arrows leave a vertex as arrive */
            }
        }
    }
    mesh->patch_count = (int32_t)filled;
    free(place);
    free(path);
    return good;
}

vxe_result vxe_mesh_close(vxe_mesh *mesh, const char *name, vxe_error *error)
{
    arrows a = {NULL, NULL, NULL, 0};
    bool good = list_arrows(mesh, &a, &mesh->view.open_edges);
    if (good && a.count > 0) good = fill_loops(mesh, &a);
    free_arrows(&a);
    return good ? VXE_OK : vxe_fail_memory(error, name, 40 * (size_t)mesh->view.triangle_count);
}
