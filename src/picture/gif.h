/* GIF files: a palette for the whole film, frames that store only what changed. */
#ifndef PICTURE_GIF_H
#define PICTURE_GIF_H

#include "picture/canvas.h"
#include "voxelastic/base.h"

#include <stddef.h>

enum { VXE_GIF_COLORS = 255, VXE_GIF_SAME = 255 }; /* the last index means: as in the frame before */

/* The colours of a film and the nearest of them to any colour. */
typedef struct vxe_palette {
    vxe_rgb color[VXE_GIF_COLORS + 1];
    int count;
    uint64_t *total;  /* colours seen so far: number and sums of red, green, blue, (4 BINS) */
    uint8_t *nearest; /* (BINS) */
} vxe_palette;

/* Starts one; false: no memory. */
bool vxe_palette_begin(vxe_palette *p);
/* Takes the colours of a picture into account. */
void vxe_palette_add(vxe_palette *p, const vxe_canvas *canvas);
/* Chooses the colours. */
void vxe_palette_choose(vxe_palette *p);
void vxe_palette_clear(vxe_palette *p);
/* The indices of a picture, (width height). */
void vxe_palette_map(const vxe_palette *p, const vxe_canvas *canvas, uint8_t *index);

/* What begins the file, and its size; `to` has room for VXE_GIF_HEADER bytes. */
enum { VXE_GIF_HEADER = 13 + 768 + 19 };
size_t vxe_gif_header(const vxe_palette *p, int32_t width, int32_t height, uint8_t *to);
/* A frame that is shown for `delay` hundredths of a second; `before` are the indices of the one before (NULL:
 * the first). Freed by free(); NULL: no memory. */
uint8_t *vxe_gif_frame(const uint8_t *index, const uint8_t *before, int32_t width, int32_t height, int delay,
                       size_t *size);

#endif
