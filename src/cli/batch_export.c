/* voxelastic batch export: tables of all results. */
#include "cli/batch.h"

#include "base/number.h"
#include "base/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct export_options {
    const char *store;
    const char *path;
    const char *format;
    int64_t best;
} export_options;

static bool take_count(const char *value, void *options)
{
    return cli_parse_count("-n", value, &((export_options *)options)->best);
}

static const cli_option table[] = {
    {"--output", 'o', "FILE", "the file (default: standard output)", CLI_TO(TEXT, export_options, path)},
    {"--format", 0, "NAME", "table, csv, jsonl, vxr or html (default: by the file's name)",
     CLI_TO(TEXT, export_options, format)},
    {"--count", 'n', "N", "replays of a page (default: 3)", CLI_BY(take_count)},
    CLI_HELP_ROW("the help of batch"),
};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

void batch_print_export_options(void) { cli_print_options(table, OPTION_COUNT); }

typedef enum export_format {
    FORMAT_TABLE,
    FORMAT_CSV,
    FORMAT_JSONL,
    FORMAT_VXR,
    FORMAT_HTML,
    FORMAT_COUNT
} export_format;
static const char *const formats[FORMAT_COUNT] = {"table", "csv", "jsonl", "vxr", "html"};

enum { POWER = 320, DIGITS = 15 };

/* What is being written. */
typedef struct sheet {
    FILE *out;
    char *text; /* a row */
    size_t used;
    size_t room;
    bool failed;         /* no memory */
    long double *powers; /* of ten, from -POWER to POWER; NULL: not computed yet */
} sheet;

static void add(sheet *s, const char *text, size_t size)
{
    char *text_now = vxe_grow(s->text, s->used + size, &s->room, 1);
    if (text_now == NULL) {
        s->failed = s->failed || size > 0;
        return;
    }
    s->text = text_now;
    memcpy(s->text + s->used, text, size);
    s->used += size;
}

static void add_text(sheet *s, const char *text) { add(s, text, strlen(text)); }

static void add_whole(sheet *s, int64_t value)
{
    char text[24];
    int at = (int)sizeof text;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0) text[--at] = '-';
    add(s, text + at, sizeof text - (size_t)at);
}

/* The powers of ten, in the widest type there is. */
static bool make_powers(sheet *s)
{
    if (s->powers != NULL) return true;
    s->powers = malloc((2 * POWER + 1) * sizeof *s->powers);
    for (int i = -POWER; i <= POWER && s->powers != NULL; i++) s->powers[POWER + i] = powl(10.0L, i);
    return s->powers != NULL;
}

/* A finite number with 15 digits, less zeros at the end: much faster than printf, which would take most of
 * the time of an export. */
static void add_digits(sheet *s, double value)
{
    char digits[DIGITS + 4];
    char text[48];
    char fallback[VXE_NUMBER_SIZE];
    int used = 0;
    const double size = fabs(value);
    int exponent = size > 0.0 ? (int)floor(log10(size)) : 0;
    if (exponent < -290 || exponent > 290 || !make_powers(s)) {
        vxe_print_short(fallback, value, DIGITS);
        add_text(s, fallback);
        return;
    }
    uint64_t whole = (uint64_t)((long double)size * s->powers[POWER + DIGITS - 1 - exponent] + 0.5L);
    if (whole >= UINT64_C(1000000000000000)) { /* 9.99...: one digit more */
        exponent++;
        whole = (uint64_t)((long double)size * s->powers[POWER + DIGITS - 1 - exponent] + 0.5L);
    } else if (whole < UINT64_C(100000000000000)) { /* the logarithm was rounded up */
        exponent--;
        whole = (uint64_t)((long double)size * s->powers[POWER + DIGITS - 1 - exponent] + 0.5L);
    }
    int count = DIGITS;
    while (count > 1 && whole % 10 == 0) {
        whole /= 10;
        count--;
    }
    for (int i = count - 1; i >= 0; i--) {
        digits[i] = (char)('0' + whole % 10);
        whole /= 10;
    }
    if (value < 0.0) text[used++] = '-';
    const bool plain = exponent >= -5 && exponent < DIGITS;
    if (plain && exponent < 0) {
        text[used++] = '0';
        text[used++] = '.';
        for (int i = -1; i > exponent; i--) text[used++] = '0';
    }
    const int point = plain ? exponent : 0; /* the digit before the point; negative: it is there already */
    for (int i = 0; i < count || i <= point; i++) {
        text[used++] = (char)(i < count ? digits[i] : '0');
        if (i == point && i + 1 < count) text[used++] = '.';
    }
    add(s, text, (size_t)used);
    if (plain) return;
    add(s, "e", 1);
    add_whole(s, exponent);
}

