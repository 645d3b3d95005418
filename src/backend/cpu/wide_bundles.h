/* Implicit bond damping of bodies with many ends: link by link from lists, VXE_LANES at a time.
 *
 * Where rows are short or full of holes, few lanes of a block have a link of the pass's colour, and their far
 * ends lie here and there. So links are listed by colour (wide_bundles.c), and while damping runs a voxel's
 * velocities lie together in a record of 8 numbers, which is loaded at once, wherever it is; records of
 * VXE_LANES voxels are turned into vectors in registers. Distances do not change meanwhile: they are computed
 * once per step. Links of a colour share no voxel, so their order does not matter. */
#ifndef BACKEND_CPU_WIDE_BUNDLES_H
#define BACKEND_CPU_WIDE_BUNDLES_H

#include "backend/cpu/wide_damping.h"

/* ---- records and vectors -------------------------------------------------------------------------------------------- */

/* Velocity and spin of VXE_LANES voxels. */
typedef struct lane_motion {
    rvec velocity, spin;
} lane_motion;

#if VXE_LANES >= 8

#if VXE_LANES == 8
#define MIX1A(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define MIX1B(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define MIX2A(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define MIX2B(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define MIX3A(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define MIX3B(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
ALWAYS real load_row(const VXE_REAL *records, const int32_t *index, int j)
{
    return load_lanes(records + (ptrdiff_t)index[j] * WIDE_RECORD);
}
ALWAYS void store_row(VXE_REAL *records, const int32_t *index, int j, real row)
{
    store_lanes(records + (ptrdiff_t)index[j] * WIDE_RECORD, row);
}
#else /* two records in a vector */
#define MIX1A(a, b) __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define MIX1B(a, b) __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define MIX2A(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define MIX2B(a, b) __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define MIX3A(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
#define MIX3B(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31)
typedef VXE_REAL record_lanes __attribute__((vector_size(WIDE_RECORD * sizeof(VXE_REAL))));
ALWAYS real load_row(const VXE_REAL *records, const int32_t *index, int j)
{
    record_lanes low;
    record_lanes high;
    memcpy(&low, records + (ptrdiff_t)index[j] * WIDE_RECORD, sizeof low);
    memcpy(&high, records + (ptrdiff_t)index[j + 8] * WIDE_RECORD, sizeof high);
    return JOIN(low, high);
}
ALWAYS void store_row(VXE_REAL *records, const int32_t *index, int j, real row)
{
    const record_lanes low = __builtin_shufflevector(row, row, 0, 1, 2, 3, 4, 5, 6, 7);
    const record_lanes high = __builtin_shufflevector(row, row, 8, 9, 10, 11, 12, 13, 14, 15);
    memcpy(records + (ptrdiff_t)index[j] * WIDE_RECORD, &low, sizeof low);
    memcpy(records + (ptrdiff_t)index[j + 8] * WIDE_RECORD, &high, sizeof high);
}
#endif

/* Rows become columns and columns rows: doing it twice is nothing. */
ALWAYS void turn_rows(real r[8])
{
    real t[8];
    real u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = MIX1A(r[i], r[i + 1]);
        t[i + 1] = MIX1B(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int k = 0; k < 2; k++) {
            u[i + k] = MIX2A(t[i + k], t[i + k + 2]);
            u[i + k + 2] = MIX2B(t[i + k], t[i + k + 2]);
        }
    }
    for (int i = 0; i < 4; i++) {
        r[i] = MIX3A(u[i], u[i + 4]);
        r[i + 4] = MIX3B(u[i], u[i + 4]);
    }
}

ALWAYS lane_motion load_records(const VXE_REAL *records, const int32_t *index)
{
    real r[8];
    for (int j = 0; j < 8; j++) r[j] = load_row(records, index, j);
    turn_rows(r);
    return (lane_motion){{r[0], r[1], r[2]}, {r[3], r[4], r[5]}};
}
ALWAYS void store_records(VXE_REAL *records, const int32_t *index, rvec velocity, rvec spin)
{
    const real zero = real_of(0);
    real r[8] = {velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z, zero, zero};
    turn_rows(r);
    for (int j = 0; j < 8; j++) store_row(records, index, j, r[j]);
}

#elif VXE_LANES == 4

