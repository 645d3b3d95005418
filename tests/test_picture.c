/* Pictures and videos: what is drawn, how it is written, and that neither depends on threads; films from
 * replays. */
#include "picture/canvas.h"
#include "picture/film.h"
#include "picture/gif.h"
#include "picture/scale.h"
#include "support.h"

#include <float.h>
#include <png.h>
#include <unistd.h>

enum { WIDTH = 320, HEIGHT = 180, PIXELS = WIDTH * HEIGHT };

typedef struct rig {
    vxe_scene *scene;
    vxe_model *model;
    vxe_sim *sim;
} rig;

/* A red block of 4 x 3 x 2 voxels, blue on top, that falls on the floor. */
static rig make_rig(bool floor)
{
    vxe_error error = {VXE_OK, ""};
    rig r = {.scene = new_scene(0.01, 6, 6, 6)};
    vxe_material_def def = vxe_default_material_def();
    (void)snprintf(def.name, sizeof def.name, "red");
    memcpy(def.color, (const uint8_t[4]){200, 40, 30, 255}, sizeof def.color);
    const int32_t red = put_material(r.scene, &def);
    (void)snprintf(def.name, sizeof def.name, "blue");
    memcpy(def.color, (const uint8_t[4]){30, 60, 210, 255}, sizeof def.color);
    const int32_t blue = put_material(r.scene, &def);
    fill(r.scene, box_of(1, 1, 0, 4, 3, 1), red);
    fill(r.scene, box_of(1, 1, 1, 4, 3, 1), blue);
    vxe_environment environment = vxe_scene_environment(r.scene);
    environment.floor = floor;
    environment.gravity[2] = -9.81;
    require(vxe_scene_set_environment(r.scene, &environment, &error), &error);
    require(vxe_compile(r.scene, &r.model, &error), &error);
    vxe_sim_def sim_def = vxe_default_sim_def();
    require(vxe_sim_create(r.model, &sim_def, &r.sim, &error), &error);
    return r;
}

static void drop_rig(rig *r)
{
    vxe_sim_destroy(r->sim);
    vxe_model_destroy(r->model);
    vxe_scene_destroy(r->scene);
}

static vxe_film *make_film(rig *r, const char *measure, int frames)
{
    vxe_error error = {VXE_OK, ""};
    vxe_film *film = NULL;
    require(vxe_film_create(r->sim, r->scene, measure, &film, &error), &error);
    for (int i = 0; i < frames; i++) {
        require(vxe_film_take(film, r->sim, &error), &error);
        assert_int_equal(vxe_sim_run(r->sim, &(vxe_stop){.time = 0.01 * (i + 1)}, INT64_MAX), VXE_RUN_TIME);
    }
    assert_int_equal(vxe_film_count(film), frames);
    return film;
}

static vxe_picture_def small_picture(void)
{
    vxe_picture_def def = vxe_default_picture_def();
    def.width = WIDTH;
    def.height = HEIGHT;
    def.legend = false;
    return def;
}

static uint8_t *draw(const vxe_film *film, const vxe_picture_def *def, double time)
{
    vxe_error error = {VXE_OK, ""};
    uint8_t *pixels = malloc(3 * (size_t)def->width * (size_t)def->height);
    require(vxe_film_draw(film, def, time, pixels, &error), &error);
    return pixels;
}

/* Pixels in which one of the colours is far stronger than the others. */
static int count_colored(const uint8_t *pixels, int channel)
{
    int count = 0;
    for (int i = 0; i < PIXELS; i++) {
        const uint8_t *p = pixels + 3 * i;
        const int others =
            p[(channel + 1) % 3] > p[(channel + 2) % 3] ? p[(channel + 1) % 3] : p[(channel + 2) % 3];
        count += p[channel] > others + 40;
    }
    return count;
}

