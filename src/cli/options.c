/* Options: the parser, strict numbers, and the table of `run` (shared with `demo`). */
#include "cli/options.h"
#include "cli/frames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMN = 26, HELP_WIDTH = 72 };

/* Where the parser stands. */
typedef struct cli_arguments {
    const cli_syntax *syntax;
    int count;
    char **items;
    int next;
    const char *cluster; /* rest of a group of letters such as -qo */
    bool only_operands;  /* after "--" */
} cli_arguments;

enum { ARGUMENTS_END = -1, ARGUMENTS_OPERAND = -2, ARGUMENTS_WRONG = -3 };

/* The option that `text` (up to its `length`) names; ARGUMENTS_WRONG after a message. */
static int find_option(const cli_syntax *s, const char *text, size_t length)
{
    const char *names[64];
    char name[64];
    for (int i = 0; i < s->option_count; i++) {
        names[i] = s->options[i].name;
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0) return i;
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    cli_complain_name(name, names, (size_t)s->option_count, "", "%s: unknown option \"%s\"", s->command,
                      name);
    return ARGUMENTS_WRONG;
}

static int take_long(cli_arguments *a, const char *item, const char **value)
{
    const char *equals = strchr(item, '=');
    const size_t length = equals == NULL ? strlen(item) : (size_t)(equals - item);
    const int number = find_option(a->syntax, item, length);
    if (number < 0) return number;
    const cli_option *option = &a->syntax->options[number];
    if (option->value == NULL) {
        if (equals == NULL) return number;
        cli_complain("%s: %s takes no value", a->syntax->command, option->name);
        return ARGUMENTS_WRONG;
    }
    if (equals == NULL && a->next >= a->count) {
        cli_complain("%s: %s needs a value: %s %s", a->syntax->command, option->name, option->name,
                     option->value);
        return ARGUMENTS_WRONG;
    }
    *value = equals != NULL ? equals + 1 : a->items[a->next++];
    return number;
}

static int take_letter(cli_arguments *a, const char **value)
{
    const cli_syntax *s = a->syntax;
    const char letter = *a->cluster++;
    int i = 0;
    while (i < s->option_count && s->options[i].letter != letter) i++;
    if (i == s->option_count) {
        cli_complain("%s: unknown option \"-%c\"", s->command, letter);
        return ARGUMENTS_WRONG;
    }
    if (s->options[i].value == NULL) return i;
    if (*a->cluster != '\0') {
        *value = a->cluster;
        a->cluster = "";
        return i;
    }
    if (a->next >= a->count) {
        cli_complain("%s: -%c needs a value: -%c %s", s->command, letter, letter, s->options[i].value);
        return ARGUMENTS_WRONG;
    }
    *value = a->items[a->next++];
    return i;
}

/* The next argument: the number of an option in the table (its value in *value), ARGUMENTS_OPERAND (itself in
 * *value), ARGUMENTS_END, or ARGUMENTS_WRONG after a message. */
static int next_argument(cli_arguments *a, const char **value)
{
    *value = "";
    if (a->cluster != NULL && *a->cluster != '\0') return take_letter(a, value);
    if (a->next >= a->count) return ARGUMENTS_END;
    const char *item = a->items[a->next++];
    if (a->only_operands || item[0] != '-' || item[1] == '\0') {
        *value = item;
        return ARGUMENTS_OPERAND;
    }
    if (strcmp(item, "--") == 0) {
        a->only_operands = true;
        return next_argument(a, value);
    }
    if (item[1] == '-') return take_long(a, item, value);
    a->cluster = item + 1;
    return take_letter(a, value);
}

/* Prints text in lines of at most HELP_WIDTH, the following ones indented to HELP_COLUMN. */
static void print_wrapped(const char *text)
{
    while (strlen(text) > HELP_WIDTH) {
        size_t length = HELP_WIDTH;
        while (length > 0 && text[length] != ' ') length--;
        printf("%.*s\n%*s", (int)length, text, HELP_COLUMN, "");
        text += length + 1;
    }
    printf("%s\n", text);
}

