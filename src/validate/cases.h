/* The cases: each runs specimens and adds what it compares. They are listed in cases.c. */
#ifndef VALIDATE_CASES_H
#define VALIDATE_CASES_H

#include "validate/validate.h"

/* case_links.c */
void case_link(validation *v);
void case_stretch(validation *v);

/* case_waves.c */
void case_time_step(validation *v);
void case_waves(validation *v);

/* case_paper.c */
void case_table1_thin(validation *v);
void case_table1_thick(validation *v);
void case_residual(validation *v);

/* case_vibration.c */
void case_table2(validation *v);
void case_chain(validation *v);
void case_ground_damping(validation *v);
void case_bond_damping(validation *v);

/* case_contact.c */
void case_restitution(validation *v);
void case_water(validation *v);

/* case_rods.c */
void case_elastica(validation *v);
void case_roll(validation *v);
void case_bimorph(validation *v);

/* case_lattice.c */
void case_lattice_torsion(validation *v);
void case_lattice_shear(validation *v);
void case_lattice_two(validation *v);
void case_lattice_free(validation *v);

/* case_solid.c */
void case_uniaxial(validation *v);
void case_rollers(validation *v);
void case_cantilever(validation *v);
void case_torsion(validation *v);
void case_shear(validation *v);
void case_compression(validation *v);
void case_two(validation *v);
void case_bending(validation *v);
void case_free(validation *v);
void case_rod_modes(validation *v);

/* case_shapes.c */
void case_bracket(validation *v);
void case_hole(validation *v);
void case_tube(validation *v);
void case_strip(validation *v);

#endif
