/* Free rigid motions: see motions.h. */
#include "solve/motions.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Turns two rows or columns into each other. */
static void rotate(double *one, double *other, size_t stride, size_t count, double c, double d)
{
    for (size_t k = 0; k < count; k++) {
        const double x = one[k * stride];
        const double y = other[k * stride];
        one[k * stride] = c * x - d * y;
        other[k * stride] = d * x + c * y;
    }
}

void vxe_symmetric_eigen(double *matrix, int size, double *values, double *vectors)
{
    double *a = matrix;
    const size_t s = (size_t)size;
    for (size_t i = 0; i < s * s; i++) vectors[i] = i % (s + 1) == 0 ? 1.0 : 0.0;
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0.0;
        double all = 0.0;
        for (size_t i = 0; i < s; i++) {
            for (size_t j = 0; j < s; j++) {
                all += a[i * s + j] * a[i * s + j];
                if (i != j) off += a[i * s + j] * a[i * s + j];
            }
        }
        if (off <= 1e-32 * all) break;
        for (size_t i = 0; i < s; i++) {
            for (size_t j = i + 1; j < s; j++) {
                if (a[i * s + j] == 0.0) continue;
                const double tau = (a[j * s + j] - a[i * s + i]) / (2.0 * a[i * s + j]);
                const double t = (tau >= 0.0 ? 1.0 : -1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
                const double c = 1.0 / sqrt(1.0 + t * t);
                const double d = t * c;
                rotate(&a[i], &a[j], s, s, c, d);
                rotate(&a[i * s], &a[j * s], 1, s, c, d);
                rotate(&vectors[i], &vectors[j], s, s, c, d);
            }
        }
    }
    for (size_t i = 0; i < s; i++) values[i] = a[i * s + i];
    for (size_t i = 0; i + 1 < s; i++) {
        size_t least = i;
        for (size_t j = i + 1; j < s; j++) {
            if (values[j] < values[least]) least = j;
        }
        if (least == i) continue;
        const double value = values[i];
        values[i] = values[least];
        values[least] = value;
        for (size_t k = 0; k < s; k++) {
            const double x = vectors[k * s + i];
            vectors[k * s + i] = vectors[k * s + least];
            vectors[k * s + least] = x;
        }
    }
}

/* ---- what is free ------------------------------------------------------------------------------------------------- */

/* Sums over a body. */
typedef struct support {
    double center[3]; /* m: of the held voxels, or of all if none is held */
    double reach;     /* m: of the held voxels from there */
    int64_t voxels;
    int64_t held;
    double matrix[36]; /* how much each pair of rigid motions moves what is held */
} support;

static void measure_supports(const lattice *l, const pose *p, const uint8_t *held, support *supports)
{
    for (int32_t v = 0; v < l->voxels; v++) {
        support *s = &supports[l->body[v]];
        s->voxels++;
        s->held += (held[v] & VXE_DOF_ALL) != 0;
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        support *s = &supports[l->body[v]];
        if (s->held > 0 && (held[v] & VXE_DOF_ALL) == 0) continue;
        for (int a = 0; a < 3; a++)
            s->center[a] +=
                p->position[3 * (size_t)v + (size_t)a] / (double)(s->held > 0 ? s->held : s->voxels);
    }
    for (int32_t b = 0; b < l->body_count; b++) supports[b].reach = l->pitch;
    for (int32_t v = 0; v < l->voxels; v++) {
        support *s = &supports[l->body[v]];
        if ((held[v] & VXE_DOF_ALL) == 0) continue;
        double square = 0.0;
        for (int a = 0; a < 3; a++) {
            const double arm = p->position[3 * (size_t)v + (size_t)a] - s->center[a];
            square += arm * arm;
        }
        if (sqrt(square) > s->reach) s->reach = sqrt(square);
    }
    for (int32_t v = 0; v < l->voxels; v++) {
        support *s = &supports[l->body[v]];
        for (int d = 0; d < DOFS; d++) {
            if ((held[v] >> d & 1) == 0) continue;
            double row[6] = {
                0.0}; /* component d of the six unit motions: three moves, three turns by 1/reach */
            if (d >= 3) {
                row[d] = 1.0;
            } else {
                const int b = (d + 1) % 3;
                const int c = (d + 2) % 3;
                row[d] = 1.0;
                row[3 + b] = (p->position[3 * (size_t)v + (size_t)c] - s->center[c]) / s->reach;
                row[3 + c] = -(p->position[3 * (size_t)v + (size_t)b] - s->center[b]) / s->reach;
            }
            for (size_t i = 0; i < 6; i++) {
                for (size_t j = 0; j < 6; j++) s->matrix[6 * i + j] += row[i] * row[j];
            }
        }
    }
}

vxe_result vxe_free_motions(const lattice *l, const pose *p, const uint8_t *held, free_motions *motions,
                            vxe_error *error)
{
    const size_t bodies = (size_t)l->body_count;
    support *supports = vxe_allocate(bodies, sizeof *supports);
    free_motion *items = NULL;
    int32_t count = 0;
    *motions = (free_motions){0, NULL};
    if (supports == NULL) return vxe_fail_memory(error, "the supports", bodies * sizeof *supports);
    measure_supports(l, p, held, supports);
    for (int pass = 0; pass < 2; pass++) {
        count = 0;
        for (size_t b = 0; b < bodies; b++) {
            double matrix[36];
            double values[6];
            double vectors[36];
            memcpy(matrix, supports[b].matrix, sizeof matrix);
            vxe_symmetric_eigen(matrix, 6, values, vectors);
            for (size_t i = 0; i < 6; i++) {
                /* lever arms are of order one, so what is held at all is held by much more than this */
                if (values[i] > 1e-9 * fmax(values[5], 1e-300)) continue;
                if (pass == 1) {
                    free_motion *m = &items[count];
                    m->body = (int32_t)b;
                    for (size_t a = 0; a < 3; a++) {
                        m->center[a] = supports[b].center[a];
                        m->move[a] = vectors[6 * a + i];
                        m->turn[a] = vectors[6 * (a + 3) + i] / supports[b].reach;
                    }
                }
                count++;
            }
        }
        if (pass == 0 && count > 0) {
            items = vxe_allocate((size_t)count, sizeof *items);
            if (items == NULL) {
                free(supports);
                return vxe_fail_memory(error, "the free motions", (size_t)count * sizeof *items);
            }
        }
        if (count == 0) break;
    }
    free(supports);
    *motions = (free_motions){count, items};
    return VXE_OK;
}

