/** @file rules.h
 *  What voxels do beside being pushed: conduct impulses, control their size, stick and let go, disappear,
 * grow new ones. A scene has a list of rules; each is about the voxels of one material. Included by
 * voxelastic.h.
 *
 *  Formulas of rules are looked at for one voxel at a time. Beside what vxe_formula_role names they know vx
 * vy vz (m/s), strain (mean of its links), pressure (Pa, mean of its links, positive when pressed), stress
 * (Pa, the largest of its links, tension positive), touch (N, from floor and others), impulse, light, heat
 * (K), size (pitches), links, memory1 to memory4, distance (m, to the nearest light or heat), age (s since it
 * was there), random (0 to 1, another at every look), body (voxels that links and bonds join it to, itself
 * included), mass (kg), dt (s, the step that is over), trait1 to trait4 (its fields of these names),
 * lamps (lights that are on) and n_strain, n_pressure, n_touch, n_impulse, n_light, n_size, n_memory1: means
 * over the voxels it is linked to.
 */
#ifndef VOXELASTIC_RULES_H
#define VOXELASTIC_RULES_H

#include "scene.h"
#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VXE_RULES_MAX 1000            /**< rules of a scene */
#define VXE_RULE_FORMULA_SIZE 512     /**< bytes of a rule's formula, the zero at its end included */
#define VXE_NETWORK_INPUTS_MAX 16     /**< inputs of a network */
#define VXE_NETWORK_INPUT_SIZE 96     /**< bytes of the formula of an input */
#define VXE_NETWORK_LAYERS_MAX 8      /**< layers of a network, without the inputs */
#define VXE_NETWORK_WIDTH_MAX 64      /**< neurons of a layer */
#define VXE_RULE_MEMORIES 4           /**< numbers that a voxel can remember */
#define VXE_RULE_RESERVE_MAX 10000000 /**< cells that a rule may reserve for growth */

/** What a rule is about. */
typedef enum vxe_rule_kind {
    VXE_RULE_CONDUCT = 1, /**< impulses spread through its voxels, from each to those it is linked to */
    VXE_RULE_PACE,        /**< its voxels fire by themselves */
    VXE_RULE_CONTROL,     /**< a formula or a network sets the size, impulse or memory of its voxels */
    VXE_RULE_SIZE,        /**< the size of its voxels changes at a rate: development */
    VXE_RULE_BOND,        /**< its voxels stick to others that they touch */
    VXE_RULE_REMOVE,      /**< its voxels disappear */
    VXE_RULE_GROW,        /**< new voxels appear at free faces of its voxels */
    VXE_RULE_LIGHT,       /**< a source of light */
    VXE_RULE_HEAT,        /**< a source of heat: voxels near it expand */
    VXE_RULE_CILIA,       /**< its voxels' cilia: when they work and how they turn */
    VXE_RULE_PUSH,        /**< a force acts on its voxels */
    VXE_RULE_CUT,         /**< links and bonds of its voxels break */
    VXE_RULE_BECOME,      /**< its voxels become those of another material */
    VXE_RULE_SUPPLY,      /**< new voxels appear at places in space */
    VXE_RULE_END          /**< the run ends when none of its voxels is there */
} vxe_rule_kind;

/** What a controller sets. */
typedef enum vxe_rule_output {
    VXE_OUTPUT_SIZE = 0, /**< what is added to the size, in pitches */
    VXE_OUTPUT_IMPULSE,  /**< a value above 0 fires it */
    VXE_OUTPUT_MEMORY1,  /**< a number that it remembers */
    VXE_OUTPUT_MEMORY2,  /**< another */
    VXE_OUTPUT_MEMORY3,  /**< another */
    VXE_OUTPUT_MEMORY4,  /**< another */
    VXE_OUTPUT_COUNT     /**< how many there are */
} vxe_rule_output;

