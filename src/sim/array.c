/* The numbers of a simulation as arrays, out without a copy and in all at once. */
#include "sim/collide.h"
#include "sim/drive.h"

#include "base/base.h"
#include "voxelastic/drive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copies of what the model keeps in separate arrays, made when somebody asks for them. */
typedef struct sim_copies {
    double *start; /* (3 voxel_count), component after component */
    int32_t *cell; /* likewise */
} sim_copies;

typedef struct quantity_info {
    const char *name;
    const char *unit;
    vxe_type type;
    int32_t width; /* 0: one dimension */
} quantity_info;

static const quantity_info quantities[VXE_QUANTITY_COUNT] = {
    [VXE_QUANTITY_POSITION] = {"position", "m", VXE_TYPE_F64, 3},
    [VXE_QUANTITY_ORIENTATION] = {"orientation", "", VXE_TYPE_F64, 4},
    [VXE_QUANTITY_VELOCITY] = {"velocity", "m/s", VXE_TYPE_F64, 3},
    [VXE_QUANTITY_SPIN] = {"spin", "rad/s", VXE_TYPE_F64, 3},
    [VXE_QUANTITY_FORCE] = {"force", "N", VXE_TYPE_F64, 3},
    [VXE_QUANTITY_MOMENT] = {"moment", "N m", VXE_TYPE_F64, 3},
    [VXE_QUANTITY_CONTACT_FORCE] = {"contact_force", "N", VXE_TYPE_F64, 3},
    [VXE_QUANTITY_GROWTH] = {"growth", "", VXE_TYPE_F64, 0},
    [VXE_QUANTITY_PRESSURE] = {"pressure", "Pa", VXE_TYPE_F64, 0},
    [VXE_QUANTITY_STUCK] = {"stuck", "", VXE_TYPE_U8, 0},
    [VXE_QUANTITY_APPLIED_FORCE] = {"applied_force", "N", VXE_TYPE_F64, 3},
    [VXE_QUANTITY_START] = {"start", "m", VXE_TYPE_F64, 3},
    [VXE_QUANTITY_CELL] = {"cell", "", VXE_TYPE_I32, 3},
    [VXE_QUANTITY_MATERIAL] = {"material", "", VXE_TYPE_U16, 0},
    [VXE_QUANTITY_BODY] = {"body", "", VXE_TYPE_I32, 0},
    [VXE_QUANTITY_FIXED] = {"fixed", "", VXE_TYPE_U8, 0},
    [VXE_QUANTITY_ACTUATED] = {"actuated", "", VXE_TYPE_I32, 0},
};

static const quantity_info *info_of(vxe_quantity quantity)
{
    return (unsigned)quantity < VXE_QUANTITY_COUNT ? &quantities[quantity] : NULL;
}

const char *vxe_quantity_name(vxe_quantity quantity)
{
    const quantity_info *info = info_of(quantity);
    return info != NULL ? info->name : NULL;
}

static int64_t type_size(vxe_type type)
{
    switch (type) {
    case VXE_TYPE_F64: return 8;
    case VXE_TYPE_F32:
    case VXE_TYPE_I32: return 4;
    case VXE_TYPE_U16: return 2;
    case VXE_TYPE_U8: return 1;
    }
    return 0;
}

/* ---- memory ----------------------------------------------------------------------------------------------- */

vxe_result vxe_applied_prepare(vxe_sim *sim, vxe_error *error)
{
    if (sim->applied[0] != NULL) return VXE_OK;
    const size_t n = (size_t)sim->model->view.voxel_count;
    double *memory = vxe_allocate(3 * n + 1, sizeof *memory);
    if (memory == NULL) return vxe_fail_memory(error, "forces on voxels", 3 * n * sizeof *memory);
    for (size_t a = 0; a < 3; a++) sim->applied[a] = memory + a * n;
    sim->bytes += 3 * n * sizeof *memory;
    return VXE_OK;
}

void vxe_applied_reset(vxe_sim *sim)
{
    if (sim->applied[0] != NULL)
        memset(sim->applied[0], 0, 3 * (size_t)sim->model->view.voxel_count * sizeof(double));
}

bool vxe_applied_used(const vxe_sim *sim)
{
    bool used = false;
    for (int32_t v = 0; sim->applied[0] != NULL && v < sim->model->view.voxel_count && !used; v++)
        used = sim->applied[0][v] != 0.0 || sim->applied[1][v] != 0.0 || sim->applied[2][v] != 0.0;
    return used;
}

