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
/* What each thread does for itself, before others need it. */
#define BLOCK_EACH(call, b, o) call(b, &(o)[0], (int32_t)threadIdx.x)
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
#define BLOCK_EACH(call, b, o) BLOCK_PHASE(call, b, o)
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
    const unsigned high = (unsigned)__double2hiint(value > 0.0 ? value : 0.0);
    const unsigned most = __reduce_max_sync(0xffffffffU, high);
    const unsigned low =
        __reduce_max_sync(0xffffffffU, value > 0.0 && high == most ? (unsigned)__double2loint(value) : 0U);
    if (threadIdx.x % 32 == 0 && (most | low) != 0U) BLOCK_MOST(place, __hiloint2double((int)most, (int)low));
#else
    BLOCK_MOST(place, value);
#endif
}

/* Four and two numbers of a voxel lie together, so that a thread takes them at once: 16 bytes at a time, next
 * to those of other threads. */
typedef struct real4 {
    real x, y, z, w;
} real4;

typedef struct block_four {
    real *xy, *zw;
} block_four;

#ifdef VXE_REAL_IS_FLOAT
enum { FOUR_STRIDE = 4 };
#else
enum { FOUR_STRIDE = 2 };
#endif

/* Of `n` voxels from a place on. */
DEVICE block_four block_four_at(real *at, size_t n)
{
    block_four s;
    s.xy = at;
    s.zw = FOUR_STRIDE == 4 ? at + 2 : at + 2 * n;
    return s;
}

DEVICE real4 block_get4(block_four s, int32_t v)
{
    real4 q;
#ifdef __CUDACC__
#ifdef VXE_REAL_IS_FLOAT
    const float4 f = ((const float4 *)s.xy)[v];
    q.x = f.x, q.y = f.y, q.z = f.z, q.w = f.w;
#else
    const double2 f = ((const double2 *)s.xy)[v], g = ((const double2 *)s.zw)[v];
    q.x = f.x, q.y = f.y, q.z = g.x, q.w = g.y;
#endif
#else
    q.x = s.xy[FOUR_STRIDE * v], q.y = s.xy[FOUR_STRIDE * v + 1];
    q.z = s.zw[FOUR_STRIDE * v], q.w = s.zw[FOUR_STRIDE * v + 1];
#endif
    return q;
}

DEVICE void block_put4(block_four s, int32_t v, real x, real y, real z, real w)
{
#ifdef __CUDACC__
#ifdef VXE_REAL_IS_FLOAT
    ((float4 *)s.xy)[v] = make_float4(x, y, z, w);
#else
    ((double2 *)s.xy)[v] = make_double2(x, y);
    ((double2 *)s.zw)[v] = make_double2(z, w);
#endif
#else
    s.xy[FOUR_STRIDE * v] = x, s.xy[FOUR_STRIDE * v + 1] = y;
    s.zw[FOUR_STRIDE * v] = z, s.zw[FOUR_STRIDE * v + 1] = w;
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
    block_four four;
    real *two;
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
    double *grown; /* growth in the next step */
    real *size;    /* its growth and pressure */
    block_four orientation;
    block_four way[3]; /* of links: the vector to the far end; its length, then 1 over the square of that */
    block_six motion;  /* velocity and spin */
    block_six give[3]; /* what links do to their far ends: force, moment; */
    real *give_rate[3];
    real *strain[3]; /* before: strains, in the same place */
    real *calm;      /* what is not remarkable: see block_calm() */
    /* tables: in shared memory, where there is room */
    link_row *links;
    voxel_row *rows;
    const sine_row *sines;
    sine_now *sines_now;
} block;

/* What a thread keeps to itself. */
typedef struct block_own {
    uint32_t
        ends[3]; /* far end of its link, and near end of the one that comes in: in 16 bits, 0xffff: none */
    uint16_t kind[3];
    uint16_t material;
    uint8_t fixed, stuck, driven;
    rvec near_force, near_moment; /* from links towards larger coordinates */
    real near_sum;                /* rates, or strains */
    real length, size;
    rvec v0, w0, guess;
    double rest;
    double source, past;   /* of shared pressure */
    damped_link damped[3]; /* that it takes in damping, by axis */
} block_own;

