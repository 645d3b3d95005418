/** @file scene.h
 *  vxe_scene: what the user means. A workspace of voxels, a palette of materials, regions that hold or load
 * voxels, the environment, signals that drive actuation, when to stop and what to record. A scene can be
 * edited at any time and never steps; vxe_compile() turns it into a vxe_model.
 *
 *  Voxel (i,j,k) of a workspace of pitch l is the cube from (i,j,k) l to (i+1,j+1,k+1) l; z is up and the
 * floor is z = 0.
 */
#ifndef VOXELASTIC_SCENE_H
#define VOXELASTIC_SCENE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An editable scene. */
typedef struct vxe_scene vxe_scene;

/** How a material answers to stretch. */
typedef enum vxe_law {
    VXE_LAW_LINEAR = 1,   /**< stress = E strain */
    VXE_LAW_BILINEAR = 2, /**< E up to the yield stress, then the plastic modulus; unloads along E */
    VXE_LAW_TABLE = 3     /**< straight lines between points of strain and stress; unloads along E */
} vxe_law;

/** One material of the palette. */
typedef struct vxe_material_def {
    size_t size;              /**< of this struct, as vxe_default_material_def() sets it */
    char name[VXE_NAME_SIZE]; /**< not empty; a name in use gets a variant: "gel", "gel (2)" */
    double youngs_modulus;    /**< Pa, > 0 */
    double poissons_ratio;    /**< 0 to 0.49 */
    double density;           /**< kg/m^3, > 0 */
    double expansion;         /**< coefficient of thermal expansion (CTE), 1/K; any sign */
    double static_friction;   /**< >= dynamic_friction */
    double dynamic_friction;  /**< >= 0 */
    uint8_t color[4];         /**< red, green, blue, opacity */
    vxe_law law;              /**< how it answers to stretch */
    double yield_stress;      /**< Pa, > 0 for VXE_LAW_BILINEAR, else 0 */
    double plastic_modulus;   /**< Pa, 0 to below E for VXE_LAW_BILINEAR, else 0 */
    double failure_stress;    /**< Pa; a link that carries more tension breaks; 0: it never does */
    int32_t table_count;      /**< points of the table, 2 to VXE_TABLE_MAX for VXE_LAW_TABLE, else 0 */
    double table_strain[VXE_TABLE_MAX]; /**< strains, from 0 upwards, strictly increasing */
    double table_stress[VXE_TABLE_MAX]; /**< Pa; starts at 0, never falls; the first segment's slope is E */
    char signal[VXE_NAME_SIZE]; /**< name of the signal that drives its expansion; empty: the scene's first */
    double delay;               /**< s; until then no signal changes its size, >= 0 */
    bool fixed;                 /**< its voxels never move */
    bool unmeasured;            /**< its voxels do not count in the results of an experiment */
    bool target;                /**< its voxels count in pairs and hits of an experiment */
    bool rigid; /**< its voxels do not deform: those that are connected move as one body of six degrees of
                   freedom. Young's modulus is that of its contacts; linear, no expansion, no failure */
    double ground_damping; /**< factor of the environment's damping against the world, 0 to 1000 */
    bool transparent;      /**< its voxels keep no light off others */
} vxe_material_def;

/** In what a shape's lengths are given. */
typedef enum vxe_units {
    VXE_UNITS_METRES = 1, /**< metres */
    VXE_UNITS_FRACTION =
        2,               /**< fractions of the workspace's sides; radii and thickness: of its shortest side */
    VXE_UNITS_VOXELS = 3 /**< voxels: metres divided by the pitch */
} vxe_units;

/** Kinds of shape. */
typedef enum vxe_shape_kind {
    VXE_SHAPE_BOX = 1,       /**< corner and sides */
    VXE_SHAPE_SPHERE = 2,    /**< center and radius[0] */
    VXE_SHAPE_CYLINDER = 3,  /**< center, radius[0], axis and length */
    VXE_SHAPE_ELLIPSOID = 4, /**< center and radius[0..2] */
    VXE_SHAPE_CELLS = 5      /**< a list of voxels; for regions only */
} vxe_shape_kind;

/** Which voxels a region's shape takes. */
typedef enum vxe_touch {
    VXE_TOUCH_OVERLAP = 0, /**< those whose cube overlaps the shape: see vxe_region_def */
    VXE_TOUCH_CENTER = 1,  /**< those whose centre is inside */
    VXE_TOUCH_REACH = 2    /**< those whose centre is inside the shape enlarged by half the diagonal of a
                              cube; spheres only */
} vxe_touch;

/** A volume in the workspace. Only the members of its kind matter. It is a part of vxe_region_def, so members
 * to come take the place of `unused`. */
