/* Bodies that nothing holds: see loose.h. */
#include "solve/loose.h"

#include "base/base.h"
#include "base/vec.h"
#include "solve/arpack.h"
#include "solve/motions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* `count` numbers per body. */
static double *per_body(const lattice *l, size_t count, vxe_result *result, vxe_error *error)
{
    double *memory = vxe_allocate(count * (size_t)l->body_count, sizeof *memory);
    if (memory == NULL)
        *result = vxe_fail_memory(error, "the bodies", count * (size_t)l->body_count * sizeof *memory);
    return memory;
}

vxe_result vxe_put_down(const lattice *l, pose *p, bool *any, vxe_error *error)
{
    vxe_result result = VXE_OK;
    *any = false;
    if (!l->sim->environment.floor || !(l->sim->environment.gravity[2] < 0.0)) return VXE_OK;
    double *depth = per_body(l, 1, &result, error);
    if (depth == NULL) return result;
    for (int32_t b = 0; b < l->body_count; b++) depth[b] = -INFINITY;
    for (int32_t v = 0; v < l->voxels; v++) {
        const bool held = (l->held[v] & VXE_DOF_Z) != 0;
        depth[l->body[v]] = fmax(depth[l->body[v]], held ? 0.0 : vxe_lattice_depth(l, p, v));
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        if (depth[l->body[v]] > -1e-9 * l->pitch || depth[l->body[v]] == -INFINITY) continue;
        p->position[3 * (size_t)v + 2] += depth[l->body[v]];
        *any = true;
    }
    free(depth);
    return VXE_OK;
}

/* ---- holding -------------------------------------------------------------------------------------------------------- */

/* The voxel nearest to the middle of each body, into middle[]. */
static vxe_result find_middles(const lattice *l, const pose *p, int32_t *middle, vxe_error *error)
{
    vxe_result result = VXE_OK;
    double *sums = per_body(l, 5, &result, error); /* centre, voxels, nearest distance */
    if (sums == NULL) return result;
    for (int32_t v = 0; v < l->voxels; v++) {
        double *s = &sums[5 * (size_t)l->body[v]];
        for (size_t a = 0; a < 3; a++) s[a] += p->position[3 * (size_t)v + a];
        s[3] += 1.0;
        s[4] = INFINITY;
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        double *s = &sums[5 * (size_t)l->body[v]];
        double square = 0.0;
        for (size_t a = 0; a < 3; a++) {
            const double d = p->position[3 * (size_t)v + a] - s[a] / s[3];
            square += d * d;
        }
        if (square < s[4]) {
            s[4] = square;
            middle[l->body[v]] = v;
        }
    }
    free(sums);
    return VXE_OK;
}

/* Holds as many degrees of freedom of a voxel as there are free motions, so that each of them would move what
 * is held: elimination with pivots. */
static void hold_voxel(lattice *l, const pose *p, int32_t v, const free_motion *items, int count)
{
    double m[DOFS][DOFS];
    for (int j = 0; j < count; j++) {
        for (int d = 0; d < DOFS; d++) m[j][d] = vxe_motion_at(&items[j], p, v, d) * (d < 3 ? 1.0 : l->pitch);
    }
    for (int done = 0; done < count; done++) {
        int row = done;
        int column = -1;
        for (int j = done; j < count; j++) {
            for (int d = 0; d < DOFS; d++) {
                if ((l->held[v] >> d & 1) != 0) continue;
                if (column < 0 || fabs(m[j][d]) > fabs(m[row][column])) {
                    row = j;
                    column = d;
                }
            }
        }
        if (column < 0 || m[row][column] == 0.0) return;
        l->held[v] |= (uint8_t)(1 << column);
        for (int d = 0; d < DOFS; d++) {
            const double x = m[row][d];
            m[row][d] = m[done][d];
            m[done][d] = x;
        }
        for (int j = done + 1; j < count; j++) {
            const double f = m[j][column] / m[done][column];
            for (int d = 0; d < DOFS; d++) m[j][d] -= f * m[done][d];
        }
    }
}

