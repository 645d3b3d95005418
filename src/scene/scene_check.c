/* Every rule that a part of a scene must obey, once: the functions that add and set use those of one def,
 * vxe_scene_check() (scene_whole.c) uses them all. A message says what is wrong
 * with what: `material "gel": Poisson's ratio 0.6 is not within 0 to 0.49`. Upper limits without a physical
 * reason keep products of numbers far from overflow. */
#include "scene/scene.h"

#include "base/base.h"
#include "scene/choices.h"

#include <math.h>
#include <string.h>

#define LENGTH_MOST 1e9      /* m; also voxels and fractions */
#define TIME_MOST 1e12       /* s */
#define STRESS_MOST 1e15     /* Pa */
#define FORCE_MOST 1e15      /* N and N m */
#define TEMPERATURE_MOST 1e9 /* K */
#define FACTOR_MOST 1e9      /* factors and phases */
#define TRAIT_MOST 1e12      /* numbers of voxels that mean something only to formulas */

static const char *const axis_names[3] = {"x", "y", "z"};

/* --- words --- */

/* What a message is about, as `material "gel"`. */
typedef struct subject {
    char text[VXE_NAME_SIZE + 32];
} subject;

static subject name_subject(const char *kind, const char *name)
{
    subject s;
    (void)snprintf(s.text, sizeof s.text, "%s \"%s\"", kind, name);
    return s;
}

/* A name that can stand in a message: terminated, not empty, text on one line. */
static vxe_result check_name(const char *kind, const char name[VXE_NAME_SIZE], vxe_error *error)
{
    if (memchr(name, '\0', VXE_NAME_SIZE) == NULL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: the name is longer than %d bytes", kind,
                        VXE_NAME_SIZE - 1);
    }
    if (name[0] == '\0') return vxe_fail(error, VXE_ERROR_INPUT, "%s: the name is empty", kind);
    if (!vxe_valid_text(name) || strpbrk(name, "\t\n") != NULL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: the name is not valid UTF-8 or has control characters",
                        kind);
    }
    return VXE_OK;
}

/* `WHO: WHAT VALUE is not within LEAST to MOST UNIT` */
static vxe_result check_number(const char *who, const char *what, double value, double least, double most,
                               const char *unit, vxe_error *error)
{
    if (!isfinite(value)) return vxe_fail(error, VXE_ERROR_INPUT, "%s: %s is not a finite number", who, what);
    if (value < least || value > most) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: %s %.9g is not within %g to %g%s%s", who, what, value,
                        least, most, unit[0] == '\0' ? "" : " ", unit);
    }
    return VXE_OK;
}

/* The same for three components: `WHO: WHAT x VALUE is ...` */
static vxe_result check_vector(const char *who, const char *what, const double value[3], double least,
                               double most, const char *unit, vxe_error *error)
{
    for (int a = 0; a < 3; a++) {
        char component[48];
        (void)snprintf(component, sizeof component, "%s %s", what, axis_names[a]);
        const vxe_result result = check_number(who, component, value[a], least, most, unit, error);
        if (result != VXE_OK) return result;
    }
    return VXE_OK;
}

static vxe_result check_choice(const char *who, const char *what, int value, int least, int most,
                               vxe_error *error)
{
    if (value >= least && value <= most) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_INPUT, "%s: %s %d is none of the choices (%d to %d)", who, what, value,
                    least, most);
}

/* One row of a list of numbers with their ranges. */
typedef struct number_rule {
    const char *what;
    double value;
    double least;
    double most;
    const char *unit;
} number_rule;

static vxe_result check_numbers(const char *who, const number_rule *rules, size_t count, vxe_error *error)
{
    for (size_t n = 0; n < count; n++) {
        const vxe_result result = check_number(who, rules[n].what, rules[n].value, rules[n].least,
                                               rules[n].most, rules[n].unit, error);
        if (result != VXE_OK) return result;
    }
    return VXE_OK;
}

/* --- the workspace --- */

