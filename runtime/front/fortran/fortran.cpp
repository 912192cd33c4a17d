// The delta calls as Fortran makes them: everything by reference, handles as integers, a status as integers, the error code last. The
// module stretto and stretto/strettof.h declare them. Names are as gfortran, flang and ifx form them.
#include "front/fortran/fortran.h"
#include "front/calls/requests.h"
#include "front/delta/delta.h"
#include "front/entry.h"
#include "trace/report.h"

#include <stretto/stretto.h>

#ifndef MPI_ABI_VERSION // the standard ABI's C library knows nothing of Fortran: its handles are a Fortran library's own

namespace {

using namespace stretto;
#define SITE __builtin_return_address(0)

using namespace front::fortran;

} // namespace

extern "C" {

STRETTO_PUBLIC void mpix_delta_send_begin_(const void *buf, const MPI_Fint *count, const MPI_Fint *type,
                                           const MPI_Fint *dest, const MPI_Fint *tag, const MPI_Fint *comm,
                                           MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_send_begin", SITE);
    MPI_Request begun = MPI_REQUEST_NULL;
    const front::RequestsBegun joined(call, 1, &begun);
    const int code = front::send_begin(buffer(buf), *count, type_of(*type), *dest, *tag, comm_of(*comm), &begun, SITE);
    if (code == MPI_SUCCESS) *request = handle_of(begun);
    give(ierror, code);
}

STRETTO_PUBLIC void mpix_delta_send_end_(MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_send_end", SITE);
    MPI_Request ended = request_of(*request);
    const int code = front::send_end(-1, &ended, SITE, "MPIX_Delta_send_end");
    if (code == MPI_SUCCESS) *request = handle_of(ended);
    give(ierror, code);
}

STRETTO_PUBLIC void mpix_delta_send_end_count_(const MPI_Fint *count, MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_send_end_count", SITE);
    MPI_Request ended = request_of(*request);
    if (*count < 0) fail("MPIX_Delta_send_end_count", "a negative count", SITE);
    const int code = front::send_end(*count, &ended, SITE, "MPIX_Delta_send_end_count");
    if (code == MPI_SUCCESS) *request = handle_of(ended);
    give(ierror, code);
}

STRETTO_PUBLIC void mpix_delta_wait_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *ierror) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_wait", SITE);
    MPI_Request waited = request_of(*request);
    const front::RequestsAwaited awaited(call, 1, &waited);
    MPI_Status result;
    const int code = MPIX_Delta_wait(&waited, &result);
    *request = handle_of(waited);
    give(status, result);
    give(ierror, code);
}

STRETTO_PUBLIC void mpix_delta_recv_(void *buf, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *source,
                                     const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *status, MPI_Fint *ierror) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_recv", SITE);
    MPI_Status result;
    const int code = front::recv(const_cast<void *>(buffer(buf)), *count, type_of(*type), *source, *tag, comm_of(*comm),
                                 &result, SITE);
    if (code == MPI_SUCCESS) give(status, result);
    give(ierror, code);
}

STRETTO_PUBLIC void mpix_delta_recv_end_(const void *buf, MPI_Fint *status, MPI_Fint *ierror) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_recv_end", SITE);
    MPI_Status result;
    const int code = front::recv_end(buffer(buf), &result, SITE);
    if (code == MPI_SUCCESS) give(status, result);
    give(ierror, code);
}

// Calls in tail position, so that a report of misuse names the line of the Fortran program.
STRETTO_PUBLIC void mpix_delta_send_data_(const void *address, const MPI_Fint *bytes) {
    if (stretto_sends_open) stretto_send_data(address, static_cast<size_t>(*bytes));
}

STRETTO_PUBLIC void mpix_delta_wait_data_(const void *address, const MPI_Fint *bytes) {
    if (stretto_receives_open) stretto_wait_data(address, static_cast<size_t>(*bytes));
}

// The module's forms for bytes of kind MPI_ADDRESS_KIND.
STRETTO_PUBLIC void mpix_delta_send_data_long_(const void *address, const MPI_Aint *bytes) {
    if (stretto_sends_open) stretto_send_data(address, static_cast<size_t>(*bytes));
}

STRETTO_PUBLIC void mpix_delta_wait_data_long_(const void *address, const MPI_Aint *bytes) {
    if (stretto_receives_open) stretto_wait_data(address, static_cast<size_t>(*bytes));
}

FOR_MPI_F08(mpix_delta_send_begin)
void mpix_delta_send_begin_f08_(const void *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *,
                                const MPI_Fint *, MPI_Fint *, MPI_Fint *);
FOR_MPI_F08(mpix_delta_send_end) void mpix_delta_send_end_f08_(MPI_Fint *, MPI_Fint *);
FOR_MPI_F08(mpix_delta_send_end_count)
void mpix_delta_send_end_count_f08_(const MPI_Fint *, MPI_Fint *, MPI_Fint *);
FOR_MPI_F08(mpix_delta_wait) void mpix_delta_wait_f08_(MPI_Fint *, MPI_Fint *, MPI_Fint *);
FOR_MPI_F08(mpix_delta_recv)
void mpix_delta_recv_f08_(void *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *,
                          const MPI_Fint *, MPI_Fint *, MPI_Fint *);
FOR_MPI_F08(mpix_delta_recv_end) void mpix_delta_recv_end_f08_(const void *, MPI_Fint *, MPI_Fint *);
}

#endif
