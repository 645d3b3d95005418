/* The face of the solvers in a library that was built without them (CMake option VXE_SOLVE): they say so. */
#include "base/base.h"
#include "voxelastic/solve.h"

static vxe_result absent(vxe_error *error)
{
    return vxe_fail(
        error, VXE_ERROR_ARGUMENT,
        "this program was built without the solvers (CMake option VXE_SOLVE; they need CHOLMOD and ARPACK)");
}

bool vxe_solve_available(void) { return false; }

vxe_linear_def vxe_default_linear_def(void) { return (vxe_linear_def){0}; }

vxe_result vxe_solve_linear(const vxe_sim *sim, const vxe_linear_def *def, vxe_linear **linear,
                            vxe_error *error)
{
    (void)sim;
    (void)def;
    (void)linear;
    return absent(error);
}

void vxe_linear_destroy(vxe_linear *linear) { (void)linear; }

const vxe_linear_view *vxe_linear_get(const vxe_linear *linear)
{
    (void)linear;
    return NULL;
}

vxe_result vxe_linear_region_displacement(const vxe_linear *linear, int32_t region, double displacement[3])
{
    (void)linear;
    (void)region;
    (void)displacement;
    return VXE_ERROR_ARGUMENT;
}

vxe_result vxe_linear_region_reaction(const vxe_linear *linear, int32_t region, double force[3],
                                      double moment[3])
{
    (void)linear;
    (void)region;
    (void)force;
    (void)moment;
    return VXE_ERROR_ARGUMENT;
}

vxe_equilibrium_def vxe_default_equilibrium_def(void) { return (vxe_equilibrium_def){0}; }

vxe_result vxe_solve_equilibrium(vxe_sim *sim, const vxe_equilibrium_def *def, vxe_equilibrium *report,
                                 vxe_error *error)
{
    (void)sim;
    (void)def;
    (void)report;
    return absent(error);
}

const char *vxe_equilibrium_status_name(vxe_equilibrium_status status)
{
    (void)status;
    return "unknown";
}

vxe_modes_def vxe_default_modes_def(void) { return (vxe_modes_def){0}; }

vxe_result vxe_solve_modes(const vxe_sim *sim, const vxe_modes_def *def, vxe_modes **modes, vxe_error *error)
{
    (void)sim;
    (void)def;
    (void)modes;
    return absent(error);
}

void vxe_modes_destroy(vxe_modes *modes) { (void)modes; }

const vxe_modes_view *vxe_modes_get(const vxe_modes *modes)
{
    (void)modes;
    return NULL;
}

const double *vxe_modes_shape(const vxe_modes *modes, int32_t mode, int component)
{
    (void)modes;
    (void)mode;
    (void)component;
    return NULL;
}
