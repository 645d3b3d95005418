/* Measures; see measure.h. */
#include "picture/measure.h"
#include "base/base.h"
#include "picture/values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct measure_info {
    const char *name;
    const char *label;
    const char *unit;
} measure_info;

/* What is worked out once for all fields of a moment, per voxel. */
enum { TENSOR = 6, SCALARS = 3 }; /* xx yy zz xy yz zx; von Mises, largest and smallest principal value */

typedef double field_value(const vxe_measure_source *s, int32_t v, int which);

static double length_at(const double *const array[3], int32_t v)
{
    return sqrt(array[0][v] * array[0][v] + array[1][v] * array[1][v] + array[2][v] * array[2][v]);
}

static double displacement(const vxe_measure_source *s, int32_t v, int axis)
{
    double u[3];
    for (int a = 0; a < 3; a++) u[a] = s->state->position[a][v] - s->model->start[a][v];
    return axis >= 0 ? u[axis] : sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

static double speed(const vxe_measure_source *s, int32_t v, int which)
{
    (void)which;
    return length_at(s->state->velocity, v);
}
static double contact_force(const vxe_measure_source *s, int32_t v, int which)
{
    (void)which;
    return length_at(s->state->contact_force, v);
}

static double component(const double *const array[3], int32_t v, int axis)
{
    if (axis >= 0) return array[axis][v];
    double largest = array[0][v];
    for (int a = 1; a < 3; a++) {
        if (fabs(array[a][v]) > fabs(largest)) largest = array[a][v];
    }
    return largest;
}

static double strain(const vxe_measure_source *s, int32_t v, int axis)
{
    return component(s->voxels->strain, v, axis);
}
static double stress(const vxe_measure_source *s, int32_t v, int axis)
{
    return component(s->voxels->stress, v, axis);
}
static double shear(const vxe_measure_source *s, int32_t v, int which) { return s->shear[3 * v + which]; }
static double energy(const vxe_measure_source *s, int32_t v, int which)
{
    (void)which;
    return s->voxels->energy[v] / (s->model->pitch * s->model->pitch * s->model->pitch);
}
static double pressure(const vxe_measure_source *s, int32_t v, int which)
{
    (void)which;
    return s->state->pressure[v];
}
static double growth(const vxe_measure_source *s, int32_t v, int which)
{
    (void)which;
    return s->state->growth[v];
}

static const vxe_material_def *material_at(const vxe_measure_source *s, int32_t v)
{
    return vxe_scene_material(s->scene, s->model->material[v]);
}

/* What expands a voxel, as a temperature; its growth tells. */
static double temperature(const vxe_measure_source *s, int32_t v, int which)
{
    (void)which;
    const vxe_material_def *m = material_at(s, v);
    const int32_t named = m->signal[0] == '\0' ? 0 : vxe_scene_find_signal(s->scene, m->signal);
    const vxe_signal_def *signal = vxe_scene_signal(s->scene, named);
    if (signal == NULL) return 0.0;
    return m->expansion == 0.0 ? vxe_sim_signal(s->sim, named)
                               : signal->reference + s->state->growth[v] / m->expansion;
}

static vxe_actuation actuation_at(const vxe_measure_source *s, int32_t v)
{
    return vxe_scene_actuation(s->scene, s->model->cell[0][v], s->model->cell[1][v], s->model->cell[2][v]);
}
static double actuation(const vxe_measure_source *s, int32_t v, int which)
{
    const vxe_actuation a = actuation_at(s, v);
    return which == 0 ? a.phase : which == 1 ? a.amplitude : a.period;
}
static double part(const vxe_measure_source *s, int32_t v, int which)
{
    (void)which;
    return vxe_scene_field(s->scene, VXE_FIELD_PART, s->model->cell[0][v], s->model->cell[1][v],
                           s->model->cell[2][v]);
}
static double state(const vxe_measure_source *s, int32_t v, int which)
{
    (void)which;
    return s->events == NULL ? 0.0 : s->events[v];
}

/* ---- tensors ------------------------------------------------------------------------------------------------------ */

/* A vector of the world in the axes of voxel v. */
static void into_body(const vxe_state *state, int32_t v, const double world[3], double body[3])
{
    const double w = state->orientation[0][v];
    const double q[3] = {-state->orientation[1][v], -state->orientation[2][v], -state->orientation[3][v]};
    double t[3];
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3;
        const int c = (a + 2) % 3;
        t[a] = 2.0 * (q[b] * world[c] - q[c] * world[b]);
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3;
        const int c = (a + 2) % 3;
        body[a] = world[a] + w * t[a] + q[b] * t[c] - q[c] * t[b];
    }
}

