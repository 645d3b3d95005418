/* The store of a batch: what goes in comes out, once; versions, locks, merging. */
#include "support.h"

#include "store/store.h"

static const fitness usual = {.formula = {0, NULL}};

/* Outcome number `n` of a design. */
static design_outcome outcome(int n, int32_t repeat)
{
    design_outcome o = {.repeat = repeat, .number = n + 1, .steps = 10 + n, .time = 0.5, .wall = 0.25};
    memset(o.hash, n, sizeof o.hash);
    (void)snprintf(o.id, sizeof o.id, "design %d", n);
    (void)snprintf(o.reason, sizeof o.reason, "time");
    o.state_hash = (uint64_t)n * 3U;
    o.fault_voxel = -1;
    o.finished = 1000.0 + n;
    for (int i = 0; i < METRIC_COUNT; i++) o.metrics[i] = NAN;
    o.metrics[METRIC_DISTANCE] = n;
    o.metrics[METRIC_SPEED] = 2.0 * n;
    return o;
}

static batch_store *open_new(const char *path)
{
    batch_store *store = NULL;
    vxe_error error;
    (void)remove(path);
    require(vxe_store_open(path, STORE_WRITE, &store, &error), &error);
    return store;
}

static int64_t begin_run(batch_store *store, int rank)
{
    vxe_error error;
    int64_t run = 0;
    const store_run r = {
        .input = "d", .command = "c", .settings = "{}", .device = "cpu", .rank = rank, .shards = 1};
    require(vxe_store_begin_run(store, &r, &run, &error), &error);
    return run;
}

static void add(batch_store *store, int first, int count, bool again)
{
    vxe_error error;
    design_outcome *list = calloc((size_t)count, sizeof *list);
    const int64_t run = begin_run(store, first);
    assert_non_null(list);
    for (int i = 0; i < count; i++) {
        list[i] = outcome(first + i, 0);
        list[i].run = run;
        list[i].text = (char *)(uintptr_t) "{}";
    }
    require(vxe_store_add(store, list, (size_t)count, NULL, 0, &usual, again, &error), &error);
    free(list);
}

static double number(batch_store *store, const char *sql)
{
    vxe_error error;
    double value = 0.0;
    require(vxe_store_number(store, sql, &value, &error), &error);
    return value;
}

static bool sum_rows(void *user, const store_row *row)
{
    double *sum = user;
    *sum += row->fitness + 1000.0 * row->metrics[METRIC_SPEED];
    assert_true(isnan(row->metrics[METRIC_STRAIN_MAX]));
    return true;
}

static void results_come_out_once(void **state)
{
    batch_store *store = open_new("once.db");
    store_counts counts;
    vxe_error error;
    bool there = false;
    char id[DESIGN_ID_SIZE];
    double sum = 0.0;
    (void)state;
    add(store, 0, 10, false);
    add(store, 5, 10, false); /* five of them again */
    require(vxe_store_count(store, &counts, &error), &error);
    assert_true(counts.designs == 15 && counts.done == 15 && counts.best == 14.0);
    const design_outcome known = outcome(7, 0);
    require(vxe_store_has(store, known.hash, 0, &there, id, &error), &error);
    assert_true(there);
    assert_string_equal(id, "design 7");
    require(vxe_store_has(store, known.hash, 1, &there, id, &error), &error);
    assert_false(there);
    require(vxe_store_each(store, STORE_BY_FITNESS, NULL, 3, sum_rows, &sum, &error), &error);
    assert_true(sum == (14 + 13 + 12) * 2001.0);
    /* the second time is kept only if it is asked for */
    assert_true(number(store, "SELECT count(DISTINCT run) FROM results WHERE design<=10") == 1.0);
    add(store, 5, 5, true);
    assert_true(number(store, "SELECT count(*) FROM results") == 15.0);
    assert_true(number(store, "SELECT count(DISTINCT run) FROM results WHERE design<=10") == 2.0);
    vxe_store_close(store);
}

