/* Films from replays: the JSON in a replay.html, as docs/studio-protocol.md describes it. The file may be
 * anybody's, so everything is checked. */
#include "base/base.h"
#include "picture/film.h"
#include "picture/measure.h"
#include "picture/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN "id=\"voxelastic-replay\">"
#define FILE_MAX ((size_t)1 << 30)
enum { COUNT_MAX = 100000000 };

typedef struct reader {
    const char *path;
    json_t *root;
    vxe_film *film;
    vxe_body *body;
    bool valued;   /* the measure has values */
    bool constant; /* and only the first frame has them */
    double low, high;
    vxe_error *error;
} reader;

static vxe_result bad(const reader *r, const char *what)
{
    return vxe_fail(r->error, VXE_ERROR_INPUT, "%.500s: not a replay that can be read: %s", r->path, what);
}

static bool read_number(const json_t *value, double *number)
{
    *number = json_number_value(value);
    return json_is_number(value) && isfinite(*number);
}

static bool read_numbers(const json_t *list, size_t count, double *numbers)
{
    if (json_array_size(list) != count) return false;
    for (size_t i = 0; i < count; i++)
        if (!read_number(json_array_get(list, i), &numbers[i])) return false;
    return true;
}

static vxe_result read_head(reader *r, const char *measure)
{
    vxe_film *f = r->film;
    const json_t *materials = json_object_get(r->root, "materials");
    if (json_integer_value(json_object_get(r->root, "format")) != 1) return bad(r, "its format is not 1");
    if (!read_number(json_object_get(r->root, "pitch"), &f->pitch) || !(f->pitch > 0.0))
        return bad(r, "pitch");
    f->floor = json_is_true(json_object_get(r->root, "floor"));
    const char *name = json_string_value(json_object_get(r->root, "name"));
    (void)snprintf(f->name, sizeof f->name, "%s", name != NULL ? name : "");
    f->colors = json_array_size(materials) < VXE_MATERIALS_MAX ? (int32_t)json_array_size(materials)
                                                               : VXE_MATERIALS_MAX;
    f->color = calloc((size_t)f->colors + 1, sizeof *f->color);
    if (f->color == NULL) return vxe_fail_memory(r->error, "a film", (size_t)f->colors);
    for (int32_t i = 0; i < f->colors; i++) {
        const char *text = json_string_value(json_object_get(json_array_get(materials, (size_t)i), "color"));
        unsigned code = 0x808080;
        if (text == NULL || sscanf(text, "#%6x", &code) != 1) return bad(r, "the colour of a material");
        f->color[i + 1] = vxe_rgb_of(code);
    }
    f->measure = 0;
    f->low = INFINITY;
    f->high = -INFINITY;
    if (measure == NULL || strcmp(measure, "material") == 0) return VXE_OK;
    const json_t *fields = json_object_get(r->root, "fields");
    size_t i = 0;
    const json_t *field = NULL;
    json_array_foreach(fields, i, field)
    {
        const char *one = json_string_value(json_object_get(field, "name"));
        if (one == NULL || strcmp(one, measure) != 0) continue;
        const int number = vxe_measure_find(one);
        if (number <= 0 || !read_number(json_object_get(field, "min"), &r->low) ||
            !read_number(json_object_get(field, "max"), &r->high))
            return bad(r, "the range of a measure");
        f->measure = number;
        r->valued = true;
        r->constant = strcmp(one, "phase") == 0;
        return VXE_OK;
    }
    return vxe_fail(r->error, VXE_ERROR_INPUT, "%.500s: the replay has no \"%.100s\" to colour voxels by",
                    r->path, measure);
}

static vxe_result read_body(reader *r)
{
    const json_t *mesh = json_object_get(r->root, "mesh");
    const json_int_t n = json_integer_value(json_object_get(mesh, "voxels"));
    const json_int_t m = json_integer_value(json_object_get(mesh, "corners"));
    const json_int_t f = json_integer_value(json_object_get(mesh, "faces"));
    if (n < 1 || m < 1 || f < 1 || n > COUNT_MAX || m > COUNT_MAX || f > COUNT_MAX)
        return bad(r, "the size of its mesh");
    uint32_t *face = vxe_unpack_json(json_object_get(mesh, "face"), "u32", 4 * (size_t)f);
    uint32_t *voxel = vxe_unpack_json(json_object_get(mesh, "face_voxel"), "u32", (size_t)f);
    uint8_t *side = vxe_unpack_json(json_object_get(mesh, "face_side"), "u8", (size_t)f);
    int32_t *cell = vxe_unpack_json(json_object_get(mesh, "cell"), "i32", 3 * (size_t)n);
    uint16_t *material = vxe_unpack_json(json_object_get(mesh, "material"), "u16", (size_t)n);
    bool good = face != NULL && voxel != NULL && side != NULL && cell != NULL && material != NULL;
    for (size_t i = 0; i < (size_t)f && good; i++) {
        good = side[i] < 6 && voxel[i] < (uint32_t)n;
        for (size_t k = 0; k < 4; k++) good = good && face[4 * i + k] < (uint32_t)m;
    }
    for (size_t i = 0; i < 3 * (size_t)n && good; i++)
        good = cell[i] > -INT32_MAX / 2 && cell[i] < INT32_MAX / 2;
    vxe_result result = good ? vxe_body_create((int32_t)n, (int32_t)m, (int32_t)f, face, voxel, side,
                                               material, cell, &r->body, r->error)
                             : bad(r, "its mesh");
    free(face);
    free(voxel);
    free(side);
    free(cell);
    free(material);
    return result;
}

