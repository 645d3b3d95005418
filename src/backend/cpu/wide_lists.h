/* Loads of links of bodies with many ends: link by link from lists, VXE_LANES at a time.
 *
 * Where rows are short or full of holes, few lanes of a block have a link along an axis, and their far ends
 * lie here and there. So links are listed by axis in the order of the lattice (wide_lists.c), as many as
 * there are lanes at once. Their ends are in that order, too, and close to each other: each lane takes its
 * own from two vectors of every array. What a link does is stored by its number; the links that begin or end
 * in a block of voxels have consecutive numbers, so a block spreads a vector of them over its lanes.
 *
 * All links come first, then all voxels: threads share both, and no link is computed twice. */
#ifndef BACKEND_CPU_WIDE_LISTS_H
#define BACKEND_CPU_WIDE_LISTS_H

#include "backend/cpu/wide_rest.h"

/* ---- lanes from windows -------------------------------------------------------------------------------------------- */

/* take: every lane its place of two vectors; spread: of one. */
#if defined(__AVX512F__) && VXE_LANES == 8 && !defined(VXE_REAL_IS_FLOAT)

typedef __m512i lane_places;
ALWAYS lane_places places_of(const uint8_t *at)
{
    return _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)at));
}
ALWAYS real take(const VXE_REAL *a, lane_places at)
{
    return (real)_mm512_permutex2var_pd((__m512d)load_lanes(a), at, (__m512d)load_lanes(a + VXE_LANES));
}
ALWAYS real spread(const VXE_REAL *a, lane_places at)
{
    return (real)_mm512_permutexvar_pd(at, (__m512d)load_lanes(a));
}

#elif defined(__AVX512F__) && VXE_LANES == 16

typedef struct lane_places {
    __m512i all, low, high;
} lane_places;
ALWAYS lane_places places_of(const uint8_t *at)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
    return (lane_places){_mm512_cvtepu8_epi32(bytes), _mm512_cvtepu8_epi64(bytes),
                         _mm512_cvtepu8_epi64(_mm_srli_si128(bytes, 8))};
}
ALWAYS real take(const VXE_REAL *a, lane_places at)
{
    return (real)_mm512_permutex2var_ps((__m512)load_lanes(a), at.all, (__m512)load_lanes(a + VXE_LANES));
}
ALWAYS real spread(const VXE_REAL *a, lane_places at)
{
    return (real)_mm512_permutexvar_ps(at.all, (__m512)load_lanes(a));
}
ALWAYS half_real take_half(const half_real v[4], __m512i at)
{
    const __m512d near = _mm512_permutex2var_pd((__m512d)v[0], at, (__m512d)v[1]);
    const __m512d far = _mm512_permutex2var_pd((__m512d)v[2], at, (__m512d)v[3]);
    return (half_real)_mm512_mask_blend_pd(_mm512_test_epi64_mask(at, _mm512_set1_epi64(16)), near, far);
}
ALWAYS wide_double take_double(const double *a, lane_places at)
{
    const half_real v[4] = {load_half(a), load_half(a + 8), load_half(a + 16), load_half(a + 24)};
    return (wide_double){take_half(v, at.low), take_half(v, at.high)};
}

#elif defined(__AVX2__) && VXE_LANES == 4 && !defined(VXE_REAL_IS_FLOAT)

/* Numbers are permuted as pairs of halves. */
typedef struct lane_places {
    __m256i halves;
    __m256d second;
} lane_places;
ALWAYS lane_places places_of(const uint8_t *at)
{
    int32_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    const __m256i place = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes));
    const __m256i twice = _mm256_add_epi64(place, place);
    const __m256i halves = _mm256_add_epi64(_mm256_or_si256(twice, _mm256_slli_epi64(twice, 32)),
                                            _mm256_set1_epi64x(INT64_C(1) << 32));
    return (lane_places){halves, (__m256d)_mm256_slli_epi64(place, 61)};
}
ALWAYS real spread(const VXE_REAL *a, lane_places at)
{
    return (real)_mm256_permutevar8x32_ps((__m256)load_lanes(a), at.halves);
}
ALWAYS real take(const VXE_REAL *a, lane_places at)
{
    const __m256d first = (__m256d)spread(a, at);
    return (real)_mm256_blendv_pd(first, (__m256d)spread(a + VXE_LANES, at), at.second);
}

