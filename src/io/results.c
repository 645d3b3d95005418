/* Results in the forms that scripts of other programs read: evosoro's fitness file and voxcraft's report. */
#include "base/number.h"
#include "base/words.h"
#include "io/observer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- text --- */

typedef struct sheet {
    FILE *stream;
    int depth; /* < 0: everything on one line */
} sheet;

static void indent(const sheet *s)
{
    for (int i = 0; i < s->depth; i++) (void)fputs("  ", s->stream);
}

static void end_line(const sheet *s)
{
    if (s->depth >= 0) (void)fputc('\n', s->stream);
}

static void put_text(FILE *stream, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        switch (*c) {
        case '&': (void)fputs("&amp;", stream); break;
        case '<': (void)fputs("&lt;", stream); break;
        case '>': (void)fputs("&gt;", stream); break;
        default: (void)fputc((unsigned char)*c < 0x20 ? ' ' : *c, stream); break;
        }
    }
}

static void add_text(const sheet *s, const char *name, const char *text)
{
    indent(s);
    (void)fprintf(s->stream, "<%s>", name);
    put_text(s->stream, text);
    (void)fprintf(s->stream, "</%s>", name);
    end_line(s);
}

static void add_number(const sheet *s, const char *name, double value)
{
    char text[VXE_NUMBER_SIZE] = "nan";
    if (isfinite(value)) vxe_print_number(text, value == 0.0 ? 0.0 : value);
    add_text(s, name, text);
}

static void open_group(sheet *s, const char *name)
{
    indent(s);
    (void)fprintf(s->stream, "<%s>", name);
    end_line(s);
    if (s->depth >= 0) s->depth++;
}

static void close_group(sheet *s, const char *name)
{
    if (s->depth > 0) s->depth--;
    indent(s);
    (void)fprintf(s->stream, "</%s>", name);
    end_line(s);
}

static vxe_result finish(vxe_file *file, vxe_error *error)
{
    if (ferror(file->stream)) {
        const vxe_result result =
            vxe_fail(error, VXE_ERROR_FILE, "%s: %s", file->path, strerror(errno != 0 ? errno : EIO));
        vxe_file_discard(file);
        return result;
    }
    return vxe_file_commit(file, error);
}

/* --- evosoro --- */

/* A scene names this file, and scenes come from others: only a file of results may be replaced. */
static bool may_replace(const char *path)
{
    char text[1024]; /* the root element is at the beginning */
    struct stat info;
    if (stat(path, &info) != 0) return true;
    if (!S_ISREG(info.st_mode)) return false; /* opening a pipe would wait */
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return false;
    const size_t size = fread(text, 1, sizeof text - 1, stream);
    (void)fclose(stream);
    text[size] = '\0';
    return size == 0 || strstr(text, "<Voxelyze_Sim_Result") != NULL;
}

/* A figure of merit: a run that failed loses. */
static void add_score(const vxe_observer *o, const sheet *s, const char *name, double value)
{
    add_number(s, name, o->outcome.failed ? VXE_FITNESS_LOST : value);
}

/* The ends of a body as evosoro has them, in voxel lengths: how far its voxels are, horizontally, from where
 * its centre of mass began; and along y. */
typedef struct body_ends {
    double furthest, nearest;
    double front, back;
} body_ends;

static body_ends find_ends(const vxe_observer *o)
{
    const double l = o->view->pitch;
    body_ends e = {0.0, 100000.0, 0.0, 100000.0}; /* evosoro's own bounds */
    for (int32_t v = 0; v < o->view->voxel_count; v++) {
        if (o->view->material[v] == 5) continue; /* its obstacles */
        const double x = o->end[0][v] - o->outcome.start_center[0];
        const double y = o->end[1][v] - o->outcome.start_center[1];
        const double distance = sqrt(x * x + y * y) / l;
        e.furthest = fmax(e.furthest, distance);
        e.nearest = fmin(e.nearest, distance);
        e.front = fmax(e.front, o->end[1][v] / l);
        e.back = fmin(e.back, o->end[1][v] / l);
    }
    return e;
}

static void add_places(const vxe_observer *o, sheet *s)
{
    if (o->place_count == 0) return;
    open_group(s, "CMTrace");
    for (int32_t i = 0; i < o->place_count; i++) {
        open_group(s, "TraceStep");
        add_number(s, "Time", o->places[i].time);
        add_number(s, "TraceX", o->places[i].center[0]);
        add_number(s, "TraceY", o->places[i].center[1]);
        add_number(s, "TraceZ", o->places[i].center[2]);
        close_group(s, "TraceStep");
    }
    close_group(s, "CMTrace");
    open_group(s, "VolumeTrace");
    for (int32_t i = 0; i < o->place_count; i++) {
        open_group(s, "TraceStep");
        add_number(s, "Time", o->places[i].time);
        add_number(s, "Volume", o->places[i].volume);
        close_group(s, "TraceStep");
    }
    close_group(s, "VolumeTrace");
}

