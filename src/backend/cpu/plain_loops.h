/* The plain backend: every loop written out once, one voxel or link at a time, in lattice order. It is the
 * definition that faster backends are compared with. Included by plain_double.c and plain_single.c, which
 * choose `real` and define PLAIN_BACKEND.
 *
 * A voxel's loads are summed in a fixed order: contacts, loads, its links towards -z, -y, -x, and then the
 * sum of those towards +z, +y, +x. In the lattice's order neighbours towards smaller coordinates come
 * earlier, so one sweep over the voxels gives it. Positions are always double; in single precision everything
 * else of the state is float and lives in arrays of its own. */
#include "backend/cpu/machine.h"
#include "backend/cpu/native.h"
#include "backend/cpu/share_loops.h"

#include "base/base.h"
#include "base/sum.h"
#include "base/vec.h"
#include "kernel/link.h"
#include "kernel/strain.h"
#include "kernel/voxel.h"
#include "sim/collide.h"
#include "sim/floor.h"
#include "sim/loads.h"

#include <stdlib.h>
#include <string.h>

#define IS_DOUBLE (sizeof(real) == sizeof(double))

/* ---- state in and out --------------------------------------------------------------------------------------------- */

/* Arrays of the manifest that have one in native_state beside them, in single precision; those of the account
 * last. */
/* clang-format off */
#define NATIVE_ARRAYS(X) \
    X(orientation, 4) X(velocity, 3) X(spin, 3) X(force, 3) X(moment, 3) X(link_sum, 1) \
    X(velocity_before, 3) X(spin_before, 3) X(lost_force, 3) X(lost_moment, 3) X(kept_force, 3) X(kept_moment, 3)
/* clang-format on */
#define NATIVE_BIT(name, components) | STATE_SET(name)
#define NATIVE_SET (IS_DOUBLE ? 0 : (0 NATIVE_ARRAYS(NATIVE_BIT)))
enum { NATIVE_PLAIN = 23, NATIVE_ALL = 35 };

/* Points everything to the manifest's arrays (double), or to the arrays that lie at `at`, `n` apart. */
static void point_native(const vxe_sim *sim, native_state *s, real *at, size_t n)
{
    size_t k = 0; /* `at` is NULL in double */
#define X(name, components)                                                                                  \
    for (int i = 0; i < (components) && sim->name[i] != NULL; i++, k++)                                      \
        s->name[i] = IS_DOUBLE ? (real *)(void *)sim->name[i] : at + k * n;
    NATIVE_ARRAYS(X)
#undef X
}

static vxe_result plain_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_result result = vxe_parts_create(sim, error);
    if (result != VXE_OK) return result;
    native_state *s = calloc(1, sizeof *s);
    if (s == NULL) return vxe_fail_memory(error, "the simulation", sizeof *s);
    sim->native = s;
    const size_t line = 64 / sizeof(real);
    const size_t n =
        IS_DOUBLE ? sim->stride : ((sim->stride + line - 1) / line | 1) * line; /* as in state.c */
    if (!IS_DOUBLE) {
        const size_t arrays = sim->def.audit ? NATIVE_ALL : NATIVE_PLAIN;
        s->memory = vxe_allocate(arrays * n, sizeof(real));
        if (s->memory == NULL) return vxe_fail_memory(error, "the simulation", arrays * n * sizeof(real));
        sim->bytes += arrays * n * sizeof(real);
    }
    s->stride = (ptrdiff_t)n;
    point_native(sim, s, s->memory, n);
    return VXE_OK;
}

static void plain_destroy(vxe_sim *sim)
{
    native_state *s = sim->native;
    if (s != NULL) free(s->memory);
    free(s);
    sim->native = NULL;
    vxe_parts_destroy(sim);
}

static int32_t plain_threads(const vxe_sim *sim)
{
    (void)sim;
    return 1;
}

static void plain_upload(vxe_sim *sim, state_set arrays)
{
    if (IS_DOUBLE) return;
    const native_state *s = sim->native;
    const size_t n = (size_t)sim->model->view.voxel_count;
#define X(name, components)                                                                                  \
    for (int i = 0; i < (components) && (arrays & STATE_SET(name)) != 0 && s->name[i] != NULL; i++) {        \
        for (size_t v = 0; v < n; v++) s->name[i][v] = (real)sim->name[i][v];                                \
    }
    NATIVE_ARRAYS(X)
#undef X
}

