/* A program that hangs when it is told to: what the launcher's own test runs. */
#include <mpi.h>
#include <stdio.h>

__attribute__((noinline)) static void wait_for_what_never_comes(void) {
    int nothing;
    MPI_Recv(&nothing, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    if (argc > 1 && argv[1][0] == 'y') wait_for_what_never_comes();
    MPI_Barrier(MPI_COMM_WORLD);
    puts("ok");
    MPI_Finalize();
    return 0;
}