static vxe_result prepare_copies(vxe_sim *sim, vxe_error *error)
{
    if (sim->copies != NULL) return VXE_OK;
    const vxe_model_view *m = &sim->model->view;
    const size_t n = (size_t)m->voxel_count;
    sim_copies *copies = calloc(1, sizeof *copies);
    double *start = vxe_allocate(3 * n + 1, sizeof *start);
    int32_t *cell = vxe_allocate(3 * n + 1, sizeof *cell);
    if (copies == NULL || start == NULL || cell == NULL) {
        free(copies);
        free(start);
        free(cell);
        return vxe_fail_memory(error, "arrays of voxels", 3 * n * (sizeof *start + sizeof *cell));
    }
    for (size_t a = 0; a < 3; a++) {
        memcpy(start + a * n, m->start[a], n * sizeof *start);
        memcpy(cell + a * n, m->cell[a], n * sizeof *cell);
    }
    copies->start = start;
    copies->cell = cell;
    sim->copies = copies;
    sim->bytes += 3 * n * (sizeof *start + sizeof *cell);
    return VXE_OK;
}

void vxe_arrays_destroy(vxe_sim *sim)
{
    free(sim->applied[0]);
    if (sim->copies != NULL) {
        free(sim->copies->start);
        free(sim->copies->cell);
        free(sim->copies);
    }
}

/* ---- out -------------------------------------------------------------------------------------------------- */

/* Where a quantity lies: its first element, and how many bytes further the next component is. */
typedef struct place {
    const void *data;
    int64_t apart;
} place;

static place components(double *const parts[], int width)
{
    return (place){parts[0], width > 1 ? (parts[1] - parts[0]) * (int64_t)sizeof(double) : 0};
}

static place place_of(vxe_sim *sim, vxe_quantity quantity)
{
    const vxe_model_view *m = &sim->model->view;
    const int64_t n = m->voxel_count;
    switch (quantity) {
    case VXE_QUANTITY_POSITION: return components(sim->position, 3);
    case VXE_QUANTITY_ORIENTATION: return components(sim->orientation, 4);
    case VXE_QUANTITY_VELOCITY: return components(sim->velocity, 3);
    case VXE_QUANTITY_SPIN: return components(sim->spin, 3);
    case VXE_QUANTITY_FORCE: return components(sim->force, 3);
    case VXE_QUANTITY_MOMENT: return components(sim->moment, 3);
    case VXE_QUANTITY_CONTACT_FORCE: return components(sim->contact_force, 3);
    case VXE_QUANTITY_GROWTH: return components(sim->growth, 1);
    case VXE_QUANTITY_PRESSURE: return components(sim->pressure, 1);
    case VXE_QUANTITY_STUCK: return (place){sim->stuck[0], 0};
    case VXE_QUANTITY_APPLIED_FORCE: return components(sim->applied, 3);
    case VXE_QUANTITY_START: return (place){sim->copies->start, n * (int64_t)sizeof(double)};
    case VXE_QUANTITY_CELL: return (place){sim->copies->cell, n * (int64_t)sizeof(int32_t)};
    case VXE_QUANTITY_MATERIAL: return (place){m->material, 0};
    case VXE_QUANTITY_BODY: return (place){m->body, 0};
    case VXE_QUANTITY_FIXED: return (place){m->fixed, 0};
    case VXE_QUANTITY_ACTUATED: return (place){sim->model->actuated_voxel, 0};
    case VXE_QUANTITY_COUNT: break;
    }
    return (place){NULL, 0};
}

