/* A good scene, ways to break it, and the messages that follow. */
#ifndef TESTS_BROKEN_SCENE_H
#define TESTS_BROKEN_SCENE_H

#include "scene/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A list of ways to break something: the n-th one is applied and its message given. */
#define BREAK(change, text)                                                                                  \
    if (n-- == 0) {                                                                                          \
        change;                                                                                              \
        return text;                                                                                         \
    }

/* 64 bytes, not terminated: no name. */
static inline void write_endless(char name[VXE_NAME_SIZE]) { memset(name, 'x', VXE_NAME_SIZE); }

static inline void write_name(char name[VXE_NAME_SIZE], const char *text)
{
    snprintf(name, VXE_NAME_SIZE, "%s", text);
}

static inline void set_vector(double v[3], double x, double y, double z)
{
    v[0] = x;
    v[1] = y;
    v[2] = z;
}

/* 4 x 3 x 2 voxels of "gel", the region "left" holding the first layer, "right" loading the last, one signal,
 * a stop, a trace. */
static inline vxe_scene *make_good(void)
{
    vxe_scene *scene = NULL;
    assert_int_equal(vxe_scene_create(0.01, 4, 3, 2, &scene, NULL), VXE_OK);
    vxe_material_def material = vxe_default_material_def();
    write_name(material.name, "gel");
    assert_int_equal(vxe_scene_add_material(scene, &material, NULL, NULL), VXE_OK);
    vxe_region_def region = vxe_default_region_def();
    region.shape.units = VXE_UNITS_VOXELS;
    set_vector(region.shape.sides, 4, 3, 2);
    assert_int_equal(vxe_scene_fill(scene, &region.shape, 1, NULL), VXE_OK);
    region.shape.sides[0] = 1;
    write_name(region.name, "left");
    region.fixed = VXE_DOF_ALL;
    assert_int_equal(vxe_scene_add_region(scene, &region, NULL, NULL), VXE_OK);
    write_name(region.name, "right");
    region.shape.corner[0] = 3;
    region.fixed = 0;
    region.force[0] = 1.0;
    assert_int_equal(vxe_scene_add_region(scene, &region, NULL, NULL), VXE_OK);
    const vxe_signal_def signal = vxe_default_signal_def();
    assert_int_equal(vxe_scene_add_signal(scene, &signal, NULL, NULL), VXE_OK);
    const vxe_stop stop = {.time = 1.0, .cycles = 2.0};
    assert_int_equal(vxe_scene_set_stop(scene, &stop, NULL), VXE_OK);
    const char *names[1] = {"energy"};
    const vxe_output_def output = {.trace_count = 1, .trace = names};
    assert_int_equal(vxe_scene_set_output(scene, &output, NULL), VXE_OK);
    vxe_error error = {0};
    if (vxe_scene_check(scene, &error) != VXE_OK) fail_msg("%s", error.message);
    return scene;
}

static inline void expect(vxe_result result, const vxe_error *error, vxe_result code, const char *message)
{
    if (result != code || error->code != code || strcmp(error->message, message) != 0) {
        fail_msg("expected %d: %s\n           got %d: %s", (int)code, message, (int)result, error->message);
    }
}

#endif
