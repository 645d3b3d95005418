/* Files of the VoxCAD family (.vxa, .vxc, .vxp, .bcx): finds out whose rules a file follows, then reads
 * simulator, environment and object by them into a scene. Tags without effect are told by vxa_tags.c. */
#include "io/vxa.h"

#include "io/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers and switches --- */

/* A message may quote the file, and may be cut in the middle of a character. */
static void clean(char *text)
{
    for (char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    }
    for (size_t length = strlen(text); length > 0 && !vxe_valid_text(text); length--) text[length - 1] = '\0';
}

void vxe_vxa_refuse(vxa_reader *r, vxe_result code, const xmlNode *node, const char *format, ...)
{
    if (r->result != VXE_OK) return;
    char message[768];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    clean(message);
    char name[VXE_JSON_SHOWN_SIZE] = "";
    if (node != NULL) (void)vxe_json_shown((const char *)node->name, name);
    const char *file = vxe_xml_origin(node); /* of an overlay and its base, the one it is in */
    if (file == NULL) file = r->name;
    r->result = node == NULL
                    ? vxe_fail(r->error, code, "%s: %s", file, message)
                    : vxe_fail(r->error, code, "%s:%d: %s: %s", file, (int)vxe_xml_line(node), name, message);
}

void vxe_vxa_refused(vxa_reader *r, const xmlNode *node, const vxe_error *cause)
{
    vxe_vxa_refuse(r, cause->code, node, "%s", cause->message);
}

static bool has_text(const xmlNode *parent, const char *name)
{
    xmlChar *text = vxe_xml_text(vxe_xml_peek(parent, name));
    const bool has = text != NULL;
    xmlFree(text);
    return has;
}

double vxe_vxa_number(vxa_reader *r, const xmlNode *parent, const char *name, double standard)
{
    const xmlNode *leaf = vxe_xml_child(parent, name);
    xmlChar *text = vxe_xml_text(leaf);
    if (text == NULL) return standard;
    const char *end = NULL;
    const double value = vxe_xml_scan_number((const char *)text, &end);
    if (end == (const char *)text) {
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(leaf), name,
                      "it is not a finite number, and counts as 0");
    } else if (*end != '\0') {
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(leaf), name,
                      "what follows the number is left out");
    }
    xmlFree(text);
    return value;
}

int64_t vxe_vxa_integer(vxa_reader *r, const xmlNode *parent, const char *name, int64_t standard)
{
    const double value = vxe_vxa_number(r, parent, name, (double)standard);
    return (int64_t)fmax(-9e15, fmin(9e15, trunc(value)));
}

bool vxe_vxa_switch(vxa_reader *r, const xmlNode *parent, const char *name, bool standard)
{
    xmlNode *leaf = vxe_xml_child(parent, name);
    xmlChar *text = vxe_xml_text(leaf);
    if (text == NULL) return standard;
    const bool word = xmlStrcasecmp(text, (const xmlChar *)"true") == 0;
    const bool no = xmlStrcasecmp(text, (const xmlChar *)"false") == 0;
    xmlFree(text);
    return word || (!no && vxe_vxa_integer(r, parent, name, 0) != 0);
}

double vxe_vxa_number_within(vxa_reader *r, const xmlNode *parent, const char *name, double standard,
                             double least, double most)
{
    const double value = vxe_vxa_number(r, parent, name, standard);
    const double limited = value < least ? least : value > most ? most : value;
    if (limited != value) {
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(vxe_xml_peek(parent, name)), name,
                      "%.9g is not within %.9g to %.9g: taken as %.9g", value, least, most, limited);
    }
    return limited;
}

/* --- simulator --- */

static void read_damping(vxa_reader *r, vxe_environment *e)
{
    const xmlNode *group = vxe_xml_child(r->simulator, "Damping");
    double bond = 0.1;
    double contact = 1.0;
    double slow = 1.0;
    if (group == NULL && r->dialect == VXE_DIALECT_EVOSORO) {
        slow = 0.001;
        vxe_notes_add(r->notes, VXE_NOTE_READ, 0, "Damping",
                      "there is none: bond 0.1, contact 1, slow 0.001");
    } else if (group == NULL) {
        bond = 1.0;
        contact = 0.8;
        slow = 0.01;
        vxe_notes_add(r->notes, VXE_NOTE_READ, 0, "Damping",
                      "there is none, and %s would use whatever is in memory: bond 1, contact 0.8, slow 0.01",
                      vxe_dialect_name(r->dialect));
    }
    bond = vxe_vxa_number_within(r, group, "BondDampingZ", bond, 0.0, 1000.0);
    e->damping_stretch = e->damping_rotation = bond;
    e->damping_contact = vxe_vxa_number_within(r, group, "ColDampingZ", contact, 0.0, 1000.0);
    e->damping_ground = vxe_vxa_number_within(r, group, "SlowDampingZ", slow, 0.0, 1000.0);
    /* the engine for land and water damps turning by ten times 2 zeta sqrt(E l^3 I), and I = m l^2/6 */
    if (r->dialect == VXE_DIALECT_EVOSORO && r->water && e->damping_ground > 0.0)
        e->damping_turning = 24.494897427831781;
}