static void plain_download(vxe_sim *sim, state_set arrays)
{
    if (IS_DOUBLE) return;
    const native_state *s = sim->native;
    const size_t n = (size_t)sim->model->view.voxel_count;
#define X(name, components)                                                                                  \
    for (int i = 0; i < (components) && (arrays & STATE_SET(name)) != 0 && s->name[i] != NULL; i++) {        \
        for (size_t v = 0; v < n; v++) sim->name[i][v] = (double)s->name[i][v];                              \
    }
    NATIVE_ARRAYS(X)
#undef X
}

static inline rvec load3(real *const a[3], int32_t v) { return (rvec){a[0][v], a[1][v], a[2][v]}; }
static inline rquat load4(real *const a[4], int32_t v) { return (rquat){a[0][v], a[1][v], a[2][v], a[3][v]}; }

static inline void store3(real *const a[3], int32_t v, rvec x)
{
    a[0][v] = x.x;
    a[1][v] = x.y;
    a[2][v] = x.z;
}

static inline void add3(real *const a[3], int32_t v, rvec x)
{
    a[0][v] += x.x;
    a[1][v] += x.y;
    a[2][v] += x.z;
}

static inline void subtract3(real *const a[3], int32_t v, rvec x)
{
    a[0][v] -= x.x;
    a[1][v] -= x.y;
    a[2][v] -= x.z;
}

/* The difference of two positions is taken in double, so that single precision loses nothing far from the
 * origin. */
static inline rvec distance3(double *const p[3], int32_t from, int32_t to)
{
    return (rvec){(real)(p[0][to] - p[0][from]), (real)(p[1][to] - p[1][from]),
                  (real)(p[2][to] - p[2][from])};
}

static inline link_stiffness stiffness_of(const link_table *t)
{
    const double k[3] = {t->cs, 2.0 * (t->c - t->kt), 2.0 * t->kt};
    return (link_stiffness){(real)k[0], (real)k[1], (real)k[2]};
}

static inline link_damping_rates damping_of(const link_table *t)
{
    return (link_damping_rates){(real)t->axial, (real)t->shear, (real)t->bending, (real)t->torsion};
}

static inline voxel_constants constants_of(const voxel_table *t)
{
    return (voxel_constants){(real)t->inverse_mass,    (real)t->inverse_inertia, (real)t->ground_rate,
                             (real)t->floor_stiffness, (real)t->floor_damping,   (real)t->static_friction,
                             (real)t->dynamic_friction};
}

/* ---- stages ------------------------------------------------------------------------------------------------------- */

/* Held degrees of freedom get the velocity that takes them where their region wants them after this step. */
static void plain_hold(vxe_sim *sim, const step_context *context)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    for (int32_t h = 0; h < m->held_count; h++) {
        const int32_t next = vxe_supports_at_rest(sim, h, false);
        if (next > h) {
            h = next - 1;
            continue;
        }
        const int32_t v = m->held_voxel[h];
        const int32_t *decides = &m->held_region[6 * (size_t)h];
        double *before = &sim->held_velocity[0][6 * (size_t)h];
        for (int a = 0; a < 3; a++) {
            before[a] = (double)s->velocity[a][v];
            before[a + 3] = (double)s->spin[a][v];
        }
        for (int a = 0; a < 3; a++) {
            if (decides[a] >= 0) {
                const model_region *r = &m->regions[decides[a]];
                double target = m->start[a][v] + sim->regions[decides[a]].placed[a];
                const vec3 rotation = vec3_from(r->def.rotation);
                if (vec3_dot(rotation, rotation) > 0.0 && !r->def.in_place) {
                    const double part = sim->regions[decides[a]].turned;
                    const vec3 arm = vec3_make(m->start[0][v] - r->pivot[0], m->start[1][v] - r->pivot[1],
                                               m->start[2][v] - r->pivot[2]);
                    const vec3 turned = quat_rotate(quat_from_rotation(vec3_scale(part, rotation)), arm);
                    const double moved[3] = {turned.x - arm.x, turned.y - arm.y, turned.z - arm.z};
                    target += moved[a];
                }
                s->velocity[a][v] = (real)((target - sim->position[a][v]) / context->step);
            }
            if (decides[a + 3] >= 0) {
                const model_region *r = &m->regions[decides[a + 3]];
                const double advance =
                    sim->regions[decides[a + 3]].turned - sim->regions[decides[a + 3]].turned_before;
                s->spin[a][v] = (real)(r->def.rotation[a] * advance / context->step);
            }
        }
    }
}

