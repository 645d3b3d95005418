/* Where designs come from: the lines of a file, or the scene files of a folder, one after the other. Lines
 * are read as a stream, so that their number does not matter; of a folder the names are kept. */
#ifndef DESIGNS_SOURCE_H
#define DESIGNS_SOURCE_H

#include "base/base.h"

#define DESIGN_LINE_MAX ((size_t)64 << 20) /* bytes of a line */

/* One design as it was found. */
typedef struct design_item {
    int64_t number; /* of the line, or of the file in its folder, from 1 */
    char *text;     /* the line, zero terminated; NULL: a file */
    size_t size;    /* bytes of the line */
    char *file;     /* path of the scene file; NULL: a line */
    char *name;     /* its name in the folder */
    bool too_long;  /* only the beginning of the line is here */
} design_item;
void vxe_item_free(design_item *item);

typedef struct design_source design_source;

/* Opens a folder of scenes (with base.vxa: of overlays), a scene file, or a file of lines; "-": lines of
 * standard input. Shard k of n, from 1, gets every n-th design from number k on. VXE_ERROR_FILE, _INPUT,
 * _MEMORY. */
vxe_result vxe_source_open(const char *path, int64_t shard, int64_t shards, design_source **source,
                           vxe_error *error);
void vxe_source_close(design_source *source);
/* The next design: *found false at the end. Not for two threads at once. VXE_ERROR_FILE or _MEMORY. */
vxe_result vxe_source_next(design_source *source, design_item *item, bool *found, vxe_error *error);
/* How much of it was read, 0 to 1; NaN where nobody knows. */
double vxe_source_part(const design_source *source);
/* What begins messages, and the folder of files that lines name. */
const char *vxe_source_label(const design_source *source);

#endif
