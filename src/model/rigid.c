/* Rigid parts of a model: see rigid.h. */
#include "model/rigid.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static bool is_of_rigid(const vxe_model *m, int32_t v) { return m->materials[m->material[v]].rigid; }

static vxe_result allocate(vxe_model *m, size_t voxels, vxe_error *error)
{
    const size_t n = (size_t)m->view.voxel_count;
    m->rigid = vxe_allocate(n, sizeof *m->rigid);
    m->rigid_voxel = vxe_allocate(voxels, sizeof *m->rigid_voxel);
    m->rigid_begin = vxe_allocate(voxels + 1, sizeof *m->rigid_begin);
    m->own_fixed = vxe_allocate(n, sizeof *m->own_fixed);
    const size_t bytes = n * (sizeof *m->rigid + 1) + (2 * voxels + 1) * sizeof *m->rigid_voxel;
    if (m->rigid == NULL || m->rigid_voxel == NULL || m->rigid_begin == NULL || m->own_fixed == NULL)
        return vxe_fail_memory(error, "the model", bytes);
    m->bytes += bytes;
    return VXE_OK;
}

/* Numbers the voxels that are connected with one; `room`: for the voxels whose neighbours are to be seen. */
static void number_part(vxe_model *m, int32_t *const near[3], int32_t first, int32_t *room)
{
    int32_t waiting = 0;
    m->rigid[first] = m->rigid_count;
    room[waiting++] = first;
    while (waiting > 0) {
        const int32_t v = room[--waiting];
        for (int side = 0; side < 6; side++) {
            const int32_t w = side < 3 ? m->next[side][v] : near[side - 3][v];
            if (w < 0 || !is_of_rigid(m, w) || m->rigid[w] >= 0) continue;
            m->rigid[w] = m->rigid_count;
            room[waiting++] = w;
        }
    }
    m->rigid_count++;
}

static void number_parts(vxe_model *m, int32_t *room)
{
    const int32_t n = m->view.voxel_count;
    int32_t *near[3]; /* the voxels before */
    for (int a = 0; a < 3; a++) {
        near[a] = room + (size_t)(a + 1) * (size_t)n;
        for (int32_t v = 0; v < n; v++) near[a][v] = -1;
        for (int32_t v = 0; v < n; v++) {
            if (m->next[a][v] >= 0) near[a][m->next[a][v]] = v;
        }
    }
    for (int32_t v = 0; v < n; v++) m->rigid[v] = -1;
    for (int32_t v = 0; v < n; v++) {
        if (is_of_rigid(m, v) && m->rigid[v] < 0) number_part(m, near, v, room);
    }
}

vxe_result vxe_build_rigid(vxe_model *m, vxe_error *error)
{
    const int32_t n = m->view.voxel_count;
    size_t voxels = 0;
    for (int32_t v = 0; v < n; v++) voxels += is_of_rigid(m, v) ? 1 : 0;
    if (voxels == 0) return VXE_OK;
    const vxe_result result = allocate(m, voxels, error);
    if (result != VXE_OK) return result;
    int32_t *room = vxe_allocate(4 * (size_t)n, sizeof *room);
    if (room == NULL) return vxe_fail_memory(error, "the model", 4 * (size_t)n * sizeof *room);
    number_parts(m, room);
    free(room);
    memcpy(m->own_fixed, m->fixed, (size_t)n);
    memset(m->rigid_begin, 0, (voxels + 1) * sizeof *m->rigid_begin);
    for (int32_t v = 0; v < n; v++) {
        if (m->rigid[v] < 0) continue;
        m->rigid_begin[m->rigid[v] + 1]++;
        m->fixed[v] = VXE_DOF_ALL;
    }
    for (int32_t r = 0; r < m->rigid_count; r++) m->rigid_begin[r + 1] += m->rigid_begin[r];
    for (int32_t v = 0; v < n; v++) {
        if (m->rigid[v] >= 0) m->rigid_voxel[m->rigid_begin[m->rigid[v]]++] = v;
    }
    for (int32_t r = m->rigid_count; r > 0; r--) m->rigid_begin[r] = m->rigid_begin[r - 1];
    m->rigid_begin[0] = 0;
    return VXE_OK;
}

void vxe_free_rigid(vxe_model *m)
{
    free(m->rigid);
    free(m->rigid_begin);
    free(m->rigid_voxel);
    free(m->own_fixed);
}
