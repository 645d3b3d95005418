/* Runs that are watched for the results of other programs, and what is in their files. */
#ifndef TESTS_OBSERVED_H
#define TESTS_OBSERVED_H

#include "vxa_text.h"

static inline char *file_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) fail_msg("%s is not there", path);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    (void)fclose(f);
    return text;
}

/* The number inside <tag>...</tag>. */
static inline double tag(const char *text, const char *name)
{
    char open[64];
    (void)snprintf(open, sizeof open, "<%s>", name);
    const char *at = strstr(text, open);
    if (at == NULL) fail_msg("<%s> is missing", name);
    return strtod(at + strlen(open), NULL);
}

/* Runs a scene to a time with an observer. */
static inline vxe_observer *observe(vxe_sim *sim, const vxe_scene *scene, double time, const char *history)
{
    vxe_error error = {VXE_OK, ""};
    vxe_observer *o = NULL;
    require(vxe_observer_create(scene, sim, history, &o, &error), &error);
    const vxe_stop stop = {.time = time};
    while (vxe_sim_run(sim, &stop, 1) == VXE_RUN_STEPS) {
        if (vxe_sim_time(sim) >= vxe_observer_next(o)) require(vxe_observer_look(o, sim, &error), &error);
    }
    check_well(sim);
    require(vxe_observer_finish(o, sim, &error), &error);
    return o;
}

#define FREE_DAMPING                                                                                         \
    "<Damping><BondDampingZ>1</BondDampingZ><ColDampingZ>1</ColDampingZ><SlowDampingZ>0</SlowDampingZ></"    \
    "Damping>"

#endif