static void read_collisions(vxa_reader *r, vxe_environment *e)
{
    if (r->dialect == VXE_DIALECT_VOXCRAFT) {
        const xmlNode *group = vxe_xml_child(r->simulator, "AttachDetach");
        if (vxe_vxa_switch(r, group, "EnableCollision", true)) {
            e->collisions = VXE_COLLISIONS_GRID;
            e->collision_distance = 1.25;
            e->collision_smooth = true;
        }
        r->detaches = vxe_vxa_switch(r, group, "EnableDetach", false);
        return;
    }
    r->detaches = true;
    if (r->dialect != VXE_DIALECT_EVOSORO) return;
    const xmlNode *group = vxe_xml_child(r->simulator, "Collisions");
    const bool enabled = vxe_vxa_switch(r, group, "SelfColEnabled", false);
    const int64_t scheme = vxe_vxa_integer(r, group, "ColSystem", 3);
    e->collision_horizon =
        vxe_vxa_number_within(r, group, "CollisionHorizon", group != NULL ? 2.0 : 3.0, 1.5, 10.0);
    if (!enabled) return;
    e->collisions = scheme <= 1 ? VXE_COLLISIONS_SURFACE_EVERY : VXE_COLLISIONS_GRID;
    e->collision_distance = 1.5;
    e->collision_smooth = true;
}

static void read_features(vxa_reader *r, vxe_environment *e)
{
    const xmlNode *group = vxe_xml_child(r->simulator, "Features");
    r->volume_effects = vxe_vxa_switch(r, group, "VolumeEffectsEnabled", false);
    e->elasticity = r->volume_effects ? VXE_ELASTICITY_SOLID : VXE_ELASTICITY_BEAM;
    const xmlNode *equilibrium = vxe_xml_child(r->simulator, "EquilibriumMode");
    if (r->dialect == VXE_DIALECT_VOXCRAFT) {
        if (equilibrium != NULL) vxe_xml_unmark((xmlNode *)(uintptr_t)equilibrium);
        return;
    }
    if (!vxe_vxa_switch(r, equilibrium, "EquilibriumModeEnabled", false)) return;
    e->kinetic_damping = true;
    e->damping_stretch = e->damping_rotation = r->dialect == VXE_DIALECT_EVOSORO ? 0.1 : 1.0;
    e->damping_ground = 0.0;
}

/* The formula below a holder becomes one of the scene's. */
static void take_formula(vxa_reader *r, xmlNode *holder, vxe_formula_role role, double shift)
{
    char *text = holder == NULL ? NULL : vxe_vxa_read_formula(r, holder, shift);
    vxe_error cause;
    if (text != NULL && r->result == VXE_OK && vxe_scene_set_formula(r->scene, role, text, &cause) != VXE_OK)
        vxe_vxa_refused(r, holder, &cause);
    free(text);
}

/* Types 1 to 8 of StopConditionType. */
static void read_stop_type(vxa_reader *r, const xmlNode *group, vxe_stop *stop)
{
    const int64_t type = vxe_vxa_integer(r, group, "StopConditionType", 0);
    const double value = fmax(0.0, vxe_vxa_number(r, group, "StopConditionValue", 0.0));
    const double voxels = (double)vxe_scene_voxel_count(r->scene);
    const xmlNode *where = vxe_xml_peek(group, "StopConditionType");
    const bool evosoro = r->dialect == VXE_DIALECT_EVOSORO;
    stop->settle_steps = evosoro && !r->water ? 10000 : 500;
    switch (type) {
    case 0: break;
    case 1: stop->steps = (int64_t)fmin(1e15, fmax(1.0, round(value))); break;
    case 2:
        stop->time = value + (evosoro ? fmax(0.0, vxe_vxa_number(r, group, "AfterlifeTime", 0.0)) : 0.0);
        break;
    case 3: stop->cycles = value; break;
    case 4: stop->energy_change = 1e-3 * value * voxels; break;
    case 5: stop->kinetic_energy = 1e-3 * value * voxels; break;
    case 6: stop->movement = 1e-3 * value; break;
    case 7:
        if (!evosoro) break;
        stop->movement = 5e-8;
        stop->time = value;
        break;
    case 8:
        if (!evosoro) break;
        /* evosoro never computes the error: it stays 0, which is below any threshold */
        stop->time = fmax(r->begin, vxe_vxa_number(r, r->simulator, "ThresholdTime", 2.0));
        if (value > 0.0) stop->time = fmin(stop->time, value);
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(where), "StopConditionType",
                      "8: the pointing error is 0, as in evosoro; the run ends after %.9g s", stop->time);
        break;
    default: break;
    }
    if (type < 0 || type > (evosoro ? 8 : 6)) {
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(where), "StopConditionType",
                      "%lld is not known: the run does not end by itself", (long long)type);
    }
    if (type == 0 || (type > 3 && type < 7)) return;
    stop->settle_steps = type == 7 ? stop->settle_steps : 0;
}

