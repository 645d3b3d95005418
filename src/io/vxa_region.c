/* Boundary conditions of the VoxCAD family: boxes, spheres, cylinders and meshes, in the new list or the two
 * old ones. Which voxels a shape takes follows those programs: a box by overlap, a sphere by reach, a
 * cylinder or a mesh by the centre. */
#include "io/vxa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MESH_WORK_MAX 2e9 /* voxels times facets that a mesh region may cost */
#define RAMP 0.1          /* s; within which prescribed displacements are reached */

/* The workspace in voxels along each axis: rows and layers may be shifted. */
static void find_extent(vxa_reader *r, double extent[3])
{
    const xmlNode *lattice = vxe_xml_peek(r->object, "Lattice");
    int32_t size[3];
    vxe_scene_size(r->scene, size);
    for (int a = 0; a < 3; a++) extent[a] = size[a];
    const char *const names[2][2] = {{"X_Line_Offset", "X_Layer_Offset"},
                                     {"Y_Line_Offset", "Y_Layer_Offset"}};
    for (int a = 0; a < 2; a++) {
        double most = 0.0;
        for (int i = 0; i < 2; i++) {
            xmlChar *text = vxe_xml_text(vxe_xml_peek(lattice, names[a][i]));
            const char *end = NULL;
            if (text != NULL) most = fmax(most, vxe_xml_scan_number((const char *)text, &end));
            xmlFree(text);
        }
        if (most > 0.0 && most < 1e6) extent[a] += most;
    }
}

/* --- meshes --- */

typedef struct mesh {
    double *points; /* (3 point_count), voxels */
    int32_t point_count;
    int32_t *corners; /* (3 facet_count) */
    int32_t facet_count;
} mesh;

static void count_children(const xmlNode *group, const char *name, int32_t *count)
{
    *count = 0;
    for (const xmlNode *n = vxe_xml_peek(group, name); n != NULL && *count < 10000000; n = vxe_xml_next(n))
        ++*count;
}

static void read_mesh(vxa_reader *r, const xmlNode *region, mesh *m)
{
    xmlNode *element = vxe_xml_child(region, "CMesh");
    const xmlNode *vertices = vxe_xml_child(element, "Vertices");
    const xmlNode *facets = vxe_xml_child(element, "Facets");
    count_children(vertices, "Vertex", &m->point_count);
    count_children(facets, "Facet", &m->facet_count);
    m->points = vxe_allocate(3 * (size_t)m->point_count + 1, sizeof *m->points);
    m->corners = vxe_allocate(3 * (size_t)m->facet_count + 1, sizeof *m->corners);
    if (m->points == NULL || m->corners == NULL) {
        r->result = vxe_fail_memory(r->error, "a mesh", (size_t)m->point_count * 24);
        return;
    }
    static const char *const axes[3] = {"Vx", "Vy", "Vz"};
    static const char *const names[3] = {"V0", "V1", "V2"};
    int32_t n = 0;
    for (const xmlNode *v = vxe_xml_peek(vertices, "Vertex"); v != NULL && n < m->point_count;
         v = vxe_xml_next(v), n++) {
        for (int a = 0; a < 3; a++) m->points[3 * (size_t)n + (size_t)a] = vxe_vxa_number(r, v, axes[a], 0.0);
    }
    n = 0;
    for (const xmlNode *f = vxe_xml_peek(facets, "Facet"); f != NULL && n < m->facet_count;
         f = vxe_xml_next(f), n++) {
        for (int a = 0; a < 3; a++) {
            const int64_t corner = vxe_vxa_integer(r, f, names[a], -1);
            if (corner < 0 || corner >= m->point_count)
                vxe_vxa_refuse(r, VXE_ERROR_INPUT, f, "vertex %lld of a mesh that has %d", (long long)corner,
                               (int)m->point_count);
            m->corners[3 * (size_t)n + (size_t)a] = (int32_t)corner;
        }
    }
    if (element != NULL) vxe_xml_mark_all(element);
}