static void add_land(const vxe_observer *o, sheet *s)
{
    const vxe_outcome *r = &o->outcome;
    const double l = o->view->pitch;
    const double x = (r->end_center[0] - r->start_center[0]) / l;
    const double y = (r->end_center[1] - r->start_center[1]) / l;
    const double distance = sqrt(x * x + y * y);
    const double volume = o->start_volume / (l * l * l);
    const double norm = o->experiment.by_volume ? pow(volume, o->experiment.volume_exponent) : 1.0;
    const body_ends ends = find_ends(o);
    const bool fell =
        o->experiment.fall[0] != '\0' && o->floor_non_feet > o->floor_voxels - o->floor_non_feet;
    add_score(o, s, "NormFinalDist", fell ? 0.0 : distance / norm);
    add_score(o, s, "NormRegimeDist", fell ? 0.0 : ends.nearest - o->life_back);
    add_score(o, s, "NormFrozenDist", 0.0);
    add_score(o, s, "FinalDist", distance);
    add_score(o, s, "finalDistY", y);
    add_score(o, s, "AnteriorDist", ends.furthest);
    add_score(o, s, "PosteriorDist", ends.nearest);
    add_score(o, s, "AnteriorY", ends.front);
    add_score(o, s, "PosteriorY", ends.back);
    add_score(o, s, "EndOfLifePosteriorY", o->life_back); /* 0 without an afterlife */
    add_score(o, s, "FallAdjPostY", fell ? o->life_back - o->view->size[2] : o->life_back);
    add_number(s, "NumNonFeetTouchingFloor", o->floor_non_feet);
    add_number(s, "NumTouchingFloor", o->floor_voxels);
    add_number(s, "Lifetime", r->end_time - o->experiment.afterlife);
    add_number(s, "FoundNeedleInHaystack", o->found ? 1.0 : 0.0);
    add_score(o, s, "PushDist", o->pushed);
}

