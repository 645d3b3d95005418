/* The devices that simulations can be created on. */
#ifndef BACKEND_CUDA_MACHINE_H
#define BACKEND_CUDA_MACHINE_H

#include "sim/sim.h"

/* The machine of a device; NULL: the CPU alone. VXE_ERROR_INPUT where there is none, with what to do. */
vxe_result vxe_choose_device(vxe_device wanted, const sim_backend **device, vxe_error *error);

#endif
