/* Reading a simulation: views of its arrays, and figures worked out on request. Nothing here changes the
 * motion. */
#include "base/base.h"
#include "base/vec.h"
#include "kernel/link.h"
#include "sim/floor.h"
#include "sim/life.h"
#include "sim/pressure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const vxe_model *vxe_sim_model(const vxe_sim *sim) { return sim != NULL ? sim->model : NULL; }
const char *vxe_sim_isa(const vxe_sim *sim)
{
    return sim != NULL ? (sim->device != NULL ? sim->device : &sim->host)->name : "";
}
int32_t vxe_sim_threads(const vxe_sim *sim) { return sim != NULL ? sim->threads : 0; }
size_t vxe_sim_bytes(const vxe_sim *sim) { return sim != NULL ? sim->bytes : 0; }
const vxe_status *vxe_sim_status(const vxe_sim *sim) { return sim != NULL ? &sim->status : NULL; }
vxe_time_step vxe_sim_time_step(const vxe_sim *sim)
{
    return sim != NULL ? sim->time_step : (vxe_time_step){0};
}
double vxe_sim_time(const vxe_sim *sim) { return sim != NULL ? sim->time : 0.0; }

const vxe_state *vxe_sim_state(vxe_sim *sim)
{
    if (sim == NULL) return NULL;
    vxe_state *s = &sim->state_view;
    s->time = sim->time;
    s->step = sim->step;
    for (int i = 0; i < 3; i++) {
        s->position[i] = sim->position[i];
        s->velocity[i] = sim->velocity[i];
        s->spin[i] = sim->spin[i];
        s->force[i] = sim->force[i];
        s->moment[i] = sim->moment[i];
        s->contact_force[i] = sim->contact_force[i];
    }
    for (int i = 0; i < 4; i++) s->orientation[i] = sim->orientation[i];
    s->growth = sim->growth[0];
    s->pressure = sim->pressure[0];
    s->stuck = sim->stuck[0];
    return s;
}

/* ---- links and voxels --------------------------------------------------------------------------------------------- */

static rvec at(double *const a[3], int32_t v) { return (rvec){a[0][v], a[1][v], a[2][v]}; }
static rquat pose(const vxe_sim *sim, int32_t v)
{
    return (rquat){sim->orientation[0][v], sim->orientation[1][v], sim->orientation[2][v],
                   sim->orientation[3][v]};
}

/* A link as it is now. */
typedef struct link_now {
    double strain;
    double stretch; /* m; elastic */
    double energy;  /* J; without pressure */
    link_chord chord;
} link_now;

/* Chord, stretch and strain: all that pressures need. */
static link_now measure_stretch(const vxe_sim *sim, int a, int32_t v)
{
    const double l = sim->model->view.pitch;
    const int32_t far = sim->model->next[a][v];
    link_now now = {.energy = 0.0};
    now.chord = link_chord_of(rvec_sub(at(sim->position, far), at(sim->position, v)));
    if (sim->model->environment.links_unbalanced) now.chord.lever = 1.0 / l;
    const double stretch = now.chord.length - link_rest_length(l, sim->growth[0][v], sim->growth[0][far]);
    now.stretch = sim->plastic[0] != NULL ? link_elastic_stretch(stretch, l, sim->plastic[a][v]) : stretch;
    now.strain = link_strain(stretch, 1.0 / l);
    return now;
}

static link_now measure_link(const vxe_sim *sim, int a, int32_t v)
{
    const uint32_t kind = sim->link_kind[a][v];
    const link_class *c = &sim->model->classes[kind - 1];
    const link_table *t = &sim->links[kind - 1];
    const int32_t far = sim->model->next[a][v];
    link_now now = measure_stretch(sim, a, v);
    const link_stiffness k = link_stiffness_of(t->cs, t->c, t->kt);
    now.energy =
        link_stretch_energy(c->ka, now.stretch) + link_energy(now.chord, pose(sim, v), pose(sim, far), a, k);
    return now;
}

/* Pressures of the current positions (the array of the state belongs to the start of the last step). Leaves
 * the volume strains in sim->volume, which is work space between steps. */
