/* A step of Newton's method turns voxels, and displaces them along straight lines as if the turns were small;
 * a slender body that swings by a tenth of a radian is stretched by half a per cent that way, and its energy
 * goes up instead of down. Here links are turned first: a link d whose ends turn by w (the mean) and which
 * the step changes by u2 - u1 becomes
 *
 *     d' = exp(w) (d + u2 - u1 - w x d),
 *
 * which agrees with d + u2 - u1 to first order, and the positions follow as those that fit all d' best (least
 * squares: a Laplace equation on the lattice, the same matrix for every step). Newton's convergence is
 * untouched and its steps may be two orders of magnitude longer. */
#include "solve/warp.h"

#include "base/base.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Turns below this make no difference that matters, rad. */
#define TURN_MIN 1e-3

/* The Laplace matrix of the voxels that may move along an axis. */
typedef struct laplace {
    sparse k; /* only `unknown` (by voxel) and the columns are used */
    factor *f;
} laplace;

struct warp {
    const lattice *l;
    laplace *axis[3]; /* may be the same */
    double *right;    /* (3 voxels) */
    double *b;        /* (voxels) */
    double *x;        /* (voxels) */
};

/* ---- matrices ----------------------------------------------------------------------------------------------------- */

static void destroy_laplace(laplace *m)
{
    if (m == NULL) return;
    vxe_factor_destroy(m->f);
    vxe_sparse_destroy(&m->k);
    free(m);
}

static vxe_result create_laplace(const lattice *l, int axis, laplace **out, vxe_error *error)
{
    const size_t n = (size_t)l->voxels;
    laplace *m = calloc(1, sizeof *m);
    if (m == NULL) return vxe_fail_memory(error, "the path of a step", sizeof *m);
    sparse *k = &m->k;
    k->unknown = vxe_allocate(n, sizeof *k->unknown);
    k->column = vxe_allocate(n + 1, sizeof *k->column);
    k->row = vxe_allocate(4 * n, sizeof *k->row); /* three neighbours before a voxel, and itself */
    k->value = vxe_allocate(4 * n, sizeof *k->value);
    if (k->unknown == NULL || k->column == NULL || k->row == NULL || k->value == NULL) {
        destroy_laplace(m);
        return vxe_fail_memory(error, "the path of a step", 10 * n * sizeof(double));
    }
    for (size_t v = 0; v < n; v++) k->unknown[v] = (l->held[v] >> axis & 1) == 0 ? k->size++ : -1;
    for (size_t v = 0; v < n; v++) {
        if (k->unknown[v] < 0) continue;
        double sum = 1e-9; /* a body that nothing holds stays where the straight step takes it */
        for (int f = FACE_COUNT - 2; f >= 0;
             f -= 2) { /* towards smaller coordinates, the smallest number first */
            const int32_t i = l->faces[FACE_COUNT * v + (size_t)f];
            if (i < 0) continue;
            const int64_t other = k->unknown[l->links[i].near];
            if (other < 0) continue;
            k->row[k->entries] = other;
            k->value[k->entries++] = -1.0;
        }
        for (int f = 0; f < FACE_COUNT; f++) sum += l->faces[FACE_COUNT * v + (size_t)f] >= 0;
        k->row[k->entries] = k->unknown[v];
        k->value[k->entries++] = sum;
        k->column[k->unknown[v] + 1] = k->entries;
    }
    if (k->size > 0) {
        vxe_result result = vxe_factor_create(NULL, k, &m->f, error);
        if (result == VXE_OK && vxe_factor_update(m->f, k, 0.0, NULL) != FACTOR_GOOD) {
            result = vxe_fail_memory(error, "the path of a step", vxe_factor_cost(m->f).bytes);
        }
        if (result != VXE_OK) {
            destroy_laplace(m);
            return result;
        }
    }
    *out = m;
    return VXE_OK;
}

static bool same_holds(const lattice *l, int a, int b)
{
    for (int32_t v = 0; v < l->voxels; v++) {
        if ((l->held[v] >> a & 1) != (l->held[v] >> b & 1)) return false;
    }
    return true;
}