/* The mesh fills the box of the region, whatever units its points have. */
static void fit_mesh(mesh *m, const double corner[3], const double size[3], double pitch)
{
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t n = 0; n < m->point_count; n++) {
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], m->points[3 * (size_t)n + (size_t)a]);
            high[a] = fmax(high[a], m->points[3 * (size_t)n + (size_t)a]);
        }
    }
    for (int32_t n = 0; n < m->point_count; n++) {
        for (int a = 0; a < 3; a++) {
            double *at = &m->points[3 * (size_t)n + (size_t)a];
            if (size[a] > 0.0 && high[a] > low[a])
                *at = corner[a] + (*at - low[a]) / (high[a] - low[a]) * size[a];
            else
                *at /= pitch;
        }
    }
}

/* Facets that a ray from a point towards +x crosses, with their sign: not 0 inside. */
static int crossings(const mesh *m, const double p[3])
{
    int total = 0;
    for (int32_t f = 0; f < m->facet_count; f++) {
        const double *v[3];
        for (int i = 0; i < 3; i++) v[i] = &m->points[3 * (size_t)m->corners[3 * (size_t)f + (size_t)i]];
        const double ay = v[1][1] - v[0][1];
        const double az = v[1][2] - v[0][2];
        const double by = v[2][1] - v[0][1];
        const double bz = v[2][2] - v[0][2];
        const double area = ay * bz - az * by;
        if (area == 0.0) continue;
        const double py = p[1] - v[0][1];
        const double pz = p[2] - v[0][2];
        const double s = (py * bz - pz * by) / area;
        const double t = (ay * pz - az * py) / area;
        if (s < 0.0 || t < 0.0 || s + t > 1.0) continue;
        const double x = v[0][0] + s * (v[1][0] - v[0][0]) + t * (v[2][0] - v[0][0]);
        if (x > p[0]) total += area > 0.0 ? 1 : -1;
    }
    return total;
}

/* The voxels whose centre is in the mesh. The ray is led past corners and edges of a regular mesh by a hair.
 */
static void take_mesh(vxa_reader *r, const xmlNode *node, const mesh *m, vxe_shape *shape)
{
    int32_t size[3];
    vxe_scene_size(r->scene, size);
    const double voxels = (double)vxe_scene_voxel_count(r->scene);
    if (voxels * m->facet_count > MESH_WORK_MAX) {
        vxe_vxa_refuse(r, VXE_ERROR_LIMIT, node, "a mesh of %d facets is too large for %.0f voxels",
                       (int)m->facet_count, voxels);
        return;
    }
    int32_t *cells = vxe_allocate(3 * (size_t)voxels + 1, sizeof *cells);
    if (cells == NULL) {
        r->result = vxe_fail_memory(r->error, "the voxels of a region", (size_t)voxels);
        return;
    }
    int32_t count = 0;
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                const double centre[3] = {i + 0.5, j + 0.5 + 1.7e-7, k + 0.5 + 2.3e-7};
                if (vxe_scene_voxel(r->scene, i, j, k) == 0 || crossings(m, centre) == 0) continue;
                cells[3 * (size_t)count] = i;
                cells[3 * (size_t)count + 1] = j;
                cells[3 * (size_t)count + 2] = k;
                count++;
            }
        }
    }
    shape->kind = VXE_SHAPE_CELLS;
    shape->cells = cells;
    shape->cell_count = count;
}

/* --- shapes --- */

static void read_vector(vxa_reader *r, const xmlNode *node, const char *prefix, double limit,
                        double vector[3])
{
    for (int a = 0; a < 3; a++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%s%c", prefix, 'X' + a);
        vector[a] = vxe_vxa_number_within(r, node, name, 0.0, -limit, limit);
    }
}

