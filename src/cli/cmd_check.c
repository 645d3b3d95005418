/* voxelastic check: whether a scene, or every overlay of a folder, is valid. */
#include "cli/cli.h"
#include "cli/options.h"

#include <string.h>

typedef struct check_options {
    const char *scene;
    vxe_dialect dialect;
} check_options;

static const cli_option table[] = {CLI_DIALECT_ROW(check_options, dialect), CLI_HELP_ROW("this text")};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

void cli_help_check(void)
{
    printf(
        "Usage: voxelastic check SCENE\n"
        "\n"
        "Prints \"SCENE: valid\", or what is wrong and where, with exit status 2. SCENE is a file of a "
        "known\n"
        "format, - for standard input, or a folder with base.vxa and overlays (.vxd): each overlay is "
        "checked,\n"
        "and those that are wrong do not hide the others. A scene that never ends a run is refused as run\n"
        "refuses it.\n"
        "\n"
        "Options:\n");
    cli_print_options(table, OPTION_COUNT);
}

/* Checks one scene as far as its first step and says so; its exit status. */
static int check_one(const char *label, vxe_dialect dialect)
{
    vxe_error error = {VXE_OK, ""};
    cli_subject s;
    vxe_result result = cli_load_subject(&s, label, dialect, &error);
    if (result == VXE_OK) {
        const vxe_stop stop = vxe_scene_stop(s.scene);
        result = cli_check_stop(&stop, label, &error);
    }
    if (result == VXE_OK) {
        printf("%s: valid\n", label);
    } else {
        cli_complain("%s", error.message);
    }
    cli_destroy_subject(&s);
    return result == VXE_OK ? CLI_DONE : cli_exit_status(result);
}

/* Checks every overlay of a folder, as run runs them; the first bad exit status. */
static int check_folder(const char *folder, vxe_dialect dialect)
{
    vxe_error error = {VXE_OK, ""};
    char **names = NULL;
    int32_t count = 0;
    vxe_result result = vxe_overlay_list(folder, &names, &count, &error);
    if (result == VXE_OK && count < 1) {
        result = vxe_fail(&error, VXE_ERROR_INPUT,
                          "%s: there is no overlay (.vxd) in it, so there is nothing to run", folder);
    }
    int status = CLI_DONE;
    for (int32_t i = 0; result == VXE_OK && i < count; i++) {
        char path[4096]; /* longer ones no system takes */
        const size_t length = strlen(folder);
        (void)snprintf(path, sizeof path, "%s%s%s", folder,
                       length > 0 && folder[length - 1] == '/' ? "" : "/", names[i]);
        const int checked = check_one(path, dialect);
        status = status == CLI_DONE ? checked : status;
    }
    vxe_overlay_free(names, count);
    if (result != VXE_OK) {
        cli_complain("%s", error.message);
        return cli_exit_status(result);
    }
    return status;
}

int cli_command_check(int count, char **arguments)
{
    static const cli_syntax syntax = {"check", cli_help_check, table, OPTION_COUNT, cli_take_scene, true};
    check_options o = {.dialect = VXE_DIALECT_AUTO};
    int status = cli_parse(&syntax, count, arguments, &o);
    if (status == CLI_GO_ON) status = cli_need_scene("check", o.scene);
    if (status != CLI_GO_ON) return status;
    return cli_finish_output(vxe_overlay_folder(o.scene) ? check_folder(o.scene, o.dialect)
                                                         : check_one(o.scene, o.dialect));
}
