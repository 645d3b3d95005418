/* The structure of a file of the VoxCAD family: layers of palette indices in any of the five encodings, and
 * the blocks of numbers that single voxels have. */
#include "io/vxa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* --- encodings --- */

typedef enum encoding {
    ENCODING_ASCII,
    ENCODING_BASE64,
    ENCODING_ZLIB,
    ENCODING_QT_ZLIB,
    ENCODING_RAW
} encoding;

static encoding find_encoding(vxa_reader *r, const xmlNode *structure)
{
    static const struct {
        const char *word;
        encoding value;
    } words[] = {{"ASCII_READABLE", ENCODING_ASCII},
                 {"BASE64", ENCODING_BASE64},
                 {"ZLIB", ENCODING_ZLIB},
                 {"QT_ZLIB", ENCODING_QT_ZLIB},
                 {"RAW_DATA", ENCODING_RAW}};
    xmlChar *text = xmlGetProp(structure, (const xmlChar *)"Compression");
    encoding found = text == NULL ? ENCODING_ASCII : ENCODING_BASE64;
    bool known = false;
    for (size_t i = 0; text != NULL && i < sizeof words / sizeof words[0]; i++) {
        if (strcmp((const char *)text, words[i].word) != 0) continue;
        found = words[i].value;
        known = true;
    }
    if (text == NULL) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(structure), "Compression",
                      "it is missing: taken as ASCII_READABLE");
    } else if (!known) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(structure), "Compression",
                      "it is not known: taken as BASE64, as the programs do");
    }
    xmlFree(text);
    return found;
}

static int base64_digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+') return 62;
    if (c == '/') return 63;
    return -1;
}

/* Decodes in place; stops at the first character that is no digit. Gives the number of bytes. */
static size_t decode_base64(unsigned char *text)
{
    size_t used = 0;
    uint32_t bits = 0;
    int count = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        const int digit = base64_digit((char)text[i]);
        if (digit < 0) break;
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count < 8) continue;
        count -= 8;
        text[used++] = (unsigned char)(bits >> count & 0xff);
    }
    return used;
}

/* The characters of UTF-8 text as numbers, in place, less `zero`; SIZE_MAX: one is out of the range of a
 * byte. */
static size_t decode_characters(unsigned char *text, unsigned zero)
{
    size_t used = 0;
    for (size_t i = 0; text[i] != '\0'; i++) {
        unsigned code = text[i];
        if (code >= 0xc2 && code <= 0xc7 && (text[i + 1] & 0xc0) == 0x80) {
            code = (code & 0x1fU) << 6 | (text[++i] & 0x3fU);
        } else if (code >= 0x80) {
            return SIZE_MAX;
        }
        if (code < zero || code - zero > 255) return SIZE_MAX;
        text[used++] = (unsigned char)(code - zero);
    }
    return used;
}

/* Unpacks a stream that must give exactly `expected` bytes, and never more. False: it does not. */
static bool unpack(const unsigned char *packed, size_t size, uint8_t *cells, size_t expected)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    if (size > UINT32_MAX || expected > UINT32_MAX || inflateInit(&stream) != Z_OK) return false;
    uint8_t more = 0;
    stream.next_in = (Bytef *)(uintptr_t)packed;
    stream.avail_in = (uInt)size;
    stream.next_out = cells;
    stream.avail_out = (uInt)expected;
    int status = inflate(&stream, Z_FINISH);
    if (status == Z_BUF_ERROR && stream.avail_out == 0) { /* the end mark may be all that is left */
        stream.next_out = &more;
        stream.avail_out = 1;
        status = inflate(&stream, Z_FINISH);
        if (stream.avail_out == 0) status = Z_DATA_ERROR;
    }
    const bool good = status == Z_STREAM_END && stream.total_out == expected;
    (void)inflateEnd(&stream);
    return good;
}

