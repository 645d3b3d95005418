/* Reading commands; see command.h. */
#include "studio/command.h"
#include "io/json.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Values in a command: bounds what parsing may allocate for 64 MiB of "[[[[". */
enum { COMMAND_VALUES_MAX = 8000000 };

static void note(failure *f, const char *code, const char *format, va_list arguments)
{
    if (f->code != NULL) return;
    f->code = code;
    (void)vsnprintf(f->message, sizeof f->message, format, arguments);
}

bool fail(failure *f, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(f, code, format, arguments);
    va_end(arguments);
    return false;
}

void *no_reply(failure *f, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    note(f, code, format, arguments);
    va_end(arguments);
    return NULL;
}

bool fail_error(failure *f, const vxe_error *error)
{
    static const char *const codes[] = {[VXE_OK] = "argument",
                                        [VXE_ERROR_ARGUMENT] = "argument",
                                        [VXE_ERROR_INPUT] = "input",
                                        [VXE_ERROR_LIMIT] = "limit",
                                        [VXE_ERROR_FILE] = "file",
                                        [VXE_ERROR_MEMORY] = "memory",
                                        [VXE_ERROR_DIVERGED] = "diverged"};
    return fail(f, codes[error->code], "%s", error->message);
}

bool command_parse(command *c, const unsigned char *message, size_t size, bool binary, failure *f)
{
    memset(c, 0, sizeof *c);
    const char *text = (const char *)message;
    size_t length = size;
    if (size > COMMAND_BYTES_MAX) {
        return fail(f, "limit", "the message has %zu bytes, more than %zu", size, COMMAND_BYTES_MAX);
    }
    if (binary) {
        uint32_t header = 0;
        if (size < 4) return fail(f, "syntax", "a binary message begins with the length of its command");
        for (int i = 0; i < 4; i++) header |= (uint32_t)message[i] << 8 * i;
        if (header > size - 4) {
            return fail(f, "syntax", "a command of %u bytes in a message of %zu", header, size);
        }
        text += 4;
        length = header;
        c->bytes = message + 4 + header;
        c->byte_count = size - 4 - header;
    }
    if (vxe_json_count_values(text, length) > COMMAND_VALUES_MAX) {
        return fail(f, "limit", "the command has more than %d values", COMMAND_VALUES_MAX);
    }
    json_error_t error;
    c->object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (c->object == NULL) return fail(f, "syntax", "not JSON: %s at byte %d", error.text, error.position);
    const json_t *id = json_object_get(c->object, "id");
    if (json_is_integer(id)) {
        c->has_id = true;
        c->id = json_integer_value(id);
    } else if (id != NULL) {
        return fail(f, "argument", "\"id\" is not a whole number");
    }
    c->verb = json_string_value(json_object_get(c->object, "do"));
    if (c->verb == NULL) return fail(f, "syntax", "a command is an object with a text \"do\"");
    return true;
}

void command_clear(command *c)
{
    json_decref(c->object);
    memset(c, 0, sizeof *c);
}

static const json_t *find(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

bool take_text(const command *c, const char *key, const char **value, failure *f)
{
    const json_t *found = find(c->object, key);
    if (found == NULL) return f->code == NULL;
    if (!json_is_string(found)) return fail(f, "argument", "%s: \"%s\" is not a text", c->verb, key);
    *value = json_string_value(found);
    return f->code == NULL;
}

bool need_text(const command *c, const char *key, const char **value, failure *f)
{
    *value = "";
    if (!take_text(c, key, value, f)) return false;
    if (**value == '\0') return fail(f, "argument", "%s needs a text \"%s\"", c->verb, key);
    return true;
}

bool take_flag(const command *c, const char *key, bool *value, failure *f)
{
    const json_t *found = find(c->object, key);
    if (found == NULL) return f->code == NULL;
    if (!json_is_boolean(found)) {
        return fail(f, "argument", "%s: \"%s\" is neither true nor false", c->verb, key);
    }
    *value = json_is_true(found);
    return f->code == NULL;
}

bool get_number(const json_t *object, const char *what, const char *key, double *value, failure *f)
{
    const json_t *found = find(object, key);
    if (found == NULL) return f->code == NULL;
    if (!json_is_number(found) || !isfinite(json_number_value(found))) {
        return fail(f, "argument", "%s: \"%s\" is not a number", what, key);
    }
    *value = json_number_value(found);
    return f->code == NULL;
}

bool take_number(const command *c, const char *key, double low, double high, double *value, failure *f)
{
    double number = *value;
    if (!get_number(c->object, c->verb, key, &number, f)) return false;
    if (!(number >= low && number <= high)) {
        return fail(f, "argument", "%s: \"%s\" is %g, not within %g to %g", c->verb, key, number, low, high);
    }
    *value = number;
    return true;
}

bool take_count(const command *c, const char *key, int64_t low, int64_t high, int64_t *value, failure *f)
{
    const json_t *found = find(c->object, key);
    if (found == NULL) return f->code == NULL;
    if (!json_is_integer(found)) return fail(f, "argument", "%s: \"%s\" is not a whole number", c->verb, key);
    const json_int_t number = json_integer_value(found);
    if (number < low || number > high) {
        return fail(f, "argument", "%s: \"%s\" is %lld, not within %lld to %lld", c->verb, key,
                    (long long)number, (long long)low, (long long)high);
    }
    *value = number;
    return f->code == NULL;
}

bool get_vector(const json_t *object, const char *what, const char *key, double value[3], bool *given,
                failure *f)
{
    const json_t *found = find(object, key);
    if (given != NULL) *given = found != NULL;
    if (found == NULL) return f->code == NULL;
    double numbers[3] = {0.0, 0.0, 0.0};
    bool good = json_array_size(found) == 3;
    for (size_t a = 0; a < 3 && good; a++) {
        const json_t *item = json_array_get(found, a);
        good = json_is_number(item) && isfinite(json_number_value(item));
        numbers[a] = json_number_value(item);
    }
    if (!good) return fail(f, "argument", "%s: \"%s\" is not a list of three numbers", what, key);
    memcpy(value, numbers, sizeof numbers);
    return f->code == NULL;
}

bool check_keys(const command *c, const char *const *keys, size_t count, failure *f)
{
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach(c->object, key, value)
    {
        bool known = strcmp(key, "id") == 0 || strcmp(key, "do") == 0;
        for (size_t i = 0; i < count && !known; i++) known = strcmp(key, keys[i]) == 0;
        if (!known) return fail(f, "unknown", "%s has no member \"%.64s\"", c->verb, key);
    }
    return true;
}
