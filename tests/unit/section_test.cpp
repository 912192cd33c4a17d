#include "range/section.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <random>
#include <set>
#include <vector>

using stretto::Section;

namespace {

constexpr std::size_t middle = 4096;

struct Shape {
    std::size_t first;
    std::vector<std::int64_t> count, stride;
    std::int64_t element;

    Section section(std::byte *memory) const {
        const auto made =
            Section::make(memory + first, static_cast<int>(count.size()), count.data(), stride.data(), element);
        return made ? *made : Section();
    }

    // The first byte of each element, in the order of the section.
    std::vector<std::size_t> elements() const {
        std::vector<std::size_t> all = {first};
        for (std::size_t k = 0; k < count.size(); k++) {
            std::vector<std::size_t> more;
            for (const std::size_t one : all)
                for (std::int64_t i = 0; i < count[k]; i++)
                    more.push_back(one + static_cast<std::size_t>(i * stride[k]));
            all = more;
        }
        return all;
    }

    std::multiset<std::size_t> bytes() const {
        std::multiset<std::size_t> all;
        for (const std::size_t one : elements())
            for (std::size_t k = 0; k < static_cast<std::size_t>(element); k++) all.insert(one + k);
        return all;
    }
};

class Random {
public:
    explicit Random(unsigned seed) : engine(seed) {}
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine);
    }
    Shape shape() {
        static constexpr std::int64_t sizes[] = {1, 2, 4, 8, 12};
        Shape shape{middle + static_cast<std::size_t>(between(-40, 40)), {}, {}, sizes[between(0, 4)]};
        for (std::int64_t k = between(0, 3); k > 0; k--) {
            shape.count.push_back(between(between(0, 9) ? 1 : 0, 5));
            const std::int64_t step = between(0, 2) ? shape.element : 1;
            shape.stride.push_back(step * between(-12, 24));
        }
        return shape;
    }

private:
    std::mt19937 engine;
};

std::vector<std::byte> numbered() {
    std::vector<std::byte> memory(2 * middle);
    for (std::size_t k = 0; k < memory.size(); k++) memory[k] = static_cast<std::byte>(k * 7 + (k >> 8));
    return memory;
}

} // namespace

TEST(Section, PacksItsElementsInTheirOrder) {
    Random random(1);
    std::vector<std::byte> memory = numbered();
    for (int turn = 0; turn < 3000; turn++) {
        const Shape shape = random.shape();
        const Section section = shape.section(memory.data());
        const auto elements = shape.elements();
        const auto bytes = static_cast<std::size_t>(shape.element);
        ASSERT_EQ(section.bytes(), elements.size() * bytes);
        std::vector<std::byte> packed(section.bytes());
        section.pack(packed.data());
        for (std::size_t k = 0; k < elements.size(); k++)
            ASSERT_EQ(std::memcmp(&packed[k * bytes], &memory[elements[k]], bytes), 0) << turn;
    }
}

TEST(Section, UnpackChangesItsElementsAndNothingElse) {
    Random random(2);
    for (int turn = 0; turn < 1000; turn++) {
        const Shape shape = random.shape();
        std::vector<std::byte> memory = numbered(), expected = memory;
        const Section section = shape.section(memory.data());
        if (section.overlaps_itself()) continue;
        std::vector<std::byte> packed(section.bytes());
        for (std::size_t k = 0; k < packed.size(); k++) packed[k] = static_cast<std::byte>(k * 5 + 1);
        section.unpack(packed.data());
        std::size_t at = 0;
        for (const std::size_t element : shape.elements())
            for (std::size_t k = 0; k < static_cast<std::size_t>(shape.element); k++)
                expected[element + k] = packed[at++];
        ASSERT_EQ(memory, expected) << turn;
    }
}

TEST(Section, OverlapsWhatHasABytesOfIt) {
    Random random(3);
    std::vector<std::byte> memory(2 * middle);
    int met = 0;
    for (int turn = 0; turn < 20000; turn++) {
        const Shape one = random.shape(), two = random.shape();
        const auto a = one.bytes(), b = two.bytes();
        const bool expected = std::any_of(a.begin(), a.end(), [&](std::size_t each) { return b.count(each) != 0; });
        ASSERT_EQ(one.section(memory.data()).overlaps(two.section(memory.data())), expected) << turn;
        met += expected;
    }
    EXPECT_GT(met, 2000);
    EXPECT_LT(met, 18000);
}

TEST(Section, OverlapsItselfWhereAByteIsInTwoElements) {
    Random random(4);
    std::vector<std::byte> memory(2 * middle);
    for (int turn = 0; turn < 5000; turn++) {
        const Shape shape = random.shape();
        const auto bytes = shape.bytes();
        const bool expected = std::adjacent_find(bytes.begin(), bytes.end()) != bytes.end();
        ASSERT_EQ(shape.section(memory.data()).overlaps_itself(), expected) << turn;
    }
}

TEST(Section, ColumnsOfAnArrayDoNotOverlap) {
    constexpr std::int64_t rows = 1 << 20, row = 64; // a look at each pair of elements would take for ever
    std::vector<std::byte> memory(static_cast<std::size_t>(rows * row));
    const std::int64_t count[] = {rows}, stride[] = {row};
    const auto column = [&](std::size_t k) { return *Section::make(&memory[8 * k], 1, count, stride, 8); };
    EXPECT_FALSE(column(1).overlaps(column(2)));
    EXPECT_TRUE(column(1).overlaps(column(1)));
}

TEST(Section, RowsWithoutGapsAreOneRun) {
    std::vector<std::byte> memory(1000);
    const std::int64_t count[] = {3, 1, 5}, stride[] = {40, 7, 8}, apart[] = {48, 7, 8};
    EXPECT_TRUE(Section::make(memory.data(), 3, count, stride, 8)->contiguous());
    EXPECT_FALSE(Section::make(memory.data(), 3, count, apart, 8)->contiguous());
}

TEST(Section, WhatNoMemoryHoldsIsNone) {
    std::byte first{};
    const std::int64_t many[] = {INT64_MAX / 4, 5}, stride[] = {8, 8}, far[] = {INT64_MAX / 2, 8}, some[] = {5, 5};
    EXPECT_FALSE(Section::make(&first, 2, many, stride, 8));
    EXPECT_FALSE(Section::make(&first, 2, some, far, 8));
    EXPECT_TRUE(Section::make(&first, 2, some, stride, 8));
}
