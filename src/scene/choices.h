/* Words of scenes, as they stand in scene files, options and reports. The schema, the documentation and a
 * test follow these tables. */
#ifndef SCENE_CHOICES_H
#define SCENE_CHOICES_H

#include "base/base.h"
#include "voxelastic/world.h"

extern const vxe_choice vxe_laws[], vxe_units_words[], vxe_axes[], vxe_dofs[], vxe_elasticities[],
    vxe_planes[], vxe_collisions_words[], vxe_touches[], vxe_waveforms[], vxe_grounds[];
extern const vxe_choice vxe_experiment_dialects[]; /* none at all, too */

#endif
