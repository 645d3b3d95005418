/* What a block of voxels measures of its motion: energies, losses, rates. plain_motion.h, VXE_LANES voxels at
 * a time. */
#ifndef BACKEND_CPU_WIDE_ACCOUNT_H
#define BACKEND_CPU_WIDE_ACCOUNT_H

#include "backend/cpu/wide_links.h"
#include "kernel/voxel.h"

/* A block between two steps: voxel_motion of plain_motion.h, lane by lane. */
typedef struct block_motion {
    rvec v0, w0, v1, w1, load, moment;
    real rate; /* N/m: link_sum */
    rvec kept_force, kept_moment;
    rvec free_velocity, free_spin, lost_force, lost_moment;
} block_motion;

/* ---- what is held --------------------------------------------------------------------------------------------------- */

ALWAYS int32_t end_of_block(const sweep *w, int32_t begin)
{
    const int32_t n = w->sim->model->view.voxel_count;
    return begin + VXE_LANES < n ? begin + VXE_LANES : n;
}

/* Which degrees of freedom of the voxels of a block are held, VXE_DOF_X and so on. */
ALWAYS real_mask held_lanes(const sweep *w, int32_t begin)
{
    typedef uint8_t bytes __attribute__((vector_size(VXE_LANES)));
    bytes fixed = {0};
    const uint8_t *from = w->sim->model->fixed + begin;
    const int32_t count = end_of_block(w, begin) - begin;
    if (LIKELY(count == VXE_LANES)) {
        memcpy(&fixed, from, VXE_LANES);
    } else {
        memcpy(&fixed, from, (size_t)count);
    }
    return __builtin_convertvector(fixed, real_mask);
}
ALWAYS real_mask holds(real_mask fixed, int dof) { return (fixed & (real_bits)dof) != 0; }

/* Held degrees of freedom go on as they did. */
ALWAYS rvec held_vec(real_mask fixed, const int first, rvec before, rvec after)
{
    return (rvec){real_select(holds(fixed, first), before.x, after.x),
                  real_select(holds(fixed, first << 1), before.y, after.y),
                  real_select(holds(fixed, first << 2), before.z, after.z)};
}

/* ---- the account ---------------------------------------------------------------------------------------------------- */

/* Energies are summed in double: of two halves of a block in single precision. */
#ifdef VXE_REAL_IS_FLOAT
typedef half_real audit_lanes;
ALWAYS void store_audit(double *a, audit_lanes r) { store_half(a, r); }
ALWAYS audit_lanes load_audit(const double *a) { return load_half(a); }
#else
typedef real audit_lanes;
ALWAYS void store_audit(double *a, audit_lanes r) { store_lanes(a, r); }
ALWAYS audit_lanes load_audit(const double *a) { return load_lanes(a); }
#endif

/* Six components of velocities or loads, and two masses. */
typedef struct audit_motion {
    audit_lanes before[6], after[6], kept[6], masses[2];
} audit_motion;

/* audit_voxel() of plain_motion.h, of voxels that do not touch the floor. */
ALWAYS void audit_part(const sweep *w, int32_t begin, const audit_motion *b)
{
    const vxe_sim *sim = w->sim;
    const double *gravity = sim->environment.gravity;
    const double half = 0.5 * w->context->step;
    const double change = 0.25 * (w->context->before - w->context->step);
    const audit_lanes zero = {0};
    audit_lanes shift = zero;
    audit_lanes kinetic = zero;
    audit_lanes ahead = zero;
    for (int d = 0; d < 6; d++) {
        const audit_lanes after = b->after[d];
        kinetic = kinetic + 0.5 * b->masses[d / 3] * after * after;
        ahead = ahead + half * after * (d < 3 ? b->kept[d] - b->masses[0] * gravity[d] : b->kept[d]);
        shift = shift + change * b->kept[d] * (after - b->before[d]);
    }
    audit_lanes lifted = zero;
    for (int a = 0; a < 3; a++) {
        lifted = lifted + b->masses[0] * gravity[a] *
                              (load_audit(sim->position[a] + begin) + half * b->after[a] -
                               load_audit(sim->model->start[a] + begin));
    }
    double *const *terms = sim->cpu->terms;
    store_audit(terms[SUM_kinetic] + begin, kinetic);
    store_audit(terms[SUM_ahead] + begin, ahead);
    store_audit(terms[SUM_shift] + begin, shift);
    store_audit(terms[SUM_gravity] + begin, -lifted);
    store_audit(terms[SUM_contact] + begin, zero);
}

/* The energies of a block. Seldom: not worth registers. */
static __attribute__((noinline)) void measure_block(const sweep *w, int32_t begin, const real before[6],
                                                    const real after[6], const real kept[6],
                                                    const real masses[2])
{
    audit_motion low;
#ifdef VXE_REAL_IS_FLOAT
    audit_motion high;
    for (int d = 0; d < 6; d++) {
        low.before[d] = widen(before[d]).low;
        high.before[d] = widen(before[d]).high;
        low.after[d] = widen(after[d]).low;
        high.after[d] = widen(after[d]).high;
        low.kept[d] = widen(kept[d]).low;
        high.kept[d] = widen(kept[d]).high;
    }
    for (int d = 0; d < 2; d++) {
        low.masses[d] = widen(masses[d]).low;
        high.masses[d] = widen(masses[d]).high;
    }
    audit_part(w, begin + VXE_LANES / 2, &high);
#else
    memcpy(low.before, before, sizeof low.before);
    memcpy(low.after, after, sizeof low.after);
    memcpy(low.kept, kept, sizeof low.kept);
    memcpy(low.masses, masses, sizeof low.masses);
#endif
    audit_part(w, begin, &low);
}

