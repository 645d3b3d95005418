/* What `solve`, `equilibrium` and `modes` share: their options, the scene, files and the common part of their
 * reports. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "cli/options.h"
#include "cli/report.h"

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
    double wall;    /* s, of solving */
    char *folder;   /* with a slash at the end; NULL: no files */
    json_t *report; /* grows; NULL: no memory */
    json_t *outputs;
} answer;

/* Reads the arguments, as cli_parse() does. */
int answer_parse(const char *command, unsigned mask, void (*help)(void), int count, char **arguments,
                 answer_options *options);
/* Prints the options of a mask. */
void answer_print_options(unsigned mask);
/* Loads the scene and makes the folder. */
vxe_result answer_open(answer *a, const answer_options *options, vxe_error *error);
void answer_close(answer *a);
/* Reports an error, as text and as JSON, and gives the exit status. */
int answer_fail(answer *a, const vxe_error *error);

/* The path of a file in the folder, freed by free(). */
vxe_result answer_path(const answer *a, const char *name, char **path, vxe_error *error);
/* Lists a file in the report, if it was written. Frees the path and gives the result. */
vxe_result answer_list(answer *a, char *path, vxe_result result);

/* Adds to the report. */
void answer_set(answer *a, const char *key, json_t *value);
/* What it took. */
void answer_set_cost(answer *a, const vxe_solve_cost *cost);
/* One region's answer. */
json_t *answer_region(const answer *a, int32_t region, const double displacement[3], const double reaction[3],
                      const double moment[3]);
/* A line of the table for people. */
void answer_row(const char *name, const char *format, ...) VXE_PRINTF(2, 3);
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

/* Writes summary.json, prints the JSON report if that was asked for (else nothing), and gives the exit
 * status. */
int answer_finish(answer *a, int status);

#endif
