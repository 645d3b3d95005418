/* What branch KRO of voxcraft asks for: robots that push debris together until it moves by itself, generation
 * after generation; walls, water and weight of materials; bodies that lose their ends. docs/formats.md says
 * how each tag is understood. */
#include "io/vxa.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TIME_MOST 1e9
#define WORLD_MOST 10000.0

static double number(const vxa_reader *r, const char *name, double standard, double low, double high)
{
    return vxe_vxa_peek_within(r, r->simulator, name, standard, low, high);
}

vxa_cycle vxe_vxa_cycle(const vxa_reader *r)
{
    vxa_cycle cycle = {0.0, 0.0};
    if (vxe_vxa_peek_number(r->simulator, "SelfReplication", 0.0) == 0.0 ||
        vxe_vxa_peek_number(r->simulator, "SecondaryExperiment", 0.0) == 0.0)
        return cycle;
    cycle.generation =
        number(r, "ReinitializeInitialPositionAfterThisManySeconds", 0.0, 0.0, 0.5 * TIME_MOST);
    cycle.settle = number(r, "SettleTimeBeforeNextRoundOfReplication", 0.0, 0.0, 0.5 * TIME_MOST);
    return cycle;
}

/* A material of the palette by its number from 1; NULL: there is none, or it stands for others. */
static const vxe_material_def *material_of(const vxa_reader *r, const char *name, double standard)
{
    const int32_t index = (int32_t)number(r, name, standard, 0.0, 1e6);
    if (index < 1 || index > r->palette_count || r->composites[index].kind != 0) return NULL;
    return vxe_scene_material(r->scene, index);
}

static void name_material(char to[VXE_NAME_SIZE], const vxe_material_def *def)
{
    memcpy(to, def->name, VXE_NAME_SIZE);
}

/* ---- debris --------------------------------------------------------------------------------------------------------- */

/* Where debris lies: a square grid of places; i of up to 4, one more with each step of concentration. */
typedef struct debris_grid {
    int32_t pitch;  /* cells */
    int32_t height; /* of the first grid, cells */
    int32_t world;  /* cells along a side */
} debris_grid;

static void place_grid(const vxa_reader *r, const debris_grid *grid, int i, vxe_rule_def *rule)
{
    const double l = vxe_scene_pitch(r->scene);
    const int32_t aside = i == 0 ? 0 : grid->pitch / 2 + (i > 1 ? 1 : 0);
    const int32_t heights[4] = {grid->height, grid->height / 2, 0, grid->height + 1};
    const int32_t along = (grid->world - 4 + grid->pitch) / grid->pitch; /* 2, 2 + pitch, ... < world - 1 */
    for (int a = 0; a < 2; a++) {
        rule->position[a] = (2.5 + aside) * l;
        rule->spacing[a] = grid->pitch * l;
        rule->places[a] = along > 1 ? along : 1;
    }
    rule->position[2] = (0.5 + heights[i]) * l;
}

/* Cells of the workspace whose voxels wait: the highest layers, as many as hold `limit` of them, shared out
 * along y by the `count` grids. */
static bool reserve(const vxa_reader *r, int i, int count, int64_t limit, vxe_rule_def *rule)
{
    int32_t size[3];
    vxe_scene_size(r->scene, size);
    const int32_t from = (int32_t)((int64_t)size[1] * i / count);
    const int32_t to = (int32_t)((int64_t)size[1] * (i + 1) / count);
    int64_t free = 0;
    int32_t bottom = size[2];
    while (bottom > 0 && free < limit) {
        bottom--;
        for (int32_t y = from; y < to; y++) {
            for (int32_t x = 0; x < size[0]; x++) free += vxe_scene_voxel(r->scene, x, y, bottom) == 0;
        }
    }
    if (free == 0 || to <= from || (int64_t)size[0] * (to - from) * (size[2] - bottom) > VXE_RULE_RESERVE_MAX)
        return false;
    rule->corner[1] = from;
    rule->corner[2] = bottom;
    rule->cells[0] = size[0];
    rule->cells[1] = to - from;
    rule->cells[2] = size[2] - bottom;
    return true;
}

static void read_supply(vxa_reader *r, const xmlNode *node, vxa_cycle cycle, const vxe_material_def *debris)
{
    const double round = cycle.generation + cycle.settle;
    const double every = number(r, "ReplenishDebrisEvery", 0.0, 0.0, TIME_MOST);
    const int64_t most = (int64_t)number(r, "MaxNewVoxelsAddedMidSim", 0.0, 0.0, VXE_RULE_RESERVE_MAX);
    const int count = (int)number(r, "DebrisConcentration", 1.0, 1.0, 4.0);
    const debris_grid grid = {(int32_t)number(r, "SpaceBetweenDebris", 2.0, 0.0, WORLD_MOST) + 1,
                              (int32_t)number(r, "DebrisHeight", 1.0, 1.0, WORLD_MOST) - 1,
                              (int32_t)number(r, "WorldSize", 1.0, 1.0, WORLD_MOST)};
    if (most < count || grid.world < 4) return;
    for (int i = 0; i < count; i++) {
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_SUPPLY);
        name_material(rule.other, debris);
        rule.begin = every > 0.0 ? 0.0 : round;
        rule.every = every > 0.0 ? every : round;
        rule.limit = (int32_t)(most / count);
        place_grid(r, &grid, i, &rule);
        if (!reserve(r, i, count, rule.limit, &rule)) {
            vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(node), "MaxNewVoxelsAddedMidSim",
                          "no new voxels: they wait in empty cells of the lattice, and it has none; give it "
                          "empty layers at the top");
            return;
        }
        vxe_vxa_add_rule(r, node, &rule);
    }
}

