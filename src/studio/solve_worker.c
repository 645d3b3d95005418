/* The process that solves: reads a scene, a state and what is asked, and writes the answer; see
 * solve_worker.h. */
#include "studio/solve_worker.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define REQUEST_MAX ((size_t)8 << 30)
#define TELL_INTERVAL 0.1 /* s */

/* ---- the studio's side -------------------------------------------------------------------------------------------- */

bool solve_request(const player *p, solve_kind kind, int count, char **request, size_t *size, failure *f)
{
    vxe_error error = {VXE_OK, ""};
    char *scene = NULL;
    if (vxe_scene_print_json(p->scene, &scene, &error) != VXE_OK) return fail_error(f, &error);
    const vxe_sim_def def = vxe_sim_settings(p->sim);
    const size_t scene_size = strlen(scene);
    const size_t state_size = vxe_sim_save_size(p->sim);
    json_t *header = json_pack("{s:i, s:i, s:i, s:f, s:I, s:I}", "kind", (int)kind, "count", count,
                               "precision", (int)def.precision, "dt_fraction", def.dt_fraction, "scene",
                               (json_int_t)scene_size, "state", (json_int_t)state_size);
    char *text = json_dumps(header, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(header);
    const uint64_t length = text == NULL ? 0 : strlen(text);
    const size_t total = sizeof length + length + scene_size + state_size;
    char *data = text == NULL ? NULL : malloc(total);
    bool good = data != NULL;
    if (good) {
        char *at = data;
        memcpy(at, &length, sizeof length);
        memcpy(at + sizeof length, text, length);
        at += sizeof length + length;
        memcpy(at, scene, scene_size);
        good = vxe_sim_save(p->sim, at + scene_size, state_size, &error) == VXE_OK || fail_error(f, &error);
    } else {
        (void)fail(f, "memory", "there is not enough memory for the solver");
    }
    free(text);
    free(scene);
    if (!good) {
        free(data);
        return false;
    }
    *request = data;
    *size = total;
    return true;
}

/* ---- the worker --------------------------------------------------------------------------------------------------- */

static char *read_input(size_t *size)
{
    size_t room = 65536;
    char *data = malloc(room);
    *size = 0;
    while (data != NULL) {
        *size += fread(data + *size, 1, room - *size, stdin);
        if (*size < room) return data;
        char *larger = room > REQUEST_MAX ? NULL : realloc(data, 2 * room);
        if (larger == NULL) break;
        data = larger;
        room *= 2;
    }
    free(data);
    return NULL;
}

static int write_answer(json_t *header, const void *data, size_t size)
{
    char *text = json_dumps(header, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(header);
    const uint64_t length = text == NULL ? 0 : strlen(text);
    const bool good = text != NULL && fwrite(&length, sizeof length, 1, stdout) == 1 &&
                      fwrite(text, 1, length, stdout) == length &&
                      (size == 0 || fwrite(data, 1, size, stdout) == size) && fflush(stdout) == 0;
    free(text);
    return good ? 0 : 4;
}

static int write_error(const vxe_error *error)
{
    return write_answer(json_pack("{s:o}", "error", text_json(error->message)), NULL, 0);
}

/* Says how far it is, at most some times a second. */
static void tell(void *user, const char *what, int64_t done)
{
    double *due = user;
    const double now = studio_clock();
    if (now < *due) return;
    *due = now + TELL_INTERVAL;
    (void)write_answer(json_pack("{s:{s:s, s:I}}", "progress", "what", what, "done", (json_int_t)done), NULL,
                       0);
}

static int solve_equilibrium(vxe_sim *sim)
{
    double due = 0.0;
    vxe_equilibrium_def def = vxe_default_equilibrium_def();
    def.progress = (vxe_progress){tell, &due};
    vxe_equilibrium report;
    vxe_error error = {VXE_OK, ""};
    if (vxe_solve_equilibrium(sim, &def, &report, &error) != VXE_OK) return write_error(&error);
    const size_t size = vxe_sim_save_size(sim);
    char *state = malloc(size);
    if (state == NULL) return 4;
    vxe_result result = vxe_sim_save(sim, state, size, &error);
    json_t *answer = json_pack("{s:s, s:s, s:i, s:i, s:I, s:o, s:o, s:i, s:i}", "status",
                               vxe_equilibrium_status_name(report.status), "message", report.message,
                               "iterations", (int)report.iterations, "load_steps", (int)report.load_steps,
                               "relaxation_steps", (json_int_t)report.relaxation_steps, "residual",
                               number_json(report.residual), "energy", number_json(report.energy), "touching",
                               (int)report.touching, "slipping", (int)report.slipping);
    const int status = result == VXE_OK ? write_answer(json_pack("{s:o}", "result", answer), state, size)
                                        : write_error(&error);
    free(state);
    return status;
}

static json_t *linear_regions(const vxe_sim *sim, const vxe_linear *linear)
{
    json_t *regions = json_object();
    const vxe_model *model = vxe_sim_model(sim);
    for (int32_t i = 0; i < vxe_model_get(model)->region_count; i++) {
        double displacement[3] = {0.0, 0.0, 0.0};
        double force[3] = {0.0, 0.0, 0.0};
        double moment[3] = {0.0, 0.0, 0.0};
        (void)vxe_linear_region_displacement(linear, i, displacement, NULL);
        (void)vxe_linear_region_reaction(linear, i, force, moment, NULL);
        (void)json_object_set_new(regions, vxe_model_region_name(model, i),
                                  json_pack("{s:o, s:o, s:o}", "displacement", vector_json(displacement),
                                            "reaction", vector_json(force), "reaction_moment",
                                            vector_json(moment)));
    }
    return regions;
}

static int solve_linear(vxe_sim *sim)
{
    const vxe_linear_def def = vxe_default_linear_def();
    vxe_linear *linear = NULL;
    vxe_error error = {VXE_OK, ""};
    if (vxe_solve_linear(sim, &def, &linear, &error) != VXE_OK) return write_error(&error);
    const vxe_linear_view *view = vxe_linear_get(linear);
    const size_t n = (size_t)view->voxel_count;
    double *shape = calloc(6 * n, sizeof *shape);
    if (shape == NULL) return 4;
    for (size_t a = 0; a < 3; a++) {
        memcpy(shape + a * n, view->displacement[a], n * sizeof *shape);
        memcpy(shape + (3 + a) * n, view->rotation[a], n * sizeof *shape);
    }
    json_t *answer =
        json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:i, s:i, s:o}", "displacement_max",
                  number_json(view->displacement_max), "displacement_voxel", (int)view->displacement_voxel,
                  "rotation_max", number_json(view->rotation_max), "strain_max",
                  number_json(view->strain_max), "energy", number_json(view->energy), "residual",
                  number_json(view->residual), "overstressed", (int)view->overstressed, "below_floor",
                  (int)view->below_floor, "regions", linear_regions(sim, linear));
    const int status =
        write_answer(json_pack("{s:o, s:i, s:I}", "result", answer, "shapes", 1, "voxels", (json_int_t)n),
                     shape, 6 * n * sizeof *shape);
    free(shape);
    vxe_linear_destroy(linear);
    return status;
}

