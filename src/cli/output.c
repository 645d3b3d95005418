/* The files of a run: see output.h.
 *
 * trace.csv is written under its own name, so that a run that is killed leaves what it had; the other files
 * are written beside their name and renamed. Numbers have 12 digits and a point, whatever the locale. */
#include "cli/output.h"
#include "base/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBER_SIZE = VXE_NUMBER_SIZE, BUFFER = 1 << 16 };

static void print_number(char text[NUMBER_SIZE], double value) { vxe_print_short(text, value, 12); }

static vxe_result fail_file(const char *path, vxe_error *error)
{
    return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno != 0 ? errno : EIO));
}

vxe_result cli_output_plan(run_output *output, const char *folder, const char *checkpoint, vxe_error *error)
{
    static const char *const names[OUTPUT_KINDS] = {
        [OUTPUT_SUMMARY] = "summary.json", [OUTPUT_TRACE] = "trace.csv",   [OUTPUT_REPORT] = "report.html",
        [OUTPUT_REPLAY] = "replay.html",   [OUTPUT_EVENTS] = "events.csv", [OUTPUT_CHECKPOINT] = "state.vxck",
    };
    *output = (run_output){.last_time = -1.0, .begun = cli_clock()};
    bool complete = true;
    if (folder != NULL) {
        const size_t length = strlen(folder);
        output->folder = vxe_text("%s%s", folder, length > 0 && folder[length - 1] == '/' ? "" : "/");
        complete = output->folder != NULL;
    }
    for (int i = 0; i < OUTPUT_KINDS && complete; i++) {
        if (i == OUTPUT_CHECKPOINT && checkpoint != NULL) {
            output->path[i] = vxe_text("%s", checkpoint);
        } else if (i == OUTPUT_FAILED && output->path[OUTPUT_CHECKPOINT] != NULL) {
            output->path[i] = vxe_text("%s.failed", output->path[OUTPUT_CHECKPOINT]);
        } else if (names[i] != NULL && folder != NULL) {
            output->path[i] = vxe_text("%s%s", output->folder, names[i]);
        } else {
            continue;
        }
        complete = output->path[i] != NULL;
    }
    if (!complete) {
        cli_output_destroy(output);
        return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the names of files");
    }
    /* these two are there from the beginning, and are listed whatever happens */
    output->written[OUTPUT_SUMMARY] = output->written[OUTPUT_TRACE] = folder != NULL;
    return VXE_OK;
}

vxe_result cli_make_folder(char *path, vxe_error *error)
{
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at != '/') continue;
        *at = '\0';
        struct stat info;
        const bool made = mkdir(path, 0777) == 0 || (errno == EEXIST && stat(path, &info) == 0);
        const bool folder = made && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
        if (!folder) {
            errno = made ? ENOTDIR : errno;
            const vxe_result result = fail_file(path, error);
            *at = '/';
            return result;
        }
        *at = '/';
    }
    return VXE_OK;
}

vxe_result cli_make_folder_of(char *path, vxe_error *error)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL) return VXE_OK;
    const char kept = slash[1];
    slash[1] = '\0';
    const vxe_result result = cli_make_folder(path, error);
    slash[1] = kept;
    return result;
}

/* Whether a file can be made there; a long run should not end with "no such folder". */
static vxe_result check_place(const char *path, vxe_error *error)
{
    const char *slash = strrchr(path, '/');
    char *folder = vxe_text("%s", slash == NULL ? "." : path);
    if (folder == NULL) return vxe_fail_memory(error, "the name of a file", strlen(path));
    if (slash != NULL) folder[slash - path + 1] = '\0';
    vxe_result result = VXE_OK;
    if (access(folder, W_OK | X_OK) != 0) {
        result = fail_file(path, error);
    } else {
        result = vxe_check_plain(path, error);
    }
    free(folder);
    return result;
}

/* One field of a CSV file: in quotes where it needs them. */
static size_t print_field(char *text, size_t size, const char *field)
{
    size_t used = 0;
    const bool quotes = strpbrk(field, ",\"\n\r") != NULL;
    if (quotes && used + 1 < size) text[used++] = '"';
    for (const char *at = field; *at != '\0' && used + 3 < size; at++) {
        if (*at == '"') text[used++] = '"';
        text[used++] = *at;
    }
    if (quotes && used + 1 < size) text[used++] = '"';
    text[used] = '\0';
    return used;
}

/* The first line of the trace, with its line feed; freed by free(). NULL if there is no memory. */
static char *trace_header(const vxe_trace *trace)
{
    enum { FIELD = 4 * VXE_NAME_SIZE + 8 };
    const int32_t columns = vxe_trace_columns(trace);
    char *text = malloc((size_t)columns * FIELD + 2);
    size_t used = 0;
    if (text != NULL) {
        for (int32_t c = 0; c < columns; c++) {
            used += print_field(text + used, FIELD - 1, vxe_trace_column(trace, c));
            text[used++] = c + 1 < columns ? ',' : '\n';
        }
        text[used] = '\0';
    }
    return text;
}

/* Finds where the rows of `text` later than `time` (or damaged) begin; the time of the last row before in
 * *last. */
