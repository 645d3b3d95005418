/* Values in JSON: see values.h. */
#include "picture/values.h"

#include <math.h>
#include <string.h>

size_t vxe_type_size(const char *type)
{
    static const struct {
        const char *name;
        size_t size;
    } types[] = {{"f32", 4}, {"f64", 8}, {"u32", 4}, {"i32", 4}, {"u16", 2}, {"u8", 1}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(type, types[i].name) == 0) return types[i].size;
    }
    return 0;
}

json_t *vxe_number_json(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *vxe_vector_json(const double value[3])
{
    json_t *list = json_array();
    for (int a = 0; a < 3; a++) (void)json_array_append_new(list, vxe_number_json(value[a]));
    return list;
}
