/* Films from replays: the JSON in a replay.html, as docs/studio-protocol.md describes it. The file may be
 * anybody's, so everything is checked. */
#include "base/base.h"
#include "picture/film.h"
#include "picture/measure.h"
#include "picture/pack.h"

#include <float.h>
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
    vxe_body **bodies;    /* of the meshes, NULL: not read yet, (body_count) */
    const json_t **first; /* the first frame of each, (body_count) */
    size_t body_count;
    bool valued;   /* the measure has values */
    bool constant; /* and only the first frame of a mesh has them */
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
            !read_number(json_object_get(field, "max"), &r->high) || !(fabs(r->low) <= (double)FLT_MAX) ||
            !(fabs(r->high) <= (double)FLT_MAX)) /* values are floats */
            return bad(r, "the range of a measure");
        f->measure = number;
        r->valued = true;
        r->constant = strcmp(one, "phase") == 0;
        return VXE_OK;
    }
    return vxe_fail(r->error, VXE_ERROR_INPUT, "%.500s: the replay has no \"%.100s\" to colour voxels by",
                    r->path, measure);
}

/* Numbers that are u16 where that is enough. */
static uint32_t *read_indices(const json_t *mesh, const char *name, size_t count)
{
    const json_t *packed = json_object_get(mesh, name);
    uint32_t *wide = vxe_unpack_json(packed, "u32", count);
    if (wide != NULL) return wide;
    uint16_t *narrow = vxe_unpack_json(packed, "u16", count);
    wide = narrow != NULL ? malloc((count + 1) * sizeof *wide) : NULL;
    for (size_t i = 0; i < count && wide != NULL; i++) wide[i] = narrow[i];
    free(narrow);
    return wide;
}

