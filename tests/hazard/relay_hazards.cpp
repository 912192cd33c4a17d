// A buffer that a message comes into and that is tracked meanwhile: received, added to and sent on (Bao et al. 2012, the cascade).
#include "pages/tracker.h"
#include "pages/userfault.h"
#include "wire.h"

#include <atomic>
#include <thread>
#include <tuple>

namespace stretto::pages {
namespace {

class RelayHazard : public testing::TestWithParam<std::tuple<const char *, const char *>> {
protected:
    void SetUp() override {
        const auto [guard, tracker] = GetParam();
        const GuardingChoice guarding = choose_guarding(guard);
        const TrackingChoice tracking = choose_tracking(tracker);
        if (guarding.guarding == Guarding::block || tracking.tracking == Tracking::none) {
            ASSERT_NE(userfault::open(), "") << guarding.reason << tracking.reason;
            GTEST_SKIP() << guarding.reason << tracking.reason;
        }
        Tracker::start(tracking.tracking, nullptr);
        Guard::start(guarding, Wire::until);
        tracks = guarding.guarding == Guarding::mprotect;
    }
    void TearDown() override { EXPECT_TRUE(Wire::arrived); }

    //! What has not come yet is tracked where the guard closes by mprotect; elsewhere everything leaves at the end.
    bool tracks = false;
};

INSTANTIATE_TEST_SUITE_P(mechanism, RelayHazard,
                         testing::Combine(testing::Values("userfault", "mprotect"),
                                          testing::Values("userfault", "mprotect")),
                         [](const auto &mechanism) {
                             return std::string(std::get<0>(mechanism.param)) + "_" + std::get<1>(mechanism.param);
                         });

//! The program adds one to every byte.
void add_to(char *from, char *to) {
    for (char *at = from; at < to; at++) write_to(at, static_cast<char>(read_from(at) + 1));
}

testing::AssertionResult is_message_and_one(const char *buffer, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; k++)
        if (read_from(buffer + k) != static_cast<char>(Wire::content(k) + 1))
            return testing::AssertionFailure() << "byte " << k << " of " << bytes << " is " << int(buffer[k]);
    return testing::AssertionSuccess();
}

TEST_P(RelayHazard, what_came_and_was_added_to_is_passed_on_while_the_rest_comes) {
    Pages memory(32);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), 2 * page);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
    ASSERT_EQ(tracker->how() != Tracking::none, tracks);
    std::size_t passed = 0;
    for (std::size_t at = 0; at < memory.bytes(); at += 4 * page) {
        add_to(memory.at(at), memory.at(at + 4 * page));
        passed += tracker->take().bytes();
        if (tracks) {
            EXPECT_EQ(passed, at);
        }
        if (tracks && at < 24 * page) {
            EXPECT_GT(guard->missing(), 0u);
        }
    }
    EXPECT_FALSE(tracker->end());
    EXPECT_EQ(guard->missing(), 0u);
    Wire::end(guard);
    EXPECT_TRUE(is_message_and_one(memory.at(), memory.bytes()));
}

TEST_P(RelayHazard, a_page_that_comes_into_a_unit_that_is_written_is_open) {
    Pages memory(8);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
    add_to(memory.at(0), memory.at(page)); // opens its unit, of which three pages have not come
    EXPECT_EQ(guard->missing(), 7 * page);
    add_to(memory.at(page), memory.at(8 * page));
    EXPECT_EQ(tracker->take().bytes(), tracks ? 4 * page : 0);
    EXPECT_FALSE(tracker->end());
    Wire::end(guard);
    EXPECT_TRUE(is_message_and_one(memory.at(), memory.bytes()));
}

TEST_P(RelayHazard, what_has_not_come_is_not_passed) {
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
    // A strided writer begins each unit and leaves most of it alone. Of the first unit all has come, of the others one page.
    std::vector<Wire::Piece> later;
    for (std::size_t k = 0; k < Wire::pieces.size();) {
        const std::size_t its_page = Wire::pieces[k].offset / page;
        if (its_page < 4 || its_page % 4 == 1) {
            k++;
            continue;
        }
        later.push_back(std::move(Wire::pieces[k]));
        Wire::pieces.erase(Wire::pieces.begin() + static_cast<std::ptrdiff_t>(k));
    }
    Wire::deliver_all();
    write_to(memory.at());
    for (std::size_t at = page; at < memory.bytes(); at += 4 * page) write_to(memory.at(at));
    const RangeSet passed = tracker->take();
    if (tracks) {
        ASSERT_EQ(passed.ranges().size(), 1u);
        EXPECT_EQ(passed.ranges()[0], (Range{0, 4 * page}));
    }
    for (auto &piece : later) Wire::pieces.push_back(std::move(piece));
    Wire::deliver_all();
    EXPECT_FALSE(tracker->end());
    Wire::end(guard);
    EXPECT_EQ(read_from(memory.at(6 * page)), Wire::content(6 * page));
}

