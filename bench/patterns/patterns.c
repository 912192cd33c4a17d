// patterns: one pattern of communication as a whole job, for `stretto bench never-slower`. It knows nothing of Stretto.
//
//   mpirun -n P patterns NAME --work little|much --seconds S [--dilate D]           what fills S seconds: steps, rounds, round_seconds
//   mpirun -n P patterns NAME --steps N --rounds R --round-seconds T [--dilate D]   does it
//   mpirun -n P patterns all --steps N --rounds R --round-seconds T                 does it with every pattern, one after the other, as tests do
//   patterns --list                                                                 all patterns, a line of JSON each
//
// Rank 0 prints one line of JSON. Of a job that was done: seconds from the first rank's first step until the last rank's end, CPU seconds of all
// ranks so far (user and system), what a rank's memory was at its largest, on average, and the sum of all ranks' checksums.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "harness/clock.h"
#include "pattern.h"
#include "work.h"

int rank, ranks;
long all_steps = 64; // while nobody knows better

static const struct Pattern *const FAMILIES[] = {neighbours, lockstep, halos,  transposes, pipelines,
                                                 particles,  workers,  solver, collectives};
enum { ALL_FAMILIES = sizeof FAMILIES / sizeof *FAMILIES };

static const double PART_TO_CALIBRATE = 0.1; // of a job's time: steps that take so long tell what one takes

struct Asked {
    const char *name, *work;
    double seconds;
    long steps;
};

// By all ranks.
static void give_up(const char *why, const char *what) {
    if (rank == 0) fprintf(stderr, "patterns: %s%s\n", why, what);
    MPI_Finalize();
    exit(2);
}

void *memory(size_t bytes) {
    void *made = calloc(bytes ? bytes : 1, 1);
    if (made) return made;
    fprintf(stderr, "patterns: rank %d: no memory for %zu bytes\n", rank, bytes);
    MPI_Abort(WORLD, 2);
    return NULL;
}

static const struct Pattern *find(const char *name) {
    for (int f = 0; f < ALL_FAMILIES; f++)
        for (const struct Pattern *one = FAMILIES[f]; one->name; one++)
            if (!strcmp(one->name, name)) return one;
    give_up("no pattern is called ", name);
    return NULL;
}

static int list(void) {
    static const char *const WORKS[] = {"[\"little\",\"much\"]", "[\"little\"]", "[\"much\"]"};
    for (int f = 0; f < ALL_FAMILIES; f++)
        for (const struct Pattern *one = FAMILIES[f]; one->name; one++)
            printf("{\"name\":\"%s\",\"works\":%s,\"about\":\"%s\"}\n", one->name, WORKS[one->works], one->about);
    return 0;
}

static double over_ranks(double value, MPI_Op op) {
    double all;
    MPI_Allreduce(&value, &all, 1, MPI_DOUBLE, op, WORLD);
    return all;
}

// From the first rank's begin to the last one's end: all ranks read one clock (harness/clock.h).
static double run_steps(const struct Pattern *pattern, long from, long steps) {
    MPI_Barrier(WORLD);
    const double begin = now();
    for (long k = 0; k < steps; k++) pattern->step(from + k);
    rest_before_timing();
    const double end = now();
    return over_ranks(end, MPI_MAX) - over_ranks(begin, MPI_MIN);
}

// Twice as many steps until they take long enough.
static double step_seconds(const struct Pattern *pattern, double enough) {
    long from = 0;
    for (long steps = 1;; steps *= 2) {
        worked = 0;
        const double took = run_steps(pattern, from, steps);
        from += steps;
        worked /= (double)steps;
        if (took > enough || (pattern->steps && from > pattern->steps)) return took / (double)steps;
    }
}

// The work of the busiest rank shall take as long as a step's messages, or fill what few steps leave of the time.
static double calibrate_rounds(const struct Pattern *pattern, double seconds, double step) {
    const double bytes = over_ranks(worked, MPI_MAX);
    const double work_seconds = pattern->steps ? seconds / (double)pattern->steps - step : step;
    return work_seconds > 0 && bytes > 0 ? work_seconds / (bytes * work.seconds_of_round) : 0;
}