static void read_stop(vxa_reader *r)
{
    xmlNode *group = vxe_xml_child(r->simulator, "StopCondition");
    vxe_stop stop = vxe_scene_stop(r->scene);
    const double shift = r->dialect == VXE_DIALECT_EVOSORO ? 0.0 : 0.5 * vxe_scene_pitch(r->scene);
    if (r->dialect == VXE_DIALECT_VOXCRAFT) {
        xmlNode *formula = vxe_xml_child(group, "StopConditionFormula");
        xmlNode *conditions = vxe_xml_peek(r->simulator, "Condition");
        if (formula == NULL) formula = vxe_xml_child(conditions, "StopCondition");
        if (conditions != NULL) {
            vxe_xml_mark(conditions);
            if (vxe_xml_peek(conditions, "StopCondition") != NULL)
                vxe_xml_mark_all(
                    vxe_xml_peek(conditions, "StopCondition")); /* the same, for the other program */
            take_formula(r, vxe_xml_child(conditions, "ResultStartCondition"), VXE_FORMULA_BEGIN, shift);
            take_formula(r, vxe_xml_child(conditions, "ResultEndCondition"), VXE_FORMULA_END, shift);
        }
        take_formula(r, formula, VXE_FORMULA_STOP, shift);
        if (formula == NULL && has_text(group, "StopConditionType")) {
            read_stop_type(r, group, &stop);
            vxe_notes_add(
                r->notes, VXE_NOTE_READ, vxe_xml_line(group), "StopConditionType",
                "voxcraft does not use it; it counts here because there is no StopConditionFormula");
        } else if (formula == NULL) {
            stop.steps = 1000000;
            vxe_notes_add(
                r->notes, VXE_NOTE_READ, vxe_xml_line(group), "StopCondition",
                "there is no StopConditionFormula: the run ends after a million steps, as voxcraft's do");
        }
        vxe_error cause;
        if (r->result == VXE_OK && vxe_scene_set_stop(r->scene, &stop, &cause) != VXE_OK)
            vxe_vxa_refused(r, group, &cause);
        return;
    }
    read_stop_type(r, group, &stop);
    if (r->dialect == VXE_DIALECT_EVOSORO) {
        r->begin = vxe_vxa_number_within(r, group, "InitCmTime", 0.0, 0.0, 1e12);
        stop.after = r->begin;
    } else if (stop.steps > 0 || stop.time > 0.0 || stop.cycles > 0.0 || stop.settle_steps > 0) {
        const bool any = stop.steps > 0 || stop.time > 0.0 || stop.cycles > 0.0 || stop.energy_change > 0.0 ||
                         stop.kinetic_energy > 0.0 || stop.movement > 0.0;
        stop.after_steps = any ? 1000 : 0; /* whatever the condition */
    }
    if (!(stop.energy_change > 0.0 || stop.kinetic_energy > 0.0 || stop.movement > 0.0))
        stop.settle_steps = 0;
    vxe_error cause;
    if (r->result == VXE_OK && vxe_scene_set_stop(r->scene, &stop, &cause) != VXE_OK)
        vxe_vxa_refused(r, group, &cause);
}

