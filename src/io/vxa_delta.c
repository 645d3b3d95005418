/* What tags cannot say. After a scene has been written as tags, it is read back from them; every part that
 * comes out different goes, in the native format, into an element `Voxelastic` that other programs ignore,
 * with a hash of what the tags say. A reader that finds the tags unchanged takes the part; if somebody has
 * edited the tags since, they count. */
#include "io/vxa.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *scene_as_json(const vxe_scene *scene, vxe_error *error)
{
    char *text = NULL;
    if (vxe_scene_print_json(scene, &text, error) != VXE_OK) return NULL;
    json_t *root = json_loads(text, 0, NULL);
    free(text);
    if (root == NULL) (void)vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the scene");
    return root;
}

/* Of one part, whether it is there or not. */
static void hash_part(const json_t *root, const char *key, char hash[20])
{
    const json_t *part = json_object_get(root, key);
    char *text = part == NULL ? NULL : json_dumps(part, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);
    const uint64_t h = text == NULL ? 0 : vxe_hash_bytes(VXE_HASH_START, text, strlen(text));
    (void)snprintf(hash, 20, "%016" PRIx64, h);
    free(text);
}

/* Foreign pieces are elements of the document already; the version is that of the format. */
static bool travels(const char *key) { return strcmp(key, "foreign") != 0 && strcmp(key, "voxelastic") != 0; }

/* The parts of `wanted` that `told` says otherwise: {"part": [hash of what is told, what is wanted]}. */
static json_t *find_differences(json_t *wanted, json_t *told)
{
    json_t *delta = json_object();
    json_t *all = json_deep_copy(told);
    if (delta == NULL || all == NULL || json_object_update(all, wanted) != 0) {
        json_decref(delta);
        json_decref(all);
        return NULL;
    }
    const char *key = NULL;
    json_t *unused = NULL;
    json_object_foreach(all, key, unused)
    {
        json_t *mine = json_object_get(wanted, key);
        const json_t *other = json_object_get(told, key);
        char hash[20];
        if (!travels(key) || (mine != NULL && other != NULL && json_equal(mine, other) != 0)) continue;
        hash_part(told, key, hash);
        (void)json_object_set_new(delta, key, json_pack("[s, O?]", hash, mine));
    }
    json_decref(all);
    return delta;
}

vxe_result vxe_vxa_add_delta(const vxe_scene *scene, xmlDoc *document, vxe_dialect dialect, vxe_notes *notes,
                             vxe_error *error)
{
    xmlNode *root = xmlDocGetRootElement(document);
    xmlNode *own = xmlNewChild(root, NULL, (const xmlChar *)"Voxelastic", NULL);
    if (own == NULL) return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the file");
    xmlNewProp(own, (const xmlChar *)"Version", (const xmlChar *)"1");
    xmlNewProp(own, (const xmlChar *)"Dialect", (const xmlChar *)vxe_dialect_name(dialect));
    vxe_notes *unheard = vxe_notes_create();
    vxe_scene *told_scene = NULL;
    xmlChar *text = NULL;
    int size = 0;
    xmlDoc *copy = NULL;
    xmlDocDumpMemoryEnc(document, &text, &size, "UTF-8");
    vxe_result result =
        text == NULL || unheard == NULL
            ? vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the file")
            : vxe_xml_parse((const char *)text, (size_t)size, "the written file", &copy, error);
    xmlFree(text);
    if (result == VXE_OK)
        result = vxe_vxa_read_document(copy, "the written file", dialect, &told_scene, unheard, error);
    if (copy != NULL) xmlFreeDoc(copy);
    vxe_notes_destroy(unheard);
    if (result != VXE_OK) return result;
    vxe_error cause = {VXE_OK, ""};
    json_t *wanted = scene_as_json(scene, &cause);
    json_t *told = wanted == NULL ? NULL : scene_as_json(told_scene, &cause);
    vxe_scene_destroy(told_scene);
    if (told == NULL && cause.code == VXE_ERROR_LIMIT) {
        json_decref(wanted);
        vxe_notes_add(
            notes, VXE_NOTE_CHANGED, 0, "Voxelastic",
            "the scene is too large to be compared with the tags: what they cannot say is not in the file");
        return VXE_OK;
    }
    json_t *delta = told == NULL ? NULL : find_differences(wanted, told);
    json_decref(wanted);
    json_decref(told);
    if (delta == NULL)
        return vxe_fail(error, VXE_ERROR_LIMIT,
                        "the scene is too large to be compared with the written file");
    const char *key = NULL;
    json_t *part = NULL;
    json_object_foreach(delta, key, part)
    {
        if (strcmp(key, "experiment") == 0 || strcmp(key, "name") == 0) continue;
        vxe_notes_add(
            notes, VXE_NOTE_NOT_SIMULATED, 0, key,
            "tags cannot say all of it; it is in the element Voxelastic, which other programs ignore");
    }
    if (json_object_size(delta) > 0) {
        char *lines = json_dumps(delta, JSON_COMPACT | JSON_SORT_KEYS);
        if (lines == NULL) {
            json_decref(delta);
            return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the file");
        }
        xmlNode *holder = xmlNewChild(own, NULL, (const xmlChar *)"Scene", NULL);
        xmlNodeAddContent(holder, (const xmlChar *)lines);
        free(lines);
    }
    json_decref(delta);
    return VXE_OK;
}

vxe_result vxe_vxa_apply_delta(const xmlNode *element, const char *name, vxe_scene **scene, vxe_notes *notes,
                               vxe_error *error)
{
    xmlChar *text = vxe_xml_text(vxe_xml_peek(element, "Scene"));
    if (text == NULL) return VXE_OK;
    json_error_t problem;
    json_t *delta = json_loads((const char *)text, JSON_REJECT_DUPLICATES, &problem);
    xmlFree(text);
    if (!json_is_object(delta)) {
        json_decref(delta);
        return vxe_fail(error, VXE_ERROR_INPUT, "%s:%d: Voxelastic: Scene is not a JSON object", name,
                        (int)vxe_xml_line(element));
    }
    json_t *root = scene_as_json(*scene, error);
    if (root == NULL) {
        json_decref(delta);
        return error != NULL ? error->code : VXE_ERROR_MEMORY;
    }
    const char *key = NULL;
    json_t *part = NULL;
    json_object_foreach(delta, key, part)
    {
        char hash[20];
        hash_part(root, key, hash);
        const char *told = json_string_value(json_array_get(part, 0));
        json_t *mine = json_array_get(part, 1);
        if (!travels(key) || told == NULL || mine == NULL) continue;
        if (strcmp(told, hash) != 0) {
            vxe_notes_add(notes, VXE_NOTE_READ, vxe_xml_line(element), "Voxelastic",
                          "\"%.32s\": the tags have been edited since, and count", key);
        } else if (json_is_null(mine)) {
            (void)json_object_del(root, key);
        } else {
            (void)json_object_set(root, key, mine);
        }
    }
    json_decref(delta);
    char *whole = json_dumps(root, 0);
    json_decref(root);
    if (whole == NULL) return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the scene");
    vxe_scene *made = NULL;
    vxe_error cause;
    const vxe_result result = vxe_scene_parse_json(whole, strlen(whole), "Voxelastic", NULL, &made, &cause);
    free(whole);
    if (result != VXE_OK)
        return vxe_fail(error, result, "%s:%d: %s", name, (int)vxe_xml_line(element), cause.message);
    vxe_scene_destroy(*scene);
    *scene = made;
    return VXE_OK;
}
