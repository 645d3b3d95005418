/* Packed arrays; see pack.h. */
#include "studio/pack.h"
#include "studio/message.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static char *encode(const unsigned char *data, size_t size, size_t *length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc((size + 2) / 3 * 4 + 1);
    if (text == NULL) return NULL;
    char *to = text;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t bits = (uint32_t)data[i] << 16 | (uint32_t)(left > 1 ? data[i + 1] : 0) << 8 |
                              (uint32_t)(left > 2 ? data[i + 2] : 0);
        *to++ = digits[bits >> 18];
        *to++ = digits[bits >> 12 & 63];
        *to++ = left > 1 ? digits[bits >> 6 & 63] : '=';
        *to++ = left > 2 ? digits[bits & 63] : '=';
    }
    *length = (size_t)(to - text);
    return text;
}

/* A stream of one block that is not compressed: of a small array compressing takes longer (its tables have
 * to be cleared each time) than what it saves. Gives the size. */
enum { STORED_MAX = 4096, STORED_MORE = 11 };
static size_t store(unsigned char *bytes, const unsigned char *data, size_t size)
{
    const uLong sum = adler32(1, data, (uInt)size);
    const unsigned char head[7] = {0x78,
                                   0x01,
                                   0x01,
                                   (unsigned char)(size & 255),
                                   (unsigned char)(size >> 8),
                                   (unsigned char)(~size & 255),
                                   (unsigned char)(~size >> 8 & 255)};
    memcpy(bytes, head, sizeof head);
    if (size > 0) memcpy(bytes + sizeof head, data, size);
    for (size_t i = 0; i < 4; i++) bytes[sizeof head + size + i] = (unsigned char)(sum >> (24 - 8 * i) & 255);
    return sizeof head + size + 4;
}

json_t *pack_json(const char *type, size_t count, const void *data)
{
    const uLong size = (uLong)(count * message_type_size(type));
    uLongf packed = compressBound(size) + STORED_MORE;
    unsigned char *bytes = malloc(packed);
    size_t length = 0;
    char *text = NULL;
    if (bytes != NULL && size <= STORED_MAX) {
        packed = store(bytes, data, size);
        text = encode(bytes, packed, &length);
    } else if (bytes != NULL && compress2(bytes, &packed, data, size, 6) == Z_OK)
        text = encode(bytes, packed, &length);
    free(bytes);
    if (text == NULL) return NULL;
    json_t *o = json_pack("{s:s, s:I, s:o}", "type", type, "count", (json_int_t)count, "data",
                          json_stringn_nocheck(text, length));
    free(text);
    return o;
}

size_t pack_size(const json_t *packed) { return json_string_length(json_object_get(packed, "data")); }
