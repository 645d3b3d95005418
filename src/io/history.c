/* Reads histories of voxcraft: lines of settings and of frames, anything else is skipped. The writer is part
 * of the observer. */
#include "io/formats.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_BYTES_MAX ((size_t)1 << 30)
#define FRAMES_MAX 10000000
#define COLORS_MAX 256

struct vxe_history {
    vxe_history_frame *frames;
    int32_t count;
    size_t capacity;
    double rescale;
    double voxel_size;
    uint8_t colors[COLORS_MAX][4];
    bool colored[COLORS_MAX];
};

typedef struct history_reader {
    const char *name;
    int64_t line;
    vxe_history *history;
    vxe_result result;
    vxe_error *error;
} history_reader;

static void refuse(history_reader *r, vxe_result code, const char *what)
{
    if (r->result == VXE_OK)
        r->result = vxe_fail(r->error, code, "%s:%lld: %s", r->name, (long long)r->line, what);
}

/* A number at *at, which moves behind it; false: there is none. */
static bool scan(const char **at, const char *end, double *value)
{
    const char *begin = *at;
    while (begin < end && *begin == ' ') begin++;
    const char *stop = begin;
    while (stop < end && strchr("0123456789+-.eE", *stop) != NULL && *stop != '\0') stop++;
    if (!vxe_read_number(begin, (size_t)(stop - begin), value)) return false;
    *at = stop;
    return true;
}

/* The number inside <tag>...</tag> of a setting; `standard` where there is none. */
static double setting(const char *line, const char *end, const char *tag, double standard)
{
    const size_t length = strlen(tag);
    for (const char *at = line; at + length + 2 < end; at++) {
        if (*at != '<' || strncmp(at + 1, tag, length) != 0 || at[length + 1] != '>') continue;
        const char *number = at + length + 2;
        double value = 0.0;
        return scan(&number, end, &value) ? value : standard;
    }
    return standard;
}

static uint8_t color_byte(double part) { return (uint8_t)(255.0 * fmax(0.0, fmin(1.0, part)) + 0.5); }

static void read_setting(vxe_history *h, const char *line, const char *end)
{
    const double rescale = setting(line, end, "rescale", h->rescale);
    const double size = setting(line, end, "voxel_size", h->voxel_size);
    if (rescale > 0.0) h->rescale = rescale;
    if (size > 0.0) h->voxel_size = size;
    const double id = setting(line, end, "id", -1.0);
    if (!(id >= 0.0 && id < COLORS_MAX)) return;
    const int index = (int)id;
    h->colored[index] = true;
    h->colors[index][0] = color_byte(setting(line, end, "r", 0.5));
    h->colors[index][1] = color_byte(setting(line, end, "g", 0.5));
    h->colors[index][2] = color_byte(setting(line, end, "b", 0.5));
    h->colors[index][3] = color_byte(setting(line, end, "a", 1.0));
}

/* Rotation angle in degrees and the vector part of a quaternion, rounded: only the direction of the vector
 * counts. */
static void make_orientation(const double angle, const double vector[3], double q[4])
{
    const double length = sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
    const double half = 0.5 * angle * (3.14159265358979323846 / 180.0);
    q[0] = length > 0.0 ? cos(half) : 1.0;
    for (int a = 0; a < 3; a++) q[a + 1] = length > 0.0 ? sin(half) * vector[a] / length : 0.0;
}

/* Numbers up to the next ';', at most `most`. Moves behind it, and always on. */
static int read_record(const char **at, const char *end, double *numbers, int most)
{
    int count = 0;
    while (*at < end && **at != ';' && **at != '<' && **at != '[') {
        double value = 0.0;
        if (!scan(at, end, &value)) return -1;
        if (count < most) numbers[count++] = value;
        while (*at < end && (**at == ',' || **at == ' ')) ++*at;
    }
    if (*at < end && (**at == ';' || count == 0)) ++*at;
    return count;
}

static const char *find(const char *at, const char *end, const char *text)
{
    const size_t length = strlen(text);
    for (; at + length <= end; at++) {
        if (memcmp(at, text, length) == 0) return at;
    }
    return NULL;
}

/* No more records than this: each ends at one of these characters. */
static int32_t count_records(const char *at, const char *end)
{
    int32_t count = 1;
    for (; at < end; at++) count += *at == ';' || *at == '<' || *at == '[';
    return count;
}

static void read_voxels(history_reader *r, const char *at, const char *end, vxe_history_frame *frame)
{
    const double scale = r->history->rescale;
    vxe_history_voxel *voxels = vxe_allocate((size_t)count_records(at, end), sizeof *voxels);
    if (voxels == NULL) {
        refuse(r, VXE_ERROR_MEMORY, "there is not enough memory");
        return;
    }
    frame->voxels = voxels;
    while (at < end) {
        double n[15] = {0.0};
        const int count = read_record(&at, end, n, 15);
        if (count == 0) continue;
        if (count < 14) {
            refuse(r, VXE_ERROR_INPUT, "a voxel with fewer than 14 numbers");
            return;
        }
        vxe_history_voxel *v = &voxels[frame->voxel_count++];
        for (int a = 0; a < 3; a++) {
            v->position[a] = scale * n[a];
            v->low[a] = scale * n[7 + a];
            v->high[a] = scale * n[10 + a];
        }
        make_orientation(n[3], &n[4], v->orientation);
        v->material = n[13] >= 0.0 && n[13] < 1e6 ? (int32_t)n[13] : 0;
        v->signal = count > 14 ? n[14] : 0.0;
    }
}

