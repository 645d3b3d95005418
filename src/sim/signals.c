/* Control variables: the value of every signal now, and what it does to the size of every actuated voxel. */
#include "kernel/signal.h"
#include "sim/drive.h"

#include <math.h>
#include <string.h>

/* Materials that growth_of_sines() has room for. */
#define MATERIAL_SINES 256

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

/* What a signal's value does to the size of a voxel, limits aside. */
static double thermal_growth(const vxe_signal_def *def, double value, double expansion)
{
    const double excess = value - def->reference;
    const double growth = expansion * (def->cool_only && excess > 0.0 ? 0.0 : excess);
    return def->contract_only && growth > 0.0 ? 0.0 : growth;
}

static double least_growth(const vxe_signal_def *def)
{
    return def != NULL && def->size_min > 0.0 ? def->size_min - 1.0 : GROWTH_MIN;
}
static double most_growth(const vxe_signal_def *def)
{
    return def != NULL && def->size_max > 0.0 ? def->size_max - 1.0 : GROWTH_MAX;
}
static double limited(double growth, double least, double most)
{
    return growth < least ? least : growth > most ? most : growth;
}

static double limit_growth(const vxe_signal_def *def, double growth)
{
    return limited(growth, least_growth(def), most_growth(def));
}

static double field_of(const vxe_model *m, vxe_field field, int32_t v)
{
    return m->fields[field] != NULL ? m->fields[field][v] : 0.0;
}

/* s: the clock of growth, which stands during the pause, and is late where growth was slow. */
static double clock_of_growth(const vxe_sim *sim, double now)
{
    const vxe_environment *e = &sim->model->environment;
    const double time = now - sim->watch.growth_lag;
    if (!(e->pause_time > 0.0) || time <= e->pause_begin) return time;
    return time < e->pause_begin + e->pause_time ? e->pause_begin : time - e->pause_time;
}

/* How far a voxel has grown, 0 to 1; `clock` is clock_of_growth(). */
static double growth_progress(const vxe_model *m, int32_t v, double clock)
{
    const double begin = field_of(m, VXE_FIELD_GROWTH_BEGIN, v);
    const double since = clock - begin;
    const double length = field_of(m, VXE_FIELD_GROWTH_TIME, v);
    if (since < 0.0) return 0.0;
    return since >= length ? 1.0 : since / length;
}

/* The size of one actuated voxel, number i of the list. */
static double growth_of(const vxe_sim *sim, int32_t i, double time, const double *shared)
{
    const vxe_model *m = sim->model;
    const int32_t v = m->actuated_voxel[i];
    const material_constants *c = &m->materials[m->material[v]];
    const vxe_signal_def *def = c->signal >= 0 ? &m->signals[c->signal].def : NULL;
    double growth = 0.0;
    double phase = m->actuation[0] != NULL ? m->actuation[0][i] : 0.0;
    double amplitude = m->actuation[1] != NULL ? m->actuation[1][i] : 1.0;
    if (m->grows) {
        const double progress = growth_progress(m, v, clock_of_growth(sim, time));
        const double start = field_of(m, VXE_FIELD_SIZE_START, v);
        growth = start + progress * (field_of(m, VXE_FIELD_SIZE_END, v) - start);
        phase += progress * field_of(m, VXE_FIELD_PHASE_CHANGE, v);
        amplitude += progress * field_of(m, VXE_FIELD_AMPLITUDE_CHANGE, v);
    }
    if (def != NULL && c->expansion != 0.0 && time >= def->delay && time >= c->delay) {
        const double rate = m->actuation[2] != NULL ? m->actuation[2][i] : 1.0;
        const double value = shared != NULL ? shared[c->signal]
                                            : vxe_signal_value(sim, c->signal, time, phase, amplitude, rate);
        growth += thermal_growth(def, value, c->expansion);
    }
    if (c->resized) growth += sim->driven[0][v] + sim->developed[0][v] + c->expansion * sim->sense[5][v];
    return limit_growth(def, growth);
}

