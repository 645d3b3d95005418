/* The plain backend in double precision: the reference. Its parts also serve the wide backends. */
#define VXE_REAL double
#define PLAIN_BACKEND vxe_backend_plain_double
#define PLAIN_NAME "plain"
#include "backend/cpu/plain_loops.h"

#include "backend/cpu/wide.h"

void vxe_plain_integrate_double(vxe_sim *sim, double dt, int32_t begin, int32_t end, sweep_part *part,
                                step_measures *sums)
{
    integrate_range(sim, dt, begin, end, part, sums);
}
