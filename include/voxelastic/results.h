/** @file results.h
 *  Results of a simulation as files for other programs: ParaView, mesh viewers, spreadsheets, NumPy.
 *  docs/files.md lists what is in them. Files are written to a temporary name and renamed. All functions
 * return VXE_ERROR_FILE or _MEMORY (and _INPUT for a name that tells no format) and leave the simulation as
 * it is.
 */
#ifndef VOXELASTIC_RESULTS_H
#define VOXELASTIC_RESULTS_H

#include "sim.h"
#include "skin.h"
#include "solve.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes the voxels as hexahedra with deformed corners in a VTK XML file (.vtu, appended binary, zlib), with
 * the time, s, and for every voxel: displacement_m, velocity_m_per_s, strain, stress_Pa, pressure_Pa,
 * energy_J, contact_force_N, growth, material and body. `skin` is one of this simulation and is updated;
 * NULL: one is made. */
VXE_API vxe_result vxe_write_vtu(vxe_sim *sim, vxe_skin *skin, const char *path, vxe_error *error);
/** Writes a .pvd file: ParaView's list of `count` files with their times, s. The names are as seen from the
 * .pvd file. */
VXE_API vxe_result vxe_write_pvd(const char *path, const double *times, const char *const *files,
                                 int32_t count, vxe_error *error);
/** Writes mode shapes in a .vtu file: the voxels as they are in the simulation, and for every mode how their
 * corners move, the largest displacement of a voxel being 1. */
VXE_API vxe_result vxe_write_modes_vtu(vxe_sim *sim, const vxe_modes *modes, const char *path,
                                       vxe_error *error);

/** Writes the deformed surface, m, by the end of the name: .stl (binary; colours as VisCAM has them), .obj
 * (with a .mtl file of the colours beside it), .ply (binary, colours at the vertices). Colours are those of
 * the scene's materials; `scene` NULL: made up. `skin` as above. */
VXE_API vxe_result vxe_write_surface(vxe_sim *sim, vxe_skin *skin, const vxe_scene *scene, const char *path,
                                     vxe_error *error);

/** Writes a table (CSV) with a line for every voxel; the first line has the names of the columns with their
 * units.
 */
VXE_API vxe_result vxe_write_voxels(vxe_sim *sim, const char *path, vxe_error *error);

/** The motion of all voxels, frame by frame, on its way into an NPZ file. */
typedef struct vxe_trajectory vxe_trajectory;
/** Begins; frames are kept in files without a name in the folder of `path` until the end. */
VXE_API vxe_result vxe_trajectory_create(const vxe_sim *sim, const char *path, vxe_trajectory **trajectory,
                                         vxe_error *error);
/** Adds the simulation as it is now. */
VXE_API vxe_result vxe_trajectory_add(vxe_trajectory *trajectory, vxe_sim *sim, vxe_error *error);
/** Writes the file: time (s) and step of the T frames; position (m), orientation (w, x, y, z), velocity
 * (m/s), strain, stress (Pa), energy (J), contact_force (N) and growth of the N voxels in each, [T,N,...];
 * cell [N,3], material [N], start (m) [N,3] and pitch (m). More frames may follow. */
VXE_API vxe_result vxe_trajectory_write(vxe_trajectory *trajectory, vxe_error *error);
/** Frees a trajectory; NULL is fine. */
VXE_API void vxe_trajectory_destroy(vxe_trajectory *trajectory);

#ifdef __cplusplus
}
#endif

#endif
