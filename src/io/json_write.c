/* Writes a scene in the native JSON format (docs/scene-format.md) so that reading gives the same scene, bit
 * by bit: what the scene has, in a form that a person can read. Voxels become layers of rows; members at
 * their default are left out where that helps. */
#include "io/json.h"
#include "scene/rules.h"
#include "base/number.h"
#include "voxelastic/world.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 8
#define PICTURE_WIDTH 100 /* rows up to this long ... */
#define PICTURE_CELLS                                                                                        \
    65536 /* ... of blocks up to this large are written voxel by voxel, so that they look like what they are \
           */
#define LINE_WIDTH 110 /* where long lists are broken */

/* Text that grows, with the objects and arrays that are open. Once memory has run out it only counts. */
typedef struct writer {
    char *text;
    size_t used;
    size_t capacity;
    bool failed;
    int depth;
    bool in_line[DEPTH_MAX]; /* members beside each other instead of below */
    bool filled[DEPTH_MAX];  /* something was written */
    size_t line_start;
} writer;

static void put_bytes(writer *w, const char *bytes, size_t size)
{
    if (w->failed) return;
    if (size >= w->capacity - w->used) {
        size_t capacity = w->capacity < 4096 ? 4096 : w->capacity;
        while (size >= capacity - w->used && capacity <= SIZE_MAX / 2) capacity *= 2;
        char *larger = size < capacity - w->used ? realloc(w->text, capacity) : NULL;
        if (larger == NULL) {
            w->failed = true;
            return;
        }
        w->text = larger;
        w->capacity = capacity;
    }
    memcpy(w->text + w->used, bytes, size);
    w->used += size;
    w->text[w->used] = '\0';
}

static void put(writer *w, const char *text) { put_bytes(w, text, strlen(text)); }

static void new_line(writer *w)
{
    put(w, "\n");
    w->line_start = w->used;
    for (int i = 0; i < w->depth; i++) put(w, "  ");
}

/* A string with what JSON wants escaped; everything else stays UTF-8. */
static void put_string(writer *w, const char *text)
{
    put(w, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        char escaped[8] = {*c, '\0'};
        if (*c == '"' || *c == '\\')
            (void)snprintf(escaped, sizeof escaped, "\\%c", *c);
        else if (*c == '\n')
            (void)snprintf(escaped, sizeof escaped, "\\n");
        else if ((unsigned char)*c < 0x20)
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*c);
        put(w, escaped);
    }
    put(w, "\"");
}

static void put_number(writer *w, double value)
{
    char text[VXE_NUMBER_SIZE];
    vxe_print_number(text, value);
    put(w, text);
}

static void put_integer(writer *w, int64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    put(w, text);
}

/* Begins a member (or, with key NULL, an element) of what is open. */
static void begin(writer *w, const char *key)
{
    const int level = w->depth - 1;
    if (w->filled[level]) put(w, ",");
    if (!w->in_line[level])
        new_line(w);
    else if (w->filled[level])
        put(w, " ");
    w->filled[level] = true;
    if (key == NULL) return;
    put_string(w, key);
    put(w, ": ");
}

static void open_bracket(writer *w, const char *bracket, bool in_line)
{
    put(w, bracket);
    w->in_line[w->depth] = in_line;
    w->filled[w->depth] = false;
    w->depth++;
}

static void close_bracket(writer *w, const char *bracket)
{
    w->depth--;
    if (!w->in_line[w->depth] && w->filled[w->depth]) new_line(w);
    put(w, bracket);
}

static void write_text(writer *w, const char *key, const char *text)
{
    begin(w, key);
    put_string(w, text);
}

static void write_number(writer *w, const char *key, double value)
{
    begin(w, key);
    put_number(w, value);
}

