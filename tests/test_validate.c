/* What `voxelastic validate` rests on: verdicts, observed orders, letters of bases, and frequencies from a
 * recorded signal. The cases themselves are run by validate.sh. */
#include "support.h"

#include "validate/print.c"
#include "validate/records.c"
#include "validate/spectrum.c"

static void pass_case(validation *v)
{
    static const val_basis basis = {"exact", "for the test"};
    val_compare(v, "a", "equal", "", 1.0, 1.0, 1e-9, basis);
    val_compare(v, "b", "just inside", "", 1.0099, 1.0, 0.01, basis);
    val_compare(v, "c", "outside", "", 1.011, 1.0, 0.01, basis);
    val_compare(v, "d", "outside below", "", 0.98, 1.0, 0.01, basis);
    val_compare(v, "e", "not a number", "", (double)NAN, 1.0, 0.5, basis);
    val_compare_absolute(v, "f", "absolute, inside", "", 1e-4, 0.0, 1e-3, basis);
    val_compare_absolute(v, "g", "absolute, outside", "", -2e-3, 0.0, 1e-3, basis);
    val_compare(v, "h", "information", "", 7.0, 1.0, 0.0, (val_basis){"exact", "another"});
    val_skip(v, "i", "skipped", "no reason");
}

static void broken_case(validation *v)
{
    (void)vxe_fail(&v->error, VXE_ERROR_DIVERGED, "it broke");
    val_compare(v, "j", "after a failure", "", 1.0, 1.0, 1e-9, (val_basis){"exact", "not recorded"});
}

const val_case val_cases[] = {{"good", "group", "Good", VAL_QUICK, pass_case},
                              {"bad", "group", "Bad", VAL_SLOW, broken_case}};
const int val_case_count = 2;
const val_study val_studies[] = {{"", "", NULL}};
const int val_study_count = 0;

static void test_verdicts(void **state)
{
    (void)state;
    static const val_verdict expected[] = {VAL_PASS, VAL_PASS, VAL_FAIL, VAL_FAIL,   VAL_FAIL,
                                           VAL_PASS, VAL_FAIL, VAL_INFO, VAL_SKIPPED};
    validation v;
    assert_true(val_create(&v));
    val_run(&v, 0);
    assert_int_equal(v.row_count, 9);
    for (int i = 0; i < v.row_count; i++) assert_int_equal(v.rows[i].verdict, expected[i]);
    assert_int_equal(val_count(&v, VAL_FAIL), 4);
    assert_int_equal(val_broken(&v), 0);
    val_run(&v, 1);
    assert_int_equal(val_broken(&v), 1);
    assert_int_equal(v.row_count, 9);
    assert_string_equal(v.results[1].message, "it broke");
    val_destroy(&v);
}

static void test_letters(void **state)
{
    (void)state;
    validation v;
    bool first = false;
    assert_true(val_create(&v));
    val_run(&v, 0);
    assert_int_equal(val_basis_letter(&v, 0, &first), 'a');
    assert_true(first);
    assert_int_equal(val_basis_letter(&v, 6, &first), 'a');
    assert_false(first);
    assert_int_equal(val_basis_letter(&v, 7, &first), 'b');
    assert_true(first);
    assert_int_equal(val_basis_letter(&v, 8, &first), 'c');
    val_destroy(&v);
}

/* A value that approaches 2 with the square of the pitch, and one whose error changes sign. */
static void test_orders(void **state)
{
    (void)state;
    static const double per_mm[3] = {1.0, 2.0, 4.0};
    static const double square[3] = {2.4, 2.1, 2.025};
    static const double crossing[3] = {2.4, 1.9, 2.01};
    validation v;
    assert_true(val_create(&v));
    val_add_refinement(&v, "a", "square", "", 3, per_mm, square, 2.0, "");
    val_add_refinement(&v, "b", "crossing", "", 3, per_mm, crossing, 2.0, "");
    check_near("order", v.refinements[0].order, 2.0, 1e-9);
    check_near("limit", v.refinements[0].limit, 2.0, 1e-9);
    assert_true(isnan(v.refinements[1].order));
    assert_true(isnan(v.refinements[1].limit));
    val_destroy(&v);
}

static void test_tables(void **state)
{
    (void)state;
    validation v;
    assert_true(val_create(&v));
    val_table *table = val_add_table(&v, "title", "|one|two", "text");
    val_add_cells(&v, table, "row|1|2");
    val_add_cells(&v, table, "short");
    assert_int_equal(table->columns, 3);
    assert_int_equal(table->rows, 2);
    assert_string_equal(table->cells[0][0], "");
    assert_string_equal(table->cells[1][2], "2");
    assert_string_equal(table->cells[2][0], "short");
    assert_string_equal(table->cells[2][1], "");
    val_destroy(&v);
}

/* Three decaying tones of very different strength, half a second at 200 kHz. A Hann window and a parabola
 * through logarithms place a pure tone within a few thousandths of a bin of 1 Hz; the decay of the last one
 * blurs it. */
static void test_spectrum(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    static const double frequency[3] = {424.649, 7355.84, 33902.35};
    static const double strength[3] = {1.0, 1e-3, 1e-7};
    static const double decay[3] = {0.0, 1.0, 200.0};
    const double interval = 5e-6;
    double *samples = calloc(COUNT, sizeof *samples);
    double found[3];
    double height[3];
    spectrum s;
    assert_non_null(samples);
    for (int i = 0; i < COUNT; i++) {
        const double t = i * interval;
        for (int n = 0; n < 3; n++)
            samples[i] += strength[n] * exp(-decay[n] * t) * sin(2.0 * PI * frequency[n] * t + n);
    }
    assert_true(spectrum_create(&s, samples, COUNT, interval));
    assert_int_equal(spectrum_peaks(&s, 100.0, 1000.0, 3, found, height), 3);
    check_near("first", found[0], frequency[0], 0.01);
    check_near("second", found[1], frequency[1], 0.01);
    check_near("third", found[2], frequency[2], 2.0);
    check_near("height of the first", height[0], 1.0, 0.02);
    spectrum_destroy(&s);
    free(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_verdicts), cmocka_unit_test(test_letters),
                                       cmocka_unit_test(test_orders), cmocka_unit_test(test_tables),
                                       cmocka_unit_test(test_spectrum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