typedef struct vxe_shape {
    size_t size;          /**< of this struct; 0: that of the members up to `cells` */
    vxe_shape_kind kind;  /**< which */
    vxe_units units;      /**< of all lengths below */
    double corner[3];     /**< box: the corner nearest to the origin */
    double sides[3];      /**< box: sides, >= 0 (a box may be flat) */
    double center[3];     /**< sphere, cylinder, ellipsoid: the middle */
    double radius[3];     /**< sphere, cylinder: radius[0]; ellipsoid: the three half axes; >= 0 */
    vxe_axis axis;        /**< cylinder: its direction */
    double length;        /**< cylinder: end to end, >= 0 */
    double thickness;     /**< 0: solid; > 0: only the shell of this thickness, inwards */
    vxe_touch touch;      /**< regions: which voxels it takes */
    int32_t cell_count;   /**< cells: how many, 1 or more */
    const int32_t *cells; /**< cells: i, j, k of each, (3 cell_count); the scene copies and sorts them */
    double unused[4];     /**< 0; for kinds to come */
} vxe_shape;

/** A region acts on every voxel whose undeformed cube overlaps its shape with positive volume. Along an axis
 * in which a shape has no extent (a flat box, a sphere of radius 0) touching is enough: a flat box in a face
 * of the lattice acts on the voxels on both sides of it. */
typedef struct vxe_region_def {
    size_t size;              /**< of this struct, as vxe_default_region_def() sets it */
    char name[VXE_NAME_SIZE]; /**< not empty, unique in the scene */
    vxe_shape shape;          /**< where */
    uint32_t fixed;           /**< vxe_dof bits that do not move freely */
    bool clamp; /**< `fixed` must be VXE_DOF_ALL: hold the plane through the voxels' centres as a bonded face
                   would. Where one face of a voxel is linked to the rest of the body, only the half on that
                   side counts, and it may turn. Without it the voxels are held as rigid lumps, which stiffens
                   the layer */
    double displacement[3]; /**< m; where the fixed translations are taken to, from the start */
    double rotation[3];     /**< rad, rotation vector about `pivot`; not zero: `fixed` must be VXE_DOF_ALL */
    bool has_pivot;         /**< false: the pivot is the mean position of the region's voxels at the start */
    double pivot[3];        /**< m */
    bool in_place;          /**< each voxel turns about its own centre instead of the pivot; then a rotation
                               needs only the three rotations fixed */
    double force[3];        /**< N, shared equally by the region's voxels */
    double torque[3];       /**< N m, shared equally by the region's voxels */
    double ramp; /**< s; displacement, rotation, force and torque grow smoothly from 0 to full in this time */
} vxe_region_def;

/** Which link constants are used. */
typedef enum vxe_elasticity {
    VXE_ELASTICITY_SOLID =
        1,                  /**< calibrated: right shear, torsion and lateral contraction for nu in 0..0.49 */
    VXE_ELASTICITY_BEAM = 2 /**< Bernoulli-Euler beams; a body of them behaves as if nu were 0 */
} vxe_elasticity;

/** A plane in which the whole scene moves. */
typedef enum vxe_plane {
    VXE_PLANE_NONE = 0, /**< three dimensions */
    VXE_PLANE_XY = 1,   /**< z, rotation about x and y held */
    VXE_PLANE_XZ = 2,   /**< y, rotation about x and z held */
    VXE_PLANE_YZ = 3    /**< x, rotation about y and z held */
} vxe_plane;

/** How voxels that are not linked find out that they touch. All give the same contacts. */
typedef enum vxe_collisions {
    VXE_COLLISIONS_OFF = 0,  /**< bodies pass through each other */
    VXE_COLLISIONS_GRID = 1, /**< surface voxels, list within the horizon, found by a uniform grid: O(N) */
    VXE_COLLISIONS_ALL_EVERY = 2,     /**< all pairs, every step */
    VXE_COLLISIONS_SURFACE_EVERY = 3, /**< all pairs of surface voxels, every step */
    VXE_COLLISIONS_ALL_HORIZON = 4,   /**< list of pairs within the horizon, made from all pairs */
    VXE_COLLISIONS_SURFACE_HORIZON =
        5 /**< list of pairs within the horizon, made from all pairs of surface voxels */
} vxe_collisions;

