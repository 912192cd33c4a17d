/* stretto/plain.h: the calls of stretto.h over MPI alone, for programs compiled with -DSTRETTO_PLAIN. Included by stretto.h.
 *
 * A delta send becomes an MPI_Isend at its end, so its message takes its place in MPI's order there and not at its begin; a delta
 * receive is an MPI_Recv. A delta collective is MPI's blocking one at its end. The annotations vanish. */
#ifndef STRETTO_PLAIN_H
#define STRETTO_PLAIN_H

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>

/* What begin and recv must remember for their end, which has a request or a buffer only. Weak: one list for all files of a program. */
struct stretto_plain_operation {
    struct stretto_plain_operation *next;
    MPI_Request request; /* of a send: inactive, so that it is unique and harmless until the end */
    const void *buf;
    MPI_Datatype type;
    int dest, tag;
    MPI_Comm comm;
    long long count;
    MPI_Status status; /* of a receive */
};
__attribute__((weak)) struct stretto_plain_operation *stretto_plain_sends, *stretto_plain_receives;
__attribute__((weak)) char stretto_plain_lock;

static inline void stretto_plain_enter(struct stretto_plain_operation **list, struct stretto_plain_operation *one) {
    while (__atomic_test_and_set(&stretto_plain_lock, __ATOMIC_ACQUIRE)) continue;
    one->next = *list;
    *list = one;
    __atomic_clear(&stretto_plain_lock, __ATOMIC_RELEASE);
}

/* Take out the operation with this request, or (without a request) the latest with this buffer. */
static inline struct stretto_plain_operation *stretto_plain_leave(struct stretto_plain_operation **list,
                                                                  const MPI_Request *request, const void *buf) {
    struct stretto_plain_operation *one;
    while (__atomic_test_and_set(&stretto_plain_lock, __ATOMIC_ACQUIRE)) continue;
    while (*list && (request ? (*list)->request != *request : (*list)->buf != buf)) list = &(*list)->next;
    one = *list;
    if (one) *list = one->next;
    __atomic_clear(&stretto_plain_lock, __ATOMIC_RELEASE);
    return one;
}

static inline int stretto_plain_begin(const void *buf, long long count, MPI_Datatype type, int dest, int tag,
                                      MPI_Comm comm, MPI_Request *request) {
    struct stretto_plain_operation *one = (struct stretto_plain_operation *)malloc(sizeof *one);
    int code = MPI_Send_init(buf, 0, type, dest, tag, comm, request);
    if (code != MPI_SUCCESS || !one) return free(one), code;
    MPI_Type_dup(type, &one->type); /* the program may free its own before the end, as after MPI_Isend */
    one->request = *request, one->buf = buf, one->dest = dest, one->tag = tag, one->comm = comm;
    one->count = count;
    stretto_plain_enter(&stretto_plain_sends, one);
    return MPI_SUCCESS;
}

/* count < 0: as many as begin said. */
static inline int stretto_plain_end(long long count, MPI_Request *request) {
    struct stretto_plain_operation *one = stretto_plain_leave(&stretto_plain_sends, request, NULL);
    int code;
    if (!one) return MPI_ERR_REQUEST;
    if (count < 0) count = one->count;
    MPI_Request_free(request);
#if MPI_VERSION >= 4
    code = MPI_Isend_c(one->buf, count, one->type, one->dest, one->tag, one->comm, request);
#else
    code = MPI_Isend(one->buf, (int)count, one->type, one->dest, one->tag, one->comm, request);
#endif
    MPI_Type_free(&one->type);
    free(one);
    return code;
}

static inline int stretto_plain_received(int code, const void *buf, const MPI_Status *status) {
    struct stretto_plain_operation *one;
    if (code != MPI_SUCCESS) return code;
    one = (struct stretto_plain_operation *)malloc(sizeof *one);
    if (!one) return MPI_ERR_NO_MEM;
    one->buf = buf, one->status = *status;
    stretto_plain_enter(&stretto_plain_receives, one);
    return code;
}

