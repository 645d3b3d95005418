/* What the studio draws: the same corners as vxe_skin gives, for a body that is bent, grown, torn, hollow or
 * in pieces, whether all voxels are shown or the surface only. */
#include "picture/surface.h"
#include "support.h"

static const int vtk_order[8] = {0, 1, 3, 2, 4, 5, 7, 6};

/* A bar of 8 x 3 x 3 with a hole inside and a piece apart, held at one end, loaded at the other, growing. */
static vxe_scene *make_scene(double failure_stress)
{
    vxe_scene *scene = new_scene(0.01, 8, 3, 6);
    vxe_material_def def = vxe_default_material_def();
    vxe_signal_def signal = vxe_default_signal_def();
    vxe_error error = {VXE_OK, ""};
    def.expansion = 0.02;
    def.failure_stress = failure_stress;
    const int32_t material = put_material(scene, &def);
    signal.amplitude = 5.0;
    signal.period = 0.1;
    (void)put_signal(scene, &signal);
    fill(scene, box_of(0, 0, 0, 8, 3, 3), material);
    fill(scene, box_of(4, 1, 1, 1, 1, 1), 0);
    fill(scene, box_of(1, 1, 5, 3, 1, 1), material);
    require(vxe_scene_set_actuation(scene, 2, 1, 1,
                                    &(vxe_actuation){.phase = 0.25, .amplitude = 2.0, .period = 1.0}, &error),
            &error);
    (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 3, 3), VXE_DOF_ALL);
    (void)add_force(scene, "tip", box_of(7, 0, 0, 1, 3, 3), 40.0, 0.0, -20.0);
    return scene;
}

/* Compares every corner of every voxel shown with the skin's. */
static void compare(vxe_sim *sim, bool all)
{
    vxe_error error = {VXE_OK, ""};
    vxe_skin *skin = NULL;
    vxe_surface *s = NULL;
    const vxe_model_view *model = vxe_model_get(vxe_sim_model(sim));
    require(vxe_skin_create(sim, &skin, &error), &error);
    require(vxe_surface_create(sim, all ? VXE_SHOWN_PRESENT : VXE_SHOWN_SURFACE, all, &s, &error), &error);
    const vxe_skin_view *view = vxe_skin_get(skin);
    const double origin[3] = {0.03, -0.01, 0.02};
    float *corners = calloc(3 * (size_t)s->corner_count, sizeof *corners);
    vxe_surface_pose(s, model, vxe_sim_state(sim));
    vxe_surface_corners(s, origin, corners);
    assert_int_equal(s->face_count, view->face_count);
    if (all) {
        assert_int_equal(s->voxel_count, model->voxel_count);
        assert_int_equal(s->corner_count, view->corner_count);
        assert_int_equal(s->link_count, model->link_count);
    } else {
        assert_true(s->voxel_count < model->voxel_count);
    }
    for (int32_t i = 0; i < s->voxel_count; i++) {
        const int32_t v = (int32_t)s->voxel[i];
        assert_int_equal(s->material[i], model->material[v]);
        for (int c = 0; c < 8; c++) {
            const uint32_t mine = s->hexahedron[8 * i + c];
            const int32_t theirs = view->voxel_corner[8 * v + vtk_order[c]];
            for (int a = 0; a < 3; a++) {
                /* float32 of numbers up to 0.1 m */
                check_near("a corner", corners[3 * mine + (uint32_t)a],
                           view->corner[3 * theirs + a] - origin[a], 1e-8);
            }
        }
    }
    for (int32_t f = 0; f < s->face_count; f++) {
        assert_int_equal(s->voxel[s->face_voxel[f]], view->face_voxel[f]);
        assert_int_equal(s->face_side[f], view->face_side[f]);
        for (int c = 0; c < 4; c++) {
            const float *mine = corners + 3 * s->face[4 * f + c];
            check_near("a face's corner", mine[0], view->corner[3 * view->face_corner[4 * f + c]] - origin[0],
                       1e-8);
        }
    }
    free(corners);
    vxe_surface_destroy(s);
    vxe_skin_destroy(skin);
}

static void run_and_compare(double failure_stress, int64_t steps, bool breaks)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = make_scene(failure_stress);
    vxe_model *model = NULL;
    vxe_sim *sim = NULL;
    const vxe_sim_def def = vxe_default_sim_def();
    require(vxe_compile(scene, &model, &error), &error);
    require(vxe_sim_create(model, &def, &sim, &error), &error);
    compare(sim, false);
    compare(sim, true);
    int64_t broken = 0;
    for (int64_t done = 0; done < steps && broken == 0; done += 10) {
        (void)vxe_sim_step(sim, 10, NULL);
        vxe_sim_failures(sim, &broken, NULL);
    }
    assert_int_equal(broken > 0, breaks);
    compare(sim, false);
    compare(sim, true);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

static void test_bent(void **state)
{
    (void)state;
    run_and_compare(0.0, 500, false);
}

static void test_torn(void **state)
{
    (void)state;
    run_and_compare(2e4, 5000, true);
}

/* A small rotation of everything moves every corner as a rigid body would. */
static void test_motion(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = make_scene(0.0);
    vxe_model *model = NULL;
    vxe_sim *sim = NULL;
    vxe_surface *s = NULL;
    const vxe_sim_def def = vxe_default_sim_def();
    require(vxe_compile(scene, &model, &error), &error);
    require(vxe_sim_create(model, &def, &sim, &error), &error);
    require(vxe_surface_create(sim, VXE_SHOWN_SURFACE, false, &s, &error), &error);
    const vxe_model_view *view = vxe_model_get(model);
    const size_t n = (size_t)view->voxel_count;
    const double spin[3] = {0.1, -0.2, 0.3};
    double *numbers = calloc(6 * n, sizeof *numbers);
    const double *displacement[3] = {numbers, numbers + n, numbers + 2 * n};
    const double *rotation[3] = {numbers + 3 * n, numbers + 4 * n, numbers + 5 * n};
    for (size_t v = 0; v < n; v++) {
        for (size_t a = 0; a < 3; a++) {
            const size_t b = (a + 1) % 3;
            const size_t c = (a + 2) % 3;
            numbers[a * n + v] = spin[b] * view->start[c][v] - spin[c] * view->start[b][v];
            numbers[(3 + a) * n + v] = spin[a];
        }
    }
    const double origin[3] = {0.0, 0.0, 0.0};
    float *motion = calloc(3 * (size_t)s->corner_count, sizeof *motion);
    float *corners = calloc(3 * (size_t)s->corner_count, sizeof *corners);
    vxe_surface_pose(s, view, NULL);
    vxe_surface_start(s, view->pitch, origin, corners);
    vxe_surface_motion(s, displacement, rotation, 2.0, motion);
    for (int32_t i = 0; i < s->corner_count; i++) {
        const float *p = corners + 3 * i;
        for (int a = 0; a < 3; a++) {
            const int b = (a + 1) % 3;
            const int c = (a + 2) % 3;
            check_near("a corner's motion", motion[3 * i + a], 2.0 * (spin[b] * p[c] - spin[c] * p[b]), 1e-7);
        }
    }
    free(corners);
    free(motion);
    free(numbers);
    vxe_surface_destroy(s);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bent),
        cmocka_unit_test(test_torn),
        cmocka_unit_test(test_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
