/* The cases: what their names mean, and their scenes.
 *
 *   cubeN      solid cube of N x N x N voxels of one material, resting on the floor
 *   robot      sparse four-legged body of 620 voxels, three materials, legs driven with phases
 *   clapper    the demo scene of that name
 *   pileN      small separate blocks in a heap, N voxels in all
 *   batchN     N walking robots of 128 voxels, each a simulation of its own
 *   populationN  N walking robots of 120 voxels of one material, solid, with implicit bond damping: what
 * searches with the default physics run
 *   quadruped  the demo scene of that name
 *   holesP     a block of 16 x 16 x 16 of whose voxels P per cent are missing
 *   groundN    a small robot on a floor that is built of N x 20 fixed voxels
 *   robotsN, controllersN   populations with all defaults: bench_search.c
 *
 * A name may end with variants: -solid and -beam choose the elasticity, -off and -grid the collision
 * detection, -implicit implicit bond damping (it is explicit otherwise, whatever runs of the scene would
 * choose: one sweep over the links is what voxel steps of different bodies and programs can be compared by),
 * -default what runs do without options: the energy account is kept, and damping is as they choose it.
 */
#include "cli/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const bench_listed bench_list[] = {
    {"cube10", "solid cube of 10 x 10 x 10 voxels resting on the floor, beam", true, false},
    {"cube16", "the same of 16 x 16 x 16", true, false},
    {"cube22", "the same of 22 x 22 x 22", true, false},
    {"cube46", "the same of 46 x 46 x 46", true, false},
    {"cube100", "the same of 100 x 100 x 100", true, true},
    {"cube16-implicit", "cube16 with implicit bond damping: fewer, longer steps", true, false},
    {"cube16-solid", "cube16 with solid elasticity and nu 0.3", true, false},
    {"robot", "sparse four-legged body of 620 voxels, three materials, legs driven with phases, beam", true,
     false},
    {"robot-solid", "the same with solid elasticity and nu 0.3", true, false},
    {"clapper", "the demo scene: two arms that clap, actuated, with collisions", true, false},
    {"clapper-off", "the same without collisions", true, false},
    {"pile", "heap of separate blocks, 10000 voxels, beam, with collisions", true, false},
    {"pile-off", "the same without collisions", true, false},
    {"batch", "1000 walking robots of 128 voxels, each a simulation of its own, beam", true, false},
    {"population", "1000 walking robots of 120 voxels, solid, implicit bond damping", false, false},
    {"quadruped", "the demo scene: 243 voxels, four materials, actuated, solid", true, false},
    {"cube16-default", "cube16 as runs do it without options: energy account, damping as they choose", true,
     false},
    {"quadruped-default", "the quadruped likewise", true, false},
    {"holes0", "block of 16 x 16 x 16 voxels in the air, solid, none of them missing", true, false},
    {"holes30", "the same with 30 % of them missing", true, false},
    {"holes50", "the same with 50 %", true, false},
    {"ground0-default", "small robot on the floor, as runs do it", false, false},
    {"ground60-default", "the same on 60 x 20 voxels that are fixed", false, false},
    {"robots", "20 of 2000 random robots in 6 x 6 x 4, solid, as runs do it, 5 s each", true, false},
    {"controllers", "256 quadrupeds with other phases, as runs do it, as one batch", true, false},
    {"collisions", "collision detection: the schemes on the clapper, and cost against size on piles", false,
     false},
    {"terrain",
     "what ground costs: bodies that walk and that lie, on the floor and on grids of up to 1000 x 1000 cells",
     false, false},
};
const size_t bench_list_count = sizeof bench_list / sizeof bench_list[0];

enum {
    BATCH_ROBOTS = 1000,
    BATCH_ROBOTS_MAX = 100000,
    PILE_VOXELS = 10000,
    CUBE_SIDE_MAX = 500,
    PILE_VOXELS_MAX = 50000000,
    SEARCH_ROBOTS = 20,
    SEARCH_CONTROLLERS = 256
};

/* --- names --- */

