/* The simulation that the studio plays, and the thread that plays it.
 *
 * The thread steps in slices of a few milliseconds and never waits for the page. Everything in here belongs
 * to whoever has entered: another thread enters between two slices (the player lets it), does what it wants
 * with the simulation, and leaves. So there is one lock, and nothing else is shared. */
#ifndef STUDIO_PLAYER_H
#define STUDIO_PLAYER_H

#include "studio/traced.h"
#include "studio/recording.h"
#include "picture/surface.h"

#include <pthread.h>

typedef enum play_state { PLAY_NONE, PLAY_RUNNING, PLAY_PAUSED, PLAY_STOPPED, PLAY_FAILED } play_state;

/* What can be changed while it runs, as it is now. */
typedef struct live_signal {
    double base, amplitude, period;
} live_signal;
typedef struct live_region {
    double force[3], torque[3], displacement[3], ramp;
} live_region;
typedef struct live_settings {
    double gravity[3];
    double damping[4]; /* stretch, rotation, contact, ground */
    live_signal *signals;
    live_region *regions;
} live_settings;

/* A voxel on a spring. */
typedef struct live_pull {
    int32_t voxel; /* -1: none */
    double target[3];
    double strength;
    double force[3]; /* N; of the last step */
} live_pull;

typedef struct play_view {
    bool all;
    bool links;
    bool centers;
    bool contacts;
    int field;
} play_view;

/* Speed over the last second or so. */
typedef struct play_rate {
    double since; /* on studio_clock() */
    double time;  /* s; simulated at that moment */
    int64_t step;
    double real_time; /* simulated seconds per second */
    double steps;     /* per second */
} play_rate;

/* The field of the last frame: working one out can take longer than the rest of a frame, so that while a
 * large body moves it is done less often. */
typedef struct kept_field {
    int field; /* 0: none is kept */
    int64_t mesh;
    int64_t change;
    float *values;
    double range[2];
    double due; /* on studio_clock() */
} kept_field;

/* Looks at what is largest in a run. */
typedef struct play_looks {
    double next; /* s simulated; infinite: none */
    double time; /* s; of the last one */
    double wall; /* on studio_clock(): when it ended */
} play_looks;

typedef struct player {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t work; /* there may be something to do */
    pthread_cond_t idle; /* a slice has ended */
    bool started;
    bool quit;
    bool busy;   /* a slice is being done, without the mutex */
    bool asked;  /* for a frame, while it was busy: any thread, with the mutex */
    int waiting; /* threads that want to enter */
    outbox *out;

    /* The simulation. */
    vxe_scene *scene; /* what it was made from */
    vxe_model *model;
    vxe_sim *sim; /* NULL: none */
    int64_t serial;
    int64_t revision; /* of the document */
    play_state state;
    vxe_run_reason reason; /* with PLAY_STOPPED */
    bool unstoppable;      /* the scene's stop condition was passed */
    int64_t steps_left;    /* > 0: single steps were asked for */
    bool real_time;
    double factor;    /* simulated seconds per second */
    double base_time; /* real time is counted from here: s simulated */
    double base_wall; /* on studio_clock() */
    vxe_run *run;     /* steps it, and records rows on the way */
    live_settings settings;
    live_pull pull;
    play_rate rate;

    /* What the page sees. */
    play_view view;
    vxe_surface *surface; /* NULL: to be made */
    int64_t mesh;         /* number of the vxe_surface */
    int64_t changes;      /* vxe_surface_changes() when it was made */
    int64_t change;       /* counts what a frame could show */
    int64_t shown;        /* `change` of the last frame; -1: none */
    int64_t frame;
    kept_field kept;
    bool wanted;      /* the page is ready for a frame */
    double frame_due; /* on studio_clock(): not before */
    double status_due;
    double probes_due;
    double trace_due;
    bool status_changed; /* tell at once */
    bool unrecorded;     /* recording and figures are still to come: before the first step at the latest */
    json_t *probes;      /* list as the page gave it */
    traced traced;
    recording *recording; /* of this run; NULL: none yet */
    recording *last;      /* of the one before, to compare with */
    int64_t runs;         /* counts them: the number of this one */
    vxe_figures *figures; /* what was largest in this run, and how it gets on; NULL: none yet, or no memory */
    play_looks looks;     /* when that is found out */
} player;

/* Seconds on a clock that only goes forward. */
double studio_clock(void);

bool player_start(player *p, outbox *out, failure *f);
void player_end(player *p);

/* Entering and leaving; see above. */
void player_enter(player *p);
void player_leave(player *p);
/* From outside: asks for a frame after the slice that is being done. False: none is, so enter. */
bool player_ask(player *p);

/* All of the following: only inside. */

/* A simulation of a scene, which is copied. */
bool player_load(player *p, const vxe_scene *scene, const vxe_sim_def *def, int64_t revision, failure *f);
void player_unload(player *p);
void player_play(player *p);
void player_pause(player *p);
void player_step(player *p, int64_t steps);
void player_reset(player *p);
/* The recording of a run; NULL: it is gone. */
recording *player_recording(player *p, int64_t run);
void player_speed(player *p, bool real_time, double factor);
/* The simulation was changed from outside (an edit, a state that was loaded): show it. */
void player_changed(player *p);
/* Sends what is due: mesh, frame, status, probes, rows. */
void player_publish(player *p);
/* A page has come that knows nothing. */
void player_greet(player *p);

/* live.c: settings and pulls. */
bool live_start(player *p, failure *f);
void live_free(player *p);
bool live_set(player *p, const command *c, failure *f);
json_t *live_json(const player *p);
bool live_pull_set(player *p, const command *c, failure *f);
/* The spring's force of the next step. */
void live_pull_step(player *p);

/* picture.c: what the page draws. */
bool picture_surface(player *p, failure *f);
/* A mesh message of any surface; adds to `header`, which it takes. */
message *picture_mesh_of(const vxe_surface *s, double pitch, message_kind kind, json_t *header, bool links);
message *picture_mesh(const player *p);
message *picture_frame(player *p);
void picture_forget(player *p);
void picture_origin(const player *p, double origin[3]);

/* status.c */
json_t *status_json(player *p);
json_t *probes_json(player *p);
bool probes_set(player *p, json_t *probes, failure *f);

#endif