static bool same_bits(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Leaves out a number that the reader would assume anyway. */
static void write_unless(writer *w, const char *key, double value, double standard)
{
    if (!same_bits(value, standard)) write_number(w, key, value);
}

static void write_if(writer *w, const char *key, bool value)
{
    if (!value) return;
    begin(w, key);
    put(w, "true");
}

static void write_count_unless_zero(writer *w, const char *key, int64_t value)
{
    if (value == 0) return;
    begin(w, key);
    put_integer(w, value);
}

static void write_vector(writer *w, const char *key, const double vector[3])
{
    begin(w, key);
    open_bracket(w, "[", true);
    for (int a = 0; a < 3; a++) write_number(w, NULL, vector[a]);
    close_bracket(w, "]");
}

static void write_vector_unless_zero(writer *w, const char *key, const double vector[3])
{
    if (!same_bits(vector[0], 0.0) || !same_bits(vector[1], 0.0) || !same_bits(vector[2], 0.0))
        write_vector(w, key, vector);
}

static void write_cells(writer *w, const char *key, const int32_t cells[3])
{
    begin(w, key);
    open_bracket(w, "[", true);
    for (int a = 0; a < 3; a++) {
        begin(w, NULL);
        put_integer(w, cells[a]);
    }
    close_bracket(w, "]");
}

static void write_word(writer *w, const char *key, const vxe_json_word *words, int value)
{
    while (words->word != NULL && words->value != value) words++;
    if (words->word != NULL) write_text(w, key, words->word);
}

static void write_points(writer *w, const char *key, const double *a, const double *b, int32_t count)
{
    begin(w, key);
    open_bracket(w, "[", true);
    for (int32_t i = 0; i < count; i++) {
        begin(w, NULL);
        if (w->used - w->line_start > LINE_WIDTH) new_line(w);
        open_bracket(w, "[", true);
        write_number(w, NULL, a[i]);
        write_number(w, NULL, b[i]);
        close_bracket(w, "]");
    }
    close_bracket(w, "]");
}

/* --- materials, signals, regions --- */

static void write_color(writer *w, const uint8_t color[4])
{
    char text[16];
    (void)snprintf(text, sizeof text, "#%02x%02x%02x%02x", color[0], color[1], color[2], color[3]);
    if (color[3] == 255) text[7] = '\0';
    write_text(w, "color", text);
}

static void write_material(writer *w, const vxe_material_def *def)
{
    const vxe_material_def standard = vxe_default_material_def();
    begin(w, NULL);
    open_bracket(w, "{", false);
    write_text(w, "name", def->name);
    write_number(w, "youngs_modulus", def->youngs_modulus);
    write_number(w, "poissons_ratio", def->poissons_ratio);
    write_number(w, "density", def->density);
    write_unless(w, "expansion", def->expansion, standard.expansion);
    begin(w, "friction");
    open_bracket(w, "{", true);
    write_number(w, "static", def->static_friction);
    write_number(w, "dynamic", def->dynamic_friction);
    close_bracket(w, "}");
    write_color(w, def->color);
    if (def->law != standard.law) write_word(w, "law", vxe_json_laws, (int)def->law);
    write_unless(w, "yield_stress", def->yield_stress, standard.yield_stress);
    write_unless(w, "plastic_modulus", def->plastic_modulus, standard.plastic_modulus);
    write_unless(w, "failure_stress", def->failure_stress, standard.failure_stress);
    if (def->table_count > 0)
        write_points(w, "table", def->table_strain, def->table_stress, def->table_count);
    if (def->signal[0] != '\0') write_text(w, "signal", def->signal);
    write_unless(w, "delay", def->delay, 0.0);
    write_if(w, "fixed", def->fixed);
    write_if(w, "unmeasured", def->unmeasured);
    write_if(w, "target", def->target);
    write_if(w, "rigid", def->rigid);
    write_unless(w, "ground_damping", def->ground_damping, standard.ground_damping);
    write_if(w, "transparent", def->transparent);
    close_bracket(w, "}");
}

static void write_signal(writer *w, const vxe_signal_def *def)
{
    begin(w, NULL);
    open_bracket(w, "{", false);
    write_text(w, "name", def->name);
    write_word(w, "waveform", vxe_json_waveforms, (int)def->waveform);
    write_number(w, "base", def->base);
    write_number(w, "reference", def->reference);
    write_number(w, "amplitude", def->amplitude);
    write_number(w, "period", def->period);
    write_unless(w, "phase", def->phase, 0.0);
    write_unless(w, "start", def->start, 0.0);
    write_if(w, "contract_only", def->contract_only);
    write_if(w, "cool_only", def->cool_only);
    write_unless(w, "delay", def->delay, 0.0);
    write_unless(w, "size_min", def->size_min, 0.0);
    write_unless(w, "size_max", def->size_max, 0.0);
    if (def->table_count > 0) write_points(w, "table", def->table_time, def->table_value, def->table_count);
    close_bracket(w, "}");
}

static void write_shape_cells(writer *w, const vxe_shape *shape)
{
    begin(w, "cells");
    open_bracket(w, "[", true);
    for (int32_t n = 0; n < shape->cell_count; n++) {
        begin(w, NULL);
        if (w->used - w->line_start > LINE_WIDTH) new_line(w);
        open_bracket(w, "[", true);
        for (int a = 0; a < 3; a++) {
            begin(w, NULL);
            put_integer(w, shape->cells[3 * (size_t)n + (size_t)a]);
        }
        close_bracket(w, "]");
    }
    close_bracket(w, "]");
}

/* The members of a shape; the object is open. */
static void write_shape(writer *w, const vxe_shape *shape)
{
    if (shape->kind == VXE_SHAPE_CELLS) {
        write_shape_cells(w, shape);
        return;
    }
    switch (shape->kind) {
    case VXE_SHAPE_BOX: begin(w, "box"); break;
    case VXE_SHAPE_SPHERE: begin(w, "sphere"); break;
    case VXE_SHAPE_CYLINDER: begin(w, "cylinder"); break;
    case VXE_SHAPE_ELLIPSOID: begin(w, "ellipsoid"); break;
    case VXE_SHAPE_CELLS: break;
    }
    open_bracket(w, "{", true);
    if (shape->kind == VXE_SHAPE_BOX) {
        write_vector(w, "corner", shape->corner);
        write_vector(w, "size", shape->size);
    } else {
        write_vector(w, "center", shape->center);
        if (shape->kind == VXE_SHAPE_ELLIPSOID)
            write_vector(w, "radius", shape->radius);
        else
            write_number(w, "radius", shape->radius[0]);
    }
    if (shape->kind == VXE_SHAPE_CYLINDER) {
        write_word(w, "axis", vxe_json_axes, (int)shape->axis);
        write_number(w, "length", shape->length);
    }
    close_bracket(w, "}");
    write_word(w, "units", vxe_json_units, (int)shape->units);
    write_unless(w, "thickness", shape->thickness, 0.0);
    if (shape->touch != VXE_TOUCH_OVERLAP) write_word(w, "touch", vxe_json_touches, (int)shape->touch);
}

static void write_region(writer *w, const vxe_region_def *def)
{
    begin(w, NULL);
    open_bracket(w, "{", false);
    write_text(w, "name", def->name);
    write_shape(w, &def->shape);
    if (def->fixed == VXE_DOF_ALL) {
        write_text(w, "fixed", def->clamp ? "clamp" : "all");
    } else if (def->fixed != 0) {
        begin(w, "fixed");
        open_bracket(w, "[", true);
        for (const vxe_json_word *dof = vxe_json_dofs; dof->word != NULL; dof++) {
            if ((def->fixed & (uint32_t)dof->value) != 0) write_text(w, NULL, dof->word);
        }
        close_bracket(w, "]");
    }
    write_vector_unless_zero(w, "displacement", def->displacement);
    write_vector_unless_zero(w, "rotation", def->rotation);
    if (def->has_pivot) write_vector(w, "pivot", def->pivot);
    write_vector_unless_zero(w, "force", def->force);
    write_vector_unless_zero(w, "torque", def->torque);
    write_unless(w, "ramp", def->ramp, 0.0);
    write_if(w, "in_place", def->in_place);
    close_bracket(w, "}");
}

/* --- voxels as layers --- */

/* The smallest box of cells that holds all voxels, and how it is written. */
typedef struct block {
    const uint16_t *voxels; /* of the whole workspace */
    int32_t workspace[3];
    int32_t first[3];
    int32_t size[3];
    bool picture; /* one character per voxel */
} block;

static const uint16_t *row_of(const block *b, int32_t j, int32_t k)
{
    const size_t y = (size_t)(b->first[1] + j);
    const size_t z = (size_t)(b->first[2] + k);
    return b->voxels + (z * (size_t)b->workspace[1] + y) * (size_t)b->workspace[0] + (size_t)b->first[0];
}

static bool same_rows(const block *b, int32_t j, int32_t k, int32_t other_j, int32_t other_k)
{
    return memcmp(row_of(b, j, k), row_of(b, other_j, other_k), (size_t)b->size[0] * sizeof(uint16_t)) == 0;
}

static bool same_layers(const block *b, int32_t k, int32_t other)
{
    for (int32_t j = 0; j < b->size[1]; j++) {
        if (!same_rows(b, j, k, j, other)) return false;
    }
    return true;
}

/* Widens a box of cells, low to high inclusive. */
static void include_cell(int32_t low[3], int32_t high[3], const int32_t cell[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = cell[a] < low[a] ? cell[a] : low[a];
        high[a] = cell[a] > high[a] ? cell[a] : high[a];
    }
}

static void find_block(const vxe_scene *scene, block *b, bool used[UINT16_MAX + 1])
{
    b->voxels = vxe_scene_voxels(scene);
    vxe_scene_size(scene, b->workspace);
    int32_t low[3] = {b->workspace[0], b->workspace[1], b->workspace[2]};
    int32_t high[3] = {-1, -1, -1};
    const uint16_t *voxel = b->voxels;
    for (int32_t k = 0; k < b->workspace[2]; k++) {
        for (int32_t j = 0; j < b->workspace[1]; j++) {
            for (int32_t i = 0; i < b->workspace[0]; i++, voxel++) {
                if (*voxel == 0) continue;
                used[*voxel] = true;
                include_cell(low, high, (const int32_t[3]){i, j, k});
            }
        }
    }
    for (int a = 0; a < 3; a++) {
        b->first[a] = low[a];
        b->size[a] = high[a] - low[a] + 1;
    }
    b->picture =
        b->size[0] <= PICTURE_WIDTH && (int64_t)b->size[0] * b->size[1] * b->size[2] <= PICTURE_CELLS;
}

/* The character of a material: . for none, then a-z, A-Z, then Chinese characters, of which there are enough
 * for any palette. */
static size_t put_character(char text[4], int32_t material)
{
    static const char letters[] = ".abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (material < (int32_t)sizeof letters - 1) {
        text[0] = letters[material];
        text[1] = '\0';
        return 1;
    }
    const uint32_t code = 0x4e00U + (uint32_t)material;
    text[0] = (char)(unsigned char)(0xe0U | (code >> 12));
    text[1] = (char)(unsigned char)(0x80U | ((code >> 6) & 0x3fU));
    text[2] = (char)(unsigned char)(0x80U | (code & 0x3fU));
    text[3] = '\0';
    return 3;
}

