/* What a film is made of. */
#ifndef PICTURE_FILM_H
#define PICTURE_FILM_H

#include "base/settings.h"
#include "picture/body.h"
#include "picture/camera.h"
#include "picture/canvas.h"
#include "picture/scenery.h"
#include "picture/surface.h"
#include "voxelastic/picture.h"

struct vxe_film {
    const vxe_scene *scene; /* NULL: read from a file */
    const vxe_model *model; /* likewise */
    double pitch;           /* m */
    bool floor;
    bool water;         /* there is water with a surface */
    double water_level; /* m, z */
    char name[VXE_NAME_SIZE * 2];
    int measure;    /* 0: material */
    double least;   /* of the measure: below it is noise */
    double low;     /* over all frames */
    double high;    /* likewise */
    vxe_rgb *color; /* of the materials, from 1, (colors + 1) */
    int32_t colors;
    vxe_shot *shots;
    int32_t count;
    int32_t room;
    double (*path)[3];    /* m; middle of the body in each frame, (room) */
    vxe_surface *surface; /* of the last frame */
    vxe_scenery *scenery; /* ground and solids; NULL: none */
    int64_t changes;      /* vxe_surface_changes() when the surface was made */
};

/* Makes room for a shot; NULL: no memory. It counts once `count` is raised. */
vxe_shot *vxe_film_room(vxe_film *film);
/* Takes a shot that is filled in into account: its middle and the range of its values. */
void vxe_film_accept(vxe_film *film);

/* Where the camera is for a film, found once for all of its frames. */
typedef struct vxe_camera_path {
    vxe_camera camera;  /* but for its target; lengths in pitches */
    bool follows;       /* the target goes with the body, else it stands */
    double offset[3];   /* m; from the body's middle (or absolute) to the target */
    double (*place)[3]; /* m; middle of the body, smoothed, (count); NULL unless it follows */
} vxe_camera_path;

vxe_result vxe_camera_plan(const vxe_film *film, const vxe_picture_def *def, vxe_camera_path *path,
                           vxe_error *error);
void vxe_camera_path_clear(vxe_camera_path *path);

/* Draws one picture; `path` is that of the film. */
vxe_result vxe_film_render(const vxe_film *film, const vxe_picture_def *def, const vxe_camera_path *path,
                           double time, vxe_canvas *canvas, vxe_error *error);
/* Checks a def and that there is something to draw. */
vxe_result vxe_film_check(const vxe_film *film, const vxe_picture_def *given, vxe_picture_def *def,
                          vxe_error *error);
extern const settings_type vxe_picture_type;

/* vxe_film_load() from memory; a zero byte follows the text. `path` is for messages. */
vxe_result vxe_film_parse(const char *text, size_t size, const char *path, const char *measure,
                          vxe_film **film, vxe_error *error);

/* Encodes an image as PNG; freed by free(). */
vxe_result vxe_png_encode(const vxe_canvas *canvas, uint8_t **data, size_t *size, vxe_error *error);

#endif
