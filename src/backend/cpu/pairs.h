/* What contacts of two voxels need beside the forces themselves, the same for the plain and the wide
 * backends: constants of two materials, and how contacts begin and end. */
#ifndef BACKEND_CPU_PAIRS_H
#define BACKEND_CPU_PAIRS_H

#include "backend/cpu/native.h"
#include "kernel/contact.h"
#include "sim/collide.h"

#define PAIR_MATERIALS_MAX 64 /* beyond, the constants of two that touch are computed each time */

/* The members of contact_constants, in their order, one number each. */
enum {
    PAIR_STIFFNESS,
    PAIR_DAMPING,
    PAIR_TANGENT,
    PAIR_TANGENT_DAMPING,
    PAIR_STATIC_FRICTION,
    PAIR_DYNAMIC_FRICTION,
    PAIR_STOP,
    PAIR_SLACK,
    PAIR_CONSTANTS
};

static inline void pair_of_materials(const vxe_sim *sim, int32_t first, int32_t second,
                                     VXE_REAL c[PAIR_CONSTANTS])
{
    const vxe_model *m = sim->model;
    const material_constants *a = &m->materials[first];
    const material_constants *b = &m->materials[second];
    const double stiffness = 2.0 * a->youngs * b->youngs / (a->youngs + b->youngs) * m->view.pitch;
    const double mass = a->mass * b->mass / (a->mass + b->mass);
    const double damping = 2.0 * sim->environment.damping_contact * __builtin_sqrt(mass * stiffness);
    const double dt = sim->time_step.dt; /* not that of a last, shorter step */
    const double rough = sim->environment.collision_smooth ? 0.0 : 1.0;
    c[PAIR_STIFFNESS] = (VXE_REAL)stiffness;
    c[PAIR_DAMPING] = (VXE_REAL)contact_damping(damping, mass, dt);
    c[PAIR_TANGENT] = (VXE_REAL)(rough * CONTACT_TANGENT * stiffness);
    c[PAIR_TANGENT_DAMPING] =
        (VXE_REAL)(rough * contact_damping(CONTACT_TANGENT * damping, CONTACT_TANGENT * mass, dt));
    c[PAIR_STATIC_FRICTION] = (VXE_REAL)(rough * __builtin_sqrt(a->static_friction * b->static_friction));
    c[PAIR_DYNAMIC_FRICTION] = (VXE_REAL)(rough * __builtin_sqrt(a->dynamic_friction * b->dynamic_friction));
    c[PAIR_STOP] = (VXE_REAL)(CONTACT_STOP_SPRING * mass / (dt * dt));
    c[PAIR_SLACK] = (VXE_REAL)contact_slack(sim->environment.collision_distance);
}

/* The constants of two voxels: in the table, or computed into `room`. */
static inline const VXE_REAL *pair_constants(const vxe_sim *sim, int32_t v, int32_t w,
                                             VXE_REAL room[PAIR_CONSTANTS])
{
    const native_state *s = sim->native;
    const uint16_t *material = sim->model->material;
    if (s->pairs == NULL) {
        pair_of_materials(sim, material[v], material[w], room);
        return room;
    }
    const size_t materials = (size_t)sim->model->constant_count + 1;
    return s->pairs + ((size_t)material[v] * materials + (size_t)material[w]) * PAIR_CONSTANTS;
}

/* Half the distance at which two voxels of the size of the pitch touch: with the sum of two sizes, in
 * pitches, their reach. */
static inline double half_reach(const vxe_sim *sim)
{
    return 0.5 * (sim->environment.collision_distance * sim->model->view.pitch);
}

/* A spring that takes hold or lets go inside a step, when two surfaces close in by `way` per step, exchanges
 * up to k way^2/8 too little or too much. */
static inline double uncertain_energy(double stiffness, double way) { return 0.125 * stiffness * way * way; }

/* The same of the spring between two voxels that met or parted in this step. */
static inline double uncertain_of_pair(const vxe_sim *sim, int32_t v, int32_t w, VXE_REAL stiffness,
                                       double dt)
{
    const native_state *s = sim->native;
    double square = 0.0;
    for (int a = 0; a < 3; a++) {
        const double d = (double)(s->velocity[a][w] - s->velocity[a][v]);
        square += d * d;
    }
    return uncertain_energy((double)stiffness, dt * __builtin_sqrt(square));
}

/* Pairs that do not touch any more: what the sticking spring still held is lost. */
static inline void end_contacts(vxe_sim *sim, double dt)
{
    const collider *c = sim->collider;
    double slipped = 0.0;
    for (int64_t k = 0; k < c->parted_count; k++) {
        const int32_t i = c->parted[k];
        const int32_t v = c->list.first[i];
        const int32_t w = c->list.second[i];
        contact_state *state = &c->list.state[i];
        VXE_REAL room[PAIR_CONSTANTS];
        const VXE_REAL *constants = pair_constants(sim, v, w, room);
        sim->last.uncertain += uncertain_of_pair(sim, v, w, constants[PAIR_STIFFNESS], dt);
        for (int a = 0; a < 3; a++)
            slipped += 0.5 * (double)constants[PAIR_TANGENT] * state->stick[a] * state->stick[a];
        *state = (contact_state){{0.0, 0.0, 0.0}, 0, 0};
    }
    sim->last.plastic += slipped;
}

#endif
