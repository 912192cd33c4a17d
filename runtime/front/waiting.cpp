#include "front/waiting.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace stretto::front {

namespace {

// Under the lock. While something is guarded a signal's handler may touch it, and would call the library that waits.
bool only_receives_are_under_way() {
    const std::size_t of_receives = message::posted::all().empty() ? 0 : 1;
    return !progress::Guard::multiple && !pages::Guard::any() && progress::tasks == of_receives;
}

// No more than these: each wait costs a look at each of them. What comes in others waits in the library until they are looked at, and their
// senders wait for nothing of ours meanwhile.
constexpr std::size_t most_watched = 16;

std::vector<message::Receive *> watched(message::Receive *needed) {
    std::vector<message::Receive *> receives;
    if (needed) receives.push_back(needed);
    for (message::Receive *receive : message::posted::all()) {
        if (receives.size() >= most_watched) break;
        if (receive != needed) receives.push_back(receive);
    }
    return receives;
}

// As wait_natively(); these receives are looked at, which choose() names under the lock.
template <class Choose>
Woken wait(int count, MPI_Request requests[], Choose choose, int &index, MPI_Status *status, int &error) {
    std::optional<progress::Blocked> blocked; // and the helper knows
    std::vector<MPI_Request> all;
    std::vector<message::Receive *> receives;
    {
        const progress::Guard guard;
        if (!only_receives_are_under_way()) return Woken::not_at_all;
        blocked.emplace();
        receives = choose();
        all.assign(requests, requests + count);
        std::transform(receives.begin(), receives.end(), std::back_inserter(all),
                       [](const message::Receive *receive) { return receive->native(); });
    }
    MPI_Status its_status{};
    const int its_error = mpi::library.Waitany(static_cast<int>(all.size()), all.data(), &index, &its_status);
    const progress::Guard guard;
    if (index == MPI_UNDEFINED) return Woken::not_at_all; // none is active
    if (index >= count) {
        const auto k = static_cast<std::size_t>(index);
        receives[k - static_cast<std::size_t>(count)]->first_ended(all[k], its_status, its_error);
        return Woken::by_receive;
    }
    requests[index] = all[static_cast<std::size_t>(index)];
    error = its_error;
    give_status(its_status, status);
    return Woken::by_request;
}

} // namespace

Woken wait_for_any(int count, MPI_Request requests[], int &index, MPI_Status *status, int &error) {
    return wait(count, requests, message::posted::all, index, status, error);
}

bool wait_natively(Operation &operation, bool unmatched) {
    message::Receive *needed = nullptr;
    {
        const progress::Guard guard;
        message::Receive *receive = operation.receive;
        if (operation.send || operation.collective || operation.waits_for_end) return false;
        const bool posted = receive && receive->where() == message::Receive::State::posted;
        if (posted && unmatched && receive->is_apart()) return false;
        if (!posted && operation.native_send == MPI_REQUEST_NULL) return false;
        if (posted) needed = receive;
    }
    int index = 0, error = MPI_SUCCESS;
    const Woken woken = wait(
        1, &operation.native_send, [&] { return watched(needed); }, index, &operation.sent, error);
    if (woken == Woken::by_request) operation.native_send_ended(error);
    return woken != Woken::not_at_all;
}

// One that is not active is complete, but MPI_Waitany passes over it (MPI 4.1, 3.7.5).
Woken wait_natively(MPI_Request &request, MPI_Status *status, int &error) {
    {
        const progress::Guard guard;
        if (!only_receives_are_under_way()) return Woken::not_at_all;
        int done = 0;
        error = mpi::library.Test(&request, &done, status);
        if (done || error != MPI_SUCCESS) return Woken::by_request;
    }
    int index = 0;
    return wait(
        1, &request, [] { return watched(nullptr); }, index, status, error);
}

bool NativeRequest::look() {
    if (ended) return true;
    int done = 0;
    error = mpi::library.Test(&request, &done, status);
    ended = done || error != MPI_SUCCESS;
    return ended;
}

bool NativeRequest::wait_natively() {
    if (ended) return false;
    const Woken woken = front::wait_natively(request, status, error);
    ended = woken == Woken::by_request;
    return woken != Woken::not_at_all;
}

} // namespace stretto::front
