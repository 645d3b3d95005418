/* The demos of ground, rigid parts and water: what comes of them. */
#include "support.h"

#include "model/model.h"

static bench load_demo(const char *name)
{
    char path[512];
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    (void)snprintf(path, sizeof path, "%s/scenes/%s.json", VXE_SOURCE_DIR, name);
    require(vxe_scene_load_json(path, &scene, &error), &error);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    return start_with(scene, &def);
}

static void run_to(vxe_sim *sim, double time)
{
    const vxe_stop stop = {.time = time};
    if (vxe_sim_run(sim, &stop, INT64_MAX) != VXE_RUN_TIME) fail_msg("%s", vxe_sim_status(sim)->message);
}

static void check_account(vxe_sim *sim)
{
    const vxe_energy e = vxe_sim_energy(sim);
    const double scale = e.kinetic + fabs(e.elastic) + fabs(e.dissipated) + fabs(e.actuation_work);
    check_below("error of the account", fabs(e.error), 0.01 * scale);
}

/* Mean place of the voxels of a material. */
static double mean_place(vxe_sim *sim, uint16_t material, int axis)
{
    const vxe_model_view *view = vxe_model_get(vxe_sim_model(sim));
    const vxe_state *s = vxe_sim_state(sim);
    double sum = 0.0;
    int count = 0;
    for (int32_t v = 0; v < view->voxel_count; v++) {
        if (view->material[v] != material) continue;
        sum += s->position[axis][v];
        count++;
    }
    assert_true(count > 0);
    return sum / count;
}

/* It walks over all steps, a body length and more, and does not fall. */
static void test_walker(void **state)
{
    (void)state;
    bench b = load_demo("walker");
    double from[3];
    double to[3];
    vxe_sim_center_of_mass(b.sim, from);
    run_to(b.sim, is_quick() ? 1.0 : 6.0);
    vxe_sim_center_of_mass(b.sim, to);
    print_message("    walker: %.3f m in %.0f s\n", to[0] - from[0], vxe_sim_time(b.sim));
    if (!is_quick()) check_above("way of the walker, m", to[0] - from[0], 0.3);
    check_near("height of its centre, m", to[2], from[2], 0.02);
    check_account(b.sim);
    finish(b);
}

/* The ball comes up with the hand, touches nothing but the fingers, and does not slip. */
static void test_gripper(void **state)
{
    (void)state;
    bench b = load_demo("gripper");
    const double low = mean_place(b.sim, 3, 2);
    run_to(b.sim, is_quick() ? 1.0 : 3.5);
    const double up = mean_place(b.sim, 3, 2) - low;
    int64_t floor = 0;
    int64_t pairs = 0;
    vxe_sim_contacts(b.sim, &floor, &pairs);
    print_message("    gripper: the ball is %.4f m up; %d contacts with fingers, %d with the floor\n", up,
                  (int)pairs, (int)floor);
    if (!is_quick()) {
        check_near("lift of the ball, m", up, 0.08, 0.01);
        assert_true(floor == 0 && pairs > 0);
    }
    check_account(b.sim);
    finish(b);
}

/* It moves by more than half its length, along itself. */
static void test_swimmer(void **state)
{
    (void)state;
    bench b = load_demo("swimmer");
    double from[3];
    double to[3];
    vxe_sim_center_of_mass(b.sim, from);
    run_to(b.sim, is_quick() ? 0.5 : 5.0);
    vxe_sim_center_of_mass(b.sim, to);
    print_message("    swimmer: %.3f m along itself, %.3f m across\n", to[0] - from[0], to[1] - from[1]);
    if (!is_quick()) check_above("way of the swimmer, m", to[0] - from[0], 0.12);
    check_below("way across, m", fabs(to[1] - from[1]), 0.05);
    check_account(b.sim);
    finish(b);
}

/* All three pins lie: their axes have turned by more than 60 degrees; a pin keeps its shape to round-off. */
static void test_pin(void **state)
{
    (void)state;
    bench b = load_demo("pin");
    run_to(b.sim, is_quick() ? 0.2 : 1.5);
    const vxe_model *m = b.model;
    const vxe_state *s = vxe_sim_state(b.sim);
    int fallen = 0;
    assert_int_equal(m->rigid_count, 3);
    for (int32_t p = 0; p < m->rigid_count; p++) {
        const int32_t first = m->rigid_voxel[m->rigid_begin[p]];
        const int32_t last = m->rigid_voxel[m->rigid_begin[p + 1] - 1];
        double d[3];
        double was[3];
        for (int a = 0; a < 3; a++) {
            d[a] = s->position[a][last] - s->position[a][first];
            was[a] = m->start[a][last] - m->start[a][first];
        }
        check_near("length of a pin, m", length3(d), length3(was), 1e-12);
        fallen += d[2] < 0.5 * length3(d);
    }
    print_message("    pin: %d of 3 have fallen\n", fallen);
    if (!is_quick()) check_above("pins that have fallen", fallen, 2);
    check_account(b.sim);
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_walker), cmocka_unit_test(test_gripper),
                                       cmocka_unit_test(test_swimmer), cmocka_unit_test(test_pin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