static vxe_result fail_unknown(const char *name, vxe_error *error)
{
    const char *names[sizeof bench_list / sizeof bench_list[0]];
    for (size_t i = 0; i < bench_list_count; i++) names[i] = bench_list[i].name;
    const char *nearest = vxe_nearest_name(name, names, bench_list_count);
    if (nearest != NULL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "bench: there is no case \"%s\"; did you mean \"%s\"?", name,
                        nearest);
    }
    return vxe_fail(error, VXE_ERROR_INPUT, "bench: there is no case \"%s\"; --list lists them", name);
}

/* Takes one variant, such as "-solid"; gives what follows it, or NULL if there is no such variant. */
static const char *take_variant(const char *text, bench_case *c)
{
    static const char *const names[] = {"-solid",    "-beam",    "-off",     "-grid",
                                        "-implicit", "-default", "-explicit"};
    for (int i = 0; i < 7; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(text, names[i], length) != 0 || (text[length] != '\0' && text[length] != '-')) continue;
        if (i < 2) {
            c->solid = i == 0;
            c->beam = i == 1;
        } else if (i == 4) {
            c->implicit = true;
        } else if (i == 5) {
            c->defaults = true;
        } else if (i == 6) {
            c->implicit = false;
            c->explicit_damping = true;
        } else {
            c->has_collisions = true;
            c->collisions = i == 2 ? VXE_COLLISIONS_OFF : VXE_COLLISIONS_GRID;
        }
        return text + length;
    }
    return NULL;
}

vxe_result bench_find_case(const char *name, bench_case *found, vxe_error *error)
{
    static const struct {
        const char *name;
        bench_kind kind;
        int64_t size;  /* without a number; 0 or -1: there must be one */
        int64_t least; /* of the number */
        int64_t most;  /* 0: there may be none */
    } kinds[] = {
        {"cube", BENCH_CUBE, 0, 1, CUBE_SIDE_MAX},
        {"robot", BENCH_ROBOT, 1, 0, 0},
        {"clapper", BENCH_CLAPPER, 1, 0, 0},
        {"pile", BENCH_PILE, PILE_VOXELS, 30, PILE_VOXELS_MAX},
        {"batch", BENCH_BATCH, BATCH_ROBOTS, 1, BATCH_ROBOTS_MAX},
        {"population", BENCH_POPULATION, BATCH_ROBOTS, 1, BATCH_ROBOTS_MAX},
        {"quadruped", BENCH_QUADRUPED, 1, 0, 0},
        {"holes", BENCH_HOLES, -1, 0, 90},
        {"ground", BENCH_GROUND, -1, 0, 1000},
        {"robots", BENCH_ROBOTS, SEARCH_ROBOTS, 1, BENCH_ROBOTS_MOST},
        {"controllers", BENCH_CONTROLLERS, SEARCH_CONTROLLERS, 1, BATCH_ROBOTS_MAX},
        {"collisions", BENCH_COLLISIONS, 1, 0, 0},
        {"terrain", BENCH_TERRAIN, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const size_t length = strlen(kinds[i].name);
        if (strncmp(name, kinds[i].name, length) != 0 || strlen(name) >= VXE_NAME_SIZE) continue;
        bench_case c = {.kind = kinds[i].kind, .size = kinds[i].size};
        (void)snprintf(c.name, sizeof c.name, "%s", name);
        const char *rest = name + length;
        const size_t digits = strspn(rest, "0123456789");
        if (digits > 0 && kinds[i].most > 0) {
            c.size = digits < 12 ? strtoll(rest, NULL, 10) : INT64_MAX;
            if (c.size < kinds[i].least || c.size > kinds[i].most) {
                return vxe_fail(error, VXE_ERROR_INPUT, "bench: %s: the size is not within %lld to %lld",
                                name, (long long)kinds[i].least, (long long)kinds[i].most);
            }
            rest += digits;
        }
        while (rest != NULL && *rest != '\0' && c.kind != BENCH_COLLISIONS && c.kind != BENCH_TERRAIN) {
            rest = take_variant(rest, &c);
        }
        c.defaults = c.defaults || c.kind == BENCH_ROBOTS || c.kind == BENCH_CONTROLLERS;
        if (c.kind == BENCH_POPULATION) c.implicit = !c.explicit_damping;
        if (c.size >= kinds[i].least && c.size >= 0 && rest != NULL && *rest == '\0') {
            *found = c;
            return VXE_OK;
        }
    }
    return fail_unknown(name, error);
}

/* --- scenes --- */

#define PITCH 0.01      /* m */
#define PILE_PITCH 0.03 /* m; large and soft, so that the blocks land within few steps */

static vxe_material_def material(const char *name, double youngs, double poisson)
{
    vxe_material_def def = vxe_default_material_def();
    (void)vxe_copy_name(def.name, name);
    def.youngs_modulus = youngs;
    def.poissons_ratio = poisson;
    return def;
}

/* Fills the box from (i,j,k) of nx x ny x nz voxels. */
static vxe_result fill_box(vxe_scene *scene, const int32_t corner[3], const int32_t size[3],
                           int32_t material_number, vxe_error *error)
{
    vxe_shape box = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS};
    for (int a = 0; a < 3; a++) {
        box.corner[a] = corner[a];
        box.sides[a] = size[a];
    }
    return vxe_scene_fill(scene, &box, material_number, error);
}

