// latency: half a round trip of a small message, in nanoseconds, as one line of JSON.
//
//   mpirun -n 2 latency BYTES ROUND_TRIPS
//
// Each sample is three times as many round trips: through MPI's functions as this program is bound to them, through the
// library's own, which Stretto does not see, and through those once more, in each order in turn. Two launches differ by more
// than what Stretto costs, two thirds of one sample do not.
//
//   half_round_trip_ns   as bound
//   direct_ns            the library's own
//   more_ns              what the first takes more than the second, the median over samples
//   again_more_ns        what the third takes more than the second: 0 but for chance
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "samples.h"

typedef struct {
    __typeof__(MPI_Send) *send;
    __typeof__(MPI_Recv) *recv;
} Calls;

#ifdef STRETTO_PLAIN
static Calls of_library(void) {
    return (Calls){MPI_Send, MPI_Recv};
}
#else
static int is_library(struct dl_phdr_info *object, size_t size, void *path) {
    (void)size;
    const char *slash = strrchr(object->dlpi_name, '/');
    if (!slash || strncmp(slash, "/libmpi", strlen("/libmpi"))) return 0;
    *(const char **)path = object->dlpi_name;
    return 1;
}

static Calls of_library(void) {
    const char *path = NULL;
    dl_iterate_phdr(is_library, &path);
    void *library = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    Calls calls = {0};
    if (library) {
        *(void **)&calls.send = dlsym(library, "MPI_Send");
        *(void **)&calls.recv = dlsym(library, "MPI_Recv");
    }
    if (!calls.send || !calls.recv || calls.send == MPI_Send) {
        fprintf(stderr, "latency: MPI's own functions are not to be found\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return calls;
}
#endif

static char data[1 << 16];
static int rank;

static double half_round_trip(Calls mpi, int bytes, int trips) {
    double begin = now();
    for (int k = 0; k < trips; k++) {
        if (rank == 0) {
            mpi.send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            mpi.recv(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            mpi.recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            mpi.send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    return (now() - begin) / trips / 2 * 1e9;
}

int main(int argc, char **argv) {
    enum { BOUND, DIRECT, AGAIN, HOW_MANY };
    static double bound[SAMPLES], direct[SAMPLES], more[SAMPLES], again_more[SAMPLES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int bytes = argc > 1 ? atoi(argv[1]) : 8, trips = argc > 2 ? atoi(argv[2]) : 1000;
    if (bytes < 0 || bytes > (int)sizeof data || trips < 1) MPI_Abort(MPI_COMM_WORLD, 2);
    const Calls library = of_library(), calls[HOW_MANY] = {{MPI_Send, MPI_Recv}, library, library};
    for (int s = -SAMPLES / 10; s < SAMPLES; s++) {
        double t[HOW_MANY];
        for (int k = 0; k < HOW_MANY; k++) {
            int which = (s + SAMPLES + k) % HOW_MANY;
            t[which] = half_round_trip(calls[which], bytes, trips);
        }
        if (s < 0) continue;
        bound[s] = t[BOUND];
        direct[s] = t[DIRECT];
        more[s] = t[BOUND] - t[DIRECT];
        again_more[s] = t[AGAIN] - t[DIRECT];
    }
    if (rank == 0)
        printf(
            "{\"bytes\":%d,\"half_round_trip_ns\":%.2f,\"direct_ns\":%.2f,\"more_ns\":%.2f,\"again_more_ns\":%.2f}\n",
            bytes, median(bound, SAMPLES), median(direct, SAMPLES), median(more, SAMPLES), median(again_more, SAMPLES));
    MPI_Finalize();
    return 0;
}
