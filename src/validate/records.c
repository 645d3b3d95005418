/* What a validation collects: rows, tables, plots, bodies and refinements. */
#include "validate/validate.h"

#include "voxelastic/solve.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool val_create(validation *v)
{
    *v = (validation){.current = 0};
    v->results = calloc((size_t)val_case_count, sizeof *v->results);
    return v->results != NULL;
}

void val_destroy(validation *v)
{
    for (int i = 0; i < v->table_count; i++) free(v->tables[i].cells);
    for (int i = 0; i < v->plot_count; i++) {
        for (int s = 0; s < v->plots[i].series_count; s++) {
            free(v->plots[i].series[s].x);
            free(v->plots[i].series[s].y);
        }
    }
    for (int i = 0; i < v->body_count; i++) {
        free(v->bodies[i].pose);
        free(v->bodies[i].free_faces);
        free(v->bodies[i].shade);
    }
    free(v->results);
    free(v->rows);
    free(v->tables);
    free(v->plots);
    free(v->bodies);
    free(v->refinements);
    *v = (validation){.current = 0};
}

static void *no_memory(validation *v)
{
    (void)vxe_fail(&v->error, VXE_ERROR_MEMORY, "there is not enough memory");
    return NULL;
}

/* Room for one more item of a list; NULL if there is none, or if the case has failed. Items before it may
 * move. */
static void *grow(validation *v, void *list, int count, size_t size)
{
    if (v->error.code != VXE_OK) return NULL;
    void *larger = realloc(list, ((size_t)count + 1) * size);
    if (larger == NULL) return no_memory(v);
    memset((char *)larger + (size_t)count * size, 0, size);
    return larger;
}

