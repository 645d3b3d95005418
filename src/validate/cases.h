/* The cases: each runs specimens and adds what it compares. They are listed in cases.c. */
#ifndef VALIDATE_CASES_H
#define VALIDATE_CASES_H

#include "validate/validate.h"

/* case_links.c */
vxe_result case_link(validation *v, vxe_error *error);
vxe_result case_stretch(validation *v, vxe_error *error);

/* case_waves.c */
vxe_result case_time_step(validation *v, vxe_error *error);
vxe_result case_waves(validation *v, vxe_error *error);

/* case_paper.c */
vxe_result case_table1_thin(validation *v, vxe_error *error);
vxe_result case_table1_thick(validation *v, vxe_error *error);
vxe_result case_residual(validation *v, vxe_error *error);

/* case_vibration.c */
vxe_result case_table2(validation *v, vxe_error *error);
vxe_result case_chain(validation *v, vxe_error *error);
vxe_result case_ground_damping(validation *v, vxe_error *error);
vxe_result case_bond_damping(validation *v, vxe_error *error);

/* case_contact.c */
vxe_result case_restitution(validation *v, vxe_error *error);
vxe_result case_water(validation *v, vxe_error *error);

/* case_rods.c */
vxe_result case_elastica(validation *v, vxe_error *error);
vxe_result case_roll(validation *v, vxe_error *error);
vxe_result case_bimorph(validation *v, vxe_error *error);

/* case_lattice.c */
vxe_result case_lattice_torsion(validation *v, vxe_error *error);
vxe_result case_lattice_shear(validation *v, vxe_error *error);
vxe_result case_lattice_two(validation *v, vxe_error *error);
vxe_result case_lattice_free(validation *v, vxe_error *error);

/* case_solid.c */
vxe_result case_uniaxial(validation *v, vxe_error *error);
vxe_result case_rollers(validation *v, vxe_error *error);
vxe_result case_cantilever(validation *v, vxe_error *error);
vxe_result case_torsion(validation *v, vxe_error *error);
vxe_result case_shear(validation *v, vxe_error *error);
vxe_result case_compression(validation *v, vxe_error *error);
vxe_result case_two(validation *v, vxe_error *error);
vxe_result case_bending(validation *v, vxe_error *error);
vxe_result case_free(validation *v, vxe_error *error);
vxe_result case_rod_modes(validation *v, vxe_error *error);

/* case_shapes.c */
vxe_result case_bracket(validation *v, vxe_error *error);
vxe_result case_hole(validation *v, vxe_error *error);
vxe_result case_tube(validation *v, vxe_error *error);
vxe_result case_strip(validation *v, vxe_error *error);

#endif
