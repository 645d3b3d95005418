/* How a validation is told on standard output: the list of cases, rows with their bases, tables, refinements;
 * as text and as Markdown. */
#include "validate/validate.h"

#include <math.h>
#include <string.h>

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

val_text val_value_text(double value)
{
    return isfinite(value) ? val_format("%.6g", value) : val_format("-");
}

val_text val_error_text(const val_row *row)
{
    if (!isfinite(row->error)) return val_format("-");
    if (row->absolute) return val_format("%+.1e", row->error);
    return fabs(row->error) < 5e-7 ? val_format("0 %%") : val_format("%+.4f %%", 100.0 * row->error);
}

val_text val_tolerance_text(const val_row *row)
{
    if (!(row->tolerance > 0.0)) return val_format("-");
    return row->absolute ? val_format("%.2g", row->tolerance) : val_format("%.3g %%", 100.0 * row->tolerance);
}

const char *val_verdict_name(val_verdict verdict)
{
    switch (verdict) {
    case VAL_PASS: return "pass";
    case VAL_FAIL: return "FAIL";
    case VAL_INFO: return "info";
    case VAL_SKIPPED: return "skip";
    }
    return "?";
}

static bool same_basis(const val_row *a, const val_row *b)
{
    return strcmp(a->source, b->source) == 0 && strcmp(a->reason, b->reason) == 0;
}

char val_basis_letter(const validation *v, int row, bool *first)
{
    char letter = 'a';
    *first = true;
    for (int i = 0; i < row; i++) {
        const val_row *other = &v->rows[i];
        bool new_there = true;
        if (other->case_index != v->rows[row].case_index) continue;
        if (same_basis(other, &v->rows[row])) {
            *first = false;
            return val_basis_letter(v, i, &new_there);
        }
        for (int j = 0; j < i; j++) {
            new_there =
                new_there && (v->rows[j].case_index != other->case_index || !same_basis(&v->rows[j], other));
        }
        if (new_there) letter++;
    }
    return letter;
}

const char *val_reason_label(const val_row *row)
{
    switch (row->verdict) {
    case VAL_PASS:
    case VAL_FAIL: return "allowed";
    case VAL_INFO: return "for information";
    case VAL_SKIPPED: return "skipped";
    }
    return "";
}

val_refined val_refined_text(const val_refinement *r)
{
    val_refined out;
    memset(&out, 0, sizeof out);
    for (int i = 0; i < r->pitches; i++) {
        const char *comma = i == 0 ? "" : ", ";
        vxe_append(out.pitches, sizeof out.pitches, "%s%g", comma, r->per_mm[i]);
        vxe_append(out.values, sizeof out.values, "%s%.6g", comma, r->value[i]);
        vxe_append(out.errors, sizeof out.errors, "%s%+.2f %%", comma,
                   100.0 * (r->value[i] / r->reference - 1.0));
    }
    (void)snprintf(out.order, sizeof out.order, isfinite(r->order) ? "%.1f" : "-", r->order);
    (void)snprintf(out.limit, sizeof out.limit, isfinite(r->limit) ? "%.5g" : "-", r->limit);
    return out;
}

/* ---- text --------------------------------------------------------------------------------------------------------- */

void val_print_list(void)
{
    const char *group = "";
    for (int i = 0; i < val_case_count; i++) {
        if (strcmp(group, val_cases[i].group) != 0) {
            group = val_cases[i].group;
            printf("%s%s\n", i == 0 ? "" : "\n", group);
        }
        printf("  %-16s %s\n", val_cases[i].name, val_cases[i].title);
    }
}

static void print_table(const val_table *table)
{
    size_t width[VAL_COLUMNS] = {0};
    for (int r = 0; r <= table->rows; r++) {
        for (int c = 0; c < table->columns; c++) {
            const size_t length = strlen(table->cells[r][c]);
            width[c] = length > width[c] ? length : width[c];
        }
    }
    printf("\n  %s\n", table->title);
    for (int r = 0; r <= table->rows; r++) {
        printf("   ");
        for (int c = 0; c < table->columns; c++) {
            printf(c == 0 ? " %-*s" : "  %*s", (int)width[c], table->cells[r][c]);
        }
        printf("\n");
    }
}

