/* Overlays: see vxd.h. The rule of voxcraft: every direct child of VXD with an attribute `replace` goes to
 * that place of the base, whole, replacing the first element there or making the path. */
#define _DEFAULT_SOURCE /* DT_ */
#include "io/vxd.h"

#include "base/words.h"
#include "io/json.h"
#include "io/vxa.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char base_name[] = "base.vxa";

/* --- merging --- */

/* The element at a dotted path below `at`, whose own name was the first part; missing ones are made, but for
 * the last. *last is its name (inside `path`). NULL: no memory, or an empty name. */
static xmlNode *walk_path(xmlNode *at, char *path, const char **last)
{
    for (;;) {
        char *dot = strchr(path, '.');
        if (*path == '\0' || dot == path) return NULL;
        if (dot == NULL) {
            *last = path;
            return at;
        }
        *dot = '\0';
        xmlNode *next = vxe_xml_peek(at, path);
        if (next == NULL && xmlValidateNCName((const xmlChar *)path, 0) == 0)
            next = xmlNewChild(at, NULL, (const xmlChar *)path, NULL);
        if (next == NULL) return NULL;
        at = next;
        path = dot + 1;
    }
}

static vxe_result place_part(xmlDoc *base, xmlNode *part, const char *where, const vxe_source *overlay,
                             vxe_error *error)
{
    xmlNode *root = xmlDocGetRootElement(base);
    const size_t size = strlen(where) + 1;
    char *path = malloc(size);
    if (path == NULL) return vxe_fail_memory(error, "a path", size);
    memcpy(path, where, size);
    char *dot = strchr(path, '.');
    const int line = (int)vxe_xml_line(part);
    vxe_result result = VXE_OK;
    const char *last = NULL;
    char shown[VXE_JSON_SHOWN_SIZE];
    char root_shown[VXE_JSON_SHOWN_SIZE];
    xmlNode *parent = NULL;
    if (dot != NULL) {
        *dot = '\0';
        if (vxe_xml_is(root, path)) parent = walk_path(root, dot + 1, &last);
    }
    if (parent == NULL || xmlValidateNCName((const xmlChar *)last, 0) != 0) {
        result = vxe_fail(error, VXE_ERROR_INPUT,
                          "%s:%d: replace=\"%s\" is not a path of the base, such as %s.VXC.Structure",
                          overlay->name, line, vxe_json_shown(where, shown),
                          vxe_json_shown((const char *)root->name, root_shown));
    } else {
        xmlNode *copy = xmlDocCopyNode(part, base, 1);
        if (copy == NULL) {
            result = vxe_fail(error, VXE_ERROR_MEMORY, "%s: there is not enough memory", overlay->name);
        } else {
            xmlNode *old = vxe_xml_peek(parent, last);
            xmlNodeSetName(copy, (const xmlChar *)last);
            vxe_xml_set_origin(copy, part, overlay->name);
            xmlUnsetProp(copy, (const xmlChar *)"replace");
            if (old != NULL) {
                (void)xmlReplaceNode(old, copy);
                xmlFreeNode(old);
            } else {
                (void)xmlAddChild(parent, copy);
            }
        }
    }
    free(path);
    return result;
}

static vxe_result merge(xmlDoc *base, xmlDoc *document, const vxe_source *overlay, vxe_notes *notes,
                        vxe_error *error)
{
    xmlNode *root = xmlDocGetRootElement(document);
    const bool whole = vxe_xml_is(root, "VXD");
    vxe_result result = VXE_OK;
    for (xmlNode *part = whole ? vxe_xml_first(root) : root; part != NULL && result == VXE_OK;
         part = whole ? vxe_xml_after(part) : NULL) {
        xmlChar *where = xmlGetProp(part, (const xmlChar *)"replace");
        if (where != NULL && where[0] != '\0') {
            result = place_part(base, part, (const char *)where, overlay, error);
        } else {
            vxe_notes_add(notes, VXE_NOTE_IGNORED, vxe_xml_line(part), (const char *)part->name,
                          "of the overlay: it has no attribute replace");
        }
        xmlFree(where);
    }
    return result;
}

vxe_result vxe_vxd_merge_texts(const vxe_source *base, const vxe_source *overlay, const vxe_load_def *def,
                               vxe_scene **scene, vxe_notes *notes, vxe_error *error)
{
    xmlDoc *document = NULL;
    xmlDoc *over = NULL;
    vxe_result result = vxe_xml_parse(base->text, base->size, base->name, &document, error);
    if (result == VXE_OK && overlay != NULL)
        result = vxe_xml_parse(overlay->text, overlay->size, overlay->name, &over, error);
    if (result == VXE_OK) {
        xmlNode *root = xmlDocGetRootElement(document);
        vxe_xml_set_origin(root, root, base->name);
    }
    if (result == VXE_OK && overlay != NULL) result = merge(document, over, overlay, notes, error);
    if (result == VXE_OK) {
        vxe_dialect dialect = def->dialect;
        if (dialect == VXE_DIALECT_AUTO) {
            dialect = VXE_DIALECT_VOXCRAFT;
            vxe_notes_add(notes, VXE_NOTE_READ, 0, "dialect", "voxcraft, because of the overlay");
        }
        result = vxe_vxa_read_document(document, overlay != NULL ? overlay->name : base->name, dialect, scene,
                                       notes, error);
    }
    if (over != NULL) xmlFreeDoc(over);
    if (document != NULL) xmlFreeDoc(document);
    return result;
}

