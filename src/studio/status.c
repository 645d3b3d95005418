/* How the simulation stands, and what probes read, as the page gets them. */
#include "studio/player.h"
#include "sim/choices.h"

enum { PROBES_MAX = 64 };

static const char *state_name(play_state state)
{
    static const char *const names[] = {"none", "running", "paused", "stopped", "failed"};
    return names[state];
}

static void set(json_t *o, const char *key, json_t *value) { (void)json_object_set_new(o, key, value); }

static json_t *cell_json(const vxe_model_view *model, int32_t v)
{
    return json_pack("[i, i, i]", (int)model->cell[0][v], (int)model->cell[1][v], (int)model->cell[2][v]);
}

static json_t *fault_json(const player *p)
{
    const vxe_status *status = vxe_sim_status(p->sim);
    if (status->fault == VXE_FAULT_NONE) return json_null();
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "fault", vxe_fault_name(status->fault), "message",
                     status->message, "voxel", status->voxel < 0 ? json_null() : json_integer(status->voxel),
                     "cell",
                     status->voxel < 0 ? json_null() : cell_json(vxe_model_get(p->model), status->voxel),
                     "time", number_json(status->time));
}

static json_t *energy_json(const player *p)
{
    const vxe_energy e = vxe_sim_energy(p->sim);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kinetic", number_json(e.kinetic), "elastic",
                     number_json(e.elastic), "gravity", number_json(e.gravity), "total", number_json(e.total),
                     "load_work", number_json(e.load_work), "actuation_work", number_json(e.actuation_work),
                     "motion_work", number_json(e.motion_work), "dissipated", number_json(e.dissipated));
}

static json_t *pull_json(const player *p)
{
    if (p->pull.voxel < 0) return json_null();
    return json_pack("{s:i, s:o, s:o, s:o}", "voxel", (int)p->pull.voxel, "position",
                     voxel_vector_json(vxe_sim_state(p->sim)->position, p->pull.voxel), "target",
                     vector_json(p->pull.target), "force", vector_json(p->pull.force));
}

static void add_model(json_t *o, const player *p)
{
    const vxe_model_view *m = vxe_model_get(p->model);
    set(o, "hash", hash_json(vxe_model_hash(p->model)));
    set(o, "revision", json_integer(p->revision));
    set(o, "voxels", json_integer(m->voxel_count));
    set(o, "links", json_integer(m->link_count));
    set(o, "surface", json_integer(m->surface_count));
    set(o, "bodies", json_integer(m->body_count));
    set(o, "mass", number_json(m->mass));
    set(o, "pitch", number_json(m->pitch));
    set(o, "isa", json_string(vxe_sim_isa(p->sim)));
    set(o, "precision",
        json_string(vxe_choice_word(vxe_precisions, (int)vxe_sim_settings(p->sim).precision)));
}

static void add_motion(json_t *o, player *p)
{
    const bool running = p->state == PLAY_RUNNING;
    int32_t voxel = -1;
    double center[3];
    int64_t floor_contacts = 0;
    int64_t pairs = 0;
    int64_t broken = 0;
    int64_t yielded = 0;
    const double displacement = vxe_sim_displacement_max(p->sim, &voxel);
    vxe_sim_center_of_mass(p->sim, center);
    vxe_sim_contacts(p->sim, &floor_contacts, &pairs);
    vxe_sim_failures(p->sim, &broken, &yielded);
    const double steps = running ? p->rate.steps : 0.0;
    set(o, "time", number_json(vxe_sim_time(p->sim)));
    set(o, "step", json_integer(vxe_sim_state(p->sim)->step));
    set(o, "dt", number_json(vxe_sim_time_step(p->sim).dt));
    set(o, "state_hash", running ? json_null() : hash_json(vxe_sim_hash(p->sim)));
    set(o, "rate",
        json_pack("{s:o, s:o, s:o}", "real_time", number_json(running ? p->rate.real_time : 0.0),
                  "voxel_steps", number_json(steps * vxe_model_get(p->model)->voxel_count), "steps",
                  number_json(steps)));
    set(o, "energy", energy_json(p));
    set(o, "displacement_max", number_json(displacement));
    set(o, "displacement_voxel", json_integer(voxel));
    set(o, "strain_max", number_json(vxe_sim_strain_max(p->sim)));
    set(o, "speed_max", number_json(vxe_sim_speed_max(p->sim)));
    set(o, "center_of_mass", vector_json(center));
    set(o, "contacts",
        json_pack("{s:I, s:I}", "floor", (json_int_t)floor_contacts, "pairs", (json_int_t)pairs));
    set(o, "broken", json_integer(broken));
    set(o, "yielded", json_integer(yielded));
    const vxe_life life = vxe_sim_life(p->sim);
    set(o, "life",
        json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "present", (json_int_t)life.present, "grown",
                  (json_int_t)life.grown, "removed", (json_int_t)life.removed, "bonds",
                  (json_int_t)life.bonds, "bonded", (json_int_t)life.bonded, "released",
                  (json_int_t)life.released));
}

