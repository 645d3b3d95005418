/* Reads a scene in the native JSON format (docs/scene-format.md): text in, a valid scene or one message out.
 * jansson parses; here the members go through the functions of the scene, which know the rules. The order is
 * that of dependence: lattice, signals, materials, voxels, regions, the rest, and at the end the check of the
 * whole. */
#include "io/csv.h"
#include "io/json_members.h"
#include "scene/scene.h"

#include <stdlib.h>
#include <string.h>

/* --- signals --- */

/* Points [a, b] of a table into two arrays of `most` at most; gives their number. */
static int32_t read_points(vxe_json_reader *reader, const vxe_json_place *place, const json_t *table,
                           int32_t most, double *a, double *b)
{
    if (!vxe_json_is_array(reader, place, table)) return 0;
    const size_t count = json_array_size(table);
    if (count > (size_t)most) {
        vxe_json_fail(reader, VXE_ERROR_LIMIT, place, "more than %d points", (int)most);
        return 0;
    }
    for (size_t i = 0; i < count && reader->result == VXE_OK; i++) {
        const vxe_json_place point = vxe_json_element(place, i);
        const json_t *pair = json_array_get(table, i);
        if (!json_is_array(pair) || json_array_size(pair) != 2) {
            vxe_json_fail(reader, VXE_ERROR_INPUT, &point, "must be an array of 2 numbers");
            return 0;
        }
        const vxe_json_place first = vxe_json_element(&point, 0);
        const vxe_json_place second = vxe_json_element(&point, 1);
        vxe_json_number(reader, &first, json_array_get(pair, 0), &a[i]);
        vxe_json_number(reader, &second, json_array_get(pair, 1), &b[i]);
    }
    return (int32_t)count;
}

/* Whether a named file is beside the scene or in a folder below: scenes come from others and must not read
 * anything else. */
static bool is_safe_path(const char *path)
{
    if (path[0] == '\0' || path[0] == '/' || strchr(path, '\\') != NULL || strchr(path, ':') != NULL ||
        !vxe_valid_text(path))
        return false;
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        if (*part == '/') part++;
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return false;
    }
    return true;
}

char *vxe_json_path(vxe_json_reader *reader, const vxe_json_place *place, const char *file)
{
    char shown[VXE_JSON_SHOWN_SIZE];
    if (reader->folder == NULL) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place,
                      "a scene that does not come from a file cannot name one");
        return NULL;
    }
    if (!is_safe_path(file)) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place, "\"%s\" is not a relative path without \"..\"",
                      vxe_json_shown(file, shown));
        return NULL;
    }
    char *path = vxe_text("%s/%s", reader->folder, file);
    if (path == NULL) reader->result = vxe_fail_memory(reader->error, file, strlen(file));
    return path;
}

static void load_table(vxe_json_reader *reader, const vxe_json_place *place, const char *file, vxe_csv *table)
{
    char *path = vxe_json_path(reader, place, file);
    if (path == NULL) return;
    vxe_error cause;
    const vxe_result result = vxe_csv_load(path, table, &cause);
    if (result != VXE_OK) vxe_json_fail(reader, result, place, "%s", cause.message);
    free(path);
}

static void read_signal_table(vxe_json_reader *reader, const vxe_json_place *place, const json_t *value,
                              vxe_csv *table)
{
    if (reader->result != VXE_OK) return;
    if (json_is_string(value)) {
        load_table(reader, place, json_string_value(value), table);
        return;
    }
    if (!json_is_array(value)) {
        vxe_json_wrong_type(reader, place, "an array of points or the name of a CSV file", value);
        return;
    }
    size_t count = json_array_size(value);
    if (count > VXE_SIGNAL_TABLE_MAX) count = 0; /* refused below */
    table->time = vxe_allocate(count + 1, sizeof *table->time);
    table->value = vxe_allocate(count + 1, sizeof *table->value);
    if (table->time == NULL || table->value == NULL) {
        reader->result = vxe_fail_memory(reader->error, "the table of a signal", 2 * count * sizeof(double));
        return;
    }
    table->count = read_points(reader, place, value, VXE_SIGNAL_TABLE_MAX, table->time, table->value);
}

