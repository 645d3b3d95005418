/* GIF files; see gif.h. */
#include "picture/gif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Colours are counted in bins of four steps of each of red, green and blue. */
enum { BITS = 6, SIDE = 1 << BITS, STEP = 256 / SIDE, BINS = SIDE * SIDE * SIDE, ROUNDS = 3 };

static size_t bin_of(const uint8_t *pixel)
{
    return (size_t)(pixel[0] >> (8 - BITS)) << 2 * BITS | (size_t)(pixel[1] >> (8 - BITS)) << BITS |
           (size_t)(pixel[2] >> (8 - BITS));
}

bool vxe_palette_begin(vxe_palette *p)
{
    memset(p, 0, sizeof *p);
    p->total = calloc(4 * (size_t)BINS, sizeof *p->total);
    p->nearest = calloc(BINS, 1);
    if (p->total != NULL && p->nearest != NULL) return true;
    vxe_palette_clear(p);
    return false;
}

void vxe_palette_clear(vxe_palette *p)
{
    free(p->total);
    free(p->nearest);
    p->total = NULL;
    p->nearest = NULL;
}

void vxe_palette_add(vxe_palette *p, const vxe_canvas *c)
{
    const size_t count = (size_t)c->width * (size_t)c->height;
    for (size_t i = 0; i < count; i++) {
        uint64_t *bin = p->total + 4 * bin_of(c->pixels + 3 * i);
        bin[0]++;
        for (size_t a = 0; a < 3; a++) bin[1 + a] += c->pixels[3 * i + a];
    }
}

/* A colour that occurred. */
typedef struct shade {
    float at[3];
    float weight;
    uint32_t bin;
} shade;

/* A group of shades that become one colour. */
typedef struct group {
    int32_t begin;
    int32_t end;
    double mean[3];
    double spread; /* sum of the squares along its longest axis */
    int axis;
} group;

static void measure_group(const shade *s, group *g)
{
    double sum[3] = {0.0, 0.0, 0.0};
    double square[3] = {0.0, 0.0, 0.0};
    double weight = 0.0;
    for (int32_t i = g->begin; i < g->end; i++) {
        weight += (double)s[i].weight;
        for (int a = 0; a < 3; a++) {
            sum[a] += (double)(s[i].weight * s[i].at[a]);
            square[a] += (double)(s[i].weight * s[i].at[a]) * (double)s[i].at[a];
        }
    }
    g->spread = -1.0;
    for (int a = 0; a < 3; a++) {
        g->mean[a] = sum[a] / weight;
        const double spread = square[a] - weight * g->mean[a] * g->mean[a];
        if (spread <= g->spread) continue;
        g->spread = spread;
        g->axis = a;
    }
    if (g->end - g->begin < 2) g->spread = 0.0;
}

/* Cuts a group in two at its mean; what lies below comes first. */
static int32_t cut_group(shade *s, const group *g)
{
    int32_t low = g->begin;
    int32_t high = g->end;
    while (low < high) {
        if ((double)s[low].at[g->axis] < g->mean[g->axis]) {
            low++;
        } else {
            const shade other = s[--high];
            s[high] = s[low];
            s[low] = other;
        }
    }
    return low;
}

static int nearest_color(const vxe_palette *p, const float at[3])
{
    int best = 0;
    float least = INFINITY;
    for (int i = 0; i < p->count; i++) {
        const float d[3] = {at[0] - p->color[i].r, at[1] - p->color[i].g, at[2] - p->color[i].b};
        const float away = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (away >= least) continue;
        least = away;
        best = i;
    }
    return best;
}

/* Moves every colour to the mean of the shades that it is nearest to. */
static void settle(vxe_palette *p, const shade *s, int32_t count)
{
    double sum[VXE_GIF_COLORS][4];
    memset(sum, 0, sizeof sum);
    for (int32_t i = 0; i < count; i++) {
        const int k = nearest_color(p, s[i].at);
        sum[k][3] += (double)s[i].weight;
        for (int a = 0; a < 3; a++) sum[k][a] += (double)(s[i].weight * s[i].at[a]);
    }
    for (int k = 0; k < p->count; k++) {
        if (sum[k][3] <= 0.0) continue;
        p->color[k] = (vxe_rgb){(uint8_t)lrint(sum[k][0] / sum[k][3]), (uint8_t)lrint(sum[k][1] / sum[k][3]),
                                (uint8_t)lrint(sum[k][2] / sum[k][3])};
    }
}

