/* Rules of a scene: what voxels do beside being pushed. The scene owns a copy of the weights of networks. */
#include "scene/rules.h"

#include "base/base.h"
#include "scene/expression.h"
#include "scene/scene.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OF(kind) (1U << VXE_RULE_##kind)
#define SOURCES (OF(LIGHT) | OF(HEAT))
#define ALL_KINDS ((1U << RULE_KINDS) - 1U)
#define NEWCOMERS (OF(GROW) | OF(SUPPLY))
/* about voxels that are there */
#define ABOUT (ALL_KINDS & ~SOURCES & ~OF(SUPPLY))
#define PLACE(member) offsetof(vxe_rule_def, member)
#define TIME_MOST 1e9

const rule_member vxe_rule_members[] = {
    {"name", RULE_NAME, PLACE(name), ALL_KINDS, 0, 0},
    {"material", RULE_NAME, PLACE(material), ABOUT, 0, 0},
    {"other", RULE_NAME, PLACE(other), OF(BOND) | OF(BECOME) | NEWCOMERS, 0, 0},
    {"region", RULE_NAME, PLACE(region), ABOUT & ~OF(CONDUCT), 0, 0},
    {"begin", RULE_NUMBER, PLACE(begin), ALL_KINDS & ~OF(CONDUCT), 0.0, TIME_MOST},
    {"end", RULE_NUMBER, PLACE(end), ALL_KINDS & ~OF(CONDUCT), 0.0, TIME_MOST},
    {"every", RULE_NUMBER, PLACE(every),
     OF(CONTROL) | OF(REMOVE) | OF(BOND) | OF(CILIA) | OF(CUT) | OF(BECOME) | OF(END) | NEWCOMERS, 0.0,
     TIME_MOST},
    {"chance", RULE_NUMBER, PLACE(chance), OF(REMOVE) | OF(BOND) | OF(CUT) | OF(BECOME) | NEWCOMERS | SOURCES,
     0.0, 1.0},
    {"seed", RULE_SEED, PLACE(seed), ALL_KINDS & ~OF(CONDUCT), 0, 0},
    {"when", RULE_FORMULA, PLACE(when), ALL_KINDS & ~OF(CONDUCT) & ~OF(CILIA), 0, 0},
    {"delay", RULE_NUMBER, PLACE(delay), OF(CONDUCT), 0.0, TIME_MOST},
    {"threshold", RULE_NUMBER, PLACE(threshold), OF(CONDUCT), 0.0, 1e9},
    {"decay", RULE_NUMBER, PLACE(decay), OF(CONDUCT), 0.0, 1.0},
    {"refractory", RULE_NUMBER, PLACE(refractory), OF(CONDUCT), 0.0, TIME_MOST},
    {"fade", RULE_NUMBER, PLACE(fade), OF(CONDUCT), 0.0, 1.0},
    {"fade_every", RULE_NUMBER, PLACE(fade_every), OF(CONDUCT), 1e-9, TIME_MOST},
    {"period", RULE_NUMBER, PLACE(period), OF(PACE), 1e-9, TIME_MOST},
    {"phase", RULE_NUMBER, PLACE(phase), OF(PACE), 0.0, 1.0},
    {"strength", RULE_NUMBER, PLACE(strength), OF(PACE) | OF(CILIA) | SOURCES, -1e9, 1e9},
    {"value", RULE_FORMULA, PLACE(value), OF(CONTROL) | OF(SIZE) | OF(PUSH) | OF(CILIA) | NEWCOMERS, 0, 0},
    {"minimum", RULE_NUMBER, PLACE(minimum), OF(CONTROL) | OF(SIZE), -1e9, 1e9},
    {"maximum", RULE_NUMBER, PLACE(maximum), OF(CONTROL) | OF(SIZE), -1e9, 1e9},
    {"rate", RULE_NUMBER, PLACE(rate), OF(CONTROL), 0.0, 1e9},
    {"force", RULE_NUMBER, PLACE(force), OF(BOND), 0.0, 1e12},
    {"time", RULE_NUMBER, PLACE(time), OF(BOND), 0.0, TIME_MOST},
    {"stress", RULE_NUMBER, PLACE(stress), OF(BOND), 0.0, 1e15},
    {"release", RULE_FORMULA, PLACE(release), OF(BOND), 0, 0},
    {"rest", RULE_NUMBER, PLACE(rest), OF(BOND), 0.0, TIME_MOST},
    {"most", RULE_INTEGER, PLACE(most), OF(BOND), 1, 100},
    {"stiffness", RULE_NUMBER, PLACE(stiffness), OF(BOND), 1e-3, 10.0},
    {"limit", RULE_INTEGER, PLACE(limit), OF(BOND) | NEWCOMERS, 0, VXE_RULE_RESERVE_MAX},
    {"corner", RULE_CELLS, PLACE(corner), NEWCOMERS, 0, VXE_SIDE_MAX},
    {"size", RULE_CELLS, PLACE(cells), NEWCOMERS, 0, VXE_SIDE_MAX},
    {"clearance", RULE_NUMBER, PLACE(clearance), NEWCOMERS, 0.0, 2.0},
    {"position", RULE_VECTOR, PLACE(position), SOURCES | OF(SUPPLY), -1e9, 1e9},
    {"swing", RULE_VECTOR, PLACE(swing), SOURCES, -1e9, 1e9},
    {"frequency", RULE_VECTOR, PLACE(frequency), SOURCES, 0.0, 1e9},
    {"radius", RULE_NUMBER, PLACE(radius), SOURCES, 1e-12, 1e9},
    {"shadows", RULE_FLAG, PLACE(shadows), OF(LIGHT), 0, 0},
    {"factor", RULE_NUMBER, PLACE(factor), OF(CILIA), -1e9, 1e9},
    {"direction", RULE_VECTOR, PLACE(direction), OF(PUSH), -1e9, 1e9},
    {"spacing", RULE_VECTOR, PLACE(spacing), OF(SUPPLY), -1e9, 1e9},
    {"places", RULE_CELLS, PLACE(places), OF(SUPPLY), 1, 10000},
};
const size_t vxe_rule_member_count = sizeof vxe_rule_members / sizeof vxe_rule_members[0];

