/* The progress bar: one line on standard error, where that is a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/cli.h"

typedef struct progress {
    bool shown;         /* false: nothing is ever printed */
    bool drawn;         /* there is a line to erase */
    double period;      /* s; of the scene's first signal, 0: none */
    double begun;       /* on cli_clock() */
    double last;        /* when it was drawn last */
    double first_time;  /* s; where this run began */
    int64_t first_step; /* likewise */
} progress;

/* Starts the clock. Nothing will be printed if `quiet`, or if standard error is not a terminal. */
void cli_progress_begin(progress *p, vxe_sim *sim, const vxe_scene *scene, bool quiet);
/* The same for something that is counted, not simulated. */
void cli_progress_start(progress *p, bool quiet);
/* Draws the line anew: so many of so many are done. */
void cli_progress_count(progress *p, const char *what, int64_t done, int64_t all);
/* The same with a text of one's own; `done` 0 to 1, NaN: not known. False: it was not time yet. */
bool cli_progress_text(progress *p, double done, const char *text);
/* Draws the line anew, at most ten times a second. */
void cli_progress_update(progress *p, vxe_sim *sim, const vxe_stop *stop);
/* Erases the line. */
void cli_progress_end(progress *p);

#endif
