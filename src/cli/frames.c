/* The frames of a run: see frames.h. frames.csv (number, time, step) grows with every frame, and frames.pvd
 * is written anew, so that a run that is killed leaves a series that can be opened. */
#include "cli/frames.h"
#include "cli/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SIZE = 32 };

static const struct {
    const char *name;
    unsigned kind;
} kinds_table[] = {{"vtu", FRAMES_VTU}, {"csv", FRAMES_CSV}, {"stl", FRAMES_STL},
                   {"obj", FRAMES_OBJ}, {"ply", FRAMES_PLY}, {"npz", FRAMES_NPZ}};
enum { KIND_COUNT = sizeof kinds_table / sizeof kinds_table[0] };

bool cli_parse_frames(const char *text, unsigned *kinds)
{
    *kinds = 0;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        unsigned found = 0;
        for (int i = 0; i < KIND_COUNT; i++)
            if (strlen(kinds_table[i].name) == length && strncmp(kinds_table[i].name, at, length) == 0)
                found = kinds_table[i].kind;
        if (found == 0)
            return cli_complain("--write: \"%.*s\" is not one of vtu, csv, stl, obj, ply, npz", (int)length,
                                at);
        *kinds |= found;
        at += length;
        if (*at == '\0') return true;
    }
}

static bool make_room(run_frames *f)
{
    if (f->count < f->room) return true;
    const int32_t larger = f->room == 0 ? 64 : 2 * f->room;
    double *times = realloc(f->times, (size_t)larger * sizeof *times);
    if (times != NULL) f->times = times;
    int64_t *steps = realloc(f->steps, (size_t)larger * sizeof *steps);
    if (steps != NULL) f->steps = steps;
    if (times == NULL || steps == NULL) return false;
    f->room = larger;
    return true;
}

/* The frames that an earlier run left, up to the time where this one begins. */
static vxe_result read_table(run_frames *f, double time, vxe_error *error)
{
    char *text = NULL;
    size_t size = 0;
    if (access(f->table, F_OK) != 0) return VXE_OK;
    vxe_result result = vxe_read_file(f->table, (size_t)1 << 30, &text, &size, error);
    if (result != VXE_OK) return result;
    const char *line = strchr(text, '\n'); /* after the heading */
    while (line != NULL && line[1] != '\0') {
        long number = 0;
        double at = 0.0;
        long long step = 0;
        if (sscanf(line + 1, "%ld,%lf,%lld", &number, &at, &step) != 3 || number != f->count ||
            !(at <= time * (1.0 + 1e-11)))
            break;
        if (!make_room(f)) {
            result = vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the list of frames");
            break;
        }
        f->times[f->count] = at;
        f->steps[f->count++] = step;
        line = strchr(line + 1, '\n');
    }
    free(text);
    return result;
}

/* frames.csv and frames.pvd, both whole. */
static vxe_result write_lists(const run_frames *f, vxe_error *error)
{
    vxe_file file;
    vxe_result result = vxe_file_open(&file, f->table, error);
    if (result != VXE_OK) return result;
    (void)fputs("frame,time_s,step\n", file.stream);
    for (int32_t i = 0; i < f->count; i++)
        (void)fprintf(file.stream, "%d,%.12g,%lld\n", (int)i, f->times[i], (long long)f->steps[i]);
    result = vxe_file_commit(&file, error);
    if (result != VXE_OK || (f->kinds & FRAMES_VTU) == 0) return result;
    const size_t count = (size_t)f->count;
    char(*names)[NAME_SIZE] = malloc(count * NAME_SIZE + 1);
    const char **list = malloc(count * sizeof *list + 1);
    if (names == NULL || list == NULL) {
        result = vxe_fail_memory(error, "the list of frames", count * NAME_SIZE);
    } else {
        for (size_t i = 0; i < count; i++) {
            (void)snprintf(names[i], NAME_SIZE, "frames/%06d.vtu", (int)i);
            list[i] = names[i];
        }
        result = vxe_write_pvd(f->pvd, f->times, list, f->count, error);
    }
    free(names);
    free(list);
    return result;
}

/* The first multiple of the interval after a time; a billionth of slack, so that 3 * 0.1 counts as 0.3. */
static double next_after(const run_frames *f, double time)
{
    return f->every * (floor(time / f->every + 1e-9) + 1.0);
}

