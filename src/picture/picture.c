/* Pictures of films: the moment, the camera, the renderer, and what is written on top. */
#include "picture/film.h"
#include "base/base.h"
#include "picture/measure.h"
#include "picture/render.h"
#include "picture/scale.h"

#include <math.h>
#include <stdlib.h>

/* The frames before and after a time, and how far it is between them. */
typedef struct moment {
    int32_t before;
    int32_t after;
    double part;
} moment;

static moment find_moment(const vxe_film *film, double time)
{
    int32_t low = 0;
    int32_t high = film->count - 1;
    if (!(time > film->shots[low].time)) return (moment){low, low, 0.0};
    if (!(time < film->shots[high].time)) return (moment){high, high, 0.0};
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (film->shots[middle].time <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double part = (time - film->shots[low].time) / (film->shots[high].time - film->shots[low].time);
    if (film->shots[low].body != film->shots[high].body) /* torn in between: there is no in between */
        return part < 0.5 ? (moment){low, low, 0.0} : (moment){high, high, 0.0};
    return (moment){low, high, part};
}

static double mix(double a, double b, double part) { return a + part * (b - a); }

/* ---- what is written on top ---------------------------------------------------------------------------------------- */

static void draw_scale(vxe_canvas *c, const vxe_scale *s, double unit, bool dark)
{
    const vxe_rgb ink = vxe_rgb_of(dark ? 0xdfe6ee : 0x1d2733);
    const double font = 13.0 * unit;
    const double bar[2] = {14.0 * unit, 150.0 * unit};
    double width = vxe_text_width(1, font, s->title);
    for (int i = 0; i < s->tick_count; i++)
        width = fmax(width, bar[0] + 10.0 * unit + vxe_text_width(0, font, s->ticks[i].text));
    const double left = 16.0 * unit;
    const double bottom = c->height - 52.0 * unit;
    const double pad = 11.0 * unit;
    const double top = bottom - bar[1] - 2.0 * pad - 26.0 * unit;
    const double right = left + width + 2.0 * pad;
    for (int i = 4; i > 0; i--) /* a soft edge below the card */
        vxe_canvas_box(c, left - i * 0.6 * unit, top + unit - i * 0.4 * unit, right + i * 0.6 * unit,
                       bottom + unit + i * 0.9 * unit, (7.0 + i) * unit, vxe_rgb_of(0x203040), 0.022);
    vxe_canvas_box(c, left, top, right, bottom, 7.0 * unit, vxe_rgb_of(dark ? 0x1c232c : 0xffffff), 0.93);
    vxe_canvas_text(c, 1, font, left + pad, top + pad + 11.0 * unit, VXE_TEXT_LEFT, ink, s->title);
    const double y0 = top + pad + 28.0 * unit;
    const double y1 = bottom - pad;
    const double x0 = left + pad;
    const int steps = (int)ceil(y1 - y0);
    for (int i = 0; i < steps; i++) {
        const double from = y0 + (y1 - y0) * i / steps;
        const double to = y0 + (y1 - y0) * (i + 1) / steps;
        double part = 1.0 - (i + 0.5) / steps;
        if (s->map == VXE_MAP_STATES) part = round(2.0 * part) / 2.0;
        vxe_canvas_box(c, x0, from, x0 + bar[0], to, 0.0, vxe_map_color(s->map, part), 1.0);
    }
    for (int i = 0; i < s->tick_count; i++) {
        const double y = y1 + (y0 - y1) * s->ticks[i].part;
        vxe_canvas_box(c, x0 + bar[0], y - 0.5 * unit, x0 + bar[0] + 4.0 * unit, y + 0.5 * unit, 0.0, ink,
                       0.55);
        vxe_canvas_text(c, 0, font, x0 + bar[0] + 9.0 * unit, y + 0.36 * font, VXE_TEXT_LEFT, ink,
                        s->ticks[i].text);
    }
}

/* A length that looks like an eighth of the picture, at the distance of the body. */
static void draw_ruler(vxe_canvas *c, double metres_per_pixel, double unit, bool dark)
{
    const vxe_rgb ink = vxe_rgb_of(dark ? 0xa8b4c2 : 0x5a6675);
    const double length = vxe_round_step(0.06 * c->width * metres_per_pixel);
    const double pixels = length / metres_per_pixel;
    const double x = 17.0 * unit;
    const double y = c->height - 30.0 * unit;
    char text[32];
    vxe_print_quantity(text, sizeof text, length, "m", 3);
    vxe_canvas_box(c, x, y, x + pixels, y + 1.2 * unit, 0.0, ink, 1.0);
    vxe_canvas_box(c, x, y - 4.0 * unit, x + 1.2 * unit, y, 0.0, ink, 1.0);
    vxe_canvas_box(c, x + pixels - 1.2 * unit, y - 4.0 * unit, x + pixels, y, 0.0, ink, 1.0);
    vxe_canvas_text(c, 0, 12.0 * unit, x, y + 16.0 * unit, VXE_TEXT_LEFT, ink, text);
}

/* Seconds with as many digits as the length of the film is worth. */
static void print_time(char *text, size_t size, double time, double span)
{
    const char *unit = span >= 0.5 || span == 0.0 ? "s" : span >= 0.5e-3 ? "ms" : "µs";
    const double factor = unit[0] == 's' ? 1.0 : unit[0] == 'm' ? 1e-3 : 1e-6;
    const double shown = span / factor;
    const int digits = shown >= 200.0 ? 0 : shown >= 20.0 ? 1 : 2;
    (void)snprintf(text, size, "%.*f %s", digits, time / factor, unit);
}

static void draw_legend(const vxe_film *film, const vxe_picture_def *def, const vxe_scale *scale, double time,
                        double metres_per_pixel, vxe_canvas *c)
{
    const double unit = fmax(fmin(c->height / 720.0, c->width / 960.0), 0.62); /* still legible */
    const vxe_rgb ink = vxe_rgb_of(def->dark ? 0xdfe6ee : 0x1d2733);
    const vxe_rgb grey = vxe_rgb_of(def->dark ? 0xa8b4c2 : 0x5a6675);
    const char *title = def->title != NULL ? def->title : film->name;
    double y = 34.0 * unit;
    if (title[0] != '\0') {
        vxe_canvas_text(c, 1, 20.0 * unit, 17.0 * unit, y, VXE_TEXT_LEFT, ink, title);
        y += 24.0 * unit;
    }
    char text[40];
    print_time(text, sizeof text, time, film->shots[film->count - 1].time);
    vxe_canvas_text(c, 0, 15.0 * unit, 17.0 * unit, y, VXE_TEXT_LEFT, grey, text);
    if (scale != NULL) draw_scale(c, scale, unit, def->dark);
    draw_ruler(c, metres_per_pixel, unit, def->dark);
}

/* ---- the picture ---------------------------------------------------------------------------------------------------- */

vxe_result vxe_film_check(const vxe_film *film, const vxe_picture_def *given, vxe_picture_def *def,
                          vxe_error *error)
{
    if (film == NULL || given == NULL || film->count == 0)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "a picture needs a film with a frame, and settings");
    const vxe_result taken = vxe_settings_take(&vxe_picture_type, given, def, error);
    if (taken != VXE_OK) return taken;
    if (def->width < 16 || def->width > 8192 || def->height < 16 || def->height > 8192)
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        "a picture has 16 to 8192 pixels along each side, not %d x %d", (int)def->width,
                        (int)def->height);
    if (!isfinite(def->azimuth) || !(fabs(def->elevation) <= 1.5) || !(def->zoom > 0.0) ||
        !isfinite(def->zoom) || !isfinite(def->low) || !isfinite(def->high) || def->low > def->high)
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        "a picture needs an elevation up to 1.5, a zoom above 0 and a scale");
    return VXE_OK;
}

