/* Traces: named quantities read from a simulation, row by row.
 *
 * Owns the names a trace accepts (io.h lists them), the columns they give and how each is read. A name
 * becomes one or more quantities; a quantity is read by one call and fills one to four columns. Names flow in
 * once; rows flow out, without allocating (but for the first strain or stress of a voxel). A quantity that
 * was asked for twice is recorded once. */
#include "base/base.h"
#include "voxelastic/io.h"
#include "voxelastic/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a quantity reads: how it is named, on its own or after the dot of `region:` and `voxel:`; what tells
 * its columns apart, a letter each, empty where it has one column; and its unit. The names of its columns are
 * name + axis + unit. A unit of 1 marks a number without unit, so that every column has one. */
#define SOURCES(EACH)                                                                                        \
    EACH(CENTER_OF_MASS, "center_of_mass", "xyz", "m")                                                       \
    EACH(MOMENTUM, "momentum", "xyz", "kg_m_per_s")                                                          \
    EACH(ANGULAR_MOMENTUM, "angular_momentum", "xyz", "kg_m2_per_s")                                         \
    EACH(DISPLACEMENT_MAX, "displacement_max", "", "m")                                                      \
    EACH(STRAIN_MAX, "strain_max", "", "1")                                                                  \
    EACH(SPEED_MAX, "speed_max", "", "m_per_s")                                                              \
    EACH(DT, "dt", "", "s")                                                                                  \
    EACH(CONTACTS_FLOOR, "contacts", "", "1")                                                                \
    EACH(CONTACTS_PAIRS, "contacts", "", "1")                                                                \
    EACH(BROKEN, "broken", "", "1")                                                                          \
    EACH(YIELDED, "yielded", "", "1")                                                                        \
    EACH(VOXELS, "voxels", "", "1")                                                                          \
    EACH(BONDS, "bonds", "", "1")                                                                            \
    EACH(ENERGY, "energy", "", "J")                                                                          \
    EACH(SIGNAL, "signal", "", "K")                                                                          \
    EACH(REGION_DISPLACEMENT, "displacement", "xyz", "m")                                                    \
    EACH(REGION_REACTION, "reaction", "xyz", "N")                                                            \
    EACH(REGION_REACTION_MOMENT, "reaction_moment", "xyz", "N_m")                                            \
    EACH(VOXEL_POSITION, "position", "xyz", "m")                                                             \
    EACH(VOXEL_DISPLACEMENT, "displacement", "xyz", "m")                                                     \
    EACH(VOXEL_VELOCITY, "velocity", "xyz", "m_per_s")                                                       \
    EACH(VOXEL_SPIN, "spin", "xyz", "rad_per_s")                                                             \
    EACH(VOXEL_ORIENTATION, "orientation", "wxyz", "1")                                                      \
    EACH(VOXEL_FORCE, "force", "xyz", "N")                                                                   \
    EACH(VOXEL_CONTACT_FORCE, "contact_force", "xyz", "N")                                                   \
    EACH(VOXEL_GROWTH, "growth", "", "1")                                                                    \
    EACH(VOXEL_PRESSURE, "pressure", "", "Pa")                                                               \
    EACH(VOXEL_STRAIN, "strain", "xyz", "1")                                                                 \
    EACH(VOXEL_STRESS, "stress", "xyz", "Pa")

typedef enum source {
#define SOURCE(name, text, axes, unit) SOURCE_##name,
    SOURCES(SOURCE)
#undef SOURCE
} source;

static const struct {
    const char *name;
    const char *axes;
    const char *unit;
} kinds[] = {
#define SOURCE(name, text, axes, unit) {text, axes, unit},
    SOURCES(SOURCE)
#undef SOURCE
};

/* The parts of the energy account, by their place in vxe_energy. */
static const struct {
    const char *name;
    size_t offset;
} energies[] = {
    {"kinetic", offsetof(vxe_energy, kinetic)},
    {"elastic", offsetof(vxe_energy, elastic)},
    {"gravity", offsetof(vxe_energy, gravity)},
    {"total", offsetof(vxe_energy, total)},
    {"load_work", offsetof(vxe_energy, load_work)},
    {"actuation_work", offsetof(vxe_energy, actuation_work)},
    {"motion_work", offsetof(vxe_energy, motion_work)},
    {"dissipated", offsetof(vxe_energy, dissipated)},
    {"error", offsetof(vxe_energy, error)},
};
enum { ENERGY_COUNT = sizeof energies / sizeof energies[0] };

enum { COLUMN_SIZE = 2 * VXE_NAME_SIZE };

