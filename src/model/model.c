/* Reading a model: views, look-ups by place and by name. */
#include "model/model.h"

#include "base/base.h"
#include "scene/scene.h"

#include <string.h>

const vxe_model_view *vxe_model_get(const vxe_model *model) { return model != NULL ? &model->view : NULL; }

int32_t vxe_model_voxel_at(const vxe_model *model, int32_t i, int32_t j, int32_t k)
{
    if (model == NULL) return -1;
    const int32_t at[3] = {i, j, k};
    int32_t low = 0;
    int32_t high = model->view.voxel_count - 1;
    while (low <= high) {
        const int32_t middle = low + (high - low) / 2;
        int order = 0; /* of the middle voxel against the wanted place: z decides first, then y, then x */
        for (int a = 2; a >= 0 && order == 0; a--) {
            order = (model->cell[a][middle] > at[a]) - (model->cell[a][middle] < at[a]);
        }
        if (order == 0) return middle;
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    return -1;
}

int32_t vxe_model_find_region(const vxe_model *model, const char *name)
{
    if (model == NULL || name == NULL) return -1;
    for (int32_t r = 0; r < model->view.region_count; r++) {
        if (strcmp(model->regions[r].def.name, name) == 0) return r;
    }
    return -1;
}

const char *vxe_model_region_name(const vxe_model *model, int32_t region)
{
    if (model == NULL || region < 0 || region >= model->view.region_count) return NULL;
    return model->regions[region].def.name;
}

int32_t vxe_model_find_signal(const vxe_model *model, const char *name)
{
    if (model == NULL || name == NULL) return -1;
    for (int32_t s = 0; s < model->view.signal_count; s++) {
        if (strcmp(model->signals[s].def.name, name) == 0) return s;
    }
    return -1;
}

const char *vxe_model_signal_name(const vxe_model *model, int32_t signal)
{
    if (model == NULL || signal < 0 || signal >= model->view.signal_count) return NULL;
    return model->signals[signal].def.name;
}

const char *vxe_model_material_name(const vxe_model *model, int32_t material)
{
    if (model == NULL || material < 1 || material > model->view.material_count) return NULL;
    return model->material_names[material];
}

void vxe_model_get_stop(const vxe_model *model, vxe_stop *stop, size_t size)
{
    vxe_settings_give(&vxe_stop_type, model != NULL ? &model->stop : NULL, stop, size);
}

void vxe_model_get_environment(const vxe_model *model, vxe_environment *environment, size_t size)
{
    vxe_settings_give(&vxe_environment_type, model != NULL ? &model->environment : NULL, environment, size);
}

uint64_t vxe_model_hash(const vxe_model *model) { return model != NULL ? model->hash : 0; }

size_t vxe_model_bytes(const vxe_model *model) { return model != NULL ? model->bytes : 0; }

vxe_result vxe_check_region_number(const vxe_model *m, int32_t region, vxe_error *error)
{
    if (region >= 0 && region < m->view.region_count) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_ARGUMENT, "there is no region %d; the model has %d, numbered from 0",
                    (int)region, (int)m->view.region_count);
}
