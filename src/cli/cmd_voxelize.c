/* voxelastic voxelize: meshes, grids and stacks of images made into scenes. */
#include "cli/options.h"
#include "cli/report.h"
#include "base/words.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COLORS_MAX = 256 };

typedef struct voxelize_options {
    const char **files;     /* operands, then those that only --material names */
    const char **materials; /* NAME=FILE */
    int32_t file_count;
    int32_t material_count;
    const char *out;
    const char *palette;
    double pitch;    /* m; 0: not given */
    int64_t voxels;  /* 0: not given */
    double unit;     /* m */
    int64_t coarsen; /* 0: not given */
    vxe_color_name colors[COLORS_MAX];
    int32_t color_count;
    bool json, quiet;
} voxelize_options;

static const struct {
    const char *name;
    double length;
} units[] = {{"um", 1e-6}, {"mm", 1e-3}, {"cm", 1e-2}, {"m", 1.0}, {"in", 0.0254}};
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

static bool take_unit(const char *text, void *options)
{
    for (int i = 0; i < UNIT_COUNT; i++) {
        if (strcmp(text, units[i].name) != 0) continue;
        ((voxelize_options *)options)->unit = units[i].length;
        return true;
    }
    return cli_complain("--unit: \"%s\" is not one of um, mm, cm, m, in", text);
}

/* A length in metres, or with one of the units at its end. */
static bool take_pitch(const char *text, void *options)
{
    double *length = &((voxelize_options *)options)->pitch;
    char number[64];
    double unit = 1.0;
    size_t digits = strlen(text);
    if (digits >= sizeof number) digits = sizeof number - 1;
    for (int i = 0; i < UNIT_COUNT; i++) {
        const size_t tail = strlen(units[i].name);
        if (digits <= tail || strcmp(text + digits - tail, units[i].name) != 0) continue;
        if (strchr("0123456789. ", text[digits - tail - 1]) == NULL) continue; /* "mm" is not "m" */
        unit = units[i].length;
        digits -= tail;
        while (digits > 0 && text[digits - 1] == ' ') digits--;
        break;
    }
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (!cli_parse_positive("--pitch", number, length)) return false;
    *length *= unit;
    return true;
}

static bool take_color(const char *text, void *options)
{
    voxelize_options *o = options;
    const char *hex = text + (text[0] == '#' ? 1 : 0);
    const char *equals = strchr(hex, '=');
    if (equals != hex + 6 || strspn(hex, "0123456789abcdefABCDEF") != 6 || equals[1] == '\0' ||
        strlen(equals + 1) >= VXE_NAME_SIZE)
        return cli_complain("--color: \"%s\" is not RRGGBB=NAME, such as ff0000=gel", text);
    if (o->color_count == COLORS_MAX) return cli_complain("--color: more than %d colours", COLORS_MAX);
    const unsigned long rgb = strtoul(hex, NULL, 16);
    vxe_color_name *c = &o->colors[o->color_count++];
    *c = (vxe_color_name){{(uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb}, ""};
    if (strcmp(equals + 1, "empty") != 0) (void)snprintf(c->material, sizeof c->material, "%s", equals + 1);
    return true;
}

/* Takes NAME=FILE; a file that is not an operand becomes one at the end. */
static bool take_material(const char *text, void *options)
{
    voxelize_options *o = options;
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || equals[1] == '\0' || equals - text >= VXE_NAME_SIZE)
        return cli_complain("--material: \"%s\" is not NAME=FILE, such as gel=body.stl", text);
    o->materials[o->material_count++] = text;
    return true;
}

