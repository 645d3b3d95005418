/* What fluid and still water do to all voxels (sim/loads.h), several at once as the loops over contacts have
 * lanes. Part of contact_loops.h. The same text as for one voxel, so the same bits: a face that is not there
 * adds zero. */
#include "kernel/water.h"

/* Some numbers, of which `count` are there. */
static inline real load_some(const double *a, int count)
{
    if (count == LANES) return load(a);
    double some_of[LANES] = {0.0};
    memcpy(some_of, a, (size_t)count * sizeof *a);
    return load(some_of);
}
static inline void store_some(double *a, int count, real r)
{
    double some_of[LANES];
    store(some_of, r);
    memcpy(a, some_of, (size_t)count * sizeof *a);
}
static inline void add_some(double *a, int count, real r) { store_some(a, count, load_some(a, count) + r); }
static inline rvec load_three(double *const a[3], int32_t v, int count)
{
    return (rvec){load_some(a[0] + v, count), load_some(a[1] + v, count), load_some(a[2] + v, count)};
}
static inline void add_three(double *const a[3], int32_t v, int count, rvec r)
{
    add_some(a[0] + v, count, r.x);
    add_some(a[1] + v, count, r.y);
    add_some(a[2] + v, count, r.z);
}

/* What lanes need to know of voxels from v on, `count` of them. */
typedef struct outside_lanes {
    int32_t v;
    int count;
    unsigned there;    /* lanes with a voxel */
    unsigned inner[6]; /* lanes whose face has a link */
    double mass[LANES];
    real side;
} outside_lanes;

