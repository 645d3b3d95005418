/* Recording and writing replays; see voxelastic/replay.h. */
#include "voxelastic/replay.h"
#include "base/base.h"
#include "voxelastic/rules.h"
#include "picture/measure.h"
#include "picture/pack.h"
#include "picture/page.h"
#include "picture/surface.h"
#include "picture/values.h"
#include "picture/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 4000, ROWS_WANTED = 200, FIELDS = 5 };
/* How many frames there are. They are interpolated, so what counts is that nothing happens between two of
 * them: a cycle of a signal gets FRAMES_CYCLE (half of that if they are many for a short run), the fastest
 * voxel moves FRAME_MOVE of a pitch at most (as long as FRAMES_MOST are enough for that), and there are
 * FRAMES_LEAST in any case; FRAMES_CHANGING of a body that may break, grow or lose voxels, because what
 * changed between two frames is seen at the second. Before they are packed, frames and meshes take BYTES_MAX
 * at most; of a run that needs more, every second frame is dropped, and meshes that no frame is left of. */
enum { FRAMES_LEAST = 40, FRAMES_CHANGING = 200, FRAMES_CYCLE = 16, FRAMES_MOST = 1500 };
#define FRAME_MOVE 0.4
#define BYTES_MAX ((size_t)16 << 20)
#define GRAIN 256.0F /* corners are kept to this part of a pitch, which no eye sees */
/* Pictures may take this share of the run's time, and a moment. */
#define TIME_SHARE 0.05
#define TIME_FREE 0.5
/* Frames that are there for fast voxels, and every second one of a cycle, may take less: writing them takes
 * as long again, and a run of a twentieth of a second must not become much longer. */
#define EXTRA_SHARE 0.01
#define EXTRA_FREE 0.0003
#define EXTRA_LONG 0.02 /* of what goes beyond a second, which nobody waits for */

static const char *const field_names[FIELDS] = {"strain", "displacement", "stress", "speed", "contact_force"};

/* The surface as it is until links break or voxels come or go. */
typedef struct kept_mesh {
    vxe_surface *surface;
    size_t users; /* frames of it, and one more while it is the present's */
} kept_mesh;

/* A frame as it is kept. The range of a field over all frames is known only at the end: until then values are
 * parts of the frame's own range, 0 to 255. */
typedef struct kept_frame {
    double time; /* s */
    int64_t step;
    double origin[3];
    double box[6]; /* where the corners' numbers begin, and what a step of them is, m */
    kept_mesh *mesh;
    uint16_t *corners; /* (3 corner_count) */
    uint8_t *values;   /* of each voxel of the mesh, field after field */
    double range[FIELDS][2];
} kept_frame;

struct vxe_replay {
    const vxe_scene *scene;
    const vxe_trace *trace;
    kept_mesh *mesh; /* of the present */
    int64_t changes; /* vxe_surface_changes() when it was made */
    double interval; /* s between frames, at most */
    double shortest; /* s between frames, at least */
    double wanted;   /* s between frames, for a cycle to look good */
    double next;     /* s */
    kept_frame *frames;
    size_t frame_count;
    size_t frame_room;
    size_t bytes;            /* of the frames and their meshes */
    float *corners;          /* work space, (3 corner_count of the present) */
    double range[FIELDS][2]; /* over all frames */
    double begun;            /* on vxe_seconds(VXE_CLOCK_STEADY) */
    double spent;            /* s of processor time, on frames */
    double last;             /* s; time of the last frame */
    double *rows;            /* (ROWS_MAX columns) */
    size_t row_count;
    int32_t columns;
    double row_interval; /* s between rows */
    double row_next;     /* s */
    bool failed;         /* there was no memory */
    char *picture;       /* in base64; NULL: none */
};

static size_t frame_bytes(const kept_frame *f)
{
    const vxe_surface *s = f->mesh->surface;
    return 6 * (size_t)s->corner_count + FIELDS * (size_t)s->voxel_count;
}

/* Numbers below 65536 are written as u16. */
static size_t number_size(int32_t count) { return count <= UINT16_MAX ? 2 : 4; }