/* False: the region is left out. */
static bool read_shape(vxa_reader *r, const xmlNode *node, vxe_shape *shape)
{
    double extent[3];
    double corner[3];
    double size[3];
    find_extent(r, extent);
    read_vector(r, node, "", 1e6, corner);
    read_vector(r, node, "d", 1e6, size);
    int32_t cells[3];
    vxe_scene_size(r->scene, cells);
    bool plain = true;
    for (int a = 0; a < 3; a++) plain = plain && extent[a] == cells[a] && size[a] >= 0.0;
    const double largest = fmax(extent[0], fmax(extent[1], extent[2]));
    const double radius = largest * vxe_vxa_number_within(r, node, "Radius", 0.0, 0.0, 1e3);
    const int64_t kind = vxe_vxa_integer(r, node, "PrimType", -1);
    *shape = (vxe_shape){.kind = VXE_SHAPE_BOX, .units = plain ? VXE_UNITS_FRACTION : VXE_UNITS_VOXELS};
    for (int a = 0; a < 3; a++) { /* a size below 0 runs the other way */
        const double low = size[a] < 0.0 ? corner[a] + size[a] : corner[a];
        shape->corner[a] = plain ? low : low * extent[a];
        shape->sides[a] = plain ? size[a] : fabs(size[a]) * extent[a];
    }
    if (kind == 0) return true;
    shape->units = VXE_UNITS_VOXELS;
    if (kind == 2) {
        shape->kind = VXE_SHAPE_SPHERE;
        shape->touch = VXE_TOUCH_REACH;
        for (int a = 0; a < 3; a++) shape->center[a] = corner[a] * extent[a];
        shape->radius[0] = radius;
        return true;
    }
    if (kind == 1) {
        int axis = 0;
        while (axis < 2 && size[axis] == 0.0) axis++;
        shape->kind = VXE_SHAPE_CYLINDER;
        shape->touch = VXE_TOUCH_CENTER;
        shape->axis = (vxe_axis)axis;
        shape->length = fabs(size[axis]) * extent[axis];
        shape->radius[0] = radius;
        for (int a = 0; a < 3; a++)
            shape->center[a] = (corner[a] + (a == axis ? 0.5 * size[axis] : 0.0)) * extent[a];
        return true;
    }
    if (kind == 3) {
        mesh m = {NULL, 0, NULL, 0};
        double low[3];
        double side[3];
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(corner[a], corner[a] + size[a]) * extent[a];
            side[a] = fabs(size[a]) * extent[a];
        }
        read_mesh(r, node, &m);
        if (r->result == VXE_OK) fit_mesh(&m, low, side, vxe_scene_pitch(r->scene));
        if (r->result == VXE_OK) take_mesh(r, node, &m, shape);
        free(m.points);
        free(m.corners);
        return r->result == VXE_OK && shape->kind == VXE_SHAPE_CELLS && shape->cell_count > 0;
    }
    vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(node), "FRegion",
                  "left out: PrimType is missing or not known");
    return false;
}

/* --- regions --- */

static bool is_zero(const double v[3]) { return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0; }

/* What is fixed: by mask, or by the old switch. */
static uint32_t read_fixed(vxa_reader *r, const xmlNode *node)
{
    const int64_t standard = vxe_vxa_switch(r, node, "Fixed", false) ? VXE_DOF_ALL : 0;
    uint32_t fixed = (uint32_t)(vxe_vxa_integer(r, node, "DofFixed", standard) & VXE_DOF_ALL);
    if (r->dialect == VXE_DIALECT_EVOSORO && (fixed & VXE_DOF_TURN) != 0 &&
        (fixed & VXE_DOF_TURN) != VXE_DOF_TURN) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(node), "DofFixed",
                      "evosoro fixes rotations only if all three are: they are free");
        fixed &= VXE_DOF_MOVE;
    }
    return fixed;
}

