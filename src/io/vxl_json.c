/* Scenes of the Voxelyze library (.vxl.json): one pitch, a palette, a list of voxels, and what holds or loads
 * them. Its reader wants a point or an exponent in every number that is not an index, and forgets everything
 * about the surroundings; this one takes what is there. */
#include "io/vxl.h"

#include "base/number.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VXL_VALUES_MAX 50000000

bool vxe_vxl_is_json(const char *text, size_t size)
{
    /* the native format has "voxelastic", this one "voxelSize": near the beginning in either case */
    const size_t most = size < 65536 ? size : 65536;
    bool found = false;
    for (size_t i = 0; i + 12 <= most; i++) {
        if (text[i] != '"') continue;
        if (memcmp(text + i, "\"voxelastic\"", 12) == 0) return false;
        found = found || memcmp(text + i, "\"voxelSize\"", 11) == 0;
    }
    return found;
}

typedef struct vxl_reader {
    const char *name;
    vxe_notes *notes;
    vxe_scene *scene;
    int64_t shift[3]; /* added to indices, which may be negative */
    vxe_result result;
    vxe_error *error;
} vxl_reader;

static void refuse(vxl_reader *r, vxe_result code, const char *where, const char *what)
{
    if (r->result == VXE_OK) r->result = vxe_fail(r->error, code, "%s: %s: %s", r->name, where, what);
}

static double number_of(vxl_reader *r, const json_t *object, const char *key, double standard,
                        const char *where)
{
    const json_t *value = json_object_get(object, key);
    if (value == NULL) return standard;
    if (!json_is_number(value)) {
        refuse(r, VXE_ERROR_INPUT, where, key);
        return standard;
    }
    return json_number_value(value);
}

/* --- materials --- */

static void read_curve(vxl_reader *r, const json_t *object, vxe_material_def *def, const char *where)
{
    const json_t *strain = json_object_get(object, "strainData");
    const json_t *stress = json_object_get(object, "stressData");
    const size_t count = json_array_size(strain);
    if (count < 2 || count > VXE_TABLE_MAX || json_array_size(stress) != count) {
        refuse(r, VXE_ERROR_INPUT, where, "strainData and stressData must have the same 2 to 64 numbers");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        def->table_strain[i] = json_number_value(json_array_get(strain, i));
        def->table_stress[i] = json_number_value(json_array_get(stress, i));
    }
    if (!(def->table_strain[1] > 0.0)) {
        refuse(r, VXE_ERROR_INPUT, where, "strainData do not rise");
        return;
    }
    def->law = VXE_LAW_TABLE;
    def->table_count = (int32_t)count;
    def->youngs_modulus = def->table_stress[1] / def->table_strain[1];
}

static void read_color(vxl_reader *r, const json_t *object, vxe_material_def *def, const char *where)
{
    static const char *const keys[4] = {"red", "green", "blue", "alpha"};
    for (int c = 0; c < 4; c++) {
        const double value = number_of(r, object, keys[c], -1.0, where);
        if (value >= 0.0 && value <= 255.0) def->color[c] = (uint8_t)value;
    }
}

