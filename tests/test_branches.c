/* What branches of voxcraft and evosoro ask for beside the main programs: generations, walls, water, lamps,
 * falls. Every test shows what changes in a run. */
#include "sim/life.h"

#include "vxa_text.h"

#define PLAIN                                                                                                \
    "<MatModel>0</MatModel><Elastic_Mod>1e5</Elastic_Mod><Density>1000</Density><uStatic>1</uStatic>"        \
    "<uDynamic>0.5</uDynamic>"
#define MATERIAL(name, tags)                                                                                 \
    "<Material><Name>" name "</Name><Mechanical>" PLAIN tags "</Mechanical></Material>"
#define CALM                                                                                                 \
    "<Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>0.8</ColDampingZ><SlowDampingZ>0</SlowDampingZ></"  \
    "Damping>"
/* One voxel, high up. */
#define LONE                                                                                                 \
    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels>"                 \
    "<Z_Voxels>3</Z_Voxels><Data><Layer>0</Layer><Layer>0</Layer><Layer>1</Layer></Data></Structure>"
#define FALLING                                                                                              \
    "<Gravity><GravEnabled>1</GravEnabled><GravAcc>-9.81</GravAcc><FloorEnabled>0</FloorEnabled></Gravity>"

static place run_lone(const char *simulator, const char *environment, const char *palette, double time)
{
    return run_voxel(read_parts(VXE_DIALECT_VOXCRAFT, simulator, environment, palette, LONE), time, 0, 0, 2);
}

static bench start_parts(const char *simulator, const char *environment, const char *palette,
                         const char *structure)
{
    return start(read_parts(VXE_DIALECT_VOXCRAFT, simulator, environment, palette, structure));
}

static void run_to(vxe_sim *sim, double time)
{
    const vxe_stop stop = {.time = time};
    (void)vxe_sim_run(sim, &stop, INT64_MAX);
    check_well(sim);
}

/* ---- forces --------------------------------------------------------------------------------------------------------- */

static void test_water(void **state)
{
    (void)state;
    const double fall = -0.5 * 9.81 * 0.01;
    check_near("fall", run_lone(CALM, FALLING, MATERIAL("a", ""), 0.1).z, fall, 1e-3);
    check_near("afloat", run_lone(CALM, FALLING, MATERIAL("a", "<Buoyancy>0.2</Buoyancy>"), 0.1).z, 0.0,
               1e-4);
    /* it is at 2 pitches: one above the level its weight once more draws it down; then less */
    const double down =
        run_lone(CALM, FALLING, MATERIAL("a", "<Buoyancy>1</Buoyancy><WaterLevel>1</WaterLevel>"), 0.02).z;
    check_near("pressed under", down, -0.5 * 9.81 * 4e-4, 3e-4);
}

static void test_walls(void **state)
{
    (void)state;
    static const char walls[] = CALM "<WallForce>1e4</WallForce><WorldSize>2</WorldSize>";
    vxe_error error = {VXE_OK, ""};
    for (int wall = 0; wall < 2; wall++) {
        const bench b = start_parts(wall == 1 ? walls : CALM, STILL, MATERIAL("a", ""), LONE);
        const double velocity[3] = {0.1, -0.1, 0.0};
        const double still[3] = {0.0, 0.0, 0.0};
        require(vxe_sim_set_velocity(b.sim, 0, velocity, still, &error), &error);
        run_to(b.sim, 1.0);
        if (wall == 0) check_near("way", moved(b.sim, 0, 0), 0.1, 1e-6);
        if (wall == 1) { /* 0.1 m/s of 1 g goes (3 m v^2/(2 F))^(1/3) = 1.1 mm into it */
            check_below("beyond the wall", moved(b.sim, 0, 0), 0.0112);
            check_above("beyond the wall", moved(b.sim, 0, 0), -0.0012);
            check_above("beyond the wall", moved(b.sim, 0, 1), -0.0012);
        }
        finish(b);
    }
}

