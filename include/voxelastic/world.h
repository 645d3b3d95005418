/** @file world.h
 *  What a scene's bodies meet: ground that is not a plane, fixed solids, water; and how they begin.
 */
#ifndef VOXELASTIC_WORLD_H
#define VOXELASTIC_WORLD_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Ground
 *  A height for every point of a square grid, bilinear between them; beyond its edge it goes on as it is
 *  there. What is below is solid. Contact and friction are those of the floor, along the normal of the
 *  ground. The floor of the environment is another thing: a scene may have both.
 *  @{ */

/** Where the heights of a ground come from. All but the first are made from `height`, `length` and `seed`;
 * x counts from the grid's first point. */
typedef enum vxe_ground_kind {
    VXE_GROUND_HEIGHTS = 1, /**< an array */
    VXE_GROUND_SLOPE = 2,   /**< rises along x by `height` every `length` */
    VXE_GROUND_STEPS = 3,   /**< strips across x of width `length`, at 0 and at `height` in turn */
    VXE_GROUND_STAIRS = 4,  /**< rises by `height` after every `length` along x */
    VXE_GROUND_GAP = 5,  /**< level, with a trench of width `length` and depth `height` across its middle */
    VXE_GROUND_ROUGH = 6 /**< smooth hills and hollows from 0 to `height`, `length` apart, by `seed` */
} vxe_ground_kind;

/** A ground. Edges of steps are slopes of one grid spacing. */
typedef struct vxe_ground_def {
    size_t size;             /**< of this struct, as vxe_default_ground_def() sets it */
    vxe_ground_kind kind;    /**< where its heights come from */
    int32_t points[2];       /**< along x and y, 2 to VXE_GROUND_SIDE_MAX each */
    double spacing;          /**< m between them, > 0 */
    double origin[3];        /**< m; place of the first point; heights count from here */
    double height;           /**< m, >= 0; see vxe_ground_kind */
    double length;           /**< m, > 0 unless the kind is VXE_GROUND_HEIGHTS */
    uint32_t seed;           /**< of VXE_GROUND_ROUGH */
    const double *heights;   /**< m, x fastest, (points[0] points[1]); of VXE_GROUND_HEIGHTS, and of all kinds
                                in what vxe_scene_ground() gives; the scene copies it */
    bool has_friction;       /**< false: only the voxel's material counts, as on the floor; */
    double static_friction;  /**< true: the coefficient is the root of the voxel's times this; >= dynamic */
    double dynamic_friction; /**< likewise, >= 0 */
    uint8_t color[4];        /**< red, green, blue, opacity */
} vxe_ground_def;

/** Points along a side of a ground. */
#define VXE_GROUND_SIDE_MAX 8192

/** Fills a struct of `size` bytes with what vxe_default_ground_def() returns. */
VXE_API void vxe_ground_def_init(vxe_ground_def *def, size_t size);
/** Level, of 2 x 2 points 1 m apart, at the origin. */
static inline vxe_ground_def vxe_default_ground_def(void)
{
    vxe_ground_def def;
    vxe_ground_def_init(&def, sizeof def);
    return def;
}
/** Replaces the ground; NULL: there is none. VXE_ERROR_INPUT, _MEMORY. */
VXE_API vxe_result vxe_scene_set_ground(vxe_scene *scene, const vxe_ground_def *def, vxe_error *error);
/** The ground, valid until it is set again; NULL: there is none. */
VXE_API const vxe_ground_def *vxe_scene_ground(const vxe_scene *scene);
/** Height of a ground at a place, m. `def` must have its heights. */
VXE_API double vxe_ground_height(const vxe_ground_def *def, double x, double y);
/** @} */

/** @name Solids
 *  Fixed obstacles, numbered from 0. Contact and friction are those of the floor, along their normal.
 *  @{ */

/** Kinds of solid. */
typedef enum vxe_solid_kind {
    VXE_SOLID_BOX = 1,      /**< `sides` */
    VXE_SOLID_SPHERE = 2,   /**< `radius` */
    VXE_SOLID_CYLINDER = 3, /**< `radius` and `length`, along its own z */
    VXE_SOLID_CAPSULE = 4,  /**< `radius`, and `length` between the centres of its two balls, along its own z
                             */
    VXE_SOLID_CELLS = 5     /**< cubes of a lattice: the voxels of a mesh */
} vxe_solid_kind;

/** A solid. Lengths in m. */
typedef struct vxe_solid_def {
    size_t size;              /**< of this struct, as vxe_default_solid_def() sets it */
    char name[VXE_NAME_SIZE]; /**< not empty, unique in the scene */
    vxe_solid_kind kind;      /**< which */
    double center[3];         /**< its middle */
    double rotation[3];       /**< rad, rotation vector: how it is turned about its middle */
    double sides[3];          /**< box: > 0 */
    double radius;            /**< sphere, cylinder, capsule: > 0 */
    double length;            /**< cylinder: > 0, capsule: >= 0 */
    double pitch;             /**< cells: side of a cube, > 0 */
    int32_t cells[3];         /**< cells: how many along x, y, z, 1 or more each */
    const uint8_t *filled;    /**< cells: 1 where there is a cube, else 0, x fastest; the scene copies it */
    bool has_friction;        /**< as of vxe_ground_def */
    double static_friction;   /**< likewise */
    double dynamic_friction;  /**< likewise */
    uint8_t color[4];         /**< red, green, blue, opacity */
} vxe_solid_def;

/** Solids of a scene. */
#define VXE_SOLIDS_MAX 10000
/** Cells of a solid. */
#define VXE_SOLID_CELLS_MAX 100000000

/** Fills a struct of `size` bytes with what vxe_default_solid_def() returns. */
VXE_API void vxe_solid_def_init(vxe_solid_def *def, size_t size);
/** A box with sides of 1 m at the origin, named "solid". */
static inline vxe_solid_def vxe_default_solid_def(void)
{
    vxe_solid_def def;
    vxe_solid_def_init(&def, sizeof def);
    return def;
}
/** Appends a solid and gives its number. VXE_ERROR_INPUT, _LIMIT, _MEMORY. */
VXE_API vxe_result vxe_scene_add_solid(vxe_scene *scene, const vxe_solid_def *def, int32_t *solid,
                                       vxe_error *error);
/** Deletes a solid; the numbers above it move down by one. */
VXE_API vxe_result vxe_scene_remove_solid(vxe_scene *scene, int32_t solid, vxe_error *error);
/** Number of solids. */
VXE_API int32_t vxe_scene_solid_count(const vxe_scene *scene);
/** A solid, valid until the solids change; NULL if there is none. */
VXE_API const vxe_solid_def *vxe_scene_solid(const vxe_scene *scene, int32_t solid);
/** @} */

/** @name Water
 *  Still or flowing, below a level or everywhere. It lifts what is in it, and drags at every free face.
 *  @{ */

/** Water. A free face of area A whose middle moves at u against the water, u_n outwards and u_t along the
 * face, feels density/2 A (normal u_n^2 inwards, where u_n > 0, and tangential |u_t| u_t backwards), at its
 * middle: so it turns the voxel too. A voxel that is partly above the level counts by its part below, as if
 * it stood upright. Formulas VXE_FORMULA_FLOW_X, _Y, _Z give the velocity of the water. */
typedef struct vxe_water_def {
    size_t size;    /**< of this struct, as vxe_default_water_def() sets it */
    double density; /**< kg/m^3, >= 0; 0 with gravity: no lift, and no drag */
    double normal;  /**< coefficient of drag across faces, >= 0; a plate that is moved broadside: about 1 */
    double tangential; /**< and along them, >= 0 */
    bool has_level;    /**< false: water is everywhere */
    double level;      /**< m: z of the surface */
} vxe_water_def;

/** Fills a struct of `size` bytes with what vxe_default_water_def() returns. */
VXE_API void vxe_water_def_init(vxe_water_def *def, size_t size);
/** 1000 kg/m^3, coefficients 1 and 0.05, everywhere. */
static inline vxe_water_def vxe_default_water_def(void)
{
    vxe_water_def def;
    vxe_water_def_init(&def, sizeof def);
    return def;
}
/** Replaces the water; NULL: there is none. VXE_ERROR_INPUT, _MEMORY. */
VXE_API vxe_result vxe_scene_set_water(vxe_scene *scene, const vxe_water_def *def, vxe_error *error);
/** The water, valid until it is set again; NULL: there is none. */
VXE_API const vxe_water_def *vxe_scene_water(const vxe_scene *scene);
/** @} */

/** @name Start
 *  How voxels begin: where parts are put, and how fast everything is. Numbered from 0.
 *  @{ */

/** A start. Velocities of several starts of the same voxel add up. */
typedef struct vxe_start_def {
    size_t size;                /**< of this struct; 0: that of the members up to `center` */
    char region[VXE_NAME_SIZE]; /**< its voxels are those of this region, */
    char part[VXE_NAME_SIZE];   /**< or of this part; both empty: all */
    double velocity[3];         /**< m/s */
    double spin[3];             /**< rad/s, about `center` */
    double displacement[3];     /**< m; where a separate part is put; not for others */
    double rotation[3];         /**< rad, rotation vector about `center`; likewise */
    bool has_center;            /**< false: the centre of mass of these voxels; `spin` counts from where
                                   `displacement` takes it */
    double center[3];           /**< m */
} vxe_start_def;

/** Starts of a scene. */
#define VXE_STARTS_MAX 10000

/** Appends a start. VXE_ERROR_INPUT, _LIMIT, _MEMORY. Regions and parts must be there when the scene is
 * checked. */
VXE_API vxe_result vxe_scene_add_start(vxe_scene *scene, const vxe_start_def *def, vxe_error *error);
/** Deletes all starts. */
VXE_API void vxe_scene_clear_starts(vxe_scene *scene);
/** Number of starts. */
VXE_API int32_t vxe_scene_start_count(const vxe_scene *scene);
/** A start, valid until the starts change; NULL if there is none. */
VXE_API const vxe_start_def *vxe_scene_start(const vxe_scene *scene, int32_t start);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
