/* The palette of a file of the VoxCAD family: materials with their mechanics, and entries that stand for
 * others (tiles and mixtures). Numbering is by order; the ID attribute is decoration. */
#include "io/vxa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESOLVE_DEPTH_MAX 16 /* composites inside composites */

/* --- mechanics --- */

/* Points of a stress-strain curve; false: there are none that make sense. */
static bool read_curve(vxa_reader *r, const xmlNode *mechanical, vxe_material_def *def)
{
    const xmlNode *data = vxe_xml_child(mechanical, "SSData");
    const xmlNode *strain = vxe_xml_child(vxe_xml_child(data, "StrainData"), "Strain");
    const xmlNode *stress = vxe_xml_child(vxe_xml_child(data, "StressData"), "Stress");
    (void)vxe_xml_child(data, "NumDataPts"); /* the points that are there count */
    int32_t count = 0;
    for (; strain != NULL && stress != NULL; strain = vxe_xml_next(strain), stress = vxe_xml_next(stress)) {
        if (count == VXE_TABLE_MAX) {
            vxe_vxa_refuse(r, VXE_ERROR_LIMIT, data, "a curve of more than %d points", VXE_TABLE_MAX);
            return false;
        }
        const char *end = NULL;
        xmlChar *a = vxe_xml_text(strain);
        xmlChar *b = vxe_xml_text(stress);
        def->table_strain[count] = a == NULL ? 0.0 : vxe_xml_scan_number((const char *)a, &end);
        def->table_stress[count] = b == NULL ? 0.0 : vxe_xml_scan_number((const char *)b, &end);
        xmlFree(a);
        xmlFree(b);
        count++;
    }
    if (count < 2 || !(def->table_strain[1] > 0.0) || !(def->table_stress[1] > 0.0)) return false;
    def->law = VXE_LAW_TABLE;
    def->table_count = count;
    def->youngs_modulus = def->table_stress[1] / def->table_strain[1];
    return true;
}

static void drop_law(vxa_reader *r, const xmlNode *mechanical, vxe_material_def *def, const char *why)
{
    vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(mechanical), "MatModel",
                  "material \"%s\": %s: linear", def->name, why);
    def->law = VXE_LAW_LINEAR;
    def->table_count = 0;
    def->yield_stress = def->plastic_modulus = def->failure_stress = 0.0;
}

/* The stress at which links of a material break, 0: never. */
static double read_failure(vxa_reader *r, const xmlNode *mechanical, double youngs)
{
    const double stress = fmax(0.0, vxe_vxa_number(r, mechanical, "Fail_Stress", 0.0));
    if (r->dialect != VXE_DIALECT_EVOSORO) return stress;
    const double strain = fmax(0.0, vxe_vxa_number(r, mechanical, "Fail_Strain", 0.0));
    const int64_t model = vxe_vxa_integer(r, mechanical, "FailModel", stress == 0.0 && strain != 0.0 ? 1 : 0);
    return model == 1 ? youngs * strain : stress;
}

