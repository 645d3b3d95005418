/* Recording and writing replays; see replay.h. */
#include "studio/replay.h"
#include "base/base.h"
#include "studio/field.h"
#include "studio/message.h"
#include "studio/pack.h"
#include "studio/page.h"
#include "studio/surface.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 400, FRAMES_WANTED = 240, ROWS_MAX = 4000 };
#define BYTES_MAX ((size_t)20 << 20) /* of the frames; the mesh and the page come to it */
#define GRAIN 256.0                  /* corners are kept to this part of a pitch, which no eye sees */
#define MARK "<!--VOXELASTIC-REPLAY-->"

/* A frame as it is kept. */
typedef struct kept_frame {
    json_t *object; /* as it is written, but for the field */
    float *strain;  /* (voxel_count of the surface); its range is known only at the end */
} kept_frame;

struct replay {
    const vxe_scene *scene;
    const vxe_trace *trace;
    surface *surface;
    double interval; /* s between frames */
    double next;     /* s */
    kept_frame frames[FRAMES_MAX];
    size_t frame_count;
    size_t bytes;
    double range[2]; /* of the strain, over all frames */
    double last;     /* s; time of the last frame */
    double *rows;    /* (ROWS_MAX columns) */
    size_t row_count;
    int32_t columns;
    int64_t row_stride; /* every so many rows are kept */
    int64_t row_seen;
    bool failed; /* there was no memory */
};

static void drop_frame(replay *r, kept_frame *f)
{
    r->bytes -= f->object == NULL ? 0 : pack_size(json_object_get(f->object, "corners"));
    json_decref(f->object);
    free(f->strain);
    *f = (kept_frame){NULL, NULL};
}

void replay_destroy(replay *r)
{
    if (r == NULL) return;
    for (size_t i = 0; i < r->frame_count; i++) drop_frame(r, &r->frames[i]);
    surface_destroy(r->surface);
    free(r->rows);
    free(r);
}

vxe_result replay_create(vxe_sim *sim, const vxe_scene *scene, const vxe_trace *trace, double length,
                         replay **made, vxe_error *error)
{
    replay *r = calloc(1, sizeof *r);
    if (r == NULL) return vxe_fail_memory(error, "the replay", sizeof *r);
    r->scene = scene;
    r->trace = trace;
    r->columns = trace == NULL ? 0 : vxe_trace_columns(trace);
    r->row_stride = 1;
    const double dt = vxe_sim_time_step(sim).dt;
    r->interval = isfinite(length) && length > 0.0 ? length / FRAMES_WANTED : 20.0 * dt;
    r->next = vxe_sim_time(sim);
    r->last = -1.0;
    r->rows = calloc(ROWS_MAX * (size_t)r->columns + 1, sizeof *r->rows);
    vxe_result result = surface_create(sim, false, false, &r->surface, error);
    if (r->rows == NULL && result == VXE_OK) result = vxe_fail_memory(error, "the replay", ROWS_MAX);
    if (result != VXE_OK) {
        replay_destroy(r);
        return result;
    }
    *made = r;
    return VXE_OK;
}

double replay_next(const replay *r) { return r == NULL || r->failed ? INFINITY : r->next; }

/* ---- frames ------------------------------------------------------------------------------------------------------- */

static void thin_out(replay *r)
{
    for (size_t i = 0; i < r->frame_count; i++) {
        if (i % 2 != 0) {
            drop_frame(r, &r->frames[i]);
        } else if (i > 0) {
            r->frames[i / 2] = r->frames[i];
            r->frames[i] = (kept_frame){NULL, NULL};
        }
    }
    r->frame_count = (r->frame_count + 1) / 2;
    r->interval *= 2.0;
}

