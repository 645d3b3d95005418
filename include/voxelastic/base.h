/** @file base.h
 *  Result codes, error messages and limits shared by the whole library.
 *
 *  Conventions. SI units everywhere: m, kg, s, N, Pa, K, rad, J. Every function that can fail returns a
 *  vxe_result and takes a `vxe_error *` as its last argument, which may be NULL. When a function fails, the
 * objects it was given are unchanged and its out-parameters are untouched. The library never aborts, never
 * exits, prints nothing and has no global state. Objects may be used from any thread, one thread at a time
 * each; a vxe_model is constant and may be shared by any number of threads.
 *
 *  Settings. A struct of settings begins with its size and comes from its vxe_default_...(), which knows
 * that; those without one are zero but for what is set. So members can be added at the end without breaking
 * programs that were built before. A program that copies settings out of the library, as in `def =
 * *vxe_scene_material(scene, 1)`, sets `def.size = sizeof def` if it hands them back. A struct that has a
 * default and is all zeros is refused. Structs that are parts of others or elements of the caller's arrays
 * (vxe_array, vxe_batch_item, vxe_color_name, vxe_progress) have no size and never get longer.
 *
 *  Libraries. voxelastic has scenes, models, simulations and batches (base.h, scene.h, model.h, sim.h, run.h,
 * drive.h, batch.h) and needs the C library only; voxelastic-io has files, meshes and pictures (io.h, mesh.h,
 * figures.h, results.h, replay.h, skin.h, picture.h), voxelastic-solve has solve.h.
 */
#ifndef VOXELASTIC_BASE_H
#define VOXELASTIC_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(VXE_SHARED) && defined(__GNUC__)
#define VXE_API __attribute__((visibility("default")))
#else
#define VXE_API /**< marks what the library exports */
#endif

#define VXE_VERSION_MAJOR 0 /**< changes when results or interfaces change incompatibly */
#define VXE_VERSION_MINOR 1 /**< changes when something is added */
#define VXE_VERSION_PATCH 0 /**< changes when something is repaired */
#define VXE_VERSION "0.1.0" /**< the version as text */

/** What became of a call. */
typedef enum vxe_result {
    VXE_OK = 0,         /**< done */
    VXE_ERROR_ARGUMENT, /**< the caller passed something that makes no sense (NULL, index out of range) */
    VXE_ERROR_INPUT,    /**< a file or a scene says something wrong; the message gives the place */
    VXE_ERROR_LIMIT,    /**< something is larger than the library accepts */
    VXE_ERROR_FILE,     /**< a file could not be opened, read or written */
    VXE_ERROR_MEMORY,   /**< there is not enough memory */
    VXE_ERROR_DIVERGED  /**< the simulation failed; see vxe_sim_status() */
} vxe_result;

/** One message for people, with its place where there is one: `robot.json:41: material "gel": ...`. */
typedef struct vxe_error {
    vxe_result code;    /**< the code that was also returned */
    char message[1024]; /**< UTF-8, zero terminated, no line feed at the end */
} vxe_error;

#define VXE_NAME_SIZE 64                  /**< bytes of a name, the final zero included */
#define VXE_MATERIALS_MAX 4096            /**< materials in a palette */
#define VXE_REGIONS_MAX 4096              /**< regions in a scene */
#define VXE_SIGNALS_MAX 256               /**< signals in a scene */
#define VXE_PARTS_MAX 1000                /**< named parts of a scene */
#define VXE_TABLE_MAX 64                  /**< points of a stress-strain table */
#define VXE_SIGNAL_TABLE_MAX 1000000      /**< points of a signal table */
#define VXE_SIDE_MAX 1000000              /**< voxels along one side of the workspace */
#define VXE_CELLS_MAX INT64_C(2000000000) /**< cells of the workspace */
#define VXE_VOXELS_MAX INT64_C(500000000) /**< voxels that are not empty */

/** The three axes of the lattice. */
typedef enum vxe_axis { VXE_AXIS_X = 0, VXE_AXIS_Y = 1, VXE_AXIS_Z = 2 } vxe_axis;

/** Bits for the six degrees of freedom of a voxel, in world axes. */
typedef enum vxe_dof {
    VXE_DOF_X = 1,     /**< translation along x */
    VXE_DOF_Y = 2,     /**< translation along y */
    VXE_DOF_Z = 4,     /**< translation along z */
    VXE_DOF_RX = 8,    /**< rotation about x */
    VXE_DOF_RY = 16,   /**< rotation about y */
    VXE_DOF_RZ = 32,   /**< rotation about z */
    VXE_DOF_MOVE = 7,  /**< all translations */
    VXE_DOF_TURN = 56, /**< all rotations */
    VXE_DOF_ALL = 63   /**< everything */
} vxe_dof;

/** Name of a result code, for messages: "ok", "bad argument", ... Never NULL. */
VXE_API const char *vxe_result_name(vxe_result result);

/** Version of the library that is linked, as text ("0.1.0"). */
VXE_API const char *vxe_version(void);

#ifdef __cplusplus
}
#endif

#endif
