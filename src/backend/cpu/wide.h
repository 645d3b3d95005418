/* The wide backends: the same kernels over several voxels at once. Each instruction set and precision has its
 * own translation unit that includes wide_loops.h; blocks of the lattice are described once per simulation.
 * Results have the same bits as the plain backend's. */
#ifndef BACKEND_CPU_WIDE_H
#define BACKEND_CPU_WIDE_H

#include "backend/cpu/machine.h"

#define LANES_MAX 16

/* The links along one axis that start in a block of consecutive voxels. */
typedef struct wide_block {
    int32_t far;       /* lane i's far end is far + i; WIDE_SPLIT: see segments */
    uint32_t lanes;    /* bit i: lane i has one */
    int32_t constants; /* which pattern of classes, in wide_plan.link_constants */
    int32_t segment;   /* of WIDE_SPLIT: the first one */
    uint16_t segment_count;
    uint8_t can_break; /* 1: some can */
    uint8_t held : 1;  /* some link has an end that is held */
    uint8_t alike : 1; /* both ends of every link have the same mass */
    uint32_t even;     /* bit i: lane i is at an even place; see damping_pass */
} wide_block;

#define WIDE_SPLIT (-1)

/* Lanes of a block whose far ends are consecutive. */
typedef struct wide_segment {
    int32_t far;
    uint32_t lanes;
} wide_segment;

/* The links along one axis that end in a block of consecutive voxels. */
typedef struct wide_pull {
    int32_t from;    /* lane i's near end is from + i, if segment_count is 0 */
    uint32_t lanes;  /* bit i: lane i has one */
    int32_t segment; /* else they are a few runs: the first one */
    int32_t segment_count;
} wide_pull;

/* What links do to their far ends along y and z is kept from when their own turn comes to that of the far
 * ends: force, moment and rate, in arrays over as many voxels as lie between, used again and again. Behind
 * `size` elements the first ones are repeated, so that vectors can reach over the end, and there is room for
 * one block more. What a link does to its near end is the opposite force and another moment, which is needed
 * at once and always lies at the beginning. */
enum {
    RING_FORCE = 0,
    RING_MOMENT = 3,
    RING_RATE = 6,
    RING_PULLED = 7,
    RING_CONJUGATE = 7, /* with the account: force of growth; and with explicit damping what that does */
    RING_LOST_FORCE = 8,
    RING_LOST_MOMENT = 11,
    RING_PULLED_MOST = 14,
    RING_NEAR_MOMENT = 14,
    RING_LOST_NEAR = 17,
    RING_ARRAYS = 20
};

/* What a sweep does for the account. */
typedef enum wide_audit {
    AUDIT_NONE,
    AUDIT_BOOK,   /* what is lost */
    AUDIT_MEASURE /* and energies */
} wide_audit;
typedef struct wide_ring {
    int32_t size;
    size_t stride;
    void *numbers; /* (parts x RING_ARRAYS x stride) */
} wide_ring;

/* With threads, what links do to the head of a part (machine.h) before the part before is done: by links
 * along z, y and x that end there, and by its own, each RING_PULLED_MOST arrays as in a ring; and behind them
 * what the last link along x of the part does to the first voxel of the next one, a number each. */
enum { HEAD_OWN = 3, HEAD_GROUPS = 4 };
typedef struct wide_head {
    size_t stride;
    void *numbers; /* (HEAD_GROUPS x RING_PULLED_MOST x stride) */
    void *carry;   /* (RING_PULLED_MOST) */
} wide_head;

/* Constants of a pattern of link classes, lane by lane: WIDE_CONSTANTS groups of `lanes` numbers. */
enum {
    WIDE_KA,
    WIDE_NEAR_STRAIN, /* weight of the strain in the volume of the near voxel */
    WIDE_FAR_STRAIN,
    WIDE_NEAR_PRESSURE, /* of the near voxel's pressure in the tension, m^2 */
    WIDE_FAR_PRESSURE,
    WIDE_ACROSS, /* of link_stiffness */
    WIDE_TWICE_BEND,
    WIDE_TWICE_TWIST,
    WIDE_AXIAL,
    WIDE_SHEAR,
    WIDE_BENDING,
    WIDE_TORSION,
    WIDE_RATE, /* of link_rate() */
    WIDE_RATE_ACROSS,
    WIDE_FAILURE, /* N; infinite where nothing breaks */
    WIDE_CONSTANTS
};

