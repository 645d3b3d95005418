/* The motion of single voxels: the second half of plain_loops.h, which includes it.
 *
 * Where bond damping is explicit and no two voxels touch, a voxel gets its new velocity and its new pose at
 * once. Otherwise the step is taken in three parts: all velocities are changed by the loads, then links one
 * after another take away what they damp (sim.h: damping_pass) and pairs that touch push each other apart,
 * then floor, friction and what is held have their say and all poses change. In between velocity_before and
 * others keep what the third part needs.
 *
 * What the floor does depends on what damping leaves, and what damping takes on what the floor does. So the
 * first part guesses the floor's work, as if there were no damping, and the third takes the guess back before
 * it lets the floor act: a body at rest stays at rest. */
#ifndef BACKEND_CPU_PLAIN_MOTION_H
#define BACKEND_CPU_PLAIN_MOTION_H

/* A voxel between two steps. */
typedef struct voxel_motion {
    rvec v0, w0;       /* velocities before the step */
    rvec v1, w1;       /* and after it, as far as it has come */
    rvec load, moment; /* N, N m: all that acts on it but the floor */
    rvec kept_force;   /* of that, what takes no energy; with the account only, like what follows */
    rvec kept_moment;
    rvec free_velocity, free_spin, lost_force, lost_moment; /* see lost_by_voxel() */
} voxel_motion;

/* Energies of one voxel in the middle of the step, and the work of what is not conservative during it. `kept`
 * is the load without damping, contact and friction. The balance is that of the leapfrog: with velocities of
 * half steps, the potential that linear motion conserves with their kinetic energy, exactly and at any step,
 * is U - context->kick/2 v.F at the start of the step. Loads of regions are taken out of that again where
 * their work is booked. That potential depends on the step, so where the step changes it jumps by a quarter
 * of the `change` times F.dv: diagnose.c. */
static void audit_voxel(step_measures *own, const double before[6], const double after[6],
                        const double kept[6], const double weight[3], const double inertia[2], double half,
                        double change)
{
    double kinetic = 0.0;
    double ahead = 0.0;
    double shift = 0.0;
    for (int d = 0; d < 6; d++) {
        const double mass = inertia[d / 3];
        kinetic += 0.5 * mass * after[d] * after[d];
        ahead += half * after[d] * (d < 3 ? kept[d] - weight[d] : kept[d]);
        shift += change * kept[d] * (after[d] - before[d]);
    }
    own->kinetic = kinetic;
    own->ahead = ahead;
    own->shift += shift;
}

/* The last of these, in every step: what damping, contact and friction leave of the motion, or take. `free`
 * are the velocities without the floor and ground damping (in a split step: without anything that takes
 * energy), `lost` is the load of damping links. */
static real lost_by_voxel(const real before[6], const real after[6], const real free[6], const real lost[6],
                          const real inertia[2], uint8_t fixed, real kick)
{
    real sum = real_of(0);
    for (int d = 0; d < 6; d++) {
        if ((fixed >> d & 1) != 0) continue;
        sum = sum + (before[d] + after[d]) * (inertia[d / 3] * (after[d] - free[d]) + kick * lost[d]);
    }
    return real_of(0.5) * sum;
}

static inline floor_step floor_times(const vxe_sim *sim, const step_context *context, int32_t v)
{
    return (floor_step){(real)(0.5 * context->before), (real)(0.5 * context->step), (real)context->kick,
                        (real)sim->model->view.pitch,
                        (real)((sim->model->fixed[v] & VXE_DOF_Z) != 0 ? FLOOR_HELD : 1.0)};
}

/* Held degrees of freedom go on as they did. */
static inline void keep_held(uint8_t fixed, rvec v0, rvec w0, rvec *v1, rvec *w1)
{
    if ((fixed & VXE_DOF_X) != 0) v1->x = v0.x;
    if ((fixed & VXE_DOF_Y) != 0) v1->y = v0.y;
    if ((fixed & VXE_DOF_Z) != 0) v1->z = v0.z;
    if ((fixed & VXE_DOF_RX) != 0) w1->x = w0.x;
    if ((fixed & VXE_DOF_RY) != 0) w1->y = w0.y;
    if ((fixed & VXE_DOF_RZ) != 0) w1->z = w0.z;
}

