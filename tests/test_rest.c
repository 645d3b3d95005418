/* What is held and rests is left out of steps, and nobody can tell: a robot on ground that is built of
 * voxels, with the loops that leave the ground out and with the plain ones, through contacts, edits, moves
 * and loads. */
#include "backend/cpu/wide.h"
#include "support.h"

enum { LENGTH = 40, WIDTH = 16, HEIGHT = 9, PIECES = 16 };

typedef struct rest_scene {
    vxe_elasticity elasticity;
    bool tower;   /* stands on the ground, linked to it */
    double floor; /* lowers the ground into it, m */
    bool no_floor;
    bool sparse; /* holes in the ground */
} rest_scene;

static void fill_box(vxe_scene *scene, const int32_t from[3], const int32_t to[3], int32_t material,
                     bool sparse)
{
    vxe_error error;
    for (int32_t z = from[2]; z < to[2]; z++) {
        for (int32_t y = from[1]; y < to[1]; y++) {
            for (int32_t x = from[0]; x < to[0]; x++) {
                if (sparse && (7 * x + 3 * y) % 5 == 0) continue;
                require(vxe_scene_set_voxel(scene, x, y, z, material, &error), &error);
            }
        }
    }
}

static vxe_model *make_model(const rest_scene *s)
{
    vxe_scene *scene = NULL;
    vxe_model *model = NULL;
    vxe_error error;
    require(vxe_scene_create(0.01, LENGTH, WIDTH, HEIGHT, &scene, &error), &error);
    vxe_material_def stone = vxe_default_material_def();
    vxe_material_def muscle = vxe_default_material_def();
    muscle.expansion = 0.01;
    muscle.poissons_ratio = 0.3;
    require(vxe_scene_add_material(scene, &stone, NULL, &error), &error);
    require(vxe_scene_add_material(scene, &muscle, NULL, &error), &error);
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 10.0;
    signal.period = 0.02;
    require(vxe_scene_add_signal(scene, &signal, NULL, &error), &error);
    fill_box(scene, (const int32_t[]){0, 0, 0}, (const int32_t[]){LENGTH, WIDTH, 1}, 1, s->sparse);
    fill_box(scene, (const int32_t[]){3, 2, 2}, (const int32_t[]){10, 7, 5}, 2, false);
    if (s->tower) fill_box(scene, (const int32_t[]){30, 6, 1}, (const int32_t[]){33, 9, 6}, 1, false);
    vxe_region_def ground = vxe_default_region_def();
    (void)snprintf(ground.name, sizeof ground.name, "ground");
    ground.shape = (vxe_shape){.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS, .sides = {LENGTH, WIDTH, 1}};
    ground.fixed = VXE_DOF_ALL;
    ground.displacement[2] = -s->floor;
    require(vxe_scene_add_region(scene, &ground, NULL, &error), &error);
    vxe_region_def robot = vxe_default_region_def();
    (void)snprintf(robot.name, sizeof robot.name, "robot");
    robot.shape = (vxe_shape){
        .kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS, .corner = {3, 2, 2}, .sides = {7, 5, 3}};
    require(vxe_scene_add_region(scene, &robot, NULL, &error), &error);
    vxe_environment e = vxe_default_environment();
    e.elasticity = s->elasticity;
    e.gravity[2] = -400.0;
    e.floor = !s->no_floor;
    e.collisions = VXE_COLLISIONS_GRID;
    require(vxe_scene_set_environment(scene, &e, &error), &error);
    require(vxe_compile(scene, &model, &error), &error);
    vxe_scene_destroy(scene);
    return model;
}

/* What can be seen after a piece of a run. */
typedef struct rest_seen {
    uint64_t hash;
    double reaction[3];
    double forces; /* N: sums of squares */
    double touches;
    vxe_energy energy;
} rest_seen;

typedef struct rest_counts {
    int left_out, touched;
} rest_counts;

static double squares(const double *const values[3], int32_t count)
{
    double sum = 0.0;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < count; v++) sum += values[a][v] * values[a][v];
    }
    return sum;
}

/* Between the pieces: gravity changes, the ground is lifted, a load comes and goes. */
static void disturb(vxe_sim *sim, int piece)
{
    vxe_error error;
    if (piece == 7) require(vxe_sim_set_gravity(sim, (const double[]){1.0, 0.0, -300.0}, &error), &error);
    if (piece == 9)
        require(vxe_sim_set_displacement(sim, 0, (const double[]){0.0, 0.001, 0.002}, 2e-3, &error), &error);
    if (piece == 12 || piece == 13) {
        const double force[3] = {0.0, piece == 12 ? 0.2 : 0.0, 0.0};
        require(vxe_sim_set_load(sim, 1, force, (const double[]){0.0, 0.0, 0.0}, &error), &error);
    }
}

/* False: this machine does not have the instructions. */
static bool run(const vxe_model *model, const vxe_sim_def *def, int64_t steps, rest_seen seen[PIECES],
                rest_counts *counts)
{
    vxe_sim *sim = NULL;
    vxe_error error;
    if (vxe_sim_create(model, def, &sim, &error) != VXE_OK) return false;
    for (int i = 0; i < PIECES; i++) {
        disturb(sim, i);
        require(vxe_sim_step(sim, steps, &error), &error);
        const vxe_state *state = vxe_sim_state(sim);
        double torque[3];
        seen[i].hash = vxe_sim_hash(sim);
        require(vxe_sim_region_reaction(sim, 0, seen[i].reaction, torque, &error), &error);
        seen[i].forces = squares(state->force, model->view.voxel_count);
        seen[i].touches = squares(state->contact_force, model->view.voxel_count);
        seen[i].energy = vxe_sim_energy(sim);
        if (sim->cpu->plan == NULL) continue;
        counts->left_out += sim->cpu->plan->rest.left_out;
        counts->touched += sim->last.pair_contacts > 0;
    }
    vxe_sim_destroy(sim);
    return true;
}

