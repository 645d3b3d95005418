/* The wide backend: VXE_LANES consecutive voxels at a time, included by one file per instruction set and
 * precision, which defines VXE_REAL, VXE_LANES, WIDE_BACKEND, WIDE_NAME and WIDE_PLAIN.
 *
 * Every lane does what the plain backend does for its voxel, in the same order, with IEEE operations only:
 * the results have the same bits. A block takes its links towards +z, +y and +x; their far ends come later in
 * the lattice's order, so their state is still the old one, and its own links from smaller coordinates are
 * already done: after its three links a block has its whole load and is moved at once, in place. Loads of the
 * far ends along z and y are added to their arrays; those along x belong to the next lane and stay in
 * registers. */
#include "backend/cpu/native.h"
#include "backend/cpu/wide.h"
#include "kernel/link.h"
#include "kernel/voxel.h"

#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))
#define UNLIKELY(x) __builtin_expect((x) != 0, 0)
#define ALL_LANES ((uint32_t)((UINT64_C(1) << VXE_LANES) - 1))

#ifdef VXE_REAL_IS_FLOAT
#define IS_FLOAT true
#else
#define IS_FLOAT false
#endif

/* Lanes shifted up by one, the last of the block before coming in first. */
#if VXE_LANES == 2
#define SHIFT_IN(before, now) __builtin_shufflevector(before, now, 1, 2)
#elif VXE_LANES == 4
#define SHIFT_IN(before, now) __builtin_shufflevector(before, now, 3, 4, 5, 6)
#define JOIN(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3)
#elif VXE_LANES == 8
#define SHIFT_IN(before, now) __builtin_shufflevector(before, now, 7, 8, 9, 10, 11, 12, 13, 14)
#define JOIN(low, high) __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7)
#else
#define SHIFT_IN(before, now)                                                                                \
    __builtin_shufflevector(before, now, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)
#define JOIN(low, high)                                                                                      \
    __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#endif

/* ---- loads and stores ----------------------------------------------------------------------------------------------- */

ALWAYS real load_lanes(const VXE_REAL *a)
{
    real r;
    memcpy(&r, a, sizeof r);
    return r;
}
ALWAYS void store_lanes(VXE_REAL *a, real r) { memcpy(a, &r, sizeof r); }

#ifdef VXE_REAL_IS_FLOAT

/* Arrays of doubles are read and written in halves. */
typedef double half_real __attribute__((vector_size(VXE_LANES / 2 * sizeof(double))));
typedef float half_float __attribute__((vector_size(VXE_LANES / 2 * sizeof(float))));
typedef struct wide_double {
    half_real low, high;
} wide_double;

ALWAYS wide_double load_double(const double *a)
{
    wide_double r;
    memcpy(&r.low, a, sizeof r.low);
    memcpy(&r.high, a + VXE_LANES / 2, sizeof r.high);
    return r;
}
ALWAYS void store_double(double *a, wide_double r)
{
    memcpy(a, &r.low, sizeof r.low);
    memcpy(a + VXE_LANES / 2, &r.high, sizeof r.high);
}
ALWAYS real narrow(wide_double a)
{
    return JOIN(__builtin_convertvector(a.low, half_float), __builtin_convertvector(a.high, half_float));
}
ALWAYS wide_double widen(real a)
{
    half_float halves[2];
    memcpy(halves, &a, sizeof halves);
    return (wide_double){__builtin_convertvector(halves[0], half_real),
                         __builtin_convertvector(halves[1], half_real)};
}
ALWAYS wide_double add_double(wide_double a, wide_double b)
{
    return (wide_double){a.low + b.low, a.high + b.high};
}
ALWAYS wide_double subtract_double(wide_double a, wide_double b)
{
    return (wide_double){a.low - b.low, a.high - b.high};
}
ALWAYS wide_double scale_double(double s, wide_double a) { return (wide_double){s * a.low, s * a.high}; }

#else

typedef real wide_double;
ALWAYS wide_double load_double(const double *a) { return load_lanes(a); }
ALWAYS void store_double(double *a, wide_double r) { store_lanes(a, r); }
ALWAYS real narrow(wide_double a) { return a; }
ALWAYS wide_double widen(real a) { return a; }
ALWAYS wide_double add_double(wide_double a, wide_double b) { return a + b; }
ALWAYS wide_double subtract_double(wide_double a, wide_double b) { return a - b; }
ALWAYS wide_double scale_double(double s, wide_double a) { return s * a; }

#endif

/* Components of a vector or a quaternion lie `stride` apart: one pointer reaches them all, which keeps the
 * processor's few pointers free. */
ALWAYS rvec load_vec(const VXE_REAL *a, ptrdiff_t stride)
{
    return (rvec){load_lanes(a), load_lanes(a + stride), load_lanes(a + 2 * stride)};
}
ALWAYS void store_vec(VXE_REAL *a, ptrdiff_t stride, rvec r)
{
    store_lanes(a, r.x);
    store_lanes(a + stride, r.y);
    store_lanes(a + 2 * stride, r.z);
}
ALWAYS void store_double_vec(double *a, ptrdiff_t stride, rvec r)
{
    store_double(a, widen(r.x));
    store_double(a + stride, widen(r.y));
    store_double(a + 2 * stride, widen(r.z));
}
ALWAYS rquat load_quat(const VXE_REAL *a, ptrdiff_t stride)
{
    const VXE_REAL *last = a + 3 * stride;
    return (rquat){load_lanes(a), load_lanes(a + stride), load_lanes(a + 2 * stride), load_lanes(last)};
}

ALWAYS rvec keep_vec(rvec a, real_mask mask)
{
    return (rvec){real_keep(a.x, mask), real_keep(a.y, mask), real_keep(a.z, mask)};
}
ALWAYS rvec shift_vec(rvec before, rvec now)
{
    return (rvec){SHIFT_IN(before.x, now.x), SHIFT_IN(before.y, now.y), SHIFT_IN(before.z, now.z)};
}