void cli_print_options(const cli_option *options, int option_count)
{
    for (int i = 0; i < option_count; i++) {
        char left[64];
        const char *value = options[i].value == NULL ? "" : options[i].value;
        const char *space = options[i].value == NULL ? "" : " ";
        if (options[i].letter != 0) {
            (void)snprintf(left, sizeof left, "-%c, %s%s%s", options[i].letter, options[i].name, space,
                           value);
        } else {
            (void)snprintf(left, sizeof left, "    %s%s%s", options[i].name, space, value);
        }
        if (strlen(left) + 4 > HELP_COLUMN) {
            printf("  %s%s%s\n%*s", cli_style(stdout, CLI_STYLE_NAME), left,
                   cli_style(stdout, CLI_STYLE_PLAIN), HELP_COLUMN, "");
        } else {
            printf("  %s%-*s%s", cli_style(stdout, CLI_STYLE_NAME), HELP_COLUMN - 2, left,
                   cli_style(stdout, CLI_STYLE_PLAIN));
        }
        print_wrapped(options[i].help);
    }
}

bool cli_parse_positive(const char *option, const char *text, double *value)
{
    char *end = NULL;
    /* strtod also takes spaces, hexadecimal, "inf" and "nan": those are refused here. */
    if (text[0] == '\0' || strspn(text, "0123456789+-.eE") != strlen(text))
        return cli_complain("%s: \"%s\" is not a number", option, text);
    const double number = strtod(text, &end);
    if (*end != '\0' || end == text) return cli_complain("%s: \"%s\" is not a number", option, text);
    if (!isfinite(number)) return cli_complain("%s: %s is too large", option, text);
    if (number <= 0.0) return cli_complain("%s: %s is not greater than 0", option, text);
    *value = number;
    return true;
}

bool cli_parse_count(const char *option, const char *text, int64_t *value)
{
    const char *digits = text + (text[0] == '-' || text[0] == '+' ? 1 : 0);
    if (*digits == '\0' || strspn(digits, "0123456789") != strlen(digits))
        return cli_complain("%s: \"%s\" is not a whole number", option, text);
    errno = 0;
    const long long number = strtoll(text, NULL, 10);
    if (number <= 0) return cli_complain("%s: %s is not greater than 0", option, text);
    if (errno == ERANGE) return cli_complain("%s: %s is too large", option, text);
    *value = number;
    return true;
}

enum { CHOICES_MAX = 16 }; /* words of an option */

bool cli_parse_choice(const char *option, const char *text, const vxe_choice *choices, void *value)
{
    int found = 0;
    if (vxe_choice_find(choices, text, &found)) {
        memcpy(value, &found, sizeof found);
        return true;
    }
    const char *names[CHOICES_MAX];
    char list[256] = "";
    size_t count = 0;
    for (; choices[count].word != NULL && count < CHOICES_MAX; count++) {
        names[count] = choices[count].word;
        vxe_append(list, sizeof list, "%s%s", count > 0 ? ", " : "", names[count]);
    }
    cli_complain_name(text, names, count, "", "%s: \"%s\" is not one of %s", option, text, list);
    return false;
}

static bool parse_threads(const char *text, int32_t *threads)
{
    int64_t count = 0;
    if (!cli_parse_count("--threads", text, &count)) return false;
    if (count > VXE_THREADS_MAX)
        return cli_complain("--threads: %s is greater than %d", text, VXE_THREADS_MAX);
    *threads = (int32_t)count;
    return true;
}

static bool parse_fraction(const char *text, double *fraction)
{
    if (!cli_parse_positive("--dt-fraction", text, fraction)) return false;
    if (*fraction > VXE_DT_FRACTION_MAX)
        return cli_complain("--dt-fraction: %s is greater than %g: the simulation would not always be stable",
                            text, VXE_DT_FRACTION_MAX);
    return true;
}

static bool parse_name(const char *option, const char *text, const char **value)
{
    if (text[0] == '\0') return cli_complain("%s: an empty name", option);
    *value = text;
    return true;
}

