/* The wide backend for AVX-512, 8 voxels at a time. */
#ifdef __x86_64__
#define VXE_REAL double
#define VXE_LANES 8
#define WIDE_BACKEND vxe_backend_wide_avx512
#define WIDE_NAME "avx512"
#define WIDE_BASE vxe_backend_plain_double
#define WIDE_PLAIN(part) vxe_plain_##part##_double
#include "backend/cpu/wide_loops.h"
#endif