#define TO(kind, member) CLI_TO(kind, voxelize_options, member)
static const cli_option table[] = {
    {"--output", 'o', "SCENE", "write the scene here; the end of the name says the format", TO(TEXT, out)},
    {"--pitch", 0, "L",
     "size of a voxel in metres, or with its unit: 0.5mm, 80um (grids: default what the file says, or 1 mm)",
     CLI_BY(take_pitch)},
    {"--voxels", 0, "N", "instead of --pitch: voxels along the longest side of all meshes",
     TO(COUNT, voxels)},
    {"--unit", 0, "U", "unit of the numbers in STL, OBJ and PLY files: um, mm (the default), cm, m or in",
     CLI_BY(take_unit)},
    {"--material", 0, "NAME=FILE",
     "the mesh FILE is made of the material NAME (default: the name of the file); may be given for every "
     "mesh",
     CLI_BY(take_material)},
    {"--palette", 0, "SCENE", "take the materials from this scene, by name, number or colour",
     TO(TEXT, palette)},
    {"--color", 0, "RRGGBB=NAME",
     "images and MagicaVoxel: pixels of this colour are the material NAME, or \"empty\"; may be given for "
     "every colour",
     CLI_BY(take_color)},
    {"--coarsen", 0, "N", "put N x N x N voxels together into one, with mean density and stiffness",
     TO(COUNT, coarsen)},
    {"--json", 0, NULL, "print the report as one JSON object on standard output", TO(FLAG, json)},
    {"--quiet", 'q', NULL, "no progress bar and no table", TO(FLAG, quiet)},
    CLI_HELP_ROW("this text"),
};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

void cli_help_voxelize(void)
{
    printf(
        "Usage: voxelastic voxelize FILE... -o SCENE [options]\n"
        "\n"
        "Makes a scene from one of these:\n"
        "  meshes (.stl, .obj, .ply, .3mf): their inside is filled with voxels, each mesh with its own "
        "material;\n"
        "      where meshes overlap, the later one wins. Holes, cracks and self-intersections do no harm.\n"
        "  a grid (.npy, .npz: whole numbers [x,y,z], 0 is empty; .vox: MagicaVoxel)\n"
        "  images (.png, or a folder of them): one layer each, the lowest first\n"
        "\n"
        "The lower corner of everything becomes the origin.\n"
        "\n"
        "Options:\n");
    cli_print_options(table, OPTION_COUNT);
    printf(
        "\n"
        "Examples:\n"
        "  voxelastic voxelize gripper.stl -o gripper.json --pitch 1mm\n"
        "  voxelastic voxelize skin.stl bone.stl -o arm.json --voxels 60 --material gel=skin.stl --palette "
        "lab.json\n"
        "  voxelastic voxelize slices/ -o print.json --pitch 42um --color ff0000=rubber --color "
        "ffffff=empty --coarsen 8\n"
        "  voxelastic voxelize design.npy -o design.vxa --pitch 0.01\n");
}

/* What a file is. */
typedef enum input_kind { INPUT_MESH, INPUT_GRID, INPUT_IMAGE, INPUT_FOLDER, INPUT_UNKNOWN } input_kind;

/* What there is to tell. */
typedef struct voxelize_report {
    vxe_voxelize_report *meshes; /* NULL: none */
    vxe_mesh_view *views;
    vxe_material_def *materials;
    vxe_coarsen_report coarsen;
    double wall;
} voxelize_report;

static void add_material_files(voxelize_options *o)
{
    for (int32_t m = 0; m < o->material_count; m++) {
        const char *file = strchr(o->materials[m], '=') + 1;
        bool known = false;
        for (int32_t f = 0; f < o->file_count; f++) known = known || strcmp(o->files[f], file) == 0;
        if (!known) o->files[o->file_count++] = file;
    }
}

static int take_file(const char *command, const char *value, void *options)
{
    voxelize_options *o = options;
    (void)command;
    o->files[o->file_count++] = value;
    return CLI_DONE;
}

static int parse(int count, char **arguments, voxelize_options *o)
{
    static const cli_syntax syntax = {"voxelize", cli_help_voxelize, table, OPTION_COUNT, take_file, false};
    const int status = cli_parse(&syntax, count, arguments, o);
    if (status != CLI_GO_ON) return status;
    add_material_files(o);
    if (o->file_count == 0) return cli_misuse("voxelize", "which file? Meshes, a grid, or images");
    if (o->out == NULL || o->out[0] == '\0') return cli_misuse("voxelize", "where to? Give -o SCENE");
    if (o->pitch > 0.0 && o->voxels > 0) {
        cli_complain("voxelize: --pitch or --voxels, not both");
        return CLI_BAD_INPUT;
    }
    return CLI_GO_ON;
}