/* All bits set in the lanes named. */
ALWAYS real_mask mask_of(uint32_t lanes)
{
    real_mask bit;
    for (int i = 0; i < VXE_LANES; i++) bit[i] = (real_bits)1 << i;
    return (bit & (real_bits)lanes) != 0;
}

ALWAYS bool any_lane(real_mask mask)
{
    real_bits any = 0;
    for (int i = 0; i < VXE_LANES; i++) any |= mask[i];
    return any != 0;
}

ALWAYS real constant_of(const VXE_REAL *constants, int which)
{
    return load_lanes(constants + which * VXE_LANES);
}

/* ---- what a part of a sweep works with ------------------------------------------------------------------------------ */

typedef struct sweep {
    vxe_sim *sim;
    const native_state *s;
    const wide_plan *plan;
    const sweep_part *part;
    bool solid, actuated, nonlinear, audit, ground;
    VXE_REAL gravity[3];
    VXE_REAL speed2_limit, spin2_limit; /* beyond which something is wrong */
} sweep;

static sweep begin_sweep(vxe_sim *sim, int part)
{
    const vxe_model *m = sim->model;
    const double *gravity = sim->environment.gravity;
    const VXE_REAL l = (VXE_REAL)m->view.pitch;
    const VXE_REAL dt = (VXE_REAL)sim->sweep_dt;
    return (sweep){.sim = sim,
                   .s = sim->native,
                   .plan = sim->plan,
                   .part = &sim->parts[part],
                   .solid = m->environment.elasticity == VXE_ELASTICITY_SOLID,
                   .actuated = m->actuated_count > 0,
                   .nonlinear = m->nonlinear,
                   .audit = sim->def.audit,
                   .ground = sim->environment.damping_ground > 0.0,
                   .gravity = {(VXE_REAL)gravity[0], (VXE_REAL)gravity[1], (VXE_REAL)gravity[2]},
                   .speed2_limit = (VXE_REAL)0.25 * l * l / (dt * dt),
                   .spin2_limit = (VXE_REAL)1 / (dt * dt)};
}

/* The far end of a lane. */
static int32_t far_of(const sweep *w, int a, int32_t begin, int lane)
{
    return w->sim->model->next[a][begin + lane];
}

/* a[far] += r where that cannot be done with one vector: far ends here and there, or beyond this part. */
static void add_far_slowly(const sweep *w, int a, int32_t i, VXE_REAL *numbers, double *doubles,
                           const real *r)
{
    const wide_block *b = &w->plan->links[a][i];
    for (int j = 0; j < VXE_LANES; j++) {
        if ((b->lanes >> j & 1U) == 0) continue;
        const int32_t far = far_of(w, a, i * VXE_LANES, j);
        if (far < w->part->begin || far >= w->part->end) continue;
        if (numbers != NULL) numbers[far] += (*r)[j];
        if (doubles != NULL) doubles[far] += (double)(*r)[j];
    }
}

/* How the far ends of a block are reached. */
typedef enum far_reach {
    FAR_WHOLE, /* one vector */
    FAR_SPLIT, /* some vectors, each for some lanes */
    FAR_SLOW   /* one by one: some belong to another part */
} far_reach;

ALWAYS far_reach reach_of(const sweep *w, const wide_block *b)
{
    const bool last = w->part->end == w->sim->model->view.voxel_count;
    if (b->far != WIDE_SPLIT) return last || b->far + VXE_LANES <= w->part->end ? FAR_WHOLE : FAR_SLOW;
    int32_t end = 0; /* of the vectors: not always that of the last, where lanes without links lie between */
    for (int k = 0; k < b->segment_count; k++) {
        const int32_t far = w->plan->segments[b->segment + k].far + VXE_LANES;
        if (far > end) end = far;
    }
    return last || end <= w->part->end ? FAR_SPLIT : FAR_SLOW;
}

static void add_far_split(const sweep *w, const wide_block *b, VXE_REAL *numbers, const real *r)
{
    for (int k = 0; k < b->segment_count; k++) {
        const wide_segment *segment = &w->plan->segments[b->segment + k];
        VXE_REAL *at = numbers + segment->far;
        store_lanes(at, load_lanes(at) + real_keep(*r, mask_of(segment->lanes)));
    }
}
static void add_far_vec_split(const sweep *w, const wide_block *b, VXE_REAL *const numbers[3], const rvec *r)
{
    for (int k = 0; k < b->segment_count; k++) {
        const wide_segment *segment = &w->plan->segments[b->segment + k];
        const real_mask mask = mask_of(segment->lanes);
        VXE_REAL *at = numbers[0] + segment->far;
        store_vec(at, w->s->stride, rvec_add(load_vec(at, w->s->stride), keep_vec(*r, mask)));
    }
}

ALWAYS void add_far(const sweep *w, int a, int32_t i, far_reach reach, VXE_REAL *numbers, real r)
{
    const wide_block *b = &w->plan->links[a][i];
    if (UNLIKELY(reach == FAR_SLOW)) {
        add_far_slowly(w, a, i, numbers, NULL, &r);
    } else if (UNLIKELY(reach == FAR_SPLIT)) {
        add_far_split(w, b, numbers, &r);
    } else {
        store_lanes(numbers + b->far, load_lanes(numbers + b->far) + r);
    }
}
ALWAYS void add_far_double(const sweep *w, int a, int32_t i, far_reach reach, double *doubles, real r)
{
    const wide_block *b = &w->plan->links[a][i];
    if (UNLIKELY(reach != FAR_WHOLE)) {
        add_far_slowly(w, a, i, NULL, doubles, &r);
    } else {
        store_double(doubles + b->far, add_double(load_double(doubles + b->far), widen(r)));
    }
}
ALWAYS void add_far_vec(const sweep *w, int a, int32_t i, far_reach reach, VXE_REAL *const numbers[3], rvec r)
{
    const wide_block *b = &w->plan->links[a][i];
    if (UNLIKELY(reach == FAR_SLOW)) {
        add_far_slowly(w, a, i, numbers[0], NULL, &r.x);
        add_far_slowly(w, a, i, numbers[1], NULL, &r.y);
        add_far_slowly(w, a, i, numbers[2], NULL, &r.z);
    } else if (UNLIKELY(reach == FAR_SPLIT)) {
        add_far_vec_split(w, b, numbers, &r);
    } else {
        VXE_REAL *at = numbers[0] + b->far;
        store_vec(at, w->s->stride, rvec_add(load_vec(at, w->s->stride), r));
    }
}

