/* What surrounds the voxels, when a run ends and what it records. The scene owns a copy of the names of the
 * trace. */
#include "scene/scene.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static const vxe_environment defaults = {
    .size = sizeof(vxe_environment),
    .damping_stretch = 1.0,
    .damping_rotation = 1.0,
    .damping_contact = 1.0,
    .damping_ground = 0.0,
    .damping_turning = 1.0,
    .elasticity = VXE_ELASTICITY_SOLID,
    .plane = VXE_PLANE_NONE,
    .collisions = VXE_COLLISIONS_OFF,
    .collision_horizon = 2.0,
    .collision_distance = 1.0,
};
const settings_type vxe_stop_type = {"vxe_stop", sizeof(vxe_stop), SETTINGS_END(vxe_stop, formula), NULL};
const settings_type vxe_output_type = {"vxe_output_def", sizeof(vxe_output_def),
                                       SETTINGS_END(vxe_output_def, checkpoint_every), NULL};
const settings_type vxe_environment_type = {"vxe_environment", sizeof(vxe_environment),
                                            SETTINGS_END(vxe_environment, kinetic_damping), &defaults};

void vxe_environment_init(vxe_environment *environment, size_t size)
{
    vxe_settings_give(&vxe_environment_type, NULL, environment, size);
}

void vxe_scene_get_environment(const vxe_scene *scene, vxe_environment *environment, size_t size)
{
    vxe_settings_give(&vxe_environment_type, scene != NULL ? &scene->environment : NULL, environment, size);
}

vxe_result vxe_scene_set_environment(vxe_scene *scene, const vxe_environment *environment, vxe_error *error)
{
    if (scene == NULL || environment == NULL) return vxe_refuse_null(error);
    vxe_environment own;
    vxe_result result = vxe_settings_take(&vxe_environment_type, environment, &own, error);
    if (result == VXE_OK) result = vxe_check_environment(&own, error);
    if (result == VXE_OK) scene->environment = own;
    return result;
}

void vxe_scene_get_stop(const vxe_scene *scene, vxe_stop *stop, size_t size)
{
    vxe_settings_give(&vxe_stop_type, scene != NULL ? &scene->stop : NULL, stop, size);
}

vxe_result vxe_scene_set_stop(vxe_scene *scene, const vxe_stop *stop, vxe_error *error)
{
    if (scene == NULL || stop == NULL) return vxe_refuse_null(error);
    vxe_stop own;
    vxe_result result = vxe_settings_take(&vxe_stop_type, stop, &own, error);
    if (result == VXE_OK) result = vxe_check_stop(&own, error);
    if (result != VXE_OK) return result;
    scene->stop = own;
    scene->stop.formula = scene->formulas[VXE_FORMULA_STOP] != NULL;
    return VXE_OK;
}

vxe_result vxe_copy_output(const vxe_output_def *output, vxe_output_def *copy, vxe_error *error)
{
    vxe_output_def made = *output;
    made.trace = NULL;
    if (output->trace_count > 0) {
        const size_t count = (size_t)output->trace_count;
        size_t bytes = count * sizeof(char *);
        for (size_t n = 0; n < count; n++) bytes += strlen(output->trace[n]) + 1;
        char **block = malloc(bytes); /* the pointers, then the text */
        if (block == NULL) return vxe_fail_memory(error, "the names of the trace", bytes);
        char *text = (char *)(block + count);
        for (size_t n = 0; n < count; n++) {
            const size_t length = strlen(output->trace[n]) + 1;
            memcpy(text, output->trace[n], length);
            block[n] = text;
            text += length;
        }
        made.trace = (const char *const *)block;
    }
    *copy = made;
    return VXE_OK;
}

void vxe_free_output(vxe_output_def *output)
{
    free((void *)output->trace);
    output->trace = NULL;
    output->trace_count = 0;
}

const vxe_output_def *vxe_scene_output(const vxe_scene *scene)
{
    return scene == NULL ? NULL : &scene->output;
}

vxe_result vxe_scene_set_output(vxe_scene *scene, const vxe_output_def *output, vxe_error *error)
{
    if (scene == NULL || output == NULL) return vxe_refuse_null(error);
    vxe_output_def own;
    vxe_output_def copy; /* before freeing: the names may be the scene's own */
    vxe_result result = vxe_settings_take(&vxe_output_type, output, &own, error);
    if (result == VXE_OK) result = vxe_check_output(&own, error);
    if (result == VXE_OK) result = vxe_copy_output(&own, &copy, error);
    if (result != VXE_OK) return result;
    vxe_free_output(&scene->output);
    scene->output = copy;
    return VXE_OK;
}
