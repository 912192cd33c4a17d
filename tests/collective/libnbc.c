/* As LibNBC's documentation has it: an operation begins, the program computes and tests, and waits. Every name of nbc.h once. */
#include <nbc.h>

enum { N = 20000 };

static int rank, ranks, wrong;

static void check(int right, const char *what) {
    if (right) return;
    printf("rank %d: %s is wrong\n", rank, what);
    wrong++;
}

static int all_are(const int *buffer, int elements, int what) {
    for (int k = 0; k < elements; k++)
        if (buffer[k] != what) return 0;
    return 1;
}

/* The ring, as a grid and as both kinds of graphs; MPI_COMM_WORLD has no neighbours. */
static void ask_for_neighbours(MPI_Comm ring, int before, int after) {
    const int list[2] = {before, after};
    int *edges = malloc(sizeof(int) * 2 * (size_t)ranks), *ends = malloc(sizeof(int) * (size_t)ranks);
    int in, out, weighted, sources[4], destinations[4], weights[8];
    MPI_Comm comms[3] = {ring};
    for (int r = 0; r < ranks; r++) {
        ends[r] = 2 * (r + 1);
        edges[2 * r] = (r + ranks - 1) % ranks, edges[2 * r + 1] = (r + 1) % ranks;
    }
    MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, edges, 0, &comms[1]);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, list, MPI_UNWEIGHTED, 2, list, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &comms[2]);
    for (int k = 0; k < 3; k++) {
        check(NBC_Comm_neighbors_count(comms[k], &in, &out, &weighted) == NBC_OK && in == 2 && out == 2 && !weighted,
              "NBC_Comm_neighbors_count");
        check(NBC_Comm_neighbors(comms[k], 2, sources, weights, 2, destinations, weights + 4) == NBC_OK, "its result");
        check(sources[0] == before && sources[1] == after, "where from");
        check(destinations[0] == before && destinations[1] == after, "where to");
    }
    check(NBC_Comm_neighbors(ring, 4, sources, weights, 1, destinations, weights + 4) == NBC_OK && sources[1] == after,
          "more and less than there are");
    MPI_Comm_free(&comms[1]), MPI_Comm_free(&comms[2]);
    check(NBC_Comm_neighbors_count(MPI_COMM_WORLD, &in, &out, &weighted) == NBC_INVALID_TOPOLOGY_COMM, "of nobody");
    free(edges), free(ends);
}

