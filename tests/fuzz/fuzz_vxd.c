/* Reads any bytes as an overlay of voxcraft on a base: the part before the first zero byte is the overlay,
 * the rest the base; without a zero byte the base is a small one. */
#include "io/vxd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char base_text[] =
    "<VXA "
    "Version=\"1.1\"><Simulator><Damping><BondDampingZ>1</BondDampingZ></Damping></Simulator><Environment></"
    "Environment>"
    "<VXC "
    "Version=\"0.94\"><Lattice><Lattice_Dim>0.01</Lattice_Dim></Lattice><Palette><Material><Name>A</"
    "Name><Mechanical>"
    "<Elastic_Mod>1e6</Elastic_Mod><Density>1000</Density></Mechanical></Material></Palette><Structure "
    "Compression=\"ASCII_READABLE\"><X_Voxels>2</X_Voxels><Y_Voxels>1</Y_Voxels><Z_Voxels>1</"
    "Z_Voxels><Data><Layer>11"
    "</Layer></Data></Structure></VXC></VXA>";

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 60000) return 0;
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    const size_t length = strlen(text);
    const char *rest = length < size ? text + length + 1 : base_text;
    const vxe_source overlay = {text, length, "fuzz.vxd", NULL};
    const vxe_source base = {rest, strlen(rest), "base.vxa", NULL};
    const vxe_load_def def = {.dialect = VXE_DIALECT_AUTO};
    vxe_scene *scene = NULL;
    vxe_error error;
    vxe_notes *notes = vxe_notes_create();
    if (notes == NULL) abort();
    if (is_small(text) && is_small(rest) &&
        vxe_vxd_merge_texts(&base, &overlay, &def, &scene, notes, &error) != VXE_OK &&
        (strlen(error.message) == 0 || !vxe_valid_text(error.message)))
        abort();
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    free(text);
    return 0;
}