/* One layer into cells. */
static void read_layer(vxa_reader *r, const xmlNode *layer, encoding kind, uint8_t *cells, size_t expected)
{
    xmlChar *text = kind == ENCODING_RAW ? xmlNodeGetContent(layer) : vxe_xml_text(layer);
    if (text == NULL) {
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, layer, "the layer is empty");
        return;
    }
    size_t size = 0;
    switch (kind) {
    case ENCODING_ASCII: size = decode_characters(text, 48); break;
    case ENCODING_RAW: size = decode_characters(text, 0); break;
    case ENCODING_BASE64:
    case ENCODING_ZLIB:
    case ENCODING_QT_ZLIB: size = decode_base64(text); break;
    }
    const unsigned char *data = text;
    if (size == SIZE_MAX) {
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, layer,
                       "the layer has a character that stands for no palette index");
    } else if (kind == ENCODING_ZLIB || kind == ENCODING_QT_ZLIB) {
        const size_t skip = kind == ENCODING_QT_ZLIB ? 4 : 0;
        if (size <= skip || !unpack(data + skip, size - skip, cells, expected))
            vxe_vxa_refuse(r, VXE_ERROR_INPUT, layer, "the layer is not a compressed stream of %zu voxels",
                           expected);
    } else if (size != expected) {
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, layer, "the layer has %zu voxels, not %zu", size, expected);
    } else {
        memcpy(cells, data, expected);
    }
    xmlFree(text);
}

/* Version 0.92: one text, line ends left out, every other byte an index. */
static void read_blob(vxa_reader *r, const xmlNode *data, uint8_t *cells, size_t expected)
{
    xmlChar *text = xmlNodeGetContent(data);
    size_t used = 0;
    for (size_t i = 0; text != NULL && text[i] != '\0'; i++) {
        if (text[i] != '\r' && text[i] != '\n') text[used++] = text[i];
    }
    if (text != NULL) text[used] = '\0';
    const size_t size = text == NULL ? 0 : decode_characters(text, 0);
    if (size != expected)
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, data, "the data have another number of voxels than %zu", expected);
    else
        memcpy(cells, text, expected);
    xmlFree(text);
}

/* --- the grid --- */

void vxe_vxa_read_size(vxa_reader *r, const xmlNode *structure, int32_t size[3])
{
    static const char *const names[3] = {"X_Voxels", "Y_Voxels", "Z_Voxels"};
    for (int a = 0; a < 3; a++) {
        const int64_t side = vxe_vxa_integer(r, structure, names[a], 1);
        if (side < 1 || side > VXE_SIDE_MAX) {
            vxe_vxa_refuse(r, side < 1 ? VXE_ERROR_INPUT : VXE_ERROR_LIMIT, vxe_xml_peek(structure, names[a]),
                           "%lld is not within 1 to %d", (long long)side, VXE_SIDE_MAX);
            return;
        }
        size[a] = (int32_t)side;
    }
    if ((int64_t)size[0] * size[1] * size[2] > VXE_CELLS_MAX) {
        vxe_vxa_refuse(r, VXE_ERROR_LIMIT, structure, "%d x %d x %d are more than %lld cells", (int)size[0],
                       (int)size[1], (int)size[2], (long long)VXE_CELLS_MAX);
    }
}

void vxe_vxa_read_grid(vxa_reader *r, const xmlNode *structure, const char *version, vxa_grid *grid)
{
    if (r->result != VXE_OK) return;
    const xmlNode *data = vxe_xml_child(structure, "Data");
    const size_t area = (size_t)grid->size[0] * (size_t)grid->size[1];
    const size_t cells = area * (size_t)grid->size[2];
    if (data == NULL) {
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, structure, "Data is missing");
        return;
    }
    /* before memory is taken: a small file cannot ask for a large grid, for it must have a layer for each */
    int64_t layers = 0;
    for (const xmlNode *l = vxe_xml_peek(data, "Layer"); l != NULL; l = vxe_xml_next(l)) layers++;
    const bool blob = strcmp(version, "0.92") == 0 && layers == 0;
    if (!blob && layers < grid->size[2]) {
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, data, "%lld layers, not %d", (long long)layers,
                       (int)grid->size[2]);
        return;
    }
    if (layers > grid->size[2]) {
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(data), "Data",
                      "%lld layers, more than the %d that count", (long long)layers, (int)grid->size[2]);
    }
    grid->cells = calloc(cells, 1); /* pages are taken as layers come */
    if (grid->cells == NULL) {
        r->result = vxe_fail_memory(r->error, "the voxels", cells);
        return;
    }
    if (blob) {
        read_blob(r, data, grid->cells, cells);
        return;
    }
    const encoding kind = find_encoding(r, structure);
    const xmlNode *layer = vxe_xml_child(data, "Layer");
    for (int32_t k = 0; k < grid->size[2] && r->result == VXE_OK; k++, layer = vxe_xml_next(layer))
        read_layer(r, layer, kind, grid->cells + (size_t)k * area, area);
}

