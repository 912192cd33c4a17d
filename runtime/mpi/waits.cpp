#include "mpi/waits.h"

#include "mpi/library.h"
#include "mpi/library_path.h"

#include <atomic>
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

// How many events there were.
int on_progress() {
    return called && look() == Found::moved;
}

using Register = int (*)(int (*)());

Register find() {
    void *library = dlopen(library_path(), RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = library ? dlsym(library, "opal_progress_register") : nullptr;
    if (library) dlclose(library);
    return reinterpret_cast<Register>(symbol);
}

Register hook() {
    static const Register found = find();
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

} // namespace stretto::mpi::waits
