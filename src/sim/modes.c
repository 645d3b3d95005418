#include "sim/modes.h"

#include <stdlib.h>

void vxe_modes_destroy(vxe_modes *modes)
{
    if (modes == NULL) return;
    free(modes->frequency);
    free(modes->square);
    free(modes->shape);
    free(modes);
}

const vxe_modes_view *vxe_modes_get(const vxe_modes *modes) { return modes != NULL ? &modes->view : NULL; }

const double *vxe_modes_shape(const vxe_modes *modes, int32_t mode, int component)
{
    if (modes == NULL || mode < 0 || mode >= modes->view.count || component < 0 ||
        component >= MODE_COMPONENTS)
        return NULL;
    const size_t array = (size_t)mode * MODE_COMPONENTS + (size_t)component;
    return modes->shape + array * (size_t)modes->view.voxel_count;
}
