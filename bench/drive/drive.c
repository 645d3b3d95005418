/* What driving costs in C: the counterpart of drive.py, which runs it. One line of numbers for each task:
 *
 *     drive control REPEATS      s per step of 1000 muscles over 2 s: by their signal alone, and controlled
 * at 100 Hz (per step, because their motion and so its number of steps differ) drive step REPEATS         s
 * per call of one step of one voxel drive batch THREADS FILE...   s for all scenes, then their hashes in
 * order
 */
#include <voxelastic/voxelastic.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Processor time for what one thread does, so that other programs do not count; real time for a batch. */
static clockid_t clock_id = CLOCK_PROCESS_CPUTIME_ID;

static double now(void)
{
    struct timespec t = {0, 0};
    clock_gettime(clock_id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(vxe_result result, const vxe_error *error)
{
    if (result != VXE_OK) {
        fprintf(stderr, "drive: %s\n", error->message);
        exit(EXIT_FAILURE);
    }
}

static vxe_sim *make_block(int side, double amplitude, vxe_model **model)
{
    vxe_error error;
    vxe_scene *scene = NULL;
    vxe_sim *sim = NULL;
    check(vxe_scene_create(0.01, side, side, side, &scene, &error), &error);
    vxe_material_def muscle = vxe_default_material_def();
    muscle.youngs_modulus = 1e5;
    muscle.expansion = 0.01;
    check(vxe_scene_add_material(scene, &muscle, NULL, &error), &error);
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 100.0 * amplitude;
    signal.period = 0.5;
    check(vxe_scene_add_signal(scene, &signal, NULL, &error), &error);
    const vxe_shape all = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_FRACTION, .sides = {1, 1, 1}};
    check(vxe_scene_fill(scene, &all, 1, &error), &error);
    vxe_environment e = vxe_default_environment();
    e.gravity[2] = -9.81;
    e.floor = true;
    e.collisions = VXE_COLLISIONS_GRID;
    check(vxe_scene_set_environment(scene, &e, &error), &error);
    check(vxe_compile(scene, model, &error), &error);
    vxe_scene_destroy(scene);
    vxe_sim_def def = vxe_default_sim_def();
    def.audit = false;
    def.threads = 1;
    check(vxe_sim_create(*model, &def, &sim, &error), &error);
    return sim;
}

static double run_plain(vxe_sim *sim, double seconds)
{
    vxe_sim_reset(sim);
    const double begun = now();
    const vxe_stop stop = {.time = seconds};
    (void)vxe_sim_run(sim, &stop, INT64_MAX);
    return (now() - begun) / (double)vxe_sim_state(sim)->step;
}

static double run_controlled(vxe_sim *sim, double seconds)
{
    static double strain[1000][3];
    static double touch[1000];
    static double target[1000];
    vxe_error error;
    vxe_sim_reset(sim);
    const double begun = now();
    for (int call = 0; call < (int)(100.0 * seconds + 0.5); call++) {
        check(vxe_sim_sense(sim, VXE_SENSE_STRAIN, NULL, 0, &strain[0][0], &error), &error);
        check(vxe_sim_sense(sim, VXE_SENSE_TOUCH, NULL, 0, touch, &error), &error);
        const double wave = 1.0 + 0.1 * sin(12.566 * vxe_sim_time(sim));
        for (int i = 0; i < 1000; i++) target[i] = wave + 0.01 * strain[i][0] + 0.001 * touch[i];
        check(vxe_sim_set_targets(sim, VXE_TARGET_SIZE, NULL, 1000, target, 0.01, &error), &error);
        const vxe_stop stop = {.time = 0.01 * (call + 1)};
        (void)vxe_sim_run(sim, &stop, INT64_MAX);
    }
    return (now() - begun) / (double)vxe_sim_state(sim)->step;
}

typedef struct population {
    vxe_scene **scenes;
    uint64_t *hash;
} population;

static vxe_result make(void *user, int64_t index, vxe_design *design, vxe_error *error)
{
    const population *p = user;
    design->settings->audit = false;
    design->stop->time = 1.0;
    return vxe_compile(p->scenes[index], &design->model, error);
}

static void ended(void *user, int64_t index, vxe_sim *sim, vxe_batch_end *end)
{
    population *p = user;
    (void)end;
    p->hash[index] = vxe_sim_hash(sim);
}

static void run_batch(int threads, int count, char **files)
{
    vxe_error error;
    population p = {calloc((size_t)count, sizeof *p.scenes), calloc((size_t)count, sizeof *p.hash)};
    if (p.scenes == NULL || p.hash == NULL) exit(EXIT_FAILURE);
    for (int i = 0; i < count; i++) check(vxe_scene_load_json(files[i], &p.scenes[i], &error), &error);
    vxe_batch_def def = vxe_default_batch_def();
    def.threads = threads;
    def.user = &p;
    def.make = make;
    def.ended = ended;
    vxe_batch *batch = NULL;
    clock_id = CLOCK_MONOTONIC;
    const double begun = now();
    check(vxe_batch_create(&def, &batch, &error), &error);
    check(vxe_batch_add(batch, count, &error), &error);
    (void)vxe_batch_wait(batch, -1.0);
    printf("%.6f\n", now() - begun);
    vxe_batch_destroy(batch);
    for (int i = 0; i < count; i++) {
        printf("%016llx\n", (unsigned long long)p.hash[i]);
        vxe_scene_destroy(p.scenes[i]);
    }
    free(p.scenes);
    free(p.hash);
}

int main(int argc, char **argv)
{
    const char *task = argc > 1 ? argv[1] : "";
    const int number = argc > 2 ? atoi(argv[2]) : 1;
    vxe_model *model = NULL;
    if (strcmp(task, "batch") == 0) {
        run_batch(number, argc - 3, argv + 3);
    } else if (strcmp(task, "control") == 0) {
        vxe_sim *sim = make_block(10, 0.1, &model);
        for (int i = 0; i < number; i++) {
            const double plain = run_plain(sim, 2.0);
            printf("%.9f %.9f\n", plain, run_controlled(sim, 2.0));
        }
        vxe_sim_destroy(sim);
    } else if (strcmp(task, "step") == 0) {
        vxe_sim *sim = make_block(1, 0.0, &model);
        for (int i = 0; i < number; i++) {
            const double begun = now();
            for (int k = 0; k < 20000; k++) (void)vxe_sim_step(sim, 1, NULL);
            printf("%.9f\n", (now() - begun) / 20000.0);
        }
        vxe_sim_destroy(sim);
    } else {
        fprintf(stderr, "usage: drive control|step REPEATS, or drive batch THREADS FILE...\n");
        return EXIT_FAILURE;
    }
    vxe_model_destroy(model);
    return EXIT_SUCCESS;
}
