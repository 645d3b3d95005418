/* 3MF: a ZIP archive with a model in XML. The meshes of the objects that are to be built are read, with their
 * transforms and components; materials, textures and other extensions are passed over.
 *
 * The XML is read as a stream. DTDs and entities are refused and nothing is ever fetched. */
#include "io/archive.h"
#include "mesh/mesh.h"
#include "base/words.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/xmlreader.h>

/* A model compresses some ten times; one that unpacks to two hundred times its size is no model. */
enum { RATIO_MAX = 200, DEPTH_MAX = 16, OBJECTS_MAX = 100000, ITEMS_MAX = 1000000 };

typedef struct transform {
    double m[12]; /* rows of three, the last one the translation; a point is a row before it */
} transform;

/* A mesh: its range in the builder's arrays; or components. */
typedef struct object {
    int64_t id;
    bool solid; /* type model or solidsupport */
    size_t vertex_begin, vertex_end;
    size_t triangle_begin, triangle_end;
    size_t item_begin, item_end; /* components */
} object;

/* An object put somewhere: a component of another object, or an item of the build. */
typedef struct item {
    int64_t object;
    transform place;
} item;

typedef struct model {
    const char *name;
    xmlTextReaderPtr reader;
    char problem[256]; /* what the XML library complains of first */
    int problem_line;
    double unit;
    mesh_builder parts; /* all meshes as they are in the file */
    object *objects;
    size_t object_count, object_room;
    item *items;
    size_t item_count, item_room;
    size_t build_begin; /* where the items of the build begin */
    bool in_build;
} model;

static vxe_result fail_here(model *m, vxe_error *error, const char *what, const char *found)
{
    return vxe_fail(error, VXE_ERROR_INPUT, "%.400s: the model, line %d: %s%s%s%s", m->name,
                    xmlTextReaderGetParserLineNumber(m->reader), what, found != NULL ? " \"" : "",
                    found != NULL ? vxe_word_show((word){found, strlen(found)}).text : "",
                    found != NULL ? "\"" : "");
}

static void note_problem(void *user, xmlErrorPtr problem)
{
    model *m = user;
    if (m->problem[0] != '\0' || problem->level < XML_ERR_ERROR || problem->message == NULL) return;
    const word shown = {problem->message, strcspn(problem->message, "\n")};
    (void)snprintf(m->problem, sizeof m->problem, "%s", vxe_word_show(shown).text);
    m->problem_line = problem->line;
}

/* A number in an attribute, whole or not. NULL attributes are an error. */
static vxe_result read_attribute(model *m, const char *attribute, double *number, int64_t *whole,
                                 vxe_error *error)
{
    char *text = (char *)xmlTextReaderGetAttribute(m->reader, (const xmlChar *)attribute);
    vxe_result result = VXE_OK;
    if (text == NULL) {
        result = fail_here(m, error, "an element lacks", attribute);
    } else {
        words w = words_of(text, strlen(text));
        const word value = vxe_words_next_anywhere(&w);
        const bool good = number != NULL ? vxe_word_number(value, number) : vxe_word_integer(value, whole);
        if (!good || vxe_words_next_anywhere(&w).size > 0)
            result = fail_here(m, error, "not a number:", text);
    }
    xmlFree(text);
    return result;
}

static const transform identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}};

/* The attribute "transform": 12 numbers, or none for the identity. */
static vxe_result read_transform(model *m, transform *t, vxe_error *error)
{
    char *text = (char *)xmlTextReaderGetAttribute(m->reader, (const xmlChar *)"transform");
    *t = identity;
    if (text == NULL) return VXE_OK;
    words w = words_of(text, strlen(text));
    bool good = true;
    for (int i = 0; i < 12 && good; i++) good = vxe_word_number(vxe_words_next_anywhere(&w), &t->m[i]);
    const vxe_result result = good && vxe_words_next_anywhere(&w).size == 0
                                  ? VXE_OK
                                  : fail_here(m, error, "a transform is not 12 numbers:", text);
    xmlFree(text);
    return result;
}

