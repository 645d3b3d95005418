/* The motion of all voxels as an NPZ file. See voxelastic/results.h.
 *
 * Each array grows in a file of its own that has no name, so that nothing is left behind by a run that is
 * killed, and goes into the archive as it is. */
#define _DEFAULT_SOURCE
#include "base/base.h"
#include "io/archive.h"
#include "io/npy.h"
#include "voxelastic/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TIME,
    STEP,
    POSITION,
    ORIENTATION,
    VELOCITY,
    STRAIN,
    STRESS,
    ENERGY,
    CONTACT_FORCE,
    GROWTH,
    ARRAY_COUNT
};

static const struct {
    const char *file;
    const char *type;
    int components; /* 0: one number per frame; 1: one per voxel, no third index */
} arrays[ARRAY_COUNT] = {
    [TIME] = {"time.npy", "<f8", 0},
    [STEP] = {"step.npy", "<i8", 0},
    [POSITION] = {"position.npy", "<f8", 3},
    [ORIENTATION] = {"orientation.npy", "<f4", 4},
    [VELOCITY] = {"velocity.npy", "<f4", 3},
    [STRAIN] = {"strain.npy", "<f4", 3},
    [STRESS] = {"stress.npy", "<f4", 3},
    [ENERGY] = {"energy.npy", "<f4", 1},
    [CONTACT_FORCE] = {"contact_force.npy", "<f4", 3},
    [GROWTH] = {"growth.npy", "<f4", 1},
};

struct vxe_trajectory {
    char *path;
    const vxe_model *model;
    int64_t frames;
    FILE *stream[ARRAY_COUNT];
    unsigned char *row; /* room for one frame of the largest array */
};

void vxe_trajectory_destroy(vxe_trajectory *t)
{
    if (t == NULL) return;
    for (int i = 0; i < ARRAY_COUNT; i++)
        if (t->stream[i] != NULL) (void)fclose(t->stream[i]);
    free(t->row);
    free(t->path);
    free(t);
}

static vxe_result fail_file(const vxe_trajectory *t, vxe_error *error)
{
    return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", t->path, strerror(errno != 0 ? errno : EIO));
}

/* A file beside `path` that vanishes when it is closed. */
static FILE *open_nameless(const char *path)
{
    char *name = NULL;
    const int descriptor = vxe_open_temporary(path, &name);
    FILE *stream = NULL;
    if (descriptor >= 0) {
        (void)unlink(name);
        stream = fdopen(descriptor, "w+b");
        if (stream == NULL) (void)close(descriptor);
    }
    free(name);
    return stream;
}

/* The header at the beginning of an array's file, which stays at its end. */
static bool put_header(const vxe_trajectory *t, int array)
{
    char header[NPY_HEADER];
    const int64_t shape[3] = {t->frames, vxe_model_get(t->model)->voxel_count, arrays[array].components};
    const int dimensions = arrays[array].components == 0 ? 1 : arrays[array].components == 1 ? 2 : 3;
    vxe_npy_print_header(header, arrays[array].type, shape, dimensions);
    return fseek(t->stream[array], 0, SEEK_SET) == 0 &&
           fwrite(header, 1, sizeof header, t->stream[array]) == sizeof header &&
           fseek(t->stream[array], 0, SEEK_END) == 0;
}

