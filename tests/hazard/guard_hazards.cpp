// What touches a buffer whose message is still on its way, in all the ways and to all the kinds of memory that programs know.
#include "pages/kernel.h"
#include "pages/userfault.h"
#include "wire.h"

#include <atomic>
#include <chrono>
#include <iterator>
#include <malloc.h>
#include <memory>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <thread>
#include <ucontext.h>
#include <vector>

extern char **environ;

namespace stretto::pages {
namespace {

class GuardHazard : public testing::TestWithParam<const char *> {
protected:
    void SetUp() override {
        const GuardingChoice choice = choose_guarding(GetParam());
        if (choice.guarding == Guarding::block) {
            ASSERT_STREQ(GetParam(), "userfault") << choice.reason;
            ASSERT_NE(userfault::open(), "") << choice.reason;
            GTEST_SKIP() << choice.reason;
        }
        guarding = choice.guarding;
        Guard::start(choice, Wire::until);
    }
    void TearDown() override {
        for (int number : {SIGSEGV, SIGBUS}) signal(number, SIG_DFL);
        EXPECT_TRUE(Wire::arrived);
    }

    Guarding guarding = Guarding::block;
};

INSTANTIATE_TEST_SUITE_P(mechanism, GuardHazard, testing::Values("userfault", "mprotect"),
                         [](const auto &mechanism) { return std::string(mechanism.param); });

// --- orders of arrival and of touch ---------------------------------------------------------------------------------

bool raised;

TEST_P(GuardHazard, a_touch_waits_for_its_own_page_only) {
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    ASSERT_EQ(guard->how(), guarding);
    EXPECT_EQ(guard->missing(), memory.bytes());
    EXPECT_EQ(read_from(memory.at(3 * page + 5)), Wire::content(3 * page + 5));
    EXPECT_EQ(guard->missing(), 12 * page);
    EXPECT_EQ(read_from(memory.at(2 * page)), Wire::content(2 * page)) << "it was here already";
    EXPECT_EQ(guard->missing(), 12 * page);
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
    EXPECT_EQ(guard->missing(), 0u);
    Wire::end(guard);
}

TEST_P(GuardHazard, a_page_that_is_here_in_part_waits_for_its_rest) {
    for (std::size_t offset : {std::size_t{0}, std::size_t{40}})
        for (std::size_t here : {std::size_t{8}, page - 40, page + 100, 4 * page, 8 * page - 500}) {
            Pages memory(9);
            const std::size_t bytes = 8 * page;
            Guard *guard = Wire::receive(memory.at(offset), bytes, 700, here);
            ASSERT_EQ(guard->how(), guarding);
            EXPECT_EQ(guard->edges_arrived(), offset == 0);
            Wire::wait_for_edges(guard);
            EXPECT_TRUE(is_message(memory.at(offset), bytes)) << offset << " " << here;
            Wire::end(guard);
        }
}

TEST_P(GuardHazard, a_guard_that_ends_before_its_message_leaves_what_was_here) {
    Pages memory(4);
    for (std::size_t k = 0; k < memory.bytes(); k++) memory.at()[k] = Wire::content(k);
    Guard *guard = Guard::begin(memory.at(), memory.bytes(), {.here = page + 100});
    ASSERT_EQ(guard->how(), guarding);
    Wire::end(guard);
    EXPECT_TRUE(is_message(memory.at(), page + 100));
}

// What is written behind a protection would go nowhere: the kernel asks nobody for a page that is missing there.
TEST_P(GuardHazard, memory_that_the_program_watches_by_a_userfaultfd_is_left_to_it) {
    Pages memory(4);
    const int own = static_cast<int>(syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY | O_CLOEXEC | O_NONBLOCK));
    uffdio_api api{};
    api.api = UFFD_API;
    if (own < 0 || ioctl(own, UFFDIO_API, &api) != 0) GTEST_SKIP() << "no userfaultfd";
    uffdio_register all{};
    all.range = {reinterpret_cast<std::uintptr_t>(memory.at()), memory.bytes()};
    all.mode = UFFDIO_REGISTER_MODE_MISSING;
    ASSERT_EQ(ioctl(own, UFFDIO_REGISTER, &all), 0);
    Guard *guard = Guard::begin(memory.at(), memory.bytes());
    EXPECT_EQ(guard->how(), Guarding::block);
    guard->end();
    // Nobody fills pages here: who touches one, to keep what lies before or behind the message, waits for ever.
    ASSERT_EQ(madvise(memory.at(), memory.bytes(), MADV_DONTNEED), 0);
    guard = Guard::begin(memory.at(), memory.bytes() - 100, {.here = 100});
    EXPECT_EQ(guard->how(), Guarding::block);
    guard->end();
    close(own);
}

// --- pages that a message shares with its allocation's other bytes --------------------------------------------------

//! So much that malloc maps it by itself, whatever was freed before.
class Allocation {
public:
    Allocation() { std::memset(memory, 'o', first_bytes); }
    ~Allocation() { std::free(memory); }
    char *at(std::size_t k) { return memory + k; }
    static constexpr std::size_t first_bytes = 1 << 18;

private:
    char *memory = static_cast<char *>(std::malloc(std::size_t{64} << 20));
};
constexpr Coming unmatched{.fewer = true, .shares = true};

TEST_P(GuardHazard, shared_pages_are_guarded_and_keep_their_other_bytes) {
    for (const std::size_t begin : {std::size_t{1}, 3 * page + 1000})
        for (const std::size_t bytes : {std::size_t{200}, 2 * page, 5 * page + 77}) {
            Allocation memory;
            Guard *guard = Wire::receive(memory.at(begin), bytes, 700, unmatched, bytes);
            ASSERT_TRUE(guard->edges_arrived());
            EXPECT_EQ(read_from(memory.at(begin + bytes)), 'o');
            EXPECT_EQ(read_from(memory.at(begin - 1)), 'o');
            EXPECT_TRUE(is_message(memory.at(begin), bytes));
            EXPECT_EQ(guard->missing(), 0u);
            Wire::end(guard);
            write_to(memory.at(begin + bytes), 'w');
        }
}

TEST_P(GuardHazard, a_page_of_two_messages_opens_when_both_have_come) {
    for (const bool second_first : {false, true}) {
        Allocation memory;
        const std::size_t bytes = 3 * page + 500;
        Guard *first = Wire::receive(memory.at(0), bytes, page, unmatched, bytes);
        Guard *second = Wire::receive(memory.at(bytes), bytes, page, unmatched, bytes);
        ASSERT_TRUE(first->edges_arrived() && second->edges_arrived());
        if (second_first) std::reverse(Wire::pieces.begin(), Wire::pieces.end());
        EXPECT_EQ(read_from(memory.at(bytes - 1)), Wire::content(bytes - 1));
        EXPECT_EQ(read_from(memory.at(bytes)), Wire::content(0));
        EXPECT_TRUE(is_message(memory.at(0), bytes) && is_message(memory.at(bytes), bytes));
        Wire::end(first);
        Wire::end(second);
    }
}

TEST_P(GuardHazard, a_guard_that_ends_leaves_the_others_part_of_a_page) {
    Allocation memory;
    const std::size_t bytes = 3 * page + 500;
    Guard *first = Wire::receive(memory.at(0), bytes, page, unmatched, 0);
    Guard *second = Wire::receive(memory.at(bytes), bytes, page, unmatched, bytes);
    Wire::end(first);
    EXPECT_EQ(read_from(memory.at(100)), 'o');
    EXPECT_EQ(second->missing(), bytes);
    EXPECT_EQ(read_from(memory.at(bytes)), Wire::content(0));
    EXPECT_TRUE(is_message(memory.at(bytes), bytes));
    Wire::end(second);
}

TEST_P(GuardHazard, a_message_that_is_shorter_leaves_the_rest) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{10}, page, 2 * page + 7, 9 * page}) {
        Allocation memory;
        const std::size_t most = 9 * page;
        Guard *guard = Wire::receive(memory.at(100), most, 600, unmatched, bytes);
        {
            Wire::Lock lock;
            guard->shorten(bytes);
        }
        Wire::flows = 0; // what does not come is not waited for
        for (std::size_t at = bytes + page; at < most; at += page / 2)
            EXPECT_EQ(read_from(memory.at(100 + at)), 'o') << at;
        Wire::flows = 1;
        EXPECT_TRUE(is_message(memory.at(100), bytes));
        EXPECT_EQ(read_from(memory.at(100 + bytes)), 'o');
        EXPECT_EQ(guard->missing(), 0u);
        Wire::end(guard);
    }
}

