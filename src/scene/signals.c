/* Signals: the control variables that drive actuation. The scene owns a copy of every table. */
#include "scene/scene.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static const vxe_signal_def defaults = {
    .size = sizeof(vxe_signal_def), .name = "temperature", .waveform = VXE_WAVE_SINE, .period = 1.0};
const settings_type vxe_signal_type = {"vxe_signal_def", sizeof(vxe_signal_def),
                                       SETTINGS_END(vxe_signal_def, table_value), &defaults};

void vxe_signal_def_init(vxe_signal_def *def, size_t size)
{
    vxe_settings_give(&vxe_signal_type, NULL, def, size);
}

vxe_result vxe_copy_signal(const vxe_signal_def *def, vxe_signal_def *copy, vxe_error *error)
{
    vxe_signal_def made = *def;
    vxe_pad_name(made.name);
    made.table_time = NULL;
    made.table_value = NULL;
    if (def->table_count > 0) {
        const size_t count = (size_t)def->table_count;
        double *table = malloc(2 * count * sizeof *table);
        if (table == NULL) {
            (void)vxe_fail_memory(error, "the table of a signal", 2 * count * sizeof *table);
            return VXE_ERROR_MEMORY;
        }
        memcpy(table, def->table_time, count * sizeof *table);
        memcpy(table + count, def->table_value, count * sizeof *table);
        made.table_time = table;
        made.table_value = table + count;
    }
    *copy = made;
    return VXE_OK;
}

void vxe_free_signal(vxe_signal_def *def)
{
    free((void *)def->table_time);
    def->table_time = NULL;
    def->table_value = NULL;
    def->table_count = 0;
}

/* A program's settings, checked and copied, for a signal (-1: a new one). */
static vxe_result take_signal(const vxe_scene *scene, const vxe_signal_def *def, int32_t self,
                              vxe_signal_def *copy, vxe_error *error)
{
    vxe_signal_def own;
    vxe_result result = vxe_settings_take(&vxe_signal_type, def, &own, error);
    if (result == VXE_OK) result = vxe_check_signal(&own, error);
    if (result == VXE_OK) result = vxe_check_signal_name(scene, own.name, self, error);
    if (result != VXE_OK) return result;
    if (self < 0 && scene->signal_count >= VXE_SIGNALS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "signal \"%s\": the scene is full with %d signals", own.name,
                        VXE_SIGNALS_MAX);
    return vxe_copy_signal(&own, copy, error);
}

vxe_result vxe_scene_add_signal(vxe_scene *scene, const vxe_signal_def *def, int32_t *signal,
                                vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    vxe_signal_def copy = {0}; /* before growing: def may be one of the scene's own */
    const vxe_result result = take_signal(scene, def, -1, &copy, error);
    if (result != VXE_OK) return result;
    vxe_signal_def *grown =
        vxe_grow(scene->signals, (size_t)scene->signal_count + 1, &scene->signal_capacity, sizeof *grown);
    if (grown == NULL) {
        vxe_free_signal(&copy);
        return vxe_fail_memory(error, "the signals", sizeof *grown * (size_t)scene->signal_count);
    }
    scene->signals = grown;
    scene->signals[scene->signal_count] = copy;
    if (signal != NULL) *signal = scene->signal_count;
    scene->signal_count++;
    return VXE_OK;
}

vxe_result vxe_scene_set_signal(vxe_scene *scene, int32_t signal, const vxe_signal_def *def, vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    vxe_signal_def copy = {0}; /* before freeing: the tables may be the scene's own */
    vxe_result result = vxe_check_number("signal", signal, scene->signal_count, 0, error);
    if (result == VXE_OK) result = take_signal(scene, def, signal, &copy, error);
    if (result != VXE_OK) return result;
    vxe_free_signal(&scene->signals[signal]);
    scene->signals[signal] = copy;
    return VXE_OK;
}

vxe_result vxe_scene_remove_signal(vxe_scene *scene, int32_t signal, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    const vxe_result result = vxe_check_number("signal", signal, scene->signal_count, 0, error);
    if (result != VXE_OK) return result;
    vxe_free_signal(&scene->signals[signal]);
    vxe_drop(scene->signals, &scene->signal_count, signal, sizeof *scene->signals);
    return VXE_OK;
}

int32_t vxe_scene_signal_count(const vxe_scene *scene) { return scene == NULL ? 0 : scene->signal_count; }

const vxe_signal_def *vxe_scene_signal(const vxe_scene *scene, int32_t signal)
{
    if (scene == NULL || signal < 0 || signal >= scene->signal_count) return NULL;
    return &scene->signals[signal];
}

int32_t vxe_scene_find_signal(const vxe_scene *scene, const char *name)
{
    if (scene == NULL || name == NULL) return -1;
    for (int32_t n = 0; n < scene->signal_count; n++) {
        if (strcmp(scene->signals[n].name, name) == 0) return n;
    }
    return -1;
}