/* A file name that stays in the folder of results; where the file wants it is kept beside it. */
static void take_result_file(vxa_reader *r, const xmlNode *group, vxe_experiment *e)
{
    const xmlNode *leaf = vxe_xml_child(group, "FitnessFileName");
    xmlChar *text = vxe_xml_text(leaf);
    if (text == NULL) return;
    const char *path = (const char *)text;
    vxe_experiment tried = *e;
    (void)snprintf(tried.result_file, sizeof tried.result_file, "%s", path);
    vxe_error cause;
    bool good = strlen(path) < sizeof tried.result_file &&
                vxe_scene_set_experiment(r->scene, &tried, &cause) == VXE_OK;
    if (!good) {
        const char *last = path + strlen(path);
        while (last > path && strchr("/\\:", last[-1]) == NULL) last--;
        (void)snprintf(tried.result_file, sizeof tried.result_file, "%s", last);
        if (strcmp(last, "..") == 0 || strcmp(last, ".") == 0 || strlen(last) >= sizeof tried.result_file ||
            vxe_scene_set_experiment(r->scene, &tried, &cause) != VXE_OK)
            (void)snprintf(tried.result_file, sizeof tried.result_file, "fitness.xml");
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(leaf), "FitnessFileName",
                      "it leads out of the output folder: results are written to \"%s\" in it, unless "
                      "--outputs-anywhere is given",
                      tried.result_file);
        (void)snprintf(tried.result_path, sizeof tried.result_path, "%s", path);
        if (strlen(path) >= sizeof tried.result_path ||
            vxe_scene_set_experiment(r->scene, &tried, &cause) != VXE_OK)
            tried.result_path[0] = '\0';
    }
    memcpy(e->result_file, tried.result_file, sizeof e->result_file);
    memcpy(e->result_path, tried.result_path, sizeof e->result_path);
    xmlFree(text);
}

#define NOT_FEET 6 /* the material that evosoro takes as no feet */

#define NEEDLE 7 /* the one that its robots look for */

/* What a robot finds and pushes: a needle, which is touched, and a block, which is no part of it. */
static void read_things(vxa_reader *r, vxe_experiment *e)
{
    const int32_t count = vxe_scene_material_count(r->scene);
    const double block = vxe_vxa_peek_number(r->environment, "BlockMaterial", NEEDLE);
    if (vxe_vxa_peek_number(r->environment, "NeedleInHaystack", 0.0) != 0.0 && count >= NEEDLE) {
        vxe_material_def def = *vxe_scene_material(r->scene, NEEDLE);
        def.target = true;
        memcpy(e->needle, def.name, VXE_NAME_SIZE);
        (void)vxe_scene_set_material(r->scene, NEEDLE, &def, NULL);
    }
    if (vxe_vxa_peek_number(r->environment, "BlockPushing", 0.0) != 0.0 && block >= 1.0 && block <= count) {
        vxe_material_def def = *vxe_scene_material(r->scene, (int32_t)block);
        def.unmeasured = true;
        memcpy(e->block, def.name, VXE_NAME_SIZE);
        (void)vxe_scene_set_material(r->scene, (int32_t)block, &def, NULL);
    }
}

static void read_history(vxa_reader *r, const xmlNode *history, vxe_experiment *e)
{
    const double bodies = vxe_vxa_peek_number(history, "RecordCoMTraceOfEachVoxelGroupfOfThisMaterial", 0.0);
    e->history_every = 1e-4 * fmax(0.0, vxe_vxa_number(r, history, "RecordStepSize", 0.0));
    if (!(e->history_every > 0.0)) return;
    e->history_voxels = vxe_vxa_switch(r, history, "RecordVoxel", true);
    e->history_links = vxe_vxa_switch(r, history, "RecordLink", false);
    e->history_moving = vxe_vxa_peek_number(history, "RecordFixedVoxels", 1.0) == 0.0;
    e->history_inside = vxe_vxa_peek_number(history, "SurfaceVoxelsOnly", 1.0) == 0.0;
    if (bodies >= 1.0 && bodies <= vxe_scene_material_count(r->scene))
        memcpy(e->history_bodies, vxe_scene_material(r->scene, (int32_t)bodies)->name, VXE_NAME_SIZE);
}

