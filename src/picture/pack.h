/* Arrays in JSON: compressed as zlib does and written in base64. */
#ifndef PICTURE_PACK_H
#define PICTURE_PACK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes in base64, with a final zero; freed by free(). NULL: no memory. */
char *vxe_base64(const unsigned char *data, size_t size, size_t *length);
/* {"type", "count", "data"} of an array of a type of vxe_type_size(); NULL if there is no memory. */
json_t *vxe_pack_json(const char *type, size_t count, const void *data);
/* Sets it as a member of an object; false: no memory. */
bool vxe_pack_set(json_t *object, const char *name, const char *type, size_t count, const void *data);
/* The array, freed by free(); NULL if it is not one of this type and length, or there is no memory. */
void *vxe_unpack_json(const json_t *packed, const char *type, size_t count);

#endif
