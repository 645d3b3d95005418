/* The part of a JSON scene about what bodies meet and how they begin: ground, solids, water, start. */
#include "io/json_members.h"
#include "voxelastic/mesh.h"
#include "voxelastic/world.h"

#ifdef VXE_HAVE_FORMATS
#include <png.h>
#endif

#include <stdlib.h>
#include <string.h>

#define PNG_BYTES_MAX ((size_t)1 << 28)

bool vxe_json_read_friction(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                            double *still, double *sliding)
{
    const json_t *friction = json_object_get(object, "friction");
    const vxe_json_place member = vxe_json_member(place, "friction");
    if (friction == NULL || !vxe_json_is_object(reader, &member, friction, VXE_JSON_FRICTION)) return false;
    vxe_json_get_number(reader, &member, friction, "static", still);
    vxe_json_get_number(reader, &member, friction, "dynamic", sliding);
    return true;
}

/* Numbers and runs [count, number] of a list, as those of fields: exactly `count` in all. */
static void read_numbers(vxe_json_reader *reader, const vxe_json_place *place, const json_t *list,
                         size_t count, double *numbers)
{
    size_t filled = 0;
    if (!vxe_json_is_array(reader, place, list)) return;
    for (size_t i = 0; i < json_array_size(list) && reader->result == VXE_OK; i++) {
        const vxe_json_place element = vxe_json_element(place, i);
        const json_t *value = json_array_get(list, i);
        int64_t repeat = 1;
        double number = 0.0;
        if (json_is_array(value) && json_array_size(value) == 2) {
            vxe_json_integer(reader, &element, json_array_get(value, 0), 1, INT32_MAX, &repeat);
            vxe_json_number(reader, &element, json_array_get(value, 1), &number);
        } else {
            vxe_json_number(reader, &element, value, &number);
        }
        if (filled <= count && (uint64_t)repeat > count - filled) filled = count + 1; /* too many */
        for (int64_t n = 0; n < repeat && filled < count; n++) numbers[filled++] = number;
    }
    if (reader->result == VXE_OK && filled != count)
        vxe_json_fail(reader, VXE_ERROR_INPUT, place, "does not have the %zu numbers that it must have",
                      count);
}

/* ---- ground --------------------------------------------------------------------------------------------------------- */

#ifdef VXE_HAVE_FORMATS
/* White is `height`; the last row of the image is y = 0, as in stacks of images. */
static void load_image(vxe_json_reader *reader, const vxe_json_place *place, const char *file,
                       vxe_ground_def *def, double **heights)
{
    char *path = vxe_json_path(reader, place, file);
    char *data = NULL;
    size_t size = 0;
    vxe_error cause;
    if (path == NULL) return;
    const vxe_result result = vxe_read_file(path, PNG_BYTES_MAX, &data, &size, &cause);
    free(path);
    if (result != VXE_OK) {
        vxe_json_fail(reader, result, place, "%s", cause.message);
        return;
    }
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    void *pixels = NULL;
    bool wide = false; /* 16 bits */
    bool read = png_image_begin_read_from_memory(&image, data, size) != 0 &&
                image.width <= VXE_GROUND_SIDE_MAX && image.height <= VXE_GROUND_SIDE_MAX;
    if (read) {
        /* samples as they are: grey values of 8 bits stand for light that the eye takes as even, and would be
         * bent if they were asked for as 16 */
        wide = (image.format & PNG_FORMAT_FLAG_LINEAR) != 0;
        image.format = wide ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_GRAY;
        pixels = malloc(PNG_IMAGE_SIZE(image));
        *heights = calloc((size_t)image.width * image.height, sizeof **heights);
        const png_color black = {0, 0, 0};
        read =
            pixels != NULL && *heights != NULL && png_image_finish_read(&image, &black, pixels, 0, NULL) != 0;
    }
    if (read) {
        def->points[0] = (int32_t)image.width;
        def->points[1] = (int32_t)image.height;
        for (uint32_t j = 0; j < image.height; j++) {
            for (uint32_t i = 0; i < image.width; i++) {
                const size_t at = (size_t)(image.height - 1 - j) * image.width + i;
                const double part =
                    wide ? ((const uint16_t *)pixels)[at] / 65535.0 : ((const uint8_t *)pixels)[at] / 255.0;
                (*heights)[(size_t)j * image.width + i] = def->height * part;
            }
        }
    } else {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place, "is not a PNG image of at most %d x %d pixels",
                      VXE_GROUND_SIDE_MAX, VXE_GROUND_SIDE_MAX);
    }
    png_image_free(&image);
    free(pixels);
    free(data);
}

