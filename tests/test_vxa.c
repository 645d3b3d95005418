/* Files of the VoxCAD family: stop conditions, formulas, remarks, round trips, and what is refused. The
 * object is in test_vxa_object.c. */
#include "vxa_text.h"

/* --- stop conditions --- */

static vxe_stop stop_of(vxe_dialect dialect, const char *inside)
{
    char simulator[2048];
    (void)snprintf(simulator, sizeof simulator, DAMPED "<StopCondition>%s</StopCondition>", inside);
    vxe_scene *scene =
        read_parts(dialect, simulator, STILL "<Thermal><TempPeriod>0.5</TempPeriod></Thermal>", NULL, NULL);
    const vxe_stop stop = vxe_scene_stop(scene);
    vxe_scene_destroy(scene);
    return stop;
}

#define TYPE(number, value)                                                                                  \
    "<StopConditionType>" #number "</StopConditionType><StopConditionValue>" #value "</StopConditionValue>"

static void test_stop_types(void **state)
{
    (void)state;
    assert_int_equal(stop_of(VXE_DIALECT_EVOSORO, TYPE(1, 250)).steps, 250);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(2, 1.5)).time == 1.5);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(2, 1.5) "<AfterlifeTime>0.5</AfterlifeTime>").time == 2.0);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(3, 4)).cycles == 4.0);
    /* thousandths per voxel; the bar has four */
    check_near("energy", stop_of(VXE_DIALECT_EVOSORO, TYPE(4, 2)).energy_change, 8e-3, 1e-15);
    check_near("kinetic energy", stop_of(VXE_DIALECT_EVOSORO, TYPE(5, 2)).kinetic_energy, 8e-3, 1e-15);
    check_near("movement", stop_of(VXE_DIALECT_EVOSORO, TYPE(6, 2)).movement, 2e-3, 1e-15);
    assert_int_equal(stop_of(VXE_DIALECT_EVOSORO, TYPE(6, 2)).settle_steps, 10000);
    assert_int_equal(stop_of(VXE_DIALECT_VOXCAD, TYPE(6, 2)).settle_steps, 500);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(7, 3)).time == 3.0);
    check_near("its movement", stop_of(VXE_DIALECT_EVOSORO, TYPE(7, 3)).movement, 5e-8, 1e-20);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(8, 3)).time == 2.0); /* its error is always 0 */
    assert_int_equal(stop_of(VXE_DIALECT_VOXCAD, TYPE(2, 1)).after_steps, 1000);
    assert_true(stop_of(VXE_DIALECT_EVOSORO, TYPE(2, 1) "<InitCmTime>0.25</InitCmTime>").after == 0.25);
    assert_int_equal(stop_of(VXE_DIALECT_VOXCRAFT, "").steps, 1000000);
    assert_true(stop_of(VXE_DIALECT_VOXCRAFT,
                        "<StopConditionFormula><mtSUB><mtVAR>t</mtVAR><mtCONST>1</mtCONST>"
                        "</mtSUB></StopConditionFormula>")
                    .formula);
}

/* --- formulas --- */

