/* Kernels that are stages of one body: included by stages_double.cu and stages_single.cu. */
#include "backend/cuda/kernels.h"

#include "backend/cuda/grid_touch.h"

namespace
{

enum { STAGE_THREADS = 128, CONTROL_THREADS = 128 };

/* Blocks of a kernel with links that a multiprocessor is to hold at once: fewer registers, more to do while
 * others wait for memory. */
#ifdef VXE_REAL_IS_FLOAT
#define LAUNCH_STAGE vxe_launch_stage_single
#ifndef BLOCKS_OF_LINKS
#define BLOCKS_OF_LINKS 8
#endif
#else
#define LAUNCH_STAGE vxe_launch_stage_double
#ifndef BLOCKS_OF_LINKS
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
    double *const watched = grid_watched(&r, stage, with);
    double value = 0.0;
    if (r.control->why != ROBOT_RUNS && stage != GPU_CLEAR) return;
    if ((stage == GPU_BODIES || (stage == GPU_MOVE && with == MOVES_TOUCHED)) && r.crowd->rows == 0) return;
    if (stage == GPU_KICK || stage == GPU_MOVE_AT_ONCE) { /* whole warps */
        const int32_t lane = i % GRID_LANES;
        const int32_t v = i / GRID_LANES * GRID_OWN_LANES + lane - 1;
        const int there = v >= 0 && v < r.voxels;
        value = grid_stage_with_links(&r, stage, with, v, there, there && lane > 0);
    } else if (stage == GPU_DAMP && with == 2) { /* of two voxels one does it for both, mostly */
        if (2 * i < r.voxels) grid_stage(&r, stage, with, 2 * i);
        if (2 * i + 1 < r.voxels) grid_stage(&r, stage, with, 2 * i + 1);
    } else if (i < r.voxels) {
        value = grid_stage(&r, stage, stage == GPU_SHARE ? given : with, i);
    }
    if ((stage == GPU_GROW || stage == GPU_MOVE || stage == GPU_MOVE_AT_ONCE) && watched != NULL)
        grid_most(watched, value);
}

/* Kernels of a whole grid: as many blocks as there is room for at once. */
enum { PAIR_THREADS = 512, TOUCH_THREADS = 192, WHOLE_BLOCKS = 2 };

__global__ void __launch_bounds__(PAIR_THREADS, WHOLE_BLOCKS) run_pairs(const __grid_constant__ robot r)
{
    pairs_run(&r);
}

__global__ void __launch_bounds__(TOUCH_THREADS, WHOLE_BLOCKS)
    run_touch(const __grid_constant__ robot r, int what)
{
    touch_lane own;
    touch_run(&r, &own, what);
}

/* Kernels of contacts that need no others: as many blocks as do some good. */
enum { ROW_THREADS = 128, ROW_BLOCKS = 8 };

template <int what>
__global__ void __launch_bounds__(ROW_THREADS, what == 0 ? 8 : 4) run_rows(const __grid_constant__ robot r)
{
    const int32_t thread = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    const int32_t threads = (int32_t)(gridDim.x * blockDim.x);
    if (r.control->why != ROBOT_RUNS || r.crowd->rows == 0) return;
    touch_lane own;
    if (what == 0) touch_order_groups(&r, &own, thread / WHOLE_LANES, threads / WHOLE_LANES);
    if (what == 1) touch_begin_rows(&r, thread, threads);
    if (what == 2) touch_close_rows(&r, thread, threads);
}

template <int what> cudaError_t launch_rows(const robot *r)
{
    int processors = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (error != cudaSuccess) return error;
    run_rows<what><<<(unsigned)(ROW_BLOCKS * processors), ROW_THREADS>>>(*r);
    return cudaGetLastError();
}

cudaError_t launch_whole(const void *kernel, int threads, void **arguments)
{
    int processors = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (error != cudaSuccess) return error;
    return cudaLaunchCooperativeKernel(kernel, dim3((unsigned)(WHOLE_BLOCKS * processors)),
                                       dim3((unsigned)threads), arguments, 0, 0);
}

template <int stage, int with> cudaError_t launch_stage(const robot *r, int given)
{
    const int32_t threads = stage == GPU_DAMP && with == 2 ? (r->voxels + 1) / 2
                            : stage == GPU_KICK || stage == GPU_MOVE_AT_ONCE
                                ? (r->voxels + GRID_OWN_LANES - 1) / GRID_OWN_LANES * GRID_LANES
                                : r->voxels;
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
    case GPU_GROW: return with ? launch_stage<GPU_GROW, 1>(r, 0) : launch_stage<GPU_GROW, 0>(r, 0);
    case GPU_HOLD: return launch_stage<GPU_HOLD, 0>(r, 0);
    case GPU_PRESSURE: return launch_stage<GPU_PRESSURE, 0>(r, 0);
    case GPU_SHARE: return launch_stage<GPU_SHARE, 0>(r, with);
    case GPU_MOVE_AT_ONCE:
        return with ? launch_stage<GPU_MOVE_AT_ONCE, 1>(r, 0) : launch_stage<GPU_MOVE_AT_ONCE, 0>(r, 0);
    case GPU_KICK: return with ? launch_stage<GPU_KICK, 1>(r, 0) : launch_stage<GPU_KICK, 0>(r, 0);
    case GPU_MOVE:
        return with == MOVES_ALL      ? launch_stage<GPU_MOVE, MOVES_ALL>(r, 0)
               : with == MOVES_PAIRED ? launch_stage<GPU_MOVE, MOVES_PAIRED>(r, 0)
                                      : launch_stage<GPU_MOVE, MOVES_TOUCHED>(r, 0);
    case GPU_BODIES: return with ? launch_stage<GPU_BODIES, 1>(r, 0) : launch_stage<GPU_BODIES, 0>(r, 0);
    case GPU_LOOK: return launch_stage<GPU_LOOK, 0>(r, 0);
    case GPU_CLEAR: return launch_stage<GPU_CLEAR, 0>(r, 0);
    case GPU_PAIRS: {
        void *arguments[] = {const_cast<void *>(at)};
        return launch_whole((const void *)run_pairs, PAIR_THREADS, arguments);
    }
    case GPU_ROWS: return with == 0 ? launch_rows<0>(r) : with == 1 ? launch_rows<1>(r) : launch_rows<2>(r);
    case GPU_TOUCH: {
        void *arguments[] = {const_cast<void *>(at), &with};
        return launch_whole((const void *)run_touch, TOUCH_THREADS, arguments);
    }
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
