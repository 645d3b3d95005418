/* The wide backend for AVX-512 in single precision, 16 voxels at a time. */
#ifdef __x86_64__
#define VXE_REAL float
#define VXE_REAL_IS_FLOAT
#define VXE_LANES 16
#define WIDE_BACKEND vxe_backend_wide_avx512_single
#define WIDE_NAME "avx512"
#define WIDE_BASE vxe_backend_plain_single
#define WIDE_PLAIN(part) vxe_plain_##part##_single
#include "backend/cpu/wide_loops.h"
#endif