#elif defined(__AVX2__) && VXE_LANES == 8

typedef struct lane_places {
    __m256i all;
    __m256 second;
    const uint8_t *at;
} lane_places;
ALWAYS lane_places places_of(const uint8_t *at)
{
    const __m256i place = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)at));
    return (lane_places){place, (__m256)_mm256_slli_epi32(place, 28), at};
}
ALWAYS real spread(const VXE_REAL *a, lane_places at)
{
    return (real)_mm256_permutevar8x32_ps((__m256)load_lanes(a), at.all);
}
ALWAYS real take(const VXE_REAL *a, lane_places at)
{
    const __m256 first = (__m256)spread(a, at);
    return (real)_mm256_blendv_ps(first, (__m256)spread(a + VXE_LANES, at), at.second);
}
ALWAYS wide_double take_double(const double *a, lane_places at)
{
    const uint8_t *k = at.at;
    return (wide_double){{a[k[0]], a[k[1]], a[k[2]], a[k[3]]}, {a[k[4]], a[k[5]], a[k[6]], a[k[7]]}};
}

#elif VXE_LANES == 2

typedef const uint8_t *lane_places;
ALWAYS lane_places places_of(const uint8_t *at) { return at; }
ALWAYS real take(const VXE_REAL *a, lane_places at) { return (real){a[at[0]], a[at[1]]}; }
ALWAYS real spread(const VXE_REAL *a, lane_places at) { return take(a, at); }

#else

typedef const uint8_t *lane_places;
ALWAYS lane_places places_of(const uint8_t *at) { return at; }
ALWAYS real take(const VXE_REAL *a, lane_places at) { return (real){a[at[0]], a[at[1]], a[at[2]], a[at[3]]}; }
ALWAYS real spread(const VXE_REAL *a, lane_places at) { return take(a, at); }
ALWAYS wide_double take_double(const double *a, lane_places at)
{
    return (wide_double){{a[at[0]], a[at[1]]}, {a[at[2]], a[at[3]]}};
}

#endif

#ifndef VXE_REAL_IS_FLOAT
ALWAYS wide_double take_double(const double *a, lane_places at) { return take(a, at); }
#endif

ALWAYS rvec take_vec(const VXE_REAL *a, ptrdiff_t stride, lane_places at)
{
    return (rvec){take(a, at), take(a + stride, at), take(a + 2 * stride, at)};
}
ALWAYS rquat take_quat(const VXE_REAL *a, ptrdiff_t stride, lane_places at)
{
    return (rquat){take(a, at), take(a + stride, at), take(a + 2 * stride, at), take(a + 3 * stride, at)};
}

/* ---- links --------------------------------------------------------------------------------------------------------- */

/* A bundle: where its ends are, and where what is found out about it goes. Behind the last link of a chunk
 * lie those of another, which may be another thread's: what the last bundle has goes to a place of its own
 * first.
 */
typedef struct list_work {
    const wide_list_bundle *b;
    const VXE_REAL *constants;
    lane_places near_at, far_at;
    VXE_REAL *to;
    ptrdiff_t stride;
    real_mask mask; /* of links that are there now */
    bool whole;     /* all are */
} list_work;

