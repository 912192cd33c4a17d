// Which bytes of memory a datatype names, in which order: MPI's type map (MPI 4.1, 5.1), flattened.
#pragma once

#include "devices/devices.h"
#include "mpi/library.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace stretto::mpi {

/// A contiguous piece of one element of a datatype.
struct Segment {
    std::ptrdiff_t offset; // from the buffer's address, as MPI's displacements
    std::size_t bytes;
    std::size_t packed; // bytes of the element that come before it
};

/// Where the basic elements of a type signature end, in the stream of packed bytes. The stream repeats a pattern of
/// runs; within a run all basic elements have one size.
class ElementPattern {
public:
    struct Run {
        std::size_t packed; // its first byte within the pattern
        std::size_t element_bytes;
        friend bool operator==(const Run &, const Run &) = default;
    };

    /// Whether the pattern was too long to be kept; then no border is known.
    bool known() const { return known_; }

    /// Whether a basic element ends (and the next begins) at this packed offset.
    bool border(std::size_t packed_offset) const;

    /// Whether one does at every multiple of step.
    bool borders_every(std::size_t step) const;

    /// Append basic elements of one size.
    void append_elements(std::size_t element_bytes, std::size_t count);

    /// Append what takes bytes of another pattern's stream (a multiple of its period).
    void append(const ElementPattern &other, std::size_t bytes);

private:
    void unroll();

    std::vector<Run> runs_;
    std::size_t period_ = 0; // bytes after which the runs repeat
    std::size_t bytes_ = 0;  // bytes appended: a multiple of the period
    bool known_ = true;
};

/// One element of a committed datatype, flattened.
class TypeMap {
public:
    /// The most segments that are kept, and the most steps that are taken to find them.
    static constexpr std::size_t segments_limit = std::size_t{1} << 22;
    static constexpr std::size_t steps_limit = std::size_t{1} << 28;

    /// False for what cannot be flattened: MPI_PACKED within, more segments than the limit. Then there are no segments,
    /// and only bytes, extent and lower bound mean something.
    bool known() const { return known_; }

    /// Bytes of data in one element, without gaps: what MPI_Type_size says.
    std::size_t bytes() const { return bytes_; }

    std::ptrdiff_t extent() const { return extent_; }
    std::ptrdiff_t lower_bound() const { return lower_bound_; }

    /// In the order in which MPI packs them, which need not be the order in memory. Neighbours in both are merged.
    std::span<const Segment> segments() const { return segments_; }

    /// Whether any number of elements is one piece of memory.
    bool contiguous() const { return contiguous_; }

    /// Whether, in a stream of such elements, a basic element of the type signature ends at this packed offset.
    bool element_border(std::size_t packed_offset) const { return elements_.border(packed_offset); }

    /// Whether one ends at every multiple of step bytes: fragments cut there never split a basic element.
    bool element_borders_every(std::size_t step) const { return elements_.borders_every(step); }

    /// A reference that outlives MPI_Type_free, for operations under way. Costs nothing for predefined types.
    std::shared_ptr<const TypeMap> shared() const {
        return predefined_ ? std::shared_ptr<const TypeMap>(std::shared_ptr<const TypeMap>(), this) : self_.lock();
    }

    /// The same, of elements whose bytes only the library may touch: not known.
    std::shared_ptr<const TypeMap> untouchable() const;

private:
    friend class Flattening;
    friend class TypeMapCache;

    std::vector<Segment> segments_;
    ElementPattern elements_;
    std::size_t bytes_ = 0;
    std::ptrdiff_t extent_ = 0;
    std::ptrdiff_t lower_bound_ = 0;
    bool known_ = true;
    bool contiguous_ = false;
    bool predefined_ = false; // so never freed
    std::weak_ptr<const TypeMap> self_;
};

/// The type map of a committed datatype; flattened when it is first asked for. The reference is good until the datatype
/// is freed. May be called by any thread, after bind() and between MPI_Init and MPI_Finalize.
const TypeMap &type_map(MPI_Datatype type);

bool drivers_know(const void *base, MPI_Count count, MPI_Datatype type);

/// A datatype of ours that is the program's: the program may free its own handle meanwhile.
class OwnType {
public:
    explicit OwnType(MPI_Datatype type) { library.Type_dup(type, &own); }
    ~OwnType() { library.Type_free(&own); }
    OwnType(const OwnType &) = delete;
    OwnType &operator=(const OwnType &) = delete;

