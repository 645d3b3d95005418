/* Which voxels can touch. The collider keeps a list of pairs that are not linked (nor neighbours of
 * neighbours) and closer than the horizon, and makes it again before any other pair could touch. In:
 * positions, sizes, links. Out: the list, in order of (first, second), for the contact stage. */
#ifndef SIM_COLLIDE_H
#define SIM_COLLIDE_H

#include "base/sum.h"
#include "base/vec.h"
#include "kernel/contact.h"
#include "kernel/strain.h"
#include "sim/sim.h"

/* Pairs per candidate voxel that the list has room for. Memory that is not used is not touched. */
#define PAIRS_PER_VOXEL 24

/* What a pair remembers. */
typedef struct contact_state {
    double stick[3];  /* m: extension of the sticking spring */
    double rest;      /* m: depth at which the pair was found, and from which it counts */
    double energy;    /* J: in its springs, in the middle of the last step */
    double force[3];  /* N: on the second, in the last step */
    int32_t stuck;    /* 1: held by static friction */
    int32_t touching; /* 1: it was in contact in the last step */
    double since;     /* s: when that contact began */
} contact_state;

typedef struct pair_list {
    int32_t *first;
    int32_t *second; /* > first */
    contact_state *state;
    double *due; /* m: how far things must have come (collider.way) before they can touch */
    int64_t count;
} pair_list;

/* A pair that touches, with what contacts need of it first. */
typedef struct touching_pair {
    double offset[3]; /* m: from the first to the second */
    int32_t first, second;
} touching_pair;

/* A contact that exists, while the list is made again. */
typedef struct kept_contact {
    int32_t first, second;
    contact_state state;
} kept_contact;

/* What two materials make of a contact. */
typedef struct pair_constants {
    double stiffness;      /* N/m */
    double damping;        /* N s/m */
    double still, sliding; /* coefficients of friction */
} pair_constants;

/* A voxel with contacts, while they are solved (contact.c). Velocities: m/s, then spins in rad/s. */
typedef struct contact_body {
    _Alignas(64) double now[6]; /* as far as it has come, with the floor's part and ground damping */
    double inverse_mass, inverse_inertia; /* 1/kg, 1/(kg m^2), of which ground damping leaves a part */
    double before[6];                     /* before the step */
    double depth;                         /* m: in the floor */
    int32_t voxel;
    uint8_t rigid;     /* 1: of a rigid part, which moves it: rigid.h */
    uint8_t fixed;     /* vxe_dof bits */
    double floor[3];   /* m/s: the floor's part, where it is near */
    double impulse[6]; /* N s, N m s: if it is held, what contacts have done since it was gathered */
} contact_body;

/* The contacts of a voxel: of its pairs the first, as the place in the packs twice, and 1 more where it is
 * the second of the pair; -1: none. The others follow by contact_pack.next. */
typedef struct body_rows {
    int32_t first;
    int32_t level; /* of the last, while they are listed; -1: none yet, afterwards: none in this step */
    int32_t voxel;
    uint8_t special;    /* 1: it is held or of a rigid part */
    uint8_t floor_near; /* 1: the floor can touch it in this step */
} body_rows;

/* What a pair adds to the account. */
typedef enum row_term { ROW_SHIFT, ROW_CONTACT, ROW_SWELLING, ROW_GAINED, ROW_TERMS } row_term;

/* A pair that may touch in this step: which, in the order of the list. */
typedef struct contact_row {
    int32_t first, second; /* numbers of bodies */
    int32_t touch, pair;   /* number in touching_pairs, and on the list */
    int32_t level; /* pairs of a level share no voxel; it comes after those before it that share one */
    int32_t slot;  /* its place in the packs */
} contact_row;

