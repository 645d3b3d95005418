/* Kernels that are stages of one body, in double precision. */
#include "backend/cuda/kernel_stages.h"
