/* What files of voxcraft and evosoro ask voxels to do by themselves, as rules of the scene (docs/formats.md
 * says how each tag is understood). The tags stay unmarked: they are told, kept, and written again for other
 * programs. */
#include "io/vxa.h"

#include "voxelastic/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIGNAL_FULL 100.0 /* what a pacemaker of voxcraft fires with */
#define SIGNAL_LEAST 0.1

void vxe_vxa_unmark_all(xmlNode *node)
{
    if (node == NULL) return;
    vxe_xml_unmark(node);
    for (xmlNode *child = vxe_xml_first(node); child != NULL; child = vxe_xml_after(child))
        vxe_vxa_unmark_all(child);
}

double vxe_vxa_peek_number(const xmlNode *parent, const char *name, double standard)
{
    xmlChar *text = vxe_xml_text(vxe_xml_peek(parent, name));
    if (text == NULL) return standard;
    const char *end = NULL;
    double value = vxe_xml_scan_number((const char *)text, &end);
    if (end == (const char *)text) value = strcmp((const char *)text, "true") == 0 ? 1.0 : standard;
    xmlFree(text);
    return value;
}

double vxe_vxa_within(double value, double low, double high)
{
    return value > low ? (value < high ? value : high) : low;
}

double vxe_vxa_peek_within(const vxa_reader *r, const xmlNode *parent, const char *name, double standard,
                           double low, double high)
{
    const double value = vxe_vxa_peek_number(parent, name, standard);
    const double limited = vxe_vxa_within(value, low, high);
    if (limited != value)
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(vxe_xml_peek(parent, name)), name,
                      "%.9g is not within %.9g to %.9g: taken as %.9g", value, low, high, limited);
    return limited;
}

bool vxe_vxa_next_material(vxa_reader *r, int32_t *index, xmlNode **material)
{
    do {
        *material = *index == 0 ? vxe_xml_peek(vxe_xml_peek(r->object, "Palette"), "Material")
                                : vxe_xml_next(*material);
        if (*material == NULL || *index >= r->palette_count) return false;
        ++*index;
    } while (r->composites[*index].kind != 0);
    return true;
}

void vxe_vxa_add_rule(vxa_reader *r, const xmlNode *node, const vxe_rule_def *rule)
{
    vxe_error cause;
    if (r->result == VXE_OK && vxe_scene_add_rule(r->scene, rule, NULL, &cause) != VXE_OK)
        vxe_vxa_refused(r, node, &cause);
}

/* ---- voxcraft ---------------------------------------------------------------------------------------------------------- */

/* All conditions of attachment as one formula. */
static void read_conditions(vxa_reader *r, xmlNode *group, vxe_rule_def *rule)
{
    static const char *const names[5] = {"Condition_0", "Condition_1", "Condition_2", "Condition_3",
                                         "Condition_4"};
    size_t used = 0;
    for (int i = 0; i < 5; i++) {
        xmlNode *holder = vxe_xml_peek(group, names[i]);
        char *text = holder == NULL ? NULL : vxe_vxa_read_formula(r, holder, 0.5 * vxe_scene_pitch(r->scene));
        if (text != NULL) {
            const int more = snprintf(rule->when + used, sizeof rule->when - used, "%s(%s > 0)",
                                      used > 0 ? " && " : "", text);
            if (more > 0 && (size_t)more < sizeof rule->when - used) {
                used += (size_t)more;
            } else {
                rule->when[used] = '\0';
                vxe_vxa_refuse(r, VXE_ERROR_LIMIT, holder,
                               "%s: as formulas, all conditions together have more than %zu characters",
                               names[i], sizeof rule->when - 1);
            }
        }
        free(text);
    }
    vxe_vxa_unmark_all(group);
}

/* What the simulator's tags switch on. */
typedef struct switches {
    bool signals, sticks, removes, cilia, lamps;
    bool hits;           /* who touches a voxel of a target material fires */
    double random_every; /* s: RandomizeCiliaEvery */
    double rest;         /* s in which what came off does not stick */
    vxa_cycle cycle;
} switches;

