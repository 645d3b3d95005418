/* The part of a JSON scene that fills the workspace: shapes, then layers of voxels, then the actuation of
 * single voxels. */
#include "io/json.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

/* --- shapes --- */

/* Which of the kinds the object has; exactly one must be there. */
static vxe_shape_kind find_kind(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object)
{
    static const vxe_choice kinds[] = {{"box", VXE_SHAPE_BOX},
                                       {"sphere", VXE_SHAPE_SPHERE},
                                       {"cylinder", VXE_SHAPE_CYLINDER},
                                       {"ellipsoid", VXE_SHAPE_ELLIPSOID},
                                       {"cells", VXE_SHAPE_CELLS}};
    const vxe_choice *found = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (json_object_get(object, kinds[i].word) == NULL) continue;
        if (found != NULL) {
            vxe_json_fail(reader, VXE_ERROR_INPUT, place, "has both \"%s\" and \"%s\"; one shape at a time",
                          found->word, kinds[i].word);
            return VXE_SHAPE_BOX;
        }
        found = &kinds[i];
    }
    if (found == NULL) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place,
                      "\"box\", \"sphere\", \"cylinder\" or \"ellipsoid\" is missing");
        return VXE_SHAPE_BOX;
    }
    return (vxe_shape_kind)found->value;
}

static void read_box(vxe_json_reader *reader, const vxe_json_place *place, const json_t *box,
                     vxe_shape *shape)
{
    if (!vxe_json_is_object(reader, place, box, VXE_JSON_BOX)) return;
    vxe_json_require(reader, place, box, "corner");
    vxe_json_require(reader, place, box, "size");
    vxe_json_get_vector(reader, place, box, "corner", shape->corner);
    vxe_json_get_vector(reader, place, box, "size", shape->sides);
}

static void read_round(vxe_json_reader *reader, const vxe_json_place *place, const json_t *round,
                       vxe_json_kind kind, vxe_shape *shape)
{
    if (!vxe_json_is_object(reader, place, round, kind)) return;
    vxe_json_require(reader, place, round, "center");
    vxe_json_require(reader, place, round, "radius");
    vxe_json_get_vector(reader, place, round, "center", shape->center);
    if (kind == VXE_JSON_ELLIPSOID)
        vxe_json_get_vector(reader, place, round, "radius", shape->radius);
    else
        vxe_json_get_number(reader, place, round, "radius", &shape->radius[0]);
    if (kind != VXE_JSON_CYLINDER) return;
    vxe_json_require(reader, place, round, "axis");
    vxe_json_require(reader, place, round, "length");
    int axis = VXE_AXIS_X;
    vxe_json_get_word(reader, place, round, "axis", vxe_axes, &axis);
    vxe_json_get_number(reader, place, round, "length", &shape->length);
    shape->axis = (vxe_axis)axis;
}

/* A list of [i, j, k]; the caller frees it. */
static void read_cells(vxe_json_reader *reader, const vxe_json_place *place, const json_t *list,
                       vxe_shape *shape)
{
    if (!vxe_json_is_array(reader, place, list)) return;
    const size_t count = json_array_size(list); /* the number of values of a file is limited */
    int32_t *cells = vxe_allocate(3 * count + 1, sizeof *cells);
    if (cells == NULL) {
        reader->result = vxe_fail_memory(reader->error, "a list of cells", 3 * count * sizeof *cells);
        return;
    }
    for (size_t n = 0; n < count && reader->result == VXE_OK; n++) {
        const vxe_json_place element = vxe_json_element(place, n);
        const json_t *cell = json_array_get(list, n);
        if (!json_is_array(cell) || json_array_size(cell) != 3) {
            vxe_json_fail(reader, VXE_ERROR_INPUT, &element, "must be an array of 3 whole numbers");
            break;
        }
        for (size_t a = 0; a < 3; a++) {
            const vxe_json_place number = vxe_json_element(&element, a);
            int64_t value = 0;
            vxe_json_integer(reader, &number, json_array_get(cell, a), 0, VXE_SIDE_MAX, &value);
            cells[3 * n + a] = (int32_t)value;
        }
    }
    shape->cells = cells;
    shape->cell_count = (int32_t)count;
}

