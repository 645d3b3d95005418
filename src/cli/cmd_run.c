/* voxelastic run: simulate a scene. */
#include "cli/report.h"
#include "cli/run.h"

void cli_help_run(void)
{
    printf("Usage: voxelastic run SCENE [options]\n"
           "\n"
           "Simulates a scene until its stop condition. SCENE is a file of a known format\n"
           "(\"voxelastic convert --help\" lists them), or - for standard input.\n"
           "\n"
           "Options:\n");
    cli_print_run_options();
    printf(
        "\n"
        "SCENE may also be a folder with base.vxa and overlays (.vxd): each overlay is run, into a folder of "
        "its own below\n"
        "DIR, and DIR/report.vxr compares them in the form of voxcraft. Results that a scene asks for "
        "(evosoro's "
        "fitness\n"
        "file, a history) go into DIR; the fitness file into the current folder where there is no DIR.\n"
        "\n"
        "A run may be stopped by Ctrl-C at any time: it saves everything and can be resumed. Times and "
        "steps are\n"
        "counted from the start of the scene, also after --resume. Recording never changes the motion.\n"
        "\n"
        "Quantities of --trace:\n"
        "  center_of_mass momentum angular_momentum displacement_max strain_max speed_max dt contacts "
        "broken yielded\n"
        "  voxels bonds\n"
        "  energy, or one of energy.kinetic .elastic .gravity .total .load_work .actuation_work "
        ".motion_work\n"
        "          .dissipated .error\n"
        "  signal:NAME\n"
        "  region:NAME.displacement .reaction .reaction_moment\n"
        "  voxel:I,J,K.position .displacement .velocity .spin .orientation .force .contact_force .growth\n"
        "          .pressure .strain .stress\n"
        "\n"
        "Exit status: 0 done; 2 bad usage, bad input or a limit exceeded; 3 the simulation failed; 4 a "
        "file problem\n"
        "or not enough memory; 130 interrupted, with everything saved.\n"
        "\n"
        "Examples:\n"
        "  voxelastic run beam.json -o out\n"
        "  voxelastic run beam.json --time 0.5 -o out --trace "
        "'energy,region:tip.displacement,voxel:0,0,9.velocity'\n"
        "  voxelastic run beam.json -o out --resume out/state.vxck --time 2\n"
        "  voxelastic run beam.json --json | jq .state_hash\n");
}

int cli_command_run(int count, char **arguments)
{
    run_options options;
    int status = cli_parse_run("run", cli_help_run, count, arguments, &options);
    if (status == CLI_GO_ON) status = cli_need_scene("run", options.scene);
    if (status != CLI_GO_ON) return status;
    cli_catch_interrupts(); /* already while the scene is read */
    if (vxe_overlay_folder(options.scene)) return cli_run_folder(&options);
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    vxe_notes *notes = NULL;
    if (cli_load_scene(options.scene, options.dialect, &scene, &notes, &error) != VXE_OK) {
        return cli_fail(options.scene, options.json, &error);
    }
    run_kept kept = {.notes = notes};
    const int outcome = cli_run_and_keep(&options, scene, options.scene, &kept);
    cli_drop_run(&kept);
    vxe_notes_destroy(notes);
    vxe_scene_destroy(scene);
    return outcome;
}
