/* Meshes into voxels.
 *
 * A line along x is drawn through each row of voxel centres, and every triangle that it crosses adds or takes
 * one from the winding number of the centres beyond. Whether a triangle is crossed is decided edge by edge,
 * and both triangles of an edge see the same rounded answer: so what enters a closed mesh leaves it, on every
 * line, through edges and corners too. Layers of rows are filled from below, each from the triangles that
 * reach it.
 *
 * A mesh with openings is closed by its patch (openings.c) first; what the patch adds is taken off again by
 * its solid angle. */
#include "mesh/mesh.h"
#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Voxels of a row that are looked at together: far from the openings what they take away is less than a half
 * and decides nothing. */
enum { STRETCH = 16 };

/* One mesh on its way into a grid. Coordinates are in units of the pitch, from the origin of the grid. */
typedef struct filler {
    const vxe_mesh *mesh;
    double pitch;
    const double *origin; /* m */
    const int32_t *size;
    double *vertex;    /* scaled, (3 vertex_count) */
    int32_t *triangle; /* mesh and patch, (3 count) */
    int32_t count;
    int32_t *layer_first; /* triangles whose lowest layer is this: the first, or -1, (size[2]) */
    int32_t *layer_next;  /* and the next of the same layer, (count) */
    int32_t *active;      /* triangles that reach this layer or higher, (count) */
    int32_t active_count;
    int32_t
        *crossings; /* change of the winding number before a centre, (size[0] + 1) by row, (size[1]) rows */
    winding_tree *tree; /* of the patch; NULL: the mesh is closed */
} filler;

static void free_filler(filler *f)
{
    free(f->vertex);
    free(f->triangle);
    free(f->layer_first);
    free(f->layer_next);
    free(f->active);
    free(f->crossings);
    vxe_winding_tree_destroy(f->tree);
}

/* The first centre at or beyond a coordinate, along an axis of n voxels: 0 to n. A centre exactly on it
 * counts as not yet beyond (`beyond`) or as there. */
static int32_t first_centre(double coordinate, int32_t n, bool beyond)
{
    const double place = coordinate - 0.5;
    const double index = beyond ? floor(place) + 1.0 : ceil(place);
    return index <= 0.0 ? 0 : index >= (double)n ? n : (int32_t)index;
}

static bool prepare_filler(filler *f)
{
    const vxe_mesh_view *view = &f->mesh->view;
    if (!vxe_machine_holds((size_t)f->size[1] * ((size_t)f->size[0] + 1) * sizeof *f->crossings))
        return false;
    const size_t own = (size_t)view->triangle_count;
    const size_t patch = (size_t)f->mesh->patch_count;
    f->count = (int32_t)(own + patch);
    f->vertex = vxe_allocate(3 * (size_t)view->vertex_count, sizeof *f->vertex);
    f->triangle = vxe_allocate(3 * (own + patch), sizeof *f->triangle);
    f->layer_first = vxe_allocate((size_t)f->size[2], sizeof *f->layer_first);
    f->layer_next = vxe_allocate(own + patch, sizeof *f->layer_next);
    f->active = vxe_allocate(own + patch, sizeof *f->active);
    f->crossings = vxe_allocate((size_t)f->size[1] * ((size_t)f->size[0] + 1), sizeof *f->crossings);
    if (f->vertex == NULL || f->triangle == NULL || f->layer_first == NULL || f->layer_next == NULL ||
        f->active == NULL || f->crossings == NULL)
        return false;
    for (size_t i = 0; i < 3 * (size_t)view->vertex_count; i++)
        f->vertex[i] = (f->mesh->vertex[i] - f->origin[i % 3]) / f->pitch;
    memcpy(f->triangle, f->mesh->triangle, 3 * own * sizeof *f->triangle);
    if (patch > 0) {
        memcpy(f->triangle + 3 * own, f->mesh->patch, 3 * patch * sizeof *f->triangle);
        f->tree = vxe_winding_tree_create(f->vertex, f->triangle + 3 * own, (int32_t)patch);
        if (f->tree == NULL) return false;
    }
    memset(f->layer_first, 0xff, (size_t)f->size[2] * sizeof *f->layer_first);
    for (int32_t t = f->count - 1; t >= 0; t--) {
        double low = INFINITY;
        for (size_t i = 0; i < 3; i++)
            low = fmin(low, f->vertex[3 * (size_t)f->triangle[3 * (size_t)t + i] + 2]);
        const int32_t layer = first_centre(low, f->size[2], false);
        if (layer >= f->size[2]) continue;
        f->layer_next[t] = f->layer_first[layer];
        f->layer_first[layer] = t;
    }
    return true;
}

