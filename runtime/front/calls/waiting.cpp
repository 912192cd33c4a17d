#include "front/calls/waiting.h"

#include <algorithm>
#include <optional>
#include <sched.h>
#include <utility>
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

// MPICH 5 looks again and again in MPI_Waitany, where its MPI_Wait lets others have the core after each look: with more ranks than cores a
// program's iterations were 3 to 5 % longer.
#if defined(OPEN_MPI) || (defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 50000000)
constexpr bool waitany_is_idle = true;
#else
constexpr bool waitany_is_idle = false;
#endif

#ifdef STRETTO_HAS_REQUEST_IS_COMPLETE
constexpr bool tells_without_a_look = true;
#else
constexpr bool tells_without_a_look = false;
#endif

// Is it complete? Tests it where that needs no progress, or where it is told to poll.
bool test_one(MPI_Request &request, bool polls, MPI_Status &status, int &error) {
#ifdef STRETTO_HAS_REQUEST_IS_COMPLETE
    if (!polls && !mpi::library.MPIX_Request_is_complete(request)) return false;
#else
    static_cast<void>(polls);
#endif
    int done = 0;
    error = mpi::library.Test(&request, &done, &status);
    return done || error != MPI_SUCCESS;
}

// Of the first `programs` some may be inactive, unless it is a single one. MPICH tells MPI_COMM_SELF's error handler of one that failed in
// MPI_Testany, and the handler of its communicator in MPI_Test: so those that are known to be active are tested one by one.
int wait_for_any_of(int programs, std::vector<MPI_Request> &all, int &index, MPI_Status &status) {
    const int n = static_cast<int>(all.size());
    if (waitany_is_idle) return mpi::library.Waitany(n, all.data(), &index, &status);
    const int from = programs == 1 ? 0 : programs;
    // At first without a look at the links, where the library tells so much: several may have come at once.
    for (bool first = tells_without_a_look;; first = false) {
        int error = MPI_SUCCESS;
        bool polls = !first, some = false;
        for (index = from; index < n; index++) {
            MPI_Request &request = all[static_cast<std::size_t>(index)];
            if (request == MPI_REQUEST_NULL) continue;
            some = true;
            if (test_one(request, std::exchange(polls, false), status, error)) return error;
        }
        if (first) continue;
        if (from != 0 || !some) {
            int done = 0;
            error = mpi::library.Testany(programs, all.data(), &index, &done, &status);
            if (error != MPI_SUCCESS || (done && (index != MPI_UNDEFINED || !some))) return error;
        }
        sched_yield();
    }
}

// As MPI_Waitany, of so many of the program's and receives of ours. Where there is a single one, MPI_Wait does; but where the program has
// several, one may be inactive, and MPI_Wait would take that for complete.
int wait_for_one_of(int programs, std::vector<MPI_Request> &all, int &index, MPI_Status &status) {
    const auto is_there = [](MPI_Request request) { return request != MPI_REQUEST_NULL; };
    const auto single = std::find_if(all.begin(), all.end(), is_there);
    index = static_cast<int>(single - all.begin());
    if (single != all.end() && (programs == 1 || index >= programs) && std::none_of(single + 1, all.end(), is_there))
        return mpi::library.Wait(&*single, &status);
    return wait_for_any_of(programs, all, index, status);
}

bool always() {
    return true;
}

// As wait_natively(). These receives are looked at, which choose() names under the lock; may_wait() is asked there, too.
template <class Choose, class MayWait>
Woken wait(int count, MPI_Request requests[], Choose choose, MayWait may_wait, int &index, MPI_Status *status,
           int &error) {
    std::optional<progress::Blocked> blocked; // and the helper knows
    std::vector<MPI_Request> all;
    std::vector<message::Receive *> receives;
    {
        const progress::Guard guard;
        if (!only_receives_are_under_way() || !may_wait()) return Woken::not_at_all;
        blocked.emplace();
        receives = choose();
        all.assign(requests, requests + count);
        std::transform(receives.begin(), receives.end(), std::back_inserter(all),
                       [](const message::Receive *receive) { return receive->native(); });
    }
    MPI_Status its_status{};
    const int its_error = wait_for_one_of(count, all, index, its_status);
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

Woken wait_for_any(int count, MPI_Request requests[], const std::function<bool()> &may_wait, int &index,
                   MPI_Status *status, int &error) {
    return wait(count, requests, message::posted::all, may_wait, index, status, error);
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
        1, &operation.native_send, [&] { return watched(needed); }, always, index, &operation.sent, error);
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
        1, &request, [] { return watched(nullptr); }, always, index, status, error);
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
