#pragma once
#include "mpi/library.h"

#include <cstddef>

namespace stretto::front {

//! How many windows there are. What others put into them comes in no order that we know.
inline std::size_t windows = 0;

//! Others reach its memory: no page of it is guarded or watched.
void expose(MPI_Win window);

//! No more: the program frees it.
void conceal(MPI_Win window);

//! The library has freed one.
void close_window(const MPI_Win *none);

//! The same of a part of a dynamic window.
void attach(MPI_Win window, const void *base, MPI_Aint bytes);
void detach(MPI_Win window, const void *base);

} // namespace stretto::front
