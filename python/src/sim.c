/* Simulations. */
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int core_free(const core_sim *self)
{
    if (!self->busy) return 1;
    PyErr_SetString(PyExc_RuntimeError,
                    "another thread is stepping this simulation: give every thread its own");
    return 0;
}

static core_sim *wrap(PyObject *owner, vxe_sim *sim)
{
    core_sim *made = PyObject_New(core_sim, core.sim);
    if (made == NULL) return NULL;
    Py_INCREF(owner);
    made->owner = owner;
    made->sim = sim;
    made->busy = 0;
    made->actuated = vxe_sim_actuated_count(sim);
    made->target = malloc((2 * (size_t)made->actuated + 1) * sizeof(double));
    made->sent = made->target != NULL ? made->target + made->actuated : NULL;
    if (made->target == NULL) {
        made->sim = NULL;
        Py_DECREF(made);
        PyErr_NoMemory();
        return NULL;
    }
    vxe_sim_targets(sim, made->target);
    memcpy(made->sent, made->target, (size_t)made->actuated * sizeof(double));
    return made;
}

PyObject *core_wrap_sim(vxe_model *model, vxe_sim *sim)
{
    core_model *owner = PyObject_New(core_model, core.model);
    if (owner == NULL) return NULL;
    owner->model = model;
    core_sim *made = wrap((PyObject *)owner, sim);
    if (made == NULL) owner->model = NULL; /* still the caller's */
    Py_DECREF(owner);
    return (PyObject *)made;
}

static void sim_destroy(PyObject *object)
{
    core_sim *self = (core_sim *)object;
    vxe_sim_destroy(self->sim);
    free(self->target);
    Py_XDECREF(self->owner);
    core_free_object(object);
}

/* A setting that is one of some words, numbered from `first`. */
typedef struct setting_words {
    const char *name;
    int first;
    const char *words[5];
    const char *list;
} setting_words;

static const setting_words *words_of(const char *name)
{
    static const setting_words all[] = {
        {"precision", VXE_PRECISION_DOUBLE, {"double", "single", "fast"}, "'double', 'single', 'fast'"},
        {"bond_damping",
         VXE_BOND_DAMPING_AUTO,
         {"auto", "explicit", "implicit"},
         "'auto', 'explicit', 'implicit'"},
        {"device", VXE_DEVICE_CPU, {"cpu", "cuda", "auto", "emulated"}, "'cpu', 'cuda', 'auto', 'emulated'"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i].name, name) == 0) return &all[i];
    }
    return NULL;
}

int core_settings(PyObject *dict, vxe_sim_def *def)
{
    *def = vxe_default_sim_def();
    if (dict == NULL || dict == Py_None) return 1;
    Py_ssize_t at = 0;
    PyObject *key = NULL;
    PyObject *value = NULL;
    while (PyDict_Next(dict, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (name == NULL) return 0;
        const setting_words *words = words_of(name);
        if (words != NULL) {
            const char *word = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, NULL) : "";
            int i = 0;
            while (word != NULL && words->words[i] != NULL && strcmp(word, words->words[i]) != 0) i++;
            if (word == NULL || words->words[i] == NULL) {
                PyErr_Format(PyExc_ValueError, "%s must be one of %s", name, words->list);
                return 0;
            }
            const int chosen = words->first + i;
            if (name[0] == 'p') def->precision = (vxe_precision)chosen;
            if (name[0] == 'b') def->bond_damping = (vxe_bond_damping)chosen;
            if (name[0] == 'd') def->device = (vxe_device)chosen;
        } else if (strcmp(name, "threads") == 0) {
            const long threads = PyLong_AsLong(value);
            if (threads == -1 && PyErr_Occurred()) return 0;
            def->threads = threads < 0 || threads > 1000000 ? -1 : (int32_t)threads;
        } else if (strcmp(name, "dt_fraction") == 0) {
            def->dt_fraction = PyFloat_AsDouble(value);
            if (PyErr_Occurred()) return 0;
        } else if (strcmp(name, "audit") == 0) {
            const int truth = PyObject_IsTrue(value);
            if (truth < 0) return 0;
            def->audit = truth != 0;
        } else {
            PyErr_Format(
                PyExc_TypeError,
                "a simulation has no setting '%s'; there are precision, threads, dt_fraction, audit, "
                "bond_damping, device",
                name);
            return 0;
        }
    }
    return 1;
}