/* The account is summed in the same order. */
static void check_energy(const vxe_energy *energy, const vxe_energy *expected, vxe_isa isa, int32_t threads,
                         int piece)
{
    const double found[5] = {energy->kinetic, energy->elastic, energy->gravity, energy->dissipated,
                             energy->error};
    const double wanted[5] = {expected->kinetic, expected->elastic, expected->gravity, expected->dissipated,
                              expected->error};
    for (int i = 0; i < 5; i++) {
        if (found[i] != wanted[i])
            fail_msg("isa %d, %d threads, piece %d: energy %d is %.17g instead of %.17g", (int)isa, threads,
                     piece, i, found[i], wanted[i]);
    }
}

static void check_scene(const rest_scene *s, vxe_bond_damping damping, vxe_precision precision, bool rests)
{
    vxe_model *model = make_model(s);
    vxe_sim_def def = vxe_default_sim_def();
    const int64_t steps = is_quick() ? 10 : 25;
    rest_seen expected[PIECES];
    rest_counts counts = {0, 0};
    def.precision = precision;
    def.bond_damping = damping;
    def.isa = VXE_ISA_PLAIN;
    def.threads = 1;
    assert_true(run(model, &def, steps, expected, &counts));
    for (vxe_isa isa = VXE_ISA_PORTABLE; isa <= VXE_ISA_AVX512; isa++) {
        for (int32_t threads = 1; threads <= (isa == VXE_ISA_PORTABLE ? 2 : 1); threads++) {
            rest_seen seen[PIECES];
            def.isa = isa;
            def.threads = threads;
            counts = (rest_counts){0, 0};
            if (!run(model, &def, steps, seen, &counts)) continue;
            for (int i = 0; i < PIECES; i++) {
                if (seen[i].hash != expected[i].hash)
                    fail_msg("isa %d, %d threads, piece %d: the state differs", (int)isa, threads, i);
                assert_true(memcmp(seen[i].reaction, expected[i].reaction, sizeof seen[i].reaction) == 0);
                assert_true(seen[i].forces == expected[i].forces);
                assert_true(seen[i].touches == expected[i].touches);
                check_energy(&seen[i].energy, &expected[i].energy, isa, threads, i);
            }
            /* so that this was tried: the ground was left out, also while it was touched */
            if (rests) assert_true(counts.left_out > PIECES / 4);
            if (!is_quick()) assert_true(counts.touched > 0);
        }
    }
    vxe_model_destroy(model);
}

static void test_ground(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) { /* both dampings, in double and in single */
        const vxe_bond_damping damping =
            kind % 2 == 0 ? VXE_BOND_DAMPING_IMPLICIT : VXE_BOND_DAMPING_EXPLICIT;
        const vxe_precision precision = kind < 2 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE;
        check_scene(&(rest_scene){.elasticity = VXE_ELASTICITY_BEAM}, damping, precision, true);
        check_scene(&(rest_scene){.elasticity = VXE_ELASTICITY_SOLID}, damping, precision, true);
        check_scene(&(rest_scene){.elasticity = VXE_ELASTICITY_BEAM, .no_floor = true}, damping, precision,
                    true);
    }
}

/* Ground in the floor, with holes, with something that stands on it. */
static void test_other_ground(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        const vxe_bond_damping damping = kind == 0 ? VXE_BOND_DAMPING_IMPLICIT : VXE_BOND_DAMPING_EXPLICIT;
        check_scene(&(rest_scene){.elasticity = VXE_ELASTICITY_BEAM, .tower = true}, damping,
                    VXE_PRECISION_DOUBLE, true);
        check_scene(&(rest_scene){.elasticity = VXE_ELASTICITY_SOLID, .tower = true}, damping,
                    VXE_PRECISION_DOUBLE, false);
        check_scene(&(rest_scene){.elasticity = VXE_ELASTICITY_BEAM, .floor = 0.001}, damping,
                    VXE_PRECISION_DOUBLE, true);
        check_scene(&(rest_scene){.elasticity = VXE_ELASTICITY_SOLID, .sparse = true}, damping,
                    VXE_PRECISION_DOUBLE, true);
    }
}

/* What is left out starts again from a checkpoint as if nothing had been. */
static void test_resume(void **state)
{
    (void)state;
    vxe_model *model = make_model(&(rest_scene){.elasticity = VXE_ELASTICITY_BEAM});
    vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *sim = NULL;
    vxe_sim *other = NULL;
    vxe_error error;
    require(vxe_sim_create(model, &def, &sim, &error), &error);
    require(vxe_sim_create(model, &def, &other, &error), &error);
    require(vxe_sim_step(sim, 333, &error), &error);
    const size_t size = vxe_sim_save_size(sim);
    void *memory = malloc(size);
    assert_non_null(memory);
    require(vxe_sim_save(sim, memory, size, &error), &error);
    require(vxe_sim_step(other, 1000, &error), &error);
    require(vxe_sim_load(other, memory, size, &error), &error);
    free(memory);
    require(vxe_sim_step(sim, 400, &error), &error);
    require(vxe_sim_step(other, 400, &error), &error);
    assert_true(sim->cpu->plan == NULL || sim->cpu->plan->rest.left_out);
    assert_true(vxe_sim_hash(sim) == vxe_sim_hash(other));
    assert_true(vxe_sim_energy(sim).error == vxe_sim_energy(other).error);
    vxe_sim_destroy(sim);
    vxe_sim_destroy(other);
    vxe_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ground), cmocka_unit_test(test_other_ground),
                                       cmocka_unit_test(test_resume)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
