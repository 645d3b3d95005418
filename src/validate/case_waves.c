/* The infinite lattice: how fast it can vibrate (which limits the time step) and how long waves travel in it.
 * Both follow from the stiffness between a voxel in bulk and its neighbours, which is measured: in a block of
 * 5x5x5 voxels all are held, the middle one is displaced or turned a little, and the reactions are read
 * (linear solve). */
#include "validate/cases.h"
#include "validate/trial.h"

#include <math.h>
#include <string.h>

enum { SIDE = 5, MIDDLE = 2, CELLS = SIDE * SIDE * SIDE, DOFS = 6 };

static const double pitch = 1e-3;
static const double youngs = 1e6;
static const double density = 1000.0;

/* Stiffness between the middle and a cell: row i of the cell, column j of the middle; rotations scaled by
 * sqrt(6)/pitch, so that mass is the same for all six. In E pitch. */
typedef struct stiffness {
    double block[CELLS][DOFS][DOFS];
} stiffness;

static void hold_all_but_middle(trial *t)
{
    (void)trial_hold(t, box_at(0, 0, 0, MIDDLE, SIDE, SIDE), HOLD_RIGID);
    (void)trial_hold(t, box_at(MIDDLE + 1, 0, 0, MIDDLE, SIDE, SIDE), HOLD_RIGID);
    (void)trial_hold(t, box_at(MIDDLE, 0, 0, 1, MIDDLE, SIDE), HOLD_RIGID);
    (void)trial_hold(t, box_at(MIDDLE, MIDDLE + 1, 0, 1, MIDDLE, SIDE), HOLD_RIGID);
    (void)trial_hold(t, box_at(MIDDLE, MIDDLE, 0, 1, 1, MIDDLE), HOLD_RIGID);
    (void)trial_hold(t, box_at(MIDDLE, MIDDLE, MIDDLE + 1, 1, 1, MIDDLE), HOLD_RIGID);
}

static void measure(validation *v, vxe_elasticity elasticity, double poisson, stiffness *s)
{
    const double turn_scale = sqrt(6.0) / pitch;
    memset(s, 0, sizeof *s);
    for (int j = 0; j < DOFS; j++) {
        const double small = 1e-3;
        double move[3] = {0.0, 0.0, 0.0};
        double turn[3] = {0.0, 0.0, 0.0};
        if (j < 3) {
            move[j] = small * pitch;
        } else {
            turn[j - 3] = small;
        }
        trial t = trial_of(v);
        trial_begin(&t, elasticity, pitch, SIDE, SIDE, SIDE + 3);
        const int32_t material = trial_material(&t, youngs, poisson, density);
        trial_fill(&t, box_at(0, 0, 0, SIDE, SIDE, SIDE), material);
        hold_all_but_middle(&t);
        (void)trial_move(&t, box_at(MIDDLE, MIDDLE, MIDDLE, 1, 1, 1), HOLD_RIGID, move, turn);
        /* the solver wants something that is free: two voxels apart from the block */
        trial_fill(&t, box_at(0, 0, SIDE + 1, 1, 1, 2), material);
        (void)trial_hold(&t, box_at(0, 0, SIDE + 1, 1, 1, 1), HOLD_RIGID);
        trial_linear(&t, 0);
        for (int c = 0; c < CELLS && trial_good(&t); c++) {
            const int32_t at = trial_voxel(&t, c % SIDE, c / SIDE % SIDE, c / (SIDE * SIDE));
            const vxe_linear_view *view = vxe_linear_get(t.linear);
            for (int i = 0; i < DOFS; i++) {
                const double load =
                    i < 3 ? view->reaction[i][at] : turn_scale * view->reaction_moment[i - 3][at];
                const double by = j < 3 ? small * pitch : small / turn_scale;
                s->block[c][i][j] = load / by / (youngs * pitch);
            }
        }
        trial_end(&t);
    }
}

/* D(k) = sum over cells of K exp(-i k.r): real part then imaginary part. k in radians per voxel. */
static void dynamic_matrix(const stiffness *s, const double k[3], double d[2][DOFS][DOFS])
{
    memset(d, 0, 2 * sizeof d[0]);
    for (int c = 0; c < CELLS; c++) {
        const int place[3] = {c % SIDE, c / SIDE % SIDE, c / (SIDE * SIDE)};
        double phase = 0.0;
        for (int a = 0; a < 3; a++) phase += k[a] * (place[a] - MIDDLE);
        for (int i = 0; i < DOFS; i++) {
            for (int j = 0; j < DOFS; j++) {
                d[0][i][j] += s->block[c][i][j] * cos(phase);
                d[1][i][j] -= s->block[c][i][j] * sin(phase);
            }
        }
    }
}

/* y = D x for complex vectors. */
static void apply(double d[2][DOFS][DOFS], double x[2][DOFS], double y[2][DOFS])
{
    for (int i = 0; i < DOFS; i++) {
        y[0][i] = 0.0;
        y[1][i] = 0.0;
        for (int j = 0; j < DOFS; j++) {
            y[0][i] += d[0][i][j] * x[0][j] - d[1][i][j] * x[1][j];
            y[1][i] += d[0][i][j] * x[1][j] + d[1][i][j] * x[0][j];
        }
    }
}

