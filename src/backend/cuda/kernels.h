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

#include "backend/cuda/exact.h"
#undef inline

#include "backend/cuda/block.h"
#include "backend/cuda/grid.h"
#include "backend/cuda/launch.h"

#include <cuda_runtime.h>

/* Both precisions have kernels of the same names: each keeps its own to itself. */
namespace
{

extern __shared__ double shared_memory[];

/* Threads of a multiprocessor that have room at once: registers are worth more than more blocks from here on,
 * as measured on an H200. */
#ifdef VXE_REAL_IS_FLOAT
#define LAUNCH_BLOCKS vxe_launch_blocks_single
#define LAUNCH_STAGE vxe_launch_stage_single
#ifndef THREADS_AT_ONCE
#define THREADS_AT_ONCE (threads < 256 ? 640 : 768)
#endif
#else
#define LAUNCH_BLOCKS vxe_launch_blocks_double
#define LAUNCH_STAGE vxe_launch_stage_double
#ifndef THREADS_AT_ONCE
#define THREADS_AT_ONCE 512
#endif
#endif

/* What a kernel knows when it is compiled need not be looked up: how many threads there are, and that plain
 * bodies are nothing else. */
template <int threads, int variant>
__global__ void __launch_bounds__(threads, threads < THREADS_AT_ONCE ? THREADS_AT_ONCE / threads : 1)
    run_blocks(const robot *robots, const int32_t *slots)
{
    block b;
    block_own own;
    const robot *r = &robots[slots[blockIdx.x]];
    b.threads = threads;
    b.is = variant == GPU_USUAL      ? IS_PLAIN
           : variant == GPU_TOUCHING ? IS_PLAIN | IS_PAIRED
           : variant == GPU_PLAIN    ? r->is & IS_PLAIN
                                     : r->is;
    block_lay_out(&b, (char *)shared_memory, r, variant != GPU_GENERAL);
    block_run(&b, &own, r);
}

template <int threads, int variant> cudaError_t launch_one(const gpu_launch *l)
{
    const cudaError_t error = cudaFuncSetAttribute(
        run_blocks<threads, variant>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)l->shared);
    if (error != cudaSuccess) return error;
    run_blocks<threads, variant>
        <<<(unsigned)l->count, threads, l->shared>>>((const robot *)l->robots, l->slots);
    return cudaGetLastError();
}

/* Large robots are few: one kernel serves them all. */
template <int threads> cudaError_t launch_as(const gpu_launch *l)
{
    if constexpr (threads <= GPU_SPECIAL_VOXELS) {
        if (l->variant == GPU_USUAL) return launch_one<threads, GPU_USUAL>(l);
        if (l->variant == GPU_TOUCHING) return launch_one<threads, GPU_TOUCHING>(l);
        if (l->variant == GPU_PLAIN) return launch_one<threads, GPU_PLAIN>(l);
    }
    return launch_one<threads, GPU_GENERAL>(l);
}

} // namespace

int LAUNCH_BLOCKS(const gpu_launch *l)
{
    switch (l->threads) {
    case 64: return launch_as<64>(l);
    case 128: return launch_as<128>(l);
    case 256: return launch_as<256>(l);
    case 512: return launch_as<512>(l);
#ifdef VXE_REAL_IS_FLOAT /* of doubles, no more have room in shared memory */
    case 1024: return launch_as<1024>(l);
#endif
    default: return cudaErrorInvalidValue;
    }
}

namespace
{

/* ---- one body over a grid ------------------------------------------------------------------------------------------ */

enum { STAGE_THREADS = 128, CONTROL_THREADS = 128 };

/* Blocks of a kernel with links that a multiprocessor is to hold at once: fewer registers, more to do while
 * others wait for memory. */
#ifndef BLOCKS_OF_LINKS
#ifdef VXE_REAL_IS_FLOAT
#define BLOCKS_OF_LINKS 6
#else
#define BLOCKS_OF_LINKS 4
#endif
#endif

/* The control is decided on in shared memory: one thread that waits for the device's at every turn is slow.
 */
__global__ void run_control(const __grid_constant__ robot r, int first)
{
    __shared__ robot_control c;
    static_assert(sizeof c % 8 == 0, "it is copied by eights");
    long long *here = (long long *)&c, *there = (long long *)r.control;
    for (unsigned i = threadIdx.x; i < sizeof c / 8; i += blockDim.x) here[i] = there[i];
    __syncthreads();
    if (threadIdx.x == 0) grid_control(&c, first);
    __syncthreads();
    if (c.why == ROBOT_RUNS) grid_prepare(&r, &c, (int32_t)threadIdx.x, (int32_t)blockDim.x);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < sizeof c / 8; i += blockDim.x) there[i] = here[i];
}

template <int stage, int with>
__global__ void __launch_bounds__(STAGE_THREADS,
                                  stage == GPU_KICK || stage == GPU_MOVE_AT_ONCE ? BLOCKS_OF_LINKS : 1)
    run_stage(const __grid_constant__ robot r, int given)
{
    const int32_t i = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= r.voxels || r.control->why != ROBOT_RUNS) return;
    if (stage == GPU_DAMP && with == 2) { /* of two voxels one does it for both, mostly */
        if (2 * i < r.voxels) grid_stage(&r, stage, with, 2 * i);
        if (2 * i + 1 < r.voxels) grid_stage(&r, stage, with, 2 * i + 1);
        return;
    }
    grid_stage(&r, stage, stage == GPU_SHARE ? given : with, i);
}

template <int stage, int with> cudaError_t launch_stage(const robot *r, int given)
{
    const int32_t threads = stage == GPU_DAMP && with == 2 ? (r->voxels + 1) / 2 : r->voxels;
    run_stage<stage, with>
        <<<(unsigned)((threads + STAGE_THREADS - 1) / STAGE_THREADS), STAGE_THREADS>>>(*r, given);
    return cudaGetLastError();
}

} // namespace

int LAUNCH_STAGE(const void *at, int stage, int with)
{
    const robot *r = (const robot *)at;
    switch (stage) {
    case GPU_CONTROL: run_control<<<1, CONTROL_THREADS>>>(*r, with); return cudaGetLastError();
    case GPU_GROW: return launch_stage<GPU_GROW, 0>(r, 0);
    case GPU_HOLD: return launch_stage<GPU_HOLD, 0>(r, 0);
    case GPU_PRESSURE: return launch_stage<GPU_PRESSURE, 0>(r, 0);
    case GPU_SHARE: return launch_stage<GPU_SHARE, 0>(r, with);
    case GPU_MOVE_AT_ONCE: return launch_stage<GPU_MOVE_AT_ONCE, 0>(r, 0);
    case GPU_KICK: return launch_stage<GPU_KICK, 0>(r, 0);
    case GPU_MOVE: return launch_stage<GPU_MOVE, 0>(r, 0);
    case GPU_LOOK: return launch_stage<GPU_LOOK, 0>(r, 0);
    default: break;
    }
    switch (with) {
    case 0: return launch_stage<GPU_DAMP, 0>(r, 0);
    case 1: return launch_stage<GPU_DAMP, 1>(r, 0);
    case 2: return launch_stage<GPU_DAMP, 2>(r, 0);
    case 3: return launch_stage<GPU_DAMP, 3>(r, 0);
    default: return launch_stage<GPU_DAMP, 4>(r, 0);
    }
}