TEST_P(GuardHazard, a_shared_page_that_was_lent_is_closed_again) {
    Allocation memory;
    const std::size_t bytes = 2 * page;
    Guard *guard = Wire::receive(memory.at(page + 100), bytes, page, unmatched, bytes);
    ASSERT_TRUE(guard->edges_arrived());
    {
        Wire::Lock lock;
        EXPECT_FALSE(Guard::lend(addresses_of(memory.at(8 * page), 1)));
        ASSERT_TRUE(Guard::lend(addresses_of(memory.at(page + 90), 4)));
        EXPECT_TRUE(Guard::lends());
        *memory.at(page + 90) = 'l'; // as the library would
        Guard::take_back();
    }
    EXPECT_EQ(guard->missing(), bytes);
    EXPECT_TRUE(is_message(memory.at(page + 100), bytes));
    EXPECT_EQ(*memory.at(page + 90), 'l');
    Wire::end(guard);
}

TEST_P(GuardHazard, pages_of_the_heap_are_not_shared) {
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    char *const memory = static_cast<char *>(std::malloc(20 * page));
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    Guard *guard = Wire::receive(memory + page + 40, 2 * page, page, unmatched, 2 * page);
    EXPECT_FALSE(guard->edges_arrived());
    Wire::wait_for_edges(guard);
    EXPECT_TRUE(is_message(memory + page + 40, 2 * page));
    Wire::end(guard);
    std::free(memory);
}

TEST_P(GuardHazard, integers_that_look_like_a_header_are_none) {
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    auto *const small = static_cast<char *>(std::malloc(20 * page));
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    auto *const large = static_cast<char *>(std::malloc(1 << 20));
    for (char *memory : {small, large}) {
        auto *const at = memory + (page - addresses_of(memory, 1).begin % page) + page;
        struct {
            int low, high; // high: so many times 4 GiB
        } sizes[] = {{2, 1}, {2, 1 << 20}, {static_cast<int>(16 * page) + 2, 0}};
        for (std::size_t k = 0; k < std::size(sizes); k++) {
            const int integers[] = {0, 0, sizes[k].low, sizes[k].high};
            std::memcpy(at, integers, sizeof integers);
            const Range own =
                own_allocation(addresses_of(at + (3 + k) * page + 40, page)); // each page is searched for once
            if (memory == small) {
                EXPECT_TRUE(own.empty());
            } else if (sizes[k].high) {
                EXPECT_EQ(own.begin, addresses_of(memory, 1).begin / page * page);
            }
        }
    }
    std::free(small);
    std::free(large);
}

TEST_P(GuardHazard, a_second_allocation_where_the_first_was_is_asked_anew) {
    for (const std::size_t megabytes : {64, 48, 64}) {
        char *memory = static_cast<char *>(std::malloc(megabytes << 20));
        const Range own = own_allocation(addresses_of(memory + 100 * page, 10));
        EXPECT_EQ(own.begin, addresses_of(memory, 1).begin / page * page);
        EXPECT_GE(own.bytes(), megabytes << 20);
        EXPECT_LT(own.bytes(), (megabytes << 20) + 2 * page);
        std::free(memory);
    }
}