/* Shear stresses xy, yz, zx of every voxel, Pa, in its own axes. The force that crosses a face, divided by
 * the face, is the traction there; a component is the mean over the links of both faces that show it. */
static void read_shear(const vxe_model_view *model, const vxe_state *state, const vxe_links *links,
                       double *shears)
{
    const int32_t n = model->voxel_count;
    const double area = model->pitch * model->pitch;
    uint8_t *count = vxe_allocate((size_t)n, 3);
    if (count == NULL) return;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            const int32_t far = model->next[a][v];
            const size_t link = (size_t)a * (size_t)n + (size_t)v;
            if (far < 0 || links->broken[link] != 0) continue;
            const double force[3] = {links->force[0][link], links->force[1][link], links->force[2][link]};
            for (int end = 0; end < 2; end++) {
                const int32_t u = end == 0 ? v : far;
                double own[3];
                into_body(state, u, force, own);
                for (int other = 1; other < 3; other++) {
                    const int b = (a + other) % 3;
                    const int which = a + b == 1 ? 0 : a + b == 3 ? 1 : 2;
                    shears[3 * u + which] -= own[b] / area;
                    count[3 * u + which]++;
                }
            }
        }
    }
    for (int32_t i = 0; i < 3 * n; i++) {
        if (count[i] > 0) shears[i] /= count[i];
    }
    free(count);
}

/* Von Mises, largest and smallest principal value of a symmetric tensor. */
static void measure_tensor(const double t[TENSOR], double out[SCALARS])
{
    const double mean = (t[0] + t[1] + t[2]) / 3.0;
    const double d[3] = {t[0] - mean, t[1] - mean, t[2] - mean};
    const double off = t[3] * t[3] + t[4] * t[4] + t[5] * t[5];
    const double j2 = 0.5 * (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) + off;
    out[0] = sqrt(3.0 * j2);
    if (!(j2 > 0.0)) {
        out[1] = out[2] = mean;
        return;
    }
    const double j3 = d[0] * (d[1] * d[2] - t[4] * t[4]) - t[3] * (t[3] * d[2] - t[4] * t[5]) +
                      t[5] * (t[3] * t[4] - d[1] * t[5]);
    const double cosine = fmax(-1.0, fmin(1.0, 1.5 * sqrt(3.0) * j3 / (j2 * sqrt(j2))));
    const double angle = acos(cosine) / 3.0;
    const double radius = 2.0 * sqrt(j2 / 3.0);
    out[1] = mean + radius * cos(angle);
    out[2] = mean + radius * cos(angle + 2.0 * 3.14159265358979323846 / 3.0);
}

/* Of the stresses (0) or strains (1) of voxel v. Shear strains are what the material makes of the stresses.
 */
static double measure(const vxe_measure_source *s, int32_t v, int kind, int which)
{
    double t[TENSOR];
    double out[SCALARS];
    const vxe_material_def *m = kind == 0 ? NULL : material_at(s, v);
    for (int a = 0; a < 3; a++) {
        t[a] = kind == 0 ? s->voxels->stress[a][v] : s->voxels->strain[a][v];
        t[3 + a] = s->shear[3 * v + a];
        if (kind != 0) t[3 + a] *= (1.0 + m->poissons_ratio) / m->youngs_modulus;
    }
    measure_tensor(t, out);
    /* The von Mises strain counts as the axial strain of a pulled bar that keeps its volume. */
    return kind != 0 && which == 0 ? out[0] * 2.0 / 3.0 : out[which];
}
static double stress_measure(const vxe_measure_source *s, int32_t v, int which)
{
    return measure(s, v, 0, which);
}
static double strain_measure(const vxe_measure_source *s, int32_t v, int which)
{
    return measure(s, v, 1, which);
}

/* ---- the list ----------------------------------------------------------------------------------------------------- */

enum { NEEDS_VOXELS = 1, NEEDS_SHEAR = 2, NEEDS_EVENTS = 4, NEVER_CHANGES = 8, POWER_TWO = 16 };

