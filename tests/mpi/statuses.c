/* Statuses: source, tag, MPI_Get_count, MPI_Get_elements, MPI_Test_cancelled of messages of every way to travel. */
#include "promise.h"

PROMISE(get_count_and_get_elements_agree_with_what_was_sent) {
    static const int doubles[] = {0, 1, 12, 463, 464, 465, 2500, 9000};
    struct {
        int i;
        double d;
    } mixed;
    MPI_Datatype pair, three;
    int lengths[] = {1, 1};
    MPI_Aint at[] = {0, (char *)&mixed.d - (char *)&mixed};
    MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, at, types, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_contiguous(3, MPI_DOUBLE, &three);
    MPI_Type_commit(&three);
    for (int k = 0; k < 8; k++) {
        int n = doubles[k];
        if (rank == 0) {
            for (int i = 0; i < n; i++) ((double *)out)[i] = i + k;
            MPI_Send(out, n, MPI_DOUBLE, 1, k, MPI_COMM_WORLD);
        }
        if (rank == 1) {
            MPI_Status status;
            int elements;
            MPI_Count many;
            MPI_Recv(in, 9000 / 3, three, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            CHECK(status.MPI_SOURCE == 0 && status.MPI_TAG == k);
            CHECK(count_of(&status, MPI_DOUBLE) == n && count_of(&status, MPI_BYTE) == n * 8);
            CHECK(count_of(&status, three) == (n % 3 ? MPI_UNDEFINED : n / 3));
            MPI_Get_elements(&status, three, &elements);
            CHECK(elements == n);
            MPI_Get_elements_x(&status, three, &many);
            CHECK(many == n);
            int good = 1;
            for (int i = 0; i < n; i++) good &= ((double *)in)[i] == i + k;
            CHECK(good);
        }
        /* pairs, of which half an element may come */
        if (rank == 0 && n) MPI_Send(out, n / 2, pair, 1, k, MPI_COMM_WORLD);
        if (rank == 1 && n) {
            MPI_Status status;
            int elements;
            MPI_Recv(in, 9000, pair, 0, k, MPI_COMM_WORLD, &status);
            CHECK(count_of(&status, pair) == n / 2);
            MPI_Get_elements(&status, pair, &elements);
            CHECK(elements == n / 2 * 2);
        }
    }
    MPI_Type_free(&pair);
    MPI_Type_free(&three);
}

PROMISE(the_error_field_of_a_status_is_left_alone_by_single_receives) {
    if (rank == 0)
        for (int i = 0; i < SIZES; i++) MPI_Send(out, sizes[i], MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    if (rank == 1)
        for (int i = 0; i < SIZES; i++) {
            MPI_Status status;
            MPI_Recv(in, LARGEST, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &status);
            int cancelled = 1;
            MPI_Test_cancelled(&status, &cancelled);
            CHECK(!cancelled && status_is(&status, 0, 1, sizes[i]));
        }
}

/* All libraries' MPI_Waitall says in each status that its operation went well, though MPI asks for that only where one did not; programs look
 * there. MPICH's other completions leave the field alone. */
PROMISE(the_error_field_of_each_status_says_that_all_went_well) {
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    for (int turn = 0; turn < 4 * SIZES && rank < 2; turn++) {
        const int bytes = sizes[turn / 4];
        MPI_Request requests[2];
        MPI_Status statuses[2];
        int done = 0, which[2];
        for (int k = 0; k < 2; k++) statuses[k].MPI_ERROR = 777;
        MPI_Irecv(in, LARGEST, MPI_BYTE, 1 - rank, 4, twin, &requests[0]);
        MPI_Isend(out, bytes, MPI_BYTE, 1 - rank, 4, twin, &requests[1]);
        if (turn % 4 == 0) {
            MPI_Waitall(2, requests, statuses);
            CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_SUCCESS);
            continue;
        }
        while (turn % 4 == 1 && !done) MPI_Testall(2, requests, &done, statuses);
        for (int left = 2; turn % 4 > 1 && left; left -= done) {
            if (turn % 4 == 2)
                MPI_Waitsome(2, requests, &done, which, statuses);
            else
                MPI_Testsome(2, requests, &done, which, statuses);
        }
        for (int k = 0; k < 2; k++) CHECK(statuses[k].MPI_ERROR == MPI_SUCCESS || statuses[k].MPI_ERROR == 777);
#ifdef MPICH_VERSION
        statuses[0].MPI_ERROR = 777;
        MPI_Sendrecv_replace(in, bytes, MPI_BYTE, 1 - rank, 5, 1 - rank, 5, twin, &statuses[0]);
        CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS);
#endif
    }
    MPI_Comm_free(&twin);
}