static void add_water(const vxe_observer *o, sheet *s)
{
    const vxe_outcome *r = &o->outcome;
    const double l = o->view->pitch;
    double d[3];
    for (int a = 0; a < 3; a++) d[a] = (r->end_center[a] - r->start_center[a]) / l;
    add_number(s, "VoxelNumber", r->voxels);
    add_score(o, s, "normAbsoluteDisplacement", sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    add_score(o, s, "normDistX", d[0]);
    add_score(o, s, "normDistY", d[1]);
    add_score(o, s, "normDistZ", d[2]);
    add_number(s, "RobotVolumeStart", o->start_volume);
    add_number(s, "ConvexHullVolumeStart", vxe_hull_volume(o->start, o->view->voxel_count, l));
    add_number(s, "RobotVolumeEnd", o->end_volume);
    add_number(s, "ConvexHullVolumeEnd", vxe_hull_volume(o->end, o->view->voxel_count, l));
    add_number(s, "ShapeComplexityStart", -1.0); /* not computed */
    add_number(s, "ShapeComplexityEnd", -1.0);
}

vxe_result vxe_observer_save_evosoro(const vxe_observer *observer, const char *path, vxe_error *error)
{
    if (observer == NULL || path == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL that must not be");
    if (!may_replace(path)) {
        return vxe_fail(error, VXE_ERROR_FILE,
                        "%s: the scene wants its results here, but there is another file", path);
    }
    vxe_file file;
    const vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    sheet s = {file.stream, 0};
    (void)fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Voxelyze_Sim_Result Version=\"1.0\">\n",
                s.stream);
    s.depth = 1;
    open_group(&s, "Fitness");
    add_land(observer, &s); /* scripts look for the names they know, so both lists are there */
    add_water(observer, &s);
    close_group(&s, "Fitness");
    add_text(&s, "Status", observer->outcome.failed ? "failed" : "done");
    if (observer->outcome.failed) add_text(&s, "Message", observer->failure);
    add_places(observer, &s);
    s.depth = 0;
    (void)fputs("</Voxelyze_Sim_Result>\n", s.stream);
    return finish(&file, error);
}

/* --- voxcraft --- */

static void add_center(sheet *s, const char *name, const double center[3], double shift)
{
    open_group(s, name);
    add_number(s, "x", center[0] - shift);
    add_number(s, "y", center[1] - shift);
    add_number(s, "z", center[2] - shift);
    close_group(s, name);
}

static void add_positions(sheet *s, const char *name, double *const position[3], int32_t count, double shift)
{
    (void)fprintf(s->stream, "<%s>", name);
    for (int32_t v = 0; v < count; v++) {
        for (int a = 0; a < 3; a++) {
            char text[VXE_NUMBER_SIZE];
            vxe_print_fixed(text, position[a][v] - shift, 6);
            (void)fprintf(s->stream, "%s%c", text, a < 2 ? ',' : ';');
        }
    }
    (void)fprintf(s->stream, "</%s>", name);
}

/* Those that could not be run have no observer. */
static void add_failure(sheet *s, const char *name, const char *failure)
{
    char element[128];
    vxe_element_name(name, element);
    open_group(s, element);
    add_number(s, "fitness_score", VXE_FITNESS_LOST);
    add_text(s, "status", "failed");
    add_text(s, "message", failure != NULL ? failure : "it could not be run");
    close_group(s, element);
}

static void add_detail(sheet *s, const char *name, const vxe_observer *o)
{
    const vxe_outcome *r = &o->outcome;
    const double shift = 0.5 * o->view->pitch;
    char element[128];
    vxe_element_name(name, element);
    open_group(s, element);
    add_number(s, "currentTime", r->end_time);
    add_number(s, "fitness_score", r->fitness);
    add_number(s, "num_voxel", r->voxels);
    add_number(s, "num_measured_voxel", r->measured);
    add_number(s, "voxSize", o->view->pitch);
    add_number(s, "numClosePairs", (double)r->close_pairs);
    add_center(s, "initialCenterOfMass", r->start_center, shift);
    add_center(s, "currentCenterOfMass", r->end_center, shift);
    add_number(s, "total_distance_of_all_voxels", r->distance);
    if (o->largest >= 0.0) add_number(s, "largestStickyGroupSize", o->largest);
    if (r->failed) {
        add_text(s, "status", "failed");
        add_text(s, "message", o->failure);
    }
    if (o->experiment.positions) {
        add_positions(s, "init_pos", o->start, o->view->voxel_count, shift);
        add_positions(s, "pos", o->end, o->view->voxel_count, shift);
        (void)fputs("<mats>", s->stream);
        for (int32_t v = 0; v < o->view->voxel_count; v++)
            (void)fprintf(s->stream, "%d;", (int)o->view->material[v]);
        (void)fputs("</mats>", s->stream);
    }
    close_group(s, element);
}

/* Best first, what is no number last; the order of names among equals. */
static bool comes_before(double a, double b)
{
    if (isnan(a)) return false;
    return isnan(b) || a > b;
}

static double fitness_of(const vxe_observer *o) { return o == NULL ? VXE_FITNESS_LOST : o->outcome.fitness; }

vxe_result vxe_report_save_voxcraft(const char *path, const char *input_folder, const char *const *names,
                                    vxe_observer *const *observers, const char *const *failures,
                                    int32_t count, vxe_error *error)
{
    if (path == NULL || input_folder == NULL || names == NULL || observers == NULL || count < 1)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL or 0 that must not be");
    for (int32_t i = 0; i < count; i++) {
        if (names[i] == NULL)
            return vxe_fail(error, VXE_ERROR_ARGUMENT, "an argument is NULL or 0 that must not be");
    }
    int32_t *order = vxe_allocate((size_t)count, sizeof *order);
    if (order == NULL) return vxe_fail_memory(error, "a report", (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        int32_t at = i;
        for (; at > 0 && comes_before(fitness_of(observers[i]), fitness_of(observers[order[at - 1]])); at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    vxe_file file;
    vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) {
        free(order);
        return result;
    }
    sheet s = {file.stream, -1};
    size_t length = strlen(input_folder);
    while (length > 1 && input_folder[length - 1] == '/') length--;
    size_t begin = length;
    while (begin > 0 && input_folder[begin - 1] != '/') begin--;
    char folder[256];
    (void)snprintf(folder, sizeof folder, "%.*s", (int)(length - begin), input_folder + begin);
    (void)fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n", s.stream);
    open_group(&s, "report");
    add_text(&s, "inputdir", folder);
    open_group(&s, "bestfit");
    add_text(&s, "filename", names[order[0]]);
    add_number(&s, "fitness_score", fitness_of(observers[order[0]]));
    close_group(&s, "bestfit");
    open_group(&s, "detail");
    for (int32_t i = 0; i < count; i++) {
        const int32_t n = order[i];
        if (observers[n] != NULL)
            add_detail(&s, names[n], observers[n]);
        else
            add_failure(&s, names[n], failures == NULL ? NULL : failures[n]);
    }
    close_group(&s, "detail");
    close_group(&s, "report");
    (void)fputc('\n', s.stream);
    free(order);
    return finish(&file, error);
}