/* Gravity and a floor. */
static vxe_result put_on_floor(vxe_scene *scene, vxe_elasticity elasticity, vxe_collisions collisions,
                               vxe_error *error)
{
    vxe_environment e = vxe_scene_environment(scene);
    e.gravity[2] = -9.81;
    e.floor = true;
    e.elasticity = elasticity;
    e.collisions = collisions;
    return vxe_scene_set_environment(scene, &e, error);
}

static vxe_result make_cube(const bench_case *which, vxe_scene **scene, bench_preparation *preparation,
                            vxe_error *error)
{
    const int32_t n = (int32_t)which->size;
    const vxe_material_def def = material("rubber", 1e6, 0.3);
    int32_t number = 0;
    if (vxe_scene_create(PITCH, n, n, n, scene, error) != VXE_OK) return error->code;
    if (vxe_scene_add_material(*scene, &def, &number, error) != VXE_OK) return error->code;
    const vxe_result filled =
        fill_box(*scene, (const int32_t[3]){0, 0, 0}, (const int32_t[3]){n, n, n}, number, error);
    if (filled != VXE_OK) return filled;
    /* The slowest motion, a column that springs up and down, has the frequency w = (pi/2) w0/n; ground
     * damping of that much stops it without a bounce, within a few times 1/w. */
    const double w0 = sqrt(def.youngs_modulus / def.density) / PITCH;
    const double w = 1.5707963267948966 * w0 / n;
    preparation->ground = w / w0;
    preparation->settle = 8.0 / w;
    return put_on_floor(*scene, VXE_ELASTICITY_BEAM, VXE_COLLISIONS_OFF, error);
}

/* A trunk with two soft layers below, on four legs of 3 x 2 voxels at its corners. */
typedef struct robot_shape {
    int32_t length, width; /* voxels */
    int32_t core;          /* layers of the trunk that are not soft */
    int32_t leg;           /* height */
    int32_t foot;          /* lowest layer */
} robot_shape;
static const robot_shape large_robot = {10, 10, 3, 5, 0}; /* 620 voxels */
static const robot_shape small_robot = {7, 4, 0, 3, 0};   /* 128 voxels */
static const robot_shape lifted_robot = {7, 4, 0, 3, 2};  /* the same, above a layer of other voxels */

/* A quarter of a cycle lies between one leg and the next, and a tenth between the lowest and the highest
 * voxels of a leg. */
