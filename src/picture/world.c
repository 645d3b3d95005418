/* What is around a body; see world.h. */
#include "picture/world.h"
#include "picture/pack.h"
#include "picture/values.h"
#include "voxelastic/rules.h"

#include <stdlib.h>

static json_t *source_json(const vxe_rule_def *r)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "kind",
                     r->kind == VXE_RULE_LIGHT ? "light" : "heat", "name", r->name, "position",
                     vxe_vector_json(r->position), "swing", vxe_vector_json(r->swing), "frequency",
                     vxe_vector_json(r->frequency), "strength", vxe_number_json(r->strength), "radius",
                     vxe_number_json(r->radius));
}

json_t *vxe_world_json(const vxe_scene *scene)
{
    const vxe_water_def *water = vxe_scene_water(scene);
    const bool surface = water != NULL && water->has_level;
    json_t *sources = json_array();
    for (int32_t i = 0; i < vxe_scene_rule_count(scene); i++) {
        const vxe_rule_def *r = vxe_scene_rule(scene, i);
        if (r->kind == VXE_RULE_LIGHT || r->kind == VXE_RULE_HEAT)
            (void)json_array_append_new(sources, source_json(r));
    }
    return json_pack("{s:o, s:b, s:o}", "water", surface ? vxe_number_json(water->level) : json_null(),
                     "everywhere", water != NULL && !surface, "sources", sources);
}

bool vxe_world_arrays(const vxe_scenery *s, float **corners, uint8_t **colors)
{
    const size_t m = s == NULL ? 0 : (size_t)s->corner_count;
    const size_t f = s == NULL ? 0 : (size_t)s->face_count;
    *corners = malloc((3 * m + 1) * sizeof **corners);
    *colors = malloc(3 * f + 1);
    if (*corners == NULL || *colors == NULL) {
        free(*corners);
        free(*colors);
        *corners = NULL;
        *colors = NULL;
        return false;
    }
    for (size_t i = 0; i < 3 * m; i++) (*corners)[i] = (float)s->corner[i];
    for (size_t i = 0; i < f; i++) {
        (*colors)[3 * i] = s->color[i].r;
        (*colors)[3 * i + 1] = s->color[i].g;
        (*colors)[3 * i + 2] = s->color[i].b;
    }
    return true;
}

json_t *vxe_world_pack(const vxe_scene *scene)
{
    vxe_scenery *s = NULL;
    float *corners = NULL;
    uint8_t *colors = NULL;
    json_t *o = vxe_world_json(scene);
    bool good = o != NULL && vxe_scenery_create(scene, &s, NULL) == VXE_OK;
    if (good && s != NULL) {
        good = vxe_world_arrays(s, &corners, &colors);
        if (good)
            good = vxe_pack_set(o, "corners", "f32", 3 * (size_t)s->corner_count, corners) &&
                   vxe_pack_set(o, "face", "u32", 4 * (size_t)s->face_count, s->face) &&
                   vxe_pack_set(o, "color", "u8", 3 * (size_t)s->face_count, colors);
        free(corners);
        free(colors);
    }
    vxe_scenery_destroy(s);
    if (!good) json_decref(o);
    return good ? o : NULL;
}
