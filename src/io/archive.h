/* ZIP archives (NPZ, 3MF): read from memory with limits, written whole. */
#ifndef IO_ARCHIVE_H
#define IO_ARCHIVE_H

#include "base/base.h"

/* An archive that is being read. */
typedef struct archive archive;

/* Opens an archive in memory, which must outlive it; `name` begins messages. VXE_ERROR_INPUT or _MEMORY. */
vxe_result vxe_archive_open(const char *data, size_t size, const char *name, archive **opened,
                            vxe_error *error);
void vxe_archive_close(archive *opened);
/* Number of entries, and the name of one (valid as long as the archive); NULL if there is none. */
int64_t vxe_archive_count(const archive *opened);
const char *vxe_archive_name(const archive *opened, int64_t entry);
/* The entry with a name; -1: there is none. */
int64_t vxe_archive_find(const archive *opened, const char *name);

/* Reads the beginning of an entry, at most `most` bytes; *got: how many there were. */
vxe_result vxe_archive_peek(const archive *opened, int64_t entry, char *data, size_t most, size_t *got,
                            vxe_error *error);
/* Unpacks an entry of at most `limit` bytes; freed by free(); a zero byte is put after the end.
 * VXE_ERROR_LIMIT if it is larger, or packed more than `ratio` times (a bomb), whatever the archive says of
 * its size. */
vxe_result vxe_archive_read(const archive *opened, int64_t entry, size_t limit, size_t ratio, char **data,
                            size_t *size, vxe_error *error);

/* A part of an archive to write: bytes in memory, or a stream that is read from its beginning. */
typedef struct archive_part {
    const char *name;
    const void *data;
    size_t size;
    FILE *stream; /* NULL: `data` */
} archive_part;

/* Writes an archive under a temporary name and renames it. */
vxe_result vxe_archive_write(const char *path, const archive_part *parts, int32_t count, vxe_error *error);

#endif