typedef struct quantity {
    source source;
    int32_t number;  /* of the voxel, region, signal or energy */
    int32_t columns; /* 1 to 4 */
} quantity;

struct vxe_trace {
    int32_t quantity_count;
    int32_t column_count; /* time included */
    quantity *quantities;
    char (*columns)[COLUMN_SIZE];
};

static const char good_names[] = "center_of_mass, momentum, angular_momentum, displacement_max, strain_max, "
                                 "speed_max, dt, contacts, broken, yielded, voxels, bonds, "
                                 "energy, energy.kinetic (.elastic .gravity .total .load_work "
                                 ".actuation_work .motion_work .dissipated .error), "
                                 "signal:NAME, region:NAME.displacement (.reaction .reaction_moment), "
                                 "voxel:I,J,K.position (.displacement .velocity .spin .orientation .force "
                                 ".contact_force .growth .pressure .strain .stress)";

/* Sets "; did you mean ..." into a small buffer, or nothing. */
static const char *suggest(char *buffer, size_t size, const char *name, const char *const *names,
                           size_t count)
{
    const char *nearest = vxe_nearest_name(name, names, count);
    buffer[0] = '\0';
    if (nearest != NULL) (void)snprintf(buffer, size, "; did you mean \"%s\"?", nearest);
    return buffer;
}

static vxe_result fail_name(const char *name, vxe_error *error)
{
    const char *names[SOURCE_SIGNAL + ENERGY_COUNT];
    char spelled[ENERGY_COUNT][32];
    size_t count = 0;
    for (int s = 0; s < SOURCE_SIGNAL; s++) names[count++] = kinds[s].name;
    for (int e = 0; e < ENERGY_COUNT; e++) {
        (void)snprintf(spelled[e], sizeof spelled[e], "energy.%s", energies[e].name);
        names[count++] = spelled[e];
    }
    char hint[96];
    return vxe_fail(error, VXE_ERROR_INPUT, "there is no quantity \"%.*s\" to trace%s\nThe names are: %s",
                    VXE_NAME_SIZE, name, suggest(hint, sizeof hint, name, names, count), good_names);
}

/* Appends a quantity, whose columns are called `label` + axis + unit, unless it is there already. The
 * arrays are large enough. */
static void add_quantity(vxe_trace *trace, source what, int32_t number, const char *label)
{
    for (int32_t q = 0; q < trace->quantity_count; q++) {
        if (trace->quantities[q].source == what && trace->quantities[q].number == number) return;
    }
    quantity *added = &trace->quantities[trace->quantity_count++];
    *added = (quantity){what, number, 0};
    const char *axis = kinds[what].axes;
    do {
        char *column = trace->columns[trace->column_count++];
        if (*axis == '\0') {
            (void)snprintf(column, COLUMN_SIZE, "%s_%s", label, kinds[what].unit);
        } else {
            (void)snprintf(column, COLUMN_SIZE, "%s_%c_%s", label, *axis++, kinds[what].unit);
        }
        added->columns++;
    } while (*axis != '\0');
}

static void add_energy(vxe_trace *trace, int32_t energy)
{
    char label[COLUMN_SIZE / 2];
    (void)snprintf(label, sizeof label, "energy_%s", energies[energy].name);
    add_quantity(trace, SOURCE_ENERGY, energy, label);
}

/* Which of the sources first..last `name` is; -1: none. */
static int find_source(source first, source last, const char *name)
{
    for (int s = (int)first; s <= (int)last; s++) {
        if (strcmp(kinds[s].name, name) == 0) return s;
    }
    return -1;
}

/* "TRACED: there is no WHAT "NAME"; there are: a, b": for regions and signals. */
static vxe_result fail_object(const vxe_model *model, const char *traced, const char *what, const char *name,
                              int32_t count, const char *(*name_of)(const vxe_model *, int32_t),
                              vxe_error *error)
{
    char list[512] = "";
    for (int32_t i = 0; i < count; i++) {
        const char *other = name_of(model, i);
        if (other == NULL || strlen(list) + strlen(other) + 8 > sizeof list) {
            vxe_append(list, sizeof list, ", ...");
            break;
        }
        vxe_append(list, sizeof list, "%s%s", i == 0 ? "" : ", ", other);
    }
    return vxe_fail(error, VXE_ERROR_INPUT, "trace \"%.*s\": there is no %s \"%.*s\"; %s%s",
                    2 * VXE_NAME_SIZE, traced, what, VXE_NAME_SIZE, name,
                    count == 0 ? "the scene has none" : "the scene has: ", list);
}

