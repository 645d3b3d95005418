/* Scenes with rules, for tests: bodies that stick and let go, lose voxels, grow, conduct. */
#ifndef TESTS_LIVING_H
#define TESTS_LIVING_H

#include "sim/collide.h"
#include "sim/life.h"
#include "support.h"
#include "voxelastic/rules.h"

#include <stdio.h>

static inline void put_rule(vxe_scene *scene, const vxe_rule_def *def)
{
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_add_rule(scene, def, NULL, &error), &error);
}

static inline void copy_name(char *to, const char *from) { (void)snprintf(to, VXE_NAME_SIZE, "%s", from); }

/* Two blocks of 3x3x3 that fly at each other, along x, a little beside each other. */
static inline vxe_scene *two_blocks(vxe_elasticity elasticity, double bond_damping)
{
    vxe_scene *scene = new_scene(0.01, 8, 4, 4);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    copy_name(def.name, "glue");
    const int32_t glue = put_material(scene, &def);
    fill(scene, box_of(0, 0, 0, 3, 3, 3), glue);
    fill(scene, box_of(5, 1, 1, 3, 3, 3), glue);
    vxe_environment e = environment_of(elasticity, bond_damping, 0.0);
    e.collisions = VXE_COLLISIONS_GRID;
    e.damping_contact = 0.5;
    set_environment(scene, &e);
    return scene;
}

static inline void fly_together(vxe_sim *sim, double speed)
{
    const vxe_model_view *view = vxe_model_get(vxe_sim_model(sim));
    vxe_error error = {VXE_OK, ""};
    const double spin[3] = {0.0, 0.0, 0.0};
    for (int32_t v = 0; v < view->voxel_count; v++) {
        const double velocity[3] = {view->cell[0][v] < 4 ? speed : -speed, 0.0,
                                    view->cell[0][v] < 4 ? 0.1 * speed : 0.0};
        require(vxe_sim_set_velocity(sim, v, velocity, spin, &error), &error);
    }
}

static inline vxe_rule_def bond_rule(void) { return vxe_default_rule_def(VXE_RULE_BOND); }

static inline void make_rigid(vxe_scene *scene, vxe_shape where)
{
    vxe_material_def def = vxe_default_material_def();
    def.rigid = true;
    def.youngs_modulus = 1e5;
    copy_name(def.name, "bone");
    const int32_t found = vxe_scene_find_material(scene, "bone");
    fill(scene, where, found > 0 ? found : put_material(scene, &def));
}

/* A rod that is held at one end and pulled at the other, whose second half is rigid or not, is as stiff with
 * a bond in its middle as in one piece. */
static inline void check_bonded_rod(bool rigid)
{
    double stretch[2];
    for (int whole = 0; whole < 2; whole++) {
        vxe_scene *scene = new_scene(0.01, 8, 1, 1);
        (void)add_material(scene, 1e5, 0.0, 1000.0);
        fill_all(scene, 1);
        if (rigid) make_rigid(scene, box_of(4, 0, 0, 4, 1, 1));
        (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 1, 1), VXE_DOF_ALL);
        vxe_region_def pull = region_of("pull", box_of(7, 0, 0, 1, 1, 1));
        pull.force[0] = 0.2;
        pull.ramp = 0.05; /* it sticks before it is pulled */
        put_region(scene, &pull);
        vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 1.0, 0.05);
        e.collisions = VXE_COLLISIONS_GRID;
        set_environment(scene, &e);
        if (whole == 0) { /* parted where they touch */
            vxe_error error = {VXE_OK, ""};
            vxe_part_def part = {.separate = true};
            copy_name(part.name, "end");
            int32_t number = 0;
            require(vxe_scene_add_part(scene, &part, &number, &error), &error);
            for (int32_t i = 4; i < 8; i++)
                require(vxe_scene_set_field(scene, VXE_FIELD_PART, i, 0, 0, number, &error), &error);
            vxe_rule_def rule = bond_rule();
            put_rule(scene, &rule);
        }
        const bench b = start(scene);
        step(b.sim, 30000);
        check_well(b.sim);
        if (whole == 0) assert_int_equal(vxe_sim_life(b.sim).bonds, 1);
        stretch[whole] = moved(b.sim, 7, 0);
        finish(b);
    }
    check_near("stretch of the bonded rod", stretch[0] / stretch[1], 1.0, 2e-3);
}

