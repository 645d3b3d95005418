/* Triangle meshes: what readers give in, vertices at the same place made one, measured, closed. */
#include "mesh/mesh.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Lengths whose squares and cubes are still numbers. */
#define LENGTH_MAX 1e60

void vxe_mesh_builder_free(mesh_builder *builder)
{
    free(builder->vertex);
    free(builder->triangle);
    *builder = (mesh_builder){0};
}

/* Makes room for `more` items of `size` bytes; at least doubles, so that adding one by one is fast. */
static bool grow(void **array, size_t count, size_t *room, size_t more, size_t most, size_t size)
{
    if (more <= *room - count) return true;
    size_t larger = *room < most / 2 ? 2 * *room : most;
    if (larger < count + more) larger = count + more;
    if (larger < 64) larger = 64;
    size_t bytes = 0;
    void *memory = vxe_multiply(larger, size, &bytes) ? realloc(*array, bytes) : NULL;
    if (memory == NULL) return false;
    *array = memory;
    *room = larger;
    return true;
}

vxe_result vxe_mesh_builder_reserve(mesh_builder *b, const char *name, size_t vertices, size_t triangles,
                                    vxe_error *error)
{
    if (vertices > VXE_MESH_VERTICES_MAX - b->vertex_count)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%.500s: more than %d vertices", name, VXE_MESH_VERTICES_MAX);
    if (triangles > VXE_MESH_TRIANGLES_MAX - b->triangle_count)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%.500s: more than %d triangles", name,
                        VXE_MESH_TRIANGLES_MAX);
    void *vertex = b->vertex;
    void *triangle = b->triangle;
    const bool enough = grow(&vertex, b->vertex_count, &b->vertex_room, vertices, VXE_MESH_VERTICES_MAX,
                             3 * sizeof(double)) &&
                        grow(&triangle, b->triangle_count, &b->triangle_room, triangles,
                             VXE_MESH_TRIANGLES_MAX, 3 * sizeof(int32_t));
    b->vertex = vertex;
    b->triangle = triangle;
    return enough ? VXE_OK : vxe_fail_memory(error, name, 24 * vertices + 12 * triangles);
}

vxe_result vxe_mesh_builder_vertex(mesh_builder *b, const char *name, const double vertex[3],
                                   vxe_error *error)
{
    if (b->vertex_count == b->vertex_room) {
        const vxe_result result = vxe_mesh_builder_reserve(b, name, 1, 0, error);
        if (result != VXE_OK) return result;
    }
    memcpy(b->vertex + 3 * b->vertex_count++, vertex, 3 * sizeof *vertex);
    return VXE_OK;
}

vxe_result vxe_mesh_builder_triangle(mesh_builder *b, const char *name, const int32_t triangle[3],
                                     vxe_error *error)
{
    if (b->triangle_count == b->triangle_room) {
        const vxe_result result = vxe_mesh_builder_reserve(b, name, 0, 1, error);
        if (result != VXE_OK) return result;
    }
    memcpy(b->triangle + 3 * b->triangle_count++, triangle, 3 * sizeof *triangle);
    return VXE_OK;
}