static PyObject *sim_create(PyObject *type, PyObject *args)
{
    PyObject *owner = NULL;
    PyObject *settings = NULL;
    (void)type;
    if (!PyArg_ParseTuple(args, "O!O", core.model, &owner, &settings)) return NULL;
    vxe_sim_def def;
    if (!core_settings(settings, &def)) return NULL;
    vxe_sim *sim = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_model *model = ((core_model *)owner)->model;
    vxe_result result = VXE_ERROR_ARGUMENT;
    Py_BEGIN_ALLOW_THREADS;
    result = vxe_sim_create(model, &def, &sim, &error);
    Py_END_ALLOW_THREADS;
    if (result != VXE_OK) return core_raise(result, &error);
    core_sim *made = wrap(owner, sim);
    if (made == NULL) vxe_sim_destroy(sim);
    return (PyObject *)made;
}

/* ---- stepping ---------------------------------------------------------------------------------------------- */

vxe_result core_send_targets(core_sim *self, double ramp, vxe_error *error)
{
    const size_t bytes = (size_t)self->actuated * sizeof(double);
    if (memcmp(self->target, self->sent, bytes) == 0) return VXE_OK;
    const vxe_result result = vxe_sim_set_targets(self->sim, VXE_TARGET_SIZE, NULL, (int32_t)self->actuated,
                                                  self->target, ramp, error);
    if (result == VXE_OK) memcpy(self->sent, self->target, bytes);
    return result;
}

static PyObject *raise_fault(const core_sim *self)
{
    PyErr_SetString(core.diverged, vxe_sim_status(self->sim)->message);
    return NULL;
}

static PyObject *sim_step(PyObject *object, PyObject *arg)
{
    core_sim *self = (core_sim *)object;
    const long long steps = PyLong_AsLongLong(arg);
    if (steps == -1 && PyErr_Occurred()) return NULL;
    if (steps < 0) return PyErr_Format(PyExc_ValueError, "%lld steps cannot be done", steps);
    if (!core_free(self)) return NULL;
    vxe_error error = {VXE_OK, ""};
    vxe_result result = core_send_targets(self, 0.0, &error);
    if (result != VXE_OK) return core_raise(result, &error);
    self->busy = 1;
    Py_BEGIN_ALLOW_THREADS;
    result = vxe_sim_step(self->sim, steps, NULL);
    Py_END_ALLOW_THREADS;
    self->busy = 0;
    if (result != VXE_OK) return raise_fault(self);
    Py_RETURN_NONE;
}

/* run(time, ramp, steps, stop): until that time, or as a dict of stop conditions says; in pieces, so that
 * Ctrl-C is heard. Returns the reason. */
static PyObject *sim_run(PyObject *object, PyObject *args)
{
    core_sim *self = (core_sim *)object;
    double time = 0.0;
    double ramp = 0.0;
    long long most = 0;
    int own = 0;
    if (!PyArg_ParseTuple(args, "ddLp", &time, &ramp, &most, &own)) return NULL;
    if (!core_free(self)) return NULL;
    if (!isfinite(time) || time < 0.0 || most < 0)
        return PyErr_Format(PyExc_ValueError, "the time to run must be finite and not negative");
    vxe_error error = {VXE_OK, ""};
    vxe_result result = core_send_targets(self, ramp, &error);
    if (result != VXE_OK) return core_raise(result, &error);
    vxe_stop stop = own ? vxe_model_stop(vxe_sim_model(self->sim)) : (vxe_stop){.time = time};
    if (own && time > 0.0) stop.time = time;
    vxe_run_reason reason = VXE_RUN_STEPS;
    int64_t piece = 256;
    self->busy = 1;
    while (reason == VXE_RUN_STEPS && most > 0) {
        const int64_t steps = piece < most ? piece : most;
        Py_BEGIN_ALLOW_THREADS;
        reason = vxe_sim_run(self->sim, &stop, steps);
        Py_END_ALLOW_THREADS;
        most -= steps;
        if (PyErr_CheckSignals() != 0) {
            self->busy = 0;
            return NULL;
        }
    }
    self->busy = 0;
    if (reason == VXE_RUN_FAULT) return raise_fault(self);
    return PyUnicode_FromString(vxe_run_reason_name(reason));
}

static PyObject *sim_reset(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_sim *self = (core_sim *)object;
    if (!core_free(self)) return NULL;
    vxe_sim_reset(self->sim);
    vxe_sim_targets(self->sim, self->target);
    memcpy(self->sent, self->target, (size_t)self->actuated * sizeof(double));
    Py_RETURN_NONE;
}

/* ---- arrays ------------------------------------------------------------------------------------------------ */

static int find_quantity(const char *name)
{
    for (int q = 0; q < VXE_QUANTITY_COUNT; q++) {
        if (strcmp(vxe_quantity_name((vxe_quantity)q), name) == 0) return q;
    }
    PyErr_Format(PyExc_ValueError, "there is no array '%s'", name);
    return -1;
}

