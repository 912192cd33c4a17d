#include "front/calls/requests.h"

#include "front/enter.h"
#include "front/operation.h"
#include "mpi/requests.h"
#include "progress/progress.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace stretto::front {

namespace {

// Of a persistent request the call that started it last.
constinit mpi::RequestTable<report::Site> begun; // under the lock

// The requests that this thread awaits, as they were before its call, and where each began, if that is known. Here, and not in what the
// wrapper has on its stack, so that a call costs nothing without a report.
struct Awaited {
    Awaits how = Awaits::all;
    const MPI_Request *now = nullptr;
    std::vector<MPI_Request> handles;
    std::vector<report::Site *> begins;
    std::size_t waits_for = 0;
};
thread_local Awaited awaited;

// The library tells of a request without completing it. Not of one of ours, which it does not know; nor where that calls a function of the
// program's (generalized requests) or may raise an error that belongs to the program's own call (persistent ones).
bool can_be_looked_at() {
    const progress::Guard guard;
    for (std::size_t k = 0; k < awaited.handles.size(); k++) {
        const report::Site *began = awaited.begins[k];
        if (awaited.handles[k] == MPI_REQUEST_NULL) continue;
        if (!began || operations.find(awaited.handles[k])) return false;
        if (std::string_view(began->function.load()).starts_with("MPI_Start")) return false;
    }
    front::enter();
    return true;
}

} // namespace

void RequestsBegun::enter() const {
    const progress::Guard guard;
    for (const MPI_Request *request = requests; request < requests + count; request++) {
        begun.erase(*request); // of one that was completed unseen
        if (*request != MPI_REQUEST_NULL) begun.enter(*request, *site);
    }
}

void RequestsAwaited::begin(int count, const MPI_Request *requests, Awaits how) {
    any = true;
    awaited.how = how;
    awaited.now = requests;
    awaited.handles.assign(requests, requests + std::max(count, 0));
    awaited.begins.clear();
    awaited.waits_for = 0;
    const progress::Guard guard;
    for (const MPI_Request handle : awaited.handles) awaited.begins.push_back(begun.find(handle));
    if (count > 0 && (how == Awaits::all || (how == Awaits::any && count == 1)))
        report::waits_for(awaited.begins.front());
}

void RequestsAwaited::wait_for(std::size_t request) {
    if (request == awaited.waits_for || awaited.how != Awaits::all) return;
    awaited.waits_for = request;
    report::waits_for(awaited.begins[request]);
}

void RequestsAwaited::look_in_order() {
    const std::vector<report::Site *> &begins = awaited.begins;
    const bool is_one_site = std::adjacent_find(begins.begin(), begins.end(), std::not_equal_to<>()) == begins.end();
    if (is_one_site || !can_be_looked_at()) return;
    std::size_t from = 0;
    progress::until([&] {
        for (; from < awaited.handles.size(); from++) {
            int done = 1;
            now_for(from);
            const int error = mpi::library.Request_get_status(awaited.handles[from], &done, MPI_STATUS_IGNORE);
            if (!done && error == MPI_SUCCESS) return false;
        }
        return true;
    });
}

void RequestsAwaited::end() {
    any = false;
    const progress::Guard guard;
    report::Site *completed = nullptr;
    for (std::size_t k = 0; k < awaited.handles.size(); k++) {
        if (awaited.now[k] == awaited.handles[k]) continue; // under way, or persistent
        if (!completed) completed = awaited.begins[k];
        begun.erase(awaited.handles[k]);
    }
    if (awaited.how == Awaits::any && completed) report::waited_for(*completed);
}

} // namespace stretto::front
