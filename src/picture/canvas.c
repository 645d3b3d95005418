/* Boxes and text: see canvas.h. */
#include "picture/canvas.h"
#include "picture/font.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LETTER_MAX = 512 }; /* pixels along a side of a letter, no picture has larger ones */

static void blend(vxe_canvas *c, int32_t x, int32_t y, vxe_rgb color, double part)
{
    if (x < 0 || y < 0 || x >= c->width || y >= c->height || !(part > 0.0)) return;
    uint8_t *p = c->pixels + 3 * ((size_t)y * (size_t)c->width + (size_t)x);
    const double a = fmin(part, 1.0);
    p[0] = (uint8_t)lrint(p[0] + a * (color.r - p[0]));
    p[1] = (uint8_t)lrint(p[1] + a * (color.g - p[1]));
    p[2] = (uint8_t)lrint(p[2] + a * (color.b - p[2]));
}

void vxe_canvas_box(vxe_canvas *c, double x0, double y0, double x1, double y1, double radius, vxe_rgb color,
                    double opacity)
{
    const double middle[2] = {0.5 * (x0 + x1), 0.5 * (y0 + y1)};
    const double half[2] = {0.5 * (x1 - x0) - radius, 0.5 * (y1 - y0) - radius};
    const int32_t top = (int32_t)fmax(floor(y0) - 1.0, 0.0);
    const int32_t bottom = (int32_t)fmin(ceil(y1) + 1.0, c->height);
    const int32_t left = (int32_t)fmax(floor(x0) - 1.0, 0.0);
    const int32_t right = (int32_t)fmin(ceil(x1) + 1.0, c->width);
    for (int32_t y = top; y < bottom; y++) {
        for (int32_t x = left; x < right; x++) {
            const double dx = fabs(x + 0.5 - middle[0]) - half[0];
            const double dy = fabs(y + 0.5 - middle[1]) - half[1];
            const double outside = hypot(fmax(dx, 0.0), fmax(dy, 0.0)) + fmin(fmax(dx, dy), 0.0) - radius;
            blend(c, x, y, color, opacity * fmin(fmax(0.5 - outside, 0.0), 1.0));
        }
    }
}

/* ---- letters ------------------------------------------------------------------------------------------------------ */

/* What stands for a letter that the fonts do not have. */
static int32_t plain_letter(int32_t code)
{
    static const char latin[] =
        "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYPsaaaaaaaceeeeiiiidnooooo/ouuuuypy"; /* from 0xc0 */
    if (code >= 0xc0 && code <= 0xff) return latin[code - 0xc0];
    if (code == 0x3bc) return 0xb5;
    if (code == 0x2018 || code == 0x2019) return '\'';
    if (code == 0x201c || code == 0x201d) return '"';
    if (code == 0x2014) return 0x2013;
    if (code == 0xa0) return ' ';
    return '?';
}

static const vxe_glyph *find_glyph(const vxe_font *font, int32_t code)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < font->count; i++)
            if (font->glyphs[i].code == code) return &font->glyphs[i];
        code = plain_letter(code);
    }
    return &font->glyphs[0];
}

/* The next letter of a text; 0 at its end. What is not UTF-8 counts as single bytes. */
static int32_t next_letter(const char **text)
{
    const unsigned char *t = (const unsigned char *)*text;
    if (*t == 0) return 0;
    const int more = t[0] >= 0xf0 ? 3 : t[0] >= 0xe0 ? 2 : t[0] >= 0xc0 ? 1 : 0;
    int32_t code = more == 0 ? t[0] : t[0] & (0x3f >> more);
    for (int i = 1; i <= more; i++) {
        if ((t[i] & 0xc0) != 0x80) {
            *text += 1;
            return '?';
        }
        code = code << 6 | (t[i] & 0x3f);
    }
    *text += 1 + more;
    return code < ' ' ? ' ' : code;
}

double vxe_text_width(int font, double size, const char *text)
{
    double width = 0.0;
    for (int32_t code = next_letter(&text); code != 0; code = next_letter(&text))
        width += find_glyph(&vxe_fonts[font], code)->advance;
    return width * size / VXE_FONT_EM;
}

/* How much of each pixel an outline covers: every edge adds the area to its right, signed, as differences
 * along the row, whose running sum is the coverage. */
typedef struct ink {
    int32_t width;
    int32_t height;
    float *area; /* ((width + 2) height) */
} ink;

static void add_row(float *row, int32_t width, double x0, double x1, double height)
{
    const double low = fmin(fmax(fmin(x0, x1), 0.0), width);
    const double high = fmin(fmax(fmax(x0, x1), 0.0), width);
    const int32_t first = (int32_t)low;
    const int32_t last = (int32_t)high;
    double before = 0.0; /* the part of the edge that lies left of the pixel's right side, so far */
    for (int32_t x = first; x <= last; x++) {
        const double from = fmax(low, x);
        const double to = fmin(high, x + 1.0);
        const double part = high > low ? (to - from) / (high - low) : 1.0;
        /* Of its own height, the edge covers what lies to its right in this pixel. */
        const double here = height * part * (x + 1.0 - 0.5 * (from + to));
        row[x] += (float)(here + before);
        before = height * part - here;
    }
    row[last + 1] += (float)before;
}

