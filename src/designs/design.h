/* A design: what a line of a batch says, its content hash, and the scene that is made of it. docs/batch.md is
 * the format. */
#ifndef DESIGNS_DESIGN_H
#define DESIGNS_DESIGN_H

#include "designs/digest.h"
#include "designs/source.h"
#include "voxelastic/io.h"

#include <jansson.h>

enum { DESIGN_ID_SIZE = 256, DESIGN_REPEATS_MAX = 1000000 };

/* What holds for all designs of a batch. */
typedef struct design_settings {
    const char *label;  /* of the lines, for messages */
    const char *folder; /* of the files that they name */
    bool anywhere;      /* files may be out of that folder */
    const char *base;   /* scene of the lines that name none; NULL: they must */
    vxe_dialect dialect;
    vxe_sim_def sim;
    double time;   /* s; 0: the scene's stop condition, or the line's */
    int64_t steps; /* likewise */
    bool has_collisions;
    vxe_collisions collisions;
} design_settings;

/* Makes designs; may be used by several threads at once. */
typedef struct design_reader design_reader;
/* The settings must outlive it. VXE_ERROR_MEMORY, or what is wrong with the base. */
vxe_result vxe_reader_create(const design_settings *settings, design_reader **reader, vxe_error *error);
void vxe_reader_destroy(design_reader *reader);

/* A line that was understood, or a file. */
typedef struct design_plan {
    char id[DESIGN_ID_SIZE];
    uint8_t hash[DIGEST_SIZE]; /* of the content: scene, changes and settings, not of id and repeats */
    int32_t repeats;           /* 1 and more */
    double spread;             /* of repeats: material constants differ by at most this part */
    double time;               /* s; 0: as the scene says */
    int64_t steps;
    int64_t number; /* of the line */
    json_t *root;   /* the line; NULL: a file */
    char *path;     /* scene file; NULL: the scene is in the line */
} design_plan;
void vxe_plan_free(design_plan *plan);

/* Understands an item. If that fails, id and hash are there all the same (the hash is that of the bytes).
 * VXE_ERROR_INPUT, _FILE, _LIMIT or _MEMORY, with a message that begins with the place. */
vxe_result vxe_plan_read(design_reader *reader, const design_item *item, design_plan *plan, vxe_error *error);
/* The scene of a plan, and when its run ends. Repeats are counted from 0, which is the design as it is. */
vxe_result vxe_plan_scene(design_reader *reader, const design_plan *plan, int32_t repeat, vxe_scene **scene,
                          vxe_stop *stop, vxe_error *error);

/* change.c: sets the value at a path such as `materials.gel.youngs_modulus` or `signals[0].period`; objects
 * on the way are made; null removes. VXE_ERROR_INPUT. */
vxe_result vxe_change_json(json_t *root, const char *path, json_t *value, vxe_error *error);

#endif
