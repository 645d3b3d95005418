/* Files that lines name: see reader.h. */
#define _DEFAULT_SOURCE /* realpath */
#include "designs/reader.h"
#include "base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

vxe_result vxe_reader_create(const design_settings *settings, design_reader **reader, vxe_error *error)
{
    design_reader *r = calloc(1, sizeof *r);
    if (r == NULL) return vxe_fail_memory(error, "a reader of designs", sizeof *r);
    r->settings = settings;
    r->folder = settings->folder == NULL ? NULL : realpath(settings->folder, NULL);
    (void)pthread_mutex_init(&r->lock, NULL);
    json_object_seed(0); /* before there are threads */
    reader_file *base = NULL;
    const vxe_result result =
        settings->base == NULL ? VXE_OK : vxe_reader_get(r, settings->base, &base, error);
    if (result != VXE_OK) {
        vxe_reader_destroy(r);
        return result;
    }
    *reader = r;
    return VXE_OK;
}

void vxe_reader_destroy(design_reader *reader)
{
    if (reader == NULL) return;
    for (int i = 0; i < reader->cached; i++) {
        free(reader->cache[i].path);
        vxe_scene_destroy(reader->cache[i].scene);
        json_decref(reader->cache[i].json);
    }
    (void)pthread_mutex_destroy(&reader->lock);
    free(reader->folder);
    free(reader);
}

/* ---- messages --------------------------------------------------------------------------------------------- */

/* A user's text for a message: printable, cut where it is long. */
const char *vxe_reader_shown(const char *text, char room[READER_SHOWN])
{
    const bool valid = vxe_valid_text(text);
    size_t used = 0;
    for (; text[used] != '\0' && used + 1 < READER_SHOWN; used++) {
        const unsigned char c = (unsigned char)text[used];
        room[used] = (char)(c < 0x20 || c == 0x7f || (c >= 0x80 && !valid) ? '?' : c);
    }
    /* not in the middle of a character */
    while (text[used] != '\0' && used > 0 && ((unsigned char)text[used] & 0xc0) == 0x80) used--;
    room[used] = '\0';
    return room;
}

void vxe_reader_place(const design_reader *reader, int64_t number, vxe_error *error)
{
    char message[sizeof error->message];
    memcpy(message, error->message, sizeof message);
    (void)vxe_fail(error, error->code, "%s:%lld: %s", reader->settings->label, (long long)number, message);
}

/* ---- files ------------------------------------------------------------------------------------------------ */

/* VXE_ERROR_INPUT unless a path stays in the folder of the lines. */
static vxe_result check_path(const design_reader *r, const char *path, vxe_error *error)
{
    char room[READER_SHOWN];
    if (path[0] == '\0') return vxe_fail(error, VXE_ERROR_INPUT, "scene: an empty path");
    if (r->settings->anywhere) return VXE_OK;
    bool out = path[0] == '/';
    for (const char *at = path; *at != '\0' && !out;) {
        const size_t length = strcspn(at, "/");
        out = length == 2 && at[0] == '.' && at[1] == '.';
        at += length;
        if (*at == '/') at++;
    }
    if (!out) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_INPUT,
                    "scene: \"%s\" leads out of the folder of the designs (--anywhere allows that)",
                    vxe_reader_shown(path, room));
}