static void read_material(vxl_reader *r, const json_t *object, size_t index, vxe_environment *e)
{
    vxe_material_def def = vxe_default_material_def();
    char where[48];
    (void)snprintf(where, sizeof where, "materials[%zu]", index);
    const char *name = json_string_value(json_object_get(object, "name"));
    (void)snprintf(def.name, sizeof def.name, "%.48s",
                   name != NULL && vxe_valid_text(name) && name[0] != '\0' ? name : "material");
    while (!vxe_valid_text(def.name)) def.name[strlen(def.name) - 1] = '\0'; /* cut inside a character */
    def.youngs_modulus = number_of(r, object, "youngsModulus", 1e6, where);
    if (json_object_get(object, "strainData") != NULL) read_curve(r, object, &def, where);
    const double fail = number_of(r, object, "epsilonFail", -1.0, where);
    if (fail > 0.0) def.failure_stress = fail * def.youngs_modulus;
    def.density = number_of(r, object, "density", 1.0, where);
    def.poissons_ratio = number_of(r, object, "poissonsRatio", 0.0, where);
    if (def.poissons_ratio > 0.49) def.poissons_ratio = 0.49;
    if (def.poissons_ratio > 0.0) e->elasticity = VXE_ELASTICITY_SOLID;
    def.expansion = number_of(r, object, "CTE", 0.0, where);
    def.static_friction = number_of(r, object, "staticFriction", 0.0, where);
    def.dynamic_friction = number_of(r, object, "kineticFriction", 0.0, where);
    if (def.static_friction < def.dynamic_friction) def.static_friction = def.dynamic_friction;
    read_color(r, object, &def, where);
    if (index == 0) { /* dampings belong to materials there, to the scene here */
        e->damping_stretch = e->damping_rotation = number_of(r, object, "internalDamping", 1.0, where);
        e->damping_ground = number_of(r, object, "globalDamping", 0.0, where);
        e->damping_contact = number_of(r, object, "collisionDamping", 0.0, where);
    } else if (number_of(r, object, "internalDamping", 1.0, where) != e->damping_stretch ||
               number_of(r, object, "globalDamping", 0.0, where) != e->damping_ground ||
               number_of(r, object, "collisionDamping", 0.0, where) != e->damping_contact) {
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, 0, "damping", "that of the first material counts for all");
    }
    vxe_error cause;
    if (r->result == VXE_OK && vxe_scene_add_material(r->scene, &def, NULL, &cause) != VXE_OK)
        refuse(r, cause.code, where, cause.message);
}

/* --- voxels --- */

static int64_t index_at(const json_t *list, size_t i) { return json_integer_value(json_array_get(list, i)); }

/* The box of all voxels, shifted to begin at 0. */
static void make_workspace(vxl_reader *r, const json_t *voxels, double pitch)
{
    int64_t low[3] = {INT64_MAX, INT64_MAX, INT64_MAX};
    int64_t high[3] = {INT64_MIN, INT64_MIN, INT64_MIN};
    const size_t count = json_array_size(voxels);
    if (count % 4 != 0) refuse(r, VXE_ERROR_INPUT, "voxels", "the number of numbers is not a multiple of 4");
    for (size_t i = 0; i < count && r->result == VXE_OK; i++) {
        if (!json_is_integer(json_array_get(voxels, i)))
            refuse(r, VXE_ERROR_INPUT, "voxels", "all must be whole numbers");
        if (i % 4 == 3) continue;
        const int64_t at = index_at(voxels, i);
        if (at < -VXE_SIDE_MAX || at > VXE_SIDE_MAX)
            refuse(r, VXE_ERROR_LIMIT, "voxels", "an index is too large");
        if (at < low[i % 4]) low[i % 4] = at;
        if (at > high[i % 4]) high[i % 4] = at;
    }
    if (r->result != VXE_OK) return;
    int32_t size[3] = {1, 1, 1};
    for (int a = 0; a < 3 && count > 0; a++) {
        size[a] = (int32_t)(high[a] - low[a] + 1);
        r->shift[a] = -low[a];
    }
    vxe_error cause;
    if (vxe_scene_create(pitch, size[0], size[1], size[2], &r->scene, &cause) != VXE_OK)
        refuse(r, cause.code, "voxels", cause.message);
}

static void read_voxels(vxl_reader *r, const json_t *voxels)
{
    vxe_error cause;
    for (size_t i = 0; i + 3 < json_array_size(voxels) && r->result == VXE_OK; i += 4) {
        const int64_t material = index_at(voxels, i + 3);
        if (material < 0 || material >= vxe_scene_material_count(r->scene)) {
            refuse(r, VXE_ERROR_INPUT, "voxels", "a material that there is not");
            return;
        }
        if (vxe_scene_set_voxel(r->scene, (int32_t)(index_at(voxels, i) + r->shift[0]),
                                (int32_t)(index_at(voxels, i + 1) + r->shift[1]),
                                (int32_t)(index_at(voxels, i + 2) + r->shift[2]), (int32_t)material + 1,
                                &cause) != VXE_OK)
            refuse(r, cause.code, "voxels", cause.message);
    }
}

