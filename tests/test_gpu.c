/* The kernels of the GPU backend give the CPU's bits. Without a GPU the host plays it: the same kernels, the
 * threads of a block in turn. VXE_TEST_DEVICE=cuda takes a real one. */
#include "backend/cuda/group.h"
#include "pile.h"
#include "random_scene.h"
#include "robot.h"
#include "sim/collide.h"

static vxe_device device_to_test(void)
{
    const char *name = getenv("VXE_TEST_DEVICE");
    return name != NULL && strcmp(name, "cuda") == 0 ? VXE_DEVICE_CUDA : VXE_DEVICE_EMULATED;
}

/* A simulation on the device, or the same on the CPU. */
static vxe_sim *start_on(const vxe_model *model, vxe_device device, vxe_precision precision,
                         vxe_bond_damping damping)
{
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = false;
    def.threads = 1;
    def.device = device;
    def.precision = precision;
    def.bond_damping = damping;
    return new_sim(model, &def);
}

static int64_t steps_there(const vxe_sim *sim)
{
    const gpu_member *member = sim->remote;
    return member->steps;
}

static void compare_array(const char *what, const char *name, const double *one, const double *other,
                          int32_t count)
{
    for (int32_t v = 0; v < count; v++) {
        if (memcmp(&one[v], &other[v], sizeof *one) != 0 && one[v] != other[v])
            fail_msg("%s: %s of voxel %d is %.17g there and %.17g here", what, name, (int)v, other[v],
                     one[v]);
    }
}

/* All that can be asked for. */
static void compare_sims(const char *what, vxe_sim *here, vxe_sim *there)
{
    const vxe_state *a = vxe_sim_state(here);
    const vxe_state *b = vxe_sim_state(there);
    const int32_t n = here->model->view.voxel_count;
    if (a->step != b->step || a->time != b->time)
        fail_msg("%s: step %lld, %.17g s there, step %lld, %.17g s here", what, (long long)b->step, b->time,
                 (long long)a->step, a->time);
    for (int i = 0; i < 3; i++) {
        compare_array(what, "position", a->position[i], b->position[i], n);
        compare_array(what, "velocity", a->velocity[i], b->velocity[i], n);
        compare_array(what, "spin", a->spin[i], b->spin[i], n);
        compare_array(what, "force", a->force[i], b->force[i], n);
        compare_array(what, "moment", a->moment[i], b->moment[i], n);
        compare_array(what, "contact force", a->contact_force[i], b->contact_force[i], n);
    }
    for (int i = 0; i < 4; i++) compare_array(what, "orientation", a->orientation[i], b->orientation[i], n);
    compare_array(what, "growth", a->growth, b->growth, n);
    compare_array(what, "pressure", a->pressure, b->pressure, n);
    if (vxe_sim_hash(here) != vxe_sim_hash(there)) fail_msg("%s: the hashes differ", what);
    const vxe_sim_peaks p = vxe_sim_peaks_get(here);
    const vxe_sim_peaks q = vxe_sim_peaks_get(there);
    if (p.strain != q.strain || p.strain_time != q.strain_time || p.speed != q.speed ||
        p.speed_time != q.speed_time)
        fail_msg("%s: peaks %.17g %.17g %.17g %.17g there, %.17g %.17g %.17g %.17g here", what, q.strain,
                 q.strain_time, q.speed, q.speed_time, p.strain, p.strain_time, p.speed, p.speed_time);
    assert_int_equal(here->last.floor_contacts, there->last.floor_contacts);
    compare_array(what, "last strain", &here->last.strain_max, &there->last.strain_max, 1);
    compare_array(what, "last speed", &here->last.speed_max, &there->last.speed_max, 1);
    compare_array(what, "last travel", &here->last.travel_max, &there->last.travel_max, 1);
    compare_array(what, "shortest link", &here->last.length_min, &there->last.length_min, 1);
    compare_array(what, "rates", here->rates[1], there->rates[1], here->model->constant_count + 1);
    assert_int_equal(here->time_step.evaluations, there->time_step.evaluations);
    if (memcmp(&here->pace, &there->pace, sizeof here->pace) != 0)
        fail_msg("%s: at step %lld there are %d halvings since %lld there, %d since %lld here", what,
                 (long long)here->step, (int)there->pace.halvings, (long long)there->pace.slow_since,
                 (int)here->pace.halvings, (long long)here->pace.slow_since);
    assert_int_equal(here->status.fault, there->status.fault);
    assert_string_equal(here->status.message, there->status.message);
    for (int32_t h = 0; h < 6 * here->model->held_count; h++)
        compare_array(what, "reaction", &here->reaction[0][h], &there->reaction[0][h], 1);
}

