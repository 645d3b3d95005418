/* Scene -> model: numbers the voxels in lattice order, finds neighbours, and lists what regions hold and
 * signals drive. In: a vxe_scene through its public getters. Out: a constant vxe_model.
 */
#include "base/base.h"
#include "base/roots.h"
#include "kernel/signal.h"
#include "model/classes.h"
#include "model/extras.h"
#include "model/pressure.h"
#include "model/rigid.h"
#include "model/rules.h"
#include "model/start.h"
#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Loops read start positions in whole blocks: room for the widest one behind the last voxel. */
#define START_SPARE 16

/* Allocates and counts; on failure the model keeps what it has and `failed` is set. */
typedef struct builder {
    vxe_model *model;
    const vxe_scene *scene;
    vxe_error *error;
    vxe_result result;
} builder;

static void *take(builder *b, size_t count, size_t size)
{
    void *memory = vxe_allocate(count > 0 ? count : 1, size);
    if (memory == NULL) {
        size_t bytes = 0;
        (void)vxe_multiply(count, size, &bytes);
        b->result = vxe_fail_memory(b->error, "the model", bytes);
        return NULL;
    }
    b->model->bytes += count * size;
    return memory;
}

/* ---- materials ---------------------------------------------------------------------------------------------------- */

static bool build_materials(builder *b)
{
    vxe_model *m = b->model;
    const double l = m->view.pitch;
    const int32_t count = vxe_scene_material_count(b->scene);
    m->view.material_count = count;
    m->constant_count = count;
    m->materials = take(b, (size_t)count + 1, sizeof *m->materials);
    m->palette_of = take(b, (size_t)count + 1, sizeof *m->palette_of);
    m->material_names = take(b, (size_t)count + 1, sizeof *m->material_names);
    m->voxel_mass = take(b, (size_t)count + 1, sizeof *m->voxel_mass);
    if (b->result != VXE_OK || m->material_names == NULL) return false;
    for (int32_t i = 1; i <= count; i++) {
        const vxe_material_def *def = vxe_scene_material(b->scene, i);
        material_constants *c = &m->materials[i];
        m->palette_of[i] = (uint16_t)i;
        vxe_set_stiffness(m, c, def->youngs_modulus, def->poissons_ratio);
        c->mass = def->density * l * l * l;
        c->inertia = c->mass * l * l / 6.0;
        c->root_mass = 1.0 / sqrt(c->mass);
        c->root_inertia = 1.0 / sqrt(c->inertia);
        c->expansion = def->expansion;
        c->static_friction = def->static_friction;
        c->dynamic_friction = def->dynamic_friction;
        c->delay = def->delay;
        c->fixed = def->fixed;
        c->unmeasured = def->unmeasured;
        c->target = def->target;
        c->rigid = def->rigid;
        c->ground_damping = def->ground_damping;
        c->transparent = def->transparent;
        for (int k = 0; k < PRESSURE_CLASSES && c->rigid; k++) c->pressure_modulus[k] = 0.0;
        c->signal = -1;
        if (vxe_scene_signal_count(b->scene) > 0) {
            c->signal = def->signal[0] == '\0' ? 0 : vxe_scene_find_signal(b->scene, def->signal);
        }
        memcpy(m->material_names[i], def->name, VXE_NAME_SIZE);
        m->voxel_mass[i] = c->mass;
    }
    m->view.voxel_mass = m->voxel_mass;
    return true;
}

/* ---- voxels and neighbours ---------------------------------------------------------------------------------------- */

