/* Films: see voxelastic/picture.h. */
#include "picture/film.h"
#include "base/base.h"
#include "voxelastic/rules.h"
#include "picture/measure.h"

#include <math.h>
#include <stdlib.h>

static const vxe_picture_def defaults = {
    .size = sizeof(vxe_picture_def),
    .width = 1280,
    .height = 720,
    .samples = 4,
    .azimuth = -0.98, /* from the front right and above, as the studio begins */
    .elevation = 0.42,
    .zoom = 1.0,
    .floor = true,
    .edges = true,
    .legend = true,
};
const settings_type vxe_picture_type = {"vxe_picture_def", sizeof(vxe_picture_def),
                                        SETTINGS_END(vxe_picture_def, threads), &defaults};

void vxe_picture_def_init(vxe_picture_def *def, size_t size)
{
    vxe_settings_give(&vxe_picture_type, NULL, def, size);
}

void vxe_film_destroy(vxe_film *film)
{
    if (film == NULL) return;
    for (int32_t i = 0; i < film->count; i++) {
        vxe_body_release(film->shots[i].body);
        free(film->shots[i].corner);
        free(film->shots[i].value);
    }
    vxe_surface_destroy(film->surface);
    vxe_scenery_destroy(film->scenery);
    free(film->shots);
    free(film->path);
    free(film->color);
    free(film);
}

vxe_result vxe_film_create(const vxe_sim *sim, const vxe_scene *scene, const char *measure, vxe_film **film,
                           vxe_error *error)
{
    if (sim == NULL || scene == NULL || film == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_film_create: NULL");
    const int number = vxe_measure_find(measure == NULL ? "material" : measure);
    if (number < 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "there is no measure \"%.100s\" to colour voxels by",
                        measure);
    vxe_film *made = calloc(1, sizeof *made);
    if (made == NULL) return vxe_fail_memory(error, "a film", sizeof *made);
    made->scene = scene;
    made->model = vxe_sim_model(sim);
    made->pitch = vxe_model_get(made->model)->pitch;
    made->floor = vxe_scene_environment(scene).floor;
    const vxe_water_def *water = vxe_scene_water(scene);
    made->water = water != NULL && water->has_level;
    if (made->water) made->water_level = water->level;
    made->measure = number;
    made->least = vxe_measure_least(number, scene);
    made->low = INFINITY;
    made->high = -INFINITY;
    made->colors = vxe_scene_material_count(scene);
    made->color = calloc((size_t)made->colors + 1, sizeof *made->color);
    if (made->color == NULL) {
        vxe_film_destroy(made);
        return vxe_fail_memory(error, "a film", 1000);
    }
    for (int32_t i = 1; i <= made->colors; i++) {
        const vxe_material_def *m = vxe_scene_material(scene, i);
        made->color[i] = (vxe_rgb){m->color[0], m->color[1], m->color[2]};
    }
    (void)snprintf(made->name, sizeof made->name, "%s", vxe_scene_name(scene));
    const vxe_result result = vxe_scenery_create(scene, &made->scenery, error);
    if (result != VXE_OK) {
        vxe_film_destroy(made);
        return result;
    }
    *film = made;
    return VXE_OK;
}

vxe_shot *vxe_film_room(vxe_film *film)
{
    if (film->count == film->room) {
        const size_t room = 2 * (size_t)film->room + 16;
        vxe_shot *shots = realloc(film->shots, room * sizeof *shots);
        if (shots != NULL) film->shots = shots;
        double(*path)[3] = realloc(film->path, room * sizeof *path);
        if (path != NULL) film->path = path;
        if (shots == NULL || path == NULL) return NULL;
        film->room = (int32_t)room;
    }
    film->shots[film->count] = (vxe_shot){0};
    return &film->shots[film->count];
}

void vxe_film_accept(vxe_film *film)
{
    const vxe_shot *shot = &film->shots[film->count];
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)shot->body->corner_count; i++) {
        low[i % 3] = fmin(low[i % 3], (double)shot->corner[i]);
        high[i % 3] = fmax(high[i % 3], (double)shot->corner[i]);
    }
    for (int a = 0; a < 3; a++) {
        const double middle = 0.5 * (low[a] + high[a]);
        film->path[film->count][a] = shot->origin[a] + (isfinite(middle) ? middle : 0.0);
    }
    for (int32_t v = 0; v < shot->body->voxel_count && shot->value != NULL; v++) {
        if (!isfinite(shot->value[v])) continue;
        film->low = fmin(film->low, (double)shot->value[v]);
        film->high = fmax(film->high, (double)shot->value[v]);
    }
    film->count++;
}

