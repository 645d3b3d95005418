/* Options: the parser, strict numbers, and the table of `run` (shared with `demo`). */
#include "cli/options.h"
#include "cli/frames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMN = 26, HELP_WIDTH = 72 };

int cli_point_to_help(const char *command)
{
    (void)fprintf(stderr, "Try \"voxelastic %s --help\".\n", command);
    return CLI_BAD_INPUT;
}

/* The option that `text` (up to its `length`) names; CLI_WRONG after a message. */
static int find_option(const char *command, const cli_option *options, int option_count, const char *text,
                       size_t length)
{
    const char *names[64];
    char name[64];
    for (int i = 0; i < option_count; i++) {
        names[i] = options[i].name;
        if (strlen(options[i].name) == length && strncmp(options[i].name, text, length) == 0) {
            return i;
        }
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    const char *nearest = vxe_nearest_name(name, names, (size_t)option_count);
    if (nearest != NULL) {
        cli_complain("%s: unknown option \"%s\"; did you mean \"%s\"?", command, name, nearest);
    } else {
        cli_complain("%s: unknown option \"%s\"", command, name);
    }
    return CLI_WRONG;
}

static int take_long(cli_arguments *a, const cli_option *options, int option_count, const char *item,
                     const char **value)
{
    const char *equals = strchr(item, '=');
    const size_t length = equals == NULL ? strlen(item) : (size_t)(equals - item);
    const int option = find_option(a->command, options, option_count, item, length);
    if (option < 0) {
        return option;
    }
    if (options[option].value == NULL) {
        if (equals != NULL) {
            cli_complain("%s: %s takes no value", a->command, options[option].name);
            return CLI_WRONG;
        }
        return option;
    }
    if (equals == NULL && a->next >= a->count) {
        cli_complain("%s: %s needs a value: %s %s", a->command, options[option].name, options[option].name,
                     options[option].value);
        return CLI_WRONG;
    }
    *value = equals != NULL ? equals + 1 : a->items[a->next++];
    return option;
}

static int take_letter(cli_arguments *a, const cli_option *options, int option_count, const char **value)
{
    const char letter = *a->cluster++;
    for (int i = 0; i < option_count; i++) {
        if (options[i].letter != letter) {
            continue;
        }
        if (options[i].value == NULL) {
            return i;
        }
        if (*a->cluster != '\0') {
            *value = a->cluster;
            a->cluster = "";
            return i;
        }
        if (a->next >= a->count) {
            cli_complain("%s: -%c needs a value: -%c %s", a->command, letter, letter, options[i].value);
            return CLI_WRONG;
        }
        *value = a->items[a->next++];
        return i;
    }
    cli_complain("%s: unknown option \"-%c\"", a->command, letter);
    return CLI_WRONG;
}

int cli_next_argument(cli_arguments *arguments, const cli_option *options, int option_count,
                      const char **value)
{
    *value = "";
    if (arguments->cluster != NULL && *arguments->cluster != '\0') {
        return take_letter(arguments, options, option_count, value);
    }
    if (arguments->next >= arguments->count) {
        return CLI_END;
    }
    const char *item = arguments->items[arguments->next++];
    if (arguments->only_operands || item[0] != '-' || item[1] == '\0') {
        *value = item;
        return CLI_OPERAND;
    }
    if (strcmp(item, "--") == 0) {
        arguments->only_operands = true;
        return cli_next_argument(arguments, options, option_count, value);
    }
    if (item[1] == '-') {
        return take_long(arguments, options, option_count, item, value);
    }
    arguments->cluster = item + 1;
    return take_letter(arguments, options, option_count, value);
}

/* Prints text in lines of at most HELP_WIDTH, the following ones indented to HELP_COLUMN. */
static void print_wrapped(const char *text)
{
    while (strlen(text) > HELP_WIDTH) {
        size_t length = HELP_WIDTH;
        while (length > 0 && text[length] != ' ') {
            length--;
        }
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
    if (text[0] == '\0' || strspn(text, "0123456789+-.eE") != strlen(text)) {
        cli_complain("%s: \"%s\" is not a number", option, text);
        return false;
    }
    const double number = strtod(text, &end);
    if (*end != '\0' || end == text) {
        cli_complain("%s: \"%s\" is not a number", option, text);
        return false;
    }
    if (!isfinite(number)) {
        cli_complain("%s: %s is too large", option, text);
        return false;
    }
    if (number <= 0.0) {
        cli_complain("%s: %s is not greater than 0", option, text);
        return false;
    }
    *value = number;
    return true;
}

bool cli_parse_count(const char *option, const char *text, int64_t *value)
{
    const char *digits = text + (text[0] == '-' || text[0] == '+' ? 1 : 0);
    if (*digits == '\0' || strspn(digits, "0123456789") != strlen(digits)) {
        cli_complain("%s: \"%s\" is not a whole number", option, text);
        return false;
    }
    errno = 0;
    const long long number = strtoll(text, NULL, 10);
    if (number <= 0) {
        cli_complain("%s: %s is not greater than 0", option, text);
        return false;
    }
    if (errno == ERANGE) {
        cli_complain("%s: %s is too large", option, text);
        return false;
    }
    *value = number;
    return true;
}

/* --- the options of run
 * ------------------------------------------------------------------------------------------------- */

enum {
    RUN_OUTPUT,
    RUN_TIME,
    RUN_STEPS,
    RUN_PRECISION,
    RUN_ISA,
    RUN_DEVICE,
    RUN_THREADS,
    RUN_DT_FRACTION,
    RUN_BOND_DAMPING,
    RUN_COLLISIONS,
    RUN_DIALECT,
    RUN_ORIGINAL,
    RUN_TRACE,
    RUN_EVERY,
    RUN_WRITE,
    RUN_WRITE_EVERY,
    RUN_CHECKPOINT,
    RUN_CHECKPOINT_EVERY,
    RUN_RESUME,
    RUN_NO_AUDIT,
    RUN_NO_REPLAY,
    RUN_ANYWHERE,
    RUN_REPORT,
    RUN_NO_REPORT,
    RUN_JSON,
    RUN_QUIET,
    RUN_HELP,
    RUN_OPTION_COUNT
};

static const cli_option run_table[RUN_OPTION_COUNT] = {
    [RUN_OUTPUT] =
        {"--output", 'o', "DIR",
         "write report.html and replay.html (for any browser), summary.json, trace.csv and state.vxck "
         "into this folder, "
         "which is made if it is not there"},
    [RUN_TIME] = {"--time", 0, "S",
                  "stop at this time, in simulated seconds, instead of the scene's stop condition"},
    [RUN_STEPS] = {"--steps", 0, "N", "stop after this many steps, instead of the scene's stop condition"},
    [RUN_PRECISION] =
        {"--precision", 0, "NAME",
         "arithmetic: double (the default), fast (double with fused operations, not the same bits on every "
         "machine) or single (positions in double)"},
    [RUN_ISA] =
        {"--isa", 0, "NAME",
         "instructions: auto (the default: the widest this machine has), plain, portable, avx2 or avx512"},
    [RUN_DEVICE] =
        {"--device", 0, "NAME",
         "where steps are computed, with the same bits: cpu (the default), cuda (an NVIDIA GPU) or "
         "auto (a GPU, if there is one); on a GPU there is no energy account"},
    [RUN_THREADS] = {"--threads", 0, "N",
                     "threads (default: as many as the body is worth); results do not depend on it"},
    [RUN_DT_FRACTION] = {"--dt-fraction", 0, "F",
                         "part of the largest stable time step to use, up to 0.9 (the default)"},
    [RUN_BOND_DAMPING] = {"--bond-damping", 0, "NAME",
                          "explicit (short steps), implicit (longer ones, more work in each) or auto (the "
                          "default: implicit where that allows steps more than 1.5 times as long)"},
    [RUN_COLLISIONS] =
        {"--collisions", 0, "SCHEME",
         "how voxels find out that they touch: off, grid, all_every, surface_every, all_horizon or "
         "surface_horizon, instead of the scene's"},
    [RUN_DIALECT] = {"--dialect", 0, "NAME", CLI_DIALECT_HELP},
    [RUN_ORIGINAL] = {"--as-original", 0, NULL,
                      "a file of evosoro or voxcraft: as under the name of its program (voxelyze, "
                      "voxcraft-sim), in shorter steps and with evosoro's links, which do not keep angular "
                      "momentum: nearer to what that program does, at half the speed"},
    [RUN_TRACE] =
        {"--trace", 0, "NAMES",
         "quantities of the trace, separated by commas, or by semicolons; a wrong name lists the right ones"},
    [RUN_EVERY] = {"--every", 0, "S",
                   "simulated seconds between rows of the trace (default: the scene's, or 25 steps, but "
                   "200 to 1000 rows in all)"},
    [RUN_WRITE] =
        {"--write", 0, "KINDS",
         "files of all voxels, separated by commas: vtu (ParaView), npz (NumPy), csv, and the deformed "
         "surface as stl, obj, ply"},
    [RUN_WRITE_EVERY] = {"--write-every", 0, "S",
                         "simulated seconds between the frames of --write (default: a fiftieth of the run)"},
    [RUN_CHECKPOINT] = {"--checkpoint", 0, "FILE",
                        "write the checkpoint here (default: state.vxck in the folder of -o)"},
    [RUN_CHECKPOINT_EVERY] =
        {"--checkpoint-every", 0, "S",
         "simulated seconds between checkpoints (default: the scene's, or only at the end)"},
    [RUN_RESUME] = {"--resume", 0, "FILE", "go on from a checkpoint of the same scene and settings"},
    [RUN_NO_AUDIT] = {"--no-audit", 0, NULL,
                      "do not keep the energy account: steps take 0.7 to 0.9 of the time"},
    [RUN_NO_REPLAY] = {"--no-replay", 0, NULL, "do not write replay.html"},
    [RUN_ANYWHERE] = {"--outputs-anywhere", 0, NULL,
                      "write evosoro's fitness file exactly where the scene says, absolute paths and .. "
                      "included, seen from the current folder"},
    [RUN_REPORT] = {"--report", 0, NULL,
                    "write report.html also with --quiet or --json, where nobody seems to look"},
    [RUN_NO_REPORT] = {"--no-report", 0, NULL, "do not write report.html"},
    [RUN_JSON] = {"--json", 0, NULL,
                  "print the summary as one JSON object on standard output, and nothing else there"},
    [RUN_QUIET] = {"--quiet", 'q', NULL, "no progress bar and no table"},
    [RUN_HELP] = {"--help", 'h', NULL, "this text"},
};

static const struct {
    const char *name;
    vxe_collisions scheme;
} schemes[] = {
    {"off", VXE_COLLISIONS_OFF},
    {"grid", VXE_COLLISIONS_GRID},
    {"all_every", VXE_COLLISIONS_ALL_EVERY},
    {"surface_every", VXE_COLLISIONS_SURFACE_EVERY},
    {"all_horizon", VXE_COLLISIONS_ALL_HORIZON},
    {"surface_horizon", VXE_COLLISIONS_SURFACE_HORIZON},
};

const char *cli_collisions_name(vxe_collisions scheme)
{
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (schemes[i].scheme == scheme) {
            return schemes[i].name;
        }
    }
    return "unknown";
}

void cli_print_run_options(void) { cli_print_options(run_table, RUN_OPTION_COUNT); }

bool cli_parse_collisions(const char *text, vxe_collisions *scheme)
{
    const char *names[sizeof schemes / sizeof schemes[0]];
    const size_t count = sizeof schemes / sizeof schemes[0];
    for (size_t i = 0; i < count; i++) {
        names[i] = schemes[i].name;
        if (strcmp(text, names[i]) == 0) {
            *scheme = schemes[i].scheme;
            return true;
        }
    }
    const char *nearest = vxe_nearest_name(text, names, count);
    cli_complain("--collisions: \"%s\" is not one of off, grid, all_every, surface_every, all_horizon, "
                 "surface_horizon%s%s%s",
                 text, nearest != NULL ? "; did you mean \"" : "", nearest != NULL ? nearest : "",
                 nearest != NULL ? "\"?" : "");
    return false;
}

static const struct {
    const char *name;
    vxe_precision precision;
} precisions[] = {
    {"double", VXE_PRECISION_DOUBLE}, {"fast", VXE_PRECISION_FAST}, {"single", VXE_PRECISION_SINGLE}};

const char *cli_precision_name(vxe_precision precision)
{
    for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++) {
        if (precisions[i].precision == precision) return precisions[i].name;
    }
    return "unknown";
}

