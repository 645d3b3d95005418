/* An image of red, green and blue, 0 to 255, and what is drawn flat on it: boxes and text. Places and sizes
 * are in pixels, from the upper left corner of the image. Whatever lies outside is cut off. */
#ifndef PICTURE_CANVAS_H
#define PICTURE_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct vxe_canvas {
    int32_t width;
    int32_t height;
    uint8_t *pixels; /* (3 width height), row by row from the top */
} vxe_canvas;

typedef struct vxe_rgb {
    uint8_t r, g, b;
} vxe_rgb;

typedef enum vxe_text_side { VXE_TEXT_LEFT, VXE_TEXT_MIDDLE, VXE_TEXT_RIGHT } vxe_text_side;

/* A colour as "0xrrggbb". */
static inline vxe_rgb vxe_rgb_of(uint32_t code)
{
    return (vxe_rgb){(uint8_t)(code >> 16), (uint8_t)(code >> 8), (uint8_t)code};
}

/* A box with round corners. */
void vxe_canvas_box(vxe_canvas *c, double x0, double y0, double x1, double y1, double radius, vxe_rgb color,
                    double opacity);
/* A line of text (UTF-8) in font 0 (regular) or 1 (bold); x is its left end, middle or right end, y the base
 * line, `size` an em. Letters that the fonts do not have become plain ones or "?". */
void vxe_canvas_text(vxe_canvas *c, int font, double size, double x, double y, vxe_text_side side,
                     vxe_rgb color, const char *text);
/* How wide it is. */
double vxe_text_width(int font, double size, const char *text);

#endif
