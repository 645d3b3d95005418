/* The lower half of the JSON reader: words and keys of the format, places and their lines, messages, members
 * by type. See json.h. */
#include "io/formats.h"
#include "io/json_members.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- keys of the format --- */

#define KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})
static const struct {
    const char *name;
    const vxe_json_row *rows; /* NULL: none */
    const char *const *keys;  /* others, up to NULL; NULL: none */
} objects[VXE_JSON_KIND_COUNT] = {
#define KIND(kind, name, rows, keys) {name, rows, keys},
    VXE_JSON_KINDS(KIND)
#undef KIND
};

vxe_json_keys vxe_json_keys_of(vxe_json_kind kind)
{
    vxe_json_keys all = {.name = objects[kind].name};
    for (const vxe_json_row *row = objects[kind].rows; row != NULL && row->key != NULL; row++)
        all.keys[all.count++] = row->key;
    for (const char *const *key = objects[kind].keys; key != NULL && *key != NULL; key++)
        all.keys[all.count++] = *key;
    for (int f = 0; kind == VXE_JSON_FIELDS && f < VXE_FIELD_COUNT; f++)
        all.keys[all.count++] = vxe_field_name((vxe_field)f);
    for (size_t i = 0; kind == VXE_JSON_RULE && i < vxe_rule_member_count; i++)
        all.keys[all.count++] = vxe_rule_members[i].name;
    return all;
}

/* --- places: the text is valid JSON, so the scanner only has to know strings and brackets --- */

typedef struct scanner {
    const char *text;
    size_t size;
    size_t at;
    size_t line; /* of the place found last */
} scanner;

static char peek(scanner *scan)
{
    while (scan->at < scan->size && strchr(" \t\r\n", scan->text[scan->at]) != NULL) scan->at++;
    return scan->at < scan->size ? scan->text[scan->at] : '\0';
}

/* Steps over a string that begins here. */
static void skip_string(scanner *scan)
{
    for (scan->at++; scan->at < scan->size && scan->text[scan->at] != '"'; scan->at++) {
        if (scan->text[scan->at] == '\\') scan->at++;
    }
    scan->at++;
}

/* Steps over a value that begins here. */
static void skip_value(scanner *scan)
{
    size_t depth = 0;
    do {
        const char c = peek(scan);
        if (c == '"') {
            skip_string(scan);
        } else if (c == '{' || c == '[') {
            depth++;
            scan->at++;
        } else if (c == '}' || c == ']') {
            depth--;
            scan->at++;
        } else if (c == ',' || c == ':') {
            scan->at++;
        } else {
            while (scan->at < scan->size && strchr(" \t\r\n,:]}", scan->text[scan->at]) == NULL) scan->at++;
        }
    } while (depth > 0 && scan->at < scan->size);
}

/* Whether the string that begins here is `key`; steps over it. */
static bool match_key(scanner *scan, const char *key)
{
    const size_t begin = scan->at;
    skip_string(scan);
    if (scan->at > scan->size) return false;
    const size_t length = scan->at - begin;
    if (memchr(scan->text + begin, '\\', length) == NULL) {
        return length - 2 == strlen(key) && memcmp(scan->text + begin + 1, key, length - 2) == 0;
    }
    json_t *string = json_loadb(scan->text + begin, length, JSON_DECODE_ANY, NULL); /* it has escapes */
    const bool same = string != NULL && json_is_string(string) && strcmp(json_string_value(string), key) == 0;
    json_decref(string);
    return same;
}

/* Goes from the beginning of the parent's value to that of the place; notes the line where the place begins.
 */
static bool descend(scanner *scan, const vxe_json_place *place)
{
    if (place == NULL) return true;
    if (!descend(scan, place->parent)) return false;
    if (peek(scan) != (place->key != NULL ? '{' : '[')) return false;
    scan->at++;
    for (size_t index = 0;; index++) {
        const char c = peek(scan);
        if (c == '}' || c == ']' || c == '\0') return false;
        const size_t begin = scan->at;
        bool found = index == place->index;
        if (place->key != NULL) {
            found = match_key(scan, place->key);
            if (peek(scan) == ':') scan->at++;
            (void)peek(scan);
        }
        if (found) {
            scan->line = begin;
            return true;
        }
        skip_value(scan);
        if (peek(scan) == ',') scan->at++;
    }
}

/* Line of a place, from 1. Scans the text again: errors are rare and this keeps reading simple. */
static size_t line_of(const char *text, size_t size, const vxe_json_place *place)
{
    scanner scan = {text, size, 0, 0};
    (void)descend(&scan, place);
    if (place == NULL) (void)peek(&scan);
    const size_t end = place == NULL ? scan.at : scan.line;
    size_t line = 1;
    for (size_t i = 0; i < end && i < size; i++) line += text[i] == '\n';
    return line;
}

