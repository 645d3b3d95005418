/* Which backend serves a simulation: the widest this machine can run, unless something else was asked for.
 * Links that can yield or break, and single precision, are served by the plain one. */
#include "backend/cpu/wide.h"

#include <string.h>

static const sim_backend *widest(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return &vxe_backend_wide_avx512;
    if (__builtin_cpu_supports("avx2")) return &vxe_backend_wide_avx2;
#endif
    return &vxe_backend_wide_portable;
}

const sim_backend *vxe_choose_backend(const vxe_sim *sim)
{
    if (sim->def.precision == VXE_PRECISION_SINGLE) return &vxe_backend_plain_single;
    if (sim->model->nonlinear) return &vxe_backend_plain_double;
    switch (sim->def.isa) {
    case VXE_ISA_AUTO: return widest();
    case VXE_ISA_PLAIN: return &vxe_backend_plain_double;
    case VXE_ISA_PORTABLE: return &vxe_backend_wide_portable;
    case VXE_ISA_AVX2:
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2")) return &vxe_backend_wide_avx2;
#endif
        return NULL;
    case VXE_ISA_AVX512: {
        const sim_backend *best = widest();
        return strcmp(best->name, "avx512") == 0 ? best : NULL;
    }
    }
    return NULL;
}
