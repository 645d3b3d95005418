/* Small things every part uses: error messages, checked sizes, hashing, names, whole-file reading and
 * writing. Nothing here knows about physics. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include "voxelastic/base.h"

#include <stdio.h>

#if defined(__GNUC__)
#define VXE_PRINTF(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define VXE_PRINTF(format_index, first_index)
#endif

/* Writes code and message into error (unless NULL) and returns the code: `return vxe_fail(error,
 * VXE_ERROR_INPUT, ...)`. Long messages are cut. */
vxe_result vxe_fail(vxe_error *error, vxe_result code, const char *format, ...) VXE_PRINTF(3, 4);

/* "There is not enough memory for WHAT (N bytes)". */
vxe_result vxe_fail_memory(vxe_error *error, const char *what, size_t bytes);

/* count * size, or 0 and false when that overflows. */
bool vxe_multiply(size_t count, size_t size, size_t *bytes);

/* Zeroed, 64-byte aligned memory for count elements; NULL when there is none (or the product overflows).
 * Freed by free(). */
void *vxe_allocate(size_t count, size_t size);

/* Room for `wanted` elements in an array that grows: itself where *room says that it has it, else a larger
 * one in its place, at least twice as large, and *room is what it has now. NULL: there is no memory, and
 * nothing has changed. */
void *vxe_grow(void *array, size_t wanted, size_t *room, size_t size);

/* Whether the machine has so much memory to give now: free memory, limits of the process and of its group.
 * To be asked before as much is filled; true where nothing is known. */
bool vxe_memory_holds(size_t bytes);
/* How much that is, bytes; SIZE_MAX where nothing is known. */
size_t vxe_memory_free(void);

/* Seconds on a clock: one that only goes forward, that of the day, the processor time of this thread and that
 * of the whole process. */
typedef enum vxe_clock { VXE_CLOCK_STEADY, VXE_CLOCK_DAY, VXE_CLOCK_THREAD, VXE_CLOCK_PROCESS } vxe_clock;
double vxe_seconds(vxe_clock clock);

/* FNV-1a, 64 bit: start with VXE_HASH_START and feed. */
#define VXE_HASH_START UINT64_C(14695981039346656037)
uint64_t vxe_hash_bytes(uint64_t hash, const void *data, size_t size);
uint64_t vxe_hash_u64(uint64_t hash, uint64_t value);  /* little endian on every machine */
uint64_t vxe_hash_double(uint64_t hash, double value); /* -0 hashes as 0 */
double vxe_hash_fraction(uint64_t hash); /* 0 to 1, as at random: for numbers that depend on nothing else */

/* A text in memory of its own, freed by free(); NULL when there is none. */
char *vxe_text(const char *format, ...) VXE_PRINTF(1, 2);

/* Adds to a text in `size` bytes; what does not fit is cut off. */
void vxe_append(char *text, size_t size, const char *format, ...) VXE_PRINTF(3, 4);

/* Copies a name into a VXE_NAME_SIZE buffer; false when it does not fit. */
bool vxe_copy_name(char target[VXE_NAME_SIZE], const char *source);

/* Whether text is valid UTF-8 without control characters other than tab and line feed. */
bool vxe_valid_text(const char *text);

/* A word and what it stands for, such as a value of an enumeration. Tables end with {NULL, 0}. */
typedef struct vxe_choice {
    const char *word;
    int value;
} vxe_choice;

/* "unknown" if there is none. */
const char *vxe_choice_word(const vxe_choice *choices, int value);
bool vxe_choice_find(const vxe_choice *choices, const char *word, int *value);
/* The entry of `names` most like `name` (edit distance at most a third of its length), or NULL: for "did you
 * mean". */
const char *vxe_nearest_name(const char *name, const char *const *names, size_t count);

/* Pipes and devices are read up to so many bytes only: some never end. */
#define VXE_STREAM_BYTES_MAX ((size_t)64 << 20)
/* Reads a whole file, at most `limit` bytes; a zero byte is put after the end. Freed by free(). A file that
 * is larger, or larger than the memory there is, is refused before it is read. */
vxe_result vxe_read_file(const char *path, size_t limit, char **data, size_t *size, vxe_error *error);

/* Temporary files are in the folder of the file they become, because a rename must not cross file systems.
 * Programs wait for results by listing that folder: so their names are hidden and have nothing of the final
 * name. They are locked (flock) as long as they are written. */
#define VXE_TEMPORARY_BEGIN ".vxe-"
#define VXE_TEMPORARY_END ".tmp"

/* A new temporary file beside `path`, open for reading and writing: its descriptor, and its name, freed by
 * free(). -1 and errno: it cannot be made. */
int vxe_open_temporary(const char *path, char **name);
/* Removes the temporary files in the folder of `path` that nobody writes any more: those of programs that
 * were killed. */
void vxe_remove_leftovers(const char *path);
/* VXE_ERROR_FILE if there is something at `path`, or where a link there leads, that is no plain file: such
 * things are never replaced. */
vxe_result vxe_check_plain(const char *path, vxe_error *error);

/* A file that appears whole or not at all: written beside its final name and renamed by vxe_file_commit(). */
typedef struct vxe_file {
    FILE *stream;
    char *path;
    char *temporary;
    char *buffer; /* of the stream: large, so that a page of a megabyte takes few calls */
    bool lasting; /* for whoever writes to set: it must survive a power failure, which takes some 10 ms */
} vxe_file;
vxe_result vxe_file_open(vxe_file *file, const char *path, vxe_error *error);
/* Flushes, closes and renames; on failure the temporary is removed. The file must not be used afterwards. */
vxe_result vxe_file_commit(vxe_file *file, vxe_error *error);
/* Closes and removes the temporary. Harmless after a commit. */
void vxe_file_discard(vxe_file *file);
/* Open, write, commit in one, lasting. */
vxe_result vxe_write_file(const char *path, const void *data, size_t size, vxe_error *error);

#endif
