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

/** @name Scenes in any format
 *  A file's format is found by the end of its name, or by its contents where the name tells nothing.
 *  @{ */

/** Name of a dialect: "auto", "voxcad", "evosoro", "voxcraft". */
VXE_API const char *vxe_dialect_name(vxe_dialect dialect);

/** What a remark of a reader or writer is about. */
typedef enum vxe_note_kind {
    VXE_NOTE_READ = 1,      /**< how something was understood */
    VXE_NOTE_CHANGED,       /**< a value was changed because it cannot be as it is */
    VXE_NOTE_IGNORED,       /**< an element that the programs of the format themselves ignore */
    VXE_NOTE_NOT_SIMULATED, /**< an element that means something but has no effect here */
    VXE_NOTE_UNKNOWN        /**< an element that no program is known to read */
} vxe_note_kind;
/** Name of a kind, for reports: "read", "changed", "ignored", "not simulated", "unknown". */
VXE_API const char *vxe_note_kind_name(vxe_note_kind kind);

/** One remark. */
typedef struct vxe_note {
    vxe_note_kind kind; /**< what it is about */
    int32_t line;       /**< line of the file, from 1; 0: none */
    const char *what;   /**< the element or setting; never NULL */
    const char *text;   /**< what there is to say; never NULL */
} vxe_note;
/** Remarks on a file, in the order in which they came up, each element once. */
typedef struct vxe_notes vxe_notes;
/** Frees remarks; NULL is fine. */
VXE_API void vxe_notes_destroy(vxe_notes *notes);
/** Number of remarks; 0 for NULL. */
VXE_API int32_t vxe_notes_count(const vxe_notes *notes);
/** A remark, from 0; NULL if there is none. */
VXE_API const vxe_note *vxe_notes_get(const vxe_notes *notes, int32_t index);

/** How to read. */
typedef struct vxe_load_def {
    size_t size;         /**< of this struct; 0: that of the members up to `dialect` */
    vxe_dialect dialect; /**< for files of the VoxCAD family */
} vxe_load_def;
/** Fills a struct of `size` bytes with what vxe_default_load_def() returns. */
VXE_API void vxe_load_def_init(vxe_load_def *def, size_t size);
/** VXE_DIALECT_AUTO. */
static inline vxe_load_def vxe_default_load_def(void)
{
    vxe_load_def def;
    vxe_load_def_init(&def, sizeof def);
    return def;
}

/** Reads a scene in any format that is known; `def` may be NULL (defaults), as may `notes`. *notes is set on
 * success only. VXE_ERROR_FILE, _INPUT (message `FILE:LINE: ...`), _LIMIT or _MEMORY. */
VXE_API vxe_result vxe_scene_load(const char *path, const vxe_load_def *def, vxe_scene **scene,
                                  vxe_notes **notes, vxe_error *error);
/** The same from memory, by contents (text formats only); `name` stands for the file in messages and `folder`
 * (may be NULL: then files may not be named) is where named files are looked up. */
VXE_API vxe_result vxe_scene_parse(const char *text, size_t size, const char *name, const char *folder,
                                   const vxe_load_def *def, vxe_scene **scene, vxe_notes **notes,
                                   vxe_error *error);
/** Writes a scene in the format that the end of the name says. VXE_ERROR_INPUT if that format cannot be
 * written, or cannot say what the scene says; `notes` (may be NULL) tell what another program will not see.
 */
VXE_API vxe_result vxe_scene_save(const vxe_scene *scene, const char *path, vxe_notes **notes,
                                  vxe_error *error);

/** Whether a path is a folder of voxcraft overlays: one with a base.vxa. */
VXE_API bool vxe_overlay_folder(const char *path);
/** Names of the overlays (.vxd) in a folder, sorted; freed by vxe_overlay_free(). VXE_ERROR_FILE, _LIMIT. */
VXE_API vxe_result vxe_overlay_list(const char *folder, char ***names, int32_t *count, vxe_error *error);
/** Frees such a list. */
VXE_API void vxe_overlay_free(char **names, int32_t count);

/** One format, for lists. */
typedef struct vxe_format_info {
    const char *extension; /**< ".vxa" */
    const char *what;      /**< "VoxCAD scene" */
    bool reads;            /**< vxe_scene_load() reads it */
    bool writes;           /**< vxe_scene_save() writes it */
} vxe_format_info;
/** Format number 0, 1, ...; false beyond the last. */
VXE_API bool vxe_format_get(int32_t index, vxe_format_info *info);
/** @} */

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
 * `.contact_force`, `.growth`, `.pressure`, `.strain`, `.stress`
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

/** @name Experiments
 *  What scripts around other programs expect: see vxe_experiment.
 *  @{ */

/** Watches a simulation for the results of its scene's experiment. */
typedef struct vxe_observer vxe_observer;
/** Fitness and distances of a run that failed: less than any robot reaches, and not the value of -1e7 that
 * evosoro keeps for "not evaluated yet". */
