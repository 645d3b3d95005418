/* The table of scene formats, and remarks on files.
 *
 * To add a format:
 *   1. Write src/io/NAME_read.c (and NAME_write.c) with functions of the types below, and declare them here.
 *   2. Add one row to the table in formats.c. The longest extension that fits the end of a name wins, so
 *      ".vxl.json" does not collide with ".json".
 *   3. If it needs a library behind a CMake option, put the row between #ifdef VXE_HAVE_... and let
 *      CMakeLists.txt define that and leave the files out otherwise.
 * A row without `load` and `parse` is not read, one without `save` not written; `read_help` and `write_help`
 * then say why and what to do instead, as the end of a sentence: "FILE: ...". Everything else (run, info,
 * check, convert, solve, the lists in messages) follows from the table. */
#ifndef IO_FORMATS_H
#define IO_FORMATS_H

#include "base/base.h"
#include "voxelastic/io.h"

/* A text that was read already, zero terminated. */
typedef struct vxe_source {
    const char *text;
    size_t size;
    const char *name;   /* of the file, for messages */
    const char *folder; /* where files that it names are looked up; NULL: none may be named */
} vxe_source;

/* Readers leave *scene alone unless they return VXE_OK. `notes` is never NULL; add to it by vxe_notes_add().
 */
typedef vxe_result vxe_format_parse(const vxe_source *source, const vxe_load_def *def, vxe_scene **scene,
                                    vxe_notes *notes, vxe_error *error);
typedef vxe_result vxe_format_load(const char *path, const vxe_load_def *def, vxe_scene **scene,
                                   vxe_notes *notes, vxe_error *error);
typedef vxe_result vxe_format_save(const vxe_scene *scene, const char *path, vxe_notes *notes,
                                   vxe_error *error);

typedef struct vxe_format {
    const char *extension; /* lower case, with its dot */
    const char *what;
    bool (*recognises)(const char *text, size_t size); /* by contents; NULL: only by name */
    vxe_format_parse *parse;                           /* text formats */
    vxe_format_load *load;                             /* others; NULL: the file is read and parsed */
    vxe_format_save *save;
    const char *read_help;
    const char *write_help;
} vxe_format;

/* grid_format.c */
vxe_format_load vxe_grid_format_load;
vxe_format_save vxe_grid_format_save;

/* notes.c */
vxe_notes *vxe_notes_create(void);
/* Adds a remark; a second one of the same kind, `what` and text is dropped. `line` 0: none. No memory: the
 * remark is lost, and vxe_notes_failed() is true from then on. */
void vxe_notes_add(vxe_notes *notes, vxe_note_kind kind, int32_t line, const char *what, const char *format,
                   ...) VXE_PRINTF(5, 6);
bool vxe_notes_failed(const vxe_notes *notes);

#endif
