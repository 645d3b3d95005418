/* The state as a backend keeps it: numbers of type VXE_REAL. In double precision these are the simulation's
 * own arrays; in single precision positions stay double and everything else has arrays of its own. */
#ifndef BACKEND_CPU_NATIVE_H
#define BACKEND_CPU_NATIVE_H

#include <stddef.h>

#ifndef VXE_REAL
#error "define VXE_REAL first"
#endif

typedef struct native_state {
    VXE_REAL *orientation[4];
    VXE_REAL *velocity[3];
    VXE_REAL *spin[3];
    VXE_REAL *force[3];
    VXE_REAL *moment[3];
    VXE_REAL *link_sum[1]; /* N/m: K + 2 C/dt of a voxel's links as they are: what the time step depends on */
    VXE_REAL *lost_force[3];
    VXE_REAL *lost_moment[3];
    VXE_REAL *velocity_before[3];
    VXE_REAL *spin_before[3];
    VXE_REAL *kept_force[3];
    VXE_REAL *kept_moment[3];
    ptrdiff_t stride; /* from one component of the arrays above to the next */
    VXE_REAL *memory; /* single precision only */
} native_state;

#endif
