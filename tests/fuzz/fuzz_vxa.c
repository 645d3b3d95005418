/* Reads any bytes as a file of the VoxCAD family, in the dialect that the first byte says. What is accepted
 * must be written, read again and be the same model. */
#include "io/vxa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The sides of a grid that a few bytes can ask for: large ones are slow, not wrong. */
static int is_small(const char *text)
{
    static const char *const tags[] = {"<X_Voxels>", "<Y_Voxels>", "<Z_Voxels>"};
    for (size_t t = 0; t < 3; t++) {
        for (const char *at = strstr(text, tags[t]); at != NULL; at = strstr(at + 1, tags[t])) {
            if (!(fabs(strtod(at + 10, NULL)) <= 16.0)) return 0;
        }
    }
    return 1;
}

static uint64_t hash_of(const vxe_scene *scene)
{
    vxe_model *model = NULL;
    vxe_error error;
    if (vxe_compile(scene, &model, &error) != VXE_OK) return 0;
    const uint64_t hash = vxe_model_hash(model);
    vxe_model_destroy(model);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 60000) return 0;
    char *text = malloc(size);
    if (text == NULL) return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    const vxe_load_def def = {.dialect = (vxe_dialect)(data[0] % 4)};
    const vxe_source source = {text, size - 1, "fuzz.vxa", NULL};
    vxe_scene *scene = NULL;
    vxe_error error;
    vxe_notes *notes = vxe_notes_create();
    if (notes == NULL) abort();
    if (is_small(text)) {
        if (vxe_vxa_parse(&source, &def, &scene, notes, &error) != VXE_OK) {
            if (strlen(error.message) == 0 || !vxe_valid_text(error.message)) abort();
        } else if (vxe_scene_voxel_count(scene) > 0) {
            char *printed = NULL;
            size_t length = 0;
            vxe_scene *again = NULL;
            vxe_notes *others = vxe_notes_create();
            if (others == NULL || vxe_vxa_print(scene, false, others, &printed, &length, &error) != VXE_OK)
                abort();
            const vxe_load_def plain = {.dialect = VXE_DIALECT_AUTO};
            const vxe_source second = {printed, length, "again.vxa", NULL};
            if (vxe_vxa_parse(&second, &plain, &again, others, &error) != VXE_OK ||
                hash_of(scene) != hash_of(again))
                abort();
            xmlFree(printed);
            vxe_scene_destroy(again);
            vxe_notes_destroy(others);
        }
    }
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    free(text);
    return 0;
}