/* Likewise what implicit damping needs, link_brake of kernel/link.h: for half a step, and for a whole one. */
enum {
    WIDE_BRAKE_AXIAL,
    WIDE_BRAKE_SHEAR,
    WIDE_BRAKE_BENDING,
    WIDE_BRAKE_EXCESS,
    WIDE_BRAKE_FULL, /* the same four */
    WIDE_BRAKE_FAR = 2 * WIDE_BRAKE_FULL,
    WIDE_BRAKES
};

/* Likewise of a pattern of materials. */
enum {
    WIDE_INVERSE_MASS,
    WIDE_INVERSE_INERTIA,
    WIDE_GROUND_RATE,
    WIDE_MASS,
    WIDE_INERTIA,
    WIDE_FLOOR_STIFFNESS,
    WIDE_FLOOR_DAMPING,
    WIDE_STATIC_FRICTION,
    WIDE_DYNAMIC_FRICTION,
    WIDE_FLOOR_DAMP, /* floor_terms of kernel/voxel.h, at the length of the step */
    WIDE_FLOOR_DAMPED,
    WIDE_FLOOR_MOBILITY,
    WIDE_FLOOR_MOMENTUM,
    WIDE_VOXEL_CONSTANTS
};

/* Patterns that blocks share: `lanes` numbers each (class or material; 0: none). */
typedef struct wide_patterns {
    int32_t count;
    uint32_t *members;
} wide_patterns;

/* Lists of links by colour (axis and parity), in bundles of `lanes`: see wide_bundles.h. Lanes without a link
 * have the records behind the voxels' as their ends. Empty where blocks serve better. */
enum { WIDE_COLOURS = 6, WIDE_RECORD = 8, WIDE_PLACE = 4 };
enum {
    WIDE_BUNDLE_ALIKE, /* both ends of every link have the same mass */
    WIDE_BUNDLE_MIXED,
    WIDE_BUNDLE_HELD, /* some end of every link is held: one by one */
    WIDE_BUNDLE_REST  /* likewise, and all ends are in blocks that rest */
};
typedef struct wide_bundles {
    int32_t begin[WIDE_COLOURS + 1]; /* bundles of a colour */
    int32_t *linked;                 /* voxel a link starts at, broken or not; voxel_count: none */
    int32_t *near, *far;             /* ends now: where their records begin */
    int32_t *constants;              /* which pattern of classes, per bundle */
    uint8_t *kind;                   /* per bundle */
    double *places;                  /* WIDE_PLACE numbers per voxel: position, nothing */
    void *distances;                 /* x, y, z and the inverse of the square, of a step */
    void *records;                   /* WIDE_RECORD numbers per voxel: velocity, spin, nothing */
} wide_bundles;

/* Lists of the links along an axis in the order of the lattice, for the loads of bodies with many ends: see
 * wide_lists.h. A bundle is up to `lanes` links that begin in one chunk, and whose near and far ends lie in
 * windows of a few vectors. What links do is stored by their numbers in the list. */
typedef struct wide_list_bundle {
    int32_t link;      /* number of its first one */
    int32_t near, far; /* where the windows begin */
    int32_t constants; /* which pattern of classes */
    uint32_t linked;   /* bit i: lane i has a link, broken or not */
    uint32_t lanes;    /* those that are there now */
    uint8_t count;
    uint8_t last;      /* 1: of its chunk; what lanes behind `count` store would hit links of others */
    uint8_t can_break; /* 1: some can */
    uint8_t rests;     /* 1: all ends are in blocks that rest */
} wide_list_bundle;

/* The links that begin, or that end, in a block: consecutive numbers. */
typedef struct wide_list_ends {
    int32_t from;
    uint32_t lanes; /* that have one */
} wide_list_ends;

