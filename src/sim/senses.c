/* What a voxel knows, and what controllers and development make of it. Senses are taken for all voxels at
 * once, when a rule first asks in a step; controllers see all of them before any of them acts. */
#include "base/vec.h"
#include "kernel/brake.h"
#include "kernel/signal.h"
#include "kernel/strain.h"
#include "sim/collide.h"
#include "sim/life.h"
#include "sim/outside.h"

#include <math.h>
#include <string.h>

#define BIT(variable) (UINT64_C(1) << VXE_VARIABLE_##variable)
#define OF_LINKS                                                                                             \
    (BIT(STRAIN) | BIT(PRESSURE) | BIT(STRESS) | BIT(LINKS) | BIT(NEAR_STRAIN) | BIT(NEAR_PRESSURE))
#define OF_TOUCH (BIT(TOUCH) | BIT(NEAR_TOUCH))
#define OF_LIGHT (BIT(LIGHT) | BIT(HEAT) | BIT(DISTANCE) | BIT(LAMPS) | BIT(NEAR_LIGHT))
#define OF_NEAR                                                                                              \
    (BIT(NEAR_STRAIN) | BIT(NEAR_PRESSURE) | BIT(NEAR_TOUCH) | BIT(NEAR_IMPULSE) | BIT(NEAR_LIGHT) |         \
     BIT(NEAR_SIZE) | BIT(NEAR_MEMORY1))

/* ---- links ------------------------------------------------------------------------------------------------------------- */

static double length_of(const vxe_sim *sim, int32_t v, int32_t w)
{
    double square = 0.0;
    for (int a = 0; a < 3; a++) {
        const double d = sim->position[a][w] - sim->position[a][v];
        square += d * d;
    }
    return sqrt(square);
}

static void note_link(vxe_sim *sim, int32_t v, double strain, double stress)
{
    sim->sense[SENSE_STRAIN][v] += strain;
    sim->sense[SENSE_PRESSURE][v] -= stress;
    if (sim->sense[SENSE_LINKS][v] == 0.0 || stress > sim->sense[SENSE_STRESS][v])
        sim->sense[SENSE_STRESS][v] = stress;
    sim->sense[SENSE_LINKS][v] += 1.0;
}

static void sense_links(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    const int32_t n = m->view.voxel_count;
    for (int s = SENSE_STRAIN; s <= SENSE_STRESS; s++) memset(sim->sense[s], 0, (size_t)n * sizeof(double));
    memset(sim->sense[SENSE_LINKS], 0, (size_t)n * sizeof(double));
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            const uint32_t kind = sim->link_kind[a][v];
            if (kind == 0) continue;
            const link_class *c = &m->classes[kind - 1];
            const int32_t w = m->next[a][v];
            const double stretch =
                length_of(sim, v, w) - link_rest_length(l, sim->growth[0][v], sim->growth[0][w]);
            const double elastic =
                sim->plastic[0] != NULL ? link_elastic_stretch(stretch, l, sim->plastic[a][v]) : stretch;
            const double stress =
                link_axial_force(c->ka, elastic) / (l * l) +
                link_pressure_force(c->near_weight, sim->pressure[0][v], c->far_weight, sim->pressure[0][w]);
            note_link(sim, v, stretch / l, stress);
            note_link(sim, w, stretch / l, stress);
        }
    }
    for (int64_t i = 0; i < sim->life->counts.bond_count; i++) {
        const sim_bond *b = &sim->life->bonds[i];
        const double ka = m->classes[b->kind - 1].ka;
        note_link(sim, b->first, b->tension / (ka * l), b->tension / (l * l));
        note_link(sim, b->second, b->tension / (ka * l), b->tension / (l * l));
    }
    for (int32_t v = 0; v < n; v++) {
        const double count = sim->sense[SENSE_LINKS][v] > 0.0 ? sim->sense[SENSE_LINKS][v] : 1.0;
        sim->sense[SENSE_STRAIN][v] /= count;
        sim->sense[SENSE_PRESSURE][v] /= count;
    }
}

