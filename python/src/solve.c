/* Answers without time stepping. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

PyObject *core_equilibrium(PyObject *module, PyObject *args)
{
    PyObject *object = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!", core.sim, &object)) return NULL;
    core_sim *self = (core_sim *)object;
    if (!core_free(self)) return NULL;
    const vxe_equilibrium_def def = vxe_default_equilibrium_def();
    vxe_equilibrium report;
    memset(&report, 0, sizeof report);
    vxe_error error = {VXE_OK, ""};
    vxe_result result = VXE_ERROR_ARGUMENT;
    self->busy = 1;
    Py_BEGIN_ALLOW_THREADS;
    result = vxe_solve_equilibrium(self->sim, &def, &report, &error);
    Py_END_ALLOW_THREADS;
    self->busy = 0;
    if (result != VXE_OK) return core_raise(result, &error);
    return Py_BuildValue("{sssisdsdss}", "status", vxe_equilibrium_status_name(report.status), "iterations",
                         report.iterations, "residual", report.residual, "energy", report.energy, "message",
                         report.message);
}

PyObject *core_modes(PyObject *module, PyObject *args)
{
    PyObject *object = NULL;
    int count = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!i", core.sim, &object, &count)) return NULL;
    core_sim *self = (core_sim *)object;
    if (!core_free(self)) return NULL;
    vxe_modes_def def = vxe_default_modes_def();
    def.count = count;
    vxe_modes *modes = NULL;
    vxe_error error = {VXE_OK, ""};
    vxe_result result = VXE_ERROR_ARGUMENT;
    self->busy = 1;
    Py_BEGIN_ALLOW_THREADS;
    result = vxe_solve_modes(self->sim, &def, &modes, &error);
    Py_END_ALLOW_THREADS;
    self->busy = 0;
    if (result != VXE_OK) return core_raise(result, &error);
    const vxe_modes_view *m = vxe_modes_get(modes);
    const size_t n = (size_t)m->voxel_count;
    const size_t bytes = (size_t)m->count * 6 * n * sizeof(double);
    PyObject *frequencies = PyBytes_FromStringAndSize((const char *)m->frequency,
                                                      (Py_ssize_t)((size_t)m->count * sizeof(double)));
    PyObject *shapes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    if (shapes != NULL) {
        char *at = PyBytes_AsString(shapes);
        for (int32_t i = 0; i < m->count; i++) {
            for (int c = 0; c < 6; c++, at += n * sizeof(double))
                memcpy(at, vxe_modes_shape(modes, i, c), n * sizeof(double));
        }
    }
    const int rigid = m->rigid;
    vxe_modes_destroy(modes);
    if (frequencies == NULL || shapes == NULL) {
        Py_XDECREF(frequencies);
        Py_XDECREF(shapes);
        return NULL;
    }
    return Py_BuildValue("NNi", frequencies, shapes, rigid);
}