static void read_signal(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object)
{
    if (!vxe_json_is_object(reader, place, object, VXE_JSON_SIGNAL)) return;
    vxe_signal_def def = vxe_default_signal_def();
    int waveform = (int)def.waveform;
    vxe_json_require(reader, place, object, "name");
    vxe_json_get_word(reader, place, object, "waveform", vxe_waveforms, &waveform);
    def.waveform = (vxe_waveform)waveform;
    if (def.waveform == VXE_WAVE_TABLE) { /* played once, as it is */
        def.amplitude = 1.0;
        def.period = 0.0;
    }
    vxe_json_read_members(reader, place, object, vxe_json_signal, &def);
    vxe_csv table = {0, NULL, NULL};
    const json_t *table_value = json_object_get(object, "table");
    const vxe_json_place table_place = vxe_json_member(place, "table");
    if (table_value != NULL) read_signal_table(reader, &table_place, table_value, &table);
    if (reader->result == VXE_OK) {
        def.table_count = table.count;
        def.table_time = table.time;
        def.table_value = table.value;
        vxe_error cause;
        if (vxe_scene_add_signal(reader->scene, &def, NULL, &cause) != VXE_OK) {
            vxe_json_refused(reader, place, object, VXE_JSON_SIGNAL, &cause);
        }
    }
    vxe_csv_free(&table);
}

/* --- parts --- */

static void read_part(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object)
{
    if (!vxe_json_is_object(reader, place, object, VXE_JSON_PART)) return;
    vxe_part_def def = {.separate = false};
    vxe_json_require(reader, place, object, "name");
    vxe_json_read_members(reader, place, object, vxe_json_part, &def);
    vxe_error cause;
    if (reader->result == VXE_OK && vxe_scene_add_part(reader->scene, &def, NULL, &cause) != VXE_OK)
        vxe_json_refused(reader, place, object, VXE_JSON_PART, &cause);
}

/* --- materials --- */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

void vxe_json_read_color(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         uint8_t color[4])
{
    const char *text = NULL;
    const vxe_json_place member = vxe_json_member(place, "color");
    vxe_json_get_string(reader, place, object, "color", &text);
    if (text == NULL) return;
    const size_t length = strlen(text);
    bool good = text[0] == '#' && (length == 7 || length == 9);
    uint8_t read[4] = {0, 0, 0, 255};
    for (size_t i = 1; good && i + 1 < length; i += 2) {
        const int high = hex_digit(text[i]);
        const int low = hex_digit(text[i + 1]);
        good = high >= 0 && low >= 0;
        read[(i - 1) / 2] = (uint8_t)(high * 16 + low);
    }
    char shown[VXE_JSON_SHOWN_SIZE];
    if (good)
        memcpy(color, read, sizeof read);
    else
        vxe_json_fail(reader, VXE_ERROR_INPUT, &member,
                      "\"%s\" is not a color; write \"#rrggbb\" or \"#rrggbbaa\"",
                      vxe_json_shown(text, shown));
}

/* The signal a material names must be there. */
static void check_signal_name(vxe_json_reader *reader, const vxe_json_place *place, const char *name)
{
    if (reader->result != VXE_OK || name[0] == '\0' || vxe_scene_find_signal(reader->scene, name) >= 0)
        return;
    const vxe_json_place member = vxe_json_member(place, "signal");
    const char *names[VXE_SIGNALS_MAX];
    const int32_t count = vxe_scene_signal_count(reader->scene);
    for (int32_t i = 0; i < count; i++) names[i] = vxe_scene_signal(reader->scene, i)->name;
    vxe_json_unknown(reader, &member, "signal", name, names, (size_t)count);
}

