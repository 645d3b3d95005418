/* Writes a scene for programs of the VoxCAD family (.vxa, .vxc), in the dialect it came from, or VoxCAD's:
 * every value they might assume is written out. What tags cannot say is left to vxa_delta.c; pieces that came
 * from such a file and mean nothing here go back to where they were. */
#include "io/vxa.h"

#include "base/base.h"
#include "base/number.h"

#include <libxml/parser.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct vxa_writer {
    const vxe_scene *scene;
    vxe_dialect dialect;
    vxe_environment environment;
    const vxe_signal_def *signal; /* the first, or NULL */
    double *cilia;                /* factors of the force of cilia, by material; (materials + 1) */
    bool failed;
} vxa_writer;

/* --- elements --- */

static xmlNode *add_group(vxa_writer *w, xmlNode *parent, const char *name)
{
    xmlNode *node = parent == NULL ? NULL : xmlNewChild(parent, NULL, (const xmlChar *)name, NULL);
    if (node == NULL) w->failed = true;
    return node;
}

static void add_text(vxa_writer *w, xmlNode *parent, const char *name, const char *text)
{
    if (parent == NULL || xmlNewTextChild(parent, NULL, (const xmlChar *)name, (const xmlChar *)text) == NULL)
        w->failed = true;
}

static void add_number(vxa_writer *w, xmlNode *parent, const char *name, double value)
{
    char number[VXE_NUMBER_SIZE];
    vxe_print_number(number, value == 0.0 ? 0.0 : value);
    add_text(w, parent, name, number);
}

static void add_switch(vxa_writer *w, xmlNode *parent, const char *name, bool value)
{
    add_text(w, parent, name, value ? "1" : "0");
}

static void add_attribute(vxa_writer *w, xmlNode *node, const char *name, const char *value)
{
    if (node == NULL || xmlNewProp(node, (const xmlChar *)name, (const xmlChar *)value) == NULL)
        w->failed = true;
}

static void add_cdata(vxa_writer *w, xmlNode *parent, const char *name, const char *text, size_t size)
{
    xmlNode *node = add_group(w, parent, name);
    xmlNode *data = node == NULL || size > INT32_MAX
                        ? NULL
                        : xmlNewCDataBlock(node->doc, (const xmlChar *)text, (int)size);
    if (data == NULL || xmlAddChild(node, data) == NULL) w->failed = true;
}

static void add_formula(vxa_writer *w, xmlNode *parent, const char *name, vxe_formula_role role, double shift)
{
    const char *text = vxe_scene_formula(w->scene, role);
    if (text[0] == '\0') return;
    xmlNode *holder = add_group(w, parent, name);
    if (holder != NULL && !vxe_vxa_write_formula(holder, text, shift)) w->failed = true;
}

static bool has_cilia(const vxa_writer *w)
{
    return vxe_scene_has_field(w->scene, VXE_FIELD_CILIA_X) ||
           vxe_scene_has_field(w->scene, VXE_FIELD_CILIA_Y) ||
           vxe_scene_has_field(w->scene, VXE_FIELD_CILIA_Z);
}

/* Factors of the force of cilia, by material: those that the file had, so that what is random or shifted by
 * them stays as it is; 1 where there was none, or where it was 0 and there is a force now. */
static void find_cilia(vxa_writer *w)
{
    static const char palette[] = "VXC/Palette/Material";
    const int32_t materials = vxe_scene_material_count(w->scene);
    const char *path = NULL;
    const char *text = NULL;
    int32_t size[3];
    w->cilia = vxe_allocate((size_t)materials + 1, sizeof *w->cilia);
    w->failed = w->failed || w->cilia == NULL;
    for (int32_t m = 0; m <= materials && !w->failed; m++) w->cilia[m] = 1.0;
    for (int32_t n = 0; !w->failed && vxe_scene_foreign(w->scene, n, &path, &text); n++) {
        if (strncmp(path, palette, sizeof palette - 1) != 0 || strncmp(text, "<Cilia>", 7) != 0) continue;
        const char *mark = strchr(path, '#');
        const int32_t m = mark != NULL ? (int32_t)strtol(mark + 1, NULL, 10) : 1;
        const char *end = NULL;
        if (m >= 1 && m <= materials) w->cilia[m] = vxe_xml_scan_number(text + 7, &end);
    }
    vxe_scene_size(w->scene, size);
    for (int32_t k = 0; k < size[2] && !w->failed && has_cilia(w); k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                double *factor = &w->cilia[vxe_scene_voxel(w->scene, i, j, k)];
                for (int a = 0; a < 3 && *factor == 0.0; a++) {
                    if (vxe_scene_field(w->scene, (vxe_field)(VXE_FIELD_CILIA_X + a), i, j, k) != 0.0)
                        *factor = 1.0;
                }
            }
        }
    }
}

/* --- simulator --- */

