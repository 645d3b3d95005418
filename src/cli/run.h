/* One run of a scene, from compiling it to the last file: what `run` and `demo` share. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/options.h"

/* What is kept of a run for a report on several: freed by cli_drop_run(). */
typedef struct run_kept {
    vxe_model *model;
    vxe_observer *observer; /* NULL: the run could not begin */
    vxe_error failure;      /* why not */
    const char *history;    /* in: file for a history; NULL: in the folder of the run */
    const vxe_notes *notes; /* in: remarks on the file; NULL: none */
} run_kept;
void cli_drop_run(run_kept *kept);

/* The same as cli_run_scene(), and keeps the results. `kept` may be NULL. */
int cli_run_and_keep(const run_options *options, vxe_scene *scene, const char *label, run_kept *kept);
/* Runs every overlay of a folder and writes voxcraft's report. Returns the exit status. */
int cli_run_folder(const run_options *options);

/* Runs a scene, which the options may edit first, and reports. `label` names it in reports. Returns the exit
 * status. */
int cli_run_scene(const run_options *options, vxe_scene *scene, const char *label);

/* Makes a scene of evosoro or voxcraft move as in that program: shorter steps; evosoro's links, which are out
 * of balance. Others stay as they are. */
vxe_result cli_scene_as_original(vxe_scene *scene, vxe_sim_def *def, vxe_error *error);

#endif
