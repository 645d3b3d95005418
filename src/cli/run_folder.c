/* Every overlay of a folder: one run each, and a report on all of them in the form of voxcraft. */
#include "cli/output.h"
#include "cli/report.h"
#include "cli/run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One overlay and what became of it. */
typedef struct robot {
    char *path;    /* of the overlay */
    char *folder;  /* of its files, with a slash at the end; NULL: none */
    char *history; /* NULL: none */
    vxe_scene *scene;
    run_kept kept;
    int status;
} robot;

typedef struct crowd {
    const run_options *options;
    char **names;
    int32_t count;
    robot *robots; /* (count) */
    char *report;  /* path; NULL: none */
    char *scratch; /* folder for histories that are printed; NULL: none */
} crowd;

static const char *slash_after(const char *folder)
{
    const size_t length = strlen(folder);
    return length > 0 && folder[length - 1] == '/' ? "" : "/";
}

/* The names of all files. */
static bool plan(crowd *c)
{
    const char *in = c->options->scene;
    const char *out = c->options->folder;
    bool good = true;
    for (int32_t i = 0; i < c->count && good; i++) {
        robot *r = &c->robots[i];
        char *stem = vxe_text("%s", c->names[i]);
        good = stem != NULL;
        if (good) {
            stem[strlen(stem) - 4] = '\0'; /* .vxd */
        }
        char *base = good && out != NULL ? vxe_text("%s%s%s", out, slash_after(out), stem) : NULL;
        r->path = vxe_text("%s%s%s", in, slash_after(in), c->names[i]);
        good = good && r->path != NULL && (out == NULL || base != NULL);
        if (good && out != NULL) {
            r->folder = vxe_text("%s/", base);
            r->history = vxe_text("%s.history", base);
            good = r->folder != NULL && r->history != NULL;
        }
        if (good && c->scratch != NULL) {
            r->history = vxe_text("%s/history", c->scratch);
            good = r->history != NULL;
        }
        free(base);
        free(stem);
    }
    if (good && c->options->report_file != NULL) {
        c->report = vxe_text("%s", c->options->report_file);
        good = c->report != NULL;
    } else if (good && out != NULL) {
        c->report = vxe_text("%s%sreport.vxr", out, slash_after(out));
        good = c->report != NULL;
    }
    return good;
}

/* Copies a history to standard output and removes it. */
static void print_history(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return; /* the scene did not ask for one */
    }
    char bytes[4096];
    for (size_t size = 1; size > 0;) {
        size = fread(bytes, 1, sizeof bytes, stream);
        (void)fwrite(bytes, 1, size, stdout);
    }
    (void)fclose(stream);
    (void)unlink(path);
}

/* One robot: 0 or the first bad exit status. */
static int run_robot(const crowd *c, robot *r)
{
    vxe_error error = {VXE_OK, ""};
    run_options options = *c->options;
    options.scene = r->path;
    options.folder = r->folder;
    options.json = false;
    options.quiet = true;
    r->kept.history = r->history;
    if (cli_load_scene(r->path, options.dialect, &r->scene, NULL, &error) != VXE_OK) {
        cli_complain("%s", error.message);
        r->kept.failure = error;
        return cli_exit_status(error.code);
    }
    const int status = cli_run_and_keep(&options, r->scene, r->path, &r->kept);
    if (c->scratch != NULL) print_history(r->history);
    return status;
}

static vxe_result write_report(const crowd *c, vxe_error *error)
{
    const char **names = calloc((size_t)c->count, sizeof(const char *));
    vxe_observer **observers = calloc((size_t)c->count, sizeof(vxe_observer *));
    const char **failures = calloc((size_t)c->count, sizeof(const char *));
    vxe_result result = VXE_OK;
    if (names == NULL || observers == NULL || failures == NULL) {
        result = vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the report");
    }
    const bool room = names != NULL && observers != NULL && failures != NULL;
    for (int32_t i = 0; i < c->count && room; i++) {
        const robot *r = &c->robots[i];
        const bool counts = r->status == CLI_DONE || r->status == CLI_DIVERGED;
        names[i] = c->names[i];
        observers[i] = counts ? r->kept.observer : NULL;
        failures[i] = r->kept.failure.code != VXE_OK ? r->kept.failure.message : NULL;
    }
    if (result == VXE_OK) result = cli_make_folder_of(c->report, error);
    if (result == VXE_OK) {
        result = vxe_report_save_voxcraft(c->report, c->options->scene, names, observers, failures, c->count,
                                          error);
    }
    free(names);
    free(observers);
    free(failures);
    return result;
}

