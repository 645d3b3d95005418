/* What rules of a scene are about, for `voxelastic info`. */
#include "cli/info_rules.h"

#include "cli/report.h"

#include <stdio.h>

/* Which voxels it is about; sources are about all. */
static void print_names(const vxe_rule_def *def)
{
    if (def->kind == VXE_RULE_SUPPLY) {
        printf("%lld places, new \"%s\"", (long long)def->places[0] * def->places[1] * def->places[2],
               def->other);
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
            list, json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name", cli_json_text(d->name),
                            "kind", vxe_rule_kind_name(d->kind), "material", cli_json_text(d->material),
                            "other", cli_json_text(d->other), "region", cli_json_text(d->region), "begin",
                            cli_json_number(d->begin), "end", cli_json_number(d->end), "every",
                            cli_json_number(d->every)));
    }
    return list;
}
