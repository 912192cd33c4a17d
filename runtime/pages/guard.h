#pragma once
#include "pages/fault.h"
#include "pages/memory.h"
#include "pages/shared_range.h"
#include "range/range_set.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stretto::pages {

//! How a page that has not come stops who touches it.
enum class Guarding {
    block,     //!< not at all: the receive waits for everything
    mprotect,  //!< no access, a SIGSEGV; bytes go in through /proc/self/mem, then the page is opened
    userfault, //!< the page is not there, a SIGBUS; userfaultfd fills and opens it in one step (Linux 5.11)
};
const char *name(Guarding guarding);

//! \brief What this process may do, found out by trying it, and why it is not more.
struct GuardingChoice {
    Guarding guarding;
    std::string reason;
    bool forced = false;
};

//! Tries the mechanisms, the best one first; "userfault", "mprotect" or "block" forces one. nullptr: not forced. A forced one that does
//! not work here gives block, and the reason. unseen: why the kernel's accesses are not seen (dispatch.h); then it is block, too.
GuardingChoice choose_guarding(const char *forced, const std::string &unseen = "");

//! \brief What is known of a message when it begins to come in.
struct Coming {
    std::size_t here = 0; //!< so many of its first bytes are here already
    bool fewer =
        false; //!< it may turn out to be shorter; what does not come stays as it was, which mprotect does by itself
    //! Also its first and last page are guarded, where only bytes of the same allocation are on them. Only for a program with one thread:
    //! another could wait for those, and the message for it.
    bool shares = false;
};

//! \brief The receiver's side: the program runs on while a message arrives, and stops where it touches a page that has not come
//! (Bao et al. 2012, III.B; Ke et al. 2005, 2).
//!
//! Only pages that the buffer has to itself are guarded, or whose other bytes may be waited for too (Coming::shares). Its first and last
//! page may hold other live data: a receive may return once edges_arrived(). Where memory cannot be guarded (a stack, shared memory,
//! bytes of another guard) all of it is edge.
//!
//!     Guard *guard = Guard::begin(buffer, bytes);   // exactly the bytes that will come
//!     ... guard->arrive(offset, cell, cell_bytes);  // from progress, in any order, each byte once
//!     ... guard->end();                             // when nothing is missing()
//!
//! begin(), arrive() and end() are called under the one lock (DESIGN.md, Progress), which Until takes.
class Guard {
public:
    //! Lets progress happen until done(what), which the bytes at these addresses are waited for. done is called under the one lock, which
    //! is held with signals blocked (quiet.h): the handler of one may touch a page. Also called in fault handlers, on any thread.
    using Until = void (*)(Range wanted, bool (*done)(void *what), void *what);

    //! Once, before the first begin().
    static void start(const GuardingChoice &choice, Until until);

    //! Never null.
    static Guard *begin(void *buffer, std::size_t bytes, Coming coming = {});

    //! \brief Which of some pages are closed.
    struct Closed {
        RangeSet addresses;
        bool by_userfault = false; //!< some of them
    };
    static Closed closed(Range pages);

    //! The access of this thread that waits for a page now.
    static const fault::Access *touch() { return touch_; }

    //! This thread has left it by a jump.
    static void leave_touch() { touch_ = nullptr; }

    //! Is anything guarded, or has not come? Also without the lock.
    static bool any() { return active_.load(std::memory_order_relaxed) != 0; }

    Guarding how() const { return how_; }

    //! These bytes of the message are here. False: the buffer is gone, unmapped by the program, and the message cannot come in.
    [[nodiscard]] bool arrive(std::size_t offset, const void *data, std::size_t bytes);

    //! The message has only so many bytes; nothing beyond them has come.
    void shorten(std::size_t bytes);

    //! A call of the library uses pages that the buffer shares, for what it was asked before they were closed: they are open until
    //! take_back(). False if it uses others. Under the lock.
    static bool lend(Range addresses);
    static bool lends() { return lends_; }
    static void take_back();
    //! Might one be lent now? Then only the thread that may touch it may be in the library.
    static bool may_lend();

    //! Are some of these bytes on guarded pages? Also without the lock.
    static bool meets_a_guard(Range addresses);

    //! Is something of a message that has begun to come missing there?
    static bool comes_into(Range addresses);

    std::size_t missing() const { return missing_; }
    bool edges_arrived() const { return edge_missing_ == 0; }
    //! Is the buffer's last byte on a guarded page? Else the receive may return only when its end is here.
    bool guards_the_end() const { return guarded_.end() >= buffer_.end; }

    //! The guard may be used for another buffer. Nothing may be missing(), or nothing will come any more: then the pages are opened with
    //! what they had before, and what has come of them.
    void end();

