/* Options of a command: a table that gives both the parser and the help text, and the options of `run`. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli/cli.h"
#include "scene/choices.h"
#include "sim/choices.h"

/* How the value of an option is read, and what it becomes in the struct of a command's options. */
typedef enum cli_option_kind {
    CLI_FOR_HELP, /* no value; ends the reading */
    CLI_FLAG,     /* no value: bool, true */
    CLI_FLAG_OFF, /* no value: bool, false */
    CLI_TEXT,     /* const char *: the value itself */
    CLI_NAME,     /* likewise, not empty */
    CLI_POSITIVE, /* double, > 0 */
    CLI_TIME,     /* double, > 0, or "0" */
    CLI_COUNT,    /* int64_t, whole, > 0 */
    CLI_THREADS,  /* int32_t: a number of threads */
    CLI_FRACTION, /* double: part of the largest stable time step */
    CLI_WORD,     /* an enumeration: one of the words */
    CLI_OTHER     /* whatever `take` makes of it */
} cli_option_kind;

/* Takes a value into the struct of options; false after a message. */
typedef bool cli_take(const char *value, void *options);

/* One option. */
typedef struct cli_option {
    const char *name;  /* with its dashes: "--time" */
    char letter;       /* 'o' for -o; 0: none */
    const char *value; /* what its value is called in the help; NULL: it has none */
    const char *help;
    cli_option_kind kind;
    unsigned place; /* in the struct of options */
    const vxe_choice *words;
    cli_take *take;
} cli_option;

/* The end of a row: where a value goes, one of `words`, or a function that takes it. */
#define CLI_TO(kind, type, member) CLI_##kind, (unsigned)offsetof(type, member), NULL, NULL
#define CLI_WORDS(type, member, words) CLI_WORD, (unsigned)offsetof(type, member), words, NULL
#define CLI_BY(take) CLI_OTHER, 0, NULL, take
/* Rows that many commands have. */
#define CLI_HELP_ROW(text)                                                                                   \
    {                                                                                                        \
        "--help", 'h', NULL, text, CLI_FOR_HELP, 0, NULL, NULL                                               \
    }
#define CLI_JSON_ROW(type)                                                                                   \
    {                                                                                                        \
        "--json", 0, NULL, CLI_JSON_HELP, CLI_TO(FLAG, type, json)                                           \
    }
#define CLI_DIALECT_ROW(type, member)                                                                        \
    {                                                                                                        \
        "--dialect", 0, "NAME", CLI_DIALECT_HELP, CLI_WORDS(type, member, cli_dialects)                      \
    }
#define CLI_JSON_HELP "print one JSON object on standard output, and nothing else there"
#define CLI_DIALECT_HELP                                                                                     \
    "whose rules a file of the VoxCAD family follows: auto (the default: told from its contents), evosoro, " \
    "voxcad or voxcraft"
extern const vxe_choice cli_dialects[];

/* How the arguments of a command are read. */
typedef struct cli_syntax {
    const char *command; /* for messages; help is that of its first word */
    void (*help)(void);
    const cli_option *options;
    int option_count;
    /* Takes what is no option; CLI_DONE, or the exit status after a message. */
    int (*operand)(const char *command, const char *value, void *options);
    bool points; /* to the help, after a wrong value */
} cli_syntax;

enum { CLI_GO_ON = -1 };

/* Reads all arguments into a struct of options. CLI_GO_ON, or the exit status: after a message, or because
 * help was asked for and printed. */
int cli_parse(const cli_syntax *syntax, int count, char **arguments, void *options);
/* An operand of options that begin with the scene; a complaint if there is none, as for cli_parse(). */
int cli_take_scene(const char *command, const char *value, void *options);
int cli_need_scene(const char *command, const char *scene);

/* Prints the options of a table, one per line, aligned. */
void cli_print_options(const cli_option *options, int option_count);

/* Values, read strictly: the whole text, nothing else, finite. They complain and return false for anything
 * wrong. */
bool cli_parse_positive(const char *option, const char *text, double *value); /* > 0 */
bool cli_parse_count(const char *option, const char *text, int64_t *value);   /* whole, > 0 */
/* One of the words of an option, into an enumeration. */
bool cli_parse_choice(const char *option, const char *text, const vxe_choice *choices, void *value);

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

/* Reads the arguments of `run` or `demo`, as cli_parse() does. */
int cli_parse_run(const char *command, void (*help)(void), int count, char **arguments, run_options *options);

/* `auto` becomes what there is; on a GPU without the energy account, which is kept by the CPU only. */
void cli_settle_device(vxe_sim_def *def);

/* The options of `run`, for its help. */
void cli_print_run_options(void);

#endif