/* Voxels of materials that are scaled from outside have that size from the start. */
static void scale_voxels(vxl_reader *r, const json_t *materials, const json_t *voxels)
{
    for (size_t m = 0; m < json_array_size(materials) && r->result == VXE_OK; m++) {
        const json_t *factors = json_object_get(json_array_get(materials, m), "externalScaleFactor");
        char where[64];
        (void)snprintf(where, sizeof where, "materials[%zu].externalScaleFactor", m);
        if (factors == NULL) continue;
        const double factor = json_number_value(json_array_get(factors, 0));
        if (json_array_size(factors) != 3 || !(factor > 0.0)) {
            refuse(r, VXE_ERROR_INPUT, where, "it must be three numbers above 0");
        } else if (json_number_value(json_array_get(factors, 1)) != factor ||
                   json_number_value(json_array_get(factors, 2)) != factor) {
            refuse(r, VXE_ERROR_INPUT, where, "voxels are cubes here: the three numbers must be equal");
        }
        for (size_t i = 0; i + 3 < json_array_size(voxels) && factor != 1.0 && r->result == VXE_OK; i += 4) {
            if (index_at(voxels, i + 3) != (int64_t)m) continue;
            static const vxe_field fields[2] = {VXE_FIELD_SIZE_START, VXE_FIELD_SIZE_END};
            vxe_error cause = {VXE_OK, ""};
            for (int f = 0; f < 2 && r->result == VXE_OK; f++) {
                if (vxe_scene_set_field(r->scene, fields[f], (int32_t)(index_at(voxels, i) + r->shift[0]),
                                        (int32_t)(index_at(voxels, i + 1) + r->shift[1]),
                                        (int32_t)(index_at(voxels, i + 2) + r->shift[2]), factor - 1.0,
                                        &cause) != VXE_OK)
                    refuse(r, cause.code, where, cause.message);
            }
        }
    }
}

/* --- externals --- */

static void read_vector(const json_t *object, const char *key, double factor, double vector[3])
{
    const json_t *list = json_object_get(object, key);
    for (size_t a = 0; a < 3; a++) vector[a] = factor * json_number_value(json_array_get(list, a));
}

static void read_external(vxl_reader *r, const json_t *object, size_t number, const json_t *voxels)
{
    vxe_region_def def = vxe_default_region_def();
    char where[48];
    (void)snprintf(where, sizeof where, "externals[%zu]", number);
    (void)snprintf(def.name, sizeof def.name, "external %zu", number + 1);
    const json_t *fixed = json_object_get(object, "fixed");
    const json_t *list = json_object_get(object, "voxelIndices");
    const size_t count = json_array_size(list);
    for (size_t d = 0; d < 6; d++) def.fixed |= json_is_true(json_array_get(fixed, d)) ? 1U << d : 0U;
    /* forces act on every voxel there; here a region shares its force */
    read_vector(object, "force", (double)count, def.force);
    read_vector(object, "moment", (double)count, def.torque);
    read_vector(object, "translate", 1.0, def.displacement);
    read_vector(object, "rotate", 1.0, def.rotation);
    for (int a = 0; a < 3; a++) {
        if ((def.fixed >> a & 1U) == 0) def.displacement[a] = 0.0;
    }
    if ((def.fixed & VXE_DOF_TURN) != VXE_DOF_TURN) memset(def.rotation, 0, sizeof def.rotation);
    bool moves = false;
    for (int a = 0; a < 3; a++) moves = moves || def.displacement[a] != 0.0 || def.rotation[a] != 0.0;
    def.in_place = moves;
    if (moves) {
        def.ramp = 0.1;
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, 0, where,
                      "its displacement is reached smoothly within 0.1 s");
    }
    if (count == 0) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, 0, where, "it touches no voxel");
        return;
    }
    int32_t *cells = vxe_allocate(3 * count, sizeof *cells);
    if (cells == NULL) {
        r->result = vxe_fail_memory(r->error, "voxels of a region", count);
        return;
    }
    for (size_t i = 0; i < count && r->result == VXE_OK; i++) {
        const json_t *value = json_array_get(list, i);
        const int64_t voxel = json_integer_value(value);
        if (!json_is_integer(value) || voxel < 0 || (size_t)voxel >= json_array_size(voxels) / 4) {
            refuse(r, VXE_ERROR_INPUT, where, "a voxel that there is not");
            break;
        }
        for (size_t a = 0; a < 3; a++)
            cells[3 * i + a] = (int32_t)(index_at(voxels, 4 * (size_t)voxel + a) + r->shift[a]);
    }
    def.shape = (vxe_shape){
        .kind = VXE_SHAPE_CELLS, .units = VXE_UNITS_VOXELS, .cells = cells, .cell_count = (int32_t)count};
    vxe_error cause;
    if (r->result == VXE_OK && vxe_scene_add_region(r->scene, &def, NULL, &cause) != VXE_OK)
        refuse(r, cause.code, where, cause.message);
    free(cells);
}