/* Corners as whole numbers of steps from the least one, along each axis. */
static void quantise(const float *corners, size_t count, double pitch, double box[6], uint16_t *numbers)
{
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t a = 0; a < 3; a++) box[a] = INFINITY;
    for (size_t i = 0; i < 3 * count; i++) {
        if (!isfinite(corners[i])) continue;
        box[i % 3] = fmin(box[i % 3], corners[i]);
        high[i % 3] = fmax(high[i % 3], corners[i]);
    }
    for (size_t a = 0; a < 3; a++) {
        if (!isfinite(box[a])) box[a] = high[a] = 0.0;
        box[3 + a] = fmax((high[a] - box[a]) / 65535.0, pitch / GRAIN);
    }
    for (size_t i = 0; i < 3 * count; i++) {
        const double q = round((corners[i] - box[i % 3]) / box[3 + i % 3]);
        numbers[i] = q > 0.0 ? (uint16_t)fmin(q, 65535.0) : 0; /* not a number: 0 */
    }
}

/* The middle of the body, on a grid of pitches: where float32 counts from. */
static void find_origin(const vxe_sim *sim, double pitch, double origin[3])
{
    vxe_sim_center_of_mass(sim, origin);
    for (int a = 0; a < 3; a++) origin[a] = isfinite(origin[a]) ? pitch * round(origin[a] / pitch) : 0.0;
}

static json_t *numbers_json(const double *values, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) (void)json_array_append_new(list, number_json(values[i]));
    return list;
}

static bool make_frame(replay *r, vxe_sim *sim, kept_frame *f)
{
    const vxe_model_view *model = vxe_model_get(vxe_sim_model(sim));
    const vxe_state *state = vxe_sim_state(sim);
    const surface *s = r->surface;
    const size_t m = (size_t)s->corner_count;
    double origin[3];
    double box[6];
    double range[2];
    float *corners = malloc((3 * m + 1) * sizeof *corners);
    uint16_t *numbers = malloc((3 * m + 1) * sizeof *numbers);
    f->strain = malloc(((size_t)s->voxel_count + 1) * sizeof *f->strain);
    bool good = corners != NULL && numbers != NULL && f->strain != NULL &&
                field_read(field_find("strain"), sim, r->scene, s->voxel, s->voxel_count, f->strain, range,
                           NULL) == VXE_OK;
    if (good) {
        find_origin(sim, model->pitch, origin);
        surface_pose(r->surface, model, state);
        surface_corners(s, origin, corners);
        quantise(corners, m, model->pitch, box, numbers);
        json_t *packed = pack_json("u16", 3 * m, numbers);
        good = packed != NULL;
        f->object = good ? json_pack("{s:o, s:I, s:o, s:o, s:o}", "time", number_json(state->time), "step",
                                     (json_int_t)state->step, "origin", vector_json(origin), "box",
                                     numbers_json(box, 6), "corners", packed)
                         : NULL;
        r->range[0] = fmin(r->range[0], range[0]);
        r->range[1] = fmax(r->range[1], range[1]);
    }
    free(corners);
    free(numbers);
    if (!good) {
        free(f->strain);
        f->strain = NULL;
    }
    return good;
}

static void record(replay *r, vxe_sim *sim)
{
    if (r->frame_count == FRAMES_MAX) thin_out(r);
    kept_frame *f = &r->frames[r->frame_count];
    if (!make_frame(r, sim, f)) {
        r->failed = true;
        return;
    }
    r->frame_count++;
    r->bytes += pack_size(json_object_get(f->object, "corners"));
    r->last = vxe_sim_time(sim);
    while (r->bytes > BYTES_MAX && r->frame_count > 2) thin_out(r);
}

void replay_frame(replay *r, vxe_sim *sim)
{
    if (r == NULL || r->failed || vxe_sim_time(sim) < r->next - 1e-9 * r->interval) return;
    record(r, sim);
    r->next = r->interval * (floor(vxe_sim_time(sim) / r->interval + 1e-9) + 1.0);
}

