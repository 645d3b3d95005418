/* voxelastic: finds the command and hands over. */
#include "cli/cli.h"
#include "cli/peers.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

typedef struct command {
    const char *name;
    const char *operands;
    const char *summary;
    int (*run)(int count, char **arguments);
    void (*help)(void);
} command;

static const command commands[] = {
#define ROW(name, operands, summary) {#name, operands, summary, cli_command_##name, cli_help_##name},
    CLI_COMMANDS(ROW)
#undef ROW
};
enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

int cli_exit_status(vxe_result result)
{
    switch (result) {
    case VXE_OK: return CLI_DONE;
    case VXE_ERROR_ARGUMENT:
    case VXE_ERROR_INPUT:
    case VXE_ERROR_LIMIT: return CLI_BAD_INPUT;
    case VXE_ERROR_FILE:
    case VXE_ERROR_MEMORY: return CLI_FILE_PROBLEM;
    case VXE_ERROR_DIVERGED: return CLI_DIVERGED;
    }
    return CLI_BAD_INPUT;
}

/* `about`: the command that the message is about; NULL: none. */
static void print_complaint(const char *about, const char *format, va_list arguments, const char *after)
{
    (void)fflush(stdout);
    (void)fprintf(stderr, "%svoxelastic:%s ", cli_style(stderr, CLI_STYLE_BAD),
                  cli_style(stderr, CLI_STYLE_PLAIN));
    if (about != NULL) (void)fprintf(stderr, "%s: ", about);
    (void)vfprintf(stderr, format, arguments);
    (void)fprintf(stderr, "%s\n", after);
}

bool cli_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_complaint(NULL, format, arguments, "");
    va_end(arguments);
    return false;
}

void cli_complain_name(const char *name, const char *const *names, size_t count, const char *otherwise,
                       const char *format, ...)
{
    char meant[128];
    const char *nearest = vxe_nearest_name(name, names, count);
    if (nearest != NULL) (void)snprintf(meant, sizeof meant, "; did you mean \"%s\"?", nearest);
    va_list arguments;
    va_start(arguments, format);
    print_complaint(NULL, format, arguments, nearest != NULL ? meant : otherwise);
    va_end(arguments);
}

int cli_misuse(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_complaint(name, format, arguments, "");
    va_end(arguments);
    return cli_point_to_help(name);
}

int cli_point_to_help(const char *name)
{
    (void)fprintf(stderr, "Try \"voxelastic %.*s --help\".\n", (int)strcspn(name, " "), name);
    return CLI_BAD_INPUT;
}

int cli_finish_output(int status)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_complain("standard output: %s", strerror(errno != 0 ? errno : EIO));
        return status == CLI_DONE ? CLI_FILE_PROBLEM : status;
    }
    return status;
}

/* A name and what it takes, in a column of `width`, and what it does. */
static void print_line(FILE *stream, const char *name, const char *operands, int width, const char *summary)
{
    const int rest = width - (int)strlen(name) - 1;
    (void)fprintf(stream, "  %s%s%s %-*s  %s\n", cli_style(stream, CLI_STYLE_NAME), name,
                  cli_style(stream, CLI_STYLE_PLAIN), rest, operands, summary);
}

static void print_help(FILE *stream)
{
    const char *bold = cli_style(stream, CLI_STYLE_BOLD);
    const char *plain = cli_style(stream, CLI_STYLE_PLAIN);
    int width = (int)strlen("help [COMMAND]");
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const int length = (int)(strlen(commands[i].name) + 1 + strlen(commands[i].operands));
        width = length > width ? length : width;
    }
    (void)fprintf(stream,
                  "%sUsage:%s voxelastic COMMAND ...\n"
                  "\n"
                  "Simulates soft bodies made of many materials, on a lattice of voxels.\n"
                  "\n"
                  "%sCommands:%s\n",
                  bold, plain, bold, plain);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        print_line(stream, commands[i].name, commands[i].operands, width, commands[i].summary);
    }
    print_line(stream, "help", "[COMMAND]", width, "tell more about a command, as COMMAND --help does");
    (void)fprintf(stream, "\n%sOptions:%s\n", bold, plain);
    print_line(stream, "-h, --help", "", width, "this text");
    print_line(stream, "-V, --version", "", width, "the version");
}

static const command *find_command(const char *name)
{
    const char *names[COMMAND_COUNT + 1];
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
        if (strcmp(name, names[i]) == 0) return &commands[i];
    }
    names[COMMAND_COUNT] = "help";
    cli_complain_name(name, names, COMMAND_COUNT + 1, "", "there is no command \"%s\"", name);
    (void)fputs("Try \"voxelastic --help\".\n", stderr);
    return NULL;
}

/* voxelastic help [COMMAND] */
static int show_help(int count, char **arguments)
{
    if (count == 0 || strcmp(arguments[0], "help") == 0) {
        print_help(stdout);
        return cli_finish_output(CLI_DONE);
    }
    const command *found = find_command(arguments[0]);
    if (found == NULL) return CLI_BAD_INPUT;
    found->help();
    return cli_finish_output(CLI_DONE);
}

static int handle_option(const char *option)
{
    if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
        print_help(stdout);
        return cli_finish_output(CLI_DONE);
    }
    if (strcmp(option, "--version") == 0 || strcmp(option, "-V") == 0) {
        printf("voxelastic %s\n", vxe_version());
        return cli_finish_output(CLI_DONE);
    }
    static const char *const names[] = {"--help", "--version"};
    cli_complain_name(option, names, 2, "; the options of a command follow its name", "unknown option \"%s\"",
                      option);
    (void)fputs("Try \"voxelastic --help\".\n", stderr);
    return CLI_BAD_INPUT;
}

/* Readers of nested files and the solvers need some stack: less of it is told, not found out by crashing. */
static bool has_stack(void)
{
    enum { LEAST = 512 }; /* kB; the tests run with it */
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur / 1024 >= LEAST) {
        return true;
    }
    return cli_complain("the stack is limited to %llu kB, and %d are needed: \"ulimit -s %d\"",
                        (unsigned long long)(limit.rlim_cur / 1024), LEAST, LEAST);
}

int main(int count, char **arguments)
{
    cli_accept_interrupts();
    if (!has_stack()) return CLI_FILE_PROBLEM;
    int status = CLI_DONE;
    if (count > 0 && cli_peer(arguments[0], count - 1, arguments + 1, &status)) return status;
    if (count < 2) {
        print_help(stderr);
        return CLI_BAD_INPUT;
    }
    const char *first = arguments[1];
    if (first[0] == '-') return handle_option(first);
    if (strcmp(first, "help") == 0) return show_help(count - 2, arguments + 2);
    const command *found = find_command(first);
    return found == NULL ? CLI_BAD_INPUT : found->run(count - 2, arguments + 2);
}