/* What of the motion of a block takes energy. */
typedef enum block_losses {
    LOSES_LOAD = 1,    /* damping links: `lost_force` */
    LOSES_VELOCITY = 2 /* what else changed velocities: `free_velocity` */
} block_losses;

/* A component of lost_by_voxel() of plain_motion.h. */
ALWAYS real lost_along(real before, real after, real free, real lost, real mass, real kick, unsigned losses)
{
    const real sum = before + after;
    if ((losses & LOSES_VELOCITY) == 0) return sum * (kick * lost);
    const real taken = mass * (after - free);
    return sum * ((losses & LOSES_LOAD) != 0 ? taken + kick * lost : taken);
}

ALWAYS void book_block(const sweep *w, int32_t begin, const block_motion *b, rvec v1, rvec w1,
                       const VXE_REAL *c, double dt, const wide_audit audit, const unsigned losses)
{
    const real mass = constant_of(c, WIDE_MASS);
    const real inertia = constant_of(c, WIDE_INERTIA);
    const real kick = real_of(dt);
    real sum = lost_along(b->v0.x, v1.x, b->free_velocity.x, b->lost_force.x, mass, kick, losses);
    sum = sum + lost_along(b->v0.y, v1.y, b->free_velocity.y, b->lost_force.y, mass, kick, losses);
    sum = sum + lost_along(b->v0.z, v1.z, b->free_velocity.z, b->lost_force.z, mass, kick, losses);
    sum = sum + lost_along(b->w0.x, w1.x, b->free_spin.x, b->lost_moment.x, inertia, kick, losses);
    sum = sum + lost_along(b->w0.y, w1.y, b->free_spin.y, b->lost_moment.y, inertia, kick, losses);
    sum = sum + lost_along(b->w0.z, w1.z, b->free_spin.z, b->lost_moment.z, inertia, kick, losses);
    store_double(w->sim->cpu->terms[SUM_lost_work] + begin, widen(real_of(0.5) * sum));
    if (audit != AUDIT_MEASURE) return;
    const real before[6] = {b->v0.x, b->v0.y, b->v0.z, b->w0.x, b->w0.y, b->w0.z};
    const real after[6] = {v1.x, v1.y, v1.z, w1.x, w1.y, w1.z};
    const real kept[6] = {b->kept_force.x,  b->kept_force.y,  b->kept_force.z,
                          b->kept_moment.x, b->kept_moment.y, b->kept_moment.z};
    const real masses[2] = {mass, inertia};
    measure_block(w, begin, before, after, kept, masses);
}

/* Largest rate of each material; runs of blocks of one material share a vector. */
typedef struct block_rates {
    uint32_t material;
    real most;
} block_rates;

static void keep_rates(const sweep *w, uint32_t material, const VXE_REAL most[VXE_LANES])
{
    for (int i = 0; i < VXE_LANES; i++) {
        const double rate = (double)most[i];
        if (material != 0 && rate > w->part->rates[material]) w->part->rates[material] = rate;
    }
}

static void keep_mixed_rates(const sweep *w, const uint32_t *materials, const VXE_REAL rate[VXE_LANES])
{
    for (int i = 0; i < VXE_LANES; i++) {
        if ((double)rate[i] > w->part->rates[materials[i]]) w->part->rates[materials[i]] = (double)rate[i];
    }
}

ALWAYS void flush_rates(const sweep *w, block_rates *r)
{
    VXE_REAL most[VXE_LANES];
    store_lanes(most, r->most);
    keep_rates(w, r->material, most);
    r->material = 0;
    r->most = real_of(0);
}

ALWAYS void note_rates(const sweep *w, int32_t i, real rate, block_rates *r)
{
    const uint32_t *materials = w->plan->voxel_patterns.members + (size_t)w->plan->materials[i] * VXE_LANES;
    if (w->plan->kind[i] == WIDE_UNIFORM) {
        if (UNLIKELY(materials[0] != r->material)) {
            flush_rates(w, r);
            r->material = materials[0];
        }
        r->most = real_max(rate, r->most);
        return;
    }
    VXE_REAL all[VXE_LANES];
    store_lanes(all, rate);
    keep_mixed_rates(w, materials, all);
}

/* Everything a block's motion leaves for the end of its chunk. */
typedef struct block_measures {
    real speed2_max;
    uint32_t bad; /* lanes where something is wrong */
    block_rates rates;
} block_measures;

/* What other stages have put on a block before its links do, and what bonds have of the account. */
ALWAYS block_sums loads_before(const sweep *w, int32_t begin, const wide_audit audit, const bool lossy,
                               wide_double *conjugate)
{
    const native_state *s = w->s;
    block_sums t = no_sums();
    *conjugate = widen(real_of(0));
    if (UNLIKELY(w->loaded)) {
        t.force = load_vec(s->force[0] + begin, s->stride);
        t.moment = load_vec(s->moment[0] + begin, s->stride);
        t.rate = load_lanes(s->link_sum[0] + begin);
    }
    if (audit != AUDIT_NONE && UNLIKELY(w->context->bonded)) {
        if (w->actuated) *conjugate = load_double(w->sim->conjugate[0] + begin);
        if (lossy) t.lost_force = load_vec(s->lost_force[0] + begin, s->stride);
        if (lossy) t.lost_moment = load_vec(s->lost_moment[0] + begin, s->stride);
    }
    return t;
}

#endif