static void read_material(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object)
{
    if (!vxe_json_is_object(reader, place, object, VXE_JSON_MATERIAL)) return;
    vxe_material_def def = vxe_default_material_def();
    vxe_json_require(reader, place, object, "name");
    vxe_json_read_members(reader, place, object, vxe_json_material, &def);
    (void)vxe_json_read_friction(reader, place, object, &def.static_friction, &def.dynamic_friction);
    vxe_json_read_color(reader, place, object, def.color);
    const json_t *table = json_object_get(object, "table");
    const vxe_json_place table_place = vxe_json_member(place, "table");
    if (table != NULL)
        def.table_count =
            read_points(reader, &table_place, table, VXE_TABLE_MAX, def.table_strain, def.table_stress);
    check_signal_name(reader, place, def.signal);
    if (reader->result != VXE_OK) return;
    /* The scene would make a variant of a name in use; here names are how shapes and layers refer to
     * materials. */
    const int32_t other = vxe_scene_find_material(reader->scene, def.name);
    const vxe_json_place name_place = vxe_json_member(place, "name");
    char shown[VXE_JSON_SHOWN_SIZE];
    if (other > 0) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &name_place, "\"%s\" is the name of materials[%d] already",
                      vxe_json_shown(def.name, shown), (int)other - 1);
        return;
    }
    vxe_error cause;
    if (vxe_scene_add_material(reader->scene, &def, NULL, &cause) != VXE_OK) {
        vxe_json_refused(reader, place, object, VXE_JSON_MATERIAL, &cause);
    }
}

/* --- regions --- */

static void read_fixed(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                       vxe_region_def *def)
{
    uint32_t *fixed = &def->fixed;
    const json_t *value = json_object_get(object, "fixed");
    const vxe_json_place member = vxe_json_member(place, "fixed");
    if (value == NULL || reader->result != VXE_OK) return;
    if (json_is_string(value) && strcmp(json_string_value(value), "all") == 0) {
        *fixed = VXE_DOF_ALL;
        return;
    }
    if (json_is_string(value) && strcmp(json_string_value(value), "clamp") == 0) {
        *fixed = VXE_DOF_ALL;
        def->clamp = true;
        return;
    }
    if (!json_is_array(value)) {
        vxe_json_fail(
            reader, VXE_ERROR_INPUT, &member,
            "must be \"all\", \"clamp\" or an array of \"x\", \"y\", \"z\", \"rx\", \"ry\", \"rz\"");
        return;
    }
    for (size_t i = 0; i < json_array_size(value) && reader->result == VXE_OK; i++) {
        const vxe_json_place element = vxe_json_element(&member, i);
        const json_t *word = json_array_get(value, i);
        const char *text = json_is_string(word) ? json_string_value(word) : "";
        const vxe_choice *dof = vxe_dofs;
        while (dof->word != NULL && strcmp(dof->word, text) != 0) dof++;
        if (dof->word != NULL)
            *fixed |= (uint32_t)dof->value;
        else
            vxe_json_fail(reader, VXE_ERROR_INPUT, &element,
                          "must be \"x\", \"y\", \"z\", \"rx\", \"ry\" or \"rz\"");
    }
}

static void read_region(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object)
{
    if (!vxe_json_is_object(reader, place, object, VXE_JSON_REGION)) return;
    vxe_region_def def = vxe_default_region_def();
    vxe_json_require(reader, place, object, "name");
    vxe_json_read_members(reader, place, object, vxe_json_region, &def);
    vxe_json_read_shape(reader, place, object, &def.shape);
    read_fixed(reader, place, object, &def);
    vxe_json_get_vector(reader, place, object, "pivot", def.pivot);
    def.has_pivot = json_object_get(object, "pivot") != NULL;
    vxe_error cause;
    if (reader->result == VXE_OK && vxe_scene_add_region(reader->scene, &def, NULL, &cause) != VXE_OK)
        vxe_json_refused(reader, place, object, VXE_JSON_REGION, &cause);
    free((void *)def.shape.cells);
}

/* --- environment, stop, output --- */

static void read_gravity(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         double gravity[3])
{
    const json_t *value = json_object_get(object, "gravity");
    const vxe_json_place member = vxe_json_member(place, "gravity");
    if (value == NULL || reader->result != VXE_OK) return;
    if (json_is_boolean(value))
        gravity[2] = json_is_true(value) ? -9.81 : 0.0;
    else if (json_is_number(value))
        gravity[2] = 0.0 - json_number_value(value); /* never -0 */
    else if (json_is_array(value))
        vxe_json_get_vector(reader, place, object, "gravity", gravity);
    else
        vxe_json_wrong_type(reader, &member, "an array of 3 numbers, a number, true or false", value);
}

