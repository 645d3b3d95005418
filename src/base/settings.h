/* Structs of settings as they come from programs, which may have been built with an earlier version of them.
 * Each begins with its size; members are only ever added at the end. */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include "voxelastic/base.h"

/* A struct of settings. */
typedef struct settings_type {
    const char *name;     /* of the struct */
    size_t size;          /* bytes, now */
    size_t first;         /* bytes of its first version: what every program has */
    const void *defaults; /* of this version; NULL: zeros, and a size of 0 stands for the first version */
} settings_type;

/* Where a member ends. */
#define SETTINGS_END(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* What a program gave, with the defaults of members that it does not know, into `own`. VXE_ERROR_ARGUMENT:
 * its size is none that can be, or it sets members that this version does not know. */
vxe_result vxe_settings_take(const settings_type *type, const void *given, void *own, vxe_error *error);
/* Settings, or the defaults (NULL), into a program's struct of `size` bytes. */
void vxe_settings_give(const settings_type *type, const void *own, void *out, size_t size);

#endif
