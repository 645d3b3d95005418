/* Everything that changes in time. One step is the list of stages in step.c; the loops over voxels and links
 * belong to a backend. */
#ifndef SIM_SIM_H
#define SIM_SIM_H

#include "base/sum.h"
#include "model/model.h"
#include "sim/peaks.h"
#include "sim/stage.h"

#define PULLS_MAX 64

/* link_brake of kernel/link.h. */
typedef struct brake_table {
    double axial, shear, bending, excess, far;
} brake_table;

/* A link class with the damping of the moment; see kernel/link.h. */
typedef struct link_table {
    double cs, c, kt;                      /* N m */
    double axial, shear, bending, torsion; /* damping: beta times stiffness */
    double rate, rate_across;              /* of link_rate(), at the present time step */
    double near_mass, far_mass;            /* kg */
    brake_table brake[2];                  /* for half of the step sim->brake_dt and for all of it */
    brake_table joint;                     /* the same for half of it, of a link to a rigid part: rigid.c */
} link_table;

/* A material with the damping of the moment; see kernel/voxel.h. */
typedef struct voxel_table {
    double inverse_mass, inverse_inertia;
    double ground_rate;
    double floor_stiffness, floor_damping;
    double static_friction, dynamic_friction;
} voxel_table;

/* A region as edited while running. */
typedef struct sim_region {
    double force[3];
    double torque[3];
    int32_t load_ramped;  /* 1: the scene's ramp applies to the load */
    double pressed[3];    /* N; the load that the pressure has been told of */
    double from[3];       /* displacement at ramp_begin, m */
    double to[3];         /* displacement at ramp_begin + ramp, m */
    double ramp_begin;    /* s */
    double ramp;          /* s */
    double placed[3];     /* m: displacement in force */
    double turned;        /* of 1: part of the rotation in force */
    double turned_before; /* the same in the step before */
    double turn_most;     /* by how much it may change in a step */
} sim_region;

/* A signal as edited while running. */
typedef struct sim_signal {
    double base;
    double amplitude;
    double period;
    double phase; /* cycles */
} sim_signal;

typedef struct sim_pull {
    int32_t voxel;
    double force[3];
} sim_pull;

/* Whether voxels can grow against the floor, which is work of actuation. */
#define vxe_swells(sim) ((sim)->model->actuated_count > 0 && (sim)->environment.floor)

/* Of step_measures, what is summed over voxels for the energy account: in every step, and where energies are
 * measured. */
#define ACCOUNT_FLOWS(X) X(lost_work) X(swelling)
#define ACCOUNT_STORES(X) X(kinetic) X(elastic) X(ahead) X(shift) X(contact) X(gravity)
#define ACCOUNT_SUMS(X) ACCOUNT_FLOWS(X) ACCOUNT_STORES(X)
typedef enum account_sum {
#define X(name) SUM_##name,
    ACCOUNT_SUMS(X)
#undef X
        ACCOUNT_SUM_COUNT
} account_sum;

/* What one step measured on its way, for diagnosis and for the energy account. */
typedef struct step_measures {
    double length_min; /* m; shortest link */
    double strain_max; /* largest |strain| */
    double speed_max;  /* m/s, of voxels that are not held */
    double kinetic;    /* J; in the middle of the step, like all energies that follow */
    double elastic;    /* J; links and pressure, at the start of the step */
    double ahead;      /* J; what their potential falls by until its middle */
    double shift;   /* J; what a step of another length than the last makes of the energy: kernel/ringing.h */
    double contact; /* J; floor and pair contacts */
    double gravity; /* J */
    double lost_work;   /* J; work of damping, contact and friction, negative when energy is taken */
    double load_work;   /* J */
    double load_ahead;  /* J; of that, in the second half of the step: `ahead` has it too */
    double motion_work; /* J */
    double swelling;    /* J; work of growing voxels against what they touch */
    double plastic;     /* J; taken by yielding and breaking in this step */
    double gained;      /* J; what contacts returned beyond what they had received */
    double travel_max;  /* m: furthest way of any voxel in this step */
    int32_t bad;        /* 1: a number is not finite or a voxel moved too far */
    int32_t failed;     /* 1: links were marked to break */
    int32_t crowded;    /* 1: more voxels near each other than the list of pairs can hold */
    int64_t floor_contacts;
    int64_t pair_contacts;
} step_measures;

/* Voxels whose measures are taken together: aligned runs, so that their sums are nodes of the tree of all
 * (base/sum.h), and do not depend on how many threads there are. A thread owns whole chunks. */
#define CHUNK 512

/* Steps from one measurement of sweep_part.rates to the next: they change slowly, and what is left at a bound
 * is enough for some steps more. */
