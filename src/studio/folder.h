/* The folder the studio was started in: the only place where it reads and writes files. */
#ifndef STUDIO_FOLDER_H
#define STUDIO_FOLDER_H

#include "studio/command.h"

#include <limits.h>

typedef struct folder {
    int descriptor;      /* of the folder */
    char root[PATH_MAX]; /* its real path */
} folder;

/* An absolute path that was found to lie inside. */
typedef struct inside_path {
    char text[PATH_MAX];
} inside_path;

bool folder_open(folder *f, const char *path, failure *why);
void folder_close(folder *f);
/* The last part of its path, for people. */
const char *folder_name(const folder *f);

/* The real path of something that is there. Refuses ("outside") absolute paths, "..", and symbolic links that
 * lead out. */
bool folder_find(const folder *f, const char *path, inside_path *found, failure *why);
/* The path of a file that may not be there yet, in a folder that is. */
bool folder_place(const folder *f, const char *path, inside_path *place, failure *why);
/* {"path", "entries"}; NULL after a failure. */
json_t *folder_list(const folder *f, const char *path, failure *why);

#endif
