/* Commands about the simulation, what is seen of it, and the solvers. */
#include "studio/desk.h"
#include "picture/measure.h"
#include "sim/choices.h"
#include "voxelastic/replay.h"

#include <string.h>

enum { SHOW_ALL_MAX = 200000 };

/* Enters the player; false (and outside) if there is no simulation. */
static bool enter_sim(desk *d, failure *f)
{
    player_enter(d->player);
    if (d->player->sim != NULL) return true;
    player_leave(d->player);
    return fail(f, "none", "there is no simulation");
}

/* Sends what changed, and leaves. */
static json_t *leave_sim(desk *d, json_t *reply)
{
    player_publish(d->player);
    player_leave(d->player);
    return reply;
}

static json_t *sim_reply(desk *d) { return json_pack("{s:o}", "sim", status_json(d->player)); }

/* ---- playing ------------------------------------------------------------------------------------------------------ */

static json_t *sim_new(desk *d, const command *c, failure *f)
{
    vxe_sim_def def = vxe_default_sim_def();
    const char *precision = "double";
    bool play = false;
    if (!take_number(c, "dt_fraction", 1e-6, 1.0, &def.dt_fraction, f) ||
        !take_text(c, "precision", &precision, f) || !take_flag(c, "play", &play, f)) {
        return NULL;
    }
    int found = 0;
    if (!vxe_choice_find(vxe_precisions, precision, &found))
        return no_reply(f, "argument",
                        "sim.new: \"precision\" is none of \"double\", \"fast\" and \"single\"");
    def.precision = (vxe_precision)found;
    if (d->document.parsed == NULL)
        return no_reply(f, "input", "%s",
                        d->document.scene == NULL ? "there is no scene" : "the scene has errors");
    solver_cancel(d->solver);
    player_enter(d->player);
    json_t *reply = NULL;
    if (player_load(d->player, d->document.parsed, &def, d->document.revision, f)) {
        if (play) player_play(d->player);
        reply = sim_reply(d);
    }
    return leave_sim(d, reply);
}

/* A solver works on the state as it was when it began. */
static bool is_free(desk *d, failure *f)
{
    return !solver_is_running(d->solver) || fail(f, "busy", "a solver is running; cancel it first");
}

static json_t *sim_play(desk *d, const command *c, failure *f)
{
    (void)c;
    if (!is_free(d, f) || !enter_sim(d, f)) return NULL;
    if (d->player->state == PLAY_FAILED) {
        (void)fail(f, "diverged", "%s", vxe_sim_status(d->player->sim)->message);
        return leave_sim(d, NULL);
    }
    player_play(d->player);
    return leave_sim(d, sim_reply(d));
}

static json_t *sim_pause(desk *d, const command *c, failure *f)
{
    (void)c;
    if (!enter_sim(d, f)) return NULL;
    player_pause(d->player);
    return leave_sim(d, sim_reply(d));
}

static json_t *sim_step(desk *d, const command *c, failure *f)
{
    int64_t steps = 1;
    if (!take_count(c, "steps", 1, 1000000000, &steps, f) || !is_free(d, f) || !enter_sim(d, f)) return NULL;
    if (d->player->state == PLAY_FAILED) {
        (void)fail(f, "diverged", "%s", vxe_sim_status(d->player->sim)->message);
        return leave_sim(d, NULL);
    }
    player_step(d->player, steps);
    return leave_sim(d, json_object());
}

static json_t *sim_reset(desk *d, const command *c, failure *f)
{
    (void)c;
    if (!is_free(d, f) || !enter_sim(d, f)) return NULL;
    player_reset(d->player);
    return leave_sim(d, sim_reply(d));
}

static json_t *sim_close(desk *d, const command *c, failure *f)
{
    (void)c;
    (void)f;
    solver_cancel(d->solver);
    player_enter(d->player);
    player_unload(d->player);
    return leave_sim(d, json_object());
}

static json_t *sim_speed(desk *d, const command *c, failure *f)
{
    const char *mode = NULL;
    double factor = 1.0;
    if (!need_text(c, "mode", &mode, f) || !take_number(c, "factor", 1e-6, 1000.0, &factor, f)) return NULL;
    const bool real = strcmp(mode, "real") == 0;
    if (!real && strcmp(mode, "max") != 0)
        return no_reply(f, "argument", "sim.speed: \"mode\" is neither \"real\" nor \"max\"");
    player_enter(d->player);
    player_speed(d->player, real, factor);
    return leave_sim(d, json_object());
}

static json_t *sim_set(desk *d, const command *c, failure *f)
{
    if (!is_free(d, f) || !enter_sim(d, f)) return NULL;
    json_t *reply = NULL;
    if (live_set(d->player, c, f)) reply = json_pack("{s:o}", "settings", live_json(d->player));
    player_changed(d->player);
    return leave_sim(d, reply);
}

