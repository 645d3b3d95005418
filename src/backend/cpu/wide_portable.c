/* The wide backend for portable code: 128-bit vectors, which every 64-bit machine has, 2 voxels at a time. */

#define VXE_LANES 2
#define WIDE_BACKEND vxe_backend_wide_portable
#define WIDE_NAME "portable"
#include "backend/cpu/wide_loops.h"
