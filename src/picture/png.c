/* Images as PNG files. Written by zlib directly: libpng spends most of its time on trying filters, which for
 * flat colours and smooth shades is not worth it; each row is stored as its difference from the row above. */
#include "picture/film.h"
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { SMALL = 1 << 20 }; /* bytes of pixels that are packed fast rather than well */

static void put_u32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) to[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* A chunk: length, kind, data, check sum. Gives what follows it. */
static uint8_t *put_chunk(uint8_t *to, const char kind[4], const uint8_t *data, size_t size)
{
    put_u32(to, (uint32_t)size);
    memcpy(to + 4, kind, 4);
    if (size > 0) memmove(to + 8, data, size);
    put_u32(to + 8 + size, (uint32_t)crc32(crc32(0, to + 4, 4), to + 8, (uInt)size));
    return to + 12 + size;
}

/* The rows, each behind a 2 ("up") and less the row above. */
static uint8_t *filter_rows(const vxe_canvas *c)
{
    const size_t width = 3 * (size_t)c->width;
    uint8_t *rows = malloc((width + 1) * (size_t)c->height);
    for (int32_t y = 0; y < c->height && rows != NULL; y++) {
        uint8_t *to = rows + (size_t)y * (width + 1);
        const uint8_t *from = c->pixels + (size_t)y * width;
        *to++ = y == 0 ? 0 : 2;
        if (y == 0) {
            memcpy(to, from, width);
        } else {
            for (size_t i = 0; i < width; i++) to[i] = (uint8_t)(from[i] - from[i - width]);
        }
    }
    return rows;
}

vxe_result vxe_png_encode(const vxe_canvas *c, uint8_t **data, size_t *size, vxe_error *error)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const size_t raw = (3 * (size_t)c->width + 1) * (size_t)c->height;
    uLongf packed = compressBound((uLong)raw);
    uint8_t *rows = filter_rows(c);
    uint8_t *file = malloc(packed + 64);
    uint8_t header[13];
    put_u32(header, (uint32_t)c->width);
    put_u32(header + 4, (uint32_t)c->height);
    memcpy(header + 8, (const uint8_t[5]){8, 2, 0, 0, 0}, 5); /* 8 bits of red, green and blue */
    if (rows == NULL || file == NULL ||
        compress2(file + 8 + 25 + 8, &packed, rows, (uLong)raw, raw < SMALL ? 2 : 5) != Z_OK) {
        free(rows);
        free(file);
        return vxe_fail_memory(error, "a picture", raw);
    }
    free(rows);
    memcpy(file, signature, sizeof signature);
    uint8_t *to = put_chunk(file + 8, "IHDR", header, sizeof header);
    to = put_chunk(to, "IDAT", to + 8, packed);
    to = put_chunk(to, "IEND", NULL, 0);
    *size = (size_t)(to - file);
    *data = file;
    return VXE_OK;
}
