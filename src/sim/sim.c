/* Making, resetting and editing a simulation. */
#include "base/base.h"
#include "scene/scene.h"
#include "sim/bound.h"
#include "sim/collide.h"
#include "sim/drive.h"
#include "sim/floor.h"
#include "sim/ground.h"
#include "sim/life.h"
#include "sim/outside.h"
#include "sim/pressure.h"
#include "sim/rigid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const vxe_sim_def defaults = {.size = sizeof(vxe_sim_def),
                                     .precision = VXE_PRECISION_DOUBLE,
                                     .dt_fraction = VXE_DT_FRACTION_MAX,
                                     .audit = true};
static const settings_type sim_type = {"vxe_sim_def", sizeof(vxe_sim_def),
                                       SETTINGS_END(vxe_sim_def, bond_damping), &defaults};

void vxe_sim_def_init(vxe_sim_def *def, size_t size) { vxe_settings_give(&sim_type, NULL, def, size); }

void vxe_sim_get_settings(const vxe_sim *sim, vxe_sim_def *def, size_t size)
{
    vxe_settings_give(&sim_type, sim != NULL ? &sim->def : NULL, def, size);
}

/* Friction of a floor on which nothing slides: more than any load can overcome, in single precision too. */
#define STICKY 1e9

/* ---- memory ------------------------------------------------------------------------------------------------------- */

static bool take(vxe_sim *sim, void *pointer, size_t count, size_t size, vxe_error *error, vxe_result *result)
{
    if (*result != VXE_OK) return false;
    void *memory = vxe_allocate(count + 1, size);
    memcpy(pointer, &memory, sizeof memory); /* any pointer type */
    if (memory == NULL) {
        *result = vxe_fail_memory(error, "the simulation", count * size);
        return false;
    }
    sim->bytes += count * size;
    return true;
}

static vxe_result allocate(vxe_sim *sim, vxe_error *error)
{
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    sim->threads = sim->host.threads(sim);
    sim->material = m->material;
    vxe_result result = vxe_state_create(sim, error);
    (void)take(sim, &sim->measures, n / CHUNK + 1, sizeof *sim->measures, error, &result);
    for (int a = 0; a < 3; a++) sim->link_kind[a] = m->nonlinear ? sim->own_kind[a] : m->link_kind[a];
    sim->free_faces = m->nonlinear ? sim->own_free_faces[0] : m->free_faces;
    sim->pressure_class = m->nonlinear ? sim->own_pressure_class[0] : m->pressure_class;
    if (m->nonlinear)
        (void)take(sim, &sim->events, 2 * (size_t)m->view.link_count, sizeof *sim->events, error, &result);
    (void)take(sim, &sim->regions, (size_t)m->view.region_count, sizeof *sim->regions, error, &result);
    (void)take(sim, &sim->signals, (size_t)m->view.signal_count, sizeof *sim->signals, error, &result);
    (void)take(sim, &sim->links, (size_t)m->class_count, sizeof *sim->links, error, &result);
    (void)take(sim, &sim->voxels, (size_t)m->constant_count + 1, sizeof *sim->voxels, error, &result);
    for (int i = 0; i < 3; i++)
        (void)take(sim, &sim->rates[i], (size_t)m->constant_count + 1, sizeof(double), error, &result);
    if (n < BOUND_LARGE) (void)take(sim, &sim->bound_links, 3 * n, sizeof *sim->bound_links, error, &result);
    if (result == VXE_OK) result = vxe_pressure_create(sim, error);
    if (result == VXE_OK) result = vxe_life_create(sim, error);
    if (result == VXE_OK) result = sim->host.create(sim, error);
    if (result == VXE_OK && sim->device != NULL) result = sim->device->create(sim, error);
    if (result == VXE_OK) result = vxe_collider_create(sim, error);
    if (result == VXE_OK) result = vxe_ground_create(sim, error);
    if (result == VXE_OK) result = vxe_rigid_create(sim, error);
    return result;
}