/* --- numbers of single voxels --- */

/* Calls `take` for every number of a block, `per` of them for each cell. */
typedef void take_number(vxa_reader *r, const xmlNode *layer, void *to, const int32_t cell[3], int part,
                         double value);

static bool read_block(vxa_reader *r, const xmlNode *structure, const char *tag, int per, take_number *take,
                       void *to)
{
    xmlNode *block = vxe_xml_child(structure, tag);
    if (block == NULL || r->result != VXE_OK) return false;
    int32_t size[3];
    vxe_scene_size(r->scene, size);
    int32_t k = 0;
    for (const xmlNode *layer = vxe_xml_child(block, "Layer");
         layer != NULL && k < size[2] && r->result == VXE_OK; layer = vxe_xml_next(layer), k++) {
        xmlChar *text = vxe_xml_text(layer);
        const char *at = text == NULL ? "" : (const char *)text;
        const int64_t expected = (int64_t)per * size[0] * size[1];
        for (int64_t n = 0; n < expected && r->result == VXE_OK; n++) {
            const char *end = NULL;
            const double value = vxe_xml_scan_number(at, &end);
            if (end == at && *at != '\0') {
                vxe_vxa_refuse(r, VXE_ERROR_INPUT, layer, "number %lld of %lld cannot be read",
                               (long long)(n + 1), (long long)expected);
                break;
            }
            if (end == at) {
                vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(layer), tag,
                              "layer %d has %lld numbers, not %lld: the rest is as if it were not there",
                              (int)k + 1, (long long)n, (long long)expected);
                break;
            }
            const int64_t cell = n / per;
            const int32_t place[3] = {(int32_t)(cell % size[0]), (int32_t)(cell / size[0]), k};
            if (vxe_scene_voxel(r->scene, place[0], place[1], place[2]) != 0)
                take(r, layer, to, place, (int)(n % per), value);
            at = end;
            while (*at != '\0' && strchr(" \t\r\n,;", *at) != NULL) at++;
        }
        if (r->result == VXE_OK && *at != '\0')
            vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(layer), tag,
                          "layer %d has more than %lld numbers: the rest is left out", (int)k + 1,
                          (long long)expected);
        xmlFree(text);
    }
    if (r->result == VXE_OK && k < size[2])
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(block), tag,
                      "%d layers, not %d: the rest is as if it were not there", (int)k, (int)size[2]);
    return true;
}

/* A number of the actuation: to is 0 phase, 1 amplitude, 2 frequency. */
static void take_actuation(vxa_reader *r, const xmlNode *layer, void *to, const int32_t cell[3], int part,
                           double value)
{
    const int member = *(const int *)to;
    (void)part;
    vxe_actuation a = vxe_scene_actuation(r->scene, cell[0], cell[1], cell[2]);
    if (member == 0) a.phase = value;
    if (member == 1) a.amplitude = value;
    if (member == 2) {
        if (!(value > 0.0)) {
            vxe_vxa_refuse(r, VXE_ERROR_INPUT, layer, "a frequency of %.9g, not above 0", value);
            return;
        }
        a.period = 1.0 / value;
        a.phase *= value; /* the factor applies to time and phase together */
    }
    vxe_error cause;
    if (vxe_scene_set_actuation(r->scene, cell[0], cell[1], cell[2], &a, &cause) != VXE_OK)
        vxe_vxa_refused(r, layer, &cause);
}

/* A field as it is. */
static void take_field(vxa_reader *r, const xmlNode *layer, void *to, const int32_t cell[3], int part,
                       double value)
{
    const vxe_field field = (vxe_field)((int)*(const vxe_field *)to + part);
    vxe_error cause;
    if (vxe_scene_set_field(r->scene, field, cell[0], cell[1], cell[2], value, &cause) != VXE_OK)
        vxe_vxa_refused(r, layer, &cause);
}

/* A stiffness; 0 and less keep the material's. */
static void take_stiffness(vxa_reader *r, const xmlNode *layer, void *to, const int32_t cell[3], int part,
                           double value)
{
    if (value > 0.0) take_field(r, layer, to, cell, part, value);
}

