/* The network: HTTP for the page, a WebSocket for everything else, in one loop on 127.0.0.1.
 *
 * Nothing from outside is believed: the token must be right (compared in constant time), Host must be this
 * server and Origin this page, messages are limited and assembled here, and nothing is answered that was not
 * asked with the token. Commands go to the desk; what comes back waits in the outbox. */
#include "studio/desk.h"
#include "studio/page.h"

#include <errno.h>
#include <libwebsockets.h>
#include <signal.h>
#include <stdlib.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert((int)MESSAGE_ROOM >= (int)LWS_PRE, "room for the frame header");

#define ONCE_SECONDS 60.0
enum { CLOSE_REPLACED = 4001, CONNECTIONS_MAX = 256, TOKEN_LENGTH = 32, HTTP_CHUNK = 16384 };
/* Connections that have asked nothing with the token yet. When there are more, the oldest is closed, so that
 * however many others open, the page is served at once. */
enum { STRANGERS_MAX = 32 };

typedef struct server {
    struct lws_context *context;
    outbox out;
    player player;
    solver solver;
    desk desk;
    char token[TOKEN_LENGTH + 1];
    char once[TOKEN_LENGTH + 1];          /* opens the page once, soon after the start; empty: it has */
    double once_until;                    /* on studio_clock() */
    char hosts[2][32];                    /* what Host may be */
    struct lws *socket;                   /* the page's; NULL: none */
    uint64_t page;                        /* its number */
    struct lws *strangers[STRANGERS_MAX]; /* oldest first */
    int stranger_count;
    bool paused; /* not read: the desk is full */
    lws_sorted_usec_list_t timer;
    const studio_options *options;
} server;

/* Of each connection. */
typedef struct connection {
    /* HTTP */
    unsigned char *body; /* of the page; LWS_PRE bytes of room before it */
    size_t body_size;
    size_t body_sent;
    /* WebSocket */
    uint64_t page;
    bool replaced; /* another page has come: close */
    bool binary;
    unsigned char *data; /* of the message so far */
    size_t size;
    size_t room;
    message *sending;
} connection;

static void wake(void *target)
{
    server *s = target;
    if (s->context != NULL) lws_cancel_service(s->context);
}

/* ---- strangers ----------------------------------------------------------------------------------------------------- */

static void forget_stranger(server *s, const struct lws *wsi)
{
    int kept = 0;
    for (int i = 0; i < s->stranger_count; i++) {
        if (s->strangers[i] != wsi) s->strangers[kept++] = s->strangers[i];
    }
    s->stranger_count = kept;
}

static void note_stranger(server *s, struct lws *wsi)
{
    if (s->stranger_count == STRANGERS_MAX) {
        struct lws *oldest = s->strangers[0];
        forget_stranger(s, oldest);
        lws_set_timeout(oldest, PENDING_TIMEOUT_HTTP_CONTENT, LWS_TO_KILL_ASYNC);
    }
    s->strangers[s->stranger_count++] = wsi;
}

/* ---- who may ask -------------------------------------------------------------------------------------------------- */

static bool header_equals(struct lws *wsi, enum lws_token_indexes header, const char *expected)
{
    char text[128];
    const int length = lws_hdr_copy(wsi, text, sizeof text, header);
    return length > 0 && strcmp(text, expected) == 0;
}

/* Which of the hosts was asked for; -1: another. */
static int host_of(const server *s, struct lws *wsi)
{
    for (int i = 0; i < 2; i++) {
        if (header_equals(wsi, WSI_TOKEN_HOST, s->hosts[i])) return i;
    }
    return -1;
}

/* Whether the address has this argument with this secret. */
static bool has_argument(struct lws *wsi, const char *name, const char *secret)
{
    char argument[128];
    const int front = (int)strlen(name);
    for (int i = 0; i < 8; i++) {
        const int length = lws_hdr_copy_fragment(wsi, argument, sizeof argument, WSI_TOKEN_HTTP_URI_ARGS, i);
        if (length < 0) return false;
        if (length != front + TOKEN_LENGTH || strncmp(argument, name, (size_t)front) != 0) continue;
        return lws_timingsafe_bcmp(argument + front, secret, TOKEN_LENGTH) == 0;
    }
    return false;
}

