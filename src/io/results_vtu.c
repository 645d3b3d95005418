/* Simulations and modes as VTK files: what goes into the arrays. See voxelastic/results.h. */
#include "base/number.h"
#include "base/words.h"
#include "io/vtu.h"
#include "voxelastic/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS_MAX = 12 };

/* Arrays of a file, with their memory. */
typedef struct array_list {
    vtu_array array[ARRAYS_MAX];
    void *memory[ARRAYS_MAX];
    int32_t count;
    bool failed; /* no memory for one */
} array_list;

static void free_list(array_list *list)
{
    for (int32_t i = 0; i < list->count; i++) free(list->memory[i]);
}

static void *add_array(array_list *list, const char *name, vtu_type type, int32_t components, size_t count)
{
    const size_t item = type == VTU_FLOAT64 ? 8 : 4;
    vtu_array *a = &list->array[list->count];
    void *memory = vxe_allocate(count * (size_t)components, item);
    *a = (vtu_array){"", type, components, memory};
    (void)snprintf(a->name, sizeof a->name, "%s", name);
    list->memory[list->count++] = memory;
    list->failed = list->failed || memory == NULL;
    return memory;
}

/* Structure of arrays into an array of floats. */
static void add_floats(array_list *list, const char *name, const double *const *source, int32_t components,
                       size_t n)
{
    float *target = add_array(list, name, VTU_FLOAT32, components, n);
    for (size_t v = 0; target != NULL && v < n; v++)
        for (int32_t c = 0; c < components; c++)
            target[v * (size_t)components + (size_t)c] = (float)source[c][v];
}

static void fill_arrays(array_list *list, vxe_sim *sim, const vxe_voxels *voxels)
{
    const vxe_model_view *model = vxe_model_get(vxe_sim_model(sim));
    const vxe_state *s = vxe_sim_state(sim);
    const size_t n = (size_t)model->voxel_count;
    double *displacement = add_array(list, "displacement_m", VTU_FLOAT64, 3, n);
    for (size_t v = 0; displacement != NULL && v < n; v++)
        for (size_t a = 0; a < 3; a++) displacement[3 * v + a] = s->position[a][v] - model->start[a][v];
    add_floats(list, "velocity_m_per_s", s->velocity, 3, n);
    add_floats(list, "strain", voxels->strain, 3, n);
    add_floats(list, "stress_Pa", voxels->stress, 3, n);
    add_floats(list, "pressure_Pa", &s->pressure, 1, n);
    add_floats(list, "energy_J", &voxels->energy, 1, n);
    add_floats(list, "contact_force_N", s->contact_force, 3, n);
    add_floats(list, "growth", &s->growth, 1, n);
    int32_t *material = add_array(list, "material", VTU_INT32, 1, n);
    for (size_t v = 0; material != NULL && v < n; v++) material[v] = model->material[v];
    int32_t *body = add_array(list, "body", VTU_INT32, 1, n);
    if (body != NULL) memcpy(body, model->body, n * sizeof *body);
}

/* A skin of the simulation as it is now: the one given, or a new one in *own. */
static vxe_result take_skin(vxe_sim *sim, vxe_skin **skin, vxe_skin **own, vxe_error *error)
{
    if (*skin != NULL) return vxe_skin_update(*skin, sim, error);
    const vxe_result result = vxe_skin_create(sim, own, error);
    *skin = *own;
    return result;
}

static vtu_content content_of(const vxe_skin *skin, double time)
{
    const vxe_skin_view *s = vxe_skin_get(skin);
    return (vtu_content){.time = time,
                         .points = (size_t)s->corner_count,
                         .point = s->corner,
                         .cells = (size_t)s->voxel_count,
                         .corners = s->voxel_corner};
}

