/* NPY and NPZ: arrays of whole numbers in and out. See npy.h and docs/files.md. */
#include "io/npy.h"
#include "io/archive.h"
#include "io/grid.h"
#include "base/words.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* --- headers --- */

static vxe_result fail_header(const char *name, const char *what, vxe_error *error)
{
    return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: not an array that is understood: %s", name, what);
}

/* The value of a key of the dictionary, which ends before a comma outside of brackets; size 0: it is not
 * there.
 */
static word find_value(const char *text, size_t size, const char *key)
{
    char quoted[32];
    const int length = snprintf(quoted, sizeof quoted, "'%s'", key);
    for (size_t i = 0; i + (size_t)length < size; i++) {
        if (memcmp(text + i, quoted, (size_t)length) != 0) continue;
        size_t at = i + (size_t)length;
        while (at < size && (text[at] == ' ' || text[at] == ':')) at++;
        const size_t begin = at;
        int depth = 0;
        for (; at < size; at++) {
            if (text[at] == '(' || text[at] == '[') depth++;
            if (text[at] == ')' || text[at] == ']') depth--;
            if (depth < 0 || (depth == 0 && (text[at] == ',' || text[at] == '}'))) break;
        }
        return (word){text + begin, at - begin};
    }
    return (word){text, 0};
}

static bool read_type(word w, npy_header *h)
{
    if (w.size < 5 || w.text[0] != '\'') return false; /* '<i4' */
    int64_t item = 0;
    const char order = w.text[1];
    h->kind = w.text[2];
    const char *end = memchr(w.text + 3, '\'', w.size - 3);
    if (end == NULL || !vxe_word_integer((word){w.text + 3, (size_t)(end - w.text - 3)}, &item)) return false;
    if (strchr("<>|=", order) == NULL || order == '\0' || item < 1 || item > 4096) return false;
    h->item = (size_t)item;
    h->big = order == '>';
    return true;
}

static bool read_shape(word w, npy_header *h)
{
    if (w.size < 2 || w.text[0] != '(' || w.text[w.size - 1] != ')') return false;
    size_t at = 1;
    while (at < w.size - 1) {
        while (at < w.size - 1 && (w.text[at] == ' ' || w.text[at] == ',')) at++;
        const size_t begin = at;
        while (at < w.size - 1 && w.text[at] != ' ' && w.text[at] != ',') at++;
        if (at == begin) break;
        int64_t side = 0;
        if (h->dimensions == NPY_DIMENSIONS || !vxe_word_integer((word){w.text + begin, at - begin}, &side) ||
            side < 0)
            return false;
        h->shape[h->dimensions++] = side;
    }
    return true;
}

/* Reads a header; `data` needs to hold no more than that. VXE_ERROR_INPUT. */
static vxe_result read_header(const char *data, size_t size, const char *name, npy_header *header,
                              vxe_error *error)
{
    const unsigned char *b = (const unsigned char *)data;
    npy_header h = {.kind = 0};
    if (size < 10 || memcmp(data, "\x93NUMPY", 6) != 0)
        return fail_header(name, "it does not begin as an NPY file", error);
    if (b[6] < 1 || b[6] > 3) return fail_header(name, "the version of the format is not 1, 2 or 3", error);
    const size_t start = b[6] == 1 ? 10 : 12;
    if (size < start) return fail_header(name, "cut off in the header", error);
    const size_t length = b[6] == 1
                              ? (size_t)b[8] | (size_t)b[9] << 8
                              : (size_t)b[8] | (size_t)b[9] << 8 | (size_t)b[10] << 16 | (size_t)b[11] << 24;
    if (length > 65536) return fail_header(name, "a header of more than 65536 bytes", error);
    if (size < start + length) return fail_header(name, "cut off in the header", error);
    const char *text = data + start;
    const word order = find_value(text, length, "fortran_order");
    if (!read_type(find_value(text, length, "descr"), &h))
        return fail_header(name, "the type (descr)", error);
    if (!read_shape(find_value(text, length, "shape"), &h)) return fail_header(name, "the shape", error);
    h.fortran = order.size >= 4 && memcmp(order.text, "True", 4) == 0;
    if (!h.fortran && (order.size < 5 || memcmp(order.text, "False", 5) != 0))
        return fail_header(name, "the order (fortran_order)", error);
    h.begin = start + length;
    *header = h;
    return VXE_OK;
}

