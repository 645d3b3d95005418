/* The files of a run: trace.csv, which grows row by row; state.vxck and summary.json, which appear whole. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli/report.h"

/* The files, as they are listed. */
typedef enum output_kind {
    OUTPUT_SUMMARY,
    OUTPUT_TRACE,
    OUTPUT_REPORT, /* the page with figures, pictures and plots */
    OUTPUT_REPLAY, /* the page */
    OUTPUT_EVENTS, /* what happened to links */
    OUTPUT_CHECKPOINT,
    OUTPUT_FAILED, /* the state of a run that failed, so that the last good checkpoint stays */
    OUTPUT_KINDS
} output_kind;

typedef struct run_output {
    char *folder;             /* NULL: no folder */
    char *path[OUTPUT_KINDS]; /* NULL: none */
    bool written[OUTPUT_KINDS];
    FILE *stream;      /* trace.csv; NULL: none */
    char *buffer;      /* of the stream */
    double *row;       /* room for one row */
    double last_time;  /* s; of the last row; negative: there is none */
    int64_t row_count; /* written by this run */
    double last_flush; /* on cli_clock() */
    double begun;      /* likewise */
} run_output;

/* Decides which files there will be; both may be NULL. Nothing is touched yet. */
vxe_result cli_output_plan(run_output *output, const char *folder, const char *checkpoint, vxe_error *error);
/* Makes the folder, checks that files can be written and opens the trace. From the start (`resumed` false)
 * files that an earlier run left are removed. A resumed run goes on with the trace it finds, less the rows
 * later than the simulation's time. */
vxe_result cli_output_open(run_output *output, const vxe_trace *trace, const vxe_sim *sim, bool resumed,
                           vxe_error *error);
/* Writes a row, unless the last one has the same time. */
vxe_result cli_output_row(run_output *output, const vxe_trace *trace, vxe_sim *sim, vxe_error *error);
/* Hands the rows to the system if the last time was a while ago. To be called often. */
vxe_result cli_output_flush(run_output *output, vxe_error *error);
/* Writes the checkpoint, or the state of a run that has failed. */
vxe_result cli_output_state(run_output *output, const vxe_sim *sim, bool failed, vxe_error *error);
/* Writes what is left of the trace and closes it. */
vxe_result cli_output_close_trace(run_output *output, vxe_error *error);
/* Writes events.csv, if anything can happen to a link of the scene. */
vxe_result cli_output_events(run_output *output, const vxe_sim *sim, vxe_error *error);
/* Writes the summary. */
vxe_result cli_output_summary(run_output *output, const json_t *summary, vxe_error *error);
/* Which files there are now, the summary included. The paths belong to the output. */
output_list cli_output_list(const run_output *output);
/* Frees everything. */
void cli_output_destroy(run_output *output);

/* Makes a folder and those above it. `path` ends with a slash and is restored. */
vxe_result cli_make_folder(char *path, vxe_error *error);
/* The same for the folder of a file; its path is restored. */
vxe_result cli_make_folder_of(char *path, vxe_error *error);

#endif