static void read_damping(vxe_json_reader *reader, const vxe_json_place *place, const json_t *damping,
                         vxe_environment *environment)
{
    if (!vxe_json_is_object(reader, place, damping, VXE_JSON_DAMPING)) return;
    const json_t *bond = json_object_get(damping, "bond");
    const vxe_json_place bond_place = vxe_json_member(place, "bond");
    if (json_is_object(bond)) {
        if (!vxe_json_is_object(reader, &bond_place, bond, VXE_JSON_BOND_DAMPING)) return;
        vxe_json_get_number(reader, &bond_place, bond, "stretch", &environment->damping_stretch);
        vxe_json_get_number(reader, &bond_place, bond, "rotation", &environment->damping_rotation);
    } else if (json_is_number(bond)) {
        environment->damping_stretch = environment->damping_rotation = json_number_value(bond);
    } else if (bond != NULL) {
        vxe_json_wrong_type(reader, &bond_place, "a number or an object", bond);
    }
    vxe_json_get_number(reader, place, damping, "contact", &environment->damping_contact);
    vxe_json_get_number(reader, place, damping, "ground", &environment->damping_ground);
    vxe_json_get_number(reader, place, damping, "ground_turning", &environment->damping_turning);
}

static void read_environment(vxe_json_reader *reader, const json_t *object)
{
    const vxe_json_place place = vxe_json_member(NULL, "environment");
    if (object == NULL || !vxe_json_is_object(reader, &place, object, VXE_JSON_ENVIRONMENT)) return;
    vxe_environment environment = vxe_default_environment();
    read_gravity(reader, &place, object, environment.gravity);
    vxe_json_read_members(reader, &place, object, vxe_json_environment, &environment);
    const json_t *damping = json_object_get(object, "damping");
    const vxe_json_place damping_place = vxe_json_member(&place, "damping");
    if (damping != NULL) read_damping(reader, &damping_place, damping, &environment);
    vxe_json_read_formulas(reader, &place, "force_field", json_object_get(object, "force_field"),
                           VXE_FORMULA_FORCE_X);
    if (reader->result != VXE_OK) return;
    vxe_error cause;
    if (vxe_scene_set_environment(reader->scene, &environment, &cause) != VXE_OK) {
        vxe_json_refused(reader, &place, object, VXE_JSON_ENVIRONMENT, &cause);
    }
}

static void read_stop(vxe_json_reader *reader, const json_t *object)
{
    const vxe_json_place place = vxe_json_member(NULL, "stop");
    if (object == NULL || !vxe_json_is_object(reader, &place, object, VXE_JSON_STOP)) return;
    vxe_stop stop = vxe_scene_stop(reader->scene);
    vxe_json_read_members(reader, &place, object, vxe_json_stop, &stop);
    vxe_json_get_formula(reader, &place, object, "formula", VXE_FORMULA_STOP);
    vxe_error cause;
    if (reader->result == VXE_OK && vxe_scene_set_stop(reader->scene, &stop, &cause) != VXE_OK) {
        vxe_json_refused(reader, &place, object, VXE_JSON_STOP, &cause);
    }
}

static void read_output(vxe_json_reader *reader, const json_t *object)
{
    const vxe_json_place place = vxe_json_member(NULL, "output");
    const vxe_json_place trace_place = vxe_json_member(&place, "trace");
    if (object == NULL || !vxe_json_is_object(reader, &place, object, VXE_JSON_OUTPUT)) return;
    vxe_output_def output = {.trace_count = 0};
    vxe_json_read_members(reader, &place, object, vxe_json_output, &output);
    const json_t *trace = json_object_get(object, "trace");
    const char **names = NULL;
    if (trace != NULL && vxe_json_is_array(reader, &trace_place, trace)) {
        const size_t count = json_array_size(trace);
        names = vxe_allocate(count + 1, sizeof *names);
        if (names == NULL)
            reader->result = vxe_fail_memory(reader->error, "the names of the trace", count * sizeof *names);
        for (size_t i = 0; names != NULL && i < count && reader->result == VXE_OK; i++) {
            const vxe_json_place element = vxe_json_element(&trace_place, i);
            const json_t *name = json_array_get(trace, i);
            if (json_is_string(name))
                names[i] = json_string_value(name);
            else
                vxe_json_wrong_type(reader, &element, "a string", name);
        }
        output.trace = names;
        output.trace_count = (int32_t)count; /* the number of values is limited */
    }
    vxe_error cause;
    if (reader->result == VXE_OK && vxe_scene_set_output(reader->scene, &output, &cause) != VXE_OK) {
        vxe_json_refused(reader, &place, object, VXE_JSON_OUTPUT, &cause);
    }
    free(names);
}

