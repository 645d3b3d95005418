/* Called by the name of another program (a link to voxelastic): evosoro's `voxelyze` and voxcraft's
 * `voxcraft-sim`, with their options, exit codes and files, so that scripts that call them go on working. */
#include "cli/peers.h"
#include "cli/run.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* ---- voxelyze ------------------------------------------------------------------------------------------------------ */

/* evosoro's engine ends with 1 when all went well and with 0 when it could not begin. */
enum { VOXELYZE_DONE = 1, VOXELYZE_NOTHING = 0 };

typedef struct voxelyze {
    vxe_scene *scene;
    vxe_model *model;
    vxe_sim *sim;
    vxe_observer *observer;
    bool print;
} voxelyze;

/* A line for those who watch: as many numbers as its own has. */
static void print_line(const voxelyze *v)
{
    double center[3];
    vxe_sim_center_of_mass(v->sim, center);
    const vxe_signal_def *signal = vxe_scene_signal(v->scene, 0);
    printf("Time: %g\tCM: %g\tscale: %g\tTempAmp: %g\tTempPer: %g\tphaseOffset: %g\n", vxe_sim_time(v->sim),
           sqrt(center[0] * center[0] + center[1] * center[1] + center[2] * center[2]),
           1.0 + vxe_sim_state(v->sim)->growth[0], signal == NULL ? 0.0 : signal->amplitude,
           signal == NULL ? 0.0 : signal->period, vxe_scene_actuation(v->scene, 0, 0, 0).phase);
}

/* Steps to the end; the observer never misses its moments. */
static vxe_result step_all(voxelyze *v, vxe_error *error)
{
    const vxe_stop stop = vxe_scene_stop(v->scene);
    vxe_result result = VXE_OK;
    int64_t next_line = 100;
    while (result == VXE_OK) {
        const double next = vxe_observer_next(v->observer);
        const double steps = 0.5 * (next - vxe_sim_time(v->sim)) / vxe_sim_time_step(v->sim).dt;
        const int64_t most = v->print ? next_line - vxe_sim_state(v->sim)->step : 1000;
        const int64_t count = !(steps > 1.0) ? 1 : steps < (double)most ? (int64_t)steps : most;
        const vxe_run_reason reason = vxe_sim_run(v->sim, &stop, count);
        if (v->print && vxe_sim_state(v->sim)->step >= next_line) {
            print_line(v);
            next_line += 100;
        }
        if (reason != VXE_RUN_STEPS) break;
        if (vxe_sim_time(v->sim) >= next) result = vxe_observer_look(v->observer, v->sim, error);
    }
    return result == VXE_OK ? vxe_observer_finish(v->observer, v->sim, error) : result;
}

static vxe_result run_file(voxelyze *v, const char *path, bool *begun, vxe_error *error)
{
    vxe_sim_def def = vxe_default_sim_def();
    vxe_result result = cli_load_scene(path, VXE_DIALECT_EVOSORO, &v->scene, NULL, error);
    vxe_stop stop = {.steps = 0};
    if (result == VXE_OK) {
        stop = vxe_scene_stop(v->scene);
        result = cli_check_stop(&stop, path, error);
    }
    if (result == VXE_OK) {
        def.audit = stop.energy_change > 0.0; /* nobody sees the account otherwise */
        result = cli_scene_as_original(v->scene, &def, error);
    }
    if (result == VXE_OK) result = vxe_compile(v->scene, &v->model, error);
    if (result == VXE_OK) result = vxe_sim_create(v->model, &def, &v->sim, error);
    if (result == VXE_OK) result = vxe_observer_create(v->scene, v->sim, NULL, &v->observer, error);
    if (result != VXE_OK) return result;
    *begun = true;
    result = step_all(v, error);
    const vxe_experiment e = vxe_scene_experiment(v->scene);
    const char *file = e.result_path[0] != '\0' ? e.result_path : e.result_file;
    if (result == VXE_OK && file[0] != '\0') {
        vxe_remove_leftovers(file);
        result = vxe_observer_save_evosoro(v->observer, file, error);
    }
    if (result == VXE_OK && vxe_sim_status(v->sim)->fault != VXE_FAULT_NONE) {
        cli_complain("%s: the simulation failed: %s", path, vxe_sim_status(v->sim)->message);
    }
    return result;
}