/* What a link would be long without load, m. */
static inline real rest_length(const vxe_sim *sim, int32_t v, int32_t far)
{
    return link_rest_length((real)sim->model->view.pitch, (real)sim->growth[0][v], (real)sim->growth[0][far]);
}

/* Volume strains of `solid`: half the sum of the elastic strains of a voxel's faces. */
static void plain_strains(vxe_sim *sim, const step_context *context)
{
    (void)context;
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    const real l = (real)m->view.pitch;
    const real inverse = real_of(1) / l;
    double *sum = sim->volume[0];
    memset(sum, 0, (size_t)n * sizeof *sum);
    for (int32_t v = 0; v < n; v++) {
        real near = real_of(0);
        for (int a = 2; a >= 0; a--) {
            const uint32_t kind = sim->link_kind[a][v];
            if (kind == 0) continue;
            const link_class *c = &m->classes[kind - 1];
            const int32_t far = m->next[a][v];
            const rvec d = distance3(sim->position, v, far);
            real stretch = real_sqrt(rvec_dot(d, d)) - rest_length(sim, v, far);
            if (m->nonlinear) stretch = link_elastic_stretch(stretch, l, (real)sim->plastic[a][v]);
            const real strain = link_strain(stretch, inverse);
            sum[far] += (double)((real)c->far_weight * strain);
            near = near + (real)c->near_weight * strain;
        }
        sum[v] += (double)near;
    }
}

static void plain_clear(vxe_sim *sim, const step_context *context)
{
    (void)context;
    const native_state *s = sim->native;
    const size_t n = (size_t)sim->model->view.voxel_count;
    for (int i = 0; i < 3; i++) {
        memset(s->force[i], 0, n * sizeof(real));
        memset(s->moment[i], 0, n * sizeof(real));
        memset(sim->contact_force[i], 0, n * sizeof(double));
        if (!sim->def.audit) continue;
        memset(s->lost_force[i], 0, n * sizeof(real));
        memset(s->lost_moment[i], 0, n * sizeof(real));
    }
    if (sim->def.audit) memset(sim->conjugate[0], 0, n * sizeof(double));
    memset(s->link_sum[0], 0, n * sizeof(real));
}

/* What a voxel's links towards larger coordinates do to it. */
typedef struct near_sums {
    rvec force, moment, lost_force, lost_moment;
    real rate, conjugate, elastic;
} near_sums;

/* The link from v along axis a: adds to its far end at once, to its near end in `near`. */
static inline void plain_link(vxe_sim *sim, const step_context *context, int a, int32_t v, near_sums *near,
                              step_measures *sums)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    const uint32_t kind = sim->link_kind[a][v];
    const link_class *c = &m->classes[kind - 1];
    const link_table *t = &sim->links[kind - 1];
    const double l = m->view.pitch;
    const int32_t far = m->next[a][v];
    const link_stiffness stiffness = stiffness_of(t);
    link_chord chord = link_chord_of(distance3(sim->position, v, far));
    if (m->environment.links_unbalanced) chord.lever = real_of(1) / (real)l;
    const rquat q1 = load4(s->orientation, v);
    const rquat q2 = load4(s->orientation, far);
    const real ka = (real)c->ka;
    const real stretch = chord.length - rest_length(sim, v, far);
    const real elastic =
        m->nonlinear ? link_elastic_stretch(stretch, (real)l, (real)sim->plastic[a][v]) : stretch;
    real tension = link_axial_force(ka, elastic);
    if (m->environment.elasticity == VXE_ELASTICITY_SOLID) {
        tension = tension + link_pressure_force((real)(l * l * c->near_weight), (real)sim->pressure[0][v],
                                                (real)(l * l * c->far_weight), (real)sim->pressure[0][far]);
    }
    const link_parts springs =
        link_elastic_parts(chord, q1, q2, rquat_half_axis(q1, a), rquat_half_axis(q2, a), stiffness, tension);
    link_parts damping = {0};
    if (!context->implicit) {
        damping = link_damping_parts(chord, rvec_sub(load3(s->velocity, far), load3(s->velocity, v)),
                                     load3(s->spin, v), load3(s->spin, far), damping_of(t));
    }
    const link_load load =
        link_load_of(chord, context->implicit ? springs : link_parts_add(springs, damping));
    const real rate = link_rate(chord, tension, (real)t->rate, (real)t->rate_across);
    add3(s->force, far, load.force);
    add3(s->moment, far, load.far_moment);
    s->link_sum[0][far] += rate;
    near->force = rvec_sub(near->force, load.force);
    near->moment = rvec_add(near->moment, load.near_moment);
    near->rate = near->rate + rate;
    if ((double)chord.length < sums->length_min) sums->length_min = (double)chord.length;
    const double size = (double)(stretch < real_of(0) ? -stretch : stretch);
    if (size > sums->strain_max) sums->strain_max = size;
    if (c->failure > 0.0 && tension > (real)(c->failure * l * l)) {
        sim->broken[a][v] = 2;
        sums->failed = 1;
    }
    if (!sim->def.audit) return;
    if (context->measure) {
        near->elastic =
            near->elastic + (link_stretch_energy(ka, elastic) + link_energy(chord, q1, q2, a, stiffness));
    }
    if (!context->implicit) {
        link_load lost = link_load_of(chord, damping);
        if (m->environment.links_unbalanced) lost.force = rvec_add(lost.force, link_excess(chord, springs));
        add3(s->lost_force, far, lost.force);
        add3(s->lost_moment, far, lost.far_moment);
        near->lost_force = rvec_sub(near->lost_force, lost.force);
        near->lost_moment = rvec_add(near->lost_moment, lost.near_moment);
    }
    if (m->actuated_count == 0) return;
    const real conjugate = link_growth_force((real)(0.5 * l), tension);
    sim->conjugate[0][far] += (double)conjugate;
    near->conjugate = near->conjugate + conjugate;
}

