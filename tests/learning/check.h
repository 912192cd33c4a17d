/* What is not so ends the job, with the rank and the turn of the loop in which it was seen. */
#include <mpi.h>
#include <stdio.h>

static int rank;

static void check(int good, int turn, const char *what) {
    if (good) return;
    printf("rank %d: not so: %s (turn %d)\n", rank, what, turn);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 3);
}
#define CHECK(what, turn) check(what, turn, #what)
