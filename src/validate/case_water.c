/* Bodies in water: how fast they sink and spin, how deep they float, how they right themselves. */
#include "validate/cases.h"
#include "validate/trial.h"

#include <math.h>

#define PITCH 0.01
#define WATER 1000.0
#define GRAVITY 9.81

static void add_water(trial *t, double normal, double tangential, bool surface, double level)
{
    if (!trial_good(t)) return;
    vxe_water_def water = vxe_default_water_def();
    water.density = WATER;
    water.normal = normal;
    water.tangential = tangential;
    water.has_level = surface;
    water.level = level;
    (void)vxe_scene_set_water(t->scene, &water, t->error);
}

static void add_weight(trial *t)
{
    if (!trial_good(t)) return;
    vxe_environment e = vxe_scene_environment(t->scene);
    e.gravity[2] = -GRAVITY;
    (void)vxe_scene_set_environment(t->scene, &e, t->error);
}

/* A cube that sinks: its weight in water is density/2 v^2 A (normal + 4 tangential). */
static void sink(validation *v)
{
    static const val_basis basis = {"weight less lift = drag of the lowest face and the four beside it",
                                    "1e-3: the cube is a little strained"};
    const double normal = 1.1;
    const double tangential = 0.1;
    const double density = 1500.0;
    const double side = 4.0 * PITCH;
    trial t = trial_of(v);
    trial_begin(&t, VXE_ELASTICITY_SOLID, PITCH, 4, 4, 4);
    trial_fill(&t, trial_all(&t), trial_material(&t, 1e6, 0.3, density));
    trial_damping(&t, 1.0, 1.0, 0.0);
    add_weight(&t);
    add_water(&t, normal, tangential, false, 0.0);
    trial_compile(&t, 0);
    const double expected =
        sqrt((density - WATER) * side * GRAVITY / (0.5 * WATER * (normal + 4.0 * tangential)));
    while (trial_good(&t) && vxe_sim_time(t.sim) < 1.5) trial_step(&t, 1000);
    double momentum[3] = {0.0, 0.0, 0.0};
    if (trial_good(&t)) {
        vxe_sim_momentum(t.sim, momentum, NULL);
        val_compare(v, "water.sinks", "cube that sinks: terminal velocity", "m/s",
                    -momentum[2] / vxe_model_get(t.model)->mass, expected, 1e-3, basis);
    }
    trial_end(&t);
}

/* A bar that a torque turns about its middle. */
static void spin(validation *v)
{
    static const val_basis basis = {
        "torque = integral of the drag of sides and ends",
        "5e-3: faces count by their middle, which leaves 1/(2 n^2) of the integral, n = 12"};
    const double normal = 1.1;
    const double tangential = 0.1;
    const int32_t count = 24;
    const double torque[3] = {0.0, 0.0, 0.02};
    const double none[3] = {0.0, 0.0, 0.0};
    trial t = trial_of(v);
    trial_begin(&t, VXE_ELASTICITY_SOLID, PITCH, count, 1, 1);
    trial_fill(&t, trial_all(&t), trial_material(&t, 1e8, 0.3, 1000.0));
    trial_damping(&t, 1.0, 1.0, 0.0);
    (void)trial_load(&t, trial_all(&t), none, torque);
    add_water(&t, normal, tangential, false, 0.0);
    trial_compile(&t, 0);
    /* sides: normal on one of two, tangential on the other two; ends: along themselves */
    const double half = 0.5 * count * PITCH;
    const double sides = WATER * PITCH * pow(half, 4.0) / 4.0 * (normal + 2.0 * tangential);
    const double ends = WATER * PITCH * PITCH * tangential * pow(half, 3.0);
    const double expected = sqrt(torque[2] / (sides + ends));
    while (trial_good(&t) && vxe_sim_time(t.sim) < 1.0) trial_step(&t, 2000);
    if (trial_good(&t)) {
        const vxe_state *s = vxe_sim_state(t.sim);
        const double x = s->position[0][count - 1] - s->position[0][0];
        const double y = s->position[1][count - 1] - s->position[1][0];
        const double vx = s->velocity[0][count - 1] - s->velocity[0][0];
        const double vy = s->velocity[1][count - 1] - s->velocity[1][0];
        val_compare(v, "water.spins", "bar under a torque: terminal spin", "rad/s",
                    (x * vy - y * vx) / (x * x + y * y), expected, 5e-3, basis);
    }
    trial_end(&t);
}