static void read_experiment(vxa_reader *r)
{
    vxe_experiment e = vxe_scene_experiment(r->scene);
    e.dialect = r->dialect;
    const xmlNode *sim = r->simulator;
    if (r->dialect == VXE_DIALECT_EVOSORO) {
        const xmlNode *ga = vxe_xml_child(sim, "GA");
        take_result_file(r, ga, &e);
        e.begin = r->begin;
        if (vxe_vxa_peek_number(r->environment, "TimeBetweenTraces", 0.0) > 0.0 &&
            vxe_vxa_switch(r, r->environment, "SaveTraces", false))
            e.trace_every = vxe_vxa_number_within(r, r->environment, "TimeBetweenTraces", 0.0, 0.0, 1e12);
        e.by_volume = vxe_vxa_switch(r, r->environment, "NormDistByVol", false);
        e.volume_exponent = vxe_vxa_number_within(r, r->environment, "NormalizationExponent",
                                                  e.by_volume ? 1.0 : 0.0, -100.0, 100.0);
        const double type = vxe_vxa_peek_number(vxe_xml_peek(sim, "StopCondition"), "StopConditionType", 0.0);
        if (type == 2.0 && vxe_vxa_peek_number(r->environment, "FallingProhibited", 0.0) != 0.0 &&
            vxe_scene_material_count(r->scene) >= NOT_FEET)
            memcpy(e.fall, vxe_scene_material(r->scene, NOT_FEET)->name, VXE_NAME_SIZE);
        if (type == 2.0)
            e.afterlife =
                vxe_vxa_peek_within(r, vxe_xml_peek(sim, "StopCondition"), "AfterlifeTime", 0.0, 0.0, 1e12);
        read_things(r, &e);
    }
    if (r->dialect == VXE_DIALECT_VOXCRAFT) {
        read_history(r, vxe_xml_child(sim, "RecordHistory"), &e);
        const vxa_cycle cycle = vxe_vxa_cycle(r);
        if (cycle.generation > 0.0 &&
            vxe_vxa_peek_number(sim, "ComputeLargestSitckyGroupForFirstRound", 0.0) != 0.0)
            e.group_at = cycle.generation + cycle.settle;
        e.positions = vxe_vxa_switch(r, sim, "SavePositionOfAllVoxels", false);
        e.pair_distance = vxe_vxa_number_within(r, sim, "MaxDistInVoxelLengthsToCountAsPair", 0.0, 0.0, 1e6);
        if (vxe_vxa_peek_number(sim, "SecondaryExperiment", 0.0) != 0.0) /* kept: rules go by it, too */
            e.restart = vxe_vxa_number_within(r, sim, "ReinitializeInitialPositionAfterThisManySeconds", 0.0,
                                              0.0, 1e12);
        take_formula(r, vxe_xml_child(sim, "FitnessFunction"), VXE_FORMULA_FITNESS, 0.0);
        const xmlNode *field = vxe_xml_child(sim, "ForceField");
        static const char *const names[2][3] = {{"x_forcefield", "y_forcefield", "z_forcefield"},
                                                {"x_force_field", "y_force_field", "z_force_field"}};
        for (int a = 0; a < 3; a++) {
            xmlNode *holder = vxe_xml_child(field, names[0][a]);
            if (holder == NULL) holder = vxe_xml_child(field, names[1][a]);
            take_formula(r, holder, (vxe_formula_role)(VXE_FORMULA_FORCE_X + a),
                         0.5 * vxe_scene_pitch(r->scene));
        }
    }
    vxe_error cause;
    if (r->result == VXE_OK && vxe_scene_set_experiment(r->scene, &e, &cause) != VXE_OK)
        vxe_vxa_refused(r, r->simulator, &cause);
}

/* --- environment --- */

static void read_gravity(vxa_reader *r, vxe_environment *e)
{
    const xmlNode *group = vxe_xml_child(r->environment, "Gravity");
    double gravity = -9.81;
    bool enabled = true;
    double slope = 0.0;
    e->floor = true;
    if (group == NULL) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, 0, "Gravity",
                      "there is none: 9.81 m/s^2 downwards, and a floor");
    } else {
        enabled = vxe_vxa_switch(r, group, "GravEnabled", false);
        gravity = vxe_vxa_number_within(r, group, "GravAcc", -9.81, -1e6, 1e6);
        e->floor = vxe_vxa_switch(r, group, "FloorEnabled", false);
        if (r->dialect == VXE_DIALECT_EVOSORO)
            slope = vxe_vxa_number_within(r, group, "FloorSlope", 0.0, -89.0, 89.0);
    }
    /* VoxCAD and voxcraft set the acceleration whatever the switch says */
    if (r->dialect == VXE_DIALECT_EVOSORO && !enabled) gravity = 0.0;
    if (r->dialect != VXE_DIALECT_EVOSORO && !enabled && gravity != 0.0) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(group), "GravEnabled",
                      "it is 0 but %s uses GravAcc all the same", vxe_dialect_name(r->dialect));
    }
    const double angle = slope * (3.14159265358979323846 / 180.0);
    e->gravity[0] = slope != 0.0 ? gravity * sin(angle) : 0.0;
    e->gravity[2] = slope != 0.0 ? gravity * cos(angle) : gravity;
    if (slope != 0.0) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(vxe_xml_peek(group, "FloorSlope")), "FloorSlope",
                      "the floor stays level and gravity leans by %.9g degrees, towards -x", slope);
    }
}

static void read_fluid(vxa_reader *r, vxe_environment *e)
{
    if (r->dialect != VXE_DIALECT_EVOSORO) return;
    const bool fluid = vxe_vxa_switch(r, r->environment, "FluidEnvironment", false);
    e->floor_sticky = vxe_vxa_switch(r, r->environment, "StickyFloor", false);
    e->floor_radius = vxe_vxa_number_within(r, r->environment, "FloorRadius", 0.0, 0.0, 1e9);
    if (!fluid) return;
    e->drag = vxe_vxa_number_within(r, r->environment, "AggregateDragCoefficient", 0.0, 0.0, 1e12);
    e->gravity[0] = e->gravity[1] = e->gravity[2] = 0.0;
    e->floor = false;
    vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(vxe_xml_peek(r->environment, "FluidEnvironment")),
                  "FluidEnvironment", "drag on free faces; gravity and floor are off");
}