/* Such pairs while they are solved, by level, several side by side: backend/cpu/contact_loops.h. */
#define PACK_ROWS 8
typedef double row_numbers[PACK_ROWS];
typedef struct contact_pack {
    row_numbers normal[3];                 /* from the first to the second */
    row_numbers reach;                     /* m: the distance at which they touch */
    row_numbers arm1, arm2;                /* m: from the centres to the point of contact */
    row_numbers stiffness, still, slides;  /* N/m; coefficients of friction */
    row_numbers mobility, mobility_across; /* 1/kg */
    row_numbers damp, damp_across;         /* of 1: contact_damp() */
    row_numbers rest;                      /* m */
    row_numbers before, depth;             /* m: half a step ago and now, less `rest` */
    row_numbers parting, sliding[3];       /* m/s: before the step */
    row_numbers stick[3];                  /* m: half a step ago */
    row_numbers force, drag[3];            /* N: along the normal, on the second; across it */
    row_numbers energy;                    /* J: in its springs, in the middle of the last step */
    row_numbers booked[ROW_TERMS];         /* J: what they add to the account */
    int64_t stuck[PACK_ROWS];              /* 0 or -1 */
    int32_t first[PACK_ROWS], second[PACK_ROWS];
    int32_t touch[PACK_ROWS], pair[PACK_ROWS]; /* numbers in touching_pairs and on the list */
    int32_t next[2][PACK_ROWS]; /* of the first voxel's pairs the next, and of the second's: body_rows */
    uint8_t used;               /* which of its places are taken, a bit each; */
    uint8_t last;               /* after which a level ends; */
    uint8_t special;            /* where a voxel is held or of a rigid part */
} contact_pack;

/* Few candidates while their list is made, eight by eight: collide_few.c. */
#define OCTET 8
#define OCTETS_MOST 128
typedef struct octet_search {
    int32_t octet_count;
    double near;                                      /* m^2: pairs closer than that */
    double place[3][OCTETS_MOST * OCTET];             /* m; not a number behind the last */
    double low[3][OCTETS_MOST], high[3][OCTETS_MOST]; /* m: boxes of octets; far away */
    const uint8_t *may_touch;                         /* (octets * 8, octets): a bit for each pair */
} octet_search;

struct bound_batch;
struct ground_search;

/* What is done on this machine in double, whatever the precision of the rest: packs first. */
typedef struct contact_loops {
    /* Where rows begin, and the forces of the last step act. Returns the largest, N. */
    double (*begin)(vxe_sim *sim, const step_context *context, contact_pack *packs, int64_t count);
    /* Solves rows with what the others do: in round 0 all, else those whose voxels others have changed since.
     * True: one has changed by more than `slight`, N; `largest` grows to the largest force. */
    bool (*solve)(vxe_sim *sim, const step_context *context, contact_pack *packs, int64_t count, int round,
                  double slight, double *largest);
    /* The floor under bodies, all or those with the numbers given, in the same way. */
    bool (*floor)(vxe_sim *sim, const step_context *context, const int32_t *numbers, int32_t count, int round,
                  double slight);
    /* What pairs remember, and their part of the account. Returns how many press. */
    int64_t (*close)(vxe_sim *sim, const step_context *context, contact_pack *packs, int64_t count);
    /* Near pairs of candidates, the first of which is in an octet, in order: how many; -1: no room. */
    int64_t (*octet)(const octet_search *search, int32_t octet, int32_t *first, int32_t *second, int64_t room,
                     int64_t *tests);
    /* Numbers from `begin` to before `end` of points that are closer to `one` of them than the root of
     * `near`, m^2, in order: how many. Up to 7 points behind the end are read, and hits written. */
    int32_t (*near)(double *const place[3], int32_t one, int32_t begin, int32_t end, double near,
                    int32_t *hits);
    /* Adds what the drag of the fluid does to voxels to `outside`, as loads.c tells it; dt, s: load_moment.
     */
    void (*drag)(vxe_sim *sim, double dt);
    /* Likewise water that stands, to `outside` and `outside_turn`. */
    void (*water)(vxe_sim *sim, double dt);
    /* Where loops are in double: adds `outside` to the loads of the first voxels, if `apply`, and its power,
     * W, to a sum of so many numbers that a multiple of 16 is there. Returns how many voxels: whole sixteens.
     */
    int32_t (*push)(vxe_sim *sim, tree_sum *power, bool apply);
    /* Ground: ground.h. In near blocks of voxels those that touch, in packs and rows. */
    void (*ground_find)(vxe_sim *sim, const struct ground_search *search);
    /* Where packs begin; `guess`: with their forces. */
    void (*ground_begin)(vxe_sim *sim, const step_context *context, bool guess);
    /* Their forces, what they remember and add to the account. Returns the largest along a normal, N;
     * `changed`: one has changed by more than `slight`, N, if that is not negative. */
    double (*ground_end)(vxe_sim *sim, const step_context *context, double slight, bool *changed,
                         double *booked);
    /* Links of the bound's process: bound.h. */
    void (*operate)(struct bound_batch *batch, bool stiffness);
} contact_loops;
extern const contact_loops vxe_contact_loops_plain;    /* one by one */
extern const contact_loops vxe_contact_loops_portable; /* 2 at once */
extern const contact_loops vxe_contact_loops_avx2;     /* 4 */
extern const contact_loops vxe_contact_loops_avx512;   /* 8 */