static const char *const kind_names[RULE_KINDS] = {
    [VXE_RULE_CONDUCT] = "conduct", [VXE_RULE_PACE] = "pace",     [VXE_RULE_CONTROL] = "control",
    [VXE_RULE_SIZE] = "size",       [VXE_RULE_BOND] = "bond",     [VXE_RULE_REMOVE] = "remove",
    [VXE_RULE_GROW] = "grow",       [VXE_RULE_LIGHT] = "light",   [VXE_RULE_HEAT] = "heat",
    [VXE_RULE_CILIA] = "cilia",     [VXE_RULE_PUSH] = "push",     [VXE_RULE_CUT] = "cut",
    [VXE_RULE_BECOME] = "become",   [VXE_RULE_SUPPLY] = "supply", [VXE_RULE_END] = "end",
};

const char *const vxe_rule_output_names[VXE_OUTPUT_COUNT] = {"size",    "impulse", "memory1",
                                                             "memory2", "memory3", "memory4"};

const char *vxe_rule_kind_name(vxe_rule_kind kind)
{
    return (unsigned)kind < RULE_KINDS ? kind_names[kind] : NULL;
}

static const vxe_rule_def defaults = {
    .size = sizeof(vxe_rule_def),
    .chance = 1.0,
    .delay = 0.03,
    .threshold = 0.1,
    .decay = 0.9,
    .refractory = 0.03,
    .fade = 0.9,
    .fade_every = 0.01,
    .period = 1.0,
    .strength = 1.0,
    .minimum = -0.5,
    .maximum = 0.5,
    .most = 6,
    .stiffness = 1.0,
    .clearance = 0.4,
    .radius = 1.0,
    .factor = 1.0,
    .places = {1, 1, 1},
};
static const settings_type settings = {"vxe_rule_def", sizeof(vxe_rule_def),
                                       SETTINGS_END(vxe_rule_def, factor), &defaults};

void vxe_rule_def_init(vxe_rule_def *def, vxe_rule_kind kind, size_t size)
{
    vxe_settings_give(&settings, NULL, def, size);
    if (def != NULL && size >= SETTINGS_END(vxe_rule_def, kind)) def->kind = kind;
}

