/* voxelastic studio: serves the page in which scenes are edited and simulated. */
#define _DEFAULT_SOURCE /* realpath */
#include "studio/studio.h"
#include "cli/cli.h"
#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What was asked for. */
typedef struct studio_arguments {
    const char *scene;
    int64_t port;
    bool no_open;
} studio_arguments;

static const cli_option table[] = {
    {"--port", 0, "N", "port to listen on; without it, one that is free",
     CLI_TO(COUNT, studio_arguments, port)},
    {"--no-open", 0, NULL, "do not open a browser; print the address only",
     CLI_TO(FLAG, studio_arguments, no_open)},
    CLI_HELP_ROW("this text"),
};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

void cli_help_studio(void)
{
    printf("Usage: voxelastic studio [SCENE] [options]\n"
           "\n"
           "Opens the studio, where scenes are drawn and simulated, in the browser. SCENE is a file or the "
           "name of\n"
           "a built-in scene. The server listens on this machine only (127.0.0.1), answers only to the "
           "address it\n"
           "prints, and reads and writes files only in the folder it is started in (or that of SCENE, if "
           "that is\n"
           "elsewhere). Ctrl-C ends it; changes that were not saved are kept in .voxelastic/ and offered "
           "again at\n"
           "the next start.\n"
           "\n"
           "Options:\n");
    cli_print_options(table, OPTION_COUNT);
}

static int take_scene(const char *command, const char *value, void *options)
{
    studio_arguments *a = options;
    if (a->scene != NULL)
        return cli_misuse(command, "more than one scene: \"%s\" and \"%s\"", a->scene, value);
    a->scene = value;
    return CLI_DONE;
}

/* Opens the address in the browser, where there is a screen. A shell does it, in a process group of its own:
 * it leaves nothing to wait for, and Ctrl-C here does not reach the browser. */
static void open_browser(const char *address)
{
    if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL) return;
    char shell[] = "sh";
    char option[] = "-c";
    char script[] = "command -v xdg-open >/dev/null || exit 1; xdg-open \"$0\" >/dev/null 2>&1 </dev/null &";
    char *copy = strdup(address);
    if (copy == NULL) return;
    char *const arguments[] = {shell, option, script, copy, NULL};
    posix_spawnattr_t attributes;
    (void)posix_spawnattr_init(&attributes);
    sigset_t usual; /* the server ignores broken pipes; a browser should not */
    (void)sigemptyset(&usual);
    (void)sigaddset(&usual, SIGPIPE);
    (void)posix_spawnattr_setsigdefault(&attributes, &usual);
    (void)posix_spawnattr_setpgroup(&attributes, 0);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    pid_t process = 0;
    int status = 1;
    const int problem = posix_spawnp(&process, shell, NULL, &attributes, arguments, environ);
    if (problem != 0 || waitpid(process, &status, 0) != process || status != 0) {
        cli_complain("studio: no xdg-open; please open the address in a browser");
    }
    (void)posix_spawnattr_destroy(&attributes);
    free(copy);
}

static void tell_address(const char *address, const char *once, void *user)
{
    const studio_arguments *a = user;
    printf("voxelastic: studio at %s\n"
           "Ctrl-C ends it.\n",
           address);
    (void)fflush(stdout);
    if (!a->no_open) open_browser(once);
}

/* Decides on the folder and the scene's path in it. */
static bool place_scene(const char *scene, char folder[PATH_MAX], char path[PATH_MAX])
{
    if (getcwd(folder, PATH_MAX) == NULL || realpath(scene, path) == NULL)
        return cli_complain("%s: %s", scene, strerror(errno));
    size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0 || (path[length] != '/' && length > 1)) {
        char *slash = strrchr(path, '/');
        length = slash == path ? 1 : (size_t)(slash - path);
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    const char *rest = path + length;
    rest += strspn(rest, "/");
    memmove(path, rest, strlen(rest) + 1);
    return true;
}

static bool is_demo(const char *name)
{
    for (size_t i = 0; i < cli_demo_count; i++) {
        if (strcmp(cli_demos[i].name, name) == 0) return true;
    }
    return false;
}

int cli_command_studio(int count, char **arguments)
{
    if (count == 1 && strcmp(arguments[0], "--solve-worker") == 0) return studio_solve_worker();
    static const cli_syntax syntax = {"studio", cli_help_studio, table, OPTION_COUNT, take_scene, true};
    studio_arguments a = {.scene = NULL};
    const int status = cli_parse(&syntax, count, arguments, &a);
    if (status != CLI_GO_ON) return status;
    if (!studio_available()) {
        cli_complain("studio: this program was built without the studio, which needs libwebsockets and npm");
        return CLI_BAD_INPUT;
    }
    if (a.port > 65535) {
        cli_complain("studio: --port: %lld is more than 65535", (long long)a.port);
        return CLI_BAD_INPUT;
    }
    static char folder[PATH_MAX] = ".";
    static char path[PATH_MAX];
    static studio_demo demos[256];
    studio_options o = {.folder = ".", .port = (int)a.port, .demos = demos};
    for (; o.demo_count < cli_demo_count && o.demo_count < 256; o.demo_count++) {
        const cli_demo *demo = &cli_demos[o.demo_count];
        demos[o.demo_count] = (studio_demo){demo->name, demo->text, demo->size};
    }
    if (a.scene != NULL && access(a.scene, F_OK) != 0 && is_demo(a.scene)) {
        o.demo = a.scene;
    } else if (a.scene != NULL) {
        if (!place_scene(a.scene, folder, path)) return CLI_FILE_PROBLEM;
        o.folder = folder;
        o.scene = path;
    }
    o.interrupted = cli_interrupted;
    o.ready = tell_address;
    o.user = &a;
    cli_catch_interrupts();
    vxe_error error = {VXE_OK, ""};
    const vxe_result result = studio_serve(&o, &error);
    if (result != VXE_OK) {
        cli_complain("studio: %s", error.message);
        return cli_exit_status(result);
    }
    return cli_finish_output(CLI_DONE);
}
