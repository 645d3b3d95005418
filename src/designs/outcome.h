/* What became of a design: everything the store keeps of it. */
#ifndef DESIGNS_OUTCOME_H
#define DESIGNS_OUTCOME_H

#include "designs/design.h"
#include "designs/metrics.h"
#include "voxelastic/batch.h"

typedef enum outcome_status {
    OUTCOME_DONE = 0, /* it ran to its end */
    OUTCOME_FAULT,    /* the simulation failed */
    OUTCOME_FAILED    /* it could not be run */
} outcome_status;
/* "done", "fault", "failed" */
const char *vxe_outcome_status_name(outcome_status status);

enum { OUTCOME_WORD = 24, OUTCOME_MESSAGE = 512 };

/* Plain bytes but for `text`, so that it can be sent as it is between processes of one program. */
typedef struct design_outcome {
    uint8_t hash[DIGEST_SIZE];
    char id[DESIGN_ID_SIZE];
    int64_t number; /* of the line or file */
    int32_t repeat;
    int32_t status; /* an outcome_status */
    char reason[OUTCOME_WORD];
    int64_t steps;
    double time; /* s, simulated */
    double wall; /* s */
    uint64_t state_hash;
    double finished; /* s since 1970 */
    double metrics[METRIC_COUNT];
    int32_t fault_voxel; /* -1: none */
    int32_t fault_cell[3];
    double fault_time; /* s */
    double fault_value;
    char fault_cause[OUTCOME_WORD];
    char message[OUTCOME_MESSAGE]; /* empty: there is nothing to say */
    int64_t run;                   /* which process it was, in the store */
    bool is_file;                  /* `text` is the path of a scene */
    char *text;                    /* the line, freed by free(); NULL: not kept */
} design_outcome;

/* Fills everything but text and run from what a batch tells at the end. `sim` NULL: it never ran. */
void vxe_outcome_fill(design_outcome *outcome, vxe_sim *sim, const vxe_batch_end *end, design_watch *watch);

#endif
