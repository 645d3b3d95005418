/* Which format a file has, and the way to its reader or writer: see formats.h for how to add one. */
#include "io/formats.h"
#include "base/settings.h"
#include "io/vxl.h"

#ifdef VXE_HAVE_XML
#include "io/vxa.h"
#include "io/vxd.h"
#endif

#ifdef VXE_HAVE_JSON
#include "io/json.h"
#endif

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* --- the native format --- */

#if defined(VXE_HAVE_JSON) || defined(VXE_HAVE_XML)

/* Whether the first character that counts is the given one. */
static bool begins_with(const char *text, size_t size, char first)
{
    size_t at = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0') at++;
    return at < size && text[at] == first;
}

#endif

#ifdef VXE_HAVE_JSON

static vxe_result parse_json(const vxe_source *source, const vxe_load_def *def, vxe_scene **scene,
                             vxe_notes *notes, vxe_error *error)
{
    (void)def;
    return vxe_json_parse_scene(source->text, source->size, source->name, source->folder, scene, notes,
                                error);
}

static vxe_result save_json(const vxe_scene *scene, const char *path, vxe_notes *notes, vxe_error *error)
{
    (void)notes;
    return vxe_scene_save_json(scene, path, error);
}

static bool is_json(const char *text, size_t size)
{
    return begins_with(text, size, '{') && !vxe_vxl_is_json(text, size);
}

#endif

#ifdef VXE_HAVE_XML

static bool is_xml(const char *text, size_t size) { return begins_with(text, size, '<'); }

#endif

/* --- the table --- */

#ifdef VXE_HAVE_FORMATS
#define MESH_READ                                                                                            \
    "a mesh is not a scene; \"voxelastic voxelize MESH -o SCENE --pitch L\" fills it with voxels"
#define MESH_WRITE                                                                                           \
    "a scene is not a mesh; the deformed surface of a run is written by \"voxelastic run SCENE -o DIR "      \
    "--write stl,obj,ply\""
#endif

static const vxe_format formats[] = {
#ifdef VXE_HAVE_JSON
    {.extension = ".json",
     .what = "Voxelastic scene",
     .recognises = is_json,
     .parse = parse_json,
     .save = save_json},
#endif
#ifdef VXE_HAVE_JSON
    {.extension = ".vxl.json",
     .what = "Voxelyze scene",
     .recognises = vxe_vxl_is_json,
     .parse = vxe_vxl_parse_json,
     .save = vxe_vxl_save_json},
#endif
    {.extension = ".history",
     .what = "voxcraft recording",
     .read_help = "a history is a recording, not a scene; \"voxelastic info\" tells what is in it",
     .write_help = "a history is written by a run: see docs/formats.md"},
#ifdef VXE_HAVE_XML
    {.extension = ".vxa",
     .what = "VoxCAD, evosoro or voxcraft scene",
     .recognises = is_xml,
     .parse = vxe_vxa_parse,
     .save = vxe_vxa_save},
    {.extension = ".vxc",
     .what = "VoxCAD object, without its surroundings",
     .parse = vxe_vxa_parse,
     .save = vxe_vxc_save},
    {.extension = ".vxp",
     .what = "VoxCAD palette: one voxel of each material",
     .parse = vxe_vxa_parse,
     .write_help = "a palette alone is not written; write .vxc, which has one"},
    {.extension = ".bcx",
     .what = "VoxCAD boundary conditions, on a block",
     .parse = vxe_vxa_parse,
     .write_help = "boundary conditions alone are not written; write .vxa, which has them"},
    {.extension = ".vxd",
     .what = "voxcraft overlay, on the base.vxa beside it",
     .load = vxe_vxd_load,
     .write_help = "an overlay is a difference between two scenes; write .vxa"},
    {.extension = ".dmf",
     .what = "VoxCAD object, old name",
     .parse = vxe_vxa_parse,
     .write_help = "write .vxc"},
    {.extension = ".dmfea",
     .what = "VoxCAD scene, old name",
     .parse = vxe_vxa_parse,
     .write_help = "write .vxa"},
    {.extension = ".pal",
     .what = "VoxCAD palette, old name",
     .parse = vxe_vxa_parse,
     .write_help = "write .vxc"},
#endif
#ifdef VXE_HAVE_FORMATS
    {.extension = ".npy",
     .what = "NumPy array of voxels",
     .load = vxe_grid_format_load,
     .save = vxe_grid_format_save},
    {.extension = ".npz",
     .what = "NumPy archive of voxels",
     .load = vxe_grid_format_load,
     .save = vxe_grid_format_save},
    {.extension = ".vox",
     .what = "MagicaVoxel model",
     .load = vxe_grid_format_load,
     .write_help = "MagicaVoxel files are only read"},
    {.extension = ".stl", .what = "mesh", .read_help = MESH_READ, .write_help = MESH_WRITE},
    {.extension = ".obj", .what = "mesh", .read_help = MESH_READ, .write_help = MESH_WRITE},
    {.extension = ".ply", .what = "mesh", .read_help = MESH_READ, .write_help = MESH_WRITE},
    {.extension = ".3mf",
     .what = "mesh",
     .read_help = MESH_READ,
     .write_help = "3MF files are only read; the deformed surface of a run is written by \"voxelastic run "
                   "SCENE -o DIR --write stl\""},
    {.extension = ".png",
     .what = "image",
     .read_help =
         "an image is one layer of voxels; \"voxelastic voxelize LAYER.png... -o SCENE\" stacks them",
     .write_help = "layers of voxels are not written as images"},
    {.extension = ".vtu",
     .what = "ParaView file",
     .read_help = "ParaView files are results, not scenes",
     .write_help = "results of a run are written by \"voxelastic run SCENE -o DIR --write vtu\""},
#endif
    {.extension = NULL},
};
enum { FORMAT_COUNT = (int)(sizeof formats / sizeof formats[0]) - 1 };

