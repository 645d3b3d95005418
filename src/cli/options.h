/* Options of a command: a table that gives both the parser and the help text, and the options of `run`. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/cli.h"

/* One option. */
typedef struct cli_option {
    const char *name;  /* with its dashes: "--time" */
    char letter;       /* 'o' for -o; 0: none */
    const char *value; /* what its value is called in the help; NULL: it has none */
    const char *help;
} cli_option;

/* Where the parser stands. */
typedef struct cli_arguments {
    const char *command; /* for messages */
    int count;
    char **items;
    int next;
    const char *cluster; /* rest of a group of letters such as -qo */
    bool only_operands;  /* after "--" */
} cli_arguments;

enum { CLI_END = -1, CLI_OPERAND = -2, CLI_WRONG = -3 };

/* The next argument: the number of an option in the table (its value in *value), CLI_OPERAND (itself in
 * *value), CLI_END, or CLI_WRONG after a message. */
int cli_next_argument(cli_arguments *arguments, const cli_option *options, int option_count,
                      const char **value);

/* Prints the options of a table, one per line, aligned. */
void cli_print_options(const cli_option *options, int option_count);

/* Says how to get help on a command, on standard error, and returns CLI_BAD_INPUT. */
int cli_point_to_help(const char *command);

/* Values, read strictly: the whole text, nothing else, finite. They complain and return false for anything
 * wrong. */
bool cli_parse_positive(const char *option, const char *text, double *value); /* > 0 */
bool cli_parse_count(const char *option, const char *text, int64_t *value);   /* whole, > 0 */

/* --dialect, the same wherever a scene is read. */
#define CLI_DIALECT_HELP                                                                                     \
    "whose rules a file of the VoxCAD family follows: auto (the default: told from its contents), evosoro, " \
    "voxcad or voxcraft"

/* What `run` and `demo` were asked for. */
typedef struct run_options {
    const char *scene;  /* SCENE, or the name of a demo; NULL: none given */
    const char *folder; /* -o; NULL: no files */
    double time;        /* s; 0: not given */
    int64_t steps;      /* 0: not given */
    vxe_sim_def sim;
    bool has_collisions;
    vxe_collisions collisions;
    vxe_dialect dialect;     /* of files of the VoxCAD family */
    const char *trace;       /* NULL: the scene's */
    double every;            /* s; 0: the scene's */
    unsigned frames;         /* kinds of --write; 0: none */
    double frames_every;     /* s; 0: a fiftieth of the run */
    const char *checkpoint;  /* NULL: state.vxck in the folder, if there is one */
    double checkpoint_every; /* s; 0: the scene's */
    const char *resume;      /* NULL: from the start */
    bool no_replay;
    bool anywhere; /* results go where a file of another program says */
    bool original; /* steps and links as in the program that the file is for */
    bool report;   /* also if nobody seems to look */
    bool no_report;
    bool json;
    bool quiet;
    const char *report_file; /* of a folder's overlays; NULL: report.vxr in the folder of -o */
    bool print_history;      /* histories go to standard output */
} run_options;

/* Reads the arguments of `run` or `demo`. CLI_DONE, or CLI_BAD_INPUT after a message; *help: the help was
 * asked for. */
int cli_parse_run(const char *command, int count, char **arguments, run_options *options, bool *help);

/* How a collision scheme is called, here and in scene files. */
const char *cli_collisions_name(vxe_collisions scheme);

/* The names of --precision. */
const char *cli_precision_name(vxe_precision precision);
bool cli_parse_precision(const char *text, vxe_precision *precision);
/* Those of --device. */
bool cli_parse_device(const char *text, vxe_device *device);
/* `auto` becomes what there is; on a GPU without the energy account, which is kept by the CPU only. */
void cli_settle_device(vxe_sim_def *def);
const char *cli_device_name(vxe_device device);
/* A number of threads. */
bool cli_parse_threads(const char *text, int32_t *threads);
/* Of --collisions, --bond-damping and --dt-fraction. */
bool cli_parse_collisions(const char *text, vxe_collisions *scheme);
bool cli_parse_bond_damping(const char *text, vxe_bond_damping *damping);
bool cli_parse_fraction(const char *text, double *fraction);
/* And of --isa. */
bool cli_parse_isa(const char *text, vxe_isa *isa);

/* The options of `run`, for its help. */
void cli_print_run_options(void);

#endif
