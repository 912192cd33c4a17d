// MPI_Psend_init and its kin (MPI 4.1, 4.2). Where not all ranks of the communicator run Stretto they are the library's own.
#include "front/partitioned/calls.h"

#include "front/arguments.h"
#include "front/enter.h"
#include "front/native.h"
#include "front/operation.h"
#include "front/partitioned/partitioned.h"

#include <algorithm>
#include <optional>
#include <string>

namespace stretto::front {

namespace {

// The library says what is wrong with these arguments: would it make a persistent message of a partition? MPI_SUCCESS is no answer: MPICH 5 gives
// it, too, where a handler of the program's was told of an error.
bool is_right(const Partitioned::Arguments &its, MPI_Comm comm, int &error) {
    MPI_Request request = MPI_REQUEST_NULL;
    error =
        its.sends
            ? native::send_init(native::Mode::standard, its.buf, its.count, its.type, its.rank, its.tag, comm, &request)
            : native::recv_init(const_cast<void *>(its.buf), its.count, its.type, its.rank, its.tag, comm, &request);
    if (request == MPI_REQUEST_NULL) return false;
    mpi::library.Request_free(&request);
    return true;
}

#ifdef STRETTO_HAS_PARTITIONED
// The library's own call, before which everything leaves and comes that it may need.
template <class Call>
int natively(Call call) {
    const progress::Blocked blocked;
    wait_for_matches();
    settle_everything(true);
    const Alone alone;
    return call();
}
#define NATIVELY(what, X, ...) natively([&] { return mpi::library.X(__VA_ARGS__); })
#else
[[noreturn]] int none_of_ours(const char *call, const char *what) {
    fail(call, std::string("this request is none of a partitioned ") + what);
}
#define NATIVELY(what, X, ...) none_of_ours("MPI_" #X, what)
#endif

Operation *find(MPI_Request request) {
    Operation *const operation = operations.find(request);
    return operation && operation->partitioned ? operation : nullptr;
}

// Where ours cannot be.
int init_natively(const Partitioned::Arguments &its, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
#ifdef STRETTO_HAS_PARTITIONED
    return natively([&] {
        return its.sends ? mpi::library.Psend_init(its.buf, its.partitions, its.count, its.type, its.rank, its.tag,
                                                   comm, info, request)
                         : mpi::library.Precv_init(const_cast<void *>(its.buf), its.partitions, its.count, its.type,
                                                   its.rank, its.tag, comm, info, request);
    });
#else
    fail(its.sends ? "MPI_Psend_init" : "MPI_Precv_init",
         "this MPI library has no partitioned communication, and Stretto's needs a communicator of one group, all of "
         "whose ranks run Stretto, and which MPI_Comm_idup has not made");
#endif
}

int init(Partitioned::Arguments arguments, MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    {
        const progress::Guard guard;
        arguments.comm = mpi::communicator(comm);
    }
    int error = MPI_SUCCESS;
    if (comm == MPI_COMM_NULL && !is_right(arguments, comm, error)) return error;
    if (!pairing::serves(*arguments.comm)) return init_natively(arguments, comm, info, request);
    const progress::Guard guard;
    enter();
    if (!is_right(arguments, comm, error)) return error;
    if (arguments.partitions <= 0) return raise(*arguments.comm, MPI_ERR_ARG);
    if (arguments.rank == MPI_ANY_SOURCE) return raise(*arguments.comm, MPI_ERR_RANK);
    if (arguments.tag == MPI_ANY_TAG) return raise(*arguments.comm, MPI_ERR_TAG);
    Operation &operation = new_operation();
    operation.active = false;
    operation.partitioned = std::make_unique<Partitioned>(arguments, operation);
    *request = operation.handle;
    return MPI_SUCCESS;
}

// Of ours; nothing: it is the library's.
Partitioned *partitioned_send(MPI_Request request, const char *call) {
    if (Partitioned *const quick = Partitioned::quickly(request)) return quick;
    const progress::Guard guard;
    Operation *const operation = find(request);
    if (!operation) return nullptr;
    if (!operation->partitioned->sends()) fail(call, "this request is that of a partitioned receive");
    Partitioned::remember(*operation->partitioned);
    return operation->partitioned.get();
}

// The same of a receive. Under the lock.
Partitioned *partitioned_receive(MPI_Request request, const char *call) {
    Operation *const operation = find(request);
    if (!operation) return nullptr;
    if (operation->partitioned->sends()) fail(call, "this request is that of a partitioned send");
    return operation->partitioned.get();
}

int ready(Partitioned &partitioned, int first, int last, const char *call) {
    if (first > last || !partitioned.has(first) || !partitioned.has(last))
        return raise(*partitioned.communicator_used(), MPI_ERR_ARG);
    for (int partition = first; partition <= last; partition++) partitioned.ready(partition, call);
    return MPI_SUCCESS;
}

} // namespace

int Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Info info, MPI_Request *request) {
    return init({true, buf, partitions, count, type, {}, dest, tag, callers_own()}, comm, info, request);
}

