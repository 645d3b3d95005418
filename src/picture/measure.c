/* Measures; see measure.h. */
#include "picture/measure.h"
#include "base/base.h"
#include "picture/values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Everything a field may need to know. */
typedef struct source {
    const vxe_model_view *model;
    const vxe_state *state;
    const vxe_voxels *voxels;
    const vxe_scene *scene;
    const uint8_t *events;
    int axis; /* 0..2, or -1: of the vector, its magnitude or largest */
} source;

typedef struct measure_info {
    const char *name;
    const char *label;
    const char *unit;
} measure_info;

typedef double field_value(const source *s, int32_t v);

static double length_at(const double *const array[3], int32_t v)
{
    return sqrt(array[0][v] * array[0][v] + array[1][v] * array[1][v] + array[2][v] * array[2][v]);
}

static double displacement(const source *s, int32_t v)
{
    double u[3];
    for (int a = 0; a < 3; a++) u[a] = s->state->position[a][v] - s->model->start[a][v];
    return s->axis >= 0 ? u[s->axis] : sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

static double speed(const source *s, int32_t v) { return length_at(s->state->velocity, v); }
static double contact_force(const source *s, int32_t v) { return length_at(s->state->contact_force, v); }

static double component(const source *s, const double *const array[3], int32_t v)
{
    if (s->axis >= 0) return array[s->axis][v];
    double largest = array[0][v];
    for (int a = 1; a < 3; a++) {
        if (fabs(array[a][v]) > fabs(largest)) largest = array[a][v];
    }
    return largest;
}

static double strain(const source *s, int32_t v) { return component(s, s->voxels->strain, v); }
static double stress(const source *s, int32_t v) { return component(s, s->voxels->stress, v); }
static double energy(const source *s, int32_t v) { return s->voxels->energy[v] / pow(s->model->pitch, 3.0); }
static double pressure(const source *s, int32_t v) { return s->state->pressure[v]; }
static double growth(const source *s, int32_t v) { return s->state->growth[v]; }

static vxe_actuation actuation_at(const source *s, int32_t v)
{
    return vxe_scene_actuation(s->scene, s->model->cell[0][v], s->model->cell[1][v], s->model->cell[2][v]);
}
static double phase(const source *s, int32_t v) { return actuation_at(s, v).phase; }
static double amplitude(const source *s, int32_t v) { return actuation_at(s, v).amplitude; }
static double period(const source *s, int32_t v) { return actuation_at(s, v).period; }
static double state(const source *s, int32_t v) { return s->events == NULL ? 0.0 : s->events[v]; }

static const struct {
    measure_info info;
    field_value *value;
    int axis;
    bool needs_voxels;
    bool needs_events;
} fields[] = {
    {{"material", "material", ""}, NULL, -1, false, false},
    {{"displacement", "displacement", "m"}, displacement, -1, false, false},
    {{"displacement_x", "displacement x", "m"}, displacement, 0, false, false},
    {{"displacement_y", "displacement y", "m"}, displacement, 1, false, false},
    {{"displacement_z", "displacement z", "m"}, displacement, 2, false, false},
    {{"speed", "speed", "m/s"}, speed, -1, false, false},
    {{"strain", "strain", ""}, strain, -1, true, false},
    {{"strain_x", "strain x", ""}, strain, 0, true, false},
    {{"strain_y", "strain y", ""}, strain, 1, true, false},
    {{"strain_z", "strain z", ""}, strain, 2, true, false},
    {{"stress", "stress", "Pa"}, stress, -1, true, false},
    {{"stress_x", "stress x", "Pa"}, stress, 0, true, false},
    {{"stress_y", "stress y", "Pa"}, stress, 1, true, false},
    {{"stress_z", "stress z", "Pa"}, stress, 2, true, false},
    {{"pressure", "pressure", "Pa"}, pressure, -1, false, false},
    {{"energy", "elastic energy", "J/m^3"}, energy, -1, true, false},
    {{"contact_force", "contact force", "N"}, contact_force, -1, false, false},
    {{"growth", "growth", ""}, growth, -1, false, false},
    {{"phase", "phase", "cycles"}, phase, -1, false, false},
    {{"amplitude", "amplitude factor", ""}, amplitude, -1, false, false},
    {{"period", "period factor", ""}, period, -1, false, false},
    {{"state", "state", ""}, state, -1, false, true},
};
enum { FIELD_COUNT = sizeof fields / sizeof fields[0] };

int32_t vxe_measure_count(void) { return FIELD_COUNT; }

const char *vxe_measure_name(int32_t measure, const char **label, const char **unit)
{
    if (measure < 0 || measure >= FIELD_COUNT) return NULL;
    if (label != NULL) *label = fields[measure].info.label;
    if (unit != NULL) *unit = fields[measure].info.unit;
    return fields[measure].info.name;
}

double vxe_measure_least(int number, const vxe_scene *scene)
{
    const char *name = number >= 0 && number < FIELD_COUNT ? fields[number].info.name : "";
    const double pitch = vxe_scene_pitch(scene);
    double modulus = 0.0;
    double density = 0.0;
    for (int32_t i = 1; i <= vxe_scene_material_count(scene); i++) {
        modulus = fmax(modulus, vxe_scene_material(scene, i)->youngs_modulus);
        density = fmax(density, vxe_scene_material(scene, i)->density);
    }
    /* A strain of 1e-5 is far below what a picture can show, and far above round-off; the others follow from
     * it. */
    const double strain = 1e-5;
    if (strncmp(name, "strain", 6) == 0 || strcmp(name, "growth") == 0) return strain;
    if (strncmp(name, "stress", 6) == 0 || strcmp(name, "pressure") == 0) return strain * modulus;
    if (strncmp(name, "displacement", 12) == 0) return strain * pitch;
    if (strcmp(name, "speed") == 0) return strain * sqrt(modulus / fmax(density, 1e-30));
    if (strcmp(name, "energy") == 0) return 0.5 * modulus * strain * strain;
    if (strcmp(name, "contact_force") == 0) return strain * strain * modulus * pitch * pitch;
    return 0.0;
}

int vxe_measure_find(const char *name)
{
    for (int i = 0; i < FIELD_COUNT; i++) {
        if (strcmp(fields[i].info.name, name) == 0) return i;
    }
    return -1;
}

json_t *vxe_measure_list(void)
{
    json_t *list = json_array();
    for (int i = 0; i < FIELD_COUNT; i++) {
        const measure_info *f = &fields[i].info;
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s, s:s}", "name", f->name, "label", f->label, "unit", f->unit));
    }
    return list;
}

