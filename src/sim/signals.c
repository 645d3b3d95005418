/* Control variables: the value of every signal now, and what it does to the size of every actuated voxel. */
#include "kernel/signal.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

#define GROWTH_MIN (-0.9) /* a voxel never shrinks below a tenth of its size */
#define GROWTH_MAX 2.0

/* Straight lines between the points of a table; before the first and after the last point their values. */
static double table_value(const vxe_signal_def *def, double time)
{
    int32_t low = 0;
    int32_t high = def->table_count - 1;
    if (time <= def->table_time[0]) return def->table_value[0];
    if (time >= def->table_time[high]) return def->table_value[high];
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (def->table_time[middle] <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double part = (time - def->table_time[low]) / (def->table_time[high] - def->table_time[low]);
    return def->table_value[low] + part * (def->table_value[high] - def->table_value[low]);
}

/* The wave, -1 to 1 (tables: what they say), `rate` times as fast and `phase` cycles ahead. */
static double wave_value(const vxe_sim *sim, int32_t signal, double time, double phase, double rate)
{
    const vxe_signal_def *def = &sim->model->signals[signal].def;
    const sim_signal *now = &sim->signals[signal];
    if (def->waveform == VXE_WAVE_TABLE && def->period <= 0.0) return table_value(def, time * rate);
    const double fraction = signal_fraction(time * rate / now->period + now->phase + phase);
    switch (def->waveform) {
    case VXE_WAVE_SINE: return signal_sine(fraction);
    case VXE_WAVE_SQUARE: return signal_square(fraction);
    case VXE_WAVE_RAMP: return signal_triangle(fraction);
    case VXE_WAVE_TABLE: return table_value(def, fraction * def->period);
    }
    return 0.0;
}

double vxe_signal_value(const vxe_sim *sim, int32_t signal, double time, double phase, double amplitude,
                        double rate)
{
    const vxe_signal_def *def = &sim->model->signals[signal].def;
    const sim_signal *now = &sim->signals[signal];
    const double begin = def->start > 0.0 ? signal_smooth(time / def->start) : 1.0;
    return now->base + begin * now->amplitude * amplitude * wave_value(sim, signal, time, phase, rate);
}

static double growth_of(const vxe_sim *sim, int32_t signal, double value, double expansion)
{
    const vxe_signal_def *def = &sim->model->signals[signal].def;
    double growth = expansion * (value - def->reference);
    if (def->contract_only && growth > 0.0) growth = 0.0;
    if (growth < GROWTH_MIN) growth = GROWTH_MIN;
    if (growth > GROWTH_MAX) growth = GROWTH_MAX;
    return growth;
}

/* Voxels with a sine of their own, the usual case: what does not depend on the voxel is found once. */
static void growth_of_sines(const vxe_sim *sim, double time, double *growth)
{
    const vxe_model *m = sim->model;
    double cycles[VXE_SIGNALS_MAX];
    double swing[VXE_SIGNALS_MAX];
    for (int32_t s = 0; s < m->view.signal_count; s++) {
        const double start = m->signals[s].def.start;
        cycles[s] = time / sim->signals[s].period;
        swing[s] = (start > 0.0 ? signal_smooth(time / start) : 1.0) * sim->signals[s].amplitude;
    }
    for (int32_t i = 0; i < m->actuated_count; i++) {
        const int32_t v = m->actuated_voxel[i];
        const material_constants *c = &m->materials[m->material[v]];
        const int32_t s = c->signal;
        const double wave = signal_sine(
            signal_fraction(cycles[s] * m->actuation[2][i] + sim->signals[s].phase + m->actuation[0][i]));
        const double value = sim->signals[s].base + swing[s] * m->actuation[1][i] * wave;
        growth[v] = growth_of(sim, s, value, c->expansion);
    }
}

void vxe_growth_at(const vxe_sim *sim, double time, double *growth)
{
    const vxe_model *m = sim->model;
    bool sines = m->actuation[0] != NULL;
    for (int32_t s = 0; s < m->view.signal_count; s++)
        sines = sines && m->signals[s].def.waveform == VXE_WAVE_SINE;
    if (sines) {
        growth_of_sines(sim, time, growth);
        return;
    }
    /* voxels without actuation of their own share one value per signal */
    double shared[VXE_SIGNALS_MAX];
    if (m->actuation[0] == NULL) {
        for (int32_t s = 0; s < m->view.signal_count; s++)
            shared[s] = vxe_signal_value(sim, s, time, 0.0, 1.0, 1.0);
    }
    for (int32_t i = 0; i < m->actuated_count; i++) {
        const int32_t v = m->actuated_voxel[i];
        const material_constants *c = &m->materials[m->material[v]];
        const double value = m->actuation[0] == NULL
                                 ? shared[c->signal]
                                 : vxe_signal_value(sim, c->signal, time, m->actuation[0][i],
                                                    m->actuation[1][i], m->actuation[2][i]);
        growth[v] = growth_of(sim, c->signal, value, c->expansion);
    }
}

void vxe_signals_update(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    double *growth = sim->growth[0];
    if (m->actuated_count == 0) return;
    if (sim->def.audit) memcpy(sim->growth_before[0], growth, (size_t)m->view.voxel_count * sizeof *growth);
    vxe_growth_at(sim, sim->time, growth);
    if (!sim->def.audit) return;
    /* first half of the work of actuation in the last step, with the force before; vxe_account_step() adds
     * the second */
    double work = 0.0;
    for (int32_t i = 0; i < m->actuated_count; i++) {
        const int32_t v = m->actuated_voxel[i];
        work += sim->conjugate[0][v] * (growth[v] - sim->growth_before[0][v]);
    }
    sim->account.actuation_work += 0.5 * work;
}

double vxe_sim_signal(const vxe_sim *sim, int32_t signal)
{
    if (sim == NULL || signal < 0 || signal >= sim->model->view.signal_count) return NAN;
    return vxe_signal_value(sim, signal, sim->time, 0.0, 1.0, 1.0);
}