/* New velocities from loads. */
static inline voxel_motion kick_voxel(const vxe_sim *sim, const step_context *context, int32_t v)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    const uint16_t material = sim->material[v];
    const voxel_table *t = &sim->voxels[material];
    const double *gravity = sim->environment.gravity;
    const real mass = (real)m->materials[material].mass;
    const rvec weight = {mass * (real)gravity[0], mass * (real)gravity[1], mass * (real)gravity[2]};
    voxel_motion k;
    k.v0 = load3(s->velocity, v);
    k.w0 = load3(s->spin, v);
    k.load = rvec_add(load3(s->force, v), weight);
    k.moment = load3(s->moment, v);
    k.v1 = voxel_velocity(k.v0, k.load, real_of(1), (real)context->kick * (real)t->inverse_mass);
    k.w1 = voxel_velocity(k.w0, k.moment, real_of(1), (real)context->kick * (real)t->inverse_inertia);
    k.kept_force = k.load;
    k.kept_moment = k.moment;
    if (sim->def.audit) {
        k.lost_force = load3(s->lost_force, v);
        k.lost_moment = load3(s->lost_moment, v);
        k.kept_force = rvec_sub(k.load, k.lost_force);
        k.kept_moment = rvec_sub(k.moment, k.lost_moment);
        k.free_velocity = k.v1;
        k.free_spin = k.w1;
    }
    return k;
}

/* The floor's part of the account of a voxel: energy of its spring in the middle of the step, and the work of
 * its own growth against it. */
static void audit_floor(const vxe_sim *sim, int32_t v, double before, double after, double stiffness,
                        step_measures *own)
{
    const real l = (real)sim->model->view.pitch;
    const contact_spring spring = floor_spring((real)stiffness, l);
    own->contact = (double)contact_energy((real)after, spring);
    const double grown = 0.5 * sim->model->view.pitch * (sim->growth[0][v] - sim->growth_before[0][v]);
    if (!(sim->model->actuated_count > 0 && grown != 0.0)) return;
    own->swelling =
        (double)(contact_energy((real)before, spring) - contact_energy((real)(before - grown), spring));
    /* one that shrinks away from where it counted from: what that depth was is not known any more, and what
     * the floor held is lost */
    if (sim->floor_rest[0] != NULL && grown < 0.0 && before < 1e-9 * sim->model->view.pitch)
        own->swelling = 0.0;
}

/* What a voxel adds to the sums of the account, but for the elastic energy of its links. */
static void book_voxel(const vxe_sim *sim, int32_t v, bool measure, const step_measures *own)
{
    double *const *terms = sim->cpu->terms;
    terms[SUM_lost_work][v] = own->lost_work;
    terms[SUM_swelling][v] = own->swelling;
    if (!measure) return;
    terms[SUM_kinetic][v] = own->kinetic;
    terms[SUM_ahead][v] = own->ahead;
    terms[SUM_shift][v] = own->shift;
    terms[SUM_contact][v] = own->contact;
    terms[SUM_gravity][v] = own->gravity;
}

/* The account of a voxel that has moved on. */
static void account_voxel(const vxe_sim *sim, const step_context *context, int32_t v, const voxel_motion *k,
                          rvec v1, rvec w1, step_measures *own)
{
    const vxe_model *m = sim->model;
    const material_constants *c = &m->materials[sim->material[v]];
    const real masses[2] = {(real)c->mass, (real)c->inertia};
    const real from[6] = {k->v0.x, k->v0.y, k->v0.z, k->w0.x, k->w0.y, k->w0.z};
    const real to[6] = {v1.x, v1.y, v1.z, w1.x, w1.y, w1.z};
    const real loads[6] = {k->kept_force.x,  k->kept_force.y,  k->kept_force.z,
                           k->kept_moment.x, k->kept_moment.y, k->kept_moment.z};
    const real free[6] = {k->free_velocity.x, k->free_velocity.y, k->free_velocity.z,
                          k->free_spin.x,     k->free_spin.y,     k->free_spin.z};
    const real lost[6] = {k->lost_force.x,  k->lost_force.y,  k->lost_force.z,
                          k->lost_moment.x, k->lost_moment.y, k->lost_moment.z};
    own->lost_work += (double)lost_by_voxel(from, to, free, lost, masses, m->fixed[v], (real)context->kick);
    if (context->measure) {
        const double mass = (double)masses[0];
        const double inertia[2] = {mass, (double)masses[1]};
        const double *gravity = sim->environment.gravity;
        const double weight[3] = {mass * gravity[0], mass * gravity[1], mass * gravity[2]};
        const double half = 0.5 * context->step;
        double before[6];
        double after[6];
        double kept[6];
        double lifted = 0.0;
        for (int d = 0; d < 6; d++) {
            before[d] = (double)from[d];
            after[d] = (double)to[d];
            kept[d] = (double)loads[d];
        }
        audit_voxel(own, before, after, kept, weight, inertia, half,
                    0.25 * (context->before - context->step));
        for (int a = 0; a < 3; a++)
            lifted += weight[a] * (sim->position[a][v] + half * after[a] - m->start[a][v]);
        own->gravity = -lifted;
    }
    book_voxel(sim, v, context->measure, own);
}