void replay_row(replay *r, vxe_sim *sim)
{
    if (r == NULL || r->columns == 0 || r->row_seen++ % r->row_stride != 0) return;
    const size_t width = (size_t)r->columns;
    if (r->row_count == ROWS_MAX) {
        for (size_t i = 1; 2 * i < r->row_count; i++) {
            memcpy(r->rows + i * width, r->rows + 2 * i * width, width * sizeof *r->rows);
        }
        r->row_count /= 2;
        r->row_stride *= 2;
    }
    vxe_trace_read(r->trace, sim, r->rows + r->row_count++ * width);
}

/* ---- the page ----------------------------------------------------------------------------------------------------- */

/* Adds a packed array; false if there is no memory. */
static bool add_pack(json_t *o, const char *name, const char *type, size_t count, const void *data)
{
    json_t *packed = pack_json(type, count, data);
    return packed != NULL && json_object_set_new(o, name, packed) == 0;
}

static json_t *mesh_json(const surface *s, double pitch)
{
    const size_t n = (size_t)s->voxel_count;
    const size_t m = (size_t)s->corner_count;
    const size_t f = (size_t)s->face_count;
    const double origin[3] = {0.0, 0.0, 0.0};
    float *start = calloc(3 * m + 1, sizeof *start);
    json_t *o = json_pack("{s:I, s:I, s:I, s:o, s:s}", "voxels", (json_int_t)n, "corners", (json_int_t)m,
                          "faces", (json_int_t)f, "origin", vector_json(origin), "shown", "surface");
    bool good = start != NULL && o != NULL;
    if (good) {
        surface_start(s, pitch, origin, start);
        good = add_pack(o, "voxel", "u32", n, s->voxel) && add_pack(o, "cell", "i32", 3 * n, s->cell) &&
               add_pack(o, "material", "u16", n, s->material) && add_pack(o, "start", "f32", 3 * m, start) &&
               add_pack(o, "face", "u32", 4 * f, s->face) &&
               add_pack(o, "face_voxel", "u32", f, s->face_voxel) &&
               add_pack(o, "face_side", "u8", f, s->face_side) &&
               add_pack(o, "hexahedron", "u32", 8 * n, s->hexahedron);
    }
    free(start);
    if (!good) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *frames_json(replay *r)
{
    json_t *list = json_array();
    const size_t n = (size_t)r->surface->voxel_count;
    const double width = r->range[1] - r->range[0];
    uint8_t *numbers = malloc(n + 1);
    bool good = numbers != NULL;
    for (size_t i = 0; i < r->frame_count && good; i++) {
        const kept_frame *f = &r->frames[i];
        for (size_t v = 0; v < n; v++) {
            const double q = width > 0.0 ? round(255.0 * (f->strain[v] - r->range[0]) / width) : 0.0;
            numbers[v] = q > 0.0 ? (uint8_t)fmin(q, 255.0) : 0;
        }
        good = add_pack(f->object, "strain", "u8", n, numbers) && json_array_append(list, f->object) == 0;
    }
    free(numbers);
    if (!good) {
        json_decref(list);
        return NULL;
    }
    return list;
}

static json_t *materials_json(const vxe_scene *scene)
{
    json_t *list = json_array();
    for (int32_t i = 1; i <= vxe_scene_material_count(scene); i++) {
        const vxe_material_def *m = vxe_scene_material(scene, i);
        char color[16];
        (void)snprintf(color, sizeof color, "#%02x%02x%02x", m->color[0], m->color[1], m->color[2]);
        (void)json_array_append_new(list, json_pack("{s:s, s:s}", "name", m->name, "color", color));
    }
    return list;
}

static json_t *trace_json(const replay *r)
{
    json_t *columns = json_array();
    for (int32_t c = 0; c < r->columns; c++) {
        (void)json_array_append_new(columns, json_string(vxe_trace_column(r->trace, c)));
    }
    json_t *o = json_pack("{s:o, s:I}", "columns", columns, "rows", (json_int_t)r->row_count);
    if (!add_pack(o, "data", "f64", r->row_count * (size_t)r->columns, r->rows)) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *replay_json(replay *r, const json_t *summary)
{
    const vxe_scene *scene = r->scene;
    const double pitch = vxe_scene_pitch(scene);
    const field_info *field = field_get(field_find("strain"));
    int32_t size[3];
    vxe_scene_size(scene, size);
    json_t *frames = frames_json(r);
    json_t *mesh = mesh_json(r->surface, pitch);
    json_t *trace = trace_json(r);
    if (frames == NULL || mesh == NULL || trace == NULL) {
        json_decref(frames);
        json_decref(mesh);
        json_decref(trace);
        return NULL;
    }
    json_t *o = json_pack("{s:i, s:s, s:O, s:s, s:s, s:f, s:[i, i, i], s:b, s:o}", "format", 1, "version",
                          vxe_version(), "summary", summary, "name", vxe_scene_name(scene), "description",
                          vxe_scene_description(scene), "pitch", pitch, "size", (int)size[0], (int)size[1],
                          (int)size[2], "floor", vxe_scene_environment(scene).floor, "materials",
                          materials_json(scene));
    (void)json_object_set_new(o, "mesh", mesh);
    (void)json_object_set_new(o, "fields",
                              json_pack("[{s:s, s:s, s:s, s:f, s:f}]", "name", field->name, "label",
                                        field->label, "unit", field->unit, "min", r->range[0], "max",
                                        r->range[1]));
    (void)json_object_set_new(o, "frames", frames);
    (void)json_object_set_new(o, "trace", trace);
    return o;
}

/* Writes JSON so that nothing in it can end the element it stands in: "<" occurs only inside texts. */
static int write_part(const char *text, size_t size, void *stream)
{
    size_t begin = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '<') continue;
        if (fwrite(text + begin, 1, i - begin, stream) != i - begin || fputs("\\u003c", stream) == EOF)
            return -1;
        begin = i + 1;
    }
    return fwrite(text + begin, 1, size - begin, stream) == size - begin ? 0 : -1;
}

