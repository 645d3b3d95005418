/* The deformed surface as STL, OBJ and PLY, coloured by material. See voxelastic/results.h. */
#include "base/base.h"
#include "base/number.h"
#include "voxelastic/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct surface {
    const vxe_skin_view *skin;
    const vxe_model *model;
    const vxe_scene *scene; /* NULL: colours are made up */
    int32_t *order;         /* faces by material, (face_count) */
    int32_t *begin;         /* where a material's faces begin in it, (material_count + 2) */
    int32_t materials;
} surface;

static void color_of(const surface *s, int32_t material, uint8_t color[4])
{
    static const uint8_t made_up[6][3] = {{204, 121, 64}, {86, 140, 190},  {120, 170, 90},
                                          {190, 170, 80}, {160, 110, 170}, {120, 120, 120}};
    const vxe_material_def *def = s->scene == NULL ? NULL : vxe_scene_material(s->scene, material);
    if (def != NULL) {
        memcpy(color, def->color, 4);
    } else {
        memcpy(color, made_up[material % 6], 3);
        color[3] = 255;
    }
}

static int32_t material_of(const surface *s, int32_t face)
{
    return vxe_model_get(s->model)->material[s->skin->face_voxel[face]];
}

static bool sort_faces(surface *s)
{
    const size_t faces = (size_t)s->skin->face_count;
    s->order = vxe_allocate(faces, sizeof *s->order);
    s->begin = vxe_allocate((size_t)s->materials + 2, sizeof *s->begin);
    if (s->order == NULL || s->begin == NULL) return false;
    for (int32_t f = 0; f < s->skin->face_count; f++) s->begin[material_of(s, f) + 1]++;
    for (int32_t m = 0; m <= s->materials; m++) s->begin[m + 1] += s->begin[m];
    for (int32_t f = 0; f < s->skin->face_count; f++) s->order[s->begin[material_of(s, f)]++] = f;
    for (int32_t m = s->materials; m >= 0; m--) s->begin[m + 1] = s->begin[m];
    s->begin[0] = 0;
    return true;
}

/* --- bytes, little endian on every machine --- */

static void put_u32(FILE *out, uint32_t value)
{
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> (8 * i));
    (void)fwrite(bytes, 1, 4, out);
}

static void put_float(FILE *out, double value)
{
    const float number = (float)value;
    uint32_t bits = 0;
    memcpy(&bits, &number, sizeof bits);
    put_u32(out, bits);
}

/* --- STL --- */

static void put_triangle(const surface *s, FILE *out, int32_t face, int first)
{
    const double *p[3];
    for (int i = 0; i < 3; i++)
        p[i] = s->skin->corner + 3 * (size_t)s->skin->face_corner[4 * face + (first + i) % 4];
    double normal[3];
    double length = 0.0;
    for (int a = 0; a < 3; a++) {
        const int y = (a + 1) % 3;
        const int z = (a + 2) % 3;
        normal[a] = (p[1][y] - p[0][y]) * (p[2][z] - p[0][z]) - (p[1][z] - p[0][z]) * (p[2][y] - p[0][y]);
        length += normal[a] * normal[a];
    }
    length = sqrt(length);
    for (int a = 0; a < 3; a++) put_float(out, length > 0.0 ? normal[a] / length : 0.0);
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 3; a++) put_float(out, p[i][a]);
    uint8_t c[4];
    color_of(s, material_of(s, face), c);
    const unsigned bits =
        0x8000U | (unsigned)(c[0] >> 3) << 10 | (unsigned)(c[1] >> 3) << 5 | (unsigned)(c[2] >> 3);
    (void)fputc((int)(bits & 0xffU), out);
    (void)fputc((int)(bits >> 8), out);
}

static void write_stl(const surface *s, FILE *out)
{
    char header[80] = "Voxelastic: deformed surface, m";
    (void)fwrite(header, 1, sizeof header, out);
    put_u32(out, (uint32_t)(2 * (int64_t)s->skin->face_count));
    for (int32_t f = 0; f < s->skin->face_count; f++) {
        put_triangle(s, out, f, 0);
        put_triangle(s, out, f, 2);
    }
}

/* --- OBJ --- */

/* Nine digits: more than a viewer's floats hold. */
static void print_number(FILE *out, double value)
{
    char text[VXE_NUMBER_SIZE];
    vxe_print_short(text, value, 9);
    (void)fprintf(out, " %s", text);
}

static void write_obj(const surface *s, FILE *out, const char *library)
{
    (void)fprintf(out, "# Voxelastic: deformed surface, m\nmtllib %s\n", library);
    for (size_t c = 0; c < (size_t)s->skin->corner_count; c++) {
        (void)fputc('v', out);
        for (size_t a = 0; a < 3; a++) print_number(out, s->skin->corner[3 * c + a]);
        (void)fputc('\n', out);
    }
    for (int32_t m = 1; m <= s->materials; m++) {
        if (s->begin[m] == s->begin[m + 1]) continue;
        (void)fprintf(out, "usemtl material%d\n", (int)m);
        for (int32_t i = s->begin[m]; i < s->begin[m + 1]; i++) {
            const int32_t *c = s->skin->face_corner + 4 * (size_t)s->order[i];
            (void)fprintf(out, "f %d %d %d %d\n", (int)c[0] + 1, (int)c[1] + 1, (int)c[2] + 1, (int)c[3] + 1);
        }
    }
}