static void write_row(writer *w, const block *b, int32_t j, int32_t k, int32_t repeat)
{
    const uint16_t *row = row_of(b, j, k);
    begin(w, NULL);
    put(w, "\"");
    if (repeat > 1) {
        put_integer(w, repeat);
        put(w, "*");
    }
    for (int32_t i = 0; i < b->size[0];) {
        int32_t run = 1;
        while (!b->picture && i + run < b->size[0] && row[i + run] == row[i]) run++;
        char character[4];
        const size_t length = put_character(character, row[i]);
        if (run > 2) put_integer(w, run);
        for (int32_t n = 0; n < (run > 2 ? 1 : run); n++) put_bytes(w, character, length);
        i += run;
    }
    put(w, "\"");
}

static void write_rows(writer *w, const block *b, int32_t k)
{
    open_bracket(w, "[", !b->picture && b->size[1] == 1);
    for (int32_t j = 0; j < b->size[1];) {
        int32_t repeat = 1;
        while (!b->picture && j + repeat < b->size[1] && same_rows(b, j, k, j + repeat, k)) repeat++;
        write_row(w, b, j, k, repeat);
        j += repeat;
    }
    close_bracket(w, "]");
}

static void write_layers(writer *w, const vxe_scene *scene)
{
    bool used[UINT16_MAX + 1] = {false};
    block b;
    if (vxe_scene_voxel_count(scene) == 0) return;
    find_block(scene, &b, used);
    begin(w, "layers");
    open_bracket(w, "{", false);
    begin(w, "legend");
    open_bracket(w, "{", vxe_scene_material_count(scene) <= 3);
    for (int32_t m = 1; m <= vxe_scene_material_count(scene); m++) {
        char character[4];
        (void)put_character(character, m);
        if (used[m]) write_text(w, character, vxe_scene_material(scene, m)->name);
    }
    close_bracket(w, "}");
    write_cells(w, "origin", b.first);
    begin(w, "layers");
    open_bracket(w, "[", false);
    for (int32_t k = 0; k < b.size[2];) {
        int32_t repeat = 1;
        while (k + repeat < b.size[2] && same_layers(&b, k, k + repeat)) repeat++;
        begin(w, NULL);
        if (repeat > 1) {
            open_bracket(w, "{", false);
            begin(w, "repeat");
            put_integer(w, repeat);
            begin(w, "rows");
        }
        write_rows(w, &b, k);
        if (repeat > 1) close_bracket(w, "}");
        k += repeat;
    }
    close_bracket(w, "]");
    close_bracket(w, "}");
}

