/* Specimens of the continuum cases: see solids.h. */
#include "validate/solids.h"

#include <math.h>

#define YOUNGS 1e6 /* Pa */
#define DENSITY 1000.0
#define MM 1e-3

const double solid_ratios[SOLID_RATIOS] = {0.0, 0.3, 0.45, 0.49};

solid_def solid_of(double poisson) { return (solid_def){VXE_ELASTICITY_SOLID, poisson, 1, HOLD_CLAMP, 0}; }

/* A full box of one material. */
static void block(trial *t, const solid_def *d, int32_t nx, int32_t ny, int32_t nz)
{
    trial_begin(t, d->elasticity, MM / d->k, nx, ny, nz);
    trial_fill(t, trial_all(t), trial_material(t, YOUNGS, d->poisson, DENSITY));
}

/* Holds the low end along x and pulls the high end across; region 1 is the end. */
static void hold_and_push(trial *t, const solid_def *d, double force)
{
    (void)trial_hold(t, trial_layer(t, 0, 0), d->hold);
    (void)trial_load(t, trial_layer(t, 0, 1), (const double[3]){0.0, 0.0, force}, NULL);
}

/* The mean deflection of that end. */
static double deflect(trial *t, const solid_def *d, double force)
{
    hold_and_push(t, d, force);
    trial_linear(t, d->without);
    return trial_last(t, trial_region_moved(t, 1, 2) / MM);
}

double solid_cantilever(validation *v, const solid_def *d)
{
    trial t = trial_of(v);
    block(&t, d, 9 * d->k + 1, 5 * d->k, 5 * d->k);
    return deflect(&t, d, 0.1);
}

double solid_cantilever_nonlinear(validation *v, const solid_def *d)
{
    trial t = trial_of(v);
    block(&t, d, 9 * d->k + 1, 5 * d->k, 5 * d->k);
    hold_and_push(&t, d, 0.1);
    trial_equilibrium(&t);
    return trial_last(&t, trial_region_moved(&t, 1, 2) / MM);
}

/* The torque that turns the high end along x by 0.01 rad; region 1 is the end. */
static double twist(trial *t, const solid_def *d)
{
    (void)trial_hold(t, trial_layer(t, 0, 0), d->hold);
    (void)trial_move(t, trial_layer(t, 0, 1), d->hold, NULL, (const double[3]){0.01, 0.0, 0.0});
    trial_linear(t, d->without);
    return trial_last(t, trial_region_moment(t, 1, 0) / MM);
}

double solid_torsion(validation *v, const solid_def *d)
{
    trial t = trial_of(v);
    block(&t, d, 9 * d->k + 1, 5 * d->k, 5 * d->k);
    return twist(&t, d);
}

static void between_plates(trial *t, const solid_def *d, const double move[3])
{
    block(t, d, 10 * d->k, 10 * d->k, 9 * d->k + 1);
    (void)trial_hold(t, trial_layer(t, 2, 0), d->hold);
    (void)trial_move(t, trial_layer(t, 2, 1), d->hold, move, NULL);
    trial_linear(t, d->without);
}

double solid_shear(validation *v, const solid_def *d)
{
    trial t = trial_of(v);
    between_plates(&t, d, (const double[3]){0.09 * MM, 0.0, 0.0});
    return trial_last(&t, trial_region_force(&t, 1, 0));
}

/* Outward displacement of the side x = 10 mm at its middle: of the voxels around it, and half a voxel further
 * out with the strain of a side that carries nothing, -nu/(1 - nu) times the sum of the two strains along it.
 */
static double bulge_of(const trial *t, const solid_def *d)
{
    const int32_t i = t->size[0] - 1;
    const double pitch = t->pitch;
    double moved = 0.0;
    double along = 0.0;
    for (int p = 0; p < 2; p++) {
        for (int q = 0; q < 2; q++) {
            const int32_t j = (t->size[1] - 1 + p) / 2;
            const int32_t k = (t->size[2] - 1 + q) / 2;
            moved += 0.25 * trial_moved(t, i, j, k, 0);
            along += 0.25 * (trial_moved(t, i, j + 1, k, 1) - trial_moved(t, i, j - 1, k, 1)) / (2.0 * pitch);
            along += 0.25 * (trial_moved(t, i, j, k + 1, 2) - trial_moved(t, i, j, k - 1, 2)) / (2.0 * pitch);
        }
    }
    return moved - 0.5 * pitch * d->poisson / (1.0 - d->poisson) * along;
}

double solid_compression_force(validation *v, const solid_def *d)
{
    trial t = trial_of(v);
    between_plates(&t, d, (const double[3]){0.0, 0.0, -0.09 * MM});
    return trial_last(&t, -trial_region_force(&t, 1, 2));
}

