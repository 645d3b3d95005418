/* The list of cases, in the order in which they are shown. */
#include "validate/cases.h"

#define PAPER "The paper's own numbers"
#define LATTICE "The lattice, solved exactly"
#define SOLID "The continuum"
#define SHAPES "Shapes the calibration never saw"

const val_case val_cases[] = {
    {"table1-thin", PAPER, "Table 1: thin cantilever", VAL_QUICK, case_table1_thin},
    {"table1-thick", PAPER, "Table 1: thick cantilever", VAL_QUICK, case_table1_thick},
    {"table2", PAPER, "Table 2: natural frequencies of the thin beam", VAL_SLOW, case_table2},
    {"residual", PAPER, "Figure 7: decay of the residual", VAL_SLOW, case_residual},
    {"link", LATTICE, "One link", VAL_QUICK, case_link},
    {"stretch", LATTICE, "A chain pulled to twice its length", VAL_QUICK, case_stretch},
    {"chain", LATTICE, "Stretching modes of a chain", VAL_QUICK, case_chain},
    {"elastica", LATTICE, "The elastica: a rod under a load at its end", VAL_QUICK, case_elastica},
    {"roll", LATTICE, "A rod rolled up by a moment", VAL_QUICK, case_roll},
    {"bimorph", LATTICE, "A bimorph: one layer grows, one shrinks", VAL_QUICK, case_bimorph},
    {"ground-damping", LATTICE, "Ground damping", VAL_QUICK, case_ground_damping},
    {"bond-damping", LATTICE, "Bond damping", VAL_QUICK, case_bond_damping},
    {"time-step", LATTICE, "The largest stable time step", VAL_QUICK, case_time_step},
    {"restitution", LATTICE, "Falls onto the floor", VAL_SLOW, case_restitution},
    {"water", LATTICE, "Bodies in water", VAL_QUICK, case_water},
    {"lattice-torsion", LATTICE, "Torsion of a block of beams", VAL_QUICK_SOLVED, case_lattice_torsion},
    {"lattice-shear", LATTICE, "Shear of a block of beams", VAL_QUICK_SOLVED, case_lattice_shear},
    {"lattice-two", LATTICE, "Bending of beams of two materials", VAL_QUICK_SOLVED, case_lattice_two},
    {"lattice-free", LATTICE, "Modes of a free block of beams", VAL_QUICK_SOLVED, case_lattice_free},
    {"uniaxial", SOLID, "Tension", VAL_QUICK, case_uniaxial},
    {"rollers", SOLID, "Between rollers", VAL_QUICK_SOLVED, case_rollers},
    {"waves", SOLID, "Long waves", VAL_QUICK, case_waves},
    {"cantilever", SOLID, "Bending of a thick beam", VAL_QUICK_SOLVED, case_cantilever},
    {"bending", SOLID, "Bending stiffness of thin bars", VAL_QUICK_SOLVED, case_bending},
    {"torsion", SOLID, "Torsion", VAL_QUICK_SOLVED, case_torsion},
    {"shear", SOLID, "Shear of a bonded block", VAL_QUICK_SOLVED, case_shear},
    {"compression", SOLID, "Compression of a bonded block", VAL_QUICK_SOLVED, case_compression},
    {"two", SOLID, "Bending of a beam of two materials", VAL_QUICK_SOLVED, case_two},
    {"free", SOLID, "Modes of a free block", VAL_SLOW, case_free},
    {"rod-modes", SOLID, "Modes of clamped bars", VAL_QUICK_SOLVED, case_rod_modes},
    {"bracket", SHAPES, "A concave corner", VAL_SLOW, case_bracket},
    {"hole", SHAPES, "A plate with a hole", VAL_QUICK_SOLVED, case_hole},
    {"tube", SHAPES, "Tubes with walls of one and two voxels", VAL_QUICK_SOLVED, case_tube},
    {"strip", SHAPES, "Sheets of one and two voxels", VAL_QUICK_SOLVED, case_strip},
};
const int val_case_count = sizeof val_cases / sizeof val_cases[0];