static int solve_modes(vxe_sim *sim, int count)
{
    vxe_modes_def def = vxe_default_modes_def();
    vxe_modes *modes = NULL;
    vxe_error error = {VXE_OK, ""};
    double due = 0.0;
    def.count = count;
    def.progress = (vxe_progress){tell, &due};
    if (vxe_solve_modes(sim, &def, &modes, &error) != VXE_OK) return write_error(&error);
    const vxe_modes_view *view = vxe_modes_get(modes);
    const size_t n = (size_t)view->voxel_count;
    const size_t found = (size_t)view->count;
    double *shapes = calloc(6 * n * found + 1, sizeof *shapes);
    if (shapes == NULL) return 4;
    json_t *frequencies = json_array();
    for (size_t i = 0; i < found; i++) {
        (void)json_array_append_new(frequencies, number_json(view->frequency[i]));
        for (int a = 0; a < 6; a++) {
            memcpy(shapes + (6 * i + (size_t)a) * n, vxe_modes_shape(modes, (int32_t)i, a),
                   n * sizeof *shapes);
        }
    }
    json_t *answer = json_pack("{s:o, s:i, s:i, s:o}", "frequencies", frequencies, "rigid", (int)view->rigid,
                               "unstable", (int)view->unstable, "imbalance", number_json(view->imbalance));
    const int status = write_answer(
        json_pack("{s:o, s:I, s:I}", "result", answer, "shapes", (json_int_t)found, "voxels", (json_int_t)n),
        shapes, 6 * n * found * sizeof *shapes);
    free(shapes);
    vxe_modes_destroy(modes);
    return status;
}

static json_int_t member(const json_t *header, const char *key)
{
    return json_integer_value(json_object_get(header, key));
}

/* Makes the simulation of the request as it was, and solves. */
static int solve(const json_t *header, const char *data, size_t size)
{
    const json_int_t scene_size = member(header, "scene");
    const json_int_t state_size = member(header, "state");
    if (scene_size < 0 || state_size < 0 || (uint64_t)scene_size > size ||
        (uint64_t)state_size != size - (uint64_t)scene_size) {
        return 2;
    }
    vxe_error error = {VXE_OK, ""};
    vxe_scene *scene = NULL;
    vxe_model *model = NULL;
    vxe_sim *sim = NULL;
    vxe_sim_def def = vxe_default_sim_def();
    def.precision = (vxe_precision)member(header, "precision");
    def.dt_fraction = json_number_value(json_object_get(header, "dt_fraction"));
    vxe_result result = vxe_scene_parse_json(data, (size_t)scene_size, "scene", NULL, &scene, &error);
    if (result == VXE_OK) result = vxe_compile(scene, &model, &error);
    if (result == VXE_OK) result = vxe_sim_create(model, &def, &sim, &error);
    if (result == VXE_OK) result = vxe_sim_load(sim, data + scene_size, (size_t)state_size, &error);
    int status = 0;
    if (result != VXE_OK) {
        status = write_error(&error);
    } else if (member(header, "kind") == SOLVE_EQUILIBRIUM) {
        status = solve_equilibrium(sim);
    } else if (member(header, "kind") == SOLVE_LINEAR) {
        status = solve_linear(sim);
    } else {
        status = solve_modes(sim, (int)member(header, "count"));
    }
    vxe_sim_destroy(sim);
    vxe_model_destroy(model);
    vxe_scene_destroy(scene);
    return status;
}

int studio_solve_worker(void)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* not without the studio */
    size_t size = 0;
    char *data = read_input(&size);
    uint64_t length = 0;
    if (data == NULL || size < sizeof length) {
        free(data);
        return 2;
    }
    memcpy(&length, data, sizeof length);
    json_t *header =
        length > size - sizeof length ? NULL : json_loadb(data + sizeof length, (size_t)length, 0, NULL);
    const int status =
        header == NULL ? 2
                       : solve(header, data + sizeof length + length, size - sizeof length - (size_t)length);
    json_decref(header);
    free(data);
    return status;
}