TEST_P(RelayHazard, a_write_after_leaving_is_found) {
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
    add_to(memory.at(0), memory.at(9 * page));
    tracker->take();
    write_to(memory.at(page + 5));
    add_to(memory.at(9 * page), memory.at(16 * page));
    const auto misuse = tracker->end();
    ASSERT_EQ(misuse.has_value(), tracks);
    if (misuse) {
        EXPECT_EQ(misuse->offset, page + 5);
    }
    Wire::end(guard);
}

TEST_P(RelayHazard, who_reads_ahead_has_written_nothing) {
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
    EXPECT_TRUE(tracker->take().empty());
    add_to(memory.at(0), memory.at(16 * page));
    EXPECT_EQ(tracker->take().bytes(), tracks ? 12 * page : 0);
    EXPECT_FALSE(tracker->end());
    Wire::end(guard);
    EXPECT_TRUE(is_message_and_one(memory.at(), memory.bytes()));
}

//! Between the access and its handler another thread takes in all that has come.
TEST_P(RelayHazard, a_read_that_comes_too_late_to_wait_has_written_nothing) {
    Guard::start(choose_guarding(std::get<0>(GetParam())), [](Range, bool (*done)(void *), void *what) {
        Wire::deliver_all();
        ASSERT_TRUE(done(what));
    });
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
    EXPECT_EQ(read_from(memory.at(7)), Wire::content(7));
    add_to(memory.at(4 * page), memory.at(8 * page));
    EXPECT_TRUE(tracker->take().empty()); // as the first unit was not written
    EXPECT_FALSE(tracker->end());
    Wire::end(guard);
}

TEST_P(RelayHazard, a_first_touch_that_writes_is_noticed) {
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
    for (std::size_t at = 0; at < memory.bytes(); at += page) write_to(memory.at(at));
    EXPECT_EQ(tracker->take().bytes(), tracks ? 12 * page : 0);
    EXPECT_FALSE(tracker->end());
    Wire::end(guard);
    for (std::size_t at = 0; at < memory.bytes(); at++)
        ASSERT_EQ(read_from(memory.at(at)), at % page ? Wire::content(at) : 1);
}

TEST_P(RelayHazard, either_may_end_first) {
    for (const bool tracker_first : {true, false}) {
        Pages memory(16);
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
        Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
        add_to(memory.at(0), memory.at(6 * page));
        if (tracker_first) {
            EXPECT_FALSE(tracker->end());
            EXPECT_EQ(guard->missing(), 10 * page);
            Wire::deliver_all();
            Wire::end(guard);
        } else { // the message is shorter than it could have been
            Wire::pieces.clear();
            Wire::end(guard);
            EXPECT_EQ(tracker->take().bytes(), tracks ? 4 * page : 0);
            for (std::size_t at = 6 * page; at < memory.bytes(); at++) write_to(memory.at(at), 3);
            EXPECT_EQ(tracker->take().bytes(), tracks ? 8 * page : 0);
            EXPECT_FALSE(tracker->end());
        }
        for (std::size_t at = 6 * page; at < memory.bytes(); at++)
            ASSERT_EQ(read_from(memory.at(at)), tracker_first ? Wire::content(at) : 3);
        write_to(memory.at(), 1); // nothing is closed
        write_to(memory.at(15 * page), 1);
    }
}

TEST_P(RelayHazard, messages_into_parts_of_what_is_sent) {
    Pages memory(24);
    std::memset(memory.at(), 0, memory.bytes());
    Guard *first = Wire::receive(memory.at(page + 100), 7 * page, page), *second;
    second = Wire::receive(memory.at(12 * page), 9 * page, 3 * page);
    Wire::wait_for_edges(first);
    Wire::wait_for_edges(second);
    Tracker *tracker = Tracker::begin(memory.at(10), memory.bytes() - 20, 4 * page);
    ASSERT_EQ(tracker->how() != Tracking::none, tracks);
    add_to(memory.at(0), memory.at(24 * page));
    EXPECT_GE(tracker->take().bytes(), tracks ? 16 * page : 0);
    EXPECT_FALSE(tracker->end());
    Wire::end(first);
    Wire::end(second);
    EXPECT_TRUE(is_message_and_one(memory.at(page + 100), 7 * page));
    EXPECT_TRUE(is_message_and_one(memory.at(12 * page), 9 * page));
    EXPECT_EQ(read_from(memory.at(10 * page)), 1);
}