static void print_table(const crowd *c)
{
    printf("%s: %d overlays\n\n  %-24s %14s %12s %12s\n", c->options->scene, (int)c->count, "overlay",
           "fitness", "time", "way of the centre of mass");
    for (int32_t i = 0; i < c->count; i++) {
        const robot *r = &c->robots[i];
        if (r->kept.observer == NULL) {
            printf("  %-24s %14s\n", c->names[i], "failed");
            continue;
        }
        const vxe_outcome o = vxe_observer_outcome(r->kept.observer);
        double way[3];
        for (int a = 0; a < 3; a++) way[a] = o.end_center[a] - o.start_center[a];
        printf("  %-24s %14.6g %12s %s%s\n", c->names[i], o.fitness, cli_quantity(o.end_time, "s").text,
               cli_vector(way, "m").text, o.failed ? "  the simulation failed" : "");
    }
    if (c->report != NULL) printf("\n  written            %s\n", c->report);
}

static json_t *json_crowd(const crowd *c, int status)
{
    json_t *list = json_array();
    for (int32_t i = 0; i < c->count; i++) {
        const robot *r = &c->robots[i];
        const vxe_outcome o = vxe_observer_outcome(r->kept.observer);
        (void)json_array_append_new(
            list, json_pack("{s:o, s:s, s:o, s:o, s:i, s:i, s:o, s:o, s:o}", "overlay",
                            cli_json_text(c->names[i]), "status", r->status == CLI_DONE ? "done" : "failed",
                            "fitness", cli_json_number(o.fitness), "time", cli_json_number(o.end_time),
                            "voxels", (int)o.voxels, "measured_voxels", (int)o.measured,
                            "center_of_mass_start", cli_json_vector(o.start_center), "center_of_mass_end",
                            cli_json_vector(o.end_center), "distance", cli_json_number(o.distance)));
    }
    return json_pack("{s:o, s:s, s:o, s:o}", "scene", cli_json_text(c->options->scene), "status",
                     status == CLI_DONE ? "done" : "failed", "runs", list, "report",
                     c->report == NULL ? json_null() : cli_json_text(c->report));
}

static void destroy(crowd *c)
{
    for (int32_t i = 0; c->robots != NULL && i < c->count; i++) {
        cli_drop_run(&c->robots[i].kept);
        vxe_scene_destroy(c->robots[i].scene);
        free(c->robots[i].path);
        free(c->robots[i].folder);
        free(c->robots[i].history);
    }
    free(c->robots);
    free(c->report);
    if (c->scratch != NULL) {
        (void)rmdir(c->scratch);
        free(c->scratch);
    }
    vxe_overlay_free(c->names, c->count);
}

/* Everything that is done with a list of overlays. */
static int run_crowd(crowd *c)
{
    vxe_error error = {VXE_OK, ""};
    const run_options *options = c->options;
    c->robots = calloc((size_t)c->count, sizeof(robot));
    if (options->print_history) {
        const char *place = getenv("TMPDIR");
        c->scratch = vxe_text("%s/voxelastic-XXXXXX", place != NULL && place[0] == '/' ? place : "/tmp");
        if (c->scratch != NULL && mkdtemp(c->scratch) == NULL) {
            free(c->scratch);
            c->scratch = NULL;
        }
    }
    if (c->robots == NULL || !plan(c)) {
        (void)vxe_fail(&error, VXE_ERROR_MEMORY, "there is not enough memory for the names of files");
        return cli_fail(options->scene, options->json, &error);
    }
    int status = CLI_DONE;
    for (int32_t i = 0; i < c->count && !cli_interrupted(); i++) {
        c->robots[i].status = run_robot(c, &c->robots[i]);
        if (status == CLI_DONE) status = c->robots[i].status;
    }
    if (c->report != NULL && !cli_interrupted() && write_report(c, &error) != VXE_OK) {
        return cli_fail(options->scene, options->json, &error);
    }
    if (options->json) {
        const int printed = cli_print_json(json_crowd(c, status));
        return status == CLI_DONE ? printed : status;
    }
    if (!options->quiet) {
        print_table(c);
        return cli_finish_output(status);
    }
    return status;
}

int cli_run_folder(const run_options *options)
{
    vxe_error error = {VXE_OK, ""};
    crowd c = {.options = options};
    vxe_result result = vxe_overlay_list(options->scene, &c.names, &c.count, &error);
    if (result == VXE_OK && c.count < 1) {
        result = vxe_fail(&error, VXE_ERROR_INPUT,
                          "%s: there is no overlay (.vxd) in it, so there is nothing to run", options->scene);
    }
    if (result == VXE_OK && (options->resume != NULL || options->checkpoint != NULL)) {
        result = vxe_fail(&error, VXE_ERROR_INPUT,
                          "--resume and --checkpoint are for a single scene, not a folder");
    }
    const int status =
        result == VXE_OK && c.count > 0 ? run_crowd(&c) : cli_fail(options->scene, options->json, &error);
    destroy(&c);
    return status;
}
