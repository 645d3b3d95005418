/* PLY: a header that says what follows, as text or binary of either byte order. x, y, z of the element
 * "vertex" and the list vertex_indices (or vertex_index) of the element "face" are read, all else is passed
 * over. */
#include "mesh/mesh.h"
#include "base/words.h"

#include <math.h>
#include <string.h>

enum { ELEMENTS_MAX = 32, PROPERTIES_MAX = 256 };

typedef enum kind { KIND_I8, KIND_U8, KIND_I16, KIND_U16, KIND_I32, KIND_U32, KIND_F32, KIND_F64 } kind;
typedef enum layout { TEXT, LITTLE, BIG } layout;

typedef struct property {
    kind type;
    kind length; /* of a list: type of its length */
    bool list;
    int role; /* 0..2: x, y, z; 3: corners of a face; -1: passed over */
} property;

typedef struct element {
    char name[32];
    int64_t count;
    int first; /* property */
    int properties;
} element;

typedef struct ply {
    const char *name;
    layout layout;
    element elements[ELEMENTS_MAX];
    int element_count;
    property properties[PROPERTIES_MAX];
    int property_count;
    words text;
} ply;

static const struct {
    const char *name;
    const char *other;
    size_t size;
} kinds[] = {
    [KIND_I8] = {"char", "int8", 1},      [KIND_U8] = {"uchar", "uint8", 1},
    [KIND_I16] = {"short", "int16", 2},   [KIND_U16] = {"ushort", "uint16", 2},
    [KIND_I32] = {"int", "int32", 4},     [KIND_U32] = {"uint", "uint32", 4},
    [KIND_F32] = {"float", "float32", 4}, [KIND_F64] = {"double", "float64", 8},
};

static vxe_result fail_line(const ply *p, const char *what, word w, vxe_error *error)
{
    return vxe_fail(error, VXE_ERROR_INPUT, "%.500s:%zu: \"%s\" %s", p->name, p->text.line,
                    vxe_word_show(w).text, what);
}

static bool find_kind(word w, kind *type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!vxe_word_is(w, kinds[i].name) && !vxe_word_is(w, kinds[i].other)) continue;
        *type = (kind)i;
        return true;
    }
    return false;
}

static vxe_result read_format(ply *p, vxe_error *error)
{
    const word w = vxe_words_next(&p->text);
    if (vxe_word_is(w, "ascii")) {
        p->layout = TEXT;
    } else if (vxe_word_is(w, "binary_little_endian")) {
        p->layout = LITTLE;
    } else if (vxe_word_is(w, "binary_big_endian")) {
        p->layout = BIG;
    } else {
        return fail_line(p, "is no format: ascii, binary_little_endian or binary_big_endian", w, error);
    }
    return VXE_OK;
}

static vxe_result read_element(ply *p, vxe_error *error)
{
    const word name = vxe_words_next(&p->text);
    const word count = vxe_words_next(&p->text);
    if (p->element_count == ELEMENTS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%.500s:%zu: more than %d elements", p->name, p->text.line,
                        ELEMENTS_MAX);
    element *e = &p->elements[p->element_count];
    *e = (element){.first = p->property_count};
    if (name.size == 0 || name.size >= sizeof e->name)
        return fail_line(p, "is not the name of an element", name, error);
    memcpy(e->name, vxe_word_show(name).text, name.size); /* for messages too */
    if (!vxe_word_integer(count, &e->count) || e->count < 0)
        return fail_line(p, "is not a number of elements", count, error);
    p->element_count++;
    return VXE_OK;
}

