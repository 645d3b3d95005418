/* Recordings; see recording.h. */
#include "studio/recording.h"
#include "base/base.h"
#include "studio/player.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((size_t)256 << 20)
#define ALL_MAX 20000   /* voxels: of more, only those at the surface are kept */
#define PER_CYCLE 40.0  /* pictures of a cycle of the fastest signal */
#define PER_SECOND 60.0 /* pictures of a second without signals */
#define STEPS_LEAST 4.0 /* between pictures */
#define TIME_SHARE 40.0 /* pictures may take one part in so many of the time */
#define CREDIT_MAX 0.2  /* s; and so much beyond that */
#define LEVELS 65535.0
enum { FRAMES_MAX = 2400, MARKS_MAX = 400 };

typedef struct record_mesh {
    int64_t id;
    vxe_surface *surface;
    float *start;                    /* corners, m, (3 corner_count) */
    float *fixed[VXE_MEASURE_COUNT]; /* fields that never change, (voxel_count), or NULL */
    double fixed_range[VXE_MEASURE_COUNT][2];
} record_mesh;

typedef struct record_frame {
    double time;
    double origin[3];
    double box[6];                     /* corners: least, and step */
    float range[VXE_MEASURE_COUNT][2]; /* of the voxels kept */
    size_t mesh;                       /* index */
    uint16_t *numbers;                 /* corners, then the fields that change, one after the other */
} record_frame;

typedef struct record_mark {
    double time;
    const char *kind;
    char text[80];
} record_mark;

/* Least and most of a field over the run. */
typedef struct record_extreme {
    double value[2];
    double time[2];
    int32_t voxel[2];
} record_extreme;

struct recording {
    int64_t run;
    bool all;
    double pitch;
    int64_t changes;  /* vxe_surface_changes() when the last mesh was made */
    int64_t events;   /* of links, that have their mark */
    bool touching[2]; /* the floor, each other */
    record_mesh *meshes;
    size_t mesh_count;
    record_frame *frames; /* (FRAMES_MAX) */
    size_t frame_count;
    size_t bytes;
    double interval; /* s */
    double next;     /* s */
    double credit;   /* s of computing that pictures may still take */
    double asked;    /* on studio_clock(): when that was counted */
    record_extreme extreme[VXE_MEASURE_COUNT];
    record_mark marks[MARKS_MAX];
    size_t mark_count;
    json_t *colors;
    bool failed; /* there was no memory */
};

static size_t changing_fields(void)
{
    size_t count = 0;
    for (int f = 1; f < VXE_MEASURE_COUNT; f++) count += vxe_measure_changes(f);
    return count;
}

/* Place of a field among those that change. */
static size_t field_place(int field)
{
    size_t place = 0;
    for (int f = 1; f < field; f++) place += vxe_measure_changes(f);
    return place;
}

static size_t frame_bytes(const recording *r, const record_frame *f)
{
    const vxe_surface *s = r->meshes[f->mesh].surface;
    return 2 * (3 * (size_t)s->corner_count + changing_fields() * (size_t)s->voxel_count) + sizeof *f;
}

static size_t mesh_bytes(const vxe_surface *s)
{
    return 160 * (size_t)s->voxel_count + 40 * (size_t)s->corner_count + 24 * (size_t)s->face_count +
           64 * (size_t)s->part_count;
}

static void clear_mesh(record_mesh *m)
{
    vxe_surface_destroy(m->surface);
    free(m->start);
    for (int f = 0; f < VXE_MEASURE_COUNT; f++) free(m->fixed[f]);
    const record_mesh none = {.id = m->id};
    *m = none;
}

void recording_destroy(recording *r)
{
    if (r == NULL) return;
    for (size_t i = 0; i < r->frame_count; i++) free(r->frames[i].numbers);
    for (size_t i = 0; i < r->mesh_count; i++) clear_mesh(&r->meshes[i]);
    json_decref(r->colors);
    free(r->meshes);
    free(r->frames);
    free(r);
}

