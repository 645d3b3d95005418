/* Words of settings, as they stand in options and reports. */
#include "sim/choices.h"

const vxe_choice vxe_precisions[] = {{"double", VXE_PRECISION_DOUBLE},
                                     {"fast", VXE_PRECISION_FAST},
                                     {"single", VXE_PRECISION_SINGLE},
                                     {NULL, 0}};
const vxe_choice vxe_isas[] = {{"auto", VXE_ISA_AUTO},         {"plain", VXE_ISA_PLAIN},
                               {"portable", VXE_ISA_PORTABLE}, {"avx2", VXE_ISA_AVX2},
                               {"avx512", VXE_ISA_AVX512},     {NULL, 0}};
const vxe_choice vxe_devices[] = {{"cpu", VXE_DEVICE_CPU},
                                  {"cuda", VXE_DEVICE_CUDA},
                                  {"auto", VXE_DEVICE_AUTO},
                                  {"emulated", VXE_DEVICE_EMULATED},
                                  {NULL, 0}};
const vxe_choice vxe_bond_dampings[] = {{"auto", VXE_BOND_DAMPING_AUTO},
                                        {"explicit", VXE_BOND_DAMPING_EXPLICIT},
                                        {"implicit", VXE_BOND_DAMPING_IMPLICIT},
                                        {NULL, 0}};
