/* report.html: see report_page.h. */
#include "cli/report_page.h"
#include "cli/plots.h"
#include "base/words.h"
#include "picture/pack.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Small enough that a short run does not wait for its pictures. */
enum { PICTURE_WIDTH = 448, PICTURE_HEIGHT = 252 };

static vxe_result take(vxe_film **film, vxe_sim *sim, const vxe_scene *scene, vxe_error *error)
{
    vxe_film *made = NULL;
    vxe_result result = vxe_film_create(sim, scene, "strain", &made, error);
    if (result == VXE_OK) result = vxe_film_take(made, sim, error);
    if (result != VXE_OK) {
        vxe_film_destroy(made);
        return result;
    }
    vxe_film_destroy(*film);
    *film = made;
    return VXE_OK;
}

vxe_result cli_page_begin(report_page *page, vxe_sim *sim, const vxe_scene *scene, const vxe_sim_def *def,
                          vxe_error *error)
{
    cli_moment_begin(&page->moment, sim, def);
    return take(&page->start, sim, scene, error);
}

vxe_result cli_page_thumbnail(vxe_sim *sim, const vxe_scene *scene, vxe_replay *replay, vxe_error *error)
{
    vxe_picture_def def = vxe_default_picture_def();
    vxe_film *film = NULL;
    uint8_t *data = NULL;
    size_t size = 0;
    def.width = 256;
    def.height = 144;
    def.legend = false;
    vxe_result result = vxe_film_create(sim, scene, NULL, &film, error);
    if (result == VXE_OK) result = vxe_film_take(film, sim, error);
    if (result == VXE_OK) result = vxe_film_encode_picture(film, &def, 0.0, &data, &size, error);
    if (result == VXE_OK) result = vxe_replay_set_picture(replay, data, size, error);
    free(data);
    vxe_film_destroy(film);
    return result;
}

void cli_page_look(report_page *page, const vxe_sim *sim, const vxe_figures *figures)
{
    const vxe_peak peak = vxe_figures_peak(figures, VXE_PEAK_STRAIN);
    if (page->start != NULL) cli_moment_look(&page->moment, sim, &peak);
}

/* Goes back to the largest strain. */
static vxe_result take_strained(report_page *page, const run_report *report, vxe_error *error)
{
    const vxe_peak peak = vxe_figures_peak(report->figures, VXE_PEAK_STRAIN);
    vxe_sim *then = NULL;
    vxe_result result = cli_moment_reach(&page->moment, vxe_sim_model(report->sim), &peak, &then, error);
    if (result == VXE_OK && then != NULL) result = take(&page->strained, then, report->scene, error);
    vxe_sim_destroy(then);
    return result;
}

void cli_page_destroy(report_page *page)
{
    vxe_film_destroy(page->start);
    vxe_film_destroy(page->strained);
    vxe_film_destroy(page->end);
    cli_moment_clear(&page->moment);
    *page = (report_page){.start = NULL};
}

const char cli_page_style[] =
    ":root{--bg:#f5f7fa;--panel:#fff;--line:#dde3ea;--ink:#1d2733;--soft:#5d6b7a;color-scheme:light dark}"
    "@media(prefers-color-scheme:dark){:root{--bg:#12171e;--panel:#181e26;--line:#2c3641;--ink:#e6ecf2;--"
    "soft:#a3b0be}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 "
    "system-ui,sans-serif}"
    "main{max-width:1180px;margin:0 auto;padding:24px 18px "
    "60px}h1{font-size:28px;margin:0}h2{font-size:18px;margin:34px 0 12px}"
    "p{margin:6px 0}.lead{color:var(--soft);white-space:pre-line;max-width:80ch}small{color:var(--soft)}"
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(190px,1fr));gap:10px;margin:18px 0}"
    ".cards div{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:10px 13px}"
    ".cards b{display:block;font-size:19px;font-weight:600}.cards small{display:block}"
    ".row{display:grid;grid-template-columns:repeat(auto-fit,minmax(270px,1fr));gap:12px}"
    "figure{margin:0;background:var(--panel);border:1px solid "
    "var(--line);border-radius:8px;overflow:hidden;padding:0 0 8px}"
    "figure img{width:100%;height:auto;display:block}figcaption{padding:8px 12px 0}"
    ".plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr));gap:12px}"
    ".plot svg{width:100%;height:auto;display:block;padding:4px 6px 0}.plot text{font:11px "
    "system-ui,sans-serif;fill:var(--soft)}"
    ".grid{stroke:var(--line);fill:none}.line{fill:none;stroke-width:1.6;stroke-linejoin:round}"
    ".key{padding:0 12px;margin:2px 0;font-size:13px}.key span{margin-right:12px;white-space:nowrap}"
    ".key i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:5px}"
    "iframe{width:100%;height:min(78vh,720px);border:1px solid "
    "var(--line);border-radius:8px;background:var(--panel)}"
    "@media(min-width:2600px){main{zoom:1.6}}"
    ".bad{color:#c4232b;font-weight:600}code{font:13px "
    "ui-monospace,monospace;color:var(--soft)}a{color:#1f6feb}";