static void measure_pressure(vxe_sim *sim, double *pressure)
{
    const vxe_model *m = sim->model;
    const int32_t n = m->view.voxel_count;
    double *volume = sim->scratch[0];
    memset(pressure, 0, (size_t)n * sizeof *pressure);
    memset(volume, 0, (size_t)n * sizeof *volume);
    if (m->environment.elasticity != VXE_ELASTICITY_SOLID) return;
    for (int32_t v = 0; v < n; v++) {
        for (int a = 0; a < 3; a++) {
            const uint32_t kind = sim->link_kind[a][v];
            if (kind == 0) continue;
            const double strain = link_strain(measure_stretch(sim, a, v).stretch, 1.0 / m->view.pitch);
            volume[v] += m->classes[kind - 1].near_weight * strain;
            volume[m->next[a][v]] += m->classes[kind - 1].far_weight * strain;
        }
    }
    vxe_pressure_add_loads(sim, sim->time, volume);
    vxe_pressure_from_volume(sim, volume, pressure);
}

/* After measure_pressure(). */
static double pressure_energy(const vxe_sim *sim, int32_t v, double pressure)
{
    const double l = sim->model->view.pitch;
    return l * l * l * pressure_energy_density(sim->scratch[0][v], pressure);
}

static double floor_energy(const vxe_sim *sim, int32_t v)
{
    const double depth = vxe_floor_depth(sim, v, sim->growth[0][v], sim->position[0][v], sim->position[1][v],
                                         sim->position[2][v]);
    return depth > 0.0 && vxe_is_present(sim, v) ? contact_energy(depth, vxe_floor_spring(sim, v)) : 0.0;
}

/* Fills the view of the links, with or without what they carry: the strains, stresses and energies of voxels
 * need no forces and moments. */
static vxe_result read_links(vxe_sim *sim, bool with_loads, vxe_error *error)
{
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    const size_t count = 3 * n;
    if (sim->links_memory == NULL) {
        double *memory = vxe_allocate(12 * count + n, sizeof(double));
        uint8_t *broken = vxe_allocate(count, 1);
        if (memory == NULL || broken == NULL) {
            free(memory);
            free(broken);
            return vxe_fail_memory(error, "link read-out", 12 * count * sizeof(double));
        }
        sim->links_memory = memory;
        sim->links_broken = broken;
    }
    double *strain = sim->links_memory;
    double *stress = strain + count;
    double *energy = stress + count;
    double *loads = energy + count; /* force, near moment, far moment: three each */
    double *pressure = loads + 9 * count;
    const double l = m->view.pitch;
    memset(sim->links_memory, 0, (with_loads ? 12 : 3) * count * sizeof(double));
    measure_pressure(sim, pressure);
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < m->view.voxel_count; v++) {
            const size_t i = (size_t)a * n + (size_t)v;
            sim->links_broken[i] = sim->broken[0] != NULL ? sim->broken[a][v] : 0;
            const uint32_t kind = sim->link_kind[a][v];
            if (kind == 0) continue;
            const link_class *c = &m->classes[kind - 1];
            const int32_t far = m->next[a][v];
            const link_now now = measure_link(sim, a, v);
            const double tension = link_axial_force(c->ka, now.stretch) +
                                   link_pressure_force(l * l * c->near_weight, pressure[v],
                                                       l * l * c->far_weight, pressure[far]);
            strain[i] = now.strain;
            stress[i] = tension / (l * l);
            energy[i] = now.energy;
            if (!with_loads) continue;
            const link_table *t = &sim->links[kind - 1];
            const link_load elastic = link_elastic(now.chord, pose(sim, v), pose(sim, far), a,
                                                   link_stiffness_of(t->cs, t->c, t->kt), tension);
            const link_load damping = link_damping(
                now.chord, rvec_sub(at(sim->velocity, far), at(sim->velocity, v)), at(sim->spin, v),
                at(sim->spin, far), (link_damping_rates){t->axial, t->shear, t->bending, t->torsion});
            const rvec load[3] = {rvec_add(elastic.force, damping.force),
                                  rvec_add(elastic.near_moment, damping.near_moment),
                                  rvec_add(elastic.far_moment, damping.far_moment)};
            for (int j = 0; j < 3; j++) {
                loads[(size_t)(3 * j) * count + i] = load[j].x;
                loads[(size_t)(3 * j + 1) * count + i] = load[j].y;
                loads[(size_t)(3 * j + 2) * count + i] = load[j].z;
            }
        }
    }
    vxe_links *view = &sim->links_view;
    view->strain = strain;
    view->stress = stress;
    view->energy = energy;
    for (int i = 0; i < 3; i++) {
        view->force[i] = loads + (size_t)i * count;
        view->near_moment[i] = loads + (size_t)(3 + i) * count;
        view->far_moment[i] = loads + (size_t)(6 + i) * count;
    }
    view->broken = sim->links_broken;
    return VXE_OK;
}

