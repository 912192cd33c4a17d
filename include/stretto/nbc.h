/* LibNBC's names for non-blocking collectives (Hoefler, Lumsdaine, Rehm, SC07), for programs that were written for it: compiled with this
 * header, they call MPI's own, which Stretto carries out (docs/collectives.md). Linking needs nothing more; where a program's command says
 * -lnbc, or the program is Fortran's, there is a libnbc.a.
 *
 * NBC_Wait and NBC_Test are those of every version of LibNBC: NBC_Wait(&handle), NBC_Wait(&handle, status); NBC_Test(&handle), which is NBC_OK
 * or NBC_CONTINUE, and NBC_Test(&handle, &flag, status). Errors are raised by MPI on the communicator; what returns is NBC_OK, or an error of
 * MPI's. Not here: NBC_Icomm_split, NBC_Ineighbor_alltoallw, NBC_Operation, and the profiling interface. */
#ifndef STRETTO_NBC_H
#define STRETTO_NBC_H

#include <mpi.h>
#include <stdio.h> /* these two are in LibNBC's, and its programs count on them */
#include <stdlib.h>

#define NBC_OK 0
#define NBC_SUCCESS 0
#define NBC_OOR 1
#define NBC_BAD_SCHED 2
#define NBC_CONTINUE 3 /* of NBC_Test: not complete yet */
#define NBC_DATATYPE_NOT_SUPPORTED 4
#define NBC_OP_NOT_SUPPORTED 5
#define NBC_NOT_IMPLEMENTED 6
#define NBC_INVALID_PARAM 7
#define NBC_INVALID_TOPOLOGY_COMM 8 /* of what asks for neighbours, where there are none */

typedef struct {
    MPI_Request requests[2]; /* the second one of NBC_Icart_shift_xchg only */
} NBC_Handle;
typedef NBC_Handle NBC_Request;

static inline int NBC_Init(void) {
    return NBC_OK;
}
static inline int NBC_Finalize(void) {
    return NBC_OK;
}

/* What an operation begins with. */
static inline MPI_Request *nbc_request(NBC_Handle *handle) {
    handle->requests[1] = MPI_REQUEST_NULL;
    return &handle->requests[0];
}

static inline int NBC_Ibarrier(MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Ibarrier(comm, nbc_request(handle));
}
static inline int NBC_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Ibcast(buffer, count, type, root, comm, nbc_request(handle));
}
#define NBC_Ibcast_inter NBC_Ibcast
static inline int NBC_Igather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                              MPI_Datatype recvtype, int root, MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, nbc_request(handle));
}
static inline int NBC_Igatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                               const int *recvcounts, const int *displs, MPI_Datatype recvtype, int root, MPI_Comm comm,
                               NBC_Handle *handle) {
    return MPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm,
                        nbc_request(handle));
}
static inline int NBC_Iscatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                               MPI_Datatype recvtype, int root, MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm, nbc_request(handle));
}
static inline int NBC_Iscatterv(const void *sendbuf, const int *sendcounts, const int *displs, MPI_Datatype sendtype,
                                void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                NBC_Handle *handle) {
    return MPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm,
                         nbc_request(handle));
}
static inline int NBC_Iallgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, nbc_request(handle));
}
static inline int NBC_Iallgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                  const int *recvcounts, const int *displs, MPI_Datatype recvtype, MPI_Comm comm,
                                  NBC_Handle *handle) {
    return MPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                           nbc_request(handle));
}
static inline int NBC_Ialltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                                MPI_Datatype recvtype, MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, nbc_request(handle));
}
static inline int NBC_Ialltoallv(const void *sendbuf, const int *sendcounts, const int *sdispls, MPI_Datatype sendtype,
                                 void *recvbuf, const int *recvcounts, const int *rdispls, MPI_Datatype recvtype,
                                 MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                          nbc_request(handle));
}
static inline int NBC_Ireduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
                              MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Ireduce(sendbuf, recvbuf, count, type, op, root, comm, nbc_request(handle));
}
static inline int NBC_Iallreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                                 MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Iallreduce(sendbuf, recvbuf, count, type, op, comm, nbc_request(handle));
}
static inline int NBC_Ireduce_scatter(const void *sendbuf, void *recvbuf, const int *recvcounts, MPI_Datatype type,
                                      MPI_Op op, MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, type, op, comm, nbc_request(handle));
}
static inline int NBC_Iscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                            NBC_Handle *handle) {
    return MPI_Iscan(sendbuf, recvbuf, count, type, op, comm, nbc_request(handle));
}

