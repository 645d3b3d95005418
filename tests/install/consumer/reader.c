/* A program outside the project that reads a scene and solves it. */
#include <stdio.h>
#include <string.h>
#include <voxelastic/voxelastic.h>

static const char text[] =
    "{\"voxelastic\": 1, \"lattice\": {\"pitch\": 0.01, \"size\": [4, 1, 1]},"
    " \"materials\": [{\"name\": \"rubber\", \"youngs_modulus\": 1e6, \"density\": 1000}],"
    " \"shapes\": [{\"box\": {\"corner\": [0, 0, 0], \"size\": [4, 1, 1]}, \"material\": \"rubber\"}]}";

int main(void)
{
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    const vxe_result result =
        vxe_scene_parse(text, strlen(text), "bar.json", NULL, NULL, &scene, NULL, &error);
    if (result != VXE_OK) fprintf(stderr, "%s\n", error.message);
    printf("a scene of %d voxels; solvers: %s\n", (int)vxe_scene_voxel_count(scene),
           vxe_solve_available() ? "yes" : "no");
    vxe_scene_destroy(scene);
    return result == VXE_OK ? 0 : 1;
}
