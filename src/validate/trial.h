/* A specimen under test: a scene built step by step, and its answers by the linear solver, by equilibrium, by
 * modes or by time stepping.
 *
 * The first call that fails leaves its message in the `error` of the validation; all later calls then do
 * nothing and readings are NaN. So a case reads as a list of steps. Lengths are in voxels where a box is
 * meant, else SI. */
#ifndef VALIDATE_TRIAL_H
#define VALIDATE_TRIAL_H

#include "validate/validate.h"
#include "voxelastic/solve.h"

#define PI 3.14159265358979323846

/* Corner and sides in voxels. */
typedef struct voxel_box {
    int32_t corner[3];
    int32_t size[3];
} voxel_box;

/* How a layer is held. */
typedef enum hold_kind {
    HOLD_RIGID, /* all six degrees of freedom: rigid lumps */
    HOLD_CLAMP  /* the consistent clamp: the plane through the centres, as a bonded face */
} hold_kind;

/* Refinements of the pressure that can be left out, to show what they do. */
enum { WITHOUT_FACE_LOADS = 1, WITHOUT_SHARING = 2 };

typedef struct trial {
    vxe_error *error; /* of the validation */
    double pitch;
    int32_t size[3];
    vxe_scene *scene;
    vxe_model *model;
    vxe_sim *sim;
    vxe_linear *linear; /* of trial_linear(), where the solvers are there */
    vxe_modes *modes;   /* of trial_modes() */
    vxe_bond_damping bond_damping;
    bool audit;   /* keep the energy account */
    double scale; /* by which loads were reduced for a linear answer by stepping */
} trial;

static inline trial trial_of(validation *v) { return (trial){.error = &v->error}; }
/* An empty workspace, without damping. */
void trial_begin(trial *t, vxe_elasticity elasticity, double pitch, int32_t nx, int32_t ny, int32_t nz);
/* Frees everything. */
void trial_end(trial *t);
/* Frees everything and passes the last reading on. */
double trial_last(trial *t, double reading);
bool trial_good(const trial *t);

int32_t trial_material(trial *t, double youngs, double poisson, double density);
int32_t trial_expanding(trial *t, double youngs, double poisson, double density, double expansion);
void trial_fill(trial *t, voxel_box where, int32_t material); /* 0: empties */
voxel_box trial_all(const trial *t);
/* The layer at the low (side 0) or high (side 1) end of an axis. */
voxel_box trial_layer(const trial *t, int axis, int side);

/* Regions; they give the number of the region. */
int32_t trial_hold(trial *t, voxel_box where, hold_kind kind);
/* Rollers: held along one axis, or moved along it. */
int32_t trial_roll(trial *t, voxel_box where, int axis, double displacement);
int32_t trial_move(trial *t, voxel_box where, hold_kind kind, const double displacement[3],
                   const double rotation[3]);
int32_t trial_load(trial *t, voxel_box where, const double force[3], const double torque[3]);
void trial_damping(trial *t, double stretch, double rotation, double ground);
void trial_plane(trial *t, vxe_plane plane);
void trial_temperature(trial *t, double value);

/* Compiles and makes a simulation. `without`: refinements left out. */
void trial_compile(trial *t, int without);

/* The linear answer: by the solver, or (built without it) by relaxing under loads so small that nothing is
 * nonlinear. */
void trial_linear(trial *t, int without);
/* The nonlinear static answer by the solver, or by relaxing. */
void trial_equilibrium(trial *t);
/* Time stepping until no voxel has been faster than `speed` for `hold` seconds. */
void trial_settle(trial *t, double speed, double hold, int64_t most);
/* Time stepping under ground damping that follows the slowest motion, until rest. */
void trial_relax(trial *t, int64_t most);
void trial_step(trial *t, int64_t steps);
/* The lowest elastic frequencies, Hz; rigid ones left out. Fails without the solvers. */
void trial_modes(trial *t, int32_t count, double *frequency);
/* Component 0..5 of elastic mode `mode` (from 0) at a voxel. */
double trial_shape(const trial *t, int32_t mode, int32_t voxel, int component);

/* Readings, from whichever answer was made last. */
int32_t trial_voxel(const trial *t, int32_t i, int32_t j, int32_t k);
double trial_moved(const trial *t, int32_t i, int32_t j, int32_t k, int axis);
double trial_turned(const trial *t, int32_t i, int32_t j, int32_t k, int axis); /* linear answers only */
double trial_region_moved(const trial *t, int32_t region, int axis);
double trial_region_force(const trial *t, int32_t region, int axis);
double trial_region_moment(const trial *t, int32_t region, int axis);

static inline voxel_box box_at(int32_t x, int32_t y, int32_t z, int32_t sx, int32_t sy, int32_t sz)
{
    return (voxel_box){{x, y, z}, {sx, sy, sz}};
}

#endif
