#include "base/settings.h"

#include "base/base.h"

#include <string.h>

/* More than any version will ever have: beyond, it is not a size. */
#define SETTINGS_SIZE_MAX 65536

vxe_result vxe_settings_take(const settings_type *type, const void *given, void *own, vxe_error *error)
{
    size_t size = 0;
    memcpy(&size, given, sizeof size);
    if (size == 0 && type->defaults == NULL) size = type->first;
    if (size < type->first || size > SETTINGS_SIZE_MAX) {
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        type->defaults != NULL
                            ? "%s: its size is not set; settings start from their defaults (vxe_default_...)"
                            : "%s: its size is neither 0 nor that of the struct",
                        type->name);
    }
    const char *bytes = given;
    for (size_t i = type->size; i < size; i++) {
        if (bytes[i] != 0)
            return vxe_fail(error, VXE_ERROR_ARGUMENT, "%s: it has settings that this version does not know",
                            type->name);
    }
    if (type->defaults != NULL) {
        memcpy(own, type->defaults, type->size);
    } else {
        memset(own, 0, type->size);
    }
    memcpy(own, given, size < type->size ? size : type->size);
    memcpy(own, &type->size, sizeof type->size);
    return VXE_OK;
}

void vxe_settings_give(const settings_type *type, const void *own, void *out, size_t size)
{
    if (out == NULL || size < sizeof size) return;
    if (own == NULL) own = type->defaults;
    memset(out, 0, size);
    if (own != NULL) memcpy(out, own, size < type->size ? size : type->size);
    memcpy(out, &size, sizeof size);
}
