/* The inside of an observer: what it has seen, for those who write it down. */
#ifndef IO_OBSERVER_H
#define IO_OBSERVER_H

#include "io/formats.h"

/* A place of the centre of mass. */
typedef struct observed_place {
    double time;      /* s */
    double center[3]; /* m */
    double volume;    /* m^3, of all voxels */
} observed_place;

struct vxe_observer {
    const vxe_scene *scene;
    const vxe_model_view *view;
    vxe_experiment experiment;
    vxe_outcome outcome;
    bool begun; /* results count */
    bool ended;
    bool restarted;
    bool by_formula[2]; /* when they begin and end */
    bool grouped;       /* the largest body has been counted */
    double life_end;    /* s; when life ends and afterlife begins; INFINITY: it does not, or has */
    double life_back;   /* voxels; the end of the body along y then: EndOfLifePosteriorY */
    double pushed;      /* voxels; way of the block's last voxel */
    double largest;     /* voxels of the largest body with a material that sticks; < 0: none does */
    bool found;         /* the needle has been touched */
    char failure[512];  /* of the simulation; empty: none */
    double start_volume;
    double end_volume;
    double half_center[3]; /* m; centre of mass at half of the time that counts so far */
    double floor_voxels;   /* voxels on the floor at the end */
    double floor_non_feet; /* of material 6 */
    double *start[3];      /* m; positions when results began, (voxel_count) */
    double *end[3];        /* m; positions at the last look */
    observed_place *places;
    int32_t place_count;
    size_t place_capacity;
    double next_place;
    vxe_file history;
    bool has_history;
    double next_frame;
};

/* hull.c: volume of the convex hull of voxels at these places, m^3; NaN: no memory. */
double vxe_hull_volume(double *const position[3], int32_t count, double pitch);

/* A material by its name in the experiment, or 0. */
int32_t vxe_observed_material(const vxe_observer *o, const char *name);

/* vxa_print.c: what a file of voxcraft wants printed */
void vxe_history_print_raw(const vxe_scene *scene, FILE *stream);

/* history_write.c */
vxe_result vxe_history_begin(vxe_observer *o, const char *path, vxe_error *error);
vxe_result vxe_history_frame_now(vxe_observer *o, vxe_sim *sim, vxe_error *error);

#endif
