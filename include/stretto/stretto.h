/* stretto.h: delta send and receive, and delta collectives (Bao, Ding, Gao, Archambault: Delta Send-Recv, CCGrid 2012, section II).
 *
 * A delta send leaves piece by piece while the program still computes the message; a delta receive returns
 * as soon as its message is matched, and the program waits only for the pieces that it is about to use.
 * Either side may be an ordinary MPI call: any receive takes a delta send, a delta receive takes any send.
 *
 *     MPIX_Delta_send_begin(a, n, MPI_DOUBLE, 1, 0, comm, &request);
 *     for (int i = 0; i < n; i += 512) {
 *         compute(a + i, 512);
 *         MPIX_Delta_send_data(a + i, 512 * sizeof *a);      // these bytes are final
 *     }
 *     MPIX_Delta_send_end(&request);                         // all are
 *     MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);          // the buffer may be used again
 *
 *     MPIX_Delta_recv(a, n, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
 *     for (int i = 0; i < n; i += 512) {
 *         MPIX_Delta_wait_data(a + i, 512 * sizeof *a);      // these bytes are needed now
 *         use(a + i, 512);
 *     }
 *     MPIX_Delta_recv_end(a, MPI_STATUS_IGNORE);             // everything has come
 *
 * Compile with -DSTRETTO_PLAIN and the same source needs no libstretto: begin does nothing, end sends (or is the blocking collective),
 * receives are MPI_Recv, and the annotations vanish.
 *
 * Without annotations the operating system's pages say the same, where they can (docs/pages.md).
 *
 * All functions but the two annotations return MPI_SUCCESS or raise an error on the communicator's error handler, as
 * MPI's own do. Misuse (bytes declared final twice, or outside every buffer; an end without its begin) ends the job with a message
 * that names the operation, the bytes and the call site.
 */
#ifndef STRETTO_H
#define STRETTO_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef STRETTO_PLAIN

/* Begin a delta send of count elements of type at buf, with the arguments of MPI_Isend. The message takes its place in
 * MPI's order here. *request is a request like any other: MPI_Wait, MPI_Waitall and MPI_Test* take it, after the end. */
int MPIX_Delta_send_begin(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                          MPI_Request *request);

/* The whole message is final; what has not left may leave now. Does not wait. */
int MPIX_Delta_send_end(MPI_Request *request);

/* The same for a message whose size was not known: it is the first count elements, count at most what begin named. */
int MPIX_Delta_send_end_count(int count, MPI_Request *request);

/* Wait until the buffer of an ended delta send may be used again: MPI_Wait under the name that the paper gives it. */
int MPIX_Delta_wait(MPI_Request *request, MPI_Status *status);

/* Receive a message with the arguments of MPI_Recv. Returns once the message is matched; its data is there after
 * MPIX_Delta_wait_data (that range) or MPIX_Delta_recv_end (all). In a program that never calls MPIX_Delta_wait_data it is there whenever
 * it is touched; the call returns later where pages cannot be guarded. Where the sender does not yet know the size, the
 * status counts the largest possible; MPIX_Delta_recv_end gives the true one. */
int MPIX_Delta_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status);

/* Wait until the message that MPIX_Delta_recv received into buf has arrived completely. Every delta receive has one end. */
int MPIX_Delta_recv_end(const void *buf, MPI_Status *status);

#if MPI_VERSION >= 4
int MPIX_Delta_send_begin_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                            MPI_Request *request);
int MPIX_Delta_send_end_count_c(MPI_Count count, MPI_Request *request);
int MPIX_Delta_recv_c(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                      MPI_Status *status);
#endif

#if MPI_VERSION < 4 && !(defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
/* Partitioned communication (MPI 4.1, chapter 4; docs/partitioned.md), which this MPI library lacks: libstretto provides it, on communicators of
 * one group all of whose ranks run Stretto. */
int MPI_Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Precv_init(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request);
int MPI_Pready(int partition, MPI_Request request);
int MPI_Pready_range(int partition_low, int partition_high, MPI_Request request);
int MPI_Pready_list(int length, const int array_of_partitions[], MPI_Request request);
int MPI_Parrived(MPI_Request request, int partition, int *flag);
#endif

