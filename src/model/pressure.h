/* Building blocks of the pressure of `solid`, used by compile.c. */
#ifndef MODEL_PRESSURE_H
#define MODEL_PRESSURE_H

#include "model/model.h"

/* Modulus of a pressure class of a material, Pa: 0..6 free faces, then PRESSURE_CLAMPED + 0..4 lateral free
 * faces of a half voxel. */
double vxe_pressure_modulus(const material_constants *c, int pressure_class);

/* Which voxels a clamp cuts in half. Needs neighbours and regions. */
vxe_result vxe_build_clamps(vxe_model *model, vxe_error *error);

/* Which voxels rollers press on. Needs clamps. */
vxe_result vxe_build_rollers(vxe_model *model, vxe_error *error);

/* Classes, face loads and shares. Needs clamps and rollers. */
vxe_result vxe_build_pressure(vxe_model *model, vxe_error *error);

/* Whether a roller presses on a voxel along an axis. */
bool vxe_is_pressed(const vxe_model *model, int32_t v, int axis);

/* Whether a clamp's plane runs along a link and leaves half of it. */
bool vxe_link_is_halved(const vxe_model *model, int32_t v, int32_t w, int axis);

#endif
