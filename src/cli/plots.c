/* Plots of a trace: see plots.h. */
#include "cli/plots.h"
#include "base/number.h"
#include "base/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 256, POINTS_MAX = 400, SERIES_MAX = 12, NAME_SIZE = 96 };
#define TRACE_BYTES_MAX ((size_t)256 << 20)

static const char *const colors[] = {"#1f6feb", "#e0752b", "#1c9a5b", "#b5418f", "#0f9aa8", "#8a6cc7",
                                     "#c9a227", "#64748b", "#c4232b", "#5b8bd6", "#7a9a3a", "#a0674b"};

typedef struct column {
    char name[NAME_SIZE];  /* "center of mass x" */
    char group[NAME_SIZE]; /* "center of mass" */
    char unit[16];
    bool drawn;
} column;

typedef struct table {
    column columns[COLUMNS_MAX];
    int column_count;
    double *values; /* (rows column_count) */
    int rows;
} table;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* "center_of_mass_x_m": its name, what it belongs to and its unit. */
static void name_column(const char *text, size_t length, column *c)
{
    static const struct {
        const char *end;
        const char *unit;
    } units[] = {{"_m_per_s", "m/s"},
                 {"_rad_per_s", "rad/s"},
                 {"_kg_m2_per_s", "kg m²/s"},
                 {"_kg_m_per_s", "kg m/s"},
                 {"_N_m", "N m"},
                 {"_Pa", "Pa"},
                 {"_m", "m"},
                 {"_s", "s"},
                 {"_N", "N"},
                 {"_J", "J"},
                 {"_K", "K"},
                 {"_1", ""}};
    *c = (column){.drawn = false};
    (void)snprintf(c->name, sizeof c->name, "%.*s", (int)(length < NAME_SIZE - 1 ? length : NAME_SIZE - 1),
                   text);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (!vxe_ends_with(c->name, units[i].end)) continue;
        c->name[strlen(c->name) - strlen(units[i].end)] = '\0';
        (void)snprintf(c->unit, sizeof c->unit, "%s", units[i].unit);
        break;
    }
    for (char *at = c->name; *at != '\0'; at++)
        if (*at == '_') *at = ' ';
    memcpy(c->group, c->name, sizeof c->group);
    const size_t size = strlen(c->group);
    if (strncmp(c->group, "energy", 6) == 0) {
        (void)snprintf(c->group, sizeof c->group, "energy");
    } else if (strncmp(c->group, "contacts", 8) == 0) {
        (void)snprintf(c->group, sizeof c->group, "contacts");
    } else if (size > 2 && c->group[size - 2] == ' ' && strchr("wxyz", c->group[size - 1]) != NULL) {
        c->group[size - 2] = '\0';
    }
}

static bool read_table(table *t, char *text)
{
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++) lines++;
    char *line = text;
    char *end = strchr(line, '\n');
    if (end == NULL || lines < 3 || line[0] == ',' || line[0] == '\n') return false;
    for (const char *at = line; at < end && t->column_count < COLUMNS_MAX;) {
        const size_t length = strcspn(at, ",\r\n");
        name_column(at, length, &t->columns[t->column_count++]);
        at += length + 1;
    }
    if (t->column_count < 2) return false;
    /* Every so manieth line is enough to draw, and the last. */
    const int stride = (lines - 2) / POINTS_MAX + 1;
    t->values = calloc(((size_t)(lines / stride) + 2) * (size_t)t->column_count, sizeof *t->values);
    if (t->values == NULL) return false;
    for (int n = 0; end != NULL && end[1] != '\0'; n++) {
        line = end + 1;
        end = strchr(line, '\n');
        const bool last = end == NULL || end[1] == '\0';
        if (n % stride != 0 && !last) continue;
        double *row = t->values + (size_t)t->rows * (size_t)t->column_count;
        const char *at = line;
        for (int c = 0; c < t->column_count; c++) {
            const size_t length = strcspn(at, ",\r\n");
            if (!vxe_read_number(at, length, &row[c])) row[c] = NAN;
            at += length;
            if (*at == ',') at++;
        }
        t->rows++;
    }
    return t->rows > 1;
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

plot_axis cli_plot_axis(double low, double high, bool tight)
{
    plot_axis a = {.low = low, .high = high, .factor = 1.0};
    const double most = fmax(fabs(low), fabs(high));
    if (!(a.high > a.low)) {
        a.low -= most > 0.0 ? 0.5 * most : 1.0;
        a.high += most > 0.0 ? 0.5 * most : 1.0;
    }
    const double rough = (a.high - a.low) / 5.0;
    const double power = pow(10.0, floor(log10(rough)));
    const double part = rough / power;
    a.step = power * (part > 5.0 ? 10.0 : part > 2.0 ? 5.0 : part > 1.0 ? 2.0 : 1.0);
    if (!tight) {
        a.low = a.step * floor(a.low / a.step + 1e-9);
        a.high = a.step * ceil(a.high / a.step - 1e-9);
    }
    return a;
}

double cli_plot_x(const plot_frame *f, double x)
{
    return f->left + (f->width - f->left - f->right) * (x - f->x.low) / (f->x.high - f->x.low);
}

double cli_plot_y(const plot_frame *f, double y)
{
    return f->height - f->bottom - (f->height - f->top - f->bottom) * (y - f->y.low) / (f->y.high - f->y.low);
}

