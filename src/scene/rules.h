/* The members of a rule, once: the check, the scene file, the hash and the documentation follow this table.
 */
#ifndef SCENE_RULES_H
#define SCENE_RULES_H

#include "voxelastic/rules.h"

#define RULE_KINDS (VXE_RULE_END + 1)

typedef enum rule_type {
    RULE_NUMBER,
    RULE_INTEGER, /* int32_t */
    RULE_SEED,    /* int64_t */
    RULE_FLAG,
    RULE_NAME,
    RULE_FORMULA,
    RULE_VECTOR, /* double[3] */
    RULE_CELLS   /* int32_t[3] */
} rule_type;

typedef struct rule_member {
    const char *name; /* in scene files */
    rule_type type;
    size_t place;     /* in vxe_rule_def, bytes */
    uint64_t kinds;   /* bits of vxe_rule_kind that have it */
    double low, high; /* of numbers */
} rule_member;

extern const rule_member vxe_rule_members[];
extern const size_t vxe_rule_member_count;

/* "size", "impulse", ... */
extern const char *const vxe_rule_output_names[VXE_OUTPUT_COUNT];

/* How messages call a rule: by its name, or by its number, if that is not negative, and its kind. */
#define RULE_WHO_SIZE 128
void vxe_name_rule(const vxe_rule_def *def, int32_t number, char who[RULE_WHO_SIZE]);
/* As vxe_check_rules(); `wrong` gets the number of the rule that is refused. */
vxe_result vxe_find_wrong_rule(const vxe_scene *scene, int32_t *wrong, vxe_error *error);

/* Whether cells are kept free for its voxels; whether this is one of them. */
bool vxe_rule_brings_voxels(const vxe_rule_def *def);
bool vxe_rule_reserves(const vxe_rule_def *def, int32_t i, int32_t j, int32_t k);

static inline const void *vxe_rule_at(const vxe_rule_def *def, const rule_member *m)
{
    return (const char *)def + m->place;
}

#endif
