/* Ground and solids: friction along their true normals, no way through them, energy, and what they cost. */
#include "support.h"

#include "kernel/patch.h"
#include "model/model.h"
#include "sim/ground.h"
#include "sim/sim.h"

#define STATIC 0.8
#define DYNAMIC 0.5
#define GRAVITY 9.81

static void put_ground(vxe_scene *scene, const vxe_ground_def *def)
{
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_set_ground(scene, def, &error), &error);
}

static void put_solid(vxe_scene *scene, const vxe_solid_def *def)
{
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_add_solid(scene, def, NULL, &error), &error);
}

static void place_voxel(vxe_sim *sim, const double at[3])
{
    vxe_error error = {VXE_OK, ""};
    const vxe_array values = {.data = (void *)(uintptr_t)at,
                              .type = VXE_TYPE_F64,
                              .place = VXE_PLACE_HOST,
                              .dimensions = 2,
                              .shape = {1, 3},
                              .strides = {3 * (int64_t)sizeof(double), (int64_t)sizeof(double)}};
    require(vxe_sim_set_array(sim, VXE_QUANTITY_POSITION, &values, &error), &error);
}

/* A voxel on a slope: the plane through the origin that rises along x, or a box that is turned. */
static bench voxel_on_slope(double slope, bool box, double own_friction)
{
    vxe_scene *scene = new_scene(0.01, 1, 1, 1);
    vxe_material_def def = vxe_default_material_def();
    def.static_friction = STATIC;
    def.dynamic_friction = DYNAMIC;
    fill_all(scene, put_material(scene, &def));
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    e.gravity[2] = -GRAVITY;
    set_environment(scene, &e);
    if (box) {
        vxe_solid_def s = vxe_default_solid_def();
        s.sides[0] = s.sides[1] = 20.0;
        s.sides[2] = 1.0;
        s.rotation[1] = -atan(slope);
        s.center[0] = 0.5 * sin(atan(slope));
        s.center[2] = -0.5 * cos(atan(slope));
        s.has_friction = own_friction > 0.0;
        s.static_friction = s.dynamic_friction = own_friction;
        put_solid(scene, &s);
    } else {
        vxe_ground_def g = vxe_default_ground_def();
        g.kind = VXE_GROUND_SLOPE;
        g.points[0] = 401;
        g.points[1] = 11;
        g.spacing = 0.013;
        g.origin[0] = -200 * g.spacing;
        g.origin[1] = -5 * g.spacing;
        g.origin[2] = -200 * g.spacing * slope;
        g.height = slope;
        g.length = 1.0;
        g.has_friction = own_friction > 0.0;
        g.static_friction = g.dynamic_friction = own_friction;
        put_ground(scene, &g);
    }
    bench b = start(scene);
    const double angle = atan(slope);
    const double off = 0.005 - 1e-6; /* a little in it, as its weight presses it */
    const double at[3] = {-off * sin(angle), 0.0003, off * cos(angle)};
    place_voxel(b.sim, at);
    return b;
}

/* Comes to rest 1 % below the static coefficient, slides away 1 % above with a = g (sin - mu_d cos). */
static void check_slope(bool box, double own, double still, double sliding)
{
    bench b = voxel_on_slope(0.99 * still, box, own);
    step(b.sim, 2000);
    double before = moved(b.sim, 0, 0);
    step(b.sim, 20000);
    check_near("way in 20000 steps 1 % below, m", moved(b.sim, 0, 0) - before, 0.0, 1e-9);
    finish(b);
    const double slope = 1.01 * still;
    b = voxel_on_slope(slope, box, own);
    step(b.sim, 2000);
    before = moved(b.sim, 0, 0);
    const double v0 = vxe_sim_state(b.sim)->velocity[0][0];
    const double time = vxe_sim_time(b.sim);
    step(b.sim, 4000);
    const double t = vxe_sim_time(b.sim) - time;
    const double angle = atan(slope);
    const double a = -GRAVITY * (sin(angle) - sliding * cos(angle)) * cos(angle);
    const double expected = v0 * t + 0.5 * a * t * t;
    const double way = moved(b.sim, 0, 0) - before;
    print_message("    %s, mu_s %.3f: holds at 0.99, slides at 1.01: %.6f m in %.4f s (law: %.6f m)\n",
                  box ? "box" : "ground", still, way, t, expected);
    check_below("way down, m", way, 0.9 * expected);
    check_near("way down, m", way, expected, 0.01 * fabs(expected));
    finish(b);
}

static void test_friction_on_slopes(void **state)
{
    (void)state;
    check_slope(false, 0.0, STATIC, DYNAMIC);
    check_slope(true, 0.0, STATIC, DYNAMIC);
    check_slope(false, 0.3, sqrt(STATIC * 0.3), sqrt(DYNAMIC * 0.3));
    check_slope(true, 0.3, sqrt(STATIC * 0.3), sqrt(DYNAMIC * 0.3));
}

/* ---- no way through ------------------------------------------------------------------------------------------------- */