/* y where the edge from a to b passes the height z, the same for both directions. */
static double edge_crossing(const double *a, const double *b, double z)
{
    if (a > b) { /* one order for all: vertices that are equal are the same vertex */
        const double *kept = a;
        a = b;
        b = kept;
    }
    return a[1] + (b[1] - a[1]) * ((z - a[2]) / (b[2] - a[2]));
}

/* Marks where the lines of a layer pass one triangle. */
static void cross_triangle(filler *f, const int32_t *corner, double z)
{
    const double *p[3];
    double crossed[3]; /* y of the two edges that pass z */
    int sign[3];
    int edges = 0;
    for (int i = 0; i < 3; i++) p[i] = f->vertex + 3 * (size_t)corner[i];
    for (int i = 0; i < 3; i++) {
        const double *a = p[i];
        const double *b = p[(i + 1) % 3];
        if ((a[2] > z) == (b[2] > z)) continue;
        crossed[edges] = edge_crossing(a, b, z);
        sign[edges++] = b[2] > z ? 1 : -1;
    }
    if (edges != 2) return; /* none: it does not reach this height */
    const int low = crossed[0] <= crossed[1] ? 0 : 1;
    /* Rows with low < y <= high see the triangle. */
    const int32_t first = first_centre(crossed[low], f->size[1], true);
    const int32_t last = first_centre(crossed[1 - low], f->size[1], true);
    if (first >= last) return;
    /* The plane: x = p0 + slope (y - y0) + ...; a triangle seen edge-on from the line is passed by no row. */
    const double uy = p[1][1] - p[0][1];
    const double uz = p[1][2] - p[0][2];
    const double vy = p[2][1] - p[0][1];
    const double vz = p[2][2] - p[0][2];
    const double ux = p[1][0] - p[0][0];
    const double vx = p[2][0] - p[0][0];
    const double nx = uy * vz - uz * vy;
    const double ny = uz * vx - ux * vz;
    const double nz = ux * vy - uy * vx;
    const double least = fmin(p[0][0], fmin(p[1][0], p[2][0]));
    const double most = fmax(p[0][0], fmax(p[1][0], p[2][0]));
    for (int32_t j = first; j < last; j++) {
        const double y = (double)j + 0.5;
        double x = p[0][0] - (ny * (y - p[0][1]) + nz * (z - p[0][2])) / nx;
        if (!(x >= least)) x = least; /* slivers: the plane is rough, the triangle is not far */
        if (x > most) x = most;
        /* An edge that rises on the side of small y belongs to a triangle that faces -x: the line enters
         * there, and the winding number grows. */
        f->crossings[(size_t)j * ((size_t)f->size[0] + 1) + (size_t)first_centre(x, f->size[0], false)] +=
            sign[low];
    }
}

/* Fills f->crossings for a layer. */
static void cross_layer(filler *f, int32_t layer)
{
    const double z = (double)layer + 0.5;
    int32_t *active = f->active;
    memset(f->crossings, 0, (size_t)f->size[1] * ((size_t)f->size[0] + 1) * sizeof *f->crossings);
    for (int32_t t = f->layer_first[layer]; t >= 0; t = f->layer_next[t]) active[f->active_count++] = t;
    int32_t kept = 0;
    for (int32_t i = 0; i < f->active_count; i++) {
        const int32_t *corner = f->triangle + 3 * (size_t)active[i];
        double high = -INFINITY;
        for (int c = 0; c < 3; c++) high = fmax(high, f->vertex[3 * (size_t)corner[c] + 2]);
        if (high <= z) continue; /* below from here on */
        cross_triangle(f, corner, z);
        active[kept++] = active[i];
    }
    f->active_count = kept;
}

