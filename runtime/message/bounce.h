#pragma once
#include <cstddef>
#include <memory>

//! \brief Memory for deltas that cannot come in where they belong: taken, filled by the library, copied out, given back. What was used
//! last is used next, while it is in the caches.
namespace stretto::message::bounce {

using Block = std::unique_ptr<std::byte[]>;

Block take(std::size_t bytes);

//! Of so many bytes, as it was taken.
void give_back(Block block, std::size_t bytes);

} // namespace stretto::message::bounce