static bool reads(const vxe_format *format) { return format->parse != NULL || format->load != NULL; }

bool vxe_format_get(int32_t index, vxe_format_info *info)
{
    if (index < 0 || index >= FORMAT_COUNT || info == NULL) return false;
    const vxe_format *f = &formats[index];
    *info = (vxe_format_info){f->extension, f->what, reads(f), f->save != NULL};
    return true;
}

/* The format that the end of a name says; NULL: none. */
static const vxe_format *format_by_name(const char *path)
{
    const vxe_format *best = NULL;
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    const size_t length = strlen(name);
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const size_t part = strlen(formats[i].extension);
        if (length <= part || strcasecmp(name + length - part, formats[i].extension) != 0) continue;
        if (best == NULL || part > strlen(best->extension)) best = &formats[i];
    }
    return best;
}

static const vxe_format *find_by_contents(const char *text, size_t size)
{
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i].recognises != NULL && formats[i].recognises(text, size)) return &formats[i];
    }
    return NULL;
}

/* ".json, .vxa or .vxc": the formats that are read or written. */
static void list_formats(bool written, char *list, size_t size)
{
    int32_t total = 0;
    for (int i = 0; i < FORMAT_COUNT; i++) total += written ? formats[i].save != NULL : reads(&formats[i]);
    int32_t done = 0;
    list[0] = '\0';
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (!(written ? formats[i].save != NULL : reads(&formats[i]))) continue;
        const char *joint = done == 0 ? "" : done + 1 == total ? " or " : ", ";
        vxe_append(list, size, "%s%s", joint, formats[i].extension);
        done++;
    }
}

static vxe_result refuse_name(const char *path, const vxe_format *format, bool written, vxe_error *error)
{
    const char *help = format == NULL ? NULL : written ? format->write_help : format->read_help;
    char list[400];
    if (help != NULL) return vxe_fail(error, VXE_ERROR_INPUT, "%s: %s", path, help);
    list_formats(written, list, sizeof list);
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash == NULL ? path : slash, '.');
    if (format != NULL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: a %s cannot be %s; scenes are %s %s", path, format->what,
                        written ? "written" : "read", written ? "written to" : "read from", list);
    }
    if (dot == NULL) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: the name has no extension that tells a format; scenes are %s %s", path,
                        written ? "written to" : "read from", list);
    }
    return vxe_fail(error, VXE_ERROR_INPUT, "%s: files of kind \"%s\" are not %s; scenes are %s %s", path,
                    dot, written ? "written" : "read", written ? "written to" : "read from", list);
}

static const settings_type load_type = {"vxe_load_def", sizeof(vxe_load_def),
                                        SETTINGS_END(vxe_load_def, dialect), NULL};

void vxe_load_def_init(vxe_load_def *def, size_t size) { vxe_settings_give(&load_type, NULL, def, size); }

