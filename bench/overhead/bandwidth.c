// bandwidth: messages of 64 KiB to 64 MiB, one after the other, each answered by nothing; bytes per second by size, as one
// line of JSON.
//
//   mpirun -n 2 bandwidth BYTES...
#include <string.h>

#include "samples.h"

enum { HUGE_PAGE = 1 << 21 };

int main(int argc, char **argv) {
    static double t[SAMPLES];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("{\"bytes_per_s\":{");
    for (int a = 1; a < argc; a++) {
        int bytes = atoi(argv[a]);
        // Huge pages or not, and where a page begins, make more of a difference than all that is compared here.
        char *data =
            bytes > 0 ? aligned_alloc(HUGE_PAGE, ((size_t)bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE) : NULL;
        if (!data) MPI_Abort(MPI_COMM_WORLD, 2);
        memset(data, 1, (size_t)bytes);
        int samples = (64 << 20) / bytes * 4; // 256 MiB of each size
        if (samples > SAMPLES) samples = SAMPLES;
        if (samples < 7) samples = 7;
        for (int s = -2; s < samples; s++) {
            double begin = now();
            if (rank == 0) {
                MPI_Send(data, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else if (rank == 1) {
                MPI_Recv(data, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
            }
            if (s >= 0) t[s] = now() - begin;
        }
        if (rank == 0) printf("%s\"%d\":%.6g", a > 1 ? "," : "", bytes, bytes / median(t, samples));
        free(data);
    }
    if (rank == 0) printf("}}\n");
    MPI_Finalize();
    return 0;
}
