/* What rules do to a simulation. After every step, in this order: impulses spread; sources shine and voxels
 * sense; controllers and development set sizes; voxels disappear, come apart, become others, bonds let go,
 * voxels stick, grow and appear; forces for the next step; the end. All of it is done on the host in double,
 * voxel by voxel in their order, so it has the same bits on every machine.
 *
 * A voxel that is not there (not yet, or no longer) has material 0, which has no mass, no links and size 0;
 * loops over voxels pass over it without looking. Memory for all that may come is taken at the start. */
#ifndef SIM_LIFE_H
#define SIM_LIFE_H

#include "sim/sim.h"

/* A bond: see kernel/bond.h. */
typedef struct sim_bond {
    int32_t first, second; /* first < second */
    int32_t rule;
    uint32_t kind;       /* class + 1 of the link it is */
    double near_turn[4]; /* w x y z, of the first */
    double far_turn[4];
    double rest;    /* m: length without load of voxels of size 1 */
    double length;  /* m: when it was made */
    double since;   /* s */
    double tension; /* N: in the last step */
    int32_t failed; /* 1: it lets go after this step */
    int32_t unused;
} sim_bond;

/* How many of everything there have been; saved. */
typedef struct life_counts {
    int64_t grown, removed, bonded, released;
    int64_t bond_count;
    int64_t ended; /* 1: a rule has ended the run */
} life_counts;

typedef struct sim_life {
    uint16_t *material;   /* of voxels as they are now, 0: not there, (voxel_count) */
    int32_t *previous[3]; /* neighbour towards smaller coordinates, or -1, (voxel_count) */
    double *next_look;    /* s: of each rule, (rule_count) */
    int64_t *counted; /* of each rule, (rule_count): voxels it has brought; of a source, twice how often it
                       * has come on, plus 1 while it is asked to be */
    int32_t *body;    /* a voxel of the same body: work space, (voxel_count) */
    sim_bond *bonds;  /* (bond_capacity) */
    int64_t bond_capacity;
    uint8_t *bond_count; /* bonds of a voxel, (voxel_count) */
    double *shade;       /* boxes around runs of voxels, low and high, or NULL: no light casts shadows */
    int32_t *targets;    /* voxels of target materials that each touched when it sensed last, (voxel_count) */
    uint8_t *marked;     /* work space, (voxel_count) */
    double *outputs;     /* of controllers: work space, (voxel_count) VXE_OUTPUT_COUNT */
    life_counts counts;
    int64_t turned;          /* times that voxels became others, in this process */
    double lamps;            /* lights that are on, when voxels sensed last; */
    double closeness, pairs; /* likewise, of target voxels */
    bool sensed;             /* senses are those of this moment */
    bool backwards;          /* bonds are damped from the last to the first */
} sim_life;

#define SHADE_RUN 32 /* voxels, one after the other, around which there is a box */

/* What voxels sense: components of `sense`. */
enum {
    SENSE_STRAIN,
    SENSE_PRESSURE,
    SENSE_STRESS,
    SENSE_TOUCH,
    SENSE_LIGHT,
    SENSE_HEAT,
    SENSE_DISTANCE,
    SENSE_LINKS,
    SENSE_BODY,
    SENSES
};

static inline bool vxe_is_present(const vxe_sim *sim, int32_t v)
{
    return sim->alive[0] == NULL || sim->alive[0][v] != 0;
}

/* life.c: makes and frees sim->life, where the scene has rules; */
vxe_result vxe_life_create(vxe_sim *sim, vxe_error *error);
void vxe_life_destroy(vxe_sim *sim);
/* at the start, before links are known; */
void vxe_life_reset(vxe_sim *sim);
/* what follows from who is there, after that and after a checkpoint was read; */
void vxe_life_restore(vxe_sim *sim);
/* The material that a voxel has become, or would come as: its number in the scene's palette. */
uint16_t vxe_life_material(const vxe_sim *sim, int32_t voxel);
/* Counts when voxels become others. */
int64_t vxe_life_turned(const vxe_sim *sim);
/* after voxels came or went: links, surfaces, pressures */
void vxe_life_bodies_changed(vxe_sim *sim);
/* carry.c: a state that is taken over (vxe_sim_carry), `source` as in change.c. Who is there; a voxel that is
 * not, or was not, has no source; */
