/* `voxelastic validate`: cases, what they compare, and how it is told. A case (case_*.c) runs specimens
 * (trial.h) and adds rows, tables and plots to a validation; print.c, json.c and page.c show them. */
#ifndef VALIDATE_VALIDATE_H
#define VALIDATE_VALIDATE_H

#include "base/base.h"
#include "voxelastic/voxelastic.h"

typedef enum val_verdict {
    VAL_PASS,
    VAL_FAIL,
    VAL_INFO,   /* shown for comparison; there is nothing to pass */
    VAL_SKIPPED /* needs something this program was built without */
} val_verdict;

/* One comparison. */
typedef struct val_row {
    int case_index;
    char name[48];  /* "elastica.a5.n19.x" */
    char what[112]; /* what is compared */
    const char *unit;
    double ours;
    double reference;
    double error; /* ours/reference - 1, or the difference where `absolute` */
    bool absolute;
    double tolerance;   /* 0: none */
    const char *source; /* of the reference */
    const char *reason; /* of the tolerance; of a row without one: what it shows */
    val_verdict verdict;
} val_row;

enum { VAL_COLUMNS = 9 };

/* A table of texts, shown beside the rows of its case. */
typedef struct val_table {
    int case_index;
    const char *title;
    const char *text; /* below it */
    int columns;
    int rows;                       /* the head is not counted */
    char (*cells)[VAL_COLUMNS][40]; /* (rows + 1), the head first */
} val_table;

typedef enum val_style { VAL_LINE, VAL_DASHES, VAL_POINTS, VAL_RULES /* vertical lines */ } val_style;

typedef struct val_series {
    char name[64];
    val_style style;
    int color;
    int count;
    double *x;
    double *y;
} val_series;

enum { VAL_SERIES_MAX = 12 };

typedef struct val_plot {
    int case_index;
    const char *title;
    const char *text; /* below it */
    const char *x_label;
    const char *y_label;
    bool log_y;
    bool same_scale; /* of both axes */
    int series_count;
    val_series series[VAL_SERIES_MAX];
} val_plot;

/* Poses of voxels, to be drawn. */
typedef struct val_body {
    int case_index;
    const char *title;
    const char *text;
    double pitch;
    int count;
    double *pose;        /* position and unit quaternion, 7 per voxel */
    uint8_t *free_faces; /* bits 2a and 2a + 1: no neighbour towards smaller, larger coordinates of axis a */
    double *shade;       /* displacement, m */
} val_body;

/* The same case at several pitches. */
enum { VAL_PITCHES = 3 };
typedef struct val_refinement {
    int case_index;
    char name[48];
    char what[112];
    const char *unit;
    int pitches;
    double per_mm[VAL_PITCHES]; /* voxels per millimetre, increasing */
    double value[VAL_PITCHES];
    double reference;
    double limit; /* extrapolated from three pitches (Richardson); NaN where they do not show one order */
    double order; /* observed: of the errors of the two finest; NaN where these change sign or are smaller
                     than 0.1 % */
    const char *source;
} val_refinement;

typedef struct validation validation;

/* What --quick takes. */
typedef enum val_speed {
    VAL_QUICK,        /* a second or two, with the solvers or without */
    VAL_QUICK_SOLVED, /* with the solvers */
    VAL_SLOW
} val_speed;

/* A case. */
typedef struct val_case {
    const char *name;
    const char *group;
    const char *title;
    val_speed speed;
    void (*run)(validation *v);
} val_case;

extern const val_case val_cases[];
extern const int val_case_count;

/* A refinement study of a case. */
typedef struct val_study {
    const char *case_name;
    const char *name;
    void (*run)(validation *v, const char *name);
} val_study;

extern const val_study val_studies[];
extern const int val_study_count;

typedef struct val_result {
    bool done;
    double seconds;
    bool broken; /* it could not be computed */
    char message[256];
} val_result;

struct validation {
    int current;         /* case being run */
    vxe_error error;     /* what it failed by; nothing is recorded after that */
    val_result *results; /* (val_case_count) */
    val_row *rows;
    int row_count;
    val_table *tables;
    int table_count;
    val_plot *plots;
    int plot_count;
    val_body *bodies;
    int body_count;
    val_refinement *refinements;
    int refinement_count;
};

bool val_create(validation *v);
void val_destroy(validation *v);

/* Runs a case, or its refinement studies; a failure to compute is kept in results[]. */
void val_run(validation *v, int case_index);
void val_refine(validation *v, int case_index);
int val_count(const validation *v, val_verdict verdict);
/* Cases that could not be computed. */
int val_broken(const validation *v);

/* ---- for cases ---- */

typedef struct val_text {
    char text[112];
} val_text;
val_text val_format(const char *format, ...) VXE_PRINTF(1, 2);

/* Where a reference comes from and why a tolerance is what it is. */
typedef struct val_basis {
    const char *source;
    const char *reason;
} val_basis;

/* Relative error; tolerance 0 makes it an information. */
void val_compare(validation *v, const char *name, const char *what, const char *unit, double ours,
                 double reference, double tolerance, val_basis basis);
/* The difference counts. */
void val_compare_absolute(validation *v, const char *name, const char *what, const char *unit, double ours,
                          double reference, double tolerance, val_basis basis);
/* Says that something could not be run here. */
void val_skip(validation *v, const char *name, const char *what, const char *why);
/* Without the solvers: says so and returns true. */
bool val_needs_solvers(validation *v, const char *name, const char *what);

/* A table with its head: columns separated by |. */
val_table *val_add_table(validation *v, const char *title, const char *head, const char *text);
void val_add_cells(validation *v, val_table *table, const char *cells);
val_plot *val_add_plot(validation *v, const char *title, const char *x_label, const char *y_label,
                       const char *text);
/* Copies the numbers. */
void val_add_series(validation *v, val_plot *plot, const char *name, val_style style, int color, int count,
                    const double *x, const double *y);
/* A body of `count` voxels; its arrays are to be filled. NULL if there is no memory. */
val_body *val_add_body(validation *v, const char *title, const char *text, double pitch, int count);
/* Values at increasing numbers of voxels per millimetre; finds limit and order. */
void val_add_refinement(validation *v, const char *name, const char *what, const char *unit, int pitches,
                        const double *per_mm, const double *value, double reference, const char *source);

/* ---- how it is told ---- */

void val_print_list(void);
/* Rows and tables of a case that has run. */
void val_print_case(const validation *v, int case_index);
void val_print_summary(const validation *v);
void val_print_markdown(const validation *v);

/* Numbers as texts: of a value, an error and a tolerance. */
val_text val_value_text(double value);
val_text val_error_text(const val_row *row);
val_text val_tolerance_text(const val_row *row);
const char *val_verdict_name(val_verdict verdict);
/* What the reason of a row explains: "allowed", "for information", "skipped". */
const char *val_reason_label(const val_row *row);
/* Rows of a case that share source and reason get the same letter; the first of them tells both. 0: none. */
char val_basis_letter(const validation *v, int row, bool *first);
/* The columns of a refinement after its name: pitches, and values and errors by pitch, separated by commas;
 * order, limit. */
typedef struct val_refined {
    char pitches[40];
    char values[72];
    char errors[64];
    char order[16];
    char limit[24];
} val_refined;
val_refined val_refined_text(const val_refinement *r);
/* DIR/report.html. */
vxe_result val_write_page(const validation *v, const char *path, vxe_error *error);

#endif
