// Calls inside calls: whose they are, and those that were left by a jump.
#include "front/entry.h"

#include "front/system/pages.h"
#include "mpi/library_path.h"
#include "pages/dispatch.h"
#include "pages/fault.h"
#include "pages/guard.h"
#include "pages/memory.h"
#include "progress/progress.h"
#include "trace/report.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <string_view>
#include <utility>

namespace stretto::front {

namespace {

// What MPI libraries consist of besides bindings: they call MPI for themselves (ROMIO in an object of its own, collectives, one-sided
// communication).
constexpr std::string_view parts[] = {"libmpi.", "libmpi_abi.", "libpmpi.", "libmpich.", "libmpi-",
                                      "mca_",    "libromio",    "libopen-", "libhcoll",  "libucc",
                                      "libuc",   "libfabric",   "libpmix"};

bool is_of_the_library(const void *address) {
    Dl_info object{};
    if (!dladdr(address, &object) || !object.dli_fname) return false; // code made while running: the program's
    std::string_view name = object.dli_fname;
    name.remove_prefix(name.rfind('/') + 1);
    if (std::string_view(mpi::library_path()).ends_with(name)) return true;
    return std::any_of(std::begin(parts), std::end(parts),
                       [&](std::string_view part) { return name.starts_with(part); });
}

// There are few places that such calls come from. Of all threads: a library that is loaded late has little room for each one's own.
bool comes_from_the_library(const void *address) {
    static constinit std::array<std::atomic<std::uintptr_t>, 64>
        known{}; // an address, and in its lowest bit whether it is
    const auto number = reinterpret_cast<std::uintptr_t>(address) << 1;
    std::atomic<std::uintptr_t> &one = known[(number >> 3) % known.size()];
    if (const std::uintptr_t found = one.load(std::memory_order_relaxed); found >> 1 == number >> 1) return found & 1;
    const bool is = is_of_the_library(address);
    one.store(number | is, std::memory_order_relaxed);
    return is;
}

// Stacks grow downwards: what lies below where the program is now is over. Of another stack than the thread's (a fiber's) nobody knows.
int first_dead_call(std::uintptr_t stack) {
    const Range own = pages::own_stack();
    const int known = std::min(depth, most_frames);
    int first = depth;
    if (!own.covers({stack, stack + 1})) return first;
    for (int k = known - 1; k >= 0; k--) {
        const std::uintptr_t at = frames[static_cast<std::size_t>(k)].stack;
        if (own.covers({at, at + 1}) && at < stack) first = k;
    }
    return first;
}

void end_dead_calls(std::uintptr_t stack) {
    const int first = first_dead_call(stack);
    if (first == depth) return;
    const Frame &dead = frames[static_cast<std::size_t>(first)];
    progress::Guard::leave();
    progress::stop_looking(dead.looking);
    progress::stop_blocking(dead.blocked);
    progress::apart = false;
    Alone::in_native_call = false;
    pages::Guard::leave_touch();
    pages::fault::leave(stack);
    report::leave();
    depth = first;
}

} // namespace

bool is_nested(const void *return_address) {
    if (comes_from_the_library(return_address)) return true;
    leave_dead_calls(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
    return false;
}

void leave_dead_calls(std::uintptr_t stack) {
    if (depth > 0) end_dead_calls(stack);
    if (pages::dispatch::on) pages::dispatch::leave(stack); // last: from here on system calls are the program's
}

void Within::begin() {
    begun = true;
    lock.emplace();
    was_native = std::exchange(Alone::in_native_call, false);
    was_apart = std::exchange(progress::apart, false);
    outer_caller = caller;
}

void Within::end() {
    caller = outer_caller;
    progress::apart = was_apart;
    Alone::in_native_call = was_native;
    lock.reset();
}

} // namespace stretto::front
