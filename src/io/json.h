/* Inside the JSON reader: where we are in the file, messages with that place, and members of objects by type.
 *
 * Errors are sticky: the first one stays in the reader, and every function below does nothing once there is
 * one. So a section is read straight down and the outcome is looked at once. An absent member leaves its
 * target as it is: the default. */
#ifndef IO_JSON_H
#define IO_JSON_H

#include "base/base.h"
#include "scene/choices.h"
#include "voxelastic/io.h"

#include <jansson.h>

#define VXE_JSON_VALUES_MAX 20000000 /* values in a file: bounds the memory of the parsed text */
#define VXE_JSON_SHAPES_MAX 100000   /* shapes in a file */
#define VXE_JSON_FILL_MAX                                                                                    \
    INT64_C(10000000000)       /* cells that all shapes and actuation blocks of a file visit */
#define VXE_JSON_SHOWN_SIZE 72 /* bytes of a user's text inside a message */

#define VXE_JSON_KEYS_MAX 64 /* members of an object */

/* The members an object may have. `name` is the definition in docs/scene.schema.json. */
typedef struct vxe_json_keys {
    const char *name;
    size_t count;
    const char *keys[VXE_JSON_KEYS_MAX];
} vxe_json_keys;

/* Kinds of object: the definition in the schema, members that follow a table (NULL: none) and their other
 * keys. The schema, the documentation and a test follow this list. */
#define VXE_JSON_KINDS(EACH)                                                                                 \
    EACH(SCENE, "scene", NULL,                                                                               \
         KEYS("$schema", "voxelastic", "name", "description", "lattice", "materials", "shapes", "layers",    \
              "actuation", "regions", "environment", "signals", "stop", "output", "fields", "experiment",    \
              "foreign", "parts", "ground", "solids", "water", "start", "rules"))                            \
    EACH(LATTICE, "lattice", NULL, KEYS("pitch", "size"))                                                    \
    EACH(MATERIAL, "material", vxe_json_material, NULL)                                                      \
    EACH(FRICTION, "friction", NULL, KEYS("static", "dynamic"))                                              \
    EACH(SHAPE, "shape", NULL,                                                                               \
         KEYS("box", "sphere", "cylinder", "ellipsoid", "units", "thickness", "material", "actuation"))      \
    EACH(BOX, "box", NULL, KEYS("corner", "size"))                                                           \
    EACH(SPHERE, "sphere", NULL, KEYS("center", "radius"))                                                   \
    EACH(CYLINDER, "cylinder", NULL, KEYS("center", "radius", "axis", "length"))                             \
    EACH(ELLIPSOID, "ellipsoid", NULL, KEYS("center", "radius"))                                             \
    EACH(SHAPE_ACTUATION, "shape_actuation", NULL, KEYS("phase", "amplitude", "period"))                     \
    EACH(LAYERS, "layers", NULL, KEYS("legend", "origin", "layers"))                                         \
    EACH(LAYER, "layer", NULL, KEYS("repeat", "rows"))                                                       \
    EACH(ACTUATION, "actuation", NULL, KEYS("origin", "size", "phase", "amplitude", "period"))               \
    EACH(REGION, "region", vxe_json_region, NULL)                                                            \
    EACH(ENVIRONMENT, "environment", vxe_json_environment, NULL)                                             \
    EACH(DAMPING, "damping", NULL, KEYS("bond", "contact", "ground", "ground_turning"))                      \
    EACH(BOND_DAMPING, "bond_damping", NULL, KEYS("stretch", "rotation"))                                    \
    EACH(SIGNAL, "signal", vxe_json_signal, NULL)                                                            \
    EACH(STOP, "stop", vxe_json_stop, NULL)                                                                  \
    EACH(OUTPUT, "output", vxe_json_output, NULL)                                                            \
    EACH(FIELDS, "fields", NULL, NULL) /* those of vxe_field_name() */                                       \
    EACH(FIELD, "field", NULL, KEYS("origin", "size", "values"))                                             \
    EACH(EXPERIMENT, "experiment", vxe_json_experiment, NULL)                                                \
    EACH(FOREIGN, "foreign", NULL, KEYS("path", "text"))                                                     \
    EACH(PART, "part", vxe_json_part, NULL)                                                                  \
    EACH(RULE, "rule", NULL, KEYS("kind", "output", "inputs", "layers", "weights")) /* and members */        \
    EACH(GROUND, "ground", NULL,                                                                             \
         KEYS("kind", "points", "spacing", "origin", "heights", "height", "length", "seed", "friction",      \
              "color"))                                                                                      \
    EACH(SOLID, "solid", NULL,                                                                               \
         KEYS("name", "box", "sphere", "cylinder", "capsule", "cells", "mesh", "rotation", "friction",       \
              "color"))                                                                                      \
    EACH(SOLID_BOX, "solid_box", NULL, KEYS("center", "size"))                                               \
    EACH(SOLID_ROUND, "solid_round", NULL, KEYS("center", "radius", "length"))                               \
    EACH(SOLID_CELLS, "solid_cells", NULL, KEYS("center", "pitch", "size", "filled"))                        \
    EACH(SOLID_MESH, "solid_mesh", NULL, KEYS("center", "pitch", "file", "unit"))                            \
    EACH(WATER, "water", vxe_json_water, NULL)                                                               \
    EACH(START, "start", vxe_json_start, NULL)