TEST_P(GuardHazard, an_aligned_allocation_is_known_as_well) {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    for (std::size_t alignment = 16; alignment <= page; alignment *= 2) {
        char *memory = static_cast<char *>(std::aligned_alloc(alignment, bytes));
        const Range own = own_allocation(addresses_of(memory + 100 * page, 10));
        EXPECT_TRUE(own.covers(addresses_of(memory, bytes))) << alignment;
        EXPECT_LT(own.bytes(), bytes + 3 * page) << alignment;
        std::free(memory);
    }
}

TEST_P(GuardHazard, pieces_of_any_size_come_in_any_order) {
    for (std::size_t piece : {std::size_t{1000}, page / 2, page, page + 1, 3 * page, 5 * page - 7, 40 * page})
        for (std::size_t offset : {0u, 8u, 4000u}) {
            Pages memory(34);
            Guard *guard = Wire::receive(memory.at(offset), 32 * page + 40, piece);
            Wire::shuffle();
            Wire::wait_for_edges(guard);
            EXPECT_TRUE(is_message(memory.at(offset), 32 * page + 40)) << piece << " " << offset;
            EXPECT_EQ(guard->missing(), 0u);
            Wire::end(guard);
        }
}

TEST_P(GuardHazard, a_write_waits_too_and_stays) {
    Pages memory(8);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    write_to(memory.at(5 * page), 'x');
    EXPECT_EQ(read_from(memory.at(5 * page + 1)), Wire::content(5 * page + 1));
    Wire::deliver_all();
    EXPECT_EQ(read_from(memory.at(5 * page)), 'x');
    Wire::end(guard);
}

TEST_P(GuardHazard, a_buffer_is_received_into_again_and_again) {
    Pages memory(32);
    for (int round = 0; round < 500; round++) {
        std::memset(memory.at(), round, memory.bytes());
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), 4 * page);
        ASSERT_EQ(read_from(memory.at(memory.bytes() / 2)), Wire::content(memory.bytes() / 2));
        Wire::deliver_all();
        ASSERT_TRUE(is_message(memory.at(), memory.bytes()));
        Wire::end(guard);
    }
}

TEST_P(GuardHazard, a_receive_into_a_buffer_that_was_released_settles_the_first) {
    Pages memory(8);
    Guard *first = Wire::receive(memory.at(), memory.bytes(), page);
    Guard::retire(memory.at(), memory.bytes());
    EXPECT_EQ(first->missing(), 0u);
    Guard *second = Wire::receive(memory.at(), memory.bytes(), page);
    EXPECT_EQ(second->how(), guarding);
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
    Wire::end(first);
    Wire::end(second);
}

TEST_P(GuardHazard, two_receives_into_the_same_bytes_corrupt_nothing) {
    Pages memory(8);
    Guard *first = Wire::receive(memory.at(), memory.bytes(), page),
          *second = Wire::receive(memory.at(), memory.bytes(), page);
    EXPECT_EQ(second->how(), Guarding::block);
    Wire::until(
        {}, [](void *g) { return static_cast<Guard *>(g)->missing() == 0; }, first);
    Wire::deliver_all();
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
    Wire::end(first);
    Wire::end(second);
}

TEST_P(GuardHazard, a_peer_that_is_gone_leaves_nobody_closed_out) {
    Pages memory(8);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    {
        Wire::Lock lock;
        Wire::deliver();
        Wire::pieces.clear();
        guard->end();
    }
    EXPECT_EQ(read_from(memory.at()), Wire::content(0));
    read_from(memory.at(7 * page)); // does not hang
}

// --- edges ----------------------------------------------------------------------------------------------------------

TEST_P(GuardHazard, other_data_on_the_first_and_last_page_stay_and_can_be_used) {
    Pages memory(10);
    char *buffer = memory.at(page - 8);
    const std::size_t bytes = 8 * page + 16;
    std::memset(memory.at(), 'o', memory.bytes());
    Guard *guard = Wire::receive(buffer, bytes, 1000);
    write_to(memory.at(3), 'p');
    EXPECT_EQ(read_from(buffer + bytes), 'o');
    EXPECT_EQ(guard->missing(), bytes) << "nobody had to wait";
    EXPECT_FALSE(guard->edges_arrived());
    Wire::wait_for_edges(guard);
    EXPECT_EQ(read_from(buffer + bytes - 1), Wire::content(bytes - 1));
    EXPECT_TRUE(is_message(buffer, bytes));
    EXPECT_EQ(read_from(memory.at(3)), 'p');
    EXPECT_EQ(read_from(buffer + bytes), 'o');
    EXPECT_EQ(read_from(buffer - 1), 'o');
    Wire::end(guard);
}

TEST_P(GuardHazard, two_receives_share_a_page) {
    Pages memory(17);
    const std::size_t half = 8 * page + page / 2;
    Guard *low = Wire::receive(memory.at(), half, 700), *high = Wire::receive(memory.at(half), half, 900);
    ASSERT_EQ(low->how(), guarding);
    ASSERT_EQ(high->how(), guarding);
    Wire::shuffle();
    EXPECT_TRUE(is_message(memory.at(), 8 * page));
    EXPECT_TRUE(is_message(memory.at(9 * page), 0));
    Wire::deliver_all();
    EXPECT_TRUE(is_message(memory.at(), half));
    EXPECT_TRUE(is_message(memory.at(half), half));
    Wire::end(low);
    Wire::end(high);
}