vxe_result vxe_sim_array(vxe_sim *sim, vxe_quantity quantity, vxe_array *array, vxe_error *error)
{
    const quantity_info *info = info_of(quantity);
    if (sim == NULL || array == NULL || info == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_array: NULL or a quantity that there is not");
    vxe_result result = VXE_OK;
    if (quantity == VXE_QUANTITY_APPLIED_FORCE) result = vxe_applied_prepare(sim, error);
    if (quantity == VXE_QUANTITY_START || quantity == VXE_QUANTITY_CELL) result = prepare_copies(sim, error);
    if (result != VXE_OK) return result;
    const place where = place_of(sim, quantity);
    const int64_t rows =
        quantity == VXE_QUANTITY_ACTUATED ? sim->model->actuated_count : sim->model->view.voxel_count;
    const int64_t size = type_size(info->type);
    *array = (vxe_array){.data = (void *)(uintptr_t)where.data,
                         .type = info->type,
                         .place = VXE_PLACE_HOST,
                         .dimensions = info->width > 0 ? 2 : 1,
                         .shape = {rows, info->width > 0 ? info->width : 1},
                         .strides = {size, info->width > 0 ? where.apart : size},
                         .unit = info->unit};
    return VXE_OK;
}

/* ---- in --------------------------------------------------------------------------------------------------- */

static double element(const vxe_array *array, int64_t row, int64_t column)
{
    const char *at = (const char *)array->data + row * array->strides[0] +
                     (array->dimensions > 1 ? column * array->strides[1] : 0);
    if (array->type == VXE_TYPE_F32) {
        float value = 0.0F;
        memcpy(&value, at, sizeof value);
        return (double)value;
    }
    double value = 0.0;
    memcpy(&value, at, sizeof value);
    return value;
}

static bool can_be_set(vxe_quantity quantity)
{
    return quantity == VXE_QUANTITY_POSITION || quantity == VXE_QUANTITY_ORIENTATION ||
           quantity == VXE_QUANTITY_VELOCITY || quantity == VXE_QUANTITY_SPIN ||
           quantity == VXE_QUANTITY_APPLIED_FORCE;
}

static vxe_result check_values(const vxe_sim *sim, vxe_quantity quantity, const vxe_array *values,
                               vxe_error *error)
{
    const quantity_info *info = info_of(quantity);
    if (info == NULL || !can_be_set(quantity)) {
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        "%s cannot be set; position, orientation, velocity, spin and applied_force can",
                        info != NULL ? info->name : "this quantity");
    }
    if (values->data == NULL || values->place != VXE_PLACE_HOST ||
        (values->type != VXE_TYPE_F64 && values->type != VXE_TYPE_F32))
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "%s is set from doubles or floats in host memory",
                        info->name);
    if (values->dimensions != 2 || values->shape[0] != sim->model->view.voxel_count ||
        values->shape[1] != info->width) {
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "%s is set from an array of shape (%d, %d)", info->name,
                        (int)sim->model->view.voxel_count, (int)info->width);
    }
    for (int64_t v = 0; v < values->shape[0]; v++) {
        double sum = 0.0;
        double square = 0.0;
        for (int64_t a = 0; a < info->width; a++) {
            const double value = element(values, v, a);
            sum += value;
            square += value * value;
        }
        if (!isfinite(sum))
            return vxe_fail(error, VXE_ERROR_INPUT, "%s of voxel %d is not finite", info->name, (int)v);
        if (quantity == VXE_QUANTITY_ORIENTATION && !(square > 1e-12 && isfinite(square)))
            return vxe_fail(error, VXE_ERROR_INPUT, "orientation of voxel %d is no quaternion", (int)v);
    }
    return VXE_OK;
}

/* Positions, velocities or spins, but for what is held. */
static void put_free(vxe_sim *sim, double *const target[3], const vxe_array *values, int first_dof)
{
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        for (int a = 0; a < 3; a++) {
            if ((vxe_held_by_scene(sim->model, v) >> (a + first_dof) & 1) == 0)
                target[a][v] = element(values, v, a);
        }
    }
}

static void put_orientation(vxe_sim *sim, const vxe_array *values)
{
    for (int32_t v = 0; v < sim->model->view.voxel_count; v++) {
        if ((vxe_held_by_scene(sim->model, v) & VXE_DOF_TURN) != 0) continue;
        double q[4];
        double square = 0.0;
        for (int i = 0; i < 4; i++) {
            q[i] = element(values, v, i);
            square += q[i] * q[i];
        }
        const double length = sqrt(square);
        for (int i = 0; i < 4; i++) sim->orientation[i][v] = q[i] / length;
    }
}

vxe_result vxe_sim_set_array(vxe_sim *sim, vxe_quantity quantity, const vxe_array *values, vxe_error *error)
{
    if (sim == NULL || values == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_set_array: NULL");
    vxe_result result = check_values(sim, quantity, values, error);
    if (result != VXE_OK) return result;
    if (quantity == VXE_QUANTITY_APPLIED_FORCE) {
        result = vxe_applied_prepare(sim, error);
        for (int32_t v = 0; v < sim->model->view.voxel_count && result == VXE_OK; v++) {
            for (int a = 0; a < 3; a++) sim->applied[a][v] = element(values, v, a);
        }
        if (result == VXE_OK) vxe_time_step_expect(sim, EDIT_LOADS);
        return result;
    }
    if (quantity == VXE_QUANTITY_POSITION) put_free(sim, sim->position, values, 0);
    if (quantity == VXE_QUANTITY_VELOCITY) put_free(sim, sim->velocity, values, 0);
    if (quantity == VXE_QUANTITY_SPIN) put_free(sim, sim->spin, values, 3);
    if (quantity == VXE_QUANTITY_ORIENTATION) put_orientation(sim, values);
    for (int32_t v = 0; v < sim->model->view.voxel_count;
         v++) { /* a push breaks the latch, and so does a lift */
        if (quantity == VXE_QUANTITY_POSITION || sim->velocity[0][v] != 0.0 || sim->velocity[1][v] != 0.0)
            sim->stuck[0][v] = 0;
    }
    sim->account.started = 0; /* it goes on from what it finds */
    vxe_collider_links_changed(sim);
    vxe_state_wrote(sim, STATE_SET(position) | STATE_SET(orientation) | STATE_SET(velocity) |
                             STATE_SET(spin) | STATE_SET(stuck));
    const bool placed = quantity == VXE_QUANTITY_POSITION || quantity == VXE_QUANTITY_ORIENTATION;
    if (placed) vxe_time_step_update(sim);
    vxe_time_step_expect(sim, placed ? EDIT_PLACES : EDIT_MOTION);
    return VXE_OK;
}
