/** @file drive.h
 *  Driving a simulation from outside: all its numbers as arrays, sizes of single voxels as targets, forces on
 * every voxel, sensors, and bodies that change while they move. Everything here happens between steps.
 */
#ifndef VOXELASTIC_DRIVE_H
#define VOXELASTIC_DRIVE_H

#include "sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name Arrays
 *  @{ */

/** What the elements of an array are. */
typedef enum vxe_type {
    VXE_TYPE_F64 = 1, /**< double */
    VXE_TYPE_F32 = 2, /**< float */
    VXE_TYPE_I32 = 3, /**< int32_t */
    VXE_TYPE_U16 = 4, /**< uint16_t */
    VXE_TYPE_U8 = 5   /**< uint8_t */
} vxe_type;

/** Where an array lies. */
typedef enum vxe_place {
    VXE_PLACE_HOST = 0,  /**< in memory that the processor reads */
    VXE_PLACE_DEVICE = 1 /**< in memory of a device */
} vxe_place;

/** Quantities that are there as arrays; voxels are numbered as in the model. */
typedef enum vxe_quantity {
    VXE_QUANTITY_POSITION = 0,  /**< m, (voxels, 3) */
    VXE_QUANTITY_ORIENTATION,   /**< unit quaternion w x y z, body to world, (voxels, 4) */
    VXE_QUANTITY_VELOCITY,      /**< m/s, (voxels, 3) */
    VXE_QUANTITY_SPIN,          /**< rad/s, world axes, (voxels, 3) */
    VXE_QUANTITY_FORCE,         /**< N, total of the last step, (voxels, 3) */
    VXE_QUANTITY_MOMENT,        /**< N m, likewise */
    VXE_QUANTITY_CONTACT_FORCE, /**< N, by the floor and by other voxels, in the last step, (voxels, 3) */
    VXE_QUANTITY_GROWTH,        /**< size in pitches, minus 1, (voxels) */
    VXE_QUANTITY_PRESSURE,      /**< Pa, positive in tension, (voxels) */
    VXE_QUANTITY_STUCK,         /**< not 0: held on the floor by static friction, (voxels) */
    VXE_QUANTITY_APPLIED_FORCE, /**< N, set by vxe_sim_set_array(), (voxels, 3) */
    VXE_QUANTITY_START,         /**< m, positions at the start, (voxels, 3) */
    VXE_QUANTITY_CELL,          /**< lattice coordinates, (voxels, 3) */
    VXE_QUANTITY_MATERIAL,      /**< number in the palette, from 1, (voxels) */
    VXE_QUANTITY_BODY,          /**< which connected piece of the scene, from 0, (voxels) */
    VXE_QUANTITY_FIXED,         /**< vxe_dof bits that are held, (voxels) */
    VXE_QUANTITY_ACTUATED, /**< numbers of the voxels that can change their size, increasing, (actuated) */
    VXE_QUANTITY_COUNT     /**< how many there are */
} vxe_quantity;

/** An array somewhere in memory. Element (i, j) is at (char *)data + i strides[0] + j strides[1]. */
typedef struct vxe_array {
    void *data;         /**< the first element; what vxe_sim_array() gives is for reading only */
    vxe_type type;      /**< of the elements */
    vxe_place place;    /**< where it lies */
    int32_t dimensions; /**< 1 or 2 */
    int64_t shape[2];   /**< elements along each; [1] is 1 where there is one only */
    int64_t strides[2]; /**< bytes from one to the next */
    const char *unit;   /**< "m", "m/s", ...; "" for numbers without; may be NULL where an array is given */
} vxe_array;

/** Name of a quantity: "position", "contact_force", ...; NULL if there is none. */
VXE_API const char *vxe_quantity_name(vxe_quantity quantity);
/** A quantity as an array, without a copy. The array stays where it is as long as the simulation lives, and
 * always shows the state after the last step, edit or resume. In single precision it is what the library
 * keeps in double beside. VXE_ERROR_ARGUMENT, or _MEMORY (the first time, for applied forces). */
VXE_API vxe_result vxe_sim_array(vxe_sim *sim, vxe_quantity quantity, vxe_array *array, vxe_error *error);
/** Sets positions, orientations (made unit length), velocities, spins or applied forces of all voxels from an
 * array of that shape, of double or float, in host memory. What is held stays. Applied forces act until they
 * are set again and count as work of loads; after the rest the energy account goes on from there. Saved in
 * checkpoints, undone by
 * vxe_sim_reset(). VXE_ERROR_ARGUMENT for another quantity, type or shape; _INPUT for numbers that are not
 * finite; _MEMORY. */
VXE_API vxe_result vxe_sim_set_array(vxe_sim *sim, vxe_quantity quantity, const vxe_array *values,
                                     vxe_error *error);
/** @} */

/** @name Control
 *  @{ */

/** What a target says. */
typedef enum vxe_target {
    VXE_TARGET_SIZE = 1,       /**< size in pitches; 1 is the size at rest */
    VXE_TARGET_TEMPERATURE = 2 /**< K; its size is what the material and signal of the voxel make of it */
} vxe_target;

/** Number of voxels that can change their size: those of a material with an expansion that a signal drives,
 * and those that grow. 0 for NULL. */
VXE_API int32_t vxe_sim_actuated_count(const vxe_sim *sim);
/** Takes actuated voxels to sizes or temperatures, linearly within `ramp` seconds from now (0: with the next
 * step), and keeps them there; from now on their signals do not count. `voxels` are `count` voxel numbers;
 * NULL: all actuated voxels in their order, and `count` must be how many there are. NaN gives a voxel back to
 * its signal, within the same time. Targets are limited like the sizes that the signal makes. Saved in
 * checkpoints, undone by vxe_sim_reset(); the account books it as work of actuation. VXE_ERROR_ARGUMENT for a
 * voxel that is none or is not actuated, _INPUT for infinite targets or a bad ramp, _MEMORY. */
VXE_API vxe_result vxe_sim_set_targets(vxe_sim *sim, vxe_target kind, const int32_t *voxels, int32_t count,
                                       const double *targets, double ramp, vxe_error *error);
/** The sizes, in pitches, that were last asked for, of all actuated voxels in their order; NaN where the
 * signal rules. */
VXE_API void vxe_sim_targets(const vxe_sim *sim, double *targets);
/** @} */

/** @name Sensors
 *  @{ */

/** What can be sensed, after the last step. */
typedef enum vxe_sense {
    VXE_SENSE_STRAIN = 0,   /**< mean axial strain of a voxel's links along its own axes x, y, z, its growth
                               not counted; 0 where there is none; 3 numbers */
    VXE_SENSE_VOLUME,       /**< volume by that of a voxel at rest: the product of its mean link lengths along
                               its axes (its own size where there is no link) over the pitch; 1 number */
    VXE_SENSE_SIZE,         /**< own size in pitches: 1 plus growth; 1 number */
    VXE_SENSE_POSITION,     /**< m; 3 numbers */
    VXE_SENSE_VELOCITY,     /**< m/s, world axes; 3 numbers */
    VXE_SENSE_VELOCITY_OWN, /**< m/s, in the axes of the voxel; 3 numbers */
    VXE_SENSE_SPIN,         /**< rad/s, world axes; 3 numbers */
    VXE_SENSE_ORIENTATION,  /**< unit quaternion w x y z, body to world; 4 numbers */
    VXE_SENSE_TOUCH_FLOOR,  /**< N; force of the floor, world axes; 3 numbers */
    VXE_SENSE_TOUCH_BODIES, /**< N; force of voxels that it is not linked to, world axes; 3 numbers */
    VXE_SENSE_TOUCH,        /**< 1: touches the floor, plus 2: touches another voxel; 1 number */
    VXE_SENSE_CENTER,       /**< m; centre of mass of all voxels asked for; 3 numbers in all */
    VXE_SENSE_CENTER_VELOCITY, /**< m/s; its velocity; 3 numbers in all */
    VXE_SENSE_COUNT            /**< how many there are */
} vxe_sense;

/** Name of a sense: "strain", "touch_floor", ...; NULL if there is none. */
VXE_API const char *vxe_sense_name(vxe_sense sense);
/** Numbers per voxel; 0 if there is no such sense. */
VXE_API int32_t vxe_sense_width(vxe_sense sense);
/** Senses something of `count` voxels (NULL: all, and `count` is ignored) into `out`: vxe_sense_width()
 * numbers for each voxel, one after the other; centres: for all together. A region's voxels are in the
 * model's view. Allocates nothing. VXE_ERROR_ARGUMENT. */
VXE_API vxe_result vxe_sim_sense(vxe_sim *sim, vxe_sense sense, const int32_t *voxels, int32_t count,
                                 double *out, vxe_error *error);

/** Something that touched during the last step. */
typedef struct vxe_contact {
    int32_t voxel;      /**< which */
    int32_t other;      /**< what it touched: a voxel of a larger number, or -1: the floor */
    double position[3]; /**< m; where, as things are now */
    double force[3];    /**< N; on `voxel`; the other one gets the opposite */
} vxe_contact;
/** Contacts, floor first, in order of voxels; at most `room` of them are written to `contacts` (may be NULL
 * where room is 0). Returns how many there are. */
VXE_API int64_t vxe_sim_contact_list(vxe_sim *sim, vxe_contact *contacts, int64_t room);
/** @} */

/** @name Bodies that change
 *  @{ */

/** Cuts the link along `axis` that starts at `voxel`, as if it had failed: it is on the list of events and in
 * checkpoints, and comes back with vxe_sim_reset(). VXE_ERROR_ARGUMENT if there is no such link (any more),
 * _MEMORY. */
VXE_API vxe_result vxe_sim_break_link(vxe_sim *sim, vxe_axis axis, int32_t voxel, vxe_error *error);
/** Takes a state over from a simulation of another scene: to remove or add voxels, or to change materials,
 * edit the scene, compile it, make a simulation and carry the state over. Voxels at the same lattice place
 * keep pose, motion, size, target, applied force and plastic strain; links that were broken stay broken; new
 * voxels that are linked to such ones are put beside them and move with them, others stay at their start.
 * Time, signals and regions of the same name, gravity and damping go on as they were. So do rules of the same
 * kind with the same name, or without one at the same place of the list: impulses, memories, sizes that were
 * driven or developed, bonds. Voxels that had grown or disappeared stay so, where rules of `to` can make them
 * grow or disappear; else the voxels of its scene are there. `to` must be of the same pitch; it is reset
 * first. VXE_ERROR_INPUT, _ARGUMENT or _MEMORY. */
VXE_API vxe_result vxe_sim_carry(vxe_sim *to, const vxe_sim *from, vxe_error *error);
/** @} */

#ifdef __cplusplus
}
#endif

#endif
