/* abi.h: what a compiler calls (runtime/front/compiled/messages.cpp). For compilers; people use stretto.h.
 *
 *     MPI_Send(a, n, MPI_DOUBLE, 1, 0, comm);        =>      h = stretto_send_begin(&call, a, n, MPI_DOUBLE, 1, 0, comm);
 *                                                            for (strips) { fill a strip; stretto_ready_below(h, a, filled); }
 *                                                            stretto_send_end(h, &call, a, n, MPI_DOUBLE, 1, 0, comm);
 *
 *     MPI_Recv(a, n, MPI_DOUBLE, 0, 0, comm, &s);    =>      h = stretto_recv_begin(&call, a, n, MPI_DOUBLE, 0, 0, comm, &s);
 *                                                            for (strips) { stretto_need_below(h, a, read); read a strip; }
 *                                                            stretto_recv_end(h, &s);
 *
 * A program compiled so has the results of the plain one, errors and statuses too, whatever its peers are. What a begin says travels
 * with its operation: other operations of the process may be annotated by hand, guarded by pages, or plain.
 *
 * A handle is an integer, so that nothing points from it to the message. 0 is the plain operation: a send's end makes the
 * whole MPI call, a receive's begin has made it. A compiler may pass 0 for a send that was not begun. All offsets are bytes
 * from buf; what lies outside the message is left out. */
#ifndef STRETTO_ABI_H
#define STRETTO_ABI_H

#include <mpi.h>
#include <stdint.h>

#define STRETTO_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t stretto_handle;
typedef struct stretto_call stretto_call;

/* One for each MPI call in the source, static and writable. Reports name it, and what is learnt belongs to it. */
struct stretto_call {
    uint32_t version;      /* STRETTO_ABI_VERSION */
    uint32_t flags;        /* STRETTO_CALL_* */
    uint32_t line, column; /* 0: not known */
    const char *file;      /* as the compiler was given it; NULL: not known */
    const char *function;  /* as the linker knows it */
    const void *known;     /* the runtime's; NULL at first */
};

/* Keep what left, compare at the end, and end the job where it was written again (-fstretto-check). */
#define STRETTO_CALL_CHECKED 1u

/* --- a send: begin where its buffer is first written, end where MPI_Send or MPI_Isend stood ---------------------------------
 *
 * The message takes its place in MPI's order at its begin. Nothing that communicates may stand between begin and end but
 * other begins, and the ends of receives; sends end in the order of their begins. What MPI would refuse is not begun: the end
 * raises the error. */
stretto_handle stretto_send_begin(struct stretto_call *call, const void *buf, int count, MPI_Datatype type, int dest,
                                  int tag, MPI_Comm comm);

/* Bytes [low, high) of the message are final. Any thread may say so, each byte once. */
void stretto_ready(stretto_handle handle, const void *buf, int64_t low, int64_t high);
/* All bytes below `high` are, or all from `low` on: said again and again by one thread, as a loop goes on. */
void stretto_ready_below(stretto_handle handle, const void *buf, int64_t high);
void stretto_ready_above(stretto_handle handle, const void *buf, int64_t low);

/* As MPI_Send, and as MPI_Isend, whose request is one like any other. The arguments are those of the begin. */
int stretto_send_end(stretto_handle handle, struct stretto_call *call, const void *buf, int count, MPI_Datatype type,
                     int dest, int tag, MPI_Comm comm);
int stretto_isend_end(stretto_handle handle, struct stretto_call *call, const void *buf, int count, MPI_Datatype type,
                      int dest, int tag, MPI_Comm comm, MPI_Request *request);

/* Of MPI_Send_init: begin where the buffer is first written, end in front of MPI_Start (count 1) or MPI_Startall, which stands where it
 * stood. Of the requests that will be started there it begins the send out of buf that has not begun, unless a send before it would be
 * passed. Between begin and end nobody touches the requests. */
stretto_handle stretto_start_begin(struct stretto_call *call, const void *buf, int count, const MPI_Request requests[]);
void stretto_start_end(stretto_handle handle);

/* --- a receive: begin where MPI_Recv stood, end after the last byte was read -------------------------------------------------
 *
 * The status is written by the begin or by the end: the program may look at it after the end. What MPI_Recv returns is known
 * after the begin. Receives may be open inside each other. */