static vxe_result write_picture(FILE *out, const vxe_film *film, const char *caption, const char *more,
                                double strain, vxe_error *error)
{
    vxe_picture_def def = vxe_default_picture_def();
    uint8_t *data = NULL;
    size_t size = 0;
    const double time = vxe_film_time(film, 0);
    def.width = PICTURE_WIDTH;
    def.height = PICTURE_HEIGHT;
    def.title = "";
    def.low = -strain; /* the same scale on all */
    def.high = strain;
    const vxe_result result = vxe_film_encode_picture(film, &def, time, &data, &size, error);
    if (result != VXE_OK) return result;
    char *text = vxe_base64(data, size, &size);
    free(data);
    if (text == NULL) return vxe_fail_memory(error, "a picture", size);
    (void)fprintf(out,
                  "<figure><img width=\"%d\" height=\"%d\" alt=\"%s\" src=\"data:image/png;base64,%s\">"
                  "<figcaption><b>%s</b> <small>%s%s</small></figcaption></figure>\n",
                  PICTURE_WIDTH, PICTURE_HEIGHT, caption, text, caption, cli_quantity(time, "s").text, more);
    free(text);
    return VXE_OK;
}

static void write_card(FILE *out, const char *name, const char *value, const char *more)
{
    (void)fprintf(out, "<div><small>%s</small><b>%s</b><small>%s</small></div>\n", name, value, more);
}

static void write_peak(FILE *out, const run_report *report, vxe_peak_kind kind, const char *name,
                       const char *unit)
{
    char value[64];
    char more[120];
    cli_describe_peak(report, kind, unit, 3, value, more);
    write_card(out, name, value, more);
}

static void write_cards(FILE *out, const run_report *report)
{
    const vxe_model_view *view = vxe_model_get(vxe_sim_model(report->sim));
    const vxe_state *state = vxe_sim_state(report->sim);
    const vxe_gait g = vxe_figures_gait(report->figures);
    char text[120];
    char more[120];
    (void)fputs("<div class=\"cards\">\n", out);
    (void)snprintf(more, sizeof more, "%" PRId64 " steps, computed in %s", state->step - report->first_step,
                   cli_quantity(report->wall, "s").text);
    write_card(out, "Simulated", cli_quantity(state->time, "s").text, more);
    const vxe_life life = vxe_sim_life(report->sim);
    (void)snprintf(text, sizeof text, "%d voxels", (int)(view->voxel_count - view->reserved_count));
    if (life.grown > 0 || life.removed > 0)
        (void)snprintf(more, sizeof more, "%" PRId64 " at the end, %s at the start", life.present,
                       cli_mass(view->mass).text);
    else
        (void)snprintf(more, sizeof more, "%d links, %s", (int)view->link_count, cli_mass(view->mass).text);
    write_card(out, "Body", text, more);
    if (g.distance > 0.5 * view->pitch) {
        (void)snprintf(more, sizeof more, "%s, %.3g body lengths/s", cli_quantity(g.speed, "m/s").text,
                       g.speed_lengths);
        write_card(out, "Travelled", cli_quantity(g.distance, "m").text, more);
        if (isfinite(g.cost_of_transport)) {
            (void)snprintf(text, sizeof text, "%.3g", g.cost_of_transport);
            (void)snprintf(more, sizeof more, "actuation work %s", cli_quantity(g.actuation_work, "J").text);
            write_card(out, "Cost of transport", text, more);
        }
        if (isfinite(g.duty_factor)) {
            (void)snprintf(text, sizeof text, "%.2f", g.duty_factor);
            (void)snprintf(more, sizeof more, "touching %.0f %% of the time", 100.0 * g.contact_part);
            write_card(out, "Duty factor", text, more);
        }
    }
    write_peak(out, report, VXE_PEAK_STRAIN, "Largest strain", "%");
    write_peak(out, report, VXE_PEAK_STRESS, "Largest stress", "Pa");
    write_peak(out, report, VXE_PEAK_SPEED, "Largest speed", "m/s");
    write_peak(out, report, VXE_PEAK_DISPLACEMENT, "Largest displacement", "m");
    (void)fputs("</div>\n", out);
}