static size_t mesh_bytes(const vxe_surface *s)
{
    const size_t voxel = 3 * sizeof(int32_t) + sizeof(uint32_t) + 2 + 8 * number_size(s->corner_count);
    return voxel * (size_t)s->voxel_count + (1 + number_size(s->voxel_count)) * (size_t)s->face_count;
}

static void release_mesh(vxe_replay *r, kept_mesh *mesh)
{
    if (mesh == NULL || --mesh->users > 0) return;
    r->bytes -= mesh_bytes(mesh->surface);
    vxe_surface_destroy(mesh->surface);
    free(mesh);
}

static void drop_frame(vxe_replay *r, kept_frame *f)
{
    free(f->corners);
    free(f->values);
    r->bytes -= frame_bytes(f);
    release_mesh(r, f->mesh);
    *f = (kept_frame){.time = 0.0};
}

void vxe_replay_destroy(vxe_replay *r)
{
    if (r == NULL) return;
    for (size_t i = 0; i < r->frame_count; i++) drop_frame(r, &r->frames[i]);
    release_mesh(r, r->mesh);
    free(r->frames);
    free(r->corners);
    free(r->rows);
    free(r->picture);
    free(r);
}

/* The shortest cycle of a signal of the scene, s; infinite: there is none. */
static double shortest_cycle(const vxe_scene *scene)
{
    double shortest = INFINITY;
    for (int32_t i = 0; vxe_scene_signal(scene, i) != NULL; i++) {
        const vxe_signal_def *signal = vxe_scene_signal(scene, i);
        if (signal->period > 0.0) shortest = fmin(shortest, signal->period);
    }
    return shortest;
}

/* Whether the surface can become another one on the way. */
static bool can_change(const vxe_scene *scene)
{
    for (int32_t i = 1; i <= vxe_scene_material_count(scene); i++)
        if (vxe_scene_material(scene, i)->failure_stress > 0.0) return true;
    for (int32_t i = 0; i < vxe_scene_rule_count(scene); i++) {
        switch (vxe_scene_rule(scene, i)->kind) {
        case VXE_RULE_REMOVE:
        case VXE_RULE_GROW:
        case VXE_RULE_CUT:
        case VXE_RULE_BECOME:
        case VXE_RULE_SUPPLY: return true;
        default: break;
        }
    }
    return false;
}

/* Takes the surface as it is now for the frames to come. */
static vxe_result take_mesh(vxe_replay *r, vxe_sim *sim, vxe_error *error)
{
    vxe_surface *surface = NULL;
    const vxe_result result = vxe_surface_create(sim, VXE_SHOWN_SURFACE, false, &surface, error);
    if (result != VXE_OK || surface == NULL) return result;
    const size_t bytes = (3 * (size_t)surface->corner_count + 1) * sizeof(float);
    kept_mesh *mesh = calloc(1, sizeof *mesh);
    float *corners = malloc(bytes);
    if (mesh == NULL || corners == NULL) {
        vxe_surface_destroy(surface);
        free(corners);
        free(mesh);
        return vxe_fail_memory(error, "the replay", bytes);
    }
    if (r->mesh != NULL) vxe_surface_settle(r->mesh->surface);
    release_mesh(r, r->mesh);
    free(r->corners);
    *mesh = (kept_mesh){surface, 1};
    r->mesh = mesh;
    r->corners = corners;
    r->bytes += mesh_bytes(surface);
    r->changes = vxe_surface_changes(sim);
    return VXE_OK;
}

bool vxe_replay_available(void) { return vxe_replay_page().size > 0; }

bool vxe_replay_blank(const unsigned char **text, size_t *size)
{
    if (text == NULL || size == NULL) return false;
    const vxe_page page = vxe_replay_page();
    *text = page.data;
    *size = page.size;
    return page.size > 0;
}