/* Half of a material's damping. */
static void test_slow_damping(void **state)
{
    (void)state;
    static const char slow[] = "<Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>0.8</ColDampingZ>"
                               "<SlowDampingZ>0.1</SlowDampingZ></Damping>";
    double speed[2];
    for (int i = 0; i < 2; i++) {
        const bench b = start_parts(
            slow, FALLING,
            i == 0 ? MATERIAL("a", "") : MATERIAL("a", "<SlowDampingFrac>0.5</SlowDampingFrac>"), LONE);
        run_to(b.sim, 0.5); /* it has its last speed: g over the rate */
        speed[i] = vxe_sim_state(b.sim)->velocity[2][0];
        finish(b);
    }
    check_near("speed of fall", speed[1] / speed[0], 2.0, 1e-3);
}

static void test_gravity_halfway(void **state)
{
    (void)state;
    static const char gravity[] =
        "<Gravity><GravEnabled>1</GravEnabled><GravAcc>-9.81</GravAcc><FloorEnabled>0</FloorEnabled>"
        "<AlterGravityHalfway>-1</AlterGravityHalfway></Gravity>";
    static const char life[] = "<Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>0.8</ColDampingZ>"
                               "<SlowDampingZ>0</SlowDampingZ></Damping><StopCondition><StopConditionType>2"
                               "</StopConditionType><StopConditionValue>0.2</StopConditionValue>"
                               "</StopCondition>";
    const place p =
        run_voxel(read_parts(VXE_DIALECT_EVOSORO, life, gravity, MATERIAL("a", ""), LONE), 0.19, 0, 0, 2);
    check_near("down, and braked as much", p.z, -0.5 * 9.81 * 0.01 - 0.981 * 0.09 + 0.5 * 9.81 * 0.0081,
               2e-3);
}

/* ---- signals -------------------------------------------------------------------------------------------------------- */

/* A column falls on a target, and fires where it touches it, however often it does; without EnableSignals, or
 * on a block that is no target, it does not. */
static void test_target_fires(void **state)
{
    (void)state;
    static const char body[] =
        "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels>"
        "<Z_Voxels>6</Z_Voxels><Data><Layer>2</Layer><Layer>0</Layer><Layer>0</Layer><Layer>1</Layer>"
        "<Layer>1</Layer><Layer>1</Layer></Data></Structure>";
    for (int i = 0; i < 3; i++) {
        const bench b =
            start_parts(i == 0 ? CALM : CALM "<EnableSignals>1</EnableSignals>", FALLING,
                        i == 1 ? MATERIAL("a", "") MATERIAL("b", "<Fixed>1</Fixed>")
                               : MATERIAL("a", "") MATERIAL("b", "<Fixed>1</Fixed><isTarget>1</isTarget>"),
                        body);
        double largest[4] = {0.0};
        for (int n = 1; n <= 40; n++) {
            run_to(b.sim, 0.005 * n);
            for (int32_t v = 0; v < 4; v++) largest[v] = fmax(largest[v], vxe_sim_impulse(b.sim, v));
        }
        check_near("impulse of the target", largest[0], 0.0, 0.0);
        check_near("impulse of who touches it", largest[1], i == 2 ? 100.0 : 0.0, 0.0);
        check_near("impulse of the next", largest[2], i == 2 ? 90.0 : 0.0, 1e-9);
        check_near("impulse of the last", largest[3], i == 2 ? 81.0 : 0.0, 1e-9);
        finish(b);
    }
}

/* ---- generations ---------------------------------------------------------------------------------------------------- */

#define CYCLE                                                                                                \
    CALM "<SecondaryExperiment>1</SecondaryExperiment><SelfReplication>1</SelfReplication>"                  \
         "<ReinitializeInitialPositionAfterThisManySeconds>0.02</"                                           \
         "ReinitializeInitialPositionAfterThisManySeconds>"                                                  \
         "<SettleTimeBeforeNextRoundOfReplication>0.01</SettleTimeBeforeNextRoundOfReplication>"             \
         "<MinimumBotSize>3</MinimumBotSize><WorldSize>9</WorldSize><EnableCilia>1</EnableCilia>"            \
         "<RandomizeCiliaEvery>0.01</RandomizeCiliaEvery>"                                                   \
         "<AttachDetach><EnableCollision>1</EnableCollision><EnableAttach>1</EnableAttach></AttachDetach>"
