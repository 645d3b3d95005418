/* The manifest: every array that belongs to voxels, links or supports, listed once. Memory, reset,
 * checkpoint, hash and views follow from it, and so does what travels between the host and a machine that
 * keeps arrays of its own. (Pairs of voxels that are near belong to the collider: collide.h.)
 *
 * To add an array: one line here. It is then a member of vxe_sim of that name, there where its conditions are
 * met (NULL elsewhere), zero after a reset, and saved and hashed as its line says. */
#ifndef SIM_STATE_H
#define SIM_STATE_H

#include "voxelastic/sim.h"

/* What an array has an element for: each voxel; each voxel, component a being its link along axis a towards
 * larger coordinates; each voxel with a held degree of freedom. */
typedef enum state_shape { PER_VOXEL, PER_LINK, PER_SUPPORT } state_shape;

/* When an array exists: all of these must hold. */
enum {
    WHEN_AUDIT = 1,     /* the energy account is kept */
    WHEN_SOLID = 2,     /* elasticity is `solid` */
    WHEN_NONLINEAR = 4, /* links can yield or break */
    WHEN_DISC = 8,      /* the floor has an edge, or something begins below it */
    WHEN_HELD = 16,     /* some degree of freedom is held */
    WHEN_OUTSIDE = 32,  /* there is drag, a force field or cilia */
    WHEN_GROUND = 64,   /* there is ground, a solid or a rigid part */
    WHEN_WATER = 128,   /* there is water */
    WHEN_RULES = 256    /* the scene has rules: life.h */
};

/* What becomes of it. */
enum {
    STATE_SAVED = 1,  /* in checkpoints */
    STATE_HASHED = 2, /* in vxe_sim_hash() */
    STATE_PUBLIC = 4, /* in vxe_sim_state() */
    STATE_DEVICE = 8  /* a backend may keep it in memory of its own; the others stay on the host */
};
#define STATE_MOTION (STATE_SAVED | STATE_HASHED | STATE_PUBLIC | STATE_DEVICE)
#define STATE_SHOWN (STATE_SAVED | STATE_PUBLIC | STATE_DEVICE)
#define STATE_KEPT (STATE_SAVED | STATE_DEVICE)

/* X(name, type, components, numbers per element, shape, when, flags, unit, written by).
 * The order is that of memory and of checkpoints. Stages are those of step.c. */
