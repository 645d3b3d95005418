/* Solvers that run aside. Each runs in a process of its own, so that it can be ended at once and cannot take
 * the studio down with it; a thread feeds it and waits. */
#ifndef STUDIO_SOLVER_H
#define STUDIO_SOLVER_H

#include "studio/player.h"

#include <sys/types.h>

typedef enum solve_kind { SOLVE_EQUILIBRIUM, SOLVE_LINEAR, SOLVE_MODES } solve_kind;
typedef enum solve_state { SOLVE_NONE, SOLVE_RUNNING, SOLVE_DONE, SOLVE_FAILED, SOLVE_CANCELLED } solve_state;

typedef struct solver {
    pthread_mutex_t mutex;
    pthread_t thread;
    bool joinable;
    outbox *out;
    player *player;

    /* The job, running or the last one. */
    int64_t job;
    int64_t serial; /* of the simulation */
    solve_kind kind;
    solve_state state;
    double begun; /* on studio_clock() */
    double seconds;
    double told;
    pid_t process; /* 0: none */
    bool cancelled;
    char message[1024];
    json_t *progress; /* {"what", "done"}; NULL: none was told */
    json_t *result;
    double *shapes; /* linear: 6 n; modes: 6 n each; by component, then by voxel */
    int32_t shape_count;
    int32_t voxel_count;
    double *frequencies; /* (shape_count) */

    /* What the thread sends to the process. */
    char *request;
    size_t request_size;
} solver;

void solver_init(solver *s, outbox *out, player *p);
void solver_end(solver *s);
/* Begins; inside the player. */
bool solver_start(solver *s, solve_kind kind, int count, failure *f);
void solver_cancel(solver *s);
bool solver_is_running(solver *s);
/* The event "solve"; NULL if there was never a job. */
json_t *solver_json(solver *s);
/* The message "shape"; inside the player. */
message *solver_shape(solver *s, int64_t job, int64_t mode, int number, failure *f);

#endif
