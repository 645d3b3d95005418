/* Small files of the VoxCAD family, put together from parts, and what reading them gives. */
#ifndef TESTS_VXA_TEXT_H
#define TESTS_VXA_TEXT_H

#include "support.h"

#define BLOCK_MATERIAL                                                                                       \
    "<Material ID=\"1\"><MatType>0</MatType><Name>Gel</Name>"                                                \
    "<Display><Red>1</Red><Green>0.5</Green><Blue>0</Blue><Alpha>1</Alpha></Display>"                        \
    "<Mechanical><MatModel>0</MatModel><Elastic_Mod>1e+006</Elastic_Mod><Density>1000</Density>"             \
    "<Poissons_Ratio>0.3</Poissons_Ratio><CTE>0.01</CTE><uStatic>1</uStatic><uDynamic>0.5</uDynamic>"        \
    "</Mechanical></Material>"
#define BAR_STRUCTURE                                                                                        \
    "<Structure Compression=\"ASCII_READABLE\"><X_Voxels>4</X_Voxels><Y_Voxels>1</Y_Voxels>"                 \
    "<Z_Voxels>1</Z_Voxels><Data><Layer><![CDATA[1111]]></Layer></Data></Structure>"
#define STILL                                                                                                \
    "<Gravity><GravEnabled>0</GravEnabled><GravAcc>0</GravAcc><FloorEnabled>0</FloorEnabled></Gravity>"
#define DAMPED                                                                                               \
    "<Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>0.8</ColDampingZ><SlowDampingZ>0.01</"              \
    "SlowDampingZ></Damping>"

/* A whole file; NULL parts: no such group. The text belongs to the caller. */
static inline char *vxa_text(const char *simulator, const char *environment, const char *palette,
                             const char *structure)
{
    const size_t size = 4096 + (simulator ? strlen(simulator) : 0) + (environment ? strlen(environment) : 0) +
                        (palette ? strlen(palette) : 0) + (structure ? strlen(structure) : 0);
    char *text = malloc(size);
    assert_non_null(text);
    (void)snprintf(text, size,
                   "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<VXA Version=\"1.1\">\n%s%s%s\n%s%s%s\n"
                   "<VXC Version=\"0.94\"><Lattice><Lattice_Dim>0.01</Lattice_Dim></Lattice>\n"
                   "<Palette>%s</Palette>\n%s</VXC></VXA>\n",
                   simulator ? "<Simulator>" : "", simulator ? simulator : "",
                   simulator ? "</Simulator>" : "", environment ? "<Environment>" : "",
                   environment ? environment : "", environment ? "</Environment>" : "",
                   palette ? palette : BLOCK_MATERIAL, structure ? structure : BAR_STRUCTURE);
    return text;
}

/* Reads a text; remarks to *notes unless NULL. */
static inline vxe_scene *read_text(const char *text, vxe_dialect dialect, vxe_notes **notes)
{
    const vxe_load_def def = {.dialect = dialect};
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    require(vxe_scene_parse(text, strlen(text), "test.vxa", NULL, &def, &scene, notes, &error), &error);
    return scene;
}

/* The same for parts. */
static inline vxe_scene *read_parts(vxe_dialect dialect, const char *simulator, const char *environment,
                                    const char *palette, const char *structure)
{
    char *text = vxa_text(simulator, environment, palette, structure);
    vxe_scene *scene = read_text(text, dialect, NULL);
    free(text);
    return scene;
}

/* That a text is refused, with these words in the message. */
static inline void check_refused(const char *text, const char *words)
{
    vxe_scene *scene = NULL;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result =
        vxe_scene_parse(text, strlen(text), "test.vxa", NULL, NULL, &scene, NULL, &error);
    if (result == VXE_OK) fail_msg("accepted, though it should say \"%s\"", words);
    assert_null(scene);
    if (strstr(error.message, words) == NULL) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

/* The remark on something; NULL: none. */
static inline const vxe_note *find_note(const vxe_notes *notes, const char *what)
{
    for (int32_t i = 0; i < vxe_notes_count(notes); i++) {
        if (strcmp(vxe_notes_get(notes, i)->what, what) == 0) return vxe_notes_get(notes, i);
    }
    return NULL;
}

static inline void check_note(const vxe_notes *notes, const char *what, vxe_note_kind kind, int32_t line)
{
    int32_t found = 0;
    for (int32_t i = 0; i < vxe_notes_count(notes); i++) {
        const vxe_note *n = vxe_notes_get(notes, i);
        if (strcmp(n->what, what) != 0 || n->kind != kind) continue;
        found++;
        if (line > 0 && n->line != line)
            fail_msg("%s is told of line %d, not %d", what, (int)n->line, (int)line);
    }
    if (found != 1) fail_msg("%s is told %d times as %s", what, (int)found, vxe_note_kind_name(kind));
}

static inline uint64_t hash_of(const vxe_scene *scene)
{
    vxe_model *model = compile_scene(scene);
    const uint64_t hash = vxe_model_hash(model);
    vxe_model_destroy(model);
    return hash;
}

/* Where a voxel is after some time. Destroys the scene. */
typedef struct place {
    double x, y, z;
} place;

static inline place run_voxel(vxe_scene *scene, double time, int32_t i, int32_t j, int32_t k)
{
    bench b = start(scene);
    const vxe_stop stop = {.time = time};
    const vxe_run_reason reason = vxe_sim_run(b.sim, &stop, INT64_MAX);
    check_well(b.sim);
    assert_int_equal(reason, VXE_RUN_TIME);
    const int32_t v = voxel_at(b.sim, i, j, k);
    const place p = {moved(b.sim, v, 0), moved(b.sim, v, 1), moved(b.sim, v, 2)};
    finish(b);
    return p;
}

static inline int32_t count_touched(const vxe_scene *scene, int32_t region)
{
    int32_t size[3];
    int32_t count = 0;
    vxe_scene_size(scene, size);
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) count += vxe_scene_region_touches(scene, region, i, j, k);
        }
    }
    return count;
}

#endif