vxe_result vxe_sim_links(vxe_sim *sim, const vxe_links **links, vxe_error *error)
{
    if (sim == NULL || links == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_links: NULL");
    const vxe_result result = read_links(sim, true, error);
    if (result == VXE_OK) *links = &sim->links_view;
    return result;
}

vxe_result vxe_sim_voxels(vxe_sim *sim, const vxe_voxels **voxels, vxe_error *error)
{
    if (sim == NULL || voxels == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_voxels: NULL");
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    if (sim->voxels_memory == NULL) {
        sim->voxels_memory = vxe_allocate(7 * n, sizeof(double));
        if (sim->voxels_memory == NULL)
            return vxe_fail_memory(error, "voxel read-out", 7 * n * sizeof(double));
    }
    const vxe_result result = read_links(sim, false, error);
    if (result != VXE_OK) return result;
    const vxe_links *links = &sim->links_view;
    double *memory = sim->voxels_memory;
    double *energy = memory + 6 * n;
    const double *pressure = sim->links_memory + 36 * n;
    memset(memory, 0, 7 * n * sizeof(double));
    for (int a = 0; a < 3; a++) {
        double *strain = memory + (size_t)a * n;
        double *stress = memory + (size_t)(3 + a) * n;
        for (size_t v = 0; v < n; v++) {
            if (sim->link_kind[a][v] == 0) continue;
            const size_t i = (size_t)a * n + v;
            const size_t far = (size_t)m->next[a][v];
            strain[v] += links->strain[i];
            strain[far] += links->strain[i];
            stress[v] += links->stress[i];
            stress[far] += links->stress[i];
            energy[v] += 0.5 * links->energy[i];
            energy[far] += 0.5 * links->energy[i];
        }
    }
    for (size_t v = 0; v < n; v++) {
        energy[v] += pressure_energy(sim, (int32_t)v, pressure[v]) + floor_energy(sim, (int32_t)v);
    }
    /* means: divide by two where the voxel has both links along the axis */
    for (int a = 0; a < 3; a++) {
        uint8_t *both = sim->marks[0];
        memset(both, 0, n);
        for (size_t v = 0; v < n; v++) {
            if (sim->link_kind[a][v] == 0) continue;
            both[v]++;
            both[m->next[a][v]]++;
        }
        for (size_t v = 0; v < n; v++) {
            if (both[v] < 2) continue;
            memory[(size_t)a * n + v] *= 0.5;
            memory[(size_t)(3 + a) * n + v] *= 0.5;
        }
    }
    for (int a = 0; a < 3; a++) {
        sim->voxels_view.strain[a] = memory + (size_t)a * n;
        sim->voxels_view.stress[a] = memory + (size_t)(3 + a) * n;
    }
    sim->voxels_view.energy = energy;
    *voxels = &sim->voxels_view;
    return VXE_OK;
}

double vxe_elastic_before(vxe_sim *sim, double time, body_moment moment)
{
    const vxe_model *m = sim->model;
    const double l = m->view.pitch;
    double *pressure = sim->scratch[1];
    tree_sum energies = {.count = 0}; /* of each voxel and the links that begin at it */
    tree_sum powers = {.count = 0};
    vxe_state_read(sim, vxe_state_with(STATE_DEVICE));
    measure_pressure(sim, pressure);
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        double energy = pressure_energy(sim, v, pressure[v]);
        double power = 0.0;
        for (int a = 0; a < 3; a++) {
            const uint32_t kind = sim->link_kind[a][v];
            if (kind == 0) continue;
            const link_class *c = &m->classes[kind - 1];
            const link_table *t = &sim->links[kind - 1];
            const int32_t far = m->next[a][v];
            const link_now now = measure_link(sim, a, v);
            const double tension = link_axial_force(c->ka, now.stretch) +
                                   link_pressure_force(l * l * c->near_weight, pressure[v],
                                                       l * l * c->far_weight, pressure[far]);
            const link_load load = link_elastic(now.chord, pose(sim, v), pose(sim, far), a,
                                                link_stiffness_of(t->cs, t->c, t->kt), tension);
            energy += now.energy;
            const double sign = moment == BODY_CHANGES ? -1.0 : 1.0;
            const double way = rvec_dot(now.chord.e, rvec_sub(at(sim->velocity, far), at(sim->velocity, v)));
            const double was = tension - 2.0 * time * c->ka * way; /* at the start of the step */
            if (sim->pulled[0] != NULL) sim->pulled[a][v] += sign * was;
            if (sim->conjugate[0] != NULL) {
                const double grows = sign * link_growth_force(0.5 * l, was);
                sim->conjugate[0][v] += grows;
                sim->conjugate[0][far] += grows;
            }
            power += rvec_dot(load.force, rvec_sub(at(sim->velocity, far), at(sim->velocity, v))) +
                     rvec_dot(load.near_moment, at(sim->spin, v)) +
                     rvec_dot(load.far_moment, at(sim->spin, far));
        }
        sum_add(&energies, energy);
        sum_add(&powers, power);
    }
    if (sim->pulled[0] != NULL) vxe_state_wrote(sim, STATE_SET(pulled));
    if (sim->conjugate[0] != NULL) vxe_state_wrote(sim, STATE_SET(conjugate));
    return sum_total(&energies) + time * sum_total(&powers) + vxe_bonds_energy(sim, time);
}

/* ---- sums --------------------------------------------------------------------------------------------------------- */

double vxe_kinetic_energy(const vxe_sim *sim)
{
    const vxe_model *m = sim->model;
    tree_sum energy = {.count = 0};
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        const material_constants *c = &m->materials[sim->material[v]];
        double own = 0.0;
        for (int a = 0; a < 3; a++) {
            own += 0.5 * c->mass * sim->velocity[a][v] * sim->velocity[a][v] +
                   0.5 * c->inertia * sim->spin[a][v] * sim->spin[a][v];
        }
        sum_add(&energy, own);
    }
    return sum_total(&energy);
}