static void sense_touch(vxe_sim *sim)
{
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        double square = 0.0;
        for (int a = 0; a < 3; a++) square += sim->contact_force[a][v] * sim->contact_force[a][v];
        sim->sense[SENSE_TOUCH][v] = sqrt(square);
    }
}

/* How many voxels of target materials each voxel touches. */
static void sense_targets(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    int32_t *touched = sim->life->targets;
    memset(touched, 0, (size_t)m->view.voxel_count * sizeof *touched);
    if (sim->collider == NULL) return;
    const pair_list *list = &sim->collider->list;
    for (int64_t i = 0; i < list->count; i++) {
        const int32_t v = list->first[i];
        const int32_t w = list->second[i];
        if (list->state[i].touching == 0) continue;
        touched[v] += m->materials[sim->role[0][w]].target;
        touched[w] += m->materials[sim->role[0][v]].target;
    }
}

/* ---- sources ------------------------------------------------------------------------------------------------------------- */

static bool is_source(const vxe_rule_def *def)
{
    return def->kind == VXE_RULE_LIGHT || def->kind == VXE_RULE_HEAT;
}

/* Whether its times and its formula ask a source to be on. */
static bool is_asked(const vxe_sim *sim, int32_t r)
{
    const model_rule *rule = &sim->model->rules[r];
    if (!vxe_rule_acts(sim, r)) return false;
    if (rule->when.count == 0) return true;
    double variables[VXE_VARIABLE_COUNT] = {0.0};
    variables[VXE_VARIABLE_T] = sim->time;
    return vxe_formula_value(&rule->when, variables) > 0.0;
}

/* A source comes on with its chance. What was drawn stays until it is asked to be off, and is drawn by how
 * often it has been asked, not by the step: steps of another length change nothing. */
static bool is_lucky(const vxe_sim *sim, int32_t r)
{
    const vxe_rule_def *def = &sim->model->rules[r].def;
    const int64_t counted = sim->life->counted[r];
    if (def->chance >= 1.0) return true;
    uint64_t h = vxe_hash_u64(VXE_HASH_START, (uint64_t)def->seed);
    h = vxe_hash_u64(vxe_hash_u64(h, (uint64_t)r), (uint64_t)(counted / 2));
    return counted % 2 == 1 && vxe_hash_fraction(h) < def->chance;
}

void vxe_sources_look(vxe_sim *sim)
{
    for (int32_t r = 0; r < sim->model->rule_count; r++) {
        if (!is_source(&sim->model->rules[r].def)) continue;
        int64_t *counted = &sim->life->counted[r];
        const bool was = *counted % 2 == 1;
        const bool asked = is_asked(sim, r);
        if (asked && !was) *counted += 3; /* once more, and asked */
        if (!asked && was) *counted -= 1;
    }
}

bool vxe_source_at(const vxe_sim *sim, int32_t r, double place[3])
{
    const model_rule *rule = &sim->model->rules[r];
    for (int a = 0; a < 3; a++)
        place[a] = rule->def.position[a] +
                   rule->def.swing[a] * signal_sine(signal_fraction(rule->def.frequency[a] * sim->time));
    return is_asked(sim, r) && is_lucky(sim, r);
}

/* Of a box from `low` to `high`: where the way from a place to another enters and leaves it, as parts of the
 * way; false: it passes beside it. */
static bool is_on_way(const double low[3], const double high[3], const double from[3], const double to[3])
{
    double enter = 0.0;
    double leave = 1.0;
    for (int a = 0; a < 3 && enter <= leave; a++) {
        const double way = to[a] - from[a];
        const double first = low[a] - from[a];
        const double last = high[a] - from[a];
        if (way == 0.0) {
            if (first > 0.0 || last < 0.0) leave = -1.0;
            continue;
        }
        const double one = (way > 0.0 ? first : last) / way;
        const double two = (way > 0.0 ? last : first) / way;
        if (one > enter) enter = one;
        if (two < leave) leave = two;
    }
    return enter < leave && leave > 0.0;
}

