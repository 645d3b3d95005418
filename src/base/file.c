/* Whole files: read at once with a limit, written under a temporary name and renamed. */
#define _DEFAULT_SOURCE /* mkstemps, flock, realpath */
#include "base/base.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

vxe_result vxe_read_file(const char *path, size_t limit, char **data, size_t *size, vxe_error *error)
{
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno));
    struct stat info;
    memset(&info, 0, sizeof info);
    if (fstat(fileno(stream), &info) == 0 && S_ISDIR(info.st_mode)) {
        (void)fclose(stream);
        return vxe_fail(error, VXE_ERROR_FILE, "%s: is a folder", path);
    }
    const bool plain = S_ISREG(info.st_mode);
    const uintmax_t length_told = plain && info.st_size > 0 ? (uintmax_t)info.st_size : 0;
    if (!plain && limit > VXE_STREAM_BYTES_MAX) limit = VXE_STREAM_BYTES_MAX;
    vxe_result result = VXE_OK;
    if (length_told > limit) {
        result = vxe_fail(error, VXE_ERROR_LIMIT, "%s: larger than %zu bytes", path, limit);
    } else if (!vxe_memory_holds((size_t)length_told)) {
        result = vxe_fail_memory(error, path, (size_t)length_told);
    }
    size_t capacity = length_told > 0 ? (size_t)length_told + 1 : 65536;
    char *buffer = NULL;
    size_t length = 0;
    while (result == VXE_OK) {
        char *larger = realloc(buffer, capacity + 1);
        if (larger == NULL) {
            result = vxe_fail_memory(error, path, capacity);
            break;
        }
        buffer = larger;
        length += fread(buffer + length, 1, capacity - length, stream);
        if (ferror(stream)) {
            result = vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno));
            break;
        }
        if (length > limit) {
            result = vxe_fail(error, VXE_ERROR_LIMIT, "%s: larger than %zu bytes", path, limit);
            break;
        }
        if (length < capacity) break;
        capacity = capacity > limit / 2 ? limit + 1 : 2 * capacity;
    }
    (void)fclose(stream);
    if (result != VXE_OK || buffer == NULL) {
        free(buffer);
        return result;
    }
    buffer[length] = '\0';
    *data = buffer;
    *size = length;
    return VXE_OK;
}

/* Where the file itself is: links are followed, so that they stay. NULL: no memory. */
static char *final_path(const char *path)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        char *real = realpath(path, NULL);
        if (real != NULL) return real; /* else it leads nowhere, and is replaced */
    }
    char *copy = malloc(strlen(path) + 1);
    if (copy != NULL) memcpy(copy, path, strlen(path) + 1);
    return copy;
}

/* The folder of a path, with its slash, and a name in it: freed by free(). */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    const size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *text = malloc(folder + strlen(name) + 1);
    if (text == NULL) return NULL;
    memcpy(text, path, folder);
    memcpy(text + folder, name, strlen(name) + 1);
    return text;
}

vxe_result vxe_check_plain(const char *path, vxe_error *error)
{
    struct stat info;
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode)) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_FILE, "%s: %s, so it is not written", path,
                    S_ISDIR(info.st_mode) ? "is a folder" : "is no plain file");
}

int vxe_open_temporary(const char *path, char **name)
{
    *name = beside(path, VXE_TEMPORARY_BEGIN "XXXXXX" VXE_TEMPORARY_END);
    if (*name == NULL) {
        errno = ENOMEM;
        return -1;
    }
    const size_t pattern = strlen(*name) - strlen(VXE_TEMPORARY_END) - 6;
    for (;;) {
        const int descriptor = mkstemps(*name, (int)strlen(VXE_TEMPORARY_END));
        if (descriptor < 0) {
            const int problem = errno;
            free(*name);
            *name = NULL;
            errno = problem;
            return -1;
        }
        /* the lock tells vxe_remove_leftovers() that somebody writes it; it may have been faster */
        (void)flock(descriptor, LOCK_EX);
        struct stat info;
        if (fstat(descriptor, &info) == 0 && info.st_nlink > 0) return descriptor;
        (void)close(descriptor);
        memset(*name + pattern, 'X', 6);
    }
}

void vxe_remove_leftovers(const char *path)
{
    char *folder = beside(path, ".");
    DIR *list = folder == NULL ? NULL : opendir(folder);
    free(folder);
    if (list == NULL) return;
    const int place = dirfd(list);
    const struct dirent *entry = NULL;
    while ((entry = readdir(list)) != NULL) {
        const size_t length = strlen(entry->d_name);
        const size_t end = strlen(VXE_TEMPORARY_END);
        if (strncmp(entry->d_name, VXE_TEMPORARY_BEGIN, strlen(VXE_TEMPORARY_BEGIN)) != 0 || length < end ||
            strcmp(entry->d_name + length - end, VXE_TEMPORARY_END) != 0)
            continue;
        const int file = openat(place, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file < 0) continue;
        if (flock(file, LOCK_EX | LOCK_NB) == 0) (void)unlinkat(place, entry->d_name, 0);
        (void)close(file);
    }
    (void)closedir(list);
}

enum { BUFFER = 1 << 16 }; /* bytes */

vxe_result vxe_file_open(vxe_file *file, const char *path, vxe_error *error)
{
    memset(file, 0, sizeof *file);
    const vxe_result plain = vxe_check_plain(path, error);
    if (plain != VXE_OK) return plain;
    file->path = final_path(path);
    if (file->path == NULL) return vxe_fail_memory(error, path, strlen(path));
    /* the analyser does not see that vxe_file_discard() and vxe_file_commit() free the path */
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    const int descriptor = vxe_open_temporary(file->path, &file->temporary);
    if (descriptor >= 0) {
        (void)fchmod(descriptor, 0644);
        file->stream = fdopen(descriptor, "wb");
        if (file->stream != NULL) {
            file->buffer = malloc(BUFFER);
            if (file->buffer != NULL) (void)setvbuf(file->stream, file->buffer, _IOFBF, BUFFER);
            return VXE_OK;
        }
        (void)close(descriptor);
    }
    const vxe_result result = vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno));
    vxe_file_discard(file);
    return result;
}

vxe_result vxe_file_commit(vxe_file *file, vxe_error *error)
{
    int problem = 0;
    if (fflush(file->stream) != 0 || ferror(file->stream) ||
        (file->lasting && fsync(fileno(file->stream)) != 0))
        problem = errno != 0 ? errno : EIO;
    /* renamed before it is closed: closing lets go of the lock */
    if (problem == 0 && rename(file->temporary, file->path) != 0) problem = errno;
    if (problem == 0) {
        free(file->temporary);
        file->temporary = NULL;
    }
    if (fclose(file->stream) != 0 && problem == 0) problem = errno;
    file->stream = NULL;
    const vxe_result result =
        problem == 0 ? VXE_OK : vxe_fail(error, VXE_ERROR_FILE, "%s: %s", file->path, strerror(problem));
    vxe_file_discard(file);
    return result;
}

void vxe_file_discard(vxe_file *file)
{
    if (file->temporary != NULL) (void)unlink(file->temporary);
    if (file->stream != NULL) (void)fclose(file->stream);
    free(file->temporary);
    free(file->path);
    free(file->buffer);
    memset(file, 0, sizeof *file);
}

vxe_result vxe_write_file(const char *path, const void *data, size_t size, vxe_error *error)
{
    vxe_file file;
    vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    file.lasting = true;
    if (size != 0 && fwrite(data, 1, size, file.stream) != size) {
        result = vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno));
        vxe_file_discard(&file);
        return result;
    }
    return vxe_file_commit(&file, error);
}
