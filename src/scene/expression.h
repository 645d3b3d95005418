/* Formulas: text such as `t - 2 > 0 && abs(x) < 0.1`, checked and turned into a short program that is
 * evaluated without allocating. Stop conditions, fitness and force fields are formulas. */
#ifndef SCENE_EXPRESSION_H
#define SCENE_EXPRESSION_H

#include "base/base.h"

#define VXE_FORMULA_TOKENS_MAX 1024 /* tokens of a formula */
#define VXE_FORMULA_DEPTH_MAX 200   /* of brackets inside each other, and numbers waiting to be used */

/* What a formula may speak of, and what it is called. */
#define VXE_VARIABLES(EACH)                                                                                  \
    EACH(X, "x")         /* m */                                                                             \
    EACH(Y, "y")         /* m */                                                                             \
    EACH(Z, "z")         /* m */                                                                             \
    EACH(T, "t")         /* s */                                                                             \
    EACH(HIT, "hit")     /* collisions between target and other voxels so far */                             \
    EACH(ANGLE, "angle") /* rad, between the last two steps of the centre of mass, one per period */         \
    EACH(CLOSENESS, "targetCloseness") /* 1/m, sum over pairs of target voxels of 1/distance */              \
    EACH(PAIRS, "numClosePairs")       /* pairs of target voxels that are close */                           \
    EACH(VOXELS, "num_voxel")          /* voxels that are or were there */                                   \
    EACH(VX, "vx")                     /* m/s */                                                             \
    EACH(VY, "vy")                     /* m/s */                                                             \
    EACH(VZ, "vz")                     /* m/s */                                                             \
    /* from here on: what only a rule knows, of one voxel */                                                 \
    EACH(STRAIN, "strain")     /* mean of its links */                                                       \
    EACH(PRESSURE, "pressure") /* Pa; likewise */                                                            \
    EACH(STRESS, "stress")     /* Pa; largest of its links */                                                \
    EACH(TOUCH, "touch")       /* N */                                                                       \
    EACH(IMPULSE, "impulse")                                                                                 \
    EACH(LIGHT, "light")                                                                                     \
    EACH(HEAT, "heat") /* K */                                                                               \
    EACH(SIZE, "size") /* pitches */                                                                         \
    EACH(LINKS, "links")                                                                                     \
    EACH(MEMORY1, "memory1")                                                                                 \
    EACH(MEMORY2, "memory2")                                                                                 \
    EACH(MEMORY3, "memory3")                                                                                 \
    EACH(MEMORY4, "memory4")                                                                                 \
    EACH(DISTANCE, "distance") /* m */                                                                       \
    EACH(AGE, "age")           /* s */                                                                       \
    EACH(RANDOM, "random")     /* 0 to 1 */                                                                  \
    EACH(BODY, "body")     /* voxels of its body: those that links and bonds join it to, itself included */  \
    EACH(MASS, "mass")     /* kg */                                                                          \
    EACH(DT, "dt")         /* s, the step that is over */                                                    \
    EACH(TRAIT1, "trait1") /* numbers of its own: the fields of these names */                               \
    EACH(TRAIT2, "trait2")                                                                                   \
    EACH(TRAIT3, "trait3")                                                                                   \
    EACH(TRAIT4, "trait4")                                                                                   \
    EACH(LAMPS, "lamps")     /* lights that are on */                                                        \
    EACH(TARGETS, "targets") /* voxels of target materials that it touches */                                \
    /* from here on: means over the voxels it is linked to */                                                \
    EACH(NEAR_STRAIN, "n_strain")                                                                            \
    EACH(NEAR_PRESSURE, "n_pressure")                                                                        \
    EACH(NEAR_TOUCH, "n_touch")                                                                              \
    EACH(NEAR_IMPULSE, "n_impulse")                                                                          \
    EACH(NEAR_LIGHT, "n_light")                                                                              \
    EACH(NEAR_SIZE, "n_size")                                                                                \
    EACH(NEAR_MEMORY1, "n_memory1")

typedef enum vxe_variable {
#define VARIABLE(name, text) VXE_VARIABLE_##name,
    VXE_VARIABLES(VARIABLE)
#undef VARIABLE
        VXE_VARIABLE_COUNT,
    VXE_VARIABLE_OWN = VXE_VARIABLE_STRAIN,
    VXE_VARIABLE_NEAR = VXE_VARIABLE_NEAR_STRAIN
} vxe_variable;
extern const char *const vxe_formula_variables[VXE_VARIABLE_COUNT];

/* Operations with operands, and how they are written. */
#define VXE_OPERATIONS(EACH)                                                                                 \
    EACH(ADD, "+") /* two operands from here ... */                                                          \
    EACH(SUBTRACT, "-")                                                                                      \
    EACH(MULTIPLY, "*")                                                                                      \
    EACH(DIVIDE, "/")                                                                                        \
    EACH(POWER, "^")                                                                                         \
    EACH(GREATER, ">")                                                                                       \
    EACH(LESS, "<")                                                                                          \
    EACH(AND, "&&")                                                                                          \
    EACH(OR, "||")                                                                                           \
    EACH(SQRT, "sqrt") /* ... one from here */                                                               \
    EACH(SIN, "sin")                                                                                         \
    EACH(COS, "cos")                                                                                         \
    EACH(TAN, "tan")                                                                                         \
    EACH(ATAN, "atan")                                                                                       \
    EACH(LOG, "log")                                                                                         \
    EACH(ROUND, "round")                                                                                     \
    EACH(ABS, "abs")                                                                                         \
    EACH(NOT, "not")                                                                                         \
    EACH(NORMAL_CDF, "normalcdf")

typedef enum vxe_operation {
    VXE_OP_NUMBER,
    VXE_OP_VARIABLE,
#define OPERATION(name, text) VXE_OP_##name,
    VXE_OPERATIONS(OPERATION)
#undef OPERATION
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