/* A voxel as an upright box; false: it keeps no light off. */
static bool box_of_voxel(const vxe_sim *sim, int32_t w, double low[3], double high[3])
{
    const double size = 0.5 * sim->model->view.pitch * (1.0 + sim->growth[0][w]);
    if (sim->alive[0][w] == 0 || sim->model->materials[sim->role[0][w]].transparent) return false;
    for (int a = 0; a < 3; a++) {
        low[a] = sim->position[a][w] - size;
        high[a] = sim->position[a][w] + size;
    }
    return true;
}

/* Boxes around runs of SHADE_RUN voxels, then around as many of those. Rounding keeps order, so what a box
 * around others is beside, they are beside, too: looking at it first changes no answer. */
static void box_runs(vxe_sim *sim)
{
    const int32_t n = sim->model->view.voxel_count;
    const int32_t runs = (n + SHADE_RUN - 1) / SHADE_RUN;
    for (int32_t r = 0; r < runs + (runs + SHADE_RUN - 1) / SHADE_RUN; r++) {
        double *box = sim->life->shade + 6 * (size_t)r;
        const int32_t from = SHADE_RUN * (r < runs ? r : r - runs);
        const int32_t most = r < runs ? n : runs;
        for (int a = 0; a < 3; a++) {
            box[a] = INFINITY;
            box[3 + a] = -INFINITY;
        }
        for (int32_t i = from; i < from + SHADE_RUN && i < most; i++) {
            double voxel[6];
            const double *inner = r < runs ? voxel : sim->life->shade + 6 * (size_t)i;
            if (r < runs && !box_of_voxel(sim, i, voxel, voxel + 3)) continue;
            for (int a = 0; a < 3; a++) {
                if (inner[a] < box[a]) box[a] = inner[a];
                if (inner[3 + a] > box[3 + a]) box[3 + a] = inner[3 + a];
            }
        }
    }
}

/* Whether another voxel, as an upright box, is in the way from a voxel to a place. */
static bool is_shaded(const vxe_sim *sim, int32_t v, const double place[3])
{
    const int32_t n = sim->model->view.voxel_count;
    const int32_t runs = (n + SHADE_RUN - 1) / SHADE_RUN;
    const double from[3] = {sim->position[0][v], sim->position[1][v], sim->position[2][v]};
    for (int32_t g = 0; SHADE_RUN * g < runs; g++) {
        const double *group = sim->life->shade + 6 * ((size_t)runs + (size_t)g);
        if (!is_on_way(group, group + 3, from, place)) continue;
        for (int32_t r = SHADE_RUN * g; r < SHADE_RUN * (g + 1) && r < runs; r++) {
            const double *run = sim->life->shade + 6 * (size_t)r;
            if (!is_on_way(run, run + 3, from, place)) continue;
            for (int32_t w = SHADE_RUN * r; w < SHADE_RUN * (r + 1) && w < n; w++) {
                double low[3];
                double high[3];
                if (w != v && box_of_voxel(sim, w, low, high) && is_on_way(low, high, from, place))
                    return true;
            }
        }
    }
    return false;
}

