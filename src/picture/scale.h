/* Colour scales: which map suits a measure, over which range, with which round numbers beside it. */
#ifndef PICTURE_SCALE_H
#define PICTURE_SCALE_H

#include "picture/canvas.h"
#include "voxelastic/scene.h"

enum { VXE_TICKS_MAX = 8 };

typedef enum vxe_map { VXE_MAP_SEQUENTIAL, VXE_MAP_DIVERGING, VXE_MAP_CYCLIC, VXE_MAP_STATES } vxe_map;

typedef struct vxe_tick {
    double part; /* of the way from low to high */
    char text[40];
} vxe_tick;

typedef struct vxe_scale {
    vxe_map map;
    double low;  /* what the ends of the scale mean */
    double high; /* likewise */
    char title[64];
    vxe_tick ticks[VXE_TICKS_MAX];
    int tick_count;
} vxe_scale;

/* A colour of a map, 0 to 1. */
vxe_rgb vxe_map_color(vxe_map map, double part);
/* The colour of a value. */
vxe_rgb vxe_scale_color(const vxe_scale *s, double value);

/* A scale for a measure whose values lie between low and high, or, if `fixed`, from low to high exactly.
 * Below `least` a value is noise: the scale is not finer. */
vxe_scale vxe_scale_make(const char *name, const char *label, const char *unit, double low, double high,
                         double least, bool fixed);

/* 1, 2 or 5 times a power of ten, at least `value`. */
double vxe_round_step(double value);

/* A number with a unit as people read it: "12.5 mm", "4.65 %" (for the unit "%", of parts), three digits. */
void vxe_print_quantity(char *text, size_t size, double value, const char *unit, int digits);

#endif
