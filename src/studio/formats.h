/* The one place where the studio reads and writes scene files: whatever the library reads, by the file's
 * name. */
#ifndef STUDIO_FORMATS_H
#define STUDIO_FORMATS_H

#include "studio/command.h"
#include "voxelastic/voxelastic.h"

/* Whether a name ends as that of a scene that is read, or written; or of a mesh that can be imported. */
bool formats_reads(const char *name);
bool formats_writes(const char *name);
bool formats_is_mesh(const char *name);
/* {"read": [...], "write": [...], "mesh": [...]} */
json_t *formats_list(void);

/* Reads a file. Remarks of the reader are appended to `problems` as warnings. */
bool formats_load(const char *path, vxe_scene **scene, json_t *problems, failure *f);
/* Writes one, by its extension. */
bool formats_save(const vxe_scene *scene, const char *path, json_t *problems, failure *f);
/* The scene of an uploaded file: {"scene", "problems"}; NULL after a failure. The command holds the bytes,
 * and how a mesh is to be turned into voxels; `place` is a folder for a temporary file. */
json_t *formats_import(const char *place, const char *name, const command *c, failure *f);

#endif