vxe_energy vxe_sim_energy(vxe_sim *sim)
{
    if (sim == NULL) return (vxe_energy){0};
    if (sim->def.audit && sim->step > 0) return sim->energy;
    const vxe_model *m = sim->model;
    vxe_energy e = sim->energy;
    e.time = sim->time;
    e.kinetic = vxe_kinetic_energy(sim);
    tree_sum elastic = {.count = 0}; /* of each voxel and the links that begin at it */
    tree_sum gravity = {.count = 0};
    measure_pressure(sim, sim->scratch[1]);
    for (int32_t v = 0; v < m->view.voxel_count; v++) {
        double own = pressure_energy(sim, v, sim->scratch[1][v]) + floor_energy(sim, v);
        double fall = 0.0;
        for (int a = 0; a < 3; a++) {
            if (sim->link_kind[a][v] != 0) own += measure_link(sim, a, v).energy;
            fall += m->materials[sim->material[v]].mass * sim->environment.gravity[a] *
                    (sim->position[a][v] - m->start[a][v]);
        }
        sum_add(&elastic, own);
        sum_add(&gravity, -fall);
    }
    e.elastic = sum_total(&elastic) + vxe_bonds_energy(sim, 0.0);
    e.gravity = sum_total(&gravity);
    e.total = e.kinetic + e.elastic + e.gravity;
    return e;
}

void vxe_sim_center_of_mass(const vxe_sim *sim, double center[3])
{
    if (center == NULL) return;
    memset(center, 0, 3 * sizeof *center);
    if (sim == NULL) return;
    const vxe_model *m = sim->model;
    mass_center sum;
    memset(&sum, 0, sizeof sum);
    int32_t v = 0;
    for (; v + SUM_LEAVES <= m->view.voxel_count; v += SUM_LEAVES) { /* as vxe_center_add(), 16 at a time */
        double mass[SUM_LEAVES];
        double moment[SUM_LEAVES];
        for (int i = 0; i < SUM_LEAVES; i++) mass[i] = m->materials[sim->material[v + i]].mass;
        sum_add_leaves(&sum.mass, sum_leaves(mass));
        for (int a = 0; a < 3; a++) {
            for (int i = 0; i < SUM_LEAVES; i++) moment[i] = mass[i] * sim->position[a][v + i];
            sum_add_leaves(&sum.moment[a], sum_leaves(moment));
        }
    }
    for (; v < m->view.voxel_count; v++)
        vxe_center_add(&sum, m->materials[sim->material[v]].mass, sim->position, v);
    (void)vxe_center_of(&sum, center);
}