static const struct {
    measure_info info;
    field_value *value;
    int which; /* an axis (-1: magnitude, or the largest), or what else tells it apart */
    int flags;
} fields[] = {
    {{"material", "material", ""}, NULL, -1, 0},
    {{"displacement", "displacement", "m"}, displacement, -1, 0},
    {{"displacement_x", "displacement along x", "m"}, displacement, 0, 0},
    {{"displacement_y", "displacement along y", "m"}, displacement, 1, 0},
    {{"displacement_z", "displacement along z", "m"}, displacement, 2, 0},
    {{"speed", "speed", "m/s"}, speed, -1, 0},
    {{"strain", "largest axial strain", ""}, strain, -1, NEEDS_VOXELS},
    {{"strain_x", "axial strain along x", ""}, strain, 0, NEEDS_VOXELS},
    {{"strain_y", "axial strain along y", ""}, strain, 1, NEEDS_VOXELS},
    {{"strain_z", "axial strain along z", ""}, strain, 2, NEEDS_VOXELS},
    {{"strain_mises", "von Mises strain", ""}, strain_measure, 0, NEEDS_VOXELS | NEEDS_SHEAR},
    {{"strain_1", "largest principal strain", ""}, strain_measure, 1, NEEDS_VOXELS | NEEDS_SHEAR},
    {{"strain_3", "smallest principal strain", ""}, strain_measure, 2, NEEDS_VOXELS | NEEDS_SHEAR},
    {{"stress", "largest axial stress", "Pa"}, stress, -1, NEEDS_VOXELS},
    {{"stress_x", "axial stress along x", "Pa"}, stress, 0, NEEDS_VOXELS},
    {{"stress_y", "axial stress along y", "Pa"}, stress, 1, NEEDS_VOXELS},
    {{"stress_z", "axial stress along z", "Pa"}, stress, 2, NEEDS_VOXELS},
    {{"stress_xy", "shear stress xy", "Pa"}, shear, 0, NEEDS_SHEAR},
    {{"stress_yz", "shear stress yz", "Pa"}, shear, 1, NEEDS_SHEAR},
    {{"stress_zx", "shear stress zx", "Pa"}, shear, 2, NEEDS_SHEAR},
    {{"stress_mises", "von Mises stress", "Pa"}, stress_measure, 0, NEEDS_VOXELS | NEEDS_SHEAR},
    {{"stress_1", "largest principal stress", "Pa"}, stress_measure, 1, NEEDS_VOXELS | NEEDS_SHEAR},
    {{"stress_3", "smallest principal stress", "Pa"}, stress_measure, 2, NEEDS_VOXELS | NEEDS_SHEAR},
    {{"pressure", "pressure of the voxel", "Pa"}, pressure, -1, 0},
    {{"energy", "elastic energy density", "J/m^3"}, energy, -1, NEEDS_VOXELS | POWER_TWO},
    {{"contact_force", "contact force", "N"}, contact_force, -1, 0},
    {{"growth", "growth", ""}, growth, -1, 0},
    {{"temperature", "temperature", "K"}, temperature, -1, 0},
    {{"phase", "phase", "cycles"}, actuation, 0, NEVER_CHANGES},
    {{"amplitude", "amplitude factor", ""}, actuation, 1, NEVER_CHANGES},
    {{"period", "period factor", ""}, actuation, 2, NEVER_CHANGES},
    {{"part", "part", ""}, part, -1, NEVER_CHANGES},
    {{"state", "state of the links", ""}, state, -1, NEEDS_EVENTS},
};
_Static_assert(sizeof fields / sizeof fields[0] == VXE_MEASURE_COUNT, "measure.h knows how many there are");

int32_t vxe_measure_count(void) { return VXE_MEASURE_COUNT; }

const char *vxe_measure_name(int32_t measure, const char **label, const char **unit)
{
    if (measure < 0 || measure >= VXE_MEASURE_COUNT) return NULL;
    if (label != NULL) *label = fields[measure].info.label;
    if (unit != NULL) *unit = fields[measure].info.unit;
    return fields[measure].info.name;
}

double vxe_measure_least(int number, const vxe_scene *scene)
{
    const char *name = number >= 0 && number < VXE_MEASURE_COUNT ? fields[number].info.name : "";
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
    if (strcmp(name, "temperature") == 0) return 0.01;
    if (strcmp(name, "energy") == 0) return 0.5 * modulus * strain * strain;
    if (strcmp(name, "contact_force") == 0) return strain * strain * modulus * pitch * pitch;
    return 0.0;
}

int vxe_measure_find(const char *name)
{
    for (int i = 0; i < VXE_MEASURE_COUNT; i++) {
        if (strcmp(fields[i].info.name, name) == 0) return i;
    }
    return -1;
}

