// A section of an array: elements at equal distances, in several dimensions (docs/mdmp.md).
#pragma once

#include "range/range.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace stretto {

/// Where a section's elements lie: in as few dimensions as say it, each of runs of bytes without gaps.
///
///     const std::int64_t count[] = {3, 4}, stride[] = {80, 8};      // 3 rows of 80 bytes, of each 4 doubles
///     auto section = Section::make(&a[1][2], 2, count, stride, 8);  // 3 runs of 32 bytes
///     section->pack(message);
class Section {
public:
    static constexpr int most_dimensions = 15;

    /// Of element (i, j, ...) at first + i * stride[0] + j * stride[1] + ..., i below count[0]; the last index runs fastest. Counts are
    /// not negative. Nothing: more bytes than memory has.
    static std::optional<Section> make(const void *first, int dimensions, const std::int64_t count[],
                                       const std::int64_t stride[], std::int64_t element_bytes);

    /// Without elements.
    Section() = default;

    std::size_t bytes() const { return bytes_; }
    bool contiguous() const { return dimensions_ == 0; }
    std::byte *first() const { return first_; }

    void pack(std::byte *to) const;
    void unpack(const std::byte *from) const;

    bool overlaps(const Section &other) const;
    /// Is an element of it a part of another one?
    bool overlaps_itself() const;

private:
    struct Dimension {
        std::int64_t count, stride;
    };
    class Sorted;

    bool add(Dimension outer);
    template <class Do>
    void for_each_run(Do do_it) const;
    template <std::size_t run, class Copy>
    void copy_runs(Copy copy) const;
    template <class Copy>
    void copy_all(Copy copy) const;

    std::byte *first_ = nullptr;
    std::size_t run_ = 0;   // bytes without a gap
    std::size_t bytes_ = 0; // all
    int dimensions_ = 0;
    std::array<Dimension, most_dimensions> dimension_{}; // of runs; the first one is innermost
};

} // namespace stretto
