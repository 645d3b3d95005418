/* What a scene says cell by cell, as JSON: layers of rows, and numbers of single voxels as runs. */
#include "io/json_members.h"

#include <string.h>

#define PICTURE_WIDTH 100 /* rows up to this long ... */
#define PICTURE_CELLS                                                                                        \
    65536 /* ... of blocks up to this large look like what they are: written voxel by voxel */

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

static void write_row(vxe_json_writer *w, const block *b, int32_t j, int32_t k, int32_t repeat)
{
    const uint16_t *row = row_of(b, j, k);
    vxe_json_begin(w, NULL);
    vxe_json_put(w, "\"");
    if (repeat > 1) {
        vxe_json_put_integer(w, repeat);
        vxe_json_put(w, "*");
    }
    for (int32_t i = 0; i < b->size[0];) {
        int32_t run = 1;
        while (!b->picture && i + run < b->size[0] && row[i + run] == row[i]) run++;
        char character[4];
        const size_t length = put_character(character, row[i]);
        if (run > 2) vxe_json_put_integer(w, run);
        for (int32_t n = 0; n < (run > 2 ? 1 : run); n++) vxe_json_put_bytes(w, character, length);
        i += run;
    }
    vxe_json_put(w, "\"");
}

static void write_rows(vxe_json_writer *w, const block *b, int32_t k)
{
    vxe_json_open(w, "[", !b->picture && b->size[1] == 1);
    for (int32_t j = 0; j < b->size[1];) {
        int32_t repeat = 1;
        while (!b->picture && j + repeat < b->size[1] && same_rows(b, j, k, j + repeat, k)) repeat++;
        write_row(w, b, j, k, repeat);
        j += repeat;
    }
    vxe_json_close(w, "]");
}

void vxe_json_write_layers(vxe_json_writer *w, const vxe_scene *scene)
{
    bool used[UINT16_MAX + 1] = {false};
    block b;
    if (vxe_scene_voxel_count(scene) == 0) return;
    find_block(scene, &b, used);
    vxe_json_enter(w, "layers", "{", false);
    vxe_json_enter(w, "legend", "{", vxe_scene_material_count(scene) <= 3);
    for (int32_t m = 1; m <= vxe_scene_material_count(scene); m++) {
        char character[4];
        (void)put_character(character, m);
        if (used[m]) vxe_json_write_text(w, character, vxe_scene_material(scene, m)->name);
    }
    vxe_json_close(w, "}");
    vxe_json_write_cells(w, "origin", b.first);
    vxe_json_enter(w, "layers", "[", false);
    for (int32_t k = 0; k < b.size[2];) {
        int32_t repeat = 1;
        while (k + repeat < b.size[2] && same_layers(&b, k, k + repeat)) repeat++;
        vxe_json_begin(w, NULL);
        if (repeat > 1) {
            vxe_json_open(w, "{", false);
            vxe_json_begin(w, "repeat");
            vxe_json_put_integer(w, repeat);
            vxe_json_begin(w, "rows");
        }
        write_rows(w, &b, k);
        if (repeat > 1) vxe_json_close(w, "}");
        k += repeat;
    }
    vxe_json_close(w, "]");
    vxe_json_close(w, "}");
}

/* --- actuation and other numbers of single voxels --- */

/* One of phase, amplitude and period (member 0, 1, 2) of all cells of a box. */
static void write_list(vxe_json_writer *w, const vxe_scene *scene, const char *key, int member,
                       const int32_t first[3], const int32_t size[3])
{
    vxe_json_enter(w, key, "[", true);
    vxe_json_run run = {0.0, 0};
    for (int32_t k = first[2]; k < first[2] + size[2]; k++) {
        for (int32_t j = first[1]; j < first[1] + size[1]; j++) {
            for (int32_t i = first[0]; i < first[0] + size[0]; i++) {
                const vxe_actuation actuation = vxe_scene_actuation(scene, i, j, k);
                const double number = member == 0   ? actuation.phase
                                      : member == 1 ? actuation.amplitude
                                                    : actuation.period;
                vxe_json_add_to_run(w, &run, number);
            }
        }
    }
    vxe_json_end_run(w, &run);
    vxe_json_close(w, "]");
}

void vxe_json_write_actuation(vxe_json_writer *w, const vxe_scene *scene)
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
                    if (vxe_json_same_bits(numbers[n], standard[n])) continue;
                    special[n] = true;
                    include_cell(low, high, (const int32_t[3]){i, j, k});
                }
            }
        }
    }
    for (int a = 0; a < 3; a++) size[a] = high[a] - low[a] + 1;
    vxe_json_enter(w, "actuation", "{", false);
    vxe_json_write_cells(w, "origin", low);
    vxe_json_write_cells(w, "size", size);
    for (int n = 0; n < 3; n++) {
        if (special[n]) write_list(w, scene, keys[n], n, low, size);
    }
    vxe_json_close(w, "}");
}

static void write_field(vxe_json_writer *w, const vxe_scene *scene, vxe_field field)
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
    vxe_json_enter(w, vxe_field_name(field), "{", false);
    vxe_json_write_cells(w, "origin", low);
    vxe_json_write_cells(w, "size", size);
    vxe_json_enter(w, "values", "[", true);
    vxe_json_run run = {0.0, 0};
    for (int32_t k = low[2]; k <= high[2]; k++) {
        for (int32_t j = low[1]; j <= high[1]; j++) {
            for (int32_t i = low[0]; i <= high[0]; i++) {
                const double number = vxe_scene_field(scene, field, i, j, k);
                vxe_json_add_to_run(w, &run, number);
            }
        }
    }
    vxe_json_end_run(w, &run);
    vxe_json_close(w, "]");
    vxe_json_close(w, "}");
}

void vxe_json_write_fields(vxe_json_writer *w, const vxe_scene *scene)
{
    bool open = false;
    for (int f = 0; f < VXE_FIELD_COUNT; f++) {
        if (!vxe_scene_has_field(scene, (vxe_field)f)) continue;
        if (!open) vxe_json_enter(w, "fields", "{", false);
        open = true;
        write_field(w, scene, (vxe_field)f);
    }
    if (open) vxe_json_close(w, "}");
}

void vxe_json_write_parts(vxe_json_writer *w, const vxe_scene *scene)
{
    if (vxe_scene_part_count(scene) == 0) return;
    vxe_json_enter(w, "parts", "[", false);
    for (int32_t n = 1; n <= vxe_scene_part_count(scene); n++) {
        vxe_json_enter(w, NULL, "{", true);
        (void)vxe_json_write_members(w, vxe_json_part, vxe_scene_part(scene, n), &(vxe_part_def){.size = 0});
        vxe_json_close(w, "}");
    }
    vxe_json_close(w, "]");
}
