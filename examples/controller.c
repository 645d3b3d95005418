/* A controller in the loop: a bar of muscles that crawls like a worm. A wave runs through it, and each muscle
 * stretches less while its voxel is squeezed: a hundred times a second strain and touch are read, targets
 * set.
 *
 *     controller [SECONDS]      1 if it is not given
 */
#include <voxelastic/voxelastic.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LENGTH 12
#define MUSCLES (LENGTH * 2 * 2)

/* Ends the program with a message unless all is well. */
static void check(vxe_result result, const vxe_error *error)
{
    if (result != VXE_OK) {
        fprintf(stderr, "controller: %s\n", error->message);
        exit(EXIT_FAILURE);
    }
}

static vxe_model *make_worm(void)
{
    vxe_error error;
    vxe_scene *scene = NULL;
    vxe_model *model = NULL;
    check(vxe_scene_create(0.01, LENGTH, 2, 2, &scene, &error), &error);
    vxe_material_def muscle = vxe_default_material_def();
    muscle.youngs_modulus = 2e5;
    muscle.expansion = 0.01; /* makes it a muscle: what drives it comes from the controller */
    muscle.static_friction = 0.8;
    muscle.dynamic_friction = 0.6;
    check(vxe_scene_add_material(scene, &muscle, NULL, &error), &error);
    const vxe_signal_def quiet = vxe_default_signal_def(); /* of amplitude 0 */
    check(vxe_scene_add_signal(scene, &quiet, NULL, &error), &error);
    const vxe_shape all = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_FRACTION, .sides = {1, 1, 1}};
    check(vxe_scene_fill(scene, &all, 1, &error), &error);
    vxe_environment environment = vxe_default_environment();
    environment.gravity[2] = -9.81;
    environment.floor = true;
    check(vxe_scene_set_environment(scene, &environment, &error), &error);
    check(vxe_compile(scene, &model, &error), &error);
    vxe_scene_destroy(scene);
    return model;
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.0;
    const double every = 0.01;
    vxe_error error;
    vxe_model *model = make_worm();
    vxe_sim *sim = NULL;
    vxe_sim_def settings = vxe_default_sim_def();
    settings.audit = false;
    check(vxe_sim_create(model, &settings, &sim, &error), &error);

    vxe_array actuated;
    check(vxe_sim_array(sim, VXE_QUANTITY_ACTUATED, &actuated, &error), &error);
    const int32_t *voxel = actuated.data;
    const int32_t *place = vxe_model_get(model)->cell[0];
    double begin[3];
    vxe_sim_center_of_mass(sim, begin);
    for (int call = 0; call * every < seconds; call++) {
        double strain[MUSCLES][3];
        double touch[MUSCLES];
        double target[MUSCLES];
        check(vxe_sim_sense(sim, VXE_SENSE_STRAIN, voxel, MUSCLES, &strain[0][0], &error), &error);
        check(vxe_sim_sense(sim, VXE_SENSE_TOUCH, voxel, MUSCLES, touch, &error), &error);
        for (int i = 0; i < MUSCLES; i++) {
            const double wave = sin(6.2832 * (2.0 * call * every - 1.5 * place[voxel[i]] / LENGTH));
            target[i] = 1.0 + 0.15 * wave + (touch[i] > 0.0 ? 0.02 : 0.0) + 0.1 * strain[i][0];
        }
        check(vxe_sim_set_targets(sim, VXE_TARGET_SIZE, NULL, MUSCLES, target, every, &error), &error);
        const vxe_stop stop = {.time = (call + 1) * every};
        if (vxe_sim_run(sim, &stop, INT64_MAX) != VXE_RUN_TIME) {
            fprintf(stderr, "controller: %s\n", vxe_sim_status(sim)->message);
            return EXIT_FAILURE;
        }
    }
    double end[3];
    vxe_sim_center_of_mass(sim, end);
    printf("after %g s the worm has crawled %.1f mm\n", vxe_sim_time(sim), 1e3 * (end[0] - begin[0]));
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    return EXIT_SUCCESS;
}