/* Which partition of a partitioned receive has arrived? (MPI Forum, issue 537.) *flag is 0 where none has that was not told yet. Else *partition
 * is one that this call had not told since MPI_Start, or MPI_UNDEFINED: all were told, or the request is not active, or null. Looks, does not
 * wait. Ends the job where the request is the library's own (docs/partitioned.md). -DSTRETTO_PLAIN has no such call. */
int MPIX_Parrived_any(MPI_Request request, int *partition, int *flag);

/* Delta collectives: a rank's contribution leaves part by part while it is computed, and a result is used part by part while the rest comes
 * (Danalis, Kim, Pollock, Swany: Transformations, SC05, section 4). MPIX_Delta_<collective>_begin has the arguments of MPI_I<collective>.
 *
 *     MPIX_Delta_reduce_begin(a, sum, n, MPI_DOUBLE, MPI_SUM, 0, comm, &request);
 *     for (int i = 0; i < n; i += 512) {
 *         compute(a + i, 512);
 *         MPIX_Delta_send_data(a + i, 512 * sizeof *a);      // this part of the contribution is final
 *     }
 *     MPIX_Delta_collective_end(&request);                   // all of it is
 *     for (int i = 0; rank == 0 && i < n; i += 512) {
 *         MPIX_Delta_wait_data(sum + i, 512 * sizeof *sum);  // this part of the result is needed now
 *         use(sum + i, 512);
 *     }
 *     MPIX_Delta_wait(&request, MPI_STATUS_IGNORE);          // all has come, and buffers may be used again
 *
 * The result may be used after the end. Begins and ends come in the same order on all ranks, as collectives do; between them the
 * program may call anything. Arrays, types and operations stay until the end. A rank that only receives (a broadcast's) begins and ends at once. Blocks for
 * other ranks travel best if each rank computes those for the ranks after it first. Reductions add in the order of the ranks, or in another that is the same at each run, whatever
 * STRETTO_COLLECTIVES says. */
int MPIX_Delta_bcast_begin(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request);
int MPIX_Delta_gather_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                            MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request);
int MPIX_Delta_gatherv_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                             const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
                             MPI_Request *request);
int MPIX_Delta_scatter_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                             MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request);
int MPIX_Delta_scatterv_begin(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                              void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                              MPI_Request *request);
int MPIX_Delta_allgather_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                               MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPIX_Delta_allgatherv_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm,
                                MPI_Request *request);
int MPIX_Delta_alltoall_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                              MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request);
int MPIX_Delta_alltoallv_begin(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                               void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
                               MPI_Comm comm, MPI_Request *request);
int MPIX_Delta_reduce_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
                            MPI_Comm comm, MPI_Request *request);
int MPIX_Delta_allreduce_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                               MPI_Comm comm, MPI_Request *request);
int MPIX_Delta_reduce_scatter_begin(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type,
                                    MPI_Op op, MPI_Comm comm, MPI_Request *request);
int MPIX_Delta_reduce_scatter_block_begin(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type,
                                          MPI_Op op, MPI_Comm comm, MPI_Request *request);
int MPIX_Delta_scan_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request);
int MPIX_Delta_exscan_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                            MPI_Request *request);

/* All of the contribution is final. Returns when the program may run on: at once if it annotates what it needs, or pages can stop it
 * where it touches what has not come; else when everything is there. */
int MPIX_Delta_collective_end(MPI_Request *request);

/* How many delta sends are open, and how many delta receives have not ended: what the annotations look at first. */
#pragma GCC visibility push(default)
extern volatile int stretto_sends_open, stretto_receives_open;
#pragma GCC visibility pop
void stretto_send_data(const void *address, size_t bytes);
void stretto_wait_data(const void *address, size_t bytes);

/* The bytes at address are final: they belong to every open delta send whose buffer holds them, and may leave. In any order,
 * each byte once per send. With no delta send open: a load and a branch. */
static inline void MPIX_Delta_send_data(const void *address, size_t bytes) {
    if (stretto_sends_open) stretto_send_data(address, bytes);
}

/* The bytes at address are needed: returns when those of them that belong to a delta receive have arrived. In any order, as often as
 * one likes. With no delta receive under way: a load and a branch. */
static inline void MPIX_Delta_wait_data(const void *address, size_t bytes) {
    if (stretto_receives_open) stretto_wait_data(address, bytes);
}

#else /* STRETTO_PLAIN: see <stretto/plain.h> */
#include <stretto/plain.h>
#endif

#ifdef __cplusplus
}
#endif

#endif