double solid_compression_bulge(validation *v, const solid_def *d)
{
    trial t = trial_of(v);
    between_plates(&t, d, (const double[3]){0.0, 0.0, -0.09 * MM});
    return trial_last(&t, bulge_of(&t, d) / MM);
}

double solid_two(validation *v, const solid_def *d)
{
    trial t = trial_of(v);
    block(&t, d, 19 * d->k + 1, 4 * d->k, 4 * d->k);
    trial_fill(&t, box_at(0, 0, 2 * d->k, t.size[0], t.size[1], 2 * d->k),
               trial_material(&t, 100.0 * YOUNGS, d->poisson, DENSITY));
    return deflect(&t, d, 0.01);
}

void solid_free(validation *v, const solid_def *d, int32_t count, double *frequency)
{
    trial t = trial_of(v);
    block(&t, d, 10 * d->k, 10 * d->k, 5 * d->k);
    trial_compile(&t, d->without);
    trial_modes(&t, count, frequency);
    trial_end(&t);
}

void solid_rod_modes(validation *v, const solid_def *d, int32_t length, int32_t count, double *frequency)
{
    double all[2][32];
    if (count > 32) count = 32;
    for (int32_t more = 0; more < 2; more++) {
        trial t = trial_of(v);
        trial_begin(&t, d->elasticity, MM / d->k, length * d->k + more, d->k, d->k);
        trial_fill(&t, trial_all(&t), trial_material(&t, YOUNGS, d->poisson, 1.0));
        (void)trial_hold(&t, trial_layer(&t, 0, 0), d->hold);
        trial_compile(&t, d->without);
        trial_modes(&t, count, all[more]);
        trial_end(&t);
    }
    for (int32_t i = 0; i < count; i++) frequency[i] = sqrt(all[0][i] * all[1][i]);
}

/* Strain of the link from a voxel towards larger coordinates of an axis. */
static double link_strain(const trial *t, int32_t i, int32_t j, int32_t k, int axis)
{
    int32_t next[3] = {i, j, k};
    next[axis]++;
    return (trial_moved(t, next[0], next[1], next[2], axis) - trial_moved(t, i, j, k, axis)) / t->pitch;
}

void solid_uniaxial(validation *v, const solid_def *d, double *axial, double *lateral)
{
    const double strain = 1e-3;
    trial t = trial_of(v);
    block(&t, d, 5, 4, 3);
    const double pull = strain * YOUNGS * 12.0 * t.pitch * t.pitch;
    (void)trial_load(&t, trial_layer(&t, 0, 0), (const double[3]){-pull, 0.0, 0.0}, NULL);
    (void)trial_load(&t, trial_layer(&t, 0, 1), (const double[3]){pull, 0.0, 0.0}, NULL);
    (void)trial_hold(&t, box_at(2, 1, 1, 1, 1, 1), HOLD_RIGID); /* where nothing turns: it carries nothing */
    trial_linear(&t, d->without);
    *axial = 1.0;
    *lateral = d->poisson > 0.0 ? 1.0 : 0.0;
    for (int32_t i = 0; i < 60; i++) {
        const int32_t cell[3] = {i % 5, i / 5 % 4, i / 20};
        for (int a = 0; a < 3; a++) {
            if (cell[a] + 1 >= t.size[a]) continue;
            const double part = link_strain(&t, cell[0], cell[1], cell[2], a) / strain;
            const double value = a > 0 && d->poisson > 0.0 ? part / -d->poisson : part;
            double *worst = a == 0 ? axial : lateral;
            const double goal = a > 0 && !(d->poisson > 0.0) ? 0.0 : 1.0;
            if (!(fabs(value - goal) <= fabs(*worst - goal))) *worst = value;
        }
    }
    trial_end(&t);
}

double solid_rollers(validation *v, const solid_def *d, int pairs)
{
    const double strain = 1e-3;
    trial t = trial_of(v);
    block(&t, d, 10, 4, 4);
    (void)trial_roll(&t, trial_layer(&t, 0, 0), 0, 0.0);
    (void)trial_roll(&t, trial_layer(&t, 0, 1), 0, strain * 9.0 * t.pitch);
    for (int a = 1; a < 3; a++) {
        (void)trial_roll(&t, trial_layer(&t, a, 0), a, 0.0);
        if (pairs >= a) (void)trial_roll(&t, trial_layer(&t, a, 1), a, 0.0);
    }
    trial_linear(&t, d->without);
    const double force = trial_region_force(&t, 1, 0);
    return trial_last(&t, force / (strain * YOUNGS * 16.0 * t.pitch * t.pitch));
}

