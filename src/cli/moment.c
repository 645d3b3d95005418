/* The moment of the largest strain: see moment.h. */
#include "cli/moment.h"

#include <stdlib.h>

/* Part of the time of a run that keeping may take. States are then at most 50 times as far apart as one takes
 * to be kept, and so long takes the way back at most. */
#define KEEPING_PART 0.02
/* Bytes of a state, of some millions of voxels: two are kept. */
#define LARGEST_STATE ((size_t)1 << 30)

/* Writes the state where it is not needed any more. */
static void keep(run_moment *m, const vxe_sim *sim)
{
    const int place = m->before == m->latest ? 1 - m->latest : m->latest;
    const size_t size = vxe_sim_save_size(sim);
    const double begun = cli_clock();
    kept_state *k = &m->kept[place];
    if (size > k->room) {
        void *data = size > LARGEST_STATE ? NULL : realloc(k->data, size);
        m->lost = data == NULL;
        if (m->lost) return;
        k->data = data;
        k->room = size;
    }
    if (vxe_sim_save(sim, k->data, k->room, NULL) != VXE_OK) return;
    k->size = size;
    k->time = vxe_sim_time(sim);
    m->latest = place;
    m->spent += cli_clock() - begun;
}

void cli_moment_begin(run_moment *moment, const vxe_sim *sim, const vxe_sim_def *def)
{
    *moment = (run_moment){.def = *def, .before = -1, .begun = cli_clock()};
    keep(moment, sim);
}

/* Whether the largest strain was at the latest state or later. */
static void note(run_moment *moment, const vxe_peak *peak)
{
    const kept_state *latest = &moment->kept[moment->latest];
    if (latest->data != NULL && peak->value > 0.0 && peak->time >= latest->time)
        moment->before = moment->latest;
}

void cli_moment_look(run_moment *moment, const vxe_sim *sim, const vxe_peak *peak)
{
    if (moment->lost) return;
    note(moment, peak);
    if (moment->spent <= KEEPING_PART * (cli_clock() - moment->begun)) keep(moment, sim);
}

vxe_result cli_moment_reach(const run_moment *moment, const vxe_model *model, const vxe_peak *peak,
                            vxe_sim **sim, vxe_error *error)
{
    run_moment m = *moment;
    vxe_sim *made = NULL;
    *sim = NULL;
    if (m.lost) return VXE_OK;
    note(&m, peak);
    if (m.before < 0) return VXE_OK;
    const kept_state *k = &m.kept[m.before];
    vxe_result result = vxe_sim_create(model, &m.def, &made, error);
    if (result == VXE_OK) result = vxe_sim_load(made, k->data, k->size, error);
    if (result != VXE_OK) {
        vxe_sim_destroy(made);
        return result;
    }
    const vxe_stop none = {0};
    while (vxe_sim_time(made) < peak->time && vxe_sim_run(made, &none, 1) == VXE_RUN_STEPS) {
    }
    if (vxe_sim_time(made) == peak->time) {
        *sim = made;
    } else {
        vxe_sim_destroy(made);
    }
    return VXE_OK;
}

void cli_moment_clear(run_moment *moment)
{
    free(moment->kept[0].data);
    free(moment->kept[1].data);
    *moment = (run_moment){.before = -1};
}