static input_kind kind_of(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return INPUT_FOLDER;
    if (vxe_ends_like(path, ".stl") || vxe_ends_like(path, ".obj") || vxe_ends_like(path, ".ply") ||
        vxe_ends_like(path, ".3mf"))
        return INPUT_MESH;
    if (vxe_ends_like(path, ".npy") || vxe_ends_like(path, ".npz") || vxe_ends_like(path, ".vox"))
        return INPUT_GRID;
    return vxe_ends_like(path, ".png") ? INPUT_IMAGE : INPUT_UNKNOWN;
}

/* --- meshes --- */

typedef struct bar {
    bool shown;
    double last; /* on cli_clock() */
} bar;

static void show_progress(void *user, double done)
{
    bar *b = user;
    const double now = cli_clock();
    if (!b->shown || now - b->last < 0.1) return;
    char blocks[21] = "....................";
    b->last = now;
    memset(blocks, '#', (size_t)(20.0 * fmin(done, 1.0)));
    (void)fprintf(stderr, "\r[%s] %3.0f %%\033[K", blocks, 100.0 * done);
    (void)fflush(stderr);
}

/* The name of a mesh's material: what --material says, or the name of the file. */
static void name_material(const voxelize_options *o, const char *file, char name[VXE_NAME_SIZE])
{
    for (int32_t m = 0; m < o->material_count; m++) {
        const char *equals = strchr(o->materials[m], '=');
        if (strcmp(equals + 1, file) != 0) continue;
        (void)snprintf(name, VXE_NAME_SIZE, "%.*s", (int)(equals - o->materials[m]), o->materials[m]);
        return;
    }
    const char *slash = strrchr(file, '/');
    const char *begin = slash == NULL ? file : slash + 1;
    const char *dot = strrchr(begin, '.');
    size_t length = dot == NULL ? strlen(begin) : (size_t)(dot - begin);
    if (length >= VXE_NAME_SIZE) length = VXE_NAME_SIZE - 1;
    (void)snprintf(name, VXE_NAME_SIZE, "%.*s", (int)length, begin);
    if (name[0] == '\0' || !vxe_valid_text(name)) (void)snprintf(name, VXE_NAME_SIZE, "mesh");
}

static vxe_result choose_material(const voxelize_options *o, const vxe_scene *palette, int32_t mesh,
                                  vxe_material_def *def, vxe_error *error)
{
    static const uint8_t colors[6][3] = {{204, 121, 64}, {86, 140, 190},  {120, 170, 90},
                                         {190, 170, 80}, {160, 110, 170}, {120, 120, 120}};
    char name[VXE_NAME_SIZE];
    *def = vxe_default_material_def();
    name_material(o, o->files[mesh], name);
    if (palette != NULL) {
        const int32_t number = vxe_scene_find_material(palette, name);
        if (number == 0)
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "%s has no material \"%s\" for %s; --material NAME=%s says which", o->palette,
                            name, o->files[mesh], o->files[mesh]);
        *def = *vxe_scene_material(palette, number);
        def->signal[0] = '\0'; /* signals stay behind */
        return VXE_OK;
    }
    memcpy(def->name, name, sizeof name);
    memcpy(def->color, colors[mesh % 6], 3);
    return VXE_OK;
}

static vxe_result fill_meshes(const voxelize_options *o, const vxe_scene *palette, vxe_scene **scene,
                              voxelize_report *report, vxe_error *error)
{
    const size_t count = (size_t)o->file_count;
    vxe_mesh **meshes = calloc(count, sizeof(vxe_mesh *));
    report->meshes = calloc(count, sizeof *report->meshes);
    report->views = calloc(count, sizeof *report->views);
    report->materials = calloc(count, sizeof *report->materials);
    vxe_result result = VXE_OK;
    if (meshes == NULL || report->meshes == NULL || report->views == NULL || report->materials == NULL) {
        free(meshes);
        return vxe_fail_memory(error, "the meshes", count * sizeof(vxe_material_def));
    }
    if (o->pitch == 0.0 && o->voxels == 0)
        result = vxe_fail(error, VXE_ERROR_INPUT, "how large is a voxel? Give --pitch L, or --voxels N");
    for (int32_t m = 0; m < o->file_count && result == VXE_OK; m++) {
        result = choose_material(o, palette, m, &report->materials[m], error);
        if (result == VXE_OK) result = vxe_mesh_load(o->files[m], o->unit, &meshes[m], error);
        if (result == VXE_OK && meshes[m] != NULL) report->views[m] = *vxe_mesh_get(meshes[m]);
    }
    if (result == VXE_OK) {
        const char *terminal = getenv("TERM");
        bar b = {!o->quiet && isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0,
                 0.0};
        vxe_voxelize_def def = {.pitch = o->pitch, .progress = show_progress, .user = &b};
        if (o->voxels > 0) def.voxels = o->voxels > VXE_SIDE_MAX ? VXE_SIDE_MAX + 1 : (int32_t)o->voxels;
        result = vxe_voxelize((const vxe_mesh *const *)meshes, report->materials, o->file_count, &def, scene,
                              report->meshes, error);
        if (b.last > 0.0) (void)fprintf(stderr, "\r\033[K");
    }
    for (size_t m = 0; m < count; m++) vxe_mesh_destroy(meshes[m]);
    free(meshes);
    return result;
}