void vxe_json_read_shape(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         vxe_shape *shape)
{
    vxe_shape read = {.kind = find_kind(reader, place, object), .units = VXE_UNITS_VOXELS};
    if (reader->result != VXE_OK) return;
    int units = VXE_UNITS_VOXELS;
    int touch = VXE_TOUCH_OVERLAP;
    vxe_json_get_word(reader, place, object, "units", vxe_units_words, &units);
    vxe_json_get_number(reader, place, object, "thickness", &read.thickness);
    vxe_json_get_word(reader, place, object, "touch", vxe_touches, &touch);
    read.units = (vxe_units)units;
    read.touch = (vxe_touch)touch;
    const char *key = "box";
    vxe_json_kind kind = VXE_JSON_BOX;
    switch (read.kind) {
    case VXE_SHAPE_BOX: break;
    case VXE_SHAPE_SPHERE: key = "sphere", kind = VXE_JSON_SPHERE; break;
    case VXE_SHAPE_CYLINDER: key = "cylinder", kind = VXE_JSON_CYLINDER; break;
    case VXE_SHAPE_ELLIPSOID: key = "ellipsoid", kind = VXE_JSON_ELLIPSOID; break;
    case VXE_SHAPE_CELLS: key = "cells"; break;
    }
    const vxe_json_place member = vxe_json_member(place, key);
    const json_t *value = json_object_get(object, key);
    if (read.kind == VXE_SHAPE_CELLS)
        read_cells(reader, &member, value, &read);
    else if (kind == VXE_JSON_BOX)
        read_box(reader, &member, value, &read);
    else
        read_round(reader, &member, value, kind, &read);
    vxe_error cause;
    if (reader->result == VXE_OK && vxe_check_shape("shape", &read, &cause) != VXE_OK) {
        if (strstr(cause.message, "thickness") != NULL || strstr(cause.message, "touch") != NULL ||
            read.kind == VXE_SHAPE_CELLS)
            vxe_json_refused(reader, place, object, VXE_JSON_SHAPE, &cause);
        else
            vxe_json_refused(reader, &member, value, kind, &cause);
    }
    *shape = read;
}

/* Whether a model of so many voxels fits into the machine at all. To be asked before they are made. */
static bool may_hold(vxe_json_reader *reader, const vxe_json_place *place, int64_t voxels)
{
    if (voxels < 1000000 || vxe_memory_holds((size_t)voxels * VXE_MODEL_BYTES)) return true;
    vxe_json_fail(reader, VXE_ERROR_MEMORY, place,
                  "there is not enough memory for %lld voxels: a model of them takes %.3g GB",
                  (long long)voxels, (double)voxels * VXE_MODEL_BYTES * 1e-9);
    return false;
}

/* Counts cells that are about to be visited: a small file must not take forever. */
static bool may_visit(vxe_json_reader *reader, const vxe_json_place *place, const int32_t first[3],
                      const int32_t last[3])
{
    int64_t cells = 1;
    for (int a = 0; a < 3; a++) cells *= (int64_t)last[a] - first[a] + 1;
    if (cells > VXE_JSON_FILL_MAX - reader->filled) {
        vxe_json_fail(reader, VXE_ERROR_LIMIT, place,
                      "shapes and actuation so far cover more than %lld voxels in all",
                      (long long)VXE_JSON_FILL_MAX);
        return false;
    }
    reader->filled += cells;
    return true;
}

static void set_actuation(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                          vxe_json_kind kind, const int32_t cell[3], const vxe_actuation *actuation)
{
    vxe_error cause;
    if (vxe_scene_set_actuation(reader->scene, cell[0], cell[1], cell[2], actuation, &cause) != VXE_OK) {
        vxe_json_refused(reader, place, object, kind, &cause);
    }
}