/* Surfaces of every kind, turned at random. */
static void put_surface(vxe_scene *scene, rng *r, int kind)
{
    const double l = 0.01;
    if (kind < 3) {
        vxe_ground_def g = vxe_default_ground_def();
        static const vxe_ground_kind kinds[3] = {VXE_GROUND_ROUGH, VXE_GROUND_STEPS, VXE_GROUND_GAP};
        g.kind = kinds[kind];
        g.points[0] = g.points[1] = 201;
        g.spacing = l * rng_decades(r, 0.3, 5.0);
        g.origin[0] = g.origin[1] = -100 * g.spacing;
        g.height = l * rng_between(r, 0.5, 4.0);
        g.length = l * rng_between(r, 2.0, 8.0);
        g.seed = (uint32_t)rng_int(r, 0, 1000);
        put_ground(scene, &g);
        return;
    }
    static uint8_t cells[6 * 5 * 4];
    vxe_solid_def s = vxe_default_solid_def();
    s.kind = (vxe_solid_kind)(VXE_SOLID_BOX + kind - 3);
    for (int a = 0; a < 3; a++) {
        s.sides[a] = l * rng_between(r, 1.0, 8.0);
        s.rotation[a] = rng_between(r, -3.0, 3.0);
    }
    s.radius = l * rng_between(r, 1.0, 4.0);
    s.length = l * rng_between(r, 1.0, 8.0);
    s.pitch = l * rng_between(r, 0.4, 2.0);
    s.cells[0] = 6;
    s.cells[1] = 5;
    s.cells[2] = 4;
    for (int i = 0; i < 6 * 5 * 4; i++) cells[i] = rng_int(r, 0, 3) != 0;
    cells[2 * 30 + 2 * 6 + 3] = 1; /* its middle */
    s.filled = cells;
    put_solid(scene, &s);
}

/* A voxel flies at the surface, a twentieth of its size in every step; undamped, it comes back as fast. */
static void test_no_way_through(void **state)
{
    (void)state;
    static const char *const names[] = {"rough",  "steps",    "gap",     "box",
                                        "sphere", "cylinder", "capsule", "cells"};
    const int shots = is_quick() ? 8 : 60;
    for (int kind = 0; kind < 8; kind++) {
        double deepest = INFINITY;
        double loss = 0.0;
        int hits = 0;
        for (int shot = 0; shot < shots; shot++) {
            rng r = {(uint64_t)(1000 * kind + shot)};
            vxe_scene *scene = new_scene(0.01, 1, 1, 1);
            vxe_material_def def = vxe_default_material_def();
            def.dynamic_friction = 0.0;
            def.static_friction = 0.0;
            fill_all(scene, put_material(scene, &def));
            vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.0, 0.0);
            e.damping_contact = 0.0;
            set_environment(scene, &e);
            put_surface(scene, &r, kind);
            bench b = start(scene);
            double aim[3];
            double from[3];
            double way[3];
            for (int a = 0; a < 3; a++) {
                aim[a] = 0.005 * rng_between(&r, -1.0, 1.0);
                way[a] = rng_between(&r, -1.0, 1.0);
            }
            if (kind < 3) way[2] = -0.2 - fabs(way[2]);
            const double length = length3(way);
            const double speed = 0.05 * 0.01 / vxe_sim_time_step(b.sim).dt;
            for (int a = 0; a < 3; a++) {
                way[a] /= length;
                from[a] = aim[a] - 0.2 * way[a];
                way[a] *= speed;
            }
            place_voxel(b.sim, from);
            vxe_error error = {VXE_OK, ""};
            const double still[3] = {0.0, 0.0, 0.0};
            require(vxe_sim_set_velocity(b.sim, 0, way, still, &error), &error);
            bool hit = false;
            for (int i = 0; i < 900; i++) {
                step(b.sim, 1);
                const vxe_state *s = vxe_sim_state(b.sim);
                const double at[3] = {s->position[0][0], s->position[1][0], s->position[2][0]};
                world_hit near[WORLD_HITS];
                const int count = vxe_world_near(b.model->world, at, 0.02, near);
                for (int k = 0; k < count; k++) deepest = fmin(deepest, near[k].surface.distance);
                int64_t touching = 0;
                vxe_sim_contacts(b.sim, &touching, NULL);
                hit = hit || touching > 0;
            }
            const vxe_state *s = vxe_sim_state(b.sim);
            const double after[3] = {s->velocity[0][0], s->velocity[1][0], s->velocity[2][0]};
            hits += hit;
            int64_t touching = 0;
            vxe_sim_contacts(b.sim, &touching, NULL);
            if (touching == 0) loss = fmax(loss, fabs(length3(after) / speed - 1.0));
            if (length3(after) > 1.001 * speed) fail_msg("%s %d: gained speed", names[kind], shot);
            finish(b);
        }
        print_message("    %-8s %d of %d hit; nearest to the surface %.3f l; speed off by %.1e\n",
                      names[kind], hits, shots, deepest / 0.01, loss);
        check_above("hits", hits, 0.5 * shots);
        check_above("nearest to the surface, m", deepest, 0.2 * 0.01);
    }
}

/* Cells are passed over where the ground is too flat for them to have the nearest place: all are looked at
 * instead, and the same is found. */
