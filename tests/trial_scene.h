/* Random scenes for trials of endurance: eight families, and what is in the world, each with everything else
 * at random. Mild ones are what people make: contrasts of stiffness to 1000, sizes that change by 10 %, 3 g,
 * materials stiff enough to bear what happens to them. Extreme ones are not: contrasts to 10^6, 60 %, 100 g,
 * yielding and breaking, and materials that may be too weak. */
#ifndef TESTS_TRIAL_SCENE_H
#define TESTS_TRIAL_SCENE_H

#include "support.h"
#include "voxelastic/rules.h"

typedef enum trial_family {
    TRIAL_CHAOS,      /* anything */
    TRIAL_FREE,       /* flies and spins */
    TRIAL_DROP,       /* falls onto the floor */
    TRIAL_COLLIDE,    /* bodies that fly into each other */
    TRIAL_PRESCRIBED, /* regions that are moved and turned */
    TRIAL_FRACTURE,   /* pulled until it yields and breaks (extreme), or loaded (mild) */
    TRIAL_ACTUATED,   /* muscles on the floor */
    TRIAL_STACK,      /* bodies on top of each other */
    TRIAL_FAMILIES,
    TRIAL_WORLD = TRIAL_FAMILIES /* muscles and rigid parts on ground, among solids, in water */
} trial_family;

static const char *const trial_names[TRIAL_FAMILIES + 1] = {
    "chaos", "free", "drop", "collide", "prescribed", "fracture", "actuated", "stack", "world"};

/* Seeds from here on are TRIAL_WORLD. */
#define TRIAL_WORLD_SEED 1000000

/* A scene, how it is run, and how it begins. */
typedef struct trial {
    trial_family family;
    vxe_scene *scene;
    vxe_sim_def def;
    double velocity[3], spin[3]; /* of the whole */
    double apart;                /* m/s: bodies fly at each other along x */
    double bond, contrast, actuation, gravity;
    vxe_elasticity elasticity;
    int32_t size[3];
    bool rules;  /* voxels stick, grow, disappear */
    bool closed; /* nothing does work on it and nothing takes energy: its total stays what it is */
} trial;

static inline void trial_boxes(vxe_scene *scene, rng *r, const int32_t low[3], const int32_t high[3],
                               int32_t materials)
{
    const int32_t parts = rng_int(r, 1, 4);
    for (int32_t p = 0; p < parts; p++) {
        double corner[3];
        double side[3];
        for (int a = 0; a < 3; a++) {
            const int32_t from = rng_int(r, low[a], high[a] - 1);
            corner[a] = p == 0 ? low[a] : from;
            side[a] = p == 0 ? high[a] - low[a] : rng_int(r, 1, high[a] - from);
        }
        vxe_shape shape = box_of(corner[0], corner[1], corner[2], side[0], side[1], side[2]);
        if (p > 0 && rng_int(r, 0, 2) == 0) {
            shape.kind = VXE_SHAPE_SPHERE;
            for (int a = 0; a < 3; a++) shape.center[a] = corner[a] + 0.5;
            shape.radius[0] = rng_between(r, 0.8, 2.5);
            for (int a = 0; a < 3; a++) { /* it stays where its body is */
                if (shape.center[a] - 2.5 < low[a] || shape.center[a] + 2.5 > high[a])
                    shape = box_of(corner[0], corner[1], corner[2], 1, 1, 1);
            }
        }
        fill(scene, shape, p > 0 && rng_int(r, 0, 3) == 0 ? 0 : rng_int(r, 1, materials));
    }
}

/* Layers, heaps or one body, depending on the family. */
static inline void trial_shapes(trial *t, rng *r, int32_t materials)
{
    const bool heap = t->family == TRIAL_STACK || t->family == TRIAL_COLLIDE || t->family == TRIAL_WORLD;
    const int axis = t->family == TRIAL_COLLIDE ? 0 : 2;
    const int32_t bodies = heap ? rng_int(r, 2, 3) : 1;
    for (int32_t b = 0; b < bodies; b++) {
        int32_t low[3] = {0, 0, 0};
        int32_t high[3] = {t->size[0], t->size[1], t->size[2]};
        low[axis] = b * t->size[axis] / bodies;
        high[axis] = (b + 1) * t->size[axis] / bodies - (heap ? 1 : 0); /* an empty layer between */
        if (t->family == TRIAL_DROP) low[2] = t->size[2] / 3;
        if (high[axis] <= low[axis]) continue;
        trial_boxes(t->scene, r, low, high, materials);
    }
    vxe_error error = {VXE_OK, ""};
    if (vxe_scene_voxel_count(t->scene) == 0)
        require(vxe_scene_set_voxel(t->scene, 0, 0, t->size[2] - 1, 1, &error), &error);
}

