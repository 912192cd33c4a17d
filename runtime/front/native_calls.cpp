#include "front/native_calls.h"

#include "front/system/pages.h"
#include "mpi/waits.h"
#include "pages/guard.h"
#include "pages/quiet.h"
#include "progress/progress.h"

#include <mutex>
#include <optional>

namespace stretto::front::native_calls {

namespace {

int under_way = 0;
constinit thread_local bool looks = false;

// Elsewhere than in such a call we are about to look ourselves, or in the middle of it.
mpi::waits::Found look_from_within() {
    using mpi::waits::Found;
    if (under_way == 0) return Found::nothing_more;
    if (!Alone::in_native_call || looks || pages::Guard::may_lend()) return Found::still;
    std::optional<pages::Quiet> quiet; // as progress::Guard has it
    std::optional<progress::Guard> guard;
    if (!progress::Guard::mine && (progress::Guard::multiple || progress::Guard::pages)) {
        if (pages::Guard::any()) quiet.emplace();
        guard.emplace(std::try_to_lock);
        if (!guard->held()) return Found::still;
    }
    looks = true;
    struct NoMore { // also where an exception of the program's passes
        ~NoMore() { looks = false; }
    } no_more;
    return progress::poll_in_native_call() ? Found::moved : Found::still;
}

} // namespace

void begin() {
    under_way++;
}

void end() {
    under_way--;
}

void look() {
    mpi::waits::call(look_from_within);
}

} // namespace stretto::front::native_calls
