/* Collectives that do not block, of which each rank has another number under way: whether they are Stretto's changes between them, by what its ranks
 * measure. Results are those of MPI, and all ranks choose alike. Communicators come and go meanwhile. */
#include "check.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 480, ROOM = 48, N = 2000 }; /* of ints, a block */
enum { ALLTOALL, ALLGATHER, ALLREDUCE, KINDS };

/* One under way, and what it gives and gets. */
struct Call {
    MPI_Request request;
    int kind, number, *from, *to;
};

static int ranks;
static struct Call calls[ROOM];

static void begin(MPI_Comm comm, struct Call *call, int kind, int number) {
    const int n = kind == ALLTOALL ? N * ranks : N;
    call->kind = kind, call->number = number;
    for (int k = 0; k < n; k++) call->from[k] = rank * 1000 + number + k;
    memset(call->to, 0, sizeof(int) * (size_t)(N * ranks));
    if (kind == ALLTOALL)
        MPI_Ialltoall(call->from, N, MPI_INT, call->to, N, MPI_INT, comm, &call->request);
    else if (kind == ALLGATHER)
        MPI_Iallgather(call->from, N, MPI_INT, call->to, N, MPI_INT, comm, &call->request);
    else
        MPI_Iallreduce(call->from, call->to, N, MPI_INT, MPI_SUM, comm, &call->request);
}

static void end(struct Call *call) {
    MPI_Wait(&call->request, MPI_STATUS_IGNORE);
    int good = 1;
    for (int k = 0; k < N; k++) {
        if (call->kind == ALLREDUCE)
            good &= call->to[k] == ranks * (call->number + k) + 1000 * (ranks * (ranks - 1) / 2);
        else
            for (int peer = 0; peer < ranks; peer++)
                good &=
                    call->to[peer * N + k] == peer * 1000 + call->number + k + (call->kind == ALLTOALL ? rank * N : 0);
    }
    CHECK(good && "a collective's result", call->number);
}

/* At most so many under way on this rank. */
static void many(MPI_Comm comm, int window, int kind) {
    for (int number = 0; number < CALLS + window; number++) {
        if (number >= window) end(&calls[(number - window) % ROOM]);
        if (number % (rank + 2) == 0) usleep((useconds_t)(50 * (number % 5)));
        if (number < CALLS) begin(comm, &calls[number % ROOM], kind, number);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int k = 0; k < ROOM; k++) {
        calls[k].from = malloc(sizeof(int) * (size_t)(N * ranks));
        calls[k].to = malloc(sizeof(int) * (size_t)(N * ranks));
    }
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Comm other;
        MPI_Comm_dup(MPI_COMM_WORLD, &other);
        many(other, 1 + (rank + kind) % ranks * 20, kind); /* 1, 21, 41 */
        many(MPI_COMM_WORLD, 1, kind);
        /* freed while the ranks add up what they measured */
        MPI_Comm brief;
        MPI_Comm_dup(MPI_COMM_WORLD, &brief);
        for (int k = 0; k < 5; k++) begin(brief, &calls[k], kind, k), end(&calls[k]);
        MPI_Comm_free(&brief);
        MPI_Comm_free(&other);
    }
    /* and where the job ends */
    for (int k = 0; k < 5; k++) begin(MPI_COMM_WORLD, &calls[k], ALLTOALL, k), end(&calls[k]);
    if (rank == 0) printf("%d calls\n", KINDS * CALLS);
    for (int k = 0; k < ROOM; k++) free(calls[k].from), free(calls[k].to);
    MPI_Finalize();
    return 0;
}
