/* Bounds of the highest frequency and of the strongest damping of the scene as it is now, by the Lanczos
 * process on the links themselves (kernel/link.h: damping with beta = 1 is stiffness), with the pressure, the
 * current lengths and directions. After K steps the largest eigenvalue of the small matrix plus its residual
 * is an upper bound in practice (Zhou and Li, J. Comput. Phys. 2011); one per cent is added for what a start
 * vector can miss. Contacts (kernel/contact.h) and ground damping set no limit. */
#include "sim/bound.h"

#include "base/base.h"
#include "kernel/strain.h"
#include "sim/collide.h"
#include "sim/life.h"
#include "sim/pressure.h"

#include <string.h>

#define LANCZOS_STEPS 24
#define LANCZOS_FIRST 8     /* steps before the bound is looked at */
#define LANCZOS_MARGIN 0.01 /* of the eigenvalue: what the start vector can miss */
#define LANCZOS_DRIFT 0.03  /* of the bound: what it may still come up by, once it is looked at */

/* A vector of the Lanczos process: six numbers per voxel, displacement and turn, 0 where held. Floats are
 * enough: the bound has a margin of a per cent. */
static inline rvec at3(const float *x) { return (rvec){(double)x[0], (double)x[1], (double)x[2]}; }
static inline void add_at3(float *y, rvec a)
{
    y[0] += (float)a.x;
    y[1] += (float)a.y;
    y[2] += (float)a.z;
}

static inline link_chord chord_between(const vxe_sim *sim, int32_t v, int32_t far)
{
    return link_chord_of((rvec){sim->position[0][far] - sim->position[0][v],
                                sim->position[1][far] - sim->position[1][v],
                                sim->position[2][far] - sim->position[2][v]});
}

/* The stiffness of a stretched link across its direction: tension over length. Compression softens and is
 * left out. */
static inline double tension_stiffness(const vxe_sim *sim, const link_class *c, int32_t v, int32_t far,
                                       double length)
{
    const double l = sim->model->view.pitch;
    const double rest = link_rest_length(l, sim->growth[0][v], sim->growth[0][far]);
    const double tension =
        link_axial_force(c->ka, length - rest) +
        l * l *
            link_pressure_force(c->near_weight, sim->pressure[0][v], c->far_weight, sim->pressure[0][far]);
    return tension > 0.0 ? tension / length : 0.0;
}

/* A link as the operators need it. */
static bound_link link_now(const vxe_sim *sim, const link_class *c, int32_t v, int32_t far)
{
    const link_chord chord = chord_between(sim, v, far);
    return (bound_link){chord, tension_stiffness(sim, c, v, far, chord.length)};
}

static inline bound_link link_of(const vxe_sim *sim, const link_class *c, int a, int32_t v, int32_t far)
{
    return sim->bound_links != NULL ? sim->bound_links[3 * (size_t)v + (size_t)a] : link_now(sim, c, v, far);
}

static void look_part(vxe_sim *sim, const part_range *part, void *context)
{
    const vxe_model *m = sim->model;
    (void)context;
    for (int32_t v = part->begin; v < part->end; v++) {
        for (int a = 0; a < 3; a++) {
            const uint32_t link = sim->link_kind[a][v];
            if (link != 0)
                sim->bound_links[3 * (size_t)v + (size_t)a] =
                    link_now(sim, &m->classes[link - 1], v, m->next[a][v]);
        }
    }
}

void vxe_bound_look(vxe_sim *sim)
{
    vxe_state_read(sim, STATE_SET(position) | STATE_SET(growth) | STATE_SET(pressure));
    if (sim->bound_links != NULL) sim->host.divide(sim, look_part, NULL);
}

/* A vector of the bound's process that threads work on, and where the result goes. */
typedef struct bound_work {
    bound_kind kind;
    const float *x;
    float *y;
    double *numbers; /* per voxel: volumes, or the terms of a sum */
} bound_work;

/* Volume strains that displacements cause. What links from another thread's part do comes first, as ever. */
static void strain_part(vxe_sim *sim, const part_range *part, void *context)
{
    const bound_work *w = context;
    const vxe_model *m = sim->model;
    const double inverse = 1.0 / m->view.pitch;
    double *volume = w->numbers;
    memset(volume + part->begin, 0, (size_t)(part->end - part->begin) * sizeof *volume);
    for (int32_t v = part->before; v < part->end; v++) {
        const rvec own = at3(w->x + 6 * (size_t)v);
        for (int a = 0; a < 3; a++) {
            const uint32_t link = sim->link_kind[a][v];
            if (link == 0) continue;
            const link_class *c = &m->classes[link - 1];
            const int32_t far = m->next[a][v];
            if (v < part->begin && (far < part->begin || far >= part->end)) continue;
            const double stretch =
                rvec_dot(rvec_sub(at3(w->x + 6 * (size_t)far), own), link_of(sim, c, a, v, far).chord.e);
            const double strain = link_strain(stretch, inverse);
            if (v >= part->begin) volume[v] += c->near_weight * strain;
            if (far < part->end) volume[far] += c->far_weight * strain;
        }
    }
}

