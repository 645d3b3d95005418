/* The motion of single voxels: the second half of plain_loops.h, which includes it.
 *
 * Where bond damping is explicit a voxel gets its new velocity and its new pose at once. Where it is implicit
 * (sim.h: damping_pass) the step is taken in three parts: all velocities are changed by the loads, then links
 * one after another take away what they damp, then floor, friction and what is held have their say and all
 * poses change. In between the arrays of loads keep what the third part needs: velocities before the step or,
 * for voxels that are held, the loads.
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
    rvec kept_force;   /* of that, what takes no energy; with the account only */
    rvec kept_moment;
} voxel_motion;

/* Energies of one voxel at the start of the step, and the work of what is not conservative during it. `kept`
 * is the conservative load. Kinetic energy is taken twice: from the mean of the velocities (for people), and
 * from the product of the velocities before and after, which for linear forces this integrator conserves
 * exactly, at any step (for the account). */
static void audit_voxel(step_measures *sums, const double before[6], const double after[6],
                        const double kept[6], const double inertia[2], uint8_t fixed, double dt)
{
    double kinetic = 0.0;
    double product = 0.0;
    double average = 0.0;
    double lost = 0.0;
    double early = 0.0;
    for (int d = 0; d < 6; d++) {
        const double mass = inertia[d / 3];
        const double mean = 0.5 * (before[d] + after[d]);
        kinetic += 0.5 * mass * mean * mean;
        if ((fixed >> d & 1) != 0) continue;
        product += 0.5 * mass * before[d] * after[d];
        average += 0.5 * mass * mean * mean;
        const double force = mass * (after[d] - before[d]) / dt - kept[d];
        lost += dt * mean * force;
        early += 0.5 * dt * before[d] * force;
    }
    sums->kinetic += kinetic;
    sums->product += product;
    sums->mean += average;
    sums->lost_work += lost;
    sums->early_work += early;
}

/* Whether the centre of a voxel is over a floor that is a disc around the middle of the workspace. */
static inline bool is_over_floor(const vxe_sim *sim, int32_t v, double edge2)
{
    const vxe_model_view *view = &sim->model->view;
    const double x = sim->position[0][v] - 0.5 * view->pitch * view->size[0];
    const double y = sim->position[1][v] - 0.5 * view->pitch * view->size[1];
    return x * x + y * y <= edge2;
}

/* How deep a voxel is in the floor, m. */
static inline double floor_depth(const vxe_sim *sim, int32_t v, bool *above)
{
    const double edge2 = sim->environment.floor_radius * sim->environment.floor_radius;
    *above = sim->environment.floor && (edge2 == 0.0 || is_over_floor(sim, v, edge2));
    if (!*above) return 0.0;
    return 0.5 * sim->model->view.pitch * (1.0 + sim->growth[0][v]) - sim->position[2][v];
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
static inline voxel_motion kick_voxel(const vxe_sim *sim, real step, int32_t v)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    const uint16_t material = m->material[v];
    const voxel_table *t = &sim->voxels[material];
    const double *gravity = sim->environment.gravity;
    const real mass = (real)m->materials[material].mass;
    const rvec weight = {mass * (real)gravity[0], mass * (real)gravity[1], mass * (real)gravity[2]};
    voxel_motion k;
    k.v0 = load3(s->velocity, v);
    k.w0 = load3(s->spin, v);
    k.load = rvec_add(load3(s->force, v), weight);
    k.moment = load3(s->moment, v);
    k.v1 = voxel_velocity(k.v0, k.load, real_of(1), step * (real)t->inverse_mass);
    k.w1 = voxel_velocity(k.w0, k.moment, real_of(1), step * (real)t->inverse_inertia);
    k.kept_force = k.load;
    k.kept_moment = k.moment;
    if (sim->def.audit) {
        k.kept_force = rvec_sub(k.load, load3(s->lost_force, v));
        k.kept_moment = rvec_sub(k.moment, load3(s->lost_moment, v));
    }
    return k;
}