static void test_math_trees(void **state)
{
    (void)state;
    static const struct {
        const char *tree;
        const char *text;
    } pairs[] = {
        {"<mtSQRT><mtADD><mtMUL><mtVAR>x</mtVAR><mtVAR>x</mtVAR></mtMUL><mtCONST>-2e-3</mtCONST></mtADD></"
         "mtSQRT>",
         "sqrt(((x * x) + (-0.002)))"},
        {"<mtAND><mtGREATERTHAN><mtVAR>t</mtVAR><mtPI/></mtGREATERTHAN><mtNOT><mtVAR>hit</mtVAR></mtNOT></"
         "mtAND>",
         "(t > 3.141592653589793) && not(hit)"},
        {"<mtINT><mtDIV><mtVAR>numClosePairs</mtVAR><mtVAR>num_voxel</mtVAR></mtDIV></mtINT>",
         "round((numClosePairs / num_voxel))"},
        {"<mtPOW><mtNORMALCDF><mtVAR>angle</mtVAR></mtNORMALCDF><mtLOG><mtE/></mtLOG></mtPOW>",
         "normalcdf(angle) ^ log(2.718281828459045)"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char simulator[2048];
        (void)snprintf(simulator, sizeof simulator, DAMPED "<FitnessFunction>%s</FitnessFunction>",
                       pairs[i].tree);
        vxe_scene *scene = read_parts(VXE_DIALECT_AUTO, simulator, STILL, NULL, NULL);
        assert_string_equal(vxe_scene_formula(scene, VXE_FORMULA_FITNESS), pairs[i].text);
        vxe_scene_destroy(scene);
    }
    static const struct {
        const char *tree;
        const char *words;
    } wrong[] = {{"<mtADD><mtCONST>1</mtCONST></mtADD>", "mtADD: 1 operands, not 2"},
                 {"<mtVAR>w</mtVAR>", "mtVAR: the variable \"w\" is not known"},
                 {"<mtFOO/>", "mtFOO: not an operation of a formula"},
                 {"<mtCONST>inf</mtCONST>", "mtCONST: it is not a finite number"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char simulator[2048];
        (void)snprintf(simulator, sizeof simulator, "<FitnessFunction>%s</FitnessFunction>", wrong[i].tree);
        char *text = vxa_text(simulator, NULL, NULL, NULL);
        check_refused(text, wrong[i].words);
        free(text);
    }
}

/* --- remarks and round trips --- */

static const char odd_file[] =
    "<VXA Version=\"1.1\">\n"                                                                         /* 1 */
    "<Mystery><Inside at=\"1\">a &amp; b</Inside></Mystery>\n"                                        /* 2 */
    "<Simulator>\n"                                                                                   /* 3 */
    "<Integration><DtFrac>0.7</DtFrac></Integration>\n"                                               /* 4 */
    "<Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>1</ColDampingZ>\n"                           /* 5 */
    "<SlowDampingZ>0.1</SlowDampingZ></Damping>\n"                                                    /* 6 */
    "<Features><PoissonKickBackEnabled>1</PoissonKickBackEnabled></Features>\n"                       /* 7 */
    "<GA><FitnessFileName>a/b.xml</FitnessFileName></GA>\n"                                           /* 8 */
    "<StopCondition><StopConditionType>2</StopConditionType>\n"                                       /* 9 */
    "<StopConditionValue>1</StopConditionValue></StopCondition>\n"                                    /* 10 */
    "<Whatever>7</Whatever><Whatever>8</Whatever>\n"                                                  /* 11 */
    "</Simulator>\n"                                                                                  /* 12 */
    "<Environment>" STILL "\n"                                                                        /* 13 */
    "<LightSource><X>1</X></LightSource>\n"                                                           /* 14 */
    "<FallingProhibited>0</FallingProhibited><NeedleInHaystack>1</NeedleInHaystack>\n"                /* 15 */
    "</Environment>\n"                                                                                /* 16 */
    "<VXC Version=\"0.93\"><Lattice><Lattice_Dim>0.01</Lattice_Dim></Lattice>\n"                      /* 17 */
    "<Palette>" BLOCK_MATERIAL "<Material><Name>B</Name><Mechanical><Elastic_Mod>1e6</Elastic_Mod>\n" /* 18 */
    "<Density>1000</Density><Glow>5</Glow></Mechanical></Material></Palette>\n"                       /* 19 */
    BAR_STRUCTURE "</VXC></VXA>\n";

static void test_remarks(void **state)
{
    (void)state;
    vxe_notes *notes = NULL;
    vxe_scene *scene = read_text(odd_file, VXE_DIALECT_AUTO, &notes);
    check_note(notes, "dialect", VXE_NOTE_READ, 8);
    check_note(notes, "Mystery", VXE_NOTE_UNKNOWN, 2);
    check_note(notes, "Simulator/Integration/DtFrac", VXE_NOTE_READ, 4);
    check_note(notes, "Simulator/Features/PoissonKickBackEnabled", VXE_NOTE_IGNORED, 7);
    check_note(notes, "Simulator/Whatever", VXE_NOTE_UNKNOWN, 11);
    check_note(notes, "Environment/LightSource", VXE_NOTE_READ, 14);
    check_note(notes, "Environment/NeedleInHaystack", VXE_NOTE_READ, 15);
    assert_null(find_note(notes, "Environment/FallingProhibited")); /* 0 asks for what happens anyway */
    check_note(notes, "VXC/Palette/Material/Mechanical/Glow", VXE_NOTE_UNKNOWN, 19);
    assert_int_equal(vxe_notes_count(notes), 8);
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
}

static char *file_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    (void)fclose(f);
    return text;
}

static void test_unknown_survives(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = read_text(odd_file, VXE_DIALECT_AUTO, NULL);
    vxe_scene *again = NULL;
    require(vxe_scene_save(scene, "odd.json", NULL, &error), &error);
    require(vxe_scene_load("odd.json", NULL, &again, NULL, &error), &error);
    require(vxe_scene_save(again, "odd.vxa", NULL, &error), &error);
    char *text = file_text("odd.vxa");
    assert_non_null(strstr(text, "<Inside at=\"1\">a &amp; b</Inside>"));
    assert_non_null(strstr(text, "<Whatever>7</Whatever>"));
    assert_non_null(strstr(text, "<LightSource>"));
    assert_non_null(strstr(text, "<NeedleInHaystack>1</NeedleInHaystack>"));
    const char *second = strstr(text, "ID=\"2\"");
    assert_true(second != NULL && strstr(second, "<Glow>5</Glow>") != NULL &&
                strstr(text, "<Glow>") > second);
    vxe_scene *third = NULL;
    require(vxe_scene_load("odd.vxa", NULL, &third, NULL, &error), &error);
    assert_true(hash_of(scene) == hash_of(again) && hash_of(scene) == hash_of(third));
    assert_string_equal(vxe_scene_experiment(third).result_file, "a/b.xml");
    free(text);
    vxe_scene_destroy(scene);
    vxe_scene_destroy(again);
    vxe_scene_destroy(third);
}

/* A scene with everything tags cannot say comes back through a .vxa, and a .vxc. */
static void test_rich_scene(void **state)
{
    (void)state;
    static const char *const files[] = {"rich.vxa", "rich.vxc"};
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 5, 4, 3);
    vxe_material_def def = vxe_default_material_def();
    def.poissons_ratio = 0.45;
    def.expansion = 0.02;
    def.delay = 0.125;
    (void)snprintf(def.name, sizeof def.name, "stuff & <such>");
    (void)snprintf(def.signal, sizeof def.signal, "second");
    const int32_t m = put_material(scene, &def);
    fill_all(scene, m);
    vxe_signal_def signal = vxe_default_signal_def();
    (void)put_signal(scene, &signal);
    (void)snprintf(signal.name, sizeof signal.name, "second");
    signal.waveform = VXE_WAVE_SQUARE;
    signal.amplitude = 1.0 / 3.0;
    (void)put_signal(scene, &signal);
    vxe_region_def region = region_of("shell", (vxe_shape){.kind = VXE_SHAPE_ELLIPSOID,
                                                           .units = VXE_UNITS_METRES,
                                                           .center = {0.02, 0.02, 0.01},
                                                           .radius = {0.02, 0.01, 0.01},
                                                           .thickness = 0.005});
    region.force[1] = 0.1;
    (void)put_region(scene, &region);
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 4, 3), VXE_DOF_ALL);
    vxe_environment e = vxe_default_environment();
    e.damping_rotation = 0.25;
    e.gravity[1] = 1.5;
    e.drag = 3.25;
    e.plane = VXE_PLANE_NONE;
    set_environment(scene, &e);
    require(vxe_scene_set_field(scene, VXE_FIELD_STIFFNESS, 1, 1, 1, 2.5e6, &error), &error);
    require(vxe_scene_set_field(scene, VXE_FIELD_SIZE_END, 2, 1, 1, 0.1, &error), &error);
    require(vxe_scene_set_actuation(scene, 3, 1, 1,
                                    &(vxe_actuation){.phase = 0.1, .amplitude = 0.5, .period = 2.0}, &error),
            &error);
    require(vxe_scene_set_formula(scene, VXE_FORMULA_FORCE_X, "0.001 * sin(t) - z", &error), &error);
    require(vxe_scene_set_formula(scene, VXE_FORMULA_STOP, "t - 2 > 0", &error), &error);
    const vxe_stop stop = {.time = 0.75, .speed = 1e-6, .settle = 0.5};
    require(vxe_scene_set_stop(scene, &stop, &error), &error);
    char *native = NULL;
    require(vxe_scene_print_json(scene, &native, &error), &error);
    for (size_t i = 0; i < 2; i++) {
        vxe_scene *again = NULL;
        char *text = NULL;
        require(vxe_scene_save(scene, files[i], NULL, &error), &error);
        require(vxe_scene_load(files[i], NULL, &again, NULL, &error), &error);
        require(vxe_scene_print_json(again, &text, &error), &error);
        assert_true(hash_of(scene) == hash_of(again));
        assert_string_equal(text, native);
        free(text);
        vxe_scene_destroy(again);
    }
    free(native);
    vxe_scene_destroy(scene);
}

