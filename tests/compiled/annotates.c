/* A library with an annotated receive. */
#include <mpi.h>
#include <stretto/stretto.h>

void receive_annotated(int *a, int n) {
    MPIX_Delta_recv(a, n, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < n; k += 1000) MPIX_Delta_wait_data(a + k, 1000 * sizeof *a);
    MPIX_Delta_recv_end(a, MPI_STATUS_IGNORE);
}
