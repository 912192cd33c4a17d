// bandwidth: large messages, one after the other, each answered by an empty one; by size, as one line of JSON.
//
//   mpirun -n 2 bandwidth BYTES...
//
// Each sample is three messages, one through each of library.h's variants. A message ends when every page of it has been looked
// at: a receive may return before (STRETTO=receive), and what were then still under way would count for the next variant.
//
//   bytes_per_s         as bound
//   direct_bytes_per_s the library's own
//   of_direct           the first by the second, the median over samples
//   again_of_direct     the third by the second: 1 but for chance
#define _GNU_SOURCE
#include <string.h>

#include "library.h"
#include "samples.h"

enum { PAGE = 4096, HUGE_PAGE = 1 << 21, WARMUP = 2, FEWEST = 9, EACH = 256 << 20 }; // bytes of each size and variant

typedef struct {
    int bytes;
    double bound, direct, of_direct, again_of_direct;
} Row;

static int rank;

// Both ranks count alike, so that each message is known by a byte of each page.
static void mark(volatile char *data, int bytes, char number) {
    for (int at = 0; at < bytes; at += PAGE) data[at] = number;
}
static int is_marked(const volatile char *data, int bytes, char number) {
    int good = 1;
    for (int at = 0; at < bytes; at += PAGE) good &= data[at] == number;
    return good;
}

static double seconds(Calls mpi, char *data, int bytes) {
    static char number;
    number++;
    if (rank == 0) mark(data, bytes, number);
    double begin = now();
    if (rank == 0) {
        mpi.send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        mpi.recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        mpi.recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!is_marked(data, bytes, number)) {
            fprintf(stderr, "bandwidth: message %d of %d bytes did not come whole\n", number, bytes);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        mpi.send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    return now() - begin;
}

static Row measure(const Calls calls[VARIANTS], int bytes) {
    static double bound[SAMPLES], direct[SAMPLES], of_direct[SAMPLES], again_of_direct[SAMPLES];
    // Huge pages or not, and where a page begins, make more of a difference than all that is compared here.
    char *data = bytes > 0 ? aligned_alloc(HUGE_PAGE, ((size_t)bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE) : NULL;
    if (!data) MPI_Abort(MPI_COMM_WORLD, 2);
    memset(data, 1, (size_t)bytes);
    int samples = EACH / bytes;
    if (samples > SAMPLES) samples = SAMPLES;
    if (samples < FEWEST) samples = FEWEST;
    for (int s = -WARMUP; s < samples; s++) {
        double t[VARIANTS];
        for (int k = 0; k < VARIANTS; k++) {
            int which = (s + WARMUP + k) % VARIANTS;
            t[which] = seconds(calls[which], data, bytes);
        }
        if (s < 0) continue;
        bound[s] = bytes / t[BOUND];
        direct[s] = bytes / t[DIRECT];
        of_direct[s] = t[DIRECT] / t[BOUND];
        again_of_direct[s] = t[DIRECT] / t[AGAIN];
    }
    free(data);
    return (Row){bytes, median(bound, samples), median(direct, samples), median(of_direct, samples),
                 median(again_of_direct, samples)};
}

int main(int argc, char **argv) {
    Calls calls[VARIANTS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    of_variants(calls);
    for (int a = 1; a < argc; a++) {
        Row row = measure(calls, atoi(argv[a]));
        if (rank == 0)
            printf("%s\"%d\":{\"bytes_per_s\":%.6g,\"direct_bytes_per_s\":%.6g,\"of_direct\":%.4f,\"again_of_direct\":%"
                   ".4f}",
                   a > 1 ? "," : "{", row.bytes, row.bound, row.direct, row.of_direct, row.again_of_direct);
    }
    if (rank == 0) printf("}\n");
    MPI_Finalize();
    return 0;
}
