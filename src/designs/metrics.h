/* Metrics of a design: numbers that people publish about a run, by name, and any expression of them. */
#ifndef DESIGNS_METRICS_H
#define DESIGNS_METRICS_H

#include "scene/expression.h"
#include "voxelastic/figures.h"
#include "voxelastic/io.h"

/* name, unit, what it is; docs/batch.md says the same */
#define METRIC_LIST(M)                                                                                       \
    M(FORMULA, "formula", "", "value of the scene's own fitness formula")                                    \
    M(VOXELS, "voxels", "", "voxels")                                                                        \
    M(MASS, "mass", "kg", "mass")                                                                            \
    M(BODY_LENGTH, "body_length", "m", "longer horizontal side at the start")                                \
    M(DISTANCE, "distance", "m", "horizontal way of the centre of mass, from start to end")                  \
    M(DISPLACEMENT_X, "displacement_x", "m", "the same along x")                                             \
    M(DISPLACEMENT_Y, "displacement_y", "m", "along y")                                                      \
    M(DISPLACEMENT_Z, "displacement_z", "m", "along z")                                                      \
    M(PATH_LENGTH, "path_length", "m", "horizontal way of the centre of mass, with its detours")             \
    M(SPEED, "speed", "m/s", "distance by time")                                                             \
    M(SPEED_LENGTHS, "speed_lengths", "1/s", "speed in body lengths per second")                             \
    M(HEIGHT, "height", "m", "height of the centre of mass, in the mean")                                    \
    M(RISE, "rise", "m", "how far it rose above its start, at most")                                         \
    M(ACTUATION_WORK, "actuation_work", "J", "work of actuation")                                            \
    M(COST_OF_TRANSPORT, "cost_of_transport", "", "work of actuation by weight and distance")                \
    M(DUTY_FACTOR, "duty_factor", "", "part of the time that a voxel touches, of those that do at all")      \
    M(CONTACT_PART, "contact_part", "", "part of the time that any voxel touches")                           \
    M(STRAIN_MAX, "strain_max", "", "largest strain of a link over the run")                                 \
    M(STRAIN_TIME, "strain_time", "s", "when it was")                                                        \
    M(STRESS_MAX, "stress_max", "Pa", "largest stress of a voxel")                                           \
    M(SPEED_MAX, "speed_max", "m/s", "fastest voxel over the run")                                           \
    M(DISPLACEMENT_MAX, "displacement_max", "m", "largest displacement of a voxel")                          \
    M(KINETIC, "energy_kinetic", "J", "kinetic energy at the end")                                           \
    M(ELASTIC, "energy_elastic", "J", "elastic energy at the end")                                           \
    M(GRAVITY, "energy_gravity", "J", "potential energy at the end")                                         \
    M(TOTAL, "energy_total", "J", "their sum")                                                               \
    M(LOAD_WORK, "load_work", "J", "work of loads")                                                          \
    M(MOTION_WORK, "motion_work", "J", "work of prescribed motion")                                          \
    M(DISSIPATED, "dissipated", "J", "taken by damping, friction, yielding and breaking")                    \
    M(ENERGY_ERROR, "energy_error", "J", "what does not balance")                                            \
    M(BROKEN, "broken", "", "links that broke")                                                              \
    M(YIELDED, "yielded", "", "links that yielded")                                                          \
    M(MEASURED, "measured_voxels", "", "voxels that are measured (voxcraft)")                                \
    M(PAIRS, "close_pairs", "", "pairs of target voxels that are close (voxcraft)")                          \
    M(TOTAL_DISTANCE, "total_distance", "m", "sum of the distances of all measured voxels (voxcraft)")       \
    M(PITCH, "pitch", "m", "size of a voxel")                                                                \
    M(START_X, "start_x", "m", "centre of mass of the measured voxels at the start")                         \
    M(START_Y, "start_y", "m", "its y")                                                                      \
    M(START_Z, "start_z", "m", "its z")                                                                      \
    M(END_X, "end_x", "m", "the same at the end")                                                            \
    M(END_Y, "end_y", "m", "its y")                                                                          \
    M(END_Z, "end_z", "m", "its z")

#define METRIC_ENUM(constant, name, unit, what) METRIC_##constant,
typedef enum metric { METRIC_LIST(METRIC_ENUM) METRIC_COUNT } metric;
#undef METRIC_ENUM

typedef struct metric_info {
    const char *name;
    const char *unit;
    const char *what;
} metric_info;
extern const metric_info vxe_metrics[METRIC_COUNT];

/* Takes the measure of a run. */
typedef struct design_watch {
    vxe_figures *figures;
    vxe_observer *observer;
    bool has_formula; /* the scene has a formula of fitness */
    double start[3];  /* m; centre of mass */
} design_watch;
/* At the start of a run; the scene must outlive it. VXE_ERROR_MEMORY. */
vxe_result vxe_watch_begin(design_watch *watch, vxe_sim *sim, const vxe_scene *scene, const vxe_stop *stop,
                           vxe_error *error);
/* When it looks next, s of simulated time. */
double vxe_watch_next(const design_watch *watch);
vxe_result vxe_watch_look(design_watch *watch, vxe_sim *sim, vxe_error *error);
/* At the end: all metrics, NaN where there is none. */
void vxe_watch_end(design_watch *watch, vxe_sim *sim, double metrics[METRIC_COUNT]);
void vxe_watch_free(design_watch *watch);

/* An expression of metrics, and of the run's `time`, `steps` and `wall`: what a design is worth. */
typedef struct fitness {
    vxe_formula formula;
} fitness;
enum { FITNESS_NAMES = METRIC_COUNT + 3 };
/* An empty text stands for `formula` where the scene has one, else `distance`. VXE_ERROR_INPUT, _LIMIT,
 * _MEMORY. */
vxe_result vxe_fitness_parse(const char *text, fitness *made, vxe_error *error);
/* NaN: it has none. */
double vxe_fitness_value(const fitness *f, const double metrics[METRIC_COUNT], double time, double steps,
                         double wall);
void vxe_fitness_free(fitness *f);

#endif
