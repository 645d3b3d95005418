/* The wide backend: VXE_LANES consecutive voxels at a time, included by one file per instruction set, which
 * defines VXE_LANES, WIDE_BACKEND and WIDE_NAME.
 *
 * Every lane does what the plain backend does for its voxel, in the same order, with IEEE operations only:
 * the results have the same bits. A block adds to the far ends of its links first and then to its own voxels,
 * so that a voxel always sums its link towards -a before that towards +a, wherever blocks begin. Voxels on
 * the floor, held ones, the ends of the array, and every voxel when the energy account is kept, are
 * integrated by the plain code. */
#define VXE_REAL double
#include "backend/cpu/wide.h"
#include "kernel/link.h"
#include "kernel/voxel.h"
#include "sim/pressure.h"

#include <string.h>

static inline real load_lanes(const double *a)
{
    real r;
    memcpy(&r, a, sizeof r);
    return r;
}

static inline void store_lanes(double *a, real r) { memcpy(a, &r, sizeof r); }

static inline real gather_lanes(const double *a, const int32_t *index)
{
    real r;
    for (int i = 0; i < VXE_LANES; i++) r[i] = a[index[i]];
    return r;
}

static inline rvec load_vec(double *const a[3], int32_t at)
{
    return (rvec){load_lanes(a[0] + at), load_lanes(a[1] + at), load_lanes(a[2] + at)};
}
static inline rquat load_quat(double *const a[4], int32_t at)
{
    return (rquat){load_lanes(a[0] + at), load_lanes(a[1] + at), load_lanes(a[2] + at),
                   load_lanes(a[3] + at)};
}

static inline rvec gather_vec(double *const a[3], const int32_t *index)
{
    return (rvec){gather_lanes(a[0], index), gather_lanes(a[1], index), gather_lanes(a[2], index)};
}

static inline rquat gather_quat(double *const a[4], const int32_t *index)
{
    return (rquat){gather_lanes(a[0], index), gather_lanes(a[1], index), gather_lanes(a[2], index),
                   gather_lanes(a[3], index)};
}

/* a[far + lane] += r, for the lanes that have a link. */
static inline void add_far(double *a, const wide_block *b, const int32_t *index, real r)
{
    if (b->far != WIDE_GATHER) {
        store_lanes(a + b->far, load_lanes(a + b->far) + r);
        return;
    }
    for (int i = 0; i < VXE_LANES; i++) {
        if ((b->lanes >> i & 1U) != 0) a[index[i]] += r[i];
    }
}

static inline void add_far_vec(double *const a[3], const wide_block *b, const int32_t *index, rvec r)
{
    add_far(a[0], b, index, r.x);
    add_far(a[1], b, index, r.y);
    add_far(a[2], b, index, r.z);
}

static inline void add_near(double *a, int32_t at, real r) { store_lanes(a + at, load_lanes(a + at) + r); }
static inline void subtract_near(double *a, int32_t at, real r)
{
    store_lanes(a + at, load_lanes(a + at) - r);
}

static inline void add_near_vec(double *const a[3], int32_t at, rvec r)
{
    add_near(a[0], at, r.x);
    add_near(a[1], at, r.y);
    add_near(a[2], at, r.z);
}

static inline void subtract_near_vec(double *const a[3], int32_t at, rvec r)
{
    subtract_near(a[0], at, r.x);
    subtract_near(a[1], at, r.y);
    subtract_near(a[2], at, r.z);
}

static inline rvec keep_vec(rvec a, real_mask mask)
{
    return (rvec){real_keep(a.x, mask), real_keep(a.y, mask), real_keep(a.z, mask)};
}

/* All bits set in the lanes named. */
static inline real_mask mask_of(uint32_t lanes)
{
    real_mask bit;
    for (int i = 0; i < VXE_LANES; i++) bit[i] = (int64_t)1 << i;
    return (bit & (int64_t)lanes) != 0;
}

static inline const double *constants_at(const wide_plan *plan, const wide_block *b)
{
    return plan->constants + (size_t)b->constants * (WIDE_CONSTANTS * VXE_LANES);
}

static inline real constant_of(const double *constants, int which)
{
    return load_lanes(constants + which * VXE_LANES);
}

