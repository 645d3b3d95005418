/** @file picture.h
 *  Pictures and videos of simulations, drawn by the library itself: no display, no graphics card. A film
 * holds what is seen of a simulation at one or many moments; pictures (PNG) and videos (GIF, MP4, folders of
 * PNG) are made from it.
 */
#ifndef VOXELASTIC_PICTURE_H
#define VOXELASTIC_PICTURE_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What was seen of a simulation. */
typedef struct vxe_film vxe_film;

/** How the camera moves. */
typedef enum vxe_picture_camera {
    VXE_CAMERA_AUTO = 0, /**< follows a body that travels further than its size */
    VXE_CAMERA_FIXED,    /**< stands still and has all of the film in view */
    VXE_CAMERA_FOLLOW    /**< goes with the body */
} vxe_picture_camera;

/** How pictures are drawn. */
typedef struct vxe_picture_def {
    size_t size;               /**< of this struct, as vxe_default_picture_def() sets it */
    int32_t width;             /**< pixels, 16 to 8192 */
    int32_t height;            /**< likewise */
    int32_t samples;           /**< points looked at in each pixel, for smooth edges: 1, 4 or 16 */
    double azimuth;            /**< rad; of the eye about z, from the x axis */
    double elevation;          /**< rad; of the eye above the floor, -1.5 to 1.5 */
    double zoom;               /**< 1: the body fills the picture; 2: twice as large */
    vxe_picture_camera camera; /**< in videos */
    bool dark;                 /**< dark behind the body, instead of light */
    bool floor;                /**< the floor with its lines and shadows, where the scene has one */
    bool edges;                /**< dark lines between voxels */
    bool legend;               /**< title, time, colour scale and length scale */
    const char *title;         /**< NULL: the scene's name; "": none */
    double low;      /**< values at the ends of the colour scale, in the measure's unit; both 0: found from */
    double high;     /**< the whole film, and rounded */
    int32_t threads; /**< that draw frames of a video; 0: as many as there are processors */
} vxe_picture_def;

/** Fills a struct of `size` bytes with what vxe_default_picture_def() returns. */
VXE_API void vxe_picture_def_init(vxe_picture_def *def, size_t size);
/** 1280 x 720, 4 samples, from the front right and above, light, everything shown. */
static inline vxe_picture_def vxe_default_picture_def(void)
{
    vxe_picture_def def;
    vxe_picture_def_init(&def, sizeof def);
    return def;
}

/** Number of measures to colour voxels by. */
VXE_API int32_t vxe_measure_count(void);
/** Name of a measure ("material", "strain", "displacement", ...), its label for people and its unit; both may
 * be NULL. NULL beyond the last. */
VXE_API const char *vxe_measure_name(int32_t measure, const char **label, const char **unit);

/** A film of `sim`, empty yet, coloured by a measure (NULL: "material"). `scene` is what the model was made
 * from; it and the model must outlive the film only while frames are taken. VXE_ERROR_INPUT for a measure
 * that there is not, or _MEMORY. */
VXE_API vxe_result vxe_film_create(const vxe_sim *sim, const vxe_scene *scene, const char *measure,
                                   vxe_film **film, vxe_error *error);
/** Reads a replay (replay.html). Measures are those it has. VXE_ERROR_FILE, _INPUT or _MEMORY. */
VXE_API vxe_result vxe_film_load(const char *path, const char *measure, vxe_film **film, vxe_error *error);
/** Frees a film; NULL is fine. */
VXE_API void vxe_film_destroy(vxe_film *film);
/** Adds the simulation as it is now; times must grow. VXE_ERROR_MEMORY, or _ARGUMENT for another model. */
VXE_API vxe_result vxe_film_take(vxe_film *film, vxe_sim *sim, vxe_error *error);
/** Number of frames. */
VXE_API int32_t vxe_film_count(const vxe_film *film);
/** Time of a frame, s. */
VXE_API double vxe_film_time(const vxe_film *film, int32_t frame);
/** Least and greatest value of the film's measure over all frames, in its unit; both 0 without values. */
VXE_API void vxe_film_range(const vxe_film *film, double range[2]);
/** Memory held, bytes. */
VXE_API size_t vxe_film_bytes(const vxe_film *film);

/** Draws the film at a time, s (between frames: in between; beyond its ends: the end), into 3 width height
 * bytes: red, green and blue of each pixel, row by row from the top. VXE_ERROR_ARGUMENT or _MEMORY. */
VXE_API vxe_result vxe_film_draw(const vxe_film *film, const vxe_picture_def *def, double time,
                                 uint8_t *pixels, vxe_error *error);
/** The same into a PNG file. VXE_ERROR_FILE besides. */
VXE_API vxe_result vxe_film_save_picture(const vxe_film *film, const vxe_picture_def *def, double time,
                                         const char *path, vxe_error *error);
/** The same into memory; *data is freed by free(). */
VXE_API vxe_result vxe_film_encode_picture(const vxe_film *film, const vxe_picture_def *def, double time,
                                           uint8_t **data, size_t *size, vxe_error *error);

/** Told after each frame of a video; false: stop, and leave nothing behind. */
typedef bool vxe_video_progress(void *user, int32_t done, int32_t frames);
/** Makes a video of the film: `rate` pictures per second, in which `speed` times as many seconds of it pass
 * (1: real time). By the end of its name the file is a GIF (.gif), an MP4 (.mp4: by ffmpeg, which must be
 * installed), or a folder of PNG files (frame-00000.png ...). `progress` may be NULL; stopped by it,
 * VXE_ERROR_ARGUMENT. VXE_ERROR_FILE also if there is no ffmpeg. */
VXE_API vxe_result vxe_film_save_video(const vxe_film *film, const vxe_picture_def *def, double rate,
                                       double speed, const char *path, vxe_video_progress *progress,
                                       void *user, vxe_error *error);

#ifdef __cplusplus
}
#endif

#endif
