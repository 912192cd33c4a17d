#include "tune/which_framing.h"

#include <gtest/gtest.h>

namespace stretto::tune {
namespace {

// A program that sends a message an iteration, which takes so many seconds where it leaves framed, and native.
struct Program {
    double framed, native;
    std::size_t bytes = 100'000;
    char site = 0;
    bool lags = false; // the rank that receives
    bool compiled = false;
    double now = 1;

    bool sends() {
        return compiled ? starts_early(&site, bytes, this, now) : leaves_framed(&site, bytes, this, lags, now);
    }

    int count(int iterations) {
        int n = 0;
        for (int k = 0; k < iterations; k++) {
            const bool is = sends();
            n += is;
            now += is ? framed : native;
        }
        return n;
    }
};

TEST(WhichFraming, what_gains_is_framed) {
    static Program program{.framed = 1e-3, .native = 1.5e-3};
    program.count(30);
    EXPECT_EQ(program.count(30), 30);
}

TEST(WhichFraming, what_loses_is_left_to_the_library) {
    static Program program{.framed = 1.1e-3, .native = 1e-3};
    program.count(30);
    EXPECT_EQ(program.count(200), 0);
}

TEST(WhichFraming, sizes_that_vary_share_what_is_learnt) {
    static Program loses{.framed = 1.1e-3, .native = 1e-3};
    int framed = 0;
    for (int k = 0; k < 2000; k++) {
        loses.bytes = 30'000 + 8 * static_cast<std::size_t>(k / 5 * 37 % 997);
        framed += loses.count(1);
    }
    EXPECT_GT(framed, 0);
    EXPECT_LT(framed, 100);
}

TEST(WhichFraming, another_size_inherits_what_was_found) {
    static Program gains{.framed = 1e-3, .native = 1.5e-3};
    gains.count(40);
    gains.bytes = 1'000'000;
    EXPECT_EQ(gains.count(20), 20);
}

TEST(WhichFraming, a_rank_that_lags_is_sent_framed_messages) {
    static Program program{.framed = 2e-3, .native = 1e-3};
    program.count(100);
    program.lags = true;
    EXPECT_EQ(program.count(100), 100);
    program.lags = false;
    EXPECT_EQ(program.count(100), 0);
}

TEST(WhichFraming, what_is_compiled_to_start_early_does_until_that_loses) {
    static Program gains{.framed = 1e-3, .native = 1.5e-3, .compiled = true},
        loses{.framed = 1.1e-3, .native = 1e-3, .compiled = true};
    EXPECT_EQ(gains.count(20), 20);
    EXPECT_GT(gains.count(1000), 900);
    EXPECT_EQ(loses.count(20), 20);
    loses.count(20);
    EXPECT_EQ(loses.count(200), 0);
}

TEST(WhichFraming, messages_to_other_ranks_follow) {
    static Program gains{.framed = 1e-3, .native = 2e-3};
    static char other;
    const auto follows = [] { return leaves_framed(&gains.site, gains.bytes, &other, false, gains.now); };
    for (int k = 0; k < 40; k++) {
        const bool framed = gains.count(1) == 1;
        EXPECT_EQ(follows(), framed) << k;
    }
    EXPECT_EQ(gains.count(20), 20);
    EXPECT_TRUE(follows());
}

TEST(WhichFraming, a_rank_that_is_sent_nothing_more_leads_no_more) {
    static Program first{.framed = 1e-3, .native = 2e-3};
    static char next;
    first.count(40);
    const auto follows = [] { return leaves_framed(&first.site, first.bytes, &next, false, first.now); };
    for (int k = 0; k < 4095; k++) EXPECT_TRUE(follows());
    // Now it leads, and its times say that framing has become slow.
    int framed = 0;
    for (int k = 0; k < 2000; k++) {
        const bool is = follows();
        framed += is;
        first.now += is ? 3e-3 : 2e-3;
    }
    EXPECT_LT(framed, 200);
}

} // namespace
} // namespace stretto::tune