static vxe_result make_robot(const int32_t size[3], const robot_shape *shape, vxe_scene **made,
                             bench_preparation *preparation, vxe_error *error)
{
    if (vxe_scene_create(PITCH, size[0], size[1], size[2], made, error) != VXE_OK) return error->code;
    vxe_scene *scene = *made;
    vxe_material_def defs[3] = {material("core", 2e6, 0.3), material("tissue", 5e5, 0.3),
                                material("muscle", 1e6, 0.3)};
    int32_t numbers[3] = {0, 0, 0};
    vxe_signal_def signal = vxe_default_signal_def();
    defs[2].expansion = 0.01;
    signal.amplitude = 10.0; /* legs 10 % longer and shorter */
    signal.period = 0.25;
    signal.start = 0.25;
    for (int i = 0; i < 3; i++) {
        if (vxe_scene_add_material(scene, &defs[i], &numbers[i], error) != VXE_OK) return error->code;
    }
    vxe_result result = fill_box(scene, (const int32_t[3]){0, 0, shape->foot + shape->leg},
                                 (const int32_t[3]){shape->length, shape->width, 2}, numbers[1], error);
    if (result == VXE_OK && shape->core > 0) {
        result = fill_box(scene, (const int32_t[3]){0, 0, shape->foot + shape->leg + 2},
                          (const int32_t[3]){shape->length, shape->width, shape->core}, numbers[0], error);
    }
    for (int leg = 0; leg < 4 && result == VXE_OK; leg++) {
        const int32_t corner[3] = {leg % 2 == 0 ? 0 : shape->length - 3, leg / 2 == 0 ? 0 : shape->width - 2,
                                   shape->foot};
        result = fill_box(scene, corner, (const int32_t[3]){3, 2, shape->leg}, numbers[2], error);
        for (int32_t i = 0; i < 3 * 2 * shape->leg && result == VXE_OK; i++) {
            const int32_t k = i / 6;
            const vxe_actuation actuation = {
                .phase = 0.25 * leg + 0.1 * k / (shape->leg - 1), .amplitude = 1.0, .period = 1.0};
            result = vxe_scene_set_actuation(scene, corner[0] + i % 3, corner[1] + i / 3 % 2, corner[2] + k,
                                             &actuation, error);
        }
    }
    preparation->period = signal.period;
    if (result != VXE_OK || vxe_scene_add_signal(scene, &signal, NULL, error) != VXE_OK) return error->code;
    return put_on_floor(scene, VXE_ELASTICITY_BEAM, VXE_COLLISIONS_OFF, error);
}

vxe_result bench_load_demo(const char *name, vxe_scene **scene, bench_preparation *preparation,
                           vxe_error *error)
{
    for (size_t i = 0; i < cli_demo_count; i++) {
        if (strcmp(cli_demos[i].name, name) == 0) {
            const vxe_result result = cli_load_demo(&cli_demos[i], scene, error);
            const vxe_signal_def *signal = result == VXE_OK ? vxe_scene_signal(*scene, 0) : NULL;
            preparation->period = signal != NULL ? signal->period : 0.0;
            return result;
        }
    }
    return vxe_fail(error, VXE_ERROR_INPUT, "bench: this program was built without the demo scene \"%s\"",
                    name);
}

/* The heap: layers of blocks three voxels high and three or four wide, one voxel of air between layers. Each
 * layer has one place less along both sides than the one below and lies across its gaps. It is PILE_LAYERS
 * high whatever its size, so that what a voxel sees around it does not depend on the size. */
enum { PILE_LAYERS = 5, PILE_PLACE = 5, PILE_HEIGHT = 3, PILE_SHAPES = 4 };
static const int32_t pile_shapes[PILE_SHAPES][2] = {{4, 4}, {3, 4}, {4, 3}, {3, 3}};

/* Places along a side of the lowest layer: the fewest that hold so many voxels. */
static int32_t pile_side(int64_t voxels)
{
    for (int32_t side = 1;; side++) {
        double places = 0.0;
        for (int32_t layer = 0; layer < PILE_LAYERS && layer < side; layer++) {
            places += (double)(side - layer) * (side - layer);
        }
        /* a block has 36.75 voxels on average */
        if (36.75 * places >= (double)voxels) return side;
    }
}