static inline int MPIX_Delta_send_begin(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                                        MPI_Request *request) {
    return stretto_plain_begin(buf, count, type, dest, tag, comm, request);
}
static inline int MPIX_Delta_send_end(MPI_Request *request) {
    return stretto_plain_end(-1, request);
}
static inline int MPIX_Delta_send_end_count(int count, MPI_Request *request) {
    return stretto_plain_end(count, request);
}
static inline int MPIX_Delta_wait(MPI_Request *request, MPI_Status *status) {
    return MPI_Wait(request, status);
}

static inline int MPIX_Delta_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                  MPI_Status *status) {
    MPI_Status own;
    int code = MPI_Recv(buf, count, type, source, tag, comm, &own);
    if (status != MPI_STATUS_IGNORE) *status = own;
    return stretto_plain_received(code, buf, &own);
}
static inline int MPIX_Delta_recv_end(const void *buf, MPI_Status *status) {
    struct stretto_plain_operation *one = stretto_plain_leave(&stretto_plain_receives, NULL, buf);
    if (!one) return MPI_ERR_BUFFER;
    if (status != MPI_STATUS_IGNORE) *status = one->status;
    free(one);
    return MPI_SUCCESS;
}

#if MPI_VERSION >= 4
static inline int MPIX_Delta_send_begin_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag,
                                          MPI_Comm comm, MPI_Request *request) {
    return stretto_plain_begin(buf, count, type, dest, tag, comm, request);
}
static inline int MPIX_Delta_send_end_count_c(MPI_Count count, MPI_Request *request) {
    return stretto_plain_end(count, request);
}
static inline int MPIX_Delta_recv_c(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                    MPI_Status *status) {
    MPI_Status own;
    int code = MPI_Recv_c(buf, count, type, source, tag, comm, &own);
    if (status != MPI_STATUS_IGNORE) *status = own;
    return stretto_plain_received(code, buf, &own);
}
#endif

/* A delta collective is MPI's own blocking one at its end. What begin must remember for it: */
struct stretto_plain_collective {
    struct stretto_plain_operation operation; /* its request, and its place in the list */
    int (*carry_out)(const struct stretto_plain_collective *);
    const void *sendbuf;
    void *recvbuf;
    int sendcount, recvcount, root;
    const int *sendcounts, *recvcounts, *sdispls, *rdispls;
    MPI_Datatype sendtype, recvtype;
    MPI_Op op;
    MPI_Comm comm;
};
__attribute__((weak)) struct stretto_plain_operation *stretto_plain_collectives;

static inline struct stretto_plain_collective *
stretto_plain_collective_begin(int (*carry_out)(const struct stretto_plain_collective *), MPI_Comm comm,
                               MPI_Request *request) {
    struct stretto_plain_collective *one = (struct stretto_plain_collective *)calloc(1, sizeof *one);
    if (!one) return NULL;
    if (MPI_Recv_init(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, request) != MPI_SUCCESS)
        return free(one), (struct stretto_plain_collective *)NULL;
    one->operation.request = *request, one->carry_out = carry_out, one->comm = comm;
    stretto_plain_enter(&stretto_plain_collectives, &one->operation);
    return one;
}

static inline int MPIX_Delta_collective_end(MPI_Request *request) {
    struct stretto_plain_collective *one =
        (struct stretto_plain_collective *)stretto_plain_leave(&stretto_plain_collectives, request, NULL);
    int code;
    if (!one) return MPI_ERR_REQUEST;
    MPI_Request_free(request);
    code = one->carry_out(one);
    free(one);
    return code;
}