void vxe_palette_choose(vxe_palette *p)
{
    int32_t count = 0;
    for (size_t b = 0; b < BINS; b++) count += p->total[4 * b] > 0;
    shade *shades = malloc(((size_t)count + 1) * sizeof *shades);
    if (shades == NULL || count == 0) {
        free(shades);
        p->count = 1;
        return;
    }
    int32_t n = 0;
    for (size_t b = 0; b < BINS; b++) {
        const uint64_t *bin = p->total + 4 * b;
        if (bin[0] == 0) continue;
        shade *s = &shades[n++];
        for (int a = 0; a < 3; a++) s->at[a] = (float)((double)bin[1 + a] / (double)bin[0]);
        /* A large background is not worth all of the colours. */
        s->weight = sqrtf((float)bin[0]);
        s->bin = (uint32_t)b;
    }
    group groups[VXE_GIF_COLORS];
    groups[0] = (group){.begin = 0, .end = n};
    measure_group(shades, &groups[0]);
    p->count = 1;
    while (p->count < VXE_GIF_COLORS) {
        int widest = 0;
        for (int i = 1; i < p->count; i++)
            if (groups[i].spread > groups[widest].spread) widest = i;
        if (!(groups[widest].spread > 0.0)) break;
        const int32_t cut = cut_group(shades, &groups[widest]);
        if (cut == groups[widest].begin || cut == groups[widest].end) {
            groups[widest].spread = 0.0;
            continue;
        }
        groups[p->count] = (group){.begin = cut, .end = groups[widest].end};
        groups[widest].end = cut;
        measure_group(shades, &groups[widest]);
        measure_group(shades, &groups[p->count++]);
    }
    for (int i = 0; i < p->count; i++)
        p->color[i] = (vxe_rgb){(uint8_t)lrint(groups[i].mean[0]), (uint8_t)lrint(groups[i].mean[1]),
                                (uint8_t)lrint(groups[i].mean[2])};
    for (int i = 0; i < ROUNDS; i++) settle(p, shades, n);
    free(shades);
    for (size_t b = 0; b < BINS; b++) {
        const uint64_t *bin = p->total + 4 * b;
        const size_t steps[3] = {b >> 2 * BITS, b >> BITS & (SIDE - 1), b & (SIDE - 1)};
        float at[3];
        for (int a = 0; a < 3; a++) at[a] = ((float)steps[a] + 0.5F) * STEP;
        for (int a = 0; a < 3 && bin[0] > 0; a++) at[a] = (float)((double)bin[1 + a] / (double)bin[0]);
        p->nearest[b] = (uint8_t)nearest_color(p, at);
    }
}

void vxe_palette_map(const vxe_palette *p, const vxe_canvas *c, uint8_t *index)
{
    const size_t count = (size_t)c->width * (size_t)c->height;
    for (size_t i = 0; i < count; i++) index[i] = p->nearest[bin_of(c->pixels + 3 * i)];
}

/* ---- the file --------------------------------------------------------------------------------------------------------- */

static uint8_t *put_u16(uint8_t *to, int value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    return to + 2;
}

size_t vxe_gif_header(const vxe_palette *p, int32_t width, int32_t height, uint8_t *to)
{
    uint8_t *begin = to;
    memcpy(to, "GIF89a", 6);
    to = put_u16(put_u16(to + 6, width), height);
    memcpy(to, (const uint8_t[3]){0xf7, 0, 0}, 3); /* 256 colours for all frames */
    to += 3;
    for (int i = 0; i < 256; i++, to += 3) {
        const vxe_rgb c = i < p->count ? p->color[i] : (vxe_rgb){0, 0, 0};
        to[0] = c.r;
        to[1] = c.g;
        to[2] = c.b;
    }
    memcpy(to, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 19); /* again and again */
    return (size_t)(to + 19 - begin);
}

/* Codes on their way into blocks of 255 bytes. */
typedef struct bits {
    uint8_t *to;
    size_t used;
    size_t block; /* where the length of the block stands */
    uint32_t waiting;
    int count;
} bits;

static void put_byte(bits *b, uint8_t byte)
{
    if (b->used - b->block == 256) {
        b->to[b->block] = 255;
        b->block = b->used++;
    }
    b->to[b->used++] = byte;
}

static void put_code(bits *b, uint32_t code, int size)
{
    b->waiting |= code << b->count;
    for (b->count += size; b->count >= 8; b->count -= 8) {
        put_byte(b, (uint8_t)b->waiting);
        b->waiting >>= 8;
    }
}

/* A table of strings: each is a shorter one and a byte. */
enum { TABLE = 1 << 14, CLEAR = 256, END = 257, CODES_MAX = 4096 };
typedef struct strings {
    uint32_t key[TABLE]; /* prefix << 8 | byte, plus 1; 0: free */
    uint16_t code[TABLE];
    uint32_t next;
    int size; /* bits of a code */
} strings;