/* The type and value that say what the stop condition says best; the rest travels beside. */
/* s: what StopConditionValue says of a life that ends by time; 0: it does not. */
static double life_of(const vxa_writer *w)
{
    const vxe_stop stop = vxe_scene_stop(w->scene);
    const vxe_experiment e = vxe_scene_experiment(w->scene);
    const bool after = w->dialect == VXE_DIALECT_EVOSORO && !(stop.movement > 0.0) && e.afterlife < stop.time;
    return stop.time > 0.0 ? stop.time - (after ? e.afterlife : 0.0) : 0.0;
}

static void add_stop(vxa_writer *w, xmlNode *simulator)
{
    const vxe_stop stop = vxe_scene_stop(w->scene);
    const double voxels = (double)vxe_scene_voxel_count(w->scene);
    xmlNode *group = add_group(w, simulator, "StopCondition");
    int type = 0;
    double value = 0.0;
    if (stop.movement > 0.0 && stop.time > 0.0) {
        type = 7;
        value = stop.time;
    } else if (stop.time > 0.0) {
        type = 2;
        value = life_of(w);
    } else if (stop.steps > 0) {
        type = 1;
        value = (double)stop.steps;
    } else if (stop.cycles > 0.0) {
        type = 3;
        value = stop.cycles;
    } else if (stop.energy_change > 0.0 && voxels > 0.0) {
        type = 4;
        value = stop.energy_change / (1e-3 * voxels);
    } else if (stop.kinetic_energy > 0.0 && voxels > 0.0) {
        type = 5;
        value = stop.kinetic_energy / (1e-3 * voxels);
    } else if (stop.movement > 0.0) {
        type = 6;
        value = stop.movement / 1e-3;
    }
    add_number(w, group, "StopConditionType", type);
    add_number(w, group, "StopConditionValue", value);
    if (w->dialect == VXE_DIALECT_EVOSORO)
        add_number(w, group, "InitCmTime", vxe_scene_experiment(w->scene).begin);
    if (type == 2 && value != stop.time) add_number(w, group, "AfterlifeTime", stop.time - value);
    if (w->dialect != VXE_DIALECT_VOXCRAFT) return;
    const double shift = 0.5 * vxe_scene_pitch(w->scene);
    add_formula(w, group, "StopConditionFormula", VXE_FORMULA_STOP, shift);
    xmlNode *conditions = NULL;
    for (int i = 0; i < 3; i++) {
        static const vxe_formula_role roles[3] = {VXE_FORMULA_STOP, VXE_FORMULA_BEGIN, VXE_FORMULA_END};
        static const char *const names[3] = {"StopCondition", "ResultStartCondition", "ResultEndCondition"};
        if (vxe_scene_formula(w->scene, roles[i])[0] == '\0') continue;
        if (conditions == NULL) conditions = add_group(w, simulator, "Condition");
        add_formula(w, conditions, names[i], roles[i], shift);
    }
}

static void add_voxcraft(vxa_writer *w, xmlNode *simulator)
{
    const vxe_experiment e = vxe_scene_experiment(w->scene);
    const double shift = 0.5 * vxe_scene_pitch(w->scene);
    xmlNode *attach = add_group(w, simulator, "AttachDetach");
    add_switch(w, attach, "EnableCollision", w->environment.collisions != VXE_COLLISIONS_OFF);
    add_switch(w, attach, "EnableDetach", true);
    add_switch(w, simulator, "EnableExpansion", w->signal == NULL || !w->signal->cool_only);
    if (e.history_every > 0.0) {
        xmlNode *history = add_group(w, simulator, "RecordHistory");
        add_number(w, history, "RecordStepSize", round(1e4 * e.history_every));
        add_switch(w, history, "RecordVoxel", e.history_voxels);
        add_switch(w, history, "RecordLink", e.history_links);
    }
    if (e.positions) add_switch(w, simulator, "SavePositionOfAllVoxels", true);
    if (e.pair_distance > 0.0)
        add_number(w, simulator, "MaxDistInVoxelLengthsToCountAsPair", e.pair_distance);
    if (e.restart > 0.0) {
        add_switch(w, simulator, "SecondaryExperiment", true);
        add_number(w, simulator, "ReinitializeInitialPositionAfterThisManySeconds", e.restart);
    }
    add_formula(w, simulator, "FitnessFunction", VXE_FORMULA_FITNESS, 0.0);
    xmlNode *field = NULL;
    for (int a = 0; a < 3; a++) {
        static const char *const names[3] = {"x_forcefield", "y_forcefield", "z_forcefield"};
        const vxe_formula_role role = (vxe_formula_role)(VXE_FORMULA_FORCE_X + a);
        if (vxe_scene_formula(w->scene, role)[0] == '\0') continue;
        if (field == NULL) field = add_group(w, simulator, "ForceField");
        add_formula(w, field, names[a], role, shift);
    }
    if (has_cilia(w)) add_switch(w, simulator, "EnableCilia", true);
}

