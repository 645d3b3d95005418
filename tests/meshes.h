/* Meshes made up for tests: spheres, tori and boxes of as many triangles as wanted, and what can be wrong
 * with meshes. Everything here aborts the test on failure. */
#ifndef TESTS_MESHES_H
#define TESTS_MESHES_H

#include "support.h"

typedef struct shape_mesh {
    double *vertex;
    int32_t vertex_count;
    int32_t *triangle;
    int32_t triangle_count;
} shape_mesh;

static inline shape_mesh new_mesh(int32_t vertices, int32_t triangles)
{
    shape_mesh m = {calloc(3 * (size_t)vertices + 1, sizeof(double)), vertices,
                    calloc(3 * (size_t)triangles + 1, sizeof(int32_t)), triangles};
    assert_non_null(m.vertex);
    assert_non_null(m.triangle);
    return m;
}

static inline void free_mesh(shape_mesh m)
{
    free(m.vertex);
    free(m.triangle);
}

static inline void put_triangle(shape_mesh *m, int32_t *at, int32_t a, int32_t b, int32_t c)
{
    const int32_t corners[3] = {a, b, c};
    memcpy(m->triangle + 3 * (*at)++, corners, sizeof corners);
}

/* A sphere: `rings` bands of `sides` quadrilaterals, the poles closed by triangles; 2 sides (rings - 1) in
 * all.
 */
static inline shape_mesh sphere_mesh(double x, double y, double z, double radius, int32_t sides,
                                     int32_t rings)
{
    shape_mesh m = new_mesh(sides * (rings - 1) + 2, 2 * sides * (rings - 1));
    const int32_t south = sides * (rings - 1);
    int32_t t = 0;
    for (int32_t r = 1; r < rings; r++) {
        for (int32_t s = 0; s < sides; s++) {
            const double polar = PI * r / rings;
            const double turn = 2.0 * PI * s / sides;
            double *p = m.vertex + 3 * ((r - 1) * sides + s);
            p[0] = x + radius * sin(polar) * cos(turn);
            p[1] = y + radius * sin(polar) * sin(turn);
            p[2] = z - radius * cos(polar);
        }
    }
    for (int i = 0; i < 2; i++) {
        double *p = m.vertex + 3 * (south + i);
        p[0] = x;
        p[1] = y;
        p[2] = z + (i == 0 ? -radius : radius);
    }
    for (int32_t s = 0; s < sides; s++) {
        const int32_t n = (s + 1) % sides;
        put_triangle(&m, &t, south, n, s);
        for (int32_t r = 0; r + 2 < rings; r++) {
            put_triangle(&m, &t, r * sides + s, r * sides + n, (r + 1) * sides + n);
            put_triangle(&m, &t, r * sides + s, (r + 1) * sides + n, (r + 1) * sides + s);
        }
        put_triangle(&m, &t, south + 1, (rings - 2) * sides + s, (rings - 2) * sides + n);
    }
    assert_int_equal(t, m.triangle_count);
    return m;
}

/* A torus about z: radius of the ring and of the tube; 2 sides rings triangles. */
static inline shape_mesh torus_mesh(double ring, double tube, int32_t sides, int32_t rings)
{
    shape_mesh m = new_mesh(sides * rings, 2 * sides * rings);
    int32_t t = 0;
    for (int32_t r = 0; r < rings; r++) {
        for (int32_t s = 0; s < sides; s++) {
            const double around = 2.0 * PI * r / rings;
            const double within = 2.0 * PI * s / sides;
            double *p = m.vertex + 3 * (r * sides + s);
            p[0] = (ring + tube * cos(within)) * cos(around);
            p[1] = (ring + tube * cos(within)) * sin(around);
            p[2] = tube * sin(within);
            const int32_t a = r * sides + s;
            const int32_t b = (r + 1) % rings * sides + s;
            const int32_t c = (r + 1) % rings * sides + (s + 1) % sides;
            const int32_t d = r * sides + (s + 1) % sides;
            put_triangle(&m, &t, a, b, c);
            put_triangle(&m, &t, a, c, d);
        }
    }
    return m;
}

