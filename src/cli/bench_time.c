/* One measurement: a simulation is brought to the state that is timed, then the fastest of several repeats is
 * taken.
 *
 * A resting body is timed at rest: a slice of a bouncing one may have no contact in it. An actuated one is
 * timed over whole cycles, all of them alike. Stages are timed in a run of their own, because reading the
 * clock costs something. */
#include "cli/bench.h"

#include "backend/cuda/group.h"

#include <math.h>

/* s; how long a body that need not rest is left to settle */
#define SETTLE_SECONDS 3.0

/* What the method needs per step, for a figure that means the same for every kernel: operations of the
 * reduced form of the equations, a square root and a division counting as one.
 *
 * A voxel inside a body, with three links of its own, takes 665 (counted in a loop that steps such voxels:
 * 200 multiply-adds, 133 multiplications, 126 additions, 3 square roots, 3 divisions). About 74 of them are
 * the voxel's: velocity and spin from the loads 12, weight 1, position 3, the quaternion of the turn 17,
 * product of quaternions 28, normalization 13. The others belong to its links, 197 each: chord, directors,
 * elastic and damping loads, and adding them up at both ends. `solid` adds 8 per link (the strain to two
 * volumes, two pressures to the tension) and 1 per voxel. Floor, friction, contacts and signals do not count.
 */
#define LINK_FLOPS 197.0
#define VOXEL_FLOPS 74.0
#define SOLID_LINK_FLOPS 8.0
#define SOLID_VOXEL_FLOPS 1.0

/* Likewise for memory: position, orientation, velocity and spin are read and written once, and 4 bytes tell
 * which links there are and of what kind. In single precision positions are double. */
enum { STATE_NUMBERS = 13, POSITION_NUMBERS = 3, KIND_BYTES = 4 };

double bench_flops_per_step(const bench_result *r)
{
    return (LINK_FLOPS + (r->solid ? SOLID_LINK_FLOPS : 0.0)) * r->links +
           (VOXEL_FLOPS + (r->solid ? SOLID_VOXEL_FLOPS : 0.0)) * r->voxels;
}

double bench_bytes_per_step(const bench_result *r)
{
    const size_t number = r->sim.precision == VXE_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
    const size_t state = POSITION_NUMBERS * sizeof(double) + (STATE_NUMBERS - POSITION_NUMBERS) * number;
    return (double)r->voxels * (double)(2 * state + KIND_BYTES);
}

double bench_voxel_steps_per_second(const bench_result *r)
{
    return r->timing.wall > 0.0 ? (double)r->voxels * (double)r->timing.steps / r->timing.wall : 0.0;
}

double bench_time_per_link(const bench_result *r)
{
    return r->links > 0 ? r->timing.wall / ((double)r->links * (double)r->timing.steps) : 0.0;
}

vxe_sim_def bench_sim_def(const bench_case *which, const bench_settings *settings)
{
    vxe_sim_def def = settings->sim;
    def.bond_damping = which->defaults   ? VXE_BOND_DAMPING_AUTO
                       : which->implicit ? VXE_BOND_DAMPING_IMPLICIT
                                         : VXE_BOND_DAMPING_EXPLICIT;
    def.audit = def.audit || (which->defaults && def.device == VXE_DEVICE_CPU); /* as `run` has it */
    return def;
}

vxe_result bench_step(vxe_sim *sim, int64_t steps, vxe_error *error)
{
    return vxe_sim_step(sim, steps, error);
}

vxe_result bench_run_cycles(vxe_sim *sim, double cycles, vxe_error *error)
{
    const vxe_stop stop = {.cycles = cycles};
    return vxe_sim_run(sim, &stop, INT64_MAX) != VXE_RUN_FAULT
               ? VXE_OK
               : vxe_fail(error, VXE_ERROR_DIVERGED, "bench: the simulation failed: %s",
                          vxe_sim_status(sim)->message);
}