/* --- the whole --- */

/* Reads every element of a top-level list with its function. */
static void read_list(vxe_json_reader *reader, const json_t *root, const char *key,
                      void (*read)(vxe_json_reader *reader, const vxe_json_place *place,
                                   const json_t *object))
{
    const vxe_json_place place = vxe_json_member(NULL, key);
    const json_t *list = json_object_get(root, key);
    if (list == NULL || !vxe_json_is_array(reader, &place, list)) return;
    for (size_t i = 0; i < json_array_size(list) && reader->result == VXE_OK; i++) {
        const vxe_json_place element = vxe_json_element(&place, i);
        read(reader, &element, json_array_get(list, i));
    }
}

/* The version comes first: a file of another version may have other keys. */
static void check_version(vxe_json_reader *reader, const json_t *root)
{
    const vxe_json_place place = vxe_json_member(NULL, "voxelastic");
    if (!json_is_object(root)) {
        vxe_json_wrong_type(reader, NULL, "an object", root);
        return;
    }
    const json_t *version = json_object_get(root, "voxelastic");
    if (version == NULL) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, NULL,
                      "not a scene: \"voxelastic\": %d, the version of the format, is missing",
                      VXE_SCENE_VERSION);
        return;
    }
    int64_t number = 0;
    vxe_json_integer(reader, &place, version, 1, INT32_MAX, &number);
    if (number != VXE_SCENE_VERSION) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &place,
                      "version %lld of the format is not known; this program reads version %d",
                      (long long)number, VXE_SCENE_VERSION);
    }
}

static void read_lattice(vxe_json_reader *reader, const json_t *root)
{
    const vxe_json_place place = vxe_json_member(NULL, "lattice");
    vxe_json_require(reader, NULL, root, "lattice");
    const json_t *object = json_object_get(root, "lattice");
    if (object == NULL || !vxe_json_is_object(reader, &place, object, VXE_JSON_LATTICE)) return;
    double pitch = 0.0;
    int32_t size[3] = {0, 0, 0};
    vxe_json_require(reader, &place, object, "pitch");
    vxe_json_require(reader, &place, object, "size");
    vxe_json_get_number(reader, &place, object, "pitch", &pitch);
    vxe_json_get_cells(reader, &place, object, "size", INT32_MIN, size);
    if (reader->result != VXE_OK) return;
    vxe_error cause;
    if (vxe_scene_create(pitch, size[0], size[1], size[2], &reader->scene, &cause) != VXE_OK) {
        const vxe_json_place size_place = vxe_json_member(&place, "size");
        const bool by_pitch = strstr(cause.message, "pitch") != NULL;
        vxe_json_refused(reader, by_pitch ? &place : &size_place, object, VXE_JSON_LATTICE, &cause);
    }
}

static void read_description(vxe_json_reader *reader, const json_t *root)
{
    const char *name = NULL;
    const char *description = NULL;
    const char *schema = NULL; /* for editors */
    vxe_json_get_string(reader, NULL, root, "$schema", &schema);
    vxe_json_get_string(reader, NULL, root, "name", &name);
    vxe_json_get_string(reader, NULL, root, "description", &description);
    vxe_error cause;
    if (reader->result != VXE_OK || vxe_scene_describe(reader->scene, name, description, &cause) == VXE_OK)
        return;
    vxe_json_refused(reader, NULL, root, VXE_JSON_SCENE, &cause);
}

/* Length of `KIND "NAME"` at the beginning of a message, 0 if it begins with something else. */
static size_t match_subject(const char *message, const char *kind, const char *name)
{
    const size_t kind_length = strlen(kind);
    const size_t length = strlen(name);
    if (strncmp(message, kind, kind_length) != 0 || strncmp(message + kind_length, " \"", 2) != 0) return 0;
    const char *rest = message + kind_length + 2;
    return strncmp(rest, name, length) == 0 && rest[length] == '"' ? kind_length + length + 3 : 0;
}

/* Checks the whole scene. A message that begins with a material, region or signal gets its line,
 * one about the part of a voxel that of the field. */