#else
static void load_image(vxe_json_reader *reader, const vxe_json_place *place, const char *file,
                       vxe_ground_def *def, double **heights)
{
    (void)file;
    (void)def;
    (void)heights;
    vxe_json_fail(reader, VXE_ERROR_INPUT, place, "this library was built without images");
}
#endif

/* What would be ignored is a mistake. */
static void refuse_key(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                       const char *key, const char *what)
{
    const vxe_json_place member = vxe_json_member(place, key);
    if (json_object_get(object, key) != NULL)
        vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "ground from %s has none", what);
}

/* Named ground: its edges are where its points are. */
static void read_shape(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                       const vxe_ground_def *def)
{
    const vxe_json_place heights = vxe_json_member(place, "heights");
    const vxe_json_place length = vxe_json_member(place, "length");
    if (json_object_get(object, "heights") != NULL) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &heights, "ground of kind %s has none",
                      vxe_choice_word(vxe_grounds, (int)def->kind));
    }
    vxe_json_require(reader, place, object, "points");
    vxe_json_require(reader, place, object, "height");
    vxe_json_require(reader, place, object, "length");
    if (def->kind != VXE_GROUND_SLOPE && def->length > 0.0 && def->length < def->spacing) {
        vxe_json_note(reader, VXE_NOTE_READ, &length,
                      "%g m is less than the %g m between points: what lies between points is not there",
                      def->length, def->spacing);
    }
}

static void read_heights(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         vxe_ground_def *def, double **heights)
{
    const json_t *value = json_object_get(object, "heights");
    const vxe_json_place member = vxe_json_member(place, "heights");
    vxe_json_require(reader, place, object, "heights");
    if (reader->result != VXE_OK) return;
    if (json_is_string(value)) {
        const int32_t asked[2] = {def->points[0], def->points[1]};
        const vxe_json_place points = vxe_json_member(place, "points");
        vxe_json_require(reader, place, object, "height");
        refuse_key(reader, place, object, "length", "an image");
        if (reader->result != VXE_OK) return;
        load_image(reader, &member, json_string_value(value), def, heights);
        if (json_object_get(object, "points") != NULL &&
            (asked[0] != def->points[0] || asked[1] != def->points[1])) {
            vxe_json_fail(reader, VXE_ERROR_INPUT, &points, "not those of the image, %d x %d",
                          (int)def->points[0], (int)def->points[1]);
        }
        return;
    }
    refuse_key(reader, place, object, "height", "an array of heights");
    refuse_key(reader, place, object, "length", "an array of heights");
    vxe_json_require(reader, place, object, "points");
    if (reader->result != VXE_OK) return;
    if (def->points[0] < 2 || def->points[1] < 2 || def->points[0] > VXE_GROUND_SIDE_MAX ||
        def->points[1] > VXE_GROUND_SIDE_MAX)
        return; /* the scene refuses it */
    const size_t count = (size_t)def->points[0] * (size_t)def->points[1];
    *heights = calloc(count, sizeof **heights);
    if (*heights == NULL) {
        reader->result = vxe_fail_memory(reader->error, "the ground", count * sizeof **heights);
        return;
    }
    read_numbers(reader, &member, value, count, *heights);
}

