/* What the files of kernels offer: launches, and a cudaError_t as a number. */
#ifndef BACKEND_CUDA_LAUNCH_H
#define BACKEND_CUDA_LAUNCH_H

#include "backend/cuda/gpu.h"

int vxe_launch_blocks_double(const gpu_launch *launch);
int vxe_launch_blocks_single(const gpu_launch *launch);
/* `robot`: on the host; `stage`: gpu_stage. */
int vxe_launch_stage_double(const void *robot, int stage, int with);
int vxe_launch_stage_single(const void *robot, int stage, int with);

#endif
