/* What the physics tests share: blocks of voxels in a few lines, running to rest, comparisons that say what
 * they compared, and repeatable random numbers. Everything here aborts the test on failure. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include "voxelastic/voxelastic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

/* VXE_QUICK=1: a tenth of the work or less, for sanitizers. VXE_SOAK=1: everything. */
static inline bool is_quick(void)
{
    const char *text = getenv("VXE_QUICK");
    return text != NULL && text[0] == '1';
}

static inline bool is_soak(void)
{
    const char *text = getenv("VXE_SOAK");
    return text != NULL && text[0] == '1';
}

/* ---- comparisons ---------------------------------------------------------------------------------------------------- */

static inline void require(vxe_result result, const vxe_error *error)
{
    if (result != VXE_OK) fail_msg("%s: %s", vxe_result_name(result), error->message);
}

/* |value - expected| <= tolerance, all in the same unit. Not a number never passes. */
static inline void check_near(const char *what, double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%s is %.12g, expected %.12g +- %.3g (off by %.3g)", what, value, expected, tolerance,
                 value - expected);
    }
}

static inline void check_below(const char *what, double value, double limit)
{
    if (!(value <= limit)) fail_msg("%s is %.6g, more than %.6g", what, value, limit);
}

static inline void check_above(const char *what, double value, double limit)
{
    if (!(value >= limit)) fail_msg("%s is %.6g, less than %.6g", what, value, limit);
}

/* ---- random numbers ------------------------------------------------------------------------------------------------- */

/* SplitMix64: the same on every machine. */
typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t rng_next(rng *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = r->state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline double rng_between(rng *r, double low, double high)
{
    return low + (high - low) * ((double)(rng_next(r) >> 11) / 9007199254740992.0);
}

/* Evenly spread logarithms. */
static inline double rng_decades(rng *r, double low, double high)
{
    return low * pow(high / low, rng_between(r, 0.0, 1.0));
}

/* low to high, both included. */
static inline int32_t rng_int(rng *r, int32_t low, int32_t high)
{
    return low + (int32_t)(rng_next(r) % (uint64_t)(high - low + 1));
}

/* ---- scenes --------------------------------------------------------------------------------------------------------- */

static inline vxe_scene *new_scene(double pitch, int32_t nx, int32_t ny, int32_t nz)
{
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_create(pitch, nx, ny, nz, &scene, &error), &error);
    return scene;
}

static inline int32_t put_material(vxe_scene *scene, const vxe_material_def *def)
{
    int32_t material = 0;
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_add_material(scene, def, &material, &error), &error);
    return material;
}

/* Modulus in Pa, Poisson's ratio, density in kg/m^3; the rest as by default. */
static inline int32_t add_material(vxe_scene *scene, double youngs, double poisson, double density)
{
    vxe_material_def def = vxe_default_material_def();
    def.youngs_modulus = youngs;
    def.poissons_ratio = poisson;
    def.density = density;
    return put_material(scene, &def);
}

/* Corner and sides in voxels. */
static inline vxe_shape box_of(double x, double y, double z, double sx, double sy, double sz)
{
    return (vxe_shape){
        .kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS, .corner = {x, y, z}, .sides = {sx, sy, sz}};
}

static inline void fill(vxe_scene *scene, vxe_shape shape, int32_t material)
{
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_fill(scene, &shape, material, &error), &error);
}

static inline void fill_all(vxe_scene *scene, int32_t material)
{
    fill(scene, (vxe_shape){.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_FRACTION, .sides = {1, 1, 1}},
         material);
}

/* A region without effect yet. */
static inline vxe_region_def region_of(const char *name, vxe_shape shape)
{
    vxe_region_def def = vxe_default_region_def();
    (void)snprintf(def.name, sizeof def.name, "%s", name);
    def.shape = shape;
    return def;
}

static inline int32_t put_region(vxe_scene *scene, const vxe_region_def *def)
{
    int32_t region = -1;
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_add_region(scene, def, &region, &error), &error);
    return region;
}

static inline int32_t add_fixed(vxe_scene *scene, const char *name, vxe_shape shape, uint32_t dofs)
{
    vxe_region_def def = region_of(name, shape);
    def.fixed = dofs;
    return put_region(scene, &def);
}

static inline int32_t add_force(vxe_scene *scene, const char *name, vxe_shape shape, double x, double y,
                                double z)
{
    vxe_region_def def = region_of(name, shape);
    def.force[0] = x;
    def.force[1] = y;
    def.force[2] = z;
    return put_region(scene, &def);
}

static inline void set_environment(vxe_scene *scene, const vxe_environment *environment)
{
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_set_environment(scene, environment, &error), &error);
}

/* The default, with one ratio for stretch and rotation and a ratio for the ground. */
static inline vxe_environment environment_of(vxe_elasticity elasticity, double bond, double ground)
{
    vxe_environment e = vxe_default_environment();
    e.elasticity = elasticity;
    e.damping_stretch = bond;
    e.damping_rotation = bond;
    e.damping_ground = ground;
    return e;
}

static inline int32_t put_signal(vxe_scene *scene, const vxe_signal_def *def)
{
    int32_t signal = -1;
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_add_signal(scene, def, &signal, &error), &error);
    return signal;
}

/* ---- simulations ---------------------------------------------------------------------------------------------------- */

/* A model with one simulation of it. */
typedef struct bench {
    vxe_model *model;
    vxe_sim *sim;
} bench;

static inline vxe_model *compile_scene(const vxe_scene *scene)
{
    vxe_model *model = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_compile(scene, &model, &error), &error);
    return model;
}

