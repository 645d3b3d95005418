/* The machines of sim_backend that a device is: one that takes whole steps, thousands at a time. Where it
 * cannot, the host's loops take the step, and it goes on from there. */
#include "backend/cuda/code.h"
#include "backend/cuda/group.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static vxe_result create(vxe_sim *sim, const gpu *device, vxe_error *error)
{
    gpu_member *member = calloc(1, sizeof *member);
    if (member == NULL) return vxe_fail_memory(error, "the GPU's copies", sizeof *member);
    member->device = device;
    const robot_code *code =
        sim->def.precision == VXE_PRECISION_SINGLE ? &vxe_robot_code_single : &vxe_robot_code_double;
    size_t shared = 0;
    (void)device->check(&shared); /* it was there just now; what became of it is told when it is used */
    member->block_most = BLOCK_VOXELS_MAX;
    while (member->block_most > 64 && code->shared_most(BLOCK_THREADS(member->block_most)) > shared)
        member->block_most -= 64;
    member->links_old = true;
    sim->remote = member;
    sim->old[ON_DEVICE] |= vxe_gpu_keeps();
    return VXE_OK;
}
static vxe_result create_cuda(vxe_sim *sim, vxe_error *error) { return create(sim, vxe_gpu_cuda(), error); }
static vxe_result create_emulated(vxe_sim *sim, vxe_error *error)
{
    return create(sim, &vxe_gpu_emulated, error);
}

static void destroy(vxe_sim *sim)
{
    if (sim->remote == NULL) return;
    vxe_gpu_leave(sim);
    free(sim->remote);
    sim->remote = NULL;
}

static void tables_changed(vxe_sim *sim) { (void)sim; /* tables are packed before every run */ }

static void links_changed(vxe_sim *sim)
{
    gpu_member *member = sim->remote;
    if (member != NULL) member->links_old = true;
}

#define KEEPS                                                                                                \
    (STATE_SET(position) | STATE_SET(orientation) | STATE_SET(velocity) | STATE_SET(spin) |                  \
     STATE_SET(force) | STATE_SET(moment) | STATE_SET(contact_force) | STATE_SET(growth) |                   \
     STATE_SET(pressure) | STATE_SET(stuck) | STATE_SET(floor_rest) | STATE_SET(held_velocity))

state_set vxe_gpu_keeps(void) { return KEEPS; }

#define MACHINE(which, make)                                                                                 \
    {                                                                                                        \
        .name = (which), .keeps = KEEPS, .upload = vxe_gpu_upload, .download = vxe_gpu_download,             \
        .create = (make), .destroy = destroy, .tables_changed = tables_changed,                              \
        .links_changed = links_changed, .takes = vxe_gpu_takes, .advance = vxe_gpu_advance,                  \
        .room = vxe_gpu_room                                                                                 \
    }
static const sim_backend cuda = MACHINE("cuda", create_cuda);
static const sim_backend emulated = MACHINE("emulated", create_emulated);

/* NULL: there is a GPU; else why not. */
static const char *look_for_gpu(void)
{
    const gpu *device = vxe_gpu_cuda();
    size_t shared = 0;
    if (device == NULL)
        return "this program was built without CUDA: install the CUDA toolkit and build again, or use the "
               "CPU";
    return device->check(&shared);
}

vxe_result vxe_choose_device(vxe_device wanted, const sim_backend **device, vxe_error *error)
{
    *device = NULL;
    if (wanted == VXE_DEVICE_CPU) return VXE_OK;
    if (wanted == VXE_DEVICE_EMULATED) {
        *device = &emulated;
        return VXE_OK;
    }
    if (wanted != VXE_DEVICE_CUDA && wanted != VXE_DEVICE_AUTO)
        return vxe_fail(error, VXE_ERROR_INPUT, "device %d is not known", (int)wanted);
    const char *wrong = look_for_gpu();
    if (wrong == NULL) *device = &cuda;
    if (wrong == NULL || wanted == VXE_DEVICE_AUTO) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_INPUT, "there is no GPU to use: %s", wrong);
}

vxe_result vxe_gpu_describe(vxe_gpu_info *info, vxe_error *error)
{
    gpu_facts facts;
    if (info == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_gpu_describe: NULL");
    memset(info, 0, sizeof *info);
    const char *wrong = look_for_gpu();
    if (wrong == NULL) wrong = vxe_gpu_cuda()->open(&facts);
    if (wrong != NULL) return vxe_fail(error, VXE_ERROR_INPUT, "%s", wrong);
    memcpy(info->name, facts.name, sizeof info->name);
    info->memory = facts.memory;
    info->free_memory = facts.free_memory;
    info->processors = facts.processors;
    info->capability[0] = facts.major;
    info->capability[1] = facts.minor;
    return VXE_OK;
}
