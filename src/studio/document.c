/* The scene being edited; see document.h. */
#include "studio/document.h"
#include "studio/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How the scene is called in messages of the reader, which are taken apart again. */
#define SCENE_NAME "scene"
/* Looking for further problems parses the scene again: not for large ones, and not for ever. */
enum { PROBLEMS_MAX = 12, REPEAT_BYTES_MAX = 2000000, TIME_STEP_VOXELS_MAX = 4000 };

static void drop_scene(document *d)
{
    json_decref(d->scene);
    json_decref(d->problems);
    vxe_scene_destroy(d->parsed);
    d->scene = NULL;
    d->problems = NULL;
    d->parsed = NULL;
    d->hash = 0;
    d->links = 0;
    d->bodies = 0;
    d->dt = 0.0;
}

void document_clear(document *d)
{
    drop_scene(d);
    free(d->file);
    d->file = NULL;
    d->revision++;
    d->saved = -1;
}

bool document_name(document *d, const char *file, failure *f)
{
    char *copy = NULL;
    if (file != NULL) {
        copy = strdup(file);
        if (copy == NULL) return fail(f, "memory", "there is not enough memory for a name");
    }
    free(d->file);
    d->file = copy;
    return true;
}

/* ---- problems ----------------------------------------------------------------------------------------------------- */

/* Bytes of the path (`regions[2].box.size`) at the start of a message, which ": " follows; 0: there is none.
 */
static size_t path_length(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.[]";
    const size_t length = strspn(text, letters);
    return length > 0 && strncmp(text + length, ": ", 2) == 0 ? length : 0;
}

/* A list of one problem made of a message of the reader. */
static json_t *problem_json(const char *text)
{
    static const char prefix[] = SCENE_NAME ":";
    if (strncmp(text, prefix, sizeof prefix - 1) == 0) {
        text += sizeof prefix - 1;
        const size_t digits = strspn(text, "0123456789");
        if (digits > 0 && strncmp(text + digits, ": ", 2) == 0) {
            text += digits + 2;
        } else {
            text += strspn(text, " ");
        }
    }
    const size_t length = path_length(text);
    const char *rest = length == 0 ? text : text + length + 2;
    return json_pack("{s:s%, s:o, s:s}", "path", text, length, "message", text_json(rest), "severity",
                     "error");
}

