/* Rank 1 receives with a delta receive that nobody annotates, in a program one of whose libraries annotates its own (annotates.c). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>

enum { TAG = 7, LARGE = 300000 };

void receive_annotated(int *a, int n);

int main(int argc, char **argv) {
    int rank, wrong = 0, *a = malloc(LARGE * sizeof *a);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < 4; turn++) {
        if (rank == 0) {
            for (int k = 0; k < LARGE; k++) a[k] = k + turn;
            MPI_Send(a, LARGE, MPI_INT, 1, TAG, MPI_COMM_WORLD);
            MPI_Send(a, LARGE, MPI_INT, 1, TAG, MPI_COMM_WORLD);
        } else {
            MPIX_Delta_recv(a, LARGE, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int k = 0; k < LARGE; k++) wrong += a[k] != k + turn;
            MPIX_Delta_recv_end(a, MPI_STATUS_IGNORE);
            receive_annotated(a, LARGE);
            for (int k = 0; k < LARGE; k++) wrong += a[k] != k + turn;
        }
    }
    if (rank == 1) printf("%d wrong\n", wrong);
    MPI_Finalize();
    return wrong != 0;
}
