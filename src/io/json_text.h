/* Inside the JSON writer: text that grows, members of objects by type, and the sections of a scene.
 *
 * A key NULL writes an element of an array. Running out of memory is sticky: the writer keeps `failed`, and
 * every function below does nothing from then on. */
#ifndef IO_JSON_TEXT_H
#define IO_JSON_TEXT_H

#include "io/json.h"

#define VXE_JSON_DEPTH_MAX 8

/* Text with the objects and arrays that are open. Starts as zeros; the text is the caller's to free. */
typedef struct vxe_json_writer {
    char *text;
    size_t used;
    size_t capacity;
    bool failed;
    int depth;
    bool in_line[VXE_JSON_DEPTH_MAX]; /* members beside each other instead of below */
    bool filled[VXE_JSON_DEPTH_MAX];  /* something was written */
    size_t line_start;
} vxe_json_writer;

/* Text as it is; a string with what JSON wants escaped (everything else stays UTF-8); numbers. */
void vxe_json_put_bytes(vxe_json_writer *w, const char *bytes, size_t size);
void vxe_json_put(vxe_json_writer *w, const char *text);
void vxe_json_put_integer(vxe_json_writer *w, int64_t value);

/* Begins a member of what is open; its value follows. */
void vxe_json_begin(vxe_json_writer *w, const char *key);
/* In a long list: goes to the next line where this one is full. */
void vxe_json_break_line(vxe_json_writer *w);
void vxe_json_open(vxe_json_writer *w, const char *bracket, bool in_line);
/* The same as a member, or an element (key NULL). */
void vxe_json_enter(vxe_json_writer *w, const char *key, const char *bracket, bool in_line);
void vxe_json_close(vxe_json_writer *w, const char *bracket);

/* Members. Those with a condition leave out what the reader would assume anyway. */
void vxe_json_write_text(vxe_json_writer *w, const char *key, const char *text);
void vxe_json_write_number(vxe_json_writer *w, const char *key, double value);
void vxe_json_write_unless(vxe_json_writer *w, const char *key, double value, double standard);
void vxe_json_write_integer(vxe_json_writer *w, const char *key, int64_t value);
void vxe_json_write_vector(vxe_json_writer *w, const char *key, const double vector[3]);
void vxe_json_write_vector_unless_zero(vxe_json_writer *w, const char *key, const double vector[3]);
void vxe_json_write_cells(vxe_json_writer *w, const char *key, const int32_t cells[3]);
void vxe_json_write_word(vxe_json_writer *w, const char *key, const vxe_choice *words, int value);
void vxe_json_write_points(vxe_json_writer *w, const char *key, const double *a, const double *b,
                           int32_t count);
void vxe_json_write_friction(vxe_json_writer *w, double still, double sliding);
void vxe_json_write_color(vxe_json_writer *w, const uint8_t color[4]);
/* Unless it is empty. */
void vxe_json_write_formula(vxe_json_writer *w, const vxe_scene *scene, const char *key,
                            vxe_formula_role role);

bool vxe_json_same_bits(double a, double b);
/* Takes back all that was written since the writer was `before`. */
void vxe_json_take_back(vxe_json_writer *w, const vxe_json_writer *before);

/* Joins equal numbers that follow each other to runs. Starts as zeros. */
typedef struct vxe_json_run {
    double number;
    int64_t count;
} vxe_json_run;

void vxe_json_add_to_run(vxe_json_writer *w, vxe_json_run *run, double number);
void vxe_json_end_run(vxe_json_writer *w, vxe_json_run *run);

/* json_write_voxels.c: top-level members; nothing where the scene has none. */
void vxe_json_write_layers(vxe_json_writer *w, const vxe_scene *scene);
void vxe_json_write_actuation(vxe_json_writer *w, const vxe_scene *scene);
void vxe_json_write_parts(vxe_json_writer *w, const vxe_scene *scene);
void vxe_json_write_fields(vxe_json_writer *w, const vxe_scene *scene);
/* json_write_world.c: likewise. */
void vxe_json_write_environment(vxe_json_writer *w, const vxe_scene *scene);
void vxe_json_write_rules(vxe_json_writer *w, const vxe_scene *scene);
void vxe_json_write_ground(vxe_json_writer *w, const vxe_scene *scene);
void vxe_json_write_solids(vxe_json_writer *w, const vxe_scene *scene);
void vxe_json_write_water(vxe_json_writer *w, const vxe_scene *scene);
void vxe_json_write_starts(vxe_json_writer *w, const vxe_scene *scene);

#endif
