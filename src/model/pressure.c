/* What the pressure of `solid` needs to know about a body: which modulus each voxel has, how normal load on a
 * free face acts, which voxels share their pressure with neighbours, and which are cut in half by a clamp.
 * In: links, materials and regions of a model under construction. See docs/physics.md.
 *
 * Moduli. A voxel's pressure is p = modulus * volume strain of its links. With m faces that have no link and
 * carry nothing, the strain of those faces is condensed: modulus = lambda/(1 + m nu/(2(1 - 2 nu))). A clamp
 * holds voxels at their centres: only the half towards the body is there, so a clamped voxel has half the
 * volume and its one link along the normal is all its normal strain; both together double the modulus, and
 * only its lateral free faces count. */
#include "model/pressure.h"

#include "base/base.h"

#include <stdlib.h>

double vxe_pressure_modulus(const material_constants *c, int pressure_class)
{
    const double nu = c->youngs / (2.0 * c->shear) - 1.0;
    const bool half = pressure_class >= PRESSURE_CLAMPED;
    const int faces = half ? pressure_class - PRESSURE_CLAMPED : pressure_class;
    return (half ? 2.0 : 1.0) * c->lambda / (1.0 + faces * nu / (2.0 * (1.0 - 2.0 * nu)));
}

/* Faces of every voxel that have a link: bits 2a and 2a+1 for smaller and larger coordinates along axis a. */
static uint8_t *linked_faces(const vxe_model *m)
{
    uint8_t *faces = vxe_allocate((size_t)m->view.voxel_count, 1);
    if (faces == NULL) return NULL;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (m->next[a][v] < 0) continue;
            faces[v] |= (uint8_t)(2 << (2 * a));
            faces[m->next[a][v]] |= (uint8_t)(1 << (2 * a));
        }
    }
    return faces;
}

static int face_count(uint8_t faces)
{
    int count = 0;
    for (int f = 0; f < FACE_COUNT; f++) count += faces >> f & 1;
    return count;
}

/* ---- clamps ------------------------------------------------------------------------------------------------------- */

/* For voxels of clamp regions: the axis across the clamp + 1, if exactly one face is linked to the rest of
 * the body; else 0. */
static void find_normals(const vxe_model *m, const uint8_t *clamped, uint8_t *normal)
{
    const int32_t n = m->view.voxel_count;
    for (int32_t v = 0; v < n; v++) normal[v] = 0;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            const int32_t w = m->next[a][v];
            if (w < 0 || clamped[v] == clamped[w]) continue;
            uint8_t *mark = &normal[clamped[v] != 0 ? v : w];
            *mark = *mark == 0 ? (uint8_t)(a + 1) : 4; /* 4: more than one */
        }
    }
    for (int32_t v = 0; v < n; v++) {
        if (normal[v] == 4) normal[v] = 0;
    }
}

/* A half voxel may turn if the body holds it in both directions of the clamp's plane; one voxel thick, it has
 * to be held. */
static bool may_turn(uint8_t faces, int normal)
{
    for (int a = 0; a < 3; a++) {
        if (a != normal && (faces >> (2 * a) & 3) == 0) return false;
    }
    return true;
}

vxe_result vxe_build_clamps(vxe_model *m, vxe_error *error)
{
    const int32_t n = m->view.voxel_count;
    bool any = false;
    for (int32_t r = 0; r < m->view.region_count; r++) any = any || m->regions[r].def.clamp;
    if (!any) return VXE_OK;
    uint8_t *faces = linked_faces(m);
    uint8_t *clamped = vxe_allocate((size_t)n, 1);
    m->clamp_normal = vxe_allocate((size_t)n, 1);
    if (faces == NULL || clamped == NULL || m->clamp_normal == NULL) {
        free(faces);
        free(clamped);
        return vxe_fail_memory(error, "the model", 3 * (size_t)n);
    }
    for (int32_t r = 0; r < m->view.region_count; r++) {
        if (!m->regions[r].def.clamp) continue;
        for (int32_t i = m->region_begin[r]; i < m->region_begin[r + 1]; i++) clamped[m->region_voxel[i]] = 1;
    }
    find_normals(m, clamped, m->clamp_normal);
    for (int32_t v = 0; v < n; v++) {
        if (m->clamp_normal[v] != 0 && !may_turn(faces[v], m->clamp_normal[v] - 1))
            m->clamp_normal[v] |= CLAMP_HOLDS_TURN;
    }
    free(faces);
    free(clamped);
    return VXE_OK;
}

/* ---- classes, loads on faces, neighbours that share pressure --------------------------------------------------------- */

static void build_classes(vxe_model *m, const uint8_t *faces)
{
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        m->pressure_class[v] = (uint8_t)(FACE_COUNT - face_count(faces[v]));
        const int normal = m->clamp_normal != NULL ? (m->clamp_normal[v] & CLAMP_AXIS) - 1 : -1;
        if (normal < 0) continue;
        const uint8_t lateral = (uint8_t)(faces[v] & ~(3 << (2 * normal)));
        m->pressure_class[v] = (uint8_t)(PRESSURE_CLAMPED + 4 - face_count(lateral));
    }
}