TEST_P(RelayHazard, a_system_call_writes_what_was_settled) {
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
    const int zero = open("/dev/zero", O_RDONLY);
    Guard::settle(memory.at(2 * page), 3 * page);
    Tracker::settle(memory.at(2 * page), 3 * page);
    EXPECT_EQ(read(zero, memory.at(2 * page), 3 * page), static_cast<ssize_t>(3 * page));
    close(zero);
    EXPECT_EQ(read_from(memory.at(page)), Wire::content(page));
    EXPECT_EQ(read_from(memory.at(4 * page)), 0);
    add_to(memory.at(0), memory.at(2 * page));
    add_to(memory.at(5 * page), memory.at(16 * page));
    EXPECT_FALSE(tracker->end());
    Wire::end(guard);
    EXPECT_EQ(read_from(memory.at(15 * page)), static_cast<char>(Wire::content(15 * page) + 1));
}

TEST_P(RelayHazard, threads_add_to_what_comes) {
    constexpr std::size_t threads = 4;
    for (int round = 0; round < 20; round++) {
        Pages memory(16 * threads);
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
        Tracker *tracker;
        {
            Wire::Lock lock;
            Wire::shuffle();
            tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
        }
        std::vector<std::thread> team;
        for (std::size_t t = 0; t < threads; t++)
            team.emplace_back([&, t] { add_to(memory.at(16 * t * page), memory.at(16 * (t + 1) * page)); });
        for (std::thread &thread : team) thread.join();
        if (tracks) {
            // Nor is a thread's first unit, where the thread before had come so far already.
            const std::size_t passed = tracker->take().bytes();
            EXPECT_LE(passed, threads * 12 * page);
            EXPECT_GE(passed, threads * 12 * page - (threads - 1) * 4 * page);
        }
        EXPECT_FALSE(tracker->end());
        Wire::end(guard);
        ASSERT_TRUE(is_message_and_one(memory.at(), memory.bytes()));
    }
}

TEST_P(RelayHazard, a_thread_reads_what_another_writes) {
    for (int round = 0; round < 20; round++) {
        Pages memory(64);
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
        Tracker *tracker;
        {
            Wire::Lock lock;
            tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
        }
        std::thread reader([&] {
            for (std::size_t at = 0; at < memory.bytes(); at += page / 2) read_from(memory.at(at));
        });
        for (std::size_t at = 0; at < memory.bytes(); at += 4 * page) {
            add_to(memory.at(at), memory.at(at + 4 * page));
            Wire::Lock lock;
            tracker->take();
        }
        reader.join();
        EXPECT_FALSE(tracker->end());
        Wire::end(guard);
        ASSERT_TRUE(is_message_and_one(memory.at(), memory.bytes()));
    }
}

TEST_P(RelayHazard, a_child_of_fork_has_the_whole_message) {
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 4 * page);
    add_to(memory.at(0), memory.at(page));
    const int status = status_of([&] {
        add_to(memory.at(page), memory.at(16 * page));
        if (!is_message_and_one(memory.at(), memory.bytes())) _exit(1);
    });
    EXPECT_EQ(status, 0);
    add_to(memory.at(page), memory.at(16 * page));
    EXPECT_EQ(tracker->take().bytes(), tracks ? 12 * page : 0);
    EXPECT_FALSE(tracker->end());
    Wire::end(guard);
    EXPECT_TRUE(is_message_and_one(memory.at(), memory.bytes()));
}

TEST_P(RelayHazard, without_a_map_left_what_came_is_right) {
    Pages memory(64);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    Tracker *tracker = Tracker::begin(memory.at(), memory.bytes(), 2 * page);
    add_to(memory.at(0), memory.at(9 * page));
    tracker->take();
    {
        const AllMaps maps;
        Wire::shuffle();
        add_to(memory.at(9 * page), memory.at(64 * page));
        EXPECT_FALSE(tracker->end());
        EXPECT_TRUE(is_message_and_one(memory.at(), memory.bytes()));
        Wire::end(guard);
    }
    write_to(memory.at(30 * page));
}

} // namespace
} // namespace stretto::pages
