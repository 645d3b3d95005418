/* The plain backend in double precision: the reference. */
#define VXE_REAL double
#define PLAIN_BACKEND vxe_backend_plain_double
#define PLAIN_NAME "plain double"
#include "backend/cpu/plain_loops.h"
