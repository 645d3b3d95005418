/* Specimens: see trial.h. */
#include "validate/trial.h"

#include "base/base.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool trial_good(const trial *t) { return t->error->code == VXE_OK; }

/* ---- building ----------------------------------------------------------------------------------------------------- */

void trial_begin(trial *t, vxe_elasticity elasticity, double pitch, int32_t nx, int32_t ny, int32_t nz)
{
    *t = (trial){.error = t->error, .pitch = pitch, .size = {nx, ny, nz}, .scale = 1.0};
    if (!trial_good(t)) return;
    (void)vxe_scene_create(pitch, nx, ny, nz, &t->scene, t->error);
    if (!trial_good(t)) return;
    vxe_environment e = vxe_default_environment();
    e.elasticity = elasticity;
    e.damping_stretch = 0.0;
    e.damping_rotation = 0.0;
    e.damping_ground = 0.0;
    (void)vxe_scene_set_environment(t->scene, &e, t->error);
}

static void drop_answers(trial *t)
{
    vxe_linear_destroy(t->linear);
    vxe_modes_destroy(t->modes);
    vxe_sim_destroy(t->sim);
    vxe_model_destroy(t->model);
    t->linear = NULL;
    t->modes = NULL;
    t->sim = NULL;
    t->model = NULL;
}

void trial_end(trial *t)
{
    drop_answers(t);
    vxe_scene_destroy(t->scene);
    t->scene = NULL;
}

double trial_last(trial *t, double reading)
{
    trial_end(t);
    return reading;
}

int32_t trial_expanding(trial *t, double youngs, double poisson, double density, double expansion)
{
    int32_t number = 0;
    if (!trial_good(t)) return number;
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = youngs;
    def.poissons_ratio = poisson;
    def.density = density;
    def.expansion = expansion;
    (void)vxe_scene_add_material(t->scene, &def, &number, t->error);
    return number;
}

int32_t trial_material(trial *t, double youngs, double poisson, double density)
{
    return trial_expanding(t, youngs, poisson, density, 0.0);
}

/* A box that holds the centres of its voxels and touches no others. */
static vxe_shape shape_of(voxel_box where)
{
    vxe_shape shape = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS};
    for (int a = 0; a < 3; a++) {
        shape.corner[a] = (double)where.corner[a] + 0.25;
        shape.sides[a] = (double)where.size[a] - 0.5;
    }
    return shape;
}

void trial_fill(trial *t, voxel_box where, int32_t material)
{
    if (!trial_good(t)) return;
    const vxe_shape shape = shape_of(where);
    (void)vxe_scene_fill(t->scene, &shape, material, t->error);
}

voxel_box trial_all(const trial *t) { return (voxel_box){{0, 0, 0}, {t->size[0], t->size[1], t->size[2]}}; }

voxel_box trial_layer(const trial *t, int axis, int side)
{
    voxel_box box = trial_all(t);
    box.corner[axis] = side == 0 ? 0 : t->size[axis] - 1;
    box.size[axis] = 1;
    return box;
}

static int32_t add_region(trial *t, vxe_region_def *def, voxel_box where)
{
    int32_t number = -1;
    if (!trial_good(t)) return number;
    (void)snprintf(def->name, sizeof def->name, "region %d", (int)vxe_scene_region_count(t->scene));
    def->shape = shape_of(where);
    (void)vxe_scene_add_region(t->scene, def, &number, t->error);
    return number;
}

int32_t trial_move(trial *t, voxel_box where, hold_kind kind, const double displacement[3],
                   const double rotation[3])
{
    vxe_region_def def = vxe_default_region_def();
    def.fixed = VXE_DOF_ALL;
    def.clamp = kind == HOLD_CLAMP;
    for (int a = 0; a < 3; a++) {
        if (displacement != NULL) def.displacement[a] = displacement[a];
        if (rotation != NULL) def.rotation[a] = rotation[a];
    }
    return add_region(t, &def, where);
}

int32_t trial_hold(trial *t, voxel_box where, hold_kind kind)
{
    return trial_move(t, where, kind, NULL, NULL);
}

int32_t trial_roll(trial *t, voxel_box where, int axis, double displacement)
{
    vxe_region_def def = vxe_default_region_def();
    def.fixed = 1U << axis;
    def.displacement[axis] = displacement;
    return add_region(t, &def, where);
}