/* A number, or what stands for none. */
static void add_number(sheet *s, double value, const char *nothing)
{
    if (!isfinite(value)) {
        add_text(s, nothing);
    } else if (fabs(value) < 1e15 && value == (double)(int64_t)value) {
        add_whole(s, (int64_t)value);
    } else {
        add_digits(s, value);
    }
}

static bool write_row(sheet *s)
{
    const bool good = !s->failed && fwrite(s->text, 1, s->used, s->out) == s->used;
    s->used = 0;
    s->failed = s->failed || !good;
    return good;
}

/* ---- CSV -------------------------------------------------------------------------------------------------- */

static void add_quoted(sheet *s, const char *text)
{
    if (text[strcspn(text, ",\"\r\n")] == '\0') {
        add_text(s, text);
        return;
    }
    add(s, "\"", 1);
    for (; *text != '\0'; text++) {
        if (*text == '"') add(s, "\"", 1);
        add(s, text, 1);
    }
    add(s, "\"", 1);
}

static void begin_csv(sheet *s)
{
    add_text(s, "id,hash,line,repeat,status,reason,fitness,steps,time_s,wall_s,state_hash,message");
    for (int i = 0; i < METRIC_COUNT; i++) {
        add_text(s, ",");
        add_text(s, vxe_metrics[i].name);
    }
    add_text(s, "\n");
    (void)write_row(s);
}

static bool csv_row(void *user, const store_row *row)
{
    sheet *s = user;
    add_quoted(s, row->id);
    add(s, ",", 1);
    add_text(s, row->hash);
    add(s, ",", 1);
    add_whole(s, row->number);
    add(s, ",", 1);
    add_whole(s, row->repeat);
    add(s, ",", 1);
    add_text(s, row->status);
    add(s, ",", 1);
    add_text(s, row->reason);
    add(s, ",", 1);
    add_number(s, row->fitness, "");
    add(s, ",", 1);
    add_whole(s, row->steps);
    add(s, ",", 1);
    add_number(s, row->time, "");
    add(s, ",", 1);
    add_number(s, row->wall, "");
    add(s, ",", 1);
    add_text(s, row->state_hash);
    add(s, ",", 1);
    add_quoted(s, row->message != NULL ? row->message : "");
    for (int i = 0; i < METRIC_COUNT; i++) {
        add(s, ",", 1);
        add_number(s, row->metrics[i], "");
    }
    add(s, "\n", 1);
    return write_row(s);
}

/* ---- JSON lines ------------------------------------------------------------------------------------------- */

static void add_string(sheet *s, const char *text)
{
    const bool valid = vxe_valid_text(text);
    add(s, "\"", 1);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        char escaped[8];
        if (c == '"' || c == '\\') {
            add(s, "\\", 1);
            add(s, text, 1);
        } else if (c < 0x20) {
            (void)snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)c);
            add_text(s, escaped);
        } else {
            add(s, c >= 0x80 && !valid ? "?" : text, 1);
        }
    }
    add(s, "\"", 1);
}

static void add_member(sheet *s, const char *name, bool first)
{
    add_text(s, first ? "\"" : ",\"");
    add_text(s, name);
    add(s, "\":", 2);
}

static bool json_row(void *user, const store_row *row)
{
    sheet *s = user;
    add(s, "{", 1);
    add_member(s, "id", true);
    add_string(s, row->id);
    add_member(s, "hash", false);
    add_string(s, row->hash);
    add_member(s, "line", false);
    add_whole(s, row->number);
    add_member(s, "repeat", false);
    add_whole(s, row->repeat);
    add_member(s, "status", false);
    add_string(s, row->status);
    add_member(s, "reason", false);
    add_string(s, row->reason);
    add_member(s, "fitness", false);
    add_number(s, row->fitness, "null");
    add_member(s, "steps", false);
    add_whole(s, row->steps);
    add_member(s, "time", false);
    add_number(s, row->time, "null");
    add_member(s, "wall", false);
    add_number(s, row->wall, "null");
    add_member(s, "state_hash", false);
    add_string(s, row->state_hash);
    if (row->message != NULL) {
        add_member(s, "message", false);
        add_string(s, row->message);
    }
    add_text(s, ",\"metrics\":{");
    for (int i = 0; i < METRIC_COUNT; i++) {
        add_member(s, vxe_metrics[i].name, i == 0);
        add_number(s, row->metrics[i], "null");
    }
    add_text(s, "}}\n");
    return write_row(s);
}

