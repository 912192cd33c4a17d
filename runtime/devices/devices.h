#pragma once
#include "range/range.h"

#include <atomic>
#include <cstdint>

//! \brief Memory that is not the processor's alone: of a GPU, or pinned for a device. Asked of the drivers that the program has loaded (CUDA's,
//! HIP's, Level Zero's); we load none, and bring none to life.
namespace stretto::devices {

enum class Memory {
    host,       //!< the processor's, as far as the drivers know
    registered, //!< the host's, pinned: a device reads and writes it past its pages' protection
    device, //!< a device's, or managed by its driver: only the driver, and an MPI library that knows it, may touch it
};

namespace state {
enum : std::uint8_t { none = 0, uncertain = 1, loaded = 2 };
inline std::atomic<std::uint8_t> drivers{uncertain};
bool look();
} // namespace state

//! Is a driver loaded? One load and a branch where none is.
inline bool any() {
    return state::drivers.load(std::memory_order_relaxed) != state::none && state::look();
}

//! A library is about to be loaded, or a device's file opened: what was found before says nothing now. From any thread, at any time.
void something_comes();

//! What the drivers say of an address.
Memory memory_of(const void *address);

//! Might a device read or write this memory past the protection of its pages? It might in any process that has a driver's file open which can pin
//! memory: a GPU's, or a network card's.
bool may_reach(Range addresses);

} // namespace stretto::devices
