// Rank 1 waits for two messages that come late. How often does it let others have its core meanwhile?
#include <cstdio>
#include <mpi.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BYTES = 32000 };
static volatile long yields;

// In place of libc's, for all libraries.
extern "C" int sched_yield() noexcept {
    yields = yields + 1;
    return static_cast<int>(syscall(SYS_sched_yield));
}

int main(int argc, char **argv) {
    static char buffers[2][BYTES];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Request requests[2];
        for (int k = 0; k < 2; k++) MPI_Irecv(buffers[k], BYTES, MPI_BYTE, 0, k, MPI_COMM_WORLD, &requests[k]);
        const long before = yields;
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        std::printf("yields %ld\n", yields - before);
    } else {
        usleep(200000);
        for (int k = 0; k < 2; k++) MPI_Send(buffers[k], BYTES, MPI_BYTE, 1, k, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