/* Along one dimension of a Cartesian communicator. */
static inline int NBC_Icart_shift_xchg(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                       int recvcount, MPI_Datatype recvtype, int direction, int displacement,
                                       MPI_Comm comm, NBC_Handle *handle) {
    enum { TAG = 0 };
    int source, destination, error = MPI_Cart_shift(comm, direction, displacement, &source, &destination);
    if (error == MPI_SUCCESS) error = MPI_Irecv(recvbuf, recvcount, recvtype, source, TAG, comm, nbc_request(handle));
    if (error == MPI_SUCCESS)
        error = MPI_Isend(sendbuf, sendcount, sendtype, destination, TAG, comm, &handle->requests[1]);
    return error;
}

/* With all neighbours of a Cartesian or graph communicator. */
static inline int NBC_Ineighbor_xchg(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                     int recvcount, MPI_Datatype recvtype, MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                  nbc_request(handle));
}
static inline int NBC_Ineighbor_xchgv(const void *sendbuf, const int *sendcounts, const int *sdispls,
                                      MPI_Datatype sendtype, void *recvbuf, const int *recvcounts, const int *rdispls,
                                      MPI_Datatype recvtype, MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm,
                                   nbc_request(handle));
}

static inline int NBC_Ineighbor_allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                          int recvcount, MPI_Datatype recvtype, MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                                   nbc_request(handle));
}
static inline int NBC_Ineighbor_allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                           const int *recvcounts, const int *displs, MPI_Datatype recvtype,
                                           MPI_Comm comm, NBC_Handle *handle) {
    return MPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm,
                                    nbc_request(handle));
}
#define NBC_Ineighbor_alltoall NBC_Ineighbor_xchg /* as later versions have it */
#define NBC_Ineighbor_alltoallv NBC_Ineighbor_xchgv

/* How many neighbours a rank has, and which: in the order of what comes from them, and goes to them. */
static inline int NBC_Comm_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted) {
    int topology, rank, dimensions, error = MPI_Topo_test(comm, &topology);
    if (error != MPI_SUCCESS) return error;
    if (topology == MPI_DIST_GRAPH) return MPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted);
    *weighted = 0;
    if (topology == MPI_GRAPH) {
        MPI_Comm_rank(comm, &rank);
        error = MPI_Graph_neighbors_count(comm, rank, indegree);
    } else if (topology == MPI_CART) {
        error = MPI_Cartdim_get(comm, &dimensions);
        *indegree = 2 * dimensions;
    } else
        return NBC_INVALID_TOPOLOGY_COMM;
    *outdegree = *indegree;
    return error;
}
static inline int NBC_Comm_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[],
                                     int maxoutdegree, int destinations[], int destweights[]) {
    int topology, rank, dimensions, k, before, after, error = MPI_Topo_test(comm, &topology);
    if (error != MPI_SUCCESS) return error;
    if (topology == MPI_DIST_GRAPH)
        return MPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, maxoutdegree, destinations,
                                        destweights);
    if (topology == MPI_GRAPH) {
        MPI_Comm_rank(comm, &rank);
        error = MPI_Graph_neighbors(comm, rank, maxindegree, sources);
        return error == MPI_SUCCESS ? MPI_Graph_neighbors(comm, rank, maxoutdegree, destinations) : error;
    }
    if (topology != MPI_CART) return NBC_INVALID_TOPOLOGY_COMM;
    error = MPI_Cartdim_get(comm, &dimensions);
    for (k = 0; error == MPI_SUCCESS && k < 2 * dimensions; k++) {
        error = MPI_Cart_shift(comm, k / 2, 1, &before, &after);
        if (k < maxindegree) sources[k] = k % 2 ? after : before;
        if (k < maxoutdegree) destinations[k] = k % 2 ? after : before;
    }
    return error;
}

static inline int nbc_wait(NBC_Handle *handle) {
    return MPI_Waitall(2, handle->requests, MPI_STATUSES_IGNORE);
}
static inline int nbc_test(NBC_Handle *handle) {
    int flag, error = MPI_Testall(2, handle->requests, &flag, MPI_STATUSES_IGNORE);
    return error != MPI_SUCCESS || flag ? error : NBC_CONTINUE;
}
static inline int nbc_test_flag(NBC_Handle *handle, int *flag) {
    return MPI_Testall(2, handle->requests, flag, MPI_STATUSES_IGNORE);
}

/* By the number of arguments; a status has nothing to say of a collective. */
#define NBC_Wait(...) NBC_WAIT(__VA_ARGS__, 0)
#define NBC_WAIT(handle, ...) nbc_wait(handle)
#define NBC_Testold(handle) nbc_test(handle)
#define NBC_Test(...) NBC_TEST(__VA_ARGS__, NBC_TEST_3, 0, NBC_TEST_1)(__VA_ARGS__)
#define NBC_TEST(a, b, c, which, ...) NBC_PICK(which)
#define NBC_PICK(which) which
#define NBC_TEST_1(handle) nbc_test(handle)
#define NBC_TEST_3(handle, flag, status) nbc_test_flag(handle, flag)

#endif
