/* What is drawn of a simulation: voxels, their shared corners and free faces, and where the corners are. The
 * numbering comes from vxe_skin; but only corners of voxels that are shown are placed, which makes a picture
 * of a large body cheap. Uses the public interface only. */
#ifndef PICTURE_SURFACE_H
#define PICTURE_SURFACE_H

#include "voxelastic/voxelastic.h"

typedef struct vxe_surface {
    int32_t voxel_count; /* shown */
    int32_t corner_count;
    int32_t face_count;
    int32_t link_count;
    uint32_t *voxel;      /* number in the model, increasing, (voxel_count) */
    int32_t *cell;        /* (3 voxel_count) */
    uint16_t *material;   /* (voxel_count) */
    uint32_t *hexahedron; /* corners of each voxel, x fastest, (8 voxel_count) */
    uint32_t *face;       /* corners of each free face, counterclockwise from outside, (4 face_count) */
    uint32_t *face_voxel; /* index into `voxel`, (face_count) */
    uint8_t *face_side;   /* 0..5: -x +x -y +y -z +z, (face_count) */
    uint32_t *link;       /* two indices into `voxel` each, (2 link_count) */
    int32_t *link_number; /* as in vxe_links, (link_count) */
    int32_t *corner_cell; /* the corner's place in the lattice, (3 corner_count) */

    /* How corners are placed: each is the mean of what the voxels around it make of it. */
    int32_t part_count;   /* voxels that have a part in corners */
    int32_t *part;        /* their numbers in the model, (part_count) */
    int32_t *neighbour;   /* linked voxels at -x +x -y +y -z +z, or -1, (6 part_count) */
    int32_t *share_begin; /* (corner_count + 1) */
    int32_t *share;       /* 8 * index into `part` + corner, x fastest */
    double *pose;         /* work space: position and three half axes, (12 part_count) */
} vxe_surface;

/* Which voxels are in it. */
typedef enum vxe_shown {
    VXE_SHOWN_SURFACE, /* those with a free face */
    VXE_SHOWN_PRESENT, /* all that are there now */
    VXE_SHOWN_ALL      /* and those that may still grow, or have disappeared */
} vxe_shown;

/* Makes the surface (and with `links` the links) of a simulation as its links are now. */
vxe_result vxe_surface_create(vxe_sim *sim, vxe_shown shown, bool links, vxe_surface **made,
                              vxe_error *error);
void vxe_surface_destroy(vxe_surface *s);
/* Frees what placing corners takes: for one whose corners are all placed. */
void vxe_surface_settle(vxe_surface *s);
/* Counts what makes a surface out of date: links that broke, voxels that came or went or became others. */
int64_t vxe_surface_changes(const vxe_sim *sim);

/* Takes the poses of a simulation, or (`state` NULL) those of its start. */
void vxe_surface_pose(vxe_surface *s, const vxe_model_view *model, const vxe_state *state);
/* Corners of the poses taken, m, relative to `origin`, (3 corner_count). */
void vxe_surface_corners(const vxe_surface *s, const double origin[3], float *corners);
/* What small displacements and rotations of the voxels (by number in the model) do to the corners, times
 * `scale`. */
void vxe_surface_motion(const vxe_surface *s, const double *const displacement[3],
                        const double *const rotation[3], double scale, float *motion);
/* Corners at the start, relative to `origin`. */
void vxe_surface_start(const vxe_surface *s, double pitch, const double origin[3], float *corners);

#endif
