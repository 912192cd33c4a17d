// stretto_<collective>_begin and _open (include/stretto/abi.h): what each asks for is what MPI_<collective> asks for.
#include "front/compiled/collective.h"

using namespace stretto;

#define SITE __builtin_return_address(0)

// stretto_x_begin and stretto_x_open, with these parameters before the communicator, by MPI_X of handled.h and the library's.
#define ALL(...) __VA_ARGS__
#define COMPILED(name, X, parameters, arguments)                                                                    \
    STRETTO_PUBLIC stretto_handle stretto_##name##_begin(stretto_call *call, ALL parameters, MPI_Comm comm) {       \
        mpi::require();                                                                                             \
        return front::compiled_collective_begin(                                                                    \
            front::compiled::call("MPI_" #X, call, SITE, front::I##name, mpi::library.X, comm, ALL arguments));     \
    }                                                                                                               \
    STRETTO_PUBLIC stretto_handle stretto_##name##_open(stretto_handle handle, stretto_call *call, ALL parameters,  \
                                                        MPI_Comm comm) {                                            \
        mpi::require();                                                                                             \
        return front::compiled_collective_open(handle, front::compiled::call("MPI_" #X, call, SITE, front::I##name, \
                                                                             mpi::library.X, comm, ALL arguments)); \
    }

extern "C" {

COMPILED(bcast, Bcast, (void *buf, int count, MPI_Datatype type, int root), (buf, count, type, root))
COMPILED(gather, Gather,
         (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
          MPI_Datatype recvtype, int root),
         (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))
COMPILED(gatherv, Gatherv,
         (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype, int root),
         (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root))
COMPILED(scatter, Scatter,
         (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
          MPI_Datatype recvtype, int root),
         (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))
COMPILED(scatterv, Scatterv,
         (const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf,
          int recvcount, MPI_Datatype recvtype, int root),
         (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root))
COMPILED(allgather, Allgather,
         (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
          MPI_Datatype recvtype),
         (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
COMPILED(allgatherv, Allgatherv,
         (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[],
          const int displs[], MPI_Datatype recvtype),
         (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype))
COMPILED(alltoall, Alltoall,
         (const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
          MPI_Datatype recvtype),
         (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype))
COMPILED(alltoallv, Alltoallv,
         (const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
          const int recvcounts[], const int rdispls[], MPI_Datatype recvtype),
         (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype))
COMPILED(reduce, Reduce, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, int root),
         (sendbuf, recvbuf, count, type, op, root))
COMPILED(allreduce, Allreduce, (const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op),
         (sendbuf, recvbuf, count, type, op))
COMPILED(reduce_scatter, Reduce_scatter,
         (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype type, MPI_Op op),
         (sendbuf, recvbuf, recvcounts, type, op))
COMPILED(reduce_scatter_block, Reduce_scatter_block,
         (const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype type, MPI_Op op),
         (sendbuf, recvbuf, recvcount, type, op))

STRETTO_PUBLIC int stretto_collective_close(stretto_handle handle) {
    return front::compiled_collective_close(handle, SITE);
}
}