static void test_passed_over(void **state)
{
    (void)state;
    static const struct {
        vxe_ground_kind kind;
        double height, length;
    } grounds[] = {{VXE_GROUND_ROUGH, 0.0, 0.1},    {VXE_GROUND_ROUGH, 0.005, 0.1},
                   {VXE_GROUND_ROUGH, 0.05, 0.04},  {VXE_GROUND_SLOPE, 0.03, 0.1},
                   {VXE_GROUND_STAIRS, 0.005, 0.1}, {VXE_GROUND_GAP, 0.03, 0.05}};
    rng r = {1};
    for (size_t n = 0; n < sizeof grounds / sizeof grounds[0]; n++) {
        vxe_scene *scene = new_scene(0.01, 1, 1, 1);
        const vxe_material_def def = vxe_default_material_def();
        fill_all(scene, put_material(scene, &def));
        vxe_ground_def g = vxe_default_ground_def();
        g.kind = grounds[n].kind;
        g.height = grounds[n].height;
        g.length = grounds[n].length;
        g.points[0] = g.points[1] = 33;
        g.spacing = 0.008;
        g.seed = 5;
        put_ground(scene, &g);
        vxe_model *model = compile_scene(scene);
        model_world all = *model->world;
        all.steepest = 1e9;
        int found = 0;
        for (int i = 0; i < 20000; i++) {
            double at[3];
            for (int a = 0; a < 2; a++) {
                at[a] = rng_between(&r, -0.02, 0.28);
                if (i % 7 == a) at[a] = 0.008 * floor(at[a] / 0.008); /* above an edge */
            }
            at[2] = vxe_ground_height(vxe_scene_ground(scene), at[0], at[1]) + rng_between(&r, -0.002, 0.013);
            world_hit one[WORLD_HITS];
            world_hit other[WORLD_HITS];
            const int count = vxe_world_near(model->world, at, 0.0075, one);
            assert_int_equal(vxe_world_near(&all, at, 0.0075, other), count);
            for (int k = 0; k < count; k++) {
                assert_int_equal(one[k].place, other[k].place);
                assert_true(one[k].surface.distance == other[k].surface.distance);
            }
            found += count;
        }
        assert_true(found > 5000);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* Where a voxel need not look at the cells around its own (world_cell), there is nothing near it there. */
static void test_own_cell_is_enough(void **state)
{
    (void)state;
    static const struct {
        vxe_ground_kind kind;
        double height, length, spacing;
        bool often; /* that is mostly so */
    } grounds[] = {{VXE_GROUND_ROUGH, 0.0, 0.1, 0.01, true},    {VXE_GROUND_ROUGH, 0.002, 0.1, 0.01, true},
                   {VXE_GROUND_ROUGH, 0.02, 0.05, 0.01, false}, {VXE_GROUND_ROUGH, 0.05, 0.04, 0.008, false},
                   {VXE_GROUND_SLOPE, 0.03, 0.1, 0.008, true},  {VXE_GROUND_STAIRS, 0.005, 0.1, 0.012, false},
                   {VXE_GROUND_GAP, 0.03, 0.05, 0.004, false},  {VXE_GROUND_STEPS, 0.01, 0.04, 0.015, false}};
    rng r = {7};
    for (size_t n = 0; n < sizeof grounds / sizeof grounds[0]; n++) {
        vxe_scene *scene = new_scene(0.01, 1, 1, 1);
        const vxe_material_def def = vxe_default_material_def();
        fill_all(scene, put_material(scene, &def));
        vxe_ground_def g = vxe_default_ground_def();
        g.kind = grounds[n].kind;
        g.height = grounds[n].height;
        g.length = grounds[n].length;
        g.points[0] = g.points[1] = 33;
        g.spacing = grounds[n].spacing;
        g.seed = 5;
        put_ground(scene, &g);
        vxe_model *model = compile_scene(scene);
        const double c = g.spacing;
        int hits = 0;
        int enough = 0;
        for (int i = 0; i < 20000; i++) {
            double at[3];
            for (int a = 0; a < 2; a++) {
                at[a] = c * rng_between(&r, -2.0, 34.0);
                if (i % 7 == a) at[a] = c * floor(at[a] / c) * (1.0 + rng_int(&r, -1, 1) * 1e-12);
            }
            at[2] = vxe_ground_height(vxe_scene_ground(scene), at[0], at[1]) + rng_between(&r, -0.002, 0.009);
            const double reach = rng_between(&r, 0.004, 0.007);
            world_hit near[WORLD_HITS];
            const int count = vxe_world_near(model->world, at, reach, near);
            for (int k = 0; k < count; k++) {
                world_cell cell;
                assert_true(vxe_world_cell(model->world, near[k].place, &cell));
                const surface_patch patch = {cell.corner, cell.along_x, cell.along_y, cell.twist, c};
                const double per = 1.0 / c;
                const rvec own = {c * (patch_bring_near(per * at[0], g.points[0]) - cell.number[0]),
                                  c * (patch_bring_near(per * at[1], g.points[1]) - cell.number[1]), at[2]};
                const patch_place place = surface_patch_nearest(&patch, own);
                const patch_point point = surface_patch_point(&patch, &place, own, 0);
                const double far = fmax(reach, point.distance);
                const double rest = 1.0 - far * cell.bends;
                hits++;
                if (!(rest > 0.75 && far < cell.level && own.z - place.height > 1e-6 * c)) continue;
                if (!(rest * fmin(place.x, place.y) > far * cell.folds + cell.low)) continue;
                if (!(rest * (c - fmax(place.x, place.y)) > far * cell.folds + cell.high)) continue;
                if (!(fmax(own.x, own.y) < cell.end)) continue;
                enough++;
                assert_int_equal(count, 1);
                assert_true(near[k].surface.distance == point.distance);
                assert_true(near[k].surface.normal.z == point.normal.z);
            }
        }
        print_message("    ground %d: for %d of %d places\n", (int)n, enough, hits);
        assert_true(hits > 5000);
        if (grounds[n].often) assert_true(enough > hits / 2);
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* ---- the same bits, and the account --------------------------------------------------------------------------------- */

/* An actuated robot with four legs over ground and solids. */
static vxe_scene *robot_scene(double bond, bool collisions)
{
    vxe_scene *scene = new_scene(0.01, 7, 5, 4);
    vxe_material_def def = vxe_default_material_def();
    def.expansion = 0.01;
    const int32_t soft = put_material(scene, &def);
    fill(scene, box_of(0, 0, 2, 7, 5, 2), soft);
    for (int leg = 0; leg < 4; leg++) fill(scene, box_of(leg % 2 * 5, leg / 2 * 3, 0, 2, 2, 2), soft);
    vxe_signal_def beat = vxe_default_signal_def();
    beat.amplitude = 3.0;
    beat.period = 0.1;
    put_signal(scene, &beat);
    vxe_error error = {VXE_OK, ""};
    for (int32_t i = 0; i < 7; i++) {
        for (int32_t j = 0; j < 5; j++) {
            for (int32_t k = 0; k < 4; k++) {
                const vxe_actuation own = {.phase = 0.13 * i + 0.2 * j, .amplitude = 1.0, .period = 1.0};
                require(vxe_scene_set_actuation(scene, i, j, k, &own, &error), &error);
            }
        }
    }
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, bond, 0.0);
    e.gravity[2] = -GRAVITY;
    e.collisions = collisions ? VXE_COLLISIONS_GRID : VXE_COLLISIONS_OFF;
    set_environment(scene, &e);
    vxe_ground_def g = vxe_default_ground_def();
    g.kind = VXE_GROUND_ROUGH;
    g.points[0] = g.points[1] = 101;
    g.spacing = 0.007;
    g.origin[0] = g.origin[1] = -0.35;
    g.origin[2] = -0.025;
    g.height = 0.02;
    g.length = 0.05;
    g.seed = 3;
    put_ground(scene, &g);
    vxe_solid_def s = vxe_default_solid_def();
    s.kind = VXE_SOLID_CAPSULE;
    s.radius = 0.008;
    s.length = 0.1;
    s.rotation[0] = 1.5;
    (void)snprintf(s.name, sizeof s.name, "pipe");
    s.center[0] = 0.035;
    s.center[1] = 0.03;
    s.center[2] = -0.015;
    put_solid(scene, &s);
    return scene;
}

static void test_account(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        vxe_sim_def def = vxe_default_sim_def();
        def.audit = true;
        bench b = start_with(robot_scene(i % 2 == 0 ? 1.0 : 0.0, i / 2 == 0), &def);
        int64_t touching = 0;
        for (int64_t steps = 0; steps < (is_quick() ? 3000 : 20000); steps += 100) {
            step(b.sim, 100);
            int64_t now = 0;
            vxe_sim_contacts(b.sim, &now, NULL);
            touching += now;
        }
        const vxe_energy e = vxe_sim_energy(b.sim);
        const double scale = fabs(e.kinetic) + fabs(e.elastic) + fabs(e.dissipated) + fabs(e.actuation_work);
        print_message("    robot: %d contacts; error of the account %.2e of %.3g J\n", (int)touching,
                      e.error / scale, scale);
        assert_true(touching > 0);
        check_below("error of the account", fabs(e.error) / scale, 0.01);
        finish(b);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        char what[32];
        vxe_scene *scene = robot_scene(i % 2 == 0 ? 1.0 : 0.0, i / 2 % 2 == 0);
        vxe_model *model = compile_scene(scene);
        vxe_scene_destroy(scene);
        (void)snprintf(what, sizeof what, "kind %d", i);
        check_same_bits(what, model, i < 4 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE, 1200);
        vxe_model_destroy(model);
    }
}

/* A body that lies on level ground, or on a slope, with all of its lowest layer. Halves of it swell in turn;
 * some voxels are of another material, and one stands on a box. */
static vxe_scene *slab_scene(bool slope, bool box)
{
    vxe_scene *scene = new_scene(0.01, 10, 10, 2);
    vxe_material_def def = vxe_default_material_def();
    def.expansion = box ? 0.001 : 0.0;
    fill_all(scene, put_material(scene, &def));
    if (box) {
        def.youngs_modulus = 3e6;
        def.dynamic_friction = 0.2;
        fill(scene, box_of(3, 2, 0, 2, 5, 1), put_material(scene, &def));
    }
    vxe_signal_def beat = vxe_default_signal_def();
    beat.amplitude = 10.0;
    beat.period = 0.1;
    put_signal(scene, &beat);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    e.gravity[2] = -GRAVITY;
    set_environment(scene, &e);
    vxe_ground_def g = vxe_default_ground_def();
    g.kind = VXE_GROUND_SLOPE;
    g.points[0] = g.points[1] = 101;
    g.spacing = 0.01;
    g.origin[0] = g.origin[1] = -0.5;
    g.length = 1.0;
    g.height = slope ? 0.1 : 0.0;
    g.origin[2] = g.height * (g.origin[0] - 0.1);
    put_ground(scene, &g);
    if (!box) return scene;
    vxe_solid_def s = vxe_default_solid_def();
    for (int a = 0; a < 3; a++) s.sides[a] = 0.01;
    s.center[0] = s.center[1] = 0.085;
    s.center[2] = -0.0048;
    s.has_friction = true;
    s.static_friction = s.dynamic_friction = 0.3;
    put_solid(scene, &s);
    return scene;
}

/* Its voxels are solved side by side, each with the one surface that it meets. */
static void test_lying(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        char what[32];
        vxe_scene *scene = slab_scene(i % 2 == 1, i / 2 == 1);
        vxe_model *model = compile_scene(scene);
        vxe_scene_destroy(scene);
        const vxe_sim_def def = vxe_default_sim_def();
        vxe_sim *sim = new_sim(model, &def);
        step(sim, 2000);
        const ground_contacts *g = sim->ground;
        int packed = 0;
        int64_t touching = 0;
        vxe_sim_contacts(sim, &touching, NULL);
        for (int32_t k = 0; k < g->pack_count; k++) packed += __builtin_popcount(g->packs[k].used);
        print_message("    %s%s: %d contacts, %d side by side, %d by themselves\n",
                      i % 2 == 1 ? "slope" : "level", i / 2 == 1 ? " and a box" : "", (int)touching, packed,
                      (int)g->row_count);
        if (i < 2) {
            assert_true(packed == 100 && touching > 90);
            assert_int_equal(g->row_count, 0);
        }
        vxe_sim_destroy(sim);
        (void)snprintf(what, sizeof what, "slab %d", i);
        for (int k = 0; k < 2; k++)
            check_same_bits(what, model, k == 0 ? VXE_PRECISION_DOUBLE : VXE_PRECISION_SINGLE, 400);
        vxe_model_destroy(model);
    }
}

/* ---- files ---------------------------------------------------------------------------------------------------------- */

/* What is written is read again: the same text, the same model. */
static void test_round_trip(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) {
        rng r = {(uint64_t)kind};
        vxe_scene *scene = robot_scene(1.0, true);
        put_surface(scene, &r, kind);
        vxe_error error = {VXE_OK, ""};
        const vxe_part_def part = {.name = "all of it", .separate = true};
        require(vxe_scene_add_part(scene, &part, NULL, &error), &error);
        for (int32_t i = 0; i < 7 * 5 * 4; i++)
            require(vxe_scene_set_field(scene, VXE_FIELD_PART, i % 7, i / 7 % 5, i / 35, 1.0, &error),
                    &error);
        const vxe_start_def start_def = {
            .part = "all of it", .spin = {1, 2, 3}, .rotation = {0.1, 0.2, kind}};
        require(vxe_scene_add_start(scene, &start_def, &error), &error);
        vxe_water_def water = vxe_default_water_def();
        water.has_level = kind % 2 == 0;
        require(vxe_scene_set_water(scene, &water, &error), &error);
        require(vxe_scene_set_formula(scene, VXE_FORMULA_FLOW_Y, "0.1 * x", &error), &error);
        char *text = NULL;
        char *again = NULL;
        vxe_scene *read = NULL;
        vxe_scene *copy = NULL;
        require(vxe_scene_print_json(scene, &text, &error), &error);
        require(vxe_scene_parse_json(text, strlen(text), "scene", NULL, &read, &error), &error);
        require(vxe_scene_copy(read, &copy, &error), &error);
        require(vxe_scene_print_json(copy, &again, &error), &error);
        assert_string_equal(text, again);
        vxe_model *one = compile_scene(scene);
        vxe_model *other = compile_scene(copy);
        assert_true(vxe_model_hash(one) == vxe_model_hash(other));
        vxe_model_destroy(one);
        vxe_model_destroy(other);
        vxe_scene_destroy(scene);
        vxe_scene_destroy(read);
        vxe_scene_destroy(copy);
        free(text);
        free(again);
    }
}

