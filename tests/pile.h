/* Scenes with many contacts, shared by the collision tests: a heap of twenty blocks that breathe, and the
 * clapper. */
#ifndef TESTS_PILE_H
#define TESTS_PILE_H

#include "support.h"

/* How a pile differs from the plain one. */
typedef struct pile_options {
    vxe_collisions collisions;
    bool breaking;   /* half of the blocks are brittle */
    double friction; /* static; dynamic is half of it */
} pile_options;

/* Twenty blocks of 2 to 3 voxels along each side, of two materials, fall on the floor and on each other.
 * Every other block swells and shrinks by 40 %, each with a phase of its own. */
static inline vxe_scene *pile_scene(pile_options options)
{
    vxe_scene *scene = new_scene(0.01, 12, 12, 21);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    def.static_friction = options.friction;
    def.dynamic_friction = 0.5 * options.friction;
    if (options.breaking) def.failure_stress = 1.2e3;
    const int32_t quiet = put_material(scene, &def);
    def.failure_stress = 0.0;
    def.expansion = 0.02;
    def.density = 2000.0;
    const int32_t breathing = put_material(scene, &def);
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 20.0;
    signal.period = 0.25;
    (void)put_signal(scene, &signal);
    rng r = {3};
    vxe_error error = {VXE_OK, ""};
    for (int b = 0; b < 20; b++) {
        const int i =
            b % 2 * 5 + b / 4 % 2 * 2 + rng_int(&r, 0, 1); /* four to a layer, a cell free between them */
        const int j = b / 2 % 2 * 5 + b / 4 % 2 * 2 + rng_int(&r, 0, 1);
        const int k = b / 4 * 4 + 1;
        const int side[3] = {rng_int(&r, 2, 3), rng_int(&r, 2, 3), rng_int(&r, 2, 3)};
        fill(scene, box_of(i, j, k, side[0], side[1], side[2]), b % 2 == 0 ? quiet : breathing);
        const vxe_actuation own = {.phase = 0.05 * b, .amplitude = 1.0, .period = 1.0};
        for (int c = 0; c < side[0] * side[1] * side[2]; c++) {
            require(vxe_scene_set_actuation(scene, i + c % side[0], j + c / side[0] % side[1],
                                            k + c / (side[0] * side[1]), &own, &error),
                    &error);
        }
    }
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.3, 0.01);
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = options.collisions;
    set_environment(scene, &e);
    return scene;
}

/* The scene of the paper's Figure 8, from scenes/clapper.json. */
static inline vxe_scene *clapper_scene(vxe_collisions collisions)
{
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_load_json(VXE_SOURCE_DIR "/scenes/clapper.json", &scene, &error), &error);
    vxe_environment e = vxe_scene_environment(scene);
    e.collisions = collisions;
    set_environment(scene, &e);
    return scene;
}

#endif
