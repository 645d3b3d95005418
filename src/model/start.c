/* How the voxels of a model begin: see start.h. */
#include "model/start.h"

#include "base/base.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static bool is_of_part(const vxe_model *m, const vxe_scene *scene, const char *part, int32_t v)
{
    const double number = vxe_scene_field(scene, VXE_FIELD_PART, m->cell[0][v], m->cell[1][v], m->cell[2][v]);
    const vxe_part_def *def = vxe_scene_part(scene, (int32_t)number);
    return def != NULL && strcmp(def->name, part) == 0;
}

static bool is_of_start(const vxe_model *m, const vxe_scene *scene, const vxe_start_def *def, int32_t v)
{
    if (def->part[0] != '\0') return is_of_part(m, scene, def->part, v);
    if (def->region[0] == '\0') return true;
    const int32_t r = vxe_scene_find_region(scene, def->region);
    return vxe_scene_region_touches(scene, r, m->cell[0][v], m->cell[1][v], m->cell[2][v]);
}

/* The given centre, or the centre of mass of the voxels where they are. */
static vec3 center_of(const vxe_model *m, const vxe_start_def *def, const bool *chosen)
{
    if (def->has_center) return vec3_from(def->center);
    double mass = 0.0;
    vec3 sum = {0.0, 0.0, 0.0};
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (!chosen[v]) continue;
        const double own = m->materials[m->material[v]].mass;
        const vec3 at = {m->start[0][v], m->start[1][v], m->start[2][v]};
        sum = vec3_add(sum, vec3_scale(own, at));
        mass += own;
    }
    return mass > 0.0 ? vec3_scale(1.0 / mass, sum) : sum;
}

static bool any_of(const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (values[i] != 0.0) return true;
    }
    return false;
}

static vxe_result take(vxe_model *m, double *arrays[], int count, vxe_error *error)
{
    const size_t n = (size_t)m->view.voxel_count;
    for (int i = 0; i < count && arrays[0] == NULL; i++) {
        double *made = vxe_allocate(n + 1, sizeof *made);
        if (made == NULL) {
            for (int done = 1; done < i; done++) free(arrays[done]);
            for (int done = 1; done < i; done++) arrays[done] = NULL;
            return vxe_fail_memory(error, "the model", n * sizeof *made);
        }
        arrays[count - 1 - i] = made; /* the first one last: it says that all are there */
        m->bytes += n * sizeof *made;
    }
    return VXE_OK;
}

static bool *choose(const vxe_model *m, const vxe_scene *scene, const vxe_start_def *def, vxe_error *error)
{
    bool *chosen = vxe_allocate((size_t)m->view.voxel_count + 1, sizeof *chosen);
    if (chosen == NULL) (void)vxe_fail_memory(error, "the model", (size_t)m->view.voxel_count);
    for (int32_t v = 0; chosen != NULL && v < m->view.voxel_count; v++)
        chosen[v] = is_of_start(m, scene, def, v);
    return chosen;
}

static void put_part(vxe_model *m, const vxe_start_def *def, const bool *chosen)
{
    const vec3 center = center_of(m, def, chosen);
    const quat turn = quat_from_rotation(vec3_from(def->rotation));
    const vec3 to = vec3_add(center, vec3_from(def->displacement));
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        if (!chosen[v]) continue;
        const vec3 from = {m->start[0][v], m->start[1][v], m->start[2][v]};
        const vec3 at = vec3_add(to, quat_rotate(turn, vec3_sub(from, center)));
        m->start[0][v] = at.x;
        m->start[1][v] = at.y;
        m->start[2][v] = at.z;
        if (m->start_turn[0] == NULL) continue;
        const quat q = {m->start_turn[0][v], m->start_turn[1][v], m->start_turn[2][v], m->start_turn[3][v]};
        const quat r = quat_product(turn, q);
        m->start_turn[0][v] = r.w;
        m->start_turn[1][v] = r.x;
        m->start_turn[2][v] = r.y;
        m->start_turn[3][v] = r.z;
    }
}

vxe_result vxe_build_places(vxe_model *m, const vxe_scene *scene, vxe_error *error)
{
    for (int32_t n = 0; n < vxe_scene_start_count(scene); n++) {
        const vxe_start_def *def = vxe_scene_start(scene, n);
        const bool turned = any_of(def->rotation, 3);
        if (!turned && !any_of(def->displacement, 3)) continue;
        if (turned && m->start_turn[0] == NULL) {
            if (take(m, m->start_turn, 4, error) != VXE_OK) return VXE_ERROR_MEMORY;
            for (int32_t v = 0; v < m->view.voxel_count; v++) m->start_turn[0][v] = 1.0;
        }
        bool *chosen = choose(m, scene, def, error);
        if (chosen == NULL) return VXE_ERROR_MEMORY;
        put_part(m, def, chosen);
        free(chosen);
    }
    return VXE_OK;
}

vxe_result vxe_build_velocities(vxe_model *m, const vxe_scene *scene, vxe_error *error)
{
    for (int32_t n = 0; n < vxe_scene_start_count(scene); n++) {
        const vxe_start_def *def = vxe_scene_start(scene, n);
        if (!any_of(def->velocity, 3) && !any_of(def->spin, 3)) continue;
        if (take(m, m->start_velocity, 6, error) != VXE_OK) return VXE_ERROR_MEMORY;
        bool *chosen = choose(m, scene, def, error);
        if (chosen == NULL) return VXE_ERROR_MEMORY;
        vec3 center = center_of(m, def, chosen);
        if (def->has_center) center = vec3_add(center, vec3_from(def->displacement));
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (!chosen[v]) continue;
            const vec3 at = {m->start[0][v], m->start[1][v], m->start[2][v]};
            const vec3 turn = vec3_cross(vec3_from(def->spin), vec3_sub(at, center));
            const double own[6] = {def->velocity[0] + turn.x,
                                   def->velocity[1] + turn.y,
                                   def->velocity[2] + turn.z,
                                   def->spin[0],
                                   def->spin[1],
                                   def->spin[2]};
            for (int d = 0; d < 6; d++) m->start_velocity[d][v] += own[d];
        }
        free(chosen);
    }
    return VXE_OK;
}

void vxe_free_start(vxe_model *m)
{
    for (int i = 0; i < 4; i++) free(m->start_turn[i]);
    for (int i = 0; i < 6; i++) free(m->start_velocity[i]);
}

uint64_t vxe_hash_start(uint64_t h, const vxe_model *m)
{
    const size_t bytes = (size_t)m->view.voxel_count * sizeof(double);
    const bool placed = m->start_turn[0] != NULL;
    for (int i = 0; i < 4 && placed; i++) h = vxe_hash_bytes(h, m->start_turn[i], bytes);
    for (int i = 0; i < 6 && m->start_velocity[0] != NULL; i++)
        h = vxe_hash_bytes(h, m->start_velocity[i], bytes);
    /* parts that were put elsewhere: the others are where their cells are */
    const double l = m->view.pitch;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            if (m->start[a][v] != (m->cell[a][v] + 0.5) * l)
                h = vxe_hash_double(vxe_hash_u64(h, (uint64_t)v), m->start[a][v]);
        }
    }
    return h;
}
