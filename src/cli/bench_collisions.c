/* Collision detection: the schemes beside each other on the clapper, as in Table 3 of Hiller and Lipson,
 * "Dynamic Simulation of Soft Heterogeneous Objects" (the paper), and the cost of collisions against size. */
#include "cli/bench.h"
#include "cli/options.h"
#include "sim/collide.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- the schemes --- */

enum { SCHEMES = 5, ALL_EVERY = 0, SURFACE_EVERY, ALL_HORIZON, SURFACE_HORIZON, GRID };
static const struct {
    vxe_collisions scheme;
    const char *title;
    double paper; /* steps per second in the paper; 0: not there */
} schemes[SCHEMES] = {
    [ALL_EVERY] = {VXE_COLLISIONS_ALL_EVERY, "all, every step", 140.4},
    [SURFACE_EVERY] = {VXE_COLLISIONS_SURFACE_EVERY, "surface, every step", 140.6},
    [ALL_HORIZON] = {VXE_COLLISIONS_ALL_HORIZON, "all, horizon", 834.4},
    [SURFACE_HORIZON] = {VXE_COLLISIONS_SURFACE_HORIZON, "surface, horizon", 835.4},
    [GRID] = {VXE_COLLISIONS_GRID, "grid", 0.0},
};

typedef struct scheme_result {
    int32_t voxels;
    int64_t steps; /* of the fastest cycle */
    double wall;   /* s, of the fastest cycle */
    double rate;   /* steps per second */
    double tests;  /* pair distances per step, over all cycles but the first */
    double lists;  /* lists made per cycle */
    uint64_t hash; /* of the state at the end */
} scheme_result;

/* A cycle, or a piece of one to try the command. */
static vxe_result run_cycle(bench_subject *s, const bench_settings *settings, vxe_error *error)
{
    if (settings->quick) return bench_step(s->sim, 50, error);
    s->cycles += 1.0;
    return bench_run_cycles(s->sim, s->cycles, error);
}

static vxe_result measure_scheme(int number, const bench_settings *settings, scheme_result *r,
                                 vxe_error *error)
{
    bench_case which;
    bench_subject s = {0};
    vxe_result result = bench_find_case("clapper", &which, error);
    which.has_collisions = true;
    which.collisions = schemes[number].scheme;
    if (result == VXE_OK) result = bench_prepare(&which, settings, &s, error);
    if (result == VXE_OK) result = run_cycle(&s, settings, error);
    if (result == VXE_OK) {
        const int64_t step = s.sim->step;
        const int64_t tests = s.sim->collider->tests;
        const int64_t rebuilds = s.sim->collider->rebuilds;
        *r = (scheme_result){.voxels = vxe_model_get(s.model)->voxel_count, .wall = INFINITY};
        for (int64_t i = 0; i < settings->repeat && result == VXE_OK; i++) {
            bench_progress(settings, "clapper, %s: cycle %d of %d", schemes[number].title, (int)i + 1,
                           (int)settings->repeat);
            const int64_t first = s.sim->step;
            const double begun = cli_clock();
            result = run_cycle(&s, settings, error);
            const double wall = cli_clock() - begun;
            if (wall < r->wall) {
                r->wall = wall;
                r->steps = s.sim->step - first;
            }
        }
        r->rate = (double)r->steps / r->wall;
        r->tests = (double)(s.sim->collider->tests - tests) / (double)(s.sim->step - step);
        r->lists = (double)(s.sim->collider->rebuilds - rebuilds) / (double)settings->repeat;
        r->hash = vxe_sim_hash(s.sim);
    }
    bench_release(&s);
    bench_progress_end();
    return result;
}

