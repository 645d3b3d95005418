/* Benchmarks: the machine, the cases, one measurement, the tables. Data flows in this order:
 *
 *   name -> bench_case (bench_cases.c) -> bench_result (bench_time.c) -> table, JSON, comparison
 * (bench_report.c)
 *
 * bench_machine.c measures what the figures are compared with; bench_collisions.c makes the two tables of
 * collision detection. What is timed is always the fastest of several repeats, by the wall clock. */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "cli/report.h"
#include "sim/sim.h"

enum { BENCH_REPEATS_MAX = 100 };

/* How to measure, the same for all cases of a run. */
typedef struct bench_settings {
    vxe_sim_def sim;
    int64_t repeat; /* 1 to BENCH_REPEATS_MAX */
    double seconds; /* s; what one repeat takes, roughly */
    bool large;     /* also the cases that take minutes */
    bool quick;     /* to try the command: few steps, small sizes */
} bench_settings;

/* --- the machine (bench_machine.c) --- */

/* What one core can do, measured; 0: not known. */
typedef struct bench_machine {
    char cpu[128];
    char isa[16]; /* the widest instructions that were used to measure it */
    int cores;
    size_t l2, l3;       /* bytes */
    double double_flops; /* flop/s: fused multiply-add, which counts as two */
    double single_flops;
    double l2_read; /* B/s */
    double l3_read;
    double dram_read;
    int threads;    /* that `scaling` is for */
    double scaling; /* multiply-adds per second of so many threads together, over those of one */
    double load;    /* processes that wanted to run, mean of the last minute; < 0: not known */
} bench_machine;

/* `threads`: how many to measure the scaling for. */
void bench_measure_machine(bench_machine *machine, int threads, bool quick);

/* --- the cases (bench_cases.c) --- */

typedef enum bench_kind {
    BENCH_CUBE,
    BENCH_ROBOT,
    BENCH_CLAPPER,
    BENCH_PILE,
    BENCH_BATCH,
    BENCH_POPULATION,
    BENCH_QUADRUPED,
    BENCH_HOLES,
    BENCH_GROUND,
    BENCH_ROBOTS,
    BENCH_CONTROLLERS,
    BENCH_COLLISIONS,
    BENCH_TERRAIN
} bench_kind;

/* A case, as its name says: kind, size, variants. */
typedef struct bench_case {
    char name[VXE_NAME_SIZE];
    bench_kind kind;
    int64_t size;          /* cube: voxels along a side; pile: voxels; batch, population, robots, controllers:
                              simulations;          holes: per cent; ground: voxels along it */
    bool solid, beam;      /* elasticity instead of the kind's own */
    bool implicit;         /* bond damping */
    bool explicit_damping; /* where the kind's own is implicit */
    bool defaults;         /* account and bond damping as runs have them without options */
    bool has_collisions;   /* `collisions` instead of the kind's own */
    vxe_collisions collisions;
} bench_case;

/* A case of the list. */
typedef struct bench_listed {
    const char *name;
    const char *summary;
    bool standard; /* measured when no case is named */
    bool large;    /* measured then only with --large */
} bench_listed;
extern const bench_listed bench_list[];
extern const size_t bench_list_count;

/* Understands a name; VXE_ERROR_INPUT, with a suggestion, if it is none. */
vxe_result bench_find_case(const char *name, bench_case *found, vxe_error *error);

/* How a case is brought to the state that is timed. */
typedef struct bench_preparation {
    double period;       /* s; of actuation: whole cycles are timed, after a first one. 0: a resting body */
    double settle;       /* s; simulated time until the body rests */
    double ground;       /* ground damping ratio while it settles */
    bool must_settle;    /* false: it lies still enough from the start, and settling may be cut short */
    int64_t least_steps; /* of a repeat: enough to have lists of near pairs made in it */
} bench_preparation;

/* Makes the scene of a case; of a batch, that of one of its robots. */
vxe_result bench_make_scene(const bench_case *which, vxe_scene **scene, bench_preparation *preparation,
                            vxe_error *error);

/* The demo scene of a name, and the period of its first signal. */
vxe_result bench_load_demo(const char *name, vxe_scene **scene, bench_preparation *preparation,
                           vxe_error *error);

/* Simulation number `i` of the populations of bench_search.c. */
enum { BENCH_ROBOTS_MOST = 2000 };
vxe_result bench_make_searched(const bench_case *which, int64_t i, vxe_scene **scene, vxe_error *error);

/* --- a measurement (bench_time.c) --- */

