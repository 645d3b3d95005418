/* NPY, NPZ and MagicaVoxel as scene formats: rows of the table in formats.c. */
#include "io/formats.h"
#include "voxelastic/mesh.h"

#include <string.h>

vxe_result vxe_grid_format_load(const char *path, const vxe_load_def *def, vxe_scene **scene,
                                vxe_notes *notes, vxe_error *error)
{
    (void)def;
    const vxe_result result = vxe_scene_load_grid(path, NULL, scene, error);
    if (result != VXE_OK) return result;
    vxe_notes_add(
        notes, VXE_NOTE_READ, 0, "materials",
        "a grid has voxels only; default materials, a pitch of %g m; voxelastic voxelize sets others",
        vxe_scene_pitch(*scene));
    return VXE_OK;
}

vxe_result vxe_grid_format_save(const vxe_scene *scene, const char *path, vxe_notes *notes, vxe_error *error)
{
    const vxe_result result = vxe_scene_save_grid(scene, path, error);
    const size_t length = strlen(path);
    const bool packed = length > 0 && (path[length - 1] == 'z' || path[length - 1] == 'Z');
    vxe_notes_add(notes, VXE_NOTE_CHANGED, 0, "scene",
                  packed ? "only voxels, pitch and names of materials are kept in a grid"
                         : "only voxels are kept in a grid");
    return result;
}