static void read_law(vxa_reader *r, const xmlNode *mechanical, vxe_material_def *def)
{
    const int64_t model = vxe_vxa_integer(r, mechanical, "MatModel", 0);
    const bool second = r->dialect != VXE_DIALECT_EVOSORO; /* the later engine */
    def->law = VXE_LAW_LINEAR;
    def->yield_stress = def->plastic_modulus = def->failure_stress = 0.0;
    def->table_count = 0;
    def->youngs_modulus = vxe_vxa_number(r, mechanical, "Elastic_Mod", 0.0);
    if (!(def->youngs_modulus > 0.0) && model != 3) {
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(mechanical), "Elastic_Mod",
                      "material \"%s\": %.9g Pa is not above 0: taken as 1 MPa", def->name,
                      def->youngs_modulus);
        def->youngs_modulus = 1e6;
    }
    switch (model) {
    case 0: break;
    case 1:
        def->failure_stress = read_failure(r, mechanical, def->youngs_modulus);
        if (def->failure_stress == 0.0 && second) {
            def->youngs_modulus = 1e6;
            vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(mechanical), "MatModel",
                          "material \"%s\": 1 without Fail_Stress: %s keeps 1 MPa and no failure", def->name,
                          vxe_dialect_name(r->dialect));
        }
        break;
    case 2:
        def->law = VXE_LAW_BILINEAR;
        def->plastic_modulus = vxe_vxa_number(r, mechanical, "Plastic_Mod", 0.0);
        def->yield_stress = vxe_vxa_number(r, mechanical, "Yield_Stress", 0.0);
        def->failure_stress = read_failure(r, mechanical, def->youngs_modulus);
        if (!(def->yield_stress > 0.0) || !(def->plastic_modulus >= 0.0) ||
            !(def->plastic_modulus < def->youngs_modulus)) {
            drop_law(r, mechanical, def,
                     "2 needs Yield_Stress above 0 and Plastic_Mod from 0 to below Elastic_Mod");
        } else if (def->failure_stress > 0.0 && def->failure_stress <= def->yield_stress) {
            drop_law(r, mechanical, def, "2 with a failure before yield");
        }
        break;
    case 3:
        if (!read_curve(r, mechanical, def)) {
            if (!(def->youngs_modulus > 0.0)) def->youngs_modulus = 1e6;
            drop_law(r, mechanical, def, "3 needs SSData that begin at 0, 0 and rise");
        }
        break;
    default: drop_law(r, mechanical, def, "the model is not known"); break;
    }
    if (!r->detaches && def->failure_stress > 0.0) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(mechanical), "Fail_Stress",
                      "links do not break without AttachDetach/EnableDetach");
        def->failure_stress = 0.0;
    }
}

static void read_mechanics(vxa_reader *r, const xmlNode *mechanical, vxe_material_def *def)
{
    read_law(r, mechanical, def);
    def->density = vxe_vxa_number(r, mechanical, "Density", 0.0);
    if (!(def->density > 0.0)) {
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(mechanical), "Density",
                      "material \"%s\": %.9g kg/m^3 is not above 0: taken as 1", def->name, def->density);
        def->density = 1.0;
    }
    def->poissons_ratio = vxe_vxa_number_within(r, mechanical, "Poissons_Ratio", 0.0, 0.0, 0.49);
    /* the later engine sets the ratio to 0; the first one only leaves out its volume effects */
    if (!r->volume_effects && r->dialect != VXE_DIALECT_EVOSORO && def->poissons_ratio != 0.0) {
        def->poissons_ratio = 0.0;
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(vxe_xml_peek(mechanical, "Poissons_Ratio")),
                      "Poissons_Ratio", "taken as 0 because VolumeEffectsEnabled is 0 or missing");
    }
    def->expansion = vxe_vxa_number_within(r, mechanical, "CTE", 0.0, -1e3, 1e3);
    def->static_friction = vxe_vxa_number_within(r, mechanical, "uStatic", 0.0, 0.0, 1e3);
    def->dynamic_friction = vxe_vxa_number_within(r, mechanical, "uDynamic", 0.0, 0.0, 1e3);
    if (def->static_friction < def->dynamic_friction) {
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(mechanical), "uStatic",
                      "material \"%s\": below uDynamic: taken as %.9g", def->name, def->dynamic_friction);
        def->static_friction = def->dynamic_friction;
    }
    if (r->dialect != VXE_DIALECT_VOXCRAFT) return;
    def->target = vxe_vxa_switch(r, mechanical, "isTarget", false);
    def->unmeasured = !vxe_vxa_switch(r, mechanical, "isMeasured", true);
    def->fixed = vxe_vxa_switch(r, mechanical, "Fixed", false);
    def->transparent = vxe_vxa_peek_number(mechanical, "Transparent", 0.0) != 0.0;
    def->ground_damping = vxe_vxa_within(vxe_vxa_peek_number(mechanical, "SlowDampingFrac", 1.0), 0.0, 1e3);
    def->delay =
        vxe_vxa_number_within(r, mechanical, "TurnOnThermalExpansionAfterThisManySeconds", 0.0, 0.0, 1e12);
}

/* --- composites --- */