static bool has_token(const server *s, struct lws *wsi) { return has_argument(wsi, "token=", s->token); }

static bool path_is(struct lws *wsi, const char *path) { return header_equals(wsi, WSI_TOKEN_GET_URI, path); }

/* Whether the handshake is that of RFC 6455: version 13, and a key of 16 bytes in base 64. */
static bool has_key(struct lws *wsi)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char key[32];
    if (!header_equals(wsi, WSI_TOKEN_VERSION, "13") ||
        lws_hdr_copy(wsi, key, sizeof key, WSI_TOKEN_KEY) != 24)
        return false;
    return strspn(key, digits) == 22 && strcmp(key + 22, "==") == 0;
}

/* Whether a WebSocket may be opened. */
static bool may_connect(const server *s, struct lws *wsi)
{
    const int host = host_of(s, wsi);
    char origin[64];
    if (host < 0 || !has_token(s, wsi) || !path_is(wsi, "/ws") || !has_key(wsi)) return false;
    (void)snprintf(origin, sizeof origin, "http://%s", s->hosts[host]);
    return header_equals(wsi, WSI_TOKEN_ORIGIN, origin);
}

/* ---- the page ----------------------------------------------------------------------------------------------------- */

static int add(struct lws *wsi, const char *name, const char *value, unsigned char **at, unsigned char *end)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), at, end);
}

