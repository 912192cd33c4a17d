// MPI_Psend_init and its kin for MPI libraries that have none (MPI 3.1: Open MPI 4.1); stretto.h declares them.
#include "mpi/library.h"

#ifndef STRETTO_HAS_PARTITIONED

#include "front/calls/requests.h"
#include "front/entry.h"
#include "front/partitioned/calls.h"
#include "trace/failure.h"
#include "trace/report.h"

using namespace stretto;

namespace {

// Without it no rank has agreed on anything.
void check_that_it_runs(const char *call) {
    if (!front::framing())
        fail(call, "this MPI library has no partitioned communication, and Stretto provides it only while it runs: "
                   "between MPI_Init and MPI_Finalize, without STRETTO=off");
}

} // namespace

// As the generated wrappers of functions that are handled.
#define PROVIDED(name, parameters, arguments)                                                  \
    extern "C" STRETTO_PUBLIC int MPI_##name parameters {                                      \
        mpi::require();                                                                        \
        const front::Inside inside;                                                            \
        const front::Within within(true);                                                      \
        front::caller = __builtin_return_address(0);                                           \
        const report::Call call(front::depth == 1, "MPI_" #name, __builtin_return_address(0)); \
        check_that_it_runs("MPI_" #name);                                                      \
        return front::name arguments;                                                          \
    }                                                                                          \
    extern "C" STRETTO_PUBLIC int PMPI_##name parameters __attribute__((alias("MPI_" #name)))

PROVIDED(Psend_init,
         (const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
          MPI_Info info, MPI_Request *request),
         (buf, partitions, count, datatype, dest, tag, comm, info, request));
PROVIDED(Precv_init,
         (void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
          MPI_Info info, MPI_Request *request),
         (buf, partitions, count, datatype, source, tag, comm, info, request));
PROVIDED(Pready, (int partition, MPI_Request request), (partition, request));
PROVIDED(Pready_range, (int partition_low, int partition_high, MPI_Request request),
         (partition_low, partition_high, request));
PROVIDED(Pready_list, (int length, const int array_of_partitions[], MPI_Request request),
         (length, array_of_partitions, request));
PROVIDED(Parrived, (MPI_Request request, int partition, int *flag), (request, partition, flag));

#endif
