/* Scenes and models. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static core_scene *wrap(vxe_scene *scene)
{
    core_scene *made = PyObject_New(core_scene, core.scene);
    if (made == NULL) {
        vxe_scene_destroy(scene);
        return NULL;
    }
    made->scene = scene;
    return made;
}

static void scene_destroy(PyObject *self)
{
    vxe_scene_destroy(((core_scene *)self)->scene);
    core_free_object(self);
}

static PyObject *scene_parse(PyObject *type, PyObject *args)
{
    const char *text = NULL;
    const char *name = NULL;
    const char *folder = NULL;
    Py_ssize_t size = 0;
    (void)type;
    if (!PyArg_ParseTuple(args, "s#s|z", &text, &size, &name, &folder)) return NULL;
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_scene_parse_json(text, (size_t)size, name, folder, &scene, &error);
    return result == VXE_OK ? (PyObject *)wrap(scene) : core_raise(result, &error);
}

static PyObject *scene_load(PyObject *type, PyObject *args)
{
    PyObject *path = NULL;
    const char *dialect = "auto";
    (void)type;
    if (!PyArg_ParseTuple(args, "O&|s", PyUnicode_FSConverter, &path, &dialect)) return NULL;
    vxe_load_def def = vxe_default_load_def();
    int known = 0;
    for (int i = VXE_DIALECT_AUTO; i <= VXE_DIALECT_VOXCRAFT; i++) {
        if (strcmp(vxe_dialect_name((vxe_dialect)i), dialect) == 0) {
            def.dialect = (vxe_dialect)i;
            known = 1;
        }
    }
    if (!known) {
        Py_DECREF(path);
        return PyErr_Format(PyExc_ValueError, "dialect '%s' is not one of auto, voxcad, evosoro, voxcraft",
                            dialect);
    }
    vxe_scene *scene = NULL;
    vxe_notes *notes = NULL;
    vxe_error error = {VXE_OK, ""};
    const char *bytes = PyBytes_AsString(path);
    vxe_result result = VXE_ERROR_ARGUMENT;
    Py_BEGIN_ALLOW_THREADS;
    result = vxe_scene_load(bytes, &def, &scene, &notes, &error);
    Py_END_ALLOW_THREADS;
    Py_DECREF(path);
    if (result != VXE_OK) return core_raise(result, &error);
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list != NULL && i < vxe_notes_count(notes); i++) {
        const vxe_note *note = vxe_notes_get(notes, i);
        PyObject *text =
            PyUnicode_FromFormat("%s: %s: %s", vxe_note_kind_name(note->kind), note->what, note->text);
        if (text == NULL || PyList_Append(list, text) != 0) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    vxe_notes_destroy(notes);
    PyObject *made = (PyObject *)wrap(scene);
    if (list == NULL || made == NULL) {
        Py_XDECREF(list);
        Py_XDECREF(made);
        return NULL;
    }
    return Py_BuildValue("NN", made, list);
}

static PyObject *scene_copy(PyObject *self, PyObject *unused)
{
    (void)unused;
    vxe_scene *copy = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_scene_copy(((core_scene *)self)->scene, &copy, &error);
    return result == VXE_OK ? (PyObject *)wrap(copy) : core_raise(result, &error);
}

static PyObject *scene_json(PyObject *self, PyObject *unused)
{
    (void)unused;
    char *text = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_scene_print_json(((core_scene *)self)->scene, &text, &error);
    if (result != VXE_OK) return core_raise(result, &error);
    PyObject *made = PyUnicode_FromString(text);
    free(text);
    return made;
}

static PyObject *scene_save(PyObject *self, PyObject *arg)
{
    PyObject *path = NULL;
    if (!PyUnicode_FSConverter(arg, &path)) return NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result =
        vxe_scene_save(((core_scene *)self)->scene, PyBytes_AsString(path), NULL, &error);
    Py_DECREF(path);
    if (result != VXE_OK) return core_raise(result, &error);
    Py_RETURN_NONE;
}

static int box_of(PyObject *args, const char *format, PyObject **first, int32_t place[3], int32_t size[3])
{
    return PyArg_ParseTuple(args, format, &place[0], &place[1], &place[2], &size[0], &size[1], &size[2],
                            first);
}

static Py_ssize_t cells_of(const int32_t size[3])
{
    Py_ssize_t count = 1;
    for (int a = 0; a < 3; a++) {
        if (size[a] < 0 || (size[a] > 0 && count > PY_SSIZE_T_MAX / 8 / size[a])) return -2;
        count *= size[a];
    }
    return count;
}

static PyObject *scene_set_voxels(PyObject *self, PyObject *args)
{
    int32_t place[3];
    int32_t size[3];
    PyObject *values = NULL;
    Py_buffer buffer;
    if (!box_of(args, "(iii)(iii)O", &values, place, size)) return NULL;
    const Py_ssize_t count = cells_of(size);
    if (count == -2) return PyErr_Format(PyExc_ValueError, "voxels: the box is too large");
    if (!core_buffer(values, &buffer, 'H', count, 0, "voxels")) return NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result =
        vxe_scene_set_voxels(((core_scene *)self)->scene, place, size, buffer.buf, &error);
    PyBuffer_Release(&buffer);
    if (result != VXE_OK) return core_raise(result, &error);
    Py_RETURN_NONE;
}

/* kind: "phase", "amplitude", "period", or the name of a field. */
static PyObject *scene_set_numbers(PyObject *self, PyObject *args)
{
    int32_t place[3];
    int32_t size[3];
    const char *kind = NULL;
    PyObject *values = NULL;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(args, "s(iii)(iii)O", &kind, &place[0], &place[1], &place[2], &size[0], &size[1],
                          &size[2], &values))
        return NULL;
    const Py_ssize_t count = cells_of(size);
    if (count == -2) return PyErr_Format(PyExc_ValueError, "%s: the box is too large", kind);
    if (!core_buffer(values, &buffer, 'd', count, 0, kind)) return NULL;
    vxe_error error = {VXE_OK, ""};
    vxe_result result = VXE_ERROR_ARGUMENT;
    vxe_scene *scene = ((core_scene *)self)->scene;
    (void)snprintf(error.message, sizeof error.message, "voxels have no numbers named \"%s\"", kind);
    if (strcmp(kind, "phase") == 0) {
        result = vxe_scene_set_actuations(scene, place, size, buffer.buf, NULL, NULL, &error);
    } else if (strcmp(kind, "amplitude") == 0) {
        result = vxe_scene_set_actuations(scene, place, size, NULL, buffer.buf, NULL, &error);
    } else if (strcmp(kind, "period") == 0) {
        result = vxe_scene_set_actuations(scene, place, size, NULL, NULL, buffer.buf, &error);
    }
    for (int f = 0; f < VXE_FIELD_COUNT; f++) {
        if (strcmp(kind, vxe_field_name((vxe_field)f)) == 0)
            result = vxe_scene_set_fields(scene, (vxe_field)f, place, size, buffer.buf, &error);
    }
    PyBuffer_Release(&buffer);
    if (result != VXE_OK) return core_raise(result, &error);
    Py_RETURN_NONE;
}

