/* The plain backend in double precision: the reference. Its parts also serve the wide backends. */
#define VXE_REAL double
#define PLAIN_BACKEND vxe_backend_plain_double
#define PLAIN_NAME "plain"
#include "backend/cpu/plain_loops.h"

#include "backend/cpu/wide.h"

void vxe_plain_integrate_double(vxe_sim *sim, const step_context *context, int32_t begin, int32_t end,
                                double *rates, step_measures *sums)
{
    integrate_range(sim, context, begin, end, rates, sums);
}
void vxe_plain_kick_double(vxe_sim *sim, const step_context *context, int32_t begin, int32_t end)
{
    kick_range(sim, context, begin, end);
}
void vxe_plain_brake_double(vxe_sim *sim, const step_context *context, int axis, int32_t voxel, bool full)
{
    brake_link(sim, context, axis, voxel, full);
}
void vxe_plain_move_double(vxe_sim *sim, const step_context *context, int32_t begin, int32_t end,
                           double *rates, step_measures *sums)
{
    move_range(sim, context, begin, end, rates, sums);
}
