/* What is around a body, as pages draw it: water, sources of light and heat, ground and solids. */
#ifndef PICTURE_WORLD_H
#define PICTURE_WORLD_H

#include "picture/scenery.h"

#include <jansson.h>

/* {"water": z of its surface in m, or null, "everywhere": whether there is water without a surface,
 *  "sources": [{"kind": "light" or "heat", "name", "position", "swing", "frequency", "strength", "radius"}]};
 * NULL if there is no memory. */
json_t *vxe_world_json(const vxe_scene *scene);
/* Corners of ground and solids, m, and colours of their faces, one byte per component; freed by free(). False
 * if there is no memory. */
bool vxe_world_arrays(const vxe_scenery *scenery, float **corners, uint8_t **colors);
/* The first with "corners", "face" and "color" packed, for replays; NULL if there is no memory. */
json_t *vxe_world_pack(const vxe_scene *scene);

#endif
