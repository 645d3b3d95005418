/* How short a step must be where damping is weak. Always in double.
 *
 * Without damping, waves as short as a voxel go on for ever, and where strains are large all others feed
 * them. The longer the step, the more of their energy it misses, and what a leapfrog conserves depends on the
 * step: a change makes or takes energy as long as the fastest modes have any, by (a^2 - b^2)/8 times the sum
 * of F^2/m from steps a to b. So steps are short where strains are large, and, if it can be, before they are:
 * while nothing moves much within a body that is about to hit something. */
#ifndef KERNEL_RINGING_H
#define KERNEL_RINGING_H

/* Damping ratios from which on a step is never too long. */
#define RINGING_DAMPING 0.03
/* Below this ratio what rings does so for ever: a step that has become short stays so, for the longer one
 * would take or make energy whenever it came, up to a sixth of what vibrates. */
#define RINGING_ENDLESS 1e-3
/* What an impact strains a body by, at most: its speed over that of waves in it, times this, for waves meet.
 */
#define RINGING_IMPACT 4.0

/* The strain supposed where nobody knows what is to come; more is not supposed at the start, but for a motion
 * that is asked for at once and could hit something. */
#define RINGING_START 0.051
#define RINGING_JUMP 0.11

/* The largest fraction of the limit that steps may be. `strain`: the largest there is; `ahead`: what an
 * impact could make of it; `calm`: whether the latter counts. */
static inline double ringing_fraction(double damping, double strain, double ahead, int calm)
{
    const double limits[5][3] = {/* below that ratio, beyond that strain: that fraction */
                                 {RINGING_DAMPING, 0.05, 0.5},
                                 {RINGING_DAMPING, 0.1, 0.25},
                                 {0.01, 0.01, 0.5},
                                 {0.01, 0.02, 0.25},
                                 {0.01, 0.1, 0.125}};
    double fraction = 1.0;
    for (int i = 0; i < 5; i++) {
        const double most = limits[i][1];
        if (!(damping < limits[i][0]) || limits[i][2] >= fraction) continue;
        if (strain > most || (calm && ahead > most)) fraction = limits[i][2];
    }
    return fraction;
}

/* The largest strain of the last steps, some hundreds, or of all where nothing ends: a body that swings is
 * not calm where it is straight. What an impact does to it may be bending and shear, which that strain does
 * not show: while it touches something, what its speed over that of waves makes counts. */
#define RINGING_FADES 0.995
static inline double ringing_lately(double before, double damping, double strain, double ahead, int touches)
{
    const double hit = ahead / RINGING_IMPACT;
    const double now = touches && hit > strain ? hit : strain;
    const double faded = damping < RINGING_ENDLESS ? before : RINGING_FADES * before;
    return now > faded ? now : faded;
}

/* Whether so little moves within a body, and against others, that a change of the step does no harm. */
static inline int ringing_calm(double lately, double ahead, int touches)
{
    return !touches && lately < 0.05 * ahead;
}

#endif
