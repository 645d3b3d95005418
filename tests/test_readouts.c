/* What is read out of a simulation agrees with itself. */
#include "support.h"

#include "freeze.h"

/* In the middle of a violent motion: the links' loads, with gravity and the loads of regions, are what acts
 * in the next step; their energies are the elastic energy at its beginning; strains and stresses per voxel
 * are means of those of its links. */
static void test_readouts_agree(void **state)
{
    (void)state;
    static const vxe_elasticity kinds[2] = {VXE_ELASTICITY_SOLID, VXE_ELASTICITY_BEAM};
    for (int i = 0; i < 2; i++) {
        vxe_scene *scene = new_scene(0.01, 4, 3, 3);
        vxe_material_def def = vxe_default_material_def();
        def.expansion = 0.01;
        const int32_t soft = put_material(scene, &def);
        def.youngs_modulus = 7e6;
        def.density = 3000.0;
        def.expansion = 0.0;
        const int32_t hard = put_material(scene, &def);
        fill_all(scene, soft);
        fill(scene, box_of(0, 0, 0, 2, 3, 2), hard);
        add_force(scene, "pull", box_of(3, 0, 0, 1, 3, 3), 3.0, 0.0, 0.0);
        vxe_signal_def beat = vxe_default_signal_def();
        beat.amplitude = 10.0;
        beat.period = 0.01;
        put_signal(scene, &beat);
        vxe_environment e = environment_of(kinds[i], 0.3, 0.0);
        e.gravity[1] = -5.0;
        set_environment(scene, &e);
        bench b = start_explicit(scene); /* implicit damping is no force of a link */
        step(b.sim, 700);
        const vxe_model_view *view = vxe_model_get(b.model);
        const size_t n = (size_t)view->voxel_count;
        const vxe_links *links = NULL;
        vxe_error error = {VXE_OK, ""};
        /* the sizes of a step belong to its beginning: bring the read-out there */
        vxe_signals_update(b.sim, &(step_context){.step = 0.0});
        require(vxe_sim_links(b.sim, &links, &error), &error);
        double sum[36][6] = {{0.0}};
        double strain[36][3] = {{0.0}};
        double stress[36][3] = {{0.0}};
        int count[36][3] = {{0}};
        double link_energy_sum = 0.0;
        double scale = 0.0;
        for (int a = 0; a < 3; a++) {
            for (size_t v = 0; v < n; v++) {
                const size_t link = (size_t)a * n + v;
                if (view->next[a][v] < 0) {
                    assert_true(links->strain[link] == 0.0 && links->force[0][link] == 0.0 &&
                                links->energy[link] == 0.0);
                    continue;
                }
                const size_t far = (size_t)view->next[a][v];
                for (int c = 0; c < 3; c++) {
                    sum[v][c] -= links->force[c][link];
                    sum[far][c] += links->force[c][link];
                    sum[v][3 + c] += links->near_moment[c][link];
                    sum[far][3 + c] += links->far_moment[c][link];
                    scale = fmax(scale, fabs(links->force[c][link]));
                }
                const size_t ends[2] = {v, far};
                for (int k = 0; k < 2; k++) {
                    strain[ends[k]][a] += links->strain[link];
                    stress[ends[k]][a] += links->stress[link];
                    count[ends[k]][a]++;
                }
                link_energy_sum += links->energy[link];
            }
        }
        const vxe_voxels *voxels = NULL;
        require(vxe_sim_voxels(b.sim, &voxels, &error), &error);
        double energy = 0.0;
        for (size_t v = 0; v < n; v++) {
            for (int a = 0; a < 3; a++) {
                check_near("strain of a voxel", voxels->strain[a][v], strain[v][a] / count[v][a], 1e-15);
                check_near("stress of a voxel, Pa", voxels->stress[a][v], stress[v][a] / count[v][a], 1e-9);
            }
            energy += voxels->energy[v];
        }
        assert_true(i == 0 ? energy > link_energy_sum
                           : fabs(energy / link_energy_sum - 1.0) < 1e-12); /* the pressure's share */
        step(b.sim, 1);
        const vxe_state *s = vxe_sim_state(b.sim);
        for (size_t v = 0; v < n; v++) {
            const double mass = view->voxel_mass[view->material[v]];
            for (int c = 0; c < 3; c++) {
                const double outside =
                    (c == 1 ? -5.0 * mass : 0.0) + (c == 0 && view->cell[0][v] == 3 ? 3.0 / 9.0 : 0.0);
                check_near("force, N", s->force[c][v], sum[v][c] + outside, 1e-12 * scale);
                check_near("moment, N m", s->moment[c][v], sum[v][3 + c], 1e-14 * scale);
            }
        }
        check_near("elastic energy over the sum of the voxels'", b.sim->last.elastic / energy, 1.0, 1e-12);
        finish(b);
    }
}

