#include "message/bounce.h"

#include <vector>

namespace stretto::message::bounce {

namespace {

constexpr std::size_t most_kept = 4 << 20; // bytes

// Blocks of one size: a program's deltas mostly have one.
constinit std::vector<Block> kept;
std::size_t block_bytes = 0;

} // namespace

Block take(std::size_t bytes) {
    if (bytes != block_bytes || kept.empty()) return std::make_unique_for_overwrite<std::byte[]>(bytes);
    Block block = std::move(kept.back());
    kept.pop_back();
    return block;
}

void give_back(Block block, std::size_t bytes) {
    if (bytes != block_bytes) {
        // A short last delta does not drive the others out.
        if (bytes < block_bytes && !kept.empty()) return;
        kept.clear();
        block_bytes = bytes;
    }
    if ((kept.size() + 1) * bytes <= most_kept) kept.push_back(std::move(block));
}

} // namespace stretto::message::bounce