typedef enum vxe_json_kind {
#define KIND(kind, name, rows, keys) VXE_JSON_##kind,
    VXE_JSON_KINDS(KIND)
#undef KIND
        VXE_JSON_KIND_COUNT
} vxe_json_kind;

vxe_json_keys vxe_json_keys_of(vxe_json_kind kind);

/* A value in the file: a member (key) or an element (key NULL, index) of its parent. NULL is the whole file.
 */
typedef struct vxe_json_place {
    const struct vxe_json_place *parent;
    const char *key;
    size_t index;
} vxe_json_place;

static inline vxe_json_place vxe_json_member(const vxe_json_place *parent, const char *key)
{
    return (vxe_json_place){parent, key, 0};
}
static inline vxe_json_place vxe_json_element(const vxe_json_place *parent, size_t index)
{
    return (vxe_json_place){parent, NULL, index};
}

/* What is being read and what became of it. */
typedef struct vxe_json_reader {
    const char *text; /* valid JSON */
    size_t size;
    const char *name;   /* of the file, for messages */
    const char *folder; /* of named files; NULL: none may be named */
    vxe_scene *scene;
    int64_t placed; /* voxels of layers so far */
    int64_t filled; /* cells visited so far, at most VXE_JSON_FILL_MAX */
    vxe_result result;
    vxe_error *error; /* of the caller; may be NULL */
    vxe_notes *notes; /* of the caller; may be NULL */
} vxe_json_reader;

/* vxe_scene_parse_json() with remarks on what was read; `notes` may be NULL. */
vxe_result vxe_json_parse_scene(const char *text, size_t size, const char *name, const char *folder,
                                vxe_scene **scene, vxe_notes *notes, vxe_error *error);

/* Brackets and commas outside strings: about the number of values. */
size_t vxe_json_count_values(const char *text, size_t size);
/* A user's text for a message: one line, cut where it is long. */
const char *vxe_json_shown(const char *text, char shown[VXE_JSON_SHOWN_SIZE]);

/* Records the error `NAME:LINE: PATH: ...` unless there is one already. */
void vxe_json_fail(vxe_json_reader *reader, vxe_result code, const vxe_json_place *place, const char *format,
                   ...) VXE_PRINTF(4, 5);
/* Adds a remark on a place, unless there is an error already. */
void vxe_json_note(vxe_json_reader *reader, vxe_note_kind kind, const vxe_json_place *place,
                   const char *format, ...) VXE_PRINTF(4, 5);
/* Records what a function of the scene refused. If its message names a member of the object, the place is
 * that member. */
