/* Which backend serves a simulation: the widest this machine can run, unless something else was asked for. */
#include "backend/cpu/wide.h"

#include <stddef.h>

/* An instruction set in the three precisions; NULL: not here. */
typedef struct backend_set {
    const sim_backend *plain, *single, *fast;
} backend_set;

static const sim_backend *pick(const vxe_sim *sim, const backend_set *set)
{
    switch (sim->def.precision) {
    case VXE_PRECISION_DOUBLE: return set->plain;
    case VXE_PRECISION_SINGLE: return set->single;
    case VXE_PRECISION_FAST: return set->fast;
    }
    return NULL;
}

#if defined(__x86_64__) && !defined(VXE_NO_AVX)
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
}
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
static bool has_avx512(void) { return false; }
static bool has_avx2(void) { return false; }
#endif

const sim_backend *vxe_choose_backend(const vxe_sim *sim, bool one_by_one)
{
    static const backend_set plain = {&vxe_backend_plain_double, &vxe_backend_plain_single,
                                      &vxe_backend_plain_double};
    static const backend_set portable = {&vxe_backend_wide_portable, &vxe_backend_wide_portable_single,
                                         &vxe_backend_wide_portable};
#if defined(__x86_64__) && !defined(VXE_NO_AVX)
    static const backend_set avx2 = {&vxe_backend_wide_avx2, &vxe_backend_wide_avx2_single,
                                     &vxe_backend_wide_avx2_fast};
    static const backend_set avx512 = {&vxe_backend_wide_avx512, &vxe_backend_wide_avx512_single,
                                       &vxe_backend_wide_avx512_fast};
#else
    static const backend_set avx2 = {NULL, NULL, NULL};
    static const backend_set avx512 = {NULL, NULL, NULL};
#endif
    if (one_by_one) return pick(sim, &plain);
    switch (sim->def.isa) {
    case VXE_ISA_AUTO: return pick(sim, has_avx512() ? &avx512 : has_avx2() ? &avx2 : &portable);
    case VXE_ISA_PLAIN: return pick(sim, &plain);
    case VXE_ISA_PORTABLE: return pick(sim, &portable);
    case VXE_ISA_AVX2: return has_avx2() ? pick(sim, &avx2) : NULL;
    case VXE_ISA_AVX512: return has_avx512() ? pick(sim, &avx512) : NULL;
    }
    return NULL;
}