/* What a step needs to know of a material with a sine: excess of its signal over the reference is
 * middle + along cos(phase) + across sin(phase). */
typedef struct material_sine {
    double middle, along, across;
    double excess_most;
    double expansion;
    double growth_most;
    double least, most; /* of growth: limit_growth() */
} material_sine;

/* Voxels with a sine of the signal's own period, the usual case: the sine of time and phase is put together
 * from sines and cosines of both, of which one is the same for all voxels and the other the same all the
 * time. */
static void growth_of_sines(const vxe_sim *sim, double time, double *growth)
{
    const vxe_model *m = sim->model;
    double along[VXE_SIGNALS_MAX];
    double across[VXE_SIGNALS_MAX];
    for (int32_t k = 0; k < m->view.signal_count; k++) {
        const sim_signal *now = &sim->signals[k];
        const vxe_signal_def *def = &m->signals[k].def;
        const double swing = (def->start > 0.0 ? signal_smooth(time / def->start) : 1.0) * now->amplitude;
        const double fraction = signal_fraction(time / now->period + now->phase);
        along[k] = swing * signal_sine(fraction);
        across[k] = swing * signal_sine(signal_fraction(fraction + 0.25));
    }
    material_sine sines[MATERIAL_SINES]; /* there may be as many materials as voxels */
    for (int32_t i = 1; i <= m->constant_count; i++) {
        const material_constants *c = &m->materials[i];
        if (c->signal < 0) continue;
        const vxe_signal_def *def = &m->signals[c->signal].def;
        const bool begun = time >= def->delay && time >= c->delay;
        sines[i] = (material_sine){.middle = sim->signals[c->signal].base - def->reference,
                                   .along = along[c->signal],
                                   .across = across[c->signal],
                                   .excess_most = def->cool_only ? 0.0 : INFINITY,
                                   .expansion = begun ? c->expansion : 0.0,
                                   .growth_most = def->contract_only ? 0.0 : INFINITY,
                                   .least = least_growth(def),
                                   .most = most_growth(def)};
    }
    for (int32_t i = 0; i < m->actuated_count; i++) {
        const int32_t v = m->actuated_voxel[i];
        const material_sine *s = &sines[m->material[v]];
        const double excess = s->middle + (s->along * m->waves[0][i] + s->across * m->waves[1][i]);
        const double own = s->expansion * (excess > s->excess_most ? s->excess_most : excess);
        growth[v] = limited(own > s->growth_most ? s->growth_most : own, s->least, s->most);
    }
}

/* Whether all actuated voxels are such. */
bool vxe_signals_are_sines(const vxe_model *m)
{
    if (m->grows || m->resizes || m->waves[0] == NULL || m->constant_count >= MATERIAL_SINES) return false;
    for (int32_t s = 0; s < m->view.signal_count; s++) {
        if (m->signals[s].def.waveform != VXE_WAVE_SINE) return false;
    }
    for (int32_t i = 1; i <= m->constant_count; i++) {
        if (m->materials[i].signal < 0 && m->materials[i].expansion != 0.0) return false;
    }
    return true;
}

/* What a step needs to know of a material whose voxels grow, with a sine of the signal's own period or none.
 */
typedef struct grown_sine {
    double cycles; /* since the signal began */
    double base, swing;
    const vxe_signal_def *def; /* NULL: not driven now */
    double expansion;
    double least, most;
} grown_sine;

static grown_sine grown_sine_of(const vxe_sim *sim, const material_constants *c, double time)
{
    const vxe_signal_def *def = c->signal >= 0 ? &sim->model->signals[c->signal].def : NULL;
    grown_sine s = {.expansion = c->expansion, .least = least_growth(def), .most = most_growth(def)};
    if (def == NULL || c->expansion == 0.0 || !(time >= def->delay && time >= c->delay)) return s;
    const sim_signal *now = &sim->signals[c->signal];
    s.def = def;
    s.base = now->base;
    s.swing = (def->start > 0.0 ? signal_smooth(time / def->start) : 1.0) * now->amplitude;
    s.cycles = time / now->period + now->phase;
    return s;
}

