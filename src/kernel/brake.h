/* What ONE class of links takes from the motion of its ends within a time: the numbers of link_brake
 * (kernel/link.h). All in double, by arithmetic alone, so that it has the same bits everywhere. */
#ifndef KERNEL_BRAKE_H
#define KERNEL_BRAKE_H

#ifdef __CUDACC__
#define BRAKE_SQRT __dsqrt_rn
#else
#define BRAKE_SQRT __builtin_sqrt
#endif

/* Damping coefficients (link_damping_rates) and masses of the two ends, kg. */
typedef struct brake_source {
    double axial, shear, bending, torsion;
    double near_mass, far_mass;
} brake_source;

/* link_brake. */
typedef struct brake_numbers {
    double axial, shear, bending, excess, far;
} brake_numbers;

/* 1 - exp(-x) for x >= 0: the series for a small part of x, doubled. */
static inline double brake_decay(double x)
{
    if (x > 40.0) return 1.0;
    int doublings = 0;
    while (x > 0.0625) {
        x *= 0.5;
        doublings++;
    }
    double sum = 0.0;
    for (int i = 10; i >= 1; i--) sum = (1.0 - sum) * (x / i);
    for (int i = 0; i < doublings; i++) sum *= 2.0 - sum;
    return sum;
}

/* What a unit of impulse changes the relative velocity by: stretching, shearing, turning. */
typedef struct link_mobility {
    double axial, shear, turn;
} link_mobility;

static inline link_mobility link_mobility_of(double near_mass, double far_mass, double pitch)
{
    const double axial = 1.0 / near_mass + 1.0 / far_mass;
    const double turn = 6.0 / (pitch * pitch) * axial; /* inertia is m l^2/6 */
    link_mobility m;
    m.axial = axial;
    m.shear = turn + 4.0 * axial / (pitch * pitch);
    m.turn = turn;
    return m;
}

static inline brake_numbers brake_of(brake_source t, double pitch, double time)
{
    const double l = pitch;
    const link_mobility mobility = link_mobility_of(t.near_mass, t.far_mass, pitch);
    const double shear = brake_decay(time * t.shear * mobility.shear);
    const double bending = brake_decay(time * t.bending * mobility.turn);
    const double torsion = brake_decay(time * t.torsion * mobility.turn);
    /* Ends of unlike inertia: bending and shearing are not independent, and both at once could take more than
     * there is. The larger eigenvalue of what they take says how much. */
    const double unlike = 6.0 / (l * l) * (1.0 / t.near_mass - 1.0 / t.far_mass);
    const double product = unlike * unlike * shear * bending / (mobility.shear * mobility.turn);
    const double difference = shear - bending;
    const double most = 0.5 * (shear + bending + BRAKE_SQRT(difference * difference + 4.0 * product));
    const double ease = most > 1.0 ? 1.0 / most : 1.0;
    const double inertia = t.near_mass * l * l / 6.0;
    brake_numbers b;
    b.axial = brake_decay(time * t.axial * mobility.axial) / (mobility.axial * t.near_mass);
    b.shear = 4.0 * ease * shear / (mobility.shear * t.near_mass);
    b.bending = ease * bending / (mobility.turn * inertia);
    b.excess = (ease * bending - torsion) / (mobility.turn * inertia);
    b.far = t.near_mass / t.far_mass;
    return b;
}

#endif
