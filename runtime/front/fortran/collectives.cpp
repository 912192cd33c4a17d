// The delta collectives as Fortran makes them (front/fortran/fortran.h). The module stretto and stretto/strettof.h declare them.
#include "front/calls/requests.h"
#include "front/delta/collective.h"
#include "front/entry.h"
#include "front/fortran/fortran.h"
#include "trace/report.h"

#include <stretto/stretto.h>

#ifndef MPI_ABI_VERSION

namespace {

using namespace stretto;
using namespace front::fortran;

template <class Ours, class Native, class... Arguments>
void begin(const char *call, CallSite site, MPI_Fint *request, MPI_Fint *ierror, Ours ours, Native native,
           const MPI_Fint *comm, Arguments... arguments) {
    const front::Inside inside;
    const front::Within within(true);
    const report::Call reported(front::depth == 1, call, site);
    MPI_Request begun = MPI_REQUEST_NULL;
    const front::RequestsBegun joined(reported, 1, &begun);
    const int code = front::delta_begin(call, site, &begun, ours, native, comm_of(*comm), arguments...);
    if (code == MPI_SUCCESS) *request = handle_of(begun);
    give(ierror, code);
}

void *result(void *choice) {
    return const_cast<void *>(buffer(choice));
}

} // namespace

#define SITE __builtin_return_address(0)

