/* Populations: the library's batch with scenes, controllers and fitness of Python. Without a controller and
 * with a fitness of the library no worker ever waits for the interpreter. */
#include "core.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a design is judged by. */
typedef enum fitness_kind {
    FITNESS_DISTANCE, /* m; horizontal way of the measured centre of mass */
    FITNESS_X,        /* m */
    FITNESS_Y,        /* m */
    FITNESS_Z,        /* m */
    FITNESS_FORMULA,  /* the scene's */
    FITNESS_CALL      /* a Python callable */
} fitness_kind;

typedef struct outcome {
    struct outcome *next;
    int64_t index;
    vxe_batch_end end;
    double fitness;
    uint64_t hash;
    int64_t steps;
    double time;
    PyObject *value;  /* what fitness() returned beside; NULL: nothing */
    PyObject *raised; /* an exception of Python code; NULL: none */
    char message[1024];
} outcome;

/* A design that Python code looks at. */
typedef struct flying {
    PyObject *sim;  /* core_sim; NULL: not yet */
    PyObject *user; /* what `enter` returned for it */
    double start[3];
} flying;

typedef struct core_batch {
    PyObject_HEAD vxe_batch *batch;
    PyObject *scenes;          /* list of core_scene: keeps them */
    const vxe_scene **designs; /* what is in them, for workers that do not hold the interpreter's lock */
    PyObject *control, *fitness, *enter;
    fitness_kind kind;
    vxe_sim_def settings;
    vxe_stop stop;
    double every;
    flying *flights;      /* (scenes) */
    PyObject **raised;    /* exceptions of controllers, (scenes) */
    pthread_mutex_t lock; /* of the list */
    outcome *first, *last;
} core_batch;

/* How often the library looks where nobody controls: at the start only. */
#define ONLY_ONCE 1e300

static vxe_result make(void *user, int64_t index, vxe_design *design, vxe_error *error)
{
    core_batch *self = user;
    *design->settings = self->settings;
    *design->stop = self->stop;
    const vxe_result result = vxe_compile(self->designs[index], &design->model, error);
    if (result == VXE_OK && !(design->stop->time > 0.0)) {
        *design->stop = vxe_model_stop(design->model);
        if (!(design->stop->time > 0.0) && design->stop->steps == 0 && !(design->stop->cycles > 0.0)) {
            error->code = VXE_ERROR_INPUT;
            (void)snprintf(error->message, sizeof error->message,
                           "neither evaluate(time=...) nor the scene says when to stop");
            return VXE_ERROR_INPUT;
        }
    }
    design->control_every = self->control != NULL ? self->every : ONLY_ONCE;
    return result;
}

/* The Python object of a design, made when Python code first sees it. Its simulation is the batch's until
 * ended() keeps it. */
static core_sim *sim_of(core_batch *self, int64_t index, vxe_sim *sim)
{
    flying *f = &self->flights[index];
    if (f->sim == NULL) {
        f->sim = core_wrap_sim((vxe_model *)(uintptr_t)vxe_sim_model(sim), sim);
        if (f->sim != NULL && self->enter != NULL) {
            f->user = PyObject_CallFunction(self->enter, "LO", (long long)index, f->sim);
            if (f->user == NULL) return NULL;
        }
    }
    return (core_sim *)f->sim;
}

static PyObject *take_exception(void)
{
    PyObject *type = NULL;
    PyObject *value = NULL;
    PyObject *trace = NULL;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value != NULL && trace != NULL) (void)PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
}

