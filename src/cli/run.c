/* One run: compile, resume, step (voxelastic/run.h), record, report. */
#include "cli/run.h"
#include "cli/frames.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/report_page.h"

#include <math.h>
#include <stdlib.h>

/* Rows that a trace gets when nobody says how many, and steps between them when the end is not known. */
enum {
    DEFAULT_ROWS = 1000,
    ROW_STEPS = 25,    /* between rows that nobody asked for: a row takes as long as a step or two */
    FEWEST_ROWS = 200, /* which need not be so far apart */
    DEFAULT_LOOKS = 200,
    LOOK_STEPS = 100,
    DEFAULT_ROW_STEPS = 100,
    DEFAULT_FRAMES = 50,
    DEFAULT_FRAME_STEPS = 2000
};
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
    vxe_figures *figures;
    vxe_replay *replay;      /* NULL: none */
    double row_every;        /* s */
    double checkpoint_every; /* s; 0: only at the end */
    run_output output;
    run_frames frames;
    run_report report;
    report_page page;
    progress bar;
} run;

/* Part of the stable time step. The original steps are shorter still; gaits that hang on details come out the
 * same from here down. */
#define ORIGINAL_FRACTION 0.7

vxe_result cli_scene_as_original(vxe_scene *scene, vxe_sim_def *def, vxe_error *error)
{
    const vxe_dialect dialect = vxe_scene_experiment(scene).dialect;
    if (dialect != VXE_DIALECT_EVOSORO && dialect != VXE_DIALECT_VOXCRAFT) return VXE_OK;
    if (def->dt_fraction > ORIGINAL_FRACTION) def->dt_fraction = ORIGINAL_FRACTION;
    vxe_environment environment = vxe_scene_environment(scene);
    environment.links_unbalanced = dialect == VXE_DIALECT_EVOSORO;
    return vxe_scene_set_environment(scene, &environment, error);
}

/* Applies the options that change the scene, and finds out when to stop. */
static vxe_result edit_scene(run *r, vxe_error *error)
{
    const run_options *o = r->options;
    if (o->has_collisions) {
        vxe_environment environment = vxe_scene_environment(r->scene);
        environment.collisions = o->collisions;
        const vxe_result result = vxe_scene_set_environment(r->scene, &environment, error);
        if (result != VXE_OK) return result;
    }
    r->stop = vxe_scene_stop(r->scene);
    if (o->time > 0.0 || o->steps > 0) r->stop = (vxe_stop){.time = o->time, .steps = o->steps};
    const vxe_result stops = cli_check_stop(&r->stop, r->report.label, error);
    if (stops != VXE_OK) return stops;
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
    const double length = vxe_run_length(r->sim, &r->stop, signal != NULL ? signal->period : 0.0);
    return isfinite(length) ? length / parts : steps * vxe_sim_time_step(r->sim).dt;
}

/* Seconds between rows: as asked, as the scene says, or so that there are about DEFAULT_ROWS, if the run has
 * steps for them. */
static double choose_every(const run *r)
{
    const vxe_output_def *output = vxe_scene_output(r->scene);
    if (r->options->every > 0.0) return r->options->every;
    if (output != NULL && output->every > 0.0) return output->every;
    const double apart =
        fmin(ROW_STEPS * vxe_sim_time_step(r->sim).dt, part_of_run(r, FEWEST_ROWS, DEFAULT_ROW_STEPS));
    return fmax(part_of_run(r, DEFAULT_ROWS, DEFAULT_ROW_STEPS), apart);
}

