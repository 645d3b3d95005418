/* Watches a simulation for the results of an experiment: where the body was when results began and where it
 * is now, places on the way, frames of a history. */
#include "io/observer.h"

#include "base/sum.h"

#include "kernel/strain.h"
#include "sim/life.h"
#include "sim/outside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_MAX 10000000
#define OBSTACLE 5 /* the material that evosoro takes as no part of a robot */

static double body_volume(const vxe_observer *o, vxe_sim *sim)
{
    const double l = o->view->pitch;
    const double *growth = vxe_sim_state(sim)->growth;
    tree_sum volume = {.count = 0};
    for (int32_t v = 0; v < o->view->voxel_count; v++) {
        const double side = l * (1.0 + growth[v]);
        sum_add(&volume, side * side * side);
    }
    return sum_total(&volume);
}

static bool is_measured(const vxe_observer *o, int32_t v)
{
    return !vxe_scene_material(o->scene, o->view->material[v])->unmeasured;
}

/* Results count from here. */
static void begin(vxe_observer *o, vxe_sim *sim)
{
    const vxe_state *state = vxe_sim_state(sim);
    for (int a = 0; a < 3; a++)
        memcpy(o->start[a], state->position[a], (size_t)o->view->voxel_count * sizeof(double));
    vxe_sim_measured_center(sim, o->outcome.start_center);
    memcpy(o->half_center, o->outcome.start_center, sizeof o->half_center);
    o->outcome.start_time = state->time;
    o->start_volume = body_volume(o, sim);
    o->begun = true;
}

int32_t vxe_observed_material(const vxe_observer *o, const char *name)
{
    const int32_t material = name[0] != '\0' ? vxe_scene_find_material(o->scene, name) : 0;
    return material > 0 ? material : 0;
}

#define BLOCK 7 /* the material that evosoro's robots push, unless the file names another */

/* How far the last voxel of the block has been pushed along the floor, in voxels. */
static double block_way(const vxe_observer *o, const vxe_sim *sim)
{
    const int32_t named = vxe_observed_material(o, o->experiment.block);
    const int32_t block = named > 0 ? named : BLOCK;
    for (int32_t v = o->view->voxel_count - 1; v >= 0; v--) {
        if (o->view->material[v] != block || !vxe_sim_present(sim, v)) continue;
        const double x = o->end[0][v] - o->start[0][v];
        const double y = o->end[1][v] - o->start[1][v];
        return sqrt(x * x + y * y) / o->view->pitch;
    }
    return 0.0;
}

/* The end of the body along y, in voxels, as evosoro has it: without obstacles, at most 100000. */
static double back_of(const vxe_observer *o, const vxe_state *state)
{
    double back = 100000.0;
    for (int32_t v = 0; v < o->view->voxel_count; v++) {
        if (o->view->material[v] != OBSTACLE) back = fmin(back, state->position[1][v] / o->view->pitch);
    }
    return back;
}

static bool sticks(const vxe_observer *o, int32_t material)
{
    for (int32_t r = 0; r < vxe_scene_rule_count(o->scene); r++) {
        const vxe_rule_def *rule = vxe_scene_rule(o->scene, r);
        if (rule->kind == VXE_RULE_BOND &&
            (rule->material[0] == '\0' ||
             strcmp(rule->material, vxe_scene_material(o->scene, material)->name) == 0))
            return true;
    }
    return false;
}

/* Voxels of the largest body with one that sticks; < 0: nothing sticks. */
static vxe_result find_largest(vxe_observer *o, const vxe_sim *sim, vxe_error *error)
{
    const int32_t n = o->view->voxel_count;
    bool any = false;
    for (int32_t r = 0; r < vxe_scene_rule_count(o->scene); r++)
        any = any || vxe_scene_rule(o->scene, r)->kind == VXE_RULE_BOND;
    o->largest = any ? 0.0 : -1.0;
    if (!any) return VXE_OK;
    int32_t *body = vxe_allocate(2 * (size_t)n, sizeof *body);
    uint8_t *sticky = vxe_allocate((size_t)n, 1);
    if (body == NULL || sticky == NULL) {
        free(body);
        free(sticky);
        return vxe_fail_memory(error, "bodies", 2 * (size_t)n * sizeof *body);
    }
    vxe_bodies_find(sim, body);
    for (int32_t v = 0; v < n; v++) {
        if (!vxe_sim_present(sim, v)) continue;
        body[n + body[v]]++;
        if (sticks(o, vxe_life_material(sim, v))) sticky[body[v]] = 1;
    }
    for (int32_t v = 0; v < n; v++) {
        if (sticky[v] != 0) o->largest = fmax(o->largest, (double)body[n + v]);
    }
    free(body);
    free(sticky);
    return VXE_OK;
}

