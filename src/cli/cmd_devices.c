/* voxelastic devices: where steps can be computed. */
#include "cli/options.h"
#include "cli/report.h"

#include "base/pool.h"

typedef struct devices_options {
    bool json;
} devices_options;

static const cli_option table[] = {CLI_JSON_ROW(devices_options), CLI_HELP_ROW("this text")};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

void cli_help_devices(void)
{
    printf("Usage: voxelastic devices [options]\n"
           "\n"
           "Lists what --device of run and bench can choose from, and why there is no GPU if there is none.\n"
           "All devices give the same bits.\n"
           "\n"
           "Options:\n");
    cli_print_options(table, OPTION_COUNT);
}

static int print_devices(bool json)
{
    vxe_gpu_info gpu;
    vxe_error error = {VXE_OK, ""};
    const bool there = vxe_gpu_describe(&gpu, &error) == VXE_OK;
    if (json) {
        json_t *list = json_array();
        (void)json_array_append_new(list,
                                    json_pack("{s:s, s:i}", "device", "cpu", "processors", vxe_processors()));
        if (there) {
            (void)json_array_append_new(
                list, json_pack("{s:s, s:o, s:I, s:I, s:i, s:[i, i]}", "device", "cuda", "name",
                                cli_json_text(gpu.name), "memory", (json_int_t)gpu.memory, "free_memory",
                                (json_int_t)gpu.free_memory, "multiprocessors", (int)gpu.processors,
                                "compute_capability", (int)gpu.capability[0], (int)gpu.capability[1]));
        }
        json_t *o = json_pack("{s:o}", "devices", list);
        if (!there) (void)json_object_set_new(o, "no_gpu", cli_json_text(error.message));
        return cli_print_json(o);
    }
    printf("cpu   %d processor%s\n", vxe_processors(), vxe_processors() == 1 ? "" : "s");
    if (there) {
        printf("cuda  %s, compute capability %d.%d, %d multiprocessors, %.1f of %.1f GB free\n", gpu.name,
               (int)gpu.capability[0], (int)gpu.capability[1], (int)gpu.processors,
               1e-9 * (double)gpu.free_memory, 1e-9 * (double)gpu.memory);
    } else {
        printf("cuda  not here: %s\n", error.message);
    }
    return cli_finish_output(CLI_DONE);
}

static int refuse_operand(const char *command, const char *value, void *options)
{
    (void)options;
    return cli_misuse(command, "\"%s\" is too much", value);
}

int cli_command_devices(int count, char **arguments)
{
    static const cli_syntax syntax = {"devices", cli_help_devices, table, OPTION_COUNT, refuse_operand, true};
    devices_options o = {.json = false};
    const int status = cli_parse(&syntax, count, arguments, &o);
    return status == CLI_GO_ON ? print_devices(o.json) : status;
}