/* The least distance to any cell of the ground. Coordinates are made as the library makes them: in cells that
 * are much twisted Newton's method can end elsewhere for a difference in the last digit. */
static double nearest_cell(const model_world *world, const double at[3], bool below)
{
    const vxe_ground_def *g = &world->ground;
    const double c = g->spacing;
    const double per = 1.0 / c;
    double nearest = INFINITY;
    for (int32_t y = 0; y + 1 < g->points[1]; y++) {
        for (int32_t x = 0; x + 1 < g->points[0]; x++) {
            const double *corner = &g->heights[y * g->points[0] + x];
            const double of[4] = {corner[0], corner[1], corner[g->points[0]], corner[g->points[0] + 1]};
            const surface_patch patch = surface_patch_of(of, c);
            const rvec own = {c * (per * at[0] - x), c * (per * at[1] - y), at[2]};
            const patch_place place = surface_patch_nearest(&patch, own);
            nearest = fmin(nearest, fabs(surface_patch_point(&patch, &place, own, below).distance));
        }
    }
    return nearest;
}

/* Out of the ground by the shortest way, from anywhere in it: what a look at all cells finds. Far below steep
 * ground that takes no more than a few cells: all as near as the surface above the point would be 1e10. */
static void test_far_inside(void **state)
{
    (void)state;
    static const struct {
        vxe_ground_kind kind;
        double height, length, deep;
    } grounds[] = {{VXE_GROUND_SLOPE, 3.0, 5.5e-4, 30.0},
                   {VXE_GROUND_STAIRS, 0.05, 0.05, 0.04},
                   {VXE_GROUND_GAP, 0.2, 0.05, 0.1},
                   {VXE_GROUND_ROUGH, 0.05, 0.04, 0.05}};
    rng r = {3};
    for (size_t n = 0; n < sizeof grounds / sizeof grounds[0]; n++) {
        vxe_scene *scene = new_scene(0.01, 1, 1, 1);
        const vxe_material_def def = vxe_default_material_def();
        fill_all(scene, put_material(scene, &def));
        vxe_ground_def g = vxe_default_ground_def();
        g.kind = grounds[n].kind;
        g.height = grounds[n].height;
        g.length = grounds[n].length;
        g.points[0] = 40;
        g.points[1] = 9;
        g.spacing = grounds[n].kind == VXE_GROUND_SLOPE ? 0.00026 : 0.008;
        put_ground(scene, &g);
        vxe_model *model = compile_scene(scene);
        for (int i = 0; i < 300; i++) {
            double at[3];
            for (int a = 0; a < 2; a++) at[a] = g.spacing * rng_between(&r, 0.0, g.points[a] - 1);
            at[2] = vxe_ground_height(vxe_scene_ground(scene), at[0], at[1]) -
                    rng_between(&r, 0.0, grounds[n].deep);
            world_hit hit[WORLD_HITS];
            assert_int_equal(vxe_world_near(model->world, at, 0.005, hit), 1);
            const double nearest = nearest_cell(model->world, at, true);
            /* beyond the edge there may be nearer places; round-off of heights of 200 m */
            assert_true(-hit[0].surface.distance <= nearest * (1.0 + 1e-9) + 1e-12);
            const double aside = fmin(fmin(at[0], (g.points[0] - 1) * g.spacing - at[0]),
                                      fmin(at[1], (g.points[1] - 1) * g.spacing - at[1]));
            if (nearest < aside)
                check_near("way out", -hit[0].surface.distance, nearest, 1e-12 + 1e-9 * nearest);
        }
        vxe_model_destroy(model);
        vxe_scene_destroy(scene);
    }
}

