/* MagicaVoxel .vox: models of coloured voxels, put together by a tree of transforms, groups and shapes. Empty
 * cells are left out; each colour in use becomes a material. Layers that are hidden, materials, cameras and
 * the like are passed over. */
#include "io/grid.h"

#include <stdlib.h>
#include <string.h>

enum { MODELS_MAX = 65536, NODES_MAX = 1 << 18, DEPTH_MAX = 64, PLACED_MAX = 1000000, VOXELS_MAX = 1 << 28 };

typedef struct vox_model {
    int32_t size[3];
    const unsigned char *voxels; /* x, y, z, colour each */
    uint32_t count;
} vox_model;

typedef enum node_kind { NODE_NONE, NODE_TRANSFORM, NODE_GROUP, NODE_SHAPE } node_kind;

typedef struct vox_node {
    node_kind kind;
    int32_t move[3];
    uint8_t row[3]; /* of a rotation: which axis each row takes, and its sign */
    int8_t sign[3];
    uint32_t child_count;
    const unsigned char *children; /* 32-bit numbers: of nodes, or of models */
    uint32_t stride;               /* bytes from one child to the next */
    bool hidden;
} vox_node;

/* A model put somewhere: rotation and translation. */
typedef struct vox_place {
    int32_t model;
    uint8_t row[3];
    int8_t sign[3];
    int64_t move[3];
} vox_place;

typedef struct vox {
    const char *name;
    const unsigned char *at;
    const unsigned char *end;
    bool cut; /* something was read past the end */
    vox_model *models;
    int32_t model_count;
    vox_node *nodes; /* by number */
    uint32_t node_count;
    vox_place *places;
    int32_t place_count;
    const unsigned char *palette; /* 255 colours of four bytes; NULL: the standard one */
} vox;

static uint32_t number_at(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t next_number(vox *v)
{
    if (v->end - v->at < 4) {
        v->cut = true;
        v->at = v->end;
        return 0;
    }
    v->at += 4;
    return number_at(v->at - 4);
}

/* `count` bytes, or NULL at the end of the chunk. */
static const unsigned char *next_bytes(vox *v, uint64_t count)
{
    if ((uint64_t)(v->end - v->at) < count) {
        v->cut = true;
        v->at = v->end;
        return NULL;
    }
    v->at += count;
    return v->at - count;
}

static vxe_result fail_vox(const vox *v, const char *what, vxe_error *error)
{
    return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: %s", v->name, what);
}

/* Makes room for item `count` of an array; NULL when there is none. Arrays grow by doubling. */
static void *grow(void *array, size_t count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0) return array; /* not a power of two: there is room */
    return realloc(array, (count == 0 ? 1 : 2 * count) * size);
}

static vxe_result read_size(vox *v, vxe_error *error)
{
    vox_model new = {.count = 0};
    for (int a = 0; a < 3; a++) {
        const uint32_t side = next_number(v);
        if (side < 1 || side > 4096)
            return fail_vox(v, "a model whose sides are not 1 to 4096 voxels", error);
        new.size[a] = (int32_t)side;
    }
    if (v->model_count == MODELS_MAX) return fail_vox(v, "too many models", error);
    vox_model *larger = grow(v->models, (size_t)v->model_count, sizeof *larger);
    if (larger == NULL) return vxe_fail_memory(error, v->name, (size_t)v->model_count * sizeof *larger);
    v->models = larger;
    v->models[v->model_count++] = new;
    return VXE_OK;
}

static vxe_result read_voxels(vox *v, vxe_error *error)
{
    if (v->model_count == 0) return fail_vox(v, "voxels without a size", error);
    vox_model *m = &v->models[v->model_count - 1];
    const uint32_t count = next_number(v);
    m->voxels = next_bytes(v, (uint64_t)count * 4);
    if (m->voxels == NULL) return fail_vox(v, "cut off in a model", error);
    m->count = count;
    for (uint32_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++)
            if (m->voxels[4 * (size_t)i + (size_t)a] >= m->size[a])
                return fail_vox(v, "a voxel outside of its model", error);
    return VXE_OK;
}