/* --- checks --- */

/* Weights that a network of this shape has. */
static int64_t network_weights(const vxe_rule_def *def)
{
    int64_t count = 0;
    int64_t before = def->input_count;
    for (int32_t i = 0; i < def->layer_count; i++) {
        count += def->layers[i] * (before + 1);
        before = def->layers[i];
    }
    return count;
}

static bool ends(const char *text, size_t size) { return memchr(text, '\0', size) != NULL; }

static vxe_result check_formula(const char *who, const char *what, const char *text, vxe_error *error)
{
    vxe_formula parsed;
    vxe_error cause = {VXE_OK, ""};
    const vxe_result result = vxe_formula_parse(text, &parsed, &cause);
    if (result != VXE_OK) return vxe_fail(error, result, "%s: %s: %s", who, what, cause.message);
    vxe_formula_free(&parsed);
    return VXE_OK;
}

/* Some conditions are not about voxels: they are looked at without one. */
static vxe_result check_of_time(const char *who, const char *text, vxe_error *error)
{
    vxe_formula parsed;
    vxe_result result = vxe_formula_parse(text, &parsed, error);
    if (result != VXE_OK) return result;
    for (int32_t i = 0; i < parsed.count && result == VXE_OK; i++) {
        const vxe_token *token = &parsed.tokens[i];
        if (token->operation == VXE_OP_VARIABLE && token->variable != VXE_VARIABLE_T)
            result = vxe_fail(error, VXE_ERROR_INPUT, "%s: when: of time alone; it knows t, and not %s", who,
                              vxe_formula_variables[token->variable]);
    }
    vxe_formula_free(&parsed);
    return result;
}

static vxe_result refuse_number(const char *who, const rule_member *m, double value, vxe_error *error)
{
    return vxe_fail(error, VXE_ERROR_INPUT, "%s: %s %.9g is not within %.9g to %.9g", who, m->name, value,
                    m->low, m->high);
}

static vxe_result check_member(const char *who, const vxe_rule_def *def, const rule_member *m,
                               vxe_error *error)
{
    const void *at = vxe_rule_at(def, m);
    switch (m->type) {
    case RULE_NUMBER: {
        const double value = *(const double *)at;
        if (!(value >= m->low && value <= m->high)) return refuse_number(who, m, value, error);
        break;
    }
    case RULE_INTEGER: {
        const int32_t value = *(const int32_t *)at;
        if (value < m->low || value > m->high) return refuse_number(who, m, value, error);
        break;
    }
    case RULE_VECTOR:
        for (int a = 0; a < 3; a++) {
            const double value = ((const double *)at)[a];
            if (!(value >= m->low && value <= m->high)) return refuse_number(who, m, value, error);
        }
        break;
    case RULE_CELLS:
        for (int a = 0; a < 3; a++) {
            const int32_t value = ((const int32_t *)at)[a];
            if (value < m->low || value > m->high) return refuse_number(who, m, value, error);
        }
        break;
    case RULE_NAME:
        if (!ends(at, VXE_NAME_SIZE) || !vxe_valid_text(at))
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: %s is not valid UTF-8 of at most %d bytes", who,
                            m->name, VXE_NAME_SIZE - 1);
        break;
    case RULE_FORMULA:
        if (!ends(at, VXE_RULE_FORMULA_SIZE) || !vxe_valid_text(at))
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: %s is not valid UTF-8 of at most %d bytes", who,
                            m->name, VXE_RULE_FORMULA_SIZE - 1);
        return check_formula(who, m->name, at, error);
    case RULE_SEED:
    case RULE_FLAG: break;
    }
    return VXE_OK;
}