static void print_refinements(const validation *v, int case_index)
{
    bool any = false;
    for (int i = 0; i < v->refinement_count; i++) {
        const val_refinement *r = &v->refinements[i];
        if (r->case_index != case_index) continue;
        if (!any) {
            printf("\n  %-58s %-11s %-10s %8s  %-34s %s\n", "refinement", "voxels/mm", "reference", "order",
                   "errors", "limit");
        }
        any = true;
        const val_refined text = val_refined_text(r);
        printf("  %-58s %-11s %-10s %8s  %-34s %s\n", r->what, text.pitches,
               val_value_text(r->reference).text, text.order, text.errors, text.limit);
    }
}

void val_print_case(const validation *v, int case_index)
{
    const val_case *c = &val_cases[case_index];
    const val_result *result = &v->results[case_index];
    printf("\n%s: %s (%.1f s)\n\n", c->name, c->title, result->seconds);
    printf("  %-4s  %-72s %12s %12s %-5s %11s %8s\n", "", "", "ours", "reference", "", "error", "allowed");
    for (int i = 0; i < v->row_count; i++) {
        const val_row *row = &v->rows[i];
        bool first = false;
        if (row->case_index != case_index) continue;
        const char letter = val_basis_letter(v, i, &first);
        printf("  %-4s  %-72s %12s %12s %-5s %11s %8s  %c\n", val_verdict_name(row->verdict), row->what,
               val_value_text(row->ours).text, val_value_text(row->reference).text, row->unit,
               val_error_text(row).text, val_tolerance_text(row).text, letter);
    }
    for (int i = 0; i < v->row_count; i++) {
        bool first = false;
        if (v->rows[i].case_index != case_index) continue;
        const char letter = val_basis_letter(v, i, &first);
        if (!first) continue;
        if (v->rows[i].source[0] != '\0') printf("  %c     reference: %s\n", letter, v->rows[i].source);
        printf("  %c     %s: %s\n", letter, val_reason_label(&v->rows[i]), v->rows[i].reason);
    }
    for (int i = 0; i < v->table_count; i++) {
        if (v->tables[i].case_index == case_index) print_table(&v->tables[i]);
    }
    print_refinements(v, case_index);
    if (result->broken) printf("  FAIL  %s\n", result->message);
}

void val_print_summary(const validation *v)
{
    int cases = 0;
    double seconds = 0.0;
    for (int i = 0; i < val_case_count; i++) {
        cases += v->results[i].done;
        seconds += v->results[i].seconds;
    }
    printf("\n%d comparison%s in %d case%s: %d pass, %d fail, %d for information, %d skipped; %.0f s\n",
           v->row_count, v->row_count == 1 ? "" : "s", cases, cases == 1 ? "" : "s", val_count(v, VAL_PASS),
           val_count(v, VAL_FAIL) + val_broken(v), val_count(v, VAL_INFO), val_count(v, VAL_SKIPPED),
           seconds);
}

/* ---- Markdown ----------------------------------------------------------------------------------------------------- */

/* A paragraph in lines that fit; `indent`: of all but the first. */
#define LINE_WIDTH 125
static void print_paragraph(const char *indent, const char *text)
{
    size_t used = 0;
    while (*text != '\0') {
        const size_t word = strcspn(text, " ");
        if (used > 0 && used + 1 + word > LINE_WIDTH) {
            printf("\n%s", indent);
            used = strlen(indent);
        } else if (used > 0) {
            printf(" ");
            used++;
        }
        printf("%.*s", (int)word, text);
        used += word;
        text += word;
        text += strspn(text, " ");
    }
    printf("\n");
}