/* What was largest over the run, with when and where, and the gait. */
static void add_figures(json_t *o, const player *p)
{
    static const char *const names[VXE_PEAK_KINDS] = {"strain", "speed", "displacement", "stress"};
    if (p->figures == NULL) return;
    json_t *peaks = json_object();
    for (int k = 0; k < VXE_PEAK_KINDS; k++) {
        const vxe_peak peak = vxe_figures_peak(p->figures, (vxe_peak_kind)k);
        set(peaks, names[k],
            json_pack("{s:o, s:o, s:o}", "value", number_json(peak.value), "time", number_json(peak.time),
                      "cell", peak.voxel < 0 ? json_null() : cell_json(vxe_model_get(p->model), peak.voxel)));
    }
    const vxe_gait g = vxe_figures_gait(p->figures);
    set(o, "peaks", peaks);
    set(o, "gait",
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "duration", number_json(g.duration), "distance",
                  number_json(g.distance), "speed", number_json(g.speed), "speed_lengths",
                  number_json(g.speed_lengths), "cost_of_transport", number_json(g.cost_of_transport),
                  "duty_factor", number_json(g.duty_factor)));
}

json_t *status_json(player *p)
{
    json_t *o = json_pack("{s:s, s:I, s:s, s:{s:s, s:o}}", "event", "status", "serial", (json_int_t)p->serial,
                          "state", state_name(p->state), "speed", "mode", p->real_time ? "real" : "max",
                          "factor", number_json(p->factor));
    if (p->sim == NULL) return o;
    add_model(o, p);
    add_motion(o, p);
    set(o, "stop",
        p->state != PLAY_STOPPED ? json_null()
                                 : json_pack("{s:s}", "reason", vxe_run_reason_name(p->reason)));
    set(o, "fault", fault_json(p));
    set(o, "pull", pull_json(p));
    add_figures(o, p);
    set(o, "recording", recording_brief(p->recording));
    set(o, "last_run", recording_brief(p->last));
    return o;
}

/* ---- probes ------------------------------------------------------------------------------------------------------- */

bool probes_set(player *p, json_t *probes, failure *f)
{
    size_t i = 0;
    json_t *item = NULL;
    if (!json_is_array(probes) || json_array_size(probes) > PROBES_MAX) {
        return fail(f, "argument", "\"probes\" is not a list of at most %d", PROBES_MAX);
    }
    json_array_foreach(probes, i, item)
    {
        const bool voxel = json_is_integer(json_object_get(item, "voxel"));
        const bool region = json_is_string(json_object_get(item, "region"));
        const json_t *cell = json_object_get(item, "cell");
        bool good = json_array_size(cell) == 3;
        for (size_t a = 0; a < 3 && good; a++) good = json_is_integer(json_array_get(cell, a));
        if (!json_is_string(json_object_get(item, "id")) || voxel + region + good != 1) {
            return fail(f, "argument",
                        "probes[%zu] is not an \"id\" and one of \"voxel\", \"cell\" and \"region\"", i);
        }
    }
    json_decref(p->probes);
    p->probes = json_incref(probes);
    p->status_changed = true;
    return true;
}

/* The voxel a probe names, or -1. */
static int32_t probe_voxel(const player *p, const json_t *probe)
{
    const json_t *cell = json_object_get(probe, "cell");
    const json_t *voxel = json_object_get(probe, "voxel");
    int32_t at[3] = {0, 0, 0};
    if (voxel != NULL) {
        const json_int_t number = json_integer_value(voxel);
        return number >= 0 && number < vxe_model_get(p->model)->voxel_count ? (int32_t)number : -1;
    }
    for (size_t a = 0; a < 3; a++) {
        const json_int_t number = json_integer_value(json_array_get(cell, a));
        if (number < 0 || number > VXE_SIDE_MAX) return -1;
        at[a] = (int32_t)number;
    }
    return vxe_model_voxel_at(p->model, at[0], at[1], at[2]);
}