static vxe_result check_network(const char *who, const vxe_rule_def *def, vxe_error *error)
{
    if (def->input_count == 0 && def->layer_count == 0 && def->weight_count == 0) return VXE_OK;
    if (def->kind != VXE_RULE_CONTROL)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: only a rule of kind control has a network", who);
    if (def->value[0] != '\0')
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: value: a network sets it, so there can be no formula",
                        who);
    if (def->input_count < 1 || def->input_count > VXE_NETWORK_INPUTS_MAX || def->layer_count < 1 ||
        def->layer_count > VXE_NETWORK_LAYERS_MAX)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: a network has 1 to %d inputs and 1 to %d layers", who,
                        VXE_NETWORK_INPUTS_MAX, VXE_NETWORK_LAYERS_MAX);
    for (int32_t i = 0; i < def->layer_count; i++) {
        if (def->layers[i] < 1 || def->layers[i] > VXE_NETWORK_WIDTH_MAX)
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: layers: %d neurons are not within 1 to %d", who,
                            (int)def->layers[i], VXE_NETWORK_WIDTH_MAX);
    }
    if ((int)def->output + def->layers[def->layer_count - 1] > VXE_OUTPUT_COUNT)
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: layers: the last one has more neurons than there are outputs", who);
    for (int32_t i = 0; i < def->input_count; i++) {
        if (!ends(def->inputs[i], VXE_NETWORK_INPUT_SIZE) || def->inputs[i][0] == '\0')
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: inputs: a formula of 1 to %d bytes is needed", who,
                            VXE_NETWORK_INPUT_SIZE - 1);
        const vxe_result result = check_formula(who, "inputs", def->inputs[i], error);
        if (result != VXE_OK) return result;
    }
    if (def->weight_count != network_weights(def) || def->weights == NULL)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: weights: %d numbers; this network has %lld", who,
                        (int)def->weight_count, (long long)network_weights(def));
    for (int32_t i = 0; i < def->weight_count; i++) {
        if (!isfinite(def->weights[i]))
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: weights: not finite", who);
    }
    return VXE_OK;
}

void vxe_name_rule(const vxe_rule_def *def, int32_t number, char who[RULE_WHO_SIZE])
{
    if (def->name[0] != '\0' && ends(def->name, VXE_NAME_SIZE)) {
        (void)snprintf(who, RULE_WHO_SIZE, "rule \"%.90s\"", def->name);
    } else if (number >= 0) {
        (void)snprintf(who, RULE_WHO_SIZE, "rule %d of kind %s", (int)number, kind_names[def->kind]);
    } else {
        (void)snprintf(who, RULE_WHO_SIZE, "rule of kind %s", kind_names[def->kind]);
    }
}

bool vxe_rule_brings_voxels(const vxe_rule_def *def)
{
    return def->kind == VXE_RULE_GROW || def->kind == VXE_RULE_SUPPLY;
}

bool vxe_rule_reserves(const vxe_rule_def *def, int32_t i, int32_t j, int32_t k)
{
    const int32_t cell[3] = {i, j, k};
    if (!vxe_rule_brings_voxels(def)) return false;
    for (int a = 0; a < 3; a++) {
        if (cell[a] < def->corner[a] || cell[a] >= def->corner[a] + def->cells[a]) return false;
    }
    return true;
}

/* What the numbers mean together. */
static vxe_result check_sense(const char *who, const vxe_rule_def *def, vxe_error *error)
{
    const bool sized =
        def->kind == VXE_RULE_SIZE || (def->kind == VXE_RULE_CONTROL && def->output == VXE_OUTPUT_SIZE);
    if (def->end > 0.0 && def->end <= def->begin)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: end %.9g s is not after begin %.9g s", who, def->end,
                        def->begin);
    if ((def->kind == VXE_RULE_SIZE || def->kind == VXE_RULE_CONTROL) && !(def->minimum <= def->maximum))
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: minimum %.9g is more than maximum %.9g", who,
                        def->minimum, def->maximum);
    if (sized && (def->minimum < -0.9 || def->maximum > 2.0))
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: minimum %.9g and maximum %.9g of a size are not within -0.9 to 2", who,
                        def->minimum, def->maximum);
    if (def->kind == VXE_RULE_SIZE && def->value[0] == '\0')
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: value, the rate, is missing", who);
    if (def->kind == VXE_RULE_CONTROL && def->value[0] == '\0' && def->input_count == 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: value, a formula, or a network is missing", who);
    if (def->kind == VXE_RULE_PUSH && def->value[0] == '\0')
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: value, the force, is missing", who);
    if (def->kind == VXE_RULE_PUSH && def->direction[0] == 0.0 && def->direction[1] == 0.0 &&
        def->direction[2] == 0.0)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: direction is missing", who);
    if (def->kind == VXE_RULE_BECOME && def->other[0] == '\0')
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: other, the material they become, is missing", who);
    if (def->kind == VXE_RULE_SUPPLY &&
        (int64_t)def->places[0] * def->places[1] * def->places[2] > VXE_RULE_RESERVE_MAX)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: more than %d places", who, VXE_RULE_RESERVE_MAX);
    if (def->kind == VXE_RULE_SUPPLY || def->kind == VXE_RULE_LIGHT || def->kind == VXE_RULE_HEAT) {
        const vxe_result result = check_of_time(who, def->when, error);
        if (result != VXE_OK) return result;
    }
    if (vxe_rule_brings_voxels(def)) {
        int64_t cells = 1;
        for (int a = 0; a < 3; a++) cells *= def->cells[a];
        if (cells < 1 || cells > VXE_RULE_RESERVE_MAX)
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: size: %lld cells are not within 1 to %d", who,
                            (long long)cells, VXE_RULE_RESERVE_MAX);
        if (def->other[0] == '\0')
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: other, the material of new voxels, is missing", who);
    }
    return VXE_OK;
}

