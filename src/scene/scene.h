/* The inside of vxe_scene, read by model/ and io/. Only src/scene writes it; the functions of
 * voxelastic/scene.h keep every member valid by the rules of scene_check.c. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "base/settings.h"
#include "voxelastic/rules.h"
#include "voxelastic/scene.h"
#include "voxelastic/world.h"

#define VXE_SCENE_NAME_MAX 255          /* bytes of a scene's name */
#define VXE_SCENE_DESCRIPTION_MAX 65535 /* bytes of its description */
#define VXE_TRACE_MAX 1000              /* names of a trace */
#define VXE_TRACE_NAME_MAX 255          /* bytes of one of them */

#define VXE_FOREIGN_MAX 10000           /* pieces of other programs' files */
#define VXE_FOREIGN_BYTES_MAX (1 << 28) /* bytes of one of them */
#define VXE_FORMULA_BYTES_MAX 100000    /* bytes of a formula */

/* A piece of another program's file; one block of memory, freed by path. */
typedef struct scene_foreign {
    char *path;
    char *text;
} scene_foreign;

/* What a scene keeps of a vxe_actuation, for every cell. */
typedef struct cell_actuation {
    double phase;
    double amplitude;
    double period;
} cell_actuation;

struct vxe_scene {
    char name[VXE_SCENE_NAME_MAX + 1]; /* may be empty */
    char *description;                 /* NULL: empty */

    double pitch;              /* m */
    int32_t size[3];           /* voxels along x, y, z */
    size_t cell_count;         /* size[0] size[1] size[2] */
    uint16_t *voxels;          /* (cell_count), x fastest; 0 is empty, else 1..material_count */
    int64_t voxel_count;       /* cells that are not empty */
    cell_actuation *actuation; /* (cell_count) or NULL: nothing was set; period 0 stands for {0, 1, 1}, so
                                  that pages never written stay free */
    int64_t actuation_count;   /* cells whose actuation is not {0, 1, 1} */

    vxe_material_def *materials; /* (material_count); material m of the palette is materials[m - 1] */
    vxe_region_def *regions;     /* (region_count) */
    vxe_signal_def *signals; /* (signal_count); the scene owns the tables: one block, freed by table_time */
    vxe_part_def *parts;     /* (part_count); part p is parts[p - 1] */
    vxe_rule_def *rules;     /* (rule_count); the scene owns the weights of networks */
    vxe_solid_def *solids;   /* (solid_count); the scene owns the cells */
    vxe_start_def *starts;   /* (start_count) */
    scene_foreign *foreign;  /* (foreign_count) */
    int32_t material_count, region_count, signal_count, part_count;
    int32_t rule_count, solid_count, start_count, foreign_count;
    size_t material_capacity, region_capacity, signal_capacity,
        part_capacity; /* for how many there is room */
    size_t rule_capacity, solid_capacity, start_capacity, foreign_capacity;

    vxe_environment environment;
    vxe_ground_def *ground; /* NULL: none; the scene owns the heights */
    vxe_water_def *water;   /* NULL: none */
    vxe_stop stop;
    vxe_output_def output; /* the scene owns the names: one block, freed by trace */

    double *fields[VXE_FIELD_COUNT]; /* (cell_count) each, or NULL: nothing was set */
    int64_t field_counts[VXE_FIELD_COUNT];
    char *formulas[VXE_FORMULA_COUNT]; /* NULL: none */
    vxe_experiment experiment;
};

/* Place of a cell in voxels and actuation. The cell must be inside. */
static inline size_t vxe_scene_cell(const vxe_scene *scene, int32_t i, int32_t j, int32_t k)
{
    return ((size_t)k * (size_t)scene->size[1] + (size_t)j) * (size_t)scene->size[0] + (size_t)i;
}

static inline bool vxe_scene_inside(const vxe_scene *scene, int32_t i, int32_t j, int32_t k)
{
    return i >= 0 && i < scene->size[0] && j >= 0 && j < scene->size[1] && k >= 0 && k < scene->size[2];
}

/* --- shape.c --- */

/* A shape in units of the pitch, ready for tests. Every kind is a product of straight axes (an interval) and
 * round axes (which together form an ellipse or ellipsoid): a box has three straight axes, a sphere three
 * round ones, a cylinder one and two. */
typedef struct vxe_placed_shape {
    bool round[3];
    double lower[3]; /* bounds along each axis */
    double upper[3];
    double center[3]; /* of the round axes */
    double half[3];   /* half axes of the round axes */
    double thickness; /* 0: solid */
    bool thin[3];     /* no extent along this axis */
    bool flat;        /* without volume: thin along some axis */
    vxe_touch touch;
    int32_t cell_count; /* > 0: a list of cells, sorted by k, j, i; nothing else counts */
    const int32_t *cells;
} vxe_placed_shape;

/* Turns a valid shape into units of the pitch. */
vxe_placed_shape vxe_place_shape(const vxe_shape *shape, double pitch, const int32_t size[3]);
/* Whether a point (units of the pitch) is in the shape: the rule of vxe_scene_fill(). */
bool vxe_shape_contains(const vxe_placed_shape *shape, const double point[3]);
/* Whether the shape touches the cube of a cell: the rule of regions. */
bool vxe_shape_touches(const vxe_placed_shape *shape, int32_t i, int32_t j, int32_t k);
/* The box of cells, first to last inclusive, outside of which the shape neither contains a centre nor touches
 * a cube. False: there are none. */
bool vxe_shape_cells(const vxe_placed_shape *shape, const int32_t size[3], int32_t first[3], int32_t last[3]);

/* --- scene_check.c --- */