/** One rule. Members that its kind does not use must be as vxe_default_rule_def() leaves them. */
typedef struct vxe_rule_def {
    size_t size;                  /**< of this struct, as vxe_default_rule_def() sets it */
    vxe_rule_kind kind;           /**< what it is about */
    char name[VXE_NAME_SIZE];     /**< for people; may be empty */
    char material[VXE_NAME_SIZE]; /**< its voxels; empty: of all materials */
    char other[VXE_NAME_SIZE];    /**< BOND: of the other voxel, empty: as `material`; GROW, SUPPLY: of new
                                     voxels; BECOME: what they become, as dense and stiff as they are */
    char region[VXE_NAME_SIZE];   /**< only voxels of this region; empty: everywhere */
    double begin;                 /**< s; nothing happens before */
    double end;                   /**< s; nor from then on; 0: no end */
    double every;                 /**< s between looks; 0: every step. CILIA: they turn at random so often */
    double chance; /**< 0 to 1: of each look at a voxel to count. LIGHT, HEAT: to come on, drawn
                      each time that its times and `when` ask it to, once until they do not */
    int64_t seed;  /**< of what is random */
    char when[VXE_RULE_FORMULA_SIZE]; /**< only where this is above 0; empty: always. BOND: of both voxels.
                                           LIGHT, HEAT, SUPPLY: of t only */

    double delay;      /**< CONDUCT: s from a voxel to the next: pitch over speed */
    double threshold;  /**< CONDUCT: an impulse below it is not taken, >= 0 */
    double decay;      /**< CONDUCT: what is left of an impulse from a voxel to the next, 0 to 1 */
    double refractory; /**< CONDUCT: s after an impulse in which no other is taken */
    double fade;       /**< CONDUCT: what is left of the value of a voxel ... */
    double fade_every; /**< ... after so many s */

    double period;   /**< PACE: s */
    double phase;    /**< PACE: of 1; it fires first after so many periods */
    double strength; /**< PACE: the value it fires with; LIGHT: at its place; HEAT: K at its place;
                          CILIA: N, of those that turn at random */

    vxe_rule_output output; /**< CONTROL: what it sets; of a network: of its first output, the next follow */
    char value[VXE_RULE_FORMULA_SIZE]; /**< CONTROL: what it is set to; SIZE: the rate, 1/s; GROW, SUPPLY:
                                          only where this is above 0 at the place of the new voxel; PUSH: N;
                                            CILIA: a factor of their force, empty: 1 */
    double minimum;      /**< CONTROL of size, SIZE: least change of size, in pitches, >= -0.9 */
    double maximum;      /**< largest, <= 2 */
    double rate;         /**< CONTROL: 1/s, by how much its output changes at most; 0: at once */
    int32_t input_count; /**< CONTROL: inputs of a network; 0: there is none */
    int32_t layer_count; /**< its layers, the last one is the output */
    int32_t layers[VXE_NETWORK_LAYERS_MAX];                      /**< neurons in each */
    char inputs[VXE_NETWORK_INPUTS_MAX][VXE_NETWORK_INPUT_SIZE]; /**< formulas */
    int32_t weight_count;                                        /**< numbers in `weights` */
    const double *weights; /**< layer by layer, neuron by neuron: its bias, then a weight for each neuron of
                                the layer before; outputs go through tanh; the scene copies them */

    double force;                        /**< BOND: N they must be pressed with */
    double time;                         /**< BOND: s they must have touched */
    double stress;                       /**< BOND: Pa, tension over pitch^2 at which it lets go; 0: never */
    char release[VXE_RULE_FORMULA_SIZE]; /**< BOND: lets go where this is above 0 for one of the two */
    double rest;                         /**< BOND: s for which a voxel that let go does not stick again */
    int32_t most;                        /**< BOND: of a voxel at a time */
    double stiffness; /**< BOND: factor of the stiffness of a link between the two materials */
    int32_t limit;    /**< BOND: how many at a time; GROW: how many voxels; 0: as many as there can be;
                           SUPPLY: how many in all, 0: no limit */

    int32_t corner[3]; /**< GROW: cells of the workspace where new voxels may be; SUPPLY: cells whose voxels
                            wait to appear, one for each that can be there at a time ... */
    int32_t cells[3];  /**< ... and how many along x, y, z */
    double clearance; /**< GROW, SUPPLY: pitches to other voxels and the floor that a new one needs, centre to
                         surface */

    double position[3];  /**< LIGHT, HEAT: m; SUPPLY: m, centre of the first place */
    double swing[3];     /**< LIGHT, HEAT: m; it moves by swing sin(2 pi frequency t) */
    double frequency[3]; /**< LIGHT, HEAT: Hz */
    double radius;       /**< LIGHT, HEAT: m; half as strong there */
    bool shadows;        /**< LIGHT: voxels in its way keep it off */

    double factor; /**< CILIA: of their force */

    double
        direction[3];  /**< PUSH: of the force; it need not have length 1: `value` times this is the force */
    double spacing[3]; /**< SUPPLY: m between places along x, y, z */
    int32_t places[3]; /**< SUPPLY: places along x, y, z, at least 1 */
} vxe_rule_def;