/* Everything at once: a block that conducts, beats, grows, loses voxels, and sticks to another that it falls
 * on. So many of them, along x and y. */
static inline vxe_scene *menageries(vxe_elasticity elasticity, double bond_damping, int32_t columns,
                                    int32_t rows)
{
    vxe_scene *scene = new_scene(0.01, 10 * columns, 5 * rows, 9);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 2e5;
    def.expansion = 0.01;
    copy_name(def.name, "muscle");
    const int32_t muscle = put_material(scene, &def);
    def.expansion = 0.0;
    def.youngs_modulus = 4e5;
    copy_name(def.name, "bud");
    const int32_t bud = put_material(scene, &def);
    def.failure_stress = 2e4;
    copy_name(def.name, "weak");
    const int32_t weak = put_material(scene, &def);
    for (int32_t i = 0; i < columns * rows; i++) {
        const int32_t x = i % columns * 10;
        const int32_t y = i / columns * 5;
        fill(scene, box_of(x, y, 0, 6, 3, 2), muscle);
        fill(scene, box_of(x + 5, y + 1, 0, 3, 1, 1), weak);
        fill(scene, box_of(x + 1, y, 4, 4, 3, 2), bud);
    }
    vxe_environment e = environment_of(elasticity, bond_damping, 0.0);
    e.collisions = VXE_COLLISIONS_GRID;
    e.damping_contact = 0.3;
    e.floor = true;
    e.gravity[2] = -9.81;
    set_environment(scene, &e);
    vxe_signal_def beat = vxe_default_signal_def();
    beat.amplitude = 5.0;
    beat.period = 0.05;
    put_signal(scene, &beat);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONDUCT);
    copy_name(rule.material, "muscle");
    rule.delay = 0.002;
    rule.refractory = 0.004;
    rule.fade_every = 0.001;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_PACE);
    copy_name(rule.material, "muscle");
    rule.period = 0.03;
    (void)snprintf(rule.when, sizeof rule.when, "x < 0.01 && y < 0.01");
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_CONTROL);
    copy_name(rule.material, "muscle");
    (void)snprintf(rule.value, sizeof rule.value, "0.1 * impulse - 0.3 * n_strain");
    rule.every = 0.001;
    rule.rate = 20.0;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_SIZE);
    copy_name(rule.material, "bud");
    (void)snprintf(rule.value, sizeof rule.value, "1 + pressure / 1e3");
    rule.maximum = 0.1;
    put_rule(scene, &rule);
    rule = bond_rule();
    copy_name(rule.material, "muscle");
    copy_name(rule.other, "bud");
    rule.time = 0.001;
    rule.stress = 3e3;
    rule.rest = 0.002;
    (void)snprintf(rule.release, sizeof rule.release, "impulse > 0.95");
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_GROW);
    copy_name(rule.material, "bud");
    copy_name(rule.other, "bud");
    rule.corner[2] = 4;
    rule.cells[0] = 10 * columns;
    rule.cells[1] = 5 * rows;
    rule.cells[2] = 5;
    rule.begin = 0.01;
    rule.every = 0.004;
    rule.chance = 0.2;
    rule.limit = 40 * columns * rows;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_REMOVE);
    copy_name(rule.material, "bud");
    rule.begin = 0.03;
    rule.every = 0.006;
    rule.chance = 0.1;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_LIGHT); /* it flickers at random */
    (void)snprintf(rule.when, sizeof rule.when, "sin(2000 * t)");
    rule.chance = 0.5;
    put_rule(scene, &rule);
    rule = vxe_default_rule_def(VXE_RULE_CONTROL); /* what has been seen of it */
    rule.output = VXE_OUTPUT_MEMORY4;
    (void)snprintf(rule.value, sizeof rule.value, "0.99 * memory4 + light");
    put_rule(scene, &rule);
    return scene;
}

static inline vxe_scene *menagerie(vxe_elasticity elasticity, double bond_damping)
{
    return menageries(elasticity, bond_damping, 1, 1);
}

/* What must not depend on the machine. */
typedef struct outcome {
    uint64_t hash;
    vxe_life life;
    double error, dt;
} outcome;

static inline outcome outcome_of(vxe_sim *sim)
{
    return (outcome){vxe_sim_hash(sim), vxe_sim_life(sim), vxe_sim_energy(sim).error,
                     vxe_sim_time_step(sim).dt};
}