/* A short answer without a page. */
static int refuse(struct lws *wsi, unsigned int status)
{
    unsigned char buffer[LWS_PRE + 1024];
    unsigned char *at = buffer + LWS_PRE;
    unsigned char *end = buffer + sizeof buffer - 1;
    if (lws_add_http_header_status(wsi, status, &at, end) != 0 ||
        add(wsi, "x-content-type-options:", "nosniff", &at, end) != 0 ||
        add(wsi, "cache-control:", "no-store", &at, end) != 0 ||
        lws_add_http_header_content_length(wsi, 0, &at, end) != 0 ||
        lws_finalize_write_http_header(wsi, buffer + LWS_PRE, &at, end) != 0) {
        return -1;
    }
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int send_page(const server *s, struct lws *wsi, connection *c, int host)
{
    char nonce[33];
    char policy[640];
    unsigned char buffer[LWS_PRE + 2048];
    unsigned char *at = buffer + LWS_PRE;
    unsigned char *end = buffer + sizeof buffer - 1;
    free(c->body);
    c->body = page_make(LWS_PRE, nonce, &c->body_size);
    c->body_sent = 0;
    if (c->body == NULL) return refuse(wsi, HTTP_STATUS_INTERNAL_SERVER_ERROR);
    (void)snprintf(
        policy, sizeof policy,
        "default-src 'none'; script-src 'nonce-%s'; style-src 'unsafe-inline'; img-src data: blob:; "
        "font-src data:; worker-src blob:; connect-src ws://%s; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'",
        nonce, s->hosts[host]);
    if (lws_add_http_header_status(wsi, HTTP_STATUS_OK, &at, end) != 0 ||
        add(wsi, "content-type:", "text/html; charset=utf-8", &at, end) != 0 ||
        add(wsi, "content-security-policy:", policy, &at, end) != 0 ||
        add(wsi, "x-content-type-options:", "nosniff", &at, end) != 0 ||
        add(wsi, "referrer-policy:", "no-referrer", &at, end) != 0 ||
        add(wsi, "cross-origin-opener-policy:", "same-origin", &at, end) != 0 ||
        add(wsi, "cross-origin-resource-policy:", "same-origin", &at, end) != 0 ||
        add(wsi, "cache-control:", "no-store", &at, end) != 0 ||
        lws_add_http_header_content_length(wsi, c->body_size, &at, end) != 0 ||
        lws_finalize_write_http_header(wsi, buffer + LWS_PRE, &at, end) != 0) {
        return -1;
    }
    (void)lws_callback_on_writable(wsi);
    return 0;
}

static int send_more(struct lws *wsi, connection *c)
{
    if (c->body == NULL) return 0;
    const size_t left = c->body_size - c->body_sent;
    const size_t chunk = left < HTTP_CHUNK ? left : HTTP_CHUNK;
    const bool last = chunk == left;
    if (lws_write(wsi, c->body + LWS_PRE + c->body_sent, chunk,
                  last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)chunk) {
        return -1;
    }
    c->body_sent += chunk;
    if (!last) {
        (void)lws_callback_on_writable(wsi);
        return 0;
    }
    free(c->body);
    c->body = NULL;
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

/* Sends whoever has the address that works once to the page's own. */
static int send_on(server *s, struct lws *wsi, int host)
{
    unsigned char buffer[LWS_PRE + 1024];
    unsigned char *at = buffer + LWS_PRE;
    unsigned char *end = buffer + sizeof buffer - 1;
    char place[128];
    (void)snprintf(place, sizeof place, "http://%s/?token=%s", s->hosts[host], s->token);
    s->once[0] = '\0';
    if (lws_add_http_header_status(wsi, HTTP_STATUS_FOUND, &at, end) != 0 ||
        add(wsi, "location:", place, &at, end) != 0 ||
        add(wsi, "cache-control:", "no-store", &at, end) != 0 ||
        add(wsi, "referrer-policy:", "no-referrer", &at, end) != 0 ||
        lws_add_http_header_content_length(wsi, 0, &at, end) != 0 ||
        lws_finalize_write_http_header(wsi, buffer + LWS_PRE, &at, end) != 0) {
        return -1;
    }
    return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int answer_request(server *s, struct lws *wsi, connection *c)
{
    const int host = host_of(s, wsi);
    if (host >= 0 && s->once[0] != '\0' && studio_clock() < s->once_until && path_is(wsi, "/") &&
        has_argument(wsi, "once=", s->once)) {
        return send_on(s, wsi, host);
    }
    if (host < 0 || !has_token(s, wsi)) return refuse(wsi, HTTP_STATUS_FORBIDDEN);
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) return refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED);
    forget_stranger(s, wsi);
    if (!path_is(wsi, "/")) return refuse(wsi, HTTP_STATUS_NOT_FOUND);
    return send_page(s, wsi, c, host);
}

static server *server_of(struct lws *wsi) { return lws_context_user(lws_get_context(wsi)); }

/* Wakes up the page's socket if there is something for it, and reads it again if there is room. */
static void look_around(server *s)
{
    if (s->socket == NULL) return;
    (void)lws_callback_on_writable(s->socket);
    if (s->paused && !desk_full(&s->desk)) {
        s->paused = false;
        (void)lws_rx_flow_control(s->socket, 1);
    }
}

static int serve_http(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
    connection *c = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP: return answer_request(server_of(wsi), wsi, c);
    case LWS_CALLBACK_HTTP_WRITEABLE: return send_more(wsi, c);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        if (c != NULL) {
            free(c->body);
            c->body = NULL;
        }
        return 0;
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: note_stranger(server_of(wsi), wsi); return 0;
    case LWS_CALLBACK_WSI_DESTROY: forget_stranger(server_of(wsi), wsi); return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: look_around(server_of(wsi)); return 0;
    /* An upgrade that names no protocol or another one. */
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return -1;
    case LWS_CALLBACK_HTTP_BODY: return -1; /* nobody was asked to send one */
    default: return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

/* ---- the socket --------------------------------------------------------------------------------------------------- */

static int close_with(struct lws *wsi, int code, const char *why)
{
    char text[64];
    const int length = snprintf(text, sizeof text, "%s", why);
    lws_close_reason(wsi, (enum lws_close_status)code, (unsigned char *)text, (size_t)length);
    return -1;
}

static void welcome(server *s, struct lws *wsi, connection *c)
{
    if (s->socket != NULL) {
        connection *old = lws_wsi_user(s->socket);
        old->replaced = true;
        (void)lws_callback_on_writable(s->socket);
    }
    s->socket = wsi;
    s->paused = false;
    c->page = outbox_connect(&s->out);
    s->page = c->page;
}

static void part(server *s, struct lws *wsi, connection *c)
{
    if (s->socket == wsi) s->socket = NULL;
    outbox_disconnect(&s->out, c->page);
    message_destroy(c->sending);
    free(c->data);
    c->sending = NULL;
    c->data = NULL;
}

/* Adds a piece of a message; hands it over when it is whole. */
static int receive(server *s, struct lws *wsi, connection *c, const void *in, size_t length)
{
    if (c->replaced) return 0;
    if (lws_is_first_fragment(wsi) != 0) {
        c->size = 0;
        c->binary = lws_frame_is_binary(wsi) != 0;
    }
    if (length > COMMAND_BYTES_MAX - c->size) {
        return close_with(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "the message is too large");
    }
    if (c->size + length > c->room) {
        const size_t expected = c->size + length + lws_remaining_packet_payload(wsi);
        size_t room = expected > 2 * c->room ? expected : 2 * c->room;
        room = room > COMMAND_BYTES_MAX ? COMMAND_BYTES_MAX : room;
        /* A length that was only announced is not believed at once. */
        if (room > c->size + length + (1U << 20)) room = c->size + length + (1U << 20) + c->size;
        unsigned char *larger = realloc(c->data, room);
        if (larger == NULL) return close_with(wsi, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, "no memory");
        c->data = larger;
        c->room = room;
    }
    if (length != 0) memcpy(c->data + c->size, in, length);
    c->size += length;
    if (lws_remaining_packet_payload(wsi) != 0 || lws_is_final_fragment(wsi) == 0) return 0;
    unsigned char *data = c->data == NULL ? malloc(1) : c->data;
    const size_t size = c->size;
    c->data = NULL;
    c->size = 0;
    c->room = 0;
    if (data == NULL || !desk_post(&s->desk, c->page, c->binary, data, size)) {
        return close_with(wsi, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, "no memory");
    }
    if (!s->paused && desk_full(&s->desk)) {
        s->paused = true;
        (void)lws_rx_flow_control(wsi, 0);
    }
    return 0;
}

static int transmit(server *s, struct lws *wsi, connection *c)
{
    if (c->replaced) return close_with(wsi, CLOSE_REPLACED, "another page took over");
    message *m = outbox_take(&s->out);
    if (m == NULL) return 0;
    const int written =
        lws_write(wsi, m->buffer + MESSAGE_ROOM, m->size, m->binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    const bool good = written >= (int)m->size;
    message_destroy(m);
    if (!good) return -1;
    (void)lws_callback_on_writable(wsi);
    return 0;
}

static int serve_socket(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                        size_t length)
{
    connection *c = user;
    server *s = server_of(wsi);
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: return may_connect(s, wsi) ? 0 : -1;
    case LWS_CALLBACK_ESTABLISHED:
        forget_stranger(s, wsi);
        welcome(s, wsi, c);
        return 0;
    case LWS_CALLBACK_CLOSED: part(s, wsi, c); return 0;
    case LWS_CALLBACK_RECEIVE: return receive(s, wsi, c, in, length);
    case LWS_CALLBACK_SERVER_WRITEABLE: return transmit(s, wsi, c);
    default: return 0;
    }
}

/* ---- the server --------------------------------------------------------------------------------------------------- */

static const struct lws_protocols protocols[] = {
    {.name = "http", .callback = serve_http, .per_session_data_size = sizeof(connection)},
    {.name = "voxelastic-studio-1",
     .callback = serve_socket,
     .per_session_data_size = sizeof(connection),
     .rx_buffer_size = 65536},
    {.name = NULL},
};

/* Looks whether to end, now and then: a signal may come at any moment. */
static void tick(lws_sorted_usec_list_t *timer)
{
    server *s = lws_container_of(timer, server, timer);
    lws_sul_schedule(s->context, 0, timer, tick, 100 * LWS_US_PER_MS);
}

static void be_quiet(int level, const char *line)
{
    (void)level;
    (void)line;
}

static bool make_token(char token[TOKEN_LENGTH + 1])
{
    unsigned char bytes[TOKEN_LENGTH / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++) (void)snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* Whether the port is free: the library would only say that something went wrong. */
static vxe_result check_port(int port, vxe_error *error)
{
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int one = 1;
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    vxe_result result = VXE_OK;
    if (descriptor < 0 || setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0 ||
        bind(descriptor, (const struct sockaddr *)&address, sizeof address) != 0) {
        result =
            vxe_fail(error, VXE_ERROR_FILE, "cannot listen on 127.0.0.1 port %d: %s", port, strerror(errno));
    }
    if (descriptor >= 0) (void)close(descriptor);
    return result;
}

/* Listens on the port asked for, or on any. */
static vxe_result listen_on(server *s, vxe_error *error)
{
    if (check_port(s->options->port, error) != VXE_OK) return VXE_ERROR_FILE;
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof info);
    info.port = s->options->port;
    info.iface = "127.0.0.1";
    info.protocols = protocols;
    info.user = s;
    info.options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                   LWS_SERVER_OPTION_SKIP_SERVER_CANONICAL_NAME;
    info.fd_limit_per_thread = CONNECTIONS_MAX;
    info.timeout_secs = 3; /* for headers, too */
    info.keepalive_timeout = 3;
    info.max_http_header_data = 4096;
    info.pt_serv_buf_size = 65536;
    info.vhost_name = "studio";
    s->context = lws_create_context(&info);
    struct lws_vhost *vhost = s->context == NULL ? NULL : lws_get_vhost_by_name(s->context, "studio");
    const int port = vhost == NULL ? 0 : lws_get_vhost_listen_port(vhost);
    if (port <= 0) {
        return vxe_fail(error, VXE_ERROR_FILE, "cannot listen on 127.0.0.1 port %d", s->options->port);
    }
    (void)snprintf(s->hosts[0], sizeof s->hosts[0], "127.0.0.1:%d", port);
    (void)snprintf(s->hosts[1], sizeof s->hosts[1], "localhost:%d", port);
    return VXE_OK;
}

static vxe_result fail_with(vxe_error *error, const failure *f)
{
    const bool file = strcmp(f->code, "file") == 0 || strcmp(f->code, "memory") == 0;
    return vxe_fail(error, file ? VXE_ERROR_FILE : VXE_ERROR_INPUT, "%s", f->message);
}

/* Signals are for the thread that waits in the network; the others begin with them blocked. */
static void accept_signals(bool accept)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)pthread_sigmask(accept ? SIG_UNBLOCK : SIG_BLOCK, &set, NULL);
}

