/* Writes a history in voxcraft's form: settings, then one line per frame with the voxels at the surface, and
 * the links if they are asked for. Coordinates are those of that program: the centre of voxel (0,0,0) is the
 * origin. */
#include "base/number.h"
#include "io/observer.h"
#include "sim/life.h"
#include "sim/loads.h"

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
#ifdef VXE_HAVE_XML
    vxe_history_print_raw(o->scene, stream);
#endif
    return VXE_OK;
}

/* Whether a voxel is there, and one that moves if only those are wanted. */
static bool is_wanted(const vxe_observer *o, const vxe_sim *sim, int32_t v)
{
    if (!vxe_sim_present(sim, v)) return false;
    return !o->experiment.history_moving || !vxe_scene_material(o->scene, vxe_life_material(sim, v))->fixed;
}

static void put_voxel(FILE *stream, const vxe_observer *o, vxe_sim *sim, int32_t v)
{
    const vxe_state *state = vxe_sim_state(sim);
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
    put(&r, (double)vxe_life_material(sim, v), 0);
    put(&r, vxe_sim_impulse(sim, v), 1);
    write_record(stream, &r);
}

static vxe_result put_voxels(vxe_observer *o, vxe_sim *sim, long long step, vxe_error *error)
{
    FILE *stream = o->history.stream;
    const int32_t n = o->view->voxel_count;
    char time[VXE_NUMBER_SIZE];
    vxe_print_fixed(time, vxe_sim_time(sim), 6);
    uint8_t *linked = vxe_allocate((size_t)n, 1);
    if (linked == NULL) return vxe_fail_memory(error, "a history", (size_t)n);
    vxe_add_linked_faces(sim, linked);
    (void)fprintf(stream, "<<<Step%lld Time:%s>>>", step, time);
    for (int32_t v = 0; v < n; v++) {
        if (is_wanted(o, sim, v) && (o->experiment.history_inside || linked[v] != 63))
            put_voxel(stream, o, sim, v);
    }
    (void)fprintf(stream, "<<<>>>");
    free(linked);
    return VXE_OK;
}

static void put_link(const vxe_observer *o, vxe_sim *sim, int32_t v, int32_t w)
{
    const vxe_state *state = vxe_sim_state(sim);
    const double shift = 0.5 * o->view->pitch;
    record r;
    r.length = 0;
    if (!is_wanted(o, sim, v) || !is_wanted(o, sim, w)) return;
    for (int a = 0; a < 3; a++) put(&r, state->position[a][v] - shift, 4);
    for (int a = 0; a < 3; a++) put(&r, state->position[a][w] - shift, 4);
    write_record(o->history.stream, &r);
}

/* Those of the lattice that are there now, then bonds. */
static void put_links(const vxe_observer *o, vxe_sim *sim, long long step)
{
    (void)fprintf(o->history.stream, "|[[[%lld]]]", step);
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < o->view->voxel_count; v++) {
            if (sim->link_kind[a][v] != 0) put_link(o, sim, v, o->view->next[a][v]);
        }
    }
    vxe_bond bond;
    for (int64_t i = 0; vxe_sim_bond(sim, i, &bond); i++) put_link(o, sim, bond.first, bond.second);
    (void)fprintf(o->history.stream, "[[[]]]");
}

/* The middle of each body with a voxel of the material that is asked for, in the order of their first voxels.
 */
static vxe_result put_bodies(vxe_observer *o, vxe_sim *sim, long long step, vxe_error *error)
{
    const int32_t n = o->view->voxel_count;
    const int32_t material = vxe_observed_material(o, o->experiment.history_bodies);
    const vxe_state *state = vxe_sim_state(sim);
    int32_t *body = vxe_allocate((size_t)n, sizeof *body);
    double *sums = vxe_allocate((size_t)n, 4 * sizeof *sums); /* x, y, z, voxels */
    uint8_t *has = vxe_allocate((size_t)n, 1);
    if (body == NULL || sums == NULL || has == NULL) {
        free(body);
        free(sums);
        free(has);
        return vxe_fail_memory(error, "a history", (size_t)n * 40);
    }
    vxe_bodies_find(sim, body);
    for (int32_t v = 0; v < n; v++) {
        if (!vxe_sim_present(sim, v)) continue;
        double *sum = &sums[4 * (size_t)body[v]];
        for (int a = 0; a < 3; a++) sum[a] += state->position[a][v];
        sum[3] += 1.0;
        if (vxe_life_material(sim, v) == material) has[body[v]] = 1;
    }
    (void)fprintf(o->history.stream, "|{{{%lld}}}", step);
    for (int32_t v = 0; v < n; v++) {
        const double *sum = &sums[4 * (size_t)v];
        if (has[v] == 0) continue;
        record r;
        r.length = 0;
        for (int a = 0; a < 3; a++) put(&r, sum[a] / sum[3] - 0.5 * o->view->pitch, 4);
        write_record(o->history.stream, &r);
    }
    (void)fprintf(o->history.stream, "{{{}}}");
    free(body);
    free(sums);
    free(has);
    return VXE_OK;
}

vxe_result vxe_history_frame_now(vxe_observer *o, vxe_sim *sim, vxe_error *error)
{
    FILE *stream = o->history.stream;
    const vxe_state *state = vxe_sim_state(sim);
    const long long step = state->step > 0 ? (long long)state->step - 1 : 0;
    vxe_result result = VXE_OK;
    if (o->experiment.history_voxels) result = put_voxels(o, sim, step, error);
    if (result == VXE_OK && o->experiment.history_links) put_links(o, sim, step);
    if (result == VXE_OK && o->experiment.history_bodies[0] != '\0') result = put_bodies(o, sim, step, error);
    if (result != VXE_OK) return result;
    (void)fputc('\n', stream);
    if (ferror(stream))
        return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", o->history.path, strerror(errno != 0 ? errno : EIO));
    return VXE_OK;
}
