/* Reports: numbers for people (SI prefixes) and for programs (JSON), and the summary of a run in both forms.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/cli.h"

#include <jansson.h>

/* Room for one number with its unit. */
typedef struct quantity_text {
    char text[48];
} quantity_text;

/* A number with an SI prefix and four digits: "0.5438 mm". The unit must be one that takes prefixes. */
quantity_text cli_quantity(double value, const char *unit);
/* Three of them with one prefix: "(0, -1.5, 2) mm". */
quantity_text cli_vector(const double value[3], const char *unit);
/* A mass given in kg, with a prefix before g. */
quantity_text cli_mass(double kilograms);
/* Bytes in kB, MB or GB. */
quantity_text cli_bytes(size_t bytes);

/* A JSON string; text that is not UTF-8 (a path need not be) gets ? for what is not ASCII. */
json_t *cli_json_text(const char *text);
/* A JSON number; null if it is not finite. */
json_t *cli_json_number(double value);
json_t *cli_json_vector(const double value[3]);
/* Remarks on a file. */
json_t *cli_json_notes(const vxe_notes *notes);
/* {"number", "cell": [i, j, k], "material": name}, or null for -1. */
json_t *cli_json_voxel(const vxe_model *model, int32_t voxel);
/* What sets the time step: dt, limit, fraction, voxel, link, ... */
json_t *cli_json_time_step(const vxe_model *model, const vxe_time_step *step, double fraction);
/* The same in words: "voxel (1, 0, 2) of "gel" and its link along x". */
void cli_describe_time_step(const vxe_model *model, const vxe_time_step *step, char *text, size_t size);

/* A line of a table for people: a name, and what there is to say. */
void cli_print_row(const char *name, const char *format, ...) VXE_PRINTF(2, 3);

/* Prints one object on standard output and releases it. CLI_DONE or CLI_FILE_PROBLEM. */
int cli_print_json(json_t *object);
/* {"status": "error", "error": {...}}: what --json prints where there is nothing else to tell. */
int cli_print_json_error(const char *scene, const vxe_error *error);
/* Complains of an error, also as JSON if that was asked for, and gives the exit status. */
int cli_fail(const char *scene, bool json, const vxe_error *error);

/* Paths of what a run wrote. */
typedef struct output_list {
    const char *paths[16];
    int count;
} output_list;

/* A run that has ended. */
typedef struct run_report {
    const char *label; /* SCENE as it was given */
    const vxe_scene *scene;
    vxe_sim *sim;
    vxe_run_reason reason;
    bool interrupted;
    const char *resumed; /* the checkpoint; NULL: from the start */
    int64_t first_step;  /* where this run began */
    double first_time;   /* s */
    double center_start[3];
    double wall; /* s, of stepping */
    output_list outputs;
    const vxe_observer *observer; /* NULL: the run could not begin */
    const vxe_notes *notes;       /* remarks on the file; NULL: none */
    const vxe_figures *figures;   /* NULL: the run could not begin */
} run_report;

/* A peak with its unit, of which % stands for parts of a hundred in `digits` digits, and "at 2.31 s, voxel
 * (4, 0, 2)"; nothing where there is none. */
void cli_describe_peak(const run_report *report, vxe_peak_kind kind, const char *unit, int digits,
                       char value[64], char place[120]);
/* The summary of a run; NULL if there is no memory for it. */
json_t *cli_summary(const run_report *report);
/* The same as a short table on standard output. */
void cli_print_table(const run_report *report);

#endif
