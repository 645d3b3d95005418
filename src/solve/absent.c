/* The face of the solvers in a library that was built without them (CMake option VXE_SOLVE): they say so. */
#include "base/base.h"
#include "base/settings.h"
#include "voxelastic/solve.h"

static vxe_result absent(vxe_error *error)
{
    return vxe_fail(
        error, VXE_ERROR_ARGUMENT,
        "this program was built without the solvers (CMake option VXE_SOLVE; they need CHOLMOD and ARPACK)");
}

static void zero(void *def, size_t size)
{
    static const settings_type none = {"", 0, 0, NULL};
    vxe_settings_give(&none, NULL, def, size);
}

bool vxe_solve_available(void) { return false; }

void vxe_linear_def_init(vxe_linear_def *def, size_t size) { zero(def, size); }

vxe_result vxe_solve_linear(vxe_sim *sim, const vxe_linear_def *def, vxe_linear **linear, vxe_error *error)
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

vxe_result vxe_linear_region_displacement(const vxe_linear *linear, int32_t region, double displacement[3],
                                          vxe_error *error)
{
    (void)linear;
    (void)region;
    (void)displacement;
    return absent(error);
}

vxe_result vxe_linear_region_reaction(const vxe_linear *linear, int32_t region, double force[3],
                                      double moment[3], vxe_error *error)
{
    (void)linear;
    (void)region;
    (void)force;
    (void)moment;
    return absent(error);
}

void vxe_equilibrium_def_init(vxe_equilibrium_def *def, size_t size) { zero(def, size); }

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

void vxe_modes_def_init(vxe_modes_def *def, size_t size) { zero(def, size); }

vxe_result vxe_solve_modes(vxe_sim *sim, const vxe_modes_def *def, vxe_modes **modes, vxe_error *error)
{
    (void)sim;
    (void)def;
    (void)modes;
    return absent(error);
}
