/* Lines of a batch, understood and hashed: see design.h. */
#include "designs/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DESIGN_VALUES_MAX 20000000 /* values of a line: bounds the memory of the parsed text */

void vxe_plan_free(design_plan *plan)
{
    json_decref(plan->root);
    free(plan->path);
    plan->root = NULL;
    plan->path = NULL;
}

/* ---- understanding a line ------------------------------------------------------------------------------------ */

static const char *const line_keys[] = {"id",   "scene", "changes", "voxels", "phase",  "amplitude",
                                        "time", "steps", "repeats", "spread", "comment"};
enum { LINE_KEYS = sizeof line_keys / sizeof line_keys[0] };

static vxe_result check_keys(json_t *root, vxe_error *error)
{
    char room[READER_SHOWN];
    for (void *at = json_object_iter(root); at != NULL; at = json_object_iter_next(root, at)) {
        const char *key = json_object_iter_key(at);
        bool known = false;
        for (int i = 0; i < LINE_KEYS && !known; i++) known = strcmp(key, line_keys[i]) == 0;
        if (known) continue;
        const char *nearest = vxe_nearest_name(key, line_keys, LINE_KEYS);
        return vxe_fail(error, VXE_ERROR_INPUT, "unknown key \"%s\"%s%s%s", vxe_reader_shown(key, room),
                        nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                        nearest != NULL ? "\"?" : "");
    }
    return VXE_OK;
}

/* A number of a line within limits; absent: stays. */
static vxe_result get_number(const json_t *root, const char *key, double low, double high, bool whole,
                             double *number, vxe_error *error)
{
    const json_t *value = json_object_get(root, key);
    if (value == NULL) return VXE_OK;
    const double v = json_number_value(value);
    if (!json_is_number(value) || !(v >= low && v <= high) || (whole && v != floor(v)))
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: must be a %snumber from %g to %g", key,
                        whole ? "whole " : "", low, high);
    *number = v;
    return VXE_OK;
}

/* An id: a text, or a whole number. */
static vxe_result read_id(const json_t *root, design_plan *plan, vxe_error *error)
{
    const json_t *id = json_object_get(root, "id");
    if (id == NULL) return VXE_OK;
    if (json_is_integer(id)) {
        (void)snprintf(plan->id, sizeof plan->id, "%lld", (long long)json_integer_value(id));
        return VXE_OK;
    }
    const char *text = json_string_value(id);
    if (text == NULL || text[0] == '\0' || json_string_length(id) >= DESIGN_ID_SIZE ||
        !vxe_valid_text(text) || strlen(text) != json_string_length(id))
        return vxe_fail(error, VXE_ERROR_INPUT, "id: must be a text of 1 to %d bytes, or a whole number",
                        DESIGN_ID_SIZE - 1);
    memcpy(plan->id, text, strlen(text) + 1);
    return VXE_OK;
}

static vxe_result read_members(design_reader *r, design_plan *plan, vxe_error *error)
{
    json_t *root = plan->root;
    double steps = 0.0;
    double repeats = 1.0;
    vxe_result result = check_keys(root, error);
    if (result == VXE_OK) result = get_number(root, "time", 1e-12, 1e12, false, &plan->time, error);
    if (result == VXE_OK) result = get_number(root, "steps", 1.0, 1e15, true, &steps, error);
    if (result == VXE_OK)
        result = get_number(root, "repeats", 1.0, DESIGN_REPEATS_MAX, true, &repeats, error);
    if (result == VXE_OK) result = get_number(root, "spread", 0.0, 0.5, false, &plan->spread, error);
    const json_t *changes = json_object_get(root, "changes");
    if (result == VXE_OK && changes != NULL && !json_is_object(changes))
        result = vxe_fail(error, VXE_ERROR_INPUT, "changes: must be an object of paths and values");
    const json_t *scene = json_object_get(root, "scene");
    if (result != VXE_OK) return result;
    plan->steps = (int64_t)steps;
    plan->repeats = (int32_t)repeats;
    if (scene == NULL && r->settings->base == NULL)
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "\"scene\" is missing: a path, a scene, or --base for all lines");
    if (scene != NULL && !json_is_string(scene) && !json_is_object(scene))
        return vxe_fail(error, VXE_ERROR_INPUT, "scene: must be a path or a scene");
    if (json_is_object(scene)) return VXE_OK;
    if (json_is_string(scene)) {
        if (strlen(json_string_value(scene)) != json_string_length(scene))
            return vxe_fail(error, VXE_ERROR_INPUT, "scene: a path with a zero byte");
        return vxe_reader_find(r, json_string_value(scene), &plan->path, error);
    }
    plan->path = malloc(strlen(r->settings->base) + 1);
    if (plan->path == NULL) return vxe_fail_memory(error, "a path", strlen(r->settings->base));
    memcpy(plan->path, r->settings->base, strlen(r->settings->base) + 1);
    return VXE_OK;
}

