/* A build without CUDA. */
#include "backend/cuda/gpu.h"

const gpu *vxe_gpu_cuda(void) { return NULL; }