/* --- the whole --- */

static void read_scene(vxl_reader *r, const json_t *root)
{
    const json_t *materials = json_object_get(root, "materials");
    const json_t *voxels = json_object_get(root, "voxels");
    const json_t *externals = json_object_get(root, "externals");
    if (!json_is_array(materials)) refuse(r, VXE_ERROR_INPUT, "materials", "it is missing");
    const double pitch = number_of(r, root, "voxelSize", 0.0, "the scene");
    if (r->result == VXE_OK) make_workspace(r, voxels, pitch);
    if (r->result != VXE_OK) return;
    vxe_environment e = vxe_default_environment();
    e.elasticity = VXE_ELASTICITY_BEAM;
    for (size_t i = 0; i < json_array_size(materials) && r->result == VXE_OK; i++)
        read_material(r, json_array_get(materials, i), i, &e);
    e.gravity[2] = -9.81 * number_of(r, root, "gravityAcceleration", 0.0, "the scene");
    if (e.gravity[2] == 0.0) e.gravity[2] = 0.0;
    e.floor = json_is_true(json_object_get(root, "floorEnabled"));
    if (json_is_true(json_object_get(root, "collisionsEnabled"))) {
        e.collisions = VXE_COLLISIONS_GRID;
        e.collision_distance = 1.25; /* of the Voxelyze library */
        e.collision_smooth = true;
    }
    vxe_error cause;
    if (r->result == VXE_OK && vxe_scene_set_environment(r->scene, &e, &cause) != VXE_OK)
        refuse(r, cause.code, "the scene", cause.message);
    vxe_signal_def signal = vxe_default_signal_def();
    signal.base = number_of(r, root, "relativeAmbientTemperature", 0.0, "the scene");
    if (r->result == VXE_OK && signal.base != 0.0 &&
        vxe_scene_add_signal(r->scene, &signal, NULL, &cause) != VXE_OK)
        refuse(r, cause.code, "the scene", cause.message);
    read_voxels(r, voxels);
    if (r->result == VXE_OK) scale_voxels(r, materials, voxels);
    for (size_t i = 0; i < json_array_size(externals) && r->result == VXE_OK; i++)
        read_external(r, json_array_get(externals, i), i, voxels);
    if (r->result == VXE_OK && vxe_scene_voxel_count(r->scene) > 0 &&
        vxe_scene_check(r->scene, &cause) != VXE_OK)
        refuse(r, cause.code, "the scene", cause.message);
}

