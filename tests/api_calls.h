/* What the calls that api.py writes work on. */
#ifndef API_CALLS_H
#define API_CALLS_H

#include "voxelastic/voxelastic.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct fixture {
    vxe_scene *scene;
    vxe_model *model;
    vxe_sim *sim;
    vxe_trace *trace;
    vxe_mesh *mesh;
    vxe_observer *observer;
    vxe_notes *notes;
    vxe_history *history;
    vxe_trajectory *trajectory;
    vxe_skin *skin;
    vxe_linear *linear;
    vxe_modes *modes;
    double block[16384]; /* zeros, larger than anything public */
} fixture;

typedef struct api_call {
    const char *name;
    void (*call)(fixture *f);
} api_call;

extern const api_call api_calls[];
extern const int api_call_count;

static inline void clean(fixture *f) { memset(f->block, 0, sizeof f->block); }

#endif
