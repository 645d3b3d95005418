/* Pictures as SVG: see svg.h. */
#include "validate/svg.h"
#include "base/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 760, HEIGHT = 430, LEFT = 82, RIGHT = 20, TOP = 44, BOTTOM = 52 };

static const char *const colors[] = {"#1f6fb4", "#e07b1a", "#2a9d57", "#cc3344", "#7a52b3", "#6b6b6b"};

static const char *color_of(int color)
{
    return colors[(unsigned)color % (sizeof colors / sizeof colors[0])];
}

/* ---- plots -------------------------------------------------------------------------------------------------------- */

/* What is shown of an axis: from low to high (logarithms where `log`), ticks every `step`. */
typedef struct plot_axis {
    double low, high, step;
    bool log;
} plot_axis;

static double nice_step(double span, double about)
{
    const double raw = span / about;
    const double power = pow(10.0, floor(log10(raw)));
    const double part = raw / power;
    return power * (part < 1.5 ? 1.0 : part < 3.5 ? 2.0 : part < 7.5 ? 5.0 : 10.0);
}

static plot_axis axis_of(double low, double high, bool log)
{
    plot_axis a = {low, high, 1.0, log};
    if (log) {
        a.low = floor(log10(low) + 0.01);
        a.high = ceil(log10(high) - 0.01);
        if (a.high <= a.low) a.high = a.low + 1.0;
        a.step = ceil((a.high - a.low) / 9.0);
        return a;
    }
    if (!(high > low)) a.high = low + 1.0;
    a.step = nice_step(a.high - a.low, 7.0);
    a.low = floor(a.low / a.step + 1e-9) * a.step;
    a.high = ceil(a.high / a.step - 1e-9) * a.step;
    return a;
}

static double place(const plot_axis *a, double value, double from, double to)
{
    const double x = a->log ? log10(fmax(value, 1e-300)) : value;
    return from + (to - from) * (x - a->low) / (a->high - a->low);
}

typedef struct frame {
    plot_axis x, y;
    double width, height; /* of the plotting area */
} frame;

static frame frame_of(const val_plot *plot)
{
    double low[2] = {INFINITY, INFINITY};
    double high[2] = {-INFINITY, -INFINITY};
    for (int s = 0; s < plot->series_count; s++) {
        const val_series *series = &plot->series[s];
        for (int i = 0; i < series->count; i++) {
            low[0] = fmin(low[0], series->x[i]);
            high[0] = fmax(high[0], series->x[i]);
            if (series->style == VAL_RULES || (plot->log_y && !(series->y[i] > 0.0))) continue;
            low[1] = fmin(low[1], series->y[i]);
            high[1] = fmax(high[1], series->y[i]);
        }
    }
    frame f = {axis_of(fmin(low[0], 0.0), high[0], false),
               axis_of(plot->log_y ? low[1] : fmin(low[1], 0.0), high[1], plot->log_y), WIDTH - LEFT - RIGHT,
               HEIGHT - TOP - BOTTOM};
    if (plot->same_scale) {
        f.x.step = f.y.step = fmax(f.x.step, f.y.step);
        f.x.low = floor(f.x.low / f.x.step + 1e-9) * f.x.step;
        f.x.high = ceil(f.x.high / f.x.step - 1e-9) * f.x.step;
        f.y.low = floor(f.y.low / f.y.step + 1e-9) * f.y.step;
        f.y.high = ceil(f.y.high / f.y.step - 1e-9) * f.y.step;
        const double scale = fmin(f.width / (f.x.high - f.x.low), f.height / (f.y.high - f.y.low));
        f.width = scale * (f.x.high - f.x.low);
        f.height = scale * (f.y.high - f.y.low);
    }
    return f;
}

static double at_x(const frame *f, double x) { return place(&f->x, x, LEFT, LEFT + f->width); }
static double at_y(const frame *f, double y) { return place(&f->y, y, TOP + f->height, TOP); }

