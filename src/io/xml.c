/* XML in: see xml.h. */
#include "io/xml.h"

#include "base/number.h"

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlsave.h>
#include <stdlib.h>
#include <string.h>

/* --- parsing --- */

/* Where a word is in text that need not end with a zero; NULL: nowhere. */
static const char *find_word(const char *text, size_t size, const char *word)
{
    const size_t length = strlen(word);
    for (const char *end = text + size; (size_t)(end - text) >= length; text++) {
        text = memchr(text, word[0], (size_t)(end - text) - length + 1);
        if (text == NULL) return NULL;
        if (memcmp(text, word, length) == 0) return text;
    }
    return NULL;
}

/* Whether the text before the document element declares a document type. Those can name files, and entities
 * can grow without bound: neither has a place in a scene. */
static bool declares_type(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size) {
        const char *rest = text + at;
        const size_t left = size - at;
        const char *end = NULL;
        if (rest[0] != '<') {
            at++;
            continue;
        }
        if (left >= 9 && memcmp(rest, "<!DOCTYPE", 9) == 0) return true;
        if (left >= 4 && memcmp(rest, "<!--", 4) == 0) {
            end = find_word(rest + 4, left - 4, "-->");
        } else if (left >= 2 && memcmp(rest, "<?", 2) == 0) {
            end = find_word(rest + 2, left - 2, "?>");
        } else {
            return left >= 2 && rest[1] == '!'; /* something else that is no element: leave it out too */
        }
        if (end == NULL) return false; /* not well-formed: told by the parser */
        at = (size_t)(end - text) + 1;
    }
    return false;
}

static vxe_result refuse_syntax(xmlParserCtxt *context, const char *name, int first_line, vxe_error *error)
{
    const xmlError *problem = xmlCtxtGetLastError(context);
    char what[256] = "it cannot be read";
    int line = 1;
    if (problem != NULL && problem->message != NULL) {
        (void)snprintf(what, sizeof what, "%s", problem->message);
        what[strcspn(what, "\r\n")] = '\0';
        for (char *c = what; *c != '\0'; c++) {
            if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';
        }
        line = problem->line;
        if (problem->code == XML_ERR_NO_MEMORY)
            return vxe_fail(error, VXE_ERROR_MEMORY, "%s: there is not enough memory for this file", name);
    }
    return vxe_fail(error, VXE_ERROR_INPUT, "%s:%d: not valid XML: %s", name, line + first_line, what);
}

/* Whether elements are nested deeper than anything that reads them can go. */
static bool is_too_deep(const xmlNode *root)
{
    int depth = 0;
    for (const xmlNode *node = root; node != NULL;) {
        if (node->type == XML_ELEMENT_NODE && node->children != NULL) {
            if (++depth > VXE_XML_DEPTH_MAX) return true;
            node = node->children;
            continue;
        }
        while (node != root && node->next == NULL) {
            node = node->parent;
            depth--;
        }
        if (node == root) break;
        node = node->next;
    }
    return false;
}

/* Whether some element has more attributes than files of this kind ever have: the parser compares each with
 * all others. */
static bool has_many_attributes(const char *text, size_t size)
{
    enum { MOST = 256 };
    for (size_t at = 0; at < size; at++) {
        if (text[at] != '<') continue;
        if (size - at >= 9 && memcmp(text + at, "<![CDATA[", 9) == 0) {
            const char *end = find_word(text + at, size - at, "]]>");
            if (end == NULL) return false;
            at = (size_t)(end - text);
            continue;
        }
        if (size - at >= 4 && memcmp(text + at, "<!--", 4) == 0) {
            const char *end = find_word(text + at, size - at, "-->");
            if (end == NULL) return false;
            at = (size_t)(end - text);
            continue;
        }
        int count = 0;
        char quote = 0;
        for (at++; at < size && (quote != 0 || text[at] != '>'); at++) {
            if (quote != 0) {
                if (text[at] == quote) quote = 0;
            } else if (text[at] == '"' || text[at] == '\'') {
                quote = text[at];
                if (++count > MOST) return true;
            } else if (text[at] == '<') {
                at--; /* not well-formed: told by the parser */
                break;
            }
        }
    }
    return false;
}

