/* Volume of the convex hull of a set of voxels: points are added one by one; faces that see a point are
 * replaced by faces from the edge of what it sees. Points are nudged by a hair, so that no four lie in a
 * plane. */
#include "io/observer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUDGE 1e-7        /* of a voxel */
#define VOXELS_MAX 100000 /* more would take too long */

typedef struct hull_point {
    double x[3];
} hull_point;

typedef struct hull_face {
    int32_t corner[3];
    double normal[3]; /* outwards, not of unit length */
    double level;     /* of the plane */
    bool gone;
} hull_face;

typedef struct hull {
    const hull_point *points;
    hull_face *faces;
    int32_t count;
    size_t capacity;
    int32_t *edges; /* of what a point sees, both ends each */
    int32_t edge_count;
    size_t edge_capacity;
    bool failed;
} hull;

/* A small number that depends on a number only. */
static double nudge(uint64_t n)
{
    n ^= n >> 33;
    n *= UINT64_C(0xff51afd7ed558ccd);
    n ^= n >> 33;
    n *= UINT64_C(0xc4ceb9fe1a85ec53);
    n ^= n >> 33;
    return ((double)(n >> 11) * 0x1p-53 - 0.5) * NUDGE;
}

static void add_face(hull *h, int32_t a, int32_t b, int32_t c)
{
    hull_face *faces = vxe_grow(h->faces, (size_t)h->count + 1, &h->capacity, sizeof *faces);
    if (faces == NULL) {
        h->failed = true;
        return;
    }
    h->faces = faces;
    hull_face *f = &h->faces[h->count++];
    *f = (hull_face){.corner = {a, b, c}};
    const double *p = h->points[a].x;
    double u[3];
    double v[3];
    for (int i = 0; i < 3; i++) {
        u[i] = h->points[b].x[i] - p[i];
        v[i] = h->points[c].x[i] - p[i];
    }
    f->normal[0] = u[1] * v[2] - u[2] * v[1];
    f->normal[1] = u[2] * v[0] - u[0] * v[2];
    f->normal[2] = u[0] * v[1] - u[1] * v[0];
    f->level = f->normal[0] * p[0] + f->normal[1] * p[1] + f->normal[2] * p[2];
}

static bool sees(const hull_face *f, const hull_point *p)
{
    return f->normal[0] * p->x[0] + f->normal[1] * p->x[1] + f->normal[2] * p->x[2] > f->level;
}

static void add_edge(hull *h, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < h->edge_count; i++) { /* the same edge from its other side: inside what is seen */
        if (h->edges[2 * i] != b || h->edges[2 * i + 1] != a) continue;
        h->edge_count--;
        memcpy(&h->edges[2 * i], &h->edges[2 * h->edge_count], 2 * sizeof *h->edges);
        return;
    }
    int32_t *edges = vxe_grow(h->edges, (size_t)h->edge_count + 1, &h->edge_capacity, 2 * sizeof *edges);
    if (edges == NULL) {
        h->failed = true;
        return;
    }
    h->edges = edges;
    h->edges[2 * h->edge_count] = a;
    h->edges[2 * h->edge_count + 1] = b;
    h->edge_count++;
}

static void add_point(hull *h, int32_t n)
{
    h->edge_count = 0;
    bool any = false;
    for (int32_t i = 0; i < h->count; i++) {
        hull_face *f = &h->faces[i];
        if (!sees(f, &h->points[n])) continue;
        any = true;
        f->gone = true;
        for (int e = 0; e < 3; e++) add_edge(h, f->corner[e], f->corner[(e + 1) % 3]);
    }
    if (!any) return;
    int32_t kept = 0;
    for (int32_t i = 0; i < h->count; i++) {
        if (!h->faces[i].gone) h->faces[kept++] = h->faces[i];
    }
    h->count = kept;
    for (int32_t e = 0; e < h->edge_count && !h->failed; e++)
        add_face(h, h->edges[2 * e], h->edges[2 * e + 1], n);
}

double vxe_hull_volume(double *const position[3], int32_t count, double pitch)
{
    if (count < 1) return 0.0;
    const size_t total = 8 * (size_t)count;
    hull_point *points = count > VOXELS_MAX ? NULL : vxe_allocate(total, sizeof *points);
    hull h = {.points = points};
    if (points == NULL || count > VOXELS_MAX) {
        free(points);
        return NAN;
    }
    for (int32_t v = 0; v < count; v++) { /* corners, in voxels, from the first voxel */
        for (int c = 0; c < 8; c++) {
            for (int a = 0; a < 3; a++) {
                const size_t n = 8 * (size_t)v + (size_t)c;
                points[n].x[a] = (position[a][v] - position[a][0]) / pitch +
                                 ((c >> a & 1) != 0 ? 0.5 : -0.5) + nudge(3 * (uint64_t)n + (uint64_t)a + 1);
            }
        }
    }
    /* the first voxel's corners 0, 1, 2, 4 make a tetrahedron */
    add_face(&h, 0, 2, 1);
    add_face(&h, 0, 1, 4);
    add_face(&h, 0, 4, 2);
    add_face(&h, 1, 2, 4);
    for (int32_t n = 0; n < (int32_t)total && !h.failed; n++) {
        if (n != 0 && n != 1 && n != 2 && n != 4) add_point(&h, n);
    }
    double six = 0.0;
    for (int32_t i = 0; i < h.count; i++) six += h.faces[i].level;
    free(h.faces);
    free(h.edges);
    free(points);
    return h.failed ? NAN : six / 6.0 * pitch * pitch * pitch;
}