vxe_result vxe_check_workspace(double pitch, const int32_t size[3], vxe_error *error)
{
    const vxe_result result = check_number("workspace", "pitch", pitch, 1e-9, 1e3, "m", error);
    if (result != VXE_OK) return result;
    for (int a = 0; a < 3; a++) {
        if (size[a] < 1) {
            return vxe_fail(error, VXE_ERROR_INPUT, "workspace: side %s has %d voxels, fewer than 1",
                            axis_names[a], size[a]);
        }
        if (size[a] > VXE_SIDE_MAX) {
            return vxe_fail(error, VXE_ERROR_LIMIT, "workspace: side %s has %d voxels, more than %d",
                            axis_names[a], size[a], VXE_SIDE_MAX);
        }
    }
    const int64_t cells =
        (int64_t)size[0] * size[1] * size[2]; /* at most VXE_SIDE_MAX^3 = 1e18: no overflow */
    if (cells > VXE_CELLS_MAX) {
        return vxe_fail(error, VXE_ERROR_LIMIT, "workspace: %d x %d x %d are %lld cells, more than %lld",
                        size[0], size[1], size[2], (long long)cells, (long long)VXE_CELLS_MAX);
    }
    return VXE_OK;
}

static vxe_result check_text(const char *what, const char *text, size_t most, vxe_error *error)
{
    if (text == NULL) return VXE_OK;
    const size_t length = strlen(text);
    if (length > most) {
        return vxe_fail(error, VXE_ERROR_INPUT, "scene: the %s has %zu bytes, more than %zu", what, length,
                        most);
    }
    if (!vxe_valid_text(text)) {
        return vxe_fail(error, VXE_ERROR_INPUT, "scene: the %s is not valid UTF-8 or has control characters",
                        what);
    }
    return VXE_OK;
}

vxe_result vxe_check_description(const char *name, const char *description, vxe_error *error)
{
    const vxe_result result = check_text("name", name, VXE_SCENE_NAME_MAX, error);
    return result != VXE_OK ? result
                            : check_text("description", description, VXE_SCENE_DESCRIPTION_MAX, error);
}

/* --- materials --- */

static vxe_result check_bilinear(const char *who, const vxe_material_def *def, vxe_error *error)
{
    if (def->law != VXE_LAW_BILINEAR) {
        if (def->yield_stress != 0.0) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "%s: yield stress %.9g Pa belongs to the bilinear law only", who,
                            def->yield_stress);
        }
        if (def->plastic_modulus != 0.0) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "%s: plastic modulus %.9g Pa belongs to the bilinear law only", who,
                            def->plastic_modulus);
        }
        return VXE_OK;
    }
    if (def->yield_stress <= 0.0) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: yield stress %.9g Pa is not above 0", who,
                        def->yield_stress);
    }
    if (def->plastic_modulus >= def->youngs_modulus) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: plastic modulus %.9g Pa is not below Young's modulus %.9g Pa", who,
                        def->plastic_modulus, def->youngs_modulus);
    }
    if (def->failure_stress != 0.0 && def->failure_stress <= def->yield_stress) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: failure stress %.9g Pa is not above the yield stress %.9g Pa", who,
                        def->failure_stress, def->yield_stress);
    }
    return VXE_OK;
}

static vxe_result check_table(const char *who, const vxe_material_def *def, vxe_error *error)
{
    const int32_t count = def->table_count;
    if (def->law != VXE_LAW_TABLE) {
        if (count == 0) return VXE_OK;
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: a table of %d points belongs to the table law only", who,
                        count);
    }
    if (count < 2 || count > VXE_TABLE_MAX) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: the table has %d points, not 2 to %d", who, count,
                        VXE_TABLE_MAX);
    }
    const double *strain = def->table_strain;
    const double *stress = def->table_stress;
    for (int32_t n = 0; n < count; n++) {
        char what[48];
        (void)snprintf(what, sizeof what, "strain of table point %d", n + 1);
        vxe_result result = check_number(who, what, strain[n], 0.0, 1e3, "", error);
        (void)snprintf(what, sizeof what, "stress of table point %d", n + 1);
        if (result == VXE_OK) result = check_number(who, what, stress[n], 0.0, STRESS_MOST, "Pa", error);
        if (result != VXE_OK) return result;
    }
    if (strain[0] != 0.0 || stress[0] != 0.0) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: the table starts at strain %.9g and stress %.9g Pa, not at 0 and 0", who,
                        strain[0], stress[0]);
    }
    for (int32_t n = 1; n < count; n++) {
        if (strain[n] <= strain[n - 1]) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "%s: strain %.9g of table point %d is not above %.9g, the one before", who,
                            strain[n], n + 1, strain[n - 1]);
        }
        if (stress[n] < stress[n - 1]) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "%s: stress %.9g Pa of table point %d is below %.9g Pa, the one before", who,
                            stress[n], n + 1, stress[n - 1]);
        }
    }
    for (int32_t n = 2; n < def->table_count;
         n++) { /* beyond yield a material is softer: unloading follows E */
        const double rise = (stress[n] - stress[n - 1]) / (strain[n] - strain[n - 1]);
        if (rise > def->youngs_modulus * (1.0 + 1e-6)) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "%s: the table's slope %.9g Pa up to point %d is above Young's modulus %.9g Pa",
                            who, rise, (int)n + 1, def->youngs_modulus);
        }
    }
    const double slope = stress[1] / strain[1];
    if (!(fabs(slope - def->youngs_modulus) <= 1e-6 * def->youngs_modulus)) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: the table's first slope %.9g Pa is not Young's modulus %.9g Pa", who, slope,
                        def->youngs_modulus);
    }
    return VXE_OK;
}

