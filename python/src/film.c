/* Films (pictures and videos) and replays. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct core_film {
    PyObject_HEAD PyObject *sim, *scene; /* must live while frames are taken */
    vxe_film *film;
} core_film;

static void film_destroy(PyObject *object)
{
    core_film *self = (core_film *)object;
    vxe_film_destroy(self->film);
    Py_XDECREF(self->sim);
    Py_XDECREF(self->scene);
    core_free_object(object);
}

static PyObject *film_create(PyObject *type, PyObject *args)
{
    PyObject *sim = NULL;
    PyObject *scene = NULL;
    const char *measure = NULL;
    (void)type;
    if (!PyArg_ParseTuple(args, "O!O!s", core.sim, &sim, core.scene, &scene, &measure)) return NULL;
    if (!core_free((core_sim *)sim)) return NULL;
    vxe_film *film = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result =
        vxe_film_create(((core_sim *)sim)->sim, ((core_scene *)scene)->scene, measure, &film, &error);
    if (result != VXE_OK) return core_raise(result, &error);
    core_film *made = PyObject_New(core_film, core.film);
    if (made == NULL) {
        vxe_film_destroy(film);
        return NULL;
    }
    Py_INCREF(sim);
    Py_INCREF(scene);
    made->sim = sim;
    made->scene = scene;
    made->film = film;
    return (PyObject *)made;
}

static PyObject *film_take(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_film *self = (core_film *)object;
    if (!core_free((core_sim *)self->sim)) return NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_film_take(self->film, ((core_sim *)self->sim)->sim, &error);
    if (result != VXE_OK) return core_raise(result, &error);
    Py_RETURN_NONE;
}

/* width, height, samples, azimuth, elevation, zoom, dark, legend, threads */
static int picture_def(PyObject *args, vxe_picture_def *def)
{
    int width = 0;
    int height = 0;
    int samples = 0;
    int dark = 0;
    int legend = 0;
    int threads = 0;
    *def = vxe_default_picture_def();
    if (!PyArg_ParseTuple(args, "iiidddppi", &width, &height, &samples, &def->azimuth, &def->elevation,
                          &def->zoom, &dark, &legend, &threads))
        return 0;
    def->width = width;
    def->height = height;
    def->samples = samples;
    def->dark = dark != 0;
    def->legend = legend != 0;
    def->threads = threads;
    return 1;
}

/* draw(def, time): bytes of (height, width, 3) */
static PyObject *film_draw(PyObject *object, PyObject *args)
{
    core_film *self = (core_film *)object;
    PyObject *settings = NULL;
    double time = 0.0;
    vxe_picture_def def;
    if (!PyArg_ParseTuple(args, "O!d", &PyTuple_Type, &settings, &time) || !picture_def(settings, &def))
        return NULL;
    if (def.width < 16 || def.height < 16 || def.width > 8192 || def.height > 8192)
        return PyErr_Format(PyExc_ValueError, "a picture has 16 to 8192 pixels along each side, not %d x %d",
                            (int)def.width, (int)def.height);
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)3 * def.width * def.height);
    if (made == NULL) return NULL;
    uint8_t *pixels = (uint8_t *)PyBytes_AsString(made);
    vxe_error error = {VXE_OK, ""};
    vxe_result result = VXE_ERROR_ARGUMENT;
    Py_BEGIN_ALLOW_THREADS;
    result = vxe_film_draw(self->film, &def, time, pixels, &error);
    Py_END_ALLOW_THREADS;
    if (result == VXE_OK) return made;
    Py_DECREF(made);
    return core_raise(result, &error);
}

/* save(def, path, rate, speed): a video; rate 0: a picture of the last frame */
static PyObject *film_save(PyObject *object, PyObject *args)
{
    core_film *self = (core_film *)object;
    PyObject *settings = NULL;
    PyObject *path = NULL;
    double rate = 0.0;
    double speed = 1.0;
    vxe_picture_def def;
    if (!PyArg_ParseTuple(args, "O!O&dd", &PyTuple_Type, &settings, PyUnicode_FSConverter, &path, &rate,
                          &speed))
        return NULL;
    if (!picture_def(settings, &def)) {
        Py_DECREF(path);
        return NULL;
    }
    const char *bytes = PyBytes_AsString(path);
    vxe_error error = {VXE_OK, ""};
    vxe_result result = VXE_ERROR_ARGUMENT;
    Py_BEGIN_ALLOW_THREADS;
    if (rate > 0.0) {
        result = vxe_film_save_video(self->film, &def, rate, speed, bytes, NULL, NULL, &error);
    } else {
        result = vxe_film_save_picture(self->film, &def, 1e300, bytes, &error);
    }
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    if (result != VXE_OK) return core_raise(result, &error);
    Py_RETURN_NONE;
}

