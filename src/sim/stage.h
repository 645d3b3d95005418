/* The stages of a step, in order, with what each reads and writes of the manifest (state.h).
 *
 * A machine is a table of stages: those it does not have are done by the plain loops on the host. So a new
 * machine can begin with one stage and take over the rest one by one; whatever travels between its memory and
 * the host's follows from these lines. A machine may do several stages in one: it has nothing to do in those
 * that follow.
 *
 * To add a stage: a line here, its function in step.c (on the host) or in backend/cpu/plain_loops.h. */
#ifndef SIM_STAGE_H
#define SIM_STAGE_H

#include "sim/state.h"

/* What the stages of a step are told. */
typedef struct step_context {
    double step;   /* s: over which positions change */
    double before; /* s: the step before; 0: there was none, and velocities are those of the start */
    double kick;   /* s: over which forces change velocities: half of both, because velocities belong to the
                      middle of a step */
    bool implicit; /* bond damping is: it has a stage of its own */
    bool touching; /* voxels touch each other, ground or solids, or may in this step */
    bool split;    /* damping or contacts come between new velocities and new poses */
    bool rated;    /* this step measures the links' rates: see RATES_EVERY */
    bool loaded;   /* something acts on voxels beside links, weight and the floor */
    bool back;     /* damping has been through the links, and goes back */
    bool keep;     /* force, moment and contact forces may be asked for after this step */
    bool bonded;  /* there are bonds: their loads, and what they lose, lie in the arrays before those of links
                   */
    bool measure; /* energies are summed, for the account: what is lost is booked in every step */
} step_context;

#define A(name) STATE_SET(name)
#define A_POSE (A(position) | A(orientation))
#define A_OUTSIDE (A(outside) | A(outside_turn))
#define A_MOTION (A(velocity) | A(spin))
#define A_LOADS (A(force) | A(moment))
#define A_LOSSES (A(lost_force) | A(lost_moment) | A(conjugate))
#define A_FLOOR (A(stuck) | A(floor_rest) | A(guess))
#define A_BEFORE (A(velocity_before) | A(spin_before) | A(kept_force) | A(kept_moment))
#define A_BODIES (A_MOTION | A_LOADS | A_FLOOR | A_BEFORE | A(held_load) | A(position) | A(growth))

/* X(name, on, reads, writes). `on`: HOST stages work on the manifest's arrays of doubles and are the same for
 * every machine that does not take them over; PLAIN ones are loops over `real`. */