static vxe_result read_property(ply *p, vxe_error *error)
{
    property new = {.role = -1};
    word w = vxe_words_next(&p->text);
    if (p->element_count == 0) return fail_line(p, "is a property of no element", w, error);
    if (p->property_count == PROPERTIES_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%.500s:%zu: more than %d properties", p->name, p->text.line,
                        PROPERTIES_MAX);
    element *e = &p->elements[p->element_count - 1];
    if (vxe_word_is(w, "list")) {
        new.list = true;
        w = vxe_words_next(&p->text);
        if (!find_kind(w, &new.length) || new.length >= KIND_F32)
            return fail_line(p, "is not a type of a list's length", w, error);
        w = vxe_words_next(&p->text);
    }
    if (!find_kind(w, &new.type)) return fail_line(p, "is not a type", w, error);
    w = vxe_words_next(&p->text);
    if (w.size == 0) return fail_line(p, "is not the name of a property", w, error);
    if (!new.list && strcmp(e->name, "vertex") == 0 && w.size == 1 && w.text[0] >= 'x' && w.text[0] <= 'z')
        new.role = w.text[0] - 'x';
    if (new.list && strcmp(e->name, "face") == 0 &&
        (vxe_word_is(w, "vertex_indices") || vxe_word_is(w, "vertex_index"))) {
        if (new.type >= KIND_F32) return fail_line(p, "has corners that are not whole numbers", w, error);
        new.role = 3;
    }
    p->properties[p->property_count++] = new;
    e->properties++;
    return VXE_OK;
}

static vxe_result read_header(ply *p, vxe_error *error)
{
    bool format = false;
    if (!vxe_word_is(vxe_words_next(&p->text), "ply"))
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: not a PLY file: it does not begin with \"ply\"",
                        p->name);
    while (vxe_words_next_line(&p->text)) {
        const word key = vxe_words_next(&p->text);
        vxe_result result = VXE_OK;
        if (vxe_word_is(key, "format")) {
            result = read_format(p, error);
            format = true;
        } else if (vxe_word_is(key, "element")) {
            result = read_element(p, error);
        } else if (vxe_word_is(key, "property")) {
            result = read_property(p, error);
        } else if (vxe_word_is(key, "end_header")) {
            if (!format) return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: the header has no format", p->name);
            (void)vxe_words_next_line(&p->text);
            return VXE_OK;
        } else if (key.size != 0 && !vxe_word_is(key, "comment") && !vxe_word_is(key, "obj_info")) {
            result = fail_line(p, "is not a line of a header", key, error);
        }
        if (result != VXE_OK) return result;
    }
    return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: cut off in the header", p->name);
}

/* One number of a binary file; 0 at its end, where *good becomes false. */
static double read_binary(ply *p, kind type, bool *good)
{
    const size_t size = kinds[type].size;
    if ((size_t)(p->text.end - p->text.at) < size) {
        *good = false;
        return 0.0;
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        const size_t place = p->layout == BIG ? size - 1 - i : i;
        bits |= (uint64_t)(unsigned char)p->text.at[i] << (8 * place);
    }
    p->text.at += size;
    switch (type) {
    case KIND_I8: return (double)(int8_t)(uint8_t)bits;
    case KIND_U8: return (double)(uint8_t)bits;
    case KIND_I16: return (double)(int16_t)(uint16_t)bits;
    case KIND_U16: return (double)(uint16_t)bits;
    case KIND_I32: return (double)(int32_t)(uint32_t)bits;
    case KIND_U32: return (double)(uint32_t)bits;
    case KIND_F32: {
        const uint32_t half = (uint32_t)bits;
        float value = 0.0F;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    case KIND_F64: {
        double value = 0.0;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    }
    return 0.0;
}

static vxe_result read_value(ply *p, kind type, const element *e, int64_t number, double *value,
                             vxe_error *error)
{
    bool good = true;
    if (p->layout != TEXT) {
        *value = read_binary(p, type, &good);
        if (good) return VXE_OK;
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: cut off at %s %lld of %lld", p->name, e->name,
                        (long long)number + 1, (long long)e->count);
    }
    const word w = vxe_words_next_anywhere(&p->text);
    if (w.size == 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: cut off at %s %lld of %lld", p->name, e->name,
                        (long long)number + 1, (long long)e->count);
    if (vxe_word_number(w, value)) return VXE_OK;
    return fail_line(p, "is not a finite number", w, error);
}

/* The list of a face, cut into a fan; or any other list, passed over. */
static vxe_result read_list(ply *p, const property *q, const element *e, int64_t number, mesh_builder *b,
                            vxe_error *error)
{
    double length = 0.0;
    vxe_result result = read_value(p, q->length, e, number, &length, error);
    if (result != VXE_OK) return result;
    if (!(length >= 0.0 && length == floor(length)))
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: %s %lld: a list of %g items", p->name, e->name,
                        (long long)number + 1, length);
    int32_t triangle[3] = {0, 0, 0};
    for (double i = 0.0; i < length && result == VXE_OK; i += 1.0) {
        double value = 0.0;
        result = read_value(p, q->type, e, number, &value, error);
        if (result != VXE_OK || q->role != 3) continue;
        if (!(value >= 0.0 && value < VXE_MESH_VERTICES_MAX && value == floor(value)))
            return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: %s %lld: %g is not the number of a vertex",
                            p->name, e->name, (long long)number + 1, value);
        if (i >= 3.0) triangle[1] = triangle[2];
        triangle[i < 2.0 ? (int)i : 2] = (int32_t)value;
        if (i >= 2.0) result = vxe_mesh_builder_triangle(b, p->name, triangle, error);
    }
    return result;
}

