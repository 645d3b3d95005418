/* voxelastic check: whether a scene, or every overlay of a folder, is valid. */
#include "cli/cli.h"
#include "cli/options.h"

#include <string.h>

enum { CHECK_DIALECT, CHECK_HELP, CHECK_OPTION_COUNT };

static const cli_option check_table[CHECK_OPTION_COUNT] = {
    [CHECK_DIALECT] = {"--dialect", 0, "NAME", CLI_DIALECT_HELP},
    [CHECK_HELP] = {"--help", 'h', NULL, "this text"},
};

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
    cli_print_options(check_table, CHECK_OPTION_COUNT);
}

/* Checks one scene as far as its first step and says so; its exit status. */
static int check_one(const char *label, vxe_dialect dialect)
{
    const vxe_sim_def def = vxe_default_sim_def();
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    vxe_model *model = NULL;
    vxe_sim *sim = NULL;
    vxe_trace *trace = NULL;
    vxe_result result = cli_load_scene(label, dialect, &scene, NULL, &error);
    if (result == VXE_OK) {
        result = vxe_compile(scene, &model, &error);
    }
    if (result == VXE_OK) {
        result = vxe_sim_create(model, &def, &sim, &error);
    }
    if (result == VXE_OK) {
        result = cli_make_trace(sim, scene, NULL, &trace, &error);
    }
    if (result == VXE_OK) {
        const vxe_stop stop = vxe_scene_stop(scene);
        result = cli_check_stop(&stop, label, &error);
    }
    if (result == VXE_OK) {
        printf("%s: valid\n", label);
    } else {
        cli_complain("%s", error.message);
    }
    vxe_trace_destroy(trace);
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
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
    cli_arguments a = {"check", count, arguments, 0, NULL, false};
    const char *label = NULL;
    const char *value = NULL;
    vxe_dialect dialect = VXE_DIALECT_AUTO;
    for (;;) {
        const int option = cli_next_argument(&a, check_table, CHECK_OPTION_COUNT, &value);
        if (option == CLI_WRONG) {
            return cli_point_to_help("check");
        }
        if (option == CLI_END) {
            break;
        }
        if (option == CLI_OPERAND && label != NULL) {
            cli_complain("check: one scene at a time: \"%s\" after \"%s\"", value, label);
            return cli_point_to_help("check");
        }
        if (option == CLI_OPERAND) {
            label = value;
        } else if (option == CHECK_DIALECT) {
            if (!cli_parse_dialect(value, &dialect)) {
                return cli_point_to_help("check");
            }
        } else {
            cli_help_check();
            return cli_finish_output(CLI_DONE);
        }
    }
    if (label == NULL) {
        cli_complain("check: which scene? A file, or - for standard input");
        return cli_point_to_help("check");
    }
    return cli_finish_output(vxe_overlay_folder(label) ? check_folder(label, dialect)
                                                       : check_one(label, dialect));
}