static vxe_result check_rule(const vxe_rule_def *def, int32_t number, vxe_error *error)
{
    if (vxe_rule_kind_name(def->kind) == NULL)
        return vxe_fail(error, VXE_ERROR_INPUT, "rule: kind %d is not known", (int)def->kind);
    if ((unsigned)def->output >= VXE_OUTPUT_COUNT)
        return vxe_fail(error, VXE_ERROR_INPUT, "rule: output %d is not known", (int)def->output);
    char who[RULE_WHO_SIZE];
    vxe_name_rule(def, number, who);
    for (size_t i = 0; i < vxe_rule_member_count; i++) {
        if ((vxe_rule_members[i].kinds >> def->kind & 1U) == 0) continue;
        const vxe_result result = check_member(who, def, &vxe_rule_members[i], error);
        if (result != VXE_OK) return result;
    }
    const vxe_result result = check_sense(who, def, error);
    return result == VXE_OK ? check_network(who, def, error) : result;
}

static vxe_result check_material_name(const vxe_scene *scene, const char *who, const char *name,
                                      vxe_error *error)
{
    if (name[0] == '\0' || vxe_scene_find_material(scene, name) > 0) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_INPUT, "%s: there is no material \"%s\"", who, name);
}

/* --- cells that rules share: what waits in one is of one material --- */

_Static_assert(VXE_RULES_MAX < UINT16_MAX, "the number of a rule + 1 is an uint16_t");

/* Whether a rule before this one brings voxels of another material, maybe to the same cells. */
static bool may_dispute(const vxe_scene *scene, int32_t rule)
{
    const vxe_rule_def *def = &scene->rules[rule];
    for (int32_t n = 0; n < rule; n++) {
        const vxe_rule_def *other = &scene->rules[n];
        if (!vxe_rule_brings_voxels(other) || strcmp(other->other, def->other) == 0) continue;
        bool apart = false;
        for (int a = 0; a < 3; a++) {
            apart = apart || def->corner[a] + def->cells[a] <= other->corner[a] ||
                    other->corner[a] + other->cells[a] <= def->corner[a];
        }
        if (!apart) return true;
    }
    return false;
}

/* Reserves the empty cells of a rule that nobody has, by its number + 1. Gives the first of those before it
 * with which it shares a cell but not the material, and the first such cell in `place`, or -1. As nobody
 * before has such a cell, whoever was first in a cell speaks for all that share it. */