static vxe_result add_item(model *m, vxe_error *error)
{
    item new = {0, identity};
    vxe_result result = read_attribute(m, "objectid", NULL, &new.object, error);
    if (result == VXE_OK) result = read_transform(m, &new.place, error);
    if (result != VXE_OK) return result;
    if (m->item_count == ITEMS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%.400s: more than %d components", m->name, ITEMS_MAX);
    item *items = vxe_grow(m->items, m->item_count + 1, &m->item_room, sizeof *items);
    if (items == NULL) return vxe_fail_memory(error, m->name, m->item_count * sizeof *m->items);
    m->items = items;
    m->items[m->item_count++] = new;
    return VXE_OK;
}

static vxe_result add_object(model *m, vxe_error *error)
{
    object new = {0};
    const vxe_result result = read_attribute(m, "id", NULL, &new.id, error);
    if (result != VXE_OK) return result;
    char *type = (char *)xmlTextReaderGetAttribute(m->reader, (const xmlChar *)"type");
    new.solid = type == NULL || strcmp(type, "model") == 0 || strcmp(type, "solidsupport") == 0;
    xmlFree(type);
    new.vertex_begin = new.vertex_end = m->parts.vertex_count;
    new.triangle_begin = new.triangle_end = m->parts.triangle_count;
    new.item_begin = new.item_end = m->item_count;
    if (m->object_count == OBJECTS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%.400s: more than %d objects", m->name, OBJECTS_MAX);
    object *objects = vxe_grow(m->objects, m->object_count + 1, &m->object_room, sizeof *objects);
    if (objects == NULL) return vxe_fail_memory(error, m->name, m->object_count * sizeof *m->objects);
    m->objects = objects;
    m->objects[m->object_count++] = new;
    return VXE_OK;
}

static vxe_result read_unit(model *m, vxe_error *error)
{
    static const struct {
        const char *name;
        double length;
    } units[] = {{"millimeter", 1e-3}, {"micron", 1e-6}, {"centimeter", 1e-2},
                 {"inch", 0.0254},     {"foot", 0.3048}, {"meter", 1.0}};
    char *text = (char *)xmlTextReaderGetAttribute(m->reader, (const xmlChar *)"unit");
    vxe_result result = text == NULL ? VXE_OK : fail_here(m, error, "unknown unit", text);
    m->unit = 1e-3;
    for (size_t i = 0; text != NULL && i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(text, units[i].name) != 0) continue;
        m->unit = units[i].length;
        result = VXE_OK;
    }
    xmlFree(text);
    return result;
}

static vxe_result read_vertex(model *m, vxe_error *error)
{
    static const char *const names[3] = {"x", "y", "z"};
    double vertex[3];
    vxe_result result = VXE_OK;
    for (int a = 0; a < 3 && result == VXE_OK; a++)
        result = read_attribute(m, names[a], &vertex[a], NULL, error);
    if (result == VXE_OK) result = vxe_mesh_builder_vertex(&m->parts, m->name, vertex, error);
    return result;
}

static vxe_result read_triangle(model *m, vxe_error *error)
{
    static const char *const names[3] = {"v1", "v2", "v3"};
    int32_t triangle[3];
    vxe_result result = VXE_OK;
    for (int a = 0; a < 3 && result == VXE_OK; a++) {
        int64_t corner = 0;
        result = read_attribute(m, names[a], NULL, &corner, error);
        if (result == VXE_OK && (corner < 0 || corner >= VXE_MESH_VERTICES_MAX))
            result = fail_here(m, error, "a triangle with a vertex that is not there", NULL);
        triangle[a] = (int32_t)corner;
    }
    return result == VXE_OK ? vxe_mesh_builder_triangle(&m->parts, m->name, triangle, error) : result;
}

/* One element. */
static vxe_result read_element(model *m, vxe_error *error)
{
    const char *name = (const char *)xmlTextReaderConstLocalName(m->reader);
    object *last = m->object_count > 0 && !m->in_build ? &m->objects[m->object_count - 1] : NULL;
    vxe_result result = VXE_OK;
    if (strcmp(name, "model") == 0) return read_unit(m, error);
    if (strcmp(name, "object") == 0) return add_object(m, error);
    if (strcmp(name, "build") == 0) {
        m->in_build = true;
        m->build_begin = m->item_count;
        return VXE_OK;
    }
    if (strcmp(name, "item") == 0 && m->in_build) return add_item(m, error);
    if (last == NULL) return VXE_OK;
    if (strcmp(name, "vertex") == 0) {
        result = read_vertex(m, error);
        last->vertex_end = m->parts.vertex_count;
    } else if (strcmp(name, "triangle") == 0) {
        result = read_triangle(m, error);
        last->triangle_end = m->parts.triangle_count;
    } else if (strcmp(name, "component") == 0) {
        result = add_item(m, error);
        last->item_end = m->item_count;
    }
    return result;
}

/* Whether there is a document type. Looked for before the library sees the text, which would read it; one in
 * another encoding is stopped in read_model(), when it has been read but not used. */
static bool has_document_type(const char *text, size_t size)
{
    static const char mark[] = "<!DOCTYPE";
    for (size_t i = 0; i + sizeof mark - 1 <= size; i++) {
        const char *found = memchr(text + i, '<', size - i);
        if (found == NULL) return false;
        i = (size_t)(found - text);
        if (size - i >= sizeof mark - 1 && memcmp(found, mark, sizeof mark - 1) == 0) return true;
    }
    return false;
}

static vxe_result read_model(model *m, const char *text, size_t size, vxe_error *error)
{
    if (has_document_type(text, size))
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%.400s: the model: document types and entities are not allowed", m->name);
    if (size > INT_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%.400s: the model is larger than %d bytes", m->name,
                        INT_MAX);
    m->reader = xmlReaderForMemory(text, (int)size, NULL, NULL, XML_PARSE_NONET | XML_PARSE_COMPACT);
    if (m->reader == NULL) return vxe_fail_memory(error, m->name, size);
    xmlTextReaderSetStructuredErrorHandler(m->reader, note_problem, m);
    vxe_result result = VXE_OK;
    int more = 1;
    while (result == VXE_OK && (more = xmlTextReaderRead(m->reader)) == 1) {
        switch (xmlTextReaderNodeType(m->reader)) {
        case XML_READER_TYPE_ELEMENT: result = read_element(m, error); break;
        case XML_READER_TYPE_DOCUMENT_TYPE:
        case XML_READER_TYPE_ENTITY_REFERENCE:
            result = fail_here(m, error, "document types and entities are not allowed", NULL);
            break;
        default: break;
        }
    }
    if (result == VXE_OK && more != 0)
        result = vxe_fail(error, VXE_ERROR_INPUT, "%.400s: the model, line %d: %s", m->name, m->problem_line,
                          m->problem[0] != '\0' ? m->problem : "not XML");
    return result;
}

/* a, then b. */
static transform after(const transform *a, const transform *b)
{
    transform t;
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 3; column++) {
            double sum = row == 3 ? b->m[9 + column] : 0.0;
            for (int i = 0; i < 3; i++) sum += a->m[3 * row + i] * b->m[3 * i + column];
            t.m[3 * row + column] = sum;
        }
    }
    return t;
}

