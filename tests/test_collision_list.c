/* The list of near pairs: every pair that overlaps is on it, whatever the scheme, over whole runs; who is
 * excluded; what each scheme looks at. */
#include "support.h"

#include "sim/collide.h"
#include "voxelastic/io.h"

#include <stdio.h>
#include <string.h>

/* Links between two voxels by breadth-first search, at most 3; 9: further. */
static int links_apart(const vxe_sim *sim, int32_t from, int32_t to)
{
    const vxe_model *m = sim->model;
    int32_t ring[200];
    int depth[200];
    int count = 1;
    ring[0] = from;
    depth[0] = 0;
    for (int i = 0; i < count; i++) {
        if (ring[i] == to) return depth[i];
        if (depth[i] == 3) continue;
        for (int f = 0; f < 6; f++) {
            const int a = f / 2;
            int32_t next = -1;
            if (f % 2 == 1) {
                if (sim->link_kind[a][ring[i]] != 0) next = m->next[a][ring[i]];
            } else {
                for (int32_t v = 0; v < m->view.voxel_count && next < 0; v++) {
                    if (m->next[a][v] == ring[i] && sim->link_kind[a][v] != 0) next = v;
                }
            }
            bool known = next < 0;
            for (int j = 0; j < count && !known; j++) known = ring[j] == next;
            if (known) continue;
            ring[count] = next;
            depth[count++] = depth[i] + 1;
        }
    }
    return 9;
}

static void test_exclusion(void **state)
{
    (void)state;
    rng r = {11};
    int excluded = 0;
    for (int round = 0; round < 6; round++) {
        vxe_scene *scene = new_scene(0.01, 5, 4, 4);
        vxe_material_def def = vxe_default_material_def();
        def.failure_stress = 1e6; /* so that links can be taken out */
        const int32_t material = put_material(scene, &def);
        for (int32_t c = 0; c < 80; c++) {
            if (rng_between(&r, 0.0, 1.0) < 0.8)
                require(vxe_scene_set_voxel(scene, c % 5, c / 5 % 4, c / 20, material, NULL), NULL);
        }
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
        e.collisions = VXE_COLLISIONS_GRID;
        set_environment(scene, &e);
        bench b = start(scene);
        const int32_t n = b.model->view.voxel_count;
        for (int a = 0; a < 3; a++) {
            for (int32_t v = 0; v < n; v++) {
                if (b.sim->own_kind[a][v] == 0 || rng_between(&r, 0.0, 1.0) > 0.2) continue;
                b.sim->broken[a][v] = 2;
                b.sim->last.failed = 1;
            }
        }
        vxe_break_links(b.sim, &(step_context){.step = 0.0});
        for (int32_t v = 0; v < n; v++) {
            for (int32_t w = v + 1; w < n; w++) {
                const bool near = links_apart(b.sim, v, w) <= 3;
                assert_int_equal(vxe_collider_excluded(b.sim, v, w), near);
                excluded += near;
            }
        }
        finish(b);
    }
    assert_true(excluded > 1000);
}

static bool is_listed(const pair_list *list, int32_t v, int32_t w)
{
    int64_t low = 0;
    int64_t high = list->count - 1;
    while (low <= high) {
        const int64_t middle = (low + high) / 2;
        const int64_t order = list->first[middle] != v ? list->first[middle] - v : list->second[middle] - w;
        if (order == 0) return true;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return false;
}

/* Every pair whose envelopes overlap at `position` and `growth` and that is not excluded is on the list; how
 * many there are. */
static int64_t check_list(const vxe_sim *sim, double *const position[3], const double *growth)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    int64_t overlapping = 0;
    for (int32_t v = 0; v < n; v++) {
        for (int32_t w = v + 1; w < n; w++) {
            const double reach = 0.5 * m->view.pitch * (2.0 + growth[v] + growth[w]);
            double square = 0.0;
            for (int a = 0; a < 3 && square < reach * reach; a++) {
                const double d = position[a][w] - position[a][v];
                square += d * d;
            }
            if (!(square < reach * reach) || vxe_collider_excluded(sim, v, w)) continue;
            if (sim->free_faces[v] == 0 || sim->free_faces[w] == 0) continue; /* inside a body */
            overlapping++;
            if (!is_listed(&sim->collider->list, v, w))
                fail_msg("step %lld: voxels %d and %d overlap and are not listed", (long long)sim->step, v,
                         w);
        }
    }
    return overlapping;
}