/* Far ends one by one; lanes without a link point to their own neighbour in the array, which is somewhere
 * else. */
static inline void far_indices(const vxe_sim *sim, const wide_block *b, int a, int32_t begin, int32_t *index)
{
    for (int i = 0; i < VXE_LANES; i++) {
        index[i] = (b->lanes >> i & 1U) != 0 ? sim->model->next[a][begin + i] : begin + i;
    }
}

/* ---- strains and pressure ------------------------------------------------------------------------------------------- */

static void wide_strains(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    if (m->environment.elasticity != VXE_ELASTICITY_SOLID) return;
    const wide_plan *plan = sim->plan;
    const double l = m->view.pitch;
    double *sum = sim->volume;
    const double *growth = sim->growth[0];
    memset(sum, 0, (size_t)m->view.voxel_count * sizeof *sum);
    for (int a = 0; a < 3; a++) {
        for (int32_t i = 0; i < plan->block_count; i++) {
            const wide_block *b = &plan->links[a][i];
            if (b->far == WIDE_NONE) continue;
            const int32_t begin = i * VXE_LANES;
            int32_t index[VXE_LANES] = {0};
            rvec far;
            real far_growth;
            if (b->far != WIDE_GATHER) {
                far = load_vec(sim->position, b->far);
                far_growth = load_lanes(growth + b->far);
            } else {
                far_indices(sim, b, a, begin, index);
                far = gather_vec(sim->position, index);
                far_growth = gather_lanes(growth, index);
            }
            const rvec d = rvec_sub(far, load_vec(sim->position, begin));
            const real rest = l * (1.0 + 0.5 * (load_lanes(growth + begin) + far_growth));
            const real strain = real_keep((real_sqrt(rvec_dot(d, d)) - rest) / l, mask_of(b->lanes));
            const double *c = constants_at(plan, b);
            const real near_weight = constant_of(c, WIDE_NEAR_WEIGHT);
            const real far_weight = constant_of(c, WIDE_FAR_WEIGHT);
            add_far(sum, b, index, far_weight * strain);
            add_near(sum, begin, near_weight * strain);
        }
    }
    vxe_pressure_update(sim);
}

/* ---- links ---------------------------------------------------------------------------------------------------------- */

