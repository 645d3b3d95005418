/* The moment of the largest strain of a run. Which it was is known only later; so the state is kept now and
 * then, and at the end the run is stepped again from the last state kept before that moment, which gives the
 * same bits. Stepping itself is not touched. */
#ifndef CLI_MOMENT_H
#define CLI_MOMENT_H

#include "cli/cli.h"

typedef struct kept_state {
    void *data; /* a checkpoint; NULL: none */
    size_t size;
    size_t room;
    double time; /* s */
} kept_state;

typedef struct run_moment {
    vxe_sim_def def;    /* of the simulation */
    kept_state kept[2]; /* the latest one, and the latest before the largest strain so far */
    int latest;
    int before;   /* -1: none, as where a run goes on that had its largest strain before */
    bool lost;    /* states are too large to be kept */
    double begun; /* s, on the clock */
    double spent; /* s, with keeping */
} run_moment;

/* Keeps the first state. */
void cli_moment_begin(run_moment *moment, const vxe_sim *sim, const vxe_sim_def *def);
/* To be called when figures have been looked at: `peak` is the largest strain so far. */
void cli_moment_look(run_moment *moment, const vxe_sim *sim, const vxe_peak *peak);
/* A simulation at that moment, in *sim, to be destroyed; NULL if it cannot be reached any more. */
vxe_result cli_moment_reach(const run_moment *moment, const vxe_model *model, const vxe_peak *peak,
                            vxe_sim **sim, vxe_error *error);
void cli_moment_clear(run_moment *moment);

#endif
