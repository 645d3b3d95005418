/* Whole files: read at once with a limit, written under a temporary name and renamed. */
#define _DEFAULT_SOURCE /* mkstemps */
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
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
    size_t capacity = 65536;
    if (S_ISREG(info.st_mode) && info.st_size > 0 && (uintmax_t)info.st_size < SIZE_MAX - 1) {
        capacity = (size_t)info.st_size + 1;
        if (capacity > limit) capacity = 65536; /* refused below, after reading a little more than allowed */
    }
    char *buffer = NULL;
    size_t length = 0;
    vxe_result result = VXE_OK;
    for (;;) {
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
        capacity *= 2;
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

vxe_result vxe_file_open(vxe_file *file, const char *path, vxe_error *error)
{
    static const char suffix[] = ".XXXXXX.tmp";
    const size_t length = strlen(path);
    memset(file, 0, sizeof *file);
    file->path = malloc(length + 1);
    file->temporary = malloc(length + sizeof suffix);
    if (file->path == NULL || file->temporary == NULL) {
        vxe_file_discard(file);
        return vxe_fail_memory(error, path, length);
    }
    memcpy(file->path, path, length + 1);
    memcpy(file->temporary, path, length);
    memcpy(file->temporary + length, suffix, sizeof suffix);
    const int descriptor = mkstemps(file->temporary, 4);
    if (descriptor >= 0) {
        (void)fchmod(descriptor, 0644);
        file->stream = fdopen(descriptor, "wb");
        if (file->stream != NULL) return VXE_OK;
        (void)close(descriptor);
    } else {
        free(file->temporary); /* nothing to remove */
        file->temporary = NULL;
    }
    const vxe_result result = vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno));
    vxe_file_discard(file);
    return result;
}

vxe_result vxe_file_commit(vxe_file *file, vxe_error *error)
{
    int problem = 0;
    if (fflush(file->stream) != 0 || ferror(file->stream) || fsync(fileno(file->stream)) != 0)
        problem = errno != 0 ? errno : EIO;
    if (fclose(file->stream) != 0 && problem == 0) problem = errno;
    file->stream = NULL;
    if (problem == 0 && rename(file->temporary, file->path) != 0) problem = errno;
    vxe_result result = VXE_OK;
    if (problem != 0) {
        result = vxe_fail(error, VXE_ERROR_FILE, "%s: %s", file->path, strerror(problem));
    } else {
        free(file->temporary);
        file->temporary = NULL;
    }
    vxe_file_discard(file);
    return result;
}

void vxe_file_discard(vxe_file *file)
{
    if (file->stream != NULL) (void)fclose(file->stream);
    if (file->temporary != NULL) (void)unlink(file->temporary);
    free(file->temporary);
    free(file->path);
    memset(file, 0, sizeof *file);
}

vxe_result vxe_write_file(const char *path, const void *data, size_t size, vxe_error *error)
{
    vxe_file file;
    vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    if (size != 0 && fwrite(data, 1, size, file.stream) != size) {
        result = vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno));
        vxe_file_discard(&file);
        return result;
    }
    return vxe_file_commit(&file, error);
}