vxe_result vxe_write_vtu(vxe_sim *sim, vxe_skin *skin, const char *path, vxe_error *error)
{
    if (sim == NULL || path == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_write_vtu: NULL");
    vxe_skin *own = NULL;
    const vxe_voxels *voxels = NULL;
    array_list list = {.count = 0};
    vxe_result result = take_skin(sim, &skin, &own, error);
    if (result == VXE_OK) result = vxe_sim_voxels(sim, &voxels, error);
    if (result == VXE_OK) {
        vtu_content content = content_of(skin, vxe_sim_time(sim));
        fill_arrays(&list, sim, voxels);
        content.cell_arrays = list.array;
        content.cell_array_count = list.count;
        result = list.failed ? vxe_fail_memory(error, path, 100 * content.cells)
                             : vxe_vtu_write(path, &content, error);
    }
    free_list(&list);
    vxe_skin_destroy(own);
    return result;
}

/* ---- series ------------------------------------------------------------------------------------------------------- */

vxe_result vxe_write_pvd(const char *path, const double *times, const char *const *files, int32_t count,
                         vxe_error *error)
{
    if (path == NULL || count < 0 || (count > 0 && (times == NULL || files == NULL)))
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_write_pvd: NULL");
    for (int32_t i = 0; i < count; i++) {
        if (files[i] == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_write_pvd: NULL");
    }
    vxe_file file;
    const vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    (void)fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
                "byte_order=\"LittleEndian\">\n<Collection>\n",
                file.stream);
    for (int32_t i = 0; i < count; i++) {
        char time[VXE_NUMBER_SIZE];
        vxe_print_number(time, times[i]);
        (void)fprintf(file.stream, "<DataSet timestep=\"%s\" group=\"\" part=\"0\" file=\"", time);
        vxe_write_escaped(file.stream, files[i], true);
        (void)fputs("\"/>\n", file.stream);
    }
    (void)fputs("</Collection>\n</VTKFile>\n", file.stream);
    return vxe_file_commit(&file, error);
}

/* ---- modes -------------------------------------------------------------------------------------------------------- */

double vxe_shape_size(const vxe_modes *modes, int32_t mode)
{
    const int32_t n = vxe_modes_get(modes)->voxel_count;
    for (int first = 0; first < 6; first += 3) {
        double most = 0.0;
        for (int32_t v = 0; v < n; v++) {
            double square = 0.0;
            for (int c = first; c < first + 3; c++)
                square += vxe_modes_shape(modes, mode, c)[v] * vxe_modes_shape(modes, mode, c)[v];
            most = fmax(most, square);
        }
        if (most > 0.0) return sqrt(most);
    }
    return 1.0;
}

/* How the corners move: the mean of what the voxels that share one would do, each turning about its centre.
 */
static void move_corners(vxe_sim *sim, const vxe_skin_view *skin, const vxe_modes *modes, int32_t mode,
                         double *move, int32_t *share)
{
    const vxe_state *s = vxe_sim_state(sim);
    const double size = vxe_shape_size(modes, mode);
    memset(move, 0, 3 * (size_t)skin->corner_count * sizeof *move);
    memset(share, 0, (size_t)skin->corner_count * sizeof *share);
    for (int32_t v = 0; v < skin->voxel_count; v++) {
        double u[6];
        for (int c = 0; c < 6; c++) u[c] = vxe_modes_shape(modes, mode, c)[v] / size;
        for (int c = 0; c < 8; c++) {
            const size_t corner = (size_t)skin->voxel_corner[8 * v + c];
            double r[3];
            for (size_t a = 0; a < 3; a++) r[a] = skin->corner[3 * corner + a] - s->position[a][v];
            move[3 * corner] += u[0] + u[4] * r[2] - u[5] * r[1];
            move[3 * corner + 1] += u[1] + u[5] * r[0] - u[3] * r[2];
            move[3 * corner + 2] += u[2] + u[3] * r[1] - u[4] * r[0];
            share[corner]++;
        }
    }
    for (size_t c = 0; c < (size_t)skin->corner_count; c++)
        for (size_t a = 0; a < 3; a++) move[3 * c + a] /= share[c];
}

vxe_result vxe_write_modes_vtu(vxe_sim *sim, const vxe_modes *modes, const char *path, vxe_error *error)
{
    if (sim == NULL || modes == NULL || path == NULL)
        return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_write_modes_vtu: NULL");
    vxe_skin *skin = NULL;
    vxe_result result = vxe_skin_create(sim, &skin, error);
    if (result != VXE_OK) return result;
    const vxe_skin_view *view = vxe_skin_get(skin);
    const size_t corners = (size_t)view->corner_count;
    const size_t count = (size_t)vxe_modes_get(modes)->count;
    double *moves = vxe_allocate(3 * corners * count, sizeof *moves);
    int32_t *share = vxe_allocate(corners, sizeof *share);
    vtu_array *arrays = vxe_allocate(count, sizeof *arrays);
    if (moves == NULL || share == NULL || arrays == NULL) {
        result = vxe_fail_memory(error, path, 3 * corners * count * sizeof *moves);
    } else {
        for (size_t m = 0; m < count; m++) {
            double *move = moves + 3 * corners * m;
            move_corners(sim, view, modes, (int32_t)m, move, share);
            arrays[m] = (vtu_array){"", VTU_FLOAT64, 3, move};
            (void)snprintf(arrays[m].name, sizeof arrays[m].name, "mode %zu, %.6g Hz", m + 1,
                           vxe_modes_get(modes)->frequency[m]);
        }
        vtu_content content = content_of(skin, NAN);
        content.point_arrays = arrays;
        content.point_array_count = (int32_t)count;
        result = vxe_vtu_write(path, &content, error);
    }
    free(moves);
    free(share);
    free(arrays);
    vxe_skin_destroy(skin);
    return result;
}
