/* What is drawn of a body: faces that do not change, and where their corners are at one moment. */
#ifndef PICTURE_BODY_H
#define PICTURE_BODY_H

#include "voxelastic/base.h"

/* The faces of the surface; shared by the shots of a film. */
typedef struct vxe_body {
    int32_t users; /* shots that refer to it */
    int32_t voxel_count;
    int32_t corner_count;
    int32_t face_count;
    uint32_t *face;       /* corners of each face, counterclockwise from outside, (4 face_count) */
    uint32_t *face_voxel; /* (face_count) */
    uint8_t *
        hollow; /* how much of the light from all around reaches a face's corners, 0 to 255, (4 face_count) */
    uint16_t *material; /* from 1, (voxel_count) */
} vxe_body;

/* A moment. */
typedef struct vxe_shot {
    double time; /* s */
    double origin[3];
    vxe_body *body;
    float *corner; /* m, relative to the origin, (3 corner_count) */
    float *value;  /* of the measure, (voxel_count); NULL: colours are those of the materials */
} vxe_shot;

/* Copies the faces of a surface; `cell` are the places of its voxels in the lattice, `side` which side of its
 * voxel a face is, as in vxe_surface. VXE_ERROR_MEMORY. */
vxe_result vxe_body_create(int32_t voxel_count, int32_t corner_count, int32_t face_count,
                           const uint32_t *face, const uint32_t *face_voxel, const uint8_t *side,
                           const uint16_t *material, const int32_t *cell, vxe_body **made, vxe_error *error);
/* One user less; the last one frees it. */
void vxe_body_release(vxe_body *body);

#endif