/* "TRACED: MEMBER is not one of: ...", the names being those of sources first..last. */
static vxe_result fail_member(const char *traced, const char *member, source first, source last,
                              vxe_error *error)
{
    char list[256] = "";
    for (int s = (int)first; s <= (int)last; s++)
        vxe_append(list, sizeof list, "%s.%s", s == (int)first ? "" : ", ", kinds[s].name);
    if (member == NULL) {
        return vxe_fail(error, VXE_ERROR_INPUT, "trace \"%.*s\": what of it? Add one of %s",
                        2 * VXE_NAME_SIZE, traced, list);
    }
    return vxe_fail(error, VXE_ERROR_INPUT, "trace \"%.*s\": \"%.*s\" is not one of %s", 2 * VXE_NAME_SIZE,
                    traced, VXE_NAME_SIZE, member, list);
}

static vxe_result add_signal(vxe_trace *trace, const vxe_model *model, const char *traced, const char *name,
                             vxe_error *error)
{
    const int32_t signal = vxe_model_find_signal(model, name);
    if (signal < 0) {
        return fail_object(model, traced, "signal", name, vxe_model_get(model)->signal_count,
                           vxe_model_signal_name, error);
    }
    char label[COLUMN_SIZE];
    (void)snprintf(label, sizeof label, "signal_%s", name);
    add_quantity(trace, SOURCE_SIGNAL, signal, label);
    return VXE_OK;
}

/* `rest` is "NAME.member"; a name may contain dots, so the member follows the last one. */
static vxe_result add_region(vxe_trace *trace, const vxe_model *model, const char *traced, const char *rest,
                             vxe_error *error)
{
    char name[VXE_NAME_SIZE];
    const char *dot = strrchr(rest, '.');
    const char *member = dot == NULL ? NULL : dot + 1;
    const int what =
        member == NULL ? -1 : find_source(SOURCE_REGION_DISPLACEMENT, SOURCE_REGION_REACTION_MOMENT, member);
    if (what < 0) {
        return fail_member(traced, vxe_model_find_region(model, rest) >= 0 ? NULL : member,
                           SOURCE_REGION_DISPLACEMENT, SOURCE_REGION_REACTION_MOMENT, error);
    }
    (void)snprintf(name, sizeof name, "%.*s",
                   (int)(dot - rest < VXE_NAME_SIZE ? dot - rest : VXE_NAME_SIZE - 1), rest);
    const int32_t region = dot - rest < VXE_NAME_SIZE ? vxe_model_find_region(model, name) : -1;
    if (region < 0) {
        return fail_object(model, traced, "region", name, vxe_model_get(model)->region_count,
                           vxe_model_region_name, error);
    }
    char label[COLUMN_SIZE];
    (void)snprintf(label, sizeof label, "region_%s_%s", name, member);
    add_quantity(trace, (source)what, region, label);
    return VXE_OK;
}

/* `rest` is "I,J,K.member". */
static vxe_result add_voxel(vxe_trace *trace, const vxe_model *model, const char *traced, const char *rest,
                            vxe_error *error)
{
    int32_t cell[3] = {0, 0, 0};
    const char *at = rest;
    for (int axis = 0; axis < 3; axis++) {
        char *end = NULL;
        const long value = (*at >= '0' && *at <= '9') || *at == '-' ? strtol(at, &end, 10) : 0;
        if (end == NULL || end == at || (axis < 2 && *end != ',')) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "trace \"%.*s\": a voxel is named as voxel:I,J,K with whole numbers from 0",
                            2 * VXE_NAME_SIZE, traced);
        }
        cell[axis] = value < 0 || value > VXE_SIDE_MAX ? -1 : (int32_t)value;
        at = axis < 2 ? end + 1 : end;
    }
    const char *member = *at == '.' ? at + 1 : at;
    const int what = *at == '.' ? find_source(SOURCE_VOXEL_POSITION, SOURCE_VOXEL_STRESS, member) : -1;
    if (what < 0) {
        return fail_member(traced, *at == '\0' ? NULL : member, SOURCE_VOXEL_POSITION, SOURCE_VOXEL_STRESS,
                           error);
    }
    const int32_t voxel = vxe_model_voxel_at(model, cell[0], cell[1], cell[2]);
    if (voxel < 0) {
        const int32_t *size = vxe_model_get(model)->size;
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "trace \"%.*s\": there is no voxel at these coordinates; the workspace has %d x %d x "
                        "%d, counted from 0",
                        2 * VXE_NAME_SIZE, traced, (int)size[0], (int)size[1], (int)size[2]);
    }
    char label[COLUMN_SIZE];
    (void)snprintf(label, sizeof label, "voxel_%d_%d_%d_%s", (int)cell[0], (int)cell[1], (int)cell[2],
                   member);
    add_quantity(trace, (source)what, voxel, label);
    return VXE_OK;
}

