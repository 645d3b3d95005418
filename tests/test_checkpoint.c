/* Stop and resume: from any step, in both precisions, with everything switched on that has
 * a memory, the same bits as without stopping; what is not a good checkpoint of this simulation is refused
 * and changes nothing; a reset is a new start; and stepping allocates nothing, by count. */
#include "support.h"

#include "base/base.h"

/* ---- counting allocations ------------------------------------------------------------------------------------------- */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

static volatile long allocations;

/* glibc lets a program replace its allocator by defining these; sanitizers do so themselves. */
#if defined(__GLIBC__) && !defined(SANITIZED)
#define COUNTED 1
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    allocations++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    allocations++;
    *memory = __libc_memalign(alignment, size);
    return *memory != NULL ? 0 : 12;
}

void free(void *memory)
{
    allocations++;
    __libc_free(memory);
}
#else
#define COUNTED 0
#endif

/* ---- a scene with everything ---------------------------------------------------------------------------------------- */

/* Two bodies that collide and fall on the floor, of materials that yield and break, actuated with phases,
 * held, moved and loaded with ramps. */
static vxe_scene *everything(vxe_elasticity elasticity)
{
    vxe_scene *scene = new_scene(0.01, 8, 4, 7);
    vxe_material_def def = vxe_default_material_def();
    def.expansion = 0.01;
    const int32_t live = put_material(scene, &def);
    def.youngs_modulus = 4e6;
    def.density = 2500.0;
    def.poissons_ratio = 0.4;
    def.expansion = -0.005;
    def.failure_stress = 4e4;
    const int32_t brittle = put_material(scene, &def);
    def = vxe_default_material_def();
    def.law = VXE_LAW_BILINEAR;
    def.yield_stress = 1e4;
    def.plastic_modulus = 2e5;
    const int32_t ductile = put_material(scene, &def);
    fill(scene, box_of(0, 0, 0, 8, 4, 2), live);
    fill(scene, box_of(2, 0, 0, 2, 4, 2), brittle);
    fill(scene, box_of(4, 0, 1, 3, 4, 1), ductile);
    fill(scene, box_of(1, 1, 3, 3, 2, 3), live); /* falls on the other, a voxel below */
    vxe_error error = {VXE_OK, ""};
    for (int32_t i = 0; i < 8; i++) {
        const vxe_actuation own = {.phase = 0.1 * i, .amplitude = 1.0 - 0.05 * i, .period = 1.0 + 0.02 * i};
        require(vxe_scene_set_actuation(scene, i, 1, 0, &own, &error), &error);
    }
    vxe_signal_def beat = vxe_default_signal_def();
    beat.amplitude = 8.0;
    beat.period = 0.013;
    beat.start = 0.01;
    put_signal(scene, &beat);
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, 4, 1), VXE_DOF_ALL);
    vxe_region_def drive = region_of("drive", box_of(7, 0, 0, 1, 1, 1));
    drive.fixed = VXE_DOF_X | VXE_DOF_Y;
    drive.displacement[0] = 0.004;
    drive.ramp = 0.02;
    put_region(scene, &drive);
    vxe_region_def load = region_of("load", box_of(6, 3, 1, 2, 1, 1));
    load.force[1] = 0.8;
    load.torque[0] = 0.002;
    load.ramp = 0.015;
    put_region(scene, &load);
    vxe_environment e = environment_of(elasticity, 0.3, 0.002);
    e.floor = true;
    e.gravity[2] = -9.81;
    e.collisions = VXE_COLLISIONS_GRID;
    set_environment(scene, &e);
    return scene;
}

