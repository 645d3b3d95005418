/* Faces of a body; see body.h. Hollow corners: light from all around reaches a corner of a face the less, the
 * more of the three cells in front of it and beside it are filled. That depends on the lattice only, so it is
 * found once. */
#include "picture/body.h"
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

void vxe_body_release(vxe_body *b)
{
    if (b == NULL || --b->users > 0) return;
    free(b->face);
    free(b->face_voxel);
    free(b->hollow);
    free(b->material);
    free(b);
}

/* The cells that are filled, in a hash table. (In front of a free face only voxels of the surface can be.) */
typedef struct cells {
    const int32_t *cell;
    uint32_t *slot; /* voxel + 1; 0: free */
    size_t mask;
} cells;

static size_t place_of(const cells *c, int32_t i, int32_t j, int32_t k)
{
    uint64_t h = vxe_hash_u64(VXE_HASH_START, (uint64_t)(uint32_t)i << 32 | (uint32_t)j);
    h = vxe_hash_u64(h, (uint32_t)k);
    return (size_t)(h ^ h >> 29) & c->mask;
}

static bool cells_have(const cells *c, const int32_t at[3])
{
    for (size_t s = place_of(c, at[0], at[1], at[2]); c->slot[s] != 0; s = (s + 1) & c->mask) {
        if (memcmp(c->cell + 3 * (size_t)(c->slot[s] - 1), at, 3 * sizeof *at) == 0) return true;
    }
    return false;
}

static bool cells_make(cells *c, const int32_t *cell, int32_t count)
{
    size_t size = 16;
    while (size < 2 * (size_t)count) size *= 2;
    c->cell = cell;
    c->mask = size - 1;
    c->slot = calloc(size, sizeof *c->slot);
    if (c->slot == NULL) return false;
    for (int32_t v = 0; v < count; v++) {
        const int32_t *at = cell + 3 * (size_t)v;
        size_t s = place_of(c, at[0], at[1], at[2]);
        /* once each: a file that puts a million voxels into one cell would take hours */
        while (c->slot[s] != 0 && memcmp(cell + 3 * (size_t)(c->slot[s] - 1), at, 3 * sizeof *at) != 0)
            s = (s + 1) & c->mask;
        if (c->slot[s] == 0) c->slot[s] = (uint32_t)v + 1;
    }
    return true;
}

/* Signs along x, y, z of the corners of the sides -x +x -y +y -z +z, in the order of faces: as vxe_skin has
 * them. */
static const int8_t side_sign[6][4][3] = {
    {{-1, -1, -1}, {-1, -1, 1}, {-1, 1, 1}, {-1, 1, -1}}, {{1, -1, -1}, {1, 1, -1}, {1, 1, 1}, {1, -1, 1}},
    {{-1, -1, -1}, {1, -1, -1}, {1, -1, 1}, {-1, -1, 1}}, {{-1, 1, -1}, {-1, 1, 1}, {1, 1, 1}, {1, 1, -1}},
    {{-1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {1, -1, -1}}, {{-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}};

static uint8_t light_at(const cells *c, const int32_t *cell, int side, int corner)
{
    static const uint8_t light[4] = {150, 185, 218, 255};
    const int axis = side / 2;
    const int8_t *sign = side_sign[side][corner];
    const int first = (axis + 1) % 3;
    const int second = (axis + 2) % 3;
    int filled[3];
    for (int which = 0; which < 3; which++) { /* beside it one way, the other way, across */
        int32_t at[3] = {cell[0], cell[1], cell[2]};
        at[axis] += sign[axis];
        if (which != 1) at[first] += sign[first];
        if (which != 0) at[second] += sign[second];
        filled[which] = cells_have(c, at) ? 1 : 0;
    }
    if (filled[0] != 0 && filled[1] != 0) return light[0];
    return light[3 - filled[0] - filled[1] - filled[2]];
}

vxe_result vxe_body_create(const vxe_surface *s, vxe_body **made, vxe_error *error)
{
    const size_t f = (size_t)s->face_count;
    const size_t n = (size_t)s->voxel_count;
    vxe_body *b = calloc(1, sizeof *b);
    cells c = {0};
    bool good = b != NULL && cells_make(&c, s->cell, s->voxel_count);
    if (good) {
        b->users = 1;
        b->voxel_count = s->voxel_count;
        b->corner_count = s->corner_count;
        b->face_count = s->face_count;
        b->face = vxe_allocate(4 * f, sizeof *b->face);
        b->face_voxel = vxe_allocate(f, sizeof *b->face_voxel);
        b->hollow = vxe_allocate(4 * f, 1);
        b->material = vxe_allocate(n, sizeof *b->material);
        good = b->face != NULL && b->face_voxel != NULL && b->hollow != NULL && b->material != NULL;
    }
    if (!good) {
        free(c.slot);
        if (b != NULL) b->users = 1;
        vxe_body_release(b);
        return vxe_fail_memory(error, "a picture", 40 * f);
    }
    memcpy(b->face, s->face, 4 * f * sizeof *s->face);
    memcpy(b->face_voxel, s->face_voxel, f * sizeof *s->face_voxel);
    memcpy(b->material, s->material, n * sizeof *s->material);
    for (size_t i = 0; i < f; i++)
        for (int k = 0; k < 4; k++)
            b->hollow[4 * i + (size_t)k] =
                light_at(&c, s->cell + 3 * (size_t)s->face_voxel[i], s->face_side[i], k);
    free(c.slot);
    *made = b;
    return VXE_OK;
}