static PyObject *sim_array(PyObject *object, PyObject *arg)
{
    static const char formats[] = {'B', 'd', 'f', 'i', 'H', 'B'};
    core_sim *self = (core_sim *)object;
    const char *name = PyUnicode_AsUTF8AndSize(arg, NULL);
    const int quantity = name != NULL ? find_quantity(name) : -1;
    if (quantity < 0 || !core_free(self)) return NULL;
    vxe_array array;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_sim_array(self->sim, (vxe_quantity)quantity, &array, &error);
    if (result != VXE_OK) return core_raise(result, &error);
    const Py_ssize_t shape[2] = {(Py_ssize_t)array.shape[0], (Py_ssize_t)array.shape[1]};
    const Py_ssize_t strides[2] = {(Py_ssize_t)array.strides[0], (Py_ssize_t)array.strides[1]};
    return core_view(object, array.data, formats[array.type], array.dimensions, shape, strides, 0);
}

static PyObject *sim_target(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_sim *self = (core_sim *)object;
    const Py_ssize_t stride = sizeof(double);
    return core_view(object, self->target, 'd', 1, &self->actuated, &stride, 1);
}

/* set_array(name, values): (voxels, 3 or 4) doubles, C-contiguous */
static PyObject *sim_set_array(PyObject *object, PyObject *args)
{
    core_sim *self = (core_sim *)object;
    const char *name = NULL;
    PyObject *values = NULL;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(args, "sO", &name, &values)) return NULL;
    const int quantity = find_quantity(name);
    if (quantity < 0 || !core_free(self)) return NULL;
    const Py_ssize_t n = vxe_model_get(vxe_sim_model(self->sim))->voxel_count;
    const int64_t width = quantity == VXE_QUANTITY_ORIENTATION ? 4 : 3;
    if (!core_buffer(values, &buffer, 'd', n * (Py_ssize_t)width, 0, name)) return NULL;
    const vxe_array array = {.data = buffer.buf,
                             .type = VXE_TYPE_F64,
                             .dimensions = 2,
                             .shape = {n, width},
                             .strides = {8 * width, 8}};
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_sim_set_array(self->sim, (vxe_quantity)quantity, &array, &error);
    PyBuffer_Release(&buffer);
    if (result != VXE_OK) return core_raise(result, &error);
    Py_RETURN_NONE;
}

/* set_targets(kind, voxels or None, values, ramp) */
static PyObject *sim_set_targets(PyObject *object, PyObject *args)
{
    core_sim *self = (core_sim *)object;
    int kind = 0;
    double ramp = 0.0;
    PyObject *voxels = NULL;
    PyObject *values = NULL;
    Py_buffer numbers = {0};
    Py_buffer buffer;
    if (!PyArg_ParseTuple(args, "iOOd", &kind, &voxels, &values, &ramp) || !core_free(self)) return NULL;
    if (voxels != Py_None && !core_buffer(voxels, &numbers, 'i', -1, 0, "voxels")) return NULL;
    const Py_ssize_t count = voxels != Py_None ? numbers.len / 4 : self->actuated;
    if (count > INT32_MAX || !core_buffer(values, &buffer, 'd', count, 0, "targets")) {
        if (voxels != Py_None) PyBuffer_Release(&numbers);
        return NULL;
    }
    vxe_error error = {VXE_OK, ""};
    const vxe_result result =
        vxe_sim_set_targets(self->sim, (vxe_target)kind, voxels != Py_None ? numbers.buf : NULL,
                            (int32_t)count, buffer.buf, ramp, &error);
    PyBuffer_Release(&buffer);
    if (voxels != Py_None) PyBuffer_Release(&numbers);
    if (result != VXE_OK) return core_raise(result, &error);
    vxe_sim_targets(self->sim, self->target);
    memcpy(self->sent, self->target, (size_t)self->actuated * sizeof(double));
    Py_RETURN_NONE;
}

