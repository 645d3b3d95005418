/* Autosaves; see autosave.h. A file is one line of JSON that tells what it is, then the scene. */
#define _GNU_SOURCE /* O_PATH, flock */
#include "studio/autosave.h"
#include "studio/message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER ".voxelastic"
#define PREFIX "autosave-"
enum { HEADER_MAX = 8192, AUTOSAVES_MAX = 100 };
#define AUTOSAVE_BYTES_MAX ((size_t)256 << 20)

void autosave_init(autosave *a)
{
    *a = (autosave){.folder = -1, .lock = -1, .revision = -1};
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)snprintf(a->id, sizeof a->id, "%lld-%ld", (long long)now.tv_sec, (long)getpid());
}

/* Whether a text has the form of an id: it becomes part of a path. */
static bool is_id(const char *id)
{
    const size_t length = strlen(id);
    return length > 0 && length < 48 && strspn(id, "0123456789-") == length;
}

static void name_of(char name[96], const char *id, const char *extension)
{
    (void)snprintf(name, 96, PREFIX "%s%s", id, extension);
}

/* Opens .voxelastic, which must be a folder and no link; makes it if asked to. -1: it is not there. */
static int open_folder(const folder *f, bool make)
{
    if (make && mkdirat(f->descriptor, FOLDER, 0700) != 0 && errno != EEXIST) return -1;
    return openat(f->descriptor, FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool begin(autosave *a, const folder *f, failure *why)
{
    if (a->lock >= 0) return true;
    char name[96];
    if (a->folder < 0) a->folder = open_folder(f, true);
    if (a->folder < 0) return fail(why, "file", FOLDER ": %s", strerror(errno));
    name_of(name, a->id, ".lock");
    a->lock = openat(a->folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (a->lock < 0 || flock(a->lock, LOCK_EX | LOCK_NB) != 0) {
        return fail(why, "file", FOLDER "/%s: %s", name, strerror(errno));
    }
    return true;
}

static void remove_file(int descriptor, const char *id, const char *extension)
{
    char name[96];
    name_of(name, id, extension);
    (void)unlinkat(descriptor, name, 0);
}

void autosave_close(autosave *a)
{
    if (a->lock >= 0) {
        remove_file(a->folder, a->id, ".lock");
        (void)close(a->lock);
    }
    if (a->folder >= 0) (void)close(a->folder);
    a->lock = -1;
    a->folder = -1;
}

/* Writes all of it, under another name first. */
static bool write_whole(int descriptor, const char *id, const char *header, const char *scene, failure *why)
{
    char name[96];
    char temporary[96];
    name_of(name, id, ".json");
    name_of(temporary, id, ".tmp");
    const int file =
        openat(descriptor, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *stream = file < 0 ? NULL : fdopen(file, "wb");
    bool good = stream != NULL && fprintf(stream, "%s\n", header) > 0 && fputs(scene, stream) != EOF &&
                fflush(stream) == 0 && fsync(file) == 0;
    int problem = good ? 0 : errno;
    if (stream != NULL) {
        good = fclose(stream) == 0 && good;
    } else if (file >= 0) {
        (void)close(file);
    }
    if (good && renameat(descriptor, temporary, descriptor, name) != 0) {
        good = false;
        problem = errno;
    }
    if (!good) {
        (void)unlinkat(descriptor, temporary, 0);
        return fail(why, "file", FOLDER "/%s: %s", name, strerror(problem != 0 ? problem : EIO));
    }
    return true;
}

bool autosave_write(autosave *a, const folder *f, const document *d, failure *why)
{
    if (a->revision == d->revision) return true;
    if (d->scene == NULL || d->saved == d->revision) {
        if (a->lock >= 0) remove_file(a->folder, a->id, ".json");
        a->revision = d->revision;
        return true;
    }
    if (!begin(a, f, why)) return false;
    json_t *header = json_pack(
        "{s:i, s:I, s:o, s:o, s:I}", "voxelastic_autosave", 1, "time", (json_int_t)time(NULL), "file",
        d->file == NULL ? json_null() : text_json(d->file), "name", text_json(document_title(d)), "voxels",
        (json_int_t)(d->parsed == NULL ? 0 : vxe_scene_voxel_count(d->parsed)));
    char *first = json_dumps(header, JSON_COMPACT);
    char *scene = json_dumps(d->scene, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(header);
    bool good = false;
    if (first == NULL || scene == NULL) {
        (void)fail(why, "memory", "there is not enough memory for an autosave");
    } else {
        good = write_whole(a->folder, a->id, first, scene, why);
    }
    free(first);
    free(scene);
    if (good) a->revision = d->revision;
    return good;
}

/* ---- what others left --------------------------------------------------------------------------------------------- */

/* Whether the session that wrote it lives. */
static bool is_alive(int descriptor, const char *id)
{
    char name[96];
    name_of(name, id, ".lock");
    const int lock = openat(descriptor, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (lock < 0) return false;
    const bool alive = flock(lock, LOCK_EX | LOCK_NB) != 0;
    if (!alive) (void)unlinkat(descriptor, name, 0);
    (void)close(lock);
    return alive;
}

/* The line that tells what an autosave is; NULL if it is damaged. */
static json_t *read_header(int descriptor, const char *name)
{
    char text[HEADER_MAX];
    const int file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return NULL;
    const ssize_t size = read(file, text, sizeof text - 1);
    (void)close(file);
    if (size <= 0) return NULL;
    text[size] = '\0';
    text[strcspn(text, "\n")] = '\0';
    json_t *header = json_loads(text, 0, NULL);
    if (json_integer_value(json_object_get(header, "voxelastic_autosave")) != 1) {
        json_decref(header);
        return NULL;
    }
    return header;
}

/* The id of a file's name; false: it is not an autosave. */
static bool id_of(const char *name, char id[48])
{
    const size_t prefix = sizeof PREFIX - 1;
    const size_t length = strlen(name);
    if (length < prefix + 6 || length - prefix - 5 >= 48) return false;
    if (strncmp(name, PREFIX, prefix) != 0 || strcmp(name + length - 5, ".json") != 0) return false;
    memcpy(id, name + prefix, length - prefix - 5);
    id[length - prefix - 5] = '\0';
    return is_id(id);
}

static int compare_times(const void *a, const void *b)
{
    const json_int_t left = json_integer_value(json_object_get(*(json_t *const *)a, "time"));
    const json_int_t right = json_integer_value(json_object_get(*(json_t *const *)b, "time"));
    return (left < right) - (left > right);
}

json_t *autosave_list(const autosave *a, const folder *f)
{
    json_t *found[AUTOSAVES_MAX];
    size_t count = 0;
    json_t *list = json_array();
    const int descriptor = open_folder(f, false);
    DIR *stream = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (stream == NULL) {
        if (descriptor >= 0) (void)close(descriptor);
        return list;
    }
    const struct dirent *item = NULL;
    while (count < AUTOSAVES_MAX && (item = readdir(stream)) != NULL) {
        char id[48];
        if (!id_of(item->d_name, id) || strcmp(id, a->id) == 0 || is_alive(descriptor, id)) continue;
        json_t *header = read_header(descriptor, item->d_name);
        if (header == NULL) continue;
        (void)json_object_del(header, "voxelastic_autosave");
        (void)json_object_set_new(header, "id", json_string(id));
        found[count++] = header;
    }
    qsort(found, count, sizeof(void *), compare_times);
    for (size_t i = 0; i < count; i++) (void)json_array_append_new(list, found[i]);
    (void)closedir(stream);
    return list;
}

json_t *autosave_read(const folder *f, const char *id, json_t **file, failure *why)
{
    char path[160];
    inside_path found;
    char *text = NULL;
    size_t size = 0;
    vxe_error error = {VXE_OK, ""};
    if (!is_id(id)) {
        (void)fail(why, "argument", "\"%.64s\" is not the id of an autosave", id);
        return NULL;
    }
    (void)snprintf(path, sizeof path, FOLDER "/" PREFIX "%s.json", id);
    if (!folder_find(f, path, &found, why)) return NULL;
    if (vxe_read_file(found.text, AUTOSAVE_BYTES_MAX, &text, &size, &error) != VXE_OK) {
        (void)fail_error(why, &error);
        return NULL;
    }
    const size_t line = strcspn(text, "\n");
    json_t *header = json_loadb(text, line, 0, NULL);
    json_t *scene = line < size ? json_loadb(text + line + 1, size - line - 1, 0, NULL) : NULL;
    free(text);
    if (!json_is_object(scene) || !json_is_object(header)) {
        json_decref(scene);
        json_decref(header);
        (void)fail(why, "input", "the autosave is damaged");
        return NULL;
    }
    *file = json_incref(json_object_get(header, "file"));
    json_decref(header);
    return scene;
}

bool autosave_remove(const folder *f, const char *id, failure *why)
{
    if (!is_id(id)) return fail(why, "argument", "\"%.64s\" is not the id of an autosave", id);
    const int descriptor = open_folder(f, false);
    char name[96];
    name_of(name, id, ".json");
    const bool good = descriptor >= 0 && unlinkat(descriptor, name, 0) == 0;
    if (!good) (void)fail(why, "file", FOLDER "/%s: %s", name, strerror(errno));
    if (good) remove_file(descriptor, id, ".lock");
    if (descriptor >= 0) (void)close(descriptor);
    return good;
}
