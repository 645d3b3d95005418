/* What is drawn of a body: faces that do not change, and where their corners are at one moment. */
#ifndef PICTURE_BODY_H
#define PICTURE_BODY_H

#include "picture/canvas.h"
#include "picture/surface.h"

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

/* What is drawn: faces, where their corners are, in units of the pitch, and the colours of their voxels. */
typedef struct vxe_drawn {
    vxe_body body;
    float *corner;  /* (3 corner_count) */
    vxe_rgb *color; /* (voxel_count) */
} vxe_drawn;

/* Copies the faces of a surface; takes its counts, face, face_voxel, face_side, material and cell.
 * VXE_ERROR_MEMORY. */
vxe_result vxe_body_create(const vxe_surface *surface, vxe_body **made, vxe_error *error);
/* One user less; the last one frees it. */
void vxe_body_release(vxe_body *body);

#endif