static void check_scene(vxe_json_reader *reader, const json_t *root)
{
    static const struct {
        const char *subject;
        const char *key;
        vxe_json_kind kind;
    } lists[] = {
        {"material", "materials", VXE_JSON_MATERIAL},
        {"region", "regions", VXE_JSON_REGION},
        {"regions", "regions", VXE_JSON_REGION}, /* "a" and "b" contradict each other: the line of "a" */
        {"signal", "signals", VXE_JSON_SIGNAL},
        {"rule", "rules", VXE_JSON_RULE}};
    vxe_error cause;
    if (reader->result != VXE_OK || vxe_scene_check(reader->scene, &cause) == VXE_OK) return;
    size_t longest = 0;
    vxe_json_place list_place = vxe_json_member(NULL, NULL);
    vxe_json_place found = vxe_json_member(NULL, NULL);
    const json_t *object = NULL;
    vxe_json_kind kind = VXE_JSON_SCENE;
    for (size_t n = 0; n < sizeof lists / sizeof lists[0]; n++) {
        const json_t *list = json_object_get(root, lists[n].key);
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *element = json_array_get(list, i);
            const char *name = json_string_value(json_object_get(element, "name"));
            const size_t length = name != NULL ? match_subject(cause.message, lists[n].subject, name) : 0;
            if (length <= longest) continue;
            longest = length;
            list_place = vxe_json_member(NULL, lists[n].key);
            found = vxe_json_element(&list_place, i);
            object = element;
            kind = lists[n].kind;
        }
    }
    if (object == NULL && strncmp(cause.message, "rule ", 5) == 0) { /* without a name */
        int32_t wrong = -1;
        (void)vxe_find_wrong_rule(reader->scene, &wrong, NULL);
        list_place = vxe_json_member(NULL, "rules");
        object = wrong >= 0 ? json_array_get(json_object_get(root, "rules"), (size_t)wrong) : NULL;
        found = vxe_json_element(&list_place, (size_t)wrong);
        kind = VXE_JSON_RULE;
    } else if (object == NULL && strncmp(cause.message, "start: ", 7) == 0) {
        int32_t n = 0;
        while (n < vxe_scene_start_count(reader->scene) &&
               vxe_check_start_in_scene(reader->scene, vxe_scene_start(reader->scene, n), NULL) == VXE_OK)
            n++;
        list_place = vxe_json_member(NULL, "start");
        object = json_array_get(json_object_get(root, "start"), (size_t)n);
        found = vxe_json_element(&list_place, (size_t)n);
        kind = VXE_JSON_START;
    }
    const json_t *parts = json_object_get(json_object_get(root, "fields"), "part");
    const bool of_parts =
        strncmp(cause.message, "voxel (", 7) == 0 && strstr(cause.message, "): part ") != NULL;
    if (object != NULL) {
        vxe_json_refused(reader, &found, object, kind, &cause);
    } else if (of_parts && parts != NULL) { /* numbers of parts come from there */
        list_place = vxe_json_member(NULL, "fields");
        found = vxe_json_member(&list_place, "part");
        vxe_json_fail(reader, cause.code, &found, "%s", cause.message);
    } else {
        reader->result = vxe_fail(reader->error, cause.code, "%s: %s", reader->name, cause.message);
    }
}

static void read_scene(vxe_json_reader *reader, const json_t *root)
{
    check_version(reader, root);
    (void)vxe_json_is_object(reader, NULL, root, VXE_JSON_SCENE);
    if (reader->result == VXE_OK) read_lattice(reader, root);
    if (reader->result != VXE_OK) return;
    read_description(reader, root);
    read_list(reader, root, "signals", read_signal);
    read_list(reader, root, "materials", read_material);
    vxe_json_read_shapes(reader, json_object_get(root, "shapes"), json_object_get(root, "layers") != NULL);
    vxe_json_read_layers(reader, json_object_get(root, "layers"));
    vxe_json_read_actuation(reader, json_object_get(root, "actuation"));
    read_list(reader, root, "parts", read_part);
    vxe_json_read_fields(reader, json_object_get(root, "fields"));
    read_list(reader, root, "regions", read_region);
    read_environment(reader, json_object_get(root, "environment"));
    read_list(reader, root, "rules", vxe_json_read_rule);
    vxe_json_read_ground(reader, json_object_get(root, "ground"));
    read_list(reader, root, "solids", vxe_json_read_solid);
    vxe_json_read_water(reader, json_object_get(root, "water"));
    read_list(reader, root, "start", vxe_json_read_start);
    read_stop(reader, json_object_get(root, "stop"));
    read_output(reader, json_object_get(root, "output"));
    vxe_json_read_experiment(reader, json_object_get(root, "experiment"));
    read_list(reader, root, "foreign", vxe_json_read_foreign);
    check_scene(reader, root);
}

