/* Messages from the server to the page: text (JSON), or binary (JSON and arrays), as docs/studio-protocol.md
 * has them; and the queue in which they wait for the network. */
#ifndef STUDIO_MESSAGE_H
#define STUDIO_MESSAGE_H

#include "base/base.h"
#include "picture/values.h"

#include <jansson.h>
#include <pthread.h>

/* Bytes before the payload that the network may use. */
enum { MESSAGE_ROOM = 64 };

/* Kinds of message. A message of a kind up to MESSAGE_NEWEST replaces one that still waits: an old status is
 * of no use to anyone. */
typedef enum message_kind {
    MESSAGE_STATUS,
    MESSAGE_PROBES,
    MESSAGE_FRAME,
    MESSAGE_SOLVE,
    MESSAGE_NEWEST = MESSAGE_SOLVE,
    MESSAGE_TRACE,
    MESSAGE_MESH,
    MESSAGE_REPLY,
    MESSAGE_KINDS
} message_kind;

typedef struct message {
    struct message *next;
    message_kind kind;
    bool binary;
    size_t size;           /* of the payload */
    unsigned char *buffer; /* MESSAGE_ROOM bytes, then the payload */
} message;

/* An array of a binary message. */
typedef struct message_array {
    const char *name;
    const char *type; /* "f32", ... */
    size_t count;
    const void *data;
} message_array;

/* A text message; takes the reference to `object`. NULL if there is no memory. */
message *message_text(message_kind kind, json_t *object);
/* A binary message; takes the reference to `header`, to which the list of arrays is added. */
message *message_binary(message_kind kind, json_t *header, const message_array *arrays, size_t count);
void message_destroy(message *m);

/* A JSON number; null if it is not finite. */
static inline json_t *number_json(double value) { return vxe_number_json(value); }
static inline json_t *vector_json(const double value[3]) { return vxe_vector_json(value); }
/* The three components of voxel v of a state's arrays. */
json_t *voxel_vector_json(const double *const array[3], int32_t v);
/* 16 hexadecimal digits. */
json_t *hash_json(uint64_t hash);
/* Text that need not be UTF-8 (a path, say): bytes that are not become '?'. */
json_t *text_json(const char *text);

/* Messages that wait for the network. Any thread may post, the network's takes. */
typedef struct outbox {
    pthread_mutex_t mutex;
    pthread_cond_t emptier;
    message *first;
    message *last;
    size_t bytes;
    size_t count[MESSAGE_KINDS];
    bool open;            /* a page is connected; otherwise messages are dropped */
    uint64_t page;        /* counts connections */
    void (*wake)(void *); /* tells the network that there is something */
    void *wake_target;
} outbox;

void outbox_init(outbox *box, void (*wake)(void *), void *target);
void outbox_destroy(outbox *box);
/* A page has come (older messages are dropped); gives its number. */
uint64_t outbox_connect(outbox *box);
/* Page number `page` has gone, unless another has come since. */
void outbox_disconnect(outbox *box, uint64_t page);
/* Hands a message over; NULL is ignored. `page` 0: for whoever is there; else dropped unless that one is. */
void outbox_post(outbox *box, message *m, uint64_t page);
/* Waits while so much waits that a page must have stopped reading; ends when that page has gone. */
void outbox_wait(outbox *box, uint64_t page);
/* Whether messages of this kind wait; also true when no page is there. */
bool outbox_busy(outbox *box, message_kind kind);
bool outbox_open(outbox *box);
/* The next message, or NULL. */
message *outbox_take(outbox *box);

#endif
