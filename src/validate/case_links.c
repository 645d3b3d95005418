/* One link and straight chains: what can be told by heart. Constants `beam` unless said. */
#include "validate/cases.h"
#include "validate/trial.h"

#include <math.h>

static const double pitch = 1e-3;
static const double youngs = 1e6;

/* Two voxels along x, the first held; the answer to a force or a torque on the second. */
static void two_voxels(trial *t, vxe_elasticity elasticity, double poisson, const double force[3],
                       const double torque[3])
{
    trial_begin(t, elasticity, pitch, 2, 1, 1);
    trial_fill(t, trial_all(t), trial_material(t, youngs, poisson, 1000.0));
    (void)trial_hold(t, trial_layer(t, 0, 0), HOLD_RIGID);
    (void)trial_load(t, trial_layer(t, 0, 1), force, torque);
    trial_linear(t, 0);
}

void case_link(validation *v)
{
    static const val_basis basis = {
        "exact: one beam of length l, A = l^2, I = l^4/12, J = l^4/6",
        "round-off of the direct solver (1e-9), or of relaxation where there is none (1e-5)"};
    static const val_basis saint_venant = {"exact: Saint-Venant torsion of a square bar, J = 0.14057701 l^4",
                                           "the constant is in the model: round-off as above"};
    const double small = vxe_solve_available() ? 1e-9 : 1e-5;
    const double shear = youngs / (2.0 * 1.3);
    const double f = 1e-3; /* N */
    const double m = 1e-6; /* N m */
    trial t = trial_of(v);

    two_voxels(&t, VXE_ELASTICITY_BEAM, 0.3, (const double[3]){f, 0.0, 0.0}, NULL);
    val_compare(v, "link.axial", "stretch of a link, u E l/F", "",
                trial_moved(&t, 1, 0, 0, 0) * youngs * pitch / f, 1.0, small, basis);
    trial_end(&t);

    two_voxels(&t, VXE_ELASTICITY_BEAM, 0.3, (const double[3]){0.0, 0.0, f}, NULL);
    val_compare(v, "link.bend.u", "bending of a link, u E l/F", "",
                trial_moved(&t, 1, 0, 0, 2) * youngs * pitch / f, 4.0, small, basis);
    val_compare(v, "link.bend.theta", "bending of a link, theta E l^2/F", "",
                -trial_turned(&t, 1, 0, 0, 1) * youngs * pitch * pitch / f, 6.0, small, basis);
    trial_end(&t);

    two_voxels(&t, VXE_ELASTICITY_BEAM, 0.3, NULL, (const double[3]){m, 0.0, 0.0});
    val_compare(v, "link.twist", "twist of a link, theta G l^3/T", "",
                trial_turned(&t, 1, 0, 0, 0) * shear * pitch * pitch * pitch / m, 6.0, small, basis);
    trial_end(&t);

    two_voxels(&t, VXE_ELASTICITY_SOLID, 0.3, NULL, (const double[3]){m, 0.0, 0.0});
    val_compare(v, "link.twist.solid", "twist of a bar one voxel thick, `solid`, T l/(theta G l^4)", "",
                m / (trial_turned(&t, 1, 0, 0, 0) * shear * pitch * pitch * pitch), 0.14057701495515553,
                small, saint_venant);
    trial_end(&t);
}

/* A chain pulled to twice its length: the engineering strain of the paper's law. */
void case_stretch(validation *v)
{
    static const val_basis basis = {"exact: F = E A strain; F = E A doubles the length",
                                    "0.1 %: the answer of an iteration (equilibrium)"};
    trial t = trial_of(v);
    trial_begin(&t, VXE_ELASTICITY_BEAM, pitch, 20, 1, 1);
    trial_fill(&t, trial_all(&t), trial_material(&t, youngs, 0.3, 1000.0));
    (void)trial_hold(&t, trial_layer(&t, 0, 0), HOLD_RIGID);
    (void)trial_load(&t, trial_layer(&t, 0, 1), (const double[3]){youngs * pitch * pitch, 0.0, 0.0}, NULL);
    trial_equilibrium(&t);
    val_compare(v, "stretch100", "strain of a chain under F = E l^2 = 1 N", "",
                trial_moved(&t, 19, 0, 0, 0) / (19.0 * pitch), 1.0, 0.001, basis);
    trial_end(&t);
}