/* A size in [-1, 1] of the growth amplitude. */
static void take_size(vxa_reader *r, const xmlNode *layer, void *to, const int32_t cell[3], int part,
                      double value)
{
    const double size = fmax(r->smallest, 1.0 + r->growth_amplitude * value);
    take_field(r, layer, to, cell, part, fmin(size, 3.0) - 1.0);
}

/* What growth adds: the final value less the first. */
static void take_final(vxa_reader *r, const xmlNode *layer, void *to, const int32_t cell[3], int part,
                       double value)
{
    const vxe_field field = *(const vxe_field *)to;
    const vxe_actuation a = vxe_scene_actuation(r->scene, cell[0], cell[1], cell[2]);
    take_field(r, layer, to, cell, part, value - (field == VXE_FIELD_PHASE_CHANGE ? a.phase : a.amplitude));
}

/* Parts of life become seconds. */
typedef struct growth_times {
    double begin_bound;
    double end_bound;
    double least;
} growth_times;

static void take_begin(vxa_reader *r, const xmlNode *layer, void *to, const int32_t cell[3], int part,
                       double value)
{
    const growth_times *t = to;
    vxe_field field = VXE_FIELD_GROWTH_BEGIN;
    take_field(r, layer, &field, cell, part,
               fmax(0.0, fmin(r->begin + value * fmax(0.0, t->begin_bound - r->begin),
                              fmax(r->begin, t->begin_bound - t->least))));
}

static void take_time(vxa_reader *r, const xmlNode *layer, void *to, const int32_t cell[3], int part,
                      double value)
{
    const growth_times *t = to;
    vxe_field field = VXE_FIELD_GROWTH_TIME;
    const double begin = vxe_scene_field(r->scene, VXE_FIELD_GROWTH_BEGIN, cell[0], cell[1], cell[2]);
    take_field(r, layer, &field, cell, part, fmax(t->least, value * fmax(0.0, t->end_bound - begin)));
}

/* Of all voxels; GROWTH_TIME with `until`: what is left from where their growth begins. */
static void set_all(vxa_reader *r, vxe_field field, double value, bool until)
{
    int32_t size[3];
    vxe_scene_size(r->scene, size);
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                if (vxe_scene_voxel(r->scene, i, j, k) == 0) continue;
                const double begin = vxe_scene_field(r->scene, VXE_FIELD_GROWTH_BEGIN, i, j, k);
                (void)vxe_scene_set_field(r->scene, field, i, j, k, fmax(0.0, until ? value - begin : value),
                                          NULL);
            }
        }
    }
}

/* Growth that slows down where the robot does: windows of steps become seconds. Growth that is faster than
 * its limit takes longer. */
static void limit_growth(vxa_reader *r)
{
    const double steps = vxe_vxa_peek_within(r, r->environment, "NumTimeStepsInWindow", 0.0, 0.0, 1e9);
    const double limit = vxe_vxa_peek_within(r, r->environment, "GrowthSpeedLimit", 0.0, 0.0, 1e9);
    if (steps > 0.0) {
        vxe_environment e = vxe_scene_environment(r->scene);
        e.slow_window = steps * vxe_vxa_step(r);
        e.slow_loss = vxe_vxa_peek_within(r, r->environment, "MaxSlowdownPermitted", 0.1, 0.0, 1.0);
        e.slow_factor = vxe_vxa_peek_within(r, r->environment, "BallisticSlowdownFact", 0.01, 0.0, 1.0);
        (void)vxe_scene_set_environment(r->scene, &e, NULL);
    }
    int32_t size[3];
    vxe_scene_size(r->scene, size);
    for (int32_t k = 0; k < size[2] && limit > 0.0; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                if (vxe_scene_voxel(r->scene, i, j, k) == 0) continue;
                const double way = fabs(vxe_scene_field(r->scene, VXE_FIELD_SIZE_END, i, j, k) -
                                        vxe_scene_field(r->scene, VXE_FIELD_SIZE_START, i, j, k));
                const double time = vxe_scene_field(r->scene, VXE_FIELD_GROWTH_TIME, i, j, k);
                if (way > limit * time)
                    (void)vxe_scene_set_field(r->scene, VXE_FIELD_GROWTH_TIME, i, j, k, way / limit, NULL);
            }
        }
    }
}

