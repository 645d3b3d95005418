/* Contact between voxels: nothing tunnels, both momenta are kept, contact never attracts,
 * friction obeys Coulomb's law and never adds energy, and the forces that are shown are those that act. */
#include "pile.h"

#include "base/vec.h"
#include "kernel/contact.h"
#include "kernel/pair.h"
#include "sim/collide.h"

/* ---- two blocks that meet ------------------------------------------------------------------------------------------- */

typedef struct impact {
    int side;                     /* voxels along a side of each block */
    vxe_elasticity elasticity;    /* link constants */
    double poisson;               /* of both */
    double youngs[2], density[2]; /* of the lower and the upper block */
    double bond, contact;         /* damping ratios */
    double friction;              /* static and dynamic */
    quat turn;                    /* of the upper block, about its middle */
    double offset[2];             /* of the upper block, voxels */
    double speed;                 /* in parts of l/(20 dt) */
    double mach;                  /* at most this part of the slower sound speed; 0: no such limit */
} impact;

/* What was seen on the way. */
typedef struct outcome {
    double nearest; /* smallest distance of two centres of different bodies, pitches */
    double whole;   /* the same as long as no link had been strained by more than half */
    double strain_most;
    int entered;     /* times that a centre was among the centres of the other body */
    double strain;   /* largest strain of a link when that happened first; 0: it did not */
    double momentum; /* change of momentum over m v */
    double angular;  /* change of angular momentum over m v side */
    double unequal;  /* largest sum of all contact forces over the largest force */
    double regained; /* largest fall of the dissipated energy in a step over the energy at the start */
    double gained;   /* largest rise of the total energy above the start, likewise */
    int64_t contacts;
    bool failed; /* the run stopped with a fault */
    char message[256];
} outcome;

static double determinant(vec3 a, vec3 b, vec3 c) { return vec3_dot(a, vec3_cross(b, c)); }

static vec3 position_of(const vxe_sim *sim, int32_t v)
{
    return vec3_make(sim->position[0][v], sim->position[1][v], sim->position[2][v]);
}

static bool inside_tetrahedron(const vec3 p[4], vec3 x)
{
    const vec3 a = vec3_sub(p[1], p[0]);
    const vec3 b = vec3_sub(p[2], p[0]);
    const vec3 c = vec3_sub(p[3], p[0]);
    const vec3 r = vec3_sub(x, p[0]);
    const double d = determinant(a, b, c);
    const double u = determinant(r, b, c) / d;
    const double v = determinant(a, r, c) / d;
    const double w = determinant(a, b, r) / d;
    return u > 0.0 && v > 0.0 && w > 0.0 && u + v + w < 1.0;
}

/* Whether a point has passed the surface through the outermost centres of a body: whether it is inside one of
 * the hexahedra of eight neighbouring centres as they are now, each cut into six tetrahedra around its
 * diagonal. */
static bool is_among(const vxe_sim *sim, int32_t body, vec3 x)
{
    static const int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                         {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
    const vxe_model *m = sim->model;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (m->body[v] != body) continue;
        const vec3 d = vec3_sub(x, position_of(sim, v));
        if (vec3_dot(d, d) > 9.0 * m->view.pitch * m->view.pitch)
            continue; /* more than any hexahedron's diagonal */
        int32_t corner[8];
        bool whole = true;
        corner[0] = v;
        for (int i = 1; i < 8; i++) {
            const int axis = i >= 4 ? 2 : i >= 2 ? 1 : 0;
            const int32_t from = whole ? corner[i - (1 << axis)] : -1;
            corner[i] = from >= 0 ? m->next[axis][from] : -1;
            whole = whole && corner[i] >= 0;
        }
        for (int t = 0; t < 6 && whole; t++) {
            vec3 p[4];
            for (int i = 0; i < 4; i++) p[i] = position_of(sim, corner[tetrahedra[t][i]]);
            if (inside_tetrahedron(p, x)) return true;
        }
    }
    return false;
}