static vxe_result serve(server *s, vxe_error *error)
{
    failure f = {NULL, ""};
    if (!make_token(s->token) || !make_token(s->once))
        return vxe_fail(error, VXE_ERROR_FILE, "no random numbers: %s", strerror(errno));
    if (!desk_start(&s->desk, s->options, &s->out, &s->player, &s->solver, &f)) return fail_with(error, &f);
    const vxe_result result = listen_on(s, error);
    if (result != VXE_OK) return result;
    accept_signals(true);
    char address[128];
    (void)snprintf(address, sizeof address, "http://%s/?token=%s", s->hosts[0], s->token);
    char once[128];
    (void)snprintf(once, sizeof once, "http://%s/?once=%s", s->hosts[0], s->once);
    s->once_until = studio_clock() + ONCE_SECONDS;
    s->options->ready(address, once, s->options->user);
    lws_sul_schedule(s->context, 0, &s->timer, tick, 100 * LWS_US_PER_MS);
    while (!s->options->interrupted() && lws_service(s->context, 0) >= 0) {
    }
    return VXE_OK;
}

bool studio_available(void) { return true; }

vxe_result studio_serve(const studio_options *options, vxe_error *error)
{
    failure f = {NULL, ""};
    server *s = calloc(1, sizeof *s);
    if (s == NULL) return vxe_fail_memory(error, "the server", sizeof *s);
    s->options = options;
    lws_set_log_level(LLL_ERR, be_quiet);
    json_object_seed(0); /* before there are threads */
    (void)signal(SIGPIPE, SIG_IGN);
    accept_signals(false);
    outbox_init(&s->out, wake, s);
    solver_init(&s->solver, &s->out, &s->player);
    vxe_result result = VXE_OK;
    if (player_start(&s->player, &s->out, &f)) {
        result = serve(s, error);
    } else {
        result = fail_with(error, &f);
    }
    accept_signals(true);
    /* The threads first: they wake the network. */
    outbox_disconnect(&s->out, s->page);
    desk_end(&s->desk);
    solver_end(&s->solver);
    player_end(&s->player);
    if (s->context != NULL) lws_context_destroy(s->context);
    outbox_destroy(&s->out);
    free(s);
    return result;
}
