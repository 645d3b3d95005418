/* A block of threads: its shared memory, what each thread keeps to itself, and phases between barriers. On
 * the host the threads of a block run one after another through each phase. */
#ifndef BACKEND_CUDA_SHARED_H
#define BACKEND_CUDA_SHARED_H

#include "backend/cuda/physics.h"

#include <stddef.h>

#ifdef __CUDACC__
#define BLOCK_OR(place, bits) atomicOr((int *)(place), (int)(bits))
#define BLOCK_COUNT(place) atomicAdd((unsigned long long *)(place), 1ULL)
/* Numbers that are not negative are in the order of their bits. */
#define BLOCK_MOST(place, value)                                                                             \
    atomicMax((unsigned long long *)(place), (unsigned long long)__double_as_longlong(value))
#define BLOCK_LEAST(place, value)                                                                            \
    atomicMin((unsigned long long *)(place), (unsigned long long)__double_as_longlong(value))
#define BLOCK_PHASE(call, b, o)                                                                              \
    do {                                                                                                     \
        call(b, &(o)[0], (int32_t)threadIdx.x);                                                              \
        __syncthreads();                                                                                     \
    } while (0)
#define BLOCK_PHASE_OF(call, b, o, with)                                                                     \
    do {                                                                                                     \
        call(b, &(o)[0], (int32_t)threadIdx.x, with);                                                        \
        __syncthreads();                                                                                     \
    } while (0)
/* Likewise; sets `any` if any thread has found something. Nobody needs to look it up, so that one thread can
 * go on and change it. */
#define BLOCK_PHASE_ANY(any, call, b, o) (any) |= __syncthreads_or(call(b, &(o)[0], (int32_t)threadIdx.x))
#define BLOCK_PHASE_ANY_OF(any, call, b, o, with)                                                            \
    (any) |= __syncthreads_or(call(b, &(o)[0], (int32_t)threadIdx.x, with))
#else
#define BLOCK_PHASE_ANY(any, call, b, o)                                                                     \
    do {                                                                                                     \
        for (int32_t t_ = 0; t_ < (b)->threads; t_++) (any) |= call(b, &(o)[t_], t_);                        \
    } while (0)
#define BLOCK_PHASE_ANY_OF(any, call, b, o, with)                                                            \
    do {                                                                                                     \
        for (int32_t t_ = 0; t_ < (b)->threads; t_++) (any) |= call(b, &(o)[t_], t_, with);                  \
    } while (0)
#define BLOCK_OR(place, bits) (*(place) |= (bits))
#define BLOCK_COUNT(place) (++*(place))
#define BLOCK_MOST(place, value)                                                                             \
    do {                                                                                                     \
        if ((value) > *(place)) *(place) = (value);                                                          \
    } while (0)
#define BLOCK_LEAST(place, value)                                                                            \
    do {                                                                                                     \
        if ((value) < *(place)) *(place) = (value);                                                          \
    } while (0)
#define BLOCK_PHASE(call, b, o)                                                                              \
    do {                                                                                                     \
        for (int32_t t_ = 0; t_ < (b)->threads; t_++) call(b, &(o)[t_], t_);                                 \
    } while (0)
#define BLOCK_PHASE_OF(call, b, o, with)                                                                     \
    do {                                                                                                     \
        for (int32_t t_ = 0; t_ < (b)->threads; t_++) call(b, &(o)[t_], t_, with);                           \
    } while (0)
#endif

/* The largest of all threads' numbers, none of which is negative, goes to a shared place. */
DEVICE void block_most(double *place, double value)
{
#ifdef __CUDACC__
    for (int k = 16; k > 0; k >>= 1) {
        const double other = __shfl_xor_sync(0xffffffffU, value, k);
        value = other > value ? other : value;
    }
    if (threadIdx.x % 32 == 0 && value > 0.0) BLOCK_MOST(place, value);
#else
    BLOCK_MOST(place, value);
#endif
}

/* Four and two numbers of a voxel lie together, so that a thread takes them at once. */
typedef struct real4 {
    real x, y, z, w;
} real4;

DEVICE real4 block_get4(const real *at, int32_t v)
{
    real4 q;
#ifdef __CUDACC__
#ifdef VXE_REAL_IS_FLOAT
    const float4 f = ((const float4 *)at)[v];
    q.x = f.x, q.y = f.y, q.z = f.z, q.w = f.w;
#else
    const double2 f = ((const double2 *)at)[2 * v], g = ((const double2 *)at)[2 * v + 1];
    q.x = f.x, q.y = f.y, q.z = g.x, q.w = g.y;
#endif
#else
    q.x = at[4 * v], q.y = at[4 * v + 1], q.z = at[4 * v + 2], q.w = at[4 * v + 3];
#endif
    return q;
}

DEVICE void block_put4(real *at, int32_t v, real x, real y, real z, real w)
{
#ifdef __CUDACC__
#ifdef VXE_REAL_IS_FLOAT
    ((float4 *)at)[v] = make_float4(x, y, z, w);
#else
    ((double2 *)at)[2 * v] = make_double2(x, y);
    ((double2 *)at)[2 * v + 1] = make_double2(z, w);
#endif
#else
    at[4 * v] = x, at[4 * v + 1] = y, at[4 * v + 2] = z, at[4 * v + 3] = w;
#endif
}

