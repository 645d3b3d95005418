/* Writes a history in voxcraft's form: settings, then one line per frame with the voxels at the surface, and
 * the links if they are asked for. Coordinates are those of that program: the centre of voxel (0,0,0) is the
 * origin. */
#include "base/number.h"
#include "io/observer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RESCALE 0.001 /* numbers of voxels are in mm */

/* A record: numbers with commas behind them, written at once. */
typedef struct record {
    size_t length;
    char text[16 * VXE_NUMBER_SIZE];
} record;

static void put(record *r, double value, int decimals)
{
    char *text = r->text + r->length;
    vxe_print_fixed(text, value, decimals);
    r->length += strlen(text);
    r->text[r->length++] = ',';
}

static void write_record(FILE *stream, record *r)
{
    r->text[r->length++] = ';';
    (void)fwrite(r->text, 1, r->length, stream);
}

vxe_result vxe_history_begin(vxe_observer *o, const char *path, vxe_error *error)
{
    const vxe_result result = vxe_file_open(&o->history, path, error);
    if (result != VXE_OK) return result;
    o->has_history = true;
    FILE *stream = o->history.stream;
    char text[VXE_NUMBER_SIZE];
    (void)fprintf(stream, "{{{setting}}}<rescale>0.001</rescale>\n");
    for (int32_t m = 1; m <= vxe_scene_material_count(o->scene); m++) {
        static const char *const names[4] = {"r", "g", "b", "a"};
        const vxe_material_def *def = vxe_scene_material(o->scene, m);
        (void)fprintf(stream, "{{{setting}}}<matcolor><id>%d</id>", (int)m);
        for (int c = 0; c < 4; c++) {
            vxe_print_fixed(text, def->color[c] / 255.0, 2);
            (void)fprintf(stream, "<%s>%s</%s>", names[c], text, names[c]);
        }
        (void)fprintf(stream, "</matcolor>\n");
    }
    vxe_print_fixed(text, o->view->pitch, 6);
    (void)fprintf(stream, "{{{setting}}}<voxel_size>%s</voxel_size>\n", text);
    return VXE_OK;
}

static bool is_at_surface(const vxe_model_view *view, const uint8_t *linked, int32_t v)
{
    (void)view;
    return linked[v] != 63;
}

/* Which faces of a voxel have a neighbour: bit 2a towards smaller, 2a + 1 towards larger coordinates. */
static void find_linked(const vxe_model_view *view, uint8_t *linked)
{
    memset(linked, 0, (size_t)view->voxel_count);
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < view->voxel_count; v++) {
            const int32_t w = view->next[a][v];
            if (w < 0) continue;
            linked[v] |= (uint8_t)(2 << (2 * a));
            linked[w] |= (uint8_t)(1 << (2 * a));
        }
    }
}

static void put_voxel(FILE *stream, const vxe_observer *o, const vxe_state *state, int32_t v)
{
    const double shift = 0.5 * o->view->pitch;
    const double half = 0.5 * o->view->pitch * (1.0 + state->growth[v]);
    double q[4];
    for (int i = 0; i < 4; i++) q[i] = state->orientation[i][v];
    const double sign = q[0] < 0.0 ? -1.0 : 1.0;
    const double length = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double angle = 2.0 * atan2(length, fabs(q[0])) * (180.0 / 3.14159265358979323846);
    record r;
    r.length = 0;
    for (int a = 0; a < 3; a++) put(&r, (state->position[a][v] - shift) / RESCALE, 1);
    put(&r, angle, 1);
    for (int a = 1; a < 4; a++) put(&r, sign * q[a], 2);
    for (int a = 0; a < 3; a++) put(&r, -half / RESCALE, 1);
    for (int a = 0; a < 3; a++) put(&r, half / RESCALE, 1);
    put(&r, (double)o->view->material[v], 0);
    put(&r, 0.0, 1);
    write_record(stream, &r);
}

vxe_result vxe_history_frame_now(vxe_observer *o, vxe_sim *sim, vxe_error *error)
{
    FILE *stream = o->history.stream;
    const vxe_state *state = vxe_sim_state(sim);
    const int32_t n = o->view->voxel_count;
    const long long step = state->step > 0 ? (long long)state->step - 1 : 0;
    if (o->experiment.history_voxels) {
        char time[VXE_NUMBER_SIZE];
        vxe_print_fixed(time, state->time, 6);
        uint8_t *linked = vxe_allocate((size_t)n, 1);
        if (linked == NULL) return vxe_fail_memory(error, "a history", (size_t)n);
        find_linked(o->view, linked);
        (void)fprintf(stream, "<<<Step%lld Time:%s>>>", step, time);
        for (int32_t v = 0; v < n; v++) {
            if (is_at_surface(o->view, linked, v)) put_voxel(stream, o, state, v);
        }
        (void)fprintf(stream, "<<<>>>");
        free(linked);
    }
    if (o->experiment.history_links) {
        const double shift = 0.5 * o->view->pitch;
        (void)fprintf(stream, "|[[[%lld]]]", step);
        for (int axis = 0; axis < 3; axis++) {
            for (int32_t v = 0; v < n; v++) {
                const int32_t w = o->view->next[axis][v];
                if (w < 0) continue;
                record r;
                r.length = 0;
                for (int a = 0; a < 3; a++) put(&r, state->position[a][v] - shift, 4);
                for (int a = 0; a < 3; a++) put(&r, state->position[a][w] - shift, 4);
                write_record(stream, &r);
            }
        }
        (void)fprintf(stream, "[[[]]]");
    }
    (void)fputc('\n', stream);
    if (ferror(stream))
        return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", o->history.path, strerror(errno != 0 ? errno : EIO));
    return VXE_OK;
}
