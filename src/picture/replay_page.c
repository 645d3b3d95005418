/* The page of a replay with its data in it; see page.h. */
#include "picture/page.h"
#include "base/base.h"
#include "base/number.h"

#include <errno.h>
#include <string.h>

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

/* A text, in which nothing can end the element that it stands in ("<"). Packed arrays are most of a page, and
 * have nothing to escape: whole stretches are written at once. */
static void write_text(FILE *out, const char *text, size_t size)
{
    (void)fputc('"', out);
    size_t begin = 0;
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c != '"' && c != '\\' && c != '<') continue;
        (void)fwrite(text + begin, 1, i - begin, out);
        (void)fprintf(out, "\\u%04x", (unsigned)c);
        begin = i + 1;
    }
    (void)fwrite(text + begin, 1, size - begin, out);
    (void)fputc('"', out);
}

static void write_json(FILE *out, const json_t *value);

static void write_object(FILE *out, const json_t *object)
{
    char mark = '{';
    for (void *at = json_object_iter((json_t *)(uintptr_t)object); at != NULL;
         at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
        const char *key = json_object_iter_key(at);
        (void)fputc(mark, out);
        write_text(out, key, strlen(key));
        (void)fputc(':', out);
        write_json(out, json_object_iter_value(at));
        mark = ',';
    }
    (void)fputs(mark == '{' ? "{}" : "}", out);
}

/* As json_dump() does it, which takes a third of a short run for the arrays of its replay. */
static void write_json(FILE *out, const json_t *value)
{
    char number[VXE_NUMBER_SIZE];
    switch (json_typeof(value)) {
    case JSON_OBJECT: write_object(out, value); break;
    case JSON_ARRAY:
        for (size_t i = 0; i < json_array_size(value); i++) {
            (void)fputc(i == 0 ? '[' : ',', out);
            write_json(out, json_array_get(value, i));
        }
        (void)fputs(json_array_size(value) == 0 ? "[]" : "]", out);
        break;
    case JSON_STRING: write_text(out, json_string_value(value), json_string_length(value)); break;
    case JSON_INTEGER: (void)fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value)); break;
    case JSON_REAL:
        vxe_print_short(number, json_real_value(value), 15);
        (void)fputs(number, out);
        break;
    case JSON_TRUE: (void)fputs("true", out); break;
    case JSON_FALSE: (void)fputs("false", out); break;
    default: (void)fputs("null", out); break;
    }
}

/* ---- the page ------------------------------------------------------------------------------------------------------ */

typedef struct content {
    const char *name;
    const char *picture; /* in base64; NULL: none */
    const json_t *data;
} content;

/* Text with what HTML takes for its own escaped. */
static void write_html(FILE *out, const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '<') {
            (void)fputs("&lt;", out);
        } else if (*c == '&') {
            (void)fputs("&amp;", out);
        } else {
            (void)fputc(*c, out);
        }
    }
}

static void write_title(FILE *out, const content *c)
{
    (void)fputs("<title>", out);
    write_html(out, c->name[0] != '\0' ? c->name : "replay");
    (void)fputs(" – Voxelastic</title>", out);
}

static void write_icon(FILE *out, const content *c)
{
    (void)fprintf(out, "<link rel=\"icon\" href=\"data:%s%s\">",
                  c->picture != NULL ? "image/png;base64," : ",", c->picture != NULL ? c->picture : "");
}

static void write_preview(FILE *out, const content *c)
{
    (void)fputs("<div id=\"app\">", out);
    if (c->picture != NULL)
        (void)fprintf(out, "<img class=\"preview\" alt=\"\" src=\"data:image/png;base64,%s\">", c->picture);
    (void)fputs("</div>", out);
}

static void write_data(FILE *out, const content *c)
{
    (void)fputs("<script type=\"application/json\" id=\"voxelastic-replay\">", out);
    write_json(out, c->data);
    (void)fputs("</script>", out);
}

/* What stands in the page for a mark; in the order in which they stand there. */
static const struct {
    const char *mark;
    void (*write)(FILE *out, const content *c);
} fillings[] = {{"<title>Voxelastic replay</title>", write_title},
                {"<link rel=\"icon\" href=\"data:,\">", write_icon},
                {"<div id=\"app\"></div>", write_preview},
                {"<!--VOXELASTIC-REPLAY-->", write_data}};

/* Where a text begins in the page, from `at` on; the page's end: nowhere. */
static size_t find_text(const vxe_page *page, size_t at, const char *text)
{
    const size_t length = strlen(text);
    while (at + length <= page->size) {
        const unsigned char *found = memchr(page->data + at, '<', page->size - length - at + 1);
        if (found == NULL) break;
        at = (size_t)(found - page->data);
        if (memcmp(found, text, length) == 0) return at;
        at++;
    }
    return page->size;
}

vxe_result vxe_replay_page_write(const char *path, const char *name, const char *picture, const json_t *data,
                                 vxe_error *error)
{
    const content c = {name, picture, data};
    const vxe_page page = vxe_replay_page();
    vxe_file file;
    const vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    size_t done = 0;
    for (size_t i = 0; i < sizeof fillings / sizeof fillings[0]; i++) {
        const size_t found = find_text(&page, done, fillings[i].mark);
        if (found == page.size) {
            vxe_file_discard(&file);
            return vxe_fail(error, VXE_ERROR_ARGUMENT, "the replay's page has no place for its data");
        }
        (void)fwrite(page.data + done, 1, found - done, file.stream);
        fillings[i].write(file.stream, &c);
        done = found + strlen(fillings[i].mark);
    }
    (void)fwrite(page.data + done, 1, page.size - done, file.stream);
    if (ferror(file.stream) != 0) {
        vxe_file_discard(&file);
        return vxe_fail(error, VXE_ERROR_FILE, "%s: %s", path, strerror(errno != 0 ? errno : EIO));
    }
    return vxe_file_commit(&file, error);
}