static void draws_what_there_is(void **state)
{
    (void)state;
    rig r = make_rig(true);
    vxe_film *film = make_film(&r, NULL, 1);
    vxe_picture_def def = small_picture();
    def.edges = false;
    uint8_t *pixels = draw(film, &def, 0.0);
    const int red = count_colored(pixels, 0);
    const int blue = count_colored(pixels, 2);
    assert_true(red > PIXELS / 50 && blue > PIXELS / 50);
    assert_true(red + blue > PIXELS / 8 && red + blue < PIXELS / 2); /* the body fills the middle */
    /* From above there is blue only, and its size follows from the lens: 3 voxels and a little of a side, 2
     * high, fill 76 % of the height. */
    def.elevation = 1.4999;
    def.azimuth = -1.5707963;
    uint8_t *above = draw(film, &def, 0.0);
    assert_true(count_colored(above, 0) < 60);
    const double side = 0.76 * HEIGHT * 3.0 / (3.0 + 2.0 / tan(1.4999));
    check_near("blue pixels", count_colored(above, 2), side * side * 4.0 / 3.0, 0.06 * side * side);
    /* Twice as near, four times as many (what fits). */
    def.zoom = 0.5;
    uint8_t *smaller = draw(film, &def, 0.0);
    check_near("a quarter of them", count_colored(smaller, 2), 0.25 * count_colored(above, 2),
               0.03 * side * side);
    free(pixels);
    free(above);
    free(smaller);
    vxe_film_destroy(film);
    drop_rig(&r);
}

/* Brightness of a pixel, 0 to 765. */
static int light_at(const uint8_t *pixels, int x, int y)
{
    const uint8_t *p = pixels + 3 * ((size_t)y * WIDTH + (size_t)x);
    return p[0] + p[1] + p[2];
}

static void casts_shadows(void **state)
{
    (void)state;
    rig with = make_rig(true);
    rig without = make_rig(false);
    vxe_film *films[2] = {make_film(&with, NULL, 1), make_film(&without, NULL, 1)};
    vxe_picture_def def = small_picture();
    uint8_t *shadowed = draw(films[0], &def, 0.0);
    uint8_t *plain = draw(films[1], &def, 0.0);
    int darker = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            darker += light_at(shadowed, x, y) <
                      0.8 * light_at(plain, x, y); /* lines of the floor take less than that */
    check_above("pixels in the shadow", darker, PIXELS / 100.0);
    check_below("pixels in the shadow", darker, PIXELS / 5.0);
    /* Without a floor there is one colour behind the body. */
    assert_memory_equal(plain, plain + 3 * (WIDTH - 1), 3);
    free(shadowed);
    free(plain);
    vxe_film_destroy(films[0]);
    vxe_film_destroy(films[1]);
    drop_rig(&with);
    drop_rig(&without);
}

static void colours_by_measures(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    rig r = make_rig(true);
    vxe_film *film = NULL;
    assert_int_equal(vxe_film_create(r.sim, r.scene, "stupidity", &film, &error), VXE_ERROR_INPUT);
    assert_non_null(strstr(error.message, "stupidity"));
    for (int32_t m = 1; m < vxe_measure_count(); m++) {
        const char *label = NULL;
        const char *unit = NULL;
        const char *name = vxe_measure_name(m, &label, &unit);
        require(vxe_film_create(r.sim, r.scene, name, &film, &error), &error);
        require(vxe_film_take(film, r.sim, &error), &error);
        vxe_picture_def def = small_picture();
        def.legend = true;
        uint8_t *pixels = draw(film, &def, 0.0);
        free(pixels);
        vxe_film_destroy(film);
    }
    assert_null(vxe_measure_name(vxe_measure_count(), NULL, NULL));
    /* At rest, round-off is no strain: everything has the colour of zero, whatever its material. */
    require(vxe_film_create(r.sim, r.scene, "strain", &film, &error), &error);
    require(vxe_film_take(film, r.sim, &error), &error);
    vxe_picture_def def = small_picture();
    uint8_t *pixels = draw(film, &def, 0.0);
    assert_int_equal(count_colored(pixels, 0) + count_colored(pixels, 2), 0);
    free(pixels);
    vxe_film_destroy(film);
    drop_rig(&r);
}

