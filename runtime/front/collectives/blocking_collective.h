#pragma once
#include <memory>

namespace stretto::front {

class Scheduled;

//! MPI_X, of a collective that is ours: returns when the program may run on. Not under the lock.
int carry_out(std::unique_ptr<Scheduled> collective);

} // namespace stretto::front
