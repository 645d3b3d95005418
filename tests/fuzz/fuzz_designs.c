/* Reads any bytes as lines of a batch. What is refused says why in plain text; what is accepted has a hash
 * that does not depend on when it is read, and gives a scene or a message. */
#include "designs/design.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A few bytes can ask for a large workspace; that is slow, not wrong. */
static int is_small(const json_t *root)
{
    const json_t *sides = json_object_get(json_object_get(json_object_get(root, "scene"), "lattice"), "size");
    const json_t *changes = json_object_get(root, "changes");
    double cells = 1.0;
    for (size_t i = 0; i < json_array_size(sides); i++) cells *= json_number_value(json_array_get(sides, i));
    return cells <= 20000.0 && (json_object_size(changes) == 0 || sides == NULL || cells <= 2000.0) &&
           json_object_get(changes, "lattice") == NULL && json_object_get(changes, "lattice.size") == NULL;
}

static void check_message(const vxe_error *error)
{
    if (error->code == VXE_OK || error->message[0] == '\0' || !vxe_valid_text(error->message)) abort();
}

static void try_line(design_reader *reader, const design_item *item)
{
    design_plan plan;
    design_plan again;
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = vxe_plan_read(reader, item, &plan, &error);
    if (!vxe_valid_text(plan.id) || plan.id[0] == '\0' || plan.repeats < 1) abort();
    if (vxe_plan_read(reader, item, &again, NULL) != result ||
        memcmp(plan.hash, again.hash, DIGEST_SIZE) != 0)
        abort();
    vxe_plan_free(&again);
    if (result != VXE_OK) {
        check_message(&error);
        return;
    }
    if (is_small(plan.root)) {
        vxe_scene *scene = NULL;
        vxe_stop stop;
        if (vxe_plan_scene(reader, &plan, 1, &scene, &stop, &error) != VXE_OK) check_message(&error);
        vxe_scene_destroy(scene);
    }
    vxe_plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const design_settings settings = {
        .label = "fuzz.jsonl", .folder = "/nonexistent", .sim = vxe_default_sim_def()};
    design_reader *reader = NULL;
    if (size > 100000 || vxe_reader_create(&settings, &reader, NULL) != VXE_OK) return 0;
    for (size_t begin = 0, number = 1; begin < size; number++) {
        const uint8_t *end = memchr(data + begin, '\n', size - begin);
        const size_t length = end != NULL ? (size_t)(end - data) - begin : size - begin;
        design_item item = {.number = (int64_t)number, .size = length, .text = malloc(length + 1)};
        if (item.text == NULL) break;
        memcpy(item.text, data + begin, length);
        item.text[length] = '\0';
        try_line(reader, &item);
        vxe_item_free(&item);
        begin += length + 1;
    }
    vxe_reader_destroy(reader);
    return 0;
}