static void sense_sources(vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    sim->life->lamps = 0.0;
    if (sim->life->shade != NULL) box_runs(sim);
    memset(sim->sense[SENSE_LIGHT], 0, (size_t)n * sizeof(double));
    memset(sim->sense[SENSE_HEAT], 0, (size_t)n * sizeof(double));
    for (int32_t v = 0; v < n; v++) sim->sense[SENSE_DISTANCE][v] = INFINITY;
    for (int32_t r = 0; r < m->rule_count; r++) {
        const vxe_rule_def *def = &m->rules[r].def;
        double place[3];
        if (!is_source(def) || !vxe_source_at(sim, r, place)) continue;
        const int sense = def->kind == VXE_RULE_LIGHT ? SENSE_LIGHT : SENSE_HEAT;
        if (sense == SENSE_LIGHT) sim->life->lamps += 1.0;
        for (int32_t v = 0; v < n; v++) {
            if (sim->alive[0][v] == 0) continue;
            double square = 0.0;
            for (int a = 0; a < 3; a++)
                square += (sim->position[a][v] - place[a]) * (sim->position[a][v] - place[a]);
            const double distance = sqrt(square);
            if (distance < sim->sense[SENSE_DISTANCE][v]) sim->sense[SENSE_DISTANCE][v] = distance;
            if (def->shadows && sim->life->shade != NULL && is_shaded(sim, v, place)) continue;
            sim->sense[sense][v] += def->strength / (1.0 + square / (def->radius * def->radius));
        }
    }
}

static void sense(vxe_sim *sim)
{
    const uint64_t senses = sim->model->senses;
    if (sim->life->sensed) return;
    sim->life->sensed = true;
    if ((senses & OF_LINKS) != 0) sense_links(sim);
    if ((senses & OF_TOUCH) != 0) sense_touch(sim);
    if ((senses & OF_LIGHT) != 0) sense_sources(sim);
    if ((senses & BIT(BODY)) != 0) vxe_bodies_sense(sim);
    if ((senses & BIT(TARGETS)) != 0) sense_targets(sim);
    if ((senses & (BIT(CLOSENESS) | BIT(PAIRS))) != 0)
        vxe_target_pairs(sim, &sim->life->closeness, &sim->life->pairs);
}

/* ---- formulas ------------------------------------------------------------------------------------------------------------ */

/* Sums over the voxels that one is linked to. */
typedef struct near_sums {
    double sums[7];
    double count;
} near_sums;

static void add_near(const vxe_sim *sim, near_sums *near, int32_t w)
{
    const double own[7] = {sim->sense[SENSE_STRAIN][w],
                           sim->sense[SENSE_PRESSURE][w],
                           sim->sense[SENSE_TOUCH][w],
                           sim->impulse[0][w],
                           sim->sense[SENSE_LIGHT][w],
                           1.0 + sim->growth[0][w],
                           sim->memory[0][w]};
    for (int i = 0; i < 7; i++) near->sums[i] += own[i];
    near->count += 1.0;
}

static void fill_near(const vxe_sim *sim, int32_t v, double variables[VXE_VARIABLE_COUNT])
{
    const sim_life *life = sim->life;
    near_sums near = {{0.0}, 0.0};
    for (int a = 0; a < 3; a++) {
        const int32_t before = life->previous[a][v];
        if (sim->link_kind[a][v] != 0) add_near(sim, &near, sim->model->next[a][v]);
        if (before >= 0 && sim->link_kind[a][before] != 0) add_near(sim, &near, before);
    }
    for (int64_t i = 0; life->bond_count[v] > 0 && i < life->counts.bond_count; i++) {
        if (life->bonds[i].first == v) add_near(sim, &near, life->bonds[i].second);
        if (life->bonds[i].second == v) add_near(sim, &near, life->bonds[i].first);
    }
    for (int i = 0; i < 7; i++)
        variables[VXE_VARIABLE_NEAR + i] = near.count > 0.0 ? near.sums[i] / near.count : 0.0;
}