/* Seconds between looks at the figures: about a hundredth of the run, and when a row is written anyway. */
static double choose_look(const run *r)
{
    const double every =
        fmax(part_of_run(r, DEFAULT_LOOKS, DEFAULT_ROW_STEPS), LOOK_STEPS * vxe_sim_time_step(r->sim).dt);
    return r->output.stream == NULL ? every : r->row_every * fmax(round(every / r->row_every), 1.0);
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
    vxe_sim_def def = o->sim;
    if (edit_scene(r, error) != VXE_OK ||
        (o->original && cli_scene_as_original(r->scene, &def, error) != VXE_OK) ||
        cli_compile(r->report.label, r->scene, &r->model, error) != VXE_OK ||
        vxe_sim_create(r->model, &def, &r->sim, error) != VXE_OK ||
        cli_make_trace(r->sim, r->scene, o->trace, &r->trace, error) != VXE_OK)
        return error->code;
    if (o->folder == NULL && (o->trace != NULL || o->every > 0.0))
        return vxe_fail(error, VXE_ERROR_INPUT, "%s needs -o DIR, the folder for trace.csv",
                        o->trace != NULL ? "--trace" : "--every");
    if (o->frames == 0 && o->frames_every > 0.0)
        return vxe_fail(error, VXE_ERROR_INPUT, "--write-every needs --write KINDS");
    if (o->frames != 0 && o->folder == NULL)
        return vxe_fail(error, VXE_ERROR_INPUT, "--write needs -o DIR, the folder for the files");
    if (o->folder == NULL && o->checkpoint == NULL && o->checkpoint_every > 0.0)
        return vxe_fail(error, VXE_ERROR_INPUT, "--checkpoint-every needs -o DIR or --checkpoint FILE");
    const vxe_output_def *output = vxe_scene_output(r->scene);
    r->row_every = choose_every(r);
    r->checkpoint_every = o->checkpoint_every > 0.0 ? o->checkpoint_every
                          : output != NULL          ? output->checkpoint_every
                                                    : 0.0;
    vxe_sim_center_of_mass(r->sim, r->report.center_start);
    const bool resumed = o->resume != NULL;
    if ((resumed && vxe_sim_load_file(r->sim, o->resume, error) != VXE_OK) ||
        cli_output_open(&r->output, r->trace, r->sim, resumed, error) != VXE_OK ||
        plan_experiment(r, error) != VXE_OK)
        return error->code;
    const double every =
        o->frames_every > 0.0 ? o->frames_every : part_of_run(r, DEFAULT_FRAMES, DEFAULT_FRAME_STEPS);
    vxe_result result =
        cli_frames_open(&r->frames, o->frames, every, r->output.folder, r->scene, r->sim, resumed, error);
    if (result == VXE_OK) result = vxe_figures_create(r->sim, choose_look(r), &r->figures, error);
    if (result != VXE_OK) return result;
    r->report.figures = r->figures;
    r->report.sim = r->sim;
    r->report.first_time = vxe_sim_time(r->sim);
    r->report.first_step = vxe_sim_state(r->sim)->step;
    if (r->output.path[OUTPUT_REPLAY] != NULL && !o->no_replay && vxe_replay_available()) {
        result = vxe_replay_create(r->sim, r->scene, r->trace, &r->stop, &r->replay, error);
    }
    if (result == VXE_OK && r->output.path[OUTPUT_REPORT] != NULL &&
        (o->report || !(o->no_report || o->quiet || o->json))) {
        result = cli_page_begin(&r->page, r->sim, r->scene, &def, error);
        if (result == VXE_OK && r->replay != NULL) {
            result = cli_page_thumbnail(r->sim, r->scene, r->replay, error);
        }
    }
    return result;
}

/* ---- what is done on the way ------------------------------------------------------------------------------------ */

static vxe_result look(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    run *r = user;
    const vxe_result result = vxe_observer_look(r->observer, sim, error);
    *next = vxe_observer_next(r->observer);
    return result;
}

static vxe_result write_row(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    run *r = user;
    (void)next;
    return cli_output_row(&r->output, r->trace, sim, error);
}

static vxe_result write_frame(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    run *r = user;
    (void)next;
    return cli_frames_write(&r->frames, sim, error);
}

static vxe_result write_checkpoint(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    run *r = user;
    (void)next;
    return cli_output_state(&r->output, sim, false, error);
}

static vxe_result record_replay(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    run *r = user;
    (void)error;
    vxe_replay_observe(r->replay, sim);
    *next = vxe_replay_next(r->replay);
    return VXE_OK;
}

static vxe_result look_at_figures(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    run *r = user;
    vxe_figures_look(r->figures, sim);
    *next = vxe_figures_next(r->figures);
    (void)error;
    cli_page_look(&r->page, sim, r->figures);
    return VXE_OK;
}

static bool cancelled(void *user)
{
    (void)user;
    return cli_interrupted();
}

static vxe_result show_progress(void *user, vxe_sim *sim, vxe_error *error)
{
    run *r = user;
    cli_progress_update(&r->bar, sim, &r->stop);
    return cli_output_flush(&r->output, error);
}

/* Steps until something ends the run: the reason goes into the report. A result other than VXE_OK is a file
 * problem. */