#define RATES_EVERY 4
/* Links shorter than this part of the pitch stiffen fast: their rates are measured in every step. */
#define CRUSHED 0.7

/* Room behind the voxels in arrays of doubles: for each axis, a block of the widest kind. */
#define SPARE_LANES (3 * 16)

/* Implicit bond damping goes through the links by colours, no two of which share a voxel: those along an axis
 * that start at even, and at odd places. Along x the place is the number of the voxel. */
typedef struct damping_pass {
    int32_t axis;
    int32_t parity;
    bool full; /* for the whole step, or half of it */
} damping_pass;

/* Steps from one measurement of the energies to the next: between them only works and losses are summed. */
#define MEASURE_EVERY 64

/* Why a step is shorter than the one before, where that is no error of the account. */
typedef enum step_cut {
    CUT_AT_TIME = 1, /* the last one was, to end at a time asked for */
    CUT_BY_RULES = 2 /* the next one will be, because of what rules have added */
} step_cut;

/* Running sums of the account. */
typedef struct energy_account {
    double start;    /* J; total before the first step */
    int32_t started; /* 0: the next step sets `start` so that the error stays what it is */
    int32_t cut;     /* step_cut bits */
    double load_work, actuation_work, motion_work, dissipated;
    double contact;    /* J; in contacts, at the start; `dissipated` has what they hold beyond that, too */
    double taken_most; /* J; the largest loss so far: what was taken cannot come back */
    double scale;      /* J; largest energies and work seen: what an error is compared with */
} energy_account;

/* Time per stage of a step, for `voxelastic bench`: filled by step.c, names too, for a sim that has one. */
#define STAGES_MAX 32
typedef struct stage_clock {
    const char *name[STAGES_MAX];
    double seconds[STAGES_MAX]; /* sums since it was zeroed */
    int32_t count;              /* stages of a step */
    int32_t next;               /* the stage that runs now */
    double begun;               /* s; when it began */
} stage_clock;

/* How the step has changed so far: see step_pace.c. */
typedef struct step_pace {
    int32_t halvings;   /* of the step that the bound allows, because voxels were fast */
    int32_t rises;      /* how often the step became longer again */
    int64_t slow_since; /* step from which on they have been slow enough for one halving less */
    int64_t looked;     /* step at which the bound was last found to be needed, or looked at */
    int64_t implicit;   /* 1: bond damping is, for a checkpoint */
    int64_t expect;     /* edits to be looked at before the next step: step_edit */
    double rang;        /* of 1: by how much links were strained lately */
} step_pace;

/* What was edited, or all of these: loads, sizes or damping; motion too; places too, which may bring
 * anything. */
typedef enum step_edit { EDIT_NONE, EDIT_LOADS, EDIT_MOTION, EDIT_PLACES, EDITS } step_edit;

/* What kinetic damping, stop conditions and formulas remember. */
typedef struct watch_state {
    double kinetic[6];  /* J; of the last steps, newest last */
    double energy[10];  /* J; samples, newest last */
    double energy_next; /* s; when the next one is due */
    double hit;         /* contacts between target voxels and others that have begun */
    double angle;       /* rad */
    double way[3][3];   /* m; centre of mass at the last periods */
    double next_sample; /* s */
    double growth_lag;  /* s; by how much the clock of growth is behind, because growth slowed down */
    double window_end;  /* s; when the speed is looked at next */
    double window[3];   /* m; centre of mass when it was looked at last */
    double window_way;  /* m; how far it had come then */
    int64_t windows;    /* how often it was looked at */
    int64_t slow;       /* 1: growth is slow */
    int64_t touching;   /* such contacts now */
    int32_t kinetic_count;
    int32_t energy_count;
    int32_t way_count;
    int32_t
        stopped; /* 1: all motion was, after the last step: the next one begins at rest, as at the start */
} watch_state;

/* In `stuck`: put on the floor at the start, which has not borne it yet. */
#define STUCK_FRESH 2

/* In floor_rest: not over the disc, or under it. */
#define PASSES_FLOOR __builtin_inf()

struct cpu_machine;
struct collider;
struct ground_contacts;
struct rigid_parts;
struct sim_control;
struct sim_copies;
struct sim_life;

struct vxe_sim {
    const vxe_model *model;
    vxe_sim_def def;
    sim_backend host;          /* the CPU's loops, complete */
    const sim_backend *device; /* takes over the stages it has; NULL: there is none */
    void *native;              /* what the host's loops keep */
    struct cpu_machine *cpu;   /* how they share the lattice: backend/cpu/machine.h */
    void *remote;              /* what the device keeps */
    size_t bytes;

    int64_t step;
    double time;