/* Ground of any kind, some solids, sometimes water; the second material is rigid. */
static inline void trial_world(trial *t, rng *r, double pitch, double density, bool extreme)
{
    vxe_error error = {VXE_OK, ""};
    const double span = pitch * (t->size[0] + t->size[1]);
    vxe_ground_def g = vxe_default_ground_def();
    g.kind = (vxe_ground_kind)rng_int(r, VXE_GROUND_SLOPE, VXE_GROUND_ROUGH);
    g.points[0] = g.points[1] = 121;
    g.spacing = pitch * rng_decades(r, 0.5, 3.0);
    g.origin[0] = g.origin[1] = -60.0 * g.spacing;
    g.height = pitch * rng_between(r, 0.2, extreme ? 4.0 : 1.5);
    g.length = pitch * rng_between(r, 3.0, 10.0);
    g.seed = (uint32_t)rng_int(r, 0, 100000);
    g.origin[2] = g.kind == VXE_GROUND_SLOPE || g.kind == VXE_GROUND_STAIRS
                      ? -1.2 * g.height * (60.0 * g.spacing + span) / g.length
                      : -1.2 * g.height;
    g.has_friction = rng_int(r, 0, 1) == 0;
    require(vxe_scene_set_ground(t->scene, &g, &error), &error);
    for (int i = 0; i < 2; i++) {
        vxe_solid_def s = vxe_default_solid_def();
        (void)snprintf(s.name, sizeof s.name, "solid %d", i);
        s.kind = (vxe_solid_kind)rng_int(r, VXE_SOLID_BOX, VXE_SOLID_CAPSULE);
        s.radius = pitch * rng_between(r, 0.5, 2.0);
        s.length = pitch * rng_between(r, 0.5, 6.0);
        for (int a = 0; a < 3; a++) {
            s.sides[a] = pitch * rng_between(r, 0.5, 3.0);
            s.rotation[a] = rng_between(r, -3.0, 3.0);
            s.center[a] = a < 2 ? pitch * rng_between(r, 0.0, t->size[a]) : -pitch * rng_between(r, 4.0, 9.0);
        }
        require(vxe_scene_add_solid(t->scene, &s, NULL, &error), &error);
    }
    if (rng_int(r, 0, 1) == 0) {
        vxe_water_def water = vxe_default_water_def();
        water.density = density * rng_decades(r, 0.1, 2.0);
        water.has_level = rng_int(r, 0, 1) == 0;
        water.level = pitch * rng_between(r, -3.0, t->size[2]);
        require(vxe_scene_set_water(t->scene, &water, &error), &error);
    }
    const vxe_start_def start = {.spin = {rng_between(r, -1.0, 1.0), 0.0, rng_between(r, -1.0, 1.0)}};
    require(vxe_scene_add_start(t->scene, &start, &error), &error);
}

/* Where there are rigid parts, a rule is about the first material, which is soft; but all stick. */
static inline void trial_rule(const trial *t, vxe_rule_def rule)
{
    vxe_error error = {VXE_OK, ""};
    if (t->family == TRIAL_WORLD && rule.kind != VXE_RULE_BOND)
        memcpy(rule.material, vxe_scene_material(t->scene, 1)->name, sizeof rule.material);
    require(vxe_scene_add_rule(t->scene, &rule, NULL, &error), &error);
}

/* Every fourth trial of a family has rules: voxels that stick and let go, disappear, grow, conduct, become
 * others, are driven, pushed and cut off, and come from nowhere; without any voxel the run would end. */
