/* Messages and their queue; see message.h. */
#include "studio/message.h"

#include <stdlib.h>
#include <string.h>

/* A page that leaves this much unread gets no more replies, and its commands wait. */
enum { OUTBOX_REPLIES_MAX = 64, OUTBOX_BYTES_MAX = 256 << 20 };

json_t *voxel_vector_json(const double *const array[3], int32_t v)
{
    return vector_json((const double[3]){array[0][v], array[1][v], array[2][v]});
}

json_t *hash_json(uint64_t hash)
{
    char text[17];
    (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return json_string(text);
}

json_t *text_json(const char *text)
{
    json_t *value = json_string(text);
    if (value != NULL) return value;
    const size_t length = strlen(text);
    char *copy = malloc(length + 1);
    if (copy == NULL) return json_null();
    for (size_t i = 0; i <= length; i++) copy[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
    value = json_string(copy);
    free(copy);
    return value;
}

static message *make(message_kind kind, bool binary, size_t size)
{
    message *m = calloc(1, sizeof *m);
    unsigned char *buffer = malloc(MESSAGE_ROOM + size + 1);
    if (m == NULL || buffer == NULL) {
        free(m);
        free(buffer);
        return NULL;
    }
    m->kind = kind;
    m->binary = binary;
    m->size = size;
    m->buffer = buffer;
    return m;
}

void message_destroy(message *m)
{
    if (m == NULL) return;
    free(m->buffer);
    free(m);
}

message *message_text(message_kind kind, json_t *object)
{
    const size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(17);
    const size_t size = json_dumpb(object, NULL, 0, flags);
    message *m = size == 0 ? NULL : make(kind, false, size);
    if (m != NULL && json_dumpb(object, (char *)m->buffer + MESSAGE_ROOM, size, flags) != size) {
        message_destroy(m);
        m = NULL;
    }
    json_decref(object);
    return m;
}

static size_t pad8(size_t size) { return (size + 7) / 8 * 8; }

message *message_binary(message_kind kind, json_t *header, const message_array *arrays, size_t count)
{
    const size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(17);
    json_t *list = json_array();
    size_t payload = 0;
    for (size_t i = 0; i < count; i++) {
        (void)json_array_append_new(
            list, json_pack("[s, s, I]", arrays[i].name, arrays[i].type, (json_int_t)arrays[i].count));
        payload += pad8(arrays[i].count * vxe_type_size(arrays[i].type));
    }
    (void)json_object_set_new(header, "arrays", list);
    const size_t text = json_dumpb(header, NULL, 0, flags);
    const size_t front = pad8(4 + text); /* the length and the JSON, with its blanks */
    message *m = text == 0 ? NULL : make(kind, true, front + payload);
    if (m != NULL) {
        unsigned char *at = m->buffer + MESSAGE_ROOM;
        const uint32_t length = (uint32_t)(front - 4);
        for (int i = 0; i < 4; i++) at[i] = (unsigned char)(length >> 8 * i);
        memset(at + 4, ' ', length);
        (void)json_dumpb(header, (char *)at + 4, text, flags);
        at += front;
        for (size_t i = 0; i < count; i++) {
            const size_t bytes = arrays[i].count * vxe_type_size(arrays[i].type);
            if (bytes != 0) memcpy(at, arrays[i].data, bytes);
            memset(at + bytes, 0, pad8(bytes) - bytes);
            at += pad8(bytes);
        }
    }
    json_decref(header);
    return m;
}

/* ---- the queue ---------------------------------------------------------------------------------------------------- */

void outbox_init(outbox *box, void (*wake)(void *), void *target)
{
    memset(box, 0, sizeof *box);
    (void)pthread_mutex_init(&box->mutex, NULL);
    (void)pthread_cond_init(&box->emptier, NULL);
    box->wake = wake;
    box->wake_target = target;
}

static void drop_all(outbox *box)
{
    while (box->first != NULL) {
        message *next = box->first->next;
        message_destroy(box->first);
        box->first = next;
    }
    box->last = NULL;
    box->bytes = 0;
    memset(box->count, 0, sizeof box->count);
}

void outbox_destroy(outbox *box)
{
    drop_all(box);
    (void)pthread_cond_destroy(&box->emptier);
    (void)pthread_mutex_destroy(&box->mutex);
}

uint64_t outbox_connect(outbox *box)
{
    (void)pthread_mutex_lock(&box->mutex);
    drop_all(box);
    box->open = true;
    const uint64_t page = ++box->page;
    (void)pthread_cond_broadcast(&box->emptier);
    (void)pthread_mutex_unlock(&box->mutex);
    return page;
}

void outbox_disconnect(outbox *box, uint64_t page)
{
    (void)pthread_mutex_lock(&box->mutex);
    if (box->page == page) {
        drop_all(box);
        box->open = false;
    }
    (void)pthread_cond_broadcast(&box->emptier);
    (void)pthread_mutex_unlock(&box->mutex);
}

/* Takes the waiting message of this kind out. */
static void remove_kind(outbox *box, message_kind kind)
{
    message *before = NULL;
    for (message *m = box->first; m != NULL; before = m, m = m->next) {
        if (m->kind != kind) continue;
        if (before == NULL) {
            box->first = m->next;
        } else {
            before->next = m->next;
        }
        if (box->last == m) box->last = before;
        box->bytes -= m->size;
        box->count[kind]--;
        message_destroy(m);
        return;
    }
}

void outbox_post(outbox *box, message *m, uint64_t page)
{
    if (m == NULL) return;
    (void)pthread_mutex_lock(&box->mutex);
    const bool wanted = box->open && (page == 0 || page == box->page);
    if (wanted) {
        if (m->kind <= MESSAGE_NEWEST && box->count[m->kind] > 0) remove_kind(box, m->kind);
        m->next = NULL;
        if (box->last == NULL) {
            box->first = m;
        } else {
            box->last->next = m;
        }
        box->last = m;
        box->bytes += m->size;
        box->count[m->kind]++;
    }
    (void)pthread_mutex_unlock(&box->mutex);
    if (wanted) {
        box->wake(box->wake_target);
    } else {
        message_destroy(m);
    }
}

void outbox_wait(outbox *box, uint64_t page)
{
    (void)pthread_mutex_lock(&box->mutex);
    while (box->open && box->page == page &&
           (box->count[MESSAGE_REPLY] >= OUTBOX_REPLIES_MAX || box->bytes >= OUTBOX_BYTES_MAX)) {
        (void)pthread_cond_wait(&box->emptier, &box->mutex);
    }
    (void)pthread_mutex_unlock(&box->mutex);
}

bool outbox_busy(outbox *box, message_kind kind)
{
    (void)pthread_mutex_lock(&box->mutex);
    const bool busy = !box->open || box->count[kind] > 0;
    (void)pthread_mutex_unlock(&box->mutex);
    return busy;
}

bool outbox_open(outbox *box)
{
    (void)pthread_mutex_lock(&box->mutex);
    const bool open = box->open;
    (void)pthread_mutex_unlock(&box->mutex);
    return open;
}

message *outbox_take(outbox *box)
{
    (void)pthread_mutex_lock(&box->mutex);
    message *m = box->first;
    if (m != NULL) {
        box->first = m->next;
        if (box->first == NULL) box->last = NULL;
        box->bytes -= m->size;
        box->count[m->kind]--;
        (void)pthread_cond_broadcast(&box->emptier);
    }
    (void)pthread_mutex_unlock(&box->mutex);
    return m;
}
