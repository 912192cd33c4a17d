// MPI_Wait, MPI_Test and their kin (MPI 4.1, 3.7.3 to 3.7.6). Requests of ours and the library's own stand in one array: each
// pass looks at ours, and at the others by the library's own function on a copy in which ours are null.
#include "front/calls/requests.h"
#include "front/calls/waiting.h"
#include "front/enter.h"
#include "front/handled.h"
#include "trace/timeline.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stretto::front {

namespace {

// The operation behind a request that is active; an inactive one the library itself knows to be so.
Operation *active_operation(MPI_Request request) {
    Operation *operation = operations.find(request);
    return operation && operation->active ? operation : nullptr;
}

// Below MPI_THREAD_MULTIPLE nobody else can end a delta send while this thread waits for it.
void check_ended(const Operation &operation) {
    if (!operation.waits_for_program() || progress::Guard::multiple) return;
    if (operation.partitioned) fail("MPI_Wait", operation.partitioned->what_is_missing());
    fail("MPI_Wait", operation.collective
                         ? "the delta collective has not ended: MPIX_Delta_collective_end comes before the wait"
                         : "the delta send has not ended: MPIX_Delta_send_end comes before the wait");
}

MPI_Status *at(MPI_Status *statuses, int k) {
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[k];
}

// An array of requests, taken apart.
struct Requests {
    int count;
    MPI_Request *requests;
    std::vector<Operation *> ours;
    std::vector<MPI_Request> natives;
    bool some_ours = false;

    Requests(int count, MPI_Request requests[]) : count(count), requests(requests) {
        ours.resize(static_cast<std::size_t>(std::max(count, 0)));
        natives.resize(ours.size());
        for (std::size_t k = 0; k < ours.size(); k++) {
            ours[k] = active_operation(requests[k]);
            natives[k] = ours[k] ? MPI_REQUEST_NULL : requests[k];
            some_ours = some_ours || ours[k];
        }
    }

    void check_all_ended() const {
        for (const Operation *operation : ours)
            if (operation) check_ended(*operation);
    }

    // Of a wait for any of them: where none can end, the first says why.
    void check_some_ends() const {
        const auto cannot = [](const Operation *one) { return !one || one->waits_for_program(); };
        const auto is_none = [](MPI_Request one) { return one == MPI_REQUEST_NULL; };
        if (std::all_of(ours.begin(), ours.end(), cannot) && std::all_of(natives.begin(), natives.end(), is_none))
            check_all_ended();
    }

    int native_completed(int k) {
        requests[k] = natives[static_cast<std::size_t>(k)];
        return k;
    }