/* A decimal number with a sign; the rest of the text in *text. */
static int32_t read_decimal(const unsigned char **text, const unsigned char *end)
{
    const unsigned char *at = *text;
    while (at < end && *at == ' ') at++;
    const bool negative = at < end && *at == '-';
    if (negative) at++;
    int32_t number = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (number < 100000000) number = 10 * number + (*at - '0');
    *text = at;
    return negative ? -number : number;
}

/* A rotation in one byte: bits 0-1 and 2-3 the axes of the first two rows, bits 4-6 the signs. */
static bool read_rotation(int32_t bits, vox_node *n)
{
    n->row[0] = (uint8_t)(bits & 3);
    n->row[1] = (uint8_t)(bits >> 2 & 3);
    if (n->row[0] == 3 || n->row[1] == 3 || n->row[0] == n->row[1]) return false;
    n->row[2] = (uint8_t)(3 - n->row[0] - n->row[1]);
    for (int r = 0; r < 3; r++) n->sign[r] = (bits >> (4 + r) & 1) != 0 ? -1 : 1;
    return true;
}

/* A dictionary of texts; the keys that matter go into the node. */
static bool read_dictionary(vox *v, vox_node *n)
{
    const uint32_t count = next_number(v);
    for (uint32_t i = 0; i < count && !v->cut; i++) {
        const uint32_t key_size = next_number(v);
        const unsigned char *key = next_bytes(v, key_size);
        const uint32_t size = next_number(v);
        const unsigned char *value = next_bytes(v, size);
        if (v->cut || key == NULL || value == NULL) return false;
        const unsigned char *at = value;
        if (key_size == 2 && memcmp(key, "_t", 2) == 0) {
            for (int a = 0; a < 3; a++) n->move[a] = read_decimal(&at, value + size);
        } else if (key_size == 2 && memcmp(key, "_r", 2) == 0) {
            if (!read_rotation(read_decimal(&at, value + size), n)) return false;
        } else if (key_size == 7 && memcmp(key, "_hidden", 7) == 0) {
            n->hidden = size == 1 && value[0] == '1';
        }
    }
    return !v->cut;
}

static vxe_result read_node(vox *v, node_kind kind, vxe_error *error)
{
    vox_node new = {.kind = kind, .row = {0, 1, 2}, .sign = {1, 1, 1}};
    const uint32_t id = next_number(v);
    bool good = id < NODES_MAX && read_dictionary(v, &new);
    if (good && kind == NODE_TRANSFORM) {
        new.children = next_bytes(v, 4);
        new.child_count = 1;
        (void)next_bytes(v, 8);                                /* reserved, layer */
        good = next_number(v) > 0 && read_dictionary(v, &new); /* the first frame counts */
    } else if (good) {
        new.child_count = next_number(v);
        new.stride = 4;
        new.children = v->at;
        if (kind == NODE_GROUP) {
            good = next_bytes(v, 4 * (uint64_t) new.child_count) != NULL;
        } else { /* a shape shows its first model; the others are frames of an animation */
            good = new.child_count > 0 && next_bytes(v, 4) != NULL;
            new.child_count = 1;
        }
    }
    if (!good || v->cut) return fail_vox(v, "a damaged node of the scene", error);
    if (id >= v->node_count) {
        vox_node *larger = realloc(v->nodes, ((size_t)id + 1) * 2 * sizeof *larger);
        if (larger == NULL) return vxe_fail_memory(error, v->name, (size_t)id * sizeof *larger);
        memset(larger + v->node_count, 0, (((size_t)id + 1) * 2 - v->node_count) * sizeof *larger);
        v->nodes = larger;
        v->node_count = (id + 1) * 2;
    }
    v->nodes[id] = new;
    return VXE_OK;
}

