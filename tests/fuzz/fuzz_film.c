/* Reads any bytes as a replay. */
#include "base/base.h"
#include "picture/film.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    vxe_film *film = NULL;
    vxe_error error;
    if (size > 100000) return 0;
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    if (vxe_film_parse(text, size, "fuzz.html", "strain", &film, &error) == VXE_OK) {
        vxe_picture_def def = vxe_default_picture_def();
        uint8_t pixels[3 * 32 * 18];
        def.width = 32;
        def.height = 18;
        (void)vxe_film_draw(film, &def, 0.0, pixels, &error);
        vxe_film_destroy(film);
    } else if (strlen(error.message) == 0 || !vxe_valid_text(error.message)) {
        abort();
    }
    free(text);
    return 0;
}
