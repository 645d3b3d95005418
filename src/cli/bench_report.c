/* What bench tells: tables for people, JSON for programs, comparison with an earlier run. */
#include "cli/bench.h"
#include "cli/options.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void bench_progress(const bench_settings *settings, const char *format, ...)
{
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (!terminal && !settings->large) return;
    va_list arguments;
    va_start(arguments, format);
    (void)fputs(terminal ? "\r\033[K" : "", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputs(terminal ? "" : "\n", stderr);
    va_end(arguments);
    (void)fflush(stderr);
}

void bench_progress_end(void)
{
    if (isatty(STDERR_FILENO) != 0) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
}

/* --- what is compared with what the machine can do --- */

static double flops_fraction(const bench_result *r, const bench_machine *machine)
{
    const double peak =
        r->sim.precision == VXE_PRECISION_SINGLE ? machine->single_flops : machine->double_flops;
    return peak > 0.0 ? bench_flops_per_step(r) * (double)r->timing.steps / r->timing.wall / peak : NAN;
}

/* Where the state of a body lives while it is stepped: the smallest memory that holds it. */
static const char *memory_level(const bench_result *r, const bench_machine *machine, double *rate)
{
    const double state = 0.5 * bench_bytes_per_step(r);
    if (machine->l2_read > 0.0 && state <= (double)machine->l2) {
        *rate = machine->l2_read;
        return "L2";
    }
    /* of a cache that many cores share, a core's part is not known: 32 MB is a usual one */
    if (machine->l3_read > 0.0 && state <= fmin((double)machine->l3, 32e6)) {
        *rate = machine->l3_read;
        return "L3";
    }
    *rate = machine->dram_read;
    return "DRAM";
}

static double memory_fraction(const bench_result *r, const bench_machine *machine, const char **level)
{
    double rate = 0.0;
    *level = memory_level(r, machine, &rate);
    return rate > 0.0 ? bench_bytes_per_step(r) * (double)r->timing.steps / r->timing.wall / rate : NAN;
}

static double bytes_per_voxel(const bench_result *r)
{
    return (double)(r->model_bytes + r->sim_bytes) / (double)r->voxels;
}

/* --- tables --- */

void bench_print_machine(const bench_machine *machine, const bench_settings *settings)
{
    printf("voxelastic %s, %s precision, %d thread%s, energy account %s\n", vxe_version(),
           vxe_choice_word(vxe_precisions, (int)settings->sim.precision), (int)settings->sim.threads,
           settings->sim.threads == 1 ? "" : "s", settings->sim.audit ? "on" : "off");
    printf("%s, %d core%s, load %.2f\n", machine->cpu, machine->cores, machine->cores == 1 ? "" : "s",
           fmax(machine->load, 0.0));
    printf("one core: %.1f GF/s double, %.1f GF/s single (%s); reads L2 %.0f, L3 %.0f, DRAM %.0f GB/s\n",
           1e-9 * machine->double_flops, 1e-9 * machine->single_flops, machine->isa, 1e-9 * machine->l2_read,
           1e-9 * machine->l3_read, 1e-9 * machine->dram_read);
    if (machine->threads > 1) {
        printf("%d threads: %.2f times the arithmetic of one\n", machine->threads, machine->scaling);
    }
#ifndef __OPTIMIZE__
    printf("This program was built without optimization: the figures mean nothing.\n");
#endif
    printf("\n");
    (void)fflush(stdout);
}

void bench_print_heading(void)
{
    printf("%-17s %8s %13s %11s %9s %9s %15s %7s %12s\n", "", "", "million voxel", "simulated s", "time step",
           "bytes per", "contacts,", "% of", "% of read");
    printf("%-17s %8s %13s %11s %9s %9s %15s %7s %12s  %s\n", "case", "voxels", "steps/s", "per s", "us",
           "voxel", "floor + pairs", "flop/s", "bandwidth", "isa");
}

void bench_print_result(const bench_result *r, const bench_machine *machine)
{
    const char *level = "";
    const double memory = memory_fraction(r, machine, &level);
    char contacts[48];
    (void)snprintf(contacts, sizeof contacts, "%.0f + %.0f", r->floor_contacts, r->pair_contacts);
    printf("%-17s %8d %13.2f %11.4g %9.4g %9.0f %15s %7.1f %7.1f %-4s  %s\n", r->which.name, (int)r->voxels,
           1e-6 * bench_voxel_steps_per_second(r), r->timing.simulated / r->timing.wall, 1e6 * r->dt,
           bytes_per_voxel(r), contacts, 100.0 * flops_fraction(r, machine), 100.0 * memory, level, r->isa);
    (void)fflush(stdout);
}

/* s per voxel and step of a stage, by name; 0 if the case has none of that name. */
static double stage_cost(const bench_result *r, const char *name)
{
    for (int32_t i = 0; i < r->stages.count; i++) {
        if (strcmp(r->stages.name[i], name) == 0) {
            return r->stages.seconds[i] / ((double)r->voxels * (double)r->stage_steps);
        }
    }
    return 0.0;
}

static double all_stages_cost(const bench_result *r)
{
    double total = 0.0;
    for (int32_t i = 0; i < r->stages.count; i++) total += stage_cost(r, r->stages.name[i]);
    return total;
}

/* Whether a stage takes one per cent of the time of some case. */
static bool stage_matters(const bench_result *results, size_t count, const char *name)
{
    for (size_t c = 0; c < count; c++) {
        if (results[c].stages.count > 0 &&
            stage_cost(&results[c], name) >= 0.01 * all_stages_cost(&results[c])) {
            return true;
        }
    }
    return false;
}

void bench_print_stages(const bench_result *results, size_t count)
{
    const stage_clock *stages = NULL;
    for (size_t c = 0; c < count; c++) {
        if (stages == NULL || results[c].stages.count > stages->count) stages = &results[c].stages;
    }
    if (stages == NULL || stages->count == 0) return;
    const char *names[STAGES_MAX];
    int shown = 0;
    printf("\ntime per stage, ns per voxel and step, with the clock's own\n%-17s", "");
    for (int32_t i = 0; i < stages->count; i++) {
        if (stage_matters(results, count, stages->name[i])) {
            names[shown++] = stages->name[i];
            printf(" %9s", stages->name[i]);
        }
    }
    printf(" %9s\n", "other");
    for (size_t c = 0; c < count; c++) {
        if (results[c].stages.count == 0) { /* a batch */
            continue;
        }
        double other = all_stages_cost(&results[c]);
        printf("%-17s", results[c].which.name);
        for (int i = 0; i < shown; i++) {
            const double cost = stage_cost(&results[c], names[i]);
            other -= cost;
            printf(" %9.2f", 1e9 * cost);
        }
        printf(" %9.2f\n", 1e9 * fmax(other, 0.0));
    }
}

void bench_print_disturbance(const bench_result *results, size_t count)
{
    double least = 1.0;
    for (size_t c = 0; c < count; c++) least = fmin(least, results[c].timing.cpu / results[c].timing.wall);
    if (least < 0.97) {
        printf(
            "\nThe machine was busy: others had the core for up to %.0f %% of the time that was measured.\n",
            100.0 * (1.0 - least));
    }
}

/* --- JSON --- */

json_t *bench_json_machine(const bench_machine *machine)
{
    char date[32] = "";
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) (void)strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return json_pack("{s:o, s:i, s:i, s:o, s:s, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:s, s:b}", "cpu",
                     cli_json_text(machine->cpu), "cores", machine->cores, "threads", machine->threads,
                     "arithmetic_scaling", cli_json_number(machine->scaling), "isa", machine->isa, "load",
                     machine->load < 0.0 ? json_null() : cli_json_number(machine->load), "l2_bytes",
                     (json_int_t)machine->l2, "l3_bytes", (json_int_t)machine->l3, "double_flops",
                     cli_json_number(machine->double_flops), "single_flops",
                     cli_json_number(machine->single_flops), "l2_read", cli_json_number(machine->l2_read),
                     "l3_read", cli_json_number(machine->l3_read), "dram_read",
                     cli_json_number(machine->dram_read), "date", date, "optimized",
#ifdef __OPTIMIZE__
                     1
#else
                     0
#endif
    );
}

