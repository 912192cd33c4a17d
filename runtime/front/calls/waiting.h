#pragma once
#include "front/operation.h"
#include "progress/progress.h"

#include <functional>

//! \brief Waiting in the library, whose wait sleeps or yields as its user has set it, in place of looking again and again. It may where all
//! that is under way are receives without a match: the library sees what ends each of them.
namespace stretto::front {

//! What the library's wait has brought.
enum class Woken {
    not_at_all, //!< it may not wait now: something else is under way, and needs looks
    by_receive, //!< a receive that was posted has met its message; or an error of the library's
    by_request,
};

//! Let the library wait until a request of its own is complete, or a receive that is posted has come. by_request: its status and its error.
//! Not under the lock.
Woken wait_natively(MPI_Request &request, MPI_Status *status, int &error);

//! The same for several requests, of which some may be null. by_request: which one. may_wait, under the lock: does the program still need
//! one? What is ours and none of these the library does not see complete.
Woken wait_for_any(int count, MPI_Request requests[], const std::function<bool()> &may_wait, int &index,
                   MPI_Status *status, int &error);

//! The same for an operation that this thread waits for. False: not now. unmatched: its call may return before its match.
bool wait_natively(Operation &operation, bool unmatched = false);

//! \brief A request of the library's own that this thread waits for.
class NativeRequest {
public:
    explicit NativeRequest(MPI_Request &request, MPI_Status *status = MPI_STATUS_IGNORE)
        : request(request), status(status) {}

    //! Until it is complete, all that is under way going on meanwhile. Returns the library's error.
    int wait() {
        progress::until([this] { return look(); }, [this] { return wait_natively(); });
        return error;
    }

private:
    bool look();
    bool wait_natively();

    MPI_Request &request;
    MPI_Status *status;
    bool ended = false;
    int error = MPI_SUCCESS;
};

} // namespace stretto::front
