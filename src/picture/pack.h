/* Numbers and arrays in JSON; arrays compressed as zlib does and written in base64. */
#ifndef PICTURE_PACK_H
#define PICTURE_PACK_H

#include <jansson.h>
#include <stddef.h>

/* Bytes of an element of a type ("f32", ...); 0: there is no such type. */
size_t vxe_type_size(const char *type);
/* A JSON number; null if it is not finite. */
json_t *vxe_number_json(double value);
json_t *vxe_vector_json(const double value[3]);

/* {"type", "count", "data"} of an array; NULL if there is no memory. */
json_t *vxe_pack_json(const char *type, size_t count, const void *data);
/* Bytes of its text. */
size_t vxe_pack_size(const json_t *packed);

#endif