static void plain_links(vxe_sim *sim, const step_context *context)
{
    vxe_parts_clear_rates(sim);
    const native_state *s = sim->native;
    const int32_t n = sim->model->view.voxel_count;
    for (int32_t v = 0; v < n; v++) {
        step_measures *sums = &sim->measures[v / CHUNK];
        near_sums near;
        memset(&near, 0, sizeof near);
        for (int a = 2; a >= 0; a--) {
            if (sim->link_kind[a][v] != 0) plain_link(sim, context, a, v, &near, sums);
        }
        add3(s->force, v, near.force);
        add3(s->moment, v, near.moment);
        s->link_sum[0][v] += near.rate;
        if (!sim->def.audit) continue;
        add3(s->lost_force, v, near.lost_force);
        add3(s->lost_moment, v, near.lost_moment);
        sim->conjugate[0][v] += (double)near.conjugate;
        sim->cpu->terms[SUM_elastic][v] = (double)near.elastic;
    }
}

/* The work of a load is its force times the way from the middle of the step before to that of this one; both
 * halves are added where they are known. */
typedef struct load_sums {
    const native_state *s;
    bool apply;
    tree_sum power; /* W; of one load after another */
} load_sums;

static void add_load(void *user, int32_t v, const double force[3], const double torque[3])
{
    load_sums *sums = user;
    const native_state *s = sums->s;
    double power = 0.0;
    for (int a = 0; a < 3; a++)
        power += force[a] * (double)s->velocity[a][v] + torque[a] * (double)s->spin[a][v];
    sum_add(&sums->power, power);
    for (int a = 0; a < 3 && sums->apply; a++) {
        s->force[a][v] += (real)force[a];
        s->moment[a][v] += (real)torque[a];
    }
}

/* What fluid, fields and cilia do to all voxels: as add_load(), most of them in vectors where these loops are
 * in double.
 */
static void add_outside(vxe_sim *sim, load_sums *sums)
{
    const int32_t n = sim->model->view.voxel_count;
    int32_t v = 0;
    if (sizeof(real) == sizeof(double) && sums->power.count % SUM_LEAVES == 0)
        v = sim->host.contacts->push(sim, &sums->power, sums->apply);
    for (; v < n; v++) {
        const double force[3] = {sim->outside[0][v], sim->outside[1][v], sim->outside[2][v]};
        double torque[3] = {0.0, 0.0, 0.0};
        for (int a = 0; a < 3 && sim->outside_turn[0] != NULL; a++) torque[a] = sim->outside_turn[a][v];
        add_load(sums, v, force, torque);
    }
}

/* All loads but weight, which belongs to a voxel's motion. Those of fluid, fields and cilia are the ones of
 * the step's beginning, which their stage has left. */