/* Where the data goes in the page's text; NULL: nowhere. */
static const unsigned char *find_mark(const embedded_file *page)
{
    const size_t length = sizeof MARK - 1;
    for (size_t i = 0; i + length <= page->size; i++) {
        if (page->data[i] == '<' && memcmp(page->data + i, MARK, length) == 0) return page->data + i;
    }
    return NULL;
}

static vxe_result write_page(const json_t *data, const char *path, vxe_error *error)
{
    static const char begin[] = "<script type=\"application/json\" id=\"voxelastic-replay\">";
    static const char end[] = "</script>";
    const embedded_file page = page_replay();
    const unsigned char *mark = find_mark(&page);
    if (mark == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "the replay's page has no place for its data");
    vxe_file file;
    const vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    const size_t front = (size_t)(mark - page.data);
    const size_t back = page.size - front - (sizeof MARK - 1);
    const bool good =
        fwrite(page.data, 1, front, file.stream) == front && fputs(begin, file.stream) != EOF &&
        json_dump_callback(data, write_part, file.stream, JSON_COMPACT | JSON_REAL_PRECISION(15)) == 0 &&
        fputs(end, file.stream) != EOF && fwrite(mark + sizeof MARK - 1, 1, back, file.stream) == back;
    if (!good) {
        vxe_file_discard(&file);
        return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno != 0 ? errno : EIO));
    }
    return vxe_file_commit(&file, error);
}

vxe_result replay_write(replay *r, vxe_sim *sim, const json_t *summary, const char *path, vxe_error *error)
{
    if (r == NULL) return VXE_OK;
    if (!r->failed && vxe_sim_time(sim) != r->last) record(r, sim);
    json_t *data = r->failed ? NULL : replay_json(r, summary);
    if (data == NULL) return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the replay");
    const vxe_result result = write_page(data, path, error);
    json_decref(data);
    return result;
}
