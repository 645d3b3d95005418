/* What one core of this machine can do: multiply-adds from registers, reads from cache and memory.
 *
 * The figures that are compared with these come from one core as well. Every rate is the best of many short
 * runs: what the core does when nobody disturbs it. */
#include "cli/bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_X86 1
#include <immintrin.h>
#else
#define HAS_X86 0
#endif

/* Independent sums: more than the latency of a multiply-add times the number that can begin in a cycle. */
enum { SUMS = 12 };

/* --- multiply-adds: each function does rounds x SUMS x LANES of them and returns something that depends on all --- */

#if HAS_X86
#define DEFINE_FMA(name, isa, vector, scalar, set, fma, store, lanes)                                        \
    __attribute__((target(isa))) static double name(int64_t rounds)                                          \
    {                                                                                                        \
        vector sum[SUMS];                                                                                    \
        scalar out[lanes];                                                                                   \
        const vector factor = set((scalar)0.999);                                                            \
        const vector term = set((scalar)0.001);                                                              \
        double total = 0.0;                                                                                  \
        for (int i = 0; i < SUMS; i++) sum[i] = set((scalar)(i + 2));                                        \
        for (int64_t r = 0; r < rounds; r++) {                                                               \
            for (int i = 0; i < SUMS; i++) sum[i] = fma(sum[i], factor, term);                               \
        }                                                                                                    \
        for (int i = 0; i < SUMS; i++) {                                                                     \
            store(out, sum[i]);                                                                              \
            for (int j = 0; j < (lanes); j++) total += (double)out[j];                                       \
        }                                                                                                    \
        return total;                                                                                        \
    }
DEFINE_FMA(fma_512_double, "avx512f", __m512d, double, _mm512_set1_pd, _mm512_fmadd_pd, _mm512_storeu_pd, 8)
DEFINE_FMA(fma_512_single, "avx512f", __m512, float, _mm512_set1_ps, _mm512_fmadd_ps, _mm512_storeu_ps, 16)
DEFINE_FMA(fma_256_double, "avx2,fma", __m256d, double, _mm256_set1_pd, _mm256_fmadd_pd, _mm256_storeu_pd, 4)
DEFINE_FMA(fma_256_single, "avx2,fma", __m256, float, _mm256_set1_ps, _mm256_fmadd_ps, _mm256_storeu_ps, 8)
#endif

/* Elsewhere the compiler makes vectors of what it finds; a machine without fused multiply-adds gets a
 * multiply and an add. */
#if defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
#define PLAIN_FMA_DOUBLE(a, b, c) __builtin_fma(a, b, c)
#define PLAIN_FMA_SINGLE(a, b, c) __builtin_fmaf(a, b, c)
#else
#define PLAIN_FMA_DOUBLE(a, b, c) ((a) * (b) + (c))
#define PLAIN_FMA_SINGLE(a, b, c) ((a) * (b) + (c))
#endif
enum { PLAIN_LANES = 4 };

#define DEFINE_PLAIN(name, scalar, fma)                                                                      \
    static double name(int64_t rounds)                                                                       \
    {                                                                                                        \
        scalar sum[SUMS * PLAIN_LANES];                                                                      \
        double total = 0.0;                                                                                  \
        for (int i = 0; i < SUMS * PLAIN_LANES; i++) sum[i] = (scalar)(i + 2);                               \
        for (int64_t r = 0; r < rounds; r++) {                                                               \
            for (int i = 0; i < SUMS * PLAIN_LANES; i++) sum[i] = fma(sum[i], (scalar)0.999, (scalar)0.001); \
        }                                                                                                    \
        for (int i = 0; i < SUMS * PLAIN_LANES; i++) total += (double)sum[i];                                \
        return total;                                                                                        \
    }
DEFINE_PLAIN(fma_plain_double, double, PLAIN_FMA_DOUBLE)
DEFINE_PLAIN(fma_plain_single, float, PLAIN_FMA_SINGLE)

/* --- reading: the sum of all words, in vectors as wide as the machine's, or narrower ones in pairs --- */

typedef uint64_t wide __attribute__((vector_size(64), may_alias));

#define READ_BODY                                                                                            \
    const wide *at = data;                                                                                   \
    wide sum[4] = {{0}, {0}, {0}, {0}};                                                                      \
    uint64_t total = 0;                                                                                      \
    for (size_t i = 0; i + 4 <= bytes / sizeof(wide); i += 4) {                                              \
        for (int j = 0; j < 4; j++) sum[j] += at[i + (size_t)j];                                             \
    }                                                                                                        \
    sum[0] += sum[1] + (sum[2] + sum[3]);                                                                    \
    for (int j = 0; j < 8; j++) total += sum[0][j];                                                          \
    return total