static void read_voxel(player *p, int32_t v, const vxe_voxels *voxels, json_t *o)
{
    const vxe_model_view *m = vxe_model_get(p->model);
    const vxe_state *s = vxe_sim_state(p->sim);
    double moved[3];
    json_t *turn = json_array();
    for (int a = 0; a < 3; a++) moved[a] = s->position[a][v] - m->start[a][v];
    for (int i = 0; i < 4; i++) (void)json_array_append_new(turn, number_json(s->orientation[i][v]));
    set(o, "voxel", json_integer(v));
    set(o, "cell", cell_json(m, v));
    set(o, "material", json_integer(m->material[v]));
    set(o, "position", voxel_vector_json(s->position, v));
    set(o, "displacement", vector_json(moved));
    set(o, "velocity", voxel_vector_json(s->velocity, v));
    set(o, "spin", voxel_vector_json(s->spin, v));
    set(o, "orientation", turn);
    set(o, "strain", voxel_vector_json(voxels->strain, v));
    set(o, "stress", voxel_vector_json(voxels->stress, v));
    set(o, "energy", number_json(voxels->energy[v]));
    set(o, "force", voxel_vector_json(s->force, v));
    set(o, "moment", voxel_vector_json(s->moment, v));
    set(o, "contact_force", voxel_vector_json(s->contact_force, v));
    set(o, "growth", number_json(s->growth[v]));
    set(o, "pressure", number_json(s->pressure[v]));
    set(o, "phase",
        number_json(vxe_scene_actuation(p->scene, m->cell[0][v], m->cell[1][v], m->cell[2][v]).phase));
    set(o, "fixed", json_integer(m->fixed[v]));
    set(o, "stuck", json_boolean(s->stuck[v] != 0));
}

/* Sum or mean of an array of vectors over a region. */
static json_t *gather(const vxe_model_view *m, int32_t region, const double *const array[3], bool mean)
{
    const int32_t begin = m->region_begin[region];
    const int32_t end = m->region_begin[region + 1];
    double sum[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < 3; a++) {
        for (int32_t i = begin; i < end; i++) sum[a] += array[a][m->region_voxel[i]];
        if (mean && end > begin) sum[a] /= end - begin;
    }
    return vector_json(sum);
}

static void read_region(player *p, int32_t region, const vxe_voxels *voxels, json_t *o)
{
    const vxe_model_view *m = vxe_model_get(p->model);
    const vxe_state *s = vxe_sim_state(p->sim);
    double moved[3] = {0.0, 0.0, 0.0};
    double force[3] = {0.0, 0.0, 0.0};
    double moment[3] = {0.0, 0.0, 0.0};
    (void)vxe_sim_region_displacement(p->sim, region, moved, NULL);
    (void)vxe_sim_region_reaction(p->sim, region, force, moment, NULL);
    set(o, "region", json_string(vxe_model_region_name(p->model, region)));
    set(o, "voxels", json_integer(m->region_begin[region + 1] - m->region_begin[region]));
    set(o, "position", gather(m, region, s->position, true));
    set(o, "displacement", vector_json(moved));
    set(o, "velocity", gather(m, region, s->velocity, true));
    set(o, "strain", gather(m, region, voxels->strain, true));
    set(o, "stress", gather(m, region, voxels->stress, true));
    set(o, "force", gather(m, region, s->force, false));
    set(o, "contact_force", gather(m, region, s->contact_force, false));
    set(o, "reaction", vector_json(force));
    set(o, "reaction_moment", vector_json(moment));
}

json_t *probes_json(player *p)
{
    json_t *list = json_array();
    const vxe_voxels *voxels = NULL;
    size_t i = 0;
    json_t *probe = NULL;
    const bool readable = vxe_sim_voxels(p->sim, &voxels, NULL) == VXE_OK;
    json_array_foreach(p->probes, i, probe)
    {
        json_t *o = json_object();
        const char *name = json_string_value(json_object_get(probe, "region"));
        const int32_t region = name == NULL ? -1 : vxe_model_find_region(p->model, name);
        const int32_t v = name == NULL ? probe_voxel(p, probe) : -1;
        (void)json_object_set(o, "id", json_object_get(probe, "id"));
        if (!readable) {
            set(o, "error", json_string("not enough memory"));
        } else if (region >= 0) {
            read_region(p, region, voxels, o);
        } else if (v >= 0) {
            read_voxel(p, v, voxels, o);
        } else {
            set(o, "error", json_string("there is no such voxel or region"));
        }
        (void)json_array_append_new(list, o);
    }
    return json_pack("{s:s, s:I, s:o, s:o}", "event", "probes", "serial", (json_int_t)p->serial, "time",
                     number_json(vxe_sim_time(p->sim)), "probes", list);
}