/* The same run on both, in pieces. Most of it must have been taken there. */
static void compare_runs(const char *what, const vxe_model *model, int64_t steps)
{
    for (int kind = 0; kind < 4; kind++) {
        const vxe_precision precision = kind % 2 == 0 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE;
        const vxe_bond_damping damping = kind < 2 ? VXE_BOND_DAMPING_AUTO : VXE_BOND_DAMPING_EXPLICIT;
        char name[160];
        (void)snprintf(name, sizeof name, "%s, %s, %s", what, kind % 2 == 0 ? "double" : "single",
                       kind < 2 ? "auto" : "explicit");
        vxe_sim *here = start_on(model, VXE_DEVICE_CPU, precision, damping);
        vxe_sim *there = start_on(model, device_to_test(), precision, damping);
        for (int64_t piece = 1; here->step < steps && here->status.fault == VXE_FAULT_NONE; piece *= 5) {
            assert_int_equal(vxe_sim_step(here, piece, NULL), vxe_sim_step(there, piece, NULL));
            compare_sims(name, here, there);
        }
        vxe_stop stop = {.time = here->time + 37.3 * here->time_step.dt};
        assert_int_equal(vxe_sim_run(here, &stop, INT64_MAX), vxe_sim_run(there, &stop, INT64_MAX));
        compare_sims(name, here, there);
        if (2 * steps_there(there) < there->step)
            fail_msg("%s: the device took %lld of %lld steps", name, (long long)steps_there(there),
                     (long long)there->step);
        vxe_sim_destroy(here);
        vxe_sim_destroy(there);
    }
}

static void without_collisions(vxe_scene *scene)
{
    vxe_environment e = vxe_scene_environment(scene);
    e.collisions = VXE_COLLISIONS_OFF;
    set_environment(scene, &e);
}

