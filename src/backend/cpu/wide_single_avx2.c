/* The wide backend for AVX2 in single precision, 8 voxels at a time. */
#ifdef __x86_64__
#define VXE_REAL float
#define VXE_REAL_IS_FLOAT
#define VXE_LANES 8
#define WIDE_BACKEND vxe_backend_wide_avx2_single
#define WIDE_NAME "avx2"
#define WIDE_BASE vxe_backend_plain_single
#define WIDE_PLAIN(part) vxe_plain_##part##_single
#include "backend/cpu/wide_loops.h"
#endif