void vxe_json_read_ground(vxe_json_reader *reader, const json_t *object)
{
    const vxe_json_place place = vxe_json_member(NULL, "ground");
    if (object == NULL || !vxe_json_is_object(reader, &place, object, VXE_JSON_GROUND)) return;
    vxe_ground_def def = vxe_default_ground_def();
    int kind = VXE_GROUND_HEIGHTS;
    double *heights = NULL;
    def.heights = NULL;
    vxe_json_get_word(reader, &place, object, "kind", vxe_grounds, &kind);
    def.kind = (vxe_ground_kind)kind;
    vxe_json_require(reader, &place, object, "spacing");
    vxe_json_get_number(reader, &place, object, "spacing", &def.spacing);
    vxe_json_get_vector(reader, &place, object, "origin", def.origin);
    vxe_json_get_number(reader, &place, object, "height", &def.height);
    vxe_json_get_number(reader, &place, object, "length", &def.length);
    int64_t seed = 0;
    vxe_json_get_integer(reader, &place, object, "seed", 0, UINT32_MAX, &seed);
    def.seed = (uint32_t)seed;
    const json_t *points = json_object_get(object, "points");
    const vxe_json_place points_place = vxe_json_member(&place, "points");
    for (size_t a = 0; points != NULL && a < 2 && reader->result == VXE_OK; a++) {
        int64_t number = 0;
        if (!json_is_array(points) || json_array_size(points) != 2) {
            vxe_json_fail(reader, VXE_ERROR_INPUT, &points_place, "must be an array of 2 whole numbers");
            break;
        }
        const vxe_json_place element = vxe_json_element(&points_place, a);
        vxe_json_integer(reader, &element, json_array_get(points, a), INT32_MIN, INT32_MAX, &number);
        def.points[a] = (int32_t)number;
    }
    if (def.kind == VXE_GROUND_HEIGHTS) {
        read_heights(reader, &place, object, &def, &heights);
        def.heights = heights;
        def.height = 0.0;
        def.length = 0.0;
    } else {
        read_shape(reader, &place, object, &def);
    }
    const vxe_json_place seed_place = vxe_json_member(&place, "seed");
    if (def.kind != VXE_GROUND_ROUGH && json_object_get(object, "seed") != NULL) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &seed_place, "ground of kind %s has none",
                      vxe_choice_word(vxe_grounds, (int)def.kind));
    }
    def.has_friction =
        vxe_json_read_friction(reader, &place, object, &def.static_friction, &def.dynamic_friction);
    vxe_json_read_color(reader, &place, object, def.color);
    vxe_error cause;
    if (reader->result == VXE_OK && vxe_scene_set_ground(reader->scene, &def, &cause) != VXE_OK)
        vxe_json_refused(reader, &place, object, VXE_JSON_GROUND, &cause);
    free(heights);
}

/* ---- solids --------------------------------------------------------------------------------------------------------- */

