/* Delta collectives: whatever order and pieces the contribution becomes final in, and the result is used in, they do what MPI's do.
 *
 * With -DSTRETTO_PLAIN the same promises hold of MPI alone. */
#include "promise.h"
#include <stretto/stretto.h>

enum { BCAST, GATHER, GATHERV, SCATTER, SCATTERV, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, KINDS_WITHOUT_SUMS };
enum { REDUCE = KINDS_WITHOUT_SUMS, ALLREDUCE, REDUCE_SCATTER, REDUCE_SCATTER_BLOCK, SCAN, EXSCAN, KINDS };

enum { MOST = 20000 }; /* elements of a block */
static int *contribution, *result, *expected, *counts, *displs;

static void begin_test(void) {
    contribution = malloc(sizeof(int) * MOST * (size_t)ranks);
    result = malloc(sizeof(int) * MOST * (size_t)ranks);
    expected = malloc(sizeof(int) * MOST * (size_t)ranks);
    counts = malloc(sizeof(int) * (size_t)ranks);
    displs = malloc(sizeof(int) * (size_t)ranks);
}

static void end_test(void) {
    free(contribution);
    free(result);
    free(expected);
    free(counts);
    free(displs);
}

static int element(int of, int k) {
    return of * 7919 + k * 31 + 5;
}

/* Elements that this rank contributes, and that it gets. */
static int given(int kind, int n, int root) {
    switch (kind) {
    case BCAST:
        return rank == root ? n : 0;
    case SCATTER:
    case SCATTERV:
        return rank == root ? n * ranks : 0;
    case ALLTOALL:
    case ALLTOALLV:
    case REDUCE_SCATTER:
    case REDUCE_SCATTER_BLOCK:
        return n * ranks;
    default:
        return n;
    }
}

static int got(int kind, int n, int root) {
    switch (kind) {
    case BCAST:
        return rank == root ? 0 : n;
    case GATHER:
    case GATHERV:
        return rank == root ? n * ranks : 0;
    case ALLGATHER:
    case ALLGATHERV:
    case ALLTOALL:
    case ALLTOALLV:
        return n * ranks;
    case REDUCE:
        return rank == root ? n : 0;
    case EXSCAN:
        return rank > 0 ? n : 0;
    default:
        return n;
    }
}

static void blocking(int kind, int n, int root, int *from, int *to) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    switch (kind) {
    case BCAST:
        MPI_Bcast(rank == root ? from : to, n, MPI_INT, root, comm);
        break;
    case GATHER:
        MPI_Gather(from, n, MPI_INT, to, n, MPI_INT, root, comm);
        break;
    case GATHERV:
        MPI_Gatherv(from, n, MPI_INT, to, counts, displs, MPI_INT, root, comm);
        break;
    case SCATTER:
        MPI_Scatter(from, n, MPI_INT, to, n, MPI_INT, root, comm);
        break;
    case SCATTERV:
        MPI_Scatterv(from, counts, displs, MPI_INT, to, n, MPI_INT, root, comm);
        break;
    case ALLGATHER:
        MPI_Allgather(from, n, MPI_INT, to, n, MPI_INT, comm);
        break;
    case ALLGATHERV:
        MPI_Allgatherv(from, n, MPI_INT, to, counts, displs, MPI_INT, comm);
        break;
    case ALLTOALL:
        MPI_Alltoall(from, n, MPI_INT, to, n, MPI_INT, comm);
        break;
    case ALLTOALLV:
        MPI_Alltoallv(from, counts, displs, MPI_INT, to, counts, displs, MPI_INT, comm);
        break;
    case REDUCE:
        MPI_Reduce(from, to, n, MPI_INT, MPI_SUM, root, comm);
        break;
    case ALLREDUCE:
        MPI_Allreduce(from, to, n, MPI_INT, MPI_SUM, comm);
        break;
    case REDUCE_SCATTER:
        MPI_Reduce_scatter(from, to, counts, MPI_INT, MPI_SUM, comm);
        break;
    case REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(from, to, n, MPI_INT, MPI_SUM, comm);
        break;
    case SCAN:
        MPI_Scan(from, to, n, MPI_INT, MPI_SUM, comm);
        break;
    case EXSCAN:
        MPI_Exscan(from, to, n, MPI_INT, MPI_SUM, comm);
        break;
    }
}

