/** @file solve.h
 *  Answers without time stepping: linear statics, natural modes, and the static answer of the full nonlinear
 * model. All three read a vxe_sim: its links, loads and edits. Loads and prescribed motions count in full, as
 * after their ramps; damping plays no part.
 *
 *  The solvers need CHOLMOD and ARPACK. In a library that was built without them (CMake option VXE_SOLVE)
 * every function here that can fail returns VXE_ERROR_ARGUMENT and says so; vxe_solve_available() tells
 * beforehand. docs/solvers.md has the methods and what was measured.
 */
#ifndef VOXELASTIC_SOLVE_H
#define VOXELASTIC_SOLVE_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Whether the solvers are in this library. */
VXE_API bool vxe_solve_available(void);

/** Who is told how far a solver is. */
typedef struct vxe_progress {
    /** Called now and then from the thread that solves, with what is counted ("iterations of Newton's
     * method",
     * ...) and how many are done; NULL: nobody is told. How many there will be, no one knows. */
    void (*tell)(void *user, const char *what, int64_t done);
    void *user; /**< handed to `tell` */
} vxe_progress;

/** How systems of linear equations are solved. */
typedef enum vxe_solver {
    VXE_SOLVER_AUTO = 1, /**< directly where the factor fits into a third of the memory, else by iteration */
    VXE_SOLVER_DIRECT = 2,   /**< Cholesky factorisation (CHOLMOD) */
    VXE_SOLVER_ITERATIVE = 3 /**< conjugate gradients with a coarse model of the body as preconditioner:
                                little memory, slow for slender bodies */
} vxe_solver;

/** What a solution took. */
typedef struct vxe_solve_cost {
    vxe_solver solver;      /**< the way that was used: VXE_SOLVER_DIRECT or _ITERATIVE */
    int64_t unknowns;       /**< degrees of freedom that are free */
    int64_t matrix_entries; /**< of the upper triangle of the stiffness matrix */
    double factor_entries;  /**< of the triangular factor; 0 if none was made */
    double factor_flops;    /**< floating-point operations of one factorisation; 0 if none was made */
    int32_t factorizations; /**< how many were made */
    int64_t iterations;     /**< of conjugate gradients, in all */
    size_t bytes;           /**< memory of matrix and factor, without working memory */
} vxe_solve_cost;

/** @name Linear statics
 *  The direct stiffness method: K u = f about the start of the model, however far its simulation has moved. K
 * has the stiffness of every link and the pressure of `solid`; f has the forces and torques of regions,
 * pulls, gravity, force fields and cilia as they are at the start, and the forces of growth: of every voxel's
 * expansion by its signal, as initial strain.
 * Displacements of regions are prescribed; rotations of regions to first order (u = rotation x arm). The
 * floor and contacts are not part of it, and materials that yield or break are taken as linear; the view
 * counts what that leaves out.
 *  @{ */

/** Settings of vxe_solve_linear(). */
typedef struct vxe_linear_def {
    size_t size;       /**< of this struct, as vxe_default_linear_def() sets it */
    vxe_solver solver; /**< how */
    double tolerance;  /**< largest residual |K u - f|/|f| that is accepted, 1e-14 to 1e-2 */
    double time;       /**< s; when the signals are read; negative: at the simulation's time */
} vxe_linear_def;

/** A solution. */
typedef struct vxe_linear vxe_linear;

/** What a solution contains; arrays belong to it. Moments count divided by the pitch where they are compared
 * with forces. */
typedef struct vxe_linear_view {
    int32_t voxel_count;           /**< voxels */
    const double *displacement[3]; /**< m, (voxel_count) each */
    const double *rotation[3];     /**< rad, about the world axes, (voxel_count) each */
    const double *reaction[3]; /**< N; of the supports on the voxel, 0 where it is free, (voxel_count) each */
    const double *reaction_moment[3]; /**< N m; likewise */
    const double *growth;             /**< size/pitch - 1, (voxel_count) */
    const double *pressure;           /**< Pa; `solid` only, positive in tension, (voxel_count) */
    const double *link_strain;     /**< elastic: without growth; numbered as in vxe_links, 0 where there is no
                                      link, (3 voxel_count) */
    const double *link_stress;     /**< Pa; axial, tension positive, (3 voxel_count) */
    const double *voxel_strain[3]; /**< mean of the voxel's links along x, y, z, (voxel_count) each */
    const double *voxel_stress[3]; /**< Pa; likewise */
    double displacement_max;       /**< m */
    int32_t displacement_voxel;    /**< where */
    double rotation_max;           /**< rad; above about 0.1 the linear answer is a rough one */
    double strain_max;             /**< largest |link_strain| */
    double energy;                 /**< J; elastic */
    double residual;               /**< |K u - f|/|f| over the free degrees of freedom */
    int32_t overstressed;          /**< links that would have yielded or broken */
    int32_t below_floor;           /**< voxels that end up below the floor, where the scene has one */
    vxe_solve_cost cost;           /**< what it took */
} vxe_linear_view;