static double determinant(const transform *t)
{
    const double *m = t->m;
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static vxe_result place_mesh(const model *m, const object *o, const transform *t, mesh_builder *b,
                             vxe_error *error)
{
    const size_t first = b->vertex_count;
    const size_t vertices = o->vertex_end - o->vertex_begin;
    const bool mirrored = determinant(t) < 0.0;
    vxe_result result =
        vxe_mesh_builder_reserve(b, m->name, vertices, o->triangle_end - o->triangle_begin, error);
    for (size_t v = o->vertex_begin; v < o->vertex_end && result == VXE_OK; v++) {
        const double *p = m->parts.vertex + 3 * v;
        double place[3];
        for (int a = 0; a < 3; a++)
            place[a] = p[0] * t->m[a] + p[1] * t->m[3 + a] + p[2] * t->m[6 + a] + t->m[9 + a];
        result = vxe_mesh_builder_vertex(b, m->name, place, error);
    }
    for (size_t i = o->triangle_begin; i < o->triangle_end && result == VXE_OK; i++) {
        const int32_t *c = m->parts.triangle + 3 * i;
        for (int a = 0; a < 3; a++)
            if ((size_t)c[a] >= vertices)
                return vxe_fail(
                    error, VXE_ERROR_INPUT,
                    "%.400s: object %lld: triangle %zu names vertex %d, but there are %zu (from 0)", m->name,
                    (long long)o->id, i - o->triangle_begin, (int)c[a], vertices);
        const int32_t triangle[3] = {(int32_t)first + c[0], (int32_t)first + c[mirrored ? 2 : 1],
                                     (int32_t)first + c[mirrored ? 1 : 2]};
        result = vxe_mesh_builder_triangle(b, m->name, triangle, error);
    }
    return result;
}

/* Puts an object with all its components. An object's components come before it in the file, which also means
 * that none can contain itself; `left` bounds how often parts may be repeated. */
static vxe_result place_object(const model *m, const item *put, size_t below, const transform *outer,
                               int depth, int64_t *left, mesh_builder *b, vxe_error *error)
{
    const transform t = after(&put->place, outer);
    const object *o = NULL;
    for (size_t i = 0; i < below && o == NULL; i++)
        if (m->objects[i].id == put->object) o = &m->objects[i];
    if (o == NULL)
        return vxe_fail(error, VXE_ERROR_INPUT, "%.400s: object %lld is used but not defined before", m->name,
                        (long long)put->object);
    if (depth > DEPTH_MAX || --*left < 0)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%.400s: components within components: too many", m->name);
    if (!o->solid) return VXE_OK;
    vxe_result result = place_mesh(m, o, &t, b, error);
    for (size_t i = o->item_begin; i < o->item_end && result == VXE_OK; i++)
        result = place_object(m, &m->items[i], (size_t)(o - m->objects), &t, depth + 1, left, b, error);
    return result;
}

/* The entry with the model: the usual name, or the only .model file. */
static int64_t find_model(const archive *a)
{
    int64_t entry = vxe_archive_find(a, "3D/3dmodel.model");
    for (int64_t i = 0; i < vxe_archive_count(a) && entry < 0; i++) {
        const char *name = vxe_archive_name(a, i);
        if (name != NULL && vxe_ends_with(name, ".model")) entry = i;
    }
    return entry;
}

vxe_result vxe_mesh_read_model(const char *text, size_t size, const char *name, double *unit, mesh_builder *b,
                               vxe_error *error)
{
    model m = {.name = name, .unit = 1e-3};
    vxe_result result = read_model(&m, text, size, error);
    if (result == VXE_OK && !m.in_build)
        result = vxe_fail(error, VXE_ERROR_INPUT, "%.500s: the model does not say what to build", name);
    int64_t left = ITEMS_MAX;
    for (size_t i = m.build_begin; m.in_build && i < m.item_count && result == VXE_OK; i++)
        result = place_object(&m, &m.items[i], m.object_count, &identity, 0, &left, b, error);
    *unit = m.unit;
    xmlFreeTextReader(m.reader);
    vxe_mesh_builder_free(&m.parts);
    free(m.objects);
    free(m.items);
    return result;
}

vxe_result vxe_mesh_read_3mf(const char *data, size_t size, const char *name, double *unit, mesh_builder *b,
                             vxe_error *error)
{
    archive *zip = NULL;
    char *text = NULL;
    size_t length = 0;
    vxe_result result = vxe_archive_open(data, size, name, &zip, error);
    if (result != VXE_OK) return result;
    const int64_t entry = find_model(zip);
    result = entry < 0 ? vxe_fail(error, VXE_ERROR_INPUT,
                                  "%.500s: no 3D model (3D/3dmodel.model) in the archive", name)
                       : vxe_archive_read(zip, entry, (size_t)1 << 30, RATIO_MAX, &text, &length, error);
    vxe_archive_close(zip);
    if (result == VXE_OK) result = vxe_mesh_read_model(text, length, name, unit, b, error);
    free(text);
    return result;
}
