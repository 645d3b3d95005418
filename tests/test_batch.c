/* Populations: the same bits as alone, faults that stay with their design, control, cancelling, streams. */
#include "robot.h"

#include <stdatomic.h>

#define DESIGNS 24

typedef struct population {
    vxe_batch *batch;
    uint64_t hash[DESIGNS];
    vxe_batch_end end[DESIGNS];
    char message[DESIGNS][256];
    int calls[DESIGNS];
    atomic_int ended;
    atomic_int alive, most_alive;
    int cancel_after; /* designs; 0: never */
    int64_t length;   /* designs that there are; 0: as many as are added */
    double time;
    vxe_device device;
} population;

static vxe_stop stop_of(const population *p) { return (vxe_stop){.time = p->time}; }

static vxe_result make(void *user, int64_t index, vxe_design *design, vxe_error *error)
{
    population *p = user;
    if (p->length > 0 && index >= p->length) {
        design->none = true;
        return VXE_OK;
    }
    const int alive = atomic_fetch_add(&p->alive, 1) + 1;
    int most = atomic_load(&p->most_alive);
    while (alive > most && !atomic_compare_exchange_weak(&p->most_alive, &most, alive)) {
    }
    if (index == 5) { /* one that cannot be compiled: it has no voxels */
        return vxe_scene_create(0.01, 2, 2, 2, &design->scene, error);
    }
    if (index == 6) {
        error->code = VXE_ERROR_INPUT;
        (void)snprintf(error->message, sizeof error->message, "no such design");
        return VXE_ERROR_INPUT;
    }
    design->scene = robot_scene((uint64_t)index, 0.1);
    *design->stop = stop_of(p);
    design->settings->device = p->device;
    design->settings->audit = p->device == VXE_DEVICE_CPU; /* which keeps the account */
    design->control_every = index % 2 == 0 ? 0.01 : 0.0;
    return VXE_OK;
}

/* One that explodes: a velocity that no step can bear. */
static void blow_up(vxe_sim *sim)
{
    const double velocity[3] = {1e6, 0.0, 0.0};
    const double spin[3] = {0.0, 0.0, 0.0};
    (void)vxe_sim_set_velocity(sim, 0, velocity, spin, NULL);
}

/* Muscles follow the touch of their voxel. */
static vxe_result steer(int64_t index, vxe_sim *sim, vxe_error *error)
{
    double touch[80];
    double targets[80];
    vxe_array actuated;
    vxe_result result = vxe_sim_array(sim, VXE_QUANTITY_ACTUATED, &actuated, error);
    if (result == VXE_OK)
        result = vxe_sim_sense(sim, VXE_SENSE_TOUCH, actuated.data, (int32_t)actuated.shape[0], touch, error);
    for (int64_t i = 0; i < actuated.shape[0]; i++)
        targets[i] = 1.0 + 0.1 * sin(40.0 * vxe_sim_time(sim) + (double)(i + index)) + 0.02 * touch[i];
    if (result == VXE_OK)
        result =
            vxe_sim_set_targets(sim, VXE_TARGET_SIZE, NULL, (int32_t)actuated.shape[0], targets, 0.01, error);
    return result;
}

static vxe_result control(void *user, int64_t index, vxe_sim *sim, bool *stop, vxe_error *error)
{
    population *p = user;
    p->calls[index]++;
    if (index == 8 && p->calls[index] == 3) blow_up(sim);
    if (index == 10 && p->calls[index] == 4) *stop = true;
    return steer(index, sim, error);
}

static void ended(void *user, int64_t index, vxe_sim *sim, vxe_batch_end *end)
{
    population *p = user;
    p->hash[index] = vxe_sim_hash(sim);
    p->end[index] = *end;
    (void)snprintf(p->message[index], sizeof p->message[index], "%s", end->message);
    atomic_fetch_sub(&p->alive, 1);
    if (atomic_fetch_add(&p->ended, 1) + 1 == p->cancel_after) vxe_batch_cancel(p->batch);
}

static vxe_batch *new_batch(population *p, int32_t threads, int32_t together)
{
    vxe_error error = {VXE_OK, ""};
    vxe_batch_def def = vxe_default_batch_def();
    def.threads = threads;
    def.together = together;
    def.user = p;
    def.make = make;
    def.control = control;
    def.ended = ended;
    require(vxe_batch_create(&def, &p->batch, &error), &error);
    return p->batch;
}

static population *new_population(double time)
{
    population *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->time = time;
    return p;
}