vxe_result vxe_trajectory_create(const vxe_sim *sim, const char *path, vxe_trajectory **trajectory,
                                 vxe_error *error)
{
    if (sim == NULL || path == NULL || trajectory == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_trajectory_create: NULL");
    vxe_trajectory *t = vxe_allocate(1, sizeof *t);
    const size_t voxels = (size_t)vxe_model_get(vxe_sim_model(sim))->voxel_count;
    if (t != NULL) {
        t->model = vxe_sim_model(sim);
        t->path = malloc(strlen(path) + 1);
        t->row = vxe_allocate(3 * voxels, sizeof(double));
    }
    if (t == NULL || t->path == NULL || t->row == NULL) {
        vxe_trajectory_destroy(t);
        return vxe_fail_memory(error, path, 3 * voxels * sizeof(double));
    }
    memcpy(t->path, path, strlen(path) + 1);
    for (int i = 0; i < ARRAY_COUNT; i++) {
        errno = 0;
        t->stream[i] = open_nameless(path);
        if (t->stream[i] != NULL && put_header(t, i)) continue;
        const vxe_result result = fail_file(t, error);
        vxe_trajectory_destroy(t);
        return result;
    }
    *trajectory = t;
    return VXE_OK;
}

static void put_bytes(unsigned char *target, const void *value, size_t size)
{
    uint64_t bits = 0; /* little endian on every machine */
    if (size == 8) {
        memcpy(&bits, value, 8);
    } else {
        uint32_t half = 0;
        memcpy(&half, value, 4);
        bits = half;
    }
    for (size_t i = 0; i < size; i++) target[i] = (unsigned char)(bits >> (8 * i));
}

/* One frame of an array: components of all voxels. */
static bool add_frame(const vxe_trajectory *t, int array, const double *const *source)
{
    const size_t voxels = (size_t)vxe_model_get(t->model)->voxel_count;
    const size_t components = (size_t)arrays[array].components;
    const size_t item = arrays[array].type[2] == '8' ? 8 : 4;
    unsigned char *target = t->row;
    for (size_t v = 0; v < voxels; v++) {
        for (size_t c = 0; c < components; c++, target += item) {
            const float single = (float)source[c][v];
            put_bytes(target, item == 8 ? (const void *)&source[c][v] : (const void *)&single, item);
        }
    }
    const size_t size = voxels * components * item;
    return fwrite(t->row, 1, size, t->stream[array]) == size;
}

static bool add_scalar(const vxe_trajectory *t, int array, const void *value)
{
    unsigned char bytes[8];
    put_bytes(bytes, value, 8);
    return fwrite(bytes, 1, 8, t->stream[array]) == 8;
}

vxe_result vxe_trajectory_add(vxe_trajectory *t, vxe_sim *sim, vxe_error *error)
{
    if (t == NULL || sim == NULL || vxe_sim_model(sim) != t->model)
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        "vxe_trajectory_add: a trajectory and a simulation of its model");
    const vxe_voxels *voxels = NULL;
    const vxe_result result = vxe_sim_voxels(sim, &voxels, error);
    if (result != VXE_OK || voxels == NULL) return result;
    const vxe_state *s = vxe_sim_state(sim);
    errno = 0;
    for (int i = 0; i < ARRAY_COUNT; i++) /* writing the archive has read it */
        if (fseek(t->stream[i], 0, SEEK_END) != 0) return fail_file(t, error);
    const bool good = add_scalar(t, TIME, &s->time) && add_scalar(t, STEP, &s->step) &&
                      add_frame(t, POSITION, s->position) && add_frame(t, ORIENTATION, s->orientation) &&
                      add_frame(t, VELOCITY, s->velocity) && add_frame(t, STRAIN, voxels->strain) &&
                      add_frame(t, STRESS, voxels->stress) && add_frame(t, ENERGY, &voxels->energy) &&
                      add_frame(t, CONTACT_FORCE, s->contact_force) && add_frame(t, GROWTH, &s->growth);
    if (!good) return fail_file(t, error);
    t->frames++;
    return VXE_OK;
}

/* What does not change: cells, materials, start and pitch. Freed by free(); NULL: no memory. */
static unsigned char *print_constants(const vxe_trajectory *t, archive_part parts[4])
{
    static const char *const names[4] = {"cell.npy", "material.npy", "start.npy", "pitch.npy"};
    static const char *const kinds[4] = {"<i4", "<u2", "<f8", "<f8"};
    static const int dimensions[4] = {2, 1, 2, 0};
    const vxe_model_view *m = vxe_model_get(t->model);
    const size_t n = (size_t)m->voxel_count;
    const size_t bytes[4] = {12 * n, 2 * n, 24 * n, 8};
    const int64_t shape[2] = {m->voxel_count, 3};
    unsigned char *data = malloc(4 * NPY_HEADER + bytes[0] + bytes[1] + bytes[2] + bytes[3]);
    unsigned char *at = data;
    if (data == NULL) return NULL;
    for (int p = 0; p < 4; p++) {
        parts[p] = (archive_part){names[p], at, NPY_HEADER + bytes[p], NULL};
        vxe_npy_print_header((char *)at, kinds[p], shape, dimensions[p]);
        unsigned char *items = at + NPY_HEADER;
        for (size_t v = 0; p < 3 && v < n; v++) {
            if (p == 1) {
                items[2 * v] = (unsigned char)(m->material[v] & 0xff);
                items[2 * v + 1] = (unsigned char)(m->material[v] >> 8);
            }
            for (size_t a = 0; a < 3; a++) {
                if (p == 0) put_bytes(items + 4 * (3 * v + a), &m->cell[a][v], 4);
                if (p == 2) put_bytes(items + 8 * (3 * v + a), &m->start[a][v], 8);
            }
        }
        if (p == 3) put_bytes(items, &m->pitch, 8);
        at += NPY_HEADER + bytes[p];
    }
    return data;
}

vxe_result vxe_trajectory_write(vxe_trajectory *t, vxe_error *error)
{
    if (t == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_trajectory_write: NULL");
    archive_part parts[ARRAY_COUNT + 4];
    errno = 0;
    for (int i = 0; i < ARRAY_COUNT; i++) {
        if (!put_header(t, i) || fflush(t->stream[i]) != 0) return fail_file(t, error);
        parts[i] = (archive_part){arrays[i].file, NULL, 0, t->stream[i]};
    }
    unsigned char *constants = print_constants(t, parts + ARRAY_COUNT);
    if (constants == NULL) return vxe_fail_memory(error, t->path, 40);
    const vxe_result result = vxe_archive_write(t->path, parts, ARRAY_COUNT + 4, error);
    free(constants);
    return result;
}
