/* The compiled scene: constant tables and arrays. Built by compile.c from a vxe_scene, read by everything
 * that steps. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/world.h"
#include "scene/expression.h"
#include "voxelastic/model.h"
#include "voxelastic/rules.h"

#define FACE_COUNT 6

/* Pressure classes of a voxel: 0..6 faces without a link; from here on a voxel cut in half by a clamp, with
 * 0..4 lateral faces without a link. */
#define PRESSURE_CLAMPED (FACE_COUNT + 1)
#define PRESSURE_CLASSES (PRESSURE_CLAMPED + 5)

/* clamp_normal: the axis across the clamp + 1, and whether the voxel's rotations are held. */
#define CLAMP_AXIS 3
#define CLAMP_HOLDS_TURN 4

/* A material as the engine needs it; [0] of the table is not used. */
typedef struct material_constants {
    double youngs;                  /* Pa */
    double shear;                   /* Pa: mu = G */
    double lambda;                  /* Pa: Lame's first constant */
    double mass;                    /* kg, of a voxel */
    double inertia;                 /* kg m^2: m l^2/6 */
    double root_mass, root_inertia; /* 1/sqrt of them */
    double expansion;               /* 1/K */
    double static_friction;
    double dynamic_friction;
    double pressure_modulus[PRESSURE_CLASSES]; /* Pa; zeros for `beam` */
    int32_t signal;                            /* which drives it, or -1 */
    double delay;                              /* s; until then its signal does nothing */
    bool fixed, unmeasured, target, rigid, transparent;
    double ground_damping; /* factor of damping against the world */
    bool resized;          /* a rule changes the size of its voxels */
    int32_t conducts;      /* the rule by which it conducts impulses + 1, or 0 */
    int32_t cilia;         /* the rule of its cilia + 1, or 0 */
} material_constants;

/* A kind of link: all links between the same two materials in the same surroundings. */
typedef struct link_class {
    uint16_t near_material;
    uint16_t far_material;
    bool halved;   /* a clamp's plane runs along it and leaves half of it */
    bool isolated; /* neither voxel has a link along another axis: true torsion constant of a square bar */
    bool slender;  /* isolated, and in a row of three voxels or more: a bar, which yields to shear */
    bool moves;    /* some link of it has an end that is not held */
    bool near_pressed, far_pressed; /* a roller presses on the other face of that end: see `pressed` */
    double ka, ks, kb, kt;          /* N/m, N/m, N m, N m */
    double youngs;                  /* Pa: Ec */
    double mass;                    /* kg: the lighter of the two */
    double near_weight;             /* share of the near voxel's pressure, and half its share of the strain */
    double far_weight;
    double failure;     /* Pa, or 0 */
    int32_t flow_begin; /* the law beyond yield, in flow_strain and flow_stress; */
    int32_t flow_count; /* 0: linear for ever */
} link_class;

/* Two voxels that share pressure through the link between them. */
typedef struct pressure_share {
    int32_t first, second; /* places in `sharing` */
    int32_t axis;          /* of the link, which starts at the first */
    double weight;         /* 1/Pa */
} pressure_share;

/* A signal with its table. */
typedef struct model_signal {
    vxe_signal_def def; /* table pointers point into the model */
} model_signal;

/* A region with what it does. */
typedef struct model_region {
    vxe_region_def def;
    double pivot[3]; /* m */
} model_region;

/* A rule with its programs. */
typedef struct model_rule {
    vxe_rule_def def;
    vxe_formula when, value, release;
    vxe_formula inputs[VXE_NETWORK_INPUTS_MAX];
    double *weights;
    int32_t region; /* or -1 */
    int32_t other;  /* BECOME: in `materials` */
} model_rule;

struct vxe_model {
    vxe_model_view view;
    uint64_t hash;
    vxe_environment environment;
    vxe_stop stop;
    int32_t constant_count;        /* materials of the palette and their variants of other stiffness */
    material_constants *materials; /* (constant_count + 1); those of the palette come first */
    uint16_t *palette_of;          /* number in the palette of a variant, (constant_count + 1) */
    char (*material_names)[VXE_NAME_SIZE];
    model_region *regions;
    model_signal *signals;
    double *signal_tables; /* times then values, signal after signal */
    size_t signal_table_count;

    int32_t class_count;
    link_class *classes;    /* (class_count) */
    uint32_t *link_kind[3]; /* class + 1 of the link that starts here, 0: none; (voxel_count) each */
    double *flow_strain;    /* plastic strain of the points of the flow curves, (flow_total) */
    double *flow_stress;    /* Pa */
    int32_t flow_total;
    bool nonlinear; /* some link can yield or break */