static void read_material_rules(vxa_reader *r, const xmlNode *mechanical, const vxe_material_def *def,
                                const switches *on)
{
    if (on->signals) {
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONDUCT);
        const double decay = vxe_vxa_peek_number(mechanical, "signalValueDecay", 0.9);
        memcpy(rule.material, def->name, VXE_NAME_SIZE);
        rule.delay = vxe_vxa_peek_within(r, mechanical, "signalTimeDelay", 0.03, 0.0, 1e9);
        rule.refractory = vxe_vxa_peek_within(r, mechanical, "inactivePeriod", 0.03, 0.0, 1e9);
        rule.decay = vxe_vxa_within(decay, 0.0, 1.0);
        rule.threshold = SIGNAL_LEAST;
        rule.fade = decay > 1.0 ? 1.0 : 0.9;
        vxe_vxa_add_rule(r, mechanical, &rule);
        const double period = vxe_vxa_peek_number(mechanical, "PaceMakerPeriod", 0.0);
        if (vxe_vxa_peek_number(mechanical, "isPaceMaker", 0.0) != 0.0 && period > 0.0) {
            rule = vxe_default_rule_def(VXE_RULE_PACE);
            memcpy(rule.material, def->name, VXE_NAME_SIZE);
            rule.period = vxe_vxa_within(period, 1e-9, 1e9);
            rule.strength = SIGNAL_FULL;
            vxe_vxa_add_rule(r, mechanical, &rule);
        }
        if (on->hits && !def->target) {
            rule = vxe_default_rule_def(VXE_RULE_CONTROL);
            memcpy(rule.material, def->name, VXE_NAME_SIZE);
            rule.output = VXE_OUTPUT_IMPULSE;
            (void)snprintf(rule.value, sizeof rule.value, "%g * (targets > 0)", SIGNAL_FULL);
            vxe_vxa_add_rule(r, mechanical, &rule);
        }
    }
    const double gone = vxe_vxa_peek_number(mechanical, "RemoveFromSimulationAfterThisManySeconds", 0.0);
    const double round = on->cycle.generation + on->cycle.settle;
    if (on->removes && gone > 0.0) {
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_REMOVE);
        memcpy(rule.material, def->name, VXE_NAME_SIZE);
        rule.begin = vxe_vxa_within(gone, 0.0, 1e9);
        if (on->cycle.generation > 0.0) { /* then it says who goes, not when */
            rule.begin = on->cycle.generation;
            rule.every = round;
        }
        vxe_vxa_add_rule(r, mechanical, &rule);
    }
    if (on->removes && vxe_vxa_peek_number(mechanical, "EndSimIfCompletelyRemoved", 0.0) != 0.0) {
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_END);
        memcpy(rule.material, def->name, VXE_NAME_SIZE);
        rule.begin = rule.every = round;
        vxe_vxa_add_rule(r, mechanical, &rule);
    }
    const double cilia = vxe_vxa_peek_number(mechanical, "Cilia", 0.0);
    const double late = vxe_vxa_peek_number(mechanical, "TurnOnCiliaAfterThisManySeconds", 0.0);
    const bool replicates = on->cycle.generation > 0.0;
    if (on->cilia && cilia != 0.0 && (late > 0.0 || on->random_every > 0.0 || replicates || on->lamps)) {
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CILIA);
        memcpy(rule.material, def->name, VXE_NAME_SIZE);
        rule.begin = vxe_vxa_within(late, 0.0, 1e9);
        rule.every = on->random_every;
        rule.strength = vxe_vxa_within(cilia, -1e9, 1e9);
        rule.seed = (int64_t)vxe_vxa_peek_within(r, r->simulator, "RandomSeed", 0.0, -9e15, 9e15);
        if (on->lamps) vxe_vxa_light_on_cilia(r, rule.value);
        if (replicates) {
            const double later = vxe_vxa_peek_number(r->simulator, "CiliaFracAfterFirstRound", 1.0);
            const bool whole = later == (double)(int64_t)vxe_vxa_within(later, -1e9, 1e9);
            if (whole && later != 1.0)
                (void)snprintf(rule.value, sizeof rule.value, "1 + (t > %.17g) * %.17g", round, later - 1.0);
            if (!(rule.every > 0.0)) rule.every = round; /* at each new generation */
        }
        vxe_vxa_add_rule(r, mechanical, &rule);
    }
    if (on->sticks && vxe_vxa_peek_number(mechanical, "Sticky", 0.0) != 0.0 && !def->fixed) {
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_BOND);
        memcpy(rule.material, def->name, VXE_NAME_SIZE);
        if (r->detaches) rule.stress = def->failure_stress;
        rule.rest = on->rest;
        read_conditions(r, vxe_xml_peek(vxe_xml_peek(r->simulator, "AttachDetach"), "AttachCondition"),
                        &rule);
        vxe_vxa_add_rule(r, mechanical, &rule);
    }
}