/* Time between pictures: the fastest signal's cycle is seen, and nothing is taken more often than it moves.
 */
static double first_interval(vxe_sim *sim, const vxe_scene *scene)
{
    double every = 1.0 / PER_SECOND;
    for (int32_t i = 0; i < vxe_scene_signal_count(scene); i++) {
        const vxe_signal_def *s = vxe_scene_signal(scene, i);
        if (s->period > 0.0 && s->amplitude != 0.0) every = fmin(every, s->period / PER_CYCLE);
    }
    const vxe_stop stop = vxe_scene_stop(scene);
    if (stop.time > 0.0) every = fmin(every, stop.time / 200.0);
    return fmax(every, STEPS_LEAST * vxe_sim_time_step(sim).dt);
}

static bool add_mesh(recording *r, vxe_sim *sim, const vxe_scene *scene)
{
    record_mesh *grown = realloc(r->meshes, (r->mesh_count + 1) * sizeof *grown);
    if (grown == NULL) return false;
    r->meshes = grown;
    record_mesh *m = &r->meshes[r->mesh_count];
    memset(m, 0, sizeof *m);
    if (vxe_surface_create(sim, r->all ? VXE_SHOWN_PRESENT : VXE_SHOWN_SURFACE, false, &m->surface, NULL) !=
        VXE_OK)
        return false;
    r->mesh_count++;
    const vxe_surface *s = m->surface;
    const double origin[3] = {0.0, 0.0, 0.0};
    m->id = 1000000000 + 100000 * r->run + (int64_t)r->mesh_count;
    m->start = calloc(3 * (size_t)s->corner_count + 1, sizeof *m->start);
    if (m->start == NULL) return false;
    vxe_surface_start(s, r->pitch, origin, m->start);
    for (int f = 1; f < VXE_MEASURE_COUNT; f++) {
        if (vxe_measure_changes(f)) continue;
        m->fixed[f] = calloc((size_t)s->voxel_count + 1, sizeof *m->fixed[f]);
        if (m->fixed[f] == NULL || vxe_measure_read(f, sim, scene, s->voxel, s->voxel_count, m->fixed[f],
                                                    m->fixed_range[f], NULL) != VXE_OK)
            return false;
    }
    r->bytes += mesh_bytes(s);
    r->changes = vxe_surface_changes(sim);
    return true;
}

recording *recording_create(int64_t run, vxe_sim *sim, const vxe_scene *scene)
{
    recording *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    const vxe_model_view *model = vxe_model_get(vxe_sim_model(sim));
    r->run = run;
    r->pitch = model->pitch;
    r->all = model->voxel_count <= ALL_MAX;
    r->frames = calloc(FRAMES_MAX, sizeof *r->frames);
    r->interval = first_interval(sim, scene);
    r->next = vxe_sim_time(sim);
    r->credit = CREDIT_MAX;
    r->asked = studio_clock();
    r->colors = json_array();
    for (int32_t i = 1; i <= vxe_scene_material_count(scene); i++) {
        const vxe_material_def *m = vxe_scene_material(scene, i);
        char color[16];
        (void)snprintf(color, sizeof color, "#%02x%02x%02x", m->color[0], m->color[1], m->color[2]);
        (void)json_array_append_new(r->colors, json_string(color));
    }
    for (int f = 0; f < VXE_MEASURE_COUNT; f++)
        r->extreme[f] = (record_extreme){{INFINITY, -INFINITY}, {0.0, 0.0}, {-1, -1}};
    if (r->frames == NULL || !add_mesh(r, sim, scene)) {
        recording_destroy(r);
        return NULL;
    }
    recording_keep(r, sim, scene);
    return r;
}

double recording_next(const recording *r) { return r == NULL || r->failed ? INFINITY : r->next; }
int64_t recording_run(const recording *r) { return r == NULL ? -1 : r->run; }
size_t recording_frames(const recording *r) { return r == NULL ? 0 : r->frame_count; }