#define STATE_ARRAYS(X)                                                                                      \
    X(position, double, 3, 1, PER_VOXEL, 0, STATE_MOTION, "m", "move")                                       \
    X(orientation, double, 4, 1, PER_VOXEL, 0, STATE_MOTION, "quaternion w x y z", "move")                   \
    X(velocity, double, 3, 1, PER_VOXEL, 0, STATE_MOTION, "m/s", "hold, kick, damp, apart, move")            \
    X(spin, double, 3, 1, PER_VOXEL, 0, STATE_MOTION, "rad/s", "hold, kick, damp, apart, move")              \
    X(force, double, 3, 1, PER_VOXEL, 0, STATE_SHOWN, "N", "loads, links, move")                             \
    X(moment, double, 3, 1, PER_VOXEL, 0, STATE_SHOWN, "N m", "loads, links, move")                          \
    X(contact_force, double, 3, 1, PER_VOXEL, 0, STATE_SHOWN, "N", "apart, move")                            \
    X(growth, double, 1, 1, PER_VOXEL, 0, STATE_SHOWN, "size/pitch - 1", "signals")                          \
    X(pressure, double, 1, 1, PER_VOXEL, 0, STATE_SHOWN, "Pa", "pressure")                                   \
    /* half the sum of the strains of a voxel's faces; K + 2 C/dt of a voxel's links as they are */          \
    X(volume, double, 1, 1, PER_VOXEL, 0, STATE_DEVICE, "volume strain", "strains")                          \
    X(link_sum, double, 1, 1, PER_VOXEL, 0, STATE_DEVICE, "N/m", "links")                                    \
    X(bound_sum, double, 1, 1, PER_VOXEL, 0, 0, "N/m", "the bound") /* likewise */                           \
    /* room within one call: volume strains and pressures of readings, of the bound; sizes */                \
    X(scratch, double, 2, 1, PER_VOXEL, 0, 0, "any", "readings, targets, the bound")                         \
    /* what the floor was taken to add to a velocity */                                                      \
    X(guess, double, 3, 1, PER_VOXEL, 0, STATE_DEVICE, "m/s", "kick, apart")                                 \
    /* before a step that is split: velocities; with the account, loads without what takes energy */         \
    X(velocity_before, double, 3, 1, PER_VOXEL, 0, STATE_DEVICE, "m/s", "kick")                              \
    X(spin_before, double, 3, 1, PER_VOXEL, 0, STATE_DEVICE, "rad/s", "kick")                                \
    X(kept_force, double, 3, 1, PER_VOXEL, WHEN_AUDIT, STATE_DEVICE, "N", "kick")                            \
    X(kept_moment, double, 3, 1, PER_VOXEL, WHEN_AUDIT, STATE_DEVICE, "N m", "kick")                         \
    /* what takes energy of the loads: damping, friction */                                                  \
    X(lost_force, double, 3, 1, PER_VOXEL, WHEN_AUDIT, STATE_KEPT, "N", "links, move")                       \
    X(lost_moment, double, 3, 1, PER_VOXEL, WHEN_AUDIT, STATE_KEPT, "N m", "links, move")                    \
    X(growth_before, double, 1, 1, PER_VOXEL, WHEN_AUDIT, STATE_KEPT, "size/pitch - 1", "signals")           \
    X(conjugate, double, 1, 1, PER_VOXEL, WHEN_AUDIT, STATE_KEPT, "J", "links") /* force of growth */        \
    /* 1: held by the floor's friction, or STUCK_FRESH */                                                    \
    X(stuck, uint8_t, 1, 1, PER_VOXEL, 0, STATE_MOTION, "latch", "kick, apart, move")                        \
    /* depth at which it meets a floor that is a disc, or PASSES_FLOOR */                                    \
    X(floor_rest, double, 1, 1, PER_VOXEL, WHEN_DISC, STATE_KEPT, "m", "kick")                               \
    /* surfaces that a voxel touches (model/world.h): which, 0 for none; its latch, like `stuck`; the depth  \
     * from which it counts; what its spring held in the middle of the last step, and how far off it was */  \
    X(touch_place, uint32_t, 3, 1, PER_VOXEL, WHEN_GROUND, STATE_SAVED | STATE_HASHED, "place", "apart")     \
    X(touch_stuck, uint8_t, 3, 1, PER_VOXEL, WHEN_GROUND, STATE_SAVED | STATE_HASHED, "latch", "apart")      \
    X(touch_rest, double, 3, 1, PER_VOXEL, WHEN_GROUND, STATE_SAVED, "m", "apart")                           \
    X(touch_energy, double, 3, 1, PER_VOXEL, WHEN_GROUND, STATE_SAVED, "J", "apart")                         \
    X(touch_distance, double, 3, 1, PER_VOXEL, WHEN_GROUND, STATE_SAVED, "m", "apart")                       \
    /* loads of voxels that are held, while a step is in parts */                                            \
    X(held_load, double, 6, 1, PER_VOXEL, WHEN_HELD, STATE_DEVICE, "N, N m", "kick, damp, apart")            \
    X(outside, double, 3, 1, PER_VOXEL, WHEN_OUTSIDE, STATE_DEVICE, "N", "outside")                          \
    X(outside_turn, double, 3, 1, PER_VOXEL, WHEN_WATER, STATE_DEVICE, "N m", "outside")                     \
    X(outside_faces, uint8_t, 1, 1, PER_VOXEL, WHEN_OUTSIDE, 0, "faces with links", "outside")               \
    /* pressure per volume strain of a voxel by itself */                                                    \
    X(modulus, double, 1, 1, PER_VOXEL, WHEN_SOLID, STATE_DEVICE, "Pa", "edits, break")                      \
    X(own_kind, uint32_t, 3, 1, PER_LINK, WHEN_NONLINEAR, STATE_DEVICE, "class + 1", "break")                \
    X(own_free_faces, uint8_t, 1, 1, PER_VOXEL, WHEN_NONLINEAR, STATE_DEVICE, "faces", "break")              \
    X(own_pressure_class, uint8_t, 1, 1, PER_VOXEL, WHEN_NONLINEAR, STATE_DEVICE, "class", "break")          \
    X(plastic, double, 3, 1, PER_LINK, WHEN_NONLINEAR, STATE_KEPT | STATE_HASHED, "strain", "yield")         \
    X(hardening, double, 3, 1, PER_LINK, WHEN_NONLINEAR, STATE_KEPT, "strain", "yield")                      \
    /* by how much the plastic strain grew in this step; the tension in the step before */                   \
    X(flow, double, 3, 1, PER_LINK, WHEN_NONLINEAR | WHEN_AUDIT, STATE_DEVICE, "strain", "yield")            \
    X(pulled, double, 3, 1, PER_LINK, WHEN_NONLINEAR | WHEN_AUDIT, STATE_KEPT, "N", "yield")                 \
    X(broken, uint8_t, 3, 1, PER_LINK, WHEN_NONLINEAR, STATE_KEPT | STATE_HASHED, "0, 1", "links, break")    \
    X(yielded, uint8_t, 3, 1, PER_LINK, WHEN_NONLINEAR, STATE_KEPT, "0, 1", "yield")                         \
    /* velocities of held degrees of freedom before the step; what the supports exert */                     \
    X(held_velocity, double, 1, 6, PER_SUPPORT, 0, STATE_KEPT, "m/s, rad/s", "hold")                         \
    X(reaction, double, 1, 6, PER_SUPPORT, 0, STATE_KEPT, "N, N m", "settle, close")                         \
    /* whether a voxel is there; its impulse: pulse, when it is due, rest, fading, when it fires next; */    \
    X(alive, uint8_t, 1, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED | STATE_HASHED, "0, 1", "live")               \
    X(impulse, double, 1, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED | STATE_HASHED, "1", "live")                 \
    X(nerve, double, 5, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED | STATE_HASHED, "1, s", "live")                \
    X(offer, double, 2, 1, PER_VOXEL, WHEN_RULES, 0, "1, s", "live") /* work space */                        \
    /* what it remembers; size that is driven, and to be; that it has developed; when it came; when it may   \
     * stick; strain, pressure, stress, touch, light, heat, distance, links, body */                         \
    X(memory, double, 4, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED | STATE_HASHED, "1", "live")                  \
    X(driven, double, 2, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED, "size/pitch", "live")                        \
    X(developed, double, 1, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED, "size/pitch", "live")                     \
    X(born, double, 1, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED, "s", "live")                                   \
    X(shy, double, 1, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED, "s", "live")                                    \
    X(sense, double, 9, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED, "1, Pa, Pa, N, 1, K, m, 1, 1", "live")        \
    /* its material as it is now; the rule that brought it + 1; factor of its cilia; what pushes it */       \
    X(role, uint32_t, 1, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED | STATE_HASHED, "material", "live")           \
    X(grower, uint32_t, 1, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED, "rule + 1", "live")                        \
    X(stroke, double, 1, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED, "1", "live")                                 \
    X(pushed, double, 3, 1, PER_VOXEL, WHEN_RULES, STATE_SAVED, "N", "live")                                 \
    X(unjoined, uint8_t, 3, 1, PER_LINK, WHEN_RULES, STATE_SAVED, "0, 1", "live") /* they grew apart */      \
    X(bound, float, 3, 6, PER_VOXEL, 0, 0, "vectors of the Lanczos process", "the bound")                    \
    X(marks, uint8_t, 1, 1, PER_VOXEL, 0, 0, "links along an axis", "readings")

