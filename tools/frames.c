/* Prints what a scene looks like at some times, for picture.py: frames SCENE.json TIME...
 *
 * Build: cc tools/frames.c -o frames $(pkg-config --cflags --libs voxelastic) -lm
 *
 * Each frame is a line "frame TIME PITCH FLOOR VOXELS" and then a line per voxel: red, green, blue, position
 * (m), orientation (w, x, y, z), size (m), and the numbers of the voxels it is linked to towards larger x, y
 * and z (-1: none). */
#include <voxelastic/voxelastic.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static vxe_result print_frame(const vxe_scene *scene, vxe_sim *sim, vxe_error *error)
{
    const vxe_model *model = vxe_sim_model(sim);
    const vxe_model_view *view = vxe_model_get(model);
    const vxe_state *state = vxe_sim_state(sim);
    const vxe_links *links = NULL;
    const vxe_result result = vxe_sim_links(sim, &links, error);
    if (result != VXE_OK) return result;
    printf("frame %.9g %.9g %d %" PRId32 "\n", state->time, view->pitch,
           vxe_model_environment(model).floor ? 1 : 0, view->voxel_count);
    for (int32_t v = 0; v < view->voxel_count; v++) {
        const uint8_t *color = vxe_scene_material(scene, view->material[v])->color;
        printf("%d %d %d", color[0], color[1], color[2]);
        for (int a = 0; a < 3; a++) printf(" %.9g", state->position[a][v]);
        for (int a = 0; a < 4; a++) printf(" %.9g", state->orientation[a][v]);
        printf(" %.9g", view->pitch * (1.0 + state->growth[v]));
        for (int32_t a = 0; a < 3; a++) {
            const bool broken = links->broken[(size_t)a * (size_t)view->voxel_count + (size_t)v] != 0;
            printf(" %" PRId32, broken ? -1 : view->next[a][v]);
        }
        printf("\n");
    }
    return VXE_OK;
}

int main(int argc, char **argv)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    vxe_model *model = NULL;
    vxe_sim *sim = NULL;
    const vxe_sim_def def = vxe_default_sim_def();
    if (argc < 3) {
        fprintf(stderr, "usage: frames SCENE.json TIME...\n");
        return 2;
    }
    vxe_result result = vxe_scene_load_json(argv[1], &scene, &error);
    if (result == VXE_OK) result = vxe_compile(scene, &model, &error);
    if (result == VXE_OK) result = vxe_sim_create(model, &def, &sim, &error);
    for (int i = 2; i < argc && result == VXE_OK; i++) {
        const vxe_stop stop = {.time = strtod(argv[i], NULL)};
        if (stop.time > 0.0 && vxe_sim_run(sim, &stop, INT64_MAX) == VXE_RUN_FAULT) {
            result = VXE_ERROR_DIVERGED;
            (void)snprintf(error.message, sizeof error.message, "%s", vxe_sim_status(sim)->message);
        }
        if (result == VXE_OK) result = print_frame(scene, sim, &error);
    }
    if (result != VXE_OK) fprintf(stderr, "frames: %s\n", error.message);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
    return result == VXE_OK ? 0 : 1;
}