static bool build_voxels(builder *b)
{
    vxe_model *m = b->model;
    int64_t total = 0;
    uint16_t *copy = NULL;
    const uint16_t *cells = vxe_rule_cells(b->scene, &copy, &total);
    if (cells == NULL) {
        b->result = vxe_fail_memory(b->error, "the model", (size_t)total);
        return false;
    }
    if (total > VXE_VOXELS_MAX || total > INT32_MAX / 4) {
        b->result =
            vxe_fail(b->error, VXE_ERROR_LIMIT, "the scene has %lld voxels; at most %lld are possible",
                     (long long)total, (long long)VXE_VOXELS_MAX);
        free(copy);
        return false;
    }
    const size_t n = (size_t)total;
    m->view.voxel_count = (int32_t)total;
    for (int a = 0; a < 3; a++) {
        m->cell[a] = take(b, n, sizeof(int32_t));
        m->next[a] = take(b, n, sizeof(int32_t));
        m->start[a] = take(b, n + START_SPARE, sizeof(double));
        m->link_kind[a] = take(b, n, sizeof(uint32_t));
    }
    m->material = take(b, n, sizeof(uint16_t));
    m->free_faces = take(b, n, sizeof(uint8_t));
    m->fixed = take(b, n, sizeof(uint8_t));
    m->body = take(b, n, sizeof(int32_t));
    if (b->result != VXE_OK) {
        free(copy);
        return false;
    }
    const int32_t *size = m->view.size;
    const double l = m->view.pitch;
    double mass = 0.0;
    int32_t v = 0;
    size_t c = 0;
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++, c++) {
                if (cells[c] == 0) continue;
                m->cell[0][v] = i;
                m->cell[1][v] = j;
                m->cell[2][v] = k;
                m->start[0][v] = (i + 0.5) * l;
                m->start[1][v] = (j + 0.5) * l;
                m->start[2][v] = (k + 0.5) * l;
                m->material[v] = cells[c];
                mass += m->materials[cells[c]].mass;
                v++;
            }
        }
    }
    m->view.mass = mass;
    free(copy);
    b->result = vxe_build_latent(m, b->scene, b->error);
    return b->result == VXE_OK;
}

/* Order of cells in the lattice, as one number. */
static int64_t cell_order(const vxe_model *m, int32_t i, int32_t j, int32_t k)
{
    return ((int64_t)k * m->view.size[1] + j) * m->view.size[0] + i;
}

static int64_t voxel_order(const vxe_model *m, int32_t v)
{
    return cell_order(m, m->cell[0][v], m->cell[1][v], m->cell[2][v]);
}

/* The neighbour along an axis comes later by a constant in lattice order, so one walk with two fingers finds
 * them all. */
static void build_neighbours(builder *b)
{
    vxe_model *m = b->model;
    const int32_t n = m->view.voxel_count;
    const int64_t stride[3] = {1, m->view.size[0], (int64_t)m->view.size[0] * m->view.size[1]};
    const double *part = m->fields[VXE_FIELD_PART];
    int32_t links = 0;
    memset(m->free_faces, FACE_COUNT, (size_t)n);
    for (int a = 0; a < 3; a++) {
        int32_t other = 0;
        for (int32_t v = 0; v < n; v++) {
            const int64_t target = voxel_order(m, v) + stride[a];
            while (other < n && voxel_order(m, other) < target) other++;
            m->next[a][v] = -1;
            if (m->cell[a][v] + 1 < m->view.size[a] && other < n && voxel_order(m, other) == target &&
                (part == NULL || part[v] == part[other])) {
                m->next[a][v] = other;
                m->free_faces[v]--;
                m->free_faces[other]--;
                links++;
            }
        }
    }
    m->view.link_count = links;
    int32_t surface = 0;
    for (int32_t v = 0; v < n; v++) surface += m->free_faces[v] > 0;
    m->view.surface_count = surface;
}

/* Connected pieces, numbered by their first voxel; those that may grow belong to the first. */
static void build_bodies(builder *b)
{
    vxe_model *m = b->model;
    const int32_t n = m->view.voxel_count;
    for (int32_t v = 0; v < n; v++) m->body[v] = v;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < n; v++) {
            if (m->next[a][v] < 0 || vxe_is_latent(m, v) || vxe_is_latent(m, m->next[a][v])) continue;
            const int32_t r1 = vxe_root(m->body, v);
            const int32_t r2 = vxe_root(m->body, m->next[a][v]);
            if (r1 < r2) m->body[r2] = r1;
            if (r2 < r1) m->body[r1] = r2;
        }
    }
    /* a root is its piece's first voxel, so it has its number before the others look it up; numbers are kept
     * as -1 - number until all are done */
    int32_t count = 0;
    for (int32_t v = 0; v < n; v++) {
        int32_t root = m->body[v];
        if (vxe_is_latent(m, v)) continue;
        while (root >= 0 && root != m->body[root] && m->body[root] >= 0) root = m->body[root];
        m->body[v] = root == v ? -1 - count++ : m->body[root];
    }
    for (int32_t v = 0; v < n; v++) m->body[v] = vxe_is_latent(m, v) ? 0 : -1 - m->body[v];
    m->view.body_count = count;
}

/* ---- regions ------------------------------------------------------------------------------------------------------ */