void vxe_sim_destroy(vxe_sim *sim)
{
    if (sim == NULL) return;
    if (sim->device != NULL) sim->device->destroy(sim);
    sim->host.destroy(sim);
    vxe_collider_destroy(sim);
    vxe_ground_destroy(sim);
    vxe_rigid_destroy(sim);
    vxe_pressure_destroy(sim);
    vxe_life_destroy(sim);
    vxe_control_destroy(sim);
    vxe_arrays_destroy(sim);
    vxe_state_destroy(sim);
    free(sim->measures);
    for (int i = 0; i < 3; i++) free(sim->rates[i]);
    free(sim->bound_links);
    free(sim->events);
    free(sim->regions);
    free(sim->signals);
    free(sim->links);
    free(sim->voxels);
    free(sim->links_memory);
    free(sim->links_broken);
    free(sim->voxels_memory);
    free(sim);
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

/* Damping is a property of the moment: the tables are made again when it is edited. */
void vxe_sim_refresh_tables(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const vxe_environment *e = &sim->environment;
    const double l = m->view.pitch;
    for (int32_t i = 0; i < m->class_count; i++) {
        const link_class *c = &m->classes[i];
        const double unit = sqrt(c->mass / (c->youngs * l)); /* beta of damping ratio 1, s */
        const double stretch = e->damping_stretch * unit;
        const double rotation = e->damping_rotation * unit;
        const double cs = 0.5 * c->ks * l * l;
        sim->links[i] = (link_table){.near_mass = m->materials[c->near_material].mass,
                                     .far_mass = m->materials[c->far_material].mass,
                                     .cs = cs,
                                     .c = c->kb - 0.5 * cs,
                                     .kt = c->kt,
                                     .axial = stretch * c->ka,
                                     .shear = rotation * 0.5 * cs,
                                     .bending = rotation * c->kb,
                                     .torsion = rotation * c->kt};
    }
    sim->brake_dt = 0.0; /* the brakes are made when they are needed */
    vxe_time_step_refresh(sim);
    for (int32_t i = 1; i <= m->constant_count; i++) {
        const material_constants *c = &m->materials[i];
        const double k = c->youngs * l;
        sim->voxels[i] =
            (voxel_table){.inverse_mass = 1.0 / c->mass,
                          .inverse_inertia = 1.0 / c->inertia,
                          .ground_rate = 2.0 * e->damping_ground * c->ground_damping * sqrt(k / c->mass),
                          /* the floor meets rigid parts as ground: ground.c */
                          .floor_stiffness = c->rigid ? 0.0 : 2.0 * k,
                          .floor_damping = c->rigid ? 0.0 : 2.0 * e->damping_contact * sqrt(c->mass * k),
                          .static_friction = e->floor_sticky ? STICKY : c->static_friction,
                          .dynamic_friction = e->floor_sticky ? STICKY : c->dynamic_friction};
    }
    vxe_contacts_refresh(sim);
    vxe_tables_changed(sim);
    sim->disturbed = true;
}

/* ---- start -------------------------------------------------------------------------------------------------------- */

static void set_velocity_free(vxe_sim *sim, int32_t v, const double velocity[3], const double spin[3])
{
    if (!vxe_is_present(sim, v)) return;
    const uint8_t fixed = vxe_held_by_scene(sim->model, v);
    for (int a = 0; a < 3; a++) {
        if ((fixed >> a & 1) == 0) sim->velocity[a][v] = velocity[a];
        if ((fixed >> (a + 3) & 1) == 0) sim->spin[a][v] = spin[a];
    }
    if (sim->velocity[0][v] != 0.0 || sim->velocity[1][v] != 0.0)
        sim->stuck[0][v] = 0; /* a push breaks the latch */
}

static void start_edits(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    sim->environment = m->environment;
    vxe_control_reset(sim);
    vxe_applied_reset(sim);
    sim->pull_count = 0;
    memset(sim->pulls, 0, sizeof sim->pulls);
    for (int32_t r = 0; r < m->view.region_count; r++) {
        const vxe_region_def *def = &m->regions[r].def;
        sim_region *region = &sim->regions[r];
        memset(region, 0, sizeof *region);
        memcpy(region->force, def->force, sizeof region->force);
        memcpy(region->torque, def->torque, sizeof region->torque);
        memcpy(region->to, def->displacement, sizeof region->to);
        region->load_ramped = 1;
        region->ramp = def->ramp;
        region->turn_most = vxe_region_turn_most(m, r);
    }
    for (int32_t s = 0; s < m->view.signal_count; s++) {
        const vxe_signal_def *def = &m->signals[s].def;
        sim->signals[s] = (sim_signal){def->base, def->amplitude, def->period, def->phase};
    }
}

void vxe_sim_reset(vxe_sim *sim)
{
    if (sim == NULL) return;
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    vxe_links_disown(sim);
    vxe_state_clear(sim);
    for (int a = 0; a < 3; a++) memcpy(sim->position[a], m->start[a], n * sizeof(double));
    start_edits(sim);
    vxe_life_reset(sim);
    vxe_restore_links(sim);
    for (size_t v = 0; v < n; v++) sim->orientation[0][v] = 1.0;
    for (int i = 0; i < 4 && m->start_turn[0] != NULL; i++)
        memcpy(sim->orientation[i], m->start_turn[i], n * sizeof(double));
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        /* what stands on the floor at the start is held by it from the first step on */
        const double depth = vxe_plane_depth(sim, v);
        const bool over = sim->floor_rest[0] == NULL || vxe_is_over_disc(sim, v);
        sim->stuck[0][v] = m->environment.floor && over && depth > -1e-9 * m->view.pitch ? STUCK_FRESH : 0;
        if (sim->floor_rest[0] != NULL) sim->floor_rest[0][v] = vxe_floor_rest_start(sim, v);
    }
    for (int32_t v = 0; m->start_velocity[0] != NULL && v < m->view.voxel_count; v++) {
        double start[6];
        for (int d = 0; d < 6; d++) start[d] = m->start_velocity[d][v];
        set_velocity_free(sim, v, start, start + 3);
    }
    sim->step = 0;
    sim->event_count = 0;
    sim->time = 0.0;
    sim->last_dt = 0.0;
    memset(&sim->last, 0, sizeof sim->last);
    vxe_peaks_reset(sim);
    memset(&sim->account, 0, sizeof sim->account);
    memset(&sim->energy, 0, sizeof sim->energy);
    memset(&sim->status, 0, sizeof sim->status);
    memset(&sim->time_step, 0, sizeof sim->time_step);
    memset(&sim->pace, 0, sizeof sim->pace);
    sim->status.voxel = -1;
    sim->calm_since[0] = -1.0;
    sim->calm_since[1] = -1.0;
    sim->calm_since[2] = -1.0;
    vxe_outside_reset(sim);
    memset(sim->calm_floor, 0, sizeof sim->calm_floor);
    vxe_damping_choose(sim);
    vxe_sim_refresh_tables(sim);
    vxe_pressure_prepare(sim);
    vxe_time_step_begin(sim);
    vxe_life_restore(sim); /* sizes of voxels that are not there */
    vxe_collider_reset(sim);
    vxe_ground_reset(sim);
}

