/* What there is once per precision: packing (pack.h), and the block program run on the host. */
#ifndef BACKEND_CUDA_CODE_H
#define BACKEND_CUDA_CODE_H

#include "backend/cuda/control.h"
#include "backend/cuda/gpu.h"
#include "sim/state.h"

/* Voxels of a body that a block of threads can step, at most. */
#define BLOCK_VOXELS_MAX 1024
/* Threads of the block for so many voxels: there is a kernel for each number. */
#define BLOCK_THREADS(voxels)                                                                                \
    ((voxels) <= 64 ? 64 : (voxels) <= 128 ? 128 : (voxels) <= 256 ? 256 : (voxels) <= 512 ? 512 : 1024)

/* Classes of links that a body of one block can have: see DAMPED_LINK. */
#define ROBOT_CLASSES_MAX 4094

/* Pairs of voxels that there is room for, beside bodies of so many voxels. */
#define ROBOT_PAIRS(voxels) (12 * (voxels))
/* And for so many that touch. */
#define ROBOT_TOUCHES(voxels) (2 * (voxels))
/* The same of a body that takes a grid, */
#define GRID_PAIRS(voxels) (8 * (voxels))
#define GRID_TOUCHES(voxels) (voxels)
/* and packs for these: see touch_pack. */
#define GRID_PACKS(voxels) (GRID_TOUCHES(voxels) / 16 + 64)

/* What a body has on a device, in pieces that travel one by one. */
typedef enum robot_piece {
    PIECE_LINKS,  /* constants that change with the links only */
    PIECE_TABLES, /* the other ones */
    PIECE_STATE,
    PIECE_PAIRS, /* that may touch, and those that do */
    PIECES_HERE, /* of these the host has a copy */
    PIECE_ROOM = PIECES_HERE,
    PIECES
} robot_piece;

/* Bytes of them. */
typedef struct robot_room {
    size_t bytes[PIECES];
} robot_room;

/* Where they lie. */
typedef struct robot_pieces {
    char *at[PIECES];
} robot_pieces;

/* `robot` of robot.h is what the addresses called `robot` here point to. */
typedef struct robot_code {
    size_t bytes;     /* of a robot */
    size_t own_bytes; /* of block_own */
    robot_room (*measure)(const vxe_sim *sim);
    /* Fills a robot on the host, whose arrays lie in these pieces of memory, and its constants; those
     * that only change with the links, if they did. */
    void (*pack_constants)(const vxe_sim *sim, void *robot, robot_pieces at, bool links);
    /* The same robot with the device's addresses. */
    void (*address)(const vxe_sim *sim, void *robot, robot_pieces at, robot_control *control);
    int (*variant)(const void *robot); /* of the kernels: see gpu_launch */
    void (*pack_state)(const vxe_sim *sim, const void *robot);
    void (*unpack_state)(vxe_sim *sim, const void *robot, state_set arrays);
    void (*unpack_rates)(vxe_sim *sim, const void *robot); /* which the time step depends on */
    /* The list of pairs that the device has made. */
    void (*unpack_pairs)(vxe_sim *sim, const void *robot, const robot_control *control);
    /* Those of a body that takes a grid; `robot` has the device's addresses. */
    const char *(*send_pairs)(const vxe_sim *sim, const void *robot, const struct gpu *device);
    const char *(*fetch_pairs)(vxe_sim *sim, const void *robot, const robot_control *control,
                               const struct gpu *device);
    size_t (*shared)(int32_t threads, const void *robot); /* bytes of shared memory of a block */
    size_t (*shared_most)(int32_t threads);               /* with the largest tables */
    /* Runs the block program of one robot, all threads in turn. */
    void (*emulate)(const void *robots, int32_t which, int32_t threads, void *shared, void *own);
    /* Runs a kernel of one body (gpu_stage), all voxels in turn. */
    void (*emulate_stage)(const void *robot, int32_t voxels, int stage, int with);
    /* The robot that begins where this one ends: its two states exchanged. */
    void (*turn)(void *robot);
    /* Where a state taken at once lies, and where it is to be: pieces of memory; how many there are. */
    int (*halves)(const void *robot, void *to[16], const void *from[16], size_t bytes[16]);
} robot_code;

extern const robot_code vxe_robot_code_double, vxe_robot_code_single;

#endif