static void read_thermal(vxa_reader *r)
{
    const xmlNode *group = vxe_xml_child(r->environment, "Thermal");
    vxe_signal_def signal = vxe_default_signal_def();
    bool enabled = true;
    bool varies = false;
    double base = 25.0;
    double amplitude = 0.0;
    double period = 0.1;
    if (group != NULL) {
        enabled = vxe_vxa_switch(r, group, "TempEnabled", false);
        base = vxe_vxa_number_within(r, group, "TempBase", 25.0, -1e9, 1e9);
        const bool relative = has_text(group, "TempAmplitude");
        amplitude = relative ? vxe_vxa_number_within(r, group, "TempAmplitude", 0.0, -1e9, 1e9)
                             : vxe_vxa_number_within(r, group, "TempAmp", base, -1e9, 1e9) - base;
        varies = vxe_vxa_switch(r, group, "VaryTempEnabled", false);
        if (!varies && enabled && amplitude != 0.0 && r->dialect == VXE_DIALECT_EVOSORO) {
            varies = true;
            vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(group), "VaryTempEnabled",
                          "it is 0 but evosoro's temperature varies all the same");
        }
        period = vxe_vxa_number_within(r, group, "TempPeriod", 0.1, 0.0, 1e12);
        if (relative) (void)vxe_xml_child(group, "TempAmp"); /* the same, for older programs */
    }
    if (!enabled && r->dialect != VXE_DIALECT_VOXCRAFT) {
        amplitude = 0.0;
    } else if (!enabled && amplitude != 0.0) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(group), "TempEnabled",
                      "it is 0 but voxcraft actuates all the same");
    }
    if (period < 1e-9) {
        if (varies && amplitude != 0.0)
            vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(vxe_xml_peek(group, "TempPeriod")),
                          "TempPeriod", "0 means no actuation");
        if (varies) amplitude = 0.0;
        period = 0.1;
    }
    signal.reference = base;
    signal.base = varies ? base : base + amplitude;
    signal.amplitude = varies ? amplitude : 0.0;
    signal.period = period;
    if (r->dialect == VXE_DIALECT_VOXCRAFT)
        signal.cool_only = !vxe_vxa_switch(r, r->simulator, "EnableExpansion", false);
    if (r->dialect == VXE_DIALECT_EVOSORO) {
        const xmlNode *stop = vxe_xml_peek(r->simulator, "StopCondition");
        signal.delay = fmax(r->begin, vxe_vxa_peek_within(r, stop, "ActuationStartTime", 0.0, 0.0, 1e12));
        signal.size_min = r->smallest;
        signal.size_max = r->water ? 0.0 : fmin(3.0, 1.0 + fmax(0.0, r->growth_amplitude));
        if (vxe_vxa_switch(r, r->environment, "ContractOnly", false) ||
            vxe_vxa_switch(r, r->environment, "ContractionOnly", false))
            signal.size_max = 1.0;
        if (vxe_vxa_switch(r, r->environment, "ExpandOnly", false) ||
            vxe_vxa_switch(r, r->environment, "ExpansionOnly", false)) {
            signal.size_min = 1.0;
            signal.size_max = 0.0;
        }
    }
    vxe_error cause;
    if (r->result == VXE_OK && vxe_scene_add_signal(r->scene, &signal, NULL, &cause) != VXE_OK)
        vxe_vxa_refused(r, group, &cause);
}

static void read_environment(vxa_reader *r)
{
    vxe_environment e = vxe_default_environment();
    read_damping(r, &e);
    read_collisions(r, &e);
    read_features(r, &e);
    read_gravity(r, &e);
    read_fluid(r, &e);
    vxe_error cause;
    if (r->result == VXE_OK && vxe_scene_set_environment(r->scene, &e, &cause) != VXE_OK)
        vxe_vxa_refused(r, r->environment, &cause);
}

/* --- the whole --- */