static json_t *sim_settings(desk *d, const command *c, failure *f)
{
    (void)c;
    if (!enter_sim(d, f)) return NULL;
    return leave_sim(d, json_pack("{s:o}", "settings", live_json(d->player)));
}

static json_t *sim_pull(desk *d, const command *c, failure *f)
{
    if (!enter_sim(d, f)) return NULL;
    const bool good = live_pull_set(d->player, c, f);
    return leave_sim(d, good ? json_object() : NULL);
}

static json_t *sim_status(desk *d, const command *c, failure *f)
{
    (void)c;
    (void)f;
    player_enter(d->player);
    return leave_sim(d, sim_reply(d));
}

/* ---- seeing ------------------------------------------------------------------------------------------------------- */

static json_t *view_set(desk *d, const command *c, failure *f)
{
    const char *shown = NULL;
    const char *field = NULL;
    player *p = d->player;
    player_enter(p);
    play_view view = p->view;
    bool good = take_text(c, "shown", &shown, f) && take_text(c, "field", &field, f) &&
                take_flag(c, "links", &view.links, f) && take_flag(c, "centers", &view.centers, f) &&
                take_flag(c, "contacts", &view.contacts, f);
    if (good && shown != NULL) {
        view.all = strcmp(shown, "all") == 0;
        if (!view.all && strcmp(shown, "surface") != 0) {
            good = fail(f, "argument", "view.set: \"shown\" is neither \"surface\" nor \"all\"");
        }
    }
    if (good && field != NULL) {
        view.field = vxe_measure_find(field);
        if (view.field < 0) good = fail(f, "argument", "there is no field \"%.64s\"", field);
    }
    if (good && (view.all || view.links) && p->sim != NULL &&
        vxe_model_get(p->model)->voxel_count > SHOW_ALL_MAX) {
        good = fail(f, "limit", "all voxels are shown for at most %d", SHOW_ALL_MAX);
    }
    json_t *reply = NULL;
    if (good) {
        if (view.all != p->view.all || view.links != p->view.links) {
            vxe_surface_destroy(p->surface);
            p->surface = NULL;
        }
        p->view = view;
        p->change++;
        reply =
            json_pack("{s:{s:s, s:s, s:b, s:b}}", "view", "shown", view.all ? "all" : "surface", "field",
                      vxe_measure_name(view.field, NULL, NULL), "links", view.links, "centers", view.centers);
    }
    return leave_sim(d, reply);
}

static json_t *frame_want(desk *d, const command *c, failure *f)
{
    (void)c;
    (void)f;
    if (player_ask(d->player)) return json_object();
    player_enter(d->player);
    d->player->wanted = true;
    return leave_sim(d, json_object());
}

static json_t *probe_set(desk *d, const command *c, failure *f)
{
    player_enter(d->player);
    const bool good = probes_set(d->player, json_object_get(c->object, "probes"), f);
    return leave_sim(d, good ? json_object() : NULL);
}

static json_t *trace_set(desk *d, const command *c, failure *f)
{
    double every = 0.0;
    if (!take_number(c, "every", 0.0, 1e9, &every, f)) return NULL;
    player *p = d->player;
    player_enter(p);
    json_t *reply = NULL;
    if (traced_set(&p->traced, json_object_get(c->object, "names"), every, p->sim, p->scene, f)) {
        reply = traced_json(&p->traced);
        (void)json_object_set_new(reply, "serial", json_integer(p->serial));
    }
    return leave_sim(d, reply);
}

static json_t *trace_get(desk *d, const command *c, failure *f)
{
    (void)c;
    (void)f;
    player_enter(d->player);
    traced_resend(&d->player->traced);
    d->player->trace_due = 0.0;
    return leave_sim(d, traced_json(&d->player->traced));
}

/* ---- recordings --------------------------------------------------------------------------------------------------- */

static recording *find_run(desk *d, const command *c, failure *f)
{
    int64_t run = -1;
    if (!take_count(c, "run", 0, INT64_MAX, &run, f)) return NULL;
    recording *r = player_recording(d->player, run);
    if (r == NULL || recording_frames(r) == 0) (void)fail(f, "none", "that run is not kept any more");
    return f->code == NULL ? r : NULL;
}

static json_t *run_get(desk *d, const command *c, failure *f)
{
    player_enter(d->player);
    const recording *r = find_run(d, c, f);
    return leave_sim(d, r == NULL ? NULL : json_pack("{s:o}", "recording", recording_json(r)));
}