static void scales_have_round_numbers(void **state)
{
    (void)state;
    vxe_scale s = vxe_scale_make("strain", "strain", "", -0.0123, 0.0465, 1e-5, false);
    assert_string_equal(s.title, "Strain [%]");
    check_near("the end of the scale", s.high, 0.06, 1e-12);
    check_near("the other end", s.low, -0.06, 1e-12);
    assert_int_equal(s.tick_count, 7);
    assert_string_equal(s.ticks[0].text, "−6");
    assert_string_equal(s.ticks[3].text, "0");
    assert_string_equal(s.ticks[6].text, "6");
    s = vxe_scale_make("displacement", "displacement", "m", 0.0, 0.0173, 1e-7, false);
    assert_string_equal(s.title, "Displacement [mm]");
    assert_string_equal(s.ticks[s.tick_count - 1].text, "20");
    assert_true(s.low == 0.0);
    /* Noise does not fill the scale. */
    s = vxe_scale_make("strain", "strain", "", -3e-17, 2e-17, 1e-5, false);
    check_near("the end of a scale of noise", s.high, 1e-5, 1e-12);
    s = vxe_scale_make("stress", "stress", "Pa", -1.0, 1.0, 0.0, true);
    assert_true(s.low == -1.0 && s.high == 1.0);
    const vxe_rgb zero = vxe_scale_color(&s, 0.0);
    const vxe_rgb most = vxe_scale_color(&s, 5.0);
    assert_true(zero.r == 0xdf && zero.g == 0xe3 && zero.b == 0xea);
    assert_true(most.r == 0xb5 && most.g == 0x27 && most.b == 0x2d);
    check_near("a round step", vxe_round_step(0.031), 0.05, 1e-15);
    /* Whatever the range, ticks lie on the scale, and there are not many. */
    static const double ranges[][2] = {
        {-5e116, 0.0}, {INFINITY, -INFINITY}, {-INFINITY, INFINITY}, {-DBL_MAX, DBL_MAX},
        {NAN, NAN},    {0.0, DBL_MIN},        {-7.0, 1e-9},          {1.0, 1.0 + 1e-15},
    };
    static const char *const names[] = {"strain", "displacement", "speed", "phase", "state"};
    for (size_t i = 0; i < 2 * 5 * sizeof ranges / sizeof *ranges; i++) {
        const double *range = ranges[i / 10];
        s = vxe_scale_make(names[i / 2 % 5], "a", "m", range[0], range[1], 0.0, i % 2 == 1);
        assert_true(s.low < s.high && isfinite(s.high - s.low));
        for (int k = 0; k < s.tick_count; k++)
            assert_true(s.ticks[k].part >= -1e-3 && s.ticks[k].part <= 1.001);
    }
    char text[40];
    vxe_print_quantity(text, sizeof text, 0.0125, "m", 3);
    assert_string_equal(text, "12.5 mm");
}

static void writes_text(void **state)
{
    (void)state;
    uint8_t pixels[3 * 200 * 40];
    memset(pixels, 255, sizeof pixels);
    vxe_canvas c = {200, 40, pixels};
    const double width = vxe_text_width(0, 20.0, "Hello");
    vxe_canvas_text(&c, 0, 20.0, 10.0, 30.0, VXE_TEXT_LEFT, (vxe_rgb){0, 0, 0}, "Hello");
    double ink = 0.0;
    int left = 200;
    int right = -1;
    for (int i = 0; i < 200 * 40; i++) {
        if (pixels[3 * i] == 255) continue;
        ink += 1.0 - pixels[3 * i] / 255.0;
        left = i % 200 < left ? i % 200 : left;
        right = i % 200 > right ? i % 200 : right;
    }
    assert_true(left >= 10 && left <= 13 && right <= 10 + (int)width && right >= 5 + (int)width);
    /* About a sixth of the box that letters stand in is black. */
    check_near("ink", ink, 0.17 * width * 20.0, 0.07 * width * 20.0);
    /* Bold is wider; letters that there are not become others; nothing outside of the image is touched. */
    assert_true(vxe_text_width(1, 20.0, "Hello") > width);
    assert_true(vxe_text_width(0, 20.0, "é") == vxe_text_width(0, 20.0, "e"));
    assert_true(vxe_text_width(0, 20.0, "\xff") == vxe_text_width(0, 20.0, "?"));
    vxe_canvas_text(&c, 1, 60.0, -50.0, 90.0, VXE_TEXT_RIGHT, (vxe_rgb){0, 0, 0}, "µ³−∞ outside");
    vxe_canvas_box(&c, -20.0, -20.0, 300.0, 90.0, 5.0, (vxe_rgb){9, 9, 9}, 1.0);
    assert_int_equal(pixels[0], 9);
}

