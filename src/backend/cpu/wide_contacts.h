/* Contacts of the wide backends: VXE_LANES pairs that touch at a time. They are anywhere, so their state is
 * brought together lane by lane, and their loads are added one pair after the other, in the order of the
 * list, as the plain backend does. Included by wide_loops.h. */
#ifndef BACKEND_CPU_WIDE_CONTACTS_H
#define BACKEND_CPU_WIDE_CONTACTS_H

#include "backend/cpu/pairs.h"
#include "backend/cpu/wide_lanes.h"

/* Numbers at VXE_LANES places, made in registers: written to memory one by one and read as a vector they
 * would have to wait for each other. */
#if VXE_LANES == 2
#define LANES_AT(a, i) ((real){(a)[(i)[0]], (a)[(i)[1]]})
#elif VXE_LANES == 4
#define LANES_AT(a, i) ((real){(a)[(i)[0]], (a)[(i)[1]], (a)[(i)[2]], (a)[(i)[3]]})
#elif VXE_LANES == 8
#define LANES_AT(a, i)                                                                                       \
    ((real){(a)[(i)[0]], (a)[(i)[1]], (a)[(i)[2]], (a)[(i)[3]], (a)[(i)[4]], (a)[(i)[5]], (a)[(i)[6]],       \
            (a)[(i)[7]]})
#else
#define LANES_AT(a, i)                                                                                       \
    ((real){(a)[(i)[0]], (a)[(i)[1]], (a)[(i)[2]], (a)[(i)[3]], (a)[(i)[4]], (a)[(i)[5]], (a)[(i)[6]],       \
            (a)[(i)[7]], (a)[(i)[8]], (a)[(i)[9]], (a)[(i)[10]], (a)[(i)[11]], (a)[(i)[12]], (a)[(i)[13]],   \
            (a)[(i)[14]], (a)[(i)[15]]})
#endif

/* The state of some pairs. */
typedef struct contact_lanes {
    rvec d;
    contact_motion motion;
    rvec stick;
    real_mask stuck;
    real reach, share;
    VXE_REAL constants[PAIR_CONSTANTS][VXE_LANES];
    int32_t first[VXE_LANES], second[VXE_LANES];
} contact_lanes;

/* What contacts do, lane by lane. */
typedef struct pair_loads {
    VXE_REAL stick[3][VXE_LANES];
    real_bits stuck[VXE_LANES];
    VXE_REAL force[3][VXE_LANES], moment1[3][VXE_LANES], moment2[3][VXE_LANES];
    VXE_REAL lost[3][VXE_LANES], lost_moment1[3][VXE_LANES],
        lost_moment2[3][VXE_LANES];                                     /* with the account */
    VXE_REAL energy[VXE_LANES], slipped[VXE_LANES], squeeze[VXE_LANES]; /* likewise */
} pair_loads;

/* What does not change from pair to pair. */
typedef struct pair_work {
    vxe_sim *sim;
    const native_state *s;
    bool one_material;
    bool actuated;
    bool keep; /* somebody can look at contact forces after this step */
    double dt;
    double energy, slipped; /* J; sums so far */
} pair_work;

ALWAYS rvec vec_at(VXE_REAL *const a[3], const int32_t i[VXE_LANES])
{
    return (rvec){LANES_AT(a[0], i), LANES_AT(a[1], i), LANES_AT(a[2], i)};
}

/* The pairs from number k on of those that touch. */
static void gather_pairs(const pair_work *w, int64_t k, contact_lanes *p)
{
    const vxe_sim *sim = w->sim;
    const native_state *s = w->s;
    const collider *c = sim->collider;
    const int64_t last = c->touching_count - 1;
    const double half = half_reach(sim);
    VXE_REAL d[3][VXE_LANES];
    VXE_REAL stick[3][VXE_LANES];
    VXE_REAL reach[VXE_LANES];
    VXE_REAL share[VXE_LANES];
    for (int j = 0; j < VXE_LANES; j++) {
        const int64_t i = k + j < last ? k + j : last; /* idle lanes repeat the last pair */
        const touching_pair *pair = &c->touching_pairs[i];
        const contact_state *state = &c->list.state[c->touching[i]];
        const int32_t v = pair->first;
        const int32_t far = pair->second;
        p->first[j] = v;
        p->second[j] = far;
        p->stuck[j] = state->stuck != 0 ? -1 : 0;
        for (int a = 0; a < 3; a++) {
            d[a][j] = (VXE_REAL)pair->offset[a];
            stick[a][j] = (VXE_REAL)state->stick[a];
        }
        if (w->actuated) {
            const double size1 = 1.0 + sim->growth[0][v];
            const double size2 = 1.0 + sim->growth[0][far];
            reach[j] = (VXE_REAL)(half * (size1 + size2));
            share[j] = (VXE_REAL)(size1 / (size1 + size2));
        }
        if (!w->one_material) {
            VXE_REAL room[PAIR_CONSTANTS];
            const VXE_REAL *constants = pair_constants(sim, v, far, room);
            for (int n = 0; n < PAIR_CONSTANTS; n++) p->constants[n][j] = constants[n];
        }
    }
    p->motion.v1 = vec_at(s->velocity, p->first);
    p->motion.w1 = vec_at(s->spin, p->first);
    p->motion.v2 = vec_at(s->velocity, p->second);
    p->motion.w2 = vec_at(s->spin, p->second);
    p->d = (rvec){load_lanes(d[0]), load_lanes(d[1]), load_lanes(d[2])};
    p->stick = (rvec){load_lanes(stick[0]), load_lanes(stick[1]), load_lanes(stick[2])};
    if (w->actuated) {
        p->reach = load_lanes(reach);
        p->share = load_lanes(share);
    }
}