static vxe_result control(void *user, int64_t index, vxe_sim *sim, bool *stop, vxe_error *error)
{
    core_batch *self = user;
    if (!(vxe_sim_time(sim) > 0.0)) vxe_sim_measured_center(sim, self->flights[index].start);
    if (self->control == NULL) return VXE_OK;
    vxe_result result = VXE_ERROR_ARGUMENT;
    const PyGILState_STATE state = PyGILState_Ensure();
    core_sim *own = sim_of(self, index, sim);
    if (own != NULL) {
        own->busy = 0;
        PyObject *user_object = self->flights[index].user;
        PyObject *answer = PyObject_CallFunctionObjArgs(
            self->control, user_object != NULL ? user_object : (PyObject *)own, NULL);
        own->busy = 1;
        if (answer != NULL) {
            *stop = answer == Py_False;
            Py_DECREF(answer);
            /* until the next call: what Sim.run(until=...) takes, to the last bit */
            const double now = vxe_sim_time(sim);
            const double next = self->every * (floor(now / self->every + 0.5) + 1.0);
            result = core_send_targets(own, next - now, error);
        }
    }
    if (PyErr_Occurred()) {
        self->raised[index] = take_exception();
        error->code = VXE_ERROR_ARGUMENT;
        (void)snprintf(error->message, sizeof error->message, "the controller raised an exception");
    }
    PyGILState_Release(state);
    return result;
}

static double library_fitness(const core_batch *self, int64_t index, vxe_sim *sim)
{
    const double *start = self->flights[index].start;
    double end[3];
    vxe_sim_measured_center(sim, end);
    switch (self->kind) {
    case FITNESS_DISTANCE: return hypot(end[0] - start[0], end[1] - start[1]);
    case FITNESS_X: return end[0] - start[0];
    case FITNESS_Y: return end[1] - start[1];
    case FITNESS_Z: return end[2] - start[2];
    case FITNESS_FORMULA: return vxe_sim_formula(sim, VXE_FORMULA_FITNESS, start);
    case FITNESS_CALL: break;
    }
    return NAN;
}

/* With the interpreter's lock. */
static void call_fitness(core_batch *self, outcome *o, core_sim *own)
{
    PyObject *user_object = self->flights[o->index].user;
    PyObject *answer = PyObject_CallFunctionObjArgs(
        self->fitness, user_object != NULL ? user_object : (PyObject *)own, NULL);
    if (answer != NULL) {
        o->fitness = PyFloat_AsDouble(answer);
        Py_DECREF(answer);
    }
    if (PyErr_Occurred()) {
        o->raised = take_exception();
        o->fitness = NAN;
    }
}

static void ended(void *user, int64_t index, vxe_sim *sim, vxe_batch_end *end)
{
    core_batch *self = user;
    outcome *o = calloc(1, sizeof *o);
    if (o == NULL) { /* the design is missing from the results, and evaluate() says so */
        end->keep = self->flights[index].sim != NULL;
        return;
    }
    o->index = index;
    o->fitness = NAN;
    (void)snprintf(o->message, sizeof o->message, "%s", end->message);
    const bool well = sim != NULL && end->result == VXE_OK && end->reason != VXE_RUN_FAULT && !end->cancelled;
    if (sim != NULL) {
        o->hash = vxe_sim_hash(sim);
        o->steps = vxe_sim_state(sim)->step;
        o->time = vxe_sim_time(sim);
    }
    if (well && self->kind != FITNESS_CALL) o->fitness = library_fitness(self, index, sim);
    if (self->flights[index].sim != NULL || self->raised[index] != NULL ||
        (well && self->kind == FITNESS_CALL)) {
        const PyGILState_STATE state = PyGILState_Ensure();
        o->raised = self->raised[index];
        self->raised[index] = NULL;
        core_sim *own = sim != NULL ? sim_of(self, index, sim) : NULL;
        if (own != NULL) {
            own->busy = 0;
            end->keep = true; /* it is the Python object's now */
            if (well && self->kind == FITNESS_CALL) call_fitness(self, o, own);
        }
        if (PyErr_Occurred() && o->raised == NULL) o->raised = take_exception();
        PyErr_Clear();
        Py_CLEAR(self->flights[index].user);
        Py_CLEAR(self->flights[index].sim);
        PyGILState_Release(state);
    }
    o->end = *end;
    (void)pthread_mutex_lock(&self->lock);
    if (self->last != NULL) {
        self->last->next = o;
    } else {
        self->first = o;
    }
    self->last = o;
    (void)pthread_mutex_unlock(&self->lock);
}

