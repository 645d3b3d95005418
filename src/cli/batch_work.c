/* Workers of `batch`: each makes, runs and measures one design after the other. */
#include "cli/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A design on a worker. */
typedef struct flight {
    batch_task task;
    vxe_scene *scene; /* the batch's */
    vxe_stop stop;
    design_watch watch;
    design_outcome outcome; /* here, so that there is memory for it at the end */
} flight;

void batch_task_free(batch_task *task)
{
    vxe_plan_free(&task->plan);
    vxe_item_free(&task->item);
}

void batch_outcome_begin(design_outcome *o, batch_task *task, bool text)
{
    memcpy(o->hash, task->plan.hash, sizeof o->hash);
    memcpy(o->id, task->plan.id, sizeof o->id);
    o->number = task->item.number;
    o->repeat = task->repeat;
    o->is_file = task->item.file != NULL;
    if (!text || task->item.too_long) return;
    char **from = o->is_file ? &task->item.file : &task->item.text;
    o->text = *from;
    *from = NULL;
}

static vxe_result make(void *user, int64_t index, vxe_design *design, vxe_error *error)
{
    const batch_port *port = user;
    flight *f = calloc(1, sizeof *f);
    (void)index;
    if (f == NULL) return vxe_fail_memory(error, "a design", sizeof *f); /* nothing was taken */
    if (!port->take(port->user, &f->task)) {
        free(f);
        design->none = true;
        return VXE_OK;
    }
    design->context = f;
    *design->settings = port->options->designs.sim;
    vxe_result result = f->task.problem.code;
    if (result != VXE_OK) {
        *error = f->task.problem;
        return result;
    }
    result = vxe_plan_scene(port->reader, &f->task.plan, f->task.repeat, &design->scene, design->stop, error);
    f->scene = design->scene;
    f->stop = *design->stop;
    return result;
}

static vxe_result look(void *user, int64_t index, vxe_sim *sim, void *context, double *next, vxe_error *error)
{
    flight *f = context;
    (void)user;
    (void)index;
    const vxe_result result = f->watch.figures == NULL
                                  ? vxe_watch_begin(&f->watch, sim, f->scene, &f->stop, error)
                                  : vxe_watch_look(&f->watch, sim, error);
    *next = result == VXE_OK ? vxe_watch_next(&f->watch) : INFINITY;
    return result;
}

static void ended(void *user, int64_t index, vxe_sim *sim, vxe_batch_end *end)
{
    const batch_port *port = user;
    flight *f = end->context;
    (void)index;
    if (f == NULL) return;
    if (end->cancelled) {
        port->give(port->user, &f->task, NULL);
    } else {
        batch_outcome_begin(&f->outcome, &f->task, !port->options->no_designs);
        vxe_outcome_fill(&f->outcome, sim, end, &f->watch);
        port->give(port->user, &f->task, &f->outcome);
    }
    vxe_watch_free(&f->watch);
    batch_task_free(&f->task);
    free(f);
}

vxe_result batch_work_start(const batch_port *port, int32_t threads, vxe_batch **batch, vxe_error *error)
{
    vxe_batch_def def = vxe_default_batch_def();
    def.threads = threads;
    if (port->options->designs.sim.device != VXE_DEVICE_CPU) def.together = VXE_TOGETHER_GPU;
    def.user = (void *)(uintptr_t)port;
    def.make = make;
    def.look = look;
    def.ended = ended;
    vxe_result result = vxe_batch_create(&def, batch, error);
    if (result == VXE_OK) result = vxe_batch_add(*batch, INT64_MAX, error);
    return result;
}
