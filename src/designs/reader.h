/* Inside the reader of designs: files that lines name, and messages with their place. */
#ifndef DESIGNS_READER_H
#define DESIGNS_READER_H

#include "designs/design.h"

#include <pthread.h>

enum { READER_CACHE = 32, READER_SHOWN = 60 };

/* A scene file that several lines use. */
typedef struct reader_file {
    char *path;
    digest hash;
    vxe_scene *scene;
    json_t *json; /* NULL: nobody has changed it yet */
} reader_file;

struct design_reader {
    const design_settings *settings;
    char *folder; /* of the lines, without links; NULL: not known */
    pthread_mutex_t lock;
    reader_file cache[READER_CACHE];
    int cached;
};

/* A user's text for a message: printable, cut where it is long. */
const char *vxe_reader_shown(const char *text, char room[READER_SHOWN]);
/* Puts the place of a line before a message. */
void vxe_reader_place(const design_reader *reader, int64_t number, vxe_error *error);

/* The path of a file that a line names, freed by free(). VXE_ERROR_INPUT if it leads out of the folder. */
vxe_result vxe_reader_find(const design_reader *reader, const char *path, char **found, vxe_error *error);
vxe_result vxe_reader_load(const design_reader *reader, const char *path, vxe_scene **scene,
                           vxe_error *error);
/* The hash of a scene file: of its bytes, those of base.vxa for an overlay, and of the whole scene where it
 * may hold the name of a table in another file. */
vxe_result vxe_reader_hash(const design_reader *reader, const char *path, digest *hash, vxe_error *error);
/* A file that lines name, from the cache; NULL and VXE_OK: the cache is full. With the lock. */
vxe_result vxe_reader_get(design_reader *reader, const char *path, reader_file **found, vxe_error *error);

#endif
