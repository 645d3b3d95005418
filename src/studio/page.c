/* The page, as it is sent; see page.h. */
#include "studio/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define PLACE "VOXELASTIC-NONCE"
enum { PLACE_LENGTH = sizeof PLACE - 1, NONCE_LENGTH = 32 };

/* The next place for a nonce, or NULL. */
static const unsigned char *find_place(const unsigned char *at, const unsigned char *end)
{
    while (end - at >= PLACE_LENGTH) {
        const unsigned char *v = memchr(at, PLACE[0], (size_t)(end - at - PLACE_LENGTH + 1));
        if (v == NULL) return NULL;
        if (memcmp(v, PLACE, PLACE_LENGTH) == 0) return v;
        at = v + 1;
    }
    return NULL;
}

unsigned char *page_make(size_t room, char nonce[33], size_t *size)
{
    unsigned char bytes[NONCE_LENGTH / 2];
    const embedded_file page = page_studio();
    const unsigned char *end = page.data + page.size;
    size_t places = 0;
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return NULL;
    for (size_t i = 0; i < sizeof bytes; i++) (void)snprintf(nonce + 2 * i, 3, "%02x", bytes[i]);
    for (const unsigned char *at = find_place(page.data, end); at != NULL;
         at = find_place(at + PLACE_LENGTH, end)) {
        places++;
    }
    unsigned char *made = malloc(room + page.size + places * NONCE_LENGTH + 1);
    if (made == NULL) return NULL;
    unsigned char *to = made + room;
    const unsigned char *from = page.data;
    for (const unsigned char *at = find_place(from, end); at != NULL; at = find_place(from, end)) {
        memcpy(to, from, (size_t)(at - from));
        to += at - from;
        memcpy(to, nonce, NONCE_LENGTH);
        to += NONCE_LENGTH;
        from = at + PLACE_LENGTH;
    }
    memcpy(to, from, (size_t)(end - from));
    to += end - from;
    *size = (size_t)(to - made) - room;
    return made;
}