    /* the arrays of the manifest; NULL where this scene has none */
#define X(name, type, components, each, shape, when, flags, unit, writer) type *name[components];
    STATE_ARRAYS(X)
#undef X
    double *arena; /* where the doubles of voxels and links lie, in the manifest's order, `stride` apart */
    size_t stride;
    int32_t spare; /* from here on every one has SPARE_LANES elements per part for whoever works on it */
    state_set old[STATE_PLACES]; /* arrays that are newer elsewhere */

    int32_t threads;
    step_measures *measures; /* of the step, (chunks); speeds as squares, strains as lengths */
    double last_dt;          /* s: the last step; 0: there was none, and velocities are those of the start */
    bool loads_known;        /* force, moment and contact forces are those of the last step */

    /* the model's, or own_kind and so on where links can break */
    const uint32_t *link_kind[3];
    const uint8_t *free_faces;
    const uint8_t *pressure_class;
    vxe_event *events; /* room for two per link: none is ever lost */
    int64_t event_count;
    double last_time; /* s: when the step that is being taken began */
    int64_t broken_count;
    int64_t yielded_count;

    vxe_environment environment; /* as edited */
    sim_region *regions;
    sim_signal *signals;
    sim_pull pulls[PULLS_MAX];
    int32_t pull_count;
    struct sim_control *control; /* targets of actuated voxels: see drive.h; NULL: there are none */
    double *applied[3];          /* N; forces set from outside, (voxel_count), or NULL: there are none */
    const struct other_load *other_load; /* see loads.h; NULL: there is none */
    struct sim_copies *copies;           /* of the model's arrays: see array.c; NULL: nobody asked */

    bool implicit;    /* bond damping is: see damping.c */
    bool undecided;   /* the next bound decides that */
    bool faces_known; /* outside_faces are those of the links as they are */
    bool disturbed;   /* state or tables were changed between steps: nobody takes for granted what rests */
    double brake_dt;  /* s: the step the brakes are made for */

    /* tables that depend on edits */
    link_table *links;   /* (class_count) */
    voxel_table *voxels; /* (material_count + 1) */

    struct pressure_sharing *sharing; /* pressure shared between unlike materials: see pressure.h, or NULL */

    const uint16_t *material; /* of voxels as they are now: the model's, or life's, 0 where none is there */
    struct sim_life *life;    /* what rules do: see life.h; NULL: there are none */

    struct collider *collider;      /* NULL: nothing can touch but the floor */
    struct rigid_parts *rigid;      /* NULL: there are none */
    struct ground_contacts *ground; /* NULL: no ground and no solids */
    stage_clock *clock;             /* NULL: nobody wants to know */

    vxe_time_step time_step;
    double rate_at_bound; /* the largest of rates[0] when the bound was evaluated */
    double *rates[3]; /* 1/s^2: largest link_sum over mass of each material's voxels: at the bound, and in the
                         last step; and room for one more; (constant_count + 1) */
    struct bound_link *bound_links; /* (voxel_count, 3): see bound.h; NULL: large bodies keep none */
    step_pace pace;

    sim_peaks peaks;
    step_measures last;
    energy_account account;
    vxe_energy energy;
    vxe_status status;
    double calm_since[3]; /* s; since when kinetic energy, speed and movement have been below their floors; <
                             0: not */
    double calm_floor[3]; /* the floors that belongs to */
    watch_state watch;

    vxe_state state_view;
    vxe_links links_view;
    double *links_memory;
    uint8_t *links_broken;
    vxe_voxels voxels_view;
    double *voxels_memory;
};

/* sim.c: tables from the environment, after an edit */
void vxe_sim_refresh_tables(vxe_sim *sim);

/* boundary.c: where a region takes its voxels. `part` of the load at a time, 0 to 1. */
double vxe_region_load_part(const vxe_sim *sim, int32_t region, double time);
void vxe_region_displacement_at(const vxe_sim *sim, int32_t region, double time, double displacement[3]);
double vxe_region_turn_part(const vxe_sim *sim, int32_t region, double time);
/* Brings all regions to where they shall be at a time, or as far towards it as a step may. */
void vxe_regions_move(vxe_sim *sim, double time);
double vxe_region_turn_most(const vxe_model *m, int32_t region);

/* signals.c */
/* Sizes that a signal does not limit by itself: a voxel never shrinks below a tenth of its size. */
#define GROWTH_MIN (-0.9)
#define GROWTH_MAX 2.0
/* Whether all actuated voxels follow sines of their signal's own period. */
bool vxe_signals_are_sines(const vxe_model *m);
sim_stage vxe_signals_update;
/* Sizes that the signals ask for at a time, into (voxel_count); voxels that none drives are left alone. */
void vxe_growth_at(const vxe_sim *sim, double time, double *growth);
/* The largest growth, of either sign, that signals and targets ask for at any time, likewise; what comes at
 * once goes on to twice as much. */