static bool build_regions(builder *b)
{
    vxe_model *m = b->model;
    const int32_t count = vxe_scene_region_count(b->scene);
    const int32_t n = m->view.voxel_count;
    m->view.region_count = count;
    m->regions = take(b, (size_t)count, sizeof *m->regions);
    m->region_begin = take(b, (size_t)count + 1, sizeof *m->region_begin);
    if (b->result != VXE_OK) return false;
    for (int pass = 0; pass < 2; pass++) {
        int64_t total = 0;
        for (int32_t r = 0; r < count; r++) {
            m->region_begin[r] = (int32_t)total;
            const vxe_placed_shape shape =
                vxe_place_shape(&vxe_scene_region(b->scene, r)->shape, m->view.pitch, m->view.size);
            double sum[3] = {0.0, 0.0, 0.0};
            for (int32_t v = 0; v < n; v++) {
                if (vxe_is_latent(m, v) ||
                    !vxe_shape_touches(&shape, m->cell[0][v], m->cell[1][v], m->cell[2][v]))
                    continue;
                if (pass == 1) m->region_voxel[total] = v;
                for (int a = 0; a < 3; a++) sum[a] += m->start[a][v];
                total++;
            }
            m->regions[r].def = *vxe_scene_region(b->scene, r);
            m->regions[r].def.shape.cells = NULL; /* they belong to the scene */
            const double voxels = (double)(total - m->region_begin[r]);
            for (int a = 0; a < 3; a++) {
                m->regions[r].pivot[a] = m->regions[r].def.has_pivot || voxels == 0.0
                                             ? m->regions[r].def.pivot[a]
                                             : sum[a] / voxels;
            }
            if (total > INT32_MAX) {
                b->result = vxe_fail(b->error, VXE_ERROR_LIMIT, "the regions have more than %d voxels in all",
                                     INT32_MAX);
                return false;
            }
        }
        m->region_begin[count] = (int32_t)total;
        if (pass == 0) {
            m->region_voxel = take(b, (size_t)total, sizeof *m->region_voxel);
            if (b->result != VXE_OK) return false;
        }
    }
    m->view.region_begin = m->region_begin;
    m->view.region_voxel = m->region_voxel;
    return true;
}

uint8_t vxe_plane_dofs(vxe_plane plane)
{
    switch (plane) {
    case VXE_PLANE_XY: return VXE_DOF_Z | VXE_DOF_RX | VXE_DOF_RY;
    case VXE_PLANE_XZ: return VXE_DOF_Y | VXE_DOF_RX | VXE_DOF_RZ;
    case VXE_PLANE_YZ: return VXE_DOF_X | VXE_DOF_RY | VXE_DOF_RZ;
    case VXE_PLANE_NONE: break;
    }
    return 0;
}

/* Voxels held by regions, and which region decides each degree of freedom (a moving one before a resting one;
 * the scene check has made sure that two moving ones agree). */
static bool build_held(builder *b)
{
    vxe_model *m = b->model;
    const int32_t n = m->view.voxel_count;
    for (int32_t r = 0; r < m->view.region_count; r++) {
        for (int32_t i = m->region_begin[r]; i < m->region_begin[r + 1]; i++) {
            const int32_t v = m->region_voxel[i];
            const bool turns = m->regions[r].def.clamp && m->clamp_normal[v] != 0 &&
                               (m->clamp_normal[v] & CLAMP_HOLDS_TURN) == 0;
            m->fixed[v] |= (uint8_t)(turns ? VXE_DOF_MOVE : m->regions[r].def.fixed);
        }
    }
    for (int32_t v = 0; v < n; v++) { /* no region decides where they go: they stay */
        if (m->materials[m->material[v]].fixed) m->fixed[v] = VXE_DOF_ALL;
    }
    for (int32_t v = 0; v < n; v++) m->held_count += m->fixed[v] != 0;
    m->held_voxel = take(b, (size_t)m->held_count, sizeof *m->held_voxel);
    m->held_dofs = take(b, (size_t)m->held_count, sizeof *m->held_dofs);
    m->held_region = take(b, (size_t)m->held_count * 6, sizeof *m->held_region);
    int32_t *slot = vxe_allocate((size_t)n, sizeof *slot);
    if (slot == NULL) b->result = vxe_fail_memory(b->error, "the model", (size_t)n * sizeof *slot);
    if (b->result != VXE_OK) {
        free(slot);
        return false;
    }
    int32_t held = 0;
    for (int32_t v = 0; v < n; v++) {
        if (m->fixed[v] == 0) continue;
        m->held_voxel[held] = v;
        m->held_dofs[held] = m->fixed[v];
        for (int d = 0; d < 6; d++) m->held_region[6 * (size_t)held + (size_t)d] = -1;
        slot[v] = held++;
    }
    for (int32_t r = 0; r < m->view.region_count; r++) {
        const vxe_region_def *def = &m->regions[r].def;
        bool moving = false;
        for (int a = 0; a < 3; a++) moving = moving || def->displacement[a] != 0.0 || def->rotation[a] != 0.0;
        for (int32_t i = m->region_begin[r]; i < m->region_begin[r + 1]; i++) {
            for (int d = 0; d < 6; d++) {
                if ((def->fixed >> d & 1U) == 0 || (m->held_dofs[slot[m->region_voxel[i]]] >> d & 1) == 0)
                    continue;
                int32_t *region = &m->held_region[6 * (size_t)slot[m->region_voxel[i]] + (size_t)d];
                if (*region < 0 || moving) *region = r;
            }
        }
    }
    free(slot);
    const uint8_t plane = vxe_plane_dofs(m->environment.plane);
    for (int32_t v = 0; v < n; v++) m->fixed[v] |= plane;
    return true;
}

