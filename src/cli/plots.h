/* Plots of a trace: the columns of trace.csv as SVG, those that belong together in one. */
#ifndef CLI_PLOTS_H
#define CLI_PLOTS_H

#include "cli/cli.h"

/* Writes <figure> elements for all columns of a trace; nothing if there are fewer than two rows. */
vxe_result cli_write_plots(FILE *out, const char *trace_path, vxe_error *error);
/* Text with what HTML takes for its own escaped. */
void cli_write_html(FILE *out, const char *text);

#endif