/* Steps until the body rests. */
static vxe_result settle(bench_subject *s, const bench_settings *settings, vxe_error *error)
{
    const bench_preparation *p = &s->preparation;
    const vxe_environment e = vxe_model_environment(vxe_sim_model(s->sim));
    const double end = settings->quick ? fmin(p->settle, 20.0 * vxe_sim_time_step(s->sim).dt) : p->settle;
    const double begun = cli_clock();
    int64_t steps = 1; /* per call: enough for some 0.1 s */
    vxe_result result = VXE_OK;
    if (p->ground > 0.0) {
        result = vxe_sim_set_damping(s->sim, e.damping_stretch, e.damping_rotation, e.damping_contact,
                                     p->ground, error);
    }
    while (result == VXE_OK && vxe_sim_time(s->sim) < end) {
        const double before = cli_clock();
        result = bench_step(s->sim, steps, error);
        const double now = cli_clock();
        if (now - before < 0.05) steps *= 2;
        if (!p->must_settle && now - begun > SETTLE_SECONDS) break;
        bench_progress(settings, "%s: settling, %.0f %%", s->name, 100.0 * vxe_sim_time(s->sim) / end);
    }
    if (result == VXE_OK && p->ground > 0.0) {
        result = vxe_sim_set_damping(s->sim, e.damping_stretch, e.damping_rotation, e.damping_contact,
                                     e.damping_ground, error);
    }
    return result;
}

vxe_result bench_prepare(const bench_case *which, const bench_settings *settings, bench_subject *subject,
                         vxe_error *error)
{
    vxe_scene *scene = NULL;
    *subject = (bench_subject){.name = which->name};
    bench_progress(settings, "%s: building", which->name);
    vxe_result result = bench_make_scene(which, &scene, &subject->preparation, error);
    if (result == VXE_OK) result = vxe_compile(scene, &subject->model, error);
    vxe_scene_destroy(scene);
    if (result == VXE_OK) {
        const vxe_sim_def def = bench_sim_def(which, settings);
        result = vxe_sim_create(subject->model, &def, &subject->sim, error);
    }
    if (result == VXE_OK) result = settle(subject, settings, error);
    return result;
}

void bench_release(bench_subject *subject)
{
    vxe_sim_destroy(subject->sim);
    vxe_model_destroy(subject->model);
    *subject = (bench_subject){0};
}

/* The state of a large body comes back from a device after each piece, which takes as long as many steps. */
#define DEVICE_STEPS 100.0

/* Steps or, if there are any, cycles. */
typedef struct piece {
    int64_t steps;
    double cycles;
} piece;

/* Runs a piece and tells what it took. */
static vxe_result run_piece(bench_subject *s, piece p, bench_timing *t, vxe_error *error)
{
    const double time = vxe_sim_time(s->sim);
    const int64_t step = s->sim->step;
    const double cpu = vxe_seconds(VXE_CLOCK_PROCESS);
    const double launched = vxe_gpu_seconds(s->sim);
    const double begun = cli_clock();
    vxe_result result = VXE_OK;
    if (p.cycles > 0.0) {
        s->cycles += p.cycles;
        result = bench_run_cycles(s->sim, s->cycles, error);
    } else {
        result = bench_step(s->sim, p.steps, error);
    }
    t->wall = cli_clock() - begun;
    t->cpu = vxe_seconds(VXE_CLOCK_PROCESS) - cpu;
    t->device = vxe_gpu_seconds(s->sim) - launched;
    t->steps = s->sim->step - step;
    t->simulated = vxe_sim_time(s->sim) - time;
    return result;
}

/* A piece that takes about settings->seconds. Finding out is the warm-up. */
static vxe_result choose_piece(bench_subject *s, const bench_settings *settings, piece *chosen,
                               vxe_error *error)
{
    const bool cycles = s->preparation.period > 0.0 && !settings->quick;
    piece p = {cycles ? 0 : 1, cycles ? 1.0 : 0.0};
    for (;;) {
        bench_timing t;
        const vxe_result result = run_piece(s, p, &t, error);
        if (result != VXE_OK) return result;
        if (cycles || t.wall > 0.3 * settings->seconds) {
            const double times = settings->seconds / fmax(t.wall, 1e-9);
            const double least = s->sim->device != NULL ? DEVICE_STEPS : (double)s->preparation.least_steps;
            const double steps = settings->quick ? 1.0 : least;
            *chosen = (piece){(int64_t)fmax(ceil((double)p.steps * times), steps),
                              p.cycles * fmax(1.0, round(times))};
            return VXE_OK;
        }
        p.steps *= 2;
    }
}