    MPI_Datatype handle() const { return own; }

private:
    MPI_Datatype own;
};

/// Are some of these elements in a device's memory? Then the library alone may touch them. One load and a branch where no driver is loaded.
inline bool in_device_memory(const void *base, MPI_Count count, MPI_Datatype type) {
    return devices::any() && drivers_know(base, count, type);
}

/// count elements of a datatype at an address: the buffer of an MPI call, seen as a stream of packed bytes.
///
///     TypedBuffer buffer(buf, count, type);
///     buffer.pack(4096, 8192, wire);                // bytes 4096..12287 of the message
class TypedBuffer {
public:
    TypedBuffer() = default;
    TypedBuffer(const void *base, MPI_Count count, MPI_Datatype type);

    const TypeMap &map() const { return *map_; }
    std::size_t count() const { return count_; }

    /// All bytes of data in the buffer.
    std::size_t bytes() const { return count_ * map_->bytes(); }
    /// No bytes, or no buffer at all.
    bool empty() const { return !map_ || bytes() == 0; }

    /// Whether all of it is one piece of memory.
    bool contiguous() const { return map_->contiguous() || (count_ <= 1 && map_->segments().size() == 1); }

    /// Where this byte of the message is in memory; a null pointer when the buffer is not contiguous.
    std::byte *contiguous_at(std::size_t packed_offset) const {
        return contiguous() ? at(map_->segments()[0].offset) + packed_offset : nullptr;
    }

    /// The memory between its first and its last byte, gaps included: what addresses in it may name.
    std::span<std::byte> memory() const {
        if (std::byte *begin = contiguous_at(0)) return {begin, bytes()};
        const std::ptrdiff_t span = static_cast<std::ptrdiff_t>(count_) * map_->extent();
        return {at(0), span > 0 ? static_cast<std::size_t>(span) : 0};
    }

    /// Copy all of the message out of the buffer, or into it; where the type map is not known, by the library. (MPI 4.1, 5.2; between equal
    /// machines, packed bytes are the message's.)
    void pack_all(std::byte *out) const;
    void unpack_all(const std::byte *in) const;

    /// Copy bytes packed_begin .. packed_begin + bytes - 1 of the message out of the buffer, or into it. Any offsets,
    /// also within a basic element. The type map must be known.
    void pack(std::size_t packed_begin, std::size_t bytes, std::byte *out) const;
    void unpack(std::size_t packed_begin, std::size_t bytes, const std::byte *in) const;

    /// Call function(std::byte *memory, std::size_t bytes) for each piece of memory of those bytes, in packed order.
    template <typename Function>
    void for_each_piece(std::size_t packed_begin, std::size_t bytes, Function &&function) const;

private:
    // Displacements may be absolute addresses (MPI_BOTTOM), so addresses are added as numbers.
    std::byte *at(std::ptrdiff_t offset) const {
        return reinterpret_cast<std::byte *>(base_ + static_cast<std::uintptr_t>(offset));
    }

    /// The index of the segment that holds this byte of an element.
    std::size_t segment_of(std::size_t packed_in_element) const;

    /// Call function(const void *elements, int count, std::size_t packed_offset) for groups of elements that an int can count in bytes.
    template <typename Function>
    void for_each_group(Function &&function) const;

    std::uintptr_t base_ = 0;
    std::size_t count_ = 0;
    std::shared_ptr<const TypeMap> map_;
    std::shared_ptr<const OwnType> type_; // only where the type map is not known
};

template <typename Function>
void TypedBuffer::for_each_piece(std::size_t packed_begin, std::size_t bytes, Function &&function) const {
    if (bytes == 0) return;
    if (std::byte *memory = contiguous_at(packed_begin)) {
        function(memory, bytes);
        return;
    }
    std::span<const Segment> segments = map_->segments();
    std::size_t element = packed_begin / map_->bytes();
    std::size_t in_element = packed_begin % map_->bytes();
    std::size_t index = segment_of(in_element);
    std::size_t skipped = in_element - segments[index].packed;
    for (;; ++element, index = 0) {
        std::ptrdiff_t base = static_cast<std::ptrdiff_t>(element) * map_->extent();
        for (; index < segments.size(); ++index, skipped = 0) {
            const Segment &segment = segments[index];
            std::size_t piece = segment.bytes - skipped < bytes ? segment.bytes - skipped : bytes;
            function(at(base + segment.offset) + skipped, piece);
            bytes -= piece;
            if (bytes == 0) return;
        }
    }
}

} // namespace stretto::mpi