/* First motion of each body; [bodies]: their number. */
static void index_motions(const lattice *l, const free_motions *motions, int32_t *first)
{
    int32_t i = 0;
    for (int32_t b = 0; b <= l->body_count; b++) {
        while (i < motions->count && motions->items[i].body < b) i++;
        first[b] = i;
    }
}

/* Whether the loads drive a body along a free motion. */
static vxe_result find_driven(const lattice *l, const pose *p, const free_motions *motions,
                              const int32_t *first, bool *driven, vxe_error *error)
{
    double *sums = vxe_allocate(2 * (size_t)motions->count, sizeof *sums); /* work, and sum of its sizes */
    if (sums == NULL)
        return vxe_fail_memory(error, "the free motions", 2 * (size_t)motions->count * sizeof *sums);
    for (int32_t v = 0; v < l->voxels; v++) {
        for (int32_t i = first[l->body[v]]; i < first[l->body[v] + 1]; i++) {
            for (int d = 0; d < DOFS; d++) {
                const double part =
                    l->load[DOFS * (size_t)v + (size_t)d] * vxe_motion_at(&motions->items[i], p, v, d);
                sums[2 * (size_t)i] += part;
                sums[2 * (size_t)i + 1] += fabs(part);
            }
        }
    }
    for (int32_t i = 0; i < motions->count; i++) {
        if (fabs(sums[2 * (size_t)i]) > 1e-7 * sums[2 * (size_t)i + 1]) *driven = true;
    }
    free(sums);
    return VXE_OK;
}

/* How the loads bring a body back, or drive it on, when it makes two of its motions a little: the second
 * derivative of their energy; and how large it could be. */
static double bring_back(const lattice *l, const pose *p, const free_motion *one, const free_motion *two,
                         double *scale)
{
    const vec3 t = vec3_from(one->turn);
    const vec3 u = vec3_from(two->turn);
    double sum = 0.0;
    for (int32_t v = 0; v < l->voxels; v++) {
        if (l->body[v] != one->body) continue;
        const vec3 force = vec3_from(&l->load[DOFS * (size_t)v]);
        const vec3 arm = vec3_sub(vec3_from(&p->position[3 * (size_t)v]), vec3_from(one->center));
        const vec3 bent = vec3_add(vec3_cross(t, vec3_cross(u, arm)), vec3_cross(u, vec3_cross(t, arm)));
        sum -= 0.5 * vec3_dot(force, bent);
        *scale += sqrt(vec3_dot(force, force) * vec3_dot(bent, bent));
        for (int i = 0; i < 3 && l->slope != NULL; i++) {
            for (int j = 0; j < 3; j++) {
                const double part = vxe_motion_at(one, p, v, i) * vxe_motion_at(two, p, v, j) *
                                    l->slope[9 * (size_t)v + (size_t)(3 * i + j)];
                sum -= part;
                *scale += fabs(part);
            }
        }
    }
    return sum;
}

/* A body's motions as the loads see them: along each of the principal ones they bring it back by `value`. */
typedef struct principal_motions {
    double values[DOFS]; /* increasing */
    double vectors[DOFS * DOFS];
    double scale; /* how large values could be */
} principal_motions;

static principal_motions principal_of(const lattice *l, const pose *p, const free_motion *items, int count)
{
    principal_motions m = {.scale = 0.0};
    double matrix[DOFS * DOFS];
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < count; j++)
            matrix[i * count + j] = bring_back(l, p, &items[i], &items[j], &m.scale);
    }
    for (int i = 0; i < count; i++) { /* fields that no energy belongs to make it differ */
        for (int j = 0; j < i; j++) {
            const double mean = 0.5 * (matrix[i * count + j] + matrix[j * count + i]);
            matrix[i * count + j] = matrix[j * count + i] = mean;
        }
    }
    vxe_symmetric_eigen(matrix, count, m.values, m.vectors);
    return m;
}

