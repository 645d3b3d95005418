/* voxelastic demo: the scenes that are part of the program. */
#include "cli/report.h"
#include "cli/run.h"

#include <string.h>

void cli_help_demo(void)
{
    printf("Usage: voxelastic demo [NAME] [options]\n"
           "\n"
           "Without a name, lists the built-in scenes. With one, runs it as \"voxelastic run\" does.\n"
           "\n"
           "Options:\n");
    cli_print_run_options();
}

vxe_result cli_load_demo(const cli_demo *demo, vxe_scene **scene, vxe_error *error)
{
    char name[VXE_NAME_SIZE + 8];
    (void)snprintf(name, sizeof name, "%s.json", demo->name);
    return vxe_scene_parse_json((const char *)demo->text, demo->size, name, NULL, scene, error);
}

/* The first sentence of a text, which ends with its first line at the latest. */
static int first_sentence(const char *text)
{
    const size_t line = strcspn(text, "\n");
    const char *stop = strstr(text, ". ");
    return (int)(stop != NULL && (size_t)(stop - text) < line ? (size_t)(stop - text) + 1 : line);
}

/* Prints a name and the first sentence of its description, or puts both into `list`. */
static vxe_result tell_demo(const cli_demo *demo, int width, json_t *list, vxe_error *error)
{
    vxe_scene *scene = NULL;
    const vxe_result result = cli_load_demo(demo, &scene, error);
    if (result != VXE_OK) return result;
    const char *text = vxe_scene_description(scene);
    const int length = first_sentence(text);
    if (list != NULL) {
        (void)json_array_append_new(
            list, json_pack("{s:s, s:s#}", "name", demo->name, "description", text, length));
    } else {
        printf("  %-*s  %.*s\n", width, demo->name, length, text);
    }
    vxe_scene_destroy(scene);
    return VXE_OK;
}

static int list_demos(const run_options *options)
{
    vxe_error error = {VXE_OK, ""};
    vxe_result result = VXE_OK;
    json_t *list = options->json ? json_array() : NULL;
    int width = 0;
    for (size_t i = 0; i < cli_demo_count; i++) {
        const int length = (int)strlen(cli_demos[i].name);
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < cli_demo_count && result == VXE_OK; i++) {
        result = tell_demo(&cli_demos[i], width, list, &error);
    }
    if (result != VXE_OK) {
        json_decref(list);
        return cli_fail("demo", options->json, &error);
    }
    if (list != NULL) return cli_print_json(json_pack("{s:o}", "demos", list));
    printf("\nRun one with \"voxelastic demo NAME\".\n");
    return cli_finish_output(CLI_DONE);
}

static const cli_demo *find_demo(const char *name)
{
    const char *names[256];
    size_t count = 0;
    for (size_t i = 0; i < cli_demo_count; i++) {
        if (strcmp(cli_demos[i].name, name) == 0) return &cli_demos[i];
        if (count < sizeof names / sizeof names[0]) names[count++] = cli_demos[i].name;
    }
    cli_complain_name(name, names, count, "; \"voxelastic demo\" lists them",
                      "demo: there is no scene \"%s\"", name);
    return NULL;
}

int cli_command_demo(int count, char **arguments)
{
    run_options options;
    const int status = cli_parse_run("demo", cli_help_demo, count, arguments, &options);
    if (status != CLI_GO_ON) return status;
    if (options.scene == NULL) return list_demos(&options);
    const cli_demo *demo = find_demo(options.scene);
    if (demo == NULL) return CLI_BAD_INPUT;
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    if (cli_load_demo(demo, &scene, &error) != VXE_OK) return cli_fail(demo->name, options.json, &error);
    const int outcome = cli_run_scene(&options, scene, demo->name);
    vxe_scene_destroy(scene);
    return outcome;
}