/* Sets the actuation of the voxels a shape fills: those whose centre is in it. */
static void read_shape_actuation(vxe_json_reader *reader, const vxe_json_place *place, const json_t *value,
                                 const vxe_placed_shape *placed, const int32_t first[3],
                                 const int32_t last[3])
{
    if (!vxe_json_is_object(reader, place, value, VXE_JSON_SHAPE_ACTUATION)) return;
    vxe_actuation actuation = {.amplitude = 1.0, .period = 1.0};
    vxe_json_get_number(reader, place, value, "phase", &actuation.phase);
    vxe_json_get_number(reader, place, value, "amplitude", &actuation.amplitude);
    vxe_json_get_number(reader, place, value, "period", &actuation.period);
    int32_t cell[3];
    for (cell[2] = first[2]; cell[2] <= last[2] && reader->result == VXE_OK; cell[2]++) {
        for (cell[1] = first[1]; cell[1] <= last[1] && reader->result == VXE_OK; cell[1]++) {
            for (cell[0] = first[0]; cell[0] <= last[0] && reader->result == VXE_OK; cell[0]++) {
                const double center[3] = {cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5};
                if (vxe_shape_contains(placed, center))
                    set_actuation(reader, place, value, VXE_JSON_SHAPE_ACTUATION, cell, &actuation);
            }
        }
    }
}

static void read_one_shape(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object)
{
    if (!vxe_json_is_object(reader, place, object, VXE_JSON_SHAPE)) return;
    const json_t *actuation = json_object_get(object, "actuation");
    if (actuation == NULL) vxe_json_require(reader, place, object, "material");
    vxe_shape shape = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS};
    vxe_json_read_shape(reader, place, object, &shape);
    int32_t material = -1; /* keep what is there */
    vxe_json_get_material(reader, place, object, "material", &material);
    if (reader->result != VXE_OK) return;
    int32_t size[3];
    int32_t first[3];
    int32_t last[3];
    vxe_scene_size(reader->scene, size);
    const vxe_placed_shape placed = vxe_place_shape(&shape, vxe_scene_pitch(reader->scene), size);
    const bool any = vxe_shape_cells(&placed, size, first, last);
    if (any && material >= 0 && may_visit(reader, place, first, last)) {
        vxe_error cause;
        if (vxe_scene_fill(reader->scene, &shape, material, &cause) != VXE_OK) {
            vxe_json_refused(reader, place, object, VXE_JSON_SHAPE, &cause);
        }
    }
    if (actuation == NULL || (any && !may_visit(reader, place, first, last))) return;
    int64_t cells = any ? 1 : 0;
    for (int a = 0; a < 3 && any; a++) cells *= (int64_t)last[a] - first[a] + 1;
    if (cells > 4000000 && !vxe_memory_holds((size_t)cells * sizeof(cell_actuation))) {
        vxe_json_fail(reader, VXE_ERROR_MEMORY, place,
                      "there is not enough memory for the actuation of %lld cells", (long long)cells);
        return;
    }
    for (int a = 0; a < 3 && !any; a++) first[a] = 0, last[a] = -1; /* it lies outside: still checked */
    const vxe_json_place member = vxe_json_member(place, "actuation");
    read_shape_actuation(reader, &member, actuation, &placed, first, last);
}

/* How many voxels the shapes leave at the least: those of the largest, less all that later ones could empty.
 * A box fills its bounds; a round shape fills two fifths of them or more; hollow ones do not count. */
static int64_t count_least(vxe_json_reader *reader, const vxe_json_place *place, const json_t *shapes)
{
    int64_t least = 0;
    int64_t emptied = 0;
    int32_t size[3];
    vxe_scene_size(reader->scene, size);
    for (size_t i = json_array_size(shapes); i > 0 && reader->result == VXE_OK; i--) {
        const vxe_json_place element = vxe_json_element(place, i - 1);
        const json_t *object = json_array_get(shapes, i - 1);
        if (!vxe_json_is_object(reader, &element, object, VXE_JSON_SHAPE)) return 0;
        vxe_shape shape = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS};
        vxe_json_read_shape(reader, &element, object, &shape);
        int32_t material = -1;
        vxe_json_get_material(reader, &element, object, "material", &material);
        if (reader->result != VXE_OK) return 0;
        int32_t first[3];
        int32_t last[3];
        const vxe_placed_shape placed = vxe_place_shape(&shape, vxe_scene_pitch(reader->scene), size);
        if (material < 0 || !vxe_shape_cells(&placed, size, first, last)) continue;
        int64_t cells = 1;
        for (int a = 0; a < 3; a++) cells *= (int64_t)last[a] - first[a] + 1;
        if (material == 0) {
            emptied += cells;
        } else if (shape.thickness == 0.0) {
            if (shape.kind != VXE_SHAPE_BOX) cells = 2 * cells / 5;
            if (cells - emptied > least) least = cells - emptied;
        }
    }
    return least;
}