    int finish(std::size_t k, MPI_Status *status) { return ours[k]->finish(&requests[k], status); }
};

bool any_ours(int count, const MPI_Request requests[]) {
    if (operations.size() == 0) return false;
    return std::any_of(requests, requests + std::max(count, 0),
                       [](MPI_Request r) { return active_operation(r) != nullptr; });
}

// Errors are told as MPI 4.1, 3.7.5 says: in the statuses, all of them. Also where there is none: programs look at the statuses alone, which all
// libraries' MPI_Waitall and Open MPI's other completions fill.
int tell(const std::vector<int> &errors, MPI_Status *statuses) {
    if (statuses != MPI_STATUSES_IGNORE)
        for (std::size_t k = 0; k < errors.size(); k++) statuses[k].MPI_ERROR = errors[k];
    const bool good = std::all_of(errors.begin(), errors.end(), [](int error) { return error == MPI_SUCCESS; });
    return good ? MPI_SUCCESS : MPI_ERR_IN_STATUS;
}

// All are complete, the library's own by its MPI_Testall.
int finish_all(Requests &all, MPI_Status *statuses, int native_error) {
    std::vector<int> errors(all.ours.size(), MPI_SUCCESS);
    for (std::size_t k = 0; k < all.ours.size(); k++) {
        MPI_Status *status = at(statuses, static_cast<int>(k));
        if (all.ours[k])
            errors[k] = all.finish(k, status);
        else {
            all.native_completed(static_cast<int>(k));
            if (native_error == MPI_ERR_IN_STATUS && status != MPI_STATUS_IGNORE) errors[k] = status->MPI_ERROR;
        }
    }
    const int error = tell(errors, statuses);
    return native_error == MPI_SUCCESS ? error : native_error;
}

// One look, at the first that is not known to be complete: a look costs a poll, and all have to be. One by one: MPICH's MPI_Testall does
// not do for persistent collectives.
bool look_at_all(Requests &all, MPI_Status *statuses, std::vector<int> &errors, std::size_t &from) {
    const bool unmatched = statuses == MPI_STATUSES_IGNORE;
    for (; from < all.ours.size(); from++) {
        RequestsAwaited::now_for(from);
        if (all.ours[from]) {
            if (!all.ours[from]->look_or_release(unmatched)) return false;
            continue;
        }
        int done = 0;
        errors[from] = mpi::library.Test(&all.natives[from], &done, at(statuses, static_cast<int>(from)));
        if (!done && errors[from] == MPI_SUCCESS) return false;
        all.native_completed(static_cast<int>(from));
    }
    return true;
}

// The library waits for the first that is not known to be complete. False: it may not now.
bool wait_for_all(Requests &all, MPI_Status *statuses, std::vector<int> &errors, std::size_t &from) {
    if (from == all.ours.size()) return false;
    if (all.ours[from]) return wait_natively(*all.ours[from], statuses == MPI_STATUSES_IGNORE);
    const Woken woken = wait_natively(all.natives[from], at(statuses, static_cast<int>(from)), errors[from]);
    if (woken == Woken::by_request) all.native_completed(static_cast<int>(from++));
    return woken != Woken::not_at_all;
}

// One look; the first that is complete ends. `index` as MPI_Testany gives it; none_active when there is nothing to wait for.
bool look_for_any(Requests &some, int *index, MPI_Status *status, int &error, bool &none_active) {
    int flag = 0;
    error = mpi::library.Testany(some.count, some.natives.data(), index, &flag, status);
    if (error != MPI_SUCCESS || (flag && *index != MPI_UNDEFINED)) {
        if (*index != MPI_UNDEFINED && *index >= 0) some.native_completed(*index);
        return true;
    }
    none_active = flag && !some.some_ours;
    if (none_active) return true;
    for (std::size_t k = 0; k < some.ours.size(); k++)
        if (some.ours[k] && some.ours[k]->look_or_release()) {
            *index = static_cast<int>(k);
            error = some.finish(k, status);
            return true;
        }
    return false;
}

// The library waits for one that is not complete, if none of ours has become so since they were looked at. by_request: one of its own is. What it
// sends by itself for one of ours (a persistent send that is not framed this time, say) is waited for, too: nobody else would notice that.
Woken wait_for_one(Requests &some, int &index, MPI_Status *status, int &error) {
    std::vector<MPI_Request> all = some.natives;
    for (std::size_t k = 0; k < all.size(); k++)
        if (some.ours[k]) all[k] = some.ours[k]->native_send;
    MPI_Status its_status;
    int its_error = MPI_SUCCESS;
    const auto none_is_complete = [&] {
        return std::none_of(some.ours.begin(), some.ours.end(), [](Operation *one) { return one && one->look(); });
    };
    const Woken woken = front::wait_for_any(some.count, all.data(), none_is_complete, index, &its_status, its_error);
    if (woken != Woken::by_request) return woken;
    const auto k = static_cast<std::size_t>(index);
    if (some.ours[k]) {
        some.ours[k]->sent = its_status;
        some.ours[k]->native_send_ended(its_error);
        return Woken::by_receive;
    }
    some.natives[k] = all[k];
    some.native_completed(index);
    give_status(its_status, status);
    error = its_error;
    return woken;
}

bool wait_for_any(Requests &some, int *index, MPI_Status *status, int &error, bool &ended) {
    const Woken woken = wait_for_one(some, *index, status, error);
    ended = woken == Woken::by_request;
    return woken != Woken::not_at_all;
}

// One look; all that are complete end. As MPI_Testsome.
int look_for_some(Requests &some, int *outcount, int indices[], MPI_Status statuses[]) {
    int n = 0;
    const int native_error = mpi::library.Testsome(some.count, some.natives.data(), &n, indices, statuses);
    const bool none = n == MPI_UNDEFINED;
    if (none) n = 0;
    for (int k = 0; k < n; k++) some.native_completed(indices[k]);
    const int natives = n;
    std::vector<int> errors;
    bool failed = false;
    for (std::size_t k = 0; k < some.ours.size(); k++)
        if (some.ours[k] && some.ours[k]->look_or_release()) {
            errors.push_back(some.finish(k, at(statuses, n)));
            some.ours[k] = nullptr;
            failed = failed || errors.back() != MPI_SUCCESS;
            indices[n++] = static_cast<int>(k);
        }
    *outcount = none && !some.some_ours ? MPI_UNDEFINED : n;
    if (statuses != MPI_STATUSES_IGNORE)
        for (int k = 0; k < n; k++) {
            if (k >= natives)
                statuses[k].MPI_ERROR = errors[static_cast<std::size_t>(k - natives)];
            else if (native_error != MPI_ERR_IN_STATUS)
                statuses[k].MPI_ERROR = MPI_SUCCESS;
        }
    return native_error == MPI_SUCCESS && !failed ? MPI_SUCCESS : MPI_ERR_IN_STATUS;
}

// The library waits for one of its own that is not complete. It ends, and with it all others that are complete by then.
bool wait_for_some(Requests &some, int *outcount, int indices[], MPI_Status statuses[], int &error) {
    MPI_Status *const first = at(statuses, 0);
    int index = MPI_UNDEFINED, its_error = MPI_SUCCESS;
    const Woken woken = wait_for_one(some, index, first, its_error);
    if (woken != Woken::by_request) return woken != Woken::not_at_all;
    const progress::Guard guard;
    indices[0] = index;
    some.natives[static_cast<std::size_t>(index)] = MPI_REQUEST_NULL;
    int others = 0;
    error = look_for_some(some, &others, indices + 1, at(statuses, 1));
    *outcount = 1 + (others == MPI_UNDEFINED ? 0 : others);
    if (first != MPI_STATUS_IGNORE) first->MPI_ERROR = its_error;
    if (its_error != MPI_SUCCESS || error != MPI_SUCCESS) error = MPI_ERR_IN_STATUS;
    return true;
}

} // namespace