ALWAYS void turn_rows(real r[4])
{
    const real a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
    const real b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    const real c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
    const real d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

ALWAYS lane_motion load_records(const VXE_REAL *records, const int32_t *index)
{
    real low[4];
    real high[4];
    for (int j = 0; j < 4; j++) {
        low[j] = load_lanes(records + (ptrdiff_t)index[j] * WIDE_RECORD);
        high[j] = load_lanes(records + (ptrdiff_t)index[j] * WIDE_RECORD + 4);
    }
    turn_rows(low);
    turn_rows(high);
    return (lane_motion){{low[0], low[1], low[2]}, {low[3], high[0], high[1]}};
}
ALWAYS void store_records(VXE_REAL *records, const int32_t *index, rvec velocity, rvec spin)
{
    real low[4] = {velocity.x, velocity.y, velocity.z, spin.x};
    real high[4] = {spin.y, spin.z, real_of(0), real_of(0)};
    turn_rows(low);
    turn_rows(high);
    for (int j = 0; j < 4; j++) {
        store_lanes(records + (ptrdiff_t)index[j] * WIDE_RECORD, low[j]);
        store_lanes(records + (ptrdiff_t)index[j] * WIDE_RECORD + 4, high[j]);
    }
}

#else

ALWAYS lane_motion load_records(const VXE_REAL *records, const int32_t *index)
{
    const VXE_REAL *first = records + (ptrdiff_t)index[0] * WIDE_RECORD;
    const VXE_REAL *second = records + (ptrdiff_t)index[1] * WIDE_RECORD;
    real c[6];
    for (int k = 0; k < 6; k += 2) {
        const real a = load_lanes(first + k);
        const real b = load_lanes(second + k);
        c[k] = __builtin_shufflevector(a, b, 0, 2);
        c[k + 1] = __builtin_shufflevector(a, b, 1, 3);
    }
    return (lane_motion){{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
}
ALWAYS void store_records(VXE_REAL *records, const int32_t *index, rvec velocity, rvec spin)
{
    VXE_REAL *first = records + (ptrdiff_t)index[0] * WIDE_RECORD;
    VXE_REAL *second = records + (ptrdiff_t)index[1] * WIDE_RECORD;
    const real c[6] = {velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z};
    for (int k = 0; k < 6; k += 2) {
        store_lanes(first + k, __builtin_shufflevector(c[k], c[k + 1], 0, 2));
        store_lanes(second + k, __builtin_shufflevector(c[k], c[k + 1], 1, 3));
    }
}

#endif

/* ---- passes --------------------------------------------------------------------------------------------------------- */

/* From the arrays of the state to records, or back. Whole blocks: there is room behind the voxels in both. */
static void records_of_state(const sweep *w, VXE_REAL *records, bool back)
{
    const int32_t n = w->sim->model->view.voxel_count;
    VXE_REAL *velocity = w->state + STATE_VELOCITY * w->stride;
    VXE_REAL *spin = w->state + STATE_SPIN * w->stride;
    int32_t index[VXE_LANES];
    for (int32_t begin = 0; begin < n; begin += VXE_LANES) {
        if (UNLIKELY(w->rest != NULL) && w->rest[begin / VXE_LANES] != 0) continue; /* zero, here and there */
        for (int32_t j = 0; j < VXE_LANES; j++) index[j] = begin + j;
        if (back) {
            const lane_motion m = load_records(records, index);
            store_vec(velocity + begin, w->stride, m.velocity);
            store_vec(spin + begin, w->stride, m.spin);
        } else {
            store_records(records, index, load_vec(velocity + begin, w->stride),
                          load_vec(spin + begin, w->stride));
        }
    }
}

/* Vectors between the ends of all links, and the inverses of their squares. */
static void measure_bundles(const sweep *w, const wide_bundles *b)
{
    const int32_t n = w->sim->model->view.voxel_count;
    const double pitch = w->sim->model->view.pitch;
    double *const *position = w->sim->position;
    for (int32_t i = 0; i < b->begin[WIDE_COLOURS]; i++) {
        if (UNLIKELY(w->rest != NULL) && b->kind[i] == WIDE_BUNDLE_REST) continue;
        const int32_t *near = b->near + (ptrdiff_t)i * VXE_LANES;
        const int32_t *far = b->far + (ptrdiff_t)i * VXE_LANES;
        VXE_REAL *to = (VXE_REAL *)b->distances + (ptrdiff_t)i * (4 * VXE_LANES);
        for (int j = 0; j < VXE_LANES; j++) {
            const bool none = near[j] >= n;
            for (int a = 0; a < 3; a++) {
                const double d = position[a][far[j]] - position[a][near[j]];
                to[a * VXE_LANES + j] = (VXE_REAL)(none ? pitch : d);
            }
        }
    }
    for (int32_t i = 0; i < b->begin[WIDE_COLOURS]; i++) {
        if (UNLIKELY(w->rest != NULL) && b->kind[i] == WIDE_BUNDLE_REST) continue;
        VXE_REAL *at = (VXE_REAL *)b->distances + (ptrdiff_t)i * (4 * VXE_LANES);
        const rvec d = load_vec(at, VXE_LANES);
        store_lanes(at + 3 * VXE_LANES, real_of(1) / rvec_dot(d, d));
    }
}

ALWAYS void brake_bundle(const sweep *w, const wide_bundles *b, int32_t i, const bool full, const bool alike,
                         real inverse_area)
{
    VXE_REAL *records = b->records;
    const int32_t *near = b->near + (ptrdiff_t)i * VXE_LANES;
    const int32_t *far = b->far + (ptrdiff_t)i * VXE_LANES;
    const VXE_REAL *at = (const VXE_REAL *)b->distances + (ptrdiff_t)i * (4 * VXE_LANES);
    const VXE_REAL *constants =
        (const VXE_REAL *)w->plan->brakes + (ptrdiff_t)b->constants[i] * (WIDE_BRAKES * VXE_LANES);
    const lane_motion first = load_records(records, near);
    const lane_motion second = load_records(records, far);
    const link_ends before = {first.velocity, first.spin, second.velocity, second.spin};
    const link_ends now = link_braked_at(load_vec(at, VXE_LANES), load_lanes(at + 3 * VXE_LANES), before,
                                         brake_from(constants, full), inverse_area, alike);
    store_records(records, near, now.velocity1, now.spin1);
    store_records(records, far, now.velocity2, now.spin2);
}

/* Held altogether, and at rest: as in brake_link() of plain_motion.h. */
static bool is_still_record(const sweep *w, const VXE_REAL *records, int32_t v)
{
    const VXE_REAL *r = records + (ptrdiff_t)v * WIDE_RECORD;
    return w->sim->model->fixed[v] == VXE_DOF_ALL && r[0] == 0 && r[1] == 0 && r[2] == 0 && r[3] == 0 &&
           r[4] == 0 && r[5] == 0;
}

/* Links with an end that is held, one by one: through the state's arrays. */
static void brake_held(const sweep *w, const wide_bundles *b, int32_t i, damping_pass pass)
{
    VXE_REAL *records = b->records;
    for (int j = 0; j < VXE_LANES; j++) {
        const int32_t ends[2] = {b->near[(ptrdiff_t)i * VXE_LANES + j], b->far[(ptrdiff_t)i * VXE_LANES + j]};
        if (ends[0] >= w->sim->model->view.voxel_count) continue;
        if (is_still_record(w, records, ends[0]) && is_still_record(w, records, ends[1])) continue;
        for (int e = 0; e < 2; e++) {
            for (int k = 0; k < 6; k++)
                w->state[(STATE_VELOCITY + k) * w->stride + ends[e]] =
                    records[(ptrdiff_t)ends[e] * WIDE_RECORD + k];
        }
        WIDE_PLAIN(brake)(w->sim, w->context, pass.axis, ends[0], pass.full);
        for (int e = 0; e < 2; e++) {
            for (int k = 0; k < 6; k++)
                records[(ptrdiff_t)ends[e] * WIDE_RECORD + k] =
                    w->state[(STATE_VELOCITY + k) * w->stride + ends[e]];
        }
    }
}

static void damp_bundles(vxe_sim *sim, const step_context *context)
{
    const sweep w = begin_sweep(sim, context, 0);
    const wide_bundles *b = &w.plan->bundles;
    const real inverse_area = inverse_area_of(&w);
    records_of_state(&w, b->records, false);
    measure_bundles(&w, b);
    for (int k = 0; k < DAMPING_PASSES; k++) {
        const damping_pass pass = vxe_damping_order[k];
        const int colour = 2 * pass.axis + pass.parity;
        for (int32_t i = b->begin[colour]; i < b->begin[colour + 1]; i++) {
            if (UNLIKELY(b->kind[i] >= WIDE_BUNDLE_HELD)) {
                if (w.rest == NULL || b->kind[i] == WIDE_BUNDLE_HELD) brake_held(&w, b, i, pass);
            } else if (pass.full) {
                brake_bundle(&w, b, i, true, false, inverse_area);
            } else if (b->kind[i] == WIDE_BUNDLE_ALIKE) {
                brake_bundle(&w, b, i, false, true, inverse_area);
            } else {
                brake_bundle(&w, b, i, false, false, inverse_area);
            }
        }
    }
    records_of_state(&w, b->records, true);
}

#endif