vxe_result vxe_vxl_parse_json(const vxe_source *source, const vxe_load_def *def, vxe_scene **scene,
                              vxe_notes *notes, vxe_error *error)
{
    (void)def;
    size_t values = 0;
    for (size_t i = 0; i < source->size; i++) values += source->text[i] == ',';
    if (values > VXL_VALUES_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%s: more than %d values", source->name, VXL_VALUES_MAX);
    json_error_t problem;
    json_t *root = json_loadb(source->text, source->size, 0, &problem);
    if (root == NULL && json_error_code(&problem) == json_error_premature_end_of_input) {
        /* its writer forgets the last bracket where there are no externals */
        char *mended = malloc(source->size + 2);
        if (mended != NULL) {
            memcpy(mended, source->text, source->size);
            memcpy(mended + source->size, "}", 2);
            root = json_loadb(mended, source->size + 1, 0, NULL);
            free(mended);
        }
        if (root != NULL) vxe_notes_add(notes, VXE_NOTE_CHANGED, 0, "}", "the last bracket is missing");
    }
    if (!json_is_object(root)) {
        json_decref(root);
        return vxe_fail(error, VXE_ERROR_INPUT, "%s:%d: not valid JSON, or not an object", source->name,
                        problem.line > 0 ? problem.line : 1);
    }
    vxl_reader r = {.name = source->name, .notes = notes, .result = VXE_OK, .error = error};
    read_scene(&r, root);
    json_decref(root);
    if (r.result != VXE_OK) {
        vxe_scene_destroy(r.scene);
        return r.result;
    }
    *scene = r.scene;
    return VXE_OK;
}

/* --- writing --- */

static void put_real(FILE *stream, double value)
{
    char text[VXE_NUMBER_SIZE];
    vxe_print_number(text, value == 0.0 ? 0.0 : value);
    (void)fprintf(stream, "%s%s", text, strpbrk(text, ".e") == NULL ? ".0" : "");
}

static void put_member(FILE *stream, const char *key, double value)
{
    (void)fprintf(stream, ", \"%s\": ", key);
    put_real(stream, value);
}

static void put_vector(FILE *stream, const char *key, const double v[3], double factor)
{
    (void)fprintf(stream, ", \"%s\": [", key);
    for (int a = 0; a < 3; a++) {
        if (a > 0) (void)fputs(", ", stream);
        put_real(stream, factor * v[a]);
    }
    (void)fputc(']', stream);
}

static void put_list(FILE *stream, const char *key, const double *numbers, int32_t count)
{
    (void)fprintf(stream, "\"%s\": [", key);
    for (int32_t i = 0; i < count; i++) {
        if (i > 0) (void)fputs(", ", stream);
        put_real(stream, numbers[i]);
    }
    (void)fputc(']', stream);
}

static void put_material(FILE *stream, const vxe_scene *scene, const vxe_material_def *def)
{
    const vxe_environment e = vxe_scene_environment(scene);
    (void)fputs("  {", stream);
    if (def->law == VXE_LAW_TABLE) {
        put_list(stream, "strainData", def->table_strain, def->table_count);
        (void)fputs(", ", stream);
        put_list(stream, "stressData", def->table_stress, def->table_count);
    } else {
        (void)fputs("\"youngsModulus\": ", stream);
        put_real(stream, def->youngs_modulus);
        if (def->failure_stress > 0.0)
            put_member(stream, "epsilonFail", def->failure_stress / def->youngs_modulus);
    }
    put_member(stream, "density", def->density);
    json_t *name = json_string(def->name);
    char *quoted = name == NULL ? NULL : json_dumps(name, JSON_ENCODE_ANY);
    (void)fprintf(stream, ", \"name\": %s", quoted == NULL ? "\"\"" : quoted);
    free(quoted);
    json_decref(name);
    (void)fprintf(stream, ", \"red\": %d, \"green\": %d, \"blue\": %d, \"alpha\": %d", def->color[0],
                  def->color[1], def->color[2], def->color[3]);
    put_member(stream, "poissonsRatio", e.elasticity == VXE_ELASTICITY_SOLID ? def->poissons_ratio : 0.0);
    put_member(stream, "CTE", def->expansion);
    put_member(stream, "staticFriction", def->static_friction);
    put_member(stream, "kineticFriction", def->dynamic_friction);
    put_member(stream, "internalDamping", e.damping_stretch);
    put_member(stream, "globalDamping", e.damping_ground);
    put_member(stream, "collisionDamping", e.damping_contact);
    (void)fputc('}', stream);
}

/* Voxels in lattice order, so that a voxel's number is that of the model. */
static void put_voxels(FILE *stream, const vxe_scene *scene)
{
    int32_t size[3];
    vxe_scene_size(scene, size);
    const uint16_t *cell = vxe_scene_voxels(scene);
    bool first = true;
    (void)fputs(",\n \"voxels\": [", stream);
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++, cell++) {
                if (*cell == 0) continue;
                (void)fprintf(stream, "%s%d,%d,%d,%d", first ? "" : ", ", (int)i, (int)j, (int)k, *cell - 1);
                first = false;
            }
        }
    }
    (void)fputc(']', stream);
}