void vxe_center_add(mass_center *sum, double mass, double *const values[3], int32_t voxel)
{
    sum_add(&sum->mass, mass);
    for (int a = 0; a < 3; a++) sum_add(&sum->moment[a], mass * values[a][voxel]);
}

bool vxe_center_of(const mass_center *sum, double center[3])
{
    const double mass = sum_total(&sum->mass);
    if (!(mass > 0.0)) return false;
    for (int a = 0; a < 3; a++) center[a] = sum_total(&sum->moment[a]) / mass;
    return true;
}

static void add_vector(tree_sum sum[3], vec3 v)
{
    sum_add(&sum[0], v.x);
    sum_add(&sum[1], v.y);
    sum_add(&sum[2], v.z);
}

void vxe_sim_momentum(const vxe_sim *sim, double momentum[3], double angular[3])
{
    tree_sum sums[6];
    memset(sums, 0, sizeof sums);
    const int32_t n = sim != NULL ? sim->model->view.voxel_count : 0;
    for (int32_t v = 0; v < n; v++) {
        const material_constants *c = &sim->model->materials[sim->material[v]];
        const vec3 own =
            vec3_scale(c->mass, vec3_make(sim->velocity[0][v], sim->velocity[1][v], sim->velocity[2][v]));
        const vec3 turn =
            vec3_scale(c->inertia, vec3_make(sim->spin[0][v], sim->spin[1][v], sim->spin[2][v]));
        const vec3 place = vec3_make(sim->position[0][v], sim->position[1][v], sim->position[2][v]);
        add_vector(sums, own);
        add_vector(sums + 3, vec3_add(turn, vec3_cross(place, own)));
    }
    for (int a = 0; a < 3 && momentum != NULL; a++) momentum[a] = sum_total(&sums[a]);
    for (int a = 0; a < 3 && angular != NULL; a++) angular[a] = sum_total(&sums[3 + a]);
}

