/* Targets: sizes that somebody outside asks single voxels to take, reached along a straight line in time so
 * that no step sees a jump. They write the same growth as the signals do, so the account books their work as
 * that of actuation. */
#include "sim/drive.h"

#include "base/base.h"
#include "voxelastic/drive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

vxe_result vxe_control_prepare(vxe_sim *sim, vxe_error *error)
{
    if (sim->control != NULL) return VXE_OK;
    const size_t count = (size_t)sim->model->actuated_count;
    sim_control *c = calloc(1, sizeof *c);
    double *memory = vxe_allocate(4 * count + 1, sizeof *memory);
    if (c == NULL || memory == NULL) {
        free(c);
        free(memory);
        return vxe_fail_memory(error, "targets", 4 * count * sizeof *memory);
    }
    c->from = memory;
    c->to = memory + count;
    c->begin = memory + 2 * count;
    c->rate = memory + 3 * count;
    sim->control = c;
    sim->bytes += 4 * count * sizeof *memory;
    vxe_control_reset(sim);
    return VXE_OK;
}

void vxe_control_destroy(vxe_sim *sim)
{
    if (sim->control == NULL) return;
    free(sim->control->from);
    free(sim->control);
    sim->control = NULL;
}

bool vxe_control_used(const vxe_sim *sim)
{
    bool used = false;
    for (int32_t i = 0; sim->control != NULL && i < sim->model->actuated_count && !used; i++)
        used = sim->control->rate[i] != 0.0;
    return used;
}

void vxe_control_reset(vxe_sim *sim)
{
    sim_control *c = sim->control;
    if (c == NULL) return;
    for (int32_t i = 0; i < sim->model->actuated_count; i++) {
        c->from[i] = 0.0;
        c->to[i] = NAN;
        c->begin[i] = 0.0;
        c->rate[i] = 0.0;
    }
    c->whole = false;
}

void vxe_control_review(vxe_sim *sim)
{
    sim_control *c = sim->control;
    if (c == NULL) return;
    c->whole = sim->model->actuated_count > 0;
    for (int32_t i = 0; i < sim->model->actuated_count; i++) {
        if (c->rate[i] == 0.0 || isnan(c->to[i])) c->whole = false;
    }
}

void vxe_control_apply(const vxe_sim *sim, double time, double *growth)
{
    const vxe_model *m = sim->model;
    const sim_control *c = sim->control;
    for (int32_t i = 0; i < m->actuated_count; i++) {
        const double rate = c->rate[i];
        if (rate == 0.0) continue;
        const int32_t v = m->actuated_voxel[i];
        const double since = time - c->begin[i];
        const double part = since > 0.0 ? rate * since : rate > 1e300 ? 1.0 : 0.0;
        const double to = isnan(c->to[i]) ? growth[v] : c->to[i];
        growth[v] = part < 1.0 ? c->from[i] + part * (to - c->from[i]) : to;
    }
}

int32_t vxe_sim_actuated_count(const vxe_sim *sim) { return sim != NULL ? sim->model->actuated_count : 0; }

int32_t vxe_find_actuated(const vxe_model *m, int32_t voxel)
{
    int32_t low = 0;
    int32_t high = m->actuated_count - 1;
    while (low <= high) {
        const int32_t middle = low + (high - low) / 2;
        if (m->actuated_voxel[middle] == voxel) return middle;
        if (m->actuated_voxel[middle] < voxel) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}

static vxe_result check_targets(const vxe_sim *sim, const int32_t *voxels, int32_t count,
                                const double *targets, vxe_error *error)
{
    const vxe_model *m = sim->model;
    if (voxels == NULL && count != m->actuated_count) {
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "%d targets were given for %d actuated voxels", (int)count,
                        (int)m->actuated_count);
    }
    for (int32_t i = 0; i < count; i++) {
        if (isinf(targets[i])) return vxe_fail(error, VXE_ERROR_INPUT, "target %d is infinite", (int)i);
        if (voxels == NULL) continue;
        if (voxels[i] < 0 || voxels[i] >= m->view.voxel_count)
            return vxe_fail(error, VXE_ERROR_ARGUMENT, "voxel %d does not exist", (int)voxels[i]);
        if (vxe_find_actuated(m, voxels[i]) < 0) {
            return vxe_fail(error, VXE_ERROR_ARGUMENT,
                            "voxel %d at (%d,%d,%d) is not actuated: its material (\"%s\") has no expansion "
                            "that a signal drives",
                            (int)voxels[i], (int)m->cell[0][voxels[i]], (int)m->cell[1][voxels[i]],
                            (int)m->cell[2][voxels[i]],
                            vxe_model_material_name(m, m->view.material[voxels[i]]));
        }
    }
    return VXE_OK;
}

vxe_result vxe_sim_set_targets(vxe_sim *sim, vxe_target kind, const int32_t *voxels, int32_t count,
                               const double *targets, double ramp, vxe_error *error)
{
    if (sim == NULL || count < 0 || (targets == NULL && count > 0))
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_set_targets: NULL or a negative number");
    if (kind != VXE_TARGET_SIZE && kind != VXE_TARGET_TEMPERATURE)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "target kind %d is not known", (int)kind);
    if (!(ramp >= 0.0) || !isfinite(ramp))
        return vxe_fail(error, VXE_ERROR_INPUT, "ramp %g s is negative or not finite", ramp);
    vxe_result result = check_targets(sim, voxels, count, targets, error);
    if (result == VXE_OK) result = vxe_control_prepare(sim, error);
    if (result != VXE_OK) return result;
    /* where the sizes are at this moment, which begins the next step: the arrays show the one before */
    double *now = sim->scratch[0];
    memcpy(now, sim->growth[0], (size_t)sim->model->view.voxel_count * sizeof *now);
    vxe_growth_at(sim, sim->time, now);
    sim_control *c = sim->control;
    const double rate = ramp > 0.0 && 1.0 / ramp < 1e300 ? 1.0 / ramp : INFINITY;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = voxels != NULL ? vxe_find_actuated(sim->model, voxels[k]) : k;
        const double target = targets[k];
        if (isnan(target) && c->rate[i] == 0.0) continue; /* the signal rules already */
        c->from[i] = now[sim->model->actuated_voxel[i]];
        c->to[i] = isnan(target)                    ? NAN
                   : kind == VXE_TARGET_TEMPERATURE ? vxe_growth_of_temperature(sim, i, target)
                                                    : vxe_growth_limited(sim, i, target - 1.0);
        c->begin[i] = sim->time;
        c->rate[i] = rate;
    }
    vxe_control_review(sim);
    vxe_time_step_expect(sim, EDIT_LOADS);
    return VXE_OK;
}

void vxe_sim_targets(const vxe_sim *sim, double *targets)
{
    if (sim == NULL || targets == NULL) return;
    for (int32_t i = 0; i < sim->model->actuated_count; i++)
        targets[i] = sim->control != NULL && sim->control->rate[i] != 0.0 ? 1.0 + sim->control->to[i] : NAN;
}