/* --- images --- */

/* Names with numbers in the order of the numbers: layer2 before layer10. */
static int compare_names(const void *a, const void *b)
{
    const char *x = *(const char *const *)a;
    const char *y = *(const char *const *)b;
    while (*x != '\0' && *y != '\0') {
        const size_t m = strspn(x, "0123456789");
        const size_t n = strspn(y, "0123456789");
        if (m > 0 && n > 0) {
            const char *p = x + strspn(x, "0");
            const char *q = y + strspn(y, "0");
            const size_t left = (size_t)(x + m - p);
            const size_t right = (size_t)(y + n - q);
            const int order = left != right ? (left > right) - (left < right) : strncmp(p, q, left);
            if (order != 0) return order;
            x += m;
            y += n;
        } else if (*x != *y) {
            break;
        } else {
            x++;
            y++;
        }
    }
    return (unsigned char)*x - (unsigned char)*y;
}

/* The PNG files of a folder, in order; each freed by free(), as is the list. */
static vxe_result list_images(const char *folder, char ***paths, int32_t *count, vxe_error *error)
{
    DIR *stream = opendir(folder);
    vxe_result result = VXE_OK;
    if (stream == NULL) return vxe_fail(error, VXE_ERROR_FILE, "%s: cannot be opened", folder);
    for (struct dirent *entry = NULL; result == VXE_OK && (entry = readdir(stream)) != NULL;) {
        if (!vxe_ends_like(entry->d_name, ".png") || entry->d_name[0] == '.') continue;
        const size_t size = strlen(folder) + strlen(entry->d_name) + 2;
        char *path = malloc(size);
        char **larger =
            *count == VXE_SIDE_MAX ? NULL : realloc(*paths, ((size_t)*count + 1) * sizeof *larger);
        if (larger != NULL) *paths = larger;
        if (path == NULL || larger == NULL) {
            free(path);
            result = vxe_fail_memory(error, folder, size);
        } else {
            (void)snprintf(path, size, "%s/%s", folder, entry->d_name);
            (*paths)[(*count)++] = path;
        }
    }
    (void)closedir(stream);
    if (result == VXE_OK && *count == 0)
        result = vxe_fail(error, VXE_ERROR_INPUT, "%s: no PNG images in this folder", folder);
    if (result == VXE_OK && *paths != NULL) qsort(*paths, (size_t)*count, sizeof **paths, compare_names);
    return result;
}

static vxe_result load_folder(const char *folder, const vxe_grid_def *def, vxe_scene **scene,
                              vxe_error *error)
{
    char **paths = NULL;
    int32_t count = 0;
    vxe_result result = list_images(folder, &paths, &count, error);
    if (result == VXE_OK)
        result = vxe_scene_load_images((const char *const *)paths, count, def, scene, error);
    for (int32_t i = 0; i < count; i++) free(paths[i]);
    free(paths);
    return result;
}

/* --- all --- */

