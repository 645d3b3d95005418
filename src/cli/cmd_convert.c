/* voxelastic convert: reads a scene in any format and writes it in any other, by the ends of the names. */
#include "cli/options.h"
#include "cli/report.h"

typedef struct convert_options {
    const char *in;
    const char *out;
    vxe_dialect dialect;
    int64_t coarsen; /* 0: not given */
    bool json;
    bool quiet;
} convert_options;

#define TO(kind, member) CLI_TO(kind, convert_options, member)
static const cli_option table[] = {
    CLI_DIALECT_ROW(convert_options, dialect),
    {"--coarsen", 0, "N", "put N x N x N voxels together into one, with mean density and stiffness",
     TO(COUNT, coarsen)},
    CLI_JSON_ROW(convert_options),
    {"--quiet", 'q', NULL, "say nothing unless something is wrong", TO(FLAG, quiet)},
    CLI_HELP_ROW("this text"),
};
enum { OPTION_COUNT = sizeof table / sizeof table[0] };

void cli_help_convert(void)
{
    printf("Usage: voxelastic convert IN OUT [options]\n"
           "\n"
           "Reads a scene and writes it in the format that the end of OUT says. IN may be - for standard "
           "input.\n"
           "\n"
           "Formats:\n");
    vxe_format_info info;
    for (int32_t i = 0; vxe_format_get(i, &info); i++) {
        printf("  %-12s%-6s%-7s%s\n", info.extension, info.reads ? "read" : "", info.writes ? "write" : "",
               info.what);
    }
    printf("\n"
           "What a format cannot say is told after writing.\n"
           "\n"
           "Options:\n");
    cli_print_options(table, OPTION_COUNT);
    printf("\n"
           "Examples:\n"
           "  voxelastic convert robot.vxa robot.json\n"
           "  voxelastic convert robot.json robot.vxa\n"
           "  voxelastic convert old.vxa new.json --dialect evosoro\n");
}

static int take_file(const char *command, const char *value, void *options)
{
    convert_options *o = options;
    if (o->out != NULL)
        return cli_misuse(command, "two files: \"%s\" after \"%s\" and \"%s\"", value, o->in, o->out);
    *(o->in == NULL ? &o->in : &o->out) = value;
    return CLI_DONE;
}

static void print_notes(const char *path, const vxe_notes *notes)
{
    for (int32_t i = 0; i < vxe_notes_count(notes); i++) {
        const vxe_note *n = vxe_notes_get(notes, i);
        if (n->line > 0) {
            printf("  %s:%d: %s: %s: %s\n", path, (int)n->line, vxe_note_kind_name(n->kind), n->what,
                   n->text);
        } else {
            printf("  %s: %s: %s: %s\n", path, vxe_note_kind_name(n->kind), n->what, n->text);
        }
    }
}

int cli_command_convert(int count, char **arguments)
{
    static const cli_syntax syntax = {"convert", cli_help_convert, table, OPTION_COUNT, take_file, true};
    convert_options o = {.dialect = VXE_DIALECT_AUTO};
    int status = cli_parse(&syntax, count, arguments, &o);
    if (status != CLI_GO_ON) return status;
    status = CLI_DONE;
    if (o.out == NULL) return cli_misuse("convert", "which files? One to read and one to write");
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    vxe_notes *read = NULL;
    vxe_notes *written = NULL;
    vxe_result result = cli_load_scene(o.in, o.dialect, &scene, &read, &error);
    if (result == VXE_OK) result = cli_coarsen(o.coarsen, &scene, NULL, &error);
    if (result == VXE_OK) result = vxe_scene_save(scene, o.out, &written, &error);
    if (result != VXE_OK) {
        status = cli_fail(o.in, o.json, &error);
    } else if (o.json) {
        status = cli_print_json(json_pack("{s:s, s:o, s:o, s:I, s:o, s:o}", "status", "done", "in",
                                          cli_json_text(o.in), "out", cli_json_text(o.out), "voxels",
                                          (json_int_t)vxe_scene_voxel_count(scene), "read_notes",
                                          cli_json_notes(read), "write_notes", cli_json_notes(written)));
    } else if (!o.quiet) {
        printf("%s: %lld voxels\n", o.out, (long long)vxe_scene_voxel_count(scene));
        print_notes(o.in, read);
        print_notes(o.out, written);
        status = cli_finish_output(CLI_DONE);
    }
    vxe_notes_destroy(written);
    vxe_notes_destroy(read);
    vxe_scene_destroy(scene);
    return status;
}
