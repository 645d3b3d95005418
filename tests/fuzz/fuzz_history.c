/* Reads any bytes as a history. */
#include "base/base.h"
#include "voxelastic/io.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vxe_history *history = NULL;
    vxe_error error;
    if (size > 100000) return 0;
    if (vxe_history_parse((const char *)data, size, "fuzz.history", &history, &error) != VXE_OK) {
        if (strlen(error.message) == 0 || !vxe_valid_text(error.message)) abort();
        return 0;
    }
    for (int32_t i = 0; i < vxe_history_count(history); i++) {
        const vxe_history_frame *frame = vxe_history_get(history, i);
        if ((frame->voxel_count > 0 && frame->voxels == NULL) ||
            (frame->link_count > 0 && frame->links == NULL))
            abort();
    }
    vxe_history_destroy(history);
    return 0;
}
