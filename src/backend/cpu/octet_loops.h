/* Candidates that are near each other (sim/collide_few.c, collide_list.c), eight at once as the loops over
 * contacts have lanes. Part of contact_loops.h. */

/* Bits of the eight numbers from each of `x`, `y`, `z` on whose point is closer to `at` than the root of
 * `near`. */
static inline unsigned near_eight(const double *x, const double *y, const double *z, const double at[3],
                                  double near)
{
    unsigned bits = 0;
    for (int i = 0; i < OCTET; i += LANES) {
        const rvec apart = {load(x + i) - real_of(at[0]), load(y + i) - real_of(at[1]),
                            load(z + i) - real_of(at[2])};
        bits |= lanes_of((real_mask)(rvec_dot(apart, apart) < real_of(near))) << i;
    }
    return bits;
}

/* Which of eight are near cannot be guessed, so they are counted without jumps. */
static int32_t near_points(double *const place[3], int32_t one, int32_t begin, int32_t end, double near,
                           int32_t *hits)
{
    const double at[3] = {place[0][one], place[1][one], place[2][one]};
    int32_t count = 0;
    for (int32_t k = begin; k < end; k += OCTET) {
        unsigned bits = near_eight(place[0] + k, place[1] + k, place[2] + k, at, near);
        if (end - k < OCTET) bits &= (1U << (end - k)) - 1U;
#if LANES == 8 && defined(__AVX512VL__)
        const __m256i numbers =
            _mm256_add_epi32(_mm256_set1_epi32(k), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        _mm256_storeu_si256((__m256i *)(hits + count), _mm256_maskz_compress_epi32((__mmask8)bits, numbers));
        count += __builtin_popcount(bits);
#else
        for (int i = 0; i < OCTET; i++) {
            hits[count] = k + i;
            count += (int32_t)(bits >> i & 1U);
        }
#endif
    }
    return count;
}

/* How far a box is beyond another, along an axis, at least. */
static inline real gap_of(const double *low, const double *high, const octet_search *s, int a, int32_t octet)
{
    const real after = load(low) - real_of(s->high[a][octet]);
    const real before = real_of(s->low[a][octet]) - load(high);
    return real_max(real_max(after, before), real_of(0));
}

/* Numbers of the octets from `octet` on with something closer to something in it than the horizon: no
 * difference of coordinates is rounded to less than that of the boxes. */
static inline int32_t near_octets(const octet_search *s, int32_t octet, int32_t *found)
{
    int32_t count = 0;
    for (int32_t k = octet - octet % OCTET; k < s->octet_count; k += OCTET) {
        unsigned bits = 0;
        for (int i = 0; i < OCTET; i += LANES) {
            rvec gap;
            gap.x = gap_of(s->low[0] + k + i, s->high[0] + k + i, s, 0, octet);
            gap.y = gap_of(s->low[1] + k + i, s->high[1] + k + i, s, 1, octet);
            gap.z = gap_of(s->low[2] + k + i, s->high[2] + k + i, s, 2, octet);
            bits |= lanes_of((real_mask)(rvec_dot(gap, gap) < real_of(s->near))) << i;
        }
        if (k < octet) bits &= ~0U << (octet - k); /* pairs with those before are theirs */
        for (; bits != 0; bits &= bits - 1) found[count++] = k + __builtin_ctz(bits);
    }
    return count;
}

static int64_t pairs_of_octet(const octet_search *s, int32_t octet, int32_t *first, int32_t *second,
                              int64_t room, int64_t *tests)
{
    int32_t found[OCTETS_MOST + OCTET];
    const int32_t octets = near_octets(s, octet, found);
    int64_t count = 0;
    *tests += (int64_t)octets * OCTET * OCTET;
    for (int32_t i = octet * OCTET; i < (octet + 1) * OCTET; i++) {
        const double at[3] = {s->place[0][i], s->place[1][i], s->place[2][i]};
        const uint8_t *may = s->may_touch + (size_t)i * (size_t)s->octet_count;
        for (int32_t k = 0; k < octets; k++) {
            const int32_t j = found[k] * OCTET;
            unsigned bits = may[found[k]];
            if (bits == 0) continue;
            bits &= near_eight(s->place[0] + j, s->place[1] + j, s->place[2] + j, at, s->near);
            for (; bits != 0; bits &= bits - 1) {
                if (count == room) return -1;
                first[count] = i;
                second[count++] = j + __builtin_ctz(bits);
            }
        }
    }
    return count;
}
