/** @file sim.h
 *  vxe_sim: everything that changes in time. Step it, read it, reset it, save it and resume it. Stepping
 * allocates nothing, and the same model, settings and edits give the same bits every time.
 */
#ifndef VOXELASTIC_SIM_H
#define VOXELASTIC_SIM_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A simulation. */
typedef struct vxe_sim vxe_sim;

/** Arithmetic of the stepping loops. */
typedef enum vxe_precision {
    VXE_PRECISION_DOUBLE = 1, /**< everything in double: the reference */
    VXE_PRECISION_SINGLE = 2, /**< positions in double, the rest in float */
    VXE_PRECISION_FAST = 3 /**< double with fused operations where the machine has them: faster, and equally
                              exact, but not the same bits on another machine, and always on one thread */
} vxe_precision;

/** Instructions of the stepping loops. In double and in single precision all give the same bits. */
typedef enum vxe_isa {
    VXE_ISA_AUTO = 0, /**< the widest this machine has */
    VXE_ISA_PLAIN,    /**< one voxel at a time: the definition that the others are compared with */
    VXE_ISA_PORTABLE, /**< two at a time (four in single precision), on any machine */
    VXE_ISA_AVX2,     /**< four (eight) at a time */
    VXE_ISA_AVX512    /**< eight (sixteen) at a time */
} vxe_isa;

/** How bond damping is treated. Both damp what the scene asks for; explicit damping needs shorter steps,
 * implicit damping more work in each. */
typedef enum vxe_bond_damping {
    VXE_BOND_DAMPING_AUTO = 0, /**< implicit where that allows steps more than 1.5 times as long */
    VXE_BOND_DAMPING_EXPLICIT, /**< a force like others; the stronger it is, the shorter the step */
    VXE_BOND_DAMPING_IMPLICIT  /**< link by link; up to a ratio of about 1 the step is as long as without
                                  damping, beyond that it is shorter, to stay exact */
} vxe_bond_damping;

/** Where the steps are computed. All give the same bits. */
typedef enum vxe_device {
    VXE_DEVICE_CPU = 0, /**< this processor */
    VXE_DEVICE_CUDA,    /**< an NVIDIA GPU; whatever its kernels do not do, this processor does */
    VXE_DEVICE_AUTO,    /**< a GPU, if there is one */
    VXE_DEVICE_EMULATED /**< the kernels of the GPU run by this processor: slow, for tests */
} vxe_device;

#define VXE_THREADS_MAX 256 /**< most threads of one simulation */
#define VXE_DT_FRACTION_MAX                                                                                  \
    0.9 /**< largest part of the stable time step: the rest is for what changes before the bound is          \
           evaluated again */

/** Settings of a simulation. */
typedef struct vxe_sim_def {
    size_t size;             /**< of this struct, as vxe_default_sim_def() sets it */
    vxe_precision precision; /**< arithmetic */
    vxe_isa isa;             /**< instructions */
    int32_t threads; /**< 0: as many as the body is worth, up to all processors; else that many, if it has so
                        many chunks of 512 voxels. The results do not depend on it */
    double dt_fraction; /**< part of the largest stable time step that is used, > 0 to VXE_DT_FRACTION_MAX */
    bool audit; /**< keep the energy account (steps take 1.1 to 1.5 times as long) and stop when it does not
                   balance */
    vxe_bond_damping bond_damping; /**< explicit or implicit */
    vxe_device device;             /**< where it is computed */
} vxe_sim_def;

/** A GPU. */
typedef struct vxe_gpu_info {
    char name[128];        /**< of the product */
    size_t memory;         /**< bytes */
    size_t free_memory;    /**< bytes; nobody has them now */
    int32_t processors;    /**< multiprocessors */
    int32_t capability[2]; /**< compute capability: major, minor */
} vxe_gpu_info;

