/* report.html: what a run did, on one page: figures, pictures, plots and the replay. */
#ifndef CLI_REPORT_PAGE_H
#define CLI_REPORT_PAGE_H

#include "cli/moment.h"
#include "cli/report.h"

/* The pictures of a run: at its start, at the largest strain and at its end. */
typedef struct report_page {
    vxe_film *start; /* NULL: none; films of one frame each */
    vxe_film *strained;
    vxe_film *end;
    run_moment moment;
} report_page;

/* Takes the picture of the start. `def` is what the simulation was made with. */
vxe_result cli_page_begin(report_page *page, vxe_sim *sim, const vxe_scene *scene, const vxe_sim_def *def,
                          vxe_error *error);
/* To be called when figures have been looked at: so the moment of the largest strain can be found again. */
void cli_page_look(report_page *page, const vxe_sim *sim, const vxe_figures *figures);
/* Gives a replay its picture: the simulation as it is now. */
vxe_result cli_page_thumbnail(vxe_sim *sim, const vxe_scene *scene, vxe_replay *replay, vxe_error *error);
/* Takes the pictures of the end and of the largest strain and writes the page. `trace` and `replay` are
 * paths, or NULL. */
vxe_result cli_page_write(report_page *page, const run_report *report, const json_t *summary,
                          const char *trace, bool replay, const char *path, vxe_error *error);
void cli_page_destroy(report_page *page);

/* How such pages look. */
extern const char cli_page_style[];

#endif
