/* Robots in single precision (positions in double), on the host's side. */
#define VXE_REAL float
#define VXE_REAL_IS_FLOAT
#define ROBOT_CODE vxe_robot_code_single
#include "backend/cuda/pack.h"
