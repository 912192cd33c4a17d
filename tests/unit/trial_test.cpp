#include "tune/trial.h"

#include <gtest/gtest.h>

namespace stretto::tune {
namespace {

// A program that makes `each` calls an iteration, which takes so many seconds if they are ours, or the library's.
struct Program {
    double ours, native;
    int each = 1;
    double noise = 0; // of every other iteration
    bool varies = false;
    std::size_t bytes = 1000;
    Trial trial;
    double now = 1;

    bool call() {
        bytes ^= varies;
        if (trial.begins(now, bytes)) trial.decide(trial.measured());
        return trial.way() == Way::ours;
    }

    // How many of so many iterations have only calls of ours.
    int count(int iterations) {
        int all_ours = 0;
        for (int k = 0; k < iterations; k++) {
            int n = 0;
            for (int m = 0; m < each; m++) {
                n += call();
                now += 1e-6; // the rest of an iteration comes after its last call
            }
            const double share = static_cast<double>(n) / each;
            now += share * ours + (1 - share) * native + (k % 2 ? noise : 0);
            all_ours += n == each;
        }
        return all_ours;
    }
};

TEST(Trial, the_first_calls_are_the_librarys) {
    Program program{.ours = 1e-3, .native = 1.5e-3};
    EXPECT_EQ(program.count(24), 0);
    EXPECT_GT(program.count(1), 0);
}

TEST(Trial, what_gains_is_ours_but_for_a_trial) {
    Program program{.ours = 1e-3, .native = 1.5e-3};
    program.count(24);
    EXPECT_EQ(program.count(36), 36);
    EXPECT_EQ(program.count(1000), 1000 - 4 * 4); // after 32, 64, 128, 256 more
}

TEST(Trial, what_loses_is_left_to_the_library) {
    Program program{.ours = 1.3e-3, .native = 1e-3};
    EXPECT_EQ(program.count(24 + 4), 4);
    EXPECT_EQ(program.count(250), 0);
}

TEST(Trial, an_effort_in_vain_costs_a_few_per_cent_of_the_time_so_far) {
    Program loses{.ours = 1.4e-3, .native = 1e-3};
    for (int k = 1; k <= 3000; k++) {
        loses.count(1);
        EXPECT_LT(loses.now - 1, 1.07e-3 * (k + 1)) << k;
    }
    EXPECT_LT(loses.now - 1, 1.01e-3 * 3000);
}

TEST(Trial, what_makes_no_difference_is_left_to_the_library) {
    Program program{.ours = 0.99e-3, .native = 1e-3};
    program.count(24 + 4 * (8 + 4));
    EXPECT_EQ(program.count(200), 0);
}

TEST(Trial, a_little_gain_is_found_after_more_turns) {
    Program program{.ours = 0.96e-3, .native = 1e-3, .noise = 2e-6};
    program.count(24 + 4);
    EXPECT_EQ(program.count(8), 0); // 4 % are not enough yet
    program.count(3 * (8 + 4));
    EXPECT_EQ(program.count(20), 20);
}

TEST(Trial, few_calls_tell_where_they_are_long) {
    Program gains{.ours = 80e-3, .native = 100e-3}, loses{.ours = 120e-3, .native = 100e-3};
    EXPECT_EQ(gains.count(12), 0);
    EXPECT_EQ(gains.count(20), 20);
    EXPECT_EQ(loses.count(40), 3);
}

TEST(Trial, a_program_that_changes_is_followed_seldom) {
    Program program{.ours = 1e-3, .native = 1.5e-3};
    program.count(28 + 32 + 64);
    program.ours = 2e-3;
    program.count(300);
    EXPECT_EQ(program.count(200), 0);
    program.ours = 1e-3;
    program.count(300);
    EXPECT_GT(program.count(400), 360);
}

TEST(Trial, what_is_found_again_is_tried_half_as_often) {
    Program program{.ours = 1.5e-3, .native = 1e-3};
    program.count(28);
    EXPECT_EQ(program.count(17000), 4 * 6); // after 256, 512, 1024, 2048, 4096, 8192 calls
}

TEST(Trial, many_calls_of_an_iteration_count_together) {
    Program gains{.ours = 1e-3, .native = 1.5e-3, .each = 10};
    gains.count(3 + 10 + 3);
    EXPECT_EQ(gains.count(2), 2);
    Program loses{.ours = 1.5e-3, .native = 1e-3, .each = 10};
    loses.count(3 + 10 + 3);
    EXPECT_EQ(loses.count(20), 0);
}

TEST(Trial, where_sizes_vary_means_of_many_calls_are_compared) {
    Program loses{.ours = 1.05e-3, .native = 1e-3, .varies = true};
    EXPECT_EQ(loses.count(97), 0);
    EXPECT_EQ(loses.count(24), 24);
    EXPECT_EQ(loses.count(1000), 0);
    EXPECT_EQ(loses.count(24 + 48 + 24), 24); // after 1024 calls
}

TEST(Trial, where_sizes_vary_a_turn_that_clearly_loses_is_given_up) {
    Program loses{.ours = 1.3e-3, .native = 1e-3, .varies = true};
    EXPECT_EQ(loses.count(96 + 24), 8);
    EXPECT_EQ(loses.count(1000), 0);
    EXPECT_EQ(loses.count(24 + 48 + 24), 8); // after 1024 calls
}

TEST(Trial, where_sizes_vary_what_gains_is_ours) {
    Program gains{.ours = 1e-3, .native = 1.3e-3, .varies = true};
    gains.count(96 + 24);
    EXPECT_EQ(gains.count(32 + 48), 32 + 48);
    EXPECT_EQ(gains.count(24 + 20), 20); // the library's turn is not cut short, and not longer
}

TEST(BySize, sizes_within_a_factor_of_two_share_what_is_learnt) {
    BySize<Trial> trials;
    const Trial *const first = &trials.of(30'000);
    EXPECT_EQ(first, &trials.of(38'000));
    EXPECT_EQ(first, &trials.of(15'000));
    EXPECT_NE(first, &trials.of(70'000));
    EXPECT_EQ(first, &trials.of(30'000));
}

TEST(BySize, a_new_size_inherits) {
    BySize<Trial> trials;
    Program gains{.ours = 1e-3, .native = 1.5e-3};
    gains.count(40);
    trials.of(1000) = gains.trial;
    Trial &larger = trials.of(100'000);
    larger.begins(1, 100'000);
    EXPECT_EQ(larger.way(), Way::ours);
}

TEST(BySize, a_new_size_is_not_tried_at_once_where_the_last_one_lost) {
    BySize<Trial> trials;
    Program loses{.ours = 1.5e-3, .native = 1e-3};
    loses.count(40);
    trials.of(1000) = loses.trial;
    Program larger{.ours = 1.5e-3, .native = 1e-3, .bytes = 100'000, .trial = trials.of(100'000)};
    EXPECT_EQ(larger.count(250), 0);
    EXPECT_EQ(larger.count(20), 4);
}

} // namespace
} // namespace stretto::tune