/* About the number of values, before memory is taken for them. */
static size_t count_values(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) count += text[i] == ',' || text[i] == '[' || text[i] == '{';
    return count;
}

static vxe_result parse_line(const design_item *item, json_t **root, vxe_error *error)
{
    json_error_t problem;
    char what[JSON_ERROR_TEXT_LENGTH];
    char room[READER_SHOWN];
    if (item->too_long)
        return vxe_fail(error, VXE_ERROR_LIMIT, "a line of more than %zu bytes", DESIGN_LINE_MAX);
    if (count_values(item->text, item->size) > DESIGN_VALUES_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "more than %d values", DESIGN_VALUES_MAX);
    json_t *made = json_loadb(item->text, item->size, JSON_REJECT_DUPLICATES, &problem);
    if (made == NULL) {
        if (json_error_code(&problem) == json_error_out_of_memory)
            return vxe_fail_memory(error, "a line", item->size);
        memcpy(what, problem.text, sizeof what);
        what[sizeof what - 1] = '\0';
        return vxe_fail(error, VXE_ERROR_INPUT, "not valid JSON at byte %d: %s", problem.position,
                        vxe_reader_shown(what, room));
    }
    if (!json_is_object(made)) {
        json_decref(made);
        return vxe_fail(error, VXE_ERROR_INPUT, "a design is an object: {\"scene\": ...}");
    }
    *root = made;
    return VXE_OK;
}

/* What of the settings changes results. */
static digest feed_settings(digest d, const design_reader *r, const design_plan *plan)
{
    const design_settings *s = r->settings;
    char text[320];
    const bool own = plan->time > 0.0 || plan->steps > 0;
    (void)snprintf(text, sizeof text,
                   "\ntime %.17g steps %lld precision %d fraction %.17g damping %d audit %d collisions %d "
                   "dialect %d spread %.17g",
                   own ? plan->time : s->time, (long long)(own ? plan->steps : s->steps),
                   (int)s->sim.precision, s->sim.dt_fraction, (int)s->sim.bond_damping, s->sim.audit ? 1 : 0,
                   s->has_collisions ? (int)s->collisions : -1, (int)s->dialect, plan->spread);
    return vxe_digest_bytes(d, text, strlen(text));
}

/* ---- hashing ---------------------------------------------------------------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A tag that says what follows, and how long it is. */
static digest feed_tag(digest d, char tag, size_t size)
{
    unsigned char bytes[9] = {(unsigned char)tag};
    for (int i = 0; i < 8; i++) bytes[1 + i] = (unsigned char)((uint64_t)size >> (8 * i));
    return vxe_digest_bytes(d, bytes, sizeof bytes);
}

static digest feed_number(digest d, double number)
{
    unsigned char bytes[9] = {'n'};
    uint64_t bits = 0;
    number += 0.0; /* -0 is 0 */
    memcpy(&bits, &number, sizeof bits);
    for (int i = 0; i < 8; i++) bytes[1 + i] = (unsigned char)(bits >> (8 * i));
    return vxe_digest_bytes(d, bytes, sizeof bytes);
}

/* Feeds a value whatever the order of its members, and 1 like 1.0. False: no memory. Values are as deep as
 * jansson reads them, 2048 at most. */
static bool feed_value(digest *d, json_t *value, bool *tables)
{
    const char *text = NULL;
    bool good = true;
    switch (json_typeof(value)) {
    case JSON_OBJECT: {
        const size_t count = json_object_size(value);
        const char **keys = count > 0 ? malloc(count * sizeof *keys) : NULL;
        size_t n = 0;
        *d = feed_tag(*d, 'o', count);
        if (keys == NULL) return count == 0;
        for (void *at = json_object_iter(value); at != NULL; at = json_object_iter_next(value, at))
            keys[n++] = json_object_iter_key(at);
        if (count > 1) qsort(keys, count, sizeof *keys, compare_keys);
        for (size_t i = 0; i < n && good; i++) {
            *d = feed_tag(*d, 'k', strlen(keys[i]));
            *d = vxe_digest_bytes(*d, keys[i], strlen(keys[i]));
            good = feed_value(d, json_object_get(value, keys[i]), tables);
        }
        free(keys);
        return good;
    }
    case JSON_ARRAY:
        *d = feed_tag(*d, 'a', json_array_size(value));
        for (size_t i = 0; i < json_array_size(value) && good; i++)
            good = feed_value(d, json_array_get(value, i), tables);
        return good;
    case JSON_STRING:
        text = json_string_value(value);
        *d = feed_tag(*d, 's', json_string_length(value));
        *d = vxe_digest_bytes(*d, text, json_string_length(value));
        *tables = *tables || strstr(text, ".csv") != NULL;
        return true;
    case JSON_INTEGER:
    case JSON_REAL: *d = feed_number(*d, json_number_value(value)); return true;
    case JSON_TRUE: *d = feed_tag(*d, 't', 0); return true;
    case JSON_FALSE: *d = feed_tag(*d, 'f', 0); return true;
    case JSON_NULL: break;
    }
    *d = feed_tag(*d, '0', 0);
    return true;
}