/* Alone, by hand: steps to every hundredth of a second, then control. */
static uint64_t hash_alone(const population *p, int64_t index)
{
    const bench b = start(robot_scene((uint64_t)index, 0.1));
    vxe_error error = {VXE_OK, ""};
    if (index % 2 == 0) {
        for (int64_t k = 1; vxe_sim_time(b.sim) < p->time; k++) {
            require(steer(index, b.sim, &error), &error);
            const vxe_stop next = {.time = fmin((double)k * 0.01, p->time)};
            assert_int_equal(vxe_sim_run(b.sim, &next, INT64_MAX), VXE_RUN_TIME);
        }
    } else {
        const vxe_stop stop = stop_of(p);
        assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
    }
    const uint64_t hash = vxe_sim_hash(b.sim);
    finish(b);
    return hash;
}

/* Each worker having so many designs in hand. */
static void check_population(double time, int32_t together, vxe_device device)
{
    population *p = new_population(time);
    p->device = device;
    vxe_batch *batch = new_batch(p, 2, together);
    assert_int_equal(vxe_batch_threads(batch), 2);
    for (int part = 0; part < 2; part++) { /* it lasts: more may come when it is done */
        assert_int_equal(vxe_batch_add(batch, DESIGNS / 2, NULL), VXE_OK);
        assert_true(vxe_batch_wait(batch, -1.0));
    }
    const vxe_batch_counts counts = vxe_batch_count(batch);
    assert_int_equal(counts.added, DESIGNS);
    assert_int_equal(counts.ended, DESIGNS);
    assert_int_equal(counts.failed, 3);
    vxe_batch_destroy(batch);
    assert_true(atomic_load(&p->most_alive) <= 2 * together);
    if (together > 1) assert_true(atomic_load(&p->most_alive) > 2);
    for (int64_t i = 0; i < DESIGNS; i++) {
        const vxe_batch_end *end = &p->end[i];
        if (i == 5 || i == 6) {
            assert_int_equal(end->result, VXE_ERROR_INPUT);
            assert_true(p->message[i][0] != '\0');
        } else if (i == 8) {
            assert_int_equal(end->reason, VXE_RUN_FAULT);
            assert_non_null(strstr(p->message[i], "m/s"));
        } else if (i == 10) {
            assert_true(end->stopped);
            assert_int_equal(p->calls[i], 4);
        } else {
            assert_int_equal(end->result, VXE_OK);
            assert_int_equal(end->reason, VXE_RUN_TIME);
            assert_int_equal(p->calls[i], i % 2 == 0 ? lround(time / 0.01) : 0);
            assert_string_equal(p->message[i], "");
            assert_true(end->seconds > 0.0);
            if (i < 4 || i > 20) assert_true(p->hash[i] == hash_alone(p, i));
        }
    }
    free(p);
}

static void test_same_as_alone(void **state)
{
    (void)state;
    check_population(0.1, 1, VXE_DEVICE_CPU);
}

static void test_together(void **state)
{
    (void)state;
    check_population(0.05, 5, VXE_DEVICE_CPU);
    check_population(0.05, 4, VXE_DEVICE_EMULATED);
}

/* Cancelled in the middle: what ended has ended, what ran is told, the rest is never taken; more can be
 * added. */
static void test_cancel(void **state)
{
    (void)state;
    population *p = new_population(0.02);
    p->cancel_after = 3;
    vxe_batch *batch = new_batch(p, 2, 0);
    assert_int_equal(vxe_batch_add(batch, DESIGNS, NULL), VXE_OK);
    assert_true(vxe_batch_wait(batch, -1.0));
    const vxe_batch_counts counts = vxe_batch_count(batch);
    /* those that the workers had taken before they heard of it end as well */
    assert_true(counts.ended >= 3 && counts.ended < DESIGNS);
    assert_int_equal(counts.started, counts.ended);
    p->cancel_after = 0;
    assert_int_equal(vxe_batch_add(batch, 2, NULL), VXE_OK);
    assert_true(vxe_batch_wait(batch, -1.0));
    assert_int_equal(vxe_batch_count(batch).ended, counts.ended + 2);
    /* destroyed while it runs: those in flight are told, whatever is left of their time */
    p->time = 1e6;
    assert_int_equal(vxe_batch_add(batch, 4, NULL), VXE_OK);
    assert_false(vxe_batch_wait(batch, 0.05));
    vxe_batch_destroy(batch);
    int cancelled = 0;
    for (int i = 0; i < DESIGNS; i++) cancelled += p->end[i].cancelled;
    assert_true(cancelled >= 1);
    free(p);
}