/* Stiffness of a link, or its damping. */
static inline link_damping_rates rates_of(const vxe_sim *sim, uint32_t link, const bool stiffness)
{
    const double l = sim->model->view.pitch;
    const link_class *c = &sim->model->classes[link - 1];
    const link_table *t = &sim->links[link - 1];
    return stiffness ? (link_damping_rates){c->ka, 0.25 * c->ks * l * l, c->kb, c->kt}
                     : (link_damping_rates){t->axial, t->shear, t->bending, t->torsion};
}

/* N: what a bond pulls with, or 0. */
static double bond_tension(const vxe_sim *sim, const sim_bond *b, double length)
{
    const double half = 0.5 * sim->model->view.pitch;
    const double rest = b->rest + half * (sim->growth[0][b->first] + sim->growth[0][b->second]);
    const double tension = link_axial_force(sim->model->classes[b->kind - 1].ka, length - rest);
    return tension > 0.0 ? tension : 0.0;
}

static void apply_bonds(const vxe_sim *sim, bound_kind kind, const float *x, float *y)
{
    for (int64_t i = 0; sim->life != NULL && i < sim->life->counts.bond_count; i++) {
        const sim_bond *b = &sim->life->bonds[i];
        const size_t own = 6 * (size_t)b->first;
        const size_t other = 6 * (size_t)b->second;
        const link_chord chord = chord_between(sim, b->first, b->second);
        const double tension = bond_tension(sim, b, chord.length) / chord.length;
        const bool stiffness = kind == BOUND_STIFFNESS;
        const bound_ends ends = {rvec_sub(at3(x + other), at3(x + own)), at3(x + own + 3),
                                 at3(x + other + 3)};
        const link_load load =
            bound_operate(chord, ends, rates_of(sim, b->kind, stiffness), 0.0, tension, stiffness);
        add_at3(y + own, load.force);
        add_at3(y + own + 3, rvec_scale(-1.0, load.near_moment));
        add_at3(y + other, rvec_scale(-1.0, load.force));
        add_at3(y + other + 3, rvec_scale(-1.0, load.far_moment));
    }
}

static void clear_part(vxe_sim *sim, const part_range *part, void *context)
{
    const bound_work *w = context;
    (void)sim;
    memset(w->y + 6 * (size_t)part->begin, 0, 6 * (size_t)(part->end - part->begin) * sizeof *w->y);
}

/* A x for the voxels of a part, and for each its term of x.A x: links in batches, then what they do in their
 * order. A voxel's links from smaller coordinates come before its own, so that its sums stay at hand. */
typedef struct bound_walk {
    const vxe_sim *sim;
    const part_range *part;
    const bound_work *work;
    int32_t voxel;      /* whose links are looked at */
    rvec force, moment; /* their sums */
    bound_batch batch;
} bound_walk;

static const rvec nothing = {0.0, 0.0, 0.0};

/* All voxels before this one have all their loads. */
static inline void walk_to(bound_walk *w, int32_t voxel)
{
    const float *x = w->work->x;
    float *y = w->work->y;
    for (; w->voxel < voxel; w->voxel++) {
        const size_t own = 6 * (size_t)w->voxel;
        if (w->voxel >= w->part->begin) {
            add_at3(y + own, w->force);
            add_at3(y + own + 3, w->moment);
            w->work->numbers[w->voxel] =
                rvec_dot(at3(x + own), at3(y + own)) + rvec_dot(at3(x + own + 3), at3(y + own + 3));
        }
        w->force = nothing;
        w->moment = nothing;
    }
}

static inline rvec batch_at(double a[3][BOUND_BATCH], int i) { return (rvec){a[0][i], a[1][i], a[2][i]}; }
static inline void put_at(double a[3][BOUND_BATCH], int i, rvec r)
{
    a[0][i] = r.x;
    a[1][i] = r.y;
    a[2][i] = r.z;
}

