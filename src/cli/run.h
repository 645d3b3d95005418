/* One run of a scene, from compiling it to the last file: what `run` and `demo` share. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/options.h"

/* Runs a scene, which the options may edit first, and reports. `label` names it in reports. Returns the exit
 * status. */
int cli_run_scene(const run_options *options, vxe_scene *scene, const char *label);

/* Tells about a run that could not begin: on standard error, and as a JSON object if that was asked for. The
 * exit status. */
int cli_report_error(const run_options *options, const char *label, const vxe_error *error);

#endif
