/* Changes while a simulation runs: gravity, damping, signals, loads, and the spring with which a voxel is
 * pulled. */
#include "studio/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The spring is this part as stiff as a link of the voxel: it bends the body and hardly changes the largest
 * stable time step. Its force ends where it would stretch the voxel by half. */
#define PULL_STIFFNESS 0.2
#define PULL_STRETCH 0.5

void live_free(player *p)
{
    free(p->settings.signals);
    free(p->settings.regions);
    memset(&p->settings, 0, sizeof p->settings);
}

bool live_start(player *p, failure *f)
{
    const vxe_environment e = vxe_scene_environment(p->scene);
    const int32_t signals = vxe_scene_signal_count(p->scene);
    const int32_t regions = vxe_scene_region_count(p->scene);
    live_settings *s = &p->settings;
    memset(s, 0, sizeof *s);
    s->signals = calloc((size_t)signals + 1, sizeof *s->signals);
    s->regions = calloc((size_t)regions + 1, sizeof *s->regions);
    if (s->signals == NULL || s->regions == NULL) {
        live_free(p);
        return fail(f, "memory", "there is not enough memory for the settings");
    }
    memcpy(s->gravity, e.gravity, sizeof s->gravity);
    s->damping[0] = e.damping_stretch;
    s->damping[1] = e.damping_rotation;
    s->damping[2] = e.damping_contact;
    s->damping[3] = e.damping_ground;
    for (int32_t i = 0; i < signals; i++) {
        const vxe_signal_def *def = vxe_scene_signal(p->scene, i);
        s->signals[i] = (live_signal){def->base, def->amplitude, def->period};
    }
    for (int32_t i = 0; i < regions; i++) {
        const vxe_region_def *def = vxe_scene_region(p->scene, i);
        memcpy(s->regions[i].force, def->force, sizeof def->force);
        memcpy(s->regions[i].torque, def->torque, sizeof def->torque);
        memcpy(s->regions[i].displacement, def->displacement, sizeof def->displacement);
        s->regions[i].ramp = def->ramp;
    }
    return true;
}

static bool set_gravity(player *p, const json_t *object, bool apply, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    double gravity[3];
    bool given = false;
    if (!get_vector(object, "sim.set", "gravity", gravity, &given, f) || !given) return f->code == NULL;
    if (!apply) return true;
    if (vxe_sim_set_gravity(p->sim, gravity, &error) != VXE_OK) return fail_error(f, &error);
    memcpy(p->settings.gravity, gravity, sizeof gravity);
    return true;
}

static bool set_damping(player *p, const json_t *object, bool apply, failure *f)
{
    static const char *const names[4] = {"stretch", "rotation", "contact", "ground"};
    const json_t *damping = json_object_get(object, "damping");
    vxe_error error = {VXE_OK, ""};
    double d[4];
    if (damping == NULL) return true;
    if (!json_is_object(damping)) return fail(f, "argument", "sim.set: \"damping\" is not an object");
    memcpy(d, p->settings.damping, sizeof d);
    for (int i = 0; i < 4; i++) {
        if (!get_number(damping, "damping", names[i], &d[i], f)) return false;
    }
    if (!apply) return true;
    if (vxe_sim_set_damping(p->sim, d[0], d[1], d[2], d[3], &error) != VXE_OK) return fail_error(f, &error);
    memcpy(p->settings.damping, d, sizeof d);
    return true;
}

static bool set_signal(player *p, const char *name, json_t *value, bool apply, failure *f)
{
    const int32_t i = vxe_model_find_signal(p->model, name);
    vxe_error error = {VXE_OK, ""};
    if (i < 0) return fail(f, "argument", "there is no signal \"%.64s\"", name);
    live_signal s = p->settings.signals[i];
    if (!get_number(value, name, "base", &s.base, f) ||
        !get_number(value, name, "amplitude", &s.amplitude, f) ||
        !get_number(value, name, "period", &s.period, f))
        return false;
    if (!apply) return true;
    if (vxe_sim_set_signal(p->sim, i, s.base, s.amplitude, s.period, &error) != VXE_OK)
        return fail_error(f, &error);
    p->settings.signals[i] = s;
    return true;
}

static bool set_region(player *p, const char *name, json_t *value, bool apply, failure *f)
{
    const int32_t i = vxe_model_find_region(p->model, name);
    vxe_error error = {VXE_OK, ""};
    bool force = false;
    bool torque = false;
    bool moved = false;
    if (i < 0) return fail(f, "argument", "there is no region \"%.64s\"", name);
    live_region r = p->settings.regions[i];
    if (!get_vector(value, name, "force", r.force, &force, f) ||
        !get_vector(value, name, "torque", r.torque, &torque, f) ||
        !get_vector(value, name, "displacement", r.displacement, &moved, f) ||
        !get_number(value, name, "ramp", &r.ramp, f))
        return false;
    if (!apply) return true;
    if (((force || torque) && vxe_sim_set_load(p->sim, i, r.force, r.torque, &error) != VXE_OK) ||
        (moved && vxe_sim_set_displacement(p->sim, i, r.displacement, r.ramp, &error) != VXE_OK))
        return fail_error(f, &error);
    p->settings.regions[i] = r;
    return true;
}