/* create(scenes, settings, time, every, threads, fitness, control, enter): starts at once */
static PyObject *batch_create(PyObject *type, PyObject *args)
{
    static const char *const kinds[] = {"distance", "x", "y", "z", "formula"};
    PyObject *scenes = NULL;
    PyObject *settings = NULL;
    PyObject *fitness = NULL;
    PyObject *controller = NULL;
    PyObject *enter = NULL;
    double time = 0.0;
    double every = 0.0;
    int threads = 0;
    (void)type;
    if (!PyArg_ParseTuple(args, "O!OddiOOO", &PyList_Type, &scenes, &settings, &time, &every, &threads,
                          &fitness, &controller, &enter))
        return NULL;
    vxe_sim_def def;
    if (!core_settings(settings, &def)) return NULL;
    vxe_gpu_info gpu;
    if (def.device == VXE_DEVICE_AUTO)
        def.device = vxe_gpu_describe(&gpu, NULL) == VXE_OK ? VXE_DEVICE_CUDA : VXE_DEVICE_CPU;
    const Py_ssize_t count = PyList_Size(scenes);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!PyObject_TypeCheck(PyList_GetItem(scenes, i), core.scene))
            return PyErr_Format(PyExc_TypeError, "element %zd is not a scene", i);
    }
    int kind = FITNESS_CALL;
    if (PyUnicode_Check(fitness)) {
        const char *name = PyUnicode_AsUTF8AndSize(fitness, NULL);
        for (int i = 0; i < FITNESS_CALL && name != NULL; i++) {
            if (strcmp(name, kinds[i]) == 0) kind = i;
        }
        if (kind == FITNESS_CALL)
            return PyErr_Format(
                PyExc_ValueError,
                "fitness '%s' is not known; there are distance, x, y, z, formula, or a callable",
                name != NULL ? name : "?");
    } else if (!PyCallable_Check(fitness)) {
        return PyErr_Format(PyExc_TypeError, "fitness must be a name or a callable that takes a Sim");
    }
    core_batch *self = PyObject_New(core_batch, core.batch);
    if (self == NULL) return NULL;
    memset((char *)self + sizeof(PyObject), 0, sizeof *self - sizeof(PyObject));
    (void)pthread_mutex_init(&self->lock, NULL);
    self->scenes = PyList_GetSlice(scenes, 0, count);
    self->kind = (fitness_kind)kind;
    self->settings = def;
    self->stop = (vxe_stop){.time = time};
    self->every = every;
    self->flights = calloc((size_t)count + 1, sizeof *self->flights);
    self->raised = calloc((size_t)count + 1, sizeof(PyObject *));
    self->designs = calloc((size_t)count + 1, sizeof(vxe_scene *));
    if (kind == FITNESS_CALL) {
        Py_INCREF(fitness);
        self->fitness = fitness;
    }
    if (controller != Py_None) {
        Py_INCREF(controller);
        self->control = controller;
    }
    if (enter != Py_None) {
        Py_INCREF(enter);
        self->enter = enter;
    }
    if (self->scenes == NULL || self->flights == NULL || self->raised == NULL || self->designs == NULL) {
        Py_DECREF(self);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < count; i++)
        self->designs[i] = ((core_scene *)PyList_GetItem(self->scenes, i))->scene;
    vxe_batch_def batch = vxe_default_batch_def();
    vxe_error error = {VXE_OK, ""};
    batch.threads = threads;
    if (self->settings.device != VXE_DEVICE_CPU) batch.together = VXE_TOGETHER_GPU;
    batch.user = self;
    batch.make = make;
    batch.control = control;
    batch.ended = ended;
    vxe_result result = vxe_batch_create(&batch, &self->batch, &error);
    if (result == VXE_OK) result = vxe_batch_add(self->batch, count, &error);
    if (result != VXE_OK) {
        Py_DECREF(self);
        return core_raise(result, &error);
    }
    return (PyObject *)self;
}