static void pictures_are_png(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    rig r = make_rig(true);
    vxe_film *film = make_film(&r, "speed", 3);
    vxe_picture_def def = small_picture();
    def.legend = true;
    uint8_t *pixels = draw(film, &def, 0.02);
    require(vxe_film_save_picture(film, &def, 0.02, "picture.png", &error), &error);
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    assert_true(png_image_begin_read_from_file(&image, "picture.png") != 0);
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.height, HEIGHT);
    image.format = PNG_FORMAT_RGB;
    uint8_t *read = malloc(PNG_IMAGE_SIZE(image));
    assert_true(png_image_finish_read(&image, NULL, read, 0, NULL) != 0);
    assert_memory_equal(read, pixels, 3 * PIXELS);
    assert_int_equal(vxe_film_save_picture(film, &def, 0.02, "no/such/folder.png", &error), VXE_ERROR_FILE);
    def.width = 1;
    assert_int_equal(vxe_film_save_picture(film, &def, 0.02, "x.png", &error), VXE_ERROR_ARGUMENT);
    def = small_picture();
    def.size = 0;
    assert_int_equal(vxe_film_save_picture(film, &def, 0.02, "x.png", &error), VXE_ERROR_ARGUMENT);
    free(read);
    free(pixels);
    vxe_film_destroy(film);
    drop_rig(&r);
}

/* ---- GIF: read by the rules of the format --------------------------------------------------------------------------- */

typedef struct gif {
    uint8_t *data;
    size_t size;
    size_t at;
    uint8_t screen[3 * PIXELS];
    int frames;
    int delay; /* hundredths, of all frames */
} gif;

static int gif_u16(gif *g)
{
    const int value = g->data[g->at] | g->data[g->at + 1] << 8;
    g->at += 2;
    return value;
}

/* Undoes LZW: `codes` are the bytes of all blocks. */
static size_t gif_expand(const uint8_t *codes, size_t count, uint8_t *out, size_t room)
{
    static uint16_t prefix[4096];
    static uint8_t last[4096];
    int size = 9;
    int next = 258;
    int before = -1;
    size_t used = 0;
    uint32_t bits = 0;
    int waiting = 0;
    for (size_t i = 0; i < count;) {
        while (waiting < size && i < count) {
            bits |= (uint32_t)codes[i++] << waiting;
            waiting += 8;
        }
        if (waiting < size) break;
        const int code = (int)(bits & ((1U << size) - 1));
        bits >>= size;
        waiting -= size;
        if (code == 256) {
            size = 9;
            next = 258;
            before = -1;
            continue;
        }
        if (code == 257) break;
        assert_true(code < next || (code == next && before >= 0));
        uint8_t stack[4097];
        int depth = 0;
        int walk = code;
        if (code == next) walk = before;
        while (walk >= 258) {
            stack[depth++] = last[walk];
            walk = prefix[walk];
        }
        stack[depth++] = (uint8_t)walk;
        const uint8_t first = (uint8_t)walk;
        for (int k = depth; k-- > 0;) {
            assert_true(used < room);
            out[used++] = stack[k];
        }
        if (code == next) {
            assert_true(used < room);
            out[used++] = first;
        }
        if (before >= 0 && next < 4096) {
            prefix[next] = (uint16_t)before;
            last[next] = first;
            next++;
            if (next == 1 << size && size < 12) size++;
        }
        before = code;
    }
    return used;
}