static void add_simulator(vxa_writer *w, xmlNode *root)
{
    const vxe_environment *e = &w->environment;
    const vxe_experiment experiment = vxe_scene_experiment(w->scene);
    xmlNode *simulator = add_group(w, root, "Simulator");
    xmlNode *integration = add_group(w, simulator, "Integration");
    add_text(w, integration, "Integrator", "0");
    add_text(w, integration, "DtFrac", "0.9");
    xmlNode *damping = add_group(w, simulator, "Damping");
    add_number(w, damping, "BondDampingZ", e->damping_stretch);
    add_number(w, damping, "ColDampingZ", e->damping_contact);
    add_number(w, damping, "SlowDampingZ", e->damping_ground);
    xmlNode *collisions = add_group(w, simulator, "Collisions");
    add_switch(w, collisions, "SelfColEnabled", e->collisions != VXE_COLLISIONS_OFF);
    add_text(w, collisions, "ColSystem", e->collisions == VXE_COLLISIONS_SURFACE_EVERY ? "1" : "3");
    add_number(w, collisions, "CollisionHorizon", e->collision_horizon);
    xmlNode *features = add_group(w, simulator, "Features");
    add_switch(w, features, "VolumeEffectsEnabled", e->elasticity == VXE_ELASTICITY_SOLID);
    add_stop(w, simulator);
    xmlNode *equilibrium = add_group(w, simulator, "EquilibriumMode");
    add_switch(w, equilibrium, "EquilibriumModeEnabled", e->kinetic_damping);
    if (w->dialect == VXE_DIALECT_VOXCRAFT) add_voxcraft(w, simulator);
    if (w->dialect != VXE_DIALECT_EVOSORO) return;
    if (w->signal != NULL && w->signal->size_min > 0.0)
        add_number(w, simulator, "MinTempFact", w->signal->size_min);
    if (experiment.result_file[0] != '\0') {
        xmlNode *ga = add_group(w, simulator, "GA");
        add_switch(w, ga, "WriteFitnessFile", true);
        add_text(w, ga, "FitnessFileName",
                 experiment.result_path[0] != '\0' ? experiment.result_path : experiment.result_file);
    }
}

/* --- environment --- */

static void add_vector(vxa_writer *w, xmlNode *parent, const char *prefix, const double vector[3])
{
    for (int a = 0; a < 3; a++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s%c", prefix, 'X' + a);
        add_number(w, parent, name, vector[a]);
    }
}

/* Cubes of half the size around the centres of cells: a mesh that has exactly those centres inside. */
static void add_cells(vxa_writer *w, xmlNode *region, const vxe_shape *shape, const int32_t size[3])
{
    static const int faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t n = 0; n < shape->cell_count; n++) {
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], shape->cells[3 * (size_t)n + (size_t)a] + 0.25);
            high[a] = fmax(high[a], shape->cells[3 * (size_t)n + (size_t)a] + 0.75);
        }
    }
    const double corner[3] = {low[0] / size[0], low[1] / size[1], low[2] / size[2]};
    const double sides[3] = {(high[0] - low[0]) / size[0], (high[1] - low[1]) / size[1],
                             (high[2] - low[2]) / size[2]};
    add_text(w, region, "PrimType", "3");
    add_vector(w, region, "", corner);
    add_vector(w, region, "d", sides);
    add_text(w, region, "Radius", "0");
    xmlNode *mesh = add_group(w, region, "CMesh");
    add_text(w, mesh, "DrawSmooth", "0");
    xmlNode *vertices = add_group(w, mesh, "Vertices");
    xmlNode *facets = add_group(w, mesh, "Facets");
    const double pitch = vxe_scene_pitch(w->scene);
    for (int32_t n = 0; n < shape->cell_count && !w->failed; n++) {
        for (int c = 0; c < 8; c++) {
            static const char *const names[3] = {"Vx", "Vy", "Vz"};
            xmlNode *vertex = add_group(w, vertices, "Vertex");
            for (int a = 0; a < 3; a++)
                add_number(w, vertex, names[a],
                           pitch *
                               (shape->cells[3 * (size_t)n + (size_t)a] + ((c >> a & 1) != 0 ? 0.75 : 0.25)));
        }
        for (int f = 0; f < 12; f++) {
            static const char *const names[3] = {"V0", "V1", "V2"};
            xmlNode *facet = add_group(w, facets, "Facet");
            for (int i = 0; i < 3; i++) add_number(w, facet, names[i], 8.0 * n + faces[f][i]);
        }
    }
}

