/* MPI_Sendrecv, MPI_Sendrecv_replace and, where the library has them, their non-blocking forms. */
#include "promise.h"

PROMISE(sendrecv_moves_a_ring_of_every_size) {
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    for (int i = 0; i < SIZES; i++) {
        int mine = sizes[(i + rank) % SIZES], theirs = sizes[(i + last) % SIZES];
        MPI_Status status;
        fill(out, mine, rank);
        MPI_Sendrecv(out, mine, MPI_BYTE, next, 2, in, LARGEST, MPI_BYTE, i % 2 ? last : MPI_ANY_SOURCE, 2,
                     MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, last, 2, theirs) && holds(in, theirs, last));
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Hole 18: the incoming message must not land in what is still being sent. */
PROMISE(sendrecv_replace_swaps_in_place) {
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    // Often: bytes that came too early show only where a rank is slower than its neighbour.
    for (int k = 0; k < 8 * SIZES; k++) {
        int i = k % SIZES;
        MPI_Status status;
        fill(out, sizes[i], rank * 1000 + k);
        MPI_Sendrecv_replace(out, sizes[i], MPI_BYTE, next, 2, last, 2, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, last, 2, sizes[i]) && holds(out, sizes[i], last * 1000 + k));
    }
}

PROMISE(sendrecv_with_oneself_and_with_no_process) {
    for (int i = 0; i < SIZES; i++) {
        MPI_Status status;
        fill(out, sizes[i], i);
        MPI_Sendrecv(out, sizes[i], MPI_BYTE, rank, 2, in, LARGEST, MPI_BYTE, rank, 2, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, rank, 2, sizes[i]) && holds(in, sizes[i], i));
        MPI_Sendrecv_replace(out, sizes[i], MPI_BYTE, rank, 2, rank, 2, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, rank, 2, sizes[i]) && holds(out, sizes[i], i));
        MPI_Sendrecv(out, sizes[i], MPI_BYTE, MPI_PROC_NULL, 2, in, LARGEST, MPI_BYTE, MPI_PROC_NULL, 2, MPI_COMM_WORLD,
                     &status);
        CHECK(status_is(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0));
        MPI_Sendrecv_replace(out, sizes[i], MPI_BYTE, MPI_PROC_NULL, 2, MPI_PROC_NULL, 2, MPI_COMM_WORLD, &status);
        CHECK(status_is(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0) && holds(out, sizes[i], i));
    }
}

PROMISE(sendrecv_at_the_ends_of_a_line) {
    int next = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL, last = rank ? rank - 1 : MPI_PROC_NULL;
    for (int i = 0; i < SIZES; i++) {
        MPI_Status status;
        fill(out, sizes[i], rank);
        MPI_Sendrecv(out, sizes[i], MPI_BYTE, next, 2, in, LARGEST, MPI_BYTE, last, 2, MPI_COMM_WORLD, &status);
        if (rank)
            CHECK(status_is(&status, last, 2, sizes[i]) && holds(in, sizes[i], last));
        else
            CHECK(status_is(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0));
    }
}

PROMISE(sendrecv_meets_plain_sends_and_receives) {
    MPI_Status status;
    for (int i = 0; i < SIZES; i++) {
        fill(out, sizes[i], i + rank);
        if (rank == 0)
            MPI_Sendrecv(out, sizes[i], MPI_BYTE, 1, 2, in, LARGEST, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &status);
        if (rank == 1) {
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &status);
            MPI_Send(out, sizes[i], MPI_BYTE, 0, 3, MPI_COMM_WORLD);
        }
        if (rank < 2) CHECK(status_is(&status, 1 - rank, 3 - rank, sizes[i]) && holds(in, sizes[i], i + 1 - rank));
    }
}

#if MPI_VERSION >= 4
PROMISE(isendrecv_and_isendrecv_replace) {
    int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    for (int i = 0; i < SIZES; i++) {
        MPI_Status status;
        MPI_Request request;
        fill(out, sizes[i], rank);
        MPI_Isendrecv(out, sizes[i], MPI_BYTE, next, 2, in, LARGEST, MPI_BYTE, last, 2, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        CHECK(holds(in, sizes[i], last));
        MPI_Isendrecv_replace(out, sizes[i], MPI_BYTE, next, 2, last, 2, MPI_COMM_WORLD, &request);
        int flag = 0;
        while (!flag) MPI_Test(&request, &flag, &status);
        CHECK(holds(out, sizes[i], last));
    }
}

PROMISE(isendrecv_with_oneself) {
    for (int i = 0; i < SIZES; i++) {
        MPI_Request request;
        fill(out, sizes[i], i);
        MPI_Isendrecv(out, sizes[i], MPI_BYTE, rank, 2, in, LARGEST, MPI_BYTE, rank, 2, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(holds(in, sizes[i], i)); /* of the status, MPICH 5.0.2 itself tells nothing */
    }
}
#endif