TEST_P(GuardHazard, many_messages_at_once) {
    Pages memory(8 * 200);
    std::vector<Guard *> all;
    for (std::size_t k = 0; k < 200; k++) all.push_back(Wire::receive(memory.at(k * 8 * page), 8 * page, 3000));
    Wire::shuffle();
    for (std::size_t k = 0; k < 200; k += 7) EXPECT_TRUE(is_message(memory.at(k * 8 * page), 8 * page));
    Wire::deliver_all();
    for (std::size_t k = 0; k < 200; k++) EXPECT_TRUE(is_message(memory.at(k * 8 * page), 8 * page));
    for (Guard *guard : all) Wire::end(guard);
}

// --- kinds of memory ------------------------------------------------------------------------------------------------

char in_data[16 << 16] = {1};
char in_bss[16 << 16];

void comes_right(char *buffer, std::size_t bytes, bool guarded) {
    std::memset(buffer, 0, bytes);
    Guard *guard = Wire::receive(buffer, bytes, 5000);
    EXPECT_EQ(guard->how() != Guarding::block, guarded);
    Wire::wait_for_edges(guard);
    EXPECT_TRUE(is_message(buffer, bytes));
    Wire::deliver_all();
    Wire::end(guard);
    EXPECT_TRUE(is_message(buffer, bytes));
    std::memset(buffer, 0, bytes);
    EXPECT_EQ(buffer[bytes - 1], 0);
}

TEST_P(GuardHazard, static_memory_is_guarded) {
    comes_right(in_data, sizeof in_data, true);
    comes_right(in_bss, sizeof in_bss, true);
}

TEST_P(GuardHazard, memory_of_malloc_is_guarded) {
    for (std::size_t bytes : {16 * page, 1024 * page}) {
        const std::unique_ptr<char, decltype(&std::free)> buffer(static_cast<char *>(std::malloc(bytes)), std::free);
        comes_right(buffer.get(), bytes, true);
    }
}

//! Three pages of the heap, so that what malloc had to say of them stands on other pages; and what lies before and behind them.
struct OnTheHeap {
    using Allocation = std::unique_ptr<char, decltype(&std::free)>;
    Allocation before{allocate(), std::free}, buffer{allocate(), std::free}, behind{allocate(), std::free};
    static char *allocate() { return static_cast<char *>(aligned_alloc(page, 3 * page)); }
};

TEST_P(GuardHazard, an_allocation_of_its_own_pages_is_guarded_to_its_end) {
    OnTheHeap heap;
    const std::size_t bytes = 2 * page + 100;
    for (char *all : {heap.before.get(), heap.buffer.get(), heap.behind.get()}) std::memset(all, 'o', 3 * page);
    Guard *guard = Wire::receive(heap.buffer.get(), bytes, 1000);
    ASSERT_TRUE(guard->guards_the_end());
    EXPECT_TRUE(guard->edges_arrived());
    std::memset(heap.before.get(), 'b', 3 * page);
    std::memset(heap.behind.get(), 'b', 3 * page);
    heap.before.reset();
    heap.behind.reset();
    EXPECT_EQ(guard->missing(), bytes) << "nobody had to wait";
    EXPECT_TRUE(is_message(heap.buffer.get(), bytes));
    EXPECT_EQ(read_from(heap.buffer.get() + bytes), 'o');
    EXPECT_EQ(read_from(heap.buffer.get() + 3 * page - 1), 'o');
    Wire::end(guard);
}

TEST_P(GuardHazard, a_page_that_another_allocation_may_have_is_not_guarded) {
    const auto to_the_end = [](char *buffer, std::size_t bytes) {
        Guard *guard = Wire::receive(buffer, bytes, 1000);
        const bool guarded = guard->guards_the_end();
        Wire::deliver_all();
        EXPECT_TRUE(is_message(buffer, bytes));
        Wire::end(guard);
        return guarded;
    };
    OnTheHeap heap;
    EXPECT_TRUE(to_the_end(heap.buffer.get(), 2 * page + 100));
    EXPECT_FALSE(to_the_end(heap.buffer.get(), page + 100)) << "half of it: what follows may be another array";
    EXPECT_FALSE(to_the_end(heap.buffer.get() + 64, 2 * page + 100)) << "its begin says nothing";
    const OnTheHeap::Allocation shorter(static_cast<char *>(aligned_alloc(page, 2 * page + 128)), std::free);
    EXPECT_FALSE(to_the_end(shorter.get(), 2 * page + 100)) << "it ends before its page";
    Pages memory(8);
    EXPECT_FALSE(to_the_end(memory.at(), 2 * page + 100)) << "nothing can be read before it, or it is not malloc's";
    for (const std::size_t size : {2 * page + 17, 3 * page + 17, 5 * page, 3 * page + 2}) {
        std::memcpy(memory.at(page - sizeof size), &size, sizeof size);
        EXPECT_FALSE(to_the_end(memory.at(page), 2 * page + 100)) << size << " only looks like malloc's";
    }
}

TEST_P(GuardHazard, what_another_thread_writes_behind_a_message_meanwhile_stays) {
    OnTheHeap heap;
    const std::size_t bytes = 2 * page + 100;
    std::atomic<bool> over{false};
    volatile long *counter = reinterpret_cast<long *>(heap.buffer.get() + 3 * page - sizeof(long));
    *counter = 0;
    std::atomic<long> counted{0};
    std::thread other([&] {
        while (!over) {
            *counter = *counter + 1;
            counted++;
        }
    });
    // Until both have done enough, whoever has the core.
    for (int round = 0; round < 2000 || counted < 2000; round++) {
        Guard *guard = Wire::receive(heap.buffer.get(), bytes, 1000);
        EXPECT_EQ(guard->how(), guarding);
        Wire::deliver_all();
        Wire::end(guard);
    }
    over = true;
    other.join();
    EXPECT_EQ(*counter, counted.load());
}

TEST_P(GuardHazard, a_stack_is_not_guarded) {
    char buffer[65536];
    comes_right(buffer, sizeof buffer, false);
    std::thread([&] {
        char of_thread[65536];
        comes_right(of_thread, sizeof of_thread, false);
    }).join();
}