/* A shape in fractions of the workspace; ellipsoids and shells are boxes here, and themselves beside. */
static void add_shape(vxa_writer *w, xmlNode *region, const vxe_shape *shape)
{
    int32_t size[3];
    vxe_scene_size(w->scene, size);
    if (shape->kind == VXE_SHAPE_CELLS) {
        add_cells(w, region, shape, size);
        return;
    }
    const double pitch = vxe_scene_pitch(w->scene);
    double along[3];
    double across = 1.0;
    const double largest = fmax(size[0], fmax(size[1], size[2]));
    const double shortest = fmin(size[0], fmin(size[1], size[2]));
    for (int a = 0; a < 3; a++) {
        along[a] = shape->units == VXE_UNITS_FRACTION ? 1.0
                   : shape->units == VXE_UNITS_VOXELS ? 1.0 / size[a]
                                                      : 1.0 / (pitch * size[a]);
    }
    across = shape->units == VXE_UNITS_FRACTION ? shortest / largest
             : shape->units == VXE_UNITS_VOXELS ? 1.0 / largest
                                                : 1.0 / (pitch * largest);
    double corner[3];
    double sides[3] = {0.0, 0.0, 0.0};
    double radius = 0.0;
    const char *kind = "0";
    for (int a = 0; a < 3; a++) {
        const double reach =
            shape->kind == VXE_SHAPE_BOX ? 0.0 : shape->radius[shape->kind == VXE_SHAPE_ELLIPSOID ? a : 0];
        corner[a] = (shape->kind == VXE_SHAPE_BOX ? shape->corner[a] : shape->center[a] - reach) * along[a];
        sides[a] = (shape->kind == VXE_SHAPE_BOX ? shape->sides[a] : 2.0 * reach) * along[a];
    }
    if (shape->kind == VXE_SHAPE_SPHERE || shape->kind == VXE_SHAPE_CYLINDER) {
        kind = shape->kind == VXE_SHAPE_SPHERE ? "2" : "1";
        radius = shape->radius[0] * across;
        for (int a = 0; a < 3; a++) {
            corner[a] = shape->center[a] * along[a];
            sides[a] = 0.0;
        }
        if (shape->kind == VXE_SHAPE_CYLINDER) {
            const int a = (int)shape->axis;
            corner[a] -= 0.5 * shape->length * along[a];
            sides[a] = shape->length * along[a];
        }
    }
    add_text(w, region, "PrimType", kind);
    add_vector(w, region, "", corner);
    add_vector(w, region, "d", sides);
    add_number(w, region, "Radius", radius);
}

/* Whether a region is what reading makes of LockZ or NoSpin, tags that are written again with their
 * materials. */
static bool is_lock(const vxa_writer *w, const vxe_region_def *def)
{
    const char *text = NULL;
    if (def->shape.kind != VXE_SHAPE_CELLS ||
        (strcmp(def->name, "LockZ") != 0 && strcmp(def->name, "NoSpin") != 0))
        return false;
    for (int32_t n = 0; vxe_scene_foreign(w->scene, n, NULL, &text); n++) {
        if (text[0] == '<' && strncmp(text + 1, def->name, strlen(def->name)) == 0) return true;
    }
    return false;
}

static void add_regions(vxa_writer *w, xmlNode *environment)
{
    xmlNode *group = add_group(w, environment, "Boundary_Conditions");
    const int32_t count = vxe_scene_region_count(w->scene);
    int32_t written = 0;
    for (int32_t n = 0; n < count; n++) written += !is_lock(w, vxe_scene_region(w->scene, n));
    add_number(w, group, "NumBCs", written);
    for (int32_t n = 0; n < count && !w->failed; n++) {
        const vxe_region_def *def = vxe_scene_region(w->scene, n);
        if (is_lock(w, def)) continue;
        xmlNode *region = add_group(w, group, "FRegion");
        add_shape(w, region, &def->shape);
        add_number(w, region, "DofFixed", def->fixed);
        add_vector(w, region, "Force", def->force);
        add_vector(w, region, "Torque", def->torque);
        add_vector(w, region, "Displace", def->displacement);
        add_vector(w, region, "AngDisplace", def->rotation);
    }
}

static double field_of(const vxa_writer *w, vxe_field field, int32_t i, int32_t j, int32_t k)
{
    return vxe_scene_field(w->scene, field, i, j, k);
}

/* s: what is left of life where the growth of a voxel begins, without the pause in it. */
static double left_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k)
{
    return life_of(w) - w->environment.pause_time - field_of(w, VXE_FIELD_GROWTH_BEGIN, i, j, k);
}

/* s: the shortest time of growth of voxels with no life left, whose times are no parts of it; 0: all have
 * some. */
static double least_growth(const vxa_writer *w)
{
    int32_t size[3];
    double least = INFINITY;
    vxe_scene_size(w->scene, size);
    if (!vxe_scene_has_field(w->scene, VXE_FIELD_GROWTH_TIME)) return 0.0;
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                if (vxe_scene_voxel(w->scene, i, j, k) != 0 && !(left_of(w, i, j, k) > 0.0))
                    least = fmin(least, field_of(w, VXE_FIELD_GROWTH_TIME, i, j, k));
            }
        }
    }
    return isfinite(least) ? least : 0.0;
}