typedef enum state_id {
#define X(name, type, components, each, shape, when, flags, unit, writer) STATE_##name,
    STATE_ARRAYS(X)
#undef X
        STATE_COUNT
} state_id;
_Static_assert(STATE_COUNT <= 64, "a set of arrays is a number of 64 bits");

/* Sets of arrays, as bits. */
typedef uint64_t state_set;
#define STATE_SET(name) (UINT64_C(1) << STATE_##name)

/* A line of the manifest. */
typedef struct state_field {
    const char *name;
    const char *unit;
    const char *writer;
    const char *type;  /* double, float, uint8_t, uint32_t */
    size_t size;       /* of a number, bytes */
    size_t place;      /* of the first component's pointer in vxe_sim, bytes */
    int8_t components; /* arrays */
    int8_t each;       /* numbers of an array per element */
    uint8_t shape;     /* state_shape */
    uint16_t when;
    uint8_t flags;
} state_field;

extern const state_field vxe_state_fields[STATE_COUNT];

/* The array of a name; STATE_COUNT: there is none. */
state_id vxe_state_find(const char *name);
/* Arrays with some of these flags. */
state_set vxe_state_with(unsigned flags);
/* Numbers in each component. */
size_t vxe_state_length(const vxe_sim *sim, state_id id);
/* A component; NULL: a scene like this has none. */
void *vxe_state_at(const vxe_sim *sim, state_id id, int component);

/* Makes and frees the arrays; sim->threads is known, sim->bytes grows. */
vxe_result vxe_state_create(vxe_sim *sim, vxe_error *error);
void vxe_state_destroy(vxe_sim *sim);
/* All to zero. */
void vxe_state_clear(vxe_sim *sim);

/* Where arrays are: in the manifest's own memory; in that of the host's loops, which is another one in single
 * precision; in that of a device. */
typedef enum state_place { ON_HOST, ON_LOOPS, ON_DEVICE, STATE_PLACES } state_place;

/* Brings arrays to the host as they are now. Host code calls it before it reads what a machine may keep in
 * memory of its own (STATE_DEVICE), but for what its stage's line in stage.h names. Between steps those that
 * are saved or public are always there. */
void vxe_state_read(vxe_sim *sim, state_set arrays);
/* Host code has changed arrays, or will before a stage runs. */
void vxe_state_wrote(vxe_sim *sim, state_set arrays);
/* The same for any place. */
void vxe_state_bring(vxe_sim *sim, state_place place, state_set arrays);
void vxe_state_changed(vxe_sim *sim, state_place place, state_set arrays);

#endif