/* Sets the voxels of a layer. */
static vxe_result fill_layer(filler *f, int32_t layer, int32_t material, vxe_scene *scene,
                             vxe_voxelize_report *report, vxe_error *error)
{
    const double cell = f->pitch * f->pitch * f->pitch;
    vxe_result result = VXE_OK;
    cross_layer(f, layer);
    for (int32_t j = 0; j < f->size[1]; j++) {
        const int32_t *row = f->crossings + (size_t)j * ((size_t)f->size[0] + 1);
        int32_t whole = 0;
        bool open = false; /* the openings matter in this stretch of the row */
        for (int32_t i = 0; i < f->size[0] && result == VXE_OK; i++) {
            whole += row[i];
            double winding = whole;
            const double point[3] = {(double)i + 0.5, (double)j + 0.5, (double)layer + 0.5};
            if (f->tree != NULL && i % STRETCH == 0) {
                const double middle[3] = {(double)i + 0.5 * STRETCH, point[1], point[2]};
                open = !vxe_winding_tree_is_below(f->tree, middle, 0.5 * STRETCH, 0.4);
            }
            if (open) winding -= vxe_winding_tree_evaluate(f->tree, point);
            if (!(fabs(winding) > 0.5)) continue;
            report->voxels++;
            const double times = floor(fabs(winding) + 0.5);
            if (times > 1.0) report->overlap_volume += (times - 1.0) * cell;
            result = vxe_scene_set_voxel(scene, i, j, layer, material, error);
        }
    }
    return result;
}

static const settings_type voxelize_type = {"vxe_voxelize_def", sizeof(vxe_voxelize_def),
                                            SETTINGS_END(vxe_voxelize_def, user), NULL};

void vxe_voxelize_def_init(vxe_voxelize_def *def, size_t size)
{
    vxe_settings_give(&voxelize_type, NULL, def, size);
}

/* The grid around all meshes: pitch, origin and size. */
typedef struct grid {
    double pitch;
    double origin[3];
    int32_t size[3];
} grid;

static vxe_result plan_grid(const vxe_mesh *const *meshes, int32_t count, const vxe_voxelize_def *def,
                            grid *g, vxe_error *error)
{
    double upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    double longest = 0.0;
    for (int a = 0; a < 3; a++) {
        g->origin[a] = INFINITY;
        for (int32_t m = 0; m < count; m++) {
            g->origin[a] = fmin(g->origin[a], meshes[m]->view.lower[a]);
            upper[a] = fmax(upper[a], meshes[m]->view.upper[a]);
        }
        longest = fmax(longest, upper[a] - g->origin[a]);
    }
    g->pitch = def->pitch;
    if (g->pitch == 0.0) {
        if (def->voxels < 1 || def->voxels > VXE_SIDE_MAX)
            return vxe_fail(error, VXE_ERROR_INPUT, "%d voxels along the longest side: 1 to %d can be made",
                            (int)def->voxels, VXE_SIDE_MAX);
        g->pitch = longest / def->voxels;
    }
    if (!(g->pitch >= 1e-9 && g->pitch <= 1e3))
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "a pitch of %g m is not within 1e-9 to 1e3 m (the meshes are %g m long: is the unit "
                        "right?)",
                        g->pitch, longest);
    double cells = 1.0;
    double side[3];
    for (int a = 0; a < 3; a++) {
        /* A millionth of a voxel more is rounding of the file, not another voxel. */
        side[a] = fmax(1.0, ceil((upper[a] - g->origin[a]) / g->pitch - 1e-6));
        cells *= side[a];
    }
    if (!(side[0] <= VXE_SIDE_MAX && side[1] <= VXE_SIDE_MAX && side[2] <= VXE_SIDE_MAX &&
          cells <= (double)VXE_CELLS_MAX))
        return vxe_fail(error, VXE_ERROR_LIMIT,
                        "the meshes are %.4g x %.4g x %.4g m: at a pitch of %g m that is %.4g x %.4g x %.4g "
                        "voxels; at most %d along a side and %lld in all can be made (is the unit right?)",
                        upper[0] - g->origin[0], upper[1] - g->origin[1], upper[2] - g->origin[2], g->pitch,
                        side[0], side[1], side[2], VXE_SIDE_MAX, (long long)VXE_CELLS_MAX);
    for (int a = 0; a < 3; a++) {
        g->size[a] = (int32_t)side[a];
        if (def->centered) g->origin[a] -= 0.5 * (side[a] * g->pitch - (upper[a] - g->origin[a]));
    }
    return VXE_OK;
}

