/* Reads any bytes as the XML inside a 3MF file, which the checksums of the archive would keep from a fuzzer.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mesh_builder b = {0};
    vxe_mesh *mesh = NULL;
    vxe_error error;
    double unit = 0.0;
    if (size > 100000) return 0;
    vxe_result result = vxe_mesh_read_model((const char *)data, size, "fuzz.3mf", &unit, &b, &error);
    if (result == VXE_OK) {
        result = vxe_mesh_builder_finish(&b, "fuzz.3mf", unit, &mesh, &error);
    } else {
        vxe_mesh_builder_free(&b);
    }
    if (result != VXE_OK) {
        fuzz_check_error(&error);
    } else {
        fuzz_check_mesh(mesh);
    }
    vxe_mesh_destroy(mesh);
    return 0;
}
