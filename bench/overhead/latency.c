// latency: half a round trip of a small message, in nanoseconds, as one line of JSON.
//
//   mpirun -n 2 latency BYTES ROUND_TRIPS_PER_SAMPLE
#include "samples.h"

int main(int argc, char **argv) {
    static double t[SAMPLES];
    static char data[1 << 16];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int bytes = argc > 1 ? atoi(argv[1]) : 8, trips = argc > 2 ? atoi(argv[2]) : 1000;
    if (bytes < 0 || bytes > (int)sizeof data || trips < 1) MPI_Abort(MPI_COMM_WORLD, 2);
    for (int s = -SAMPLES / 10; s < SAMPLES; s++) {
        double begin = now();
        for (int k = 0; k < trips; k++) {
            if (rank == 0) {
                MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (rank == 1) {
                MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
            }
        }
        if (s >= 0) t[s] = (now() - begin) / trips / 2;
    }
    if (rank == 0) printf("{\"bytes\":%d,\"half_round_trip_ns\":%.2f}\n", bytes, median(t, SAMPLES) * 1e9);
    MPI_Finalize();
    return 0;
}