/* wait(seconds): whether all is over */
static PyObject *batch_wait(PyObject *object, PyObject *arg)
{
    core_batch *self = (core_batch *)object;
    const double seconds = PyFloat_AsDouble(arg);
    if (PyErr_Occurred()) return NULL;
    bool over = false;
    Py_BEGIN_ALLOW_THREADS;
    over = vxe_batch_wait(self->batch, seconds);
    Py_END_ALLOW_THREADS;
    return PyBool_FromLong(over);
}

static PyObject *describe(outcome *o)
{
    PyObject *raised = o->raised != NULL ? o->raised : Py_None;
    return Py_BuildValue("LisiidKLddsO", (long long)o->index, (int)o->end.result,
                         vxe_run_reason_name(o->end.reason), o->end.cancelled, o->end.stopped, o->fitness,
                         (unsigned long long)o->hash, (long long)o->steps, o->time, o->end.seconds,
                         o->message, raised);
}

/* take(): a list of what has ended since the last time */
static PyObject *batch_take(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_batch *self = (core_batch *)object;
    PyObject *list = PyList_New(0);
    if (list == NULL) return NULL;
    (void)pthread_mutex_lock(&self->lock);
    outcome *o = self->first;
    self->first = NULL;
    self->last = NULL;
    (void)pthread_mutex_unlock(&self->lock);
    while (o != NULL) {
        outcome *next = o->next;
        PyObject *item = describe(o);
        if (item != NULL) (void)PyList_Append(list, item);
        Py_XDECREF(item);
        Py_XDECREF(o->raised);
        free(o);
        o = next;
    }
    return list;
}

static PyObject *batch_cancel(PyObject *object, PyObject *unused)
{
    (void)unused;
    vxe_batch_cancel(((core_batch *)object)->batch);
    Py_RETURN_NONE;
}

static PyObject *batch_counts(PyObject *object, PyObject *unused)
{
    (void)unused;
    const vxe_batch_counts c = vxe_batch_count(((core_batch *)object)->batch);
    return Py_BuildValue("LLLLi", (long long)c.added, (long long)c.started, (long long)c.ended,
                         (long long)c.failed, vxe_batch_threads(((core_batch *)object)->batch));
}

static void batch_destroy(PyObject *object)
{
    core_batch *self = (core_batch *)object;
    /* its workers may be waiting for the interpreter */
    Py_BEGIN_ALLOW_THREADS;
    vxe_batch_destroy(self->batch);
    Py_END_ALLOW_THREADS;
    while (self->first != NULL) {
        outcome *next = self->first->next;
        Py_XDECREF(self->first->raised);
        free(self->first);
        self->first = next;
    }
    (void)pthread_mutex_destroy(&self->lock);
    free(self->flights);
    free(self->raised);
    free(self->designs);
    Py_XDECREF(self->scenes);
    Py_XDECREF(self->control);
    Py_XDECREF(self->fitness);
    Py_XDECREF(self->enter);
    core_free_object(object);
}

static PyMethodDef methods[] = {
    {"create", batch_create, METH_VARARGS | METH_STATIC,
     "create(scenes, settings, time, every, threads, fitness, control, enter)"},
    {"wait", batch_wait, METH_O, "wait(seconds): whether all is over"},
    {"take", batch_take, METH_NOARGS, "what has ended since the last time"},
    {"cancel", batch_cancel, METH_NOARGS, "drops what is left"},
    {"counts", batch_counts, METH_NOARGS, "added, started, ended, failed, threads"},
    {NULL, NULL, 0, NULL}};
static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)batch_destroy},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, (void *)"A population."},
                              {0, NULL}};
PyType_Spec core_batch_spec = {.name = "voxelastic._core.Batch",
                               .basicsize = sizeof(core_batch),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = slots};