/* Runs a reader with remarks of its own and hands them over if all went well. */
static vxe_result read_with_notes(const vxe_format *format, const char *path, const vxe_source *source,
                                  const vxe_load_def *def, vxe_scene **scene, vxe_notes **notes,
                                  vxe_error *error)
{
    vxe_load_def own = vxe_default_load_def();
    const vxe_result taken = def != NULL ? vxe_settings_take(&load_type, def, &own, error) : VXE_OK;
    if (taken != VXE_OK) return taken;
    vxe_notes *remarks = vxe_notes_create();
    if (remarks == NULL) return vxe_fail_memory(error, "remarks", 1);
    vxe_scene *made = NULL;
    vxe_result result = source != NULL ? format->parse(source, &own, &made, remarks, error)
                                       : format->load(path, &own, &made, remarks, error);
    if (result == VXE_OK && vxe_notes_failed(remarks)) {
        vxe_scene_destroy(made);
        result = vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the remarks on a file");
    }
    if (result == VXE_OK) *scene = made;
    if (result == VXE_OK && notes != NULL) {
        *notes = remarks;
    } else {
        vxe_notes_destroy(remarks);
    }
    return result;
}

vxe_result vxe_scene_parse(const char *text, size_t size, const char *name, const char *folder,
                           const vxe_load_def *def, vxe_scene **scene, vxe_notes **notes, vxe_error *error)
{
    if (text == NULL || name == NULL || scene == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    const vxe_format *format = find_by_contents(text, size);
    if (format == NULL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: %s", name,
                        size == 0 ? "the file is empty" : "the contents are of no kind that is known");
    }
    const vxe_source source = {text, size, name, folder};
    return read_with_notes(format, NULL, &source, def, scene, notes, error);
}

/* The folder of a file, "." for none; NULL: no memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL || slash == path ? 1 : (size_t)(slash - path);
    char *folder = calloc(length + 1, 1);
    if (folder != NULL) memcpy(folder, slash == NULL ? "." : path, length);
    return folder;
}

vxe_result vxe_scene_load(const char *path, const vxe_load_def *def, vxe_scene **scene, vxe_notes **notes,
                          vxe_error *error)
{
    if (path == NULL || scene == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    const vxe_format *format = format_by_name(path);
    if (format != NULL && !reads(format)) return refuse_name(path, format, false, error);
    if (format != NULL && format->load != NULL)
        return read_with_notes(format, path, NULL, def, scene, notes, error);
#ifdef VXE_HAVE_XML
    if (format == NULL && vxe_overlay_folder(path))
        return read_with_notes(format_by_name("overlay.vxd"), path, NULL, def, scene, notes, error);
#endif
    struct stat info;
    if (format == NULL && stat(path, &info) != 0) return refuse_name(path, NULL, false, error);
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: is a folder, and there is no base.vxa in it: a folder of voxcraft has that file "
                        "and overlays (.vxd)",
                        path);
    }
    char *text = NULL;
    size_t size = 0;
    vxe_result result = vxe_read_file(path, VXE_SCENE_BYTES_MAX, &text, &size, error);
    if (result != VXE_OK) return result;
    if (format == NULL) format = find_by_contents(text, size);
    char *folder = folder_of(path);
    if (format == NULL) {
        result = refuse_name(path, NULL, false, error);
    } else if (folder == NULL) {
        result = vxe_fail_memory(error, path, strlen(path));
    } else {
        const vxe_source source = {text, size, path, folder};
        result = read_with_notes(format, NULL, &source, def, scene, notes, error);
    }
    free(folder);
    free(text);
    return result;
}

vxe_result vxe_scene_save(const vxe_scene *scene, const char *path, vxe_notes **notes, vxe_error *error)
{
    if (scene == NULL || path == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    const vxe_format *format = format_by_name(path);
    if (format == NULL || format->save == NULL) return refuse_name(path, format, true, error);
    vxe_notes *remarks = vxe_notes_create();
    if (remarks == NULL) return vxe_fail_memory(error, "remarks", 1);
    const vxe_result result = format->save(scene, path, remarks, error);
    if (result == VXE_OK && notes != NULL) {
        *notes = remarks;
    } else {
        vxe_notes_destroy(remarks);
    }
    return result;
}

#ifndef VXE_HAVE_XML

bool vxe_overlay_folder(const char *path)
{
    (void)path;
    return false;
}

vxe_result vxe_overlay_list(const char *folder, char ***names, int32_t *count, vxe_error *error)
{
    (void)names;
    (void)count;
    return vxe_fail(error, VXE_ERROR_INPUT, "%s: overlays are not read by this build", folder);
}

void vxe_overlay_free(char **names, int32_t count)
{
    (void)names;
    (void)count;
}

#endif

const char *vxe_dialect_name(vxe_dialect dialect)
{
    switch (dialect) {
    case VXE_DIALECT_AUTO: return "auto";
    case VXE_DIALECT_VOXCAD: return "voxcad";
    case VXE_DIALECT_EVOSORO: return "evosoro";
    case VXE_DIALECT_VOXCRAFT: return "voxcraft";
    }
    return "unknown";
}