/* A raft, floating; `tilt`: rad about y. */
static void begin_raft(trial *t, double density, double drag, double tilt)
{
    const int32_t n = 16;
    const vxe_part_def part = {.name = "raft", .separate = true};
    trial_begin(t, VXE_ELASTICITY_SOLID, PITCH, n, n, 4);
    trial_fill(t, trial_all(t), trial_material(t, 1e6, 0.3, density));
    trial_damping(t, 0.2, 0.2, drag > 0.0 ? 0.005 : 0.0); /* drag alone takes long for the last of a motion */
    add_weight(t);
    add_water(t, drag, drag, true, 4.0 * PITCH * density / WATER);
    if (trial_good(t)) (void)vxe_scene_add_part(t->scene, &part, NULL, t->error);
    for (int32_t i = 0; i < n * n * 4 && trial_good(t); i++)
        (void)vxe_scene_set_field(t->scene, VXE_FIELD_PART, i % n, i / n % n, i / n / n, 1.0, t->error);
    const vxe_start_def start = {.part = "raft", .rotation = {0.0, tilt, 0.0}};
    if (trial_good(t) && tilt != 0.0) (void)vxe_scene_add_start(t->scene, &start, t->error);
    trial_compile(t, 0);
}

/* rad about y: from the middles of two sides. */
static double raft_tilt(const trial *t)
{
    const int32_t a = trial_voxel(t, 0, 8, 1);
    const int32_t b = trial_voxel(t, 15, 8, 1);
    const vxe_state *s = vxe_sim_state(t->sim);
    return -atan2(s->position[2][b] - s->position[2][a], s->position[0][b] - s->position[0][a]);
}

static void drift(validation *v)
{
    static const val_basis basis = {"Archimedes: weight = lift", "1e-3: the raft bends a little"};
    const double density = 640.0;
    trial t = trial_of(v);
    begin_raft(&t, density, 2.0, 0.0);
    if (trial_good(&t)) { /* pushed down, and at rest again */
        double center[3];
        const double still[3] = {0.0, 0.0, 0.0};
        const double falls[3] = {0.0, 0.0, -0.2};
        (void)vxe_sim_set_motion(t.sim, falls, still, still, t.error);
        while (trial_good(&t) && vxe_sim_time(t.sim) < 0.8) trial_step(&t, 500);
        vxe_sim_center_of_mass(t.sim, center);
        const double level = 4.0 * PITCH * density / WATER;
        val_compare(v, "water.floats", "raft: depth at which it floats", "m",
                    level - (center[2] - 2.0 * PITCH), level, 1e-3, basis);
    }
    trial_end(&t);
}

static void right_itself(validation *v)
{
    static const val_basis period = {"metacentre: T = 2 pi sqrt(I/(m g GM)), GM = L^2/(12 d) - (H - d)/2",
                                     "1 %: columns of voxels count by their middle, 1/n^2 of L^2, n = 16"};
    static const val_basis rest = {"level", "a thousandth of the tilt"};
    const double tilt = 0.05;
    const double side = 16.0 * PITCH;
    const double height = 4.0 * PITCH;
    const double draft = 0.5 * height;
    trial t = trial_of(v);
    begin_raft(&t, 500.0, 0.0, tilt);
    if (trial_good(&t)) {
        const double metacentre = side * side / (12.0 * draft) - 0.5 * (height - draft);
        const double expected = 2.0 * 3.14159265358979323846 *
                                sqrt((side * side + height * height) / 12.0 / (GRAVITY * metacentre));
        double crossed[2] = {0.0, 0.0};
        int crossings = 0;
        double before = raft_tilt(&t);
        while (trial_good(&t) && crossings < 5 && vxe_sim_time(t.sim) < 10.0) {
            trial_step(&t, 5);
            const double now = raft_tilt(&t);
            if (now * before < 0.0) {
                if (crossings == 0) crossed[0] = vxe_sim_time(t.sim);
                crossed[1] = vxe_sim_time(t.sim);
                crossings++;
            }
            before = now;
        }
        val_compare(v, "water.swings", "tilted raft: period of its swing", "s",
                    0.5 * (crossed[1] - crossed[0]), expected, 0.01, period);
    }
    trial_end(&t);
    begin_raft(&t, 500.0, 2.0, 0.3);
    while (trial_good(&t) && vxe_sim_time(t.sim) < 1.2) trial_step(&t, 500);
    if (trial_good(&t))
        val_compare_absolute(v, "water.rights", "raft tilted by 0.3: tilt when it has calmed down", "rad",
                             raft_tilt(&t), 0.0, 3e-4, rest);
    trial_end(&t);
}

void case_water(validation *v)
{
    sink(v);
    spin(v);
    drift(v);
    right_itself(v);
}
