/* Autosaves: the scene being edited, kept in .voxelastic/ of the studio's folder so that no crash loses it.
 * Each session writes one file, and holds a lock beside it as long as it lives: what has no lock was left
 * behind. */
#ifndef STUDIO_AUTOSAVE_H
#define STUDIO_AUTOSAVE_H

#include "studio/document.h"

typedef struct autosave {
    int folder;       /* descriptor of .voxelastic; -1: not there yet */
    int lock;         /* descriptor; -1: none */
    char id[48];      /* of this session */
    int64_t revision; /* that was written last; -1: there is no file */
} autosave;

void autosave_init(autosave *a);
/* Ends the session: lets the lock go; the file stays if it was not removed. */
void autosave_close(autosave *a);
/* Writes the document, if it has a scene with changes that are not written yet; removes the file if all is
 * saved. */
bool autosave_write(autosave *a, const folder *f, const document *d, failure *why);
/* Those left behind by others: list of {"id", "file", "name", "time", "voxels"}, newest first. */
json_t *autosave_list(const autosave *a, const folder *f);
/* The scene of one; NULL after a failure. *file (may be null) is what it was called. */
json_t *autosave_read(const folder *f, const char *id, json_t **file, failure *why);
bool autosave_remove(const folder *f, const char *id, failure *why);

#endif
