/* Kernels whose blocks step a body each: included by blocks_double.cu and blocks_single.cu. */
#include "backend/cuda/kernels.h"

#include "backend/cuda/block.h"

/* Both precisions have kernels of the same names: each keeps its own to itself. */
namespace
{

extern __shared__ double shared_memory[];

/* Threads of a multiprocessor that have room at once: registers are worth more than more blocks from here on,
 * as measured on an H200. */
#ifdef VXE_REAL_IS_FLOAT
#define LAUNCH_BLOCKS vxe_launch_blocks_single
#define THREADS_AT_ONCE(threads) ((threads) < 256 ? 640 : 768)
#define THREADS_MOST 1024
#else
#define LAUNCH_BLOCKS vxe_launch_blocks_double
#define THREADS_AT_ONCE(threads) 512
#define THREADS_MOST 512 /* no more have room in shared memory */
#endif

/* What a kernel knows when it is compiled need not be looked up: how many threads there are, and that plain
 * bodies are nothing else. Each takes seconds to compile, so only what populations are made of has one for
 * every number of threads; the others are for up to so many. */
template <int threads, int variant>
__global__ void __launch_bounds__(threads, variant == GPU_USUAL || variant == GPU_TOUCHING
                                               ? THREADS_AT_ONCE(threads) / threads
                                           : threads < 512 ? 512 / threads
                                                           : 1)
    run_blocks(const robot *robots, const int32_t *slots)
{
    block b;
    block_own own;
    const robot *r = &robots[slots[blockIdx.x]];
    b.threads = variant == GPU_USUAL || variant == GPU_TOUCHING ? threads : (int32_t)blockDim.x;
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
        <<<(unsigned)l->count, (unsigned)l->threads, l->shared>>>((const robot *)l->robots, l->slots);
    return cudaGetLastError();
}

template <int variant> cudaError_t launch_special(const gpu_launch *l)
{
    switch (l->threads) {
    case 64: return launch_one<64, variant>(l);
    case 128: return launch_one<128, variant>(l);
    case 256: return launch_one<256, variant>(l);
    default: return cudaErrorInvalidValue;
    }
}

} // namespace

int LAUNCH_BLOCKS(const gpu_launch *l)
{
    static_assert(GPU_SPECIAL_VOXELS == 256, "these have kernels");
    switch (l->variant) {
    case GPU_USUAL: return launch_special<GPU_USUAL>(l);
    case GPU_TOUCHING: return launch_special<GPU_TOUCHING>(l);
    case GPU_PLAIN: return launch_one<GPU_SPECIAL_VOXELS, GPU_PLAIN>(l);
    default: break;
    }
    if (l->threads <= 512) return launch_one<512, GPU_GENERAL>(l);
    return launch_one<THREADS_MOST, GPU_GENERAL>(l);
}