TEST_P(GuardHazard, shared_memory_is_not_guarded) {
    Pages memory(16, MAP_SHARED | MAP_ANONYMOUS);
    comes_right(memory.at(), memory.bytes(), false);
}

TEST_P(GuardHazard, a_private_file_is_guarded_and_stays_as_it_is) {
    char path[] = "/tmp/stretto-XXXXXX";
    const int file = mkstemp(path);
    ASSERT_GE(file, 0);
    unlink(path);
    ASSERT_EQ(ftruncate(file, static_cast<off_t>(16 * page)), 0);
    Pages memory(16, MAP_PRIVATE, file);
    comes_right(memory.at(), memory.bytes(), true);
    char first = 9;
    EXPECT_EQ(pread(file, &first, 1, 0), 1);
    EXPECT_EQ(first, 0);
    close(file);
}

TEST_P(GuardHazard, locked_memory_comes_right_and_stays_locked) {
    Pages memory(8);
    ASSERT_EQ(mlock(memory.at(), memory.bytes()), 0);
    comes_right(memory.at(), memory.bytes(), true);
}

//! A ring of the kernel that has a buffer of the program fixed, as a network card would have it.
class Pinned {
    int ring_;

public:
    explicit Pinned(Pages &memory) {
        char parameters[120] = {};
        ring_ = static_cast<int>(syscall(SYS_io_uring_setup, 1, parameters));
        iovec all{memory.at(), memory.bytes()};
        constexpr unsigned register_buffers = 0;
        if (ring_ >= 0 && syscall(SYS_io_uring_register, ring_, register_buffers, &all, 1) != 0) {
            close(ring_);
            ring_ = -1;
        }
    }
    ~Pinned() {
        if (ring_ >= 0) close(ring_);
    }
    Pinned(const Pinned &) = delete;
    Pinned &operator=(const Pinned &) = delete;
    explicit operator bool() const { return ring_ >= 0; }
};

//! The page frames that a card would write to: the same ones afterwards.
TEST_P(GuardHazard, pinned_pages_stay_where_they_are) {
    Pages memory(16);
    std::memset(memory.at(), 0, memory.bytes());
    const Pinned pinned(memory);
    if (!pinned) GTEST_SKIP() << "io_uring is not allowed here";
    const int map = open("/proc/self/pagemap", O_RDONLY);
    const auto frame = [&] {
        std::uint64_t entry = 0;
        EXPECT_EQ(pread(map, &entry, sizeof entry,
                        static_cast<off_t>(reinterpret_cast<std::uintptr_t>(memory.at()) / page * 8)),
                  8);
        return entry & ((std::uint64_t{1} << 55) - 1);
    };
    const std::uint64_t before = frame();
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    EXPECT_EQ(guard->how(), Guarding::mprotect);
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
    Wire::end(guard);
    EXPECT_EQ(frame(), before); // 0 for who may not see it
    close(map);
}

TEST_P(GuardHazard, huge_pages_are_guarded) {
    const std::size_t huge = 2 << 20;
    Pages memory(3 * huge / page);
    char *buffer = reinterpret_cast<char *>((reinterpret_cast<std::uintptr_t>(memory.at()) + huge - 1) / huge * huge);
    madvise(buffer, 2 * huge, MADV_HUGEPAGE);
    comes_right(buffer, 2 * huge, true);
}

TEST_P(GuardHazard, a_page_that_came_and_was_dropped_reads_as_zeros) {
    Pages memory(8);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    EXPECT_EQ(read_from(memory.at(3 * page)), Wire::content(3 * page));
    ASSERT_EQ(madvise(memory.at(page), page, MADV_DONTNEED), 0);
    EXPECT_EQ(read_from(memory.at(page)), 0);
    EXPECT_EQ(read_from(memory.at(7 * page)), Wire::content(7 * page));
    Wire::end(guard);
}

// --- the kernel reads and writes ------------------------------------------------------------------------------------

TEST_P(GuardHazard, a_system_call_sees_the_message_after_settling) {
    Pages memory(12);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    EXPECT_EQ(write(ends[1], memory.at(8 * page), 100), -1) << "this is why";
    Guard::settle(memory.at(8 * page), 100);
    EXPECT_EQ(guard->missing(), 3 * page);
    ASSERT_EQ(write(ends[1], memory.at(8 * page), 100), 100);
    char copy[100];
    ASSERT_EQ(read(ends[0], copy, 100), 100);
    for (std::size_t k = 0; k < 100; k++) EXPECT_EQ(copy[k], Wire::content(8 * page + k));
    Wire::deliver_all();
    Wire::end(guard);
    close(ends[0]);
    close(ends[1]);
}

TEST_P(GuardHazard, memory_goes_after_its_message_has_come) {
    for (bool guarded : {true, false}) {
        Pages memory(8, guarded ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_ANONYMOUS);
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
        Guard::retire(memory.at(3 * page), 1);
        EXPECT_EQ(guard->missing(), 0u);
        Wire::end(guard);
    }
}

// --- memory that is given back --------------------------------------------------------------------------------------

char *map_at(char *address, std::size_t bytes, int access = PROT_READ | PROT_WRITE) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (address ? MAP_FIXED : 0);
    return static_cast<char *>(mmap(address, bytes, access, flags, -1, 0));
}

void give_back(char *memory, std::size_t bytes) {
    Guard::give_up(memory, bytes);
    munmap(memory, bytes);
}

bool is_all(const char *memory, std::size_t bytes, char what) {
    return std::all_of(memory, memory + bytes, [what](char byte) { return byte == what; });
}

