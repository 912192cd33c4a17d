// A ring against what was put into it: in one thread whatever room there is, and between two.
#include "transport/ring.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <random>
#include <sched.h>
#include <thread>
#include <vector>

namespace stretto::transport {
namespace {

constexpr std::size_t size = 2048;

struct Memory {
    std::byte *bytes = static_cast<std::byte *>(std::aligned_alloc(64, Ring::memory_of(size)));
    Memory() { std::fill_n(bytes, Ring::memory_of(size), std::byte{0}); }
    ~Memory() { std::free(bytes); }
};

std::byte byte_of(std::uint32_t number, std::size_t k) {
    return static_cast<std::byte>(7 * number + k);
}

bool put(RingWriter &writer, std::uint32_t number, std::size_t bytes) {
    std::byte *room = writer.room(bytes);
    if (!room) return false;
    for (std::size_t k = 0; k < bytes; k++) room[k] = byte_of(number, k);
    writer.put({static_cast<std::uint32_t>(bytes), 1, 5, number});
    return true;
}

void expect(const Record *record, std::uint32_t number, std::size_t bytes) {
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->number, number);
    EXPECT_EQ(record->tag, 5u);
    ASSERT_EQ(record->bytes, bytes);
    const auto *its = reinterpret_cast<const std::byte *>(record + 1);
    for (std::size_t k = 0; k < bytes; k++) ASSERT_EQ(its[k], byte_of(number, k));
}

TEST(Ring, GivesWhatWasPutInItsOrder) {
    Memory memory;
    RingWriter writer(memory.bytes, size);
    RingReader reader(memory.bytes, size);
    EXPECT_EQ(reader.first(), nullptr);
    std::mt19937 random(1);
    std::deque<std::size_t> under_way;
    std::uint32_t next = 0, first = 0;
    std::size_t full = 0;
    for (int step = 0; step < 100000; step++) {
        if (random() % 2) {
            const std::size_t bytes = random() % (writer.most() + 1);
            if (put(writer, next, bytes)) {
                next++;
                under_way.push_back(bytes);
            } else
                full++;
        } else if (const Record *record = reader.first()) {
            expect(record, first++, under_way.front());
            under_way.pop_front();
            reader.take(*record);
        } else
            EXPECT_TRUE(under_way.empty());
    }
    EXPECT_GT(full, 100u);
    EXPECT_GT(next, 10000u);
}

TEST(Ring, KeepsWhatIsReserved) {
    Memory memory;
    RingWriter writer(memory.bytes, size);
    RingReader reader(memory.bytes, size);
    std::mt19937 random(2);
    std::uint32_t next = 0, first = 0;
    for (int round = 0; round < 2000; round++) {
        ASSERT_TRUE(writer.reserve(3));
        // Whatever is put until there is no room, there is still some for these.
        while (put(writer, next, random() % (writer.most() + 1))) next++;
        for (int k = 0; k < 2; k++) writer.put_reserved({0, 2, 5, next++});
        writer.give_back(1);
        while (const Record *record = reader.first()) {
            EXPECT_EQ(record->number, first++);
            reader.take(*record);
        }
        EXPECT_EQ(first, next);
    }
}

TEST(Ring, ReservesNoMoreThanThereIs) {
    Memory memory;
    RingWriter writer(memory.bytes, size);
    EXPECT_TRUE(writer.reserve(size / Ring::line));
    EXPECT_FALSE(writer.reserve(1));
    EXPECT_EQ(writer.room(0), nullptr);
    writer.give_back(1);
    EXPECT_NE(writer.room(0), nullptr);
}

TEST(Ring, ServesTwoThreads) {
    Memory memory;
    constexpr std::uint32_t records = 200000;
    std::thread other([&] {
        RingWriter writer(memory.bytes, size);
        for (std::uint32_t k = 0; k < records;) put(writer, k, k % 400) ? void(k++) : void(sched_yield());
    });
    RingReader reader(memory.bytes, size);
    for (std::uint32_t k = 0; k < records;) {
        const Record *record = reader.first();
        if (!record) {
            sched_yield();
            continue;
        }
        expect(record, k, k % 400);
        k++;
        reader.take(*record);
    }
    other.join();
}

} // namespace
} // namespace stretto::transport