/* Sum of a body's motions, each by its part. */
static free_motion blend_of(const free_motion *items, int count, const double parts[DOFS])
{
    free_motion m = items[0];
    for (int a = 0; a < 3; a++) {
        m.move[a] = m.turn[a] = 0.0;
        for (int i = 0; i < count; i++) {
            m.move[a] += parts[i] * items[i].move[a];
            m.turn[a] += parts[i] * items[i].turn[a];
        }
    }
    return m;
}

/* Of a body's motions those that its loads do not bring back, into `out`; how many. */
static int neutral_motions(const lattice *l, const pose *p, const free_motion *items, int count,
                           free_motion out[DOFS])
{
    const principal_motions m = principal_of(l, p, items, count);
    int neutral = 0;
    for (int i = 0; i < count; i++) {
        double parts[DOFS] = {0.0};
        if (m.values[i] > 1e-6 * m.scale) continue;
        for (int j = 0; j < count; j++) parts[j] = m.vectors[j * count + i];
        out[neutral++] = blend_of(items, count, parts);
    }
    return neutral;
}

/* What holds in a pose: regions, the plane, and the floor under bodies that are pressed on it. */
static vxe_result find_held(const lattice *l, const pose *p, bool grip, uint8_t *held, vxe_error *error)
{
    vxe_result result = VXE_OK;
    double *weight = per_body(l, 1, &result, error); /* N: what presses a body down is negative */
    if (weight == NULL) return result;
    for (int32_t v = 0; v < l->voxels; v++) weight[l->body[v]] += l->load[DOFS * (size_t)v + 2];
    for (int32_t v = 0; v < l->voxels; v++) {
        held[v] = l->held[v];
        if (!l->sim->environment.floor || !vxe_lattice_touches(l, p, v) || !(weight[l->body[v]] < 0.0))
            continue;
        held[v] |= grip ? VXE_DOF_MOVE : VXE_DOF_Z;
    }
    free(weight);
    return VXE_OK;
}

/* Work space of vxe_hold_loose(). */
typedef struct loose_work {
    uint8_t *held;   /* (voxels) */
    int32_t *first;  /* motion of each body, (bodies + 1) */
    int32_t *middle; /* voxel of each body, (bodies) */
} loose_work;

static vxe_result hold_all(lattice *l, const pose *p, bool grip, bool hangs, const loose_work *w,
                           loose_bodies *loose, vxe_error *error)
{
    free_motions motions = {0, NULL};
    vxe_result result = find_held(l, p, grip, w->held, error);
    if (result == VXE_OK) result = vxe_free_motions(l, p, w->held, &motions, error);
    if (result != VXE_OK || motions.count == 0) return result;
    index_motions(l, &motions, w->first);
    result = find_driven(l, p, &motions, w->first, &loose->driven, error);
    if (result == VXE_OK && loose->driven) vxe_describe_motions(l, &motions, loose->text, sizeof loose->text);
    if (result == VXE_OK && !loose->driven) result = find_middles(l, p, w->middle, error);
    for (int32_t b = 0; b < l->body_count && result == VXE_OK && !loose->driven; b++) {
        const int32_t begin = w->first[b];
        if (begin == w->first[b + 1]) continue;
        const int count = (int)(w->first[b + 1] - begin);
        free_motion neutral[DOFS];
        const int held = hangs ? neutral_motions(l, p, &motions.items[begin], count, neutral) : count;
        hold_voxel(l, p, w->middle[b], hangs ? neutral : &motions.items[begin], held);
        loose->any = loose->any || held > 0;
    }
    vxe_free_motions_destroy(&motions);
    return result;
}