static void test_robots(void **state)
{
    (void)state;
    for (uint64_t design = 1; design <= (is_quick() ? 1 : 4); design++) {
        vxe_scene *scene = robot_scene(design, 0.1);
        if (design % 2 == 0) without_collisions(scene);
        vxe_model *model = compile_scene(scene);
        compare_runs(design % 2 == 0 ? "robot" : "robot that may touch itself", model,
                     is_quick() ? 30 : 3000);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* Any shape and materials, with and without damping, by sines and triangles. */
static void test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= (is_quick() ? 8 : is_soak() ? RANDOM_SCENES : 40); seed++) {
        random_facts facts;
        char name[64];
        vxe_scene *scene = random_scene(seed, &facts);
        vxe_model *model = compile_scene(scene);
        (void)snprintf(name, sizeof name, "scene %d of %d voxels", (int)seed, (int)facts.voxels);
        compare_runs(name, model, is_soak() ? 5000 : 150);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* What holds still: a beam fixed at an end, and one that slides on rollers, over a floor with an edge. */
static void test_held(void **state)
{
    (void)state;
    for (int disc = 0; disc < 2; disc++) {
        vxe_scene *scene = new_scene(0.01, 8, 3, 4);
        const int32_t soft = add_material(scene, 1e5, 0.3, 1000.0);
        fill(scene, box_of(0, 0, 1, 8, 3, 2), soft);
        fill(scene, box_of(7, 0, 0, 1, 3, 1), soft);
        (void)add_fixed(scene, "wall", box_of(0, 0, 1, 1, 3, 2), disc == 0 ? VXE_DOF_ALL : VXE_DOF_X);
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.5, 0.0);
        e.gravity[2] = -9.81;
        e.floor = true;
        e.floor_radius = disc == 0 ? 0.0 : 0.03;
        set_environment(scene, &e);
        vxe_model *model = compile_scene(scene);
        compare_runs(disc == 0 ? "beam" : "beam over a disc", model, is_quick() ? 50 : 2000);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* Bodies too large for a block: each stage of a step is a kernel. */
static void test_large(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        vxe_scene *scene = new_scene(0.01, 14, 9, 10);
        vxe_material_def def = vxe_default_material_def();
        def.youngs_modulus = 1e5;
        def.expansion = 0.01;
        const int32_t soft = put_material(scene, &def);
        const int32_t hard = add_material(scene, 1e6, 0.4, 1500.0);
        fill(scene, box_of(0, 0, 0, 14, 9, 10), soft);
        fill(scene, box_of(3, 2, 3, 5, 7, 4), kind % 2 == 0 ? hard : soft);
        fill(scene, box_of(2, 0, 0, 4, 9, 2), 0);
        if (kind == 1) (void)add_fixed(scene, "wall", box_of(0, 0, 0, 1, 9, 10), VXE_DOF_ALL);
        vxe_signal_def signal = vxe_default_signal_def();
        signal.amplitude = 5.0;
        signal.period = 0.05;
        (void)put_signal(scene, &signal);
        vxe_environment e =
            environment_of(kind < 2 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM, 0.2 * (kind + 1), 0.0);
        e.gravity[2] = -9.81;
        e.floor = kind != 3;
        e.floor_radius = kind == 2 ? 0.06 : 0.0;
        e.links_unbalanced = kind == 3;
        set_environment(scene, &e);
        vxe_model *model = compile_scene(scene);
        compare_runs("large body", model, is_quick() ? 10 : 150);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

enum { POPULATION = 40 };

/* Robots of different sizes and ends, some of which fail, together; and the same one by one on the CPU. */
static void test_population(void **state)
{
    (void)state;
    vxe_model *models[POPULATION];
    vxe_batch_item items[POPULATION];
    vxe_stop stops[POPULATION] = {0};
    vxe_error error = {VXE_OK, ""};
    for (int i = 0; i < POPULATION; i++) {
        random_facts facts;
        /* an amplitude of 3 crushes it */
        vxe_scene *scene = i % 3 == 0 ? random_scene((uint64_t)i + 1000, &facts)
                                      : robot_scene((uint64_t)i, i % 8 == 5 ? 3.0 : 0.1);
        if (i % 2 == 0) without_collisions(scene);
        models[i] = compile_scene(scene);
        vxe_scene_destroy(scene);
        vxe_sim *sim = start_on(models[i], device_to_test(), VXE_PRECISION_DOUBLE, VXE_BOND_DAMPING_AUTO);
        items[i] = (vxe_batch_item){.sim = sim, .stop = &stops[i], .steps = INT64_MAX};
        stops[i].time = (10.0 + 7.3 * i) * sim->time_step.dt;
        if (i % 5 == 0) stops[i].speed = 1e-3;
        if (i % 4 == 3) items[i].steps = 10 * i;
    }
    require(vxe_batch_run(items, POPULATION, 2, NULL, NULL, &error), &error);
    int failed = 0;
    for (int i = 0; i < POPULATION; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "robot %d", i);
        vxe_sim *here = start_on(models[i], VXE_DEVICE_CPU, VXE_PRECISION_DOUBLE, VXE_BOND_DAMPING_AUTO);
        const vxe_run_reason reason = vxe_sim_run(here, &stops[i], items[i].steps);
        assert_int_equal(items[i].done, 1);
        assert_int_equal(reason, items[i].reason);
        failed += reason == VXE_RUN_FAULT;
        compare_sims(name, here, items[i].sim);
        /* and further, from where the batch left it */
        if (reason != VXE_RUN_FAULT) {
            assert_int_equal(vxe_sim_step(here, 20, NULL), vxe_sim_step(items[i].sim, 20, NULL));
            compare_sims(name, here, items[i].sim);
        }
        vxe_sim_destroy(here);
        vxe_sim_destroy(items[i].sim);
        vxe_model_destroy(models[i]);
    }
    assert_true(failed > 0 && failed < POPULATION);
}

/* VXE_PART=3/8: of the very many, every eighth from the third on, so that several programs can share them. */
static bool is_in_part(int i)
{
    const char *text = getenv("VXE_PART");
    char *end = NULL;
    if (text == NULL) return true;
    const long part = strtol(text, &end, 10);
    const long parts = *end == '/' ? strtol(end + 1, NULL, 10) : 1;
    return parts < 1 || i % parts == part % parts;
}

/* Very many: robots, and the scenes of test_stability.c, with collisions, breaking and friction; all of them
 * on the device together, and on the CPU's threads. */
static void test_many(void **state)
{
    (void)state;
    const bool soak = getenv("VXE_SOAK") != NULL;
    const int robots = soak ? 1000 : is_quick() ? 2 : 10;
    const int all = robots + (soak ? 200 : is_quick() ? 1 : 5);
    const int64_t steps = soak ? 5000 : 200;
    vxe_error error = {VXE_OK, ""};
    for (int kind = 0; kind < 2; kind++) {
        const vxe_precision precision = kind == 0 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE;
        vxe_batch_item *items = calloc((size_t)all * 2, sizeof *items);
        vxe_model **models = calloc((size_t)all, sizeof(vxe_model *));
        int *which = calloc((size_t)all, sizeof *which);
        int count = 0;
        assert_true(items != NULL && models != NULL && which != NULL);
        for (int i = 0; i < all; i++) {
            if (is_in_part(i)) which[count++] = i;
        }
        for (int i = 0; i < count; i++) {
            random_facts facts;
            const int n = which[i];
            vxe_scene *scene = n < robots ? robot_scene((uint64_t)n + 1, 0.1)
                                          : random_scene((uint64_t)(n - robots) + 1, &facts);
            models[i] = compile_scene(scene);
            vxe_scene_destroy(scene);
            items[i].sim = start_on(models[i], VXE_DEVICE_CPU, precision, VXE_BOND_DAMPING_AUTO);
            items[count + i].sim = start_on(models[i], device_to_test(), precision, VXE_BOND_DAMPING_AUTO);
            items[i].steps = items[count + i].steps = steps;
        }
        require(vxe_batch_run(items, count, 0, NULL, NULL, &error), &error);
        require(vxe_batch_run(items + count, count, 0, NULL, NULL, &error), &error);
        int64_t there = 0;
        for (int i = 0; i < count; i++) {
            if (vxe_sim_hash(items[i].sim) != vxe_sim_hash(items[count + i].sim))
                fail_msg("%s %d: the hashes differ", which[i] < robots ? "robot" : "scene", which[i]);
            assert_int_equal(items[i].reason, items[count + i].reason);
            there += steps_there(items[count + i].sim);
            vxe_sim_destroy(items[i].sim);
            vxe_sim_destroy(items[count + i].sim);
            vxe_model_destroy(models[i]);
        }
        if (soak) print_message("%.3g of %.3g steps there\n", (double)there, (double)count * (double)steps);
        free(items);
        free(models);
        free(which);
    }
}

/* A body that tumbles: which pairs may touch must be found out again and again, by the device itself. */
static void test_pairs(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        vxe_scene *scene = robot_scene(3, 0.1);
        vxe_environment e = vxe_scene_environment(scene);
        e.floor = false;
        e.collisions = VXE_COLLISIONS_GRID;
        set_environment(scene, &e);
        vxe_model *model = compile_scene(scene);
        const vxe_precision precision = kind == 0 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE;
        vxe_sim *here = start_on(model, VXE_DEVICE_CPU, precision, VXE_BOND_DAMPING_AUTO);
        vxe_sim *there = start_on(model, device_to_test(), precision, VXE_BOND_DAMPING_AUTO);
        const double still[3] = {0.0, 0.0, 0.0};
        const double spin[3] = {20.0, 10.0, 5.0};
        require(vxe_sim_set_motion(here, still, spin, still, NULL), NULL);
        require(vxe_sim_set_motion(there, still, spin, still, NULL), NULL);
        assert_int_equal(vxe_sim_step(here, 4000, NULL), vxe_sim_step(there, 4000, NULL));
        compare_sims("pairs", here, there);
        const collider *a = here->collider;
        const collider *b = there->collider;
        assert_true(a->rebuilds > 3);
        assert_int_equal(a->rebuilds, b->rebuilds);
        assert_int_equal(a->list.count, b->list.count);
        assert_memory_equal(a->list.first, b->list.first, (size_t)a->list.count * sizeof *a->list.first);
        assert_memory_equal(a->list.second, b->list.second, (size_t)a->list.count * sizeof *a->list.second);
        compare_array("pairs", "closed", &a->closed, &b->closed, 1);
        compare_array("pairs", "way", &a->way, &b->way, 1);
        compare_array("pairs", "horizon", &a->horizon, &b->horizon, 1);
        for (int i = 0; i < 3; i++)
            compare_array("pairs", "anchor", a->anchor[i], b->anchor[i], a->candidate_count);
        assert_true(steps_there(there) > 3990);
        vxe_sim_destroy(here);
        vxe_sim_destroy(there);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* What pairs remember. */
static void compare_contacts(const vxe_sim *here, const vxe_sim *there)
{
    const pair_list *a = &here->collider->list;
    const pair_list *b = &there->collider->list;
    assert_int_equal(a->count, b->count);
    assert_int_equal(here->last.pair_contacts, there->last.pair_contacts);
    for (int64_t i = 0; i < a->count; i++) {
        const contact_state *x = &a->state[i];
        const contact_state *y = &b->state[i];
        assert_int_equal(a->first[i], b->first[i]);
        assert_int_equal(a->second[i], b->second[i]);
        assert_int_equal(x->touching, y->touching);
        if (x->touching == 0) continue;
        assert_int_equal(x->stuck, y->stuck);
        compare_array("contacts", "stick", x->stick, y->stick, 3);
        compare_array("contacts", "rest", &x->rest, &y->rest, 1);
        compare_array("contacts", "energy", &x->energy, &y->energy, 1);
        compare_array("contacts", "force", x->force, y->force, 3);
        compare_array("contacts", "since", &x->since, &y->since, 1);
    }
}

/* A heap of blocks that breathe, and one that claps: the device solves the contacts. */
static void test_contacts(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        vxe_scene *scene =
            kind < 4 ? pile_scene((pile_options){.collisions = VXE_COLLISIONS_GRID, .friction = 0.6})
                     : clapper_scene(VXE_COLLISIONS_GRID);
        vxe_model *model = compile_scene(scene);
        const vxe_precision precision = kind % 2 == 0 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE;
        const vxe_bond_damping damping =
            kind / 2 % 2 == 0 ? VXE_BOND_DAMPING_AUTO : VXE_BOND_DAMPING_EXPLICIT;
        vxe_sim *here = start_on(model, VXE_DEVICE_CPU, precision, damping);
        vxe_sim *there = start_on(model, device_to_test(), precision, damping);
        int64_t contacts = 0;
        for (int piece = 0; piece < (is_quick() ? 5 : 10); piece++) {
            assert_int_equal(vxe_sim_step(here, 200, NULL), vxe_sim_step(there, 200, NULL));
            compare_sims(kind < 4 ? "heap" : "clapper", here, there);
            compare_contacts(here, there);
            contacts += here->last.pair_contacts;
        }
        assert_true(contacts > 0 && 10 * steps_there(there) > 9 * there->step);
        vxe_sim_destroy(here);
        vxe_sim_destroy(there);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* Blocks of 3 x 3 x 3 and less in layers, each with a way and a spin of its own: they fall on the floor, some
 * on voxels that are held, and on each other. */
static vxe_scene *heap_scene(int side, int layers, double friction, bool held)
{
    vxe_scene *scene = new_scene(0.03, 4 * side, 4 * side, 4 * layers);
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = 1e5;
    def.static_friction = friction;
    def.dynamic_friction = 0.6 * friction;
    const int32_t soft = put_material(scene, &def);
    def.youngs_modulus = 3e5;
    def.density = 1500.0;
    const int32_t hard = put_material(scene, &def);
    rng r = {7};
    for (int b = 0; b < side * side * layers; b++) {
        const int layer = b / (side * side);
        const int shift = layer % 2;
        const int size[3] = {rng_int(&r, 2, 3), rng_int(&r, 2, 3), rng_int(&r, 1, 3)};
        fill(scene,
             box_of(b % side * 4 + shift, b / side % side * 4 + shift, 4 * layer, size[0], size[1], size[2]),
             b % 3 == 0 ? hard : soft);
    }
    if (held) {
        (void)add_fixed(scene, "stone", box_of(0, 0, 0, 3, 3, 3), VXE_DOF_ALL);
        (void)add_fixed(scene, "rail", box_of(4, 4, 0, 3, 3, 3), VXE_DOF_X | VXE_DOF_Z);
    }
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.2, 0.01);
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    return scene;
}

/* Each goes on from the other's checkpoint. */
static void exchange(vxe_sim *here, vxe_sim *there)
{
    vxe_error error = {VXE_OK, ""};
    const size_t size = vxe_sim_save_size(here);
    char *bytes = malloc(2 * size);
    assert_non_null(bytes);
    assert_int_equal(size, vxe_sim_save_size(there));
    require(vxe_sim_save(here, bytes, size, &error), &error);
    require(vxe_sim_save(there, bytes + size, size, &error), &error);
    require(vxe_sim_load(there, bytes, size, &error), &error);
    require(vxe_sim_load(here, bytes + size, size, &error), &error);
    free(bytes);
}

/* Plates that lie on each other and turn: contacts of a whole plate depend on each other. */
static vxe_scene *plates_scene(void)
{
    vxe_scene *scene = new_scene(0.01, 9, 9, 12);
    const int32_t soft = add_material(scene, 1e5, 0.3, 1000.0);
    for (int plate = 0; plate < 4; plate++) fill(scene, box_of(0, 0, 3 * plate, 9, 9, 2), soft);
    vxe_environment e = environment_of(VXE_ELASTICITY_BEAM, 0.3, 0.01);
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    return scene;
}

/* Bodies that take a grid of blocks, those of a few voxels too: the device lists pairs, finds contacts and
 * solves them. */
static void test_heaps(void **state)
{
    (void)state;
    for (int kind = 0; kind < (is_quick() ? 7 : 14); kind++) {
        const bool breathes = kind % 7 == 4 || kind % 7 == 5;
        vxe_scene *scene =
            kind % 7 == 6 ? plates_scene()
            : breathes    ? pile_scene((pile_options){.collisions = VXE_COLLISIONS_GRID, .friction = 0.6})
                          : heap_scene(is_quick() ? 3 : 5, 4, kind % 7 == 3 ? 0.0 : 0.8, kind % 7 == 2);
        vxe_model *model = compile_scene(scene);
        const vxe_precision precision = kind % 2 == 0 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE;
        const vxe_bond_damping damping = kind < 7 ? VXE_BOND_DAMPING_EXPLICIT : VXE_BOND_DAMPING_AUTO;
        vxe_sim *here = start_on(model, VXE_DEVICE_CPU, precision, damping);
        vxe_sim *there = start_on(model, device_to_test(), precision, damping);
        ((gpu_member *)there->remote)->block_most = 0;
        const double still[3] = {0.0, 0.0, 0.0};
        const double spin[3] = {kind % 7 == 6 ? 0.0 : 1.0, kind % 7 == 6 ? 0.0 : 0.5, 2.0};
        require(vxe_sim_set_motion(here, still, spin, still, NULL), NULL);
        require(vxe_sim_set_motion(there, still, spin, still, NULL), NULL);
        int64_t contacts = 0;
        for (int piece = 0; piece < (is_quick() ? 5 : 8); piece++) {
            const int64_t steps = piece == 1 ? 1 : 150;
            char name[64];
            (void)snprintf(name, sizeof name, "heap %d", kind);
            assert_int_equal(vxe_sim_step(here, steps, NULL), vxe_sim_step(there, steps, NULL));
            compare_sims(name, here, there);
            compare_contacts(here, there);
            contacts += here->last.pair_contacts;
            if (piece == 3) exchange(here, there);
        }
        assert_true(contacts > 0 && here->collider->rebuilds > 1);
        assert_int_equal(here->collider->rebuilds, there->collider->rebuilds);
        if (10 * steps_there(there) < 9 * there->step)
            fail_msg("heap %d: the device took %lld of %lld steps", kind, (long long)steps_there(there),
                     (long long)there->step);
        vxe_sim_destroy(here);
        vxe_sim_destroy(there);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* A checkpoint of the CPU goes on there, and back. */
static void test_checkpoints(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = robot_scene(3, 0.1);
    without_collisions(scene);
    vxe_model *model = compile_scene(scene);
    vxe_sim *here = start_on(model, VXE_DEVICE_CPU, VXE_PRECISION_SINGLE, VXE_BOND_DAMPING_AUTO);
    vxe_sim *there = start_on(model, device_to_test(), VXE_PRECISION_SINGLE, VXE_BOND_DAMPING_AUTO);
    vxe_sim *whole = start_on(model, VXE_DEVICE_CPU, VXE_PRECISION_SINGLE, VXE_BOND_DAMPING_AUTO);
    step(here, 100);
    const size_t size = vxe_sim_save_size(here);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    require(vxe_sim_save(here, bytes, size, &error), &error);
    require(vxe_sim_load(there, bytes, size, &error), &error);
    step(there, 100);
    require(vxe_sim_save(there, bytes, size, &error), &error);
    require(vxe_sim_load(here, bytes, size, &error), &error);
    step(here, 100);
    step(whole, 300);
    assert_true(vxe_sim_hash(here) == vxe_sim_hash(whole));
    assert_true(steps_there(there) > 90);
    /* edits on the way reach it */
    const double gravity[3] = {1.0, 0.0, -3.0};
    require(vxe_sim_load(there, bytes, size, &error), &error);
    require(vxe_sim_load(here, bytes, size, &error), &error);
    for (int i = 0; i < 2; i++) {
        vxe_sim *sim = i == 0 ? here : there;
        require(vxe_sim_set_gravity(sim, gravity, &error), &error);
        require(vxe_sim_set_damping(sim, 0.4, 0.1, 0.5, 0.01, &error), &error);
        require(vxe_sim_set_signal(sim, 0, 0.0, 5.0, 0.3, &error), &error);
        require(vxe_sim_set_velocity(sim, 7, gravity, gravity, &error), &error);
        step(sim, 150);
        vxe_sim_reset(sim);
        step(sim, 10);
    }
    compare_sims("after edits", here, there);
    free(bytes);
    vxe_sim_destroy(here);
    vxe_sim_destroy(there);
    vxe_sim_destroy(whole);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

/* Where there is no GPU, one message says what to do. */
static void test_absent(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_gpu_info info;
    vxe_sim *sim = NULL;
    vxe_sim_def def = vxe_default_sim_def();
    vxe_scene *scene = robot_scene(1, 0.1);
    vxe_model *model = compile_scene(scene);
    const bool there = vxe_gpu_describe(&info, &error) == VXE_OK;
    def.device = VXE_DEVICE_CUDA;
    if (there) {
        assert_true(info.memory >= info.free_memory && info.processors > 0 && info.name[0] != '\0');
    } else {
        assert_int_equal(vxe_sim_create(model, &def, &sim, &error), VXE_ERROR_INPUT);
        assert_non_null(strstr(error.message, "there is no GPU to use"));
        assert_null(sim);
    }
    def.device = VXE_DEVICE_AUTO;
    require(vxe_sim_create(model, &def, &sim, &error), &error);
    step(sim, 3);
    vxe_sim_destroy(sim);
    def.device = (vxe_device)17;
    assert_int_equal(vxe_sim_create(model, &def, &sim, &error), VXE_ERROR_INPUT);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_robots),      cmocka_unit_test(test_random),     cmocka_unit_test(test_held),
        cmocka_unit_test(test_large),       cmocka_unit_test(test_population), cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_many),        cmocka_unit_test(test_contacts),   cmocka_unit_test(test_heaps),
        cmocka_unit_test(test_checkpoints), cmocka_unit_test(test_absent)};
    cmocka_set_test_filter(getenv("VXE_ONLY")); /* a name with * */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