static void begin(int kind, int n, int root, int *from, int *to, MPI_Request *request) {
    const MPI_Comm comm = MPI_COMM_WORLD;
    switch (kind) {
    case BCAST:
        MPIX_Delta_bcast_begin(rank == root ? from : to, n, MPI_INT, root, comm, request);
        break;
    case GATHER:
        MPIX_Delta_gather_begin(from, n, MPI_INT, to, n, MPI_INT, root, comm, request);
        break;
    case GATHERV:
        MPIX_Delta_gatherv_begin(from, n, MPI_INT, to, counts, displs, MPI_INT, root, comm, request);
        break;
    case SCATTER:
        MPIX_Delta_scatter_begin(from, n, MPI_INT, to, n, MPI_INT, root, comm, request);
        break;
    case SCATTERV:
        MPIX_Delta_scatterv_begin(from, counts, displs, MPI_INT, to, n, MPI_INT, root, comm, request);
        break;
    case ALLGATHER:
        MPIX_Delta_allgather_begin(from, n, MPI_INT, to, n, MPI_INT, comm, request);
        break;
    case ALLGATHERV:
        MPIX_Delta_allgatherv_begin(from, n, MPI_INT, to, counts, displs, MPI_INT, comm, request);
        break;
    case ALLTOALL:
        MPIX_Delta_alltoall_begin(from, n, MPI_INT, to, n, MPI_INT, comm, request);
        break;
    case ALLTOALLV:
        MPIX_Delta_alltoallv_begin(from, counts, displs, MPI_INT, to, counts, displs, MPI_INT, comm, request);
        break;
    case REDUCE:
        MPIX_Delta_reduce_begin(from, to, n, MPI_INT, MPI_SUM, root, comm, request);
        break;
    case ALLREDUCE:
        MPIX_Delta_allreduce_begin(from, to, n, MPI_INT, MPI_SUM, comm, request);
        break;
    case REDUCE_SCATTER:
        MPIX_Delta_reduce_scatter_begin(from, to, counts, MPI_INT, MPI_SUM, comm, request);
        break;
    case REDUCE_SCATTER_BLOCK:
        MPIX_Delta_reduce_scatter_block_begin(from, to, n, MPI_INT, MPI_SUM, comm, request);
        break;
    case SCAN:
        MPIX_Delta_scan_begin(from, to, n, MPI_INT, MPI_SUM, comm, request);
        break;
    case EXSCAN:
        MPIX_Delta_exscan_begin(from, to, n, MPI_INT, MPI_SUM, comm, request);
        break;
    }
}

__attribute__((noinline)) static void produce(int *to, int first, int end) {
    for (int k = first; k < end; k++) to[k] = element(rank, k);
    MPIX_Delta_send_data(to + first, sizeof *to * (size_t)(end - first));
}

/* Are these elements of the result right, now? */
static int right_part(int first, int end) {
    int right = 1;
    MPIX_Delta_wait_data(result + first, sizeof *result * (size_t)(end - first));
    for (int k = first; k < end; k++) right = right && result[k] == expected[k];
    return right;
}

/* One collective in pieces: forwards, or backwards on both sides. */
static int in_pieces(int kind, int n, int root, int piece, int backwards) {
    const int in = given(kind, n, root), out = got(kind, n, root);
    const int pieces_in = (in + piece - 1) / piece, pieces_out = (out + piece - 1) / piece;
    int right = 1;
    MPI_Request request;
    for (int k = 0; k < ranks; k++) counts[k] = n, displs[k] = k * n;
    for (int k = 0; k < in; k++) contribution[k] = element(rank, k);
    blocking(kind, n, root, contribution, expected);
    memset(contribution, 0xEE, sizeof(int) * MOST * (size_t)ranks);
    memset(result, 0xEE, sizeof(int) * MOST * (size_t)ranks);
    begin(kind, n, root, contribution, result, &request);
    CHECK(request != MPI_REQUEST_NULL);
    for (int p = 0; p < pieces_in; p++) {
        const int first = (backwards ? pieces_in - 1 - p : p) * piece;
        produce(contribution, first, first + piece < in ? first + piece : in);
    }
    MPIX_Delta_collective_end(&request);
    for (int p = 0; p < pieces_out; p++) {
        const int first = (backwards ? pieces_out - 1 - p : p) * piece;
        right = right && right_part(first, first + piece < out ? first + piece : out);
    }
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
    for (int k = 0; k < out; k++) right = right && result[k] == expected[k];
    for (int k = 0; k < in; k++) right = right && contribution[k] == element(rank, k);
    return right;
}

PROMISE(a_delta_collective_gives_what_mpis_own_gives) {
    static const int lengths[] = {0, 1, 1500, MOST};
    begin_test();
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < 4; i++) CHECK(in_pieces(kind, lengths[i], (kind + i) % ranks, 700, 0));
    end_test();
}

PROMISE(a_delta_collective_may_be_fed_and_used_from_its_end) {
    begin_test();
    for (int kind = 0; kind < KINDS; kind++) CHECK(in_pieces(kind, 5000, kind % ranks, 333, 1));
    end_test();
}

