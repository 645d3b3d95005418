/* The largest of a run so far, with when and where: strain and speed of all steps, and what was found by
 * looking (voxelastic/figures.h). Kept in checkpoints. */
#ifndef SIM_PEAKS_H
#define SIM_PEAKS_H

#include "voxelastic/sim.h"

typedef enum seen_kind { SEEN_DISPLACEMENT, SEEN_STRESS, SEEN_KINDS } seen_kind;

/* Without gaps: it is saved as it is. */
typedef struct seen_peak {
    double value;
    double time;   /* s */
    int64_t voxel; /* -1: none yet */
} seen_peak;

typedef struct sim_peaks {
    vxe_sim_peaks peaks;
    seen_peak seen[SEEN_KINDS];
    int64_t step; /* of the simulation when they were noted last: after a reset they are not its own */
} sim_peaks;

/* At the start. */
void vxe_peaks_reset(vxe_sim *sim);
/* To be called after each step; `chunk` is where strain and speed were largest in it. */
void vxe_note_peaks(vxe_sim *sim, const int32_t chunk[2]);
/* Those found by looking: so far, and one to keep. */
seen_peak vxe_peak_seen(const vxe_sim *sim, seen_kind kind);
void vxe_peak_keep(vxe_sim *sim, seen_kind kind, seen_peak peak);

#endif