static bench make_blocks(const impact *c, double pitch)
{
    const int n = c->side;
    vxe_scene *scene = new_scene(pitch, n, n, 2 * n + 1);
    vxe_material_def def = vxe_default_material_def();
    def.poissons_ratio = c->poisson;
    def.static_friction = c->friction;
    def.dynamic_friction = c->friction;
    for (int i = 0; i < 2; i++) {
        def.youngs_modulus = c->youngs[i];
        def.density = c->density[i];
        fill(scene, box_of(0, 0, i * (n + 1), n, n, n), put_material(scene, &def));
    }
    vxe_environment e = environment_of(c->elasticity, c->bond, 0.0);
    e.damping_contact = c->contact;
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    return start(scene);
}

/* Turns and shifts the upper block and puts its lowest centre `gap` above the highest of the lower block. */
static void place_upper(vxe_sim *sim, const impact *c, double gap)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    const double middle = 0.5 * c->side * l;
    const vec3 center = vec3_make(middle, middle, middle + (c->side + 1) * l);
    double lowest = INFINITY;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (m->body[v] != 1) continue;
        const vec3 p = vec3_add(center, quat_rotate(c->turn, vec3_sub(position_of(sim, v), center)));
        sim->position[0][v] = p.x + c->offset[0] * l;
        sim->position[1][v] = p.y + c->offset[1] * l;
        sim->position[2][v] = p.z;
        sim->orientation[0][v] = c->turn.w;
        sim->orientation[1][v] = c->turn.x;
        sim->orientation[2][v] = c->turn.y;
        sim->orientation[3][v] = c->turn.z;
        lowest = fmin(lowest, p.z);
    }
    const double shift = (c->side - 0.5) * l + gap - lowest;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (m->body[v] == 1) sim->position[2][v] += shift;
    }
    vxe_state_wrote(sim, vxe_state_with(STATE_DEVICE));
    sim->collider->stale = 1;
}

/* Nearest approach and intrusion as they are now. */
static void look_closely(const vxe_sim *sim, outcome *o)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    const double l = m->view.pitch;
    for (int32_t v = 0; v < n; v++) {
        double nearest = INFINITY;
        const vec3 p = position_of(sim, v);
        for (int32_t w = 0; w < n; w++) {
            if (m->body[w] == m->body[v]) continue;
            const vec3 d = vec3_sub(position_of(sim, w), p);
            nearest = fmin(nearest, vec3_dot(d, d));
        }
        nearest = sqrt(nearest) / l;
        o->nearest = fmin(o->nearest, nearest);
        if (o->strain_most <= 0.5) o->whole = fmin(o->whole, nearest);
        /* a point inside a hexahedron of links stretched to no more than 1.5 l is within 1.3 l of a corner */
        if (nearest < 1.3 && is_among(sim, 1 - m->body[v], p)) {
            if (o->entered++ == 0) o->strain = sim->last.strain_max;
        }
    }
}

static outcome run_impact(const impact *c)
{
    const double l = 0.01;
    const bench b = make_blocks(c, l);
    vxe_sim *sim = b.sim;
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    const double dt = vxe_sim_time_step(sim).dt;
    const double sound = fmin(sqrt(c->youngs[0] / c->density[0]), sqrt(c->youngs[1] / c->density[1]));
    double speed = c->speed * l / (20.0 * dt);
    if (c->mach > 0.0) speed = fmin(speed, c->mach * sound);
    place_upper(sim, c, l * 1.05);
    for (int32_t v = 0; v < n; v++) sim->velocity[2][v] = m->body[v] == 1 ? -0.5 * speed : 0.5 * speed;
    vxe_state_wrote(sim, vxe_state_with(STATE_DEVICE));

    double momentum[2][3];
    double angular[2][3];
    vxe_sim_momentum(sim, momentum[0], angular[0]);
    outcome o = {.nearest = INFINITY, .whole = INFINITY};
    /* what is between them at the start, then the way of sound there and back and again */
    const double end = 0.5 * l / speed + 3.0 * c->side * l / sound;
    double start_energy = 0.0;
    double dissipated = 0.0;
    for (int64_t i = 0; vxe_sim_time(sim) < end && !o.failed; i++) {
        o.failed = vxe_sim_step(sim, 1, NULL) != VXE_OK;
        memcpy(o.message, vxe_sim_status(sim)->message, sizeof o.message);
        int64_t pairs = 0;
        vxe_sim_contacts(sim, NULL, &pairs);
        if (pairs > o.contacts) o.contacts = pairs;
        const vxe_energy e = vxe_sim_energy(sim);
        if (i == 0) start_energy = e.total;
        o.gained = fmax(o.gained, (e.total - start_energy) / start_energy);
        o.regained = fmax(o.regained, (dissipated - e.dissipated) / start_energy);
        dissipated = e.dissipated;
        if (pairs == 0) continue;
        double sum[3] = {0.0, 0.0, 0.0};
        double most = 0.0;
        for (int32_t v = 0; v < n; v++) {
            for (int a = 0; a < 3; a++) {
                sum[a] += sim->contact_force[a][v];
                most = fmax(most, fabs(sim->contact_force[a][v]));
            }
        }
        o.strain_most = fmax(o.strain_most, sim->last.strain_max);
        if (most > 0.0) o.unequal = fmax(o.unequal, length3(sum) / most);
        look_closely(sim, &o);
    }
    vxe_sim_momentum(sim, momentum[1], angular[1]);
    double change[3];
    const double scale = m->view.mass * speed;
    for (int a = 0; a < 3; a++) change[a] = momentum[1][a] - momentum[0][a];
    o.momentum = length3(change) / scale;
    for (int a = 0; a < 3; a++) change[a] = angular[1][a] - angular[0][a];
    o.angular = length3(change) / (scale * c->side * l);
    finish(b);
    return o;
}