/* --- actuation of single voxels --- */

/* Goes through the cells of a box in order and joins equal numbers to runs. */
typedef struct run_writer {
    double number;
    int64_t count;
} run_writer;

static void end_run(writer *w, run_writer *run)
{
    for (int64_t n = 0; n < (run->count > 2 ? 1 : run->count); n++) {
        begin(w, NULL);
        if (w->used - w->line_start > LINE_WIDTH) new_line(w);
        if (run->count > 2) {
            open_bracket(w, "[", true);
            begin(w, NULL);
            put_integer(w, run->count);
            write_number(w, NULL, run->number);
            close_bracket(w, "]");
        } else {
            put_number(w, run->number);
        }
    }
}

/* The next number: equal ones in a row are a run. */
static void add_to_run(writer *w, run_writer *run, double number)
{
    if (run->count > 0 && same_bits(number, run->number)) {
        run->count++;
        return;
    }
    end_run(w, run);
    *run = (run_writer){number, 1};
}

/* One of phase, amplitude and period (member 0, 1, 2) of all cells of a box. */
static void write_list(writer *w, const vxe_scene *scene, const char *key, int member, const int32_t first[3],
                       const int32_t size[3])
{
    begin(w, key);
    open_bracket(w, "[", true);
    run_writer run = {0.0, 0};
    for (int32_t k = first[2]; k < first[2] + size[2]; k++) {
        for (int32_t j = first[1]; j < first[1] + size[1]; j++) {
            for (int32_t i = first[0]; i < first[0] + size[0]; i++) {
                const vxe_actuation actuation = vxe_scene_actuation(scene, i, j, k);
                const double number = member == 0   ? actuation.phase
                                      : member == 1 ? actuation.amplitude
                                                    : actuation.period;
                add_to_run(w, &run, number);
            }
        }
    }
    end_run(w, &run);
    close_bracket(w, "]");
}

