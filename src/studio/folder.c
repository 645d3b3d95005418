/* Paths that stay inside one folder; see folder.h.
 *
 * openat2() with RESOLVE_BENEATH lets the kernel itself refuse every way out. Kernels without it (before 5.6)
 * get the next best: the real path of the file must begin with that of the folder. */
#define _GNU_SOURCE /* O_PATH, syscall */
#include "studio/folder.h"
#include "studio/formats.h"
#include "studio/message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ENTRIES_MAX = 10000 };

bool folder_open(folder *f, const char *path, failure *why)
{
    memset(f, 0, sizeof *f);
    f->descriptor = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (f->descriptor < 0 || realpath(path, f->root) == NULL) {
        (void)fail(why, "file", "%s: %s", path, strerror(errno));
        folder_close(f);
        return false;
    }
    return true;
}

void folder_close(folder *f)
{
    if (f->descriptor >= 0) (void)close(f->descriptor);
    f->descriptor = -1;
}

const char *folder_name(const folder *f)
{
    const char *slash = strrchr(f->root, '/');
    return slash == NULL || slash[1] == '\0' ? f->root : slash + 1;
}

/* Refuses by its letters what cannot be inside. */
static bool check_letters(const char *path, failure *why)
{
    if (strlen(path) >= PATH_MAX / 2) return fail(why, "limit", "the path is too long");
    for (const char *at = path; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            return fail(why, "outside", "the path has control characters");
        }
    }
    if (path[0] == '/') return fail(why, "outside", "%s: paths are relative to the studio's folder", path);
    for (const char *part = path; part != NULL;) {
        const size_t length = strcspn(part, "/");
        if (length == 2 && strncmp(part, "..", 2) == 0) {
            return fail(why, "outside", "%s: a path must not contain \"..\"", path);
        }
        part = part[length] == '/' ? part + length + 1 : NULL;
    }
    return true;
}

/* Whether `path` is `root` or below it. */
static bool is_below(const char *root, const char *path)
{
    const size_t length = strlen(root);
    return strncmp(root, path, length) == 0 &&
           (path[length] == '\0' || path[length] == '/' || (length == 1 && root[0] == '/'));
}

bool folder_find(const folder *f, const char *path, inside_path *found, failure *why)
{
    if (!check_letters(path, why)) return false;
    const char *name = path[0] == '\0' ? "." : path;
    struct open_how how;
    memset(&how, 0, sizeof how);
    how.flags = (uint64_t)(O_PATH | O_CLOEXEC);
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    int descriptor = (int)syscall(SYS_openat2, f->descriptor, name, &how, sizeof how);
    if (descriptor < 0 && (errno == ENOSYS || errno == EPERM)) {
        descriptor = openat(f->descriptor, name, O_PATH | O_CLOEXEC);
    }
    if (descriptor < 0) {
        if (errno == EXDEV || errno == ELOOP) {
            return fail(why, "outside", "%s: leads out of the studio's folder", path);
        }
        return fail(why, "file", "%s: %s", path, strerror(errno));
    }
    char link[64];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, found->text, sizeof found->text - 1);
    (void)close(descriptor);
    if (length < 0) return fail(why, "file", "%s: %s", path, strerror(errno));
    found->text[length] = '\0';
    if (!is_below(f->root, found->text)) {
        return fail(why, "outside", "%s: leads out of the studio's folder", path);
    }
    return true;
}

bool folder_place(const folder *f, const char *path, inside_path *place, failure *why)
{
    if (!check_letters(path, why)) return false;
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    if (name[0] == '\0' || strcmp(name, ".") == 0) return fail(why, "argument", "%s: names no file", path);
    if (name[0] == '.') return fail(why, "argument", "%s: hidden files are not written", path);
    char parent[PATH_MAX];
    (void)snprintf(parent, sizeof parent, "%.*s", slash == NULL ? 0 : (int)(slash - path), path);
    inside_path above;
    if (!folder_find(f, parent, &above, why)) return false;
    const int length = snprintf(place->text, sizeof place->text, "%s/%s", above.text, name);
    if (length < 0 || (size_t)length >= sizeof place->text) return fail(why, "limit", "the path is too long");
    struct stat info;
    /* A link there is refused: it would be replaced, which is not what its owner expects. */
    if (lstat(place->text, &info) == 0 && !S_ISREG(info.st_mode)) {
        return fail(why, S_ISLNK(info.st_mode) ? "outside" : "file", "%s: is not a plain file", path);
    }
    return true;
}

/* ---- lists -------------------------------------------------------------------------------------------------------- */

typedef struct entry {
    char *name;
    const char *kind;
    struct stat info;
} entry;

static int compare_entries(const void *a, const void *b)
{
    const entry *left = a;
    const entry *right = b;
    const int folders = S_ISDIR(right->info.st_mode) - S_ISDIR(left->info.st_mode);
    if (folders != 0) return folders;
    const int order = strcasecmp(left->name, right->name);
    return order != 0 ? order : strcmp(left->name, right->name);
}

/* What an entry is; NULL: not to be shown. */
static const char *kind_of(const char *name, const struct stat *info)
{
    if (name[0] == '.') return NULL;
    if (S_ISDIR(info->st_mode)) return "folder";
    if (!S_ISREG(info->st_mode)) return NULL;
    if (formats_reads(name)) return "scene";
    return formats_is_mesh(name) ? "mesh" : NULL;
}

static size_t read_entries(const folder *f, const char *path, DIR *stream, entry *entries)
{
    size_t count = 0;
    const struct dirent *item = NULL;
    while (count < ENTRIES_MAX && (item = readdir(stream)) != NULL) {
        entry *e = &entries[count];
        memset(e, 0, sizeof *e);
        if (fstatat(dirfd(stream), item->d_name, &e->info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (S_ISLNK(e->info.st_mode)) { /* shown if it leads to something inside */
            char whole[PATH_MAX];
            inside_path target;
            failure ignored = {NULL, ""};
            (void)snprintf(whole, sizeof whole, "%s%s%s", path, path[0] == '\0' ? "" : "/", item->d_name);
            if (!folder_find(f, whole, &target, &ignored) || stat(target.text, &e->info) != 0) continue;
        }
        e->kind = kind_of(item->d_name, &e->info);
        e->name = e->kind == NULL ? NULL : strdup(item->d_name);
        count += e->name != NULL;
    }
    return count;
}

json_t *folder_list(const folder *f, const char *path, failure *why)
{
    inside_path found;
    if (!folder_find(f, path, &found, why)) return NULL;
    DIR *stream = opendir(found.text);
    if (stream == NULL) {
        (void)fail(why, "file", "%s: %s", path, strerror(errno));
        return NULL;
    }
    entry *entries = calloc(ENTRIES_MAX, sizeof *entries);
    json_t *list = json_array();
    if (entries != NULL) {
        const size_t count = read_entries(f, path, stream, entries);
        qsort(entries, count, sizeof *entries, compare_entries);
        for (size_t i = 0; i < count; i++) {
            (void)json_array_append_new(list, json_pack("{s:o, s:s, s:I, s:I}", "name",
                                                        text_json(entries[i].name), "kind", entries[i].kind,
                                                        "bytes", (json_int_t)entries[i].info.st_size,
                                                        "modified", (json_int_t)entries[i].info.st_mtime));
            free(entries[i].name);
        }
    }
    free(entries);
    (void)closedir(stream);
    return json_pack("{s:s, s:o}", "path", path, "entries", list);
}