static inline void links_of_axis(vxe_sim *sim, int a, bool audit, real *length_min, real *strain_max,
                                 double *elastic)
{
    const vxe_model *m = sim->model;
    const wide_plan *plan = sim->plan;
    const double l = m->view.pitch;
    const bool solid = m->environment.elasticity == VXE_ELASTICITY_SOLID;
    const bool actuated = m->actuated_count > 0;
    const double per_step = 2.0 / sim->time_step.dt; /* weighs damping against stiffness: see time_step.c */
    const double *growth = sim->growth[0];
    const double *pressure = sim->pressure[0];
    for (int32_t i = 0; i < plan->block_count; i++) {
        const wide_block *b = &plan->links[a][i];
        if (b->far == WIDE_NONE) continue;
        const int32_t begin = i * VXE_LANES;
        const bool together = b->far != WIDE_GATHER;
        int32_t index[VXE_LANES] = {0};
        if (!together) far_indices(sim, b, a, begin, index);
        const rvec far = together ? load_vec(sim->position, b->far) : gather_vec(sim->position, index);
        const link_chord chord = link_chord_of(rvec_sub(far, load_vec(sim->position, begin)));
        const double *c = constants_at(plan, b);
        const real ka = constant_of(c, WIDE_KA);
        const link_stiffness stiffness = {constant_of(c, WIDE_CS), constant_of(c, WIDE_C),
                                          constant_of(c, WIDE_KT)};
        const rquat q1 = load_quat(sim->orientation, begin);
        const rquat q2 =
            together ? load_quat(sim->orientation, b->far) : gather_quat(sim->orientation, index);
        real rest = real_of(l);
        if (actuated) {
            const real far_growth = together ? load_lanes(growth + b->far) : gather_lanes(growth, index);
            rest = l * (1.0 + 0.5 * (load_lanes(growth + begin) + far_growth));
        }
        const real strain = (chord.length - rest) / l;
        real tension = ka * l * strain;
        if (solid) {
            const real far_pressure =
                together ? load_lanes(pressure + b->far) : gather_lanes(pressure, index);
            tension = tension + l * l *
                                    (constant_of(c, WIDE_NEAR_WEIGHT) * load_lanes(pressure + begin) +
                                     constant_of(c, WIDE_FAR_WEIGHT) * far_pressure);
        }
        const link_load load = link_elastic(chord, q1, q2, a, stiffness, tension);
        const rvec v1 = load_vec(sim->velocity, begin);
        const rvec v2 = together ? load_vec(sim->velocity, b->far) : gather_vec(sim->velocity, index);
        const rvec w1 = load_vec(sim->spin, begin);
        const rvec w2 = together ? load_vec(sim->spin, b->far) : gather_vec(sim->spin, index);
        const link_load damping =
            link_damping(chord, rvec_sub(v2, v1), w1, w2,
                         (link_damping_rates){constant_of(c, WIDE_AXIAL), constant_of(c, WIDE_SHEAR),
                                              constant_of(c, WIDE_BENDING), constant_of(c, WIDE_TORSION)});
        const real_mask mask = mask_of(b->lanes);
        const real k = ka +
                       (constant_of(c, WIDE_KS) * l * l * chord.inverse + real_max(tension, real_of(0.0))) *
                           chord.inverse +
                       per_step * (constant_of(c, WIDE_AXIAL) +
                                   4.0 * constant_of(c, WIDE_SHEAR) * chord.inverse * chord.inverse);
        rvec force = rvec_add(load.force, damping.force);
        rvec near_moment = rvec_add(load.near_moment, damping.near_moment);
        rvec far_moment = rvec_add(load.far_moment, damping.far_moment);
        real rate = k;
        real length = chord.length;
        real size = real_max(strain, -strain);
        if (b->lanes != (1U << VXE_LANES) - 1) {
            force = keep_vec(force, mask);
            near_moment = keep_vec(near_moment, mask);
            far_moment = keep_vec(far_moment, mask);
            rate = real_keep(k, mask);
            size = real_keep(size, mask);
            length = (real)(((real_mask)length & mask) | ((real_mask)*length_min & ~mask));
        }
        add_far_vec(sim->force, b, index, force);
        subtract_near_vec(sim->force, begin, force);
        add_far_vec(sim->moment, b, index, far_moment);
        add_near_vec(sim->moment, begin, near_moment);
        add_far(sim->link_sum, b, index, rate);
        add_near(sim->link_sum, begin, rate);
        *length_min = real_min(length, *length_min);
        *strain_max = real_max(size, *strain_max);
        if (!audit) continue;
        const real energy = 0.5 * ka * (l * strain) * (l * strain) + link_energy(chord, q1, q2, a, stiffness);
        for (int j = 0; j < VXE_LANES; j++) {
            if ((b->lanes >> j & 1U) != 0) *elastic += energy[j];
        }
        const rvec lost = keep_vec(damping.force, mask);
        add_far_vec(sim->lost_force, b, index, lost);
        subtract_near_vec(sim->lost_force, begin, lost);
        add_far_vec(sim->lost_moment, b, index, keep_vec(damping.far_moment, mask));
        add_near_vec(sim->lost_moment, begin, keep_vec(damping.near_moment, mask));
        const real conjugate = real_keep(-(0.5 * l * tension), mask);
        add_far(sim->conjugate[0], b, index, conjugate);
        add_near(sim->conjugate[0], begin, conjugate);
    }
}

static void wide_links(vxe_sim *sim)
{
    real length_min = real_of(__builtin_inf());
    real strain_max = real_of(0.0);
    double elastic = 0.0;
    vxe_plain_clear_loads(sim);
    for (int a = 0; a < 3; a++) {
        /* the axis and the account as constants: each call is compiled for itself */
        if (sim->def.audit) {
            if (a == 0) links_of_axis(sim, 0, true, &length_min, &strain_max, &elastic);
            if (a == 1) links_of_axis(sim, 1, true, &length_min, &strain_max, &elastic);
            if (a == 2) links_of_axis(sim, 2, true, &length_min, &strain_max, &elastic);
        } else {
            if (a == 0) links_of_axis(sim, 0, false, &length_min, &strain_max, &elastic);
            if (a == 1) links_of_axis(sim, 1, false, &length_min, &strain_max, &elastic);
            if (a == 2) links_of_axis(sim, 2, false, &length_min, &strain_max, &elastic);
        }
    }
    sim->last.elastic += elastic;
    sim->last.length_min = length_min[0];
    sim->last.strain_max = strain_max[0];
    for (int i = 1; i < VXE_LANES; i++) {
        if (length_min[i] < sim->last.length_min) sim->last.length_min = length_min[i];
        if (strain_max[i] > sim->last.strain_max) sim->last.strain_max = strain_max[i];
    }
}

