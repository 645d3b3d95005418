/* What the pressure of `solid` needs to know about a body: which modulus each voxel has, how normal load on a
 * free face acts, which voxels share their pressure with neighbours, and which are cut in half by a clamp.
 * In: links, materials and regions of a model under construction. See docs/physics.md.
 *
 * Moduli. A voxel's pressure is p = modulus * volume strain of its links. With m faces that have no link and
 * carry nothing, the strain of those faces is condensed: modulus = lambda/(1 + m nu/(2(1 - 2 nu))). A clamp
 * holds voxels at their centres: only the half towards the body is there, so a clamped voxel has half the
 * volume and its one link along the normal is all its normal strain; both together double the modulus, and
 * only its lateral free faces count.
 *
 * Rollers. A face that is held along its normal alone and carries a force is not free: the half voxel behind
 * the held centre is strained as the half before it. So the one link along the normal counts twice, and the
 * face does not count as free. The link's own stiffness is less by what its pressure then adds, so that a
 * body between two rollers is as stiff as its material. Where nothing can push along the normal the face is
 * free as before. */
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

/* ---- rollers ------------------------------------------------------------------------------------------------------ */

#define MOVES 7 /* bits of the three translations */

bool vxe_is_pressed(const vxe_model *m, int32_t v, int axis)
{
    return m->pressed != NULL && (m->pressed[v] >> axis & 1) != 0;
}

/* Bits of the axes along which a region is a roller: it holds one translation and is no clamp. */
static uint8_t roller_axes(const vxe_region_def *def)
{
    const uint32_t moves = def->fixed & MOVES;
    const bool one = moves == VXE_DOF_X || moves == VXE_DOF_Y || moves == VXE_DOF_Z;
    return one && !def->clamp ? (uint8_t)moves : 0;
}

/* What can push a body along each axis. */
typedef struct body_push {
    int32_t layer[3]; /* the place along the axis of the voxels that are held along it; -1: none are */
    bool pushed[3];   /* loads act along it, or voxels of several layers are held */
} body_push;

static void find_pushes(const vxe_model *m, const uint8_t *held, body_push *bodies)
{
    const double *g = m->environment.gravity;
    for (int32_t b = 0; b < m->view.body_count; b++)
        bodies[b] = (body_push){{-1, -1, -1}, {g[0] != 0.0, g[1] != 0.0, g[2] != 0.0}};
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        body_push *own = &bodies[m->body[v]];
        for (int a = 0; a < 3; a++) {
            if ((held[v] >> a & 1) == 0) continue;
            if (own->layer[a] >= 0 && own->layer[a] != m->cell[a][v]) own->pushed[a] = true;
            own->layer[a] = m->cell[a][v];
        }
    }
    for (int32_t r = 0; r < m->view.region_count; r++) {
        for (int32_t i = m->region_begin[r]; i < m->region_begin[r + 1]; i++) {
            for (int a = 0; a < 3; a++) {
                if (m->regions[r].def.force[a] != 0.0) bodies[m->body[m->region_voxel[i]]].pushed[a] = true;
            }
        }
    }
}

/* Whether all neighbours in the plane of a roller are held along its axis: a face, not a point or a line. */
static void find_faces(const vxe_model *m, const uint8_t *held, uint8_t *alone)
{
    for (int b = 0; b < 3; b++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            const int32_t w = m->next[b][v];
            if (w < 0) continue;
            const uint8_t others = (uint8_t)(MOVES & ~(1 << b));
            alone[v] |= (uint8_t)(others & ~held[w]);
            alone[w] |= (uint8_t)(others & ~held[v]);
        }
    }
}

/* Work space: (voxels) each, and bodies. */
typedef struct roller_work {
    uint8_t *faces, *held, *rolls, *alone;
    body_push *bodies;
} roller_work;