/* ---- edges of cells ------------------------------------------------------------------------------------------------- */

#define SIDE 33
#define MIDDLE 16

/* The model of ground of such heights; `points` along x and y. */
static vxe_model *ground_model(const double *heights, int32_t nx, int32_t ny, double spacing)
{
    vxe_scene *scene = new_scene(0.01, 1, 1, 1);
    const vxe_material_def def = vxe_default_material_def();
    fill_all(scene, put_material(scene, &def));
    vxe_ground_def g = vxe_default_ground_def();
    g.kind = VXE_GROUND_HEIGHTS;
    g.points[0] = nx;
    g.points[1] = ny;
    g.spacing = spacing;
    g.heights = heights;
    put_ground(scene, &g);
    vxe_model *model = compile_scene(scene);
    vxe_scene_destroy(scene);
    return model;
}

/* Off by some of the smallest steps there are. */
static double jog(rng *r, double value)
{
    for (int32_t n = rng_int(r, -3, 3); n != 0; n += n < 0 ? 1 : -1)
        value = nextafter(value, n < 0 ? -INFINITY : INFINITY);
    return value;
}

/* A point whose nearest place is on an edge to within round-off has that place, once: no cell leaves it to
 * another that leaves it back. On slopes, and in valleys, where both faces count. */
