/* Random scenes: any shape up to 12^3 cells, connected or not, of one to four
 * materials, on a floor under gravity, actuated. */
#ifndef TESTS_RANDOM_SCENE_H
#define TESTS_RANDOM_SCENE_H

#include "support.h"

#define RANDOM_SCENES 200

/* What was drawn, for messages. */
typedef struct random_facts {
    int32_t size[3];
    int64_t voxels;
    int32_t materials;
    double bond, stiffness_contrast, density_contrast, actuation;
    vxe_elasticity elasticity;
} random_facts;

static inline void random_shape(vxe_scene *scene, rng *r, const int32_t size[3], int32_t materials)
{
    vxe_error error = {VXE_OK, ""};
    const int32_t kind = rng_int(r, 0, 3);
    if (kind == 0) { /* a block with layers of materials */
        const int axis = rng_int(r, 0, 2);
        for (int32_t layer = 0; layer < size[axis]; layer++) {
            double corner[3] = {0.0, 0.0, 0.0};
            double side[3] = {size[0], size[1], size[2]};
            corner[axis] = layer;
            side[axis] = 1.0;
            fill(scene, box_of(corner[0], corner[1], corner[2], side[0], side[1], side[2]),
                 rng_int(r, 1, materials));
        }
    } else if (kind == 1) { /* cells at random: a sponge, or dust */
        const double filled = rng_between(r, 0.3, 1.0);
        for (int32_t k = 0; k < size[2]; k++) {
            for (int32_t j = 0; j < size[1]; j++) {
                for (int32_t i = 0; i < size[0]; i++) {
                    if (rng_between(r, 0.0, 1.0) < filled)
                        require(vxe_scene_set_voxel(scene, i, j, k, rng_int(r, 1, materials), &error),
                                &error);
                }
            }
        }
    } else { /* boxes and balls over each other, some of them holes */
        const int32_t parts = rng_int(r, 2, 8);
        for (int32_t p = 0; p < parts; p++) {
            double corner[3];
            double side[3];
            for (int a = 0; a < 3; a++) {
                corner[a] = rng_int(r, 0, size[a] - 1);
                side[a] = rng_int(r, 1, size[a]);
            }
            vxe_shape shape = box_of(corner[0], corner[1], corner[2], side[0], side[1], side[2]);
            if (kind == 3 && p % 2 == 1) {
                shape.kind = VXE_SHAPE_SPHERE;
                for (int a = 0; a < 3; a++) shape.center[a] = corner[a] + 0.5;
                shape.radius[0] = rng_between(r, 1.0, 6.0);
            }
            fill(scene, shape, p > 1 && rng_int(r, 0, 4) == 0 ? 0 : rng_int(r, 1, materials));
        }
    }
    if (vxe_scene_voxel_count(scene) == 0) require(vxe_scene_set_voxel(scene, 0, 0, 0, 1, &error), &error);
}

/* Moduli from 1 MPa and densities from 100 kg/m^3 upwards, cells of 1 to 10 mm: gravity strains a column by 1
 * % at most, so that what breaks is the method and not the body. Actuation is a sine or a triangle that takes
 * at least 300 periods of a single link, growing from nothing; a jump of 60 % without damping would rightly
 * crush any link. */
static inline vxe_scene *random_scene(uint64_t seed, random_facts *facts)
{
    rng r = {seed * UINT64_C(1000003)};
    random_facts f;
    for (int a = 0; a < 3; a++) f.size[a] = rng_int(&r, 1, 12);
    if (seed % 10 == 0) {
        for (int a = 0; a < 3; a++) f.size[a] = 12;
    }
    static const double bonds[4] = {0.0, 0.1, 0.5, 1.0};
    f.bond = bonds[seed % 4];
    f.elasticity = seed / 4 % 2 == 0 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM;
    f.materials = rng_int(&r, 1, 4);
    f.stiffness_contrast = f.materials > 1 ? rng_decades(&r, 1.0, 1000.0) : 1.0;
    f.density_contrast = f.materials > 1 ? rng_decades(&r, 1.0, 100.0) : 1.0;
    f.actuation = rng_int(&r, 0, 3) == 0 ? 0.0 : rng_between(&r, 0.05, 0.6);
    const double pitch = rng_decades(&r, 1e-3, 1e-2);
    const double youngs = 1e6;
    const double density = 100.0;
    vxe_scene *scene = new_scene(pitch, f.size[0], f.size[1], f.size[2]);
    for (int32_t m = 0; m < f.materials; m++) {
        vxe_material_def def = vxe_default_material_def();
        /* the first two have the full contrast, either way round */
        const double stiff = m == 0 ? 0.0 : m == 1 ? 1.0 : rng_between(&r, 0.0, 1.0);
        const double heavy = m < 2 ? (double)(seed / 8 % 2 == 0 ? m : 1 - m) : rng_between(&r, 0.0, 1.0);
        def.youngs_modulus = youngs * pow(f.stiffness_contrast, stiff);
        def.density = density * pow(f.density_contrast, f.materials > 1 ? heavy : 0.0);
        def.poissons_ratio = rng_between(&r, 0.0, 0.45);
        def.expansion = m == 0 ? 1.0 : rng_between(&r, -1.0, 1.0);
        def.dynamic_friction = rng_between(&r, 0.0, 1.0);
        def.static_friction = def.dynamic_friction + rng_between(&r, 0.0, 0.5);
        put_material(scene, &def);
    }
    random_shape(scene, &r, f.size, f.materials);
    f.voxels = vxe_scene_voxel_count(scene);
    /* 5000 steps take about 2000 of the shortest time in the scene, 1/w0 of its stiffest and lightest link */
    const double shortest = pitch * sqrt(density / (youngs * f.stiffness_contrast));
    const double longest = pitch * sqrt(density * f.density_contrast / youngs);
    vxe_signal_def signal = vxe_default_signal_def();
    signal.waveform = rng_int(&r, 0, 1) == 0 ? VXE_WAVE_SINE : VXE_WAVE_RAMP;
    signal.amplitude = f.actuation;
    signal.period = fmax(shortest * rng_decades(&r, 200.0, 2000.0), 100.0 * longest);
    signal.phase = rng_int(&r, 0, 1) == 0 ? 0.0 : 0.5;
    signal.start = 0.2 * signal.period;
    put_signal(scene, &signal);
    vxe_environment e = environment_of(f.elasticity, f.bond, 0.0);
    e.floor = true;
    e.gravity[2] = -9.81;
    e.damping_contact = rng_between(&r, 0.0, 1.0);
    set_environment(scene, &e);
    *facts = f;
    return scene;
}

#endif