static void add_evosoro_environment(vxa_writer *w, xmlNode *environment)
{
    const vxe_environment *e = &w->environment;
    const vxe_experiment x = vxe_scene_experiment(w->scene);
    if (e->drag > 0.0) {
        add_switch(w, environment, "FluidEnvironment", true);
        add_number(w, environment, "AggregateDragCoefficient", e->drag);
    }
    if (e->floor_sticky) add_switch(w, environment, "StickyFloor", true);
    if (e->floor_radius > 0.0) add_number(w, environment, "FloorRadius", e->floor_radius);
    const bool water = e->drag > 0.0 || (w->signal != NULL && w->signal->size_max == 0.0);
    if (water && e->drag == 0.0) add_switch(w, environment, "FluidEnvironment", false);
    if (!water && w->signal != NULL && w->signal->size_max > 1.0)
        add_number(w, environment, "GrowthAmplitude", w->signal->size_max - 1.0);
    const double least = least_growth(w);
    if (!water && least > 0.0) add_number(w, environment, "MinGrowthTime", least);
    if (x.trace_every > 0.0) {
        add_switch(w, environment, "SaveTraces", true);
        add_number(w, environment, "TimeBetweenTraces", x.trace_every);
    }
    if (x.by_volume) add_switch(w, environment, "NormDistByVol", true);
    if (x.by_volume || x.volume_exponent != 0.0)
        add_number(w, environment, "NormalizationExponent", x.volume_exponent);
}

static void add_environment(vxa_writer *w, xmlNode *root)
{
    const vxe_environment *e = &w->environment;
    xmlNode *environment = add_group(w, root, "Environment");
    add_regions(w, environment);
    xmlNode *gravity = add_group(w, environment, "Gravity");
    const bool leans = w->dialect == VXE_DIALECT_EVOSORO && e->gravity[0] != 0.0 && e->gravity[1] == 0.0;
    const double size =
        leans ? -sqrt(e->gravity[0] * e->gravity[0] + e->gravity[2] * e->gravity[2]) : e->gravity[2];
    add_switch(w, gravity, "GravEnabled", size != 0.0);
    add_number(w, gravity, "GravAcc", size);
    add_switch(w, gravity, "FloorEnabled", e->floor);
    if (leans)
        add_number(w, gravity, "FloorSlope",
                   atan2(-e->gravity[0], -e->gravity[2]) * (180.0 / 3.14159265358979323846));
    xmlNode *thermal = add_group(w, environment, "Thermal");
    const vxe_signal_def none = {.period = 0.1, .base = 25.0, .reference = 25.0};
    const vxe_signal_def *s = w->signal != NULL ? w->signal : &none;
    const bool varies = s->amplitude != 0.0;
    const double amplitude = varies ? s->amplitude : s->base - s->reference;
    add_switch(w, thermal, "TempEnabled", true);
    add_number(w, thermal, "TempAmplitude", amplitude);
    add_number(w, thermal, "TempAmp", s->reference + amplitude);
    add_number(w, thermal, "TempBase", s->reference);
    add_switch(w, thermal, "VaryTempEnabled", varies);
    add_number(w, thermal, "TempPeriod", s->period);
    if (w->dialect == VXE_DIALECT_EVOSORO) add_evosoro_environment(w, environment);
}

/* --- the object --- */

static void add_curve(vxa_writer *w, xmlNode *mechanical, const vxe_material_def *def)
{
    xmlNode *data = add_group(w, mechanical, "SSData");
    add_number(w, data, "NumDataPts", def->table_count);
    xmlNode *strain = add_group(w, data, "StrainData");
    xmlNode *stress = add_group(w, data, "StressData");
    for (int32_t i = 0; i < def->table_count; i++) {
        add_number(w, strain, "Strain", def->table_strain[i]);
        add_number(w, stress, "Stress", def->table_stress[i]);
    }
}

static void add_material(vxa_writer *w, xmlNode *palette, int32_t number)
{
    const vxe_material_def *def = vxe_scene_material(w->scene, number);
    char id[16];
    (void)snprintf(id, sizeof id, "%d", (int)number);
    xmlNode *material = add_group(w, palette, "Material");
    add_attribute(w, material, "ID", id);
    add_text(w, material, "MatType", "0");
    add_text(w, material, "Name", def->name);
    xmlNode *display = add_group(w, material, "Display");
    static const char *const colors[4] = {"Red", "Green", "Blue", "Alpha"};
    for (int c = 0; c < 4; c++) add_number(w, display, colors[c], def->color[c] / 255.0);
    xmlNode *m = add_group(w, material, "Mechanical");
    const char *model = def->law == VXE_LAW_TABLE      ? "3"
                        : def->law == VXE_LAW_BILINEAR ? "2"
                        : def->failure_stress > 0.0    ? "1"
                                                       : "0";
    add_text(w, m, "MatModel", model);
    if (def->law == VXE_LAW_TABLE) add_curve(w, m, def);
    add_number(w, m, "Elastic_Mod", def->youngs_modulus);
    add_number(w, m, "Plastic_Mod", def->plastic_modulus);
    add_number(w, m, "Yield_Stress", def->yield_stress);
    add_text(w, m, "FailModel", "0");
    add_number(w, m, "Fail_Stress", def->failure_stress);
    add_text(w, m, "Fail_Strain", "0");
    add_number(w, m, "Density", def->density);
    add_number(w, m, "Poissons_Ratio", def->poissons_ratio);
    add_number(w, m, "CTE", def->expansion);
    add_text(w, m, "MaterialTempPhase", "0");
    add_number(w, m, "uStatic", def->static_friction);
    add_number(w, m, "uDynamic", def->dynamic_friction);
    if (w->dialect != VXE_DIALECT_VOXCRAFT) return;
    if (def->target) add_switch(w, m, "isTarget", true);
    if (def->unmeasured) add_switch(w, m, "isMeasured", false);
    if (def->fixed) add_switch(w, m, "Fixed", true);
    if (def->delay > 0.0) add_number(w, m, "TurnOnThermalExpansionAfterThisManySeconds", def->delay);
    if (has_cilia(w)) add_number(w, m, "Cilia", w->cilia[number]);
}