/* A candidate in the order of the grid's cells, with all that two near ones are told apart by. */
typedef struct grid_item {
    int32_t cell[3]; /* in the lattice */
    int32_t candidate;
    uint32_t exclusion;
} grid_item;

/* Offsets in the lattice towards later voxels: x and y from -3 to 3, z from 0 to 3; 31 of these places are
 * three cells away or less and have a number. */
#define OFFSET_PLACES (7 * 7 * 4)
#define OFFSET_NONE 31
#define EXCLUSION_KNOWN (UINT32_C(1) << OFFSET_NONE)

typedef struct collider {
    vxe_collisions scheme;
    int32_t candidate_count;
    int32_t *candidates; /* voxels that can touch: with a free face, or all; increasing */
    int32_t
        *previous[3]; /* the neighbour towards smaller coordinates, or -1; the mirror of the model's next */
    uint32_t *exclusion; /* offsets of later voxels that are three links away or less, with EXCLUSION_KNOWN;
                            (candidate_count) */
    uint8_t offset_bit[OFFSET_PLACES];
    bool may_touch_known;
    bool bodies_stay;   /* `bodies` are those of the last step */
    uint8_t *may_touch; /* of few candidates: octet_search; else NULL */
    int64_t capacity;
    pair_list list;

    double horizon;    /* m: pairs closer than this when the list was made are on it */
    double closed;     /* m: no two voxels have come closer by more than this since */
    double way;        /* m: no two surfaces have come closer by more than this since; never measured */
    double way_before; /* m: the same in the step before */
    double largest;    /* m: no voxel touches another from further now */
    double travel;     /* m: furthest way of a voxel in the last step */
    double margin;   /* m: pairs that will be closer than this in the middle of the step count as touching */
    double rounding; /* m: what rounding can add to a voxel's way in a step */
    double *anchor[3]; /* m: positions when the list was made, (candidate_count) */
    int64_t tests;     /* pair distances computed by list making, since the start */
    int64_t rebuilds;  /* likewise */

    /* numbers of pairs on the list, in its order: that may touch before `way` is `near_until`; that touch */
    int32_t *near;
    double *near_due; /* m: `due` of those, side by side */
    int64_t near_count;
    double near_until;
    int32_t *touching;
    touching_pair *touching_pairs; /* likewise */
    int64_t touching_count;
    int32_t *parted; /* that touched until now */
    int64_t parted_count;
    uint8_t *held;      /* 0: the pair on the list remembers nothing; else its state tells */
    kept_contact *kept; /* contacts, while the list is made again */

    /* the contacts of a step: contact.c */
    contact_row *rows; /* in the order of the list */
    int64_t row_count;
    int32_t *row_order; /* by level */
    int32_t *level_end; /* where they end there */
    contact_pack *packs;
    contact_body *bodies;            /* those of the last step stay while the list does */
    uint64_t *marks;                 /* a bit per voxel, all zero between uses */
    void *pack_memory, *body_memory; /* where those two lie, at whole lines of the cache */
    body_rows *body_rows;
    /* Who must be solved again, because others have changed its voxels by more than rounds let pass: a byte
     * per pack, a bit per pair; a byte per body, for the floor. */
    uint8_t *pack_due, *floor_due;
    double force_most; /* N: the largest along a normal that rounds have come across in this step */
    int32_t rounds;    /* of the last step: contact.c */
    int32_t body_count;
    int32_t *body_of;          /* number of a voxel's body, or -1, (voxel_count) */
    pair_constants *constants; /* of every two materials; NULL: there are too many */

    int32_t stale; /* 1: the list must be made again whatever the motion */

    /* the grid */
    int32_t grid_size[3]; /* cells along each axis, powers of two */
    size_t cell_count;    /* there is room for */
    int32_t *cell_begin;  /* where the items of a cell begin, (cell_count + 1) */
    int32_t *cell_of;     /* (candidate_count) */
    grid_item *items;
    double *item_place[3]; /* m: where they are */
    int32_t *pair_begin;   /* (candidate_count + 1) */
    int64_t raw_count;     /* pairs of candidates found so far, in `near` and `touching` */
} collider;

vxe_result vxe_collider_create(vxe_sim *sim, vxe_error *error);
void vxe_collider_destroy(vxe_sim *sim);
void vxe_collider_reset(vxe_sim *sim);

/* Before contacts of a step: makes the list again if a pair that is not on it could touch now, and finds the
 * pairs that do. */
