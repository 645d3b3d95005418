/* The kernels of the GPU backend give the CPU's bits. Without a GPU the host plays it: the same kernels, the
 * threads of a block in turn. VXE_TEST_DEVICE=cuda takes a real one. */
#include "backend/cuda/group.h"
#include "random_scene.h"
#include "robot.h"

static vxe_device device_to_test(void)
{
    const char *name = getenv("VXE_TEST_DEVICE");
    return name != NULL && strcmp(name, "cuda") == 0 ? VXE_DEVICE_CUDA : VXE_DEVICE_EMULATED;
}

/* A simulation on the device, or the same on the CPU. */
static vxe_sim *start_on(const vxe_model *model, vxe_device device, vxe_precision precision,
                         vxe_bond_damping damping)
{
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = false;
    def.threads = 1;
    def.device = device;
    def.precision = precision;
    def.bond_damping = damping;
    return new_sim(model, &def);
}

static int64_t steps_there(const vxe_sim *sim)
{
    const gpu_member *member = sim->remote;
    return member->steps;
}

static void compare_array(const char *what, const char *name, const double *one, const double *other,
                          int32_t count)
{
    for (int32_t v = 0; v < count; v++) {
        if (memcmp(&one[v], &other[v], sizeof *one) != 0 && one[v] != other[v])
            fail_msg("%s: %s of voxel %d is %.17g there and %.17g here", what, name, (int)v, other[v],
                     one[v]);
    }
}

/* All that can be asked for. */
static void compare_sims(const char *what, vxe_sim *here, vxe_sim *there)
{
    const vxe_state *a = vxe_sim_state(here);
    const vxe_state *b = vxe_sim_state(there);
    const int32_t n = here->model->view.voxel_count;
    if (a->step != b->step || a->time != b->time)
        fail_msg("%s: step %lld, %.17g s there, step %lld, %.17g s here", what, (long long)b->step, b->time,
                 (long long)a->step, a->time);
    for (int i = 0; i < 3; i++) {
        compare_array(what, "position", a->position[i], b->position[i], n);
        compare_array(what, "velocity", a->velocity[i], b->velocity[i], n);
        compare_array(what, "spin", a->spin[i], b->spin[i], n);
        compare_array(what, "force", a->force[i], b->force[i], n);
        compare_array(what, "moment", a->moment[i], b->moment[i], n);
        compare_array(what, "contact force", a->contact_force[i], b->contact_force[i], n);
    }
    for (int i = 0; i < 4; i++) compare_array(what, "orientation", a->orientation[i], b->orientation[i], n);
    compare_array(what, "growth", a->growth, b->growth, n);
    compare_array(what, "pressure", a->pressure, b->pressure, n);
    if (vxe_sim_hash(here) != vxe_sim_hash(there)) fail_msg("%s: the hashes differ", what);
    const vxe_sim_peaks p = vxe_sim_peaks_get(here);
    const vxe_sim_peaks q = vxe_sim_peaks_get(there);
    if (memcmp(&p, &q, sizeof p) != 0)
        fail_msg("%s: peaks %.17g %.17g %.17g %.17g there, %.17g %.17g %.17g %.17g here", what, q.strain,
                 q.strain_time, q.speed, q.speed_time, p.strain, p.strain_time, p.speed, p.speed_time);
    assert_int_equal(here->last.floor_contacts, there->last.floor_contacts);
    compare_array(what, "last strain", &here->last.strain_max, &there->last.strain_max, 1);
    compare_array(what, "last speed", &here->last.speed_max, &there->last.speed_max, 1);
    compare_array(what, "last travel", &here->last.travel_max, &there->last.travel_max, 1);
    compare_array(what, "shortest link", &here->last.length_min, &there->last.length_min, 1);
    compare_array(what, "rates", here->rates[1], there->rates[1], here->model->constant_count + 1);
    assert_int_equal(here->time_step.evaluations, there->time_step.evaluations);
    assert_memory_equal(&here->pace, &there->pace, sizeof here->pace);
    assert_int_equal(here->status.fault, there->status.fault);
    assert_string_equal(here->status.message, there->status.message);
    for (int32_t h = 0; h < 6 * here->model->held_count; h++)
        compare_array(what, "reaction", &here->reaction[0][h], &there->reaction[0][h], 1);
}

/* The same run on both, in pieces. Most of it must have been taken there. */
static void compare_runs(const char *what, const vxe_model *model, int64_t steps)
{
    for (int kind = 0; kind < 4; kind++) {
        const vxe_precision precision = kind % 2 == 0 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE;
        const vxe_bond_damping damping = kind < 2 ? VXE_BOND_DAMPING_AUTO : VXE_BOND_DAMPING_EXPLICIT;
        char name[160];
        (void)snprintf(name, sizeof name, "%s, %s, %s", what, kind % 2 == 0 ? "double" : "single",
                       kind < 2 ? "auto" : "explicit");
        vxe_sim *here = start_on(model, VXE_DEVICE_CPU, precision, damping);
        vxe_sim *there = start_on(model, device_to_test(), precision, damping);
        for (int64_t piece = 1; here->step < steps && here->status.fault == VXE_FAULT_NONE; piece *= 5) {
            assert_int_equal(vxe_sim_step(here, piece), vxe_sim_step(there, piece));
            compare_sims(name, here, there);
        }
        vxe_stop stop = {.time = here->time + 37.3 * here->time_step.dt};
        assert_int_equal(vxe_sim_run(here, &stop, INT64_MAX), vxe_sim_run(there, &stop, INT64_MAX));
        compare_sims(name, here, there);
        if (2 * steps_there(there) < there->step)
            fail_msg("%s: the device took %lld of %lld steps", name, (long long)steps_there(there),
                     (long long)there->step);
        vxe_sim_destroy(here);
        vxe_sim_destroy(there);
    }
}

static void without_collisions(vxe_scene *scene)
{
    vxe_environment e = vxe_scene_environment(scene);
    e.collisions = VXE_COLLISIONS_OFF;
    set_environment(scene, &e);
}

static void test_robots(void **state)
{
    (void)state;
    for (uint64_t design = 1; design <= (is_quick() ? 1 : 4); design++) {
        vxe_scene *scene = robot_scene(design, 0.1);
        without_collisions(scene);
        vxe_model *model = compile_scene(scene);
        compare_runs("robot", model, is_quick() ? 100 : 3000);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_robots)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