static void calibrate(const struct Pattern *pattern, const struct Asked *asked) {
    if (pattern->set_up) pattern->set_up();
    MPI_Barrier(WORLD);
    work.seconds_of_round = over_ranks(measure_round(), MPI_MAX);
    double step = step_seconds(pattern, PART_TO_CALIBRATE * asked->seconds);
    if (!strcmp(asked->work, "much")) {
        work.rounds = calibrate_rounds(pattern, asked->seconds, step);
        step = step_seconds(pattern, PART_TO_CALIBRATE * asked->seconds);
    }
    const long fill = (long)(asked->seconds / step), steps = pattern->steps ? pattern->steps : fill ? fill : 1;
    if (rank == 0)
        printf("{\"steps\":%ld,\"fixed\":%s,\"rounds\":%.9g,\"round_seconds\":%.9g}\n", steps,
               pattern->steps ? "true" : "false", work.rounds, work.seconds_of_round);
}

static double cpu_of_process(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// Not ru_maxrss, which begins with what the process was before it became this program.
static double peak_kib(void) {
    char line[256];
    double kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %lf", &kib);
    if (status) fclose(status);
    return kib;
}

static void run(const struct Pattern *pattern, long steps) {
    uint64_t sum;
    all_steps = steps;
    checksum = 0;
    if (pattern->set_up) pattern->set_up();
    const double seconds = run_steps(pattern, 0, steps);
    MPI_Reduce(&checksum, &sum, 1, MPI_UINT64_T, MPI_SUM, 0, WORLD);
    const double cpu = over_ranks(cpu_of_process(), MPI_SUM), kib = over_ranks(peak_kib(), MPI_SUM) / ranks;
    if (rank == 0)
        printf("{\"pattern\":\"%s\",\"steps\":%ld,\"loop_s\":%.9g,\"cpu_s\":%.6f,\"peak_kib\":%.1f,"
               "\"checksum\":\"%016llx\"}\n",
               pattern->name, steps, seconds, cpu, kib, (unsigned long long)sum);
}

static void run_all(long steps) {
    for (int f = 0; f < ALL_FAMILIES; f++)
        for (const struct Pattern *one = FAMILIES[f]; one->name; one++) run(one, steps);
}

static struct Asked read_arguments(int argc, char **argv) {
    struct Asked asked = {.name = argc > 1 ? argv[1] : "", .work = "little"};
    for (int k = 2; k + 1 < argc; k += 2) {
        if (!strcmp(argv[k], "--work")) asked.work = argv[k + 1];
        if (!strcmp(argv[k], "--seconds")) asked.seconds = atof(argv[k + 1]);
        if (!strcmp(argv[k], "--steps")) asked.steps = atol(argv[k + 1]);
        if (!strcmp(argv[k], "--rounds")) work.rounds = atof(argv[k + 1]);
        if (!strcmp(argv[k], "--round-seconds")) work.seconds_of_round = atof(argv[k + 1]);
        if (!strcmp(argv[k], "--dilate")) work.dilate = atof(argv[k + 1]);
    }
    return asked;
}

int main(int argc, char **argv) {
    if (argc == 2 && !strcmp(argv[1], "--list")) return list();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &ranks);
    prctl(PR_SET_TIMERSLACK, 1UL);
    const struct Asked asked = read_arguments(argc, argv);
    if (ranks < 2) give_up("needs at least 2 ranks", "");
    if (asked.steps < 1 && !(asked.seconds > 0)) give_up("want --seconds or --steps", "");
    if (asked.steps > 0 && !strcmp(asked.name, "all"))
        run_all(asked.steps);
    else if (asked.steps > 0)
        run(find(asked.name), asked.steps);
    else
        calibrate(find(asked.name), &asked);
    MPI_Finalize();
    return 0;
}
