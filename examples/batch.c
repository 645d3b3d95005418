/* Two hundred random robots on all processors, and the one that went furthest.
 *
 *     batch [DESIGNS]      200 if it is not given
 */
#include <voxelastic/voxelastic.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 4 /* voxels */

/* What became of a design. */
typedef struct judged {
    double distance; /* m */
    bool failed;
} judged;

/* The same numbers on every machine. */
static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Design number `index`, on a worker's thread: every cell is empty, soft or muscle, and every muscle has a
 * phase. */
static vxe_result make(void *user, int64_t index, vxe_design *design, vxe_error *error)
{
    (void)user;
    uint64_t state = (uint64_t)index * 2654435761U + 1;
    vxe_scene *scene = NULL;
    vxe_result result = vxe_scene_create(0.01, SIDE, SIDE, SIDE, &scene, error);
    if (result != VXE_OK) return result;
    design->scene = scene; /* the batch destroys it, whatever happens below */
    vxe_material_def material = vxe_default_material_def();
    material.youngs_modulus = 1e5;
    result = vxe_scene_add_material(scene, &material, NULL, error);
    if (result != VXE_OK) return result;
    material.expansion = 0.01;
    snprintf(material.name, sizeof material.name, "muscle");
    result = vxe_scene_add_material(scene, &material, NULL, error);
    if (result != VXE_OK) return result;

    uint16_t cells[SIDE * SIDE * SIDE];
    double phase[SIDE * SIDE * SIDE];
    for (int n = 0; n < SIDE * SIDE * SIDE; n++) {
        cells[n] = (uint16_t)(3.0 * uniform(&state));
        phase[n] = uniform(&state);
    }
    const int32_t first[3] = {0, 0, 0};
    const int32_t size[3] = {SIDE, SIDE, SIDE};
    result = vxe_scene_set_voxels(scene, first, size, cells, error);
    if (result == VXE_OK) result = vxe_scene_set_actuations(scene, first, size, phase, NULL, NULL, error);
    if (result != VXE_OK) return result;
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 15.0; /* K; with 0.01/K: 15 % of the size */
    signal.period = 0.2;
    result = vxe_scene_add_signal(scene, &signal, NULL, error);
    if (result != VXE_OK) return result;
    vxe_environment environment = vxe_scene_environment(scene);
    environment.gravity[2] = -9.81;
    environment.floor = true;
    environment.collisions = VXE_COLLISIONS_GRID;
    design->stop->time = 1.0;
    return vxe_scene_set_environment(scene, &environment, error);
}

/* How far the centre of mass is from where it was, on the floor. */
static void ended(void *user, int64_t index, vxe_sim *sim, vxe_batch_end *end)
{
    judged *all = user;
    if (end->result != VXE_OK || end->reason == VXE_RUN_FAULT) {
        all[index].failed = true;
        printf("design %lld: %s\n", (long long)index, end->message);
        return;
    }
    const vxe_model_view *model = vxe_model_get(vxe_sim_model(sim));
    double center[3];
    vxe_sim_center_of_mass(sim, center);
    double way[2] = {center[0], center[1]};
    for (int32_t v = 0; v < model->voxel_count; v++) {
        const double share = model->voxel_mass[model->material[v]] / model->mass;
        for (int a = 0; a < 2; a++) way[a] -= share * model->start[a][v];
    }
    all[index].distance = hypot(way[0], way[1]);
}

int main(int argc, char **argv)
{
    const long long designs = argc > 1 ? strtoll(argv[1], NULL, 10) : 200;
    judged *all = designs > 0 ? calloc((size_t)designs, sizeof *all) : NULL;
    if (all == NULL) return EXIT_FAILURE;
    vxe_error error;
    vxe_batch *batch = NULL;
    vxe_batch_def def = vxe_default_batch_def();
    def.user = all;
    def.make = make;
    def.ended = ended;
    if (vxe_batch_create(&def, &batch, &error) != VXE_OK || vxe_batch_add(batch, designs, &error) != VXE_OK) {
        fprintf(stderr, "batch: %s\n", error.message);
        return EXIT_FAILURE;
    }
    while (!vxe_batch_wait(batch, 0.5)) {
        const vxe_batch_counts counts = vxe_batch_count(batch);
        printf("%lld of %lld\n", (long long)counts.ended, (long long)counts.added);
    }
    long long best = 0;
    for (long long i = 0; i < designs; i++) {
        if (!all[i].failed && all[i].distance > all[best].distance) best = i;
    }
    printf("design %lld of %lld went furthest: %.1f mm in 1 s\n", best, designs, 1e3 * all[best].distance);
    vxe_batch_destroy(batch);
    free(all);
    return EXIT_SUCCESS;
}
