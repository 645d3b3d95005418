/* One run: compile, resume, step in pieces, record, report.
 *
 * The simulation is stepped in pieces that end where a row of the trace or a checkpoint is due, and that are
 * short enough for Ctrl-C and the progress bar. A piece never shortens a step (only the scene's own stop
 * condition does, and it is given to every piece), so what is recorded, and when, does not change the motion.
 */
#include "cli/run.h"
#include "cli/frames.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "studio/replay.h"

#include <math.h>
#include <string.h>

/* Rows that a trace gets when nobody says how many, and steps between them when the end is not known. */
enum { DEFAULT_ROWS = 1000, DEFAULT_ROW_STEPS = 100, DEFAULT_FRAMES = 50, DEFAULT_FRAME_STEPS = 2000 };
enum { PATH_ROOM = 4096 }; /* longer ones no system takes */

typedef struct run {
    const run_options *options;
    vxe_scene *scene;
    vxe_model *model;
    vxe_sim *sim;
    vxe_trace *trace;
    vxe_observer *observer;
    const char *history;         /* file; NULL: the folder's own */
    char result_path[PATH_ROOM]; /* results of an experiment; empty: none */
    char history_path[PATH_ROOM];
    vxe_stop stop;
    replay *replay;          /* NULL: none */
    double row_every;        /* s */
    double checkpoint_every; /* s; 0: only at the end */
    run_output output;
    run_frames frames;
    run_report report;
} run;

int cli_report_error(const run_options *options, const char *label, const vxe_error *error)
{
    cli_complain("%s", error->message);
    if (options->json) {
        (void)cli_print_json_error(label, error);
    }
    return cli_exit_status(error->code);
}

/* Applies the options that change the scene, and finds out when to stop. */
static vxe_result edit_scene(run *r, vxe_error *error)
{
    const run_options *o = r->options;
    if (o->has_collisions) {
        vxe_environment environment = vxe_scene_environment(r->scene);
        environment.collisions = o->collisions;
        const vxe_result result = vxe_scene_set_environment(r->scene, &environment, error);
        if (result != VXE_OK) {
            return result;
        }
    }
    r->stop = vxe_scene_stop(r->scene);
    if (o->time > 0.0 || o->steps > 0) {
        r->stop = (vxe_stop){.time = o->time, .steps = o->steps};
    }
    const vxe_result stops = cli_check_stop(&r->stop, r->report.label, error);
    if (stops != VXE_OK) {
        return stops;
    }
    if (r->stop.energy_change > 0.0 && !o->sim.audit) {
        return vxe_fail(
            error, VXE_ERROR_INPUT,
            "%s: the scene stops when its energy stays what it is, which needs the energy account; "
            "leave out --no-audit",
            r->report.label);
    }
    return VXE_OK;
}

/* A part of the run, s, or, where its end is not known, some steps. */
static double part_of_run(const run *r, int parts, int steps)
{
    const vxe_signal_def *signal = vxe_scene_signal(r->scene, 0);
    const double dt = vxe_sim_time_step(r->sim).dt;
    double length = INFINITY;
    if (r->stop.time > 0.0) {
        length = r->stop.time;
    }
    if (r->stop.steps > 0) {
        length = fmin(length, (double)r->stop.steps * dt);
    }
    if (r->stop.cycles > 0.0 && signal != NULL && signal->period > 0.0) {
        length = fmin(length, r->stop.cycles * signal->period);
    }
    return isfinite(length) ? length / parts : steps * dt;
}

/* Seconds between rows: as asked, as the scene says, or so that there are about DEFAULT_ROWS. */
static double choose_every(const run *r)
{
    const vxe_output_def *output = vxe_scene_output(r->scene);
    if (r->options->every > 0.0) {
        return r->options->every;
    }
    if (output != NULL && output->every > 0.0) {
        return output->every;
    }
    return part_of_run(r, DEFAULT_ROWS, DEFAULT_ROW_STEPS);
}

/* A + B; false: they do not fit. */
static bool join(char path[PATH_ROOM], const char *a, const char *b)
{
    return (size_t)snprintf(path, PATH_ROOM, "%s%s", a, b) < PATH_ROOM;
}

/* Where the results of an experiment go: into the folder, or else the current one, as the scene names them.
 */