static uint64_t hash_place(const double *p)
{
    uint64_t hash = 0;
    for (int i = 0; i < 3; i++) {
        uint64_t bits = 0;
        memcpy(&bits, &p[i], sizeof bits);
        hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Makes vertices at the same place one; false if there is no memory. The vertices keep their order. */
static bool weld(mesh_builder *b)
{
    size_t slots = 64;
    while (slots < 2 * b->vertex_count) slots *= 2;
    int32_t *table = malloc(slots * sizeof *table);
    int32_t *now = malloc((b->vertex_count + 1) * sizeof *now);
    if (table == NULL || now == NULL) {
        free(table);
        free(now);
        return false;
    }
    memset(table, 0xff, slots * sizeof *table);
    size_t kept = 0;
    for (size_t v = 0; v < b->vertex_count; v++) {
        double *p = b->vertex + 3 * v;
        for (int i = 0; i < 3; i++) p[i] += 0.0; /* -0 becomes 0 */
        size_t slot = hash_place(p) & (slots - 1);
        while (table[slot] >= 0 && memcmp(b->vertex + 3 * (size_t)table[slot], p, 3 * sizeof *p) != 0)
            slot = (slot + 1) & (slots - 1);
        if (table[slot] < 0) {
            memmove(b->vertex + 3 * kept, p, 3 * sizeof *p);
            table[slot] = (int32_t)kept++;
        }
        now[v] = table[slot];
    }
    for (size_t i = 0; i < 3 * b->triangle_count; i++) b->triangle[i] = now[b->triangle[i]];
    b->vertex_count = kept;
    free(table);
    free(now);
    return true;
}

/* Leaves out triangles that have a vertex twice; gives how many. */
static size_t drop_degenerate(mesh_builder *b)
{
    size_t kept = 0;
    for (size_t t = 0; t < b->triangle_count; t++) {
        const int32_t *c = b->triangle + 3 * t;
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
        memmove(b->triangle + 3 * kept++, c, 3 * sizeof *c);
    }
    const size_t dropped = b->triangle_count - kept;
    b->triangle_count = kept;
    return dropped;
}

static vxe_result check_builder(const mesh_builder *b, const char *name, double unit, vxe_error *error)
{
    if (b->triangle_count == 0 || b->vertex == NULL)
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: the mesh has no triangles", name);
    for (size_t i = 0; i < 3 * b->vertex_count; i++) {
        if (isfinite(b->vertex[i]) && fabs(b->vertex[i] * unit) <= LENGTH_MAX) continue;
        if (isfinite(b->vertex[i]))
            return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: vertex %zu: %c is %g, which is not a length",
                            name, i / 3 + 1, 'x' + (int)(i % 3), b->vertex[i]);
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: vertex %zu: %c is not a finite number", name,
                        i / 3 + 1, 'x' + (int)(i % 3));
    }
    for (size_t i = 0; i < 3 * b->triangle_count; i++) {
        if (b->triangle[i] >= 0 && (size_t)b->triangle[i] < b->vertex_count) continue;
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%.500s: triangle %zu names vertex %lld, but there are %zu (counted from 1)", name,
                        i / 3 + 1, (long long)b->triangle[i] + 1, b->vertex_count);
    }
    return VXE_OK;
}

static void measure(vxe_mesh *mesh)
{
    vxe_mesh_view *view = &mesh->view;
    for (int a = 0; a < 3; a++) {
        view->lower[a] = INFINITY;
        view->upper[a] = -INFINITY;
    }
    for (int32_t t = 0; t < view->triangle_count; t++) {
        const double *p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = mesh->vertex + 3 * (size_t)mesh->triangle[3 * (size_t)t + (size_t)i];
            for (int a = 0; a < 3; a++) {
                view->lower[a] = fmin(view->lower[a], p[i][a]);
                view->upper[a] = fmax(view->upper[a], p[i][a]);
            }
        }
        const vec3 u = vec3_sub(vec3_from(p[1]), vec3_from(p[0]));
        const vec3 v = vec3_sub(vec3_from(p[2]), vec3_from(p[0]));
        view->area += 0.5 * vec3_length(vec3_cross(u, v));
    }
}

/* Volume under a list of triangles, seen from a corner of the box. */
static double volume_of(const vxe_mesh *mesh, const int32_t *triangle, int32_t count)
{
    const vec3 origin = vec3_from(mesh->view.lower);
    double volume = 0.0;
    for (size_t t = 0; t < (size_t)count; t++) {
        vec3 p[3];
        for (size_t i = 0; i < 3; i++)
            p[i] = vec3_sub(vec3_from(mesh->vertex + 3 * (size_t)triangle[3 * t + i]), origin);
        volume += vec3_dot(p[0], vec3_cross(p[1], p[2])) / 6.0;
    }
    return volume;
}

vxe_result vxe_mesh_builder_finish(mesh_builder *b, const char *name, double unit, vxe_mesh **mesh,
                                   vxe_error *error)
{
    vxe_result result = check_builder(b, name, unit, error);
    if (result != VXE_OK || b->vertex == NULL) {
        vxe_mesh_builder_free(b);
        return result;
    }
    vxe_mesh *made = vxe_allocate(1, sizeof *made);
    if (made == NULL || !weld(b)) {
        result = vxe_fail_memory(error, name, 16 * b->vertex_count);
        free(made);
        vxe_mesh_builder_free(b);
        return result;
    }
    made->view.degenerate = (int32_t)drop_degenerate(b);
    for (size_t i = 0; i < 3 * b->vertex_count; i++) b->vertex[i] *= unit;
    made->vertex = b->vertex;
    made->triangle = b->triangle;
    made->view.vertex = b->vertex;
    made->view.triangle = b->triangle;
    made->view.vertex_count = (int32_t)b->vertex_count;
    made->view.triangle_count = (int32_t)b->triangle_count;
    *b = (mesh_builder){0};
    measure(made);
    if (!(made->view.area > 0.0)) {
        result = vxe_fail(error, VXE_ERROR_INPUT, "%.500s: the triangles of the mesh have no area", name);
    } else {
        result = vxe_mesh_close(made, name, error);
    }
    if (result != VXE_OK) {
        vxe_mesh_destroy(made);
        return result;
    }
    made->view.volume = fabs(volume_of(made, made->triangle, made->view.triangle_count) +
                             volume_of(made, made->patch, made->patch_count));
    *mesh = made;
    return VXE_OK;
}