/* Each returns VXE_ERROR_INPUT (or _LIMIT) and a message for the first rule that is broken. */
vxe_result vxe_check_workspace(double pitch, const int32_t size[3], vxe_error *error);
/* Either text may be NULL. */
vxe_result vxe_check_description(const char *name, const char *description, vxe_error *error);
vxe_result vxe_check_material(const vxe_material_def *def, vxe_error *error);
/* `owner` begins the message. */
vxe_result vxe_check_shape(const char *owner, const vxe_shape *shape, vxe_error *error);
vxe_result vxe_check_region(const vxe_region_def *def, vxe_error *error);
/* That it moves and pushes in the plane of the scene only. */
vxe_result vxe_check_region_plane(const vxe_region_def *def, vxe_plane plane, vxe_error *error);
vxe_result vxe_check_environment(const vxe_environment *environment, vxe_error *error);
vxe_result vxe_check_signal(const vxe_signal_def *def, vxe_error *error);
vxe_result vxe_check_actuation(const cell_actuation *actuation, int32_t i, int32_t j, int32_t k,
                               vxe_error *error);
vxe_result vxe_check_stop(const vxe_stop *stop, vxe_error *error);
vxe_result vxe_check_output(const vxe_output_def *output, vxe_error *error);
vxe_result vxe_check_field(vxe_field field, double value, int32_t i, int32_t j, int32_t k, vxe_error *error);
/* `self` is the number of the part that it replaces, 0: of none. */
vxe_result vxe_check_part(const vxe_scene *scene, const vxe_part_def *def, int32_t self, vxe_error *error);
vxe_result vxe_check_experiment(const vxe_experiment *experiment, vxe_error *error);
/* That no other region (signal) than number `self` has this name; self = -1: none at all. */
vxe_result vxe_check_region_name(const vxe_scene *scene, const char *name, int32_t self, vxe_error *error);
vxe_result vxe_check_signal_name(const vxe_scene *scene, const char *name, int32_t self, vxe_error *error);

/* --- scene.c --- */

/* Memory that a model takes for each voxel, and a simulation of it, at the least: what is more than the
 * machine has is refused before voxels are made. */
#define VXE_MODEL_BYTES 100
#define VXE_SIM_BYTES 250

/* Whether the machine has this many bytes of physical memory at all (true where that is not known). */
bool vxe_machine_holds(size_t bytes);
/* Actuation of a cell: {0, 1, 1} where nothing was set or outside; and setting it, the cell being inside. */
cell_actuation vxe_cell_actuation(const vxe_scene *scene, int32_t i, int32_t j, int32_t k);
vxe_result vxe_put_actuation(vxe_scene *scene, int32_t i, int32_t j, int32_t k, cell_actuation own,
                             vxe_error *error);
/* Takes an element out. */
void vxe_drop(void *array, int32_t *count, int32_t index, size_t element);
/* VXE_ERROR_ARGUMENT unless there is a thing (`what`) of that number, from `first` on. */
vxe_result vxe_check_number(const char *what, int32_t number, int32_t count, int32_t first, vxe_error *error);
/* VXE_ERROR_ARGUMENT with its message. */
vxe_result vxe_refuse_null(vxe_error *error);
vxe_result vxe_refuse_material(const vxe_scene *scene, int32_t material, vxe_error *error);
/* Sets the bytes after the end of a name to zero, so that equal names are equal bytes. */
void vxe_pad_name(char name[VXE_NAME_SIZE]);

/* calloc of one element per cell, so that pages never written stay free. NULL after a message. */
void *vxe_allocate_cells(size_t count, size_t element, const char *what, vxe_error *error);
/* Copies only pages that are not zero; the target is zero. */
void vxe_copy_cells(void *target, const void *source, size_t bytes);
vxe_result vxe_refuse_outside(const vxe_scene *scene, int32_t i, int32_t j, int32_t k, vxe_error *error);

/* --- regions.c, fields.c --- */

/* With its cells, sorted. */
vxe_result vxe_copy_region(const vxe_region_def *def, vxe_region_def *copy, vxe_error *error);
void vxe_free_region(vxe_region_def *def);
/* Fields, formulas, experiment and foreign pieces; the target has none of them. */
vxe_result vxe_copy_extras(const vxe_scene *scene, vxe_scene *copy, vxe_error *error);
void vxe_free_extras(vxe_scene *scene);

/* --- rules.c --- */

vxe_result vxe_check_rules(const vxe_scene *scene, vxe_error *error);
vxe_result vxe_copy_rules(const vxe_scene *scene, vxe_scene *copy, vxe_error *error);
void vxe_free_rules(vxe_scene *scene);

/* --- world.c --- */

/* Ground and solids; the target has none of them. */
vxe_result vxe_copy_world(const vxe_scene *scene, vxe_scene *copy, vxe_error *error);
void vxe_free_world(vxe_scene *scene);
/* Rules of ground and solids. */
vxe_result vxe_check_world(const vxe_scene *scene, vxe_error *error);
vxe_result vxe_check_start_in_scene(const vxe_scene *scene, const vxe_start_def *def, vxe_error *error);

/* --- signals.c, environment.c --- */

/* With its tables. */
vxe_result vxe_copy_signal(const vxe_signal_def *def, vxe_signal_def *copy, vxe_error *error);
void vxe_free_signal(vxe_signal_def *def);
/* With its names. */
vxe_result vxe_copy_output(const vxe_output_def *output, vxe_output_def *copy, vxe_error *error);
void vxe_free_output(vxe_output_def *output);

/* What programs hand over. */
extern const settings_type vxe_material_type, vxe_part_type, vxe_shape_type, vxe_region_type,
    vxe_environment_type, vxe_signal_type, vxe_stop_type, vxe_experiment_type, vxe_output_type;

#endif