/* Somebody edits the tags of a written file: they count, for the part they are about. */
static void test_edited_tags_count(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 2, 1, 1);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000.0));
    vxe_environment e = vxe_default_environment();
    e.gravity[0] = 1.0; /* tags cannot say it */
    e.damping_ground = 0.5;
    set_environment(scene, &e);
    require(vxe_scene_save(scene, "edit.vxa", NULL, &error), &error);
    char *text = file_text("edit.vxa");
    char *at = strstr(text, "<SlowDampingZ>0.5</SlowDampingZ>");
    assert_non_null(at);
    memcpy(at, "<SlowDampingZ>0.7</SlowDampingZ>", 32);
    vxe_notes *notes = NULL;
    vxe_scene *again = read_text(text, VXE_DIALECT_AUTO, &notes);
    assert_true(vxe_scene_environment(again).damping_ground == 0.7);
    assert_true(vxe_scene_environment(again).gravity[0] == 0.0);
    assert_non_null(strstr(find_note(notes, "Voxelastic")->text, "edited since"));
    vxe_notes_destroy(notes);
    vxe_scene_destroy(again);
    vxe_scene_destroy(scene);
    free(text);
}

/* --- numbers --- */

static void test_numbers(void **state)
{
    (void)state;
    vxe_notes *notes = NULL;
    char *text =
        vxa_text("<Damping><BondDampingZ> 1.7378e-005 </BondDampingZ><ColDampingZ>0.5 or so</ColDampingZ>"
                 "<SlowDampingZ>much</SlowDampingZ></Damping>",
                 "<Gravity><GravEnabled>true</GravEnabled><GravAcc></GravAcc><FloorEnabled>2</FloorEnabled>"
                 "</Gravity>",
                 NULL, NULL);
    vxe_scene *scene = read_text(text, VXE_DIALECT_EVOSORO, &notes);
    const vxe_environment e = vxe_scene_environment(scene);
    assert_true(e.damping_stretch == 1.7378e-5 && e.damping_contact == 0.5 && e.damping_ground == 0.0);
    assert_true(e.floor && e.gravity[2] == -9.81); /* an empty leaf is absent */
    check_note(notes, "ColDampingZ", VXE_NOTE_CHANGED, 3);
    check_note(notes, "SlowDampingZ", VXE_NOTE_CHANGED, 3);
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    free(text);
}

