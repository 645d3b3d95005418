/* Words of scenes, as they stand in scene files, options and reports. */
#include "scene/choices.h"

const vxe_choice vxe_laws[] = {
    {"linear", VXE_LAW_LINEAR}, {"bilinear", VXE_LAW_BILINEAR}, {"table", VXE_LAW_TABLE}, {NULL, 0}};
const vxe_choice vxe_units_words[] = {
    {"voxels", VXE_UNITS_VOXELS}, {"metres", VXE_UNITS_METRES}, {"fraction", VXE_UNITS_FRACTION}, {NULL, 0}};
const vxe_choice vxe_axes[] = {{"x", VXE_AXIS_X}, {"y", VXE_AXIS_Y}, {"z", VXE_AXIS_Z}, {NULL, 0}};
const vxe_choice vxe_dofs[] = {{"x", VXE_DOF_X},   {"y", VXE_DOF_Y},   {"z", VXE_DOF_Z}, {"rx", VXE_DOF_RX},
                               {"ry", VXE_DOF_RY}, {"rz", VXE_DOF_RZ}, {NULL, 0}};
const vxe_choice vxe_elasticities[] = {
    {"solid", VXE_ELASTICITY_SOLID}, {"beam", VXE_ELASTICITY_BEAM}, {NULL, 0}};
const vxe_choice vxe_planes[] = {
    {"none", VXE_PLANE_NONE}, {"xy", VXE_PLANE_XY}, {"xz", VXE_PLANE_XZ}, {"yz", VXE_PLANE_YZ}, {NULL, 0}};
const vxe_choice vxe_collisions_words[] = {{"off", VXE_COLLISIONS_OFF},
                                           {"grid", VXE_COLLISIONS_GRID},
                                           {"all_every", VXE_COLLISIONS_ALL_EVERY},
                                           {"surface_every", VXE_COLLISIONS_SURFACE_EVERY},
                                           {"all_horizon", VXE_COLLISIONS_ALL_HORIZON},
                                           {"surface_horizon", VXE_COLLISIONS_SURFACE_HORIZON},
                                           {NULL, 0}};
const vxe_choice vxe_touches[] = {
    {"overlap", VXE_TOUCH_OVERLAP}, {"center", VXE_TOUCH_CENTER}, {"reach", VXE_TOUCH_REACH}, {NULL, 0}};
const vxe_choice vxe_experiment_dialects[] = {{"none", VXE_DIALECT_AUTO},
                                              {"voxcad", VXE_DIALECT_VOXCAD},
                                              {"evosoro", VXE_DIALECT_EVOSORO},
                                              {"voxcraft", VXE_DIALECT_VOXCRAFT},
                                              {NULL, 0}};
const vxe_choice vxe_waveforms[] = {{"sine", VXE_WAVE_SINE},
                                    {"square", VXE_WAVE_SQUARE},
                                    {"ramp", VXE_WAVE_RAMP},
                                    {"table", VXE_WAVE_TABLE},
                                    {NULL, 0}};

const vxe_choice vxe_grounds[] = {{"heights", VXE_GROUND_HEIGHTS},
                                  {"slope", VXE_GROUND_SLOPE},
                                  {"steps", VXE_GROUND_STEPS},
                                  {"stairs", VXE_GROUND_STAIRS},
                                  {"gap", VXE_GROUND_GAP},
                                  {"rough", VXE_GROUND_ROUGH},
                                  {NULL, 0}};