static inline void trial_rules(trial *t, uint64_t seed, bool extreme, double tick, double youngs)
{
    rng r = {seed * UINT64_C(104729) + (extreme ? 11 : 3)};
    vxe_rule_def rule = vxe_default_rule_def(VXE_RULE_BOND);
    rule.time = tick * rng_between(&r, 0.0, 5.0);
    rule.stress = youngs * rng_decades(&r, 1e-4, 1e-1);
    rule.rest = tick * rng_between(&r, 0.0, 50.0);
    if (rng_int(&r, 0, 1) == 0) (void)snprintf(rule.release, sizeof rule.release, "impulse > 0.9");
    if (vxe_scene_environment(t->scene).collisions != VXE_COLLISIONS_OFF) trial_rule(t, rule);
    rule = vxe_default_rule_def(VXE_RULE_CONDUCT);
    rule.delay = tick;
    rule.refractory = 3.0 * tick;
    rule.fade_every = tick;
    trial_rule(t, rule);
    rule = vxe_default_rule_def(VXE_RULE_PACE);
    rule.period = tick * rng_between(&r, 20.0, 100.0);
    (void)snprintf(rule.when, sizeof rule.when, "links < 4");
    trial_rule(t, rule);
    rule = vxe_default_rule_def(VXE_RULE_CONTROL);
    (void)snprintf(rule.value, sizeof rule.value, "%g * impulse", extreme ? 0.2 : 0.05);
    rule.rate = 0.02 / tick;
    trial_rule(t, rule);
    rule = vxe_default_rule_def(VXE_RULE_REMOVE);
    rule.begin = 20.0 * tick;
    rule.every = 10.0 * tick;
    rule.chance = 0.02;
    trial_rule(t, rule);
    rule = vxe_default_rule_def(VXE_RULE_SUPPLY); /* what rains on the body waits in its top layer */
    memcpy(rule.other, vxe_scene_material(t->scene, 1)->name, sizeof rule.other);
    rule.corner[2] = t->size[2] - 1;
    rule.cells[0] = t->size[0];
    rule.cells[1] = t->size[1];
    rule.cells[2] = 1;
    rule.every = 25.0 * tick;
    rule.places[0] = rule.places[1] = 2;
    for (int a = 0; a < 3; a++) {
        rule.spacing[a] = 2.5 * vxe_scene_pitch(t->scene);
        rule.position[a] = (a == 2 ? t->size[2] + 1.5 : 0.5) * vxe_scene_pitch(t->scene);
    }
    trial_rule(t, rule);
    rule = vxe_default_rule_def(VXE_RULE_GROW);
    memcpy(rule.other, vxe_scene_material(t->scene, 1)->name, sizeof rule.other);
    for (int a = 0; a < 3; a++) rule.cells[a] = t->size[a];
    rule.every = 7.0 * tick;
    rule.chance = 0.1;
    rule.limit = rng_int(&r, 1, 50);
    trial_rule(t, rule);
    vxe_material_def twin = *vxe_scene_material(t->scene, 1);
    (void)snprintf(twin.name, sizeof twin.name, "twin");
    twin.expansion *= -0.5;
    twin.static_friction = twin.dynamic_friction = 0.1;
    (void)put_material(t->scene, &twin);
    rule = vxe_default_rule_def(VXE_RULE_BECOME);
    memcpy(rule.material, vxe_scene_material(t->scene, 1)->name, sizeof rule.material);
    (void)snprintf(rule.other, sizeof rule.other, "twin");
    rule.every = 11.0 * tick;
    rule.chance = 0.05;
    trial_rule(t, rule);
    rule = vxe_default_rule_def(VXE_RULE_END);
    rule.begin = 60.0 * tick;
    trial_rule(t, rule);
    rule = vxe_default_rule_def(VXE_RULE_PUSH);
    rule.direction[rng_int(&r, 0, 2)] = rng_between(&r, -1.0, 1.0);
    (void)snprintf(rule.value, sizeof rule.value, "(body < 9) * mass * %g",
                   (extreme ? 10.0 : 1.0) * (t->gravity > 0.0 ? t->gravity : 9.81));
    trial_rule(t, rule);
    rule = vxe_default_rule_def(VXE_RULE_CUT);
    rule.begin = 30.0 * tick;
    rule.every = 17.0 * tick;
    rule.chance = 0.02;
    trial_rule(t, rule);
    t->rules = true;
}

