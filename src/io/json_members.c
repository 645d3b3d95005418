/* Members of structs as members of objects in a scene file: see json_members.h. */
#include "io/json_members.h"

#include <string.h>

/* clang-format off */
#define ROW(key, type, always, def, member, words) \
    {key, VXE_JSON_##type, always, offsetof(def, member), sizeof(((def *)NULL)->member), words}
/* Written always; written unless it is what the struct begins with. */
#define KEPT(def, type, member) ROW(#member, type, true, def, member, NULL)
#define PART(def, type, member) ROW(#member, type, false, def, member, NULL)
#define OTHER(key) {key, VXE_JSON_OTHER, false, 0, 0, NULL}
#define END OTHER(NULL)
/* clang-format on */

const vxe_json_row vxe_json_material[] = {
    KEPT(vxe_material_def, TEXT, name),
    KEPT(vxe_material_def, NUMBER, youngs_modulus),
    KEPT(vxe_material_def, NUMBER, poissons_ratio),
    KEPT(vxe_material_def, NUMBER, density),
    PART(vxe_material_def, NUMBER, expansion),
    OTHER("friction"),
    OTHER("color"),
    ROW("law", CHOICE, false, vxe_material_def, law, vxe_laws),
    PART(vxe_material_def, NUMBER, yield_stress),
    PART(vxe_material_def, NUMBER, plastic_modulus),
    PART(vxe_material_def, NUMBER, failure_stress),
    OTHER("table"),
    PART(vxe_material_def, TEXT, signal),
    PART(vxe_material_def, NUMBER, delay),
    PART(vxe_material_def, FLAG, fixed),
    PART(vxe_material_def, FLAG, unmeasured),
    PART(vxe_material_def, FLAG, target),
    PART(vxe_material_def, FLAG, rigid),
    PART(vxe_material_def, NUMBER, ground_damping),
    PART(vxe_material_def, FLAG, transparent),
    END,
};

const vxe_json_row vxe_json_signal[] = {
    KEPT(vxe_signal_def, TEXT, name),
    OTHER("waveform"),
    KEPT(vxe_signal_def, NUMBER, base),
    KEPT(vxe_signal_def, NUMBER, reference),
    KEPT(vxe_signal_def, NUMBER, amplitude),
    KEPT(vxe_signal_def, NUMBER, period),
    PART(vxe_signal_def, NUMBER, phase),
    PART(vxe_signal_def, NUMBER, start),
    PART(vxe_signal_def, FLAG, contract_only),
    PART(vxe_signal_def, FLAG, cool_only),
    PART(vxe_signal_def, NUMBER, delay),
    PART(vxe_signal_def, NUMBER, size_min),
    PART(vxe_signal_def, NUMBER, size_max),
    OTHER("table"),
    END,
};

const vxe_json_row vxe_json_part[] = {
    KEPT(vxe_part_def, TEXT, name),
    PART(vxe_part_def, FLAG, separate),
    END,
};

const vxe_json_row vxe_json_region[] = {
    KEPT(vxe_region_def, TEXT, name),
    OTHER("box"),
    OTHER("sphere"),
    OTHER("cylinder"),
    OTHER("ellipsoid"),
    OTHER("cells"),
    OTHER("units"),
    OTHER("thickness"),
    OTHER("touch"),
    OTHER("fixed"),
    PART(vxe_region_def, VECTOR, displacement),
    PART(vxe_region_def, VECTOR, rotation),
    OTHER("pivot"),
    PART(vxe_region_def, VECTOR, force),
    PART(vxe_region_def, VECTOR, torque),
    PART(vxe_region_def, NUMBER, ramp),
    PART(vxe_region_def, FLAG, in_place),
    END,
};

const vxe_json_row vxe_json_environment[] = {
    OTHER("gravity"),
    KEPT(vxe_environment, FLAG, floor),
    OTHER("damping"),
    ROW("elasticity", CHOICE, true, vxe_environment, elasticity, vxe_elasticities),
    ROW("plane", CHOICE, true, vxe_environment, plane, vxe_planes),
    ROW("collisions", CHOICE, true, vxe_environment, collisions, vxe_collisions_words),
    KEPT(vxe_environment, NUMBER, collision_horizon),
    PART(vxe_environment, NUMBER, collision_distance),
    PART(vxe_environment, FLAG, collision_smooth),
    PART(vxe_environment, FLAG, floor_sticky),
    PART(vxe_environment, NUMBER, floor_radius),
    PART(vxe_environment, NUMBER, drag),
    PART(vxe_environment, FLAG, kinetic_damping),
    PART(vxe_environment, NUMBER, pause_begin),
    PART(vxe_environment, NUMBER, pause_time),
    PART(vxe_environment, NUMBER, slow_window),
    PART(vxe_environment, NUMBER, slow_loss),
    PART(vxe_environment, NUMBER, slow_factor),
    PART(vxe_environment, FLAG, links_unbalanced),
    OTHER("force_field"),
    END,
};

const vxe_json_row vxe_json_stop[] = {
    PART(vxe_stop, NUMBER, time),
    PART(vxe_stop, COUNT, steps),
    PART(vxe_stop, NUMBER, cycles),
    PART(vxe_stop, NUMBER, kinetic_energy),
    PART(vxe_stop, NUMBER, speed),
    PART(vxe_stop, NUMBER, settle),
    PART(vxe_stop, COUNT, settle_steps),
    PART(vxe_stop, NUMBER, energy_change),
    PART(vxe_stop, NUMBER, movement),
    PART(vxe_stop, NUMBER, after),
    PART(vxe_stop, COUNT, after_steps),
    OTHER("formula"),
    END,
};

const vxe_json_row vxe_json_output[] = {
    OTHER("trace"),
    PART(vxe_output_def, NUMBER, every),
    PART(vxe_output_def, NUMBER, checkpoint_every),
    END,
};

const vxe_json_row vxe_json_experiment[] = {
    ROW("dialect", CHOICE, false, vxe_experiment, dialect, vxe_experiment_dialects),
    PART(vxe_experiment, TEXT, result_file),
    PART(vxe_experiment, TEXT, result_path),
    PART(vxe_experiment, NUMBER, trace_every),
    PART(vxe_experiment, FLAG, by_volume),
    PART(vxe_experiment, NUMBER, volume_exponent),
    PART(vxe_experiment, NUMBER, begin),
    PART(vxe_experiment, NUMBER, restart),
    PART(vxe_experiment, NUMBER, history_every),
    PART(vxe_experiment, FLAG, history_voxels),
    PART(vxe_experiment, FLAG, history_links),
    PART(vxe_experiment, FLAG, positions),
    PART(vxe_experiment, NUMBER, pair_distance),
    PART(vxe_experiment, TEXT, fall),
    PART(vxe_experiment, TEXT, needle),
    PART(vxe_experiment, TEXT, block),
    PART(vxe_experiment, NUMBER, afterlife),
    PART(vxe_experiment, NUMBER, group_at),
    PART(vxe_experiment, FLAG, history_inside),
    PART(vxe_experiment, FLAG, history_moving),
    PART(vxe_experiment, TEXT, history_bodies),
    OTHER("fitness"),
    OTHER("begin_when"),
    OTHER("end_when"),
    END,
};

const vxe_json_row vxe_json_water[] = {
    KEPT(vxe_water_def, NUMBER, density),
    ROW("normal_drag", NUMBER, true, vxe_water_def, normal, NULL),
    ROW("tangential_drag", NUMBER, true, vxe_water_def, tangential, NULL),
    OTHER("level"),
    OTHER("flow"),
    END,
};

const vxe_json_row vxe_json_start[] = {
    PART(vxe_start_def, TEXT, region),
    PART(vxe_start_def, TEXT, part),
    PART(vxe_start_def, VECTOR, velocity),
    PART(vxe_start_def, VECTOR, spin),
    PART(vxe_start_def, VECTOR, displacement),
    PART(vxe_start_def, VECTOR, rotation),
    OTHER("center"),
    END,
};

vxe_json_row vxe_json_rule_row(const rule_member *member)
{
    static const struct {
        size_t size;
        vxe_json_type type;
        bool always;
    } types[] = {
        [RULE_NUMBER] = {sizeof(double), VXE_JSON_NUMBER, false},
        [RULE_INTEGER] = {sizeof(int32_t), VXE_JSON_INTEGER, false},
        [RULE_SEED] = {sizeof(int64_t), VXE_JSON_LONG, false},
        [RULE_FLAG] = {sizeof(bool), VXE_JSON_FLAG, false},
        [RULE_NAME] = {VXE_NAME_SIZE, VXE_JSON_TEXT, false},
        [RULE_FORMULA] = {VXE_RULE_FORMULA_SIZE, VXE_JSON_TEXT, false},
        [RULE_VECTOR] = {3 * sizeof(double), VXE_JSON_VECTOR, false},
        [RULE_CELLS] = {3 * sizeof(int32_t), VXE_JSON_CELLS, true},
    };
    return (vxe_json_row){member->name,  types[member->type].type, types[member->type].always,
                          member->place, types[member->type].size, NULL};
}

void vxe_json_read_row(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                       const vxe_json_row *row, void *def)
{
    void *at = (char *)def + row->place;
    int64_t integer = 0;
    int choice = 0;
    switch (row->type) {
    case VXE_JSON_NUMBER: vxe_json_get_number(reader, place, object, row->key, at); break;
    case VXE_JSON_VECTOR: vxe_json_get_vector(reader, place, object, row->key, at); break;
    case VXE_JSON_FLAG: vxe_json_get_boolean(reader, place, object, row->key, at); break;
    case VXE_JSON_INTEGER:
        integer = *(int32_t *)at;
        vxe_json_get_integer(reader, place, object, row->key, INT32_MIN, INT32_MAX, &integer);
        *(int32_t *)at = (int32_t)integer;
        break;
    case VXE_JSON_CELLS: vxe_json_get_cells(reader, place, object, row->key, INT32_MIN, at); break;
    case VXE_JSON_LONG:
        vxe_json_get_integer(reader, place, object, row->key, INT64_MIN, INT64_MAX, at);
        break;
    case VXE_JSON_COUNT: vxe_json_get_integer(reader, place, object, row->key, 0, INT64_MAX, at); break;
    case VXE_JSON_TEXT: vxe_json_get_text(reader, place, object, row->key, row->size, at); break;
    case VXE_JSON_CHOICE: /* enumerations are as large as int here */
        memcpy(&choice, at, sizeof choice);
        vxe_json_get_word(reader, place, object, row->key, row->words, &choice);
        memcpy(at, &choice, sizeof choice);
        break;
    case VXE_JSON_OTHER: break;
    }
}

void vxe_json_read_members(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                           const vxe_json_row *rows, void *def)
{
    for (; rows->key != NULL; rows++) vxe_json_read_row(reader, place, object, rows, def);
}

void vxe_json_write_row(vxe_json_writer *w, const vxe_json_row *row, const void *def, const void *standard)
{
    const void *at = (const char *)def + row->place;
    const void *usual = (const char *)standard + row->place;
    int choice = 0;
    if (row->type == VXE_JSON_OTHER) return;
    if (!row->always && row->type == VXE_JSON_TEXT && *(const char *)at == '\0') return;
    if (!row->always && row->type != VXE_JSON_TEXT && memcmp(at, usual, row->size) == 0) return;
    switch (row->type) {
    case VXE_JSON_NUMBER: vxe_json_write_number(w, row->key, *(const double *)at); break;
    case VXE_JSON_VECTOR: vxe_json_write_vector(w, row->key, at); break;
    case VXE_JSON_FLAG:
        vxe_json_begin(w, row->key);
        vxe_json_put(w, *(const bool *)at ? "true" : "false");
        break;
    case VXE_JSON_INTEGER: vxe_json_write_integer(w, row->key, *(const int32_t *)at); break;
    case VXE_JSON_CELLS: vxe_json_write_cells(w, row->key, at); break;
    case VXE_JSON_LONG:
    case VXE_JSON_COUNT: vxe_json_write_integer(w, row->key, *(const int64_t *)at); break;
    case VXE_JSON_TEXT: vxe_json_write_text(w, row->key, at); break;
    case VXE_JSON_CHOICE:
        memcpy(&choice, at, sizeof choice);
        vxe_json_write_word(w, row->key, row->words, choice);
        break;
    case VXE_JSON_OTHER: break;
    }
}

const vxe_json_row *vxe_json_write_members(vxe_json_writer *w, const vxe_json_row *rows, const void *def,
                                           const void *standard)
{
    for (; rows->key != NULL && rows->type != VXE_JSON_OTHER; rows++)
        vxe_json_write_row(w, rows, def, standard);
    while (rows->key != NULL && rows->type == VXE_JSON_OTHER) rows++;
    return rows;
}
