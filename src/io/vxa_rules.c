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

/* A number below `parent` that stays unmarked. */
static double peek_number(const xmlNode *parent, const char *name, double standard)
{
    xmlChar *text = vxe_xml_text(vxe_xml_peek(parent, name));
    if (text == NULL) return standard;
    const char *end = NULL;
    double value = vxe_xml_scan_number((const char *)text, &end);
    if (end == (const char *)text) value = strcmp((const char *)text, "true") == 0 ? 1.0 : standard;
    xmlFree(text);
    return value;
}

static double within(double value, double low, double high)
{
    return value > low ? (value < high ? value : high) : low;
}

static void add(vxa_reader *r, const xmlNode *node, const vxe_rule_def *rule)
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
                vxe_notes_add(r->notes, VXE_NOTE_NOT_SIMULATED, vxe_xml_line(holder), names[i],
                              "it is too long");
            }
        }
        free(text);
    }
    vxe_vxa_unmark_all(group);
}

static void read_material_rules(vxa_reader *r, const xmlNode *mechanical, const vxe_material_def *def,
                                bool signals, bool sticks, bool removes, double random_every)
{
    if (signals) {
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONDUCT);
        const double decay = peek_number(mechanical, "signalValueDecay", 0.9);
        memcpy(rule.material, def->name, VXE_NAME_SIZE);
        rule.delay = within(peek_number(mechanical, "signalTimeDelay", 0.03), 0.0, 1e9);
        rule.refractory = within(peek_number(mechanical, "inactivePeriod", 0.03), 0.0, 1e9);
        rule.decay = within(decay, 0.0, 1.0);
        rule.threshold = SIGNAL_LEAST;
        rule.fade = decay > 1.0 ? 1.0 : 0.9;
        add(r, mechanical, &rule);
        const double period = peek_number(mechanical, "PaceMakerPeriod", 0.0);
        if (peek_number(mechanical, "isPaceMaker", 0.0) != 0.0 && period > 0.0) {
            rule = vxe_default_rule_def(VXE_RULE_PACE);
            memcpy(rule.material, def->name, VXE_NAME_SIZE);
            rule.period = within(period, 1e-9, 1e9);
            rule.strength = SIGNAL_FULL;
            add(r, mechanical, &rule);
        }
    }
    const double gone = peek_number(mechanical, "RemoveFromSimulationAfterThisManySeconds", 0.0);
    if (removes && gone > 0.0) {
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_REMOVE);
        memcpy(rule.material, def->name, VXE_NAME_SIZE);
        rule.begin = within(gone, 0.0, 1e9);
        add(r, mechanical, &rule);
    }
    const double cilia = peek_number(mechanical, "Cilia", 0.0);
    const double late = peek_number(mechanical, "TurnOnCiliaAfterThisManySeconds", 0.0);
    if (cilia != 0.0 && (late > 0.0 || random_every > 0.0)) {
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CILIA);
        memcpy(rule.material, def->name, VXE_NAME_SIZE);
        rule.begin = within(late, 0.0, 1e9);
        rule.every = random_every;
        rule.strength = within(cilia, -1e9, 1e9);
        rule.seed = (int64_t)within(peek_number(r->simulator, "RandomSeed", 0.0), -9e15, 9e15);
        add(r, mechanical, &rule);
    }
    if (sticks && peek_number(mechanical, "Sticky", 0.0) != 0.0 && !def->fixed) {
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_BOND);
        memcpy(rule.material, def->name, VXE_NAME_SIZE);
        if (r->detaches) rule.stress = def->failure_stress;
        read_conditions(r, vxe_xml_peek(vxe_xml_peek(r->simulator, "AttachDetach"), "AttachCondition"),
                        &rule);
        add(r, mechanical, &rule);
    }
}

static void read_surface_growth(vxa_reader *r)
{
    const xmlNode *group = vxe_xml_peek(r->simulator, "SurfaceGrowth");
    if (peek_number(group, "EnableGrowth", 0.0) == 0.0 || vxe_scene_material_count(r->scene) == 0) return;
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_GROW);
    int32_t size[3];
    vxe_scene_size(r->scene, size);
    if ((double)size[0] * size[1] * size[2] > VXE_RULE_RESERVE_MAX) {
        vxe_notes_add(r->notes, VXE_NOTE_NOT_SIMULATED, vxe_xml_line(group), "SurfaceGrowth",
                      "the lattice has more than %d cells to grow in", VXE_RULE_RESERVE_MAX);
        return;
    }
    memcpy(rule.other, vxe_scene_material(r->scene, 1)->name, VXE_NAME_SIZE);
    for (int a = 0; a < 3; a++) rule.size[a] = size[a];
    rule.every = within(peek_number(group, "GrowInterval", 1.0), 0.0, 1e9);
    rule.chance = within(peek_number(group, "GrowRate", 0.1), 0.0, 1.0);
    rule.seed = (int64_t)within(peek_number(r->simulator, "RandomSeed", 0.0), -9e15, 9e15);
    add(r, group, &rule);
}

static void read_voxcraft(vxa_reader *r)
{
    const xmlNode *attach = vxe_xml_peek(r->simulator, "AttachDetach");
    const bool signals = peek_number(r->simulator, "EnableSignals", 0.0) != 0.0;
    const bool collide = vxe_scene_environment(r->scene).collisions != VXE_COLLISIONS_OFF;
    const bool sticks = peek_number(attach, "EnableAttach", 0.0) != 0.0 && collide;
    const bool removes = peek_number(r->simulator, "SecondaryExperiment", 0.0) != 0.0;
    const bool cilia = peek_number(r->simulator, "EnableCilia", 0.0) != 0.0;
    const double every =
        cilia ? within(peek_number(r->simulator, "RandomizeCiliaEvery", 0.0), 0.0, 1e9) : 0.0;
    int32_t index = 0;
    xmlNode *material = vxe_xml_peek(vxe_xml_peek(r->object, "Palette"), "Material");
    for (; material != NULL && index < r->palette_count; material = vxe_xml_next(material)) {
        index++;
        if (r->composites[index].kind != 0) continue;
        read_material_rules(r, vxe_xml_peek(material, "Mechanical"), vxe_scene_material(r->scene, index),
                            signals, sticks, removes, every);
    }
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
        if (peek_number(source, "SourceEnabled", 0.0) == 0.0) continue;
        const bool heat = peek_number(source, "SourceType", 0.0) == 1.0;
        vxe_rule_def rule = vxe_default_rule_def(heat ? VXE_RULE_HEAT : VXE_RULE_LIGHT);
        for (int a = 0; a < 3; a++) {
            rule.position[a] = within(peek_number(source, place[a], 0.0), -1e9, 1e9);
            rule.swing[a] = within(peek_number(source, swing[a], 0.0), -1e9, 1e9);
            rule.frequency[a] = within(peek_number(source, frequency[a], 0.0), 0.0, 1e9);
        }
        rule.strength = heat ? 0.0 : 1.0; /* the file says nothing about how much it warms */
        add(r, source, &rule);
    }
    vxe_vxa_unmark_all(group);
}

void vxe_vxa_read_rules(vxa_reader *r)
{
    if (r->dialect == VXE_DIALECT_VOXCRAFT) read_voxcraft(r);
    if (r->dialect == VXE_DIALECT_EVOSORO) read_sources(r);
}
