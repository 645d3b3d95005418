/* The scene of a design. */
#include "designs/reader.h"

#include <stdlib.h>
#include <string.h>

/* Takes "scene:LINE: " off a message of the scene reader: the scene is one line of the file. */
static void strip_place(vxe_error *error)
{
    const char *text = error->message;
    if (strncmp(text, "scene:", 6) != 0) return;
    text += 6;
    while (*text >= '0' && *text <= '9') text++;
    if (strncmp(text, ": ", 2) == 0) text += 2;
    while (*text == ' ') text++;
    memmove(error->message, text, strlen(text) + 1);
}

/* ---- making the scene ---------------------------------------------------------------------------------------- */

/* A block of voxels with one entry each: [..] for the whole workspace, or {"origin", "size", "values"}. */
typedef struct block {
    int32_t first[3];
    int32_t size[3];
    const json_t *values;
    size_t count;
} block;

static bool get_cells(const json_t *object, const char *key, int32_t cells[3])
{
    const json_t *list = json_object_get(object, key);
    if (list == NULL) return true;
    if (!json_is_array(list) || json_array_size(list) != 3) return false;
    for (size_t a = 0; a < 3; a++) {
        const json_t *n = json_array_get(list, a);
        if (!json_is_integer(n) || json_integer_value(n) < 0 || json_integer_value(n) > VXE_SIDE_MAX)
            return false;
        cells[a] = (int32_t)json_integer_value(n);
    }
    return true;
}

static vxe_result read_block(const vxe_scene *scene, const json_t *value, const char *key, block *b,
                             vxe_error *error)
{
    *b = (block){.values = value};
    vxe_scene_size(scene, b->size);
    if (json_is_object(value)) {
        if (!get_cells(value, "origin", b->first))
            return vxe_fail(error, VXE_ERROR_INPUT, "%s.origin: must be three whole numbers", key);
        for (int a = 0; a < 3; a++) b->size[a] = b->size[a] > b->first[a] ? b->size[a] - b->first[a] : 0;
        if (!get_cells(value, "size", b->size))
            return vxe_fail(error, VXE_ERROR_INPUT, "%s.size: must be three whole numbers", key);
        b->values = json_object_get(value, "values");
    }
    int32_t whole[3];
    vxe_scene_size(scene, whole);
    double cells = 1.0;
    for (int a = 0; a < 3; a++) {
        if (b->size[a] < 1 || b->first[a] > whole[a] - b->size[a])
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: the block is not in the workspace of %d x %d x %d",
                            key, (int)whole[0], (int)whole[1], (int)whole[2]);
        cells *= b->size[a];
    }
    if (!json_is_array(b->values) && !json_is_string(b->values))
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: must be a list with one number per voxel, x fastest",
                        key);
    const size_t given =
        json_is_array(b->values) ? json_array_size(b->values) : json_string_length(b->values);
    if ((double)given != cells)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: %zu numbers for a block of %d x %d x %d", key, given,
                        (int)b->size[0], (int)b->size[1], (int)b->size[2]);
    b->count = given;
    return VXE_OK;
}

static vxe_result set_voxels(vxe_scene *scene, const json_t *value, vxe_error *error)
{
    block b;
    vxe_result result = read_block(scene, value, "voxels", &b, error);
    if (result != VXE_OK) return result;
    uint16_t *materials = vxe_allocate(b.count, sizeof *materials);
    if (materials == NULL) return vxe_fail_memory(error, "voxels", b.count * sizeof *materials);
    const int32_t palette = vxe_scene_material_count(scene);
    const char *digits = json_string_value(b.values);
    for (size_t i = 0; i < b.count && result == VXE_OK; i++) {
        const json_t *n = digits == NULL ? json_array_get(b.values, i) : NULL;
        json_int_t number = digits != NULL       ? digits[i] - '0'
                            : json_is_integer(n) ? json_integer_value(n)
                                                 : -1;
        if (number < 0 || number > palette || (digits != NULL && number > 9))
            result =
                vxe_fail(error, VXE_ERROR_INPUT,
                         "voxels[%zu]: must be 0 or the number of one of the %d materials", i, (int)palette);
        else
            materials[i] = (uint16_t)number;
    }
    if (result == VXE_OK) result = vxe_scene_set_voxels(scene, b.first, b.size, materials, error);
    free(materials);
    return result;
}

