/* The desk: the thread that carries out the page's commands, one after the other, and keeps the scene.
 *
 * Commands wait in a bounded queue. When it is full the network stops reading, so that a flood slows down
 * whoever sends it and nobody else. */
#ifndef STUDIO_DESK_H
#define STUDIO_DESK_H

#include "studio/autosave.h"
#include "studio/player.h"
#include "studio/solver.h"
#include "studio/studio.h"

/* A message from the page that waits. */
typedef struct parcel {
    struct parcel *next;
    uint64_t page;
    bool binary;
    size_t size;
    unsigned char *data;
} parcel;

enum { DESK_QUEUE_MAX = 64 };
#define DESK_BYTES_MAX ((size_t)160 << 20)

typedef struct desk {
    pthread_t thread;
    bool started;

    /* The queue: any thread. */
    pthread_mutex_t mutex;
    pthread_cond_t arrived;
    parcel *first;
    parcel *last;
    size_t count;
    size_t bytes;
    bool quit;
    bool was_full; /* the network waits to be told that there is room */

    /* The rest: the desk's thread. */
    outbox *out;
    player *player;
    solver *solver;
    const studio_options *options;
    folder folder;
    document document;
    autosave autosave;
    double autosave_due; /* on studio_clock(); INFINITY: nothing to save */
    char autosave_problem[256];
    uint64_t page; /* of the command being carried out */
} desk;

bool desk_start(desk *d, const studio_options *options, outbox *out, player *p, solver *s, failure *f);
/* Ends the thread and writes the autosave. */
void desk_end(desk *d);
/* Opens the scene the studio was started with; before the thread runs. */
bool desk_open(desk *d, const char *path, failure *f);
bool desk_open_demo(desk *d, const char *name, failure *f);

/* Hands over a message; takes `data`, which malloc() made. False: there is no memory. */
bool desk_post(desk *d, uint64_t page, bool binary, unsigned char *data, size_t size);
/* Carries out a message: what the desk's thread does with each. */
void desk_handle(desk *d, uint64_t page, bool binary, const unsigned char *data, size_t size);
/* Whether the queue is full; the outbox's wake tells when it is not any more. */
bool desk_full(desk *d);

/* A command's reply (to which "id" and "ok" are added), or NULL after a failure. */
typedef json_t *desk_handler(desk *d, const command *c, failure *f);
typedef struct desk_command {
    const char *verb;
    desk_handler *handle;
    const char *keys; /* the members it may have, with blanks between */
} desk_command;

/* The commands by subject; each list ends with a NULL verb. */
extern const desk_command desk_scene_commands[];
extern const desk_command desk_sim_commands[];

#endif
