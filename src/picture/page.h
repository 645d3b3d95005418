/* The replay's page, as it is part of the library. */
#ifndef PICTURE_PAGE_H
#define PICTURE_PAGE_H

#include <stddef.h>

typedef struct vxe_page {
    const unsigned char *data;
    size_t size; /* 0: the library was built without */
} vxe_page;

vxe_page vxe_replay_page(void);

#endif
