/* The arrays of a simulation, from their manifest. */
#include "sim/state.h"

#include "base/base.h"
#include "sim/floor.h"

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
    bool edge = m->environment.floor_radius > 0.0;
    for (int32_t v = 0; v < m->view.voxel_count && (f->when & WHEN_DISC) != 0 && !edge; v++)
        edge = vxe_floor_start(m, v) > 0.0;
    const unsigned now = (sim->def.audit ? WHEN_AUDIT : 0U) | (m->nonlinear ? WHEN_NONLINEAR : 0U) |
                         (m->environment.elasticity == VXE_ELASTICITY_SOLID ? WHEN_SOLID : 0U) |
                         (edge ? WHEN_DISC : 0U) | (held ? WHEN_HELD : 0U) |
                         (m->outside ? WHEN_OUTSIDE : 0U) |
                         (m->world != NULL || m->rigid_count > 0 ? WHEN_GROUND : 0U) |
                         (m->has_water ? WHEN_WATER : 0U) | (m->rule_count > 0 ? WHEN_RULES : 0U);
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
    const size_t stride = ((spare + SPARE_LANES * (size_t)sim->threads + line - 1) / line | 1) * line;
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

static const sim_backend *machine_at(const vxe_sim *sim, state_place place)
{
    return place == ON_DEVICE ? sim->device : &sim->host;
}

/* What a place has memory for. */
static state_set kept_at(const vxe_sim *sim, state_place place)
{
    if (place == ON_HOST) return ~UINT64_C(0);
    return machine_at(sim, place) != NULL ? machine_at(sim, place)->keeps : 0;
}

void vxe_state_read(vxe_sim *sim, state_set arrays)
{
    state_set missing = arrays & sim->old[ON_HOST];
    sim->old[ON_HOST] &= ~missing;
    for (state_place place = ON_LOOPS; missing != 0 && place <= ON_DEVICE; place++) {
        const state_set there = missing & kept_at(sim, place) & ~sim->old[place];
        if (there != 0) machine_at(sim, place)->download(sim, there);
        missing &= ~there;
    }
}

void vxe_state_bring(vxe_sim *sim, state_place place, state_set arrays)
{
    const state_set own = arrays & kept_at(sim, place);
    const state_set missing = own & sim->old[place];
    vxe_state_read(sim, place == ON_HOST ? arrays : missing | (arrays & ~own));
    if (missing == 0 || place == ON_HOST) return;
    machine_at(sim, place)->upload(sim, missing);
    sim->old[place] &= ~missing;
}

void vxe_state_changed(vxe_sim *sim, state_place place, state_set arrays)
{
    const state_set own = arrays & kept_at(sim, place);
    const state_set elsewhere = arrays & ~own; /* changed where it lies: on the host */
    for (state_place p = ON_HOST; p <= ON_DEVICE; p++) {
        const state_set newer = (p == place ? 0 : own) | (p == ON_HOST ? 0 : elsewhere);
        sim->old[p] |= newer & kept_at(sim, p);
    }
    sim->old[place] &= ~own;
    sim->old[ON_HOST] &= ~elsewhere;
}

void vxe_state_wrote(vxe_sim *sim, state_set arrays)
{
    vxe_state_changed(sim, ON_HOST, arrays);
    sim->disturbed = true;
}