/* Waves of sines after so many cycles, as signal_sine(signal_fraction()) has them, four at once. */
#define SINES_AT_ONCE 32
typedef double four_numbers __attribute__((vector_size(4 * sizeof(double))));
typedef int64_t four_masks __attribute__((vector_size(4 * sizeof(int64_t))));
#define PICK(mask, a, b) ((four_numbers)(((four_masks)(a) & (mask)) | ((four_masks)(b) & ~(mask))))
#define FAR_CYCLES 1125899906842624.0 /* 2^50 */

static void sines_of(double cycles[SINES_AT_ONCE])
{
    const double big = 6755399441055744.0; /* 1.5 * 2^52: what is added to it is rounded to a whole number */
    const four_numbers zero = {0.0, 0.0, 0.0, 0.0};
    const four_numbers one = zero + 1.0;
    for (int i = 0; i < SINES_AT_ONCE; i += 4) {
        four_numbers c;
        memcpy(&c, cycles + i, sizeof c);
        const four_numbers nearest = (c + big) - big;
        const four_numbers begun = c - (nearest - PICK(nearest > c, one, zero));
        const four_numbers f = PICK(begun < 1.0, begun, zero);
        const four_masks second = f >= 0.5;
        const four_numbers half = PICK(second, f - 0.5, f);
        const four_numbers x = PICK(half > 0.25, 0.5 - half, half);
        const four_numbers a = SIGNAL_CYCLE * x;
        const four_numbers b = a * a;
        const four_numbers wave = PICK(second, -one, one) * a * SIGNAL_SERIES(b);
        memcpy(cycles + i, &wave, sizeof wave);
    }
}

/* As growth_of(), for such materials. */
static void growth_of_grown_sines(const vxe_sim *sim, double time, double *growth)
{
    const vxe_model *m = sim->model;
    grown_sine sines[MATERIAL_SINES];
    for (int32_t i = 1; i <= m->constant_count; i++) sines[i] = grown_sine_of(sim, &m->materials[i], time);
    const double clock = clock_of_growth(sim, time);
    for (int32_t begin = 0; begin < m->actuated_count; begin += SINES_AT_ONCE) {
        const int32_t left = m->actuated_count - begin;
        const int32_t count = left < SINES_AT_ONCE ? left : SINES_AT_ONCE;
        double size[SINES_AT_ONCE];
        double amplitude[SINES_AT_ONCE];
        double waves[SINES_AT_ONCE] = {0.0};
        bool all_near = true;
        for (int32_t i = 0; i < count; i++) {
            const int32_t v = m->actuated_voxel[begin + i];
            double phase = m->actuation[0] != NULL ? m->actuation[0][begin + i] : 0.0;
            amplitude[i] = m->actuation[1] != NULL ? m->actuation[1][begin + i] : 1.0;
            const double progress = growth_progress(m, v, clock);
            const double start = field_of(m, VXE_FIELD_SIZE_START, v);
            size[i] = start + progress * (field_of(m, VXE_FIELD_SIZE_END, v) - start);
            phase += progress * field_of(m, VXE_FIELD_PHASE_CHANGE, v);
            amplitude[i] += progress * field_of(m, VXE_FIELD_AMPLITUDE_CHANGE, v);
            waves[i] = sines[m->material[v]].cycles + phase;
            all_near = all_near && waves[i] < FAR_CYCLES && waves[i] > -FAR_CYCLES;
        }
        if (all_near) sines_of(waves);
        for (int32_t i = 0; i < count && !all_near; i++) waves[i] = signal_sine(signal_fraction(waves[i]));
        for (int32_t i = 0; i < count; i++) {
            const int32_t v = m->actuated_voxel[begin + i];
            const grown_sine *s = &sines[m->material[v]];
            if (s->def != NULL)
                size[i] += thermal_growth(s->def, s->base + s->swing * amplitude[i] * waves[i], s->expansion);
            growth[v] = limited(size[i], s->least, s->most);
        }
    }
}