/** What surrounds the voxels. */
typedef struct vxe_environment {
    size_t size;               /**< of this struct, as vxe_default_environment() sets it */
    double gravity[3];         /**< m/s^2; zero is off */
    bool floor;                /**< a floor at z = 0 */
    double damping_stretch;    /**< bond damping ratio of stretching, >= 0 */
    double damping_rotation;   /**< bond damping ratio of bending, shearing and twisting, >= 0 */
    double damping_contact;    /**< damping ratio of floor and voxel contacts, >= 0 */
    double damping_ground;     /**< damping ratio against the resting world, >= 0 */
    double damping_turning;    /**< 0 to 100: turning is damped by this times damping_ground */
    vxe_elasticity elasticity; /**< link constants */
    vxe_plane plane;           /**< keep all motion in a plane */
    vxe_collisions collisions; /**< between voxels */
    double collision_horizon;  /**< voxels, 1.5 to 10: pairs closer than this are watched */
    double collision_distance; /**< 1 to 1.5: voxels touch others as balls of their size times this */
    bool collision_smooth;     /**< contacts between voxels have no friction */
    bool floor_sticky;         /**< what touches the floor cannot slide */
    double floor_radius;       /**< m; the floor is a disc around the middle of the workspace; 0: no edge */
    double drag;          /**< kg/m^3, >= 0: a free face that moves outwards at v is pushed back by drag times
                             its area times v^2 */
    bool kinetic_damping; /**< stop all motion whenever the kinetic energy has passed a peak */
    double pause_begin;   /**< s; from then on voxels do not grow by themselves (VXE_FIELD_GROWTH_...) ... */
    double pause_time;    /**< ... for so many s; 0: there is no pause */
    bool links_unbalanced; /**< forces across links are their couples over the pitch instead of over their
                              present length, as in programs that follow the published equations to the
                              letter: links that are longer or shorter than the pitch make angular momentum
                              and energy out of nothing. Bond damping is explicit then */
    double slow_window;    /**< s; growth slows down when the body does: the speed of its centre of mass is
                              looked    at so often; 0: never */
    double slow_loss;      /**< 0 to 1: when it has lost more than this part of itself in a window ... */
    double slow_factor;    /**< ... growth goes on so many times as fast, 0 to 1, in the next one */
} vxe_environment;

/** How a signal varies over one period; all between -1 and 1, starting at 0 (square: at 1). */
typedef enum vxe_waveform {
    VXE_WAVE_SINE = 1,   /**< sin(2 pi t/period) */
    VXE_WAVE_SQUARE = 2, /**< 1 in the first half, -1 in the second */
    VXE_WAVE_RAMP = 3,   /**< triangle: 0, 1 at a quarter, 0, -1 at three quarters, 0 */
    VXE_WAVE_TABLE = 4   /**< straight lines between points of a table */
} vxe_waveform;

/** A control variable ("temperature"). A voxel of a material with expansion a that is driven by it changes
 * size by the factor 1 + a (base - reference + amplitude A wave(t/(period P) + phase + offset)), where A, P
 * and offset belong to the voxel. The factor is kept between 0.1 and 3. */
typedef struct vxe_signal_def {
    size_t size;              /**< of this struct, as vxe_default_signal_def() sets it */
    char name[VXE_NAME_SIZE]; /**< not empty, unique in the scene */
    vxe_waveform waveform;    /**< shape over one period */
    double base;              /**< K */
    double reference;         /**< K; the temperature at which nothing is expanded */
    double amplitude;         /**< K */
    double period;       /**< s, > 0; a table may have 0: it is then played once and holds its last value */
    double phase;        /**< cycles */
    double start;        /**< s; the amplitude grows smoothly from 0 in this time */
    bool contract_only;  /**< sizes above the size at rest are cut off */
    bool cool_only;      /**< values above the reference are cut off */
    double delay;        /**< s; until then the value is the reference */
    double size_min;     /**< smallest size, in pitches, 0.1 to 1; 0 stands for 0.1 */
    double size_max;     /**< largest size, in pitches, 1 to 3; 0 stands for 3 */
    int32_t table_count; /**< points of the table, >= 2 for VXE_WAVE_TABLE, else 0 */
    const double
        *table_time; /**< s, strictly increasing from 0, up to the period if that is not 0 (from the last
                        point to the end of the period the last value holds); the scene copies it */
    const double *table_value; /**< times the amplitude; the scene copies it */
} vxe_signal_def;

/** What is special about the actuation of one voxel. */
typedef struct vxe_actuation {
    size_t size;      /**< of this struct; 0: that of the members up to `period` */
    double phase;     /**< cycles, added to the signal's */
    double amplitude; /**< factor of the signal's amplitude */
    double period;    /**< factor of the signal's period, > 0 */
} vxe_actuation;