/* How a case is simulated. */
vxe_sim_def bench_sim_def(const bench_case *which, const bench_settings *settings);

/* A simulation made ready for timing. */
typedef struct bench_subject {
    const char *name; /* of the case */
    bench_preparation preparation;
    vxe_model *model;
    vxe_sim *sim;
    double cycles; /* of actuation, done so far */
} bench_subject;

vxe_result bench_prepare(const bench_case *which, const bench_settings *settings, bench_subject *subject,
                         vxe_error *error);
void bench_release(bench_subject *subject);

/* The fastest repeat, and all of them. */
typedef struct bench_timing {
    int64_t steps;    /* of one repeat */
    double wall;      /* s, of the fastest */
    double cpu;       /* s of processor time, in the fastest: less than `wall` where others had the core */
    double simulated; /* s, in the fastest */
    double device;    /* s in launches of a device, in the fastest */
    int32_t repeats;
    double walls[BENCH_REPEATS_MAX]; /* s */
} bench_timing;

/* Chooses the number of steps and times the repeats. */
vxe_result bench_time(bench_subject *subject, const bench_settings *settings, bench_timing *timing,
                      vxe_error *error);
/* Does steps, or goes on until so many cycles have passed since the start; VXE_ERROR_DIVERGED with the
 * simulation's message if it fails. */
vxe_result bench_step(vxe_sim *sim, int64_t steps, vxe_error *error);
vxe_result bench_run_cycles(vxe_sim *sim, double cycles, vxe_error *error);

typedef struct bench_result {
    bench_case which;
    vxe_sim_def sim;
    const char *isa; /* instructions that were used */
    int32_t threads;
    bool solid;
    int32_t voxels, links;
    double dt; /* s */
    size_t model_bytes, sim_bytes;
    double floor_contacts, pair_contacts; /* mean */
    bench_timing timing;
    stage_clock stages; /* over stage_steps steps, in a run of their own */
    int64_t stage_steps;
    double device_seconds; /* s: of timing.wall, in which a GPU's kernels ran; 0: not known */
} bench_result;

/* Prepares, times and describes a case. */
vxe_result bench_measure(const bench_case *which, const bench_settings *settings, bench_result *result,
                         vxe_error *error);

double bench_voxel_steps_per_second(const bench_result *result);
/* Floating-point operations and bytes of memory traffic that the method needs per step, whatever a kernel
 * does: see bench_time.c. */
double bench_flops_per_step(const bench_result *result);
double bench_bytes_per_step(const bench_result *result);

/* s per link and step. */
double bench_time_per_link(const bench_result *result);

/* The same for the populations (bench_search.c): each simulation from its start to its end. */
vxe_result bench_measure_search(const bench_case *which, const bench_settings *settings, bench_result *result,
                                vxe_error *error);

/* The same for a batch of small robots (bench_batch.c). */
vxe_result bench_measure_batch(const bench_case *which, const bench_settings *settings, bench_result *result,
                               vxe_error *error);

/* --- collision detection (bench_collisions.c) --- */

/* Measures both tables. Prints them, or, if `json` is not NULL, puts them into this object. */
vxe_result bench_collisions(const bench_settings *settings, json_t *json, vxe_error *error);

/* --- ground (bench_terrain.c) --- */

/* Measures a table, likewise. */
vxe_result bench_terrain(const bench_settings *settings, json_t *json, vxe_error *error);

/* --- reports (bench_report.c) --- */

/* What is being done: a line on the terminal that the next one replaces; elsewhere lines on standard error,
 * and only with
 * --large. */
void bench_progress(const bench_settings *settings, const char *format, ...) VXE_PRINTF(2, 3);
void bench_progress_end(void);

void bench_print_machine(const bench_machine *machine, const bench_settings *settings);
void bench_print_heading(void);
void bench_print_result(const bench_result *result, const bench_machine *machine);
void bench_print_stages(const bench_result *results, size_t count);
/* Says so if others had the core while the results were timed. */
void bench_print_disturbance(const bench_result *results, size_t count);

json_t *bench_json_machine(const bench_machine *machine);
json_t *bench_json_result(const bench_result *result, const bench_machine *machine);

/* Results of an earlier run. */
vxe_result bench_load_old(const char *path, json_t **old, vxe_error *error);
/* Prints old, new and ratio per case; or, as JSON, gives the same as an array. */
void bench_print_comparison(const json_t *old, const bench_result *results, size_t count,
                            const bench_machine *machine);
json_t *bench_json_comparison(const json_t *old, const bench_result *results, size_t count,
                              const bench_machine *machine);

#endif