static vxe_result plan_experiment(run *r, vxe_error *error)
{
    const vxe_experiment e = vxe_scene_experiment(r->scene);
    const char *folder = r->output.folder != NULL ? r->output.folder : "";
    const bool results = e.result_file[0] != '\0';
    const bool anywhere = r->options->anywhere;
    const char *file = anywhere && e.result_path[0] != '\0' ? e.result_path : e.result_file;
    const bool history = e.history_every > 0.0 && (r->history != NULL || r->output.folder != NULL);
    const bool fits = (!results || join(r->result_path, anywhere ? "" : folder, file)) &&
                      (!history || (r->history != NULL ? join(r->history_path, r->history, "")
                                                       : join(r->history_path, folder, "run.history")));
    if (!fits) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: the path of a file of results is too long", folder);
    }
    if (results && !anywhere && e.result_path[0] != '\0') {
        cli_complain("%s: wants its results at \"%s\"; they go to %s (--outputs-anywhere puts them there)",
                     r->report.label, e.result_path, r->result_path);
    }
    return vxe_observer_create(r->scene, r->sim, history ? r->history_path : NULL, &r->observer, error);
}

/* Everything up to the first step. */
static vxe_result prepare(run *r, vxe_error *error)
{
    const run_options *o = r->options;
    vxe_result result = edit_scene(r, error);
    if (result == VXE_OK) {
        result = vxe_compile(r->scene, &r->model, error);
    }
    if (result == VXE_OK) {
        result = vxe_sim_create(r->model, &o->sim, &r->sim, error);
    }
    if (result == VXE_OK) {
        result = cli_make_trace(r->sim, r->scene, o->trace, &r->trace, error);
    }
    if (result == VXE_OK && o->folder == NULL && (o->trace != NULL || o->every > 0.0)) {
        result = vxe_fail(error, VXE_ERROR_INPUT, "%s needs -o DIR, the folder for trace.csv",
                          o->trace != NULL ? "--trace" : "--every");
    }
    if (result == VXE_OK && (o->folder == NULL || o->frames == 0) &&
        (o->frames != 0 || o->frames_every > 0.0)) {
        result = o->frames == 0
                     ? vxe_fail(error, VXE_ERROR_INPUT, "--write-every needs --write KINDS")
                     : vxe_fail(error, VXE_ERROR_INPUT, "--write needs -o DIR, the folder for the files");
    }
    if (result == VXE_OK && o->folder == NULL && o->checkpoint == NULL && o->checkpoint_every > 0.0) {
        result = vxe_fail(error, VXE_ERROR_INPUT, "--checkpoint-every needs -o DIR or --checkpoint FILE");
    }
    if (result != VXE_OK) {
        return result;
    }
    const vxe_output_def *output = vxe_scene_output(r->scene);
    r->row_every = choose_every(r);
    r->checkpoint_every = o->checkpoint_every > 0.0 ? o->checkpoint_every
                          : output != NULL          ? output->checkpoint_every
                                                    : 0.0;
    vxe_sim_center_of_mass(r->sim, r->report.center_start);
    if (o->resume != NULL) {
        result = vxe_sim_load_file(r->sim, o->resume, error);
    }
    if (result == VXE_OK) {
        result = cli_output_open(&r->output, r->trace, r->sim, o->resume != NULL, error);
    }
    if (result == VXE_OK) {
        result = plan_experiment(r, error);
    }
    if (result == VXE_OK) {
        const double every =
            o->frames_every > 0.0 ? o->frames_every : part_of_run(r, DEFAULT_FRAMES, DEFAULT_FRAME_STEPS);
        result = cli_frames_open(&r->frames, o->frames, every, r->output.folder, r->scene, r->sim,
                                 o->resume != NULL, error);
    }
    r->report.sim = r->sim;
    r->report.first_time = vxe_sim_time(r->sim);
    r->report.first_step = vxe_sim_state(r->sim)->step;
    if (result == VXE_OK && r->output.replay != NULL && !o->no_replay) {
        result = replay_create(r->sim, r->scene, r->trace, &r->stop, &r->replay, error);
    }
    return result;
}

/* The first multiple of `every` after `time`. A billionth of slack, so that 3 * 0.1 counts as 0.3. */
static double next_multiple(double time, double every)
{
    return every > 0.0 ? every * (floor(time / every + 1e-9) + 1.0) : INFINITY;
}

static bool is_due(double time, double next, double every) { return time >= next - 1e-9 * every; }

/* How many steps may be done at once without passing `next`. Half of what the time step promises, because it
 * may grow on the way; the last ones are done one by one. */
static int64_t steps_before(const vxe_sim *sim, double next, int64_t limit)
{
    const double steps = 0.5 * (next - vxe_sim_time(sim)) / vxe_sim_time_step(sim).dt;
    if (!(steps > 1.0)) {
        return 1;
    }
    return steps < (double)limit ? (int64_t)steps : limit;
}

