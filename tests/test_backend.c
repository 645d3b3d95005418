/* A machine that takes over one stage of the step, with memory of its own: every demo has the right hash,
 * whichever stage it is. On the way every line of stage.h is held to its word: a stage gets garbage in the
 * arrays it does not name, and must leave all but those it writes as they were; afterwards the host has
 * garbage in what the machine has written, until it asks. */
#include "sim/collide.h"
#include "sim/life.h"
#include "sim/outside.h"
#include "sim/pressure.h"
#include "sim/rigid.h"
#include "support.h"

#define DEMOS 7
static const char *const demos[DEMOS] = {"ball",     "cantilever", "clapper",  "cloth",
                                         "gradient", "kicker",     "quadruped"};

/* The lines of stage.h. */
static const struct {
    const char *name;
    state_set reads, writes;
} lines[STAGE_COUNT] = {
#define X(name, on, reads, writes) {#name, reads, writes},
    STEP_STAGES(X)
#undef X
};

enum { COMPONENTS_MOST = 16 };

/* Arrays as the machine has them, and as they were before a stage. */
typedef struct remote_memory {
    unsigned char *own[STATE_COUNT][COMPONENTS_MOST];
    unsigned char *kept[STATE_COUNT][COMPONENTS_MOST];
} remote_memory;

static bool is_kept(int id) { return (vxe_state_fields[id].flags & STATE_DEVICE) != 0; }
static size_t bytes_of(const vxe_sim *sim, int id)
{
    return vxe_state_length(sim, (state_id)id) * vxe_state_fields[id].size;
}

/* From an array to another, of those of a set that there are. */
typedef enum direction { HOST_TO_OWN, OWN_TO_HOST, HOST_TO_KEPT, KEPT_TO_HOST, GARBAGE_TO_HOST } direction;
static void carry(vxe_sim *sim, state_set arrays, direction way)
{
    remote_memory *r = sim->remote;
    for (int i = 0; i < STATE_COUNT; i++) {
        if ((arrays >> i & 1) == 0 || !is_kept(i)) continue;
        for (int c = 0; c < vxe_state_fields[i].components; c++) {
            unsigned char *host = vxe_state_at(sim, (state_id)i, c);
            if (host == NULL) continue;
            const size_t bytes = bytes_of(sim, i);
            if (way == HOST_TO_OWN) memcpy(r->own[i][c], host, bytes);
            if (way == OWN_TO_HOST) memcpy(host, r->own[i][c], bytes);
            if (way == HOST_TO_KEPT) memcpy(r->kept[i][c], host, bytes);
            if (way == KEPT_TO_HOST) memcpy(host, r->kept[i][c], bytes);
            if (way == GARBAGE_TO_HOST) memset(host, 0xff, bytes);
        }
    }
}

static void check_unchanged(const vxe_sim *sim, state_set arrays, stage_id stage)
{
    const remote_memory *r = sim->remote;
    for (int i = 0; i < STATE_COUNT; i++) {
        if ((arrays >> i & 1) == 0 || !is_kept(i)) continue;
        for (int c = 0; c < vxe_state_fields[i].components; c++) {
            const unsigned char *host = vxe_state_at(sim, (state_id)i, c);
            if (host != NULL && memcmp(host, r->kept[i][c], bytes_of(sim, i)) != 0)
                fail_msg("stage %s changes %s", lines[stage].name, vxe_state_fields[i].name);
        }
    }
}

static sim_stage *const on_host[STAGE_COUNT] = {
    [STAGE_signals] = vxe_signals_update,   [STAGE_yield] = vxe_yield_links,
    [STAGE_pressure] = vxe_pressure_update, [STAGE_book] = vxe_book_yield,
    [STAGE_collide] = vxe_collide,          [STAGE_outside] = vxe_outside_forces,
    [STAGE_contacts] = vxe_contacts_begin,  [STAGE_apart] = vxe_contacts_solve,
    [STAGE_account] = vxe_account_step,     [STAGE_parts] = vxe_rigid_begin,
    [STAGE_carry] = vxe_rigid_kick,         [STAGE_joints] = vxe_rigid_damp,
    [STAGE_settle] = vxe_rigid_settle,      [STAGE_place] = vxe_rigid_place,
    [STAGE_bonds] = vxe_bonds_load,         [STAGE_brake] = vxe_bonds_brake,
};

static int64_t calls[STAGE_COUNT];

