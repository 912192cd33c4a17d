#include "mpi/completion.h"

#include <cstddef>
#include <optional>

namespace stretto::mpi {

namespace {

#ifdef OPEN_MPI
constexpr bool raises_elsewhere = false;
#else
constexpr bool raises_elsewhere = true;
#endif

#ifndef STRETTO_HAS_REQUEST_IS_COMPLETE
// Another thread of the program's may be in a call of its own, whose error is not to be returned.
bool threads_may_call() {
    static const bool may = [] {
        int level = MPI_THREAD_MULTIPLE;
        library.Query_thread(&level);
        return level == MPI_THREAD_MULTIPLE;
    }();
    return may;
}
#endif

} // namespace

ErrorsReturn::ErrorsReturn() {
    library.Comm_get_errhandler(MPI_COMM_WORLD, &of_world);
    library.Comm_get_errhandler(MPI_COMM_SELF, &of_self);
    library.Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    library.Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

ErrorsReturn::~ErrorsReturn() {
    library.Comm_set_errhandler(MPI_COMM_WORLD, of_world);
    library.Comm_set_errhandler(MPI_COMM_SELF, of_self);
    library.Errhandler_free(&of_world);
    library.Errhandler_free(&of_self);
}

int Completion::look(std::vector<MPI_Request> &requests) {
    if (statuses.size() < requests.size()) statuses.resize(requests.size());
    indices.resize(requests.size());
#ifdef STRETTO_HAS_REQUEST_IS_COMPLETE
    return look_at_each(requests);
#else
    if (raises_elsewhere && threads_may_call()) return look_at_each(requests);
    return look_at_some(requests);
#endif
}

int Completion::look_at_some(std::vector<MPI_Request> &requests) {
    int n = 0, error = MPI_SUCCESS;
    {
        std::optional<ErrorsReturn> returned;
        if (raises_elsewhere) returned.emplace();
        error =
            library.Testsome(static_cast<int>(requests.size()), requests.data(), &n, indices.data(), statuses.data());
    }
    indices.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    if (error != MPI_ERR_IN_STATUS) return error;
    for (std::size_t k = 0; k < indices.size(); k++)
        if (statuses[k].MPI_ERROR != MPI_SUCCESS) return statuses[k].MPI_ERROR;
    return error;
}

// One of them is tested whether it is complete or not: so the library polls once.
int Completion::look_at_each(std::vector<MPI_Request> &requests) {
    std::size_t n = 0;
    int error = MPI_SUCCESS;
    [[maybe_unused]] bool polled = false;
    for (std::size_t k = 0; k < requests.size() && error == MPI_SUCCESS; k++) {
        if (requests[k] == MPI_REQUEST_NULL) continue;
#ifdef STRETTO_HAS_REQUEST_IS_COMPLETE
        if (!library.MPIX_Request_is_complete(requests[k])) {
            if (polled) continue;
            polled = true;
        }
#endif
        int done = 0;
        error = library.Test(&requests[k], &done, MPI_STATUS_IGNORE);
        if (done) indices[n++] = static_cast<int>(k);
    }
    indices.resize(n);
    return error;
}

} // namespace stretto::mpi
