/* Links sorted into classes: the constants of the joint beam of two materials, once for all links that are
 * alike. */
#include "model/classes.h"
#include "base/base.h"
#include "model/flow.h"
#include "model/pressure.h"

#include <stdlib.h>
#include <string.h>

typedef struct builder {
    vxe_model *model;
    const vxe_scene *scene;
    vxe_error *error;
    vxe_result result;
} builder;

/* Open addressing from (near, far, halved, isolated) to class number + 1. */
typedef struct class_map {
    uint64_t *keys;
    uint32_t *values;
    size_t capacity; /* a power of two */
} class_map;

static size_t class_slot(const class_map *map, uint64_t key)
{
    size_t slot = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (map->capacity - 1);
    while (map->values[slot] != 0 && map->keys[slot] != key) slot = (slot + 1) & (map->capacity - 1);
    return slot;
}

static bool grow_class_map(builder *b, class_map *map)
{
    class_map larger = {NULL, NULL, map->capacity == 0 ? 256 : 2 * map->capacity};
    larger.keys = vxe_allocate(larger.capacity, sizeof *larger.keys);
    larger.values = vxe_allocate(larger.capacity, sizeof *larger.values);
    if (larger.keys == NULL || larger.values == NULL) {
        free(larger.keys);
        free(larger.values);
        b->result = vxe_fail_memory(b->error, "link classes", larger.capacity * 12);
        return false;
    }
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->values[i] == 0) continue;
        const size_t slot = class_slot(&larger, map->keys[i]);
        larger.keys[slot] = map->keys[i];
        larger.values[slot] = map->values[i];
    }
    free(map->keys);
    free(map->values);
    *map = larger;
    return true;
}

static bool append_flow(builder *b, link_class *c)
{
    vxe_model *m = b->model;
    const vxe_material_def *first = vxe_scene_material(b->scene, m->palette_of[c->near_material]);
    const vxe_material_def *second = vxe_scene_material(b->scene, m->palette_of[c->far_material]);
    vxe_material_def stiff = first->rigid ? *first : *second;
    flow_curve curve;
    if (first->rigid && second->rigid) return true;
    stiff.youngs_modulus = 1e6 * (first->rigid ? second->youngs_modulus : first->youngs_modulus);
    vxe_flow_of_pair(first->rigid ? &stiff : first, second->rigid ? &stiff : second, &curve);
    c->flow_begin = m->flow_total;
    c->flow_count = curve.count;
    c->failure = first->failure_stress;
    if (second->failure_stress > 0.0 && (c->failure == 0.0 || second->failure_stress < c->failure))
        c->failure = second->failure_stress;
    if (c->failure > 0.0 || curve.count > 0) m->nonlinear = true;
    if (curve.count == 0) return true;
    const size_t total = (size_t)m->flow_total + (size_t)curve.count;
    double *strain = realloc(m->flow_strain, total * sizeof *strain);
    if (strain != NULL) m->flow_strain = strain;
    double *stress = realloc(m->flow_stress, total * sizeof *stress);
    if (stress != NULL) m->flow_stress = stress;
    if (strain == NULL || stress == NULL) {
        b->result = vxe_fail_memory(b->error, "flow curves", total * 16);
        return false;
    }
    memcpy(m->flow_strain + m->flow_total, curve.strain, (size_t)curve.count * sizeof *strain);
    memcpy(m->flow_stress + m->flow_total, curve.stress, (size_t)curve.count * sizeof *stress);
    m->flow_total = (int32_t)total;
    return true;
}

/* The end of a link that stands for both halves of its voxel: see pressure.c. Stretched alone by a strain,
 * the voxel has 2 w of it and a pressure of 2 mu nu times that, of which the link carries w more than others
 * do. */
static void press_end(link_class *c, const material_constants *m, double *weight, double pitch)
{
    const double nu = m->youngs / (2.0 * m->shear) - 1.0;
    c->ka -= 4.0 * *weight * *weight * m->shear * nu * pitch * (c->halved ? 0.5 : 1.0);
    *weight *= 2.0;
}