static void set(json_t *object, const char *key, json_t *value)
{
    (void)json_object_set_new(object, key, value);
}

json_t *bench_json_result(const bench_result *r, const bench_machine *machine)
{
    const char *level = "";
    const double memory = memory_fraction(r, machine, &level);
    json_t *o = json_object();
    json_t *walls = json_array();
    json_t *stages = json_object();
    for (int32_t i = 0; i < r->timing.repeats; i++) {
        (void)json_array_append_new(walls, cli_json_number(r->timing.walls[i]));
    }
    for (int32_t i = 0; i < r->stages.count; i++) {
        set(stages, r->stages.name[i], cli_json_number(r->stages.seconds[i] / (double)r->stage_steps));
    }
    set(o, "name", cli_json_text(r->which.name));
    set(o, "precision", json_string(vxe_choice_word(vxe_precisions, (int)r->sim.precision)));
    set(o, "threads", json_integer(r->threads));
    set(o, "isa", json_string(r->isa));
    set(o, "audit", json_boolean(r->sim.audit));
    set(o, "elasticity", json_string(r->solid ? "solid" : "beam"));
    set(o, "voxels", json_integer(r->voxels));
    set(o, "links", json_integer(r->links));
    set(o, "voxel_steps_per_second", cli_json_number(bench_voxel_steps_per_second(r)));
    set(o, "simulated_seconds_per_second", cli_json_number(r->timing.simulated / r->timing.wall));
    set(o, "seconds_per_link_and_step", cli_json_number(bench_time_per_link(r)));
    set(o, "dt", cli_json_number(r->dt));
    set(o, "steps", json_integer((json_int_t)r->timing.steps));
    set(o, "wall_seconds", cli_json_number(r->timing.wall));
    set(o, "cpu_seconds", cli_json_number(r->timing.cpu));
    if (r->device_seconds > 0.0) set(o, "device_seconds", cli_json_number(r->device_seconds));
    set(o, "repeats", walls);
    set(o, "model_bytes", json_integer((json_int_t)r->model_bytes));
    set(o, "sim_bytes", json_integer((json_int_t)r->sim_bytes));
    set(o, "bytes_per_voxel", cli_json_number(bytes_per_voxel(r)));
    set(o, "floor_contacts", cli_json_number(r->floor_contacts));
    set(o, "pair_contacts", cli_json_number(r->pair_contacts));
    set(o, "flops_per_step", cli_json_number(bench_flops_per_step(r)));
    set(o, "flops_fraction", cli_json_number(flops_fraction(r, machine)));
    set(o, "bytes_per_step", cli_json_number(bench_bytes_per_step(r)));
    set(o, "bandwidth_fraction", cli_json_number(memory));
    set(o, "bandwidth_of", json_string(level));
    set(o, "stage_seconds_per_step", stages);
    return o;
}