/* Corners and colours at a moment; `target` is the origin. */
static void place_drawn(const vxe_film *film, const moment *m, const double target[3], const vxe_scale *scale,
                        vxe_drawn *drawn)
{
    const vxe_shot *a = &film->shots[m->before];
    const vxe_shot *b = &film->shots[m->after];
    const uint16_t *material = drawn->body.material;
    for (size_t i = 0; i < 3 * (size_t)drawn->body.corner_count; i++) {
        const double at =
            mix(a->origin[i % 3] + (double)a->corner[i], b->origin[i % 3] + (double)b->corner[i], m->part);
        drawn->corner[i] = (float)((at - target[i % 3]) / film->pitch);
    }
    for (size_t v = 0; v < (size_t)drawn->body.voxel_count; v++) {
        if (film->measure == 0) {
            drawn->color[v] =
                material[v] <= film->colors ? film->color[material[v]] : (vxe_rgb){128, 128, 128};
        } else {
            drawn->color[v] = vxe_scale_color(scale, mix((double)a->value[v], (double)b->value[v], m->part));
        }
    }
}

static vxe_scale scale_of(const vxe_film *film, const vxe_picture_def *def)
{
    if (film->measure == 0) return (vxe_scale){0};
    const char *label = NULL;
    const char *unit = NULL;
    const char *name = vxe_measure_name(film->measure, &label, &unit);
    const bool fixed = def->low != def->high;
    return vxe_scale_make(name, label, unit, fixed ? def->low : film->low, fixed ? def->high : film->high,
                          film->least, fixed);
}

