/* The inside of vxe_mesh, and what the readers of mesh files share. */
#ifndef MESH_MESH_H
#define MESH_MESH_H

#include "base/base.h"
#include "voxelastic/mesh.h"

struct vxe_mesh {
    vxe_mesh_view view;
    double *vertex;    /* (3 vertex_count) */
    int32_t *triangle; /* (3 triangle_count) */
    int32_t *patch;    /* triangles that close the openings, (3 patch_count); vertices as in `triangle` */
    int32_t patch_count;
};

/* A mesh that grows while a file is read. Zero it first. */
typedef struct mesh_builder {
    double *vertex;
    size_t vertex_count;
    size_t vertex_room;
    int32_t *triangle;
    size_t triangle_count;
    size_t triangle_room;
} mesh_builder;

void vxe_mesh_builder_free(mesh_builder *builder);
/* Make room for as many more, so that a count that a file promises is checked once. VXE_ERROR_LIMIT or
 * _MEMORY; `name` begins the message. */
vxe_result vxe_mesh_builder_reserve(mesh_builder *builder, const char *name, size_t vertices,
                                    size_t triangles, vxe_error *error);
/* Add one. Indices are checked by vxe_mesh_builder_finish(). */
vxe_result vxe_mesh_builder_vertex(mesh_builder *builder, const char *name, const double vertex[3],
                                   vxe_error *error);
vxe_result vxe_mesh_builder_triangle(mesh_builder *builder, const char *name, const int32_t triangle[3],
                                     vxe_error *error);
/* Makes the mesh, its lengths times `unit`, and empties the builder, also when it fails. */
vxe_result vxe_mesh_builder_finish(mesh_builder *builder, const char *name, double unit, vxe_mesh **mesh,
                                   vxe_error *error);

/* Finds the openings of a mesh: fills open_edges, patch and patch_count (openings.c). */
vxe_result vxe_mesh_close(vxe_mesh *mesh, const char *name, vxe_error *error);

/* --- formats ------------------------------------------------------------------------------------------------- */

vxe_result vxe_mesh_read_stl(const char *data, size_t size, const char *name, mesh_builder *builder,
                             vxe_error *error);
vxe_result vxe_mesh_read_obj(const char *data, size_t size, const char *name, mesh_builder *builder,
                             vxe_error *error);
vxe_result vxe_mesh_read_ply(const char *data, size_t size, const char *name, mesh_builder *builder,
                             vxe_error *error);
/* Sets *unit to what the file says. */
vxe_result vxe_mesh_read_3mf(const char *data, size_t size, const char *name, double *unit,
                             mesh_builder *builder, vxe_error *error);

/* The XML inside. */
vxe_result vxe_mesh_read_model(const char *text, size_t size, const char *name, double *unit, mesh_builder *b,
                               vxe_error *error);

/* --- winding.c ----------------------------------------------------------------------------------------------- */

/* Solid angle of a triangle seen from a point, divided by 4 pi; positive if it turns its back (that is, if
 * the point is on the inner side). 0 for a point in its plane. */
double vxe_mesh_solid_angle(const double *a, const double *b, const double *c, const double point[3]);

/* Triangles in a tree, for the winding number of many points. */
typedef struct winding_tree winding_tree;
/* NULL if there is no memory. `triangle` must outlive the tree; it is sorted by it. */
winding_tree *vxe_winding_tree_create(const double *vertex, int32_t *triangle, int32_t count);
void vxe_winding_tree_destroy(winding_tree *tree);
/* Within about 0.01 of the sum of vxe_mesh_solid_angle(). */
double vxe_winding_tree_evaluate(const winding_tree *tree, const double point[3]);
/* Whether the winding number of the tree's triangles is below `limit`, of either sign, at every point within
 * `radius` of a place. False: it may not be. */
bool vxe_winding_tree_is_below(const winding_tree *tree, const double place[3], double radius, double limit);

#endif
