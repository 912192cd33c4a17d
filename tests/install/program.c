/* Ten lines against an installed Stretto: rank 0 delta-sends, rank 1 receives. */
#include <stdio.h>
#include <stretto/stretto.h>

int main(int argc, char **argv) {
    double a[4096];
    int rank, wrong = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) MPIX_Delta_send_begin(a, 4096, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 4096 && rank == 0; ++i) a[i] = i, MPIX_Delta_send_data(a + i, sizeof *a);
    if (rank == 0) MPIX_Delta_send_end(&request), MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Recv(a, 4096, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4096; ++i) wrong += a[i] != i;
    MPI_Finalize();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
