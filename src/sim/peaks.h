/* The largest strain and speed since the start, or since a resume. */
#ifndef SIM_PEAKS_H
#define SIM_PEAKS_H

#include "voxelastic/sim.h"

typedef struct sim_peaks {
    vxe_sim_peaks peaks;
    int64_t step; /* at which they were noted last */
} sim_peaks;

/* To be called after each step. */
void vxe_note_peaks(vxe_sim *sim);

#endif