/* What happens on the way: each edit after that many steps. */
static void edit(vxe_sim *sim, int64_t at)
{
    vxe_error error = {VXE_OK, ""};
    const double gravity[3] = {3.0, 1.0, -9.0};
    const double force[3] = {0.1, -0.5, 0.2};
    const double torque[3] = {0.0, 0.001, 0.0};
    const double displacement[3] = {-0.003, 0.002, 0.0};
    const double none[3] = {0.0, 0.0, 0.0};
    const double spin[3] = {3.0, -2.0, 1.0};
    switch (at) {
    case 100: require(vxe_sim_set_gravity(sim, gravity, &error), &error); break;
    case 150: require(vxe_sim_pull(sim, 30, force, &error), &error); break;
    case 200: require(vxe_sim_set_load(sim, 2, force, torque, &error), &error); break;
    case 250: require(vxe_sim_set_signal(sim, 0, 1.0, 9.0, 0.02, &error), &error); break;
    case 300: require(vxe_sim_set_displacement(sim, 1, displacement, 0.01, &error), &error); break;
    case 350: require(vxe_sim_set_damping(sim, 0.1, 0.5, 0.3, 0.001, &error), &error); break;
    case 400: require(vxe_sim_pull(sim, 31, force, &error), &error); break;
    case 450: require(vxe_sim_set_velocity(sim, 66, force, spin, &error), &error); break;
    case 500: require(vxe_sim_pull(sim, 30, none, &error), &error); break;
    default: break;
    }
}

/* Contacts that were seen. */
typedef struct contact_count {
    int64_t floor, pairs;
} contact_count;

/* Goes on to a step, with the edits on the way. */
static contact_count play(vxe_sim *sim, int64_t to)
{
    contact_count sum = {0, 0};
    while (vxe_sim_state(sim)->step < to) {
        edit(sim, vxe_sim_state(sim)->step);
        step(sim, 1);
        int64_t floor = 0;
        int64_t pairs = 0;
        vxe_sim_contacts(sim, &floor, &pairs);
        sum.floor += floor;
        sum.pairs += pairs;
    }
    return sum;
}

typedef struct saved {
    unsigned char *bytes;
    size_t size;
} saved;

static saved save(const vxe_sim *sim)
{
    saved s = {NULL, vxe_sim_save_size(sim)};
    vxe_error error = {VXE_OK, ""};
    s.bytes = calloc(s.size, 1);
    assert_non_null(s.bytes);
    require(vxe_sim_save(sim, s.bytes, s.size, &error), &error);
    return s;
}

/* ---- resume --------------------------------------------------------------------------------------------------------- */

/* Everything that can be read of two simulations is equal, to the bit: also what the hash does not see. (The
 * checkpoints themselves may differ in the list of pairs of voxels that are near without touching, which is
 * made anew after loading.) */
static void check_same(vxe_sim *one, vxe_sim *two)
{
    const vxe_model_view *view = vxe_model_get(vxe_sim_model(one));
    const size_t bytes = (size_t)view->voxel_count * sizeof(double);
    assert_true(vxe_sim_hash(one) == vxe_sim_hash(two));
    const vxe_state *a = vxe_sim_state(one);
    const vxe_state *b = vxe_sim_state(two);
    for (int i = 0; i < 3; i++) {
        assert_memory_equal(a->force[i], b->force[i], bytes);
        assert_memory_equal(a->moment[i], b->moment[i], bytes);
        assert_memory_equal(a->contact_force[i], b->contact_force[i], bytes);
    }
    assert_memory_equal(a->growth, b->growth, bytes);
    assert_memory_equal(a->pressure, b->pressure, bytes);
    const vxe_energy e1 = vxe_sim_energy(one);
    const vxe_energy e2 = vxe_sim_energy(two);
    assert_memory_equal(&e1, &e2, sizeof e1);
    assert_true(vxe_sim_time_step(one).dt == vxe_sim_time_step(two).dt);
    for (int32_t r = 0; r < view->region_count; r++) {
        double load[2][6];
        assert_int_equal(vxe_sim_region_reaction(one, r, load[0], load[0] + 3, NULL), VXE_OK);
        assert_int_equal(vxe_sim_region_reaction(two, r, load[1], load[1] + 3, NULL), VXE_OK);
        assert_memory_equal(load[0], load[1], sizeof load[0]);
    }
}