void vxe_free_motions_destroy(free_motions *motions)
{
    free(motions->items);
    *motions = (free_motions){0, NULL};
}

double vxe_motion_at(const free_motion *m, const pose *p, int32_t v, int d)
{
    if (d >= 3) return m->turn[d - 3];
    const int b = (d + 1) % 3;
    const int c = (d + 2) % 3;
    const double *x = &p->position[3 * (size_t)v];
    return m->move[d] + m->turn[b] * (x[c] - m->center[c]) - m->turn[c] * (x[b] - m->center[b]);
}

/* ---- names -------------------------------------------------------------------------------------------------------- */

/* Whether the motions of a body contain a unit one: a pure move along an axis (turn false), or a turn about a
 * parallel to the axis. Solved by elimination in the space of the motions: is `wanted` a combination of their
 * rows of interest? */
static bool contains(const free_motion *items, int count, int axis, bool turn)
{
    /* rows: 6 for a move (all components fixed), 3 for a turn (the move is whatever it is) */
    const int rows = turn ? 3 : 6;
    double m[6][7];
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < count; c++) {
            /* turns are scaled by their own largest size, so that both parts are of order one */
            m[r][c] = turn || r >= 3 ? items[c].turn[r % 3] : items[c].move[r];
        }
        m[r][count] = r == axis ? 1.0 : 0.0;
    }
    double scale = 0.0;
    for (int c = 0; c < count; c++) {
        for (int a = 0; a < 3; a++) scale = fmax(scale, fabs(items[c].turn[a]));
    }
    if (scale > 0.0) {
        for (int r = turn ? 0 : 3; r < rows; r++) {
            for (int c = 0; c < count; c++) m[r][c] /= scale;
        }
    }
    int done = 0;
    for (int c = 0; c < count && done < rows; c++) {
        int best = done;
        for (int r = done; r < rows; r++) {
            if (fabs(m[r][c]) > fabs(m[best][c])) best = r;
        }
        if (fabs(m[best][c]) < 1e-7) continue;
        for (int i = 0; i <= count; i++) {
            const double x = m[best][i];
            m[best][i] = m[done][i];
            m[done][i] = x;
        }
        for (int r = 0; r < rows; r++) {
            if (r == done) continue;
            const double f = m[r][c] / m[done][c];
            for (int i = c; i <= count; i++) m[r][i] -= f * m[done][i];
        }
        done++;
    }
    for (int r = done; r < rows; r++) {
        if (fabs(m[r][count]) > 1e-6) return false;
    }
    return true;
}

static void describe_body(char *text, size_t size, const lattice *l, const free_motion *items, int count)
{
    static const char names[3] = {'x', 'y', 'z'};
    int found = 0;
    int32_t first = 0;
    while (first < l->voxels && l->body[first] != items[0].body) first++;
    vxe_append(text, size, "body %d", (int)items[0].body + 1);
    if (l->body_count > 1) {
        vxe_append(text, size, " (with voxel %d,%d,%d)", (int)l->model->cell[0][first],
                   (int)l->model->cell[1][first], (int)l->model->cell[2][first]);
    }
    vxe_append(text, size, " can");
    for (int turn = 0; turn < 2; turn++) {
        int here = 0;
        for (int a = 0; a < 3; a++) {
            if (!contains(items, count, a, turn != 0)) continue;
            if (here == 0)
                vxe_append(text, size, "%s",
                           turn == 0   ? " move along "
                           : found > 0 ? " and turn about "
                                       : " turn about ");
            vxe_append(text, size, "%s%c", here > 0 ? ", " : "", names[a]);
            here++;
            found++;
        }
    }
    if (found == 0) {
        const free_motion *m = &items[0];
        const bool turns = fabs(m->turn[0]) + fabs(m->turn[1]) + fabs(m->turn[2]) > 1e-9 * l->pitch;
        const double *v = turns ? m->turn : m->move;
        const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        vxe_append(text, size, " %s (%.3g, %.3g, %.3g)", turns ? "turn about" : "move along", v[0] / length,
                   v[1] / length, v[2] / length);
    }
}

void vxe_describe_motions(const lattice *l, const free_motions *motions, char *text, size_t size)
{
    int bodies = 0;
    if (size > 0) text[0] = '\0';
    for (int32_t i = 0; i < motions->count;) {
        int32_t end = i;
        while (end < motions->count && motions->items[end].body == motions->items[i].body) end++;
        if (bodies < 4) {
            vxe_append(text, size, "%s", bodies > 0 ? "; " : "");
            describe_body(text, size, l, &motions->items[i], (int)(end - i));
        }
        bodies++;
        i = end;
    }
    if (bodies > 4) vxe_append(text, size, "; and %d more bodies are not held", bodies - 4);
}