ALWAYS list_work begin_bundle(const sweep *w, const int a, int32_t k, VXE_REAL *last)
{
    const wide_list *list = &w->plan->lists[a];
    const wide_list_bundle *b = &list->bundles[k];
    const size_t lane = (size_t)k * VXE_LANES;
    list_work u;
    u.b = b;
    u.constants = w->constants + (size_t)b->constants * (WIDE_CONSTANTS * VXE_LANES);
    u.near_at = places_of(list->near_at + lane);
    u.far_at = places_of(list->far_at + lane);
    u.whole = b->lanes == b->linked;
    u.mask = mask_of(b->lanes);
    u.to = UNLIKELY(b->last != 0) ? last : (VXE_REAL *)list->numbers + b->link;
    u.stride = UNLIKELY(b->last != 0) ? VXE_LANES : (ptrdiff_t)list->stride;
    return u;
}

ALWAYS bool bundle_rests(const sweep *w, const int a, int32_t k)
{
    return UNLIKELY(w->rest != NULL) && w->plan->lists[a].bundles[k].rests != 0;
}

/* From there to the list. */
static void end_bundle(const sweep *w, int a, const wide_list_bundle *b, const VXE_REAL *last, int first,
                       int end)
{
    const wide_list *list = &w->plan->lists[a];
    for (int d = first; d < end; d++) {
        VXE_REAL *to = (VXE_REAL *)list->numbers + (size_t)d * list->stride + b->link;
        for (int j = 0; j < b->count; j++) to[j] = last[d * VXE_LANES + j];
    }
}

ALWAYS void put(const list_work *u, const int which, real r) { store_lanes(u->to + which * u->stride, r); }
ALWAYS void put_vec(const list_work *u, const int which, rvec r)
{
    store_vec(u->to + which * u->stride, u->stride, r);
}

ALWAYS rvec distance_in(const sweep *w, const list_work *u)
{
    const ptrdiff_t stride = w->position_stride;
    const double *near = w->position + u->b->near;
    const double *far = w->position + u->b->far;
    const wide_double x = subtract_double(take_double(far, u->far_at), take_double(near, u->near_at));
    const wide_double y =
        subtract_double(take_double(far + stride, u->far_at), take_double(near + stride, u->near_at));
    const wide_double z =
        subtract_double(take_double(far + 2 * stride, u->far_at), take_double(near + 2 * stride, u->near_at));
    return (rvec){narrow(x), narrow(y), narrow(z)};
}

ALWAYS block_chord chord_in(const sweep *w, const list_work *u, block_extremes *extremes)
{
    block_chord c = {.far = 0};
    c.chord = link_chord_of(distance_in(w, u));
    real rest = w->pitch;
    if (w->actuated) {
        rest = link_rest_length(w->pitch, narrow(take_double(w->growth + u->b->near, u->near_at)),
                                narrow(take_double(w->growth + u->b->far, u->far_at)));
    }
    c.stretch = c.chord.length - rest;
    /* lanes behind the last link have the places of the first */
    real length = c.chord.length;
    real size = real_size(c.stretch);
    if (UNLIKELY(!u->whole)) {
        size = real_keep(size, u->mask);
        length = real_select(u->mask, length, extremes->length_min);
    }
    extremes->length_min = real_min(length, extremes->length_min);
    extremes->stretch_max = real_max(size, extremes->stretch_max);
    return c;
}

ALWAYS real elastic_in(const sweep *w, const list_work *u, const int a, real stretch)
{
    if (!w->nonlinear) return stretch;
    const double *plastic = w->sim->plastic[a] + u->b->near;
    return link_elastic_stretch(stretch, w->pitch, narrow(take_double(plastic, u->near_at)));
}