static void check_resume(vxe_elasticity elasticity, vxe_precision precision)
{
    vxe_sim_def def = vxe_default_sim_def();
    def.precision = precision;
    bench b = start_with(everything(elasticity), &def);
    const int64_t end = is_quick() ? 700 : 2000;
    const contact_count contacts = play(b.sim, end);
    const uint64_t expected = vxe_sim_hash(b.sim);
    /* the run uses what it is meant to test */
    int64_t broken = 0;
    int64_t yielded = 0;
    vxe_sim_failures(b.sim, &broken, &yielded);
    print_message("    %s, %s: %lld broken, %lld yielded, %lld floor and %lld pair contacts, %lld "
                  "evaluations of the step\n",
                  elasticity == VXE_ELASTICITY_BEAM ? "beam" : "solid",
                  precision == VXE_PRECISION_DOUBLE ? "double" : "single", (long long)broken,
                  (long long)yielded, (long long)contacts.floor, (long long)contacts.pairs,
                  (long long)vxe_sim_time_step(b.sim).evaluations);
    assert_true(broken > 0 && yielded > 0);
    assert_true(contacts.floor > 0 && (contacts.pairs > 0 || is_quick()));
    assert_true(vxe_sim_time_step(b.sim).evaluations > 1);
    vxe_sim *reference = new_sim(b.model, &def);
    play(reference, end);
    rng r = {21};
    for (int i = 0; i < (is_quick() ? 3 : 12); i++) {
        /* 0: before the first step; the rest anywhere */
        const int64_t at = i == 0 ? 0 : i == 1 ? end - 1 : rng_int(&r, 1, (int32_t)end - 2);
        vxe_sim_reset(b.sim);
        play(b.sim, at);
        const saved s = save(b.sim);
        vxe_sim *fresh = new_sim(b.model, &def);
        vxe_error error = {VXE_OK, ""};
        require(vxe_sim_load(fresh, s.bytes, s.size, &error), &error);
        assert_true(vxe_sim_hash(fresh) == vxe_sim_hash(b.sim));
        const vxe_energy e1 = vxe_sim_energy(fresh);
        const vxe_energy e2 = vxe_sim_energy(b.sim);
        assert_memory_equal(&e1, &e2, sizeof e1);
        play(fresh, end);
        if (vxe_sim_hash(fresh) != expected)
            fail_msg("resumed from step %lld, the run ends differently", (long long)at);
        check_same(fresh, reference);
        /* and into a simulation that has been elsewhere */
        require(vxe_sim_load(b.sim, s.bytes, s.size, &error), &error);
        play(b.sim, end);
        assert_true(vxe_sim_hash(b.sim) == expected);
        free(s.bytes);
        vxe_sim_destroy(fresh);
    }
    vxe_sim_destroy(reference);
    finish(b);
}

static void test_resume_double(void **state)
{
    (void)state;
    check_resume(VXE_ELASTICITY_SOLID, VXE_PRECISION_DOUBLE);
    check_resume(VXE_ELASTICITY_BEAM, VXE_PRECISION_DOUBLE);
}

static void test_resume_single(void **state)
{
    (void)state;
    check_resume(VXE_ELASTICITY_SOLID, VXE_PRECISION_SINGLE);
}

/* Without the audit there are fewer arrays. */
static void test_resume_without_audit(void **state)
{
    (void)state;
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = false;
    bench b = start_with(everything(VXE_ELASTICITY_SOLID), &def);
    play(b.sim, 300);
    const saved s = save(b.sim);
    play(b.sim, 600);
    vxe_sim *fresh = new_sim(b.model, &def);
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_load(fresh, s.bytes, s.size, &error), &error);
    play(fresh, 600);
    assert_true(vxe_sim_hash(fresh) == vxe_sim_hash(b.sim));
    free(s.bytes);
    vxe_sim_destroy(fresh);
    finish(b);
}

/* A run towards a condition is resumed too: being calm for a while is remembered. */
static void test_resume_a_run(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 4, 2, 2);
    fill_all(scene, add_material(scene, 1e6, 0.3, 1000));
    add_fixed(scene, "wall", box_of(0, 0, 0, 1, 2, 2), VXE_DOF_ALL);
    add_force(scene, "tip", box_of(3, 0, 0, 1, 2, 2), 0.0, 0.0, -0.1);
    const vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 1.0, 0.1);
    set_environment(scene, &e);
    bench b = start(scene);
    const vxe_stop stop = {.speed = 1e-5, .settle = 0.01};
    assert_int_equal(vxe_sim_run(b.sim, &stop, 1000000), VXE_RUN_SPEED);
    const uint64_t expected = vxe_sim_hash(b.sim);
    const int64_t steps = vxe_sim_state(b.sim)->step;
    const vxe_sim_def standard = vxe_default_sim_def();
    vxe_sim *fresh = new_sim(b.model, &standard);
    vxe_sim_reset(b.sim);
    assert_int_equal(vxe_sim_run(b.sim, &stop, steps - 40),
                     VXE_RUN_STEPS); /* calm, but not long enough yet */
    const saved s = save(b.sim);
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_load(fresh, s.bytes, s.size, &error), &error);
    assert_int_equal(vxe_sim_run(fresh, &stop, 1000000), VXE_RUN_SPEED);
    assert_true(vxe_sim_hash(fresh) == expected);
    free(s.bytes);
    vxe_sim_destroy(fresh);
    finish(b);
}

