#include "trace/summary.h"

#include <gtest/gtest.h>

namespace stretto::report {
namespace {

constexpr std::uint64_t millisecond = 1'000'000;

SiteName site(std::uint64_t line) {
    return {"MPI_Recv", {"/bin/solver", line, "solve"}};
}

// A rank that waits rank + 1 ms at one site, and at another only where the rank is even.
Summary rank(std::uint64_t rank) {
    SiteSummary one{.for_messages = 1, .calls = 2, .in_calls = (rank + 1) * millisecond, .hidden = 5};
    one.messages[0] = {3, 300};
    one.reasons[{"", {"/bin/solver", 214, "unpack"}}] = {1, rank};
    one.completions[{"MPI_Wait", {"/bin/solver", 230, "unpack"}}] = {2, rank};
    one.waited.add(one.all_waited(), rank);
    Summary summary{.ranks = 1, .hidden = 5, .ran = 100, .waited = one.waited, .sites = {{site(1), one}}};
    if (rank % 2 == 0) summary.sites[site(2)] = one;
    return summary;
}

// As mpi/report.cpp does: what travels is packed.
Summary merged(std::uint64_t ranks) {
    std::vector<Summary> all;
    for (std::uint64_t k = 0; k < ranks; k++) all.push_back(rank(k));
    for (std::uint64_t step = 1; step < ranks; step *= 2)
        for (std::uint64_t k = 0; k + step < ranks; k += 2 * step) all[k].merge(unpack(pack(all[k + step])));
    return all[0];
}

class Merge : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Merge, has_what_all_ranks_have) {
    const std::uint64_t ranks = GetParam(), even = (ranks + 1) / 2;
    const Summary sum = unpack(pack(merged(ranks)));
    EXPECT_EQ(sum.ranks, ranks);
    EXPECT_EQ(sum.hidden, 5 * ranks);
    EXPECT_EQ(sum.ran, 100 * ranks);
    ASSERT_EQ(sum.sites.size(), 2u);
    const SiteSummary &one = sum.sites.at(site(1)), &other = sum.sites.at(site(2));
    EXPECT_EQ(one.calls, 2 * ranks);
    EXPECT_EQ(one.in_calls, ranks * (ranks + 1) / 2 * millisecond);
    EXPECT_EQ(one.messages[0].messages, 3 * ranks);
    EXPECT_EQ(one.messages[0].bytes, 300 * ranks);
    ASSERT_EQ(one.reasons.size(), 1u);
    EXPECT_EQ(one.reasons.begin()->second.times, ranks);
    EXPECT_EQ(one.reasons.begin()->second.nanoseconds, ranks * (ranks - 1) / 2);
    ASSERT_EQ(one.completions.size(), 1u);
    EXPECT_EQ(one.completions.begin()->second.times, 2 * ranks);
    EXPECT_EQ(other.calls, 2 * even);
    EXPECT_EQ(other.waited.ranks, even);
}

TEST_P(Merge, spreads_over_the_ranks) {
    const std::uint64_t ranks = GetParam();
    const Spread waited = merged(ranks).sites.at(site(1)).waited;
    EXPECT_EQ(waited.ranks, ranks);
    EXPECT_EQ(waited.least, millisecond);
    EXPECT_EQ(waited.most, ranks * millisecond);
    EXPECT_EQ(waited.rank_of_most, ranks - 1);
    const double median = static_cast<double>((ranks + 1) / 2 * millisecond);
    EXPECT_NEAR(static_cast<double>(waited.median()), median, 0.13 * median);
}

INSTANTIATE_TEST_SUITE_P(OneToNineRanks, Merge, testing::Range<std::uint64_t>(1, 10));

TEST(Summary, sites_that_matter_least_become_one) {
    Summary sum;
    for (std::uint64_t k = 0; k < 2 * most_reported; k++) {
        Summary next{.ranks = 1, .hidden = 0, .ran = 0, .waited = {}, .sites = {}};
        next.sites[site(k)] = {.for_messages = 1, .calls = 1, .in_calls = k};
        sum.merge(next);
    }
    ASSERT_EQ(sum.sites.size(), most_reported);
    EXPECT_TRUE(sum.sites.contains(site(2 * most_reported - 1)));
    EXPECT_FALSE(sum.sites.contains(site(most_reported)));
    EXPECT_EQ(sum.sites.at({others, {}}).calls, most_reported + 1);
}

TEST(Summary, what_is_cut_off_in_between_ends) {
    const std::vector<std::byte> bytes = pack(rank(0));
    for (std::size_t n = 0; n < bytes.size(); n++) EXPECT_LE(unpack(std::span(bytes).first(n)).sites.size(), 2u);
}

} // namespace
} // namespace stretto::report