static void merge(outcome *all, const outcome *one)
{
    all->nearest = fmin(all->nearest, one->nearest);
    all->entered += one->entered;
    all->momentum = fmax(all->momentum, one->momentum);
    all->angular = fmax(all->angular, one->angular);
    all->unequal = fmax(all->unequal, one->unequal);
    all->regained = fmax(all->regained, one->regained);
    all->gained = fmax(all->gained, one->gained);
    all->contacts += one->contacts;
}

static void report(const char *what, int count, const outcome *all)
{
    print_message("%s: %d impacts, nearest centres %.3f l, centres inside %d, momentum %.1e, angular "
                  "momentum %.1e, sum of contact forces %.1e\n",
                  what, count, all->nearest, all->entered, all->momentum, all->angular, all->unequal);
}

static const quat no_turn = {1.0, 0.0, 0.0, 0.0};

static impact plain_impact(void)
{
    return (impact){.side = 4,
                    .elasticity = VXE_ELASTICITY_SOLID,
                    .poisson = 0.3,
                    .youngs = {1e6, 1e6},
                    .density = {1000.0, 1000.0},
                    .friction = 0.5,
                    .turn = no_turn,
                    .speed = 1.0};
}

/* A turn that brings a direction of the block down. */
static quat turn_down(double x, double y, double z)
{
    const double length = sqrt(x * x + y * y + z * z);
    const vec3 from = vec3_make(x / length, y / length, z / length);
    const vec3 axis = vec3_cross(from, vec3_make(0.0, 0.0, -1.0));
    const double size = vec3_length(axis);
    return quat_from_rotation(vec3_scale(acos(-from.z) / size, axis));
}

static quat random_turn(rng *r)
{
    /* four normal numbers would be uniform; this is good enough to try many */
    return quat_from_rotation(
        vec3_make(rng_between(r, -2.2, 2.2), rng_between(r, -2.2, 2.2), rng_between(r, -2.2, 2.2)));
}

/* Requirements that hold in every impact. 1e-12 is its figure; sums of some hundred voxels leave
 * about 1e-15. */
static void check_impact(const impact *c, const outcome *o)
{
    if (o->failed || o->contacts == 0 || !(o->nearest >= 0.5) || o->entered != 0) {
        fail_msg("%s: %lld contacts, centres as near as %.3f l, %d times inside (side %d, elasticity %d, nu "
                 "%g, E %g : %g, density %g : %g, bond %g, contact "
                 "%g, offset %g %g, turn %g %g %g %g, speed %g)",
                 o->failed ? o->message : "tunnelling", (long long)o->contacts, o->nearest, o->entered,
                 c->side, (int)c->elasticity, c->poisson, c->youngs[0], c->youngs[1], c->density[0],
                 c->density[1], c->bond, c->contact, c->offset[0], c->offset[1], c->turn.w, c->turn.x,
                 c->turn.y, c->turn.z, c->speed);
    }
    check_below("change of momentum", o->momentum, 1e-12);
    check_below("change of angular momentum", o->angular, 1e-12);
    check_below("sum of contact forces", o->unequal, 1e-12);
}

