/* Winding numbers by solid angles: of one triangle, and of many in a tree whose far branches count as one
 * dipole each (Barill, Dickson, Schmidt, Levin and Jacobson, "Fast winding numbers for soups and clouds",
 * 2018). */
#include "mesh/mesh.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

enum { LEAF = 4, DEPTH_MAX = 64 };

/* A branch this many times its radius away counts as a dipole. At 3 its error is below 0.005 for the worst
 * branch (a disc that fills its sphere), and mostly far below. */
#define FAR_AWAY 3.0

double vxe_mesh_solid_angle(const double *a, const double *b, const double *c, const double point[3])
{
    /* van Oosterom and Strackee, "The solid angle of a plane triangle", 1983 */
    const vec3 q = vec3_from(point);
    const vec3 u = vec3_sub(vec3_from(a), q);
    const vec3 v = vec3_sub(vec3_from(b), q);
    const vec3 w = vec3_sub(vec3_from(c), q);
    const double product = vec3_dot(u, vec3_cross(v, w));
    if (product == 0.0) return 0.0; /* in the plane: the mean of both sides */
    const double lu = vec3_length(u);
    const double lv = vec3_length(v);
    const double lw = vec3_length(w);
    const double below = lu * lv * lw + vec3_dot(u, v) * lw + vec3_dot(v, w) * lu + vec3_dot(w, u) * lv;
    return atan2(product, below) / (2.0 * PI);
}

typedef struct branch {
    double center[3]; /* m; mean of the triangles, by area */
    double reach;     /* m^2; square of the distance from which it counts as a dipole */
    double dipole[3]; /* m^2; sum of area times normal, over 4 pi */
    double area;      /* m^2; sum of areas, over 4 pi */
    double radius;    /* m; of the ball around the centre that holds it */
    int32_t first;    /* triangles of a leaf; else the first of its two branches, the other follows */
    int32_t count;    /* triangles of a leaf; 0: not a leaf */
} branch;

struct winding_tree {
    const double *vertex;
    const int32_t *triangle;
    branch *branches;
    int32_t used;
};

typedef struct tree_builder {
    winding_tree *tree;
    const double *vertex;
    int32_t *triangle;
} tree_builder;

static vec3 corner(const tree_builder *b, int32_t t, int i)
{
    return vec3_from(b->vertex + 3 * (size_t)b->triangle[3 * (size_t)t + (size_t)i]);
}

/* Three times the middle along an axis: enough for comparing. */
static double middle(const tree_builder *b, int32_t t, int axis)
{
    double sum = 0.0;
    for (size_t i = 0; i < 3; i++)
        sum += b->vertex[3 * (size_t)b->triangle[3 * (size_t)t + i] + (size_t)axis];
    return sum;
}

static void swap_triangles(int32_t *triangle, int32_t a, int32_t b)
{
    for (size_t i = 0; i < 3; i++) {
        const int32_t kept = triangle[3 * (size_t)a + i];
        triangle[3 * (size_t)a + i] = triangle[3 * (size_t)b + i];
        triangle[3 * (size_t)b + i] = kept;
    }
}

/* Puts the triangles in the lower half of the box around the middles first; gives how many. Halves that would
 * be empty are cut by number instead, so that the tree is never deeper than DEPTH_MAX. */
static int32_t split(const tree_builder *b, int32_t first, int32_t count, int depth)
{
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t t = first; t < first + count; t++) {
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], middle(b, t, a));
            high[a] = fmax(high[a], middle(b, t, a));
        }
    }
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    const double cut = 0.5 * (low[axis] + high[axis]);
    int32_t lower = first;
    for (int32_t t = first; t < first + count; t++)
        if (middle(b, t, axis) < cut) swap_triangles(b->triangle, t, lower++);
    lower -= first;
    return lower == 0 || lower == count || depth > DEPTH_MAX / 2 ? count / 2 : lower;
}