static void add_edge(ink *k, double x0, double y0, double x1, double y1)
{
    if (y0 == y1) return;
    const double sign = y0 < y1 ? 1.0 : -1.0;
    const double top = fmin(y0, y1);
    const double bottom = fmin(fmax(y0, y1), k->height);
    const double slope = (x1 - x0) / (y1 - y0);
    for (int32_t y = (int32_t)fmax(top, 0.0); y < bottom; y++) {
        const double from = fmax(top, y);
        const double to = fmin(bottom, y + 1.0);
        if (to <= from) continue;
        add_row(k->area + (size_t)y * (size_t)(k->width + 2), k->width, x0 + slope * (from - y0),
                x0 + slope * (to - y0), sign * (to - from));
    }
}

static void add_curve(ink *k, const double a[2], const double b[2], const double c[2])
{
    enum { PIECES = 6 };
    double x = a[0];
    double y = a[1];
    for (int i = 1; i <= PIECES; i++) {
        const double t = (double)i / PIECES;
        const double u = 1.0 - t;
        const double nx = u * u * a[0] + 2.0 * u * t * b[0] + t * t * c[0];
        const double ny = u * u * a[1] + 2.0 * u * t * b[1] + t * t * c[1];
        add_edge(k, x, y, nx, ny);
        x = nx;
        y = ny;
    }
}

/* One closed contour of `count` points that are placed already. */
static void add_contour(ink *k, const int16_t *points, int32_t count, double scale, double dx, double dy)
{
    double start[2] = {0.0, 0.0};
    double at[2] = {0.0, 0.0};
    double control[2] = {0.0, 0.0};
    bool begun = false;
    bool curving = false;
    /* Fonts like these begin each contour on the outline; one that does not begins at its first such point.
     */
    int32_t first = 0;
    if (count < 1) return;
    while (first < count && (points[2 * first] & 1) != 0) first++;
    for (int32_t n = 0; n <= count; n++) {
        const int16_t *p = points + 2 * ((first + n) % count);
        const double x = dx + scale * (p[0] >> 1);
        const double y = dy - scale * (p[1] >> 1);
        const bool on = (p[0] & 1) == 0;
        const double here[2] = {x, y};
        if (!begun) {
            memcpy(start, here, sizeof start);
            memcpy(at, here, sizeof at);
            begun = true;
        } else if (on) {
            if (curving) {
                add_curve(k, at, control, here);
            } else {
                add_edge(k, at[0], at[1], x, y);
            }
            memcpy(at, here, sizeof at);
            curving = false;
        } else {
            if (curving) {
                const double middle[2] = {0.5 * (control[0] + x), 0.5 * (control[1] + y)};
                add_curve(k, at, control, middle);
                memcpy(at, middle, sizeof at);
            }
            memcpy(control, here, sizeof control);
            curving = true;
        }
    }
    if (curving) add_curve(k, at, control, start);
}

static void draw_letter(vxe_canvas *c, const vxe_font *font, const vxe_glyph *glyph, double size, double x,
                        double y, vxe_rgb color)
{
    const double scale = size / VXE_FONT_EM;
    const int32_t left = (int32_t)floor(x) - 2;
    const int32_t top = (int32_t)floor(y - 1.0 * size) - 1;
    ink k = {.width = (int32_t)ceil(1.3 * size) + 4, .height = (int32_t)ceil(1.35 * size) + 2};
    if (k.width > LETTER_MAX || k.height > LETTER_MAX) return;
    k.area = calloc((size_t)(k.width + 2) * (size_t)k.height, sizeof *k.area);
    if (k.area == NULL) return;
    int32_t begin = glyph->point;
    for (int32_t p = begin; p < glyph[1].point; p++) {
        if ((font->points[2 * p + 1] & 1) == 0) continue;
        add_contour(&k, font->points + 2 * (size_t)begin, p + 1 - begin, scale, x - left, y - top);
        begin = p + 1;
    }
    for (int32_t row = 0; row < k.height; row++) {
        double covered = 0.0;
        for (int32_t column = 0; column < k.width; column++) {
            covered += (double)k.area[(size_t)row * (size_t)(k.width + 2) + (size_t)column];
            blend(c, left + column, top + row, color, fabs(covered));
        }
    }
    free(k.area);
}

void vxe_canvas_text(vxe_canvas *c, int font, double size, double x, double y, vxe_text_side side,
                     vxe_rgb color, const char *text)
{
    if (side != VXE_TEXT_LEFT) x -= (side == VXE_TEXT_MIDDLE ? 0.5 : 1.0) * vxe_text_width(font, size, text);
    for (int32_t code = next_letter(&text); code != 0; code = next_letter(&text)) {
        const vxe_glyph *glyph = find_glyph(&vxe_fonts[font], code);
        draw_letter(c, &vxe_fonts[font], glyph, size, x, y, color);
        x += glyph->advance * size / VXE_FONT_EM;
    }
}
