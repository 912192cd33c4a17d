// latency: half a round trip of a message, in nanoseconds, as one line of JSON.
//
//   mpirun -n 2 latency BYTES ROUND_TRIPS [MESSAGES]      so many each way, one after the other: 1
//
// Each sample is three times as many round trips, once through each of library.h's variants.
//
//   half_round_trip_ns   as bound
//   direct_ns            the library's own
//   more_ns              what the first takes more than the second, the median over samples
//   again_more_ns        what the third takes more than the second: 0 but for chance
#define _GNU_SOURCE
#include "library.h"
#include "samples.h"

static char data[1 << 19];
static int rank;

static void send(Calls mpi, int bytes, int messages, int to) {
    for (int k = 0; k < messages; k++) mpi.send(data, bytes, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static void receive(Calls mpi, int bytes, int messages, int from) {
    for (int k = 0; k < messages; k++) mpi.recv(data, bytes, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double half_round_trip(Calls mpi, int bytes, int messages, int trips) {
    double begin = now();
    for (int k = 0; k < trips; k++) {
        if (rank == 0) {
            send(mpi, bytes, messages, 1);
            receive(mpi, bytes, messages, 1);
        } else if (rank == 1) {
            receive(mpi, bytes, messages, 0);
            send(mpi, bytes, messages, 0);
        }
    }
    return (now() - begin) / trips / 2 * 1e9;
}

int main(int argc, char **argv) {
    static double bound[SAMPLES], direct[SAMPLES], more[SAMPLES], again_more[SAMPLES];
    Calls calls[VARIANTS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int bytes = argc > 1 ? atoi(argv[1]) : 8, trips = argc > 2 ? atoi(argv[2]) : 1000;
    int messages = argc > 3 ? atoi(argv[3]) : 1;
    if (bytes < 0 || bytes > (int)sizeof data || trips < 1 || messages < 1) MPI_Abort(MPI_COMM_WORLD, 2);
    of_variants(calls);
    for (int s = -SAMPLES / 10; s < SAMPLES; s++) {
        double t[VARIANTS];
        for (int k = 0; k < VARIANTS; k++) {
            int which = (s + SAMPLES + k) % VARIANTS;
            t[which] = half_round_trip(calls[which], bytes, messages, trips);
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