/* --- safety --- */

static void test_hostile_xml(void **state)
{
    (void)state;
    check_refused("<!DOCTYPE VXA [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><VXA>&b;</VXA>",
                  "not accepted");
    check_refused("<?xml version=\"1.0\"?><!-- x --><!DOCTYPE VXA SYSTEM \"file:///etc/passwd\"><VXA/>",
                  "not accepted");
    check_refused("<VXA>&undefined;</VXA>", "test.vxa:1: not valid XML");
    check_refused("<VXA><Simulator></VXA>", "test.vxa:1: not valid XML");
    check_refused("<VXA/>", "there is neither VXC nor Structure");
    check_refused("", "empty");
    char *deep = malloc(300 * 7 + 16);
    assert_non_null(deep);
    size_t used = 0;
    for (int i = 0; i < 300; i++) used += (size_t)sprintf(deep + used, "<a>");
    for (int i = 0; i < 300; i++) used += (size_t)sprintf(deep + used, "</a>");
    check_refused(deep, "elements inside each other");
    free(deep);
}

static void test_result_paths(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const char *becomes;
    } paths[] = {{"fitness/a.xml", "fitness/a.xml"}, {"/etc/passwd", "passwd"},    {"../../x.xml", "x.xml"},
                 {"a/../../b.xml", "b.xml"},         {"C:\\temp\\r.xml", "r.xml"}, {"a/..", "fitness.xml"}};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char simulator[512];
        (void)snprintf(simulator, sizeof simulator, DAMPED "<GA><FitnessFileName>%s</FitnessFileName></GA>",
                       paths[i].path);
        vxe_scene *scene = read_parts(VXE_DIALECT_AUTO, simulator, STILL, NULL, NULL);
        assert_string_equal(vxe_scene_experiment(scene).result_file, paths[i].becomes);
        vxe_scene_destroy(scene);
    }
}

