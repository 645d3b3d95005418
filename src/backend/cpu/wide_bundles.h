/* Implicit bond damping of bodies with many ends: link by link from lists, VXE_LANES at a time.
 *
 * Where rows are short or full of holes, few lanes of a block have a link of the pass's colour, and their far
 * ends lie here and there. So links are listed by colour (wide_bundles.c), and while damping runs a voxel's
 * velocities lie together in a record of 8 numbers, which is loaded at once, wherever it is; records of
 * VXE_LANES voxels are turned into vectors in registers. Distances do not change meanwhile: they are computed
 * once per step. Links of a colour share no voxel, so their order does not matter. */
#ifndef BACKEND_CPU_WIDE_BUNDLES_H
#define BACKEND_CPU_WIDE_BUNDLES_H

#include "backend/cpu/records.h"
#include "backend/cpu/wide_damping.h"

/* ---- records and vectors -------------------------------------------------------------------------------------------- */

/* Velocity and spin of VXE_LANES voxels. */
typedef struct lane_motion {
    rvec velocity, spin;
} lane_motion;

#if VXE_LANES >= 8

#if VXE_LANES == 8
ALWAYS real load_row(const VXE_REAL *records, const int32_t *index, int j)
{
    return load_lanes(records + index[j]);
}
ALWAYS void store_row(VXE_REAL *records, const int32_t *index, int j, real row)
{
    store_lanes(records + index[j], row);
}
#else /* two records in a vector */
typedef VXE_REAL record_lanes __attribute__((vector_size(WIDE_RECORD * sizeof(VXE_REAL))));
ALWAYS real load_row(const VXE_REAL *records, const int32_t *index, int j)
{
    record_lanes low;
    record_lanes high;
    memcpy(&low, records + index[j], sizeof low);
    memcpy(&high, records + index[j + 8], sizeof high);
    return JOIN(low, high);
}
ALWAYS void store_row(VXE_REAL *records, const int32_t *index, int j, real row)
{
    const record_lanes low = __builtin_shufflevector(row, row, 0, 1, 2, 3, 4, 5, 6, 7);
    const record_lanes high = __builtin_shufflevector(row, row, 8, 9, 10, 11, 12, 13, 14, 15);
    memcpy(records + index[j], &low, sizeof low);
    memcpy(records + index[j + 8], &high, sizeof high);
}
#endif

#if VXE_LANES == 8 && !defined(VXE_REAL_IS_FLOAT) && defined(__AVX512F__)

/* Halves and quarters of records are put together where they are loaded, and taken apart where they are
 * stored: less to shuffle. */