/* Shows the next frame; false at the end. */
static bool gif_next(gif *g)
{
    int same = -1;
    for (;;) {
        const uint8_t kind = g->data[g->at++];
        if (kind == 0x3b) return false;
        if (kind == 0x21) {
            const uint8_t label = g->data[g->at++];
            if (label == 0xf9) {
                const uint8_t flags = g->data[g->at + 1];
                g->at += 2;
                g->delay += gif_u16(g);
                same = (flags & 1) != 0 ? g->data[g->at] : -1;
                g->at += 2;
                continue;
            }
            while (g->data[g->at] != 0) g->at += 1 + (size_t)g->data[g->at];
            g->at++;
            continue;
        }
        assert_int_equal(kind, 0x2c);
        const int x = gif_u16(g);
        const int y = gif_u16(g);
        const int w = gif_u16(g);
        const int h = gif_u16(g);
        assert_int_equal(g->data[g->at++], 0);
        assert_int_equal(g->data[g->at++], 8);
        uint8_t *codes = malloc(g->size);
        size_t count = 0;
        while (g->data[g->at] != 0) {
            memcpy(codes + count, g->data + g->at + 1, g->data[g->at]);
            count += g->data[g->at];
            g->at += 1 + (size_t)g->data[g->at];
        }
        g->at++;
        uint8_t *index = malloc((size_t)w * (size_t)h);
        assert_int_equal(gif_expand(codes, count, index, (size_t)w * (size_t)h), w * h);
        for (int k = 0; k < w * h; k++) {
            if (index[k] == same) continue;
            memcpy(g->screen + 3 * ((size_t)(y + k / w) * WIDTH + (size_t)(x + k % w)),
                   g->data + 13 + 3 * index[k], 3);
        }
        free(index);
        free(codes);
        g->frames++;
        return true;
    }
}

static void videos_are_gif(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    rig r = make_rig(true);
    vxe_film *film = make_film(&r, NULL, 8);
    vxe_picture_def def = small_picture();
    def.legend = true;
    def.threads = 3;
    require(vxe_film_save_video(film, &def, 50.0, 1.0, "video.gif", NULL, NULL, &error), &error);
    static gif g;
    memset(&g, 0, sizeof g);
    FILE *file = fopen("video.gif", "rb");
    assert_non_null(file);
    g.data = calloc(1, 1 << 22);
    g.size = fread(g.data, 1, 1 << 22, file);
    (void)fclose(file);
    assert_memory_equal(g.data, "GIF89a", 6);
    g.at = 6;
    assert_int_equal(gif_u16(&g), WIDTH);
    assert_int_equal(gif_u16(&g), HEIGHT);
    g.at = 13 + 768;
    /* Every frame is the picture of its time, but for the number of colours. */
    double worst = 0.0;
    while (gif_next(&g)) {
        uint8_t *pixels = draw(film, &def, (g.frames - 1) / 50.0);
        double sum = 0.0;
        for (int i = 0; i < 3 * PIXELS; i++) sum += fabs((double)g.screen[i] - pixels[i]);
        worst = fmax(worst, sum / (3 * PIXELS));
        free(pixels);
    }
    assert_int_equal(g.frames, 4); /* 0.07 s of 50 a second, and the first */
    assert_int_equal(g.delay, 8);  /* 4/50 s in hundredths */
    check_below("difference of a colour, in the mean", worst, 1.5);
    check_above("difference of a colour, in the mean", worst, 0.01); /* or else nothing was compared */
    free(g.data);
    vxe_film_destroy(film);
    drop_rig(&r);
}

/* A GIF of noise: tables fill up and are cleared, blocks are full. */
static void gif_takes_noise(void **state)
{
    (void)state;
    rng random = {7};
    uint8_t *index = malloc(PIXELS);
    uint8_t *before = malloc(PIXELS);
    uint8_t *read = malloc(PIXELS);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PIXELS; i++) {
            index[i] = (uint8_t)(rng_next(&random) % (round == 0 ? 255 : 2));
            before[i] = round == 2 ? (uint8_t)(rng_next(&random) % 3) : 250;
        }
        size_t size = 0;
        uint8_t *frame = vxe_gif_frame(index, before, WIDTH, HEIGHT, 4, &size);
        assert_non_null(frame);
        assert_int_equal(frame[8], 0x2c);
        uint8_t *codes = malloc(size);
        size_t count = 0;
        size_t at = 19;
        while (frame[at] != 0) {
            memcpy(codes + count, frame + at + 1, frame[at]);
            count += frame[at];
            at += 1 + (size_t)frame[at];
        }
        assert_int_equal(at, size - 1);
        assert_int_equal(gif_expand(codes, count, read, PIXELS), PIXELS);
        for (int i = 0; i < PIXELS; i++) {
            const uint8_t expected = index[i] == before[i] ? VXE_GIF_SAME : index[i];
            if (read[i] != expected) fail_msg("pixel %d is %d, not %d", i, read[i], expected);
        }
        free(codes);
        free(frame);
    }
    free(index);
    free(before);
    free(read);
}

