/* A device: memory of its own, and launches. Two there are: a GPU through CUDA, and one that the host plays,
 * with which every machine can test the kernels. What goes wrong is told as a text that lasts; NULL: nothing.
 */
#ifndef BACKEND_CUDA_GPU_H
#define BACKEND_CUDA_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kernels that know what their robots are: see IS_PLAIN. Only those of few voxels are many. */
typedef enum gpu_variant {
    GPU_USUAL,    /* all that is plain, nothing else */
    GPU_TOUCHING, /* they may touch themselves, too */
    GPU_PLAIN,    /* some of that */
    GPU_GENERAL,  /* anything, tables of any size */
    GPU_VARIANTS
} gpu_variant;
enum { GPU_SPECIAL_VOXELS = 256 };

/* Blocks to be launched: those of the robots numbered in `slots`, `count` of them. */
typedef struct gpu_launch {
    const void *robots;   /* on the device */
    const int32_t *slots; /* likewise */
    int32_t count;
    int32_t threads; /* of a block: see BLOCK_THREADS */
    size_t shared;   /* bytes */
    bool single;
    int32_t variant; /* gpu_variant */
} gpu_launch;

/* Kernels of one body over a grid: see grid.h. Of what grows and moves there are two: 1: voxels may touch;
 * and one that moves those that did: 2. */
typedef enum gpu_stage {
    GPU_CONTROL,
    GPU_GROW,
    GPU_HOLD,
    GPU_PRESSURE,
    GPU_SHARE,
    GPU_MOVE_AT_ONCE,
    GPU_KICK,
    GPU_DAMP,
    GPU_MOVE,
    GPU_LOOK,
    GPU_CLEAR,  /* before the first step */
    GPU_BODIES, /* voxels with contacts: 0: before damping, 1: after it */
    GPU_PAIRS,  /* by a whole grid: see whole.h */
    GPU_ROWS,   /* contacts: 0: their order, 1: where they begin, 2: where they end */
    GPU_TOUCH   /* by a whole grid; 1: before damping, 2: after it, 3: both */
} gpu_stage;

/* What there is of one. */
typedef struct gpu_facts {
    char name[128];
    size_t memory, free_memory; /* bytes */
    int32_t processors;         /* multiprocessors */
    int32_t major, minor;       /* compute capability */
} gpu_facts;

typedef struct gpu {
    const char *kind;    /* "cuda", "emulated" */
    int64_t launch_most; /* steps of a launch, at most */
    const char *(*check)(
        size_t *shared); /* whether it is there: bytes of shared memory that a block can have */
    const char *(*open)(gpu_facts *facts);
    const char *(*allocate)(size_t bytes, void **memory);
    void (*release)(void *memory);
    /* of the host, from where copies are fast; NULL: none */
    void *(*allocate_host)(size_t bytes);
    void (*release_host)(void *memory);
    const char *(*write)(void *to, const void *from, size_t bytes);
    const char *(*read)(void *to, const void *from, size_t bytes);
    const char *(*blocks)(const gpu_launch *launch);
    /* A kernel of one body: `robot` is on the host, with the device's addresses. */
    const char *(*stage)(bool single, const void *robot, int32_t voxels, gpu_stage stage, int with);
    const char *(*copy)(void *to, const void *from, size_t bytes); /* on the device */
    const char *(*finish)(void);                                   /* waits for all launches */
} gpu;

extern const gpu vxe_gpu_emulated;
/* NULL: this build has none. */
const gpu *vxe_gpu_cuda(void);

#ifdef __cplusplus
}
#endif

#endif
