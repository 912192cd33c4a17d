// main.c: runs a kernel's variants in turns and prints what it measured as one line of JSON.
//
//   pair --calibrate 1.0 [--bytes B] [--dilate D]                       how much work is ratio x T_message?
//   pair --rounds R --compute S --run message,compute,plain,hand:8192   measure these, in turns, --reps times
//   pair.stretto --rounds R --compute S --run delta
//   pair --run plain --bytes 8192 --then --bytes 16384                  two measurements: what is not said again stays
//   pes --run plain --imbalance static|rotating                         one rank's work takes 20 % longer
//
// The driver (bench/driver) makes these calls. --rounds and --compute carry one calibration into all launches, so that
// every variant does the same work and must come to the same bits.
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "kernel.h"
#include "median.h"

struct Options option = {.bytes = 409600, .dilate = 1};
int rank, ranks;
long wrong;

enum { MAX_RUNS = 64, MAX_REPS = 1000 };

// As in the driver: what is over so soon that the state of a connection counts.
static const long SHORT = 1 << 16;

// Longer than the last rank needs to learn of the instant at which all begin, in seconds.
static const double HEADWAY = 200e-6;

struct Run {
    const char *name; // as it was asked for: "hand:8192", "tiled:8192:2"
    long chunk, depth;
    double seconds[MAX_REPS];
    uint64_t checksum;
    int changed; // repetitions whose checksum was another
};

static struct {
    double calibrate; // the ratio; 0: do not
    double rounds, compute;
    int reps, warmup;
    const char *timeline;
    int takes; // of a timeline: the shortest is kept, as the one that others disturbed least
    struct Run run[MAX_RUNS];
    int runs;
} plan = {.reps = 7, .warmup = 2, .takes = 1};

static const struct Kernel *k;

void give_up(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (rank == 0) {
        fprintf(stderr, "%s: ", k->name);
        vfprintf(stderr, format, arguments);
        fprintf(stderr, "\n");
    }
    va_end(arguments);
    MPI_Finalize();
    exit(2);
}

void *own_pages(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    void *memory = aligned_alloc(page, whole);
    return memory ? memset(memory, 0, whole) : NULL;
}

MPI_Request *no_requests(long count) {
    MPI_Request *requests = malloc((size_t)count * sizeof(MPI_Request));
    if (!requests) give_up("no memory for %ld requests", count);
    for (long k = 0; k < count; k++) requests[k] = MPI_REQUEST_NULL;
    return requests;
}

static void perform(const struct Run *run) {
    const char *name = run->name;
    option.depth = run->depth;
    if (!strcmp(name, "message"))
        k->message();
    else if (!strcmp(name, "compute"))
        k->compute();
    else if (!strcmp(name, "plain"))
        k->plain();
    else if (!strcmp(name, "delta"))
        k->delta ? k->delta() : k->plain(); // an application that knows nothing of Stretto runs under it
    else if (!strcmp(name, "independent"))
        k->independent();
    else if (!strncmp(name, "tiled:", 6))
        k->tiled(run->chunk);
    else if (!strncmp(name, "puts:", 5))
        k->puts(run->chunk);
    else
        k->hand(run->chunk);
    work_finish();
}