enum { BLOCK_NONE = 0xffff };

DEVICE int32_t block_next(const block_own *o, int a) { return (int32_t)(o->ends[a] & 0xffffU); }
DEVICE int32_t block_previous(const block_own *o, int a) { return (int32_t)(o->ends[a] >> 16); }

enum { BLOCK_CALM = 4 };
/* Tables up to this size are in shared memory. */
enum { BLOCK_CLASSES_MOST = 48, BLOCK_MATERIALS_MOST = 16 };

DEVICE size_t block_round(size_t bytes) { return (bytes + 15) / 16 * 16; }

/* Bytes of shared memory. */
DEVICE size_t block_shared_bytes(int32_t threads)
{
    return block_round(sizeof(robot_control)) + BLOCK_CALM * sizeof(real) +
           (size_t)threads * (5 * sizeof(double) + (2 + 4 + 12 + 6 + 21) * sizeof(real));
}

/* And of the tables: the robot itself, then these. */
DEVICE size_t block_table_bytes(const robot *r)
{
    const size_t materials = (size_t)r->materials + 1;
    return block_round(sizeof(robot)) + (size_t)r->classes * sizeof(link_row) +
           materials * (sizeof(voxel_row) + sizeof(sine_row) + sizeof(sine_now));
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
    s.four = block_four_at(block_carve(at, 4 * n), n);
    s.two = block_carve(at, 2 * n);
    return s;
}

/* `threads` is a multiple of 64: all of it lies at multiples of 16 bytes. */
DEVICE void block_lay_out(block *b, char *memory, const robot *r, int tables)
{
    const size_t n = (size_t)b->threads;
    b->c = (robot_control *)(void *)memory;
    double *wide = (double *)(void *)(memory + (sizeof(robot_control) + 15) / 16 * 16);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) b->position[a] = wide + (size_t)a * n;
    b->growth = wide + 3 * n;
    b->grown = wide + 4 * n;
    real *at = (real *)(void *)(wide + 5 * n);
    b->size = block_carve(&at, 2 * n);
    b->orientation = block_four_at(block_carve(&at, 4 * n), n);
    b->motion = block_carve_six(&at, n);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) b->way[a] = block_four_at(block_carve(&at, 4 * n), n);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) b->give[a] = block_carve_six(&at, n);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) b->give_rate[a] = block_carve(&at, n);
    DEVICE_UNROLL
    for (int a = 0; a < 3; a++) b->strain[a] = b->give[0].four.xy + (size_t)a * n;
    b->calm = block_carve(&at, BLOCK_CALM);
    if (!tables) {
        b->r = r;
        b->links = r->links;
        b->rows = r->rows;
        b->sines = r->sines;
        b->sines_now = r->sines_now;
        return;
    }
    char *table = (char *)at;
    const size_t materials = (size_t)r->materials + 1;
    b->r = (const robot *)(void *)table;
    table += block_round(sizeof(robot));
    b->rows = (voxel_row *)(void *)table;
    table += materials * sizeof(voxel_row);
    b->links = (link_row *)(void *)table;
    table += (size_t)r->classes * sizeof(link_row);
    b->sines = (const sine_row *)(void *)table;
    table += materials * sizeof(sine_row);
    b->sines_now = (sine_now *)(void *)table;
}

/* Threads copy a table of whole eights. */
DEVICE void block_copy(const block *b, int32_t v, const void *to, const void *from, size_t bytes)
{
    int64_t *here = (int64_t *)(uintptr_t)to;
    const int64_t *there = (const int64_t *)from;
    for (size_t i = (size_t)v; i < bytes / 8; i += (size_t)b->threads) here[i] = there[i];
}

/* Brings the tables of a robot into shared memory. */
DEVICE void block_bring(block *b, block_own *o, int32_t v, const robot *r)
{
    const size_t materials = (size_t)r->materials + 1;
    (void)o;
    if (b->r == r) return;
    block_copy(b, v, b->r, r, sizeof *r);
    block_copy(b, v, b->rows, r->rows, materials * sizeof *b->rows);
    block_copy(b, v, b->links, r->links, (size_t)r->classes * sizeof *b->links);
    block_copy(b, v, b->sines, r->sines, materials * sizeof *b->sines);
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