vxe_result vxe_check_material(const vxe_material_def *def, vxe_error *error)
{
    vxe_result result = check_name("material", def->name, error);
    if (result != VXE_OK) return result;
    const subject who = name_subject("material", def->name);
    const number_rule rules[] = {
        {"Young's modulus", def->youngs_modulus, 1e-3, STRESS_MOST, "Pa"},
        {"Poisson's ratio", def->poissons_ratio, 0.0, 0.49, ""},
        {"density", def->density, 1e-6, 1e9, "kg/m^3"},
        {"expansion", def->expansion, -1e3, 1e3, "1/K"},
        {"static friction", def->static_friction, 0.0, 1e3, ""},
        {"dynamic friction", def->dynamic_friction, 0.0, 1e3, ""},
        {"yield stress", def->yield_stress, 0.0, STRESS_MOST, "Pa"},
        {"plastic modulus", def->plastic_modulus, 0.0, STRESS_MOST, "Pa"},
        {"failure stress", def->failure_stress, 0.0, STRESS_MOST, "Pa"},
        {"delay", def->delay, 0.0, TIME_MOST, "s"},
        {"ground damping", def->ground_damping, 0.0, 1e3, ""},
    };
    result = check_numbers(who.text, rules, sizeof rules / sizeof rules[0], error);
    if (result != VXE_OK) return result;
    if (def->static_friction < def->dynamic_friction) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: static friction %.9g is below dynamic friction %.9g",
                        who.text, def->static_friction, def->dynamic_friction);
    }
    result = check_choice(who.text, "law", (int)def->law, VXE_LAW_LINEAR, VXE_LAW_TABLE, error);
    if (result == VXE_OK) result = check_bilinear(who.text, def, error);
    if (result == VXE_OK) result = check_table(who.text, def, error);
    if (result == VXE_OK && def->rigid &&
        (def->law != VXE_LAW_LINEAR || def->failure_stress != 0.0 || def->expansion != 0.0)) {
        result = vxe_fail(error, VXE_ERROR_INPUT,
                          "%s: what is rigid is linear, does not fail and does not expand", who.text);
    }
    if (result != VXE_OK || def->signal[0] == '\0') return result;
    char kind[sizeof who.text + 16];
    (void)snprintf(kind, sizeof kind, "%s: signal", who.text);
    return check_name(kind, def->signal, error);
}

/* --- shapes and regions --- */