void cli_plot_axes(FILE *out, const plot_frame *f)
{
    const plot_axis *x = &f->x;
    const plot_axis *y = &f->y;
    for (double k = ceil(y->low / y->step - 1e-9); k * y->step <= y->high + 1e-9 * y->step; k += 1.0) {
        const double at = cli_plot_y(f, k * y->step);
        (void)fprintf(out,
                      "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                      "text-anchor=\"end\">%.5g</text>",
                      f->left, at, f->width - f->right, f->left - 6, at + 3.5,
                      k == 0.0 ? 0.0 : k * y->step / y->factor);
    }
    for (double k = ceil(x->low / x->step - 1e-9); k * x->step <= x->high + 1e-9 * x->step; k += 1.0) {
        const double at = cli_plot_x(f, k * x->step);
        (void)fprintf(out,
                      "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
                      "text-anchor=\"middle\">%.5g</text>",
                      at, f->top, f->height - f->bottom, at, f->height - f->bottom + 18,
                      k == 0.0 ? 0.0 : k * x->step / x->factor);
    }
}

/* A unit that keeps the numbers of an axis short. */
typedef struct axis_unit {
    char text[24];
} axis_unit;

static axis_unit choose_unit(plot_axis *a, double most, const char *unit)
{
    static const struct {
        double factor;
        const char *name;
    } prefixes[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}};
    axis_unit chosen;
    const char *prefix = "";
    if (unit[0] != '\0' && strchr(unit, ' ') == NULL && strcmp(unit, "K") != 0 && most > 0.0) {
        for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
            prefix = prefixes[i].name;
            a->factor = prefixes[i].factor;
            if (most >= 0.99999 * a->factor) break;
        }
    }
    (void)snprintf(chosen.text, sizeof chosen.text, "%s%s", prefix, unit);
    return chosen;
}

/* The columns of a group, in one plot. */
static void draw_group(FILE *out, table *t, int first)
{
    const char *group = t->columns[first].group;
    int series[SERIES_MAX] = {0};
    int count = 0;
    double low = INFINITY;
    double high = -INFINITY;
    for (int c = first; c < t->column_count; c++) {
        if (strcmp(t->columns[c].group, group) != 0) continue;
        t->columns[c].drawn = true;
        if (count < SERIES_MAX) series[count++] = c;
        for (int r = 0; r < t->rows; r++) {
            const double v = t->values[(size_t)r * (size_t)t->column_count + (size_t)c];
            if (!isfinite(v)) continue;
            low = fmin(low, v);
            high = fmax(high, v);
        }
    }
    if (!(high >= low)) return;
    const double begin = t->values[0];
    const double end = t->values[(size_t)(t->rows - 1) * (size_t)t->column_count];
    plot_frame f = {
        460, 210, 58, 12, 10, 26, cli_plot_axis(begin, end, true), cli_plot_axis(low, high, false)};
    const axis_unit x_unit = choose_unit(&f.x, fmax(fabs(begin), fabs(end)), "s");
    const axis_unit y_unit = choose_unit(&f.y, fmax(fabs(low), fabs(high)), t->columns[first].unit);
    (void)fputs("<figure class=\"plot\"><figcaption><b>", out);
    vxe_write_escaped(out, group, true);
    (void)fprintf(
        out,
        "</b> <small>%s%sover %s</small></figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
        y_unit.text, y_unit.text[0] != '\0' ? " " : "", x_unit.text, f.width, f.height);
    vxe_write_escaped(out, group, true);
    (void)fputs("\">", out);
    cli_plot_axes(out, &f);
    for (int i = 0; i < count; i++) {
        (void)fprintf(out, "<path class=\"line\" stroke=\"%s\" d=\"", colors[i]);
        bool begun = false;
        for (int r = 0; r < t->rows; r++) {
            const double *row = t->values + (size_t)r * (size_t)t->column_count;
            if (!isfinite(row[series[i]])) {
                begun = false;
                continue;
            }
            (void)fprintf(out, "%c%.1f %.1f", begun ? 'L' : 'M', cli_plot_x(&f, row[0]),
                          cli_plot_y(&f, row[series[i]]));
            begun = true;
        }
        (void)fputs("\"/>", out);
    }
    (void)fputs("</svg>", out);
    if (count > 1) {
        (void)fputs("<p class=\"key\">", out);
        for (int i = 0; i < count; i++) {
            const char *name = t->columns[series[i]].name;
            const size_t skip = strlen(group);
            (void)fprintf(out, "<span><i style=\"background:%s\"></i>", colors[i]);
            vxe_write_escaped(out, strlen(name) > skip + 1 ? name + skip + 1 : name, true);
            (void)fputs("</span> ", out);
        }
        (void)fputs("</p>", out);
    }
    (void)fputs("</figure>\n", out);
}

vxe_result cli_write_plots(FILE *out, const char *trace_path, vxe_error *error)
{
    char *text = NULL;
    size_t size = 0;
    const vxe_result result = vxe_read_file(trace_path, TRACE_BYTES_MAX, &text, &size, error);
    if (result != VXE_OK) return result;
    table *t = calloc(1, sizeof *t);
    if (t != NULL && read_table(t, text))
        for (int c = 1; c < t->column_count; c++)
            if (!t->columns[c].drawn) draw_group(out, t, c);
    if (t != NULL) free(t->values);
    free(t);
    free(text);
    return VXE_OK;
}