static bool stop_early(void *user, int32_t done, int32_t frames)
{
    *(int *)user = frames;
    return done < 2;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    rig r = make_rig(true);
    vxe_film *film = make_film(&r, "strain", 4);
    vxe_picture_def def = small_picture();
    for (int threads = 1; threads <= 3; threads += 2) {
        def.threads = threads;
        require(
            vxe_film_save_video(film, &def, 100.0, 1.0, threads == 1 ? "one" : "three", NULL, NULL, &error),
            &error);
    }
    for (int i = 0; i < 4; i++) {
        uint8_t *data[2];
        size_t size[2];
        for (int k = 0; k < 2; k++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%s/frame-%05d.png", k == 0 ? "one" : "three", i);
            FILE *file = fopen(name, "rb");
            assert_non_null(file);
            data[k] = malloc(1 << 20);
            size[k] = fread(data[k], 1, 1 << 20, file);
            (void)fclose(file);
        }
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(data[0], data[1], size[0]);
        free(data[0]);
        free(data[1]);
    }
    assert_int_not_equal(access("one/frame-00004.png", F_OK), 0);
    int frames = 0;
    assert_int_equal(vxe_film_save_video(film, &def, 100.0, 1.0, "stopped.gif", stop_early, &frames, &error),
                     VXE_ERROR_ARGUMENT);
    assert_int_equal(frames, 4);
    assert_int_not_equal(access("stopped.gif", F_OK), 0);
    assert_int_equal(vxe_film_save_video(film, &def, 0.0, 1.0, "x.gif", NULL, NULL, &error),
                     VXE_ERROR_ARGUMENT);
    vxe_film_destroy(film);
    drop_rig(&r);
}

/* Files of anybody can be heaps of faces, all as large as the picture: that is said, not drawn for hours. */
static void heaps_of_faces_are_refused(void **state)
{
    (void)state;
    enum { COPIES = 3000 };
    vxe_error error = {VXE_OK, ""};
    rig r = make_rig(true);
    vxe_film *film = make_film(&r, "material", 1);
    vxe_body *body = film->shots[0].body;
    const size_t count = (size_t)body->face_count;
    body->face = realloc(body->face, 4 * COPIES * count * sizeof *body->face);
    body->face_voxel = realloc(body->face_voxel, COPIES * count * sizeof *body->face_voxel);
    body->hollow = realloc(body->hollow, 4 * COPIES * count);
    assert_true(body->face != NULL && body->face_voxel != NULL && body->hollow != NULL);
    for (size_t k = 1; k < COPIES; k++) {
        memcpy(body->face + 4 * k * count, body->face, 4 * count * sizeof *body->face);
        memcpy(body->face_voxel + k * count, body->face_voxel, count * sizeof *body->face_voxel);
        memcpy(body->hollow + 4 * k * count, body->hollow, 4 * count);
    }
    body->face_count = (int32_t)(COPIES * count);
    vxe_picture_def def = small_picture();
    uint8_t *pixels = malloc(3 * PIXELS);
    assert_non_null(pixels);
    assert_int_equal(vxe_film_draw(film, &def, 0.0, pixels, &error), VXE_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "more than 1000 times"));
    body->face_count = (int32_t)(100 * count);
    require(vxe_film_draw(film, &def, 0.0, pixels, &error), &error);
    free(pixels);
    vxe_film_destroy(film);
    drop_rig(&r);
}