typedef struct wide_list {
    int32_t link_count, bundle_count;
    int32_t rest_count; /* bundles that rest */
    wide_list_bundle *bundles;
    int32_t *first;            /* bundle of a chunk, (chunks + 1) */
    uint8_t *near_at, *far_at; /* places of lanes in the windows, (bundle_count x lanes) */
    wide_list_ends *out, *in;  /* links that begin and that end in a block, (block_count) */
    uint8_t *out_at, *in_at;   /* number behind `from` of a lane's, (block_count x lanes) */
    size_t stride;
    void *numbers; /* (LIST_ARRAYS x stride) */
} wide_list;

/* What is known of a link. */
enum {
    LIST_FORCE = 0,
    LIST_FAR_MOMENT = 3,
    LIST_NEAR_MOMENT = 6,
    LIST_RATE = 9,
    LIST_CONJUGATE = 10,
    LIST_ELASTIC = 11,
    LIST_LOADS = 12,
    LIST_LOST_FORCE = 12, /* with the account and explicit damping */
    LIST_LOST_FAR = 15,
    LIST_LOST_NEAR = 18,
    LIST_LOADS_MOST = 21,
    LIST_CHORD = 21, /* its direction, the inverse of its length, and how much it is stretched */
    LIST_INVERSE = 24,
    LIST_STRETCH = 25,
    LIST_ARRAYS = 26,
    LIST_NEAR_STRAIN = 0, /* before there are loads */
    LIST_FAR_STRAIN = 1
};

/* Voxels that are held altogether, do not move, and have only such neighbours: ground built of voxels, the
 * inside of a clamp. Nothing of them changes, so their blocks are left out while all regions rest: see
 * wide_rest.c. */
enum {
    REST_MOTION = 1, /* all voxels of a block are such */
    REST_LINKS = 2,  /* and all its links end in blocks like that */
    REST_IN = 4      /* some voxel is in the floor, or near one with an edge */
};
typedef struct wide_rest {
    uint8_t *kind;           /* (block_count); NULL: there are no such blocks */
    uint8_t *chunk;          /* 1: all blocks of a chunk are REST_LINKS, (chunks) */
    int64_t *busy;           /* the last step in which a block is moved all the same, (block_count); */
    int64_t *chunk_busy;     /* the last of its blocks, (chunks) */
    int32_t *support;        /* the first of a block, (block_count + 1) */
    int32_t *awake;          /* the next block from one on that does not rest, (block_count + 1) */
    int32_t first_awake;     /* the first voxel of a block that does not rest */
    void *totals;            /* what links do to a block, (6 x voxels of all blocks) */
    double *volume;          /* as in the state, where strains are summed by blocks */
    step_measures *measures; /* of links between them, (chunks) */
    double *placed;          /* m: where regions were, (region_count x 3) */
    bool regions;            /* rest in this step */
    bool implicit;           /* it has implicit damping */
    bool calm;               /* the last step left all as it was, */
    bool measured;           /* one of those that did measured energies */
    uint8_t floor;           /* REST_IN, if there are such blocks */
    bool left_out;           /* what rests is not computed in this step */
    int64_t again;           /* step from which on it is worth looking */
} wide_rest;

typedef struct wide_plan {
    int32_t lanes;
    int32_t block_count;
    size_t real_size; /* of the constants: of a float or a double */
    wide_block *links[3];
    wide_pull *pulls[3]; /* those along x are in the lane before: none */
    wide_ring rings[3];  /* likewise */
    wide_head *heads;    /* of the parts */
    wide_segment *segments;
    int32_t segment_count;
    int32_t *materials; /* which pattern of materials, (block_count) */
    uint8_t *kind;      /* WIDE_MIXED, WIDE_UNIFORM or WIDE_HELD, (block_count) */
    uint8_t *touched;   /* 1: contact forces of the block may not be zero, (block_count) */
    wide_rest rest;
    wide_bundles bundles;
    wide_list lists[3]; /* empty where blocks serve better */
    bool listed;
    wide_patterns link_patterns;
    wide_patterns voxel_patterns;
    void *link_constants;  /* (link_patterns.count x WIDE_CONSTANTS x lanes), zero in lanes without a link */
    void *brakes;          /* (link_patterns.count x WIDE_BRAKES x lanes, and one lane more) */
    void *voxel_constants; /* (voxel_patterns.count x WIDE_VOXEL_CONSTANTS x lanes) */
    double floor_kick;     /* s: context->kick of the WIDE_FLOOR_... there; 0: none */
    double floor_half;     /* s: half of context->step of these */
} wide_plan;