static void try_impact(const impact *c, outcome *all, int *count)
{
    const outcome o = run_impact(c);
    check_impact(c, &o);
    merge(all, &o);
    ++*count;
}

static const double ratios[3] = {0.0, 0.1, 1.0};

/* Face on face at all offsets; edges and corners down; at the full speed and below. */
static void test_no_tunnelling_set(void **state)
{
    (void)state;
    outcome all = {.nearest = INFINITY};
    int count = 0;
    const double speeds[4] = {1.0, 0.5, 0.1, 0.02};
    for (int s = 0; s < (is_quick() ? 1 : 4); s++) {
        for (int z = 0; z < 3; z++) {
            impact c = plain_impact();
            c.speed = speeds[s];
            c.bond = ratios[z];
            c.contact = ratios[z];
            for (int i = 0; i <= 4 && s < 2; i += is_quick() ? 2 : 1) {
                for (int j = i; j <= 4; j += 2) {
                    c.offset[0] = 0.25 * i;
                    c.offset[1] = 0.25 * j;
                    try_impact(&c, &all, &count);
                }
            }
            const quat turns[4] = {turn_down(1, 0, 1), turn_down(0.3, 1, 0.2), turn_down(1, 1, 1),
                                   turn_down(1, 1.3, 0.8)};
            for (int t = 0; t < 4; t++) {
                c.turn = turns[t];
                for (int i = 0; i < (is_quick() ? 1 : 3); i++) {
                    c.offset[0] = 0.5 * (i % 2);
                    c.offset[1] = 0.25 * i;
                    try_impact(&c, &all, &count);
                }
            }
        }
    }
    /* a corner with the whole weight of a larger block behind it, between four voxels and on top of one; and
     * without friction, when four voxels are pushed apart more easily */
    impact large = plain_impact();
    large.turn = turn_down(1, 1, 1);
    for (int z = 0; z < (is_quick() ? 0 : 3); z++) {
        for (int i = 0; i < 4; i++) {
            large.bond = ratios[z];
            large.contact = ratios[2 - z];
            large.side = i < 2 ? 7 : 5;
            large.friction = i < 2 ? 0.5 : 0.0;
            large.offset[0] = 0.5 * (i % 2);
            large.offset[1] = 0.5 * (i % 2);
            try_impact(&large, &all, &count);
        }
    }
    report("offsets, edges, corners", count, &all);
}

/* Everything at random: turns, offsets, damping, materials, speeds up to l/(20 dt). */
static void test_no_tunnelling_random(void **state)
{
    (void)state;
    outcome all = {.nearest = INFINITY};
    int count = 0;
    rng r = {2024};
    for (int i = 0; i < (is_quick() ? 12 : is_soak() ? 4000 : 200); i++) {
        impact c = plain_impact();
        c.elasticity = rng_int(&r, 0, 1) == 0 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM;
        c.poisson = 0.15 * rng_int(&r, 0, 3);
        c.bond = ratios[rng_int(&r, 0, 2)];
        c.contact = ratios[rng_int(&r, 0, 2)];
        c.friction = 0.5 * rng_int(&r, 0, 2);
        c.density[1] = rng_int(&r, 0, 1) == 0 ? 1000.0 : 10000.0;
        c.turn = random_turn(&r);
        c.offset[0] = rng_between(&r, -1.0, 1.0);
        c.offset[1] = rng_between(&r, -1.0, 1.0);
        c.speed = rng_int(&r, 0, 2) < 2 ? 1.0 : rng_decades(&r, 0.02, 1.0);
        try_impact(&c, &all, &count);
    }
    report("random", count, &all);
}

/* Unlike bodies: 1 : 100 in stiffness and 1 : 10 in density, either way. The time step is that of the stiff
 * one, so l/(20 dt) may be several times the sound speed of the soft one, which no elastic body survives. Up
 * to a quarter of its sound speed nothing may enter. */