/** When a run ends: at the first condition that is met. A condition that is 0 is not used. */
typedef struct vxe_stop {
    size_t size;           /**< of this struct; 0: that of the members up to `formula` */
    double time;           /**< s */
    int64_t steps;         /**< steps */
    double cycles;         /**< periods of the scene's first signal */
    double kinetic_energy; /**< J; the kinetic energy stays below it for `settle` seconds */
    double speed;          /**< m/s; no voxel is faster for `settle` seconds */
    double settle;         /**< s; 0: settle_steps */
    int64_t settle_steps;  /**< 0: a thousand steps */
    double energy_change;  /**< J; kinetic and elastic energy together stay this close to what they are for
                              `settle` seconds */
    double movement;       /**< m; no voxel moves further in a step for `settle` seconds */
    double after;          /**< s; no condition is looked at before */
    int64_t after_steps;   /**< steps; likewise */
    bool formula; /**< the scene has a formula VXE_FORMULA_STOP and it is above 0; vxe_scene_set_stop() leaves
                     it as it is */
} vxe_stop;

/** Formulas of a scene. They are text: numbers, + - * / ^, comparisons > and <, && || !, brackets, sqrt sin
 * cos tan atan log round abs not normalcdf, e and pi, and the variables x y z t hit angle targetCloseness
 * numClosePairs num_voxel vx vy vz. */
typedef enum vxe_formula_role {
    VXE_FORMULA_STOP = 0, /**< the run ends when it is above 0; x y z: centre of mass, m */
    VXE_FORMULA_FITNESS,  /**< figure of merit of a run; x y z: displacement of the centre of mass, m */
    VXE_FORMULA_BEGIN,    /**< results count from when it is above 0 */
    VXE_FORMULA_END,      /**< results count until it is above 0 */
    VXE_FORMULA_FORCE_X,  /**< N, on every voxel; x y z: its position, m */
    VXE_FORMULA_FORCE_Y,  /**< N; likewise */
    VXE_FORMULA_FORCE_Z,  /**< N; likewise */
    VXE_FORMULA_FLOW_X,   /**< m/s, velocity of the water; x y z: the place, m */
    VXE_FORMULA_FLOW_Y,   /**< m/s; likewise */
    VXE_FORMULA_FLOW_Z,   /**< m/s; likewise */
    VXE_FORMULA_COUNT     /**< how many there are */
} vxe_formula_role;

/** Numbers that every voxel may have of its own; 0 where nothing was set. */
typedef enum vxe_field {
    VXE_FIELD_STIFFNESS = 0,    /**< Pa; Young's modulus instead of the material's (linear law only); 0: the
                                   material's */
    VXE_FIELD_SIZE_START,       /**< size at the start, in pitches, minus 1 */
    VXE_FIELD_SIZE_END,         /**< size when it has grown, in pitches, minus 1 */
    VXE_FIELD_GROWTH_BEGIN,     /**< s; when growth begins */
    VXE_FIELD_GROWTH_TIME,      /**< s; how long it takes; 0: it happens at once */
    VXE_FIELD_PHASE_CHANGE,     /**< cycles; what growth adds to the phase of actuation */
    VXE_FIELD_AMPLITUDE_CHANGE, /**< what growth adds to the amplitude of actuation */
    VXE_FIELD_CILIA_X,          /**< N; force in the voxel's own frame, if it is at the surface */
    VXE_FIELD_CILIA_Y,          /**< N; likewise */
    VXE_FIELD_CILIA_Z,          /**< N; likewise */
    VXE_FIELD_PART,    /**< number of the part the voxel belongs to, 1 to the number of parts; 0: to none */
    VXE_FIELD_SHIFT_X, /**< N; what an impulse of 1 adds to the force of cilia, along x of the voxel */
    VXE_FIELD_SHIFT_Y, /**< N; likewise */
    VXE_FIELD_SHIFT_Z, /**< N; likewise */
    VXE_FIELD_TRAIT1,  /**< a number of its own, for formulas of rules */
    VXE_FIELD_TRAIT2,  /**< another */
    VXE_FIELD_TRAIT3,  /**< another */
    VXE_FIELD_TRAIT4,  /**< another */
    VXE_FIELD_COUNT    /**< how many there are */
} vxe_field;

/** Whose rules decide what a file of the VoxCAD family means where the programs disagree. */
typedef enum vxe_dialect {
    VXE_DIALECT_AUTO = 0, /**< chosen from what the file contains, and told in the notes */
    VXE_DIALECT_VOXCAD,   /**< VoxCAD */
    VXE_DIALECT_EVOSORO,  /**< evosoro */
    VXE_DIALECT_VOXCRAFT  /**< voxcraft-sim */
} vxe_dialect;