size_t vxe_json_count_values(const char *text, size_t size)
{
    size_t count = 1;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (c == '"')
            in_string = !in_string;
        else if (in_string)
            i += c == '\\';
        else
            count += c == ',' || c == '[' || c == '{';
    }
    return count;
}

/* Writes `materials[2].friction` after what is in the buffer already; a path that does not fit is cut. */
static void append_path(char *path, size_t size, const vxe_json_place *place)
{
    if (place == NULL) return;
    append_path(path, size, place->parent);
    char shown[VXE_JSON_SHOWN_SIZE];
    if (place->key == NULL)
        vxe_append(path, size, "[%zu]", place->index);
    else
        vxe_append(path, size, "%s%s", path[0] == '\0' ? "" : ".", vxe_json_shown(place->key, shown));
}

/* --- messages --- */

const char *vxe_json_shown(const char *text, char shown[VXE_JSON_SHOWN_SIZE])
{
    const size_t most = VXE_JSON_SHOWN_SIZE - 4;
    size_t length = strlen(text);
    const bool cut = length > most;
    if (cut) {
        length = most;
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--; /* not inside a character */
    }
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        shown[i] = c < 0x20 || c == 0x7f ? '?' : text[i];
    }
    memcpy(shown + length, cut ? "..." : "", cut ? 4 : 1);
    return shown;
}

void vxe_json_fail(vxe_json_reader *reader, vxe_result code, const vxe_json_place *place, const char *format,
                   ...)
{
    if (reader->result != VXE_OK) return;
    reader->result = code;
    char path[256] = "";
    char message[768];
    append_path(path, sizeof path, place);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    (void)vxe_fail(reader->error, code, "%s:%zu: %s%s%s", reader->name,
                   line_of(reader->text, reader->size, place), path, path[0] == '\0' ? "" : ": ", message);
}

void vxe_json_note(vxe_json_reader *reader, vxe_note_kind kind, const vxe_json_place *place,
                   const char *format, ...)
{
    if (reader->notes == NULL || reader->result != VXE_OK) return;
    char path[256] = "";
    char text[512];
    append_path(path, sizeof path, place);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    vxe_notes_add(reader->notes, kind, (int32_t)line_of(reader->text, reader->size, place), path, "%s", text);
}

/* Makes `Young's modulus` and `youngs_modulus` the same: lower case, no apostrophes, blanks for underscores.
 */
static void simplify(const char *text, char simple[512])
{
    size_t used = 0;
    for (; *text != '\0' && used < 511; text++) {
        if (*text != '\'')
            simple[used++] = *text == '_'                   ? ' '
                             : *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a')
                                                            : *text;
    }
    simple[used] = '\0';
}

/* Where `key` stands in the words of a simplified message; NULL if nowhere. */
static const char *find_key(const char *message, const char *key)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char word[512];
    simplify(key, word);
    for (const char *at = strstr(message, word); at != NULL; at = strstr(at + 1, word)) {
        const char after = at[strlen(word)];
        if ((at == message || strchr(letters, at[-1]) == NULL) &&
            (after == '\0' || strchr(letters, after) == NULL))
            return at;
    }
    return NULL;
}

/* Of `ground: `, where that is what the place says already. */
static size_t subject_length(const char *message, const vxe_json_place *place)
{
    while (place != NULL && place->parent != NULL) place = place->parent;
    const size_t length = place != NULL && place->key != NULL ? strlen(place->key) : 0;
    const bool same = length > 0 && strncmp(message, place->key, length) == 0;
    return same && strncmp(message + length, ": ", 2) == 0 ? length + 2 : 0;
}

void vxe_json_refused(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                      vxe_json_kind kind, const vxe_error *cause)
{
    if (reader->result != VXE_OK) return;
    if (cause->code == VXE_ERROR_MEMORY) {
        reader->result = vxe_fail(reader->error, cause->code, "%s: %s", reader->name, cause->message);
        return;
    }
    /* The message begins with what it is about, `material "gel": `, where a word that is also a key means
     * nothing. */
    char message[512];
    const char *rest = strstr(cause->message, "\": ");
    if (rest == NULL && strncmp(cause->message, "rule ", 5) == 0) rest = strstr(cause->message, ": ");
    simplify(rest != NULL ? rest : cause->message, message);
    const vxe_json_keys table = vxe_json_keys_of(kind);
    const char *key = NULL;
    const char *first = NULL;
    for (size_t i = 0; i < table.count; i++) {
        if (json_object_get(object, table.keys[i]) == NULL) continue;
        const char *at = find_key(message, table.keys[i]);
        if (at != NULL && (first == NULL || at < first)) {
            first = at;
            key = table.keys[i];
        }
    }
    const vxe_json_place member = vxe_json_member(place, key);
    const size_t subject = key == NULL ? subject_length(cause->message, place) : 0;
    vxe_json_fail(reader, cause->code, key != NULL ? &member : place, "%s", cause->message + subject);
}

