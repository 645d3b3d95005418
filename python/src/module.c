/* The module: types, exceptions, names of senses and arrays. */
#include "core.h"

core_types core;

PyObject *core_raise(vxe_result result, const vxe_error *error)
{
    PyObject *type = core.error;
    if (result == VXE_ERROR_ARGUMENT || result == VXE_ERROR_INPUT || result == VXE_ERROR_LIMIT)
        type = PyExc_ValueError;
    if (result == VXE_ERROR_FILE) type = PyExc_OSError;
    if (result == VXE_ERROR_MEMORY) type = PyExc_MemoryError;
    if (result == VXE_ERROR_DIVERGED) type = core.diverged;
    PyErr_SetString(type, error->message[0] != '\0' ? error->message : vxe_result_name(result));
    return NULL;
}

void core_free_object(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type); /* objects of heap types hold their type */
}

static PyMethodDef methods[] = {
    {"equilibrium", core_equilibrium, METH_VARARGS,
     "equilibrium(sim): a dict; the simulation is taken there"},
    {"modes", core_modes, METH_VARARGS, "modes(sim, count): frequencies and shapes"},
    {NULL, NULL, 0, NULL}};

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "voxelastic._core",
                                        .m_doc = "What voxelastic is made of; not for direct use.",
                                        .m_size = -1,
                                        .m_methods = methods};

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type)
{
    *type = (PyTypeObject *)PyType_FromSpec(spec);
    return *type != NULL && PyModule_AddType(module, *type) == 0;
}

static int add_names(PyObject *module)
{
    PyObject *senses = PyDict_New();
    PyObject *arrays = PyList_New(0);
    int ok = senses != NULL && arrays != NULL;
    for (int s = 0; ok && s < VXE_SENSE_COUNT; s++) {
        PyObject *pair = Py_BuildValue("ii", s, vxe_sense_width((vxe_sense)s));
        ok = pair != NULL && PyDict_SetItemString(senses, vxe_sense_name((vxe_sense)s), pair) == 0;
        Py_XDECREF(pair);
    }
    for (int q = 0; ok && q < VXE_QUANTITY_COUNT; q++) {
        PyObject *name = PyUnicode_FromString(vxe_quantity_name((vxe_quantity)q));
        ok = name != NULL && PyList_Append(arrays, name) == 0;
        Py_XDECREF(name);
    }
    ok = ok && PyModule_AddObjectRef(module, "senses", senses) == 0 &&
         PyModule_AddObjectRef(module, "arrays", arrays) == 0;
    Py_XDECREF(senses);
    Py_XDECREF(arrays);
    return ok && PyModule_AddStringConstant(module, "version", vxe_version()) == 0 &&
           PyModule_AddIntConstant(module, "solvers", vxe_solve_available()) == 0 &&
           PyModule_AddIntConstant(module, "replays", vxe_replay_available()) == 0;
}

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) return NULL;
    core.error = PyErr_NewExceptionWithDoc("voxelastic.Error", "Something went wrong in the library.",
                                           PyExc_RuntimeError, NULL);
    core.diverged =
        core.error != NULL
            ? PyErr_NewExceptionWithDoc("voxelastic.Diverged",
                                        "The simulation cannot go on; the message has voxel, time and cause.",
                                        core.error, NULL)
            : NULL;
    if (core.diverged == NULL || PyModule_AddObjectRef(module, "Error", core.error) != 0 ||
        PyModule_AddObjectRef(module, "Diverged", core.diverged) != 0 ||
        !add_type(module, &core_view_spec, &core.view) || !add_type(module, &core_scene_spec, &core.scene) ||
        !add_type(module, &core_model_spec, &core.model) || !add_type(module, &core_sim_spec, &core.sim) ||
        !add_type(module, &core_film_spec, &core.film) ||
        !add_type(module, &core_replay_spec, &core.replay) ||
        !add_type(module, &core_batch_spec, &core.batch) || !add_names(module)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
