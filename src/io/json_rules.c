/* The top-level member `rules` of a JSON scene: members by the table of scene/rules.h. */
#include "io/json_members.h"

#include <stdlib.h>
#include <string.h>

static void read_inputs(vxe_json_reader *reader, const vxe_json_place *place, const json_t *inputs,
                        vxe_rule_def *def)
{
    if (inputs == NULL || !vxe_json_is_array(reader, place, inputs)) return;
    if (json_array_size(inputs) > VXE_NETWORK_INPUTS_MAX) {
        vxe_json_fail(reader, VXE_ERROR_LIMIT, place, "more than %d inputs", VXE_NETWORK_INPUTS_MAX);
        return;
    }
    for (size_t i = 0; i < json_array_size(inputs) && reader->result == VXE_OK; i++) {
        const vxe_json_place element = vxe_json_element(place, i);
        const char *text = json_string_value(json_array_get(inputs, i));
        if (text == NULL) {
            vxe_json_wrong_type(reader, &element, "a string", json_array_get(inputs, i));
        } else if (strlen(text) >= VXE_NETWORK_INPUT_SIZE) {
            vxe_json_fail(reader, VXE_ERROR_INPUT, &element, "longer than %d bytes",
                          VXE_NETWORK_INPUT_SIZE - 1);
        } else {
            memcpy(def->inputs[i], text, strlen(text) + 1);
        }
    }
    def->input_count = (int32_t)json_array_size(inputs);
}

static void read_layers(vxe_json_reader *reader, const vxe_json_place *place, const json_t *layers,
                        vxe_rule_def *def)
{
    if (layers == NULL || !vxe_json_is_array(reader, place, layers)) return;
    if (json_array_size(layers) > VXE_NETWORK_LAYERS_MAX) {
        vxe_json_fail(reader, VXE_ERROR_LIMIT, place, "more than %d layers", VXE_NETWORK_LAYERS_MAX);
        return;
    }
    for (size_t i = 0; i < json_array_size(layers) && reader->result == VXE_OK; i++) {
        const vxe_json_place element = vxe_json_element(place, i);
        int64_t count = 0;
        vxe_json_integer(reader, &element, json_array_get(layers, i), 1, VXE_NETWORK_WIDTH_MAX, &count);
        def->layers[i] = (int32_t)count;
    }
    def->layer_count = (int32_t)json_array_size(layers);
}

/* The caller frees them. */
static double *read_weights(vxe_json_reader *reader, const vxe_json_place *place, const json_t *weights,
                            vxe_rule_def *def)
{
    if (weights == NULL || !vxe_json_is_array(reader, place, weights)) return NULL;
    const size_t count = json_array_size(weights);
    double *numbers = vxe_allocate(count + 1, sizeof *numbers);
    if (numbers == NULL) {
        reader->result = vxe_fail_memory(reader->error, "the weights of a network", count * sizeof *numbers);
        return NULL;
    }
    for (size_t i = 0; i < count && reader->result == VXE_OK; i++) {
        const vxe_json_place element = vxe_json_element(place, i);
        vxe_json_number(reader, &element, json_array_get(weights, i), &numbers[i]);
    }
    def->weight_count = (int32_t)count; /* the number of values is limited */
    def->weights = numbers;
    return numbers;
}

/* Kinds and outputs have names, so that words can be found; tables are short. */
static int find_word(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                     const char *key, const char *const *words, size_t count)
{
    const vxe_json_place member = vxe_json_member(place, key);
    const char *word = NULL;
    vxe_json_get_string(reader, place, object, key, &word);
    for (size_t i = 0; word != NULL && i < count; i++) {
        if (strcmp(words[i], word) == 0) return (int)i;
    }
    if (word != NULL && reader->result == VXE_OK) vxe_json_unknown(reader, &member, key, word, words, count);
    return 0;
}

void vxe_json_read_rule(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object)
{
    const char *kinds[RULE_KINDS - 1];
    for (int k = 1; k < RULE_KINDS; k++) kinds[k - 1] = vxe_rule_kind_name((vxe_rule_kind)k);
    if (!vxe_json_is_object(reader, place, object, VXE_JSON_RULE)) return;
    vxe_json_require(reader, place, object, "kind");
    const int kind = find_word(reader, place, object, "kind", kinds, RULE_KINDS - 1) + 1;
    if (reader->result != VXE_OK) return;
    vxe_rule_def def = vxe_default_rule_def((vxe_rule_kind)kind);
    for (size_t i = 0; i < vxe_rule_member_count; i++) {
        const rule_member *m = &vxe_rule_members[i];
        if ((m->kinds >> kind & 1U) != 0) {
            const vxe_json_row row = vxe_json_rule_row(m);
            vxe_json_read_row(reader, place, object, &row, &def);
        } else if (json_object_get(object, m->name) != NULL) {
            const vxe_json_place member = vxe_json_member(place, m->name);
            vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "a rule of kind %s has none", kinds[kind - 1]);
        }
    }
    const bool control = kind == VXE_RULE_CONTROL;
    static const char *const own[] = {"output", "inputs", "layers", "weights"};
    for (size_t i = 0; i < sizeof own / sizeof own[0] && !control; i++) {
        const vxe_json_place member = vxe_json_member(place, own[i]);
        if (json_object_get(object, own[i]) != NULL)
            vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "a rule of kind %s has none", kinds[kind - 1]);
    }
    double *weights = NULL;
    if (control && reader->result == VXE_OK) {
        const vxe_json_place inputs = vxe_json_member(place, "inputs");
        const vxe_json_place layers = vxe_json_member(place, "layers");
        const vxe_json_place numbers = vxe_json_member(place, "weights");
        def.output = (vxe_rule_output)find_word(reader, place, object, "output", vxe_rule_output_names,
                                                VXE_OUTPUT_COUNT);
        read_inputs(reader, &inputs, json_object_get(object, "inputs"), &def);
        read_layers(reader, &layers, json_object_get(object, "layers"), &def);
        weights = read_weights(reader, &numbers, json_object_get(object, "weights"), &def);
    }
    vxe_error cause;
    if (reader->result == VXE_OK && vxe_scene_add_rule(reader->scene, &def, NULL, &cause) != VXE_OK)
        vxe_json_refused(reader, place, object, VXE_JSON_RULE, &cause);
    free(weights);
}
