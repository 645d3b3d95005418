/* Where the camera stands: far enough for everything to be seen, going with bodies that travel. */
#include "picture/film.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>

enum { LOOKS_MAX = 60 }; /* frames that are looked at to find out how far to stand */
#define MARGIN 0.76      /* part of the picture that bodies may fill */

void vxe_camera_path_clear(vxe_camera_path *path)
{
    free(path->place);
    path->place = NULL;
}

/* The middle of the body in each frame, smoothed over half a second or so, and level: it does not bob with
 * the gait. */
static bool smooth_path(const vxe_film *film, vxe_camera_path *path)
{
    const int32_t n = film->count;
    path->place = malloc(((size_t)n + 1) * sizeof *path->place);
    if (path->place == NULL) return false;
    const double span = film->shots[n - 1].time - film->shots[0].time;
    const double width = fmax(0.06 * span, fmin(0.5, 0.25 * span));
    for (int32_t i = 0; i < n; i++) {
        double sum[2] = {0.0, 0.0};
        double weights = 0.0;
        /* At the ends the window shrinks, so that the camera begins and ends with the body. */
        const double t = film->shots[i].time;
        const double room = fmin(t - film->shots[0].time, film->shots[n - 1].time - t);
        const double reach = fmin(2.0 * width, room) + 1e-12;
        for (int32_t k = 0; k < n; k++) {
            const double away = (film->shots[k].time - t) / reach;
            if (fabs(away) > 1.0) continue;
            const double weight = 1.0 - away * away + 1e-9;
            for (int a = 0; a < 2; a++) sum[a] += weight * film->path[k][a];
            weights += weight;
        }
        for (int a = 0; a < 2; a++) path->place[i][a] = sum[a] / weights;
        path->place[i][2] = 0.0;
    }
    return true;
}

/* The box of all that is looked at, along the camera's axes, relative to the path. */
typedef struct extent {
    double low[3];
    double high[3];
} extent;

static vec3 place_of(const vxe_film *film, const vxe_camera_path *path, int32_t frame, int32_t corner,
                     double pitch)
{
    const vxe_shot *shot = &film->shots[frame];
    double at[3];
    for (int a = 0; a < 3; a++) {
        at[a] = shot->origin[a] + (double)shot->corner[3 * (size_t)corner + (size_t)a];
        if (path->place != NULL) at[a] -= path->place[frame][a];
        at[a] /= pitch;
    }
    return vec3_make(at[0], at[1], at[2]);
}

vxe_result vxe_camera_plan(const vxe_film *film, const vxe_picture_def *def, vxe_camera_path *path,
                           vxe_error *error)
{
    *path =
        (vxe_camera_path){.camera = vxe_camera_make(def->width, def->height, def->azimuth, def->elevation)};
    vxe_camera *c = &path->camera;
    const int32_t n = film->count;
    double travelled = 0.0;
    double size = film->pitch;
    for (int32_t i = 0; i < n; i++) {
        const vxe_shot *shot = &film->shots[i];
        travelled =
            fmax(travelled, hypot(film->path[i][0] - film->path[0][0], film->path[i][1] - film->path[0][1]));
        for (int32_t k = 0; k < shot->body->corner_count && i == 0; k++) {
            const float *at = shot->corner + 3 * (size_t)k;
            size = fmax(size, 2.0 * hypot((double)at[0] + shot->origin[0] - film->path[0][0],
                                          (double)at[1] + shot->origin[1] - film->path[0][1]));
        }
    }
    path->follows = def->camera == VXE_CAMERA_FOLLOW || (def->camera == VXE_CAMERA_AUTO && travelled > size);
    if (path->follows && !smooth_path(film, path)) return vxe_fail_memory(error, "a picture", 24 * (size_t)n);
    const int32_t every = n > LOOKS_MAX ? (n + LOOKS_MAX - 1) / LOOKS_MAX : 1;
    extent e = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const vec3 axes[3] = {c->right, c->up, c->forward};
    for (int32_t i = 0; i < n; i += every) {
        for (int32_t k = 0; k < film->shots[i].body->corner_count; k++) {
            const vec3 at = place_of(film, path, i, k, film->pitch);
            for (int a = 0; a < 3; a++) {
                const double along = vec3_dot(at, axes[a]);
                if (!isfinite(along)) continue;
                e.low[a] = fmin(e.low[a], along);
                e.high[a] = fmax(e.high[a], along);
            }
        }
    }
    vec3 target = {0.0, 0.0, 0.0};
    for (int a = 0; a < 3; a++) {
        const double middle = e.high[a] >= e.low[a] ? 0.5 * (e.low[a] + e.high[a]) : 0.0;
        target = vec3_add(target, vec3_scale(middle, axes[a]));
    }
    /* A point is inside if its offset times the focal length, divided by its depth, is less than half of the
     * picture. */
    double distance = 2.0;
    const double limit[2] = {0.5 * MARGIN * def->width / c->focal, 0.5 * MARGIN * def->height / c->focal};
    for (int32_t i = 0; i < n; i += every) {
        for (int32_t k = 0; k < film->shots[i].body->corner_count; k++) {
            const vec3 at = vec3_sub(place_of(film, path, i, k, film->pitch), target);
            const double depth = vec3_dot(at, c->forward);
            for (int a = 0; a < 2; a++) {
                const double need = fabs(vec3_dot(at, axes[a])) / limit[a] - depth;
                if (isfinite(need)) distance = fmax(distance, need);
            }
        }
    }
    c->distance = distance;
    c->focal *= def->zoom;
    path->offset[0] = target.x * film->pitch;
    path->offset[1] = target.y * film->pitch;
    path->offset[2] = target.z * film->pitch;
    return VXE_OK;
}
