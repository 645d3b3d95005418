/* voxelastic equilibrium: where a scene comes to rest, large deformations and all. */
#include "cli/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MASK = ANSWER_SOLVER | ANSWER_TOLERANCE | ANSWER_TIME | ANSWER_SLIDE | ANSWER_UNSTABLE | ANSWER_RELAX
};

void cli_help_equilibrium(void)
{
    printf("Usage: voxelastic equilibrium SCENE [options]\n"
           "\n"
           "Where a scene comes to rest under its loads: the static answer of the full nonlinear model, "
           "without time\n"
           "stepping. Ramps count as ended. Where Newton's method fails, damped time stepping takes over and "
           "the\n"
           "report says so. SCENE is a file (FILE.json), or - for standard input.\n"
           "\n"
           "Options:\n");
    answer_print_options(MASK);
    printf("\n"
           "Files: displacements.csv (one line per voxel: place, displacement, rotation, strain, stress, "
           "pressure),\n"
           "state.vxck (to go on with \"voxelastic run SCENE --resume\") and summary.json.\n"
           "\n"
           "The status is stable; buckled (an unstable state was left for a stable one); unstable; or "
           "relaxed (found\n"
           "by time stepping). Exit status 3: there is none.\n"
           "\n"
           "Examples:\n"
           "  voxelastic equilibrium beam.json\n"
           "  voxelastic equilibrium gripper.json --time 0.25 -o out\n");
}

/* The rotation vector of a voxel. */
static void rotation_of(const vxe_state *s, int32_t v, double rotation[3])
{
    const double sign = s->orientation[0][v] < 0.0 ? -1.0 : 1.0; /* the short way */
    double sine = 0.0;
    for (int i = 1; i < 4; i++) sine += s->orientation[i][v] * s->orientation[i][v];
    sine = sqrt(sine);
    const double angle = 2.0 * atan2(sine, sign * s->orientation[0][v]);
    for (int i = 0; i < 3; i++)
        rotation[i] = sine > 0.0 ? sign * s->orientation[i + 1][v] * angle / sine : 0.0;
}

static vxe_result write_voxels(answer *a, vxe_error *error)
{
    const vxe_model_view *view = vxe_model_get(a->model);
    const vxe_voxels *voxels = NULL;
    vxe_result result = vxe_sim_voxels(a->sim, &voxels, error);
    if (result != VXE_OK) return result;
    const vxe_state *s = vxe_sim_state(a->sim);
    answer_file file;
    result = answer_file_open(a, "displacements.csv",
                              "i,j,k,material,x_m,y_m,z_m,displacement_x_m,displacement_y_m,displacement_z_m,"
                              "rotation_x_rad,rotation_y_rad,rotation_z_rad,"
                              "strain_x,strain_y,strain_z,stress_x_Pa,stress_y_Pa,stress_z_Pa,pressure_Pa,"
                              "contact_force_x_N,contact_force_y_N,"
                              "contact_force_z_N",
                              &file, error);
    if (result != VXE_OK) return result;
    for (int32_t v = 0; v < view->voxel_count; v++) {
        double rotation[3];
        rotation_of(s, v, rotation);
        for (int i = 0; i < 3; i++) answer_number(&file, view->cell[i][v]);
        answer_number(&file, view->material[v]);
        for (int i = 0; i < 3; i++) answer_number(&file, view->start[i][v]);
        for (int i = 0; i < 3; i++) answer_number(&file, s->position[i][v] - view->start[i][v]);
        for (int i = 0; i < 3; i++) answer_number(&file, rotation[i]);
        for (int i = 0; i < 3; i++) answer_number(&file, voxels->strain[i][v]);
        for (int i = 0; i < 3; i++) answer_number(&file, voxels->stress[i][v]);
        answer_number(&file, s->pressure[v]);
        for (int i = 0; i < 3; i++) answer_number(&file, s->contact_force[i][v]);
        answer_end_line(&file);
    }
    return answer_file_close(a, &file, error);
}