static vxe_result write_mtl(const surface *s, const char *path, vxe_error *error)
{
    vxe_file file;
    const vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    for (int32_t m = 1; m <= s->materials; m++) {
        uint8_t color[4];
        color_of(s, m, color);
        (void)fprintf(file.stream, "# %s\nnewmtl material%d\nKd", vxe_model_material_name(s->model, m),
                      (int)m);
        for (int i = 0; i < 3; i++) print_number(file.stream, color[i] / 255.0);
        (void)fputs("\nd", file.stream);
        print_number(file.stream, color[3] / 255.0);
        (void)fputs("\n", file.stream);
    }
    return vxe_file_commit(&file, error);
}

/* --- PLY --- */

/* Vertices once for every material that uses them, so that each has one colour. */
static bool write_ply(const surface *s, FILE *out)
{
    const size_t corners = (size_t)s->skin->corner_count;
    int32_t *used = vxe_allocate(corners, sizeof *used);     /* the last material that used a corner */
    int32_t *number = vxe_allocate(corners, sizeof *number); /* its vertex for that material */
    int32_t *vertex = vxe_allocate(4 * (size_t)s->skin->face_count, sizeof *vertex);
    const bool good = used != NULL && number != NULL && vertex != NULL;
    for (int pass = 0; good && pass < 2; pass++) { /* count, then write */
        int32_t count = 0;
        memset(used, 0, corners * sizeof *used);
        for (int32_t m = 1; m <= s->materials; m++) {
            uint8_t color[4];
            color_of(s, m, color);
            for (int32_t i = 4 * s->begin[m]; i < 4 * s->begin[m + 1]; i++) {
                const int32_t corner = s->skin->face_corner[4 * s->order[i / 4] + i % 4];
                if (used[corner] != m) {
                    used[corner] = m;
                    number[corner] = count++;
                    for (size_t a = 0; pass == 1 && a < 3; a++)
                        put_float(out, s->skin->corner[3 * (size_t)corner + a]);
                    if (pass == 1) (void)fwrite(color, 1, 4, out);
                }
                vertex[i] = number[corner];
            }
        }
        if (pass == 0)
            (void)fprintf(
                out,
                "ply\nformat binary_little_endian 1.0\ncomment Voxelastic: deformed surface, m\n"
                "element vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
                "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n"
                "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
                (int)count, (int)s->skin->face_count);
    }
    for (int32_t f = 0; good && f < s->skin->face_count; f++) {
        (void)fputc(4, out);
        for (int i = 0; i < 4; i++) put_u32(out, (uint32_t)vertex[4 * f + i]);
    }
    free(used);
    free(number);
    free(vertex);
    return good;
}

/* --- all --- */

static vxe_result write_file(const surface *s, const char *path, const char *dot, vxe_error *error)
{
    vxe_file file;
    vxe_result result = vxe_file_open(&file, path, error);
    if (result != VXE_OK) return result;
    if (strcasecmp(dot, ".stl") == 0) {
        write_stl(s, file.stream);
    } else if (strcasecmp(dot, ".ply") == 0) {
        if (!write_ply(s, file.stream))
            result = vxe_fail_memory(error, path, 24 * (size_t)s->skin->face_count);
    } else {
        const size_t length = strlen(path);
        char *library = malloc(length + 1);
        if (library == NULL) {
            result = vxe_fail_memory(error, path, length);
        } else {
            memcpy(library, path, length + 1);
            memcpy(library + (dot - path), ".mtl", 4);
            const char *slash = strrchr(library, '/');
            write_obj(s, file.stream, slash == NULL ? library : slash + 1);
            result = write_mtl(s, library, error);
        }
        free(library);
    }
    if (result != VXE_OK) {
        vxe_file_discard(&file);
        return result;
    }
    return vxe_file_commit(&file, error);
}

vxe_result vxe_write_surface(vxe_sim *sim, vxe_skin *skin, const vxe_scene *scene, const char *path,
                             vxe_error *error)
{
    if (sim == NULL || path == NULL) return vxe_fail(error, VXE_ERROR_ARGUMENT, "vxe_write_surface: NULL");
    const char *dot = strrchr(path, '.');
    if (dot == NULL ||
        (strcasecmp(dot, ".stl") != 0 && strcasecmp(dot, ".obj") != 0 && strcasecmp(dot, ".ply") != 0))
        return vxe_fail(error, VXE_ERROR_INPUT,
                        "%s: surfaces are written to files that end in .stl, .obj or .ply", path);
    vxe_skin *own = NULL;
    vxe_result result = skin != NULL ? vxe_skin_update(skin, sim, error) : vxe_skin_create(sim, &own, error);
    if (result != VXE_OK) return result;
    surface s = {
        .skin = vxe_skin_get(skin != NULL ? skin : own), .model = vxe_sim_model(sim), .scene = scene};
    s.materials = vxe_model_get(s.model)->material_count;
    result = sort_faces(&s) ? write_file(&s, path, dot, error)
                            : vxe_fail_memory(error, path, 4 * (size_t)s.skin->face_count);
    free(s.order);
    free(s.begin);
    vxe_skin_destroy(own);
    return result;
}