void vxe_json_read_shapes(vxe_json_reader *reader, const json_t *shapes, bool layers)
{
    const vxe_json_place place = vxe_json_member(NULL, "shapes");
    if (shapes == NULL || !vxe_json_is_array(reader, &place, shapes)) return;
    if (json_array_size(shapes) > VXE_JSON_SHAPES_MAX) {
        vxe_json_fail(reader, VXE_ERROR_LIMIT, &place, "more than %d shapes", VXE_JSON_SHAPES_MAX);
    }
    /* layers may empty what shapes fill */
    if (reader->result == VXE_OK && !layers)
        (void)may_hold(reader, &place, count_least(reader, &place, shapes));
    for (size_t i = 0; i < json_array_size(shapes) && reader->result == VXE_OK; i++) {
        const vxe_json_place element = vxe_json_element(&place, i);
        read_one_shape(reader, &element, json_array_get(shapes, i));
    }
}

/* --- layers: rows of characters --- */

/* What one character stands for. */
typedef struct legend_entry {
    uint32_t code; /* of the character */
    int32_t material;
} legend_entry;

typedef struct layer_reader {
    vxe_json_reader *reader;
    legend_entry *legend; /* sorted by code */
    size_t legend_count;
    int32_t origin[3];
    int32_t room[3]; /* voxels from the origin to the end of the workspace */
    int32_t width;   /* of the first row; 0 before it is known */
    int32_t height;  /* rows of the first layer; 0 before it is known */
} layer_reader;

static int compare_entries(const void *a, const void *b)
{
    const uint32_t p = ((const legend_entry *)a)->code;
    const uint32_t q = ((const legend_entry *)b)->code;
    return (p > q) - (p < q);
}

/* Reads one character of valid UTF-8 and steps over it. */
static uint32_t next_character(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    const int more = s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : s[0] >= 0xc0 ? 1 : 0;
    uint32_t code = more == 0 ? s[0] : s[0] & (0x3fU >> more);
    for (int i = 1; i <= more; i++) code = (code << 6) | (s[i] & 0x3fU);
    *text += more + 1;
    return code;
}

static void read_legend(layer_reader *layers, const vxe_json_place *place, const json_t *value)
{
    vxe_json_reader *reader = layers->reader;
    if (reader->result != VXE_OK) return;
    if (value != NULL && !json_is_object(value)) {
        vxe_json_wrong_type(reader, place, "an object", value);
        return;
    }
    const size_t count = value != NULL ? json_object_size(value) : 0;
    layers->legend = vxe_allocate(count + 1, sizeof *layers->legend);
    if (layers->legend == NULL) {
        reader->result = vxe_fail_memory(reader->error, "a legend", count * sizeof *layers->legend);
        return;
    }
    bool has_dot = false;
    json_t *members = (json_t *)(uintptr_t)value; /* jansson's iterator takes no const; nothing is changed */
    for (void *at = json_object_iter(members); at != NULL; at = json_object_iter_next(members, at)) {
        const char *key = json_object_iter_key(at);
        const vxe_json_place member = vxe_json_member(place, key);
        const char *end = key;
        const uint32_t code = key[0] != '\0' ? next_character(&end) : 0;
        if (code <= ' ' || *end != '\0' || code == '*' || (code >= '0' && code <= '9')) {
            vxe_json_fail(reader, VXE_ERROR_INPUT, &member,
                          "a key of the legend is one character, but no digit, blank or *");
            return;
        }
        legend_entry *entry = &layers->legend[layers->legend_count++];
        entry->code = code;
        has_dot = has_dot || code == '.';
        vxe_json_get_material(reader, place, value, key, &entry->material);
    }
    if (!has_dot) layers->legend[layers->legend_count++] = (legend_entry){'.', 0};
    qsort(layers->legend, layers->legend_count, sizeof *layers->legend, compare_entries);
}

