/* Rigid parts of a model: see rigid.h. */
#include "model/rigid.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_of_rigid(const vxe_model *m, int32_t v) { return m->materials[m->material[v]].rigid; }

static vxe_result allocate(vxe_model *m, size_t voxels, vxe_error *error)
{
    const size_t n = (size_t)m->view.voxel_count;
    m->rigid = vxe_allocate(n, sizeof *m->rigid);
    m->rigid_voxel = vxe_allocate(voxels, sizeof *m->rigid_voxel);
    m->rigid_begin = vxe_allocate(voxels + 1, sizeof *m->rigid_begin);
    m->own_fixed = vxe_allocate(n, sizeof *m->own_fixed);
    const size_t bytes = n * (sizeof *m->rigid + 1) + (2 * voxels + 1) * sizeof *m->rigid_voxel;
    if (m->rigid == NULL || m->rigid_voxel == NULL || m->rigid_begin == NULL || m->own_fixed == NULL)
        return vxe_fail_memory(error, "the model", bytes);
    m->bytes += bytes;
    return VXE_OK;
}

/* Numbers the voxels that are connected with one; `room`: for the voxels whose neighbours are to be seen. */
static void number_part(vxe_model *m, int32_t *const near[3], int32_t first, int32_t *room)
{
    int32_t waiting = 0;
    m->rigid[first] = m->rigid_count;
    room[waiting++] = first;
    while (waiting > 0) {
        const int32_t v = room[--waiting];
        for (int side = 0; side < 6; side++) {
            const int32_t w = side < 3 ? m->next[side][v] : near[side - 3][v];
            if (w < 0 || !is_of_rigid(m, w) || m->rigid[w] >= 0) continue;
            m->rigid[w] = m->rigid_count;
            room[waiting++] = w;
        }
    }
    m->rigid_count++;
}

static void number_parts(vxe_model *m, int32_t *room)
{
    const int32_t n = m->view.voxel_count;
    int32_t *near[3]; /* the voxels before */
    for (int a = 0; a < 3; a++) {
        near[a] = room + (size_t)(a + 1) * (size_t)n;
        for (int32_t v = 0; v < n; v++) near[a][v] = -1;
        for (int32_t v = 0; v < n; v++) {
            if (m->next[a][v] >= 0) near[a][m->next[a][v]] = v;
        }
    }
    for (int32_t v = 0; v < n; v++) m->rigid[v] = -1;
    for (int32_t v = 0; v < n; v++) {
        if (is_of_rigid(m, v) && m->rigid[v] < 0) number_part(m, near, v, room);
    }
}

/* ---- what regions make a part do ------------------------------------------------------------------------------------ */

/* Six unknowns, the part's velocity at its first voxel and its spin times the pitch; what each region asks of
 * a voxel is one equation for them. Those that were taken are orthonormal, as in sim/rigid.c. */
typedef struct asked {
    double row[6];
    double value[2]; /* of all ramps alike, and by ramp: motions that take different times differ, too */
    double part[6];  /* how much of the others that were taken is in it, as they were asked for */
    int32_t region;  /* that asks, or -1: the material of the voxel is fixed */
} asked;

#define ASKED_SAME 1e-6 /* of the largest motion: decimals of a file are not exact */
#define ASKED_PART 1e-9 /* less is round-off; six times that is less than ASKED_SAME */

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; i++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* What the region that holds degree of freedom d of a voxel asks for, in pitches, as the motion begins. */
static asked ask(const vxe_model *m, int32_t v, int32_t first, int d, int32_t region)
{
    const double l = m->view.pitch;
    const double unit[3] = {d % 3 == 0 ? 1.0 : 0.0, d % 3 == 1 ? 1.0 : 0.0, d % 3 == 2 ? 1.0 : 0.0};
    asked a = {.region = region};
    double arm[3];
    double turn[3];
    for (int i = 0; i < 3; i++) arm[i] = (m->start[i][v] - m->start[i][first]) / l;
    cross(arm, unit, turn);
    for (int i = 0; i < 3; i++) {
        a.row[i] = d < 3 ? unit[i] : 0.0;
        a.row[i + 3] = d < 3 ? turn[i] : unit[i];
    }
    if (region < 0) return a;
    const vxe_region_def *def = &m->regions[region].def;
    double moved[3];
    for (int i = 0; i < 3; i++) arm[i] = (m->start[i][v] - m->regions[region].pivot[i]) / l;
    cross(def->rotation, arm, moved);
    a.value[0] = d >= 3 ? def->rotation[d - 3] : def->displacement[d] / l + (def->in_place ? 0.0 : moved[d]);
    a.value[1] = a.value[0] / (1.0 + def->ramp);
    return a;
}

/* Takes out of an equation what those before it say; what is left of its length, squared. */
static double reduce(const asked *taken, int count, asked *a)
{
    double square = 0.0;
    for (int k = 0; k < count; k++) {
        double share = 0.0;
        for (int i = 0; i < 6; i++) share += taken[k].row[i] * a->row[i];
        for (int i = 0; i < 6; i++) a->row[i] -= share * taken[k].row[i];
        for (int i = 0; i < 6; i++) a->part[i] -= share * taken[k].part[i];
        for (int i = 0; i < 2; i++) a->value[i] -= share * taken[k].value[i];
    }
    for (int i = 0; i < 6; i++) square += a->row[i] * a->row[i];
    return square;
}

