/* VTK XML files: a description in XML, then all arrays, packed, one after the other. See vtu.h.
 *
 * An array is cut into blocks that are compressed one by one; before them stand the number of blocks, the
 * size of a full one, that of the last (0: it is full) and the compressed size of each, all as 64-bit
 * numbers. */
#include "io/vtu.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

enum { BLOCK = 1 << 20, LEVEL = 1 /* twice as fast as the default, and a tenth larger */ };

static const struct {
    const char *name;
    size_t size;
} types[] = {[VTU_FLOAT32] = {"Float32", 4},
             [VTU_FLOAT64] = {"Float64", 8},
             [VTU_INT32] = {"Int32", 4},
             [VTU_UINT8] = {"UInt8", 1}};

/* The packed arrays. */
typedef struct appendix {
    unsigned char *data;
    size_t size;
    size_t room;
} appendix;

static bool make_room(appendix *a, size_t more)
{
    unsigned char *data = vxe_grow(a->data, a->size + more, &a->room, 1);
    if (data != NULL) a->data = data;
    return data != NULL;
}

/* Adds an array of `size` bytes; false: no memory. *offset: where it begins. */
static bool append(appendix *a, const void *data, size_t size, size_t *offset)
{
    const size_t blocks = (size + BLOCK - 1) / BLOCK;
    const size_t head = (3 + blocks) * sizeof(uint64_t);
    *offset = a->size;
    if (!make_room(a, head) || a->data == NULL) return false;
    const size_t start = a->size;
    uint64_t number[3] = {blocks, BLOCK, size % BLOCK};
    memcpy(a->data + start, number, sizeof number);
    a->size += head;
    for (size_t b = 0; b < blocks; b++) {
        const size_t length = b + 1 < blocks || size % BLOCK == 0 ? BLOCK : size % BLOCK;
        uLongf packed = compressBound((uLong)length);
        if (!make_room(a, packed)) return false;
        if (compress2(a->data + a->size, &packed, (const Bytef *)data + b * BLOCK, (uLong)length, LEVEL) !=
            Z_OK)
            return false;
        a->size += packed;
        const uint64_t took = packed;
        memcpy(a->data + start + (3 + b) * sizeof took, &took, sizeof took);
    }
    return true;
}

/* One element of XML; the names are our own and need no escaping. */
static bool describe(FILE *out, appendix *a, const vtu_array *array, size_t count)
{
    size_t offset = 0;
    const size_t size = count * (size_t)array->components * types[array->type].size;
    (void)fprintf(
        out, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"",
        types[array->type].name, array->name, (int)array->components);
    if (!append(a, array->data, size, &offset)) return false;
    (void)fprintf(out, "%zu\"/>\n", offset);
    return true;
}

static bool describe_cells(FILE *out, appendix *a, const vtu_content *c)
{
    int32_t *offsets = malloc((c->cells + 1) * sizeof *offsets);
    uint8_t *kinds = malloc(c->cells + 1);
    bool good = offsets != NULL && kinds != NULL;
    for (size_t i = 0; good && i < c->cells; i++) {
        offsets[i] = (int32_t)(8 * (i + 1));
        kinds[i] = 12; /* VTK_HEXAHEDRON */
    }
    if (good) {
        const vtu_array connectivity = {"connectivity", VTU_INT32, 1, c->corners};
        const vtu_array ends = {"offsets", VTU_INT32, 1, offsets};
        const vtu_array shapes = {"types", VTU_UINT8, 1, kinds};
        good = describe(out, a, &connectivity, 8 * c->cells) && describe(out, a, &ends, c->cells) &&
               describe(out, a, &shapes, c->cells);
    }
    free(offsets);
    free(kinds);
    return good;
}

static bool describe_all(FILE *out, appendix *a, const vtu_content *c)
{
    const uint16_t one = 1;
    uint8_t first = 0;
    memcpy(&first, &one, 1);
    (void)fprintf(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
        "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n<UnstructuredGrid>\n",
        first == 1 ? "LittleEndian" : "BigEndian");
    if (isfinite(c->time)) {
        char time[VXE_NUMBER_SIZE];
        vxe_print_number(time, c->time);
        (void)fprintf(out,
                      "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                      "format=\"ascii\">%s</DataArray>\n</FieldData>\n",
                      time);
    }
    (void)fprintf(out, "<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n<Points>\n", c->points,
                  c->cells);
    const vtu_array points = {"Points", VTU_FLOAT64, 3, c->point};
    bool good = describe(out, a, &points, c->points);
    (void)fputs("</Points>\n<Cells>\n", out);
    good = good && describe_cells(out, a, c);
    (void)fputs("</Cells>\n<PointData>\n", out);
    for (int32_t i = 0; i < c->point_array_count && good; i++)
        good = describe(out, a, &c->point_arrays[i], c->points);
    (void)fputs("</PointData>\n<CellData>\n", out);
    for (int32_t i = 0; i < c->cell_array_count && good; i++)
        good = describe(out, a, &c->cell_arrays[i], c->cells);
    (void)fputs("</CellData>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_", out);
    return good;
}

vxe_result vxe_vtu_write(const char *path, const vtu_content *content, vxe_error *error)
{
    vxe_file file;
    appendix a = {NULL, 0, 0};
    vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    if (!describe_all(file.stream, &a, content)) {
        result = vxe_fail_memory(error, path, a.room);
    } else if (fwrite(a.data, 1, a.size, file.stream) != a.size) {
        result = vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno));
    } else {
        (void)fputs("\n</AppendedData>\n</VTKFile>\n", file.stream);
    }
    free(a.data);
    if (result != VXE_OK) {
        vxe_file_discard(&file);
        return result;
    }
    return vxe_file_commit(&file, error);
}