static void apply_batch(bound_walk *w, const bool stiffness)
{
    bound_batch *b = &w->batch;
    float *y = w->work->y;
    w->sim->host.contacts->operate(b, stiffness);
    for (int i = 0; i < b->count; i++) {
        if (b->near[i] != w->voxel) walk_to(w, b->near[i]);
        const rvec force = batch_at(b->force, i);
        w->force = rvec_add(w->force, force);
        w->moment = rvec_sub(w->moment, batch_at(b->near_moment, i));
        if (b->far[i] >= w->part->end) continue;
        float *other = y + 6 * (size_t)b->far[i];
        add_at3(other, rvec_scale(-1.0, force));
        add_at3(other + 3, rvec_scale(-1.0, batch_at(b->far_moment, i)));
    }
    b->count = 0;
}

static inline void batch_link(bound_walk *w, uint32_t link, int a, int32_t v, int32_t far,
                              const bool stiffness, const bool pressure)
{
    const vxe_sim *sim = w->sim;
    const double l = sim->model->view.pitch;
    const link_class *c = &sim->model->classes[link - 1];
    const double *pressures = sim->scratch[1];
    const float *own = w->work->x + 6 * (size_t)v;
    const float *other = w->work->x + 6 * (size_t)far;
    bound_batch *b = &w->batch;
    const int i = b->count++;
    const bound_link now = link_of(sim, c, a, v, far);
    const link_damping_rates rates = rates_of(sim, link, stiffness);
    put_at(b->e, i, now.chord.e);
    b->inverse[i] = now.chord.inverse;
    b->tension[i] = now.tension;
    b->pull[i] =
        pressure ? l * l * link_pressure_force(c->near_weight, pressures[v], c->far_weight, pressures[far])
                 : 0.0;
    b->rates[0][i] = rates.axial;
    b->rates[1][i] = rates.shear;
    b->rates[2][i] = rates.bending;
    b->rates[3][i] = rates.torsion;
    put_at(b->apart, i, rvec_sub(at3(other), at3(own)));
    put_at(b->near_turn, i, at3(own + 3));
    put_at(b->far_turn, i, at3(other + 3));
    b->near[i] = v;
    b->far[i] = far;
    if (b->count == BOUND_BATCH) apply_batch(w, stiffness);
}

static inline __attribute__((always_inline)) void apply_kind(const vxe_sim *sim, const part_range *part,
                                                             const bound_work *work, const bool stiffness,
                                                             const bool pressure)
{
    bound_walk w;
    memset(&w, 0, sizeof w); /* places of a batch that are not used are numbers, too */
    w.sim = sim;
    w.part = part;
    w.work = work;
    w.voxel = part->before;
    for (int32_t v = part->before; v < part->end; v++) {
        for (int a = 0; a < 3; a++) {
            const uint32_t link = sim->link_kind[a][v];
            if (link == 0) continue;
            const int32_t far = sim->model->next[a][v];
            if (v < part->begin && (far < part->begin || far >= part->end)) continue;
            batch_link(&w, link, a, v, far, stiffness, pressure);
        }
    }
    apply_batch(&w, stiffness);
    walk_to(&w, part->end);
}

static void apply_part(vxe_sim *sim, const part_range *part, void *context)
{
    const bound_work *w = context;
    if (w->kind == BOUND_DAMPING) {
        apply_kind(sim, part, w, false, false);
    } else if (sim->model->environment.elasticity == VXE_ELASTICITY_SOLID) {
        apply_kind(sim, part, w, true, true);
    } else {
        apply_kind(sim, part, w, true, false);
    }
}

/* y = A x with A the stiffness or the damping matrix; returns x.y. The operator of a link is link_damping(),
 * with tension and pressure; loads are minus the operator. */
static double apply(vxe_sim *sim, bound_kind kind, const float *x, float *y)
{
    bound_work work = {kind, x, y, sim->scratch[0]};
    sim->host.divide(sim, clear_part, &work);
    if (kind == BOUND_STIFFNESS && sim->model->environment.elasticity == VXE_ELASTICITY_SOLID) {
        sim->host.divide(sim, strain_part, &work);
        vxe_pressure_from_volume(sim, sim->scratch[0], sim->scratch[1]);
    }
    apply_bonds(sim, kind, x, y);
    sim->host.divide(sim, apply_part, &work);
    return sum_of(work.numbers, (size_t)sim->model->view.voxel_count);
}

/* Number of eigenvalues of a symmetric tridiagonal matrix that are larger than x (Sturm). */
static int count_above(const double *diagonal, const double *off, int size, double x)
{
    int count = 0;
    double q = 1.0;
    for (int i = 0; i < size; i++) {
        q = diagonal[i] - x - (i > 0 ? off[i - 1] * off[i - 1] / q : 0.0);
        if (q == 0.0) q = 1e-300;
        count += q > 0.0;
    }
    return count;
}