vxe_result vxe_replay_create(vxe_sim *sim, const vxe_scene *scene, const vxe_trace *trace,
                             const vxe_stop *stop, vxe_replay **replay, vxe_error *error)
{
    if (sim == NULL || scene == NULL || stop == NULL || replay == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_replay_create: NULL");
    if (!vxe_replay_available())
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "this library was built without the page of replays");
    vxe_replay *r = calloc(1, sizeof *r);
    if (r == NULL) return vxe_fail_memory(error, "the replay", sizeof *r);
    r->scene = scene;
    r->trace = trace;
    r->columns = trace == NULL ? 0 : vxe_trace_columns(trace);
    r->begun = vxe_seconds(VXE_CLOCK_STEADY);
    const vxe_signal_def *signal = vxe_scene_signal(scene, 0);
    const double length =
        vxe_run_length(sim, stop, signal != NULL ? signal->period : 0.0) - vxe_sim_time(sim);
    const double cycle = shortest_cycle(scene) / FRAMES_CYCLE;
    const bool known = isfinite(length) && length > 0.0;
    r->interval = fmin(known ? length / (can_change(scene) ? FRAMES_CHANGING : FRAMES_LEAST)
                             : 20.0 * vxe_sim_time_step(sim).dt,
                       2.0 * cycle);
    r->wanted = cycle;
    r->shortest = fmin(known ? length / FRAMES_MOST : r->interval, fmin(r->interval, cycle));
    r->row_interval = fmin(known ? length / ROWS_WANTED : r->interval, cycle);
    r->next = vxe_sim_time(sim);
    r->row_next = r->next;
    r->last = -1.0;
    r->rows = calloc(ROWS_MAX * (size_t)r->columns + 1, sizeof *r->rows);
    vxe_result result = take_mesh(r, sim, error);
    if (r->rows == NULL && result == VXE_OK) result = vxe_fail_memory(error, "the replay", ROWS_MAX);
    if (result != VXE_OK) {
        vxe_replay_destroy(r);
        return result;
    }
    vxe_replay_observe(r, sim);
    r->spent = 0.0; /* that was before the run */
    *replay = r;
    return VXE_OK;
}

double vxe_replay_next(const vxe_replay *r)
{
    return r == NULL || r->failed ? INFINITY : r->columns == 0 ? r->next : fmin(r->next, r->row_next);
}

double vxe_replay_seconds(const vxe_replay *r) { return r == NULL ? 0.0 : r->spent; }

/* Whether `time` has come to `next`, with a billionth of slack. */
static bool is_due(double time, double next, double every) { return time >= next - 1e-9 * every; }

/* ---- frames ------------------------------------------------------------------------------------------------------- */

static void thin_out(vxe_replay *r)
{
    for (size_t i = 0; i < r->frame_count; i++) {
        if (i % 2 != 0) {
            drop_frame(r, &r->frames[i]);
        } else if (i > 0) {
            r->frames[i / 2] = r->frames[i];
            r->frames[i] = (kept_frame){.time = 0.0};
        }
    }
    r->frame_count = (r->frame_count + 1) / 2;
    r->interval *= 2.0;
    r->shortest *= 2.0;
    r->wanted *= 2.0;
}