/* --- Voxelyze JSON --- */

static void test_voxelyze_json(void **state)
{
    (void)state;
    static const char text[] =
        "{\"voxelSize\": 0.005, \"gravityAcceleration\": 1.0, \"floorEnabled\": true,\n"
        " \"materials\": [{\"youngsModulus\": 1e6, \"density\": 1000.0, \"name\": \"Rubber\", \"red\": "
        "50}],\n"
        " \"voxels\": [-1,0,0,0, 0,0,0,0, 1,0,0,0],\n"
        " \"externals\": [{\"fixed\": [true,true,true,true,true,true], \"voxelIndices\": [0]},\n"
        "  {\"force\": [0.0,0.0,-0.1], \"voxelIndices\": [1, 2]}]}";
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = read_text(text, VXE_DIALECT_AUTO, NULL);
    assert_int_equal(vxe_scene_voxel_count(scene), 3);
    assert_int_equal(count_touched(scene, 1), 2);
    check_near("force in all", vxe_scene_region(scene, 1)->force[2], -0.2, 1e-15);
    assert_true(vxe_scene_environment(scene).gravity[2] == -9.81 && vxe_scene_environment(scene).floor);
    vxe_scene *again = NULL;
    require(vxe_scene_save(scene, "three.vxl.json", NULL, &error), &error);
    require(vxe_scene_load("three.vxl.json", NULL, &again, NULL, &error), &error);
    assert_true(hash_of(scene) == hash_of(again));
    vxe_scene_destroy(again);
    vxe_scene_destroy(scene);
    /* the library's own writer forgets the last bracket */
    vxe_notes *notes = NULL;
    scene =
        read_text("{\"voxelSize\": 0.005, \"materials\": [{\"youngsModulus\": 1e6}], \"voxels\": [0,0,0,0]",
                  VXE_DIALECT_AUTO, &notes);
    check_note(notes, "}", VXE_NOTE_CHANGED, 0);
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    check_refused("{\"voxelSize\": 0.005, \"materials\": [{}], \"voxels\": [0,0,0,1]}",
                  "a material that there is not");
    check_refused("{\"voxelSize\": 0.005, \"materials\": [{}], \"voxels\": [0,0,0]}", "not a multiple of 4");
}

