#pragma once
#include "mpi/library.h"

#include <cstddef>

namespace stretto::front {

//! How many windows there are. What others put into them comes in no order that we know.
inline std::size_t windows = 0;

//! The library has freed one.
void close_window(const MPI_Win *none);

} // namespace stretto::front
