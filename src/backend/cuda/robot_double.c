/* Robots in double precision, on the host's side. */
#include "kernel/real.h"
#define ROBOT_CODE vxe_robot_code_double
#include "backend/cuda/pack.h"