static void read_growth(vxa_reader *r, const xmlNode *structure)
{
    const bool sized = r->growth_amplitude != 0.0; /* else sizes are what they are, whatever is asked */
    const bool ends = vxe_xml_peek(structure, "FinalVoxelSize") != NULL;
    const bool timed = vxe_xml_peek(structure, "GrowthTime") != NULL;
    vxe_field field = VXE_FIELD_SIZE_START;
    bool grows = sized && read_block(r, structure, "InitialVoxelSize", 1, take_size, &field);
    field = VXE_FIELD_SIZE_END;
    grows = (sized && read_block(r, structure, "FinalVoxelSize", 1, take_size, &field)) || grows;
    field = VXE_FIELD_PHASE_CHANGE;
    const bool changes = read_block(r, structure, "FinalPhaseOffset", 1, take_final, &field);
    field = VXE_FIELD_AMPLITUDE_CHANGE;
    grows = read_block(r, structure, "FinalTempAmpDamp", 1, take_final, &field) || changes || grows;
    if (!grows) return;
    const double parent = vxe_vxa_number_within(r, r->simulator, "ParentLifetime", r->life, 0.0, 1e12);
    growth_times times = {
        vxe_vxa_switch(r, r->environment, "OnsetRelative", false) ? parent : r->life,
        vxe_vxa_switch(r, r->environment, "TerminationRelative", false) ? parent : r->life,
        vxe_vxa_number_within(r, r->environment, "MinGrowthTime", 0.0, 0.0, 1e12),
    };
    const xmlNode *stop = vxe_xml_peek(r->simulator, "StopCondition");
    const double pause = vxe_vxa_number_within(r, stop, "MidLifeFreezeTime", 0.0, 0.0, 1e9);
    if (pause > 0.0) {
        vxe_environment e = vxe_scene_environment(r->scene);
        e.pause_time = pause;
        e.pause_begin = fmax(0.0, 0.5 * (r->life - r->begin) - 0.5 * pause);
        (void)vxe_scene_set_environment(r->scene, &e, NULL);
        vxe_vxa_unmark_all(vxe_xml_peek(stop, "MidLifeFreezeTime"));
        times.end_bound = fmax(0.0, times.end_bound - pause); /* the rest of life is that much shorter */
    }
    if (!read_block(r, structure, "StartGrowthTime", 1, take_begin, &times)) {
        const bool late = !ends && !timed;
        set_all(r, VXE_FIELD_GROWTH_BEGIN, late ? fmax(0.0, r->life - pause) : r->begin, false);
        if (late)
            vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(structure), "StartGrowthTime",
                          "with none, and neither FinalVoxelSize nor GrowthTime, growth begins where life "
                          "ends, as in evosoro");
    }
    if (!read_block(r, structure, "GrowthTime", 1, take_time, &times))
        set_all(r, VXE_FIELD_GROWTH_TIME, ends ? times.end_bound : times.least, ends);
    limit_growth(r);
}

/* Cilia push with the force of the layer times the material's factor. */
static void take_cilia(vxa_reader *r, const xmlNode *layer, void *to, const int32_t cell[3], int part,
                       double value)
{
    const double *factors = to;
    vxe_field field = VXE_FIELD_CILIA_X;
    take_field(r, layer, &field, cell, part,
               value * factors[vxe_scene_voxel(r->scene, cell[0], cell[1], cell[2])]);
}

/* What a signal adds to it. */
static void take_shift(vxa_reader *r, const xmlNode *layer, void *to, const int32_t cell[3], int part,
                       double value)
{
    const double *factors = to;
    vxe_field field = VXE_FIELD_SHIFT_X;
    take_field(r, layer, &field, cell, part,
               value * factors[vxe_scene_voxel(r->scene, cell[0], cell[1], cell[2])]);
}