/** What scripts around a run expect of it. All zero: nothing. */
typedef struct vxe_experiment {
    size_t size;            /**< of this struct; 0: that of the members up to `pair_distance` */
    vxe_dialect dialect;    /**< of the file it came from; auto: none */
    char result_file[256];  /**< file of results in evosoro's form, relative to the output folder; empty: none
                             */
    char result_path[512];  /**< where a file of another program wanted it, if that leads out of the folder;
                               empty: nowhere else */
    double trace_every;     /**< s between places of the centre of mass in that file; 0: none */
    bool by_volume;         /**< distances in it are divided by a power of the volume */
    double volume_exponent; /**< that power */
    double begin;           /**< s; the centre of mass is counted from where it is then */
    double restart;         /**< s; and once more from where it is then; 0: never */
    double history_every;   /**< s between frames of a history in voxcraft's form; 0: none */
    bool history_voxels;    /**< with the voxels */
    bool history_links;     /**< with the links */
    bool positions;         /**< positions of all voxels in voxcraft's report */
    double pair_distance;   /**< voxels; target voxels closer than this are a pair; 0: none are */
    char fall[VXE_NAME_SIZE]; /**< material: the run ends when more of its voxels than others touch the floor,
                                 and its distance does not count; empty: none */
    char needle[VXE_NAME_SIZE]; /**< material, a target: whether others have touched it is in evosoro's file
                                   (FoundNeedleInHaystack); empty: none */
    char block[VXE_NAME_SIZE];  /**< material: how far its last voxel was pushed is in evosoro's file
                                   (PushDist); empty: that of palette entry 7, if there is one */
    double afterlife;    /**< s that the run goes on after the end of life, by the stop condition's time */
    double group_at;     /**< s; when the largest body is counted for voxcraft's report; 0: at the end */
    bool history_inside; /**< a history has the voxels inside the body too */
    bool history_moving; /**< and none of fixed materials */
    char history_bodies[VXE_NAME_SIZE]; /**< material: it also has the centres of all bodies with such voxels
                                         */
} vxe_experiment;

/** A named part of the body: the voxels whose VXE_FIELD_PART is its number. */
typedef struct vxe_part_def {
    size_t size;              /**< of this struct; 0: that of the members up to `separate` */
    char name[VXE_NAME_SIZE]; /**< not empty, unique in the scene */
    bool separate;            /**< no links lead out of it: it touches the rest, but is not bonded to it */
} vxe_part_def;

/** What a run records. */
typedef struct vxe_output_def {
    size_t size;              /**< of this struct; 0: that of the members up to `checkpoint_every` */
    int32_t trace_count;      /**< number of names */
    const char *const *trace; /**< quantities of the trace, see vxe_trace_create(); the scene copies them */
    double every;             /**< s between rows of the trace; 0: about a thousand rows in all */
    double checkpoint_every;  /**< s between checkpoints; 0: only at the end */
} vxe_output_def;

/** @name Scenes
 *  @{ */

/** A new, empty workspace: pitch in m (1e-9 to 1e3) and voxels along x, y, z (1 to VXE_SIDE_MAX, at most
 * VXE_CELLS_MAX cells). Its environment, stop condition and outputs are the defaults; it has no signal.
 * VXE_ERROR_INPUT, _LIMIT or _MEMORY. */
VXE_API vxe_result vxe_scene_create(double pitch, int32_t nx, int32_t ny, int32_t nz, vxe_scene **scene,
                                    vxe_error *error);
/** A copy of everything. */
VXE_API vxe_result vxe_scene_copy(const vxe_scene *scene, vxe_scene **copy, vxe_error *error);
/** Frees a scene; NULL is fine. */
VXE_API void vxe_scene_destroy(vxe_scene *scene);
/** Checks every rule, as vxe_compile() does; the message names what is wrong and where. */
VXE_API vxe_result vxe_scene_check(const vxe_scene *scene, vxe_error *error);

/** Pitch, m. */
VXE_API double vxe_scene_pitch(const vxe_scene *scene);
/** Voxels along x, y and z. */
VXE_API void vxe_scene_size(const vxe_scene *scene, int32_t size[3]);
/** Voxels that are not empty. */
VXE_API int64_t vxe_scene_voxel_count(const vxe_scene *scene);
/** Name of the scene (may be empty), for reports. Never NULL. */
VXE_API const char *vxe_scene_name(const vxe_scene *scene);
/** What the scene is, for people (may be empty). Never NULL. */
VXE_API const char *vxe_scene_description(const vxe_scene *scene);
/** Sets name and description; either may be NULL for "leave it". Valid UTF-8, at most 255 and 65535 bytes. */
VXE_API vxe_result vxe_scene_describe(vxe_scene *scene, const char *name, const char *description,
                                      vxe_error *error);