int32_t trial_load(trial *t, voxel_box where, const double force[3], const double torque[3])
{
    vxe_region_def def = vxe_default_region_def();
    for (int a = 0; a < 3; a++) {
        if (force != NULL) def.force[a] = force[a];
        if (torque != NULL) def.torque[a] = torque[a];
    }
    return add_region(t, &def, where);
}

void trial_damping(trial *t, double stretch, double rotation, double ground)
{
    if (!trial_good(t)) return;
    vxe_environment e = vxe_scene_environment(t->scene);
    e.damping_stretch = stretch;
    e.damping_rotation = rotation;
    e.damping_ground = ground;
    (void)vxe_scene_set_environment(t->scene, &e, t->error);
}

void trial_plane(trial *t, vxe_plane plane)
{
    if (!trial_good(t)) return;
    vxe_environment e = vxe_scene_environment(t->scene);
    e.plane = plane;
    (void)vxe_scene_set_environment(t->scene, &e, t->error);
}

void trial_temperature(trial *t, double value)
{
    if (!trial_good(t)) return;
    /* half a period longer than any run: constant, and it can be made to grow from nothing */
    vxe_signal_def signal = vxe_default_signal_def();
    int32_t number = 0;
    signal.waveform = VXE_WAVE_SQUARE;
    signal.amplitude = value;
    signal.period = 1e6;
    (void)vxe_scene_add_signal(t->scene, &signal, &number, t->error);
}

/* ---- answers ------------------------------------------------------------------------------------------------------ */

/* The model is not shared yet, so it may be simplified: this is the only place where the refinements can be
 * switched off. */
static void leave_out(vxe_model *model, int without)
{
    if ((without & WITHOUT_FACE_LOADS) != 0 && model->face_load != NULL) {
        const size_t count = 3 * (size_t)model->region_begin[model->view.region_count];
        memset(model->face_load, 0, count * sizeof *model->face_load);
    }
    if ((without & WITHOUT_SHARING) != 0) {
        model->share_count = 0;
        model->sharing_count = 0;
    }
}

static void compile_scene(trial *t, const vxe_scene *scene, int without)
{
    drop_answers(t);
    (void)vxe_compile(scene, &t->model, t->error);
    if (!trial_good(t)) return;
    leave_out(t->model, without);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = t->audit; /* of loads as small as some here it is all round-off */
    def.bond_damping = t->bond_damping;
    (void)vxe_sim_create(t->model, &def, &t->sim, t->error);
}

void trial_compile(trial *t, int without)
{
    if (!trial_good(t)) return;
    t->scale = 1.0;
    compile_scene(t, t->scene, without);
}

/* Loads and prescribed motion of all regions times `factor`, reached within `ramp` seconds, as growth is. */
static void change_loads(trial *t, vxe_scene *scene, double factor, double ramp)
{
    for (int32_t r = 0; r < vxe_scene_region_count(scene) && trial_good(t); r++) {
        vxe_region_def def = *vxe_scene_region(scene, r);
        for (int a = 0; a < 3; a++) {
            def.force[a] *= factor;
            def.torque[a] *= factor;
            def.displacement[a] *= factor;
            def.rotation[a] *= factor;
        }
        def.ramp = ramp;
        (void)vxe_scene_set_region(scene, r, &def, t->error);
    }
    for (int32_t i = 0; i < vxe_scene_signal_count(scene) && trial_good(t); i++) {
        vxe_signal_def def = *vxe_scene_signal(scene, i);
        def.amplitude *= factor;
        def.start = ramp;
        (void)vxe_scene_set_signal(scene, i, &def, t->error);
    }
}

/* Relaxes under loads times `factor` that grow slowly enough to tear nothing. */
static void relax_scene(trial *t, double factor, int without)
{
    enum { RAMP_STEPS = 4000 };
    vxe_scene *copy = NULL;
    trial_compile(t, without); /* for the time step */
    if (!trial_good(t)) return;
    const double ramp = RAMP_STEPS * vxe_sim_time_step(t->sim).dt;
    (void)vxe_scene_copy(t->scene, &copy, t->error);
    if (!trial_good(t)) return;
    change_loads(t, copy, factor, ramp);
    if (trial_good(t)) compile_scene(t, copy, without);
    vxe_scene_destroy(copy);
    t->scale = factor;
    if (trial_good(t)) (void)vxe_sim_set_damping(t->sim, 0.0, 0.0, 0.0, 0.01, t->error);
    trial_step(t, RAMP_STEPS + 1000);
    trial_relax(t, 4000000);
}

