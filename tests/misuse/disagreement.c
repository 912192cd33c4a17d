/* Rank 2 asks for another collective than the others, by name. With STRETTO_DEBUG=1 Stretto ends the job and says what the ranks want, and
 * where: its call is marked ODD, that of the others EVEN. */
#include <stdio.h>
#include <stdlib.h>
#include <stretto/stretto.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 3, N = 20000 };
static int rank, odd;
static int sent[RANKS * N], got[RANKS * N], displs[] = {0, N, 2 * N};
static MPI_Request request = MPI_REQUEST_NULL;
static MPI_Comm comm;

static int *counts(int first, int second, int third) {
    static int all[4][RANKS], next;
    int *const made = all[next++ % 4];
    made[0] = first, made[1] = second, made[2] = third;
    return made;
}

static void own(void *in, void *inout, int *n, MPI_Datatype *type) {
    (void)in, (void)inout, (void)n, (void)type;
}

static void root(void) {
    if (odd)
        MPI_Ibcast(got, 10, MPI_INT, 1, comm, &request); /* ODD */
    else
        MPI_Ibcast(got, 10, MPI_INT, 0, comm, &request); /* EVEN */
}
static void root_of_a_large_one(void) {
    MPI_Ireduce(sent, got, N, MPI_INT, MPI_SUM, odd ? 1 : 0, comm, &request); /* ODD EVEN */
}
static void count(void) {
    MPI_Ibcast(got, odd ? 9 : 10, MPI_INT, 0, comm, &request); /* ODD EVEN */
}
static void count_of_a_large_one(void) {
    MPI_Ibcast(got, odd ? N - 1 : N, MPI_INT, 0, comm, &request); /* ODD EVEN */
}
/* One is Stretto's, the other the library's. */
static void count_on_both_sides_of_the_threshold(void) {
    MPI_Iallgather(sent, odd ? 10 : N, MPI_INT, got, odd ? 10 : N, MPI_INT, comm, &request); /* ODD EVEN */
}
static void count_of_a_sum_that_keeps_its_order(void) {
    MPI_Iallreduce(sent, got, odd ? 9 : 10, MPI_FLOAT, MPI_SUM, comm, &request); /* ODD EVEN */
}
static void operation(void) {
    MPI_Iallreduce(sent, got, N, MPI_INT, odd ? MPI_MAX : MPI_SUM, comm, &request); /* ODD EVEN */
}
static void operation_of_the_program(void) {
    MPI_Op op;
    MPI_Op_create(own, 1, &op);
    MPI_Iscan(sent, got, 10, MPI_INT, odd ? op : MPI_SUM, comm, &request); /* ODD EVEN */
}
static void root_of_a_blocking_one(void) {
    MPI_Bcast(got, 10, MPI_INT, odd ? 1 : 0, comm); /* ODD EVEN */
}
static void count_of_a_blocking_one(void) {
    MPI_Alltoall(sent, odd ? N - 1 : N, MPI_INT, got, odd ? N - 1 : N, MPI_INT, comm); /* ODD EVEN */
}
static void blocking_and_not(void) {
    if (odd)
        MPI_Barrier(comm); /* ODD */
    else
        MPI_Ibarrier(comm, &request); /* EVEN */
}
static void collective(void) {
    if (odd)
        MPI_Ibarrier(comm, &request); /* ODD */
    else
        MPI_Ibcast(got, N, MPI_INT, 0, comm, &request); /* EVEN */
}
static void order(void) {
    MPI_Request other;
    if (odd) MPI_Igather(sent, N, MPI_INT, got, N, MPI_INT, 0, comm, &other); /* ODD */
    MPI_Iscatter(sent, N, MPI_INT, got, N, MPI_INT, 0, comm, &request);       /* EVEN */
    if (!odd) MPI_Igather(sent, N, MPI_INT, got, N, MPI_INT, 0, comm, &other);
    MPI_Wait(&other, MPI_STATUS_IGNORE);
}
static void block_of_a_gather(void) {
    MPI_Igather(sent, odd ? N - 1 : N, MPI_INT, got, N, MPI_INT, 0, comm, &request); /* ODD EVEN */
}
static void block_of_a_gatherv(void) {
    MPI_Igatherv(sent, odd ? 13 : 4, MPI_INT, got, counts(4, 4, 12), displs, MPI_INT, 0, comm, &request); /* ODD EVEN */
}
static void block_of_a_scatterv(void) {
    int *const given = counts(4, 4, 12);
    MPI_Iscatterv(sent, given, displs, MPI_INT, got, odd ? 13 : 4, MPI_INT, 0, comm, &request); /* ODD EVEN */
}
static void block_of_an_allgatherv(void) {
    int *const expected = odd ? counts(4, 9, 4) : counts(4, 4, 4);
    MPI_Iallgatherv(sent, 4, MPI_INT, got, expected, displs, MPI_INT, comm, &request); /* ODD EVEN */
}
static void block_of_an_alltoall(void) {
    MPI_Ialltoall(sent, odd ? 5 : 4, MPI_INT, got, odd ? 5 : 4, MPI_INT, comm, &request); /* ODD EVEN */
}
static void block_of_an_alltoallv(void) {
    int *const out = odd ? counts(4, 9, 4) : counts(4, 4, 4), *const in = counts(4, 4, 4);
    MPI_Ialltoallv(sent, out, displs, MPI_INT, got, in, displs, MPI_INT, comm, &request); /* ODD EVEN */
}
static void block_of_an_alltoallw(void) {
    int *const in = odd ? counts(4, 9, 4) : counts(4, 4, 4), *const out = counts(4, 4, 4);
    MPI_Datatype types[] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Ialltoallw(sent, out, displs, types, got, in, displs, types, comm, &request); /* ODD EVEN */
}
static void block_of_a_reduce_scatter(void) {
    int *const all = odd ? counts(4, 9, 4) : counts(4, 8, 4);
    MPI_Ireduce_scatter(sent, got, all, MPI_INT, MPI_SUM, comm, &request); /* ODD EVEN */
}
static void delta_and_plain(void) {
    if (!odd)
        MPI_Ibcast(got, N, MPI_INT, 0, comm, &request); /* EVEN */
    else {
        MPIX_Delta_bcast_begin(got, N, MPI_INT, 0, comm, &request); /* ODD */
        MPIX_Delta_collective_end(&request);
    }
}
static void count_of_a_delta_collective(void) {
    MPIX_Delta_reduce_begin(sent, got, odd ? N - 1 : N, MPI_INT, MPI_SUM, 0, comm, &request); /* ODD EVEN */
    MPIX_Delta_collective_end(&request);
}
/* The library's own, at its end. */
static void count_of_a_short_delta_collective(void) {
    MPIX_Delta_bcast_begin(got, odd ? 9 : 10, MPI_INT, 0, comm, &request); /* ODD EVEN */
    MPIX_Delta_collective_end(&request);
}
static void collective_after_others(void) {
    MPI_Request others[3];
    MPI_Ibarrier(comm, &others[0]);
    MPI_Ibcast(sent, N, MPI_INT, 0, comm, &others[1]);
    MPI_Iallreduce(sent, got, 10, MPI_INT, MPI_SUM, comm, &others[2]);
    MPI_Waitall(3, others, MPI_STATUSES_IGNORE);
    root();
}
/* Here ranks have other names: those of the world, backwards. */
static void root_on_another_communicator(void) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    MPI_Ibcast(got, 10, MPI_INT, odd ? 1 : 0, comm, &request); /* ODD EVEN */
}
static void collective_between_groups(void) {
    MPI_Comm side, both;
    MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, odd ? 0 : 2, 0, &both);
    if (odd)
        MPI_Iallgather(sent, 10, MPI_INT, got, 10, MPI_INT, both, &request); /* ODD */
    else
        MPI_Ialltoall(sent, 10, MPI_INT, got, 10, MPI_INT, both, &request); /* EVEN */
}
/* Rank 2 comes late and never calls MPI again; the others wait in a call of the library's own. */
static void root_while_all_are_elsewhere(void) {
    MPI_Comm elsewhere, never;
    MPI_Comm_dup(comm, &elsewhere);
    if (odd) usleep(300000);
    root();
    if (odd) pause();
    MPI_Comm_dup(elsewhere, &never);
}
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
static void persistent_and_plain(void) {
    if (odd)
        MPI_Ibcast(got, N, MPI_INT, 0, comm, &request); /* ODD */
    else
        MPI_Bcast_init(got, N, MPI_INT, 0, comm, MPI_INFO_NULL, &request); /* EVEN */
}
static void count_of_a_persistent_one(void) {
    MPI_Bcast_init(got, odd ? 9 : 10, MPI_INT, 0, comm, MPI_INFO_NULL, &request); /* ODD EVEN */
    MPI_Start(&request);
}
#endif

