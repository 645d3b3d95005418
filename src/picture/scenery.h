/* Ground and solids as faces, to be drawn with a body. */
#ifndef PICTURE_SCENERY_H
#define PICTURE_SCENERY_H

#include "picture/body.h"
#include "picture/camera.h"
#include "picture/canvas.h"
#include "voxelastic/world.h"

typedef struct vxe_scenery {
    int32_t corner_count;
    int32_t face_count;
    double *corner; /* m, (3 corner_count) */
    uint32_t *face; /* counterclockwise from outside, (4 face_count); a triangle has its last corner twice */
    vxe_rgb *color; /* (face_count) */
} vxe_scenery;

/* Of a scene: solids, and the ground around its workspace, coarser where it is fine and large, and coarser
 * and coarser far away. NULL and VXE_OK: there is nothing. */
vxe_result vxe_scenery_create(const vxe_scene *scene, vxe_scenery **scenery, vxe_error *error);
void vxe_scenery_destroy(vxe_scenery *scenery);

/* What is drawn with the scenery behind it, faces that go past the camera cut into pieces: `target` is the
 * origin of its corners, `unit` theirs, m. The new arrays are freed by vxe_scenery_part(); `material` is the
 * body's own. */
vxe_result vxe_scenery_join(const vxe_scenery *scenery, const vxe_drawn *own, const vxe_camera *camera,
                            const double target[3], double unit, vxe_drawn *joined, vxe_error *error);
void vxe_scenery_part(vxe_drawn *joined);

#endif