static void test_edges(void **state)
{
    (void)state;
    static double heights[SIDE * SIDE];
    rng r = {7};
    for (int n = 0; n < 40; n++) {
        const double c = rng_between(&r, 0.002, 0.03);
        const double slope[2] = {rng_between(&r, -2.0, 2.0), n % 2 == 0 ? 0.0 : rng_between(&r, -2.0, 2.0)};
        const double steep = rng_between(&r, 0.1, 2.0);
        const bool valley = n >= 20;
        for (int32_t i = 0; i < SIDE * SIDE; i++) {
            const int32_t x = i % SIDE;
            const int32_t y = i / SIDE;
            heights[i] = c * (valley ? steep * abs(x - MIDDLE) : slope[0] * x + slope[1] * y);
        }
        vxe_model *model = ground_model(heights, SIDE, SIDE, c);
        for (int q = 0; q < 4000; q++) {
            const int32_t i = rng_int(&r, 8, SIDE - 9);
            const int32_t j = rng_int(&r, 8, SIDE - 9);
            const double along = q % 3 == 0 ? 0.0 : rng_between(&r, 0.0, 1.0);
            double at[3];
            double away = c * rng_between(&r, 0.05, 2.0);
            if (valley) { /* above the fold, both feet on edges */
                const int32_t k = rng_int(&r, 1, 3);
                away = c * k * sqrt(1.0 + steep * steep) / steep;
                at[0] = jog(&r, c * MIDDLE);
                at[1] = jog(&r, c * (j + along));
                at[2] = jog(&r, c * k * (steep + 1.0 / steep));
            } else {
                const double per = away / sqrt(1.0 + slope[0] * slope[0] + slope[1] * slope[1]);
                const double foot[2] = {q % 2 == 0 ? i : i + along, q % 2 == 0 ? j + along : j};
                const double height = slope[0] * foot[0] + slope[1] * foot[1];
                at[0] = jog(&r, c * foot[0] - per * slope[0]);
                at[1] = jog(&r, c * foot[1] - per * slope[1]);
                at[2] = jog(&r, c * height + per);
            }
            world_hit hits[WORLD_HITS];
            const int count = vxe_world_near(model->world, at, 1.1 * away, hits);
            assert_int_equal(count, valley ? 2 : 1);
            for (int k = 0; k < count; k++) check_near("distance", hits[k].surface.distance, away, 1e-9 * c);
        }
        vxe_model_destroy(model);
    }
}

/* A point above where cubes of a solid meet has that place once, whichever of them there are. */
static void test_cubes_meet(void **state)
{
    (void)state;
    for (int there = 1; there < 16; there++) { /* of four around a corner */
        vxe_scene *scene = new_scene(0.25, 1, 1, 1);
        const vxe_material_def material = vxe_default_material_def();
        fill_all(scene, put_material(scene, &material));
        uint8_t filled[4];
        for (int i = 0; i < 4; i++) filled[i] = (uint8_t)(there >> i & 1);
        vxe_error error = {VXE_OK, ""};
        vxe_solid_def solid = vxe_default_solid_def();
        (void)snprintf(solid.name, sizeof solid.name, "slab");
        solid.kind = VXE_SOLID_CELLS;
        solid.pitch = 0.25;
        solid.cells[0] = solid.cells[1] = 2;
        solid.cells[2] = 1;
        solid.filled = filled;
        require(vxe_scene_add_solid(scene, &solid, NULL, &error), &error);
        vxe_model *model = compile_scene(scene);
        vxe_scene_destroy(scene);
        static const double above[3] = {0.0, 0.0, 0.2};
        world_hit hits[WORLD_HITS];
        assert_int_equal(vxe_world_near(model->world, above, 0.1, hits), 1);
        check_near("distance", hits[0].surface.distance, 0.075, 1e-15);
        check_near("upwards", hits[0].surface.normal.z, 1.0, 1e-15);
        vxe_model_destroy(model);
    }
}