static double each_load(vxe_sim *sim, bool apply)
{
    load_sums sums = {sim->native, apply, {.count = 0}};
    const load_moment now = {.time = sim->time};
    vxe_loads_each(sim, &now, LOAD_REGIONS, add_load, &sums);
    if (sim->outside[0] != NULL) add_outside(sim, &sums);
    vxe_loads_each(sim, &now, LOAD_PULLS | LOAD_OTHER, add_load, &sums);
    return sum_total(&sums.power);
}

static void plain_loads(vxe_sim *sim, const step_context *context)
{
    sim->last.load_work += 0.5 * context->before * each_load(sim, true);
}

/* What the supports do: the force that makes held degrees of freedom move as they must, and its work. */
static void record_reactions(vxe_sim *sim, double kick)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    tree_sum work = {.count = 0};
    tree_sum lost_work = {.count = 0};
    for (int32_t h = 0; h < m->held_count; h++) {
        const int32_t next = vxe_supports_at_rest(sim, h, true);
        if (next > h) { /* reactions stay, and what does not move does no work */
            sum_add_zeros(&work, (uint64_t)(next - h));
            sum_add_zeros(&lost_work, (uint64_t)(next - h));
            h = next - 1;
            continue;
        }
        const int32_t v = m->held_voxel[h];
        double own = 0.0;
        double own_lost = 0.0;
        if (vxe_is_rigid(m, v)) continue; /* rigid.c has done it */
        const material_constants *c = &m->materials[sim->material[v]];
        const double *before = &sim->held_velocity[0][6 * (size_t)h];
        double *reaction = &sim->reaction[0][6 * (size_t)h];
        for (int d = 0; d < 6; d++) {
            const int a = d % 3;
            if ((m->held_dofs[h] >> d & 1) == 0) {
                reaction[d] = 0.0;
                continue;
            }
            const double inertia = d < 3 ? c->mass : c->inertia;
            const double after = d < 3 ? (double)s->velocity[a][v] : (double)s->spin[a][v];
            const double load = d < 3 ? (double)s->force[a][v] : (double)s->moment[a][v];
            const double mean = 0.5 * (after + before[d]);
            reaction[d] = inertia * (after - before[d]) / kick - load;
            own += kick * reaction[d] * mean;
            if (!sim->def.audit) continue;
            const double lost = (double)(d < 3 ? s->lost_force[a][v] : s->lost_moment[a][v]);
            own_lost += kick * mean * lost;
        }
        sum_add(&work, own);
        sum_add(&lost_work, own_lost);
    }
    sim->last.motion_work += sum_total(&work);
    sim->last.lost_work += sum_total(&lost_work);
}

#include "backend/cpu/plain_motion.h"

/* New velocities of a step that is split. */
static void plain_kick(vxe_sim *sim, const step_context *context)
{
    kick_range(sim, context, 0, sim->model->view.voxel_count);
}

typedef struct plain_damping {
    vxe_sim *sim;
    const step_context *context;
} plain_damping;

static void damp_links(void *own, int part, damping_pass pass, int32_t begin, int32_t end)
{
    (void)part;
    vxe_sim *sim = ((const plain_damping *)own)->sim;
    const step_context *context = ((const plain_damping *)own)->context;
    const vxe_model *m = sim->model;
    for (int32_t v = begin; v < end; v++) {
        const int32_t place = pass.axis == 0 ? v : m->cell[pass.axis][v];
        if ((place & 1) == pass.parity && sim->link_kind[pass.axis][v] != 0)
            brake_link(sim, context, pass.axis, v, pass.full);
    }
}

static void plain_damp(vxe_sim *sim, const step_context *context)
{
    plain_damping own = {sim, context};
    const damping_work work = {.own = &own, .damp = damp_links};
    vxe_parts_damp(sim, &work);
}

static void plain_move(vxe_sim *sim, const step_context *context)
{
    const int32_t n = sim->model->view.voxel_count;
    double *rates = sim->cpu->parts[0].rates;
    for (int32_t v = 0; v < n; v += CHUNK) {
        const int32_t end = v + CHUNK < n ? v + CHUNK : n;
        step_measures *sums = &sim->measures[v / CHUNK];
        if (context->split) {
            move_range(sim, context, v, end, rates, sums);
        } else {
            integrate_range(sim, context, v, end, rates, sums);
        }
    }
    if (sim->def.audit) vxe_parts_run(sim, context, vxe_parts_sum);
    vxe_parts_keep_rates(sim, context);
}