/* Chords, and what their strains do to the volumes of the ends. */
ALWAYS void strain_bundle(const sweep *w, const int a, int32_t k, VXE_REAL inverse, VXE_REAL *last,
                          block_extremes *extremes)
{
    const list_work u = begin_bundle(w, a, k, last);
    const block_chord c = chord_in(w, &u, extremes);
    real strain = elastic_in(w, &u, a, c.stretch) * inverse;
    if (UNLIKELY(!u.whole)) strain = real_keep(strain, u.mask);
    put_vec(&u, LIST_CHORD, c.chord.e);
    put(&u, LIST_INVERSE, c.chord.inverse);
    put(&u, LIST_STRETCH, c.stretch);
    put(&u, LIST_NEAR_STRAIN, constant_of(u.constants, WIDE_NEAR_STRAIN) * strain);
    put(&u, LIST_FAR_STRAIN, constant_of(u.constants, WIDE_FAR_STRAIN) * strain);
    if (UNLIKELY(u.b->last != 0)) {
        end_bundle(w, a, u.b, last, LIST_NEAR_STRAIN, LIST_FAR_STRAIN + 1);
        end_bundle(w, a, u.b, last, LIST_CHORD, LIST_ARRAYS);
    }
}

static void mark_listed(const sweep *w, int a, int32_t k, const real *tension, step_measures *sums)
{
    const wide_list *list = &w->plan->lists[a];
    const wide_list_bundle *b = &list->bundles[k];
    const VXE_REAL *c = w->constants + (size_t)b->constants * (WIDE_CONSTANTS * VXE_LANES);
    for (int j = 0; j < VXE_LANES; j++) {
        if ((b->lanes >> j & 1U) == 0 || !((*tension)[j] > c[WIDE_FAILURE * VXE_LANES + j])) continue;
        w->sim->broken[a][b->near + list->near_at[(size_t)k * VXE_LANES + (size_t)j]] = 2;
        sums->failed = 1;
    }
}

ALWAYS link_load kept_load(link_load load, real_mask mask)
{
    return (link_load){keep_vec(load.force, mask), keep_vec(load.near_moment, mask),
                       keep_vec(load.far_moment, mask)};
}