static void write_actuation(writer *w, const vxe_scene *scene)
{
    static const char *const keys[3] = {"phase", "amplitude", "period"};
    static const double standard[3] = {0.0, 1.0, 1.0};
    if (!vxe_scene_has_actuation(scene)) return;
    int32_t size[3];
    vxe_scene_size(scene, size);
    int32_t low[3] = {size[0], size[1], size[2]};
    int32_t high[3] = {-1, -1, -1};
    bool special[3] = {false, false, false};
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                const vxe_actuation actuation = vxe_scene_actuation(scene, i, j, k);
                const double numbers[3] = {actuation.phase, actuation.amplitude, actuation.period};
                for (int n = 0; n < 3; n++) {
                    if (same_bits(numbers[n], standard[n])) continue;
                    special[n] = true;
                    include_cell(low, high, (const int32_t[3]){i, j, k});
                }
            }
        }
    }
    for (int a = 0; a < 3; a++) size[a] = high[a] - low[a] + 1;
    begin(w, "actuation");
    open_bracket(w, "{", false);
    write_cells(w, "origin", low);
    write_cells(w, "size", size);
    for (int n = 0; n < 3; n++) {
        if (special[n]) write_list(w, scene, keys[n], n, low, size);
    }
    close_bracket(w, "}");
}

#include "io/json_write_world.h"

/* --- environment, stop, output, the whole --- */

static void write_environment(writer *w, const vxe_scene *scene)
{
    const vxe_environment environment = vxe_scene_environment(scene);
    begin(w, "environment");
    open_bracket(w, "{", false);
    write_vector(w, "gravity", environment.gravity);
    begin(w, "floor");
    put(w, environment.floor ? "true" : "false");
    begin(w, "damping");
    open_bracket(w, "{", true);
    if (same_bits(environment.damping_stretch, environment.damping_rotation)) {
        write_number(w, "bond", environment.damping_stretch);
    } else {
        begin(w, "bond");
        open_bracket(w, "{", true);
        write_number(w, "stretch", environment.damping_stretch);
        write_number(w, "rotation", environment.damping_rotation);
        close_bracket(w, "}");
    }
    write_number(w, "contact", environment.damping_contact);
    write_number(w, "ground", environment.damping_ground);
    write_unless(w, "ground_turning", environment.damping_turning, 1.0);
    close_bracket(w, "}");
    write_word(w, "elasticity", vxe_json_elasticities, (int)environment.elasticity);
    write_word(w, "plane", vxe_json_planes, (int)environment.plane);
    write_word(w, "collisions", vxe_json_collisions, (int)environment.collisions);
    write_number(w, "collision_horizon", environment.collision_horizon);
    write_unless(w, "collision_distance", environment.collision_distance, 1.0);
    write_if(w, "collision_smooth", environment.collision_smooth);
    write_if(w, "floor_sticky", environment.floor_sticky);
    write_unless(w, "floor_radius", environment.floor_radius, 0.0);
    write_unless(w, "drag", environment.drag, 0.0);
    write_if(w, "kinetic_damping", environment.kinetic_damping);
    write_unless(w, "pause_begin", environment.pause_begin, 0.0);
    write_unless(w, "pause_time", environment.pause_time, 0.0);
    write_if(w, "links_unbalanced", environment.links_unbalanced);
    bool field = false;
    for (int a = 0; a < 3; a++)
        field = field || vxe_scene_formula(scene, (vxe_formula_role)(VXE_FORMULA_FORCE_X + a))[0] != '\0';
    if (field) {
        begin(w, "force_field");
        open_bracket(w, "[", true);
        for (int a = 0; a < 3; a++)
            write_text(w, NULL, vxe_scene_formula(scene, (vxe_formula_role)(VXE_FORMULA_FORCE_X + a)));
        close_bracket(w, "]");
    }
    close_bracket(w, "}");
}