/** Fills a struct of `size` bytes with what vxe_default_linear_def() returns. */
VXE_API void vxe_linear_def_init(vxe_linear_def *def, size_t size);
/** Automatic choice of the solver, residual 1e-8, the simulation's time. */
static inline vxe_linear_def vxe_default_linear_def(void)
{
    vxe_linear_def def;
    vxe_linear_def_init(&def, sizeof def);
    return def;
}
/** Solves. The simulation is not changed. VXE_ERROR_INPUT if something can move freely (the message says what
 * and how), _MEMORY, or _DIVERGED if the residual cannot be reached. */
VXE_API vxe_result vxe_solve_linear(vxe_sim *sim, const vxe_linear_def *def, vxe_linear **linear,
                                    vxe_error *error);
/** Frees a solution; NULL is fine. */
VXE_API void vxe_linear_destroy(vxe_linear *linear);
/** What is in it; valid as long as it. */
VXE_API const vxe_linear_view *vxe_linear_get(const vxe_linear *linear);
/** Mean displacement of a region's voxels, m. VXE_ERROR_ARGUMENT if there is no such region. */
VXE_API vxe_result vxe_linear_region_displacement(const vxe_linear *linear, int32_t region,
                                                  double displacement[3], vxe_error *error);
/** Force, N, and moment about the region's pivot, N m, of the region's supports on the body. Either may be
 * NULL. VXE_ERROR_ARGUMENT if there is no such region. */
VXE_API vxe_result vxe_linear_region_reaction(const vxe_linear *linear, int32_t region, double force[3],
                                              double moment[3], vxe_error *error);
/** @} */

/** @name Equilibrium
 *  The static answer of the full nonlinear model: large rotations and strains, growth, prescribed motion, the
 * floor.
 *  @{ */

/** How voxels that rest on the floor move along it. Friction depends on history, so an equilibrium must
 * choose. */
typedef enum vxe_floor_grip {
    VXE_FLOOR_STICK =
        1, /**< a voxel keeps the place where it first touches, as static friction makes it; see `slipping` */
    VXE_FLOOR_SLIDE = 2 /**< no friction */
} vxe_floor_grip;

/** Settings of vxe_solve_equilibrium(). */
typedef struct vxe_equilibrium_def {
    size_t size;      /**< of this struct, as vxe_default_equilibrium_def() sets it */
    double tolerance; /**< largest last change of a displacement, relative to the largest displacement, 1e-12
                         to 1e-2 */
    int32_t iterations_max; /**< of Newton, per load step, 1 to 10000 */
    int32_t load_steps_max; /**< before Newton gives up, 1 to 100000; steps are halved when one fails and
                               doubled when one is easy */
    int64_t relaxation_max; /**< time steps of the fallback; 0: no fallback */
    bool leave_unstable;    /**< whether an unstable equilibrium is left for a stable one (buckling) */
    vxe_floor_grip grip;    /**< on the floor */
    vxe_solver solver;      /**< of the linear equations */
    double time;            /**< s; when the signals are read; negative: at the simulation's time */
    vxe_progress progress;  /**< who is told how far it is */
} vxe_equilibrium_def;

/** How an equilibrium stands. */
typedef enum vxe_equilibrium_status {
    VXE_EQUILIBRIUM_STABLE = 1,   /**< found, and stable */
    VXE_EQUILIBRIUM_BUCKLED = 2,  /**< found, and stable; the way there left an unstable one, so that its
                                     mirror image may be as good */
    VXE_EQUILIBRIUM_UNSTABLE = 3, /**< found, and unstable: the smallest push leads away from it */
    VXE_EQUILIBRIUM_RELAXED = 4,  /**< found by damped time stepping, after Newton failed; stable */
    VXE_EQUILIBRIUM_NONE = 5      /**< none was found */
} vxe_equilibrium_status;

/** What vxe_solve_equilibrium() found. */
typedef struct vxe_equilibrium {
    vxe_equilibrium_status status; /**< how it stands */
    int32_t iterations;            /**< of Newton, in all */
    int32_t load_steps;            /**< that succeeded */
    int64_t relaxation_steps;      /**< time steps of the fallback; 0: it was not needed */
    double change;                 /**< last change of a displacement over the largest displacement */
    double residual;               /**< unbalanced force over the largest sum of forces on a voxel */
    double energy;                 /**< J; elastic, with the floor's springs */
    int32_t unstable_modes;        /**< directions in which a state on the way was unstable; at least */
    int32_t touching;              /**< voxels on the floor */
    int32_t slipping;    /**< of those: held by more than static friction; then the real body would slide */
    vxe_solve_cost cost; /**< of the linear equations */
    char message[512];   /**< for people: how it was found, or why not; never empty */
} vxe_equilibrium;

