/* Reading a simulation into a lattice, and energy and forces of a pose: see lattice.h. */
#include "solve/pose.h"
#include "base/roots.h"

#include "base/base.h"
#include "base/vec.h"
#include "sim/floor.h"
#include "scene/rules.h"
#include "sim/loads.h"
#include "sim/pressure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading a simulation ----------------------------------------------------------------------------------------- */

static bool take(void *pointer, size_t count, size_t size, vxe_error *error, vxe_result *result)
{
    if (*result != VXE_OK) return false;
    void *memory = vxe_allocate(count > 0 ? count : 1, size);
    memcpy(pointer, &memory, sizeof memory); /* any pointer type */
    if (memory == NULL) *result = vxe_fail_memory(error, "the solver", count * size);
    return memory != NULL;
}

static void read_links(lattice *l)
{
    const vxe_sim *sim = l->sim;
    const vxe_model *m = l->model;
    int32_t count = 0;
    for (size_t i = 0; i < DOFS * (size_t)l->voxels; i++) l->faces[i] = -1;
    for (int32_t v = 0; v < l->voxels; v++) {
        for (int a = 0; a < 3; a++) {
            if (sim->link_kind[a][v] == 0) continue;
            const int32_t far = m->next[a][v];
            l->links[count] = (lattice_link){v, far, a, (int32_t)sim->link_kind[a][v] - 1};
            l->faces[DOFS * (size_t)v + (size_t)(2 * a + 1)] = count;
            l->faces[DOFS * (size_t)far + (size_t)(2 * a)] = count;
            if (l->plastic != NULL) l->plastic[count] = sim->plastic[a][v];
            count++;
        }
    }
}

static int32_t count_links(const vxe_sim *sim)
{
    int32_t count = 0;
    for (int a = 0; a < 3; a++) {
        for (int32_t v = 0; v < sim->model->view.voxel_count; v++) count += sim->link_kind[a][v] != 0;
    }
    return count;
}

/* Connected pieces, numbered by their first voxel, in two passes: roots are smaller than what hangs on them.
 */
static void read_bodies(lattice *l)
{
    for (int32_t v = 0; v < l->voxels; v++) l->body[v] = v;
    for (int32_t i = 0; i < l->link_count; i++) {
        const int32_t a = vxe_root(l->body, l->links[i].near);
        const int32_t b = vxe_root(l->body, l->links[i].far);
        if (a < b) l->body[b] = a;
        if (b < a) l->body[a] = b;
    }
    for (int32_t v = 0; v < l->voxels; v++) l->body[v] = vxe_root(l->body, v);
    int32_t count = 0;
    for (int32_t v = 0; v < l->voxels; v++) {
        /* every root comes before its piece and has its number by then */
        l->body[v] = l->body[v] == v ? count++ : l->body[l->body[v]];
    }
    l->body_count = count;
}

static void add_load(void *user, int32_t voxel, const double force[3], const double torque[3])
{
    double *load = (double *)user + DOFS * (size_t)voxel;
    for (int a = 0; a < 3; a++) {
        load[a] += force[a];
        load[a + 3] += torque[a];
    }
}

static void add_cilia(void *user, int32_t voxel, const double force[3], const double torque[3])
{
    (void)torque;
    memcpy((double *)user + 3 * (size_t)voxel, force, 3 * sizeof(double));
}

static load_moment moment_of(const lattice *l, const pose *p)
{
    load_moment moment = {
        .time = l->time, .full = true, .growth = p->growth, .position_stride = 3, .orientation_stride = 4};
    for (size_t a = 0; a < 3; a++) moment.position[a] = p->position + a;
    for (size_t i = 0; i < 4; i++) moment.orientation[i] = p->turn + i;
    return moment;
}

static void fill_loads(const lattice *l, const pose *p)
{
    const load_moment moment = moment_of(l, p);
    memset(l->load, 0, DOFS * (size_t)l->voxels * sizeof *l->load);
    vxe_loads_each(l->sim, &moment, LOAD_ALL, add_load, l->load);
    if (l->cilia != NULL) vxe_loads_each(l->sim, &moment, LOAD_CILIA, add_cilia, l->cilia);
    for (int32_t v = 0; v < l->voxels && l->slope != NULL; v++) {
        double slope[3][3];
        vxe_loads_field_slope(l->sim, &moment, v, slope);
        memcpy(&l->slope[9 * (size_t)v], slope, sizeof slope);
    }
}

void vxe_lattice_load(const lattice *l, const pose *p)
{
    if (l->follows) fill_loads(l, p);
}