static void read_cilia(vxa_reader *r, const xmlNode *structure)
{
    if (vxe_vxa_peek_number(r->simulator, "EnableCilia", 0.0) == 0.0) return; /* it is kept */
    double *factors = vxe_allocate((size_t)r->palette_count + 1, sizeof *factors);
    if (factors == NULL) {
        r->result = vxe_fail_memory(r->error, "the palette", (size_t)r->palette_count);
        return;
    }
    int32_t index = 0;
    const xmlNode *material = vxe_xml_peek(vxe_xml_peek(r->object, "Palette"), "Material");
    for (; material != NULL && index < r->palette_count; material = vxe_xml_next(material))
        factors[++index] =
            vxe_vxa_peek_within(r, vxe_xml_peek(material, "Mechanical"), "Cilia", 0.0, -1e12, 1e12);
    (void)read_block(r, structure, "BaseCiliaForce", 3, take_cilia, factors);
    if (vxe_vxa_switch(r, r->simulator, "EnableSignals", false)) {
        (void)read_block(r, structure, "ShiftCiliaForce", 3, take_shift, factors);
        vxe_vxa_unmark_all(vxe_xml_peek(structure, "ShiftCiliaForce")); /* kept for other programs */
        vxe_vxa_unmark_all(vxe_xml_peek(r->simulator, "EnableSignals"));
    }
    free(factors);
}

/* Materials of which voxcraft's branches take away loads: LockZ the force along z (that of cilia too) and the
 * moments about x and y, NoSpin all moments. Their voxels begin at rest, so those ways are never gone: they
 * are held. The tags stay unmarked: they are told, kept and written again. */
static void read_locks(vxa_reader *r)
{
    static const struct {
        const char *tag;
        uint32_t held;
    } locks[] = {{"LockZ", VXE_DOF_Z | VXE_DOF_RX | VXE_DOF_RY}, {"NoSpin", VXE_DOF_TURN}};
    bool *locked = vxe_allocate((size_t)r->palette_count + 1, sizeof *locked);
    int32_t *cells = NULL;
    for (size_t n = 0; n < sizeof locks / sizeof locks[0] && locked != NULL && r->result == VXE_OK; n++) {
        int32_t index = 0;
        bool any = false;
        const xmlNode *material = vxe_xml_peek(vxe_xml_peek(r->object, "Palette"), "Material");
        for (; material != NULL && index < r->palette_count; material = vxe_xml_next(material)) {
            const xmlNode *mechanical = vxe_xml_peek(material, "Mechanical");
            locked[++index] = fabs(vxe_vxa_peek_number(mechanical, locks[n].tag, 0.0)) >= 1.0;
            any = any || locked[index];
        }
        if (!any) continue;
        const size_t voxels = (size_t)vxe_scene_voxel_count(r->scene);
        if (cells == NULL) cells = vxe_allocate(3 * voxels + 1, sizeof *cells);
        if (cells == NULL) break;
        int32_t size[3];
        int32_t count = 0;
        vxe_scene_size(r->scene, size);
        for (int32_t k = 0; k < size[2]; k++) {
            for (int32_t j = 0; j < size[1]; j++) {
                for (int32_t i = 0; i < size[0]; i++) {
                    const int32_t kind = vxe_scene_voxel(r->scene, i, j, k);
                    if (kind == 0 || kind > r->palette_count || !locked[kind]) continue;
                    if (n == 0) (void)vxe_scene_set_field(r->scene, VXE_FIELD_CILIA_Z, i, j, k, 0.0, NULL);
                    cells[3 * (size_t)count] = i;
                    cells[3 * (size_t)count + 1] = j;
                    cells[3 * (size_t)count++ + 2] = k;
                }
            }
        }
        if (count == 0) continue;
        vxe_region_def region = vxe_default_region_def();
        (void)snprintf(region.name, sizeof region.name, "%s", locks[n].tag);
        region.shape = (vxe_shape){
            .kind = VXE_SHAPE_CELLS, .units = VXE_UNITS_VOXELS, .cells = cells, .cell_count = count};
        region.fixed = locks[n].held;
        vxe_error cause;
        if (vxe_scene_add_region(r->scene, &region, NULL, &cause) != VXE_OK)
            vxe_vxa_refused(r, r->object, &cause);
    }
    if (locked == NULL) r->result = vxe_fail_memory(r->error, "the palette", (size_t)r->palette_count);
    free(locked);
    free(cells);
}

/* Robots with a brain of their own: without it they would do something else, so they are not run. What is all
 * zero does nothing. */
