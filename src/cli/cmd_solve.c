/* voxelastic solve: linear statics. */
#include "cli/answer.h"

enum { MASK = ANSWER_SOLVER | ANSWER_TOLERANCE | ANSWER_TIME };

void cli_help_solve(void)
{
    printf(
        "Usage: voxelastic solve SCENE [options]\n"
        "\n"
        "Linear statics: displacements, reactions, strains and stresses under the scene's loads, for small\n"
        "deformations. Ramps count as ended; the floor and contacts are left out. SCENE is a file "
        "(FILE.json), or -\n"
        "for standard input.\n"
        "\n"
        "Options:\n");
    answer_print_options(MASK);
    printf("\n"
           "Files: displacements.csv (one line per voxel: place, displacement, rotation, strain, stress, "
           "pressure,\n"
           "reactions) and summary.json.\n"
           "\n"
           "Examples:\n"
           "  voxelastic solve beam.json\n"
           "  voxelastic solve beam.json -o out --json | jq .regions\n");
}

static vxe_result write_voxels(answer *a, const vxe_linear_view *u, vxe_error *error)
{
    const vxe_model_view *view = vxe_model_get(a->model);
    answer_file file;
    const vxe_result result =
        answer_file_open(a, "displacements.csv",
                         "i,j,k,material,x_m,y_m,z_m,displacement_x_m,displacement_y_m,displacement_z_m,"
                         "rotation_x_rad,rotation_y_rad,rotation_z_rad,"
                         "strain_x,strain_y,strain_z,stress_x_Pa,stress_y_Pa,stress_z_Pa,pressure_Pa,"
                         "reaction_x_N,reaction_y_N,reaction_z_N,"
                         "reaction_moment_x_Nm,reaction_moment_y_Nm,reaction_moment_z_Nm",
                         &file, error);
    if (result != VXE_OK) return result;
    for (int32_t v = 0; v < u->voxel_count; v++) {
        for (int i = 0; i < 3; i++) answer_number(&file, view->cell[i][v]);
        answer_number(&file, view->material[v]);
        for (int i = 0; i < 3; i++) answer_number(&file, view->start[i][v]);
        for (int i = 0; i < 3; i++) answer_number(&file, u->displacement[i][v]);
        for (int i = 0; i < 3; i++) answer_number(&file, u->rotation[i][v]);
        for (int i = 0; i < 3; i++) answer_number(&file, u->voxel_strain[i][v]);
        for (int i = 0; i < 3; i++) answer_number(&file, u->voxel_stress[i][v]);
        answer_number(&file, u->pressure[v]);
        for (int i = 0; i < 3; i++) answer_number(&file, u->reaction[i][v]);
        for (int i = 0; i < 3; i++) answer_number(&file, u->reaction_moment[i][v]);
        answer_end_line(&file);
    }
    return answer_file_close(a, &file, error);
}

static void fill_report(answer *a, const vxe_linear *linear, const vxe_linear_view *u)
{
    answer_set(a, "displacement_max", cli_json_number(u->displacement_max));
    answer_set(a, "displacement_max_voxel", cli_json_voxel(a->model, u->displacement_voxel));
    answer_set(a, "rotation_max", cli_json_number(u->rotation_max));
    answer_set(a, "strain_max", cli_json_number(u->strain_max));
    answer_set(a, "elastic_energy", cli_json_number(u->energy));
    answer_set(a, "residual", cli_json_number(u->residual));
    answer_set(a, "overstressed_links", json_integer(u->overstressed));
    answer_set(a, "voxels_below_floor", json_integer(u->below_floor));
    answer_set_regions(a, linear);
    answer_set_cost(a, &u->cost);
}

static void print_table(const answer *a, const vxe_linear *linear, const vxe_linear_view *u)
{
    printf("%s: linear statics\n", a->options.scene);
    cli_print_row("displacement", "%s at most, of voxel %s", cli_quantity(u->displacement_max, "m").text,
                  answer_cell(a, u->displacement_voxel).text);
    cli_print_row("rotation", "%.4g rad at most%s", u->rotation_max,
                  u->rotation_max > 0.1 ? ": too much for a linear answer; see `equilibrium`" : "");
    cli_print_row("strain", "%.4g at most", u->strain_max);
    cli_print_row("energy", "%s", cli_quantity(u->energy, "J").text);
    cli_print_row("residual", "%.2g", u->residual);
    answer_region_rows(a, linear);
    if (u->overstressed > 0)
        cli_print_row("note", "%d links would yield or break; this answer does not", (int)u->overstressed);
    if (u->below_floor > 0)
        cli_print_row("note", "%d voxels end up below the floor, which this answer does not know",
                      (int)u->below_floor);
    answer_cost_row(a, &u->cost);
}

static vxe_result find(answer *a, vxe_error *error)
{
    vxe_linear *linear = NULL;
    vxe_linear_def def = vxe_default_linear_def();
    def.solver = a->options.solver;
    def.time = a->options.time;
    if (a->options.tolerance > 0.0) def.tolerance = a->options.tolerance;
    vxe_result result = vxe_solve_linear(a->sim, &def, &linear, error);
    a->wall = cli_clock() - a->begun;
    if (result != VXE_OK) return result;
    const vxe_linear_view *u = vxe_linear_get(linear);
    fill_report(a, linear, u);
    if (a->folder != NULL) result = write_voxels(a, u, error);
    if (result == VXE_OK && !a->options.json) print_table(a, linear, u);
    vxe_linear_destroy(linear);
    return result;
}

int cli_command_solve(int count, char **arguments)
{
    return answer_command("solve", MASK, cli_help_solve, count, arguments, find);
}
