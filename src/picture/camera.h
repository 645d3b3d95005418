/* From where a body is looked at. z is up and the camera is level. */
#ifndef PICTURE_CAMERA_H
#define PICTURE_CAMERA_H

#include "base/vec.h"

#include <stdint.h>

typedef struct vxe_camera {
    vec3 target;  /* what it looks at, in the units of the corners */
    vec3 right;   /* unit vectors */
    vec3 up;      /* likewise */
    vec3 forward; /* likewise */
    double distance;
    double focal; /* pixels: a length at this distance, divided by the distance, is so many */
    double middle[2];
} vxe_camera;

/* A camera with a lens of 32 degrees along the height; angles of the eye about z from x, and above the floor.
 */
vxe_camera vxe_camera_make(int32_t width, int32_t height, double azimuth, double elevation);
/* Where a point appears: x, y in pixels, and 1/depth. */
static inline void vxe_camera_see(const vxe_camera *c, vec3 p, double seen[3])
{
    const vec3 d = vec3_sub(p, c->target);
    const double depth = c->distance + vec3_dot(d, c->forward);
    const double scale = c->focal / depth;
    seen[0] = c->middle[0] + scale * vec3_dot(d, c->right);
    seen[1] = c->middle[1] - scale * vec3_dot(d, c->up);
    seen[2] = 1.0 / depth;
}

#endif
