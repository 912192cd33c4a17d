#include "tune/which_framing.h"

#include <gtest/gtest.h>

namespace stretto::tune {
namespace {

// A program that sends `each` messages an iteration, which takes so many seconds where they leave framed, and native.
struct Program {
    double framed, native;
    int each = 1;
    double noise = 0; // of every other iteration
    char site = 0;
    double now = 1;

    // How many of so many iterations have only framed messages.
    int count(int iterations) {
        int all_framed = 0;
        for (int k = 0; k < iterations; k++) {
            int n = 0;
            for (int m = 0; m < each; m++) {
                n += leaves_framed({&site, 100'000}, this, now);
                now += 1e-6; // the rest of an iteration comes after its last message
            }
            const double share = static_cast<double>(n) / each;
            now += share * framed + (1 - share) * native + (k % 2 ? noise : 0);
            all_framed += n == each;
        }
        return all_framed;
    }
};

TEST(WhichFraming, what_gains_is_framed_but_for_a_trial) {
    static Program program{.framed = 1e-3, .native = 1.5e-3};
    EXPECT_EQ(program.count(6), 6);
    EXPECT_EQ(program.count(8), 4);
    EXPECT_EQ(program.count(250), 250);
}

TEST(WhichFraming, what_loses_is_left_to_the_library) {
    static Program program{.framed = 1.1e-3, .native = 1e-3};
    program.count(22);
    EXPECT_EQ(program.count(250), 0);
}

TEST(WhichFraming, what_makes_no_difference_stays_framed) {
    static Program program{.framed = 1e-3, .native = 0.9999e-3};
    program.count(6 + 64);
    EXPECT_EQ(program.count(250), 250);
}

TEST(WhichFraming, little_is_found_within_noise_after_more_turns) {
    static Program program{.framed = 1.02e-3, .native = 1e-3, .noise = 2e-6};
    EXPECT_GT(program.count(6 + 16), 0);
    EXPECT_GT(program.count(16), 0); // 2 % are not enough yet
    program.count(32);
    EXPECT_EQ(program.count(250), 0);
}

TEST(WhichFraming, a_program_that_changes_is_followed_seldom) {
    static Program program{.framed = 1e-3, .native = 1.5e-3};
    program.count(14 + 255);
    program.framed = 2e-3;
    program.count(17); // the next trial
    EXPECT_EQ(program.count(250), 0);
    program.framed = 1e-3;
    program.count(5 + 9);
    EXPECT_EQ(program.count(250), 250);
}

TEST(WhichFraming, what_is_found_again_is_tried_half_as_often) {
    static Program program{.framed = 1e-3, .native = 1.5e-3};
    int trials = 0;
    for (int k = 0; k < 16000 / 8; k++) trials += program.count(8) != 8;
    EXPECT_GT(trials, 4);
    EXPECT_LT(trials, 24); // after 6, 270, 790, 1822, 3878, 7982, so many messages
}

TEST(WhichFraming, many_messages_of_an_iteration_count_together) {
    static Program gains{.framed = 1e-3, .native = 1.5e-3, .each = 10};
    gains.count(2 + 2 * 5);
    EXPECT_EQ(gains.count(20), 20);
    static Program loses{.framed = 1.5e-3, .native = 1e-3, .each = 10};
    loses.count(2 + 4 * 5);
    EXPECT_EQ(loses.count(20), 0);
}

TEST(WhichFraming, sizes_are_learnt_apart) {
    static Program loses{.framed = 2e-3, .native = 1e-3};
    loses.count(22);
    EXPECT_FALSE(leaves_framed({&loses.site, 100'000}, &loses, loses.now));
    EXPECT_TRUE(leaves_framed({&loses.site, 100'001}, &loses, loses.now));
}

TEST(WhichFraming, messages_to_other_ranks_follow) {
    static Program loses{.framed = 2e-3, .native = 1e-3};
    static char other;
    const auto follows = [] { return leaves_framed({&loses.site, 100'000}, &other, loses.now); };
    for (int k = 0; k < 6; k++) {
        EXPECT_EQ(loses.count(1), 1);
        EXPECT_TRUE(follows());
    }
    for (int k = 0; k < 16; k++) {
        const bool framed = loses.count(1);
        EXPECT_EQ(follows(), framed);
    }
    EXPECT_EQ(loses.count(20), 0);
    EXPECT_FALSE(follows());
}

TEST(WhichFraming, a_rank_that_is_sent_nothing_more_leads_no_more) {
    static Program loses{.framed = 2e-3, .native = 1e-3};
    static Program next = loses;
    loses.count(22);
    for (int k = 0; k < 4095; k++) EXPECT_FALSE(leaves_framed({&loses.site, 100'000}, &next, loses.now));
    EXPECT_TRUE(leaves_framed({&loses.site, 100'000}, &next, loses.now));
    EXPECT_TRUE(leaves_framed({&loses.site, 100'000}, &loses, loses.now));
}

} // namespace
} // namespace stretto::tune
