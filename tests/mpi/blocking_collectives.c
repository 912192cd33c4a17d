/* Blocking collectives: a call may return before all has come or left (STRETTO=all), and nobody can tell. */
#include "elements.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST = 40000 };
static const int counts[] = {0, 1, 7, 1100, MOST};
enum { COUNTS = sizeof counts / sizeof *counts };

/* The sum of what ranks from..end-1 have there. */
static int is_sum(const int *buffer, int elements, int from, int end, int k, int salt) {
    for (int i = 0; i < elements; i++) {
        int sum = 0;
        for (int r = from; r < end; r++) sum += value(r, k + i, salt);
        if (buffer[i] != sum) return 0;
    }
    return 1;
}

PROMISE(blocking_collectives_give_what_they_should) {
    for (int i = 0; i < COUNTS; i++)
        for (int root = 0; root < ranks; root++) {
            const int n = counts[i], all = n * ranks, salt = 10 * i + root;
            int *send = made(all, salt), *got = filled(all, -1);
            memcpy(got, send, sizeof(int) * (size_t)n);
            MPI_Bcast(got, n, MPI_INT, root, MPI_COMM_WORLD);
            CHECK(is_of(got, n, root, 0, salt));
            MPI_Gather(send, n, MPI_INT, got, n, MPI_INT, root, MPI_COMM_WORLD);
            for (int r = 0; rank == root && r < ranks; r++) CHECK(is_of(got + r * n, n, r, 0, salt));
            MPI_Scatter(send, n, MPI_INT, got, n, MPI_INT, root, MPI_COMM_WORLD);
            CHECK(is_of(got, n, root, rank * n, salt));
            MPI_Allgather(send, n, MPI_INT, got, n, MPI_INT, MPI_COMM_WORLD);
            for (int r = 0; r < ranks; r++) CHECK(is_of(got + r * n, n, r, 0, salt));
            MPI_Alltoall(send, n, MPI_INT, got, n, MPI_INT, MPI_COMM_WORLD);
            for (int r = 0; r < ranks; r++) CHECK(is_of(got + r * n, n, r, rank * n, salt));
            MPI_Reduce(send, got, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
            CHECK(rank != root || is_sum(got, n, 0, ranks, 0, salt));
            MPI_Allreduce(send, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            CHECK(is_sum(got, n, 0, ranks, 0, salt));
            MPI_Scan(send, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            CHECK(is_sum(got, n, 0, rank + 1, 0, salt));
            MPI_Exscan(send, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            CHECK(rank == 0 || is_sum(got, n, 0, rank, 0, salt));
            MPI_Reduce_scatter_block(send, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            CHECK(is_sum(got, n, 0, ranks, rank * n, salt));
            memcpy(got, send, sizeof(int) * (size_t)n);
            MPI_Allreduce(MPI_IN_PLACE, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            CHECK(is_sum(got, n, 0, ranks, 0, salt));
            memcpy(got, send, sizeof(int) * (size_t)all);
            MPI_Alltoall(MPI_IN_PLACE, n, MPI_INT, got, n, MPI_INT, MPI_COMM_WORLD);
            for (int r = 0; r < ranks; r++) CHECK(is_of(got + r * n, n, r, rank * n, salt));
            MPI_Barrier(MPI_COMM_WORLD);
            free(send), free(got);
        }
}

/* One rank alone has no type where it has no elements; MPI does not say whether it may, and MPICH lets it. */
PROMISE(a_rank_may_have_no_type_where_it_has_no_elements) {
    int *send = made(MOST, 1), *got = filled(MOST, -1), sends[64] = {0}, receives[64] = {0}, places[64] = {0};
    MPI_Datatype send_types[64], receive_types[64];
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    for (int r = 0; r < ranks; r++) send_types[r] = receive_types[r] = rank == 0 ? MPI_DATATYPE_NULL : MPI_INT;
    sends[next] = receives[before] = MOST, send_types[next] = receive_types[before] = MPI_INT;
    MPI_Alltoallw(send, sends, places, send_types, got, receives, places, receive_types, MPI_COMM_WORLD);
    CHECK(is_of(got, MOST, before, 0, 1));
    free(send), free(got);
}

/* What rank 0 alone gives lies where it comes to: MPI forbids it, and Open MPI does not look. */
PROMISE(a_rank_may_give_what_lies_where_its_result_comes) {
    int *send = made(MOST * ranks, 1), *got = filled(MOST * ranks, -1);
    int *given = rank == 0 ? got : send;
    if (rank == 0) memcpy(got, send, sizeof(int) * MOST);
    MPI_Gather(given, MOST, MPI_INT, got, MOST, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < ranks; r++) CHECK(is_of(got + r * MOST, MOST, r, 0, 1));
    MPI_Allgather(given, MOST, MPI_INT, got, MOST, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) CHECK(is_of(got + r * MOST, MOST, r, 0, 1));
    MPI_Scatter(send, MOST, MPI_INT, rank == 0 ? send : got, MOST, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(is_of(rank == 0 ? send : got, MOST, 0, rank * MOST, 1));
    free(send), free(got);
}

PROMISE(blocking_collectives_of_several_sizes_give_what_they_should) {
    enum { ROOM = 9000 };
    int sizes_of[16], places[16], outgoing[16], incoming[16], in_places[16];
    const int all = ROOM * ranks, root = ranks - 1;
    for (int r = 0; r < ranks; r++) {
        sizes_of[r] = (r * 2500 + 1) % ROOM;
        places[r] = (ranks - 1 - r) * ROOM; /* the last one comes first */
        outgoing[r] = (rank * 1700 + r * 800) % ROOM;
        incoming[r] = (r * 1700 + rank * 800) % ROOM;
        in_places[r] = r * ROOM;
    }
    int *send = made(all, 5), *got = filled(all, -1);
    MPI_Gatherv(send, sizes_of[rank], MPI_INT, got, sizes_of, places, MPI_INT, root, MPI_COMM_WORLD);
    for (int r = 0; rank == root && r < ranks; r++) CHECK(is_of(got + places[r], sizes_of[r], r, 0, 5));
    MPI_Scatterv(send, sizes_of, places, MPI_INT, got, sizes_of[rank], MPI_INT, root, MPI_COMM_WORLD);
    CHECK(is_of(got, sizes_of[rank], root, places[rank], 5));
    MPI_Allgatherv(send, sizes_of[rank], MPI_INT, got, sizes_of, places, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) CHECK(is_of(got + places[r], sizes_of[r], r, 0, 5));
    MPI_Alltoallv(send, outgoing, places, MPI_INT, got, incoming, in_places, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) CHECK(is_of(got + in_places[r], incoming[r], r, places[rank], 5));
    free(send), free(got);
}

/* In large allocations, which can be guarded. */
PROMISE(released_results_of_collectives_are_read_from_their_end) {
    for (int turn = 0; turn < 6; turn++) {
        const int root = turn % ranks;
        int *send = made(MOST * ranks, turn), *got = filled(MOST * ranks, -1), *one = filled(MOST, -1), right = 1;
        if (rank == root) memcpy(one, send, sizeof(int) * MOST);
        MPI_Bcast(one, MOST, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Alltoall(send, MOST, MPI_INT, got, MOST, MPI_INT, MPI_COMM_WORLD);
        for (int k = MOST - 1; k >= 0; k--) right = right && one[k] == value(root, k, turn);
        for (int r = ranks - 1; r >= 0; r--)
            for (int k = MOST - 1; k >= 0; k -= 777)
                right = right && got[r * MOST + k] == value(r, rank * MOST + k, turn);
        for (int r = 0; r < ranks; r++) right = right && is_of(got + r * MOST, MOST, r, rank * MOST, turn);
        CHECK(right);
        free(send), free(got), free(one);
    }
}

PROMISE(released_what_a_collective_was_given_may_be_overwritten_and_freed) {
    for (int turn = 0; turn < 6; turn++) {
        const int root = turn % ranks;
        int *send = made(MOST * ranks, turn), *got = filled(MOST * ranks, -1), *one = filled(MOST, -1);
        if (rank == root) memcpy(one, send, sizeof(int) * MOST);
        MPI_Bcast(one, MOST, MPI_INT, root, MPI_COMM_WORLD);
        if (rank == root) memset(one, 0, sizeof(int) * MOST);
        MPI_Allgather(send, MOST, MPI_INT, got, MOST, MPI_INT, MPI_COMM_WORLD);
        memset(send, 0, sizeof(int) * (size_t)MOST);
        free(send);
        CHECK(rank == root || is_of(one, MOST, root, 0, turn));
        for (int r = 0; r < ranks; r++) CHECK(is_of(got + r * MOST, MOST, r, 0, turn));
        free(got), free(one);
    }
}

/* The contribution lies where the result comes, and what is nobody's to write stays as it was. */
PROMISE(released_results_in_place_are_read_from_their_end) {
    enum { MANY = 8 };
    for (int what = 0; what < MANY; what++) {
        const int root = what % ranks, is_root = rank == root, all = MOST * ranks;
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
        if (what == 5) continue; /* MPICH 4.0's MPI_Reduce copies from the address MPI_IN_PLACE */
#endif
        int *got = made(all, what), right = 1;
        for (int k = 0; k < MOST && what == 1; k++) got[rank * MOST + k] = value(rank, k, what);
        if (what == 0) {
            MPI_Allreduce(MPI_IN_PLACE, got, all, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        } else if (what == 1) {
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, MOST, MPI_INT, MPI_COMM_WORLD);
        } else if (what == 2) {
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, MOST, MPI_INT, MPI_COMM_WORLD);
        } else if (what == 3) {
            MPI_Gather(is_root ? MPI_IN_PLACE : got, MOST, MPI_INT, got, MOST, MPI_INT, root, MPI_COMM_WORLD);
        } else if (what == 4) {
            MPI_Scatter(got, MOST, MPI_INT, is_root ? MPI_IN_PLACE : got, MOST, MPI_INT, root, MPI_COMM_WORLD);
        } else if (what == 5) {
            MPI_Reduce(is_root ? MPI_IN_PLACE : got, got, all, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        } else if (what == 6) {
            MPI_Scan(MPI_IN_PLACE, got, all, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        } else {
            MPI_Exscan(MPI_IN_PLACE, got, all, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        for (int k = all - 1; k >= 0; k--) {
            const int block = k / MOST, at = k % MOST;
            int from = rank, end = rank + 1, place = k; /* whose sum it is */
            if (what == 0 || (what == 5 && is_root)) from = 0, end = ranks;
            if (what == 1) from = block, end = block + 1, place = at;
            if (what == 2) from = block, end = block + 1, place = rank * MOST + at;
            if (what == 3 && is_root && block != root) from = block, end = block + 1, place = at;
            if (what == 4 && !is_root && block == 0) from = root, end = root + 1, place = rank * MOST + at;
            if (what == 6) from = 0;
            if (what == 7 && rank > 0) from = 0, end = rank;
            int sum = 0;
            for (int r = from; r < end; r++) sum += value(r, place, what);
            right = right && got[k] == sum;
        }
        CHECK(right);
        /* And written to at once. */
        for (int k = 0; k < all; k++) got[k] = k % 1000 + rank;
        MPI_Allreduce(MPI_IN_PLACE, got, all, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        for (int k = 0; k < all; k++) got[k] -= ranks - 1;
        for (int k = 0; k < all; k += 997) right = right && got[k] == k % 1000;
        CHECK(right);
        free(got);
    }
}

/* Before the program has looked at it. */
PROMISE(released_a_result_is_sent_received_into_and_freed) {
    const size_t bytes = sizeof(int) * MOST;
    for (int turn = 0; turn < 4; turn++) {
        const int root = turn % ranks, next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
        int *one = rank == root ? made(MOST, turn) : filled(MOST, -1), *other = filled(MOST, -1);
        MPI_Bcast(one, MOST, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Sendrecv(one, MOST, MPI_INT, next, 1, other, MOST, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(is_of(other, MOST, root, 0, turn));
        /* Into the next collective, and out of it into the same memory. */
        MPI_Bcast(one, MOST, MPI_INT, (root + 1) % ranks, MPI_COMM_WORLD);
        CHECK(is_of(one, MOST, root, 0, turn));
        MPI_Bcast(one, MOST, MPI_INT, root, MPI_COMM_WORLD);
        for (int k = 0; k < MOST; k++) other[k] = 1;
        MPI_Allreduce(one, other, MOST, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        for (int k = 0; k < MOST; k += 999) CHECK(other[k] == ranks * value(root, k, turn));
        free(one), free(other);
        /* Never looked at. */
        void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MPI_Bcast(mapped, MOST, MPI_INT, root, MPI_COMM_WORLD);
        munmap(mapped, bytes);
        other = filled(MOST, 3);
        MPI_Bcast(other, MOST, MPI_INT, root, MPI_COMM_WORLD);
        free(other);
    }
}

/* Who has freed its result waits in a call of the library's, and those behind it in a chain still need what comes. */
PROMISE(released_a_result_that_is_freed_unread_is_passed_on) {
    enum { N = 1000000 };
    for (int salt = 0; salt < 3; salt++) {
        int *buffer = rank == 0 ? made(N, salt) : filled(N, -1);
        double sum = 0, one = 1;
        MPI_Bcast(buffer, N, MPI_INT, 0, MPI_COMM_WORLD);
        if (rank == 0) usleep(30000); /* the others wait before all has left */
        if (rank == ranks - 1) CHECK(is_of(buffer, N, 0, 0, salt));
        free(buffer);
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        CHECK(sum == ranks);
    }
}

/* Others of them may pass its messages on. */
PROMISE(released_a_communicator_is_freed_after_its_collective) {
    for (int turn = 0; turn < 8; turn++) {
        MPI_Comm comm;
        int *one = rank == 0 ? made(MOST, turn) : filled(MOST, -1);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Bcast(one, MOST, MPI_INT, 0, comm);
        MPI_Comm_free(&comm);
        CHECK(is_of(one, MOST, 0, 0, turn));
        free(one);
    }
}

PROMISE(released_blocks_of_neighbors_are_read_from_their_end) {
    const int list[2] = {(rank + 1) % ranks, (rank + ranks - 1) % ranks};
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, list, MPI_UNWEIGHTED, 2, list, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
    for (int turn = 0; turn < 4; turn++) {
        int *send = made(2 * MOST, turn), *got = filled(2 * MOST, -1), right = 1;
        MPI_Neighbor_allgather(send, MOST, MPI_INT, got, MOST, MPI_INT, ring);
        memset(send, 0, sizeof(int) * MOST);
        for (int k = 2 * MOST - 1; k >= 0; k--) right = right && got[k] == value(list[k / MOST], k % MOST, turn);
        CHECK(right);
        free(send), free(got);
    }
    MPI_Comm_free(&ring);
}

/* More than have tags: who gives does not wait for who gets. */
PROMISE(released_a_rank_may_be_far_ahead_in_collectives) {
    int n = 0;
    MPI_Request request;
    if (rank > 0) usleep(100000);
    for (int k = 0; k < 1200; k++) {
        int one = rank == 0 ? k : -1;
        MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
        n += one == k;
        if (k % 100) continue;
        one = rank == 0 ? k : -1;
        MPI_Ibcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(one == k);
    }
    CHECK(n == 1200);
}

/* As a program may use one that gives everybody something of everybody: as a barrier. */
PROMISE(released_a_collective_returns_when_those_whose_data_it_gives_have_called_it) {
    for (int turn = 0; turn < 2 * ranks; turn++) {
        const int late = turn % ranks;
        char name[64];
        int key = getpid(), *send = made(MOST * ranks, turn), *got = filled(MOST * ranks, -1), there;
        MPI_Bcast(&key, 1, MPI_INT, 0, MPI_COMM_WORLD);
        snprintf(name, sizeof name, "/tmp/stretto-promise-%d-%d", key, turn);
        if (rank == late) {
            usleep(20000);
            close(open(name, O_CREAT | O_WRONLY, 0600));
        }
        if (turn < ranks)
            MPI_Allgather(send, MOST, MPI_INT, got, MOST, MPI_INT, MPI_COMM_WORLD);
        else
            MPI_Bcast(got, MOST, MPI_INT, late, MPI_COMM_WORLD);
        there = access(name, F_OK) == 0;
        CHECK(there);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == late) unlink(name);
        free(send), free(got);
    }
}

/* The last one gets its part through all others, which wait for it otherwise than by MPI. */
PROMISE(released_a_rank_that_returned_passes_messages_on) {
    char name[64];
    int key = getpid();
    MPI_Bcast(&key, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int turn = 0; turn < 2; turn++) {
        snprintf(name, sizeof name, "/tmp/stretto-promise-%d-passes-%d", key, turn);
        int *one = rank == 0 || turn ? made(MOST, turn) : filled(MOST, -1), *sum = filled(MOST, -1), patience = 2000,
            right;
        if (turn == 0)
            MPI_Bcast(one, MOST, MPI_INT, 0, MPI_COMM_WORLD);
        else
            MPI_Reduce(one, sum, MOST, MPI_INT, MPI_SUM, ranks - 1, MPI_COMM_WORLD);
        if (rank == ranks - 1) {
            right = turn ? is_sum(sum, MOST, 0, ranks, 0, turn) : is_of(one, MOST, 0, 0, turn);
            close(open(name, O_CREAT | O_WRONLY, 0600));
        } else {
            while (access(name, F_OK) != 0 && patience-- > 0) usleep(10000);
            right = patience > 0;
        }
        CHECK(right);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) unlink(name);
        free(one), free(sum);
    }
}