PROMISE(a_delta_collective_in_place_gives_what_mpis_own_gives) {
    enum { N = 5000 };
    MPI_Request request;
    int right = 1;
    begin_test();
    for (int k = 0; k < N; k++) contribution[k] = element(rank, k);
    MPI_Allreduce(contribution, expected, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPIX_Delta_allreduce_begin(MPI_IN_PLACE, result, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    for (int k = 0; k < N; k += 500) produce(result, k, k + 500);
    MPIX_Delta_collective_end(&request);
    for (int k = 0; k < N; k += 500) right = right && right_part(k, k + 500);
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    CHECK(right);

    MPI_Allgather(contribution, N, MPI_INT, expected, N, MPI_INT, MPI_COMM_WORLD);
    memset(result, 0xEE, sizeof(int) * MOST * (size_t)ranks);
    MPIX_Delta_allgather_begin(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, result, N, MPI_INT, MPI_COMM_WORLD, &request);
    for (int k = 0; k < N; k++) result[rank * N + k] = element(rank, k);
    MPIX_Delta_send_data(result + rank * N, N * sizeof(int));
    MPIX_Delta_collective_end(&request);
    CHECK(right_part(0, N * ranks));
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);

    for (int k = 0; k < N * ranks; k++) contribution[k] = element(rank, k);
    MPI_Alltoall(contribution, N, MPI_INT, expected, N, MPI_INT, MPI_COMM_WORLD);
    MPIX_Delta_alltoall_begin(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, result, N, MPI_INT, MPI_COMM_WORLD, &request);
    produce(result, 0, N * ranks);
    MPIX_Delta_collective_end(&request);
    CHECK(right_part(0, N * ranks));
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    end_test();
}

/* Every second element, so that memory does not say which bytes of the message they are. */
PROMISE(a_delta_collective_of_derived_types_comes_whole) {
    enum { N = 3000 };
    MPI_Datatype every_second;
    MPI_Request request;
    int right = 1;
    begin_test();
    MPI_Type_vector(N, 1, 2, MPI_INT, &every_second);
    MPI_Type_commit(&every_second);
    memset(result, 0xEE, sizeof(int) * MOST);
    MPIX_Delta_bcast_begin(rank == 0 ? contribution : result, 1, every_second, 0, MPI_COMM_WORLD, &request);
    if (rank == 0)
        for (int k = 0; k < 2 * N; k += 1000) produce(contribution, k, k + 1000 < 2 * N ? k + 1000 : 2 * N - 1);
    MPIX_Delta_collective_end(&request);
    if (rank != 0) {
        MPIX_Delta_wait_data(result, sizeof(int) * 2 * (N - 1));
        for (int k = 0; k < N; k++) right = right && result[2 * k] == element(0, 2 * k);
        for (int k = 0; k + 1 < N; k++) right = right && result[2 * k + 1] == (int)0xEEEEEEEE;
    }
    MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
    CHECK(right);
    MPI_Type_free(&every_second);
    end_test();
}

PROMISE(several_delta_collectives_are_open_at_once) {
    enum { N = 8000 };
    MPI_Request requests[2];
    int right = 1, *sums = malloc(N * sizeof *sums), *copy = malloc(N * sizeof *copy), message = rank;
    begin_test();
    MPIX_Delta_bcast_begin(rank == 0 ? contribution : copy, N, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    MPIX_Delta_allreduce_begin(contribution, sums, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    for (int k = 0; k < N; k += 1000) produce(contribution, k, k + 1000);
    MPI_Allreduce(MPI_IN_PLACE, &message, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* whatever else a program calls */
    CHECK(message == ranks * (ranks - 1) / 2);
    MPIX_Delta_collective_end(&requests[0]);
    MPIX_Delta_collective_end(&requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < N; k++) {
        int sum = 0;
        for (int r = 0; r < ranks; r++) sum += element(r, k);
        right = right && sums[k] == sum && (rank == 0 || copy[k] == element(0, k));
    }
    CHECK(right);
    end_test();
    free(sums);
    free(copy);
}

/* Where messages are framed, and annotations are heard: the first half is used before the second is there. Of collectives in which nobody
 * passes messages on, which are Stretto's under every MPI. */
PROMISE(parts_of_a_delta_collective_arrive_before_the_rest_is_computed) {
    enum { N = 40000 };
    MPI_Request request;
    if (!getenv("STRETTO_TESTS_PIPELINE")) return;
    for (int kind = 0; kind < 2; kind++) {
        const int last = ranks - 1, source = kind == 0 ? 0 : last, sink = kind == 0 ? last : 0;
        int right = 1, *const all = malloc((size_t)ranks * N * sizeof(int)), *const own = malloc(N * sizeof(int));
        int *const from = kind == 0 ? all + last * N : own, *const to = kind == 0 ? own : all + last * N;
        if (kind == 0)
            MPIX_Delta_scatter_begin(all, N, MPI_INT, own, N, MPI_INT, 0, MPI_COMM_WORLD, &request);
        else
            MPIX_Delta_gather_begin(own, N, MPI_INT, all, N, MPI_INT, 0, MPI_COMM_WORLD, &request);
        if (rank == source) {
            for (int k = 0; k < N / 2; k += 1000) produce(from, k, k + 1000);
            hear(sink);
            for (int k = N / 2; k < N; k += 1000) produce(from, k, k + 1000);
        }
        MPIX_Delta_collective_end(&request);
        if (rank == sink) {
            MPIX_Delta_wait_data(to, N / 4 * sizeof(int));
            for (int k = 0; k < N / 4; k++) right = right && to[k] == element(source, k);
            tell(source);
        }
        MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);
        CHECK(right);
        free(all);
        free(own);
    }
}