/* At rest nothing pulls at a free voxel, and the strain in a pulled chain is that of its force. */
static void test_readouts_at_rest(void **state)
{
    (void)state;
    const double force[3] = {1.0, 0.0, 0.0};
    bench b = held_bar(6, 1, 1, VXE_ELASTICITY_BEAM, force);
    settle(b.sim, 1e-10, 0.0, 100000);
    const vxe_links *links = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_links(b.sim, &links, &error), &error);
    for (size_t v = 0; v < 5; v++) {
        check_near("force of a link, N", links->force[0][v], -1.0, 1e-7);
        check_near("stress of a link, Pa", links->stress[v], 1e4, 1e-3);
        check_near("strain of a link", links->strain[v], 0.01, 1e-9); /* sigma/E */
        assert_int_equal(links->broken[v], 0);
    }
    for (int32_t v = 1; v < 6; v++)
        check_near("force on a voxel, N", vxe_sim_state(b.sim)->force[0][v], 0.0, 1e-7);
    check_near("largest strain", vxe_sim_strain_max(b.sim), 0.01, 1e-9);
    int32_t voxel = -1;
    check_near("largest displacement, m", vxe_sim_displacement_max(b.sim, &voxel), 5e-4, 1e-10);
    assert_int_equal(voxel, 5);
    finish(b);
}

/* The axes are alike: a bar along x, y or z, loaded and actuated in the correspondingly turned way, does the
 * same to round-off (sums are taken in another order). */
static void test_axes_are_alike(void **state)
{
    (void)state;
    double result[3][3];
    for (int turn = 0; turn < 3; turn++) {
        const int32_t shape[3] = {5, 3, 2};
        int32_t size[3];
        double force[3];
        double wall[3];
        double tip[3];
        for (int a = 0; a < 3; a++) {
            const int to = (a + turn) % 3;
            size[to] = shape[a];
            force[to] = a == 0 ? 0.5 : a == 1 ? -1.0 : 1.5;
            wall[to] = a == 0 ? 1.0 : shape[a];
            tip[to] = a == 0 ? 4.0 : 0.0;
        }
        vxe_scene *scene = new_scene(0.01, size[0], size[1], size[2]);
        fill_all(scene, add_material(scene, 1e6, 0.4, 1000));
        add_fixed(scene, "wall", box_of(0, 0, 0, wall[0], wall[1], wall[2]), VXE_DOF_ALL);
        add_force(scene, "tip", box_of(tip[0], tip[1], tip[2], wall[0], wall[1], wall[2]), force[0], force[1],
                  force[2]);
        const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.3, 0.01);
        set_environment(scene, &e);
        bench b = start_explicit(scene); /* implicit damping takes the axes in turn */
        const vxe_stop stop = {.time = 0.05};
        freeze_step(b.sim, 5e-5); /* the same for all: the bound's start vector is not symmetric */
        assert_int_equal(vxe_sim_run(b.sim, &stop, INT64_MAX), VXE_RUN_TIME);
        double d[3];
        assert_int_equal(vxe_sim_region_displacement(b.sim, 1, d, NULL), VXE_OK);
        for (int a = 0; a < 3; a++) result[turn][a] = d[(a + turn) % 3];
        finish(b);
    }
    check_above("displacement, m", length3(result[0]), 1e-3);
    for (int turn = 1; turn < 3; turn++) {
        for (int a = 0; a < 3; a++) check_near("displacement, m", result[turn][a], result[0][a], 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_readouts_agree),
        cmocka_unit_test(test_readouts_at_rest),
        cmocka_unit_test(test_axes_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