/* The nearest place of all is a hit, also where cells are so twisted that it is found in one of them only. */
static void test_nearest_counts(void **state)
{
    (void)state;
    static double heights[SIDE * SIDE];
    rng r = {9};
    const double c = 0.01;
    for (int n = 0; n < 4; n++) {
        for (int32_t i = 0; i < SIDE * SIDE; i++)
            heights[i] = n % 2 == 0 ? c * rng_between(&r, -1.0, 1.0) : 5.0 * c * rng_int(&r, 0, 1);
        vxe_model *model = ground_model(heights, SIDE, SIDE, c);
        const vxe_ground_def *g = &model->world->ground;
        for (int q = 0; q < (is_quick() ? 500 : 3000); q++) {
            const double reach = c * rng_between(&r, 0.2, 2.0);
            double at[3];
            for (int a = 0; a < 2; a++) {
                at[a] = c * rng_between(&r, 4.0, SIDE - 5);
                if (q % 3 == a) at[a] = c * rint(at[a] / c);
            }
            at[2] = vxe_ground_height(g, at[0], at[1]) + reach * rng_between(&r, 0.1, 2.0);
            const double expected = nearest_cell(model->world, at, false);
            world_hit hits[WORLD_HITS];
            const int count = vxe_world_near(model->world, at, reach, hits);
            double nearest = INFINITY;
            for (int k = 0; k < count; k++) nearest = fmin(nearest, hits[k].surface.distance);
            if (expected < 0.999999 * reach) check_near("nearest", nearest, expected, 1e-6 * c);
        }
        vxe_model_destroy(model);
    }
}

/* A plate that glides down a slope: corners of it are above edges again and again. */
static void test_restart_on_edges(void **state)
{
    (void)state;
    static const char text[] =
        "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [8, 12, 12]},"
        "\"materials\": [{\"name\": \"b\", \"youngs_modulus\": 2861209.1411834536,"
        "\"poissons_ratio\": 0.3, \"density\": 2000}],"
        "\"shapes\": [{\"box\": {\"corner\": [4, 5, 0], \"size\": [4, 1, 6]}, \"material\": \"b\"}],"
        "\"environment\": {\"gravity\": [0, 0, -9.81], \"floor\": false,"
        "\"damping\": {\"bond\": 1, \"contact\": 1, \"ground\": 0.1}, \"collisions\": \"off\","
        "\"elasticity\": \"beam\"},"
        "\"ground\": {\"kind\": \"slope\", \"points\": [30, 30], \"spacing\": 0.008,"
        "\"origin\": [-0.05, -0.05, -0.01], \"height\": 0.1, \"length\": 0.3}}";
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    require(vxe_scene_parse_json(text, strlen(text), "plate", NULL, &scene, &error), &error);
    vxe_model *model = compile_scene(scene);
    vxe_scene_destroy(scene);
    const vxe_sim_def def = vxe_default_sim_def();
    const uint64_t expected = hash_after(model, &def, 60, 0);
    for (int64_t restart = 1; restart < 60; restart++)
        if (hash_after(model, &def, 60, restart) != expected) fail_msg("restart at %d", (int)restart);
    vxe_model_destroy(model);
}

/* Out of steep ground that is a narrow strip: what a look at all cells finds. */
static void test_strips(void **state)
{
    (void)state;
    static double heights[2 * VXE_GROUND_SIDE_MAX];
    for (int along = 0; along < 2; along++) {
        for (int32_t n = 0; n < 2 * VXE_GROUND_SIDE_MAX; n++) {
            const int32_t x = along == 0 ? n % VXE_GROUND_SIDE_MAX : n / 2;
            heights[n] = x == 0 ? 0.0 : 1000.0;
        }
        vxe_model *model = ground_model(heights, along == 0 ? VXE_GROUND_SIDE_MAX : 2,
                                        along == 0 ? 2 : VXE_GROUND_SIDE_MAX, 0.001);
        rng r = {5};
        for (int i = 0; i < 40; i++) {
            const double at[3] = {0.001 * (along == 0 ? rng_between(&r, 1.5, 8190.0) : 0.5),
                                  0.001 * (along == 0 ? 0.5 : rng_between(&r, 1.5, 8190.0)),
                                  rng_between(&r, 10.0, 990.0)};
            world_hit hit[WORLD_HITS];
            assert_int_equal(vxe_world_near(model->world, at, 0.005, hit), 1);
            const double nearest = nearest_cell(model->world, at, true);
            check_near("way out", -hit[0].surface.distance, nearest, 1e-9);
        }
        vxe_model_destroy(model);
    }
}