/* In the pose the simulation is in. */
static vxe_result read_loads(lattice *l, vxe_error *error)
{
    const unsigned following = vxe_loads_following(l->sim);
    pose p;
    vxe_result result = vxe_pose_create(l, &p, error);
    if (result != VXE_OK || p.position == NULL) return result;
    vxe_pose_read(l, &p);
    l->follows = following != 0;
    if ((following & (LOAD_FIELD | LOAD_WATER)) != 0)
        (void)take(&l->slope, 9 * (size_t)l->voxels, sizeof *l->slope, error, &result);
    if ((following & LOAD_CILIA) != 0)
        (void)take(&l->cilia, 3 * (size_t)l->voxels, sizeof *l->cilia, error, &result);
    if (result == VXE_OK) fill_loads(l, &p);
    for (int32_t r = 0; r < l->model->view.region_count; r++) {
        for (int a = 0; a < 3; a++) l->torques = l->torques || l->sim->regions[r].torque[a] != 0.0;
    }
    vxe_pose_destroy(&p);
    return result;
}

vxe_result vxe_lattice_create(lattice *l, vxe_sim *sim, double time, vxe_error *error)
{
    const vxe_model *m = sim->model;
    const size_t n = (size_t)m->view.voxel_count;
    if (m->rigid_count > 0) {
        memset(l, 0, sizeof *l);
        return vxe_fail(
            error, VXE_ERROR_INPUT,
            "the solvers know no rigid parts; make them stiff instead, or step the scene until it "
            "is at rest");
    }
    *l = (lattice){
        .sim = sim, .model = m, .pitch = m->view.pitch, .voxels = m->view.voxel_count, .time = time};
    l->link_count = count_links(sim);
    vxe_result result = VXE_OK;
    (void)take(&l->links, (size_t)l->link_count, sizeof *l->links, error, &result);
    (void)take(&l->faces, DOFS * n, sizeof *l->faces, error, &result);
    (void)take(&l->body, n, sizeof *l->body, error, &result);
    (void)take(&l->load, DOFS * n, sizeof *l->load, error, &result);
    (void)take(&l->growth, n, sizeof *l->growth, error, &result);
    (void)take(&l->held, n, sizeof *l->held, error, &result);
    (void)take(&l->volume, n, sizeof *l->volume, error, &result);
    if (sim->plastic[0] != NULL)
        (void)take(&l->plastic, (size_t)l->link_count, sizeof *l->plastic, error, &result);
    (void)take(&l->modulus, n, sizeof *l->modulus, error, &result);
    (void)take(&l->loaded, n, sizeof *l->loaded, error, &result);
    (void)take(&l->pressure, n, sizeof *l->pressure, error, &result);
    for (int i = 0; i < 2; i++) (void)take(&l->spare[i], n, sizeof *l->spare[i], error, &result);
    if (result == VXE_OK) result = read_loads(l, error);
    if (result != VXE_OK) {
        vxe_lattice_destroy(l);
        return result;
    }
    memcpy(l->held, m->fixed, n);
    read_links(l);
    read_bodies(l);
    vxe_growth_at(sim, time, l->growth);
    bool pressure = false;
    for (size_t v = 0; v < n; v++) {
        l->modulus[v] = m->materials[m->material[v]].pressure_modulus[sim->pressure_class[v]];
        pressure = pressure || l->modulus[v] > 0.0;
    }
    if (pressure) {
        l->shares = sim->sharing != NULL && sim->sharing->steps > 0;
        vxe_pressure_add_loads(sim, time, l->loaded);
    } else {
        free(l->modulus);
        l->modulus = NULL;
    }
    return VXE_OK;
}

void vxe_lattice_destroy(lattice *l)
{
    free(l->links);
    free(l->faces);
    free(l->body);
    free(l->load);
    free(l->slope);
    free(l->cilia);
    free(l->growth);
    free(l->held);
    free(l->volume);
    free(l->plastic);
    free(l->modulus);
    free(l->loaded);
    free(l->pressure);
    for (int i = 0; i < 2; i++) free(l->spare[i]);
    *l = (lattice){0};
}

double vxe_lattice_mass(const lattice *l, int32_t v, int d)
{
    const material_constants *c = &l->model->materials[l->model->material[v]];
    return d < 3 ? c->mass : c->inertia;
}

double vxe_lattice_small_force(const lattice *l)
{
    double stiffest = 0.0;
    for (int32_t i = 0; i < l->link_count; i++)
        stiffest = fmax(stiffest, l->model->classes[l->links[i].kind].ka);
    return 1e-6 * stiffest * l->pitch;
}

/* ---- poses -------------------------------------------------------------------------------------------------------- */