#if HAS_X86
__attribute__((target("avx512f"))) static uint64_t read_512(const void *data, size_t bytes) { READ_BODY; }
__attribute__((target("avx2"))) static uint64_t read_256(const void *data, size_t bytes) { READ_BODY; }
#endif
static uint64_t read_plain(const void *data, size_t bytes) { READ_BODY; }

/* --- measuring --- */

typedef struct instruction_set {
    const char *name;
    double (*fma_double)(int64_t rounds);
    double (*fma_single)(int64_t rounds);
    int lanes; /* doubles */
    uint64_t (*read)(const void *data, size_t bytes);
} instruction_set;

static instruction_set choose_instructions(void)
{
#if HAS_X86
    if (__builtin_cpu_supports("avx512f")) {
        return (instruction_set){"AVX-512", fma_512_double, fma_512_single, 8, read_512};
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        return (instruction_set){"AVX2", fma_256_double, fma_256_single, 4, read_256};
    }
#endif
    return (instruction_set){"portable", fma_plain_double, fma_plain_single, PLAIN_LANES, read_plain};
}

/* The compiler must believe that somebody looks at the results. */
static volatile double double_sink;
static volatile uint64_t word_sink;

/* One run is shorter than the slice of time that a busy system gives to a process, so that many are not
 * interrupted. */
#define RUN_SECONDS 2e-4

/* Best rate of some runs, in operations per second. */
static double measure_flops(double (*fma)(int64_t rounds), int lanes, int runs)
{
    int64_t rounds = 1000;
    double best = 0.0;
    for (int i = 0; i < runs;) {
        const double begun = cli_clock();
        double_sink = fma(rounds);
        const double taken = cli_clock() - begun;
        if (taken < RUN_SECONDS && rounds < INT64_C(1) << 40) {
            rounds *= 2;
            continue;
        }
        const double rate = 2.0 * (double)rounds * SUMS * lanes / taken;
        best = rate > best ? rate : best;
        i++;
    }
    return best;
}

/* One of several threads that multiply and add at the same time. */
typedef struct fma_thread {
    double (*fma)(int64_t rounds);
    int64_t rounds;
    pthread_barrier_t *barrier;
    double begun, ended; /* s */
    double result;
} fma_thread;

static void *run_fma(void *argument)
{
    fma_thread *t = argument;
    (void)pthread_barrier_wait(t->barrier);
    t->begun = cli_clock();
    t->result = t->fma(t->rounds);
    t->ended = cli_clock();
    return NULL;
}

/* How many times the work of one thread several do together: the best of some runs of either. */
static double measure_scaling(double (*fma)(int64_t rounds), int threads, int runs)
{
    enum { THREADS_MOST = 64 };
    fma_thread items[THREADS_MOST];
    pthread_t handles[THREADS_MOST];
    const int64_t rounds = 4000000; /* some milliseconds: longer than it takes to start together */
    double alone = 1e9;
    double together = 1e9;
    const int count = threads < THREADS_MOST ? threads : THREADS_MOST;
    for (int i = 0; i < runs; i++) {
        pthread_barrier_t barrier;
        const double begun = cli_clock();
        double_sink = fma(rounds);
        const double one = cli_clock() - begun;
        if (one < alone) alone = one;
        if (pthread_barrier_init(&barrier, NULL, (unsigned)count) != 0) return 0.0;
        int started = 0;
        while (started < count) {
            items[started] = (fma_thread){.fma = fma, .rounds = rounds, .barrier = &barrier};
            if (pthread_create(&handles[started], NULL, run_fma, &items[started]) != 0) break;
            started++;
        }
        if (started < count) return 0.0; /* those that wait do so until the program ends */
        for (int j = 0; j < count; j++) (void)pthread_join(handles[j], NULL);
        (void)pthread_barrier_destroy(&barrier);
        double first = items[0].begun;
        double last = items[0].ended;
        for (int j = 1; j < count; j++) {
            if (items[j].begun < first) first = items[j].begun;
            if (items[j].ended > last) last = items[j].ended;
        }
        if (last - first < together) together = last - first;
    }
    return (double)count * alone / together;
}