static vxe_result step_all(run *r, vxe_error *error)
{
    const double time = r->report.first_time;
    const double begun = cli_clock();
    vxe_run *stepping = NULL;
    vxe_result result = vxe_run_create(r->sim, &r->stop, &stepping, error);
    if (result != VXE_OK) return result;
    /* A trace that goes on has its first row. */
    if (r->output.last_time < 0.0) result = cli_output_row(&r->output, r->trace, r->sim, error);
    if (result == VXE_OK && cli_frames_due(&r->frames, time)) {
        result = cli_frames_write(&r->frames, r->sim, error);
    }
    const struct {
        bool wanted;
        double first;
        double every;
        vxe_run_act *act;
    } tasks[] = {
        {r->observer != NULL, vxe_observer_next(r->observer), 0.0, look},
        {r->output.stream != NULL, vxe_run_next(time, r->row_every), r->row_every, write_row},
        {r->options->frames != 0, r->frames.next, r->frames.every, write_frame},
        {r->checkpoint_every > 0.0, vxe_run_next(time, r->checkpoint_every), r->checkpoint_every,
         write_checkpoint},
        {true, vxe_figures_next(r->figures), 0.0, look_at_figures},
        {r->replay != NULL, vxe_replay_next(r->replay), 0.0, record_replay},
    };
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0] && result == VXE_OK; i++) {
        if (tasks[i].wanted) {
            result = vxe_run_add(stepping, tasks[i].first, tasks[i].every, tasks[i].act, r, NULL, error);
        }
    }
    vxe_run_set_cancel(stepping, cancelled, NULL);
    vxe_run_set_progress(stepping, show_progress, r);
    cli_progress_begin(&r->bar, r->sim, r->scene, r->options->quiet);
    vxe_run_outcome outcome = {VXE_RUN_STEPS, false};
    if (result == VXE_OK) result = vxe_run_go(stepping, &outcome, error);
    cli_progress_end(&r->bar);
    vxe_figures_look(r->figures, r->sim);
    r->report.reason = outcome.reason;
    r->report.interrupted = outcome.cancelled;
    r->report.wall = cli_clock() - begun - vxe_replay_seconds(r->replay); /* pictures are not stepping */
    vxe_run_destroy(stepping);
    return result;
}

/* Finishes the experiment and writes its results. */
static vxe_result save_experiment(run *r, vxe_error *error)
{
    vxe_result result = vxe_observer_finish(r->observer, r->sim, error);
    if (result != VXE_OK || r->result_path[0] == '\0') return result;
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
    if (!r->report.interrupted) result = cli_output_row(&r->output, r->trace, r->sim, error);
    if (result == VXE_OK && !r->report.interrupted) result = cli_frames_write(&r->frames, r->sim, error);
    if (result == VXE_OK) result = cli_frames_close(&r->frames, error);
    vxe_error other = {VXE_OK, ""};
    const vxe_result saved = cli_output_state(&r->output, r->sim, r->report.reason == VXE_RUN_FAULT, &other);
    if (result == VXE_OK) result = cli_output_close_trace(&r->output, error);
    if (result == VXE_OK) result = cli_output_events(&r->output, r->sim, error);
    if (result == VXE_OK && !r->report.interrupted) result = save_experiment(r, error);
    if (result == VXE_OK && saved != VXE_OK) result = vxe_fail(error, saved, "%s", other.message);
    /* They come last: they hold the summary, which lists them. */
    r->output.written[OUTPUT_REPLAY] = r->replay != NULL;
    r->output.written[OUTPUT_REPORT] = r->page.start != NULL;
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
        char *text = json_dumps(summary, JSON_COMPACT | JSON_REAL_PRECISION(15));
        result = vxe_replay_write(r->replay, r->sim, text, r->output.path[OUTPUT_REPLAY], error);
        free(text);
    }
    if (result == VXE_OK && r->page.start != NULL) {
        result = cli_page_write(&r->page, report, summary, r->output.path[OUTPUT_TRACE], r->replay != NULL,
                                r->output.path[OUTPUT_REPORT], error);
    }
    if (failed) cli_complain("%s: the simulation failed: %s", report->label, vxe_sim_status(r->sim)->message);
    if (result != VXE_OK) {
        cli_complain("%s", error->message);
        status = failed ? CLI_DIVERGED : cli_exit_status(result);
    }
    if (report->interrupted && !r->options->quiet) {
        if (r->output.written[OUTPUT_CHECKPOINT]) {
            cli_complain("interrupted; go on with --resume %s", r->output.path[OUTPUT_CHECKPOINT]);
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
    if (result == VXE_OK) result = prepare(&r, &error);
    if (result != VXE_OK) {
        status = cli_fail(label, options->json, &error);
        if (kept != NULL) kept->failure = error;
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
    cli_page_destroy(&r.page);
    vxe_figures_destroy(r.figures);
    vxe_replay_destroy(r.replay);
    cli_output_destroy(&r.output);
    return status;
}