/* Reads a count that may stand before a character: 1 if there is none; 0 (an error) if it is 0 or beyond the
 * largest side. */
static int32_t read_count(const char **text)
{
    if (**text < '0' || **text > '9') return 1;
    int32_t count = 0;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        if (count <= VXE_SIDE_MAX) count = 10 * count + (**text - '0');
    }
    return count <= VXE_SIDE_MAX ? count : 0;
}

/* Sets a block of voxels; all inside. */
static void put_block(vxe_json_reader *reader, const vxe_json_place *place, const int32_t first[3],
                      const int32_t size[3], int32_t material)
{
    vxe_error cause;
    vxe_result result = VXE_OK;
    if (material > 0) reader->placed += (int64_t)size[0] * size[1] * size[2];
    if (!may_hold(reader, place, reader->placed)) return;
    if ((int64_t)size[0] * size[1] * size[2] < 16) { /* a fill has more to prepare */
        for (int32_t k = first[2]; k < first[2] + size[2]; k++) {
            for (int32_t j = first[1]; j < first[1] + size[1]; j++) {
                for (int32_t i = first[0]; i < first[0] + size[0] && result == VXE_OK; i++) {
                    result = vxe_scene_set_voxel(reader->scene, i, j, k, material, &cause);
                }
            }
        }
    } else {
        vxe_shape box = {.kind = VXE_SHAPE_BOX, .units = VXE_UNITS_VOXELS};
        for (int a = 0; a < 3; a++) {
            box.corner[a] = first[a];
            box.sides[a] = size[a];
        }
        result = vxe_scene_fill(reader->scene, &box, material, &cause);
    }
    if (result != VXE_OK) vxe_json_refused(reader, place, NULL, VXE_JSON_LAYERS, &cause);
}

/* Reads one row, `3*5a2.b`, into rows y and up of layers z to z + thick. Gives the number of rows it stands
 * for. */
static int32_t read_row(layer_reader *layers, const vxe_json_place *place, const json_t *value, int32_t y,
                        int32_t z, int32_t thick)
{
    vxe_json_reader *reader = layers->reader;
    if (!json_is_string(value)) {
        vxe_json_wrong_type(reader, place, "a string", value);
        return 0;
    }
    const char *text = json_string_value(value);
    const char *after = text;
    int32_t rows = read_count(&after);
    if (*after == '*')
        text = after + 1;
    else
        rows = 1;
    if (rows < 1) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place, "the count before * is not within 1 to %d",
                      VXE_SIDE_MAX);
        return 0;
    }
    if (rows > layers->room[1] - y) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place,
                      "the layer has more than the %d rows that are in the workspace", (int)layers->room[1]);
        return 0;
    }
    int32_t x = 0;
    while (*text != '\0') {
        const int32_t count = read_count(&text);
        const char *begin = text;
        legend_entry wanted = {*text != '\0' ? next_character(&text) : 0, 0};
        const legend_entry *entry =
            bsearch(&wanted, layers->legend, layers->legend_count, sizeof wanted, compare_entries);
        char character[8] = "";
        memcpy(character, begin, (size_t)(text - begin));
        char shown[VXE_JSON_SHOWN_SIZE];
        (void)vxe_json_shown(character, shown);
        if (wanted.code == 0) {
            vxe_json_fail(reader, VXE_ERROR_INPUT, place, "ends in a count without a character");
        } else if (entry == NULL) {
            vxe_json_fail(reader, VXE_ERROR_INPUT, place, "the character \"%s\" is not in the legend", shown);
        } else if (count < 1) {
            vxe_json_fail(reader, VXE_ERROR_INPUT, place, "the count before \"%s\" is not within 1 to %d",
                          shown, VXE_SIDE_MAX);
        } else if (count > layers->room[0] - x) {
            vxe_json_fail(reader, VXE_ERROR_INPUT, place,
                          "the row is longer than the %d voxels that are in the workspace",
                          (int)layers->room[0]);
        }
        if (entry == NULL || reader->result != VXE_OK) return 0;
        const int32_t first[3] = {layers->origin[0] + x, layers->origin[1] + y, layers->origin[2] + z};
        const int32_t size[3] = {count, rows, thick};
        put_block(reader, place, first, size, entry->material);
        x += count;
    }
    if (x == 0) vxe_json_fail(reader, VXE_ERROR_INPUT, place, "a row without voxels");
    if (layers->width == 0) layers->width = x;
    if (x != layers->width) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place, "a row of %d voxels, but the first row has %d", (int)x,
                      (int)layers->width);
    }
    return rows;
}