vxe_result vxe_film_render(const vxe_film *film, const vxe_picture_def *def, const vxe_camera_path *path,
                           double time, vxe_canvas *canvas, vxe_error *error)
{
    const moment m = find_moment(film, time);
    vxe_drawn drawn = {.body = *film->shots[m.before].body};
    const size_t corners = (size_t)drawn.body.corner_count;
    drawn.corner = malloc((3 * corners + 1) * sizeof *drawn.corner);
    drawn.color = malloc(((size_t)drawn.body.voxel_count + 1) * sizeof *drawn.color);
    if (drawn.corner == NULL || drawn.color == NULL) {
        free(drawn.corner);
        free(drawn.color);
        return vxe_fail_memory(error, "a picture", 12 * corners);
    }
    double target[3];
    for (int k = 0; k < 3; k++) {
        target[k] = path->offset[k];
        if (path->place != NULL) target[k] += mix(path->place[m.before][k], path->place[m.after][k], m.part);
    }
    const vxe_scale scale = scale_of(film, def);
    place_drawn(film, &m, target, &scale, &drawn);
    const double view_height = canvas->height * path->camera.distance / path->camera.focal;
    const double step = vxe_round_step(view_height * film->pitch / 40.0) / film->pitch;
    vxe_look look = {
        .camera = path->camera,
        .samples = def->samples,
        .floor = def->floor && film->floor,
        .floor_height = -target[2] / film->pitch,
        .floor_step = step,
        .water = def->floor && film->water,
        .water_height = (film->water_level - target[2]) / film->pitch,
        .view_height = view_height,
        .edges = def->edges,
        .line = fmax(1.0, canvas->height / 720.0),
        .dark = def->dark,
        .color = drawn.color,
    };
    for (int k = 0; k < 2; k++) look.floor_from[k] = -fmod(target[k] / film->pitch, 5.0 * step);
    vxe_result result = VXE_OK;
    if (film->scenery != NULL && def->floor) {
        vxe_drawn joined;
        result = vxe_scenery_join(film->scenery, &drawn, &look.camera, target, film->pitch, &joined, error);
        if (result == VXE_OK) {
            look.color = joined.color;
            result = vxe_render(&joined.body, joined.corner, &look, canvas, error);
            vxe_scenery_part(&joined);
        }
    } else {
        result = vxe_render(&drawn.body, drawn.corner, &look, canvas, error);
    }
    if (result == VXE_OK && def->legend) {
        const double now = mix(film->shots[m.before].time, film->shots[m.after].time, m.part);
        const double metres = view_height / canvas->height * film->pitch;
        draw_legend(film, def, film->measure > 0 ? &scale : NULL, now, metres, canvas);
    }
    free(drawn.corner);
    free(drawn.color);
    return result;
}

vxe_result vxe_film_draw(const vxe_film *film, const vxe_picture_def *def, double time, uint8_t *pixels,
                         vxe_error *error)
{
    vxe_camera_path path = {0};
    vxe_picture_def own = vxe_default_picture_def();
    vxe_result result = vxe_film_check(film, def, &own, error);
    if (result != VXE_OK) return result;
    def = &own;
    if (pixels == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_film_draw: NULL");
    result = vxe_camera_plan(film, def, &path, error);
    vxe_canvas canvas = {def->width, def->height, pixels};
    if (result == VXE_OK) result = vxe_film_render(film, def, &path, time, &canvas, error);
    vxe_camera_path_clear(&path);
    return result;
}

vxe_result vxe_film_encode_picture(const vxe_film *film, const vxe_picture_def *def, double time,
                                   uint8_t **data, size_t *size, vxe_error *error)
{
    vxe_picture_def own = vxe_default_picture_def();
    vxe_result result = vxe_film_check(film, def, &own, error);
    if (result != VXE_OK) return result;
    def = &own;
    vxe_canvas canvas = {def->width, def->height, malloc(3 * (size_t)def->width * (size_t)def->height)};
    if (canvas.pixels == NULL)
        return vxe_fail_memory(error, "a picture", 3 * (size_t)def->width * (size_t)def->height);
    result = vxe_film_draw(film, def, time, canvas.pixels, error);
    if (result == VXE_OK) result = vxe_png_encode(&canvas, data, size, error);
    free(canvas.pixels);
    return result;
}

vxe_result vxe_film_save_picture(const vxe_film *film, const vxe_picture_def *def, double time,
                                 const char *path, vxe_error *error)
{
    uint8_t *data = NULL;
    size_t size = 0;
    vxe_result result = vxe_film_encode_picture(film, def, time, &data, &size, error);
    if (result == VXE_OK) result = vxe_write_file(path, data, size, error);
    free(data);
    return result;
}
