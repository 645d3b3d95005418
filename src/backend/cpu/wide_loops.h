/* The wide backend: VXE_LANES consecutive voxels at a time, included by one file per instruction set and
 * precision, which defines VXE_REAL, VXE_LANES, WIDE_BACKEND, WIDE_NAME, WIDE_BASE and WIDE_PLAIN.
 *
 * Every lane does what the plain backend does for its voxel, in the same order, with IEEE operations only:
 * the results have the same bits. A block takes its links towards +z, +y and +x; their far ends come later in
 * the lattice's order, so their state is still the old one, and its own links from smaller coordinates are
 * already done: after its three links a block has its whole load and is moved at once, in place. Loads of the
 * far ends along z and y are added to their arrays; those along x belong to the next lane and stay in
 * registers. */
#include "backend/cpu/share_loops.h"
#include "backend/cpu/wide_bundles.h"
#include "backend/cpu/wide_heads.h"
#include "backend/cpu/wide_lists.h"
#include "backend/cpu/wide_motion.h"
#include "backend/cpu/wide_rest.h"

/* ---- the sweep ------------------------------------------------------------------------------------------------------ */

/* The whole load of a block: what was in the arrays, what comes over from the lane before, and its own links.
 */
ALWAYS block_sums total_of(const sweep *w, const sweep_kind kind, int32_t i, ring_place y, ring_place z,
                           const block_sums *carry, const block_sums *out, const block_sums *near)
{
    const wide_audit audit = kind.audit;
    const bool rated = kind.rated;
    const bool implicit = kind.implicit;
    const int32_t begin = i * VXE_LANES;
    double *conjugates = audit != AUDIT_NONE ? w->sim->conjugate[0] + begin : NULL;
    wide_double conjugate;
    block_sums t = loads_before(w, begin, audit, !implicit, &conjugate);
    pull_loads(w, i, 2, audit, rated, implicit, z, &t, &conjugate);
    pull_loads(w, i, 1, audit, rated, implicit, y, &t, &conjugate);
    block_sums own = no_sums();
    add_near(w, i, 2, audit, rated, implicit, z, &own);
    add_near(w, i, 1, audit, rated, implicit, y, &own);
    t.force =
        rvec_add(rvec_add(t.force, shift_vec(carry->force, out->force)), rvec_sub(own.force, out->force));
    t.moment = rvec_add(rvec_add(t.moment, shift_vec(carry->moment, out->moment)),
                        rvec_add(own.moment, out->near_moment));
    if (rated) t.rate = t.rate + SHIFT_IN(carry->rate, out->rate) + (own.rate + out->rate);
    if (audit == AUDIT_NONE) return t;
    if (w->actuated) {
        conjugate = add_double(conjugate, widen(SHIFT_IN(carry->conjugate, out->conjugate)));
        store_double(conjugates, add_double(conjugate, widen(own.conjugate + out->conjugate)));
    }
    if (!implicit) {
        t.lost_force = rvec_add(rvec_add(t.lost_force, shift_vec(carry->lost_force, out->lost_force)),
                                rvec_sub(own.lost_force, out->lost_force));
        t.lost_moment = rvec_add(rvec_add(t.lost_moment, shift_vec(carry->lost_moment, out->lost_moment)),
                                 rvec_add(own.lost_moment, out->lost_near));
    }
    if (audit == AUDIT_MEASURE) store_double(w->sim->cpu->terms[SUM_elastic] + begin, widen(near->elastic));
    return t;
}

/* The links that begin in a block. */
ALWAYS void links_of_block(const sweep *w, const sweep_kind kind, int32_t i, const ring_place *y,
                           const ring_place *z, block_extremes *extremes, block_sums *near, block_sums *out,
                           step_measures *sums)
{
    const block_chord c2 = begin_axis(w, i, 2);
    fetch_ahead(w, c2.far);
    const block_chord c1 = begin_axis(w, i, 1);
    const block_chord c0 = begin_axis(w, i, 0);
    note_extremes(w, i, 2, c2, extremes);
    note_extremes(w, i, 1, c1, extremes);
    note_extremes(w, i, 0, c0, extremes);
    const rquat q = load_quat(w->state + i * VXE_LANES, w->stride);
    const rvec half2 = rquat_half_axis(q, 2);
    const rvec half1 = rquat_half_axis(q, 1);
    const rvec half0 = rquat_half_axis(q, 0);
    COMPUTE_NOW_VEC(half1);
    COMPUTE_NOW_VEC(half0);
    links_of_axis(w, kind, i, 2, c2, half2, (link_target){z, NULL, &near->elastic, sums});
    links_of_axis(w, kind, i, 1, c1, half1, (link_target){y, NULL, &near->elastic, sums});
    links_of_axis(w, kind, i, 0, c0, half0, (link_target){NULL, out, &near->elastic, sums});
    close_ring(*y, ring_arrays(kind.audit, kind.implicit));
    close_ring(*z, ring_arrays(kind.audit, kind.implicit));
}