bool cli_parse_precision(const char *text, vxe_precision *precision)
{
    for (size_t i = 0; i < sizeof precisions / sizeof precisions[0]; i++) {
        if (strcmp(text, precisions[i].name) == 0) {
            *precision = precisions[i].precision;
            return true;
        }
    }
    cli_complain("--precision: \"%s\" is not one of double, fast, single", text);
    return false;
}

void cli_settle_device(vxe_sim_def *def)
{
    vxe_gpu_info gpu;
    vxe_error none;
    if (def->device == VXE_DEVICE_AUTO)
        def->device = vxe_gpu_describe(&gpu, &none) == VXE_OK ? VXE_DEVICE_CUDA : VXE_DEVICE_CPU;
    if (def->device != VXE_DEVICE_CPU) def->audit = false;
}

const char *cli_device_name(vxe_device device)
{
    return device == VXE_DEVICE_CUDA ? "cuda" : device == VXE_DEVICE_EMULATED ? "emulated" : "cpu";
}

bool cli_parse_device(const char *text, vxe_device *device)
{
    static const struct {
        const char *name;
        vxe_device device;
    } names[] = {{"cpu", VXE_DEVICE_CPU},
                 {"cuda", VXE_DEVICE_CUDA},
                 {"auto", VXE_DEVICE_AUTO},
                 {"emulated", VXE_DEVICE_EMULATED}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i].name) == 0) {
            *device = names[i].device;
            return true;
        }
    }
    cli_complain("--device: \"%s\" is not one of cpu, cuda, auto, emulated", text);
    return false;
}