stretto_handle stretto_recv_begin(struct stretto_call *call, void *buf, int count, MPI_Datatype type, int source,
                                  int tag, MPI_Comm comm, MPI_Status *status);

/* Wait for bytes [low, high) of the message; for all below `high`; for all from `low` on. */
void stretto_need(stretto_handle handle, void *buf, int64_t low, int64_t high);
void stretto_need_below(stretto_handle handle, void *buf, int64_t high);
void stretto_need_above(stretto_handle handle, void *buf, int64_t low);

/* What MPI_Recv returns. */
int stretto_recv_error(stretto_handle handle);

/* Begin and end take the same status. Returns what stretto_recv_error() does. */
int stretto_recv_end(stretto_handle handle, MPI_Status *status);

/* Of MPI_Irecv: begin in front of MPI_Wait (count 1) or MPI_Waitall, which stands where it stood, and end as above, with the
 * status or the array of statuses. The begin waits for the message into buf alone, and takes its request out of the array.
 * It leaves a request that is not there, failed or has come as a whole to the call behind it, and is 0. */
stretto_handle stretto_wait_begin(struct stretto_call *call, const void *buf, int count, MPI_Request requests[]);

/* --- a collective: begin where its contribution is first written, open where MPI_X stood, close after the result was read --------
 *
 *     MPI_Alltoall(a, n, t, b, n, t, comm);   =>   h = stretto_alltoall_begin(&call, a, n, t, b, n, t, comm);
 *                                                  for (strips) { fill a strip of a; stretto_ready_below(h, a, filled); }
 *                                                  h = stretto_alltoall_open(h, &call, a, n, t, b, n, t, comm);
 *                                                  for (strips) { stretto_need_below(h, b, read); read a strip of b; }
 *                                                  stretto_collective_close(h);
 *
 * Either side may be left out: 0 is opened where nothing was begun, and closed at once where nothing reads by strips. Begin and open
 * have the arguments of MPI_X. All of the contribution is final where it is opened; offsets are from the contribution's buffer before,
 * and from the result's afterwards. Between begin and open nothing reads or writes the result, and nothing communicates; until close
 * nothing writes the contribution or the result, which is passed on. What may do so is held (below).
 *
 * Who else takes part need not know: a begin asks what the blocking MPI_X of this rank would ask, once, and all ranks decide alike
 * by what all of them know (docs/collectives.md). So whether the collective is Stretto's never depends on who begins it, and its messages
 * are the same. What one rank alone knows only says how this rank feeds it: of a rank without a contribution, in place, of derived
 * types and in other cases begin answers 0, and open makes the call.
 *
 * Begin and open may wait for the other ranks, as MPI_X may. No send is open meanwhile. */
#define STRETTO_COLLECTIVE(name, ...)                                              \
    stretto_handle stretto_##name##_begin(struct stretto_call *call, __VA_ARGS__); \
    stretto_handle stretto_##name##_open(stretto_handle handle, struct stretto_call *call, __VA_ARGS__);