DEVICE void block_get2(const real *at, int32_t v, real *x, real *y)
{
#ifdef __CUDACC__
#ifdef VXE_REAL_IS_FLOAT
    const float2 f = ((const float2 *)at)[v];
#else
    const double2 f = ((const double2 *)at)[v];
#endif
    *x = f.x, *y = f.y;
#else
    *x = at[2 * v], *y = at[2 * v + 1];
#endif
}

DEVICE void block_put2(real *at, int32_t v, real x, real y)
{
#ifdef __CUDACC__
#ifdef VXE_REAL_IS_FLOAT
    ((float2 *)at)[v] = make_float2(x, y);
#else
    ((double2 *)at)[v] = make_double2(x, y);
#endif
#else
    at[2 * v] = x, at[2 * v + 1] = y;
#endif
}

/* Two vectors of each voxel. */
typedef struct block_six {
    real *four, *two;
} block_six;

DEVICE void block_get6(block_six s, int32_t v, rvec *first, rvec *second)
{
    const real4 q = block_get4(s.four, v);
    *first = rvec_make(q.x, q.y, q.z);
    second->x = q.w;
    block_get2(s.two, v, &second->y, &second->z);
}

DEVICE void block_put6(block_six s, int32_t v, rvec first, rvec second)
{
    block_put4(s.four, v, first.x, first.y, first.z, second.x);
    block_put2(s.two, v, second.y, second.z);
}

/* Where things are. */
typedef struct block {
    const robot *r;
    robot_control *c; /* shared */
    int32_t threads;
    int32_t is; /* robot.is */
    /* shared, of each voxel */
    double *position[3];
    double *growth;
    real *size; /* its growth and pressure */
    real *orientation;
    real *way[3];      /* of links: the vector to the far end; its length, then 1 over the square of that */
    block_six motion;  /* velocity and spin */
    block_six give[3]; /* what links do to their far ends: force, moment; */
    real *give_rate[3];
    real *strain[3]; /* before: strains, in the same place */
} block;

/* What a thread keeps to itself. */
typedef struct block_own {
    uint32_t
        ends[3]; /* far end of its link, and near end of the one that comes in: in 16 bits, 0xffff: none */
    uint16_t kind[3];
    uint16_t material;
    uint8_t fixed, stuck;
    rvec near_force, near_moment; /* from links towards larger coordinates */
    real near_sum;                /* rates, or strains */
    real length, size;
    rvec v0, w0, guess;
    double then; /* s: when the next step begins */
    double rest;
    double source, past; /* of shared pressure */
    damped_link link;    /* of the next pass of damping */
} block_own;

enum { BLOCK_NONE = 0xffff };

DEVICE int32_t block_next(const block_own *o, int a) { return (int32_t)(o->ends[a] & 0xffffU); }
DEVICE int32_t block_previous(const block_own *o, int a) { return (int32_t)(o->ends[a] >> 16); }

/* Bytes of shared memory. */
DEVICE size_t block_shared_bytes(int32_t threads)
{
    return (sizeof(robot_control) + 15) / 16 * 16 +
           (size_t)threads * (4 * sizeof(double) + (2 + 4 + 12 + 6 + 21) * sizeof(real));
}

DEVICE real *block_carve(real **at, size_t count)
{
    real *here = *at;
    *at += count;
    return here;
}

DEVICE block_six block_carve_six(real **at, size_t n)
{
    block_six s;
    s.four = block_carve(at, 4 * n);
    s.two = block_carve(at, 2 * n);
    return s;
}

/* `threads` is a multiple of 64: all of it lies at multiples of 16 bytes. */
DEVICE void block_lay_out(block *b, char *memory)
{
    const size_t n = (size_t)b->threads;
    b->c = (robot_control *)(void *)memory;
    double *wide = (double *)(void *)(memory + (sizeof(robot_control) + 15) / 16 * 16);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) b->position[a] = wide + (size_t)a * n;
    b->growth = wide + 3 * n;
    real *at = (real *)(void *)(wide + 4 * n);
    b->size = block_carve(&at, 2 * n);
    b->orientation = block_carve(&at, 4 * n);
    b->motion = block_carve_six(&at, n);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) b->way[a] = block_carve(&at, 4 * n);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) b->give[a] = block_carve_six(&at, n);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) b->give_rate[a] = block_carve(&at, n);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) b->strain[a] = b->give[0].four + (size_t)a * n;
}

DEVICE voxel_place block_place(const block *b, const block_own *o, int32_t v)
{
    voxel_place p;
    p.x = b->position[0][v];
    p.y = b->position[1][v];
    p.z = b->position[2][v];
    p.growth = b->growth[v];
    p.rest = o->rest;
    p.material = o->material;
    p.fixed = o->fixed;
    p.stuck = o->stuck;
    return p;
}

#endif
