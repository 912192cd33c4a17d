#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

//! \brief Records that one process puts into memory and another one takes out, in this order: put and flag (Danalis, Kim, Pollock, Swany 2005). The flag is
//! how far the records go. Neither side calls anybody for it, and neither waits.
namespace stretto::transport {

//! What a record begins with; its bytes lie behind it.
struct Record {
    std::uint32_t bytes, kind, tag, number;
};

//! \brief How a ring begins that both processes map. All zero: it is empty.
struct RingMemory {
    alignas(64) std::atomic<std::uint64_t> put;   //!< bytes, of all records ever
    alignas(64) std::atomic<std::uint64_t> taken; //!< of these
    alignas(64) std::byte records[];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class Ring {
public:
    //! Records begin at cache lines, so that who takes one out never reads a line that the next one is put into.
    static constexpr std::size_t line = 64;

    static constexpr std::size_t needed(std::size_t bytes) { return (sizeof(Record) + bytes + line - 1) / line * line; }

    //! Memory of a ring whose records have `size` bytes, a power of two of at least 1024.
    static constexpr std::size_t memory_of(std::size_t size) { return sizeof(RingMemory) + size; }

protected:
    Ring() = default;
    Ring(std::byte *memory, std::size_t size) : memory(reinterpret_cast<RingMemory *>(memory)), size(size) {}

    Record *at(std::uint64_t place) const { return reinterpret_cast<Record *>(memory->records + (place & (size - 1))); }
    std::size_t to_the_end(std::uint64_t place) const { return size - (place & (size - 1)); }

    //! Of a record that only fills what is left before the ring's end.
    static constexpr std::uint32_t filler = 0;

    RingMemory *memory = nullptr;
    std::size_t size = 0; // bytes of records
};

//! \brief The side that puts records in.
class RingWriter : Ring {
public:
    RingWriter() = default;
    RingWriter(std::byte *memory, std::size_t size) : Ring(memory, size) {}

    explicit operator bool() const { return memory != nullptr; }

    //! The most bytes that a record should have, so that some are under way while the next one is made.
    std::size_t most() const { return size / 4 - sizeof(Record); }

    //! Room that only put_reserved() may use, for as many records of a line each. False: there is not so much.
    bool reserve(std::size_t records) {
        if (free() < reserved + records * line) return false;
        reserved += records * line;
        return true;
    }
    void give_back(std::size_t records) { reserved -= records * line; }

    //! Where the next record's bytes go; nullptr: there is no room now. Until put() it may be asked for again.
    std::byte *room(std::size_t bytes) {
        const std::size_t wanted = needed(bytes);
        if (to_the_end(end) < wanted) {
            if (free() < to_the_end(end) + wanted + reserved) return nullptr;
            fill();
        }
        if (free() < wanted + reserved) return nullptr;
        return reinterpret_cast<std::byte *>(at(end) + 1);
    }

    //! The record whose bytes are at room() now. kind: not 0.
    void put(const Record &record) {
        *at(end) = record;
        end += needed(record.bytes);
        memory->put.store(end, std::memory_order_release);
    }

    //! Where the bytes of one go that needs a line, into what was reserved. Up to the ring's end there always is a line.
    std::byte *reserved_room() { return reinterpret_cast<std::byte *>(at(end) + 1); }
    void put_reserved(const Record &record) {
        reserved -= line;
        put(record);
    }

private:
    std::size_t free() {
        if (size - (end - taken) < size / 2) taken = memory->taken.load(std::memory_order_acquire);
        return size - (end - taken);
    }

    void fill() {
        const std::size_t rest = to_the_end(end);
        put({static_cast<std::uint32_t>(rest - sizeof(Record)), filler, 0, 0});
    }

    std::uint64_t end = 0, taken = 0; // as far as we know
    std::size_t reserved = 0;
};

//! \brief The side that takes them out.
class RingReader : Ring {
public:
    RingReader() = default;
    RingReader(std::byte *memory, std::size_t size) : Ring(memory, size) {}

    explicit operator bool() const { return memory != nullptr; }

    //! The first record that has not been taken; nullptr: there is none. Its bytes lie behind it until it is.
    const Record *first() {
        for (;;) {
            if (begin == end) end = memory->put.load(std::memory_order_acquire);
            if (begin == end) return nullptr;
            const Record *record = at(begin);
            if (record->kind != filler) return record;
            take(*record);
        }
    }

    void take(const Record &record) {
        begin += needed(record.bytes);
        memory->taken.store(begin, std::memory_order_release);
    }

private:
    std::uint64_t begin = 0, end = 0;
};

} // namespace stretto::transport
