/* Do we mean the same MPI_COMM_WORLD? With Open MPI a handle is the address of a variable, of which this program may hold the copy
 * that counts. */
#include <mpi.h>
#include <stdio.h>

int stretto_handles_are(MPI_Comm world, MPI_Datatype byte, MPI_Request null)
    __attribute__((weak)); /* libstretto_count */

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int same = stretto_handles_are && stretto_handles_are(MPI_COMM_WORLD, MPI_BYTE, MPI_REQUEST_NULL);
    MPI_Finalize();
    puts(same ? "the same" : "others");
    return !same;
}