/* A copy: the scene may be edited. */
static PyObject *scene_voxels(PyObject *self, PyObject *unused)
{
    (void)unused;
    int32_t size[3];
    const vxe_scene *scene = ((core_scene *)self)->scene;
    vxe_scene_size(scene, size);
    return PyBytes_FromStringAndSize((const char *)vxe_scene_voxels(scene),
                                     (Py_ssize_t)sizeof(uint16_t) * size[0] * size[1] * size[2]);
}

static PyObject *scene_info(PyObject *self, PyObject *unused)
{
    (void)unused;
    int32_t size[3];
    const vxe_scene *scene = ((core_scene *)self)->scene;
    vxe_scene_size(scene, size);
    return Py_BuildValue("d(iii)Liiis", vxe_scene_pitch(scene), size[0], size[1], size[2],
                         (long long)vxe_scene_voxel_count(scene), vxe_scene_material_count(scene),
                         vxe_scene_signal_count(scene), vxe_scene_region_count(scene), vxe_scene_name(scene));
}

static PyObject *scene_check(PyObject *self, PyObject *unused)
{
    (void)unused;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_scene_check(((core_scene *)self)->scene, &error);
    if (result != VXE_OK) return core_raise(result, &error);
    Py_RETURN_NONE;
}

static PyObject *scene_compile(PyObject *self, PyObject *unused)
{
    (void)unused;
    vxe_model *model = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_scene *scene = ((core_scene *)self)->scene;
    vxe_result result = VXE_ERROR_ARGUMENT;
    Py_BEGIN_ALLOW_THREADS;
    result = vxe_compile(scene, &model, &error);
    Py_END_ALLOW_THREADS;
    if (result != VXE_OK) return core_raise(result, &error);
    core_model *made = PyObject_New(core_model, core.model);
    if (made == NULL) {
        vxe_model_destroy(model);
        return NULL;
    }
    made->model = model;
    return (PyObject *)made;
}

