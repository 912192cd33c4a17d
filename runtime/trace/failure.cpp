#include "trace/failure.h"

#include "trace/source.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>
#include <utility>

namespace stretto {

namespace {

int our_rank = -1;
void (*end_job)() = nullptr;
void (*look)() = nullptr;

// The call that the program is in: the first return address that is not in this library.
CallSite current_call() {
    void *frames[64];
    const int n = backtrace(frames, 64);
    Dl_info ours{}, there{};
    dladdr(reinterpret_cast<void *>(current_call), &ours);
    for (int k = 0; k < n; k++)
        if (dladdr(frames[k], &there) && there.dli_fbase != ours.dli_fbase) return frames[k];
    return nullptr;
}

[[noreturn]] void end(const std::string &place, const std::string &operation, const std::string &text) {
    std::fprintf(stderr, "stretto: rank %d: %s: %s (%s)\n", our_rank, operation.c_str(), text.c_str(), place.c_str());
    std::fflush(stderr);
    // MPICH's launcher drops what it has not passed on yet when it hears of an abort.
    usleep(100000);
    if (end_job) end_job();
    std::_Exit(1);
}

} // namespace

std::string describe(CallSite site) {
    // A return address is one instruction past the call.
    return source::describe(source::place(site ? static_cast<const char *>(site) - 1 : nullptr));
}

void on_failure(int rank, void (*how)()) {
    our_rank = rank;
    end_job = how;
}

void before_failure(void (*how)()) {
    look = how;
}

void fail(const char *operation, const std::string &text, CallSite begun) {
    if (!std::exchange(failing, true) && look) look();
    const CallSite call = current_call();
    const std::string origin = begun && begun != call ? "; begun at " + describe(begun) : "";
    end(describe(call) + origin, operation, text);
}

void fail_at(const std::string &place, const std::string &operation, const std::string &text) {
    if (!std::exchange(failing, true) && look) look();
    end(place, operation, text);
}

std::string bytes(std::size_t begin, std::size_t end) {
    return "bytes " + std::to_string(begin) + ".." + std::to_string(end ? end - 1 : 0);
}

} // namespace stretto
