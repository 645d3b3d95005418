/* Packed arrays; see pack.h. */
#include "picture/pack.h"
#include "picture/values.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

char *vxe_base64(const unsigned char *data, size_t size, size_t *length)
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
    *to = '\0';
    *length = (size_t)(to - text);
    return text;
}

enum { SMALL = 4096 }; /* bytes that are not worth the time: corners of a frame shrink by a fifth only */

/* Bytes as they are, as one block of what zlib reads (RFC 1950, 1951). */
static void store(const void *data, size_t size, unsigned char *to, size_t *packed)
{
    const uLong sum = adler32(adler32(0, NULL, 0), data, (uInt)size);
    const unsigned char head[] = {0x78,
                                  0x01,
                                  0x01,
                                  (unsigned char)size,
                                  (unsigned char)(size >> 8),
                                  (unsigned char)~size,
                                  (unsigned char)(~size >> 8)};
    memcpy(to, head, sizeof head);
    memcpy(to + sizeof head, data, size);
    *packed = sizeof head + size;
    for (int shift = 24; shift >= 0; shift -= 8) to[(*packed)++] = (unsigned char)(sum >> shift);
}

/* As compress() of zlib, but with a window and tables that suit the size: of many small arrays, clearing the
 * usual ones would take most of the time. */
static bool squeeze(const void *data, size_t size, unsigned char *to, size_t *packed)
{
    if (size < SMALL) {
        store(data, size, to, packed);
        return true;
    }
    int window = 12;
    while (window < 15 && (size_t)1 << window < size) window++;
    z_stream z;
    memset(&z, 0, sizeof z);
    if (deflateInit2(&z, 1, Z_DEFLATED, window, window - 7, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    z.next_in = (z_const Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    z.next_out = to;
    z.avail_out = (uInt)*packed;
    const bool done = deflate(&z, Z_FINISH) == Z_STREAM_END;
    *packed = z.total_out;
    (void)deflateEnd(&z);
    return done;
}

json_t *vxe_pack_json(const char *type, size_t count, const void *data)
{
    const size_t size = count * vxe_type_size(type);
    if (size > UINT32_MAX / 2) return NULL;
    size_t packed = size + size / 8 + 64; /* what cannot be packed takes a little more */
    unsigned char *bytes = malloc(packed);
    size_t length = 0;
    char *text = NULL;
    if (bytes != NULL && squeeze(data, size, bytes, &packed)) text = vxe_base64(bytes, packed, &length);
    free(bytes);
    if (text == NULL) return NULL;
    json_t *o = json_pack("{s:s, s:I, s:o}", "type", type, "count", (json_int_t)count, "data",
                          json_stringn_nocheck(text, length));
    free(text);
    return o;
}

bool vxe_pack_set(json_t *object, const char *name, const char *type, size_t count, const void *data)
{
    json_t *packed = vxe_pack_json(type, count, data);
    return packed != NULL && json_object_set_new(object, name, packed) == 0;
}

/* ---- and back ------------------------------------------------------------------------------------------------------ */

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* The bytes of a text; NULL: it is no base64, or there is no memory. */
static unsigned char *decode(const char *text, size_t length, size_t *size)
{
    while (length > 0 && text[length - 1] == '=') length--;
    unsigned char *data = malloc(length / 4 * 3 + 4);
    uint32_t bits = 0;
    size_t used = 0;
    for (size_t i = 0; i < length && data != NULL; i++) {
        const int digit = digit_of(text[i]);
        if (digit < 0) {
            free(data);
            return NULL;
        }
        bits = bits << 6 | (uint32_t)digit;
        if (i % 4 != 0) data[used++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
    }
    *size = used;
    return data;
}

void *vxe_unpack_json(const json_t *packed, const char *type, size_t count)
{
    const json_t *said_type = json_object_get(packed, "type");
    const json_t *said_count = json_object_get(packed, "count");
    const json_t *text = json_object_get(packed, "data");
    const size_t element = vxe_type_size(type);
    if (!json_is_string(said_type) || strcmp(json_string_value(said_type), type) != 0 ||
        !json_is_string(text) || json_integer_value(said_count) < 0 ||
        (size_t)json_integer_value(said_count) != count) {
        return NULL;
    }
    size_t size = 0;
    unsigned char *bytes = decode(json_string_value(text), json_string_length(text), &size);
    /* zlib packs at most a thousandfold: a short text cannot ask for much memory. */
    if (bytes == NULL || count > SIZE_MAX / element || count * element > 1100 * size + 64) {
        free(bytes);
        return NULL;
    }
    uLongf wanted = (uLongf)(count * element);
    void *data = malloc(count * element + 8);
    if (data != NULL &&
        (uncompress(data, &wanted, bytes, (uLong)size) != Z_OK || wanted != count * element)) {
        free(data);
        data = NULL;
    }
    free(bytes);
    return data;
}