TEST_P(GuardHazard, what_is_given_back_is_ordinary_at_once) {
    Wire::flows = 0; // a touch that waited would hang
    for (std::size_t here : {std::size_t{0}, 3 * page + 100}) {
        Pages memory(8);
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), page, here);
        ASSERT_EQ(guard->how(), guarding);
        Guard::give_up(memory.at(), memory.bytes());
        Guard::retire(memory.at(), memory.bytes());
        std::memset(memory.at(), 'y', memory.bytes());
        Wire::deliver_all();
        EXPECT_TRUE(is_all(memory.at(), memory.bytes(), 'y')) << "the rest of its message goes nowhere";
        EXPECT_EQ(guard->missing(), 0u);
        Wire::end(guard);
        EXPECT_TRUE(is_all(memory.at(), memory.bytes(), 'y'));
    }
}

TEST_P(GuardHazard, what_has_the_place_of_what_was_given_back_keeps_its_bytes_and_its_protection) {
    for (int access : {PROT_READ | PROT_WRITE, PROT_READ}) {
        char *memory = map_at(nullptr, 8 * page);
        Guard *guard = Wire::receive(memory, 8 * page, page + 100);
        ASSERT_EQ(guard->how(), guarding);
        {
            Wire::Lock lock;
            Wire::deliver();
        }
        give_back(memory, 8 * page);
        ASSERT_EQ(map_at(memory, 8 * page, access), memory);
        Wire::deliver_all();
        Wire::end(guard);
        EXPECT_TRUE(is_all(memory, 8 * page, 0));
        const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
        EXPECT_EQ(read(zero, memory + 4 * page, 1) == 1, access == (PROT_READ | PROT_WRITE)) << "as it was mapped";
        close(zero);
        munmap(memory, 8 * page);
    }
}

TEST_P(GuardHazard, a_part_is_given_back) {
    char *memory = map_at(nullptr, 16 * page);
    Guard *guard = Wire::receive(memory, 16 * page, page - 200);
    ASSERT_EQ(guard->how(), guarding);
    give_back(memory + 5 * page, 3 * page);
    give_back(memory + 15 * page, page);
    ASSERT_EQ(map_at(memory + 5 * page, 3 * page), memory + 5 * page);
    Wire::shuffle();
    EXPECT_TRUE(is_message(memory, 5 * page));
    EXPECT_EQ(read_from(memory + 14 * page), Wire::content(14 * page));
    Wire::deliver_all();
    EXPECT_TRUE(is_all(memory + 5 * page, 3 * page, 0));
    EXPECT_EQ(guard->missing(), 0u);
    Wire::end(guard);
    munmap(memory, 15 * page);
}

TEST_P(GuardHazard, another_message_comes_into_what_was_given_back) {
    Pages memory(8);
    for (std::size_t here : {std::size_t{0}, 2 * page}) {
        Guard *first = Wire::receive(memory.at(), memory.bytes(), page, here);
        ASSERT_EQ(first->how(), guarding);
        Guard::give_up(memory.at(), memory.bytes());
        for (Wire::Piece &piece : Wire::pieces) std::fill(piece.bytes.begin(), piece.bytes.end(), 'n');
        Guard *second = Wire::receive(memory.at(), memory.bytes(), page);
        EXPECT_EQ(second->how(), guarding);
        Wire::shuffle();
        EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
        Wire::deliver_all();
        Wire::end(first);
        EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
        Wire::end(second);
    }
}

TEST_P(GuardHazard, who_waits_for_what_another_thread_gives_back_goes_on) {
    Wire::flows = 0;
    Pages memory(8);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    std::thread reader([&] { read_from(memory.at(5 * page)); });
    usleep(20000);
    Guard::give_up(memory.at(), memory.bytes());
    reader.join();
    Wire::deliver_all();
    Wire::end(guard);
}

// Nothing is written or opened behind the back of whoever has the place next, while another thread brings the message.
TEST_P(GuardHazard, memory_is_given_back_while_its_message_comes) {
    for (int round = 0; round < 200; round++) {
        char *memory = map_at(nullptr, 16 * page);
        Guard *guard = Wire::receive(memory, 16 * page, page);
        ASSERT_EQ(guard->how(), guarding);
        std::thread brings([] { Wire::deliver_all(); });
        give_back(memory, 16 * page);
        // Small ones that other threads map meanwhile do not come there: it is as large as before.
        char *const next = static_cast<char *>(
            mmap(memory, 16 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
        brings.join();
        Wire::end(guard);
        if (next != MAP_FAILED) {
            ASSERT_TRUE(is_all(next, 16 * page, 0)) << round;
            munmap(next, 16 * page);
        }
    }
}

TEST_P(GuardHazard, the_rest_for_a_buffer_unmapped_behind_our_back_goes_nowhere) {
    char *memory = map_at(nullptr, 8 * page);
    Guard *guard = Wire::receive(memory, 8 * page, 4 * page);
    ASSERT_EQ(guard->how(), guarding);
    munmap(memory + 2 * page, 2 * page);
    EXPECT_TRUE(is_message(memory, 2 * page));
    Wire::deliver_all();
    EXPECT_EQ(read_from(memory + 7 * page), Wire::content(7 * page));
    Wire::end(guard);
    munmap(memory, 8 * page);
}

// What is cut off a file is cut off its private mapping, too, whatever was written there.
TEST_P(GuardHazard, the_rest_for_a_buffer_whose_file_is_cut_off_goes_nowhere) {
    const int file = memfd_create("cut off", 0);
    ASSERT_EQ(ftruncate(file, static_cast<off_t>(8 * page)), 0);
    char *memory = static_cast<char *>(mmap(nullptr, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0));
    ASSERT_NE(static_cast<void *>(memory), MAP_FAILED);
    Guard *guard = Wire::receive(memory, 8 * page, 4 * page);
    ASSERT_EQ(ftruncate(file, static_cast<off_t>(4 * page)), 0);
    EXPECT_TRUE(is_message(memory, 4 * page));
    Wire::deliver_all();
    Wire::end(guard);
    ASSERT_EQ(ftruncate(file, static_cast<off_t>(8 * page)), 0);
    EXPECT_EQ(read_from(memory + 7 * page), 0);
    munmap(memory, 8 * page);
    close(file);
}

TEST_P(GuardHazard, a_stack_that_is_no_threads_own_is_not_guarded) {
    static Guarding within, beside;
    static Pages stack(64), other(16);
    static ucontext_t fiber, back;
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack.at();
    fiber.uc_stack.ss_size = stack.bytes();
    fiber.uc_link = &back;
    makecontext(
        &fiber,
        +[] {
            alignas(4096) char local[8 * 4096];
            for (auto [memory, how] : {std::pair{local, &within}, std::pair{other.at(), &beside}}) {
                Guard *guard = Wire::receive(memory, 8 * page, page);
                *how = guard->how();
                Wire::deliver_all();
                Wire::end(guard);
            }
        },
        0);
    swapcontext(&back, &fiber);
    EXPECT_EQ(within, Guarding::block);
    const stack_t alternate{other.at(), 0, other.bytes()}, none{nullptr, SS_DISABLE, 0};
    sigaltstack(&alternate, nullptr);
    Guard *guard = Wire::receive(other.at(), 8 * page, page);
    EXPECT_EQ(guard->how(), Guarding::block);
    Wire::deliver_all();
    Wire::end(guard);
    sigaltstack(&none, nullptr);
}

// --- threads, signals, fork -----------------------------------------------------------------------------------------

TEST_P(GuardHazard, threads_touch_what_they_like) {
    for (int round = 0; round < 50; round++) {
        Pages memory(64);
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), 3 * page + 100);
        std::vector<std::thread> readers;
        std::atomic<int> right{0};
        for (std::size_t t = 0; t < 4; t++)
            readers.emplace_back([&, t] {
                bool all = true;
                for (std::size_t k = t * 1234; k < memory.bytes(); k += 3001)
                    all &= read_from(memory.at(k)) == Wire::content(k);
                right += all;
            });
        for (std::thread &reader : readers) reader.join();
        EXPECT_EQ(right, 4);
        Wire::deliver_all();
        Wire::end(guard);
    }
}