/* The first blocks of a part, which wait for links of the part before. There are few: one copy of the code
 * serves all kinds of sweeps. */
static __attribute__((noinline)) void sweep_heads(const sweep *w, block_sums *carry)
{
    const sweep_kind kind = {w->audit, w->rated, w->implicit, w->solid};
    ring_place y = begin_ring(w, 1);
    ring_place z = begin_ring(w, 2);
    for (int32_t begin = w->part->begin; begin < w->part->head; begin += VXE_LANES) {
        step_measures *sums = &w->sim->measures[begin / CHUNK];
        block_extremes extremes = {real_of(sums->length_min), real_of(0)};
        head_block block = {begin / VXE_LANES, y, z, *carry, no_sums(), no_sums()};
        links_of_block(w, kind, block.i, &y, &z, &extremes, &block.near, &block.out, sums);
        keep_extremes(&extremes, sums);
        keep_head(w, &block);
        *carry = block.out;
        advance_ring(&y);
        advance_ring(&z);
    }
}

/* What of the links of the block before is for the first lane, one by one: with the whole at once compilers
 * keep it in memory. */
ALWAYS block_sums copy_of(const block_sums *from, const sweep_kind kind)
{
    block_sums t = no_sums();
    t.force = from->force;
    t.moment = from->moment;
    if (kind.rated) t.rate = from->rate;
    if (kind.audit == AUDIT_NONE) return t;
    t.conjugate = from->conjugate;
    if (kind.implicit) return t;
    t.lost_force = from->lost_force;
    t.lost_moment = from->lost_moment;
    return t;
}

/* Where contacts come between velocities and poses: loads come through their arrays, so that the loops over
 * all blocks keep their registers. */
static __attribute__((noinline)) void kick_stored(const sweep *w, int32_t i, double dt)
{
    const block_sums total = stored_total(w, i * VXE_LANES, w->audit);
    kick_block(w, i, dt, &total, w->audit);
}

#if ONE_COPY /* for all kinds of sweeps */
#define ONE_OR_MANY static __attribute__((noinline))
#else
#define ONE_OR_MANY ALWAYS
#endif
ONE_OR_MANY void sweep_blocks(const sweep *w, double dt, const sweep_kind kind)
{
    vxe_sim *sim = w->sim;
    const wide_audit audit = kind.audit;
    const int32_t end = w->to;
    const int32_t head = w->from > w->part->head ? w->from : w->part->head;
    block_sums carry = no_sums();
    if (kind.implicit && w->carried != NULL && w->from > w->part->begin) carry = copy_of(w->carried, kind);
    ring_place y = begin_ring(w, 1);
    ring_place z = begin_ring(w, 2);
    if (head > w->part->begin) {
        if (w->from == w->part->begin) {
            block_sums last = no_sums();
            sweep_heads(w, &last);
            carry = copy_of(&last, kind);
        }
        y.at = (head - w->part->begin) % y.size;
        z.at = (head - w->part->begin) % z.size;
    }
    for (int32_t from = head; from < end; from = (from / CHUNK + 1) * CHUNK) {
        const int32_t chunk = from / CHUNK;
        step_measures *sums = &sim->measures[chunk];
        block_extremes extremes = {real_of(sums->length_min), real_of(0)};
        block_measures measures = no_measures();
        const int32_t stop = (chunk + 1) * CHUNK < end ? (chunk + 1) * CHUNK : end;
        for (int32_t begin = from; begin < stop; begin += VXE_LANES) {
            const int32_t i = begin / VXE_LANES;
            block_sums near = no_sums();
            block_sums out;
            links_of_block(w, kind, i, &y, &z, &extremes, &near, &out, sums);
            const block_sums total = total_of(w, kind, i, y, z, &carry, &out, &near);
            carry = out;
            advance_ring(&y);
            advance_ring(&z);
            if (UNLIKELY(begin < w->moved_later || w->rest != NULL)) {
                if (block_rests(w, i)) {
                    kick_resting(w, i, dt, sums);
                    continue;
                }
                if (begin < w->moved_later) {
                    store_total(w, begin, &total, audit);
                    kick_stored(w, i, dt);
                    continue;
                }
            }
            if (kind.implicit) {
                kick_block(w, i, dt, &total, audit);
            } else {
                move_block(w, i, dt, &total, audit, kind.rated, &measures, sums);
            }
        }
        const block_extremes found = extremes;
        keep_extremes(&found, sums);
        close_measures(w, &measures, sums);
    }
    if (kind.implicit && w->carried != NULL) *w->carried = copy_of(&carry, kind);
    if (end == w->part->end && end < sim->model->view.voxel_count) {
        const block_sums last = copy_of(&carry, kind);
        keep_carry(w, &last);
    }
}