static vxe_result read_frame(reader *r, const json_t *frame, const json_t *first)
{
    if (r->body == NULL) return bad(r, "its mesh");
    vxe_film *f = r->film;
    const size_t m = 3 * (size_t)r->body->corner_count;
    const size_t n = (size_t)r->body->voxel_count;
    vxe_shot *shot = vxe_film_room(f);
    double box[6];
    if (shot == NULL) return vxe_fail_memory(r->error, "a film", sizeof *shot);
    if (!read_number(json_object_get(frame, "time"), &shot->time) ||
        (f->count > 0 && !(shot->time > f->shots[f->count - 1].time)) ||
        !read_numbers(json_object_get(frame, "origin"), 3, shot->origin) ||
        !read_numbers(json_object_get(frame, "box"), 6, box))
        return bad(r, "a frame");
    const char *name = vxe_measure_name(f->measure, NULL, NULL);
    uint16_t *numbers = vxe_unpack_json(json_object_get(frame, "corners"), "u16", m);
    uint8_t *parts =
        r->valued ? vxe_unpack_json(json_object_get(r->constant ? first : frame, name), "u8", n) : NULL;
    shot->corner = malloc(m * sizeof *shot->corner);
    shot->value = r->valued ? malloc(n * sizeof *shot->value) : NULL;
    if (numbers == NULL || shot->corner == NULL || (r->valued && (parts == NULL || shot->value == NULL))) {
        free(numbers);
        free(parts);
        free(shot->corner);
        free(shot->value);
        return bad(r, "the corners or values of a frame");
    }
    for (size_t i = 0; i < m; i++) shot->corner[i] = (float)(box[i % 3] + numbers[i] * box[3 + i % 3]);
    for (size_t i = 0; i < n && r->valued; i++)
        shot->value[i] = (float)(r->low + parts[i] * (r->high - r->low) / 255.0);
    free(numbers);
    free(parts);
    shot->body = r->body;
    r->body->users++;
    vxe_film_accept(f);
    return VXE_OK;
}

static vxe_result read_all(reader *r, const char *text, size_t size, const char *measure)
{
    const char *begin = strstr(text, BEGIN);
    const char *end = begin == NULL ? NULL : strstr(begin, "</script>");
    if (end == NULL || (size_t)(end - text) > size) return bad(r, "it has no recording");
    begin += sizeof BEGIN - 1;
    r->root = json_loadb(begin, (size_t)(end - begin), 0, NULL);
    if (!json_is_object(r->root)) return bad(r, "its recording is no JSON object");
    r->film = calloc(1, sizeof *r->film);
    if (r->film == NULL) return vxe_fail_memory(r->error, "a film", sizeof *r->film);
    vxe_result result = read_head(r, measure);
    if (result == VXE_OK) result = read_body(r);
    const json_t *frames = json_object_get(r->root, "frames");
    if (result == VXE_OK && json_array_size(frames) == 0) result = bad(r, "it has no frames");
    size_t i = 0;
    const json_t *frame = NULL;
    json_array_foreach(frames, i, frame)
    {
        if (result == VXE_OK) result = read_frame(r, frame, json_array_get(frames, 0));
    }
    return result;
}

vxe_result vxe_film_load(const char *path, const char *measure, vxe_film **film, vxe_error *error)
{
    if (path == NULL || film == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_film_load: NULL");
    char *text = NULL;
    size_t size = 0;
    vxe_result result = vxe_read_file(path, FILE_MAX, &text, &size, error);
    if (result != VXE_OK) return result;
    result = vxe_film_parse(text, size, path, measure, film, error);
    free(text);
    return result;
}

vxe_result vxe_film_parse(const char *text, size_t size, const char *path, const char *measure,
                          vxe_film **film, vxe_error *error)
{
    reader r = {.path = path, .error = error};
    const vxe_result result = read_all(&r, text, size, measure);
    vxe_body_release(r.body);
    json_decref(r.root);
    if (result != VXE_OK) {
        vxe_film_destroy(r.film);
        return result;
    }
    *film = r.film;
    return VXE_OK;
}
