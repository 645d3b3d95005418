/* ZIP archives by way of libzip: see archive.h. */
#include "io/archive.h"

#include <stdlib.h>
#include <unistd.h>

#include <zip.h>

struct archive {
    zip_t *zip;
    const char *name;
};

enum { ENTRIES_MAX = 65536, CHUNK = 1 << 20 };

vxe_result vxe_archive_open(const char *data, size_t size, const char *name, archive **opened,
                            vxe_error *error)
{
    zip_error_t problem;
    if (size == 0) return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: the file is empty", name);
    zip_error_init(&problem);
    zip_source_t *source = zip_source_buffer_create(data, size, 0, &problem);
    zip_t *zip = source != NULL ? zip_open_from_source(source, ZIP_RDONLY, &problem) : NULL;
    vxe_result result = VXE_OK;
    if (zip == NULL) {
        if (source != NULL) zip_source_free(source);
        result = vxe_fail(error, VXE_ERROR_INPUT, "%.500s: not a ZIP archive: %s", name,
                          zip_error_strerror(&problem));
    } else if (zip_get_num_entries(zip, 0) > ENTRIES_MAX) {
        result =
            vxe_fail(error, VXE_ERROR_LIMIT, "%.500s: more than %d files in the archive", name, ENTRIES_MAX);
    }
    zip_error_fini(&problem);
    archive *made = result == VXE_OK ? vxe_allocate(1, sizeof *made) : NULL;
    if (made == NULL) {
        if (zip != NULL) zip_discard(zip);
        return result != VXE_OK ? result : vxe_fail_memory(error, name, sizeof *made);
    }
    *made = (archive){zip, name};
    *opened = made;
    return VXE_OK;
}

void vxe_archive_close(archive *opened)
{
    if (opened == NULL) return;
    zip_discard(opened->zip);
    free(opened);
}

int64_t vxe_archive_count(const archive *opened) { return zip_get_num_entries(opened->zip, 0); }

const char *vxe_archive_name(const archive *opened, int64_t entry)
{
    return entry < 0 ? NULL : zip_get_name(opened->zip, (zip_uint64_t)entry, ZIP_FL_ENC_GUESS);
}

int64_t vxe_archive_find(const archive *opened, const char *name)
{
    return zip_name_locate(opened->zip, name, ZIP_FL_NOCASE);
}

static vxe_result fail_entry(const archive *a, int64_t entry, const char *what, vxe_error *error)
{
    const char *name = vxe_archive_name(a, entry);
    return vxe_fail(error, VXE_ERROR_INPUT, "%.400s: %.200s: %s", a->name,
                    name != NULL && vxe_valid_text(name) ? name : "a file in the archive", what);
}

static vxe_result open_entry(const archive *a, int64_t entry, zip_file_t **file, vxe_error *error)
{
    *file = entry < 0 ? NULL : zip_fopen_index(a->zip, (zip_uint64_t)entry, 0);
    return *file != NULL ? VXE_OK : fail_entry(a, entry, zip_strerror(a->zip), error);
}

/* Reads up to `size` bytes; false for damaged data. Fewer only at the end. */
static bool read_some(zip_file_t *file, char *data, size_t size, size_t *got)
{
    *got = 0;
    while (*got < size) {
        const size_t left = size - *got;
        const zip_int64_t count = zip_fread(file, data + *got, left < CHUNK ? left : CHUNK);
        if (count < 0) return false;
        if (count == 0) break;
        *got += (size_t)count;
    }
    return true;
}

vxe_result vxe_archive_peek(const archive *opened, int64_t entry, char *data, size_t most, size_t *got,
                            vxe_error *error)
{
    zip_file_t *file = NULL;
    vxe_result result = open_entry(opened, entry, &file, error);
    if (result != VXE_OK) return result;
    if (!read_some(file, data, most, got))
        result = fail_entry(opened, entry, "the packed data is damaged", error);
    (void)zip_fclose(file);
    return result;
}

vxe_result vxe_archive_read(const archive *opened, int64_t entry, size_t limit, size_t ratio, char **data,
                            size_t *size, vxe_error *error)
{
    zip_file_t *file = NULL;
    zip_stat_t info;
    zip_stat_init(&info);
    vxe_result result = open_entry(opened, entry, &file, error);
    if (result != VXE_OK) return result;
    size_t most = limit;
    if (zip_stat_index(opened->zip, (zip_uint64_t)entry, 0, &info) == 0 &&
        (info.valid & ZIP_STAT_COMP_SIZE) != 0 && info.comp_size < limit / ratio)
        most = (size_t)info.comp_size * ratio + 65536;
    /* What the archive says of the size is only a first guess: memory grows with what really comes out. */
    size_t room = (info.valid & ZIP_STAT_SIZE) != 0 && info.size < most ? (size_t)info.size + 1 : CHUNK;
    char *buffer = malloc(room + 1);
    size_t used = 0;
    while (result == VXE_OK) {
        size_t got = 0;
        if (buffer == NULL) {
            result = vxe_fail_memory(error, opened->name, room);
        } else if (!read_some(file, buffer + used, room - used, &got)) {
            result = fail_entry(opened, entry, "the packed data is damaged", error);
        } else if (used + got > most) {
            result = vxe_fail(error, VXE_ERROR_LIMIT,
                              "%.400s: unpacks to more than %zu bytes: too large, or a decompression bomb",
                              opened->name, most);
        } else {
            used += got;
            if (used < room) break;
            room = 2 * room;
            char *larger = realloc(buffer, room + 1);
            if (larger == NULL) free(buffer);
            buffer = larger;
        }
    }
    (void)zip_fclose(file);
    if (result != VXE_OK || buffer == NULL) {
        free(buffer);
        return result;
    }
    buffer[used] = '\0';
    *data = buffer;
    *size = used;
    return VXE_OK;
}

static bool add_parts(zip_t *zip, const archive_part *parts, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        zip_source_t *source = NULL;
        if (parts[i].stream != NULL) { /* a copy, because the source closes it */
            const int descriptor = dup(fileno(parts[i].stream));
            FILE *copy = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
            if (copy != NULL && fseek(copy, 0, SEEK_SET) == 0) source = zip_source_filep(zip, copy, 0, -1);
            if (source == NULL && copy != NULL) (void)fclose(copy);
            if (copy == NULL && descriptor >= 0) (void)close(descriptor);
        } else {
            source = zip_source_buffer(zip, parts[i].data, parts[i].size, 0);
        }
        if (source == NULL) return false;
        const zip_int64_t entry = zip_file_add(zip, parts[i].name, source, ZIP_FL_ENC_UTF_8);
        if (entry < 0) {
            zip_source_free(source);
            return false;
        }
        /* The fastest level: numbers of a simulation do not pack well anyway. */
        (void)zip_set_file_compression(zip, (zip_uint64_t)entry, ZIP_CM_DEFLATE, 1);
    }
    return true;
}

vxe_result vxe_archive_write(const char *path, const archive_part *parts, int32_t count, vxe_error *error)
{
    int code = 0;
    zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (zip == NULL) {
        zip_error_t problem;
        zip_error_init_with_code(&problem, code);
        const vxe_result result =
            vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, zip_error_strerror(&problem));
        zip_error_fini(&problem);
        return result;
    }
    /* libzip itself writes beside the name and renames. */
    if (add_parts(zip, parts, count) && zip_close(zip) == 0) return VXE_OK;
    const vxe_result result = vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, zip_strerror(zip));
    zip_discard(zip);
    return result;
}
