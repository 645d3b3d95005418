/* The command line: what its files share. Commands are listed in main.c; each gets its own arguments and
 * returns the exit status. Nothing here is global but the flag that a signal sets (interrupt.c). */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/base.h"
#include "voxelastic/voxelastic.h"

/* Exit statuses, the same for all commands. */
enum {
    CLI_DONE = 0,
    CLI_BAD_INPUT = 2,     /* bad usage, bad input, or a limit exceeded */
    CLI_DIVERGED = 3,      /* the simulation failed */
    CLI_FILE_PROBLEM = 4,  /* a file problem or a failed allocation */
    CLI_INTERRUPTED = 130, /* stopped by a signal, with everything saved */
};

/* The exit status for a result of the library. */
int cli_exit_status(vxe_result result);

/* Prints "voxelastic: MESSAGE" on standard error. Returns false. */
bool cli_complain(const char *format, ...) VXE_PRINTF(1, 2);
/* Likewise of the arguments of a command, "voxelastic: NAME: MESSAGE", and how to get help on it. Returns
 * CLI_BAD_INPUT. */
int cli_misuse(const char *name, const char *format, ...) VXE_PRINTF(2, 3);
int cli_point_to_help(const char *name);
/* Likewise of a name that is none of `names`: the message goes on with the one that was probably meant, or
 * with `otherwise`. */
void cli_complain_name(const char *name, const char *const *names, size_t count, const char *otherwise,
                       const char *format, ...) VXE_PRINTF(5, 6);

/* What turns a style on in a stream: an empty text unless it is a terminal and nobody set NO_COLOR. */
typedef enum cli_style_kind {
    CLI_STYLE_PLAIN,
    CLI_STYLE_BOLD,
    CLI_STYLE_NAME,
    CLI_STYLE_GOOD,
    CLI_STYLE_BAD,
    CLI_STYLE_DIM
} cli_style_kind;
const char *cli_style(FILE *stream, cli_style_kind kind);

/* Flushes standard output; a failure (a full disk, say) is reported and turns `status` into CLI_FILE_PROBLEM.
 */
int cli_finish_output(int status);

/* The commands: name, what it takes, what it does. */
#define CLI_COMMANDS(EACH)                                                                                   \
    EACH(run, "SCENE [options]", "simulate a scene")                                                         \
    EACH(batch, "INPUT -o STORE [options]", "run very many designs; also status, top, show, export, merge")  \
    EACH(info, "SCENE", "tell what is in a scene")                                                           \
    EACH(check, "SCENE", "tell whether a scene is valid")                                                    \
    EACH(convert, "IN OUT [options]", "write a scene in another format")                                     \
    EACH(voxelize, "FILE... -o SCENE", "make a scene from meshes, a grid or images")                         \
    EACH(demo, "[NAME] [options]", "list the built-in scenes, or run one")                                   \
    EACH(solve, "SCENE", "linear statics")                                                                   \
    EACH(equilibrium, "SCENE", "where a scene comes to rest")                                                \
    EACH(modes, "SCENE", "natural frequencies and shapes")                                                   \
    EACH(picture, "SOURCE [options]", "draw a scene, a checkpoint or a replay")                              \
    EACH(video, "SOURCE [options]", "film it: GIF, MP4 or a folder of PNG files")                            \
    EACH(studio, "[SCENE]", "edit and simulate in the browser")                                              \
    EACH(validate, "[CASE...]", "compare with reference cases")                                              \
    EACH(bench, "[CASE...] [options]", "measure speed")                                                      \
    EACH(devices, "", "list where steps can be computed")

/* cli_command_NAME: `count` and `arguments` are those after the command's name. cli_help_NAME: what
 * `voxelastic NAME --help` prints. */
#define CLI_DECLARE(name, operands, summary)                                                                 \
    int cli_command_##name(int count, char **arguments);                                                     \
    void cli_help_##name(void);
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

/* Reads the scene that SCENE names: a file of any format, or "-" for standard input (load.c). `notes` may be
 * NULL. */
/* VXE_ERROR_INPUT if nothing ever ends a run of the scene. */
vxe_result cli_check_stop(const vxe_stop *stop, const char *label, vxe_error *error);
vxe_result cli_load_scene(const char *path, vxe_dialect dialect, vxe_scene **scene, vxe_notes **notes,
                          vxe_error *error);
/* Replaces a scene by one of voxels so many times as large, if that was asked for (factor > 1). The report
 * may be NULL. */
vxe_result cli_coarsen(int64_t factor, vxe_scene **scene, vxe_coarsen_report *report, vxe_error *error);

/* A scene with all that is made of it before its first step: what these accept will run. */
typedef struct cli_subject {
    const char *label;
    vxe_notes *notes;
    vxe_scene *scene;
    vxe_model *model;
    vxe_sim *sim;
    vxe_trace *trace;
} cli_subject;
/* vxe_compile(), with the name of the file before its message. */
vxe_result cli_compile(const char *label, const vxe_scene *scene, vxe_model **model, vxe_error *error);
vxe_result cli_load_subject(cli_subject *s, const char *label, vxe_dialect dialect, vxe_error *error);
void cli_destroy_subject(cli_subject *s);

/* A scene that is part of the program; tools/embed.cmake makes the list from scenes/ *.json, ordered by name.
 */
typedef struct cli_demo {
    const char *name; /* the file's name without its extension */
    const unsigned char *text;
    size_t size;
} cli_demo;
extern const cli_demo cli_demos[];
extern const size_t cli_demo_count;
/* Reads one of them (cmd_demo.c). */
vxe_result cli_load_demo(const cli_demo *demo, vxe_scene **scene, vxe_error *error);

/* Interrupts (interrupt.c). SIGINT ends the program, also where a shell had it ignored. */
void cli_accept_interrupts(void);
/* From here on the first SIGINT or SIGTERM only makes cli_interrupted() true; a second one ends the program.
 */
void cli_catch_interrupts(void);
bool cli_interrupted(void);

/* Seconds on a clock that only goes forward. */
double cli_clock(void);

/* The trace of a run: the names of `list` (may be NULL), else those of the scene, else the standard ones.
 * `list` is split at semicolons if it has any, else at commas that a digit does not follow, so that
 * voxel:1,2,3.position stays whole. */
vxe_result cli_make_trace(const vxe_sim *sim, const vxe_scene *scene, const char *list, vxe_trace **trace,
                          vxe_error *error);

#endif