double solid_bending(validation *v, const solid_def *d, int32_t side)
{
    trial t = trial_of(v);
    const int32_t n = 12 * side; /* long enough for what the ends do to die away */
    block(&t, d, n, side, side);
    const double moment = 1e-9 * side * side * side; /* N m */
    /* the moment as forces along x that grow with height, on the faces at both ends, and the couples of the
     * voxels' own bending */
    double second = 0.0;
    for (int32_t k = 0; k < side; k++) second += (k - 0.5 * (side - 1)) * (k - 0.5 * (side - 1)) * side;
    const double area = (double)side * side;
    const double own = 1.0 / 12.0 * area / (second + area / 12.0); /* the share of the voxels' own bending */
    for (int end = 0; end < 2; end++) {
        const double sign = end == 0 ? -1.0 : 1.0;
        for (int32_t k = 0; k < side && side > 1; k++) {
            voxel_box row = trial_layer(&t, 0, end);
            row.corner[2] = k;
            row.size[2] = 1;
            const double force =
                sign * (1.0 - own) * moment * (k - 0.5 * (side - 1)) * side / (second * t.pitch);
            (void)trial_load(&t, row, (const double[3]){force, 0.0, 0.0}, NULL);
        }
        (void)trial_load(&t, trial_layer(&t, 0, end), NULL, (const double[3]){0.0, sign * own * moment, 0.0});
    }
    (void)trial_hold(&t, box_at(n / 2, side / 2, side / 2, 1, 1, 1), HOLD_RIGID);
    trial_linear(&t, d->without);
    /* curvature in the middle third from the turn of whole sections: slope of the stretch over height, or for
     * one voxel its own turn */
    const int32_t low = n / 3;
    const int32_t high = n - 1 - n / 3;
    double turn = 0.0;
    if (side == 1) {
        turn = trial_turned(&t, high, 0, 0, 1) - trial_turned(&t, low, 0, 0, 1);
    } else {
        for (int32_t j = 0; j < side; j++) {
            for (int32_t k = 0; k < side; k++) {
                const double arm = (k - 0.5 * (side - 1)) * t.pitch;
                turn += arm * (trial_moved(&t, high, j, k, 0) - trial_moved(&t, low, j, k, 0));
            }
        }
        turn /= second * t.pitch * t.pitch;
    }
    const double curvature = turn / ((high - low) * t.pitch);
    const double exact = YOUNGS * pow(side * t.pitch, 4.0) / 12.0;
    return trial_last(&t, moment / curvature / exact);
}

double solid_bracket(validation *v, const solid_def *d, double *aside)
{
    trial t = trial_of(v);
    const int32_t n = (23 * d->k + 1) / 2; /* 11.5 mm and half a voxel */
    const int32_t thick = 4 * d->k;
    block(&t, d, n, thick, n);
    trial_fill(&t, box_at(thick, 0, 0, n - thick, thick, n - thick), 0);
    (void)trial_hold(&t, box_at(0, 0, 0, thick, thick, 1), d->hold);
    (void)trial_load(&t, box_at(n - 1, 0, n - thick, 1, thick, thick), (const double[3]){0.0, 0.0, -0.01},
                     NULL);
    trial_linear(&t, d->without);
    *aside = trial_region_moved(&t, 1, 0) / MM;
    return trial_last(&t, -trial_region_moved(&t, 1, 2) / MM);
}

double solid_hole(validation *v, const solid_def *d)
{
    trial t = trial_of(v);
    const int32_t k = d->k;
    block(&t, d, 12 * k + 1, 11 * k, 2 * k);
    trial_fill(&t, box_at((7 * k + 1) / 2, 3 * k, 0, 5 * k, 5 * k, 2 * k), 0);
    (void)trial_hold(&t, trial_layer(&t, 0, 0), d->hold);
    (void)trial_move(&t, trial_layer(&t, 0, 1), d->hold, (const double[3]){0.12 * MM, 0.0, 0.0}, NULL);
    trial_linear(&t, d->without);
    return trial_last(&t, trial_region_force(&t, 1, 0));
}

static void tube(trial *t, const solid_def *d, int32_t wall)
{
    const int32_t k = d->k;
    block(t, d, 12 * k + 1, 6 * k, 6 * k);
    trial_fill(t, box_at(0, wall * k, wall * k, t->size[0], (6 - 2 * wall) * k, (6 - 2 * wall) * k), 0);
}

double solid_tube_torque(validation *v, const solid_def *d, int32_t wall)
{
    trial t = trial_of(v);
    tube(&t, d, wall);
    return twist(&t, d);
}

double solid_tube_bending(validation *v, const solid_def *d, int32_t wall)
{
    trial t = trial_of(v);
    tube(&t, d, wall);
    return deflect(&t, d, 0.01);
}

double solid_strip(validation *v, const solid_def *d, int32_t thickness)
{
    trial t = trial_of(v);
    block(&t, d, 20 * d->k + 1, 8 * d->k, thickness * d->k);
    return deflect(&t, d, 1e-4);
}
