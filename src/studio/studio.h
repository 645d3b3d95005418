/* The studio: a server on this machine for a page in a browser. docs/studio-protocol.md says what they talk.
 */
#ifndef STUDIO_STUDIO_H
#define STUDIO_STUDIO_H

#include "voxelastic/voxelastic.h"

#include <stdbool.h>
#include <stddef.h>

/* A scene that is part of the program. */
typedef struct studio_demo {
    const char *name;
    const unsigned char *text;
    size_t size;
} studio_demo;

typedef struct studio_options {
    const char *folder; /* where files are read and written */
    const char *scene;  /* path in the folder; NULL: none */
    const char *demo;   /* name of a demo to open instead; NULL: none */
    int port;           /* 0: any */
    const studio_demo *demos;
    size_t demo_count;
    bool (*interrupted)(void); /* whether to end */
    /* Tells where the page is: an address for people, and one that works once, for programs: what a program
     * is started with can be seen by everyone on the machine. */
    void (*ready)(const char *address, const char *once, void *user);
    void *user;
} studio_options;

/* Whether the studio is in this program. */
bool studio_available(void);
/* Serves until it is interrupted. VXE_OK then. */
vxe_result studio_serve(const studio_options *options, vxe_error *error);
/* What the studio starts itself with to solve aside; reads standard input and writes standard output. */
int studio_solve_worker(void);

#endif
