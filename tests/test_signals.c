/* Control variables: waveforms, several signals each with its own materials, tables,
 * what belongs to a voxel alone, and the limits of growth. */
#include "support.h"

#include "base/base.h"
#include "kernel/signal.h"
#include "sim/sim.h"

/* ---- waveforms ------------------------------------------------------------------------------------------------------- */

/* The sine is its own polynomial: to the last digits of the library's. 6e-16: five units in the last place
 * below 1. */
static void test_sine(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int i = 0; i <= 100000; i++) {
        const double f = i / 100000.0;
        const long double exact = sinl(6.283185307179586476925286766559L * f);
        worst = fmax(worst, (double)fabsl(signal_sine(f) - exact));
    }
    check_below("difference from sin", worst, 6e-16);
}

static void test_fraction(void **state)
{
    (void)state;
    const double cases[][2] = {
        {0.0, 0.0},   {0.25, 0.25}, {1.0, 0.0},   {7.75, 0.75},  {-0.25, 0.75},
        {-1.0, 0.0},  {-3.5, 0.5},  {1e300, 0.0}, {-1e300, 0.0}, {4503599627370495.5, 0.5},
        {-1e-30, 0.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_near("part of a cycle", signal_fraction(cases[i][0]), cases[i][1], 0.0);
    }
    check_near("part of a cycle", signal_fraction(INFINITY), 0.0, 0.0);
    check_near("part of a cycle", signal_fraction(NAN), 0.0, 0.0);
}

/* What a waveform should be, from its definition in scene.h. */
static double expected_wave(vxe_waveform waveform, double cycles)
{
    const double f = cycles - floor(cycles);
    switch (waveform) {
    case VXE_WAVE_SINE: return sin(2.0 * PI * f);
    case VXE_WAVE_SQUARE: return f < 0.5 ? 1.0 : -1.0;
    case VXE_WAVE_RAMP: return 2.0 / PI * asin(sin(2.0 * PI * f)); /* a triangle, by other means */
    case VXE_WAVE_TABLE: break;
    }
    return 0.0;
}

/* ---- scenes ------------------------------------------------------------------------------------------------------------ */

/* Voxels in a row with gaps between them: each is a body of its own and nothing moves. */
static vxe_scene *row_of(int count) { return new_scene(0.01, 2 * count, 1, 1); }

static void put_voxel(vxe_scene *scene, int index, int32_t material)
{
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_set_voxel(scene, 2 * index, 0, 0, material, &error), &error);
}

static int32_t expanding(vxe_scene *scene, double expansion, const char *signal)
{
    vxe_material_def def = vxe_default_material_def();
    def.expansion = expansion;
    (void)snprintf(def.signal, sizeof def.signal, "%s", signal);
    return put_material(scene, &def);
}

static vxe_signal_def named(const char *name, vxe_waveform waveform)
{
    vxe_signal_def def = vxe_default_signal_def();
    (void)snprintf(def.name, sizeof def.name, "%s", name);
    def.waveform = waveform;
    return def;
}

/* Whether a time is so near a jump of the square wave that round-off decides. */
static bool near_jump(vxe_waveform waveform, double cycles)
{
    const double f = 2.0 * cycles;
    return waveform == VXE_WAVE_SQUARE && fabs(f - round(f)) < 1e-9;
}

/* Three signals at once, of different waveforms, periods, phases and starts; one material for each, one that
 * names none (the first) and one that does not expand. Growth follows the definition to round-off (1e-13:
 * times of 1e2 periods have lost two digits, the library's asin another). */
static void test_several_signals(void **state)
{
    (void)state;
    vxe_scene *scene = row_of(5);
    vxe_signal_def signals[3] = {named("heat", VXE_WAVE_SINE), named("pulse", VXE_WAVE_SQUARE),
                                 named("sweep", VXE_WAVE_RAMP)};
    const double periods[3] = {0.013, 0.031, 0.0071};
    for (int i = 0; i < 3; i++) {
        signals[i].period = periods[i];
        signals[i].base = 3.0 + i;
        signals[i].reference = 1.0;
        signals[i].amplitude = 10.0 * (i + 1);
        signals[i].phase = 0.1 * i;
        signals[i].start = 0.02 * i;
        (void)put_signal(scene, &signals[i]);
    }
    const double expansions[5] = {0.01, -0.005, 0.004, 0.002, 0.0};
    const int driven_by[5] = {0, 1, 2, 0, 0};
    const char *const names[5] = {"heat", "pulse", "sweep", "", "pulse"};
    for (int i = 0; i < 5; i++) put_voxel(scene, i, expanding(scene, expansions[i], names[i]));
    const bench b = start(scene);
    vxe_sim *sim = b.sim;
    assert_int_equal(b.model->view.signal_count, 3);
    double values[3];
    for (int k = 0; k < 3000; k++) {
        const double time = vxe_sim_time(sim);
        bool unclear = false;
        for (int i = 0; i < 3; i++) {
            const double cycles = time / periods[i] + signals[i].phase;
            unclear = unclear || near_jump(signals[i].waveform, cycles);
            const double part = signals[i].start > 0.0 ? fmin(time / signals[i].start, 1.0) : 1.0;
            const double smooth = part * part * (3.0 - 2.0 * part);
            values[i] =
                signals[i].base + smooth * signals[i].amplitude * expected_wave(signals[i].waveform, cycles);
            if (!unclear) check_near("signal, K", vxe_sim_signal(sim, i), values[i], 1e-11); /* of 30 K */
        }
        step(sim, 1);
        for (int i = 0; i < 5 && !unclear; i++) {
            check_near("growth", vxe_sim_state(sim)->growth[i], expansions[i] * (values[driven_by[i]] - 1.0),
                       1e-13);
        }
    }
    assert_true(vxe_sim_time(sim) > 3.0 * periods[1]); /* several periods of the slowest */
    assert_true(isnan(vxe_sim_signal(sim, 3)));
    assert_true(isnan(vxe_sim_signal(sim, -1)));
    finish(b);
}