/** @name Rules of a scene
 *  Numbered from 0. They act in this order.
 *  @{ */

/** "conduct", "pace" and so on, as in scene files; NULL: there is no such kind. */
VXE_API const char *vxe_rule_kind_name(vxe_rule_kind kind);
/** Fills a struct of `size` bytes with what vxe_default_rule_def() returns. */
VXE_API void vxe_rule_def_init(vxe_rule_def *def, vxe_rule_kind kind, size_t size);
/** A rule of this kind with the usual numbers. */
static inline vxe_rule_def vxe_default_rule_def(vxe_rule_kind kind)
{
    vxe_rule_def def;
    vxe_rule_def_init(&def, kind, sizeof def);
    return def;
}
/** Appends a rule and gives its number. VXE_ERROR_INPUT if a number is out of range or a formula is wrong,
 * _ARGUMENT if its size is not set, _LIMIT, _MEMORY. Names of materials and regions are looked up by
 * vxe_scene_check(). */
VXE_API vxe_result vxe_scene_add_rule(vxe_scene *scene, const vxe_rule_def *def, int32_t *rule,
                                      vxe_error *error);
/** Replaces a rule. */
VXE_API vxe_result vxe_scene_set_rule(vxe_scene *scene, int32_t rule, const vxe_rule_def *def,
                                      vxe_error *error);
/** Deletes a rule. */
VXE_API vxe_result vxe_scene_remove_rule(vxe_scene *scene, int32_t rule, vxe_error *error);
/** Number of rules. */
VXE_API int32_t vxe_scene_rule_count(const vxe_scene *scene);
/** A rule, valid until the rules change; NULL if there is none. */
VXE_API const vxe_rule_def *vxe_scene_rule(const vxe_scene *scene, int32_t rule);
/** @} */

/** @name Life of a simulation
 *  @{ */

/** What has come and gone. */
typedef struct vxe_life {
    int64_t present;  /**< voxels there now */
    int64_t grown;    /**< voxels that appeared since the start */
    int64_t removed;  /**< that disappeared */
    int64_t bonds;    /**< bonds there are now */
    int64_t bonded;   /**< that were made since the start */
    int64_t released; /**< that let go */
} vxe_life;
/** What has come and gone since the start. */
VXE_API vxe_life vxe_sim_life(const vxe_sim *sim);
/** Whether a voxel is there: not one that may still grow, or was removed. Such voxels have no mass, no links
 * and size 0 (growth -1). True for every voxel of a scene without rules. */
VXE_API bool vxe_sim_present(const vxe_sim *sim, int32_t voxel);
/** The value of the impulse in a voxel; 0 where nothing conducts. */
VXE_API double vxe_sim_impulse(const vxe_sim *sim, int32_t voxel);

/** A bond as it is now. */
typedef struct vxe_bond {
    int32_t first;  /**< voxel */
    int32_t second; /**< voxel, > first */
    double time;    /**< s; when it was made */
    double length;  /**< m; its length then */
    double tension; /**< N; along it, in the last step, damping not included */
} vxe_bond;
/** Bond 0 to bonds - 1 of vxe_sim_life(), in no order that means anything; false if there is none. */
VXE_API bool vxe_sim_bond(const vxe_sim *sim, int64_t bond, vxe_bond *out);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