/* sense(number, voxels or None, out) */
static PyObject *sim_sense(PyObject *object, PyObject *const *args, Py_ssize_t given)
{
    core_sim *self = (core_sim *)object;
    if (given != 3) return PyErr_Format(PyExc_TypeError, "sense(number, voxels, out)");
    const long sense = PyLong_AsLong(args[0]);
    if (sense == -1 && PyErr_Occurred()) return NULL;
    const int32_t width = sense >= 0 ? vxe_sense_width((vxe_sense)sense) : 0;
    if (width == 0) return PyErr_Format(PyExc_ValueError, "sense %ld does not exist", sense);
    if (!core_free(self)) return NULL;
    Py_buffer numbers = {0};
    Py_buffer buffer;
    if (args[1] != Py_None && !core_buffer(args[1], &numbers, 'i', -1, 0, "voxels")) return NULL;
    const Py_ssize_t n = vxe_model_get(vxe_sim_model(self->sim))->voxel_count;
    const Py_ssize_t rows = args[1] != Py_None ? numbers.len / 4 : n;
    const int whole = sense == VXE_SENSE_CENTER || sense == VXE_SENSE_CENTER_VELOCITY;
    PyObject *made = NULL;
    if (rows <= INT32_MAX && core_buffer(args[2], &buffer, 'd', whole ? 3 : rows * width, 1, "out")) {
        vxe_error error = {VXE_OK, ""};
        const vxe_result result =
            vxe_sim_sense(self->sim, (vxe_sense)sense, args[1] != Py_None ? numbers.buf : NULL, (int32_t)rows,
                          buffer.buf, &error);
        PyBuffer_Release(&buffer);
        if (result != VXE_OK) {
            (void)core_raise(result, &error);
        } else {
            made = Py_None;
            Py_INCREF(made);
        }
    }
    if (args[1] != Py_None) PyBuffer_Release(&numbers);
    return made;
}

static PyObject *sim_contacts(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_sim *self = (core_sim *)object;
    if (!core_free(self)) return NULL;
    const int64_t count = vxe_sim_contact_list(self->sim, NULL, 0);
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)count * (Py_ssize_t)sizeof(vxe_contact));
    if (made == NULL) return NULL;
    vxe_contact *contacts = malloc(((size_t)count + 1) * sizeof *contacts);
    if (contacts == NULL) {
        Py_DECREF(made);
        return PyErr_NoMemory();
    }
    (void)vxe_sim_contact_list(self->sim, contacts, count);
    memcpy(PyBytes_AsString(made), contacts, (size_t)count * sizeof *contacts);
    free(contacts);
    return made;
}

/* ---- figures ----------------------------------------------------------------------------------------------- */

static PyObject *sim_time(PyObject *object, PyObject *unused)
{
    (void)unused;
    return PyFloat_FromDouble(vxe_sim_time(((core_sim *)object)->sim));
}

static PyObject *sim_hash(PyObject *object, PyObject *unused)
{
    (void)unused;
    if (!core_free((core_sim *)object)) return NULL;
    return PyLong_FromUnsignedLongLong(vxe_sim_hash(((core_sim *)object)->sim));
}

static PyObject *sim_info(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_sim *self = (core_sim *)object;
    if (!core_free(self)) return NULL;
    const vxe_time_step step = vxe_sim_time_step(self->sim);
    int64_t broken = 0;
    int64_t yielded = 0;
    vxe_sim_failures(self->sim, &broken, &yielded);
    return Py_BuildValue(
        "Ldsinss", (long long)vxe_sim_state(self->sim)->step, step.dt, vxe_sim_isa(self->sim),
        vxe_sim_threads(self->sim), (Py_ssize_t)vxe_sim_bytes(self->sim),
        vxe_fault_name(vxe_sim_status(self->sim)->fault), vxe_sim_status(self->sim)->message);
}

static PyObject *sim_energy(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_sim *self = (core_sim *)object;
    if (!core_free(self)) return NULL;
    const vxe_energy e = vxe_sim_energy(self->sim);
    return Py_BuildValue("{sdsdsdsdsdsdsdsdsdsd}", "time", e.time, "kinetic", e.kinetic, "elastic", e.elastic,
                         "gravity", e.gravity, "total", e.total, "load_work", e.load_work, "actuation_work",
                         e.actuation_work, "motion_work", e.motion_work, "dissipated", e.dissipated, "error",
                         e.error);
}

static PyObject *sim_center(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_sim *self = (core_sim *)object;
    if (!core_free(self)) return NULL;
    double center[3];
    vxe_sim_center_of_mass(self->sim, center);
    return Py_BuildValue("ddd", center[0], center[1], center[2]);
}

/* ---- edits and checkpoints --------------------------------------------------------------------------------- */