/* Steps until something ends the run: the reason goes into the report. A result other than VXE_OK is a file
 * problem. */
static vxe_result step_all(run *r, vxe_error *error)
{
    double next_row = next_multiple(r->report.first_time, r->row_every);
    double next_checkpoint = next_multiple(r->report.first_time, r->checkpoint_every);
    const double begun = cli_clock();
    double wall = begun;
    int64_t limit = 1; /* steps per piece: doubled and halved so that a piece takes some 50 ms */
    progress bar;
    /* A trace that goes on has its first row. */
    vxe_result result =
        r->output.last_time < 0.0 ? cli_output_row(&r->output, r->trace, r->sim, error) : VXE_OK;
    if (result == VXE_OK && cli_frames_due(&r->frames, r->report.first_time)) {
        result = cli_frames_write(&r->frames, r->sim, error);
    }
    cli_progress_begin(&bar, r->sim, r->scene, r->options->quiet);
    while (result == VXE_OK) {
        if (cli_interrupted()) {
            r->report.interrupted = true;
            break;
        }
        const bool records = r->output.stream != NULL;
        double next = fmin(records ? next_row : INFINITY, next_checkpoint);
        next = fmin(next, vxe_observer_next(r->observer));
        next = fmin(next, r->options->frames != 0 ? r->frames.next : INFINITY);
        next = fmin(next, replay_next(r->replay));
        const int64_t steps = steps_before(r->sim, next, limit);
        r->report.reason = vxe_sim_run(r->sim, &r->stop, steps);
        const double now = cli_clock();
        if (now - wall > 0.08 && limit > 1) {
            limit /= 2;
        } else if (now - wall < 0.03 && steps == limit && limit < INT64_C(1) << 40) {
            limit *= 2;
        }
        wall = now;
        if (r->report.reason != VXE_RUN_STEPS) {
            break;
        }
        const double time = vxe_sim_time(r->sim);
        if (time >= vxe_observer_next(r->observer)) {
            result = vxe_observer_look(r->observer, r->sim, error);
        }
        if (result == VXE_OK && records && is_due(time, next_row, r->row_every)) {
            result = cli_output_row(&r->output, r->trace, r->sim, error);
            next_row = next_multiple(time, r->row_every);
        }
        if (result == VXE_OK && cli_frames_due(&r->frames, time)) {
            result = cli_frames_write(&r->frames, r->sim, error);
        }
        if (result == VXE_OK && is_due(time, next_checkpoint, r->checkpoint_every)) {
            result = cli_output_checkpoint(&r->output, r->sim, error);
            next_checkpoint = next_multiple(time, r->checkpoint_every);
        }
        if (result == VXE_OK) {
            result = cli_output_flush(&r->output, error);
        }
        cli_progress_update(&bar, r->sim, &r->stop);
        wall += replay_observe(r->replay, r->sim);
    }
    cli_progress_end(&bar);
    r->report.wall = cli_clock() - begun - replay_spent(r->replay); /* pictures are not stepping */
    return result;
}

/* Finishes the experiment and writes its results. */
static vxe_result save_experiment(run *r, vxe_error *error)
{
    vxe_result result = vxe_observer_finish(r->observer, r->sim, error);
    if (result != VXE_OK || r->result_path[0] == '\0') {
        return result;
    }
    if (!r->options->anywhere) {
        result = cli_make_folder_of(r->result_path, error); /* the scene may name a folder in the folder */
    }
    vxe_remove_leftovers(r->result_path);
    return result == VXE_OK ? vxe_observer_save_evosoro(r->observer, r->result_path, error) : result;
}

/* Writes the last row, the checkpoint and the summary. An interrupted run gets no row (and no frame) of its
 * own, so that the trace of a run that was resumed has the same rows as one that was not interrupted. */