/* A film from a replay shows what the film of the run itself does, nearly: replays round. */
static void replays_become_films(void **state)
{
    (void)state;
    vxe_error error = {VXE_OK, ""};
    if (!vxe_replay_available()) skip();
    rig r = make_rig(true);
    vxe_film *direct = NULL;
    vxe_film *film = NULL;
    vxe_replay *replay = NULL;
    const vxe_stop stop = {.time = 0.05};
    require(vxe_film_create(r.sim, r.scene, NULL, &direct, &error), &error);
    require(vxe_replay_create(r.sim, r.scene, NULL, &stop, &replay, &error), &error);
    while (vxe_sim_run(r.sim, &stop, 5) == VXE_RUN_STEPS)
        if (vxe_sim_time(r.sim) >= vxe_replay_next(replay)) vxe_replay_observe(replay, r.sim);
    require(vxe_film_take(direct, r.sim, &error), &error);
    assert_int_equal(vxe_replay_write(replay, r.sim, "[1]", "replay.html", &error), VXE_ERROR_INPUT);
    require(vxe_replay_write(replay, r.sim, "{\"status\": \"done\"}", "replay.html", &error), &error);
    require(vxe_film_load("replay.html", "material", &film, &error), &error);
    check_above("frames", vxe_film_count(film), 40);
    check_near("the end", vxe_film_time(film, vxe_film_count(film) - 1), 0.05, 1e-12);
    vxe_picture_def def = small_picture();
    def.camera = VXE_CAMERA_FIXED;
    /* The camera has all of a film in view, so the last frame alone is compared. */
    vxe_film *last = film;
    const int32_t count = film->count;
    for (int32_t i = 0; i + 1 < count; i++) {
        vxe_body_release(film->shots[i].body);
        free(film->shots[i].corner);
    }
    film->shots[0] = film->shots[count - 1];
    memcpy(film->path[0], film->path[count - 1], sizeof film->path[0]);
    film->count = 1;
    uint8_t *a = draw(direct, &def, 1.0);
    uint8_t *b = draw(last, &def, 1.0);
    double sum = 0.0;
    for (int i = 0; i < 3 * PIXELS; i++) sum += abs(a[i] - b[i]);
    check_below("difference of a colour, in the mean", sum / (3 * PIXELS), 1.0);
    free(a);
    free(b);
    vxe_film_destroy(film);
    require(vxe_film_load("replay.html", "strain", &film, &error), &error);
    vxe_film_destroy(film);
    assert_int_equal(vxe_film_load("replay.html", "phase", &film, &error), VXE_ERROR_INPUT);
    assert_int_equal(vxe_film_load("nothing.html", NULL, &film, &error), VXE_ERROR_FILE);
    const char *const vast = "id=\"voxelastic-replay\">{\"format\": 1, \"pitch\": 1, \"mesh\": "
                             "{\"voxels\": 1, \"corners\": 8, \"faces\": 99999999}}</script>";
    const char *const wrong[] = {"",
                                 "<html>",
                                 "id=\"voxelastic-replay\">",
                                 "id=\"voxelastic-replay\">{}</script>",
                                 "id=\"voxelastic-replay\">[</script>",
                                 vast};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(vxe_film_parse(wrong[i], strlen(wrong[i]), "wrong", NULL, &film, &error),
                         VXE_ERROR_INPUT);
        assert_non_null(strstr(error.message, "wrong: "));
    }
    vxe_replay_destroy(replay);
    vxe_film_destroy(direct);
    drop_rig(&r);
}