vxe_result vxe_xml_parse(const char *text, size_t size, const char *name, xmlDoc **document, vxe_error *error)
{
    if (size > VXE_XML_BYTES_MAX)
        return vxe_fail(error, VXE_ERROR_LIMIT, "%s: larger than %zu bytes", name, VXE_XML_BYTES_MAX);
    int first_line = 0; /* some files begin with empty lines, which XML does not allow before a declaration */
    size_t at = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (; at < size && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0'; at++) {
        if (text[at] == '\n') first_line++;
    }
    if (at == size) return vxe_fail(error, VXE_ERROR_INPUT, "%s: the file is empty", name);
    if (memchr(text + at, '\0', size - at) != NULL)
        return vxe_fail(error, VXE_ERROR_INPUT, "%s: a zero byte: this is not XML in an 8-bit encoding",
                        name);
    if (declares_type(text + at, size - at))
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: document type declarations and entities are not accepted", name);
    if (has_many_attributes(text + at, size - at))
        return vxe_fail(error, VXE_ERROR_LIMIT, "%s: more than 256 attributes of one element", name);
    xmlParserCtxt *context = xmlNewParserCtxt();
    if (context == NULL) return vxe_fail(error, VXE_ERROR_MEMORY, "%s: there is not enough memory", name);
    /* HUGE lifts the limit of ten million characters in a layer; sizes are limited above */
    xmlDoc *read = xmlCtxtReadMemory(context, text + at, (int)(size - at), NULL, NULL,
                                     XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
                                         XML_PARSE_NOCDATA | XML_PARSE_BIG_LINES | XML_PARSE_HUGE);
    vxe_result result = VXE_OK;
    if (read == NULL) {
        result = refuse_syntax(context, name, first_line, error);
    } else if (read->intSubset != NULL || read->extSubset != NULL) {
        result = vxe_fail(error, VXE_ERROR_INPUT, "%s: document type declarations are not accepted", name);
    } else if (xmlDocGetRootElement(read) == NULL || is_too_deep(xmlDocGetRootElement(read))) {
        result = vxe_fail(error, VXE_ERROR_LIMIT, "%s: more than %d elements inside each other", name,
                          VXE_XML_DEPTH_MAX);
    }
    xmlFreeParserCtxt(context);
    if (result != VXE_OK || read == NULL) {
        if (read != NULL) xmlFreeDoc(read);
        return result;
    }
    read->_private = (void *)(intptr_t)first_line;
    *document = read;
    return VXE_OK;
}

/* --- elements --- */

int32_t vxe_xml_line(const xmlNode *node)
{
    if (node == NULL) return 0;
    const long line = xmlGetLineNo(node);
    const intptr_t first = node->doc != NULL ? (intptr_t)node->doc->_private : 0;
    return line > 0 ? (int32_t)(line + first) : 0;
}

void vxe_xml_set_origin(xmlNode *copy, const xmlNode *from, const char *name)
{
    const intptr_t shift = (intptr_t)from->doc->_private - (intptr_t)copy->doc->_private;
    copy->psvi = (void *)(uintptr_t)name; /* not used for elements otherwise */
    for (xmlNode *node = copy; node != NULL && shift != 0;) {
        if (node->type == XML_ELEMENT_NODE && node->line < 65535) /* from there on it is kept elsewhere */
            node->line = (unsigned short)(node->line + shift);
        if (node->children != NULL) {
            node = node->children;
            continue;
        }
        while (node != copy && node->next == NULL) node = node->parent;
        node = node == copy ? NULL : node->next;
    }
}

const char *vxe_xml_origin(const xmlNode *node)
{
    for (; node != NULL && node->type == XML_ELEMENT_NODE; node = node->parent)
        if (node->psvi != NULL) return node->psvi;
    return NULL;
}

bool vxe_xml_is(const xmlNode *node, const char *name)
{
    return node != NULL && strcmp((const char *)node->name, name) == 0;
}

xmlNode *vxe_xml_after(const xmlNode *node)
{
    xmlNode *at = node == NULL ? NULL : node->next;
    while (at != NULL && at->type != XML_ELEMENT_NODE) at = at->next;
    return at;
}

xmlNode *vxe_xml_first(const xmlNode *parent)
{
    xmlNode *at = parent == NULL ? NULL : parent->children;
    while (at != NULL && at->type != XML_ELEMENT_NODE) at = at->next;
    return at;
}