vxe_result cli_frames_open(run_frames *f, unsigned kinds, double every, const char *folder,
                           const vxe_scene *scene, vxe_sim *sim, bool resumed, vxe_error *error)
{
    *f = (run_frames){.kinds = kinds, .every = every, .scene = scene};
    if (kinds == 0) return VXE_OK;
    f->folder = vxe_text("%s%s", folder, "frames/");
    f->table = vxe_text("%s%s", folder, "frames.csv");
    f->pvd = vxe_text("%s%s", folder, "frames.pvd");
    f->npz = vxe_text("%s%s", folder, "trajectory.npz");
    if (f->folder == NULL || f->table == NULL || f->pvd == NULL || f->npz == NULL)
        return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the names of files");
    vxe_result result = cli_make_folder(f->folder, error);
    if (result == VXE_OK && resumed) {
        result = read_table(f, vxe_sim_time(sim), error);
        f->written = f->count > 0;
    }
    if (result == VXE_OK && !resumed) {
        (void)unlink(f->table);
        (void)unlink(f->pvd);
        (void)unlink(f->npz);
    }
    if (result == VXE_OK) result = vxe_skin_create(sim, &f->skin, error);
    if (result == VXE_OK && (kinds & FRAMES_NPZ) != 0)
        result = vxe_trajectory_create(sim, f->npz, &f->trajectory, error);
    f->next = f->count > 0 ? next_after(f, vxe_sim_time(sim)) : vxe_sim_time(sim);
    return result;
}

bool cli_frames_due(const run_frames *f, double time)
{
    return f->kinds != 0 && time >= f->next - 1e-9 * f->every;
}

static vxe_result write_kind(run_frames *f, vxe_sim *sim, unsigned kind, const char *extension,
                             vxe_error *error)
{
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "%06d.%s", (int)f->count, extension);
    char *path = vxe_text("%s%s", f->folder, name);
    vxe_result result = VXE_OK;
    if (path == NULL) {
        result = vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the name of a file");
    } else if (kind == FRAMES_VTU) {
        result = vxe_write_vtu(sim, f->skin, path, error);
    } else if (kind == FRAMES_CSV) {
        result = vxe_write_voxels(sim, path, error);
    } else {
        result = vxe_write_surface(sim, f->skin, f->scene, path, error);
    }
    free(path);
    return result;
}

vxe_result cli_frames_write(run_frames *f, vxe_sim *sim, vxe_error *error)
{
    const vxe_state *s = vxe_sim_state(sim);
    if (f->kinds == 0) return VXE_OK;
    f->next = next_after(f, s->time);
    const bool known = f->count > 0 && fabs(f->times[f->count - 1] - s->time) <= 1e-11 * s->time;
    vxe_result result = VXE_OK;
    for (int i = 0; i < KIND_COUNT && !known && result == VXE_OK; i++)
        if ((f->kinds & kinds_table[i].kind) != 0 && kinds_table[i].kind != FRAMES_NPZ)
            result = write_kind(f, sim, kinds_table[i].kind, kinds_table[i].name, error);
    if (result == VXE_OK && f->trajectory != NULL && !known)
        result = vxe_trajectory_add(f->trajectory, sim, error);
    if (result != VXE_OK || known) return result;
    if (!make_room(f))
        return vxe_fail(error, VXE_ERROR_MEMORY, "there is not enough memory for the list of frames");
    f->times[f->count] = s->time;
    f->steps[f->count++] = s->step;
    f->written = true;
    return write_lists(f, error);
}

vxe_result cli_frames_close(run_frames *f, vxe_error *error)
{
    return f->trajectory == NULL ? VXE_OK : vxe_trajectory_write(f->trajectory, error);
}

void cli_frames_list(const run_frames *f, output_list *list)
{
    if (f->kinds == 0 || !f->written) return;
    list->paths[list->count++] = f->table;
    if ((f->kinds & FRAMES_VTU) != 0) list->paths[list->count++] = f->pvd;
    if ((f->kinds & ~(unsigned)FRAMES_NPZ) != 0) list->paths[list->count++] = f->folder;
    if (f->trajectory != NULL) list->paths[list->count++] = f->npz;
}

void cli_frames_destroy(run_frames *f)
{
    vxe_trajectory_destroy(f->trajectory);
    vxe_skin_destroy(f->skin);
    free(f->folder);
    free(f->table);
    free(f->pvd);
    free(f->npz);
    free(f->times);
    free(f->steps);
    *f = (run_frames){0};
}