#define ROLES                                                                                                \
    MATERIAL("bot", "<RemoveFromSimulationAfterThisManySeconds>0.01</"                                       \
                    "RemoveFromSimulationAfterThisManySeconds><Cilia>0.001</Cilia>"                          \
                    "<EndSimIfCompletelyRemoved>1</EndSimIfCompletelyRemoved>")                              \
    MATERIAL("debris", "<Sticky>1</Sticky><Cilia>0</Cilia>")
/* A robot of 4 voxels, a pile of 3, a pile of 2, and one alone. */
#define ARENA                                                                                                \
    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>9</X_Voxels><Y_Voxels>9</Y_Voxels>"                 \
    "<Z_Voxels>2</Z_Voxels><Data><Layer>"                                                                    \
    "110000000"                                                                                              \
    "110000000"                                                                                              \
    "000000000"                                                                                              \
    "000000000"                                                                                              \
    "000000022"                                                                                              \
    "000000000"                                                                                              \
    "000000000"                                                                                              \
    "000222000"                                                                                              \
    "000000002"                                                                                              \
    "</Layer><Layer>"                                                                                        \
    "000000000"                                                                                              \
    "000000000"                                                                                              \
    "000000000"                                                                                              \
    "000000000"                                                                                              \
    "000000000"                                                                                              \
    "000000000"                                                                                              \
    "000000000"                                                                                              \
    "000000000"                                                                                              \
    "000000000"                                                                                              \
    "</Layer></Data></Structure>"

static int32_t count_of(const vxe_sim *sim, uint32_t role)
{
    int32_t count = 0;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++)
        count += sim->alive[0][v] != 0 && sim->role[0][v] == role;
    return count;
}

static void test_generations(void **state)
{
    (void)state;
    static const char ground[] = "<Gravity><GravEnabled>1</GravEnabled><GravAcc>-1</GravAcc>"
                                 "<FloorEnabled>1</FloorEnabled></Gravity>";
    const bench b =
        start_parts(CYCLE "<MaxNewVoxelsAddedMidSim>20</MaxNewVoxelsAddedMidSim>", ground, ROLES, ARENA);
    run_to(b.sim, 0.0195);
    assert_int_equal(count_of(b.sim, 1), 4);
    assert_int_equal(count_of(b.sim, 2), 6);
    run_to(b.sim, 0.025); /* the robots are gone */
    assert_int_equal(count_of(b.sim, 1), 0);
    assert_int_equal(count_of(b.sim, 2), 6);
    run_to(b.sim, 0.0305); /* a pile of 3 is the next, that of 2 is gone, debris has come */
    assert_int_equal(count_of(b.sim, 1), 3);
    const vxe_life life = vxe_sim_life(b.sim);
    assert_int_equal(life.removed, 6);
    assert_int_equal(life.grown, 4); /* at 2 and 5 along x and y */
    assert_int_equal(count_of(b.sim, 2), 5);
    run_to(b.sim, 0.045); /* it moves by its cilia */
    double speed = 0.0;
    for (int32_t v = 0; v < b.sim->model->view.voxel_count; v++) {
        if (b.sim->alive[0][v] != 0 && b.sim->role[0][v] == 1)
            speed = fmax(speed, fabs(b.sim->velocity[0][v]) + fabs(b.sim->velocity[1][v]));
    }
    check_above("speed of a new robot", speed, 1e-4);
    const vxe_stop stop = {.time = 1.0};
    assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_RULE); /* and has no children */
    check_near("the end", vxe_sim_time(b.sim), 0.06, 1e-3);
    finish(b);
}