ALWAYS void lanes_to(VXE_REAL numbers[3][VXE_LANES], rvec r)
{
    store_lanes(numbers[0], r.x);
    store_lanes(numbers[1], r.y);
    store_lanes(numbers[2], r.z);
}

/* Forces of all lanes. */
static void compute_pairs(const contact_lanes *p, double dt, bool audit, pair_loads *loads)
{
    real c[PAIR_CONSTANTS];
    for (int k = 0; k < PAIR_CONSTANTS; k++) c[k] = load_lanes(p->constants[k]);
    const contact_constants constants = {
        c[PAIR_STIFFNESS],       c[PAIR_DAMPING],          c[PAIR_TANGENT], c[PAIR_TANGENT_DAMPING],
        c[PAIR_STATIC_FRICTION], c[PAIR_DYNAMIC_FRICTION], c[PAIR_STOP],    c[PAIR_SLACK]};
    const contact_result r =
        contact_forces(p->d, p->reach, p->share, p->motion, p->stick, p->stuck, constants, real_of(dt));
    memcpy(loads->stuck, &r.stuck, sizeof loads->stuck);
    lanes_to(loads->stick, r.stick);
    lanes_to(loads->force, r.force);
    lanes_to(loads->moment1, r.moment1);
    lanes_to(loads->moment2, r.moment2);
    if (!audit) return;
    lanes_to(loads->lost, rvec_sub(r.force, r.spring));
    lanes_to(loads->lost_moment1, rvec_sub(r.moment1, r.moment1_spring));
    lanes_to(loads->lost_moment2, rvec_sub(r.moment2, r.moment2_spring));
    store_lanes(loads->energy, r.energy);
    store_lanes(loads->slipped, r.slipped);
    store_lanes(loads->squeeze, r.squeeze);
}

/* The account of one pair. */
static void audit_pair(pair_work *w, int32_t v, int32_t far, const pair_loads *loads, int j)
{
    vxe_sim *sim = w->sim;
    const native_state *s = w->s;
    const double half = half_reach(sim);
    w->energy += (double)loads->energy[j];
    w->slipped += (double)loads->slipped[j];
    for (int a = 0; a < 3; a++) {
        s->lost_force[a][v] -= loads->lost[a][j];
        s->lost_force[a][far] += loads->lost[a][j];
        s->lost_moment[a][v] += loads->lost_moment1[a][j];
        s->lost_moment[a][far] += loads->lost_moment2[a][j];
    }
    sim->conjugate[0][v] += half * (double)loads->squeeze[j];
    sim->conjugate[0][far] += half * (double)loads->squeeze[j];
}

static void add_pairs(pair_work *w, int64_t k, const contact_lanes *p, const pair_loads *loads)
{
    vxe_sim *sim = w->sim;
    const collider *c = sim->collider;
    const native_state *s = w->s;
    const bool audit = sim->def.audit;
    for (int j = 0; j < VXE_LANES && k + j < c->touching_count; j++) {
        const int32_t v = p->first[j];
        const int32_t far = p->second[j];
        contact_state *state = &c->list.state[c->touching[k + j]];
        if (UNLIKELY(state->touching == 0))
            sim->last.uncertain += uncertain_of_pair(sim, v, far, p->constants[PAIR_STIFFNESS][j], w->dt);
        *state = (contact_state){
            {(double)loads->stick[0][j], (double)loads->stick[1][j], (double)loads->stick[2][j]},
            loads->stuck[j] != 0,
            1};
        for (int a = 0; a < 3; a++) {
            const VXE_REAL force = loads->force[a][j];
            s->force[a][v] -= force;
            s->force[a][far] += force;
            s->moment[a][v] += loads->moment1[a][j];
            s->moment[a][far] += loads->moment2[a][j];
            if (!w->keep) continue;
            sim->contact_force[a][v] -= (double)force;
            sim->contact_force[a][far] += (double)force;
        }
        if (audit) audit_pair(w, v, far, loads, j);
    }
}

static void wide_contacts(vxe_sim *sim, double dt)
{
    const collider *c = sim->collider;
    if (c == NULL) return;
    end_contacts(sim, dt);
    if (c->touching_count == 0) return;
    const native_state *s = sim->native;
    pair_work w = {.sim = sim,
                   .s = s,
                   .one_material = sim->model->constant_count == 1,
                   .actuated = sim->model->actuated_count > 0,
                   .keep = sim->keep_loads,
                   .dt = dt};
    contact_lanes lanes[2];
    pair_loads loads;
    VXE_REAL room[PAIR_CONSTANTS];
    const int32_t any = c->touching_pairs[0].first;
    const VXE_REAL *constants = pair_constants(sim, any, any, room);
    for (int i = 0; i < 2; i++) { /* what is not gathered */
        lanes[i].reach = real_of(2.0 * half_reach(sim));
        lanes[i].share = real_of(0.5);
        for (int k = 0; k < PAIR_CONSTANTS; k++) store_lanes(lanes[i].constants[k], (real){0} + constants[k]);
    }
    gather_pairs(&w, 0, &lanes[0]);
    for (int64_t k = 0, i = 0; k < c->touching_count; k += VXE_LANES, i = !i) {
        /* the next ones come from far away while these are computed */
        const int64_t next = k + VXE_LANES;
        if (next < c->touching_count) gather_pairs(&w, next, &lanes[!i]);
        compute_pairs(&lanes[i], dt, sim->def.audit, &loads);
        add_pairs(&w, k, &lanes[i], &loads);
    }
    sim->last.pair_contacts = c->touching_count;
    sim->last.contact += w.energy;
    sim->last.plastic += w.slipped;
}

#endif