/* Item number `index` of whole numbers (b, i, u of 1, 2, 4 or 8 bytes), which must be there; larger than an
 * int64 becomes INT64_MAX. */
static int64_t integer_at(const npy_header *header, const char *items, size_t index)
{
    const unsigned char *at = (const unsigned char *)items + index * header->item;
    uint64_t bits = 0;
    for (size_t i = 0; i < header->item; i++)
        bits |= (uint64_t)at[i] << (8 * (header->big ? header->item - 1 - i : i));
    if (header->kind == 'i' && header->item < 8 && (bits >> (8 * header->item - 1)) != 0)
        bits |= ~UINT64_C(0) << (8 * header->item); /* negative */
    if (header->kind != 'i' && bits > (uint64_t)INT64_MAX) return INT64_MAX;
    int64_t value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void vxe_npy_print_header(char text[NPY_HEADER], const char *type, const int64_t *shape, int dimensions)
{
    char sides[72] = "";
    size_t used = 0;
    for (int d = 0; d < dimensions && used < sizeof sides - 24; d++)
        used += (size_t)snprintf(sides + used, sizeof sides - used, "%lld,", (long long)shape[d]);
    char dictionary[NPY_HEADER];
    const int length = snprintf(dictionary, sizeof dictionary,
                                "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, sides);
    memset(text, ' ', NPY_HEADER);
    memcpy(text, "\x93NUMPY\x01\x00", 8);
    text[8] = (char)(NPY_HEADER - 10);
    text[9] = 0;
    memcpy(text + 10, dictionary, (size_t)length);
    text[NPY_HEADER - 1] = '\n';
}

/* --- grids in --- */

static bool is_whole(const npy_header *h)
{
    return (h->kind == 'b' || h->kind == 'i' || h->kind == 'u') &&
           (h->item == 1 || h->item == 2 || h->item == 4 || h->item == 8);
}

/* That an array is a grid, and how many bytes its items take. */
static vxe_result check_grid(const npy_header *h, const char *name, size_t *bytes, vxe_error *error)
{
    if (!is_whole(h))
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%.500s: an array of type \"%c%zu\"; a grid is an array of whole numbers or booleans",
                        name, h->kind >= ' ' && h->kind <= '~' ? h->kind : '?', h->item);
    if (h->dimensions != 3)
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%.500s: an array of %d dimensions; a grid has three: [x,y,z]", name, h->dimensions);
    double cells = (double)h->item;
    for (int a = 0; a < 3; a++) cells *= (double)h->shape[a];
    if (cells > 8.0 * (double)VXE_CELLS_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%.500s: %lld x %lld x %lld voxels are too many", name,
                        (long long)h->shape[0], (long long)h->shape[1], (long long)h->shape[2]);
    *bytes = (size_t)cells;
    return VXE_OK;
}

vxe_result vxe_npy_check_file(const char *path, vxe_error *error)
{
    char start[4096];
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return VXE_OK;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return VXE_OK;
    const size_t size = fread(start, 1, sizeof start, stream);
    (void)fclose(stream);
    npy_header h = {.begin = 0};
    vxe_error ignored;
    size_t bytes = 0;
    if (read_header(start, size, path, &h, &ignored) != VXE_OK) return VXE_OK;
    const vxe_result result = check_grid(&h, path, &bytes, error);
    if (result != VXE_OK) return result;
    /* the file, labels and the scene's voxels, all at once */
    const size_t all = bytes + 4 * (bytes / h.item);
    return vxe_memory_holds(all) ? VXE_OK : vxe_fail_memory(error, path, all);
}

static vxe_result read_items(const npy_header *h, const char *items, grid *g, vxe_error *error)
{
    const size_t nx = (size_t)g->size[0];
    const size_t ny = (size_t)g->size[1];
    const size_t nz = (size_t)g->size[2];
    for (size_t i = 0; i < nx; i++) {
        for (size_t j = 0; j < ny; j++) {
            for (size_t k = 0; k < nz; k++) {
                const size_t index = h->fortran ? (k * ny + j) * nx + i : (i * ny + j) * nz + k;
                const int64_t value = integer_at(h, items, index);
                if (value == 0) continue;
                if (value < 0 || value > UINT32_MAX)
                    return vxe_fail(error, VXE_ERROR_INPUT,
                                    "%.500s: [%zu,%zu,%zu] is %lld, which is not the number of a material",
                                    g->name, i, j, k, (long long)value);
                const uint16_t label = vxe_grid_label(g, value, error);
                if (label == 0) return VXE_ERROR_LIMIT;
                g->label[vxe_grid_cell(g, (int32_t)i, (int32_t)j, (int32_t)k)] = label;
            }
        }
    }
    return VXE_OK;
}

/* A whole array into a scene; `numbers` tells names and palette. */
static vxe_result read_grid(const char *data, size_t size, const char *name, double pitch,
                            grid_numbers *numbers, vxe_scene **scene, vxe_error *error)
{
    npy_header h = {.begin = 0};
    size_t bytes = 0;
    grid *g = NULL;
    vxe_result result = read_header(data, size, name, &h, error);
    if (result == VXE_OK) result = check_grid(&h, name, &bytes, error);
    if (result == VXE_OK && bytes > size - h.begin)
        result = vxe_fail(error, VXE_ERROR_INPUT,
                          "%.500s: cut off: %zu bytes of numbers are promised, %zu are there", name, bytes,
                          size - h.begin);
    if (result == VXE_OK) result = vxe_grid_create(name, h.shape, &g, error);
    /* Named materials keep their numbers, also those without a voxel. */
    for (int32_t n = 1; result == VXE_OK && numbers->palette == NULL && n <= numbers->name_count; n++)
        (void)vxe_grid_label(g, n, error);
    if (result == VXE_OK) result = read_items(&h, data + h.begin, g, error);
    if (result == VXE_OK) {
        numbers->grid = g;
        result = vxe_grid_scene(g, pitch, numbers->palette, vxe_grid_describe_number, numbers, scene, error);
    }
    vxe_grid_destroy(g);
    return result;
}

vxe_result vxe_grid_read_npy(const char *data, size_t size, const char *name, const vxe_grid_def *def,
                             vxe_scene **scene, vxe_error *error)
{
    grid_numbers numbers = {.palette = def->palette};
    return read_grid(data, size, name, def->pitch != 0.0 ? def->pitch : 1e-3, &numbers, scene, error);
}

/* The array with the voxels: the one of that name, or the only one that could be. */
static vxe_result find_voxels(const archive *zip, const char *name, int64_t *entry, vxe_error *error)
{
    *entry = vxe_archive_find(zip, "voxels.npy");
    if (*entry >= 0) return VXE_OK;
    int found = 0;
    for (int64_t i = 0; i < vxe_archive_count(zip); i++) {
        char start[1024];
        size_t got = 0;
        npy_header h = {.begin = 0};
        size_t bytes = 0;
        if (vxe_archive_peek(zip, i, start, sizeof start, &got, NULL) != VXE_OK ||
            read_header(start, got, name, &h, NULL) != VXE_OK || check_grid(&h, name, &bytes, NULL) != VXE_OK)
            continue;
        *entry = i;
        found++;
    }
    if (found == 1) return VXE_OK;
    return vxe_fail(
        error, VXE_ERROR_INPUT,
        found == 0 ? "%.500s: no array [x,y,z] of whole numbers in it"
                   : "%.500s: several arrays [x,y,z] of whole numbers; the grid must be called \"voxels\"",
        name);
}

/* The array "pitch", if it is there. */
static vxe_result read_pitch(const archive *zip, const char *name, double *pitch, vxe_error *error)
{
    char data[1024];
    size_t size = 0;
    npy_header h = {.begin = 0};
    const int64_t entry = vxe_archive_find(zip, "pitch.npy");
    if (entry < 0) return VXE_OK;
    vxe_result result = vxe_archive_peek(zip, entry, data, sizeof data, &size, error);
    if (result == VXE_OK) result = read_header(data, size, name, &h, error);
    if (result != VXE_OK) return result;
    if (h.kind != 'f' || h.item != 8 || size < h.begin + 8)
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: the pitch is not one float64", name);
    uint64_t bits = 0;
    for (size_t i = 0; i < 8; i++)
        bits |= (uint64_t)(unsigned char)data[h.begin + i] << (8 * (h.big ? 7 - i : i));
    memcpy(pitch, &bits, sizeof *pitch);
    return VXE_OK;
}

/* One code point as UTF-8; bytes used. */
static size_t print_utf8(uint32_t code, char text[4])
{
    if (code < 0x80) {
        text[0] = (char)code;
        return 1;
    }
    const size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6) text[i] = (char)(0x80 | (code & 0x3f));
    text[0] = (char)((0xf00U >> length & 0xf0U) | code);
    return length;
}

