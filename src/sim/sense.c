/* Sensors: what a controller may ask of single voxels after a step, into its own memory, and no more work
 * than that takes. */
#include "base/base.h"
#include "base/vec.h"
#include "sim/collide.h"
#include "voxelastic/drive.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    int32_t width;
} senses[VXE_SENSE_COUNT] = {
    [VXE_SENSE_STRAIN] = {"strain", 3},
    [VXE_SENSE_VOLUME] = {"volume", 1},
    [VXE_SENSE_SIZE] = {"size", 1},
    [VXE_SENSE_POSITION] = {"position", 3},
    [VXE_SENSE_VELOCITY] = {"velocity", 3},
    [VXE_SENSE_VELOCITY_OWN] = {"velocity_own", 3},
    [VXE_SENSE_SPIN] = {"spin", 3},
    [VXE_SENSE_ORIENTATION] = {"orientation", 4},
    [VXE_SENSE_TOUCH_FLOOR] = {"touch_floor", 3},
    [VXE_SENSE_TOUCH_BODIES] = {"touch_bodies", 3},
    [VXE_SENSE_TOUCH] = {"touch", 1},
    [VXE_SENSE_CENTER] = {"center", 3},
    [VXE_SENSE_CENTER_VELOCITY] = {"center_velocity", 3},
};

const char *vxe_sense_name(vxe_sense sense)
{
    return (unsigned)sense < VXE_SENSE_COUNT ? senses[sense].name : NULL;
}

int32_t vxe_sense_width(vxe_sense sense)
{
    return (unsigned)sense < VXE_SENSE_COUNT ? senses[sense].width : 0;
}

/* The voxels that are asked for. */
typedef struct chosen {
    const int32_t *voxels; /* NULL: all */
    int32_t count;
} chosen;

static int32_t voxel_of(const chosen *c, int32_t i) { return c->voxels != NULL ? c->voxels[i] : i; }

/* ---- strain ----------------------------------------------------------------------------------------------- */

/* Strains or lengths of links along one axis, summed, and how many there are. */
typedef struct link_sums {
    double *sum;
    double *links;
} link_sums;

/* `guess` belongs to nobody between steps. */
static inline link_sums sum_links(vxe_sim *sim, int a, const bool strains)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    double *sum = sim->guess[0];
    double *links = sim->guess[1];
    const double scale = 1.0 / m->view.pitch;
    const double *x = sim->position[0];
    const double *y = sim->position[1];
    const double *z = sim->position[2];
    const double *growth = sim->growth[0];
    const uint32_t *kind = sim->link_kind[a];
    const int32_t *next = m->next[a];
    memset(sum, 0, (size_t)n * sizeof *sum);
    memset(links, 0, (size_t)n * sizeof *links);
    for (int32_t v = 0; v < n; v++) {
        if (kind[v] == 0) continue;
        const int32_t far = next[v];
        const double dx = x[far] - x[v];
        const double dy = y[far] - y[v];
        const double dz = z[far] - z[v];
        const double length = __builtin_sqrt(dx * dx + dy * dy + dz * dz) * scale;
        const double own = strains ? length - 1.0 - 0.5 * (growth[v] + growth[far]) : length;
        sum[v] += own;
        sum[far] += own;
        links[v] += 1.0;
        links[far] += 1.0;
    }
    return (link_sums){sum, links};
}

static void sense_strain(vxe_sim *sim, const chosen *c, double *out)
{
    for (int a = 0; a < 3; a++) {
        const link_sums s = sum_links(sim, a, true);
        for (int32_t i = 0; i < c->count; i++) {
            const int32_t v = voxel_of(c, i);
            out[3 * (size_t)i + (size_t)a] = s.links[v] > 1.0 ? 0.5 * s.sum[v] : s.sum[v];
        }
    }
}

static void sense_volume(vxe_sim *sim, const chosen *c, double *out)
{
    for (int32_t i = 0; i < c->count; i++) out[i] = 1.0;
    for (int a = 0; a < 3; a++) {
        const link_sums s = sum_links(sim, a, false);
        for (int32_t i = 0; i < c->count; i++) {
            const int32_t v = voxel_of(c, i);
            out[i] *= s.links[v] > 0.0 ? s.sum[v] / s.links[v] : 1.0 + sim->growth[0][v];
        }
    }
}

