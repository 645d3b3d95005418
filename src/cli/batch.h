/* voxelastic batch: very many designs, with results in a store. */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "cli/options.h"
#include "cli/report.h"
#include "store/store.h"

/* What `batch` was asked for. */
typedef struct batch_options {
    const char *input; /* a file of lines, a folder, a scene */
    const char *store;
    const char *command; /* the arguments, for the store */
    char *folder;        /* of the input, absolute; freed by whoever made it */
    char *base;          /* scene of all lines, absolute; NULL: none */
    design_settings designs;
    const char *fitness; /* NULL: the store's, or the usual */
    int32_t threads;     /* 0: all processors */
    int64_t shard;       /* from 1 */
    int64_t shards;
    int64_t best;    /* designs whose trace, checkpoint and replay are kept */
    bool again;      /* designs that are done are run again */
    bool retry;      /* those that could not be run, too */
    bool no_designs; /* their lines are not kept */
    bool json;
    bool quiet;
} batch_options;

/* One design on its way. */
typedef struct batch_task {
    design_item item;
    design_plan plan;
    int32_t repeat;
    vxe_error problem; /* VXE_OK: none yet */
} batch_task;
void batch_task_free(batch_task *task);
/* What an outcome says of its task; `text`: takes over its line or path. */
void batch_outcome_begin(design_outcome *outcome, batch_task *task, bool text);

/* Where workers get designs from and give outcomes to: a crew, or another process. */
typedef struct batch_port {
    void *user;
    design_reader *reader;
    const batch_options *options;
    /* The next design; false: there is none, or everything is to end. */
    bool (*take)(void *user, batch_task *task);
    /* What became of it; the outcome's text is taken over. NULL: it was broken off. */
    void (*give)(void *user, const batch_task *task, design_outcome *outcome);
} batch_port;

/* batch_work.c: workers for a port; all its designs are added at once. */
vxe_result batch_work_start(const batch_port *port, int32_t threads, vxe_batch **batch, vxe_error *error);

/* How far a crew is. */
typedef struct batch_counts {
    int64_t done; /* in this run */
    int64_t fault;
    int64_t failed;
    int64_t skipped; /* were there already */
    double best;     /* of this run; NaN: none */
    char best_id[DESIGN_ID_SIZE];
    double store_seconds; /* of processor time, spent on writing */
} batch_counts;

/* batch_crew.c: reads designs, knows which are done, and writes what became of them. */
typedef struct batch_crew batch_crew;
vxe_result batch_crew_open(const batch_options *options, batch_crew **crew, vxe_error *error);
/* Writes what is left and closes. */
vxe_result batch_crew_close(batch_crew *crew, const char *how, vxe_error *error);
batch_port batch_crew_port(batch_crew *crew);
batch_store *batch_crew_store(batch_crew *crew);
/* The number of a process in the store. */
vxe_result batch_crew_run(batch_crew *crew, int32_t rank, const char *host, int64_t *run, vxe_error *error);
/* Ends it. */
vxe_result batch_crew_end_run(batch_crew *crew, int64_t run, const char *how, vxe_error *error);
/* A design that somebody took and will not finish: another may take it. Its item is taken over. */
void batch_crew_return(batch_crew *crew, batch_task *task);
/* Writes what has come in, if it is time or `now`. */
vxe_result batch_crew_write(batch_crew *crew, bool now, vxe_error *error);
/* Waits for something to write, at most so long. */
void batch_crew_wait(batch_crew *crew, double seconds);
/* No more designs. */
void batch_crew_stop(batch_crew *crew);
/* What went wrong with reading; VXE_OK: nothing. */
vxe_result batch_crew_problem(batch_crew *crew, vxe_error *error);
batch_counts batch_crew_count(batch_crew *crew);
double batch_crew_part(batch_crew *crew);

/* batch_mpi.c, or batch_alone.c where it was built without: processes that MPI started. */
typedef struct batch_ranks {
    int rank;              /* which this is */
    int ranks;             /* how many there are */
    struct batch_rank *of; /* rank 0: what it knows of each; NULL: nothing yet */
    int left;              /* rank 0: how many still work */
    int lost;              /* rank 0: how many fell silent */
    bool leftover;         /* rank 0: some of what they had in hand is left */
    double interrupted;    /* on cli_clock(); 0: not */
} batch_ranks;
/* Starts MPI if something started this process as one of several. False after a message. */
bool batch_ranks_begin(batch_ranks *ranks, bool gpu); /* gpu: each wants one */
/* Rank 0: does what other ranks ask for. False: they are all done. */
bool batch_ranks_serve(batch_crew *crew, batch_ranks *ranks, vxe_result *result, vxe_error *error);
/* The others: all they do. The exit status. */
int batch_ranks_work(const batch_options *options);
/* Ends MPI with an exit status, without waiting for ranks that are lost or still work. */
void batch_ranks_end(batch_ranks *ranks, int status);

/* batch_again.c: runs a design of the store once more and keeps what it did. */
typedef struct batch_files {
    char *trace; /* CSV */
    void *checkpoint;
    size_t checkpoint_size;
    char *replay; /* HTML; NULL: there is no page */
    size_t replay_size;
    char *scene; /* JSON */
    bool same;   /* the state hash is that of the store */
} batch_files;
vxe_result batch_again(batch_store *store, int64_t design, int32_t repeat, batch_files *files,
                       vxe_error *error);
void batch_files_free(batch_files *files);
/* Keeps the files of the best designs in the store. */
vxe_result batch_keep_best(batch_store *store, int64_t count, bool quiet, vxe_error *error);
/* A file that was kept; *data NULL: none. */
vxe_result batch_kept_file(batch_store *store, int64_t design, int32_t repeat, const char *name, char **data,
                           size_t *size, vxe_error *error);
/* The settings of a run as JSON, freed by free(); and back. */
char *batch_settings_print(const batch_options *options, const char *label);

/* batch_show.c, batch_export.c, batch_page.c */
void batch_print_show_options(void);
void batch_print_export_options(void);
int batch_command_status(int count, char **arguments);
int batch_command_top(int count, char **arguments);
int batch_command_show(int count, char **arguments);
int batch_command_export(int count, char **arguments);
int batch_command_merge(int count, char **arguments);
vxe_result batch_page_write(batch_store *store, const char *path, int64_t best, vxe_error *error);

#endif
