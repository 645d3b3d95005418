/* Meshes and frames for the page. */
#include "picture/measure.h"
#include "studio/player.h"

#include <math.h>
#include <stdlib.h>

/* Working out fields may take one part in so many of the time. */
#define FIELD_SHARE 8.0
enum { CONTACTS_MAX = 2000 };

/* Near the centre of mass, on a grid of pitches: so it rarely changes and float32 keeps its digits anywhere.
 */
void picture_origin(const player *p, double origin[3])
{
    const double pitch = vxe_model_get(p->model)->pitch;
    vxe_sim_center_of_mass(p->sim, origin);
    for (int a = 0; a < 3; a++) origin[a] = isfinite(origin[a]) ? pitch * round(origin[a] / pitch) : 0.0;
}

bool picture_surface(player *p, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    vxe_surface *made = NULL;
    if (vxe_surface_create(p->sim, p->view.all ? VXE_SHOWN_PRESENT : VXE_SHOWN_SURFACE, p->view.links, &made,
                           &error) != VXE_OK) {
        return fail_error(f, &error);
    }
    vxe_surface_destroy(p->surface);
    p->surface = made;
    p->mesh++;
    p->changes = vxe_surface_changes(p->sim);
    return true;
}

static json_t *phase_range(const player *p)
{
    const vxe_model_view *model = vxe_model_get(p->model);
    double low = 0.0;
    double high = 0.0;
    if (vxe_scene_has_actuation(p->scene)) {
        low = INFINITY;
        high = -INFINITY;
        for (int32_t v = 0; v < model->voxel_count; v++) {
            const double phase =
                vxe_scene_actuation(p->scene, model->cell[0][v], model->cell[1][v], model->cell[2][v]).phase;
            low = fmin(low, phase);
            high = fmax(high, phase);
        }
    }
    return json_pack("{s:o, s:o}", "min", vxe_number_json(low), "max", vxe_number_json(high));
}

message *picture_mesh_of(const vxe_surface *s, double pitch, message_kind kind, json_t *header, bool links)
{
    const size_t n = (size_t)s->voxel_count;
    const size_t m = (size_t)s->corner_count;
    const size_t f = (size_t)s->face_count;
    const size_t l = (size_t)s->link_count;
    const double origin[3] = {0.0, 0.0, 0.0};
    float *start = calloc(3 * m + 1, sizeof *start);
    if (start == NULL) {
        json_decref(header);
        return NULL;
    }
    vxe_surface_start(s, pitch, origin, start);
    const message_array arrays[] = {
        {"voxel", "u32", n, s->voxel},        {"cell", "i32", 3 * n, s->cell},
        {"material", "u16", n, s->material},  {"start", "f32", 3 * m, start},
        {"face", "u32", 4 * f, s->face},      {"face_voxel", "u32", f, s->face_voxel},
        {"face_side", "u8", f, s->face_side}, {"hexahedron", "u32", 8 * n, s->hexahedron},
        {"link", "u32", 2 * l, s->link},
    };
    (void)json_object_set_new(header, "pitch", vxe_number_json(pitch));
    (void)json_object_set_new(header, "voxels", json_integer((json_int_t)n));
    (void)json_object_set_new(header, "corners", json_integer((json_int_t)m));
    (void)json_object_set_new(header, "faces", json_integer((json_int_t)f));
    (void)json_object_set_new(header, "links", json_integer((json_int_t)l));
    (void)json_object_set_new(header, "origin", vxe_vector_json(origin));
    message *made = message_binary(kind, header, arrays, links ? 9 : 8);
    free(start);
    return made;
}

message *picture_mesh(const player *p)
{
    json_t *header = json_pack("{s:s, s:I, s:I, s:s, s:o}", "kind", "mesh", "mesh", (json_int_t)p->mesh,
                               "serial", (json_int_t)p->serial, "shown",
                               p->view.all || p->view.links ? "all" : "surface", "phase", phase_range(p));
    return picture_mesh_of(p->surface, vxe_model_get(p->model)->pitch, MESSAGE_MESH, header, p->view.links);
}

/* What touches, and how hard: the voxels shown or not, their places and the forces on them. */
static int32_t read_contacts(const player *p, const double origin[3], float **numbers)
{
    const vxe_model_view *model = vxe_model_get(p->model);
    const vxe_state *state = vxe_sim_state(p->sim);
    int32_t count = 0;
    float *list = malloc(CONTACTS_MAX * 6 * sizeof *list);
    *numbers = list;
    for (int32_t v = 0; list != NULL && v < model->voxel_count && count < CONTACTS_MAX; v++) {
        const double *const *force = state->contact_force;
        if (force[0][v] == 0.0 && force[1][v] == 0.0 && force[2][v] == 0.0) continue;
        for (int a = 0; a < 3; a++) {
            list[6 * count + a] = (float)(state->position[a][v] - origin[a]);
            list[6 * count + 3 + a] = (float)force[a][v];
        }
        count++;
    }
    return count;
}

