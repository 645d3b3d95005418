/* report.html of a batch: fitness over time, its histogram, the best designs and their replays. */
#include "cli/batch.h"
#include "cli/plots.h"
#include "cli/report_page.h"
#include "base/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 3000, BINS = 40, ROWS = 20, REPLAYS_MOST = 50, PATH_ROOM = 4096 };

/* All results that are worth something, in the order in which they came. */
typedef struct history {
    double *time; /* s since the first */
    double *fitness;
    int64_t count;
} history;

static vxe_result read_history(batch_store *store, history *h, vxe_error *error)
{
    double count = 0.0;
    sqlite3_stmt *s = NULL;
    vxe_result result =
        vxe_store_number(store, "SELECT count(*) FROM results WHERE fitness IS NOT NULL", &count, error);
    if (result != VXE_OK) return result;
    h->time = calloc((size_t)count + 1, sizeof *h->time);
    h->fitness = calloc((size_t)count + 1, sizeof *h->fitness);
    if (h->time == NULL || h->fitness == NULL) return vxe_fail_memory(error, "results", (size_t)count * 16);
    if (sqlite3_prepare_v2(
            vxe_store_connection(store),
            "SELECT finished, fitness FROM results WHERE fitness IS NOT NULL ORDER BY finished", -1, &s,
            NULL) != SQLITE_OK)
        return vxe_store_fail(store, error);
    while (h->count < (int64_t)count && sqlite3_step(s) == SQLITE_ROW) {
        h->time[h->count] = sqlite3_column_double(s, 0);
        h->fitness[h->count] = sqlite3_column_double(s, 1);
        h->count++;
    }
    (void)sqlite3_finalize(s);
    for (int64_t i = h->count - 1; i >= 0; i--) h->time[i] -= h->time[0];
    return VXE_OK;
}

/* ---- plots ------------------------------------------------------------------------------------------------ */

/* Begins a plot of these ranges. */
static plot_frame begin_plot(FILE *out, const char *title, const char *text, plot_axis x, plot_axis y)
{
    const plot_frame f = {720, 300, 70, 14, 12, 34, x, y};
    (void)fprintf(
        out,
        "<figure class=\"plot\"><figcaption><b>%s</b> <small>%s</small></figcaption><svg viewBox=\"0 0 "
        "%d %d\" role=\"img\" aria-label=\"%s\">",
        title, text, f.width, f.height, title);
    cli_plot_axes(out, &f);
    return f;
}

static void draw_history(FILE *out, const history *h)
{
    double low = INFINITY;
    double high = -INFINITY;
    for (int64_t i = 0; i < h->count; i++) {
        low = fmin(low, h->fitness[i]);
        high = fmax(high, h->fitness[i]);
    }
    const double last = h->time[h->count - 1];
    const double unit = last > 7200.0 ? 3600.0 : last > 300.0 ? 60.0 : 1.0;
    const plot_frame f =
        begin_plot(out, "Fitness over time",
                   unit > 60.0  ? "over hours; the line is the best so far"
                   : unit > 1.0 ? "over minutes; the line is the best so far"
                                : "over seconds; the line is the best so far",
                   cli_plot_axis(0.0, fmax(last / unit, 1e-3), false), cli_plot_axis(low, high, false));
    const int64_t stride = h->count / POINTS + 1;
    (void)fputs("<g fill=\"#1f6feb\" fill-opacity=\".35\">", out);
    for (int64_t i = 0; i < h->count; i += stride)
        (void)fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"1.6\"/>", cli_plot_x(&f, h->time[i] / unit),
                      cli_plot_y(&f, h->fitness[i]));
    (void)fputs("</g><path class=\"line\" stroke=\"#e0752b\" d=\"", out);
    double best = -INFINITY;
    for (int64_t i = 0; i < h->count; i++) {
        if (h->fitness[i] <= best) continue;
        if (isfinite(best)) {
            (void)fprintf(out, "H%.1fV%.1f", cli_plot_x(&f, h->time[i] / unit),
                          cli_plot_y(&f, h->fitness[i]));
        } else {
            (void)fprintf(out, "M%.1f %.1f", cli_plot_x(&f, h->time[i] / unit),
                          cli_plot_y(&f, h->fitness[i]));
        }
        best = h->fitness[i];
    }
    (void)fprintf(out, "H%.1f\"/></svg></figure>\n", cli_plot_x(&f, last / unit));
}

