/* A program outside the project: prints the version, lets a small bar sag and prints how far. */
#include <stdio.h>
#include <voxelastic/voxelastic.h>

int main(void)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    vxe_model *model = NULL;
    vxe_sim *sim = NULL;
    vxe_material_def material = vxe_default_material_def();
    vxe_region_def wall = vxe_default_region_def();
    vxe_environment environment = vxe_default_environment();
    vxe_sim_def settings = vxe_default_sim_def();
    int32_t rubber = 0;
    double sag = 0.0;

    snprintf(wall.name, sizeof wall.name, "wall");
    wall.fixed = VXE_DOF_ALL;
    wall.shape.sides[1] = 0.01;
    wall.shape.sides[2] = 0.01;
    environment.gravity[2] = -9.81;

    vxe_result result = vxe_scene_create(0.01, 4, 1, 1, &scene, &error);
    if (result == VXE_OK) result = vxe_scene_add_material(scene, &material, &rubber, &error);
    for (int32_t i = 0; i < 4 && result == VXE_OK; ++i)
        result = vxe_scene_set_voxel(scene, i, 0, 0, rubber, &error);
    if (result == VXE_OK) result = vxe_scene_add_region(scene, &wall, NULL, &error);
    if (result == VXE_OK) result = vxe_scene_set_environment(scene, &environment, &error);
    if (result == VXE_OK) result = vxe_compile(scene, &model, &error);
    if (result == VXE_OK) result = vxe_sim_create(model, &settings, &sim, &error);
    if (result == VXE_OK) result = vxe_sim_step(sim, 1000, &error);
    if (result == VXE_OK) sag = vxe_sim_displacement_max(sim, NULL);

    printf("voxelastic %s: a bar of 40 mm sags by %.3g mm\n", vxe_version(), 1e3 * sag);
    if (result != VXE_OK) fprintf(stderr, "%s: %s\n", vxe_result_name(result), error.message);

    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
    return result == VXE_OK && sag > 0.0 ? 0 : 1;
}
