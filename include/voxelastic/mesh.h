/** @file mesh.h
 *  Shapes from elsewhere made into scenes: triangle meshes (STL, OBJ, PLY, 3MF) filled with voxels, and grids
 * of voxels (NPY, NPZ, MagicaVoxel, stacks of PNG images). docs/files.md tells what is read of each format.
 */
#ifndef VOXELASTIC_MESH_H
#define VOXELASTIC_MESH_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VXE_MESH_BYTES_MAX ((size_t)1 << 32) /**< largest mesh file that is read, unpacked */
#define VXE_MESH_TRIANGLES_MAX 200000000     /**< triangles of a mesh */
#define VXE_MESH_VERTICES_MAX 600000000      /**< vertices of a mesh */

/** A triangle mesh. */
typedef struct vxe_mesh vxe_mesh;

/** What a mesh contains. The arrays belong to the mesh. Vertices at the same place are one vertex. */
typedef struct vxe_mesh_view {
    int32_t vertex_count;   /**< vertices */
    int32_t triangle_count; /**< triangles, without those that have a vertex twice */
    int32_t degenerate;     /**< triangles that were left out because they have a vertex twice */
    int32_t open_edges;     /**< edges that do not have as many triangles on one side as on the other: 0 for a
                               closed mesh */
    double lower[3];        /**< m; the box around it */
    double upper[3];        /**< m */
    double area;            /**< m^2 */
    double volume;          /**< m^3; of the mesh, its openings closed; parts that overlap count twice */
    const double *vertex;   /**< m; x, y, z, (3 vertex_count) */
    const int32_t *triangle; /**< three vertices each, counterclockwise from outside, (3 triangle_count) */
} vxe_mesh_view;

/** Makes a mesh from arrays: x, y, z of each vertex, m, and three vertices (from 0) of each triangle. The
 * mesh copies them. VXE_ERROR_INPUT (nothing in it, a number that is not finite, no area, a vertex that is
 * not there), _LIMIT or _MEMORY. */
VXE_API vxe_result vxe_mesh_create(const double *vertices, int32_t vertex_count, const int32_t *triangles,
                                   int32_t triangle_count, vxe_mesh **mesh, vxe_error *error);
/** Reads a mesh, by the end of its name: .stl (text or binary), .obj, .ply (text or binary), .3mf. `unit` is
 * the length of the file's unit, m (> 0); a 3MF file says its own. VXE_ERROR_FILE, _INPUT (message
 * `FILE:LINE: ...` where there are lines), _LIMIT or _MEMORY. */
VXE_API vxe_result vxe_mesh_load(const char *path, double unit, vxe_mesh **mesh, vxe_error *error);
/** The same from memory; `name` stands for the file in messages and its end gives the format. */
VXE_API vxe_result vxe_mesh_parse(const char *data, size_t size, const char *name, double unit,
                                  vxe_mesh **mesh, vxe_error *error);
/** Frees a mesh; NULL is fine. */
VXE_API void vxe_mesh_destroy(vxe_mesh *mesh);
/** The arrays; valid as long as the mesh. */
VXE_API const vxe_mesh_view *vxe_mesh_get(const vxe_mesh *mesh);
/** Generalized winding number at a point (m): 1 inside and 0 outside of a closed mesh, something between near
 * the openings of an open one, -1 inside a mesh that is inside out, 2 where two parts overlap. Exact but
 * slow; for checks. */
VXE_API double vxe_mesh_winding(const vxe_mesh *mesh, const double point[3]);

/** How meshes are made into voxels. */
typedef struct vxe_voxelize_def {
    size_t size;    /**< of this struct; 0: that of the members up to `user` */
    double pitch;   /**< m; 0: as `voxels` says */
    int32_t voxels; /**< voxels along the longest side of everything; used if the pitch is 0 */
    void (*progress)(void *user, double done); /**< called now and then with the part that is done, 0 to 1; or
                                                  NULL */
    void *user;                                /**< handed to `progress` */
    bool centered; /**< what the pitch leaves over is on both sides of the meshes, not beyond them */
} vxe_voxelize_def;

/** What became of one mesh. */
typedef struct vxe_voxelize_report {
    double mesh_volume;    /**< m^3; see vxe_mesh_view */
    double overlap_volume; /**< m^3; what of that is counted more than once, as seen by the voxels */
    double voxel_volume;   /**< m^3; of all voxels inside the mesh */
    int64_t voxels;        /**< voxels inside the mesh */
    int64_t taken;         /**< of those, voxels that earlier meshes had filled */
    int32_t open_edges;    /**< see vxe_mesh_view */
} vxe_voxelize_report;