vxe_result vxe_sim_region_displacement(const vxe_sim *sim, int32_t region, double displacement[3],
                                       vxe_error *error)
{
    if (sim == NULL || displacement == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_region_displacement: NULL");
    const vxe_result result = vxe_check_region_number(sim->model, region, error);
    if (result != VXE_OK) return result;
    const vxe_model *m = sim->model;
    tree_sum sum[3];
    memset(sum, 0, sizeof sum);
    for (int32_t i = m->region_begin[region]; i < m->region_begin[region + 1]; i++) {
        const int32_t v = m->region_voxel[i];
        for (int a = 0; a < 3; a++) sum_add(&sum[a], sim->position[a][v] - m->start[a][v]);
    }
    const double count = (double)(m->region_begin[region + 1] - m->region_begin[region]);
    for (int a = 0; a < 3; a++) displacement[a] = sum_total(&sum[a]) / count;
    return VXE_OK;
}

vxe_result vxe_sim_region_reaction(const vxe_sim *sim, int32_t region, double force[3], double moment[3],
                                   vxe_error *error)
{
    if (sim == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_sim_region_reaction: NULL");
    const vxe_result result = vxe_check_region_number(sim->model, region, error);
    if (result != VXE_OK) return result;
    const vxe_model *m = sim->model;
    tree_sum sums[6];
    memset(sums, 0, sizeof sums);
    for (int32_t h = 0; h < m->held_count; h++) {
        double own[6];
        for (int d = 0; d < 6; d++)
            own[d] = m->held_region[6 * (size_t)h + (size_t)d] == region
                         ? sim->reaction[0][6 * (size_t)h + (size_t)d]
                         : 0.0;
        const int32_t v = m->held_voxel[h];
        const double *pivot = m->regions[region].pivot;
        const vec3 arm = vec3_make(sim->position[0][v] - pivot[0], sim->position[1][v] - pivot[1],
                                   sim->position[2][v] - pivot[2]);
        add_vector(sums, vec3_from(own));
        add_vector(sums + 3, vec3_add(vec3_from(own + 3), vec3_cross(arm, vec3_from(own))));
    }
    for (int a = 0; a < 3 && force != NULL; a++) force[a] = sum_total(&sums[a]);
    for (int a = 0; a < 3 && moment != NULL; a++) moment[a] = sum_total(&sums[3 + a]);
    return VXE_OK;
}

double vxe_sim_displacement_max(const vxe_sim *sim, int32_t *voxel)
{
    double most = 0.0;
    int32_t which = 0;
    const int32_t n = sim != NULL ? sim->model->view.voxel_count : 0;
    for (int32_t v = 0; v < n; v++) {
        double square = 0.0;
        for (int a = 0; a < 3 && vxe_is_present(sim, v); a++) {
            const double d = sim->position[a][v] - sim->model->start[a][v];
            square += d * d;
        }
        if (square > most) {
            most = square;
            which = v;
        }
    }
    if (voxel != NULL) *voxel = which;
    return sqrt(most);
}

double vxe_sim_strain_max(const vxe_sim *sim) { return sim != NULL ? sim->last.strain_max : 0.0; }

double vxe_sim_speed_max(const vxe_sim *sim)
{
    double most = 0.0;
    const int32_t n = sim != NULL ? sim->model->view.voxel_count : 0;
    for (int32_t v = 0; v < n; v++) {
        double square = 0.0;
        for (int a = 0; a < 3; a++) square += sim->velocity[a][v] * sim->velocity[a][v];
        if (square > most) most = square;
    }
    return sqrt(most);
}

void vxe_sim_contacts(const vxe_sim *sim, int64_t *floor, int64_t *pairs)
{
    if (floor != NULL) *floor = sim != NULL ? sim->last.floor_contacts : 0;
    if (pairs != NULL) *pairs = sim != NULL ? sim->last.pair_contacts : 0;
}

void vxe_sim_failures(const vxe_sim *sim, int64_t *broken, int64_t *yielded)
{
    if (broken != NULL) *broken = sim != NULL ? sim->broken_count : 0;
    if (yielded != NULL) *yielded = sim != NULL ? sim->yielded_count : 0;
}

const vxe_event *vxe_sim_events(const vxe_sim *sim, int64_t *count)
{
    if (count != NULL) *count = sim != NULL ? sim->event_count : 0;
    return sim != NULL ? sim->events : NULL;
}

static bool is_hashed_by_voxel(const state_field *f)
{
    return (f->flags & STATE_HASHED) != 0 && f->shape == PER_VOXEL && f->size == sizeof(double) &&
           f->when == 0;
}

uint64_t vxe_sim_hash(const vxe_sim *sim)
{
    if (sim == NULL) return 0;
    const int32_t n = sim->model->view.voxel_count;
    uint64_t h = vxe_hash_u64(VXE_HASH_START, (uint64_t)sim->step);
    h = vxe_hash_double(h, sim->time);
    /* doubles of voxels, voxel by voxel; then the rest, array by array */
    for (int32_t v = 0; v < n; v++) {
        for (int i = 0; i < STATE_COUNT; i++) {
            const state_field *f = &vxe_state_fields[i];
            if (!is_hashed_by_voxel(f)) continue;
            for (int c = 0; c < f->components; c++)
                h = vxe_hash_double(h, ((const double *)vxe_state_at(sim, (state_id)i, c))[v]);
        }
    }
    for (int i = 0; i < STATE_COUNT; i++) {
        const state_field *f = &vxe_state_fields[i];
        if ((f->flags & STATE_HASHED) == 0 || is_hashed_by_voxel(f)) continue;
        for (int c = 0; c < f->components && vxe_state_at(sim, (state_id)i, c) != NULL; c++) {
            const void *array = vxe_state_at(sim, (state_id)i, c);
            const bool numbers = f->type[0] == 'd';
            if (!numbers) h = vxe_hash_bytes(h, array, (size_t)n * f->size);
            for (int32_t v = 0; v < n && numbers; v++) h = vxe_hash_double(h, ((const double *)array)[v]);
        }
    }
    for (int64_t i = 0; sim->life != NULL && i < sim->life->counts.bond_count; i++) {
        const sim_bond *b = &sim->life->bonds[i];
        h = vxe_hash_u64(vxe_hash_u64(h, (uint64_t)b->first), (uint64_t)b->second);
        h = vxe_hash_double(vxe_hash_double(h, b->rest), b->since);
    }
    return h;
}