static void read_composite(vxa_reader *r, const xmlNode *material, int64_t kind, vxa_composite *c)
{
    c->kind = (int32_t)kind;
    c->line = vxe_xml_line(material);
    if (kind == 3) {
        c->choice[0] = (int32_t)vxe_vxa_number_within(r, material, "RandIndex1", 0.0, 0.0, VXE_MATERIALS_MAX);
        c->choice[1] = (int32_t)vxe_vxa_number_within(r, material, "RandIndex2", 0.0, 0.0, VXE_MATERIALS_MAX);
        c->part = vxe_vxa_number_within(r, material, "PercIndex1", 0.0, 0.0, 1.0);
        return;
    }
    static const char *const offsets[3] = {"X_Offset", "Y_Offset", "Z_Offset"};
    const xmlNode *structure = vxe_xml_child(material, "Structure");
    if (structure == NULL) {
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, material, "a tile without Structure");
        return;
    }
    vxe_vxa_read_size(r, structure, c->tile.size);
    vxe_vxa_read_grid(r, structure, "0.94", &c->tile);
    for (int a = 0; a < 3; a++)
        c->offset[a] =
            (int32_t)vxe_vxa_number_within(r, material, offsets[a], 0.0, -VXE_SIDE_MAX, VXE_SIDE_MAX);
    c->axis = (int32_t)vxe_vxa_number_within(r, material, "StructRotateAxis", 0.0, 0.0, 2.0);
    c->quarter = (int32_t)vxe_vxa_number_within(r, material, "StructRotateAmount", 0.0, 0.0, 3.0);
}

/* A number from 0 to 1 that depends on the place only. */
static double place_number(int32_t i, int32_t j, int32_t k)
{
    uint64_t h = VXE_HASH_START;
    h = vxe_hash_u64(h, (uint64_t)(uint32_t)i);
    h = vxe_hash_u64(h, (uint64_t)(uint32_t)j);
    h = vxe_hash_u64(h, (uint64_t)(uint32_t)k);
    h ^= h >> 33;
    h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33;
    return (double)(h >> 11) * 0x1p-53;
}

static int32_t remainder_of(int64_t value, int32_t size)
{
    const int64_t rest = value % size;
    return (int32_t)(rest < 0 ? rest + size : rest);
}

/* Turned first, then shifted, then repeated. */
static int32_t tile_at(const vxa_composite *c, int32_t i, int32_t j, int32_t k)
{
    int64_t at[3] = {i, j, k};
    const int a = (c->axis + 1) % 3;
    const int b = (c->axis + 2) % 3;
    for (int32_t n = 0; n < c->quarter; n++) {
        const int64_t old = at[a];
        at[a] = at[b];
        at[b] = -old;
    }
    size_t cell = 0;
    for (int d = 2; d >= 0; d--)
        cell = cell * (size_t)c->tile.size[d] + (size_t)remainder_of(at[d] + c->offset[d], c->tile.size[d]);
    return c->tile.cells[cell];
}

int32_t vxe_vxa_resolve(vxa_reader *r, int32_t index, int32_t i, int32_t j, int32_t k)
{
    for (int depth = 0; depth < RESOLVE_DEPTH_MAX; depth++) {
        if (index <= 0) return 0;
        if (index > r->palette_count) {
            vxe_vxa_refuse(r, VXE_ERROR_INPUT, r->object,
                           "voxel (%d,%d,%d) has palette index %d; the palette has %d", (int)i, (int)j,
                           (int)k, (int)index, (int)r->palette_count);
            return 0;
        }
        const vxa_composite *c = &r->composites[index];
        if (c->kind == 0) return index;
        index = c->kind == 3 ? c->choice[place_number(i, j, k) < c->part ? 0 : 1] : tile_at(c, i, j, k);
    }
    vxe_vxa_refuse(r, VXE_ERROR_INPUT, r->object, "palette entries stand for each other without end");
    return 0;
}

/* --- the palette --- */

static uint8_t color_part(vxa_reader *r, const xmlNode *display, const char *name, double standard)
{
    const double value = vxe_vxa_number_within(r, display, name, standard, 0.0, 1.0);
    return (uint8_t)(255.0 * value + 0.5);
}