static vxe_result set_actuation(vxe_scene *scene, const json_t *value, const char *key, vxe_error *error)
{
    block b;
    vxe_result result = read_block(scene, value, key, &b, error);
    if (result != VXE_OK) return result;
    double *numbers = vxe_allocate(b.count, sizeof *numbers);
    if (numbers == NULL) return vxe_fail_memory(error, key, b.count * sizeof *numbers);
    for (size_t i = 0; i < b.count && result == VXE_OK; i++) {
        const json_t *n = json_array_get(b.values, i);
        if (!json_is_number(n))
            result = vxe_fail(error, VXE_ERROR_INPUT, "%s[%zu]: must be a number", key, i);
        else
            numbers[i] = json_number_value(n);
    }
    const bool phase = strcmp(key, "phase") == 0;
    if (result == VXE_OK)
        result = vxe_scene_set_actuations(scene, b.first, b.size, phase ? numbers : NULL,
                                          phase ? NULL : numbers, NULL, error);
    free(numbers);
    return result;
}

/* A uniform number between -1 and 1, the same everywhere (splitmix64). */
static double draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return 2.0 * ((double)(z >> 11) * 0x1p-53) - 1.0;
}

/* Repeats: stiffness (of linear materials), density, friction and expansion are off by up to the spread. */
static vxe_result vary(vxe_scene *scene, const design_plan *plan, int32_t repeat, vxe_error *error)
{
    uint64_t state = (uint64_t)repeat;
    for (int i = 0; i < 8; i++) state = state << 8 ^ state >> 56 ^ plan->hash[i];
    vxe_result result = VXE_OK;
    for (int32_t m = 1; m <= vxe_scene_material_count(scene) && result == VXE_OK; m++) {
        vxe_material_def def = *vxe_scene_material(scene, m);
        const double stiffness = 1.0 + plan->spread * draw(&state);
        const double density = 1.0 + plan->spread * draw(&state);
        const double friction = 1.0 + plan->spread * draw(&state);
        const double expansion = 1.0 + plan->spread * draw(&state);
        if (def.law == VXE_LAW_LINEAR) def.youngs_modulus *= stiffness;
        def.density *= density;
        def.static_friction *= friction;
        def.dynamic_friction *= friction;
        def.expansion *= expansion;
        result = vxe_scene_set_material(scene, m, &def, error);
    }
    return result;
}

/* The scene of a text that is part of a line. */
static vxe_result parse_scene(const design_reader *r, const json_t *json, vxe_scene **scene, vxe_error *error)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (text == NULL) return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for a scene");
    const char *folder = r->settings->folder;
    const vxe_result result = vxe_scene_parse_json(text, strlen(text), "scene", folder, scene, error);
    free(text);
    if (result != VXE_OK) strip_place(error);
    return result;
}

static vxe_result change(json_t *json, json_t *changes, vxe_error *error)
{
    vxe_result result = VXE_OK;
    for (void *at = json_object_iter(changes); at != NULL && result == VXE_OK;
         at = json_object_iter_next(changes, at))
        result = vxe_change_json(json, json_object_iter_key(at), json_object_iter_value(at), error);
    return result;
}

/* A scene as JSON, to be changed. */
static vxe_result scene_to_json(const vxe_scene *scene, json_t **json, vxe_error *error)
{
    char *text = NULL;
    const vxe_result result = vxe_scene_print_json(scene, &text, error);
    if (result != VXE_OK) return result;
    *json = json_loads(text, 0, NULL);
    free(text);
    return *json != NULL ? VXE_OK
                         : vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for a scene");
}

/* The scene of a file, without the line's voxels. */
static vxe_result scene_of_file(design_reader *r, const design_plan *plan, json_t *changes, vxe_scene **scene,
                                vxe_error *error)
{
    reader_file *c = NULL;
    vxe_scene *own = NULL;
    json_t *json = NULL;
    vxe_result result = VXE_OK;
    if (plan->root != NULL) {
        (void)pthread_mutex_lock(&r->lock);
        result = vxe_reader_get(r, plan->path, &c, error);
        if (c != NULL && changes != NULL && c->json == NULL)
            result = scene_to_json(c->scene, &c->json, error);
        (void)pthread_mutex_unlock(&r->lock);
    }
    if (result == VXE_OK && c == NULL) result = vxe_reader_load(r, plan->path, &own, error);
    if (result == VXE_OK && changes == NULL) {
        if (c == NULL) {
            *scene = own;
            return VXE_OK;
        }
        return vxe_scene_copy(c->scene, scene, error);
    }
    if (result == VXE_OK && c != NULL) {
        json = json_deep_copy(c->json);
        if (json == NULL)
            result = vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for a scene");
    } else if (result == VXE_OK) {
        result = scene_to_json(own, &json, error);
    }
    if (result == VXE_OK) result = change(json, changes, error);
    if (result == VXE_OK) result = parse_scene(r, json, scene, error);
    json_decref(json);
    vxe_scene_destroy(own);
    return result;
}