/* Functions of their own: in one, the compiler does worse with registers. */
#define SWEEP(name, audit, rated, implicit)                                                                  \
    static __attribute__((noinline)) void name(const sweep *w, double dt)                                    \
    {                                                                                                        \
        sweep_blocks(w, dt, (sweep_kind){audit, rated, implicit, false});                                    \
    }                                                                                                        \
    static __attribute__((noinline)) void name##_solid(const sweep *w, double dt)                            \
    {                                                                                                        \
        sweep_blocks(w, dt, (sweep_kind){audit, rated, implicit, true});                                     \
    }
SWEEP(sweep_plainly, AUDIT_NONE, false, false)
SWEEP(sweep_rated, AUDIT_NONE, true, false)
SWEEP(sweep_booked, AUDIT_BOOK, false, false)
SWEEP(sweep_booked_rated, AUDIT_BOOK, true, false)
SWEEP(sweep_measured, AUDIT_MEASURE, true, false)
SWEEP(kick_plainly, AUDIT_NONE, false, true)
SWEEP(kick_rated, AUDIT_NONE, true, true)
SWEEP(kick_booked, AUDIT_BOOK, false, true)
SWEEP(kick_booked_rated, AUDIT_BOOK, true, true)
SWEEP(kick_measured, AUDIT_MEASURE, true, true)

typedef void sweep_function(const sweep *w, double dt);
static sweep_function *sweep_for(const sweep *w)
{
    static sweep_function *const kinds[2][2][3][2] = {
        {{{sweep_plainly, sweep_rated}, {sweep_booked, sweep_booked_rated}, {sweep_measured, sweep_measured}},
         {{kick_plainly, kick_rated}, {kick_booked, kick_booked_rated}, {kick_measured, kick_measured}}},
        {{{sweep_plainly_solid, sweep_rated_solid},
          {sweep_booked_solid, sweep_booked_rated_solid},
          {sweep_measured_solid, sweep_measured_solid}},
         {{kick_plainly_solid, kick_rated_solid},
          {kick_booked_solid, kick_booked_rated_solid},
          {kick_measured_solid, kick_measured_solid}}}};
    return kinds[w->solid][w->implicit][w->audit][w->rated];
}

static void sweep_part_of(vxe_sim *sim, const step_context *context, int part)
{
    sweep w = begin_sweep(sim, context, part);
    const double dt = context->kick;
    sweep_function *const swept = sweep_for(&w);
    if (w.rest == NULL) {
        swept(&w, dt);
        return;
    }
    /* from one run of blocks whose links rest to the next, to which no load is on its way */
    for (int32_t next = w.part->begin; next < w.part->end || w.to < w.part->end;) {
        w.from = pass_resting(&w, next, w.part->end, dt);
        w.to = find_resting(&w, w.from, w.part->end);
        swept(&w, dt);
        next = w.to;
    }
}

/* The third part of a step that is taken in three, of some blocks. */
static void move_blocks(const sweep *w, double dt, int32_t from, int32_t end)
{
    const vxe_sim *sim = w->sim;
    for (int32_t begin = from; begin < end; begin = (begin / CHUNK + 1) * CHUNK) {
        const int32_t chunk = begin / CHUNK;
        step_measures *sums = &sim->measures[chunk];
        block_measures measures = no_measures();
        const int32_t stop = (chunk + 1) * CHUNK < end ? (chunk + 1) * CHUNK : end;
        if (chunk_rests(w, chunk)) continue;
        for (int32_t v = begin; v < stop; v += VXE_LANES) {
            if (block_rests(w, v / VXE_LANES) && w->plan->rest.busy[v / VXE_LANES] < sim->step) continue;
            if (w->audit == AUDIT_NONE) {
                move_damped(w, v / VXE_LANES, dt, AUDIT_NONE, &measures, sums);
            } else if (w->audit == AUDIT_BOOK) {
                move_damped(w, v / VXE_LANES, dt, AUDIT_BOOK, &measures, sums);
            } else {
                move_damped(w, v / VXE_LANES, dt, AUDIT_MEASURE, &measures, sums);
            }
        }
        close_measures(w, &measures, sums);
    }
}

