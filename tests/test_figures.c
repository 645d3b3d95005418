/* Figures of a run: peaks with when and where, against what was seen in every step; and the gait. */
#include "support.h"

/* A bar that is fixed at one end and pulled at the other, swinging. */
static int32_t fastest_voxel(vxe_sim *sim)
{
    const vxe_state *s = vxe_sim_state(sim);
    int32_t fastest = -1;
    double most = -1.0;
    for (int32_t v = 0; v < vxe_model_get(vxe_sim_model(sim))->voxel_count; v++) {
        const double speed = hypot(hypot(s->velocity[0][v], s->velocity[1][v]), s->velocity[2][v]);
        if (speed <= most) continue;
        most = speed;
        fastest = v;
    }
    return fastest;
}

/* The near voxel of the link that is strained most. */
static int32_t strained_voxel(vxe_sim *sim)
{
    const vxe_links *links = NULL;
    const int32_t n = vxe_model_get(vxe_sim_model(sim))->voxel_count;
    int32_t strained = -1;
    double most = -1.0;
    assert_int_equal(vxe_sim_links(sim, &links, NULL), VXE_OK);
    for (int32_t i = 0; i < 3 * n; i++) {
        if (fabs(links->strain[i]) <= most) continue;
        most = fabs(links->strain[i]);
        strained = i % n;
    }
    return strained;
}

static void peaks_are_over_the_run(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 8, 2, 2);
    vxe_material_def def = vxe_default_material_def();
    const int32_t material = put_material(scene, &def);
    fill(scene, box_of(0, 0, 0, 8, 2, 2), material);
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    (void)add_force(scene, "tip", box_of(7, 0, 0, 1, 2, 2), 0.0, 0.0, -0.05);
    vxe_environment environment = vxe_scene_environment(scene);
    environment.damping_stretch = environment.damping_rotation = 0.05;
    require(vxe_scene_set_environment(scene, &environment, &error), &error);
    vxe_model *model = NULL;
    vxe_sim *sim = NULL;
    vxe_figures *figures = NULL;
    require(vxe_compile(scene, &model, &error), &error);
    vxe_sim_def sim_def = vxe_default_sim_def();
    require(vxe_sim_create(model, &sim_def, &sim, &error), &error);
    require(vxe_figures_create(sim, 20.0 * vxe_sim_time_step(sim).dt, &figures, &error), &error);
    double strain = 0.0;
    double speed = 0.0;
    double strain_time = 0.0;
    double speed_time = 0.0;
    int32_t strain_voxel = -1;
    int32_t speed_voxel = -1;
    double far = 0.0;
    for (int i = 0; i < 3000; i++) {
        const double begun = vxe_sim_time(sim);
        const int32_t strained = strained_voxel(sim);
        assert_int_equal(vxe_sim_step(sim, 1, NULL), VXE_OK);
        if (vxe_sim_strain_max(sim) > strain) {
            strain = vxe_sim_strain_max(sim);
            strain_time = begun;
            strain_voxel = strained;
        }
        if (vxe_sim_speed_max(sim) > speed) {
            speed = vxe_sim_speed_max(sim);
            speed_time = vxe_sim_time(sim);
            speed_voxel = fastest_voxel(sim);
        }
        if (vxe_sim_time(sim) >= vxe_figures_next(figures)) {
            vxe_figures_look(figures, sim);
            far = fmax(far, vxe_sim_displacement_max(sim, NULL));
        }
    }
    vxe_figures_look(figures, sim);
    const vxe_peak s = vxe_figures_peak(figures, VXE_PEAK_STRAIN);
    assert_true(s.value == strain && s.time == strain_time);
    assert_true(vxe_figures_peak(figures, VXE_PEAK_SPEED).value == speed);
    assert_true(vxe_figures_peak(figures, VXE_PEAK_DISPLACEMENT).value >= far);
    /* It swung past where it is now. */
    check_above("the strain over the run", strain, 1.05 * vxe_sim_strain_max(sim));
    const vxe_model_view *view = vxe_model_get(model);
    assert_int_equal(view->cell[0][vxe_figures_peak(figures, VXE_PEAK_DISPLACEMENT).voxel], 7); /* the tip */
    check_below("where it bends most", view->cell[0][s.voxel], 1.5);                            /* the wall */
    check_above("stress", vxe_figures_peak(figures, VXE_PEAK_STRESS).value,
                0.3 * def.youngs_modulus * strain);
    /* When and where, from all steps: the fastest voxel of that step, and the link of that strain. */
    const vxe_peak v = vxe_figures_peak(figures, VXE_PEAK_SPEED);
    assert_true(v.voxel == speed_voxel && v.time == speed_time);
    assert_true(s.voxel == strain_voxel);
    /* A reset begins anew; a checkpoint brings all of them back. */
    const vxe_sim_peaks before = vxe_sim_peaks_get(sim);
    const size_t size = vxe_sim_save_size(sim);
    void *saved = malloc(size);
    require(vxe_sim_save(sim, saved, size, &error), &error);
    vxe_sim_reset(sim);
    assert_true(vxe_sim_peaks_get(sim).strain == 0.0);
    assert_int_equal(vxe_sim_step(sim, 1, NULL), VXE_OK);
    check_below("the strain after one step", vxe_sim_peaks_get(sim).strain, 0.5 * before.strain);
    require(vxe_sim_load(sim, saved, size, &error), &error);
    assert_int_equal(vxe_sim_step(sim, 1, NULL), VXE_OK);
    const vxe_sim_peaks after = vxe_sim_peaks_get(sim);
    assert_memory_equal(&after, &before, sizeof after);
    vxe_figures *again = NULL;
    require(vxe_figures_create(sim, 20.0 * vxe_sim_time_step(sim).dt, &again, &error), &error);
    for (int kind = 0; kind < VXE_PEAK_KINDS; kind++) {
        const vxe_peak was = vxe_figures_peak(figures, (vxe_peak_kind)kind);
        const vxe_peak is = vxe_figures_peak(again, (vxe_peak_kind)kind);
        assert_true(is.value == was.value && is.time == was.time && is.voxel == was.voxel);
    }
    vxe_figures_destroy(again);
    free(saved);
    vxe_figures_destroy(figures);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

