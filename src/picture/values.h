/* Values in JSON: numbers, vectors, and the types of arrays. */
#ifndef PICTURE_VALUES_H
#define PICTURE_VALUES_H

#include <jansson.h>
#include <stddef.h>

/* Bytes of an element of a type ("f32", ...); 0: there is no such type. */
size_t vxe_type_size(const char *type);
/* A JSON number; null if it is not finite. */
json_t *vxe_number_json(double value);
json_t *vxe_vector_json(const double value[3]);

#endif