/* A failed simulation stays failed after loading, with its message. */
static void test_resume_a_failure(void **state)
{
    (void)state;
    vxe_scene *scene = new_scene(0.01, 2, 1, 1);
    fill_all(scene, add_material(scene, 1e4, 0.3, 1000));
    add_force(scene, "left", box_of(0, 0, 0, 1, 1, 1), 10.0, 0.0, 0.0);
    add_force(scene, "right", box_of(1, 0, 0, 1, 1, 1), -10.0, 0.0, 0.0);
    bench b = start(scene);
    assert_int_equal(vxe_sim_step(b.sim, 10000, NULL), VXE_ERROR_DIVERGED);
    const saved s = save(b.sim);
    const vxe_sim_def standard = vxe_default_sim_def();
    vxe_sim *fresh = new_sim(b.model, &standard);
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_load(fresh, s.bytes, s.size, &error), &error);
    assert_string_equal(vxe_sim_status(fresh)->message, vxe_sim_status(b.sim)->message);
    assert_true(strlen(vxe_sim_status(fresh)->message) > 0);
    assert_int_equal(vxe_sim_step(fresh, 1, NULL), VXE_ERROR_DIVERGED);
    assert_true(vxe_sim_hash(fresh) == vxe_sim_hash(b.sim));
    free(s.bytes);
    vxe_sim_destroy(fresh);
    finish(b);
}

/* ---- refusals ------------------------------------------------------------------------------------------------------- */

/* Loading must fail with this in its message and leave the simulation as it is, to the byte. */
static void check_refused(vxe_sim *sim, const unsigned char *bytes, size_t size, const char *message)
{
    const saved before = save(sim);
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_sim_load(sim, bytes, size, &error), VXE_ERROR_INPUT);
    assert_int_equal(error.code, VXE_ERROR_INPUT);
    if (strstr(error.message, message) == NULL)
        fail_msg("expected \"%s\", found \"%s\"", message, error.message);
    const saved after = save(sim);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.bytes, after.bytes, before.size);
    free(before.bytes);
    free(after.bytes);
}

/* magic 8, version 4, precision 4, model 8, fraction 8, audit 8, size 8, hash 8 */
enum {
    AT_VERSION = 8,
    AT_PRECISION = 12,
    AT_MODEL = 16,
    AT_FRACTION = 24,
    AT_AUDIT = 32,
    AT_SIZE = 40,
    AT_HASH = 48,
    HEADER = 56
};

static void sign(unsigned char *bytes, size_t size)
{
    const uint64_t payload = size - HEADER;
    const uint64_t hash = vxe_hash_bytes(VXE_HASH_START, bytes + HEADER, size - HEADER);
    memcpy(bytes + AT_SIZE, &payload, sizeof payload);
    memcpy(bytes + AT_HASH, &hash, sizeof hash);
}