static int command_voxelyze(int count, char **arguments)
{
    const char *path = NULL;
    voxelyze v = {.print = false};
    for (int i = 0; i < count; i++) {
        if (strcmp(arguments[i], "-f") == 0 && i + 1 < count) {
            path = arguments[++i];
        } else if (strcmp(arguments[i], "-p") == 0) {
            v.print = true;
        } else if (strcmp(arguments[i], "--computeShapeDescriptors") != 0) {
            cli_complain("voxelyze: \"%s\" is not one of -f FILE, -p, --computeShapeDescriptors",
                         arguments[i]);
        }
    }
    if (path == NULL) {
        printf("Input file required. Quitting.\n");
        return VOXELYZE_NOTHING;
    }
    vxe_error error = {VXE_OK, ""};
    bool begun = false;
    if (run_file(&v, path, &begun, &error) != VXE_OK) {
        cli_complain("%s", error.message);
    } else if (v.print) {
        printf("Ended at: %g\n", vxe_sim_time(v.sim));
    }
    vxe_observer_destroy(v.observer);
    vxe_sim_destroy(v.sim);
    vxe_model_destroy(v.model);
    vxe_scene_destroy(v.scene);
    (void)cli_finish_output(CLI_DONE);
    return begun ? VOXELYZE_DONE : VOXELYZE_NOTHING;
}

/* ---- voxcraft-sim -------------------------------------------------------------------------------------------------- */

static int help_voxcraft(void)
{
    printf("Usage: voxcraft-sim -i FOLDER [-o REPORT] [-f]\n"
           "\n"
           "Runs every overlay (.vxd) on the base.vxa of a folder.\n"
           "\n"
           "  -i FOLDER   with base.vxa and overlays\n"
           "  -o REPORT   file for the report\n"
           "  -f          replace the report if it is there\n"
           "  -w, -l, -n  are accepted and mean nothing here\n"
           "\n"
           "Histories that the files ask for go to standard output.\n");
    (void)cli_finish_output(CLI_DONE);
    return 1;
}

static int command_voxcraft(int count, char **arguments)
{
    run_options options = {.sim = vxe_default_sim_def(),
                           .dialect = VXE_DIALECT_VOXCRAFT,
                           .original = true,
                           .no_replay = true,
                           .quiet = true,
                           .print_history = true};
    bool force = false;
    for (int i = 0; i < count; i++) {
        const char *item = arguments[i];
        const bool last = i + 1 == count;
        if ((strcmp(item, "-i") == 0 || strcmp(item, "--input") == 0) && !last) {
            options.scene = arguments[++i];
        } else if ((strcmp(item, "-o") == 0 || strcmp(item, "--output") == 0) && !last) {
            options.report_file = arguments[++i];
        } else if (strcmp(item, "-f") == 0 || strcmp(item, "--force") == 0) {
            force = true;
        } else if ((strcmp(item, "-w") == 0 || strcmp(item, "--worker") == 0 || strcmp(item, "-n") == 0) &&
                   !last) {
            i++;
        } else if (strcmp(item, "-l") != 0 && strcmp(item, "--locally") != 0) {
            if (strcmp(item, "-h") != 0 && strcmp(item, "--help") != 0) {
                cli_complain("voxcraft-sim: \"%s\" is not understood", item);
            }
            return help_voxcraft();
        }
    }
    if (options.scene == NULL || !vxe_overlay_folder(options.scene)) {
        cli_complain("voxcraft-sim: %s", options.scene == NULL ? "-i FOLDER is missing"
                                                               : "there is no base.vxa in the folder of -i");
        return help_voxcraft();
    }
    struct stat info;
    if (options.report_file != NULL && stat(options.report_file, &info) == 0 && !force) {
        printf("Error: output file exists.\n");
        cli_complain("%s: is there already; -f replaces it", options.report_file);
        return 1;
    }
    (void)cli_run_folder(&options); /* what went wrong is in the report and has been told */
    return 0;
}

bool cli_peer(const char *program, int count, char **arguments, int *status)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash == NULL ? program : slash + 1;
    if (strcmp(name, "voxelyze") == 0) {
        *status = command_voxelyze(count, arguments);
        return true;
    }
    if (strcmp(name, "voxcraft-sim") == 0) {
        *status = command_voxcraft(count, arguments);
        return true;
    }
    return false;
}
