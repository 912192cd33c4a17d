#include "range/section.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace stretto {

namespace {

std::byte *moved(std::byte *place, std::int64_t bytes) {
    return reinterpret_cast<std::byte *>(reinterpret_cast<std::uintptr_t>(place) + static_cast<std::uintptr_t>(bytes));
}

} // namespace

// Around what is there. False: it is too large.
bool Section::add(Dimension outer) {
    std::int64_t bytes = 0, from_first_to_last = 0;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(bytes_), outer.count, &bytes)) return false;
    if (__builtin_mul_overflow(outer.stride, outer.count - 1, &from_first_to_last)) return false;
    bytes_ = static_cast<std::size_t>(bytes);
    if (outer.count == 1) return true;
    if (dimensions_ == 0 && outer.stride == static_cast<std::int64_t>(run_)) {
        run_ = bytes_;
        return true;
    }
    if (dimensions_ > 0) {
        Dimension &inner = dimension_[static_cast<std::size_t>(dimensions_ - 1)];
        if (outer.stride == inner.stride * inner.count) {
            inner.count *= outer.count;
            return true;
        }
    }
    dimension_[static_cast<std::size_t>(dimensions_++)] = outer;
    return true;
}

std::optional<Section> Section::make(const void *first, int dimensions, const std::int64_t count[],
                                     const std::int64_t stride[], std::int64_t element_bytes) {
    Section section;
    if (std::any_of(count, count + dimensions, [](std::int64_t each) { return each == 0; })) return section;
    section.first_ = static_cast<std::byte *>(const_cast<void *>(first)); // a section that is sent is only read
    section.run_ = section.bytes_ = static_cast<std::size_t>(element_bytes);
    for (int k = dimensions - 1; k >= 0; k--)
        if (!section.add({count[k], stride[k]})) return {};
    return section;
}

template <class Do>
void Section::for_each_run(Do do_it) const {
    if (bytes_ == 0) return;
    std::array<std::int64_t, most_dimensions> at{};
    std::byte *run = first_;
    while (true) {
        do_it(run);
        std::size_t k = 0;
        const auto n = static_cast<std::size_t>(dimensions_);
        for (; k < n && ++at[k] == dimension_[k].count; k++) {
            run = moved(run, -dimension_[k].stride * (dimension_[k].count - 1));
            at[k] = 0;
        }
        if (k == n) return;
        run = moved(run, dimension_[k].stride);
    }
}

// Of a length that the compiler knows, a copy is a load and a store.
template <std::size_t run, class Copy>
void Section::copy_runs(Copy copy) const {
    for_each_run([&](std::byte *here) { copy(here, run ? run : run_); });
}

template <class Copy>
void Section::copy_all(Copy copy) const {
    switch (run_) {
    case 4:
        return copy_runs<4>(copy);
    case 8:
        return copy_runs<8>(copy);
    default:
        return copy_runs<0>(copy);
    }
}

void Section::pack(std::byte *to) const {
    copy_all([&](const std::byte *run, std::size_t bytes) __attribute__((always_inline)) {
        std::memcpy(to, run, bytes);
        to += bytes;
    });
}

void Section::unpack(const std::byte *from) const {
    copy_all([&](std::byte * run, std::size_t bytes) __attribute__((always_inline)) {
        std::memcpy(run, from, bytes);
        from += bytes;
    });
}

// In the order of memory: strides are positive, and the last dimension's is largest.
class Section::Sorted {
public:
    explicit Sorted(const Section &section) : low(reinterpret_cast<std::uintptr_t>(section.first_)), run(section.run_) {
        for (std::size_t k = 0; k < static_cast<std::size_t>(section.dimensions_); k++) {
            auto [count, stride] = section.dimension_[k];
            if (stride < 0) low += static_cast<std::uintptr_t>(stride * (count - 1));
            if (stride == 0) repeats = true;
            if (stride != 0) dimension[static_cast<std::size_t>(dimensions++)] = {count, stride < 0 ? -stride : stride};
        }
        std::sort(dimension.begin(), dimension.begin() + dimensions,
                  [](Dimension a, Dimension b) { return a.stride < b.stride; });
        extent[0] = run;
        for (std::size_t k = 0; k < static_cast<std::size_t>(dimensions); k++)
            extent[k + 1] = extent[k] + static_cast<std::uintptr_t>(dimension[k].stride * (dimension[k].count - 1));
    }

    // Nothing of a dimension lies within what is inside it.
    bool nested() const {
        for (std::size_t k = 0; k < static_cast<std::size_t>(dimensions); k++)
            if (static_cast<std::uintptr_t>(dimension[k].stride) < extent[k]) return false;
        return true;
    }

    std::uintptr_t low;
    std::size_t run;
    int dimensions = 0;
    bool repeats = false; // the same elements, again and again
    std::array<Dimension, most_dimensions> dimension{};
    std::array<std::uintptr_t, most_dimensions + 1> extent{}; // of the innermost 0, 1, ... dimensions

    // The part of a section within the innermost `dimensions`, from `low` on.
    struct Part {
        const Sorted *section;
        int dimensions;
        std::uintptr_t low;
        std::uintptr_t extent() const { return section->extent[static_cast<std::size_t>(dimensions)]; }
    };
    Part all() const { return {this, dimensions, low}; }

    // The larger part is cut along its outermost dimension, and of the pieces only those are looked at that may meet the other part.
    static bool meet(Part a, Part b) {
        if (a.low + a.extent() <= b.low || b.low + b.extent() <= a.low) return false;
        if (a.dimensions == 0 && b.dimensions == 0) return true;
        if (a.dimensions == 0 || (b.dimensions != 0 && a.extent() < b.extent())) std::swap(a, b);
        const Dimension cut = a.section->dimension[static_cast<std::size_t>(a.dimensions - 1)];
        const auto stride = static_cast<std::uintptr_t>(cut.stride);
        Part piece{a.section, a.dimensions - 1, a.low};
        const std::uintptr_t end = a.low + piece.extent();
        const std::uintptr_t from = b.low < end ? 0 : (b.low - end) / stride + 1;
        const std::uintptr_t to =
            std::min(static_cast<std::uintptr_t>(cut.count - 1), (b.low + b.extent() - 1 - a.low) / stride);
        for (std::uintptr_t k = from; k <= to; k++) {
            piece.low = a.low + k * stride;
            if (meet(piece, b)) return true;
        }
        return false;
    }
};

bool Section::overlaps(const Section &other) const {
    if (bytes_ == 0 || other.bytes_ == 0) return false;
    const Sorted one(*this), two(other);
    return Sorted::meet(one.all(), two.all());
}

bool Section::overlaps_itself() const {
    if (contiguous()) return false;
    const Sorted sorted(*this);
    if (sorted.repeats) return true;
    if (sorted.nested()) return false;
    std::vector<const std::byte *> runs;
    runs.reserve(bytes_ / run_);
    for_each_run([&](const std::byte *run) { runs.push_back(run); });
    std::sort(runs.begin(), runs.end());
    return std::adjacent_find(runs.begin(), runs.end(), [&](const std::byte *a, const std::byte *b) {
               return static_cast<std::size_t>(b - a) < run_;
           }) != runs.end();
}

} // namespace stretto