static void print_scheme(int number, const scheme_result *results)
{
    const scheme_result *r = &results[number];
    if (number == 0) {
        printf("collision detection on the clapper, %d voxels, fastest of whole cycles\n", (int)r->voxels);
        printf("%-20s %9s %11s %10s %10s %9s\n", "", "steps/s", "pair tests", "lists made", "state",
               "paper,");
        printf("%-20s %9s %11s %10s %10s %9s\n", "", "", "per step", "per cycle", "", "steps/s");
    }
    printf("%-20s %9.1f %11.1f %10.1f %10s ", schemes[number].title, r->rate, r->tests, r->lists,
           r->hash == results[0].hash ? "the same" : "differs");
    if (schemes[number].paper > 0.0) {
        printf("%9.1f\n", schemes[number].paper);
    } else {
        printf("%9s\n", "-");
    }
    (void)fflush(stdout);
}

static double paper_ratio(int over, int under) { return schemes[over].paper / schemes[under].paper; }

static vxe_result tabulate_schemes(const bench_settings *settings, json_t *json, vxe_error *error)
{
    scheme_result r[SCHEMES];
    json_t *list = json_array();
    vxe_result result = VXE_OK;
    for (int i = 0; i < SCHEMES && result == VXE_OK; i++) {
        result = measure_scheme(i, settings, &r[i], error);
        if (result != VXE_OK) break;
        if (json == NULL) print_scheme(i, r);
        (void)json_array_append_new(
            list, json_pack("{s:s, s:o, s:o, s:o, s:b, s:o}", "scheme",
                            vxe_choice_word(vxe_collisions_words, (int)schemes[i].scheme), "steps_per_second",
                            cli_json_number(r[i].rate), "pair_tests_per_step", cli_json_number(r[i].tests),
                            "lists_per_cycle", cli_json_number(r[i].lists), "same_state",
                            (int)(r[i].hash == r[0].hash), "paper_steps_per_second",
                            schemes[i].paper > 0.0 ? cli_json_number(schemes[i].paper) : json_null()));
    }
    if (result == VXE_OK && json != NULL) {
        (void)json_object_set(json, "schemes", list);
        (void)json_object_set_new(
            json, "horizon_over_every",
            json_pack("{s:o, s:o}", "all", cli_json_number(r[ALL_HORIZON].rate / r[ALL_EVERY].rate),
                      "surface", cli_json_number(r[SURFACE_HORIZON].rate / r[SURFACE_EVERY].rate)));
        (void)json_object_set_new(json, "grid_over_surface_horizon",
                                  cli_json_number(r[GRID].rate / r[SURFACE_HORIZON].rate));
    } else if (result == VXE_OK) {
        printf("horizon over every step: all %.2f, surface %.2f (paper %.2f, %.2f); grid over surface, "
               "horizon: %.3f\n",
               r[ALL_HORIZON].rate / r[ALL_EVERY].rate, r[SURFACE_HORIZON].rate / r[SURFACE_EVERY].rate,
               paper_ratio(ALL_HORIZON, ALL_EVERY), paper_ratio(SURFACE_HORIZON, SURFACE_EVERY),
               r[GRID].rate / r[SURFACE_HORIZON].rate);
    }
    json_decref(list);
    return result;
}

/* --- cost against size --- */

typedef struct growth_result {
    int32_t voxels, bodies;
    int64_t pairs;  /* in contact */
    double with;    /* s per voxel and step, with collisions */
    double without; /* the same, with the stages of collisions left out */
    double list;    /* s per voxel to make the list once */
    double lists;   /* made per step, settling included */
} growth_result;

/* Seconds of making the list once: the fastest of three. */
static vxe_result time_list(bench_subject *s, double *seconds, vxe_error *error)
{
    vxe_result result = VXE_OK;
    *seconds = INFINITY;
    for (int i = 0; i < 3 && result == VXE_OK; i++) {
        stage_clock clock = {.count = 0};
        s->sim->collider->stale = 1;
        s->sim->clock = &clock;
        result = bench_step(s->sim, 1, error);
        s->sim->clock = NULL;
        for (int32_t j = 0; j < clock.count; j++) {
            if (strcmp(clock.name[j], "collide") == 0) *seconds = fmin(*seconds, clock.seconds[j]);
        }
    }
    return result;
}

