/* The wide backend for AVX2 with fused operations (built with contraction on), 4 voxels at a time. */
#ifdef __x86_64__
#define VXE_REAL double
#define WIDE_FUSED
#define VXE_LANES 4
#define WIDE_BACKEND vxe_backend_wide_avx2_fast
#define WIDE_NAME "avx2"
#define WIDE_BASE vxe_backend_plain_double
#define WIDE_PLAIN(part) vxe_plain_##part##_double
#include "backend/cpu/wide_loops.h"
#endif
