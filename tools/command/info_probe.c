// The program that `stretto info --mpi NAME` runs on two ranks: libstretto says at its start what it decided.
#include <mpi.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Finalize();
    return 0;
}
