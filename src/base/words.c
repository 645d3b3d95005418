/* Lines and words: see words.h. */
#include "base/words.h"
#include "base/number.h"

#include <string.h>
#include <strings.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

word vxe_words_next(words *w)
{
    while (w->at < w->end && is_blank(*w->at)) w->at++;
    const char *begin = w->at;
    while (w->at < w->end && !is_blank(*w->at) && *w->at != '\n') w->at++;
    return (word){begin, (size_t)(w->at - begin)};
}

bool vxe_words_next_line(words *w)
{
    const char *feed = w->at < w->end ? memchr(w->at, '\n', (size_t)(w->end - w->at)) : NULL;
    if (feed == NULL) {
        w->at = w->end;
        return false;
    }
    w->at = feed + 1;
    w->line++;
    return true;
}

word vxe_words_next_anywhere(words *w)
{
    for (;;) {
        const word next = vxe_words_next(w);
        if (next.size > 0 || !vxe_words_next_line(w)) return next;
    }
}

bool vxe_word_is(word w, const char *text)
{
    return strlen(text) == w.size && memcmp(text, w.text, w.size) == 0;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

bool vxe_word_is_like(word w, const char *text)
{
    if (strlen(text) != w.size) return false;
    for (size_t i = 0; i < w.size; i++)
        if (lower(w.text[i]) != lower(text[i])) return false;
    return true;
}

bool vxe_word_number(word w, double *value)
{
    /* Exact powers of ten: with at most 15 digits, one multiplication or division by one of these rounds
     * once, so it is as good as the general way and ten times faster. */
    static const double power[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *at = w.text;
    const char *end = w.text + w.size;
    int64_t digits = 0;
    int count = 0;
    int exponent = 0;
    const bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    for (; at < end && *at >= '0' && *at <= '9' && count < 16; at++, count++)
        digits = 10 * digits + (*at - '0');
    if (at < end && *at == '.') {
        at++;
        for (; at < end && *at >= '0' && *at <= '9' && count < 16; at++, count++, exponent--)
            digits = 10 * digits + (*at - '0');
    }
    if (at < end && (*at == 'e' || *at == 'E') && count > 0) {
        int64_t written = 0;
        if (!vxe_word_integer((word){at + 1, (size_t)(end - at - 1)}, &written) || written < -1000 ||
            written > 1000)
            return vxe_read_number(w.text, w.size, value);
        exponent += (int)written;
        at = end;
    }
    if (at != end || count == 0 || count > 15 || exponent < -22 || exponent > 22)
        return vxe_read_number(w.text, w.size, value);
    const double number = exponent < 0 ? (double)digits / power[-exponent] : (double)digits * power[exponent];
    *value = negative ? -number : number;
    return true;
}

bool vxe_word_integer(word w, int64_t *value)
{
    size_t i = w.size > 0 && (w.text[0] == '-' || w.text[0] == '+') ? 1 : 0;
    if (i == w.size || w.size - i > 18) return false;
    int64_t number = 0;
    for (; i < w.size; i++) {
        if (w.text[i] < '0' || w.text[i] > '9') return false;
        number = 10 * number + (w.text[i] - '0');
    }
    *value = w.text[0] == '-' ? -number : number;
    return true;
}

word_shown vxe_word_show(word w)
{
    word_shown shown = {""};
    size_t used = 0;
    for (; used < w.size && used < 40; used++)
        shown.text[used] = w.text[used] >= ' ' && w.text[used] <= '~' ? w.text[used] : '?';
    if (used < w.size) memcpy(shown.text + used, "...", 4);
    return shown;
}

bool vxe_ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name);
    const size_t part = strlen(end);
    return length > part && strcmp(name + length - part, end) == 0;
}

bool vxe_ends_like(const char *name, const char *end)
{
    const size_t length = strlen(name);
    const size_t part = strlen(end);
    return length > part && strcasecmp(name + length - part, end) == 0;
}

void vxe_write_escaped(FILE *out, const char *text, bool quotes)
{
    for (const char *c = text; *c != '\0'; c++) {
        const char *name = *c == '&'             ? "&amp;"
                           : *c == '<'           ? "&lt;"
                           : *c == '>'           ? "&gt;"
                           : *c == '"' && quotes ? "&quot;"
                                                 : NULL;
        if (name != NULL) {
            (void)fputs(name, out);
        } else {
            (void)fputc(*c, out);
        }
    }
}

void vxe_element_name(const char *name, char element[128])
{
    size_t used = 0;
    if (!((name[0] >= 'a' && name[0] <= 'z') || (name[0] >= 'A' && name[0] <= 'Z') || name[0] == '_'))
        element[used++] = '_';
    for (const char *c = name; *c != '\0' && *c != '.' && used < 127; c++) {
        const bool good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                          *c == '_' || *c == '-';
        element[used++] = good ? *c : '_';
    }
    element[used] = '\0';
}
