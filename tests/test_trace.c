/* Traces: every name, its columns and their values against the simulation's own; the messages for wrong
 * names; checkpoint files. */
#include "voxelastic/voxelastic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    vxe_scene *scene;
    vxe_model *model;
    vxe_sim *sim;
} fixture;

static void require(vxe_result result, const vxe_error *error)
{
    if (result != VXE_OK) {
        fail_msg("%s", error->message);
    }
}

/* A bar of 4 x 2 x 2 with a hole, held at one end, pulled at the other, and actuated. */
static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_create(0.01, 4, 2, 2, &f->scene, &error), &error);
    vxe_material_def material = vxe_default_material_def();
    material.expansion = 0.01;
    int32_t number = 0;
    require(vxe_scene_add_material(f->scene, &material, &number, &error), &error);
    const vxe_shape all = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_FRACTION, .sides = {1, 1, 1}};
    require(vxe_scene_fill(f->scene, &all, number, &error), &error);
    require(vxe_scene_set_voxel(f->scene, 1, 1, 1, 0, &error), &error);
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 5.0;
    signal.period = 0.05;
    require(vxe_scene_add_signal(f->scene, &signal, NULL, &error), &error);
    vxe_region_def region = vxe_default_region_def();
    (void)snprintf(region.name, sizeof region.name, "wall.left");
    region.shape = (vxe_shape){.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS, .sides = {1, 2, 2}};
    region.fixed = VXE_DOF_ALL;
    require(vxe_scene_add_region(f->scene, &region, NULL, &error), &error);
    (void)snprintf(region.name, sizeof region.name, "tip");
    region.shape.corner[0] = 3;
    region.fixed = 0;
    region.force[2] = -0.1;
    require(vxe_scene_add_region(f->scene, &region, NULL, &error), &error);
    require(vxe_compile(f->scene, &f->model, &error), &error);
    const vxe_sim_def def = vxe_default_sim_def();
    require(vxe_sim_create(f->model, &def, &f->sim, &error), &error);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    vxe_sim_destroy(f->sim);
    vxe_model_destroy(f->model);
    vxe_scene_destroy(f->scene);
    free(f);
    return 0;
}

/* A trace of one name must have exactly the columns given after it, up to NULL, behind time_s. */
static void expect_columns(const vxe_sim *sim, const char *name, ...)
{
    vxe_trace *trace = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_trace_create(sim, &name, 1, &trace, &error), &error);
    assert_string_equal(vxe_trace_column(trace, 0), "time_s");
    int32_t column = 1;
    va_list expected;
    va_start(expected, name);
    for (const char *text = va_arg(expected, const char *); text != NULL;
         text = va_arg(expected, const char *)) {
        assert_non_null(vxe_trace_column(trace, column));
        assert_string_equal(vxe_trace_column(trace, column), text);
        column++;
    }
    va_end(expected);
    assert_int_equal(vxe_trace_columns(trace), column);
    assert_null(vxe_trace_column(trace, column));
    assert_null(vxe_trace_column(trace, -1));
    vxe_trace_destroy(trace);
}

