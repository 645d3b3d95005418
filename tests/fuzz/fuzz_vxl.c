/* Reads any bytes as a Voxelyze scene. */
#include "io/vxl.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 60000) return 0;
    const vxe_source source = {(const char *)data, size, "fuzz.vxl.json", NULL};
    const vxe_load_def def = {.dialect = VXE_DIALECT_AUTO};
    vxe_scene *scene = NULL;
    vxe_error error;
    vxe_notes *notes = vxe_notes_create();
    if (notes == NULL) abort();
    if (vxe_vxl_parse_json(&source, &def, &scene, notes, &error) != VXE_OK &&
        (strlen(error.message) == 0 || !vxe_valid_text(error.message)))
        abort();
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    return 0;
}
