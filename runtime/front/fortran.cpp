// The delta calls as Fortran makes them: everything by reference, handles as integers, a status as integers, the error code last. The
// module stretto and stretto/strettof.h declare them. Names are as gfortran, flang and ifx form them.
#include "front/delta.h"
#include "front/entry.h"
#include "trace/report.h"

#include <stretto/stretto.h>

#include <dlfcn.h>

#include <cstring>

#ifndef MPI_ABI_VERSION // the standard ABI's C library knows nothing of Fortran: its handles are a Fortran library's own

namespace {

using namespace stretto;
using mpi::library;

#define SITE __builtin_return_address(0)

// Functions in Open MPI, casts in MPICH.
#ifdef MPI_Comm_f2c
MPI_Comm comm_of(MPI_Fint handle) {
    return MPI_Comm_f2c(handle);
}
MPI_Datatype type_of(MPI_Fint handle) {
    return MPI_Type_f2c(handle);
}
MPI_Request request_of(MPI_Fint handle) {
    return MPI_Request_f2c(handle);
}
MPI_Fint handle_of(MPI_Request request) {
    return MPI_Request_c2f(request);
}
#else
MPI_Comm comm_of(MPI_Fint handle) {
    return library.Comm_f2c(handle);
}
MPI_Datatype type_of(MPI_Fint handle) {
    return library.Type_f2c(handle);
}
MPI_Request request_of(MPI_Fint handle) {
    return library.Request_f2c(handle);
}
MPI_Fint handle_of(MPI_Request request) {
    return library.Request_c2f(request);
}
#endif

const void *address_named(const char *symbol) {
    const void *address = dlsym(RTLD_DEFAULT, symbol);
    return address ? address : &library; // which no Fortran program passes
}

// MPI_STATUS_IGNORE and MPI_BOTTOM of Fortran are variables, known by their addresses (MPI 4.1, 19.3.4 and 19.3.9).
bool is_status_ignore(const MPI_Fint *status) {
#ifdef OPEN_MPI
    static const void *const ignored = address_named("mpi_fortran_status_ignore_");
    return status == ignored || status == MPI_F_STATUS_IGNORE;
#else
    return status == MPI_F_STATUS_IGNORE || static_cast<const void *>(status) == MPI_F08_STATUS_IGNORE;
#endif
}

const void *buffer(const void *choice) {
#ifdef OPEN_MPI
    static const void *const bottom = address_named("mpi_fortran_bottom_");
    return choice == bottom ? MPI_BOTTOM : choice;
#else
    static const void *const bottom_f08 = address_named("MPIR_F08_MPI_BOTTOM");
    static const void *const *const bottom = static_cast<const void *const *>(address_named("MPIR_F_MPI_BOTTOM"));
    return choice == bottom_f08 || choice == *bottom ? MPI_BOTTOM : choice;
#endif
}

// The error code is optional in mpi_f08.
void give(MPI_Fint *ierror, int code) {
    if (ierror) *ierror = code;
}

void give(MPI_Fint *to, const MPI_Status &status) {
    if (!is_status_ignore(to)) library.Status_c2f(&status, to);
}

} // namespace

extern "C" {

STRETTO_PUBLIC void mpix_delta_send_begin_(const void *buf, const MPI_Fint *count, const MPI_Fint *type,
                                           const MPI_Fint *dest, const MPI_Fint *tag, const MPI_Fint *comm,
                                           MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    const front::Inside inside;
    const report::Call call(front::depth == 1, "MPIX_Delta_send_begin", SITE);
    MPI_Request begun;
    const int code = front::send_begin(buffer(buf), *count, type_of(*type), *dest, *tag, comm_of(*comm), &begun, SITE);
    if (code == MPI_SUCCESS) *request = handle_of(begun);
    give(ierror, code);
}

STRETTO_PUBLIC void mpix_delta_send_end_(MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    const front::Inside inside;
    const report::Call call(front::depth == 1, "MPIX_Delta_send_end", SITE);
    MPI_Request ended = request_of(*request);
    const int code = front::send_end(-1, &ended, SITE, "MPIX_Delta_send_end");
    if (code == MPI_SUCCESS) *request = handle_of(ended);
    give(ierror, code);
}

STRETTO_PUBLIC void mpix_delta_send_end_count_(const MPI_Fint *count, MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    const front::Inside inside;
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
    const report::Call call(front::depth == 1, "MPIX_Delta_wait", SITE);
    MPI_Request waited = request_of(*request);
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

// A handle of mpi_f08 is a type with one integer in it, and its status has the layout of the integers: the same functions, under
// names of their own since Fortran wants one interface per name.
#define FOR_MPI_F08(name) __attribute__((alias(#name "_"), visibility("default")))
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