/* Where things are now. */
static void measure(vxe_observer *o, vxe_sim *sim)
{
    const vxe_state *state = vxe_sim_state(sim);
    const vxe_environment environment = vxe_scene_environment(o->scene);
    const double radius = environment.floor_radius;
    tree_sum distance = {.count = 0};
    o->floor_voxels = o->floor_non_feet = 0.0;
    for (int a = 0; a < 3; a++)
        memcpy(o->end[a], state->position[a], (size_t)o->view->voxel_count * sizeof(double));
    for (int32_t v = 0; v < o->view->voxel_count; v++) {
        double square = 0.0;
        for (int a = 0; a < 3; a++)
            square += (o->end[a][v] - o->start[a][v]) * (o->end[a][v] - o->start[a][v]);
        sum_add(&distance, is_measured(o, v) ? sqrt(square) : 0.0);
        const double half = 0.5 * o->view->pitch;
        const double depth = floor_depth_of(o->view->pitch, state->growth[v], state->position[2][v]);
        const bool above =
            environment.floor &&
            floor_is_under(state->position[0][v] - half * o->view->size[0],
                           state->position[1][v] - half * o->view->size[1], radius * radius) != 0;
        if (!above || !(depth > 0.0)) continue;
        o->floor_voxels += 1.0;
        if (o->view->material[v] == 6) o->floor_non_feet += 1.0;
    }
    o->outcome.voxels = (int32_t)vxe_voxels_so_far(sim);
    o->outcome.measured = 0;
    for (int32_t v = 0; v < o->view->voxel_count; v++) { /* a place where nothing has grown is no voxel */
        const bool waits = o->view->reserved != NULL && o->view->reserved[v] != 0 && !vxe_sim_present(sim, v);
        o->outcome.measured += !waits && is_measured(o, v);
    }
    o->outcome.distance = sum_total(&distance);
    o->outcome.end_time = state->time;
    o->outcome.close_pairs = vxe_sim_close_pairs(sim);
    vxe_sim_measured_center(sim, o->outcome.end_center);
    o->outcome.fitness = vxe_sim_formula(sim, VXE_FORMULA_FITNESS, o->outcome.start_center);
    o->end_volume = body_volume(o, sim);
    o->pushed = block_way(o, sim);
    o->found = o->experiment.needle[0] != '\0' && sim->watch.hit > 0.0;
}