static void fill_variables(vxe_sim *sim, int32_t r, int32_t v, double variables[VXE_VARIABLE_COUNT])
{
    const uint64_t senses = sim->model->senses;
    sense(sim);
    memset(variables, 0, VXE_VARIABLE_COUNT * sizeof variables[0]);
    variables[VXE_VARIABLE_T] = sim->time;
    variables[VXE_VARIABLE_HIT] = sim->watch.hit;
    variables[VXE_VARIABLE_ANGLE] = sim->watch.angle;
    variables[VXE_VARIABLE_CLOSENESS] = sim->life->closeness;
    variables[VXE_VARIABLE_PAIRS] = sim->life->pairs;
    variables[VXE_VARIABLE_VOXELS] = vxe_voxels_so_far(sim);
    for (int a = 0; a < 3; a++) {
        variables[VXE_VARIABLE_X + a] = sim->position[a][v];
        variables[VXE_VARIABLE_VX + a] = sim->velocity[a][v];
    }
    variables[VXE_VARIABLE_STRAIN] = sim->sense[SENSE_STRAIN][v];
    variables[VXE_VARIABLE_PRESSURE] = sim->sense[SENSE_PRESSURE][v];
    variables[VXE_VARIABLE_STRESS] = sim->sense[SENSE_STRESS][v];
    variables[VXE_VARIABLE_TOUCH] = sim->sense[SENSE_TOUCH][v];
    variables[VXE_VARIABLE_LIGHT] = sim->sense[SENSE_LIGHT][v];
    variables[VXE_VARIABLE_HEAT] = sim->sense[SENSE_HEAT][v];
    variables[VXE_VARIABLE_LAMPS] = sim->life->lamps;
    variables[VXE_VARIABLE_DISTANCE] = sim->sense[SENSE_DISTANCE][v];
    variables[VXE_VARIABLE_LINKS] = sim->sense[SENSE_LINKS][v];
    variables[VXE_VARIABLE_IMPULSE] = sim->impulse[0][v];
    variables[VXE_VARIABLE_SIZE] = 1.0 + sim->growth[0][v];
    variables[VXE_VARIABLE_AGE] = sim->time - sim->born[0][v];
    variables[VXE_VARIABLE_TARGETS] = (double)sim->life->targets[v];
    variables[VXE_VARIABLE_BODY] = sim->sense[SENSE_BODY][v];
    variables[VXE_VARIABLE_MASS] = sim->model->materials[sim->model->material[v]].mass;
    variables[VXE_VARIABLE_DT] = sim->last_dt;
    for (int i = 0; i < 4; i++) {
        const double *trait = sim->model->fields[VXE_FIELD_TRAIT1 + i];
        variables[VXE_VARIABLE_TRAIT1 + i] = trait != NULL ? trait[v] : 0.0;
    }
    for (int i = 0; i < VXE_RULE_MEMORIES; i++) variables[VXE_VARIABLE_MEMORY1 + i] = sim->memory[i][v];
    if ((senses & BIT(RANDOM)) != 0) variables[VXE_VARIABLE_RANDOM] = vxe_rule_random(sim, r, ~v);
    if ((senses & OF_NEAR) != 0) fill_near(sim, v, variables);
}

double vxe_rule_value(vxe_sim *sim, int32_t r, const vxe_formula *formula, int32_t v)
{
    double variables[VXE_VARIABLE_COUNT];
    fill_variables(sim, r, v, variables);
    return vxe_formula_value(formula, variables);
}

bool vxe_rule_allows(vxe_sim *sim, int32_t r, const vxe_formula *formula, int32_t v)
{
    return formula->count == 0 || vxe_rule_value(sim, r, formula, v) > 0.0;
}

/* ---- controllers ---------------------------------------------------------------------------------------------------------- */

static double limited(const vxe_rule_def *def, double value)
{
    if (!(value >= def->minimum)) return def->minimum; /* also if it is not a number */
    return value > def->maximum ? def->maximum : value;
}

/* The hyperbolic tangent, without a library call: those of two libraries may differ in the last bit. */
static double squash(double x)
{
    if (isnan(x)) return x;
    const double decay = brake_decay(2.0 * (x < 0.0 ? -x : x)); /* 1 - exp(-2 |x|) */
    return (x < 0.0 ? -decay : decay) / (2.0 - decay);
}

