/* Content hashes: FNV-1a with 128 bits, by which a design is known again. */
#ifndef DESIGNS_DIGEST_H
#define DESIGNS_DIGEST_H

#include "base/base.h"

enum { DIGEST_SIZE = 16, DIGEST_TEXT = 2 * DIGEST_SIZE + 1 };

typedef struct digest {
    uint64_t high;
    uint64_t low;
} digest;

#define DIGEST_START ((digest){UINT64_C(0x6c62272e07bb0142), UINT64_C(0x62b821756295c58d)})

/* (high, low) times the prime 2^88 + 0x13b. */
static inline digest vxe_digest_bytes(digest d, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        const uint64_t low = d.low ^ bytes[i];
        const uint64_t a = (low & UINT64_C(0xffffffff)) * 0x13b;
        const uint64_t b = (low >> 32) * 0x13b + (a >> 32);
        d.high = d.high * 0x13b + (b >> 32) + (low << 24);
        d.low = b << 32 | (a & UINT64_C(0xffffffff));
    }
    return d;
}

/* Big endian, so that bytes and text have the same order. */
static inline void vxe_digest_store(digest d, uint8_t bytes[DIGEST_SIZE])
{
    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(d.high >> (56 - 8 * i));
        bytes[8 + i] = (uint8_t)(d.low >> (56 - 8 * i));
    }
}

static inline void vxe_digest_text(const uint8_t bytes[DIGEST_SIZE], char text[DIGEST_TEXT])
{
    for (int i = 0; i < DIGEST_SIZE; i++) {
        text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    text[2 * DIGEST_SIZE] = '\0';
}

#endif