/* Reads one layer, a list of rows or an object that repeats one. Gives the number of layers it stands for. */
static int32_t read_layer(layer_reader *layers, const vxe_json_place *place, const json_t *value, int32_t z)
{
    vxe_json_reader *reader = layers->reader;
    const json_t *rows = value;
    vxe_json_place rows_place = *place;
    int64_t thick = 1;
    if (json_is_object(value)) {
        if (!vxe_json_is_object(reader, place, value, VXE_JSON_LAYER)) return 0;
        vxe_json_get_integer(reader, place, value, "repeat", 1, VXE_SIDE_MAX, &thick);
        vxe_json_require(reader, place, value, "rows");
        rows = json_object_get(value, "rows");
        rows_place = vxe_json_member(place, "rows");
    }
    if (rows == NULL || !vxe_json_is_array(reader, &rows_place, rows)) return 0;
    if (thick > layers->room[2] - z) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place, "more than the %d layers that are in the workspace",
                      (int)layers->room[2]);
        return 0;
    }
    int32_t y = 0;
    for (size_t n = 0; n < json_array_size(rows); n++) {
        const vxe_json_place row = vxe_json_element(&rows_place, n);
        const int32_t more = read_row(layers, &row, json_array_get(rows, n), y, z, (int32_t)thick);
        if (reader->result != VXE_OK) return 0;
        y += more;
    }
    if (y == 0) vxe_json_fail(reader, VXE_ERROR_INPUT, &rows_place, "a layer without rows");
    if (layers->height == 0) layers->height = y;
    if (y != layers->height) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &rows_place, "a layer of %d rows, but the first layer has %d",
                      (int)y, (int)layers->height);
    }
    return (int32_t)thick;
}

/* An origin inside the workspace, and the room from there to its end. */
static void read_origin(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                        int32_t origin[3], int32_t room[3])
{
    const vxe_json_place member = vxe_json_member(place, "origin");
    int32_t size[3];
    vxe_scene_size(reader->scene, size);
    memset(origin, 0, 3 * sizeof origin[0]);
    vxe_json_get_cells(reader, place, object, "origin", 0, origin);
    for (int a = 0; a < 3; a++) {
        room[a] = size[a] - origin[a];
        if (room[a] < 1) vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "is outside of the workspace");
    }
}

void vxe_json_read_layers(vxe_json_reader *reader, const json_t *value)
{
    const vxe_json_place place = vxe_json_member(NULL, "layers");
    const vxe_json_place legend_place = vxe_json_member(&place, "legend");
    const vxe_json_place list_place = vxe_json_member(&place, "layers");
    if (value == NULL || !vxe_json_is_object(reader, &place, value, VXE_JSON_LAYERS)) return;
    layer_reader layers = {.reader = reader};
    vxe_json_require(reader, &place, value, "layers");
    read_origin(reader, &place, value, layers.origin, layers.room);
    read_legend(&layers, &legend_place, json_object_get(value, "legend"));
    const json_t *list = json_object_get(value, "layers");
    if (list != NULL && vxe_json_is_array(reader, &list_place, list)) {
        int32_t z = 0;
        for (size_t n = 0; n < json_array_size(list) && reader->result == VXE_OK; n++) {
            const vxe_json_place element = vxe_json_element(&list_place, n);
            z += read_layer(&layers, &element, json_array_get(list, n), z);
        }
    }
    free(layers.legend);
}

/* --- actuation of single voxels: numbers in the order of the voxels, x fastest --- */