static void test_refuses_damage(void **state)
{
    (void)state;
    bench b = start(everything(VXE_ELASTICITY_SOLID));
    play(b.sim, 200);
    const saved s = save(b.sim);
    play(b.sim, 260); /* now in another state than the saved one */
    unsigned char *bytes = calloc(s.size + 1, 1);
    assert_non_null(bytes);
    rng r = {22};
    const int flips = is_quick() ? 20 : 200;
    for (int i = 0; i < flips; i++) { /* one bit of the payload */
        memcpy(bytes, s.bytes, s.size);
        const size_t at = HEADER + (size_t)(rng_next(&r) % (s.size - HEADER));
        bytes[at] = (unsigned char)(bytes[at] ^ (1U << rng_int(&r, 0, 7)));
        check_refused(b.sim, bytes, s.size, "the checkpoint is damaged or cut short");
    }
    static const struct {
        size_t at;
        const char *message;
    } fields[] = {{0, "this is not a checkpoint"},
                  {AT_VERSION, "this program reads version"},
                  {AT_PRECISION, "made with other settings"},
                  {AT_MODEL, "belongs to another scene"},
                  {AT_FRACTION, "made with other settings"},
                  {AT_AUDIT, "made with other settings"},
                  {AT_SIZE, "damaged or cut short"},
                  {AT_HASH, "damaged or cut short"}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        memcpy(bytes, s.bytes, s.size);
        bytes[fields[i].at] ^= 1U;
        check_refused(b.sim, bytes, s.size, fields[i].message);
    }
    /* cut anywhere, and too long */
    for (int i = 0; i < flips; i++) {
        const size_t size = (size_t)(rng_next(&r) % s.size);
        check_refused(b.sim, s.bytes, size,
                      size < HEADER ? "this is not a checkpoint" : "damaged or cut short");
    }
    check_refused(b.sim, s.bytes, 0, "only 0 bytes");
    memcpy(bytes, s.bytes, s.size);
    check_refused(b.sim, bytes, s.size + 1, "damaged or cut short");
    /* well signed nonsense */
    static const unsigned char nonsense[3] = {0xff, 0x00, 0x7f};
    for (int i = 0; i < 3; i++) {
        memcpy(bytes, s.bytes, s.size);
        memset(bytes + HEADER, nonsense[i], s.size - HEADER);
        sign(bytes, s.size);
        check_refused(b.sim, bytes, s.size, "does not fit this scene");
        memcpy(bytes, s.bytes, s.size);
        sign(bytes, s.size - 40);
        check_refused(b.sim, bytes, s.size - 40, "does not fit this scene");
    }
    /* the good one still loads */
    vxe_error error = {VXE_OK, ""};
    require(vxe_sim_load(b.sim, s.bytes, s.size, &error), &error);
    assert_int_equal(vxe_sim_state(b.sim)->step, 200);
    free(bytes);
    free(s.bytes);
    finish(b);
}

/* A file is much larger than one of the simulation at its start where many voxels are near each other now;
 * such files were refused. */
static void test_long_lists(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = new_scene(0.01, 6, 6, 3);
    const int32_t soft = add_material(scene, 1e5, 0.3, 1000.0);
    fill(scene, box_of(0, 0, 0, 6, 6, 1), soft);
    fill(scene, box_of(0, 0, 2, 6, 6, 1), soft);
    vxe_environment e = environment_of(VXE_ELASTICITY_SOLID, 0.3, 0.0);
    e.collisions = VXE_COLLISIONS_GRID;
    e.collision_horizon = 10.0;
    set_environment(scene, &e);
    const bench b = start(scene);
    const size_t first = vxe_sim_save_size(b.sim);
    step(b.sim, 20);
    assert_true(vxe_sim_save_size(b.sim) > 2 * first + 65536); /* or this tests nothing */
    require(vxe_sim_save_file(b.sim, "near.vxck", &error), &error);
    const uint64_t hash = vxe_sim_hash(b.sim);
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_sim *other = new_sim(b.model, &def);
    require(vxe_sim_load_file(other, "near.vxck", &error), &error);
    assert_true(vxe_sim_hash(other) == hash);
    vxe_sim_destroy(other);
    finish(b);
}

static void test_refuses_others(void **state)
{
    (void)state;
    bench b = start(everything(VXE_ELASTICITY_SOLID));
    play(b.sim, 50);
    const saved s = save(b.sim);
    /* another scene */
    bench other = start(everything(VXE_ELASTICITY_BEAM));
    check_refused(other.sim, s.bytes, s.size, "the checkpoint belongs to another scene");
    finish(other);
    /* other settings: the message says which the checkpoint has */
    for (int i = 0; i < 4; i++) {
        vxe_sim_def def = vxe_default_sim_def();
        if (i == 3) def.bond_damping = VXE_BOND_DAMPING_EXPLICIT;
        if (i == 0) def.precision = VXE_PRECISION_SINGLE;
        if (i == 1) def.dt_fraction = 0.8;
        if (i == 2) def.audit = false;
        vxe_sim *sim = new_sim(b.model, &def);
        check_refused(
            sim, s.bytes, s.size,
            "other settings (precision double, time step fraction 0.9, audit on, bond damping auto)");
        vxe_sim_destroy(sim);
    }
    /* misuse */
    vxe_error error = {VXE_OK, ""};
    assert_int_equal(vxe_sim_load(NULL, s.bytes, s.size, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_sim_load(b.sim, NULL, s.size, &error), VXE_ERROR_ARGUMENT);
    assert_int_equal(vxe_sim_save(b.sim, s.bytes, s.size - 1, &error), VXE_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "needs"));
    assert_int_equal(vxe_sim_save(b.sim, NULL, s.size, &error), VXE_ERROR_ARGUMENT);
    free(s.bytes);
    finish(b);
}