// The handler of a touch looks at what is guarded while that is given up.
TEST_P(GuardHazard, a_touch_may_come_as_the_last_piece_does) {
    Pages memory(4);
    std::atomic<bool> goes_on{true};
    std::thread reader([&] {
        for (std::size_t k = 0; goes_on; k++) read_from(memory.at(k % 4 * page));
    });
    for (int round = 0; round < 3000; round++) {
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), 4 * page);
        Wire::deliver_all();
        Wire::end(guard);
    }
    goes_on = false;
    reader.join();
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
}

TEST_P(GuardHazard, nobody_reads_what_was_there_before) {
    Pages memory(64);
    const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(10); // on a machine that is busy
    for (int round = 0; round < 1500 && std::chrono::steady_clock::now() < enough; round++) {
        std::memset(memory.at(), 0, memory.bytes()); // content() is never 0
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
        std::thread reader([&] {
            for (std::size_t at = 0; at < memory.bytes(); at += page) ASSERT_NE(read_from(memory.at(at + page - 1)), 0);
        });
        for (std::size_t at = 0; at < memory.bytes(); at += page) ASSERT_NE(read_from(memory.at(at + page - 1)), 0);
        reader.join();
        Wire::deliver_all();
        Wire::end(guard);
    }
}

char *touched_by_handler = nullptr;
std::atomic<int> handled{0};

TEST_P(GuardHazard, the_handler_of_a_signal_may_touch_the_buffer) {
    Pages memory(256);
    touched_by_handler = memory.at(memory.bytes() - 1);
    handled = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { handled += read_from(touched_by_handler) == Wire::content(256 * page - 1); };
    sigaction(SIGALRM, &action, nullptr);
    for (int round = 0; round < 50; round++) {
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
        raise(SIGALRM);
        EXPECT_EQ(handled, round + 1);
        Wire::deliver_all();
        Wire::end(guard);
    }
    const itimerval often{{0, 100}, {0, 100}}, never{};
    setitimer(ITIMER_REAL, &often, nullptr);
    while (handled < 250) {
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
        EXPECT_TRUE(is_message(memory.at(), 16 * page));
        Wire::deliver_all();
        Wire::end(guard);
    }
    setitimer(ITIMER_REAL, &never, nullptr);
}

TEST_P(GuardHazard, signals_are_handled_while_a_touch_waits) {
    Pages memory(8);
    struct sigaction action {};
    action.sa_handler = [](int) { Wire::flows = 1; };
    sigaction(SIGALRM, &action, nullptr);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    Wire::flows = 0;
    const itimerval soon{{0, 0}, {0, 20000}};
    setitimer(ITIMER_REAL, &soon, nullptr);
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
    Wire::end(guard);
}

TEST_P(GuardHazard, a_child_of_fork_has_the_whole_message) {
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    const int status = status_of([&] { _exit(is_message(memory.at(), memory.bytes()) ? 0 : 1); });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(guard->missing(), 0u);
    Wire::end(guard);
    comes_right(memory.at(), memory.bytes(), true);
}

TEST_P(GuardHazard, a_child_ignores_what_the_program_ignores) {
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    struct sigaction ignore {
    }, was{};
    ignore.sa_handler = SIG_IGN;
    ASSERT_EQ(sigaction(SIGSEGV, &ignore, &was), 0);
    const int status = status_of([] { execl("/bin/sh", "sh", "-c", "kill -SEGV $$; exit 7", nullptr); });
    EXPECT_EQ(WEXITSTATUS(status), 7) << status;
    sigaction(SIGSEGV, &was, nullptr);
    Wire::end(guard);
}

