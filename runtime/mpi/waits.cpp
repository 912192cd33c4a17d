#include "mpi/waits.h"

#include "mpi/library.h"
#include "mpi/library_path.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <dlfcn.h>

namespace stretto::mpi::waits {

namespace {

Found (*look)() = nullptr;
std::atomic<bool> called{false};

#ifdef STRETTO_HAS_ASYNC

int on_progress(MPIX_Async_thing) {
    switch (look()) {
    case Found::nothing_more:
        called = false;
        return MPIX_ASYNC_DONE;
    case Found::moved:
    case Found::still:
        break;
    }
    return MPIX_ASYNC_NOPROGRESS;
}

bool start() {
    return library.MPIX_Async_start(on_progress, nullptr, MPIX_STREAM_NULL) == MPI_SUCCESS;
}

#else

// What the library exports besides its functions of the standard.
template <class Symbol>
Symbol find(const char *name) {
    void *library = dlopen(library_path(), RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = library ? dlsym(library, name) : nullptr;
    if (library) dlclose(library);
    return reinterpret_cast<Symbol>(symbol);
}

// How many events there were.
int on_progress() {
    return called && look() == Found::moved;
}

using Register = int (*)(int (*)());

Register hook() {
    static const auto found = find<Register>("opal_progress_register");
    return found;
}

// Once and for all.
bool start() {
    static const bool registered = hook() && hook()(on_progress) == 0;
    return registered;
}

#endif

} // namespace

#ifdef STRETTO_HAS_ASYNC
// With threads MPICH holds a lock meanwhile that it takes again in whatever we call.
bool can_call() {
    int level = MPI_THREAD_MULTIPLE;
    library.Query_thread(&level);
    return level != MPI_THREAD_MULTIPLE;
}
#else
bool can_call() {
    return hook() != nullptr;
}
#endif

void call(Found (*that)()) {
    look = that;
    if (!called.exchange(true) && !start()) called = false;
}

// Not by MPI_T: Open MPI then loads all that it could ever use, for a quarter of a second, and MPICH 4.0 takes the end of our use of it for that of the
// program's.
unsigned looks_before_yield(unsigned most) {
#ifdef OPEN_MPI
    const bool *const yields = find<const bool *>("opal_progress_yield_when_idle");
    return yields && *yields ? 0 : most;
#else
    const char *const polls = std::getenv("MPIR_CVAR_POLLS_BEFORE_YIELD");
    const int n = polls ? std::atoi(polls) : 0;
    return n > 0 ? std::min(static_cast<unsigned>(n), most) : most; // 0: never
#endif
}

} // namespace stretto::mpi::waits