/* ---- pictures ----------------------------------------------------------------------------------------------------- */

/* Meshes that no picture uses any more go, but the first, which has the fields that never change, and the
 * last, which is the present's. */
static void drop_meshes(recording *r)
{
    for (size_t i = 1; i + 1 < r->mesh_count; i++) {
        bool used = r->meshes[i].surface == NULL;
        for (size_t k = 0; k < r->frame_count && !used; k++) used = r->frames[k].mesh == i;
        if (used) continue;
        r->bytes -= mesh_bytes(r->meshes[i].surface);
        clear_mesh(&r->meshes[i]);
    }
}

/* Drops every second picture but the last. */
static void thin_out(recording *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->frame_count; i++) {
        if (i % 2 == 0 || i + 1 == r->frame_count) {
            r->frames[kept++] = r->frames[i];
        } else {
            r->bytes -= frame_bytes(r, &r->frames[i]);
            free(r->frames[i].numbers);
        }
    }
    r->frame_count = kept;
    drop_meshes(r);
    r->interval *= 2.0;
}

static void quantise(const float *values, size_t count, double low, double step, uint16_t *numbers)
{
    for (size_t i = 0; i < count; i++) {
        const double q = step > 0.0 ? round((values[i] - low) / step) : 0.0;
        numbers[i] = q > 0.0 ? (uint16_t)fmin(q, LEVELS) : 0; /* not a number: 0 */
    }
}

static void keep_corners(record_frame *f, const float *corners, size_t count, double pitch)
{
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t a = 0; a < 3; a++) f->box[a] = INFINITY;
    for (size_t i = 0; i < 3 * count; i++) {
        if (!isfinite(corners[i])) continue;
        f->box[i % 3] = fmin(f->box[i % 3], corners[i]);
        high[i % 3] = fmax(high[i % 3], corners[i]);
    }
    for (size_t a = 0; a < 3; a++) {
        if (!isfinite(f->box[a])) f->box[a] = high[a] = 0.0;
        f->box[3 + a] = fmax((high[a] - f->box[a]) / LEVELS, 1e-6 * pitch);
    }
    for (size_t i = 0; i < 3 * count; i++)
        quantise(&corners[i], 1, f->box[i % 3], f->box[3 + i % 3], &f->numbers[i]);
}

/* One field of the voxels kept; and what it is at most over all voxels of the model. */
static void keep_field(recording *r, record_frame *f, const vxe_measure_source *source, const vxe_surface *s,
                       int field, float *values)
{
    const int32_t n = s->voxel_count;
    record_extreme *e = &r->extreme[field];
    double low = INFINITY;
    double high = -INFINITY;
    for (int32_t v = 0, shown = 0; v < source->model->voxel_count; v++) {
        const double x = vxe_measure_at(source, field, v);
        const bool here = shown < n && s->voxel[shown] == (uint32_t)v;
        if (here) values[shown++] = (float)x;
        if (!isfinite(x)) continue;
        if (here) {
            low = fmin(low, x);
            high = fmax(high, x);
        }
        if (x < e->value[0]) {
            e->value[0] = x;
            e->time[0] = f->time;
            e->voxel[0] = v;
        }
        if (x > e->value[1]) {
            e->value[1] = x;
            e->time[1] = f->time;
            e->voxel[1] = v;
        }
    }
    if (!isfinite(low)) low = high = 0.0;
    f->range[field][0] = (float)low;
    f->range[field][1] = (float)high;
    const double step = ((double)f->range[field][1] - (double)f->range[field][0]) / LEVELS;
    quantise(values, (size_t)n, (double)f->range[field][0], step,
             f->numbers + 3 * (size_t)s->corner_count + field_place(field) * (size_t)n);
}

