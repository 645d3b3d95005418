/* What `solve`, `equilibrium` and `modes` share: their options, the scene, files and the common part of their
 * reports. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "cli/options.h"
#include "cli/report.h"
#include "voxelastic/solve.h"

/* Options; a command has those in its mask. */
enum {
    ANSWER_SOLVER = 1,
    ANSWER_TOLERANCE = 2,
    ANSWER_TIME = 4,
    ANSWER_SLIDE = 8,
    ANSWER_UNSTABLE = 16,
    ANSWER_RELAX = 32,
    ANSWER_COUNT = 64,
    ANSWER_EQUILIBRIUM = 128,
};

/* What was asked for. */
typedef struct answer_options {
    const char *scene;  /* NULL: none given */
    const char *folder; /* NULL: no files */
    bool json;
    vxe_dialect dialect;
    vxe_solver solver;
    double tolerance;   /* 0: not given */
    double time;        /* s; negative: not given */
    bool slide;         /* no friction on the floor */
    bool keep_unstable; /* unstable equilibria are not left */
    int64_t relax;      /* steps; negative: not given */
    int64_t count;      /* modes; 0: not given */
    bool equilibrium;   /* modes about the equilibrium */
} answer_options;

/* Everything a command works on. */
typedef struct answer {
    answer_options options;
    vxe_scene *scene;
    vxe_model *model;
    vxe_sim *sim;
    double begun;   /* on cli_clock() */
    double wall;    /* s, of solving */
    char *folder;   /* with a slash at the end; NULL: no files */
    json_t *report; /* grows; NULL: no memory */
    json_t *outputs;
} answer;

/* A command from its arguments to its exit status: loads the scene, makes the folder, has `find` compute and
 * tell the answer, and writes what it set: summary.json, or the JSON report if that was asked for. */
int answer_command(const char *command, unsigned mask, void (*help)(void), int count, char **arguments,
                   vxe_result (*find)(answer *a, vxe_error *error));
/* Prints the options of a mask. */
void answer_print_options(unsigned mask);

/* The path of a file in the folder, freed by free(). */
vxe_result answer_path(const answer *a, const char *name, char **path, vxe_error *error);
/* Lists a file in the report, if it was written. Frees the path and gives the result. */
vxe_result answer_list(answer *a, char *path, vxe_result result);

/* Adds to the report. */
void answer_set(answer *a, const char *key, json_t *value);
/* What it took. */
void answer_set_cost(answer *a, const vxe_solve_cost *cost);
/* How regions move and what holds them, by the linear answer or (NULL) as the simulation is now. */
void answer_set_regions(answer *a, const vxe_linear *linear);
/* Lines of the table for people. */
void answer_region_rows(const answer *a, const vxe_linear *linear);
void answer_cost_row(const answer *a, const vxe_solve_cost *cost);
/* "(1, 0, 2)" */
quantity_text answer_cell(const answer *a, int32_t voxel);

/* A CSV file in the folder: columns are printed by answer_number(), lines ended by answer_end_line(). */
typedef struct answer_file {
    vxe_file file;
    char *path;
    bool first; /* of its line */
} answer_file;
vxe_result answer_file_open(answer *a, const char *name, const char *columns, answer_file *file,
                            vxe_error *error);
void answer_number(answer_file *file, double value);
void answer_end_line(answer_file *file);
/* Ends the file and lists it in the report. */
vxe_result answer_file_close(answer *a, answer_file *file, vxe_error *error);

#endif