static void faults_and_failures_are_kept(void **state)
{
    batch_store *store = open_new("faults.db");
    vxe_error error;
    design_outcome list[2] = {outcome(1, 0), outcome(2, 0)};
    (void)state;
    const int64_t run = begin_run(store, 0);
    list[0].run = list[1].run = run;
    list[0].status = OUTCOME_FAULT;
    list[0].fault_voxel = 9;
    list[0].fault_cell[2] = 4;
    (void)snprintf(list[0].fault_cause, OUTCOME_WORD, "too fast");
    (void)snprintf(list[0].message, OUTCOME_MESSAGE, "voxel 9");
    list[1].status = OUTCOME_FAILED;
    require(vxe_store_add(store, list, 2, NULL, 0, &usual, false, &error), &error);
    assert_true(number(store, "SELECT k FROM faults WHERE cause='too fast' AND voxel=9") == 4.0);
    assert_true(number(store, "SELECT count(*) FROM results WHERE fitness IS NULL") == 2.0);
    assert_true(number(store, "SELECT count(*) FROM metrics") == 1.0);
    require(vxe_store_forget_failed(store, &error), &error);
    assert_true(number(store, "SELECT count(*) FROM designs") == 1.0);
    vxe_store_close(store);
}

static void fitness_can_change(void **state)
{
    batch_store *store = open_new("worth.db");
    vxe_error error;
    char *text = NULL;
    (void)state;
    add(store, 0, 5, false);
    require(vxe_store_value(store, "10 - speed", &error), &error);
    assert_true(number(store, "SELECT max(fitness) FROM results") == 10.0);
    assert_true(number(store, "SELECT min(fitness) FROM results") == 2.0);
    require(vxe_store_get(store, "fitness", &text, &error), &error);
    assert_string_equal(text, "10 - speed");
    free(text);
    assert_int_equal(vxe_store_value(store, "nonsense", &error), VXE_ERROR_INPUT);
    vxe_store_close(store);
}

/* A store that somebody writes, one of a newer version, other databases and other files. */
static void others_are_refused(void **state)
{
    batch_store *store = open_new("lock.db");
    batch_store *other = NULL;
    vxe_error error;
    (void)state;
    assert_int_equal(vxe_store_open("lock.db", STORE_WRITE, &other, &error), VXE_ERROR_FILE);
    assert_non_null(strstr(error.message, "another batch"));
    require(vxe_store_open("lock.db", STORE_READ, &other, &error), &error);
    vxe_store_close(other);
    (void)sqlite3_exec(vxe_store_connection(store), "PRAGMA user_version=2", NULL, NULL, NULL);
    vxe_store_close(store);
    assert_int_equal(vxe_store_open("lock.db", STORE_WRITE, &other, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "version 2, made by a newer Voxelastic"));
    assert_int_equal(vxe_store_open("lock.db", STORE_READ, &other, &error), VXE_ERROR_INPUT);

    store = open_new("foreign.db");
    (void)sqlite3_exec(vxe_store_connection(store), "PRAGMA application_id=5", NULL, NULL, NULL);
    vxe_store_close(store);
    assert_int_equal(vxe_store_open("foreign.db", STORE_WRITE, &other, &error), VXE_ERROR_INPUT);
    char text[5000];
    memset(text, 'x', sizeof text);
    require(vxe_write_file("text.db", text, sizeof text, &error), &error);
    assert_int_equal(vxe_store_open("text.db", STORE_WRITE, &other, &error), VXE_ERROR_INPUT);
    assert_int_equal(vxe_store_open("none.db", STORE_READ, &other, &error), VXE_ERROR_FILE);
    assert_int_equal(vxe_store_open(".", STORE_READ, &other, &error), VXE_ERROR_FILE);
}

static void stores_merge(void **state)
{
    batch_store *a = open_new("a.db");
    batch_store *b = open_new("b.db");
    vxe_error error;
    int64_t added = 0;
    (void)state;
    add(a, 0, 10, false);
    add(b, 8, 10, false);
    vxe_store_close(b);
    require(vxe_store_merge(a, "b.db", &added, &error), &error);
    assert_int_equal(added, 8);
    require(vxe_store_merge(a, "b.db", &added, &error), &error);
    assert_int_equal(added, 0);
    assert_true(number(a, "SELECT count(*) FROM results") == 18.0);
    assert_true(number(a, "SELECT count(*) FROM metrics") == 18.0);
    assert_true(number(a, "SELECT count(*) FROM texts") == 18.0);
    assert_true(number(a, "SELECT count(*) FROM runs") == 2.0);
    assert_true(number(a, "SELECT count(*) FROM results WHERE run NOT IN (SELECT run FROM runs)") == 0.0);
    assert_true(number(a, "SELECT sum(fitness) FROM results") == 17.0 * 18.0 / 2.0);
    assert_int_equal(vxe_store_merge(a, "none.db", &added, &error), VXE_ERROR_FILE);
    vxe_store_close(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_come_out_once), cmocka_unit_test(faults_and_failures_are_kept),
        cmocka_unit_test(fitness_can_change),    cmocka_unit_test(others_are_refused),
        cmocka_unit_test(stores_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
