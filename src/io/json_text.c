/* The text of a JSON file while it is written. */
#include "io/json_text.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

#define LINE_WIDTH 110 /* where long lists are broken */

void vxe_json_put_bytes(vxe_json_writer *w, const char *bytes, size_t size)
{
    if (w->failed) return;
    char *text = size < SIZE_MAX - w->used ? vxe_grow(w->text, w->used + size + 1, &w->capacity, 1) : NULL;
    if (text == NULL) {
        w->failed = true;
        return;
    }
    w->text = text;
    memcpy(w->text + w->used, bytes, size);
    w->used += size;
    w->text[w->used] = '\0';
}

void vxe_json_put(vxe_json_writer *w, const char *text) { vxe_json_put_bytes(w, text, strlen(text)); }

static void new_line(vxe_json_writer *w)
{
    vxe_json_put(w, "\n");
    w->line_start = w->used;
    for (int i = 0; i < w->depth; i++) vxe_json_put(w, "  ");
}

static void put_string(vxe_json_writer *w, const char *text)
{
    vxe_json_put(w, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        char escaped[8] = {*c, '\0'};
        if (*c == '"' || *c == '\\')
            (void)snprintf(escaped, sizeof escaped, "\\%c", *c);
        else if (*c == '\n')
            (void)snprintf(escaped, sizeof escaped, "\\n");
        else if ((unsigned char)*c < 0x20)
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*c);
        vxe_json_put(w, escaped);
    }
    vxe_json_put(w, "\"");
}

static void put_number(vxe_json_writer *w, double value)
{
    char text[VXE_NUMBER_SIZE];
    vxe_print_number(text, value);
    vxe_json_put(w, text);
}

void vxe_json_put_integer(vxe_json_writer *w, int64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    vxe_json_put(w, text);
}

void vxe_json_begin(vxe_json_writer *w, const char *key)
{
    const int level = w->depth - 1;
    if (w->filled[level]) vxe_json_put(w, ",");
    if (!w->in_line[level])
        new_line(w);
    else if (w->filled[level])
        vxe_json_put(w, " ");
    w->filled[level] = true;
    if (key == NULL) return;
    put_string(w, key);
    vxe_json_put(w, ": ");
}

void vxe_json_break_line(vxe_json_writer *w)
{
    if (w->used - w->line_start > LINE_WIDTH) new_line(w);
}

void vxe_json_open(vxe_json_writer *w, const char *bracket, bool in_line)
{
    vxe_json_put(w, bracket);
    w->in_line[w->depth] = in_line;
    w->filled[w->depth] = false;
    w->depth++;
}

void vxe_json_enter(vxe_json_writer *w, const char *key, const char *bracket, bool in_line)
{
    vxe_json_begin(w, key);
    vxe_json_open(w, bracket, in_line);
}

void vxe_json_close(vxe_json_writer *w, const char *bracket)
{
    w->depth--;
    if (!w->in_line[w->depth] && w->filled[w->depth]) new_line(w);
    vxe_json_put(w, bracket);
}

void vxe_json_write_text(vxe_json_writer *w, const char *key, const char *text)
{
    vxe_json_begin(w, key);
    put_string(w, text);
}

void vxe_json_write_number(vxe_json_writer *w, const char *key, double value)
{
    vxe_json_begin(w, key);
    put_number(w, value);
}

bool vxe_json_same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

void vxe_json_write_unless(vxe_json_writer *w, const char *key, double value, double standard)
{
    if (!vxe_json_same_bits(value, standard)) vxe_json_write_number(w, key, value);
}

void vxe_json_write_integer(vxe_json_writer *w, const char *key, int64_t value)
{
    vxe_json_begin(w, key);
    vxe_json_put_integer(w, value);
}

void vxe_json_take_back(vxe_json_writer *w, const vxe_json_writer *before)
{
    char *text = w->text;
    const size_t capacity = w->capacity;
    const bool failed = w->failed;
    *w = *before;
    w->text = text;
    w->capacity = capacity;
    w->failed = failed;
    if (text != NULL) text[w->used] = '\0';
}

void vxe_json_write_vector(vxe_json_writer *w, const char *key, const double vector[3])
{
    vxe_json_enter(w, key, "[", true);
    for (int a = 0; a < 3; a++) vxe_json_write_number(w, NULL, vector[a]);
    vxe_json_close(w, "]");
}

void vxe_json_write_vector_unless_zero(vxe_json_writer *w, const char *key, const double vector[3])
{
    if (!vxe_json_same_bits(vector[0], 0.0) || !vxe_json_same_bits(vector[1], 0.0) ||
        !vxe_json_same_bits(vector[2], 0.0))
        vxe_json_write_vector(w, key, vector);
}

void vxe_json_write_cells(vxe_json_writer *w, const char *key, const int32_t cells[3])
{
    vxe_json_enter(w, key, "[", true);
    for (int a = 0; a < 3; a++) vxe_json_write_integer(w, NULL, cells[a]);
    vxe_json_close(w, "]");
}

void vxe_json_write_word(vxe_json_writer *w, const char *key, const vxe_choice *words, int value)
{
    vxe_json_write_text(w, key, vxe_choice_word(words, value));
}

void vxe_json_write_points(vxe_json_writer *w, const char *key, const double *a, const double *b,
                           int32_t count)
{
    vxe_json_enter(w, key, "[", true);
    for (int32_t i = 0; i < count; i++) {
        vxe_json_begin(w, NULL);
        vxe_json_break_line(w);
        vxe_json_open(w, "[", true);
        vxe_json_write_number(w, NULL, a[i]);
        vxe_json_write_number(w, NULL, b[i]);
        vxe_json_close(w, "]");
    }
    vxe_json_close(w, "]");
}

void vxe_json_write_color(vxe_json_writer *w, const uint8_t color[4])
{
    char text[16];
    (void)snprintf(text, sizeof text, "#%02x%02x%02x%02x", color[0], color[1], color[2], color[3]);
    if (color[3] == 255) text[7] = '\0';
    vxe_json_write_text(w, "color", text);
}

void vxe_json_end_run(vxe_json_writer *w, vxe_json_run *run)
{
    for (int64_t n = 0; n < (run->count > 2 ? 1 : run->count); n++) {
        vxe_json_begin(w, NULL);
        vxe_json_break_line(w);
        if (run->count > 2) {
            vxe_json_open(w, "[", true);
            vxe_json_write_integer(w, NULL, run->count);
            vxe_json_write_number(w, NULL, run->number);
            vxe_json_close(w, "]");
        } else {
            put_number(w, run->number);
        }
    }
}

void vxe_json_add_to_run(vxe_json_writer *w, vxe_json_run *run, double number)
{
    if (run->count > 0 && vxe_json_same_bits(number, run->number)) {
        run->count++;
        return;
    }
    vxe_json_end_run(w, run);
    *run = (vxe_json_run){number, 1};
}

void vxe_json_write_formula(vxe_json_writer *w, const vxe_scene *scene, const char *key,
                            vxe_formula_role role)
{
    if (vxe_scene_formula(scene, role)[0] != '\0')
        vxe_json_write_text(w, key, vxe_scene_formula(scene, role));
}
