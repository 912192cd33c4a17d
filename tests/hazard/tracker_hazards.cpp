// What is written to a buffer that is tracked, in all the ways and to all the kinds of memory that programs know.
#include "memory.h"
#include "pages/tracker.h"
#include "pages/userfault.h"

#include <atomic>
#include <memory>
#include <sys/time.h>
#include <thread>
#include <vector>

namespace stretto::pages {
namespace {

using Ranges = std::vector<Range>;

std::atomic<int> notices{0};

void note() {
    notices++;
}

Ranges list(const RangeSet &set) {
    return {set.ranges().begin(), set.ranges().end()};
}

class TrackerHazard : public testing::TestWithParam<const char *> {
protected:
    void SetUp() override {
        const TrackingChoice choice = choose_tracking(GetParam());
        if (choice.tracking == Tracking::none) {
            ASSERT_STREQ(GetParam(), "userfault") << choice.reason;
            ASSERT_NE(userfault::open(), "") << choice.reason;
            GTEST_SKIP() << choice.reason;
        }
        tracking = choice.tracking;
        Tracker::start(tracking, note);
        notices = 0;
    }

    void TearDown() override {
        for (int number : {SIGSEGV, SIGBUS}) signal(number, SIG_DFL);
    }

    //! Some memory is watched by a lesser mechanism than the one asked for; and this says how many pages a unit has.
    Tracker &track(char *buffer, std::size_t bytes, std::size_t pages = 4) {
        return *Tracker::begin(buffer, bytes, pages * page);
    }

