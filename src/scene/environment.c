/* What surrounds the voxels, when a run ends and what it records. The scene owns a copy of the names of the
 * trace. */
#include "scene/scene.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

vxe_environment vxe_default_environment(void)
{
    return (vxe_environment){
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
}

vxe_environment vxe_scene_environment(const vxe_scene *scene)
{
    return scene == NULL ? (vxe_environment){.floor = false} : scene->environment;
}

vxe_result vxe_scene_set_environment(vxe_scene *scene, const vxe_environment *environment, vxe_error *error)
{
    if (scene == NULL || environment == NULL) return vxe_refuse_null(error);
    const vxe_result result = vxe_check_environment(environment, error);
    if (result == VXE_OK) scene->environment = *environment;
    return result;
}

vxe_stop vxe_scene_stop(const vxe_scene *scene)
{
    return scene == NULL ? (vxe_stop){.steps = 0} : scene->stop;
}

vxe_result vxe_scene_set_stop(vxe_scene *scene, const vxe_stop *stop, vxe_error *error)
{
    if (scene == NULL || stop == NULL) return vxe_refuse_null(error);
    const vxe_result result = vxe_check_stop(stop, error);
    if (result != VXE_OK) return result;
    scene->stop = *stop;
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
    vxe_result result = vxe_check_output(output, error);
    if (result != VXE_OK) return result;
    vxe_output_def copy; /* before freeing: the names may be the scene's own */
    result = vxe_copy_output(output, &copy, error);
    if (result != VXE_OK) return result;
    vxe_free_output(&scene->output);
    scene->output = copy;
    return VXE_OK;
}