/* links_of_axis() of wide_links.h. `lossy`: with explicit damping and the account. */
ALWAYS void load_bundle(const sweep *w, const int a, int32_t k, const bool implicit, const bool lossy,
                        VXE_REAL *last, block_extremes *extremes, step_measures *sums)
{
    vxe_sim *sim = w->sim;
    const list_work u = begin_bundle(w, a, k, last);
    const wide_list_bundle *b = u.b;
    const VXE_REAL *c = u.constants;
    block_chord begun;
    if (w->solid) {
        const wide_list *list = &w->plan->lists[a];
        const VXE_REAL *known = (const VXE_REAL *)list->numbers + b->link;
        const ptrdiff_t apart = (ptrdiff_t)list->stride;
        begun.chord.e = load_vec(known + LIST_CHORD * apart, apart);
        begun.chord.inverse = load_lanes(known + LIST_INVERSE * apart);
        begun.stretch = load_lanes(known + LIST_STRETCH * apart);
    } else {
        begun = chord_in(w, &u, extremes);
    }
    link_chord chord = begun.chord;
    chord.lever = w->unbalanced ? w->lever : chord.inverse;
    const ptrdiff_t stride = w->stride;
    const VXE_REAL *own = w->state + b->near;
    const VXE_REAL *other = w->state + b->far;
    const rquat q1 = take_quat(own, stride, u.near_at);
    const rquat q2 = take_quat(other, stride, u.far_at);
    const real ka = constant_of(c, WIDE_KA);
    const real elastic = elastic_in(w, &u, a, begun.stretch);
    real tension = link_axial_force(ka, elastic);
    if (w->solid) {
        tension = tension + link_pressure_force(constant_of(c, WIDE_NEAR_PRESSURE),
                                                narrow(take_double(w->pressure + b->near, u.near_at)),
                                                constant_of(c, WIDE_FAR_PRESSURE),
                                                narrow(take_double(w->pressure + b->far, u.far_at)));
    }
    const link_stiffness stiffness = {constant_of(c, WIDE_ACROSS), constant_of(c, WIDE_TWICE_BEND),
                                      constant_of(c, WIDE_TWICE_TWIST)};
    const link_parts springs =
        link_elastic_parts(chord, q1, q2, rquat_half_axis(q1, a), rquat_half_axis(q2, a), stiffness, tension);
    link_parts damping = springs;
    link_parts all = springs;
    if (!implicit) {
        const rvec v1 = take_vec(own + STATE_VELOCITY * stride, stride, u.near_at);
        const rvec v2 = take_vec(other + STATE_VELOCITY * stride, stride, u.far_at);
        const rvec w1 = take_vec(own + STATE_SPIN * stride, stride, u.near_at);
        const rvec w2 = take_vec(other + STATE_SPIN * stride, stride, u.far_at);
        const link_damping_rates rates = {constant_of(c, WIDE_AXIAL), constant_of(c, WIDE_SHEAR),
                                          constant_of(c, WIDE_BENDING), constant_of(c, WIDE_TORSION)};
        damping = link_damping_parts(chord, rvec_sub(v2, v1), w1, w2, rates);
        all = link_parts_add(springs, damping);
    }
    link_load load = link_load_of(chord, all);
    if (UNLIKELY(!u.whole)) load = kept_load(load, u.mask);
    put_vec(&u, LIST_FORCE, load.force);
    put_vec(&u, LIST_FAR_MOMENT, load.far_moment);
    put_vec(&u, LIST_NEAR_MOMENT, load.near_moment);
    if (w->rated) {
        const real rate =
            link_rate(chord, tension, constant_of(c, WIDE_RATE), constant_of(c, WIDE_RATE_ACROSS));
        put(&u, LIST_RATE, real_keep(rate, u.mask));
    }
    if (UNLIKELY(b->can_break != 0)) {
        const real copy = tension;
        mark_listed(w, a, k, &copy, sums);
    }
    if (w->audit == AUDIT_MEASURE) {
        put(&u, LIST_ELASTIC,
            real_keep(link_stretch_energy(ka, elastic) + link_energy(chord, q1, q2, a, stiffness), u.mask));
    }
    if (w->audit != AUDIT_NONE && w->actuated) {
        put(&u, LIST_CONJUGATE,
            real_keep(link_growth_force(real_of(0.5 * sim->model->view.pitch), tension), u.mask));
    }
    if (lossy) {
        link_load lost = link_load_of(chord, damping);
        if (w->unbalanced) lost.force = rvec_add(lost.force, link_excess(chord, springs));
        if (UNLIKELY(!u.whole)) lost = kept_load(lost, u.mask);
        put_vec(&u, LIST_LOST_FORCE, lost.force);
        put_vec(&u, LIST_LOST_FAR, lost.far_moment);
        put_vec(&u, LIST_LOST_NEAR, lost.near_moment);
    }
    if (UNLIKELY(b->last != 0)) end_bundle(w, a, b, last, 0, lossy ? LIST_LOADS_MOST : LIST_LOADS);
}

/* The links that begin in a chunk. */
ALWAYS void load_chunk(const sweep *w, int32_t chunk, const bool implicit, const bool lossy)
{
    VXE_REAL last[LIST_ARRAYS * VXE_LANES];
    const wide_list *lists = w->plan->lists;
    step_measures *sums = &w->sim->measures[chunk];
    block_extremes extremes = {real_of(sums->length_min), real_of(0)};
    memset(last, 0, sizeof last);
    for (int32_t k = lists[2].first[chunk]; k < lists[2].first[chunk + 1]; k++) {
        if (!bundle_rests(w, 2, k)) load_bundle(w, 2, k, implicit, lossy, last, &extremes, sums);
    }
    for (int32_t k = lists[1].first[chunk]; k < lists[1].first[chunk + 1]; k++) {
        if (!bundle_rests(w, 1, k)) load_bundle(w, 1, k, implicit, lossy, last, &extremes, sums);
    }
    for (int32_t k = lists[0].first[chunk]; k < lists[0].first[chunk + 1]; k++) {
        if (!bundle_rests(w, 0, k)) load_bundle(w, 0, k, implicit, lossy, last, &extremes, sums);
    }
    if (!w->solid) keep_extremes(&extremes, sums);
}