/* Layers as characters up to 78 materials, in base 64 beyond; what does not fit in a byte is left to the
 * delta. */
static void add_layers(vxa_writer *w, xmlNode *structure)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    int32_t size[3];
    vxe_scene_size(w->scene, size);
    const uint16_t *voxels = vxe_scene_voxels(w->scene);
    /* 45, 45, 14 would spell the end of CDATA */
    const bool characters = vxe_scene_material_count(w->scene) < 45;
    const size_t area = (size_t)size[0] * (size_t)size[1];
    char *text = malloc(area / 3 * 4 + 8 + area);
    if (text == NULL) {
        w->failed = true;
        return;
    }
    add_attribute(w, structure, "Compression", characters ? "ASCII_READABLE" : "BASE64");
    xmlNode *data = add_group(w, structure, "Data");
    for (int32_t k = 0; k < size[2] && !w->failed; k++) {
        const uint16_t *layer = voxels + (size_t)k * area;
        size_t used = 0;
        if (characters) {
            for (size_t i = 0; i < area; i++) text[used++] = (char)(48 + layer[i]);
        } else {
            for (size_t i = 0; i < area; i += 3) {
                uint32_t bits = 0;
                for (size_t n = 0; n < 3; n++)
                    bits = bits << 8 | (i + n < area && layer[i + n] < 256 ? layer[i + n] : 0U);
                for (size_t n = 0; n < 4; n++)
                    text[used++] = i + n > area ? '=' : digits[bits >> (18 - 6 * n) & 63];
            }
        }
        add_cdata(w, data, "Layer", text, used);
    }
    free(text);
}

/* One number per cell, or three. */
typedef double number_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part);

static void add_block(vxa_writer *w, xmlNode *structure, const char *tag, int per, number_of *number)
{
    int32_t size[3];
    vxe_scene_size(w->scene, size);
    xmlNode *block = add_group(w, structure, tag);
    const size_t room = (size_t)size[0] * (size_t)size[1] * (size_t)per * (VXE_NUMBER_SIZE + 2) + 1;
    char *text = malloc(room);
    if (text == NULL) {
        w->failed = true;
        return;
    }
    for (int32_t k = 0; k < size[2] && !w->failed; k++) {
        size_t used = 0;
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                for (int p = 0; p < per; p++) {
                    char value[VXE_NUMBER_SIZE];
                    vxe_print_number(value, number(w, i, j, k, p));
                    used += (size_t)snprintf(text + used, room - used, "%s,", value);
                }
            }
        }
        add_cdata(w, block, "Layer", text, used);
    }
    free(text);
}

static double phase_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part)
{
    (void)part;
    const vxe_actuation a = vxe_scene_actuation(w->scene, i, j, k);
    return w->dialect == VXE_DIALECT_VOXCRAFT ? a.phase * a.period : a.phase;
}
static double amplitude_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part)
{
    (void)part;
    return vxe_scene_actuation(w->scene, i, j, k).amplitude;
}
static double frequency_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part)
{
    (void)part;
    return 1.0 / vxe_scene_actuation(w->scene, i, j, k).period;
}
static double stiffness_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part)
{
    (void)part;
    return vxe_scene_field(w->scene, VXE_FIELD_STIFFNESS, i, j, k);
}
static double cilia_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part)
{
    const double force = vxe_scene_field(w->scene, (vxe_field)(VXE_FIELD_CILIA_X + part), i, j, k);
    return force != 0.0 ? force / w->cilia[vxe_scene_voxel(w->scene, i, j, k)] : 0.0;
}

/* Growth as evosoro's files say it: sizes in parts of GrowthAmplitude, times in parts of a life. */
static double first_size_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part)
{
    (void)part;
    return field_of(w, VXE_FIELD_SIZE_START, i, j, k) / (w->signal->size_max - 1.0);
}

static double last_size_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part)
{
    (void)part;
    return field_of(w, VXE_FIELD_SIZE_END, i, j, k) / (w->signal->size_max - 1.0);
}

static double last_phase_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part)
{
    return phase_of(w, i, j, k, part) + field_of(w, VXE_FIELD_PHASE_CHANGE, i, j, k);
}

static double last_amplitude_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part)
{
    return amplitude_of(w, i, j, k, part) + field_of(w, VXE_FIELD_AMPLITUDE_CHANGE, i, j, k);
}