// All ranks begin at one instant (they share a clock: they are on one machine). After a barrier alone, one rank begins as much earlier
// as a message takes, which of them by chance.
static double begin_together(void) {
    double instant = now() + HEADWAY;
    MPI_Allreduce(MPI_IN_PLACE, &instant, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    while (now() < instant) sched_yield();
    return instant;
}

// Seconds from the begin to the last rank's end.
static double repetition(const struct Run *run) {
    k->reset();
    if (timeline_on) timeline_start(); // forget the way to here
    double begin = begin_together();
    perform(run);
    double seconds = now() - begin, longest;
    MPI_Allreduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

static uint64_t checksum(void) {
    struct Result result = k->result();
    const unsigned char *data = result.data;
    uint64_t sum = 0xcbf29ce484222325u ^ ((uint64_t)rank << 32) ^ result.bytes, all, word;
    for (size_t i = 0; i < result.bytes; i += sizeof word) { // FNV-1a, eight bytes at a time
        size_t n = result.bytes - i < sizeof word ? result.bytes - i : sizeof word;
        word = 0;
        memcpy(&word, data + i, n);
        sum = (sum ^ word) * 0x100000001b3u;
        sum ^= sum >> 29;
    }
    MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
    return all;
}

// A young TCP connection's receiver acknowledges short messages within its sender's system call, a used one's within its own:
// 10 us of a repetition (docs/bench.md). All launches measure used ones, as Stretto's MPI_Init and any large message leave them.
static void use_connections(void) {
    enum { BYTES = 1 << 19, TIMES = 32 };
    char *out = calloc(2, BYTES), *in = out + BYTES;
    if (!out) give_up("no memory for %d bytes", 2 * BYTES);
    for (int shift = 1; shift < ranks; shift++)
        for (int i = 0; i < TIMES; i++)
            MPI_Sendrecv(out, BYTES, MPI_BYTE, (rank + shift) % ranks, 0, in, BYTES, MPI_BYTE,
                         (rank - shift + ranks) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(out);
}

// Chooses the work so that all of it takes ratio x T_message with all ranks at work. By CPU time, as ranks may share a
// core; twice, the second time with nearly the right number of rounds (the sine of a larger argument takes longer).
static void calibrate(void) {
    struct Run message = {.name = "message"};
    double t[21];
    for (int i = 0; i < 6; i++) repetition(&message); // connections, TCP windows
    for (int i = 0; i < 21; i++) t[i] = repetition(&message) / k->message_hops();
    double message_seconds = median(t, 21), seconds = plan.calibrate * message_seconds;
    MPI_Bcast(&seconds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (!k->work_is_given) {
        work_plan(option.elements, 0, 1);
        for (int pass = 0; pass < 2; pass++) {
            MPI_Barrier(MPI_COMM_WORLD);
            for (int i = 0; i < 5; i++) {
                double begin = cpu_seconds();
                k->compute();
                t[i] = cpu_seconds() - begin;
            }
            double measured = median(t, 5);
            MPI_Allreduce(MPI_IN_PLACE, &measured, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            rounds_per_element *= seconds / option.dilate / measured;
        }
    }
    if (rank == 0)
        printf("{\"kernel\":\"%s\",\"rounds\":%.17g,\"compute\":%.17g,\"T_message\":%.9g}\n", k->name,
               rounds_per_element, seconds, message_seconds);
}

static void measure(void) {
    for (int i = 0; i < plan.warmup; i++)
        for (int r = 0; r < plan.runs; r++) repetition(&plan.run[r]);
    for (int i = 0; i < plan.reps; i++)
        for (int r = 0; r < plan.runs; r++) {
            struct Run *run = &plan.run[r];
            run->seconds[i] = repetition(run);
            if (!strcmp(run->name, "message")) run->seconds[i] /= k->message_hops();
            uint64_t sum = checksum();
            if (i == 0) run->checksum = sum, run->changed = 0;
            run->changed += sum != run->checksum;
        }
}

static void record_timelines(void) {
    long calls[ANNOTATIONS] = {0}, all[ANNOTATIONS];
    for (int r = 0; r < plan.runs; r++) {
        struct Run *run = &plan.run[r];
        if (!strcmp(run->name, "message") || !strcmp(run->name, "compute")) continue;
        if (!plan.timeline && strcmp(run->name, "delta")) continue; // only its calls are counted
        double shortest = INFINITY;
        for (int take = 0; take < plan.takes; take++) {
            timeline_start();
            double seconds = repetition(run);
            timeline_stop();
            if (take == 0)
                for (int c = 0; c < ANNOTATIONS; c++) calls[c] += timeline_calls[c];
            if (plan.timeline && seconds < shortest) {
                shortest = seconds;
                timeline_write(plan.timeline, k->name, run->name);
            }
        }
    }
    MPI_Reduce(calls, all, ANNOTATIONS, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("\"calls\":{\"begins\":%ld,\"send_data\":%ld,\"receives\":%ld,\"wait_data\":%ld}", all[BEGINS],
               all[SEND_DATA], all[RECEIVES], all[WAIT_DATA]);
}

// "Open MPI v4.1.4", "MPICH Version: 5.0.2": the first line of what the library says, as one would write it.
static const char *library(void) {
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;
    MPI_Get_library_version(text, &n);
    text[strcspn(text, ",\n")] = 0;
    for (char *c = text; *c; c++)
        if (*c == '\t' || *c == '"' || *c == '\\') *c = ' ';
    return text;
}

static void print(void) {
    long all_wrong;
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("{\"kernel\":\"%s\",\"library\":\"%s\",\"ranks\":%d,\"bytes\":%ld,\"dilate\":%g,"
               "\"reps\":%d,\"wrong\":%ld,\"runs\":[",
               k->name, library(), ranks, option.bytes, option.dilate, plan.reps, all_wrong);
        for (int r = 0; r < plan.runs; r++) {
            struct Run *run = &plan.run[r];
            printf("%s{\"name\":\"%s\",\"checksum\":\"%016llx\",\"changed\":%d,\"seconds\":[", r ? "," : "", run->name,
                   (unsigned long long)run->checksum, run->changed);
            for (int i = 0; i < plan.reps; i++) printf("%s%.9g", i ? "," : "", run->seconds[i]);
            printf("]}");
        }
        printf("],");
    }
    record_timelines();
    if (rank == 0) printf("}\n");
}

static void parse_runs(char *list) {
    plan.runs = 0;
    for (char *name = strtok(list, ","); name; name = strtok(NULL, ",")) {
        if (plan.runs == MAX_RUNS) give_up("--run: more than %d", MAX_RUNS);
        struct Run *run = &plan.run[plan.runs++];
        run->name = name;
        const int is_tiled = !strncmp(name, "tiled:", 6), is_put = !strncmp(name, "puts:", 5);
        if ((is_tiled && !k->tiled) || (is_put && !k->puts)) give_up("--run %s: this kernel has no such variant", name);
        if (is_tiled || is_put || !strncmp(name, "hand:", 5)) {
            char *end = strchr(name, ':') + 1;
            run->chunk = strtol(end, &end, 10);
            if (run->chunk < 8 || run->chunk % 8) give_up("--run %s: a chunk is a multiple of 8 bytes", name);
            if (*end) run->depth = atol(end + 1);
            if (*end && (*end != ':' || run->depth < 1)) give_up("--run %s: a depth is 1 or more", name);
        } else if (!strcmp(name, "independent")) {
            if (!k->independent) give_up("--run %s: this kernel has no such variant", name);
        } else if (strcmp(name, "message") && strcmp(name, "compute") && strcmp(name, "plain") &&
                   strcmp(name, "delta")) {
            give_up(
                "--run %s: unknown; there are message, compute, plain, delta, independent, hand:BYTES, tiled:BYTES and "
                "puts:BYTES, of some kernels with a depth: hand:BYTES:DEPTH",
                name);
        }
    }
}

static enum Imbalance imbalance(const char *name) {
    static const char *const names[] = {[BALANCED] = "none", [STATIC] = "static", [ROTATING] = "rotating"};
    for (int kind = BALANCED; kind <= ROTATING; kind++)
        if (!strcmp(name, names[kind])) return (enum Imbalance)kind;
    give_up("--imbalance %s: unknown; there are none, static and rotating", name);
}

// Up to --then, or to the end: where that is.
static char **parse(char **words) {
    for (; *words && strcmp(*words, "--then"); words += 2) {
        char *name = words[0], *value = words[1];
        if (!value) give_up("%s: a value is missing", name);
        if (!strcmp(name, "--bytes"))
            option.bytes = atol(value);
        else if (!strcmp(name, "--dilate"))
            option.dilate = atof(value);
        else if (!strcmp(name, "--imbalance"))
            work_imbalance(imbalance(value), rank, ranks);
        else if (!strcmp(name, "--file"))
            option.file = value;
        else if (!strcmp(name, "--output"))
            option.output = value;
        else if (!strcmp(name, "--calibrate"))
            plan.calibrate = atof(value);
        else if (!strcmp(name, "--rounds"))
            plan.rounds = atof(value);
        else if (!strcmp(name, "--compute"))
            plan.compute = atof(value);
        else if (!strcmp(name, "--reps"))
            plan.reps = atoi(value);
        else if (!strcmp(name, "--warmup"))
            plan.warmup = atoi(value);
        else if (!strcmp(name, "--timeline"))
            plan.timeline = value;
        else if (!strcmp(name, "--takes"))
            plan.takes = atoi(value);
        else if (!strcmp(name, "--run"))
            parse_runs(value);
        else
            give_up("unknown option %s", name);
    }
    if (option.bytes < 512 || option.bytes % 8)
        give_up("--bytes %ld: want a multiple of 8, at least 512", option.bytes);
    if (!(option.dilate >= 1)) give_up("--dilate: want a number of at least 1");
    if (plan.reps < 1 || plan.reps > MAX_REPS) give_up("--reps: want 1 to %d", MAX_REPS);
    option.elements = option.bytes / (long)sizeof(double);
    return words;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    prctl(PR_SET_TIMERSLACK, 1UL);
    k = kernel();
    long all_wrong = 0;
    char **words = argv;
    do {
        const int first = words == argv;
        words = parse(words + 1);
        k->set_up();
        if (first && option.bytes <= SHORT) use_connections();
        if (plan.calibrate > 0) {
            calibrate();
        } else {
            if (plan.rounds > 0) rounds_per_element = plan.rounds;
            work_plan(option.elements, plan.compute, option.dilate);
            wrong = 0;
            measure();
            print();
            all_wrong += wrong;
        }
    } while (*words);
    MPI_Finalize();
    return all_wrong != 0;
}