/* The positions a step used are those before it: copy, step, compare with the list that it left. */
static int64_t check_run(vxe_sim *sim, int64_t steps, int64_t stride)
{
    const size_t n = (size_t)sim->model->view.voxel_count;
    double *copy = malloc(4 * n * sizeof *copy);
    assert_non_null(copy);
    double *const position[3] = {copy, copy + n, copy + 2 * n};
    int64_t overlapping = 0;
    for (int64_t i = 0; i < steps; i += stride) {
        for (int a = 0; a < 3; a++) memcpy(position[a], sim->position[a], n * sizeof *copy);
        step(sim, 1);
        memcpy(copy + 3 * n, sim->growth[0], n * sizeof *copy);
        overlapping += check_list(sim, position, copy + 3 * n);
        if (stride > 1) step(sim, stride - 1);
    }
    free(copy);
    return overlapping;
}

static vxe_scene *load_clapper(vxe_collisions scheme)
{
    vxe_scene *scene = NULL;
    vxe_error error;
    require(vxe_scene_load_json(VXE_SOURCE_DIR "/scenes/clapper.json", &scene, &error), &error);
    vxe_environment e = vxe_scene_environment(scene);
    e.collisions = scheme;
    set_environment(scene, &e);
    return scene;
}

/* Small bodies, some of them swelling and shrinking by 40 %, fall into a heap; `side` of them stand along x
 * and along y. */
static vxe_scene *make_heap(vxe_collisions scheme, int32_t bodies, int32_t side)
{
    vxe_scene *scene = new_scene(0.01, 4 * side, 4 * side, 16);
    vxe_material_def def = vxe_default_material_def();
    const int32_t still = put_material(scene, &def);
    def.expansion = 0.01;
    const int32_t alive = put_material(scene, &def);
    rng r = {5};
    for (int32_t body = 0; body < bodies; body++) {
        const int32_t x = body % side * 4 + rng_int(&r, 0, 1);
        const int32_t y = body / side % side * 4;
        const int32_t z = 1 + body / (side * side) * 5;
        fill(scene, box_of(x, y, z, 2, 2 + body % 2, 2), body % 2 == 0 ? alive : still);
    }
    vxe_signal_def beat = vxe_default_signal_def();
    beat.amplitude = 40.0;
    beat.period = 0.05;
    put_signal(scene, &beat);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = scheme;
    set_environment(scene, &e);
    return scene;
}

/* Few enough for vxe_collider_list_few(). */
static vxe_scene *make_pile(vxe_collisions scheme) { return make_heap(scheme, 20, 3); }

/* Too many for it. */
static vxe_scene *make_large_pile(vxe_collisions scheme)
{
    return is_quick() ? make_heap(scheme, 108, 6) : make_heap(scheme, 192, 8);
}

static void test_nothing_missed(void **state)
{
    (void)state;
    bench clapper = start(load_clapper(VXE_COLLISIONS_GRID));
    const int64_t cycle = (int64_t)(0.3 / vxe_sim_time_step(clapper.sim).dt);
    const int64_t first = check_run(clapper.sim, is_quick() ? cycle / 2 : 2 * cycle, is_quick() ? 16 : 2);
    print_message("    clapper: %lld overlaps, none missed, %lld lists in %lld steps\n", (long long)first,
                  (long long)clapper.sim->collider->rebuilds, (long long)clapper.sim->step);
    assert_true(first > 0);
    assert_true(clapper.sim->collider->rebuilds < clapper.sim->step / 4);
    finish(clapper);
    bench pile = start(make_pile(VXE_COLLISIONS_GRID));
    assert_int_equal(pile.model->view.body_count, 20);
    const int64_t second = check_run(pile.sim, is_quick() ? 500 : 6000, is_quick() ? 8 : 1);
    print_message("    pile: %lld overlaps, none missed, %lld lists in %lld steps\n", (long long)second,
                  (long long)pile.sim->collider->rebuilds, (long long)pile.sim->step);
    assert_true(is_quick() || second > 1000);
    finish(pile);
    bench large = start(make_large_pile(VXE_COLLISIONS_GRID));
    assert_null(large.sim->collider->may_touch);
    const int64_t third = check_run(large.sim, is_quick() ? 300 : 2000, is_quick() ? 100 : 10);
    print_message("    large pile: %lld overlaps, none missed, %lld lists in %lld steps\n", (long long)third,
                  (long long)large.sim->collider->rebuilds, (long long)large.sim->step);
    assert_true(is_quick() || third > 1000);
    finish(large);
}

