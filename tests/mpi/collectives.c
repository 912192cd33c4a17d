/* Non-blocking and persistent collectives: what the blocking ones give, in every form of arguments. */
#include "elements.h"
#include <pthread.h>
#include <unistd.h>

enum { MOST = 30000 };
static const int counts[] = {0, 1, 7, 1000, MOST};

/* Completed in several ways. */
static void end(MPI_Request *request, int how) {
    int flag = 0, index;
    MPI_Status status;
    switch (how % 4) {
    case 0:
        MPI_Wait(request, &status);
        break;
    case 1:
        while (!flag) MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
        break;
    case 3:
        MPI_Waitany(1, request, &index, &status);
        break;
    }
    CHECK(*request == MPI_REQUEST_NULL);
}

/* Elements of three ints of which the middle one is not sent. */
static MPI_Datatype with_gap(void) {
    MPI_Datatype made;
    MPI_Type_vector(2, 1, 2, MPI_INT, &made);
    MPI_Type_commit(&made);
    return made;
}

PROMISE(a_broadcast_comes_to_all_from_any_root) {
    for (int i = 0; i < 5; i++)
        for (int root = 0; root < ranks; root++) {
            MPI_Request request;
            int *buffer = rank == root ? made(counts[i], root) : filled(counts[i], -1), right = 1;
            MPI_Ibcast(buffer, counts[i], MPI_INT, root, MPI_COMM_WORLD, &request);
            end(&request, i + root);
            for (int k = 0; k < counts[i]; k++) right = right && buffer[k] == value(root, k, root);
            CHECK(right);
            free(buffer);
        }
}

PROMISE(elements_with_gaps_come_as_others_and_gaps_stay_as_they_were) {
    MPI_Datatype type = with_gap();
    MPI_Request request;
    int *buffer = rank == 1 ? made(3 * 5000, 4) : filled(3 * 5000, -1), right = 1;
    MPI_Ibcast(buffer, 5000, type, 1, MPI_COMM_WORLD, &request);
    end(&request, 0);
    for (int k = 0; k < 3 * 5000; k++) right = right && buffer[k] == (k % 3 == 1 && rank != 1 ? -1 : value(1, k, 4));
    CHECK(right);
    free(buffer);
    /* Packed on one side, with gaps on the other. */
    int *parts = filled(3 * 5000 * ranks, -1);
    int *own = made(2 * 5000, 9);
    MPI_Iallgather(own, 2 * 5000, MPI_INT, parts, 5000, type, MPI_COMM_WORLD, &request);
    end(&request, 1);
    for (int r = 0; r < ranks; r++)
        for (int k = 0; k < 5000; k++) {
            const int *at = parts + 3 * (5000 * r + k);
            right = right && at[0] == value(r, 2 * k, 9) && at[1] == -1 && at[2] == value(r, 2 * k + 1, 9);
        }
    CHECK(right);
    free(parts);
    free(own);
    MPI_Type_free(&type);
}

PROMISE(blocks_of_one_size_come_where_they_belong) {
    for (int i = 0; i < 5; i++) {
        const int n = counts[i], all = n * ranks, root = i % ranks;
        MPI_Request request;
        int *send = made(all, i), *got = filled(all, -1), *expected = filled(all, -1);
        MPI_Igather(send, n, MPI_INT, got, n, MPI_INT, root, MPI_COMM_WORLD, &request);
        end(&request, i);
        MPI_Gather(send, n, MPI_INT, expected, n, MPI_INT, root, MPI_COMM_WORLD);
        CHECK(same(got, expected, all));
        MPI_Iscatter(send, n, MPI_INT, got, n, MPI_INT, root, MPI_COMM_WORLD, &request);
        end(&request, i + 1);
        MPI_Scatter(send, n, MPI_INT, expected, n, MPI_INT, root, MPI_COMM_WORLD);
        CHECK(same(got, expected, all));
        MPI_Iallgather(send, n, MPI_INT, got, n, MPI_INT, MPI_COMM_WORLD, &request);
        end(&request, i + 2);
        MPI_Allgather(send, n, MPI_INT, expected, n, MPI_INT, MPI_COMM_WORLD);
        CHECK(same(got, expected, all));
        MPI_Ialltoall(send, n, MPI_INT, got, n, MPI_INT, MPI_COMM_WORLD, &request);
        end(&request, i + 3);
        MPI_Alltoall(send, n, MPI_INT, expected, n, MPI_INT, MPI_COMM_WORLD);
        CHECK(same(got, expected, all));
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        end(&request, i);
        free(send), free(got), free(expected);
    }
}