/* The corners of faces: as they are there, or from the voxels they belong to. */
static uint32_t *read_faces(const json_t *mesh, size_t voxels, size_t faces, const uint32_t *voxel,
                            const uint8_t *side)
{
    /* Counterclockwise from outside, of corners with x fastest. */
    static const uint8_t around[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    if (json_object_get(mesh, "face") != NULL) return read_indices(mesh, "face", 4 * faces);
    uint32_t *hexahedron = read_indices(mesh, "hexahedron", 8 * voxels);
    uint32_t *face = hexahedron != NULL ? malloc((4 * faces + 1) * sizeof *face) : NULL;
    for (size_t i = 0; i < 4 * faces && face != NULL; i++)
        face[i] = hexahedron[8 * (size_t)voxel[i / 4] + around[side[i / 4]][i % 4]];
    free(hexahedron);
    return face;
}

static vxe_result read_body(const reader *r, const json_t *mesh, vxe_body **body)
{
    const json_int_t n = json_integer_value(json_object_get(mesh, "voxels"));
    const json_int_t m = json_integer_value(json_object_get(mesh, "corners"));
    const json_int_t f = json_integer_value(json_object_get(mesh, "faces"));
    if (n < 1 || m < 1 || f < 1 || n > COUNT_MAX || m > COUNT_MAX || f > COUNT_MAX)
        return bad(r, "the size of its mesh");
    vxe_surface s = {.voxel_count = (int32_t)n, .corner_count = (int32_t)m, .face_count = (int32_t)f};
    s.face_voxel = read_indices(mesh, "face_voxel", (size_t)f);
    s.face_side = vxe_unpack_json(json_object_get(mesh, "face_side"), "u8", (size_t)f);
    s.cell = vxe_unpack_json(json_object_get(mesh, "cell"), "i32", 3 * (size_t)n);
    s.material = vxe_unpack_json(json_object_get(mesh, "material"), "u16", (size_t)n);
    bool good = s.face_voxel != NULL && s.face_side != NULL && s.cell != NULL && s.material != NULL;
    for (size_t i = 0; i < (size_t)f && good; i++) good = s.face_side[i] < 6 && s.face_voxel[i] < (uint32_t)n;
    s.face = good ? read_faces(mesh, (size_t)n, (size_t)f, s.face_voxel, s.face_side) : NULL;
    good = s.face != NULL;
    for (size_t i = 0; i < 4 * (size_t)f && good; i++) good = s.face[i] < (uint32_t)m;
    for (size_t i = 0; i < 3 * (size_t)n && good; i++)
        good = s.cell[i] > -INT32_MAX / 2 && s.cell[i] < INT32_MAX / 2;
    const vxe_result result = good ? vxe_body_create(&s, body, r->error) : bad(r, "its mesh");
    free(s.face);
    free(s.face_voxel);
    free(s.face_side);
    free(s.cell);
    free(s.material);
    return result;
}

/* The mesh that a frame has: the only one, or the one that it names. */
static vxe_result find_body(const reader *r, const json_t *frame, size_t *number)
{
    const json_t *named = json_object_get(frame, "mesh");
    const json_int_t k = json_integer_value(named);
    if ((named != NULL && !json_is_integer(named)) || k < 0 || (size_t)k >= r->body_count)
        return bad(r, "the mesh of a frame");
    *number = (size_t)k;
    if (r->bodies[k] != NULL) return VXE_OK;
    r->first[k] = frame;
    return read_body(r,
                     k == 0 ? json_object_get(r->root, "mesh")
                            : json_array_get(json_object_get(r->root, "meshes"), (size_t)k - 1),
                     &r->bodies[k]);
}

static vxe_result read_frame(reader *r, const json_t *frame)
{
    size_t number = 0;
    const vxe_result found = find_body(r, frame, &number);
    if (found != VXE_OK) return found;
    vxe_film *f = r->film;
    vxe_body *body = r->bodies[number];
    if (body == NULL) return bad(r, "a mesh");
    const size_t m = 3 * (size_t)body->corner_count;
    const size_t n = (size_t)body->voxel_count;
    vxe_shot *shot = vxe_film_room(f);
    double box[6];
    if (shot == NULL) return vxe_fail_memory(r->error, "a film", sizeof *shot);
    if (!read_number(json_object_get(frame, "time"), &shot->time) ||
        (f->count > 0 && !(shot->time > f->shots[f->count - 1].time)) ||
        !read_numbers(json_object_get(frame, "origin"), 3, shot->origin) ||
        !read_numbers(json_object_get(frame, "box"), 6, box))
        return bad(r, "a frame");
    uint16_t *numbers = vxe_unpack_json(json_object_get(frame, "corners"), "u16", m);
    const json_t *told = r->constant ? r->first[number] : frame;
    const char *name = vxe_measure_name(f->measure, NULL, NULL);
    uint8_t *parts = r->valued ? vxe_unpack_json(json_object_get(told, name), "u8", n) : NULL;
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
    shot->body = body;
    body->users++;
    vxe_film_accept(f);
    return VXE_OK;
}

/* Ground and solids, which old files do not have. */
static vxe_result read_world(const reader *r)
{
    const json_t *world = json_object_get(r->root, "world");
    const json_t *water = json_object_get(world, "water");
    r->film->water = json_is_number(water) && isfinite(json_number_value(water));
    if (r->film->water) r->film->water_level = json_number_value(water);
    const json_int_t corners =
        json_integer_value(json_object_get(json_object_get(world, "corners"), "count"));
    const json_int_t faces = json_integer_value(json_object_get(json_object_get(world, "face"), "count"));
    if (corners == 0 && faces == 0) return VXE_OK;
    if (corners < 3 || faces < 4 || corners > COUNT_MAX || faces > COUNT_MAX || corners % 3 != 0 ||
        faces % 4 != 0)
        return bad(r, "its surroundings");
    const size_t m = (size_t)corners;
    const size_t f = (size_t)faces / 4;
    vxe_scenery *s = calloc(1, sizeof *s);
    float *corner = vxe_unpack_json(json_object_get(world, "corners"), "f32", m);
    uint8_t *color = vxe_unpack_json(json_object_get(world, "color"), "u8", 3 * f);
    if (s != NULL) {
        r->film->scenery = s;
        s->corner_count = (int32_t)(m / 3);
        s->face_count = (int32_t)f;
        s->face = vxe_unpack_json(json_object_get(world, "face"), "u32", 4 * f);
        s->corner = malloc(m * sizeof *s->corner);
        s->color = malloc(f * sizeof *s->color);
    }
    bool good = s != NULL && corner != NULL && color != NULL && s->face != NULL && s->corner != NULL &&
                s->color != NULL;
    for (size_t i = 0; i < m && good; i++) {
        s->corner[i] = (double)corner[i];
        good = isfinite(corner[i]);
    }
    for (size_t i = 0; i < 4 * f && good; i++) good = s->face[i] < (uint32_t)s->corner_count;
    for (size_t i = 0; i < f && good; i++)
        s->color[i] = (vxe_rgb){color[3 * i], color[3 * i + 1], color[3 * i + 2]};
    free(corner);
    free(color);
    return good ? VXE_OK : bad(r, "its surroundings");
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
    if (result == VXE_OK) result = read_world(r);
    r->body_count = 1 + json_array_size(json_object_get(r->root, "meshes"));
    r->bodies = calloc(r->body_count, sizeof(vxe_body *));
    r->first = calloc(r->body_count, sizeof(json_t *));
    if ((r->bodies == NULL || r->first == NULL) && result == VXE_OK)
        result = vxe_fail_memory(r->error, "a film", r->body_count * sizeof(vxe_body *));
    const json_t *frames = json_object_get(r->root, "frames");
    if (result == VXE_OK && json_array_size(frames) == 0) result = bad(r, "it has no frames");
    size_t i = 0;
    const json_t *frame = NULL;
    json_array_foreach(frames, i, frame)
    {
        if (result == VXE_OK) result = read_frame(r, frame);
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
    for (size_t i = 0; i < r.body_count && r.bodies != NULL; i++) vxe_body_release(r.bodies[i]);
    free(r.bodies);
    free(r.first);
    json_decref(r.root);
    if (result != VXE_OK) {
        vxe_film_destroy(r.film);
        return result;
    }
    *film = r.film;
    return VXE_OK;
}