static int32_t reserve_cells(const vxe_scene *scene, int32_t rule, uint16_t *taken, int32_t place[3])
{
    const vxe_rule_def *def = &scene->rules[rule];
    int32_t found = -1;
    for (int32_t k = def->corner[2]; k < def->corner[2] + def->cells[2]; k++) {
        for (int32_t j = def->corner[1]; j < def->corner[1] + def->cells[1]; j++) {
            size_t c = vxe_scene_cell(scene, def->corner[0], j, k);
            for (int32_t i = def->corner[0]; i < def->corner[0] + def->cells[0]; i++, c++) {
                if (scene->voxels[c] != 0) continue;
                const int32_t owner = taken[c] - 1;
                if (owner < 0) taken[c] = (uint16_t)(rule + 1);
                if (owner < 0 || (found >= 0 && owner >= found) ||
                    strcmp(scene->rules[owner].other, def->other) == 0)
                    continue;
                found = owner;
                place[0] = i;
                place[1] = j;
                place[2] = k;
            }
        }
    }
    return found;
}

/* Against the rules before it, in time that goes with the cells, of which a limit is kept. Who has which
 * cell is in `taken`, which is made when it is needed first: most rules have cells of their own. */
static vxe_result check_shared_cells(const vxe_scene *scene, int32_t rule, const char *who, uint16_t **taken,
                                     vxe_error *error)
{
    int32_t place[3] = {0, 0, 0};
    if (*taken == NULL) {
        if (!may_dispute(scene, rule)) return VXE_OK;
        *taken = calloc(scene->cell_count, sizeof **taken); /* pages that no rule is in stay free */
        if (*taken == NULL)
            return vxe_fail_memory(error, "the cells of rules", scene->cell_count * sizeof **taken);
        for (int32_t n = 0; n < rule; n++) {
            if (vxe_rule_brings_voxels(&scene->rules[n])) (void)reserve_cells(scene, n, *taken, place);
        }
    }
    const int32_t other = reserve_cells(scene, rule, *taken, place);
    if (other < 0) return VXE_OK;
    char first[RULE_WHO_SIZE];
    vxe_name_rule(&scene->rules[other], other, first);
    return vxe_fail(error, VXE_ERROR_INPUT,
                    "%s: other: cell (%d,%d,%d) is also of %s, whose new voxels are of another material", who,
                    (int)place[0], (int)place[1], (int)place[2], first);
}

/* --- all of them --- */

/* A rule after those before it: how many cells they reserved, and which of them. */
static vxe_result check_in_scene(const vxe_scene *scene, int32_t n, int64_t *reserved, uint16_t **taken,
                                 vxe_error *error)
{
    const vxe_rule_def *def = &scene->rules[n];
    char who[RULE_WHO_SIZE];
    vxe_result result = check_rule(def, n, error);
    if (result != VXE_OK) return result;
    vxe_name_rule(def, n, who);
    result = check_material_name(scene, who, def->material, error);
    if (result == VXE_OK) result = check_material_name(scene, who, def->other, error);
    if (result != VXE_OK) return result;
    if (def->region[0] != '\0' && vxe_scene_find_region(scene, def->region) < 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: there is no region \"%s\"", who, def->region);
    if (def->kind == VXE_RULE_BOND && scene->environment.collisions == VXE_COLLISIONS_OFF)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: voxels stick where they touch, but collisions are off",
                        who);
    if (!vxe_rule_brings_voxels(def)) return VXE_OK;
    *reserved += (int64_t)def->cells[0] * def->cells[1] * def->cells[2];
    for (int a = 0; a < 3; a++) {
        if (def->corner[a] + def->cells[a] > scene->size[a])
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "%s: corner and size: cells beyond the workspace along %c", who, 'x' + a);
    }
    if (*reserved > VXE_RULE_RESERVE_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%s: more than %d cells are reserved for growth in all", who,
                        VXE_RULE_RESERVE_MAX);
    return check_shared_cells(scene, n, who, taken, error);
}

vxe_result vxe_find_wrong_rule(const vxe_scene *scene, int32_t *wrong, vxe_error *error)
{
    int64_t reserved = 0;
    uint16_t *taken = NULL;
    vxe_result result = VXE_OK;
    for (int32_t n = 0; n < scene->rule_count && result == VXE_OK; n++) {
        *wrong = n;
        result = check_in_scene(scene, n, &reserved, &taken, error);
    }
    free(taken);
    return result;
}

vxe_result vxe_check_rules(const vxe_scene *scene, vxe_error *error)
{
    int32_t wrong = -1;
    return vxe_find_wrong_rule(scene, &wrong, error);
}

/* --- the list --- */

