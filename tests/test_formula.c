/* Formulas: values, precedence, printing and parsing back, and what is refused, with its place. */
#include "scene/expression.h"
#include "support.h"

static double value_of(const char *text)
{
    vxe_formula f;
    vxe_error error = {VXE_OK, ""};
    require(vxe_formula_parse(text, &f, &error), &error);
    static const double variables[VXE_VARIABLE_COUNT] = {2.0, 3.0, 5.0, 7.0, 11.0, 0.5, 0.25, 4.0, 9.0};
    const double value = vxe_formula_value(&f, variables);
    char *printed = vxe_formula_print(&f);
    assert_non_null(printed);
    vxe_formula again;
    require(vxe_formula_parse(printed, &again, &error), &error);
    assert_int_equal(again.count, f.count);
    for (int32_t i = 0; i < f.count; i++) {
        assert_int_equal(again.tokens[i].operation, f.tokens[i].operation);
        assert_true(again.tokens[i].number == f.tokens[i].number);
        assert_int_equal(again.tokens[i].variable, f.tokens[i].variable);
    }
    free(printed);
    vxe_formula_free(&again);
    vxe_formula_free(&f);
    return value;
}

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } all[] = {
        {"1 + 2 * 3", 7.0},
        {"(1 + 2) * 3", 9.0},
        {"10 - 4 - 3", 3.0},
        {"100 / 10 / 5", 2.0},
        {"2 ^ 3 ^ 2", 512.0},
        {"-2", -2.0},
        {"-x * y", -6.0},
        {"2 ^ -1", 0.5},
        {"x > 1 && y < 2", 0.0},
        {"x > 1 || y < 2", 1.0},
        {"!0 + not(3)", 1.0},
        {"sqrt(z * z)", 5.0},
        {"abs(-3) + round(2.5) + round(-0.4)", 6.0},
        {"t + hit + angle + targetCloseness + numClosePairs + num_voxel", 31.75},
        {"log(e)", 1.0},
        {"normalcdf(0)", 0.5},
        {"1e3 + 1E-3", 1000.001},
        {"  ( x )  ", 2.0},
        {"1 < 2 < 3", 1.0},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check_near(all[i].text, value_of(all[i].text), all[i].value, 1e-12 * (1.0 + fabs(all[i].value)));
    check_near("sin(pi/6)", value_of("sin(pi / 6)"), 0.5, 1e-15);
    check_near("cos, tan, atan", value_of("cos(1) * cos(1) + sin(1) * sin(1) + tan(atan(2))"), 3.0, 1e-14);
    check_near("normalcdf(1)", value_of("normalcdf(1)"), 0.841344746068543, 1e-14);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words;
    } all[] = {
        {"1 +", "something is missing at character 4"},
        {"(1", "a closing bracket is missing at character 3"},
        {"1 2", "something unexpected at character 3"},
        {"foo", "a name that is not known at character 1"},
        {"sin 2", "a bracket is missing after the name of a function"},
        {"1 + * 2", "something unexpected at character 5"},
        {"1..2", "a number that is none at character 1"},
        {"-2 ^ 2", "a power of a negative number needs brackets"},
        {"1e999", "a number that is none"},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        vxe_formula f;
        vxe_error error = {VXE_OK, ""};
        assert_int_equal(vxe_formula_parse(all[i].text, &f, &error), VXE_ERROR_INPUT);
        if (strstr(error.message, all[i].words) == NULL) fail_msg("\"%s\": %s", all[i].text, error.message);
    }
    /* too deep and too long are limits, not crashes */
    char *text = malloc(20001);
    assert_non_null(text);
    vxe_formula f;
    memset(text, '(', 20000);
    text[20000] = '\0';
    assert_int_equal(vxe_formula_parse(text, &f, NULL), VXE_ERROR_LIMIT);
    for (int i = 0; i < 10000; i++) memcpy(text + 2 * i, "1+", 2);
    assert_int_equal(vxe_formula_parse(text, &f, NULL), VXE_ERROR_LIMIT);
    memset(text, '-', 20000);
    assert_int_equal(vxe_formula_parse(text, &f, NULL), VXE_ERROR_LIMIT);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
