/* Metrics: see metrics.h. */
#include "designs/metrics.h"

#include "voxelastic/run.h"

#include <math.h>
#include <string.h>

#define METRIC_ROW(constant, name, unit, what) [METRIC_##constant] = {name, unit, what},
const metric_info vxe_metrics[METRIC_COUNT] = {METRIC_LIST(METRIC_ROW)};
#undef METRIC_ROW

/* Looks at the figures in a run, and steps between them where its end is not known or near. */
enum { LOOKS = 200, LOOK_STEPS = 100 };

vxe_result vxe_watch_begin(design_watch *watch, vxe_sim *sim, const vxe_scene *scene, const vxe_stop *stop,
                           vxe_error *error)
{
    const vxe_signal_def *signal = vxe_scene_signal(scene, 0);
    const double length = vxe_run_length(sim, stop, signal != NULL ? signal->period : 0.0);
    const double shortest = LOOK_STEPS * vxe_sim_time_step(sim).dt;
    *watch = (design_watch){.has_formula = vxe_scene_formula(scene, VXE_FORMULA_FITNESS)[0] != '\0'};
    vxe_sim_center_of_mass(sim, watch->start);
    vxe_result result = vxe_figures_create(sim, isfinite(length) ? fmax(length / LOOKS, shortest) : shortest,
                                           &watch->figures, error);
    if (result == VXE_OK) result = vxe_observer_create(scene, sim, NULL, &watch->observer, error);
    return result;
}

double vxe_watch_next(const design_watch *watch)
{
    return fmin(vxe_figures_next(watch->figures), vxe_observer_next(watch->observer));
}

vxe_result vxe_watch_look(design_watch *watch, vxe_sim *sim, vxe_error *error)
{
    const double time = vxe_sim_time(sim);
    vxe_result result = VXE_OK;
    if (time >= vxe_observer_next(watch->observer)) result = vxe_observer_look(watch->observer, sim, error);
    if (time >= vxe_figures_next(watch->figures)) vxe_figures_look(watch->figures, sim);
    return result;
}

static void put_energy(vxe_sim *sim, double metrics[METRIC_COUNT])
{
    const vxe_energy e = vxe_sim_energy(sim);
    metrics[METRIC_KINETIC] = e.kinetic;
    metrics[METRIC_ELASTIC] = e.elastic;
    metrics[METRIC_GRAVITY] = e.gravity;
    metrics[METRIC_TOTAL] = e.total;
    if (!vxe_sim_settings(sim).audit) return;
    metrics[METRIC_LOAD_WORK] = e.load_work;
    metrics[METRIC_MOTION_WORK] = e.motion_work;
    metrics[METRIC_DISSIPATED] = e.dissipated;
    metrics[METRIC_ENERGY_ERROR] = e.error;
}

static void put_gait(const design_watch *watch, vxe_sim *sim, double metrics[METRIC_COUNT])
{
    const vxe_gait g = vxe_figures_gait(watch->figures);
    double now[3];
    vxe_sim_center_of_mass(sim, now);
    metrics[METRIC_BODY_LENGTH] = g.body_length;
    metrics[METRIC_DISTANCE] = g.distance;
    for (int a = 0; a < 3; a++) metrics[METRIC_DISPLACEMENT_X + a] = now[a] - watch->start[a];
    metrics[METRIC_PATH_LENGTH] = g.path_length;
    metrics[METRIC_SPEED] = g.speed;
    metrics[METRIC_SPEED_LENGTHS] = g.speed_lengths;
    metrics[METRIC_HEIGHT] = g.height;
    metrics[METRIC_RISE] = g.rise;
    metrics[METRIC_ACTUATION_WORK] = g.actuation_work;
    metrics[METRIC_COST_OF_TRANSPORT] = g.cost_of_transport;
    metrics[METRIC_DUTY_FACTOR] = g.duty_factor;
    metrics[METRIC_CONTACT_PART] = g.contact_part;
    const vxe_peak strain = vxe_figures_peak(watch->figures, VXE_PEAK_STRAIN);
    metrics[METRIC_STRAIN_MAX] = strain.value;
    metrics[METRIC_STRAIN_TIME] = strain.time;
    metrics[METRIC_STRESS_MAX] = vxe_figures_peak(watch->figures, VXE_PEAK_STRESS).value;
    metrics[METRIC_SPEED_MAX] = vxe_figures_peak(watch->figures, VXE_PEAK_SPEED).value;
    metrics[METRIC_DISPLACEMENT_MAX] = vxe_figures_peak(watch->figures, VXE_PEAK_DISPLACEMENT).value;
}