/* The members of a line that make its content; *tables: it may name a table in another file. */
static bool feed_content(digest *d, json_t *root, bool *tables)
{
    static const char *const content[] = {"scene", "changes", "voxels", "phase", "amplitude"};
    for (size_t i = 0; i < sizeof content / sizeof content[0]; i++) {
        json_t *value = json_object_get(root, content[i]);
        if (value == NULL || (i == 0 && !json_is_object(value))) continue;
        *d = feed_tag(*d, 'm', i);
        if (!feed_value(d, value, tables)) return false;
    }
    return true;
}

static vxe_result hash_plan(design_reader *r, design_plan *plan, vxe_error *error)
{
    digest d = DIGEST_START;
    digest file = {0, 0};
    uint8_t bytes[DIGEST_SIZE];
    vxe_result result = VXE_OK;
    if (plan->path != NULL && plan->root != NULL) {
        reader_file *c = NULL;
        (void)pthread_mutex_lock(&r->lock);
        result = vxe_reader_get(r, plan->path, &c, error);
        if (c != NULL) file = c->hash;
        (void)pthread_mutex_unlock(&r->lock);
        if (result == VXE_OK && c == NULL) result = vxe_reader_hash(r, plan->path, &file, error);
    } else if (plan->path != NULL) {
        result = vxe_reader_hash(r, plan->path, &file, error);
    }
    if (result != VXE_OK) return result;
    vxe_digest_store(file, bytes);
    d = vxe_digest_bytes(d, bytes, sizeof bytes);
    bool tables = false;
    if (plan->root != NULL && !feed_content(&d, plan->root, &tables))
        return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for a line");
    if (tables) {
        vxe_scene *scene = NULL;
        vxe_stop stop;
        char *whole = NULL;
        result = vxe_plan_scene(r, plan, 0, &scene, &stop, error);
        if (result == VXE_OK) result = vxe_scene_print_json(scene, &whole, error);
        if (result == VXE_OK) d = vxe_digest_bytes(d, whole, strlen(whole));
        free(whole);
        vxe_scene_destroy(scene);
    }
    if (result == VXE_OK) vxe_digest_store(feed_settings(d, r, plan), plan->hash);
    return result;
}

static vxe_result read_file_item(design_reader *r, const design_item *item, design_plan *plan,
                                 vxe_error *error)
{
    char room[READER_SHOWN];
    (void)snprintf(plan->id, sizeof plan->id, "%s",
                   vxe_valid_text(item->name) && strlen(item->name) < DESIGN_ID_SIZE
                       ? item->name
                       : vxe_reader_shown(item->name, room));
    plan->path = malloc(strlen(item->file) + 1);
    if (plan->path == NULL) return vxe_fail_memory(error, "a path", strlen(item->file));
    memcpy(plan->path, item->file, strlen(item->file) + 1);
    return hash_plan(r, plan, error);
}

vxe_result vxe_plan_read(design_reader *reader, const design_item *item, design_plan *plan, vxe_error *error)
{
    vxe_error own;
    vxe_error *e = error != NULL ? error : &own;
    *plan = (design_plan){.repeats = 1, .number = item->number};
    /* bytes and their place: what is broken twice is broken in two lines */
    const char *bytes = item->text != NULL ? item->text : item->file;
    digest raw = vxe_digest_bytes(DIGEST_START, bytes, item->text != NULL ? item->size : strlen(bytes));
    raw = vxe_digest_bytes(raw, &item->number, sizeof item->number);
    vxe_digest_store(raw, plan->hash);
    (void)snprintf(plan->id, sizeof plan->id, "%lld", (long long)item->number);
    vxe_result result = VXE_OK;
    if (item->file != NULL) {
        result = read_file_item(reader, item, plan, e);
    } else {
        result = parse_line(item, &plan->root, e);
        if (result == VXE_OK) result = read_id(plan->root, plan, e);
        if (result == VXE_OK) result = read_members(reader, plan, e);
        if (result == VXE_OK) result = hash_plan(reader, plan, e);
        if (result != VXE_OK) vxe_reader_place(reader, item->number, e);
    }
    if (result != VXE_OK) {
        vxe_plan_free(plan);
        plan->repeats = 1;
    }
    return result;
}