static double growth_begin_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part)
{
    const double begin = vxe_scene_experiment(w->scene).begin;
    (void)part;
    return (field_of(w, VXE_FIELD_GROWTH_BEGIN, i, j, k) - begin) / (life_of(w) - begin);
}

static double growth_time_of(const vxa_writer *w, int32_t i, int32_t j, int32_t k, int part)
{
    const double left = left_of(w, i, j, k);
    (void)part;
    return left > 0.0 ? field_of(w, VXE_FIELD_GROWTH_TIME, i, j, k) / left : 0.0;
}

static void add_growth(vxa_writer *w, xmlNode *structure)
{
    const bool sized = vxe_scene_has_field(w->scene, VXE_FIELD_SIZE_START) ||
                       vxe_scene_has_field(w->scene, VXE_FIELD_SIZE_END);
    const bool phased = vxe_scene_has_field(w->scene, VXE_FIELD_PHASE_CHANGE);
    const bool damped = vxe_scene_has_field(w->scene, VXE_FIELD_AMPLITUDE_CHANGE);
    if (sized && w->signal != NULL && w->signal->size_max > 1.0) { /* else there is no GrowthAmplitude */
        if (vxe_scene_has_field(w->scene, VXE_FIELD_SIZE_START))
            add_block(w, structure, "InitialVoxelSize", 1, first_size_of);
        add_block(w, structure, "FinalVoxelSize", 1, last_size_of);
    }
    if (phased) add_block(w, structure, "FinalPhaseOffset", 1, last_phase_of);
    if (damped) add_block(w, structure, "FinalTempAmpDamp", 1, last_amplitude_of);
    if (!(sized || phased || damped) || !(life_of(w) > vxe_scene_experiment(w->scene).begin)) return;
    add_block(w, structure, "StartGrowthTime", 1, growth_begin_of);
    add_block(w, structure, "GrowthTime", 1, growth_time_of);
}

static void add_blocks(vxa_writer *w, xmlNode *structure)
{
    int32_t size[3];
    vxe_scene_size(w->scene, size);
    bool special[3] = {false, false, false};
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                const vxe_actuation a = vxe_scene_actuation(w->scene, i, j, k);
                special[0] = special[0] || a.phase != 0.0;
                special[1] = special[1] || a.amplitude != 1.0;
                special[2] = special[2] || a.period != 1.0;
            }
        }
    }
    if (w->dialect == VXE_DIALECT_VOXCAD) return;
    if (special[0]) add_block(w, structure, "PhaseOffset", 1, phase_of);
    if (w->dialect == VXE_DIALECT_EVOSORO) {
        const bool water = w->environment.drag > 0.0 || (w->signal != NULL && w->signal->size_max == 0.0);
        if (vxe_scene_has_field(w->scene, VXE_FIELD_STIFFNESS))
            add_block(w, structure, "Stiffness", 1, stiffness_of);
        if (special[1] && !water) add_block(w, structure, "TempAmpDamp", 1, amplitude_of);
        if (!water) add_growth(w, structure);
        return;
    }
    if (special[1]) add_block(w, structure, "Amplitude", 1, amplitude_of);
    if (special[2]) add_block(w, structure, "Frequency", 1, frequency_of);
    if (has_cilia(w)) add_block(w, structure, "BaseCiliaForce", 3, cilia_of);
}

static void fill_object(vxa_writer *w, xmlNode *object)
{
    int32_t size[3];
    vxe_scene_size(w->scene, size);
    add_attribute(w, object, "Version", "0.94");
    xmlNode *lattice = add_group(w, object, "Lattice");
    add_number(w, lattice, "Lattice_Dim", vxe_scene_pitch(w->scene));
    static const char *const ones[3] = {"X_Dim_Adj", "Y_Dim_Adj", "Z_Dim_Adj"};
    static const char *const zeros[4] = {"X_Line_Offset", "Y_Line_Offset", "X_Layer_Offset",
                                         "Y_Layer_Offset"};
    for (int i = 0; i < 3; i++) add_text(w, lattice, ones[i], "1");
    for (int i = 0; i < 4; i++) add_text(w, lattice, zeros[i], "0");
    xmlNode *voxel = add_group(w, object, "Voxel");
    add_text(w, voxel, "Vox_Name", "BOX");
    xmlNode *palette = add_group(w, object, "Palette");
    for (int32_t m = 1; m <= vxe_scene_material_count(w->scene); m++) add_material(w, palette, m);
    xmlNode *structure = add_group(w, object, "Structure");
    static const char *const sides[3] = {"X_Voxels", "Y_Voxels", "Z_Voxels"};
    for (int a = 0; a < 3; a++) add_number(w, structure, sides[a], size[a]);
    add_layers(w, structure);
    add_blocks(w, structure);
}

/* --- pieces that came with the scene --- */

/* The element at "VXC/Palette/Material#2/Mechanical" below the root; made where it is missing, but not a
 * numbered one. */
