/* Figures of a run: see voxelastic/figures.h. */
#include "voxelastic/figures.h"
#include "base/base.h"
#include "sim/peaks.h"
#include "voxelastic/rules.h"
#include "voxelastic/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct vxe_figures {
    double every; /* s */
    double next;  /* s */
    vxe_peak peaks[VXE_PEAK_KINDS];
    double first_time;
    double last_time;
    double first_place[3];
    double last_place[3];
    double path;
    double height_sum; /* m; over all looks */
    double rise;       /* m */
    double body_length;
    double weight; /* N */
    bool audited;
    double first_work; /* J */
    double work;       /* J, since */
    int64_t looks;
    int64_t touching;  /* looks at which anything touched */
    uint32_t *touched; /* looks at which a voxel did, (voxel_count) */
    int32_t voxel_count;
};

static double flat_length(const double a[3], const double b[3]) { return hypot(b[0] - a[0], b[1] - a[1]); }

static void measure_body(vxe_figures *f, const vxe_model *model)
{
    const vxe_model_view *m = vxe_model_get(model);
    const vxe_environment e = vxe_model_environment(model);
    int32_t low[2] = {INT32_MAX, INT32_MAX};
    int32_t high[2] = {INT32_MIN, INT32_MIN};
    for (int a = 0; a < 2; a++) {
        for (int32_t v = 0; v < m->voxel_count; v++) {
            if (m->cell[a][v] < low[a]) low[a] = m->cell[a][v];
            if (m->cell[a][v] > high[a]) high[a] = m->cell[a][v];
        }
        if (m->voxel_count > 0) f->body_length = fmax(f->body_length, m->pitch * (high[a] - low[a] + 1));
    }
    f->voxel_count = m->voxel_count;
    f->weight = m->mass *
                sqrt(e.gravity[0] * e.gravity[0] + e.gravity[1] * e.gravity[1] + e.gravity[2] * e.gravity[2]);
}

/* Raises a peak. */
static void raise_peak(vxe_figures *f, vxe_peak_kind kind, double value, double time, int32_t voxel)
{
    if (value > f->peaks[kind].value || f->peaks[kind].voxel < 0)
        f->peaks[kind] = (vxe_peak){value, time, voxel};
}

/* The voxel where something is largest. */
static int32_t find_largest(const double *const array[3], int32_t count, bool length, double *largest)
{
    int32_t found = count > 0 ? 0 : -1;
    *largest = 0.0;
    for (int32_t v = 0; v < count; v++) {
        const double x = fabs(array[0][v]);
        const double y = fabs(array[1][v]);
        const double z = fabs(array[2][v]);
        const double size = length ? x * x + y * y + z * z : fmax(x, fmax(y, z));
        if (size <= *largest) continue;
        *largest = size;
        found = v;
    }
    if (length) *largest = sqrt(*largest);
    return found;
}

/* What the simulation has noted, or where it does not know where, the place now. */
static void take_noted(vxe_figures *f, vxe_peak_kind kind, double value, double time, int32_t voxel,
                       const double *const now[3])
{
    double largest = 0.0;
    if (value <= f->peaks[kind].value && f->peaks[kind].voxel >= 0) return;
    const bool speed = kind == VXE_PEAK_SPEED;
    raise_peak(f, kind, value, time, voxel >= 0 ? voxel : find_largest(now, f->voxel_count, speed, &largest));
}

/* Looks for one that only looking finds; the simulation keeps it, unless it ends here: a run that goes on has
 * the same peaks as one that was not interrupted. */
static void take_seen(vxe_figures *f, vxe_sim *sim, vxe_peak_kind kind, seen_kind seen, double value,
                      int32_t voxel)
{
    raise_peak(f, kind, value, vxe_sim_time(sim), voxel);
    if (vxe_sim_time(sim) < f->next - 1e-9 * f->every) return;
    vxe_peak_keep(sim, seen, (seen_peak){f->peaks[kind].value, f->peaks[kind].time, f->peaks[kind].voxel});
}

static void look_for_peaks(vxe_figures *f, vxe_sim *sim)
{
    const vxe_sim_peaks noted = vxe_sim_peaks_get(sim);
    const vxe_voxels *voxels = NULL;
    double largest = 0.0;
    int32_t voxel = -1;
    /* A run that goes on has looked before. */
    const bool resumed = f->looks == 0 && f->peaks[VXE_PEAK_STRESS].voxel >= 0;
    if (vxe_sim_voxels(sim, &voxels, NULL) == VXE_OK) {
        voxel = find_largest(voxels->stress, f->voxel_count, false, &largest);
        if (!resumed) take_seen(f, sim, VXE_PEAK_STRESS, SEEN_STRESS, largest, voxel);
        take_noted(f, VXE_PEAK_STRAIN, noted.strain, noted.strain_time, noted.strain_voxel, voxels->strain);
    }
    take_noted(f, VXE_PEAK_SPEED, noted.speed, noted.speed_time, noted.speed_voxel,
               vxe_sim_state(sim)->velocity);
    largest = vxe_sim_displacement_max(sim, &voxel);
    if (!resumed) take_seen(f, sim, VXE_PEAK_DISPLACEMENT, SEEN_DISPLACEMENT, largest, voxel);
}

