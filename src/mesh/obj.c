/* Wavefront OBJ: vertices and faces. Faces of more than three corners are cut into a fan. Everything else
 * (normals, textures, groups, materials, lines) is ignored. */
#include "mesh/mesh.h"
#include "base/words.h"

#include <string.h>

static vxe_result read_vertex(words *w, const char *name, mesh_builder *b, vxe_error *error)
{
    double vertex[3];
    for (int a = 0; a < 3; a++) {
        const word number = vxe_words_next(w);
        if (!vxe_word_number(number, &vertex[a]))
            return vxe_fail(error, VXE_ERROR_INPUT, "%.500s:%zu: \"%s\" is not a finite number", name,
                            w->line, vxe_word_show(number).text);
    }
    return vxe_mesh_builder_vertex(b, name, vertex, error); /* a weight or a colour may follow */
}

/* A corner such as 7, 7/1, 7//3 or -1 (the last vertex so far). */
static vxe_result read_corner(word corner, const words *w, const char *name, size_t vertices, int32_t *index,
                              vxe_error *error)
{
    const char *slash = memchr(corner.text, '/', corner.size);
    int64_t number = 0;
    const word first = {corner.text, slash != NULL ? (size_t)(slash - corner.text) : corner.size};
    if (!vxe_word_integer(first, &number) || number == 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s:%zu: \"%s\" is not the number of a vertex", name,
                        w->line, vxe_word_show(corner).text);
    if (number < 0) number += (int64_t)vertices + 1;
    /* A vertex may follow its face in the file; whether it does is seen at the end. */
    if (number < 1 || number > VXE_MESH_VERTICES_MAX)
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s:%zu: \"%s\": there is no such vertex", name, w->line,
                        vxe_word_show(corner).text);
    *index = (int32_t)(number - 1);
    return VXE_OK;
}

static vxe_result read_face(words *w, const char *name, mesh_builder *b, vxe_error *error)
{
    int32_t triangle[3] = {0, 0, 0};
    int corners = 0;
    vxe_result result = VXE_OK;
    for (word corner = vxe_words_next(w); corner.size > 0 && result == VXE_OK; corner = vxe_words_next(w)) {
        if (corner.text[0] == '#') break;
        if (corners >= 3) triangle[1] = triangle[2];
        result = read_corner(corner, w, name, b->vertex_count, &triangle[corners < 2 ? corners : 2], error);
        if (++corners >= 3 && result == VXE_OK) result = vxe_mesh_builder_triangle(b, name, triangle, error);
    }
    if (result == VXE_OK && corners < 3)
        result = vxe_fail(error, VXE_ERROR_INPUT, "%.500s:%zu: a face of %d corner%s", name, w->line, corners,
                          corners == 1 ? "" : "s");
    return result;
}

vxe_result vxe_mesh_read_obj(const char *data, size_t size, const char *name, mesh_builder *b,
                             vxe_error *error)
{
    words w = words_of(data, size);
    vxe_result result = VXE_OK;
    bool known = false; /* some line that only an OBJ file has */
    do {
        const word key = vxe_words_next(&w);
        if (vxe_word_is(key, "v")) {
            result = read_vertex(&w, name, b, error);
            known = true;
        } else if (vxe_word_is(key, "f")) {
            result = read_face(&w, name, b, error);
            known = true;
        }
    } while (result == VXE_OK && vxe_words_next_line(&w));
    if (result == VXE_OK && !known)
        result = vxe_fail(error, VXE_ERROR_INPUT, "%.500s: not an OBJ file: no vertices (v) and no faces (f)",
                          name);
    return result;
}