vxe_result vxe_observer_create(const vxe_scene *scene, vxe_sim *sim, const char *history,
                               vxe_observer **observer, vxe_error *error)
{
    if (scene == NULL || sim == NULL || observer == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    vxe_observer *o = calloc(1, sizeof *o);
    if (o == NULL) return vxe_fail_memory(error, "an observer", sizeof *o);
    o->scene = scene;
    o->view = vxe_model_get(vxe_sim_model(sim));
    o->experiment = vxe_scene_experiment(scene);
    const size_t n = (size_t)o->view->voxel_count;
    vxe_result result = VXE_OK;
    for (int a = 0; a < 3; a++) {
        o->start[a] = vxe_allocate(n, sizeof(double));
        o->end[a] = vxe_allocate(n, sizeof(double));
        if (o->start[a] == NULL || o->end[a] == NULL) {
            vxe_observer_destroy(o);
            return vxe_fail_memory(error, "an observer", 2 * n * sizeof(double));
        }
    }
    if (history != NULL && o->experiment.history_every > 0.0 &&
        (o->experiment.history_voxels || o->experiment.history_links))
        result = vxe_history_begin(o, history, error);
    if (result != VXE_OK) {
        vxe_observer_destroy(o);
        return result;
    }
    o->by_formula[0] = vxe_scene_formula(scene, VXE_FORMULA_BEGIN)[0] != '\0';
    o->by_formula[1] = vxe_scene_formula(scene, VXE_FORMULA_END)[0] != '\0';
    o->next_place = o->experiment.trace_every > 0.0 ? 0.0 : INFINITY;
    const double life = vxe_scene_stop(scene).time - o->experiment.afterlife;
    o->life_end = o->experiment.afterlife > 0.0 && life > 0.0 ? life : INFINITY;
    o->largest = -1.0;
    begin(o, sim); /* unless something says later */
    measure(o, sim);
    o->begun = !o->by_formula[0] && !(o->experiment.begin > vxe_sim_time(sim));
    *observer = o;
    return VXE_OK;
}

void vxe_observer_destroy(vxe_observer *observer)
{
    if (observer == NULL) return;
    if (observer->has_history) vxe_file_discard(&observer->history);
    for (int a = 0; a < 3; a++) {
        free(observer->start[a]);
        free(observer->end[a]);
    }
    free(observer->places);
    free(observer);
}

double vxe_observer_next(const vxe_observer *o)
{
    if (o == NULL) return INFINITY;
    if (o->by_formula[0] || o->by_formula[1]) return 0.0;
    double next = o->next_place;
    if (o->has_history) next = fmin(next, o->next_frame);
    if (!o->begun) next = fmin(next, o->experiment.begin);
    if (!o->restarted && o->experiment.restart > 0.0) next = fmin(next, o->experiment.restart);
    if (!o->grouped && o->experiment.group_at > 0.0) next = fmin(next, o->experiment.group_at);
    return fmin(next, o->life_end);
}

static vxe_result add_place(vxe_observer *o, vxe_sim *sim, vxe_error *error)
{
    observed_place *places = o->place_count < PLACES_MAX ? vxe_grow(o->places, (size_t)o->place_count + 1,
                                                                    &o->place_capacity, sizeof *places)
                                                         : NULL;
    if (places == NULL) return vxe_fail_memory(error, "the way of the centre of mass", sizeof *places);
    o->places = places;
    observed_place *place = &o->places[o->place_count++];
    place->time = vxe_sim_time(sim);
    vxe_sim_measured_center(sim, place->center);
    place->volume = body_volume(o, sim);
    return VXE_OK;
}

vxe_result vxe_observer_look(vxe_observer *o, vxe_sim *sim, vxe_error *error)
{
    if (o == NULL || sim == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    const double time = vxe_sim_time(sim);
    vxe_result result = VXE_OK;
    if (!o->begun && (o->by_formula[0] ? vxe_sim_formula(sim, VXE_FORMULA_BEGIN, NULL) > 0.0
                                       : time >= o->experiment.begin))
        begin(o, sim);
    if (!o->restarted && o->experiment.restart > 0.0 && time >= o->experiment.restart) {
        begin(o, sim);
        o->restarted = true;
    }
    if (o->begun && !o->ended && o->by_formula[1] && vxe_sim_formula(sim, VXE_FORMULA_END, NULL) > 0.0) {
        measure(o, sim);
        o->ended = true;
    }
    if (time >= o->life_end) {
        o->life_back = back_of(o, vxe_sim_state(sim));
        o->life_end = INFINITY;
    }
    if (!o->grouped && o->experiment.group_at > 0.0 && time >= o->experiment.group_at) {
        result = find_largest(o, sim, error);
        o->grouped = true;
    }
    if (result == VXE_OK && time >= o->next_place) {
        result = add_place(o, sim, error);
        o->next_place = o->experiment.trace_every * (floor(time / o->experiment.trace_every) + 1.0);
    }
    if (result == VXE_OK && o->has_history && time >= o->next_frame && vxe_sim_state(sim)->step > 0) {
        result = vxe_history_frame_now(o, sim, error);
        const double every = o->experiment.history_every;
        o->next_frame = every * (floor(time / every + 1e-9) + 1.0);
    }
    return result;
}

vxe_result vxe_observer_finish(vxe_observer *o, vxe_sim *sim, vxe_error *error)
{
    vxe_result result = vxe_observer_look(o, sim, error);
    if (result == VXE_ERROR_ARGUMENT) return result;
    if (!o->ended) measure(o, sim);
    o->ended = true;
    if (result == VXE_OK && !o->grouped) result = find_largest(o, sim, error);
    o->grouped = true;
    if (vxe_sim_status(sim)->fault != VXE_FAULT_NONE) {
        o->outcome.failed = true;
        o->outcome.fitness = VXE_FITNESS_LOST;
        (void)snprintf(o->failure, sizeof o->failure, "%s", vxe_sim_status(sim)->message);
    }
    if (result == VXE_OK && o->has_history) {
        o->has_history = false;
        result = vxe_file_commit(&o->history, error);
    }
    return result;
}

vxe_outcome vxe_observer_outcome(const vxe_observer *observer)
{
    return observer == NULL ? (vxe_outcome){.fitness = 0.0} : observer->outcome;
}