/* All schemes give the same bits, and do the pair tests their names say. */
static void test_schemes(void **state)
{
    (void)state;
    const vxe_collisions schemes[] = {VXE_COLLISIONS_GRID, VXE_COLLISIONS_ALL_EVERY,
                                      VXE_COLLISIONS_SURFACE_EVERY, VXE_COLLISIONS_ALL_HORIZON,
                                      VXE_COLLISIONS_SURFACE_HORIZON};
    const int64_t steps = is_quick() ? 100 : 2000;
    uint64_t hash = 0;
    for (int i = 0; i < 5; i++) {
        bench b = start(make_pile(schemes[i]));
        step(b.sim, steps);
        const int64_t all = b.model->view.voxel_count;
        const int64_t surface = b.model->view.surface_count;
        const collider *c = b.sim->collider;
        if (i == 0) hash = vxe_sim_hash(b.sim);
        assert_true(vxe_sim_hash(b.sim) == hash);
        if (i == 1) assert_int_equal(c->tests, steps * (all * (all - 1) / 2));
        if (i == 2) assert_int_equal(c->tests, steps * (surface * (surface - 1) / 2));
        if (i == 3) assert_int_equal(c->tests, c->rebuilds * (all * (all - 1) / 2));
        if (i == 4) assert_int_equal(c->tests, c->rebuilds * (surface * (surface - 1) / 2));
        if (i == 0) assert_true(c->tests < c->rebuilds * (surface * (surface - 1) / 2));
        finish(b);
    }
}

/* Of many candidates the grid looks at a small part of the pairs, for the same bits. */
static void test_grid(void **state)
{
    (void)state;
    const int64_t steps = is_quick() ? 100 : 1000;
    bench grid = start(make_large_pile(VXE_COLLISIONS_GRID));
    bench plain = start(make_large_pile(VXE_COLLISIONS_SURFACE_HORIZON));
    step(grid.sim, steps);
    step(plain.sim, steps);
    const collider *c = grid.sim->collider;
    const int64_t surface = grid.model->view.surface_count;
    assert_true(vxe_sim_hash(grid.sim) == vxe_sim_hash(plain.sim));
    assert_true(c->tests < c->rebuilds * (surface * (surface - 1) / 2) / 16);
    print_message("    %lld of %lld pairs looked at per list\n", (long long)(c->tests / c->rebuilds),
                  (long long)(surface * (surface - 1) / 2));
    finish(grid);
    finish(plain);
}

/* A list too small for the horizon still misses nothing: it looks a shorter way ahead, or the run stops and
 * says so. */
static void test_crowded(void **state)
{
    (void)state;
    bench b = start(make_pile(VXE_COLLISIONS_GRID));
    step(b.sim, is_quick() ? 100 : 3000);
    b.sim->collider->capacity = b.sim->collider->list.count / 2 + 8;
    b.sim->collider->stale = 1;
    for (int i = 0; i < 50 && vxe_sim_step(b.sim, 1, NULL) == VXE_OK; i++) {
        double *const position[3] = {b.sim->position[0], b.sim->position[1], b.sim->position[2]};
        (void)position;
    }
    const vxe_fault fault = vxe_sim_status(b.sim)->fault;
    assert_true(fault == VXE_FAULT_NONE || fault == VXE_FAULT_CROWDED);
    if (fault == VXE_FAULT_NONE) (void)check_run(b.sim, 20, 1);
    finish(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exclusion),
                                       cmocka_unit_test(test_nothing_missed), cmocka_unit_test(test_schemes),
                                       cmocka_unit_test(test_grid), cmocka_unit_test(test_crowded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