static void write_formula(writer *w, const vxe_scene *scene, const char *key, vxe_formula_role role)
{
    if (vxe_scene_formula(scene, role)[0] != '\0') write_text(w, key, vxe_scene_formula(scene, role));
}

static void write_stop(writer *w, const vxe_scene *scene)
{
    const vxe_stop stop = vxe_scene_stop(scene);
    begin(w, "stop");
    open_bracket(w, "{", true);
    write_unless(w, "time", stop.time, 0.0);
    if (stop.steps != 0) {
        begin(w, "steps");
        put_integer(w, stop.steps);
    }
    write_unless(w, "cycles", stop.cycles, 0.0);
    write_unless(w, "kinetic_energy", stop.kinetic_energy, 0.0);
    write_unless(w, "speed", stop.speed, 0.0);
    write_unless(w, "settle", stop.settle, 0.0);
    write_count_unless_zero(w, "settle_steps", stop.settle_steps);
    write_unless(w, "energy_change", stop.energy_change, 0.0);
    write_unless(w, "movement", stop.movement, 0.0);
    write_unless(w, "after", stop.after, 0.0);
    write_count_unless_zero(w, "after_steps", stop.after_steps);
    write_formula(w, scene, "formula", VXE_FORMULA_STOP);
    close_bracket(w, "}");
}

static void write_output(writer *w, const vxe_scene *scene)
{
    const vxe_output_def *output = vxe_scene_output(scene);
    begin(w, "output");
    open_bracket(w, "{", false);
    begin(w, "trace");
    open_bracket(w, "[", output->trace_count <= 4);
    for (int32_t i = 0; i < output->trace_count; i++) write_text(w, NULL, output->trace[i]);
    close_bracket(w, "]");
    write_unless(w, "every", output->every, 0.0);
    write_unless(w, "checkpoint_every", output->checkpoint_every, 0.0);
    close_bracket(w, "}");
}

static void write_field(writer *w, const vxe_scene *scene, vxe_field field)
{
    int32_t size[3];
    vxe_scene_size(scene, size);
    int32_t low[3] = {size[0], size[1], size[2]};
    int32_t high[3] = {-1, -1, -1};
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                if (vxe_scene_field(scene, field, i, j, k) != 0.0)
                    include_cell(low, high, (const int32_t[3]){i, j, k});
            }
        }
    }
    for (int a = 0; a < 3; a++) size[a] = high[a] - low[a] + 1;
    begin(w, vxe_field_name(field));
    open_bracket(w, "{", false);
    write_cells(w, "origin", low);
    write_cells(w, "size", size);
    begin(w, "values");
    open_bracket(w, "[", true);
    run_writer run = {0.0, 0};
    for (int32_t k = low[2]; k <= high[2]; k++) {
        for (int32_t j = low[1]; j <= high[1]; j++) {
            for (int32_t i = low[0]; i <= high[0]; i++) {
                const double number = vxe_scene_field(scene, field, i, j, k);
                add_to_run(w, &run, number);
            }
        }
    }
    end_run(w, &run);
    close_bracket(w, "]");
    close_bracket(w, "}");
}

static void write_fields(writer *w, const vxe_scene *scene)
{
    bool open = false;
    for (int f = 0; f < VXE_FIELD_COUNT; f++) {
        if (!vxe_scene_has_field(scene, (vxe_field)f)) continue;
        if (!open) {
            begin(w, "fields");
            open_bracket(w, "{", false);
        }
        open = true;
        write_field(w, scene, (vxe_field)f);
    }
    if (open) close_bracket(w, "}");
}

