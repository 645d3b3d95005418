/* Natural modes as they were found. Those who find them are the solvers; whoever shows or writes them needs
 * no solver. */
#ifndef SIM_MODES_H
#define SIM_MODES_H

#include "voxelastic/solve.h"

struct vxe_modes {
    vxe_modes_view view;
    double *frequency;
    double *square;
    double *shape; /* mode after mode, component after component, (voxels) each */
};

#define MODE_COMPONENTS 6

#endif
