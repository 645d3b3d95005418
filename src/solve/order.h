/* The order in which unknowns are eliminated: nested dissection by planes of the lattice. */
#ifndef SOLVE_ORDER_H
#define SOLVE_ORDER_H

#include "solve/tangent.h"

/* order[i]: the unknown that is eliminated as number i, (k->size). */
vxe_result vxe_order_unknowns(const lattice *l, const sparse *k, int64_t *order, vxe_error *error);

#endif