/* What voxcraft's tags ask voxels to do becomes rules, and the tags are kept. */
static void test_rules(void **state)
{
    (void)state;
    static const char material[] =
        "<Material ID=\"1\"><MatType>0</MatType><Name>Nerve</Name><Mechanical><MatModel>0</MatModel>"
        "<Elastic_Mod>1e+006</Elastic_Mod><Density>1000</Density><uStatic>1</uStatic><uDynamic>0.5</uDynamic>"
        "<Sticky>1</Sticky><Cilia>2</Cilia><isPaceMaker>1</isPaceMaker><PaceMakerPeriod>0.2</PaceMakerPeriod>"
        "<signalValueDecay>0.8</signalValueDecay><signalTimeDelay>0.01</signalTimeDelay>"
        "<inactivePeriod>0.02</inactivePeriod>"
        "<RemoveFromSimulationAfterThisManySeconds>3</RemoveFromSimulationAfterThisManySeconds>"
        "<TurnOnCiliaAfterThisManySeconds>0.5</TurnOnCiliaAfterThisManySeconds></Mechanical></Material>";
    static const char simulator[] = DAMPED
        "<AttachDetach><EnableCollision>1</EnableCollision><EnableAttach>1</EnableAttach>"
        "<AttachCondition><Condition_0><mtSUB><mtVAR>t</mtVAR><mtCONST>1</mtCONST></mtSUB></Condition_0>"
        "</AttachCondition></AttachDetach><EnableSignals>1</EnableSignals><EnableCilia>1</EnableCilia>"
        "<SecondaryExperiment>1</SecondaryExperiment>"
        "<SurfaceGrowth><EnableGrowth>1</EnableGrowth><GrowInterval>0.1</GrowInterval>"
        "<GrowRate>0.3</GrowRate></SurfaceGrowth>";
    char *text = vxa_text(simulator, STILL, material, NULL);
    vxe_notes *notes = NULL;
    vxe_scene *scene = read_text(text, VXE_DIALECT_VOXCRAFT, &notes);
    static const vxe_rule_kind kinds[] = {VXE_RULE_CONDUCT, VXE_RULE_PACE, VXE_RULE_REMOVE,
                                          VXE_RULE_CILIA,   VXE_RULE_BOND, VXE_RULE_GROW};
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(vxe_scene_rule_count(scene), 6);
        for (int32_t n = 0; n < 6; n++) assert_int_equal(vxe_scene_rule(scene, n)->kind, kinds[n]);
        check_near("delay", vxe_scene_rule(scene, 0)->delay, 0.01, 0.0);
        check_near("decay", vxe_scene_rule(scene, 0)->decay, 0.8, 0.0);
        check_near("period", vxe_scene_rule(scene, 1)->period, 0.2, 0.0);
        check_near("strength", vxe_scene_rule(scene, 1)->strength, 100.0, 0.0);
        check_near("removal", vxe_scene_rule(scene, 2)->begin, 3.0, 0.0);
        check_near("cilia", vxe_scene_rule(scene, 3)->begin, 0.5, 0.0);
        assert_true(strstr(vxe_scene_rule(scene, 4)->when, "t - 1") != NULL);
        check_near("chance", vxe_scene_rule(scene, 5)->chance, 0.3, 0.0);
        vxe_model *model = NULL;
        vxe_error error = {VXE_OK, ""};
        require(vxe_compile(scene, &model, &error), &error);
        vxe_model_destroy(model);
        if (pass == 1) break;
        /* written and read again */
        require(vxe_scene_save(scene, "rules.vxa", NULL, &error), &error);
        vxe_scene_destroy(scene);
        const vxe_load_def def = {.dialect = VXE_DIALECT_VOXCRAFT};
        require(vxe_scene_load("rules.vxa", &def, &scene, NULL, &error), &error);
        assert_int_equal(remove("rules.vxa"), 0);
    }
    const vxe_note *note = find_note(notes, "Simulator/EnableSignals");
    assert_non_null(note);
    assert_int_equal(note->kind, VXE_NOTE_READ);
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop_types),    cmocka_unit_test(test_math_trees),
        cmocka_unit_test(test_remarks),       cmocka_unit_test(test_unknown_survives),
        cmocka_unit_test(test_rich_scene),    cmocka_unit_test(test_edited_tags_count),
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_hostile_xml),
        cmocka_unit_test(test_result_paths),  cmocka_unit_test(test_rules),
        cmocka_unit_test(test_voxelyze_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
