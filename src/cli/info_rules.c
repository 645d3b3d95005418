/* What rules of a scene are about, for `voxelastic info`. */
#include "cli/info_rules.h"

#include "cli/report.h"

#include <stdio.h>
#include <string.h>

#define SHOWN 60 /* characters of a formula */

static const char *const outputs[VXE_OUTPUT_COUNT] = {"size",    "impulse", "memory1",
                                                      "memory2", "memory3", "memory4"};

static void print_formula(const char *before, const char *formula)
{
    const size_t length = strlen(formula);
    if (length == 0) return;
    printf("%s%.*s%s", before, SHOWN, formula, length > SHOWN ? " ..." : "");
}

/* Which voxels it is about, or where a source is. */
static void print_names(const vxe_rule_def *def)
{
    if (def->kind == VXE_RULE_SUPPLY) {
        printf("%lld places, new \"%s\"", (long long)def->places[0] * def->places[1] * def->places[2],
               def->other);
        return;
    }
    if (def->kind == VXE_RULE_LIGHT || def->kind == VXE_RULE_HEAT) {
        printf("%.6g%s at %s", def->strength, def->kind == VXE_RULE_HEAT ? " K" : "",
               cli_vector(def->position, "m").text);
        if (def->swing[0] != 0.0 || def->swing[1] != 0.0 || def->swing[2] != 0.0)
            printf(", swings by %s", cli_vector(def->swing, "m").text);
        if (def->shadows) printf(", with shadows");
        return;
    }
    if (def->material[0] != '\0') {
        printf("voxels of \"%s\"", def->material);
    } else {
        printf("all voxels");
    }
    if (def->other[0] != '\0')
        printf(", %s \"%s\"",
               def->kind == VXE_RULE_GROW     ? "new"
               : def->kind == VXE_RULE_BECOME ? "become"
                                              : "with",
               def->other);
    if (def->region[0] != '\0') printf(", in \"%s\"", def->region);
}

/* What it does. */
static void print_work(const vxe_rule_def *def)
{
    switch (def->kind) {
    case VXE_RULE_CONDUCT:
        printf(", %s from voxel to voxel, times %.6g", cli_quantity(def->delay, "s").text, def->decay);
        break;
    case VXE_RULE_PACE: printf(", %.6g each %s", def->strength, cli_quantity(def->period, "s").text); break;
    case VXE_RULE_CONTROL:
        if (def->layer_count > 0)
            printf(", a network of %d inputs and %d layers, to %s", (int)def->input_count,
                   (int)def->layer_count, outputs[def->output]);
        else
            printf(", %s", outputs[def->output]);
        print_formula(" = ", def->value);
        break;
    case VXE_RULE_SIZE: print_formula(", rate = ", def->value); break;
    case VXE_RULE_BOND:
        if (def->stress > 0.0) printf(", up to %s", cli_quantity(def->stress, "Pa").text);
        break;
    case VXE_RULE_PUSH:
        print_formula(", ", def->value);
        printf(" times %s", cli_vector(def->direction, "N").text);
        break;
    case VXE_RULE_CILIA:
        printf(", times %.6g", def->factor);
        print_formula(" times ", def->value);
        break;
    case VXE_RULE_GROW:
    case VXE_RULE_SUPPLY: print_formula(", where ", def->value); break;
    case VXE_RULE_REMOVE:
    case VXE_RULE_LIGHT:
    case VXE_RULE_HEAT:
    case VXE_RULE_CUT:
    case VXE_RULE_BECOME:
    case VXE_RULE_END: break;
    }
    print_formula(", when ", def->when);
    print_formula(", lets go when ", def->release);
    if (def->chance < 1.0) printf(", chance %.6g", def->chance);
}

static void print_times(const vxe_rule_def *def)
{
    if (def->begin > 0.0) printf(", from %s on", cli_quantity(def->begin, "s").text);
    if (def->end > 0.0) printf(", until %s", cli_quantity(def->end, "s").text);
    if (def->every > 0.0) printf(", every %s", cli_quantity(def->every, "s").text);
}

void cli_print_rules(const vxe_scene *scene)
{
    const int32_t count = vxe_scene_rule_count(scene);
    if (count == 0) return;
    printf("\n  rules\n");
    for (int32_t r = 0; r < count; r++) {
        const vxe_rule_def *def = vxe_scene_rule(scene, r);
        printf("    %-16s ", vxe_rule_kind_name(def->kind));
        if (def->name[0] != '\0') printf("\"%s\": ", def->name);
        print_names(def);
        print_work(def);
        print_times(def);
        printf("\n");
    }
}

json_t *cli_json_rules(const vxe_scene *scene)
{
    json_t *list = json_array();
    for (int32_t r = 0; r < vxe_scene_rule_count(scene); r++) {
        const vxe_rule_def *d = vxe_scene_rule(scene, r);
        (void)json_array_append_new(
            list, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                            cli_json_text(d->name), "kind", vxe_rule_kind_name(d->kind), "material",
                            cli_json_text(d->material), "other", cli_json_text(d->other), "region",
                            cli_json_text(d->region), "begin", cli_json_number(d->begin), "end",
                            cli_json_number(d->end), "every", cli_json_number(d->every), "when",
                            cli_json_text(d->when), "value", cli_json_text(d->value), "release",
                            cli_json_text(d->release), "chance", cli_json_number(d->chance)));
    }
    return list;
}