vxe_result vxe_check_shape(const char *owner, const vxe_shape *shape, vxe_error *error)
{
    vxe_result result =
        check_choice(owner, "kind of shape", (int)shape->kind, VXE_SHAPE_BOX, VXE_SHAPE_CELLS, error);
    if (result == VXE_OK) {
        result = check_choice(owner, "units", (int)shape->units, VXE_UNITS_METRES, VXE_UNITS_VOXELS, error);
    }
    if (result == VXE_OK)
        result = check_choice(owner, "touch", (int)shape->touch, VXE_TOUCH_OVERLAP, VXE_TOUCH_REACH, error);
    if (result != VXE_OK) return result;
    if (shape->touch == VXE_TOUCH_REACH && shape->kind != VXE_SHAPE_SPHERE)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: only a sphere can touch by reach", owner);
    if (shape->kind == VXE_SHAPE_CELLS) {
        if (shape->cell_count < 1 || shape->cells == NULL)
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: the list of cells is empty", owner);
        return VXE_OK;
    }
    const char *unit = shape->units == VXE_UNITS_METRES   ? "m"
                       : shape->units == VXE_UNITS_VOXELS ? "voxels"
                                                          : "of the workspace";
    if (shape->kind == VXE_SHAPE_BOX) {
        result = check_vector(owner, "corner", shape->corner, -LENGTH_MOST, LENGTH_MOST, unit, error);
        if (result == VXE_OK)
            result = check_vector(owner, "size", shape->sides, 0.0, LENGTH_MOST, unit, error);
    } else {
        result = check_vector(owner, "center", shape->center, -LENGTH_MOST, LENGTH_MOST, unit, error);
        if (result != VXE_OK) return result;
        if (shape->kind == VXE_SHAPE_ELLIPSOID) {
            result = check_vector(owner, "radius", shape->radius, 0.0, LENGTH_MOST, unit, error);
        } else {
            result = check_number(owner, "radius", shape->radius[0], 0.0, LENGTH_MOST, unit, error);
        }
    }
    if (result == VXE_OK && shape->kind == VXE_SHAPE_CYLINDER) {
        result = check_choice(owner, "axis", (int)shape->axis, VXE_AXIS_X, VXE_AXIS_Z, error);
        if (result == VXE_OK)
            result = check_number(owner, "length", shape->length, 0.0, LENGTH_MOST, unit, error);
    }
    if (result == VXE_OK)
        result = check_number(owner, "thickness", shape->thickness, 0.0, LENGTH_MOST, unit, error);
    return result;
}

static bool is_zero(const double v[3]) { return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0; }

vxe_result vxe_check_region(const vxe_region_def *def, vxe_error *error)
{
    vxe_result result = check_name("region", def->name, error);
    if (result != VXE_OK) return result;
    const subject who = name_subject("region", def->name);
    result = vxe_check_shape(who.text, &def->shape, error);
    if (result == VXE_OK)
        result =
            check_vector(who.text, "displacement", def->displacement, -LENGTH_MOST, LENGTH_MOST, "m", error);
    if (result == VXE_OK) result = check_vector(who.text, "rotation", def->rotation, -1e6, 1e6, "rad", error);
    if (result == VXE_OK && def->has_pivot) {
        result = check_vector(who.text, "pivot", def->pivot, -LENGTH_MOST, LENGTH_MOST, "m", error);
    }
    if (result == VXE_OK)
        result = check_vector(who.text, "force", def->force, -FORCE_MOST, FORCE_MOST, "N", error);
    if (result == VXE_OK)
        result = check_vector(who.text, "torque", def->torque, -FORCE_MOST, FORCE_MOST, "N m", error);
    if (result == VXE_OK) result = check_number(who.text, "ramp", def->ramp, 0.0, TIME_MOST, "s", error);
    if (result != VXE_OK) return result;
    if ((def->fixed & ~(uint32_t)VXE_DOF_ALL) != 0) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: fixed has bits 0x%x that are not degrees of freedom",
                        who.text, (unsigned)(def->fixed & ~(uint32_t)VXE_DOF_ALL));
    }
    if (def->clamp && def->fixed != VXE_DOF_ALL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: a clamp needs all six degrees of freedom fixed",
                        who.text);
    }
    if (def->in_place && !is_zero(def->rotation) && (def->fixed & VXE_DOF_TURN) != VXE_DOF_TURN) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: a rotation needs all three rotations fixed", who.text);
    }
    if (!def->in_place && !is_zero(def->rotation) && def->fixed != VXE_DOF_ALL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: a rotation needs all six degrees of freedom fixed",
                        who.text);
    }
    for (int a = 0; a < 3; a++) {
        if (def->displacement[a] != 0.0 && (def->fixed & ((uint32_t)VXE_DOF_X << a)) == 0) {
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: a displacement along %s needs %s fixed", who.text,
                            axis_names[a], axis_names[a]);
        }
    }
    return VXE_OK;
}

vxe_result vxe_check_region_name(const vxe_scene *scene, const char *name, int32_t self, vxe_error *error)
{
    for (int32_t n = 0; n < scene->region_count; n++) {
        if (n != self && strcmp(scene->regions[n].name, name) == 0) {
            return vxe_fail(error, VXE_ERROR_INPUT, "region \"%s\": the name is already in use", name);
        }
    }
    return VXE_OK;
}

/* --- environment --- */