/* Largest eigenvalue plus the residual of its pair; `rest` is the norm of what was left after the last step.
 */
static double ritz_bound(const double *diagonal, const double *off, int size, double rest, double *residual)
{
    double high = 0.0;
    double low = diagonal[0];
    for (int i = 0; i < size; i++) {
        const double around = (i > 0 ? off[i - 1] : 0.0) + (i + 1 < size ? off[i] : 0.0);
        if (diagonal[i] + around > high) high = diagonal[i] + around;
        if (diagonal[i] > low) low = diagonal[i];
    }
    for (int i = 0; i < 60 && high > low; i++) {
        const double middle = 0.5 * (low + high);
        if (count_above(diagonal, off, size, middle) > 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    /* last component of the unit eigenvector, by the three-term recurrence */
    double before = 0.0;
    double now = 1.0;
    double square = 1.0;
    for (int i = 0; i + 1 < size; i++) {
        const double next = ((high - diagonal[i]) * now - (i > 0 ? off[i - 1] : 0.0) * before) / off[i];
        before = now;
        now = next;
        square += now * now;
    }
    *residual = rest * __builtin_sqrt(now * now / square);
    return high + (*residual > LANCZOS_MARGIN * high ? *residual : LANCZOS_MARGIN * high);
}

/* A repeatable number between -1 and 1. */
static double random_of(uint64_t i)
{
    i = (i + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    i = (i ^ (i >> 27)) * UINT64_C(0x94d049bb133111eb);
    i ^= i >> 31;
    return (double)(i >> 11) * (2.0 / 9007199254740992.0) - 1.0;
}

/* kg: of the first voxel that is there. */
static double unit_mass(const vxe_sim *sim)
{
    int32_t v = 0;
    while (v + 1 < sim->model->view.voxel_count && sim->material[v] == 0) v++;
    return sim->model->materials[sim->model->material[v]].mass;
}

/* A step of the Lanczos process. */
typedef struct lanczos_step {
    float *x, *y, *before;
    const double *link_sum;
    double unit; /* kg: keeps floats within their range */
    double ratio_max;
    double alpha, beta;
    float scale;
    double *terms;
} lanczos_step;

/* The first vector, as long as it comes: it starts where stiffness is large for the mass; nowhere zero. */
static void begin_part(vxe_sim *sim, const part_range *part, void *context)
{
    const lanczos_step *s = context;
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    const double root = __builtin_sqrt(s->unit);
    for (size_t v = (size_t)part->begin; v < (size_t)part->end; v++) {
        double own = 0.0;
        const material_constants *c = &m->materials[sim->material[v]];
        const double weight = 0.05 + vxe_bound_ratio(sim, (int32_t)v, s->link_sum) / s->ratio_max;
        for (size_t d = 0; d < 6; d++) {
            const size_t i = 6 * v + d;
            const bool free = sim->material[v] != 0 && (vxe_bound_fixed(m, (int32_t)v) >> d & 1) == 0;
            const double part_of = free ? weight * random_of(d * n + v) : 0.0;
            s->x[i] = (float)(part_of * root * (d < 3 ? c->root_mass : c->root_inertia));
            own += part_of * part_of;
        }
        s->terms[v] = own;
    }
}

static void start_part(vxe_sim *sim, const part_range *part, void *context)
{
    const lanczos_step *s = context;
    (void)sim;
    for (size_t i = 6 * (size_t)part->begin; i < 6 * (size_t)part->end; i++) {
        s->x[i] *= s->scale;
        s->before[i] = 0.0F;
    }
}

/* What is left of M^-1 A x without what it has of the last two vectors. */
static void rest_part(vxe_sim *sim, const part_range *part, void *context)
{
    const lanczos_step *s = context;
    const vxe_model *m = sim->model;
    for (size_t v = (size_t)part->begin; v < (size_t)part->end; v++) {
        const material_constants *c = &m->materials[sim->material[v]];
        const double masses[2] = {c->mass / s->unit, c->inertia / s->unit};
        const double inverse[2] = {c->root_mass * c->root_mass, c->root_inertia * c->root_inertia};
        const uint8_t fixed = vxe_bound_fixed(m, (int32_t)v);
        double sums[2] = {0.0, 0.0};
        for (size_t d = 0; d < 6; d++) {
            const size_t i = 6 * v + d;
            const double free = (fixed >> d & 1) == 0 ? inverse[d / 3] : 0.0;
            const double left =
                free * (double)s->y[i] - (s->alpha * (double)s->x[i] + s->beta * (double)s->before[i]);
            s->y[i] = (float)left;
            sums[d / 3] += left * left;
        }
        s->terms[v] = masses[0] * sums[0] + masses[1] * sums[1];
    }
}

static void scale_part(vxe_sim *sim, const part_range *part, void *context)
{
    const lanczos_step *s = context;
    (void)sim;
    for (size_t i = 6 * (size_t)part->begin; i < 6 * (size_t)part->end; i++) s->y[i] *= s->scale;
}

double vxe_bound_of(vxe_sim *sim, bound_kind kind, const double *link_sum, double ratio_max, double enough,
                    double more)
{
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    lanczos_step s = {.x = sim->bound[0],
                      .y = sim->bound[1],
                      .before = sim->bound[2],
                      .link_sum = link_sum,
                      .unit = unit_mass(sim),
                      .ratio_max = ratio_max,
                      .terms = sim->scratch[0]};
    double diagonal[LANCZOS_STEPS];
    double off[LANCZOS_STEPS];
    sim->host.divide(sim, begin_part, &s);
    const double square = sum_of(s.terms, n);
    if (square <= 0.0) return 0.0;
    s.scale = (float)(1.0 / __builtin_sqrt(square));
    sim->host.divide(sim, start_part, &s);
    double rest = 0.0;
    double bound = 0.0;
    int steps = 0;
    while (steps < LANCZOS_STEPS) {
        s.alpha = apply(sim, kind, s.x, s.y) / s.unit;
        s.beta = steps > 0 ? off[steps - 1] : 0.0;
        sim->host.divide(sim, rest_part, &s);
        diagonal[steps] = s.alpha;
        rest = __builtin_sqrt(sum_of(s.terms, n));
        off[steps] = rest;
        steps++;
        if (!(rest > 1e-5 * (s.alpha < 0.0 ? -s.alpha : s.alpha) + 1e-300)) {
            rest = 0.0;
            break;
        }
        /* eigenvalues of the small matrix are never above the largest of the large one */
        if (count_above(diagonal, off, steps, more) > 0) return more;
        double residual = 0.0;
        if (steps >= LANCZOS_FIRST && steps % 2 == 0) {
            bound = ritz_bound(diagonal, off, steps, rest, &residual);
            if (residual < (m->view.voxel_count < BOUND_LARGE ? 0.01 : 0.03) * bound) return bound;
            if ((1.0 + LANCZOS_DRIFT) * bound < enough) return bound;
        }
        s.scale = (float)(1.0 / rest);
        sim->host.divide(sim, scale_part, &s);
        float *next = s.before; /* its numbers are not needed any more */
        s.before = s.x;
        s.x = s.y;
        s.y = next;
    }
    double residual = 0.0;
    return ritz_bound(diagonal, off, steps, rest, &residual);
}

/* Sums the rates of the links of a part's voxels. */
static void survey_part(vxe_sim *sim, const part_range *part, void *context)
{
    double *link_sum = context;
    const vxe_model *m = sim->model;
    memset(link_sum + part->begin, 0, (size_t)(part->end - part->begin) * sizeof *link_sum);
    for (int a = 0; a < 3; a++) {
        for (int32_t v = part->before; v < part->end; v++) {
            const uint32_t link = sim->link_kind[a][v];
            if (link == 0) continue;
            const int32_t far = m->next[a][v];
            if (v < part->begin && (far < part->begin || far >= part->end)) continue;
            const link_class *c = &m->classes[link - 1];
            const bound_link now = link_of(sim, c, a, v, far);
            const link_table *t = &sim->links[link - 1];
            const double k = link_rate(now.chord, now.tension * now.chord.length, t->rate, t->rate_across);
            if (v >= part->begin) link_sum[v] += k;
            if (far < part->end) link_sum[far] += k;
        }
    }
}

void vxe_bound_survey(vxe_sim *sim, double *link_sum)
{
    sim->host.divide(sim, survey_part, link_sum);
    for (int64_t i = 0; sim->life != NULL && i < sim->life->counts.bond_count; i++) {
        const sim_bond *b = &sim->life->bonds[i];
        const link_chord chord = chord_between(sim, b->first, b->second);
        const link_table *t = &sim->links[b->kind - 1];
        const double k = link_rate(chord, bond_tension(sim, b, chord.length), t->rate, t->rate_across);
        link_sum[b->first] += k;
        link_sum[b->second] += k;
    }
}
