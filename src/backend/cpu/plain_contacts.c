/* Loops over contacts, one by one: the reference. */
#define CONTACT_LOOPS vxe_contact_loops_plain
#include "backend/cpu/contact_loops.h"