static void draw_histogram(FILE *out, const history *h)
{
    double low = INFINITY;
    double high = -INFINITY;
    int64_t bins[BINS] = {0};
    int64_t most = 0;
    for (int64_t i = 0; i < h->count; i++) {
        low = fmin(low, h->fitness[i]);
        high = fmax(high, h->fitness[i]);
    }
    const plot_axis x = cli_plot_axis(low, high, false);
    for (int64_t i = 0; i < h->count; i++) {
        int bin = (int)(BINS * (h->fitness[i] - x.low) / (x.high - x.low));
        bin = bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
        if (++bins[bin] > most) most = bins[bin];
    }
    const plot_frame f =
        begin_plot(out, "Histogram of fitness", "designs", x, cli_plot_axis(0.0, (double)most, false));
    for (int i = 0; i < BINS; i++) {
        if (bins[i] == 0) continue;
        const double left = cli_plot_x(&f, x.low + (x.high - x.low) * i / BINS);
        const double right = cli_plot_x(&f, x.low + (x.high - x.low) * (i + 1) / BINS);
        const double top = cli_plot_y(&f, (double)bins[i]);
        (void)fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#1f6feb\"/>",
                      left + 0.5, top, fmax(right - left - 1.0, 0.5), cli_plot_y(&f, 0.0) - top);
    }
    (void)fputs("</svg></figure>\n", out);
}

/* ---- the best ----------------------------------------------------------------------------------------------- */

typedef struct best_rows {
    FILE *out;
    int64_t count;
    int64_t designs[ROWS + REPLAYS_MOST];
    int32_t repeats[ROWS + REPLAYS_MOST];
    char ids[ROWS + REPLAYS_MOST][DESIGN_ID_SIZE];
} best_rows;

static bool write_best(void *user, const store_row *row)
{
    best_rows *b = user;
    const double *m = row->metrics;
    b->designs[b->count] = row->design;
    b->repeats[b->count] = row->repeat;
    (void)snprintf(b->ids[b->count], DESIGN_ID_SIZE, "%s", row->id);
    if (b->count++ >= ROWS) return true;
    (void)fprintf(b->out, "<tr><td>%" PRId64 "</td><td>", b->count);
    vxe_write_escaped(b->out, row->id, true);
    (void)fprintf(b->out,
                  "</td><td>%.6g</td><td>%s</td><td>%.4g</td><td>%.4g</td><td>%.4g</td><td>%s</td></tr>\n",
                  row->fitness, cli_quantity(m[METRIC_DISTANCE], "m").text, m[METRIC_SPEED_LENGTHS],
                  m[METRIC_COST_OF_TRANSPORT], m[METRIC_STRAIN_MAX], cli_quantity(row->time, "s").text);
    return true;
}

/* STEM-replay-1.html beside the page. */
static void name_replay(const char *path, int64_t number, char name[PATH_ROOM])
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash != NULL ? slash : path, '.');
    const int stem = dot != NULL ? (int)(dot - path) : (int)strlen(path);
    (void)snprintf(name, PATH_ROOM, "%.*s-replay-%" PRId64 ".html", stem, path, number);
}

static vxe_result write_replay(batch_store *store, const best_rows *b, int64_t i, const char *path,
                               vxe_error *error)
{
    char *kept = NULL;
    size_t size = 0;
    vxe_result result =
        batch_kept_file(store, b->designs[i], b->repeats[i], "replay.html", &kept, &size, error);
    if (result == VXE_OK && kept == NULL) {
        batch_files files;
        result = batch_again(store, b->designs[i], b->repeats[i], &files, error);
        if (result == VXE_OK) {
            kept = files.replay;
            size = files.replay_size;
            files.replay = NULL;
            batch_files_free(&files);
            if (kept == NULL) result = vxe_fail(error, VXE_ERROR_INPUT, "built without the page of replays");
        }
    }
    if (result == VXE_OK) result = vxe_write_file(path, kept, size, error);
    free(kept);
    return result;
}

static void write_replays(FILE *out, batch_store *store, const best_rows *b, const char *path, int64_t best)
{
    char name[PATH_ROOM];
    (void)fputs("<h2>Replays of the best</h2>\n", out);
    for (int64_t i = 0; i < b->count && i < best; i++) {
        vxe_error error = {VXE_OK, ""};
        name_replay(path, i + 1, name);
        const char *slash = strrchr(name, '/');
        (void)fprintf(out, "<h3>%" PRId64 ": ", i + 1);
        vxe_write_escaped(out, b->ids[i], true);
        (void)fputs("</h3>\n", out);
        if (write_replay(store, b, i, name, &error) != VXE_OK) {
            (void)fputs("<p class=\"bad\">", out);
            vxe_write_escaped(out, error.message, true);
            (void)fputs("</p>\n", out);
            continue;
        }
        (void)fputs("<iframe src=\"", out);
        vxe_write_escaped(out, slash != NULL ? slash + 1 : name, true);
        (void)fputs("\" title=\"Replay\" loading=\"lazy\"></iframe>\n", out);
    }
}