/* ---- touch ------------------------------------------------------------------------------------------------ */

/* Forces of other voxels, into an array that is free between steps; false: there are none. */
static bool sum_pairs(vxe_sim *sim, double *const sums[3])
{
    const collider *c = sim->collider;
    for (int a = 0; a < 3; a++) memset(sums[a], 0, (size_t)sim->model->view.voxel_count * sizeof(double));
    if (c == NULL) return false;
    for (int64_t i = 0; i < c->list.count; i++) {
        const contact_state *s = &c->list.state[i];
        if (s->touching == 0) continue;
        for (int a = 0; a < 3; a++) {
            sums[a][c->list.first[i]] -= s->force[a];
            sums[a][c->list.second[i]] += s->force[a];
        }
    }
    return true;
}

/* What is left of a contact force when the other voxels' part is taken away: round-off counts as nothing. */
#define ROUND_OFF 1e-9

static void floor_part(const vxe_sim *sim, int32_t v, double *const pairs[3], double force[3])
{
    double left = 0.0;
    double whole = 0.0;
    for (int a = 0; a < 3; a++) {
        force[a] = sim->contact_force[a][v] - pairs[a][v];
        left += force[a] * force[a];
        whole += pairs[a][v] * pairs[a][v];
    }
    if (left <= ROUND_OFF * ROUND_OFF * whole)
        for (int a = 0; a < 3; a++) force[a] = 0.0;
}

static void sense_touch(vxe_sim *sim, vxe_sense sense, const chosen *c, double *out)
{
    double *const pairs[3] = {sim->guess[0], sim->guess[1], sim->guess[2]};
    (void)sum_pairs(sim, pairs);
    for (int32_t i = 0; i < c->count; i++) {
        const int32_t v = voxel_of(c, i);
        double floor[3];
        floor_part(sim, v, pairs, floor);
        if (sense == VXE_SENSE_TOUCH) {
            const bool ground = floor[0] != 0.0 || floor[1] != 0.0 || floor[2] != 0.0;
            const bool other = pairs[0][v] != 0.0 || pairs[1][v] != 0.0 || pairs[2][v] != 0.0;
            out[i] = (ground ? 1.0 : 0.0) + (other ? 2.0 : 0.0);
            continue;
        }
        for (int a = 0; a < 3; a++)
            out[3 * (size_t)i + (size_t)a] = sense == VXE_SENSE_TOUCH_FLOOR ? floor[a] : pairs[a][v];
    }
}

int64_t vxe_sim_contact_list(vxe_sim *sim, vxe_contact *contacts, int64_t room)
{
    if (sim == NULL) return 0;
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    double *const pairs[3] = {sim->guess[0], sim->guess[1], sim->guess[2]};
    const bool any = sum_pairs(sim, pairs);
    int64_t count = 0;
    if (contacts == NULL) room = 0;
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        vxe_contact k = {.voxel = v, .other = -1};
        floor_part(sim, v, pairs, k.force);
        if (k.force[0] == 0.0 && k.force[1] == 0.0 && k.force[2] == 0.0) continue;
        for (int a = 0; a < 3; a++) k.position[a] = sim->position[a][v];
        k.position[2] -= 0.5 * l * (1.0 + sim->growth[0][v]);
        if (count < room) contacts[count] = k;
        count++;
    }
    for (int64_t i = 0; any && i < sim->collider->list.count; i++) {
        const pair_list *list = &sim->collider->list;
        const contact_state *s = &list->state[i];
        if (s->touching == 0 || (s->force[0] == 0.0 && s->force[1] == 0.0 && s->force[2] == 0.0)) continue;
        vxe_contact k = {.voxel = list->first[i], .other = list->second[i]};
        const double size1 = 1.0 + sim->growth[0][k.voxel];
        const double size2 = 1.0 + sim->growth[0][k.other];
        for (int a = 0; a < 3; a++) {
            const double from = sim->position[a][k.voxel];
            k.position[a] = from + size1 / (size1 + size2) * (sim->position[a][k.other] - from);
            k.force[a] = -s->force[a];
        }
        if (count < room) contacts[count] = k;
        count++;
    }
    return count;
}

