/* Contacts are solved in double whatever `real` is: what they need of src/kernel, once more, with names that
 * begin with `exact_`. */
#ifndef BACKEND_CUDA_EXACT_H
#define BACKEND_CUDA_EXACT_H

#include "kernel/voxel.h"

#pragma push_macro("VXE_REAL")
#pragma push_macro("VXE_REAL_IS_FLOAT")
#undef VXE_REAL
#undef VXE_REAL_IS_FLOAT
#define VXE_REAL double
#undef KERNEL_REAL_H
#undef KERNEL_CONTACT_H
#undef KERNEL_PAIR_H
#undef KERNEL_VOXEL_H
#define real exact_real
#define real_mask exact_real_mask
#define real_of exact_real_of
#define real_sqrt exact_real_sqrt
#define real_select exact_real_select
#define real_max exact_real_max
#define real_min exact_real_min
#define real_any exact_real_any
#define rvec exact_rvec
#define rvec_add exact_rvec_add
#define rvec_sub exact_rvec_sub
#define rvec_scale exact_rvec_scale
#define rvec_dot exact_rvec_dot
#define rvec_cross exact_rvec_cross
#define rquat exact_rquat
#define rquat_axis exact_rquat_axis
#define rquat_half_axis exact_rquat_half_axis
#define rquat_relative exact_rquat_relative
#define contact_spring exact_contact_spring
#define contact_edge exact_contact_edge
#define contact_energy exact_contact_energy
#define contact_rest_force exact_contact_rest_force
#define contact_press exact_contact_press
#define contact_damp exact_contact_damp
#define contact_press_damp exact_contact_press_damp
#define contact_normal exact_contact_normal
#define contact_normal_in exact_contact_normal_in
#define contact_normal_of exact_contact_normal_of
#define contact_after exact_contact_after
#define contact_grip exact_contact_grip
#define contact_slip exact_contact_slip
#define contact_friction exact_contact_friction
#define voxel_constants exact_voxel_constants
#define voxel_keep exact_voxel_keep
#define voxel_keep_half exact_voxel_keep_half
#define voxel_velocity exact_voxel_velocity
#define floor_spring exact_floor_spring
#define floor_step exact_floor_step
#define floor_contact exact_floor_contact
#define floor_terms exact_floor_terms
#define floor_terms_of exact_floor_terms_of
#define voxel_on_floor exact_voxel_on_floor
#define voxel_on_floor_with exact_voxel_on_floor_with
#define voxel_turn exact_voxel_turn
#define pair_times exact_pair_times
#define pair_motion exact_pair_motion
#define pair_place exact_pair_place
#define pair_yield exact_pair_yield
#define pair_start exact_pair_start
#define pair_force exact_pair_force
#define pair_memory exact_pair_memory
#define pair_across exact_pair_across
#define pair_spring exact_pair_spring
#define pair_grip exact_pair_grip
#define pair_velocity exact_pair_velocity
#define pair_begin exact_pair_begin
#define pair_last_force exact_pair_last_force
#define pair_answer exact_pair_answer
#define pair_solve exact_pair_solve
#define pair_impulse exact_pair_impulse
#define pair_end exact_pair_end
#define pair_close exact_pair_close
#include "kernel/pair.h"
#include "kernel/voxel.h"
#undef real
#undef real_mask
#undef real_of
#undef real_sqrt
#undef real_select
#undef real_max
#undef real_min
#undef real_any
#undef rvec
#undef rvec_add
#undef rvec_sub
#undef rvec_scale
#undef rvec_dot
#undef rvec_cross
#undef rquat
#undef rquat_axis
#undef rquat_half_axis
#undef rquat_relative
#undef contact_spring
#undef contact_edge
#undef contact_energy
#undef contact_rest_force
#undef contact_press
#undef contact_damp
#undef contact_press_damp
#undef contact_normal
#undef contact_normal_in
#undef contact_normal_of
#undef contact_after
#undef contact_grip
#undef contact_slip
#undef contact_friction
#undef voxel_constants
#undef voxel_keep
#undef voxel_keep_half
#undef voxel_velocity
#undef floor_spring
#undef floor_step
#undef floor_contact
#undef floor_terms
#undef floor_terms_of
#undef voxel_on_floor
#undef voxel_on_floor_with
#undef voxel_turn
#undef pair_times
#undef pair_motion
#undef pair_place
#undef pair_yield
#undef pair_start
#undef pair_force
#undef pair_memory
#undef pair_across
#undef pair_spring
#undef pair_grip
#undef pair_velocity
#undef pair_begin
#undef pair_last_force
#undef pair_answer
#undef pair_solve
#undef pair_impulse
#undef pair_end
#undef pair_close
#pragma pop_macro("VXE_REAL_IS_FLOAT")
#pragma pop_macro("VXE_REAL")

#endif