static inline void check_equal(outcome a, outcome b)
{
    assert_true(a.hash == b.hash);
    assert_int_equal(a.life.grown, b.life.grown);
    assert_int_equal(a.life.removed, b.life.removed);
    assert_int_equal(a.life.bonded, b.life.bonded);
    assert_int_equal(a.life.released, b.life.released);
    assert_true(memcmp(&a.error, &b.error, sizeof a.error) == 0);
    assert_true(a.dt == b.dt);
}

/* Flies on for some steps: momentum and angular momentum stay what they are. */
static inline void check_flight(vxe_sim *sim, int64_t steps, double momentum, double turning)
{
    const double scale = 27 * 1e-6 * 1000 * 0.2; /* kg m/s: of one block of two_blocks(), at 0.2 m/s */
    double p0[3];
    double h0[3];
    double p1[3];
    double h1[3];
    vxe_sim_momentum(sim, p0, h0);
    step(sim, steps);
    check_well(sim);
    vxe_sim_momentum(sim, p1, h1);
    for (int a = 0; a < 3; a++) {
        check_near("momentum", p1[a], p0[a], momentum * scale);
        check_near("angular momentum", h1[a], h0[a], turning * scale * 0.05);
    }
}

/* With 1 to 3 threads, in which voxels grow, go and stick. */
static inline void check_threads(const vxe_model *model, bool audit, int64_t steps)
{
    outcome first = {0};
    for (int32_t threads = 1; threads <= 3; threads++) {
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = audit;
        def.threads = threads;
        vxe_sim *sim = new_sim(model, &def);
        assert_int_equal(vxe_sim_threads(sim), threads);
        step(sim, is_quick() ? 300 : steps);
        check_well(sim);
        if (threads == 1) first = outcome_of(sim);
        check_equal(first, outcome_of(sim));
        vxe_sim_destroy(sim);
    }
    print_message("    %d voxels: %lld grown, %lld removed, %lld bonded, %lld released\n",
                  (int)vxe_model_get(model)->voxel_count, (long long)first.life.grown,
                  (long long)first.life.removed, (long long)first.life.bonded,
                  (long long)first.life.released);
    assert_true(is_quick() || (first.life.grown > 0 && first.life.removed > 0 && first.life.bonded > 0));
}

static inline bool is_on_list(const collider *c, int32_t v, int32_t w)
{
    for (int64_t i = 0; i < c->list.count; i++) {
        if (c->list.first[i] == v && c->list.second[i] == w) return true;
    }
    return false;
}

static inline bool is_bonded(const vxe_sim *sim, int32_t v, int32_t w)
{
    vxe_bond bond;
    for (int64_t i = 0; vxe_sim_bond(sim, i, &bond); i++) {
        if (bond.first == v && bond.second == w) return true;
    }
    return false;
}

/* Whoever touches is on the list of pairs, by looking at all pairs after each of so many steps; how many did.
 */
static inline int64_t check_list(vxe_sim *sim, int steps)
{
    const int32_t n = vxe_model_get(vxe_sim_model(sim))->voxel_count;
    double *before = malloc(3 * (size_t)n * sizeof *before);
    uint8_t *there = malloc((size_t)n);
    assert_true(before != NULL && there != NULL);
    int64_t found = 0;
    for (int i = 0; i < steps; i++) {
        for (int32_t v = 0; v < n; v++) {
            for (int a = 0; a < 3; a++) before[3 * v + a] = sim->position[a][v];
            there[v] = sim->alive[0][v];
        }
        step(sim, 1);
        for (int32_t v = 0; v < n; v++) {
            for (int32_t w = v + 1; w < n; w++) {
                double square = 0.0;
                if (there[v] == 0 || there[w] == 0 || sim->alive[0][v] == 0 || sim->alive[0][w] == 0)
                    continue;
                for (int a = 0; a < 3; a++) square += pow(before[3 * w + a] - before[3 * v + a], 2);
                const double reach = vxe_contact_reach(sim, v, w);
                if (!(square < reach * reach) || sim->free_faces[v] == 0 || sim->free_faces[w] == 0) continue;
                if (vxe_collider_excluded(sim, v, w) || is_bonded(sim, v, w)) continue;
                if (!is_on_list(sim->collider, v, w)) {
                    /* a voxel that lost a link in this very step comes to the surface with the next list */
                    assert_int_equal(sim->collider->stale, 1);
                    continue;
                }
                found++;
            }
        }
    }
    free(before);
    free(there);
    return found;
}

#endif