/* ---- the rest --------------------------------------------------------------------------------------------- */

static void copy_columns(double *const from[], int width, const chosen *c, double *out)
{
    for (int32_t i = 0; i < c->count; i++) {
        const int32_t v = voxel_of(c, i);
        for (int a = 0; a < width; a++) out[(size_t)i * (size_t)width + (size_t)a] = from[a][v];
    }
}

static void sense_own_velocity(const vxe_sim *sim, const chosen *c, double *out)
{
    for (int32_t i = 0; i < c->count; i++) {
        const int32_t v = voxel_of(c, i);
        /* the inverse of a unit quaternion turns back */
        const quat back = {sim->orientation[0][v], -sim->orientation[1][v], -sim->orientation[2][v],
                           -sim->orientation[3][v]};
        const vec3 own =
            quat_rotate(back, vec3_make(sim->velocity[0][v], sim->velocity[1][v], sim->velocity[2][v]));
        out[3 * (size_t)i] = own.x;
        out[3 * (size_t)i + 1] = own.y;
        out[3 * (size_t)i + 2] = own.z;
    }
}

static void sense_center(const vxe_sim *sim, double *const values[3], const chosen *c, double *out)
{
    const vxe_model *m = sim->model;
    mass_center sum;
    memset(&sum, 0, sizeof sum);
    for (int32_t i = 0; i < c->count; i++) {
        const int32_t v = voxel_of(c, i);
        vxe_center_add(&sum, m->materials[sim->material[v]].mass, values, v);
    }
    if (!vxe_center_of(&sum, out)) out[0] = out[1] = out[2] = NAN;
}

vxe_result vxe_sim_sense(vxe_sim *sim, vxe_sense sense, const int32_t *voxels, int32_t count, double *out,
                         vxe_error *error)
{
    if (sim == NULL || out == NULL || (unsigned)sense >= VXE_SENSE_COUNT)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_sense: NULL or a sense that there is not");
    const int32_t n = sim->model->view.voxel_count;
    if (voxels != NULL && count < 0)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_sense: %d voxels", (int)count);
    for (int32_t i = 0; voxels != NULL && i < count; i++) {
        if (voxels[i] < 0 || voxels[i] >= n)
            return vxe_fail(error, VXE_ERROR_ARGUMENT, "voxel %d does not exist; there are %d",
                            (int)voxels[i], (int)n);
    }
    const chosen c = {voxels, voxels != NULL ? count : n};
    switch (sense) {
    case VXE_SENSE_STRAIN: sense_strain(sim, &c, out); break;
    case VXE_SENSE_VOLUME: sense_volume(sim, &c, out); break;
    case VXE_SENSE_SIZE:
        for (int32_t i = 0; i < c.count; i++) out[i] = 1.0 + sim->growth[0][voxel_of(&c, i)];
        break;
    case VXE_SENSE_POSITION: copy_columns(sim->position, 3, &c, out); break;
    case VXE_SENSE_VELOCITY: copy_columns(sim->velocity, 3, &c, out); break;
    case VXE_SENSE_VELOCITY_OWN: sense_own_velocity(sim, &c, out); break;
    case VXE_SENSE_SPIN: copy_columns(sim->spin, 3, &c, out); break;
    case VXE_SENSE_ORIENTATION: copy_columns(sim->orientation, 4, &c, out); break;
    case VXE_SENSE_TOUCH_FLOOR:
    case VXE_SENSE_TOUCH_BODIES:
    case VXE_SENSE_TOUCH: sense_touch(sim, sense, &c, out); break;
    case VXE_SENSE_CENTER: sense_center(sim, sim->position, &c, out); break;
    case VXE_SENSE_CENTER_VELOCITY: sense_center(sim, sim->velocity, &c, out); break;
    case VXE_SENSE_COUNT: break;
    }
    return VXE_OK;
}
