/* The two fonts of pictures, as outlines; tools/font.py makes font_data.c. */
#ifndef PICTURE_FONT_H
#define PICTURE_FONT_H

#include <stdint.h>

enum { VXE_FONT_EM = 1000 }; /* units per em */

typedef struct vxe_glyph {
    int32_t code;    /* Unicode */
    int32_t advance; /* to the next letter */
    int32_t point;   /* where its points begin; they end where the next one's do */
} vxe_glyph;

/* Points are pairs: 2 x + 1 for a control point of a quadratic curve (2 x for one on the outline), and 2 y +
 * 1 for the last of a contour. Between two control points there is one on the outline, in the middle. */
typedef struct vxe_font {
    const vxe_glyph *glyphs; /* (count + 1), ordered by code but for the last */
    int32_t count;
    const int16_t *points;
} vxe_font;

extern const vxe_font vxe_fonts[2]; /* regular and bold */

#endif