#define STEP_STAGES(X)                                                                                       \
    /* sizes of actuated voxels */                                                                           \
    X(signals, HOST, A(growth) | A(conjugate), A(growth) | A(growth_before))                                 \
    /* links that must yield do */                                                                           \
    X(yield, HOST, A(position) | A(growth) | A(plastic) | A(hardening) | A(own_kind) | A(yielded),           \
      A(plastic) | A(hardening) | A(flow) | A(yielded))                                                      \
    /* volume strains of `solid`, and their pressures */                                                     \
    X(strains, PLAIN, A(position) | A(growth) | A(plastic) | A(own_kind), A(volume))                         \
    X(pressure, HOST, A(volume) | A(pressure) | A(modulus), A(volume) | A(pressure))                         \
    /* what yielding took, for the account */                                                                \
    X(book, HOST, A(position) | A(growth) | A(plastic) | A(pressure) | A(flow) | A(pulled), A(pulled))       \
    /* which voxels may touch */                                                                             \
    X(collide, HOST, A(position) | A(growth), 0)                                                             \
    /* loads of the step before; fluid, force fields, cilia; all loads from outside */                       \
    X(clear, PLAIN, 0, A_LOADS | A_LOSSES | A(contact_force) | A(link_sum))                                  \
    X(outside, HOST, A_POSE | A_MOTION | A(growth), A_OUTSIDE)                                               \
    X(loads, PLAIN, A_MOTION | A_LOADS | A_OUTSIDE, A_LOADS)                                                 \
    /* rigid parts: where they are */                                                                        \
    X(parts, HOST, A_POSE | A_MOTION, A_MOTION)                                                              \
    /* velocities of held degrees of freedom */                                                              \
    X(hold, PLAIN, A(position) | A_MOTION, A_MOTION | A(held_velocity))                                      \
    /* loads of bonds: life.h */                                                                             \
    X(bonds, HOST, A_POSE | A_MOTION | A(growth) | A_LOADS | A_LOSSES | A(link_sum),                         \
      A_LOADS | A_LOSSES | A(link_sum))                                                                      \
    /* loads of links; A_BEFORE where a machine kicks at once */                                             \
    X(links, PLAIN,                                                                                          \
      A_POSE | A_MOTION | A(growth) | A(pressure) | A(plastic) | A(own_kind) | A(broken) | A_LOADS |         \
          A_LOSSES | A(link_sum),                                                                            \
      A_LOADS | A_LOSSES | A(link_sum) | A(broken) | A_BEFORE)                                               \
    /* where the step is split: new velocities from loads; which pairs touch, and a guess of their forces;   \
     * bond damping, where it is implicit; pairs that touch push each other apart */                         \
    X(kick, PLAIN, A_BODIES | A_LOSSES, A_MOTION | A_BEFORE | A_FLOOR | A(held_load))                        \
    X(carry, HOST, A_POSE | A_MOTION | A(held_load), A_MOTION) /* loads move rigid parts */                  \
    X(contacts, PLAIN, A_BODIES, A_MOTION | A(guess) | A(held_load))                                         \
    X(brake, HOST, A(position) | A_MOTION | A(held_load), A_MOTION | A(held_load))                           \
    X(damp, PLAIN, A(position) | A_MOTION | A(own_kind) | A(held_load), A_MOTION | A(held_load))             \
    X(joints, HOST, A_POSE | A_MOTION | A(held_load) | A(own_kind), A_MOTION | A(held_load))                 \
    X(apart, PLAIN, A_BODIES | A(growth_before) | A(contact_force),                                          \
      A_MOTION | A(stuck) | A(guess) | A(held_load) | A(contact_force))                                      \
    X(settle, HOST, A_MOTION | A_BEFORE | A(held_load), A_MOTION | A_BEFORE | A(reaction))                   \
    /* new velocities where it is not; floor, friction, new poses */                                         \
    X(move, PLAIN, A_BODIES | A(orientation) | A_LOSSES | A(growth_before) | A(link_sum) | A(contact_force), \
      A_POSE | A_MOTION | A_LOADS | A_LOSSES | A_FLOOR | A(contact_force))                                   \
    X(place, HOST, A_POSE | A_MOTION, A_POSE | A_MOTION) /* rigid parts as they are */                       \
    /* reactions of supports, work of loads; the energy account */                                           \
    X(close, PLAIN, A_MOTION | A_LOADS | A_LOSSES | A(held_velocity) | A_OUTSIDE, A(reaction))               \
    X(account, HOST, A(growth) | A(growth_before) | A(conjugate), 0)

typedef enum stage_id {
#define X(name, on, reads, writes) STAGE_##name,
    STEP_STAGES(X)
#undef X
        STAGE_COUNT
} stage_id;

typedef void sim_stage(vxe_sim *sim, const step_context *context);

struct contact_body;
struct contact_loops;
struct pressure_sharing;

/* How far whole steps may go, and how far they went. */
typedef struct step_limits {
    int64_t most;  /* steps; the last of them is one whose loads may be asked for */
    double end;    /* s: no step goes beyond */
    double look;   /* s: it stops when it has got there, after a step at least, */
    bool begun;    /* which may have been before */
    int64_t taken; /* steps */
    bool again;    /* goes on from the call before: nothing was changed since */
    bool tired;    /* it stopped only to report, and can go on; the state is not to be looked at */
    bool host;     /* the next step is the host's: a bound must be evaluated, or the like */
} step_limits;