vxe_result vxe_sim_create(const vxe_model *model, const vxe_sim_def *def, vxe_sim **sim, vxe_error *error)
{
    const sim_backend *device = NULL;
    const vxe_result result =
        def == NULL ? VXE_ERROR_ARGUMENT : vxe_choose_device(def->device, &device, error);
    /* rules look at voxels after every step: the CPU takes them all */
    if (model != NULL && model->rule_count > 0) device = NULL;
    return result == VXE_OK || def == NULL ? vxe_sim_create_on(model, def, device, sim, error) : result;
}

/* A CPU's table with what it has not taken from the one it is based on. */
static sim_backend complete(const sim_backend *own)
{
    sim_backend all = *own;
    const sim_backend *base = own->base;
    if (base == NULL) return all;
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (all.stage[i] == NULL) all.stage[i] = base->stage[i];
    }
    if (all.download == NULL) all.download = base->download;
    if (all.threads == NULL) all.threads = base->threads;
    if (all.gather == NULL) all.gather = base->gather;
    if (all.velocities == NULL) all.velocities = base->velocities;
    if (all.scatter == NULL) all.scatter = base->scatter;
    return all;
}

vxe_result vxe_sim_create_on(const vxe_model *model, const vxe_sim_def *def, const sim_backend *device,
                             vxe_sim **sim, vxe_error *error)
{
    if (model == NULL || def == NULL || sim == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_create: NULL");
    vxe_sim_def own;
    const vxe_result taken = vxe_settings_take(&sim_type, def, &own, error);
    if (taken != VXE_OK) return taken;
    def = &own;
    if (def->threads < 0 || def->threads > VXE_THREADS_MAX) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%d threads are not within 0 to %d", (int)def->threads,
                        VXE_THREADS_MAX);
    }
    if (def->precision != VXE_PRECISION_DOUBLE && def->precision != VXE_PRECISION_SINGLE &&
        def->precision != VXE_PRECISION_FAST) {
        return vxe_fail(error, VXE_ERROR_INPUT, "precision %d is not known", (int)def->precision);
    }
    if ((unsigned)def->bond_damping > VXE_BOND_DAMPING_IMPLICIT) {
        return vxe_fail(error, VXE_ERROR_INPUT, "bond damping %d is not known", (int)def->bond_damping);
    }
    if (!(def->dt_fraction > 0.0 && def->dt_fraction <= VXE_DT_FRACTION_MAX)) {
        return vxe_fail(error, VXE_ERROR_INPUT, "time step fraction %g is not above 0 and at most %g",
                        def->dt_fraction, VXE_DT_FRACTION_MAX);
    }
    const size_t least = (size_t)model->view.voxel_count * VXE_SIM_BYTES;
    if (least > 100000000 && !vxe_memory_holds(least))
        return vxe_fail_memory(error, "the simulation of so many voxels", least);
    vxe_sim *s = calloc(1, sizeof *s);
    if (s == NULL) return vxe_fail_memory(error, "the simulation", sizeof *s);
    s->bytes = sizeof *s;
    s->model = model;
    s->def = *def;
    const sim_backend *loops = vxe_choose_backend(s, device != NULL && device->advance == NULL);
    if (loops == NULL) {
        free(s);
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "this machine does not have the instructions asked for (isa %d)", (int)def->isa);
    }
    s->host = complete(loops);
    s->device = device;
    const vxe_result result = allocate(s, error);
    if (result != VXE_OK) {
        vxe_sim_destroy(s);
        return result;
    }
    vxe_sim_reset(s);
    *sim = s;
    return VXE_OK;
}