bool cli_parse_threads(const char *text, int32_t *threads)
{
    int64_t count = 0;
    if (!cli_parse_count("--threads", text, &count)) return false;
    if (count > VXE_THREADS_MAX) {
        cli_complain("--threads: %s is greater than %d", text, VXE_THREADS_MAX);
        return false;
    }
    *threads = (int32_t)count;
    return true;
}

bool cli_parse_isa(const char *text, vxe_isa *isa)
{
    static const struct {
        const char *name;
        vxe_isa isa;
    } names[] = {{"auto", VXE_ISA_AUTO},
                 {"plain", VXE_ISA_PLAIN},
                 {"portable", VXE_ISA_PORTABLE},
                 {"avx2", VXE_ISA_AVX2},
                 {"avx512", VXE_ISA_AVX512}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i].name) == 0) {
            *isa = names[i].isa;
            return true;
        }
    }
    cli_complain("--isa: \"%s\" is not one of auto, plain, portable, avx2, avx512", text);
    return false;
}

static const char *const bond_dampings[] = {[VXE_BOND_DAMPING_AUTO] = "auto",
                                            [VXE_BOND_DAMPING_EXPLICIT] = "explicit",
                                            [VXE_BOND_DAMPING_IMPLICIT] = "implicit"};

bool cli_parse_bond_damping(const char *text, vxe_bond_damping *damping)
{
    for (size_t i = 0; i < sizeof bond_dampings / sizeof bond_dampings[0]; i++) {
        if (strcmp(text, bond_dampings[i]) == 0) {
            *damping = (vxe_bond_damping)i;
            return true;
        }
    }
    cli_complain("--bond-damping: \"%s\" is not one of auto, explicit, implicit", text);
    return false;
}