static vxe_result refuse_syntax(const char *name, const char *text, size_t size, const json_error_t *problem,
                                vxe_error *error)
{
    const int line = problem->line > 0 ? problem->line : 1;
    char what[JSON_ERROR_TEXT_LENGTH];
    memcpy(what, problem->text, sizeof what);
    what[sizeof what - 1] = '\0';
    const bool valid =
        vxe_valid_text(what); /* it quotes the file, and may do so in the middle of a character */
    for (char *c = what; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !valid)) *c = '?';
    }
    switch (json_error_code(problem)) {
    case json_error_out_of_memory:
        return vxe_fail(error, VXE_ERROR_MEMORY, "%s: there is not enough memory for this file", name);
    case json_error_stack_overflow:
        return vxe_fail(error, VXE_ERROR_INPUT, "%s:%d: too many brackets inside each other", name, line);
    default: break;
    }
    if (size == 0) return vxe_fail(error, VXE_ERROR_INPUT, "%s: the file is empty", name);
    const char *zero = memchr(text, '\0', size); /* jansson takes it for the end */
    if (zero != NULL && problem->position >= 0 && zero - text <= problem->position)
        (void)snprintf(what, sizeof what, "a zero byte");
    return vxe_fail(error, VXE_ERROR_INPUT, "%s:%d: not valid JSON: %s", name, line, what);
}

vxe_result vxe_scene_parse_json(const char *text, size_t size, const char *name, const char *folder,
                                vxe_scene **scene, vxe_error *error)
{
    return vxe_json_parse_scene(text, size, name, folder, scene, NULL, error);
}

vxe_result vxe_json_parse_scene(const char *text, size_t size, const char *name, const char *folder,
                                vxe_scene **scene, vxe_notes *notes, vxe_error *error)
{
    if ((text == NULL && size > 0) || scene == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    if (name == NULL) name = "scene";
    if (text == NULL) text = "";
    if (size > VXE_SCENE_BYTES_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%s: larger than %zu bytes", name, VXE_SCENE_BYTES_MAX);
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* byte order mark */
        text += 3;
        size -= 3;
    }
    if (vxe_json_count_values(text, size) > VXE_JSON_VALUES_MAX) {
        return vxe_fail(error, VXE_ERROR_LIMIT, "%s: more than %d values", name, VXE_JSON_VALUES_MAX);
    }
    json_error_t problem;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    if (root == NULL) return refuse_syntax(name, text, size, &problem, error);
    vxe_json_reader reader = {.text = text,
                              .size = size,
                              .name = name,
                              .folder = folder,
                              .result = VXE_OK,
                              .error = error,
                              .notes = notes};
    read_scene(&reader, root);
    json_decref(root);
    if (reader.result != VXE_OK) {
        vxe_scene_destroy(reader.scene);
        return reader.result;
    }
    *scene = reader.scene;
    return VXE_OK;
}

vxe_result vxe_scene_load_json(const char *path, vxe_scene **scene, vxe_error *error)
{
    if (path == NULL || scene == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    char *text = NULL;
    size_t size = 0;
    vxe_result result = vxe_read_file(path, VXE_SCENE_BYTES_MAX, &text, &size, error);
    if (result != VXE_OK) return result;
    const char *slash = strrchr(path, '/');
    const char *folder_text = slash == NULL ? "." : path;
    const size_t length = slash == NULL || slash == path ? 1 : (size_t)(slash - path);
    char *folder = calloc(length + 1, 1);
    if (folder == NULL) {
        free(text);
        return vxe_fail_memory(error, path, length);
    }
    memcpy(folder, folder_text, length);
    result = vxe_scene_parse_json(text, size, path, folder, scene, error);
    free(folder);
    free(text);
    return result;
}
