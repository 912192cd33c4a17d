#include "tune/which_trigger.h"

#include "pages/memory.h"

#include <gtest/gtest.h>

namespace stretto::tune {
namespace {

using What = trigger::Watch::What;

constexpr double gigabit = 125e6; // bytes per second

// A call site, whose operations send total bytes within `seconds`, `ahead` of them after the first pages were passed.
struct Sender {
    char site = 0;
    std::size_t total;
    double seconds, ahead;
    double rate = gigabit;
    Trigger said = Trigger::pages;

    What operate() {
        const trigger::Watch watched = watch(said, &site, nullptr, total, rate);
        trigger::Heard heard;
        heard.watch = watched;
        if (watched) {
            heard.watched = total;
            heard.passed = total - pages::page_bytes();
            heard.ahead = ahead;
        }
        learn_sender(&site, heard, total, seconds);
        return watched.what;
    }

    int count(What what, int operations) {
        int n = 0;
        for (int k = 0; k < operations; k++) n += operate() == what;
        return n;
    }
};

TEST(WhichTrigger, watches_after_one_rehearsal_where_bytes_are_passed_early) {
    static Sender sender{.total = 100'000, .seconds = 1e-3, .ahead = 0.8e-3};
    EXPECT_EQ(sender.operate(), What::rehearsal);
    EXPECT_EQ(sender.count(What::passed, 200), 200);
}

// 100,000 bytes take 800 us, a delta of three pages some 100.
TEST(WhichTrigger, leaves_alone_what_is_packed_at_the_end_and_asks_anew_now_and_then) {
    static Sender sender{.total = 100'000, .seconds = 10e-3, .ahead = 0.03e-3};
    EXPECT_EQ(sender.operate(), What::rehearsal);
    EXPECT_EQ(sender.count(What::nothing, 63), 63);
    EXPECT_EQ(sender.operate(), What::rehearsal);
    sender.ahead = 8e-3;
    EXPECT_EQ(sender.count(What::nothing, 63), 63);
    EXPECT_EQ(sender.operate(), What::rehearsal);
    EXPECT_EQ(sender.count(What::passed, 10), 10);
}

TEST(WhichTrigger, chooses_pages_where_what_is_ahead_is_worth_their_cost) {
    static Sender little{.total = 100'000, .seconds = 10e-3, .ahead = 0.15e-3, .said = Trigger::automatic};
    EXPECT_EQ(little.operate(), What::rehearsal);
    EXPECT_EQ(little.count(What::nothing, 63), 63);
    static Sender much{.total = 100'000, .seconds = 10e-3, .ahead = 5e-3, .said = Trigger::automatic};
    EXPECT_EQ(much.operate(), What::rehearsal);
    EXPECT_EQ(much.count(What::passed, 10), 10);
    static Sender fast{.total = 100'000, .seconds = 10e-3, .ahead = 5e-3, .rate = 1e10, .said = Trigger::automatic};
    EXPECT_EQ(fast.operate(), What::rehearsal);
    EXPECT_EQ(fast.count(What::nothing, 200), 200);
}

TEST(WhichTrigger, asks_for_no_time_without_trials) {
    settings.trials = false;
    static Sender senders[] = {
        {.total = 100'000, .seconds = 10e-3, .ahead = 0, .rate = 1e10, .said = Trigger::pages},
        {.total = 100'000, .seconds = 10e-3, .ahead = 0, .rate = 1e10, .said = Trigger::automatic}};
    for (Sender &sender : senders) {
        EXPECT_EQ(sender.operate(), What::rehearsal);
        EXPECT_EQ(sender.count(What::passed, 200), 200);
    }
    settings.trials = true;
}

} // namespace
} // namespace stretto::tune