static vxe_result measure_growth(int64_t size, const bench_settings *settings, growth_result *r,
                                 vxe_error *error)
{
    bench_case which;
    bench_subject s = {0};
    bench_timing with;
    bench_timing without;
    char name[VXE_NAME_SIZE];
    double list = 0.0;
    (void)snprintf(name, sizeof name, "pile%" PRId64, size);
    vxe_result result = bench_find_case(name, &which, error);
    if (result == VXE_OK) result = bench_prepare(&which, settings, &s, error);
    if (result == VXE_OK) result = bench_time(&s, settings, &with, error);
    if (result == VXE_OK) {
        const vxe_model_view *view = vxe_model_get(s.model);
        *r = (growth_result){.voxels = view->voxel_count, .bodies = view->body_count};
        r->lists = (double)s.sim->collider->rebuilds / (double)s.sim->step;
        vxe_sim_contacts(s.sim, NULL, &r->pairs);
        result = time_list(&s, &list, error);
    }
    if (result == VXE_OK) {
        /* The same heap, from where it lies, with collisions taken away: it begins to fall into itself, but
         * not far. */
        collider *kept = s.sim->collider;
        s.sim->collider = NULL;
        result = bench_time(&s, settings, &without, error);
        s.sim->collider = kept;
    }
    if (result == VXE_OK) {
        r->with = with.wall / (double)with.steps / r->voxels;
        r->without = without.wall / (double)without.steps / r->voxels;
        r->list = list / r->voxels;
    }
    bench_release(&s);
    bench_progress_end();
    return result;
}

static void print_growth(const growth_result *r, bool first)
{
    if (first) {
        printf("\ncost of collisions against size: heaps of separate blocks, grid\n");
        printf("%9s %9s %10s %22s %7s %12s %11s\n", "", "", "pairs in", "ns per voxel and step", "",
               "list made,", "lists per");
        printf("%9s %9s %10s %10s %11s %7s %12s %11s\n", "voxels", "bodies", "contact", "with", "without",
               "ratio", "ns per voxel", "1000 steps");
    }
    printf("%9d %9d %10" PRId64 " %10.1f %11.1f %7.3f %12.1f %11.2f\n", (int)r->voxels, (int)r->bodies,
           r->pairs, 1e9 * r->with, 1e9 * r->without, r->with / r->without, 1e9 * r->list, 1e3 * r->lists);
    (void)fflush(stdout);
}

static vxe_result tabulate_growth(const bench_settings *settings, json_t *json, vxe_error *error)
{
    static const int64_t sizes[] = {1000, 10000, 100000, 1000000};
    const int count = settings->quick ? 1 : settings->large ? 4 : 3;
    growth_result r[4];
    json_t *list = json_array();
    vxe_result result = VXE_OK;
    for (int i = 0; i < count && result == VXE_OK; i++) {
        result = measure_growth(sizes[i], settings, &r[i], error);
        if (result != VXE_OK) break;
        if (json == NULL) print_growth(&r[i], i == 0);
        (void)json_array_append_new(
            list,
            json_pack("{s:i, s:i, s:I, s:o, s:o, s:o, s:o}", "voxels", (int)r[i].voxels, "bodies",
                      (int)r[i].bodies, "pair_contacts", (json_int_t)r[i].pairs, "seconds_per_voxel_step",
                      cli_json_number(r[i].with), "seconds_per_voxel_step_off", cli_json_number(r[i].without),
                      "list_seconds_per_voxel", cli_json_number(r[i].list), "lists_per_step",
                      cli_json_number(r[i].lists)));
    }
    if (result == VXE_OK && json != NULL) {
        (void)json_object_set(json, "growth", list);
    } else if (result == VXE_OK && count == 4) {
        printf("time per voxel with collisions, 10^6 over 10^5 voxels: %.3f\n", r[3].with / r[2].with);
    }
    json_decref(list);
    return result;
}

vxe_result bench_collisions(const bench_settings *settings, json_t *json, vxe_error *error)
{
    const vxe_result result = tabulate_schemes(settings, json, error);
    return result == VXE_OK ? tabulate_growth(settings, json, error) : result;
}
