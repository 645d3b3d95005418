/* The report: one page with everything in it, no scripts. */
#include "validate/svg.h"
#include "base/words.h"
#include "validate/validate.h"

#include <math.h>
#include <string.h>

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:1080px;margin:2em "
    "auto;padding:0 1em}"
    "h1,h2,h3{line-height:1.2}h2{margin-top:2.2em;border-bottom:2px solid "
    "#ddd;padding-bottom:.2em}h3{margin-top:2em}"
    "table{border-collapse:collapse;margin:.6em 0;font-size:13px}"
    "th,td{padding:.22em .6em;border-bottom:1px solid #e4e4e4;text-align:right;white-space:nowrap}"
    "th:first-child,td:first-child{text-align:left}td.t{text-align:left;white-space:normal}"
    "th{background:#f4f5f7;font-weight:600}.pass{color:#187a3c}.FAIL{color:#fff;background:#c22;font-weight:"
    "700}"
    ".info{color:#777}.skip{color:#a60}tr.info td{color:#666}"
    "figure{margin:1.2em 0}figcaption,.note{color:#444;font-size:13.5px;max-width:62em}"
    "svg{width:100%;max-width:760px;height:auto;display:block}.pair{display:flex;flex-wrap:wrap;gap:1.5em}"
    ".pair figure{flex:1 1 20em;margin:0}.wide{overflow-x:auto}code{background:#f4f5f7;padding:0 .25em}"
    "details{margin:.4em 0}summary{cursor:pointer;color:#1f6fb4}nav a{margin-right:.9em;white-space:nowrap}";

static void put_cell(FILE *out, const char *tag, const char *text)
{
    (void)fprintf(out, "<%s>", tag);
    vxe_write_escaped(out, text, false);
    (void)fprintf(out, "</%.2s>", tag);
}

static void put_bases(FILE *out, const validation *v, int case_index)
{
    (void)fputs("<ul class='note'>\n", out);
    for (int i = 0; i < v->row_count; i++) {
        bool first = false;
        if (v->rows[i].case_index != case_index) continue;
        const char letter = val_basis_letter(v, i, &first);
        if (!first) continue;
        (void)fprintf(out, "<li><b>%c</b> reference: ", letter);
        vxe_write_escaped(out, v->rows[i].source, false);
        (void)fprintf(out, "; %s: ", val_reason_label(&v->rows[i]));
        vxe_write_escaped(out, v->rows[i].reason, false);
        (void)fputs(".</li>\n", out);
    }
    (void)fputs("</ul>\n", out);
}

static void put_rows(FILE *out, const validation *v, int case_index)
{
    (void)fputs("<div class='wide'><table><tr><th>what is "
                "compared</th><th>ours</th><th>reference</th><th></th><th>error</th>"
                "<th>allowed</th><th></th><th>verdict</th></tr>\n",
                out);
    for (int i = 0; i < v->row_count; i++) {
        const val_row *row = &v->rows[i];
        bool first = false;
        if (row->case_index != case_index) continue;
        const char *verdict = val_verdict_name(row->verdict);
        (void)fprintf(out, "<tr class='%s'><td class='t'>", row->verdict == VAL_INFO ? "info" : "");
        vxe_write_escaped(out, row->what, false);
        (void)fputs("</td>", out);
        put_cell(out, "td", val_value_text(row->ours).text);
        put_cell(out, "td", val_value_text(row->reference).text);
        put_cell(out, "td class='t'", row->unit);
        put_cell(out, "td", val_error_text(row).text);
        put_cell(out, "td", val_tolerance_text(row).text);
        (void)fprintf(out, "<td>%c</td><td class='%s'>%s</td></tr>\n", val_basis_letter(v, i, &first),
                      verdict, verdict);
    }
    (void)fputs("</table></div>\n", out);
    put_bases(out, v, case_index);
}