static void test_columns(void **state)
{
    const vxe_sim *sim = ((fixture *)*state)->sim;
    expect_columns(sim, "time", NULL);
    expect_columns(sim, "center_of_mass", "center_of_mass_x_m", "center_of_mass_y_m", "center_of_mass_z_m",
                   NULL);
    expect_columns(sim, "momentum", "momentum_x_kg_m_per_s", "momentum_y_kg_m_per_s", "momentum_z_kg_m_per_s",
                   NULL);
    expect_columns(sim, "angular_momentum", "angular_momentum_x_kg_m2_per_s",
                   "angular_momentum_y_kg_m2_per_s", "angular_momentum_z_kg_m2_per_s", NULL);
    expect_columns(sim, "displacement_max", "displacement_max_m", NULL);
    expect_columns(sim, "strain_max", "strain_max_1", NULL);
    expect_columns(sim, "speed_max", "speed_max_m_per_s", NULL);
    expect_columns(sim, "dt", "dt_s", NULL);
    expect_columns(sim, "contacts", "contacts_floor_1", "contacts_pairs_1", NULL);
    expect_columns(sim, "broken", "broken_1", NULL);
    expect_columns(sim, "yielded", "yielded_1", NULL);
    expect_columns(sim, "energy", "energy_kinetic_J", "energy_elastic_J", "energy_gravity_J",
                   "energy_total_J", "energy_load_work_J", "energy_actuation_work_J", "energy_motion_work_J",
                   "energy_dissipated_J", "energy_error_J", NULL);
    expect_columns(sim, "energy.load_work", "energy_load_work_J", NULL);
    expect_columns(sim, "signal:temperature", "signal_temperature_K", NULL);
    expect_columns(sim, "region:wall.left.reaction", "region_wall.left_reaction_x_N",
                   "region_wall.left_reaction_y_N", "region_wall.left_reaction_z_N", NULL);
    expect_columns(sim, "region:tip.reaction_moment", "region_tip_reaction_moment_x_N_m",
                   "region_tip_reaction_moment_y_N_m", "region_tip_reaction_moment_z_N_m", NULL);
    expect_columns(sim, "voxel:3,1,0.orientation", "voxel_3_1_0_orientation_w_1",
                   "voxel_3_1_0_orientation_x_1", "voxel_3_1_0_orientation_y_1",
                   "voxel_3_1_0_orientation_z_1", NULL);
    expect_columns(sim, "voxel:0,0,0.contact_force", "voxel_0_0_0_contact_force_x_N",
                   "voxel_0_0_0_contact_force_y_N", "voxel_0_0_0_contact_force_z_N", NULL);
    expect_columns(sim, "voxel:0,0,0.pressure", "voxel_0_0_0_pressure_Pa", NULL);
    expect_columns(sim, "voxel:0,0,0.strain", "voxel_0_0_0_strain_x_1", "voxel_0_0_0_strain_y_1",
                   "voxel_0_0_0_strain_z_1", NULL);
    expect_columns(sim, "voxel:0,0,0.stress", "voxel_0_0_0_stress_x_Pa", "voxel_0_0_0_stress_y_Pa",
                   "voxel_0_0_0_stress_z_Pa", NULL);
    expect_columns(sim, "voxel:0,0,0.growth", "voxel_0_0_0_growth_1", NULL);
}

/* Asked for twice, in part or whole: recorded once. */
static void test_duplicates(void **state)
{
    const vxe_sim *sim = ((fixture *)*state)->sim;
    const char *const names[] = {"energy.total",     "energy",          "time",
                                 "contacts",         "contacts",        "voxel:0,0,0.spin",
                                 "voxel:0,0,0.spin", "voxel:1,0,0.spin"};
    vxe_trace *trace = NULL;
    require(vxe_trace_create(sim, names, 8, &trace, NULL), &(vxe_error){VXE_OK, ""});
    assert_int_equal(vxe_trace_columns(trace), 1 + 9 + 2 + 3 + 3);
    assert_string_equal(vxe_trace_column(trace, 1), "energy_total_J");
    assert_string_equal(vxe_trace_column(trace, 2), "energy_kinetic_J");
    vxe_trace_destroy(trace);
    require(vxe_trace_create(sim, NULL, 0, &trace, NULL), &(vxe_error){VXE_OK, ""});
    assert_int_equal(vxe_trace_columns(trace), 1);
    vxe_trace_destroy(trace);
}

static void expect_refused(const vxe_sim *sim, const char *name, const char *part)
{
    vxe_trace *untouched = (vxe_trace *)&untouched;
    vxe_trace *trace = untouched;
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_trace_create(sim, &name, 1, &trace, &error), VXE_ERROR_INPUT);
    assert_int_equal(error.code, VXE_ERROR_INPUT);
    assert_ptr_equal(trace, untouched);
    if (strstr(error.message, part) == NULL) {
        fail_msg("\"%s\" is not in: %s", part, error.message);
    }
}