/* What grows and what is replenished wait in the same cells: the message has the tags, not the rules. */
static void test_growth_of_another(void **state)
{
    (void)state;
    char *text = vxa_text(CYCLE "<MaxNewVoxelsAddedMidSim>20</MaxNewVoxelsAddedMidSim>\n"
                                "<SurfaceGrowth><EnableGrowth>1</EnableGrowth></SurfaceGrowth>",
                          STILL, ROLES, ARENA);
    check_refused(text, "SurfaceGrowth: voxels of the first material");
    check_refused(text, "SelfReplication");
    check_refused(text, "DebrisMat");
    check_refused(text, "test.vxa:4: ");
    free(text);
}

/* Without SelfReplication the material says when it goes, and the run ends then. */
static void test_end(void **state)
{
    (void)state;
    const bench b = start_parts(CALM "<SecondaryExperiment>1</SecondaryExperiment>", STILL, ROLES, ARENA);
    const vxe_stop stop = {.time = 1.0};
    assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_RULE);
    check_near("the end", vxe_sim_time(b.sim), 0.01, 1e-3);
    finish(b);
}

/* A row of debris loses voxels that have two neighbours. */
static void test_weak(void **state)
{
    (void)state;
    static const char row[] =
        "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>8</X_Voxels><Y_Voxels>1"
        "</Y_Voxels><Z_Voxels>1</Z_Voxels><Data><Layer>22222222</Layer></Data></Structure>";
    for (int i = 0; i < 2; i++) {
        const bench b = start_parts(i == 0 ? CALM
                                           : CALM "<DetachStringyBodiesEvery>0.01</DetachStringyBodiesEvery>"
                                                  "<DetachProbability>0.02</DetachProbability>",
                                    STILL, ROLES, row);
        int64_t broken = 0;
        run_to(b.sim, 0.5);
        vxe_sim_failures(b.sim, &broken, NULL);
        if (i == 0) assert_int_equal(broken, 0);
        if (i == 1) assert_true(broken >= 2);
        finish(b);
    }
}

/* ---- light ---------------------------------------------------------------------------------------------------------- */

#define LAMP                                                                                                 \
    CALM "<EnableCilia>1</EnableCilia><UsingLightSource>1</UsingLightSource>"                                \
         "<LightAPosX>20</LightAPosX><LightAFunction><mtSUB><mtVAR>t</mtVAR><mtCONST>0.01</mtCONST></mtSUB>" \
         "</LightAFunction>"
/* One behind the other, seen from the lamp, and not linked: only the far side of the second is in the dark.
 */
#define SHADOW                                                                                               \
    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>3</X_Voxels><Y_Voxels>1</Y_Voxels>"                 \
    "<Z_Voxels>1</Z_Voxels><Data><Layer>101</Layer></Data><BaseCiliaForce><Layer>0,0,1,0,0,0,0,0,1"          \
    "</Layer></BaseCiliaForce></Structure>"
#define EYE "<Cilia>0.001</Cilia><lightSensitive>1</lightSensitive>"

static void test_lamp(void **state)
{
    (void)state;
    double way[2][2];
    for (int i = 0; i < 2; i++) {
        const bench b = start_parts(
            LAMP "<LightSensitiveTime>10</LightSensitiveTime><CiliaFactorInLight>3</CiliaFactorInLight>",
            STILL, i == 0 ? MATERIAL("a", EYE) : MATERIAL("a", EYE "<Transparent>1</Transparent>"), SHADOW);
        run_to(b.sim, 0.2);
        way[i][0] = moved(b.sim, 0, 2); /* behind */
        way[i][1] = moved(b.sim, 1, 2);
        finish(b);
    }
    const double dark = 0.5 * 1.0 * 0.04;
    /* three times as strong from 0.01 s on; it takes a few steps, and leaves the line of sight of the other
     */
    check_near("way in the light", way[0][1], dark + 2.0 * 0.5 * 0.19 * 0.19, 0.05 * dark);
    check_below("way in the dark", way[0][0], 0.98 * way[0][1]);
    check_near("behind glass", way[1][0], way[1][1], 0.01 * dark);
}

/* A lamp that lights at every second chance or so charges what it sees less often, in the same way each time.
 */