static vxe_result scene_of_line(const design_reader *r, const json_t *inside, json_t *changes,
                                vxe_scene **scene, vxe_error *error)
{
    if (changes == NULL) return parse_scene(r, inside, scene, error);
    json_t *json = json_deep_copy(inside);
    if (json == NULL) return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for a scene");
    vxe_result result = change(json, changes, error);
    if (result == VXE_OK) result = parse_scene(r, json, scene, error);
    json_decref(json);
    return result;
}

/* When the run of a scene ends. */
static vxe_result find_stop(const design_reader *r, const design_plan *plan, const vxe_scene *scene,
                            vxe_stop *stop, vxe_error *error)
{
    const design_settings *s = r->settings;
    *stop = vxe_scene_stop(scene);
    if (plan->time > 0.0 || plan->steps > 0) {
        *stop = (vxe_stop){.time = plan->time, .steps = plan->steps};
    } else if (s->time > 0.0 || s->steps > 0) {
        *stop = (vxe_stop){.time = s->time, .steps = s->steps};
    }
    if (stop->energy_change > 0.0 && !s->sim.audit)
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "the scene stops when its energy stays what it is, which needs the energy account");
    if (stop->time > 0.0 || stop->steps > 0 || stop->cycles > 0.0 || stop->kinetic_energy > 0.0 ||
        stop->speed > 0.0 || stop->energy_change > 0.0 || stop->movement > 0.0 || stop->formula)
        return VXE_OK;
    return vxe_fail(error, VXE_ERROR_INPUT,
                    "the scene does not say when to stop, and neither \"time\" nor --time does");
}

static vxe_result edit(const design_reader *r, const design_plan *plan, int32_t repeat, vxe_scene *scene,
                       vxe_error *error)
{
    const json_t *root = plan->root;
    const json_t *voxels = json_object_get(root, "voxels");
    const json_t *phase = json_object_get(root, "phase");
    const json_t *amplitude = json_object_get(root, "amplitude");
    vxe_result result = VXE_OK;
    if (voxels != NULL) result = set_voxels(scene, voxels, error);
    if (result == VXE_OK && phase != NULL) result = set_actuation(scene, phase, "phase", error);
    if (result == VXE_OK && amplitude != NULL) result = set_actuation(scene, amplitude, "amplitude", error);
    if (result == VXE_OK && r->settings->has_collisions) {
        vxe_environment environment = vxe_scene_environment(scene);
        environment.collisions = r->settings->collisions;
        result = vxe_scene_set_environment(scene, &environment, error);
    }
    if (result == VXE_OK && repeat > 0 && plan->spread > 0.0) result = vary(scene, plan, repeat, error);
    return result;
}

vxe_result vxe_plan_scene(design_reader *reader, const design_plan *plan, int32_t repeat, vxe_scene **scene,
                          vxe_stop *stop, vxe_error *error)
{
    vxe_error own;
    vxe_error *e = error != NULL ? error : &own;
    const json_t *inside = json_object_get(plan->root, "scene");
    json_t *changes = json_object_get(plan->root, "changes");
    if (json_object_size(changes) == 0) changes = NULL;
    vxe_scene *made = NULL;
    vxe_result result = plan->path != NULL ? scene_of_file(reader, plan, changes, &made, e)
                                           : scene_of_line(reader, inside, changes, &made, e);
    if (result == VXE_OK) result = edit(reader, plan, repeat, made, e);
    if (result == VXE_OK) result = find_stop(reader, plan, made, stop, e);
    if (result != VXE_OK) {
        vxe_scene_destroy(made);
        if (plan->root != NULL) vxe_reader_place(reader, plan->number, e);
        return result;
    }
    *scene = made;
    return VXE_OK;
}