/* The far ends of a block that is split, brought together. */
typedef struct far_copy {
    VXE_REAL orientation[4][VXE_LANES];
    VXE_REAL velocity[3][VXE_LANES];
    VXE_REAL spin[3][VXE_LANES];
    double position[3][VXE_LANES];
    double growth[VXE_LANES];
    double pressure[VXE_LANES];
} far_copy;

/* Lanes of a segment, from an array to a copy. */
ALWAYS void copy_lanes(VXE_REAL *target, const VXE_REAL *source, real_mask mask)
{
    store_lanes(target, real_select(mask, load_lanes(source), load_lanes(target)));
}
ALWAYS void copy_doubles(double *target, const double *source, uint32_t lanes)
{
#ifdef VXE_REAL_IS_FLOAT
    for (int j = 0; j < VXE_LANES; j++) {
        if ((lanes >> j & 1U) != 0) target[j] = source[j];
    }
#else
    copy_lanes(target, source, mask_of(lanes));
#endif
}

static void copy_far(const sweep *w, int a, int32_t i, far_copy *c)
{
    const vxe_sim *sim = w->sim;
    const wide_block *b = &w->plan->links[a][i];
    memset(c, 0, sizeof *c);
    for (int k = 0; k < b->segment_count; k++) {
        const wide_segment *segment = &w->plan->segments[b->segment + k];
        const real_mask mask = mask_of(segment->lanes);
        const int32_t far = segment->far;
        for (int d = 0; d < 4; d++) copy_lanes(c->orientation[d], w->s->orientation[d] + far, mask);
        for (int d = 0; d < 3; d++) {
            copy_lanes(c->velocity[d], w->s->velocity[d] + far, mask);
            copy_lanes(c->spin[d], w->s->spin[d] + far, mask);
            copy_doubles(c->position[d], sim->position[d] + far, segment->lanes);
        }
        if (w->actuated) copy_doubles(c->growth, sim->growth[0] + far, segment->lanes);
        if (w->solid) copy_doubles(c->pressure, sim->pressure[0] + far, segment->lanes);
    }
}

/* Where a block finds the far ends of its links. */
typedef struct far_state {
    const VXE_REAL *orientation;
    const VXE_REAL *velocity;
    const VXE_REAL *spin;
    const double *position;
    const double *growth;
    const double *pressure;
    ptrdiff_t stride, position_stride;
} far_state;

ALWAYS far_state far_in_arrays(const sweep *w, int32_t far)
{
    const native_state *s = w->s;
    const vxe_sim *sim = w->sim;
    return (far_state){
        s->orientation[0] + far, s->velocity[0] + far,   s->spin[0] + far, sim->position[0] + far,
        sim->growth[0] + far,    sim->pressure[0] + far, s->stride,        (ptrdiff_t)sim->stride};
}

ALWAYS far_state far_in_copy(const far_copy *c)
{
    return (far_state){c->orientation[0], c->velocity[0], c->spin[0], c->position[0],
                       c->growth,         c->pressure,    VXE_LANES,  VXE_LANES};
}

ALWAYS rvec distance_to(const vxe_sim *sim, int32_t begin, const double *far, ptrdiff_t far_stride)
{
    const ptrdiff_t stride = (ptrdiff_t)sim->stride;
    const double *near = sim->position[0] + begin;
    return (rvec){narrow(subtract_double(load_double(far), load_double(near))),
                  narrow(subtract_double(load_double(far + far_stride), load_double(near + stride))),
                  narrow(subtract_double(load_double(far + 2 * far_stride), load_double(near + 2 * stride)))};
}

ALWAYS real rest_length(const sweep *w, int32_t begin, const double *far_growth)
{
    const real l = real_of(w->sim->model->view.pitch);
    if (!w->actuated) return l;
    return l * (real_of(1) + real_of(0.5) * (narrow(load_double(w->sim->growth[0] + begin)) +
                                             narrow(load_double(far_growth))));
}

/* ---- volume strains ------------------------------------------------------------------------------------------------- */

/* The links of a block along an axis. The far end's share goes to its array, or (x) into `out`; `cross`: only
 * shares of far ends in this part, all to the array. */
ALWAYS void strain_links(const sweep *w, int32_t i, const int a, const bool cross, real *near, real *out)
{
    vxe_sim *sim = w->sim;
    const wide_block *b = &w->plan->links[a][i];
    if (a == 0 && !cross) *out = real_of(0);
    if (b->lanes == 0) return;
    const int32_t begin = i * VXE_LANES;
    const VXE_REAL *c =
        (const VXE_REAL *)w->plan->link_constants + (size_t)b->constants * (WIDE_CONSTANTS * VXE_LANES);
    far_copy copy;
    far_state f;
    if (UNLIKELY(b->far == WIDE_SPLIT)) {
        copy_far(w, a, i, &copy);
        f = far_in_copy(&copy);
    } else {
        f = far_in_arrays(w, b->far);
    }
    const VXE_REAL pitch = (VXE_REAL)sim->model->view.pitch;
    const rvec d = distance_to(sim, begin, f.position, f.position_stride);
    real stretch = real_sqrt(rvec_dot(d, d)) - rest_length(w, begin, f.growth);
    if (w->nonlinear) stretch = stretch - pitch * narrow(load_double(sim->plastic[a] + begin));
    const real strain = real_keep(stretch * ((VXE_REAL)1 / pitch), mask_of(b->lanes));
    const real far_share = constant_of(c, WIDE_FAR_STRAIN) * strain;
    *near = *near + constant_of(c, WIDE_NEAR_STRAIN) * strain;
    if (cross) {
        add_far_slowly(w, a, i, NULL, sim->volume[0], &far_share);
    } else if (a == 0) {
        *out = far_share;
    } else {
        add_far_double(w, a, i, reach_of(w, b), sim->volume[0], far_share);
    }
}

