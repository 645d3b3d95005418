/* Checkpoint files: the bytes of vxe_sim_save(), whole, in a file. What the bytes mean is the simulation's
 * business. */
#include "base/base.h"
#include "sim/sim.h"
#include "voxelastic/io.h"

#include <stdlib.h>

vxe_result vxe_sim_save_file(const vxe_sim *sim, const char *path, vxe_error *error)
{
    if (sim == NULL || path == NULL) {
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_save_file: a simulation and a path are needed");
    }
    const size_t size = vxe_sim_save_size(sim);
    void *buffer = malloc(size);
    if (buffer == NULL) return vxe_fail_memory(error, "a checkpoint", size);
    vxe_result result = vxe_sim_save(sim, buffer, size, error);
    if (result == VXE_OK) result = vxe_write_file(path, buffer, size, error);
    free(buffer);
    return result;
}

vxe_result vxe_sim_load_file(vxe_sim *sim, const char *path, vxe_error *error)
{
    if (sim == NULL || path == NULL) {
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_load_file: a simulation and a path are needed");
    }
    char *data = NULL;
    size_t size = 0;
    vxe_error problem = {VXE_OK, ""};
    /* A checkpoint of this simulation has a size that is known but for its lists, which have a known room; a
     * file much larger is not one, and need not be read. Twice the size lets vxe_sim_load() tell what is
     * wrong with a checkpoint of another model. */
    const size_t expected = vxe_checkpoint_most(sim);
    const size_t limit = expected > SIZE_MAX / 4 ? expected : 2 * expected + 65536;
    vxe_result result = vxe_read_file(path, limit, &data, &size, &problem);
    if (result == VXE_ERROR_LIMIT) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%.500s: not a checkpoint of this scene: larger than %zu bytes", path, limit);
    }
    if (result != VXE_OK) return vxe_fail(error, result, "%s", problem.message);
    result = vxe_sim_load(sim, data, size, &problem);
    free(data);
    if (result != VXE_OK) return vxe_fail(error, result, "%.400s: %.500s", path, problem.message);
    return VXE_OK;
}