/* Takes one option; false after a message. */
static bool take_option(const cli_option *o, const char *value, void *options)
{
    void *at = (char *)options + o->place;
    switch (o->kind) {
    case CLI_FOR_HELP: return true;
    case CLI_FLAG: *(bool *)at = true; return true;
    case CLI_FLAG_OFF: *(bool *)at = false; return true;
    case CLI_TEXT: *(const char **)at = value; return true;
    case CLI_NAME: return parse_name(o->name, value, at);
    case CLI_POSITIVE: return cli_parse_positive(o->name, value, at);
    case CLI_TIME:
        *(double *)at = 0.0;
        return strcmp(value, "0") == 0 || cli_parse_positive(o->name, value, at);
    case CLI_COUNT: return cli_parse_count(o->name, value, at);
    case CLI_THREADS: return parse_threads(value, at);
    case CLI_FRACTION: return parse_fraction(value, at);
    case CLI_WORD: return cli_parse_choice(o->name, value, o->words, at);
    case CLI_OTHER: break;
    }
    return o->take(value, options);
}

int cli_parse(const cli_syntax *syntax, int count, char **arguments, void *options)
{
    cli_arguments a = {.syntax = syntax, .count = count, .items = arguments};
    for (;;) {
        const char *value = "";
        const int number = next_argument(&a, &value);
        if (number == ARGUMENTS_END) return CLI_GO_ON;
        if (number == ARGUMENTS_WRONG) return cli_point_to_help(syntax->command);
        if (number == ARGUMENTS_OPERAND) {
            const int status = syntax->operand(syntax->command, value, options);
            if (status != CLI_DONE) return status;
        } else if (syntax->options[number].kind == CLI_FOR_HELP) {
            syntax->help();
            return cli_finish_output(CLI_DONE);
        } else if (!take_option(&syntax->options[number], value, options)) {
            return syntax->points ? cli_point_to_help(syntax->command) : CLI_BAD_INPUT;
        }
    }
}

int cli_take_scene(const char *command, const char *value, void *options)
{
    const char **scene = options;
    if (*scene != NULL) return cli_misuse(command, "one scene at a time: \"%s\" after \"%s\"", value, *scene);
    *scene = value;
    return CLI_DONE;
}

int cli_need_scene(const char *command, const char *scene)
{
    if (scene != NULL) return CLI_GO_ON;
    return cli_misuse(command, "which scene? A file, or - for standard input");
}

/* --- the options of run --- */

static bool take_collisions(const char *value, void *options)
{
    run_options *o = options;
    o->has_collisions = true;
    return cli_parse_choice("--collisions", value, vxe_collisions_words, &o->collisions);
}

static bool take_frames(const char *value, void *options)
{
    return cli_parse_frames(value, &((run_options *)options)->frames);
}

