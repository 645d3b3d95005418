/* What a simulation in the studio did: pictures of it, kept in few bytes, so that the page can go back in
 * time and compare two runs.
 *
 * A picture has the corners of the surface and every field that changes, as 16-bit numbers. When there are
 * too many, every second one goes: so a recording has a bounded size and covers all of its run. */
#ifndef STUDIO_RECORDING_H
#define STUDIO_RECORDING_H

#include "studio/command.h"
#include "picture/measure.h"
#include "studio/message.h"
#include "picture/surface.h"

typedef struct recording recording;

/* A recording that begins now. `run` is its number. NULL if there is no memory. */
recording *recording_create(int64_t run, vxe_sim *sim, const vxe_scene *scene);
void recording_destroy(recording *r);
/* When the next picture is due, s of simulated time; infinite without a recording. */
double recording_next(const recording *r);
/* Takes a picture if one is due; `now` is on studio_clock(). NULL is fine. */
void recording_take(recording *r, vxe_sim *sim, const vxe_scene *scene, double now);
/* Marks contacts that begin; after every few steps, since they may end before the next picture. */
void recording_watch(recording *r, const vxe_sim *sim);
/* Takes a picture of a moment that has to be there: a pause, the end. */
void recording_keep(recording *r, vxe_sim *sim, const vxe_scene *scene);
/* Notes something that happened; at most once for a text and a time. */
void recording_mark(recording *r, double time, const char *kind, const char *text);

int64_t recording_run(const recording *r);
size_t recording_frames(const recording *r);
/* {"run", "from", "to", "frames", "marks"}, for the status. */
json_t *recording_brief(const recording *r);
/* {"run", "from", "to", "frames", "interval", "bytes", "colors", "marks": [{"time", "kind", "text"}],
 * "fields": {NAME: {"min", "max", "min_time", "max_time", "min_voxel", "max_voxel"}}} */
json_t *recording_json(const recording *r);
/* The mesh that the picture of a time uses, and the picture: between two pictures, what lies between them. */
message *recording_mesh(const recording *r, int64_t mesh, failure *f);
message *recording_frame(const recording *r, double time, int field, failure *f);

#endif