void vxe_json_unknown(vxe_json_reader *reader, const vxe_json_place *place, const char *what,
                      const char *word, const char *const *words, size_t count)
{
    char shown[VXE_JSON_SHOWN_SIZE];
    char near_shown[VXE_JSON_SHOWN_SIZE];
    const char *near_word = vxe_nearest_name(word, words, count);
    if (near_word != NULL) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place, "unknown %s \"%s\"; did you mean \"%s\"?", what,
                      vxe_json_shown(word, shown), vxe_json_shown(near_word, near_shown));
        return;
    }
    char list[400] = "";
    for (size_t i = 0; i < count && strlen(list) < 300; i++) {
        vxe_append(list, sizeof list, "%s\"%s\"", i == 0 ? "; there is " : ", ",
                   vxe_json_shown(words[i], near_shown));
        if (i + 1 < count && strlen(list) >= 300) vxe_append(list, sizeof list, ", ...");
    }
    vxe_json_fail(reader, VXE_ERROR_INPUT, place, "unknown %s \"%s\"%s", what, vxe_json_shown(word, shown),
                  list);
}

void vxe_json_wrong_type(vxe_json_reader *reader, const vxe_json_place *place, const char *what,
                         const json_t *value)
{
    const char *type = "null";
    switch (json_typeof(value)) {
    case JSON_OBJECT: type = "an object"; break;
    case JSON_ARRAY: type = "an array"; break;
    case JSON_STRING: type = "a string"; break;
    case JSON_INTEGER: type = "a number"; break;
    case JSON_REAL: type = "a number"; break;
    case JSON_TRUE: type = "true"; break;
    case JSON_FALSE: type = "false"; break;
    case JSON_NULL: break;
    }
    vxe_json_fail(reader, VXE_ERROR_INPUT, place, "must be %s, not %s", what, type);
}

/* --- values and members --- */

bool vxe_json_is_object(vxe_json_reader *reader, const vxe_json_place *place, const json_t *value,
                        vxe_json_kind kind)
{
    if (reader->result != VXE_OK) return false;
    if (!json_is_object(value)) {
        vxe_json_wrong_type(reader, place, "an object", value);
        return false;
    }
    const vxe_json_keys table = vxe_json_keys_of(kind);
    json_t *members = (json_t *)(uintptr_t)value; /* jansson's iterator takes no const; nothing is changed */
    for (void *at = json_object_iter(members); at != NULL; at = json_object_iter_next(members, at)) {
        const char *key = json_object_iter_key(at);
        bool known = false;
        for (size_t i = 0; i < table.count && !known; i++) known = strcmp(key, table.keys[i]) == 0;
        if (known) continue;
        const vxe_json_place member = vxe_json_member(place, key);
        const char *near_key = vxe_nearest_name(key, table.keys, table.count);
        if (near_key != NULL)
            vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "unknown key; did you mean \"%s\"?", near_key);
        else
            vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "unknown key");
        return false;
    }
    return true;
}

bool vxe_json_is_array(vxe_json_reader *reader, const vxe_json_place *place, const json_t *value)
{
    if (reader->result != VXE_OK) return false;
    if (!json_is_array(value)) vxe_json_wrong_type(reader, place, "an array", value);
    return json_is_array(value);
}

void vxe_json_require(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                      const char *key)
{
    if (json_object_get(object, key) == NULL)
        vxe_json_fail(reader, VXE_ERROR_INPUT, place, "\"%s\" is missing", key);
}

void vxe_json_number(vxe_json_reader *reader, const vxe_json_place *place, const json_t *value,
                     double *number)
{
    if (reader->result != VXE_OK) return;
    if (!json_is_number(value))
        vxe_json_wrong_type(reader, place, "a number", value);
    else
        *number = json_number_value(value);
}

void vxe_json_integer(vxe_json_reader *reader, const vxe_json_place *place, const json_t *value, int64_t low,
                      int64_t high, int64_t *integer)
{
    if (reader->result != VXE_OK) return;
    int64_t number = 0;
    bool whole = true;
    if (json_is_integer(value)) {
        number = json_integer_value(value);
    } else if (json_is_real(value)) { /* 1e6 */
        const double real = json_real_value(value);
        whole = fabs(real) <= 9007199254740992.0 && floor(real) == real;
        if (whole) number = (int64_t)real;
    } else {
        vxe_json_wrong_type(reader, place, "a whole number", value);
        return;
    }
    if (!whole || number < low || number > high) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, place, "must be a whole number from %lld to %lld",
                      (long long)low, (long long)high);
        return;
    }
    *integer = number;
}

