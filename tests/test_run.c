/* The scheduler of a run: what is due is done at the right times, in order, without a change of the motion;
 * runs are cancelled, fail, stop and go on. */
#include "support.h"

typedef struct note {
    double times[400];
    int count;
    double until;   /* s; then it says no */
    int *order;     /* counts over all tasks */
    int seen;       /* its value at the last call */
    bool irregular; /* sets its next time itself */
} note;

static vxe_result take_note(void *user, vxe_sim *sim, double *next, vxe_error *error)
{
    note *n = user;
    n->times[n->count++] = vxe_sim_time(sim);
    n->seen = (*n->order)++;
    if (n->irregular) *next = vxe_sim_time(sim) + 0.001 * n->count;
    if (vxe_sim_time(sim) < n->until) return VXE_OK;
    error->code = VXE_ERROR_FILE;
    (void)snprintf(error->message, sizeof error->message, "enough");
    return VXE_ERROR_FILE;
}

typedef struct rig {
    vxe_scene *scene;
    vxe_model *model;
    vxe_sim *sim;
} rig;

static rig make_rig(void)
{
    rig b = {.scene = new_scene(0.01, 4, 2, 2)};
    vxe_error error = {VXE_OK, ""};
    vxe_material_def def = vxe_default_material_def();
    const int32_t material = put_material(b.scene, &def);
    fill(b.scene, box_of(0, 0, 0, 4, 2, 2), material);
    (void)add_fixed(b.scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    (void)add_force(b.scene, "tip", box_of(3, 0, 0, 1, 2, 2), 0.0, 0.0, -0.1);
    require(vxe_compile(b.scene, &b.model, &error), &error);
    require(vxe_sim_create(b.model,
                           &(vxe_sim_def){.size = sizeof(vxe_sim_def),
                                          .precision = VXE_PRECISION_DOUBLE,
                                          .dt_fraction = 0.9},
                           &b.sim, &error),
            &error);
    return b;
}

static void drop_rig(rig *b)
{
    vxe_sim_destroy(b->sim);
    vxe_model_destroy(b->model);
    vxe_scene_destroy(b->scene);
}

static void does_what_is_due(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    rig b = make_rig();
    rig plain = make_rig();
    const vxe_stop stop = {.time = 0.05};
    vxe_run *run = NULL;
    vxe_run_outcome outcome = {0};
    int order = 0;
    note even = {.until = INFINITY, .order = &order};
    note odd = {.until = INFINITY, .order = &order, .irregular = true};
    require(vxe_run_create(b.sim, &stop, &run, &error), &error);
    require(vxe_run_add(run, vxe_run_next(0.0, 0.01), 0.01, take_note, &even, NULL, &error), &error);
    require(vxe_run_add(run, 0.0, 0.0, take_note, &odd, NULL, &error), &error);
    require(vxe_run_go(run, &outcome, &error), &error);
    assert_int_equal(outcome.reason, VXE_RUN_TIME);
    assert_false(outcome.cancelled);
    assert_int_equal(even.count, 4); /* not at the very end, which is the caller's */
    const double dt = vxe_sim_time_step(b.sim).dt;
    for (int i = 0; i < even.count; i++) {
        check_above("a time", even.times[i], 0.01 * (i + 1) * (1.0 - 1e-9));
        check_below("a time", even.times[i], 0.01 * (i + 1) + dt); /* the first step that reaches it */
    }
    for (int i = 1; i < odd.count; i++) {
        const double due = odd.times[i - 1] + 0.001 * i;
        check_above("a time", odd.times[i], due);
        check_below("a time", odd.times[i], due + dt);
    }
    assert_true(odd.count > 5);
    /* The motion is that of stepping without any of it. */
    assert_int_equal(vxe_sim_run(plain.sim, &stop, INT64_MAX), VXE_RUN_TIME);
    assert_true(vxe_sim_hash(plain.sim) == vxe_sim_hash(b.sim));
    vxe_run_destroy(run);
    drop_rig(&b);
    drop_rig(&plain);
}

static void stops_when_a_task_fails(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    rig b = make_rig();
    vxe_run *run = NULL;
    vxe_run_outcome outcome = {0};
    int order = 0;
    note first = {.until = 0.02, .order = &order};
    note second = {.until = INFINITY, .order = &order};
    require(vxe_run_create(b.sim, NULL, &run, &error), &error);
    require(vxe_run_add(run, 0.01, 0.01, take_note, &first, NULL, &error), &error);
    require(vxe_run_add(run, 0.01, 0.01, take_note, &second, NULL, &error), &error);
    assert_int_equal(vxe_run_go(run, &outcome, &error), VXE_ERROR_FILE);
    assert_string_equal(error.message, "enough");
    assert_int_equal(outcome.reason, VXE_RUN_STEPS);
    assert_int_equal(first.count, 2);
    assert_int_equal(second.count, 1); /* the second time it was not reached */
    assert_int_equal(second.seen, 1);  /* in the order they were added */
    vxe_run_destroy(run);
    drop_rig(&b);
}

static bool cancel_later(void *user)
{
    int *calls = user;
    return ++*calls > 5;
}

static vxe_result count_progress(void *user, vxe_sim *sim, vxe_error *error)
{
    (void)sim;
    (void)error;
    ++*(int *)user;
    return VXE_OK;
}

static void is_cancelled_and_goes_on(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    rig b = make_rig();
    vxe_run *run = NULL;
    vxe_run_outcome outcome = {0};
    int calls = 0;
    int pieces = 0;
    require(vxe_run_create(b.sim, &(vxe_stop){.steps = 20000}, &run, &error), &error);
    vxe_run_set_piece(run, 1e-9); /* single steps */
    vxe_run_set_cancel(run, cancel_later, &calls);
    vxe_run_set_progress(run, count_progress, &pieces);
    require(vxe_run_go(run, &outcome, &error), &error);
    assert_true(outcome.cancelled);
    assert_int_equal(pieces, 5);
    assert_int_equal(vxe_sim_state(b.sim)->step, 5);
    vxe_run_set_cancel(run, NULL, NULL);
    vxe_run_set_piece(run, 0.05);
    require(vxe_run_go(run, &outcome, &error), &error);
    assert_int_equal(outcome.reason, VXE_RUN_STOP_STEPS);
    assert_int_equal(vxe_sim_state(b.sim)->step, 20000);
    assert_true(pieces < 2000); /* pieces grew */
    vxe_run_destroy(run);
    drop_rig(&b);
}

static void does_pieces(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    rig b = make_rig();
    vxe_run *run = NULL;
    vxe_run_outcome outcome = {0};
    int order = 0;
    int32_t task = -1;
    note n = {.until = INFINITY, .order = &order};
    require(vxe_run_create(b.sim, NULL, &run, &error), &error);
    require(vxe_run_add(run, INFINITY, 0.0, take_note, &n, &task, &error), &error);
    while (vxe_sim_state(b.sim)->step < 50) require(vxe_run_piece(run, 7, &outcome, &error), &error);
    assert_int_equal(n.count, 0);
    vxe_run_move(run, task, 0.0, 0.0); /* that has passed: after the next step */
    const int64_t step = vxe_sim_state(b.sim)->step;
    require(vxe_run_piece(run, 7, &outcome, &error), &error);
    assert_int_equal(n.count, 1);
    assert_int_equal(vxe_sim_state(b.sim)->step, step + 1);
    require(vxe_run_piece(run, 7, &outcome, &error), &error);
    assert_int_equal(n.count, 1); /* without an interval it is done once */
    assert_int_equal(outcome.reason, VXE_RUN_STEPS);
    vxe_run_set_stop(run, &(vxe_stop){.steps = 60});
    while (outcome.reason == VXE_RUN_STEPS) require(vxe_run_piece(run, 100, &outcome, &error), &error);
    assert_int_equal(outcome.reason, VXE_RUN_STOP_STEPS);
    assert_int_equal(vxe_run_add(run, 0.0, -1.0, take_note, &n, NULL, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_run_create(NULL, NULL, &run, &error), VXE_ERROR_ARGUMENT);
    vxe_run_destroy(run);
    drop_rig(&b);
}

static void knows_its_length(void **state)
{
    (void)state;
    rig b = make_rig();
    const double dt = vxe_sim_time_step(b.sim).dt;
    assert_true(isinf(vxe_run_length(b.sim, &(vxe_stop){.speed = 1.0}, 1.0)));
    assert_true(vxe_run_length(b.sim, &(vxe_stop){.time = 2.0, .cycles = 5.0}, 0.25) == 1.25);
    assert_true(vxe_run_length(b.sim, &(vxe_stop){.time = 2.0, .cycles = 5.0}, 0.0) == 2.0);
    assert_true(vxe_run_length(b.sim, &(vxe_stop){.time = 2.0, .steps = 10}, 0.0) == 10.0 * dt);
    check_near("the multiple after 3 * 0.1", vxe_run_next(3.0 * 0.1, 0.1), 0.4, 1e-15);
    check_near("the multiple after 0.3", vxe_run_next(0.3, 0.1), 0.4, 1e-15);
    assert_true(isinf(vxe_run_next(1.0, 0.0)));
    drop_rig(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(does_what_is_due),
                                       cmocka_unit_test(stops_when_a_task_fails),
                                       cmocka_unit_test(is_cancelled_and_goes_on),
                                       cmocka_unit_test(does_pieces), cmocka_unit_test(knows_its_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