static void wide_strains(vxe_sim *sim, int part)
{
    const sweep w = begin_sweep(sim, part);
    const int32_t begin = w.part->begin;
    const int32_t end = w.part->end;
    memset(sim->volume[0] + begin, 0, (size_t)(end - begin) * sizeof(double));
    real unused = real_of(0);
    for (int32_t i = w.part->cross / VXE_LANES; i < begin / VXE_LANES; i++) {
        for (int a = 2; a >= 0; a--) strain_links(&w, i, a, true, &unused, NULL);
    }
    real carry = real_of(0);
    for (int32_t i = begin / VXE_LANES; i < (end + VXE_LANES - 1) / VXE_LANES; i++) {
        real near = real_of(0);
        real out;
        strain_links(&w, i, 2, false, &near, NULL);
        strain_links(&w, i, 1, false, &near, NULL);
        strain_links(&w, i, 0, false, &near, &out);
        double *sum = sim->volume[0] + i * VXE_LANES;
        const real in = SHIFT_IN(carry, out);
        store_double(sum, add_double(add_double(load_double(sum), widen(in)), widen(near)));
        carry = out;
    }
}

/* ---- links ---------------------------------------------------------------------------------------------------------- */

/* What links do to a block of voxels. */
typedef struct block_sums {
    rvec force, moment;
    real rate;
    rvec lost_force, lost_moment; /* with the account only, like what follows */
    real conjugate;
    real elastic;
} block_sums;

/* The shortest length and the largest change of length, lane by lane. */
typedef struct block_extremes {
    real length_min, stretch_max;
} block_extremes;

ALWAYS block_sums no_sums(void)
{
    const real zero = real_of(0);
    const rvec none = {zero, zero, zero};
    return (block_sums){none, none, zero, none, none, zero, zero};
}

/* The sweep marks links that bear too much. */
static void mark_broken(const sweep *w, int a, int32_t i, const real *tension, step_measures *sums)
{
    const wide_block *b = &w->plan->links[a][i];
    const VXE_REAL *c =
        (const VXE_REAL *)w->plan->link_constants + (size_t)b->constants * (WIDE_CONSTANTS * VXE_LANES);
    for (int j = 0; j < VXE_LANES; j++) {
        if ((b->lanes >> j & 1U) == 0 || !((*tension)[j] > c[WIDE_FAILURE * VXE_LANES + j])) continue;
        w->sim->broken[a][i * VXE_LANES + j] = 2;
        sums->failed = 1;
    }
}

/* The far ends of a block's links along an axis, and their chords: square root and division take long, so all
 * three axes' are begun before any is needed. */
typedef struct block_chord {
    far_state f;
    link_chord chord;
    far_copy copy;
} block_chord;

ALWAYS void begin_axis(const sweep *w, int32_t i, const int a, block_chord *c)
{
    const wide_block *b = &w->plan->links[a][i];
    if (UNLIKELY(b->far == WIDE_SPLIT)) {
        copy_far(w, a, i, &c->copy);
        c->f = far_in_copy(&c->copy);
    } else {
        c->f = far_in_arrays(w, b->far);
    }
    c->chord = link_chord_of(distance_to(w->sim, i * VXE_LANES, c->f.position, c->f.position_stride));
}