static vxe_result make_scene(const voxelize_options *o, const vxe_scene *palette, vxe_scene **scene,
                             voxelize_report *report, vxe_error *error)
{
    if (o->file_count < 1) return vxe_fail(error, VXE_ERROR_ARGUMENT, "no files");
    const input_kind kind = kind_of(o->files[0]);
    vxe_grid_def def = vxe_default_grid_def();
    def.pitch = o->pitch;
    def.palette = palette;
    def.colors = o->colors;
    def.color_count = o->color_count;
    for (int32_t i = 0; i < o->file_count; i++) {
        if (kind_of(o->files[i]) == INPUT_UNKNOWN)
            return vxe_fail(
                error, VXE_ERROR_INPUT,
                "%s: neither a mesh (.stl, .obj, .ply, .3mf) nor a grid (.npy, .npz, .vox) nor an image "
                "(.png) nor a folder of images",
                o->files[i]);
        if (kind_of(o->files[i]) != kind || (i > 0 && kind != INPUT_MESH && kind != INPUT_IMAGE))
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "%s and %s: several meshes, several images, or one grid, but no mixture",
                            o->files[0], o->files[i]);
    }
    if (kind == INPUT_MESH) return fill_meshes(o, palette, scene, report, error);
    if (o->voxels > 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "--voxels is for meshes; a grid has its own voxels");
    if (o->material_count > 0)
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "--material is for meshes; use --palette, and --color for images");
    if (kind == INPUT_GRID) return vxe_scene_load_grid(o->files[0], &def, scene, error);
    if (kind == INPUT_FOLDER) return load_folder(o->files[0], &def, scene, error);
    return vxe_scene_load_images(o->files, o->file_count, &def, scene, error);
}

/* --- the report --- */

static int print_json(const voxelize_options *o, const vxe_scene *scene, const voxelize_report *r)
{
    int32_t size[3];
    json_t *meshes = json_array();
    vxe_scene_size(scene, size);
    for (int32_t m = 0; r->meshes != NULL && m < o->file_count; m++) {
        const vxe_voxelize_report *v = &r->meshes[m];
        json_t *mesh = json_pack(
            "{s:o, s:s, s:i, s:i, s:i, s:o, s:o, s:o, s:I, s:I}", "file", cli_json_text(o->files[m]),
            "material", r->materials[m].name, "triangles", (int)r->views[m].triangle_count, "degenerate",
            (int)r->views[m].degenerate, "open_edges", (int)v->open_edges, "mesh_volume",
            cli_json_number(v->mesh_volume), "overlap_volume", cli_json_number(v->overlap_volume),
            "voxel_volume", cli_json_number(v->voxel_volume), "voxels", (json_int_t)v->voxels, "taken",
            (json_int_t)v->taken);
        (void)json_array_append_new(meshes, mesh);
    }
    json_t *report = json_pack(
        "{s:s, s:o, s:o, s:[iii], s:I, s:i, s:o, s:o}", "status", "done", "out", cli_json_text(o->out),
        "pitch", cli_json_number(vxe_scene_pitch(scene)), "size", (int)size[0], (int)size[1], (int)size[2],
        "voxels", (json_int_t)vxe_scene_voxel_count(scene), "materials", (int)vxe_scene_material_count(scene),
        "meshes", meshes, "wall_seconds", cli_json_number(r->wall));
    if (o->coarsen > 1) {
        const vxe_coarsen_report *c = &r->coarsen;
        (void)json_object_set_new(
            report, "coarsen",
            json_pack("{s:I, s:o, s:I, s:i, s:o, s:I}", "factor", (json_int_t)o->coarsen, "mass",
                      cli_json_number(c->mass), "mixed", (json_int_t)c->mixed, "materials", (int)c->materials,
                      "tolerance", cli_json_number(c->tolerance), "simplified", (json_int_t)c->simplified));
    }
    return cli_print_json(report);
}

static quantity_text volume_text(double cubic_metres)
{
    quantity_text t;
    if (cubic_metres < 1e-6) {
        (void)snprintf(t.text, sizeof t.text, "%.6g mm^3", 1e9 * cubic_metres);
    } else if (cubic_metres < 1.0) {
        (void)snprintf(t.text, sizeof t.text, "%.6g cm^3", 1e6 * cubic_metres);
    } else {
        (void)snprintf(t.text, sizeof t.text, "%.6g m^3", cubic_metres);
    }
    return t;
}