static int64_t guess_kind(vxa_reader *r, const xmlNode *material)
{
    int64_t guess = 0;
    if (vxe_xml_peek(material, "Structure") != NULL) guess = 1;
    if (vxe_xml_peek(material, "RandIndex1") != NULL) guess = 3;
    if (vxe_xml_peek(material, "VXC") != NULL || vxe_xml_peek(material, "DMF") != NULL) guess = 2;
    return vxe_vxa_integer(r, material, "MatType", guess);
}

static void read_name(const xmlNode *material, char name[VXE_NAME_SIZE])
{
    xmlChar *text = vxe_xml_text(vxe_xml_child(material, "Name"));
    size_t length = text == NULL ? 0 : strlen((const char *)text);
    if (length > VXE_NAME_SIZE - 8) { /* room for " (n)" */
        length = VXE_NAME_SIZE - 8;
        while (length > 0 && (text[length] & 0xc0) == 0x80) length--;
    }
    (void)snprintf(name, VXE_NAME_SIZE, "%.*s", (int)length, text == NULL ? "" : (const char *)text);
    for (char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
    }
    if (name[0] == '\0') (void)snprintf(name, VXE_NAME_SIZE, "Default");
    xmlFree(text);
}

static void read_material(vxa_reader *r, const xmlNode *material, vxe_material_def *def)
{
    const xmlNode *display = vxe_xml_child(material, "Display");
    const xmlNode *mechanical = vxe_xml_child(material, "Mechanical");
    vxa_composite *composite = &r->composites[++r->palette_count];
    const int64_t kind = guess_kind(r, material);
    read_name(material, def->name);
    def->color[0] = color_part(r, display, "Red", 0.5);
    def->color[1] = color_part(r, display, "Green", 0.5);
    def->color[2] = color_part(r, display, "Blue", 0.5);
    def->color[3] = color_part(r, display, "Alpha", 1.0);
    if (kind == 1 || kind == 3) {
        read_composite(r, material, kind, composite);
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(material), "MatType",
                      "%lld: \"%s\" is resolved voxel by voxel%s", (long long)kind, def->name,
                      r->dialect == VXE_DIALECT_EVOSORO ? "" : ", which only evosoro's engine does");
    } else if (kind != 0) {
        vxe_vxa_refuse(r, VXE_ERROR_INPUT, material,
                       "MatType %lld (a material from another file) is not supported", (long long)kind);
    }
    if (mechanical != NULL) {
        read_mechanics(r, mechanical, def);
    } else if (kind == 0) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(material), "Mechanical",
                      "\"%s\" has none: that of the material before it, as the programs do", def->name);
    }
    vxe_error cause;
    if (r->result == VXE_OK && vxe_scene_add_material(r->scene, def, NULL, &cause) != VXE_OK)
        vxe_vxa_refused(r, material, &cause);
}

void vxe_vxa_read_palette(vxa_reader *r)
{
    const xmlNode *palette = vxe_xml_child(r->object, "Palette");
    size_t count = 0;
    for (const xmlNode *m = vxe_xml_peek(palette, "Material"); m != NULL; m = vxe_xml_next(m)) count++;
    if (count > VXE_MATERIALS_MAX) {
        vxe_vxa_refuse(r, VXE_ERROR_LIMIT, palette, "more than %d materials", VXE_MATERIALS_MAX);
        return;
    }
    r->composites = vxe_allocate(count + 1, sizeof *r->composites);
    if (r->composites == NULL) {
        r->result = vxe_fail_memory(r->error, "the palette", count);
        return;
    }
    vxe_material_def def = vxe_default_material_def();
    def.poissons_ratio = 0.0;
    for (const xmlNode *m = vxe_xml_child(palette, "Material"); m != NULL && r->result == VXE_OK;
         m = vxe_xml_next(m))
        read_material(r, m, &def);
}

void vxe_vxa_free_palette(vxa_reader *r)
{
    for (int32_t i = 1; r->composites != NULL && i <= r->palette_count; i++)
        free(r->composites[i].tile.cells);
    free(r->composites);
    r->composites = NULL;
}