/* All chunks after MAIN. */
static vxe_result read_chunks(vox *v, vxe_error *error)
{
    const unsigned char *file_end = v->end;
    vxe_result result = VXE_OK;
    while (result == VXE_OK && v->at < file_end) {
        const unsigned char *id = next_bytes(v, 4);
        const uint32_t size = next_number(v);
        (void)next_number(v); /* children: they follow and are read in turn */
        if (v->cut || id == NULL || (uint64_t)(file_end - v->at) < size)
            return fail_vox(v, "cut off in the middle of a chunk", error);
        const unsigned char *after = v->at + size;
        v->end = after;
        if (memcmp(id, "SIZE", 4) == 0) {
            result = read_size(v, error);
        } else if (memcmp(id, "XYZI", 4) == 0) {
            result = read_voxels(v, error);
        } else if (memcmp(id, "RGBA", 4) == 0) {
            v->palette = next_bytes(v, 1020);
            if (v->palette == NULL) result = fail_vox(v, "a palette of less than 255 colours", error);
        } else if (memcmp(id, "nTRN", 4) == 0) {
            result = read_node(v, NODE_TRANSFORM, error);
        } else if (memcmp(id, "nGRP", 4) == 0) {
            result = read_node(v, NODE_GROUP, error);
        } else if (memcmp(id, "nSHP", 4) == 0) {
            result = read_node(v, NODE_SHAPE, error);
        }
        v->at = after;
        v->end = file_end;
        v->cut = false;
    }
    return result;
}

static vxe_result place_model(vox *v, const vox_place *outer, uint32_t model, vxe_error *error)
{
    if (model >= (uint32_t)v->model_count) return fail_vox(v, "a shape without its model", error);
    if (v->place_count == PLACED_MAX) return fail_vox(v, "more than a million models in the scene", error);
    vox_place *larger = grow(v->places, (size_t)v->place_count, sizeof *larger);
    if (larger == NULL) return vxe_fail_memory(error, v->name, (size_t)v->place_count * sizeof *larger);
    v->places = larger;
    v->places[v->place_count] = *outer;
    v->places[v->place_count++].model = (int32_t)model;
    return VXE_OK;
}

/* The inner transform of a node, then the outer one. */
static vox_place compose(const vox_place *outer, const vox_node *n)
{
    vox_place p = *outer;
    for (int r = 0; r < 3; r++) {
        const int axis = outer->row[r];
        p.row[r] = n->row[axis];
        p.sign[r] = (int8_t)(outer->sign[r] * n->sign[axis]);
        p.move[r] = outer->sign[r] * (int64_t)n->move[axis] + outer->move[r];
    }
    return p;
}

static vxe_result place_node(vox *v, const vox_place *outer, uint32_t id, int depth, int32_t *left,
                             vxe_error *error)
{
    if (id >= v->node_count || v->nodes[id].kind == NODE_NONE)
        return fail_vox(v, "a node that is not there", error);
    if (depth > DEPTH_MAX || --*left < 0)
        return fail_vox(v, "the scene has no end: a node contains itself", error);
    const vox_node n = v->nodes[id];
    if (n.hidden) return VXE_OK;
    vxe_result result = VXE_OK;
    const vox_place inner = n.kind == NODE_TRANSFORM ? compose(outer, &n) : *outer;
    for (uint32_t i = 0; i < n.child_count && result == VXE_OK; i++) {
        const uint32_t child = number_at(n.children + (size_t)i * n.stride);
        result = n.kind == NODE_SHAPE ? place_model(v, &inner, child, error)
                                      : place_node(v, &inner, child, depth + 1, left, error);
    }
    return result;
}

static vxe_result place_all(vox *v, vxe_error *error)
{
    const vox_place origin = {.row = {0, 1, 2}, .sign = {1, 1, 1}};
    int32_t left = PLACED_MAX;
    if (v->node_count > 0) return place_node(v, &origin, 0, 0, &left, error);
    return place_model(v, &origin, 0, error); /* an old file: the first model */
}