static void run_there(vxe_sim *sim, stage_id id, const step_context *context)
{
    const state_set named = lines[id].reads | lines[id].writes;
    const state_set links = STATE_SET(own_kind) | STATE_SET(own_free_faces) | STATE_SET(own_pressure_class);
    const state_set hidden = ~(named | links); /* which links there are everybody may look up */
    carry(sim, ~UINT64_C(0), HOST_TO_KEPT);
    carry(sim, hidden, GARBAGE_TO_HOST);
    carry(sim, named, OWN_TO_HOST);
    (on_host[id] != NULL ? on_host[id] : sim->host.stage[id])(sim, context);
    carry(sim, named, HOST_TO_OWN);
    carry(sim, hidden, KEPT_TO_HOST);
    carry(sim, lines[id].writes & ~links, GARBAGE_TO_HOST);
    check_unchanged(sim, lines[id].reads & ~lines[id].writes & ~sim->old[ON_HOST], id);
    calls[id]++;
}
#define X(name, on, reads, writes)                                                                           \
    static void run_##name(vxe_sim *sim, const step_context *context)                                        \
    {                                                                                                        \
        run_there(sim, STAGE_##name, context);                                                               \
    }
STEP_STAGES(X)
#undef X

static void remote_upload(vxe_sim *sim, state_set arrays) { carry(sim, arrays, HOST_TO_OWN); }
static void remote_download(vxe_sim *sim, state_set arrays) { carry(sim, arrays, OWN_TO_HOST); }
static void remote_nothing(vxe_sim *sim) { (void)sim; }
static vxe_result remote_create(vxe_sim *sim, vxe_error *error)
{
    (void)error;
    remote_memory *r = calloc(1, sizeof *r);
    assert_non_null(r);
    sim->remote = r;
    for (int i = 0; i < STATE_COUNT; i++) {
        for (int c = 0; c < vxe_state_fields[i].components; c++) {
            if (vxe_state_at(sim, (state_id)i, c) == NULL) continue;
            r->own[i][c] = calloc(bytes_of(sim, i) + 1, 1);
            r->kept[i][c] = calloc(bytes_of(sim, i) + 1, 1);
            assert_true(r->own[i][c] != NULL && r->kept[i][c] != NULL);
        }
    }
    return VXE_OK;
}
static void remote_destroy(vxe_sim *sim)
{
    remote_memory *r = sim->remote;
    for (int i = 0; r != NULL && i < STATE_COUNT; i++) {
        for (int c = 0; c < COMPONENTS_MOST; c++) {
            free(r->own[i][c]);
            free(r->kept[i][c]);
        }
    }
    free(r);
}

static sim_backend remote_with(state_set stages)
{
    sim_backend b = {.name = "remote",
                     .keeps = vxe_state_with(STATE_DEVICE),
                     .upload = remote_upload,
                     .download = remote_download,
                     .create = remote_create,
                     .destroy = remote_destroy,
                     .tables_changed = remote_nothing,
                     .links_changed = remote_nothing};
#define X(name, on, reads, writes)                                                                           \
    if ((stages >> STAGE_##name & 1) != 0) b.stage[STAGE_##name] = run_##name;
    STEP_STAGES(X)
#undef X
    return b;
}

/* Hash and energies of a run, in two pieces. */
typedef struct outcome {
    uint64_t hash;
    vxe_energy energy;
} outcome;

static outcome run_on(const vxe_model *model, const sim_backend *device, const vxe_sim_def *def,
                      int64_t steps)
{
    vxe_sim *sim = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_create_on(model, def, device, &sim, &error), &error);
    for (int piece = 0; piece < 2; piece++) {
        if (vxe_sim_step(sim, steps / 2, NULL) != VXE_OK) fail_msg("%s", vxe_sim_status(sim)->message);
    }
    const outcome o = {vxe_sim_hash(sim), vxe_sim_energy(sim)};
    vxe_sim_destroy(sim);
    return o;
}

static void compare(const char *what, const vxe_model *model, int64_t steps)
{
    for (int kind = 0; kind < 4; kind++) {
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = kind % 2 == 0;
        def.bond_damping = kind < 2 ? VXE_BOND_DAMPING_AUTO : VXE_BOND_DAMPING_EXPLICIT;
        def.isa = VXE_ISA_AUTO;
        const outcome wide = run_on(model, NULL, &def, steps);
        for (int id = 0; id <= STAGE_COUNT; id++) { /* each, and all of them */
            const sim_backend device =
                remote_with(id < STAGE_COUNT ? UINT64_C(1) << id : (UINT64_C(1) << STAGE_COUNT) - 1);
            const outcome own = run_on(model, &device, &def, steps);
            if (own.hash != wide.hash || memcmp(&own.energy, &wide.energy, sizeof own.energy) != 0)
                fail_msg("%s, kind %d, stage %s: not the same", what, kind,
                         id < STAGE_COUNT ? lines[id].name : "all");
        }
    }
}

static void test_demos(void **state)
{
    (void)state;
    for (int i = 0; i < DEMOS; i++) {
        char path[512];
        (void)snprintf(path, sizeof path, "%s/scenes/%s.json", VXE_SOURCE_DIR, demos[i]);
        vxe_scene *scene = NULL;
        vxe_error error = {VXE_OK, ""};
        require(vxe_scene_load(path, NULL, &scene, NULL, &error), &error);
        vxe_model *model = compile_scene(scene);
        const int64_t voxels = vxe_model_get(model)->voxel_count;
        compare(demos[i], model, voxels > 2000 || is_quick() ? 6 : 20);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* Rigid parts with a hinge, soft ends, ground and water. */
static void test_parts(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 6, 3, 6);
    vxe_material_def bone = vxe_default_material_def();
    bone.rigid = true;
    const int32_t rigid = put_material(scene, &bone);
    const int32_t soft = add_material(scene, 1e5, 0.3, 1000.0);
    fill(scene, box_of(0, 0, 0, 6, 3, 2), soft);
    fill(scene, box_of(1, 0, 1, 3, 2, 1), rigid);
    fill(scene, box_of(2, 1, 3, 2, 2, 2), rigid);
    (void)add_fixed(scene, "hinge", box_of(3, 2, 4, 1, 1, 1), VXE_DOF_X | VXE_DOF_Y);
    vxe_environment e = vxe_default_environment();
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    vxe_ground_def ground = vxe_default_ground_def();
    ground.kind = VXE_GROUND_ROUGH;
    ground.points[0] = ground.points[1] = 20;
    ground.spacing = 0.005;
    ground.height = 0.004;
    ground.length = 0.02;
    require(vxe_scene_set_ground(scene, &ground, &error), &error);
    const vxe_water_def water = vxe_default_water_def();
    require(vxe_scene_set_water(scene, &water, &error), &error);
    vxe_model *model = compile_scene(scene);
    compare("parts", model, is_quick() ? 40 : 200);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

/* Two blocks, one on the other, that stick; voxels that disappear and grow. */
static void compare_living(void)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    require(vxe_scene_create(0.01, 4, 2, 4, &scene, &error), &error);
    const vxe_material_def material = vxe_default_material_def();
    require(vxe_scene_add_material(scene, &material, NULL, &error), &error);
    fill(scene, box_of(0, 0, 0, 3, 2, 3), 1);
    const vxe_part_def part = {.name = "upper", .separate = true};
    int32_t number = 0;
    require(vxe_scene_add_part(scene, &part, &number, &error), &error);
    for (int32_t i = 0; i < 6; i++)
        require(vxe_scene_set_field(scene, VXE_FIELD_PART, i % 3, i / 3, 2, number, &error), &error);
    vxe_environment e = vxe_default_environment();
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    require(vxe_scene_set_environment(scene, &e, &error), &error);
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_BOND);
    rule.stress = 10.0;
    require(vxe_scene_add_rule(scene, &rule, NULL, &error), &error);
    rule = vxe_default_rule_def(VXE_RULE_GROW);
    memcpy(rule.other, material.name, sizeof rule.other);
    rule.cells[0] = 4;
    rule.cells[1] = 2;
    rule.cells[2] = 4;
    rule.chance = 0.1;
    require(vxe_scene_add_rule(scene, &rule, NULL, &error), &error);
    rule = vxe_default_rule_def(VXE_RULE_REMOVE);
    rule.chance = 0.01;
    require(vxe_scene_add_rule(scene, &rule, NULL, &error), &error);
    vxe_model *model = compile_scene(scene);
    compare("living", model, is_quick() ? 40 : 200);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

/* What no demo has: links that yield and break, drag, a floor with an edge, a support, a pull by a region. */
static void test_rest(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    require(vxe_scene_create(0.01, 6, 3, 4, &scene, &error), &error);
    vxe_material_def material = vxe_default_material_def();
    material.law = VXE_LAW_BILINEAR;
    material.yield_stress = 1e-4 * material.youngs_modulus;
    material.plastic_modulus = 0.1 * material.youngs_modulus;
    material.failure_stress = 2e-4 * material.youngs_modulus;
    require(vxe_scene_add_material(scene, &material, NULL, &error), &error);
    fill(scene, box_of(0, 0, 0, 6, 3, 1), 1);
    fill(scene, box_of(0, 0, 2, 6, 3, 2), 1);
    vxe_region_def region = vxe_default_region_def();
    region.name[0] = 'a';
    region.shape = box_of(0, 0, 2, 1, 3, 2);
    region.fixed = VXE_DOF_ALL;
    require(vxe_scene_add_region(scene, &region, NULL, &error), &error);
    region.name[0] = 'b';
    region.shape = box_of(5, 0, 2, 1, 3, 2);
    region.fixed = 0;
    region.force[0] = 1e-3 * material.youngs_modulus * 1e-4;
    require(vxe_scene_add_region(scene, &region, NULL, &error), &error);
    vxe_environment e = vxe_default_environment();
    e.elasticity = VXE_ELASTICITY_SOLID;
    e.gravity[2] = -9.81;
    e.floor = true;
    e.floor_radius = 0.02;
    e.drag = 10.0;
    e.collisions = VXE_COLLISIONS_GRID;
    require(vxe_scene_set_environment(scene, &e, &error), &error);
    vxe_model *model = compile_scene(scene);
    compare("rest", model, is_quick() ? 40 : 200);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
    compare_living();
    for (int id = 0; id < STAGE_COUNT; id++) {
        if (calls[id] == 0) fail_msg("stage %s never ran", lines[id].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_demos), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
