#include "mpi/waits.h"

#include "mpi/library.h"
#include "mpi/library_path.h"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <optional>

namespace stretto::mpi::waits {

namespace {

Found (*look)() = nullptr;
std::atomic<bool> called{false};

// What the library exports besides its functions of the standard.
template <class Symbol>
Symbol find(const char *name) {
    void *library = dlopen(library_path(), RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = library ? dlsym(library, name) : nullptr;
    if (library) dlclose(library);
    return reinterpret_cast<Symbol>(symbol);
}

#ifdef OPEN_MPI

// In its calls that wait; its control variable of about that name would have it load all that it could ever use, for a quarter of a second.
bool yields_when_idle() {
    const bool *const its = find<const bool *>("opal_progress_yield_when_idle");
    return its && *its;
}

#else

// A control variable that is a number.
std::optional<int> control_variable(const char *name) {
    const auto init = find<decltype(&PMPI_T_init_thread)>("PMPI_T_init_thread");
    const auto finalize = find<decltype(&PMPI_T_finalize)>("PMPI_T_finalize");
    const auto index_of = find<decltype(&PMPI_T_cvar_get_index)>("PMPI_T_cvar_get_index");
    const auto begin = find<decltype(&PMPI_T_cvar_handle_alloc)>("PMPI_T_cvar_handle_alloc");
    const auto read = find<decltype(&PMPI_T_cvar_read)>("PMPI_T_cvar_read");
    const auto end = find<decltype(&PMPI_T_cvar_handle_free)>("PMPI_T_cvar_handle_free");
    int level = MPI_THREAD_SINGLE;
    if (!init || !finalize || !index_of || !begin || !read || !end || init(level, &level) != MPI_SUCCESS) return {};
    std::optional<int> value;
    MPI_T_cvar_handle handle;
    int index = 0, count = 0, found[16] = {};
    if (index_of(name, &index) == MPI_SUCCESS && begin(index, nullptr, &handle, &count) == MPI_SUCCESS) {
        if (count == 1 && read(handle, found) == MPI_SUCCESS) value = found[0];
        end(&handle);
    }
    finalize();
    return value;
}

#endif

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

unsigned looks_before_yield(unsigned most) {
#ifdef OPEN_MPI
    return yields_when_idle() ? 0 : most;
#else
    const int polls = control_variable("MPIR_CVAR_POLLS_BEFORE_YIELD").value_or(0);
    return polls > 0 ? std::min(static_cast<unsigned>(polls), most) : most; // 0: never
#endif
}

} // namespace stretto::mpi::waits
