/* Bodies that fall onto the floor: what they come back with. */
#include "validate/cases.h"
#include "validate/trial.h"

#include <math.h>

enum { HEIGHTS = 20, BODIES = 6, RATIOS = 3 };

/* Size in voxels; a ball fills what it can of it. */
typedef struct falling_body {
    const char *name;
    int32_t size[3];
    bool ball;
} falling_body;

static const falling_body bodies[BODIES] = {
    {"one voxel", {1, 1, 1}, false},           {"cube 2x2x2", {2, 2, 2}, false},
    {"cube 4x4x4", {4, 4, 4}, false},          {"ball", {7, 7, 7}, true},
    {"bar 2x2x10, end-on", {2, 2, 10}, false}, {"bar 10x2x2, flat", {10, 2, 2}, false},
};

/* What comes back of an impact. */
typedef struct rebound {
    double energy; /* of 1: all of it, vibrations too */
    double speed;  /* of 1: of the centre of mass */
} rebound;

static void fill_body(trial *t, const falling_body *body, int32_t material)
{
    const double middle = 0.5 * (body->size[0] - 1);
    for (int32_t k = 0; k < body->size[2]; k++) {
        for (int32_t j = 0; j < body->size[1]; j++) {
            for (int32_t i = 0; i < body->size[0]; i++) {
                const double x = i - middle;
                const double y = j - middle;
                const double z = k - middle;
                if (!body->ball || x * x + y * y + z * z <= 12.5)
                    trial_fill(t, box_at(i, j, k + 1, 1, 1, 1), material);
            }
        }
    }
}

/* Without friction: a body that gets wider as it is pressed slides on the floor, which takes up to a
 * thousandth of the energy, and is no fault of the contact. */
static int32_t slippery_material(trial *t)
{
    int32_t number = 0;
    if (!trial_good(t)) return number;
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e6;
    def.poissons_ratio = 0.3;
    def.density = 1000.0;
    def.static_friction = def.dynamic_friction = 0.0;
    (void)vxe_scene_add_material(t->scene, &def, &number, t->error);
    return number;
}

/* From one voxel above the floor, as fast as a fall of `height` metres makes it: the phase of the impact is
 * then anything. */
static rebound drop(validation *v, const falling_body *body, double ratio, double height)
{
    trial t = trial_of(v);
    rebound r = {NAN, NAN};
    trial_begin(&t, VXE_ELASTICITY_SOLID, 0.01, body->size[0], body->size[1], body->size[2] + 1);
    fill_body(&t, body, slippery_material(&t));
    trial_damping(&t, ratio, ratio, 0.0);
    if (trial_good(&t)) {
        vxe_environment e = vxe_scene_environment(t.scene);
        e.floor = true;
        e.gravity[2] = -9.81;
        e.damping_contact = ratio;
        (void)vxe_scene_set_environment(t.scene, &e, t.error);
    }
    t.audit = true;
    trial_compile(&t, 0);
    const double velocity[3] = {0.0, 0.0, -sqrt(2.0 * 9.81 * height)};
    const double none[3] = {0.0, 0.0, 0.0};
    if (trial_good(&t)) (void)vxe_sim_set_motion(t.sim, velocity, none, none, t.error);
    trial_step(&t, 1);
    if (trial_good(&t)) {
        const double mass = vxe_model_get(t.model)->mass;
        const double arrives = sqrt(velocity[2] * velocity[2] + 2.0 * 9.81 * 0.01);
        const double before = 0.5 * mass * arrives * arrives;
        bool touched = false;
        double momentum[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 100000 && trial_good(&t); i++) {
            int64_t contacts = 0;
            trial_step(&t, 1);
            vxe_sim_contacts(t.sim, &contacts, NULL);
            vxe_sim_momentum(t.sim, momentum, NULL);
            touched = touched || contacts > 0;
            if (touched && contacts == 0 && momentum[2] > 0.0) break;
        }
        const vxe_energy e = vxe_sim_energy(t.sim);
        r = (rebound){1.0 - (e.dissipated - e.error) / before, momentum[2] / (mass * arrives)};
    }
    trial_end(&t);
    return r;
}

void case_restitution(validation *v)
{
    static const double ratios[RATIOS] = {0.0, 0.1, 1.0};
    static const val_basis kept = {"conservation of energy",
                                   "1e-5: nonlinearity of the body itself, which the account shows as well"};
    static const val_basis never = {"conservation of energy", "nothing: round-off"};
    val_table *table = val_add_table(
        v, "What comes back", "body|damping|energy, least|energy, most|speed, least|speed, most",
        "Of falls from 20 heights between 2 and 210 mm onto a floor without friction, at the "
        "default step: the energy of all motion "
        "and the speed of the centre of mass when a body leaves the floor, over "
        "those when it arrives. Damping is "
        "that of bonds and of contact.");
    for (int b = 0; b < BODIES; b++) {
        for (int i = 0; i < RATIOS; i++) {
            rebound least = {INFINITY, INFINITY};
            rebound most = {-INFINITY, -INFINITY};
            for (int h = 0; h < HEIGHTS; h++) {
                const rebound r = drop(v, &bodies[b], ratios[i], 0.002 + 0.01095 * h);
                least = (rebound){fmin(least.energy, r.energy), fmin(least.speed, r.speed)};
                most = (rebound){fmax(most.energy, r.energy), fmax(most.speed, r.speed)};
            }
            val_compare_absolute(
                v, val_format("restitution.b%d.z%g", b, ratios[i]).text,
                val_format("%s, damping %g: speed beyond the one it had", bodies[b].name, ratios[i]).text, "",
                fmax(most.speed - 1.0, 0.0), 0.0, 1e-9, never);
            if (ratios[i] == 0.0) {
                val_compare(v, val_format("restitution.b%d.least", b).text,
                            val_format("%s, undamped: least energy that comes back", bodies[b].name).text, "",
                            least.energy, 1.0, 1e-5, kept);
                val_compare(v, val_format("restitution.b%d.most", b).text,
                            val_format("%s, undamped: most energy that comes back", bodies[b].name).text, "",
                            most.energy, 1.0, 1e-5, kept);
            }
            val_add_cells(v, table,
                          val_format("%s|%g|%.4f|%.4f|%.3f|%.3f", bodies[b].name, ratios[i], least.energy,
                                     most.energy, least.speed, most.speed)
                              .text);
        }
    }
}