/* Reads and compiles; the library's message on failure. */
static vxe_result parse(const json_t *scene, vxe_scene **parsed, vxe_error *error)
{
    char *text = json_dumps(scene, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (text == NULL) return vxe_fail(error, VXE_ERROR_INPUT, "the scene is not valid JSON");
    const vxe_result result = vxe_scene_parse_json(text, strlen(text), SCENE_NAME, NULL, parsed, error);
    free(text);
    return result;
}

static vxe_result measure(document *d, vxe_error *error)
{
    vxe_model *model = NULL;
    vxe_sim *sim = NULL;
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_result result = vxe_compile(d->parsed, &model, error);
    /* The time step of a large scene takes too long to be told with every stroke. */
    const bool small = result == VXE_OK && vxe_scene_voxel_count(d->parsed) <= TIME_STEP_VOXELS_MAX;
    if (small) result = vxe_sim_create(model, &def, &sim, error);
    if (result == VXE_OK) {
        const vxe_model_view *view = vxe_model_get(model);
        d->hash = vxe_model_hash(model);
        d->links = view->link_count;
        d->bodies = view->body_count;
        d->dt = small ? vxe_sim_time_step(sim).dt : NAN;
    }
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    return result;
}

/* Takes what a problem complains about out of a copy of the scene, so that the next one shows. `removed`
 * counts the regions that went this way, so that later ones can be numbered as the page knows them. */
static bool cut_out(json_t *scene, const char *path, bool removed[], size_t region_count)
{
    char section[32];
    const size_t name = strcspn(path, ".[");
    if (name == 0 || name >= sizeof section) return false;
    memcpy(section, path, name);
    section[name] = '\0';
    json_t *value = json_object_get(scene, section);
    const char *at = path + name;
    if (strcmp(section, "regions") == 0 && *at == '[') {
        const size_t index = (size_t)strtoul(at + 1, NULL, 10);
        if (index >= region_count || json_array_remove(value, index) != 0) return false;
        size_t left = index;
        for (size_t i = 0; i < region_count; i++) {
            if (removed[i]) continue;
            if (left-- == 0) {
                removed[i] = true;
                return true;
            }
        }
        return false;
    }
    if (*at == '[') {
        char *end = NULL;
        value = json_array_get(value, (size_t)strtoul(at + 1, &end, 10));
        at = end[0] == ']' ? end + 1 : "";
    }
    if (*at != '.') return false;
    char key[64];
    const size_t length = strcspn(at + 1, ".[");
    if (length == 0 || length >= sizeof key) return false;
    memcpy(key, at + 1, length);
    key[length] = '\0';
    /* Names and the lattice are what the rest hangs on. */
    if (strcmp(key, "name") == 0 || strcmp(section, "lattice") == 0) return false;
    return json_object_del(value, key) == 0;
}

/* regions[N] as the page numbers them: those cut out before count too. */
static void renumber(json_t *problem, const bool removed[], size_t region_count)
{
    const char *path = json_string_value(json_object_get(problem, "path"));
    if (strncmp(path, "regions[", 8) != 0) return;
    char *end = NULL;
    size_t left = (size_t)strtoul(path + 8, &end, 10);
    for (size_t i = 0; i < region_count; i++) {
        if (removed[i]) continue;
        if (left-- == 0) {
            (void)json_object_set_new(problem, "path", json_sprintf("regions[%zu%s", i, end));
            return;
        }
    }
}

/* The first problem and, for scenes that are read fast, those behind it. */
static json_t *find_problems(const json_t *scene, const char *first)
{
    json_t *list = json_array();
    json_t *problem = problem_json(first); /* numbered as in the copy */
    const size_t region_count = json_array_size(json_object_get(scene, "regions"));
    bool *removed = calloc(region_count + 1, sizeof *removed);
    json_t *copy = NULL;
    if (removed != NULL && json_dumpb(scene, NULL, 0, JSON_COMPACT) < REPEAT_BYTES_MAX) {
        copy = json_deep_copy(scene);
    }
    for (;;) {
        json_t *shown = json_copy(problem);
        if (removed != NULL) renumber(shown, removed, region_count);
        (void)json_array_append_new(list, shown);
        const char *path = json_string_value(json_object_get(problem, "path"));
        if (copy == NULL || json_array_size(list) >= PROBLEMS_MAX ||
            !cut_out(copy, path, removed, region_count)) {
            break;
        }
        vxe_scene *parsed = NULL;
        vxe_error error = {VXE_OK, ""};
        const vxe_result result = parse(copy, &parsed, &error);
        vxe_scene_destroy(parsed);
        if (result == VXE_OK) break;
        json_decref(problem);
        problem = problem_json(error.message);
    }
    json_decref(problem);
    json_decref(copy);
    free(removed);
    return list;
}

/* ---- changes ------------------------------------------------------------------------------------------------------ */

bool document_set(document *d, json_t *scene, failure *f)
{
    if (!json_is_object(scene)) return fail(f, "argument", "\"scene\" is not an object");
    vxe_error error = {VXE_OK, ""};
    vxe_scene *parsed = NULL;
    vxe_result result = parse(scene, &parsed, &error);
    if (result == VXE_ERROR_MEMORY) return fail_error(f, &error);
    drop_scene(d);
    d->scene = json_incref(scene);
    d->revision++;
    d->parsed = parsed;
    if (result == VXE_OK) result = measure(d, &error);
    if (result == VXE_OK) {
        d->problems = json_array();
        return true;
    }
    vxe_scene_destroy(d->parsed);
    d->parsed = NULL;
    d->problems = find_problems(scene, error.message);
    return true;
}

bool document_take(document *d, vxe_scene *scene, json_t *notes, failure *f)
{
    char *text = NULL;
    vxe_error error = {VXE_OK, ""};
    if (vxe_scene_print_json(scene, &text, &error) != VXE_OK) {
        vxe_scene_destroy(scene);
        return fail_error(f, &error);
    }
    json_error_t why;
    json_t *object = json_loads(text, 0, &why);
    free(text);
    if (object == NULL) {
        vxe_scene_destroy(scene);
        return fail(f, "memory", "the scene could not be copied: %s", why.text);
    }
    drop_scene(d);
    d->revision++;
    d->scene = object;
    d->parsed = scene;
    if (measure(d, &error) == VXE_OK) {
        d->problems = notes != NULL ? json_incref(notes) : json_array();
    } else {
        vxe_scene_destroy(d->parsed);
        d->parsed = NULL;
        d->problems = json_pack("[o]", problem_json(error.message));
    }
    return true;
}

/* ---- telling ------------------------------------------------------------------------------------------------------ */

const char *document_title(const document *d)
{
    const char *name = json_string_value(json_object_get(d->scene, "name"));
    return name == NULL ? "" : name;
}

json_t *document_json(const document *d, bool with_scene)
{
    json_t *o =
        json_pack("{s:I, s:b, s:o}", "revision", (json_int_t)d->revision, "saved", d->revision == d->saved,
                  "file", d->file == NULL ? json_null() : text_json(d->file));
    if (with_scene) (void)json_object_set(o, "scene", d->scene == NULL ? json_null() : d->scene);
    const bool good = d->parsed != NULL;
    (void)json_object_set_new(o, "hash", good ? hash_json(d->hash) : json_null());
    (void)json_object_set_new(o, "problems", d->problems == NULL ? json_array() : json_incref(d->problems));
    (void)json_object_set_new(o, "voxels",
                              good ? json_integer(vxe_scene_voxel_count(d->parsed)) : json_null());
    (void)json_object_set_new(o, "links", good ? json_integer(d->links) : json_null());
    (void)json_object_set_new(o, "bodies", good ? json_integer(d->bodies) : json_null());
    (void)json_object_set_new(o, "dt", good ? number_json(d->dt) : json_null());
    return o;
}