/* The links of a block along an axis, as in strain_links(). */
ALWAYS void links_of_axis(const sweep *w, int32_t i, const int a, const block_chord *begun, const bool audit,
                          const bool cross, block_sums *near, block_sums *out, block_extremes *extremes,
                          step_measures *sums)
{
    vxe_sim *sim = w->sim;
    const native_state *s = w->s;
    const wide_block *b = &w->plan->links[a][i];
    if (b->lanes == 0) {
        if (a == 0 && !cross) *out = no_sums();
        return;
    }
    const int32_t begin = i * VXE_LANES;
    const VXE_REAL l = (VXE_REAL)sim->model->view.pitch;
    const VXE_REAL *c =
        (const VXE_REAL *)w->plan->link_constants + (size_t)b->constants * (WIDE_CONSTANTS * VXE_LANES);
    const far_state f = begun->f;
    const link_chord chord = begun->chord;
    const rquat q1 = load_quat(s->orientation[0] + begin, s->stride);
    const rquat q2 = load_quat(f.orientation, f.stride);
    const real ka = constant_of(c, WIDE_KA);
    const real stretch = chord.length - rest_length(w, begin, f.growth);
    real elastic = stretch;
    if (w->nonlinear) elastic = stretch - l * narrow(load_double(sim->plastic[a] + begin));
    real tension = ka * elastic;
    if (w->solid) {
        tension =
            tension + (constant_of(c, WIDE_NEAR_PRESSURE) * narrow(load_double(sim->pressure[0] + begin)) +
                       constant_of(c, WIDE_FAR_PRESSURE) * narrow(load_double(f.pressure)));
    }
    const link_stiffness stiffness = {constant_of(c, WIDE_HALF_SHEAR), constant_of(c, WIDE_HALF_BEND),
                                      constant_of(c, WIDE_TWICE_TWIST)};
    const link_parts held = link_elastic_parts(chord, q1, q2, a, stiffness, tension);
    const rvec v1 = load_vec(s->velocity[0] + begin, s->stride);
    const rvec v2 = load_vec(f.velocity, f.stride);
    const rvec w2 = load_vec(f.spin, f.stride);
    const link_parts damping =
        link_damping_parts(chord, rvec_sub(v2, v1), load_vec(s->spin[0] + begin, s->stride), w2,
                           (link_damping_rates){constant_of(c, WIDE_AXIAL), constant_of(c, WIDE_SHEAR),
                                                constant_of(c, WIDE_BENDING), constant_of(c, WIDE_TORSION)});
    link_load load = link_load_of(chord, link_parts_add(held, damping));
    real rate = link_rate(chord, tension, constant_of(c, WIDE_RATE), constant_of(c, WIDE_RATE_ACROSS));
    real length = chord.length;
    real size = real_size(stretch);
    if (UNLIKELY(b->can_break && !cross)) mark_broken(w, a, i, &tension, sums);
    const real_mask mask = mask_of(b->lanes);
    if (b->lanes != ALL_LANES) {
        load.force = keep_vec(load.force, mask);
        load.near_moment = keep_vec(load.near_moment, mask);
        load.far_moment = keep_vec(load.far_moment, mask);
        rate = real_keep(rate, mask);
        size = real_keep(size, mask);
        length = real_select(mask, length, extremes->length_min);
    }
    extremes->length_min = real_min(length, extremes->length_min);
    extremes->stretch_max = real_max(size, extremes->stretch_max);
    const far_reach reach = cross ? FAR_SLOW : reach_of(w, b);
    if (cross || a != 0) {
        add_far_vec(w, a, i, reach, s->force, load.force);
        add_far_vec(w, a, i, reach, s->moment, load.far_moment);
        add_far(w, a, i, reach, s->link_sum, rate);
    } else {
        out->force = load.force;
        out->moment = load.far_moment;
        out->rate = rate;
    }
    near->force = rvec_sub(near->force, load.force);
    near->moment = rvec_add(near->moment, load.near_moment);
    near->rate = near->rate + rate;
    if (!audit) return;
    near->elastic =
        near->elastic +
        real_keep(real_of(0.5) * ka * elastic * elastic + link_energy(chord, q1, q2, a, stiffness), mask);
    link_load lost = link_load_of(chord, damping);
    lost.force = keep_vec(lost.force, mask);
    lost.near_moment = keep_vec(lost.near_moment, mask);
    lost.far_moment = keep_vec(lost.far_moment, mask);
    const real conjugate = real_keep(-((VXE_REAL)(0.5 * sim->model->view.pitch) * tension), mask);
    if (cross || a != 0) {
        add_far_vec(w, a, i, reach, s->lost_force, lost.force);
        add_far_vec(w, a, i, reach, s->lost_moment, lost.far_moment);
        add_far_double(w, a, i, reach, sim->conjugate[0], conjugate);
    } else {
        out->lost_force = lost.force;
        out->lost_moment = lost.far_moment;
        out->conjugate = conjugate;
    }
    near->lost_force = rvec_sub(near->lost_force, lost.force);
    near->lost_moment = rvec_add(near->lost_moment, lost.near_moment);
    near->conjugate = near->conjugate + conjugate;
}

/* There are few links between parts: one copy of the code serves all axes, with and without the account. */
static __attribute__((noinline)) void cross_axis(const sweep *w, int32_t i, int a)
{
    block_extremes extremes = {real_of(0), real_of(0)};
    block_sums unused = no_sums();
    block_chord begun;
    begin_axis(w, i, a, &begun);
    links_of_axis(w, i, a, &begun, w->audit, true, &unused, NULL, &extremes, NULL);
}

static void wide_cross(vxe_sim *sim, int part)
{
    const sweep w = begin_sweep(sim, part);
    for (int32_t i = w.part->cross / VXE_LANES; i < w.part->begin / VXE_LANES; i++) {
        for (int a = 2; a >= 0; a--) cross_axis(&w, i, a);
    }
}

/* ---- motion --------------------------------------------------------------------------------------------------------- */

/* What the account of a block needs. */
typedef struct block_motion {
    rvec v0, w0, v1, w1, load, moment;
    real mass, inertia;
} block_motion;

#ifndef VXE_REAL_IS_FLOAT

/* The plain backend's account, lane by lane in the same order. */
ALWAYS void audit_block(vxe_sim *sim, int32_t begin, const block_motion *b, double dt, step_measures *sums)
{
    const ptrdiff_t stride = (ptrdiff_t)sim->stride;
    const rvec force = rvec_sub(b->load, load_vec(sim->lost_force[0] + begin, stride));
    const rvec couple = rvec_sub(b->moment, load_vec(sim->lost_moment[0] + begin, stride));
    const real before[6] = {b->v0.x, b->v0.y, b->v0.z, b->w0.x, b->w0.y, b->w0.z};
    const real after[6] = {b->v1.x, b->v1.y, b->v1.z, b->w1.x, b->w1.y, b->w1.z};
    const real kept[6] = {force.x, force.y, force.z, couple.x, couple.y, couple.z};
    real kinetic = real_of(0.0);
    real product = real_of(0.0);
    real lost = real_of(0.0);
    for (int d = 0; d < 6; d++) {
        const real own = d < 3 ? b->mass : b->inertia;
        const real mean = 0.5 * (before[d] + after[d]);
        kinetic += 0.5 * own * mean * mean;
        product += 0.5 * own * before[d] * after[d];
        lost += dt * mean * (own * (after[d] - before[d]) / dt - kept[d]);
    }
    real lifted = real_of(0.0);
    for (int a = 0; a < 3; a++) {
        lifted += b->mass * sim->environment.gravity[a] *
                  (load_lanes(sim->position[a] + begin) - load_lanes(sim->model->start[a] + begin));
    }
    for (int i = 0; i < VXE_LANES && begin + i < sim->model->view.voxel_count; i++) {
        sums->kinetic += kinetic[i];
        sums->product += product[i];
        sums->mean += kinetic[i];
        sums->lost_work += lost[i];
        sums->gravity -= lifted[i];
    }
}

#endif

/* Largest rate of each material; runs of blocks of one material share a vector. */
typedef struct block_rates {
    uint32_t material;
    real most;
} block_rates;

static void flush_rates(const sweep *w, block_rates *r)
{
    for (int i = 0; i < VXE_LANES; i++) {
        const double rate = (double)r->most[i];
        if (r->material != 0 && rate > w->part->rates[r->material]) w->part->rates[r->material] = rate;
    }
    r->material = 0;
    r->most = real_of(0);
}