TEST_P(GuardHazard, a_child_that_writes_does_not_write_to_its_parent) {
    Pages memory(16);
    comes_right(memory.at(), memory.bytes(), true);
    const int status = status_of([&] {
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
        Wire::deliver_all();
        _exit(guard->missing() == 0 && is_message(memory.at(), memory.bytes()) ? 0 : 1);
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(memory.at()[0], 0);
}

TEST_P(GuardHazard, a_program_is_spawned_meanwhile) {
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    char program[] = "/bin/true";
    char *words[] = {program, nullptr};
    pid_t child;
    ASSERT_EQ(posix_spawn(&child, program, nullptr, nullptr, words, environ), 0);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
    Wire::end(guard);
}

// --- the program's own handlers, real faults ------------------------------------------------------------------------

TEST_P(GuardHazard, a_handler_of_the_program_serves_its_own_faults) {
    Pages memory(8), elsewhere(1);
    mprotect(elsewhere.at(), page, PROT_NONE);
    Leaver::install();
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    for (int k = 0; k < 3; k++) EXPECT_TRUE(Leaver::serves(elsewhere.at(17)));
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
    Wire::end(guard);
}

TEST_P(GuardHazard, a_real_fault_still_kills) {
    const int status = status_of([&] {
        Pages memory(8);
        Guard::start(choose_guarding(GetParam()), Wire::until);
        Wire::receive(memory.at(), memory.bytes(), page);
        write_to(nowhere());
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

[[gnu::noinline]] int descend(int depth) {
    char frame[4096];
    frame[depth % 4096] = static_cast<char>(depth);
    return depth == INT_MAX ? 0 : descend(depth + 1) + read_from(frame);
}

TEST_P(GuardHazard, a_stack_overflow_still_kills) {
    const int status = status_of([&] {
        Pages memory(8);
        Guard::start(choose_guarding(GetParam()), Wire::until);
        Wire::receive(memory.at(), memory.bytes(), page);
        _exit(descend(0));
    });
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST_P(GuardHazard, a_stack_overflow_is_handled_on_an_alternate_stack) {
    const int status = status_of([&] {
        Pages memory(8), stack(16);
        Guard::start(choose_guarding(GetParam()), Wire::until);
        const stack_t alternate{stack.at(), 0, stack.bytes()};
        sigaltstack(&alternate, nullptr);
        Leaver::install(SA_ONSTACK);
        Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
        if (sigsetjmp(Leaver::back, 1) == 0) _exit(descend(0));
        _exit(is_message(memory.at(), memory.bytes()) && guard->missing() == 0 ? 0 : 1);
    });
    EXPECT_EQ(status, 0);
}

TEST_P(GuardHazard, an_alternate_stack_may_be_small) {
    const SmallStack small;
    Guard::start(choose_guarding(GetParam()), [](Range wanted, bool (*done)(void *), void *what) {
        need_stack();
        Wire::until(wanted, done, what);
    });
    Pages memory(16);
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    double before = 1.5; // in a register of vectors, most likely
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
    EXPECT_EQ(before * read_from(memory.at()), 1.5 * Wire::content(0));
    EXPECT_TRUE(small.is_set());
    Wire::end(guard);
}

//! The program's handler runs while a touch waits, and it touches too.
TEST_P(GuardHazard, a_handler_on_a_small_alternate_stack_may_touch_the_buffer) {
    const SmallStack small;
    static char *late;
    static volatile std::sig_atomic_t seen;
    Pages memory(16);
    late = memory.at(15 * page);
    seen = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { seen = seen + (read_from(late) == Wire::content(15 * page)); };
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGUSR1, &action, nullptr);
    Guard::start(choose_guarding(GetParam()), [](Range wanted, bool (*done)(void *), void *what) {
        if (!seen && !std::exchange(raised, true)) raise(SIGUSR1);
        need_stack();
        Wire::until(wanted, done, what);
    });
    raised = false;
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
    EXPECT_EQ(seen, 1);
    EXPECT_TRUE(small.is_set());
    Wire::end(guard);
    signal(SIGUSR1, SIG_DFL);
}

// --- limits ---------------------------------------------------------------------------------------------------------

TEST_P(GuardHazard, without_a_map_left_the_message_comes_right) {
    Pages memory(64);
    std::memset(memory.at(), 0, memory.bytes());
    Guard *guard = Wire::receive(memory.at(), memory.bytes(), page);
    const AllMaps maps;
    Wire::shuffle();
    EXPECT_TRUE(is_message(memory.at(), memory.bytes()));
    Wire::end(guard);
    comes_right(memory.at(), memory.bytes(), true);
}

// --- the choice -----------------------------------------------------------------------------------------------------

TEST(GuardingChoice, an_unforced_choice_is_the_best_that_works) {
    const GuardingChoice choice = choose_guarding(nullptr), forced = choose_guarding("userfault");
    EXPECT_EQ(choice.guarding, forced.guarding == Guarding::userfault ? Guarding::userfault : Guarding::mprotect);
    EXPECT_EQ(choice.reason.empty(), choice.guarding == Guarding::userfault);
}

// The program's threads may be in calls that let nothing come any more.
TEST(GuardingChoice, other_threads_do_not_wait_for_what_is_only_tried) {
    std::atomic<bool> began = false, ends = false;
    std::thread other([&] {
        for (began = true; !ends;) Guard::retire(nullptr, SIZE_MAX);
    });
    while (!began) std::this_thread::yield();
    const Guarding found = choose_guarding(nullptr).guarding;
    for (int k = 0; k < 5000; k++) EXPECT_EQ(choose_guarding(nullptr).guarding, found);
    ends = true;
    other.join();
}

TEST(GuardingChoice, block_is_taken_when_asked_for) {
    EXPECT_EQ(choose_guarding("block").guarding, Guarding::block);
    Guard::start({Guarding::block, ""}, Wire::until);
    Pages memory(8);
    comes_right(memory.at(), memory.bytes(), false);
}

} // namespace
} // namespace stretto::pages