#ifdef VXE_HAVE_FORMATS
/* A mesh, filled with cubes of the pitch. */
static void read_mesh(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                      vxe_solid_def *def, uint8_t **filled)
{
    const char *file = NULL;
    double unit = 1.0;
    vxe_json_require(reader, place, object, "file");
    vxe_json_require(reader, place, object, "pitch");
    vxe_json_get_string(reader, place, object, "file", &file);
    vxe_json_get_number(reader, place, object, "unit", &unit);
    const vxe_json_place pitch = vxe_json_member(place, "pitch");
    if (!(def->pitch > 0.0)) /* 0 would ask for a number of voxels */
        vxe_json_fail(reader, VXE_ERROR_INPUT, &pitch, "%g m is not above 0", def->pitch);
    if (reader->result != VXE_OK) return;
    const vxe_json_place member = vxe_json_member(place, "file");
    char *path = vxe_json_path(reader, &member, file);
    if (path == NULL) return;
    vxe_mesh *mesh = NULL;
    vxe_scene *voxels = NULL;
    vxe_error cause;
    vxe_voxelize_report report = {.open_edges = 0};
    vxe_voxelize_def how = vxe_default_voxelize_def();
    how.pitch = def->pitch;
    how.centered = true;
    const vxe_material_def material = vxe_default_material_def();
    vxe_result result = vxe_mesh_load(path, unit, &mesh, &cause);
    const vxe_mesh *const meshes[1] = {mesh};
    if (result == VXE_OK) result = vxe_voxelize(meshes, &material, 1, &how, &voxels, &report, &cause);
    if (result == VXE_OK) {
        vxe_scene_size(voxels, def->cells);
        const size_t count = (size_t)def->cells[0] * (size_t)def->cells[1] * (size_t)def->cells[2];
        const uint16_t *cells = vxe_scene_voxels(voxels);
        *filled = malloc(count);
        for (size_t i = 0; *filled != NULL && i < count; i++) (*filled)[i] = cells[i] != 0;
        if (*filled == NULL) result = vxe_fail_memory(&cause, "the cells of a solid", count);
    }
    if (result != VXE_OK) vxe_json_fail(reader, result, &member, "%s", cause.message);
    if (report.open_edges > 0) {
        vxe_json_note(reader, VXE_NOTE_READ, &member,
                      "not closed: %d open edges, so what is inside near them is a guess",
                      (int)report.open_edges);
    }
    vxe_scene_destroy(voxels);
    vxe_mesh_destroy(mesh);
    free(path);
}
#else
static void read_mesh(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                      vxe_solid_def *def, uint8_t **filled)
{
    (void)object;
    (void)def;
    (void)filled;
    vxe_json_fail(reader, VXE_ERROR_INPUT, place, "this library was built without meshes");
}
#endif

static void read_cells(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                       vxe_solid_def *def, uint8_t **filled)
{
    const vxe_json_place member = vxe_json_member(place, "filled");
    vxe_json_require(reader, place, object, "pitch");
    vxe_json_require(reader, place, object, "size");
    vxe_json_require(reader, place, object, "filled");
    vxe_json_get_cells(reader, place, object, "size", 1, def->cells);
    if (reader->result != VXE_OK) return;
    if ((double)def->cells[0] * def->cells[1] * def->cells[2] > VXE_SOLID_CELLS_MAX) {
        vxe_json_fail(reader, VXE_ERROR_LIMIT, place, "has more than %d cells", VXE_SOLID_CELLS_MAX);
        return;
    }
    const size_t count = (size_t)def->cells[0] * (size_t)def->cells[1] * (size_t)def->cells[2];
    double *numbers = calloc(count, sizeof *numbers);
    *filled = malloc(count);
    if (numbers == NULL || *filled == NULL) {
        reader->result = vxe_fail_memory(reader->error, "the cells of a solid", count);
    } else {
        read_numbers(reader, &member, json_object_get(object, "filled"), count, numbers);
        for (size_t i = 0; i < count; i++) {
            (*filled)[i] = numbers[i] != 0.0;
            if (numbers[i] != 0.0 && numbers[i] != 1.0)
                vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "cell %zu is %g, neither 0 nor 1", i,
                              numbers[i]);
        }
    }
    free(numbers);
}

