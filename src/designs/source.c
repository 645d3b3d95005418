/* The stream of designs: see source.h. */
#include "designs/source.h"

#include "voxelastic/io.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { BLOCK = 1 << 18 };

struct design_source {
    int64_t shard;
    int64_t shards;
    int64_t number; /* designs so far, other shards' too */
    char *label;
    char *folder;
    /* a folder, or one file */
    char **names; /* NULL: lines */
    int32_t name_count;
    /* lines */
    FILE *stream;
    bool own;       /* the stream is to be closed */
    char *block;    /* (BLOCK) */
    size_t begin;   /* what is left of the block */
    size_t end;     /* likewise */
    int64_t line;   /* lines so far */
    double passed;  /* bytes so far */
    double in_file; /* bytes; NaN: not known */
};

void vxe_item_free(design_item *item)
{
    free(item->text);
    free(item->file);
    free(item->name);
    item->text = NULL;
    item->file = NULL;
    item->name = NULL;
    item->size = 0;
    item->too_long = false;
}

/* ---- folders ---------------------------------------------------------------------------------------------- */

static bool is_scene_name(const char *name)
{
    vxe_format_info info;
    const size_t length = strlen(name);
    if (name[0] == '.') return false;
    for (int32_t i = 0; vxe_format_get(i, &info); i++) {
        const size_t end = strlen(info.extension);
        if (info.reads && length > end && strcasecmp(name + length - end, info.extension) == 0) return true;
    }
    return false;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static vxe_result list_scenes(design_source *s, const char *path, vxe_error *error)
{
    DIR *list = opendir(path);
    if (list == NULL) return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno));
    const struct dirent *entry = NULL;
    size_t room = 0;
    vxe_result result = VXE_OK;
    while (result == VXE_OK && (entry = readdir(list)) != NULL) {
        if (!is_scene_name(entry->d_name)) continue;
        char **names = s->name_count < INT32_MAX
                           ? vxe_grow(s->names, (size_t)s->name_count + 1, &room, sizeof *names)
                           : NULL;
        if (names != NULL) s->names = names;
        char *name = names != NULL ? vxe_text("%s", entry->d_name) : NULL;
        if (name == NULL) {
            result = vxe_fail_memory(error, "the names of a folder", room);
            break;
        }
        s->names[s->name_count++] = name;
    }
    (void)closedir(list);
    if (result == VXE_OK && s->name_count > 0)
        qsort(s->names, (size_t)s->name_count, sizeof *s->names, compare_names);
    return result;
}

static vxe_result open_folder(design_source *s, const char *path, vxe_error *error)
{
    vxe_result result = vxe_overlay_folder(path) ? vxe_overlay_list(path, &s->names, &s->name_count, error)
                                                 : list_scenes(s, path, error);
    if (result == VXE_OK && s->name_count == 0)
        result = vxe_fail(error, VXE_ERROR_INPUT, "%s: there is no scene in this folder", path);
    s->folder = vxe_text("%s", path);
    return result;
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* The folder of a path. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) return vxe_text(".");
    return vxe_text("%.*s", slash == path ? 1 : (int)(slash - path), path);
}

static vxe_result open_lines(design_source *s, const char *path, vxe_error *error)
{
    const bool input = strcmp(path, "-") == 0;
    struct stat info;
    s->stream = input ? stdin : fopen(path, "rb");
    if (s->stream == NULL) return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno));
    s->own = !input;
    s->in_file = fstat(fileno(s->stream), &info) == 0 && S_ISREG(info.st_mode) ? (double)info.st_size : NAN;
    s->block = malloc(BLOCK);
    s->folder = input ? vxe_text(".") : folder_of(path);
    return s->block == NULL ? vxe_fail_memory(error, path, BLOCK) : VXE_OK;
}

/* A single scene stands for a folder with nothing else in it. */
static vxe_result open_scene(design_source *s, const char *path, vxe_error *error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    s->names = calloc(1, sizeof *s->names);
    if (s->names != NULL) s->names[0] = vxe_text("%s", name);
    if (s->names == NULL || s->names[0] == NULL) return vxe_fail_memory(error, path, strlen(path));
    s->name_count = 1;
    s->folder = folder_of(path);
    return VXE_OK;
}