static vxe_result save_all(run *r, vxe_error *error)
{
    vxe_result result = VXE_OK;
    if (!r->report.interrupted) {
        result = cli_output_row(&r->output, r->trace, r->sim, error);
    }
    if (result == VXE_OK && !r->report.interrupted) {
        result = cli_frames_write(&r->frames, r->sim, error);
    }
    if (result == VXE_OK) {
        result = cli_frames_close(&r->frames, error);
    }
    vxe_error other = {VXE_OK, ""};
    const vxe_result saved = r->report.reason == VXE_RUN_FAULT
                                 ? cli_output_failed(&r->output, r->sim, &other)
                                 : cli_output_checkpoint(&r->output, r->sim, &other);
    if (result == VXE_OK) {
        result = cli_output_close_trace(&r->output, error);
    }
    if (result == VXE_OK) {
        result = cli_output_events(&r->output, r->sim, error);
    }
    if (result == VXE_OK && !r->report.interrupted) {
        result = save_experiment(r, error);
    }
    if (result == VXE_OK && saved != VXE_OK) {
        result = vxe_fail(error, saved, "%s", other.message);
    }
    r->output.saved_replay = r->replay != NULL; /* it comes last: it holds the summary, which lists it */
    r->report.outputs = cli_output_list(&r->output);
    cli_frames_list(&r->frames, &r->report.outputs);
    output_list *list = &r->report.outputs;
    const int room = (int)(sizeof list->paths / sizeof list->paths[0]);
    if (result == VXE_OK && !r->report.interrupted && r->result_path[0] != '\0' && list->count < room) {
        list->paths[list->count++] = r->result_path;
    }
    if (result == VXE_OK && !r->report.interrupted && r->history_path[0] != '\0' && list->count < room) {
        list->paths[list->count++] = r->history_path;
    }
    r->report.observer = r->observer;
    return result;
}

/* Tells the outcome and returns the exit status. */
static int report_outcome(run *r, vxe_result result, vxe_error *error)
{
    const run_report *report = &r->report;
    const bool failed = report->reason == VXE_RUN_FAULT;
    int status = failed ? CLI_DIVERGED : report->interrupted ? CLI_INTERRUPTED : CLI_DONE;
    json_t *summary = cli_summary(report);
    if (result == VXE_OK) {
        result = summary == NULL
                     ? vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the summary")
                     : cli_output_summary(&r->output, summary, error);
    }
    if (result == VXE_OK && r->replay != NULL) {
        result = replay_write(r->replay, r->sim, summary, r->output.replay, error);
    }
    if (failed) {
        cli_complain("%s: the simulation failed: %s", report->label, vxe_sim_status(r->sim)->message);
    }
    if (result != VXE_OK) {
        cli_complain("%s", error->message);
        status = failed ? CLI_DIVERGED : cli_exit_status(result);
    }
    if (report->interrupted && !r->options->quiet) {
        if (r->output.saved) {
            cli_complain("interrupted; go on with --resume %s", r->output.checkpoint);
        } else {
            cli_complain("interrupted; nothing is kept without -o DIR or --checkpoint FILE");
        }
    }
    if (r->options->json) {
        const int printed = cli_print_json(summary);
        status = status == CLI_DONE ? printed : status;
    } else {
        json_decref(summary);
        if (!r->options->quiet) {
            cli_print_table(report);
            status = cli_finish_output(status);
        }
    }
    return status;
}

int cli_run_scene(const run_options *options, vxe_scene *scene, const char *label)
{
    return cli_run_and_keep(options, scene, label, NULL);
}

void cli_drop_run(run_kept *kept)
{
    vxe_observer_destroy(kept->observer);
    vxe_model_destroy(kept->model);
    kept->observer = NULL;
    kept->model = NULL;
}

int cli_run_and_keep(const run_options *options, vxe_scene *scene, const char *label, run_kept *kept)
{
    vxe_error error = {VXE_OK, ""};
    run r = {.options = options, .scene = scene, .history = kept == NULL ? NULL : kept->history};
    r.report.label = label;
    r.report.notes = kept == NULL ? NULL : kept->notes;
    r.report.scene = scene;
    r.report.resumed = options->resume;
    int status = CLI_DONE;
    vxe_result result = cli_output_plan(&r.output, options->folder, options->checkpoint, &error);
    if (result == VXE_OK) {
        result = prepare(&r, &error);
    }
    if (result != VXE_OK) {
        status = cli_report_error(options, label, &error);
        if (kept != NULL) {
            kept->failure = error;
        }
    } else {
        cli_catch_interrupts();
        result = step_all(&r, &error);
        vxe_error last = {VXE_OK, ""};
        const vxe_result saved = save_all(&r, &last);
        if (result == VXE_OK) {
            result = saved;
            error = last;
        }
        status = report_outcome(&r, result, &error);
    }
    vxe_trace_destroy(r.trace);
    cli_frames_destroy(&r.frames);
    vxe_sim_destroy(r.sim);
    if (kept != NULL) {
        kept->observer = r.observer;
        kept->model = r.model;
    } else {
        vxe_observer_destroy(r.observer);
        vxe_model_destroy(r.model);
    }
    replay_destroy(r.replay);
    cli_output_destroy(&r.output);
    return status;
}
