// One-sided communication (MPI 4.1, 12): what early release has to know of it (docs/protocol, rule 12).
#include "front/window.h"
#include "front/handled.h"
#include "progress/progress.h"

namespace stretto::front {

// Before the library makes it. One that it cannot make counts, too.
void open_window() {
    {
        progress::Guard guard;
        windows++;
    }
    hand_over();
}

void close_window(const MPI_Win *) {
    progress::Guard guard;
    windows--;
}

} // namespace stretto::front