/* The axis across a plane, or -1. */
static int plane_normal(vxe_plane plane)
{
    switch (plane) {
    case VXE_PLANE_XY: return 2;
    case VXE_PLANE_XZ: return 1;
    case VXE_PLANE_YZ: return 0;
    case VXE_PLANE_NONE: break;
    }
    return -1;
}

/* In a plane, vectors have no component across it. */
static vxe_result check_in_plane(const char *who, const char *what, const double value[3], const char *unit,
                                 vxe_plane plane, vxe_error *error)
{
    const int normal = plane_normal(plane);
    if (normal < 0 || value[normal] == 0.0) return VXE_OK;
    return vxe_fail(error, VXE_ERROR_INPUT, "%s: %s %s %.9g %s leads out of the plane %s", who, what,
                    axis_names[normal], value[normal], unit, vxe_choice_word(vxe_planes, (int)plane));
}

/* In a plane, rotations and torques act about its normal only. */
static vxe_result check_about_normal(const char *who, const char *what, const double value[3],
                                     const char *unit, vxe_plane plane, vxe_error *error)
{
    const int normal = plane_normal(plane);
    for (int a = 0; normal >= 0 && a < 3; a++) {
        if (a != normal && value[a] != 0.0) {
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: %s %s %.9g %s leads out of the plane %s", who, what,
                            axis_names[a], value[a], unit, vxe_choice_word(vxe_planes, (int)plane));
        }
    }
    return VXE_OK;
}

vxe_result vxe_check_region_plane(const vxe_region_def *def, vxe_plane plane, vxe_error *error)
{
    const subject who = name_subject("region", def->name);
    vxe_result result = check_in_plane(who.text, "displacement", def->displacement, "m", plane, error);
    if (result == VXE_OK)
        result = check_about_normal(who.text, "rotation", def->rotation, "rad", plane, error);
    if (result == VXE_OK) result = check_in_plane(who.text, "force", def->force, "N", plane, error);
    if (result == VXE_OK) result = check_about_normal(who.text, "torque", def->torque, "N m", plane, error);
    return result;
}

vxe_result vxe_check_environment(const vxe_environment *environment, vxe_error *error)
{
    static const char who[] = "environment";
    const double *g = environment->gravity;
    const number_rule rules[] = {
        {"stretch damping", environment->damping_stretch, 0.0, 1e3, ""},
        {"rotation damping", environment->damping_rotation, 0.0, 1e3, ""},
        {"contact damping", environment->damping_contact, 0.0, 1e3, ""},
        {"ground damping", environment->damping_ground, 0.0, 1e3, ""},
        {"turning damping", environment->damping_turning, 0.0, 100.0, ""},
        {"collision horizon", environment->collision_horizon, 1.5, 10.0, "voxels"},
        {"collision distance", environment->collision_distance, 1.0, 1.5, "voxels"},
        {"floor radius", environment->floor_radius, 0.0, LENGTH_MOST, "m"},
        {"drag", environment->drag, 0.0, 1e12, "kg/m^3"},
        {"pause_begin", environment->pause_begin, 0.0, 1e12, "s"},
        {"pause_time", environment->pause_time, 0.0, 1e12, "s"},
        {"slow_window", environment->slow_window, 0.0, 1e12, "s"},
        {"slow_loss", environment->slow_loss, 0.0, 1.0, ""},
        {"slow_factor", environment->slow_factor, 0.0, 1.0, ""},
    };
    vxe_result result = check_vector(who, "gravity", g, -1e6, 1e6, "m/s^2", error);
    if (result == VXE_OK) {
        result = check_number(who, "magnitude of gravity", sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), 0.0,
                              1e6, "m/s^2", error);
    }
    if (result == VXE_OK) result = check_numbers(who, rules, sizeof rules / sizeof rules[0], error);
    if (result == VXE_OK) {
        result = check_choice(who, "elasticity", (int)environment->elasticity, VXE_ELASTICITY_SOLID,
                              VXE_ELASTICITY_BEAM, error);
    }
    if (result == VXE_OK)
        result = check_choice(who, "plane", (int)environment->plane, VXE_PLANE_NONE, VXE_PLANE_YZ, error);
    if (result == VXE_OK) {
        result = check_choice(who, "collisions", (int)environment->collisions, VXE_COLLISIONS_OFF,
                              VXE_COLLISIONS_SURFACE_HORIZON, error);
    }
    if (result == VXE_OK) result = check_in_plane(who, "gravity", g, "m/s^2", environment->plane, error);
    return result;
}

