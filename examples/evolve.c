/* Evolves the phases of a walker's muscles, and can be killed at any time: started again with the same file,
 * it goes on and ends with the same best robot.
 *
 *     evolve [GENERATIONS [FILE]]      4 generations, evolve.state
 *
 * The state is one small file, replaced whole after each generation: the generation, and for every parent its
 * genes and its fitness. Random numbers depend only on generation and place, so nothing else needs to be
 * kept.
 */
#include <voxelastic/voxelastic.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH 5
#define WIDTH 4
#define HEIGHT 3
#define CELLS (LENGTH * WIDTH * HEIGHT)
#define PARENTS 8
#define CHILDREN 24

typedef struct robot {
    double phase[CELLS]; /* cycles */
    double distance;     /* m; -1: it failed */
    uint64_t hash;       /* of its last state */
} robot;

typedef struct evolution {
    char magic[8];
    int64_t generation;
    robot parents[PARENTS];
} evolution;

/* What a batch works on: parents of the first generation, or children of later ones. */
typedef struct brood {
    const evolution *evolution;
    robot robots[CHILDREN];
} brood;

static double uniform(uint64_t *state) /* SplitMix64 */
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* A child of a parent that is drawn by lot; random in the first generation. */
static void breed(const evolution *e, int64_t index, robot *child)
{
    uint64_t state = (uint64_t)(e->generation * CHILDREN + index + 1);
    memset(child, 0, sizeof *child);
    if (e->generation > 0) *child = e->parents[(int)(uniform(&state) * PARENTS)];
    for (int n = 0; n < CELLS; n++) {
        if (e->generation == 0) {
            child->phase[n] = uniform(&state);
        } else if (uniform(&state) < 0.15) {
            child->phase[n] += 0.4 * (uniform(&state) - 0.5);
        }
    }
}

/* A table on four legs, all muscle. */
static vxe_result make(void *user, int64_t index, vxe_design *design, vxe_error *error)
{
    brood *b = user;
    const int64_t place = index % CHILDREN; /* the batch numbers all generations in one go */
    breed(b->evolution, place, &b->robots[place]);
    vxe_result result = vxe_scene_create(0.01, LENGTH, WIDTH, HEIGHT, &design->scene, error);
    if (result != VXE_OK) return result;
    vxe_material_def muscle = vxe_default_material_def();
    muscle.youngs_modulus = 1e5;
    muscle.expansion = 0.01;
    result = vxe_scene_add_material(design->scene, &muscle, NULL, error);
    if (result != VXE_OK) return result;
    uint16_t cells[CELLS];
    for (int n = 0; n < CELLS; n++) {
        const int i = n % LENGTH;
        const int j = n / LENGTH % WIDTH;
        const bool leg = (i == 0 || i == LENGTH - 1) && (j == 0 || j == WIDTH - 1);
        cells[n] = n >= LENGTH * WIDTH * (HEIGHT - 1) || leg ? 1 : 0;
    }
    const int32_t first[3] = {0, 0, 0};
    const int32_t size[3] = {LENGTH, WIDTH, HEIGHT};
    result = vxe_scene_set_voxels(design->scene, first, size, cells, error);
    if (result == VXE_OK)
        result =
            vxe_scene_set_actuations(design->scene, first, size, b->robots[place].phase, NULL, NULL, error);
    vxe_signal_def signal = vxe_default_signal_def();
    signal.amplitude = 15.0;
    signal.period = 0.2;
    if (result == VXE_OK) result = vxe_scene_add_signal(design->scene, &signal, NULL, error);
    vxe_environment environment = vxe_default_environment();
    environment.gravity[2] = -9.81;
    environment.floor = true;
    if (result == VXE_OK) result = vxe_scene_set_environment(design->scene, &environment, error);
    design->stop->time = 0.8;
    design->settings->audit = false;
    return result;
}

static void ended(void *user, int64_t index, vxe_sim *sim, vxe_batch_end *end)
{
    brood *b = user;
    robot *own = &b->robots[index % CHILDREN];
    own->distance = -1.0;
    if (end->reason != VXE_RUN_TIME) return;
    double center[3];
    vxe_sim_center_of_mass(sim, center);
    own->distance = hypot(center[0] - 0.5 * 0.01 * LENGTH, center[1] - 0.5 * 0.01 * WIDTH);
    own->hash = vxe_sim_hash(sim);
}

static int better(const void *first, const void *second)
{
    const double a = ((const robot *)first)->distance;
    const double b = ((const robot *)second)->distance;
    return (a < b) - (a > b);
}

/* The best of parents and children; parents first, so that ties are decided the same way every time. */
static void select_parents(evolution *e, const brood *b)
{
    robot all[PARENTS + CHILDREN];
    const int old = e->generation > 0 ? PARENTS : 0;
    memcpy(all, e->parents, (size_t)old * sizeof *all);
    memcpy(all + old, b->robots, sizeof b->robots);
    qsort(all, (size_t)(old + CHILDREN), sizeof *all, better);
    memcpy(e->parents, all, sizeof e->parents);
    e->generation++;
}

static bool load(evolution *e, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    const bool whole = fread(e, sizeof *e, 1, file) == 1 && memcmp(e->magic, "EVOLVE1", 8) == 0;
    fclose(file);
    return whole;
}

/* Written beside and renamed: there is always a whole file. */
static bool save(const evolution *e, const char *path)
{
    char beside[4096];
    snprintf(beside, sizeof beside, "%s.new", path);
    FILE *file = fopen(beside, "wb");
    if (file == NULL) return false;
    const bool whole = fwrite(e, sizeof *e, 1, file) == 1;
    return fclose(file) == 0 && whole && rename(beside, path) == 0;
}

int main(int argc, char **argv)
{
    const long generations = argc > 1 ? strtol(argv[1], NULL, 10) : 4;
    const char *path = argc > 2 ? argv[2] : "evolve.state";
    static evolution e;
    static brood b;
    b.evolution = &e;
    if (load(&e, path)) {
        printf("going on after generation %lld\n", (long long)e.generation);
    } else {
        memset(&e, 0, sizeof e);
        memcpy(e.magic, "EVOLVE1", 8);
    }
    vxe_error error;
    vxe_batch *batch = NULL;
    vxe_batch_def def = vxe_default_batch_def();
    def.user = &b;
    def.make = make;
    def.ended = ended;
    if (vxe_batch_create(&def, &batch, &error) != VXE_OK) {
        fprintf(stderr, "evolve: %s\n", error.message);
        return EXIT_FAILURE;
    }
    while (e.generation < generations) {
        (void)vxe_batch_add(batch, CHILDREN, &error);
        (void)vxe_batch_wait(batch, -1.0);
        select_parents(&e, &b);
        if (!save(&e, path)) {
            fprintf(stderr, "evolve: cannot write %s\n", path);
            return EXIT_FAILURE;
        }
        printf("generation %lld: best %.2f mm\n", (long long)e.generation, 1e3 * e.parents[0].distance);
        fflush(stdout);
    }
    printf("best robot %016llx: %.2f mm\n", (unsigned long long)e.parents[0].hash,
           1e3 * e.parents[0].distance);
    vxe_batch_destroy(batch);
    return EXIT_SUCCESS;
}
