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
    json_t *regions = json_array();
    for (int32_t r = 0; r < vxe_model_get(a->model)->region_count; r++) {
        double displacement[3];
        double reaction[3];
        double moment[3];
        (void)vxe_linear_region_displacement(linear, r, displacement, NULL);
        (void)vxe_linear_region_reaction(linear, r, reaction, moment, NULL);
        (void)json_array_append_new(regions, answer_region(a, r, displacement, reaction, moment));
    }
    answer_set(a, "displacement_max", cli_json_number(u->displacement_max));
    answer_set(a, "displacement_max_voxel", cli_json_voxel(a->model, u->displacement_voxel));
    answer_set(a, "rotation_max", cli_json_number(u->rotation_max));
    answer_set(a, "strain_max", cli_json_number(u->strain_max));
    answer_set(a, "elastic_energy", cli_json_number(u->energy));
    answer_set(a, "residual", cli_json_number(u->residual));
    answer_set(a, "overstressed_links", json_integer(u->overstressed));
    answer_set(a, "voxels_below_floor", json_integer(u->below_floor));
    answer_set(a, "regions", regions);
    answer_set_cost(a, &u->cost);
}

static void print_table(const answer *a, const vxe_linear *linear, const vxe_linear_view *u)
{
    printf("%s: linear statics\n", a->options.scene);
    answer_row("displacement", "%s at most, of voxel %s", cli_quantity(u->displacement_max, "m").text,
               answer_cell(a, u->displacement_voxel).text);
    answer_row("rotation", "%.4g rad at most%s", u->rotation_max,
               u->rotation_max > 0.1 ? ": too much for a linear answer; see `equilibrium`" : "");
    answer_row("strain", "%.4g at most", u->strain_max);
    answer_row("energy", "%s", cli_quantity(u->energy, "J").text);
    answer_row("residual", "%.2g", u->residual);
    for (int32_t r = 0; r < vxe_model_get(a->model)->region_count; r++) {
        double displacement[3];
        double reaction[3];
        (void)vxe_linear_region_displacement(linear, r, displacement, NULL);
        (void)vxe_linear_region_reaction(linear, r, reaction, NULL, NULL);
        answer_row(vxe_model_region_name(a->model, r), "moves %s, is held by %s",
                   cli_vector(displacement, "m").text, cli_vector(reaction, "N").text);
    }
    if (u->overstressed > 0)
        answer_row("note", "%d links would yield or break; this answer does not", (int)u->overstressed);
    if (u->below_floor > 0)
        answer_row("note", "%d voxels end up below the floor, which this answer does not know",
                   (int)u->below_floor);
    answer_cost_row(a, &u->cost);
}

int cli_command_solve(int count, char **arguments)
{
    answer_options options;
    int status = answer_parse("solve", MASK, cli_help_solve, count, arguments, &options);
    if (status != CLI_GO_ON) return status;
    answer a;
    vxe_error error = {VXE_OK, ""};
    vxe_linear *linear = NULL;
    vxe_result result = answer_open(&a, &options, &error);
    if (result == VXE_OK) {
        vxe_linear_def def = vxe_default_linear_def();
        def.solver = options.solver;
        def.time = options.time;
        if (options.tolerance > 0.0) def.tolerance = options.tolerance;
        const double begin = cli_clock();
        result = vxe_solve_linear(a.sim, &def, &linear, &error);
        a.wall = cli_clock() - begin;
    }
    if (result == VXE_OK) {
        const vxe_linear_view *u = vxe_linear_get(linear);
        fill_report(&a, linear, u);
        if (a.folder != NULL) result = write_voxels(&a, u, &error);
        if (result == VXE_OK && !options.json) print_table(&a, linear, u);
    }
    status = result == VXE_OK ? answer_finish(&a, CLI_DONE) : answer_fail(&a, &error);
    vxe_linear_destroy(linear);
    answer_close(&a);
    return status;
}