/** Why a simulation cannot go on. */
typedef enum vxe_fault {
    VXE_FAULT_NONE = 0,   /**< it can */
    VXE_FAULT_NOT_FINITE, /**< a position or velocity is infinite or not a number */
    VXE_FAULT_TOO_SHORT,  /**< a link is shorter than 0.05 pitch: the body is crushed */
    VXE_FAULT_TOO_LONG,   /**< a link is stretched tenfold */
    VXE_FAULT_TOO_FAST, /**< a voxel moves more than half a pitch, or turns more than a radian, in one step */
    VXE_FAULT_ENERGY,   /**< energy appeared or vanished without a cause */
    VXE_FAULT_CROWDED,  /**< so many voxels pressed together that the list of near pairs is full */
    VXE_FAULT_FOLDED,   /**< a voxel has turned by more than a right angle against one of its links */
    VXE_FAULT_SUNK,     /**< a voxel has been pressed through the floor */
    VXE_FAULT_DEVICE    /**< the GPU failed; the state is the last that came back from it */
} vxe_fault;

/** How a simulation stands. */
typedef struct vxe_status {
    vxe_fault fault;   /**< VXE_FAULT_NONE while all is well */
    int32_t voxel;     /**< the voxel concerned, or -1 */
    double time;       /**< s; when it was found */
    int64_t step;      /**< step at which it was found */
    double value;      /**< the offending number: strain, speed in m/s, energy in J */
    char message[384]; /**< for people: voxel, time and cause; empty while all is well */
} vxe_status;

/** State per voxel, structure of arrays, (voxel_count) each, as it was after the last step. Velocities are
 * those of the step that led there. */
typedef struct vxe_state {
    double time;                  /**< s */
    int64_t step;                 /**< steps done */
    const double *position[3];    /**< m */
    const double *orientation[4]; /**< unit quaternion, body to world: w, x, y, z */
    const double *velocity[3];    /**< m/s */
    const double *spin[3];        /**< rad/s, world axes */
    const double *force[3];  /**< N; the total that acted during the last step, before it was held by a region
                                or by friction; after a fault 0, unless `audit` is on */
    const double *moment[3]; /**< N m; likewise */
    const double
        *contact_force[3];  /**< N; from the floor and from other voxels, during the last step; likewise */
    const double *growth;   /**< size of a voxel divided by the pitch, minus 1 */
    const double *pressure; /**< Pa; `solid` only, positive in tension; zeros for `beam` */
    const uint8_t *stuck;   /**< not 0: held on the floor by static friction */
} vxe_state;

/** What the links carry, filled by vxe_sim_links(), (3 voxel_count) each and zero where there is no link. */
typedef struct vxe_links {
    const double *strain;   /**< (length - rest length)/pitch */
    const double *stress;   /**< Pa; axial force divided by pitch^2, tension positive, damping not included */
    const double *energy;   /**< J; without the pressure's share */
    const double *force[3]; /**< N; on the far voxel; the near one gets the opposite; damping included */
    const double *near_moment[3]; /**< N m; on the near voxel; damping included */
    const double *far_moment[3];  /**< N m; on the far voxel; damping included */
    const uint8_t *broken;        /**< 1: it has failed */
} vxe_links;

/** Stretch, stress and energy per voxel, filled by vxe_sim_voxels(), (voxel_count) each. */
typedef struct vxe_voxels {
    const double *strain[3]; /**< mean axial strain of the voxel's links along its own axes x, y, z; 0 where
                                there is none */
    const double *stress[3]; /**< Pa; likewise */
    const double *energy;    /**< J; half of each link plus its own pressure's and its floor contact's */
} vxe_voxels;

/** What can happen to a link. */
typedef enum vxe_event_kind {
    VXE_EVENT_YIELD = 1, /**< it yielded for the first time */
    VXE_EVENT_BREAK = 2  /**< it broke */
} vxe_event_kind;

/** Something that happened to a link. */
typedef struct vxe_event {
    double time;  /**< s; the start of the step in which it happened */
    int32_t link; /**< numbered as in vxe_links */
    int32_t kind; /**< a vxe_event_kind */
} vxe_event;