ALWAYS __m512d load_pair(const double *records, const int32_t *index, int j)
{
    const __m256d low = _mm256_loadu_pd(records + index[j]);
    return _mm512_insertf64x4(_mm512_castpd256_pd512(low), _mm256_loadu_pd(records + index[j + 4]), 1);
}
ALWAYS __m512d load_quarters(const double *records, const int32_t *index)
{
    __m512d r = _mm512_castpd128_pd512(_mm_loadu_pd(records + index[0] + 4));
    r = _mm512_insertf64x2(r, _mm_loadu_pd(records + index[2] + 4), 1);
    r = _mm512_insertf64x2(r, _mm_loadu_pd(records + index[4] + 4), 2);
    return _mm512_insertf64x2(r, _mm_loadu_pd(records + index[6] + 4), 3);
}
ALWAYS lane_motion load_records(const VXE_REAL *records, const int32_t *index)
{
    const real r[4] = {(real)load_pair(records, index, 0), (real)load_pair(records, index, 1),
                       (real)load_pair(records, index, 2), (real)load_pair(records, index, 3)};
    const real even = (real)load_quarters(records, index);
    const real odd = (real)load_quarters(records, index + 1);
    const real t[4] = {MIX1A(r[0], r[1]), MIX1B(r[0], r[1]), MIX1A(r[2], r[3]), MIX1B(r[2], r[3])};
    return (lane_motion){{MIX2A(t[0], t[2]), MIX2A(t[1], t[3]), MIX2B(t[0], t[2])},
                         {MIX2B(t[1], t[3]), MIX1A(even, odd), MIX1B(even, odd)}};
}
ALWAYS void store_pair(double *records, const int32_t *index, int j, real pair)
{
    _mm256_storeu_pd(records + index[j], _mm512_castpd512_pd256((__m512d)pair));
    _mm256_storeu_pd(records + index[j + 4], _mm512_extractf64x4_pd((__m512d)pair, 1));
}
ALWAYS void store_quarters(double *records, const int32_t *index, real r)
{
    _mm_storeu_pd(records + index[0] + 4, _mm512_castpd512_pd128((__m512d)r));
    _mm_storeu_pd(records + index[2] + 4, _mm512_extractf64x2_pd((__m512d)r, 1));
    _mm_storeu_pd(records + index[4] + 4, _mm512_extractf64x2_pd((__m512d)r, 2));
    _mm_storeu_pd(records + index[6] + 4, _mm512_extractf64x2_pd((__m512d)r, 3));
}
ALWAYS void store_records(VXE_REAL *records, const int32_t *index, rvec velocity, rvec spin)
{
    const real t[4] = {MIX1A(velocity.x, velocity.y), MIX1B(velocity.x, velocity.y),
                       MIX1A(velocity.z, spin.x), MIX1B(velocity.z, spin.x)};
    store_pair(records, index, 0, MIX2A(t[0], t[2]));
    store_pair(records, index, 1, MIX2A(t[1], t[3]));
    store_pair(records, index, 2, MIX2B(t[0], t[2]));
    store_pair(records, index, 3, MIX2B(t[1], t[3]));
    store_quarters(records, index, MIX1A(spin.y, spin.z));
    store_quarters(records, index + 1, MIX1B(spin.y, spin.z));
}

#else

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

#endif

#elif VXE_LANES == 4

ALWAYS lane_motion load_records(const VXE_REAL *records, const int32_t *index)
{
    real low[4];
    real high[4];
    for (int j = 0; j < 4; j++) {
        low[j] = load_lanes(records + index[j]);
        high[j] = load_lanes(records + index[j] + 4);
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
        store_lanes(records + index[j], low[j]);
        store_lanes(records + index[j] + 4, high[j]);
    }
}

#else