/* Ground damping, floor, friction, what is held; then the new pose. */
static inline void finish_voxel(vxe_sim *sim, double dt, int32_t v, const voxel_motion *k,
                                const sweep_part *part, step_measures *sums)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    const real step = (real)dt;
    const double l = m->view.pitch;
    const uint16_t material = m->material[v];
    const voxel_constants c = constants_of(&sim->voxels[material]);
    const uint8_t fixed = m->fixed[v];
    const real keep = voxel_keep(c.ground_rate, step);
    rvec v1 = rvec_scale(keep, k->v1);
    rvec w1 = rvec_scale(voxel_keep((real)sim->environment.damping_turning * c.ground_rate, step), k->w1);
    bool above = false;
    const double depth = floor_depth(sim, v, &above);
    rvec total = k->load;
    rvec contact_force = {0, 0, 0};
    if (depth > 0.0) {
        const floor_contact contact = voxel_on_floor(v1, k->load, (real)depth, sim->stuck[v] != 0, c, step);
        v1 = contact.velocity;
        contact_force = contact.force;
        total = rvec_add(k->load, contact_force);
        sim->stuck[v] = (uint8_t)(contact.stuck != 0);
        sim->contact_force[0][v] += (double)contact_force.x;
        sim->contact_force[1][v] += (double)contact_force.y;
        sim->contact_force[2][v] += (double)contact_force.z;
        if (contact_force.z > 0) sums->floor_contacts++;
    } else {
        sim->stuck[v] = 0;
    }
    keep_held(fixed, k->v0, k->w0, &v1, &w1);
    if (sim->def.audit) {
        const double spring = depth > 0.0 ? (double)c.floor_stiffness * depth : 0.0;
        const double before[6] = {(double)k->v0.x, (double)k->v0.y, (double)k->v0.z,
                                  (double)k->w0.x, (double)k->w0.y, (double)k->w0.z};
        const double after[6] = {(double)v1.x, (double)v1.y, (double)v1.z,
                                 (double)w1.x, (double)w1.y, (double)w1.z};
        const double kept[6] = {(double)k->kept_force.x,          (double)k->kept_force.y,
                                (double)k->kept_force.z + spring, (double)k->kept_moment.x,
                                (double)k->kept_moment.y,         (double)k->kept_moment.z};
        const double mass = m->materials[material].mass;
        const double inertia[2] = {mass, m->materials[material].inertia};
        audit_voxel(sums, before, after, kept, inertia, fixed, dt);
        sums->contact += 0.5 * spring * depth;
        const double fall = dt * (double)k->v0.z;
        if (above && (depth > 0.0) != (depth + fall > 0.0))
            sums->uncertain += uncertain_energy((double)c.floor_stiffness, fall);
        sim->conjugate[0][v] += 0.5 * l * spring;
        double lifted = 0.0;
        for (int a = 0; a < 3; a++) {
            lifted += mass * sim->environment.gravity[a] * (sim->position[a][v] - m->start[a][v]);
        }
        sums->gravity -= lifted;
        if (fixed != 0) add3(s->lost_force, v, rvec_sub(contact_force, (rvec){0, 0, (real)spring}));
    }
    const double speed2 = (double)rvec_dot(v1, v1);
    if (speed2 > sums->travel_max) sums->travel_max = speed2;
    const double rate = (double)(s->link_sum[v] * c.inverse_mass);
    if (rate > part->rates[material] && fixed != VXE_DOF_ALL) part->rates[material] = rate;
    if ((fixed & VXE_DOF_MOVE) != VXE_DOF_MOVE) {
        if (speed2 > sums->speed_max) sums->speed_max = speed2;
        if (!(speed2 <= 0.25 * l * l / (sim->sweep_dt * sim->sweep_dt)) ||
            !((double)rvec_dot(w1, w1) <= 1.0 / (sim->sweep_dt * sim->sweep_dt)))
            sums->bad = 1;
    }
    store3(s->force, v, total);
    store3(s->moment, v, k->moment);
    store3(s->velocity, v, v1);
    store3(s->spin, v, w1);
    sim->position[0][v] += sim->sweep_dt * (double)v1.x;
    sim->position[1][v] += sim->sweep_dt * (double)v1.y;
    sim->position[2][v] += sim->sweep_dt * (double)v1.z;
    const rquat q = voxel_turn(load4(s->orientation, v), w1, (real)sim->sweep_dt);
    s->orientation[0][v] = q.w;
    s->orientation[1][v] = q.x;
    s->orientation[2][v] = q.y;
    s->orientation[3][v] = q.z;
}

/* New velocities from loads, new poses from new velocities (symplectic double Euler). */
static void integrate_range(vxe_sim *sim, double dt, int32_t begin, int32_t end, const sweep_part *part,
                            step_measures *sums)
{
    for (int32_t v = begin; v < end; v++) {
        const voxel_motion k = kick_voxel(sim, (real)dt, v);
        finish_voxel(sim, dt, v, &k, part, sums);
    }
}

/* ---- with implicit damping ------------------------------------------------------------------------------------------ */

/* The first part of a step. */
static void kick_range(vxe_sim *sim, double dt, int32_t begin, int32_t end)
{
    const native_state *s = sim->native;
    for (int32_t v = begin; v < end; v++) {
        const uint8_t fixed = sim->model->fixed[v];
        voxel_motion k = kick_voxel(sim, (real)dt, v);
        keep_held(fixed, k.v0, k.w0, &k.v1, &k.w1);
        bool above = false;
        const double depth = floor_depth(sim, v, &above);
        if (depth > 0.0) {
            const voxel_constants c = constants_of(&sim->voxels[sim->model->material[v]]);
            const rvec free = k.v1;
            const rvec kept = rvec_scale(voxel_keep(c.ground_rate, (real)dt), free);
            k.v1 = voxel_on_floor(kept, k.load, (real)depth, sim->stuck[v] != 0, c, (real)dt).velocity;
            keep_held(fixed, k.v0, k.w0, &k.v1, &k.w1);
            const rvec guess = rvec_sub(k.v1, free);
            sim->work[0][v] = (double)guess.x;
            sim->work[1][v] = (double)guess.y;
            sim->work[2][v] = (double)guess.z;
        }
        store3(s->velocity, v, k.v1);
        store3(s->spin, v, k.w1);
        store3(s->force, v, fixed == 0 ? k.v0 : k.load);
        store3(s->moment, v, fixed == 0 ? k.w0 : k.moment);
        if (!sim->def.audit) continue;
        store3(s->lost_force, v, k.kept_force);
        store3(s->lost_moment, v, k.kept_moment);
    }
}