void vxe_mesh_destroy(vxe_mesh *mesh)
{
    if (mesh == NULL) return;
    free(mesh->vertex);
    free(mesh->triangle);
    free(mesh->patch);
    free(mesh);
}

const vxe_mesh_view *vxe_mesh_get(const vxe_mesh *mesh) { return mesh == NULL ? NULL : &mesh->view; }

vxe_result vxe_mesh_create(const double *vertices, int32_t vertex_count, const int32_t *triangles,
                           int32_t triangle_count, vxe_mesh **mesh, vxe_error *error)
{
    static const char name[] = "vxe_mesh_create";
    if (mesh == NULL || vertex_count < 0 || triangle_count < 0 || (vertices == NULL && vertex_count > 0) ||
        (triangles == NULL && triangle_count > 0))
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "%s: vertices, triangles and a place for the mesh", name);
    mesh_builder b = {0};
    vxe_result result =
        vxe_mesh_builder_reserve(&b, name, (size_t)vertex_count, (size_t)triangle_count, error);
    if (result == VXE_OK && (b.vertex == NULL || b.triangle == NULL))
        result = vxe_fail(error, VXE_ERROR_INPUT, "%s: the mesh has no triangles", name);
    if (result != VXE_OK || b.vertex == NULL || b.triangle == NULL) {
        vxe_mesh_builder_free(&b);
        return result;
    }
    memcpy(b.vertex, vertices, 3 * (size_t)vertex_count * sizeof *vertices);
    memcpy(b.triangle, triangles, 3 * (size_t)triangle_count * sizeof *triangles);
    b.vertex_count = (size_t)vertex_count;
    b.triangle_count = (size_t)triangle_count;
    return vxe_mesh_builder_finish(&b, name, 1.0, mesh, error);
}

vxe_result vxe_mesh_parse(const char *data, size_t size, const char *name, double unit, vxe_mesh **mesh,
                          vxe_error *error)
{
    if (data == NULL || name == NULL || mesh == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_mesh_parse: NULL");
    if (!(unit > 0.0) || !isfinite(unit))
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "%.500s: a unit of %g m makes no sense", name, unit);
    if (size > VXE_MESH_BYTES_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%.500s: larger than %zu bytes", name, VXE_MESH_BYTES_MAX);
    mesh_builder builder = {0};
    vxe_result result = VXE_OK;
    const char *dot = strrchr(name, '.');
    if (dot == NULL) dot = "";
    if (strcasecmp(dot, ".stl") == 0) {
        result = vxe_mesh_read_stl(data, size, name, &builder, error);
    } else if (strcasecmp(dot, ".obj") == 0) {
        result = vxe_mesh_read_obj(data, size, name, &builder, error);
    } else if (strcasecmp(dot, ".ply") == 0) {
        result = vxe_mesh_read_ply(data, size, name, &builder, error);
    } else if (strcasecmp(dot, ".3mf") == 0) {
        result = vxe_mesh_read_3mf(data, size, name, &unit, &builder, error);
    } else {
        result = vxe_fail(error, VXE_ERROR_INPUT,
                          "%.500s: meshes are read from files that end in .stl, .obj, .ply or .3mf", name);
    }
    if (result != VXE_OK) {
        vxe_mesh_builder_free(&builder);
        return result;
    }
    return vxe_mesh_builder_finish(&builder, name, unit, mesh, error);
}

vxe_result vxe_mesh_load(const char *path, double unit, vxe_mesh **mesh, vxe_error *error)
{
    if (path == NULL || mesh == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_mesh_load: NULL");
    char *data = NULL;
    size_t size = 0;
    vxe_result result = vxe_read_file(path, VXE_MESH_BYTES_MAX, &data, &size, error);
    if (result != VXE_OK) return result;
    result = vxe_mesh_parse(data, size, path, unit, mesh, error);
    free(data);
    return result;
}

double vxe_mesh_winding(const vxe_mesh *mesh, const double point[3])
{
    if (mesh == NULL || point == NULL) return 0.0;
    double sum = 0.0;
    for (size_t t = 0; t < (size_t)mesh->view.triangle_count; t++) {
        const int32_t *c = mesh->triangle + 3 * t;
        sum += vxe_mesh_solid_angle(mesh->vertex + 3 * (size_t)c[0], mesh->vertex + 3 * (size_t)c[1],
                                    mesh->vertex + 3 * (size_t)c[2], point);
    }
    return sum;
}