/* ---- integration ---------------------------------------------------------------------------------------------------- */

static inline bool any_lane(real_mask mask)
{
    int64_t any = 0;
    for (int i = 0; i < VXE_LANES; i++) any |= mask[i];
    return any != 0;
}

/* What the account of a block needs. */
typedef struct block_motion {
    rvec v0, w0, v1, w1, load, moment;
} block_motion;

/* The plain backend's account, lane by lane in the same order. */
static inline void audit_block(vxe_sim *sim, int32_t begin, const block_motion *b, double mass,
                               double inertia, double dt)
{
    const rvec force = rvec_sub(b->load, load_vec(sim->lost_force, begin));
    const rvec couple = rvec_sub(b->moment, load_vec(sim->lost_moment, begin));
    const real before[6] = {b->v0.x, b->v0.y, b->v0.z, b->w0.x, b->w0.y, b->w0.z};
    const real after[6] = {b->v1.x, b->v1.y, b->v1.z, b->w1.x, b->w1.y, b->w1.z};
    const real kept[6] = {force.x, force.y, force.z, couple.x, couple.y, couple.z};
    real kinetic = real_of(0.0);
    real product = real_of(0.0);
    real lost = real_of(0.0);
    for (int d = 0; d < 6; d++) {
        const double own = d < 3 ? mass : inertia;
        const real mean = 0.5 * (before[d] + after[d]);
        kinetic += 0.5 * own * mean * mean;
        product += 0.5 * own * before[d] * after[d];
        lost += dt * mean * (own * (after[d] - before[d]) / dt - kept[d]);
    }
    real lifted = real_of(0.0);
    for (int a = 0; a < 3; a++) {
        lifted += mass * sim->environment.gravity[a] *
                  (load_lanes(sim->position[a] + begin) - load_lanes(sim->model->start[a] + begin));
    }
    for (int i = 0; i < VXE_LANES; i++) {
        sim->last.kinetic += kinetic[i];
        sim->last.product += product[i];
        sim->last.mean += kinetic[i];
        sim->last.lost_work += lost[i];
        sim->last.gravity -= lifted[i];
    }
}

