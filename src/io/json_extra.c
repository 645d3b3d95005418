/* The part of a JSON scene about experiments: formulas, what scripts expect of a run, pieces of other
 * programs' files. */
#include "io/json.h"

#include <string.h>

void vxe_json_get_formula(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                          const char *key, vxe_formula_role role)
{
    const char *text = NULL;
    const vxe_json_place member = vxe_json_member(place, key);
    vxe_json_get_string(reader, place, object, key, &text);
    vxe_error cause;
    if (text != NULL && reader->result == VXE_OK &&
        vxe_scene_set_formula(reader->scene, role, text, &cause) != VXE_OK)
        vxe_json_fail(reader, cause.code, &member, "%s", cause.message);
}

void vxe_json_read_formulas(vxe_json_reader *reader, const vxe_json_place *place, const char *key,
                            const json_t *value, vxe_formula_role first)
{
    const vxe_json_place member = vxe_json_member(place, key);
    if (value == NULL || !vxe_json_is_array(reader, &member, value)) return;
    if (json_array_size(value) != 3) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "must be an array of 3 formulas");
        return;
    }
    for (size_t a = 0; a < 3 && reader->result == VXE_OK; a++) {
        const vxe_json_place element = vxe_json_element(&member, a);
        const json_t *text = json_array_get(value, a);
        vxe_error cause;
        if (!json_is_string(text))
            vxe_json_wrong_type(reader, &element, "a string", text);
        else if (vxe_scene_set_formula(reader->scene, (vxe_formula_role)((size_t)first + a),
                                       json_string_value(text), &cause) != VXE_OK)
            vxe_json_fail(reader, cause.code, &element, "%s", cause.message);
    }
}

void vxe_json_read_experiment(vxe_json_reader *reader, const json_t *object)
{
    const vxe_json_place place = vxe_json_member(NULL, "experiment");
    if (object == NULL || !vxe_json_is_object(reader, &place, object, VXE_JSON_EXPERIMENT)) return;
    vxe_experiment e = vxe_scene_experiment(reader->scene);
    int dialect = (int)e.dialect;
    const char *file = NULL;
    const char *path = NULL;
    const vxe_json_place file_place = vxe_json_member(&place, "result_file");
    const vxe_json_place path_place = vxe_json_member(&place, "result_path");
    vxe_json_get_word(reader, &place, object, "dialect", vxe_json_dialects, &dialect);
    vxe_json_get_string(reader, &place, object, "result_file", &file);
    vxe_json_get_string(reader, &place, object, "result_path", &path);
    vxe_json_get_number(reader, &place, object, "trace_every", &e.trace_every);
    vxe_json_get_boolean(reader, &place, object, "by_volume", &e.by_volume);
    vxe_json_get_number(reader, &place, object, "volume_exponent", &e.volume_exponent);
    vxe_json_get_number(reader, &place, object, "begin", &e.begin);
    vxe_json_get_number(reader, &place, object, "restart", &e.restart);
    vxe_json_get_number(reader, &place, object, "history_every", &e.history_every);
    vxe_json_get_boolean(reader, &place, object, "history_voxels", &e.history_voxels);
    vxe_json_get_boolean(reader, &place, object, "history_links", &e.history_links);
    vxe_json_get_boolean(reader, &place, object, "positions", &e.positions);
    vxe_json_get_number(reader, &place, object, "pair_distance", &e.pair_distance);
    vxe_json_get_name(reader, &place, object, "fall", e.fall);
    vxe_json_get_name(reader, &place, object, "needle", e.needle);
    vxe_json_get_name(reader, &place, object, "block", e.block);
    vxe_json_get_number(reader, &place, object, "afterlife", &e.afterlife);
    vxe_json_get_number(reader, &place, object, "group_at", &e.group_at);
    vxe_json_get_boolean(reader, &place, object, "history_inside", &e.history_inside);
    vxe_json_get_boolean(reader, &place, object, "history_moving", &e.history_moving);
    vxe_json_get_name(reader, &place, object, "history_bodies", e.history_bodies);
    vxe_json_get_formula(reader, &place, object, "fitness", VXE_FORMULA_FITNESS);
    vxe_json_get_formula(reader, &place, object, "begin_when", VXE_FORMULA_BEGIN);
    vxe_json_get_formula(reader, &place, object, "end_when", VXE_FORMULA_END);
    if (reader->result != VXE_OK) return;
    e.dialect = (vxe_dialect)dialect;
    if (file != NULL && strlen(file) >= sizeof e.result_file) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &file_place, "longer than %zu bytes",
                      sizeof e.result_file - 1);
        return;
    }
    if (path != NULL && strlen(path) >= sizeof e.result_path) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &path_place, "longer than %zu bytes",
                      sizeof e.result_path - 1);
        return;
    }
    if (file != NULL) memcpy(e.result_file, file, strlen(file) + 1);
    if (path != NULL) memcpy(e.result_path, path, strlen(path) + 1);
    vxe_error cause;
    if (vxe_scene_set_experiment(reader->scene, &e, &cause) != VXE_OK)
        vxe_json_refused(reader, &place, object, VXE_JSON_EXPERIMENT, &cause);
}

void vxe_json_read_foreign(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object)
{
    if (!vxe_json_is_object(reader, place, object, VXE_JSON_FOREIGN)) return;
    const char *path = NULL;
    const char *text = NULL;
    vxe_json_require(reader, place, object, "path");
    vxe_json_require(reader, place, object, "text");
    vxe_json_get_string(reader, place, object, "path", &path);
    vxe_json_get_string(reader, place, object, "text", &text);
    vxe_error cause;
    if (reader->result == VXE_OK && vxe_scene_add_foreign(reader->scene, path, text, &cause) != VXE_OK)
        vxe_json_refused(reader, place, object, VXE_JSON_FOREIGN, &cause);
}