/** @} */

/** @name Palette
 *  Materials are numbered from 1; 0 is an empty voxel.
 *  @{ */

/** Fills a struct of `size` bytes with what vxe_default_material_def() returns. */
VXE_API void vxe_material_def_init(vxe_material_def *def, size_t size);
/** 1 MPa, nu 0.3, 1000 kg/m^3, no expansion, friction 1.0 and 0.5, grey, linear, named "material". */
static inline vxe_material_def vxe_default_material_def(void)
{
    vxe_material_def def;
    vxe_material_def_init(&def, sizeof def);
    return def;
}
/** Appends a material and gives its number. A name in use gets a variant. Refused if a value is out of range.
 */
VXE_API vxe_result vxe_scene_add_material(vxe_scene *scene, const vxe_material_def *def, int32_t *material,
                                          vxe_error *error);
/** Replaces material 1..count; a name in use by another gets a variant. */
VXE_API vxe_result vxe_scene_set_material(vxe_scene *scene, int32_t material, const vxe_material_def *def,
                                          vxe_error *error);
/** Deletes a material: its voxels become empty and the numbers above it, in the palette and in the voxels,
 * move down by one. */
VXE_API vxe_result vxe_scene_remove_material(vxe_scene *scene, int32_t material, vxe_error *error);
/** Number of materials. */
VXE_API int32_t vxe_scene_material_count(const vxe_scene *scene);
/** Material 1..count, valid until the palette changes; NULL if there is none. Of a copy, set the size. */
VXE_API const vxe_material_def *vxe_scene_material(const vxe_scene *scene, int32_t material);
/** Number of the material with this name; 0 if there is none. */
VXE_API int32_t vxe_scene_find_material(const vxe_scene *scene, const char *name);
/** @} */

/** @name Voxels
 *  @{ */

/** Sets one voxel to a material, or empties it (0). Out of the workspace or of the palette is an error. */
VXE_API vxe_result vxe_scene_set_voxel(vxe_scene *scene, int32_t i, int32_t j, int32_t k, int32_t material,
                                       vxe_error *error);
/** Material of a voxel; 0 if it is empty or outside. */
VXE_API int32_t vxe_scene_voxel(const vxe_scene *scene, int32_t i, int32_t j, int32_t k);
/** Sets every voxel whose centre lies in the shape to a material, or empties it (0). Parts of a shape outside
 * the workspace are ignored. */
VXE_API vxe_result vxe_scene_fill(vxe_scene *scene, const vxe_shape *shape, int32_t material,
                                  vxe_error *error);
/** All voxels at once, x fastest: the material of (i,j,k) is at [(k ny + j) nx + i]. Valid until the scene
 * changes. */
VXE_API const uint16_t *vxe_scene_voxels(const vxe_scene *scene);
/** Sets all voxels of a box of cells, from `first` on, of `size` cells along x, y, z, from a flat array with
 * x fastest: the material (or 0) of cell first + (i,j,k) is at [(k size[1] + j) size[0] + i]. Nothing is
 * changed unless all fits: _ARGUMENT or VXE_ERROR_INPUT. */
VXE_API vxe_result vxe_scene_set_voxels(vxe_scene *scene, const int32_t first[3], const int32_t size[3],
                                        const uint16_t *materials, vxe_error *error);
/** Sets the actuation of all voxels of such a box; any of the three arrays (see vxe_actuation) may be NULL:
 * that number stays what it is. Nothing is changed unless all is valid. */
VXE_API vxe_result vxe_scene_set_actuations(vxe_scene *scene, const int32_t first[3], const int32_t size[3],
                                            const double *phase, const double *amplitude,
                                            const double *period, vxe_error *error);
/** Sets a number of all voxels of such a box. Nothing is changed unless all is valid. */
VXE_API vxe_result vxe_scene_set_fields(vxe_scene *scene, vxe_field field, const int32_t first[3],
                                        const int32_t size[3], const double *values, vxe_error *error);
/** Sets the actuation of one voxel (empty ones too). */
VXE_API vxe_result vxe_scene_set_actuation(vxe_scene *scene, int32_t i, int32_t j, int32_t k,
                                           const vxe_actuation *actuation, vxe_error *error);
/** Fills a struct of `size` bytes with what vxe_scene_actuation() returns. */
VXE_API void vxe_scene_get_actuation(const vxe_scene *scene, int32_t i, int32_t j, int32_t k,
                                     vxe_actuation *actuation, size_t size);