static xmlNode *find_place(xmlNode *root, const char *path)
{
    const char *mark = strrchr(path, '#');
    const int number = mark != NULL ? atoi(mark + 1) : 1;
    xmlNode *at = root;
    const char *end = mark != NULL ? mark : path + strlen(path);
    while (at != NULL && path < end) {
        const size_t length = strcspn(path, "/#");
        char name[128];
        if (length == 0 || length >= sizeof name) return NULL;
        memcpy(name, path, length);
        name[length] = '\0';
        xmlNode *next = NULL;
        if (vxe_xml_is(root, "VXC") && at == root && strcmp(name, "VXC") == 0) {
            next = root;
        } else {
            next = vxe_xml_peek(at, name);
            const bool repeated = strcmp(name, "Material") == 0 || strcmp(name, "FRegion") == 0;
            for (int n = 1; repeated && n < number && next != NULL; n++) {
                do {
                    next = vxe_xml_after(next);
                } while (next != NULL && !vxe_xml_is(next, name));
            }
            if (next == NULL && !repeated && xmlValidateNCName((const xmlChar *)name, 0) == 0)
                next = xmlNewChild(at, NULL, (const xmlChar *)name, NULL);
        }
        at = next;
        path += length;
        if (*path == '/') path++;
    }
    return at;
}

static void add_foreign(const vxe_scene *scene, xmlDoc *document)
{
    xmlNode *root = xmlDocGetRootElement(document);
    const char *path = NULL;
    const char *text = NULL;
    for (int32_t n = 0; vxe_scene_foreign(scene, n, &path, &text); n++) {
        xmlDoc *piece = NULL;
        if (vxe_xml_parse(text, strlen(text), "foreign", &piece, NULL) != VXE_OK) continue;
        xmlNode *element = xmlDocGetRootElement(piece);
        xmlNode *place = find_place(root, path);
        const bool object_only = vxe_xml_is(root, "VXC") && strncmp(path, "VXC", 3) != 0;
        if (place != NULL && !object_only && vxe_xml_peek(place, (const char *)element->name) == NULL) {
            xmlNode *copy = xmlDocCopyNode(element, document, 1);
            if (copy != NULL) (void)xmlAddChild(place, copy);
        }
        xmlFreeDoc(piece);
    }
}

/* --- the whole --- */

vxe_result vxe_vxa_print(const vxe_scene *scene, bool only_object, vxe_notes *notes, char **text,
                         size_t *size, vxe_error *error)
{
    vxa_writer w = {.scene = scene,
                    .dialect = vxe_scene_experiment(scene).dialect,
                    .environment = vxe_scene_environment(scene),
                    .signal = vxe_scene_signal(scene, 0)};
    if (w.dialect == VXE_DIALECT_AUTO) w.dialect = VXE_DIALECT_VOXCAD;
    xmlDoc *document = xmlNewDoc((const xmlChar *)"1.0");
    xmlNode *root = document == NULL
                        ? NULL
                        : xmlNewDocNode(document, NULL, (const xmlChar *)(only_object ? "VXC" : "VXA"), NULL);
    if (root == NULL) {
        if (document != NULL) xmlFreeDoc(document);
        return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the file");
    }
    (void)xmlDocSetRootElement(document, root);
    find_cilia(&w);
    if (w.failed) {
        /* there is not enough memory: below */
    } else if (only_object) {
        fill_object(&w, root);
    } else {
        add_attribute(&w, root, "Version", "1.1");
        add_simulator(&w, root);
        add_environment(&w, root);
        fill_object(&w, add_group(&w, root, "VXC"));
    }
    vxe_result result = VXE_OK;
    if (!w.failed) {
        add_foreign(scene, document);
        result = vxe_vxa_add_delta(scene, document, w.dialect, notes, error);
    }
    xmlChar *dumped = NULL;
    int length = 0;
    if (result == VXE_OK && !w.failed) xmlDocDumpFormatMemoryEnc(document, &dumped, &length, "UTF-8", 1);
    if (result == VXE_OK && (w.failed || dumped == NULL))
        result = vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the file");
    xmlFreeDoc(document);
    free(w.cilia);
    if (result != VXE_OK) return result;
    *text = (char *)dumped;
    *size = (size_t)length;
    return VXE_OK;
}

static vxe_result save(const vxe_scene *scene, const char *path, bool only_object, vxe_notes *notes,
                       vxe_error *error)
{
    char *text = NULL;
    size_t size = 0;
    vxe_result result = vxe_vxa_print(scene, only_object, notes, &text, &size, error);
    if (result != VXE_OK) return result;
    result = vxe_write_file(path, text, size, error);
    xmlFree(text);
    return result;
}

vxe_result vxe_vxa_save(const vxe_scene *scene, const char *path, vxe_notes *notes, vxe_error *error)
{
    return save(scene, path, false, notes, error);
}

vxe_result vxe_vxc_save(const vxe_scene *scene, const char *path, vxe_notes *notes, vxe_error *error)
{
    return save(scene, path, true, notes, error);
}
