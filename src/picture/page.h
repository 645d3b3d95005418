/* The replay's page, as it is part of the library. */
#ifndef PICTURE_PAGE_H
#define PICTURE_PAGE_H

#include "voxelastic/base.h"

#include <jansson.h>
#include <stddef.h>

typedef struct vxe_page {
    const unsigned char *data;
    size_t size; /* 0: the library was built without */
} vxe_page;

vxe_page vxe_replay_page(void);

/* Writes the page with a title, a picture (PNG in base64; NULL: none) and the data of a replay. */
vxe_result vxe_replay_page_write(const char *path, const char *name, const char *picture, const json_t *data,
                                 vxe_error *error);

#endif
