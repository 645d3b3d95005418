/* The material of a block of fine voxels. */
#ifndef SCENE_MIXTURE_H
#define SCENE_MIXTURE_H

#include "scene/scene.h"

/* What a mixture of materials answers to; all but the names are means. */
typedef struct mixture {
    double youngs, poisson, density, expansion, static_friction, dynamic_friction;
    double color[4];
    int32_t main; /* the material with the largest share: gives signal, delay and marks */
} mixture;

/* Young's modulus of a cube of factor^3 cells, Pa, x fastest; 0 is void. */
double vxe_mixture_stiffness(const double *youngs, int32_t factor);

#endif
