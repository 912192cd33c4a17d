#include "range/range_set.h"

#include <algorithm>

namespace stretto {

std::size_t RangeSet::first_that_ends_after(std::size_t offset) const {
    auto found = std::partition_point(ranges_.begin(), ranges_.end(), [=](Range r) { return r.end <= offset; });
    return static_cast<std::size_t>(found - ranges_.begin());
}

std::optional<Range> RangeSet::insert_anywhere(Range range) {
    if (range.empty()) return std::nullopt;
    std::size_t next = first_that_ends_after(range.begin);
    if (next < ranges_.size() && ranges_[next].intersects(range)) return intersection(ranges_[next], range);

    bool touches_next = next < ranges_.size() && ranges_[next].begin == range.end;
    bool touches_previous = next > 0 && ranges_[next - 1].end == range.begin;
    auto position = ranges_.begin() + static_cast<std::ptrdiff_t>(next);
    if (touches_previous && touches_next) {
        ranges_[next - 1].end = ranges_[next].end;
        ranges_.erase(position);
    } else if (touches_previous) {
        ranges_[next - 1].end = range.end;
    } else if (touches_next) {
        ranges_[next].begin = range.begin;
    } else {
        ranges_.insert(position, range);
    }
    last_ = touches_previous ? next - 1 : next;
    bytes_ += range.bytes();
    return std::nullopt;
}

void RangeSet::erase(Range range) {
    if (range.empty()) return;
    std::size_t first = first_that_ends_after(range.begin);
    std::size_t end = first;
    while (end < ranges_.size() && ranges_[end].begin < range.end)
        bytes_ -= intersection(ranges_[end++], range).bytes();
    if (first == end) return;

    // What is left of the first and of the last range that were hit; they may be one and the same.
    Range left{ranges_[first].begin, range.begin};
    Range right{range.end, ranges_[end - 1].end};
    auto at = [&](std::size_t i) { return ranges_.begin() + static_cast<std::ptrdiff_t>(i); };
    if (!left.empty() && !right.empty() && end - first == 1) {
        ranges_[first] = right;
        ranges_.insert(at(first), left);
    } else {
        if (!left.empty()) ranges_[first++] = left;
        if (!right.empty()) ranges_[--end] = right;
        ranges_.erase(at(first), at(end));
    }
    last_ = first;
}

bool RangeSet::covers(Range range) const {
    if (range.empty()) return true;
    std::size_t i = first_that_ends_after(range.begin);
    return i < ranges_.size() && ranges_[i].covers(range);
}

std::optional<Range> RangeSet::first_part(Range within) const {
    std::size_t i = first_that_ends_after(within.begin);
    if (i < ranges_.size() && ranges_[i].intersects(within)) return intersection(ranges_[i], within);
    return std::nullopt;
}

std::optional<Range> RangeSet::first_gap(Range within) const {
    std::size_t i = first_that_ends_after(within.begin);
    if (i < ranges_.size() && ranges_[i].begin <= within.begin) within.begin = ranges_[i++].end;
    if (i < ranges_.size()) within.end = std::min(within.end, ranges_[i].begin);
    return within.empty() ? std::nullopt : std::optional(within);
}

} // namespace stretto
