/* The progress bar: see progress.h. */
#include "cli/progress.h"
#include "cli/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A line that wraps could not be erased, so a narrow terminal gets a shorter one. */
enum { WIDE = 118, WIDE_BAR = 20, NARROW_BAR = 8 };

void cli_progress_start(progress *p, bool quiet)
{
    const char *terminal = getenv("TERM");
    *p = (progress){
        .shown = !quiet && isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0,
        .begun = cli_clock(),
    };
}

void cli_progress_begin(progress *p, vxe_sim *sim, const vxe_scene *scene, bool quiet)
{
    const vxe_signal_def *signal = vxe_scene_signal(scene, 0);
    cli_progress_start(p, quiet);
    p->period = signal == NULL ? 0.0 : signal->period;
    p->first_time = vxe_sim_time(sim);
    p->first_step = vxe_sim_state(sim)->step;
}

/* How far `now` is on the way from `first` to `last`. */
static double part_done(double first, double now, double last)
{
    return last > first ? (now - first) / (last - first) : 1.0;
}

/* How much of this run is done, 0 to 1, by the nearest of the conditions whose end is known; NaN if there is
 * none. */
static double fraction_done(const progress *p, const vxe_stop *stop, double time, int64_t step)
{
    double done = NAN;
    if (stop->time > 0.0) {
        done = fmax(done, part_done(p->first_time, time, stop->time)); /* fmax ignores NaN */
    }
    if (stop->steps > 0) {
        done = fmax(done, part_done((double)p->first_step, (double)step, (double)stop->steps));
    }
    if (stop->cycles > 0.0 && p->period > 0.0) {
        done = fmax(done, part_done(p->first_time, time, stop->cycles * p->period));
    }
    return done;
}

static int line_width(void)
{
    struct winsize size = {0};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? (int)size.ws_col : 80;
}

/* "1:02:03" or "2:03". */
static void print_duration(char *text, size_t size, double seconds)
{
    if (!(seconds < 3.6e6)) {
        (void)snprintf(text, size, "-");
        return;
    }
    const int s = (int)(seconds + 0.5);
    if (s >= 3600) {
        (void)snprintf(text, size, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
    } else {
        (void)snprintf(text, size, "%d:%02d", s / 60, s % 60);
    }
}

/* Draws the line: a bar and how long it will take (`done` not NaN), and a text. */
static void draw(progress *p, double done, double wall, const char *text)
{
    const int width = line_width();
    const int length = width >= WIDE ? WIDE_BAR : NARROW_BAR;
    const char *good = cli_style(stderr, CLI_STYLE_GOOD);
    const char *dim = cli_style(stderr, CLI_STYLE_DIM);
    const char *plain = cli_style(stderr, CLI_STYLE_PLAIN);
    char rest[40] = "";
    int room = width - 1;
    (void)fputc('\r', stderr);
    if (!isnan(done)) {
        const double part = fmin(fmax(done, 0.0), 1.0);
        const int filled = (int)(part * length);
        char left[24];
        print_duration(left, sizeof left, done > 0.0 ? wall * (1.0 - part) / part : INFINITY);
        (void)snprintf(rest, sizeof rest, "  %s left", left);
        (void)fprintf(stderr, "[%s%.*s%s%.*s%s] %3.0f %%  ", good, filled, "####################", dim,
                      length - filled, "....................", plain, floor(100.0 * part));
        room -= length + 10 + (int)strlen(rest);
    }
    (void)fprintf(stderr, "%.*s%s\033[K", room > 0 ? room : 0, text, rest);
    (void)fflush(stderr);
    p->last = cli_clock();
    p->drawn = true;
}

void cli_progress_update(progress *p, vxe_sim *sim, const vxe_stop *stop)
{
    const double now = cli_clock();
    if (!p->shown || now - p->last < 0.1) return;
    const vxe_state *state = vxe_sim_state(sim);
    const double wall = now - p->begun;
    const double rate = wall > 0.0 ? (double)(state->step - p->first_step) / wall : 0.0;
    const double real_time = wall > 0.0 ? (state->time - p->first_time) / wall : 0.0;
    char text[320];
    char end[64] = "";
    if (stop->time > 0.0) (void)snprintf(end, sizeof end, " of %s", cli_quantity(stop->time, "s").text);
    if (line_width() >= WIDE) {
        (void)snprintf(text, sizeof text, "%s%s  step %" PRId64 "  %s  %.3g x real time  kinetic %s",
                       cli_quantity(state->time, "s").text, end, state->step,
                       cli_quantity(rate, "steps/s").text, real_time,
                       cli_quantity(vxe_sim_energy(sim).kinetic, "J").text);
    } else {
        (void)snprintf(text, sizeof text, "%s%s  %s  %.3g x real time", cli_quantity(state->time, "s").text,
                       end, cli_quantity(rate, "steps/s").text, real_time);
    }
    draw(p, fraction_done(p, stop, state->time, state->step), wall, text);
}

void cli_progress_count(progress *p, const char *what, int64_t done, int64_t all)
{
    const double now = cli_clock();
    char text[80];
    if (!p->shown || now - p->last < 0.1) return;
    (void)snprintf(text, sizeof text, "%s %" PRId64 " of %" PRId64 "  %.3g/s", what, done, all,
                   (double)done / fmax(now - p->begun, 1e-9));
    draw(p, (double)done / (double)(all > 0 ? all : 1), now - p->begun, text);
}

bool cli_progress_text(progress *p, double done, const char *text)
{
    const double now = cli_clock();
    if (!p->shown || now - p->last < 0.1) return false;
    draw(p, done, now - p->begun, text);
    return true;
}

void cli_progress_end(progress *p)
{
    if (p->drawn) {
        (void)fprintf(stderr, "\r\033[K");
        (void)fflush(stderr);
        p->drawn = false;
    }
}