/* A block that slides without friction: 4 voxels long, at a known speed, always on the floor but for the
 * start. */
static void gait_of_a_walker(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    vxe_model *model = NULL;
    vxe_sim *sim = NULL;
    vxe_figures *figures = NULL;
    require(vxe_scene_load_json(VXE_SOURCE_DIR "/scenes/quadruped.json", &scene, &error), &error);
    require(vxe_compile(scene, &model, &error), &error);
    vxe_sim_def def = vxe_default_sim_def();
    require(vxe_sim_create(model, &def, &sim, &error), &error);
    double start[3];
    double end[3];
    vxe_sim_center_of_mass(sim, start);
    require(vxe_figures_create(sim, 0.01, &figures, &error), &error);
    double heights = start[2];
    double highest = start[2];
    int looks = 1;
    const double length = is_quick() ? 1.2 : 3.0;
    while (vxe_sim_time(sim) < length) {
        assert_int_equal(vxe_sim_step(sim, 20, NULL), VXE_OK);
        if (vxe_sim_time(sim) < vxe_figures_next(figures) && vxe_sim_time(sim) < length) continue;
        vxe_figures_look(figures, sim);
        vxe_sim_center_of_mass(sim, end);
        heights += end[2];
        highest = fmax(highest, end[2]);
        looks++;
    }
    const vxe_gait g = vxe_figures_gait(figures);
    const double distance = hypot(end[0] - start[0], end[1] - start[1]);
    const vxe_model_view *view = vxe_model_get(model);
    check_near("distance", g.distance, distance, 1e-12);
    check_above("path", g.path_length, distance);
    check_near("speed", g.speed, distance / vxe_sim_time(sim), 1e-12);
    check_near("body length", g.body_length, 16 * 0.02, 1e-12); /* 16 cells of 20 mm */
    check_near("speed in body lengths", g.speed_lengths, g.speed / 0.32, 1e-12);
    check_near("height", g.height, heights / looks, 1e-12);
    check_near("rise", g.rise, highest - start[2], 1e-12);
    const double work = vxe_sim_energy(sim).actuation_work;
    check_near("cost of transport", g.cost_of_transport, work / (view->mass * 9.81 * distance),
               2e-3 * g.cost_of_transport);                  /* gravity is 9.80665 */
    assert_true(g.duty_factor > 0.2 && g.duty_factor < 1.0); /* feet rise and fall */
    assert_true(g.contact_part >= g.duty_factor && g.contact_part <= 1.0);
    vxe_figures_destroy(figures);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

static void refuses_nonsense(void **state)
{
    (void)state;
    vxe_figures *figures = NULL;
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_figures_create(NULL, 1.0, &figures, &error), VXE_ERROR_ARGUMENT);
    assert_true(isinf(vxe_figures_next(NULL)));
    assert_int_equal(vxe_figures_peak(NULL, VXE_PEAK_STRAIN).voxel, -1);
    vxe_figures_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(peaks_are_over_the_run),
                                       cmocka_unit_test(gait_of_a_walker),
                                       cmocka_unit_test(refuses_nonsense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
