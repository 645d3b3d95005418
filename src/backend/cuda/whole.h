/* Kernels that a whole grid takes together: all their blocks are there at once, and wait for each other
 * between phases. On the host the threads run one after another through each phase. */
#ifndef BACKEND_CUDA_WHOLE_H
#define BACKEND_CUDA_WHOLE_H

#include "backend/cuda/contacts.h"
#include "backend/cuda/grid.h"

enum { WHOLE_LANES = 32, WHOLE_HOST_WARPS = 5, WHOLE_HOST_THREADS = WHOLE_HOST_WARPS * WHOLE_LANES };

#ifdef __CUDACC__
/* A phase of all threads. */
#define WHOLE_PHASE(call, r)                                                                                 \
    do {                                                                                                     \
        call(r, (int32_t)(blockIdx.x * blockDim.x + threadIdx.x), (int32_t)(gridDim.x * blockDim.x));        \
        whole_wait(r);                                                                                       \
    } while (0)
/* A phase of all warps: the lanes of each have their own in `o`. */
#define WHOLE_WARPS(call, r, o, with)                                                                        \
    do {                                                                                                     \
        call(r, &(o)[0], (int32_t)((blockIdx.x * blockDim.x + threadIdx.x) / WHOLE_LANES),                   \
             (int32_t)(gridDim.x * blockDim.x / WHOLE_LANES), with);                                         \
        whole_wait(r);                                                                                       \
    } while (0)
/* What the lanes of a warp do, before they need each other's. */
#define WARP_PHASE(call, g, o)                                                                               \
    do {                                                                                                     \
        call(g, &(o)[0], (int32_t)(threadIdx.x % WHOLE_LANES));                                              \
        __syncwarp();                                                                                        \
    } while (0)
#define WARP_PHASE_OF(call, g, o, with)                                                                      \
    do {                                                                                                     \
        call(g, &(o)[0], (int32_t)(threadIdx.x % WHOLE_LANES), with);                                        \
        __syncwarp();                                                                                        \
    } while (0)
/* Likewise; the bits that any of them has found. */
#define WARP_ANY(any, call, g, o)                                                                            \
    do {                                                                                                     \
        (any) |=                                                                                             \
            (int)__reduce_or_sync(0xffffffffU, (unsigned)call(g, &(o)[0], (int32_t)(threadIdx.x % 32)));     \
        __syncwarp();                                                                                        \
    } while (0)
#define WARP_ANY_OF(any, call, g, o, with)                                                                   \
    do {                                                                                                     \
        (any) |= (int)__reduce_or_sync(0xffffffffU,                                                          \
                                       (unsigned)call(g, &(o)[0], (int32_t)(threadIdx.x % 32), with));       \
        __syncwarp();                                                                                        \
    } while (0)
/* The least number that any of them says. */
#define WARP_LEAST(least, call, g, o, with)                                                                  \
    (least) = __reduce_min_sync(0xffffffffU, call(g, &(o)[0], (int32_t)(threadIdx.x % 32), with))
#define WHOLE_ADD(place, count) atomicAdd(place, count)
#define WHOLE_LOOK(place) (*(volatile int32_t *)(place))
#else
#define WHOLE_PHASE(call, r)                                                                                 \
    do {                                                                                                     \
        for (int32_t t_ = 0; t_ < WHOLE_HOST_THREADS; t_++) call(r, t_, WHOLE_HOST_THREADS);                 \
    } while (0)
#define WHOLE_WARPS(call, r, o, with)                                                                        \
    do {                                                                                                     \
        for (int32_t w_ = 0; w_ < WHOLE_HOST_WARPS; w_++) call(r, o, w_, WHOLE_HOST_WARPS, with);            \
    } while (0)
#define WARP_PHASE(call, g, o)                                                                               \
    do {                                                                                                     \
        for (int32_t l_ = 0; l_ < WHOLE_LANES; l_++) call(g, &(o)[l_], l_);                                  \
    } while (0)
#define WARP_PHASE_OF(call, g, o, with)                                                                      \
    do {                                                                                                     \
        for (int32_t l_ = 0; l_ < WHOLE_LANES; l_++) call(g, &(o)[l_], l_, with);                            \
    } while (0)
#define WARP_ANY(any, call, g, o)                                                                            \
    do {                                                                                                     \
        for (int32_t l_ = 0; l_ < WHOLE_LANES; l_++) (any) |= call(g, &(o)[l_], l_);                         \
    } while (0)
#define WARP_ANY_OF(any, call, g, o, with)                                                                   \
    do {                                                                                                     \
        for (int32_t l_ = 0; l_ < WHOLE_LANES; l_++) (any) |= call(g, &(o)[l_], l_, with);                   \
    } while (0)
#define WARP_LEAST(least, call, g, o, with)                                                                  \
    do {                                                                                                     \
        (least) = INT32_MAX;                                                                                 \
        for (int32_t l_ = 0; l_ < WHOLE_LANES; l_++) {                                                       \
            const int32_t one_ = call(g, &(o)[l_], l_, with);                                                \
            if (one_ < (least)) (least) = one_;                                                              \
        }                                                                                                    \
    } while (0)
#define WHOLE_ADD(place, count) ((*(place) += (count)) - (count))
#define WHOLE_LOOK(place) (*(place))
#endif

#ifdef __CUDACC__
/* All blocks have come here. What they wrote before is there for all. */
DEVICE void whole_wait(const robot *r)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long *arrived = (unsigned long long *)&r->crowd->arrived;
        __threadfence();
        const unsigned long long before = atomicAdd(arrived, 1ULL);
        const unsigned long long all = (before / gridDim.x + 1) * gridDim.x;
        while (*(volatile unsigned long long *)arrived < all) {
        }
        __threadfence();
    }
    __syncthreads();
}
#endif

/* A place for `count` things of this thread behind a counter: those of a warp get theirs together. All lanes
 * of a warp come here. */
DEVICE int32_t whole_reserve(int32_t *counter, int32_t count)
{
#ifdef __CUDACC__
    const int lane = (int)(threadIdx.x % 32);
    int32_t sum = count;
    for (int d = 1; d < 32; d *= 2) {
        const int32_t other = __shfl_up_sync(0xffffffffU, sum, d);
        if (lane >= d) sum += other;
    }
    const int32_t all = __shfl_sync(0xffffffffU, sum, 31);
    int32_t at = 0;
    if (lane == 31 && all > 0) at = atomicAdd(counter, all);
    return __shfl_sync(0xffffffffU, at, 31) + sum - count;
#else
    return WHOLE_ADD(counter, count);
#endif
}

/* Adds numbers of all lanes. */
DEVICE void whole_add(int64_t *place, int32_t count)
{
#ifdef __CUDACC__
    const int sum = __reduce_add_sync(0xffffffffU, count);
    if (threadIdx.x % 32 == 0 && sum != 0) atomicAdd((unsigned long long *)place, (unsigned long long)sum);
#else
    *place += count;
#endif
}

/* The largest of all lanes goes to a place. */
DEVICE void whole_largest(int64_t *place, double value)
{
    int64_t order = grid_order(value);
#ifdef __CUDACC__
    for (int d = 16; d > 0; d /= 2) {
        const int64_t other = __shfl_xor_sync(0xffffffffU, (long long)order, d);
        if (other > order) order = other;
    }
    if (threadIdx.x % 32 == 0 && order > *(volatile int64_t *)place)
        atomicMax((long long *)place, (long long)order);
#else
    if (order > *place) *place = order;
#endif
}

#endif