static void look_for_contacts(vxe_figures *f, const vxe_state *state)
{
    bool any = false;
    for (int32_t v = 0; v < f->voxel_count; v++) {
        if (state->contact_force[0][v] == 0.0 && state->contact_force[1][v] == 0.0 &&
            state->contact_force[2][v] == 0.0)
            continue;
        f->touched[v]++;
        any = true;
    }
    f->touching += any ? 1 : 0;
    f->looks++;
}

static void look(vxe_figures *f, vxe_sim *sim)
{
    double place[3];
    if (vxe_sim_life(sim).present == 0)
        memcpy(place, f->last_place, sizeof place); /* nobody is left */
    else
        vxe_sim_center_of_mass(sim, place);
    f->path += flat_length(f->last_place, place);
    f->height_sum += place[2];
    f->rise = fmax(f->rise, place[2] - f->first_place[2]);
    memcpy(f->last_place, place, sizeof place);
    f->last_time = vxe_sim_time(sim);
    if (f->audited) f->work = vxe_sim_energy(sim).actuation_work - f->first_work; /* else there is none */
    look_for_peaks(f, sim);
    look_for_contacts(f, vxe_sim_state(sim));
}

vxe_result vxe_figures_create(vxe_sim *sim, double every, vxe_figures **figures, vxe_error *error)
{
    if (sim == NULL || figures == NULL || !(every > 0.0))
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        "vxe_figures_create: a simulation and an interval above 0");
    vxe_figures *f = calloc(1, sizeof *f);
    const int32_t voxels = vxe_model_get(vxe_sim_model(sim))->voxel_count;
    if (f != NULL) f->touched = calloc((size_t)voxels + 1, sizeof *f->touched);
    if (f == NULL || f->touched == NULL) {
        free(f);
        return vxe_fail_memory(error, "the figures of a run", 4 * (size_t)voxels);
    }
    f->every = every;
    f->audited = vxe_sim_settings(sim).audit;
    const seen_peak far = vxe_peak_seen(sim, SEEN_DISPLACEMENT); /* before this run was interrupted */
    const seen_peak stress = vxe_peak_seen(sim, SEEN_STRESS);
    for (int i = 0; i < VXE_PEAK_KINDS; i++) f->peaks[i].voxel = -1;
    f->peaks[VXE_PEAK_DISPLACEMENT] = (vxe_peak){far.value, far.time, (int32_t)far.voxel};
    f->peaks[VXE_PEAK_STRESS] = (vxe_peak){stress.value, stress.time, (int32_t)stress.voxel};
    measure_body(f, vxe_sim_model(sim));
    f->first_time = vxe_sim_time(sim);
    f->first_work = vxe_sim_energy(sim).actuation_work;
    vxe_sim_center_of_mass(sim, f->first_place);
    memcpy(f->last_place, f->first_place, sizeof f->first_place);
    look(f, sim);
    f->next = vxe_run_next(f->first_time, every);
    *figures = f;
    return VXE_OK;
}

void vxe_figures_destroy(vxe_figures *f)
{
    if (f == NULL) return;
    free(f->touched);
    free(f);
}

double vxe_figures_next(const vxe_figures *f) { return f == NULL ? INFINITY : f->next; }

void vxe_figures_look(vxe_figures *f, vxe_sim *sim)
{
    if (f == NULL || vxe_sim_time(sim) <= f->last_time) return;
    look(f, sim);
    f->next = vxe_run_next(f->last_time, f->every);
}

vxe_peak vxe_figures_peak(const vxe_figures *f, vxe_peak_kind kind)
{
    return f == NULL || kind < 0 || kind >= VXE_PEAK_KINDS ? (vxe_peak){0.0, 0.0, -1} : f->peaks[kind];
}

vxe_gait vxe_figures_gait(const vxe_figures *f)
{
    vxe_gait g = {0};
    if (f == NULL) return g;
    g.duration = f->last_time - f->first_time;
    g.body_length = f->body_length;
    g.distance = flat_length(f->first_place, f->last_place);
    g.path_length = f->path;
    g.speed = g.duration > 0.0 ? g.distance / g.duration : NAN;
    g.speed_lengths = f->body_length > 0.0 ? g.speed / f->body_length : NAN;
    g.actuation_work = f->audited ? f->work : NAN;
    g.cost_of_transport =
        f->audited && f->weight > 0.0 && g.distance > 0.0 ? f->work / (f->weight * g.distance) : NAN;
    int64_t voxels = 0;
    double sum = 0.0;
    for (int32_t v = 0; v < f->voxel_count; v++) {
        if (f->touched[v] == 0) continue;
        voxels++;
        sum += (double)f->touched[v] / (double)f->looks;
    }
    g.duty_factor = voxels > 0 ? sum / (double)voxels : NAN;
    g.contact_part = f->looks > 0 ? (double)f->touching / (double)f->looks : NAN;
    g.height = f->looks > 0 ? f->height_sum / (double)f->looks : NAN;
    g.rise = f->rise;
    return g;
}