/* A stream of unknown length: added without end, ended by `none`. */
static void test_stream(void **state)
{
    (void)state;
    population *p = new_population(0.005);
    p->length = 4;
    vxe_batch *batch = new_batch(p, 3, 0);
    assert_int_equal(vxe_batch_add(batch, INT64_MAX, NULL), VXE_OK);
    assert_true(vxe_batch_wait(batch, -1.0));
    assert_int_equal(vxe_batch_count(batch).ended, 4);
    vxe_batch_destroy(batch);
    free(p);
}

/* ---- looking ---------------------------------------------------------------------------------------------- */

typedef struct watched {
    double last;   /* s; time of the last look */
    double due;    /* s; when it was wanted */
    double latest; /* s; how much later it came, at most */
    int looks;
    uint64_t hash;
    bool ended;
    vxe_result result;
} watched;

static vxe_result make_watched(void *user, int64_t index, vxe_design *design, vxe_error *error)
{
    watched *all = user;
    (void)error;
    design->scene = robot_scene((uint64_t)index, 0.1);
    *design->stop = (vxe_stop){.time = 0.1};
    design->context = &all[index];
    return VXE_OK;
}

/* Looks every 13 ms; the second design is refused at its third look. */
static vxe_result watch(void *user, int64_t index, vxe_sim *sim, void *context, double *next,
                        vxe_error *error)
{
    watched *w = context;
    assert_ptr_equal(w, (watched *)user + index);
    w->last = vxe_sim_time(sim);
    w->latest = fmax(w->latest, w->last - w->due - vxe_sim_time_step(sim).dt);
    w->due = 0.013 * ++w->looks;
    *next = w->due;
    if (index != 1 || w->looks < 3) return VXE_OK;
    error->code = VXE_ERROR_LIMIT;
    (void)snprintf(error->message, sizeof error->message, "seen enough");
    return VXE_ERROR_LIMIT;
}

static void watch_end(void *user, int64_t index, vxe_sim *sim, vxe_batch_end *end)
{
    watched *w = end->context;
    (void)user;
    w->ended = true;
    w->result = end->result;
    w->hash = vxe_sim_hash(sim);
    if (index == 1) assert_string_equal(end->message, "seen enough");
}

/* Looks come in time and change nothing. */
static void test_look(void **state)
{
    (void)state;
    watched all[3] = {{0}};
    vxe_error error = {VXE_OK, ""};
    vxe_batch *batch = NULL;
    vxe_batch_def def = vxe_default_batch_def();
    def.threads = 2;
    def.user = all;
    def.make = make_watched;
    def.look = watch;
    def.ended = watch_end;
    require(vxe_batch_create(&def, &batch, &error), &error);
    require(vxe_batch_add(batch, 3, &error), &error);
    assert_true(vxe_batch_wait(batch, -1.0));
    vxe_batch_destroy(batch);
    for (int i = 0; i < 3; i++) {
        const bench b = start(robot_scene((uint64_t)i, 0.1));
        const vxe_stop stop = {.time = 0.1};
        assert_true(all[i].ended && all[i].latest <= 0.0);
        assert_int_equal(all[i].result, i == 1 ? VXE_ERROR_LIMIT : VXE_OK);
        assert_int_equal(all[i].looks, i == 1 ? 3 : 8);
        assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
        assert_true((all[i].hash == vxe_sim_hash(b.sim)) == (i != 1));
        finish(b);
    }
}

static void test_refuses(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_batch *batch = NULL;
    vxe_batch_def def = vxe_default_batch_def();
    assert_int_equal(vxe_batch_create(&def, &batch, &error), VXE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "`make` must be set"));
    def.make = make;
    def.threads = -1;
    assert_int_equal(vxe_batch_create(&def, &batch, &error), VXE_ERROR_INPUT);
    def.threads = 1;
    def.together = VXE_TOGETHER_MAX + 1;
    assert_int_equal(vxe_batch_create(&def, &batch, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "together"));
    assert_int_equal(vxe_batch_create(NULL, &batch, NULL), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_batch_add(NULL, 1, NULL), VXE_ERROR_ARGUMENT);
    assert_true(vxe_batch_wait(NULL, 0.0));
    assert_int_equal(vxe_batch_count(NULL).added, 0);
    assert_int_equal(vxe_batch_threads(NULL), 0);
    vxe_batch_cancel(NULL);
    vxe_batch_destroy(NULL);
    assert_null(batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_alone), cmocka_unit_test(test_together), cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_look),          cmocka_unit_test(test_stream),   cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
