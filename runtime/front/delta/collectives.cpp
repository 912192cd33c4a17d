// MPIX_Delta_<collective>_begin and MPIX_Delta_collective_end (include/stretto/stretto.h): what each asks for is what MPI_I<collective> asks for.
#include "front/calls/requests.h"
#include "front/delta/collective.h"
#include "front/entry.h"
#include "trace/report.h"

#include <stretto/stretto.h>

using namespace stretto;

namespace {

template <class... Arguments>
int begin(const char *call, CallSite site, MPI_Request *request, Arguments... arguments) {
    mpi::require();
    const front::Inside inside;
    const front::Within within(true);
    const report::Call reported(front::depth == 1, call, site);
    const front::RequestsBegun begun(reported, 1, request);
    return front::delta_begin(call, site, request, arguments...);
}

} // namespace

#define SITE __builtin_return_address(0)

extern "C" {

STRETTO_PUBLIC int MPIX_Delta_bcast_begin(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm,
                                          MPI_Request *request) {
    return begin("MPIX_Delta_bcast_begin", SITE, request, front::Ibcast, mpi::library.Bcast, comm, buf, count, type,
                 root);
}

STRETTO_PUBLIC int MPIX_Delta_gather_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                           int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                           MPI_Request *request) {
    return begin("MPIX_Delta_gather_begin", SITE, request, front::Igather, mpi::library.Gather, comm, sendbuf,
                 sendcount, sendtype, recvbuf, recvcount, recvtype, root);
}

STRETTO_PUBLIC int MPIX_Delta_gatherv_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                            const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root,
                                            MPI_Comm comm, MPI_Request *request) {
    return begin("MPIX_Delta_gatherv_begin", SITE, request, front::Igatherv, mpi::library.Gatherv, comm, sendbuf,
                 sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root);
}

STRETTO_PUBLIC int MPIX_Delta_scatter_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                            int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,
                                            MPI_Request *request) {
    return begin("MPIX_Delta_scatter_begin", SITE, request, front::Iscatter, mpi::library.Scatter, comm, sendbuf,
                 sendcount, sendtype, recvbuf, recvcount, recvtype, root);
}

STRETTO_PUBLIC int MPIX_Delta_scatterv_begin(const void *sendbuf, const int sendcounts[], const int displs[],
                                             MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
                                             int root, MPI_Comm comm, MPI_Request *request) {
    return begin("MPIX_Delta_scatterv_begin", SITE, request, front::Iscatterv, mpi::library.Scatterv, comm, sendbuf,
                 sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root);
}

STRETTO_PUBLIC int MPIX_Delta_allgather_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                              int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                              MPI_Request *request) {
    return begin("MPIX_Delta_allgather_begin", SITE, request, front::Iallgather, mpi::library.Allgather, comm, sendbuf,
                 sendcount, sendtype, recvbuf, recvcount, recvtype);
}

STRETTO_PUBLIC int MPIX_Delta_allgatherv_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                               const int recvcounts[], const int displs[], MPI_Datatype recvtype,
                                               MPI_Comm comm, MPI_Request *request) {
    return begin("MPIX_Delta_allgatherv_begin", SITE, request, front::Iallgatherv, mpi::library.Allgatherv, comm,
                 sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype);
}

STRETTO_PUBLIC int MPIX_Delta_alltoall_begin(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
                                             int recvcount, MPI_Datatype recvtype, MPI_Comm comm,
                                             MPI_Request *request) {
    return begin("MPIX_Delta_alltoall_begin", SITE, request, front::Ialltoall, mpi::library.Alltoall, comm, sendbuf,
                 sendcount, sendtype, recvbuf, recvcount, recvtype);
}

STRETTO_PUBLIC int MPIX_Delta_alltoallv_begin(const void *sendbuf, const int sendcounts[], const int sdispls[],
                                              MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
                                              const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
                                              MPI_Request *request) {
    return begin("MPIX_Delta_alltoallv_begin", SITE, request, front::Ialltoallv, mpi::library.Alltoallv, comm, sendbuf,
                 sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype);
}

STRETTO_PUBLIC int MPIX_Delta_reduce_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                                           int root, MPI_Comm comm, MPI_Request *request) {
    return begin("MPIX_Delta_reduce_begin", SITE, request, front::Ireduce, mpi::library.Reduce, comm, sendbuf, recvbuf,
                 count, type, op, root);
}

STRETTO_PUBLIC int MPIX_Delta_allreduce_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type,
                                              MPI_Op op, MPI_Comm comm, MPI_Request *request) {
    return begin("MPIX_Delta_allreduce_begin", SITE, request, front::Iallreduce, mpi::library.Allreduce, comm, sendbuf,
                 recvbuf, count, type, op);
}

STRETTO_PUBLIC int MPIX_Delta_reduce_scatter_begin(const void *sendbuf, void *recvbuf, const int recvcounts[],
                                                   MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request) {
    return begin("MPIX_Delta_reduce_scatter_begin", SITE, request, front::Ireduce_scatter, mpi::library.Reduce_scatter,
                 comm, sendbuf, recvbuf, recvcounts, type, op);
}

STRETTO_PUBLIC int MPIX_Delta_reduce_scatter_block_begin(const void *sendbuf, void *recvbuf, int recvcount,
                                                         MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                                                         MPI_Request *request) {
    return begin("MPIX_Delta_reduce_scatter_block_begin", SITE, request, front::Ireduce_scatter_block,
                 mpi::library.Reduce_scatter_block, comm, sendbuf, recvbuf, recvcount, type, op);
}

STRETTO_PUBLIC int MPIX_Delta_scan_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                                         MPI_Comm comm, MPI_Request *request) {
    return begin("MPIX_Delta_scan_begin", SITE, request, front::Iscan, mpi::library.Scan, comm, sendbuf, recvbuf, count,
                 type, op);
}

STRETTO_PUBLIC int MPIX_Delta_exscan_begin(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op,
                                           MPI_Comm comm, MPI_Request *request) {
    return begin("MPIX_Delta_exscan_begin", SITE, request, front::Iexscan, mpi::library.Exscan, comm, sendbuf, recvbuf,
                 count, type, op);
}

STRETTO_PUBLIC int MPIX_Delta_collective_end(MPI_Request *request) {
    const front::Inside inside;
    const front::Within within(true);
    const report::Call call(front::depth == 1, "MPIX_Delta_collective_end", SITE);
    return front::delta_end(request, SITE);
}
}
