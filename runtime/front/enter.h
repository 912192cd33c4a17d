#pragma once
#include "mpi/library.h"
#include "progress/progress.h"
#include "trigger/registry.h"

namespace stretto::front {

//! How many delta sends are between their begin and their end. stretto_sends_open counts those of them that listen to annotations.
inline int delta_sends_open = 0;

//! Open delta sends take their place in MPI's order before another call of the program may depend on it.
void take_places();

//! Misuse: MPI_Finalize while a delta send is open.
void check_all_ended();

//! Before anything leaves the process (rule 12): receives whose calls returned before their match are matched. Not under the lock.
void wait_for_matches();

//! What a call of the program begins with, under the lock.
inline void enter() {
    if (delta_sends_open) [[unlikely]] {
        trigger::pass_on();
        take_places();
    }
}

} // namespace stretto::front
