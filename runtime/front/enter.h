#pragma once
#include "mpi/library.h"
#include "progress/progress.h"

#include <stretto/stretto.h>

namespace stretto::front {

//! Open delta sends take their place in MPI's order before another call of the program may depend on it.
void take_places();

//! Misuse: MPI_Finalize while a delta send is open.
void check_all_ended();

//! What a call of the program begins with, under the lock.
inline void enter() {
    if (stretto_sends_open) [[unlikely]]
        take_places();
}

} // namespace stretto::front