static void put_region(FILE *stream, const vxe_scene *scene, int32_t region)
{
    const vxe_region_def *def = vxe_scene_region(scene, region);
    int32_t size[3];
    vxe_scene_size(scene, size);
    int64_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        int64_t number = 0;
        int64_t listed = 0;
        if (pass == 1) {
            (void)fputs("  {\"fixed\": [", stream);
            for (int d = 0; d < 6; d++)
                (void)fprintf(stream, "%s%s", d > 0 ? "," : "",
                              (def->fixed >> d & 1U) != 0 ? "true" : "false");
            (void)fputc(']', stream);
            const double share = count > 0 ? 1.0 / (double)count : 0.0;
            put_vector(stream, "translate", def->displacement, 1.0);
            put_vector(stream, "rotate", def->rotation, 1.0);
            put_vector(stream, "force", def->force, share);
            put_vector(stream, "moment", def->torque, share);
            (void)fputs(", \"voxelIndices\": [", stream);
        }
        for (int32_t k = 0; k < size[2]; k++) {
            for (int32_t j = 0; j < size[1]; j++) {
                for (int32_t i = 0; i < size[0]; i++) {
                    if (vxe_scene_voxel(scene, i, j, k) == 0) continue;
                    if (vxe_scene_region_touches(scene, region, i, j, k)) {
                        if (pass == 1)
                            (void)fprintf(stream, "%s%lld", listed > 0 ? "," : "", (long long)number);
                        listed++;
                    }
                    number++;
                }
            }
        }
        count = listed;
    }
    (void)fputs("]}", stream);
}

static void tell_losses(const vxe_scene *scene, vxe_notes *notes)
{
    const vxe_signal_def *signal = vxe_scene_signal(scene, 0);
    if (signal != NULL && signal->amplitude != 0.0)
        vxe_notes_add(notes, VXE_NOTE_NOT_SIMULATED, 0, "signals",
                      "the format has a constant temperature only");
    if (vxe_scene_has_actuation(scene))
        vxe_notes_add(notes, VXE_NOTE_NOT_SIMULATED, 0, "actuation",
                      "the format has no actuation of single voxels");
    for (int f = 0; f < VXE_FIELD_COUNT; f++) {
        if (vxe_scene_has_field(scene, (vxe_field)f))
            vxe_notes_add(notes, VXE_NOTE_NOT_SIMULATED, 0, vxe_field_name((vxe_field)f),
                          "the format does not have it");
    }
    const vxe_stop stop = vxe_scene_stop(scene);
    if (stop.time > 0.0 || stop.steps > 0 || stop.cycles > 0.0 || stop.formula)
        vxe_notes_add(notes, VXE_NOTE_NOT_SIMULATED, 0, "stop", "the format has no stop condition");
    for (int32_t m = 1; m <= vxe_scene_material_count(scene); m++) {
        if (vxe_scene_material(scene, m)->law == VXE_LAW_BILINEAR)
            vxe_notes_add(notes, VXE_NOTE_NOT_SIMULATED, 0, "materials",
                          "the format has no bilinear law: linear");
    }
}

vxe_result vxe_vxl_save_json(const vxe_scene *scene, const char *path, vxe_notes *notes, vxe_error *error)
{
    vxe_file file;
    const vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    FILE *stream = file.stream;
    const vxe_environment e = vxe_scene_environment(scene);
    const vxe_signal_def *signal = vxe_scene_signal(scene, 0);
    (void)fputs("{\"voxelSize\": ", stream);
    put_real(stream, vxe_scene_pitch(scene));
    if (signal != NULL && signal->base != signal->reference)
        put_member(stream, "relativeAmbientTemperature", signal->base - signal->reference);
    if (e.gravity[2] != 0.0) put_member(stream, "gravityAcceleration", -e.gravity[2] / 9.81);
    if (e.floor) (void)fputs(", \"floorEnabled\": true", stream);
    if (e.collisions != VXE_COLLISIONS_OFF) (void)fputs(", \"collisionsEnabled\": true", stream);
    (void)fputs(",\n \"materials\": [\n", stream);
    for (int32_t m = 1; m <= vxe_scene_material_count(scene); m++) {
        if (m > 1) (void)fputs(",\n", stream);
        put_material(stream, scene, vxe_scene_material(scene, m));
    }
    (void)fputs("\n ]", stream);
    put_voxels(stream, scene);
    if (vxe_scene_region_count(scene) > 0) (void)fputs(",\n \"externals\": [\n", stream);
    for (int32_t n = 0; n < vxe_scene_region_count(scene); n++) {
        if (n > 0) (void)fputs(",\n", stream);
        put_region(stream, scene, n);
    }
    (void)fprintf(stream, "%s}\n", vxe_scene_region_count(scene) > 0 ? "\n ]" : "");
    tell_losses(scene, notes);
    if (ferror(stream)) {
        const vxe_result failed = vxe_fail(error, VXE_ERROR_FILE, "%s: it cannot be written", path);
        vxe_file_discard(&file);
        return failed;
    }
    return vxe_file_commit(&file, error);
}
