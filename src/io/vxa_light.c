/* Lamps of voxcraft's branch dev-sam, and voxels that go by their light. What is counted in steps there is
 * counted in seconds here: a step of that program is DtFrac/(2 pi) times the pitch over the fastest speed of
 * sound of the palette. */
#include "io/vxa.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_MOST 1e9
#define EVERYWHERE 1e9 /* m: light is as strong wherever it comes */

static double number(const vxa_reader *r, const char *name, double standard, double low, double high)
{
    return vxe_vxa_peek_within(r, r->simulator, name, standard, low, high);
}

static bool is_on(const vxa_reader *r, const char *name)
{
    return vxe_vxa_peek_number(r->simulator, name, 0.0) != 0.0;
}

bool vxe_vxa_has_lamps(const vxa_reader *r) { return is_on(r, "UsingLightSource"); }

double vxe_vxa_step(const vxa_reader *r)
{
    double fastest = 1e-3; /* m/s */
    for (int32_t m = 1; m <= vxe_scene_material_count(r->scene); m++) {
        const vxe_material_def *def = vxe_scene_material(r->scene, m);
        fastest = fmax(fastest, sqrt(def->youngs_modulus / def->density));
    }
    const double part =
        vxe_vxa_peek_within(r, vxe_xml_peek(r->simulator, "Integration"), "DtFrac", 0.9, 1e-6, 10.0);
    return part / (2.0 * 3.14159265358979323846) * vxe_scene_pitch(r->scene) / fastest;
}

/* s: how long it takes until a voxel has all the light that it can have. */
static double charge_time(const vxa_reader *r)
{
    const double steps = number(r, "LightSensitiveTime", 0.0, 0.0, 1e9);
    return steps > 0.0 ? steps * vxe_vxa_step(r) : 1e-12; /* none: it has it at once */
}

void vxe_vxa_light_on_cilia(const vxa_reader *r, char value[VXE_RULE_FORMULA_SIZE])
{
    const double factor = number(r, "CiliaFactorInLight", 0.0, -1e9, 1e9);
    if (is_on(r, "UsingVolvox")) {
        (void)snprintf(value, VXE_RULE_FORMULA_SIZE, "1 - trait3 * memory1");
    } else {
        (void)snprintf(value, VXE_RULE_FORMULA_SIZE, "1 + memory1 * %.17g", factor - 1.0);
    }
}

/* ---- lamps ---------------------------------------------------------------------------------------------------------- */

/* A formula with 0 for all variables but t, which is what they are there. */
static char *of_time_alone(vxa_reader *r, const xmlNode *holder, char *text)
{
    vxe_formula formula;
    bool other = false;
    if (text == NULL || vxe_formula_parse(text, &formula, NULL) != VXE_OK) return text;
    for (int32_t i = 0; i < formula.count; i++) {
        vxe_token *token = &formula.tokens[i];
        if (token->operation != VXE_OP_VARIABLE || token->variable == VXE_VARIABLE_T) continue;
        if (!other)
            vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(holder), (const char *)holder->name,
                          "it is of t alone: %s is 0 there", vxe_formula_variables[token->variable]);
        other = true;
        *token = (vxe_token){VXE_OP_NUMBER, 0, 0.0};
    }
    if (other) {
        free(text);
        text = vxe_formula_print(&formula);
        if (text == NULL) r->result = vxe_fail_memory(r->error, "a formula", (size_t)formula.count);
    }
    vxe_formula_free(&formula);
    return text;
}

/* When a lamp is on, as a formula of t; freed by free(). NULL: never. */
static char *lamp_function(vxa_reader *r, const char *name)
{
    xmlNode *holder = vxe_xml_peek(r->simulator, name);
    char *text = holder == NULL ? NULL : vxe_vxa_read_formula(r, holder, 0.0);
    text = of_time_alone(r, holder, text);
    vxe_vxa_unmark_all(holder);
    return text;
}