PROMISE(blocks_of_several_sizes_come_where_they_belong) {
    enum { ROOM = 9000 };
    int sizes_of[16], places[16], out_sizes[16], out_places[16], in_sizes[16], in_places[16], bytes_out[16],
        bytes_in[16];
    MPI_Datatype types[16];
    const int all = ROOM * ranks, root = ranks - 1;
    for (int r = 0; r < ranks; r++) {
        sizes_of[r] = (r * 2500 + 1) % ROOM;
        places[r] = (ranks - 1 - r) * ROOM; /* the last one comes first */
        out_sizes[r] = (rank * 1700 + r * 800) % ROOM;
        in_sizes[r] = (r * 1700 + rank * 800) % ROOM;
        out_places[r] = r * ROOM;
        in_places[r] = (ranks - 1 - r) * ROOM + 3;
        bytes_out[r] = out_places[r] * (int)sizeof(int);
        bytes_in[r] = (ranks - 1 - r) * ROOM * (int)sizeof(int);
        types[r] = MPI_INT;
    }
    MPI_Request request;
    int *send = made(all, 5), *got = filled(all + 3, -1), *expected = filled(all + 3, -1);
    MPI_Igatherv(send, sizes_of[rank], MPI_INT, got, sizes_of, places, MPI_INT, root, MPI_COMM_WORLD, &request);
    end(&request, 0);
    MPI_Gatherv(send, sizes_of[rank], MPI_INT, expected, sizes_of, places, MPI_INT, root, MPI_COMM_WORLD);
    CHECK(same(got, expected, all));
    MPI_Iscatterv(send, sizes_of, places, MPI_INT, got, sizes_of[rank], MPI_INT, root, MPI_COMM_WORLD, &request);
    end(&request, 1);
    MPI_Scatterv(send, sizes_of, places, MPI_INT, expected, sizes_of[rank], MPI_INT, root, MPI_COMM_WORLD);
    CHECK(same(got, expected, all));
    MPI_Iallgatherv(send, sizes_of[rank], MPI_INT, got, sizes_of, places, MPI_INT, MPI_COMM_WORLD, &request);
    end(&request, 2);
    MPI_Allgatherv(send, sizes_of[rank], MPI_INT, expected, sizes_of, places, MPI_INT, MPI_COMM_WORLD);
    CHECK(same(got, expected, all));
    MPI_Ialltoallv(send, out_sizes, out_places, MPI_INT, got, in_sizes, in_places, MPI_INT, MPI_COMM_WORLD, &request);
    end(&request, 3);
    MPI_Alltoallv(send, out_sizes, out_places, MPI_INT, expected, in_sizes, in_places, MPI_INT, MPI_COMM_WORLD);
    CHECK(same(got, expected, all + 3));
    MPI_Ialltoallw(send, out_sizes, bytes_out, types, got, in_sizes, bytes_in, types, MPI_COMM_WORLD, &request);
    end(&request, 0);
    MPI_Alltoallw(send, out_sizes, bytes_out, types, expected, in_sizes, bytes_in, types, MPI_COMM_WORLD);
    CHECK(same(got, expected, all + 3));
    free(send), free(got), free(expected);
}