static void refuse_controllers(vxa_reader *r, const xmlNode *structure)
{
    static const struct {
        const char *tag, *kind;
    } controllers[] = {{"ControllerSynapseWeights", "a neural controller"},
                       {"ForwardModelSynapseWeights", "a neural model of itself"},
                       {"RegenerationModelSynapseWeights", "a neural model of how it grows again"},
                       {"VestibularContribution", "a controller of growth"},
                       {"StressContribution", "a controller of growth"},
                       {"PressureContribution", "a controller of growth"},
                       {"StressAdaptationRate", "stiffness that adapts"},
                       {"PressureAdaptationRate", "stiffness that adapts"}};
    for (size_t i = 0; i < sizeof controllers / sizeof controllers[0] && r->result == VXE_OK; i++) {
        const xmlNode *node = vxe_xml_peek(structure, controllers[i].tag);
        if (node == NULL) continue;
        xmlChar *text = xmlNodeGetContent(node);
        if (text != NULL && strpbrk((const char *)text, "123456789") != NULL) {
            vxe_vxa_refuse(
                r, VXE_ERROR_INPUT, node,
                "the robot has %s, and no document says how its numbers act; without it the robot would "
                "do something else. Take the element out to run the body alone, or drive it by a rule "
                "of kind control",
                controllers[i].kind);
        }
        xmlFree(text);
    }
}

static void read_blocks(vxa_reader *r, const xmlNode *structure)
{
    int member = 0;
    vxe_field field = VXE_FIELD_STIFFNESS;
    if (r->dialect == VXE_DIALECT_VOXCAD) return; /* it knows none of them */
    (void)read_block(r, structure, "PhaseOffset", 1, take_actuation, &member);
    if (r->dialect == VXE_DIALECT_EVOSORO) {
        refuse_controllers(r, structure);
        (void)read_block(r, structure, "Stiffness", 1, take_stiffness, &field);
        if (r->water) return;
        member = 1;
        (void)read_block(r, structure, "TempAmpDamp", 1, take_actuation, &member);
        read_growth(r, structure);
        return;
    }
    member = 1;
    (void)read_block(r, structure, "Amplitude", 1, take_actuation, &member);
    member = 2;
    (void)read_block(r, structure, "Frequency", 1, take_actuation, &member);
    read_cilia(r, structure);
    read_locks(r);
    static const char *const traits[4] = {"ActivationTimeConstant", "RecoveryTimeConstant",
                                          "DownregulationConstant", "DetachTime"};
    for (int i = 0; i < 4; i++) { /* what light does to voxels: vxa_light.c */
        field = (vxe_field)(VXE_FIELD_TRAIT1 + i);
        (void)read_block(r, structure, traits[i], 1, take_field, &field);
        vxe_vxa_unmark_all(vxe_xml_peek(structure, traits[i]));
    }
}

void vxe_vxa_read_structure(vxa_reader *r)
{
    const xmlNode *structure = vxe_xml_child(r->object, "Structure");
    xmlChar *version = xmlGetProp(r->object, (const xmlChar *)"Version");
    const char *word = version == NULL ? "" : (const char *)version;
    if (strcmp(word, "") != 0 && strcmp(word, "0.92") != 0 && strcmp(word, "0.93") != 0 &&
        strcmp(word, "0.94") != 0) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(r->object), "VXC Version",
                      "\"%.16s\" is not known; the programs would read no voxels. Read as 0.94", word);
    }
    vxa_grid grid = {{1, 1, 1}, NULL};
    vxe_vxa_read_size(r, structure, grid.size);
    vxe_vxa_read_grid(r, structure, word, &grid);
    const uint8_t *cell = grid.cells;
    for (int32_t k = 0; cell != NULL && k < grid.size[2] && r->result == VXE_OK; k++) {
        for (int32_t j = 0; j < grid.size[1] && r->result == VXE_OK; j++) {
            for (int32_t i = 0; i < grid.size[0] && r->result == VXE_OK; i++, cell++) {
                if (*cell == 0) continue;
                const int32_t material = vxe_vxa_resolve(r, *cell, i, j, k);
                vxe_error cause;
                if (r->result == VXE_OK && vxe_scene_set_voxel(r->scene, i, j, k, material, &cause) != VXE_OK)
                    vxe_vxa_refused(r, structure, &cause);
            }
        }
    }
    free(grid.cells);
    xmlFree(version);
    if (r->result == VXE_OK) read_blocks(r, structure);
}
