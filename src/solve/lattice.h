/* The body as the solvers see it: all links in one list, loads and supports as they are when every ramp has
 * ended, and the energy, forces and stiffness of any pose. In: a vxe_sim (its links, edits and sizes). The
 * physics of one link is kernel/link.h, as in stepping.
 *
 * Unknowns are numbered 6 v + d: d = 0..2 moves voxel v along x, y, z; d = 3..5 turns it about the world
 * axes, q <- exp(theta) q. */
#ifndef SOLVE_LATTICE_H
#define SOLVE_LATTICE_H

#include "sim/sim.h"

#define DOFS 6

typedef struct lattice_link {
    int32_t near; /* < far */
    int32_t far;
    int32_t axis;
    int32_t kind; /* of the model's classes */
} lattice_link;

/* Where every voxel is. */
typedef struct pose {
    double *position; /* m, (3 voxels), voxel by voxel */
    double *turn;     /* unit quaternions w x y z, (4 voxels) */
    double *growth;   /* size/pitch - 1, (voxels) */
} pose;

typedef struct lattice {
    vxe_sim *sim;
    const vxe_model *model;
    double pitch;
    int32_t voxels;
    int32_t link_count;
    lattice_link *links;
    int32_t *faces; /* links of a voxel towards -x, +x, -y, +y, -z, +z, or -1; (6 voxels) */
    int32_t *body;  /* which connected piece, from 0; broken links do not connect; (voxels) */
    int32_t body_count;
    double *plastic; /* plastic strain, (link_count); NULL: none */
    double
        *modulus; /* Pa: of a voxel's pressure where it does not share it, (voxels); NULL: no voxel has any */
    bool shares;  /* some voxels share their pressure: see sim/pressure.c */
    double *loaded;   /* volume strains by loads on free faces, (voxels) */
    double *load;     /* N and N m: all that acts from outside, in the pose it was asked for; (6 voxels) */
    bool follows;     /* loads change with the pose: see vxe_lattice_load() */
    double *slope;    /* N/m: dF/dx of the force field likewise, (9 voxels); NULL: it does not change */
    double *cilia;    /* N: forces that turn with their voxels likewise, (3 voxels); NULL: none */
    double *growth;   /* sizes the signals ask for, (voxels) */
    uint8_t *held;    /* vxe_dof bits that regions or the plane hold, (voxels) */
    double time;      /* s: the moment it all belongs to */
    bool torques;     /* some load is a torque */
    bool slack;       /* tangents leave out what comes from the tension of links: linear statics */
    double *volume;   /* S_v of the pose that was measured last, (voxels) */
    double *pressure; /* Pa: likewise */
    double *spare[2]; /* work space, (voxels) each */
} lattice;

/* What lattice_gradient() and lattice_energy() find on their way. */
typedef struct lattice_measures {
    double energy;     /* J: links, pressure, floor */
    double length_min; /* m */
    double strain_max; /* largest |strain| */
    int32_t touching;  /* voxels on the floor */
} lattice_measures;

/* Reads a simulation. Signals are taken at `time`; loads and prescribed motions at the end of their ramps. */
vxe_result vxe_lattice_create(lattice *l, vxe_sim *sim, double time, vxe_error *error);
void vxe_lattice_destroy(lattice *l);

vxe_result vxe_pose_create(const lattice *l, pose *p, vxe_error *error);
void vxe_pose_destroy(pose *p);
void vxe_pose_copy(const lattice *l, const pose *from, pose *to);
/* The start of the model: nothing turned, no growth. */
void vxe_pose_start(const lattice *l, pose *p);
/* The pose a simulation is in. */
void vxe_pose_read(const lattice *l, pose *p);
/* Turns a voxel by the rotation vector `theta`. */
void vxe_pose_turn(pose *p, int32_t v, const double theta[3]);

/* Loads in a pose, into l->load, l->slope and l->cilia. Where none depends on the pose this does nothing. */
void vxe_lattice_load(const lattice *l, const pose *p);

/* Energy of a pose; with `floor` the floor's springs are part of it. */
lattice_measures vxe_lattice_energy(const lattice *l, const pose *p, bool floor);
/* Gradient of that energy, (6 voxels), N and N m: minus the internal forces. Loads are not part of it. */
lattice_measures vxe_lattice_gradient(const lattice *l, const pose *p, bool floor, double *gradient);
/* Elastic stretch of a link, m, whose length is known: without growth and what has flowed. */
double vxe_lattice_stretch(const lattice *l, const pose *p, int32_t i, double length);
/* Tension, N, of a link: from its elastic stretch, m, and the pressures of its two voxels, after one of the
 * two above. */
double vxe_lattice_tension(const lattice *l, int32_t i, double stretch);
/* How deep a voxel is in the floor, m; negative: above it; -INFINITY: there is none under it. */
double vxe_lattice_depth(const lattice *l, const pose *p, int32_t v);
/* N: what the floor presses a voxel up with; N/m: how that grows with depth, 0 above the floor. */
double vxe_lattice_floor_force(const lattice *l, const pose *p, int32_t v);
double vxe_lattice_floor_stiffness(const lattice *l, const pose *p, int32_t v);
/* Whether a voxel feels the floor's spring when it moves down: it is in the floor, or touches it. */
bool vxe_lattice_touches(const lattice *l, const pose *p, int32_t v);

/* N: the force of a strain of 1e-6 in the stiffest link. What is small beside it is round-off, where nothing
 * else tells. */
double vxe_lattice_small_force(const lattice *l);

/* mass or inertia of an unknown */
double vxe_lattice_mass(const lattice *l, int32_t v, int d);

/* The pressure of `solid`: p = G S with G symmetric (sim/pressure.c), S = sum over the voxel's links of
 * weight times elastic strain, plus what loads on free faces add; the energy is pitch^3/2 S.p. G is
 * diag(modulus) but for voxels that share pressure. Everything the solvers know about it is
 * vxe_pressure_from_volume(), vxe_pressure_add_loads(), modulus[] and the weights. */
static inline double lattice_pressure(const lattice *l, int32_t v)
{
    return l->modulus != NULL ? l->pressure[v] : 0.0;
}

static inline double lattice_weight(const lattice *l, const lattice_link *link, int32_t v)
{
    const link_class *c = &l->model->classes[link->kind];
    return v == link->near ? c->near_weight : c->far_weight;
}

/* The equations are those of the model's voxels and links: a body that has changed, or may grow, has others.
 */
vxe_result vxe_refuse_living(const vxe_sim *sim, vxe_error *error);

#endif
