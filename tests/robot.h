/* A small walker for tests of control and populations: muscles with a phase each on four feet. */
#ifndef TESTS_ROBOT_H
#define TESTS_ROBOT_H

#include "support.h"

#include "voxelastic/batch.h"
#include "voxelastic/drive.h"

/* `design` decides shape and phases; amplitude in parts of the size. */
static inline vxe_scene *robot_scene(uint64_t design, double amplitude)
{
    vxe_error error = {VXE_OK, ""};
    rng r = {design};
    vxe_scene *scene = new_scene(0.01, 5, 4, 4);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    def.density = 1000.0;
    const int32_t soft = put_material(scene, &def);
    def.expansion = 0.01;
    (void)snprintf(def.name, sizeof def.name, "muscle");
    const int32_t muscle = put_material(scene, &def);
    uint16_t cells[5 * 4 * 4];
    double phase[5 * 4 * 4];
    for (int k = 0; k < 4; k++) {
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < 5; i++) {
                const size_t n = (size_t)((k * 4 + j) * 5 + i);
                const bool leg = (i < 2 || i > 3) && (j == 0 || j == 3);
                cells[n] = k < 2 && !leg ? 0 : (uint16_t)(rng_next(&r) % 2 == 0 ? soft : muscle);
                phase[n] = rng_between(&r, 0.0, 1.0);
            }
        }
    }
    const int32_t first[3] = {0, 0, 0};
    const int32_t size[3] = {5, 4, 4};
    require(vxe_scene_set_voxels(scene, first, size, cells, &error), &error);
    require(vxe_scene_set_actuations(scene, first, size, phase, NULL, NULL, &error), &error);
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 100.0 * amplitude;
    signal.period = 0.25;
    (void)put_signal(scene, &signal);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    return scene;
}

#endif
