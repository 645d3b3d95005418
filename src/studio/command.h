/* Commands from the page: what a message says, and members of it by type. Nothing here trusts a byte of it.
 */
#ifndef STUDIO_COMMAND_H
#define STUDIO_COMMAND_H

#include "base/base.h"

#include <jansson.h>

#define COMMAND_BYTES_MAX ((size_t)64 << 20) /* of a message */

/* Why a command failed: what the page gets as "error". */
typedef struct failure {
    const char *code; /* NULL: it did not */
    char message[1024];
} failure;

/* Fills a failure, unless there is one already; returns false. */
bool fail(failure *f, const char *code, const char *format, ...) VXE_PRINTF(3, 4);
/* The same for an error of the library. */
bool fail_error(failure *f, const vxe_error *error);
/* The same for what gives a pointer; returns NULL. */
void *no_reply(failure *f, const char *code, const char *format, ...) VXE_PRINTF(3, 4);

/* A message that was understood. */
typedef struct command {
    json_t *object;
    const char *verb; /* "file.open" */
    bool has_id;
    json_int_t id;
    const unsigned char *bytes; /* behind the JSON of a binary message; inside the message */
    size_t byte_count;
} command;

/* Reads a message. On failure, `id` is set where it could be found. The message must outlive the command. */
bool command_parse(command *c, const unsigned char *message, size_t size, bool binary, failure *f);
void command_clear(command *c);

/* Members by name. An absent (or null) member leaves the target as it is; a wrong one fails. All return
 * whether there is no failure so far. */
bool take_text(const command *c, const char *key, const char **value, failure *f);
bool take_flag(const command *c, const char *key, bool *value, failure *f);
bool take_number(const command *c, const char *key, double low, double high, double *value, failure *f);
bool take_count(const command *c, const char *key, int64_t low, int64_t high, int64_t *value, failure *f);
/* The same of any object; `what` is its name in messages. */
bool get_number(const json_t *object, const char *what, const char *key, double *value, failure *f);
/* Three finite numbers. *given (may be NULL) tells whether it was there. */
bool get_vector(const json_t *object, const char *what, const char *key, double value[3], bool *given,
                failure *f);
/* A text that must be there, and is not empty. */
bool need_text(const command *c, const char *key, const char **value, failure *f);
/* Fails if the object has a member that is none of the `count` keys ("id" and "do" are always allowed). */
bool check_keys(const command *c, const char *const *keys, size_t count, failure *f);

#endif