/* The path of a file that a line names, freed by free(). */
vxe_result vxe_reader_find(const design_reader *r, const char *path, char **found, vxe_error *error)
{
    char room[READER_SHOWN];
    vxe_result result = check_path(r, path, error);
    if (result != VXE_OK) return result;
    const char *folder = r->settings->folder != NULL ? r->settings->folder : ".";
    char *whole = vxe_text("%s%s%s", path[0] == '/' ? "" : folder, path[0] == '/' ? "" : "/", path);
    if (whole == NULL) return vxe_fail_memory(error, "a path", strlen(path));
    char *real = realpath(whole, NULL);
    if (real == NULL) {
        result = vxe_fail(error, VXE_ERROR_FILE, "scene: \"%s\": %s", vxe_reader_shown(path, room),
                          strerror(errno));
    } else if (!r->settings->anywhere && r->folder != NULL) { /* a link may lead out too */
        const size_t length = strlen(r->folder);
        const bool inside =
            strcmp(r->folder, "/") == 0 || (strncmp(real, r->folder, length) == 0 && real[length] == '/');
        if (!inside)
            result = vxe_fail(error, VXE_ERROR_INPUT,
                              "scene: \"%s\" leads out of the folder of the designs (--anywhere allows that)",
                              vxe_reader_shown(path, room));
    }
    free(real);
    if (result != VXE_OK) {
        free(whole);
        return result;
    }
    *found = whole;
    return VXE_OK;
}

/* Feeds the bytes of a file. */
static vxe_result feed_file(digest *d, const char *path, bool *tables, vxe_error *error)
{
    char *data = NULL;
    size_t size = 0;
    const vxe_result result = vxe_read_file(path, VXE_SCENE_BYTES_MAX, &data, &size, error);
    if (result != VXE_OK) return result;
    *d = vxe_digest_bytes(*d, data, size);
    *tables = *tables || strstr(data, ".csv") != NULL;
    free(data);
    return VXE_OK;
}

vxe_result vxe_reader_load(const design_reader *r, const char *path, vxe_scene **scene, vxe_error *error)
{
    const vxe_load_def def = {.dialect = r->settings->dialect};
    return vxe_scene_load(path, &def, scene, NULL, error);
}

/* The hash of a scene file: of its bytes, those of base.vxa for an overlay, and of the whole scene where it
 * may hold the name of a table in another file. */
vxe_result vxe_reader_hash(const design_reader *r, const char *path, digest *hash, vxe_error *error)
{
    digest d = DIGEST_START;
    bool tables = false;
    vxe_result result = feed_file(&d, path, &tables, error);
    if (result == VXE_OK && vxe_ends_with(path, ".vxd")) {
        const char *slash = strrchr(path, '/');
        const size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
        char *base = vxe_text("%.*sbase.vxa", (int)folder, path);
        if (base == NULL) return vxe_fail_memory(error, "a path", folder);
        result = feed_file(&d, base, &tables, error);
        free(base);
    }
    if (result == VXE_OK && tables) {
        vxe_scene *scene = NULL;
        char *text = NULL;
        result = vxe_reader_load(r, path, &scene, error);
        if (result == VXE_OK) result = vxe_scene_print_json(scene, &text, error);
        if (result == VXE_OK) d = vxe_digest_bytes(d, text, strlen(text));
        free(text);
        vxe_scene_destroy(scene);
    }
    *hash = d;
    return result;
}

/* A file that lines name, from the cache; NULL and VXE_OK: the cache is full. With the lock. */
vxe_result vxe_reader_get(design_reader *r, const char *path, reader_file **found, vxe_error *error)
{
    for (int i = 0; i < r->cached; i++) {
        if (strcmp(r->cache[i].path, path) != 0) continue;
        *found = &r->cache[i];
        return VXE_OK;
    }
    if (r->cached == READER_CACHE) return VXE_OK;
    reader_file c = {.scene = NULL};
    vxe_result result = vxe_reader_hash(r, path, &c.hash, error);
    if (result == VXE_OK) result = vxe_reader_load(r, path, &c.scene, error);
    c.path = malloc(strlen(path) + 1);
    if (result == VXE_OK && c.path == NULL) result = vxe_fail_memory(error, "a path", strlen(path));
    if (result != VXE_OK || c.path == NULL) {
        free(c.path);
        vxe_scene_destroy(c.scene);
        return result;
    }
    memcpy(c.path, path, strlen(path) + 1);
    r->cache[r->cached] = c;
    *found = &r->cache[r->cached++];
    return VXE_OK;
}