static PyMethodDef film_methods[] = {
    {"create", film_create, METH_VARARGS | METH_STATIC, "create(sim, scene, measure)"},
    {"take", film_take, METH_NOARGS, "adds the simulation as it is"},
    {"draw", film_draw, METH_VARARGS, "draw(settings, time): pixels"},
    {"save", film_save, METH_VARARGS, "save(settings, path, rate, speed)"},
    {NULL, NULL, 0, NULL}};
static PyType_Slot film_slots[] = {{Py_tp_dealloc, (void *)film_destroy},
                                   {Py_tp_methods, film_methods},
                                   {Py_tp_doc, (void *)"A film."},
                                   {0, NULL}};
PyType_Spec core_film_spec = {.name = "voxelastic._core.Film",
                              .basicsize = sizeof(core_film),
                              .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                              .slots = film_slots};

/* ---- replays ----------------------------------------------------------------------------------------------- */

typedef struct core_replay {
    PyObject_HEAD PyObject *sim, *scene;
    vxe_replay *replay;
} core_replay;

static void replay_destroy(PyObject *object)
{
    core_replay *self = (core_replay *)object;
    vxe_replay_destroy(self->replay);
    Py_XDECREF(self->sim);
    Py_XDECREF(self->scene);
    core_free_object(object);
}

static PyObject *replay_create(PyObject *type, PyObject *args)
{
    PyObject *sim = NULL;
    PyObject *scene = NULL;
    double until = 0.0;
    (void)type;
    if (!PyArg_ParseTuple(args, "O!O!d", core.sim, &sim, core.scene, &scene, &until)) return NULL;
    if (!core_free((core_sim *)sim)) return NULL;
    const vxe_stop stop = {.time = until};
    vxe_replay *replay = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result =
        vxe_replay_create(((core_sim *)sim)->sim, ((core_scene *)scene)->scene, NULL, &stop, &replay, &error);
    if (result != VXE_OK) return core_raise(result, &error);
    core_replay *made = PyObject_New(core_replay, core.replay);
    if (made == NULL) {
        vxe_replay_destroy(replay);
        return NULL;
    }
    Py_INCREF(sim);
    Py_INCREF(scene);
    made->sim = sim;
    made->scene = scene;
    made->replay = replay;
    return (PyObject *)made;
}

static PyObject *replay_next(PyObject *object, PyObject *unused)
{
    (void)unused;
    return PyFloat_FromDouble(vxe_replay_next(((core_replay *)object)->replay));
}

static PyObject *replay_observe(PyObject *object, PyObject *unused)
{
    (void)unused;
    core_replay *self = (core_replay *)object;
    if (!core_free((core_sim *)self->sim)) return NULL;
    vxe_replay_observe(self->replay, ((core_sim *)self->sim)->sim);
    Py_RETURN_NONE;
}

static PyObject *replay_write(PyObject *object, PyObject *arg)
{
    core_replay *self = (core_replay *)object;
    PyObject *path = NULL;
    if (!core_free((core_sim *)self->sim) || !PyUnicode_FSConverter(arg, &path)) return NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result =
        vxe_replay_write(self->replay, ((core_sim *)self->sim)->sim, NULL, PyBytes_AsString(path), &error);
    Py_DECREF(path);
    if (result != VXE_OK) return core_raise(result, &error);
    Py_RETURN_NONE;
}

static PyMethodDef replay_methods[] = {
    {"create", replay_create, METH_VARARGS | METH_STATIC, "create(sim, scene, until)"},
    {"next", replay_next, METH_NOARGS, "s: when it wants to look"},
    {"observe", replay_observe, METH_NOARGS, "looks"},
    {"write", replay_write, METH_O, "write(path)"},
    {NULL, NULL, 0, NULL}};
static PyType_Slot replay_slots[] = {{Py_tp_dealloc, (void *)replay_destroy},
                                     {Py_tp_methods, replay_methods},
                                     {Py_tp_doc, (void *)"A replay."},
                                     {0, NULL}};
PyType_Spec core_replay_spec = {.name = "voxelastic._core.Replay",
                                .basicsize = sizeof(core_replay),
                                .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                .slots = replay_slots};