static inline vxe_sim *new_sim(const vxe_model *model, const vxe_sim_def *def)
{
    vxe_sim *sim = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_create(model, def, &sim, &error), &error);
    return sim;
}

/* Compiles a scene, destroys it and makes a simulation; def may be NULL for the default. */
static inline bench start_with(vxe_scene *scene, const vxe_sim_def *def)
{
    const vxe_sim_def standard = vxe_default_sim_def();
    bench b = {compile_scene(scene), NULL};
    vxe_scene_destroy(scene);
    b.sim = new_sim(b.model, def != NULL ? def : &standard);
    return b;
}

static inline bench start(vxe_scene *scene) { return start_with(scene, NULL); }

/* With bond damping as a force, whose shorter steps some tests rely on. */
static inline bench start_explicit(vxe_scene *scene)
{
    vxe_sim_def def = vxe_default_sim_def();
    def.bond_damping = VXE_BOND_DAMPING_EXPLICIT;
    return start_with(scene, &def);
}

static inline void finish(bench b)
{
    vxe_sim_destroy(b.sim);
    vxe_model_destroy(b.model);
}

static inline bench held_bar(int32_t nx, int32_t ny, int32_t nz, vxe_elasticity elasticity,
                             const double force[3])
{
    vxe_scene *scene = new_scene(0.01, nx, ny, nz);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000));
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, ny, nz), VXE_DOF_ALL);
    add_force(scene, "tip", box_of(nx - 1, 0, 0, 1, ny, nz), force[0], force[1], force[2]);
    const vxe_environment e = environment_of(elasticity, 0.0, 0.1);
    set_environment(scene, &e);
    return start(scene);
}

static inline void step(vxe_sim *sim, int64_t steps)
{
    if (vxe_sim_step(sim, steps, NULL) != VXE_OK) fail_msg("%s", vxe_sim_status(sim)->message);
}

static inline void check_well(const vxe_sim *sim)
{
    if (vxe_sim_status(sim)->fault != VXE_FAULT_NONE) fail_msg("%s", vxe_sim_status(sim)->message);
}

/* Runs until no voxel has been faster than `speed` (m/s) for `hold` seconds (0: a thousand steps); fails when
 * that takes more than `most` steps. */
static inline void settle(vxe_sim *sim, double speed, double hold, int64_t most)
{
    const vxe_stop stop = {.speed = speed, .settle = hold};
    const vxe_run_reason reason = vxe_sim_run(sim, &stop, most);
    if (reason != VXE_RUN_SPEED) {
        fail_msg("not at rest after %lld steps (%s): still at %.3g m/s, asked for %.3g; %s", (long long)most,
                 vxe_run_reason_name(reason), vxe_sim_speed_max(sim), speed, vxe_sim_status(sim)->message);
    }
}

static inline int32_t voxel_at(const vxe_sim *sim, int32_t i, int32_t j, int32_t k)
{
    const int32_t v = vxe_model_voxel_at(vxe_sim_model(sim), i, j, k);
    assert_true(v >= 0);
    return v;
}

/* Displacement of a voxel from its start, m. */
static inline double moved(vxe_sim *sim, int32_t v, int axis)
{
    return vxe_sim_state(sim)->position[axis][v] - vxe_model_get(vxe_sim_model(sim))->start[axis][v];
}

static inline double length3(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

/* Ground damping ratio that damps a mode of angular frequency `mode` (rad/s) critically, in a body whose
 * voxels have w0 = sqrt(E l/m): every mode decays at zeta w0 (validation/README.md 2.5). */
static inline double critical_ground(double mode, double w0) { return mode / w0; }

/* ---- the same bits -------------------------------------------------------------------------------------------------- */

/* The hash after so many steps, carried over into a new simulation after `restart` of them (0: not). 0: this
 * machine has no such instructions. */
static inline uint64_t hash_after(const vxe_model *model, const vxe_sim_def *def, int64_t steps,
                                  int64_t restart)
{
    vxe_sim *sim = NULL;
    vxe_error error = {VXE_OK, ""};
    if (vxe_sim_create(model, def, &sim, &error) != VXE_OK) return 0;
    step(sim, restart);
    if (restart > 0) {
        const size_t size = vxe_sim_save_size(sim);
        void *saved = malloc(size);
        assert_non_null(saved);
        require(vxe_sim_save(sim, saved, size, &error), &error);
        vxe_sim_destroy(sim);
        sim = new_sim(model, def);
        require(vxe_sim_load(sim, saved, size, &error), &error);
        free(saved);
    }
    step(sim, steps - restart);
    const uint64_t hash = vxe_sim_hash(sim);
    vxe_sim_destroy(sim);
    return hash;
}

/* With restarts, on all instruction sets, with 1 to 3 threads. */
static inline void check_same_bits(const char *what, const vxe_model *model, vxe_precision precision,
                                   int64_t steps)
{
    vxe_sim_def def = vxe_default_sim_def();
    def.threads = 1;
    def.precision = precision;
    def.isa = VXE_ISA_PLAIN;
    const uint64_t expected = hash_after(model, &def, steps, 0);
    for (int64_t restart = 1; restart < steps; restart += steps / 3)
        if (hash_after(model, &def, steps, restart) != expected)
            fail_msg("%s: restart at %d", what, (int)restart);
    for (int isa = VXE_ISA_AUTO; isa <= VXE_ISA_AVX512; isa++) {
        def.isa = (vxe_isa)isa;
        for (def.threads = 1; def.threads <= 3; def.threads++) {
            const uint64_t hash = hash_after(model, &def, steps, 0);
            if (hash != expected && hash != 0)
                fail_msg("%s: instructions %d, %d threads", what, isa, (int)def.threads);
        }
    }
}

#endif