int Wait(MPI_Request *request, MPI_Status *status) {
    trace::Wait waiting;
    Operation *operation;
    {
        progress::Guard guard;
        enter();
        operation = active_operation(*request);
    }
    if (!operation) {
        if (progress::may_block()) return mpi::library.Wait(request, status);
        return NativeRequest(*request, status).wait();
    }
    check_ended(*operation);
    const bool unmatched = status == MPI_STATUS_IGNORE;
    progress::until([&] { return operation->look_or_release(unmatched); },
                    [&] { return wait_natively(*operation, unmatched); });
    progress::Guard guard;
    return operation->finish(request, status);
}

int Test(MPI_Request *request, int *flag, MPI_Status *status) {
    progress::Guard guard;
    enter();
    if (progress::tasks) progress::poll();
    Operation *operation = active_operation(*request);
    if (!operation) return mpi::library.Test(request, flag, status);
    *flag = operation->look_or_release();
    return *flag ? operation->finish(request, status) : MPI_SUCCESS;
}

int Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    trace::Wait waiting;
    bool mixed;
    {
        progress::Guard guard;
        enter();
        mixed = any_ours(count, requests);
    }
    if (!mixed && progress::may_block()) return mpi::library.Waitall(count, requests, statuses);
    Requests all = [&] {
        progress::Guard guard;
        return Requests(count, requests);
    }();
    all.check_all_ended();
    std::vector<int> errors(all.ours.size(), MPI_SUCCESS);
    std::size_t from = 0;
    progress::until([&] { return look_at_all(all, statuses, errors, from); },
                    [&] { return wait_for_all(all, statuses, errors, from); });
    progress::Guard guard;
    for (std::size_t k = 0; k < all.ours.size(); k++)
        if (all.ours[k]) errors[k] = all.finish(k, at(statuses, static_cast<int>(k)));
    return tell(errors, statuses);
}

int Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    progress::Guard guard;
    enter();
    if (progress::tasks) progress::poll();
    if (!any_ours(count, requests)) return mpi::library.Testall(count, requests, flag, statuses);
    Requests all(count, requests);
    *flag = 0;
    for (Operation *operation : all.ours)
        if (operation && !operation->look_or_release()) return MPI_SUCCESS;
    const int error = mpi::library.Testall(count, all.natives.data(), flag, statuses);
    if (!*flag && error == MPI_SUCCESS) return MPI_SUCCESS;
    *flag = 1;
    return finish_all(all, statuses, error);
}

int Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    trace::Wait waiting;
    bool mixed;
    {
        progress::Guard guard;
        enter();
        mixed = any_ours(count, requests);
    }
    if (!mixed && progress::may_block()) return mpi::library.Waitany(count, requests, index, status);
    int error = MPI_SUCCESS;
    bool none_active = false;
    Requests some = [&] {
        progress::Guard guard;
        return Requests(count, requests);
    }();
    some.check_some_ends();
    bool looked = false, ended = false; // one of ours may be complete: all are looked at before each wait
    progress::until(
        [&] {
            looked = true;
            return ended || look_for_any(some, index, status, error, none_active);
        },
        [&] { return std::exchange(looked, false) && wait_for_any(some, index, status, error, ended); });
    return error;
}

int Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    progress::Guard guard;
    enter();
    if (progress::tasks) progress::poll();
    if (!any_ours(count, requests)) return mpi::library.Testany(count, requests, index, flag, status);
    Requests some(count, requests);
    int error = MPI_SUCCESS;
    bool none_active = false;
    *flag = look_for_any(some, index, status, error, none_active);
    if (!*flag) *index = MPI_UNDEFINED;
    return error;
}

int Waitsome(int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
    trace::Wait waiting;
    bool mixed;
    {
        progress::Guard guard;
        enter();
        mixed = any_ours(count, requests);
    }
    if (!mixed && progress::may_block()) return mpi::library.Waitsome(count, requests, outcount, indices, statuses);
    Requests some = [&] {
        progress::Guard guard;
        return Requests(count, requests);
    }();
    some.check_some_ends();
    int error = MPI_SUCCESS;
    bool looked = false; // as in Waitany
    *outcount = 0;
    progress::until(
        [&] {
            looked = true;
            if (*outcount == 0) error = look_for_some(some, outcount, indices, statuses);
            return error != MPI_SUCCESS || *outcount != 0;
        },
        [&] { return std::exchange(looked, false) && wait_for_some(some, outcount, indices, statuses, error); });
    return error;
}

int Testsome(int count, MPI_Request requests[], int *outcount, int indices[], MPI_Status statuses[]) {
    progress::Guard guard;
    enter();
    if (progress::tasks) progress::poll();
    if (!any_ours(count, requests)) return mpi::library.Testsome(count, requests, outcount, indices, statuses);
    Requests some(count, requests);
    return look_for_some(some, outcount, indices, statuses);
}

int Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    progress::Guard guard;
    enter();
    if (progress::tasks) progress::poll();
    Operation *operation = active_operation(request);
    if (!operation) return mpi::library.Request_get_status(request, flag, status);
    *flag = operation->look();
    if (*flag) operation->peek(status);
    return MPI_SUCCESS;
}

// MPI 4.1, 3.7.6.
int Request_get_status_all(int count, const MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    *flag = 1;
    for (int k = 0; k < count && *flag; k++)
        if (const int error = Request_get_status(requests[k], flag, at(statuses, k)); error != MPI_SUCCESS)
            return error;
    return MPI_SUCCESS;
}

int Request_get_status_any(int count, const MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    progress::Guard guard;
    enter();
    if (progress::tasks) progress::poll();
    // The library's own first: it knows which of its requests are inactive.
    Requests some(count, const_cast<MPI_Request *>(requests));
#ifdef STRETTO_HAS_REQUEST_GET_STATUS_ANY
    const int error = mpi::library.Request_get_status_any(count, some.natives.data(), index, flag, status);
    if (error != MPI_SUCCESS || (*flag && *index != MPI_UNDEFINED) || !some.some_ours) return error;
#endif
    *flag = 0;
    for (std::size_t k = 0; k < some.ours.size(); k++)
        if (some.ours[k] && some.ours[k]->look()) {
            *flag = 1;
            *index = static_cast<int>(k);
            some.ours[k]->peek(status);
            return MPI_SUCCESS;
        }
    *index = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int Request_get_status_some(int count, const MPI_Request requests[], int *outcount, int indices[],
                            MPI_Status statuses[]) {
    progress::Guard guard;
    enter();
    if (progress::tasks) progress::poll();
    Requests some(count, const_cast<MPI_Request *>(requests));
    *outcount = 0;
#ifdef STRETTO_HAS_REQUEST_GET_STATUS_ANY
    const int error = mpi::library.Request_get_status_some(count, some.natives.data(), outcount, indices, statuses);
    if (error != MPI_SUCCESS) return error;
    if (*outcount == MPI_UNDEFINED) {
        if (!some.some_ours) return MPI_SUCCESS;
        *outcount = 0;
    }
#endif
    for (std::size_t k = 0; k < some.ours.size(); k++)
        if (some.ours[k] && some.ours[k]->look()) {
            some.ours[k]->peek(at(statuses, *outcount));
            indices[(*outcount)++] = static_cast<int>(k);
        }
    return MPI_SUCCESS;
}

int Request_free(MPI_Request *request) {
    progress::Guard guard;
    enter();
    forget_memory(*request);
    Operation *operation = operations.find(*request);
    if (!operation) return mpi::library.Request_free(request);
    operation->free(request);
    return MPI_SUCCESS;
}

int Cancel(MPI_Request *request) {
    progress::Guard guard;
    enter();
    Operation *operation = active_operation(*request);
    return operation ? operation->cancel() : mpi::library.Cancel(request);
}

} // namespace stretto::front
