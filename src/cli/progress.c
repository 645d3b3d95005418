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

void cli_progress_begin(progress *p, vxe_sim *sim, const vxe_scene *scene, bool quiet)
{
    const char *terminal = getenv("TERM");
    const vxe_signal_def *signal = vxe_scene_signal(scene, 0);
    *p = (progress){
        .shown = !quiet && isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0,
        .period = signal == NULL ? 0.0 : signal->period,
        .begun = cli_clock(),
        .first_time = vxe_sim_time(sim),
        .first_step = vxe_sim_state(sim)->step,
    };
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

void cli_progress_update(progress *p, vxe_sim *sim, const vxe_stop *stop)
{
    const double now = cli_clock();
    if (!p->shown || now - p->last < 0.1) {
        return;
    }
    p->last = now;
    p->drawn = true;
    const vxe_state *state = vxe_sim_state(sim);
    const double wall = now - p->begun;
    const double rate = wall > 0.0 ? (double)(state->step - p->first_step) / wall : 0.0;
    const double real_time = wall > 0.0 ? (state->time - p->first_time) / wall : 0.0;
    const double done = fraction_done(p, stop, state->time, state->step);
    const int width = line_width();
    const bool wide = width >= WIDE;
    char line[320];
    char bar[WIDE_BAR + 24] = "";
    char eta[40] = "";
    if (!isnan(done)) {
        const double part = fmin(fmax(done, 0.0), 1.0);
        const int length = wide ? WIDE_BAR : NARROW_BAR;
        char blocks[WIDE_BAR + 1] = "....................";
        memset(blocks, '#', (size_t)(part * length));
        blocks[length] = '\0';
        (void)snprintf(bar, sizeof bar, "[%s] %3.0f %%  ", blocks, 100.0 * part);
        char left[24];
        print_duration(left, sizeof left, done > 0.0 ? wall * (1.0 - done) / done : INFINITY);
        (void)snprintf(eta, sizeof eta, "  ETA %s", left);
    }
    (void)snprintf(line, sizeof line,
                   wide ? "%st %s  step %" PRId64 "  %.*f steps/s  %.3gx real time  Ekin %s%s"
                        : "%s%s  step %" PRId64 "  %.*f/s  %.3gx  %s%s",
                   bar, cli_quantity(state->time, "s").text, state->step, rate < 10.0 ? 2 : 0, rate,
                   real_time, cli_quantity(vxe_sim_energy(sim).kinetic, "J").text, eta);
    (void)fprintf(stderr, "\r%.*s\033[K", width - 1, line);
    (void)fflush(stderr);
}

void cli_progress_end(progress *p)
{
    if (p->drawn) {
        (void)fprintf(stderr, "\r\033[K");
        (void)fflush(stderr);
        p->drawn = false;
    }
}