vxe_result vxe_hold_loose(lattice *l, const pose *p, bool grip, bool hangs, loose_bodies *loose,
                          vxe_error *error)
{
    const loose_work w = {vxe_allocate((size_t)l->voxels, 1),
                          vxe_allocate((size_t)l->body_count + 1, sizeof(int32_t)),
                          vxe_allocate((size_t)l->body_count, sizeof(int32_t))};
    vxe_result result = VXE_OK;
    loose->any = false;
    loose->driven = false;
    if (w.held == NULL || w.first == NULL || w.middle == NULL) {
        result = vxe_fail_memory(error, "the supports", (size_t)l->voxels * 9);
    } else {
        result = hold_all(l, p, grip, hangs, &w, loose, error);
    }
    free(w.held);
    free(w.first);
    free(w.middle);
    return result;
}

/* ---- swinging ------------------------------------------------------------------------------------------------------- */

#define SWINGS_MAX 500
#define SWING_STEP 0.3      /* rad: at most, where the axis moves too */
#define SWING_BALANCE 1e-10 /* of the sum of what the loads could do */

/* A body's turn about an axis. */
typedef struct swing {
    vec3 axis;  /* unit vector */
    vec3 point; /* on it, m */
    double angle;
} swing;

/* The motion to where the loads balance, as Newton's method has it, but always downhill; the work of the
 * loads along the body's motions over what it could be. */
static double steepest(const lattice *l, const pose *p, const free_motion *items, int count, free_motion *way)
{
    double work[DOFS] = {0.0};
    double scale[DOFS] = {0.0};
    double parts[DOFS] = {0.0};
    double most = 0.0;
    for (int32_t v = 0; v < l->voxels; v++) {
        if (l->body[v] != items[0].body) continue;
        for (int i = 0; i < count; i++) {
            for (int d = 0; d < DOFS; d++) {
                const double part = l->load[DOFS * (size_t)v + (size_t)d] * vxe_motion_at(&items[i], p, v, d);
                work[i] += part;
                scale[i] += fabs(part);
            }
        }
    }
    const principal_motions m = principal_of(l, p, items, count);
    for (int i = 0; i < count; i++) {
        double along = 0.0;
        for (int j = 0; j < count; j++) along += m.vectors[j * count + i] * work[j];
        const double value = fmax(fabs(m.values[i]), 1e-3 * m.scale);
        for (int j = 0; j < count; j++) parts[j] += m.vectors[j * count + i] * along / value;
        if (scale[i] > 0.0) most = fmax(most, fabs(work[i]) / scale[i]);
    }
    *way = blend_of(items, count, parts);
    return most;
}

/* The turn about the axis of a motion that brings the loads to rest if they keep their directions: along it
 * their moment is b cos(angle) - a sin(angle), and torques add to that. False: there is none. */
static bool find_turn(const lattice *l, const pose *p, const free_motion *way, swing *s)
{
    const vec3 turn = vec3_from(way->turn);
    const vec3 move = vec3_from(way->move);
    const double square = vec3_dot(turn, turn);
    if (!(square * l->pitch * l->pitch > 1e-18 * vec3_dot(move, move))) return false; /* it only moves */
    s->axis = vec3_scale(1.0 / sqrt(square), turn);
    const vec3 offset = vec3_scale(1.0 / square, vec3_cross(turn, move));
    s->point = vec3_add(vec3_from(way->center), offset);
    double a = 0.0;
    double b = 0.0;
    double torque = 0.0;
    for (int32_t v = 0; v < l->voxels; v++) {
        if (l->body[v] != way->body) continue;
        const double *load = &l->load[DOFS * (size_t)v];
        const vec3 arm = vec3_sub(vec3_from(&p->position[3 * (size_t)v]), s->point);
        const vec3 across = vec3_sub(arm, vec3_scale(vec3_dot(arm, s->axis), s->axis));
        a += vec3_dot(vec3_from(load), across);
        b += vec3_dot(vec3_from(load), vec3_cross(s->axis, arm));
        torque += vec3_dot(vec3_from(load + 3), s->axis);
    }
    const double size = hypot(a, b);
    if (!(fabs(torque) < size)) return false;
    s->angle = atan2(b, a) + asin(torque / size);
    const bool rolls = vec3_dot(move, move) > 0.0 && vec3_dot(offset, offset) > 1e-12 * l->pitch * l->pitch;
    if (rolls) s->angle = fmax(-SWING_STEP, fmin(SWING_STEP, s->angle));
    return isfinite(s->angle);
}

