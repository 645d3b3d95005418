/* Hands any bytes to the studio's desk, as a page could send them: lines are text messages, except that the
 * first byte of the input, if odd, makes all of it one binary message. Every message with an id must get its
 * reply, and files must stay inside the folder. */
#define _GNU_SOURCE /* nftw */
#include "studio/desk.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char demo_text[] = "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.001, \"size\": [3, 2, 2]},"
                                "\"materials\": [{\"name\": \"a\"}], \"signals\": [{\"name\": \"s\"}],"
                                "\"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [3, 2, 2]},"
                                "\"material\": \"a\"}], \"regions\": [{\"name\": \"r\", \"box\": {\"corner\":"
                                "[0, 0, 0], \"size\": [1, 2, 2]}, \"fixed\": \"all\"}]}";
static const studio_demo demos[] = {{"d", (const unsigned char *)demo_text, sizeof demo_text - 1}};

static char place[] = "/tmp/fuzz-studio-XXXXXX";

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

static void clean_up(void) { (void)nftw(place, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

static void wake(void *target) { (void)target; }

/* Made once: threads per input would be most of the time. */
static desk *make_desk(outbox *out)
{
    static player play;
    static solver solve;
    static desk made;
    static studio_options options = {.demos = demos, .demo_count = 1};
    failure f = {NULL, ""};
    if (mkdtemp(place) == NULL || atexit(clean_up) != 0) abort();
    options.folder = place;
    outbox_init(out, wake, NULL);
    solver_init(&solve, out, &play);
    if (!player_start(&play, out, &f) || !desk_start(&made, &options, out, &play, &solve, &f)) abort();
    return &made;
}

/* A few bytes can ask for much: that is slow, not wrong. And solvers are processes. */
static bool is_cheap(const uint8_t *data, size_t size)
{
    json_t *root = json_loadb((const char *)data, size, 0, NULL);
    const json_t *sides = json_object_get(json_object_get(json_object_get(root, "scene"), "lattice"), "size");
    const char *verb = json_string_value(json_object_get(root, "do"));
    double cells = 1.0;
    for (size_t i = 0; i < json_array_size(sides); i++) cells *= json_number_value(json_array_get(sides, i));
    const bool cheap = cells <= 5000.0 && (verb == NULL || strcmp(verb, "solve.start") != 0);
    json_decref(root);
    return cheap;
}

static void send(desk *d, outbox *out, uint64_t page, bool binary, const uint8_t *data, size_t size)
{
    command c;
    failure f = {NULL, ""};
    (void)command_parse(&c, data, size, binary, &f);
    const bool expected = c.has_id;
    command_clear(&c);
    desk_handle(d, page, binary, data, size);
    int replies = 0;
    for (message *m = outbox_take(out); m != NULL; m = outbox_take(out)) {
        replies += m->kind == MESSAGE_REPLY && !m->binary;
        if (!m->binary) { /* what the page reads must be JSON */
            json_t *text = json_loadb((const char *)m->buffer + MESSAGE_ROOM, m->size, 0, NULL);
            if (text == NULL) abort();
            json_decref(text);
        }
        message_destroy(m);
    }
    if (expected && replies < 1) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static outbox out;
    static desk *d;
    if (d == NULL) d = make_desk(&out);
    if (size < 1 || size > 20000) return 0;
    const uint64_t page = outbox_connect(&out);
    static const char *const prologue[] = {"{\"do\": \"demo.open\", \"name\": \"d\"}",
                                           "{\"do\": \"sim.new\"}", "{\"do\": \"hello\"}"};
    for (size_t i = 0; i < 3; i++) {
        send(d, &out, page, false, (const uint8_t *)prologue[i], strlen(prologue[i]));
    }
    if ((data[0] & 1) != 0) {
        if (size > 5 && is_cheap(data + 5, size - 5)) send(d, &out, page, true, data + 1, size - 1);
    } else {
        for (size_t begin = 1; begin < size;) {
            const uint8_t *end = memchr(data + begin, '\n', size - begin);
            const size_t length = end == NULL ? size - begin : (size_t)(end - data) - begin;
            if (is_cheap(data + begin, length)) send(d, &out, page, false, data + begin, length);
            begin += length + 1;
        }
    }
    if (access("/tmp/escaped.json", F_OK) == 0) abort();
    outbox_disconnect(&out, page);
    return 0;
}