/** The energy account at `time`: total = kinetic + elastic + gravity = start + load_work + actuation_work +
 * motion_work - dissipated + error. */
typedef struct vxe_energy {
    double time;      /**< s; the moment the figures belong to: the middle of the last step */
    double kinetic;   /**< J; of the velocities, which belong to that moment too */
    double elastic;   /**< J; links, pressure, floor and contacts: what a linear body at this step exchanges
                         with its kinetic energy without loss */
    double gravity;   /**< J; potential, zero at the start positions */
    double total;     /**< J; kinetic + elastic + gravity */
    double load_work; /**< J; done by forces and torques of regions and by pulls */
    double actuation_work; /**< J; done by expanding and contracting voxels */
    double motion_work;    /**< J; done by prescribed motion */
    double dissipated;     /**< J; taken by all damping, friction, yielding and breaking */
    double error;          /**< J; what does not balance (with audit only) */
} vxe_energy;

/** What sets the time step. */
typedef struct vxe_time_step {
    double dt;           /**< s; what is used: fraction times limit, or less where implicit bond damping would
                            otherwise be more than a tenth off; steps are a half, a quarter, ... of it while something
                            is fast, or rings undamped */
    double limit;        /**< s; largest stable step by the bound */
    double frequency;    /**< rad/s; upper bound of the highest natural frequency */
    double damping;      /**< 1/s; upper bound of the strongest damping rate; 0 where damping is implicit */
    int32_t voxel;       /**< the voxel with the largest stiffness for its mass */
    int32_t link;        /**< the stiffest link of that voxel, or -1 if it has none */
    double classic;      /**< s; 1/(2 pi w0) with w0 = sqrt(k/m) of the stiffest link: the usual rule, for
                            comparison */
    int64_t evaluations; /**< how often the bound was evaluated */
} vxe_time_step;

/** Why vxe_sim_run() came back. */
typedef enum vxe_run_reason {
    VXE_RUN_STEPS = 0,      /**< the steps asked for in this call are done; no condition is met yet */
    VXE_RUN_TIME,           /**< stop time reached */
    VXE_RUN_STOP_STEPS,     /**< stop step count reached */
    VXE_RUN_CYCLES,         /**< stop number of signal cycles reached */
    VXE_RUN_KINETIC_ENERGY, /**< settled: kinetic energy below its floor */
    VXE_RUN_SPEED,          /**< settled: speed below its floor */
    VXE_RUN_FAULT,          /**< cannot go on: see vxe_sim_status() */
    VXE_RUN_FORMULA,        /**< the stop formula is above 0 */
    VXE_RUN_ENERGY_CHANGE,  /**< settled: the energy stays what it is */
    VXE_RUN_MOVEMENT,       /**< settled: movement per step below its floor */
    VXE_RUN_RULE,           /**< a rule has ended it */
    VXE_RUN_FALL            /**< the robot has fallen: see vxe_experiment */
} vxe_run_reason;

/** The largest strain and speed of all steps so far. */
typedef struct vxe_sim_peaks {
    double strain;        /**< largest strain of a link, in size */
    double strain_time;   /**< s; when */
    double speed;         /**< m/s; of the fastest voxel that is not held */
    double speed_time;    /**< s; when */
    int32_t strain_voxel; /**< where: the near voxel of the link; -1: not known (on a device, or none yet) */
    int32_t speed_voxel;  /**< where; -1 likewise */
} vxe_sim_peaks;

