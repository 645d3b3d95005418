/* Scene files of the studio; see formats.h. What the library reads and writes is its own business: this asks
 * its table of formats, so that a new one needs no line here. */
#include "studio/formats.h"
#include "base/words.h"
#include "studio/message.h"
#include "voxelastic/mesh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the table ---------------------------------------------------------------------------------------------------- */

/* What meshes are called; ends with NULL. */
static const char *const mesh_extensions[] = {".stl", ".obj", ".ply", ".3mf", NULL};

static bool has_format(const char *name, bool reads)
{
    vxe_format_info info;
    for (int32_t i = 0; vxe_format_get(i, &info); i++) {
        if ((reads ? info.reads : info.writes) && vxe_ends_like(name, info.extension)) return true;
    }
    return false;
}

bool formats_reads(const char *name) { return has_format(name, true); }
bool formats_writes(const char *name) { return has_format(name, false); }

bool formats_is_mesh(const char *name)
{
    for (size_t i = 0; mesh_extensions[i] != NULL; i++) {
        if (vxe_ends_like(name, mesh_extensions[i])) return true;
    }
    return false;
}

json_t *formats_list(void)
{
    json_t *read = json_array();
    json_t *write = json_array();
    json_t *mesh = json_array();
    vxe_format_info info;
    for (int32_t i = 0; vxe_format_get(i, &info); i++) {
        json_t *o = json_pack("{s:s, s:s}", "extension", info.extension + 1, "name", info.what);
        if (info.reads) (void)json_array_append(read, o);
        if (info.writes) (void)json_array_append(write, o);
        json_decref(o);
    }
    for (size_t i = 0; mesh_extensions[i] != NULL; i++) {
        (void)json_array_append_new(
            mesh, json_pack("{s:s, s:s}", "extension", mesh_extensions[i] + 1, "name", "triangle mesh"));
    }
    return json_pack("{s:o, s:o, s:o}", "read", read, "write", write, "mesh", mesh);
}

/* ---- reading and writing ------------------------------------------------------------------------------------------ */

static void add_warning(json_t *problems, const char *text)
{
    (void)json_array_append_new(problems, json_pack("{s:s, s:o, s:s}", "path", "", "message", text_json(text),
                                                    "severity", "warning"));
}

/* What a reader or writer remarked, as far as it matters to someone who looks at the scene: each value that
 * was changed, and one line for all that has no effect here. */
static void add_notes(json_t *problems, vxe_notes *notes)
{
    char idle[1024] = "without effect here:";
    size_t used = strlen(idle);
    const size_t empty = used;
    for (int32_t i = 0; i < vxe_notes_count(notes); i++) {
        const vxe_note *note = vxe_notes_get(notes, i);
        if (note->kind == VXE_NOTE_CHANGED) {
            char text[1024];
            (void)snprintf(text, sizeof text, "%s: %s", note->what, note->text);
            add_warning(problems, text);
        } else if (note->kind == VXE_NOTE_NOT_SIMULATED || note->kind == VXE_NOTE_UNKNOWN) {
            const int length =
                snprintf(idle + used, sizeof idle - used, "%s %s", used == empty ? "" : ",", note->what);
            used += length > 0 && (size_t)length < sizeof idle - used ? (size_t)length : 0;
            idle[used] = '\0';
        }
    }
    if (used > empty) add_warning(problems, idle);
    vxe_notes_destroy(notes);
}

bool formats_load(const char *path, vxe_scene **scene, json_t *problems, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    vxe_notes *notes = NULL;
    if (vxe_scene_load(path, NULL, scene, &notes, &error) != VXE_OK) return fail_error(f, &error);
    add_notes(problems, notes);
    return true;
}

bool formats_save(const vxe_scene *scene, const char *path, json_t *problems, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    vxe_notes *notes = NULL;
    if (vxe_scene_save(scene, path, &notes, &error) != VXE_OK) return fail_error(f, &error);
    add_notes(problems, notes);
    return true;
}
/* ---- uploads ------------------------------------------------------------------------------------------------------ */

static bool import_mesh(const char *name, const command *c, vxe_scene **scene, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    vxe_material_def material = vxe_default_material_def();
    vxe_voxelize_def def = vxe_default_voxelize_def();
    const char *wanted = NULL;
    double unit = 0.001;
    int64_t longest = 40;
    if (!take_number(c, "unit", 1e-9, 1e6, &unit, f) ||
        !take_number(c, "pitch", 0.0, 1000.0, &def.pitch, f) ||
        !take_count(c, "longest", 1, 2000, &longest, f) || !take_text(c, "material", &wanted, f)) {
        return false;
    }
    if (wanted != NULL && !vxe_copy_name(material.name, wanted)) {
        return fail(f, "argument", "the material's name is too long");
    }
    def.voxels = def.pitch > 0.0 ? 0 : (int32_t)longest;
    vxe_mesh *mesh = NULL;
    vxe_result result = vxe_mesh_parse((const char *)c->bytes, c->byte_count, name, unit, &mesh, &error);
    const vxe_mesh *meshes[1] = {mesh};
    if (result == VXE_OK) result = vxe_voxelize(meshes, &material, 1, &def, scene, NULL, &error);
    vxe_mesh_destroy(mesh);
    return result == VXE_OK || fail_error(f, &error);
}
/* Replaces the temporary path in a message by the name the page knows. */
static void rename_in(failure *f, const char *path, const char *name)
{
    char *at = f->code == NULL ? NULL : strstr(f->message, path);
    if (at == NULL) return;
    char rest[sizeof f->message];
    (void)snprintf(rest, sizeof rest, "%s", at + strlen(path));
    (void)snprintf(at, sizeof f->message - (size_t)(at - f->message), "%.200s%.700s", name, rest);
}

/* Readers want a file: one in the studio's own folder, which is gone afterwards. */
static bool import_scene(const char *place, const char *name, const command *c, vxe_scene **scene,
                         json_t *problems, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    const char *dot = strrchr(name, '.');
    char path[4200];
    (void)snprintf(path, sizeof path, "%s/import-%ld%s", place, (long)getpid(), dot);
    if (vxe_write_file(path, c->bytes, c->byte_count, &error) != VXE_OK) {
        (void)fail_error(f, &error);
    } else {
        (void)formats_load(path, scene, problems, f);
        (void)unlink(path);
    }
    rename_in(f, path, name);
    return f->code == NULL;
}

json_t *formats_import(const char *place, const char *name, const command *c, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    json_t *object = NULL;
    char *text = NULL;
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;
    const bool mesh = formats_is_mesh(base);
    if (strlen(base) > 200 || (!mesh && !formats_reads(base)))
        return no_reply(f, "input", "%.200s: files of this kind are not read", base);
    json_t *problems = json_array();
    const bool good =
        mesh ? import_mesh(base, c, &scene, f) : import_scene(place, base, c, &scene, problems, f);
    if (good) {
        if (vxe_scene_print_json(scene, &text, &error) == VXE_OK) {
            object = json_loads(text, 0, NULL);
        } else {
            (void)fail_error(f, &error);
        }
        if (object == NULL) (void)fail(f, "memory", "there is not enough memory for the scene");
    }
    free(text);
    vxe_scene_destroy(scene);
    if (object == NULL) {
        json_decref(problems);
        return NULL;
    }
    return json_pack("{s:o, s:o}", "scene", object, "problems", problems);
}
