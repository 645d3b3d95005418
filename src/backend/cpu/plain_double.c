/* The plain backend in double precision: the reference. Its parts also serve the wide backends. */
#define VXE_REAL double
#define PLAIN_BACKEND vxe_backend_plain_double
#define PLAIN_NAME "plain"
#include "backend/cpu/plain_loops.h"

#include "backend/cpu/wide.h"

void vxe_plain_clear_loads(vxe_sim *sim) { clear_loads(sim); }
void vxe_plain_integrate_range(vxe_sim *sim, double dt, int32_t begin, int32_t end)
{
    integrate_range(sim, dt, begin, end);
}
void vxe_plain_integrate_finish(vxe_sim *sim, double dt) { integrate_finish(sim, dt); }