/* ---- one voxel's own ----------------------------------------------------------------------------------------------------- */

/* Phase (cycles, added), amplitude and period (factors) of each voxel, and voxels without any beside them. */
static void test_actuation(void **state)
{
    (void)state;
    const vxe_waveform waves[3] = {VXE_WAVE_SINE, VXE_WAVE_SQUARE, VXE_WAVE_RAMP};
    for (int w = 0; w < 3; w++) {
        vxe_scene *scene = row_of(4);
        vxe_signal_def signal = named("heat", waves[w]);
        signal.amplitude = 20.0;
        signal.period = 0.01;
        signal.phase = 0.05;
        (void)put_signal(scene, &signal);
        const int32_t material = expanding(scene, 0.01, "");
        const vxe_actuation own[4] = {
            {0, 0.0, 1.0, 1.0}, {0, 0.25, 1.0, 1.0}, {0, 0.0, -0.5, 1.0}, {0, -0.3, 2.0, 3.0}};
        vxe_error error = {VXE_OK, ""};
        for (int i = 0; i < 4; i++) {
            put_voxel(scene, i, material);
            if (i > 0) require(vxe_scene_set_actuation(scene, 2 * i, 0, 0, &own[i], &error), &error);
        }
        const bench b = start(scene);
        for (int k = 0; k < 600; k++) {
            const double time = vxe_sim_time(b.sim);
            step(b.sim, 1);
            for (int i = 0; i < 4; i++) {
                const double cycles = time / (0.01 * own[i].period) + 0.05 + own[i].phase;
                if (near_jump(waves[w], cycles)) continue;
                check_near("growth", vxe_sim_state(b.sim)->growth[i],
                           0.2 * own[i].amplitude * expected_wave(waves[w], cycles), 1e-13);
            }
        }
        finish(b);
    }
}

/* ---- tables ---------------------------------------------------------------------------------------------------------------- */

static const double table_time[4] = {0.0, 0.002, 0.005, 0.006};
static const double table_value[4] = {0.5, 1.0, -1.0, 0.25};

/* Straight lines; before and after the ends the end values. */
static double expected_table(double time)
{
    if (time >= table_time[3]) return table_value[3];
    int i = 0;
    while (table_time[i + 1] <= time) i++;
    return table_value[i] + (time - table_time[i]) / (table_time[i + 1] - table_time[i]) *
                                (table_value[i + 1] - table_value[i]);
}

/* Played once with period 0; with a period longer than the table its last value holds to the end of the
 * period, then it begins again. */
static void test_tables(void **state)
{
    (void)state;
    for (int repeating = 0; repeating < 2; repeating++) {
        vxe_scene *scene = row_of(2);
        vxe_signal_def signal = named("heat", VXE_WAVE_TABLE);
        signal.period = repeating != 0 ? 0.008 : 0.0;
        signal.amplitude = 10.0;
        signal.table_count = 4;
        signal.table_time = table_time;
        signal.table_value = table_value;
        (void)put_signal(scene, &signal);
        const int32_t material = expanding(scene, 0.02, "heat");
        put_voxel(scene, 0, material);
        put_voxel(scene, 1, material);
        const vxe_actuation slow = {.amplitude = 1.0, .period = 2.0};
        require(vxe_scene_set_actuation(scene, 2, 0, 0, &slow, NULL), NULL);
        const bench b = start(scene);
        for (int k = 0; k < 500; k++) {
            const double time = vxe_sim_time(b.sim);
            step(b.sim, 1);
            for (int i = 0; i < 2; i++) {
                const double own = time / (i == 0 ? 1.0 : 2.0); /* a slower voxel plays it slower */
                const double inside = repeating != 0 ? own - 0.008 * floor(own / 0.008) : own;
                if (repeating != 0 && (inside < 1e-12 || inside > 0.008 - 1e-12))
                    continue; /* the jump back to the beginning */
                /* slopes of up to 1.25e3/s times 0.2: the last digits of time count 1e-13 */
                check_near("growth", vxe_sim_state(b.sim)->growth[i], 0.2 * expected_table(inside), 1e-12);
            }
        }
        assert_true(vxe_sim_time(b.sim) > 0.02);
        finish(b);
    }
}