/** Fills a struct of `size` bytes with what vxe_default_voxelize_def() returns. */
VXE_API void vxe_voxelize_def_init(vxe_voxelize_def *def, size_t size);
/** Pitch and voxels 0: one of them must be set. */
static inline vxe_voxelize_def vxe_default_voxelize_def(void)
{
    vxe_voxelize_def def;
    vxe_voxelize_def_init(&def, sizeof def);
    return def;
}
/** Fills meshes with voxels. Voxels whose centre has a winding number above one half (either sign) are
 * inside; mesh n becomes materials[n], equal names are one material, and where meshes overlap the last one
 * wins. The lower corner of the box around all meshes becomes the origin. `reports` (count of them) may be
 * NULL. VXE_ERROR_INPUT (no voxel at all; a pitch that makes no sense), _LIMIT (the workspace is too large)
 * or _MEMORY. */
VXE_API vxe_result vxe_voxelize(const vxe_mesh *const *meshes, const vxe_material_def *materials,
                                int32_t count, const vxe_voxelize_def *def, vxe_scene **scene,
                                vxe_voxelize_report *reports, vxe_error *error);

/** @name Grids
 *  Voxels from arrays and images.
 *  @{ */

/** What a colour of an image stands for. */
typedef struct vxe_color_name {
    uint8_t color[3];             /**< red, green, blue */
    char material[VXE_NAME_SIZE]; /**< name of the material; empty: no voxel */
} vxe_color_name;

/** How grids are read. */
typedef struct vxe_grid_def {
    size_t size;                  /**< of this struct; 0: that of the members up to `color_count` */
    double pitch;                 /**< m; 0: what the file says, or 1 mm */
    const vxe_scene *palette;     /**< a scene whose materials are used: number n of an array is material n, a
                                     colour is     the material of that colour, a name the material of that name;
                                     NULL: default     materials, told apart by name and colour */
    const vxe_color_name *colors; /**< what colours stand for, (color_count); else the palette's colours
                                     count; with neither, black and transparent pixels are empty and each
                                     other colour is a material */
    int32_t color_count;          /**< number of them */
} vxe_grid_def;

/** Fills a struct of `size` bytes with what vxe_default_grid_def() returns. */
VXE_API void vxe_grid_def_init(vxe_grid_def *def, size_t size);
/** All zero. */
static inline vxe_grid_def vxe_default_grid_def(void)
{
    vxe_grid_def def;
    vxe_grid_def_init(&def, sizeof def);
    return def;
}
/** Reads a grid, by the end of its name: .npy (an array of whole numbers [x,y,z], 0 is empty), .npz (the
 * array "voxels", or the only such array; "pitch", m, and "materials", names, where they are there), .vox
 * (MagicaVoxel). VXE_ERROR_FILE, _INPUT, _LIMIT or _MEMORY. */
VXE_API vxe_result vxe_scene_load_grid(const char *path, const vxe_grid_def *def, vxe_scene **scene,
                                       vxe_error *error);
/** The same from memory; `name` stands for the file in messages and its end gives the format. */
VXE_API vxe_result vxe_scene_parse_grid(const char *data, size_t size, const char *name,
                                        const vxe_grid_def *def, vxe_scene **scene, vxe_error *error);
/** Reads a stack of PNG images of the same size, the lowest layer first. Columns are x, rows are y from the
 * last row up. */
VXE_API vxe_result vxe_scene_load_images(const char *const *paths, int32_t count, const vxe_grid_def *def,
                                         vxe_scene **scene, vxe_error *error);
/** Writes the voxels of a scene as numbers of the palette, by the end of the name: .npy, or .npz with the
 * pitch and the names of the materials. Nothing else of the scene is kept. */
VXE_API vxe_result vxe_scene_save_grid(const vxe_scene *scene, const char *path, vxe_error *error);

/** What coarsening did. */
typedef struct vxe_coarsen_report {
    double mass;        /**< kg; the same before and after */
    int64_t voxels;     /**< voxels after */
    int64_t mixed;      /**< voxels that stand for several materials, or for voids */
    int32_t materials;  /**< materials that were made for them */
    double tolerance;   /**< mixtures whose figures differ by less than this part became one material */
    int64_t simplified; /**< mixed voxels with a material that yields or breaks: the mixture is linear */
} vxe_coarsen_report;

/** The same scene with voxels `factor` (2 to 64) times as large. A block of fine voxels that is full of one
 * material stays that material. Any other block becomes a mixture:
 *
 *  - density: the mean of the block, voids counted, so that no mass is lost;
 *  - Young's modulus: along each axis, rows of cells one after the other (a void interrupts its row), the
 * rows side by side; then the mean of the axes along which some row is whole, or, without any, of the block;
 *  - Poisson's ratio, friction, actuation: means by volume; expansion: mean by stiffness.
 *
 * Everything else is kept; regions are at the same place in metres. `report` may be NULL. VXE_ERROR_INPUT,
 * _LIMIT or _MEMORY. */
VXE_API vxe_result vxe_scene_coarsen(const vxe_scene *scene, int32_t factor, vxe_scene **coarse,
                                     vxe_coarsen_report *report, vxe_error *error);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