static __attribute__((noinline)) void load_explicit(const sweep *w, int32_t chunk)
{
    load_chunk(w, chunk, false, false);
}
static __attribute__((noinline)) void load_implicit(const sweep *w, int32_t chunk)
{
    load_chunk(w, chunk, true, false);
}
static __attribute__((noinline)) void load_lossy(const sweep *w, int32_t chunk)
{
    load_chunk(w, chunk, false, true);
}

static void load_listed(const sweep *w, int32_t chunk)
{
    if (w->implicit) {
        load_implicit(w, chunk);
    } else if (w->audit == AUDIT_NONE) {
        load_explicit(w, chunk);
    } else {
        load_lossy(w, chunk);
    }
}

static void strain_listed(const sweep *w, int32_t chunk)
{
    const VXE_REAL inverse = (VXE_REAL)1 / (VXE_REAL)w->sim->model->view.pitch;
    VXE_REAL last[LIST_ARRAYS * VXE_LANES];
    step_measures *sums = &w->sim->measures[chunk];
    block_extremes extremes = {real_of(sums->length_min), real_of(0)};
    memset(last, 0, sizeof last);
    for (int a = 0; a < 3; a++) {
        const wide_list *list = &w->plan->lists[a];
        for (int32_t k = list->first[chunk]; k < list->first[chunk + 1]; k++) {
            if (!bundle_rests(w, a, k)) strain_bundle(w, a, k, inverse, last, &extremes);
        }
    }
    keep_extremes(&extremes, sums);
}

/* ---- voxels -------------------------------------------------------------------------------------------------------- */

/* The links of a block at one of its sides. */
typedef struct list_side {
    const VXE_REAL *numbers;
    ptrdiff_t stride;
    lane_places at;
    uint32_t lanes;
} list_side;

ALWAYS list_side side_of(const wide_list *list, const wide_list_ends *ends, const uint8_t *at, int32_t i)
{
    list_side s;
    s.numbers = (const VXE_REAL *)list->numbers + ends[i].from;
    s.stride = (ptrdiff_t)list->stride;
    s.at = places_of(at + (size_t)i * VXE_LANES);
    s.lanes = ends[i].lanes;
    return s;
}
ALWAYS real side_number(const list_side *s, const int which)
{
    const VXE_REAL *at = s->numbers + which * s->stride;
#if defined(__AVX512F__) && VXE_LANES == 8 && !defined(VXE_REAL_IS_FLOAT)
    return (real)_mm512_maskz_permutexvar_pd((__mmask8)s->lanes, s->at, (__m512d)load_lanes(at));
#elif defined(__AVX512F__) && VXE_LANES == 16
    return (real)_mm512_maskz_permutexvar_ps((__mmask16)s->lanes, s->at.all, (__m512)load_lanes(at));
#else
    return real_keep(spread(at, s->at), mask_of(s->lanes));
#endif
}
ALWAYS rvec side_vec(const list_side *s, const int which)
{
    return (rvec){side_number(s, which), side_number(s, which + 1), side_number(s, which + 2)};
}