static json_t *run_mesh(desk *d, const command *c, failure *f)
{
    int64_t mesh = -1;
    if (!take_count(c, "mesh", 0, INT64_MAX, &mesh, f)) return NULL;
    player_enter(d->player);
    const recording *r = find_run(d, c, f);
    if (r != NULL) outbox_post(d->out, recording_mesh(r, mesh, f), d->page);
    return leave_sim(d, f->code == NULL ? json_object() : NULL);
}

static json_t *run_frame(desk *d, const command *c, failure *f)
{
    double time = 0.0;
    const char *name = "material";
    if (!take_number(c, "time", -1e12, 1e12, &time, f) || !take_text(c, "field", &name, f)) return NULL;
    const int field = vxe_measure_find(name);
    if (field < 0) return no_reply(f, "argument", "there is no field \"%.64s\"", name);
    player_enter(d->player);
    const recording *r = find_run(d, c, f);
    if (r != NULL) outbox_post(d->out, recording_frame(r, time, field, f), d->page);
    return leave_sim(d, f->code == NULL ? json_object() : NULL);
}

/* The page of replays without a replay in it. */
static json_t *run_page(desk *d, const command *c, failure *f)
{
    (void)c;
    const unsigned char *page = NULL;
    size_t size = 0;
    if (!vxe_replay_blank(&page, &size)) return no_reply(f, "none", "this program has no page for replays");
    const message_array text = {"text", "u8", size, page};
    outbox_post(d->out, message_binary(MESSAGE_REPLY, json_pack("{s:s}", "kind", "replay_page"), &text, 1),
                d->page);
    return json_object();
}

/* ---- solving ------------------------------------------------------------------------------------------------------ */

static json_t *solve_start(desk *d, const command *c, failure *f)
{
    const char *kind = NULL;
    int64_t count = 6;
    if (!need_text(c, "kind", &kind, f) || !take_count(c, "count", 1, 100, &count, f)) return NULL;
    solve_kind which = SOLVE_EQUILIBRIUM;
    if (strcmp(kind, "linear") == 0) {
        which = SOLVE_LINEAR;
    } else if (strcmp(kind, "modes") == 0) {
        which = SOLVE_MODES;
    } else if (strcmp(kind, "equilibrium") != 0)
        return no_reply(f, "argument", "solve.start: \"kind\" is \"equilibrium\", \"linear\" or \"modes\"");
    if (!is_free(d, f) || !enter_sim(d, f)) return NULL;
    player_pause(d->player);
    json_t *reply = NULL;
    if (solver_start(d->solver, which, (int)count, f)) {
        reply = json_pack("{s:I}", "job", (json_int_t)d->solver->job);
    }
    return leave_sim(d, reply);
}

static json_t *solve_cancel(desk *d, const command *c, failure *f)
{
    (void)c;
    (void)f;
    solver_cancel(d->solver);
    return json_object();
}

static json_t *solve_shape(desk *d, const command *c, failure *f)
{
    int64_t job = -1;
    int64_t mode = 0;
    const char *name = "displacement";
    if (!take_text(c, "field", &name, f)) return NULL;
    const int field = vxe_measure_find(name);
    if (field < 0) return no_reply(f, "argument", "there is no field \"%.64s\"", name);
    if (!take_count(c, "job", 0, INT64_MAX, &job, f) || !take_count(c, "mode", 0, 10000, &mode, f) ||
        !enter_sim(d, f)) {
        return NULL;
    }
    player_publish(d->player); /* the shape refers to a mesh the page has */
    message *shape = solver_shape(d->solver, job, mode, field, f);
    outbox_post(d->out, shape, d->page);
    return leave_sim(d, f->code == NULL ? json_object() : NULL);
}

const desk_command desk_sim_commands[] = {
    {"sim.new", sim_new, "dt_fraction precision play"},
    {"sim.play", sim_play, ""},
    {"sim.pause", sim_pause, ""},
    {"sim.step", sim_step, "steps"},
    {"sim.reset", sim_reset, ""},
    {"sim.close", sim_close, ""},
    {"sim.speed", sim_speed, "mode factor"},
    {"sim.set", sim_set, "gravity damping signals regions"},
    {"sim.settings", sim_settings, ""},
    {"sim.pull", sim_pull, "voxel target strength"},
    {"sim.status", sim_status, ""},
    {"view.set", view_set, "shown field links centers contacts"},
    {"frame.want", frame_want, ""},
    {"probe.set", probe_set, "probes"},
    {"trace.set", trace_set, "names every"},
    {"trace.get", trace_get, ""},
    {"run.get", run_get, "run"},
    {"run.mesh", run_mesh, "run mesh"},
    {"run.frame", run_frame, "run time field"},
    {"run.page", run_page, ""},
    {"solve.start", solve_start, "kind count"},
    {"solve.cancel", solve_cancel, ""},
    {"solve.shape", solve_shape, "job mode field"},
    {NULL, NULL, NULL},
};