static void test_no_tunnelling_unlike(void **state)
{
    (void)state;
    outcome all = {.nearest = INFINITY};
    int count = 0;
    rng r = {11};
    for (int i = 0; i < (is_quick() ? 4 : is_soak() ? 1000 : 60); i++) {
        impact c = plain_impact();
        const int stiff = rng_int(&r, 0, 1);
        const double factors[3] = {0.1, 1.0, 10.0};
        c.youngs[stiff] = 1e8;
        c.density[stiff] = 1000.0 * factors[rng_int(&r, 0, 2)];
        c.elasticity = rng_int(&r, 0, 1) == 0 ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM;
        c.poisson = 0.15 * rng_int(&r, 0, 3);
        c.bond = ratios[rng_int(&r, 0, 2)];
        c.contact = ratios[rng_int(&r, 0, 2)];
        c.turn = random_turn(&r);
        c.offset[0] = rng_between(&r, -1.0, 1.0);
        c.offset[1] = rng_between(&r, -1.0, 1.0);
        c.mach = 0.25;
        try_impact(&c, &all, &count);
    }
    report("unlike", count, &all);
}

/* The same at l/(20 dt) whatever that is for the soft body: it may be crushed, and then the run says so, but
 * no two centres come nearer than half a pitch and none gets between others before a link of it has been
 * strained by more than half. */
static void test_crushing(void **state)
{
    (void)state;
    outcome all = {.nearest = INFINITY};
    int count = 0;
    int faults = 0;
    int torn = 0;
    rng r = {5};
    for (int i = 0; i < (is_quick() ? 4 : is_soak() ? 500 : 40); i++) {
        impact c = plain_impact();
        c.youngs[1] = 1e8;
        c.density[1] = i % 2 == 0 ? 1000.0 : 10000.0;
        c.bond = 0.1 * (i % 3); /* 0 to 0.2 */
        c.contact = c.bond;
        c.turn = random_turn(&r);
        c.offset[0] = rng_between(&r, -1.0, 1.0);
        c.offset[1] = rng_between(&r, -1.0, 1.0);
        const outcome o = run_impact(&c);
        check_above("nearest centres", o.whole, 0.5);
        if (o.entered > 0) check_above("strain when a centre got between others", o.strain, 0.5);
        check_below("change of momentum", o.momentum, 1e-12);
        check_below("change of angular momentum", o.angular, 1e-12);
        faults += o.failed;
        torn += o.entered > 0;
        merge(&all, &o);
        count++;
    }
    report("crushing", count, &all);
    print_message("crushing: %d runs stopped with a fault, in %d a body was torn open\n", faults, torn);
}

/* Without any damping all that is lost is lost by friction: the account of it never goes back. One part in
 * 1e12 is round-off of an account that is a sum of a thousand numbers. */
static void test_friction_only_takes(void **state)
{
    (void)state;
    rng r = {99};
    double regained = 0.0;
    double gained = 0.0;
    for (int i = 0; i < (is_quick() ? 3 : 40); i++) {
        impact c = plain_impact();
        c.friction = 0.25 * rng_int(&r, 1, 6);
        c.turn = random_turn(&r);
        c.offset[0] = rng_between(&r, -1.0, 1.0);
        c.offset[1] = rng_between(&r, -1.0, 1.0);
        c.speed = rng_decades(&r, 0.02, 0.3);
        const outcome o = run_impact(&c);
        assert_true(o.contacts > 0);
        check_below("fall of the dissipated energy", o.regained, 1e-12);
        /* contacts that begin and end inside a step: k (v dt)^2/8 each, here below a thousandth each */
        check_below("rise of the total energy", o.gained, 0.01);
        regained = fmax(regained, o.regained);
        gained = fmax(gained, o.gained);
    }
    print_message("friction: largest fall of the dissipated energy in a step %.1e, largest rise of the total "
                  "energy %.1e of the start\n",
                  regained, gained);
}

/* ---- the law of one contact ----------------------------------------------------------------------------------------- */

static rvec random_vector(rng *r, double size)
{
    return (rvec){rng_between(r, -size, size), rng_between(r, -size, size), rng_between(r, -size, size)};
}

static double length_of(rvec a) { return sqrt(rvec_dot(a, a)); }

static contact_spring random_spring(rng *r)
{
    const double stiffness = rng_decades(r, 1e2, 1e6);
    const double stop = rng_int(r, 0, 3) == 0 ? 0.0 : CONTACT_STOP_STIFFNESS * stiffness;
    return (contact_spring){stiffness, stop, rng_between(r, 1e-4, 2e-3)};
}

