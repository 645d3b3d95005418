/* What became of a design: see outcome.h. */
#include "designs/outcome.h"

#include <math.h>

const char *vxe_outcome_status_name(outcome_status status)
{
    static const char *const names[] = {"done", "fault", "failed"};
    return names[status];
}

static void fill_fault(design_outcome *o, const vxe_sim *sim)
{
    const vxe_status *status = vxe_sim_status(sim);
    const vxe_model_view *view = vxe_model_get(vxe_sim_model(sim));
    o->fault_voxel = status->voxel;
    o->fault_time = status->time;
    o->fault_value = status->value;
    (void)snprintf(o->fault_cause, sizeof o->fault_cause, "%s", vxe_fault_name(status->fault));
    for (int a = 0; a < 3 && status->voxel >= 0 && status->voxel < view->voxel_count; a++)
        o->fault_cell[a] = view->cell[a][status->voxel];
}

void vxe_outcome_fill(design_outcome *o, vxe_sim *sim, const vxe_batch_end *end, design_watch *watch)
{
    const bool ran = sim != NULL && end->result == VXE_OK;
    o->status = !ran ? OUTCOME_FAILED : end->reason == VXE_RUN_FAULT ? OUTCOME_FAULT : OUTCOME_DONE;
    o->wall = end->seconds;
    o->finished = vxe_seconds(VXE_CLOCK_DAY);
    o->fault_voxel = -1;
    o->state_hash = 0;
    const char *reason = ran ? vxe_run_reason_name(end->reason) : vxe_result_name(end->result);
    (void)snprintf(o->reason, sizeof o->reason, "%s", reason);
    (void)snprintf(o->message, sizeof o->message, "%s", end->message);
    for (int i = 0; i < METRIC_COUNT; i++) o->metrics[i] = NAN;
    if (!ran) return;
    o->steps = vxe_sim_state(sim)->step;
    o->time = vxe_sim_time(sim);
    o->state_hash = vxe_sim_hash(sim);
    vxe_watch_end(watch, sim, o->metrics);
    if (o->status == OUTCOME_FAULT) fill_fault(o, sim);
}