/* --- signals and actuation --- */

static vxe_result check_signal_table(const char *who, const vxe_signal_def *def, vxe_error *error)
{
    const int32_t count = def->table_count;
    if (def->waveform != VXE_WAVE_TABLE) {
        if (count == 0) return VXE_OK;
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: a table of %d points belongs to the table waveform only",
                        who, count);
    }
    if (count < 2 || count > VXE_SIGNAL_TABLE_MAX) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: the table has %d points, not 2 to %d", who, count,
                        VXE_SIGNAL_TABLE_MAX);
    }
    if (def->table_time == NULL || def->table_value == NULL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: the table has no times or no values", who);
    }
    for (int32_t n = 0; n < count; n++) {
        const double time = def->table_time[n];
        char what[48];
        (void)snprintf(what, sizeof what, "time of table point %d", n + 1);
        vxe_result result = check_number(who, what, time, 0.0, TIME_MOST, "s", error);
        (void)snprintf(what, sizeof what, "value of table point %d", n + 1);
        if (result == VXE_OK)
            result = check_number(who, what, def->table_value[n], -FACTOR_MOST, FACTOR_MOST, "", error);
        if (result != VXE_OK) return result;
        if (n == 0 && time != 0.0) {
            return vxe_fail(error, VXE_ERROR_INPUT, "%s: the table starts at time %.9g s, not at 0", who,
                            time);
        }
        if (n > 0 && time <= def->table_time[n - 1]) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "%s: time %.9g s of table point %d is not after %.9g s, the one before", who,
                            time, n + 1, def->table_time[n - 1]);
        }
    }
    if (def->period > 0.0 && def->table_time[count - 1] > def->period) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: the table ends at %.9g s, after the period of %.9g s",
                        who, def->table_time[count - 1], def->period);
    }
    return VXE_OK;
}

vxe_result vxe_check_signal(const vxe_signal_def *def, vxe_error *error)
{
    vxe_result result = check_name("signal", def->name, error);
    if (result != VXE_OK) return result;
    const subject who = name_subject("signal", def->name);
    result = check_choice(who.text, "waveform", (int)def->waveform, VXE_WAVE_SINE, VXE_WAVE_TABLE, error);
    if (result != VXE_OK) return result;
    const number_rule rules[] = {
        {"base", def->base, -TEMPERATURE_MOST, TEMPERATURE_MOST, "K"},
        {"reference", def->reference, -TEMPERATURE_MOST, TEMPERATURE_MOST, "K"},
        {"amplitude", def->amplitude, -TEMPERATURE_MOST, TEMPERATURE_MOST, "K"},
        {"phase", def->phase, -FACTOR_MOST, FACTOR_MOST, "cycles"},
        {"start", def->start, 0.0, TIME_MOST, "s"},
        {"delay", def->delay, 0.0, TIME_MOST, "s"},
        {"smallest size", def->size_min == 0.0 ? 0.1 : def->size_min, 0.1, 1.0, "pitches"},
        {"largest size", def->size_max == 0.0 ? 3.0 : def->size_max, 1.0, 3.0, "pitches"},
    };
    result = check_numbers(who.text, rules, sizeof rules / sizeof rules[0], error);
    if (result == VXE_OK && !(def->waveform == VXE_WAVE_TABLE && def->period == 0.0)) {
        result = check_number(who.text, "period", def->period, 1e-9, TIME_MOST, "s", error);
    }
    return result != VXE_OK ? result : check_signal_table(who.text, def, error);
}

vxe_result vxe_check_signal_name(const vxe_scene *scene, const char *name, int32_t self, vxe_error *error)
{
    for (int32_t n = 0; n < scene->signal_count; n++) {
        if (n != self && strcmp(scene->signals[n].name, name) == 0) {
            return vxe_fail(error, VXE_ERROR_INPUT, "signal \"%s\": the name is already in use", name);
        }
    }
    return VXE_OK;
}

vxe_result vxe_check_actuation(const cell_actuation *actuation, int32_t i, int32_t j, int32_t k,
                               vxe_error *error)
{
    char who[64];
    (void)snprintf(who, sizeof who, "voxel (%d,%d,%d)", i, j, k);
    const number_rule rules[] = {
        {"actuation phase", actuation->phase, -FACTOR_MOST, FACTOR_MOST, "cycles"},
        {"actuation amplitude", actuation->amplitude, -FACTOR_MOST, FACTOR_MOST, ""},
        {"actuation period", actuation->period, 1.0 / FACTOR_MOST, FACTOR_MOST, ""},
    };
    return check_numbers(who, rules, sizeof rules / sizeof rules[0], error);
}