static void read_lamp(vxa_reader *r, char lamp, const char *function)
{
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_LIGHT);
    char name[32];
    if (function == NULL) return;
    for (int a = 0; a < 3; a++) {
        (void)snprintf(name, sizeof name, "Light%cPos%c", lamp, 'X' + a);
        rule.position[a] = (number(r, name, 0.0, -1e6, 1e6) + 0.5) * vxe_scene_pitch(r->scene);
    }
    (void)snprintf(rule.name, sizeof rule.name, "lamp %c", lamp);
    rule.begin = number(r, "TurnOnLightAfterThisManySeconds", 0.0, 0.0, TIME_MOST);
    rule.radius = EVERYWHERE;
    rule.shadows = true;
    (void)snprintf(name, sizeof name, "RandomizeLight%c", lamp);
    if (is_on(r, name)) rule.chance = 0.5;
    rule.seed = (int64_t)number(r, "RandomSeed", 0.0, -9e15, 9e15);
    (void)snprintf(name, sizeof name, "Light%cFunction", lamp);
    const xmlNode *node = vxe_xml_peek(r->simulator, name);
    if (strlen(function) >= sizeof rule.when) {
        vxe_vxa_refuse(r, VXE_ERROR_LIMIT, node, "%s: as a formula it has more than %zu characters", name,
                       sizeof rule.when - 1);
        return;
    }
    (void)snprintf(rule.when, sizeof rule.when, "%s", function);
    vxe_vxa_add_rule(r, node, &rule);
}

/* ---- voxels that feel it -------------------------------------------------------------------------------------------- */

/* How much light a voxel has had, 0 to 1, in memory1. With both lamps on nobody is lit, and who has had some
 * gets more. */
static void read_charge(vxa_reader *r, const xmlNode *node, vxe_rule_def *rule)
{
    char gain[40];
    (void)snprintf(gain, sizeof gain, "dt / %.17g", charge_time(r));
    rule->begin = number(r, "TurnOnLightAfterThisManySeconds", 0.0, 0.0, TIME_MOST);
    (void)snprintf(
        rule->value, sizeof rule->value,
        "memory1 + (lamps > 1) * %s * (memory1 > 0) + (lamps < 2) * ((light > 0.5) * ((memory1 + %s < 1) * "
        "(%s) + !(memory1 + %s < 1) * (1 - memory1)) - !(light > 0.5) * ((memory1 > %s) * (%s) + !(memory1 > "
        "%s) * memory1))",
        gain, gain, gain, gain, gain, gain, gain);
    vxe_vxa_add_rule(r, node, rule);
}

/* Light that one gets used to: memory1 is the answer to it, memory2 what one is used to. */
static void read_volvox(vxa_reader *r, const xmlNode *node, vxe_rule_def *rule)
{
    rule->output = VXE_OUTPUT_MEMORY1;
    (void)snprintf(
        rule->value, sizeof rule->value,
        "memory1 + dt * (((light > 0.5) > memory2) * ((light > 0.5) - memory2)^2 - memory1) / trait2");
    vxe_vxa_add_rule(r, node, rule);
    rule->output = VXE_OUTPUT_MEMORY2;
    (void)snprintf(rule->value, sizeof rule->value, "memory2 + dt * ((light > 0.5) - memory2) / trait1");
    vxe_vxa_add_rule(r, node, rule);
}

void vxe_vxa_read_lamps(vxa_reader *r)
{
    const bool lamps = vxe_vxa_has_lamps(r);
    const bool falls = is_on(r, "EnableDisintegration");
    char *one = lamps ? lamp_function(r, "LightAFunction") : NULL;
    char *other = lamps ? lamp_function(r, "LightBFunction") : NULL;
    if (lamps) read_lamp(r, 'A', one);
    if (lamps) read_lamp(r, 'B', other);
    int32_t index = 0;
    xmlNode *material = NULL;
    while (vxe_vxa_next_material(r, &index, &material)) {
        const xmlNode *mechanical = vxe_xml_peek(material, "Mechanical");
        const char *name = vxe_scene_material(r->scene, index)->name;
        if (lamps && vxe_vxa_peek_number(mechanical, "lightSensitive", 0.0) != 0.0) {
            vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONTROL);
            memcpy(rule.material, name, VXE_NAME_SIZE);
            rule.output = VXE_OUTPUT_MEMORY1;
            if (is_on(r, "UsingVolvox")) {
                read_volvox(r, mechanical, &rule);
            } else {
                read_charge(r, mechanical, &rule);
            }
        }
        if (falls && vxe_vxa_peek_number(mechanical, "Detachable", 0.0) != 0.0) {
            vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_REMOVE);
            memcpy(rule.material, name, VXE_NAME_SIZE);
            (void)snprintf(rule.when, sizeof rule.when, "t > trait4 || memory1 > 0.999999");
            vxe_vxa_add_rule(r, mechanical, &rule);
        }
    }
    free(one);
    free(other);
}