void vxe_life_carry_voxels(vxe_sim *to, const vxe_sim *from, int32_t *source);
/* and what they know, their bonds, and when rules act next. */
void vxe_life_carry(vxe_sim *to, const vxe_sim *from, const int32_t *source);
/* Whether a rule is about a voxel that is there, and acts at this time. */
bool vxe_rule_acts(const vxe_sim *sim, int32_t rule);
/* Whether it acts and it is time for it to look; if so, when it looks next is set. */
bool vxe_rule_is_due(vxe_sim *sim, int32_t rule);
bool vxe_rule_is_about(const vxe_sim *sim, int32_t rule, int32_t voxel);
/* 0 to 1, the same for the same rule, voxel and step */
double vxe_rule_random(const vxe_sim *sim, int32_t rule, int32_t voxel);

/* senses.c: a formula of a rule for a voxel */
double vxe_rule_value(vxe_sim *sim, int32_t rule, const vxe_formula *formula, int32_t voxel);
/* whether it is above 0, or there is none */
bool vxe_rule_allows(vxe_sim *sim, int32_t rule, const vxe_formula *formula, int32_t voxel);
/* controllers and development: sizes that rules ask for, at the end of a step of this length */
void vxe_rules_drive(vxe_sim *sim, double step);
/* where a source is, m; whether it is on */
bool vxe_source_at(const vxe_sim *sim, int32_t rule, double place[3]);
/* after a step: counts the sources that come on */
void vxe_sources_look(vxe_sim *sim);

/* impulses.c */
void vxe_impulses_spread(vxe_sim *sim);
void vxe_impulse_force(vxe_sim *sim, int32_t voxel, double value, double due);

/* bonds.c: the stages of a step; */
sim_stage vxe_bonds_load;
sim_stage vxe_bonds_brake;
/* what they hold, J, taken back by a time at the present velocities; */
double vxe_bonds_energy(const vxe_sim *sim, double time);
/* after a step: which let go, which are made; true: some were made */
void vxe_bonds_release(vxe_sim *sim, double step);
bool vxe_bonds_make(vxe_sim *sim);
/* class + 1 of a bond that a rule makes between two voxels; 0: it makes none */
uint32_t vxe_bond_class(const vxe_sim *sim, int32_t rule, int32_t v, int32_t w);
/* all of a voxel let go, without booking */
void vxe_bonds_drop(vxe_sim *sim, int32_t voxel);
/* pairs that are bonded do not collide: after the list of pairs was made again */
void vxe_bonds_mask(vxe_sim *sim);

/* bodies.c: for each voxel the first one of the body that links and bonds join it to, (voxel_count); a voxel
 * that is not there is by itself. Also of scenes without rules; */
void vxe_bodies_find(const vxe_sim *sim, int32_t *body);
/* how many voxels that body has, into sense[SENSE_BODY]; */
void vxe_bodies_sense(vxe_sim *sim);
/* marks the voxels of all rules of a kind that are due (life->marked): how many there are; */
int64_t vxe_rules_mark(vxe_sim *sim, vxe_rule_kind kind);
/* after a step: what comes apart, and what becomes another */
void vxe_links_cut(vxe_sim *sim, double step);
void vxe_voxels_become(vxe_sim *sim);

/* pushes.c: at the end of all, for the next step: forces and cilia; whether the run is over */
void vxe_rules_push(vxe_sim *sim);
void vxe_rules_end(vxe_sim *sim);

/* grow.c: after a step; */
void vxe_voxels_remove(vxe_sim *sim, double step);
/* true: some grew */
bool vxe_voxels_grow(vxe_sim *sim, double step);

/* change.c: a voxel beside one that has its pose, where a rigid body would have it */
void vxe_place_beside(vxe_sim *to, int32_t v, int32_t near, int a, double side);

#endif