void vxe_json_refused(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                      vxe_json_kind kind, const vxe_error *cause);
/* `unknown material "gell"; did you mean "gel"?` */
void vxe_json_unknown(vxe_json_reader *reader, const vxe_json_place *place, const char *what,
                      const char *word, const char *const *words, size_t count);

/* Whether value is an object with no member that its kind does not know; an error if not. */
bool vxe_json_is_object(vxe_json_reader *reader, const vxe_json_place *place, const json_t *value,
                        vxe_json_kind kind);
bool vxe_json_is_array(vxe_json_reader *reader, const vxe_json_place *place, const json_t *value);
/* The error `must be WHAT, not TYPE`. */
void vxe_json_wrong_type(vxe_json_reader *reader, const vxe_json_place *place, const char *what,
                         const json_t *value);
/* An error if the member is absent. */
void vxe_json_require(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                      const char *key);

/* Values. */
void vxe_json_number(vxe_json_reader *reader, const vxe_json_place *place, const json_t *value,
                     double *number);
void vxe_json_integer(vxe_json_reader *reader, const vxe_json_place *place, const json_t *value, int64_t low,
                      int64_t high, int64_t *integer);
/* Members of an object at `place`; absent is fine. */
void vxe_json_get_number(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         const char *key, double *number);
void vxe_json_get_integer(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                          const char *key, int64_t low, int64_t high, int64_t *integer);
void vxe_json_get_cells(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                        const char *key, int32_t low, int32_t cells[3]);
void vxe_json_get_vector(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         const char *key, double vector[3]);
void vxe_json_get_boolean(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                          const char *key, bool *boolean);
/* A string of fewer than `size` bytes. */
void vxe_json_get_text(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                       const char *key, size_t size, char *text);
void vxe_json_get_string(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         const char *key, const char **string);
void vxe_json_get_word(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                       const char *key, const vxe_choice *words, int *value);

/* Number of the material a member names: null and "" are 0, empty. */
void vxe_json_get_material(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                           const char *key, int32_t *material);

/* json_voxels.c: the shape among the members of an object (of a shape or a region). */
void vxe_json_read_shape(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         vxe_shape *shape);
/* The top-level members `shapes`, `layers` and `actuation`. */
/* layers: there will be some. */
void vxe_json_read_shapes(vxe_json_reader *reader, const json_t *shapes, bool layers);
void vxe_json_read_layers(vxe_json_reader *reader, const json_t *value);
void vxe_json_read_actuation(vxe_json_reader *reader, const json_t *value);
void vxe_json_read_fields(vxe_json_reader *reader, const json_t *value);
/* json_extra.c: the top-level members `experiment` and `foreign`; a formula among the members of an object.
 */
void vxe_json_read_experiment(vxe_json_reader *reader, const json_t *object);
void vxe_json_read_foreign(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object);
void vxe_json_get_formula(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                          const char *key, vxe_formula_role role);
/* json_rules.c: an element of the top-level member `rules`. */
void vxe_json_read_rule(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object);
/* Three formulas, of a force field or a flow, from role `first` on. */
void vxe_json_read_formulas(vxe_json_reader *reader, const vxe_json_place *place, const char *key,
                            const json_t *value, vxe_formula_role first);
/* json_read.c: a colour among the members of an object; the path of a file beside the scene, to be freed, or
 * NULL after an error. */
void vxe_json_read_color(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         uint8_t color[4]);
/* Likewise friction; false: there is none. */
bool vxe_json_read_friction(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                            double *still, double *sliding);
char *vxe_json_path(vxe_json_reader *reader, const vxe_json_place *place, const char *file);
/* json_world.c: the top-level members `ground`, `solids`, `water` and `start`. */
void vxe_json_read_ground(vxe_json_reader *reader, const json_t *object);
void vxe_json_read_solid(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object);
void vxe_json_read_water(vxe_json_reader *reader, const json_t *object);
void vxe_json_read_start(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object);

#endif