/* Turns a body; where that takes what is held away, it is brought back by moving all of it. */
static void turn_body(const lattice *l, pose *p, int32_t body, const swing *s)
{
    const vec3 vector = vec3_scale(s->angle, s->axis);
    const double theta[3] = {vector.x, vector.y, vector.z};
    const quat q = quat_from_rotation(vector);
    double strayed[3] = {0.0, 0.0, 0.0};
    int32_t held[3] = {0, 0, 0};
    for (int32_t v = 0; v < l->voxels; v++) {
        if (l->body[v] != body) continue;
        double *x = &p->position[3 * (size_t)v];
        const vec3 to = vec3_add(s->point, quat_rotate(q, vec3_sub(vec3_from(x), s->point)));
        const double now[3] = {to.x, to.y, to.z};
        for (int a = 0; a < 3; a++) {
            if ((l->model->fixed[v] >> a & 1) != 0) {
                strayed[a] += now[a] - x[a];
                held[a]++;
            }
            x[a] = now[a];
        }
        vxe_pose_turn(p, v, theta);
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        if (l->body[v] != body) continue;
        for (int a = 0; a < 3; a++) {
            if (held[a] > 0) p->position[3 * (size_t)v + (size_t)a] -= strayed[a] / held[a];
        }
    }
}

/* One turn of every body that its loads drive; *driven: whether there was one, *lost: it cannot come to rest.
 */
static vxe_result swing_once(const lattice *l, pose *p, int32_t *first, bool *driven, bool *lost,
                             vxe_error *error)
{
    free_motions motions = {0, NULL};
    const vxe_result result = vxe_free_motions(l, p, l->model->fixed, &motions, error);
    *driven = *lost = false;
    if (result != VXE_OK) return result;
    index_motions(l, &motions, first);
    for (int32_t b = 0; b < l->body_count && !*lost; b++) {
        const int count = (int)(first[b + 1] - first[b]);
        free_motion way;
        swing s;
        if (count == 0 || steepest(l, p, &motions.items[first[b]], count, &way) <= SWING_BALANCE) continue;
        *driven = true;
        *lost = !find_turn(l, p, &way, &s);
        if (!*lost) turn_body(l, p, b, &s);
    }
    vxe_free_motions_destroy(&motions);
    return VXE_OK;
}

vxe_result vxe_swing(const lattice *l, pose *p, bool *done, vxe_error *error)
{
    int32_t *first = vxe_allocate((size_t)l->body_count + 1, sizeof *first);
    pose before = {NULL, NULL, NULL};
    vxe_result result = vxe_pose_create(l, &before, error);
    *done = false;
    if (result == VXE_OK && first == NULL)
        result = vxe_fail_memory(error, "the bodies", (size_t)l->body_count);
    if (result == VXE_OK) vxe_pose_copy(l, p, &before);
    bool lost = false;
    for (int i = 0; i < SWINGS_MAX && result == VXE_OK && first != NULL && !*done && !lost; i++) {
        bool driven = false;
        result = swing_once(l, p, first, &driven, &lost, error);
        *done = !driven;
        vxe_lattice_load(l, p);
    }
    if (result == VXE_OK && !*done) {
        vxe_pose_copy(l, &before, p);
        vxe_lattice_load(l, p);
    }
    vxe_pose_destroy(&before);
    free(first);
    return result;
}