/** Fills a struct of `size` bytes with what vxe_default_sim_def() returns. */
VXE_API void vxe_sim_def_init(vxe_sim_def *def, size_t size);
/** Double precision, fraction 0.9, audit on. */
static inline vxe_sim_def vxe_default_sim_def(void)
{
    vxe_sim_def def;
    vxe_sim_def_init(&def, sizeof def);
    return def;
}
/** The GPU that VXE_DEVICE_CUDA uses. VXE_ERROR_INPUT, with what to do, where there is none. */
VXE_API vxe_result vxe_gpu_describe(vxe_gpu_info *info, vxe_error *error);
/** A new simulation at the start of a model's time. The model must outlive it. VXE_ERROR_INPUT or _MEMORY. */
VXE_API vxe_result vxe_sim_create(const vxe_model *model, const vxe_sim_def *def, vxe_sim **sim,
                                  vxe_error *error);
/** Frees a simulation; NULL is fine. */
VXE_API void vxe_sim_destroy(vxe_sim *sim);
/** Back to the start: state, signals, loads and every edit. */
VXE_API void vxe_sim_reset(vxe_sim *sim);
/** The model it runs. */
VXE_API const vxe_model *vxe_sim_model(const vxe_sim *sim);
/** Fills a struct of `size` bytes with what vxe_sim_settings() returns. */
VXE_API void vxe_sim_get_settings(const vxe_sim *sim, vxe_sim_def *def, size_t size);
/** The settings it was made with. */
static inline vxe_sim_def vxe_sim_settings(const vxe_sim *sim)
{
    vxe_sim_def def;
    vxe_sim_get_settings(sim, &def, sizeof def);
    return def;
}
/** Instructions in use: "plain", "portable", "avx2" or "avx512". */
VXE_API const char *vxe_sim_isa(const vxe_sim *sim);
/** Number of threads that step it; 0 for NULL. */
VXE_API int32_t vxe_sim_threads(const vxe_sim *sim);
/** Memory held, bytes, without the model. */
VXE_API size_t vxe_sim_bytes(const vxe_sim *sim);

/** Does `steps` steps, or fewer if it fails: then VXE_ERROR_DIVERGED with the message of vxe_sim_status(),
 * and the state is that of the failure. VXE_ERROR_ARGUMENT. */
VXE_API vxe_result vxe_sim_step(vxe_sim *sim, int64_t steps, vxe_error *error);
/** Does at most `steps` steps and stops earlier at the first condition of `stop` that is met; the last step
 * is shortened to end exactly at stop->time, and at whole numbers of stop->cycles. Calling it again goes on.
 */
VXE_API vxe_run_reason vxe_sim_run(vxe_sim *sim, const vxe_stop *stop, int64_t steps);
/** How the simulation stands; valid until it is stepped. */
VXE_API const vxe_status *vxe_sim_status(const vxe_sim *sim);
/** Name of a fault, for reports: "none", "not finite", ... */
VXE_API const char *vxe_fault_name(vxe_fault fault);
/** Name of a reason, for reports: "time", "cycles", ... */
VXE_API const char *vxe_run_reason_name(vxe_run_reason reason);

/** The state: no copy in double precision; valid until the next step, reset or resume. */
VXE_API const vxe_state *vxe_sim_state(vxe_sim *sim);
/** What the links carry now; computed by this call, valid until the next call or step. VXE_ERROR_MEMORY. */
VXE_API vxe_result vxe_sim_links(vxe_sim *sim, const vxe_links **links, vxe_error *error);
/** Strain, stress and energy per voxel now; computed by this call, valid until the next call or step.
 * VXE_ERROR_MEMORY. */
VXE_API vxe_result vxe_sim_voxels(vxe_sim *sim, const vxe_voxels **voxels, vxe_error *error);
/** The energy account of the last step (before the first: of the start). */
VXE_API vxe_energy vxe_sim_energy(vxe_sim *sim);
/** The time step in use. */
VXE_API vxe_time_step vxe_sim_time_step(const vxe_sim *sim);
/** Time, s. */
VXE_API double vxe_sim_time(const vxe_sim *sim);
/** Centre of mass, m. */
VXE_API void vxe_sim_center_of_mass(const vxe_sim *sim, double center[3]);
/** Total momentum, kg m/s, and angular momentum about the origin, kg m^2/s. Either may be NULL. */
VXE_API void vxe_sim_momentum(const vxe_sim *sim, double momentum[3], double angular[3]);
/** Mean displacement of a region's voxels from the start, m. VXE_ERROR_ARGUMENT if there is no such region.
 */