ALWAYS void add_side(const sweep *w, const list_side *s, const bool in, const wide_audit audit,
                     const bool rated, const bool lossy, block_sums *t, wide_double *conjugate)
{
    const rvec force = side_vec(s, LIST_FORCE);
    t->force = in ? rvec_add(t->force, force) : rvec_sub(t->force, force);
    t->moment = rvec_add(t->moment, side_vec(s, in ? LIST_FAR_MOMENT : LIST_NEAR_MOMENT));
    if (rated) t->rate = t->rate + side_number(s, LIST_RATE);
    if (audit == AUDIT_NONE) return;
    if (w->actuated && in) *conjugate = add_double(*conjugate, widen(side_number(s, LIST_CONJUGATE)));
    if (w->actuated && !in) t->conjugate = t->conjugate + side_number(s, LIST_CONJUGATE);
    if (audit == AUDIT_MEASURE && !in) t->elastic = t->elastic + side_number(s, LIST_ELASTIC);
    if (!lossy) return;
    const rvec lost = side_vec(s, LIST_LOST_FORCE);
    t->lost_force = in ? rvec_add(t->lost_force, lost) : rvec_sub(t->lost_force, lost);
    t->lost_moment = rvec_add(t->lost_moment, side_vec(s, in ? LIST_LOST_FAR : LIST_LOST_NEAR));
}

/* total_of() of wide_loops.h. */
ALWAYS block_sums listed_total(const sweep *w, int32_t i, const wide_audit audit, const bool rated,
                               const bool implicit)
{
    const int32_t begin = i * VXE_LANES;
    const bool lossy = audit != AUDIT_NONE && !implicit;
    double *conjugates = audit != AUDIT_NONE ? w->sim->conjugate[0] + begin : NULL;
    wide_double conjugate;
    block_sums t = loads_before(w, begin, audit, lossy, &conjugate);
    block_sums own = no_sums();
    for (int a = 2; a >= 0; a--) {
        const wide_list *list = &w->plan->lists[a];
        if (list->in[i].lanes != 0) {
            const list_side in = side_of(list, list->in, list->in_at, i);
            add_side(w, &in, true, audit, rated, lossy, &t, &conjugate);
        }
        if (list->out[i].lanes != 0) {
            const list_side out = side_of(list, list->out, list->out_at, i);
            add_side(w, &out, false, audit, rated, lossy, &own, &conjugate);
        }
    }
    t.force = rvec_add(t.force, own.force);
    t.moment = rvec_add(t.moment, own.moment);
    if (rated) t.rate = t.rate + own.rate;
    if (audit == AUDIT_NONE) return t;
    if (w->actuated) store_double(conjugates, add_double(conjugate, widen(own.conjugate)));
    if (lossy) {
        t.lost_force = rvec_add(t.lost_force, own.lost_force);
        t.lost_moment = rvec_add(t.lost_moment, own.lost_moment);
    }
    if (audit == AUDIT_MEASURE) store_double(w->sim->cpu->terms[SUM_elastic] + begin, widen(own.elastic));
    return t;
}

/* The voxels of a chunk. */
ALWAYS void move_chunk(const sweep *w, int32_t chunk, double dt, const wide_audit audit, const bool implicit)
{
    const int32_t end = w->part->end;
    const int32_t stop = (chunk + 1) * CHUNK < end ? (chunk + 1) * CHUNK : end;
    step_measures *sums = &w->sim->measures[chunk];
    block_measures measures = no_measures();
    for (int32_t v = chunk * CHUNK; v < stop; v += VXE_LANES) {
        const int32_t i = v / VXE_LANES;
        if (block_rests(w, i)) {
            kick_resting(w, i, dt, sums);
            continue;
        }
        const block_sums total = listed_total(w, i, audit, w->rated, implicit);
        if (implicit || w->split) {
            kick_block(w, i, dt, &total, audit);
        } else {
            move_block(w, i, dt, &total, audit, w->rated, &measures, sums);
        }
    }
    close_measures(w, &measures, sums);
}

#define MOVE_CHUNK(name, audit, implicit)                                                                    \
    static __attribute__((noinline)) void name(const sweep *w, int32_t chunk, double dt)                     \
    {                                                                                                        \
        move_chunk(w, chunk, dt, audit, implicit);                                                           \
    }