static void write_parts(writer *w, const vxe_scene *scene)
{
    if (vxe_scene_part_count(scene) == 0) return;
    begin(w, "parts");
    open_bracket(w, "[", false);
    for (int32_t n = 1; n <= vxe_scene_part_count(scene); n++) {
        begin(w, NULL);
        open_bracket(w, "{", true);
        write_text(w, "name", vxe_scene_part(scene, n)->name);
        write_if(w, "separate", vxe_scene_part(scene, n)->separate);
        close_bracket(w, "}");
    }
    close_bracket(w, "]");
}

static void write_rule_member(writer *w, const rule_member *m, const void *at, const void *standard)
{
    switch (m->type) {
    case RULE_NUMBER: write_unless(w, m->name, *(const double *)at, *(const double *)standard); break;
    case RULE_INTEGER:
        if (*(const int32_t *)at == *(const int32_t *)standard) break;
        begin(w, m->name);
        put_integer(w, *(const int32_t *)at);
        break;
    case RULE_SEED: write_count_unless_zero(w, m->name, *(const int64_t *)at); break;
    case RULE_FLAG: write_if(w, m->name, *(const bool *)at); break;
    case RULE_NAME:
    case RULE_FORMULA:
        if (*(const char *)at != '\0') write_text(w, m->name, at);
        break;
    case RULE_VECTOR: write_vector_unless_zero(w, m->name, at); break;
    case RULE_CELLS: write_cells(w, m->name, at); break;
    }
}

static void write_network(writer *w, const vxe_rule_def *def)
{
    if (def->output != VXE_OUTPUT_SIZE) write_text(w, "output", vxe_rule_output_names[def->output]);
    if (def->input_count == 0) return;
    begin(w, "inputs");
    open_bracket(w, "[", true);
    for (int32_t i = 0; i < def->input_count; i++) write_text(w, NULL, def->inputs[i]);
    close_bracket(w, "]");
    begin(w, "layers");
    open_bracket(w, "[", true);
    for (int32_t i = 0; i < def->layer_count; i++) {
        begin(w, NULL);
        put_integer(w, def->layers[i]);
    }
    close_bracket(w, "]");
    begin(w, "weights");
    open_bracket(w, "[", true);
    for (int32_t i = 0; i < def->weight_count; i++) write_number(w, NULL, def->weights[i]);
    close_bracket(w, "]");
}

static void write_rules(writer *w, const vxe_scene *scene)
{
    if (vxe_scene_rule_count(scene) == 0) return;
    begin(w, "rules");
    open_bracket(w, "[", false);
    for (int32_t n = 0; n < vxe_scene_rule_count(scene); n++) {
        const vxe_rule_def *def = vxe_scene_rule(scene, n);
        const vxe_rule_def standard = vxe_default_rule_def(def->kind);
        begin(w, NULL);
        open_bracket(w, "{", true);
        write_text(w, "kind", vxe_rule_kind_name(def->kind));
        for (size_t i = 0; i < vxe_rule_member_count; i++) {
            const rule_member *m = &vxe_rule_members[i];
            if ((m->kinds >> def->kind & 1U) != 0)
                write_rule_member(w, m, vxe_rule_at(def, m), vxe_rule_at(&standard, m));
        }
        if (def->kind == VXE_RULE_CONTROL) write_network(w, def);
        close_bracket(w, "}");
    }
    close_bracket(w, "]");
}

static void write_experiment(writer *w, const vxe_scene *scene)
{
    const vxe_experiment e = vxe_scene_experiment(scene);
    const bool formulas = vxe_scene_formula(scene, VXE_FORMULA_FITNESS)[0] != '\0' ||
                          vxe_scene_formula(scene, VXE_FORMULA_BEGIN)[0] != '\0' ||
                          vxe_scene_formula(scene, VXE_FORMULA_END)[0] != '\0';
    if (!formulas && e.dialect == VXE_DIALECT_AUTO && e.result_file[0] == '\0' && e.trace_every == 0.0 &&
        !e.by_volume && e.volume_exponent == 0.0 && e.begin == 0.0 && e.restart == 0.0 &&
        e.history_every == 0.0 && !e.history_voxels && !e.history_links && !e.positions &&
        e.pair_distance == 0.0 && e.fall[0] == '\0')
        return;
    begin(w, "experiment");
    open_bracket(w, "{", false);
    if (e.dialect != VXE_DIALECT_AUTO) write_word(w, "dialect", vxe_json_dialects, (int)e.dialect);
    if (e.result_file[0] != '\0') write_text(w, "result_file", e.result_file);
    if (e.result_path[0] != '\0') write_text(w, "result_path", e.result_path);
    write_unless(w, "trace_every", e.trace_every, 0.0);
    write_if(w, "by_volume", e.by_volume);
    write_unless(w, "volume_exponent", e.volume_exponent, 0.0);
    write_unless(w, "begin", e.begin, 0.0);
    write_unless(w, "restart", e.restart, 0.0);
    write_unless(w, "history_every", e.history_every, 0.0);
    write_if(w, "history_voxels", e.history_voxels);
    write_if(w, "history_links", e.history_links);
    write_if(w, "positions", e.positions);
    write_unless(w, "pair_distance", e.pair_distance, 0.0);
    if (e.fall[0] != '\0') write_text(w, "fall", e.fall);
    write_formula(w, scene, "fitness", VXE_FORMULA_FITNESS);
    write_formula(w, scene, "begin_when", VXE_FORMULA_BEGIN);
    write_formula(w, scene, "end_when", VXE_FORMULA_END);
    close_bracket(w, "}");
}