/* Best rate of reading the same bytes again and again, in bytes per second. */
static double measure_cache(const instruction_set *set, const void *data, size_t bytes, int runs)
{
    int64_t rounds = 1;
    double best = 0.0;
    word_sink = set->read(data, bytes);
    for (int i = 0; i < runs;) {
        const double begun = cli_clock();
        for (int64_t r = 0; r < rounds; r++) word_sink = set->read(data, bytes);
        const double taken = cli_clock() - begun;
        if (taken < RUN_SECONDS && rounds < INT64_C(1) << 40) {
            rounds *= 2;
            continue;
        }
        const double rate = (double)rounds * (double)bytes / taken;
        best = rate > best ? rate : best;
        i++;
    }
    return best;
}

/* Best rate of reading a piece of memory that has left all caches because much else was read since. */
static double measure_memory(const instruction_set *set, const char *data, size_t bytes, int passes)
{
    const size_t piece = (size_t)16 << 20;
    double best = 0.0;
    for (int pass = 0; pass < passes; pass++) {
        for (size_t at = 0; at + piece <= bytes; at += piece) {
            const double begun = cli_clock();
            word_sink = set->read(data + at, piece);
            const double taken = cli_clock() - begun;
            const double rate = taken > 0.0 ? (double)piece / taken : 0.0;
            best = rate > best ? rate : best;
        }
    }
    return best;
}

/* --- what the system says --- */

/* Copies what follows `key` and a colon in a line of a file such as /proc/cpuinfo; false if there is none. */
static bool find_line(const char *path, const char *key, char *text, size_t size)
{
    char line[256];
    FILE *stream = fopen(path, "r");
    bool found = false;
    while (stream != NULL && !found && fgets(line, sizeof line, stream) != NULL) {
        const char *colon = strchr(line, ':');
        if (colon != NULL && strncmp(line, key, strlen(key)) == 0) {
            colon += 1 + strspn(colon + 1, " \t");
            (void)snprintf(text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
            found = true;
        }
    }
    if (stream != NULL) (void)fclose(stream);
    return found;
}

static double find_load(void)
{
    char line[64] = "";
    FILE *stream = fopen("/proc/loadavg", "r");
    const bool read = stream != NULL && fgets(line, sizeof line, stream) != NULL;
    if (stream != NULL) (void)fclose(stream);
    return read ? strtod(line, NULL) : -1.0;
}

static size_t cache_size(int level)
{
    long bytes = 0;
#if defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
    bytes = sysconf(level == 2 ? _SC_LEVEL2_CACHE_SIZE : _SC_LEVEL3_CACHE_SIZE);
#else
    (void)level;
#endif
    return bytes > 0 ? (size_t)bytes : 0;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

void bench_measure_machine(bench_machine *machine, int threads, bool quick)
{
    const size_t megabyte = (size_t)1 << 20;
    const instruction_set set = choose_instructions();
    const int single_lanes = set.lanes * (set.fma_single == fma_plain_single ? 1 : 2);
    const int runs = quick ? 10 : 500;
    *machine = (bench_machine){.l2 = cache_size(2), .l3 = cache_size(3), .load = find_load()};
    if (!find_line("/proc/cpuinfo", "model name", machine->cpu, sizeof machine->cpu)) {
        (void)snprintf(machine->cpu, sizeof machine->cpu, "unknown");
    }
    (void)snprintf(machine->isa, sizeof machine->isa, "%s", set.name);
    machine->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    machine->double_flops = measure_flops(set.fma_double, set.lanes, runs);
    machine->threads = threads;
    machine->scaling = threads > 1 ? measure_scaling(set.fma_double, threads, quick ? 3 : 20) : 1.0;
    machine->single_flops = measure_flops(set.fma_single, single_lanes, runs);

    /* Half of a cache: the other half is for whatever else is in there. The outermost one may be shared by
     * many cores and far larger than this core's part of it: 8 MB are in anyone's part, and memory begins
     * well beyond the whole. */
    const size_t memory =
        quick ? 64 * megabyte : smaller(larger(2 * machine->l3, 256 * megabyte), 512 * megabyte);
    char *data = vxe_allocate(memory, 1);
    if (data == NULL) return;
    memset(data, 1, memory);
    if (machine->l2 > 0) machine->l2_read = measure_cache(&set, data, smaller(machine->l2 / 2, memory), runs);
    if (machine->l3 > 0) {
        machine->l3_read =
            measure_cache(&set, data, smaller(machine->l3 / 2, 8 * megabyte), quick ? 10 : 100);
    }
    machine->dram_read = measure_memory(&set, data, memory, quick ? 1 : 5);
    free(data);
}
