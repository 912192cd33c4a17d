/* abi.h: what a compiler calls (runtime/front/compiled.cpp). For compilers; people use stretto.h.
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

/* --- a receive: begin where MPI_Recv stood, end after the last byte was read -------------------------------------------------
 *
 * The status is written by the begin or by the end: the program may look at it after the end. Receives may be open inside
 * each other. */
stretto_handle stretto_recv_begin(struct stretto_call *call, void *buf, int count, MPI_Datatype type, int source,
                                  int tag, MPI_Comm comm, MPI_Status *status);

/* Wait for bytes [low, high) of the message; for all below `high`; for all from `low` on. */
void stretto_need(stretto_handle handle, void *buf, int64_t low, int64_t high);
void stretto_need_below(stretto_handle handle, void *buf, int64_t high);
void stretto_need_above(stretto_handle handle, void *buf, int64_t low);

/* What MPI_Recv returns. Both ends take the same status. */
int stretto_recv_end(stretto_handle handle, MPI_Status *status);

/* How many bytes of the message are worth a call of ready or need: so long are a loop's strips. INT64_MAX: no call is. */
int64_t stretto_strip(stretto_handle handle);

/* --- what could not be proved --------------------------------------------------------------------------------------------------
 *
 * Where `ok` is 0, or bytes [low, high) of memory meet the message, nothing of a send leaves before its end, and all of a
 * receive is waited for here. */
void stretto_hold_unless(stretto_handle handle, void *buf, int32_t ok);
void stretto_hold_if_overlap(stretto_handle handle, void *buf, const void *low, const void *high);

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
stretto_handle stretto_recv_begin_f(struct stretto_call *call, void *buf, const MPI_Fint *count, const MPI_Fint *type,
                                    const MPI_Fint *source, const MPI_Fint *tag, const MPI_Fint *comm,
                                    MPI_Fint *status);
void stretto_recv_end_f(stretto_handle handle, MPI_Fint *status, MPI_Fint *ierr);
#endif

#ifdef __cplusplus
}
#endif

#endif
