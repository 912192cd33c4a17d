// Sweep: which units a writer has passed, for orders in which programs go through an array.
#include "pages/sweep.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <vector>

namespace stretto::pages {
namespace {

using Units = std::vector<std::size_t>;

std::vector<Range> passed(Sweep &sweep) {
    const RangeSet taken = sweep.take();
    return {taken.ranges().begin(), taken.ranges().end()};
}

std::vector<Range> passed_after(const Units &order, Sweep::Entry entry = Sweep::Entry::begin, bool careful = false) {
    Sweep sweep;
    sweep.be_careful(careful);
    for (std::size_t unit : order) sweep.begins(unit, 1, entry);
    return passed(sweep);
}

using Ranges = std::vector<Range>;

TEST(Sweep, upwards_passes_all_but_the_unit_it_is_in) {
    EXPECT_EQ(passed_after({0}), Ranges{});
    EXPECT_EQ(passed_after({0, 1}), (Ranges{{0, 1}}));
    EXPECT_EQ(passed_after({3, 4, 5, 6}), (Ranges{{3, 6}}));
}

TEST(Sweep, downwards_passes_all_but_the_unit_it_is_in) {
    EXPECT_EQ(passed_after({9, 8, 7}, Sweep::Entry::end), (Ranges{{8, 10}}));
}

TEST(Sweep, the_unit_in_whose_middle_a_writer_began_is_not_passed) {
    EXPECT_EQ(passed_after({3, 4, 5, 6}, Sweep::Entry::middle), (Ranges{{4, 6}})) << "3 begins in another's part";
    EXPECT_EQ(passed_after({9, 8, 7}, Sweep::Entry::middle), (Ranges{{8, 9}}));
    EXPECT_EQ(passed_after({9, 8, 7}, Sweep::Entry::begin), (Ranges{{8, 9}})) << "what is above 9 is another's";
    EXPECT_EQ(passed_after({0, 4, 8, 12, 16, 20, 24, 28}, Sweep::Entry::middle), Ranges{});
}

TEST(Sweep, a_careful_one_is_a_unit_behind) {
    EXPECT_EQ(passed_after({3, 4}, Sweep::Entry::begin, true), Ranges{});
    EXPECT_EQ(passed_after({3, 4, 5, 6}, Sweep::Entry::begin, true), (Ranges{{3, 5}}));
    EXPECT_EQ(passed_after({0, 9, 1, 8, 2, 7}, Sweep::Entry::end, true), (Ranges{{9, 10}})) << "each by itself";
    EXPECT_EQ(passed_after({3, 4, 5, 6}, Sweep::Entry::middle, true), (Ranges{{4, 5}}));
}

TEST(Sweep, a_careful_step_leaves_its_unit_to_the_next_one) {
    Sweep sweep;
    sweep.begins(0, 1);
    sweep.be_careful(true);
    sweep.begins(1, 1);
    EXPECT_EQ(passed(sweep), Ranges{});
    sweep.be_careful(false);
    sweep.begins(2, 1);
    EXPECT_EQ(passed(sweep), (Ranges{{0, 2}}));
}

TEST(Sweep, a_unit_is_taken_once) {
    Sweep sweep;
    for (std::size_t unit : {0u, 1u, 2u}) sweep.begins(unit, 1);
    EXPECT_EQ(passed(sweep), (Ranges{{0, 2}}));
    EXPECT_EQ(passed(sweep), Ranges{});
    EXPECT_FALSE(sweep.anything_passed());
    sweep.begins(3, 1);
    EXPECT_TRUE(sweep.anything_passed());
    EXPECT_EQ(passed(sweep), (Ranges{{2, 3}}));
}

TEST(Sweep, several_places_in_turn_are_several_sweeps) {
    EXPECT_EQ(passed_after({0, 10, 20, 1, 11, 21, 2, 12, 22}), (Ranges{{0, 2}, {10, 12}, {20, 22}}));
    EXPECT_EQ(passed_after({0, 19, 1, 18, 2, 17}), (Ranges{{0, 2}, {18, 19}})) << "from both ends";
}

Units steps(std::size_t begin, std::ptrdiff_t step, std::size_t count) {
    Units order;
    for (std::size_t k = 0; k < count; k++, begin += static_cast<std::size_t>(step)) order.push_back(begin);
    return order;
}

TEST(Sweep, a_constant_stride_is_a_sweep_once_it_was_seen_long_enough) {
    EXPECT_EQ(passed_after(steps(0, 4, 7)), Ranges{});
    EXPECT_EQ(passed_after(steps(0, 4, 8)), (Ranges{{0, 1}, {4, 5}, {8, 9}, {12, 13}, {16, 17}, {20, 21}, {24, 25}}));
    EXPECT_EQ(passed_after(steps(0, 2, 20)).size(), 19u);
    EXPECT_EQ(passed_after(steps(60, -3, 9)).size(), 8u);
}

TEST(Sweep, the_neighbour_that_another_thread_writes_says_nothing) {
    Sweep sweep;
    sweep.begins(0, 1);
    sweep.begins(1, 2);
    EXPECT_EQ(passed(sweep), Ranges{}) << "thread 1 may still be in unit 0";
    sweep.begins(2, 2);
    EXPECT_EQ(passed(sweep), (Ranges{{1, 2}}));
    for (std::size_t unit : steps(10, 4, 7)) sweep.begins(unit, 3);
    sweep.begins(38, 4);
    EXPECT_EQ(passed(sweep), Ranges{});
}

TEST(Sweep, the_unit_that_a_writer_is_in_is_never_passed) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; round++) {
        Units order(50);
        std::iota(order.begin(), order.end(), 0u);
        std::shuffle(order.begin(), order.end(), random);
        Sweep sweep;
        RangeSet all;
        for (std::size_t unit : order) {
            sweep.begins(unit, 1);
            for (Range range : passed(sweep)) EXPECT_EQ(all.insert(range), std::nullopt) << "passed twice";
            EXPECT_FALSE(all.covers({unit, unit + 1}));
        }
    }
}

TEST(Sweep, many_places_at_once_are_forgotten_not_collected) {
    Sweep sweep;
    for (std::size_t k = 0; k < 5000; k++) sweep.begins(k * k + 2 * k * (k % 7), 1);
    sweep.begins(100'000'000, 1);
    sweep.begins(100'000'001, 1);
    EXPECT_TRUE(sweep.take().covers({100'000'000, 100'000'001}));
}

} // namespace
} // namespace stretto::pages