static inline int stretto_plain_bcast(const struct stretto_plain_collective *c) {
    return MPI_Bcast(c->recvbuf, c->recvcount, c->recvtype, c->root, c->comm);
}
static inline int MPIX_Delta_bcast_begin(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                                         MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_bcast, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->recvbuf = buf;
    one->recvcount = count;
    one->recvtype = type;
    one->root = root;
    return MPI_SUCCESS;
}
static inline int stretto_plain_gather(const struct stretto_plain_collective *c) {
    return MPI_Gather(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount, c->recvtype, c->root, c->comm);
}
static inline int MPIX_Delta_gather_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                          int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                          MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_gather, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->sendcount = sendcount;
    one->sendtype = sendtype;
    one->recvbuf = recvbuf;
    one->recvcount = recvcount;
    one->recvtype = recvtype;
    one->root = root;
    return MPI_SUCCESS;
}
static inline int stretto_plain_gatherv(const struct stretto_plain_collective *c) {
    return MPI_Gatherv(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcounts, c->rdispls, c->recvtype,
                       c->root, c->comm);
}
static inline int MPIX_Delta_gatherv_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                           const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                                           MPI_Comm comm, MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_gatherv, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->sendcount = sendcount;
    one->sendtype = sendtype;
    one->recvbuf = recvbuf;
    one->recvcounts = recvcounts;
    one->rdispls = displs;
    one->recvtype = recvtype;
    one->root = root;
    return MPI_SUCCESS;
}
static inline int stretto_plain_scatter(const struct stretto_plain_collective *c) {
    return MPI_Scatter(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount, c->recvtype, c->root, c->comm);
}
static inline int MPIX_Delta_scatter_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                           int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                           MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_scatter, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->sendcount = sendcount;
    one->sendtype = sendtype;
    one->recvbuf = recvbuf;
    one->recvcount = recvcount;
    one->recvtype = recvtype;
    one->root = root;
    return MPI_SUCCESS;
}
static inline int stretto_plain_scatterv(const struct stretto_plain_collective *c) {
    return MPI_Scatterv(c->sendbuf, c->sendcounts, c->sdispls, c->sendtype, c->recvbuf, c->recvcount, c->recvtype,
                        c->root, c->comm);
}
static inline int MPIX_Delta_scatterv_begin(const void *sendbuf, const int sendcounts[], const int displs[],
                                            MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                            int root, MPI_Comm comm, MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_scatterv, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->sendcounts = sendcounts;
    one->sdispls = displs;
    one->sendtype = sendtype;
    one->recvbuf = recvbuf;
    one->recvcount = recvcount;
    one->recvtype = recvtype;
    one->root = root;
    return MPI_SUCCESS;
}
static inline int stretto_plain_allgather(const struct stretto_plain_collective *c) {
    return MPI_Allgather(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount, c->recvtype, c->comm);
}
static inline int MPIX_Delta_allgather_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                             int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                             MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_allgather, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->sendcount = sendcount;
    one->sendtype = sendtype;
    one->recvbuf = recvbuf;
    one->recvcount = recvcount;
    one->recvtype = recvtype;
    return MPI_SUCCESS;
}
static inline int stretto_plain_allgatherv(const struct stretto_plain_collective *c) {
    return MPI_Allgatherv(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcounts, c->rdispls, c->recvtype,
                          c->comm);
}
static inline int MPIX_Delta_allgatherv_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                              const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                              MPI_Comm comm, MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_allgatherv, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->sendcount = sendcount;
    one->sendtype = sendtype;
    one->recvbuf = recvbuf;
    one->recvcounts = recvcounts;
    one->rdispls = displs;
    one->recvtype = recvtype;
    return MPI_SUCCESS;
}
static inline int stretto_plain_alltoall(const struct stretto_plain_collective *c) {
    return MPI_Alltoall(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount, c->recvtype, c->comm);
}
static inline int MPIX_Delta_alltoall_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                            int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_alltoall, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->sendcount = sendcount;
    one->sendtype = sendtype;
    one->recvbuf = recvbuf;
    one->recvcount = recvcount;
    one->recvtype = recvtype;
    return MPI_SUCCESS;
}
static inline int stretto_plain_alltoallv(const struct stretto_plain_collective *c) {
    return MPI_Alltoallv(c->sendbuf, c->sendcounts, c->sdispls, c->sendtype, c->recvbuf, c->recvcounts, c->rdispls,
                         c->recvtype, c->comm);
}
static inline int MPIX_Delta_alltoallv_begin(const void *sendbuf, const int sendcounts[], const int sdispls[],
                                             MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                                             const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                             MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_alltoallv, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->sendcounts = sendcounts;
    one->sdispls = sdispls;
    one->sendtype = sendtype;
    one->recvbuf = recvbuf;
    one->recvcounts = recvcounts;
    one->rdispls = rdispls;
    one->recvtype = recvtype;
    return MPI_SUCCESS;
}
static inline int stretto_plain_reduce(const struct stretto_plain_collective *c) {
    return MPI_Reduce(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->root, c->comm);
}
static inline int MPIX_Delta_reduce_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                                          int root, MPI_Comm comm, MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_reduce, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->recvbuf = recvbuf;
    one->recvcount = count;
    one->recvtype = type;
    one->op = op;
    one->root = root;
    return MPI_SUCCESS;
}
static inline int stretto_plain_allreduce(const struct stretto_plain_collective *c) {
    return MPI_Allreduce(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->comm);
}
static inline int MPIX_Delta_allreduce_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                             MPI_Op op, MPI_Comm comm, MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_allreduce, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->recvbuf = recvbuf;
    one->recvcount = count;
    one->recvtype = type;
    one->op = op;
    return MPI_SUCCESS;
}
static inline int stretto_plain_reduce_scatter(const struct stretto_plain_collective *c) {
    return MPI_Reduce_scatter(c->sendbuf, c->recvbuf, c->recvcounts, c->recvtype, c->op, c->comm);
}
static inline int MPIX_Delta_reduce_scatter_begin(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                                  MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_reduce_scatter, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->recvbuf = recvbuf;
    one->recvcounts = recvcounts;
    one->recvtype = type;
    one->op = op;
    return MPI_SUCCESS;
}
static inline int stretto_plain_reduce_scatter_block(const struct stretto_plain_collective *c) {
    return MPI_Reduce_scatter_block(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->comm);
}
static inline int MPIX_Delta_reduce_scatter_block_begin(const void *sendbuf, void *recvbuf, int recvcount,
                                                        MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                                        MPI_Request *request) {
    struct stretto_plain_collective *one =
        stretto_plain_collective_begin(stretto_plain_reduce_scatter_block, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->recvbuf = recvbuf;
    one->recvcount = recvcount;
    one->recvtype = type;
    one->op = op;
    return MPI_SUCCESS;
}
static inline int stretto_plain_scan(const struct stretto_plain_collective *c) {
    return MPI_Scan(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->comm);
}
static inline int MPIX_Delta_scan_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                                        MPI_Comm comm, MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_scan, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->recvbuf = recvbuf;
    one->recvcount = count;
    one->recvtype = type;
    one->op = op;
    return MPI_SUCCESS;
}
static inline int stretto_plain_exscan(const struct stretto_plain_collective *c) {
    return MPI_Exscan(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->comm);
}
static inline int MPIX_Delta_exscan_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                                          MPI_Comm comm, MPI_Request *request) {
    struct stretto_plain_collective *one = stretto_plain_collective_begin(stretto_plain_exscan, comm, request);
    if (!one) return MPI_ERR_NO_MEM;
    one->sendbuf = sendbuf;
    one->recvbuf = recvbuf;
    one->recvcount = count;
    one->recvtype = type;
    one->op = op;
    return MPI_SUCCESS;
}

static inline void MPIX_Delta_send_data(const void *address, size_t bytes) {
    (void)address, (void)bytes;
}
static inline void MPIX_Delta_wait_data(const void *address, size_t bytes) {
    (void)address, (void)bytes;
}

#endif
