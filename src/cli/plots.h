/* Plots of a trace: the columns of trace.csv as SVG, those that belong together in one. */
#ifndef CLI_PLOTS_H
#define CLI_PLOTS_H

#include "cli/cli.h"

/* Writes <figure> elements for all columns of a trace; nothing if there are fewer than two rows. */
vxe_result cli_write_plots(FILE *out, const char *trace_path, vxe_error *error);

/* An axis: ends at round numbers, ticks every `step`; shown are values divided by `factor`. */
typedef struct plot_axis {
    double low, high, step, factor;
} plot_axis;

/* Where a plot is drawn, with its axes. */
typedef struct plot_frame {
    int width, height, left, right, top, bottom;
    plot_axis x, y;
} plot_frame;

/* `tight`: the ends stay as they are. */
plot_axis cli_plot_axis(double low, double high, bool tight);
double cli_plot_x(const plot_frame *f, double x);
double cli_plot_y(const plot_frame *f, double y);
void cli_plot_axes(FILE *out, const plot_frame *f);

#endif
