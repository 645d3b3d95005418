/** @file io.h
 *  Files: scenes, checkpoints, traces. Files are written to a temporary name and renamed, so they appear
 * whole or not at all.
 */
#ifndef VOXELASTIC_IO_H
#define VOXELASTIC_IO_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VXE_SCENE_VERSION 1                   /**< version of the JSON scene format */
#define VXE_SCENE_BYTES_MAX ((size_t)1 << 30) /**< largest scene file that is read */

/** Reads a scene in the native JSON format (docs/scene-format.md). VXE_ERROR_FILE, _INPUT (message
 * `FILE:LINE: ...`), _LIMIT or _MEMORY. CSV files named by signals are looked up beside the scene file. */
VXE_API vxe_result vxe_scene_load_json(const char *path, vxe_scene **scene, vxe_error *error);
/** The same from memory; `name` stands for the file in messages and `folder` (may be NULL: then files may not
 * be named) is where named files are looked up. */
VXE_API vxe_result vxe_scene_parse_json(const char *text, size_t size, const char *name, const char *folder,
                                        vxe_scene **scene, vxe_error *error);
/** Writes a scene so that reading it gives the same scene. */
VXE_API vxe_result vxe_scene_save_json(const vxe_scene *scene, const char *path, vxe_error *error);
/** The same to memory: zero terminated, to be freed with free(). */
VXE_API vxe_result vxe_scene_print_json(const vxe_scene *scene, char **text, vxe_error *error);

/** Writes a checkpoint file. */
VXE_API vxe_result vxe_sim_save_file(const vxe_sim *sim, const char *path, vxe_error *error);
/** Resumes from a checkpoint file; see vxe_sim_load(). */
VXE_API vxe_result vxe_sim_load_file(vxe_sim *sim, const char *path, vxe_error *error);

/** A list of quantities read from a simulation, row by row. */
typedef struct vxe_trace vxe_trace;

/** Makes a trace of named quantities; "time" is always the first column. Names, each giving one or more
 * columns:
 *
 *  - `center_of_mass`, `momentum`, `angular_momentum`, `displacement_max`, `strain_max`, `speed_max`, `dt`,
 * `contacts`, `broken`, `yielded`
 *  - `energy` (all of the account) or `energy.kinetic`, `.elastic`, `.gravity`, `.total`, `.load_work`,
 * `.actuation_work`, `.motion_work`, `.dissipated`, `.error`
 *  - `signal:NAME`
 *  - `region:NAME.displacement`, `.reaction`, `.reaction_moment`
 *  - `voxel:I,J,K.position`, `.displacement`, `.velocity`, `.spin`, `.orientation`, `.force`,
 * `.contact_force`, `.growth`, `.pressure`
 *
 *  VXE_ERROR_INPUT for a name that is not known; the message lists the good ones. */
VXE_API vxe_result vxe_trace_create(const vxe_sim *sim, const char *const *names, int32_t count,
                                    vxe_trace **trace, vxe_error *error);
/** Frees a trace; NULL is fine. */
VXE_API void vxe_trace_destroy(vxe_trace *trace);
/** Number of columns, time included. */
VXE_API int32_t vxe_trace_columns(const vxe_trace *trace);
/** Name of a column with its unit ("center_of_mass_x_m"); NULL if there is none. */
VXE_API const char *vxe_trace_column(const vxe_trace *trace, int32_t column);
/** Reads one row of vxe_trace_columns() numbers. */
VXE_API void vxe_trace_read(const vxe_trace *trace, vxe_sim *sim, double *row);

#ifdef __cplusplus
}
#endif

#endif