/* The array "materials", names in UTF-32, if it is there. Names that are too long are cut. */
static vxe_result read_names(const archive *zip, const char *name, grid_numbers *numbers, vxe_error *error)
{
    char *data = NULL;
    size_t size = 0;
    npy_header h = {.item = 1};
    const int64_t entry = vxe_archive_find(zip, "materials.npy");
    if (entry < 0) return VXE_OK;
    vxe_result result = vxe_archive_read(zip, entry, (size_t)1 << 24, 1100, &data, &size, error);
    if (result == VXE_OK) result = read_header(data, size, name, &h, error);
    if (result == VXE_OK && (h.kind != 'U' || h.dimensions != 1 || h.shape[0] > VXE_MATERIALS_MAX ||
                             (size - h.begin) / 4 / h.item < (size_t)h.shape[0]))
        result = vxe_fail(error, VXE_ERROR_INPUT, "%.500s: \"materials\" is not a list of names", name);
    if (result == VXE_OK) {
        numbers->names = vxe_allocate((size_t)h.shape[0], VXE_NAME_SIZE);
        if (numbers->names == NULL) result = vxe_fail_memory(error, name, (size_t)h.shape[0] * VXE_NAME_SIZE);
    }
    for (int64_t n = 0; result == VXE_OK && n < h.shape[0]; n++) {
        char *target = numbers->names[n];
        size_t used = 0;
        const npy_header code = {.kind = 'u', .item = 4, .big = h.big};
        for (size_t i = 0; i < h.item && used + 4 < VXE_NAME_SIZE; i++) {
            const int64_t c = integer_at(&code, data + h.begin, (size_t)n * h.item + i);
            if (c == 0 || c > 0x10ffff) break;
            used += print_utf8((uint32_t)c, target + used);
        }
        target[used] = '\0';
        if (used == 0 || !vxe_valid_text(target))
            (void)snprintf(target, VXE_NAME_SIZE, "material %lld", (long long)n + 1);
        numbers->name_count++;
    }
    free(data);
    return result;
}