void vxe_json_read_solid(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object)
{
    static const struct {
        const char *key;
        vxe_solid_kind kind;
        vxe_json_kind keys;
    } kinds[] = {{"box", VXE_SOLID_BOX, VXE_JSON_SOLID_BOX},
                 {"sphere", VXE_SOLID_SPHERE, VXE_JSON_SPHERE},
                 {"cylinder", VXE_SOLID_CYLINDER, VXE_JSON_SOLID_ROUND},
                 {"capsule", VXE_SOLID_CAPSULE, VXE_JSON_SOLID_ROUND},
                 {"cells", VXE_SOLID_CELLS, VXE_JSON_SOLID_CELLS},
                 {"mesh", VXE_SOLID_CELLS, VXE_JSON_SOLID_MESH}};
    if (!vxe_json_is_object(reader, place, object, VXE_JSON_SOLID)) return;
    vxe_solid_def def = vxe_default_solid_def();
    uint8_t *filled = NULL;
    int found = 0;
    vxe_json_require(reader, place, object, "name");
    vxe_json_get_text(reader, place, object, "name", sizeof def.name, def.name);
    for (size_t n = 0; n < sizeof kinds / sizeof kinds[0]; n++) {
        const json_t *shape = json_object_get(object, kinds[n].key);
        const vxe_json_place member = vxe_json_member(place, kinds[n].key);
        if (shape == NULL || !vxe_json_is_object(reader, &member, shape, kinds[n].keys)) continue;
        found++;
        def.kind = kinds[n].kind;
        vxe_json_require(reader, &member, shape, "center");
        vxe_json_get_vector(reader, &member, shape, "center", def.center);
        vxe_json_get_number(reader, &member, shape, "pitch", &def.pitch);
        if (def.kind == VXE_SOLID_BOX) {
            vxe_json_require(reader, &member, shape, "size");
            vxe_json_get_vector(reader, &member, shape, "size", def.sides);
        } else if (kinds[n].keys == VXE_JSON_SOLID_MESH && found == 1) {
            read_mesh(reader, &member, shape, &def, &filled);
        } else if (kinds[n].keys == VXE_JSON_SOLID_CELLS && found == 1) {
            read_cells(reader, &member, shape, &def, &filled);
        } else {
            vxe_json_require(reader, &member, shape, "radius");
            vxe_json_get_number(reader, &member, shape, "radius", &def.radius);
            vxe_json_get_number(reader, &member, shape, "length", &def.length);
        }
    }
    if (found != 1 && reader->result == VXE_OK) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place,
                      "needs one of \"box\", \"sphere\", \"cylinder\", \"capsule\", \"mesh\" and \"cells\"");
    }
    def.filled = filled;
    vxe_json_get_vector(reader, place, object, "rotation", def.rotation);
    def.has_friction =
        vxe_json_read_friction(reader, place, object, &def.static_friction, &def.dynamic_friction);
    vxe_json_read_color(reader, place, object, def.color);
    vxe_error cause;
    if (reader->result == VXE_OK && vxe_scene_add_solid(reader->scene, &def, NULL, &cause) != VXE_OK)
        vxe_json_refused(reader, place, object, VXE_JSON_SOLID, &cause);
    free(filled);
}

/* ---- water and start ------------------------------------------------------------------------------------------------ */

void vxe_json_read_water(vxe_json_reader *reader, const json_t *object)
{
    const vxe_json_place place = vxe_json_member(NULL, "water");
    if (object == NULL || !vxe_json_is_object(reader, &place, object, VXE_JSON_WATER)) return;
    vxe_water_def def = vxe_default_water_def();
    vxe_json_read_members(reader, &place, object, vxe_json_water, &def);
    vxe_json_get_number(reader, &place, object, "level", &def.level);
    def.has_level = json_object_get(object, "level") != NULL;
    vxe_json_read_formulas(reader, &place, "flow", json_object_get(object, "flow"), VXE_FORMULA_FLOW_X);
    vxe_error cause;
    if (reader->result == VXE_OK && vxe_scene_set_water(reader->scene, &def, &cause) != VXE_OK)
        vxe_json_refused(reader, &place, object, VXE_JSON_WATER, &cause);
}

void vxe_json_read_start(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object)
{
    if (!vxe_json_is_object(reader, place, object, VXE_JSON_START)) return;
    vxe_start_def def = {.has_center = json_object_get(object, "center") != NULL};
    vxe_json_read_members(reader, place, object, vxe_json_start, &def);
    vxe_json_get_vector(reader, place, object, "center", def.center);
    vxe_error cause;
    if (reader->result == VXE_OK && vxe_scene_add_start(reader->scene, &def, &cause) != VXE_OK)
        vxe_json_refused(reader, place, object, VXE_JSON_START, &cause);
}
