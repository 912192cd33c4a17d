#include "front/system/pages.h"

#include "pages/dispatch.h"
#include "pages/guard.h"
#include "pages/memory.h"
#include "pages/tracker.h"
#include "progress/helper.h"
#include "settings/settings.h"
#include "trace/failure.h"
#include "trace/report.h"
#include "trace/source.h"
#include "trigger/registry.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/single_threaded.h>
#include <sys/stat.h>

namespace stretto::front {

namespace {

// A thread of the program has begun to write another delta. It sends what it has passed, if it may: not in a call of MPI, nor while
// another thread is; then whoever gets control next does.
void on_notice() {
    if (nested()) return;
    progress::Guard guard{std::try_to_lock};
    if (!guard.held()) return;
    const Inside inside;
    const progress::Apart apart;
    trigger::pass_on();
}

// A thread touches what has not come, or a call settles. A touch from inside the library has no way out: the library may not be called
// again, and nothing else brings the bytes.
void until(Range wanted, bool (*done)(void *what), void *what) {
    if (failing) return; // asking for a source line makes a process
    leave_dead_calls(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
    if (progress::Guard::mine) {
        if (done(what) || pages::Guard::lend(wanted)) return;
        fail("receive", "a buffer whose message has not come yet is used by a call of MPI that does not name it");
    }
    const report::Stop stop(pages::Guard::touch());
    const Inside inside;
    const progress::Looking looks;
    progress::Patience patience;
    const void *const address = pages::pointer(wanted.begin);
    for (bool waits = false;; waits = true) {
        {
            const progress::Apart apart;
            progress::Guard guard;
            if (done(what)) return;
            if (!waits) trigger::waits(address, wanted.bytes(), true);
            // All that has come, which saves its faults; and what is wanted, which may have come before what lies in front of it.
            if (progress::tasks) progress::poll();
            trigger::arrived(address, wanted.bytes());
            if (done(what)) {
                trigger::waits(address, wanted.bytes(), false);
                return;
            }
        }
        patience.pause();
    }
}

void warn(const char *variable, const char *forced, const char *got, const std::string &reason) {
    if (forced && std::string(forced) != got)
        std::fprintf(stderr, "stretto: %s=%s does not work here: %s; it is %s\n", variable, forced, reason.c_str(),
                     got);
}

// What the kernel's accesses are not seen of is not watched, unless the user said that wrappers are enough.
std::string see_system_calls() {
    const bool by_wrappers = std::string_view(settings.system_calls) == "wrappers";
    return by_wrappers ? "" : pages::dispatch::start(nested);
}

} // namespace

void start_pages() {
    static const bool once = [] {
        progress::Guard::pages = true;
        source::start();
        const std::string unseen = see_system_calls();
        const pages::TrackingChoice tracking = pages::choose_tracking(settings.tracker, unseen);
        const pages::GuardingChoice guarding =
            hears_of_free()
                ? pages::choose_guarding(settings.guard, unseen)
                : pages::GuardingChoice{pages::Guarding::block, "the program brings its own malloc and free"};
        warn("STRETTO_TRACKER", settings.tracker, pages::name(tracking.tracking), tracking.reason);
        warn("STRETTO_GUARD", settings.guard, pages::name(guarding.guarding), guarding.reason);
        pages::Tracker::start(tracking.tracking, on_notice);
        pages::Guard::start(guarding, until);
        return true;
    }();
    static_cast<void>(once);
}

void settle_bytes(const void *address, std::size_t bytes, bool written) {
    pages::Guard::settle(address, bytes);
    if (written) pages::Tracker::settle(address, bytes);
}

// Page by page: what lies behind its end is none of it.
void settle_text(const char *text) {
    if (!text || !pages::Guard::any()) return;
    const std::size_t page = pages::page_bytes();
    for (;;) {
        const std::size_t left = page - reinterpret_cast<std::uintptr_t>(text) % page;
        pages::Guard::settle(text, left);
        if (std::memchr(text, 0, left)) return;
        text += left;
    }
}

void settle_from(const void *address) {
    if (reinterpret_cast<std::uintptr_t>(address) < pages::page_bytes()) return; // it means something else
    pages::Guard::settle(address, SIZE_MAX - reinterpret_cast<std::uintptr_t>(address));
}

namespace {

// Our own may be there.
bool other_threads() {
    if (__libc_single_threaded) return false;
    struct stat tasks;
    return !progress::helper::runs() || stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink > 2 + 2;
}

} // namespace

Alone::Alone() {
    if (!progress::Guard::multiple && progress::Guard::pages && !progress::Guard::mine && !in_native_call)
        guard.emplace();
    in_native_call = true;
}

Alone::~Alone() {
    in_native_call = was;
}

void settle_everything(bool uses_buffers) {
    if (!pages::Guard::any() && !pages::Tracker::any()) return;
    if (uses_buffers || (!progress::Guard::multiple && other_threads())) pages::Guard::retire(nullptr, SIZE_MAX);
    if (uses_buffers) pages::Tracker::open_everything();
}

void settle_everything_in_time() {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point last = Clock::now() + std::chrono::seconds(1);
    if (!progress::Guard::mine) progress::until([last] { return !pages::Guard::any() || Clock::now() > last; });
    pages::Guard::give_up(nullptr, SIZE_MAX);
    pages::Tracker::open_everything();
}

} // namespace stretto::front