static void draw_axes(FILE *out, const val_plot *plot, const frame *f)
{
    (void)fprintf(out, "<rect x='%d' y='%d' width='%.1f' height='%.1f' fill='#fff' stroke='#888'/>\n", LEFT,
                  TOP, f->width, f->height);
    for (int i = 0; i <= (int)((f->x.high - f->x.low) / f->x.step + 1e-6); i++) {
        const double t = f->x.low + i * f->x.step;
        const double x = at_x(f, t);
        (void)fprintf(out, "<path d='M%.1f %d V%.1f' stroke='#e4e4e4'/>", x, TOP, TOP + f->height);
        (void)fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='middle'>%.6g</text>\n", x,
                      TOP + f->height + 17.0, fabs(t) < 1e-9 * f->x.step ? 0.0 : t);
    }
    for (int i = 0; i <= (int)((f->y.high - f->y.low) / f->y.step + 1e-6); i++) {
        const double t = f->y.low + i * f->y.step;
        const double y = place(&(plot_axis){f->y.low, f->y.high, 1.0, false}, t, TOP + f->height, TOP);
        (void)fprintf(out, "<path d='M%d %.1f H%.1f' stroke='#e4e4e4'/>", LEFT, y, LEFT + f->width);
        if (f->y.log) {
            (void)fprintf(out,
                          "<text x='%d' y='%.1f' text-anchor='end'>10<tspan dy='-6' "
                          "font-size='10'>%.0f</tspan></text>\n",
                          LEFT - 7, y + 5.0, t);
        } else {
            (void)fprintf(out, "<text x='%d' y='%.1f' text-anchor='end'>%.6g</text>\n", LEFT - 7, y + 4.0,
                          fabs(t) < 1e-9 * f->y.step ? 0.0 : t);
        }
    }
    (void)fprintf(out, "<text x='%.1f' y='%.1f' text-anchor='middle'>", LEFT + 0.5 * f->width,
                  TOP + f->height + 38.0);
    vxe_write_escaped(out, plot->x_label, false);
    (void)fprintf(out, "</text>\n<text transform='translate(18 %.1f) rotate(-90)' text-anchor='middle'>",
                  TOP + 0.5 * f->height);
    vxe_write_escaped(out, plot->y_label, false);
    (void)fputs("</text>\n", out);
}

static void draw_line(FILE *out, const val_series *s, const frame *f)
{
    (void)fprintf(out, "<path fill='none' stroke='%s' stroke-width='1.6'%s d='", color_of(s->color),
                  s->style == VAL_DASHES ? " stroke-dasharray='6 4'" : "");
    bool pen = false;
    for (int i = 0; i < s->count; i++) {
        if (f->y.log && !(s->y[i] > 0.0)) {
            pen = false;
            continue;
        }
        (void)fprintf(out, "%c%.1f %.1f", pen ? 'L' : 'M', at_x(f, s->x[i]), at_y(f, s->y[i]));
        pen = true;
    }
    (void)fputs("'/>\n", out);
}

static void draw_series(FILE *out, const val_series *s, const frame *f)
{
    switch (s->style) {
    case VAL_LINE:
    case VAL_DASHES: draw_line(out, s, f); break;
    case VAL_POINTS:
        for (int i = 0; i < s->count; i++) {
            (void)fprintf(out,
                          "<circle cx='%.1f' cy='%.1f' r='3.2' fill='#fff' stroke='%s' stroke-width='1.4'/>",
                          at_x(f, s->x[i]), at_y(f, s->y[i]), color_of(s->color));
        }
        (void)fputs("\n", out);
        break;
    case VAL_RULES:
        for (int i = 0; i < s->count; i++) {
            (void)fprintf(out,
                          "<path d='M%.1f %d V%.1f' stroke='%s' stroke-width='1.2' stroke-opacity='0.8'/>",
                          at_x(f, s->x[i]), TOP, TOP + f->height, color_of(s->color));
        }
        (void)fputs("\n", out);
        break;
    }
}

