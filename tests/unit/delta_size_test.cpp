#include "tune/delta_size.h"

#include "pages/memory.h"
#include "settings/settings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stretto::tune {
namespace {

constexpr std::size_t kib = 1024, mib = 1024 * kib;
constexpr double gigabit = 125e6; // bytes per second
const int somewhere = 0, elsewhere = 0;

struct DeltaBytes : testing::Test {
    void TearDown() override { settings = {}; }
};

TEST_F(DeltaBytes, are_eager_whole_and_worth_a_message) {
    for (std::size_t eager : {300ul, 4 * kib - 64, 16 * kib, 64 * kib - 100})
        for (double rate : {1e6, gigabit, 1e10})
            for (std::size_t total : {4033ul, 10 * kib, 400 * kib, 64 * mib})
                for (std::size_t first : {0ul, 3936ul}) {
                    const std::size_t delta = delta_bytes(total, first, eager, rate, nullptr);
                    EXPECT_LE(delta, eager);
                    EXPECT_EQ(delta % 32, 0u);
                    EXPECT_GE(delta, std::min(eager / 32 * 32, kib));
                }
}

TEST_F(DeltaBytes, of_an_ordinary_message_are_not_small_where_the_link_is_fast) {
    EXPECT_GE(delta_bytes(64 * kib, 0, 60 * kib, gigabit, nullptr), 30 * kib);
    EXPECT_LE(delta_bytes(64 * kib, 0, 16 * kib, gigabit, nullptr), 16 * kib);
    EXPECT_LE(delta_bytes(64 * kib, 0, 60 * kib, gigabit / 10, nullptr), 10 * kib);
    EXPECT_LE(delta_bytes(64 * kib, 0, 60 * kib, gigabit, &somewhere), 10 * kib) << "who computes it makes a pipeline";
}

TEST_F(DeltaBytes, are_whole_pages_where_pages_say_what_is_final) {
    const std::size_t page = pages::page_bytes();
    for (double rate : {1e6, gigabit, 1e10})
        for (std::size_t total : {2 * page, 10 * kib, 400 * kib, 64 * mib}) {
            EXPECT_EQ(delta_bytes(total, 0, 64 * kib - 100, rate, nullptr, Deltas::paged) % page, 0u);
            const std::size_t part = delta_bytes(total, 0, page - 64, rate, nullptr, Deltas::paged);
            EXPECT_LE(part, page - 64);
            EXPECT_EQ(page % part, 0u) << "of one, where the limit is lower";
            EXPECT_GE(part, 1u);
        }
    EXPECT_EQ(delta_bytes(10200, 0, 64 * kib - 100, 1e6, nullptr, Deltas::paged), page);
}

TEST_F(DeltaBytes, are_smaller_where_they_cost_little) {
    const std::size_t sent = delta_bytes(8 * kib, 0, 60 * kib, 1e9, &somewhere);
    const std::size_t shared = delta_bytes(8 * kib, 0, 60 * kib, 1e9, &somewhere, Deltas::shared);
    EXPECT_GE(sent, 8 * kib);
    EXPECT_LE(shared, 2 * kib);
    EXPECT_GE(shared, kib);
}

TEST_F(DeltaBytes, are_what_was_asked_for) {
    settings.delta = 32 * kib;
    EXPECT_EQ(delta_bytes(4 * mib, 0, 60 * kib, gigabit, &somewhere), 32 * kib);
}

TEST_F(DeltaBytes, are_chosen_where_what_was_asked_for_is_not_eager) {
    const std::size_t chosen = delta_bytes(4 * mib, 0, 60 * kib, gigabit, &somewhere);
    for (std::size_t asked : {64 * kib, 256 * kib, mib}) {
        settings.delta = asked;
        EXPECT_EQ(delta_bytes(4 * mib, 0, 60 * kib, gigabit, &somewhere), chosen);
    }
}

TEST_F(DeltaBytes, follow_a_computation_that_is_slower_than_the_link) {
    const std::size_t before = delta_bytes(64 * mib, 0, 60 * kib, 1e10, &elsewhere);
    learn(&elsewhere, 64 * mib, 10); // 6.7 MB/s
    const std::size_t after = delta_bytes(64 * mib, 0, 60 * kib, 1e10, &elsewhere);
    EXPECT_LT(after, before);
    EXPECT_GE(after, 8 * kib);
}

} // namespace
} // namespace stretto::tune