static vxe_result make_pile(const bench_case *which, vxe_scene **scene, bench_preparation *preparation,
                            vxe_error *error)
{
    const int32_t side = pile_side(which->size);
    const int32_t width = PILE_PLACE * side;
    const vxe_material_def def = material("gel", 1e5, 0.3);
    int32_t number = 0;
    uint32_t random = 1; /* which block lies where, the same every time */
    vxe_result result =
        vxe_scene_create(PILE_PITCH, width, width, PILE_LAYERS * (PILE_HEIGHT + 1), scene, error);
    if (result == VXE_OK) result = vxe_scene_add_material(*scene, &def, &number, error);
    for (int32_t layer = 0; layer < PILE_LAYERS && layer < side && result == VXE_OK; layer++) {
        const int32_t row = side - layer;
        for (int32_t place = 0; place < row * row && result == VXE_OK; place++) {
            const int32_t corner[3] = {place % row * PILE_PLACE + layer * PILE_PLACE / 2,
                                       place / row * PILE_PLACE + layer * PILE_PLACE / 2,
                                       layer * (PILE_HEIGHT + 1)};
            random = random * 1664525U + 1013904223U;
            const int32_t *shape = pile_shapes[(random >> 16) % PILE_SHAPES];
            if (vxe_scene_voxel_count(*scene) < which->size)
                result = fill_box(*scene, corner, (const int32_t[3]){shape[0], shape[1], PILE_HEIGHT}, number,
                                  error);
        }
    }
    if (result != VXE_OK) return result;
    /* The highest layer falls for 0.6 of this; then most have landed. */
    preparation->settle = 1.7 * sqrt(2.0 * (PILE_LAYERS - 1) * PILE_PITCH / 9.81);
    preparation->must_settle = true;
    preparation->least_steps = 100;
    return put_on_floor(*scene, VXE_ELASTICITY_BEAM, VXE_COLLISIONS_GRID, error);
}

/* A walker of 120 voxels: a plate on four legs, all of one material, each voxel with a phase of its own. */
static vxe_result make_walker(vxe_scene **scene, vxe_error *error)
{
    vxe_material_def def = material("muscle", 1e6, 0.3);
    vxe_signal_def signal = vxe_default_signal_def();
    int32_t number = 0;
    uint16_t cells[6 * 6 * 5] = {0};
    double phases[6 * 6 * 5];
    def.expansion = 0.01;
    signal.amplitude = 10.0; /* 10 % longer and shorter */
    signal.period = 0.25;
    signal.start = 0.25;
    if (vxe_scene_create(PITCH, 6, 6, 5, scene, error) != VXE_OK) return error->code;
    if (vxe_scene_add_material(*scene, &def, &number, error) != VXE_OK) return error->code;
    for (int i = 0; i < 6 * 6 * 5; i++) {
        const int x = i % 6;
        const int y = i / 6 % 6;
        const int z = i / 36;
        const bool leg = (x < 2 || x > 3) && (y < 2 || y > 3);
        cells[i] = (uint16_t)(z > 2 || leg ? number : 0);
        const int quarter = x / 3 + 2 * (y / 3);
        phases[i] = 0.25 * quarter + 0.02 * z;
    }
    const int32_t corner[3] = {0, 0, 0};
    const int32_t size[3] = {6, 6, 5};
    if (vxe_scene_set_voxels(*scene, corner, size, cells, error) != VXE_OK ||
        vxe_scene_add_signal(*scene, &signal, NULL, error) != VXE_OK ||
        vxe_scene_set_actuations(*scene, corner, size, phases, NULL, NULL, error) != VXE_OK)
        return error->code;
    return put_on_floor(*scene, VXE_ELASTICITY_SOLID, VXE_COLLISIONS_OFF, error);
}

/* A block with holes, in the air: separate pieces stay where they are. */
enum { HOLES_SIDE = 16 };

