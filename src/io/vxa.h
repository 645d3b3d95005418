/* Inside the reader and writer of the VoxCAD family: what is being read, numbers and switches by element, and
 * the parts of a file, one source file each. */
#ifndef IO_VXA_H
#define IO_VXA_H

#include "io/xml.h"
#include "scene/expression.h"
#include "voxelastic/rules.h"

/* Palette indices of a grid of voxels. */
typedef struct vxa_grid {
    int32_t size[3];
    uint8_t *cells; /* (size[0] size[1] size[2]), x fastest; freed by free() */
} vxa_grid;

/* A palette entry that stands for others, voxel by voxel. */
typedef struct vxa_composite {
    int32_t kind;      /* 0: a plain material; 1: a tile; 3: a mixture of two */
    int32_t choice[2]; /* mixture: palette indices */
    double part;       /* mixture: of the first */
    vxa_grid tile;
    int32_t offset[3];
    int32_t axis;    /* the tile is turned about it */
    int32_t quarter; /* turns, 0 to 3 */
    int32_t line;
} vxa_composite;

/* What is being read and what became of it. Errors are sticky, as in the JSON reader. */
typedef struct vxa_reader {
    const char *name; /* of the file, for messages */
    vxe_dialect dialect;
    bool water; /* evosoro's engine for land and water */
    vxe_notes *notes;
    vxe_scene *scene;   /* from the lattice on */
    xmlNode *simulator; /* each may be NULL: there is none */
    xmlNode *environment;
    xmlNode *object;     /* VXC or DMF */
    bool volume_effects; /* Poisson's ratio counts */
    bool detaches;       /* links may break */
    double begin;        /* s; InitCmTime */
    double life;         /* s; StopConditionValue, for growth */
    double growth_amplitude;
    double smallest;           /* size of a voxel, pitches: MinTempFact */
    vxa_composite *composites; /* of the palette entries, from 1; (palette_count + 1) */
    int32_t palette_count;
    vxe_result result;
    vxe_error *error;
} vxa_reader;

/* Records `NAME:LINE: ...` unless there is an error already. */
void vxe_vxa_refuse(vxa_reader *r, vxe_result code, const xmlNode *node, const char *format, ...)
    VXE_PRINTF(4, 5);
/* Records what a function of the scene refused, at an element. */
void vxe_vxa_refused(vxa_reader *r, const xmlNode *node, const vxe_error *cause);

/* A number, a whole number, a switch below `parent`; `standard` where there is none. The element is marked.
 */
double vxe_vxa_number(vxa_reader *r, const xmlNode *parent, const char *name, double standard);
int64_t vxe_vxa_integer(vxa_reader *r, const xmlNode *parent, const char *name, int64_t standard);
bool vxe_vxa_switch(vxa_reader *r, const xmlNode *parent, const char *name, bool standard);
/* A number limited to a range, with a remark where that changes it. */
double vxe_vxa_number_within(vxa_reader *r, const xmlNode *parent, const char *name, double standard,
                             double least, double most);

/* vxa_palette.c: all materials, and the composites among them. */
void vxe_vxa_read_palette(vxa_reader *r);
void vxe_vxa_free_palette(vxa_reader *r);
/* The plain material that a palette index stands for at a voxel. */
int32_t vxe_vxa_resolve(vxa_reader *r, int32_t index, int32_t i, int32_t j, int32_t k);

/* vxa_structure.c: the size of the grid, then voxels and what single voxels have. */
void vxe_vxa_read_size(vxa_reader *r, const xmlNode *structure, int32_t size[3]);
void vxe_vxa_read_grid(vxa_reader *r, const xmlNode *structure, const char *version, vxa_grid *grid);
void vxe_vxa_read_structure(vxa_reader *r);

/* vxa_region.c */
void vxe_vxa_read_regions(vxa_reader *r);

