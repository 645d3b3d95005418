/* The wide backend for any machine in single precision, 4 voxels at a time. */
#define VXE_REAL float
#define VXE_REAL_IS_FLOAT
#define VXE_LANES 4
#define WIDE_BACKEND vxe_backend_wide_portable_single
#define WIDE_NAME "portable"
#define WIDE_BASE vxe_backend_plain_single
#define WIDE_PLAIN(part) vxe_plain_##part##_single
#include "backend/cpu/wide_loops.h"