static bool make_frame(recording *r, vxe_sim *sim, const vxe_scene *scene, record_frame *f)
{
    vxe_surface *s = r->meshes[r->mesh_count - 1].surface;
    const vxe_model_view *model = vxe_model_get(vxe_sim_model(sim));
    const size_t n = (size_t)s->voxel_count;
    const size_t m = (size_t)s->corner_count;
    *f = (record_frame){.time = vxe_sim_time(sim), .mesh = r->mesh_count - 1};
    float *work = malloc((3 * m + n + 1) * sizeof *work);
    f->numbers = malloc((3 * m + changing_fields() * n + 1) * sizeof *f->numbers);
    vxe_measure_source source;
    bool good = work != NULL && f->numbers != NULL;
    int numbers[VXE_MEASURE_COUNT];
    for (int i = 0; i < VXE_MEASURE_COUNT; i++) numbers[i] = i;
    if (good && vxe_measure_prepare(&source, sim, scene, numbers, VXE_MEASURE_COUNT, NULL) == VXE_OK) {
        vxe_sim_center_of_mass(sim, f->origin);
        for (int a = 0; a < 3; a++)
            f->origin[a] = isfinite(f->origin[a]) ? r->pitch * round(f->origin[a] / r->pitch) : 0.0;
        vxe_surface_pose(s, model, vxe_sim_state(sim));
        vxe_surface_corners(s, f->origin, work);
        keep_corners(f, work, m, r->pitch);
        for (int field = 1; field < VXE_MEASURE_COUNT; field++) {
            if (vxe_measure_changes(field)) keep_field(r, f, &source, s, field, work);
        }
        vxe_measure_release(&source);
    } else {
        good = false;
    }
    free(work);
    if (!good) free(f->numbers);
    return good;
}

/* Marks what happened since the last picture. */
static void mark_events(recording *r, vxe_sim *sim)
{
    int64_t count = 0;
    const vxe_event *events = vxe_sim_events(sim, &count);
    static const char *const kinds[2] = {"yield", "break"};
    int64_t seen[2] = {0, 0};
    double when[2] = {0.0, 0.0};
    for (int64_t i = r->events; events != NULL && i < count; i++) {
        const int kind = events[i].kind == VXE_EVENT_BREAK;
        if (seen[kind]++ == 0) when[kind] = events[i].time;
    }
    r->events = count;
    for (int kind = 0; kind < 2; kind++) {
        char text[80];
        if (seen[kind] == 0) continue;
        if (seen[kind] > 1)
            (void)snprintf(text, sizeof text, "%lld links %s", (long long)seen[kind],
                           kind == 0 ? "yield" : "break");
        else
            (void)snprintf(text, sizeof text, "a link %s", kind == 0 ? "yields" : "breaks");
        recording_mark(r, when[kind], kinds[kind], text);
    }
}

/* Contacts begin between pictures too. */
void recording_watch(recording *r, const vxe_sim *sim)
{
    if (r == NULL) return;
    int64_t count[2] = {0, 0};
    static const char *const texts[2] = {"touches the floor", "parts touch"};
    vxe_sim_contacts(sim, &count[0], &count[1]);
    for (int i = 0; i < 2; i++) {
        if (count[i] > 0 && !r->touching[i] && vxe_sim_time(sim) > 0.0)
            recording_mark(r, vxe_sim_time(sim), "contact", texts[i]);
        r->touching[i] = count[i] > 0;
    }
}

void recording_keep(recording *r, vxe_sim *sim, const vxe_scene *scene)
{
    if (r == NULL || r->failed) return;
    const double time = vxe_sim_time(sim);
    if (r->frame_count > 0 && r->frames[r->frame_count - 1].time >= time) return;
    if (vxe_surface_changes(sim) != r->changes && !add_mesh(r, sim, scene)) {
        r->failed = true;
        return;
    }
    if (r->frame_count == FRAMES_MAX) thin_out(r);
    record_frame *f = &r->frames[r->frame_count];
    if (!make_frame(r, sim, scene, f)) {
        r->failed = true;
        return;
    }
    r->frame_count++;
    r->bytes += frame_bytes(r, f);
    mark_events(r, sim);
    recording_watch(r, sim);
    while (r->bytes > BYTES_MAX && r->frame_count > 8) thin_out(r);
}