ALWAYS void note_rates(const sweep *w, int32_t i, real rate, block_rates *r)
{
    const uint32_t *materials = w->plan->voxel_patterns.members + (size_t)w->plan->materials[i] * VXE_LANES;
    if (w->plan->kind[i] == WIDE_UNIFORM) {
        if (UNLIKELY(materials[0] != r->material)) {
            flush_rates(w, r);
            r->material = materials[0];
        }
        r->most = real_max(rate, r->most);
        return;
    }
    for (int j = 0; j < VXE_LANES; j++) {
        if ((double)rate[j] > w->part->rates[materials[j]]) w->part->rates[materials[j]] = (double)rate[j];
    }
}

/* Everything a block's motion leaves for the end of its chunk. */
typedef struct block_measures {
    real speed2_max;
    real_mask good;
    block_rates rates;
} block_measures;

/* A voxel that penetrates the floor, or (for the account) has just left it. */
ALWAYS bool is_near_floor(const sweep *w, int32_t begin, real depth, double dt)
{
    if (any_lane(depth > 0)) return true;
    return w->audit && any_lane(depth + (VXE_REAL)dt * load_lanes(w->s->velocity[2] + begin) > 0);
}

ALWAYS real floor_depth(const vxe_sim *sim, int32_t begin)
{
    const double l = sim->model->view.pitch;
#ifdef VXE_REAL_IS_FLOAT
    const wide_double growth = load_double(sim->growth[0] + begin);
    const wide_double size = {0.5 * l * (1.0 + growth.low), 0.5 * l * (1.0 + growth.high)};
#else
    const wide_double size = 0.5 * l * (1.0 + load_double(sim->growth[0] + begin));
#endif
    return narrow(subtract_double(size, load_double(sim->position[2] + begin)));
}

/* The floor under a block; returns its force. */
static rvec stand_on_floor(const sweep *w, int32_t begin, const real *depth, const VXE_REAL *c, double dt,
                           const rvec *load, rvec *velocity, step_measures *sums)
{
    vxe_sim *sim = w->sim;
    real_mask stuck;
    for (int j = 0; j < VXE_LANES; j++) stuck[j] = sim->stuck[begin + j] != 0 ? -1 : 0;
    const voxel_constants constants = {
        constant_of(c, WIDE_INVERSE_MASS),    constant_of(c, WIDE_INVERSE_INERTIA),
        constant_of(c, WIDE_GROUND_RATE),     constant_of(c, WIDE_FLOOR_STIFFNESS),
        constant_of(c, WIDE_FLOOR_DAMPING),   constant_of(c, WIDE_STATIC_FRICTION),
        constant_of(c, WIDE_DYNAMIC_FRICTION)};
    const floor_contact contact = voxel_on_floor(*velocity, *load, *depth, stuck, constants, real_of(dt));
    /* lanes beyond the last voxel have no mass */
    const real_mask touches = (*depth > 0) & (constants.inverse_mass > 0);
    velocity->x = real_select(touches, contact.velocity.x, velocity->x);
    velocity->y = real_select(touches, contact.velocity.y, velocity->y);
    velocity->z = real_select(touches, contact.velocity.z, velocity->z);
    const real_mask holds = contact.stuck & touches;
    const rvec force = keep_vec(contact.force, touches);
    for (int j = 0; j < VXE_LANES; j++) {
        sim->stuck[begin + j] = holds[j] != 0;
        sums->floor_contacts += force.z[j] > 0;
    }
    return force;
}

