/* Remarks of readers and writers: a list that grows, each remark once. */
#include "io/formats.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_MAX 10000 /* a hostile file shall not fill the memory with remarks */

struct vxe_notes {
    vxe_note *items;
    int32_t count;
    size_t capacity;
    bool failed;
};

vxe_notes *vxe_notes_create(void) { return calloc(1, sizeof(vxe_notes)); }

void vxe_notes_destroy(vxe_notes *notes)
{
    if (notes == NULL) return;
    for (int32_t i = 0; i < notes->count; i++) free((void *)notes->items[i].what); /* one block with `text` */
    free(notes->items);
    free(notes);
}

int32_t vxe_notes_count(const vxe_notes *notes) { return notes == NULL ? 0 : notes->count; }

const vxe_note *vxe_notes_get(const vxe_notes *notes, int32_t index)
{
    return notes == NULL || index < 0 || index >= notes->count ? NULL : &notes->items[index];
}

bool vxe_notes_failed(const vxe_notes *notes) { return notes->failed; }

static bool is_known(const vxe_notes *notes, vxe_note_kind kind, const char *what, const char *text)
{
    for (int32_t i = 0; i < notes->count; i++) {
        const vxe_note *n = &notes->items[i];
        if (n->kind == kind && strcmp(n->what, what) == 0 && strcmp(n->text, text) == 0) return true;
    }
    return false;
}

void vxe_notes_add(vxe_notes *notes, vxe_note_kind kind, int32_t line, const char *what, const char *format,
                   ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *c = text; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    }
    for (size_t n = strlen(text); n > 0 && !vxe_valid_text(text); n--)
        text[n - 1] = '\0'; /* cut in a character */
    if (notes == NULL || notes->count >= NOTES_MAX || is_known(notes, kind, what, text)) return;
    vxe_note *items = vxe_grow(notes->items, (size_t)notes->count + 1, &notes->capacity, sizeof *items);
    if (items != NULL) notes->items = items;
    const size_t what_size = strlen(what) + 1;
    const size_t text_size = strlen(text) + 1;
    char *block = items != NULL ? malloc(what_size + text_size) : NULL;
    if (block == NULL) {
        notes->failed = true;
        return;
    }
    memcpy(block, what, what_size);
    memcpy(block + what_size, text, text_size);
    notes->items[notes->count++] = (vxe_note){kind, line, block, block + what_size};
}

const char *vxe_note_kind_name(vxe_note_kind kind)
{
    switch (kind) {
    case VXE_NOTE_READ: return "read";
    case VXE_NOTE_CHANGED: return "changed";
    case VXE_NOTE_IGNORED: return "ignored";
    case VXE_NOTE_NOT_SIMULATED: return "not simulated";
    case VXE_NOTE_UNKNOWN: return "unknown";
    }
    return "unknown";
}