static void test_random_lamp(void **state)
{
    (void)state;
    static const char *const extra[] = {"", "<RandomizeLightA>1</RandomizeLightA>",
                                        "<RandomizeLightA>1</RandomizeLightA>",
                                        "<RandomizeLightA>1</RandomizeLightA><RandomSeed>7</RandomSeed>"};
    double lit[4] = {0.0};
    uint64_t hash[4];
    for (int i = 0; i < 4; i++) {
        char simulator[2048];
        (void)snprintf(simulator, sizeof simulator,
                       CALM "<EnableCilia>1</EnableCilia><UsingLightSource>1</UsingLightSource>"
                            "<LightAPosX>20</LightAPosX><LightAFunction><mtSIN><mtMUL><mtVAR>t</mtVAR>"
                            "<mtCONST>500</mtCONST></mtMUL></mtSIN></LightAFunction>"
                            "<LightSensitiveTime>5</LightSensitiveTime>%s",
                       extra[i]);
        const bench b = start_parts(simulator, STILL, MATERIAL("a", EYE), SHADOW);
        for (int k = 0; k < 1000; k++) {
            step(b.sim, 1);
            lit[i] += b.sim->memory[0][1];
        }
        hash[i] = vxe_sim_hash(b.sim);
        finish(b);
    }
    check_above("light of a lamp that always lights", lit[0], 100.0);
    check_below("light of one that lights by chance", lit[1], 0.9 * lit[0]);
    check_above("light of one that lights by chance", lit[1], 0.1 * lit[0]);
    assert_true(hash[1] == hash[2]);
    assert_true(hash[1] != hash[3]);
}

/* What is lit answers, and gets used to it. */
static void test_volvox(void **state)
{
    (void)state;
    static const char body[] =
        "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels>"
        "<Z_Voxels>1</Z_Voxels><Data><Layer>1</Layer></Data><ActivationTimeConstant><Layer>0.05,</Layer>"
        "</ActivationTimeConstant><RecoveryTimeConstant><Layer>0.01,</Layer></RecoveryTimeConstant>"
        "<DownregulationConstant><Layer>0.5,</Layer></DownregulationConstant></Structure>";
    const bench b = start_parts(LAMP "<UsingVolvox>1</UsingVolvox>", STILL, MATERIAL("a", EYE), body);
    run_to(b.sim, 0.0095);
    assert_true(b.sim->memory[0][0] == 0.0);
    run_to(b.sim, 0.035);
    check_above("the answer", b.sim->memory[0][0], 0.3);
    run_to(b.sim, 0.5);
    check_below("the answer of one that is used to it", b.sim->memory[0][0], 0.01);
    check_above("what it is used to", b.sim->memory[1][0], 0.99);
    finish(b);
}

static void test_disintegration(void **state)
{
    (void)state;
    static const char body[] =
        "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>3</X_Voxels><Y_Voxels>1</Y_Voxels>"
        "<Z_Voxels>1</Z_Voxels><Data><Layer>121</Layer></Data><DetachTime><Layer>0,0.05,0,</Layer></"
        "DetachTime>"
        "</Structure>";
    const bench b = start_parts(CALM "<EnableDisintegration>1</EnableDisintegration>", STILL,
                                MATERIAL("a", "") MATERIAL("b", "<Detachable>1</Detachable>"), body);
    run_to(b.sim, 0.049);
    assert_int_equal(vxe_sim_life(b.sim).present, 3);
    run_to(b.sim, 0.051);
    assert_int_equal(vxe_sim_life(b.sim).present, 2);
    finish(b);
}

/* ---- falls ---------------------------------------------------------------------------------------------------------- */

