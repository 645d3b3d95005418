/* Commands about the session, the scene and files. */
#include "studio/desk.h"
#include "base/words.h"
#include "picture/measure.h"
#include "picture/world.h"
#include "studio/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PROTOCOL = 1, VOXELS_SHOWN_MAX = 2000000 };

static json_t *hello(desk *d, const command *c, failure *f)
{
    (void)c;
    (void)f;
    player_enter(d->player);
    player_greet(d->player);
    json_t *sim = d->player->sim == NULL ? json_null() : status_json(d->player);
    json_t *trace = traced_json(&d->player->traced);
    json_t *probes = json_incref(d->player->probes);
    json_t *job = solver_json(d->solver);
    json_t *o = json_object();
    (void)json_object_set_new(o, "version", json_string(vxe_version()));
    (void)json_object_set_new(o, "protocol", json_integer(PROTOCOL));
    (void)json_object_set_new(o, "folder", text_json(folder_name(&d->folder)));
    (void)json_object_set_new(o, "formats", formats_list());
    (void)json_object_set_new(o, "fields", vxe_measure_list());
    (void)json_object_set_new(o, "solve", json_boolean(vxe_solve_available()));
    (void)json_object_set_new(
        o, "limits",
        json_pack("{s:I, s:i}", "message", (json_int_t)COMMAND_BYTES_MAX, "voxels", VOXELS_SHOWN_MAX));
    (void)json_object_set_new(o, "scene",
                              d->document.scene == NULL ? json_null() : document_json(&d->document, true));
    (void)json_object_set_new(o, "sim", sim);
    (void)json_object_set_new(o, "trace", trace);
    (void)json_object_set_new(o, "probes", probes);
    (void)json_object_set_new(o, "solve_job", job == NULL ? json_null() : job);
    (void)json_object_set_new(o, "autosaves", autosave_list(&d->autosave, &d->folder));
    player_publish(d->player);
    player_leave(d->player);
    return o;
}

/* ---- the scene ---------------------------------------------------------------------------------------------------- */

static json_t *scene_get(desk *d, const command *c, failure *f)
{
    (void)c;
    (void)f;
    return document_json(&d->document, true);
}

static json_t *scene_set(desk *d, const command *c, failure *f)
{
    if (!document_set(&d->document, json_object_get(c->object, "scene"), f)) return NULL;
    return document_json(&d->document, false);
}

static json_t *scene_new(desk *d, const command *c, failure *f)
{
    (void)c;
    (void)f;
    document_clear(&d->document);
    return document_json(&d->document, true);
}

/* What is around the body, as a message of its own. */
static json_t *scene_world(desk *d, const command *c, failure *f)
{
    (void)c;
    const vxe_scene *scene = d->document.parsed;
    vxe_error error = {VXE_OK, ""};
    vxe_scenery *s = NULL;
    float *corners = NULL;
    uint8_t *colors = NULL;
    if (scene == NULL) return json_pack("{s:b}", "world", 0);
    if (vxe_scenery_create(scene, &s, &error) != VXE_OK) {
        (void)fail_error(f, &error);
        return NULL;
    }
    json_t *header = vxe_world_json(scene);
    const bool good = header != NULL && vxe_world_arrays(s, &corners, &colors);
    if (good) {
        const message_array arrays[] = {
            {"corners", "f32", s == NULL ? 0 : 3 * (size_t)s->corner_count, corners},
            {"face", "u32", s == NULL ? 0 : 4 * (size_t)s->face_count, s == NULL ? NULL : s->face},
            {"color", "u8", s == NULL ? 0 : 3 * (size_t)s->face_count, colors},
        };
        (void)json_object_set_new(header, "kind", json_string("world"));
        outbox_post(d->out, message_binary(MESSAGE_REPLY, header, arrays, s == NULL ? 0 : 3), d->page);
        free(corners);
        free(colors);
    } else {
        json_decref(header);
        (void)fail(f, "memory", "there is not enough memory for ground and solids");
    }
    vxe_scenery_destroy(s);
    return good ? json_pack("{s:b}", "world", 1) : NULL;
}