/* All of an object of them by name. */
static bool set_each(player *p, json_t *object, const char *key, bool apply, failure *f,
                     bool (*set)(player *, const char *, json_t *, bool, failure *))
{
    json_t *all = json_object_get(object, key);
    const char *name = NULL;
    json_t *value = NULL;
    if (all != NULL && !json_is_object(all))
        return fail(f, "argument", "sim.set: \"%s\" is not an object", key);
    json_object_foreach(all, name, value)
    {
        if (!set(p, name, value, apply, f)) return false;
    }
    return true;
}

bool live_set(player *p, const command *c, failure *f)
{
    /* All of it is read before anything is changed. */
    for (int apply = 0; apply < 2; apply++) {
        if (!set_gravity(p, c->object, apply != 0, f) || !set_damping(p, c->object, apply != 0, f) ||
            !set_each(p, c->object, "signals", apply != 0, f, set_signal) ||
            !set_each(p, c->object, "regions", apply != 0, f, set_region)) {
            return false;
        }
    }
    return true;
}

json_t *live_json(const player *p)
{
    const live_settings *s = &p->settings;
    json_t *signals = json_object();
    json_t *regions = json_object();
    for (int32_t i = 0; i < vxe_scene_signal_count(p->scene); i++) {
        (void)json_object_set_new(signals, vxe_model_signal_name(p->model, i),
                                  json_pack("{s:o, s:o, s:o}", "base", number_json(s->signals[i].base),
                                            "amplitude", number_json(s->signals[i].amplitude), "period",
                                            number_json(s->signals[i].period)));
    }
    for (int32_t i = 0; i < vxe_scene_region_count(p->scene); i++) {
        (void)json_object_set_new(regions, vxe_model_region_name(p->model, i),
                                  json_pack("{s:o, s:o, s:o, s:o}", "force", vector_json(s->regions[i].force),
                                            "torque", vector_json(s->regions[i].torque), "displacement",
                                            vector_json(s->regions[i].displacement), "ramp",
                                            number_json(s->regions[i].ramp)));
    }
    return json_pack("{s:o, s:{s:o, s:o, s:o, s:o}, s:o, s:o}", "gravity", vector_json(s->gravity), "damping",
                     "stretch", number_json(s->damping[0]), "rotation", number_json(s->damping[1]), "contact",
                     number_json(s->damping[2]), "ground", number_json(s->damping[3]), "signals", signals,
                     "regions", regions);
}

/* ---- pulling ------------------------------------------------------------------------------------------------------ */

static void let_go(player *p)
{
    const double none[3] = {0.0, 0.0, 0.0};
    if (p->pull.voxel >= 0) (void)vxe_sim_pull(p->sim, p->pull.voxel, none, NULL);
    p->pull.voxel = -1;
}

bool live_pull_set(player *p, const command *c, failure *f)
{
    const vxe_model_view *model = vxe_model_get(p->model);
    int64_t voxel = -1;
    double target[3] = {0.0, 0.0, 0.0};
    double strength = 1.0;
    bool given = false;
    if (!take_count(c, "voxel", 0, (int64_t)model->voxel_count - 1, &voxel, f) ||
        !get_vector(c->object, c->verb, "target", target, &given, f) ||
        !take_number(c, "strength", 0.001, 10.0, &strength, f)) {
        return false;
    }
    if (!given) {
        let_go(p);
        return true;
    }
    if (voxel < 0) return fail(f, "argument", "sim.pull needs a \"voxel\"");
    if (p->pull.voxel != voxel) let_go(p);
    p->pull.voxel = (int32_t)voxel;
    p->pull.strength = strength;
    memcpy(p->pull.target, target, sizeof target);
    memset(p->pull.force, 0, sizeof p->pull.force);
    return true;
}

void live_pull_step(player *p)
{
    const vxe_model_view *model = vxe_model_get(p->model);
    const vxe_state *state = vxe_sim_state(p->sim);
    const int32_t v = p->pull.voxel;
    const int32_t material = model->material[v];
    const double youngs = vxe_scene_material(p->scene, material)->youngs_modulus;
    const double stiffness = p->pull.strength * PULL_STIFFNESS * youngs * model->pitch;
    const double damping = 2.0 * sqrt(stiffness * model->voxel_mass[material]);
    const double most = p->pull.strength * PULL_STRETCH * youngs * model->pitch * model->pitch;
    double length = 0.0;
    for (int a = 0; a < 3; a++) {
        p->pull.force[a] =
            stiffness * (p->pull.target[a] - state->position[a][v]) - damping * state->velocity[a][v];
        length += p->pull.force[a] * p->pull.force[a];
    }
    length = sqrt(length);
    for (int a = 0; a < 3 && length > most; a++) p->pull.force[a] *= most / length;
    (void)vxe_sim_pull(p->sim, v, p->pull.force, NULL);
}