/* One of the three lists, read from the front: a number for all voxels, or an array of numbers and runs
 * [count, number]. */
typedef struct number_list {
    vxe_json_place place;
    const json_t *value;
    size_t next;    /* element */
    int64_t repeat; /* how often `number` is still to be given */
    double number;
} number_list;

/* Takes an element apart: a number, or a run. */
static void read_run(vxe_json_reader *reader, const vxe_json_place *place, const json_t *element,
                     int64_t *repeat, double *number)
{
    *repeat = 1;
    if (!json_is_array(element)) {
        vxe_json_number(reader, place, element, number);
        return;
    }
    if (json_array_size(element) != 2) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place, "a run has two numbers: how many, and which");
        return;
    }
    const vxe_json_place count_place = vxe_json_element(place, 0);
    const vxe_json_place number_place = vxe_json_element(place, 1);
    vxe_json_integer(reader, &count_place, json_array_get(element, 0), 1, VXE_CELLS_MAX, repeat);
    vxe_json_number(reader, &number_place, json_array_get(element, 1), number);
}

/* Looks up one of the lists and checks that it has as many numbers as there are voxels. */
static number_list open_list(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                             const char *key, double number, int64_t cells)
{
    number_list list = {vxe_json_member(place, key), json_object_get(object, key), 0, cells, number};
    if (!json_is_array(list.value)) {
        if (list.value != NULL && !json_is_number(list.value)) {
            vxe_json_wrong_type(reader, &list.place, "a number or an array", list.value);
        }
        if (list.value != NULL) vxe_json_number(reader, &list.place, list.value, &list.number);
        return list;
    }
    list.repeat = 0;
    int64_t total = 0;
    for (size_t i = 0; i < json_array_size(list.value) && reader->result == VXE_OK && total <= cells; i++) {
        const vxe_json_place element = vxe_json_element(&list.place, i);
        int64_t repeat = 1;
        read_run(reader, &element, json_array_get(list.value, i), &repeat, &number);
        total += repeat;
    }
    if (total != cells) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &list.place, "has %s%lld numbers for %lld voxels",
                      total > cells ? "at least " : "", (long long)total, (long long)cells);
    }
    return list;
}

static double take_number(vxe_json_reader *reader, number_list *list)
{
    if (list->repeat == 0) {
        const vxe_json_place element = vxe_json_element(&list->place, list->next);
        read_run(reader, &element, json_array_get(list->value, list->next), &list->repeat, &list->number);
        list->next++;
    }
    list->repeat--;
    return list->number;
}

/* Leaves out so many numbers. */
static void pass_numbers(vxe_json_reader *reader, number_list *list, int64_t count)
{
    while (count > 0 && reader->result == VXE_OK) {
        if (list->repeat == 0) {
            (void)take_number(reader, list);
            count--;
        }
        const int64_t part = count < list->repeat ? count : list->repeat;
        list->repeat -= part;
        count -= part;
    }
}

/* How many cells from this one to the end of its row are passed over. Numbers of empty cells mean nothing
 * until a voxel is put there. They are kept, but not where a few bytes of a file would take gigabytes of
 * memory for them. */
static int32_t count_wasted(const vxe_json_reader *reader, int64_t cells, const int32_t cell[3], int32_t last)
{
    if (cells <= 4000000) return 0;
    const uint16_t *row =
        vxe_scene_voxels(reader->scene) + vxe_scene_cell(reader->scene, 0, cell[1], cell[2]);
    int32_t i = cell[0];
    while (i <= last && row[i] == 0) i++;
    return i - cell[0];
}

/* `origin` and `size` of a box of cells, first to last inclusive: how many they are; 0 after an error. */
static int64_t read_box_of_cells(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                                 int32_t origin[3], int32_t last[3])
{
    const vxe_json_place member = vxe_json_member(place, "size");
    int32_t room[3];
    read_origin(reader, place, object, origin, room);
    int32_t size[3] = {room[0], room[1], room[2]};
    vxe_json_get_cells(reader, place, object, "size", 1, size);
    for (int a = 0; a < 3; a++) {
        if (size[a] > room[a])
            vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "reaches out of the workspace");
        last[a] = origin[a] + (size[a] < room[a] ? size[a] : room[a]) - 1;
    }
    if (reader->result != VXE_OK || !may_visit(reader, place, origin, last)) return 0;
    return (int64_t)size[0] * size[1] * size[2];
}