static void test_messages(void **state)
{
    const vxe_sim *sim = ((fixture *)*state)->sim;
    expect_refused(sim, "centre_of_mass",
                   "there is no quantity \"centre_of_mass\" to trace; did you mean \"center_of_mass\"?");
    expect_refused(sim, "energy.kinetik", "did you mean \"energy.kinetic\"?");
    expect_refused(sim, "bogus",
                   "The names are: center_of_mass, momentum, angular_momentum, displacement_max");
    expect_refused(sim, "bogus", "voxel:I,J,K.position (.displacement .velocity");
    expect_refused(sim, "", "there is no quantity \"\"");
    expect_refused(sim, "signal:heat",
                   "trace \"signal:heat\": there is no signal \"heat\"; the scene has: temperature");
    expect_refused(sim, "region:top.reaction", "there is no region \"top\"; the scene has: wall.left, tip");
    expect_refused(sim, "region:tip", "what of it? Add one of .displacement, .reaction, .reaction_moment");
    expect_refused(sim, "region:tip.color",
                   "\"color\" is not one of .displacement, .reaction, .reaction_moment");
    expect_refused(sim, "voxel:1,1,1.position",
                   "there is no voxel at these coordinates; the workspace has 4 x 2 x 2");
    expect_refused(sim, "voxel:4,0,0.position", "there is no voxel at these coordinates");
    expect_refused(sim, "voxel:-1,0,0.position", "there is no voxel at these coordinates");
    expect_refused(sim, "voxel:99999999999999999999,0,0.position", "there is no voxel at these coordinates");
    expect_refused(sim, "voxel:1,2.position", "a voxel is named as voxel:I,J,K");
    expect_refused(sim, "voxel:a,b,c.position", "a voxel is named as voxel:I,J,K");
    expect_refused(sim, "voxel: 1,0,0.position", "a voxel is named as voxel:I,J,K");
    expect_refused(sim, "voxel:0,0,0", "what of it? Add one of .position, .displacement");
    expect_refused(sim, "voxel:0,0,0.mass", "\"mass\" is not one of .position");
    char longest[5000];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    expect_refused(sim, longest, "there is no quantity \"xxxx");
    memcpy(longest, "region:", 7);
    memcpy(longest + 4900, ".reaction", 10);
    expect_refused(sim, longest, "there is no region \"xxxx");
    assert_int_equal(vxe_trace_create(NULL, NULL, 0, NULL, NULL), VXE_ERROR_ARGUMENT);
    vxe_trace *trace = NULL;
    const char *const none[] = {NULL};
    assert_int_equal(vxe_trace_create(sim, none, 1, &trace, NULL), VXE_ERROR_ARGUMENT);
    assert_null(trace);
    assert_int_equal(vxe_trace_columns(NULL), 0);
    vxe_trace_destroy(NULL);
}

/* Every column holds what the simulation itself says. */
static void test_values(void **state)
{
    vxe_sim *sim = ((fixture *)*state)->sim;
    const vxe_model *model = ((fixture *)*state)->model;
    const char *const names[] = {"center_of_mass",
                                 "momentum",
                                 "angular_momentum",
                                 "displacement_max",
                                 "strain_max",
                                 "speed_max",
                                 "dt",
                                 "energy",
                                 "signal:temperature",
                                 "region:tip.displacement",
                                 "region:wall.left.reaction",
                                 "region:wall.left.reaction_moment",
                                 "voxel:3,1,1.position",
                                 "voxel:3,1,1.displacement",
                                 "voxel:3,1,1.velocity",
                                 "voxel:3,1,1.spin",
                                 "voxel:3,1,1.orientation",
                                 "voxel:3,1,1.force",
                                 "voxel:3,1,1.growth",
                                 "voxel:3,1,1.pressure"};
    vxe_trace *trace = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_trace_create(sim, names, sizeof names / sizeof names[0], &trace, &error), &error);
    assert_int_equal(vxe_sim_step(sim, 200, NULL), VXE_OK);

    double row[128];
    double expected[128];
    int n = 0;
    assert_true(vxe_trace_columns(trace) <= 128);
    vxe_trace_read(trace, sim, row);
    const int32_t v = vxe_model_voxel_at(model, 3, 1, 1);
    const vxe_state *now = vxe_sim_state(sim);
    const vxe_energy e = vxe_sim_energy(sim);
    expected[n++] = vxe_sim_time(sim);
    vxe_sim_center_of_mass(sim, expected + n);
    vxe_sim_momentum(sim, expected + n + 3, expected + n + 6);
    n += 9;
    expected[n++] = vxe_sim_displacement_max(sim, NULL);
    expected[n++] = vxe_sim_strain_max(sim);
    expected[n++] = vxe_sim_speed_max(sim);
    expected[n++] = vxe_sim_time_step(sim).dt;
    const double energies[] = {e.kinetic,        e.elastic,     e.gravity,    e.total, e.load_work,
                               e.actuation_work, e.motion_work, e.dissipated, e.error};
    for (int i = 0; i < 9; i++) {
        expected[n++] = energies[i];
    }
    expected[n++] = vxe_sim_signal(sim, 0);
    assert_int_equal(
        vxe_sim_region_displacement(sim, vxe_model_find_region(model, "tip"), expected + n, NULL), VXE_OK);
    assert_int_equal(vxe_sim_region_reaction(sim, vxe_model_find_region(model, "wall.left"), expected + n + 3,
                                             expected + n + 6, NULL),
                     VXE_OK);
    n += 9;
    const vxe_model_view *view = vxe_model_get(model);
    for (int i = 0; i < 3; i++) {
        expected[n + i] = now->position[i][v];
        expected[n + 3 + i] = now->position[i][v] - view->start[i][v];
        expected[n + 6 + i] = now->velocity[i][v];
        expected[n + 9 + i] = now->spin[i][v];
        expected[n + 16 + i] = now->force[i][v];
    }
    for (int i = 0; i < 4; i++) {
        expected[n + 12 + i] = now->orientation[i][v];
    }
    n += 19;
    expected[n++] = now->growth[v];
    expected[n++] = now->pressure[v];
    assert_int_equal(n, vxe_trace_columns(trace));
    for (int i = 0; i < n; i++) {
        if (row[i] != expected[i]) {
            fail_msg("%s: %.17g instead of %.17g", vxe_trace_column(trace, i), row[i], expected[i]);
        }
    }
    /* The load pulls down and the wall holds: the figures are of something that moves. */
    assert_true(expected[1 + 9] > 0.0);
    vxe_trace_destroy(trace);
}

