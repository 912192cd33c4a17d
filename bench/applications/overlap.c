// overlap: the oldest advice. Each rank begins a message to its right and one from its left, computes what needs neither, and waits. Whether
// anything overlaps is up to the MPI library, which moves large messages only when it is called. Built with ONE_WAY it is overlap-one-way:
// every second rank sends to its right, in the next step the others do.
//
//   plain = S (Tc + Tm)     ideal = S max(Tc, Tm)     for S steps; a library that progresses by itself is at ideal already
#include <stdlib.h>
#include <string.h>

#include "harness/kernel.h"

#ifdef ONE_WAY
enum { STEPS = 4, BOTH_WAYS = 0 };
static const char NAME[] = "overlap-one-way";
#else
enum { STEPS = 4, BOTH_WAYS = 1 };
static const char NAME[] = "overlap";
#endif

static double *out, *in, *work;
static long n;
static int left, right;

static void strip(long a) {
    const long b = least(a + STRIP, n);
    for (long i = a; i < b; i++) work[i] = 0.5 * work[i] + element(i);
    worked(b - a);
}

static void compute(void) {
    for (long a = 0; a < n; a += STRIP) strip(a);
}

// The next message depends on this one.
static void next_message(void) {
    for (long i = 0; i < n; i++) out[i] = in[i] + 1;
}

static int receives(int step) {
    return BOTH_WAYS || (rank + step) % 2 == 1;
}

static int sends(int step) {
    return BOTH_WAYS || !receives(step);
}

static int begin(int step, MPI_Request request[2]) {
    int k = 0;
    if (receives(step)) MPI_Irecv(in, (int)n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request[k++]);
    if (sends(step)) MPI_Isend(out, (int)n, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &request[k++]);
    return k;
}

static void plain(void) {
    for (int s = 0; s < STEPS; s++) {
        MPI_Request request[2];
        work_step(s);
        const int begun = begin(s, request);
        compute();
        MPI_Waitall(begun, request, MPI_STATUSES_IGNORE);
        if (receives(s)) next_message();
    }
}

static MPI_Request *requests;
static int *done;

// In chunks, which a library sends without more ado, and a look at them after each strip.
static void hand(long chunk_bytes) {
    const long chunk = chunk_bytes / (long)sizeof(double);
    for (int s = 0; s < STEPS; s++) {
        int k = 0, some;
        work_step(s);
        for (long a = 0; a < n && receives(s); a += chunk)
            MPI_Irecv(in + a, (int)(least(a + chunk, n) - a), MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[k++]);
        for (long a = 0; a < n && sends(s); a += chunk)
            MPI_Isend(out + a, (int)(least(a + chunk, n) - a), MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[k++]);
        for (long a = 0, strips = 0; a < n; a += STRIP, strips++) {
            strip(a);
            if (strips % 16 == 0) MPI_Testsome(k, requests, &some, done, MPI_STATUSES_IGNORE);
        }
        MPI_Waitall(k, requests, MPI_STATUSES_IGNORE);
        if (receives(s)) next_message();
    }
}

static void message(void) { // of all ranks that send in a step, at once
    MPI_Request request[2];
    MPI_Waitall(begin(0, request), request, MPI_STATUSES_IGNORE);
}

static int hops(void) {
    return 1;
}

static void set_up(void) {
    if (ranks < 2) give_up("needs at least 2 ranks");
    if (!BOTH_WAYS && ranks % 2) give_up("needs an even number of ranks");
    n = option.elements;
    left = (rank + ranks - 1) % ranks;
    right = (rank + 1) % ranks;
    out = calloc((size_t)n, sizeof *out);
    in = calloc((size_t)n, sizeof *in);
    work = calloc((size_t)n, sizeof *work);
    requests = calloc((size_t)(2 * n), sizeof *requests);
    done = calloc((size_t)(2 * n), sizeof *done);
    if (!out || !in || !work || !requests || !done) give_up("no memory for %ld bytes", option.bytes);
}

static void reset(void) {
    memset(in, 0xff, (size_t)n * sizeof *in);
    for (long i = 0; i < n; i++) out[i] = (double)(rank * n + i), work[i] = 1;
}

static struct Result result(void) {
    return (struct Result){out, (size_t)n * sizeof *out};
}

const struct Kernel *kernel(void) {
    static const struct Kernel overlap = {.name = NAME,
                                          .set_up = set_up,
                                          .reset = reset,
                                          .message = message,
                                          .message_hops = hops,
                                          .compute = compute,
                                          .plain = plain,
                                          .hand = hand,
                                          .result = result};
    return &overlap;
}
