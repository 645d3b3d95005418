/* Scenes of a few cells, and boxes in them. */
#ifndef TESTS_PLAIN_SCENE_H
#define TESTS_PLAIN_SCENE_H

#include "scene/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline vxe_scene *make_scene(double pitch, int32_t nx, int32_t ny, int32_t nz)
{
    vxe_scene *scene = NULL;
    vxe_error error = {0};
    if (vxe_scene_create(pitch, nx, ny, nz, &scene, &error) != VXE_OK) fail_msg("%s", error.message);
    return scene;
}

static inline int32_t add_material(vxe_scene *scene, const char *name)
{
    vxe_material_def def = vxe_default_material_def();
    int32_t number = -1;
    snprintf(def.name, sizeof def.name, "%s", name);
    assert_int_equal(vxe_scene_add_material(scene, &def, &number, NULL), VXE_OK);
    return number;
}

static inline vxe_shape make_box(vxe_units units, double x, double y, double z, double sx, double sy,
                                 double sz)
{
    return (vxe_shape){.kind = VXE_SHAPE_BOX, .units = units, .corner = {x, y, z}, .sides = {sx, sy, sz}};
}

#endif
