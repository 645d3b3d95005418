/* Reads any bytes as a formula. What is accepted has a value, prints, and reads back as the same program. */
#include "scene/expression.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 5000) return 0;
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    vxe_formula formula;
    vxe_error error;
    if (vxe_formula_parse(text, &formula, &error) == VXE_OK) {
        const double variables[VXE_VARIABLE_COUNT] = {1.0, 2.0, 3.0};
        const double value = vxe_formula_value(&formula, variables);
        char *printed = vxe_formula_print(&formula);
        vxe_formula again;
        if (printed == NULL) abort();
        /* brackets of the printed form may nest deeper than allowed */
        if (vxe_formula_parse(printed, &again, &error) == VXE_OK) {
            const double other = vxe_formula_value(&again, variables);
            if (again.count != formula.count || !(other == value || (other != other && value != value)))
                abort();
            vxe_formula_free(&again);
        } else if (error.code != VXE_ERROR_LIMIT) {
            abort();
        }
        free(printed);
        vxe_formula_free(&formula);
    }
    free(text);
    return 0;
}