void recording_take(recording *r, vxe_sim *sim, const vxe_scene *scene, double now)
{
    if (r == NULL || r->failed) return;
    const double time = vxe_sim_time(sim);
    if (time < r->next - 1e-9 * r->interval) return;
    r->credit = fmin(CREDIT_MAX, r->credit + (now - r->asked) / TIME_SHARE);
    r->asked = now;
    /* A large body is not slowed down by its pictures. */
    if (r->credit < 0.0) {
        r->next = time + r->interval;
        return;
    }
    recording_keep(r, sim, scene);
    r->credit -= studio_clock() - now;
    r->next = r->interval * (floor(time / r->interval + 1e-9) + 1.0);
}

void recording_mark(recording *r, double time, const char *kind, const char *text)
{
    if (r == NULL || r->mark_count == MARKS_MAX) return;
    for (size_t i = r->mark_count; i-- > 0;) {
        if (r->marks[i].time == time && strcmp(r->marks[i].kind, kind) == 0) return;
    }
    record_mark *m = &r->marks[r->mark_count++];
    *m = (record_mark){.time = time, .kind = kind};
    (void)snprintf(m->text, sizeof m->text, "%s", text);
}

/* ---- what the page gets ------------------------------------------------------------------------------------------- */

json_t *recording_brief(const recording *r)
{
    if (r == NULL || r->frame_count == 0) return json_null();
    return json_pack("{s:I, s:o, s:o, s:I, s:I}", "run", (json_int_t)r->run, "from",
                     vxe_number_json(r->frames[0].time), "to",
                     vxe_number_json(r->frames[r->frame_count - 1].time), "frames",
                     (json_int_t)r->frame_count, "marks", (json_int_t)r->mark_count);
}

json_t *recording_json(const recording *r)
{
    json_t *o = recording_brief(r);
    if (!json_is_object(o)) return o;
    json_t *marks = json_array();
    json_t *ranges = json_object();
    for (size_t i = 0; i < r->mark_count; i++) {
        (void)json_array_append_new(marks,
                                    json_pack("{s:o, s:s, s:s}", "time", vxe_number_json(r->marks[i].time),
                                              "kind", r->marks[i].kind, "text", r->marks[i].text));
    }
    for (int f = 1; f < VXE_MEASURE_COUNT; f++) {
        const record_extreme *e = &r->extreme[f];
        const double *fixed = r->meshes[0].fixed_range[f];
        const bool changes = vxe_measure_changes(f);
        (void)json_object_set_new(ranges, vxe_measure_name(f, NULL, NULL),
                                  json_pack("{s:o, s:o, s:o, s:o, s:i, s:i}", "min",
                                            vxe_number_json(changes ? e->value[0] : fixed[0]), "max",
                                            vxe_number_json(changes ? e->value[1] : fixed[1]), "min_time",
                                            vxe_number_json(e->time[0]), "max_time",
                                            vxe_number_json(e->time[1]), "min_voxel", (int)e->voxel[0],
                                            "max_voxel", (int)e->voxel[1]));
    }
    (void)json_object_set_new(o, "interval", vxe_number_json(r->interval));
    (void)json_object_set_new(o, "bytes", json_integer((json_int_t)r->bytes));
    (void)json_object_set(o, "colors", r->colors);
    (void)json_object_set_new(o, "marks", marks);
    (void)json_object_set_new(o, "fields", ranges);
    return o;
}

