/* The scene being edited: JSON of the native format as the page last sent it, with what the engine says of
 * it. Only the desk's thread touches it. */
#ifndef STUDIO_DOCUMENT_H
#define STUDIO_DOCUMENT_H

#include "studio/folder.h"
#include "voxelastic/voxelastic.h"

typedef struct document {
    json_t *scene;     /* object; NULL: there is none */
    vxe_scene *parsed; /* NULL: it has errors */
    json_t *problems;  /* list */
    char *file;        /* relative to the folder; NULL: none */
    int64_t revision;  /* counts changes */
    int64_t saved;     /* revision that the file holds, -1: none */
    uint64_t hash;     /* of the compiled scene; with `parsed` only */
    int32_t links;
    int32_t bodies;
    double dt; /* s */
} document;

void document_clear(document *d);
/* Replaces the scene by what the page sent; problems are kept with it and are no failure. */
bool document_set(document *d, json_t *scene, failure *f);
/* Replaces it by a scene of the library (which it takes); `notes` (list, may be NULL) become warnings. */
bool document_take(document *d, vxe_scene *scene, json_t *notes, failure *f);
/* Sets the file's name (may be NULL). */
bool document_name(document *d, const char *file, failure *f);
/* What "scene.get" and "scene.set" reply. */
json_t *document_json(const document *d, bool with_scene);
/* What a scene's JSON says of itself, for lists; "" if nothing. */
const char *document_title(const document *d);

#endif
