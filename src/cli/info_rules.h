/* What rules of a scene are about. */
#ifndef CLI_INFO_RULES_H
#define CLI_INFO_RULES_H

#include "voxelastic/rules.h"

#include <jansson.h>

/* For people; nothing where there are none. */
void cli_print_rules(const vxe_scene *scene);
/* For programs: a list. */
json_t *cli_json_rules(const vxe_scene *scene);

#endif