#define TO(kind, member) CLI_TO(kind, run_options, member)
#define WORDS(member, words) CLI_WORDS(run_options, member, words)
static const cli_option run_table[] = {
    {"--output", 'o', "DIR",
     "write report.html and replay.html (for any browser), summary.json, trace.csv and state.vxck into this "
     "folder, which is made if it is not there",
     TO(NAME, folder)},
    {"--time", 0, "S", "stop at this time, in simulated seconds, instead of the scene's stop condition",
     TO(POSITIVE, time)},
    {"--steps", 0, "N", "stop after this many steps, instead of the scene's stop condition",
     TO(COUNT, steps)},
    {"--precision", 0, "NAME",
     "arithmetic: double (the default), fast (double with fused operations, not the same bits on every "
     "machine) or single (positions in double)",
     WORDS(sim.precision, vxe_precisions)},
    {"--isa", 0, "NAME",
     "instructions: auto (the default: the widest this machine has), plain, portable, avx2 or avx512",
     WORDS(sim.isa, vxe_isas)},
    {"--device", 0, "NAME",
     "where steps are computed, with the same bits: cpu (the default), cuda (an NVIDIA GPU) or auto (a GPU, "
     "if there is one); on a GPU there is no energy account",
     WORDS(sim.device, vxe_devices)},
    {"--threads", 0, "N", "threads (default: as many as the body is worth); results do not depend on it",
     TO(THREADS, sim.threads)},
    {"--dt-fraction", 0, "F", "part of the largest stable time step to use, up to 0.9 (the default)",
     TO(FRACTION, sim.dt_fraction)},
    {"--bond-damping", 0, "NAME",
     "explicit (short steps), implicit (longer ones, more work in each) or auto (the default: implicit where "
     "that allows steps more than 1.5 times as long)",
     WORDS(sim.bond_damping, vxe_bond_dampings)},
    {"--collisions", 0, "SCHEME",
     "how voxels find out that they touch: off, grid, all_every, surface_every, all_horizon or "
     "surface_horizon, instead of the scene's",
     CLI_BY(take_collisions)},
    CLI_DIALECT_ROW(run_options, dialect),
    {"--as-original", 0, NULL,
     "a file of evosoro or voxcraft: as under the name of its program (voxelyze, voxcraft-sim), in shorter "
     "steps and with evosoro's links, which do not keep angular momentum: nearer to what that program does, "
     "at half the speed",
     TO(FLAG, original)},
    {"--trace", 0, "NAMES",
     "quantities of the trace, separated by commas, or by semicolons; a wrong name lists the right ones",
     TO(NAME, trace)},
    {"--every", 0, "S",
     "simulated seconds between rows of the trace (default: the scene's, or 25 steps, but 200 to 1000 rows "
     "in all)",
     TO(POSITIVE, every)},
    {"--write", 0, "KINDS",
     "files of all voxels, separated by commas: vtu (ParaView), npz (NumPy), csv, and the deformed surface "
     "as stl, obj, ply",
     CLI_BY(take_frames)},
    {"--write-every", 0, "S",
     "simulated seconds between the frames of --write (default: a fiftieth of the run)",
     TO(POSITIVE, frames_every)},
    {"--checkpoint", 0, "FILE", "write the checkpoint here (default: state.vxck in the folder of -o)",
     TO(NAME, checkpoint)},
    {"--checkpoint-every", 0, "S",
     "simulated seconds between checkpoints (default: the scene's, or only at the end)",
     TO(POSITIVE, checkpoint_every)},
    {"--resume", 0, "FILE", "go on from a checkpoint of the same scene and settings", TO(NAME, resume)},
    {"--no-audit", 0, NULL, "do not keep the energy account: steps take 0.7 to 0.9 of the time",
     TO(FLAG_OFF, sim.audit)},
    {"--no-replay", 0, NULL, "do not write replay.html", TO(FLAG, no_replay)},
    {"--outputs-anywhere", 0, NULL,
     "write evosoro's fitness file exactly where the scene says, absolute paths and .. included, seen from "
     "the current folder",
     TO(FLAG, anywhere)},
    {"--report", 0, NULL, "write report.html also with --quiet or --json, where nobody seems to look",
     TO(FLAG, report)},
    {"--no-report", 0, NULL, "do not write report.html", TO(FLAG, no_report)},
    {"--json", 0, NULL, "print the summary as one JSON object on standard output, and nothing else there",
     TO(FLAG, json)},
    {"--quiet", 'q', NULL, "no progress bar and no table", TO(FLAG, quiet)},
    CLI_HELP_ROW("this text"),
};
#undef TO
#undef WORDS
enum { RUN_OPTION_COUNT = sizeof run_table / sizeof run_table[0] };

void cli_print_run_options(void) { cli_print_options(run_table, RUN_OPTION_COUNT); }

void cli_settle_device(vxe_sim_def *def)
{
    vxe_gpu_info gpu;
    vxe_error none;
    if (def->device == VXE_DEVICE_AUTO)
        def->device = vxe_gpu_describe(&gpu, &none) == VXE_OK ? VXE_DEVICE_CUDA : VXE_DEVICE_CPU;
    if (def->device != VXE_DEVICE_CPU) def->audit = false;
}

int cli_parse_run(const char *command, void (*help)(void), int count, char **arguments, run_options *options)
{
    const cli_syntax syntax = {command, help, run_table, RUN_OPTION_COUNT, cli_take_scene, false};
    *options = (run_options){.sim = vxe_default_sim_def()};
    const int status = cli_parse(&syntax, count, arguments, options);
    if (status == CLI_GO_ON) cli_settle_device(&options->sim);
    return status;
}