/* The same table from a CSV file named by a scene file. */
static void test_csv(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    static const char csv[] = "# time, value\n0,0.5\n0.002,1\n\n0.005,-1\n6e-3,0.25\n";
    require(vxe_write_file("beat.csv", csv, sizeof csv - 1, &error), &error);
    static const char text[] =
        "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [1, 1, 1]},"
        "\"materials\": [{\"name\": \"muscle\", \"expansion\": 0.02, \"signal\": \"beat\"}],"
        "\"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [1, 1, 1]}, \"material\": \"muscle\"}],"
        "\"signals\": [{\"name\": \"idle\"}, {\"name\": \"beat\", \"waveform\": \"table\", \"period\": 0.008,"
        "\"amplitude\": 10, \"table\": \"beat.csv\"}]}";
    vxe_scene *scene = NULL;
    require(vxe_scene_parse_json(text, sizeof text - 1, "beat.json", ".", &scene, &error), &error);
    const vxe_signal_def *signal = vxe_scene_signal(scene, 1);
    assert_int_equal(signal->table_count, 4);
    for (int i = 0; i < 4; i++) {
        check_near("time, s", signal->table_time[i], table_time[i], 0.0);
        check_near("value", signal->table_value[i], table_value[i], 0.0);
    }
    const bench b = start(scene);
    step(b.sim, 20);
    const double time = vxe_sim_time(b.sim);
    assert_true(time < 0.008);
    check_near("signal, K", vxe_sim_signal(b.sim, 1), 10.0 * expected_table(time), 1e-11);
    finish(b);
    (void)remove("beat.csv");
}

/* ---- limits ------------------------------------------------------------------------------------------------------------------ */

/* A voxel's size stays between a tenth and three times its size at rest, and with "contract only" never
 * exceeds that. The links feel the same: two linked voxels have the mean of their sizes as rest length. */
static void test_limits(void **state)
{
    (void)state;
    for (int contract = 0; contract < 2; contract++) {
        vxe_scene *scene = row_of(3);
        vxe_signal_def signal = named("heat", VXE_WAVE_SINE);
        signal.amplitude = 100.0;
        signal.period = 0.01;
        signal.contract_only = contract != 0;
        (void)put_signal(scene, &signal);
        const double expansions[3] = {0.002, 0.08, -0.08}; /* +-20 %, and +-800 %, which is too much */
        for (int i = 0; i < 3; i++) put_voxel(scene, i, expanding(scene, expansions[i], ""));
        const bench b = start(scene);
        double least[3] = {9.0, 9.0, 9.0};
        double most[3] = {-9.0, -9.0, -9.0};
        for (int k = 0; k < 1000; k++) {
            const double time = vxe_sim_time(b.sim);
            step(b.sim, 1);
            for (int i = 0; i < 3; i++) {
                double expected = 100.0 * expansions[i] * expected_wave(VXE_WAVE_SINE, time / 0.01);
                if (contract != 0) expected = fmin(expected, 0.0);
                expected = fmin(fmax(expected, -0.9), 2.0);
                const double growth = vxe_sim_state(b.sim)->growth[i];
                check_near("growth", growth, expected, 1e-11); /* 8 times the sine's 1e-13 of cycles */
                least[i] = fmin(least[i], growth);
                most[i] = fmax(most[i], growth);
            }
        }
        for (int i = 1; i < 3; i++) {
            check_near("smallest", least[i], -0.9, 1e-15);
            check_near("largest", most[i], contract != 0 ? 0.0 : 2.0, 1e-15);
        }
        finish(b);
    }
}

/* Links between voxels that grow by different amounts rest at the mean: a free pair, heated, settles there.
 * 1e-6: what is left of its ringing. */
static void test_rest_length(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 2, 1, 1);
    vxe_signal_def signal = named("heat", VXE_WAVE_SINE);
    signal.base = 10.0;
    (void)put_signal(scene, &signal);
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_set_voxel(scene, 0, 0, 0, expanding(scene, 0.03, ""), &error), &error);
    require(vxe_scene_set_voxel(scene, 1, 0, 0, expanding(scene, -0.01, ""), &error), &error);
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.05);
    set_environment(scene, &e);
    const bench b = start(scene);
    settle(b.sim, 1e-9, 0.0, 200000);
    const vxe_state *s = vxe_sim_state(b.sim);
    check_near("distance, m", s->position[0][1] - s->position[0][0], 0.01 * (1.0 + 0.5 * (0.3 - 0.1)), 1e-8);
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sine),
        cmocka_unit_test(test_fraction),
        cmocka_unit_test(test_several_signals),
        cmocka_unit_test(test_actuation),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_rest_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
