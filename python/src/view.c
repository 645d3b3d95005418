/* Memory that belongs to another object, seen through the buffer protocol. The view keeps its owner alive,
 * and arrays made from it keep the view alive: so an array may outlive every other name of its simulation. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct view {
    PyObject_HEAD PyObject *owner;
    void *data;
    char format[2];
    int dimensions;
    int writable;
    Py_ssize_t shape[2], strides[2];
} view;

static Py_ssize_t size_of(char format)
{
    switch (format) {
    case 'd': return 8;
    case 'i': return 4;
    case 'H': return 2;
    default: return 1;
    }
}

PyObject *core_view(PyObject *owner, void *data, char format, int dimensions, const Py_ssize_t *shape,
                    const Py_ssize_t *strides, int writable)
{
    static double nothing; /* an empty array must point somewhere */
    view *made = PyObject_New(view, core.view);
    if (made == NULL) return NULL;
    Py_INCREF(owner);
    made->owner = owner;
    made->data = data != NULL ? data : &nothing;
    made->format[0] = format;
    made->format[1] = '\0';
    made->dimensions = dimensions;
    made->writable = writable;
    for (int i = 0; i < dimensions; i++) {
        made->shape[i] = shape[i];
        made->strides[i] = strides[i];
    }
    return (PyObject *)made;
}

static void view_destroy(PyObject *self)
{
    Py_DECREF(((view *)self)->owner);
    core_free_object(self);
}

static int view_get(PyObject *object, Py_buffer *buffer, int flags)
{
    view *self = (view *)object;
    if ((flags & PyBUF_WRITABLE) != 0 && !self->writable) {
        PyErr_SetString(PyExc_BufferError, "this array is for reading only");
        return -1;
    }
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "this array has strides: use numpy.asarray()");
        return -1;
    }
    Py_ssize_t count = 1;
    for (int i = 0; i < self->dimensions; i++) count *= self->shape[i];
    Py_INCREF(object);
    *buffer = (Py_buffer){.buf = self->data,
                          .obj = object,
                          .len = count * size_of(self->format[0]),
                          .itemsize = size_of(self->format[0]),
                          .readonly = !self->writable,
                          .ndim = self->dimensions,
                          .format = self->format,
                          .shape = self->shape,
                          .strides = self->strides};
    return 0;
}

int core_buffer(PyObject *object, Py_buffer *buffer, char format, Py_ssize_t count, int writable,
                const char *what)
{
    const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, buffer, flags) != 0) {
        PyErr_Format(PyExc_TypeError, "%s: a C-contiguous%s array is needed", what,
                     writable ? " writable" : "");
        return 0;
    }
    const char *kind = buffer->format != NULL ? buffer->format : "B";
    if (strchr("@=<", kind[0]) != NULL && kind[0] != '\0') kind++;
    const int same = format == 'B'
                         ? buffer->itemsize == 1
                         : kind[0] == format && kind[1] == '\0' && buffer->itemsize == size_of(format);
    if (!same || (count >= 0 && buffer->len != count * size_of(format))) {
        PyErr_Format(PyExc_ValueError, "%s: %zd elements of type '%c' are needed, not %zd of type '%s'", what,
                     count >= 0 ? count : buffer->len / size_of(format), format,
                     buffer->itemsize > 0 ? buffer->len / buffer->itemsize : 0, kind);
        PyBuffer_Release(buffer);
        return 0;
    }
    return 1;
}

static PyType_Slot slots[] = {{Py_tp_dealloc, (void *)view_destroy},
                              {Py_bf_getbuffer, (void *)view_get},
                              {Py_tp_doc, (void *)"Memory of another object, for numpy.asarray()."},
                              {0, NULL}};
PyType_Spec core_view_spec = {.name = "voxelastic._core.View",
                              .basicsize = sizeof(view),
                              .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                              .slots = slots};