/* New velocities from loads, new poses from new velocities. */
ALWAYS void move_block(const sweep *w, int32_t i, double dt, const block_sums *total, const bool audit,
                       block_measures *measures, step_measures *sums)
{
    vxe_sim *sim = w->sim;
    const native_state *s = w->s;
    const vxe_model *m = sim->model;
    wide_plan *plan = sim->plan;
    const ptrdiff_t stride = s->stride;
    const int32_t begin = i * VXE_LANES;
    const bool floor = sim->environment.floor;
    real depth = real_of(0);
    bool touching = false;
    if (floor) {
        depth = floor_depth(sim, begin);
        touching = is_near_floor(w, begin, depth, dt);
    }
    const bool round = sim->environment.floor_radius > 0.0; /* a floor with an edge */
    if (UNLIKELY(plan->kind[i] == WIDE_HELD || (touching && round) || (audit && (touching || IS_FLOAT)))) {
        store_vec(s->force[0] + begin, stride, total->force);
        store_vec(s->moment[0] + begin, stride, total->moment);
        store_lanes(s->link_sum + begin, total->rate);
        if (sim->collider == NULL && plan->touched[i] != 0) {
            const rvec none = {real_of(0), real_of(0), real_of(0)};
            store_double_vec(sim->contact_force[0] + begin, (ptrdiff_t)sim->stride, none);
        }
        const int32_t n = m->view.voxel_count;
        plan->touched[i] = 1;
        WIDE_PLAIN(sim, dt, begin, begin + VXE_LANES < n ? begin + VXE_LANES : n,
                   (sweep_part *)(uintptr_t)w->part, sums);
        return;
    }
    const VXE_REAL *c = (const VXE_REAL *)plan->voxel_constants +
                        (size_t)plan->materials[i] * (WIDE_VOXEL_CONSTANTS * VXE_LANES);
    const real mass = constant_of(c, WIDE_MASS);
    const rvec weight = {mass * w->gravity[0], mass * w->gravity[1], mass * w->gravity[2]};
    const rvec load = rvec_add(total->force, weight);
    const rvec v0 = load_vec(s->velocity[0] + begin, stride);
    const rvec w0 = load_vec(s->spin[0] + begin, stride);
    const real inverse_mass = constant_of(c, WIDE_INVERSE_MASS);
    const rvec push = rvec_scale(inverse_mass, load);
    const rvec turn = rvec_scale(constant_of(c, WIDE_INVERSE_INERTIA), total->moment);
    rvec v = voxel_velocity(v0, push, real_of(1), real_of(dt));
    rvec spin = voxel_velocity(w0, turn, real_of(1), real_of(dt));
    if (w->ground) {
        const real keep = voxel_keep(constant_of(c, WIDE_GROUND_RATE), real_of(dt));
        v = voxel_velocity(v0, push, keep, real_of(dt));
        spin = voxel_velocity(w0, turn, keep, real_of(dt));
    }
    rvec force = load;
    if (UNLIKELY(touching)) {
        const rvec from_floor = stand_on_floor(w, begin, &depth, c, dt, &load, &v, sums);
        force = rvec_add(load, from_floor);
        if (sim->collider == NULL) {
            store_double_vec(sim->contact_force[0] + begin, (ptrdiff_t)sim->stride, from_floor);
        } else {
            for (int a = 0; a < 3; a++) {
                const real part = a == 0 ? from_floor.x : a == 1 ? from_floor.y : from_floor.z;
                double *at = sim->contact_force[a] + begin;
                store_double(at, add_double(load_double(at), widen(part)));
            }
        }
        plan->touched[i] = 1;
    } else {
        memset(sim->stuck + begin, 0, VXE_LANES);
        if (UNLIKELY(plan->touched[i] != 0)) {
            const rvec none = {real_of(0), real_of(0), real_of(0)};
            if (sim->collider == NULL)
                store_double_vec(sim->contact_force[0] + begin, (ptrdiff_t)sim->stride, none);
            plan->touched[i] = 0;
        }
    }
#ifndef VXE_REAL_IS_FLOAT
    if (audit) {
        audit_block(sim, begin,
                    &(block_motion){v0, w0, v, spin, load, total->moment, mass, constant_of(c, WIDE_INERTIA)},
                    dt, sums);
    }
#endif
    const real speed2 = rvec_dot(v, v);
    measures->good &=
        (real_mask)(speed2 <= w->speed2_limit) & (real_mask)(rvec_dot(spin, spin) <= w->spin2_limit);
    measures->speed2_max = real_max(speed2, measures->speed2_max);
    note_rates(w, i, total->rate * inverse_mass, &measures->rates);
    const rquat q = voxel_turn(load_quat(s->orientation[0] + begin, stride), spin, real_of(dt));
    store_vec(s->force[0] + begin, stride, force);
    store_vec(s->moment[0] + begin, stride, total->moment);
    store_vec(s->velocity[0] + begin, stride, v);
    store_vec(s->spin[0] + begin, stride, spin);
    VXE_REAL *turned = s->orientation[0] + begin;
    store_lanes(turned, q.w);
    store_lanes(turned + stride, q.x);
    store_lanes(turned + 2 * stride, q.y);
    store_lanes(turned + 3 * stride, q.z);
    double *p = sim->position[0] + begin;
    const ptrdiff_t apart = (ptrdiff_t)sim->stride;
    store_double(p, add_double(load_double(p), scale_double(dt, widen(v.x))));
    store_double(p + apart, add_double(load_double(p + apart), scale_double(dt, widen(v.y))));
    store_double(p + 2 * apart, add_double(load_double(p + 2 * apart), scale_double(dt, widen(v.z))));
}

static void close_measures(const sweep *w, block_measures *b, step_measures *sums)
{
    for (int i = 0; i < VXE_LANES; i++) {
        const double speed2 = (double)b->speed2_max[i];
        if (b->good[i] == 0) sums->bad = 1;
        if (speed2 > sums->speed_max) sums->speed_max = speed2;
        if (speed2 > sums->travel_max) sums->travel_max = speed2;
    }
    flush_rates(w, &b->rates);
}

ALWAYS block_measures no_measures(void)
{
    return (block_measures){real_of(0), ~(real_mask){0}, {0, real_of(0)}};
}

/* The whole load of a block: what was in the arrays, what comes over from the lane before, and its own links.
 */
ALWAYS block_sums total_of(const sweep *w, int32_t begin, const block_sums *carry, const block_sums *out,
                           const block_sums *near, const bool audit, step_measures *sums)
{
    const native_state *s = w->s;
    const ptrdiff_t stride = s->stride;
    block_sums t;
    t.force = rvec_add(rvec_add(load_vec(s->force[0] + begin, stride), shift_vec(carry->force, out->force)),
                       near->force);
    t.moment =
        rvec_add(rvec_add(load_vec(s->moment[0] + begin, stride), shift_vec(carry->moment, out->moment)),
                 near->moment);
    t.rate = load_lanes(s->link_sum + begin) + SHIFT_IN(carry->rate, out->rate) + near->rate;
    if (!audit) return t;
    store_vec(s->lost_force[0] + begin, stride,
              rvec_add(rvec_add(load_vec(s->lost_force[0] + begin, stride),
                                shift_vec(carry->lost_force, out->lost_force)),
                       near->lost_force));
    store_vec(s->lost_moment[0] + begin, stride,
              rvec_add(rvec_add(load_vec(s->lost_moment[0] + begin, stride),
                                shift_vec(carry->lost_moment, out->lost_moment)),
                       near->lost_moment));
    double *conjugate = w->sim->conjugate[0] + begin;
    store_double(conjugate, add_double(add_double(load_double(conjugate),
                                                  widen(SHIFT_IN(carry->conjugate, out->conjugate))),
                                       widen(near->conjugate)));
    for (int j = 0; j < VXE_LANES && begin + j < w->sim->model->view.voxel_count; j++)
        sums->elastic += (double)near->elastic[j];
    return t;
}