static vxe_result copy_rule(const vxe_rule_def *def, vxe_rule_def *copy, vxe_error *error)
{
    vxe_rule_def made = *def;
    vxe_pad_name(made.name);
    vxe_pad_name(made.material);
    vxe_pad_name(made.other);
    vxe_pad_name(made.region);
    made.weights = NULL;
    if (def->weight_count > 0) {
        double *weights = malloc((size_t)def->weight_count * sizeof *weights);
        if (weights == NULL)
            return vxe_fail_memory(error, "the weights of a network",
                                   (size_t)def->weight_count * sizeof *weights);
        memcpy(weights, def->weights, (size_t)def->weight_count * sizeof *weights);
        made.weights = weights;
    }
    *copy = made;
    return VXE_OK;
}

static void free_rule(vxe_rule_def *def)
{
    free((void *)(uintptr_t)def->weights);
    def->weights = NULL;
}

vxe_result vxe_scene_add_rule(vxe_scene *scene, const vxe_rule_def *def, int32_t *rule, vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    vxe_rule_def own;
    vxe_result result = vxe_settings_take(&settings, def, &own, error);
    if (result == VXE_OK) result = check_rule(&own, -1, error);
    if (result != VXE_OK) return result;
    if (scene->rule_count >= VXE_RULES_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "the scene is full with %d rules", VXE_RULES_MAX);
    vxe_rule_def tidy = own;
    tidy.weights = NULL;
    result = copy_rule(&own, &tidy, error);
    if (result != VXE_OK) return result;
    vxe_rule_def *grown =
        vxe_grow(scene->rules, (size_t)scene->rule_count + 1, &scene->rule_capacity, sizeof *grown);
    if (grown == NULL) {
        free_rule(&tidy);
        return vxe_fail_memory(error, "the rules", sizeof *grown * (size_t)scene->rule_count);
    }
    scene->rules = grown;
    scene->rules[scene->rule_count] = tidy;
    if (rule != NULL) *rule = scene->rule_count;
    scene->rule_count++;
    return VXE_OK;
}

vxe_result vxe_scene_set_rule(vxe_scene *scene, int32_t rule, const vxe_rule_def *def, vxe_error *error)
{
    if (scene == NULL || def == NULL) return vxe_refuse_null(error);
    vxe_rule_def own;
    vxe_rule_def tidy;
    vxe_result result = vxe_check_number("rule", rule, scene->rule_count, 0, error);
    if (result == VXE_OK) result = vxe_settings_take(&settings, def, &own, error);
    if (result == VXE_OK) result = check_rule(&own, -1, error);
    if (result == VXE_OK) result = copy_rule(&own, &tidy, error);
    if (result != VXE_OK) return result;
    free_rule(&scene->rules[rule]);
    scene->rules[rule] = tidy;
    return VXE_OK;
}

vxe_result vxe_scene_remove_rule(vxe_scene *scene, int32_t rule, vxe_error *error)
{
    if (scene == NULL) return vxe_refuse_null(error);
    const vxe_result result = vxe_check_number("rule", rule, scene->rule_count, 0, error);
    if (result != VXE_OK) return result;
    free_rule(&scene->rules[rule]);
    vxe_drop(scene->rules, &scene->rule_count, rule, sizeof *scene->rules);
    return VXE_OK;
}

int32_t vxe_scene_rule_count(const vxe_scene *scene) { return scene == NULL ? 0 : scene->rule_count; }

const vxe_rule_def *vxe_scene_rule(const vxe_scene *scene, int32_t rule)
{
    if (scene == NULL || rule < 0 || rule >= scene->rule_count) return NULL;
    return &scene->rules[rule];
}

vxe_result vxe_copy_rules(const vxe_scene *scene, vxe_scene *copy, vxe_error *error)
{
    for (int32_t n = 0; n < scene->rule_count; n++) {
        const vxe_result result = vxe_scene_add_rule(copy, &scene->rules[n], NULL, error);
        if (result != VXE_OK) return result;
    }
    return VXE_OK;
}

void vxe_free_rules(vxe_scene *scene)
{
    for (int32_t n = 0; n < scene->rule_count; n++) free_rule(&scene->rules[n]);
    free(scene->rules);
}