/* Runs a network; its outputs are the first numbers of `to`. */
static void run_network(const model_rule *rule, const double variables[VXE_VARIABLE_COUNT], double *to)
{
    double layers[2][VXE_NETWORK_WIDTH_MAX];
    const double *weight = rule->weights;
    int32_t before = rule->def.input_count;
    int now = 0;
    for (int32_t i = 0; i < before; i++) layers[now][i] = vxe_formula_value(&rule->inputs[i], variables);
    for (int32_t l = 0; l < rule->def.layer_count; l++) {
        for (int32_t i = 0; i < rule->def.layers[l]; i++) {
            double sum = *weight++;
            for (int32_t j = 0; j < before; j++) sum += *weight++ * layers[now][j];
            layers[1 - now][i] = squash(sum);
        }
        before = rule->def.layers[l];
        now = 1 - now;
    }
    memcpy(to, layers[now], (size_t)before * sizeof *to);
}

static void set_output(vxe_sim *sim, const vxe_rule_def *def, int output, int32_t v, double value)
{
    if (output == VXE_OUTPUT_SIZE) {
        sim->driven[1][v] = limited(def, value);
    } else if (output == VXE_OUTPUT_IMPULSE) {
        if (value > 0.0) vxe_impulse_force(sim, v, value, sim->time);
    } else {
        sim->memory[output - VXE_OUTPUT_MEMORY1][v] = isfinite(value) ? value : 0.0;
    }
}

static void control(vxe_sim *sim, int32_t r)
{
    const vxe_model *m = sim->model;
    const model_rule *rule = &m->rules[r];
    const int count = rule->def.layer_count > 0 ? rule->def.layers[rule->def.layer_count - 1] : 1;
    sim_life *life = sim->life;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        life->marked[v] = 0;
        if (!vxe_rule_is_about(sim, r, v) || !vxe_rule_allows(sim, r, &rule->when, v)) continue;
        double variables[VXE_VARIABLE_COUNT];
        double *out = &life->outputs[(size_t)v * VXE_OUTPUT_COUNT];
        fill_variables(sim, r, v, variables);
        if (rule->def.layer_count > 0) {
            run_network(rule, variables, out);
        } else {
            out[0] = vxe_formula_value(&rule->value, variables);
        }
        life->marked[v] = 1;
    }
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        for (int i = 0; life->marked[v] != 0 && i < count; i++)
            set_output(sim, &rule->def, (int)rule->def.output + i, v,
                       life->outputs[(size_t)v * VXE_OUTPUT_COUNT + (size_t)i]);
    }
}

/* Sizes go where controllers want them, as fast as they may. */
static void follow(vxe_sim *sim, int32_t r, double step)
{
    const vxe_rule_def *def = &sim->model->rules[r].def;
    const double most = def->rate > 0.0 ? def->rate * step : INFINITY;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        if (!vxe_rule_is_about(sim, r, v)) continue;
        const double way = sim->driven[1][v] - sim->driven[0][v];
        sim->driven[0][v] += way > most ? most : way < -most ? -most : way;
    }
}

static void develop(vxe_sim *sim, int32_t r, double step)
{
    const vxe_model *m = sim->model;
    const model_rule *rule = &m->rules[r];
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (!vxe_rule_is_about(sim, r, v) || !vxe_rule_allows(sim, r, &rule->when, v)) continue;
        const double rate = vxe_rule_value(sim, r, &rule->value, v);
        if (isfinite(rate)) sim->developed[0][v] = limited(&rule->def, sim->developed[0][v] + rate * step);
    }
}

void vxe_rules_drive(vxe_sim *sim, double step)
{
    const vxe_model *m = sim->model;
    for (int32_t r = 0; r < m->rule_count; r++) {
        const vxe_rule_def *def = &m->rules[r].def;
        if (!vxe_rule_acts(sim, r)) continue;
        if (def->kind == VXE_RULE_SIZE) develop(sim, r, step);
        if (def->kind == VXE_RULE_HEAT) sense(sim);
        if (def->kind != VXE_RULE_CONTROL) continue;
        if (vxe_rule_is_due(sim, r)) control(sim, r);
        if (def->output == VXE_OUTPUT_SIZE) follow(sim, r, step);
    }
}