/* Which classes have links that are not held at both ends. */
static void find_moving(vxe_model *m)
{
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (m->link_kind[a][v] == 0) continue;
            if (vxe_held_by_scene(m, v) != VXE_DOF_ALL || vxe_held_by_scene(m, m->next[a][v]) != VXE_DOF_ALL)
                m->classes[m->link_kind[a][v] - 1].moves = true;
        }
    }
}

/* ---- signals ------------------------------------------------------------------------------------------------------ */

static double field_of(const vxe_model *m, vxe_field field, int32_t v)
{
    return m->fields[field] != NULL ? m->fields[field][v] : 0.0;
}

/* Whether a voxel changes size, by a signal or by itself. */
static bool is_actuated(const vxe_model *m, int32_t v)
{
    const material_constants *c = &m->materials[m->material[v]];
    return (c->signal >= 0 && c->expansion != 0.0) || c->resized ||
           field_of(m, VXE_FIELD_SIZE_START, v) != 0.0 || field_of(m, VXE_FIELD_SIZE_END, v) != 0.0;
}

static bool build_signals(builder *b)
{
    vxe_model *m = b->model;
    const int32_t count = vxe_scene_signal_count(b->scene);
    m->view.signal_count = count;
    m->signals = take(b, (size_t)count, sizeof *m->signals);
    size_t points = 0;
    for (int32_t s = 0; s < count; s++) points += (size_t)vxe_scene_signal(b->scene, s)->table_count;
    m->signal_table_count = points;
    m->signal_tables = take(b, 2 * points, sizeof(double));
    if (b->result != VXE_OK) return false;
    double *at = m->signal_tables;
    for (int32_t s = 0; s < count; s++) {
        m->signals[s].def = *vxe_scene_signal(b->scene, s);
        vxe_signal_def *def = &m->signals[s].def;
        const size_t c = (size_t)def->table_count;
        if (c == 0) continue;
        memcpy(at, def->table_time, c * sizeof *at);
        memcpy(at + c, def->table_value, c * sizeof *at);
        def->table_time = at;
        def->table_value = at + c;
        at += 2 * c;
    }

    const int32_t n = m->view.voxel_count;
    for (int32_t v = 0; v < n; v++) m->actuated_count += is_actuated(m, v);
    m->actuated_voxel = take(b, (size_t)m->actuated_count, sizeof *m->actuated_voxel);
    const bool special = vxe_scene_has_actuation(b->scene);
    for (int i = 0; i < 3 && special; i++)
        m->actuation[i] = take(b, (size_t)m->actuated_count, sizeof(double));
    for (int i = 0; i < 2 && special; i++) m->waves[i] = take(b, (size_t)m->actuated_count, sizeof(double));
    if (b->result != VXE_OK) return false;
    int32_t actuated = 0;
    bool in_step = true;
    for (int32_t v = 0; v < n; v++) {
        if (!is_actuated(m, v)) continue;
        m->actuated_voxel[actuated] = v;
        if (special) {
            const cell_actuation own =
                vxe_cell_actuation(b->scene, m->cell[0][v], m->cell[1][v], m->cell[2][v]);
            m->actuation[0][actuated] = own.phase;
            m->actuation[1][actuated] = own.amplitude;
            m->actuation[2][actuated] = 1.0 / own.period;
            const double phase = signal_fraction(own.phase);
            m->waves[0][actuated] = own.amplitude * signal_sine(signal_fraction(phase + 0.25));
            m->waves[1][actuated] = own.amplitude * signal_sine(phase);
            in_step = in_step && own.period == 1.0;
        }
        actuated++;
    }
    for (int i = 0; i < 2 && !in_step; i++) {
        free(m->waves[i]);
        m->waves[i] = NULL;
        m->bytes -= (size_t)m->actuated_count * sizeof(double);
    }
    return true;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

vxe_result vxe_compile(const vxe_scene *scene, vxe_model **model, vxe_error *error)
{
    if (scene == NULL || model == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_compile: NULL");
    const vxe_result valid = vxe_scene_check(scene, error);
    if (valid != VXE_OK) return valid;
    vxe_model *m = calloc(1, sizeof *m);
    if (m == NULL) return vxe_fail_memory(error, "the model", sizeof *m);
    const size_t least = (size_t)vxe_scene_voxel_count(scene) * VXE_MODEL_BYTES;
    if (least > 100000000 && !vxe_memory_holds(least)) {
        free(m);
        return vxe_fail_memory(error, "the model of so many voxels", least);
    }
    builder b = {m, scene, error, VXE_OK};
    m->bytes = sizeof *m;
    m->view.pitch = vxe_scene_pitch(scene);
    vxe_scene_size(scene, m->view.size);
    m->environment = vxe_scene_environment(scene);
    m->stop = vxe_scene_stop(scene);
    bool ok = build_materials(&b) && build_voxels(&b) &&
              (b.result = vxe_build_variants(m, scene, error)) == VXE_OK &&
              (b.result = vxe_build_extras(m, scene, error)) == VXE_OK &&
              (b.result = vxe_world_create(scene, &m->world, error)) == VXE_OK &&
              (b.result = vxe_build_places(m, scene, error)) == VXE_OK;
    if (ok) {
        build_neighbours(&b);
        build_bodies(&b);
        ok = build_regions(&b) && (b.result = vxe_build_velocities(m, scene, error)) == VXE_OK &&
             (b.result = vxe_build_clamps(m, error)) == VXE_OK &&
             (b.result = vxe_build_rollers(m, error)) == VXE_OK &&
             (b.result = vxe_build_classes(m, scene, error)) == VXE_OK && build_held(&b) &&
             (b.result = vxe_build_rigid(m, error)) == VXE_OK &&
             (b.result = vxe_build_pressure(m, error)) == VXE_OK &&
             (b.result = vxe_build_rules(m, scene, error)) == VXE_OK && build_signals(&b);
    }
    if (!ok) {
        vxe_model_destroy(m);
        return b.result;
    }
    for (int a = 0; a < 3; a++) {
        m->view.cell[a] = m->cell[a];
        m->view.next[a] = m->next[a];
        m->view.start[a] = m->start[a];
    }
    m->view.fixed = m->own_fixed != NULL ? m->own_fixed : m->fixed;
    m->view.reserved = m->latent;
    m->view.reserved_count = m->latent_count;
    m->view.body = m->body;
    find_moving(m);
    m->hash = vxe_hash_model(m);
    *model = m;
    return VXE_OK;
}

void vxe_model_destroy(vxe_model *m)
{
    if (m == NULL) return;
    for (int a = 0; a < 3; a++) {
        free(m->cell[a]);
        free(m->next[a]);
        free(m->start[a]);
        free(m->link_kind[a]);
        free(m->actuation[a]);
    }
    for (int i = 0; i < 2; i++) free(m->waves[i]);
    for (int f = 0; f < VXE_FIELD_COUNT; f++) free(m->fields[f]);
    for (int r = 0; r < VXE_FORMULA_COUNT; r++) vxe_formula_free(&m->formulas[r]);
    vxe_free_model_rules(m);
    free(m->materials);
    free(m->palette_of);
    free(m->palette_material);
    free(m->material_names);
    free(m->regions);
    free(m->signals);
    free(m->signal_tables);
    free(m->classes);
    free(m->flow_strain);
    free(m->flow_stress);
    free(m->free_faces);
    free(m->pressure_class);
    free(m->clamp_normal);
    free(m->pressed);
    free(m->face_load);
    free(m->sharing);
    free(m->shares);
    free(m->held_voxel);
    free(m->held_dofs);
    free(m->held_region);
    free(m->actuated_voxel);
    free(m->material);
    free(m->voxel_mass);
    free(m->region_begin);
    free(m->region_voxel);
    vxe_world_destroy(m->world);
    vxe_free_start(m);
    vxe_free_rigid(m);
    free(m->fixed);
    free(m->body);
    free(m);
}