/* What ground damping leaves of velocity and spin: all of it, or half. */
typedef struct voxel_keeps {
    real velocity, spin;
} voxel_keeps;

static inline voxel_keeps keeps_of(const vxe_sim *sim, const step_context *context, int32_t v, bool half)
{
    const real rate = (real)sim->voxels[sim->material[v]].ground_rate;
    const real turning = (real)sim->environment.damping_turning * rate;
    const real kick = (real)context->kick;
    if (half) return (voxel_keeps){voxel_keep_half(rate, kick), voxel_keep_half(turning, kick)};
    return (voxel_keeps){voxel_keep(rate, kick), voxel_keep(turning, kick)};
}

/* Ground damping, floor, friction, what is held; then the new pose. `parts`: half of that damping has acted.
 */
static inline void finish_voxel(vxe_sim *sim, const step_context *context, int32_t v, const voxel_motion *k,
                                bool parts, double *rates, step_measures *sums)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    const double l = m->view.pitch;
    const uint16_t material = sim->material[v];
    const voxel_constants c = constants_of(&sim->voxels[material]);
    const uint8_t fixed = m->fixed[v];
    const voxel_keeps keeps = keeps_of(sim, context, v, parts);
    rvec v1 = rvec_scale(keeps.velocity, k->v1);
    rvec w1 = rvec_scale(keeps.spin, k->w1);
    rvec total = k->load;
    rvec contact_force = {0, 0, 0};
    double depth = 0.0;
    uint8_t stuck = 0;
    const bool near = vxe_is_near_floor(sim, v, &depth);
    if (near) {
        /* loads do not move what is held: the force is that of the depth it leads to */
        keep_held(fixed, k->v0, k->w0, &v1, &w1);
        const floor_step times = floor_times(sim, context, v);
        const floor_contact contact = voxel_on_floor(k->v0, v1, k->load, (real)depth, sim->stuck[0][v] != 0,
                                                     sim->stuck[0][v] == STUCK_FRESH, c, times);
        v1 = contact.velocity;
        contact_force = contact.force;
        total = rvec_add(k->load, contact_force);
        stuck = contact.fresh != 0 ? STUCK_FRESH : contact.stuck != 0;
        sim->contact_force[0][v] += (double)contact_force.x;
        sim->contact_force[1][v] += (double)contact_force.y;
        sim->contact_force[2][v] += (double)contact_force.z;
        if (contact_force.z > 0) sums->floor_contacts++;
    }
    sim->stuck[0][v] = stuck;
    keep_held(fixed, k->v0, k->w0, &v1, &w1);
    if (sim->def.audit) {
        step_measures own = {0};
        if (near) {
            /* as in audit_voxel() */
            const double shift = 0.25 * (context->before - context->step) * (double)contact_force.z *
                                 ((double)v1.z - (double)k->v0.z);
            own.shift = shift;
            if ((fixed & VXE_DOF_Z) == 0) own.lost_work = -shift;
            audit_floor(sim, v, depth + 0.5 * context->before * (double)k->v0.z,
                        depth - 0.5 * context->step * (double)v1.z, (double)c.floor_stiffness, &own);
        }
        account_voxel(sim, context, v, k, v1, w1, &own);
        if (fixed != 0) add3(s->lost_force, v, contact_force);
    }
    const double speed2 = (double)rvec_dot(v1, v1);
    if (speed2 > sums->travel_max) sums->travel_max = speed2;
    const double rate = (double)(s->link_sum[0][v] * c.inverse_mass);
    if (rate > rates[material] && (fixed != VXE_DOF_ALL || vxe_is_rigid(m, v))) rates[material] = rate;
    if ((fixed & VXE_DOF_MOVE) != VXE_DOF_MOVE) {
        if (speed2 > sums->speed_max) sums->speed_max = speed2;
        if (!(speed2 <= 0.25 * l * l / (context->step * context->step)) ||
            !((double)rvec_dot(w1, w1) <= 1.0 / (context->step * context->step)))
            sums->bad = 1;
    }
    store3(s->force, v, total);
    store3(s->moment, v, k->moment);
    store3(s->velocity, v, v1);
    store3(s->spin, v, w1);
    sim->position[0][v] += context->step * (double)v1.x;
    sim->position[1][v] += context->step * (double)v1.y;
    sim->position[2][v] += context->step * (double)v1.z;
    const rquat q = voxel_turn(load4(s->orientation, v), w1, (real)context->step);
    s->orientation[0][v] = q.w;
    s->orientation[1][v] = q.x;
    s->orientation[2][v] = q.y;
    s->orientation[3][v] = q.z;
}

