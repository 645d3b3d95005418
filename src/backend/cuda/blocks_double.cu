/* Kernels whose blocks step a body each, in double precision. */
#include "backend/cuda/kernel_blocks.h"
