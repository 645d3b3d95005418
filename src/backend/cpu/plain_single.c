/* The plain backend in single precision (positions in double). */
#define VXE_REAL float
#define PLAIN_BACKEND vxe_backend_plain_single
#define PLAIN_NAME "plain"
#include "backend/cpu/plain_loops.h"
