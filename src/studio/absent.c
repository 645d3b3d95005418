/* What a program that was built without the studio (CMake option VXE_STUDIO) has in its place. */
#include "base/base.h"
#include "studio/replay.h"
#include "studio/studio.h"

#include <math.h>

bool studio_available(void) { return false; }

vxe_result studio_serve(const studio_options *options, vxe_error *error)
{
    (void)options;
    return vxe_fail(error, VXE_ERROR_ARGUMENT,
                    "this program was built without the studio, which needs libwebsockets and npm");
}

int studio_solve_worker(void) { return 2; }

vxe_result replay_create(vxe_sim *sim, const vxe_scene *scene, const vxe_trace *trace, const vxe_stop *stop,
                         replay **made, vxe_error *error)
{
    (void)sim;
    (void)scene;
    (void)trace;
    (void)stop;
    (void)error;
    *made = NULL;
    return VXE_OK;
}

void replay_destroy(replay *r) { (void)r; }

double replay_next(const replay *r)
{
    (void)r;
    return INFINITY;
}

double replay_observe(replay *r, vxe_sim *sim)
{
    (void)r;
    (void)sim;
    return 0.0;
}

double replay_spent(const replay *r)
{
    (void)r;
    return 0.0;
}

vxe_result replay_write(replay *r, vxe_sim *sim, const json_t *summary, const char *path, vxe_error *error)
{
    (void)r;
    (void)sim;
    (void)summary;
    (void)path;
    (void)error;
    return VXE_OK;
}