static bool fill_class(builder *b, link_class *c)
{
    const vxe_model *m = b->model;
    const material_constants *m1 = &m->materials[c->near_material];
    const material_constants *m2 = &m->materials[c->far_material];
    const double l = m->view.pitch;
    /* half of a link to a rigid part is rigid */
    const bool one_rigid = m1->rigid != m2->rigid;
    const material_constants *soft = m1->rigid ? m2 : m1;
    const double youngs =
        one_rigid ? 2.0 * soft->youngs : 2.0 * m1->youngs * m2->youngs / (m1->youngs + m2->youngs);
    const double shear =
        one_rigid ? 2.0 * soft->shear : 2.0 * m1->shear * m2->shear / (m1->shear + m2->shear);
    c->youngs = youngs;
    c->mass = m1->mass < m2->mass ? m1->mass : m2->mass;
    c->kb = youngs * l * l * l / 12.0;
    c->kt = shear * l * l * l / 6.0;
    if (m->environment.elasticity == VXE_ELASTICITY_BEAM) {
        c->ka = youngs * l;
        c->ks = youngs * l;
    } else {
        c->ka = 2.0 * shear * l;
        c->ks = 2.0 * shear * l;
        if (c->isolated) {
            c->kt = SQUARE_TORSION * shear * l * l * l;
            /* 1/ks is how a square bar yields to shear, (12 + 11 nu)/5 l/(E A) per voxel (Cowper). The 1/(E
             * l) of it that belongs to the link's bending comes back by the inertia of voxels, twice a
             * section's */
            if (c->slender) c->ks = youngs * l / (0.2 * (12.0 + 11.0 * (youngs / (2.0 * shear) - 1.0)));
        }
    }
    if (c->halved) {
        c->ka *= 0.5;
        c->ks *= 0.5;
        c->kb *= 0.5;
        c->kt *= 0.5;
    }
    c->near_weight = m2->shear / (m1->shear + m2->shear);
    c->far_weight = m1->shear / (m1->shear + m2->shear);
    if (one_rigid) {
        c->near_weight = m1->rigid ? 0.0 : 1.0;
        c->far_weight = m2->rigid ? 0.0 : 1.0;
    } else if (m1->rigid) {
        c->ka = c->ks = c->kb = c->kt = 0.0;
        c->near_weight = c->far_weight = 0.0;
        return true;
    }
    if (c->near_pressed) press_end(c, m1, &c->near_weight, l);
    if (c->far_pressed) press_end(c, m2, &c->far_weight, l);
    return append_flow(b, c);
}

/* Whether a voxel has a link along another axis than a. */
static bool has_lateral_link(const uint8_t *along, int32_t v, int a)
{
    for (int other = 0; other < 3; other++) {
        if (other != a && (along[v] >> other & 1) != 0) return true;
    }
    return false;
}

vxe_result vxe_build_classes(vxe_model *m, const vxe_scene *scene, vxe_error *error)
{
    builder made = {m, scene, error, VXE_OK};
    builder *b = &made;
    const int32_t n = m->view.voxel_count;
    class_map map = {NULL, NULL, 0};
    size_t capacity = 0;
    uint8_t *along = vxe_allocate((size_t)n, 1);  /* bit a: the voxel has a link along axis a */
    uint8_t *behind = vxe_allocate((size_t)n, 1); /* bit a: it is the far end of one */
    const bool room = along != NULL && behind != NULL;
    if (!room) b->result = vxe_fail_memory(b->error, "the model", 2 * (size_t)n);
    for (int a = 0; a < 3 && room; a++) {
        for (int32_t v = 0; v < n; v++) {
            if (m->next[a][v] < 0 || vxe_is_latent(m, v) || vxe_is_latent(m, m->next[a][v])) continue;
            along[v] |= (uint8_t)(1 << a);
            along[m->next[a][v]] |= (uint8_t)(1 << a);
            behind[m->next[a][v]] |= (uint8_t)(1 << a);
        }
    }
    for (int a = 0; a < 3 && room && b->result == VXE_OK; a++) {
        for (int32_t v = 0; v < n; v++) {
            const int32_t other = m->next[a][v];
            if (other < 0) continue;
            const bool grown =
                vxe_is_latent(m, v) || vxe_is_latent(m, other); /* its surroundings are not known */
            const bool isolated =
                !grown && !has_lateral_link(along, v, a) && !has_lateral_link(along, other, a);
            const bool slender = isolated && (m->next[a][other] >= 0 || (behind[v] >> a & 1) != 0);
            const bool halved = vxe_link_is_halved(m, v, other, a);
            const bool near_pressed = vxe_is_pressed(m, v, a);
            const bool far_pressed = vxe_is_pressed(m, other, a);
            const uint64_t key = (uint64_t)m->material[v] << 32 | (uint64_t)m->material[other] << 5 |
                                 (slender ? 16U : 0U) | (near_pressed ? 8U : 0U) | (far_pressed ? 4U : 0U) |
                                 (halved ? 2U : 0U) | (isolated ? 1U : 0U);
            if ((size_t)m->class_count * 2 >= map.capacity && !grow_class_map(b, &map)) break;
            const size_t slot = class_slot(&map, key);
            if (map.values[slot] == 0) {
                if ((size_t)m->class_count == capacity) {
                    capacity = capacity == 0 ? 64 : 2 * capacity;
                    link_class *larger = realloc(m->classes, capacity * sizeof *larger);
                    if (larger == NULL) {
                        b->result = vxe_fail_memory(b->error, "link classes", capacity * sizeof *larger);
                        break;
                    }
                    m->classes = larger;
                }
                link_class *c = &m->classes[m->class_count];
                memset(c, 0, sizeof *c);
                c->near_material = m->material[v];
                c->far_material = m->material[other];
                c->isolated = isolated;
                c->slender = slender;
                c->halved = halved;
                c->near_pressed = near_pressed;
                c->far_pressed = far_pressed;
                if (!fill_class(b, c)) break;
                map.keys[slot] = key;
                map.values[slot] = (uint32_t)++m->class_count;
            }
            m->link_kind[a][v] = map.values[slot];
        }
    }
    free(along);
    free(behind);
    free(map.keys);
    free(map.values);
    m->bytes += (size_t)m->class_count * sizeof *m->classes;
    return b->result;
}