static size_t find_end(char *text, size_t header, double time, double *last)
{
    char number[NUMBER_SIZE];
    size_t kept = header;
    *last = -1.0;
    print_number(number, time); /* rounded as the rows are */
    time = strtod(number, NULL);
    for (;;) {
        char *line = text + kept;
        char *feed = strchr(line, '\n');
        if (feed == NULL) {
            return kept; /* cut off in the middle, or the end */
        }
        char *end = NULL;
        const double row = strtod(line, &end);
        if (end == line || (*end != ',' && *end != '\n') || !(row <= time)) return kept;
        *last = row;
        kept = (size_t)(feed - text) + 1;
    }
}

/* Prepares a trace that is there already for the rows after `time`. *present: there is one with these
 * columns. */
static vxe_result cut_trace(run_output *output, const char *header, double time, bool *present,
                            vxe_error *error)
{
    struct stat info;
    *present = false;
    if (stat(output->path[OUTPUT_TRACE], &info) != 0) return VXE_OK;
    char *text = NULL;
    size_t size = 0;
    vxe_result result = vxe_read_file(output->path[OUTPUT_TRACE], SIZE_MAX / 2, &text, &size, error);
    if (result != VXE_OK) return result;
    const size_t length = strlen(header);
    if (size < length && strncmp(text, header, size) == 0) {
        free(text); /* killed before the first line was complete */
        return VXE_OK;
    }
    if (size < length || strncmp(text, header, length) != 0) {
        free(text);
        return vxe_fail(
            error, VXE_ERROR_INPUT,
            "%s: has other columns than this run; give the same --trace as before, or another folder",
            output->path[OUTPUT_TRACE]);
    }
    const size_t end = find_end(text, length, time, &output->last_time);
    free(text);
    if (truncate(output->path[OUTPUT_TRACE], (off_t)end) != 0) {
        return fail_file(output->path[OUTPUT_TRACE], error);
    }
    *present = true;
    return VXE_OK;
}

static vxe_result open_trace(run_output *output, const vxe_trace *trace, const vxe_sim *sim, bool resumed,
                             vxe_error *error)
{
    char *header = trace_header(trace);
    output->row = malloc((size_t)vxe_trace_columns(trace) * sizeof *output->row);
    if (header == NULL || output->row == NULL) {
        free(header);
        return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for a trace");
    }
    bool present = false;
    vxe_result result = resumed ? cut_trace(output, header, vxe_sim_time(sim), &present, error) : VXE_OK;
    if (result == VXE_OK) {
        output->stream = fopen(output->path[OUTPUT_TRACE], present ? "ab" : "wb");
        output->buffer = malloc(BUFFER);
        if (output->stream != NULL && output->buffer != NULL)
            (void)setvbuf(output->stream, output->buffer, _IOFBF, BUFFER);
        if (output->stream == NULL || (!present && fputs(header, output->stream) == EOF) ||
            fflush(output->stream) != 0) {
            result = fail_file(output->path[OUTPUT_TRACE], error);
        }
    }
    free(header);
    return result;
}

/* Removes a file; empties it if the path is a link, which then still leads to it. */
static void remove_old(const char *path)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        (void)(truncate(path, 0) == 0);
    } else {
        (void)unlink(path);
    }
}

vxe_result cli_output_open(run_output *output, const vxe_trace *trace, const vxe_sim *sim, bool resumed,
                           vxe_error *error)
{
    vxe_result result = output->folder == NULL ? VXE_OK : cli_make_folder(output->folder, error);
    for (int i = 0; i < OUTPUT_KINDS && result == VXE_OK; i++) {
        if (output->path[i] != NULL) result = check_place(output->path[i], error);
    }
    if (result == VXE_OK && output->folder != NULL) {
        vxe_remove_leftovers(output->folder); /* of a run that was killed */
    }
    if (result == VXE_OK && output->path[OUTPUT_CHECKPOINT] != NULL && resumed) {
        vxe_remove_leftovers(output->path[OUTPUT_CHECKPOINT]);
    }
    if (result == VXE_OK && output->folder != NULL) result = open_trace(output, trace, sim, resumed, error);
    /* A run that is killed must not leave an older run's summary or state beside its own trace. */
    for (int i = 0; i < OUTPUT_KINDS && result == VXE_OK; i++) {
        const bool kept = i == OUTPUT_TRACE || (i == OUTPUT_CHECKPOINT && resumed);
        if (!kept && output->path[i] != NULL) remove_old(output->path[i]);
    }
    return result;
}

vxe_result cli_output_row(run_output *output, const vxe_trace *trace, vxe_sim *sim, vxe_error *error)
{
    if (output->stream == NULL) return VXE_OK;
    char text[NUMBER_SIZE];
    if (output->row_count == 0) { /* a trace that goes on has times as they were printed */
        print_number(text, vxe_sim_time(sim));
        if (strtod(text, NULL) == output->last_time) return VXE_OK;
    } else if (vxe_sim_time(sim) == output->last_time) {
        return VXE_OK;
    }
    vxe_trace_read(trace, sim, output->row);
    const int32_t columns = vxe_trace_columns(trace);
    for (int32_t c = 0; c < columns; c++) {
        print_number(text, output->row[c]);
        (void)fputs(text, output->stream);
        (void)putc(c + 1 < columns ? ',' : '\n', output->stream);
    }
    output->last_time = output->row[0];
    output->row_count++;
    return ferror(output->stream) ? fail_file(output->path[OUTPUT_TRACE], error) : VXE_OK;
}

