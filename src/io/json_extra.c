/* The part of a JSON scene about experiments: formulas, what scripts expect of a run, pieces of other
 * programs' files. */
#include "io/json_members.h"

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
    vxe_json_read_members(reader, &place, object, vxe_json_experiment, &e);
    vxe_json_get_formula(reader, &place, object, "fitness", VXE_FORMULA_FITNESS);
    vxe_json_get_formula(reader, &place, object, "begin_when", VXE_FORMULA_BEGIN);
    vxe_json_get_formula(reader, &place, object, "end_when", VXE_FORMULA_END);
    if (reader->result != VXE_OK) return;
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
