// RangeSet against the plainest model there is: one bool per byte.
#include "range/range_set.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace stretto {
namespace {

std::vector<Range> list(const RangeSet &set) {
    return {set.ranges().begin(), set.ranges().end()};
}

class Model {
public:
    explicit Model(std::size_t bytes) : in_(bytes) {}

    void set(Range range, bool value) {
        for (std::size_t i = range.begin; i < range.end; ++i) in_[i] = value;
    }

    /// The runs of bytes of within that are (or are not) in the set.
    std::vector<Range> runs(Range within, bool value) const {
        std::vector<Range> runs;
        for (std::size_t i = within.begin; i < within.end; ++i) {
            if (in_[i] != value) continue;
            if (!runs.empty() && runs.back().end == i)
                ++runs.back().end;
            else
                runs.push_back({i, i + 1});
        }
        return runs;
    }

private:
    std::vector<bool> in_;
};

std::optional<Range> first(const std::vector<Range> &runs) {
    return runs.empty() ? std::nullopt : std::optional(runs.front());
}

void compare(const RangeSet &set, const Model &model, Range within) {
    std::vector<Range> parts = model.runs(within, true), gaps = model.runs(within, false), seen;
    set.for_each_part(within, [&](Range range) { seen.push_back(range); });
    EXPECT_EQ(seen, parts);
    seen.clear();
    set.for_each_gap(within, [&](Range range) { seen.push_back(range); });
    EXPECT_EQ(seen, gaps);
    EXPECT_EQ(set.first_part(within), first(parts));
    EXPECT_EQ(set.first_gap(within), first(gaps));
    EXPECT_EQ(set.covers(within), gaps.empty());
    EXPECT_EQ(set.intersects(within), !parts.empty());
}

void random_operations(unsigned seed) {
    std::mt19937 random(seed);
    auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const std::size_t bytes = 1 + below(200);
    auto range = [&] {
        std::size_t begin = below(bytes + 1);
        return Range{begin, begin + below(std::min<std::size_t>(bytes - begin, 1 + below(40)) + 1)};
    };

    RangeSet set;
    Model model(bytes);
    Range last;
    for (int step = 0; step < 300 && !testing::Test::HasFailure(); ++step) {
        std::size_t what = below(10);
        Range chosen = range();
        // Half of the insertions continue where the last one ended or began, as a loop would.
        if (what < 3)
            chosen = {last.end, last.end + below(std::min<std::size_t>(bytes - last.end, 8) + 1)};
        else if (what < 5)
            chosen = {last.begin - below(std::min<std::size_t>(last.begin, 8) + 1), last.begin};
        if (what < 8) {
            std::optional<Range> expected = first(model.runs(chosen, true));
            EXPECT_EQ(set.insert(chosen), expected);
            if (!expected) model.set(chosen, true);
            last = chosen;
        } else if (what == 8) {
            set.erase(chosen);
            model.set(chosen, false);
        } else if (below(30) == 0) {
            set.clear();
            model.set({0, bytes}, false);
        }
        const Range all{0, bytes};
        const std::vector<Range> expected = model.runs(all, true);
        EXPECT_EQ(list(set), expected);
        std::size_t total = 0;
        for (Range part : expected) total += part.bytes();
        EXPECT_EQ(set.bytes(), total);
        EXPECT_EQ(set.empty(), total == 0);
        compare(set, model, all);
        compare(set, model, range());
    }
    if (testing::Test::HasFailure()) std::fprintf(stderr, "repeat this failure with STRETTO_SEED=%u\n", seed);
}

TEST(RangeSet, agrees_with_one_bool_per_byte) {
    if (const char *seed = std::getenv("STRETTO_SEED")) {
        random_operations(static_cast<unsigned>(std::atol(seed)));
        return;
    }
    for (unsigned seed = 1; seed <= 400 && !HasFailure(); ++seed) random_operations(seed);
}

TEST(RangeSet, ranges_that_touch_are_one) {
    RangeSet set;
    EXPECT_EQ(set.insert({8, 16}), std::nullopt);
    EXPECT_EQ(set.insert({24, 32}), std::nullopt);
    EXPECT_EQ(set.ranges().size(), 2u);
    EXPECT_EQ(set.insert({16, 24}), std::nullopt);
    EXPECT_EQ(list(set), (std::vector<Range>{{8, 32}}));
    EXPECT_EQ(set.bytes(), 24u);
}

TEST(RangeSet, an_insertion_that_overlaps_changes_nothing_and_names_the_first_part) {
    RangeSet set;
    set.insert({10, 20});
    set.insert({30, 40});
    EXPECT_EQ(set.insert({0, 100}), (Range{10, 20}));
    EXPECT_EQ(set.insert({20, 31}), (Range{30, 31}));
    EXPECT_EQ(set.insert({12, 14}), (Range{12, 14}));
    EXPECT_EQ(list(set), (std::vector<Range>{{10, 20}, {30, 40}}));
}

TEST(RangeSet, an_empty_range_is_everywhere_covered_and_nowhere_inserted) {
    RangeSet set;
    EXPECT_EQ(set.insert({5, 5}), std::nullopt);
    EXPECT_TRUE(set.empty());
    EXPECT_TRUE(set.covers({5, 5}));
    EXPECT_FALSE(set.intersects({5, 5}));
    EXPECT_EQ(set.first_gap({5, 5}), std::nullopt);
    set.insert({0, 10});
    EXPECT_EQ(set.insert({5, 5}), std::nullopt);
    EXPECT_EQ(set.insert({10, 10}), std::nullopt);
    EXPECT_EQ(list(set), (std::vector<Range>{{0, 10}}));
}

TEST(RangeSet, works_at_the_top_of_the_address_space) {
    constexpr std::size_t top = ~std::size_t{0};
    RangeSet set;
    set.insert({top - 10, top - 4});
    set.insert({top - 4, top});
    EXPECT_TRUE(set.covers({top - 10, top}));
    EXPECT_EQ(set.first_gap({0, top}), (Range{0, top - 10}));
    set.erase({top - 6, top - 5});
    EXPECT_EQ(list(set), (std::vector<Range>{{top - 10, top - 6}, {top - 5, top}}));
}

// What it costs, `stretto bench overhead` measures.
TEST(RangeSet, extending_the_last_touched_range_makes_no_other) {
    constexpr std::size_t insertions = 1000, stride = 8, middle = 2 * insertions * stride;
    for (const bool upwards : {true, false}) {
        RangeSet set;
        set.insert({0, 1});
        set.insert({2 * middle, 2 * middle + 1});
        set.insert({middle, middle + stride});
        for (std::size_t i = 1; i <= insertions; ++i) {
            const std::size_t at = upwards ? middle + i * stride : middle - i * stride;
            EXPECT_FALSE(set.insert({at, at + stride}));
        }
        EXPECT_EQ(set.ranges().size(), 3u);
    }
}

} // namespace
} // namespace stretto
