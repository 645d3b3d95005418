/* STL: triangles without a topology, as text or as 50 bytes each. Normals and attributes are ignored: the
 * order of the corners tells the outer side, as the format demands. */
#include "mesh/mesh.h"
#include "base/words.h"

#include <math.h>
#include <string.h>

enum { HEADER = 80, RECORD = 50 };

static uint32_t read_u32(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double read_float(const char *at)
{
    const uint32_t bits = read_u32(at);
    float value = 0.0F;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static vxe_result add_triangle(mesh_builder *b, const char *name, double corner[3][3], vxe_error *error)
{
    const int32_t first = (int32_t)b->vertex_count;
    const int32_t triangle[3] = {first, first + 1, first + 2};
    vxe_result result = VXE_OK;
    for (int i = 0; i < 3 && result == VXE_OK; i++)
        result = vxe_mesh_builder_vertex(b, name, corner[i], error);
    return result == VXE_OK ? vxe_mesh_builder_triangle(b, name, triangle, error) : result;
}

static vxe_result read_binary(const char *data, size_t size, const char *name, mesh_builder *b,
                              vxe_error *error)
{
    const size_t promised = read_u32(data + HEADER);
    const size_t there = (size - HEADER - 4) / RECORD;
    if (promised > there)
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: cut off: %zu triangles are promised, %zu are there",
                        name, promised, there);
    vxe_result result = vxe_mesh_builder_reserve(b, name, 3 * promised, promised, error);
    for (size_t t = 0; t < promised && result == VXE_OK; t++) {
        const char *at = data + HEADER + 4 + t * RECORD + 12; /* after the normal */
        double corner[3][3];
        for (int i = 0; i < 9; i++) {
            corner[i / 3][i % 3] = read_float(at + 4 * i);
            if (!isfinite(corner[i / 3][i % 3]))
                return vxe_fail(error, VXE_ERROR_INPUT,
                                "%.500s: triangle %zu: %c of corner %d is not a finite number", name, t + 1,
                                'x' + i % 3, i / 3 + 1);
        }
        result = add_triangle(b, name, corner, error);
    }
    return result;
}

static vxe_result expect(words *w, const char *name, const char *text, vxe_error *error)
{
    const word next = vxe_words_next_anywhere(w);
    if (vxe_word_is_like(next, text)) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_INPUT, "%.500s:%zu: \"%s\" where \"%s\" should be", name, w->line,
                    vxe_word_show(next).text, text);
}

static vxe_result read_facet(words *w, const char *name, mesh_builder *b, vxe_error *error)
{
    double corner[3][3];
    /* "normal" and its numbers, which are often rubbish: the rest of the line */
    vxe_result result = vxe_words_next_line(w)
                            ? expect(w, name, "outer", error)
                            : vxe_fail(error, VXE_ERROR_INPUT, "%.500s:%zu: cut off", name, w->line);
    if (result == VXE_OK) result = expect(w, name, "loop", error);
    for (int i = 0; i < 3 && result == VXE_OK; i++) {
        result = expect(w, name, "vertex", error);
        for (int a = 0; a < 3 && result == VXE_OK; a++) {
            const word number = vxe_words_next_anywhere(w);
            if (!vxe_word_number(number, &corner[i][a]))
                result = vxe_fail(error, VXE_ERROR_INPUT, "%.500s:%zu: \"%s\" is not a finite number", name,
                                  w->line, vxe_word_show(number).text);
        }
    }
    if (result == VXE_OK) result = expect(w, name, "endloop", error);
    if (result == VXE_OK) result = expect(w, name, "endfacet", error);
    return result == VXE_OK ? add_triangle(b, name, corner, error) : result;
}

static vxe_result read_text(const char *data, size_t size, const char *name, mesh_builder *b,
                            vxe_error *error)
{
    words w = words_of(data, size);
    vxe_result result = VXE_OK;
    (void)vxe_words_next_line(&w); /* solid and its name */
    while (result == VXE_OK) {
        const word next = vxe_words_next_anywhere(&w);
        if (next.size == 0) return VXE_OK;
        if (vxe_word_is_like(next, "facet")) {
            result = read_facet(&w, name, b, error);
        } else if (vxe_word_is_like(next, "solid") || vxe_word_is_like(next, "endsolid")) {
            (void)vxe_words_next_line(&w); /* several solids in a file are one mesh */
        } else {
            result = vxe_fail(error, VXE_ERROR_INPUT, "%.500s:%zu: \"%s\" where \"facet\" should be", name,
                              w.line, vxe_word_show(next).text);
        }
    }
    return result;
}

vxe_result vxe_mesh_read_stl(const char *data, size_t size, const char *name, mesh_builder *b,
                             vxe_error *error)
{
    /* Binary files may begin with "solid" too; their size gives them away. */
    const bool sized = size >= HEADER + 4 && (size - HEADER - 4) / RECORD == read_u32(data + HEADER) &&
                       (size - HEADER - 4) % RECORD == 0;
    words w = words_of(data, size < 1024 ? size : 1024);
    const bool solid = vxe_word_is_like(vxe_words_next_anywhere(&w), "solid");
    if (!sized && solid) return read_text(data, size, name, b, error);
    if (size >= HEADER + 4) return read_binary(data, size, name, b, error);
    return vxe_fail(error, VXE_ERROR_INPUT,
                    size == 0
                        ? "%.500s: the file is empty"
                        : "%.500s: not an STL file: neither \"solid\" nor the 84 bytes of a binary header",
                    name);
}