/* A column leans over until more of its head than of its feet touches the floor. */
static void test_fall(void **state)
{
    (void)state;
    static const char life[] = "<StopCondition><StopConditionType>2</StopConditionType>"
                               "<StopConditionValue>2</StopConditionValue></StopCondition>";
    static const char palette[] = MATERIAL("1", "") MATERIAL("2", "") MATERIAL("3", "") MATERIAL("4", "")
        MATERIAL("5", "") MATERIAL("6", "");
    static const char body[] =
        "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>5</X_Voxels><Y_Voxels>1</Y_Voxels>"
        "<Z_Voxels>3</Z_Voxels><Data><Layer>10000</Layer><Layer>10000</Layer><Layer>66666</Layer></Data>"
        "</Structure>";
    for (int i = 0; i < 2; i++) {
        char environment[512];
        (void)snprintf(environment, sizeof environment,
                       "%s<Gravity><GravEnabled>1</GravEnabled><GravAcc>-9.81</GravAcc><FloorEnabled>1"
                       "</FloorEnabled></Gravity>",
                       i == 0 ? "" : "<FallingProhibited>1</FallingProhibited>");
        vxe_scene *scene = read_parts(VXE_DIALECT_EVOSORO, life, environment, palette, body);
        assert_string_equal(vxe_scene_experiment(scene).fall, i == 0 ? "" : "6");
        const vxe_stop stop = vxe_scene_stop(scene);
        const bench b = start(scene);
        assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), i == 0 ? VXE_RUN_TIME : VXE_RUN_FALL);
        check_well(b.sim);
        finish(b);
    }
}

/* ---- what is told --------------------------------------------------------------------------------------------------- */

static void test_notes(void **state)
{
    (void)state;
    vxe_notes *notes = NULL;
    char *text = vxa_text(CYCLE "<RandomizeLightA>1</RandomizeLightA><WallForce>-5</WallForce>"
                                "<RandomSeed>1</RandomSeed>",
                          FALLING, ROLES, ARENA);
    vxe_scene *scene = read_text(text, VXE_DIALECT_VOXCRAFT, &notes);
    check_note(notes, "Simulator/SelfReplication", VXE_NOTE_READ, 0);
    check_note(notes, "Simulator/MinimumBotSize", VXE_NOTE_READ, 0);
    check_note(notes, "Simulator/RandomizeLightA", VXE_NOTE_READ, 0);
    check_note(notes, "WallForce", VXE_NOTE_CHANGED, 0);
    assert_null(find_note(notes, "RandomSeed"));
    assert_null(find_note(notes, "MinimumBotSize"));
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    free(text);
}

/* A robot with a brain of its own is not run without it, unless that is all zero. */
static void test_controllers(void **state)
{
    (void)state;
    static const char *const tags[] = {"ControllerSynapseWeights", "VestibularContribution",
                                       "PressureAdaptationRate"};
    const vxe_load_def def = {.dialect = VXE_DIALECT_EVOSORO};
    for (size_t i = 0; i < 2 * sizeof tags / sizeof tags[0]; i++) {
        const bool empty = i % 2 == 0;
        char structure[512];
        (void)snprintf(
            structure, sizeof structure,
            "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>1</X_Voxels><Y_Voxels>1</Y_Voxels>"
            "<Z_Voxels>1</Z_Voxels><Data><Layer>1</Layer></Data>\n<%s><Layer>%s</Layer></%s>"
            "</Structure>",
            tags[i / 2], empty ? "0.0" : "0.5", tags[i / 2]);
        char *text = vxa_text(CALM, FALLING, MATERIAL("a", ""), structure);
        vxe_scene *scene = NULL;
        vxe_error error = {VXE_OK, ""};
        const vxe_result result =
            vxe_scene_parse(text, strlen(text), "test.vxa", NULL, &def, &scene, NULL, &error);
        assert_int_equal(result, empty ? VXE_OK : VXE_ERROR_INPUT);
        if (!empty) assert_non_null(strstr(error.message, tags[i / 2]));
        if (!empty) assert_non_null(strstr(error.message, "no document says how its numbers act"));
        vxe_scene_destroy(scene);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_water),
        cmocka_unit_test(test_walls),
        cmocka_unit_test(test_slow_damping),
        cmocka_unit_test(test_gravity_halfway),
        cmocka_unit_test(test_target_fires),
        cmocka_unit_test(test_generations),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_weak),
        cmocka_unit_test(test_lamp),
        cmocka_unit_test(test_volvox),
        cmocka_unit_test(test_random_lamp),
        cmocka_unit_test(test_disintegration),
        cmocka_unit_test(test_fall),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_growth_of_another),
        cmocka_unit_test(test_controllers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