xmlNode *vxe_xml_peek(const xmlNode *parent, const char *name)
{
    xmlNode *at = vxe_xml_first(parent);
    while (at != NULL && !vxe_xml_is(at, name)) at = vxe_xml_after(at);
    return at;
}

xmlNode *vxe_xml_child(const xmlNode *parent, const char *name)
{
    xmlNode *found = vxe_xml_peek(parent, name);
    if (found != NULL) vxe_xml_mark(found);
    return found;
}

xmlNode *vxe_xml_next(const xmlNode *node)
{
    xmlNode *at = vxe_xml_after(node);
    while (at != NULL && !vxe_xml_is(at, (const char *)node->name)) at = vxe_xml_after(at);
    if (at != NULL) vxe_xml_mark(at);
    return at;
}

static const char marked = 0; /* only its address counts */

void vxe_xml_mark(xmlNode *node) { node->_private = (void *)(uintptr_t)&marked; }
void vxe_xml_unmark(xmlNode *node) { node->_private = NULL; }
bool vxe_xml_is_marked(const xmlNode *node) { return node->_private == &marked; }

void vxe_xml_mark_all(xmlNode *node)
{
    if (node == NULL) return;
    vxe_xml_mark(node);
    for (xmlNode *child = vxe_xml_first(node); child != NULL; child = vxe_xml_after(child))
        vxe_xml_mark_all(child);
}

xmlChar *vxe_xml_text(const xmlNode *leaf)
{
    if (leaf == NULL || vxe_xml_first(leaf) != NULL) return NULL;
    xmlChar *text = xmlNodeGetContent(leaf);
    if (text == NULL) return NULL;
    size_t begin = 0;
    while (text[begin] != '\0' && strchr(" \t\r\n", text[begin]) != NULL) begin++;
    size_t end = strlen((const char *)text);
    while (end > begin && strchr(" \t\r\n", text[end - 1]) != NULL) end--;
    if (begin == end) {
        xmlFree(text);
        return NULL;
    }
    memmove(text, text + begin, end - begin);
    text[end - begin] = '\0';
    return text;
}

char *vxe_xml_path(const xmlNode *node)
{
    size_t size = 1;
    for (const xmlNode *at = node; at != NULL && at->type == XML_ELEMENT_NODE; at = at->parent)
        size += strlen((const char *)at->name) + 1;
    char *path = malloc(size);
    if (path == NULL) return NULL;
    size_t end = size - 1;
    path[end] = '\0';
    for (const xmlNode *at = node; at != NULL && at->type == XML_ELEMENT_NODE; at = at->parent) {
        const size_t length = strlen((const char *)at->name);
        end -= length;
        memcpy(path + end, at->name, length);
        if (at->parent != NULL && at->parent->type == XML_ELEMENT_NODE) path[--end] = '/';
    }
    memmove(path, path + end, size - end);
    return path;
}

char *vxe_xml_print(xmlNode *node)
{
    xmlBuffer *buffer = xmlBufferCreate();
    char *text = NULL;
    if (buffer != NULL && xmlNodeDump(buffer, node->doc, node, 0, 0) >= 0) {
        const size_t size = (size_t)xmlBufferLength(buffer) + 1;
        text = malloc(size);
        if (text != NULL) memcpy(text, xmlBufferContent(buffer), size);
    }
    if (buffer != NULL) xmlBufferFree(buffer);
    return text;
}

double vxe_xml_scan_number(const char *text, const char **end)
{
    const char *begin = text;
    while (*begin != '\0' && strchr(" \t\r\n", *begin) != NULL) begin++;
    const char *at = begin;
    if (*at == '+' || *at == '-') at++;
    const char *digits = at;
    while ((*at >= '0' && *at <= '9') || (*at == '.' && memchr(digits, '.', (size_t)(at - digits)) == NULL))
        at++;
    const bool any = at - digits > (memchr(digits, '.', (size_t)(at - digits)) != NULL ? 1 : 0);
    if (any && (*at == 'e' || *at == 'E')) {
        const char *exponent = at + 1;
        if (*exponent == '+' || *exponent == '-') exponent++;
        if (*exponent >= '0' && *exponent <= '9') {
            while (*exponent >= '0' && *exponent <= '9') exponent++;
            at = exponent;
        }
    }
    double value = 0.0;
    *end = text;
    if (any && vxe_read_number(begin, (size_t)(at - begin), &value)) *end = at;
    return value;
}