static void describe(const tree_builder *b, int32_t first, int32_t count, branch *self)
{
    vec3 center = {0.0, 0.0, 0.0};
    vec3 plain = {0.0, 0.0, 0.0};
    vec3 dipole = {0.0, 0.0, 0.0};
    double area = 0.0;
    for (int32_t t = first; t < first + count; t++) {
        const vec3 p = corner(b, t, 0);
        const vec3 q = corner(b, t, 1);
        const vec3 r = corner(b, t, 2);
        const vec3 normal = vec3_scale(0.5, vec3_cross(vec3_sub(q, p), vec3_sub(r, p)));
        const vec3 mean = vec3_scale(1.0 / 3.0, vec3_add(p, vec3_add(q, r)));
        const double own = vec3_length(normal);
        area += own;
        center = vec3_add(center, vec3_scale(own, mean));
        plain = vec3_add(plain, mean);
        dipole = vec3_add(dipole, normal);
    }
    center = area > 0.0 ? vec3_scale(1.0 / area, center) : vec3_scale(1.0 / count, plain);
    double reach = 0.0;
    for (int32_t t = first; t < first + count; t++) {
        for (int i = 0; i < 3; i++) {
            const vec3 away = vec3_sub(corner(b, t, i), center);
            reach = fmax(reach, vec3_dot(away, away));
        }
    }
    const double scale = 1.0 / (4.0 * PI);
    *self = (branch){.center = {center.x, center.y, center.z},
                     .dipole = {scale * dipole.x, scale * dipole.y, scale * dipole.z},
                     .area = scale * area,
                     .radius = sqrt(reach),
                     .reach = FAR_AWAY * FAR_AWAY * reach,
                     .first = first,
                     .count = count};
}

static void grow_branch(tree_builder *b, int32_t self, int32_t first, int32_t count, int depth)
{
    winding_tree *tree = b->tree;
    describe(b, first, count, &tree->branches[self]);
    if (count <= LEAF) return;
    const int32_t lower = split(b, first, count, depth);
    const int32_t below = tree->used;
    tree->used += 2;
    tree->branches[self].first = below;
    tree->branches[self].count = 0;
    grow_branch(b, below, first, lower, depth + 1);
    grow_branch(b, below + 1, first + lower, count - lower, depth + 1);
}

winding_tree *vxe_winding_tree_create(const double *vertex, int32_t *triangle, int32_t count)
{
    winding_tree *tree = vxe_allocate(1, sizeof *tree);
    /* Splitting never leaves an empty half, so a tree of n triangles has fewer than 2 n branches. */
    branch *branches = vxe_allocate(2 * (size_t)count + 1, sizeof *branches);
    if (tree == NULL || branches == NULL) {
        free(tree);
        free(branches);
        return NULL;
    }
    *tree = (winding_tree){vertex, triangle, branches, 1};
    tree_builder b = {tree, vertex, triangle};
    grow_branch(&b, 0, 0, count, 0);
    return tree;
}

void vxe_winding_tree_destroy(winding_tree *tree)
{
    if (tree == NULL) return;
    free(tree->branches);
    free(tree);
}

double vxe_winding_tree_evaluate(const winding_tree *tree, const double point[3])
{
    int32_t waiting[2 * DEPTH_MAX + 2];
    int count = 0;
    double sum = 0.0;
    waiting[count++] = 0;
    while (count > 0) {
        const branch *b = &tree->branches[waiting[--count]];
        const double x = b->center[0] - point[0];
        const double y = b->center[1] - point[1];
        const double z = b->center[2] - point[2];
        const double square = x * x + y * y + z * z;
        if (square > b->reach) {
            sum += (b->dipole[0] * x + b->dipole[1] * y + b->dipole[2] * z) / (square * sqrt(square));
        } else if (b->count == 0) {
            waiting[count++] = b->first;
            waiting[count++] = b->first + 1;
        } else {
            for (int32_t t = b->first; t < b->first + b->count; t++) {
                const int32_t *c = tree->triangle + 3 * (size_t)t;
                sum += vxe_mesh_solid_angle(tree->vertex + 3 * (size_t)c[0], tree->vertex + 3 * (size_t)c[1],
                                            tree->vertex + 3 * (size_t)c[2], point);
            }
        }
    }
    return sum;
}

bool vxe_winding_tree_is_below(const winding_tree *tree, const double place[3], double radius, double limit)
{
    int32_t waiting[2 * DEPTH_MAX + 2];
    int count = 0;
    double sum = 0.0;
    waiting[count++] = 0;
    while (count > 0) {
        const branch *b = &tree->branches[waiting[--count]];
        const double x = b->center[0] - place[0];
        const double y = b->center[1] - place[1];
        const double z = b->center[2] - place[2];
        /* No triangle of the branch is nearer than this to any of the points, so none is seen larger than its
         * area over the square of it. */
        const double nearest = sqrt(x * x + y * y + z * z) - radius - b->radius;
        const double most = nearest > 0.0 ? b->area / (nearest * nearest) : INFINITY;
        if (nearest > b->radius || (b->count > 0 && most < limit)) {
            sum += most;
        } else if (b->count > 0) {
            return false;
        } else {
            waiting[count++] = b->first;
            waiting[count++] = b->first + 1;
        }
        if (!(sum < limit)) return false;
    }
    return true;
}