/* --- comparison --- */

vxe_result bench_load_old(const char *path, json_t **old, vxe_error *error)
{
    char *text = NULL;
    size_t size = 0;
    json_error_t problem;
    vxe_result result = vxe_read_file(path, (size_t)64 << 20, &text, &size, error);
    if (result != VXE_OK) return result;
    json_t *loaded = json_loadb(text, size, 0, &problem);
    free(text);
    if (loaded == NULL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s:%d: %s", path, problem.line, problem.text);
    }
    if (!json_is_array(json_object_get(loaded, "cases"))) {
        json_decref(loaded);
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: not a result of \"voxelastic bench --json\": there is no \"cases\"", path);
    }
    *old = loaded;
    return VXE_OK;
}

/* A number of the first case of that name; 0 if there is none. */
static double old_speed(const json_t *old, const char *name, const char *figure)
{
    const json_t *cases = json_object_get(old, "cases");
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *item = json_array_get(cases, i);
        const char *other = json_string_value(json_object_get(item, "name"));
        if (other != NULL && strcmp(other, name) == 0) {
            return json_number_value(json_object_get(item, figure));
        }
    }
    return 0.0;
}

/* One case, then and now. */
typedef struct comparison {
    double old, new;   /* voxel steps per second; old is 0 where there is none */
    double ratio;      /* new/old */
    double simulated;  /* new/old of the simulated seconds per second: what counts where the steps differ */
    double peak_ratio; /* the same with both divided by the double-precision peak of their run */
} comparison;

static comparison compare(const json_t *old, const bench_result *r, const bench_machine *machine)
{
    const double peak = json_number_value(json_object_get(json_object_get(old, "machine"), "double_flops"));
    const double before = old_speed(old, r->which.name, "simulated_seconds_per_second");
    comparison c = {.old = old_speed(old, r->which.name, "voxel_steps_per_second"),
                    .new = bench_voxel_steps_per_second(r)};
    c.ratio = c.old > 0.0 ? c.new / c.old : NAN;
    c.simulated = before > 0.0 ? r->timing.simulated / r->timing.wall / before : NAN;
    c.peak_ratio = peak > 0.0 && machine->double_flops > 0.0 ? c.ratio * peak / machine->double_flops : NAN;
    return c;
}

void bench_print_comparison(const json_t *old, const bench_result *results, size_t count,
                            const bench_machine *machine)
{
    printf("\n%-17s %12s %12s %8s %10s %12s\n", "million voxel", "old", "new", "new/old", "new/old,",
           "new/old, of");
    printf("%-17s %12s %12s %8s %10s %12s\n", "steps/s", "", "", "", "by peak", "simulated s");
    for (size_t i = 0; i < count; i++) {
        const comparison c = compare(old, &results[i], machine);
        if (c.old > 0.0) {
            printf("%-17s %12.2f %12.2f %8.3f %10.3f %12.3f\n", results[i].which.name, 1e-6 * c.old,
                   1e-6 * c.new, c.ratio, c.peak_ratio, c.simulated);
        } else {
            printf("%-17s %12s %12.2f\n", results[i].which.name, "-", 1e-6 * c.new);
        }
    }
}

json_t *bench_json_comparison(const json_t *old, const bench_result *results, size_t count,
                              const bench_machine *machine)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        const comparison c = compare(old, &results[i], machine);
        (void)json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", cli_json_text(results[i].which.name),
                            "old", c.old > 0.0 ? cli_json_number(c.old) : json_null(), "new",
                            cli_json_number(c.new), "ratio", cli_json_number(c.ratio), "ratio_by_peak",
                            cli_json_number(c.peak_ratio), "simulated_ratio", cli_json_number(c.simulated)));
    }
    return list;
}
