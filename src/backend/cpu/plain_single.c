/* The plain backend in single precision (positions in double). */
#define VXE_REAL float
#define VXE_REAL_IS_FLOAT
#define PLAIN_BACKEND vxe_backend_plain_single
#define PLAIN_NAME "plain"
#include "backend/cpu/plain_loops.h"

#include "backend/cpu/wide.h"

void vxe_plain_integrate_single(vxe_sim *sim, const step_context *context, int32_t begin, int32_t end,
                                double *rates, step_measures *sums)
{
    integrate_range(sim, context, begin, end, rates, sums);
}
void vxe_plain_kick_single(vxe_sim *sim, const step_context *context, int32_t begin, int32_t end)
{
    kick_range(sim, context, begin, end);
}
void vxe_plain_brake_single(vxe_sim *sim, const step_context *context, int axis, int32_t voxel, bool full)
{
    brake_link(sim, context, axis, voxel, full);
}
void vxe_plain_move_single(vxe_sim *sim, const step_context *context, int32_t begin, int32_t end,
                           double *rates, step_measures *sums)
{
    move_range(sim, context, begin, end, rates, sums);
}