/* A body that travels is followed; between frames it is in between. */
static void cameras_follow(void **state)
{
    (void)state;
    rig r = make_rig(true);
    vxe_film *film = make_film(&r, NULL, 3);
    for (int32_t i = 0; i < film->count; i++) { /* as if it had run along x */
        film->shots[i].origin[0] += 0.2 * i;
        film->path[i][0] += 0.2 * i;
    }
    vxe_picture_def def = small_picture();
    def.floor = false;
    def.camera = VXE_CAMERA_FOLLOW;
    uint8_t *followed = draw(film, &def, 0.01);
    def.camera = VXE_CAMERA_FIXED;
    uint8_t *fixed = draw(film, &def, 0.01);
    def.camera = VXE_CAMERA_AUTO;
    uint8_t *chosen = draw(film, &def, 0.01);
    check_above("how much larger it is", count_colored(followed, 0), 4.0 * count_colored(fixed, 0));
    assert_memory_equal(followed, chosen, 3 * PIXELS);
    /* Half way between the first two frames, seen by a camera that stands, the body's middle is half way. */
    def.camera = VXE_CAMERA_FIXED;
    double middle[3];
    for (int k = 0; k < 3; k++) {
        uint8_t *pixels = draw(film, &def, 0.005 * k);
        double sum = 0.0;
        int count = 0;
        for (int i = 0; i < PIXELS; i++) {
            if (memcmp(pixels + 3 * i, pixels, 3) == 0) continue;
            sum += i % WIDTH;
            count++;
        }
        middle[k] = sum / count;
        free(pixels);
    }
    check_above("how far it goes", middle[2] - middle[0], 30.0);
    check_near("half way", middle[1], 0.5 * (middle[0] + middle[2]),
               0.05 * (middle[2] - middle[0])); /* perspective */
    free(followed);
    free(fixed);
    free(chosen);
    vxe_film_destroy(film);
    drop_rig(&r);
}

/* How much bluer water makes a pixel: what it takes of red. */
static int tint_at(const uint8_t *dry, const uint8_t *wet, int x, int y)
{
    return dry[3 * (y * WIDTH + x)] - wet[3 * (y * WIDTH + x)];
}

/* A level camera at the middle of the body, 10 mm high: the water it looks through is tinted, wherever the
 * surface is. */
static void water_is_seen_from_both_sides(void **state)
{
    (void)state;
    rig r = make_rig(false);
    vxe_film *film = make_film(&r, NULL, 1);
    vxe_picture_def def = small_picture();
    def.edges = false;
    def.azimuth = -1.5707963;
    def.elevation = 0.0;
    uint8_t *dry = draw(film, &def, 0.0);
    film->water = true;
    film->water_level = 0.015;
    uint8_t *below = draw(film, &def, 0.0);
    film->water_level = 0.01;
    uint8_t *at = draw(film, &def, 0.0);
    film->water_level = 0.005;
    uint8_t *above = draw(film, &def, 0.0);
    const int red[2] = {WIDTH / 2, HEIGHT / 2 + 50}; /* deep in the lower layer */
    check_above("red from below", tint_at(dry, below, red[0], red[1]), 5.0);
    check_above("red from the surface", tint_at(dry, at, red[0], red[1]), 2.0);
    check_above("red from above", tint_at(dry, above, red[0], red[1]), 5.0);
    /* Behind the body, at the height of the camera and above it. */
    check_above("beside the body", tint_at(dry, below, 2, HEIGHT / 2 + 10), 20.0);
    check_below("the sky from below", tint_at(dry, below, 2, 2), tint_at(dry, below, 2, HEIGHT / 2 + 10));
    assert_true(tint_at(dry, below, 2, 2) > 0);
    assert_true(tint_at(dry, at, 2, 2) == 0 && tint_at(dry, above, 2, 2) == 0);
    free(dry);
    free(below);
    free(at);
    free(above);
    vxe_film_destroy(film);
    drop_rig(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(draws_what_there_is),
                                       cmocka_unit_test(casts_shadows),
                                       cmocka_unit_test(colours_by_measures),
                                       cmocka_unit_test(scales_have_round_numbers),
                                       cmocka_unit_test(writes_text),
                                       cmocka_unit_test(pictures_are_png),
                                       cmocka_unit_test(videos_are_gif),
                                       cmocka_unit_test(gif_takes_noise),
                                       cmocka_unit_test(threads_do_not_matter),
                                       cmocka_unit_test(heaps_of_faces_are_refused),
                                       cmocka_unit_test(replays_become_films),
                                       cmocka_unit_test(cameras_follow),
                                       cmocka_unit_test(water_is_seen_from_both_sides)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