static void put_outcome(design_watch *watch, vxe_sim *sim, double metrics[METRIC_COUNT])
{
    (void)vxe_observer_finish(watch->observer, sim, NULL); /* writes nothing, so nothing can fail */
    const vxe_outcome o = vxe_observer_outcome(watch->observer);
    metrics[METRIC_MEASURED] = o.measured;
    metrics[METRIC_PAIRS] = (double)o.close_pairs;
    metrics[METRIC_TOTAL_DISTANCE] = o.distance;
    for (int a = 0; a < 3; a++) {
        metrics[METRIC_START_X + a] = o.start_center[a];
        metrics[METRIC_END_X + a] = o.end_center[a];
    }
    if (!isnan(metrics[METRIC_FORMULA])) metrics[METRIC_FORMULA] = o.fitness;
}

void vxe_watch_end(design_watch *watch, vxe_sim *sim, double metrics[METRIC_COUNT])
{
    int64_t broken = 0;
    int64_t yielded = 0;
    for (int i = 0; i < METRIC_COUNT; i++) metrics[i] = NAN;
    if (watch->figures == NULL || watch->observer == NULL) return;
    const vxe_model_view *view = vxe_model_get(vxe_sim_model(sim));
    vxe_figures_look(watch->figures, sim);
    metrics[METRIC_VOXELS] = view->voxel_count;
    metrics[METRIC_MASS] = view->mass;
    metrics[METRIC_PITCH] = view->pitch;
    if (watch->has_formula) metrics[METRIC_FORMULA] = 0.0;
    put_gait(watch, sim, metrics);
    put_energy(sim, metrics);
    vxe_sim_failures(sim, &broken, &yielded);
    metrics[METRIC_BROKEN] = (double)broken;
    metrics[METRIC_YIELDED] = (double)yielded;
    put_outcome(watch, sim, metrics);
}

void vxe_watch_free(design_watch *watch)
{
    vxe_figures_destroy(watch->figures);
    vxe_observer_destroy(watch->observer);
    *watch = (design_watch){.figures = NULL};
}

/* ---- fitness ---------------------------------------------------------------------------------------------- */

vxe_result vxe_fitness_parse(const char *text, fitness *made, vxe_error *error)
{
    const char *names[FITNESS_NAMES];
    for (int i = 0; i < METRIC_COUNT; i++) names[i] = vxe_metrics[i].name;
    names[METRIC_COUNT] = "time";
    names[METRIC_COUNT + 1] = "steps";
    names[METRIC_COUNT + 2] = "wall";
    return vxe_formula_parse_names(text, names, FITNESS_NAMES, &made->formula, error);
}

double vxe_fitness_value(const fitness *f, const double metrics[METRIC_COUNT], double time, double steps,
                         double wall)
{
    double variables[FITNESS_NAMES];
    if (f->formula.count == 0)
        return isnan(metrics[METRIC_FORMULA]) ? metrics[METRIC_DISTANCE] : metrics[METRIC_FORMULA];
    memcpy(variables, metrics, METRIC_COUNT * sizeof *variables);
    variables[METRIC_COUNT] = time;
    variables[METRIC_COUNT + 1] = steps;
    variables[METRIC_COUNT + 2] = wall;
    return vxe_formula_value(&f->formula, variables);
}

void vxe_fitness_free(fitness *f) { vxe_formula_free(&f->formula); }