vxe_result vxe_grid_read_npz(const char *data, size_t size, const char *name, const vxe_grid_def *def,
                             vxe_scene **scene, vxe_error *error)
{
    archive *zip = NULL;
    char *array = NULL;
    size_t length = 0;
    int64_t entry = -1;
    double pitch = 1e-3;
    char start[1024];
    size_t got = 0;
    size_t bytes = 0;
    npy_header h = {.begin = 0};
    grid_numbers numbers = {.palette = def->palette};
    vxe_result result = vxe_archive_open(data, size, name, &zip, error);
    if (result != VXE_OK) return result;
    result = find_voxels(zip, name, &entry, error);
    /* The header first: it tells how much there is to unpack. A grid of nothing packs a thousand times. */
    if (result == VXE_OK) result = vxe_archive_peek(zip, entry, start, sizeof start, &got, error);
    if (result == VXE_OK) result = read_header(start, got, name, &h, error);
    if (result == VXE_OK) result = check_grid(&h, name, &bytes, error);
    if (result == VXE_OK && !vxe_machine_holds(bytes)) result = vxe_fail_memory(error, name, bytes);
    if (result == VXE_OK)
        result = vxe_archive_read(zip, entry, h.begin + bytes, SIZE_MAX, &array, &length, error);
    if (result == VXE_OK) result = read_pitch(zip, name, &pitch, error);
    if (result == VXE_OK) result = read_names(zip, name, &numbers, error);
    vxe_archive_close(zip);
    if (result == VXE_OK)
        result =
            read_grid(array, length, name, def->pitch != 0.0 ? def->pitch : pitch, &numbers, scene, error);
    free(numbers.names);
    free(array);
    return result;
}

/* --- grids out --- */

