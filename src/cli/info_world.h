/* What bodies of a scene meet, and how they begin, for `voxelastic info`. */
#ifndef CLI_INFO_WORLD_H
#define CLI_INFO_WORLD_H

#include "voxelastic/voxelastic.h"

#include <jansson.h>

/* Ground, solids, water and starts; what there is none of is not mentioned. */
void cli_print_world(const vxe_scene *scene);
/* Members for the object of `info --json`: null or an empty list where there is none. NULL: no memory. */
json_t *cli_json_ground(const vxe_scene *scene);
json_t *cli_json_solids(const vxe_scene *scene);
json_t *cli_json_water(const vxe_scene *scene);
json_t *cli_json_starts(const vxe_scene *scene);

#endif