/* Reactions and the second half of the loads' work. */
static void plain_close(vxe_sim *sim, const step_context *context)
{
    record_reactions(sim, context->kick);
    const double ahead = 0.5 * context->step * each_load(sim, false);
    sim->last.load_work += ahead;
    sim->last.load_ahead += ahead;
}

/* Voxels with contacts, to where these are solved (sim/contact.c) and back. */
static void plain_gather(vxe_sim *sim, contact_body *bodies, int32_t count, bool again)
{
    const native_state s = *(const native_state *)sim->native;
    const ptrdiff_t first = bodies - sim->collider->bodies;
    body_rows *rows = sim->collider->body_rows + first;
    uint8_t *floor_due = sim->collider->floor_due + first;
    for (int32_t i = 0; i < count; i++) {
        contact_body *b = &bodies[i];
        const int32_t v = rows[i].voxel;
        floor_due[i] = 0;
        if (rows[i].level < 0) continue;
        if (!again) {
            rows[i].floor_near = vxe_is_near_floor(sim, v, &b->depth);
            for (int a = 0; a < 3; a++) {
                b->before[a] = (double)s.velocity_before[a][v];
                b->before[a + 3] = (double)s.spin_before[a][v];
            }
        }
        for (int a = 0; a < 3; a++) {
            b->now[a] = (double)s.velocity[a][v] + 0.0; /* no part of the floor's, as below */
            b->now[a + 3] = (double)s.spin[a][v];
        }
        for (int d = 0; rows[i].special != 0 && d < 6; d++) b->impulse[d] = 0.0;
        if (rows[i].floor_near == 0) continue;
        for (int a = 0; a < 3; a++) { /* the floor's part was a guess: it is known by itself from here on */
            const double guess = sim->guess[a][v];
            const real free = s.velocity[a][v] - (real)guess;
            b->floor[a] = guess;
            b->now[a] = (double)free + guess;
        }
        floor_due[i] = 1;
    }
}

static void plain_scatter(vxe_sim *sim, const step_context *context, const contact_body *bodies,
                          int32_t count)
{
    const native_state s = *(const native_state *)sim->native;
    const body_rows *rows = sim->collider->body_rows + (bodies - sim->collider->bodies);
    for (int32_t i = 0; i < count; i++) {
        const contact_body *b = &bodies[i];
        const int32_t v = rows[i].voxel;
        if (rows[i].level < 0) continue;
        for (int a = 0; a < 3; a++) {
            s.velocity[a][v] = (real)b->now[a];
            s.spin[a][v] = (real)b->now[a + 3];
        }
        for (int a = 0; rows[i].floor_near != 0 && a < 3; a++) sim->guess[a][v] = b->floor[a];
        for (int a = 0; rows[i].special != 0 && b->fixed != 0 && a < 3; a++) {
            sim->held_load[a][v] += b->impulse[a] / context->kick;
            sim->held_load[a + 3][v] += b->impulse[a + 3] / context->kick;
        }
    }
}

#ifdef VXE_REAL_IS_FLOAT
static void plain_velocities(const vxe_sim *sim, float *now[3], float *before[3])
{
    const native_state *s = sim->native;
    memcpy(now, s->velocity, sizeof s->velocity);
    memcpy(before, s->velocity_before, sizeof s->velocity_before);
}
#endif

static void plain_nothing(vxe_sim *sim) { (void)sim; }

const sim_backend PLAIN_BACKEND = {
    .name = PLAIN_NAME,
    .stage = {[STAGE_strains] = plain_strains,
              [STAGE_clear] = plain_clear,
              [STAGE_loads] = plain_loads,
              [STAGE_hold] = plain_hold,
              [STAGE_links] = plain_links,
              [STAGE_kick] = plain_kick,
              [STAGE_damp] = plain_damp,
              [STAGE_move] = plain_move,
              [STAGE_close] = plain_close},
    .keeps = NATIVE_SET,
    .upload = plain_upload,
    .download = plain_download,
    .threads = plain_threads,
    .create = plain_create,
    .destroy = plain_destroy,
    .tables_changed = plain_nothing,
    .links_changed = plain_nothing,
    .share = share_pressure,
    .divide = vxe_parts_divide,
    .gather = plain_gather,
    .scatter = plain_scatter,
#ifdef VXE_REAL_IS_FLOAT
    .velocities = plain_velocities,
#endif
    .contacts = &vxe_contact_loops_plain,
};