/* A step that takes the surfaces anywhere within a pitch or so. */
static contact_press random_press(rng *r, contact_spring s, double damp)
{
    const double reach = rng_decades(r, 1e-5, 1e-2);
    return (contact_press){rng_between(r, -reach, reach), rng_between(r, -reach, reach),
                           rng_decades(r, 1e-3, 1e3) / s.stiffness, damp};
}

/* The law as it is defined: the root of after + yield mean force(before, after) = free, by bisection. */
static double after_by_bisection(contact_press p, contact_spring s)
{
    double low = -1.0;
    double high = 1.0;
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        const double way = p.before - middle;
        const double mean = fabs(way) < 1e-12
                                ? contact_rest_force(middle, s)
                                : (contact_energy(p.before, s) - contact_energy(middle, s)) / way;
        if (middle + p.yield * mean < p.free) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Never attracts, and is the force that the definition asks for. 1e-10 m: cancellation where steps are long.
 */
static void test_one_contact(void **state)
{
    (void)state;
    rng r = {1};
    for (int i = 0; i < (is_quick() ? 5000 : 50000); i++) {
        const contact_spring s = random_spring(&r);
        const contact_press p = random_press(&r, s, 0.0);
        const double force = contact_normal(p, s);
        check_above("normal force", force, -1e-300);
        check_near("depth half a step ahead", contact_after(p, force), after_by_bisection(p, s), 1e-10);
        if (p.before <= 0.0 && p.free <= 0.0) assert_true(force == 0.0);
    }
}

/* The contact returns exactly what it received, however long the step; with its damper never more. Round-off
 * of differences of energies. */
static void test_contact_balance(void **state)
{
    (void)state;
    rng r = {2};
    int kinds[4] = {0};
    for (int i = 0; i < (is_quick() ? 20000 : 200000); i++) {
        const contact_spring s = random_spring(&r);
        const double damp = i % 2 == 0 ? 0.0 : rng_between(&r, 0.0, 1.0);
        const contact_press p = random_press(&r, s, damp);
        const double force = contact_normal(p, s);
        const double after = contact_after(p, force);
        const double work = force * (p.before - after);
        const double stored = contact_energy(after, s) - contact_energy(p.before, s);
        const double scale = contact_energy(after, s) + contact_energy(p.before, s) + fabs(work) + 1e-300;
        if (damp == 0.0) {
            check_near("energy stored and work done", (stored + work) / scale, 0.0, 1e-8);
        } else {
            check_below("energy stored and work done, damped", (stored + work) / scale, 1e-8);
        }
        kinds[(p.before > 0.0 ? 2 : 0) + (after > 0.0 ? 1 : 0)]++;
    }
    for (int k = 0; k < 4; k++)
        assert_true(kinds[k] > 100); /* beginning, ending, passing and lasting contacts */
}

/* At rest it answers Ec l times the depth, which is what a column of two half voxels does, up to the stop;
 * then stiffer: everywhere the slope of the energy. Differences are exact on parabolas but for round-off. */
static void test_contact_is_elastic(void **state)
{
    (void)state;
    const contact_spring s = {1e4, 2e5, 0.001};
    for (int i = 1; i <= 50; i++) {
        const double depth = 0.00005 * i;
        const contact_press rest = {depth, depth, 1e-12, 0.0};
        const double force = 1e4 * depth + 2e5 * fmax(depth - 0.001, 0.0);
        check_near("force at rest", contact_rest_force(depth, s), force, 1e-9);
        check_near("force of a step at rest", contact_normal(rest, s), force, 1e-6 * force);
        const double h = 1e-6;
        if (fabs(depth - 0.001) < 2.0 * h) continue;
        check_near("slope of the energy",
                   (contact_energy(depth + h, s) - contact_energy(depth - h, s)) / (2.0 * h), force, 1e-8);
    }
}

/* One step of friction: within Coulomb's cone, at most mu_s N when stuck and mu_d N when sliding, and what it
 * does to the bodies never exceeds what its spring gives back. */
static void test_friction_step(void **state)
{
    (void)state;
    rng r = {3};
    int stuck_count = 0;
    int sliding_count = 0;
    for (int i = 0; i < (is_quick() ? 20000 : 200000); i++) {
        const double sliding = rng_between(&r, 0.0, 1.5);
        const contact_grip g = {rng_decades(&r, 1e2, 1e6), sliding + rng_between(&r, 0.0, 1.0), sliding};
        const rvec stick = random_vector(&r, rng_decades(&r, 1e-6, 1e-2));
        const rvec slide = random_vector(&r, rng_decades(&r, 1e-6, 1e-2));
        const double yield = rng_decades(&r, 1e-3, 1e2) / g.stiffness;
        const double normal = g.stiffness * rng_decades(&r, 1e-7, 1e-2);
        const int stuck = rng_int(&r, 0, 1);
        const contact_slip f = contact_friction(
            stick, slide, yield, i % 2 == 0 ? 0.0 : rng_between(&r, 0.0, 1.0), normal, stuck, g);
        const double size = length_of(f.force);
        if (f.stuck) {
            check_below("friction over mu N", size, (stuck ? g.still : g.sliding) * normal * (1.0 + 1e-12));
        } else {
            check_near("friction over mu_d N", size, g.sliding * normal, 1e-12 * size);
        }
        const rvec slid = rvec_add(slide, rvec_scale(yield, f.force));
        const double work = rvec_dot(f.force, slid);
        const double before = 0.5 * g.stiffness * rvec_dot(stick, stick);
        const double after = 0.5 * g.stiffness * rvec_dot(f.stick, f.stick);
        check_below("work of friction beyond its spring", after - before + work,
                    1e-12 * (after + before + fabs(work)));
        stuck_count += f.stuck;
        sliding_count += !f.stuck;
    }
    assert_true(stuck_count > 1000 && sliding_count > 1000); /* both were met */
}

/* ---- resting and sliding blocks --------------------------------------------------------------------------------------- */

/* A block of 3 x 3 x `height` on a held plate, one voxel above it. */
static bench block_on_plate(int height, double mu, const double gravity[3], double offset)
{
    vxe_scene *scene = new_scene(0.01, 13, 7, height + 2);
    vxe_material_def def = vxe_default_material_def();
    def.static_friction = mu;
    def.dynamic_friction = mu;
    const int32_t material = put_material(scene, &def);
    fill(scene, box_of(0, 0, 0, 13, 7, 1), material);
    fill(scene, box_of(2, 2, 2, 3, 3, height), material);
    (void)add_fixed(scene, "plate", box_of(0, 0, 0, 13, 7, 1), VXE_DOF_ALL);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.0);
    e.collisions = VXE_COLLISIONS_GRID;
    memcpy(e.gravity, gravity, sizeof e.gravity);
    set_environment(scene, &e);
    const bench b = start(scene);
    for (int32_t v = 0; v < b.model->view.voxel_count; v++) {
        if (b.model->body[v] == 0) continue;
        b.sim->position[0][v] += offset * 0.01;
        b.sim->position[1][v] += offset * 0.01;
        b.sim->position[2][v] -=
            offset > 0.0 ? 0.01 * (2.0 - sqrt(0.5)) : 0.01; /* just touching: on top, or in the hollows */
    }
    vxe_state_wrote(b.sim, vxe_state_with(STATE_DEVICE));
    b.sim->collider->stale = 1;
    return b;
}