void vxe_json_read_actuation(vxe_json_reader *reader, const json_t *value)
{
    const vxe_json_place place = vxe_json_member(NULL, "actuation");
    if (value == NULL || !vxe_json_is_object(reader, &place, value, VXE_JSON_ACTUATION)) return;
    int32_t origin[3];
    int32_t last[3];
    const int64_t cells = read_box_of_cells(reader, &place, value, origin, last);
    if (cells == 0) return;
    number_list phase = open_list(reader, &place, value, "phase", 0.0, cells);
    number_list amplitude = open_list(reader, &place, value, "amplitude", 1.0, cells);
    number_list period = open_list(reader, &place, value, "period", 1.0, cells);
    int32_t cell[3];
    for (cell[2] = origin[2]; cell[2] <= last[2] && reader->result == VXE_OK; cell[2]++) {
        for (cell[1] = origin[1]; cell[1] <= last[1] && reader->result == VXE_OK; cell[1]++) {
            for (cell[0] = origin[0]; cell[0] <= last[0] && reader->result == VXE_OK; cell[0]++) {
                const int32_t wasted = count_wasted(reader, cells, cell, last[0]);
                pass_numbers(reader, &phase, wasted);
                pass_numbers(reader, &amplitude, wasted);
                pass_numbers(reader, &period, wasted);
                cell[0] += wasted;
                if (cell[0] > last[0] || reader->result != VXE_OK) break;
                const vxe_actuation actuation = {.phase = take_number(reader, &phase),
                                                 .amplitude = take_number(reader, &amplitude),
                                                 .period = take_number(reader, &period)};
                set_actuation(reader, &place, value, VXE_JSON_ACTUATION, cell, &actuation);
            }
        }
    }
}

/* One field: a box of numbers. */
static void read_field(vxe_json_reader *reader, const vxe_json_place *place, const json_t *value,
                       vxe_field field)
{
    if (!vxe_json_is_object(reader, place, value, VXE_JSON_FIELD)) return;
    int32_t origin[3];
    int32_t last[3];
    vxe_json_require(reader, place, value, "values");
    const int64_t cells = read_box_of_cells(reader, place, value, origin, last);
    if (cells == 0) return;
    number_list list = open_list(reader, place, value, "values", 0.0, cells);
    int32_t cell[3];
    vxe_error cause;
    for (cell[2] = origin[2]; cell[2] <= last[2] && reader->result == VXE_OK; cell[2]++) {
        for (cell[1] = origin[1]; cell[1] <= last[1] && reader->result == VXE_OK; cell[1]++) {
            for (cell[0] = origin[0]; cell[0] <= last[0] && reader->result == VXE_OK; cell[0]++) {
                const int32_t wasted = count_wasted(reader, cells, cell, last[0]);
                pass_numbers(reader, &list, wasted);
                cell[0] += wasted;
                if (cell[0] > last[0] || reader->result != VXE_OK) break;
                const double number = take_number(reader, &list);
                if (reader->result == VXE_OK && vxe_scene_set_field(reader->scene, field, cell[0], cell[1],
                                                                    cell[2], number, &cause) != VXE_OK)
                    vxe_json_refused(reader, place, value, VXE_JSON_FIELD, &cause);
            }
        }
    }
}

void vxe_json_read_fields(vxe_json_reader *reader, const json_t *value)
{
    const vxe_json_place place = vxe_json_member(NULL, "fields");
    if (value == NULL || !vxe_json_is_object(reader, &place, value, VXE_JSON_FIELDS)) return;
    for (int f = 0; f < VXE_FIELD_COUNT; f++) {
        const char *name = vxe_field_name((vxe_field)f);
        const vxe_json_place member = vxe_json_member(&place, name);
        const json_t *field = json_object_get(value, name);
        if (field != NULL) read_field(reader, &member, field, (vxe_field)f);
    }
}
