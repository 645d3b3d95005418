/* Kernels in double precision. */
#include "backend/cuda/kernels.h"