vxe_result vxe_warp_create(const lattice *l, warp **out, vxe_error *error)
{
    const size_t n = (size_t)l->voxels;
    warp *w = calloc(1, sizeof *w);
    if (w == NULL) return vxe_fail_memory(error, "the path of a step", sizeof *w);
    w->l = l;
    w->right = vxe_allocate(3 * n, sizeof *w->right);
    w->b = vxe_allocate(n, sizeof *w->b);
    w->x = vxe_allocate(n, sizeof *w->x);
    vxe_result result = VXE_OK;
    if (w->right == NULL || w->b == NULL || w->x == NULL)
        result = vxe_fail_memory(error, "the path of a step", 5 * n * sizeof(double));
    for (int a = 0; a < 3 && result == VXE_OK; a++) {
        for (int b = 0; b < a && w->axis[a] == NULL; b++) {
            if (same_holds(l, a, b)) w->axis[a] = w->axis[b];
        }
        if (w->axis[a] == NULL) result = create_laplace(l, a, &w->axis[a], error);
    }
    if (result != VXE_OK) {
        vxe_warp_destroy(w);
        return result;
    }
    *out = w;
    return VXE_OK;
}

void vxe_warp_destroy(warp *w)
{
    if (w == NULL) return;
    for (int a = 0; a < 3; a++) {
        bool shared = false;
        for (int b = 0; b < a; b++) shared = shared || w->axis[b] == w->axis[a];
        if (!shared) destroy_laplace(w->axis[a]);
    }
    free(w->right);
    free(w->b);
    free(w->x);
    free(w);
}

/* ---- a step ------------------------------------------------------------------------------------------------------- */

/* What the links want beyond the straight step, summed at the voxels; the largest turn. */
static double gather_wishes(const lattice *l, const pose *from, const double *step, double part,
                            double *right)
{
    double most = 0.0;
    memset(right, 0, 3 * (size_t)l->voxels * sizeof *right);
    for (int32_t i = 0; i < l->link_count; i++) {
        const size_t near = (size_t)l->links[i].near;
        const size_t far = (size_t)l->links[i].far;
        const double *s1 = &step[DOFS * near];
        const double *s2 = &step[DOFS * far];
        const vec3 d = vec3_sub(vec3_from(&from->position[3 * far]), vec3_from(&from->position[3 * near]));
        const vec3 change = vec3_scale(part, vec3_sub(vec3_from(s2), vec3_from(s1)));
        const vec3 turn = vec3_scale(0.5 * part, vec3_add(vec3_from(s1 + 3), vec3_from(s2 + 3)));
        const vec3 own = vec3_sub(change, vec3_cross(turn, d));
        const vec3 turned = quat_rotate(quat_from_rotation(turn), vec3_add(d, own));
        const vec3 wish = vec3_sub(turned, vec3_add(d, change));
        const double w[3] = {wish.x, wish.y, wish.z};
        for (size_t a = 0; a < 3; a++) {
            right[3 * near + a] -= w[a];
            right[3 * far + a] += w[a];
        }
        most = fmax(most, vec3_dot(turn, turn));
    }
    return sqrt(most);
}

vxe_result vxe_warp_move(warp *w, const pose *from, const double *step, double part, const uint8_t *stuck,
                         pose *to, vxe_error *error)
{
    const lattice *l = w->l;
    const size_t n = (size_t)l->voxels;
    const bool turned = gather_wishes(l, from, step, part, w->right) > TURN_MIN;
    vxe_pose_copy(l, from, to);
    for (size_t v = 0; v < n; v++) {
        const double theta[3] = {part * step[DOFS * v + 3], part * step[DOFS * v + 4],
                                 part * step[DOFS * v + 5]};
        for (size_t a = 0; a < 3; a++) to->position[3 * v + a] += part * step[DOFS * v + a];
        vxe_pose_turn(to, (int32_t)v, theta);
    }
    for (size_t a = 0; a < 3 && turned; a++) {
        const laplace *m = w->axis[a];
        if (m->k.size == 0) continue;
        for (size_t v = 0; v < n; v++) {
            if (m->k.unknown[v] >= 0) w->b[m->k.unknown[v]] = w->right[3 * v + a];
        }
        const vxe_result result = vxe_factor_solve(m->f, w->b, w->x, error);
        if (result != VXE_OK) return result;
        for (size_t v = 0; v < n; v++) {
            const bool straight = m->k.unknown[v] < 0 || (stuck != NULL && (stuck[v] >> a & 1) != 0);
            if (!straight) to->position[3 * v + a] += w->x[m->k.unknown[v]];
        }
    }
    return VXE_OK;
}