static vxe_result write_pictures(FILE *out, const report_page *page, const run_report *report,
                                 vxe_error *error)
{
    const vxe_film *films[] = {page->start, page->strained, page->end};
    double strain = 0.0;
    vxe_result result = VXE_OK;
    const vxe_peak peak = vxe_figures_peak(report->figures, VXE_PEAK_STRAIN);
    for (int i = 0; i < 3; i++) {
        double range[2] = {0.0, 0.0};
        if (films[i] != NULL) vxe_film_range(films[i], range);
        strain = fmax(strain, fmax(-range[0], range[1]));
    }
    if (strain < 1e-5) strain = 1e-5; /* less is round-off */
    (void)fputs("<h2>Pictures</h2>\n<div class=\"row\">\n", out);
    result = write_picture(out, page->start, "Start", "", strain, error);
    if (result == VXE_OK && page->strained != NULL) {
        char value[40];
        (void)snprintf(value, sizeof value, ", %.3g %%", 100.0 * peak.value);
        result = write_picture(out, page->strained, "Largest strain", value, strain, error);
    }
    if (result == VXE_OK) result = write_picture(out, page->end, "End", "", strain, error);
    (void)fputs("</div>\n", out);
    if (page->strained == NULL && peak.value > 0.0 && peak.time < report->first_time)
        (void)fputs("<p><small>The largest strain was before this run went on from its "
                    "checkpoint.</small></p>\n",
                    out);
    else if (page->strained == NULL && peak.value > 0.0)
        (void)fputs("<p><small>There is no picture of the largest strain: the states of so large a body "
                    "are not kept.</small></p>\n",
                    out);
    return result;
}

static void write_head(FILE *out, const run_report *report, const char *name)
{
    const vxe_status *status = vxe_sim_status(report->sim);
    (void)fputs("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                "'unsafe-inline'; img-src data:; "
                "frame-src 'self' file:\"><link rel=\"icon\" href=\"data:,\"><title>",
                out);
    vxe_write_escaped(out, name, true);
    (void)fprintf(out, " – Voxelastic</title><style>%s</style></head>\n<body><main>\n<h1>", cli_page_style);
    vxe_write_escaped(out, name, true);
    (void)fputs("</h1>\n", out);
    if (vxe_scene_description(report->scene)[0] != '\0') {
        (void)fputs("<p class=\"lead\">", out);
        vxe_write_escaped(out, vxe_scene_description(report->scene), true);
        (void)fputs("</p>\n", out);
    }
    if (status->fault != VXE_FAULT_NONE) {
        (void)fputs("<p class=\"bad\">The simulation failed: ", out);
        vxe_write_escaped(out, status->message, true);
        (void)fputs("</p>\n", out);
    } else if (report->interrupted) {
        (void)fputs("<p class=\"bad\">Interrupted before its end.</p>\n", out);
    }
}

static vxe_result write_all(FILE *out, const report_page *page, const run_report *report,
                            const json_t *summary, const char *trace, bool replay, vxe_error *error)
{
    const char *name = vxe_scene_name(report->scene);
    write_head(out, report, name[0] != '\0' ? name : report->label);
    write_cards(out, report);
    vxe_result result = write_pictures(out, page, report, error);
    if (result == VXE_OK && replay)
        (void)fputs(
            "<h2>Replay</h2>\n<iframe src=\"replay.html\" title=\"Replay\" loading=\"lazy\"></iframe>\n"
            "<p><small><a href=\"replay.html\">replay.html</a> is one file that shows the run "
            "anywhere.</small></p>\n",
            out);
    if (result == VXE_OK && trace != NULL) {
        (void)fputs("<h2>Trace</h2>\n<div class=\"plots\">\n", out);
        result = cli_write_plots(out, trace, error);
        (void)fputs("</div>\n", out);
    }
    const char *hash = json_string_value(json_object_get(summary, "state_hash"));
    (void)fprintf(out,
                  "<p><small>Voxelastic %s, state hash <code>%s</code>. All figures are in <a "
                  "href=\"summary.json\">summary.json</a>.</small></p>\n"
                  "</main></body></html>\n",
                  vxe_version(), hash != NULL ? hash : "");
    return result;
}

vxe_result cli_page_write(report_page *page, const run_report *report, const json_t *summary,
                          const char *trace, bool replay, const char *path, vxe_error *error)
{
    vxe_file file;
    vxe_result result = take(&page->end, report->sim, report->scene, error);
    if (result == VXE_OK) result = take_strained(page, report, error);
    if (result == VXE_OK) result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    result = write_all(file.stream, page, report, summary, trace, replay, error);
    if (result != VXE_OK) {
        vxe_file_discard(&file);
        return result;
    }
    return vxe_file_commit(&file, error);
}