extern "C" {

STRETTO_PUBLIC void mpix_delta_bcast_begin_(void *buf, const MPI_Fint *count, const MPI_Fint *datatype,
                                            const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *request,
                                            MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_bcast_begin", SITE, request, ierror, front::Ibcast, mpi::library.Bcast, comm, result(buf), *count,
          type_of(*datatype), *root);
}
FOR_MPI_F08(mpix_delta_bcast_begin)
void mpix_delta_bcast_begin_f08_(void *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *,
                                 MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_gather_begin_(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                                             void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                                             const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *request,
                                             MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_gather_begin", SITE, request, ierror, front::Igather, mpi::library.Gather, comm, buffer(sendbuf),
          *sendcount, type_of(*sendtype), result(recvbuf), *recvcount, type_of(*recvtype), *root);
}
FOR_MPI_F08(mpix_delta_gather_begin)
void mpix_delta_gather_begin_f08_(const void *, const MPI_Fint *, const MPI_Fint *, void *, const MPI_Fint *,
                                  const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_gatherv_begin_(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                                              void *recvbuf, const MPI_Fint *recvcounts, const MPI_Fint *displs,
                                              const MPI_Fint *recvtype, const MPI_Fint *root, const MPI_Fint *comm,
                                              MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_gatherv_begin", SITE, request, ierror, front::Igatherv, mpi::library.Gatherv, comm,
          buffer(sendbuf), *sendcount, type_of(*sendtype), result(recvbuf), recvcounts, displs, type_of(*recvtype),
          *root);
}
FOR_MPI_F08(mpix_delta_gatherv_begin)
void mpix_delta_gatherv_begin_f08_(const void *, const MPI_Fint *, const MPI_Fint *, void *, const MPI_Fint *,
                                   const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, MPI_Fint *,
                                   MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_scatter_begin_(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                                              void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                                              const MPI_Fint *root, const MPI_Fint *comm, MPI_Fint *request,
                                              MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_scatter_begin", SITE, request, ierror, front::Iscatter, mpi::library.Scatter, comm,
          buffer(sendbuf), *sendcount, type_of(*sendtype), result(recvbuf), *recvcount, type_of(*recvtype), *root);
}
FOR_MPI_F08(mpix_delta_scatter_begin)
void mpix_delta_scatter_begin_f08_(const void *, const MPI_Fint *, const MPI_Fint *, void *, const MPI_Fint *,
                                   const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_scatterv_begin_(const void *sendbuf, const MPI_Fint *sendcounts, const MPI_Fint *displs,
                                               const MPI_Fint *sendtype, void *recvbuf, const MPI_Fint *recvcount,
                                               const MPI_Fint *recvtype, const MPI_Fint *root, const MPI_Fint *comm,
                                               MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_scatterv_begin", SITE, request, ierror, front::Iscatterv, mpi::library.Scatterv, comm,
          buffer(sendbuf), sendcounts, displs, type_of(*sendtype), result(recvbuf), *recvcount, type_of(*recvtype),
          *root);
}
FOR_MPI_F08(mpix_delta_scatterv_begin)
void mpix_delta_scatterv_begin_f08_(const void *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, void *,
                                    const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, MPI_Fint *,
                                    MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_allgather_begin_(const void *sendbuf, const MPI_Fint *sendcount,
                                                const MPI_Fint *sendtype, void *recvbuf, const MPI_Fint *recvcount,
                                                const MPI_Fint *recvtype, const MPI_Fint *comm, MPI_Fint *request,
                                                MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_allgather_begin", SITE, request, ierror, front::Iallgather, mpi::library.Allgather, comm,
          buffer(sendbuf), *sendcount, type_of(*sendtype), result(recvbuf), *recvcount, type_of(*recvtype));
}
FOR_MPI_F08(mpix_delta_allgather_begin)
void mpix_delta_allgather_begin_f08_(const void *, const MPI_Fint *, const MPI_Fint *, void *, const MPI_Fint *,
                                     const MPI_Fint *, const MPI_Fint *, MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_allgatherv_begin_(const void *sendbuf, const MPI_Fint *sendcount,
                                                 const MPI_Fint *sendtype, void *recvbuf, const MPI_Fint *recvcounts,
                                                 const MPI_Fint *displs, const MPI_Fint *recvtype, const MPI_Fint *comm,
                                                 MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_allgatherv_begin", SITE, request, ierror, front::Iallgatherv, mpi::library.Allgatherv, comm,
          buffer(sendbuf), *sendcount, type_of(*sendtype), result(recvbuf), recvcounts, displs, type_of(*recvtype));
}
FOR_MPI_F08(mpix_delta_allgatherv_begin)
void mpix_delta_allgatherv_begin_f08_(const void *, const MPI_Fint *, const MPI_Fint *, void *, const MPI_Fint *,
                                      const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_alltoall_begin_(const void *sendbuf, const MPI_Fint *sendcount, const MPI_Fint *sendtype,
                                               void *recvbuf, const MPI_Fint *recvcount, const MPI_Fint *recvtype,
                                               const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_alltoall_begin", SITE, request, ierror, front::Ialltoall, mpi::library.Alltoall, comm,
          buffer(sendbuf), *sendcount, type_of(*sendtype), result(recvbuf), *recvcount, type_of(*recvtype));
}
FOR_MPI_F08(mpix_delta_alltoall_begin)
void mpix_delta_alltoall_begin_f08_(const void *, const MPI_Fint *, const MPI_Fint *, void *, const MPI_Fint *,
                                    const MPI_Fint *, const MPI_Fint *, MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_alltoallv_begin_(const void *sendbuf, const MPI_Fint *sendcounts,
                                                const MPI_Fint *sdispls, const MPI_Fint *sendtype, void *recvbuf,
                                                const MPI_Fint *recvcounts, const MPI_Fint *rdispls,
                                                const MPI_Fint *recvtype, const MPI_Fint *comm, MPI_Fint *request,
                                                MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_alltoallv_begin", SITE, request, ierror, front::Ialltoallv, mpi::library.Alltoallv, comm,
          buffer(sendbuf), sendcounts, sdispls, type_of(*sendtype), result(recvbuf), recvcounts, rdispls,
          type_of(*recvtype));
}
FOR_MPI_F08(mpix_delta_alltoallv_begin)
void mpix_delta_alltoallv_begin_f08_(const void *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, void *,
                                     const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, MPI_Fint *,
                                     MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_reduce_begin_(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                                             const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *root,
                                             const MPI_Fint *comm, MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_reduce_begin", SITE, request, ierror, front::Ireduce, mpi::library.Reduce, comm, buffer(sendbuf),
          result(recvbuf), *count, type_of(*datatype), op_of(*op), *root);
}
FOR_MPI_F08(mpix_delta_reduce_begin)
void mpix_delta_reduce_begin_f08_(const void *, void *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *,
                                  const MPI_Fint *, const MPI_Fint *, MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_allreduce_begin_(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                                                const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                                                MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_allreduce_begin", SITE, request, ierror, front::Iallreduce, mpi::library.Allreduce, comm,
          buffer(sendbuf), result(recvbuf), *count, type_of(*datatype), op_of(*op));
}
FOR_MPI_F08(mpix_delta_allreduce_begin)
void mpix_delta_allreduce_begin_f08_(const void *, void *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *,
                                     const MPI_Fint *, MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_reduce_scatter_begin_(const void *sendbuf, void *recvbuf, const MPI_Fint *recvcounts,
                                                     const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                                                     MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_reduce_scatter_begin", SITE, request, ierror, front::Ireduce_scatter, mpi::library.Reduce_scatter,
          comm, buffer(sendbuf), result(recvbuf), recvcounts, type_of(*datatype), op_of(*op));
}
FOR_MPI_F08(mpix_delta_reduce_scatter_begin)
void mpix_delta_reduce_scatter_begin_f08_(const void *, void *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *,
                                          const MPI_Fint *, MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_reduce_scatter_block_begin_(const void *sendbuf, void *recvbuf,
                                                           const MPI_Fint *recvcount, const MPI_Fint *datatype,
                                                           const MPI_Fint *op, const MPI_Fint *comm, MPI_Fint *request,
                                                           MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_reduce_scatter_block_begin", SITE, request, ierror, front::Ireduce_scatter_block,
          mpi::library.Reduce_scatter_block, comm, buffer(sendbuf), result(recvbuf), *recvcount, type_of(*datatype),
          op_of(*op));
}
FOR_MPI_F08(mpix_delta_reduce_scatter_block_begin)
void mpix_delta_reduce_scatter_block_begin_f08_(const void *, void *, const MPI_Fint *, const MPI_Fint *,
                                                const MPI_Fint *, const MPI_Fint *, MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_scan_begin_(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                                           const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                                           MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_scan_begin", SITE, request, ierror, front::Iscan, mpi::library.Scan, comm, buffer(sendbuf),
          result(recvbuf), *count, type_of(*datatype), op_of(*op));
}
FOR_MPI_F08(mpix_delta_scan_begin)
void mpix_delta_scan_begin_f08_(const void *, void *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *,
                                const MPI_Fint *, MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_exscan_begin_(const void *sendbuf, void *recvbuf, const MPI_Fint *count,
                                             const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *comm,
                                             MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    begin("MPIX_Delta_exscan_begin", SITE, request, ierror, front::Iexscan, mpi::library.Exscan, comm, buffer(sendbuf),
          result(recvbuf), *count, type_of(*datatype), op_of(*op));
}
FOR_MPI_F08(mpix_delta_exscan_begin)
void mpix_delta_exscan_begin_f08_(const void *, void *, const MPI_Fint *, const MPI_Fint *, const MPI_Fint *,
                                  const MPI_Fint *, MPI_Fint *, MPI_Fint *);

STRETTO_PUBLIC void mpix_delta_collective_end_(MPI_Fint *request, MPI_Fint *ierror) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_collective_end", SITE);
    MPI_Request ended = request_of(*request);
    const int code = front::delta_end(&ended, SITE);
    *request = handle_of(ended);
    give(ierror, code);
}
FOR_MPI_F08(mpix_delta_collective_end) void mpix_delta_collective_end_f08_(MPI_Fint *, MPI_Fint *);
}

#endif
