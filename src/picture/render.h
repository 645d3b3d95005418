/* Draws one moment of a body into an image: projects, finds what is seen in each pixel, and lights it. */
#ifndef PICTURE_RENDER_H
#define PICTURE_RENDER_H

#include "picture/body.h"
#include "picture/camera.h"
#include "picture/canvas.h"

/* How it is drawn. Lengths are in pitches. */
typedef struct vxe_look {
    vxe_camera camera;
    int samples;          /* points of a pixel that are looked at, 1, 4 or 16 */
    bool floor;           /* draw it, with its lines and shadows */
    double floor_height;  /* z of the floor */
    double floor_step;    /* between its lines; every fifth is stronger */
    double floor_from[2]; /* x and y of a strong line */
    bool water;           /* draw the surface of water */
    double water_height;  /* z of it */
    double view_height;   /* what is seen at the target, from bottom to top */
    bool edges;           /* dark lines between voxels */
    double line;          /* how wide lines are, pixels */
    bool dark;
    const vxe_rgb *color; /* of the voxels, (voxel_count) */
} vxe_look;

/* Corners as in vxe_shot, but in pitches and in the axes of the camera's target. VXE_ERROR_MEMORY;
 * VXE_ERROR_LIMIT: faces lie over each other a thousand times. */
vxe_result vxe_render(const vxe_body *body, const float *corner, const vxe_look *look, vxe_canvas *canvas,
                      vxe_error *error);

#endif