vxe_result vxe_source_open(const char *path, int64_t shard, int64_t shards, design_source **source,
                           vxe_error *error)
{
    struct stat info;
    const bool input = strcmp(path, "-") == 0;
    if (!input && stat(path, &info) != 0)
        return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno));
    design_source *s = calloc(1, sizeof *s);
    if (s == NULL) return vxe_fail_memory(error, path, sizeof *s);
    s->shard = shard;
    s->shards = shards;
    s->label = input ? vxe_text("standard input") : vxe_text("%s", path);
    vxe_result result = VXE_OK;
    if (!input && S_ISDIR(info.st_mode)) {
        result = open_folder(s, path, error);
    } else if (!input && is_scene_name(path)) {
        result = open_scene(s, path, error);
    } else {
        result = open_lines(s, path, error);
    }
    if (result == VXE_OK && (s->label == NULL || s->folder == NULL))
        result = vxe_fail_memory(error, path, strlen(path));
    if (result != VXE_OK) {
        vxe_source_close(s);
        return result;
    }
    *source = s;
    return VXE_OK;
}

void vxe_source_close(design_source *source)
{
    if (source == NULL) return;
    if (source->own) (void)fclose(source->stream);
    for (int32_t i = 0; i < source->name_count; i++) free(source->names[i]);
    free(source->names);
    free(source->block);
    free(source->label);
    free(source->folder);
    free(source);
}

/* Adds bytes to a line; what is over the limit is dropped. False: no memory. */
static bool append(design_item *item, size_t *room, const char *bytes, size_t count)
{
    if (item->size + count > DESIGN_LINE_MAX) {
        item->too_long = true;
        count = DESIGN_LINE_MAX - item->size;
    }
    char *text = vxe_grow(item->text, item->size + count + 1, room, 1);
    if (text == NULL) return false;
    item->text = text;
    if (count > 0) memcpy(item->text + item->size, bytes, count);
    item->size += count;
    item->text[item->size] = '\0';
    return true;
}

/* The next line, without its end; *found false at the end of the file. */
static vxe_result next_line(design_source *s, design_item *item, bool *found, vxe_error *error)
{
    size_t room = 0;
    *found = false;
    for (;;) {
        if (s->begin == s->end) {
            s->begin = 0;
            s->end = fread(s->block, 1, BLOCK, s->stream);
            if (s->end == 0 && ferror(s->stream))
                return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", s->label, strerror(errno));
            if (s->end == 0) return VXE_OK;
        }
        const char *at = s->block + s->begin;
        const char *newline = memchr(at, '\n', s->end - s->begin);
        const size_t count = newline != NULL ? (size_t)(newline - at) : s->end - s->begin;
        *found = true;
        if (!append(item, &room, at, count)) return vxe_fail_memory(error, "a line", item->size);
        s->begin += count + (newline != NULL ? 1 : 0);
        s->passed += (double)count + 1.0;
        if (newline != NULL) return VXE_OK;
    }
}

/* Blank lines are no designs. A line of another shard must be looked at too, because of that. */
static bool is_blank(const design_item *item)
{
    return item->text == NULL || strspn(item->text, " \t\r") == item->size;
}

static vxe_result next_file(design_source *s, design_item *item, bool *found, vxe_error *error)
{
    while (s->number < s->name_count && s->number % s->shards != s->shard - 1) s->number++;
    *found = s->number < s->name_count;
    if (!*found) return VXE_OK;
    const char *name = s->names[s->number++];
    const size_t length = strlen(s->folder);
    const char *slash = length > 0 && s->folder[length - 1] == '/' ? "" : "/";
    item->number = s->number;
    item->file = vxe_text("%s%s%s", s->folder, slash, name);
    item->name = vxe_text("%s", name);
    if (item->file == NULL || item->name == NULL) {
        vxe_item_free(item);
        return vxe_fail_memory(error, "the path of a file", length + strlen(name) + 2);
    }
    return VXE_OK;
}

vxe_result vxe_source_next(design_source *source, design_item *item, bool *found, vxe_error *error)
{
    *item = (design_item){.number = 0};
    if (source->names != NULL) return next_file(source, item, found, error);
    for (;;) {
        const vxe_result result = next_line(source, item, found, error);
        if (result != VXE_OK || !*found) {
            vxe_item_free(item);
            return result;
        }
        source->line++;
        if (source->line == 1 && item->size >= 3 && memcmp(item->text, "\xef\xbb\xbf", 3) == 0) {
            item->size -= 3; /* byte order mark */
            memmove(item->text, item->text + 3, item->size + 1);
        }
        const bool mine = !is_blank(item) && source->number++ % source->shards == source->shard - 1;
        item->number = source->line;
        if (mine) return VXE_OK;
        vxe_item_free(item);
    }
}

double vxe_source_part(const design_source *source)
{
    if (source->names != NULL) return (double)source->number / (double)source->name_count;
    return source->in_file > 0.0 ? fmin(source->passed / source->in_file, 1.0) : NAN;
}

const char *vxe_source_label(const design_source *source) { return source->label; }