static void move_part(vxe_sim *sim, const step_context *context, int part)
{
    const sweep w = begin_sweep(sim, context, part);
    move_blocks(&w, context->kick, w.part->begin, w.part->end);
}

static void move_rest(vxe_sim *sim, const step_context *context, int part)
{
    const sweep w = begin_sweep(sim, context, part);
    const double dt = context->kick;
    const int32_t end = w.part->head;
    for (int32_t chunk = w.part->begin; chunk < end; chunk += CHUNK) {
        step_measures *sums = &sim->measures[chunk / CHUNK];
        block_measures measures = no_measures();
        const int32_t stop = chunk + CHUNK < end ? chunk + CHUNK : end;
        for (int32_t v = chunk; v < stop; v += VXE_LANES) {
            if (block_rests(&w, v / VXE_LANES)) continue; /* that is done */
            const block_sums total = add_heads(&w, v / VXE_LANES);
            if (w.split) {
                kick_block(&w, v / VXE_LANES, dt, &total, w.audit);
            } else {
                move_block(&w, v / VXE_LANES, dt, &total, w.audit, w.rated, &measures, sums);
            }
        }
        close_measures(&w, &measures, sums);
    }
}

/* ---- all of a step in one sweep ------------------------------------------------------------------------------------- */

/* Where one thread damps and nothing else comes between, links, damping and motion follow one another through
 * the body in one sweep: none looks at voxels behind it. What the account wants to know of a voxel from links
 * to motion then stays in the cache; without the account nothing is gained. With a clock, stages are one by
 * one. */
static bool takes_whole(const vxe_sim *sim, const step_context *context)
{
    const wide_plan *plan = sim->cpu->plan;
    return sim->def.audit && context->implicit && !context->bonded && sim->cpu->pool == NULL &&
           !plan->listed && plan->bundles.linked == NULL && !plan->rest.left_out && sim->collider == NULL &&
           sim->ground == NULL && sim->rigid == NULL && sim->clock == NULL;
}

static void kick_strip(void *own, int32_t begin, int32_t end)
{
    wide_damping *d = own;
    d->kicked.from = begin;
    d->kicked.to = end;
    sweep_for (&d->kicked)(&d->kicked, d->context->kick);
}

static void move_strip(void *own, int32_t begin, int32_t end)
{
    const wide_damping *d = own;
    move_blocks(d->first, d->context->kick, begin, end);
}

static void damp_blocks(vxe_sim *sim, const step_context *context)
{
    sweep w = begin_sweep(sim, context, 0);
    wide_damping own = {.sim = sim, .context = context, .first = sim->cpu->pool == NULL ? &w : NULL};
    damping_work work = {.own = &own, .damp = damp_links};
    if (sim->cpu->whole) {
        int32_t room = 1; /* a power of two; if it is less than all there are */
        while (room < vxe_parts_behind(sim) && room < sim->model->view.voxel_count) room *= 2;
        if (room < sim->model->view.voxel_count) w.before_mask = room - 1;
        own.kicked = w;
        own.kicked.carried = &own.carried;
        work.kick = kick_strip;
        work.move = move_strip;
    }
    vxe_parts_damp(sim, &work);
}

/* ---- the backend ---------------------------------------------------------------------------------------------------- */

static void clear_part(vxe_sim *sim, const step_context *context, int part)
{
    const native_state *s = sim->native;
    const int32_t begin = sim->cpu->parts[part].begin;
    const int32_t end = sim->cpu->parts[part].end;
    const size_t n = (size_t)(end - begin);
    const size_t loads = context->loaded ? n : 0;
    const size_t losses = context->bonded ? n : 0;
    for (int i = 0; i < 3; i++) {
        memset(s->force[i] + begin, 0, loads * sizeof(VXE_REAL));
        memset(s->moment[i] + begin, 0, loads * sizeof(VXE_REAL));
        if (sim->collider != NULL && context->keep)
            memset(sim->contact_force[i] + begin, 0, n * sizeof(double));
        if (!sim->def.audit) continue;
        memset(s->lost_force[i] + begin, 0, losses * sizeof(VXE_REAL));
        memset(s->lost_moment[i] + begin, 0, losses * sizeof(VXE_REAL));
    }
    if (sim->def.audit) memset(sim->conjugate[0] + begin, 0, losses * sizeof(double));
    memset(s->link_sum[0] + begin, 0, loads * sizeof(VXE_REAL));
}