STRETTO_COLLECTIVE(bcast, void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
STRETTO_COLLECTIVE(gather, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm)
STRETTO_COLLECTIVE(gatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
STRETTO_COLLECTIVE(scatter, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm)
STRETTO_COLLECTIVE(scatterv, const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
                   void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
STRETTO_COLLECTIVE(allgather, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm)
STRETTO_COLLECTIVE(allgatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                   const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)
STRETTO_COLLECTIVE(alltoall, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
                   MPI_Datatype recvtype, MPI_Comm comm)
STRETTO_COLLECTIVE(alltoallv, const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
                   void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
STRETTO_COLLECTIVE(reduce, const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root,
                   MPI_Comm comm)
STRETTO_COLLECTIVE(allreduce, const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm)
STRETTO_COLLECTIVE(reduce_scatter, const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm)
STRETTO_COLLECTIVE(reduce_scatter_block, const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm)

/* Blocks alike: bytes [low + k * stride, high + k * stride), of `count` blocks k, are final, or needed. */
void stretto_ready_blocks(stretto_handle handle, const void *buf, int64_t low, int64_t high, int64_t stride,
                          int64_t count);
void stretto_need_blocks(stretto_handle handle, void *buf, int64_t low, int64_t high, int64_t stride, int64_t count);

/* What MPI_X returns. */
int stretto_collective_close(stretto_handle handle);

/* How many bytes of the message are worth a call of ready or need: so long are a loop's strips. INT64_MAX: no call is. */
int64_t stretto_strip(stretto_handle handle);

/* Of MPI_Sendrecv: it is taken apart into MPI_Irecv, MPI_Send and MPI_Wait. As MPI_Irecv, but where it fails the request is null. */
int stretto_irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request);

/* --- MDMP's directives (mdmp.h): an exchange whose sections are ranges, taken apart --------------------------------------------
 *
 *     stretto_range_recv(&d, a, n, 8, 0, t, NULL);   =>   stretto_range_irecv(a, n, 8, 0, t, &d, &requests[0]);
 *     stretto_range_send(&e, b, n, 8, 1, t, NULL);        stretto_range_isend(b, n, 8, 1, t, &e, &requests[1]);
 *     stretto_exchange(&e, 2);                            stretto_range_waitall(2, requests, NULL);
 *
 * Receives start before sends. What starts with no wait between is one exchange. Each of these is then what MPI_Isend, MPI_Irecv and
 * MPI_Waitall are above, in the innermost region, with a directive in place of the communicator: a send begins by stretto_range_begin();
 * a receive is used by strips from stretto_range_wait_begin() on, in front of the wait. What is short, or has no partner, begins as 0. They
 * return MPI_SUCCESS, or not at all. */
struct stretto_directive;
int stretto_range_isend(const void *first, int elements, int element_bytes, int partner, int tag,
                        struct stretto_directive *directive, int64_t *request);
int stretto_range_irecv(void *first, int elements, int element_bytes, int partner, int tag,
                        struct stretto_directive *directive, int64_t *request);
int stretto_range_waitall(int count, int64_t requests[], void *null);
stretto_handle stretto_range_begin(struct stretto_call *call, const void *first, int elements, int element_bytes,
                                   int partner, int tag, struct stretto_directive *directive);
int stretto_range_isend_end(stretto_handle handle, struct stretto_call *call, const void *first, int elements,
                            int element_bytes, int partner, int tag, struct stretto_directive *directive,
                            int64_t *request);
stretto_handle stretto_range_wait_begin(struct stretto_call *call, const void *first, int count, int64_t requests[]);
int stretto_range_recv_end(stretto_handle handle, void *null);

/* --- what could not be proved --------------------------------------------------------------------------------------------------
 *
 * Where `ok` is 0, or bytes [low, high) of memory meet the message, nothing of a send leaves before its end, and all of a
 * receive is waited for here. Of a collective that was begun nothing leaves before it is opened; one that is open is over here. */
void stretto_hold_unless(stretto_handle handle, void *buf, int32_t ok);
void stretto_hold_if_overlap(stretto_handle handle, void *buf, const void *low, const void *high);
/* The same of a collective's other side: its result before it is open, its contribution afterwards. */
void stretto_hold_if_other_overlaps(stretto_handle handle, void *buf, const void *low, const void *high);

/* --- Fortran (mpif.h, `use mpi`) -----------------------------------------------------------------------------------------------
 *
 * A send's begin takes values, which a compiler reads before the loop; the others take what mpi_send_ and the like were
 * given. Not of the standard ABI, whose C library knows nothing of Fortran. */
#ifndef MPI_ABI_VERSION
stretto_handle stretto_send_begin_f(struct stretto_call *call, const void *buf, MPI_Fint count, MPI_Fint type,
                                    MPI_Fint dest, MPI_Fint tag, MPI_Fint comm);
void stretto_send_end_f(stretto_handle handle, struct stretto_call *call, const void *buf, const MPI_Fint *count,
                        const MPI_Fint *type, const MPI_Fint *dest, const MPI_Fint *tag, const MPI_Fint *comm,
                        MPI_Fint *ierr);
void stretto_isend_end_f(stretto_handle handle, struct stretto_call *call, const void *buf, const MPI_Fint *count,
                         const MPI_Fint *type, const MPI_Fint *dest, const MPI_Fint *tag, const MPI_Fint *comm,
                         MPI_Fint *request, MPI_Fint *ierr);
stretto_handle stretto_start_begin_f(struct stretto_call *call, const void *buf, MPI_Fint count,
                                     const MPI_Fint *requests);
stretto_handle stretto_recv_begin_f(struct stretto_call *call, void *buf, const MPI_Fint *count, const MPI_Fint *type,
                                    const MPI_Fint *source, const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *status,
                                    MPI_Fint *ierr);
stretto_handle stretto_wait_begin_f(struct stretto_call *call, const void *buf, MPI_Fint count, MPI_Fint *requests);
void stretto_recv_end_f(stretto_handle handle, MPI_Fint *status);
void stretto_irecv_f(void *buf, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *source,
                     const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierr);

/* Of collectives all take values, but for buffers and arrays of counts. */
#define STRETTO_COLLECTIVE_F(name, ...)                                              \
    stretto_handle stretto_##name##_begin_f(struct stretto_call *call, __VA_ARGS__); \
    stretto_handle stretto_##name##_open_f(stretto_handle handle, struct stretto_call *call, __VA_ARGS__);

STRETTO_COLLECTIVE_F(bcast, void *buf, MPI_Fint count, MPI_Fint type, MPI_Fint root, MPI_Fint comm)
STRETTO_COLLECTIVE_F(gather, const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf,
                     MPI_Fint recvcount, MPI_Fint recvtype, MPI_Fint root, MPI_Fint comm)
STRETTO_COLLECTIVE_F(gatherv, const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf,
                     const MPI_Fint recvcounts[], const MPI_Fint displs[], MPI_Fint recvtype, MPI_Fint root,
                     MPI_Fint comm)
STRETTO_COLLECTIVE_F(scatter, const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf,
                     MPI_Fint recvcount, MPI_Fint recvtype, MPI_Fint root, MPI_Fint comm)
STRETTO_COLLECTIVE_F(scatterv, const void *sendbuf, const MPI_Fint sendcounts[], const MPI_Fint displs[],
                     MPI_Fint sendtype, void *recvbuf, MPI_Fint recvcount, MPI_Fint recvtype, MPI_Fint root,
                     MPI_Fint comm)
STRETTO_COLLECTIVE_F(allgather, const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf,
                     MPI_Fint recvcount, MPI_Fint recvtype, MPI_Fint comm)
STRETTO_COLLECTIVE_F(allgatherv, const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf,
                     const MPI_Fint recvcounts[], const MPI_Fint displs[], MPI_Fint recvtype, MPI_Fint comm)
STRETTO_COLLECTIVE_F(alltoall, const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf,
                     MPI_Fint recvcount, MPI_Fint recvtype, MPI_Fint comm)
STRETTO_COLLECTIVE_F(alltoallv, const void *sendbuf, const MPI_Fint sendcounts[], const MPI_Fint sdispls[],
                     MPI_Fint sendtype, void *recvbuf, const MPI_Fint recvcounts[], const MPI_Fint rdispls[],
                     MPI_Fint recvtype, MPI_Fint comm)
STRETTO_COLLECTIVE_F(reduce, const void *sendbuf, void *recvbuf, MPI_Fint count, MPI_Fint type, MPI_Fint op,
                     MPI_Fint root, MPI_Fint comm)
STRETTO_COLLECTIVE_F(allreduce, const void *sendbuf, void *recvbuf, MPI_Fint count, MPI_Fint type, MPI_Fint op,
                     MPI_Fint comm)
STRETTO_COLLECTIVE_F(reduce_scatter, const void *sendbuf, void *recvbuf, const MPI_Fint recvcounts[], MPI_Fint type,
                     MPI_Fint op, MPI_Fint comm)
STRETTO_COLLECTIVE_F(reduce_scatter_block, const void *sendbuf, void *recvbuf, MPI_Fint recvcount, MPI_Fint type,
                     MPI_Fint op, MPI_Fint comm)
void stretto_collective_close_f(stretto_handle handle, MPI_Fint *ierr);
#endif

#ifdef __cplusplus
}
#endif

#endif