static void wide_integrate(vxe_sim *sim, double dt)
{
    const vxe_model *m = sim->model;
    const wide_plan *plan = sim->plan;
    const int32_t n = m->view.voxel_count;
    const bool audit = sim->def.audit;
    const double l = m->view.pitch;
    const double *gravity = sim->environment.gravity;
    const double speed2_limit = 0.25 * l * l / (dt * dt);
    const double spin2_limit = 1.0 / (dt * dt);
    const real step = real_of(dt);
    real speed2_max = real_of(0.0);
    real_mask good = ~(real_mask){0};
    for (int32_t i = 0; i < plan->block_count; i++) {
        const int32_t begin = i * VXE_LANES;
        bool alone = plan->uniform[i] == 0;
        if (!alone && sim->environment.floor) {
            const real depth =
                0.5 * l * (1.0 + load_lanes(sim->growth[0] + begin)) - load_lanes(sim->position[2] + begin);
            /* a voxel that has just left the floor counts as being on it in the account */
            const real before = audit ? depth + dt * load_lanes(sim->velocity[2] + begin) : depth;
            alone = any_lane(real_max(depth, before) > 0.0);
        }
        if (alone) {
            vxe_plain_integrate_range(sim, dt, begin, begin + VXE_LANES < n ? begin + VXE_LANES : n);
            continue;
        }
        const uint16_t material = m->material[begin];
        const voxel_table *t = &sim->voxels[material];
        const double mass = m->materials[material].mass;
        const rvec weight = {real_of(mass * gravity[0]), real_of(mass * gravity[1]),
                             real_of(mass * gravity[2])};
        const rvec load = rvec_add(load_vec(sim->force, begin), weight);
        const rvec moment = load_vec(sim->moment, begin);
        const rvec v0 = load_vec(sim->velocity, begin);
        const rvec w0 = load_vec(sim->spin, begin);
        const rvec v =
            voxel_velocity(v0, rvec_scale(real_of(t->inverse_mass), load), real_of(t->ground_rate), step);
        const rvec w = voxel_velocity(w0, rvec_scale(real_of(t->inverse_inertia), moment),
                                      real_of(t->ground_rate), step);
        if (audit) {
            audit_block(sim, begin, &(block_motion){v0, w0, v, w, load, moment}, mass,
                        m->materials[material].inertia, dt);
        }
        const real speed2 = rvec_dot(v, v);
        good &= (real_mask)(speed2 <= speed2_limit) & (real_mask)(rvec_dot(w, w) <= spin2_limit);
        speed2_max = real_max(speed2, speed2_max);
        const real rate = load_lanes(sim->link_sum + begin) * t->inverse_mass;
        double *most = &sim->rates[1][material];
        for (int j = 0; j < VXE_LANES; j++) {
            if (rate[j] > *most) *most = rate[j];
        }
        const rvec p = load_vec(sim->position, begin);
        const rquat q = voxel_turn(load_quat(sim->orientation, begin), w, step);
        store_lanes(sim->force[0] + begin, load.x);
        store_lanes(sim->force[1] + begin, load.y);
        store_lanes(sim->force[2] + begin, load.z);
        store_lanes(sim->velocity[0] + begin, v.x);
        store_lanes(sim->velocity[1] + begin, v.y);
        store_lanes(sim->velocity[2] + begin, v.z);
        store_lanes(sim->spin[0] + begin, w.x);
        store_lanes(sim->spin[1] + begin, w.y);
        store_lanes(sim->spin[2] + begin, w.z);
        store_lanes(sim->position[0] + begin, p.x + dt * v.x);
        store_lanes(sim->position[1] + begin, p.y + dt * v.y);
        store_lanes(sim->position[2] + begin, p.z + dt * v.z);
        store_lanes(sim->orientation[0] + begin, q.w);
        store_lanes(sim->orientation[1] + begin, q.x);
        store_lanes(sim->orientation[2] + begin, q.y);
        store_lanes(sim->orientation[3] + begin, q.z);
        memset(sim->stuck + begin, 0, VXE_LANES);
    }
    step_measures *last = &sim->last;
    for (int i = 0; i < VXE_LANES; i++) {
        if (good[i] == 0) last->bad = 1;
        if (speed2_max[i] > last->speed_max) last->speed_max = speed2_max[i];
        if (speed2_max[i] > last->travel_max) last->travel_max = speed2_max[i];
    }
    vxe_plain_integrate_finish(sim, dt);
}

/* ---- the backend ---------------------------------------------------------------------------------------------------- */

static vxe_result wide_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_result result = vxe_backend_plain_double.create(sim, error);
    return result != VXE_OK ? result : vxe_wide_plan_create(sim, VXE_LANES, error);
}

static void wide_destroy(vxe_sim *sim)
{
    vxe_wide_plan_destroy(sim);
    vxe_backend_plain_double.destroy(sim);
}

static void wide_transfer(vxe_sim *sim) { (void)sim; }
static void wide_hold(vxe_sim *sim, double dt) { vxe_backend_plain_double.hold(sim, dt); }
static void wide_contacts(vxe_sim *sim, double dt) { vxe_backend_plain_double.contacts(sim, dt); }
static void wide_loads(vxe_sim *sim, double dt) { vxe_backend_plain_double.loads(sim, dt); }

const sim_backend WIDE_BACKEND = {
    .name = WIDE_NAME,
    .create = wide_create,
    .destroy = wide_destroy,
    .upload = wide_transfer,
    .download = wide_transfer,
    .refresh = vxe_wide_plan_refresh,
    .hold = wide_hold,
    .strains = wide_strains,
    .links = wide_links,
    .contacts = wide_contacts,
    .loads = wide_loads,
    .integrate = wide_integrate,
};