VXE_API vxe_result vxe_sim_region_displacement(const vxe_sim *sim, int32_t region, double displacement[3],
                                               vxe_error *error);
/** Force, N, and moment about the region's pivot, N m, with which the region's supports acted on the body
 * during the last step (zero where it fixes nothing). Either may be NULL. VXE_ERROR_ARGUMENT if there is no
 * such region. */
VXE_API vxe_result vxe_sim_region_reaction(const vxe_sim *sim, int32_t region, double force[3],
                                           double moment[3], vxe_error *error);
/** Largest displacement from the start, m, rigid motion included; the voxel in *voxel unless NULL. */
VXE_API double vxe_sim_displacement_max(const vxe_sim *sim, int32_t *voxel);
/** Largest absolute strain of a link at the start of the last step. */
VXE_API double vxe_sim_strain_max(const vxe_sim *sim);
/** Fastest voxel, m/s. */
VXE_API double vxe_sim_speed_max(const vxe_sim *sim);
/** The largest of both since the start, with when and where. Checkpoints keep them. */
VXE_API vxe_sim_peaks vxe_sim_peaks_get(const vxe_sim *sim);
/** Value of a signal now, K, for a voxel without actuation of its own. NaN if there is no such signal. */
VXE_API double vxe_sim_signal(const vxe_sim *sim, int32_t signal);
/** Value of a formula now, 0 if the scene has none; x, y and z are the centre of mass of the measured voxels,
 * m, minus `origin` (may be NULL). NaN if there is no such role. */
VXE_API double vxe_sim_formula(vxe_sim *sim, vxe_formula_role role, const double origin[3]);
/** Centre of mass of the voxels that are measured, m. */
VXE_API void vxe_sim_measured_center(const vxe_sim *sim, double center[3]);
/** Pairs of target voxels that are closer than the experiment's distance. */
VXE_API int64_t vxe_sim_close_pairs(const vxe_sim *sim);
/** Voxels that touch the floor and pairs of voxels that touched each other during the last step. Either may
 * be NULL. */
VXE_API void vxe_sim_contacts(const vxe_sim *sim, int64_t *floor, int64_t *pairs);
/** Links broken so far, and links that have yielded so far. Either may be NULL. */
VXE_API void vxe_sim_failures(const vxe_sim *sim, int64_t *broken, int64_t *yielded);
/** Every first yield and every break so far, in the order in which they happened; *count unless NULL. Valid
 * until the next step, reset or resume. NULL if nothing can happen to any link of the model. */
VXE_API const vxe_event *vxe_sim_events(const vxe_sim *sim, int64_t *count);
/** 64-bit hash of the state: FNV-1a over step, time, then position, orientation, velocity and spin voxel by
 * voxel (little-endian doubles, -0 as 0), then friction latches, plastic offsets and broken links. */
VXE_API uint64_t vxe_sim_hash(const vxe_sim *sim);

/** @name Edits while it runs
 *  They take effect with the next step, need no rebuild, are saved in checkpoints and undone by
 * vxe_sim_reset().
 *  @{ */
/** Gravity, m/s^2. */
VXE_API vxe_result vxe_sim_set_gravity(vxe_sim *sim, const double gravity[3], vxe_error *error);
/** The four damping ratios, each >= 0. */
VXE_API vxe_result vxe_sim_set_damping(vxe_sim *sim, double stretch, double rotation, double contact,
                                       double ground, vxe_error *error);
/** Total force, N, and torque, N m, of a region, at once (the ramp of the scene no longer applies to it). */
VXE_API vxe_result vxe_sim_set_load(vxe_sim *sim, int32_t region, const double force[3],
                                    const double torque[3], vxe_error *error);