/* The faces as they are now: those of the last frame, unless links have broken since. */
static vxe_result find_body(vxe_film *film, vxe_sim *sim, vxe_shot *shot, vxe_error *error)
{
    const int64_t changes = vxe_surface_changes(sim);
    if (film->surface != NULL && film->count > 0 && changes == film->changes) {
        shot->body = film->shots[film->count - 1].body;
        shot->body->users++;
        return VXE_OK;
    }
    vxe_surface *s = NULL;
    vxe_result result = vxe_surface_create(sim, VXE_SHOWN_SURFACE, false, &s, error);
    if (result == VXE_OK) result = vxe_body_create(s, &shot->body, error);
    if (result != VXE_OK) {
        vxe_surface_destroy(s);
        return result;
    }
    vxe_surface_destroy(film->surface);
    film->surface = s;
    film->changes = changes;
    return VXE_OK;
}

vxe_result vxe_film_take(vxe_film *film, vxe_sim *sim, vxe_error *error)
{
    if (film == NULL || sim == NULL || film->model == NULL || vxe_sim_model(sim) != film->model)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_film_take: a film and a simulation of its model");
    const vxe_state *state = vxe_sim_state(sim);
    const vxe_model_view *model = vxe_model_get(film->model);
    if (film->count > 0 && !(state->time > film->shots[film->count - 1].time))
        return state->time == film->shots[film->count - 1].time
                   ? VXE_OK
                   : vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_film_take: %g s comes before the last frame",
                              state->time);
    vxe_shot *shot = vxe_film_room(film);
    if (shot == NULL) return vxe_fail_memory(error, "a film", sizeof *shot);
    vxe_result result = find_body(film, sim, shot, error);
    if (result != VXE_OK) return result;
    const size_t corners = (size_t)shot->body->corner_count;
    const size_t voxels = (size_t)shot->body->voxel_count;
    shot->time = state->time;
    shot->corner = malloc((3 * corners + 1) * sizeof *shot->corner);
    shot->value = film->measure > 0 ? malloc((voxels + 1) * sizeof *shot->value) : NULL;
    if (shot->corner == NULL || (film->measure > 0 && shot->value == NULL))
        result = vxe_fail_memory(error, "a film", 12 * corners + 4 * voxels);
    double center[3];
    double range[2];
    vxe_sim_center_of_mass(sim, center);
    for (int a = 0; a < 3; a++)
        shot->origin[a] = isfinite(center[a]) ? film->pitch * round(center[a] / film->pitch) : 0.0;
    if (result == VXE_OK && film->measure > 0)
        result = vxe_measure_read(film->measure, sim, film->scene, film->surface->voxel,
                                  film->surface->voxel_count, shot->value, range, error);
    if (result != VXE_OK) {
        vxe_body_release(shot->body);
        free(shot->corner);
        free(shot->value);
        return result;
    }
    vxe_surface_pose(film->surface, model, vxe_sim_state(sim));
    vxe_surface_corners(film->surface, shot->origin, shot->corner);
    vxe_film_accept(film);
    return VXE_OK;
}

int32_t vxe_film_count(const vxe_film *film) { return film == NULL ? 0 : film->count; }

double vxe_film_time(const vxe_film *film, int32_t frame)
{
    return film == NULL || frame < 0 || frame >= film->count ? NAN : film->shots[frame].time;
}

void vxe_film_range(const vxe_film *film, double range[2])
{
    if (range == NULL) return;
    const bool valued = film != NULL && film->measure > 0 && film->low <= film->high;
    range[0] = valued ? film->low : 0.0;
    range[1] = valued ? film->high : 0.0;
}

size_t vxe_film_bytes(const vxe_film *film)
{
    if (film == NULL) return 0;
    size_t bytes = 0;
    for (int32_t i = 0; i < film->count; i++) {
        const vxe_body *body = film->shots[i].body;
        bytes += 12 * (size_t)body->corner_count + (film->measure > 0 ? 4 * (size_t)body->voxel_count : 0);
        if (i == 0 || body != film->shots[i - 1].body)
            bytes += 24 * (size_t)body->face_count + 2 * (size_t)body->voxel_count;
    }
    return bytes + (size_t)film->room * (sizeof *film->shots + sizeof *film->path);
}