static void read_lattice(vxa_reader *r)
{
    const xmlNode *lattice = vxe_xml_child(r->object, "Lattice");
    const xmlNode *structure = vxe_xml_child(r->object, "Structure");
    int32_t size[3] = {1, 1, 1};
    if (lattice == NULL) vxe_vxa_refuse(r, VXE_ERROR_INPUT, r->object, "Lattice is missing");
    if (structure == NULL) vxe_vxa_refuse(r, VXE_ERROR_INPUT, r->object, "Structure is missing");
    if (r->result != VXE_OK) return;
    const double pitch =
        vxe_vxa_number(r, lattice, "Lattice_Dim", 0.001) * vxe_vxa_number(r, lattice, "X_Dim_Adj", 1.0);
    vxe_vxa_read_size(r, structure, size);
    vxe_error cause;
    if (r->result == VXE_OK &&
        vxe_scene_create(pitch, size[0], size[1], size[2], &r->scene, &cause) != VXE_OK)
        vxe_vxa_refused(r, lattice, &cause);
}

static void read_scene(vxa_reader *r, xmlNode *root)
{
    r->water = vxe_xml_peek(r->environment, "FluidEnvironment") != NULL ||
               vxe_xml_peek(r->environment, "AggregateDragCoefficient") != NULL;
    if (r->dialect == VXE_DIALECT_EVOSORO && r->water)
        vxe_notes_add(r->notes, VXE_NOTE_READ, 0, "dialect", "of evosoro, its engine for land and water");
    if (r->environment == NULL)
        vxe_notes_add(r->notes, VXE_NOTE_READ, 0, "Environment",
                      "there is none: gravity 9.81 m/s^2 downwards, a floor, constant temperature");
    r->smallest = 0.0;
    if (r->dialect == VXE_DIALECT_EVOSORO && !r->water) {
        r->smallest = vxe_vxa_number_within(r, r->simulator, "MinTempFact", 0.1, 0.1, 1.0);
        r->growth_amplitude = vxe_vxa_number_within(r, r->environment, "GrowthAmplitude", 0.0, -0.9, 2.0);
    }
    if (r->dialect == VXE_DIALECT_EVOSORO) { /* growth of voxels is a matter of life time */
        const xmlNode *stop = vxe_xml_peek(r->simulator, "StopCondition");
        r->begin = vxe_vxa_number_within(r, stop, "InitCmTime", 0.0, 0.0, 1e12);
        r->life = vxe_vxa_number_within(r, stop, "StopConditionValue", 0.0, 0.0, 1e12);
    }
    read_lattice(r);
    if (r->result == VXE_OK) read_environment(r);
    if (r->result == VXE_OK) vxe_vxa_read_palette(r);
    if (r->result == VXE_OK) vxe_vxa_read_structure(r);
    if (r->result == VXE_OK) read_stop(r);
    if (r->result == VXE_OK) read_thermal(r);
    if (r->result == VXE_OK) read_experiment(r);
    if (r->result == VXE_OK) vxe_vxa_read_regions(r);
    if (r->result == VXE_OK) vxe_vxa_read_rules(r);
    if (r->result == VXE_OK) vxe_vxa_read_rest(r, root);
    vxe_error cause;
    if (r->result == VXE_OK && vxe_scene_voxel_count(r->scene) > 0 &&
        vxe_scene_check(r->scene, &cause) != VXE_OK)
        vxe_vxa_refused(r, NULL, &cause);
}

/* A palette alone, or boundary conditions alone, needs a body to be a scene: a row of samples, or a block. */
static bool add_body(xmlNode *root, bool palette)
{
    xmlDoc *document = root->doc;
    xmlNode *whole = xmlNewNode(NULL, (const xmlChar *)"VXA");
    if (whole == NULL) return false;
    xmlNode *object = xmlNewChild(whole, NULL, (const xmlChar *)"VXC", NULL);
    xmlNewProp(object, (const xmlChar *)"Version", (const xmlChar *)"0.94");
    xmlNode *lattice = xmlNewChild(object, NULL, (const xmlChar *)"Lattice", NULL);
    xmlNewChild(lattice, NULL, (const xmlChar *)"Lattice_Dim", (const xmlChar *)"0.001");
    int count = 0;
    for (xmlNode *m = vxe_xml_first(root); palette && m != NULL; m = vxe_xml_after(m))
        count += vxe_xml_is(m, "Material");
    if (count > 78) count = 78; /* what one character can say */
    (void)xmlDocSetRootElement(document, whole);
    if (palette) {
        (void)xmlAddChild(object, root);
    } else {
        (void)xmlAddChild(whole, root);
        xmlNode *own = xmlNewChild(object, NULL, (const xmlChar *)"Palette", NULL);
        xmlNode *material = xmlNewChild(own, NULL, (const xmlChar *)"Material", NULL);
        xmlNode *mechanical = xmlNewChild(material, NULL, (const xmlChar *)"Mechanical", NULL);
        xmlNewChild(mechanical, NULL, (const xmlChar *)"Elastic_Mod", (const xmlChar *)"1e6");
        xmlNewChild(mechanical, NULL, (const xmlChar *)"Density", (const xmlChar *)"1000");
    }
    xmlNode *structure = xmlNewChild(object, NULL, (const xmlChar *)"Structure", NULL);
    xmlNewProp(structure, (const xmlChar *)"Compression", (const xmlChar *)"ASCII_READABLE");
    char layer[256] = "";
    char side[16];
    const int samples = count > 0 ? 2 * count - 1 : 1;
    for (int i = 0; i < (palette ? samples : 100); i++)
        layer[i] = (char)(palette ? (i % 2 == 0 && count > 0 ? 49 + i / 2 : 48) : 49);
    (void)snprintf(side, sizeof side, "%d", palette ? samples : 10);
    xmlNewChild(structure, NULL, (const xmlChar *)"X_Voxels", (const xmlChar *)side);
    xmlNewChild(structure, NULL, (const xmlChar *)"Y_Voxels", (const xmlChar *)(palette ? "1" : "10"));
    xmlNewChild(structure, NULL, (const xmlChar *)"Z_Voxels", (const xmlChar *)(palette ? "1" : "10"));
    xmlNode *data = xmlNewChild(structure, NULL, (const xmlChar *)"Data", NULL);
    for (int k = 0; k < (palette ? 1 : 10); k++)
        xmlNewTextChild(data, NULL, (const xmlChar *)"Layer", (const xmlChar *)layer);
    return data != NULL;
}