ALWAYS void sweep_blocks(const sweep *w, double dt, const bool audit)
{
    vxe_sim *sim = w->sim;
    const int32_t end = w->part->end;
    const ptrdiff_t stride = w->s->stride;
    block_sums carry = no_sums();
    for (int32_t chunk = w->part->begin; chunk < end; chunk += CHUNK) {
        step_measures *sums = &sim->measures[chunk / CHUNK];
        block_extremes extremes = {real_of(sums->length_min), real_of(0)};
        block_measures measures = no_measures();
        const int32_t stop = chunk + CHUNK < end ? chunk + CHUNK : end;
        for (int32_t begin = chunk; begin < stop; begin += VXE_LANES) {
            const int32_t i = begin / VXE_LANES;
            block_sums near = no_sums();
            block_sums out;
            block_chord c0, c1, c2;
            begin_axis(w, i, 2, &c2);
            begin_axis(w, i, 1, &c1);
            begin_axis(w, i, 0, &c0);
            links_of_axis(w, i, 2, &c2, audit, false, &near, NULL, &extremes, sums);
            links_of_axis(w, i, 1, &c1, audit, false, &near, NULL, &extremes, sums);
            links_of_axis(w, i, 0, &c0, audit, false, &near, &out, &extremes, sums);
            const block_sums total = total_of(w, begin, &carry, &out, &near, audit, sums);
            carry = out;
            if (UNLIKELY(begin < w->part->head)) { /* moved later: see move_head */
                store_vec(w->s->force[0] + begin, stride, total.force);
                store_vec(w->s->moment[0] + begin, stride, total.moment);
                store_lanes(w->s->link_sum + begin, total.rate);
                continue;
            }
            move_block(w, i, dt, &total, audit, &measures, sums);
        }
        for (int j = 0; j < VXE_LANES; j++) {
            const double length = (double)extremes.length_min[j];
            const double stretch = (double)extremes.stretch_max[j];
            if (length < sums->length_min) sums->length_min = length;
            if (stretch > sums->strain_max) sums->strain_max = stretch;
        }
        close_measures(w, &measures, sums);
    }
}

static void wide_sweep(vxe_sim *sim, double dt, int part)
{
    const sweep w = begin_sweep(sim, part);
    if (w.audit) {
        sweep_blocks(&w, dt, true);
    } else {
        sweep_blocks(&w, dt, false);
    }
}

static void wide_move_head(vxe_sim *sim, double dt, int part)
{
    const sweep w = begin_sweep(sim, part);
    const int32_t begin = w.part->begin;
    const ptrdiff_t stride = w.s->stride;
    for (int32_t chunk = begin; chunk < w.part->head; chunk += CHUNK) {
        step_measures *sums = &sim->measures[chunk / CHUNK];
        block_measures measures = no_measures();
        const int32_t stop = chunk + CHUNK < w.part->head ? chunk + CHUNK : w.part->head;
        for (int32_t v = chunk; v < stop; v += VXE_LANES) {
            block_sums total = no_sums();
            total.force = load_vec(w.s->force[0] + v, stride);
            total.moment = load_vec(w.s->moment[0] + v, stride);
            total.rate = load_lanes(w.s->link_sum + v);
            move_block(&w, v / VXE_LANES, dt, &total, w.audit, &measures, sums);
        }
        close_measures(&w, &measures, sums);
    }
}

/* ---- the backend ---------------------------------------------------------------------------------------------------- */

static void wide_clear(vxe_sim *sim, int part)
{
    const native_state *s = sim->native;
    const int32_t begin = sim->parts[part].begin;
    const size_t n = (size_t)(sim->parts[part].end - begin);
    for (int i = 0; i < 3; i++) {
        memset(s->force[i] + begin, 0, n * sizeof(VXE_REAL));
        memset(s->moment[i] + begin, 0, n * sizeof(VXE_REAL));
        if (sim->collider != NULL) memset(sim->contact_force[i] + begin, 0, n * sizeof(double));
        if (!sim->def.audit) continue;
        memset(s->lost_force[i] + begin, 0, n * sizeof(VXE_REAL));
        memset(s->lost_moment[i] + begin, 0, n * sizeof(VXE_REAL));
    }
    if (sim->def.audit) memset(sim->conjugate[0] + begin, 0, n * sizeof(double));
    memset(s->link_sum + begin, 0, n * sizeof(VXE_REAL));
}

static vxe_result wide_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_result result = WIDE_BASE.create(sim, error);
    return result != VXE_OK ? result : vxe_wide_plan_create(sim, VXE_LANES, sizeof(VXE_REAL), error);
}

static void wide_destroy(vxe_sim *sim)
{
    vxe_wide_plan_destroy(sim);
    WIDE_BASE.destroy(sim);
}

static void wide_upload(vxe_sim *sim)
{
    WIDE_BASE.upload(sim);
    memset(sim->plan->touched, 1, (size_t)sim->plan->block_count); /* contact forces may be anything */
}
static void wide_download(vxe_sim *sim) { WIDE_BASE.download(sim); }
static void wide_refresh(vxe_sim *sim)
{
    WIDE_BASE.refresh(sim);
    vxe_wide_plan_refresh(sim);
}
static void wide_hold(vxe_sim *sim, double dt) { WIDE_BASE.hold(sim, dt); }
static void wide_contacts(vxe_sim *sim, double dt) { WIDE_BASE.contacts(sim, dt); }
static void wide_loads(vxe_sim *sim, double dt) { WIDE_BASE.loads(sim, dt); }
static void wide_close(vxe_sim *sim, double dt) { WIDE_BASE.close(sim, dt); }

const sim_backend WIDE_BACKEND = {
    .name = WIDE_NAME,
#ifdef WIDE_FUSED /* which operations are fused depends on the copy of the code: both ends would not agree   \
                   */
    .parallel = false,
#else
    .parallel = true,
#endif
    .create = wide_create,
    .destroy = wide_destroy,
    .upload = wide_upload,
    .download = wide_download,
    .refresh = wide_refresh,
    .links_changed = vxe_wide_plan_links,
    .hold = wide_hold,
    .strains = wide_strains,
    .clear = wide_clear,
    .contacts = wide_contacts,
    .loads = wide_loads,
    .cross = wide_cross,
    .sweep = wide_sweep,
    .move_head = wide_move_head,
    .close = wide_close,
};
