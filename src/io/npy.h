/* NumPy's array format: headers read and written, whole numbers read. */
#ifndef IO_NPY_H
#define IO_NPY_H

#include "base/base.h"

enum { NPY_DIMENSIONS = 8, NPY_HEADER = 128 };

typedef struct npy_header {
    char kind;                     /* b i u f U S ... */
    size_t item;                   /* bytes of an item (of a character: 4 for U) */
    bool big;                      /* big endian */
    bool fortran;                  /* first index fastest */
    int dimensions;                /* 0 to NPY_DIMENSIONS */
    int64_t shape[NPY_DIMENSIONS]; /* >= 0 */
    size_t begin;                  /* where the items begin */
} npy_header;

/* Looks at the beginning of a file of voxels only: VXE_ERROR_MEMORY or _LIMIT if it promises more than the
 * machine can hold. What else may be wrong with it is left to those who read it. */
vxe_result vxe_npy_check_file(const char *path, vxe_error *error);
/* Writes a header of NPY_HEADER bytes for a C-ordered array: `type` as in "<f8". */
void vxe_npy_print_header(char text[NPY_HEADER], const char *type, const int64_t *shape, int dimensions);

#endif