void vxe_growth_most(const vxe_sim *sim, double *growth);
/* J: work of the last change of sizes at the present loads, over actuated voxels. */
double vxe_growth_work(const vxe_sim *sim);
double vxe_signal_value(const vxe_sim *sim, int32_t signal, double time, double phase, double amplitude,
                        double rate);

/* damping.c: whether bond damping is implicit, after an edit; where that is open, when the bound is known; */
void vxe_damping_choose(vxe_sim *sim);
/* with the steps, s, that either would allow; */
void vxe_damping_decide(vxe_sim *sim, double implicit_step, double explicit_step);
/* which must be so many times longer; */
double vxe_damping_implicit_cost(void);
/* the longest step at which implicit damping is still exact enough, s; */
double vxe_damping_longest(const vxe_sim *sim);
/* its passes, in their order; */
#define DAMPING_PASSES 11
extern const damping_pass vxe_damping_order[DAMPING_PASSES];
/* its tables for a step of that length; the stage, with them */
void vxe_damping_prepare(vxe_sim *sim, const step_context *context);
void vxe_damp(vxe_sim *sim, const step_context *context);

/* step.c: as vxe_sim_run(), but at least one step and then only until the time `look`, s. The step that gets
 * there is as long as any other. */
vxe_run_reason vxe_sim_run_to(vxe_sim *sim, const vxe_stop *stop, int64_t steps, double look);

/* time_step.c: the bound. */
void vxe_time_step_update(vxe_sim *sim);
/* The same, but the step becomes no longer, and the bound is only as exact as that needs. */
void vxe_time_step_shorten(vxe_sim *sim);
/* After the damping or the step changed: what links add to the rates; see link_rate(). Whether that is
 * something else. */
bool vxe_time_step_refresh(vxe_sim *sim);

/* step_pace.c: when the step follows it. */
/* Whether the bound may have come down, or up by a tenth or more, from the rates of the last step. */
bool vxe_rates_may_have_fallen(const vxe_sim *sim);
bool vxe_rates_may_have_risen(const vxe_sim *sim);
/* At the start, with the sizes of the first step. */
void vxe_time_step_begin(vxe_sim *sim);
/* After an edit, which may want shorter steps: the next one sees to it. */
void vxe_time_step_expect(vxe_sim *sim, step_edit edit);
/* Of kernel/ringing.h: the damping ratio, and s/m, what an impact strains by per speed; 0: nothing to hit. */
double vxe_ringing_damping(const vxe_sim *sim);
double vxe_ringing_impact(const vxe_sim *sim);
/* s: the next step; evaluates the bound where it must. */
double vxe_time_step_next(vxe_sim *sim);

/* readout.c: the mean of values of voxels by mass; all zero at first. False: there is no mass. */
typedef struct mass_center {
    tree_sum mass, moment[3];
} mass_center;
void vxe_center_add(mass_center *sum, double mass, double *const values[3], int32_t voxel);
bool vxe_center_of(const mass_center *sum, double center[3]);
double vxe_kinetic_energy(const vxe_sim *sim);
/* J: links and pressure as they are, taken back by half of the step that is over at the present velocities;
 * before and after links come or go. What links pulled by at its start then counts as that of the body as it
 * is now: else yielding and actuation would be booked with the mean of the tensions of two bodies. */
typedef enum body_moment { BODY_CHANGES, BODY_CHANGED } body_moment;
double vxe_elastic_before(vxe_sim *sim, double time, body_moment moment);

/* diagnose.c: whether the account measures energies in a step of that length; */
bool vxe_account_is_due(const vxe_sim *sim, double step, bool keep);
sim_stage vxe_account_step;
bool vxe_diagnose_step(vxe_sim *sim);
/* What is looked at from time to time only, where a run ends: none is called good whose body is a wreck. */
bool vxe_diagnose_end(vxe_sim *sim);

/* Bytes that a checkpoint of it can have at most, some time: lists grow. */
size_t vxe_checkpoint_most(const vxe_sim *sim);

/* life.c: what rules do, after a step */
void vxe_live(vxe_sim *sim, const step_context *context);

/* failure.c: links that can yield do; */
sim_stage vxe_yield_links;
/* what grew in this moment into a body that is bent did so without strain that it cannot bear; */
void vxe_yield_newcomers(vxe_sim *sim);
/* with the account, when the pressure is known: what that took; */
sim_stage vxe_book_yield;
/* notes that a link yielded or broke */
void vxe_note_event(vxe_sim *sim, vxe_event_kind kind, int axis, int32_t voxel);
/* Takes the links marked by the strain stage out of the body */
void vxe_break_links(vxe_sim *sim, const step_context *context);
/* After a start or a resume: what follows from the links that are broken */
void vxe_restore_links(vxe_sim *sim);

#endif