/* A normal traction s on a free face adds s/(4 mu) to the volume strain. A force along an axis acts on the
 * free faces across that axis, shared if there are two (then what it pulls at one it pushes at the other, and
 * nothing remains). Loads keep their direction, faces that of the start. */
static void build_face_loads(vxe_model *m, const uint8_t *faces)
{
    const double area = m->view.pitch * m->view.pitch;
    for (int32_t i = 0; i < m->region_begin[m->view.region_count]; i++) {
        const int32_t v = m->region_voxel[i];
        const double shear = m->materials[m->material[v]].shear;
        for (int a = 0; a < 3; a++) {
            const bool low = (faces[v] >> (2 * a) & 1) == 0;
            const bool high = (faces[v] >> (2 * a + 1) & 1) == 0;
            m->face_load[3 * (size_t)i + (size_t)a] =
                low == high ? 0.0 : (high ? 1.0 : -1.0) / (4.0 * shear * area);
        }
    }
}

/* Where unlike materials meet, the two sides of a face cannot have the same strain and the same stress: the
 * voxels there share pressure through all their faces (weight 1/(4 (mu1 + mu2))), so that stress is
 * continuous. */
static bool is_unlike(const vxe_model *m, int32_t v, int32_t w)
{
    const material_constants *a = &m->materials[m->material[v]];
    const material_constants *b = &m->materials[m->material[w]];
    return a->shear != b->shear || a->lambda != b->lambda;
}

static vxe_result build_shares(vxe_model *m, vxe_error *error)
{
    const int32_t n = m->view.voxel_count;
    uint8_t *interface = vxe_allocate((size_t)n, 1);
    int32_t *slot = vxe_allocate((size_t)n, sizeof *slot);
    if (interface == NULL || slot == NULL) {
        free(interface);
        free(slot);
        return vxe_fail_memory(error, "the model", 5 * (size_t)n);
    }
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            const int32_t w = m->next[a][v];
            if (w >= 0 && is_unlike(m, v, w)) interface[v] = interface[w] = 1;
        }
    }
    for (int pass = 0; pass < 2; pass++) {
        m->share_count = 0;
        for (int32_t v = 0; v < n; v++) {
            for (int a = 0; a < 3; a++) {
                const int32_t w = m->next[a][v];
                if (w < 0 || (interface[v] == 0 && interface[w] == 0)) continue;
                slot[v] = slot[w] = 1;
                if (pass == 1) {
                    const double sum =
                        m->materials[m->material[v]].shear + m->materials[m->material[w]].shear;
                    const bool half = vxe_link_is_halved(m, v, w, a);
                    m->shares[m->share_count] = (pressure_share){v, w, a, (half ? 0.5 : 1.0) / (4.0 * sum)};
                }
                m->share_count++;
            }
        }
        if (pass == 1 || m->share_count == 0) break;
        m->shares = vxe_allocate((size_t)m->share_count, sizeof *m->shares);
        for (int32_t v = 0; v < n; v++) m->sharing_count += slot[v];
        m->sharing = vxe_allocate((size_t)m->sharing_count, sizeof *m->sharing);
        if (m->shares == NULL || m->sharing == NULL) {
            free(interface);
            free(slot);
            return vxe_fail_memory(error, "the model", (size_t)m->share_count * sizeof *m->shares);
        }
        m->bytes +=
            (size_t)m->share_count * sizeof *m->shares + (size_t)m->sharing_count * sizeof *m->sharing;
        int32_t at = 0;
        for (int32_t v = 0; v < n; v++) {
            if (slot[v] != 0) m->sharing[at++] = v;
        }
    }
    /* shares speak of places in `sharing` from now on */
    for (int32_t i = 0; i < m->sharing_count; i++) slot[m->sharing[i]] = i;
    for (int32_t i = 0; i < m->share_count; i++) {
        m->shares[i].first = slot[m->shares[i].first];
        m->shares[i].second = slot[m->shares[i].second];
    }
    free(interface);
    free(slot);
    return VXE_OK;
}

bool vxe_link_is_halved(const vxe_model *m, int32_t v, int32_t w, int axis)
{
    if (m->clamp_normal == NULL) return false;
    const int first = m->clamp_normal[v] & CLAMP_AXIS;
    return first != 0 && first == (m->clamp_normal[w] & CLAMP_AXIS) && axis + 1 != first;
}

vxe_result vxe_build_pressure(vxe_model *m, vxe_error *error)
{
    const size_t n = (size_t)m->view.voxel_count;
    const size_t loaded = (size_t)m->region_begin[m->view.region_count];
    m->pressure_class = vxe_allocate(n, 1);
    m->face_load = vxe_allocate(3 * loaded, sizeof *m->face_load);
    uint8_t *faces = linked_faces(m);
    if (m->pressure_class == NULL || m->face_load == NULL || faces == NULL) {
        free(faces);
        return vxe_fail_memory(error, "the model", n + 3 * loaded * sizeof *m->face_load);
    }
    m->bytes += n + 3 * loaded * sizeof *m->face_load;
    build_classes(m, faces);
    build_face_loads(m, faces);
    free(faces);
    return m->environment.elasticity == VXE_ELASTICITY_SOLID ? build_shares(m, error) : VXE_OK;
}