static vxe_result read_item(ply *p, const element *e, int64_t number, mesh_builder *b, vxe_error *error)
{
    double vertex[3] = {0.0, 0.0, 0.0};
    vxe_result result = VXE_OK;
    for (int i = 0; i < e->properties && result == VXE_OK; i++) {
        const property *q = &p->properties[e->first + i];
        if (q->list) {
            result = read_list(p, q, e, number, b, error);
            continue;
        }
        double value = 0.0;
        result = read_value(p, q->type, e, number, &value, error);
        if (result == VXE_OK && q->role >= 0) vertex[q->role] = value;
    }
    if (result == VXE_OK && strcmp(e->name, "vertex") == 0)
        result = vxe_mesh_builder_vertex(b, p->name, vertex, error);
    return result;
}

/* That the header promises no more than the file can hold, before anything is allocated for it. */
static vxe_result check_counts(const ply *p, vxe_error *error)
{
    int roles = 0;
    const size_t left = (size_t)(p->text.end - p->text.at);
    for (int i = 0; i < p->element_count; i++) {
        const element *e = &p->elements[i];
        size_t least = 0; /* bytes of an item */
        for (int j = e->first; j < e->first + e->properties; j++) {
            const property *q = &p->properties[j];
            least += p->layout == TEXT ? 2 : kinds[q->list ? q->length : q->type].size;
            if (q->role >= 0) roles |= 1 << q->role;
        }
        if (least == 0 && e->count > 0)
            return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: the element \"%s\" has no properties", p->name,
                            e->name);
        if (e->count > 0 && (uint64_t)e->count > (left + 1) / least)
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "%.500s: %lld times \"%s\" is promised, but the file is too short", p->name,
                            (long long)e->count, e->name);
    }
    if ((roles & 7) != 7)
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: no vertices with x, y and z", p->name);
    if ((roles & 8) == 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: no faces with vertex_indices", p->name);
    return VXE_OK;
}

vxe_result vxe_mesh_read_ply(const char *data, size_t size, const char *name, mesh_builder *b,
                             vxe_error *error)
{
    ply p = {.name = name, .text = words_of(data, size)};
    vxe_result result = read_header(&p, error);
    if (result == VXE_OK) result = check_counts(&p, error);
    for (int i = 0; i < p.element_count && result == VXE_OK; i++)
        for (int64_t n = 0; n < p.elements[i].count && result == VXE_OK; n++)
            result = read_item(&p, &p.elements[i], n, b, error);
    return result;
}
