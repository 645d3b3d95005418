/* What files of kernels begin with: device code of one precision. The headers of src/kernel become such by
 * the word `inline`. */
#ifndef BACKEND_CUDA_KERNELS_H
#define BACKEND_CUDA_KERNELS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#define inline __device__ __forceinline__
#include "kernel/brake.h"
#include "kernel/contact.h"
#include "kernel/link.h"
#include "kernel/real.h"
#include "kernel/signal.h"
#include "kernel/strain.h"
#include "kernel/voxel.h"

#include "backend/cuda/exact.h"
#undef inline

#include "backend/cuda/launch.h"

#include <cuda_runtime.h>

#endif