static vxe_result add_name(vxe_trace *trace, const vxe_model *model, const char *name, vxe_error *error)
{
    if (strcmp(name, "time") == 0) {
        return VXE_OK; /* the first column already */
    }
    if (strcmp(name, "energy") == 0) {
        for (int32_t e = 0; e < ENERGY_COUNT; e++) add_energy(trace, e);
        return VXE_OK;
    }
    if (strncmp(name, "energy.", 7) == 0) {
        for (int32_t e = 0; e < ENERGY_COUNT; e++) {
            if (strcmp(name + 7, energies[e].name) == 0) {
                add_energy(trace, e);
                return VXE_OK;
            }
        }
        return fail_name(name, error);
    }
    if (strncmp(name, "signal:", 7) == 0) return add_signal(trace, model, name, name + 7, error);
    if (strncmp(name, "region:", 7) == 0) return add_region(trace, model, name, name + 7, error);
    if (strncmp(name, "voxel:", 6) == 0) return add_voxel(trace, model, name, name + 6, error);
    if (strcmp(name, "contacts") == 0) {
        add_quantity(trace, SOURCE_CONTACTS_FLOOR, 0, "contacts_floor");
        add_quantity(trace, SOURCE_CONTACTS_PAIRS, 0, "contacts_pairs");
        return VXE_OK;
    }
    const int what = find_source(SOURCE_CENTER_OF_MASS, SOURCE_BONDS, name);
    if (what < 0) return fail_name(name, error);
    add_quantity(trace, (source)what, 0, name);
    return VXE_OK;
}

vxe_result vxe_trace_create(const vxe_sim *sim, const char *const *names, int32_t count, vxe_trace **trace,
                            vxe_error *error)
{
    if (sim == NULL || trace == NULL || count < 0 || (count > 0 && names == NULL)) {
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        "vxe_trace_create: a simulation, names and a place for the trace are needed");
    }
    /* No name gives more than ENERGY_COUNT columns. */
    if (count > (INT32_MAX - 1) / ENERGY_COUNT) {
        return vxe_fail(error, VXE_ERROR_LIMIT, "a trace of %d quantities is too long", (int)count);
    }
    const size_t most = (size_t)count * ENERGY_COUNT + 1;
    vxe_trace *made = vxe_allocate(1, sizeof *made);
    if (made != NULL) {
        made->quantities = vxe_allocate(most, sizeof *made->quantities);
        made->columns = vxe_allocate(most, sizeof *made->columns);
    }
    if (made == NULL || made->quantities == NULL || made->columns == NULL) {
        vxe_trace_destroy(made);
        return vxe_fail_memory(error, "a trace", most * (sizeof *made->quantities + sizeof *made->columns));
    }
    (void)snprintf(made->columns[0], COLUMN_SIZE, "time_s");
    made->column_count = 1;
    const vxe_model *model = vxe_sim_model(sim);
    for (int32_t i = 0; i < count; i++) {
        const vxe_result result = names[i] == NULL ? vxe_fail(error, VXE_ERROR_ARGUMENT,
                                                              "vxe_trace_create: name %d is NULL", (int)i)
                                                   : add_name(made, model, names[i], error);
        if (result != VXE_OK) {
            vxe_trace_destroy(made);
            return result;
        }
    }
    *trace = made;
    return VXE_OK;
}

void vxe_trace_destroy(vxe_trace *trace)
{
    if (trace != NULL) {
        free(trace->quantities);
        free(trace->columns);
        free(trace);
    }
}

int32_t vxe_trace_columns(const vxe_trace *trace) { return trace == NULL ? 0 : trace->column_count; }

const char *vxe_trace_column(const vxe_trace *trace, int32_t column)
{
    return trace == NULL || column < 0 || column >= trace->column_count ? NULL : trace->columns[column];
}

static void gather(double *out, const double *const *arrays, int32_t count, int32_t voxel)
{
    for (int32_t i = 0; i < count; i++) out[i] = arrays[i][voxel];
}