/* The voxels as one array, header included; NULL: no memory. One byte each where that is enough. */
static char *print_voxels(const vxe_scene *scene, size_t *bytes)
{
    int32_t size[3];
    vxe_scene_size(scene, size);
    const size_t item = vxe_scene_material_count(scene) < 256 ? 1 : 2;
    const size_t cells = (size_t)size[0] * (size_t)size[1] * (size_t)size[2];
    const int64_t shape[3] = {size[0], size[1], size[2]};
    const uint16_t *voxels = vxe_scene_voxels(scene);
    *bytes = NPY_HEADER + cells * item;
    char *data = malloc(*bytes);
    if (data == NULL) return NULL;
    vxe_npy_print_header(data, item == 1 ? "|u1" : "<u2", shape, 3);
    char *at = data + NPY_HEADER;
    for (int32_t i = 0; i < size[0]; i++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t k = 0; k < size[2]; k++, at += item) {
                const uint16_t value = voxels[vxe_scene_cell(scene, i, j, k)];
                at[0] = (char)(value & 0xff);
                if (item == 2) at[1] = (char)(value >> 8);
            }
        }
    }
    return data;
}

/* The names of the palette as an array of UTF-32 text. */
static char *print_names(const vxe_scene *scene, size_t *bytes)
{
    const int32_t count = vxe_scene_material_count(scene);
    const int64_t shape[1] = {count};
    *bytes = NPY_HEADER + (size_t)count * 4 * VXE_NAME_SIZE;
    char *data = calloc(*bytes, 1);
    if (data == NULL) return NULL;
    char type[16];
    (void)snprintf(type, sizeof type, "<U%d", VXE_NAME_SIZE);
    vxe_npy_print_header(data, type, shape, 1);
    for (int32_t m = 0; m < count; m++) {
        unsigned char *target = (unsigned char *)data + NPY_HEADER + (size_t)m * 4 * VXE_NAME_SIZE;
        const unsigned char *c = (const unsigned char *)vxe_scene_material(scene, m + 1)->name;
        while (*c != 0) { /* the scene holds valid UTF-8 only */
            const int more = *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : *c >= 0xc0 ? 1 : 0;
            uint32_t code = more == 0 ? *c : *c & (0x3fU >> more);
            c++;
            for (int i = 0; i < more && *c != 0; i++) code = code << 6 | (*c++ & 0x3fU);
            for (int i = 0; i < 4; i++) *target++ = (unsigned char)(code >> (8 * i));
        }
    }
    return data;
}

static vxe_result write_npz(const vxe_scene *scene, const char *path, const char *voxels, size_t bytes,
                            vxe_error *error)
{
    char pitch[NPY_HEADER + 8];
    const double value = vxe_scene_pitch(scene);
    uint64_t bits = 0;
    size_t name_bytes = 0;
    char *names = print_names(scene, &name_bytes);
    if (names == NULL) return vxe_fail_memory(error, path, name_bytes);
    memcpy(&bits, &value, sizeof bits);
    vxe_npy_print_header(pitch, "<f8", NULL, 0);
    for (int i = 0; i < 8; i++) pitch[NPY_HEADER + i] = (char)(bits >> (8 * i) & 0xff);
    const archive_part parts[3] = {{"voxels.npy", voxels, bytes, NULL},
                                   {"pitch.npy", pitch, sizeof pitch, NULL},
                                   {"materials.npy", names, name_bytes, NULL}};
    const vxe_result result = vxe_archive_write(path, parts, 3, error);
    free(names);
    return result;
}

vxe_result vxe_scene_save_grid(const vxe_scene *scene, const char *path, vxe_error *error)
{
    if (scene == NULL || path == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_scene_save_grid: NULL");
    const char *dot = strrchr(path, '.');
    const bool packed = dot != NULL && strcasecmp(dot, ".npz") == 0;
    if (!packed && (dot == NULL || strcasecmp(dot, ".npy") != 0))
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: grids are written to files that end in .npy or .npz",
                        path);
    size_t bytes = 0;
    char *voxels = print_voxels(scene, &bytes);
    if (voxels == NULL) return vxe_fail_memory(error, path, bytes);
    const vxe_result result =
        packed ? write_npz(scene, path, voxels, bytes, error) : vxe_write_file(path, voxels, bytes, error);
    free(voxels);
    return result;
}