/** Actuation of a voxel; phase 0, amplitude 1, period 1 where nothing was set or outside. */
static inline vxe_actuation vxe_scene_actuation(const vxe_scene *scene, int32_t i, int32_t j, int32_t k)
{
    vxe_actuation actuation;
    vxe_scene_get_actuation(scene, i, j, k, &actuation, sizeof actuation);
    return actuation;
}
/** Whether any voxel's actuation differs from that. */
VXE_API bool vxe_scene_has_actuation(const vxe_scene *scene);
/** Sets a number of one voxel (empty ones too). */
VXE_API vxe_result vxe_scene_set_field(vxe_scene *scene, vxe_field field, int32_t i, int32_t j, int32_t k,
                                       double value, vxe_error *error);
/** A number of a voxel; 0 where nothing was set or outside. */
VXE_API double vxe_scene_field(const vxe_scene *scene, vxe_field field, int32_t i, int32_t j, int32_t k);
/** Whether any voxel has such a number. */
VXE_API bool vxe_scene_has_field(const vxe_scene *scene, vxe_field field);
/** Name of a field, as in scene files: "stiffness", "size_start", ... NULL if there is none. */
VXE_API const char *vxe_field_name(vxe_field field);
/** @} */

/** @name Parts
 *  Numbered from 1, as in VXE_FIELD_PART. Voxels that are neighbours are linked unless they belong to
 *  different parts of which one is separate; then they collide, if the environment's collisions are on.
 *  @{ */

/** Appends a part and gives its number. VXE_ERROR_INPUT if the name is in use, _LIMIT beyond VXE_PARTS_MAX.
 */
VXE_API vxe_result vxe_scene_add_part(vxe_scene *scene, const vxe_part_def *def, int32_t *part,
                                      vxe_error *error);
/** Replaces part 1..count. */
VXE_API vxe_result vxe_scene_set_part(vxe_scene *scene, int32_t part, const vxe_part_def *def,
                                      vxe_error *error);
/** Deletes a part: its voxels belong to none, and the numbers above it, in the voxels too, move down by one.
 */
VXE_API vxe_result vxe_scene_remove_part(vxe_scene *scene, int32_t part, vxe_error *error);
/** Number of parts. */
VXE_API int32_t vxe_scene_part_count(const vxe_scene *scene);
/** Part 1..count, valid until the parts change; NULL if there is none. */
VXE_API const vxe_part_def *vxe_scene_part(const vxe_scene *scene, int32_t part);
/** @} */

/** @name Regions
 *  Numbered from 0.
 *  @{ */

/** Fills a struct of `size` bytes with what vxe_default_region_def() returns. */
VXE_API void vxe_region_def_init(vxe_region_def *def, size_t size);
/** A box in metres at the origin, without size; nothing fixed, no load. */
static inline vxe_region_def vxe_default_region_def(void)
{
    vxe_region_def def;
    vxe_region_def_init(&def, sizeof def);
    return def;
}
/** Appends a region and gives its number. */
VXE_API vxe_result vxe_scene_add_region(vxe_scene *scene, const vxe_region_def *def, int32_t *region,
                                        vxe_error *error);
/** Replaces a region. */
VXE_API vxe_result vxe_scene_set_region(vxe_scene *scene, int32_t region, const vxe_region_def *def,
                                        vxe_error *error);
/** Deletes a region; the numbers above it move down by one. */
VXE_API vxe_result vxe_scene_remove_region(vxe_scene *scene, int32_t region, vxe_error *error);
/** Number of regions. */
VXE_API int32_t vxe_scene_region_count(const vxe_scene *scene);
/** A region, valid until the regions change; NULL if there is none. */
VXE_API const vxe_region_def *vxe_scene_region(const vxe_scene *scene, int32_t region);
/** Number of the region with this name; -1 if there is none. */
VXE_API int32_t vxe_scene_find_region(const vxe_scene *scene, const char *name);
/** Whether a region's shape touches the cube of voxel (i,j,k), by the rule above. */
VXE_API bool vxe_scene_region_touches(const vxe_scene *scene, int32_t region, int32_t i, int32_t j,
                                      int32_t k);
/** @} */

/** @name Environment, signals, stop condition, outputs
 *  @{ */

/** Fills a struct of `size` bytes with what vxe_default_environment() returns. */
VXE_API void vxe_environment_init(vxe_environment *environment, size_t size);
/** No gravity, no floor, damping: bond 1, contact 1, ground 0; `solid`; three dimensions; no collisions,
 * horizon 2 voxels. */