int main(int argc, char **argv) {
    NBC_Handle handle;
    NBC_Request another;
    int flag = 0, dims = 0, periodic = 1, counts[16], places[16];
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int *send = malloc(sizeof(int) * N * (size_t)ranks), *recv = calloc((size_t)(N * ranks), sizeof(int));
    for (int k = 0; k < N * ranks; k++) send[k] = rank + 1;
    for (int r = 0; r < ranks; r++) counts[r] = N, places[r] = r * N;
    const int sum = ranks * (ranks + 1) / 2;

    NBC_Init();
    for (int k = 0; k < N; k++) recv[k] = rank == 0 ? 5 : 0;
    NBC_Ibcast(recv, N, MPI_INT, 0, MPI_COMM_WORLD, &handle);
    while (NBC_Test(&handle) == NBC_CONTINUE) {
    }
    check(NBC_Wait(&handle) == NBC_OK && all_are(recv, N, 5), "NBC_Ibcast");

    NBC_Iallreduce(send, recv, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &handle);
    NBC_Ibarrier(MPI_COMM_WORLD, &another);
    while (!flag) NBC_Test(&another, &flag, MPI_STATUS_IGNORE);
    check(NBC_Wait(&handle, MPI_STATUS_IGNORE) == NBC_SUCCESS && all_are(recv, N, sum), "NBC_Iallreduce");

    NBC_Ireduce(send, recv, N, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD, &handle);
    NBC_Wait(&handle);
    check(rank != 0 || all_are(recv, N, ranks), "NBC_Ireduce");
    NBC_Ireduce_scatter(send, recv, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &handle);
    NBC_Wait(&handle);
    check(all_are(recv, N, sum), "NBC_Ireduce_scatter");
    NBC_Iscan(send, recv, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &handle);
    NBC_Wait(&handle);
    check(all_are(recv, N, (rank + 1) * (rank + 2) / 2), "NBC_Iscan");

    NBC_Igather(send, N, MPI_INT, recv, N, MPI_INT, 0, MPI_COMM_WORLD, &handle);
    NBC_Wait(&handle);
    check(rank != 0 || all_are(recv + N * (ranks - 1), N, ranks), "NBC_Igather");
    NBC_Igatherv(send, N, MPI_INT, recv, counts, places, MPI_INT, 0, MPI_COMM_WORLD, &handle);
    NBC_Wait(&handle);
    check(rank != 0 || all_are(recv + N * (ranks - 1), N, ranks), "NBC_Igatherv");
    NBC_Iscatter(send, N, MPI_INT, recv, N, MPI_INT, 0, MPI_COMM_WORLD, &handle);
    NBC_Wait(&handle);
    check(all_are(recv, N, 1), "NBC_Iscatter");
    NBC_Iscatterv(send, counts, places, MPI_INT, recv, N, MPI_INT, ranks - 1, MPI_COMM_WORLD, &handle);
    NBC_Wait(&handle);
    check(all_are(recv, N, ranks), "NBC_Iscatterv");
    NBC_Iallgather(send, N, MPI_INT, recv, N, MPI_INT, MPI_COMM_WORLD, &handle);
    NBC_Wait(&handle);
    for (int r = 0; r < ranks; r++) check(all_are(recv + r * N, N, r + 1), "NBC_Iallgather");
    NBC_Iallgatherv(send, N, MPI_INT, recv, counts, places, MPI_INT, MPI_COMM_WORLD, &handle);
    NBC_Wait(&handle);
    for (int r = 0; r < ranks; r++) check(all_are(recv + r * N, N, r + 1), "NBC_Iallgatherv");
    NBC_Ialltoall(send, N, MPI_INT, recv, N, MPI_INT, MPI_COMM_WORLD, &handle);
    NBC_Wait(&handle);
    for (int r = 0; r < ranks; r++) check(all_are(recv + r * N, N, r + 1), "NBC_Ialltoall");
    NBC_Ialltoallv(send, counts, places, MPI_INT, recv, counts, places, MPI_INT, MPI_COMM_WORLD, &handle);
    NBC_Wait(&handle);
    for (int r = 0; r < ranks; r++) check(all_are(recv + r * N, N, r + 1), "NBC_Ialltoallv");

    MPI_Dims_create(ranks, 1, &dims);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periodic, 0, &ring);
    const int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
    NBC_Icart_shift_xchg(send, N, MPI_INT, recv, N, MPI_INT, 0, 1, ring, &handle);
    NBC_Wait(&handle);
    check(all_are(recv, N, before + 1), "NBC_Icart_shift_xchg");
    if (ranks > 2) { /* of two ranks each is both neighbours of the other */
        NBC_Ineighbor_xchg(send, N, MPI_INT, recv, N, MPI_INT, ring, &handle);
        NBC_Wait(&handle);
        check(all_are(recv, N, before + 1) && all_are(recv + N, N, after + 1), "NBC_Ineighbor_xchg");
        NBC_Ineighbor_xchgv(send, counts, places, MPI_INT, recv, counts, places, MPI_INT, ring, &handle);
        NBC_Wait(&handle);
        check(all_are(recv, N, before + 1) && all_are(recv + N, N, after + 1), "NBC_Ineighbor_xchgv");
        NBC_Ineighbor_allgather(send, N, MPI_INT, recv, N, MPI_INT, ring, &handle);
        NBC_Wait(&handle);
        check(all_are(recv, N, before + 1) && all_are(recv + N, N, after + 1), "NBC_Ineighbor_allgather");
        NBC_Ineighbor_allgatherv(send, N, MPI_INT, recv, counts, places, MPI_INT, ring, &handle);
        while (NBC_Testold(&handle) == NBC_CONTINUE) {
        }
        check(handle.requests[0] == MPI_REQUEST_NULL, "NBC_Testold");
        check(all_are(recv, N, before + 1) && all_are(recv + N, N, after + 1), "NBC_Ineighbor_allgatherv");
    }
    ask_for_neighbours(ring, before, after);
    NBC_Finalize();
    MPI_Comm_free(&ring);
    if (rank == 0 && !wrong) printf("all right\n");
    free(send), free(recv);
    MPI_Finalize();
    return wrong != 0;
}