/* ---- edits -------------------------------------------------------------------------------------------------------- */

static bool all_finite(const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (!isfinite(values[i])) return false;
    }
    return true;
}

/* The account cannot know what an edit did to the energies: it goes on from what it finds at the next step.
 */
static void rebase_account(vxe_sim *sim)
{
    sim->account.started = 0;
    sim->disturbed = true;
}

vxe_result vxe_sim_set_gravity(vxe_sim *sim, const double gravity[3], vxe_error *error)
{
    if (sim == NULL || gravity == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_set_gravity: NULL");
    if (!all_finite(gravity, 3)) return vxe_fail(error, VXE_ERROR_INPUT, "gravity is not finite");
    memcpy(sim->environment.gravity, gravity, sizeof sim->environment.gravity);
    rebase_account(sim);
    vxe_time_step_expect(sim, EDIT_LOADS);
    return VXE_OK;
}

vxe_result vxe_sim_set_damping(vxe_sim *sim, double stretch, double rotation, double contact, double ground,
                               vxe_error *error)
{
    if (sim == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_set_damping: NULL");
    vxe_environment e = sim->environment;
    e.damping_stretch = stretch;
    e.damping_rotation = rotation;
    e.damping_contact = contact;
    e.damping_ground = ground;
    const double values[4] = {stretch, rotation, contact, ground};
    for (int i = 0; i < 4; i++) {
        if (!(values[i] >= 0.0 && values[i] <= 1000.0)) {
            return vxe_fail(error, VXE_ERROR_INPUT, "damping ratio %g is not within 0 to 1000", values[i]);
        }
    }
    sim->environment = e;
    vxe_damping_choose(sim);
    vxe_sim_refresh_tables(sim);
    vxe_time_step_update(sim);
    rebase_account(sim); /* a step of another length shifts velocities against positions */
    vxe_time_step_expect(sim, EDIT_LOADS);
    return VXE_OK;
}

static vxe_result check_region(const vxe_sim *sim, int32_t region, vxe_error *error)
{
    if (sim == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "the simulation is NULL");
    if (region < 0 || region >= sim->model->view.region_count) {
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "region %d does not exist; there are %d", (int)region,
                        (int)sim->model->view.region_count);
    }
    return VXE_OK;
}

vxe_result vxe_sim_set_load(vxe_sim *sim, int32_t region, const double force[3], const double torque[3],
                            vxe_error *error)
{
    const vxe_result result = check_region(sim, region, error);
    if (result != VXE_OK) return result;
    if (force == NULL || torque == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_set_load: NULL");
    if (!all_finite(force, 3) || !all_finite(torque, 3))
        return vxe_fail(error, VXE_ERROR_INPUT, "the load is not finite");
    sim_region *r = &sim->regions[region];
    memcpy(r->force, force, sizeof r->force);
    memcpy(r->torque, torque, sizeof r->torque);
    r->load_ramped = 0;
    vxe_time_step_expect(sim, EDIT_LOADS);
    return VXE_OK;
}

vxe_result vxe_sim_set_displacement(vxe_sim *sim, int32_t region, const double displacement[3], double ramp,
                                    vxe_error *error)
{
    const vxe_result result = check_region(sim, region, error);
    if (result != VXE_OK) return result;
    if (displacement == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_set_displacement: NULL");
    if (!all_finite(displacement, 3))
        return vxe_fail(error, VXE_ERROR_INPUT, "the displacement is not finite");
    if (!(ramp >= 0.0) || !isfinite(ramp))
        return vxe_fail(error, VXE_ERROR_INPUT, "ramp %g s is negative or not finite", ramp);
    for (int a = 0; a < 3; a++) {
        if (displacement[a] != 0.0 && (sim->model->regions[region].def.fixed >> a & 1U) == 0) {
            return vxe_fail(error, VXE_ERROR_INPUT, "region \"%s\" does not fix %c, so it cannot displace it",
                            sim->model->regions[region].def.name, 'x' + a);
        }
    }
    sim_region *r = &sim->regions[region];
    memcpy(r->from, r->placed, sizeof r->from);
    memcpy(r->to, displacement, sizeof r->to);
    r->ramp_begin = sim->time;
    r->ramp = ramp;
    vxe_time_step_expect(sim, EDIT_LOADS);
    return VXE_OK;
}

vxe_result vxe_sim_set_signal(vxe_sim *sim, int32_t signal, double base, double amplitude, double period,
                              vxe_error *error)
{
    if (sim == NULL || signal < 0 || signal >= sim->model->view.signal_count) {
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "signal %d does not exist", (int)signal);
    }
    if (!isfinite(base) || !isfinite(amplitude))
        return vxe_fail(error, VXE_ERROR_INPUT, "base or amplitude is not finite");
    if (!(period >= 1e-9 && period <= 1e12))
        return vxe_fail(error, VXE_ERROR_INPUT, "period %g s is not within 1e-9 to 1e12 s", period);
    sim_signal *s = &sim->signals[signal];
    s->phase += sim->time / s->period - sim->time / period; /* the cycle goes on where it is */
    s->base = base;
    s->amplitude = amplitude;
    s->period = period;
    vxe_time_step_expect(sim, EDIT_LOADS);
    return VXE_OK;
}

vxe_result vxe_sim_pull(vxe_sim *sim, int32_t voxel, const double force[3], vxe_error *error)
{
    if (sim == NULL || force == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_pull: NULL");
    if (voxel < 0 || voxel >= sim->model->view.voxel_count)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "voxel %d does not exist", (int)voxel);
    if (!all_finite(force, 3)) return vxe_fail(error, VXE_ERROR_INPUT, "the force is not finite");
    int32_t i = 0;
    while (i < sim->pull_count && sim->pulls[i].voxel != voxel) i++;
    if (force[0] == 0.0 && force[1] == 0.0 && force[2] == 0.0) {
        if (i < sim->pull_count) {
            sim->pull_count--;
            memmove(&sim->pulls[i], &sim->pulls[i + 1], (size_t)(sim->pull_count - i) * sizeof sim->pulls[0]);
        }
        return VXE_OK;
    }
    if (i == PULLS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "at most %d voxels can be pulled at once", PULLS_MAX);
    sim->pulls[i].voxel = voxel;
    memcpy(sim->pulls[i].force, force, sizeof sim->pulls[i].force);
    if (i == sim->pull_count) sim->pull_count++;
    vxe_time_step_expect(sim, EDIT_LOADS);
    return VXE_OK;
}

vxe_result vxe_sim_set_motion(vxe_sim *sim, const double velocity[3], const double spin[3],
                              const double center[3], vxe_error *error)
{
    if (sim == NULL || velocity == NULL || spin == NULL || center == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_set_motion: NULL");
    if (!all_finite(velocity, 3) || !all_finite(spin, 3) || !all_finite(center, 3))
        return vxe_fail(error, VXE_ERROR_INPUT, "the motion is not finite");
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        double arm[3];
        for (int a = 0; a < 3; a++) arm[a] = sim->position[a][v] - center[a];
        const double own[3] = {velocity[0] + spin[1] * arm[2] - spin[2] * arm[1],
                               velocity[1] + spin[2] * arm[0] - spin[0] * arm[2],
                               velocity[2] + spin[0] * arm[1] - spin[1] * arm[0]};
        set_velocity_free(sim, v, own, spin);
    }
    vxe_state_wrote(sim, STATE_SET(velocity) | STATE_SET(spin) | STATE_SET(stuck));
    rebase_account(sim);
    vxe_time_step_expect(sim, EDIT_MOTION);
    return VXE_OK;
}

vxe_result vxe_sim_set_velocity(vxe_sim *sim, int32_t voxel, const double velocity[3], const double spin[3],
                                vxe_error *error)
{
    if (sim == NULL || velocity == NULL || spin == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_set_velocity: NULL");
    if (voxel < 0 || voxel >= sim->model->view.voxel_count)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "voxel %d does not exist", (int)voxel);
    if (!all_finite(velocity, 3) || !all_finite(spin, 3))
        return vxe_fail(error, VXE_ERROR_INPUT, "the velocity is not finite");
    set_velocity_free(sim, voxel, velocity, spin);
    vxe_state_wrote(sim, STATE_SET(velocity) | STATE_SET(spin) | STATE_SET(stuck));
    rebase_account(sim);
    vxe_time_step_expect(sim, EDIT_MOTION);
    return VXE_OK;
}