/* A point of a curve shaped like an 8, which crosses itself at the origin. */
static inline void eight_point(double t, double p[3])
{
    p[0] = sin(t);
    p[1] = 0.5 * sin(2.0 * t);
    p[2] = 0.0;
}

/* A tube along it, which passes through itself. */
static inline shape_mesh eight_mesh(double tube, int32_t sides, int32_t rings)
{
    shape_mesh m = torus_mesh(1.0, tube, sides, rings);
    for (int32_t r = 0; r < rings; r++) {
        const double t = 2.0 * PI * r / rings;
        double centre[3];
        eight_point(t, centre);
        const double along[2] = {cos(t), cos(2.0 * t)};
        const double length = hypot(along[0], along[1]);
        for (int32_t s = 0; s < sides; s++) {
            const double within = 2.0 * PI * s / sides;
            double *p = m.vertex + 3 * (r * sides + s);
            p[0] = centre[0] + tube * cos(within) * along[1] / length;
            p[1] = centre[1] - tube * cos(within) * along[0] / length;
            p[2] = tube * sin(within);
        }
    }
    return m;
}

static inline shape_mesh box_mesh(const double low[3], const double high[3])
{
    static const int32_t side[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                        {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    shape_mesh m = new_mesh(8, 12);
    for (int i = 0; i < 8; i++)
        for (int a = 0; a < 3; a++) m.vertex[3 * i + a] = (i >> a & 1) != 0 ? high[a] : low[a];
    memcpy(m.triangle, side, sizeof side);
    return m;
}

/* Both in one; the parts are freed. */
static inline shape_mesh join_meshes(shape_mesh a, shape_mesh b)
{
    shape_mesh m = new_mesh(a.vertex_count + b.vertex_count, a.triangle_count + b.triangle_count);
    memcpy(m.vertex, a.vertex, 3 * (size_t)a.vertex_count * sizeof(double));
    memcpy(m.vertex + 3 * a.vertex_count, b.vertex, 3 * (size_t)b.vertex_count * sizeof(double));
    memcpy(m.triangle, a.triangle, 3 * (size_t)a.triangle_count * sizeof(int32_t));
    for (int32_t i = 0; i < 3 * b.triangle_count; i++)
        m.triangle[3 * a.triangle_count + i] = b.triangle[i] + a.vertex_count;
    free_mesh(a);
    free_mesh(b);
    return m;
}

static inline void flip_triangle(shape_mesh *m, int32_t t)
{
    const int32_t kept = m->triangle[3 * t];
    m->triangle[3 * t] = m->triangle[3 * t + 1];
    m->triangle[3 * t + 1] = kept;
}

static inline void drop_triangle(shape_mesh *m, int32_t t)
{
    m->triangle_count--;
    memcpy(m->triangle + 3 * t, m->triangle + 3 * m->triangle_count, 3 * sizeof(int32_t));
}

/* Every triangle with vertices of its own, each moved by up to `shake`: nothing hangs together. The mesh
 * given is freed. */
static inline shape_mesh loosen(shape_mesh m, double shake, rng *random)
{
    shape_mesh soup = new_mesh(3 * m.triangle_count, m.triangle_count);
    for (int32_t i = 0; i < 3 * m.triangle_count; i++) {
        soup.triangle[i] = i;
        for (int a = 0; a < 3; a++)
            soup.vertex[3 * i + a] = m.vertex[3 * m.triangle[i] + a] + rng_between(random, -shake, shake);
    }
    free_mesh(m);
    return soup;
}

/* Turned about an axis that is no axis of the grid. */
static inline void turn_mesh(shape_mesh *m)
{
    const double c = cos(0.7);
    const double s = sin(0.7);
    for (int32_t v = 0; v < m->vertex_count; v++) {
        double *p = m->vertex + 3 * v;
        for (int a = 0; a < 2; a++) { /* about z, then about x */
            const double x = p[a];
            const double y = p[a + 1];
            p[a] = c * x - s * y;
            p[a + 1] = s * x + c * y;
        }
    }
}

static inline vxe_mesh *make_mesh(shape_mesh m)
{
    vxe_mesh *mesh = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_mesh_create(m.vertex, m.vertex_count, m.triangle, m.triangle_count, &mesh, &error), &error);
    return mesh;
}

#endif