/* The largest eigenvalue, by power iteration; it is a Hermitian matrix without negative eigenvalues. */
static double largest_eigenvalue(double d[2][DOFS][DOFS])
{
    double x[2][DOFS];
    double y[2][DOFS];
    double value = 0.0;
    for (int i = 0; i < DOFS; i++) {
        x[0][i] = 1.0 + 0.1 * i;
        x[1][i] = 0.3 * i - 0.7;
    }
    for (int n = 0; n < 300; n++) {
        double square = 0.0;
        apply(d, x, y);
        for (int i = 0; i < DOFS; i++) square += y[0][i] * y[0][i] + y[1][i] * y[1][i];
        if (!(square > 0.0)) return 0.0;
        value = sqrt(square);
        double size = 0.0;
        for (int i = 0; i < DOFS; i++) size += x[0][i] * x[0][i] + x[1][i] * x[1][i];
        value /= sqrt(size);
        for (int i = 0; i < DOFS; i++) {
            x[0][i] = y[0][i] / sqrt(square);
            x[1][i] = y[1][i] / sqrt(square);
        }
    }
    return value;
}

/* Square of the highest frequency of a wave, in units of w0^2 = E pitch/m; then of all waves. */
static double square_at(const stiffness *s, const double k[3])
{
    double d[2][DOFS][DOFS];
    dynamic_matrix(s, k, d);
    return largest_eigenvalue(d);
}

static double highest_square(const stiffness *s)
{
    enum { GRID = 8, POINTS = (GRID + 1) * (GRID + 1) * (GRID + 1) };
    double highest = 0.0;
    double best[3] = {0.0, 0.0, 0.0};
    for (int n = 0; n < POINTS; n++) {
        const int place[3] = {n % (GRID + 1), n / (GRID + 1) % (GRID + 1), n / ((GRID + 1) * (GRID + 1))};
        const double k[3] = {PI * place[0] / GRID, PI * place[1] / GRID, PI * place[2] / GRID};
        const double here = square_at(s, k);
        if (here > highest) {
            highest = here;
            memcpy(best, k, sizeof best);
        }
    }
    /* from there uphill: steps along the axes, halved where none helps */
    double step = PI / GRID;
    for (int halving = 0; halving < 12; halving++) {
        step *= 0.5;
        for (int move = 0; move < 6; move++) {
            double k[3] = {best[0], best[1], best[2]};
            k[move / 2] += move % 2 == 0 ? step : -step;
            const double here = square_at(s, k);
            if (here <= highest) continue;
            highest = here;
            memcpy(best, k, sizeof best);
            move = -1;
        }
    }
    return highest;
}

/* The three acoustic speeds along a direction, over w0 pitch, increasing: eigenvalues of the long-wave limit,
 * by condensing rotations at a small wave vector. */
static void speeds(const stiffness *s, const double direction[3], double speed[3])
{
    const double small = 1e-3;
    double d[2][DOFS][DOFS];
    double a[3][3];
    double k[3];
    for (int i = 0; i < 3; i++) k[i] = small * direction[i];
    dynamic_matrix(s, k, d);
    /* rotations follow statically: A = Dtt - Dtr Drr^-1 Drt; Drr is real and nearly diagonal, Dtr imaginary
     * at first order */
    double inverse[3][3];
    double work[3][6];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            work[i][j] = d[0][3 + i][3 + j];
            work[i][3 + j] = i == j ? 1.0 : 0.0;
        }
    }
    for (int p = 0; p < 3; p++) {
        const double pivot = work[p][p];
        for (int j = 0; j < 6; j++) work[p][j] /= pivot;
        for (int i = 0; i < 3; i++) {
            const double factor = work[i][p];
            for (int j = 0; j < 6 && i != p; j++) work[i][j] -= factor * work[p][j];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) inverse[i][j] = work[i][3 + j];
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = d[0][i][j];
            for (int p = 0; p < 3; p++) {
                /* (i A)(i B) = -A B: Dtr = i T, Drt = -i T^T */
                for (int q = 0; q < 3; q++) sum -= d[1][i][3 + p] * inverse[p][q] * d[1][j][3 + q];
            }
            a[i][j] = sum / (small * small);
        }
    }
    /* Jacobi's rotations */
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (fabs(a[p][q]) < 1e-14) continue;
                const double theta = 0.5 * atan2(2.0 * a[p][q], a[q][q] - a[p][p]);
                const double c = cos(theta);
                const double n = sin(theta);
                for (int r = 0; r < 3; r++) {
                    const double x = a[p][r];
                    const double y = a[q][r];
                    a[p][r] = c * x - n * y;
                    a[q][r] = n * x + c * y;
                }
                for (int r = 0; r < 3; r++) {
                    const double x = a[r][p];
                    const double y = a[r][q];
                    a[r][p] = c * x - n * y;
                    a[r][q] = n * x + c * y;
                }
            }
        }
    }
    for (int i = 0; i < 3; i++) speed[i] = sqrt(fabs(a[i][i]));
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2 - i; j++) {
            if (speed[j] > speed[j + 1]) {
                const double x = speed[j];
                speed[j] = speed[j + 1];
                speed[j + 1] = x;
            }
        }
    }
}