static double body_force(vxe_sim *sim, int32_t body, int axis)
{
    double sum = 0.0;
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        if (sim->model->body[v] == body) sum += sim->contact_force[axis][v];
    }
    return sum;
}

/* At rest the contact force on a block is its weight, and on what it rests on the opposite. 1e-6 of it: the
 * speed that is left when the run is called settled (1e-9 m/s within a thousand steps) is an acceleration far
 * below that. */
static void test_weight(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const double gravity[3] = {0.0, 0.0, -9.81};
        const bench b = block_on_plate(3, 0.5, gravity, 0.5 * i);
        settle(b.sim, 1e-9, 0.0, 400000);
        const double weight = 27 * 1000.0 * 1e-6 * 9.81;
        check_near("contact force on the block", body_force(b.sim, 1, 2), weight, 1e-6 * weight);
        check_near("contact force on the plate", body_force(b.sim, 0, 2), -weight, 1e-6 * weight);
        check_near("sideways", body_force(b.sim, 1, 0), 0.0, 1e-6 * weight);
        double force[3];
        assert_int_equal(vxe_sim_region_reaction(b.sim, 0, force, NULL, NULL), VXE_OK);
        check_near("reaction of the support", force[2], weight + 91 * 1000.0 * 1e-6 * 9.81, 1e-6 * weight);
        int64_t pairs = 0;
        vxe_sim_contacts(b.sim, NULL, &pairs);
        assert_int_equal(pairs, i == 0 ? 9 : 36);
        finish(b);
    }
}