json_t *vxe_measure_list(void)
{
    json_t *list = json_array();
    for (int i = 0; i < VXE_MEASURE_COUNT; i++) {
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

vxe_result vxe_measure_prepare(vxe_measure_source *s, vxe_sim *sim, const vxe_scene *scene,
                               const int *numbers, int how_many, vxe_error *error)
{
    int flags = 0;
    for (int k = 0; k < how_many; k++) {
        if (numbers[k] > 0 && numbers[k] < VXE_MEASURE_COUNT) flags |= fields[numbers[k]].flags;
    }
    const vxe_model_view *model = vxe_model_get(vxe_sim_model(sim));
    *s = (vxe_measure_source){.model = model, .scene = scene, .sim = sim};
    vxe_result result = VXE_OK;
    if ((flags & NEEDS_SHEAR) != 0) {
        const vxe_links *links = NULL;
        result = vxe_sim_links(sim, &links, error);
        if (result != VXE_OK) return result;
        s->shear = vxe_allocate(3 * (size_t)model->voxel_count, sizeof *s->shear);
        if (s->shear == NULL) return vxe_fail_memory(error, "a field", 24 * (size_t)model->voxel_count);
        read_shear(model, vxe_sim_state(sim), links, s->shear);
    }
    if ((flags & NEEDS_VOXELS) != 0) result = vxe_sim_voxels(sim, &s->voxels, error);
    if (result == VXE_OK && (flags & NEEDS_EVENTS) != 0) s->events = read_events(sim, model);
    s->state = vxe_sim_state(sim);
    if (result != VXE_OK) vxe_measure_release(s);
    return result;
}

void vxe_measure_release(vxe_measure_source *s)
{
    free(s->shear);
    free(s->events);
    s->shear = NULL;
    s->events = NULL;
}

double vxe_measure_at(const vxe_measure_source *s, int number, int32_t v)
{
    return fields[number].value(s, v, fields[number].which);
}

bool vxe_measure_changes(int number) { return number > 0 && (fields[number].flags & NEVER_CHANGES) == 0; }

int vxe_measure_power(int number) { return (fields[number].flags & POWER_TWO) != 0 ? 2 : 1; }

double vxe_measure_of_shape(int number, const double displacement_of[3], const double strain_of[6],
                            const double stress_of[6], double energy_of)
{
    const int which = fields[number].which;
    field_value *const value = fields[number].value;
    double out[SCALARS];
    if (value == displacement) {
        const double *u = displacement_of;
        return which >= 0 ? u[which] : sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
    if (value == strain || value == stress) {
        const double *t = value == strain ? strain_of : stress_of;
        if (which >= 0) return t[which];
        const double *const axes[3] = {&t[0], &t[1], &t[2]};
        return component(axes, 0, -1);
    }
    if (value == shear) return stress_of[3 + which];
    if (value == energy) return energy_of;
    if (value == pressure) return (stress_of[0] + stress_of[1] + stress_of[2]) / 3.0;
    if (value != stress_measure && value != strain_measure) return 0.0;
    measure_tensor(value == stress_measure ? stress_of : strain_of, out);
    return value == strain_measure && which == 0 ? out[0] * 2.0 / 3.0 : out[which];
}

bool vxe_measure_is_linear(int number)
{
    return (fields[number].flags & (NEEDS_VOXELS | NEEDS_SHEAR)) != 0 ||
           fields[number].value == displacement || fields[number].value == pressure;
}

vxe_result vxe_measure_read_all(const int *numbers, int how_many, vxe_sim *sim, const vxe_scene *scene,
                                const uint32_t *voxel, int32_t count, float *values, double (*range)[2],
                                vxe_error *error)
{
    vxe_measure_source s;
    const vxe_result result = vxe_measure_prepare(&s, sim, scene, numbers, how_many, error);
    if (result != VXE_OK) return result;
    for (int k = 0; k < how_many; k++) {
        const int number = numbers[k] > 0 && numbers[k] < VXE_MEASURE_COUNT ? numbers[k] : 0;
        float *to = values + (size_t)k * (size_t)count;
        double low = INFINITY;
        double high = -INFINITY;
        if (number == 0) memset(to, 0, (size_t)count * sizeof *to);
        for (int32_t v = 0, shown = 0; v < s.model->voxel_count && number != 0; v++) {
            const double x = vxe_measure_at(&s, number, v);
            if (x < low && x >= -DBL_MAX) low = x;
            if (x > high && x <= DBL_MAX) high = x;
            if (shown < count && voxel[shown] == (uint32_t)v) to[shown++] = (float)x;
        }
        range[k][0] = isfinite(low) ? low : 0.0;
        range[k][1] = isfinite(high) ? high : 0.0;
    }
    vxe_measure_release(&s);
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