void trial_linear(trial *t, int without)
{
    if (!trial_good(t)) return;
    if (vxe_solve_available()) {
        trial_compile(t, without);
        if (!trial_good(t)) return;
        vxe_linear_def def = vxe_default_linear_def();
        def.tolerance = 1e-10;
        (void)vxe_solve_linear(t->sim, &def, &t->linear, t->error);
        return;
    }
    relax_scene(t, 1e-3, without); /* what is nonlinear falls with its square against what is linear */
}

void trial_equilibrium(trial *t)
{
    if (!trial_good(t)) return;
    if (!vxe_solve_available()) {
        relax_scene(t, 1.0, 0);
        return;
    }
    trial_compile(t, 0);
    if (!trial_good(t)) return;
    const vxe_equilibrium_def def = vxe_default_equilibrium_def();
    vxe_equilibrium report;
    (void)vxe_solve_equilibrium(t->sim, &def, &report, t->error);
}

static void note_failure(trial *t)
{
    (void)vxe_fail(t->error, VXE_ERROR_DIVERGED, "%s", vxe_sim_status(t->sim)->message);
}

void trial_step(trial *t, int64_t steps)
{
    if (trial_good(t)) (void)vxe_sim_step(t->sim, steps, t->error);
}

void trial_settle(trial *t, double speed, double hold, int64_t most)
{
    if (!trial_good(t)) return;
    const vxe_stop stop = {.speed = speed, .settle = hold};
    const vxe_run_reason reason = vxe_sim_run(t->sim, &stop, most);
    if (reason == VXE_RUN_FAULT) {
        note_failure(t);
    } else if (reason != VXE_RUN_SPEED) {
        (void)vxe_fail(t->error, VXE_ERROR_DIVERGED, "not at rest after %lld steps", (long long)most);
    }
}

/* Square of the frequency in which the body moves now, from how forces change along the motion (Rayleigh's
 * quotient); 0 if it cannot be told. Takes two steps. `before` holds 3 numbers per voxel. */
static double moving_square(trial *t, double *before)
{
    const vxe_model_view *view = vxe_model_get(t->model);
    const size_t n = (size_t)view->voxel_count;
    double stiffness = 0.0;
    double mass = 0.0;
    trial_step(t, 1);
    if (!trial_good(t)) return 0.0;
    const vxe_state *state = vxe_sim_state(t->sim);
    for (size_t a = 0; a < 3; a++) {
        for (size_t v = 0; v < n; v++) {
            before[a * n + v] = state->force[a][v];
            before[(3 + a) * n + v] = state->velocity[a][v];
        }
    }
    trial_step(t, 1);
    if (!trial_good(t)) return 0.0;
    state = vxe_sim_state(t->sim);
    for (size_t a = 0; a < 3; a++) {
        for (size_t v = 0; v < n; v++) {
            const double speed = before[(3 + a) * n + v];
            stiffness += speed * (before[a * n + v] - state->force[a][v]);
            mass += view->voxel_mass[view->material[v]] * speed * speed;
        }
    }
    const double square = stiffness / (mass * vxe_sim_time_step(t->sim).dt);
    return square > 0.0 && isfinite(square) ? square : 0.0;
}

/* Ground damping that follows the frequency of what still moves (adaptive dynamic relaxation). */
void trial_relax(trial *t, int64_t most)
{
    enum { STEPS = 100, CALM = 5 };
    if (!trial_good(t)) return;
    const vxe_model_view *view = vxe_model_get(t->model);
    const vxe_material_def *material = vxe_scene_material(t->scene, 1);
    const double w0 = sqrt(material->youngs_modulus / material->density) / view->pitch;
    double *before = calloc((size_t)view->voxel_count, 6 * sizeof *before);
    if (before == NULL) {
        (void)vxe_fail_memory(t->error, "a relaxation", 6 * sizeof *before * (size_t)view->voxel_count);
        return;
    }
    double frequency = 0.03 * w0;
    int calm = 0;
    for (int64_t i = 0; i < most && calm < CALM && trial_good(t); i += STEPS + 2) {
        const double square = moving_square(t, before);
        if (!trial_good(t)) break;
        if (square > 1e-6 * w0 * w0) frequency = sqrt(square);
        (void)vxe_sim_set_damping(t->sim, 0.0, 0.0, 0.0, frequency / w0, t->error);
        trial_step(t, STEPS);
        /* what moves at speed s in a mode of frequency w, critically damped, is about s/w from its goal */
        const double left = vxe_sim_speed_max(t->sim) / frequency;
        const double enough = fmax(1e-9 * vxe_sim_displacement_max(t->sim, NULL), 1e-11 * view->pitch);
        calm = left <= enough ? calm + 1 : 0;
    }
    free(before);
    if (trial_good(t) && calm < CALM) {
        (void)vxe_fail(t->error, VXE_ERROR_DIVERGED, "not at rest after %lld steps", (long long)most);
    }
}

