/* Ground and solids as the engine needs them: constant, with what finds the surfaces near a point at a cost
 * that does not depend on how large they are. */
#ifndef MODEL_WORLD_H
#define MODEL_WORLD_H

#include "kernel/surface.h"
#include "voxelastic/world.h"

/* Surfaces that a voxel can touch at once. */
#define WORLD_HITS 3

/* A surface near a point. */
typedef struct world_hit {
    uint32_t place; /* which surface, > 0: see below */
    surface_point surface;
} world_hit;

/* Places: cells of the ground from 1 on, then solids. Cells of a solid have none of their own: the side on
 * which they are touched counts, so that a body slides from cube to cube. */
#define WORLD_SOLID UINT32_C(0x40000000)
#define WORLD_SIDES 32 /* of a solid; 27 are used */

#define WORLD_LEVELS 16

typedef struct world_solid {
    vxe_solid_def def; /* with its own cells */
    double axes[3][3]; /* its x, y and z in the world */
    double ball;       /* m: radius of a ball around its middle that holds it */
} world_solid;

typedef struct model_world {
    vxe_ground_def ground;            /* with its own heights; points 0: none */
    double *highest[WORLD_LEVELS];    /* m: of squares of 1, 2, 4, ... cells; level 0 is not kept */
    int32_t squares[WORLD_LEVELS][2]; /* how many, along x and y */
    int32_t levels;
    double steepest; /* slope of the ground along x or y, the largest there is */
    int32_t solid_count;
    world_solid *solids; /* (solid_count) */
} model_world;

/* Of a scene; NULL: it has neither ground nor solids. */
vxe_result vxe_world_create(const vxe_scene *scene, model_world **world, vxe_error *error);
void vxe_world_destroy(model_world *world);
uint64_t vxe_world_hash(uint64_t hash, const model_world *world);

/* Surfaces closer to a point than `reach`, m, the nearest WORLD_HITS of them; the nearest of all is always
 * among them, and none of the ground twice. Surfaces that meet in a valley are two; those that meet in a
 * ridge are one. */
int vxe_world_near(const model_world *world, const double at[3], double reach, world_hit hits[WORLD_HITS]);
/* m: no surface is nearer to a point than this. */
double vxe_world_clear(const model_world *world, const double at[3]);
/* A cell of the ground, and how uneven the ground is there and around it. Of a point above, at `own` from the
 * cell's corner, let `place` be what of the cell is nearest to it and `far` the distance there, m. Then no
 * other place near the point is one of least distance, if far bends < 1/4, far < level and
 *
 *     (1 - far bends) (place - 0)    > far folds + low,
 *     (1 - far bends) (side - place) > far folds + high,   own < end,
 *
 * along x and along y. */
typedef struct world_cell {
    double corner, along_x, along_y, twist; /* its heights: kernel/patch.h */
    double number[2];                       /* along x and y */
    double bends, folds;                    /* 1/m; of 1 */
    double level, low, high, end;           /* m */
} world_cell;
/* False: none that this could be said of. */
bool vxe_world_cell(const model_world *world, uint32_t place, world_cell *cell);
/* m: no solid is nearer to a point than this. */
double vxe_world_solids_clear(const model_world *world, const double at[3]);
/* Whether a body that touched one place touches the other when it has slid a little. */
bool vxe_world_same(const model_world *world, uint32_t before, uint32_t now);
/* Friction of a place; false: it has none of its own. */
bool vxe_world_friction(const model_world *world, uint32_t place, double *still, double *sliding);

#endif