struct vxe_pool;

/* Some of the voxels, whole chunks, for a thread. */
typedef struct part_range {
    int32_t index, count; /* of the parts */
    int32_t begin, end;
    int32_t before; /* links that end in them begin here at the earliest */
} part_range;
typedef void part_task(vxe_sim *sim, const part_range *part, void *context);

/* A machine: loops over voxels and links. What is NULL is done by another: by the plain loops where a CPU's
 * table has none, by the CPU where a device's has none. */
typedef struct sim_backend {
    const char *name;
    const struct sim_backend *base; /* of a CPU's table: where to look for what it has not */
    sim_stage *stage[STAGE_COUNT];
    state_set keeps; /* arrays that it has in memory of its own, too, or is to be told of; */
    void (*upload)(vxe_sim *sim, state_set arrays);   /* from the host's to that */
    void (*download)(vxe_sim *sim, state_set arrays); /* and back; both called by state.c only */
    int32_t (*threads)(const vxe_sim *sim);           /* how many it will use */
    vxe_result (*create)(vxe_sim *sim, vxe_error *error);
    void (*destroy)(vxe_sim *sim);        /* also after a create that failed or never was */
    void (*tables_changed)(vxe_sim *sim); /* link and voxel tables, or the time step */
    void (*links_changed)(vxe_sim *sim);  /* links broke or came back */
    /* Of a device that takes whole steps (it has no stages then, and the host's loops are the fastest there
     * are): whether it can take the next ones of a simulation as it is; steps of several at once, each up to
     * its limits; how many of several, from the first, it has room for. */
    bool (*takes)(const vxe_sim *sim);
    void (*advance)(vxe_sim *const *sims, step_limits *limits, int32_t count, struct vxe_pool *pool);
    int32_t (*room)(vxe_sim *const *sims, int32_t count);
    void (*share)(vxe_sim *sim, struct pressure_sharing *s); /* pressures that voxels share, on the host */
    /* does a task for all parts of the voxels, on all threads of the simulation, and waits for them */
    void (*divide)(vxe_sim *sim, part_task *task, void *context);
    /* single voxels with contacts, in the middle of a step, to where these are solved and back; `again`: what
     * has not changed since is known */
    void (*gather)(vxe_sim *sim, struct contact_body *bodies, int32_t count, bool again);
    void (*scatter)(vxe_sim *sim, const step_context *context, const struct contact_body *bodies,
                    int32_t count);
    /* velocities as far as they have come, and those before a step that is split, where they are floats;
     * NULL: they are in the manifest's own arrays */
    void (*velocities)(const vxe_sim *sim, float *now[3], float *before[3]);
    const struct contact_loops *contacts; /* and how: collide.h */
} sim_backend;

/* Runs a stage where it belongs, with its arrays brought there. */
void vxe_stage_run(vxe_sim *sim, stage_id id, const step_context *context);
/* Tells all machines; see sim_backend. */
void vxe_tables_changed(vxe_sim *sim);
void vxe_links_changed(vxe_sim *sim);

/* backend/cpu/choose.c: what serves a simulation best on this machine, or what was asked for; `one_by_one`:
 * the loops that do one stage at a time, which a device needs beside it. NULL: not here. */
const sim_backend *vxe_choose_backend(const vxe_sim *sim, bool one_by_one);
/* backend/cuda/machine.c: the machine of a device; NULL: the CPU alone. VXE_ERROR_INPUT where there is none,
 * with what to do. */
vxe_result vxe_choose_device(vxe_device wanted, const sim_backend **device, vxe_error *error);
/* Like vxe_sim_create(), with a device that takes over the stages it has; NULL: none. */
vxe_result vxe_sim_create_on(const vxe_model *model, const vxe_sim_def *def, const sim_backend *device,
                             vxe_sim **sim, vxe_error *error);

#endif