vxe_result vxe_pose_create(const lattice *l, pose *p, vxe_error *error)
{
    const size_t n = (size_t)l->voxels;
    *p = (pose){vxe_allocate(3 * n, sizeof(double)), vxe_allocate(4 * n, sizeof(double)),
                vxe_allocate(n, sizeof(double))};
    if (p->position != NULL && p->turn != NULL && p->growth != NULL) return VXE_OK;
    vxe_pose_destroy(p);
    return vxe_fail_memory(error, "a pose", 8 * n * sizeof(double));
}

void vxe_pose_destroy(pose *p)
{
    free(p->position);
    free(p->turn);
    free(p->growth);
    *p = (pose){NULL, NULL, NULL};
}

void vxe_pose_copy(const lattice *l, const pose *from, pose *to)
{
    const size_t n = (size_t)l->voxels;
    memcpy(to->position, from->position, 3 * n * sizeof(double));
    memcpy(to->turn, from->turn, 4 * n * sizeof(double));
    memcpy(to->growth, from->growth, n * sizeof(double));
}

void vxe_pose_start(const lattice *l, pose *p)
{
    for (size_t v = 0; v < (size_t)l->voxels; v++) {
        for (size_t a = 0; a < 3; a++) p->position[3 * v + a] = l->model->start[a][v];
        for (size_t i = 0; i < 4; i++) p->turn[4 * v + i] = i == 0 ? 1.0 : 0.0;
        p->growth[v] = 0.0;
    }
}

void vxe_pose_read(const lattice *l, pose *p)
{
    const vxe_sim *sim = l->sim;
    for (size_t v = 0; v < (size_t)l->voxels; v++) {
        for (size_t a = 0; a < 3; a++) p->position[3 * v + a] = sim->position[a][v];
        for (size_t i = 0; i < 4; i++) p->turn[4 * v + i] = sim->orientation[i][v];
        p->growth[v] = sim->growth[0][v];
    }
}

void vxe_pose_turn(pose *p, int32_t v, const double theta[3])
{
    double *q = &p->turn[4 * (size_t)v];
    const quat turn = quat_from_rotation(vec3_from(theta));
    const quat t = quat_unit(quat_product(turn, (quat){q[0], q[1], q[2], q[3]}));
    q[0] = t.w;
    q[1] = t.x;
    q[2] = t.y;
    q[3] = t.z;
}

/* ---- energy and forces -------------------------------------------------------------------------------------------- */

static link_stiffness stiffness_of(const lattice *l, const lattice_link *link)
{
    const link_table *t = &l->sim->links[link->kind];
    return link_stiffness_of(t->cs, t->c, t->kt);
}

double vxe_lattice_stretch(const lattice *l, const pose *p, int32_t i, double length)
{
    const lattice_link *link = &l->links[i];
    const double stretch = length - link_rest_length(l->pitch, p->growth[link->near], p->growth[link->far]);
    return l->plastic != NULL ? link_elastic_stretch(stretch, l->pitch, l->plastic[i]) : stretch;
}

double vxe_lattice_tension(const lattice *l, int32_t i, double stretch)
{
    const lattice_link *link = &l->links[i];
    const link_class *c = &l->model->classes[link->kind];
    const double area = l->pitch * l->pitch;
    return link_axial_force(c->ka, stretch) +
           link_pressure_force(area * c->near_weight, lattice_pressure(l, link->near), area * c->far_weight,
                               lattice_pressure(l, link->far));
}

double vxe_lattice_depth(const lattice *l, const pose *p, int32_t v)
{
    const double *x = &p->position[3 * (size_t)v];
    return vxe_floor_depth(l->sim, v, p->growth[v], x[0], x[1], x[2]);
}

double vxe_lattice_floor_force(const lattice *l, const pose *p, int32_t v)
{
    return contact_rest_force(vxe_lattice_depth(l, p, v), vxe_floor_spring(l->sim, v));
}

double vxe_lattice_floor_stiffness(const lattice *l, const pose *p, int32_t v)
{
    const contact_spring spring = vxe_floor_spring(l->sim, v);
    if (!vxe_lattice_touches(l, p, v)) return 0.0;
    return spring.stiffness + (vxe_lattice_depth(l, p, v) > spring.edge ? spring.stop : 0.0);
}

bool vxe_lattice_touches(const lattice *l, const pose *p, int32_t v)
{
    return vxe_lattice_depth(l, p, v) > -1e-9 * l->pitch;
}

