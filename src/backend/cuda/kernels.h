/* The kernels of one precision: included by kernel_double.cu and kernel_single.cu. The headers of src/kernel
 * become device code by the word `inline`. */
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
#undef inline

#include "backend/cuda/block.h"
#include "backend/cuda/launch.h"

#include <cuda_runtime.h>

extern __shared__ double shared_memory[];

/* Registers are worth more than more blocks up to here: measured on an H200. */
#ifdef VXE_REAL_IS_FLOAT
#define LAUNCH_BLOCKS vxe_launch_blocks_single
enum { BLOCKS_OF_128 = 6, BLOCKS_OF_256 = 3 };
#else
#define LAUNCH_BLOCKS vxe_launch_blocks_double
enum { BLOCKS_OF_128 = 4, BLOCKS_OF_256 = 2 };
#endif

template <int threads, int blocks>
__global__ void __launch_bounds__(threads, blocks) run_blocks(const robot *robots, const int32_t *slots)
{
    block b;
    block_own own;
    b.r = &robots[slots[blockIdx.x]];
    b.threads = (int32_t)blockDim.x;
    block_lay_out(&b, (char *)shared_memory);
    block_run(&b, &own);
}

template <int threads, int blocks> static cudaError_t launch_as(const gpu_launch *l)
{
    const cudaError_t error = cudaFuncSetAttribute(
        run_blocks<threads, blocks>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)l->shared);
    if (error != cudaSuccess) return error;
    run_blocks<threads, blocks>
        <<<(unsigned)l->count, (unsigned)l->threads, l->shared>>>((const robot *)l->robots, l->slots);
    return cudaGetLastError();
}

int LAUNCH_BLOCKS(const gpu_launch *l)
{
    if (l->threads <= 128) return launch_as<128, BLOCKS_OF_128>(l);
    if (l->threads <= 256) return launch_as<256, BLOCKS_OF_256>(l);
    if (l->threads <= 512) return launch_as<512, 1>(l);
    return launch_as<1024, 1>(l);
}