static const struct {
    const char *name;
    void (*call)(void);
} disagreements[] = {
    {"root", root},
    {"root_of_a_large_one", root_of_a_large_one},
    {"count", count},
    {"count_of_a_large_one", count_of_a_large_one},
    {"count_on_both_sides_of_the_threshold", count_on_both_sides_of_the_threshold},
    {"count_of_a_sum_that_keeps_its_order", count_of_a_sum_that_keeps_its_order},
    {"operation", operation},
    {"operation_of_the_program", operation_of_the_program},
    {"root_of_a_blocking_one", root_of_a_blocking_one},
    {"count_of_a_blocking_one", count_of_a_blocking_one},
    {"blocking_and_not", blocking_and_not},
    {"collective", collective},
    {"order", order},
    {"block_of_a_gather", block_of_a_gather},
    {"block_of_a_gatherv", block_of_a_gatherv},
    {"block_of_a_scatterv", block_of_a_scatterv},
    {"block_of_an_allgatherv", block_of_an_allgatherv},
    {"block_of_an_alltoall", block_of_an_alltoall},
    {"block_of_an_alltoallv", block_of_an_alltoallv},
    {"block_of_an_alltoallw", block_of_an_alltoallw},
    {"block_of_a_reduce_scatter", block_of_a_reduce_scatter},
    {"delta_and_plain", delta_and_plain},
    {"count_of_a_delta_collective", count_of_a_delta_collective},
    {"count_of_a_short_delta_collective", count_of_a_short_delta_collective},
    {"collective_after_others", collective_after_others},
    {"root_on_another_communicator", root_on_another_communicator},
    {"collective_between_groups", collective_between_groups},
    {"root_while_all_are_elsewhere", root_while_all_are_elsewhere},
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
    {"persistent_and_plain", persistent_and_plain},
    {"count_of_a_persistent_one", count_of_a_persistent_one},
#endif
};

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    comm = MPI_COMM_WORLD;
    odd = rank == 2;
    for (size_t k = 0; k < sizeof disagreements / sizeof *disagreements; k++)
        if (argc > 1 && strcmp(argv[1], disagreements[k].name) == 0) disagreements[k].call();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (odd) puts("not noticed");
    MPI_Finalize();
    return 0;
}
