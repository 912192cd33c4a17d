// The same with Fortran's arguments (include/stretto/abi.h).
#include "front/compiled/collective.h"
#include "front/fortran/fortran.h"

#ifndef MPI_ABI_VERSION // the standard ABI's C library knows nothing of Fortran: its handles are a Fortran library's own

using namespace stretto;
using namespace stretto::front::fortran;

#define SITE __builtin_return_address(0)

static void *result(void *choice) {
    return const_cast<void *>(buffer(choice));
}

#define ALL(...) __VA_ARGS__
#define COMPILED(name, X, parameters, arguments)                                                                      \
    STRETTO_PUBLIC stretto_handle stretto_##name##_begin_f(stretto_call *call, ALL parameters, MPI_Fint comm) {       \
        mpi::require();                                                                                               \
        return front::compiled_collective_begin(front::compiled::call("MPI_" #X, call, SITE, front::I##name,          \
                                                                      mpi::library.X, comm_of(comm), ALL arguments)); \
    }                                                                                                                 \
    STRETTO_PUBLIC stretto_handle stretto_##name##_open_f(stretto_handle handle, stretto_call *call, ALL parameters,  \
                                                          MPI_Fint comm) {                                            \
        mpi::require();                                                                                               \
        return front::compiled_collective_open(handle,                                                                \
                                               front::compiled::call("MPI_" #X, call, SITE, front::I##name,           \
                                                                     mpi::library.X, comm_of(comm), ALL arguments));  \
    }

extern "C" {

COMPILED(bcast, Bcast, (void *buf, MPI_Fint count, MPI_Fint type, MPI_Fint root),
         (result(buf), count, type_of(type), root))
COMPILED(gather, Gather,
         (const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf, MPI_Fint recvcount,
          MPI_Fint recvtype, MPI_Fint root),
         (buffer(sendbuf), sendcount, type_of(sendtype), result(recvbuf), recvcount, type_of(recvtype), root))
COMPILED(gatherv, Gatherv,
         (const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf, const MPI_Fint recvcounts[],
          const MPI_Fint displs[], MPI_Fint recvtype, MPI_Fint root),
         (buffer(sendbuf), sendcount, type_of(sendtype), result(recvbuf), recvcounts, displs, type_of(recvtype), root))
COMPILED(scatter, Scatter,
         (const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf, MPI_Fint recvcount,
          MPI_Fint recvtype, MPI_Fint root),
         (buffer(sendbuf), sendcount, type_of(sendtype), result(recvbuf), recvcount, type_of(recvtype), root))
COMPILED(scatterv, Scatterv,
         (const void *sendbuf, const MPI_Fint sendcounts[], const MPI_Fint displs[], MPI_Fint sendtype, void *recvbuf,
          MPI_Fint recvcount, MPI_Fint recvtype, MPI_Fint root),
         (buffer(sendbuf), sendcounts, displs, type_of(sendtype), result(recvbuf), recvcount, type_of(recvtype), root))
COMPILED(allgather, Allgather,
         (const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf, MPI_Fint recvcount,
          MPI_Fint recvtype),
         (buffer(sendbuf), sendcount, type_of(sendtype), result(recvbuf), recvcount, type_of(recvtype)))
COMPILED(allgatherv, Allgatherv,
         (const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf, const MPI_Fint recvcounts[],
          const MPI_Fint displs[], MPI_Fint recvtype),
         (buffer(sendbuf), sendcount, type_of(sendtype), result(recvbuf), recvcounts, displs, type_of(recvtype)))
COMPILED(alltoall, Alltoall,
         (const void *sendbuf, MPI_Fint sendcount, MPI_Fint sendtype, void *recvbuf, MPI_Fint recvcount,
          MPI_Fint recvtype),
         (buffer(sendbuf), sendcount, type_of(sendtype), result(recvbuf), recvcount, type_of(recvtype)))
COMPILED(alltoallv, Alltoallv,
         (const void *sendbuf, const MPI_Fint sendcounts[], const MPI_Fint sdispls[], MPI_Fint sendtype, void *recvbuf,
          const MPI_Fint recvcounts[], const MPI_Fint rdispls[], MPI_Fint recvtype),
         (buffer(sendbuf), sendcounts, sdispls, type_of(sendtype), result(recvbuf), recvcounts, rdispls,
          type_of(recvtype)))
COMPILED(reduce, Reduce,
         (const void *sendbuf, void *recvbuf, MPI_Fint count, MPI_Fint type, MPI_Fint op, MPI_Fint root),
         (buffer(sendbuf), result(recvbuf), count, type_of(type), op_of(op), root))
COMPILED(allreduce, Allreduce, (const void *sendbuf, void *recvbuf, MPI_Fint count, MPI_Fint type, MPI_Fint op),
         (buffer(sendbuf), result(recvbuf), count, type_of(type), op_of(op)))
COMPILED(reduce_scatter, Reduce_scatter,
         (const void *sendbuf, void *recvbuf, const MPI_Fint recvcounts[], MPI_Fint type, MPI_Fint op),
         (buffer(sendbuf), result(recvbuf), recvcounts, type_of(type), op_of(op)))
COMPILED(reduce_scatter_block, Reduce_scatter_block,
         (const void *sendbuf, void *recvbuf, MPI_Fint recvcount, MPI_Fint type, MPI_Fint op),
         (buffer(sendbuf), result(recvbuf), recvcount, type_of(type), op_of(op)))

STRETTO_PUBLIC void stretto_collective_close_f(stretto_handle handle, MPI_Fint *ierr) {
    give(ierr, front::compiled_collective_close(handle, SITE));
}
}

#endif