void trial_modes(trial *t, int32_t count, double *frequency)
{
    for (int32_t i = 0; i < count; i++) frequency[i] = (double)NAN;
    if (!trial_good(t)) return;
    vxe_modes_destroy(t->modes);
    t->modes = NULL;
    vxe_modes_def def = vxe_default_modes_def();
    def.count = count + 6; /* a free body has six rigid motions */
    (void)vxe_solve_modes(t->sim, &def, &t->modes, t->error);
    if (!trial_good(t)) return;
    const vxe_modes_view *view = vxe_modes_get(t->modes);
    const int32_t first = view->rigid + view->unstable;
    for (int32_t i = 0; i < count && first + i < view->count; i++) frequency[i] = view->frequency[first + i];
}

double trial_shape(const trial *t, int32_t mode, int32_t voxel, int component)
{
    if (!trial_good(t) || t->modes == NULL) return (double)NAN;
    const vxe_modes_view *view = vxe_modes_get(t->modes);
    const double *shape = vxe_modes_shape(t->modes, view->rigid + view->unstable + mode, component);
    return shape == NULL || voxel < 0 ? (double)NAN : shape[voxel];
}

/* ---- readings ----------------------------------------------------------------------------------------------------- */

int32_t trial_voxel(const trial *t, int32_t i, int32_t j, int32_t k)
{
    return trial_good(t) ? vxe_model_voxel_at(t->model, i, j, k) : -1;
}

double trial_moved(const trial *t, int32_t i, int32_t j, int32_t k, int axis)
{
    const int32_t v = trial_voxel(t, i, j, k);
    if (v < 0) return (double)NAN;
    if (t->linear != NULL) return vxe_linear_get(t->linear)->displacement[axis][v];
    return (vxe_sim_state(t->sim)->position[axis][v] - vxe_model_get(t->model)->start[axis][v]) / t->scale;
}

double trial_turned(const trial *t, int32_t i, int32_t j, int32_t k, int axis)
{
    const int32_t v = trial_voxel(t, i, j, k);
    if (v < 0) return (double)NAN;
    if (t->linear != NULL) return vxe_linear_get(t->linear)->rotation[axis][v];
    return 2.0 * vxe_sim_state(t->sim)->orientation[axis + 1][v] / t->scale; /* small turns */
}

double trial_region_moved(const trial *t, int32_t region, int axis)
{
    double d[3] = {(double)NAN, (double)NAN, (double)NAN};
    if (!trial_good(t)) return (double)NAN;
    if (t->linear != NULL) {
        (void)vxe_linear_region_displacement(t->linear, region, d, NULL);
    } else {
        (void)vxe_sim_region_displacement(t->sim, region, d, NULL);
    }
    return d[axis] / t->scale;
}

static double reaction(const trial *t, int32_t region, int axis, bool moment)
{
    double f[3] = {(double)NAN, (double)NAN, (double)NAN};
    double m[3] = {(double)NAN, (double)NAN, (double)NAN};
    if (!trial_good(t)) return (double)NAN;
    if (t->linear != NULL) {
        (void)vxe_linear_region_reaction(t->linear, region, f, m, NULL);
    } else {
        (void)vxe_sim_region_reaction(t->sim, region, f, m, NULL);
    }
    return (moment ? m[axis] : f[axis]) / t->scale;
}

double trial_region_force(const trial *t, int32_t region, int axis)
{
    return reaction(t, region, axis, false);
}

double trial_region_moment(const trial *t, int32_t region, int axis)
{
    return reaction(t, region, axis, true);
}