static inline outside_lanes lanes_from(const vxe_sim *sim, int32_t v, int count)
{
    const vxe_model *m = sim->model;
    outside_lanes lanes = {.v = v, .count = count};
    uint64_t faces = 0; /* a byte each */
    for (int i = 0; i < LANES; i++) {
        const int32_t one = i < count ? v + i : v;
        faces |= (uint64_t)sim->outside_faces[0][one] << (8 * i);
        lanes.mass[i] = m->materials[m->material[one]].mass;
        lanes.there |= (i < count && sim->material[one] != 0 ? 1U : 0U) << i;
    }
    /* a bit of each of 8 bytes, brought together in the highest one */
    for (int f = 0; f < 6; f++)
        lanes.inner[f] =
            (unsigned)((faces >> f & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56);
    lanes.side = real_of(m->view.pitch) * (real_of(1) + load_some(sim->growth[0] + v, count));
    return lanes;
}

static inline rquat turn_from(const vxe_sim *sim, int32_t v, int count)
{
    return (rquat){load_some(sim->orientation[0] + v, count), load_some(sim->orientation[1] + v, count),
                   load_some(sim->orientation[2] + v, count), load_some(sim->orientation[3] + v, count)};
}

static inline void drag_on(vxe_sim *sim, double dt, int32_t v, int count)
{
    const outside_lanes lanes = lanes_from(sim, v, count);
    const real zero = real_of(0);
    const real drag = real_of(sim->environment.drag) * lanes.side * lanes.side;
    const rquat turn = turn_from(sim, v, count);
    const rvec velocity = load_three(sim->velocity, v, count);
    rvec sum = load_three(sim->outside, v, count);
    for (int a = 0; a < 3; a++) {
        const unsigned back = lanes.there & ~lanes.inner[2 * a];
        const unsigned front = lanes.there & ~lanes.inner[2 * a + 1];
        if ((back | front) == 0) continue;
        const rvec axis = rquat_axis(turn, a);
        const real along = rvec_dot(velocity, axis);
        const unsigned ahead = lanes_of((real_mask)(along > zero)); /* of two faces one moves outwards */
        const real sign = real_select(mask_of(ahead), real_of(1), real_of(-1));
        const real size = sign * fluid_drag(drag, sign * along, real_of(dt), load(lanes.mass));
        const real_mask counts = mask_of((ahead & front) | (~ahead & back));
        const rvec force = {-size * axis.x, -size * axis.y, -size * axis.z};
        sum = rvec_add(sum, select_vec(counts, force, (rvec){zero, zero, zero}));
    }
    store_some(sim->outside[0] + v, count, sum.x);
    store_some(sim->outside[1] + v, count, sum.y);
    store_some(sim->outside[2] + v, count, sum.z);
}

static void drag_on_all(vxe_sim *sim, double dt)
{
    const int32_t n = sim->model->view.voxel_count;
    int32_t v = 0;
    for (; v + LANES <= n; v += LANES) drag_on(sim, dt, v, LANES);
    if (v < n) drag_on(sim, dt, v, n - v);
}

static inline void water_on(vxe_sim *sim, double dt, int32_t v, int count)
{
    const vxe_water_def *water = &sim->model->water;
    const outside_lanes lanes = lanes_from(sim, v, count);
    const bool drags = water->normal > 0.0 || water->tangential > 0.0;
    const real zero = real_of(0);
    const real one = real_of(1);
    const rvec none = {zero, zero, zero};
    const real side = lanes.side;
    const rvec at = load_three(sim->position, v, count);
    const real level = real_of(water->level);
    const real displaced = real_of(water->density) * (water->has_level ? water_wet(level, at.z, side) : one) *
                           side * side * side;
    const double *g = sim->environment.gravity;
    const rvec lift = {-displaced * real_of(g[0]), -displaced * real_of(g[1]), -displaced * real_of(g[2])};
    add_three(sim->outside, v, count, select_vec(mask_of(lanes.there), lift, none));
    if (!drags) return;
    const rvec velocity = load_three(sim->velocity, v, count);
    const rvec spin = load_three(sim->spin, v, count);
    const rquat turn = turn_from(sim, v, count);
    const real pressure = real_of(0.5) * real_of(water->density) * side * side;
    water_drag sum = water_none();
    bool any = false;
    for (int f = 0; f < 6; f++) {
        const unsigned free = lanes.there & ~lanes.inner[f];
        if (free == 0) continue;
        any = true;
        const rvec n = rvec_scale(real_of(f % 2 == 0 ? -1.0 : 1.0), rquat_axis(turn, f / 2));
        const rvec arm = rvec_scale(real_of(0.5) * side, n);
        const real wet = water->has_level ? water_wet(level, at.z + arm.z, side) : one;
        const rvec u = rvec_add(velocity, rvec_cross(spin, arm));
        const water_face face = {wet * pressure * real_of(water->normal),
                                 wet * pressure * real_of(water->tangential)};
        const water_drag d = water_drag_of(n, arm, u, face);
        const real_mask counts = mask_of(free);
        sum = water_sum(sum,
                        (water_drag){select_vec(counts, d.force, none), select_vec(counts, d.torque, none),
                                     real_select(counts, d.rate, zero), real_select(counts, d.twist, zero)});
    }
    if (!any) return;
    const real share = water_share(sum, real_of(dt), load(lanes.mass));
    add_three(sim->outside, v, count, rvec_scale(share, sum.force));
    add_three(sim->outside_turn, v, count, rvec_scale(share, sum.torque));
}

static void water_on_all(vxe_sim *sim, double dt)
{
    const int32_t n = sim->model->view.voxel_count;
    int32_t v = 0;
    for (; v + LANES <= n; v += LANES) water_on(sim, dt, v, LANES);
    if (v < n) water_on(sim, dt, v, n - v);
}

static inline void push_leaves(vxe_sim *sim, tree_sum *sum, int32_t v, const bool apply, const bool turns)
{
    double power[SUM_LEAVES];
    for (int i = 0; i < SUM_LEAVES; i += LANES) {
        real own = real_of(0);
        for (int a = 0; a < 3; a++) {
            const real force = load(sim->outside[a] + v + i);
            const real torque = turns ? load(sim->outside_turn[a] + v + i) : real_of(0);
            const real along = force * load(sim->velocity[a] + v + i);
            own = own + (turns ? along + torque * load(sim->spin[a] + v + i) : along);
            if (apply) store(sim->force[a] + v + i, load(sim->force[a] + v + i) + force);
            if (apply && turns) store(sim->moment[a] + v + i, load(sim->moment[a] + v + i) + torque);
        }
        store(power + i, own);
    }
    sum_add_leaves(sum, sum_leaves(power));
}

static int32_t push_all(vxe_sim *sim, tree_sum *power, bool apply)
{
    const int32_t n = sim->model->view.voxel_count;
    const bool turns = sim->outside_turn[0] != NULL;
    int32_t v = 0;
    for (; v + SUM_LEAVES <= n; v += SUM_LEAVES) {
        if (apply && turns) {
            push_leaves(sim, power, v, true, true);
        } else if (apply) {
            push_leaves(sim, power, v, true, false);
        } else if (turns) {
            push_leaves(sim, power, v, false, true);
        } else {
            push_leaves(sim, power, v, false, false);
        }
    }
    return v;
}