static void print_mesh(const char *file, const vxe_mesh_view *view, const vxe_voxelize_report *v,
                       const char *material)
{
    const double once = v->mesh_volume - v->overlap_volume;
    printf("%s: %d triangles, %s\n", file, (int)view->triangle_count, material);
    printf("  volume in the mesh    %s", volume_text(v->mesh_volume).text);
    if (v->overlap_volume > 0.0) printf(", of which %s twice", volume_text(v->overlap_volume).text);
    printf("\n  volume in voxels      %s", volume_text(v->voxel_volume).text);
    if (once > 0.0) printf(" (%+.2f %%)", 100.0 * (v->voxel_volume / once - 1.0));
    printf("\n  voxels                %" PRId64, v->voxels);
    if (v->taken > 0) printf(", of which %" PRId64 " taken from earlier meshes", v->taken);
    printf("\n");
    if (v->open_edges > 0) printf("  not closed            %d open edges\n", (int)v->open_edges);
    if (view->degenerate > 0)
        printf("  left out              %d triangles without area\n", (int)view->degenerate);
}

static void print_table(const voxelize_options *o, const vxe_scene *scene, const voxelize_report *r)
{
    int32_t size[3];
    vxe_scene_size(scene, size);
    for (int32_t m = 0; r->meshes != NULL && m < o->file_count; m++)
        print_mesh(o->files[m], &r->views[m], &r->meshes[m], r->materials[m].name);
    const double pitch = vxe_scene_pitch(scene);
    const double sides[3] = {pitch * size[0], pitch * size[1], pitch * size[2]};
    printf("%s: %d x %d x %d voxels of %s, %s\n", o->out, (int)size[0], (int)size[1], (int)size[2],
           cli_quantity(pitch, "m").text, cli_vector(sides, "m").text);
    printf("  voxels                %" PRId64 " of %d material%s\n", vxe_scene_voxel_count(scene),
           (int)vxe_scene_material_count(scene), vxe_scene_material_count(scene) == 1 ? "" : "s");
    if (o->coarsen > 1) {
        const vxe_coarsen_report *c = &r->coarsen;
        printf("  coarsened             %" PRId64 " mixed voxels in %d materials, within %.0f %%; mass %s\n",
               c->mixed, (int)c->materials, c->tolerance < 0.001 ? 0.0 : 100.0 * c->tolerance,
               cli_mass(c->mass).text);
        if (c->simplified > 0)
            printf("  note                  %" PRId64 " mixed voxels no longer yield or break\n",
                   c->simplified);
    }
    printf("  time                  %.2f s\n", r->wall);
}

static int convert_all(const voxelize_options *o)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *palette = NULL;
    vxe_scene *scene = NULL;
    voxelize_report report = {0};
    const double begun = cli_clock();
    int status = CLI_DONE;
    vxe_result result =
        o->palette == NULL ? VXE_OK : cli_load_scene(o->palette, VXE_DIALECT_AUTO, &palette, NULL, &error);
    if (result == VXE_OK) result = make_scene(o, palette, &scene, &report, &error);
    if (result == VXE_OK) result = cli_coarsen(o->coarsen, &scene, &report.coarsen, &error);
    if (result == VXE_OK) result = vxe_scene_save(scene, o->out, NULL, &error);
    report.wall = cli_clock() - begun;
    if (result != VXE_OK) {
        status = cli_fail(o->files[0], o->json, &error);
    } else if (o->json) {
        status = print_json(o, scene, &report);
    } else if (!o->quiet) {
        print_table(o, scene, &report);
        status = cli_finish_output(CLI_DONE);
    }
    vxe_scene_destroy(palette);
    vxe_scene_destroy(scene);
    free(report.meshes);
    free(report.views);
    free(report.materials);
    return status;
}

int cli_command_voxelize(int count, char **arguments)
{
    voxelize_options *o = calloc(1, sizeof *o);
    const size_t room = (size_t)count + 1;
    int status = CLI_FILE_PROBLEM;
    if (o != NULL) {
        o->unit = 1e-3;
        o->files = calloc(2 * room, sizeof *o->files);
        o->materials = calloc(room, sizeof *o->materials);
    }
    if (o == NULL || o->files == NULL || o->materials == NULL) {
        cli_complain("there is not enough memory for the arguments");
    } else {
        status = parse(count, arguments, o);
        if (status == CLI_GO_ON) status = convert_all(o);
    }
    if (o != NULL) {
        free(o->files);
        free(o->materials);
    }
    free(o);
    return status;
}