static void read_motion(vxa_reader *r, const xmlNode *node, vxe_region_def *def)
{
    read_vector(r, node, "Displace", 1e9, def->displacement);
    read_vector(r, node, "AngDisplace", 1e6, def->rotation);
    for (int a = 0; a < 3; a++) {
        if (def->displacement[a] == 0.0 || (def->fixed >> a & 1U) != 0) continue;
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(node), "FRegion",
                      "a displacement of a translation that is not fixed has no effect");
        def->displacement[a] = 0.0;
    }
    if (!is_zero(def->rotation) && (def->fixed & VXE_DOF_TURN) != VXE_DOF_TURN) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(node), "FRegion",
                      "AngDisplace has no effect unless all three rotations are fixed");
        memset(def->rotation, 0, sizeof def->rotation);
    }
    def->in_place = !is_zero(def->rotation);
    if (!is_zero(def->displacement) || !is_zero(def->rotation)) {
        def->ramp = RAMP;
        vxe_notes_add(r->notes, VXE_NOTE_CHANGED, vxe_xml_line(node), "FRegion",
                      "its displacement is reached smoothly within %g s, not at once", RAMP);
    }
}

static bool touches_any(vxa_reader *r, int32_t region)
{
    int32_t size[3];
    vxe_scene_size(r->scene, size);
    for (int32_t k = 0; k < size[2]; k++) {
        for (int32_t j = 0; j < size[1]; j++) {
            for (int32_t i = 0; i < size[0]; i++) {
                if (vxe_scene_voxel(r->scene, i, j, k) != 0 &&
                    vxe_scene_region_touches(r->scene, region, i, j, k))
                    return true;
            }
        }
    }
    return false;
}

static void read_region(vxa_reader *r, const xmlNode *node)
{
    vxe_region_def def = vxe_default_region_def();
    const int32_t number = vxe_scene_region_count(r->scene) + 1;
    (void)snprintf(def.name, sizeof def.name, "region %d", (int)number);
    if (!read_shape(r, node, &def.shape)) {
        if (r->result == VXE_OK)
            vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(node), "FRegion", "it touches no voxel");
        free((void *)def.shape.cells);
        return;
    }
    def.fixed = read_fixed(r, node);
    read_motion(r, node, &def);
    read_vector(r, node, "Force", 1e15, def.force);
    read_vector(r, node, "Torque", 1e15, def.torque);
    vxe_error cause;
    int32_t index = 0;
    if (r->result == VXE_OK && vxe_scene_add_region(r->scene, &def, &index, &cause) != VXE_OK)
        vxe_vxa_refused(r, node, &cause);
    free((void *)def.shape.cells);
    if (r->result == VXE_OK && !touches_any(r, index)) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(node), "FRegion", "it touches no voxel");
        (void)vxe_scene_remove_region(r->scene, index, NULL);
    }
}

static void read_list(vxa_reader *r, const char *group_name, const char *count_name)
{
    const xmlNode *group = vxe_xml_child(r->environment, group_name);
    const int64_t said = vxe_vxa_integer(r, group, count_name, -1);
    int64_t count = 0;
    for (const xmlNode *node = vxe_xml_child(group, "FRegion"); node != NULL && r->result == VXE_OK;
         node = vxe_xml_next(node), count++)
        read_region(r, node);
    if (r->result == VXE_OK && said >= 0 && said != count) {
        vxe_notes_add(r->notes, VXE_NOTE_READ, vxe_xml_line(group), count_name,
                      "%lld, but there are %lld regions", (long long)said, (long long)count);
    }
}

void vxe_vxa_read_regions(vxa_reader *r)
{
    if (vxe_xml_peek(r->environment, "Boundary_Conditions") != NULL) {
        read_list(r, "Boundary_Conditions", "NumBCs");
    } else {
        read_list(r, "Fixed_Regions", "NumFixed");
        read_list(r, "Forced_Regions", "NumForced");
    }
}
