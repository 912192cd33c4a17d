// What a compiler of Fortran calls (include/stretto/abi.h): the same, with Fortran's arguments.
#include "front/fortran/fortran.h"
#include "front/compiled/compiled.h"
#include "front/entry.h"

#include <algorithm>
#include <vector>

#ifndef MPI_ABI_VERSION // the standard ABI's C library knows nothing of Fortran: its handles are a Fortran library's own

using namespace stretto;
using namespace stretto::front::fortran;

#define SITE __builtin_return_address(0)

extern "C" {

STRETTO_PUBLIC stretto_handle stretto_send_begin_f(stretto_call *call, const void *buf, MPI_Fint count, MPI_Fint type,
                                                   MPI_Fint dest, MPI_Fint tag, MPI_Fint comm) {
    mpi::require();
    return front::compiled_send_begin(call, buffer(buf), count, type_of(type), dest, tag, comm_of(comm), SITE);
}

STRETTO_PUBLIC void stretto_send_end_f(stretto_handle handle, stretto_call *, const void *buf, const MPI_Fint *count,
                                       const MPI_Fint *type, const MPI_Fint *dest, const MPI_Fint *tag,
                                       const MPI_Fint *comm, MPI_Fint *ierr) {
    mpi::require();
    give(ierr, handle ? front::compiled_send_end(handle, nullptr, SITE)
                      : MPI_Send(buffer(buf), *count, type_of(*type), *dest, *tag, comm_of(*comm)));
}

STRETTO_PUBLIC void stretto_isend_end_f(stretto_handle handle, stretto_call *, const void *buf, const MPI_Fint *count,
                                        const MPI_Fint *type, const MPI_Fint *dest, const MPI_Fint *tag,
                                        const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierr) {
    mpi::require();
    MPI_Request begun = MPI_REQUEST_NULL;
    const int code = handle ? front::compiled_send_end(handle, &begun, SITE)
                            : MPI_Isend(buffer(buf), *count, type_of(*type), *dest, *tag, comm_of(*comm), &begun);
    if (code == MPI_SUCCESS) *request = handle_of(begun);
    give(ierr, code);
}

STRETTO_PUBLIC stretto_handle stretto_start_begin_f(stretto_call *call, const void *buf, MPI_Fint count,
                                                    const MPI_Fint *requests) {
    mpi::require();
    std::vector<MPI_Request> all(static_cast<std::size_t>(std::max(count, 0)));
    std::transform(requests, requests + all.size(), all.begin(), request_of);
    return front::compiled_start_begin(call, buffer(buf), count, all.data(), SITE);
}

STRETTO_PUBLIC stretto_handle stretto_recv_begin_f(stretto_call *call, void *buf, const MPI_Fint *count,
                                                   const MPI_Fint *type, const MPI_Fint *source, const MPI_Fint *tag,
                                                   const MPI_Fint *comm, MPI_Fint *status, MPI_Fint *ierr) {
    mpi::require();
    MPI_Status result;
    const stretto_handle handle = front::compiled_recv_begin(
        call, const_cast<void *>(buffer(buf)), *count, type_of(*type), *source, *tag, comm_of(*comm), &result, SITE);
    if (!handle) give(status, result);
    give(ierr, front::compiled_recv_error(handle));
    return handle;
}

STRETTO_PUBLIC stretto_handle stretto_wait_begin_f(stretto_call *call, const void *buf, MPI_Fint count,
                                                   MPI_Fint *requests) {
    mpi::require();
    std::vector<MPI_Request> all(static_cast<std::size_t>(std::max(count, 0)));
    std::transform(requests, requests + all.size(), all.begin(), request_of);
    const stretto_handle handle = front::compiled_wait_begin(call, buffer(buf), count, all.data(), SITE);
    if (!handle) return 0;
    const std::size_t index = front::compiled_recv_index(handle);
    requests[index] = handle_of(all[index]);
    return handle;
}

STRETTO_PUBLIC void stretto_irecv_f(void *buf, const MPI_Fint *count, const MPI_Fint *type, const MPI_Fint *source,
                                    const MPI_Fint *tag, const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierr) {
    mpi::require();
    MPI_Request begun = MPI_REQUEST_NULL;
    const int code =
        MPI_Irecv(const_cast<void *>(buffer(buf)), *count, type_of(*type), *source, *tag, comm_of(*comm), &begun);
    *request = handle_of(begun);
    give(ierr, code);
}

STRETTO_PUBLIC void stretto_recv_end_f(stretto_handle handle, MPI_Fint *status) {
    if (!handle) return;
    const std::size_t index = front::compiled_recv_index(handle);
    MPI_Status result;
    const int code = front::compiled_recv_end(handle, &result, SITE);
    if (code == MPI_SUCCESS && !is_statuses_ignore(status)) give(status + index * status_size, result);
}
}

#endif
