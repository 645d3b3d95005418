/* Simulations that lie in the memory of a device together and are stepped at once. One that runs by itself is
 * a group of one. A group lasts as long as one of its members is there. */
#ifndef BACKEND_CUDA_GROUP_H
#define BACKEND_CUDA_GROUP_H

#include "backend/cuda/control.h"
#include "backend/cuda/gpu.h"
#include "sim/sim.h"

enum { ALONE_MOST = 256 };

/* What sim->remote is. */
typedef struct gpu_member {
    const gpu *device;
    int32_t block_most;      /* voxels: larger bodies take a grid of blocks */
    struct gpu_group *group; /* NULL: it has no place there yet */
    int32_t place;
    bool links_old;      /* the device has other links, or none */
    bool kept;           /* loads of the last step are there */
    bool fresh;          /* the host's copy of its memory there is as it is */
    bool unseen;         /* it has gone on since the host saw all of it */
    int64_t steps;       /* that the device has taken */
    int32_t touches;     /* contacts that the device remembers */
    int64_t alone;       /* steps that the host takes before it asks the device again, */
    int64_t alone_until; /* up to this one */
    robot_control saved; /* when the host had all of the state last */
} gpu_member;

/* Arrays that a device has. */
state_set vxe_gpu_keeps(void);
bool vxe_gpu_takes(const vxe_sim *sim);
/* See sim_backend: advance, takes, room, download and upload. */
void vxe_gpu_advance(vxe_sim *const *sims, step_limits *limits, int32_t count, struct vxe_pool *pool);
int32_t vxe_gpu_room(vxe_sim *const *sims, int32_t count);
void vxe_gpu_download(vxe_sim *sim, state_set arrays);
void vxe_gpu_upload(vxe_sim *sim, state_set arrays);
/* s: what launches of its group have taken so far. */
double vxe_gpu_seconds(const vxe_sim *sim);
/* Whether it takes a grid of blocks. */
static inline bool vxe_gpu_is_large(const vxe_sim *sim)
{
    const gpu_member *member = sim->remote;
    return sim->model->view.voxel_count > member->block_most;
}
/* Takes a simulation out of its group. */
void vxe_gpu_leave(vxe_sim *sim);

#endif
