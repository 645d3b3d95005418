/* The manifest of a simulation's arrays: which exist when, what they cost, what a reset leaves of them. */
#include "sim/sim.h"
#include "support.h"

/* Everything a scene can have that brings arrays of its own, or nothing of it. */
static bench start_scene(bool rich, bool audit)
{
    vxe_material_def material = vxe_default_material_def();
    vxe_environment e = vxe_default_environment();
    e.elasticity = rich ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM;
    e.floor = true;
    if (rich) {
        material.law = VXE_LAW_BILINEAR;
        material.yield_stress = 1e4;
        material.plastic_modulus = 1e4;
        e.floor_radius = 0.05;
        e.drag = 1.0;
    }
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    require(vxe_scene_create(0.01, 4, 3, 2, &scene, &error), &error);
    require(vxe_scene_add_material(scene, &material, NULL, &error), &error);
    fill(scene, box_of(0, 0, 0, 4, 3, 2), 1);
    vxe_region_def region = vxe_default_region_def();
    region.name[0] = 'a';
    region.shape = box_of(0, 0, 0, 1, 3, 2);
    if (rich) {
        region.fixed = VXE_DOF_ALL;
        require(vxe_scene_add_region(scene, &region, NULL, &error), &error);
    }
    require(vxe_scene_set_environment(scene, &e, &error), &error);
    const vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_CONDUCT);
    if (rich) require(vxe_scene_add_rule(scene, &rule, NULL, &error), &error);
    if (rich) {
        vxe_ground_def ground = vxe_default_ground_def();
        ground.origin[2] = -0.002;
        const vxe_water_def water = vxe_default_water_def();
        require(vxe_scene_set_ground(scene, &ground, &error), &error);
        require(vxe_scene_set_water(scene, &water, &error), &error);
    }
    bench b = {0};
    require(vxe_compile(scene, &b.model, &error), &error);
    vxe_scene_destroy(scene);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = audit;
    require(vxe_sim_create(b.model, &def, &b.sim, &error), &error);
    return b;
}

static void stop_scene(bench b)
{
    vxe_sim_destroy(b.sim);
    vxe_model_destroy(b.model);
}

static void test_who_is_there(void **state)
{
    (void)state;
    for (int rich = 0; rich < 2; rich++) {
        for (int audit = 0; audit < 2; audit++) {
            bench b = start_scene(rich != 0, audit != 0);
            size_t bytes = 0;
            for (int i = 0; i < STATE_COUNT; i++) {
                const state_field *f = &vxe_state_fields[i];
                const bool wanted = (f->when & ~(rich != 0 ? 0xffffU : (unsigned)WHEN_AUDIT)) == 0 &&
                                    ((f->when & WHEN_AUDIT) == 0 || audit != 0);
                for (int c = 0; c < f->components; c++) {
                    if ((vxe_state_at(b.sim, (state_id)i, c) != NULL) != wanted)
                        fail_msg("%s: rich %d, audit %d", f->name, rich, audit);
                    if (wanted) bytes += vxe_state_length(b.sim, (state_id)i) * f->size;
                }
                assert_int_equal(vxe_state_find(f->name), i);
            }
            assert_true(vxe_sim_bytes(b.sim) > bytes);
            assert_ptr_equal(vxe_state_at(b.sim, STATE_spin, 2), b.sim->spin[2]);
            stop_scene(b);
        }
    }
    assert_int_equal(vxe_state_find("no such array"), STATE_COUNT);
}

/* What is saved comes back: after a reset to other numbers, all bytes of all saved arrays are those saved. */
static void test_saved_comes_back(void **state)
{
    (void)state;
    bench b = start_scene(true, true);
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_sim_step(b.sim, 40, NULL), VXE_OK);
    const size_t size = vxe_sim_save_size(b.sim);
    unsigned char *first = malloc(size);
    unsigned char *second = malloc(size);
    assert_non_null(first);
    assert_non_null(second);
    require(vxe_sim_save(b.sim, first, size, &error), &error);
    const uint64_t hash = vxe_sim_hash(b.sim);
    vxe_sim_reset(b.sim);
    assert_true(vxe_sim_hash(b.sim) != hash);
    for (int i = 0; i < STATE_COUNT; i++) {
        const state_field *f = &vxe_state_fields[i];
        if ((f->flags & STATE_SAVED) == 0 || i == STATE_position || i == STATE_orientation ||
            i == STATE_stuck || i == STATE_floor_rest || i == STATE_alive || i == STATE_role)
            continue; /* a body at its start has these */
        for (int c = 0; c < f->components; c++) {
            const unsigned char *bytes = vxe_state_at(b.sim, (state_id)i, c);
            for (size_t k = 0; k < vxe_state_length(b.sim, (state_id)i) * f->size; k++) {
                if (bytes[k] != 0) fail_msg("%s is not zero after a reset", f->name);
            }
        }
    }
    require(vxe_sim_load(b.sim, first, size, &error), &error);
    require(vxe_sim_save(b.sim, second, size, &error), &error);
    assert_memory_equal(first, second, size);
    assert_true(vxe_sim_hash(b.sim) == hash);
    free(first);
    free(second);
    stop_scene(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_who_is_there),
                                       cmocka_unit_test(test_saved_comes_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