static vxe_result make_holes(const bench_case *which, vxe_scene **scene, vxe_error *error)
{
    const vxe_material_def def = material("rubber", 1e6, 0.3);
    int32_t number = 0;
    uint32_t random = 1;
    vxe_result result = vxe_scene_create(PITCH, HOLES_SIDE, HOLES_SIDE, HOLES_SIDE, scene, error);
    if (result == VXE_OK) result = vxe_scene_add_material(*scene, &def, &number, error);
    for (int32_t i = 0; i < HOLES_SIDE * HOLES_SIDE * HOLES_SIDE && result == VXE_OK; i++) {
        random = random * 1664525U + 1013904223U;
        if ((int64_t)(random >> 8) % 100 >= which->size) {
            result = vxe_scene_set_voxel(*scene, i % HOLES_SIDE, i / HOLES_SIDE % HOLES_SIDE,
                                         i / (HOLES_SIDE * HOLES_SIDE), number, error);
        }
    }
    if (result != VXE_OK) return result;
    vxe_environment e = vxe_scene_environment(*scene);
    e.elasticity = VXE_ELASTICITY_SOLID;
    e.gravity[2] = 0.0;
    e.floor = false;
    return vxe_scene_set_environment(*scene, &e, error);
}

/* A small robot on the floor, or, if there is a size, on a floor of fixed voxels, with collisions. */
enum { GROUND_WIDTH = 20 };

static vxe_result make_ground(const bench_case *which, vxe_scene **scene, bench_preparation *preparation,
                              vxe_error *error)
{
    const int32_t length = (int32_t)which->size;
    const int32_t side[3] = {length > 10 ? length : 10, GROUND_WIDTH, 12};
    vxe_result result =
        make_robot(side, length > 0 ? &lifted_robot : &small_robot, scene, preparation, error);
    if (result == VXE_OK && length > 0) {
        const int32_t corner[3] = {0, 0, 0};
        const int32_t size[3] = {length, GROUND_WIDTH, 1};
        vxe_region_def held = vxe_default_region_def();
        (void)vxe_copy_name(held.name, "ground");
        held.shape = (vxe_shape){.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS};
        for (int a = 0; a < 3; a++) held.shape.sides[a] = size[a];
        held.fixed = VXE_DOF_ALL;
        result = fill_box(*scene, corner, size, 1, error);
        if (result == VXE_OK) result = vxe_scene_add_region(*scene, &held, NULL, error);
    }
    return result == VXE_OK ? put_on_floor(*scene, VXE_ELASTICITY_BEAM, VXE_COLLISIONS_GRID, error) : result;
}

/* Applies the variants of a name. */
static vxe_result apply_variants(const bench_case *which, vxe_scene *scene, vxe_error *error)
{
    vxe_environment e = vxe_scene_environment(scene);
    if (which->solid || which->beam) e.elasticity = which->solid ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM;
    if (which->has_collisions) e.collisions = which->collisions;
    return vxe_scene_set_environment(scene, &e, error);
}

vxe_result bench_make_scene(const bench_case *which, vxe_scene **scene, bench_preparation *preparation,
                            vxe_error *error)
{
    static const int32_t yard[3] = {10, 10, 10};
    vxe_scene *made = NULL;
    vxe_result result = VXE_OK;
    *preparation = (bench_preparation){0};
    switch (which->kind) {
    case BENCH_CUBE: result = make_cube(which, &made, preparation, error); break;
    case BENCH_ROBOT: result = make_robot(yard, &large_robot, &made, preparation, error); break;
    case BENCH_BATCH: result = make_robot(yard, &small_robot, &made, preparation, error); break;
    case BENCH_POPULATION: result = make_walker(&made, error); break;
    case BENCH_CLAPPER: result = bench_load_demo("clapper", &made, preparation, error); break;
    case BENCH_QUADRUPED: result = bench_load_demo("quadruped", &made, preparation, error); break;
    case BENCH_HOLES: result = make_holes(which, &made, error); break;
    case BENCH_GROUND: result = make_ground(which, &made, preparation, error); break;
    case BENCH_ROBOTS:
    case BENCH_CONTROLLERS: result = bench_make_searched(which, 0, &made, error); break;
    case BENCH_PILE: result = make_pile(which, &made, preparation, error); break;
    case BENCH_COLLISIONS:
    case BENCH_TERRAIN:
        result = vxe_fail(error, VXE_ERROR_ARGUMENT, "bench: %s is not one scene", which->name);
        break;
    }
    if (result == VXE_OK) result = apply_variants(which, made, error);
    if (result != VXE_OK) {
        vxe_scene_destroy(made);
        return result;
    }
    *scene = made;
    return VXE_OK;
}
