/* The frames of a run: files of all voxels at intervals, as --write asks. */
#ifndef CLI_FRAMES_H
#define CLI_FRAMES_H

#include "cli/report.h"

/* Kinds of --write, as bits. */
enum {
    FRAMES_VTU = 1,
    FRAMES_CSV = 2,
    FRAMES_STL = 4,
    FRAMES_OBJ = 8,
    FRAMES_PLY = 16,
    FRAMES_NPZ = 32,
};

typedef struct run_frames {
    unsigned kinds; /* 0: none */
    double every;   /* s */
    double next;    /* s; when the next one is due */
    char *folder;   /* frames/ in the output folder */
    char *table;    /* path of frames.csv */
    char *pvd;      /* path of frames.pvd */
    char *npz;      /* path of trajectory.npz */
    double *times;  /* s; of the frames so far, (count) */
    int64_t *steps; /* likewise */
    int32_t count;  /* the next one's number */
    int32_t room;
    vxe_skin *skin;
    vxe_trajectory *trajectory;
    const vxe_scene *scene;
    bool written; /* there is a frame */
} run_frames;

/* Reads "vtu,npz" into bits; complains and returns false for anything else. */
bool cli_parse_frames(const char *text, unsigned *kinds);
/* Makes the folder and prepares; `folder` ends with a slash. A resumed run goes on after the frames it finds
 * that are not later than the simulation's time; otherwise those of an earlier run are no longer listed. */
vxe_result cli_frames_open(run_frames *frames, unsigned kinds, double every, const char *folder,
                           const vxe_scene *scene, vxe_sim *sim, bool resumed, vxe_error *error);
/* Writes a frame, unless the last one has the same time. */
vxe_result cli_frames_write(run_frames *frames, vxe_sim *sim, vxe_error *error);
/* Whether one is due. */
bool cli_frames_due(const run_frames *frames, double time);
/* Writes what appears at the end. */
vxe_result cli_frames_close(run_frames *frames, vxe_error *error);
/* Adds the paths of what there is. */
void cli_frames_list(const run_frames *frames, output_list *list);
void cli_frames_destroy(run_frames *frames);

#endif