static void find_pressed(vxe_model *m, const roller_work *w)
{
    for (int32_t r = 0; r < m->view.region_count; r++) {
        const vxe_region_def *def = &m->regions[r].def;
        for (int32_t i = m->region_begin[r]; i < m->region_begin[r + 1]; i++) {
            w->held[m->region_voxel[i]] |= (uint8_t)(def->clamp ? MOVES : def->fixed & MOVES);
            w->rolls[m->region_voxel[i]] |= roller_axes(def);
        }
    }
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (m->materials[m->material[v]].fixed) w->held[v] = MOVES;
    }
    find_pushes(m, w->held, w->bodies);
    find_faces(m, w->held, w->alone);
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (m->clamp_normal != NULL && m->clamp_normal[v] != 0) continue;
        for (int a = 0; a < 3; a++) {
            const int linked = w->faces[v] >> (2 * a) & 3;
            const bool outer = linked == 1 || linked == 2;
            if (outer && (w->rolls[v] & ~w->alone[v]) >> a & 1 && w->bodies[m->body[v]].pushed[a])
                m->pressed[v] |= (uint8_t)(1 << a);
        }
    }
}

vxe_result vxe_build_rollers(vxe_model *m, vxe_error *error)
{
    const size_t n = (size_t)m->view.voxel_count;
    uint8_t any = 0;
    for (int32_t r = 0; r < m->view.region_count; r++) any |= roller_axes(&m->regions[r].def);
    if (any == 0 || m->environment.elasticity != VXE_ELASTICITY_SOLID) return VXE_OK;
    const roller_work w = {linked_faces(m), vxe_allocate(n, 1), vxe_allocate(n, 1), vxe_allocate(n, 1),
                           vxe_allocate((size_t)m->view.body_count, sizeof(body_push))};
    m->pressed = vxe_allocate(n, 1);
    const bool good = w.faces != NULL && w.held != NULL && w.rolls != NULL && w.alone != NULL &&
                      w.bodies != NULL && m->pressed != NULL;
    if (good) {
        find_pressed(m, &w);
        m->bytes += n;
    }
    free(w.faces);
    free(w.held);
    free(w.rolls);
    free(w.alone);
    free(w.bodies);
    return good ? VXE_OK : vxe_fail_memory(error, "the model", 5 * n);
}

/* ---- classes, loads on faces, neighbours that share pressure --------------------------------------------------------- */

static void build_classes(vxe_model *m, const uint8_t *faces)
{
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        int open = FACE_COUNT - face_count(faces[v]);
        for (int a = 0; a < 3; a++) open -= vxe_is_pressed(m, v, a) ? 1 : 0;
        m->pressure_class[v] = (uint8_t)open;
        const int normal = m->clamp_normal != NULL ? (m->clamp_normal[v] & CLAMP_AXIS) - 1 : -1;
        if (normal < 0) continue;
        const uint8_t lateral = (uint8_t)(faces[v] & ~(3 << (2 * normal)));
        m->pressure_class[v] = (uint8_t)(PRESSURE_CLAMPED + 4 - face_count(lateral));
    }
}

/* The neighbours of a voxel: towards smaller and larger coordinates along each axis, or -1. */
typedef struct neighbours {
    int32_t at[2 * 3];
} neighbours;

static void find_neighbours(const vxe_model *m, neighbours *near)
{
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        for (int f = 0; f < 2 * 3; f++) near[v].at[f] = -1;
    }
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            const int32_t w = m->next[a][v];
            if (w < 0) continue;
            near[v].at[2 * a + 1] = w;
            near[w].at[2 * a] = v;
        }
    }
}

/* Whether a region is a body there, not a face: it has a neighbour in it along every axis along which it has
 * any. `region_of`: the last region a voxel is in, + 1. */
static bool is_deep(const neighbours *n, const int32_t *region_of, int32_t region)
{
    for (int a = 0; a < 3; a++) {
        const int32_t low = n->at[2 * a];
        const int32_t high = n->at[2 * a + 1];
        const bool in = (low >= 0 && region_of[low] == region) || (high >= 0 && region_of[high] == region);
        if ((low >= 0 || high >= 0) && !in) return false;
    }
    return true;
}

/* A normal traction s on a free face adds s/(4 mu) to the volume strain. A force along an axis acts on the
 * free faces across that axis, shared if there are two (then what it pulls at one it pushes at the other, and
 * nothing remains). That is so for regions one voxel deep; a force on a whole body, or a piece of one, pulls
 * at all its voxels, not at the faces of the last. Loads keep their direction, faces that of the start. */
