/* Tables of a signal in a CSV file. */
#ifndef IO_CSV_H
#define IO_CSV_H

#include "base/base.h"

#define VXE_CSV_BYTES_MAX ((size_t)1 << 27) /* largest table file that is read */

/* A table of two columns; both arrays are freed by vxe_csv_free(). */
typedef struct vxe_csv {
    int32_t count;
    double *time; /* s */
    double *value;
} vxe_csv;

/* Reads a table: one line per point, `time,value`. Empty lines and lines that begin with # are skipped; the
 * first other line may be a heading. VXE_ERROR_FILE, _INPUT (`FILE:LINE: ...`), _LIMIT (more than
 * VXE_SIGNAL_TABLE_MAX points) or _MEMORY. */
vxe_result vxe_csv_load(const char *path, vxe_csv *table, vxe_error *error);
void vxe_csv_free(vxe_csv *table);

#endif