static void read_surface_growth(vxa_reader *r)
{
    const xmlNode *group = vxe_xml_peek(r->simulator, "SurfaceGrowth");
    if (vxe_vxa_peek_number(group, "EnableGrowth", 0.0) == 0.0 || vxe_scene_material_count(r->scene) == 0)
        return;
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_GROW);
    int32_t size[3];
    vxe_scene_size(r->scene, size);
    if ((double)size[0] * size[1] * size[2] > VXE_RULE_RESERVE_MAX) {
        vxe_vxa_refuse(r, VXE_ERROR_LIMIT, group,
                       "SurfaceGrowth: the lattice has more than the %d cells that voxels can grow in",
                       VXE_RULE_RESERVE_MAX);
        return;
    }
    memcpy(rule.other, vxe_scene_material(r->scene, 1)->name, VXE_NAME_SIZE);
    /* Growth has all empty cells, those where debris waits too: there what waits is of one material. */
    for (int32_t i = 0; i < vxe_scene_rule_count(r->scene); i++) {
        const vxe_rule_def *supply = vxe_scene_rule(r->scene, i);
        if (supply->kind != VXE_RULE_SUPPLY || strcmp(supply->other, rule.other) == 0) continue;
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, group,
                       "voxels of the first material, \"%s\", grow in all empty cells, and the debris that "
                       "SelfReplication replenishes waits in some of them, but is of another (DebrisMat, "
                       "\"%s\"): take EnableGrowth or MaxNewVoxelsAddedMidSim out",
                       rule.other, supply->other);
        return;
    }
    for (int a = 0; a < 3; a++) rule.cells[a] = size[a];
    rule.every = vxe_vxa_peek_within(r, group, "GrowInterval", 1.0, 0.0, 1e9);
    rule.chance = vxe_vxa_peek_within(r, group, "GrowRate", 0.1, 0.0, 1.0);
    rule.seed = (int64_t)vxe_vxa_peek_within(r, r->simulator, "RandomSeed", 0.0, -9e15, 9e15);
    vxe_vxa_add_rule(r, group, &rule);
}

static void read_voxcraft(vxa_reader *r)
{
    const xmlNode *attach = vxe_xml_peek(r->simulator, "AttachDetach");
    const bool collide = vxe_scene_environment(r->scene).collisions != VXE_COLLISIONS_OFF;
    switches on = {.sticks = vxe_vxa_peek_number(attach, "EnableAttach", 0.0) != 0.0 && collide,
                   .removes = vxe_vxa_peek_number(r->simulator, "SecondaryExperiment", 0.0) != 0.0,
                   .cilia = vxe_vxa_peek_number(r->simulator, "EnableCilia", 0.0) != 0.0,
                   .lamps = vxe_vxa_has_lamps(r),
                   .cycle = vxe_vxa_cycle(r)};
    on.signals = vxe_vxa_peek_number(r->simulator, "EnableSignals", 0.0) != 0.0 && !on.lamps;
    for (int32_t m = 1; m <= vxe_scene_material_count(r->scene); m++)
        on.hits = on.hits || (collide && vxe_scene_material(r->scene, m)->target);
    on.rest = vxe_vxa_peek_within(r, r->simulator, "nonStickyTimeAfterStringyBodyDetach", 0.0, 0.0, 1e9);
    if (on.cilia)
        on.random_every = vxe_vxa_peek_within(r, r->simulator, "RandomizeCiliaEvery", 0.0, 0.0, 1e9);
    int32_t index = 0;
    xmlNode *material = NULL;
    while (vxe_vxa_next_material(r, &index, &material))
        read_material_rules(r, vxe_xml_peek(material, "Mechanical"), vxe_scene_material(r->scene, index),
                            &on);
    vxe_vxa_read_lamps(r);
    vxe_vxa_read_replication(r, on.cycle);
    read_surface_growth(r);
}

/* ---- evosoro ------------------------------------------------------------------------------------------------------------- */

static void read_sources(vxa_reader *r)
{
    static const char *const place[3] = {"SourcePositionX", "SourcePositionY", "SourcePositionZ"};
    static const char *const swing[3] = {"SourceMotionAmpX", "SourceMotionAmpY", "SourceMotionAmpZ"};
    static const char *const frequency[3] = {"SourceMotionFreqX", "SourceMotionFreqY", "SourceMotionFreqZ"};
    xmlNode *group = vxe_xml_peek(r->environment, "Sources");
    for (xmlNode *source = vxe_xml_peek(group, "Source"); source != NULL; source = vxe_xml_next(source)) {
        if (vxe_vxa_peek_number(source, "SourceEnabled", 0.0) == 0.0) continue;
        const bool heat = vxe_vxa_peek_number(source, "SourceType", 0.0) == 1.0;
        vxe_rule_def rule = vxe_default_rule_def(heat ? VXE_RULE_HEAT : VXE_RULE_LIGHT);
        for (int a = 0; a < 3; a++) {
            rule.position[a] = vxe_vxa_peek_within(r, source, place[a], 0.0, -1e9, 1e9);
            rule.swing[a] = vxe_vxa_peek_within(r, source, swing[a], 0.0, -1e9, 1e9);
            rule.frequency[a] = vxe_vxa_peek_within(r, source, frequency[a], 0.0, 0.0, 1e9);
        }
        rule.strength = heat ? 0.0 : 1.0; /* the file says nothing about how much it warms */
        vxe_vxa_add_rule(r, source, &rule);
    }
    vxe_vxa_unmark_all(group);
}

