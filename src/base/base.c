/* Errors, sizes, hashing and names: see base.h. */
#define _DEFAULT_SOURCE /* madvise */
#include "base/base.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

const char *vxe_result_name(vxe_result result)
{
    switch (result) {
    case VXE_OK: return "ok";
    case VXE_ERROR_ARGUMENT: return "bad argument";
    case VXE_ERROR_INPUT: return "bad input";
    case VXE_ERROR_LIMIT: return "limit exceeded";
    case VXE_ERROR_FILE: return "file problem";
    case VXE_ERROR_MEMORY: return "out of memory";
    case VXE_ERROR_DIVERGED: return "simulation failed";
    }
    return "unknown result";
}

const char *vxe_version(void) { return VXE_VERSION; }

vxe_result vxe_fail(vxe_error *error, vxe_result code, const char *format, ...)
{
    if (error != NULL) {
        error->code = code;
        va_list arguments;
        va_start(arguments, format);
        const int length = vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        if (length < 0) error->message[0] = '\0';
    }
    return code;
}

vxe_result vxe_fail_memory(vxe_error *error, const char *what, size_t bytes)
{
    return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for %s (%zu bytes)", what, bytes);
}

bool vxe_multiply(size_t count, size_t size, size_t *bytes)
{
    if (size != 0 && count > SIZE_MAX / size) {
        *bytes = 0;
        return false;
    }
    *bytes = count * size;
    return true;
}

/* From this size on memory is asked for in pages of 2 MB, where the system has them: a sweep through many
 * large arrays at once spends less time on finding out where their pages are. */
#define HUGE_PAGE ((size_t)1 << 21)
#define HUGE_FROM (4 * HUGE_PAGE)

void *vxe_allocate(size_t count, size_t size)
{
    size_t bytes = 0;
    if (!vxe_multiply(count, size, &bytes) || bytes > SIZE_MAX - HUGE_PAGE) return NULL;
    const size_t unit = bytes >= HUGE_FROM ? HUGE_PAGE : 64;
    bytes = (bytes + unit - 1) / unit * unit;
    if (bytes == 0) bytes = unit;
    void *memory = aligned_alloc(unit, bytes);
    if (memory == NULL) return NULL;
#ifdef MADV_HUGEPAGE
    if (unit == HUGE_PAGE) (void)madvise(memory, bytes, MADV_HUGEPAGE); /* only advice: it may be refused */
#endif
    memset(memory, 0, bytes);
    return memory;
}

void *vxe_grow(void *array, size_t wanted, size_t *room, size_t size)
{
    enum { LEAST = 16 };
    if (wanted <= *room) return array;
    const size_t twice = *room < SIZE_MAX / 2 ? 2 * *room : SIZE_MAX;
    const size_t larger = wanted > twice ? wanted : twice;
    const size_t count = larger > LEAST ? larger : LEAST;
    size_t bytes = 0;
    void *grown = vxe_multiply(count, size, &bytes) ? realloc(array, bytes) : NULL;
    if (grown != NULL) *room = count;
    return grown;
}

double vxe_seconds(vxe_clock clock)
{
    static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_THREAD_CPUTIME_ID,
                                       CLOCK_PROCESS_CPUTIME_ID};
    struct timespec now = {0, 0};
    (void)clock_gettime(clocks[clock], &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

uint64_t vxe_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

uint64_t vxe_hash_u64(uint64_t hash, uint64_t value)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    return vxe_hash_bytes(hash, bytes, sizeof bytes);
}

uint64_t vxe_hash_double(uint64_t hash, double value)
{
    uint64_t bits = 0;
    if (value == 0.0) value = 0.0; /* -0 compares equal to 0 but has another pattern */
    memcpy(&bits, &value, sizeof bits);
    if (bits == UINT64_C(0x8000000000000000)) bits = 0;
    return vxe_hash_u64(hash, bits);
}

double vxe_hash_fraction(uint64_t hash)
{
    hash = (hash ^ (hash >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (double)((hash ^ (hash >> 32)) >> 11) * 0x1p-53;
}

char *vxe_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    va_start(arguments, format);
    if (text != NULL) (void)vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void vxe_append(char *text, size_t size, const char *format, ...)
{
    if (size == 0) return;
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

bool vxe_copy_name(char target[VXE_NAME_SIZE], const char *source)
{
    const size_t length = strlen(source);
    if (length >= VXE_NAME_SIZE) return false;
    memset(target, 0, VXE_NAME_SIZE);
    memcpy(target, source, length);
    return true;
}

const char *vxe_choice_word(const vxe_choice *choices, int value)
{
    while (choices->word != NULL && choices->value != value) choices++;
    return choices->word != NULL ? choices->word : "unknown";
}

bool vxe_choice_find(const vxe_choice *choices, const char *word, int *value)
{
    while (choices->word != NULL && strcmp(choices->word, word) != 0) choices++;
    if (choices->word != NULL) *value = choices->value;
    return choices->word != NULL;
}

bool vxe_valid_text(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s != 0) {
        const unsigned char c = *s++;
        if (c < 0x80) {
            if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7f) return false;
            continue;
        }
        int more = 0;
        uint32_t code = 0;
        if (c >= 0xc2 && c <= 0xdf) {
            more = 1;
            code = c & 0x1fU;
        } else if (c >= 0xe0 && c <= 0xef) {
            more = 2;
            code = c & 0x0fU;
        } else if (c >= 0xf0 && c <= 0xf4) {
            more = 3;
            code = c & 0x07U;
        } else
            return false;
        for (int i = 0; i < more; i++, s++) {
            if ((*s & 0xc0) != 0x80) return false;
            code = (code << 6) | (*s & 0x3fU);
        }
        const uint32_t least = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;
        if (code < least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return false;
    }
    return true;
}

/* Levenshtein distance of two short strings; names longer than 63 bytes are "far". */
static size_t edit_distance(const char *a, const char *b)
{
    enum { most = 64 };
    size_t row[most];
    const size_t n = strlen(a);
    const size_t m = strlen(b);
    if (n >= most || m >= most) return most;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            const size_t other = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
            diagonal = row[j];
            row[j] = change < other ? change : other;
        }
    }
    return row[m];
}

const char *vxe_nearest_name(const char *name, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t least = strlen(name) / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        const size_t distance = edit_distance(name, names[i]);
        if (distance < least) {
            least = distance;
            best = names[i];
        }
    }
    return best;
}
