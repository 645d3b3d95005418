/* Words of settings, as they stand in options and reports. */
#ifndef SIM_CHOICES_H
#define SIM_CHOICES_H

#include "base/base.h"
#include "voxelastic/sim.h"

extern const vxe_choice vxe_precisions[], vxe_isas[], vxe_devices[], vxe_bond_dampings[];

#endif
