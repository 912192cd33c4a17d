#pragma once

namespace stretto::mpi {

//! The path of the bound library; "" before.
const char *library_path();

} // namespace stretto::mpi
