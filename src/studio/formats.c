/* Scene files of the studio; see formats.h. */
#include "studio/formats.h"
#include "studio/message.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_with(const char *name, const char *extension)
{
    const size_t length = strlen(name);
    const size_t tail = strlen(extension);
    return length > tail && strcasecmp(name + length - tail, extension) == 0;
}

bool formats_reads(const char *name) { return ends_with(name, ".json"); }
bool formats_writes(const char *name) { return ends_with(name, ".json"); }
bool formats_is_mesh(const char *name)
{
    (void)name;
    return false;
}

json_t *formats_list(void)
{
    return json_pack("{s:[{s:s, s:s}], s:[{s:s, s:s}], s:[]}", "read", "extension", "json", "name",
                     "Voxelastic scene", "write", "extension", "json", "name", "Voxelastic scene", "mesh");
}

bool formats_load(const char *path, vxe_scene **scene, json_t *problems, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    (void)problems;
    if (!formats_reads(path)) return fail(f, "input", "%s: scenes are read from FILE.json", path);
    return vxe_scene_load_json(path, scene, &error) == VXE_OK || fail_error(f, &error);
}

bool formats_save(const vxe_scene *scene, const char *path, json_t *problems, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    (void)problems;
    if (!formats_writes(path)) return fail(f, "input", "%s: scenes are written to FILE.json", path);
    return vxe_scene_save_json(scene, path, &error) == VXE_OK || fail_error(f, &error);
}

json_t *formats_import(const char *name, const command *c, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    char *text = NULL;
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;
    if (!formats_reads(base)) {
        (void)fail(f, "input", "%.200s: files of this kind are not read", base);
        return NULL;
    }
    if (vxe_scene_parse_json((const char *)c->bytes, c->byte_count, base, NULL, &scene, &error) != VXE_OK ||
        vxe_scene_print_json(scene, &text, &error) != VXE_OK) {
        vxe_scene_destroy(scene);
        (void)fail_error(f, &error);
        return NULL;
    }
    vxe_scene_destroy(scene);
    json_t *object = json_loads(text, 0, NULL);
    free(text);
    if (object == NULL) {
        (void)fail(f, "memory", "there is not enough memory for the scene");
        return NULL;
    }
    return json_pack("{s:o, s:[]}", "scene", object, "problems");
}
