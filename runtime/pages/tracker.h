#pragma once
#include "pages/fault.h"
#include "pages/shared_range.h"
#include "pages/sweep.h"
#include "range/range_set.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stretto::pages {

//! How writes are noticed.
enum class Tracking {
    none,      //!< not at all: everything leaves at the end
    mprotect,  //!< units are read-only until their first write's SIGSEGV
    userfault, //!< userfaultfd: the first page of each unit is write-protected, its first write is a SIGBUS (Linux 5.11)
};
const char *name(Tracking tracking);

//! \brief What this process may do, found out by trying it, and why it is not more.
struct TrackingChoice {
    Tracking tracking;
    std::string reason;
};

//! Tries the mechanisms, the best one first; "userfault", "mprotect" or "none" forces one. nullptr: not forced. A forced one that does
//! not work here gives none, and the reason. unseen: why the kernel's accesses are not seen (dispatch.h); then it is none, too.
TrackingChoice choose_tracking(const char *forced, const std::string &unseen = "");

//! \brief The sender's question: which bytes of a buffer has the program written, and moved past? (Bao et al. 2012, II.B.1)
//!
//! Only pages that the buffer has to itself are watched. The bytes on its first and last page may share it with other live data, whose
//! writes would look like ours: the head is passed with the first unit, the tail at the end only. A unit is passed when the second page of
//! the next one is written (the last but one, downwards): a store may reach over a border. A unit of one page is passed when the next one is
//! written by a store that does not. A buffer that a message comes into is tracked as well (the paper's cascade): what has come is closed to
//! writes before it is opened to reads.
//!
//!     Tracker *tracker = Tracker::begin(buffer, bytes, 16384);
//!     ...                                      // the program computes; at each of its faults the notice is given
//!     const RangeSet passed = tracker->take();
//!     for (Range range : passed.ranges()) send(range);
//!     ...
//!     if (auto misuse = tracker->end()) ...    // a byte was written after take() had returned it
//!
//! begin(), take() and end() of one tracker are called by one thread at a time; the program's threads write when they like.
class Tracker {
public:
    //! Called by a thread that has just begun to write another unit of a tracked buffer, in its fault: signals are blocked.
    using Notice = void (*)();

    //! Once, before the first begin(): the mechanism, and whom to tell.
    static void start(Tracking tracking, Notice notice);

    //! Also for a guard: before it prepares, as the last who did is the first to be told of a fork, and what it waits for is opened here.
    static void prepare_for_forks();

    //! Watch a buffer in units of so many bytes, rounded up to pages. Never null; where its memory cannot be watched (a stack, shared
    //! memory, nothing but edges, bytes of another tracker), how() is Tracking::none.
    //! carefully: see sweep.h; an element that lies across a border may be written in any order then.
    static Tracker *begin(const void *buffer, std::size_t bytes, std::size_t unit_bytes, bool carefully = false);

    Tracking how() const { return how_; }

    //! Bytes of the buffer, counted from its first, that the writers have passed since the last question. They are watched again from
    //! before this returns: whoever reads them now finds what will still be there at the end, or end() tells.
    RangeSet take();

    //! A byte that was written after take() had returned it.
    struct Misuse {
        std::size_t offset;      //!< of the byte, or of the first byte of its page
        const void *instruction; //!< that wrote; nullptr: not known
    };

    //! Stop watching; the tracker may be used for another buffer then. What was not taken is the caller's to see to.
    std::optional<Misuse> end();

    //! These pages, which a guard had closed, have come: opens them, to reads only where they are tracked. Under the one lock.
    static bool open_what_came(Range pages);

    //! Is one of these bytes tracked?
    static bool concerns(const void *address, std::size_t bytes);

    //! Is anything tracked? Also without the lock.
    static bool any() { return active_.load(std::memory_order_relaxed) != 0; }

    //! The kernel is about to write bytes that nobody can name: all that is watched is opened. Nothing more is passed; what was taken is
    //! compared at the end.
    static void open_everything();

    //! The kernel, or the MPI library, is about to write these bytes: where they are watched it would fail with EFAULT. They count as
    //! written by the program. One load when nothing is tracked.
    static void settle(const void *address, std::size_t bytes);

    //! The program changes the protection of these bytes, or has the kernel write to them: what is watched of their buffers is watched no more, and
    //! nothing of ours undoes what it does. What was taken is compared at the end.
    static void leave_alone(const void *address, std::size_t bytes);

private:
    //! armed: not written yet. open: written, or settled. tried: open, but closed again to see whether a store reaches over its end. left:
    //! taken, and armed again. misused: written after that, and open.
    enum class State : std::uint8_t { armed, open, tried, left, misused };

    //! Bytes as they left where a write to them would not be noticed; end() compares.
    struct Copy {
        std::size_t offset;
        std::vector<std::byte> bytes;
    };

    Tracker() = default;
    static bool on_fault(const fault::Access &access);
    static bool overlaps_another(Range pages);
    static void before_fork();
    static void after_fork();
    static void in_child();

    bool watch(Tracking how, Range pages, std::size_t unit_bytes);
    bool begin_watching() const;
    void end_watching() const;
    bool open_to_writes(Range pages) const;
    bool open_its_part(Range pages);
    bool open_to_reads(Range pages);
    template <class Function>
    void for_all_that_came(Range units, Function &&function) const;
    template <class Function>
    bool for_what_came(Range pages, Function &&function) const;
    Sweep::Entry entry(std::uintptr_t address, std::size_t unit) const;
    void begins(std::size_t unit, std::uintptr_t address);
    void begins_beyond_its_border(std::size_t unit, std::uintptr_t address);
    void begins_at_once(std::size_t unit, std::uintptr_t address);
    bool tries_again(std::size_t unit);
    void was_tried(std::size_t unit, std::uintptr_t address);
    void is_written_behind_the_buffer(std::size_t unit);
    void open_unit(std::size_t unit);
    void open(Range pages);
    void open_all();
    void arm_again(Range units);
    void keep_copy(Range offsets);
    Range units_of(Range addresses) const;
    Range pages_of(Range units) const;
    Range offsets_of(Range units) const;
    std::optional<Misuse> changed_copy() const;

    Tracking how_ = Tracking::none;
    bool used_ = false;
    Range buffer_;         // addresses
    SharedRange pages_;    // addresses; all but its edges, and to the end of the last one
    RangeSet awaited_;     // of them; closed by a guard, which opens them when they have come
    std::size_t unit_ = 1; // bytes
    bool careful_ = false;
    std::vector<State> states_;
    std::size_t tried_in_vain_ = 0; // unit
    Sweep sweep_;
    std::vector<Copy> copies_;
    std::optional<Misuse> misuse_;
    static inline std::atomic<std::size_t> active_{0};
    Tracker *next_ = nullptr; // of all trackers; they are used again, never freed: a handler may look at them
};

} // namespace stretto::pages
