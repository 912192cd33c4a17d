// One-sided communication (MPI 4.1, 12): what early release has to know of it (docs/protocol, rule 12), and what pages do.
//
// A peer's get or put is served in whatever call this rank makes, by another thread, or by the kernel from the peer's side. None of them
// may meet a closed page: so memory of a window is neither guarded nor tracked.
#include "front/calls/window.h"
#include "front/handled.h"
#include "pages/memory.h"
#include "progress/progress.h"

#include <vector>

namespace stretto::front {

// Before the library makes it. One that it cannot make counts, too.
void open_window() {
    {
        progress::Guard guard;
        windows++;
    }
    hand_over();
}

namespace {

// A dynamic window has several.
struct Exposed {
    MPI_Win window;
    Range memory;
};
constinit std::vector<Exposed> all_exposed;

void expose(MPI_Win window, const void *base, std::size_t bytes) {
    const progress::Guard guard;
    all_exposed.push_back({window, pages::addresses_of(base, bytes)});
    pages::expose(all_exposed.back().memory);
}

template <class Which>
void forget(Which which) {
    const progress::Guard guard;
    std::erase_if(all_exposed, [&](const Exposed &one) {
        if (!which(one)) return false;
        pages::conceal(one.memory);
        return true;
    });
}

} // namespace

void expose(MPI_Win window) {
    void *base = nullptr;
    MPI_Aint *bytes = nullptr;
    int has_base = 0, has_bytes = 0;
    mpi::library.Win_get_attr(window, MPI_WIN_BASE, static_cast<void *>(&base), &has_base);
    mpi::library.Win_get_attr(window, MPI_WIN_SIZE, static_cast<void *>(&bytes), &has_bytes);
    if (has_base && has_bytes && *bytes > 0) expose(window, base, static_cast<std::size_t>(*bytes));
}

void attach(MPI_Win window, const void *base, MPI_Aint bytes) {
    if (bytes > 0) expose(window, base, static_cast<std::size_t>(bytes));
}

void detach(MPI_Win window, const void *base) {
    forget([&](const Exposed &one) { return one.window == window && pages::pointer(one.memory.begin) == base; });
}

void conceal(MPI_Win window) {
    forget([&](const Exposed &one) { return one.window == window; });
}

void close_window(const MPI_Win *) {
    progress::Guard guard;
    windows--;
}

} // namespace stretto::front