static PyMethodDef scene_methods[] = {
    {"parse", scene_parse, METH_VARARGS | METH_STATIC, "parse(text, name, folder=None)"},
    {"load", scene_load, METH_VARARGS | METH_STATIC, "load(path, dialect): the scene and remarks"},
    {"copy", scene_copy, METH_NOARGS, "a copy"},
    {"json", scene_json, METH_NOARGS, "the scene as JSON text"},
    {"save", scene_save, METH_O, "save(path)"},
    {"set_voxels", scene_set_voxels, METH_VARARGS, "set_voxels(first, size, uint16 array, x fastest)"},
    {"set_numbers", scene_set_numbers, METH_VARARGS,
     "set_numbers(kind, first, size, float64 array, x fastest)"},
    {"voxels", scene_voxels, METH_NOARGS, "materials as bytes of uint16, x fastest"},
    {"info", scene_info, METH_NOARGS, "pitch, size, voxels, materials, signals, regions, name"},
    {"check", scene_check, METH_NOARGS, "raises if the scene cannot be simulated"},
    {"compile", scene_compile, METH_NOARGS, "the model"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot scene_slots[] = {{Py_tp_dealloc, (void *)scene_destroy},
                                    {Py_tp_methods, scene_methods},
                                    {Py_tp_doc, (void *)"A scene."},
                                    {0, NULL}};
PyType_Spec core_scene_spec = {.name = "voxelastic._core.Scene",
                               .basicsize = sizeof(core_scene),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = scene_slots};

/* ---- models ------------------------------------------------------------------------------------------------ */

static void model_destroy(PyObject *self)
{
    vxe_model_destroy(((core_model *)self)->model);
    core_free_object(self);
}

static PyObject *model_info(PyObject *self, PyObject *unused)
{
    (void)unused;
    const vxe_model *model = ((core_model *)self)->model;
    const vxe_model_view *m = vxe_model_get(model);
    return Py_BuildValue("iiidKn", m->voxel_count, m->link_count, m->body_count, m->mass,
                         (unsigned long long)vxe_model_hash(model), (Py_ssize_t)vxe_model_bytes(model));
}

static PyObject *model_region(PyObject *self, PyObject *arg)
{
    const char *name = PyUnicode_AsUTF8AndSize(arg, NULL);
    if (name == NULL) return NULL;
    const vxe_model *model = ((core_model *)self)->model;
    const int32_t region = vxe_model_find_region(model, name);
    if (region < 0) return PyErr_Format(PyExc_KeyError, "the scene has no region named '%s'", name);
    const vxe_model_view *m = vxe_model_get(model);
    const Py_ssize_t count = m->region_begin[region + 1] - m->region_begin[region];
    const Py_ssize_t stride = sizeof(int32_t);
    return core_view(self, (void *)(uintptr_t)(m->region_voxel + m->region_begin[region]), 'i', 1, &count,
                     &stride, 0);
}

static PyObject *model_find(PyObject *self, PyObject *args)
{
    const char *kind = NULL;
    const char *name = NULL;
    if (!PyArg_ParseTuple(args, "ss", &kind, &name)) return NULL;
    const vxe_model *model = ((core_model *)self)->model;
    const int32_t found =
        kind[0] == 's' ? vxe_model_find_signal(model, name) : vxe_model_find_region(model, name);
    if (found < 0) return PyErr_Format(PyExc_KeyError, "the scene has no %s named '%s'", kind, name);
    return PyLong_FromLong(found);
}

static PyMethodDef model_methods[] = {
    {"info", model_info, METH_NOARGS, "voxels, links, bodies, mass, hash, bytes"},
    {"region", model_region, METH_O, "voxels of a region"},
    {"find", model_find, METH_VARARGS, "find('signal' or 'region', name): its number"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot model_slots[] = {{Py_tp_dealloc, (void *)model_destroy},
                                    {Py_tp_methods, model_methods},
                                    {Py_tp_doc, (void *)"A model."},
                                    {0, NULL}};
PyType_Spec core_model_spec = {.name = "voxelastic._core.Model",
                               .basicsize = sizeof(core_model),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = model_slots};