static void wide_strains(vxe_sim *sim, const step_context *context)
{
    vxe_wide_rest_strains(sim);
    measure_resting(sim);
    if (sim->cpu->plan->listed) {
        strain_lists(sim, context);
    } else {
        vxe_parts_run(sim, context, strain_part);
    }
}
static void wide_clear(vxe_sim *sim, const step_context *context) { vxe_parts_run(sim, context, clear_part); }

/* Links and what follows at once: new velocities, and unless the step is split new poses. */
static void wide_links(vxe_sim *sim, const step_context *context)
{
    vxe_parts_clear_rates(sim);
    measure_resting(sim);
    prepare_floor(sim, context);
    sim->cpu->whole = takes_whole(sim, context);
    if (sim->cpu->whole) return;
    if (sim->cpu->plan->listed) {
        link_lists(sim, context);
        return;
    }
    vxe_parts_run(sim, context, sweep_part_of);
    if (sim->cpu->part_count > 1) vxe_parts_run(sim, context, move_rest);
}
/* Here it is known where regions are, and what rests. */
static void wide_hold(vxe_sim *sim, const step_context *context)
{
    vxe_wide_rest_begin(sim, context);
    WIDE_BASE.stage[STAGE_hold](sim, context);
}
static void wide_kick(vxe_sim *sim, const step_context *context) /* is done */
{
    (void)sim;
    (void)context;
}
static void wide_damp(vxe_sim *sim, const step_context *context)
{
    prepare_floor(sim, context); /* tables may have changed */
    if (sim->cpu->plan->bundles.linked != NULL) {
        damp_bundles(sim, context);
    } else {
        damp_blocks(sim, context);
    }
}
static void wide_move(vxe_sim *sim, const step_context *context)
{
    prepare_floor(sim, context);
    if (context->split && !sim->cpu->whole) vxe_parts_run(sim, context, move_part);
    if (sim->def.audit) vxe_parts_run(sim, context, vxe_parts_sum);
    vxe_parts_keep_rates(sim, context);
    settle_resting(sim, context);
}

static vxe_result wide_create(vxe_sim *sim, vxe_error *error)
{
    const vxe_result result = WIDE_BASE.create(sim, error);
    return result != VXE_OK ? result : vxe_wide_plan_create(sim, VXE_LANES, sizeof(VXE_REAL), error);
}

static void wide_destroy(vxe_sim *sim)
{
    vxe_wide_plan_destroy(sim);
    WIDE_BASE.destroy(sim);
}

static void wide_upload(vxe_sim *sim, state_set arrays)
{
    WIDE_BASE.upload(sim, arrays);
    if ((arrays & STATE_SET(contact_force)) == 0) return;
    wide_plan *plan = sim->cpu->plan;
    memset(plan->touched, 1, (size_t)plan->block_count); /* they may be anything */
}

#ifdef VXE_REAL_IS_FLOAT
#define WIDE_KEEPS                                                                                           \
    (STATE_SET(orientation) | STATE_SET(velocity) | STATE_SET(spin) | STATE_SET(force) | STATE_SET(moment) | \
     STATE_SET(link_sum) | STATE_SET(velocity_before) | STATE_SET(spin_before) | STATE_SET(lost_force) |     \
     STATE_SET(lost_moment) | STATE_SET(kept_force) | STATE_SET(kept_moment))
#else
#define WIDE_KEEPS 0
#endif

const sim_backend WIDE_BACKEND = {
    .name = WIDE_NAME,
    .base = &WIDE_BASE,
    .stage = {[STAGE_strains] = wide_strains,
              [STAGE_clear] = wide_clear,
              [STAGE_hold] = wide_hold,
              [STAGE_links] = wide_links,
              [STAGE_kick] = wide_kick,
              [STAGE_damp] = wide_damp,
              [STAGE_move] = wide_move},
    /* contact forces are the host's: it is told of their changes */
    .keeps = WIDE_KEEPS | STATE_SET(contact_force),
    .upload = wide_upload,
#ifndef WIDE_FUSED /* which operations are fused depends on the copy of the code: two threads would not      \
                      agree */
    .threads = vxe_parts_threads,
#endif
    .create = wide_create,
    .destroy = wide_destroy,
    .tables_changed = vxe_wide_plan_refresh,
    .links_changed = vxe_wide_plan_links,
    .share = share_pressure,
    .divide = vxe_parts_divide,
    .contacts = &WIDE_CONTACTS,
};