/* --- stop and output --- */

vxe_result vxe_check_stop(const vxe_stop *stop, vxe_error *error)
{
    const number_rule rules[] = {
        {"time", stop->time, 0.0, TIME_MOST, "s"},
        {"cycles", stop->cycles, 0.0, TIME_MOST, ""},
        {"kinetic energy", stop->kinetic_energy, 0.0, 1e30, "J"},
        {"speed", stop->speed, 0.0, 1e15, "m/s"},
        {"settle", stop->settle, 0.0, TIME_MOST, "s"},
        {"energy change", stop->energy_change, 0.0, 1e30, "J"},
        {"movement", stop->movement, 0.0, LENGTH_MOST, "m"},
        {"after", stop->after, 0.0, TIME_MOST, "s"},
    };
    if (stop->settle_steps < 0 || stop->after_steps < 0)
        return vxe_fail(error, VXE_ERROR_INPUT, "stop: a number of steps is negative");
    if (stop->steps < 0) {
        return vxe_fail(error, VXE_ERROR_INPUT, "stop: steps %lld is negative", (long long)stop->steps);
    }
    return check_numbers("stop", rules, sizeof rules / sizeof rules[0], error);
}

vxe_result vxe_check_output(const vxe_output_def *output, vxe_error *error)
{
    const number_rule rules[] = {
        {"every", output->every, 0.0, TIME_MOST, "s"},
        {"checkpoint interval", output->checkpoint_every, 0.0, TIME_MOST, "s"},
    };
    const vxe_result result = check_numbers("output", rules, sizeof rules / sizeof rules[0], error);
    if (result != VXE_OK) return result;
    if (output->trace_count < 0 || output->trace_count > VXE_TRACE_MAX) {
        return vxe_fail(error, VXE_ERROR_INPUT, "output: the trace has %d names, not 0 to %d",
                        output->trace_count, VXE_TRACE_MAX);
    }
    for (int32_t n = 0; n < output->trace_count; n++) {
        const char *name = output->trace == NULL ? NULL : output->trace[n];
        if (name == NULL || name[0] == '\0')
            return vxe_fail(error, VXE_ERROR_INPUT, "output: trace name %d is empty", n + 1);
        if (strlen(name) > VXE_TRACE_NAME_MAX) {
            return vxe_fail(error, VXE_ERROR_INPUT, "output: trace name %d is longer than %d bytes", n + 1,
                            VXE_TRACE_NAME_MAX);
        }
        if (!vxe_valid_text(name) || strpbrk(name, "\t\n") != NULL) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "output: trace name %d is not valid UTF-8 or has control characters", n + 1);
        }
    }
    return VXE_OK;
}

/* --- fields and experiments --- */