/* S_v of every voxel and the axial energies. */
static lattice_measures measure(const lattice *l, const pose *p)
{
    lattice_measures m = {0.0, INFINITY, 0.0, 0};
    tree_sum of_links = {.count = 0};
    if (l->modulus != NULL) memcpy(l->volume, l->loaded, (size_t)l->voxels * sizeof *l->volume);
    for (int32_t i = 0; i < l->link_count; i++) {
        const lattice_link *link = &l->links[i];
        const link_class *c = &l->model->classes[link->kind];
        const link_chord chord = pose_chord(p, link);
        const double stretch = vxe_lattice_stretch(l, p, i, chord.length);
        const double strain = link_strain(stretch, 1.0 / l->pitch);
        sum_add(&of_links,
                link_stretch_energy(c->ka, stretch) + link_energy(chord, pose_orientation(p, link->near),
                                                                  pose_orientation(p, link->far), link->axis,
                                                                  stiffness_of(l, link)));
        if (l->modulus != NULL) {
            l->volume[link->near] += c->near_weight * strain;
            l->volume[link->far] += c->far_weight * strain;
        }
        if (chord.length < m.length_min) m.length_min = chord.length;
        if (!(fabs(strain) <= m.strain_max)) m.strain_max = fabs(strain);
    }
    m.energy = sum_total(&of_links);
    if (l->modulus == NULL) return m;
    vxe_pressure_from_volume(l->sim, l->volume, l->pressure);
    const double cube = l->pitch * l->pitch * l->pitch;
    tree_sum of_pressure = {.count = 0};
    for (int32_t v = 0; v < l->voxels; v++)
        sum_add(&of_pressure, pressure_energy_density(l->volume[v], l->pressure[v]));
    m.energy += cube * sum_total(&of_pressure);
    return m;
}

/* The floor's springs: their energy, and their gradient unless NULL. */
static void add_floor(const lattice *l, const pose *p, double *gradient, lattice_measures *m)
{
    tree_sum energy = {.count = 0}; /* of those that touch it */
    for (int32_t v = 0; v < l->voxels; v++) {
        const double depth = vxe_lattice_depth(l, p, v);
        if (!(depth > 0.0)) continue;
        const contact_spring spring = vxe_floor_spring(l->sim, v);
        sum_add(&energy, contact_energy(depth, spring));
        m->touching++;
        if (gradient != NULL) gradient[DOFS * (size_t)v + 2] -= contact_rest_force(depth, spring);
    }
    m->energy += sum_total(&energy);
}

lattice_measures vxe_lattice_energy(const lattice *l, const pose *p, bool floor)
{
    lattice_measures m = measure(l, p);
    if (floor) add_floor(l, p, NULL, &m);
    return m;
}

static void add3(double *a, rvec b, double sign)
{
    a[0] += sign * b.x;
    a[1] += sign * b.y;
    a[2] += sign * b.z;
}

lattice_measures vxe_lattice_gradient(const lattice *l, const pose *p, bool floor, double *gradient)
{
    lattice_measures m = measure(l, p);
    memset(gradient, 0, DOFS * (size_t)l->voxels * sizeof *gradient);
    for (int32_t i = 0; i < l->link_count; i++) {
        const lattice_link *link = &l->links[i];
        const link_chord chord = pose_chord(p, link);
        const double tension = vxe_lattice_tension(l, i, vxe_lattice_stretch(l, p, i, chord.length));
        const link_load load =
            link_elastic(chord, pose_orientation(p, link->near), pose_orientation(p, link->far), link->axis,
                         stiffness_of(l, link), tension);
        double *near = &gradient[DOFS * (size_t)link->near];
        double *far = &gradient[DOFS * (size_t)link->far];
        add3(near, load.force, 1.0);
        add3(far, load.force, -1.0);
        add3(near + 3, load.near_moment, -1.0);
        add3(far + 3, load.far_moment, -1.0);
    }
    if (floor) add_floor(l, p, gradient, &m);
    return m;
}

vxe_result vxe_refuse_living(const vxe_sim *sim, vxe_error *error)
{
    const vxe_life life = vxe_sim_life(sim);
    for (int32_t r = 0; r < sim->model->rule_count; r++) {
        const vxe_rule_def *def = &sim->model->rules[r].def;
        char who[RULE_WHO_SIZE];
        if (def->kind != VXE_RULE_PUSH && (def->kind != VXE_RULE_CILIA || def->value[0] == '\0')) continue;
        vxe_name_rule(def, r, who);
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: solvers do not know forces that rules drive", who);
    }
    if (life.present == sim->model->view.voxel_count && life.bonds == 0) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_INPUT,
                    "solvers do not know bonds, nor voxels that are not there (%lld) because they were "
                    "removed or may grow",
                    (long long)(sim->model->view.voxel_count - life.present));
}