val_text val_format(const char *format, ...)
{
    val_text out;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(out.text, sizeof out.text, format, arguments);
    va_end(arguments);
    return out;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static val_row *add_row(validation *v, const char *name, const char *what, const char *unit)
{
    val_row *rows = grow(v, v->rows, v->row_count, sizeof *rows);
    if (rows == NULL) return NULL;
    v->rows = rows;
    val_row *row = &rows[v->row_count++];
    row->case_index = v->current;
    row->unit = unit;
    (void)snprintf(row->name, sizeof row->name, "%s", name);
    (void)snprintf(row->what, sizeof row->what, "%s", what);
    return row;
}

static void compare(validation *v, const char *name, const char *what, const char *unit, double ours,
                    double reference, double tolerance, val_basis basis, bool absolute)
{
    val_row *row = add_row(v, name, what, unit);
    if (row == NULL) return;
    row->ours = ours;
    row->reference = reference;
    row->absolute = absolute;
    row->error = absolute ? ours - reference : ours / reference - 1.0;
    row->tolerance = tolerance;
    row->source = basis.source;
    row->reason = basis.reason;
    if (!(tolerance > 0.0)) {
        row->verdict = VAL_INFO;
    } else {
        row->verdict = fabs(row->error) <= tolerance ? VAL_PASS : VAL_FAIL; /* NaN fails */
    }
}

void val_compare(validation *v, const char *name, const char *what, const char *unit, double ours,
                 double reference, double tolerance, val_basis basis)
{
    compare(v, name, what, unit, ours, reference, tolerance, basis, false);
}

void val_compare_absolute(validation *v, const char *name, const char *what, const char *unit, double ours,
                          double reference, double tolerance, val_basis basis)
{
    compare(v, name, what, unit, ours, reference, tolerance, basis, true);
}

void val_skip(validation *v, const char *name, const char *what, const char *why)
{
    val_row *row = add_row(v, name, what, "");
    if (row == NULL) return;
    row->ours = (double)NAN;
    row->reference = (double)NAN;
    row->error = (double)NAN;
    row->source = "";
    row->reason = why;
    row->verdict = VAL_SKIPPED;
}

bool val_needs_solvers(validation *v, const char *name, const char *what)
{
    if (vxe_solve_available()) return false;
    val_skip(v, name, what, "this program was built without the solvers (VXE_SOLVE)");
    return true;
}

int val_count(const validation *v, val_verdict verdict)
{
    int count = 0;
    for (int i = 0; i < v->row_count; i++) count += v->rows[i].verdict == verdict;
    return count;
}

int val_broken(const validation *v)
{
    int count = 0;
    for (int i = 0; i < val_case_count; i++) count += v->results[i].broken;
    return count;
}

/* ---- tables, plots, bodies ---------------------------------------------------------------------------------------- */

static void split_cells(const char *text, char cells[VAL_COLUMNS][40])
{
    for (int c = 0; c < VAL_COLUMNS; c++) {
        const size_t length = strcspn(text, "|");
        (void)snprintf(cells[c], sizeof cells[c], "%.*s", (int)length, text);
        if (text[length] == '\0') return;
        text += length + 1;
    }
}

val_table *val_add_table(validation *v, const char *title, const char *head, const char *text)
{
    val_table *tables = grow(v, v->tables, v->table_count, sizeof *tables);
    if (tables == NULL) return NULL;
    v->tables = tables;
    val_table *table = &tables[v->table_count];
    table->cells = calloc(1, sizeof *table->cells);
    if (table->cells == NULL) return no_memory(v);
    v->table_count++;
    table->case_index = v->current;
    table->title = title;
    table->text = text;
    table->columns = 1;
    for (const char *c = head; *c != '\0'; c++) table->columns += *c == '|';
    split_cells(head, table->cells[0]);
    return table;
}

void val_add_cells(validation *v, val_table *table, const char *cells)
{
    if (table == NULL) return;
    char(*larger)[VAL_COLUMNS][40] = grow(v, table->cells, table->rows + 1, sizeof *larger);
    if (larger == NULL) return;
    table->cells = larger;
    table->rows++;
    split_cells(cells, table->cells[table->rows]);
}

val_plot *val_add_plot(validation *v, const char *title, const char *x_label, const char *y_label,
                       const char *text)
{
    val_plot *plots = grow(v, v->plots, v->plot_count, sizeof *plots);
    if (plots == NULL) return NULL;
    v->plots = plots;
    val_plot *plot = &plots[v->plot_count++];
    plot->case_index = v->current;
    plot->title = title;
    plot->text = text;
    plot->x_label = x_label;
    plot->y_label = y_label;
    return plot;
}

void val_add_series(validation *v, val_plot *plot, const char *name, val_style style, int color, int count,
                    const double *x, const double *y)
{
    if (plot == NULL || plot->series_count >= VAL_SERIES_MAX || v->error.code != VXE_OK) return;
    val_series *series = &plot->series[plot->series_count];
    series->x = calloc((size_t)count + 1, sizeof(double));
    series->y = calloc((size_t)count + 1, sizeof(double));
    plot->series_count++;
    if (series->x == NULL || series->y == NULL) {
        (void)no_memory(v);
        return;
    }
    memcpy(series->x, x, (size_t)count * sizeof(double));
    if (y != NULL) memcpy(series->y, y, (size_t)count * sizeof(double));
    (void)snprintf(series->name, sizeof series->name, "%s", name);
    series->style = style;
    series->color = color;
    series->count = count;
}

val_body *val_add_body(validation *v, const char *title, const char *text, double pitch, int count)
{
    val_body *bodies = grow(v, v->bodies, v->body_count, sizeof *bodies);
    if (bodies == NULL) return NULL;
    v->bodies = bodies;
    val_body *body = &bodies[v->body_count++];
    body->case_index = v->current;
    body->title = title;
    body->text = text;
    body->pitch = pitch;
    body->pose = calloc((size_t)count, 7 * sizeof(double));
    body->free_faces = calloc((size_t)count, 1);
    body->shade = calloc((size_t)count, sizeof(double));
    if (body->pose == NULL || body->free_faces == NULL || body->shade == NULL) return no_memory(v);
    body->count = count;
    return body;
}

/* ---- refinement --------------------------------------------------------------------------------------------------- */

/* The order p for which (v1 - v0)/(v2 - v1) = (h0^p - h1^p)/(h1^p - h2^p), by bisection; NaN if differences
 * do not shrink in a row. */
static double order_of_three(const double *h, const double *value)
{
    const double ratio = (value[1] - value[0]) / (value[2] - value[1]);
    double low = 0.05;
    double high = 8.0;
    if (!(ratio > 0.0)) return (double)NAN;
    for (int i = 0; i < 80; i++) {
        const double p = 0.5 * (low + high);
        const double there = (pow(h[0], p) - pow(h[1], p)) / (pow(h[1], p) - pow(h[2], p));
        if (there < ratio) {
            low = p;
        } else {
            high = p;
        }
    }
    return low > 0.06 && high < 7.9 ? low : (double)NAN;
}

void val_add_refinement(validation *v, const char *name, const char *what, const char *unit, int pitches,
                        const double *per_mm, const double *value, double reference, const char *source)
{
    val_refinement *list = grow(v, v->refinements, v->refinement_count, sizeof *list);
    if (list == NULL) return;
    v->refinements = list;
    val_refinement *r = &list[v->refinement_count++];
    double h[VAL_PITCHES] = {0.0};
    r->case_index = v->current;
    (void)snprintf(r->name, sizeof r->name, "%s", name);
    (void)snprintf(r->what, sizeof r->what, "%s", what);
    r->unit = unit;
    r->pitches = pitches;
    r->reference = reference;
    r->source = source;
    r->limit = (double)NAN;
    r->order = (double)NAN;
    for (int i = 0; i < pitches; i++) {
        r->per_mm[i] = per_mm[i];
        r->value[i] = value[i];
        h[i] = 1.0 / per_mm[i];
    }
    if (pitches == 3) {
        const double order = order_of_three(h, value);
        if (isfinite(order)) r->limit = value[2] + (value[2] - value[1]) / (pow(h[1] / h[2], order) - 1.0);
    }
    /* an error of less than 0.1 % may be that of the reference */
    const int last = pitches - 1;
    const double ratio = (value[last - 1] - reference) / (value[last] - reference);
    const bool clear = fabs(value[last - 1] / reference - 1.0) > 1e-3;
    if (clear && ratio > 0.0) r->order = log(ratio) / log(h[last - 1] / h[last]);
}

/* ---- running ------------------------------------------------------------------------------------------------------ */

static void begin(validation *v, int case_index)
{
    v->current = case_index;
    v->error = (vxe_error){VXE_OK, ""};
    v->results[case_index].seconds -= vxe_seconds(VXE_CLOCK_STEADY);
}

static void end(validation *v)
{
    val_result *r = &v->results[v->current];
    r->done = true;
    r->seconds += vxe_seconds(VXE_CLOCK_STEADY);
    if (v->error.code == VXE_OK) return;
    r->broken = true;
    (void)snprintf(r->message, sizeof r->message, "%.250s", v->error.message);
}

void val_run(validation *v, int case_index)
{
    begin(v, case_index);
    val_cases[case_index].run(v);
    end(v);
}

void val_refine(validation *v, int case_index)
{
    for (int i = 0; i < val_study_count; i++) {
        if (strcmp(val_studies[i].case_name, val_cases[case_index].name) != 0) continue;
        begin(v, case_index);
        val_studies[i].run(v, val_studies[i].name);
        end(v);
    }
}