/* New velocities for a voxel some of whose degrees of freedom are held: they do not move, and their supports
 * feel it. */
static void change_held(vxe_sim *sim, int32_t v, rvec velocity, rvec spin)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    const material_constants *c = &m->materials[m->material[v]];
    const rvec v0 = load3(s->velocity, v);
    const rvec w0 = load3(s->spin, v);
    const double per_second = 1.0 / sim->kick_dt;
    add3(s->force, v, rvec_scale((real)(c->mass * per_second), rvec_sub(velocity, v0)));
    add3(s->moment, v, rvec_scale((real)(c->inertia * per_second), rvec_sub(spin, w0)));
    keep_held(m->fixed[v], v0, w0, &velocity, &spin);
    store3(s->velocity, v, velocity);
    store3(s->spin, v, spin);
}

static void change_voxel(vxe_sim *sim, int32_t v, rvec velocity, rvec spin)
{
    const native_state *s = sim->native;
    if (sim->model->fixed[v] != 0) {
        change_held(sim, v, velocity, spin);
        return;
    }
    store3(s->velocity, v, velocity);
    store3(s->spin, v, spin);
}

/* One link takes its share of the relative motion of its ends, for half of the step or for all of it. */
static void brake_link(vxe_sim *sim, int a, int32_t v, bool full)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    const int32_t far = m->next[a][v];
    const brake_table *b = &sim->links[sim->link_kind[a][v] - 1].brake[full ? 1 : 0];
    const link_brake brake = {(real)b->axial, (real)b->shear, (real)b->bending, (real)b->excess,
                              (real)b->far};
    const real inverse_area = (real)(1.0 / (m->view.pitch * m->view.pitch));
    const link_ends before = {load3(s->velocity, v), load3(s->spin, v), load3(s->velocity, far),
                              load3(s->spin, far)};
    const link_ends now = link_braked(distance3(sim->position, v, far), before, brake, inverse_area, false);
    change_voxel(sim, v, now.velocity1, now.spin1);
    change_voxel(sim, far, now.velocity2, now.spin2);
}

/* The third part of a step. */
static void move_range(vxe_sim *sim, double dt, int32_t begin, int32_t end, const sweep_part *part,
                       step_measures *sums)
{
    const vxe_model *m = sim->model;
    const native_state *s = sim->native;
    const real step = (real)dt;
    const real per_second = (real)(1.0 / dt);
    for (int32_t v = begin; v < end; v++) {
        const material_constants *c = &m->materials[m->material[v]];
        const voxel_table *t = &sim->voxels[m->material[v]];
        voxel_motion k = {.v1 = load3(s->velocity, v), .w1 = load3(s->spin, v)};
        bool above = false;
        if (floor_depth(sim, v, &above) > 0.0) {
            k.v1 =
                rvec_sub(k.v1, (rvec){(real)sim->work[0][v], (real)sim->work[1][v], (real)sim->work[2][v]});
        }
        if (m->fixed[v] == 0) {
            k.v0 = load3(s->force, v);
            k.w0 = load3(s->moment, v);
            k.load = rvec_scale((real)c->mass * per_second, rvec_sub(k.v1, k.v0));
            k.moment = rvec_scale((real)c->inertia * per_second, rvec_sub(k.w1, k.w0));
        } else {
            k.load = load3(s->force, v);
            k.moment = load3(s->moment, v);
            rvec v0 = rvec_sub(k.v1, rvec_scale(step * (real)t->inverse_mass, k.load));
            rvec w0 = rvec_sub(k.w1, rvec_scale(step * (real)t->inverse_inertia, k.moment));
            keep_held(m->fixed[v], k.v1, k.w1, &v0, &w0);
            k.v0 = v0;
            k.w0 = w0;
        }
        if (sim->def.audit) {
            k.kept_force = load3(s->lost_force, v);
            k.kept_moment = load3(s->lost_moment, v);
            store3(s->lost_force, v, rvec_sub(k.load, k.kept_force));
            store3(s->lost_moment, v, rvec_sub(k.moment, k.kept_moment));
        }
        finish_voxel(sim, dt, v, &k, part, sums);
    }
}

#endif
