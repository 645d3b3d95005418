/* A line per voxel as CSV. See voxelastic/results.h. */
#include "base/base.h"
#include "base/number.h"
#include "voxelastic/results.h"

#include <string.h>

static void print_number(FILE *out, double value)
{
    char text[VXE_NUMBER_SIZE];
    vxe_print_short(text, value, 12);
    (void)fprintf(out, ",%s", text);
}

static void print_numbers(FILE *out, const double *const *source, int count, int32_t v)
{
    for (int i = 0; i < count; i++) print_number(out, source[i][v]);
}

/* In quotes where it needs them. */
static void print_name(FILE *out, const char *name)
{
    const bool quotes = strpbrk(name, ",\"\n\r") != NULL;
    (void)fputs(quotes ? ",\"" : ",", out);
    for (; *name != '\0'; name++) {
        if (*name == '"') (void)fputc('"', out);
        (void)fputc(*name, out);
    }
    if (quotes) (void)fputc('"', out);
}

vxe_result vxe_write_voxels(vxe_sim *sim, const char *path, vxe_error *error)
{
    if (sim == NULL || path == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_write_voxels: NULL");
    const vxe_model *model = vxe_sim_model(sim);
    const vxe_model_view *view = vxe_model_get(model);
    const vxe_voxels *voxels = NULL;
    vxe_file file;
    vxe_result result = vxe_sim_voxels(sim, &voxels, error);
    if (result == VXE_OK) result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    const vxe_state *s = vxe_sim_state(sim);
    FILE *out = file.stream;
    (void)fputs(
        "voxel,i,j,k,material,x_m,y_m,z_m,displacement_x_m,displacement_y_m,displacement_z_m,orientation_w,"
        "orientation_x,orientation_y,orientation_z,velocity_x_m_per_s,velocity_y_m_per_s,velocity_z_m_per_s,"
        "strain_x,strain_y,strain_z,stress_x_Pa,stress_y_Pa,stress_z_Pa,pressure_Pa,energy_J,"
        "contact_force_x_N,contact_force_y_N,contact_force_z_N,growth\n",
        out);
    for (int32_t v = 0; v < view->voxel_count; v++) {
        (void)fprintf(out, "%d,%d,%d,%d", (int)v, (int)view->cell[0][v], (int)view->cell[1][v],
                      (int)view->cell[2][v]);
        print_name(out, vxe_model_material_name(model, view->material[v]));
        print_numbers(out, s->position, 3, v);
        for (int a = 0; a < 3; a++) print_number(out, s->position[a][v] - view->start[a][v]);
        print_numbers(out, s->orientation, 4, v);
        print_numbers(out, s->velocity, 3, v);
        print_numbers(out, voxels->strain, 3, v);
        print_numbers(out, voxels->stress, 3, v);
        print_number(out, s->pressure[v]);
        print_number(out, voxels->energy[v]);
        print_numbers(out, s->contact_force, 3, v);
        print_number(out, s->growth[v]);
        (void)fputc('\n', out);
    }
    return vxe_file_commit(&file, error);
}