/* Centres of the voxels shown. */
static void read_centers(const player *p, const double origin[3], float *centers)
{
    const vxe_state *state = vxe_sim_state(p->sim);
    for (int32_t i = 0; i < p->surface->voxel_count; i++) {
        for (int a = 0; a < 3; a++) {
            centers[3 * i + a] = (float)(state->position[a][p->surface->voxel[i]] - origin[a]);
        }
    }
}

static void read_links(const player *p, float *stress, float *force)
{
    const vxe_links *links = NULL;
    const vxe_surface *s = p->surface;
    if (vxe_sim_links(p->sim, &links, NULL) != VXE_OK) return;
    for (int32_t i = 0; i < s->link_count; i++) {
        const int32_t number = s->link_number[i];
        stress[i] = links->broken[number] != 0 ? NAN : (float)links->stress[number];
        for (int a = 0; a < 3; a++) force[3 * i + a] = (float)links->force[a][number];
    }
}

void picture_forget(player *p)
{
    free(p->kept.values);
    p->kept = (kept_field){.field = 0};
}

/* The field's values for the voxels shown, new or kept; NULL if there are none. */
static const float *read_field(player *p)
{
    const vxe_surface *s = p->surface;
    kept_field *k = &p->kept;
    const bool fits = k->values != NULL && k->field == p->view.field && k->mesh == p->mesh;
    if (p->view.field <= 0) {
        picture_forget(p);
        return NULL;
    }
    const double begun = studio_clock();
    if (fits && (k->change == p->change || (p->state == PLAY_RUNNING && begun < k->due))) return k->values;
    if (!fits) {
        picture_forget(p);
        k->values = calloc((size_t)s->voxel_count + 1, sizeof *k->values);
        if (k->values == NULL) return NULL;
        k->field = p->view.field;
        k->mesh = p->mesh;
    }
    k->change = p->change;
    if (vxe_measure_read(k->field, p->sim, p->scene, s->voxel, s->voxel_count, k->values, k->range, NULL) !=
        VXE_OK) {
        picture_forget(p);
        return NULL;
    }
    const double now = studio_clock();
    k->due = now + FIELD_SHARE * (now - begun);
    return k->values;
}

message *picture_frame(player *p)
{
    const vxe_surface *s = p->surface;
    const size_t n = (size_t)s->voxel_count;
    const size_t m = (size_t)s->corner_count;
    const size_t l = p->view.links ? (size_t)s->link_count : 0;
    const bool centers_wanted = p->view.centers || p->view.links;
    double origin[3];
    float *numbers = calloc(3 * m + 3 * n + 4 * l + 1, sizeof *numbers);
    if (numbers == NULL) return NULL;
    float *corners = numbers;
    float *centers = corners + 3 * m;
    float *stress = centers + 3 * n;
    float *force = stress + l;
    picture_origin(p, origin);
    vxe_surface_pose(p->surface, vxe_model_get(p->model), vxe_sim_state(p->sim));
    vxe_surface_corners(s, origin, corners);
    message_array arrays[6];
    size_t count = 0;
    float *contacts = NULL;
    arrays[count++] = (message_array){"corners", "f32", 3 * m, corners};
    const float *field = read_field(p);
    if (field != NULL) arrays[count++] = (message_array){"field", "f32", n, field};
    if (centers_wanted) {
        read_centers(p, origin, centers);
        arrays[count++] = (message_array){"centers", "f32", 3 * n, centers};
    }
    if (l > 0) {
        read_links(p, stress, force);
        arrays[count++] = (message_array){"link_stress", "f32", l, stress};
        arrays[count++] = (message_array){"link_force", "f32", 3 * l, force};
    }
    if (p->view.contacts) {
        const int32_t touching = read_contacts(p, origin, &contacts);
        arrays[count++] = (message_array){"contacts", "f32", 6 * (size_t)touching, contacts};
    }
    const vxe_state *state = vxe_sim_state(p->sim);
    json_t *header = json_pack(
        "{s:s, s:I, s:I, s:I, s:I, s:o, s:I, s:o, s:o}", "kind", "frame", "run", (json_int_t)p->runs, "mesh",
        (json_int_t)p->mesh, "frame", (json_int_t)++p->frame, "serial", (json_int_t)p->serial, "time",
        vxe_number_json(state->time), "step", (json_int_t)state->step, "origin", vxe_vector_json(origin),
        "field", vxe_measure_json(p->view.field, p->kept.range));
    message *made = message_binary(MESSAGE_FRAME, header, arrays, count);
    free(contacts);
    free(numbers);
    return made;
}