static double below(const vxa_reader *r, const xmlNode *group, const char *name, double standard, double low,
                    double high)
{
    return vxe_vxa_peek_within(r, group, name, standard, low, high);
}

/* A lamp of evosoro's successors. */
static void read_light_source(vxa_reader *r)
{
    static const char *const place[3] = {"X", "Y", "Z"};
    const xmlNode *group = vxe_xml_peek(r->environment, "LightSource");
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_LIGHT);
    if (group == NULL) return;
    for (int a = 0; a < 3; a++) rule.position[a] = below(r, group, place[a], 0.0, -1e9, 1e9);
    vxe_vxa_add_rule(r, group, &rule);
}

/* Signals of evosoro's successors: pacemakers fire so many times in a cycle of temperature, the signal comes
 * one voxel further at each update, and a voxel takes the next one when it is repolarized. */
static void read_signaling(vxa_reader *r)
{
    const xmlNode *group = vxe_xml_peek(r->environment, "Signaling");
    const double cycle = below(r, vxe_xml_peek(r->environment, "Thermal"), "TempPeriod", 0.1, 0.0, 1e6);
    const double updates = below(r, group, "SignalingUpdatesPerTempCycle", 0.0, 0.0, 1e9);
    const double fires = below(r, group, "DepolarizationsPerTempCycle", 1.0, 0.0, 1e9);
    const double rests = below(r, group, "RepolarizationsPerTempCycle", 1.0, 0.0, 1e9);
    int32_t index = 0;
    xmlNode *material = NULL;
    if (group == NULL || !(cycle > 0.0) || !(updates > 0.0)) return;
    while (vxe_vxa_next_material(r, &index, &material)) {
        const xmlNode *mechanical = vxe_xml_peek(material, "Mechanical");
        const char *name = vxe_scene_material(r->scene, index)->name;
        const bool beats = vxe_vxa_peek_number(mechanical, "IsPacemaker", 0.0) != 0.0 && fires > 0.0;
        if (beats || vxe_vxa_peek_number(mechanical, "IsConductive", 0.0) != 0.0) {
            vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONDUCT);
            memcpy(rule.material, name, VXE_NAME_SIZE);
            rule.delay = cycle / updates;
            rule.refractory = rests > 0.0 ? cycle / rests : 0.0;
            rule.decay = 1.0;
            vxe_vxa_add_rule(r, mechanical, &rule);
        }
        if (!beats) continue;
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_PACE);
        memcpy(rule.material, name, VXE_NAME_SIZE);
        rule.period = vxe_vxa_within(cycle / fires, 1e-9, 1e9);
        vxe_vxa_add_rule(r, mechanical, &rule);
    }
}

/* Gravity that changes in the middle of life, by this factor. */
static void read_gravity_change(vxa_reader *r)
{
    const xmlNode *group = vxe_xml_peek(r->environment, "Gravity");
    const double factor = vxe_vxa_peek_number(group, "AlterGravityHalfway", 1.0);
    const vxe_environment e = vxe_scene_environment(r->scene);
    if (factor == 1.0 || e.gravity[2] == 0.0 || !(r->life > 0.0)) return;
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_PUSH);
    rule.begin = vxe_vxa_within(0.5 * r->life, 0.0, 1e9);
    rule.direction[2] = vxe_vxa_within(e.gravity[2] * (factor - 1.0), -1e9, 1e9);
    (void)snprintf(rule.value, sizeof rule.value, "mass");
    vxe_vxa_add_rule(r, group, &rule);
}

void vxe_vxa_read_rules(vxa_reader *r)
{
    if (r->dialect == VXE_DIALECT_VOXCRAFT) read_voxcraft(r);
    if (r->dialect != VXE_DIALECT_EVOSORO) return;
    read_sources(r);
    read_light_source(r);
    read_signaling(r);
    read_gravity_change(r);
}
