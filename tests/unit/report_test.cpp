// What a report counts: each moment once, in calls, in what they wait for, and as cost.
#include "trace/report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <thread>
#include <vector>

namespace stretto::report {
namespace {

// As the report's own clock.
std::uint64_t now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

void pass_time() {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

constexpr std::uint64_t some = 2'000'000; // what passes at least

TEST(Cost, counts_a_moment_once) {
    Site outer, inner;
    const std::uint64_t begun = now();
    {
        const Cost cost(&outer);
        pass_time();
        const Cost within(&inner);
        pass_time();
    }
    EXPECT_GE(outer.cost, some);
    EXPECT_GE(inner.cost, some);
    EXPECT_LE(outer.cost + inner.cost, now() - begun);
}

TEST(Cost, has_nothing_of_the_library) {
    Site site;
    std::uint64_t in_library = 0;
    const std::uint64_t begun = now();
    {
        const Cost cost(&site);
        pass_time();
        {
            const InLibrary not_ours;
            const std::uint64_t entered = now();
            pass_time();
            in_library = now() - entered;
        }
        pass_time();
    }
    EXPECT_GE(site.cost, 2 * some);
    EXPECT_LE(site.cost + in_library, now() - begun);
}

class Waiting : public testing::Test {
protected:
    Waiting() { start(); }
    ~Waiting() override { enabled = false; }
    // Where they are: not in this object, which takes itself for Stretto.
    static inline const std::vector<char> calls = std::vector<char>(2);
};

TEST_F(Waiting, is_of_what_began_the_message) {
    Site first, second;
    const Site *waits = nullptr;
    const std::uint64_t begun = now();
    {
        const Call call(true, "MPI_Waitall", &calls[0]);
        waits = call.where();
        waits_for(&first);
        pass_time();
        matched(&first);
        pass_time();
        waits_for(&second);
        pass_time();
        matched(&first); // not what is waited for
        waits_for(nullptr);
        pass_time();
    }
    EXPECT_GE(first.in_completions, 2 * some);
    EXPECT_GE(first.unmatched, some);
    EXPECT_LE(first.unmatched, first.in_completions - some);
    EXPECT_GE(second.in_completions, some);
    EXPECT_EQ(second.unmatched, 0u);
    EXPECT_GE(waits->in_calls, some);
    EXPECT_LE(first.in_completions + second.in_completions + waits->in_calls, now() - begun);
    EXPECT_EQ(first.completions[0].what, waits);
}

TEST_F(Waiting, turns_out_in_the_end) {
    Site site;
    const Site *waits = nullptr;
    {
        const Call call(true, "MPI_Waitany", &calls[1]);
        waits = call.where();
        pass_time();
        waited_for(site);
    }
    EXPECT_GE(site.in_completions, some);
    EXPECT_LT(waits->in_calls, some);
}

} // namespace
} // namespace stretto::report