#define VXE_FITNESS_LOST (-1e6)
/** Results so far. Lengths in m, coordinates of the scene. */
typedef struct vxe_outcome {
    double fitness;         /**< value of the scene's fitness formula; 0 if it has none */
    double start_time;      /**< s; from when results count */
    double end_time;        /**< s; until when */
    double start_center[3]; /**< centre of mass of the measured voxels then */
    double end_center[3];   /**< likewise */
    int32_t voxels;         /**< voxels */
    int32_t measured;       /**< voxels that are measured */
    int64_t close_pairs;    /**< pairs of target voxels that are close */
    double distance;        /**< sum of the distances that measured voxels have moved */
    bool failed;            /**< the simulation had failed when it was finished; fitness: VXE_FITNESS_LOST */
} vxe_outcome;
/** A new observer; `history` is the file for a history in voxcraft's form, written if the scene asks for one
 * (NULL: none). The scene must outlive it. VXE_ERROR_MEMORY or _FILE. */
VXE_API vxe_result vxe_observer_create(const vxe_scene *scene, vxe_sim *sim, const char *history,
                                       vxe_observer **observer, vxe_error *error);
/** Frees it; a history that is not finished is dropped. NULL is fine. */
VXE_API void vxe_observer_destroy(vxe_observer *observer);
/** When it has to look next, s; infinity: never; 0: after every step. */
VXE_API double vxe_observer_next(const vxe_observer *observer);
/** Looks; to be called after each step, or at vxe_observer_next() at the latest. VXE_ERROR_FILE. */
VXE_API vxe_result vxe_observer_look(vxe_observer *observer, vxe_sim *sim, vxe_error *error);
/** Looks for the last time and finishes the history. If the simulation has failed, so has the experiment:
 * its results say so and lose. */
VXE_API vxe_result vxe_observer_finish(vxe_observer *observer, vxe_sim *sim, vxe_error *error);
/** Results, valid any time. */
VXE_API vxe_outcome vxe_observer_outcome(const vxe_observer *observer);
/** Writes the results in evosoro's form (`Voxelyze_Sim_Result`), with the element `Status` ("done" or
 * "failed"); those of a failed run have VXE_FITNESS_LOST in place of every distance. Refused (VXE_ERROR_FILE)
 * if the file is there and is something else. */
VXE_API vxe_result vxe_observer_save_evosoro(const vxe_observer *observer, const char *path,
                                             vxe_error *error);
/** Writes a report in voxcraft's form on `count` finished observers, best first. `names` are those of the
 * overlays. An observer may be NULL: that overlay could not be run, and `failures` (or NULL) says why. */
VXE_API vxe_result vxe_report_save_voxcraft(const char *path, const char *input_folder,
                                            const char *const *names, vxe_observer *const *observers,
                                            const char *const *failures, int32_t count, vxe_error *error);
/** @} */

/** @name Histories
 *  Recordings in voxcraft's form (.history), of its programs or this one.
 *  @{ */

/** A recording. */
typedef struct vxe_history vxe_history;
/** A voxel of a frame. */
typedef struct vxe_history_voxel {
    double position[3];    /**< m */
    double orientation[4]; /**< unit quaternion w x y z */
    double low[3];         /**< m; corner towards smaller coordinates, in the voxel's frame */
    double high[3];        /**< m; the other corner */
    int32_t material;      /**< palette index */
    double signal;         /**< 0 to 100 */
} vxe_history_voxel;
/** A frame. */
typedef struct vxe_history_frame {
    int64_t step;                    /**< number of the step */
    double time;                     /**< s */
    int32_t voxel_count;             /**< voxels at the surface */
    int32_t link_count;              /**< links */
    const vxe_history_voxel *voxels; /**< (voxel_count) */
    const double *links;             /**< m; both ends of each, (6 link_count) */
} vxe_history_frame;
/** Reads a history; whatever is no frame or setting is skipped. VXE_ERROR_FILE, _INPUT (a frame that is
 * broken, or none at all), _LIMIT or _MEMORY. */
VXE_API vxe_result vxe_history_load(const char *path, vxe_history **history, vxe_error *error);
/** The same from memory. */
VXE_API vxe_result vxe_history_parse(const char *text, size_t size, const char *name, vxe_history **history,
                                     vxe_error *error);
/** Frees it; NULL is fine. */
VXE_API void vxe_history_destroy(vxe_history *history);
/** Number of frames. */
VXE_API int32_t vxe_history_count(const vxe_history *history);
/** A frame, from 0; NULL beyond the last. */
VXE_API const vxe_history_frame *vxe_history_get(const vxe_history *history, int32_t index);
/** Size of a voxel, m. */
VXE_API double vxe_history_voxel_size(const vxe_history *history);
/** Colour (0 to 255: red, green, blue, opacity) of a palette index; grey where the file says none. */
VXE_API void vxe_history_color(const vxe_history *history, int32_t material, uint8_t color[4]);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
