/* A block of 5 x 10 x 5 voxels, held at one end and loaded at the other: Appendix A of the paper.
 *
 *     cantilever [LOAD]      LOAD in N, 1 if it is not given
 */
#include <voxelastic/voxelastic.h>

#include <stdio.h>
#include <stdlib.h>

/* Ends the program with a message unless all is well. */
static void check(vxe_result result, const vxe_error *error)
{
    if (result != VXE_OK) {
        fprintf(stderr, "cantilever: %s\n", error->message);
        exit(EXIT_FAILURE);
    }
}

int main(int argc, char **argv)
{
    const double load = argc > 1 ? strtod(argv[1], NULL) : 1.0;
    vxe_error error;
    vxe_scene *scene = NULL;
    vxe_model *model = NULL;
    vxe_sim *sim = NULL;
    int32_t rubber = 0;
    int32_t tip = 0;

    /* A workspace of 5 x 10 x 5 voxels of 1 mm, filled with a material of 10 MPa. */
    check(vxe_scene_create(0.001, 5, 10, 5, &scene, &error), &error);
    vxe_material_def material = vxe_default_material_def();
    material.youngs_modulus = 10e6;
    material.poissons_ratio = 0.3;
    check(vxe_scene_add_material(scene, &material, &rubber, &error), &error);
    const vxe_shape all = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_FRACTION, .sides = {1, 1, 1}};
    check(vxe_scene_fill(scene, &all, rubber, &error), &error);

    /* The layer at -Y is held, the one at +Y is pulled down. */
    vxe_region_def held = vxe_default_region_def();
    snprintf(held.name, sizeof held.name, "held");
    held.shape = (vxe_shape){.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_FRACTION, .sides = {1, 0.01, 1}};
    held.fixed = VXE_DOF_ALL;
    check(vxe_scene_add_region(scene, &held, NULL, &error), &error);
    vxe_region_def loaded = vxe_default_region_def();
    snprintf(loaded.name, sizeof loaded.name, "tip");
    loaded.shape = held.shape;
    loaded.shape.corner[1] = 0.99;
    loaded.force[2] = -load;
    check(vxe_scene_add_region(scene, &loaded, &tip, &error), &error);

    vxe_environment environment = vxe_default_environment();
    environment.damping_ground = 0.013;
    check(vxe_scene_set_environment(scene, &environment, &error), &error);

    /* Compile, step, read. */
    const vxe_sim_def settings = vxe_default_sim_def();
    check(vxe_compile(scene, &model, &error), &error);
    check(vxe_sim_create(model, &settings, &sim, &error), &error);
    check(vxe_sim_step(sim, 400, &error), &error);
    double moved[3];
    check(vxe_sim_region_displacement(sim, tip, moved, &error), &error);
    printf("load %g N, after %.3f ms: the tip has moved by (%.4f, %.4f, %.4f) mm\n", load,
           1e3 * vxe_sim_time(sim), 1e3 * moved[0], 1e3 * moved[1], 1e3 * moved[2]);

    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
    return EXIT_SUCCESS;
}