/* Names above the plot, as many rows as they need; about 6.6 units per letter. */
static void draw_legend(FILE *out, const val_plot *plot)
{
    double x = LEFT;
    double y = 14.0;
    for (int s = 0; s < plot->series_count; s++) {
        const val_series *series = &plot->series[s];
        const double width = 34.0 + 6.7 * (double)strlen(series->name);
        if (x + width > WIDTH - RIGHT && x > LEFT) {
            x = LEFT;
            y += 18.0;
        }
        if (series->style == VAL_POINTS) {
            (void)fprintf(out,
                          "<circle cx='%.1f' cy='%.1f' r='3.2' fill='#fff' stroke='%s' stroke-width='1.4'/>",
                          x + 9.0, y - 4.0, color_of(series->color));
        } else {
            (void)fprintf(out, "<path d='M%.1f %.1f h18' stroke='%s' stroke-width='2'%s/>", x, y - 4.0,
                          color_of(series->color),
                          series->style == VAL_DASHES ? " stroke-dasharray='6 4'" : "");
        }
        (void)fprintf(out, "<text x='%.1f' y='%.1f'>", x + 22.0, y);
        vxe_write_escaped(out, series->name, false);
        (void)fputs("</text>\n", out);
        x += width;
    }
}

void svg_plot(FILE *out, const val_plot *plot)
{
    const frame f = frame_of(plot);
    const double height = TOP + f.height + BOTTOM;
    (void)fprintf(
        out, "<svg viewBox='0 0 %d %.0f' role='img' font-family='sans-serif' font-size='12.5' fill='#222'>\n",
        WIDTH, height);
    draw_axes(out, plot, &f);
    for (int s = 0; s < plot->series_count; s++) draw_series(out, &plot->series[s], &f);
    draw_legend(out, plot);
    (void)fputs("</svg>\n", out);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------- */

typedef struct point {
    double x, y, depth;
} point;

/* Seen from the front right, a little from above: x to the right, z up. */
static point project(const double p[3])
{
    const double c = 0.8829, s = 0.4695; /* 28 degrees about z */
    const double d = 0.9397, e = 0.3420; /* 20 degrees down */
    const double right = c * p[0] + s * p[1];
    const double away = -s * p[0] + c * p[1];
    return (point){right, -(d * p[2] + e * away), d * away - e * p[2]};
}

static void rotate(const double q[4], const double v[3], double out[3])
{
    const double t[3] = {2.0 * (q[2] * v[2] - q[3] * v[1]), 2.0 * (q[3] * v[0] - q[1] * v[2]),
                         2.0 * (q[1] * v[1] - q[2] * v[0])};
    out[0] = v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    out[1] = v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    out[2] = v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

typedef struct face {
    point corner[4];
    double depth;
    double light;
    double shade;
} face;

static int by_depth(const void *a, const void *b)
{
    const double x = ((const face *)a)->depth;
    const double y = ((const face *)b)->depth;
    return (x < y) - (x > y); /* farthest first */
}

/* Corners of a face of a voxel: `side` 0 towards smaller, 1 towards larger coordinates of `axis`. */
static face face_of(const val_body *body, int voxel, int axis, int side)
{
    static const double across[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    const double *pose = &body->pose[7 * (size_t)voxel];
    face f = {.shade = body->shade[voxel]};
    double normal[3] = {0.0, 0.0, 0.0};
    double world[3];
    normal[axis] = side == 0 ? -1.0 : 1.0;
    for (int i = 0; i < 4; i++) {
        double local[3] = {0.0, 0.0, 0.0};
        local[axis] = normal[axis];
        local[(axis + 1) % 3] = across[i][0];
        local[(axis + 2) % 3] = across[i][1];
        rotate(pose + 3, local, world);
        double p[3];
        for (int a = 0; a < 3; a++) p[a] = pose[a] + 0.5 * body->pitch * world[a];
        f.corner[i] = project(p);
        f.depth += 0.25 * f.corner[i].depth;
    }
    rotate(pose + 3, normal, world);
    f.light = 0.72 + 0.28 * (0.35 * world[0] - 0.45 * world[1] + 0.82 * world[2]);
    return f;
}

/* Signed area on the screen: positive for faces towards the eye, whose corners run against the clock with y
 * downwards reversed. */
static bool faces_eye(const face *f, int side)
{
    double area = 0.0;
    for (int i = 0; i < 4; i++) {
        const point *a = &f->corner[i];
        const point *b = &f->corner[(i + 1) % 4];
        area += a->x * b->y - b->x * a->y;
    }
    return side == 1 ? area < 0.0 : area > 0.0;
}

static void color_map(double part, double light, int rgb[3])
{
    static const double stops[5][3] = {
        {68, 90, 160}, {60, 150, 190}, {110, 190, 150}, {235, 200, 90}, {215, 90, 60}};
    const double at = fmin(fmax(part, 0.0), 1.0) * 4.0;
    const int low = at >= 4.0 ? 3 : (int)at;
    for (int c = 0; c < 3; c++) {
        const double value = stops[low][c] + (at - low) * (stops[low + 1][c] - stops[low][c]);
        rgb[c] = (int)fmin(255.0, fmax(0.0, light * value + 0.5));
    }
}

void svg_body(FILE *out, const val_body *all, int count, int index)
{
    double low[2] = {INFINITY, INFINITY};
    double high[2] = {-INFINITY, -INFINITY};
    double most = 0.0;
    for (int b = 0; b < count; b++) {
        for (int i = 0; i < all[b].count; i++) {
            const point p = project(&all[b].pose[7 * (size_t)i]);
            low[0] = fmin(low[0], p.x - all[b].pitch);
            high[0] = fmax(high[0], p.x + all[b].pitch);
            low[1] = fmin(low[1], p.y - all[b].pitch);
            high[1] = fmax(high[1], p.y + all[b].pitch);
            most = fmax(most, all[b].shade[i]);
        }
    }
    const val_body *body = &all[index];
    const double scale = 460.0 / (high[0] - low[0]);
    face *faces = calloc((size_t)body->count * 6 + 1, sizeof *faces);
    int found = 0;
    if (faces == NULL) return;
    for (int i = 0; i < body->count; i++) {
        for (int n = 0; n < 6; n++) {
            if ((body->free_faces[i] >> n & 1) == 0) continue;
            faces[found] = face_of(body, i, n / 2, n % 2);
            if (faces_eye(&faces[found], n % 2)) found++;
        }
    }
    qsort(faces, (size_t)found, sizeof *faces, by_depth);
    (void)fprintf(out,
                  "<svg viewBox='0 0 460 %.0f' role='img' font-family='sans-serif' font-size='12.5'>\n"
                  "<g stroke='#333' stroke-width='0.5' stroke-linejoin='round'>\n",
                  scale * (high[1] - low[1]) + 20.0);
    for (int i = 0; i < found; i++) {
        int rgb[3];
        color_map(most > 0.0 ? faces[i].shade / most : 0.0, faces[i].light, rgb);
        (void)fprintf(out, "<path fill='#%02x%02x%02x' d='", (unsigned)rgb[0], (unsigned)rgb[1],
                      (unsigned)rgb[2]);
        for (int c = 0; c < 4; c++) {
            (void)fprintf(out, "%c%.1f %.1f", c == 0 ? 'M' : 'L', scale * (faces[i].corner[c].x - low[0]),
                          scale * (faces[i].corner[c].y - low[1]));
        }
        (void)fputs("z'/>\n", out);
    }
    (void)fprintf(out,
                  "</g><text x='4' y='%.0f' fill='#444'>colour: displacement, 0 to %.3g mm</text></svg>\n",
                  scale * (high[1] - low[1]) + 14.0, 1e3 * most);
    free(faces);
}
