/* What the fuzz targets of meshes and grids share: anything may be refused, with a message in plain text;
 * what is accepted must be sound. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "base/base.h"
#include "mesh/mesh.h"
#include "voxelastic/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_check_error(const vxe_error *error)
{
    if (error->code == VXE_OK || error->message[0] == '\0' || !vxe_valid_text(error->message)) abort();
}

/* Measures are finite, the patch closes the openings, and a small grid can be filled. */
static inline void fuzz_check_mesh(vxe_mesh *mesh)
{
    const vxe_mesh_view *view = vxe_mesh_get(mesh);
    if (!isfinite(view->area) || !isfinite(view->volume) || view->triangle_count < 1) abort();
    if (mesh->patch_count > 0) {
        vxe_mesh *closed = NULL;
        mesh_builder b = {0};
        vxe_error error;
        const size_t own = (size_t)view->triangle_count;
        const size_t patch = (size_t)mesh->patch_count;
        if (vxe_mesh_builder_reserve(&b, "fuzz", (size_t)view->vertex_count, own + patch, &error) != VXE_OK)
            abort();
        memcpy(b.vertex, mesh->vertex, 3 * (size_t)view->vertex_count * sizeof *b.vertex);
        memcpy(b.triangle, mesh->triangle, 3 * own * sizeof *b.triangle);
        memcpy(b.triangle + 3 * own, mesh->patch, 3 * patch * sizeof *b.triangle);
        b.vertex_count = (size_t)view->vertex_count;
        b.triangle_count = own + patch;
        if (vxe_mesh_builder_finish(&b, "fuzz", 1.0, &closed, &error) != VXE_OK ||
            vxe_mesh_get(closed)->open_edges != 0)
            abort();
        vxe_mesh_destroy(closed);
    }
    const vxe_mesh *const meshes[1] = {mesh};
    const vxe_material_def material = vxe_default_material_def();
    const vxe_voxelize_def def = {.voxels = 6};
    vxe_scene *scene = NULL;
    vxe_error error;
    if (vxe_voxelize(meshes, &material, 1, &def, &scene, NULL, &error) != VXE_OK) fuzz_check_error(&error);
    vxe_scene_destroy(scene);
}

static inline int fuzz_mesh(const uint8_t *data, size_t size, const char *name)
{
    vxe_mesh *mesh = NULL;
    vxe_error error;
    if (size > 100000) return 0;
    if (vxe_mesh_parse((const char *)data, size, name, 1e-3, &mesh, &error) != VXE_OK) {
        fuzz_check_error(&error);
    } else {
        fuzz_check_mesh(mesh);
    }
    vxe_mesh_destroy(mesh);
    return 0;
}

static inline int fuzz_grid(const uint8_t *data, size_t size, const char *name)
{
    vxe_scene *scene = NULL;
    vxe_scene *coarse = NULL;
    vxe_error error;
    if (size > 100000) return 0;
    if (vxe_scene_parse_grid((const char *)data, size, name, NULL, &scene, &error) != VXE_OK) {
        fuzz_check_error(&error);
        return 0;
    }
    if (vxe_scene_voxel_count(scene) > 0 && vxe_scene_check(scene, &error) != VXE_OK) abort();
    vxe_coarsen_report report;
    if (vxe_scene_coarsen(scene, 2, &coarse, &report, &error) != VXE_OK) {
        fuzz_check_error(&error);
    } else if ((vxe_scene_voxel_count(coarse) == 0) != (vxe_scene_voxel_count(scene) == 0)) {
        abort();
    }
    vxe_scene_destroy(coarse);
    vxe_scene_destroy(scene);
    return 0;
}

#endif