static bool are_grown_sines(const vxe_model *m)
{
    if (!m->grows || m->resizes || m->actuation[2] != NULL || m->constant_count >= MATERIAL_SINES)
        return false;
    for (int32_t s = 0; s < m->view.signal_count; s++) {
        if (m->signals[s].def.waveform != VXE_WAVE_SINE) return false;
    }
    return true;
}

static void growth_of_signals(const vxe_sim *sim, double time, double *growth)
{
    const vxe_model *m = sim->model;
    if (vxe_signals_are_sines(m)) {
        growth_of_sines(sim, time, growth);
        return;
    }
    if (are_grown_sines(m)) {
        growth_of_grown_sines(sim, time, growth);
        return;
    }
    /* voxels without actuation of their own share one value per signal */
    double values[VXE_SIGNALS_MAX];
    const bool shared = m->actuation[0] == NULL && !m->grows; /* each has its own rules added */
    for (int32_t s = 0; shared && s < m->view.signal_count; s++)
        values[s] = vxe_signal_value(sim, s, time, 0.0, 1.0, 1.0);
    for (int32_t i = 0; i < m->actuated_count; i++)
        growth[m->actuated_voxel[i]] = growth_of(sim, i, time, shared ? values : NULL);
}

void vxe_growth_at(const vxe_sim *sim, double time, double *growth)
{
    if (sim->control == NULL || !sim->control->whole) growth_of_signals(sim, time, growth);
    if (sim->control != NULL) vxe_control_apply(sim, time, growth);
    for (int32_t i = 0; sim->model->changes && i < sim->model->actuated_count; i++) {
        const int32_t v = sim->model->actuated_voxel[i];
        if (sim->alive[0][v] == 0) growth[v] = -1.0;
    }
}

/* What a signal can be at any time: times the amplitude, and whether it jumps. */
static double most_wave(const vxe_signal_def *def)
{
    double most = def->waveform == VXE_WAVE_TABLE ? 0.0 : 1.0;
    for (int32_t i = 0; i < def->table_count; i++) most = fmax(most, fabs(def->table_value[i]));
    return most;
}
static bool jumps(const vxe_signal_def *def, const material_constants *c)
{
    return def->waveform == VXE_WAVE_SQUARE || def->waveform == VXE_WAVE_TABLE || def->delay > 0.0 ||
           c->delay > 0.0;
}

/* The largest growth that one actuated voxel's signal asks for. */
static double most_growth_of(const vxe_sim *sim, int32_t i)
{
    const vxe_model *m = sim->model;
    const int32_t v = m->actuated_voxel[i];
    const material_constants *c = &m->materials[m->material[v]];
    const vxe_signal_def *def = c->signal >= 0 ? &m->signals[c->signal].def : NULL;
    double amplitude = m->actuation[1] != NULL ? fabs(m->actuation[1][i]) : 1.0;
    double ends[2] = {0.0, 0.0};
    double most = 0.0;
    if (m->grows) {
        ends[0] = field_of(m, VXE_FIELD_SIZE_START, v);
        ends[1] = field_of(m, VXE_FIELD_SIZE_END, v);
        amplitude += fabs(field_of(m, VXE_FIELD_AMPLITUDE_CHANGE, v));
    }
    const bool driven = def != NULL && c->expansion != 0.0;
    const double swing = driven ? fabs(sim->signals[c->signal].amplitude) * amplitude * most_wave(def) : 0.0;
    for (int k = 0; k < 4; k++) {
        double growth = ends[k / 2];
        if (driven) {
            const double value = sim->signals[c->signal].base + (k % 2 == 0 ? -swing : swing);
            growth += thermal_growth(def, value, c->expansion);
        }
        most = fmax(most, fabs(limit_growth(def, growth)));
    }
    return driven && jumps(def, c) ? 2.0 * most : most;
}