void vxe_json_get_number(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         const char *key, double *number)
{
    const json_t *value = json_object_get(object, key);
    const vxe_json_place member = vxe_json_member(place, key);
    if (value != NULL) vxe_json_number(reader, &member, value, number);
}

void vxe_json_get_integer(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                          const char *key, int64_t low, int64_t high, int64_t *integer)
{
    const json_t *value = json_object_get(object, key);
    const vxe_json_place member = vxe_json_member(place, key);
    if (value != NULL) vxe_json_integer(reader, &member, value, low, high, integer);
}

void vxe_json_get_cells(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                        const char *key, int32_t low, int32_t cells[3])
{
    const json_t *value = json_object_get(object, key);
    const vxe_json_place member = vxe_json_member(place, key);
    if (value == NULL || reader->result != VXE_OK) return;
    if (!json_is_array(value) || json_array_size(value) != 3) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "must be an array of 3 whole numbers");
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        const vxe_json_place element = vxe_json_element(&member, i);
        int64_t number = 0;
        vxe_json_integer(reader, &element, json_array_get(value, i), low, INT32_MAX, &number);
        cells[i] = (int32_t)number;
    }
}

void vxe_json_get_vector(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         const char *key, double vector[3])
{
    const json_t *value = json_object_get(object, key);
    const vxe_json_place member = vxe_json_member(place, key);
    if (value == NULL || reader->result != VXE_OK) return;
    if (!json_is_array(value) || json_array_size(value) != 3) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "must be an array of 3 numbers");
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        const vxe_json_place element = vxe_json_element(&member, i);
        vxe_json_number(reader, &element, json_array_get(value, i), &vector[i]);
    }
}

void vxe_json_get_boolean(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                          const char *key, bool *boolean)
{
    const json_t *value = json_object_get(object, key);
    const vxe_json_place member = vxe_json_member(place, key);
    if (value == NULL || reader->result != VXE_OK) return;
    if (!json_is_boolean(value))
        vxe_json_wrong_type(reader, &member, "true or false", value);
    else
        *boolean = json_is_true(value);
}

void vxe_json_get_string(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                         const char *key, const char **string)
{
    const json_t *value = json_object_get(object, key);
    const vxe_json_place member = vxe_json_member(place, key);
    if (value == NULL || reader->result != VXE_OK) return;
    if (!json_is_string(value))
        vxe_json_wrong_type(reader, &member, "a string", value);
    else
        *string = json_string_value(value);
}

void vxe_json_get_text(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                       const char *key, size_t size, char *text)
{
    const char *string = NULL;
    const vxe_json_place member = vxe_json_member(place, key);
    vxe_json_get_string(reader, place, object, key, &string);
    if (string == NULL) return;
    if (strlen(string) >= size) {
        vxe_json_fail(reader, VXE_ERROR_INPUT, &member, "longer than %zu bytes", size - 1);
        return;
    }
    memset(text, 0, size);
    memcpy(text, string, strlen(string));
}

void vxe_json_get_word(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                       const char *key, const vxe_choice *words, int *value)
{
    const char *string = NULL;
    const vxe_json_place member = vxe_json_member(place, key);
    vxe_json_get_string(reader, place, object, key, &string);
    if (string == NULL) return;
    if (vxe_choice_find(words, string, value)) return;
    const char *all[8];
    size_t count = 0;
    for (; words[count].word != NULL; count++) all[count] = words[count].word;
    vxe_json_unknown(reader, &member, "word", string, all, count);
}

void vxe_json_get_material(vxe_json_reader *reader, const vxe_json_place *place, const json_t *object,
                           const char *key, int32_t *material)
{
    const json_t *value = json_object_get(object, key);
    const vxe_json_place member = vxe_json_member(place, key);
    if (value == NULL || reader->result != VXE_OK) return;
    if (json_is_null(value)) {
        *material = 0;
        return;
    }
    if (!json_is_string(value)) {
        vxe_json_wrong_type(reader, &member, "the name of a material or null", value);
        return;
    }
    const char *name = json_string_value(value);
    const int32_t found = name[0] == '\0' ? 0 : vxe_scene_find_material(reader->scene, name);
    if (name[0] == '\0' || found > 0) {
        *material = found;
        return;
    }
    const int32_t count = vxe_scene_material_count(reader->scene);
    const char **names = vxe_allocate((size_t)count + 1, sizeof *names);
    for (int32_t i = 0; names != NULL && i < count; i++)
        names[i] = vxe_scene_material(reader->scene, i + 1)->name;
    vxe_json_unknown(reader, &member, "material", name, names, names != NULL ? (size_t)count : 0);
    free(names);
}
