// A set of bytes, as the fewest ranges that make it up.
#pragma once

#include "range/range.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace stretto {

/// Sorted ranges that neither overlap nor touch: what touches is merged.
///
/// Programs mostly go through a buffer from one end to the other, so the set remembers the range that was touched last,
/// and extending that one at either end costs a few comparisons and no allocation.
///
///     RangeSet ready;
///     ready.insert({0, 512});
///     ready.insert({512, 1024});                    // ready.ranges() is {{0, 1024}}
///     ready.insert({1000, 2000});                   // is {1000, 1024}: declared twice; nothing was inserted
///     ready.first_gap({0, 4096});                   // is {1024, 4096}
class RangeSet {
public:
    /// Insert bytes that must not be there yet. Returns the first part of range that was there already; then the set
    /// is unchanged. An empty range changes nothing.
    std::optional<Range> insert(Range range) {
        if (last_ < ranges_.size() && !range.empty()) {
            Range &last = ranges_[last_];
            if (range.begin == last.end && (last_ + 1 == ranges_.size() || range.end < ranges_[last_ + 1].begin)) {
                last.end = range.end;
                bytes_ += range.bytes();
                return std::nullopt;
            }
            if (range.end == last.begin && (last_ == 0 || ranges_[last_ - 1].end < range.begin)) {
                last.begin = range.begin;
                bytes_ += range.bytes();
                return std::nullopt;
            }
        }
        return insert_anywhere(range);
    }

    /// Take out what is there of range.
    void erase(Range range);

    void clear() {
        ranges_.clear();
        bytes_ = 0;
        last_ = 0;
    }

    bool empty() const { return ranges_.empty(); }
    std::size_t bytes() const { return bytes_; }
    std::span<const Range> ranges() const & { return ranges_; }
    std::span<const Range> ranges() const && = delete; // of a set that is gone when they are looked at

    /// The range that the last insertion made or extended. There must have been one since the last clear() or erase().
    Range last_touched() const { return ranges_[last_]; }

    /// Whether every byte of range is in the set; so for an empty range.
    bool covers(Range range) const;

    /// Whether some byte of range is in the set.
    bool intersects(Range range) const { return first_part(range).has_value(); }

    /// The first run of bytes of within that are in the set.
    std::optional<Range> first_part(Range within) const;

    /// The first run of bytes of within that are not in the set.
    std::optional<Range> first_gap(Range within) const;

    /// Call function(Range) for every run of bytes of within that are in the set, in order. It must not change the set.
    template <typename Function>
    void for_each_part(Range within, Function &&function) const {
        for (std::size_t i = first_that_ends_after(within.begin); i < ranges_.size(); ++i) {
            Range part = intersection(ranges_[i], within);
            if (part.empty()) break;
            function(part);
        }
    }

    /// Call function(Range) for every run of bytes of within that are not in the set, in order. It must not change the
    /// set.
    template <typename Function>
    void for_each_gap(Range within, Function &&function) const {
        std::size_t begin = within.begin;
        for_each_part(within, [&](Range part) {
            if (begin < part.begin) function(Range{begin, part.begin});
            begin = part.end;
        });
        if (begin < within.end) function(Range{begin, within.end});
    }

private:
    std::optional<Range> insert_anywhere(Range range);

    /// The index of the first range with end > offset; ranges_.size() when there is none.
    std::size_t first_that_ends_after(std::size_t offset) const;

    std::vector<Range> ranges_;
    std::size_t bytes_ = 0;
    std::size_t last_ = 0; // the range that was touched last; past the end when there is none
};

} // namespace stretto
