// Calls of partitioned communication that MPI libraries lack: MPIX_Parrived_any all of them, MPI_Psend_init and its kin those of MPI 3.1 (Open MPI
// 4.1). stretto.h declares them, for Fortran the module stretto_partitioned.
#include "front/calls/requests.h"
#include "front/entry.h"
#include "front/fortran/fortran.h"
#include "front/partitioned/calls.h"
#include "trace/failure.h"
#include "trace/report.h"

using namespace stretto;

// As the generated wrappers of functions that are handled.
#define IN_THE_CALL(name)                        \
    mpi::require();                              \
    const front::Inside inside;                  \
    const front::Within within(true);            \
    front::caller = __builtin_return_address(0); \
    const report::Call call(front::depth == 1, name, __builtin_return_address(0))

extern "C" STRETTO_PUBLIC int MPIX_Parrived_any(MPI_Request request, int *partition, int *flag) {
    IN_THE_CALL("MPIX_Parrived_any");
    return front::Parrived_any(request, partition, flag);
}

#ifndef MPI_ABI_VERSION // as in front/fortran/fortran.cpp
using namespace front::fortran;

extern "C" {
STRETTO_PUBLIC void stretto_parrived_any_(const MPI_Fint *request, MPI_Fint *partition, MPI_Fint *flag,
                                          MPI_Fint *ierror) {
    IN_THE_CALL("MPIX_Parrived_any");
    give(ierror, front::Parrived_any(request_of(*request), partition, flag)); // .true. is 1
}
FOR_MPI_F08(stretto_parrived_any)
void stretto_parrived_any_f08_(const MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
}
#endif

#ifndef STRETTO_HAS_PARTITIONED

namespace {

// Without it no rank has agreed on anything.
void check_that_it_runs(const char *call) {
    if (!front::framing())
        fail(call, "this MPI library has no partitioned communication, and Stretto provides it only while it runs: "
                   "between MPI_Init and MPI_Finalize, without STRETTO=off");
}

} // namespace

#define IN_OUR_CALL(name)      \
    IN_THE_CALL("MPI_" #name); \
    check_that_it_runs("MPI_" #name)

#define PROVIDED(name, parameters, arguments)             \
    extern "C" STRETTO_PUBLIC int MPI_##name parameters { \
        IN_OUR_CALL(name);                                \
        return front::name arguments;                     \
    }                                                     \
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

// From Fortran, for the module stretto_partitioned (include/stretto/partitioned.F90).
extern "C" {

STRETTO_PUBLIC void stretto_psend_init_(const void *buf, const MPI_Fint *partitions, const MPI_Count *count,
                                        const MPI_Fint *type, const MPI_Fint *dest, const MPI_Fint *tag,
                                        const MPI_Fint *comm, const MPI_Fint *, MPI_Fint *request, MPI_Fint *ierror) {
    IN_OUR_CALL(Psend_init);
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = front::Psend_init(buffer(buf), *partitions, *count, type_of(*type), *dest, *tag, comm_of(*comm),
                                       MPI_INFO_NULL, &made);
    if (code == MPI_SUCCESS) *request = handle_of(made);
    give(ierror, code);
}

STRETTO_PUBLIC void stretto_precv_init_(void *buf, const MPI_Fint *partitions, const MPI_Count *count,
                                        const MPI_Fint *type, const MPI_Fint *source, const MPI_Fint *tag,
                                        const MPI_Fint *comm, const MPI_Fint *, MPI_Fint *request, MPI_Fint *ierror) {
    IN_OUR_CALL(Precv_init);
    MPI_Request made = MPI_REQUEST_NULL;
    const int code = front::Precv_init(const_cast<void *>(buffer(buf)), *partitions, *count, type_of(*type), *source,
                                       *tag, comm_of(*comm), MPI_INFO_NULL, &made);
    if (code == MPI_SUCCESS) *request = handle_of(made);
    give(ierror, code);
}

STRETTO_PUBLIC void stretto_pready_(const MPI_Fint *partition, const MPI_Fint *request, MPI_Fint *ierror) {
    IN_OUR_CALL(Pready);
    give(ierror, front::Pready(*partition, request_of(*request)));
}

STRETTO_PUBLIC void stretto_pready_range_(const MPI_Fint *low, const MPI_Fint *high, const MPI_Fint *request,
                                          MPI_Fint *ierror) {
    IN_OUR_CALL(Pready_range);
    give(ierror, front::Pready_range(*low, *high, request_of(*request)));
}

STRETTO_PUBLIC void stretto_pready_list_(const MPI_Fint *length, const MPI_Fint *partitions, const MPI_Fint *request,
                                         MPI_Fint *ierror) {
    IN_OUR_CALL(Pready_list);
    give(ierror, front::Pready_list(*length, partitions, request_of(*request)));
}

STRETTO_PUBLIC void stretto_parrived_(const MPI_Fint *request, const MPI_Fint *partition, MPI_Fint *flag,
                                      MPI_Fint *ierror) {
    IN_OUR_CALL(Parrived);
    give(ierror, front::Parrived(request_of(*request), *partition, flag)); // .true. is 1
}

FOR_MPI_F08(stretto_psend_init)
void stretto_psend_init_f08_(const void *, const MPI_Fint *, const MPI_Count *, const MPI_Fint *, const MPI_Fint *,
                             const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, MPI_Fint *, MPI_Fint *);
FOR_MPI_F08(stretto_precv_init)
void stretto_precv_init_f08_(void *, const MPI_Fint *, const MPI_Count *, const MPI_Fint *, const MPI_Fint *,
                             const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, MPI_Fint *, MPI_Fint *);
FOR_MPI_F08(stretto_pready) void stretto_pready_f08_(const MPI_Fint *, const MPI_Fint *, MPI_Fint *);
FOR_MPI_F08(stretto_pready_range)
void stretto_pready_range_f08_(const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, MPI_Fint *);
FOR_MPI_F08(stretto_pready_list)
void stretto_pready_list_f08_(const MPI_Fint *, const MPI_Fint *, const MPI_Fint *, MPI_Fint *);
FOR_MPI_F08(stretto_parrived) void stretto_parrived_f08_(const MPI_Fint *, const MPI_Fint *, MPI_Fint *, MPI_Fint *);
}

#endif
