/* What a program that was built without the studio (CMake option VXE_STUDIO) has in its place. */
#include "base/base.h"
#include "studio/studio.h"

bool studio_available(void) { return false; }

vxe_result studio_serve(const studio_options *options, vxe_error *error)
{
    (void)options;
    return vxe_fail(error, VXE_ERROR_ARGUMENT,
                    "this program was built without the studio, which needs libwebsockets and npm");
}

int studio_solve_worker(void) { return 2; }