vxe_result bench_time(bench_subject *s, const bench_settings *settings, bench_timing *timing,
                      vxe_error *error)
{
    piece p = {1, 0.0};
    *timing = (bench_timing){.wall = INFINITY};
    bench_progress(settings, "%s: warming up", s->name);
    vxe_result result = choose_piece(s, settings, &p, error);
    for (int32_t i = 0; i < settings->repeat && result == VXE_OK; i++) {
        bench_timing t;
        bench_progress(settings, "%s: repeat %d of %d", s->name, (int)i + 1, (int)settings->repeat);
        result = run_piece(s, p, &t, error);
        timing->walls[i] = t.wall;
        timing->repeats = i + 1;
        if (t.wall < timing->wall) {
            timing->wall = t.wall;
            timing->cpu = t.cpu;
            timing->device = t.device;
            timing->steps = t.steps;
            timing->simulated = t.simulated;
        }
    }
    return result;
}

/* Contacts are counted this often in a run with a clock around each stage. */
enum { SAMPLES = 50 };

/* Runs as many steps again with a clock around each stage. */
static vxe_result clock_steps(bench_subject *s, int64_t steps, stage_clock *clock, double contacts[2],
                              vxe_error *error)
{
    vxe_result result = VXE_OK;
    int64_t done = 0;
    s->sim->clock = clock;
    for (int i = 1; i <= SAMPLES && result == VXE_OK; i++) {
        const int64_t until = steps * i / SAMPLES;
        int64_t floor = 0;
        int64_t pairs = 0;
        result = bench_step(s->sim, until - done, error);
        done = until;
        vxe_sim_contacts(s->sim, &floor, &pairs);
        contacts[0] += (double)floor / SAMPLES;
        contacts[1] += (double)pairs / SAMPLES;
    }
    s->sim->clock = NULL;
    return result;
}

/* As often as the steps themselves were timed; the fastest of these runs counts, contacts are the mean of
 * all. */
static vxe_result time_stages(bench_subject *s, const bench_settings *settings, bench_result *r,
                              vxe_error *error)
{
    double best = INFINITY;
    double contacts[2] = {0.0, 0.0};
    vxe_result result = VXE_OK;
    for (int64_t i = 0; i < settings->repeat && result == VXE_OK; i++) {
        stage_clock clock = {.count = 0};
        double total = 0.0;
        bench_progress(settings, "%s: stages, %d of %d", s->name, (int)i + 1, (int)settings->repeat);
        result = clock_steps(s, r->timing.steps, &clock, contacts, error);
        for (int32_t j = 0; j < clock.count; j++) total += clock.seconds[j];
        if (total < best) {
            best = total;
            r->stages = clock;
        }
    }
    r->stage_steps = r->timing.steps;
    r->floor_contacts = contacts[0] / (double)settings->repeat;
    r->pair_contacts = contacts[1] / (double)settings->repeat;
    return result;
}

vxe_result bench_measure(const bench_case *which, const bench_settings *settings, bench_result *r,
                         vxe_error *error)
{
    bench_subject s;
    if (which->kind == BENCH_BATCH || which->kind == BENCH_POPULATION) {
        return bench_measure_batch(which, settings, r, error);
    }
    if (which->kind == BENCH_ROBOTS || which->kind == BENCH_CONTROLLERS) {
        return bench_measure_search(which, settings, r, error);
    }
    *r = (bench_result){.which = *which, .sim = bench_sim_def(which, settings)};
    vxe_result result = bench_prepare(which, settings, &s, error);
    if (result == VXE_OK) {
        result = bench_time(&s, settings, &r->timing, error);
        r->device_seconds = r->timing.device;
    }
    if (result == VXE_OK && settings->sim.device == VXE_DEVICE_CPU) { /* a device takes whole steps */
        result = time_stages(&s, settings, r, error);
    }
    if (result == VXE_OK) {
        const vxe_model_view *view = vxe_model_get(s.model);
        r->solid = vxe_model_environment(s.model).elasticity == VXE_ELASTICITY_SOLID;
        r->isa = vxe_sim_isa(s.sim);
        r->threads = vxe_sim_threads(s.sim);
        r->voxels = view->voxel_count;
        r->links = view->link_count;
        r->dt = vxe_sim_time_step(s.sim).dt;
        r->model_bytes = vxe_model_bytes(s.model);
        r->sim_bytes = vxe_sim_bytes(s.sim);
    }
    bench_release(&s);
    bench_progress_end();
    return result;
}
