/* The device that the host plays: its memory is the host's, its blocks run one after the other, and the
 * threads of a block in turn between barriers. For tests. */
#include "backend/cuda/code.h"
#include "backend/cuda/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *check_emulated(size_t *shared)
{
    *shared = (size_t)227 << 10;
    return NULL;
}

static const char *open_emulated(gpu_facts *facts)
{
    memset(facts, 0, sizeof *facts);
    (void)snprintf(facts->name, sizeof facts->name, "the kernels on this processor");
    facts->memory = facts->free_memory = (size_t)1 << 34;
    facts->processors = 1;
    return NULL;
}

static const char *allocate_emulated(size_t bytes, void **memory)
{
    *memory = malloc(bytes > 0 ? bytes : 1);
    if (*memory == NULL) return "out of memory";
    memset(*memory, 0xff, bytes); /* nobody has cleared it */
    return NULL;
}

static void *allocate_host_emulated(size_t bytes) { return calloc(bytes > 0 ? bytes : 1, 1); }

static const char *copy_emulated(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return NULL;
}

static const char *blocks_emulated(const gpu_launch *launch)
{
    const robot_code *code = launch->single ? &vxe_robot_code_single : &vxe_robot_code_double;
    char *shared = malloc(launch->shared);
    char *own = calloc((size_t)launch->threads, code->own_bytes);
    for (int32_t i = 0; i < launch->count && shared != NULL && own != NULL; i++) {
        memset(shared, 0xff, launch->shared); /* as on a GPU, nobody has cleared it */
        code->emulate(launch->robots, launch->slots[i], launch->threads, shared, own);
    }
    const bool enough = shared != NULL && own != NULL;
    free(shared);
    free(own);
    return enough ? NULL : "out of memory";
}

static const char *stage_emulated(bool single, const void *robot, int32_t voxels, gpu_stage stage, int with)
{
    const robot_code *code = single ? &vxe_robot_code_single : &vxe_robot_code_double;
    code->emulate_stage(robot, voxels, (int)stage, with);
    return NULL;
}

static const char *finish_emulated(void) { return NULL; }

const gpu vxe_gpu_emulated = {.kind = "emulated",
                              .launch_most = 50, /* few, so that tests go on from one to the next */
                              .check = check_emulated,
                              .open = open_emulated,
                              .allocate = allocate_emulated,
                              .release = free,
                              .allocate_host = allocate_host_emulated,
                              .release_host = free,
                              .write = copy_emulated,
                              .read = copy_emulated,
                              .blocks = blocks_emulated,
                              .stage = stage_emulated,
                              .copy = copy_emulated,
                              .finish = finish_emulated};
