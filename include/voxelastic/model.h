/** @file model.h
 *  vxe_model: a scene compiled to flat constant arrays. Sizes first, then arrays. It does not change after
 * vxe_compile() and many simulations may share it. Voxels are numbered 0..voxel_count-1 in lattice order, x
 * fastest; the link along axis a that starts at voxel v (towards larger coordinates) is numbered a *
 * voxel_count + v.
 */
#ifndef VOXELASTIC_MODEL_H
#define VOXELASTIC_MODEL_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A compiled scene. */
typedef struct vxe_model vxe_model;

/** What a model contains. All arrays belong to the model and live as long as it does. */
typedef struct vxe_model_view {
    double pitch;                /**< m */
    int32_t size[3];             /**< workspace, voxels */
    int32_t voxel_count;         /**< voxels */
    int32_t link_count;          /**< links that exist */
    int32_t material_count;      /**< materials of the palette */
    int32_t region_count;        /**< regions */
    int32_t signal_count;        /**< signals */
    int32_t surface_count;       /**< voxels with a free face */
    int32_t body_count;          /**< connected pieces */
    double mass;                 /**< kg, of everything */
    const int32_t *cell[3];      /**< lattice coordinates, (voxel_count) each */
    const uint16_t *material;    /**< number in the palette, from 1, (voxel_count) */
    const double *voxel_mass;    /**< kg, (material_count + 1), by material number; [0] is not used */
    const int32_t *next[3];      /**< the neighbour towards larger x, y, z, or -1, (voxel_count) each */
    const double *start[3];      /**< m; positions at the start, (voxel_count) each */
    const int32_t *region_begin; /**< where a region's voxels begin in region_voxel, (region_count + 1) */
    const int32_t *region_voxel; /**< voxels of the regions, increasing inside a region */
    const uint8_t *fixed;        /**< vxe_dof bits held by regions or the plane, (voxel_count) */
    const int32_t *body;         /**< which connected piece, from 0, (voxel_count) */
    int32_t reserved_count;      /**< of the voxels, those that are not there at the start but may grow */
    const uint16_t *reserved;    /**< not 0: it is one of these, (voxel_count); NULL: none is */
} vxe_model_view;

/** Checks and compiles a scene. The scene may be edited or destroyed afterwards. VXE_ERROR_INPUT if a rule is
 * broken, _LIMIT or _MEMORY. */
VXE_API vxe_result vxe_compile(const vxe_scene *scene, vxe_model **model, vxe_error *error);
/** Frees a model; NULL is fine. No simulation may still use it. */
VXE_API void vxe_model_destroy(vxe_model *model);
/** The arrays; valid as long as the model. */
VXE_API const vxe_model_view *vxe_model_get(const vxe_model *model);
/** Number of the voxel at (i,j,k); -1 if it is empty or outside. */
VXE_API int32_t vxe_model_voxel_at(const vxe_model *model, int32_t i, int32_t j, int32_t k);
/** Number of a region by name; -1 if there is none. */
VXE_API int32_t vxe_model_find_region(const vxe_model *model, const char *name);
/** Name of a region; NULL if there is none. */
VXE_API const char *vxe_model_region_name(const vxe_model *model, int32_t region);
/** Number of a signal by name; -1 if there is none. */
VXE_API int32_t vxe_model_find_signal(const vxe_model *model, const char *name);
/** Name of a signal; NULL if there is none. */
VXE_API const char *vxe_model_signal_name(const vxe_model *model, int32_t signal);
/** Name of a material, from 1; NULL if there is none. */
VXE_API const char *vxe_model_material_name(const vxe_model *model, int32_t material);
/** Fills a struct of `size` bytes with what vxe_model_stop() returns. */
VXE_API void vxe_model_get_stop(const vxe_model *model, vxe_stop *stop, size_t size);
/** The stop condition of the scene it was made from. */
static inline vxe_stop vxe_model_stop(const vxe_model *model)
{
    vxe_stop stop;
    vxe_model_get_stop(model, &stop, sizeof stop);
    return stop;
}
/** Fills a struct of `size` bytes with what vxe_model_environment() returns. */
VXE_API void vxe_model_get_environment(const vxe_model *model, vxe_environment *environment, size_t size);
/** The environment of the scene it was made from. */
static inline vxe_environment vxe_model_environment(const vxe_model *model)
{
    vxe_environment environment;
    vxe_model_get_environment(model, &environment, sizeof environment);
    return environment;
}
/** 64-bit hash of everything that decides the motion; equal hashes mean that checkpoints can be exchanged. */
VXE_API uint64_t vxe_model_hash(const vxe_model *model);
/** Memory held, bytes. */
VXE_API size_t vxe_model_bytes(const vxe_model *model);

#ifdef __cplusplus
}
#endif

#endif