static void write_foreign(writer *w, const vxe_scene *scene)
{
    const char *path = NULL;
    const char *text = NULL;
    if (!vxe_scene_foreign(scene, 0, &path, &text)) return;
    begin(w, "foreign");
    open_bracket(w, "[", false);
    for (int32_t n = 0; vxe_scene_foreign(scene, n, &path, &text); n++) {
        begin(w, NULL);
        open_bracket(w, "{", true);
        write_text(w, "path", path);
        write_text(w, "text", text);
        close_bracket(w, "}");
    }
    close_bracket(w, "]");
}

static void write_scene(writer *w, const vxe_scene *scene)
{
    int32_t size[3];
    vxe_scene_size(scene, size);
    open_bracket(w, "{", false);
    begin(w, "voxelastic");
    put_integer(w, VXE_SCENE_VERSION);
    if (vxe_scene_name(scene)[0] != '\0') write_text(w, "name", vxe_scene_name(scene));
    if (vxe_scene_description(scene)[0] != '\0') write_text(w, "description", vxe_scene_description(scene));
    begin(w, "lattice");
    open_bracket(w, "{", true);
    write_number(w, "pitch", vxe_scene_pitch(scene));
    write_cells(w, "size", size);
    close_bracket(w, "}");
    begin(w, "materials");
    open_bracket(w, "[", false);
    for (int32_t m = 1; m <= vxe_scene_material_count(scene); m++)
        write_material(w, vxe_scene_material(scene, m));
    close_bracket(w, "]");
    write_layers(w, scene);
    write_actuation(w, scene);
    write_parts(w, scene);
    write_fields(w, scene);
    begin(w, "regions");
    open_bracket(w, "[", false);
    for (int32_t n = 0; n < vxe_scene_region_count(scene); n++) write_region(w, vxe_scene_region(scene, n));
    close_bracket(w, "]");
    write_environment(w, scene);
    write_rules(w, scene);
    write_ground(w, scene);
    write_solids(w, scene);
    write_water(w, scene);
    write_starts(w, scene);
    begin(w, "signals");
    open_bracket(w, "[", false);
    for (int32_t n = 0; n < vxe_scene_signal_count(scene); n++) write_signal(w, vxe_scene_signal(scene, n));
    close_bracket(w, "]");
    write_stop(w, scene);
    write_output(w, scene);
    write_experiment(w, scene);
    write_foreign(w, scene);
    close_bracket(w, "}");
    put(w, "\n");
}

vxe_result vxe_scene_print_json(const vxe_scene *scene, char **text, vxe_error *error)
{
    if (scene == NULL || text == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    writer w = {0};
    write_scene(&w, scene);
    vxe_result result = VXE_OK;
    if (w.failed) {
        result = vxe_fail_memory(error, "the scene as JSON", w.capacity);
    } else if (w.used > VXE_SCENE_BYTES_MAX || vxe_json_count_values(w.text, w.used) > VXE_JSON_VALUES_MAX) {
        result = vxe_fail(error, VXE_ERROR_LIMIT,
                          "the scene is too large for JSON: it would have more than %zu bytes or %d values",
                          VXE_SCENE_BYTES_MAX, VXE_JSON_VALUES_MAX);
    }
    if (result != VXE_OK) {
        free(w.text);
        return result;
    }
    *text = w.text;
    return VXE_OK;
}

vxe_result vxe_scene_save_json(const vxe_scene *scene, const char *path, vxe_error *error)
{
    if (path == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    char *text = NULL;
    vxe_result result = vxe_scene_print_json(scene, &text, error);
    if (text == NULL) return result;
    result = vxe_write_file(path, text, strlen(text), error);
    free(text);
    return result;
}