static void read_voxel(const quantity *q, vxe_sim *sim, double *out)
{
    const vxe_state *state = vxe_sim_state(sim);
    switch (q->source) {
    case SOURCE_VOXEL_POSITION: gather(out, state->position, 3, q->number); break;
    case SOURCE_VOXEL_DISPLACEMENT: {
        const vxe_model_view *view = vxe_model_get(vxe_sim_model(sim));
        for (int axis = 0; axis < 3; axis++) {
            out[axis] = state->position[axis][q->number] - view->start[axis][q->number];
        }
        break;
    }
    case SOURCE_VOXEL_VELOCITY: gather(out, state->velocity, 3, q->number); break;
    case SOURCE_VOXEL_SPIN: gather(out, state->spin, 3, q->number); break;
    case SOURCE_VOXEL_ORIENTATION: gather(out, state->orientation, 4, q->number); break;
    case SOURCE_VOXEL_FORCE: gather(out, state->force, 3, q->number); break;
    case SOURCE_VOXEL_CONTACT_FORCE: gather(out, state->contact_force, 3, q->number); break;
    case SOURCE_VOXEL_GROWTH: out[0] = state->growth[q->number]; break;
    case SOURCE_VOXEL_PRESSURE: out[0] = state->pressure[q->number]; break;
    case SOURCE_VOXEL_STRAIN:
    case SOURCE_VOXEL_STRESS: {
        const vxe_voxels *voxels = NULL;
        if (vxe_sim_voxels(sim, &voxels, NULL) == VXE_OK)
            gather(out, q->source == SOURCE_VOXEL_STRAIN ? voxels->strain : voxels->stress, 3, q->number);
        else
            out[0] = out[1] = out[2] = NAN;
        break;
    }
    default: break;
    }
}

static void read_quantity(const quantity *q, vxe_sim *sim, double *out)
{
    int64_t counts[2];
    switch (q->source) {
    case SOURCE_CENTER_OF_MASS: vxe_sim_center_of_mass(sim, out); break;
    case SOURCE_MOMENTUM: vxe_sim_momentum(sim, out, NULL); break;
    case SOURCE_ANGULAR_MOMENTUM: vxe_sim_momentum(sim, NULL, out); break;
    case SOURCE_DISPLACEMENT_MAX: out[0] = vxe_sim_displacement_max(sim, NULL); break;
    case SOURCE_STRAIN_MAX: out[0] = vxe_sim_strain_max(sim); break;
    case SOURCE_SPEED_MAX: out[0] = vxe_sim_speed_max(sim); break;
    case SOURCE_DT: out[0] = vxe_sim_time_step(sim).dt; break;
    case SOURCE_CONTACTS_FLOOR:
    case SOURCE_CONTACTS_PAIRS:
        vxe_sim_contacts(sim, &counts[0], &counts[1]);
        out[0] = (double)counts[q->source == SOURCE_CONTACTS_PAIRS];
        break;
    case SOURCE_BROKEN:
    case SOURCE_YIELDED:
        vxe_sim_failures(sim, &counts[0], &counts[1]);
        out[0] = (double)counts[q->source == SOURCE_YIELDED];
        break;
    case SOURCE_VOXELS: out[0] = (double)vxe_sim_life(sim).present; break;
    case SOURCE_BONDS: out[0] = (double)vxe_sim_life(sim).bonds; break;
    case SOURCE_SIGNAL: out[0] = vxe_sim_signal(sim, q->number); break;
    case SOURCE_REGION_DISPLACEMENT: (void)vxe_sim_region_displacement(sim, q->number, out, NULL); break;
    case SOURCE_REGION_REACTION: (void)vxe_sim_region_reaction(sim, q->number, out, NULL, NULL); break;
    case SOURCE_REGION_REACTION_MOMENT: (void)vxe_sim_region_reaction(sim, q->number, NULL, out, NULL); break;
    default: read_voxel(q, sim, out); break;
    }
}

void vxe_trace_read(const vxe_trace *trace, vxe_sim *sim, double *row)
{
    if (trace == NULL || sim == NULL || row == NULL) return;
    int32_t column = 1;
    bool measured = false; /* once for all of them: without the account it takes as long as some steps */
    vxe_energy energy;
    row[0] = vxe_sim_time(sim);
    for (int32_t i = 0; i < trace->quantity_count; i++) {
        const quantity *q = &trace->quantities[i];
        if (q->source == SOURCE_ENERGY) {
            if (!measured) energy = vxe_sim_energy(sim);
            measured = true;
            memcpy(row + column, (const char *)&energy + energies[q->number].offset, sizeof *row);
        } else {
            read_quantity(q, sim, row + column);
        }
        column += q->columns;
    }
}
