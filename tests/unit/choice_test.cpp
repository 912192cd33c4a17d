// Which algorithm a collective gets, and what a user may say about it.
#include "collective/choice.h"
#include "settings/settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace stretto::collective {
namespace {

constexpr std::size_t KiB = 1024;

Arguments of(int ranks) {
    Arguments arguments;
    arguments.ranks = ranks;
    return arguments;
}

std::string chosen(const char *collective, std::optional<std::size_t> bytes, const Arguments &arguments,
                   bool relays = true) {
    const Algorithm *algorithm = choose({collective, bytes, arguments.ranks, 64 * KiB, 0, 0, relays}, arguments);
    return algorithm ? algorithm->name : "none";
}

std::size_t lane(const char *collective, std::optional<std::size_t> bytes, int ranks, std::size_t eager = 64 * KiB,
                 double rate = 0) {
    return lane_bytes({collective, bytes, ranks, eager, rate, 0, true});
}

std::size_t delta_lane(const char *collective, std::size_t bytes, std::size_t eager = 64 * KiB) {
    return lane_bytes({collective, bytes, 4, eager, 0, 0, true, true});
}

class Choice : public testing::Test {
protected:
    void TearDown() override { policy = {}; }
};

TEST_F(Choice, gives_the_pipeline_of_a_delta_collective_its_steps) {
    EXPECT_EQ(delta_lane("reduce", 64 * KiB), 4 * KiB);
    EXPECT_EQ(delta_lane("reduce", 1024 * KiB), 16 * KiB);
    EXPECT_EQ(delta_lane("bcast", 64 * 1024 * KiB), 64 * KiB);
    EXPECT_EQ(delta_lane("bcast", 64 * 1024 * KiB, 8 * KiB), 8 * KiB);
    EXPECT_EQ(delta_lane("alltoall", 128 * KiB), 8 * KiB);
}

TEST_F(Choice, goes_by_size_and_number_of_ranks) {
    EXPECT_EQ(chosen("bcast", 4 * KiB, of(4)), "binomial");
    EXPECT_EQ(chosen("bcast", 64 * KiB, of(4)), "chain");
    EXPECT_EQ(chosen("gather", 100, of(4)), "binomial");
    EXPECT_EQ(chosen("gather", 64 * KiB, of(4)), "linear");
    EXPECT_EQ(chosen("allgather", 64 * KiB, of(4)), "linear");
    EXPECT_EQ(chosen("allgather", 64 * KiB, of(100)), "ring");
    EXPECT_EQ(chosen("alltoall", 100, of(16)), "bruck");
    EXPECT_EQ(chosen("alltoall", 64 * KiB, of(100)), "pairwise");
    EXPECT_EQ(chosen("allreduce", 8, of(4)), "recursive_doubling");
    EXPECT_EQ(chosen("allreduce", 1024 * KiB, of(4)), "ring");
}

TEST_F(Choice, takes_what_can_do_it) {
    Arguments ordered = of(4), several = of(16);
    ordered.commutes = false;
    several.varies = true;
    EXPECT_EQ(chosen("allreduce", 1024 * KiB, ordered), "recursive_doubling");
    EXPECT_EQ(chosen("reduce_scatter", 1024 * KiB, ordered), "in_order");
    EXPECT_EQ(chosen("alltoall", std::nullopt, several), "linear");
    EXPECT_EQ(chosen("gather", 10, several), "linear");
}

TEST_F(Choice, is_none_where_somebody_would_have_to_pass_something_on) {
    EXPECT_EQ(chosen("bcast", 64 * KiB, of(4), false), "none");
    EXPECT_EQ(chosen("allreduce", 64 * KiB, of(4), false), "none");
    EXPECT_EQ(chosen("scatter", 10, of(4), false), "linear");
    EXPECT_EQ(chosen("alltoall", 64 * KiB, of(100), false), "linear");
}

TEST_F(Choice, follows_the_user_where_it_can) {
    policy = Policy::read("all,reorder,lane=2K,bcast=binomial,allreduce=ring");
    EXPECT_EQ(policy.ours, Policy::Ours::all);
    EXPECT_TRUE(policy.reorders);
    EXPECT_EQ(lane("bcast", 1024 * KiB, 4), 2 * KiB);
    EXPECT_EQ(chosen("bcast", 1024 * KiB, of(4)), "binomial");
    Arguments ordered = of(4);
    ordered.commutes = false;
    EXPECT_EQ(chosen("allreduce", 1024 * KiB, ordered), "recursive_doubling");
}

TEST_F(Choice, reports_what_it_does_not_know) {
    for (const char *word : {"bcast=fast", "lane=much", "lane=0", "lane=8Kx", "always", "=", "bcast"}) {
        const Policy read = Policy::read(std::string("off,") + word);
        ASSERT_FALSE(complaints().empty());
        EXPECT_NE(complaints().back().find(std::string(": ") + word + " is unknown"), std::string::npos) << word;
        EXPECT_EQ(read.ours, Policy::Ours::off);
    }
}

TEST_F(Choice, cuts_lanes_by_the_message_and_no_longer_than_what_is_eager) {
    EXPECT_EQ(lane("bcast", 16 * KiB, 4), 4 * KiB);
    EXPECT_EQ(lane("bcast", 1024 * KiB, 4), 16 * KiB);
    EXPECT_EQ(lane("allreduce", 256 * KiB, 4), 32 * KiB);
    EXPECT_EQ(lane("alltoall", 64 * KiB, 4), 8 * KiB);
    EXPECT_EQ(lane("alltoall", std::nullopt, 4), 16 * KiB);
    EXPECT_EQ(lane("bcast", 1024 * KiB, 4, 8000), 8000u);
}

TEST_F(Choice, cuts_no_lanes_that_a_link_takes_in_no_time) {
    constexpr double gigabit = 125e6;
    EXPECT_EQ(lane("alltoall", 64 * KiB, 4, 64 * KiB, gigabit), 31250u);
    EXPECT_EQ(lane("alltoall", 64 * KiB, 4, 16 * KiB, gigabit), 16 * KiB);
    EXPECT_EQ(lane("alltoall", 8 * KiB, 4, 64 * KiB, gigabit), 8 * KiB);
    EXPECT_EQ(lane("alltoall", 64 * KiB, 4, 64 * KiB, gigabit / 10), 8 * KiB);
    EXPECT_EQ(lane("bcast", 64 * KiB, 4, 64 * KiB, gigabit), 8 * KiB) << "it is passed on";
    EXPECT_EQ(lane("bcast", 1024 * KiB, 4, 64 * KiB, gigabit), 31250u);
}

TEST_F(Choice, leaves_short_messages_to_the_library) {
    EXPECT_FALSE(pays({"bcast", 100, 4, 64 * KiB, 0, 0, true}));
    EXPECT_TRUE(pays({"bcast", 64 * KiB, 4, 64 * KiB, 0, 0, true}));
    EXPECT_TRUE(pays({"alltoall", std::nullopt, 4, 64 * KiB, 0, 0, true}));
    EXPECT_FALSE(pays({"barrier", std::nullopt, 4, 64 * KiB, 0, 0, true}));
    for (const bool slow : {false, true}) { // what the library has
        EXPECT_EQ(pays({"bcast", 1 * KiB, 4, 64 * KiB, 0, 0, true, false, slow}), slow);
        EXPECT_FALSE(pays({"bcast", 1000, 4, 64 * KiB, 0, 0, true, false, slow}));
        EXPECT_FALSE(pays({"barrier", std::nullopt, 4, 64 * KiB, 0, 0, true, false, slow}));
    }
}

} // namespace
} // namespace stretto::collective