MOVE_CHUNK(listed_move, AUDIT_NONE, false)
MOVE_CHUNK(listed_move_booked, AUDIT_BOOK, false)
MOVE_CHUNK(listed_move_measured, AUDIT_MEASURE, false)
MOVE_CHUNK(listed_kick, AUDIT_NONE, true)
MOVE_CHUNK(listed_kick_booked, AUDIT_BOOK, true)
MOVE_CHUNK(listed_kick_measured, AUDIT_MEASURE, true)

static void move_listed(const sweep *w, int32_t chunk)
{
    typedef void kind(const sweep *w, int32_t chunk, double dt);
    static kind *const kinds[2][3] = {{listed_move, listed_move_booked, listed_move_measured},
                                      {listed_kick, listed_kick_booked, listed_kick_measured}};
    kinds[w->implicit][w->audit](w, chunk, w->context->kick);
}

/* Volume strains of the voxels of a chunk from the shares of their links. */
static void sum_volumes(const sweep *w, int32_t chunk)
{
    const int32_t end = w->part->end;
    const int32_t stop = (chunk + 1) * CHUNK < end ? (chunk + 1) * CHUNK : end;
    for (int32_t v = chunk * CHUNK; v < stop; v += VXE_LANES) {
        const int32_t i = v / VXE_LANES;
        if (block_rests(w, i)) continue;
        wide_double sum = widen(real_of(0));
        real near = real_of(0);
        for (int a = 2; a >= 0; a--) {
            const wide_list *list = &w->plan->lists[a];
            if (list->in[i].lanes != 0) {
                const list_side in = side_of(list, list->in, list->in_at, i);
                sum = add_double(sum, widen(side_number(&in, LIST_FAR_STRAIN)));
            }
            if (list->out[i].lanes != 0) {
                const list_side out = side_of(list, list->out, list->out_at, i);
                near = near + side_number(&out, LIST_NEAR_STRAIN);
            }
        }
        store_double(w->sim->volume[0] + v, add_double(sum, widen(near)));
    }
}

/* ---- both ---------------------------------------------------------------------------------------------------------- */

typedef void listed_chunk(const sweep *w, int32_t chunk);

/* Links and voxels of a part, chunk by chunk. The links that end in a chunk begin in it or before, so one
 * thread goes on with its voxels while what its links do is at hand; with more, all links come first. */
ALWAYS void do_chunks(vxe_sim *sim, const step_context *context, int part, listed_chunk *first,
                      listed_chunk *second)
{
    const sweep w = begin_sweep(sim, context, part);
    for (int32_t chunk = w.part->begin / CHUNK; chunk * CHUNK < w.part->end; chunk++) {
        if (chunk_rests(&w, chunk)) continue;
        first(&w, chunk);
        if (second != NULL) second(&w, chunk);
    }
}

static void list_strains(vxe_sim *sim, const step_context *context, int part)
{
    do_chunks(sim, context, part, strain_listed, sim->cpu->part_count == 1 ? sum_volumes : NULL);
}
static void list_volumes(vxe_sim *sim, const step_context *context, int part)
{
    do_chunks(sim, context, part, sum_volumes, NULL);
}
static void list_loads(vxe_sim *sim, const step_context *context, int part)
{
    do_chunks(sim, context, part, load_listed, sim->cpu->part_count == 1 ? move_listed : NULL);
}
static void list_moves(vxe_sim *sim, const step_context *context, int part)
{
    do_chunks(sim, context, part, move_listed, NULL);
}

static void strain_lists(vxe_sim *sim, const step_context *context)
{
    vxe_parts_run(sim, context, list_strains);
    if (sim->cpu->part_count > 1) vxe_parts_run(sim, context, list_volumes);
}

static void link_lists(vxe_sim *sim, const step_context *context)
{
    vxe_parts_run(sim, context, list_loads);
    if (sim->cpu->part_count > 1) vxe_parts_run(sim, context, list_moves);
}

#endif
