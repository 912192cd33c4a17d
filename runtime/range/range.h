// A range of bytes: what becomes ready, arrives and is needed.
#pragma once

#include <algorithm>
#include <cstddef>

namespace stretto {

/// Bytes begin .. end-1, counted from wherever the user of the range counts: a message's first byte, or address 0.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;

    constexpr std::size_t bytes() const { return end - begin; }
    constexpr bool empty() const { return begin >= end; }
    constexpr bool covers(Range other) const { return other.empty() || (begin <= other.begin && other.end <= end); }
    constexpr bool intersects(Range other) const { return std::max(begin, other.begin) < std::min(end, other.end); }

    friend constexpr bool operator==(Range, Range) = default;
};

/// What both have; empty() when they have nothing in common.
constexpr Range intersection(Range a, Range b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

} // namespace stretto