ALWAYS lane_motion load_records(const VXE_REAL *records, const int32_t *index)
{
    const VXE_REAL *first = records + index[0];
    const VXE_REAL *second = records + index[1];
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
    VXE_REAL *first = records + index[0];
    VXE_REAL *second = records + index[1];
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
        for (int32_t j = 0; j < VXE_LANES; j++) index[j] = (begin + j) * WIDE_RECORD;
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

/* Positions, one behind the other; those of what rests are there. Where there is no link its ends are a pitch
 * apart. */
static void places_of_state(const sweep *w, double *places)
{
    const int32_t n = w->sim->model->view.voxel_count;
    const double *x = w->position;
    const double *y = x + w->position_stride;
    const double *z = y + w->position_stride;
    for (int32_t begin = 0; begin < n; begin += VXE_LANES) {
        if (UNLIKELY(w->rest != NULL) && w->rest[begin / VXE_LANES] != 0) continue;
        double *to = places + (ptrdiff_t)begin * WIDE_PLACE;
#if VXE_LANES == 8 && !defined(VXE_REAL_IS_FLOAT)
        const real p[3] = {load_lanes(x + begin), load_lanes(y + begin), load_lanes(z + begin)};
        const real t[4] = {MIX1A(p[0], p[1]), MIX1B(p[0], p[1]), MIX1A(p[2], p[2]), MIX1B(p[2], p[2])};
        const real r[4] = {MIX2A(t[0], t[2]), MIX2A(t[1], t[3]), MIX2B(t[0], t[2]), MIX2B(t[1], t[3])};
        for (int j = 0; j < 4; j++) {
            typedef double half __attribute__((vector_size(4 * sizeof(double))));
            const half low = __builtin_shufflevector(r[j], r[j], 0, 1, 2, 3);
            const half high = __builtin_shufflevector(r[j], r[j], 4, 5, 6, 7);
            memcpy(to + (ptrdiff_t)j * WIDE_PLACE, &low, sizeof low);
            memcpy(to + (ptrdiff_t)(j + 4) * WIDE_PLACE, &high, sizeof high);
        }
#else
        for (int32_t j = 0; j < VXE_LANES; j++, to += WIDE_PLACE) {
            to[0] = x[begin + j];
            to[1] = y[begin + j];
            to[2] = z[begin + j];
        }
#endif
    }
    const double pitch = w->sim->model->view.pitch;
    double *none = places + (ptrdiff_t)n * WIDE_PLACE;
    for (int k = 0; k < 3; k++) {
        none[k] = 0.0;
        none[WIDE_PLACE + k] = pitch;
    }
}

/* Vectors between the ends of a bundle's links. */
ALWAYS rvec measure_bundle(const double *places, const int32_t *near, const int32_t *far)
{
#if VXE_LANES >= 4
    typedef double row __attribute__((vector_size(WIDE_PLACE * sizeof(double))));
    typedef VXE_REAL row_real __attribute__((vector_size(WIDE_PLACE * sizeof(VXE_REAL))));
    row_real rows[VXE_LANES];
    for (int j = 0; j < VXE_LANES; j++) {
        row first;
        row second;
        memcpy(&first, places + near[j] / (WIDE_RECORD / WIDE_PLACE), sizeof first);
        memcpy(&second, places + far[j] / (WIDE_RECORD / WIDE_PLACE), sizeof second);
        rows[j] = __builtin_convertvector(second - first, row_real);
    }
    real r[4]; /* row j of every four */
#if VXE_LANES == 4
    for (int j = 0; j < 4; j++) r[j] = rows[j];
    turn_rows(r);
    return (rvec){r[0], r[1], r[2]};
#else
    for (int j = 0; j < 4; j++) {
#if VXE_LANES == 8
        r[j] = JOIN(rows[j], rows[j + 4]);
#else
        r[j] = JOIN(__builtin_shufflevector(rows[j], rows[j + 4], 0, 1, 2, 3, 4, 5, 6, 7),
                    __builtin_shufflevector(rows[j + 8], rows[j + 12], 0, 1, 2, 3, 4, 5, 6, 7));
#endif
    }
    const real low[2] = {MIX1A(r[0], r[1]), MIX1A(r[2], r[3])};
    const real high[2] = {MIX1B(r[0], r[1]), MIX1B(r[2], r[3])};
    return (rvec){MIX2A(low[0], low[1]), MIX2A(high[0], high[1]), MIX2B(low[0], low[1])};
#endif
#else
    VXE_REAL d[3][VXE_LANES];
    for (int j = 0; j < VXE_LANES; j++) {
        const double *first = places + near[j] / (WIDE_RECORD / WIDE_PLACE);
        const double *second = places + far[j] / (WIDE_RECORD / WIDE_PLACE);
        for (int a = 0; a < 3; a++) d[a][j] = (VXE_REAL)(second[a] - first[a]);
    }
    return (rvec){load_lanes(d[0]), load_lanes(d[1]), load_lanes(d[2])};
#endif
}

/* Of all links, and the inverses of their squares. */
static void measure_bundles(const sweep *w, const wide_bundles *b)
{
    places_of_state(w, b->places);
    for (int32_t i = 0; i < b->begin[WIDE_COLOURS]; i++) {
        if (UNLIKELY(w->rest != NULL) && b->kind[i] == WIDE_BUNDLE_REST) continue;
        VXE_REAL *to = (VXE_REAL *)b->distances + (ptrdiff_t)i * (4 * VXE_LANES);
        const rvec d =
            measure_bundle(b->places, b->near + (ptrdiff_t)i * VXE_LANES, b->far + (ptrdiff_t)i * VXE_LANES);
        store_vec(to, VXE_LANES, d);
        store_lanes(to + 3 * VXE_LANES, real_of(1) / rvec_dot(d, d));
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
        const int32_t ends[2] = {b->near[(ptrdiff_t)i * VXE_LANES + j] / WIDE_RECORD,
                                 b->far[(ptrdiff_t)i * VXE_LANES + j] / WIDE_RECORD};
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
    const real inverse_area = w.inverse_area;
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