    Tracking tracking = Tracking::none;
};

INSTANTIATE_TEST_SUITE_P(mechanism, TrackerHazard, testing::Values("userfault", "mprotect"),
                         [](const auto &mechanism) { return std::string(mechanism.param); });

// --- orders of writing ----------------------------------------------------------------------------------------------

TEST_P(TrackerHazard, what_a_sweep_has_passed_is_told_when_it_goes_on) {
    Pages memory(16);
    Tracker &tracker = track(memory.at(), memory.bytes());
    ASSERT_EQ(tracker.how(), tracking);
    for (std::size_t at = 0; at < 4 * page; at += 64) write_to(memory.at(at));
    EXPECT_TRUE(tracker.take().empty());
    EXPECT_EQ(notices, 0);
    write_to(memory.at(4 * page)); // a store may have begun in the unit before
    EXPECT_EQ(notices, 0);
    write_to(memory.at(5 * page));
    EXPECT_EQ(notices, 1);
    EXPECT_EQ(list(tracker.take()), (Ranges{{0, 4 * page}}));
    for (std::size_t at = 4 * page; at < 16 * page; at += 64) write_to(memory.at(at));
    EXPECT_EQ(list(tracker.take()), (Ranges{{4 * page, 12 * page}}));
    EXPECT_FALSE(tracker.end());
}

TEST_P(TrackerHazard, a_sweep_may_go_downwards) {
    Pages memory(16);
    Tracker &tracker = track(memory.at(), memory.bytes());
    for (std::size_t at = memory.bytes(); at-- > 4 * page;) write_to(memory.at(at));
    EXPECT_EQ(list(tracker.take()), (Ranges{{8 * page, 16 * page}}));
    EXPECT_FALSE(tracker.end());
}

//! Vectors of doubles that lie across the borders of pages, as in most arrays of malloc: upwards, and downwards. What is passed leaves at once,
//! before the store that told is done.
TEST_P(TrackerHazard, a_store_may_reach_over_a_border) {
    static Tracker *tracker;
    static std::size_t left;
    Tracker::start(tracking, [] { left += tracker->take().bytes(); });
    for (const std::size_t pages : {1, 2, 4})
        for (const bool upwards : {true, false}) {
            Pages memory(32);
            left = 0;
            tracker = &track(memory.at(), memory.bytes(), pages);
            const std::size_t vectors = memory.bytes() / 16 - 1;
            for (std::size_t k = 0; k < vectors; k++) {
                char *at = memory.at(8 + 16 * (upwards ? k : vectors - 1 - k));
                asm volatile("pxor %%xmm0, %%xmm0\n\tmovups %%xmm0, (%0)" : : "r"(at) : "xmm0", "memory");
            }
            EXPECT_FALSE(tracker->end()) << pages << " pages, " << (upwards ? "upwards" : "downwards");
            EXPECT_GE(left, 20 * page);
        }
}

TEST_P(TrackerHazard, a_single_page_is_passed_by_the_first_store_behind_it) {
    for (const std::size_t first : {0, 8}) { // at the border, and not
        Pages memory(4);
        notices = 0;
        Tracker &tracker = track(memory.at(), memory.bytes(), 1);
        for (std::size_t at = 0; at < page; at += 8) write_to(memory.at(at));
        EXPECT_TRUE(tracker.take().empty());
        write_to(memory.at(page + first));
        EXPECT_EQ(notices, 1);
        EXPECT_EQ(list(tracker.take()), (Ranges{{0, page}}));
        write_to(memory.at(page + 16));
        write_to(memory.at(2 * page + first));
        EXPECT_EQ(list(tracker.take()), (Ranges{{page, 2 * page}}));
        write_to(memory.at(page + 17));
        const auto misuse = tracker.end();
        ASSERT_TRUE(misuse);
        EXPECT_EQ(misuse->offset, page + 17);
    }
}

//! A store that begins in the page before, of 8 bytes or as many as the processor has.
void store_across(char *border, bool wide) {
#ifdef __x86_64__
    if (wide && __builtin_cpu_supports("avx"))
        return (void)({
            asm volatile("vxorps %%ymm0, %%ymm0, %%ymm0\n\tvmovups %%ymm0, (%0)\n\tvzeroupper"
                         :
                         : "r"(border - 8)
                         : "xmm0", "memory");
        });
#endif
    struct [[gnu::packed]] Store {
        std::uint64_t value;
    };
    reinterpret_cast<volatile Store *>(border - 4)->value = wide;
}

TEST_P(TrackerHazard, a_single_page_that_a_store_reaches_out_of_is_not_passed_by_that) {
    for (const bool wide : {true, false}) {
        Pages memory(4);
        Tracker &tracker = track(memory.at(), memory.bytes(), 1);
        write_to(memory.at());
        store_across(memory.at(page), wide);
        EXPECT_TRUE(tracker.take().empty());
        write_to(memory.at(page - 1), 7); // not yet passed: no misuse
        store_across(memory.at(2 * page), wide);
        EXPECT_EQ(list(tracker.take()), (Ranges{{0, page}}));
        write_to(memory.at(3 * page)); // reaches over nothing
        EXPECT_EQ(list(tracker.take()), (Ranges{{page, 3 * page}}));
        EXPECT_FALSE(tracker.end());
    }
}

TEST_P(TrackerHazard, a_page_that_was_closed_to_try_a_store_can_be_written) {
    Pages memory(4);
    Tracker &tracker = track(memory.at(), memory.bytes(), 1);
    write_to(memory.at(1000)); // its begin is another's: it is never passed
    write_to(memory.at(page));
    write_to(memory.at(1000), 2);
    write_to(memory.at(page - 1), 2);
    EXPECT_TRUE(tracker.take().empty());
    Tracker::settle(memory.at(), memory.bytes());
    EXPECT_FALSE(tracker.end());
}

//! Three pages of the heap, of which the buffer has two and a part of the third.
TEST_P(TrackerHazard, the_last_page_of_an_allocation_is_watched_and_what_lies_behind_the_buffer_is_not_of_it) {
    const std::unique_ptr<char, decltype(&std::free)> memory(static_cast<char *>(aligned_alloc(page, 3 * page)),
                                                             std::free);
    char *buffer = memory.get();
    const std::size_t bytes = 2 * page + 100;
    for (const bool upwards : {true, false}) {
        Tracker &tracker = track(buffer, bytes, 1);
        write_to(buffer + 3 * page - 1); // opens the last page, and says nothing
        if (upwards) {
            for (std::size_t at = 0; at < bytes; at++) write_to(buffer + at);
            EXPECT_EQ(list(tracker.take()), (Ranges{{0, page}}));
        } else {
            for (std::size_t at = bytes; at-- > 0;) write_to(buffer + at);
            EXPECT_TRUE(tracker.take().empty());
        }
        EXPECT_FALSE(tracker.end());
    }
    Tracker &tracker = track(buffer, bytes, 1);
    for (std::size_t at = 0; at < bytes; at++) write_to(buffer + at);
    EXPECT_EQ(list(tracker.take()), (Ranges{{0, 2 * page}}));
    EXPECT_FALSE(tracker.end());
}

TEST_P(TrackerHazard, a_write_behind_the_buffer_after_leaving_is_no_misuse) {
    const std::unique_ptr<char, decltype(&std::free)> memory(static_cast<char *>(aligned_alloc(page, 4 * page)),
                                                             std::free);
    char *buffer = memory.get();
    const std::size_t bytes = 3 * page + 100;
    for (const bool the_kernel : {false, true})
        for (const bool misuse : {false, true}) {
            Tracker &tracker = track(buffer, bytes, 1);
            for (std::size_t at = bytes; at-- > 0;) write_to(buffer + at, 1);
            EXPECT_EQ(list(tracker.take()), (Ranges{{2 * page, bytes}}));
            if (the_kernel) Tracker::settle(buffer + bytes, 100);
            write_to(buffer + bytes + 8, 3);
            if (misuse) write_to(buffer + 3 * page + 5, 3);
            EXPECT_EQ(tracker.end().has_value(), misuse);
        }
}

TEST_P(TrackerHazard, the_last_unit_may_be_short) {
    Pages memory(10);
    Tracker &tracker = track(memory.at(), memory.bytes());
    for (std::size_t at = memory.bytes(); at-- > 4 * page;) write_to(memory.at(at));
    EXPECT_EQ(list(tracker.take()), (Ranges{{8 * page, 10 * page}}));
    EXPECT_FALSE(tracker.end());
}

TEST_P(TrackerHazard, memory_that_was_never_touched_is_watched_too) {
    Pages memory(8);
    Tracker &tracker = track(memory.at(), memory.bytes());
    for (std::size_t at = 0; at < 8 * page; at += page) write_to(memory.at(at));
    EXPECT_EQ(list(tracker.take()), (Ranges{{0, 4 * page}}));
    EXPECT_FALSE(tracker.end());
}

TEST_P(TrackerHazard, a_tracker_is_used_again) {
    Pages memory(8);
    for (int round = 0; round < 1000; round++) {
        Tracker &tracker = track(memory.at(), memory.bytes());
        for (std::size_t at = 0; at < 8 * page; at += page) write_to(memory.at(at));
        ASSERT_EQ(list(tracker.take()), (Ranges{{0, 4 * page}}));
        ASSERT_FALSE(tracker.end());
    }
}

// --- misuse ---------------------------------------------------------------------------------------------------------

TEST_P(TrackerHazard, a_write_after_leaving_is_found_with_its_byte_and_instruction) {
    Pages memory(12);
    Tracker &tracker = track(memory.at(), memory.bytes());
    for (std::size_t at = 0; at < 12 * page; at += page) write_to(memory.at(at));
    ASSERT_EQ(list(tracker.take()), (Ranges{{0, 8 * page}}));
    write_to(memory.at(5 * page + 17));
    const auto misuse = tracker.end();
    ASSERT_TRUE(misuse);
    EXPECT_EQ(misuse->offset, 5 * page + 17);
    EXPECT_NE(misuse->instruction, nullptr);
}

TEST_P(TrackerHazard, an_array_that_is_zeroed_and_then_filled_is_found) {
    Pages memory(16);
    Tracker &tracker = track(memory.at(), memory.bytes());
    std::size_t taken = 0;
    for (std::size_t at = 0; at < memory.bytes(); at += 64) write_to(memory.at(at), 0), taken += tracker.take().bytes();
    EXPECT_EQ(taken, 12 * page);
    for (std::size_t at = 0; at < memory.bytes(); at += 64) write_to(memory.at(at), 1), tracker.take();
    const auto misuse = tracker.end();
    ASSERT_TRUE(misuse);
    EXPECT_EQ(misuse->offset, 0u);
}

TEST_P(TrackerHazard, a_write_to_the_head_after_leaving_is_found) {
    Pages memory(9);
    char *buffer = memory.at(100);
    Tracker &tracker = track(buffer, 8 * page);
    std::memset(buffer, 1, 8 * page);
    ASSERT_EQ(list(tracker.take()), (Ranges{{0, 5 * page - 100}}));
    write_to(buffer + 3, 2);
    const auto misuse = tracker.end();
    ASSERT_TRUE(misuse);
    EXPECT_EQ(misuse->offset, 3u);
}

TEST_P(TrackerHazard, reading_what_has_left_is_no_misuse) {
    Pages memory(12);
    Tracker &tracker = track(memory.at(), memory.bytes());
    std::memset(memory.at(), 7, memory.bytes());
    tracker.take();
    int sum = 0;
    for (std::size_t at = 0; at < memory.bytes(); at += 64) sum += static_cast<volatile char *>(memory.at())[at];
    EXPECT_EQ(sum, static_cast<int>(7 * memory.bytes() / 64));
    EXPECT_FALSE(tracker.end());
}

// --- edges ----------------------------------------------------------------------------------------------------------

TEST_P(TrackerHazard, other_data_on_the_first_and_last_page_are_not_the_buffers) {
    Pages memory(10);
    char *buffer = memory.at(page - 8);
    const std::size_t bytes = 8 * page + 16;
    Tracker &tracker = track(buffer, bytes);
    for (int k = 0; k < 3; k++) {
        write_to(memory.at(0), static_cast<char>(k));       // shares a page with the head
        write_to(buffer + bytes + 8, static_cast<char>(k)); // with the tail
    }
    EXPECT_EQ(notices, 0);
    std::memset(buffer, 1, bytes);
    EXPECT_EQ(list(tracker.take()), (Ranges{{0, 4 * page + 8}}));
    write_to(memory.at(0), 9);
    EXPECT_FALSE(tracker.end());
}

TEST_P(TrackerHazard, buffers_that_share_a_page_are_tracked_side_by_side) {
    Pages memory(17);
    Tracker &low = track(memory.at(), 8 * page + page / 2);
    Tracker &high = track(memory.at(8 * page + page / 2), 8 * page + page / 2);
    ASSERT_EQ(low.how(), tracking);
    ASSERT_EQ(high.how(), tracking);
    std::memset(memory.at(), 1, memory.bytes());
    EXPECT_EQ(list(low.take()), (Ranges{{0, 4 * page}}));
    EXPECT_EQ(list(high.take()), (Ranges{{0, 4 * page + page / 2}}));
    EXPECT_FALSE(low.end());
    EXPECT_FALSE(high.end());
}

TEST_P(TrackerHazard, the_same_bytes_twice_are_tracked_once) {
    Pages memory(8);
    Tracker &first = track(memory.at(), memory.bytes());
    Tracker &second = track(memory.at(), memory.bytes());
    EXPECT_EQ(second.how(), Tracking::none);
    std::memset(memory.at(), 1, memory.bytes());
    EXPECT_FALSE(second.end());
    EXPECT_EQ(list(first.take()), (Ranges{{0, 4 * page}}));
    write_to(memory.at(), 2);
    EXPECT_TRUE(first.end());
}

TEST_P(TrackerHazard, a_buffer_without_a_whole_page_leaves_at_the_end) {
    Pages memory(2);
    Tracker &tracker = track(memory.at(8), page);
    EXPECT_EQ(tracker.how(), Tracking::none);
    std::memset(memory.at(8), 1, page);
    EXPECT_TRUE(tracker.take().empty());
    EXPECT_FALSE(tracker.end());
}

// --- kinds of memory ------------------------------------------------------------------------------------------------

char in_data[16 << 16] = {1};
char in_bss[16 << 16];

void sweeps(Tracker &tracker, char *buffer, std::size_t bytes, bool watched) {
    std::memset(buffer, 5, bytes);
    EXPECT_EQ(tracker.how() != Tracking::none, watched);
    EXPECT_EQ(!tracker.take().empty(), watched);
    EXPECT_EQ(buffer[bytes - 1], 5);
    EXPECT_FALSE(tracker.end());
}

TEST_P(TrackerHazard, static_memory_is_watched) {
    sweeps(track(in_data, sizeof in_data), in_data, sizeof in_data, true);
    sweeps(track(in_bss, sizeof in_bss), in_bss, sizeof in_bss, true);
}

TEST_P(TrackerHazard, memory_of_malloc_is_watched) {
    for (std::size_t bytes : {16 * page, 1024 * page}) {
        const std::unique_ptr<char, decltype(&std::free)> buffer(static_cast<char *>(std::malloc(bytes)), std::free);
        sweeps(track(buffer.get(), bytes), buffer.get(), bytes, true);
    }
}

TEST_P(TrackerHazard, a_stack_is_not_watched) {
    char buffer[65536] = "";
    sweeps(track(buffer, sizeof buffer), buffer, sizeof buffer, false);
    std::thread([&] {
        char of_thread[65536] = "";
        sweeps(track(of_thread, sizeof of_thread), of_thread, sizeof of_thread, false);
    }).join();
}

TEST_P(TrackerHazard, shared_memory_is_not_watched) {
    Pages memory(16, MAP_SHARED | MAP_ANONYMOUS);
    sweeps(track(memory.at(), memory.bytes()), memory.at(), memory.bytes(), false);
}

TEST_P(TrackerHazard, a_private_file_is_watched_and_stays_as_it_is) {
    char path[] = "/tmp/stretto-XXXXXX";
    const int file = mkstemp(path);
    ASSERT_GE(file, 0);
    unlink(path);
    ASSERT_EQ(ftruncate(file, static_cast<off_t>(16 * page)), 0);
    Pages memory(16, MAP_PRIVATE, file);
    sweeps(track(memory.at(), memory.bytes()), memory.at(), memory.bytes(), true);
    char first = 9;
    EXPECT_EQ(pread(file, &first, 1, 0), 1);
    EXPECT_EQ(first, 0);
    close(file);
}

TEST_P(TrackerHazard, locked_memory_is_watched) {
    Pages memory(8);
    ASSERT_EQ(mlock(memory.at(), memory.bytes()), 0);
    sweeps(track(memory.at(), memory.bytes()), memory.at(), memory.bytes(), true);
}

TEST_P(TrackerHazard, huge_pages_are_watched) {
    const std::size_t huge = 2 << 20;
    Pages memory(3 * huge / page);
    char *buffer = reinterpret_cast<char *>((reinterpret_cast<std::uintptr_t>(memory.at()) + huge - 1) / huge * huge);
    madvise(buffer, 2 * huge, MADV_HUGEPAGE);
    std::memset(buffer, 1, 2 * huge);
    sweeps(track(buffer, 2 * huge), buffer, 2 * huge, true);
}

TEST_P(TrackerHazard, memory_that_is_not_the_programs_is_not_watched) {
    Pages memory(8);
    ASSERT_EQ(mprotect(memory.at(4 * page), 4 * page, PROT_READ), 0);
    Tracker &read_only = track(memory.at(), memory.bytes());
    EXPECT_EQ(read_only.how(), Tracking::none);
    EXPECT_FALSE(read_only.end());
    Tracker &unmapped = track(reinterpret_cast<char *>(page), 16 * page);
    EXPECT_EQ(unmapped.how(), Tracking::none);
    EXPECT_FALSE(unmapped.end());
}

TEST_P(TrackerHazard, its_protection_is_as_before_at_the_end) {
    Pages memory(8);
    Tracker &tracker = track(memory.at(), memory.bytes());
    write_to(memory.at());
    EXPECT_FALSE(tracker.end());
    const Facts after = facts(addresses_of(memory.at(), memory.bytes()));
    EXPECT_TRUE(after.ordinary);
    notices = 0;
    std::memset(memory.at(), 1, memory.bytes());
    EXPECT_EQ(notices, 0);
}

// --- the kernel writes ----------------------------------------------------------------------------------------------

TEST_P(TrackerHazard, a_system_call_writes_into_a_buffer_that_was_settled) {
    Pages memory(16), source(16);
    std::memset(source.at(), 3, source.bytes());
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    Tracker &tracker = track(memory.at(), memory.bytes());
    for (std::size_t at = 0; at < memory.bytes(); at += 4 * page) {
        ASSERT_EQ(write(ends[1], source.at(), 4 * page), static_cast<ssize_t>(4 * page));
        Tracker::settle(memory.at(at), 4 * page);
        ASSERT_EQ(read(ends[0], memory.at(at), 4 * page), static_cast<ssize_t>(4 * page));
    }
    EXPECT_TRUE(tracker.take().empty()) << "what the kernel wrote leaves at the end";
    EXPECT_FALSE(tracker.end());
    EXPECT_EQ(std::memcmp(memory.at(), source.at(), memory.bytes()), 0);
    close(ends[0]);
    close(ends[1]);
}

TEST_P(TrackerHazard, a_system_call_that_writes_what_has_left_is_misuse) {
    Pages memory(12);
    Tracker &tracker = track(memory.at(), memory.bytes());
    std::memset(memory.at(), 1, memory.bytes());
    ASSERT_EQ(tracker.take().bytes(), 8 * page);
    Tracker::settle(memory.at(5 * page + 100), 10);
    const auto misuse = tracker.end();
    ASSERT_TRUE(misuse);
    EXPECT_EQ(misuse->offset, 5 * page + 100);
}

// --- threads, signals, fork -----------------------------------------------------------------------------------------

TEST_P(TrackerHazard, each_threads_part_is_a_sweep_of_its_own) {
    constexpr std::size_t threads = 4;
    Pages memory(64);
    Tracker &tracker = track(memory.at(), memory.bytes(), 2);
    std::vector<std::thread> writers;
    for (std::size_t t = 0; t < threads; t++)
        writers.emplace_back([&, t] { std::memset(memory.at(t * 16 * page), 1, 16 * page); });
    std::size_t taken = 0;
    for (int k = 0; k < 100; k++) taken += tracker.take().bytes();
    for (std::thread &writer : writers) writer.join();
    taken += tracker.take().bytes();
    // Of each thread's eight units the last one is not passed; nor is the first one where the thread before had come so far already.
    EXPECT_LE(taken, threads * 14 * page);
    EXPECT_GE(taken, threads * 14 * page - (threads - 1) * 2 * page);
    EXPECT_FALSE(tracker.end());
}

TEST_P(TrackerHazard, threads_that_write_one_page_at_once_all_go_on) {
    Pages memory(256);
    Tracker &tracker = track(memory.at(), memory.bytes(), 1);
    std::vector<std::thread> writers;
    for (std::size_t t = 0; t < 4; t++)
        writers.emplace_back([&, t] {
            for (std::size_t at = 0; at < memory.bytes(); at += page)
                write_to(memory.at(at + t * 64), static_cast<char>(t));
        });
    for (std::thread &writer : writers) writer.join();
    EXPECT_FALSE(tracker.end());
    for (std::size_t at = 0; at < memory.bytes(); at += page)
        for (std::size_t t = 0; t < 4; t++) ASSERT_EQ(memory.at(at)[t * 64], static_cast<char>(t));
}

char *written_by_handler = nullptr;

TEST_P(TrackerHazard, the_handler_of_a_signal_may_write_to_the_buffer) {
    Pages memory(4096);
    written_by_handler = memory.at(memory.bytes() / 2);
    struct sigaction action {};
    action.sa_handler = [](int) { write_to(written_by_handler, 42); };
    sigaction(SIGALRM, &action, nullptr);
    const itimerval often{{0, 100}, {0, 100}}, never{};
    setitimer(ITIMER_REAL, &often, nullptr);
    for (int round = 0; round < 200 || !*static_cast<volatile char *>(written_by_handler); round++) {
        Tracker &tracker = track(memory.at(), memory.bytes(), 1);
        for (std::size_t at = 0; at < memory.bytes() / 2; at += 8 * page) write_to(memory.at(at)), tracker.take();
        tracker.end();
    }
    setitimer(ITIMER_REAL, &never, nullptr);
    EXPECT_EQ(*written_by_handler, 42);
}

TEST_P(TrackerHazard, a_child_writes_what_it_likes_and_its_parent_does_not_notice) {
    Pages memory(12);
    Tracker &tracker = track(memory.at(), memory.bytes());
    std::memset(memory.at(), 1, 6 * page);
    ASSERT_EQ(tracker.take().bytes(), 4 * page);
    const pid_t child = fork_child();
    if (child == 0) {
        std::memset(memory.at(), 2, memory.bytes()); // what has left, too
        const bool clean = !tracker.end() && memory.at()[0] == 2;
        _exit(clean ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(memory.at()[0], 1);
    std::memset(memory.at(6 * page), 1, 6 * page);
    EXPECT_EQ(list(tracker.take()), (Ranges{{4 * page, 8 * page}}));
    EXPECT_FALSE(tracker.end());
}

TEST_P(TrackerHazard, forks_while_other_threads_write) {
    Pages memory(512);
    std::atomic<bool> over{false};
    std::thread writer([&] {
        while (!over) {
            Tracker &tracker = track(memory.at(), memory.bytes(), 1);
            for (std::size_t at = 0; at < memory.bytes(); at += page) write_to(memory.at(at)), tracker.take();
            EXPECT_FALSE(tracker.end());
        }
    });
    for (int k = 0; k < 50; k++) {
        const pid_t child = fork_child();
        if (child == 0) {
            std::memset(memory.at(), 3, memory.bytes());
            _exit(0);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    over = true;
    writer.join();
}

// --- the program's own handlers -------------------------------------------------------------------------------------

TEST_P(TrackerHazard, a_handler_of_the_program_serves_its_own_faults) {
    Pages memory(8), elsewhere(1);
    mprotect(elsewhere.at(), page, PROT_NONE);
    Leaver::install();
    Tracker &tracker = track(memory.at(), memory.bytes());
    for (int k = 0; k < 3; k++) EXPECT_TRUE(Leaver::serves(elsewhere.at(17)));
    EXPECT_TRUE(Leaver::installed()) << "the program sees its own";
    std::memset(memory.at(), 1, memory.bytes());
    EXPECT_EQ(tracker.take().bytes(), 4 * page);
    EXPECT_FALSE(tracker.end());
}

TEST_P(TrackerHazard, a_handler_from_before_serves_its_own_faults) {
    Pages memory(8), elsewhere(1);
    mprotect(elsewhere.at(), page, PROT_NONE);
    Leaver::install_behind_all_backs();
    Tracker &tracker = track(memory.at(), memory.bytes()); // takes its place
    EXPECT_TRUE(Leaver::serves(elsewhere.at(17)));
    EXPECT_TRUE(Leaver::installed());
    std::memset(memory.at(), 1, memory.bytes());
    EXPECT_EQ(tracker.take().bytes(), 4 * page);
    EXPECT_FALSE(tracker.end());
}

TEST_P(TrackerHazard, a_real_fault_still_kills) {
    const int status = status_of([&] {
        Pages memory(8);
        Tracker::start(choose_tracking(GetParam()).tracking, note);
        track(memory.at(), memory.bytes());
        write_to(nowhere());
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST_P(TrackerHazard, a_tracked_buffer_that_was_unmapped_is_a_real_fault) {
    const int status = status_of([&] {
        Pages memory(8);
        Tracker::start(choose_tracking(GetParam()).tracking, note);
        track(memory.at(), memory.bytes());
        write_to(memory.at());
        munmap(memory.at(), memory.bytes());
        write_to(memory.at());
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST_P(TrackerHazard, a_signal_that_somebody_sends_is_the_programs) {
    const int status = status_of([&] {
        Pages memory(8);
        Tracker::start(choose_tracking(GetParam()).tracking, note);
        track(memory.at(), memory.bytes());
        raise(SIGSEGV);
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST_P(TrackerHazard, an_alternate_stack_may_be_small) {
    const SmallStack small;
    Tracker::start(tracking, need_stack);
    Pages memory(16);
    Tracker &tracker = track(memory.at(), memory.bytes());
    std::memset(memory.at(), 1, memory.bytes());
    EXPECT_EQ(tracker.take().bytes(), 12 * page);
    EXPECT_TRUE(small.is_set());
    EXPECT_FALSE(tracker.end());
}

// --- limits ---------------------------------------------------------------------------------------------------------

TEST_P(TrackerHazard, without_a_map_left_data_are_right_and_misuse_is_found) {
    Pages memory(64);
    Tracker &tracker = track(memory.at(), memory.bytes(), 2);
    std::memset(memory.at(), 1, 18 * page);
    ASSERT_EQ(tracker.take().bytes(), 16 * page);
    const AllMaps maps;
    write_to(memory.at(40 * page)); // a hole in what is closed
    std::memset(memory.at(18 * page), 1, 46 * page);
    write_to(memory.at(3 * page), 2);
    const auto misuse = tracker.end();
    ASSERT_TRUE(misuse);
    EXPECT_EQ(misuse->offset, 3 * page);
    for (std::size_t at = 4 * page; at < memory.bytes(); at++) ASSERT_EQ(memory.at()[at], 1);
}

TEST_P(TrackerHazard, many_buffers_at_once) {
    Pages memory(8 * 300);
    std::vector<Tracker *> trackers;
    for (std::size_t k = 0; k < 300; k++) trackers.push_back(&track(memory.at(k * 8 * page), 8 * page));
    std::memset(memory.at(), 1, memory.bytes());
    for (Tracker *tracker : trackers) {
        EXPECT_EQ(list(tracker->take()), (Ranges{{0, 4 * page}}));
        EXPECT_FALSE(tracker->end());
    }
}

// --- the choice -----------------------------------------------------------------------------------------------------

TEST(TrackingChoice, an_unforced_choice_is_the_best_that_works) {
    const TrackingChoice choice = choose_tracking(nullptr), forced = choose_tracking("userfault");
    EXPECT_EQ(choice.tracking, forced.tracking == Tracking::userfault ? Tracking::userfault : Tracking::mprotect);
    EXPECT_EQ(choice.reason.empty(), choice.tracking == Tracking::userfault);
}

TEST(TrackingChoice, other_threads_do_not_open_what_is_only_tried) {
    std::atomic<bool> began = false, ends = false;
    std::thread other([&] {
        for (began = true; !ends;) Tracker::open_everything();
    });
    while (!began) std::this_thread::yield();
    const Tracking found = choose_tracking(nullptr).tracking;
    for (int k = 0; k < 5000; k++) EXPECT_EQ(choose_tracking(nullptr).tracking, found);
    ends = true;
    other.join();
}

TEST(TrackingChoice, none_is_taken_when_asked_for) {
    EXPECT_EQ(choose_tracking("none").tracking, Tracking::none);
    EXPECT_FALSE(choose_tracking("none").reason.empty());
    Tracker::start(Tracking::none, nullptr);
    Pages memory(8);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), page);
    EXPECT_EQ(tracker->how(), Tracking::none);
    std::memset(memory.at(), 1, memory.bytes());
    EXPECT_TRUE(tracker->take().empty());
    EXPECT_FALSE(tracker->end());
}

} // namespace
} // namespace stretto::pages