static void forget(strings *s)
{
    memset(s->key, 0, sizeof s->key);
    s->next = 258;
    s->size = 9;
}

/* A rectangle of the frame, with VXE_GIF_SAME where it is as before. */
static void compress_rows(const uint8_t *index, const uint8_t *before, int32_t width, const int32_t box[4],
                          strings *s, bits *b)
{
    uint32_t prefix = UINT32_MAX;
    forget(s);
    put_code(b, CLEAR, s->size);
    for (int32_t y = box[1]; y < box[3]; y++) {
        for (int32_t x = box[0]; x < box[2]; x++) {
            const size_t i = (size_t)y * (size_t)width + (size_t)x;
            const uint32_t byte = before != NULL && before[i] == index[i] ? VXE_GIF_SAME : index[i];
            if (prefix == UINT32_MAX) {
                prefix = byte;
                continue;
            }
            const uint32_t key = (prefix << 8 | byte) + 1;
            uint32_t slot = key * 2654435761U >> 18;
            while (s->key[slot] != 0 && s->key[slot] != key) slot = (slot + 1) % TABLE;
            if (s->key[slot] == key) {
                prefix = s->code[slot];
                continue;
            }
            put_code(b, prefix, s->size);
            prefix = byte;
            if (s->next == CODES_MAX) {
                put_code(b, CLEAR, s->size);
                forget(s);
                continue;
            }
            s->key[slot] = key;
            s->code[slot] = (uint16_t)s->next;
            if (s->next == 1U << s->size) s->size++;
            s->next++;
        }
    }
    put_code(b, prefix, s->size);
    put_code(b, END, s->size);
    if (b->count > 0) put_code(b, 0, 8 - b->count % 8);
    b->to[b->block] = (uint8_t)(b->used - b->block - 1);
    if (b->to[b->block] != 0) b->to[b->used++] = 0; /* an empty block ends it */
}

/* The smallest rectangle that has all changes. */
static void find_changes(const uint8_t *index, const uint8_t *before, int32_t width, int32_t height,
                         int32_t box[4])
{
    memcpy(box, (const int32_t[4]){0, 0, width, height}, 4 * sizeof *box);
    if (before == NULL) return;
    memcpy(box, (const int32_t[4]){width, height, 0, 0}, 4 * sizeof *box);
    for (int32_t y = 0; y < height; y++) {
        const size_t row = (size_t)y * (size_t)width;
        if (memcmp(index + row, before + row, (size_t)width) == 0) continue;
        int32_t first = 0;
        int32_t last = width - 1;
        while (index[row + (size_t)first] == before[row + (size_t)first]) first++;
        while (index[row + (size_t)last] == before[row + (size_t)last]) last--;
        if (y < box[1]) box[1] = y;
        box[3] = y + 1;
        if (first < box[0]) box[0] = first;
        if (last + 1 > box[2]) box[2] = last + 1;
    }
    if (box[2] <= box[0])
        memcpy(box, (const int32_t[4]){0, 0, 1, 1}, 4 * sizeof *box); /* nothing: a point, as it was */
}

uint8_t *vxe_gif_frame(const uint8_t *index, const uint8_t *before, int32_t width, int32_t height, int delay,
                       size_t *size)
{
    int32_t box[4];
    find_changes(index, before, width, height, box);
    const size_t pixels = (size_t)(box[2] - box[0]) * (size_t)(box[3] - box[1]);
    strings *s = malloc(sizeof *s);
    uint8_t *file =
        malloc(pixels + pixels / 2 + pixels / 100 + 1024); /* 12 bits each at most, and the blocks' lengths */
    if (s == NULL || file == NULL) {
        free(s);
        free(file);
        return NULL;
    }
    uint8_t *to = file;
    memcpy(to, (const uint8_t[4]){0x21, 0xf9, 4, before != NULL ? 5 : 4},
           4); /* stays; one index is transparent */
    to = put_u16(to + 4, delay);
    *to++ = VXE_GIF_SAME;
    *to++ = 0;
    *to++ = 0x2c;
    to = put_u16(put_u16(put_u16(put_u16(to, box[0]), box[1]), box[2] - box[0]), box[3] - box[1]);
    *to++ = 0;
    *to++ = 8; /* bits of an index */
    bits b = {.to = to, .used = 1};
    compress_rows(index, before, width, box, s, &b);
    *size = (size_t)(to - file) + b.used;
    free(s);
    return file;
}
