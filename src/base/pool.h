/* A few threads that do one thing together, again and again. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include "voxelastic/base.h"

typedef struct vxe_pool vxe_pool;
typedef void vxe_pool_task(void *context, int index);

/* `count` threads, the caller among them. VXE_ERROR_MEMORY if they cannot be started. */
vxe_result vxe_pool_create(int count, vxe_pool **pool, vxe_error *error);
void vxe_pool_destroy(vxe_pool *pool);

/* Calls task(context, index) once for every index below `count` of the pool, each on its own thread (0 on the
 * caller's), and returns when all are done. What was written before is seen by the tasks, and what they write
 * is seen afterwards. */
void vxe_pool_run(vxe_pool *pool, vxe_pool_task *task, void *context);

/* Processors this process may use, within its control group's share; at least 1. */
int vxe_processors(void);
/* Of these, those with a core of their own: two that share one do little more than one of them, and wait for
 * each other. `root`: what stands before the paths of the system, mostly nothing. */
int vxe_cores(const char *root);

#endif
