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

/* The commands. `count` and `arguments` are those after the command's name. */
int cli_command_run(int count, char **arguments);
int cli_command_batch(int count, char **arguments);
int cli_command_info(int count, char **arguments);
int cli_command_check(int count, char **arguments);
int cli_command_convert(int count, char **arguments);
int cli_command_voxelize(int count, char **arguments);
int cli_command_demo(int count, char **arguments);
int cli_command_solve(int count, char **arguments);
int cli_command_equilibrium(int count, char **arguments);
int cli_command_modes(int count, char **arguments);
int cli_command_picture(int count, char **arguments);
int cli_command_video(int count, char **arguments);
int cli_command_studio(int count, char **arguments);
int cli_command_validate(int count, char **arguments);
int cli_command_bench(int count, char **arguments);
int cli_command_devices(int count, char **arguments);

/* What `voxelastic COMMAND --help` prints. */
void cli_help_run(void);
void cli_help_batch(void);
void cli_help_info(void);
void cli_help_check(void);
void cli_help_convert(void);
void cli_help_voxelize(void);
void cli_help_demo(void);
void cli_help_solve(void);
void cli_help_equilibrium(void);
void cli_help_modes(void);
void cli_help_picture(void);
void cli_help_video(void);
void cli_help_studio(void);
void cli_help_validate(void);
void cli_help_bench(void);
void cli_help_devices(void);

/* Reads the scene that SCENE names: a file of any format, or "-" for standard input (load.c). `notes` may be
 * NULL. */
/* VXE_ERROR_INPUT if nothing ever ends a run of the scene. */
vxe_result cli_check_stop(const vxe_stop *stop, const char *label, vxe_error *error);
vxe_result cli_load_scene(const char *path, vxe_dialect dialect, vxe_scene **scene, vxe_notes **notes,
                          vxe_error *error);

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
