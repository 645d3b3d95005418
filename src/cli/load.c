/* Loading: a scene from a file of any format, or from standard input; and the names of a trace. */
#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Everything on standard input, at most VXE_STREAM_BYTES_MAX bytes. */
static vxe_result read_input(char **text, size_t *size, vxe_error *error)
{
    char *data = NULL;
    size_t used = 0;
    size_t room = 0;
    for (;;) {
        if (used == room) {
            room = room == 0 ? 65536 : room > VXE_STREAM_BYTES_MAX / 2 ? VXE_STREAM_BYTES_MAX + 1 : 2 * room;
            char *larger = realloc(data, room + 1);
            if (larger == NULL) {
                free(data);
                return vxe_fail_memory(error, "standard input", room);
            }
            data = larger;
        }
        used += fread(data + used, 1, room - used, stdin);
        if (used > VXE_STREAM_BYTES_MAX) {
            free(data);
            return vxe_fail(error, VXE_ERROR_LIMIT,
                            "standard input: larger than %zu bytes; give it as a file", VXE_STREAM_BYTES_MAX);
        }
        if (ferror(stdin)) {
            free(data);
            return vxe_fail(error, VXE_ERROR_FILE, "standard input: %s", strerror(errno));
        }
        if (feof(stdin)) break;
    }
    data[used] = '\0';
    *text = data;
    *size = used;
    return VXE_OK;
}

const vxe_choice cli_dialects[] = {{"auto", VXE_DIALECT_AUTO},
                                   {"evosoro", VXE_DIALECT_EVOSORO},
                                   {"voxcad", VXE_DIALECT_VOXCAD},
                                   {"voxcraft", VXE_DIALECT_VOXCRAFT},
                                   {NULL, 0}};

vxe_result cli_load_scene(const char *path, vxe_dialect dialect, vxe_scene **scene, vxe_notes **notes,
                          vxe_error *error)
{
    const vxe_load_def def = {.dialect = dialect};
    if (strcmp(path, "-") == 0) {
        char *text = NULL;
        size_t size = 0;
        vxe_result result = read_input(&text, &size, error);
        if (result == VXE_OK) {
            result = vxe_scene_parse(text, size, "standard input", ".", &def, scene, notes, error);
            free(text);
        }
        return result;
    }
    for (size_t i = 0; i < cli_demo_count; i++) {
        if (strcmp(path, cli_demos[i].name) == 0 && access(path, F_OK) != 0) {
            return vxe_fail(error, VXE_ERROR_INPUT,
                            "%s: not the name of a scene file; the built-in scene is run by "
                            "\"voxelastic demo %s\"",
                            path, path);
        }
    }
    return vxe_scene_load(path, &def, scene, notes, error);
}

vxe_result cli_check_stop(const vxe_stop *s, const char *label, vxe_error *error)
{
    if (s->time > 0.0 || s->steps > 0 || s->cycles > 0.0 || s->kinetic_energy > 0.0 || s->speed > 0.0 ||
        s->energy_change > 0.0 || s->movement > 0.0 || s->formula) {
        return VXE_OK;
    }
    return vxe_fail(error, VXE_ERROR_INPUT,
                    "%s: the scene does not say when to stop; give --time S (simulated seconds) or "
                    "--steps N",
                    label);
}

/* Copies `list` and cuts the copy into names. */
static vxe_result split_names(const char *list, char **copy, const char ***names, int32_t *count,
                              vxe_error *error)
{
    const size_t length = strlen(list);
    const bool semicolons = strchr(list, ';') != NULL;
    *count = 0;
    *copy = malloc(length + 1);
    *names = malloc((length + 1) * sizeof **names); /* never more names than characters */
    if (*copy == NULL || *names == NULL) return vxe_fail_memory(error, "the names of a trace", length);
    memcpy(*copy, list, length + 1);
    char *name = *copy;
    for (char *at = *copy;; at++) {
        const bool inside_voxel = (at[0] == ',') && ((at[1] >= '0' && at[1] <= '9') || at[1] == '-');
        const bool cut = semicolons ? *at == ';' : *at == ',' && !inside_voxel;
        const bool end = *at == '\0';
        if (!cut && !end) continue;
        *at = '\0';
        while (*name == ' ') name++;
        for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--) name[n - 1] = '\0';
        if (*name != '\0') (*names)[(*count)++] = name;
        if (end) return VXE_OK;
        name = at + 1;
    }
}

vxe_result cli_make_trace(const vxe_sim *sim, const vxe_scene *scene, const char *list, vxe_trace **trace,
                          vxe_error *error)
{
    static const char *const standard[] = {"center_of_mass", "energy", "displacement_max", "strain_max"};
    const vxe_output_def *output = vxe_scene_output(scene);
    if (list == NULL && output != NULL && output->trace_count > 0) {
        return vxe_trace_create(sim, output->trace, output->trace_count, trace, error);
    }
    if (list == NULL) {
        return vxe_trace_create(sim, standard, sizeof standard / sizeof standard[0], trace, error);
    }
    char *copy = NULL;
    const char **names = NULL;
    int32_t count = 0;
    vxe_result result = split_names(list, &copy, &names, &count, error);
    if (result == VXE_OK) result = vxe_trace_create(sim, names, count, trace, error);
    free(names);
    free(copy);
    return result;
}

vxe_result cli_compile(const char *label, const vxe_scene *scene, vxe_model **model, vxe_error *error)
{
    vxe_error cause = {VXE_OK, ""};
    const vxe_result result = vxe_compile(scene, model, &cause);
    return result == VXE_OK ? VXE_OK : vxe_fail(error, result, "%s: %s", label, cause.message);
}

vxe_result cli_coarsen(int64_t factor, vxe_scene **scene, vxe_coarsen_report *report, vxe_error *error)
{
    vxe_scene *coarse = NULL;
    if (factor <= 1) return VXE_OK;
    const int32_t times = factor > 64 ? 65 : (int32_t)factor; /* too many are refused in words */
    const vxe_result result = vxe_scene_coarsen(*scene, times, &coarse, report, error);
    if (result != VXE_OK) return result;
    vxe_scene_destroy(*scene);
    *scene = coarse;
    return VXE_OK;
}

vxe_result cli_load_subject(cli_subject *s, const char *label, vxe_dialect dialect, vxe_error *error)
{
    const vxe_sim_def def = vxe_default_sim_def();
    *s = (cli_subject){.label = label};
    vxe_result result = cli_load_scene(label, dialect, &s->scene, &s->notes, error);
    if (result == VXE_OK) result = cli_compile(label, s->scene, &s->model, error);
    if (result == VXE_OK) result = vxe_sim_create(s->model, &def, &s->sim, error);
    if (result == VXE_OK) result = cli_make_trace(s->sim, s->scene, NULL, &s->trace, error);
    return result;
}

void cli_destroy_subject(cli_subject *s)
{
    vxe_trace_destroy(s->trace);
    vxe_sim_destroy(s->sim);
    vxe_model_destroy(s->model);
    vxe_scene_destroy(s->scene);
    vxe_notes_destroy(s->notes);
}