/* New velocities from loads, new poses from new velocities (symplectic double Euler). */
static void integrate_range(vxe_sim *sim, const step_context *context, int32_t begin, int32_t end,
                            double *rates, step_measures *sums)
{
    for (int32_t v = begin; v < end; v++) {
        const voxel_motion k = kick_voxel(sim, context, v);
        vxe_settle_on_disc(sim, v, 0.5 * context->before * (double)k.v0.z);
        finish_voxel(sim, context, v, &k, false, rates, sums);
    }
}

/* ---- in three parts ------------------------------------------------------------------------------------------------- */

/* What the floor would make of a velocity; what it adds is noted in sim->guess. The load is not yet mixed
 * with what damping will do, which a voxel that is held does not feel: so this decides which latches give
 * way. */
static rvec guess_floor(vxe_sim *sim, const step_context *context, int32_t v, rvec before, rvec free,
                        rvec load)
{
    double depth = 0.0;
    if (!vxe_is_near_floor(sim, v, &depth)) return free;
    const voxel_constants c = constants_of(&sim->voxels[sim->material[v]]);
    rvec kept = rvec_scale(voxel_keep_half(c.ground_rate, (real)context->kick), free);
    rvec none = {0, 0, 0};
    keep_held(sim->model->fixed[v], before, none, &kept, &none);
    const floor_contact contact =
        voxel_on_floor(before, kept, load, (real)depth, sim->stuck[0][v] != 0,
                       sim->stuck[0][v] == STUCK_FRESH, c, floor_times(sim, context, v));
    if (contact.slips != 0) sim->stuck[0][v] = 0;
    rvec after = contact.velocity;
    keep_held(sim->model->fixed[v], before, none, &after, &none);
    const rvec guess = rvec_sub(after, free);
    sim->guess[0][v] = (double)guess.x;
    sim->guess[1][v] = (double)guess.y;
    sim->guess[2][v] = (double)guess.z;
    return after;
}

/* The velocity without it. */
static inline rvec without_floor(const vxe_sim *sim, int32_t v, rvec velocity)
{
    double depth = 0.0;
    if (!vxe_is_near_floor(sim, v, &depth)) return velocity;
    return rvec_sub(velocity, (rvec){(real)sim->guess[0][v], (real)sim->guess[1][v], (real)sim->guess[2][v]});
}

/* The first part of a step. */
static void kick_range(vxe_sim *sim, const step_context *context, int32_t begin, int32_t end)
{
    const native_state *s = sim->native;
    for (int32_t v = begin; v < end; v++) {
        const uint8_t fixed = sim->model->fixed[v];
        voxel_motion k = kick_voxel(sim, context, v);
        vxe_settle_on_disc(sim, v, 0.5 * context->before * (double)k.v0.z);
        const voxel_keeps keeps = keeps_of(sim, context, v, true);
        k.v1 = rvec_scale(keeps.velocity, k.v1);
        k.w1 = rvec_scale(keeps.spin, k.w1);
        keep_held(fixed, k.v0, k.w0, &k.v1, &k.w1);
        k.v1 = guess_floor(sim, context, v, k.v0, k.v1, k.load);
        store3(s->velocity, v, k.v1);
        store3(s->spin, v, k.w1);
        store3(s->velocity_before, v, k.v0);
        store3(s->spin_before, v, k.w0);
        if (fixed != 0) {
            const real load[6] = {k.load.x, k.load.y, k.load.z, k.moment.x, k.moment.y, k.moment.z};
            for (int d = 0; d < 6; d++) sim->held_load[d][v] = (double)load[d];
        }
        if (!sim->def.audit) continue;
        store3(s->kept_force, v, k.kept_force);
        store3(s->kept_moment, v, k.kept_moment);
    }
}

/* New velocities for a voxel some of whose degrees of freedom are held: they do not move, and their supports
 * feel it. */
static void change_held(vxe_sim *sim, const step_context *context, int32_t v, rvec velocity, rvec spin)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    const material_constants *c = &m->materials[sim->material[v]];
    const rvec v0 = load3(s->velocity, v);
    const rvec w0 = load3(s->spin, v);
    const double per_second = 1.0 / context->kick;
    const rvec force = rvec_scale((real)(c->mass * per_second), rvec_sub(velocity, v0));
    const rvec moment = rvec_scale((real)(c->inertia * per_second), rvec_sub(spin, w0));
    const real load[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    for (int d = 0; d < 6; d++) sim->held_load[d][v] += (double)load[d];
    keep_held(m->fixed[v], v0, w0, &velocity, &spin);
    store3(s->velocity, v, velocity);
    store3(s->spin, v, spin);
}

