/* voxelastic modes: natural frequencies and shapes. */
#include "cli/answer.h"
#include "io/vtu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MASK = ANSWER_COUNT | ANSWER_EQUILIBRIUM | ANSWER_TOLERANCE | ANSWER_TIME | ANSWER_SLIDE };

void cli_help_modes(void)
{
    printf(
        "Usage: voxelastic modes SCENE [options]\n"
        "\n"
        "The lowest natural frequencies and their shapes, without damping, about the start of the scene or "
        "about\n"
        "its equilibrium. Rigid motions of bodies that nothing holds are at 0 Hz; a negative frequency is a\n"
        "direction in which the state is unstable. SCENE is a file (FILE.json), or - for standard input.\n"
        "\n"
        "Options:\n");
    answer_print_options(MASK);
    printf("\n"
           "Files: frequencies.csv, shapes.csv (one line per mode and voxel: displacement and rotation, "
           "scaled so that\n"
           "the largest displacement of a mode is 1), shapes.vtu (the same for ParaView) and summary.json.\n"
           "\n"
           "Examples:\n"
           "  voxelastic modes beam.json -n 12\n"
           "  voxelastic modes beam.json --equilibrium -o out\n");
}

static vxe_result write_frequencies(answer *a, const vxe_modes_view *m, vxe_error *error)
{
    answer_file file;
    const vxe_result result =
        answer_file_open(a, "frequencies.csv", "mode,frequency_Hz,square_per_s2", &file, error);
    if (result != VXE_OK) return result;
    for (int32_t i = 0; i < m->count; i++) {
        answer_number(&file, i + 1);
        answer_number(&file, m->frequency[i]);
        answer_number(&file, m->square[i]);
        answer_end_line(&file);
    }
    return answer_file_close(a, &file, error);
}

static vxe_result write_shapes(answer *a, const vxe_modes *modes, vxe_error *error)
{
    const vxe_model_view *view = vxe_model_get(a->model);
    const vxe_state *s = vxe_sim_state(a->sim);
    answer_file file;
    const vxe_result result = answer_file_open(
        a, "shapes.csv",
        "mode,i,j,k,x_m,y_m,z_m,shape_x,shape_y,shape_z,turn_x_per_m,turn_y_per_m,turn_z_per_m", &file,
        error);
    if (result != VXE_OK) return result;
    for (int32_t mode = 0; mode < vxe_modes_get(modes)->count; mode++) {
        const double size = vxe_shape_size(modes, mode);
        for (int32_t v = 0; v < view->voxel_count; v++) {
            answer_number(&file, mode + 1);
            for (int i = 0; i < 3; i++) answer_number(&file, view->cell[i][v]);
            for (int i = 0; i < 3; i++) answer_number(&file, s->position[i][v]);
            for (int c = 0; c < 6; c++) answer_number(&file, vxe_modes_shape(modes, mode, c)[v] / size);
            answer_end_line(&file);
        }
    }
    return answer_file_close(a, &file, error);
}

static vxe_result write_vtu(answer *a, const vxe_modes *modes, vxe_error *error)
{
    char *path = NULL;
    const vxe_result result = answer_path(a, "shapes.vtu", &path, error);
    return result == VXE_OK ? answer_list(a, path, vxe_write_modes_vtu(a->sim, modes, path, error)) : result;
}

static void fill_report(answer *a, const vxe_modes_view *m, const vxe_equilibrium *state)
{
    json_t *frequencies = json_array();
    json_t *squares = json_array();
    for (int32_t i = 0; i < m->count; i++) {
        (void)json_array_append_new(frequencies, cli_json_number(m->frequency[i]));
        (void)json_array_append_new(squares, cli_json_number(m->square[i]));
    }
    answer_set(a, "about", json_string(state != NULL ? "equilibrium" : "start"));
    if (state != NULL) {
        answer_set(a, "equilibrium",
                   json_pack("{s:s, s:o}", "status", vxe_equilibrium_status_name(state->status), "message",
                             cli_json_text(state->message)));
    }
    answer_set(a, "frequencies", frequencies);
    answer_set(a, "squares", squares);
    answer_set(a, "rigid", json_integer(m->rigid));
    answer_set(a, "unstable", json_integer(m->unstable));
    answer_set(a, "imbalance", cli_json_number(m->imbalance));
    answer_set_cost(a, &m->cost);
}

static void print_table(const answer *a, const vxe_modes_view *m, const vxe_equilibrium *state)
{
    printf("%s: modes about the %s\n", a->options.scene, state != NULL ? "equilibrium" : "start");
    if (state != NULL) cli_print_row("equilibrium", "%s", state->message);
    for (int32_t i = 0; i < m->count; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "mode %d", (int)i + 1);
        if (m->square[i] == 0.0) {
            cli_print_row(name, "0 Hz, rigid");
        } else if (m->square[i] < 0.0) {
            cli_print_row(name, "unstable: grows by a factor e in %s",
                          cli_quantity(1.0 / sqrt(-m->square[i]), "s").text);
        } else {
            cli_print_row(name, "%.6g Hz", m->frequency[i]);
        }
    }
    if (state != NULL && m->imbalance > 1e-3) {
        cli_print_row("note", "forces do not balance in this state (%.2g of the largest force)",
                      m->imbalance);
    }
    answer_cost_row(a, &m->cost);
}

static vxe_result find(answer *a, vxe_error *error)
{
    const answer_options *options = &a->options;
    vxe_modes *modes = NULL;
    vxe_equilibrium report;
    const vxe_equilibrium *state = options->equilibrium ? &report : NULL;
    vxe_result result = VXE_OK;
    if (options->equilibrium) {
        vxe_equilibrium_def def = vxe_default_equilibrium_def();
        def.time = options->time;
        if (options->slide) def.grip = VXE_FLOOR_SLIDE;
        result = vxe_solve_equilibrium(a->sim, &def, &report, error);
    }
    if (result != VXE_OK) return result;
    vxe_modes_def def = vxe_default_modes_def();
    if (options->count > 0) /* too many are refused below, in words */
        def.count = options->count > 10000 ? 10001 : (int32_t)options->count;
    if (options->tolerance > 0.0) def.tolerance = options->tolerance;
    result = vxe_solve_modes(a->sim, &def, &modes, error);
    a->wall = cli_clock() - a->begun;
    if (result != VXE_OK) return result;
    const vxe_modes_view *m = vxe_modes_get(modes);
    fill_report(a, m, state);
    if (a->folder != NULL) result = write_frequencies(a, m, error);
    if (result == VXE_OK && a->folder != NULL) result = write_shapes(a, modes, error);
    if (result == VXE_OK && a->folder != NULL) result = write_vtu(a, modes, error);
    if (result == VXE_OK && !options->json) print_table(a, m, state);
    vxe_modes_destroy(modes);
    return result;
}

int cli_command_modes(int count, char **arguments)
{
    return answer_command("modes", MASK, cli_help_modes, count, arguments, find);
}