void vxe_growth_most(const vxe_sim *sim, double *growth)
{
    const vxe_model *m = sim->model;
    const sim_control *c = sim->control;
    for (int32_t i = 0; i < m->actuated_count; i++) {
        double most = 0.0;
        if (c == NULL || c->rate[i] == 0.0 || isnan(c->to[i])) most = most_growth_of(sim, i);
        if (c != NULL && c->rate[i] != 0.0) {
            if (!isnan(c->to[i])) most = fabs(c->to[i]);
            most = fmax(most, fabs(c->from[i]));
        }
        growth[m->actuated_voxel[i]] = most;
    }
}

double vxe_growth_limited(const vxe_sim *sim, int32_t i, double growth)
{
    const vxe_model *m = sim->model;
    const material_constants *c = &m->materials[m->material[m->actuated_voxel[i]]];
    return limit_growth(c->signal >= 0 ? &m->signals[c->signal].def : NULL, growth);
}

double vxe_growth_of_temperature(const vxe_sim *sim, int32_t i, double temperature)
{
    const vxe_model *m = sim->model;
    const material_constants *c = &m->materials[m->material[m->actuated_voxel[i]]];
    if (c->signal < 0) return 0.0;
    const vxe_signal_def *def = &m->signals[c->signal].def;
    return limit_growth(def, thermal_growth(def, temperature, c->expansion));
}

/* Of up to 16 voxels, from one on. */
static double growth_works(const vxe_sim *sim, int32_t first)
{
    const vxe_model *m = sim->model;
    const double *conjugate = sim->conjugate[0];
    const double *now = sim->growth[0];
    const double *before = sim->growth_before[0];
    const int32_t *voxel = m->actuated_voxel + first;
    double leaves[SUM_LEAVES] = {0.0};
    if (m->actuated_count - first >= SUM_LEAVES && voxel[SUM_LEAVES - 1] - voxel[0] == SUM_LEAVES - 1) {
        const int32_t v = voxel[0]; /* 16 in a row: vectors */
        for (int32_t j = 0; j < SUM_LEAVES; j++) leaves[j] = conjugate[v + j] * (now[v + j] - before[v + j]);
        return sum_leaves(leaves);
    }
    for (int32_t j = 0; j < SUM_LEAVES && first + j < m->actuated_count; j++)
        leaves[j] = conjugate[voxel[j]] * (now[voxel[j]] - before[voxel[j]]);
    return sum_leaves(leaves);
}

double vxe_growth_work(const vxe_sim *sim)
{
    const int32_t count = sim->model->actuated_count;
    if ((size_t)count <= SUM_FEW) {
        double nodes[SUM_FEW / SUM_LEAVES];
        size_t n = 0;
        for (int32_t i = 0; i < count; i += SUM_LEAVES) nodes[n++] = growth_works(sim, i);
        return sum_nodes(nodes, n);
    }
    tree_sum work = {.count = 0};
    for (int32_t i = 0; i < count; i += SUM_LEAVES) sum_add_leaves(&work, growth_works(sim, i));
    return sum_total(&work);
}

void vxe_signals_update(vxe_sim *sim, const step_context *context)
{
    (void)context;
    const vxe_model *m = sim->model;
    double *growth = sim->growth[0];
    if (m->actuated_count == 0) return;
    if (sim->def.audit) {
        /* others keep theirs, unless they come and go */
        const int32_t first = m->changes ? 0 : m->actuated_voxel[0];
        const int32_t end = m->changes ? m->view.voxel_count : m->actuated_voxel[m->actuated_count - 1] + 1;
        memcpy(sim->growth_before[0] + first, growth + first, (size_t)(end - first) * sizeof *growth);
    }
    vxe_growth_at(sim, sim->time, growth);
    if (!sim->def.audit) return;
    /* first half of the work of actuation in the last step, with the force before; vxe_account_step() adds
     * the second */
    sim->account.actuation_work += 0.5 * vxe_growth_work(sim);
}

double vxe_sim_signal(const vxe_sim *sim, int32_t signal)
{
    if (sim == NULL || signal < 0 || signal >= sim->model->view.signal_count) return NAN;
    return vxe_signal_value(sim, signal, sim->time, 0.0, 1.0, 1.0);
}