/* ---- after the search ----------------------------------------------------------------------------------------------- */

bool vxe_loose_carry(const newton *n)
{
    const lattice *l = n->l;
    double most = 0.0;
    double scale = vxe_lattice_small_force(l);
    for (size_t i = 0; i < DOFS * (size_t)l->voxels; i++) {
        const double unit = i % DOFS < 3 ? 1.0 : 1.0 / l->pitch;
        const double total = unit * fabs(l->load[i] - n->gradient[i]);
        scale = fmax(scale, unit * fabs(l->load[i]));
        scale = fmax(scale, unit * fabs(n->gradient[i]));
        const uint8_t own = (uint8_t)(l->held[i / DOFS] & ~l->model->fixed[i / DOFS]);
        if ((own >> (i % DOFS) & 1) != 0) most = fmax(most, total);
    }
    return most > 1e-6 * scale;
}

/* Whether K + a little of M has a negative eigenvalue: then K has one, and not only neutral motions. */
static factor_state examine(equations *q, const pose *p)
{
    double stiffest = 0.0;
    for (int64_t i = 0; i < q->k.size; i++) {
        stiffest = fmax(stiffest, q->k.value[q->k.column[i + 1] - 1] / q->weight[i]);
    }
    double *b = vxe_allocate(2 * (size_t)q->k.size, sizeof *b);
    if (b == NULL) return FACTOR_NO_MEMORY;
    factor_state state = vxe_equations_update(q, p, 1e-9 * stiffest);
    for (int64_t i = 0; i < q->k.size; i++) b[i] = sqrt(q->weight[i]) * vxe_noise((unsigned long long)i);
    if (state == FACTOR_GOOD) state = vxe_equations_solve(q, b, b + q->k.size, 1e-6);
    free(b);
    return state;
}

vxe_result vxe_loose_fall(const newton *n, vxe_solver solver, double flops, bool *falls, vxe_error *error)
{
    lattice l = *n->l; /* all but what is held is the same */
    equations q;
    *falls = false;
    l.held = vxe_allocate((size_t)l.voxels, 1);
    if (l.held == NULL) return vxe_fail_memory(error, "the supports", (size_t)l.voxels);
    memcpy(l.held, l.model->fixed, (size_t)l.voxels);
    vxe_result result = vxe_equations_create(&q, &l, solver, flops, error);
    if (result == VXE_OK) {
        vxe_equations_fill(&q, &n->now, n->floor, n->stuck);
        const factor_state state = examine(&q, &n->now);
        if (state == FACTOR_NO_MEMORY)
            result = vxe_fail_memory(error, "the examination of stability", q.cost.bytes);
        *falls = state == FACTOR_NOT_POSITIVE;
        vxe_equations_destroy(&q);
    }
    free(l.held);
    return result;
}

vxe_result vxe_loose_recenter(const lattice *l, pose *p, vxe_error *error)
{
    const vxe_model *m = l->model;
    vxe_result result = VXE_OK;
    if (l->sim->environment.floor) return VXE_OK;
    double *sums = per_body(l, 5, &result, error); /* moved, mass, voxels that are held */
    if (sums == NULL) return result;
    for (int32_t v = 0; v < l->voxels; v++) {
        double *s = &sums[5 * (size_t)l->body[v]];
        const double mass = m->materials[m->material[v]].mass;
        for (size_t a = 0; a < 3; a++)
            s[a] += mass * (p->position[3 * (size_t)v + a] - l->sim->position[a][v]);
        s[3] += mass;
        s[4] += m->fixed[v] != 0;
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        const double *s = &sums[5 * (size_t)l->body[v]];
        for (size_t a = 0; a < 3 && s[4] == 0.0; a++) p->position[3 * (size_t)v + a] -= s[a] / s[3];
    }
    free(sums);
    return VXE_OK;
}
