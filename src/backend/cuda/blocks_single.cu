/* Kernels whose blocks step a body each, in single precision (positions in double). */
#define VXE_REAL float
#define VXE_REAL_IS_FLOAT
#include "backend/cuda/kernel_blocks.h"
