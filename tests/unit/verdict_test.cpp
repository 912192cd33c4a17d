// The verdict: what a report says first, from what was counted.
#include "trace/verdict.h"

#include <gtest/gtest.h>

namespace stretto::report {
namespace {

constexpr std::uint64_t second = 1'000'000'000;

source::Place at(std::uint64_t line) {
    return {"solver", line, ""};
}

std::string where(const source::Place &place) {
    return "solver.c:" + std::to_string(place.offset);
}

// A job of eighty seconds with one receive, of which the tests say what it waited for.
class VerdictTest : public testing::Test {
protected:
    Summary summary{.ranks = 4, .hidden = 0, .ran = 80 * second, .waited = {}, .sites = {}};
    Conditions conditions{.why_native = "", .releases = true, .threshold = 16384};
    SiteSummary &site = summary.sites[{"MPI_Recv", at(210)}];

    VerdictTest() {
        site.for_messages = 1;
        site.calls = 10;
    }
    static Fated &became(SiteSummary &site, Fate fate) { return site.messages[static_cast<std::size_t>(fate)]; }
    void hides(std::uint64_t time) { summary.hidden = site.hidden = time; }

    Verdict verdict() const { return report::verdict(summary, conditions); }
    std::string says() const { return sentence(verdict(), conditions, where); }
    std::string advises() const { return what_to_do(verdict().sites.at(0), where); }
};

TEST_F(VerdictTest, saved) {
    hides(13 * second);
    site.in_calls = 2 * second;
    site.cost = second;
    EXPECT_EQ(verdict().finding, Finding::saved);
    EXPECT_EQ(verdict().time, 12 * second);
    EXPECT_EQ(verdict().of, 92 * second);
    EXPECT_EQ(says(), "Saved up to 12 s of 92 s");
    EXPECT_EQ(advises(), "Nothing: it was hidden");
}

TEST_F(VerdictTest, paid) {
    hides(second);
    site.cost = 3 * second;
    summary.sites[{"MPI_Recv", at(300)}] = {.for_messages = 1, .in_calls = 9 * second};
    EXPECT_EQ(verdict().finding, Finding::paid);
    EXPECT_EQ(verdict().time, 2 * second);
    EXPECT_EQ(says(), "Paid more than it gained: 3 s for 1 s, most at solver.c:210");
    ASSERT_EQ(verdict().sites.size(), 1u);
    EXPECT_EQ(verdict().sites[0].cause, Cause::costs);
    hides(0);
    EXPECT_EQ(says(), "Paid more than it gained: 3 s for nothing, most at solver.c:210");
    site.in_calls = site.unmatched = 20 * second; // what it waits for besides is not what the job paid for
    EXPECT_EQ(verdict().sites[0].cause, Cause::costs);
}

TEST_F(VerdictTest, what_a_send_costs_a_receive_may_gain) {
    hides(20 * second);
    SiteSummary &send = summary.sites[{"MPI_Send", at(300)}];
    send = {.for_messages = 1, .in_calls = 3 * second, .cost = 2 * second};
    became(send, Fate::send_framed) = {10, 1000000};
    EXPECT_EQ(verdict().finding, Finding::saved);
    EXPECT_EQ(verdict().sites.at(1).cause, Cause::became);
}

TEST_F(VerdictTest, nothing_waited_for) {
    site.in_calls = 160'000'000;
    EXPECT_EQ(verdict().finding, Finding::nothing);
    EXPECT_EQ(says(), "Nothing was waited for: messages took 0.2 % of the time");
    EXPECT_TRUE(verdict().sites.empty());
}

TEST_F(VerdictTest, calls_of_the_library) {
    site.in_calls = second;
    summary.sites[{"MPI_Allreduce", at(300)}] = {.for_messages = 0, .in_calls = 20 * second};
    EXPECT_EQ(verdict().finding, Finding::librarys);
    EXPECT_EQ(says(), "Left to the library: 25 % of the time is in its own calls");
    EXPECT_EQ(verdict().sites.at(0).site.function, "MPI_Allreduce");
}

TEST_F(VerdictTest, nothing_in_deltas) {
    site.in_calls = 10 * second;
    conditions.why_native = "there is one rank";
    EXPECT_EQ(verdict().finding, Finding::left);
    EXPECT_EQ(says(), "Left to the library: there is one rank");
}

TEST_F(VerdictTest, not_asked_for) {
    site.in_calls = 10 * second;
    conditions.releases = false;
    EXPECT_EQ(verdict().finding, Finding::not_asked);
}

TEST_F(VerdictTest, small_messages) {
    site.in_calls = 10 * second;
    became(site, Fate::receive_native) = {9, 900};
    became(summary.sites[{"MPI_Send", at(300)}], Fate::send_small) = {9, 900};
    EXPECT_EQ(verdict().finding, Finding::small);
    EXPECT_EQ(says(), "Left to the library: no message is over 16 KiB");
    became(summary.sites[{"MPI_Send", at(300)}], Fate::send_framed) = {1, 90000};
    EXPECT_NE(verdict().finding, Finding::small);
}

TEST_F(VerdictTest, fast_links) {
    site.in_calls = 10 * second;
    became(site, Fate::send_small) = {9, 900};
    became(site, Fate::send_near) = {1, 90000};
    EXPECT_EQ(verdict().finding, Finding::fast);
}

TEST_F(VerdictTest, read_at_once) {
    site.stopped = 8 * second;
    site.in_calls = 2 * second;
    site.reasons[{"", at(214)}] = {10, 7 * second};
    site.reasons[{"MPI_Send", at(220)}] = {10, second};
    EXPECT_EQ(verdict().finding, Finding::read_at_once);
    EXPECT_EQ(says(), "Nothing to hide: what is received is read at once");
    EXPECT_EQ(advises(), "Move work that needs nothing of the message in front of solver.c:214");
}

TEST_F(VerdictTest, used_at_once) {
    site.stopped = 8 * second;
    site.reasons[{"MPI_Barrier", at(230)}] = {10, 8 * second};
    EXPECT_EQ(verdict().finding, Finding::used_at_once);
    EXPECT_EQ(advises(),
              "Move MPI_Barrier (solver.c:230) behind work that needs nothing of the message, or leave it out");
}

TEST_F(VerdictTest, late_senders) {
    site.in_calls = 10 * second;
    site.unmatched = 9 * second;
    for (std::uint64_t rank = 0; rank < 4; rank++) site.waited.add(rank == 3 ? 9 * second : second / 10, rank);
    EXPECT_EQ(verdict().finding, Finding::late);
    EXPECT_EQ(verdict().sites.at(0).cause, Cause::uneven);
    site.waited = {};
    EXPECT_EQ(verdict().sites.at(0).cause, Cause::late);
    EXPECT_EQ(advises(), "Send earlier, or compute before this call");
    site.completions[{"MPI_Waitall", at(250)}] = {10, 9 * second};
    EXPECT_EQ(advises(), "Send earlier, or compute before MPI_Waitall (solver.c:250)");
}

TEST_F(VerdictTest, messages_that_come_in_time) {
    site.in_calls = 10 * second;
    became(site, Fate::receive_here) = {10, 1000000};
    EXPECT_EQ(verdict().finding, Finding::in_time);
    EXPECT_EQ(advises(), "Receive it earlier, or nothing: it costs nothing");
}

TEST_F(VerdictTest, mixed) {
    site.in_calls = 10 * second;
    site.in_completions = 10 * second;
    site.completions[{"MPI_Waitall", at(250)}] = {10, 10 * second};
    became(site, Fate::receive_waits) = {10, 1000000};
    EXPECT_EQ(verdict().finding, Finding::mixed);
    EXPECT_EQ(says(), "Nothing was hidden of 20 s that were waited for");
    site.in_calls = second;
    EXPECT_EQ(advises(), "Begin it earlier, or compute before MPI_Waitall (solver.c:250)");
}

TEST_F(VerdictTest, a_job_without_calls_has_one) {
    summary = {.ranks = 1, .hidden = 0, .ran = 0, .waited = {}, .sites = {}};
    EXPECT_EQ(verdict().finding, Finding::nothing);
}

TEST_F(VerdictTest, three_sites_at_most_the_first_first) {
    for (std::uint64_t line = 1; line < 9; line++)
        summary.sites[{"MPI_Recv", at(line)}] = {.for_messages = 1, .in_calls = line * second};
    const auto sites = verdict().sites;
    ASSERT_EQ(sites.size(), 3u);
    EXPECT_EQ(sites[0].site.place.offset, 8u);
    EXPECT_EQ(sites[2].site.place.offset, 6u);
}

} // namespace
} // namespace stretto::report