bool cli_parse_fraction(const char *text, double *fraction)
{
    if (!cli_parse_positive("--dt-fraction", text, fraction)) {
        return false;
    }
    if (*fraction > VXE_DT_FRACTION_MAX) {
        cli_complain("--dt-fraction: %s is greater than %g: the simulation would not always be stable", text,
                     VXE_DT_FRACTION_MAX);
        return false;
    }
    return true;
}

static bool parse_name(const char *option, const char *text, const char **value)
{
    if (text[0] == '\0') {
        cli_complain("%s: an empty name", option);
        return false;
    }
    *value = text;
    return true;
}

/* Takes one option; false after a message. */
static bool take_run_option(int option, const char *value, run_options *o, bool *help)
{
    switch (option) {
    case RUN_OUTPUT: return parse_name("--output", value, &o->folder);
    case RUN_TIME: return cli_parse_positive("--time", value, &o->time);
    case RUN_STEPS: return cli_parse_count("--steps", value, &o->steps);
    case RUN_PRECISION: return cli_parse_precision(value, &o->sim.precision);
    case RUN_ISA: return cli_parse_isa(value, &o->sim.isa);
    case RUN_DEVICE: return cli_parse_device(value, &o->sim.device);
    case RUN_THREADS: return cli_parse_threads(value, &o->sim.threads);
    case RUN_DT_FRACTION: return cli_parse_fraction(value, &o->sim.dt_fraction);
    case RUN_BOND_DAMPING: return cli_parse_bond_damping(value, &o->sim.bond_damping);
    case RUN_COLLISIONS: o->has_collisions = true; return cli_parse_collisions(value, &o->collisions);
    case RUN_DIALECT: return cli_parse_dialect(value, &o->dialect);
    case RUN_ORIGINAL: o->original = true; return true;
    case RUN_TRACE: return parse_name("--trace", value, &o->trace);
    case RUN_EVERY: return cli_parse_positive("--every", value, &o->every);
    case RUN_WRITE: return cli_parse_frames(value, &o->frames);
    case RUN_WRITE_EVERY: return cli_parse_positive("--write-every", value, &o->frames_every);
    case RUN_CHECKPOINT: return parse_name("--checkpoint", value, &o->checkpoint);
    case RUN_CHECKPOINT_EVERY: return cli_parse_positive("--checkpoint-every", value, &o->checkpoint_every);
    case RUN_RESUME: return parse_name("--resume", value, &o->resume);
    case RUN_NO_AUDIT: o->sim.audit = false; return true;
    case RUN_NO_REPLAY: o->no_replay = true; return true;
    case RUN_ANYWHERE: o->anywhere = true; return true;
    case RUN_REPORT: o->report = true; return true;
    case RUN_NO_REPORT: o->no_report = true; return true;
    case RUN_JSON: o->json = true; return true;
    case RUN_QUIET: o->quiet = true; return true;
    default: *help = true; return true;
    }
}

int cli_parse_run(const char *command, int count, char **arguments, run_options *options, bool *help)
{
    cli_arguments a = {command, count, arguments, 0, NULL, false};
    const char *value = "";
    *options = (run_options){.sim = vxe_default_sim_def()};
    *help = false;
    for (int option = 0; option != CLI_END && !*help;) {
        option = cli_next_argument(&a, run_table, RUN_OPTION_COUNT, &value);
        if (option == CLI_WRONG) {
            return cli_point_to_help(command);
        }
        if (option == CLI_OPERAND) {
            if (options->scene != NULL) {
                cli_complain("%s: one scene at a time: \"%s\" after \"%s\"", command, value, options->scene);
                return cli_point_to_help(command);
            }
            options->scene = value;
        } else if (option >= 0 && !take_run_option(option, value, options, help)) {
            return CLI_BAD_INPUT;
        }
    }
    cli_settle_device(&options->sim);
    return CLI_DONE;
}
