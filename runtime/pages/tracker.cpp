#include "pages/tracker.h"

#include "pages/bounds.h"
#include "pages/dispatch.h"
#include "pages/guard.h"
#include "pages/mask.h"
#include "pages/memory.h"
#include "pages/quiet.h"
#include "pages/userfault.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace stretto::pages {

const char *name(Tracking tracking) {
    switch (tracking) {
    case Tracking::mprotect:
        return "mprotect";
    case Tracking::userfault:
        return "userfault";
    case Tracking::none:
        break;
    }
    return "none";
}

namespace {

Tracking best = Tracking::none;
Tracker::Notice notice = nullptr;
std::atomic<bool> trying{false}; // what this process may do: no other thread shall open that
std::atomic<Tracker *> trackers{nullptr};
Bounds bounds; // of what is tracked
bool faults_below =
    true; // a store that lies across the border of two closed pages faults on the lower one, as far as was tried

// --- the lock: states, protection and sweeps change together --------------------------------------------------------

std::atomic_flag taken = ATOMIC_FLAG_INIT;

// This thread is in fork(), and has it: what handlers of the program's do there may write to pages.
constinit thread_local bool forks = false;

void lock() {
    if (forks) return;
    while (taken.test_and_set(std::memory_order_acquire))
        while (taken.test(std::memory_order_relaxed)) {
        }
}

void unlock() {
    if (forks) return;
    taken.clear(std::memory_order_release);
}

//! In the fault handler, where signals are blocked already.
class Lock {
public:
    Lock() { lock(); }
    ~Lock() { unlock(); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
};

//! Outside the fault handler.
class QuietLock {
    Quiet quiet_;
    Lock lock_;
};

// --- the mechanisms: close pages to writes, and open them -----------------------------------------------------------

bool close_to_writes(Tracking how, Range pages) {
    return how == Tracking::userfault ? userfault::write_protect(pages, true) : protect(pages, PROT_READ);
}

bool open_to_writes(Tracking how, Range pages) {
    return how == Tracking::userfault ? userfault::write_protect(pages, false) : protect(pages, PROT_READ | PROT_WRITE);
}

long this_thread() {
    static thread_local const long id = syscall(SYS_gettid);
    return id;
}

//! Units of one page; a store lies across the border of the second and the third one.
bool tells_where_a_store_begins() {
    const std::size_t page = page_bytes();
    struct [[gnu::packed]] Store {
        std::uint64_t value;
    };
    void *memory = mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    auto *bytes = static_cast<volatile char *>(memory);
    faults_below = true;
    Tracker *tracker = Tracker::begin(memory, 4 * page, page);
    bytes[0] = 1;
    bytes[page] = 1;
    reinterpret_cast<volatile Store *>(bytes + 2 * page - sizeof(Store) / 2)->value = 1;
    const bool told = tracker->take().bytes() == page;
    tracker->end();
    munmap(memory, 4 * page);
    return told;
}

//! Not asked but tried: of two units that are written one after the other, is the first one passed?
bool works(Tracking tracking) {
    const std::size_t page = page_bytes();
    void *memory = mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    Tracker::start(tracking, nullptr);
    trying = true;
    Tracker *tracker = Tracker::begin(memory, 4 * page, 2 * page);
    bool found = tracker->how() == tracking;
    if (found) {
        for (std::size_t at = 0; at < 4 * page; at += page) static_cast<volatile char *>(memory)[at] = 1;
        found = tracker->take().bytes() == 2 * page;
        static_cast<volatile char *>(memory)[0] = 2;
    }
    found &= tracker->end().has_value();
    munmap(memory, 4 * page);
    if (found) faults_below = tells_where_a_store_begins();
    trying = false;
    return found;
}

} // namespace

TrackingChoice choose_tracking(const char *forced, const std::string &unseen) {
    if (!unseen.empty()) return {Tracking::none, unseen};
    const dispatch::Ours ours;
    const auto wanted = [&](const char *mechanism) { return !forced || std::strcmp(forced, mechanism) == 0; };
    std::string reason;
    if (wanted("userfault")) {
        reason = userfault::open();
        if (reason.empty() && works(Tracking::userfault)) return {Tracking::userfault, ""};
        if (reason.empty()) reason = "userfaultfd does not notice writes here";
    }
    if (wanted("mprotect")) {
        if (works(Tracking::mprotect)) return {Tracking::mprotect, reason};
        reason += std::string(reason.empty() ? "" : "; ") + "mprotect does not notice writes here";
    }
    if (forced && std::strcmp(forced, "none") == 0) return {Tracking::none, "it was asked for"};
    return {Tracking::none, reason};
}

// --- begin ----------------------------------------------------------------------------------------------------------

void Tracker::start(Tracking tracking, Notice its_notice) {
    prepare_for_forks();
    best = tracking;
    notice = its_notice;
}

void Tracker::prepare_for_forks() {
    static const int once = pthread_atfork(before_fork, after_fork, in_child);
    static_cast<void>(once);
}

Tracker *Tracker::begin(const void *buffer, std::size_t bytes, std::size_t unit_bytes, bool carefully) {
    const Range addresses = addresses_of(buffer, bytes), pages = whole_pages({addresses.begin, own_end(addresses)});
    Guard::Closed awaited = Guard::closed(pages);
    Facts memory;
    // The pages that a guard of userfaultfd waits for are no memory at all yet.
    if (best != Tracking::none && !pages.empty() && !awaited.by_userfault) {
        memory = {true, true, false};
        awaited.addresses.for_each_gap(pages,
                                       [&](Range here) { memory.add(facts(here)); }); // the guard knows the others
    }
    if (memory.ordinary) fault::add(on_fault);
    QuietLock lock;
    Tracker *tracker = trackers;
    while (tracker && tracker->used_) tracker = tracker->next_;
    if (!tracker) {
        tracker = new Tracker;
        tracker->next_ = trackers;
        trackers = tracker;
    }
    tracker->used_ = true;
    tracker->how_ = Tracking::none;
    tracker->buffer_ = addresses;
    tracker->careful_ = carefully;
    tracker->sweep_.be_careful(carefully);
    // Not on a stack: when its function has returned, frames of signals are pushed there.
    if (!memory.ordinary || memory.stack || overlaps_another(pages)) return tracker;
    const bool first = best == Tracking::userfault && memory.anonymous;
    tracker->awaited_ = std::move(awaited.addresses);
    if (!dispatch::watch() && !trying) {
        dispatch::unwatch();
        tracker->awaited_.clear();
        return tracker;
    }
    if (!(first && tracker->watch(Tracking::userfault, pages, unit_bytes)) &&
        !tracker->watch(Tracking::mprotect, pages, unit_bytes)) {
        dispatch::unwatch();
        tracker->awaited_.clear();
    }
    return tracker;
}

bool Tracker::overlaps_another(Range pages) {
    for (const Tracker *tracker = trackers; tracker; tracker = tracker->next_)
        if (tracker->how_ != Tracking::none && pages.intersects(tracker->pages_)) return true;
    return false;
}

// Published first, closed second: a thread may write to a page as soon as it is closed.
bool Tracker::watch(Tracking how, Range pages, std::size_t unit_bytes) {
    unit_ = std::max(whole_pages({0, unit_bytes + page_bytes() - 1}).bytes(), page_bytes());
    states_.assign((pages.bytes() + unit_ - 1) / unit_, State::armed);
    tried_in_vain_ = states_.size();
    how_ = how;
    pages_ = pages;
    active_++;
    bounds.widen(pages);
    if (begin_watching()) return true;
    how_ = Tracking::none;
    pages_ = Range{};
    active_--;
    return false;
}

bool Tracker::begin_watching() const {
    if (how_ == Tracking::userfault && !userfault::watch_writes(pages_)) return false;
    const bool closed = for_what_came(pages_, [&](Range here) {
        if (how_ == Tracking::userfault) userfault::populate(here);
        return close_to_writes(how_, here);
    });
    if (!closed) end_watching();
    return closed;
}

void Tracker::end_watching() const {
    if (how_ == Tracking::userfault)
        userfault::forget(pages_); // opens them too
    else
        open_to_writes(pages_);
}

// Not what a guard has closed: nobody has seen it, and it is opened when it comes.
template <class Function>
bool Tracker::for_what_came(Range pages, Function &&function) const {
    bool all = true;
    awaited_.for_each_gap(pages, [&](Range here) { all &= function(here); });
    return all;
}

// Units of which something has not come leave at the end, whatever the program did to the rest of them.
template <class Function>
void Tracker::for_all_that_came(Range units, Function &&function) const {
    if (!awaited_.intersects(pages_of(units))) return function(units);
    for (std::size_t unit = units.begin; unit < units.end; unit++)
        if (!awaited_.intersects(pages_of({unit, unit + 1}))) function(Range{unit, unit + 1});
}

bool Tracker::open_to_writes(Range pages) const {
    return for_what_came(pages, [&](Range here) { return pages::open_to_writes(how_, here); });
}

// --- units, pages, offsets ------------------------------------------------------------------------------------------

Range Tracker::units_of(Range addresses) const {
    return {(addresses.begin - pages_.begin()) / unit_, (addresses.end - 1 - pages_.begin()) / unit_ + 1};
}

Range Tracker::pages_of(Range units) const {
    return {pages_.begin() + units.begin * unit_, std::min(pages_.begin() + units.end * unit_, pages_.end())};
}

// The head, which shares its page with other data, belongs to the first unit.
Range Tracker::offsets_of(Range units) const {
    const Range pages = pages_of(units);
    return {units.begin == 0 ? 0 : pages.begin - buffer_.begin, std::min(pages.end, buffer_.end) - buffer_.begin};
}

// --- writes ---------------------------------------------------------------------------------------------------------

bool Tracker::on_fault(const fault::Access &access) {
    if (!any()) return false;
    bool passed = false;
    {
        Lock lock;
        Tracker *tracker = trackers;
        while (tracker && !Range(tracker->pages_).covers({access.address, access.address + 1}))
            tracker = tracker->next_;
        // A page that was closed by a guard when it was read, and has come since, was not written.
        if (!tracker || access.reads || tracker->awaited_.intersects({access.address, access.address + 1}))
            return false;
        const std::size_t unit = (access.address - tracker->pages_.begin()) / tracker->unit_;
        State &state = tracker->states_[unit];
        switch (state) {
        case State::open:
        case State::misused:
            return false; // opened by another thread meanwhile, or no fault of ours
        case State::armed:
            tracker->begins(unit, access.address);
            passed = tracker->sweep_.anything_passed();
            break;
        case State::tried:
            tracker->was_tried(unit, access.address);
            passed = tracker->sweep_.anything_passed();
            break;
        case State::left:
            if (access.address >= tracker->buffer_.end) {
                tracker->is_written_behind_the_buffer(unit);
                break;
            }
            state = State::misused;
            if (!tracker->misuse_) tracker->misuse_ = {access.address - tracker->buffer_.begin, access.instruction};
            tracker->open(tracker->pages_of({unit, unit + 1}));
            break;
        }
    }
    if (passed && notice)
        fault::with_room(
            access, [](void *) { notice(); }, nullptr);
    return true;
}

// What lies behind the buffer is no part of a sweep over it.
void Tracker::begins(std::size_t unit, std::uintptr_t address) {
    if (address >= buffer_.end) return is_written_behind_the_buffer(unit);
    unit_ > page_bytes() ? begins_beyond_its_border(unit, address) : begins_at_once(unit, address);
}

// A store of the processor, of 64 bytes maybe, may reach from one unit into the next: it faults there, and writes both when that is open.
// So a unit is begun only beyond its first page (its last one, for who comes from above), which is opened with the unit before it, or
// by itself.
void Tracker::begins_beyond_its_border(std::size_t unit, std::uintptr_t address) {
    const Range pages = pages_of({unit, unit + 1});
    const int comes = sweep_.comes(unit, this_thread());
    const Range first{pages.begin, pages.begin + page_bytes()}, last{pages.end - page_bytes(), pages.end};
    if (comes > 0 && address < first.end) return open(first);
    if (comes < 0 && address >= last.begin) return open(last);
    states_[unit] = State::open;
    sweep_.begins(unit, this_thread(), entry(address, unit));
    const int goes = sweep_.goes(unit, this_thread());
    const auto armed = [&](std::size_t neighbour) {
        return neighbour < states_.size() && states_[neighbour] == State::armed;
    };
    open({pages.begin - (goes < 0 && armed(unit - 1) ? page_bytes() : 0),
          pages.end + (goes > 0 && armed(unit + 1) ? page_bytes() : 0)});
}

// One page. Whoever comes from below and writes at its very first byte may reach over the border, or not: the store is tried again while the
// page before is closed too, and faults there if it does. Whoever comes from above cannot be told so.
void Tracker::begins_at_once(std::size_t unit, std::uintptr_t address) {
    const bool from_below = sweep_.comes(unit, this_thread()) > 0;
    const bool at_the_border = address == pages_of({unit, unit + 1}).begin;
    if (from_below && at_the_border && tries_again(unit)) return;
    const bool within = from_below && (!at_the_border || states_[unit - 1] == State::tried);
    sweep_.be_careful(careful_ || !within);
    sweep_.begins(unit, this_thread(), entry(address, unit));
    open_unit(unit);
}

bool Tracker::tries_again(std::size_t unit) {
    const Range before = pages_of({unit - 1, unit});
    if (careful_ || !faults_below || states_[unit - 1] != State::open || tried_in_vain_ == unit - 1 ||
        awaited_.intersects(before) || !close_to_writes(how_, before))
        return false;
    states_[unit - 1] = State::tried;
    return true;
}

// Written once more. By the store that was to be tried: then it writes the next unit as well. By another: then it may be so again.
void Tracker::was_tried(std::size_t unit, std::uintptr_t address) {
    constexpr std::size_t widest_store = 64; // bytes
    tried_in_vain_ = unit;
    open_unit(unit);
    const std::size_t next = unit + 1;
    if (pages_of({unit, next}).end - address >= widest_store || next == states_.size() || states_[next] != State::armed)
        return;
    sweep_.be_careful(true);
    sweep_.begins(next, this_thread());
    open_unit(next);
}

void Tracker::is_written_behind_the_buffer(std::size_t unit) {
    if (states_[unit] == State::left) keep_copy(offsets_of({unit, unit + 1}));
    open_unit(unit);
}

void Tracker::open_unit(std::size_t unit) {
    states_[unit] = State::open;
    open(pages_of({unit, unit + 1}));
}

// An element at the border may be a structure, of which some field was written first.
Sweep::Entry Tracker::entry(std::uintptr_t address, std::size_t unit) const {
    constexpr std::size_t at_the_border = 256; // bytes
    const Range here = intersection(pages_of({unit, unit + 1}), buffer_);
    const std::size_t from_begin = address - here.begin, to_end = here.end - address;
    if (std::min(from_begin, to_end - 1) >= at_the_border) return Sweep::Entry::middle;
    return from_begin < to_end ? Sweep::Entry::begin : Sweep::Entry::end;
}

void Tracker::open(Range pages) {
    if (!open_to_writes(pages)) open_all();
    fault::pages_opened();
}

// No map left to open some pages only: all at once needs none. What has left is compared at the end instead.
void Tracker::open_all() {
    for (std::size_t unit = 0; unit < states_.size(); unit++) {
        if (states_[unit] == State::left) keep_copy(offsets_of({unit, unit + 1}));
        if (states_[unit] != State::misused) states_[unit] = State::open;
    }
    open_to_writes(pages_);
}

void Tracker::keep_copy(Range offsets) {
    const auto *bytes = static_cast<const std::byte *>(pointer(buffer_.begin));
    copies_.push_back({offsets.begin, {bytes + offsets.begin, bytes + offsets.end}});
}

// --- what comes while it is tracked ---------------------------------------------------------------------------------

bool Tracker::open_what_came(Range pages) {
    if (!any() || !bounds.meet(pages)) return protect(pages, PROT_READ | PROT_WRITE);
    QuietLock lock;
    RangeSet others;
    others.insert(pages);
    bool opened = true;
    for (Tracker *tracker = trackers; tracker; tracker = tracker->next_) {
        opened &= tracker->open_its_part(pages);
        others.erase(tracker->pages_);
    }
    for (const Range range : others.ranges()) opened &= protect(range, PROT_READ | PROT_WRITE);
    return opened;
}

bool Tracker::open_its_part(Range pages) {
    std::vector<Range> parts;
    awaited_.for_each_part(pages, [&](Range part) { parts.push_back(part); });
    bool all = true;
    for (const Range part : parts) {
        bool opened = open_to_reads(part);
        if (!opened) {
            open_all();
            opened = pages::open_to_writes(how_, part) && protect(part, PROT_READ | PROT_WRITE);
        }
        if (opened) awaited_.erase(part);
        all &= opened;
    }
    return all;
}

bool Tracker::open_to_reads(Range pages) {
    const Range units = units_of(pages);
    for (std::size_t unit = units.begin, next; unit < units.end; unit = next) {
        const bool armed = states_[unit] == State::armed;
        for (next = unit + 1; next < units.end && (states_[next] == State::armed) == armed;) next++;
        const Range here = intersection(pages, pages_of({unit, next}));
        if (armed && !close_to_writes(how_, here)) return false;
        if ((!armed || how_ == Tracking::userfault) && !protect(here, PROT_READ | PROT_WRITE)) return false;
    }
    return true;
}

// Not for fork's own call, which may look like any: libc has its allocator's lock then. A child's pages are opened there.
void Tracker::open_everything() {
    if (!any() || trying || forks) return;
    QuietLock lock;
    for (Tracker *tracker = trackers; tracker; tracker = tracker->next_)
        if (tracker->how_ != Tracking::none) {
            tracker->sweep_.clear();
            tracker->open_all();
            fault::pages_opened();
        }
}

// Without the lock: who calls may hold an allocator's, and who holds ours may allocate.
bool Tracker::concerns(const void *address, std::size_t bytes) {
    const Range asked = addresses_of(address, bytes);
    if (!any() || !bounds.meet(asked)) return false;
    for (const Tracker *tracker = trackers; tracker; tracker = tracker->next_)
        if (asked.intersects(tracker->pages_)) return true;
    return false;
}

void Tracker::settle(const void *address, std::size_t bytes) {
    const Range written = addresses_of(address, bytes);
    if (!any() || !bounds.meet(written)) return;
    QuietLock lock;
    for (Tracker *tracker = trackers; tracker; tracker = tracker->next_) {
        const Range here = intersection(written, tracker->pages_);
        if (here.empty()) continue;
        const Range units = tracker->units_of(here);
        for (std::size_t unit = units.begin; unit < units.end; unit++) {
            State &state = tracker->states_[unit];
            if (state == State::left && here.begin >= tracker->buffer_.end) tracker->is_written_behind_the_buffer(unit);
            if (state == State::left && !tracker->misuse_)
                tracker->misuse_ = {
                    std::max(here.begin, tracker->pages_of({unit, unit + 1}).begin) - tracker->buffer_.begin, nullptr};
            // The sweep is not told: the bytes are still to come, and leave at the end.
            state = state == State::left || state == State::misused ? State::misused : State::open;
        }
        tracker->open(tracker->pages_of(units));
    }
}

void Tracker::leave_alone(const void *address, std::size_t bytes) {
    const Range changed = addresses_of(address, bytes);
    if (!any() || !bounds.meet(changed)) return;
    QuietLock lock;
    for (Tracker *tracker = trackers; tracker; tracker = tracker->next_) {
        if (tracker->how_ == Tracking::none || !changed.intersects(tracker->pages_)) continue;
        tracker->sweep_.clear();
        tracker->open_all();
        tracker->end_watching();
        fault::pages_opened(); // before the range is given up: see fault.h
        tracker->how_ = Tracking::none;
        tracker->pages_ = Range{};
        dispatch::unwatch();
        if (--active_ == 0) bounds.clear();
    }
}

// --- what has been passed -------------------------------------------------------------------------------------------

RangeSet Tracker::take() {
    RangeSet offsets;
    if (how_ == Tracking::none) return offsets;
    QuietLock lock;
    const RangeSet passed = sweep_.take();
    for (const Range units : passed.ranges())
        for_all_that_came(units, [&](Range here) {
            arm_again(here);
            offsets.insert(offsets_of(here));
        });
    return offsets;
}

void Tracker::arm_again(Range units) {
    std::fill(states_.begin() + static_cast<std::ptrdiff_t>(units.begin),
              states_.begin() + static_cast<std::ptrdiff_t>(units.end), State::left);
    if (units.begin == 0 && pages_.begin() > buffer_.begin) keep_copy({0, pages_.begin() - buffer_.begin});
    if (close_to_writes(how_, pages_of(units))) return;
    keep_copy(offsets_of(units));
    std::fill(states_.begin() + static_cast<std::ptrdiff_t>(units.begin),
              states_.begin() + static_cast<std::ptrdiff_t>(units.end), State::open);
}

std::optional<Tracker::Misuse> Tracker::end() {
    QuietLock lock;
    if (how_ != Tracking::none) {
        end_watching();
        fault::pages_opened(); // before the range is given up: see fault.h
        pages_ = Range{};
        dispatch::unwatch();
        if (--active_ == 0) bounds.clear();
    }
    const std::optional<Misuse> found = misuse_ ? misuse_ : changed_copy();
    how_ = Tracking::none;
    awaited_.clear();
    states_.clear();
    sweep_.clear();
    copies_.clear();
    misuse_.reset();
    used_ = false;
    return found;
}

std::optional<Tracker::Misuse> Tracker::changed_copy() const {
    const auto *now = static_cast<const std::byte *>(pointer(buffer_.begin));
    for (const Copy &copy : copies_) {
        const auto changed = std::mismatch(copy.bytes.begin(), copy.bytes.end(), now + copy.offset);
        if (changed.first != copy.bytes.end())
            return Misuse{copy.offset + static_cast<std::size_t>(changed.first - copy.bytes.begin()), nullptr};
    }
    return std::nullopt;
}

// --- fork: the parent goes on as before; nothing is watched for the child -------------------------------------------

namespace {

constinit std::optional<Quiet> during_fork;

} // namespace

void Tracker::before_fork() {
    during_fork.emplace();
    lock();
    forks = true;
}

void Tracker::after_fork() {
    forks = false;
    unlock();
    during_fork.reset();
}

// A descriptor of userfaults still speaks of the parent's memory. Ours is not registered, but units that are read-only are so here too.
void Tracker::in_child() {
    for (Tracker *tracker = trackers; tracker; tracker = tracker->next_) {
        if (tracker->how_ == Tracking::mprotect) protect(tracker->pages_, PROT_READ | PROT_WRITE);
        tracker->how_ = Tracking::none;
        tracker->pages_ = Range{};
    }
    active_ = 0;
    best = Tracking::none;
    userfault::close();
    after_fork();
    mask::in_child(); // which the end of Quiet has undone
}

} // namespace stretto::pages