/* ---- the page ------------------------------------------------------------------------------------------------ */

static void write_card(FILE *out, const char *name, const char *value)
{
    (void)fprintf(out, "<div><small>%s</small><b>%s</b></div>\n", name, value);
}

static void write_head(FILE *out, batch_store *store, const store_counts *c, const char *worth)
{
    char text[64];
    (void)fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                "'unsafe-inline'; img-src data:; frame-src 'self' file:\"><link rel=\"icon\" href=\"data:,\">"
                "<title>",
                out);
    vxe_write_escaped(out, vxe_store_path(store), true);
    (void)fprintf(out,
                  " – "
                  "Voxelastic</"
                  "title><style>%s.plots{grid-template-columns:repeat(auto-fit,minmax(min(100%%,480px),1fr))}"
                  "table{border-collapse:collapse;width:100%%;background:var(--panel)}"
                  "td,th{border:1px solid var(--line);padding:4px 9px;text-align:right}td:nth-child(2),"
                  "th:nth-child(2){text-align:left}</style></head>\n<body><main>\n<h1>",
                  cli_page_style);
    vxe_write_escaped(out, vxe_store_path(store), true);
    (void)fputs("</h1>\n<p class=\"lead\">Fitness: ", out);
    vxe_write_escaped(out, worth[0] != '\0' ? worth : "the scene's formula, else the distance", true);
    (void)fputs("</p>\n<div class=\"cards\">\n", out);
    (void)snprintf(text, sizeof text, "%" PRId64, c->designs);
    write_card(out, "Designs", text);
    (void)snprintf(text, sizeof text, "%" PRId64, c->done);
    write_card(out, "Done", text);
    (void)snprintf(text, sizeof text, "%" PRId64, c->fault);
    write_card(out, "Faults", text);
    (void)snprintf(text, sizeof text, "%" PRId64, c->failed);
    write_card(out, "Could not be run", text);
    write_card(out, "Simulated", cli_quantity(c->time, "s").text);
    write_card(out, "On workers", cli_quantity(c->wall, "s").text);
    (void)snprintf(text, sizeof text, "%.6g", c->best);
    if (isfinite(c->best)) write_card(out, "Best fitness", text);
    (void)fputs("</div>\n", out);
}

static vxe_result write_all(FILE *out, batch_store *store, const char *path, int64_t best, vxe_error *error)
{
    history h = {.count = 0};
    store_counts c = {.designs = 0};
    best_rows *b = calloc(1, sizeof *b);
    if (b == NULL) return vxe_fail_memory(error, "the best designs", sizeof *b);
    vxe_result result = vxe_store_count(store, &c, error);
    char *worth = NULL;
    if (result == VXE_OK) result = read_history(store, &h, error);
    if (result == VXE_OK) result = vxe_store_get(store, "fitness", &worth, error);
    if (result == VXE_OK) {
        write_head(out, store, &c, worth);
        b->out = out;
        if (h.count > 0) {
            (void)fputs("<div class=\"plots\">\n", out);
            draw_history(out, &h);
            draw_histogram(out, &h);
            (void)fputs(
                "</div>\n<h2>The best</h2>\n<table><tr><th></th><th>design</th><th>fitness</th><th>distance"
                "</th><th>body lengths/s</th><th>cost of transport</th><th>largest strain</th><th>time</th>"
                "</tr>\n",
                out);
            result = vxe_store_each(store, STORE_BY_FITNESS, "r.fitness IS NOT NULL", ROWS + REPLAYS_MOST,
                                    write_best, b, error);
            (void)fputs("</table>\n", out);
        }
    }
    if (result == VXE_OK && b->count > 0) write_replays(out, store, b, path, best);
    (void)fprintf(out, "<p><small>Voxelastic %s</small></p>\n</main></body></html>\n", vxe_version());
    free(h.time);
    free(h.fitness);
    free(worth);
    free(b);
    return result;
}

vxe_result batch_page_write(batch_store *store, const char *path, int64_t best, vxe_error *error)
{
    vxe_file file;
    vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    result = write_all(file.stream, store, path, best < REPLAYS_MOST ? best : REPLAYS_MOST, error);
    if (result == VXE_OK) return vxe_file_commit(&file, error);
    vxe_file_discard(&file);
    return result;
}