/* Largest stable step of a block by the engine's own bound, in units of 1/w0. */
static double block_limit(validation *v, int32_t n, double damping)
{
    const double w0 = sqrt(youngs / density) / pitch;
    trial t = trial_of(v);
    trial_begin(&t, VXE_ELASTICITY_BEAM, pitch, n, n, n);
    trial_fill(&t, trial_all(&t), trial_material(&t, youngs, 0.0, density));
    trial_damping(&t, damping, damping, 0.0);
    trial_compile(&t, 0);
    const double limit = trial_good(&t) ? vxe_sim_time_step(t.sim).limit * w0 : (double)NAN;
    trial_end(&t);
    return limit;
}

void case_time_step(validation *v)
{
    static const val_basis bulk = {
        "exact: the infinite lattice vibrates at sqrt(14) w0 at most, so 2/sqrt(14)",
        "1e-6: measured stiffness, the fastest wave found by search"};
    static const val_basis bound = {"exact: 2/sqrt(14) for bulk; a block allows a little more",
                                    "0.5 %: the bound the engine steps by is a short Lanczos process plus a "
                                    "margin of 1 % of the eigenvalue, and must stay below"};
    static const val_basis solid = {"waves in the calibrated lattice, computed independently",
                                    "0.2 %: the reference has three digits"};
    static const val_basis damped = {
        "spectral radius of another damping law (each link damps its two voxels)",
        "ours damps by -beta K; the usual step 1/(2 pi w0) is 0.1592"};
    static const double ratio[3] = {0.3, 0.45, 0.49};
    static const double reference[3] = {0.609, 0.537, 0.274};
    stiffness s;
    if (!val_needs_solvers(v, "timestep.bulk", "largest stable step in bulk")) {
        measure(v, VXE_ELASTICITY_BEAM, 0.0, &s);
        val_compare(v, "timestep.undamped", "largest stable step in bulk, `beam`, dt w0", "",
                    2.0 / sqrt(highest_square(&s)), 2.0 / sqrt(14.0), 1e-6, bulk);
        for (int i = 0; i < 3; i++) {
            measure(v, VXE_ELASTICITY_SOLID, ratio[i], &s);
            val_compare(v, val_format("timestep.solid.nu%g", ratio[i]).text,
                        val_format("largest stable step in bulk, `solid`, nu %g, dt w0", ratio[i]).text, "",
                        2.0 / sqrt(highest_square(&s)), reference[i], 2e-3, solid);
        }
    }
    val_compare(v, "timestep.bound", "the engine's own bound for 16^3 voxels, dt w0", "",
                block_limit(v, 16, 0.0), 2.0 / sqrt(14.0), 0.005, bound);
    val_compare(v, "timestep.bonddamp1", "the engine's own bound for 4x4x4, bond damping 1, dt w0", "",
                block_limit(v, 4, 1.0), 0.1343174743652344, 0.0, damped);
}

void case_waves(validation *v)
{
    static const double ratio[4] = {0.0, 0.3, 0.45, 0.49};
    static const struct {
        const char *name;
        double along[3];
    } directions[3] = {{"100", {1.0, 0.0, 0.0}},
                       {"110", {0.7071067811865476, 0.7071067811865476, 0.0}},
                       {"111", {0.5773502691896258, 0.5773502691896258, 0.5773502691896258}}};
    static const val_basis basis = {
        "exact: sqrt((lambda + 2 mu)/rho) and sqrt(mu/rho)",
        "0.001 %: waves a thousand radians of a voxel long; isotropic by construction"};
    stiffness s;
    if (val_needs_solvers(v, "waves", "speed of long waves")) return;
    for (int i = 0; i < 4; i++) {
        const double nu = ratio[i];
        const double shear = sqrt(0.5 / (1.0 + nu));
        const double press = sqrt((1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu)));
        measure(v, VXE_ELASTICITY_SOLID, nu, &s);
        for (int n = 0; n < 3; n++) {
            double speed[3];
            speeds(&s, directions[n].along, speed);
            val_compare(
                v, val_format("waves.nu%g.%s.p", nu, directions[n].name).text,
                val_format("pressure wave along [%s] over sqrt(E/rho), nu %g", directions[n].name, nu).text,
                "", speed[2], press, 1e-5, basis);
            val_compare(v, val_format("waves.nu%g.%s.s1", nu, directions[n].name).text,
                        val_format("slower shear wave along [%s], nu %g", directions[n].name, nu).text, "",
                        speed[0], shear, 1e-5, basis);
            val_compare(v, val_format("waves.nu%g.%s.s2", nu, directions[n].name).text,
                        val_format("faster shear wave along [%s], nu %g", directions[n].name, nu).text, "",
                        speed[1], shear, 1e-5, basis);
        }
    }
}
