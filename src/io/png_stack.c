/* A stack of PNG images: one layer of voxels each, the colours of the pixels telling the materials. */
#include "io/grid.h"
#include "scene/scene.h"

#include <png.h>

#include <stdlib.h>
#include <string.h>

/* A few bytes can ask for a large image; that is slow, not wrong, and of no use to a fuzzer. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { PIXELS_MAX = 1 << 16 };
#else
enum { PIXELS_MAX = 1 << 28 };
#endif
#define PNG_BYTES_MAX ((size_t)1 << 30)

/* One image in memory; pixels are red, green, blue, opacity. */
typedef struct picture {
    int64_t width, height;
    uint8_t *pixels;
} picture;

static vxe_result fail_image(const char *path, const png_image *image, vxe_error *error)
{
    char message[64] = "";
    for (size_t i = 0; i < sizeof message - 1 && image->message[i] != '\0'; i++)
        message[i] = image->message[i] >= ' ' && image->message[i] <= '~' ? image->message[i] : '?';
    return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: not a PNG image that can be read: %s", path, message);
}

static vxe_result decode(const char *data, size_t size, const char *path, picture *p, vxe_error *error)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&image, data, size) == 0) return fail_image(path, &image, error);
    p->width = image.width;
    p->height = image.height;
    vxe_result result = VXE_OK;
    if ((uint64_t)image.width * image.height > PIXELS_MAX)
        result = vxe_fail(error, VXE_ERROR_LIMIT, "%.500s: %u x %u pixels are too many", path,
                          (unsigned)image.width, (unsigned)image.height);
    image.format = PNG_FORMAT_RGBA;
    if (result == VXE_OK) {
        p->pixels = malloc(PNG_IMAGE_SIZE(image));
        if (p->pixels == NULL) {
            result = vxe_fail_memory(error, path, PNG_IMAGE_SIZE(image));
        } else if (png_image_finish_read(&image, NULL, p->pixels, 0, NULL) == 0) {
            result = fail_image(path, &image, error);
        }
    }
    png_image_free(&image);
    return result;
}

static vxe_result load(const char *path, picture *p, vxe_error *error)
{
    char *data = NULL;
    size_t size = 0;
    *p = (picture){0, 0, NULL};
    vxe_result result = vxe_read_file(path, PNG_BYTES_MAX, &data, &size, error);
    if (result != VXE_OK) return result;
    result = decode(data, size, path, p, error);
    free(data);
    return result;
}

static vxe_result add_layer(grid *g, const picture *p, int32_t layer, vxe_error *error)
{
    const uint8_t *pixel = p->pixels;
    for (int32_t row = 0; row < g->size[1]; row++) {
        for (int32_t i = 0; i < g->size[0]; i++, pixel += 4) {
            if (pixel[3] < 128) continue;
            const int64_t color = ((int64_t)pixel[0] << 16 | (int64_t)pixel[1] << 8 | pixel[2]) + 1;
            const uint16_t label = vxe_grid_label(g, color, error);
            if (label == 0) return VXE_ERROR_LIMIT;
            g->label[vxe_grid_cell(g, i, g->size[1] - 1 - row, layer)] = label;
        }
    }
    return VXE_OK;
}

/* Puts one more image on the stack of `count`; the first one makes the grid. */
static vxe_result stack(const picture *p, const char *path, int32_t layer, int32_t count, grid **g,
                        vxe_error *error)
{
    const int64_t size[3] = {p->width, p->height, count};
    vxe_result result = *g == NULL ? vxe_grid_create(path, size, g, error) : VXE_OK;
    if (result != VXE_OK) return result;
    if (p->width != (*g)->size[0] || p->height != (*g)->size[1])
        return vxe_fail(error, VXE_ERROR_INPUT, "%.500s: %lld x %lld pixels, but the first image has %d x %d",
                        path, (long long)p->width, (long long)p->height, (int)(*g)->size[0],
                        (int)(*g)->size[1]);
    (*g)->name = path;
    return add_layer(*g, p, layer, error);
}

static vxe_result make_scene(grid *g, const vxe_grid_def *def, vxe_scene **scene, vxe_error *error)
{
    grid_colors colors = {.grid = g, .def = def, .black_is_empty = true};
    return vxe_grid_scene(g, def->pitch != 0.0 ? def->pitch : 1e-3, def->palette, vxe_grid_describe_color,
                          &colors, scene, error);
}

vxe_result vxe_scene_load_images(const char *const *paths, int32_t count, const vxe_grid_def *def,
                                 vxe_scene **scene, vxe_error *error)
{
    vxe_grid_def own = vxe_default_grid_def();
    if (paths == NULL || count < 1 || scene == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_scene_load_images: images and a place for the scene");
    const vxe_result taken = def != NULL ? vxe_settings_take(&vxe_grid_type, def, &own, error) : VXE_OK;
    if (taken != VXE_OK) return taken;
    def = &own;
    grid *g = NULL;
    vxe_result result = VXE_OK;
    for (int32_t layer = 0; layer < count && result == VXE_OK; layer++) {
        picture p;
        result = load(paths[layer], &p, error);
        if (result == VXE_OK) result = stack(&p, paths[layer], layer, count, &g, error);
        free(p.pixels);
    }
    if (result == VXE_OK) result = make_scene(g, def, scene, error);
    vxe_grid_destroy(g);
    return result;
}

vxe_result vxe_grid_read_png(const char *data, size_t size, const char *name, const vxe_grid_def *def,
                             vxe_scene **scene, vxe_error *error)
{
    picture p = {0, 0, NULL};
    grid *g = NULL;
    vxe_result result = decode(data, size, name, &p, error);
    if (result == VXE_OK) result = stack(&p, name, 0, 1, &g, error);
    if (result == VXE_OK) result = make_scene(g, def, scene, error);
    free(p.pixels);
    vxe_grid_destroy(g);
    return result;
}