static void read_links(history_reader *r, const char *at, const char *end, vxe_history_frame *frame)
{
    double *links = vxe_allocate(6 * (size_t)count_records(at, end), sizeof *links);
    if (links == NULL) {
        refuse(r, VXE_ERROR_MEMORY, "there is not enough memory");
        return;
    }
    frame->links = links;
    while (at < end) {
        double n[6] = {0.0};
        const int count = read_record(&at, end, n, 6);
        if (count == 0) continue;
        if (count < 6) {
            refuse(r, VXE_ERROR_INPUT, "a link with fewer than 6 numbers");
            return;
        }
        memcpy(&links[6 * (size_t)frame->link_count++], n, sizeof n);
    }
}

/* False: there is no room. */
static bool add_frame(vxe_history *h, const vxe_history_frame *frame)
{
    vxe_history_frame *frames = h->count < FRAMES_MAX
                                    ? vxe_grow(h->frames, (size_t)h->count + 1, &h->capacity, sizeof *frames)
                                    : NULL;
    if (frames == NULL) return false;
    h->frames = frames;
    h->frames[h->count++] = *frame;
    return true;
}

/* A line may be neither: then it is noise. */
static void read_frame(history_reader *r, const char *line, const char *end)
{
    vxe_history *h = r->history;
    const char *voxels = find(line, end, "<<<Step");
    const char *links = find(line, end, "|[[[");
    if (voxels == NULL && links == NULL) return;
    vxe_history_frame frame = {0, 0.0, 0, 0, NULL, NULL};
    double number = 0.0;
    if (voxels != NULL) {
        const char *at = voxels + 7;
        const char *stop = find(at, end, "<<<>>>");
        if (scan(&at, end, &number) && fabs(number) < 9e15) frame.step = (int64_t)number;
        at = find(at, end, "Time:");
        if (at != NULL) at += 5;
        if (at == NULL || stop == NULL || !scan(&at, end, &frame.time) || find(at, end, ">>>") != at) {
            refuse(r, VXE_ERROR_INPUT, "a frame without its time or its end");
            return;
        }
        read_voxels(r, at + 3, stop, &frame);
    }
    if (links != NULL && r->result == VXE_OK) {
        const char *at = find(links, end, "]]]");
        const char *stop = find(links, end, "[[[]]]");
        if (at == NULL || stop == NULL || stop < at) {
            refuse(r, VXE_ERROR_INPUT, "links without their end");
        } else {
            read_links(r, at + 3, stop, &frame);
        }
    }
    if (r->result == VXE_OK && !add_frame(h, &frame))
        refuse(r, VXE_ERROR_LIMIT, "too many frames, or not enough memory");
    else if (r->result == VXE_OK)
        return;
    free((void *)frame.voxels);
    free((void *)frame.links);
}

vxe_result vxe_history_parse(const char *text, size_t size, const char *name, vxe_history **history,
                             vxe_error *error)
{
    if (text == NULL || history == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    vxe_history *h = calloc(1, sizeof *h);
    if (h == NULL) return vxe_fail_memory(error, "a history", sizeof *h);
    h->rescale = 1.0;
    h->voxel_size = 0.01;
    history_reader r = {name == NULL ? "history" : name, 0, h, VXE_OK, error};
    static const char mark[] = "{{{setting}}}";
    for (const char *line = text; line < text + size && r.result == VXE_OK;) {
        const char *end = memchr(line, '\n', (size_t)(text + size - line));
        const char *stop = end == NULL ? text + size : end;
        r.line++;
        if ((size_t)(stop - line) > sizeof mark - 1 && memcmp(line, mark, sizeof mark - 1) == 0)
            read_setting(h, line, stop);
        else
            read_frame(&r, line, stop);
        line = stop + 1;
    }
    if (r.result == VXE_OK && h->count == 0)
        r.result = vxe_fail(error, VXE_ERROR_INPUT, "%s: there is no frame in it", r.name);
    if (r.result != VXE_OK) {
        vxe_history_destroy(h);
        return r.result;
    }
    *history = h;
    return VXE_OK;
}

vxe_result vxe_history_load(const char *path, vxe_history **history, vxe_error *error)
{
    if (path == NULL || history == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    char *text = NULL;
    size_t size = 0;
    vxe_result result = vxe_read_file(path, HISTORY_BYTES_MAX, &text, &size, error);
    if (result != VXE_OK) return result;
    result = vxe_history_parse(text, size, path, history, error);
    free(text);
    return result;
}

void vxe_history_destroy(vxe_history *history)
{
    if (history == NULL) return;
    for (int32_t i = 0; i < history->count; i++) {
        free((void *)history->frames[i].voxels);
        free((void *)history->frames[i].links);
    }
    free(history->frames);
    free(history);
}

int32_t vxe_history_count(const vxe_history *history) { return history == NULL ? 0 : history->count; }

const vxe_history_frame *vxe_history_get(const vxe_history *history, int32_t index)
{
    return history == NULL || index < 0 || index >= history->count ? NULL : &history->frames[index];
}

double vxe_history_voxel_size(const vxe_history *history)
{
    return history == NULL ? 0.0 : history->voxel_size;
}

void vxe_history_color(const vxe_history *history, int32_t material, uint8_t color[4])
{
    if (color == NULL) return;
    static const uint8_t grey[4] = {128, 128, 128, 255};
    const bool known =
        history != NULL && material >= 0 && material < COLORS_MAX && history->colored[material];
    memcpy(color, known ? history->colors[material] : grey, 4);
}
