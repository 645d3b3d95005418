/* Fields of solved shapes: strains from the differences of neighbours' small displacements, stresses from
 * them by Hooke's law. */
#include "studio/shape_field.h"
#include "base/base.h"

#include <math.h>
#include <stdlib.h>

/* One voxel's tensors, xx yy zz xy yz zx. */
typedef struct shape_point {
    double strain[6];
    double stress[6];
    double energy; /* J/m^3 */
} shape_point;

/* Mean change of the displacement along axis a, per length, over the voxel's links there; false: it has none.
 */
static bool gradient(const shape_source *s, const int32_t *before[3], int32_t v, int a, double out[3])
{
    const int32_t ends[2] = {before[a][v], s->model->next[a][v]};
    int count = 0;
    out[0] = out[1] = out[2] = 0.0;
    for (int e = 0; e < 2; e++) {
        if (ends[e] < 0) continue;
        const double sign = e == 0 ? -1.0 : 1.0;
        for (int c = 0; c < 3; c++)
            out[c] += sign * (s->displacement[c][ends[e]] - s->displacement[c][v]) / s->model->pitch;
        count++;
    }
    for (int c = 0; c < 3 && count > 0; c++) out[c] /= count;
    return count > 0;
}

/* Where nothing is linked along an axis, nothing pulls there: the strain is what leaves the stress zero. */
static shape_point read_point(const shape_source *s, const int32_t *before[3], int32_t v)
{
    const vxe_material_def *m = vxe_scene_material(s->scene, s->model->material[v]);
    const double mu = m->youngs_modulus / (2.0 * (1.0 + m->poissons_ratio));
    const double lambda =
        m->youngs_modulus * m->poissons_ratio / ((1.0 + m->poissons_ratio) * (1.0 - 2.0 * m->poissons_ratio));
    const double growth = s->growth == NULL ? 0.0 : s->growth[v];
    double slope[3][3];
    bool known[3];
    double sum = 0.0;
    int free_axes = 0;
    for (int a = 0; a < 3; a++) {
        known[a] = gradient(s, before, v, a, slope[a]);
        if (known[a]) sum += slope[a][a] - growth;
        free_axes += !known[a];
    }
    const double across = -lambda * sum / (lambda * free_axes + 2.0 * mu);
    shape_point p;
    const double trace = sum + free_axes * across;
    for (int a = 0; a < 3; a++) {
        const double elastic = known[a] ? slope[a][a] - growth : across;
        p.strain[a] = elastic + growth;
        p.stress[a] = lambda * trace + 2.0 * mu * elastic;
    }
    for (int i = 0; i < 3; i++) { /* xy, yz, zx */
        const int a = i;
        const int b = (i + 1) % 3;
        p.strain[3 + i] = known[a] && known[b] ? 0.5 * (slope[a][b] + slope[b][a]) : 0.0;
        p.stress[3 + i] = 2.0 * mu * p.strain[3 + i];
    }
    p.energy = 0.0;
    for (int i = 0; i < 6; i++)
        p.energy += (i < 3 ? 0.5 : 1.0) * p.stress[i] * (p.strain[i] - (i < 3 ? growth : 0.0));
    return p;
}

bool shape_field_read(const shape_source *s, int field, double scale, double *values)
{
    const vxe_model_view *model = s->model;
    const size_t n = (size_t)model->voxel_count;
    int32_t *links = malloc((3 * n + 1) * sizeof *links);
    if (links == NULL) return false;
    const int32_t *before[3] = {links, links + n, links + 2 * n};
    for (size_t i = 0; i < 3 * n; i++) links[i] = -1;
    for (int a = 0; a < 3; a++) {
        for (size_t v = 0; v < n; v++) {
            if (model->next[a][v] >= 0) links[(size_t)a * n + (size_t)model->next[a][v]] = (int32_t)v;
        }
    }
    for (size_t v = 0; v < n; v++) {
        const shape_point p = read_point(s, before, (int32_t)v);
        const double u[3] = {s->displacement[0][v], s->displacement[1][v], s->displacement[2][v]};
        values[v] = pow(scale, vxe_measure_power(field)) *
                    vxe_measure_of_shape(field, u, p.strain, p.stress, p.energy);
    }
    free(links);
    return true;
}