/* The change of a generation: small piles go, debris is replenished, large piles are robots from now on. */
static void read_generations(vxa_reader *r, vxa_cycle cycle)
{
    const xmlNode *node = vxe_xml_peek(r->simulator, "SelfReplication");
    const vxe_material_def *debris = material_of(r, "DebrisMat", 2.0);
    const vxe_material_def *robot = material_of(r, "BotMat", 1.0);
    const double least = number(r, "MinimumBotSize", 0.0, 0.0, 1e9);
    if (debris == NULL || robot == NULL || debris->fixed || robot->fixed ||
        debris->density != robot->density || debris->youngs_modulus != robot->youngs_modulus) {
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, node,
                       "SelfReplication: debris becomes a robot, so DebrisMat and BotMat must be there, as "
                       "dense and as stiff as each other, and not fixed: a voxel cannot change its mass");
        return;
    }
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_REMOVE);
    name_material(rule.material, debris);
    rule.begin = rule.every = cycle.generation + cycle.settle;
    (void)snprintf(rule.when, sizeof rule.when, "body > 1 && body < %.17g", least);
    vxe_vxa_add_rule(r, node, &rule);
    rule = vxe_default_rule_def(VXE_RULE_BECOME);
    name_material(rule.material, debris);
    name_material(rule.other, robot);
    rule.begin = rule.every = cycle.generation + cycle.settle;
    (void)snprintf(rule.when, sizeof rule.when, "body > %.17g", least - 0.5);
    vxe_vxa_add_rule(r, node, &rule);
    read_supply(r, node, cycle, debris);
}

/* ---- weak voxels ---------------------------------------------------------------------------------------------------- */

static void read_weakness(vxa_reader *r)
{
    const double every = number(r, "DetachStringyBodiesEvery", 0.0, 0.0, TIME_MOST);
    const double chance = number(r, "DetachProbability", 0.0, 0.0, 1.0);
    int32_t index = 0;
    xmlNode *material = NULL;
    while (every > 0.0 && chance > 0.0 && vxe_vxa_next_material(r, &index, &material)) {
        const xmlNode *mechanical = vxe_xml_peek(material, "Mechanical");
        const vxe_material_def *def = vxe_scene_material(r->scene, index);
        if (def->fixed || vxe_vxa_peek_number(mechanical, "Sticky", 0.0) == 0.0 ||
            vxe_vxa_peek_number(mechanical, "Cilia", 0.0) != 0.0)
            continue;
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CUT);
        name_material(rule.material, def);
        rule.every = every;
        rule.seed = (int64_t)number(r, "RandomSeed", 0.0, -9e15, 9e15);
        (void)snprintf(
            rule.when, sizeof rule.when,
            "body > 3.5 && ((links > 1.5 && links < 2.5) || (body > 20.5 && links > 0.5 && links < "
            "1.5)) && random < %.17g * body",
            chance);
        vxe_vxa_add_rule(r, mechanical, &rule);
    }
}

/* ---- forces --------------------------------------------------------------------------------------------------------- */

/* Beyond the arena, along x and y. */
static void read_walls(vxa_reader *r)
{
    const double force = number(r, "WallForce", 0.0, 0.0, 1e12);
    const double world = number(r, "WorldSize", 1.0, 1.0, WORLD_MOST);
    const double l = vxe_scene_pitch(r->scene);
    for (int a = 0; a < 2 && force > 0.0 && world > 1.0; a++) {
        const char axis = a == 0 ? 'x' : 'y';
        const double low = 0.5 * l;
        const double high = (world - 0.5) * l;
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_PUSH);
        rule.direction[a] = force;
        (void)snprintf(rule.value, sizeof rule.value,
                       "(%c < %.17g) * (%c - %.17g)^2 - (%c > %.17g) * (%c - %.17g)^2", axis, low, axis, low,
                       axis, high, axis, high);
        vxe_vxa_add_rule(r, vxe_xml_peek(r->simulator, "WallForce"), &rule);
    }
}

/* Materials without weight, and that are pressed down where they are too high. */
static void read_weights(vxa_reader *r)
{
    const double l = vxe_scene_pitch(r->scene);
    const double weight = -vxe_scene_environment(r->scene).gravity[2];
    int32_t index = 0;
    xmlNode *material = NULL;
    while (weight != 0.0 && vxe_vxa_next_material(r, &index, &material)) {
        const xmlNode *mechanical = vxe_xml_peek(material, "Mechanical");
        const double level = vxe_vxa_peek_within(r, mechanical, "WaterLevel", 0.0, 0.0, 1e6);
        vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_PUSH);
        name_material(rule.material, vxe_scene_material(r->scene, index));
        rule.direction[2] = weight;
        (void)snprintf(rule.value, sizeof rule.value, "mass");
        if (vxe_vxa_peek_number(mechanical, "Buoyancy", 0.0) > 0.0) vxe_vxa_add_rule(r, mechanical, &rule);
        if (!(level > 0.0)) continue;
        rule.direction[2] = -weight;
        (void)snprintf(rule.value, sizeof rule.value, "(z > %.17g) * mass * (z / %.17g - %.17g)^2",
                       (level + 0.5) * l, l, level + 0.5);
        vxe_vxa_add_rule(r, mechanical, &rule);
    }
}

void vxe_vxa_read_replication(vxa_reader *r, vxa_cycle cycle)
{
    read_walls(r);
    read_weights(r);
    read_weakness(r);
    if (cycle.generation > 0.0) read_generations(r, cycle);
}