PROMISE(empty_blocks_need_no_address) {
    int none[16] = {0}, result = 7;
    MPI_Request requests[3];
    for (int root = 0; root < ranks; root++) {
        MPI_Igatherv(NULL, 0, MPI_INT, NULL, none, none, MPI_INT, root, MPI_COMM_WORLD, &requests[0]);
        MPI_Iscatterv(rank == root ? &result : NULL, none, none, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD,
                      &requests[1]);
        MPI_Igather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, MPI_COMM_WORLD, &requests[2]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    CHECK(result == 7);
}

PROMISE(reductions_add_up_every_contribution) {
    for (int i = 0; i < 5; i++) {
        const int n = counts[i], root = i % ranks;
        int sizes_of[16];
        MPI_Request request;
        int *send = made(n * ranks, i), *got = filled(n * ranks, -1), *expected = filled(n * ranks, -1);
        MPI_Ireduce(send, got, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request);
        end(&request, i);
        MPI_Reduce(send, expected, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        CHECK(same(got, expected, n));
        MPI_Iallreduce(send, got, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
        end(&request, i + 1);
        MPI_Allreduce(send, expected, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(same(got, expected, n));
        MPI_Iscan(send, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        end(&request, i + 2);
        MPI_Scan(send, expected, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(same(got, expected, n));
        MPI_Iexscan(send, got, n, MPI_INT, MPI_BXOR, MPI_COMM_WORLD, &request);
        end(&request, i + 3);
        MPI_Exscan(send, expected, n, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
        CHECK(rank == 0 || same(got, expected, n));
        for (int r = 0; r < ranks; r++) sizes_of[r] = r % 2 ? n : n / 2;
        MPI_Ireduce_scatter(send, got, sizes_of, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        end(&request, i);
        MPI_Reduce_scatter(send, expected, sizes_of, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(same(got, expected, sizes_of[rank]));
        MPI_Ireduce_scatter_block(send, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        end(&request, i + 1);
        MPI_Reduce_scatter_block(send, expected, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(same(got, expected, n));
        free(send), free(got), free(expected);
    }
}

PROMISE(a_contribution_may_lie_where_the_result_goes) {
    enum { N = 6000 };
    int sizes_of[16], places[16];
    for (int r = 0; r < ranks; r++) sizes_of[r] = N, places[r] = r * N;
    for (int what = 0; what < 10; what++) {
        MPI_Request request;
        int *got = made(N * ranks, what), *expected = made(N * ranks, what);
        const int root = 1;
        switch (what) {
        case 0:
            if (rank == root) {
                MPI_Igather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, N, MPI_INT, root, MPI_COMM_WORLD, &request);
                end(&request, what);
                MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, expected, N, MPI_INT, root, MPI_COMM_WORLD);
            } else {
                MPI_Igather(got, N, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD, &request);
                end(&request, what);
                MPI_Gather(expected, N, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
            }
            break;
        case 1:
            if (rank == root) {
                MPI_Iscatter(got, N, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD, &request);
                end(&request, what);
                MPI_Scatter(expected, N, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD);
            } else {
                MPI_Iscatter(NULL, 0, MPI_DATATYPE_NULL, got, N, MPI_INT, root, MPI_COMM_WORLD, &request);
                end(&request, what);
                MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, expected, N, MPI_INT, root, MPI_COMM_WORLD);
            }
            break;
        case 2:
            MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, N, MPI_INT, MPI_COMM_WORLD, &request);
            end(&request, what);
            MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, expected, N, MPI_INT, MPI_COMM_WORLD);
            break;
        case 3:
            MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, sizes_of, places, MPI_INT, MPI_COMM_WORLD,
                            &request);
            end(&request, what);
            MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, expected, sizes_of, places, MPI_INT, MPI_COMM_WORLD);
            break;
        case 4:
            MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, N, MPI_INT, MPI_COMM_WORLD, &request);
            end(&request, what);
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, expected, N, MPI_INT, MPI_COMM_WORLD);
            break;
        case 5:
            if (rank == root)
                MPI_Ireduce(MPI_IN_PLACE, got, N, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request);
            else
                MPI_Ireduce(got, NULL, N, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &request);
            end(&request, what);
            /* MPICH 4.0's MPI_Reduce copies from the address MPI_IN_PLACE. */
            MPI_Allreduce(MPI_IN_PLACE, expected, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            if (rank != root)
                for (int k = 0; k < N; k++) expected[k] = value(rank, k, what);
            break;
        case 6:
            MPI_Iallreduce(MPI_IN_PLACE, got, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
            end(&request, what);
            MPI_Allreduce(MPI_IN_PLACE, expected, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            break;
        case 7:
            MPI_Iscan(MPI_IN_PLACE, got, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
            end(&request, what);
            MPI_Scan(MPI_IN_PLACE, expected, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            break;
        case 8:
            MPI_Iexscan(MPI_IN_PLACE, got, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
            end(&request, what);
            MPI_Exscan(MPI_IN_PLACE, expected, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            if (rank == 0) memcpy(got, expected, N * sizeof(int));
            break;
        case 9:
            MPI_Ireduce_scatter(MPI_IN_PLACE, got, sizes_of, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
            end(&request, what);
            MPI_Reduce_scatter(MPI_IN_PLACE, expected, sizes_of, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            /* Open MPI uses what lies behind the result. */
            memcpy(got + N, expected + N, (size_t)(ranks - 1) * N * sizeof(int));
            break;
        }
        CHECK(same(got, expected, N * ranks));
        free(got), free(expected);
    }
}

/* Whom a rank receives from and sends to, in the order of its blocks. */
struct neighbors {
    int in, out, sources[16], destinations[16];
};

/* What the n-th message from a rank to another has: of several sizes. */
static int size_between(int from, int to, int n) {
    return (from * 1700 + to * 800 + n * 333 + 1) % 4000;
}

/* The sizes of a list's blocks, whose places are in reverse order. Nobody's would have some elements, too. */
static void sizes_of_blocks(int n, const int *list, int sends, int *sizes_of, int *places) {
    for (int k = 0; k < n; k++) {
        int before = 0;
        for (int i = 0; i < k; i++) before += list[i] == list[k];
        sizes_of[k] = list[k] == MPI_PROC_NULL ? 5
                      : sends                  ? size_between(rank, list[k], before)
                                               : size_between(list[k], rank, before);
        places[k] = (n - 1 - k) * 4000;
    }
}

/* All forms, as the blocking ones; what nobody sends stays as it was. */
static void exchange_blocks(MPI_Comm comm, const struct neighbors *near) {
    enum { ROOM = 4000, MOST = 16 };
    const int all_in = near->in * ROOM, all_out = near->out * ROOM;
    MPI_Datatype gaps = with_gap(), types[MOST];
    MPI_Request request;
    int in_sizes[MOST], in_places[MOST], out_sizes[MOST], out_places[MOST];
    MPI_Aint in_bytes[MOST], out_bytes[MOST];
    sizes_of_blocks(near->in, near->sources, 0, in_sizes, in_places);
    sizes_of_blocks(near->out, near->destinations, 1, out_sizes, out_places);
    for (int k = 0; k < MOST; k++) {
        types[k] = MPI_INT;
        if (k < near->in) in_bytes[k] = in_places[k] * (MPI_Aint)sizeof(int);
        if (k < near->out) out_bytes[k] = out_places[k] * (MPI_Aint)sizeof(int);
    }
    for (int what = 0; what < 12; what++) {
        const int n = (const int[]){0, 1, 600, ROOM}[what % 4];
        int *send = made(all_out + ROOM, what), *got = filled(all_in, -1), *expected = filled(all_in, -1);
        if (what < 4) {
            MPI_Ineighbor_alltoall(send, n, MPI_INT, got, n, MPI_INT, comm, &request);
            end(&request, what);
            MPI_Neighbor_alltoall(send, n, MPI_INT, expected, n, MPI_INT, comm);
        } else if (what < 8) {
            MPI_Ineighbor_allgather(send, n, MPI_INT, got, n, MPI_INT, comm, &request);
            end(&request, what);
            MPI_Neighbor_allgather(send, n, MPI_INT, expected, n, MPI_INT, comm);
        } else if (what == 8) { /* packed on one side, with gaps on the other */
            MPI_Ineighbor_alltoall(send, ROOM / 2, MPI_INT, got, ROOM / 4, gaps, comm, &request);
            end(&request, what);
            MPI_Neighbor_alltoall(send, ROOM / 2, MPI_INT, expected, ROOM / 4, gaps, comm);
        } else if (what == 9) {
            MPI_Ineighbor_alltoallv(send, out_sizes, out_places, MPI_INT, got, in_sizes, in_places, MPI_INT, comm,
                                    &request);
            end(&request, what);
            MPI_Neighbor_alltoallv(send, out_sizes, out_places, MPI_INT, expected, in_sizes, in_places, MPI_INT, comm);
        } else if (what == 10) {
            MPI_Ineighbor_alltoallw(send, out_sizes, out_bytes, types, got, in_sizes, in_bytes, types, comm, &request);
            end(&request, what);
            MPI_Neighbor_alltoallw(send, out_sizes, out_bytes, types, expected, in_sizes, in_bytes, types, comm);
        } else {
            int from_each[MOST];
            for (int k = 0; k < near->in; k++) from_each[k] = near->sources[k] < 0 ? 5 : 500 * (near->sources[k] + 1);
            MPI_Ineighbor_allgatherv(send, 500 * (rank + 1), MPI_INT, got, from_each, in_places, MPI_INT, comm,
                                     &request);
            end(&request, what);
            MPI_Neighbor_allgatherv(send, 500 * (rank + 1), MPI_INT, expected, from_each, in_places, MPI_INT, comm);
        }
        CHECK(same(got, expected, all_in));
        free(send), free(got), free(expected);
    }
    MPI_Type_free(&gaps);
}

PROMISE(neighbors_in_a_grid_exchange_blocks_and_its_borders_stay_as_they_were) {
    for (int what = 0; what < 3; what++) {
        int sizes_of[2] = {0, 0}, periods[2] = {what == 1, what == 1};
        const int dimensions = what == 2 ? 1 : 2;
        int twice = 0; /* who is before may also come next: which block is which then, libraries see differently */
        struct neighbors near = {0};
        MPI_Comm grid;
        MPI_Dims_create(ranks, dimensions, sizes_of);
        if (what == 2) periods[0] = 1; /* a ring */
        MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes_of, periods, 0, &grid);
        for (int k = 0; k < dimensions; k++) {
            int before, next;
            MPI_Cart_shift(grid, k, 1, &before, &next);
            near.sources[near.in++] = near.destinations[near.out++] = before;
            near.sources[near.in++] = near.destinations[near.out++] = next;
            twice = twice || (periods[k] && sizes_of[k] <= 2);
        }
        if (!twice) exchange_blocks(grid, &near);
        MPI_Comm_free(&grid);
    }
}

/* Several edges between two ranks, one way only, and from a rank to itself; the last of more than two has none. */
static int edges_between(int from, int to) {
    if (ranks > 2 && (from == ranks - 1 || to == ranks - 1)) return 0;
    return (2 * from + to + 1) % 3;
}

PROMISE(neighbors_in_a_graph_exchange_blocks_in_the_order_of_their_lists) {
    struct neighbors near = {0};
    MPI_Comm graph;
    for (int other = ranks - 1; other >= 0; other--)
        for (int k = 0; k < edges_between(other, rank); k++) near.sources[near.in++] = other;
    for (int k = 0; k < 2; k++)
        for (int other = 0; other < ranks; other++)
            if (k < edges_between(rank, other)) near.destinations[near.out++] = other;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, near.in, near.sources, MPI_UNWEIGHTED, near.out, near.destinations,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    exchange_blocks(graph, &near);
    MPI_Comm_free(&graph);
    /* A star with two edges to each of its rays. */
    int ends[16], edges[64], n = 0;
    near = (struct neighbors){0};
    for (int k = 0; k < 2 * (ranks - 1); k++) edges[n++] = 1 + k % (ranks - 1);
    ends[0] = n;
    for (int r = 1; r < ranks; r++) edges[n++] = 0, edges[n++] = 0, ends[r] = n;
    MPI_Graph_create(MPI_COMM_WORLD, ranks, ends, edges, 0, &graph);
    for (int k = rank ? ends[rank - 1] : 0; k < ends[rank]; k++)
        near.sources[near.in++] = near.destinations[near.out++] = edges[k];
    exchange_blocks(graph, &near);
    MPI_Comm_free(&graph);
}

/* Each pair of ranks has sizes of its own, and one that has no neighbor names nothing. Collectives of all ranks still find each other. */
PROMISE(ranks_that_are_no_neighbors_need_not_know_of_each_others_blocks) {
    enum { ROOM = 20000 };
    MPI_Comm graph;
    MPI_Request request;
    const int other = rank ^ 1, alone = other >= ranks, n = rank / 2 % 2 ? 3 : ROOM;
    int *send = made(ROOM, 3), *got = filled(ROOM, -1), one = rank == 0 ? 42 : 0, right = 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, !alone, &other, MPI_UNWEIGHTED, !alone, &other, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &graph);
    MPI_Ineighbor_alltoall(send, alone ? 0 : n, MPI_INT, got, alone ? 0 : n, MPI_INT, graph, &request);
    end(&request, 0);
    for (int k = 0; k < ROOM; k++) right = right && got[k] == (alone || k >= n ? -1 : value(other, k, 3));
    CHECK(right);
    MPI_Ibcast(&one, 1, MPI_INT, 0, graph, &request);
    end(&request, 1);
    CHECK(one == 42);
    MPI_Ibarrier(graph, &request);
    end(&request, 2);
    MPI_Comm_free(&graph);
    free(send), free(got);
}

/* The world's two halves, between which it is; our rank in ours, the remote one's ranks, and where they begin in the world. */
static MPI_Comm between_halves(int *own, int *remote, int *first) {
    const int low = (ranks + 1) / 2, is_low = rank < low;
    MPI_Comm half, both;
    MPI_Comm_split(MPI_COMM_WORLD, is_low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? low : 0, 7, &both);
    MPI_Comm_free(&half);
    MPI_Comm_rank(both, own);
    MPI_Comm_remote_size(both, remote);
    *first = is_low ? low : 0;
    return both;
}

/* How this rank calls a rank of the world as the root. */
static int as_root(int root, int remote, int first) {
    if (root >= first && root < first + remote) return root - first;
    return root == rank ? MPI_ROOT : MPI_PROC_NULL;
}

#define EITHER(now, later, ...)                    \
    do {                                           \
        MPI_Request request;                       \
        if (i % 2) {                               \
            now(__VA_ARGS__);                      \
        } else {                                   \
            later(__VA_ARGS__, &request);          \
            MPI_Wait(&request, MPI_STATUS_IGNORE); \
        }                                          \
    } while (0)

PROMISE(two_groups_give_each_other_blocks_of_one_size) {
    int own, remote, first;
    MPI_Comm both = between_halves(&own, &remote, &first);
    for (int i = 0; i < 10; i++) {
        const int root = (i + i / 2) % ranks, n = counts[i / 2], all = n * ranks, named = as_root(root, remote, first);
        int *send = made(all, i), *got = filled(all, -1);
        EITHER(MPI_Gather, MPI_Igather, send, n, MPI_INT, got, n, MPI_INT, named, both);
        for (int r = 0; r < remote; r++)
            CHECK(rank == root ? is_of(got + r * n, n, first + r, 0, i) : n == 0 || got[r * n] == -1);
        EITHER(MPI_Scatter, MPI_Iscatter, send, n, MPI_INT, got, n, MPI_INT, named, both);
        CHECK(named < 0 || is_of(got, n, root, own * n, i));
        EITHER(MPI_Allgather, MPI_Iallgather, send, n, MPI_INT, got, n, MPI_INT, both);
        for (int r = 0; r < remote; r++) CHECK(is_of(got + r * n, n, first + r, 0, i));
        EITHER(MPI_Alltoall, MPI_Ialltoall, send, n, MPI_INT, got, n, MPI_INT, both);
        for (int r = 0; r < remote; r++) CHECK(is_of(got + r * n, n, first + r, own * n, i));
        EITHER(MPI_Barrier, MPI_Ibarrier, both);
        free(send), free(got);
    }
    MPI_Comm_free(&both);
}

PROMISE(two_groups_give_each_other_blocks_of_several_sizes) {
    enum { ROOM = 9000 };
    int own, remote, first, sizes_of[16], places[16], bytes[16], out_sizes[16];
    MPI_Datatype types[16];
    MPI_Comm both = between_halves(&own, &remote, &first);
    const int all = ROOM * ranks, mine = (own * 2500 + 1) % ROOM;
    for (int r = 0; r < ranks; r++) {
        sizes_of[r] = (r * 2500 + 1) % ROOM; /* of a remote rank, whatever the other group */
        places[r] = (ranks - 1 - r) * ROOM;
        bytes[r] = places[r] * (int)sizeof(int);
        out_sizes[r] = mine;
        types[r] = MPI_INT;
    }
    for (int i = 0; i < 8; i++) {
        const int root = (i + i / 2) % ranks, named = as_root(root, remote, first);
        int *send = made(all, i), *got = filled(all, -1);
        EITHER(MPI_Gatherv, MPI_Igatherv, send, mine, MPI_INT, got, sizes_of, places, MPI_INT, named, both);
        for (int r = 0; rank == root && r < remote; r++) CHECK(is_of(got + places[r], sizes_of[r], first + r, 0, i));
        EITHER(MPI_Scatterv, MPI_Iscatterv, send, sizes_of, places, MPI_INT, got, mine, MPI_INT, named, both);
        CHECK(named < 0 || is_of(got, mine, root, places[own], i));
        EITHER(MPI_Allgatherv, MPI_Iallgatherv, send, mine, MPI_INT, got, sizes_of, places, MPI_INT, both);
        for (int r = 0; r < remote; r++) CHECK(is_of(got + places[r], sizes_of[r], first + r, 0, i));
        memset(got, 0, sizeof(int) * (size_t)all);
        EITHER(MPI_Alltoallv, MPI_Ialltoallv, send, out_sizes, places, MPI_INT, got, sizes_of, places, MPI_INT, both);
        for (int r = 0; r < remote; r++) CHECK(is_of(got + places[r], sizes_of[r], first + r, places[own], i));
        memset(got, 0, sizeof(int) * (size_t)all);
        EITHER(MPI_Alltoallw, MPI_Ialltoallw, send, out_sizes, bytes, types, got, sizes_of, bytes, types, both);
        for (int r = 0; r < remote; r++) CHECK(is_of(got + places[r], sizes_of[r], first + r, places[own], i));
        free(send), free(got);
    }
    MPI_Comm_free(&both);
}

/* x -> a x + b, one after the other: associative, and does not commute. Elements have a gap. */
struct affine {
    unsigned a, unused, b;
};

static void compose(void *source, void *target, int *count, MPI_Datatype *type) {
    const struct affine *from = source;
    struct affine *to = target;
    (void)type;
    for (int k = 0; k < *count; k++) {
        to[k].b = from[k].b + from[k].a * to[k].b;
        to[k].a = from[k].a * to[k].a;
    }
}

PROMISE(the_programs_own_operations_keep_the_order_of_the_ranks) {
    enum { N = 3000 };
    MPI_Datatype parts, type;
    MPI_Op op;
    MPI_Type_vector(2, 1, 2, MPI_UNSIGNED, &parts);
    MPI_Type_create_resized(parts, 0, sizeof(struct affine), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&parts);
    MPI_Op_create(compose, 0, &op);
    struct affine *send = malloc(N * sizeof *send), *got = malloc(N * sizeof *got), *expected = malloc(N * sizeof *got);
    for (int k = 0; k < N; k++) send[k] = (struct affine){2 * value(rank, k, 1) + 1, 17, value(rank, k, 2)};
    for (int what = 0; what < 4; what++) {
        MPI_Request request;
        memset(got, 0x55, N * sizeof *got);
        memset(expected, 0x55, N * sizeof *got);
        switch (what) {
        case 0:
            MPI_Ireduce(send, got, N, type, op, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Reduce(send, expected, N, type, op, 1, MPI_COMM_WORLD);
            break;
        case 1:
            MPI_Iallreduce(send, got, N, type, op, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Allreduce(send, expected, N, type, op, MPI_COMM_WORLD);
            break;
        case 2:
            MPI_Iscan(send, got, N, type, op, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Scan(send, expected, N, type, op, MPI_COMM_WORLD);
            break;
        case 3:
            MPI_Ireduce_scatter_block(send, got, N / 16, type, op, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Reduce_scatter_block(send, expected, N / 16, type, op, MPI_COMM_WORLD);
            break;
        }
        int right = 1;
        for (int k = 0; k < (what == 3 ? N / 16 : N); k++)
            right = right && got[k].a == expected[k].a && got[k].b == expected[k].b;
        CHECK(right);
    }
    free(send), free(got), free(expected);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* Each communicator's in their order; across communicators each rank in an order of its own. */
PROMISE(many_collectives_are_under_way_at_once_on_several_communicators) {
    enum { COMMS = 4, OPERATIONS = 24, N = 3000 };
    MPI_Comm comms[COMMS];
    MPI_Request requests[COMMS * OPERATIONS];
    int *buffers[COMMS * OPERATIONS], right = 1, n = 0;
    for (int c = 0; c < COMMS; c++) {
        if (c % 2)
            MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &comms[c]); /* the ranks the other way round */
        else
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[c]);
    }
    for (int k = 0; k < COMMS; k++) {
        const int c = (k + rank) % COMMS;
        for (int i = 0; i < OPERATIONS; i++) {
            const int at = c * OPERATIONS + i, root = i % ranks;
            int own;
            MPI_Comm_rank(comms[c], &own);
            buffers[at] = own == root ? filled(N, at) : filled(N, -1);
            MPI_Ibcast(buffers[at], N, MPI_INT, root, comms[c], &requests[at]);
            n++;
        }
    }
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    for (int at = 0; at < n; at++) {
        for (int k = 0; k < N; k++) right = right && buffers[at][k] == at;
        free(buffers[at]);
    }
    CHECK(right);
    for (int c = 0; c < COMMS; c++) MPI_Comm_free(&comms[c]);
}

PROMISE(what_a_collective_uses_may_be_freed_while_it_is_under_way) {
    enum { N = 20000 };
    MPI_Comm comm;
    MPI_Op op;
    MPI_Datatype type, pair;
    MPI_Request requests[3];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Op_create(compose, 0, &op);
    MPI_Type_contiguous(3, MPI_UNSIGNED, &type);
    MPI_Type_commit(&type);
    pair = with_gap();
    struct affine *send = malloc(N * sizeof *send), *got = malloc(N * sizeof *got);
    for (int k = 0; k < N; k++) send[k] = (struct affine){1, 0, (unsigned)(rank + k)};
    int *one = rank == 0 ? made(N, 6) : filled(N, -1), *gaps = rank == 0 ? made(3 * N, 7) : filled(3 * N, -1),
        right = 1;
    MPI_Ibcast(one, N, MPI_INT, 0, comm, &requests[0]);
    MPI_Iallreduce(send, got, N, type, op, comm, &requests[1]);
    MPI_Ibcast(gaps, N, pair, 0, comm, &requests[2]);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Type_free(&pair);
    MPI_Comm_free(&comm);
    CHECK(op == MPI_OP_NULL && type == MPI_DATATYPE_NULL && comm == MPI_COMM_NULL);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < N; k++) {
        right = right && one[k] == value(0, k, 6) && gaps[3 * k] == value(0, 3 * k, 7);
        right = right && got[k].b == (unsigned)(ranks * k + ranks * (ranks - 1) / 2);
    }
    CHECK(right);
    free(send), free(got), free(one), free(gaps);
}

static int copies;
static int copy_it(MPI_Comm comm, int key, void *extra, void *value_in, void *value_out, int *flag) {
    (void)comm, (void)key, (void)extra;
    *(void **)value_out = value_in;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

PROMISE(a_collective_calls_no_function_of_the_programs_that_copies_attributes) {
    MPI_Comm comm;
    MPI_Request request;
    int key, one = rank;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(copy_it, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(comm, key, &one);
    copies = 0;
    MPI_Ibcast(&one, 1, MPI_INT, 0, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(copies == 0 && one == 0);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_free(&comm);
}

/* All but the first begin to wait in another call; the last one comes to that when it has the message. */
PROMISE(a_rank_that_waits_in_another_call_passes_messages_on) {
    enum { N = 50000 };
    MPI_Win window;
    MPI_Comm comm;
    MPI_Request request;
    int exposed = 0, *buffer = NULL;
    MPI_Win_create(&exposed, sizeof exposed, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    for (int what = 0; what < 4; what++) {
        int right = 1;
        buffer = rank == 0 ? made(N, what) : filled(N, -1);
        MPI_Ibcast(buffer, N, MPI_INT, 0, MPI_COMM_WORLD, &request);
        if (rank == ranks - 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
        switch (what) {
        case 0:
            MPI_Barrier(MPI_COMM_WORLD);
            break;
        case 1:
            MPI_Win_fence(0, window);
            break;
        case 2:
            MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
            MPI_Comm_free(&comm);
            break;
        case 3:
            MPI_Allreduce(MPI_IN_PLACE, &exposed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            break;
        }
        if (rank != ranks - 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int k = 0; k < N; k++) right = right && buffer[k] == value(0, k, what);
        CHECK(right);
        free(buffer);
    }
    MPI_Win_free(&window);
}

PROMISE(the_first_collective_of_a_communicator_is_over_though_the_others_wait_in_another_call) {
    enum { N = 5000, MAKERS = 5 };
    MPI_Group group;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    for (int maker = 0; maker < MAKERS; maker++) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Request request;
        int *send = filled(N * ranks, -1), *all = filled(N * ranks, -1), no_period = 0, right = 1;
        for (int k = 0; k < N * ranks; k++) send[k] = value(rank, k, maker);
        if (maker == 0) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (maker == 1) MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
        if (maker == 2) MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
        if (maker == 3) MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &comm);
        if (maker == 4) MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &no_period, 0, &comm);
        // All others have begun it before rank 0 does, and are asked nothing more.
        for (int from = 1; rank == 0 && from < ranks; from++)
            MPI_Recv(NULL, 0, MPI_INT, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ialltoall(send, N, MPI_INT, all, N, MPI_INT, comm, &request);
        if (rank == 0)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        else
            MPI_Send(NULL, 0, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int from = 0; from < ranks; from++)
            for (int k = 0; k < N; k++) right = right && all[from * N + k] == value(from, rank * N + k, maker);
        CHECK(right);
        MPI_Comm_free(&comm);
        free(send);
        free(all);
    }
    MPI_Group_free(&group);
}

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
PROMISE(persistent_collectives_carry_new_data_at_each_start_in_any_order) {
    enum { N = 5000, OPERATIONS = 4 };
    MPI_Request requests[OPERATIONS];
    int *send = malloc(N * sizeof(int)), *bcast = malloc(N * sizeof(int)), *sum = malloc(N * sizeof(int)),
        *all = malloc(sizeof(int) * (size_t)N * (size_t)ranks), right = 1;
    MPI_Bcast_init(bcast, N, MPI_INT, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(send, sum, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Allgather_init(send, N, MPI_INT, all, N, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[3]);
    for (int turn = 0; turn < 5; turn++) {
        for (int k = 0; k < N; k++) {
            send[k] = value(rank, k, turn);
            bcast[k] = rank == 1 ? value(1, k, turn + 50) : -1;
        }
        if (turn % 2)
            MPI_Startall(OPERATIONS, requests);
        else
            for (int k = 0; k < OPERATIONS; k++) MPI_Start(&requests[(k + rank) % OPERATIONS]);
        MPI_Waitall(OPERATIONS, requests, MPI_STATUSES_IGNORE);
        for (int k = 0; k < N; k++) {
            int expected = 0;
            for (int r = 0; r < ranks; r++) {
                expected += value(r, k, turn);
                right = right && all[r * N + k] == value(r, k, turn);
            }
            right = right && sum[k] == expected && bcast[k] == value(1, k, turn + 50);
        }
    }
    CHECK(right);
    for (int k = 0; k < OPERATIONS; k++) {
        MPI_Request_free(&requests[k]);
        CHECK(requests[k] == MPI_REQUEST_NULL);
    }
    free(send), free(bcast), free(sum), free(all);
}
#endif

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
PROMISE(persistent_neighborhoods_carry_new_data_at_each_start) {
    enum { N = 5000 };
    MPI_Comm ring;
    MPI_Request requests[3];
    const int list[3] = {(rank + 1) % ranks, (rank + ranks - 1) % ranks, rank};
    int *send = malloc(3 * N * sizeof(int)), *each = malloc(3 * N * sizeof(int)), *all = malloc(3 * N * sizeof(int)),
        *parts = malloc(3 * N * sizeof(int)), *expected = malloc(3 * N * sizeof(int));
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, list, MPI_UNWEIGHTED, 3, list, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &ring);
    MPI_Neighbor_alltoall_init(send, N, MPI_INT, each, N, MPI_INT, ring, MPI_INFO_NULL, &requests[0]);
    MPI_Neighbor_allgather_init(send, N, MPI_INT, all, N, MPI_INT, ring, MPI_INFO_NULL, &requests[1]);
#if MPI_VERSION >= 4
    const MPI_Count each_n[3] = {N, N, N};
    const MPI_Aint places[3] = {0, N, 2 * N};
    MPI_Neighbor_alltoallv_init_c(send, each_n, places, MPI_INT, parts, each_n, places, MPI_INT, ring, MPI_INFO_NULL,
                                  &requests[2]);
#else
    const int each_n[3] = {N, N, N}, places[3] = {0, N, 2 * N};
    MPI_Neighbor_alltoallv_init(send, each_n, places, MPI_INT, parts, each_n, places, MPI_INT, ring, MPI_INFO_NULL,
                                &requests[2]);
#endif
    for (int turn = 0; turn < 4; turn++) {
        for (int k = 0; k < 3 * N; k++) {
            send[k] = value(rank, k, turn);
            each[k] = all[k] = parts[k] = expected[k] = -1;
        }
        for (int k = 0; k < 3; k++) MPI_Start(&requests[turn % 2 ? 2 - k : k]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        MPI_Neighbor_alltoall(send, N, MPI_INT, expected, N, MPI_INT, ring);
        CHECK(same(each, expected, 3 * N) && same(parts, expected, 3 * N));
        MPI_Neighbor_allgather(send, N, MPI_INT, expected, N, MPI_INT, ring);
        CHECK(same(all, expected, 3 * N));
    }
    for (int k = 0; k < 3; k++) MPI_Request_free(&requests[k]);
    MPI_Comm_free(&ring);
    free(send), free(each), free(all), free(parts), free(expected);
}

PROMISE(persistent_collectives_of_two_groups_carry_new_data_at_each_start) {
    enum { N = 5000 };
    int own, remote, first;
    MPI_Comm both = between_halves(&own, &remote, &first);
    MPI_Request requests[2];
    const int named = as_root(0, remote, first);
    int *send = filled(N * ranks, 0), *each = filled(N * ranks, 0), *gathered = filled(N * ranks, 0);
    MPI_Alltoall_init(send, N, MPI_INT, each, N, MPI_INT, both, MPI_INFO_NULL, &requests[0]);
    MPI_Gather_init(send, N, MPI_INT, gathered, N, MPI_INT, named, both, MPI_INFO_NULL, &requests[1]);
    for (int turn = 0; turn < 4; turn++) {
        for (int k = 0; k < N * ranks; k++) send[k] = value(rank, k, turn);
        for (int k = 0; k < 2; k++) MPI_Start(&requests[turn % 2 ? 1 - k : k]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int r = 0; r < remote; r++) {
            CHECK(is_of(each + r * N, N, first + r, own * N, turn));
            CHECK(rank != 0 || is_of(gathered + r * N, N, first + r, 0, turn));
        }
    }
    for (int k = 0; k < 2; k++) MPI_Request_free(&requests[k]);
    MPI_Comm_free(&both);
    free(send), free(each), free(gathered);
}
#endif

/* More than have tags. Ranks begin them at their own pace, and wait for the last one first. */
PROMISE(thousands_of_collectives_are_under_way_at_once) {
    enum { MANY = 2200, N = 30 };
    static MPI_Request requests[MANY];
    static int given[MANY][N], got[MANY][N];
    for (int k = 0; k < MANY; k++) {
        for (int i = 0; i < N; i++) given[k][i] = value(rank, i, k), got[k][i] = rank == 0 ? k + i : -1;
        if (k % 2)
            MPI_Ibcast(got[k], N, MPI_INT, 0, MPI_COMM_WORLD, &requests[k]);
        else
            MPI_Iallreduce(given[k], got[k], N, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[k]);
        if (k % 400 == 100 * rank) usleep(1000);
    }
    for (int k = MANY - 1; k >= 0; k--) {
        int right = 1;
        MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
        for (int i = 0; i < N; i++) {
            int expected = k + i;
            for (int r = 0; k % 2 == 0 && r < ranks; r++) expected += value(r, i, k) - (r == 0 ? k + i : 0);
            right = right && got[k][i] == expected;
        }
        CHECK(right);
    }
}

/* More than one of our own has tags for (MPICH). */
PROMISE(many_communicators_have_collectives_at_once) {
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
    enum { MANY = 20 }; /* it takes a tenth of a second for each over TCP */
#else
    enum { MANY = 600 };
#endif
    static MPI_Comm comms[MANY];
    static MPI_Request requests[MANY];
    static int all[MANY];
    for (int k = 0; k < MANY; k++) MPI_Comm_dup(MPI_COMM_WORLD, &comms[k]);
    /* At the first turn the ranks may have to learn from each other how messages travel. */
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < MANY; i++) {
            const int k = rank % 2 ? MANY - 1 - i : i;
            all[k] = rank == 0 ? value(0, k, turn) : -1;
            MPI_Ibcast(&all[k], 1, MPI_INT, 0, comms[k], &requests[k]);
        }
        MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
        for (int k = 0; k < MANY; k++) CHECK(all[k] == value(0, k, turn));
    }
    for (int k = 0; k < MANY; k++) MPI_Comm_free(&comms[k]);
}

enum { THREADS = 3 };
static MPI_Comm of_thread[THREADS];

static void *collectives_of_a_thread(void *number) {
    const int me = (int)(long)number, all = 4000 * ranks;
    int right = 1;
    for (int turn = 0; turn < 20; turn++) {
        MPI_Request requests[3];
        int *send = made(all, turn), *got = filled(all, -1), *sum = filled(4000, -1), *one = filled(4000, -1);
        if (rank == turn % ranks)
            for (int k = 0; k < 4000; k++) one[k] = value(me, k, turn);
        MPI_Ialltoall(send, 4000, MPI_INT, got, 4000, MPI_INT, of_thread[me], &requests[0]);
        MPI_Iallreduce(send, sum, 4000, MPI_INT, MPI_SUM, of_thread[me], &requests[1]);
        MPI_Ibcast(one, 4000, MPI_INT, turn % ranks, of_thread[me], &requests[2]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        for (int k = 0; k < 4000; k++) {
            int expected = 0;
            for (int r = 0; r < ranks; r++) {
                expected += value(r, k, turn);
                right = right && got[r * 4000 + k] == value(r, rank * 4000 + k, turn);
            }
            right = right && sum[k] == expected && one[k] == value(me, k, turn);
        }
        free(send), free(got), free(sum), free(one);
    }
    CHECK(right);
    return NULL;
}

PROMISE(threads_have_collectives_each_on_its_own_communicator) {
    pthread_t thread[THREADS];
    if (thread_level != MPI_THREAD_MULTIPLE) return;
    for (int i = 0; i < THREADS; i++) MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i]);
    for (long i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, collectives_of_a_thread, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++) MPI_Comm_free(&of_thread[i]);
}