/* ---- reset ---------------------------------------------------------------------------------------------------------- */

static void test_reset_is_a_new_start(void **state)
{
    (void)state;
    static const vxe_precision precisions[2] = {VXE_PRECISION_DOUBLE, VXE_PRECISION_SINGLE};
    for (int i = 0; i < 2; i++) {
        vxe_sim_def def = vxe_default_sim_def();
        def.precision = precisions[i];
        bench b = start_with(everything(VXE_ELASTICITY_SOLID), &def);
        const uint64_t start_hash = vxe_sim_hash(b.sim);
        const saved first = save(b.sim);
        play(b.sim, 600);
        const uint64_t later = vxe_sim_hash(b.sim);
        assert_true(later != start_hash);
        vxe_sim_reset(b.sim);
        assert_true(vxe_sim_hash(b.sim) == start_hash);
        const saved again = save(b.sim);
        assert_int_equal(first.size, again.size);
        assert_memory_equal(first.bytes, again.bytes, first.size);
        play(b.sim, 600);
        assert_true(vxe_sim_hash(b.sim) == later);
        vxe_sim *fresh = new_sim(b.model, &def);
        play(fresh, 600);
        assert_true(vxe_sim_hash(fresh) == later);
        /* in one piece or step by step is the same, too: no edits from step 500 to 600 */
        vxe_sim_reset(fresh);
        play(fresh, 501);
        step(fresh, 99);
        assert_true(vxe_sim_hash(fresh) == later);
        vxe_sim_destroy(fresh);
        free(first.bytes);
        free(again.bytes);
        finish(b);
    }
}

/* ---- no allocation -------------------------------------------------------------------------------------------------- */

static void test_stepping_allocates_nothing(void **state)
{
    (void)state;
    if (!COUNTED) skip();
    /* the counter counts */
    const long before = allocations;
    void *volatile probe = malloc(1); /* volatile: a compiler may leave out a pair it sees through */
    free(probe);
    assert_true(allocations >= before + 2);
    static const vxe_precision precisions[2] = {VXE_PRECISION_DOUBLE, VXE_PRECISION_SINGLE};
    for (int i = 0; i < 2; i++) {
        vxe_sim_def def = vxe_default_sim_def();
        def.precision = precisions[i];
        bench b = start_with(everything(VXE_ELASTICITY_SOLID), &def);
        const vxe_stop stop = {.time = 1.0, .speed = 1e-12, .kinetic_energy = 1e-20, .cycles = 1000.0};
        const long count = allocations;
        const vxe_result result = vxe_sim_step(b.sim, 600, NULL);
        const vxe_run_reason reason = vxe_sim_run(b.sim, &stop, 600);
        (void)vxe_sim_state(b.sim);
        (void)vxe_sim_energy(b.sim);
        (void)vxe_sim_hash(b.sim);
        edit(b.sim, 100);
        edit(b.sim, 150);
        edit(b.sim, 200);
        edit(b.sim, 250);
        edit(b.sim, 300);
        edit(b.sim, 350);
        const vxe_result edited = vxe_sim_step(b.sim, 100, NULL);
        vxe_sim_reset(b.sim);
        const long after = allocations;
        assert_int_equal(result, VXE_OK);
        assert_int_equal(edited, VXE_OK);
        assert_int_equal(reason, VXE_RUN_STEPS);
        print_message("    %ld allocations in 1300 steps\n", after - count);
        assert_true(after == count);
        finish(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resume_double),        cmocka_unit_test(test_resume_single),
        cmocka_unit_test(test_resume_without_audit), cmocka_unit_test(test_resume_a_run),
        cmocka_unit_test(test_resume_a_failure),     cmocka_unit_test(test_refuses_damage),
        cmocka_unit_test(test_long_lists),           cmocka_unit_test(test_refuses_others),
        cmocka_unit_test(test_reset_is_a_new_start), cmocka_unit_test(test_stepping_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