/* ---- voxcraft's report -------------------------------------------------------------------------------------- */

static void add_xml(sheet *s, const char *text)
{
    for (; *text != '\0'; text++) {
        const char c = *text;
        if (c == '&') {
            add_text(s, "&amp;");
        } else if (c == '<') {
            add_text(s, "&lt;");
        } else if (c == '>') {
            add_text(s, "&gt;");
        } else {
            add(s, &c, 1);
        }
    }
}

static void add_leaf(sheet *s, const char *name, double value, int depth)
{
    for (int i = 0; i < depth; i++) add_text(s, "  ");
    add_text(s, "<");
    add_text(s, name);
    add_text(s, ">");
    add_number(s, value, "nan");
    add_text(s, "</");
    add_text(s, name);
    add_text(s, ">\n");
}

static void add_center(sheet *s, const char *name, const double center[3], double shift)
{
    add_text(s, "      <");
    add_text(s, name);
    add_text(s, ">\n");
    add_leaf(s, "x", center[0] - shift, 4);
    add_leaf(s, "y", center[1] - shift, 4);
    add_leaf(s, "z", center[2] - shift, 4);
    add_text(s, "      </");
    add_text(s, name);
    add_text(s, ">\n");
}

static bool vxr_row(void *user, const store_row *row)
{
    sheet *s = user;
    const double *m = row->metrics;
    const bool done = strcmp(row->status, "done") == 0;
    char name[128];
    vxe_element_name(row->id, name);
    add_text(s, "    <");
    add_text(s, name);
    add_text(s, ">\n");
    if (!isnan(row->time)) add_leaf(s, "currentTime", row->time, 3);
    add_leaf(s, "fitness_score", done ? row->fitness : VXE_FITNESS_LOST, 3);
    if (!isnan(m[METRIC_VOXELS])) {
        const double shift = 0.5 * m[METRIC_PITCH]; /* voxcraft's voxels begin at their centres */
        add_leaf(s, "num_voxel", m[METRIC_VOXELS], 3);
        add_leaf(s, "num_measured_voxel", m[METRIC_MEASURED], 3);
        add_leaf(s, "voxSize", m[METRIC_PITCH], 3);
        add_leaf(s, "numClosePairs", m[METRIC_PAIRS], 3);
        add_center(s, "initialCenterOfMass", m + METRIC_START_X, shift);
        add_center(s, "currentCenterOfMass", m + METRIC_END_X, shift);
        add_leaf(s, "total_distance_of_all_voxels", m[METRIC_TOTAL_DISTANCE], 3);
    }
    if (!done) {
        add_text(s, "      <status>failed</status>\n      <message>");
        add_xml(s, row->message != NULL ? row->message : "");
        add_text(s, "</message>\n");
    }
    add_text(s, "    </");
    add_text(s, name);
    add_text(s, ">\n");
    return write_row(s);
}

static bool best_row(void *user, const store_row *row)
{
    sheet *s = user;
    add_text(s, "  <bestfit>\n    <filename>");
    add_xml(s, row->id);
    add_text(s, "</filename>\n");
    add_leaf(s, "fitness_score", strcmp(row->status, "done") == 0 ? row->fitness : VXE_FITNESS_LOST, 2);
    add_text(s, "  </bestfit>\n");
    return write_row(s);
}

