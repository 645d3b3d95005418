/* Peaks: see peaks.h. A reset changes the number of the step by more than one, and begins anew. */
#include "sim/peaks.h"
#include "sim/sim.h"

#include <math.h>

static const seen_peak none_seen = {0.0, 0.0, -1};

void vxe_peaks_reset(vxe_sim *sim)
{
    sim->peaks.peaks = (vxe_sim_peaks){0.0, sim->time, 0.0, sim->time, -1, -1};
    for (int i = 0; i < SEEN_KINDS; i++) sim->peaks.seen[i] = none_seen;
    sim->peaks.step = sim->step;
}

/* The voxels of a chunk. */
static void chunk_range(const vxe_sim *sim, int32_t chunk, int32_t range[2])
{
    const int32_t n = sim->model->view.voxel_count;
    range[0] = chunk * CHUNK;
    range[1] = range[0] + CHUNK < n ? range[0] + CHUNK : n;
}

/* Whether a value is the one looked for, but for round-off: then the search is over. */
static bool is_it(const vxe_sim *sim, double value, double largest)
{
    return value >= (sim->def.precision == VXE_PRECISION_SINGLE ? 1.0 - 1e-6 : 1.0 - 1e-11) * largest;
}

/* The strain of a link when the step began: positions are those of its end, and voxels got there by their
 * velocities. Negative: there is no link. */
static double strain_then(const vxe_sim *sim, int a, int32_t v)
{
    const vxe_model *m = sim->model;
    const int32_t far = m->next[a][v];
    if (sim->link_kind[a][v] == 0 || far < 0) return -1.0;
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        const double moved = sim->velocity[i][far] - sim->velocity[i][v];
        const double d = sim->position[i][far] - sim->position[i][v] - sim->last_dt * moved;
        square += d * d;
    }
    const double rest = 1.0 + 0.5 * (sim->growth[0][v] + sim->growth[0][far]);
    return fabs(sqrt(square) / m->view.pitch - rest);
}

/* The near voxel of the link of a chunk that was strained most; mostly that of the step before. */
static int32_t find_strained(const vxe_sim *sim, int32_t chunk, int32_t last)
{
    int32_t range[2];
    int32_t found = -1;
    double most = -1.0;
    for (int a = 0; a < 3 && last >= 0; a++) {
        if (is_it(sim, strain_then(sim, a, last), sim->last.strain_max)) return last;
    }
    chunk_range(sim, chunk, range);
    for (int a = 0; a < 3; a++) {
        for (int32_t v = range[0]; v < range[1]; v++) {
            const double strain = strain_then(sim, a, v);
            if (!(strain > most)) continue;
            most = strain;
            found = v;
            if (is_it(sim, strain, sim->last.strain_max)) return found;
        }
    }
    return found;
}

/* m^2/s^2; negative: it is moved by the scene. */
static double speed_squared(const vxe_sim *sim, int32_t v)
{
    if ((vxe_held_by_scene(sim->model, v) & VXE_DOF_MOVE) == VXE_DOF_MOVE) return -1.0;
    double square = 0.0;
    for (int i = 0; i < 3; i++) square += sim->velocity[i][v] * sim->velocity[i][v];
    return square;
}

static int32_t find_fastest(const vxe_sim *sim, int32_t chunk, int32_t last)
{
    int32_t range[2];
    int32_t found = -1;
    double most = -1.0;
    if (last >= 0 && is_it(sim, sqrt(fmax(speed_squared(sim, last), 0.0)), sim->last.speed_max)) return last;
    chunk_range(sim, chunk, range);
    for (int32_t v = range[0]; v < range[1]; v++) {
        const double square = speed_squared(sim, v);
        if (!(square > most)) continue;
        most = square;
        found = v;
        if (is_it(sim, sqrt(square), sim->last.speed_max)) return found;
    }
    return found;
}

void vxe_note_peaks(vxe_sim *sim, const int32_t chunk[2])
{
    vxe_sim_peaks *p = &sim->peaks.peaks;
    if (sim->step != sim->peaks.step + 1) vxe_peaks_reset(sim);
    sim->peaks.step = sim->step;
    const bool strained = sim->last.strain_max > p->strain;
    const bool faster = sim->last.speed_max > p->speed;
    if (!strained && !faster) return;
    /* From a device the state would have to come in every such step. */
    const bool known = sim->device == NULL;
    if (known)
        vxe_state_read(sim, STATE_SET(velocity) | (strained ? STATE_SET(position) | STATE_SET(growth) : 0));
    if (strained) {
        p->strain = sim->last.strain_max;
        p->strain_time = sim->last_time;
        p->strain_voxel = known ? find_strained(sim, chunk[0], p->strain_voxel) : -1;
    }
    if (faster) {
        p->speed = sim->last.speed_max;
        p->speed_time = sim->time;
        p->speed_voxel = known ? find_fastest(sim, chunk[1], p->speed_voxel) : -1;
    }
}

vxe_sim_peaks vxe_sim_peaks_get(const vxe_sim *sim)
{
    if (sim == NULL || sim->step != sim->peaks.step) return (vxe_sim_peaks){0.0, 0.0, 0.0, 0.0, -1, -1};
    return sim->peaks.peaks;
}

seen_peak vxe_peak_seen(const vxe_sim *sim, seen_kind kind)
{
    return sim->step != sim->peaks.step ? none_seen : sim->peaks.seen[kind];
}

void vxe_peak_keep(vxe_sim *sim, seen_kind kind, seen_peak peak)
{
    if (sim->step != sim->peaks.step) vxe_peaks_reset(sim);
    sim->peaks.seen[kind] = peak;
}