/* Makes a loaded scene the current one. */
static json_t *adopt(desk *d, vxe_scene *scene, json_t *notes, const char *file, failure *f)
{
    const bool good = document_take(&d->document, scene, notes, f) && document_name(&d->document, file, f);
    json_decref(notes);
    if (!good) return NULL;
    d->document.saved = file == NULL ? -1 : d->document.revision;
    return document_json(&d->document, true);
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

static json_t *file_list(desk *d, const command *c, failure *f)
{
    const char *path = "";
    return take_text(c, "path", &path, f) ? folder_list(&d->folder, path, f) : NULL;
}

/* Messages name files by their real path; the page knows them relative to the folder. */
static void shorten(const desk *d, failure *f)
{
    const size_t length = strlen(d->folder.root);
    char *at = f->code == NULL || length < 2 ? NULL : strstr(f->message, d->folder.root);
    if (at != NULL && at[length] == '/') memmove(at, at + length + 1, strlen(at + length + 1) + 1);
}

/* A scene with errors that the studio itself saved, for the page to mend; NULL: it is not one. What is drawn
 * with shapes was written elsewhere, and the page does not know them. */
static json_t *open_draft(desk *d, const char *real, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    failure ignored = {NULL, ""};
    if (!vxe_ends_with(path, ".json") || vxe_read_file(real, COMMAND_BYTES_MAX, &text, &size, NULL) != VXE_OK)
        return NULL;
    json_t *scene = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    free(text);
    json_t *reply = NULL;
    if (json_is_object(json_object_get(scene, "lattice")) && json_object_get(scene, "shapes") == NULL &&
        document_set(&d->document, scene, &ignored) && document_name(&d->document, path, &ignored)) {
        d->document.saved = d->document.revision;
        reply = document_json(&d->document, true);
    }
    json_decref(scene);
    return reply;
}

static json_t *open_path(desk *d, const char *path, bool drafts, failure *f)
{
    inside_path found;
    vxe_scene *scene = NULL;
    if (!folder_find(&d->folder, path, &found, f)) return NULL;
    json_t *notes = json_array();
    if (formats_load(found.text, &scene, notes, f)) return adopt(d, scene, notes, path, f);
    json_decref(notes);
    json_t *draft = drafts && strcmp(f->code, "input") == 0 ? open_draft(d, found.text, path) : NULL;
    if (draft != NULL) f->code = NULL;
    shorten(d, f);
    return draft;
}

bool desk_open(desk *d, const char *path, failure *f)
{
    json_t *reply = open_path(d, path, false, f);
    json_decref(reply);
    return reply != NULL;
}

static json_t *file_open(desk *d, const command *c, failure *f)
{
    const char *path = NULL;
    return need_text(c, "path", &path, f) ? open_path(d, path, true, f) : NULL;
}

/* A scene with errors is written as it is: nothing is lost. */
static bool save_draft(const document *doc, const char *path, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    char *text = json_dumps(doc->scene, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    if (text == NULL) return fail(f, "memory", "there is not enough memory to write the scene");
    const vxe_result result = vxe_write_file(path, text, strlen(text), &error);
    free(text);
    return result == VXE_OK || fail_error(f, &error);
}

static json_t *file_save(desk *d, const command *c, failure *f)
{
    const char *path = NULL;
    bool overwrite = false;
    inside_path place;
    document *doc = &d->document;
    if (!need_text(c, "path", &path, f) || !take_flag(c, "overwrite", &overwrite, f) ||
        !folder_place(&d->folder, path, &place, f)) {
        return NULL;
    }
    if (doc->scene == NULL) return no_reply(f, "none", "there is no scene to save");
    const bool same = doc->file != NULL && strcmp(doc->file, path) == 0;
    if (!overwrite && !same && access(place.text, F_OK) == 0)
        return no_reply(f, "exists", "%s: is there already", path);
    if (!formats_writes(path)) return no_reply(f, "input", "%s: files of this kind are not written", path);
    json_t *notes = json_array();
    bool good = false;
    if (doc->parsed != NULL) {
        good = formats_save(doc->parsed, place.text, notes, f);
    } else if (vxe_ends_with(path, ".json")) {
        good = save_draft(doc, place.text, f);
    } else {
        (void)fail(f, "input", "a scene with errors can be saved as .json only");
    }
    shorten(d, f);
    if (!good || !document_name(doc, path, f)) {
        json_decref(notes);
        return NULL;
    }
    doc->saved = doc->revision;
    d->autosave.revision = -1; /* to be removed */
    return json_pack("{s:s, s:o, s:I, s:o}", "path", path, "hash",
                     doc->parsed == NULL ? json_null() : hash_json(doc->hash), "revision",
                     (json_int_t)doc->revision, "problems", notes);
}

/* The scene of an uploaded file. */
static json_t *file_import(desk *d, const command *c, failure *f)
{
    const char *name = NULL;
    if (!need_text(c, "name", &name, f)) return NULL;
    if (c->bytes == NULL)
        return no_reply(f, "argument", "file.import needs the file's bytes: send a binary message");
    /* The temporary file lies with the autosaves. */
    inside_path place;
    if (mkdirat(d->folder.descriptor, ".voxelastic", 0700) != 0 && errno != EEXIST)
        return no_reply(f, "file", ".voxelastic: %s", strerror(errno));
    if (!folder_find(&d->folder, ".voxelastic", &place, f)) return NULL;
    return formats_import(place.text, name, c, f);
}

/* ---- demos and autosaves ------------------------------------------------------------------------------------------ */

static bool parse_demo(const studio_demo *demo, vxe_scene **scene, failure *f)
{
    char name[VXE_NAME_SIZE + 8];
    vxe_error error = {VXE_OK, ""};
    (void)snprintf(name, sizeof name, "%s.json", demo->name);
    return vxe_scene_parse_json((const char *)demo->text, demo->size, name, NULL, scene, &error) == VXE_OK ||
           fail_error(f, &error);
}

static json_t *demo_list(desk *d, const command *c, failure *f)
{
    json_t *list = json_array();
    (void)c;
    for (size_t i = 0; i < d->options->demo_count; i++) {
        const studio_demo *demo = &d->options->demos[i];
        json_t *text = json_loadb((const char *)demo->text, demo->size, 0, NULL);
        const char *description = json_string_value(json_object_get(text, "description"));
        (void)json_array_append_new(list, json_pack("{s:s, s:s}", "name", demo->name, "description",
                                                    description == NULL ? "" : description));
        json_decref(text);
    }
    (void)f;
    return json_pack("{s:o}", "demos", list);
}

static json_t *open_demo(desk *d, const char *name, failure *f)
{
    vxe_scene *scene = NULL;
    for (size_t i = 0; i < d->options->demo_count; i++) {
        if (strcmp(d->options->demos[i].name, name) != 0) continue;
        return parse_demo(&d->options->demos[i], &scene, f) ? adopt(d, scene, json_array(), NULL, f) : NULL;
    }
    (void)fail(f, "argument", "there is no demo \"%.64s\"", name);
    return NULL;
}

bool desk_open_demo(desk *d, const char *name, failure *f)
{
    json_t *reply = open_demo(d, name, f);
    json_decref(reply);
    return reply != NULL;
}

static json_t *demo_open(desk *d, const command *c, failure *f)
{
    const char *name = NULL;
    return need_text(c, "name", &name, f) ? open_demo(d, name, f) : NULL;
}

/* A demo's scene, to be looked at; the document stays as it is. */
static json_t *demo_get(desk *d, const command *c, failure *f)
{
    const char *name = NULL;
    if (!need_text(c, "name", &name, f)) return NULL;
    for (size_t i = 0; i < d->options->demo_count; i++) {
        vxe_scene *scene = NULL;
        vxe_error error = {VXE_OK, ""};
        char *text = NULL;
        if (strcmp(d->options->demos[i].name, name) != 0) continue;
        if (!parse_demo(&d->options->demos[i], &scene, f)) return NULL;
        const bool good = vxe_scene_print_json(scene, &text, &error) == VXE_OK || fail_error(f, &error);
        json_t *object = good ? json_loads(text, 0, NULL) : NULL;
        free(text);
        vxe_scene_destroy(scene);
        return object == NULL ? NULL : json_pack("{s:o}", "scene", object);
    }
    (void)fail(f, "argument", "there is no demo \"%.64s\"", name);
    return NULL;
}

static json_t *autosave_list_(desk *d, const command *c, failure *f)
{
    (void)c;
    (void)f;
    return json_pack("{s:o}", "autosaves", autosave_list(&d->autosave, &d->folder));
}

static json_t *autosave_open(desk *d, const command *c, failure *f)
{
    const char *id = NULL;
    json_t *file = NULL;
    if (!need_text(c, "autosave", &id, f)) return NULL;
    json_t *scene = autosave_read(&d->folder, id, &file, f);
    if (scene == NULL) return NULL;
    bool good =
        document_set(&d->document, scene, f) && document_name(&d->document, json_string_value(file), f);
    json_decref(scene);
    json_decref(file);
    if (!good) return NULL;
    d->document.saved = -1;
    /* Taken over: written under this session's name before the other goes. */
    if (autosave_write(&d->autosave, &d->folder, &d->document, f)) (void)autosave_remove(&d->folder, id, f);
    return f->code == NULL ? document_json(&d->document, true) : NULL;
}

static json_t *autosave_remove_(desk *d, const command *c, failure *f)
{
    const char *id = NULL;
    if (!need_text(c, "autosave", &id, f) || !autosave_remove(&d->folder, id, f)) return NULL;
    return json_object();
}

const desk_command desk_scene_commands[] = {
    {"hello", hello, ""},
    {"scene.get", scene_get, ""},
    {"scene.set", scene_set, "scene"},
    {"scene.new", scene_new, ""},
    {"scene.world", scene_world, ""},
    {"file.list", file_list, "path"},
    {"file.open", file_open, "path"},
    {"file.save", file_save, "path overwrite"},
    {"file.import", file_import, "name pitch longest unit material"},
    {"demo.list", demo_list, ""},
    {"demo.get", demo_get, "name"},
    {"demo.open", demo_open, "name"},
    {"autosave.list", autosave_list_, ""},
    {"autosave.open", autosave_open, "autosave"},
    {"autosave.remove", autosave_remove_, "autosave"},
    {NULL, NULL, NULL},
};
