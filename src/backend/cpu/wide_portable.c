/* The wide backend for any machine, 2 voxels at a time. */
#define VXE_REAL double
#define VXE_LANES 2
#define WIDE_BACKEND vxe_backend_wide_portable
#define WIDE_NAME "portable"
#define WIDE_BASE vxe_backend_plain_double
#define WIDE_PLAIN(part) vxe_plain_##part##_double
#include "backend/cpu/wide_loops.h"