static vxe_result write_state(answer *a, vxe_error *error)
{
    char *path = NULL;
    const vxe_result result = answer_path(a, "state.vxck", &path, error);
    return result == VXE_OK ? answer_list(a, path, vxe_sim_save_file(a->sim, path, error)) : result;
}

static void fill_report(answer *a, const vxe_equilibrium *r)
{
    int32_t farthest = -1;
    const double displacement_max = vxe_sim_displacement_max(a->sim, &farthest);
    double center[3];
    char hash[17];
    vxe_sim_center_of_mass(a->sim, center);
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, vxe_sim_hash(a->sim));
    answer_set(a, "status", json_string(vxe_equilibrium_status_name(r->status)));
    answer_set(a, "message", cli_json_text(r->message));
    answer_set(a, "iterations", json_integer(r->iterations));
    answer_set(a, "load_steps", json_integer(r->load_steps));
    answer_set(a, "relaxation_steps", json_integer((json_int_t)r->relaxation_steps));
    answer_set(a, "change", cli_json_number(r->change));
    answer_set(a, "residual", cli_json_number(r->residual));
    answer_set(a, "elastic_energy", cli_json_number(r->energy));
    answer_set(a, "unstable_modes", json_integer(r->unstable_modes));
    answer_set(a, "floor_contacts", json_integer(r->touching));
    answer_set(a, "slipping", json_integer(r->slipping));
    answer_set(a, "displacement_max", cli_json_number(displacement_max));
    answer_set(a, "displacement_max_voxel", cli_json_voxel(a->model, farthest));
    answer_set(a, "strain_max", cli_json_number(vxe_sim_strain_max(a->sim)));
    answer_set(a, "center_of_mass", cli_json_vector(center));
    answer_set_regions(a, NULL);
    answer_set(a, "state_hash", json_string(hash));
    answer_set_cost(a, &r->cost);
}

static void print_table(const answer *a, const vxe_equilibrium *r)
{
    int32_t farthest = 0;
    const double displacement_max = vxe_sim_displacement_max(a->sim, &farthest);
    printf("%s: %s\n", a->options.scene, r->message);
    cli_print_row("displacement", "%s at most, of voxel %s", cli_quantity(displacement_max, "m").text,
                  answer_cell(a, farthest).text);
    cli_print_row("strain", "%.4g at most", vxe_sim_strain_max(a->sim));
    cli_print_row("energy", "%s", cli_quantity(r->energy, "J").text);
    cli_print_row("unbalanced", "%.2g of the largest force", r->residual);
    if (r->touching > 0) cli_print_row("floor", "%d voxels touch it", (int)r->touching);
    answer_region_rows(a, NULL);
    answer_cost_row(a, &r->cost);
}

static vxe_result find(answer *a, vxe_error *error)
{
    const answer_options *options = &a->options;
    vxe_equilibrium report;
    vxe_equilibrium_def def = vxe_default_equilibrium_def();
    def.solver = options->solver;
    def.time = options->time;
    def.leave_unstable = !options->keep_unstable;
    if (options->tolerance > 0.0) def.tolerance = options->tolerance;
    if (options->slide) def.grip = VXE_FLOOR_SLIDE;
    if (options->relax >= 0) def.relaxation_max = options->relax;
    vxe_result result = vxe_solve_equilibrium(a->sim, &def, &report, error);
    a->wall = cli_clock() - a->begun;
    if (result != VXE_OK) return result;
    fill_report(a, &report);
    if (a->folder != NULL) result = write_voxels(a, error);
    if (result == VXE_OK && a->folder != NULL) result = write_state(a, error);
    if (result == VXE_OK && !options->json) print_table(a, &report);
    return result;
}

int cli_command_equilibrium(int count, char **arguments)
{
    return answer_command("equilibrium", MASK, cli_help_equilibrium, count, arguments, find);
}