static void markdown_table(const val_table *table)
{
    printf("**%s**\n\n", table->title);
    for (int r = 0; r <= table->rows; r++) {
        printf("|");
        for (int c = 0; c < table->columns; c++) printf(" %s |", table->cells[r][c]);
        printf("\n");
        if (r > 0) continue;
        printf("|");
        for (int c = 0; c < table->columns; c++) printf(c == 0 ? "---|" : "---:|");
        printf("\n");
    }
    printf("\n");
    if (table->text[0] == '\0') return;
    print_paragraph("", table->text);
    printf("\n");
}

static void markdown_refinements(const validation *v, int case_index)
{
    bool any = false;
    for (int i = 0; i < v->refinement_count; i++) {
        const val_refinement *r = &v->refinements[i];
        if (r->case_index != case_index) continue;
        if (!any) {
            printf("**Refinement**\n\n| | unit | voxels per mm | ours | error | reference | order |\n"
                   "|---|---|---|---|---|---:|---:|\n");
        }
        any = true;
        const val_refined text = val_refined_text(r);
        printf("| %s | %s | %s | %s | %s | %s | %s |\n", r->what, r->unit, text.pitches, text.values,
               text.errors, val_value_text(r->reference).text, text.order);
    }
    if (any) printf("\n");
}

static void markdown_case(const validation *v, int case_index)
{
    const val_case *c = &val_cases[case_index];
    printf("### %s\n\n`%s`\n\n", c->title, c->name);
    printf("| what is compared | unit | ours | reference | error | allowed | | verdict |\n"
           "|---|---|---:|---:|---:|---:|---|---|\n");
    for (int i = 0; i < v->row_count; i++) {
        const val_row *row = &v->rows[i];
        bool first = false;
        if (row->case_index != case_index) continue;
        printf("| %s | %s | %s | %s | %s | %s | %c | %s |\n", row->what, row->unit,
               val_value_text(row->ours).text, val_value_text(row->reference).text, val_error_text(row).text,
               val_tolerance_text(row).text, val_basis_letter(v, i, &first), val_verdict_name(row->verdict));
    }
    printf("\n");
    for (int i = 0; i < v->row_count; i++) {
        bool first = false;
        if (v->rows[i].case_index != case_index) continue;
        const char letter = val_basis_letter(v, i, &first);
        if (!first) continue;
        char line[1024];
        (void)snprintf(line, sizeof line, "- %c. Reference: %s; %s: %s.", letter, v->rows[i].source,
                       val_reason_label(&v->rows[i]), v->rows[i].reason);
        print_paragraph("  ", line);
    }
    printf("\n");
    for (int i = 0; i < v->table_count; i++) {
        if (v->tables[i].case_index == case_index) markdown_table(&v->tables[i]);
    }
    markdown_refinements(v, case_index);
    if (v->results[case_index].broken)
        printf("This case could not be computed: %s\n\n", v->results[case_index].message);
}

void val_print_markdown(const validation *v)
{
    const char *group = "";
    printf("# Validation\n\n");
    print_paragraph(
        "", "Written by `voxelastic validate --refine --markdown`; `make validate` runs every case, and "
            "`voxelastic validate -o DIR` writes the same with plots as a page. Each row says what is "
            "compared, our value, the reference, the error, what is allowed and why (the letter). Rows "
            "marked `info` have nothing to pass: they show the same thing without a refinement, or a "
            "known limit.");
    printf("\n");
    print_paragraph("",
                    "References are exact formulas, the same lattice solved independently (direct stiffness, "
                    "Newton, eigenvalues), and 3-D elasticity solved with CalculiX 2.20 "
                    "(`validation/reference.py` computes the latter again).");
    printf("\n%d comparisons: %d pass, %d fail, %d for information, %d skipped.\n\n", v->row_count,
           val_count(v, VAL_PASS), val_count(v, VAL_FAIL) + val_broken(v), val_count(v, VAL_INFO),
           val_count(v, VAL_SKIPPED));
    for (int i = 0; i < val_case_count; i++) {
        if (!v->results[i].done) continue;
        if (strcmp(group, val_cases[i].group) != 0) {
            group = val_cases[i].group;
            printf("## %s\n\n", group);
        }
        markdown_case(v, i);
    }
}