static PyObject *sim_edit(PyObject *object, PyObject *args)
{
    core_sim *self = (core_sim *)object;
    const char *what = NULL;
    int number = 0;
    double v[7] = {0.0};
    if (!PyArg_ParseTuple(args, "si|ddddddd", &what, &number, &v[0], &v[1], &v[2], &v[3], &v[4], &v[5],
                          &v[6]))
        return NULL;
    if (!core_free(self)) return NULL;
    vxe_error error = {VXE_ERROR_ARGUMENT, "no such edit"};
    vxe_result result = VXE_ERROR_ARGUMENT;
    if (strcmp(what, "gravity") == 0) result = vxe_sim_set_gravity(self->sim, v, &error);
    if (strcmp(what, "damping") == 0) result = vxe_sim_set_damping(self->sim, v[0], v[1], v[2], v[3], &error);
    if (strcmp(what, "load") == 0) result = vxe_sim_set_load(self->sim, number, v, v + 3, &error);
    if (strcmp(what, "displacement") == 0)
        result = vxe_sim_set_displacement(self->sim, number, v, v[3], &error);
    if (strcmp(what, "signal") == 0) result = vxe_sim_set_signal(self->sim, number, v[0], v[1], v[2], &error);
    if (strcmp(what, "pull") == 0) result = vxe_sim_pull(self->sim, number, v, &error);
    if (strcmp(what, "break") == 0)
        result = vxe_sim_break_link(self->sim, (vxe_axis)(int)v[0], number, &error);
    if (result != VXE_OK) return core_raise(result, &error);
    Py_RETURN_NONE;
}

static PyObject *sim_carry(PyObject *object, PyObject *arg)
{
    core_sim *self = (core_sim *)object;
    if (!PyObject_TypeCheck(arg, core.sim)) return PyErr_Format(PyExc_TypeError, "a simulation is needed");
    if (!core_free(self) || !core_free((core_sim *)arg)) return NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_sim_carry(self->sim, ((core_sim *)arg)->sim, &error);
    if (result != VXE_OK) return core_raise(result, &error);
    vxe_sim_targets(self->sim, self->target);
    memcpy(self->sent, self->target, (size_t)self->actuated * sizeof(double));
    Py_RETURN_NONE;
}

static PyObject *sim_save(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_sim *self = (core_sim *)object;
    if (!core_free(self)) return NULL;
    const size_t size = vxe_sim_save_size(self->sim);
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (made == NULL) return NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_sim_save(self->sim, PyBytes_AsString(made), size, &error);
    if (result == VXE_OK) return made;
    Py_DECREF(made);
    return core_raise(result, &error);
}

static PyObject *sim_load(PyObject *object, PyObject *arg)
{
    core_sim *self = (core_sim *)object;
    Py_buffer buffer;
    if (!core_free(self) || !core_buffer(arg, &buffer, 'B', -1, 0, "a checkpoint")) return NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_sim_load(self->sim, buffer.buf, (size_t)buffer.len, &error);
    PyBuffer_Release(&buffer);
    if (result != VXE_OK) return core_raise(result, &error);
    vxe_sim_targets(self->sim, self->target);
    memcpy(self->sent, self->target, (size_t)self->actuated * sizeof(double));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"create", sim_create, METH_VARARGS | METH_STATIC, "create(model, settings)"},
    {"step", sim_step, METH_O, "step(count)"},
    {"run", sim_run, METH_VARARGS, "run(time, ramp, steps, own): the reason"},
    {"reset", sim_reset, METH_NOARGS, "back to the start"},
    {"array", sim_array, METH_O, "array(name): a view"},
    {"target", sim_target, METH_NOARGS, "a view of the targets"},
    {"set_array", sim_set_array, METH_VARARGS, "set_array(name, values)"},
    {"set_targets", sim_set_targets, METH_VARARGS, "set_targets(kind, voxels, values, ramp)"},
    {"sense", (PyCFunction)(void (*)(void))sim_sense, METH_FASTCALL, "sense(number, voxels, out)"},
    {"contacts", sim_contacts, METH_NOARGS, "contacts as bytes"},
    {"time", sim_time, METH_NOARGS, "s"},
    {"hash", sim_hash, METH_NOARGS, "hash of the state"},
    {"info", sim_info, METH_NOARGS, "steps, dt, isa, threads, bytes, fault, message"},
    {"energy", sim_energy, METH_NOARGS, "the account"},
    {"center", sim_center, METH_NOARGS, "centre of mass"},
    {"edit", sim_edit, METH_VARARGS, "edit(what, number, values...)"},
    {"carry", sim_carry, METH_O, "carry(sim): takes over its state"},
    {"save", sim_save, METH_NOARGS, "a checkpoint"},
    {"load", sim_load, METH_O, "load(checkpoint)"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)sim_destroy},
                              {Py_tp_methods, methods},
                              {Py_tp_doc, (void *)"A simulation."},
                              {0, NULL}};
PyType_Spec core_sim_spec = {.name = "voxelastic._core.Sim",
                             .basicsize = sizeof(core_sim),
                             .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             .slots = slots};