static void put_table(FILE *out, const val_table *table)
{
    (void)fputs("<div class='wide'><p><b>", out);
    vxe_write_escaped(out, table->title, false);
    (void)fputs("</b></p><table>", out);
    for (int r = 0; r <= table->rows; r++) {
        (void)fputs("<tr>", out);
        for (int c = 0; c < table->columns; c++) put_cell(out, r == 0 ? "th" : "td", table->cells[r][c]);
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</table><p class='note'>", out);
    vxe_write_escaped(out, table->text, false);
    (void)fputs("</p></div>\n", out);
}

static void put_plot(FILE *out, const val_plot *plot)
{
    (void)fputs("<figure><p><b>", out);
    vxe_write_escaped(out, plot->title, false);
    (void)fputs("</b></p>\n", out);
    svg_plot(out, plot);
    (void)fputs("<figcaption>", out);
    vxe_write_escaped(out, plot->text, false);
    (void)fputs("</figcaption></figure>\n", out);
}

static void put_bodies(FILE *out, const validation *v, int case_index)
{
    int first = -1;
    int count = 0;
    for (int i = 0; i < v->body_count; i++) {
        if (v->bodies[i].case_index != case_index) continue;
        if (first < 0) first = i;
        count++; /* those of a case follow each other */
    }
    if (count == 0) return;
    (void)fputs("<div class='pair'>\n", out);
    for (int i = 0; i < count; i++) {
        (void)fputs("<figure><p><b>", out);
        vxe_write_escaped(out, v->bodies[first + i].title, false);
        (void)fputs("</b></p>\n", out);
        svg_body(out, &v->bodies[first], count, i);
        (void)fputs("<figcaption>", out);
        vxe_write_escaped(out, v->bodies[first + i].text, false);
        (void)fputs("</figcaption></figure>\n", out);
    }
    (void)fputs("</div>\n", out);
}

static void put_refinements(FILE *out, const validation *v, int case_index)
{
    bool any = false;
    for (int i = 0; i < v->refinement_count; i++) {
        const val_refinement *r = &v->refinements[i];
        if (r->case_index != case_index) continue;
        if (!any) {
            (void)fputs(
                "<div class='wide'><p><b>Refinement</b></p><table><tr><th></th><th>voxels per "
                "mm</th><th>ours</th>"
                "<th>error</th><th>reference</th><th>limit of ours</th><th></th><th>order</th></tr>\n",
                out);
        }
        any = true;
        const val_refined text = val_refined_text(r);
        (void)fputs("<tr>", out);
        put_cell(out, "td", r->what);
        put_cell(out, "td", text.pitches);
        put_cell(out, "td", text.values);
        put_cell(out, "td", text.errors);
        put_cell(out, "td", val_value_text(r->reference).text);
        put_cell(out, "td", text.limit);
        put_cell(out, "td class='t'", r->unit);
        put_cell(out, "td", text.order);
        (void)fputs("</tr>\n", out);
    }
    if (any) {
        (void)fputs("</table><p class='note'>Order: of the errors of the two finest pitches; none where they "
                    "differ in sign. Limit of ours: "
                    "extrapolated from three pitches, where they show one order.</p></div>\n",
                    out);
    }
}

static void put_case(FILE *out, const validation *v, int i)
{
    (void)fprintf(out, "<h3 id='%s'>", val_cases[i].name);
    vxe_write_escaped(out, val_cases[i].title, false);
    (void)fprintf(out, " <small><code>%s</code></small></h3>\n", val_cases[i].name);
    if (v->results[i].broken) {
        (void)fputs("<p class='FAIL'>This case could not be computed: ", out);
        vxe_write_escaped(out, v->results[i].message, false);
        (void)fputs("</p>\n", out);
    }
    for (int t = 0; t < v->table_count; t++) {
        if (v->tables[t].case_index == i) put_table(out, &v->tables[t]);
    }
    put_bodies(out, v, i);
    for (int p = 0; p < v->plot_count; p++) {
        if (v->plots[p].case_index == i) put_plot(out, &v->plots[p]);
    }
    put_rows(out, v, i);
    put_refinements(out, v, i);
}

/* Worst of a case: the part of its tolerance that is used, over its rows that have one. */
static double worst_part(const validation *v, int case_index)
{
    double worst = 0.0;
    for (int i = 0; i < v->row_count; i++) {
        const val_row *row = &v->rows[i];
        if (row->case_index != case_index || !(row->tolerance > 0.0)) continue;
        const double part = fabs(row->error) / row->tolerance;
        if (!(part <= worst)) worst = part;
    }
    return worst;
}

static void put_overview(FILE *out, const validation *v)
{
    (void)fputs(
        "<div class='wide'><table><tr><th>case</th><th>pass</th><th>fail</th><th>info</th><th>skipped</th>"
        "<th>most of a tolerance used</th></tr>\n",
        out);
    for (int i = 0; i < val_case_count; i++) {
        int count[4] = {0, 0, 0, 0};
        if (!v->results[i].done) continue;
        for (int r = 0; r < v->row_count; r++) {
            if (v->rows[r].case_index == i) count[v->rows[r].verdict]++;
        }
        (void)fprintf(out, "<tr><td><a href='#%s'>", val_cases[i].name);
        vxe_write_escaped(out, val_cases[i].title, false);
        (void)fprintf(out,
                      "</a></td><td class='pass'>%d</td><td class='%s'>%d</td><td>%d</td><td>%d</td><td>%.0f "
                      "%%</td></tr>\n",
                      count[VAL_PASS], count[VAL_FAIL] + v->results[i].broken > 0 ? "FAIL" : "",
                      count[VAL_FAIL] + v->results[i].broken, count[VAL_INFO], count[VAL_SKIPPED],
                      100.0 * worst_part(v, i));
    }
    (void)fputs("</table></div>\n", out);
}

static void put_page(FILE *out, const validation *v)
{
    const char *group = "";
    (void)fprintf(out,
                  "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
                  "content='width=device-width'><title>Voxelastic %s: "
                  "validation</title><style>%s</style></head><body>\n"
                  "<h1>Voxelastic %s: validation</h1>\n",
                  vxe_version(), style, vxe_version());
    (void)fprintf(
        out,
        "<p>%d comparisons: <b>%d pass, %d fail</b>, %d for information, %d skipped. Each row says what is "
        "compared, our value, the reference, the error, what is allowed and why (the letter). References are "
        "exact "
        "formulas, the same lattice solved independently, and 3-D elasticity solved with CalculiX "
        "2.20.</p>\n",
        v->row_count, val_count(v, VAL_PASS), val_count(v, VAL_FAIL) + val_broken(v), val_count(v, VAL_INFO),
        val_count(v, VAL_SKIPPED));
    put_overview(out, v);
    for (int i = 0; i < val_case_count; i++) {
        if (!v->results[i].done) continue;
        if (strcmp(group, val_cases[i].group) != 0) {
            group = val_cases[i].group;
            (void)fputs("<h2>", out);
            vxe_write_escaped(out, group, false);
            (void)fputs("</h2>\n", out);
        }
        put_case(out, v, i);
    }
    (void)fputs("</body></html>\n", out);
}

vxe_result val_write_page(const validation *v, const char *path, vxe_error *error)
{
    vxe_file file;
    const vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    put_page(file.stream, v);
    return vxe_file_commit(&file, error);
}