vxe_result vxe_check_field(vxe_field field, double value, int32_t i, int32_t j, int32_t k, vxe_error *error)
{
    static const struct {
        double least;
        double most;
        const char *unit;
    } ranges[VXE_FIELD_COUNT] = {
        [VXE_FIELD_STIFFNESS] = {1e-3, STRESS_MOST, "Pa"},
        [VXE_FIELD_SIZE_START] = {-0.9, 2.0, "pitches"},
        [VXE_FIELD_SIZE_END] = {-0.9, 2.0, "pitches"},
        [VXE_FIELD_GROWTH_BEGIN] = {0.0, TIME_MOST, "s"},
        [VXE_FIELD_GROWTH_TIME] = {0.0, TIME_MOST, "s"},
        [VXE_FIELD_PHASE_CHANGE] = {-FACTOR_MOST, FACTOR_MOST, "cycles"},
        [VXE_FIELD_AMPLITUDE_CHANGE] = {-FACTOR_MOST, FACTOR_MOST, ""},
        [VXE_FIELD_CILIA_X] = {-FORCE_MOST, FORCE_MOST, "N"},
        [VXE_FIELD_CILIA_Y] = {-FORCE_MOST, FORCE_MOST, "N"},
        [VXE_FIELD_CILIA_Z] = {-FORCE_MOST, FORCE_MOST, "N"},
        [VXE_FIELD_PART] = {1.0, VXE_PARTS_MAX, ""},
        [VXE_FIELD_SHIFT_X] = {-FORCE_MOST, FORCE_MOST, "N"},
        [VXE_FIELD_SHIFT_Y] = {-FORCE_MOST, FORCE_MOST, "N"},
        [VXE_FIELD_SHIFT_Z] = {-FORCE_MOST, FORCE_MOST, "N"},
        [VXE_FIELD_TRAIT1] = {-TRAIT_MOST, TRAIT_MOST, ""},
        [VXE_FIELD_TRAIT2] = {-TRAIT_MOST, TRAIT_MOST, ""},
        [VXE_FIELD_TRAIT3] = {-TRAIT_MOST, TRAIT_MOST, ""},
        [VXE_FIELD_TRAIT4] = {-TRAIT_MOST, TRAIT_MOST, ""},
    };
    char who[64];
    (void)snprintf(who, sizeof who, "voxel (%d,%d,%d)", i, j, k);
    const vxe_result result = check_choice(who, "field", (int)field, 0, VXE_FIELD_COUNT - 1, error);
    if (result != VXE_OK || value == 0.0) return result;
    if (field == VXE_FIELD_PART && value != floor(value))
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: part %.9g is not a whole number", who, value);
    return check_number(who, vxe_field_name(field), value, ranges[field].least, ranges[field].most,
                        ranges[field].unit, error);
}

vxe_result vxe_check_part(const vxe_scene *scene, const vxe_part_def *def, int32_t self, vxe_error *error)
{
    const vxe_result result = check_name("part", def->name, error);
    if (result != VXE_OK) return result;
    for (int32_t n = 1; n <= scene->part_count; n++) {
        if (n != self && strcmp(scene->parts[n - 1].name, def->name) == 0)
            return vxe_fail(error, VXE_ERROR_INPUT, "part \"%s\": the name is already in use", def->name);
    }
    return VXE_OK;
}

/* Whether a file that a scene names stays in the folder of results. */
static bool is_inside_path(const char *path)
{
    if (path[0] == '/' || strpbrk(path, "\\:") != NULL || !vxe_valid_text(path)) return false;
    for (const char *part = path; part != NULL; part = strchr(part, '/')) {
        if (*part == '/') part++;
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0')) return false;
    }
    return true;
}

vxe_result vxe_check_experiment(const vxe_experiment *e, vxe_error *error)
{
    static const char who[] = "experiment";
    const number_rule rules[] = {
        {"trace interval", e->trace_every, 0.0, TIME_MOST, "s"},
        {"volume exponent", e->volume_exponent, -100.0, 100.0, ""},
        {"begin", e->begin, 0.0, TIME_MOST, "s"},
        {"restart", e->restart, 0.0, TIME_MOST, "s"},
        {"history interval", e->history_every, 0.0, TIME_MOST, "s"},
        {"pair distance", e->pair_distance, 0.0, 1e6, "voxels"},
        {"afterlife", e->afterlife, 0.0, TIME_MOST, "s"},
        {"group_at", e->group_at, 0.0, TIME_MOST, "s"},
    };
    vxe_result result = check_choice(who, "dialect", (int)e->dialect, 0, VXE_DIALECT_VOXCRAFT, error);
    if (result == VXE_OK) result = check_numbers(who, rules, sizeof rules / sizeof rules[0], error);
    if (result != VXE_OK) return result;
    const struct {
        const char *what, *name;
    } names[] = {
        {"fall", e->fall}, {"needle", e->needle}, {"block", e->block}, {"history_bodies", e->history_bodies}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (memchr(names[i].name, '\0', VXE_NAME_SIZE) == NULL || !vxe_valid_text(names[i].name))
            return vxe_fail(error, VXE_ERROR_INPUT, "experiment: %s is not the name of a material",
                            names[i].what);
    }
    if (memchr(e->result_file, '\0', sizeof e->result_file) == NULL || !is_inside_path(e->result_file)) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "experiment: the result file is not a relative path without \"..\"");
    }
    if (memchr(e->result_path, '\0', sizeof e->result_path) == NULL || !vxe_valid_text(e->result_path) ||
        strchr(e->result_path, '\n') != NULL || (e->result_path[0] != '\0' && e->result_file[0] == '\0')) {
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "experiment: the result path is no text of one line beside a result file");
    }
    return VXE_OK;
}
