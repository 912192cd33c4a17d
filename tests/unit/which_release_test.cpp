#include "tune/which_release.h"

#include "settings/settings.h"

#include <gtest/gtest.h>

namespace stretto::tune {
namespace {

constexpr double gigabit = 125e6; // bytes per second

// A call site that receives 100,000 bytes, which take 800 us, and of those runs `hidden` before it waits for the rest.
struct Site {
    char site = 0;
    double hidden;
    std::size_t stops = 1;

    bool receive() {
        const bool runs_on = lets_run_on(&site, 100'000, gigabit);
        if (runs_on) learn(&site, {.hidden = hidden, .stops = stops, .bytes = 100'000});
        return runs_on;
    }

    int count(int receives) {
        int n = 0;
        for (int k = 0; k < receives; k++) n += receive();
        return n;
    }
};

TEST(WhichRelease, runs_on_as_long_as_that_hides_something) {
    static Site site{.hidden = 400e-6};
    EXPECT_EQ(site.count(200), 200);
}

TEST(WhichRelease, stays_after_four_fruitless_ones_and_tries_again_seldom) {
    static Site site{.hidden = 10e-6};
    EXPECT_EQ(site.count(4), 4);
    for (int rest : {16, 32, 64, 128, 256, 256}) {
        EXPECT_EQ(site.count(rest - 1), 0);
        EXPECT_TRUE(site.receive());
    }
    EXPECT_EQ(site.count(255), 0);
    site.hidden = 400e-6;
    EXPECT_TRUE(site.receive());
    EXPECT_EQ(site.count(100), 100);
}

TEST(WhichRelease, before_its_match_is_tried_anew_too) {
    static char site;
    for (int k = 0; k < 4; k++) learn(&site, {.hidden = 0, .bytes = 100'000});
    int before = 0, then = 0;
    for (int k = 0; k < 16; k++) {
        before += lets_run_on(&site, 100'000, gigabit);
        then += lets_run_on(&site, 100'000, gigabit, Comes::in_deltas);
    }
    EXPECT_EQ(before, 1);
    EXPECT_EQ(then, 1);
}

TEST(WhichRelease, messages_that_come_whole_are_learnt_apart) {
    static char site;
    for (int k = 0; k < 8; k++) learn(&site, {.hidden = 400e-6, .stops = 1, .bytes = 100'000});
    for (int k = 0; k < 4; k++) learn(&site, {.hidden = 0, .stops = 1, .bytes = 100'000, .comes = Comes::whole});
    EXPECT_FALSE(lets_run_on(&site, 100'000, gigabit));                  // the next one is taken to come so, too
    EXPECT_TRUE(lets_run_on(&site, 100'000, gigabit, Comes::in_deltas)); // it does not
    EXPECT_TRUE(lets_run_on(&site, 100'000, gigabit));
}

TEST(WhichRelease, counts_what_the_stops_cost) {
    static Site site{.hidden = 100e-6, .stops = 25};
    EXPECT_EQ(site.count(19), 4);
}

TEST(WhichRelease, runs_on_whatever_that_hid_where_nothing_is_tried) {
    static char site;
    for (int k = 0; k < 4; k++) learn(&site, {.stops = 1, .bytes = 100'000});
    settings.trials = false;
    EXPECT_TRUE(lets_run_on(&site, 100'000, gigabit));
    EXPECT_FALSE(lets_run_on(&site, 2000, gigabit));
    settings.trials = true;
    EXPECT_FALSE(lets_run_on(&site, 100'000, gigabit));
}

TEST(WhichRelease, waits_for_what_will_be_there_at_once) {
    static char site;
    EXPECT_FALSE(lets_run_on(&site, 0, gigabit));
    EXPECT_FALSE(lets_run_on(&site, 2000, gigabit));
    EXPECT_FALSE(lets_run_on(&site, 100'000, 100 * gigabit));
}

} // namespace
} // namespace stretto::tune
