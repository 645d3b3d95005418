/** @file skin.h
 *  The deformed shape of a simulation: the corners of every voxel and the quadrilaterals of the surface, for
 * pictures, meshes and files.
 *
 *  Voxels that are linked share the corners where they meet: such a corner lies at the mean of the places
 * that its voxels, at their own position, orientation and size, would give it. Voxels that touch without a
 * link (two bodies, a broken link) have corners of their own. Which corners are shared changes only when
 * links break.
 */
#ifndef VOXELASTIC_SKIN_H
#define VOXELASTIC_SKIN_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Corners and surface of a simulation. */
typedef struct vxe_skin vxe_skin;

/** What a skin contains. All arrays belong to the skin; those of the corners' places change with
 * vxe_skin_update(), the others only when links have broken (see `version`). */
typedef struct vxe_skin_view {
    int32_t voxel_count;         /**< voxels, as in the model */
    int32_t corner_count;        /**< corners, shared ones counted once */
    int32_t face_count;          /**< faces of the surface */
    int32_t version;             /**< grows whenever the corners and faces are numbered anew */
    const int32_t *voxel_corner; /**< the 8 corners of each voxel, (8 voxel_count), in the order of a VTK
                                    hexahedron: (-x,-y,-z) (+x,-y,-z) (+x,+y,-z) (-x,+y,-z), then the same at
                                    +z; the voxel's own axes */
    const double *corner;        /**< m; x, y, z of each corner, (3 corner_count) */
    const int32_t *face_corner;  /**< the 4 corners of each face, (4 face_count), counterclockwise seen from
                                    outside */
    const int32_t *face_voxel;   /**< the voxel a face belongs to, increasing, (face_count) */
    const uint8_t *face_side;    /**< which of its sides: 0..5 for -x, +x, -y, +y, -z, +z, (face_count) */
} vxe_skin_view;

/** Makes the skin of a simulation as it is now. The model of the simulation must outlive it, the simulation
 * itself need not. VXE_ERROR_LIMIT (more than 268 million voxels) or _MEMORY. */
VXE_API vxe_result vxe_skin_create(const vxe_sim *sim, vxe_skin **skin, vxe_error *error);
/** Frees a skin; NULL is fine. */
VXE_API void vxe_skin_destroy(vxe_skin *skin);
/** Moves the corners to where the simulation (of the same model) is now, and cuts the skin where links have
 * broken since. VXE_ERROR_ARGUMENT for another model, or _MEMORY; the skin is then unchanged. */
VXE_API vxe_result vxe_skin_update(vxe_skin *skin, const vxe_sim *sim, vxe_error *error);
/** The arrays; valid as long as the skin, see there. */
VXE_API const vxe_skin_view *vxe_skin_get(const vxe_skin *skin);

#ifdef __cplusplus
}
#endif

#endif