static inline vxe_environment vxe_default_environment(void)
{
    vxe_environment environment;
    vxe_environment_init(&environment, sizeof environment);
    return environment;
}
/** Fills a struct of `size` bytes with what vxe_scene_environment() returns. */
VXE_API void vxe_scene_get_environment(const vxe_scene *scene, vxe_environment *environment, size_t size);
/** The environment. */
static inline vxe_environment vxe_scene_environment(const vxe_scene *scene)
{
    vxe_environment environment;
    vxe_scene_get_environment(scene, &environment, sizeof environment);
    return environment;
}
/** Replaces the environment. */
VXE_API vxe_result vxe_scene_set_environment(vxe_scene *scene, const vxe_environment *environment,
                                             vxe_error *error);

/** Fills a struct of `size` bytes with what vxe_default_signal_def() returns. */
VXE_API void vxe_signal_def_init(vxe_signal_def *def, size_t size);
/** A sine named "temperature", base and reference 0 K, amplitude 0 K, period 1 s. */
static inline vxe_signal_def vxe_default_signal_def(void)
{
    vxe_signal_def def;
    vxe_signal_def_init(&def, sizeof def);
    return def;
}
/** Appends a signal and gives its number, from 0. */
VXE_API vxe_result vxe_scene_add_signal(vxe_scene *scene, const vxe_signal_def *def, int32_t *signal,
                                        vxe_error *error);
/** Replaces a signal. */
VXE_API vxe_result vxe_scene_set_signal(vxe_scene *scene, int32_t signal, const vxe_signal_def *def,
                                        vxe_error *error);
/** Deletes a signal; the numbers above it move down by one. Materials that name it keep the name, and the
 * scene is not valid until they name another. */
VXE_API vxe_result vxe_scene_remove_signal(vxe_scene *scene, int32_t signal, vxe_error *error);
/** Number of signals. */
VXE_API int32_t vxe_scene_signal_count(const vxe_scene *scene);
/** A signal (its tables belong to the scene), valid until the signals change; NULL if there is none. */
VXE_API const vxe_signal_def *vxe_scene_signal(const vxe_scene *scene, int32_t signal);
/** Number of the signal with this name; -1 if there is none. */
VXE_API int32_t vxe_scene_find_signal(const vxe_scene *scene, const char *name);

/** Fills a struct of `size` bytes with what vxe_scene_stop() returns. */
VXE_API void vxe_scene_get_stop(const vxe_scene *scene, vxe_stop *stop, size_t size);
/** The stop condition; all zero at first. */
static inline vxe_stop vxe_scene_stop(const vxe_scene *scene)
{
    vxe_stop stop;
    vxe_scene_get_stop(scene, &stop, sizeof stop);
    return stop;
}
/** Replaces the stop condition. */
VXE_API vxe_result vxe_scene_set_stop(vxe_scene *scene, const vxe_stop *stop, vxe_error *error);
/** A formula as text, never NULL; empty: none. Valid until it is set again. */
VXE_API const char *vxe_scene_formula(const vxe_scene *scene, vxe_formula_role role);
/** Replaces a formula; NULL or empty: none. VXE_ERROR_INPUT if it is not one; the message tells where. */
VXE_API vxe_result vxe_scene_set_formula(vxe_scene *scene, vxe_formula_role role, const char *text,
                                         vxe_error *error);
/** Fills a struct of `size` bytes with what vxe_scene_experiment() returns. */
VXE_API void vxe_scene_get_experiment(const vxe_scene *scene, vxe_experiment *experiment, size_t size);
/** What scripts around a run expect; all zero at first. */
static inline vxe_experiment vxe_scene_experiment(const vxe_scene *scene)
{
    vxe_experiment experiment;
    vxe_scene_get_experiment(scene, &experiment, sizeof experiment);
    return experiment;
}
/** Replaces it. */
VXE_API vxe_result vxe_scene_set_experiment(vxe_scene *scene, const vxe_experiment *experiment,
                                            vxe_error *error);
/** Keeps a piece of another program's file that means nothing here, so that it is there again when a file of
 * that kind is written: `path` says where it belongs, `text` is the piece. Valid UTF-8. */
VXE_API vxe_result vxe_scene_add_foreign(vxe_scene *scene, const char *path, const char *text,
                                         vxe_error *error);
/** Such a piece, from 0; false beyond the last. The texts belong to the scene. */
VXE_API bool vxe_scene_foreign(const vxe_scene *scene, int32_t index, const char **path, const char **text);

/** What a run records; valid until it is set again. Nothing at first. */
VXE_API const vxe_output_def *vxe_scene_output(const vxe_scene *scene);
/** Replaces what a run records. */
VXE_API vxe_result vxe_scene_set_output(vxe_scene *scene, const vxe_output_def *output, vxe_error *error);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