static vxe_result write_vxr(batch_store *store, sheet *s, vxe_error *error)
{
    sqlite3_stmt *q = NULL;
    add_text(s, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<report>\n  <inputdir>");
    if (sqlite3_prepare_v2(vxe_store_connection(store), "SELECT input FROM runs ORDER BY run LIMIT 1", -1, &q,
                           NULL) == SQLITE_OK &&
        sqlite3_step(q) == SQLITE_ROW) {
        const char *input = (const char *)sqlite3_column_text(q, 0);
        const char *slash = input == NULL ? NULL : strrchr(input, '/');
        const char *name = slash != NULL && slash[1] != '\0' ? slash + 1 : input;
        add_xml(s, name != NULL ? name : "");
    }
    (void)sqlite3_finalize(q);
    add_text(s, "</inputdir>\n");
    (void)write_row(s);
    vxe_result result = vxe_store_each(store, STORE_BY_FITNESS, NULL, 1, best_row, s, error);
    add_text(s, "  <detail>\n");
    if (result == VXE_OK) result = vxe_store_each(store, STORE_BY_FITNESS, NULL, 0, vxr_row, s, error);
    add_text(s, "  </detail>\n</report>\n");
    (void)write_row(s);
    return result;
}

/* ---- a table for people -------------------------------------------------------------------------------------- */

static bool table_row(void *user, const store_row *row)
{
    sheet *s = user;
    (void)fprintf(s->out, "%-24s %6d %-7s %14.6g %12.6g %12.6g %12.6g  %s\n", row->id, (int)row->repeat + 1,
                  row->status, row->fitness, row->metrics[METRIC_DISTANCE],
                  row->metrics[METRIC_SPEED_LENGTHS], row->time, row->message != NULL ? row->message : "");
    return ferror(s->out) == 0;
}

/* ---- the command -------------------------------------------------------------------------------------------- */

static vxe_result write_rows(batch_store *store, export_format format, FILE *out, vxe_error *error)
{
    sheet s = {.out = out};
    vxe_result result = VXE_OK;
    if (format == FORMAT_CSV) {
        begin_csv(&s);
        result = vxe_store_each(store, STORE_BY_DESIGN, NULL, 0, csv_row, &s, error);
    } else if (format == FORMAT_JSONL) {
        result = vxe_store_each(store, STORE_BY_DESIGN, NULL, 0, json_row, &s, error);
    } else if (format == FORMAT_VXR) {
        result = write_vxr(store, &s, error);
    } else {
        (void)fprintf(out, "%-24s %6s %-7s %14s %12s %12s %12s\n", "design", "repeat", "status", "fitness",
                      "distance/m", "lengths/s", "time/s");
        result = vxe_store_each(store, STORE_BY_DESIGN, NULL, 0, table_row, &s, error);
    }
    if (result == VXE_OK && s.failed && !ferror(out)) result = vxe_fail_memory(error, "a row", s.room);
    free(s.text);
    free(s.powers);
    return result;
}

static bool choose_format(const char *name, const char *path, export_format *format)
{
    const char *dot = path == NULL ? NULL : strrchr(path, '.');
    if (name == NULL && dot == NULL) return true; /* a table */
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (strcasecmp(name != NULL ? name : dot + 1, formats[i]) != 0) continue;
        *format = (export_format)i;
        return true;
    }
    return cli_complain("batch export: \"%s\" is not one of table, csv, jsonl, vxr, html",
                        name != NULL ? name : dot + 1);
}

static vxe_result write_file(batch_store *store, export_format format, const char *path, int64_t best,
                             vxe_error *error)
{
    if (format == FORMAT_HTML) return batch_page_write(store, path, best, error);
    vxe_file file;
    vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    result = write_rows(store, format, file.stream, error);
    if (result == VXE_OK) return vxe_file_commit(&file, error);
    vxe_file_discard(&file);
    return result;
}

static int take_store(const char *command, const char *value, void *options)
{
    export_options *o = options;
    if (o->store != NULL) return cli_point_to_help(command);
    o->store = value;
    return CLI_DONE;
}

int batch_command_export(int count, char **arguments)
{
    static const cli_syntax syntax = {"batch export", cli_help_batch, table, OPTION_COUNT, take_store, false};
    export_options o = {.best = 3};
    export_format format = FORMAT_TABLE;
    vxe_error error = {VXE_OK, ""};
    batch_store *store = NULL;
    const int status = cli_parse(&syntax, count, arguments, &o);
    if (status != CLI_GO_ON) return status;
    if (o.store == NULL) return cli_misuse("batch export", "which store?");
    if (!choose_format(o.format, o.path, &format)) return CLI_BAD_INPUT;
    if (format == FORMAT_HTML && o.path == NULL) {
        cli_complain("batch export: a page needs -o FILE, because its replays lie beside it");
        return CLI_BAD_INPUT;
    }
    vxe_result result = vxe_store_open(o.store, STORE_READ, &store, &error);
    if (result == VXE_OK)
        result = o.path != NULL ? write_file(store, format, o.path, o.best, &error)
                                : write_rows(store, format, stdout, &error);
    vxe_store_close(store);
    if (result != VXE_OK) {
        cli_complain("%s", error.message);
        return cli_exit_status(result);
    }
    return cli_finish_output(CLI_DONE);
}