/* How far a plate of one layer on another has slid after `time`, pitches, with gravity tilted so that the
 * pull is `slope` times the load. */
static double slide(double mu, double slope, double offset, double time)
{
    const double scale = 9.81 / sqrt(1.0 + slope * slope);
    const double gravity[3] = {slope * scale, 0.0, -scale};
    const bench b = block_on_plate(1, mu, gravity, offset);
    const vxe_stop stop = {.time = time};
    (void)vxe_sim_run(b.sim, &stop, INT64_MAX);
    check_well(b.sim);
    const int32_t v = voxel_at(b.sim, 3, 3, 2);
    const double way = moved(b.sim, v, 0) / 0.01 - offset;
    finish(b);
    return way;
}

/* A layer on a layer, voxel on voxel: holds below mu, slides above. The surfaces are rows of balls, so this
 * holds on top of them, where the normal is upright; the way the spring gives (a hundredth of a pitch) leaves
 * a slope of about as much, hence five per cent. In the hollows the balls must be climbed: it then holds on
 * slopes far beyond mu. */
static void test_coulomb_angle(void **state)
{
    (void)state;
    for (int i = 0; i < (is_quick() ? 1 : 2); i++) {
        const double mu = i == 0 ? 0.5 : 0.2;
        check_below("way below the angle of friction", fabs(slide(mu, 0.95 * mu, 0.0, 0.2)), 0.05);
        check_above("way above the angle of friction", slide(mu, 1.05 * mu, 0.0, 0.2), 0.5);
        check_below("way in the hollows", fabs(slide(mu, 1.5 * mu, 0.5, 0.2)), 0.2);
    }
    if (!is_quick()) {
        double low = 0.0;
        double high = 3.0;
        while (high - low > 0.01) {
            const double middle = 0.5 * (low + high);
            if (slide(0.2, middle, 0.5, 0.2) > 1.0) {
                high = middle;
            } else {
                low = middle;
            }
        }
        print_message("mu 0.2: in the hollows it slips at a slope of %.2f\n", high);
    }
}

/* Where static friction is twice as strong as sliding friction, contacts of a heap could slip and hold each
 * other in turn for ever; in the heap of the bench a third of all steps did. */
static void test_rounds_end(void **state)
{
    (void)state;
    const int steps = is_quick() ? 1000 : 6000;
    for (int i = 0; i < 2; i++) {
        const pile_options options = {.collisions = VXE_COLLISIONS_GRID, .friction = i == 0 ? 1.0 : 0.6};
        const bench b = start(pile_scene(options));
        int endless = 0;
        int64_t rounds = 0;
        for (int k = 0; k < steps; k++) {
            step(b.sim, 1);
            rounds += b.sim->collider->rounds;
            endless += b.sim->collider->rounds == PAIR_ROUNDS;
        }
        check_well(b.sim);
        print_message("    friction %g: %.2f rounds per step, %d of %d steps without an end\n",
                      options.friction, (double)rounds / steps, endless, steps);
        check_below("steps whose contacts do not come to rest", (double)endless / steps, 0.002);
        if (!is_quick()) assert_true(rounds > steps); /* blocks fall at first */
        finish(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_contact),
        cmocka_unit_test(test_contact_balance),
        cmocka_unit_test(test_contact_is_elastic),
        cmocka_unit_test(test_friction_step),
        cmocka_unit_test(test_weight),
        cmocka_unit_test(test_coulomb_angle),
        cmocka_unit_test(test_no_tunnelling_set),
        cmocka_unit_test(test_no_tunnelling_random),
        cmocka_unit_test(test_no_tunnelling_unlike),
        cmocka_unit_test(test_crushing),
        cmocka_unit_test(test_rounds_end),
        cmocka_unit_test(test_friction_only_takes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