/** Where a region's fixed translations are taken to, m from the start; it moves there smoothly within `ramp`
 * seconds from now. */
VXE_API vxe_result vxe_sim_set_displacement(vxe_sim *sim, int32_t region, const double displacement[3],
                                            double ramp, vxe_error *error);
/** Base, amplitude (K) and period (s, > 0) of a signal; the phase runs on without a jump when the period
 * changes. */
VXE_API vxe_result vxe_sim_set_signal(vxe_sim *sim, int32_t signal, double base, double amplitude,
                                      double period, vxe_error *error);
/** Pulls a voxel with a force, N, until it is changed; zero lets go. At most 64 voxels at once
 * (VXE_ERROR_LIMIT). */
VXE_API vxe_result vxe_sim_pull(vxe_sim *sim, int32_t voxel, const double force[3], vxe_error *error);
/** Sets all velocities: v = velocity + spin x (p - center), w = spin; m/s and rad/s. For initial motion;
 * the energy account goes on from what it makes. Voxels that are held stay. */
VXE_API vxe_result vxe_sim_set_motion(vxe_sim *sim, const double velocity[3], const double spin[3],
                                      const double center[3], vxe_error *error);
/** Sets the velocity (m/s) and spin (rad/s) of one voxel. The energy account goes on from there. */
VXE_API vxe_result vxe_sim_set_velocity(vxe_sim *sim, int32_t voxel, const double velocity[3],
                                        const double spin[3], vxe_error *error);
/** @} */

/** @name Checkpoints
 *  @{ */
/** Bytes that vxe_sim_save() writes. */
VXE_API size_t vxe_sim_save_size(const vxe_sim *sim);
/** Writes everything that changes into a buffer of at least vxe_sim_save_size() bytes. */
VXE_API vxe_result vxe_sim_save(const vxe_sim *sim, void *buffer, size_t size, vxe_error *error);
/** Takes a state from a buffer. Refused (VXE_ERROR_INPUT) if it is damaged, of another version, another model
 * or other settings; the simulation is then unchanged. */
VXE_API vxe_result vxe_sim_load(vxe_sim *sim, const void *buffer, size_t size, vxe_error *error);
/** The settings that a checkpoint was made with, in *def (which is one of vxe_default_sim_def(); the rest are
 * the defaults): a simulation with them takes it. VXE_ERROR_INPUT if it is no checkpoint of this version. */
VXE_API vxe_result vxe_checkpoint_settings(const void *buffer, size_t size, vxe_sim_def *def,
                                           vxe_error *error);
/** @} */

/** One of many simulations that are run together. */
typedef struct vxe_batch_item {
    vxe_sim *sim;          /**< the caller's; no two items may have the same. NULL: nothing to do */
    const vxe_stop *stop;  /**< when to stop; see vxe_sim_run(); NULL: after `steps` */
    int64_t steps;         /**< at most so many steps in this call */
    vxe_run_reason reason; /**< out: why it ended; vxe_sim_status() tells more of a fault */
    int32_t done;          /**< out: 1 when it has ended, 0 if the batch was stopped before */
} vxe_batch_item;

/** Called from time to time, from one thread at a time, with the number of items that have ended; false stops
 * the batch. */
typedef bool vxe_batch_progress(void *context, int64_t ended, int64_t count);

/** Runs many independent simulations, each on one thread at a time, over `threads` threads (0: all
 * processors). Each gives the same bits as if it were run alone. Make them with def.threads = 1, so that they
 * do not bring threads of their own. `progress` may be NULL. VXE_OK whether or not some end with a fault;
 * VXE_ERROR_ARGUMENT, _INPUT (threads out of range) or _MEMORY. */
VXE_API vxe_result vxe_batch_run(vxe_batch_item *items, int64_t count, int32_t threads,
                                 vxe_batch_progress *progress, void *context, vxe_error *error);

#ifdef __cplusplus
}
#endif

#endif