/* What became of each voxel's links: 0 nothing, 1 one yielded, 2 one broke. NULL: nothing can happen. */
static uint8_t *read_events(const vxe_sim *sim, const vxe_model_view *model)
{
    int64_t count = 0;
    const vxe_event *events = vxe_sim_events(sim, &count);
    uint8_t *flags = events == NULL ? NULL : vxe_allocate((size_t)model->voxel_count, 1);
    for (int64_t i = 0; flags != NULL && i < count; i++) {
        const int32_t near = events[i].link % model->voxel_count;
        const int32_t far = model->next[events[i].link / model->voxel_count][near];
        const uint8_t kind = events[i].kind == VXE_EVENT_BREAK ? 2 : 1;
        if (flags[near] < kind) flags[near] = kind;
        if (far >= 0 && flags[far] < kind) flags[far] = kind;
    }
    return flags;
}

vxe_result vxe_measure_read_all(const int *numbers, int how_many, vxe_sim *sim, const vxe_scene *scene,
                                const uint32_t *voxel, int32_t count, float *values, double (*range)[2],
                                vxe_error *error)
{
    const vxe_model_view *model = vxe_model_get(vxe_sim_model(sim));
    const vxe_voxels *voxels = NULL;
    uint8_t *events = NULL;
    for (int k = 0; k < how_many; k++) {
        const int number = numbers[k] > 0 && numbers[k] < FIELD_COUNT ? numbers[k] : 0;
        if (fields[number].needs_voxels && voxels == NULL) {
            const vxe_result result = vxe_sim_voxels(sim, &voxels, error);
            if (result != VXE_OK) {
                free(events);
                return result;
            }
        }
        if (fields[number].needs_events && events == NULL) events = read_events(sim, model);
    }
    for (int k = 0; k < how_many; k++) {
        const int number = numbers[k] > 0 && numbers[k] < FIELD_COUNT ? numbers[k] : 0;
        const source s = {model, vxe_sim_state(sim), voxels, scene, events, fields[number].axis};
        field_value *value = fields[number].value;
        float *to = values + (size_t)k * (size_t)count;
        double low = INFINITY;
        double high = -INFINITY;
        if (value == NULL) memset(to, 0, (size_t)count * sizeof *to);
        for (int32_t v = 0, shown = 0; v < model->voxel_count && value != NULL; v++) {
            const double x = value(&s, v);
            if (x < low && x >= -DBL_MAX) low = x;
            if (x > high && x <= DBL_MAX) high = x;
            if (shown < count && voxel[shown] == (uint32_t)v) to[shown++] = (float)x;
        }
        range[k][0] = isfinite(low) ? low : 0.0;
        range[k][1] = isfinite(high) ? high : 0.0;
    }
    free(events);
    return VXE_OK;
}

vxe_result vxe_measure_read(int number, vxe_sim *sim, const vxe_scene *scene, const uint32_t *voxel,
                            int32_t count, float *values, double range[2], vxe_error *error)
{
    double found[1][2] = {{0.0, 0.0}};
    const vxe_result result =
        vxe_measure_read_all(&number, 1, sim, scene, voxel, count, values, found, error);
    range[0] = found[0][0];
    range[1] = found[0][1];
    return result;
}

json_t *vxe_measure_json(int number, const double range[2])
{
    const measure_info *f = &fields[number].info;
    return json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", f->name, "label", f->label, "unit", f->unit, "min",
                     vxe_number_json(range[0]), "max", vxe_number_json(range[1]));
}
