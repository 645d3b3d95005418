/* Reads the two columns of a signal's table from a CSV file: text in, arrays out. The rules of a table
 * (increasing times and so on) are the scene's; only what the file looks like is checked here. */
#include "io/csv.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

/* A stretch of text, without the blanks at both ends. */
typedef struct field {
    const char *text;
    size_t size;
} field;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static field trim(const char *text, size_t size)
{
    while (size > 0 && is_blank(text[0])) {
        text++;
        size--;
    }
    while (size > 0 && is_blank(text[size - 1])) size--;
    return (field){text, size};
}

/* Splits a line at its commas; gives the number of fields, of which at most two are stored. */
static int split(field line, field fields[2])
{
    int count = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= line.size; i++) {
        if (i < line.size && line.text[i] != ',') continue;
        if (count < 2) fields[count] = trim(line.text + begin, i - begin);
        count++;
        begin = i + 1;
    }
    return count;
}

static bool grow(vxe_csv *table, size_t *capacity)
{
    const size_t larger = *capacity == 0 ? 256 : 2 * *capacity;
    double *time = realloc(table->time, larger * sizeof *time);
    if (time != NULL) table->time = time;
    double *value = realloc(table->value, larger * sizeof *value);
    if (value != NULL) table->value = value;
    if (time == NULL || value == NULL) return false;
    *capacity = larger;
    return true;
}

/* Reads one line that is neither empty nor a comment. A heading is taken for the first only. */
static vxe_result read_point(field line, const char *name, size_t number, bool first, bool *heading,
                             double point[2], vxe_error *error)
{
    field fields[2] = {{NULL, 0}, {NULL, 0}};
    const int count = split(line, fields);
    *heading = false;
    if (count != 2) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s:%zu: %d column%s; a table has two: time,value", name,
                        number, count, count == 1 ? "" : "s");
    }
    double unused = 0.0;
    if (first && !vxe_read_number(fields[0].text, fields[0].size, &unused) &&
        !vxe_read_number(fields[1].text, fields[1].size, &unused)) {
        *heading = true;
        return VXE_OK;
    }
    for (int i = 0; i < 2; i++) {
        if (vxe_read_number(fields[i].text, fields[i].size, &point[i])) continue;
        return vxe_fail(error, VXE_ERROR_INPUT, "%s:%zu: the %s is not a number", name, number,
                        i == 0 ? "time" : "value");
    }
    return VXE_OK;
}

/* As vxe_csv_load(), from memory; `name` stands for the file in messages. */
static vxe_result parse(const char *text, size_t size, const char *name, vxe_csv *table, vxe_error *error)
{
    vxe_csv read = {0, NULL, NULL};
    vxe_result result = VXE_OK;
    size_t capacity = 0;
    size_t number = 0;
    bool first = true;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* byte order mark */
        text += 3;
        size -= 3;
    }
    for (size_t at = 0; at < size && result == VXE_OK;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end != NULL ? (size_t)(end - (text + at)) : size - at;
        const field line = trim(text + at, length);
        at += length + 1;
        number++;
        if (line.size == 0 || line.text[0] == '#') continue;
        double point[2] = {0.0, 0.0};
        bool heading = false;
        result = read_point(line, name, number, first, &heading, point, error);
        first = false;
        if (result != VXE_OK || heading) continue;
        if (read.count == VXE_SIGNAL_TABLE_MAX) {
            result = vxe_fail(error, VXE_ERROR_LIMIT, "%s:%zu: more than %d points", name, number,
                              VXE_SIGNAL_TABLE_MAX);
        } else if ((size_t)read.count == capacity && !grow(&read, &capacity)) {
            result = vxe_fail_memory(error, name, 4 * capacity * sizeof(double));
        } else {
            read.time[read.count] = point[0];
            read.value[read.count] = point[1];
            read.count++;
        }
    }
    if (result == VXE_OK && read.count < 2) {
        result = vxe_fail(error, VXE_ERROR_INPUT, "%s: a table needs at least two points, this has %d", name,
                          (int)read.count);
    }
    if (result != VXE_OK) {
        vxe_csv_free(&read);
        return result;
    }
    *table = read;
    return VXE_OK;
}

vxe_result vxe_csv_load(const char *path, vxe_csv *table, vxe_error *error)
{
    char *text = NULL;
    size_t size = 0;
    vxe_result result = vxe_read_file(path, VXE_CSV_BYTES_MAX, &text, &size, error);
    if (result != VXE_OK) return result;
    result = parse(text, size, path, table, error);
    free(text);
    return result;
}

void vxe_csv_free(vxe_csv *table)
{
    free(table->time);
    free(table->value);
    *table = (vxe_csv){0, NULL, NULL};
}