    uint8_t *free_faces;     /* faces without a link, (voxel_count) */
    uint8_t *pressure_class; /* (voxel_count) */
    uint8_t *clamp_normal;   /* (voxel_count), or NULL: no clamps */
    uint8_t *pressed;  /* bit a: a roller presses on the face across axis a, (voxel_count), or NULL: none */
    double *face_load; /* 1/N: volume strain per force along x, y, z, (3 per entry of region_voxel) */
    int32_t sharing_count;
    int32_t share_count;
    int32_t *sharing;       /* voxels that share pressure, increasing, (sharing_count) */
    pressure_share *shares; /* (share_count) */

    int32_t held_count;     /* voxels with a held degree of freedom, not counting the plane */
    int32_t actuated_count; /* voxels whose size a signal changes */
    int32_t *held_voxel;    /* increasing, (held_count) */
    uint8_t *held_dofs;     /* bits held by regions, (held_count) */
    int32_t *held_region;   /* the region that decides where each of the 6 degrees of freedom goes, or -1, (6
                               held_count) */

    int32_t *actuated_voxel; /* increasing, (actuated_count) */
    double *actuation[3]; /* phase, amplitude, 1/period factors; NULL when all are 0, 1, 1; (actuated_count)
                             each */
    double *waves[2];     /* amplitude times cosine and sine of the phase, likewise; NULL too when periods are
                             not all 1 */

    double *fields[VXE_FIELD_COUNT]; /* numbers of voxels, (voxel_count) each, or NULL */
    bool grows;                      /* some voxel changes size by itself */
    bool outside;                    /* there is drag, a force field or cilia */
    bool watches_hits, watches_way;  /* a formula speaks of them */
    bool has_water;
    vxe_formula formulas[VXE_FORMULA_COUNT];
    double pair_distance; /* m */
    int32_t fall;         /* material whose voxels are not to be on the floor, or 0 */
    model_world *world;   /* ground and solids; NULL: there are none */
    vxe_water_def water;
    /* rigid parts: connected voxels of rigid materials; no link between two of them has any stiffness */
    int32_t rigid_count;
    int32_t *rigid;       /* number of a voxel's part, or -1, (voxel_count); NULL: there are none */
    int32_t *rigid_begin; /* where the voxels of a part begin, (rigid_count + 1) */
    int32_t *rigid_voxel; /* voxels of the parts, increasing in each */
    uint8_t *own_fixed;   /* what holds voxels from outside, (voxel_count), where `fixed` also says that those
                             of rigid parts do not move by themselves; NULL: the same */
    double *start_turn[4];     /* orientations at the start, or NULL: all are as the lattice is */
    double *start_velocity[6]; /* m/s and rad/s at the start, or NULL: at rest */

    int32_t rule_count;
    model_rule *rules;    /* (rule_count) */
    bool *rule_about;     /* whether a rule is about a material, (rule_count) (constant_count + 1) */
    uint32_t *bond_class; /* class + 1 of a bond of a rule between two materials, 0: they do not stick,
                             (rule_count) (constant_count + 1)^2; NULL: no bonds */
    int64_t bond_limit;   /* how many bonds there can be at a time */
    uint16_t *latent;     /* the first rule that may let this voxel grow + 1; 0: it is there at the start;
                             (voxel_count), or NULL: all are */
    int32_t latent_count;
    uint64_t senses;                       /* variables that formulas of rules speak of, as bits */
    bool conducts, bonds, shines, resizes; /* there are impulses, bonds, sources; rules that change sizes */
    bool changes;                          /* voxels may come and go, and what joins them */
    bool strokes, pushes, ends;            /* formulas drive cilia, push voxels, end the run */

    /* backing memory of the view's arrays */
    int32_t *cell[3];
    uint16_t *material;         /* in `materials`, (voxel_count) */
    uint16_t *palette_material; /* in the palette, or NULL: the same */
    double *voxel_mass;
    int32_t *next[3];
    double *start[3];
    int32_t *region_begin;
    int32_t *region_voxel;
    uint8_t *fixed;
    int32_t *body;
    size_t bytes;
};

/* Degrees of freedom that regions, materials or the plane hold. */
static inline uint8_t vxe_held_by_scene(const vxe_model *m, int32_t v)
{
    return m->own_fixed != NULL ? m->own_fixed[v] : m->fixed[v];
}

static inline bool vxe_is_rigid(const vxe_model *m, int32_t v)
{
    return m->rigid != NULL && m->rigid[v] >= 0;
}

/* A torsion constant of a square bar of side l is 0.140577 l^4 (Saint-Venant). */
#define SQUARE_TORSION 0.14057701495515553

/* VXE_ERROR_ARGUMENT, with a message, if there is no such region. */
vxe_result vxe_check_region_number(const vxe_model *m, int32_t region, vxe_error *error);

/* Whether a voxel may grow and is not there at the start. */
static inline bool vxe_is_latent(const vxe_model *m, int32_t v)
{
    return m->latent != NULL && m->latent[v] != 0;
}

#endif
