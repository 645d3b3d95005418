/* The studio's page, as it is part of the program (page_files.c). */
#ifndef STUDIO_PAGE_H
#define STUDIO_PAGE_H

#include <stddef.h>

/* A file of web/dist. */
typedef struct embedded_file {
    const unsigned char *data;
    size_t size;
} embedded_file;

embedded_file page_studio(void);

/* The page with a new nonce (32 hexadecimal digits) in place of VOXELASTIC-NONCE, after `room` bytes; freed
 * by free(). NULL if there is no memory or no random number. */
unsigned char *page_make(size_t room, char nonce[33], size_t *size);

#endif