/** Fills a struct of `size` bytes with what vxe_default_equilibrium_def() returns. */
VXE_API void vxe_equilibrium_def_init(vxe_equilibrium_def *def, size_t size);
/** Change 1e-9, 60 iterations, 1000 load steps, 10^6 relaxation steps, unstable states are left, sticking
 * floor, automatic solver. */
static inline vxe_equilibrium_def vxe_default_equilibrium_def(void)
{
    vxe_equilibrium_def def;
    vxe_equilibrium_def_init(&def, sizeof def);
    return def;
}
/** Takes a simulation from where it is to an equilibrium of its loads, at rest: poses, sizes, pressure,
 * reactions and friction latches are set, velocities are zero, ramps have ended and the time is moved there
 * if it is earlier. It can be read, saved and stepped on. *report is filled in any case but a bad argument.
 *
 *  A body that nothing holds is held at its middle voxel if its loads balance; one that can only turn, as a
 * pendulum, is found where it hangs; otherwise VXE_ERROR_INPUT and the message says how it can move.
 * VXE_ERROR_DIVERGED if there is no answer, _MEMORY; then the simulation is as it was. Bodies that touch each
 * other, yield or break are left to the fallback. */
VXE_API vxe_result vxe_solve_equilibrium(vxe_sim *sim, const vxe_equilibrium_def *def,
                                         vxe_equilibrium *report, vxe_error *error);
/** Name of a status, for reports: "stable", "buckled", ... */
VXE_API const char *vxe_equilibrium_status_name(vxe_equilibrium_status status);
/** @} */

/** @name Modes
 *  The lowest natural frequencies and their shapes, about the pose in which the simulation is: the start of a
 * new one, or its equilibrium after vxe_solve_equilibrium().
 *  @{ */

/** Settings of vxe_solve_modes(). */
typedef struct vxe_modes_def {
    size_t size;           /**< of this struct, as vxe_default_modes_def() sets it */
    int32_t count;         /**< how many, 1 to 10000; fewer if the body has fewer */
    double tolerance;      /**< of the eigenvalues, relative, 1e-15 to 1e-2 */
    vxe_progress progress; /**< who is told how far it is */
} vxe_modes_def;

/** Modes. */
typedef struct vxe_modes vxe_modes;

/** What was found; arrays belong to it. */
typedef struct vxe_modes_view {
    int32_t count;           /**< modes */
    int32_t rigid;           /**< the first of them that are rigid motions, at 0 Hz */
    int32_t unstable;        /**< the first of them with a negative square, before the rigid ones */
    int32_t voxel_count;     /**< voxels */
    const double *frequency; /**< Hz, increasing; 0 for rigid motions; negative where the pose is unstable: it
                                then grows by exp(2 pi |f| t), (count) */
    const double *square;    /**< (2 pi f)^2 with its sign, 1/s^2, (count) */
    double imbalance; /**< unbalanced force over the largest sum of forces on a voxel: modes mean little where
                         it is not small */
    vxe_solve_cost cost; /**< what it took */
} vxe_modes_view;

/** Fills a struct of `size` bytes with what vxe_default_modes_def() returns. */
VXE_API void vxe_modes_def_init(vxe_modes_def *def, size_t size);
/** Six modes, 1e-10. */
static inline vxe_modes_def vxe_default_modes_def(void)
{
    vxe_modes_def def;
    vxe_modes_def_init(&def, sizeof def);
    return def;
}
/** Finds modes. The simulation is not changed. Voxels that touch the floor feel its spring, and stuck ones do
 * not slide. VXE_ERROR_INPUT if everything is held, _MEMORY, _DIVERGED. */
VXE_API vxe_result vxe_solve_modes(vxe_sim *sim, const vxe_modes_def *def, vxe_modes **modes,
                                   vxe_error *error);
/** Frees modes; NULL is fine. */
VXE_API void vxe_modes_destroy(vxe_modes *modes);
/** What is in it; valid as long as it. */
VXE_API const vxe_modes_view *vxe_modes_get(const vxe_modes *modes);
/** Component 0..5 (x, y, z, turns about them) of the shape of a mode, (voxel_count) numbers; kinetic energy
 * of unit speed is 1/2: sum of m x^2 = 1. NULL if there is no such mode or component. */
VXE_API const double *vxe_modes_shape(const vxe_modes *modes, int32_t mode, int component);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