/* --- folders --- */

static char *join(const char *folder, const char *file)
{
    const size_t length = strlen(folder);
    return vxe_text("%s%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/", file);
}

bool vxe_overlay_folder(const char *path)
{
    struct stat info;
    if (path == NULL || stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) return false;
    char *base = join(path, base_name);
    const bool found = base != NULL && stat(base, &info) == 0 && S_ISREG(info.st_mode);
    free(base);
    return found;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void vxe_overlay_free(char **names, int32_t count)
{
    if (names == NULL) return;
    for (int32_t i = 0; i < count; i++) free(names[i]);
    free(names);
}

vxe_result vxe_overlay_list(const char *folder, char ***names, int32_t *count, vxe_error *error)
{
    if (folder == NULL || names == NULL || count == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    DIR *stream = opendir(folder);
    if (stream == NULL) return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", folder, strerror(errno));
    char **list = NULL;
    int32_t used = 0;
    vxe_result result = VXE_OK;
    for (const struct dirent *entry = readdir(stream); entry != NULL && result == VXE_OK;
         entry = readdir(stream)) {
        const size_t length = strlen(entry->d_name);
        if (!vxe_ends_like(entry->d_name, ".vxd")) continue;
        char **larger = used < VXD_FILES_MAX ? realloc(list, (size_t)(used + 1) * sizeof *list) : NULL;
        if (larger != NULL) list = larger;
        char *name = larger == NULL ? NULL : malloc(length + 1);
        if (name == NULL) {
            result = vxe_fail(error, VXE_ERROR_LIMIT, "%s: too many files, or not enough memory", folder);
            break;
        }
        memcpy(name, entry->d_name, length + 1);
        list[used++] = name;
    }
    (void)closedir(stream);
    if (result != VXE_OK) {
        vxe_overlay_free(list, used);
        return result;
    }
    if (used > 1) qsort(list, (size_t)used, sizeof *list, compare_names);
    *names = list;
    *count = used;
    return VXE_OK;
}

/* base.vxa of a folder with one overlay; `file` NULL: the base itself. */
static vxe_result load_pair(const char *folder, const char *file, const vxe_load_def *def, vxe_scene **scene,
                            vxe_notes *notes, vxe_error *error)
{
    char *base_path = join(folder, base_name);
    char *path = file == NULL ? NULL : join(folder, file);
    char *base_text = NULL;
    char *text = NULL;
    size_t base_size = 0;
    size_t size = 0;
    vxe_result result = VXE_OK;
    if (base_path == NULL || (file != NULL && path == NULL)) result = vxe_fail_memory(error, folder, 1);
    if (result == VXE_OK) result = vxe_read_file(base_path, VXE_XML_BYTES_MAX, &base_text, &base_size, error);
    if (result == VXE_OK && file != NULL)
        result = vxe_read_file(path, VXE_XML_BYTES_MAX, &text, &size, error);
    if (result == VXE_OK) {
        const vxe_source base = {base_text, base_size, base_path, folder};
        const vxe_source overlay = {text, size, path, folder};
        result = vxe_vxd_merge_texts(&base, file == NULL ? NULL : &overlay, def, scene, notes, error);
    }
    free(base_text);
    free(text);
    free(base_path);
    free(path);
    return result;
}

vxe_result vxe_vxd_load(const char *path, const vxe_load_def *def, vxe_scene **scene, vxe_notes *notes,
                        vxe_error *error)
{
    if (vxe_overlay_folder(path)) {
        char **names = NULL;
        int32_t count = 0;
        vxe_result result = vxe_overlay_list(path, &names, &count, error);
        if (result != VXE_OK) return result;
        if (count > 1) {
            result =
                vxe_fail(error, VXE_ERROR_INPUT,
                         "%s: %d overlays; name one of them, such as %s/%s (\"voxelastic run %s\" runs all)",
                         path, (int)count, path, names[0], path);
        } else {
            result = load_pair(path, count == 1 ? names[0] : NULL, def, scene, notes, error);
        }
        vxe_overlay_free(names, count);
        return result;
    }
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
    char *folder = calloc(length + 1, 1);
    if (folder == NULL) return vxe_fail_memory(error, path, length);
    memcpy(folder, slash == NULL ? "." : path, length);
    const vxe_result result = load_pair(folder, slash == NULL ? path : slash + 1, def, scene, notes, error);
    free(folder);
    return result;
}
