/* What a link does beyond yield: a flow curve, stress against accumulated plastic strain, for one material or
 * for two in series. */
#ifndef MODEL_FLOW_H
#define MODEL_FLOW_H

#include "voxelastic/scene.h"

/* Points of a pair: those of both materials, each possibly twice (a flat piece), and one to carry the last
 * slope. */
#define FLOW_POINTS_MAX (4 * VXE_TABLE_MAX + 4)

/* Below stress[0] the material is elastic. Between points: straight lines. Beyond the last point the stress
 * goes on along the line through the last two points (one point: it stays). strain starts at 0, neither ever
 * falls. count 0: elastic for ever. */
typedef struct flow_curve {
    int32_t count;
    double strain[FLOW_POINTS_MAX]; /* plastic strain */
    double stress[FLOW_POINTS_MAX]; /* Pa */
} flow_curve;

/* The flow curve of a link between two materials: half of each in series, so they share stress and their
 * strains are averaged. */
void vxe_flow_of_pair(const vxe_material_def *first, const vxe_material_def *second, flow_curve *curve);

#endif
