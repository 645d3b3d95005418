/* Changes of a scene by path. */
#include "designs/design.h"
#include "designs/reader.h"

#include <string.h>

enum { KEY_SIZE = 128, DEPTH_MAX = 32 };

/* One step of a path. */
typedef struct path_step {
    char key[KEY_SIZE];
    size_t index;
    bool by_index;
} path_step;

/* Reads [3] or ["a.b"]; NULL: neither. */
static const char *read_bracket(const char *at, path_step *step)
{
    size_t used = 0;
    at++;
    if (*at == '"') {
        for (at++; *at != '"' && *at != '\0' && used + 1 < KEY_SIZE; at++) step->key[used++] = *at;
        if (at[0] != '"' || at[1] != ']') return NULL;
        step->key[used] = '\0';
        return at + 2;
    }
    step->by_index = true;
    step->index = 0;
    const char *begin = at;
    for (; *at >= '0' && *at <= '9' && at - begin < 9; at++)
        step->index = 10 * step->index + (size_t)(*at - '0');
    return at > begin && *at == ']' ? at + 1 : NULL;
}

/* The next step of a path; NULL: it is not one. */
static const char *read_step(const char *at, bool first, path_step *step)
{
    size_t used = 0;
    step->by_index = false;
    if (*at == '[' && !first) return read_bracket(at, step);
    if (!first) {
        if (*at != '.') return NULL;
        at++;
    }
    for (; *at != '\0' && *at != '.' && *at != '['; at++) {
        if (used + 1 >= KEY_SIZE) return NULL;
        step->key[used++] = *at;
    }
    step->key[used] = '\0';
    return used > 0 ? at : NULL;
}

/* Where in a list the element of a name is; its length: nowhere. */
static size_t find_named(const json_t *list, const char *name)
{
    size_t i = 0;
    for (; i < json_array_size(list); i++) {
        const char *own = json_string_value(json_object_get(json_array_get(list, i), "name"));
        if (own != NULL && strcmp(own, name) == 0) break;
    }
    return i;
}

/* Sets, replaces or removes what a step leads to. */
static bool set_value(json_t *at, const path_step *step, size_t index, json_t *value)
{
    if (json_is_array(at)) {
        if (json_is_null(value)) return json_array_remove(at, index) == 0;
        if (index == json_array_size(at)) return json_array_append(at, value) == 0;
        return json_array_set(at, index, value) == 0;
    }
    if (json_is_null(value)) {
        (void)json_object_del(at, step->key);
        return true;
    }
    return json_object_set(at, step->key, value) == 0;
}

vxe_result vxe_change_json(json_t *root, const char *path, json_t *value, vxe_error *error)
{
    char room[READER_SHOWN];
    json_t *at = root;
    const char *rest = path;
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        path_step step = {.index = 0};
        rest = read_step(rest, depth == 0, &step);
        if (rest == NULL || (step.by_index && !json_is_array(at)) ||
            (!json_is_array(at) && !json_is_object(at)))
            break;
        const bool last = *rest == '\0';
        size_t index = step.index;
        if (json_is_array(at)) {
            if (!step.by_index) index = find_named(at, step.key);
            const size_t size = json_array_size(at);
            if (index > size || (index == size && !(last && step.by_index)))
                return vxe_fail(error, VXE_ERROR_INPUT, "changes: \"%s\": there is no such element",
                                vxe_reader_shown(path, room));
        }
        if (last) {
            if (set_value(at, &step, index, value)) return VXE_OK;
            return vxe_fail(error, VXE_ERROR_INPUT, "changes: \"%s\" cannot be set",
                            vxe_reader_shown(path, room));
        }
        json_t *next = json_is_array(at) ? json_array_get(at, index) : json_object_get(at, step.key);
        if (next == NULL && json_object_set_new(at, step.key, json_object()) == 0)
            next = json_object_get(at, step.key);
        at = next;
        if (at == NULL) break;
    }
    return vxe_fail(error, VXE_ERROR_INPUT,
                    "changes: \"%s\" is not a path such as \"environment.gravity\", "
                    "\"materials.NAME.density\" or \"signals[0].period\"",
                    vxe_reader_shown(path, room));
}