message *recording_mesh(const recording *r, int64_t mesh, failure *f)
{
    for (size_t i = 0; i < r->mesh_count; i++) {
        const record_mesh *m = &r->meshes[i];
        if (m->id != mesh || m->surface == NULL) continue;
        json_t *header = json_pack("{s:s, s:I, s:I, s:s}", "kind", "recorded_mesh", "run", (json_int_t)r->run,
                                   "mesh", (json_int_t)mesh, "shown", r->all ? "all" : "surface");
        return picture_mesh_of(m->surface, r->pitch, MESSAGE_REPLY, header, false);
    }
    (void)fail(f, "none", "the recording has no such mesh");
    return NULL;
}

/* Adds `weight` times the corners of a picture, relative to `origin`. */
static void add_corners(const record_frame *f, size_t count, const double origin[3], double weight,
                        float *corners)
{
    for (size_t i = 0; i < 3 * count; i++) {
        const size_t a = i % 3;
        const double x = f->origin[a] - origin[a] + f->box[a] + f->numbers[i] * f->box[3 + a];
        corners[i] += (float)(weight * x);
    }
}

static void add_field(const record_frame *f, const vxe_surface *s, int field, double weight, float *values)
{
    const size_t n = (size_t)s->voxel_count;
    const uint16_t *numbers = f->numbers + 3 * (size_t)s->corner_count + field_place(field) * n;
    const double low = (double)f->range[field][0];
    const double step = ((double)f->range[field][1] - low) / LEVELS;
    for (size_t i = 0; i < n; i++) values[i] += (float)(weight * (low + numbers[i] * step));
}

message *recording_frame(const recording *r, double time, int field, failure *f)
{
    size_t low = 0;
    size_t high = r->frame_count - 1;
    while (high > low + 1) {
        const size_t middle = (low + high) / 2;
        if (r->frames[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    const record_frame *first = &r->frames[low];
    const record_frame *second = &r->frames[high];
    const double width = second->time - first->time;
    double part = width > 0.0 ? fmax(0.0, fmin(1.0, (time - first->time) / width)) : 0.0;
    /* Where a link broke in between, corners do not correspond. */
    if (first->mesh != second->mesh) part = part < 1.0 ? 0.0 : 1.0;
    const record_frame *shown = part < 1.0 ? first : second;
    const record_mesh *m = &r->meshes[shown->mesh];
    const vxe_surface *s = m->surface;
    const size_t n = (size_t)s->voxel_count;
    const size_t corners = (size_t)s->corner_count;
    float *numbers = calloc(3 * corners + n + 1, sizeof *numbers);
    if (numbers == NULL) return no_reply(f, "memory", "there is not enough memory for the picture");
    float *values = numbers + 3 * corners;
    const double ends[2] = {1.0 - part, part};
    double origin[3];
    for (int a = 0; a < 3; a++) origin[a] = shown->origin[a];
    double range[2] = {0.0, 0.0};
    for (int e = 0; e < 2; e++) {
        const record_frame *frame = e == 0 ? first : second;
        if (ends[e] == 0.0) continue;
        add_corners(frame, corners, origin, ends[e], numbers);
        if (field > 0 && vxe_measure_changes(field)) {
            add_field(frame, s, field, ends[e], values);
            range[0] += ends[e] * (double)frame->range[field][0];
            range[1] += ends[e] * (double)frame->range[field][1];
        }
    }
    if (field > 0 && !vxe_measure_changes(field)) {
        memcpy(values, m->fixed[field], n * sizeof *values);
        memcpy(range, m->fixed_range[field], sizeof range);
    }
    const message_array arrays[] = {{"corners", "f32", 3 * corners, numbers}, {"field", "f32", n, values}};
    json_t *header =
        json_pack("{s:s, s:I, s:I, s:o, s:o, s:o}", "kind", "recorded", "run", (json_int_t)r->run, "mesh",
                  (json_int_t)m->id, "time", vxe_number_json(first->time + part * width), "origin",
                  vxe_vector_json(origin), "field", vxe_measure_json(field, range));
    message *made = message_binary(MESSAGE_REPLY, header, arrays, field > 0 ? 2 : 1);
    free(numbers);
    return made;
}