/* Where a voxel of a placed model lies. A model turns about its middle, rounded down. */
static void place_voxel(const vox *v, const vox_place *p, const unsigned char *voxel, int64_t cell[3])
{
    const vox_model *m = &v->models[p->model];
    for (int r = 0; r < 3; r++) {
        const int axis = p->row[r];
        const int64_t twice = 2 * (int64_t)voxel[axis] + 1 - 2 * (int64_t)(m->size[axis] / 2);
        cell[r] = (p->sign[r] * twice - 1) / 2 + p->move[r]; /* twice is odd, so this is exact */
    }
}

static int64_t color_of(const vox *v, unsigned char index)
{
    if (v->palette != NULL && index > 0) {
        const unsigned char *c = v->palette + 4 * (size_t)(index - 1);
        return ((int64_t)c[0] << 16 | (int64_t)c[1] << 8 | c[2]) + 1;
    }
    uint8_t color[4]; /* the standard palette is left to taste */
    vxe_grid_color(index, color);
    return ((int64_t)color[0] << 16 | (int64_t)color[1] << 8 | color[2]) + 1;
}

static vxe_result fill_grid(const vox *v, grid **made, vxe_error *error)
{
    int64_t low[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
    int64_t high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
    int64_t size[3];
    grid *g = NULL;
    bool any = false;
    int64_t total = 0; /* what is placed again and again is small in the file, but not here */
    for (int32_t p = 0; p < v->place_count; p++) total += v->models[v->places[p].model].count;
    if (total > VOXELS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%.500s: %lld voxels are too many", v->name,
                        (long long)total);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t p = 0; p < v->place_count; p++) {
            const vox_model *m = &v->models[v->places[p].model];
            for (uint32_t i = 0; i < m->count; i++) {
                const unsigned char *voxel = m->voxels + 4 * (size_t)i;
                int64_t cell[3];
                if (voxel[3] == 0) continue;
                place_voxel(v, &v->places[p], voxel, cell);
                any = true;
                if (pass == 0) {
                    for (int a = 0; a < 3; a++) {
                        low[a] = cell[a] < low[a] ? cell[a] : low[a];
                        high[a] = cell[a] > high[a] ? cell[a] : high[a];
                    }
                    continue;
                }
                const uint16_t label = vxe_grid_label(g, color_of(v, voxel[3]), error);
                g->label[vxe_grid_cell(g, (int32_t)(cell[0] - low[0]), (int32_t)(cell[1] - low[1]),
                                       (int32_t)(cell[2] - low[2]))] =
                    label; /* 255 colours: never too many */
            }
        }
        if (pass == 1) break;
        if (!any) return fail_vox(v, "there are no voxels", error);
        for (int a = 0; a < 3; a++) size[a] = high[a] - low[a] + 1;
        const vxe_result result = vxe_grid_create(v->name, size, &g, error);
        if (result != VXE_OK) return result;
    }
    *made = g;
    return VXE_OK;
}

vxe_result vxe_grid_read_vox(const char *data, size_t size, const char *name, const vxe_grid_def *def,
                             vxe_scene **scene, vxe_error *error)
{
    const unsigned char *bytes = (const unsigned char *)data;
    if (size < 20 || memcmp(data, "VOX ", 4) != 0 || memcmp(data + 8, "MAIN", 4) != 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: not a MagicaVoxel file", name);
    vox v = {.name = name, .at = bytes + 20, .end = bytes + size};
    grid *g = NULL;
    vxe_result result =
        number_at(bytes + 12) > size - 20 ? fail_vox(&v, "cut off in the middle of a chunk", error) : VXE_OK;
    if (result == VXE_OK) {
        v.at += number_at(bytes + 12);
        result = read_chunks(&v, error);
    }
    if (result == VXE_OK) result = place_all(&v, error);
    if (result == VXE_OK) result = fill_grid(&v, &g, error);
    if (result == VXE_OK) {
        grid_colors colors = {.grid = g, .def = def, .black_is_empty = false};
        result = vxe_grid_scene(g, def->pitch != 0.0 ? def->pitch : 1e-3, def->palette,
                                vxe_grid_describe_color, &colors, scene, error);
    }
    vxe_grid_destroy(g);
    free(v.models);
    free(v.nodes);
    free(v.places);
    return result;
}
