/* The arrays of a simulation, from their manifest. */
#include "sim/state.h"

#include "base/base.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* Vectors may reach this far beyond the last voxel. */
#define PADDING 16

const state_field vxe_state_fields[STATE_COUNT] = {
#define X(name, type, components, each, shape, when, flags, unit, writer)                                    \
    {#name, unit, writer, #type, sizeof(type), offsetof(vxe_sim, name), components, each, shape, when, flags},
    STATE_ARRAYS(X)
#undef X
};

state_id vxe_state_find(const char *name)
{
    int i = 0;
    while (i < STATE_COUNT && strcmp(vxe_state_fields[i].name, name) != 0) i++;
    return (state_id)i;
}

state_set vxe_state_with(unsigned flags)
{
    state_set set = 0;
    for (int i = 0; i < STATE_COUNT; i++) {
        if ((vxe_state_fields[i].flags & flags) != 0) set |= UINT64_C(1) << i;
    }
    return set;
}

static bool exists(const vxe_sim *sim, const state_field *f)
{
    const vxe_model *m = sim->model;
    bool held = false;
    for (int32_t v = 0; v < m->view.voxel_count && (f->when & WHEN_HELD) != 0 && !held; v++)
        held = m->fixed[v] != 0;
    const unsigned now = (sim->def.audit ? WHEN_AUDIT : 0U) | (m->nonlinear ? WHEN_NONLINEAR : 0U) |
                         (m->environment.elasticity == VXE_ELASTICITY_SOLID ? WHEN_SOLID : 0U) |
                         (m->environment.floor_radius > 0.0 ? WHEN_DISC : 0U) | (held ? WHEN_HELD : 0U) |
                         (m->outside ? WHEN_OUTSIDE : 0U);
    return (f->when & ~now) == 0;
}

size_t vxe_state_length(const vxe_sim *sim, state_id id)
{
    const state_field *f = &vxe_state_fields[id];
    const int32_t count = f->shape == PER_SUPPORT ? sim->model->held_count : sim->model->view.voxel_count;
    return (size_t)count * (size_t)f->each;
}

void *vxe_state_at(const vxe_sim *sim, state_id id, int component)
{
    void *array = NULL;
    const char *place = (const char *)sim + vxe_state_fields[id].place;
    memcpy(&array, place + (size_t)component * sizeof array, sizeof array); /* any pointer type */
    return array;
}

static void set_array(vxe_sim *sim, state_id id, int component, void *array)
{
    char *place = (char *)sim + vxe_state_fields[id].place;
    memcpy(place + (size_t)component * sizeof array, &array, sizeof array);
}

/* ---- memory ------------------------------------------------------------------------------------------------------- */

/* Doubles of voxels and links lie one behind the other, an odd number of cache lines apart: at a power of two
 * their elements of one voxel would all compete for the same places of the cache. */
static bool is_in_arena(const state_field *f) { return f->type[0] == 'd' && f->shape != PER_SUPPORT; }

vxe_result vxe_state_create(vxe_sim *sim, vxe_error *error)
{
    const size_t n = (size_t)sim->model->view.voxel_count;
    const size_t line = 64 / sizeof(double);
    const size_t spare = (n + PADDING + 15) / 16 * 16;
    const size_t stride = ((spare + SPARE_LANES * (size_t)sim->part_count + line - 1) / line | 1) * line;
    size_t count = 0;
    for (int i = 0; i < STATE_COUNT; i++) {
        const state_field *f = &vxe_state_fields[i];
        if (is_in_arena(f) && exists(sim, f)) count += (size_t)f->components;
    }
    if (stride > SIZE_MAX / sizeof(double) / count) return vxe_fail_memory(error, "the simulation", SIZE_MAX);
    sim->arena = vxe_allocate(count * stride, sizeof(double));
    if (sim->arena == NULL) return vxe_fail_memory(error, "the simulation", count * stride * sizeof(double));
    sim->stride = stride;
    sim->spare = (int32_t)spare;
    sim->bytes += count * stride * sizeof(double);
    double *at = sim->arena;
    for (int i = 0; i < STATE_COUNT; i++) {
        const state_field *f = &vxe_state_fields[i];
        for (int c = 0; c < f->components && exists(sim, f); c++) {
            const size_t length = vxe_state_length(sim, (state_id)i);
            void *array = at;
            if (is_in_arena(f)) {
                at += stride;
            } else {
                array = vxe_allocate(length + PADDING, f->size);
                if (array == NULL) return vxe_fail_memory(error, "the simulation", length * f->size);
                sim->bytes += length * f->size;
            }
            set_array(sim, (state_id)i, c, array);
        }
    }
    return VXE_OK;
}

void vxe_state_destroy(vxe_sim *sim)
{
    for (int i = 0; i < STATE_COUNT; i++) {
        const state_field *f = &vxe_state_fields[i];
        for (int c = 0; c < f->components && !is_in_arena(f); c++) free(vxe_state_at(sim, (state_id)i, c));
    }
    free(sim->arena);
}

void vxe_state_clear(vxe_sim *sim)
{
    for (int i = 0; i < STATE_COUNT; i++) {
        const state_field *f = &vxe_state_fields[i];
        const size_t bytes = vxe_state_length(sim, (state_id)i) * f->size;
        for (int c = 0; c < f->components; c++) {
            void *array = vxe_state_at(sim, (state_id)i, c);
            if (array != NULL) memset(array, 0, bytes);
        }
    }
    vxe_state_wrote(sim, vxe_state_with(STATE_DEVICE));
}

/* ---- where the newest is ------------------------------------------------------------------------------------------ */

void vxe_state_read(vxe_sim *sim, state_set arrays)
{
    const state_set missing = arrays & sim->host_old;
    if (missing == 0) return;
    sim->backend->download(sim, missing);
    sim->host_old &= ~missing;
}

void vxe_state_wrote(vxe_sim *sim, state_set arrays)
{
    sim->host_old &= ~arrays;
    sim->device_old |= arrays & sim->backend->keeps;
}

void vxe_state_give(vxe_sim *sim, state_set arrays)
{
    const state_set missing = arrays & sim->device_old;
    if (missing == 0) return;
    sim->backend->upload(sim, missing);
    sim->device_old &= ~missing;
}

void vxe_state_took(vxe_sim *sim, state_set arrays)
{
    sim->device_old &= ~arrays;
    sim->host_old |= arrays & sim->backend->keeps;
}