/* Reading a trace changes nothing. */
static void test_reads_only(void **state)
{
    vxe_sim *sim = ((fixture *)*state)->sim;
    const char *const names[] = {"energy", "center_of_mass", "region:wall.left.reaction", "voxel:0,1,0.force",
                                 "contacts"};
    vxe_trace *trace = NULL;
    double row[64];
    require(vxe_trace_create(sim, names, 5, &trace, NULL), &(vxe_error){VXE_OK, ""});
    assert_int_equal(vxe_sim_step(sim, 100, NULL), VXE_OK);
    const uint64_t plain = vxe_sim_hash(sim);
    vxe_sim_reset(sim);
    for (int i = 0; i < 100; i++) {
        vxe_trace_read(trace, sim, row);
        assert_int_equal(vxe_sim_step(sim, 1, NULL), VXE_OK);
    }
    assert_true(vxe_sim_hash(sim) == plain);
    vxe_trace_destroy(trace);
}

static void test_checkpoint_file(void **state)
{
    vxe_sim *sim = ((fixture *)*state)->sim;
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_sim_step(sim, 50, NULL), VXE_OK);
    require(vxe_sim_save_file(sim, "state.vxck", &error), &error);
    assert_int_equal(vxe_sim_step(sim, 50, NULL), VXE_OK);
    const uint64_t end = vxe_sim_hash(sim);
    vxe_sim_reset(sim);
    require(vxe_sim_load_file(sim, "state.vxck", &error), &error);
    assert_int_equal(vxe_sim_step(sim, 50, NULL), VXE_OK);
    assert_true(vxe_sim_hash(sim) == end);

    assert_int_equal(vxe_sim_save_file(sim, "no/such/folder/state.vxck", &error), VXE_ERROR_FILE);
    assert_int_equal(vxe_sim_load_file(sim, "missing.vxck", &error), VXE_ERROR_FILE);
    assert_non_null(strstr(error.message, "missing.vxck"));
    assert_int_equal(vxe_sim_save_file(NULL, "x", NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_sim_load_file(sim, NULL, NULL), VXE_ERROR_ARGUMENT);

    /* Something else, cut off, and much too long: refused, and the simulation stays as it is. */
    const size_t sizes[] = {0, 3, 100, (size_t)4 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        FILE *file = fopen("wrong.vxck", "wb");
        assert_non_null(file);
        for (size_t b = 0; b < sizes[i]; b++) {
            (void)putc((int)(b % 251), file);
        }
        (void)fclose(file);
        error.message[0] = '\0';
        assert_int_equal(vxe_sim_load_file(sim, "wrong.vxck", &error), VXE_ERROR_INPUT);
        assert_non_null(strstr(error.message, "wrong.vxck: "));
        assert_true(vxe_sim_hash(sim) == end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_duplicates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_messages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_reads_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_checkpoint_file, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
