/* How a CPU goes through the lattice: threads that share it, and what they need beside the state. */
#ifndef BACKEND_CPU_MACHINE_H
#define BACKEND_CPU_MACHINE_H

#include "sim/sim.h"

/* What one thread does of a sweep over the lattice: the voxels from begin to end. The voxels up to `head`,
 * whose old state the thread before needs, are moved last, when it is known what the links do that come in
 * from voxels before `begin`: the loads of links are computed once. Their volume strains are cheaper computed
 * by both their threads, each for its own end. */
typedef struct sweep_part {
    int32_t begin, end;
    int32_t cross[3]; /* where the first link along an axis that comes in begins; `begin` if there is none */
    int32_t head;
    double *rates; /* 1/s^2: largest link_sum over mass of each material's voxels, (constant_count + 1) */
} sweep_part;

struct vxe_pool;
struct wide_plan;

typedef struct cpu_machine {
    int32_t part_count;
    sweep_part *parts;
    struct vxe_pool *pool;  /* NULL: one thread */
    struct wide_plan *plan; /* of the wide loops */
    int32_t reach[3];       /* how much further on the far end of a link along an axis is, at most */
    bool whole;             /* all of this step is done where damping is: see wide_loops.h */
    double *terms[ACCOUNT_SUM_COUNT]; /* J; with the account only: what each voxel adds to the sums */
} cpu_machine;

/* How many threads a body is worth, or were asked for; never more than it has chunks. */
int32_t vxe_parts_threads(const vxe_sim *sim);
/* Makes and frees sim->cpu, for sim->threads. */
vxe_result vxe_parts_create(vxe_sim *sim, vxe_error *error);
void vxe_parts_destroy(vxe_sim *sim);

/* What a thread does of a stage. */
typedef void part_stage(vxe_sim *sim, const step_context *context, int part);
/* Runs it on all parts. */
void vxe_parts_run(vxe_sim *sim, const step_context *context, part_stage *stage);

/* `divide` of a CPU's table. */
void vxe_parts_divide(vxe_sim *sim, part_task *task, void *context);

/* What damping passes are done with. `own` is what the machine needs for them. */
typedef struct damping_work {
    void *own;
    /* the links of a pass that begin between two voxels, whole blocks of 16, of a part; */
    void (*damp)(void *own, int part, damping_pass pass, int32_t begin, int32_t end);
    /* NULL, or what comes before and after the passes, of one thread: it is done in the same sweep, whole
     * chunks before and whole blocks of 16 after */
    void (*kick)(void *own, int32_t begin, int32_t end);
    void (*move)(void *own, int32_t begin, int32_t end);
} damping_work;
/* All passes. */
void vxe_parts_damp(vxe_sim *sim, const damping_work *work);
/* From how many voxels on, at most, one is moved while another has just been kicked, in such a sweep. */
int32_t vxe_parts_behind(const vxe_sim *sim);

/* What a part's voxels added to sums of the account, to its chunks' measures: what is lost in every step, and
 * in those that measure the energies, of links and all others. */
part_stage vxe_parts_sum;

/* Rates to zero, before the links of a step; and to sim->rates[1], after its moves. */
void vxe_parts_clear_rates(vxe_sim *sim);
void vxe_parts_keep_rates(vxe_sim *sim, const step_context *context);

/* Where the supports end, from one on, that are left out of this step because they rest (wide_rest.c); the
 * same one: it is not. `busy`: nor are those that something touches. */
int32_t vxe_supports_at_rest(const vxe_sim *sim, int32_t support, bool busy);

/* The first voxel that does not rest in this step, in the order of the lattice; and whether all of a chunk
 * rest, and nothing touches them. */
int32_t vxe_first_awake(const vxe_sim *sim);
bool vxe_chunk_rests(const vxe_sim *sim, int32_t chunk);

#endif