static void change_voxel(vxe_sim *sim, const step_context *context, int32_t v, rvec velocity, rvec spin)
{
    const native_state *s = sim->native;
    if (sim->model->fixed[v] != 0) {
        change_held(sim, context, v, velocity, spin);
        return;
    }
    store3(s->velocity, v, velocity);
    store3(s->spin, v, spin);
}

static bool is_still(const native_state *s, int32_t v)
{
    bool still = true;
    for (int a = 0; a < 3; a++) still = still && s->velocity[a][v] == 0 && s->spin[a][v] == 0;
    return still;
}

/* One link takes its share of the relative motion of its ends, for half of the step or for all of it. */
static void brake_link(vxe_sim *sim, const step_context *context, int a, int32_t v, bool full)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    const int32_t far = m->next[a][v];
    if (m->fixed[v] == VXE_DOF_ALL && m->fixed[far] == VXE_DOF_ALL && is_still(s, v) && is_still(s, far))
        return; /* ground that is built of voxels */
    const brake_table *b = &sim->links[sim->link_kind[a][v] - 1].brake[full ? 1 : 0];
    const link_brake brake = {(real)b->axial, (real)b->shear, (real)b->bending, (real)b->excess,
                              (real)b->far};
    const real inverse_area = (real)(1.0 / (m->view.pitch * m->view.pitch));
    const link_ends before = {load3(s->velocity, v), load3(s->spin, v), load3(s->velocity, far),
                              load3(s->spin, far)};
    const link_ends now = link_braked(distance3(sim->position, v, far), before, brake, inverse_area, false);
    change_voxel(sim, context, v, now.velocity1, now.spin1);
    change_voxel(sim, context, far, now.velocity2, now.spin2);
}

/* A voxel in the middle of such a step: velocities before and now, without the floor's guess, and the load
 * that lies between them, without ground damping. */
static voxel_motion motion_so_far(const vxe_sim *sim, const step_context *context, int32_t v)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    const material_constants *c = &m->materials[sim->material[v]];
    const real per_second = (real)(1.0 / context->kick);
    voxel_motion k = {.v1 = without_floor(sim, v, load3(s->velocity, v)), .w1 = load3(s->spin, v)};
    k.v0 = load3(s->velocity_before, v);
    k.w0 = load3(s->spin_before, v);
    if (m->fixed[v] == 0) {
        const voxel_keeps keeps = keeps_of(sim, context, v, true);
        const rvec v1 = rvec_scale(real_of(1) / keeps.velocity, k.v1);
        const rvec w1 = rvec_scale(real_of(1) / keeps.spin, k.w1);
        k.load = rvec_scale((real)c->mass * per_second, rvec_sub(v1, k.v0));
        k.moment = rvec_scale((real)c->inertia * per_second, rvec_sub(w1, k.w0));
    } else {
        double *const *load = sim->held_load;
        k.load = (rvec){(real)load[0][v], (real)load[1][v], (real)load[2][v]};
        k.moment = (rvec){(real)load[3][v], (real)load[4][v], (real)load[5][v]};
    }
    return k;
}

/* The third part of a step. */
static void move_range(vxe_sim *sim, const step_context *context, int32_t begin, int32_t end, double *rates,
                       step_measures *sums)
{
    const native_state *s = sim->native;
    for (int32_t v = begin; v < end; v++) {
        voxel_motion k = motion_so_far(sim, context, v);
        if (sim->def.audit) {
            const voxel_table *t = &sim->voxels[sim->material[v]];
            const rvec none = {0, 0, 0};
            k.kept_force = load3(s->kept_force, v);
            k.kept_moment = load3(s->kept_moment, v);
            k.free_velocity =
                voxel_velocity(k.v0, k.kept_force, real_of(1), (real)context->kick * (real)t->inverse_mass);
            k.free_spin = voxel_velocity(k.w0, k.kept_moment, real_of(1),
                                         (real)context->kick * (real)t->inverse_inertia);
            k.lost_force = none;
            k.lost_moment = none;
            store3(s->lost_force, v, rvec_sub(k.load, k.kept_force));
            store3(s->lost_moment, v, rvec_sub(k.moment, k.kept_moment));
        }
        finish_voxel(sim, context, v, &k, true, rates, sums);
    }
}

#endif