/* vxa_formula.c: a math tree below `holder` as the text of a formula (freed by free()), and back. `shift` is
 * taken from x, y and z: programs that put the first voxel's centre at the origin. NULL: none, or an error.
 */
char *vxe_vxa_read_formula(vxa_reader *r, xmlNode *holder, double shift);
bool vxe_vxa_write_formula(xmlNode *holder, const char *text, double shift);

/* vxa_rules.c: what voxels do by themselves. Takes marks away from an element and all below it. */
void vxe_vxa_read_rules(vxa_reader *r);
void vxe_vxa_unmark_all(xmlNode *node);
/* A number below `parent` that stays unmarked: the tag is told, kept and written again. */
double vxe_vxa_peek_number(const xmlNode *parent, const char *name, double standard);
/* Limited to a range, also what is not a number. */
double vxe_vxa_within(double value, double low, double high);
/* The number of an element that stays unmarked, limited to a range, with a remark where that changes it. */
double vxe_vxa_peek_within(const vxa_reader *r, const xmlNode *parent, const char *name, double standard,
                           double low, double high);
/* Adds a rule to the scene. */
void vxe_vxa_add_rule(vxa_reader *r, const xmlNode *node, const vxe_rule_def *rule);
/* The plain materials of the palette, one after the other: from index 0 and material NULL on; false: that was
 * all. */
bool vxe_vxa_next_material(vxa_reader *r, int32_t *index, xmlNode **material);

/* What self-replication asks of other rules. */
typedef struct vxa_cycle {
    double generation; /* s; 0: there is no self-replication */
    double settle;     /* s after it */
} vxa_cycle;

/* vxa_replicate.c: generations, debris and walls of voxcraft's branches. */
vxa_cycle vxe_vxa_cycle(const vxa_reader *r);
void vxe_vxa_read_replication(vxa_reader *r, vxa_cycle cycle);

/* vxa_light.c: lamps of voxcraft's branches, and what falls apart by them. */
bool vxe_vxa_has_lamps(const vxa_reader *r);
void vxe_vxa_read_lamps(vxa_reader *r);
/* The factor that light has on cilia, as a formula; "": none. */
void vxe_vxa_light_on_cilia(const vxa_reader *r, char value[VXE_RULE_FORMULA_SIZE]);

/* s: a step of those programs, for what is counted in steps there. */
double vxe_vxa_step(const vxa_reader *r);

/* vxa_tags.c: tells what was not looked at, and keeps it. */
void vxe_vxa_read_rest(vxa_reader *r, xmlNode *root);

/* vxa_read.c: a document, whatever its root; `document` is marked. */
vxe_result vxe_vxa_read_document(xmlDoc *document, const char *name, vxe_dialect dialect, vxe_scene **scene,
                                 vxe_notes *notes, vxe_error *error);
/* vxa_dialect.c: the dialect a document is written in, and why. */
vxe_dialect vxe_vxa_find_dialect(const xmlNode *root, vxe_notes *notes);

/* vxa_write.c: the whole as text, freed by xmlFree(); only_object: a .vxc. */
vxe_result vxe_vxa_print(const vxe_scene *scene, bool only_object, vxe_notes *notes, char **text,
                         size_t *size, vxe_error *error);

/* vxa_delta.c: what tags cannot say. Adds a `Voxelastic` element to `root` with every part of the scene that
 * reading the tags does not give. */
vxe_result vxe_vxa_add_delta(const vxe_scene *scene, xmlDoc *document, vxe_dialect dialect, vxe_notes *notes,
                             vxe_error *error);
/* Puts such parts into a scene that was read from tags: *scene is replaced. */
vxe_result vxe_vxa_apply_delta(const xmlNode *element, const char *name, vxe_scene **scene, vxe_notes *notes,
                               vxe_error *error);

/* Readers and writers for the table of formats. */
vxe_format_parse vxe_vxa_parse;
vxe_format_save vxe_vxa_save;
vxe_format_save vxe_vxc_save;

#endif