/* A body that starts in a solid: what is inside of it meets nothing, whoever may touch whom. */
static void test_schemes(void **state)
{
    (void)state;
    uint64_t first = 0;
    for (int scheme = VXE_COLLISIONS_GRID; scheme <= VXE_COLLISIONS_SURFACE_HORIZON; scheme++) {
        vxe_scene *scene = new_scene(0.01, 5, 5, 5);
        vxe_material_def def = vxe_default_material_def();
        fill_all(scene, put_material(scene, &def));
        vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
        e.collisions = (vxe_collisions)scheme;
        set_environment(scene, &e);
        vxe_solid_def s = vxe_default_solid_def();
        s.kind = VXE_SOLID_SPHERE;
        s.radius = 0.02;
        s.center[0] = 0.045;
        s.center[1] = 0.03;
        s.center[2] = 0.02;
        put_solid(scene, &s);
        const bench b = start(scene);
        require(vxe_sim_step(b.sim, 30, NULL), &(vxe_error){VXE_OK, ""});
        if (scheme == VXE_COLLISIONS_GRID) first = vxe_sim_hash(b.sim);
        if (vxe_sim_hash(b.sim) != first) fail_msg("scheme %d", scheme);
        finish(b);
    }
}

/* ---- where the nearest place jumps ---------------------------------------------------------------------------------- */

/* A body that falls onto cubes, steps or rough ground: what passes from one place to another is no energy
 * that appears, and none that is lost twice. Without what the jumps did, the error is below 3e-3. */
static void check_drop(const char *name, const char *text, double seconds)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    require(vxe_scene_parse_json(text, strlen(text), name, NULL, &scene, &error), &error);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = true;
    bench b = start_with(scene, &def);
    int64_t touching = 0;
    double most = 0.0;
    double scale = 0.0;
    while (vxe_sim_time(b.sim) < seconds) {
        int64_t now = 0;
        step(b.sim, 8);
        vxe_sim_contacts(b.sim, &now, NULL);
        touching += now;
        const vxe_energy e = vxe_sim_energy(b.sim);
        scale = fmax(scale, e.kinetic + fabs(e.elastic) + fabs(e.dissipated));
        most = fmax(most, fabs(e.error));
    }
    print_message("    %s: %d contacts; error of the account %.2e of %.3g J\n", name, (int)touching,
                  most / scale, scale);
    assert_true(touching > 0);
    check_below("error of the account", most / scale, 0.01);
    finish(b);
}

static void test_jumps(void **state)
{
    (void)state;
    check_drop("rigid block past cubes",
               "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [4, 4, 3]}, \"materials\":"
               "[{\"name\": \"m\", \"youngs_modulus\": 107305.65733670375, \"rigid\": true}], \"shapes\":"
               "[{\"box\": {\"corner\": [0, 0, 0], \"size\": [4, 3, 3]}, \"material\": \"m\"}], \"parts\":"
               "[{\"name\": \"p\", \"separate\": true}], \"fields\": {\"part\": {\"values\": 1}},"
               "\"environment\": {\"gravity\": true}, \"start\": [{\"part\": \"p\", \"rotation\":"
               "[-0.21036250304092485, -0.010198937240904815, -1.2339558907653791], \"displacement\":"
               "[0.020565598858392157, 0.05926741299738285, 0.145]}, {\"part\": \"p\", \"velocity\":"
               "[-0.061766570489505374, -0.06453553998006223, -0.36062310360436006]}], \"solids\":"
               "[{\"name\": \"o\", \"cells\": {\"pitch\": 0.011584473100185745, \"size\": [3, 3, 2],"
               "\"filled\": [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1], \"center\": [0.06, 0.06,"
               "0.05]}, \"rotation\": [-1.9881395693793313, -1.9454257381831044, 2.0167751852449385]}]}",
               0.2);
    check_drop(
        "block on steps",
        "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [4, 4, 3]}, \"materials\":"
        "[{\"name\": \"m\"}], \"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [3, 1, 3]},"
        "\"material\": \"m\"}], \"parts\": [{\"name\": \"p\", \"separate\": true}], \"fields\":"
        "{\"part\": {\"values\": 1}}, \"environment\": {\"gravity\": true}, \"start\": [{\"part\": \"p\","
        "\"displacement\": [0.0534291204002104, 0.06721364602145365, 0.145]}],"
        "\"ground\": {\"kind\": \"steps\", \"points\": [60, 60], \"spacing\": 0.003, \"height\":"
        "0.039823788324512076, \"length\": 0.02909622253782887, \"origin\": [-0.1, -0.1, 0.02]}}",
        0.35);
    check_drop(
        "rod in rough ground",
        "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [4, 4, 3]}, \"materials\":"
        "[{\"name\": \"m\", \"friction\": {\"static\": 0, \"dynamic\": 0}}], \"shapes\": [{\"box\":"
        "{\"corner\": [0, 0, 0], \"size\": [1, 4, 1]}, \"material\": \"m\"}], \"environment\":"
        "{\"gravity\": true}, \"ground\": {\"kind\": \"rough\", \"points\": [60, 60], \"spacing\": 0.02,"
        "\"height\": 0.013225266956179737, \"length\": 0.014759127378996853, \"origin\": [-0.1, -0.1,"
        "0.0]}}",
        0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_friction_on_slopes),
        cmocka_unit_test(test_no_way_through),
        cmocka_unit_test(test_passed_over),
        cmocka_unit_test(test_own_cell_is_enough),
        cmocka_unit_test(test_account),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_lying),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_far_inside),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_cubes_meet),
        cmocka_unit_test(test_nearest_counts),
        cmocka_unit_test(test_restart_on_edges),
        cmocka_unit_test(test_strips),
        cmocka_unit_test(test_schemes),
        cmocka_unit_test(test_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
