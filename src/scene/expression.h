/* Formulas: text such as `t - 2 > 0 && abs(x) < 0.1`, checked and turned into a short program that is
 * evaluated without allocating. Stop conditions, fitness and force fields are formulas. */
#ifndef SCENE_EXPRESSION_H
#define SCENE_EXPRESSION_H

#include "base/base.h"

#define VXE_FORMULA_TOKENS_MAX 1024 /* tokens of a formula */
#define VXE_FORMULA_DEPTH_MAX 200   /* of brackets inside each other, and numbers waiting to be used */

/* What a formula may speak of; the order is that of vxe_formula_variables. */
typedef enum vxe_variable {
    VXE_VARIABLE_X,         /* m */
    VXE_VARIABLE_Y,         /* m */
    VXE_VARIABLE_Z,         /* m */
    VXE_VARIABLE_T,         /* s */
    VXE_VARIABLE_HIT,       /* collisions between target and other voxels so far */
    VXE_VARIABLE_ANGLE,     /* rad, between the last two steps of the centre of mass, one per period */
    VXE_VARIABLE_CLOSENESS, /* 1/m, sum over pairs of target voxels of 1/distance */
    VXE_VARIABLE_PAIRS,     /* pairs of target voxels that are close */
    VXE_VARIABLE_VOXELS,    /* voxels that are or were there */
    VXE_VARIABLE_VX,        /* m/s */
    VXE_VARIABLE_VY,        /* m/s */
    VXE_VARIABLE_VZ,        /* m/s */
    VXE_VARIABLE_OWN,       /* from here on: what only a rule knows, of one voxel */
    VXE_VARIABLE_STRAIN = VXE_VARIABLE_OWN, /* mean of its links */
    VXE_VARIABLE_PRESSURE,                  /* Pa; likewise */
    VXE_VARIABLE_STRESS,                    /* Pa; largest of its links */
    VXE_VARIABLE_TOUCH,                     /* N */
    VXE_VARIABLE_IMPULSE,
    VXE_VARIABLE_LIGHT,
    VXE_VARIABLE_HEAT, /* K */
    VXE_VARIABLE_SIZE, /* pitches */
    VXE_VARIABLE_LINKS,
    VXE_VARIABLE_MEMORY1,
    VXE_VARIABLE_MEMORY2,
    VXE_VARIABLE_MEMORY3,
    VXE_VARIABLE_MEMORY4,
    VXE_VARIABLE_DISTANCE, /* m */
    VXE_VARIABLE_AGE,      /* s */
    VXE_VARIABLE_RANDOM,   /* 0 to 1 */
    VXE_VARIABLE_BODY,     /* voxels of its body: those that links and bonds join it to, itself included */
    VXE_VARIABLE_MASS,     /* kg */
    VXE_VARIABLE_DT,       /* s, the step that is over */
    VXE_VARIABLE_TRAIT1,   /* numbers of its own: the fields of these names */
    VXE_VARIABLE_TRAIT2,
    VXE_VARIABLE_TRAIT3,
    VXE_VARIABLE_TRAIT4,
    VXE_VARIABLE_LAMPS,   /* lights that are on */
    VXE_VARIABLE_TARGETS, /* voxels of target materials that it touches */
    VXE_VARIABLE_NEAR,    /* from here on: means over the voxels it is linked to */
    VXE_VARIABLE_NEAR_STRAIN = VXE_VARIABLE_NEAR,
    VXE_VARIABLE_NEAR_PRESSURE,
    VXE_VARIABLE_NEAR_TOUCH,
    VXE_VARIABLE_NEAR_IMPULSE,
    VXE_VARIABLE_NEAR_LIGHT,
    VXE_VARIABLE_NEAR_SIZE,
    VXE_VARIABLE_NEAR_MEMORY1,
    VXE_VARIABLE_COUNT
} vxe_variable;
extern const char *const vxe_formula_variables[VXE_VARIABLE_COUNT];

typedef enum vxe_operation {
    VXE_OP_NUMBER,
    VXE_OP_VARIABLE,
    VXE_OP_ADD, /* two operands from here ... */
    VXE_OP_SUBTRACT,
    VXE_OP_MULTIPLY,
    VXE_OP_DIVIDE,
    VXE_OP_POWER,
    VXE_OP_GREATER,
    VXE_OP_LESS,
    VXE_OP_AND,
    VXE_OP_OR,
    VXE_OP_SQRT, /* ... one from here */
    VXE_OP_SIN,
    VXE_OP_COS,
    VXE_OP_TAN,
    VXE_OP_ATAN,
    VXE_OP_LOG,
    VXE_OP_ROUND,
    VXE_OP_ABS,
    VXE_OP_NOT,
    VXE_OP_NORMAL_CDF,
    VXE_OP_COUNT
} vxe_operation;

typedef struct vxe_token {
    vxe_operation operation;
    int32_t variable; /* of VXE_OP_VARIABLE */
    double number;    /* of VXE_OP_NUMBER */
} vxe_token;

/* A program: operands before their operation. count 0: no formula. */
typedef struct vxe_formula {
    int32_t count;
    vxe_token *tokens; /* (count), freed by vxe_formula_free() */
} vxe_formula;

/* Operands of an operation: 0, 1 or 2. */
int vxe_operation_arity(vxe_operation operation);

/* Turns text into a program. VXE_ERROR_INPUT with what is wrong and where ("at character 7"), _LIMIT,
 * _MEMORY. An empty text gives the empty program. */
vxe_result vxe_formula_parse(const char *text, vxe_formula *formula, vxe_error *error);
/* The same with other variables: `count` names of letters, digits and _, which go before all else. */
vxe_result vxe_formula_parse_names(const char *text, const char *const *names, int32_t count,
                                   vxe_formula *formula, vxe_error *error);
/* Writes a program as text that parses to the same program, zero terminated, freed by free(); NULL: no
 * memory. */
char *vxe_formula_print(const vxe_formula *formula);
/* Whether a program is well formed: every operation finds its operands, one number remains. */
bool vxe_formula_is_sound(const vxe_formula *formula);
void vxe_formula_free(vxe_formula *formula);

/* The value; 0 for the empty program. `variables` are as many as the names it was parsed with. */
double vxe_formula_value(const vxe_formula *formula, const double *variables);

#endif
