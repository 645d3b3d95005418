/* What acts on a body from outside, load by load: gravity, forces and torques of regions, pulls, drag of the
 * fluid, force fields, cilia, water. One list for everyone who needs it: stepping, its account, the solvers.
 */
#ifndef SIM_LOADS_H
#define SIM_LOADS_H

#include "sim/sim.h"

/* Kinds of loads, as bits; also the order in which they are told. */
typedef enum load_kind {
    LOAD_GRAVITY = 1,
    LOAD_REGIONS = 2,
    LOAD_DRAG = 4,
    LOAD_FIELD = 8,
    LOAD_CILIA = 16,
    LOAD_PULLS = 32,
    LOAD_WATER = 64,
    LOAD_OTHER = 128,  /* of sim->other_load */
    LOAD_PUSHES = 256, /* of rules */
    LOAD_ALL = 511
} load_kind;

/* When, and where the voxels are then. Component a of voxel v is array[a][v * stride]. */
typedef struct load_moment {
    double time; /* s */
    double dt;   /* s: the step that drag must not turn the motion round in; 0: none */
    bool full;   /* loads of regions count in full, whatever their ramps say */
    const double *position[3];
    const double *orientation[4];
    const double *velocity[3]; /* NULL: at rest */
    const double *spin[3];     /* likewise */
    const double *growth;
    size_t position_stride, orientation_stride, velocity_stride;
} load_moment;

/* The moment a simulation is in. Its arrays of doubles must be current. */
load_moment vxe_loads_now(const vxe_sim *sim, double dt);

/* Gets the loads one by one: force, N, and torque, N m, on a voxel. */
typedef void (*load_sink)(void *user, int32_t voxel, const double force[3], const double torque[3]);

/* A load that is not in the list: who tells it, of a simulation whose member other_load it is. It does not
 * follow the body. For tests, and to try a force before it gets a kind of its own. */
typedef struct other_load {
    void (*tell)(const vxe_sim *sim, load_sink sink, void *user);
} other_load;

/* Tells all loads of these kinds; voxels in increasing order in a kind, but for regions, which come in their
 * order. The same load always gives the same bits. Allocates nothing. */
void vxe_loads_each(vxe_sim *sim, const load_moment *moment, unsigned kinds, load_sink sink, void *user);

/* Which kinds there are. Drag counts where the fluid is, though nothing moves. */
unsigned vxe_loads_present(const vxe_sim *sim);
/* Which of them change when voxels move or turn: force fields that speak of places, cilia, water with a
 * surface or a flow. */
unsigned vxe_loads_following(const vxe_sim *sim);
/* N/m: how force field and lift at a voxel change with its place, component by direction; the field by
 * differences. */
void vxe_loads_field_slope(const vxe_sim *sim, const load_moment *moment, int32_t voxel, double slope[3][3]);

/* Three formulas that tell a vector, with what they speak of beside the place. */
typedef struct vector_formulas {
    const vxe_formula *formula[3]; /* NULL: none along this axis */
    double variables[3][VXE_VARIABLE_COUNT];
} vector_formulas;
/* Those from a role on, at a moment; false: there are none. */
bool vxe_formulas_find(const vxe_sim *sim, vxe_formula_role first, const load_moment *moment,
                       vector_formulas *found);

/* Adds to bits of voxels: bit 2a: the face towards smaller coordinates of axis a has a link; bit 2a + 1: the
 * other one. */
void vxe_add_linked_faces(const vxe_sim *sim, uint8_t *faces);
/* Into sim->outside_faces, unless they are known. */
void vxe_find_linked_faces(vxe_sim *sim);

#endif
