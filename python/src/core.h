/* What the files of the extension share. Only Python's stable interface is used (3.11 and later), and arrays
 * go in and out through the buffer protocol: one build serves every Python and every NumPy. */
#ifndef PYTHON_CORE_H
#define PYTHON_CORE_H

#define Py_LIMITED_API 0x030b0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <voxelastic/voxelastic.h>

typedef struct core_scene {
    PyObject_HEAD vxe_scene *scene;
} core_scene;

typedef struct core_model {
    PyObject_HEAD vxe_model *model;
} core_model;

typedef struct core_sim {
    PyObject_HEAD PyObject *owner; /* the core_model whose model it runs */
    vxe_sim *sim;
    double *target; /* what is asked of the actuated voxels, (actuated); written through a view */
    double *sent;   /* what the simulation was last told */
    Py_ssize_t actuated;
    int busy; /* a thread is stepping it, without the lock of the interpreter */
} core_sim;

/* Types and names of the module, made once by module.c. */
typedef struct core_types {
    PyTypeObject *scene, *model, *sim, *view, *film, *replay, *batch;
    PyObject *error;    /* voxelastic.Error */
    PyObject *diverged; /* voxelastic.Diverged */
} core_types;
extern core_types core;

/* Raises what fits a result, with the library's message; returns NULL. */
PyObject *core_raise(vxe_result result, const vxe_error *error);

/* view.c: memory of `owner` that NumPy may look at. format: 'd', 'i', 'H', 'B' or '=' for bytes. */
PyObject *core_view(PyObject *owner, void *data, char format, int dimensions, const Py_ssize_t *shape,
                    const Py_ssize_t *strides, int writable);
/* A C-contiguous buffer of `count` elements of a format, from any object that has one; false: raised. */
int core_buffer(PyObject *object, Py_buffer *buffer, char format, Py_ssize_t count, int writable,
                const char *what);

/* sim.c: a Python object around a simulation, with its model; both belong to it from now on. */
PyObject *core_wrap_sim(vxe_model *model, vxe_sim *sim);
/* Whether it is free to be used: false, and raised, while another thread steps it. */
int core_free(const core_sim *self);
int core_settings(PyObject *dict, vxe_sim_def *def);
/* Tells the simulation of targets that were written, to be reached within `ramp` s. */
vxe_result core_send_targets(core_sim *self, double ramp, vxe_error *error);

extern PyType_Spec core_view_spec, core_scene_spec, core_model_spec, core_sim_spec, core_film_spec,
    core_replay_spec, core_batch_spec;
/* solve.c */
PyObject *core_equilibrium(PyObject *module, PyObject *args);
PyObject *core_modes(PyObject *module, PyObject *args);

/* Frees an object of a heap type. */
void core_free_object(PyObject *self);

#endif