static inline trial make_trial(uint64_t seed, bool extreme)
{
    rng r = {seed * UINT64_C(7368787) + (extreme ? 5 : 1)};
    trial t;
    memset(&t, 0, sizeof t);
    t.family = seed >= TRIAL_WORLD_SEED ? TRIAL_WORLD : (trial_family)(seed % TRIAL_FAMILIES);
    for (int a = 0; a < 3; a++) t.size[a] = rng_int(&r, 2, 8);
    if (t.family == TRIAL_STACK) t.size[2] = rng_int(&r, 6, 12);
    if (t.family == TRIAL_COLLIDE) t.size[0] = rng_int(&r, 6, 12);
    t.elasticity = rng_int(&r, 0, 1) == 0 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM;
    static const double bonds[6] = {0.0, 0.0, 0.01, 0.1, 0.5, 1.0};
    t.bond = bonds[rng_int(&r, 0, 5)];
    const int32_t materials = rng_int(&r, 1, 3);
    t.contrast = materials > 1 ? rng_decades(&r, 1.0, extreme ? 1e6 : 1e3) : 1.0;
    const bool moves = t.family == TRIAL_ACTUATED || t.family == TRIAL_CHAOS || t.family == TRIAL_WORLD;
    t.actuation = moves ? rng_between(&r, 0.0, extreme ? 0.6 : 0.1) : 0.0;
    const bool weightless = t.family == TRIAL_FREE || t.family == TRIAL_COLLIDE;
    t.gravity = weightless ? 0.0 : 9.81 * rng_between(&r, 0.0, extreme ? 100.0 : 3.0);
    const double pitch = rng_decades(&r, 1e-3, 1e-1);
    const double density = rng_decades(&r, 100.0, 1e4);
    const double height = pitch * t.size[2];
    const double speed = rng_between(&r, 0.0, extreme ? 0.3 : 0.03); /* of sound in the softest material */
    /* weight and fall strain a mild body by some per cent at most */
    const double bears = extreme ? rng_decades(&r, 3.0, 1e3) : rng_decades(&r, 100.0, 1e4);
    const double youngs = bears * density * (t.gravity > 0.0 ? t.gravity : 9.81) * height;
    const double sound = sqrt(youngs / density);
    t.scene = new_scene(pitch, t.size[0], t.size[1], t.size[2]);
    for (int32_t m = 0; m < materials; m++) {
        vxe_material_def def = vxe_default_material_def();
        const double stiff = m == 0 ? 0.0 : m == 1 ? 1.0 : rng_between(&r, 0.0, 1.0);
        def.youngs_modulus = youngs * pow(t.contrast, stiff);
        def.density = density * rng_decades(&r, 1.0, m == 0 ? 1.0 : 10.0);
        def.poissons_ratio = rng_between(&r, 0.0, 0.49);
        def.expansion = m == 0 ? 1.0 : rng_between(&r, -1.0, 1.0);
        def.dynamic_friction = rng_between(&r, 0.0, 1.0);
        def.static_friction = def.dynamic_friction + rng_between(&r, 0.0, 0.5);
        if (extreme && t.family == TRIAL_FRACTURE) {
            def.law = VXE_LAW_BILINEAR;
            def.yield_stress = def.youngs_modulus * rng_decades(&r, 1e-3, 0.1);
            def.plastic_modulus = def.youngs_modulus * rng_between(&r, 0.01, 0.5);
            def.failure_stress = def.yield_stress * rng_between(&r, 1.2, 4.0);
        }
        def.rigid = t.family == TRIAL_WORLD && m == 1;
        if (def.rigid) def.expansion = 0.0;
        put_material(t.scene, &def);
    }
    trial_shapes(&t, &r, materials);
    if (t.family == TRIAL_WORLD) trial_world(&t, &r, pitch, density, extreme);
    vxe_environment e = environment_of(t.elasticity, t.bond, 0.0);
    const bool lossless = seed / TRIAL_FAMILIES % 3 == 0;
    e.gravity[2] = -t.gravity;
    e.floor = !weightless && t.family != TRIAL_WORLD;
    e.collisions =
        rng_int(&r, 0, 3) == 0 && t.family != TRIAL_COLLIDE ? VXE_COLLISIONS_OFF : VXE_COLLISIONS_GRID;
    e.damping_contact = lossless ? 0.0 : rng_between(&r, 0.0, 1.0);
    set_environment(t.scene, &e);
    if (t.actuation > 0.0) {
        vxe_signal_def beat = vxe_default_signal_def();
        beat.waveform = rng_int(&r, 0, 2) == 0 ? VXE_WAVE_SQUARE : VXE_WAVE_SINE;
        if (!extreme) beat.waveform = VXE_WAVE_SINE;
        beat.amplitude = t.actuation;
        beat.period = pitch / sound * rng_decades(&r, 100.0, 1000.0);
        beat.start = extreme ? 0.0 : beat.period;
        beat.phase = rng_between(&r, 0.0, 1.0);
        put_signal(t.scene, &beat);
    }
    const double sx = t.size[0];
    const double sy = t.size[1];
    const double sz = t.size[2];
    if (t.family == TRIAL_PRESCRIBED) {
        vxe_region_def mover = region_of("mover", box_of(0, 0, sz - 1, sx, sy, 1));
        mover.fixed = VXE_DOF_ALL;
        for (int a = 0; a < 3; a++) {
            mover.displacement[a] = pitch * rng_between(&r, -1.0, 1.0) * (extreme ? sz : 0.02 * sz);
            mover.rotation[a] = rng_between(&r, -1.0, 1.0) * (extreme ? 3.0 : 0.1);
        }
        mover.ramp = extreme ? 0.0 : pitch / sound * 1000.0;
        put_region(t.scene, &mover);
    }
    if (t.family == TRIAL_FRACTURE) {
        (void)add_fixed(t.scene, "wall", box_of(0, 0, 0, 1, sy, sz), VXE_DOF_ALL);
        const double stress = youngs * (extreme ? rng_decades(&r, 1e-2, 3.0) : rng_decades(&r, 1e-4, 1e-2));
        const double force = stress * pitch * pitch * sy * sz;
        (void)add_force(t.scene, "pull", box_of(sx - 1, 0, 0, 1, sy, sz), force * rng_between(&r, -1.0, 1.0),
                        0.1 * force * rng_between(&r, -1.0, 1.0), 0.1 * force * rng_between(&r, -1.0, 1.0));
    }
    if (weightless) {
        for (int a = 0; a < 3; a++) {
            t.velocity[a] = sound * rng_between(&r, -1.0, 1.0) * speed;
            t.spin[a] = sound / (pitch * 8.0) * rng_between(&r, -1.0, 1.0) * speed;
        }
        t.apart = t.family == TRIAL_COLLIDE ? sound * speed : 0.0;
    }
    t.def = vxe_default_sim_def();
    t.def.dt_fraction = rng_between(&r, 0.3, VXE_DT_FRACTION_MAX);
    t.def.bond_damping = (vxe_bond_damping)rng_int(&r, 0, 2);
    t.def.threads = 1;
    if (seed / TRIAL_FAMILIES % 4 == 1) trial_rules(&t, seed, extreme, 5.0 * pitch / sound, youngs);
    t.closed = weightless && t.bond == 0.0 && !t.rules;
    return t;
}

static inline bench start_trial(const trial *t)
{
    const bench b = start_with(t->scene, &t->def);
    vxe_error error = {VXE_OK, ""};
    double center[3];
    vxe_sim_center_of_mass(b.sim, center);
    if (t->velocity[0] != 0.0)
        require(vxe_sim_set_motion(b.sim, t->velocity, t->spin, center, &error), &error);
    const vxe_model_view *view = vxe_model_get(b.model);
    for (int32_t v = 0; v < view->voxel_count && t->apart > 0.0; v++) {
        const vxe_state *s = vxe_sim_state(b.sim);
        double velocity[3] = {s->velocity[0][v], s->velocity[1][v], s->velocity[2][v]};
        const double spin[3] = {s->spin[0][v], s->spin[1][v], s->spin[2][v]};
        velocity[0] += view->body[v] % 2 == 0 ? t->apart : -t->apart;
        require(vxe_sim_set_velocity(b.sim, v, velocity, spin, &error), &error);
    }
    return b;
}

#endif
