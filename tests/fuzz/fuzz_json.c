/* Reads any bytes as a JSON scene. What is accepted must print, read again and print the same text. */
#include "io/json.h"
#include "voxelastic/io.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A few bytes can ask for a large workspace; that is slow, not wrong. */
static int is_small(const char *text, size_t size)
{
    json_t *root = json_loadb(text, size, 0, NULL);
    const json_t *sides = json_object_get(json_object_get(root, "lattice"), "size");
    double cells = 1.0;
    for (size_t i = 0; i < json_array_size(sides); i++) cells *= json_number_value(json_array_get(sides, i));
    json_decref(root);
    return cells <= 20000.0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vxe_scene *scene = NULL;
    vxe_scene *again = NULL;
    char *text = NULL;
    char *text_again = NULL;
    vxe_error error;
    if (size > 100000 || !is_small((const char *)data, size)) return 0;
    if (vxe_scene_parse_json((const char *)data, size, "fuzz.json", NULL, &scene, &error) != VXE_OK) {
        if (strlen(error.message) == 0 || !vxe_valid_text(error.message)) abort();
        return 0;
    }
    if (vxe_scene_print_json(scene, &text, &error) != VXE_OK ||
        vxe_scene_parse_json(text, strlen(text), "again.json", NULL, &again, &error) != VXE_OK ||
        vxe_scene_print_json(again, &text_again, &error) != VXE_OK || strcmp(text, text_again) != 0)
        abort();
    free(text_again);
    free(text);
    vxe_scene_destroy(again);
    vxe_scene_destroy(scene);
    return 0;
}