int Precv_init(void *buf, int partitions, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Info info, MPI_Request *request) {
    return init({false, buf, partitions, count, type, {}, source, tag, callers_own()}, comm, info, request);
}

int Pready(int partition, MPI_Request request) {
    if (Partitioned *const its = partitioned_send(request, "MPI_Pready"))
        return ready(*its, partition, partition, "MPI_Pready");
    return NATIVELY("send", Pready, partition, request);
}

int Pready_range(int low, int high, MPI_Request request) {
    if (Partitioned *const its = partitioned_send(request, "MPI_Pready_range"))
        return ready(*its, low, high, "MPI_Pready_range");
    return NATIVELY("send", Pready_range, low, high, request);
}

int Pready_list(int length, const int partitions[], MPI_Request request) {
    if (Partitioned *const its = partitioned_send(request, "MPI_Pready_list")) {
        if (std::any_of(partitions, partitions + length, [&](int one) { return !its->has(one); }))
            return raise(*its->communicator_used(), MPI_ERR_ARG);
        for (int k = 0; k < length; k++) its->ready(partitions[k], "MPI_Pready_list");
        return MPI_SUCCESS;
    }
    return NATIVELY("send", Pready_list, length, const_cast<int *>(partitions), request);
}

int Pready_list(int length, int partitions[], MPI_Request request) {
    return Pready_list(length, static_cast<const int *>(partitions), request);
}

int Parrived(MPI_Request request, int partition, int *flag) {
    if (request == MPI_REQUEST_NULL) { // MPI 4.1, 4.2.2: as of one that is not active
        *flag = 1;
        return MPI_SUCCESS;
    }
    {
        const progress::Guard guard;
        enter();
        if (Partitioned *const its = partitioned_receive(request, "MPI_Parrived")) {
            if (!its->has(partition)) return raise(*its->communicator_used(), MPI_ERR_ARG);
            *flag = its->arrived(partition);
            return MPI_SUCCESS;
        }
    }
    return NATIVELY("receive", Parrived, request, partition, flag);
}

int Parrived_any(MPI_Request request, int *partition, int *flag) {
    *partition = MPI_UNDEFINED;
    *flag = 1;
    if (request == MPI_REQUEST_NULL) return MPI_SUCCESS;
    const progress::Guard guard;
    enter();
    Partitioned *const its = partitioned_receive(request, "MPIX_Parrived_any");
    if (!its)
        fail("MPIX_Parrived_any",
             "this request is none of a partitioned receive that is Stretto's (docs/partitioned.md "
             "says which are the library's own)");
    const std::optional<int> found = its->any_arrived();
    if (found)
        *partition = *found;
    else
        *flag = 0;
    return MPI_SUCCESS;
}

} // namespace stretto::front