sim_stage vxe_collide;
/* After links broke: other voxels are at the surface, and neighbours may collide. */
void vxe_collider_links_changed(vxe_sim *sim);
/* Whether two voxels are within three links of each other: such pairs never collide. */
bool vxe_collider_excluded(const vxe_sim *sim, int32_t first, int32_t second);

/* contact.c: after the loads and before damping, what may touch, and a guess of its forces; */
sim_stage vxe_contacts_begin;
/* after damping, the forces; */
sim_stage vxe_contacts_solve;
/* velocity and spin of a voxel as far as they have come; */
const double *vxe_body_now(const vxe_sim *sim, contact_body *body);
/* an impulse on one voxel, N s, and its moment; */
void vxe_push_body(const vxe_sim *sim, contact_body *body, vec3 impulse, vec3 turn);
/* Others have changed its motion: its pairs, but for the one at `slot`, and the floor under it must be solved
 * again. */
static inline void vxe_body_changed(const collider *c, int32_t body, int32_t slot)
{
    c->floor_due[body] |= c->body_rows[body].floor_near;
    for (int32_t r = c->body_rows[body].first; r >= 0;) {
        const int32_t own = r / 2;
        if (own != slot) c->pack_due[own / PACK_ROWS] |= (uint8_t)(1U << (own % PACK_ROWS));
        r = c->packs[own / PACK_ROWS].next[r % 2][own % PACK_ROWS];
    }
}
/* of a row with a voxel that is held or of a rigid part: how far it gives way; */
void vxe_row_mobility(const vxe_sim *sim, contact_pack *p, int i);
/* what the materials of two voxels make of a contact, in a table or in `own`; */
const pair_constants *vxe_pair_constants(const vxe_sim *sim, int32_t v, int32_t w, pair_constants *own);
/* after an edit of damping, constants of materials */
void vxe_contacts_refresh(vxe_sim *sim);

/* m: the distance at which two voxels begin to touch. A voxel touches others as a ball of its current size
 * times the environment's collision distance. */
static inline double vxe_contact_reach_of(const vxe_sim *sim, double growth1, double growth2)
{
    const double pitch = sim->environment.collision_distance * sim->model->view.pitch;
    return contact_reach(pitch, growth1, growth2);
}
static inline double vxe_contact_reach(const vxe_sim *sim, int32_t v, int32_t w)
{
    return vxe_contact_reach_of(sim, sim->growth[0][v], sim->growth[0][w]);
}

/* Within collide.c, collide_list.c and collide_few.c. */
double vxe_distance_squared(const vxe_sim *sim, int32_t v, int32_t w); /* m^2 */
/* What `way` must be for two voxels at that distance, squared, to touch. */
double vxe_collider_due(const collider *c, double square, double way);
void vxe_collider_number_offsets(collider *c);
/* The list of pairs of candidates closer than c->horizon, in order; false: there is no room. */
bool vxe_collider_list_all(vxe_sim *sim, pair_list *list);
bool vxe_collider_list_by_grid(vxe_sim *sim, pair_list *list);
bool vxe_collider_list_few(vxe_sim *sim, pair_list *list);
/* Whether candidates are few, and how many bytes `may_touch` takes then. */
bool vxe_collider_is_few(size_t candidates);
size_t vxe_collider_few_bytes(size_t candidates);
/* The set of offsets that are three links or less away from candidate i. */
uint32_t vxe_collider_exclusion(vxe_sim *sim, int32_t i);
/* Place of an offset towards a voxel that comes later in the lattice, in `offset_bit`: 0, where none is, if
 * it is too far. */
static inline uint32_t vxe_offset_place(int32_t x, int32_t y, int32_t z)
{
    const uint32_t column = (uint32_t)x + 3U;
    const uint32_t row = (uint32_t)y + 3U;
    const uint32_t layer = (uint32_t)z;
    const bool inside = (column < 7U) & (row < 7U) & (layer < 4U);
    return ((layer * 7U + row) * 7U + column) * (uint32_t)inside;
}
/* Whether the second voxel, which comes later in the lattice, lies at an offset of the set. */
static inline bool vxe_collider_in_set(const collider *c, uint32_t set, int32_t x, int32_t y, int32_t z)
{
    return (set >> c->offset_bit[vxe_offset_place(x, y, z)] & 1U) != 0;
}
/* Puts a pair at a place of the list. */
void vxe_collider_put(const vxe_sim *sim, const pair_list *list, int64_t i, int32_t v, int32_t w);

#endif