    //! The kernel, which would answer EFAULT, or another MPI operation is about to use these bytes: waits until the pages that they are on
    //! have come. Not under the one lock. One load when nothing is guarded.
    static void settle(const void *address, std::size_t bytes);

    //! They are about to be received into again, or to change their place or protection: waits until every message that comes into them is
    //! complete.
    static void retire(const void *address, std::size_t bytes);

    //! They are about to be freed or unmapped: opens them, and what still comes of their messages goes nowhere. Waits for nothing, and needs no
    //! lock but a short one of its own: who gives memory back may hold the lock of an allocator.
    static void give_up(const void *address, std::size_t bytes);

private:
    //! closed: until its bytes have come. here: the program may touch it. gone: given up before all had come; it is the program's, or another's.
    enum class Page : std::uint8_t { closed, here, gone };

    //! One for each page, read by handlers without a lock: a handler may still look at those of the guard's last message, so their memory stays.
    class PageStates {
    public:
        void all_closed(std::size_t pages) {
            if (pages > room_) {
                room_ = std::max(pages, 2 * room_);
                states_ = all_.emplace_back(std::make_unique<std::atomic<Page>[]>(room_)).get();
            }
            pages_ = pages;
            set({0, pages}, Page::closed);
        }
        std::size_t size() const { return pages_; }
        Page operator[](std::size_t page) const { return states_.load()[page].load(std::memory_order_acquire); }
        void set(Range pages, Page state) {
            for (std::size_t page = pages.begin; page < pages.end; page++)
                states_.load()[page].store(state, std::memory_order_release);
        }

    private:
        std::vector<std::unique_ptr<std::atomic<Page>[]>> all_; // each at least twice as long as the one before
        std::atomic<std::atomic<Page> *> states_{nullptr};
        std::size_t pages_ = 0, room_ = 0;
    };

    struct Staged {
        std::size_t page;
        std::unique_ptr<std::byte[]> bytes;
    };

    Guard() = default;
    static bool on_fault(const fault::Access &access);
    static void before_fork();
    static void after_fork();
    static void in_child();

    bool close(Guarding how, Range pages, std::size_t here, bool fewer = false);
    const std::byte *kept(std::size_t page) const;
    struct Wish;
    static bool come(void *its_wish);
    static void wait_for(void *its_wish);
    bool bring(const fault::Access &access);
    bool take_shared_pages(Range &pages, std::uintptr_t from) const;
    bool keeps_some_of(Range pages) const;
    bool overlaps_another(Range pages) const;
    bool is_closed(Range page) const;
    std::array<Range, 2> outer_pages() const;
    Range without_others(Range pages) const;
    bool open_what_nobody_else_closed(Range pages) const;
    bool arrive_inside(Range addresses, const std::byte *data);
    bool write_what_is_wanted(Range addresses, const std::byte *data);
    void notice_what_is_gone(Range pages);
    void give_up_pages(Range given);
    bool was_given_up() const;
    template <class Function>
    void for_each_run(Range pages, Page state, Function &&function) const;
    std::size_t bytes_of(std::size_t page) const;
    std::byte *stage(std::size_t page);
    void open_what_did_not_come();
    bool open(Range pages, const std::byte *data);
    bool open_what_is_there(Range pages, const std::byte *data);
    void give_back();
    Range guarded() const { return guarded_; }
    //! A handler, which has no lock, looks at what is guarded once: it may be given up between two looks.
    static Range addresses_of_pages(Range pages, Range guarded);
    Range addresses_of_pages(Range pages) const { return addresses_of_pages(pages, guarded()); }
    static Range pages_of(Range addresses, Range guarded);
    Range pages_of(Range addresses) const { return pages_of(addresses, guarded()); }

    bool used_ = false, shares_ = false;
    Range buffer_; // addresses
    // A handler looks at these without the lock.
    std::atomic<Guarding> how_{Guarding::block};
    SharedRange guarded_;                        // the pages
    SharedRange coming_;                         // of the message, as long as something of it is missing
    std::size_t missing_ = 0, edge_missing_ = 0; // bytes; on no guarded page
    std::vector<std::uint32_t> got_;             // bytes that have come of each page
    PageStates states_;                          // of the guarded pages
    std::unique_ptr<std::byte[]> kept_; // what was there before, where the kernel drops it and it does not come
    std::size_t first_kept_ = 0;        // page
    std::vector<Staged> staged_;        // pages of which a part has come, where the kernel takes whole ones only
    bool closed_to_the_end_ = false;    // a page could not be opened by itself
    static inline bool lends_ = false;
    static inline constinit thread_local const fault::Access *touch_ = nullptr;
    static inline std::atomic<std::size_t> active_{0}; // messages that are coming in, guarded or not
    Guard *next_ = nullptr; // of all guards; they are used again, never freed: a handler may look at them
};

} // namespace stretto::pages