static void build_face_loads(vxe_model *m, const neighbours *near, int32_t *region_of)
{
    const double area = m->view.pitch * m->view.pitch;
    for (int32_t r = 0; r < m->view.region_count; r++) {
        for (int32_t i = m->region_begin[r]; i < m->region_begin[r + 1]; i++)
            region_of[m->region_voxel[i]] = r + 1;
        for (int32_t i = m->region_begin[r]; i < m->region_begin[r + 1]; i++) {
            const int32_t v = m->region_voxel[i];
            const double shear = m->materials[m->material[v]].shear;
            const bool deep = is_deep(&near[v], region_of, r + 1);
            for (int a = 0; a < 3; a++) {
                const bool low = near[v].at[2 * a] < 0;
                const bool high = near[v].at[2 * a + 1] < 0;
                m->face_load[3 * (size_t)i + (size_t)a] =
                    low == high || deep ? 0.0 : (high ? 1.0 : -1.0) / (4.0 * shear * area);
            }
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

/* The axes along which each body is two voxels thick, as bits, (bodies). In bending the stress is opposite in
 * both, and one number per voxel has too much of it unless pressure is continuous at the face between them.
 * In thicker bodies that matters less and less, as the square of their voxels. */
static uint8_t *thin_axes(const vxe_model *m)
{
    typedef struct extent {
        int32_t low[3], high[3];
    } extent;
    const size_t count = (size_t)m->view.body_count;
    extent *extents = vxe_allocate(count, sizeof *extents);
    uint8_t *thin = vxe_allocate(count, 1);
    if (extents == NULL || thin == NULL) {
        free(extents);
        free(thin);
        return NULL;
    }
    for (size_t b = 0; b < count; b++)
        extents[b] = (extent){{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        extent *e = &extents[m->body[v]];
        for (int a = 0; a < 3; a++) {
            if (m->cell[a][v] < e->low[a]) e->low[a] = m->cell[a][v];
            if (m->cell[a][v] > e->high[a]) e->high[a] = m->cell[a][v];
        }
    }
    for (size_t b = 0; b < count; b++) {
        for (int a = 0; a < 3; a++) thin[b] |= (uint8_t)((extents[b].high[a] - extents[b].low[a] == 1) << a);
    }
    free(extents);
    return thin;
}

/* Whether the link that begins at a voxel goes across a thin body. */
static bool is_across(const vxe_model *m, const uint8_t *thin, int32_t v, int a)
{
    const int32_t w = m->next[a][v];
    const bool presses =
        m->materials[m->material[v]].lambda > 0.0 && m->materials[m->material[w]].lambda > 0.0;
    return presses && (thin[m->body[v]] >> a & 1) != 0;
}

static vxe_result build_shares(vxe_model *m, vxe_error *error)
{
    const int32_t n = m->view.voxel_count;
    uint8_t *interface = vxe_allocate((size_t)n, 1);
    int32_t *slot = vxe_allocate((size_t)n, sizeof *slot);
    uint8_t *thin = thin_axes(m);
    if (interface == NULL || slot == NULL || thin == NULL) {
        free(interface);
        free(slot);
        free(thin);
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
                if (w < 0 || m->materials[m->material[v]].rigid || m->materials[m->material[w]].rigid)
                    continue; /* what is rigid has no pressure */
                if (interface[v] == 0 && interface[w] == 0 && !is_across(m, thin, v, a)) continue;
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
            free(thin);
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
    free(thin);
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
    neighbours *near = vxe_allocate(n, sizeof *near);
    int32_t *region_of = vxe_allocate(n, sizeof *region_of);
    const bool good = m->pressure_class != NULL && m->face_load != NULL && faces != NULL && near != NULL &&
                      region_of != NULL;
    if (good) {
        m->bytes += n + 3 * loaded * sizeof *m->face_load;
        find_neighbours(m, near);
        build_classes(m, faces);
        build_face_loads(m, near, region_of);
    }
    vxe_result result = VXE_OK;
    if (!good) result = vxe_fail_memory(error, "the model", 30 * n + 3 * loaded * sizeof *m->face_load);
    if (good && m->environment.elasticity == VXE_ELASTICITY_SOLID) result = build_shares(m, error);
    free(faces);
    free(near);
    free(region_of);
    return result;
}