/* Corners as whole numbers of steps from the least one, along each axis. */
static void quantise(const float *corners, size_t count, double pitch, double box[6], uint16_t *numbers)
{
    for (size_t a = 0; a < 3; a++) {
        float low = INFINITY;
        float high = -INFINITY;
        for (size_t i = a; i < 3 * count; i += 3) {
            if (corners[i] < low) low = corners[i];
            if (corners[i] > high) high = corners[i];
        }
        if (!isfinite(low) || !isfinite(high)) low = high = 0.0F;
        const float step = fmaxf((high - low) / 65535.0F, (float)pitch / GRAIN);
        const float scale = 1.0F / step;
        for (size_t i = a; i < 3 * count; i += 3) {
            const float q = (corners[i] - low) * scale + 0.5F;
            numbers[i] = q > 0.0F ? (uint16_t)(q < 65535.0F ? q : 65535.0F) : 0; /* not a number: 0 */
        }
        box[a] = (double)low;
        box[3 + a] = (double)step;
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
    for (size_t i = 0; i < count; i++) (void)json_array_append_new(list, vxe_number_json(values[i]));
    return list;
}

/* Reads the fields of a frame. */
static bool read_fields(vxe_replay *r, vxe_sim *sim, kept_frame *f)
{
    const vxe_surface *s = f->mesh->surface;
    const size_t n = (size_t)s->voxel_count;
    int numbers[FIELDS];
    for (int i = 0; i < FIELDS; i++) numbers[i] = vxe_measure_find(field_names[i]);
    float *values = malloc((FIELDS * n + 1) * sizeof *values);
    f->values = malloc(FIELDS * n + 1);
    const bool good = values != NULL && f->values != NULL &&
                      vxe_measure_read_all(numbers, FIELDS, sim, r->scene, s->voxel, s->voxel_count, values,
                                           f->range, NULL) == VXE_OK;
    for (size_t i = 0; i < FIELDS && good; i++) {
        const double width = f->range[i][1] - f->range[i][0];
        const float scale = width > 0.0 ? (float)(255.0 / width) : 0.0F;
        const float low = (float)f->range[i][0];
        for (size_t v = 0; v < n; v++) {
            const float q = (values[i * n + v] - low) * scale + 0.5F;
            f->values[i * n + v] = q > 0.0F ? (uint8_t)(q < 255.0F ? q : 255.0F) : 0;
        }
        r->range[i][0] = fmin(r->range[i][0], f->range[i][0]);
        r->range[i][1] = fmax(r->range[i][1], f->range[i][1]);
    }
    free(values);
    return good;
}

static bool make_frame(vxe_replay *r, vxe_sim *sim, kept_frame *f)
{
    const vxe_model_view *model = vxe_model_get(vxe_sim_model(sim));
    const vxe_state *state = vxe_sim_state(sim);
    vxe_surface *s = f->mesh->surface;
    find_origin(sim, model->pitch, f->origin);
    f->time = state->time;
    f->step = state->step;
    if (!read_fields(r, sim, f)) return false;
    f->corners = malloc((3 * (size_t)s->corner_count + 1) * sizeof *f->corners);
    if (f->corners == NULL) return false;
    vxe_surface_pose(s, model, vxe_sim_state(sim));
    vxe_surface_corners(s, f->origin, r->corners);
    quantise(r->corners, (size_t)s->corner_count, model->pitch, f->box, f->corners);
    return true;
}

static void record(vxe_replay *r, vxe_sim *sim)
{
    kept_frame *frames = vxe_grow(r->frames, r->frame_count + 1, &r->frame_room, sizeof *frames);
    r->failed = r->failed || frames == NULL;
    if (frames == NULL) return;
    r->frames = frames;
    if (vxe_surface_changes(sim) != r->changes && take_mesh(r, sim, NULL) != VXE_OK) {
        r->failed = true;
        return;
    }
    kept_frame *f = &r->frames[r->frame_count];
    *f = (kept_frame){.mesh = r->mesh};
    r->mesh->users++;
    r->bytes += frame_bytes(f);
    if (!make_frame(r, sim, f)) {
        drop_frame(r, f);
        r->failed = true;
        return;
    }
    r->frame_count++;
    r->last = vxe_sim_time(sim);
    while (r->bytes > BYTES_MAX && r->frame_count > 2) thin_out(r);
}

/* Records a row of the trace; of too many, every second one goes. */
static void record_row(vxe_replay *r, vxe_sim *sim)
{
    const size_t width = (size_t)r->columns;
    if (r->row_count == ROWS_MAX) {
        for (size_t i = 1; 2 * i < r->row_count; i++) {
            memcpy(r->rows + i * width, r->rows + 2 * i * width, width * sizeof *r->rows);
        }
        r->row_count /= 2;
        r->row_interval *= 2.0;
    }
    vxe_trace_read(r->trace, sim, r->rows + r->row_count++ * width);
}

void vxe_replay_observe(vxe_replay *r, vxe_sim *sim)
{
    if (r == NULL || r->failed) return;
    const double time = vxe_sim_time(sim);
    const double before = vxe_seconds(VXE_CLOCK_THREAD); /* others may have the processor in between */
    if (r->columns > 0 && is_due(time, r->row_next, r->row_interval)) {
        record_row(r, sim);
        r->row_next = vxe_run_next(time, r->row_interval);
    }
    if (is_due(time, r->next, r->shortest)) {
        record(r, sim);
        /* A short run of a large body is not made long by its pictures. */
        const double gone = vxe_seconds(VXE_CLOCK_STEADY) - r->begun;
        if (r->spent > TIME_FREE + TIME_SHARE * gone) {
            r->interval *= 2.0;
            r->shortest *= 2.0;
            r->wanted *= 2.0;
        }
        const double move = FRAME_MOVE * vxe_model_get(vxe_sim_model(sim))->pitch / vxe_sim_speed_max(sim);
        const double extra = EXTRA_FREE + EXTRA_SHARE * gone + EXTRA_LONG * fmax(0.0, gone - 1.0);
        const double shortest = r->spent > extra ? r->interval : r->shortest;
        r->next = vxe_run_next(time, fmin(r->interval, fmax(shortest, fmin(move, r->wanted))));
    }
    r->spent += vxe_seconds(VXE_CLOCK_THREAD) - before;
}

/* ---- the page ----------------------------------------------------------------------------------------------------- */

/* Numbers below `limit`, as u16 where that is enough. */
static bool add_numbers(json_t *o, const char *name, size_t count, const uint32_t *numbers, int32_t limit)
{
    if (number_size(limit) == 4) return vxe_pack_set(o, name, "u32", count, numbers);
    uint16_t *narrow = malloc((count + 1) * sizeof *narrow);
    for (size_t i = 0; i < count && narrow != NULL; i++) narrow[i] = (uint16_t)numbers[i];
    const bool good = narrow != NULL && vxe_pack_set(o, name, "u16", count, narrow);
    free(narrow);
    return good;
}

/* The first mesh has all; of later ones, what follows from the rest is left out. */
static json_t *mesh_json(const vxe_surface *s, double pitch, bool first)
{
    const size_t n = (size_t)s->voxel_count;
    const size_t m = (size_t)s->corner_count;
    const size_t f = (size_t)s->face_count;
    const double origin[3] = {0.0, 0.0, 0.0};
    float *start = calloc(3 * m + 1, sizeof *start);
    json_t *o = json_pack("{s:I, s:I, s:I, s:o, s:s}", "voxels", (json_int_t)n, "corners", (json_int_t)m,
                          "faces", (json_int_t)f, "origin", vxe_vector_json(origin), "shown", "surface");
    bool good = start != NULL && o != NULL && vxe_pack_set(o, "voxel", "u32", n, s->voxel) &&
                vxe_pack_set(o, "cell", "i32", 3 * n, s->cell) &&
                vxe_pack_set(o, "material", "u16", n, s->material) &&
                vxe_pack_set(o, "face_side", "u8", f, s->face_side);
    if (good && first) {
        vxe_surface_start(s, pitch, origin, start);
        good = vxe_pack_set(o, "start", "f32", 3 * m, start) &&
               vxe_pack_set(o, "face", "u32", 4 * f, s->face) &&
               vxe_pack_set(o, "face_voxel", "u32", f, s->face_voxel) &&
               vxe_pack_set(o, "hexahedron", "u32", 8 * n, s->hexahedron);
    } else if (good) {
        good = add_numbers(o, "face_voxel", f, s->face_voxel, s->voxel_count) &&
               add_numbers(o, "hexahedron", 8 * n, s->hexahedron, s->corner_count);
    }
    free(start);
    if (!good) {
        json_decref(o);
        return NULL;
    }
    return o;
}

/* Whether a field is worth its bytes: where nothing touches anything, contact forces are not. */
static bool has_field(const vxe_replay *r, size_t i) { return i < 2 || r->range[i][1] > r->range[i][0]; }

/* Field i of a frame in parts of the range over all frames. */
static void rescale(const vxe_replay *r, const kept_frame *f, size_t i, uint8_t *numbers)
{
    const size_t n = (size_t)f->mesh->surface->voxel_count;
    const double width = r->range[i][1] - r->range[i][0];
    const double slope = width > 0.0 ? (f->range[i][1] - f->range[i][0]) / width : 0.0;
    const double base = width > 0.0 ? 255.0 * (f->range[i][0] - r->range[i][0]) / width : 0.0;
    uint8_t table[256];
    for (int q = 0; q < 256; q++) {
        const double number = base + slope * q + 0.5;
        table[q] = (uint8_t)(number > 0.0 ? number < 255.0 ? number : 255.0 : 0.0);
    }
    for (size_t k = 0; k < n; k++) numbers[k] = table[f->values[i * n + k]];
}

static double phase_of(const vxe_replay *r, const vxe_surface *s, size_t i)
{
    const int32_t *at = s->cell + 3 * i;
    return vxe_scene_actuation(r->scene, at[0], at[1], at[2]).phase;
}

/* The range of the voxels' phases. */
static void find_phases(const vxe_replay *r, double range[2])
{
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (size_t k = 0; k < r->frame_count; k++) {
        const vxe_surface *s = r->frames[k].mesh->surface;
        if (k > 0 && r->frames[k].mesh == r->frames[k - 1].mesh) continue;
        for (size_t i = 0; i < (size_t)s->voxel_count; i++) {
            range[0] = fmin(range[0], phase_of(r, s, i));
            range[1] = fmax(range[1], phase_of(r, s, i));
        }
    }
}

/* Phases do not change: they are in the first frame of each mesh only. */
static bool add_phase(const vxe_replay *r, const vxe_surface *s, const double range[2], json_t *frame,
                      uint8_t *numbers)
{
    const double width = range[1] - range[0];
    for (size_t i = 0; i < (size_t)s->voxel_count; i++)
        numbers[i] = width > 0.0 ? (uint8_t)round(255.0 * (phase_of(r, s, i) - range[0]) / width) : 0;
    return vxe_pack_set(frame, "phase", "u8", (size_t)s->voxel_count, numbers);
}

/* A frame without its fields. */
static json_t *frame_json(const kept_frame *f, size_t mesh)
{
    json_t *o =
        json_pack("{s:o, s:I, s:o, s:o}", "time", vxe_number_json(f->time), "step", (json_int_t)f->step,
                  "origin", vxe_vector_json(f->origin), "box", numbers_json(f->box, 6));
    if (o == NULL || (mesh > 0 && json_object_set_new(o, "mesh", json_integer((json_int_t)mesh)) != 0) ||
        !vxe_pack_set(o, "corners", "u16", 3 * (size_t)f->mesh->surface->corner_count, f->corners)) {
        json_decref(o);
        return NULL;
    }
    return o;
}

/* One frame with its fields; `numbers` is work space. */
static json_t *full_frame(const vxe_replay *r, size_t k, size_t mesh, uint8_t *numbers)
{
    const kept_frame *f = &r->frames[k];
    json_t *o = frame_json(f, mesh);
    bool good = o != NULL;
    for (size_t i = 0; i < FIELDS && good; i++) {
        if (!has_field(r, i)) continue;
        rescale(r, f, i, numbers);
        good = vxe_pack_set(o, field_names[i], "u8", (size_t)f->mesh->surface->voxel_count, numbers);
    }
    if (good) return o;
    json_decref(o);
    return NULL;
}

/* The meshes, the frames with their fields, and what the fields are. */
static bool make_frames(const vxe_replay *r, double pitch, json_t *meshes, json_t *frames, json_t *fields)
{
    double phases[2];
    size_t most = 0;
    const bool phased = vxe_scene_has_actuation(r->scene);
    for (size_t k = 0; k < r->frame_count; k++) {
        const size_t n = (size_t)r->frames[k].mesh->surface->voxel_count;
        if (n > most) most = n;
    }
    uint8_t *numbers = malloc(most + 1);
    bool good = numbers != NULL;
    for (size_t i = 0; i < FIELDS; i++)
        if (has_field(r, i))
            (void)json_array_append_new(fields,
                                        vxe_measure_json(vxe_measure_find(field_names[i]), r->range[i]));
    if (phased) {
        find_phases(r, phases);
        (void)json_array_append_new(fields, vxe_measure_json(vxe_measure_find("phase"), phases));
    }
    for (size_t k = 0; k < r->frame_count && good; k++) {
        const kept_mesh *mesh = r->frames[k].mesh;
        const bool another = k == 0 || mesh != r->frames[k - 1].mesh;
        if (another) good = json_array_append_new(meshes, mesh_json(mesh->surface, pitch, k == 0)) == 0;
        json_t *o = good ? full_frame(r, k, json_array_size(meshes) - 1, numbers) : NULL;
        good = o != NULL && (!another || !phased || add_phase(r, mesh->surface, phases, o, numbers));
        (void)json_array_append_new(frames, o);
    }
    free(numbers);
    return good;
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

static json_t *trace_json(const vxe_replay *r)
{
    json_t *columns = json_array();
    for (int32_t c = 0; c < r->columns; c++) {
        (void)json_array_append_new(columns, json_string(vxe_trace_column(r->trace, c)));
    }
    json_t *o = json_pack("{s:o, s:I}", "columns", columns, "rows", (json_int_t)r->row_count);
    if (!vxe_pack_set(o, "data", "f64", r->row_count * (size_t)r->columns, r->rows)) {
        json_decref(o);
        return NULL;
    }
    return o;
}

static json_t *replay_json(vxe_replay *r, const json_t *summary)
{
    const vxe_scene *scene = r->scene;
    const double pitch = vxe_scene_pitch(scene);
    int32_t size[3];
    vxe_scene_size(scene, size);
    json_t *frames = json_array();
    json_t *fields = json_array();
    json_t *meshes = json_array();
    json_t *trace = trace_json(r);
    json_t *world = vxe_world_pack(scene);
    if (!make_frames(r, pitch, meshes, frames, fields) || trace == NULL || world == NULL) {
        json_decref(frames);
        json_decref(fields);
        json_decref(meshes);
        json_decref(trace);
        json_decref(world);
        return NULL;
    }
    json_t *mesh = json_incref(json_array_get(meshes, 0)); /* the others stand beside it */
    (void)json_array_remove(meshes, 0);
    return json_pack("{s:i, s:s, s:O, s:s, s:s, s:f, s:[i, i, i], s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "format", 1, "version", vxe_version(), "summary", summary, "name", vxe_scene_name(scene),
                     "description", vxe_scene_description(scene), "pitch", pitch, "size", (int)size[0],
                     (int)size[1], (int)size[2], "floor", vxe_scene_environment(scene).floor, "materials",
                     materials_json(scene), "mesh", mesh, "meshes", meshes, "fields", fields, "frames",
                     frames, "trace", trace, "world", world);
}

vxe_result vxe_replay_set_picture(vxe_replay *r, const uint8_t *png, size_t size, vxe_error *error)
{
    size_t length = 0;
    if (r == NULL || png == NULL || size > (size_t)1 << 20)
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        "vxe_replay_set_picture: a recorder and a picture of at most 1 MB");
    char *text = vxe_base64(png, size, &length);
    if (text == NULL) return vxe_fail_memory(error, "the picture of a replay", size);
    free(r->picture);
    r->picture = text;
    return VXE_OK;
}

vxe_result vxe_replay_write(vxe_replay *r, vxe_sim *sim, const char *summary, const char *path,
                            vxe_error *error)
{
    if (r == NULL || sim == NULL || path == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_replay_write: NULL");
    if (!r->failed && vxe_sim_time(sim) != r->last) record(r, sim);
    if (r->columns > 0 &&
        (r->row_count == 0 || r->rows[(r->row_count - 1) * (size_t)r->columns] != vxe_sim_time(sim))) {
        record_row(r, sim);
    }
    json_t *told = summary == NULL ? json_object() : json_loads(summary, 0, NULL);
    if (!json_is_object(told)) {
        json_decref(told);
        return vxe_fail(error, VXE_ERROR_INPUT, "the summary of a replay is no JSON object");
    }
    json_t *data = r->failed ? NULL : replay_json(r, told);
    json_decref(told);
    if (data == NULL) return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the replay");
    const vxe_result result = vxe_replay_page_write(path, vxe_scene_name(r->scene), r->picture, data, error);
    json_decref(data);
    return result;
}