vxe_result cli_output_flush(run_output *output, vxe_error *error)
{
    const double now = cli_clock();
    if (output->stream == NULL || now - output->last_flush < 0.5) return VXE_OK;
    output->last_flush = now;
    return fflush(output->stream) != 0 ? fail_file(output->path[OUTPUT_TRACE], error) : VXE_OK;
}

/* A whole file, which survives a power failure only where that is worth its time. */
static vxe_result write_bytes(const char *path, const void *data, size_t size, bool lasting, vxe_error *error)
{
    vxe_file file;
    vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    file.lasting = lasting;
    if (fwrite(data, 1, size, file.stream) != size) {
        result = fail_file(path, error);
        vxe_file_discard(&file);
        return result;
    }
    return vxe_file_commit(&file, error);
}

vxe_result cli_output_state(run_output *output, const vxe_sim *sim, bool failed, vxe_error *error)
{
    const output_kind kind = failed ? OUTPUT_FAILED : OUTPUT_CHECKPOINT;
    if (output->path[kind] == NULL) return VXE_OK;
    /* The trace must never be behind the checkpoint: a run resumed from it would miss rows. */
    if (!failed && output->stream != NULL && fflush(output->stream) != 0)
        return fail_file(output->path[OUTPUT_TRACE], error);
    const size_t size = vxe_sim_save_size(sim);
    void *bytes = malloc(size);
    if (bytes == NULL) return vxe_fail_memory(error, "a checkpoint", size);
    vxe_result result = vxe_sim_save(sim, bytes, size, error);
    /* what took no more than a few seconds to compute is not worth waiting for a disk */
    const bool lasting = cli_clock() - output->begun > 3.0;
    if (result == VXE_OK) result = write_bytes(output->path[kind], bytes, size, lasting, error);
    output->written[kind] = output->written[kind] || result == VXE_OK;
    free(bytes);
    return result;
}

vxe_result cli_output_close_trace(run_output *output, vxe_error *error)
{
    if (output->stream == NULL) return VXE_OK;
    const bool good = ferror(output->stream) == 0;
    const bool closed = fclose(output->stream) == 0;
    output->stream = NULL;
    return good && closed ? VXE_OK : fail_file(output->path[OUTPUT_TRACE], error);
}

vxe_result cli_output_events(run_output *output, const vxe_sim *sim, vxe_error *error)
{
    int64_t count = 0;
    const vxe_event *events = vxe_sim_events(sim, &count);
    if (output->path[OUTPUT_EVENTS] == NULL || events == NULL) return VXE_OK;
    vxe_file file;
    vxe_result result = vxe_file_open(&file, output->path[OUTPUT_EVENTS], error);
    if (result != VXE_OK) return result;
    const vxe_model_view *view = vxe_model_get(vxe_sim_model(sim));
    (void)fputs("time_s,event,axis,i,j,k\n", file.stream);
    for (int64_t n = 0; n < count; n++) {
        const int32_t voxel = events[n].link % view->voxel_count;
        char time[NUMBER_SIZE];
        print_number(time, events[n].time);
        (void)fprintf(file.stream, "%s,%s,%c,%d,%d,%d\n", time,
                      events[n].kind == VXE_EVENT_BREAK ? "break" : "yield",
                      'x' + (int)(events[n].link / view->voxel_count), (int)view->cell[0][voxel],
                      (int)view->cell[1][voxel], (int)view->cell[2][voxel]);
    }
    result = vxe_file_commit(&file, error);
    output->written[OUTPUT_EVENTS] = result == VXE_OK;
    return result;
}

vxe_result cli_output_summary(run_output *output, const json_t *summary, vxe_error *error)
{
    if (output->path[OUTPUT_SUMMARY] == NULL) return VXE_OK;
    char *text = json_dumps(summary, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    if (text == NULL) return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the summary");
    const size_t length = strlen(text);
    text[length] = '\n'; /* in place of the final zero, which is not written */
    const vxe_result result = write_bytes(output->path[OUTPUT_SUMMARY], text, length + 1, false, error);
    free(text);
    return result;
}

output_list cli_output_list(const run_output *output)
{
    output_list list = {{NULL}, 0};
    for (int i = 0; i < OUTPUT_KINDS; i++) {
        if (output->written[i]) list.paths[list.count++] = output->path[i];
    }
    return list;
}

void cli_output_destroy(run_output *output)
{
    if (output->stream != NULL) (void)fclose(output->stream);
    free(output->buffer);
    free(output->row);
    free(output->folder);
    for (int i = 0; i < OUTPUT_KINDS; i++) free(output->path[i]);
    *output = (run_output){.last_time = -1.0};
}