enum {
    WIDE_MIXED,   /* of several materials */
    WIDE_UNIFORM, /* of one */
    WIDE_HELD     /* some are held */
};

/* Makes and frees sim->cpu->plan. */
vxe_result vxe_wide_plan_create(vxe_sim *sim, int32_t lanes, size_t real_size, vxe_error *error);
void vxe_wide_plan_destroy(vxe_sim *sim);
/* Fills the constants again after the tables of the simulation or the time step changed. */
void vxe_wide_plan_refresh(vxe_sim *sim);
/* The part of all that is computed of links which two threads compute: with `solid`, strains of the links
 * between their parts. Loads are computed once. */
double vxe_wide_plan_twice(const vxe_sim *sim);
/* After links broke or came back. */
void vxe_wide_plan_links(vxe_sim *sim);

/* wide_rest.c: which blocks rest; */
vxe_result vxe_wide_rest_create(vxe_sim *sim, vxe_error *error);
void vxe_wide_rest_destroy(wide_plan *plan);
/* before strains, and when it is known where regions are in this step: what is left out */
void vxe_wide_rest_strains(vxe_sim *sim);
void vxe_wide_rest_begin(vxe_sim *sim, const step_context *context);
/* blocks that something touches are moved in this step, and in the next */
void vxe_wide_rest_touched(vxe_sim *sim);
/* Whether a voxel, and a link, belong to blocks that rest. */
static inline bool vxe_wide_rests(const wide_plan *p, int32_t v)
{
    return p->rest.kind != NULL && (p->rest.kind[v / p->lanes] & REST_MOTION) != 0;
}

/* wide_bundles.c. `number` finds the number of a pattern of link classes in `map`; false: no memory. */
typedef bool pattern_numbering(void *map, const uint32_t *pattern, int32_t *number);
vxe_result vxe_wide_bundles_create(vxe_sim *sim, pattern_numbering *number, void *map, vxe_error *error);
void vxe_wide_bundles_links(vxe_sim *sim);
void vxe_wide_bundles_destroy(wide_plan *plan);

/* wide_lists.c: likewise */
vxe_result vxe_wide_lists_create(vxe_sim *sim, pattern_numbering *number, void *map, vxe_error *error);
void vxe_wide_lists_links(vxe_sim *sim);
void vxe_wide_lists_destroy(wide_plan *plan);

/* plain_double.c and plain_single.c: single voxels */
#define PLAIN_PARTS(precision)                                                                               \
    void vxe_plain_integrate_##precision(vxe_sim *sim, const step_context *context, int32_t begin,           \
                                         int32_t end, double *rates, step_measures *sums);                   \
    void vxe_plain_kick_##precision(vxe_sim *sim, const step_context *context, int32_t begin, int32_t end);  \
    void vxe_plain_brake_##precision(vxe_sim *sim, const step_context *context, int axis, int32_t voxel,     \
                                     bool full);                                                             \
    void vxe_plain_move_##precision(vxe_sim *sim, const step_context *context, int32_t begin, int32_t end,   \
                                    double *rates, step_measures *sums);
PLAIN_PARTS(double)
PLAIN_PARTS(single)

extern const sim_backend vxe_backend_plain_double;
extern const sim_backend vxe_backend_plain_single;
extern const sim_backend vxe_backend_wide_portable; /* 2 lanes: SSE2, NEON */
extern const sim_backend vxe_backend_wide_portable_single;
#ifdef __x86_64__
extern const sim_backend vxe_backend_wide_avx2; /* 4 lanes */
extern const sim_backend vxe_backend_wide_avx2_single;
extern const sim_backend vxe_backend_wide_avx2_fast;
extern const sim_backend vxe_backend_wide_avx512; /* 8 lanes */
extern const sim_backend vxe_backend_wide_avx512_single;
extern const sim_backend vxe_backend_wide_avx512_fast;
#endif

#endif