/* Fills one mesh; `done` is the part of the whole that was done before, `share` what this mesh is of it. */
static vxe_result fill_mesh(const vxe_mesh *mesh, const grid *g, int32_t material,
                            const vxe_voxelize_def *def, double done, double share, vxe_scene *scene,
                            vxe_voxelize_report *report, vxe_error *error)
{
    filler f = {.mesh = mesh, .pitch = g->pitch, .origin = g->origin, .size = g->size};
    vxe_result result = VXE_OK;
    *report = (vxe_voxelize_report){.mesh_volume = mesh->view.volume, .open_edges = mesh->view.open_edges};
    if (!prepare_filler(&f)) {
        free_filler(&f);
        return vxe_fail_memory(error, "a mesh", 100 * (size_t)mesh->view.triangle_count);
    }
    for (int32_t layer = 0; layer < g->size[2] && result == VXE_OK; layer++) {
        result = fill_layer(&f, layer, material, scene, report, error);
        if (def->progress != NULL) def->progress(def->user, done + share * (layer + 1) / g->size[2]);
    }
    report->voxel_volume = (double)report->voxels * g->pitch * g->pitch * g->pitch;
    free_filler(&f);
    return result;
}

/* The palette: equal names are one material. `number` gets the material of each mesh. */
static vxe_result add_materials(vxe_scene *scene, const vxe_material_def *materials, int32_t count,
                                int32_t *number, vxe_error *error)
{
    for (int32_t m = 0; m < count; m++) {
        /* as far apart as the caller's struct is large */
        const vxe_material_def *own = (const void *)((const char *)materials + (size_t)m * materials->size);
        number[m] = vxe_scene_find_material(scene, own->name);
        if (number[m] != 0) continue;
        const vxe_result result = vxe_scene_add_material(scene, own, &number[m], error);
        if (result != VXE_OK) return result;
    }
    return VXE_OK;
}

vxe_result vxe_voxelize(const vxe_mesh *const *meshes, const vxe_material_def *materials, int32_t count,
                        const vxe_voxelize_def *def, vxe_scene **scene, vxe_voxelize_report *reports,
                        vxe_error *error)
{
    if (meshes == NULL || materials == NULL || count < 1 || def == NULL || scene == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT,
                        "vxe_voxelize: meshes, materials and a place for the scene");
    for (int32_t m = 0; m < count; m++)
        if (meshes[m] == NULL)
            return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_voxelize: mesh %d is NULL", (int)m);
    grid g;
    vxe_voxelize_def own;
    vxe_result result = vxe_settings_take(&voxelize_type, def, &own, error);
    if (result != VXE_OK) return result;
    def = &own;
    result = plan_grid(meshes, count, def, &g, error);
    if (result != VXE_OK) return result;
    vxe_scene *made = NULL;
    int32_t *number = vxe_allocate((size_t)count, sizeof *number);
    vxe_voxelize_report *report = vxe_allocate((size_t)count, sizeof *report);
    if (number == NULL || report == NULL) {
        free(number);
        free(report);
        return vxe_fail_memory(error, "the reports", (size_t)count * sizeof *report);
    }
    result = vxe_scene_create(g.pitch, g.size[0], g.size[1], g.size[2], &made, error);
    if (result == VXE_OK) result = add_materials(made, materials, count, number, error);
    int64_t before = 0;
    for (int32_t m = 0; m < count && result == VXE_OK; m++) {
        result =
            fill_mesh(meshes[m], &g, number[m], def, (double)m / count, 1.0 / count, made, &report[m], error);
        const int64_t now = vxe_scene_voxel_count(made);
        report[m].taken = report[m].voxels - (now - before);
        before = now;
    }
    if (result == VXE_OK && before == 0)
        result = vxe_fail(error, VXE_ERROR_INPUT,
                          "no voxel centre lies inside a mesh: the pitch of %g m is too large, or the meshes "
                          "enclose nothing",
                          g.pitch);
    if (result == VXE_OK) {
        if (reports != NULL) memcpy(reports, report, (size_t)count * sizeof *report);
        *scene = made;
    } else {
        vxe_scene_destroy(made);
    }
    free(number);
    free(report);
    return result;
}