/* Takes an equation of which so much is left. */
static void take(asked *taken, int *count, asked a, double square)
{
    const double length = sqrt(square);
    a.part[*count] = 1.0;
    for (int i = 0; i < 6; i++) a.row[i] /= length;
    for (int i = 0; i < 6; i++) a.part[i] /= length;
    for (int i = 0; i < 2; i++) a.value[i] /= length;
    taken[(*count)++] = a;
}

/* Whom an equation contradicts of which nothing is left: the last other region among those that it is made
 * of, else its own. As those that were taken are independent, it is made of them in one way only, and without
 * any one of these there would be no contradiction. A fixed material asks for no motion, so it never
 * contradicts itself. */
static int32_t opponent(const asked *taken, int count, const asked *a)
{
    for (int k = count - 1; k >= 0; k--) {
        if (fabs(a->part[k]) > ASKED_PART && taken[k].region != a->region) return taken[k].region;
    }
    return a->region;
}

static vxe_result refuse_motions(const vxe_model *m, int32_t with, const asked *a, int32_t v, int d,
                                 vxe_error *error)
{
    const char *one = with >= 0 ? m->regions[with].def.name : NULL;
    const char *other = a->region >= 0 ? m->regions[a->region].def.name : NULL;
    char who[2 * VXE_NAME_SIZE + 64];
    if (one == NULL || other == NULL)
        (void)snprintf(who, sizeof who, "region \"%s\" and a fixed material", one != NULL ? one : other);
    else if (with == a->region)
        (void)snprintf(who, sizeof who, "region \"%s\" by itself", one);
    else
        (void)snprintf(who, sizeof who, "regions \"%s\" and \"%s\"", one, other);
    return vxe_fail(error, VXE_ERROR_INPUT,
                    "%s: different motions are prescribed of one rigid body, at voxel (%d,%d,%d) %s %c", who,
                    (int)m->cell[0][v], (int)m->cell[1][v], (int)m->cell[2][v], d < 3 ? "along" : "about",
                    'x' + d % 3);
}

/* Voxels that are one body cannot go different ways: the second of two regions would be ignored. */
static vxe_result check_motions(const vxe_model *m, const int32_t *slot, int32_t part, vxe_error *error)
{
    asked taken[6];
    int count = 0;
    double most = 0.0;
    const int32_t begin = m->rigid_begin[part];
    for (int32_t i = begin; i < m->rigid_begin[part + 1]; i++) {
        const int32_t v = m->rigid_voxel[i];
        const int32_t h = slot[v];
        for (int d = 0; d < 6 && h >= 0; d++) {
            if ((m->held_dofs[h] >> d & 1) == 0) continue;
            asked a = ask(m, v, m->rigid_voxel[begin], d, m->held_region[6 * (size_t)h + (size_t)d]);
            most = fmax(most, fabs(a.value[0]));
            const double square = reduce(NULL, 0, &a);
            const double left = reduce(taken, count, &a);
            if (left > 1e-9 * square && count < 6) {
                take(taken, &count, a, left);
                continue;
            }
            if (fabs(a.value[0]) <= ASKED_SAME * most && fabs(a.value[1]) <= ASKED_SAME * most) continue;
            return refuse_motions(m, opponent(taken, count, &a), &a, v, d, error);
        }
    }
    return VXE_OK;
}

/* Places of voxels among those that are held go to `slot`. */
static vxe_result check_all_motions(const vxe_model *m, int32_t *slot, vxe_error *error)
{
    vxe_result result = VXE_OK;
    for (int32_t v = 0; v < m->view.voxel_count; v++) slot[v] = -1;
    for (int32_t h = 0; h < m->held_count; h++) slot[m->held_voxel[h]] = h;
    for (int32_t r = 0; r < m->rigid_count && result == VXE_OK; r++)
        result = check_motions(m, slot, r, error);
    return result;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

vxe_result vxe_build_rigid(vxe_model *m, vxe_error *error)
{
    const int32_t n = m->view.voxel_count;
    size_t voxels = 0;
    for (int32_t v = 0; v < n; v++) voxels += is_of_rigid(m, v) ? 1 : 0;
    if (voxels == 0) return VXE_OK;
    vxe_result result = allocate(m, voxels, error);
    if (result != VXE_OK) return result;
    int32_t *room = vxe_allocate(4 * (size_t)n, sizeof *room);
    if (room == NULL) return vxe_fail_memory(error, "the model", 4 * (size_t)n * sizeof *room);
    number_parts(m, room);
    memcpy(m->own_fixed, m->fixed, (size_t)n);
    memset(m->rigid_begin, 0, (voxels + 1) * sizeof *m->rigid_begin);
    for (int32_t v = 0; v < n; v++) {
        if (m->rigid[v] < 0) continue;
        m->rigid_begin[m->rigid[v] + 1]++;
        m->fixed[v] = VXE_DOF_ALL;
    }
    for (int32_t r = 0; r < m->rigid_count; r++) m->rigid_begin[r + 1] += m->rigid_begin[r];
    for (int32_t v = 0; v < n; v++) {
        if (m->rigid[v] >= 0) m->rigid_voxel[m->rigid_begin[m->rigid[v]]++] = v;
    }
    for (int32_t r = m->rigid_count; r > 0; r--) m->rigid_begin[r] = m->rigid_begin[r - 1];
    m->rigid_begin[0] = 0;
    result = check_all_motions(m, room, error);
    free(room);
    return result;
}

void vxe_free_rigid(vxe_model *m)
{
    free(m->rigid);
    free(m->rigid_begin);
    free(m->rigid_voxel);
    free(m->own_fixed);
}