static xmlNode *object_of(const xmlNode *root)
{
    xmlNode *object = vxe_xml_child(root, "VXC");
    return object != NULL ? object : vxe_xml_child(root, "DMF");
}

vxe_result vxe_vxa_read_document(xmlDoc *document, const char *name, vxe_dialect dialect, vxe_scene **scene,
                                 vxe_notes *notes, vxe_error *error)
{
    vxa_reader r = {.name = name, .dialect = dialect, .notes = notes, .result = VXE_OK, .error = error};
    xmlNode *root = xmlDocGetRootElement(document);
    if (root == NULL) return vxe_fail(error, VXE_ERROR_INPUT, "%s: there is no element in it", name);
    /* the readers of others do not look at the root's name: they take the children they know */
    const bool palette = vxe_xml_is(root, "Palette");
    const bool conditions = !palette && object_of(root) == NULL && vxe_xml_peek(root, "Structure") == NULL &&
                            (vxe_xml_is(root, "Environment") || vxe_xml_peek(root, "Gravity") != NULL);
    if (palette || conditions) {
        if (!add_body(root, palette)) return vxe_fail(error, VXE_ERROR_MEMORY, "%s: not enough memory", name);
        root = xmlDocGetRootElement(document);
        if (root == NULL) return vxe_fail(error, VXE_ERROR_MEMORY, "%s: not enough memory", name);
        vxe_notes_add(notes, VXE_NOTE_READ, 0, palette ? "Palette" : "Environment",
                      palette
                          ? "a palette alone: one voxel of each material, 1 mm, in a row"
                          : "boundary conditions alone: they act on a block of 10 x 10 x 10 voxels of 1 mm");
    }
    vxe_xml_mark(root);
    r.object = object_of(root);
    if (r.object == NULL && vxe_xml_peek(root, "Structure") != NULL) {
        r.object = root; /* a .vxc */
    } else {
        r.simulator = vxe_xml_child(root, "Simulator");
        r.environment = vxe_xml_child(root, "Environment");
    }
    if (r.object == NULL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "%s:%d: %.64s: there is neither VXC nor Structure in it",
                        name, (int)vxe_xml_line(root), (const char *)root->name);
    }
    if (r.dialect == VXE_DIALECT_AUTO) r.dialect = vxe_vxa_find_dialect(root, notes);
    xmlNode *own = vxe_xml_peek(root, "Voxelastic");
    if (own != NULL) vxe_xml_mark_all(own);
    read_scene(&r, root);
    vxe_vxa_free_palette(&r);
    if (r.result != VXE_OK) {
        vxe_scene_destroy(r.scene);
        return r.result;
    }
    if (own != NULL) {
        r.result = vxe_vxa_apply_delta(own, name, &r.scene, notes, error);
        if (r.result != VXE_OK) {
            vxe_scene_destroy(r.scene);
            return r.result;
        }
    }
    *scene = r.scene;
    return VXE_OK;
}

vxe_result vxe_vxa_parse(const vxe_source *source, const vxe_load_def *def, vxe_scene **scene,
                         vxe_notes *notes, vxe_error *error)
{
    xmlDoc *document = NULL;
    vxe_result result = vxe_xml_parse(source->text, source->size, source->name, &document, error);
    if (result != VXE_OK) return result;
    result = vxe_vxa_read_document(document, source->name, def->dialect, scene, notes, error);
    xmlFreeDoc(document);
    return result;
}
