#include "pages/guard.h"

#include "devices/devices.h"
#include "pages/dispatch.h"
#include "pages/libc.h"
#include "pages/memory.h"
#include "pages/quiet.h"
#include "pages/tracker.h"
#include "pages/userfault.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace stretto::pages {

const char *name(Guarding guarding) {
    switch (guarding) {
    case Guarding::mprotect:
        return "mprotect";
    case Guarding::userfault:
        return "userfault";
    case Guarding::block:
        break;
    }
    return "block";
}

namespace {

constinit struct {
    Guarding guarding = Guarding::block;
    bool forced = false;
} best;
Guard::Until until = nullptr;
std::atomic<Guard *> guards{nullptr};
std::atomic<bool> forking{false};

// --- the lock of places: a page is written, opened or given up, one at a time -----------------------------------------

std::atomic_flag placing = ATOMIC_FLAG_INIT;

//! \brief Within the one lock, and by itself where memory is given up; signals are held back. Whoever has it touches no memory of the program's
//! and waits for nobody.
class Placing {
public:
    Placing() {
        while (placing.test_and_set(std::memory_order_acquire))
            while (placing.test(std::memory_order_relaxed)) {
            }
    }
    ~Placing() { placing.clear(std::memory_order_release); }
    Placing(const Placing &) = delete;
    Placing &operator=(const Placing &) = delete;
};

// --- the door that the program does not see -------------------------------------------------------------------------

int memory_file = -1;

// Writing to /proc/self/mem ignores the protection of private mappings, unless the kernel was built or booted to forbid that, or the
// process is not dumpable.
bool write_behind(Range addresses, const std::byte *data) {
    while (!addresses.empty()) {
        const ssize_t n = NEXT(pwrite)(memory_file, data, addresses.bytes(), static_cast<off_t>(addresses.begin));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        addresses.begin += static_cast<std::size_t>(n);
        data += n;
    }
    return true;
}

//! Is there memory at this address, whatever the program may do with it?
bool is_there(std::uintptr_t address) {
    std::byte one;
    return NEXT(pread)(memory_file, &one, 1, static_cast<off_t>(address)) == 1;
}

bool opens_the_door() {
    if (memory_file < 0) memory_file = NEXT(open)("/proc/self/mem", O_RDWR | O_CLOEXEC);
    return memory_file >= 0;
}

// Memory that nobody has pinned, and that no other thread shall wait for.
bool trying = false;

// Not asked but tried: a page that comes is there, a touch of one that does not is noticed.
bool works(Guarding guarding) {
    const std::size_t page = page_bytes();
    void *memory = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    static Guard *trial;
    static std::vector<char> bytes;
    bytes.assign(page, 7);
    Guard::start({guarding, "", true}, [](Range, bool (*done)(void *), void *what) {
        if (!done(what)) static_cast<void>(trial->arrive(0, bytes.data(), bytes.size()));
    });
    trying = true;
    trial = Guard::begin(memory, page);
    trying = false;
    const bool found = trial->how() == guarding && *static_cast<volatile char *>(memory) == 7 && trial->missing() == 0;
    trial->end();
    trial = nullptr;
    munmap(memory, page);
    return found;
}

} // namespace

GuardingChoice choose_guarding(const char *forced, const std::string &unseen) {
    if (!unseen.empty()) return {Guarding::block, unseen};
    const dispatch::Ours ours;
    const auto wanted = [&](const char *mechanism) { return !forced || std::strcmp(forced, mechanism) == 0; };
    std::string reason;
    opens_the_door(); // also for memory that userfaultfd refuses
    if (wanted("userfault")) {
        reason = userfault::open();
        if (reason.empty() && works(Guarding::userfault)) return {Guarding::userfault, "", forced != nullptr};
        if (reason.empty()) reason = "userfaultfd does not notice touches here";
    } else {
        static_cast<void>(userfault::open()); // to know memory that the program watches so itself
    }
    if (wanted("mprotect")) {
        if (works(Guarding::mprotect)) return {Guarding::mprotect, reason, forced != nullptr};
        reason +=
            std::string(reason.empty() ? "" : "; ") + "/proc/self/mem is no way to write behind a protection here";
    }
    if (forced && std::strcmp(forced, "block") == 0) return {Guarding::block, "it was asked for"};
    return {Guarding::block, reason};
}

// --- begin ----------------------------------------------------------------------------------------------------------

void Guard::start(const GuardingChoice &choice, Until its_until) {
    Tracker::prepare_for_forks();
    static const int once = pthread_atfork(before_fork, after_fork, in_child);
    static_cast<void>(once);
    best = {choice.guarding, choice.forced};
    until = its_until;
}

Guard *Guard::begin(void *buffer, std::size_t bytes, Coming coming) {
    const Range addresses = addresses_of(buffer, bytes), missing{addresses.begin + coming.here, addresses.end};
    // The first page may be here in part: it is the buffer's all the same.
    const std::uintptr_t first_page =
        std::max(missing.begin / page_bytes() * page_bytes(), whole_pages(addresses).begin);
    Range pages{first_page, whole_pages(addresses).end};
    Guard *guard = guards;
    while (guard && guard->used_) guard = guard->next_;
    if (!guard) {
        guard = new Guard;
        guard->next_ = guards;
        guards = guard;
    }
    guard->used_ = true;
    guard->how_ = Guarding::block;
    guard->buffer_ = addresses;
    guard->missing_ = guard->edge_missing_ = missing.bytes();
    guard->closed_to_the_end_ = false;
    active_++;
    if (!trying) guard->coming_ = missing;
    if (best.guarding == Guarding::block || missing.empty() || forking) return guard;
    if (!best.forced && devices::may_reach(addresses)) return guard;
    const bool door = memory_file >= 0;
    guard->shares_ = coming.shares && door && guard->take_shared_pages(pages, missing.begin);
    if (pages.empty()) return guard;
    const Facts memory = facts(guard->without_others(pages));
    if (!memory.ordinary || memory.stack) return guard;
    if (!guard->shares_) pages.end = whole_pages({addresses.begin, own_end(addresses)}).end;
    const std::size_t here = missing.begin > pages.begin ? missing.begin - std::max(pages.begin, addresses.begin) : 0;
    if (Tracker::concerns(pointer(pages.begin), pages.bytes())) return guard; // sent, and received into meanwhile
    if (guard->overlaps_another(pages)) return guard;
    // A page that is missing there comes from a thread of the program's, which may wait for our lock.
    if (memory.anonymous && userfault::is_anothers(pages)) return guard;
    if (!dispatch::watch() && !trying) {
        dispatch::unwatch();
        return guard;
    }
    fault::add(on_fault);
    const bool first = best.guarding == Guarding::userfault && memory.anonymous &&
                       (best.forced || !coming.fewer || !door) && !guard->shares_ && (trying || !anything_pinned());
    if ((first && guard->close(Guarding::userfault, pages, here, coming.fewer)) ||
        (door && guard->close(Guarding::mprotect, pages, here)))
        guard->edge_missing_ -= intersection(pages, missing).bytes();
    else
        dispatch::unwatch();
    return guard;
}

// Where the buffer begins and ends in the middle of a page.
bool Guard::take_shared_pages(Range &pages, std::uintptr_t from) const {
    const std::size_t page = page_bytes();
    const Range all{from / page * page, (buffer_.end + page - 1) / page * page}, own = own_allocation(buffer_);
    if (!own.covers(all) || all == pages) return false;
    pages = all;
    return true;
}

// Calls function(pages) for each run of pages in one state.
template <class Function>
void Guard::for_each_run(Range pages, Page state, Function &&function) const {
    for (std::size_t page = pages.begin; page < pages.end;) {
        const std::size_t begin = page;
        while (page < pages.end && states_[page] == state) page++;
        if (begin < page)
            function(Range{begin, page});
        else
            page++;
    }
}

bool Guard::keeps_some_of(Range pages) const {
    const Range all = guarded(), both = intersection(all, pages);
    if (both.empty()) return false;
    const Range its = pages_of(both, all);
    bool gone = false;
    for_each_run(its, Page::gone, [&](Range run) { gone = run == its; });
    return !gone;
}

// Two receives into the same bytes at once are wrong, but must not corrupt anything. The same page is another matter.
bool Guard::overlaps_another(Range pages) const {
    for (const Guard *guard = guards; guard; guard = guard->next_)
        if (guard != this && guard->keeps_some_of(pages) &&
            !(shares_ && guard->how_ == Guarding::mprotect && !guard->buffer_.intersects(buffer_)))
            return true;
    return false;
}

// Published first, closed second: a thread may touch a page as soon as it is closed. Between the two stores the range is empty. Behind the
// buffer another thread may write at any time: what is kept of the last page is copied while nobody can. here: bytes of the first page
// that have come.
bool Guard::close(Guarding how, Range pages, std::size_t here, bool fewer) {
    got_.assign(pages.bytes() / page_bytes(), 0);
    got_[0] = static_cast<std::uint32_t>(here);
    states_.all_closed(pages.bytes() / page_bytes());
    how_ = how;
    guarded_ = pages;
    bool closed;
    if (how == Guarding::userfault) {
        const Range behind{pages.end > buffer_.end ? pages.end - page_bytes() : pages.end, pages.end};
        const Range kept = fewer ? pages : behind;
        closed = behind.empty() || protect(behind, PROT_READ);
        if (closed && !kept.empty()) {
            first_kept_ = pages_of(kept).begin;
            kept_ = std::make_unique_for_overwrite<std::byte[]>(kept.bytes());
            std::memcpy(kept_.get(), pointer(kept.begin), kept.bytes());
        }
        if (closed && here) std::memcpy(stage(0), pointer(pages.begin), page_bytes());
        closed = closed && userfault::watch_missing(pages);
        if (!behind.empty()) protect(behind, PROT_READ | PROT_WRITE); // as it was: no map more, always possible
    } else
        closed = protect(pages, PROT_NONE);
    if (closed) return true;
    fault::pages_opened();
    guarded_ = Range{};
    how_ = Guarding::block;
    kept_.reset();
    staged_.clear();
    return false;
}

Guard::Closed Guard::closed(Range pages) {
    Closed closed;
    if (!any()) return closed;
    for (const Guard *guard = guards; guard; guard = guard->next_) {
        const Range all = guard->guarded(), here = intersection(pages, all);
        if (here.empty()) continue;
        closed.by_userfault |= guard->how_ == Guarding::userfault;
        const Range its = pages_of(here, all);
        for (std::size_t page = its.begin; page < its.end; page++)
            if (guard->states_[page] == Page::closed)
                closed.addresses.insert(addresses_of_pages({page, page + 1}, all));
    }
    return closed;
}

Range Guard::pages_of(Range addresses, Range guarded) {
    const std::size_t page = page_bytes();
    return {(addresses.begin - guarded.begin) / page, (addresses.end - 1 - guarded.begin) / page + 1};
}

Range Guard::addresses_of_pages(Range pages, Range guarded) {
    return {guarded.begin + pages.begin * page_bytes(), guarded.begin + pages.end * page_bytes()};
}

// --- arrival --------------------------------------------------------------------------------------------------------

bool Guard::arrive(std::size_t offset, const void *data, std::size_t bytes) {
    const Range here{buffer_.begin + offset, buffer_.begin + offset + bytes};
    const auto *from = static_cast<const std::byte *>(data);
    Range inside = intersection(here, guarded());
    if (inside.empty()) inside = {here.end, here.end};
    // The edges are ordinary memory.
    std::memcpy(pointer(here.begin), from, inside.begin - here.begin);
    std::memcpy(pointer(inside.end), from + (inside.end - here.begin), here.end - inside.end);
    if (!inside.empty() && !arrive_inside(inside, from + (inside.begin - here.begin))) return false;
    edge_missing_ -= bytes - inside.bytes();
    missing_ -= bytes;
    if (missing_ == 0) give_back();
    return true;
}

bool Guard::arrive_inside(Range addresses, const std::byte *data) {
    const Placing placing;
    if (how_ == Guarding::mprotect && !write_what_is_wanted(addresses, data)) return false;
    const auto data_at = [&](std::uintptr_t address) { return data + (address - addresses.begin); };
    const Range pages = pages_of(addresses);
    bool there = true;
    std::size_t run = pages.begin; // pages [run, page) have come and are still closed
    const auto open_run = [&](std::size_t end) {
        if (run < end) there &= open({run, end}, data_at(addresses_of_pages({run, end}).begin));
    };
    for (std::size_t page = pages.begin; page < pages.end; page++) {
        const Range its_addresses = addresses_of_pages({page, page + 1}), part = intersection(addresses, its_addresses);
        got_[page] += static_cast<std::uint32_t>(part.bytes());
        if (states_[page] == Page::gone) {
            open_run(page);
            run = page + 1;
            continue;
        }
        const bool complete = got_[page] == bytes_of(page);
        const bool staged = how_ == Guarding::userfault && part.bytes() < page_bytes();
        if (complete && !staged) continue;
        open_run(page);
        run = page + 1;
        if (!staged) continue;
        std::byte *whole = stage(page);
        std::memcpy(whole + (part.begin - its_addresses.begin), data_at(part.begin), part.bytes());
        if (complete) {
            there &= open({page, page + 1}, whole);
            std::erase_if(staged_, [&](const Staged &s) { return s.page == page; });
        }
    }
    open_run(pages.end);
    return there;
}

// Not what was given up: somebody else may have the place by now. Of what was unmapped behind our back, or cut off with its file, nobody can be
// told that it comes.
bool Guard::write_what_is_wanted(Range addresses, const std::byte *data) {
    bool all = true;
    for_each_run(pages_of(addresses), Page::closed, [&](Range pages) {
        const Range part = intersection(addresses, addresses_of_pages(pages));
        const std::byte *const from = data + (part.begin - addresses.begin);
        if (write_behind(part, from)) return;
        notice_what_is_gone(pages);
        for_each_run(pages, Page::closed, [&](Range left) {
            const Range rest = intersection(part, addresses_of_pages(left));
            all &= write_behind(rest, from + (rest.begin - part.begin));
        });
    });
    return all;
}

void Guard::notice_what_is_gone(Range pages) {
    for (std::size_t page = pages.begin; page < pages.end; page++) {
        const Range addresses = addresses_of_pages({page, page + 1});
        if (is_there(addresses.begin)) continue;
        states_.set({page, page + 1}, Page::gone);
        protect(addresses, PROT_READ | PROT_WRITE); // its file may grow again
    }
}

// Bytes of the message on this page: all but of the first and the last one, where the buffer begins or ends on them.
std::size_t Guard::bytes_of(std::size_t page) const {
    const Range its = intersection(addresses_of_pages({page, page + 1}), buffer_);
    return its.empty() ? 0 : its.bytes();
}

std::byte *Guard::stage(std::size_t page) {
    for (const Staged &staged : staged_)
        if (staged.page == page) return staged.bytes.get();
    staged_.push_back({page, std::make_unique<std::byte[]>(page_bytes())});
    std::byte *bytes = staged_.back().bytes.get();
    if (kept(page)) std::memcpy(bytes, kept(page), page_bytes());
    return bytes;
}

const std::byte *Guard::kept(std::size_t page) const {
    return kept_ && page >= first_kept_ ? kept_.get() + (page - first_kept_) * page_bytes() : nullptr;
}

// Fewer bytes came than could have: the rest is what it was, where that was kept.
void Guard::open_what_did_not_come() {
    for (std::size_t page = 0; page < states_.size(); page++) {
        if (states_[page] != Page::closed) continue;
        const std::byte *bytes = got_[page] ? stage(page) : kept(page);
        if (bytes) static_cast<void>(open({page, page + 1}, bytes));
    }
}

// Pages whose bytes have all come. userfaultfd reads them from data; elsewhere they are in place.
bool Guard::open(Range pages, const std::byte *data) {
    const Range addresses = addresses_of_pages(pages);
    if (how_ == Guarding::userfault) {
        if (!userfault::fill(addresses, data)) return open_what_is_there(pages, data);
    } else if (!open_what_nobody_else_closed(addresses)) {
        closed_to_the_end_ = true; // it would take a map more than the kernel allows
        return true;
    }
    states_.set(pages, Page::here);
    fault::pages_opened();
    return true;
}

// Some were unmapped behind our back: nobody waits for them.
bool Guard::open_what_is_there(Range pages, const std::byte *data) {
    for (std::size_t page = pages.begin; page < pages.end; page++) {
        const bool filled =
            userfault::fill(addresses_of_pages({page, page + 1}), data + (page - pages.begin) * page_bytes());
        if (!filled && errno != ENOENT) return false;
        states_.set({page, page + 1}, filled ? Page::here : Page::gone);
    }
    fault::pages_opened();
    return true;
}

bool Guard::is_closed(Range page) const {
    const Range all = guarded();
    return all.covers(page) && states_[pages_of(page, all).begin] == Page::closed;
}

// The first and the last one, which it may share.
std::array<Range, 2> Guard::outer_pages() const {
    const Range all = guarded();
    const std::size_t page = page_bytes();
    return {Range{all.begin, all.begin + page}, Range{all.end - page, all.end}};
}

// Another message may come into the rest of the first and the last page: then they are its.
Range Guard::without_others(Range pages) const {
    const auto is_anothers = [this](Range page) {
        for (const Guard *guard = guards; guard; guard = guard->next_)
            if (guard != this && guard->is_closed(page)) return true;
        return false;
    };
    const std::size_t page = page_bytes();
    if (shares_ && is_anothers({pages.begin, pages.begin + page})) pages.begin += page;
    if (shares_ && !pages.empty() && is_anothers({pages.end - page, pages.end})) pages.end -= page;
    return pages;
}

bool Guard::open_what_nobody_else_closed(Range pages) const {
    pages = without_others(pages);
    return pages.empty() || Tracker::open_what_came(pages);
}

void Guard::shorten(std::size_t bytes) {
    const Range beyond{buffer_.begin + bytes, buffer_.end};
    if (beyond.empty()) return;
    missing_ -= beyond.bytes();
    {
        const Placing placing;
        const Range inside = intersection(beyond, guarded());
        edge_missing_ -= beyond.bytes() - (inside.empty() ? 0 : inside.bytes());
        buffer_.end = beyond.begin;
        if (coming_.end() > buffer_.end) coming_ = Range{coming_.begin(), buffer_.end};
        for (std::size_t page = inside.empty() ? states_.size() : pages_of(inside).begin; page < states_.size(); page++)
            if (states_[page] == Page::closed && got_[page] == bytes_of(page))
                static_cast<void>(open({page, page + 1}, got_[page] ? stage(page) : kept(page)));
    }
    if (missing_ == 0) give_back();
}

// The program has one thread, and that one is in the library.
bool Guard::lend(Range addresses) {
    const Placing placing;
    bool found = false;
    for (Guard *guard = guards; guard; guard = guard->next_) {
        if (!guard->shares_ || !guard->guarded().intersects(addresses)) continue;
        for (const Range shared : guard->outer_pages())
            found |=
                shared.intersects(addresses) && guard->is_closed(shared) && protect(shared, PROT_READ | PROT_WRITE);
    }
    lends_ |= found;
    return found;
}

bool Guard::may_lend() {
    for (const Guard *guard = guards; guard; guard = guard->next_) {
        if (!guard->shares_ || guard->guarded().empty()) continue;
        for (const Range shared : guard->outer_pages())
            if (guard->is_closed(shared)) return true;
    }
    return false;
}

void Guard::take_back() {
    const Placing placing;
    lends_ = false;
    for (const Guard *guard = guards; guard; guard = guard->next_) {
        if (!guard->shares_ || guard->guarded().empty()) continue;
        for (const Range shared : guard->outer_pages())
            if (guard->is_closed(shared)) protect(shared, PROT_NONE);
    }
}

// The buffer is ordinary memory again, but for what is not ours any more.
void Guard::give_back() {
    {
        const Placing placing;
        const Range all{0, guarded().empty() ? 0 : states_.size()};
        if (missing_ && how_ == Guarding::userfault && !all.empty()) open_what_did_not_come();
        if (how_ == Guarding::userfault)
            for_each_run(all, Page::here, [this](Range pages) { userfault::forget(addresses_of_pages(pages)); });
        if (how_ == Guarding::userfault || closed_to_the_end_ || missing_)
            for_each_run(all, Page::closed, [this](Range pages) {
                if (how_ == Guarding::userfault)
                    userfault::forget(addresses_of_pages(pages));
                else
                    open_what_nobody_else_closed(addresses_of_pages(pages)); // no map more: always possible
            });
        fault::pages_opened(); // before the range is given up: see fault.h
        guarded_ = Range{};
        if (!all.empty()) dispatch::unwatch();
    }
    staged_.clear();
    kept_.reset();
    coming_ = Range{};
    active_--;
}

void Guard::end() {
    if (missing_) give_back();
    missing_ = edge_missing_ = 0;
    how_ = Guarding::block;
    used_ = false;
}

// --- touches --------------------------------------------------------------------------------------------------------

bool Guard::on_fault(const fault::Access &access) {
    if (!any()) return false;
    bool brought = false;
    for (Guard *guard = guards; guard; guard = guard->next_)
        if (guard->keeps_some_of({access.address, access.address + 1})) brought |= guard->bring(access);
    return brought;
}

//! What a touch waits for, and whether it had to.
struct Guard::Wish {
    Guard *guard;
    Range touched, page;
    sigset_t mask{}; //!< the program's
    bool came = false, waited = false;
};

// It may take long, so the program's signals are let through: not before its own stack is in use (dispatch.cpp, settle).
void Guard::wait_for(void *its_wish) {
    Wish &wish = *static_cast<Wish *>(its_wish);
    sigset_t handlers;
    set_mask(and_cancellation(wish.mask), &handlers);
    until(wish.page, come, &wish);
    set_mask(handlers, nullptr);
}

bool Guard::come(void *its_wish) {
    Wish &wish = *static_cast<Wish *>(its_wish);
    const Guard &guard = *wish.guard;
    const Range all = guard.guarded();
    wish.came = !all.covers(wish.touched) || guard.states_[pages_of(wish.touched, all).begin] != Page::closed;
    wish.waited |= !wish.came;
    return wish.came;
}

// False when the page is here already: another thread was faster, or the fault is none of ours.
bool Guard::bring(const fault::Access &access) {
    const std::uintptr_t address = access.address;
    const std::uintptr_t page = address / page_bytes() * page_bytes();
    Wish wish{this, {address, address + 1}, {page, page + page_bytes()}};
    wish.mask = access.mask;
    const fault::Access *const outer = std::exchange(touch_, &access);
    fault::with_room(access, wait_for, &wish);
    touch_ = outer;
    // A page that had come and that the program has dropped since (MADV_DONTNEED) reads as zeros.
    return wish.waited || (how_ == Guarding::userfault && userfault::fill_with_zeros(wish.page));
}

// Without the lock: who calls may hold others.
bool Guard::meets_a_guard(Range addresses) {
    for (const Guard *guard = guards; guard; guard = guard->next_)
        if (guard->guarded().intersects(addresses)) return true;
    return false;
}

bool Guard::comes_into(Range addresses) {
    for (const Guard *guard = guards; guard; guard = guard->next_)
        if (Range(guard->coming_).intersects(addresses)) return true;
    return false;
}

void Guard::settle(const void *address, std::size_t bytes) {
    Range wanted = addresses_of(address, bytes);
    if (!any() || !meets_a_guard(wanted)) return;
    until(
        wanted,
        [](void *what) {
            const Range range = *static_cast<Range *>(what);
            for (const Guard *guard = guards; guard; guard = guard->next_) {
                const Range all = guard->guarded(), here = intersection(range, all);
                if (here.empty()) continue;
                const Range pages = pages_of(here, all);
                for (std::size_t page = pages.begin; page < pages.end; page++)
                    if (guard->states_[page] == Page::closed) return false;
            }
            return true;
        },
        &wanted);
}

void Guard::retire(const void *address, std::size_t bytes) {
    Range wanted = addresses_of(address, bytes);
    if (!any() || !comes_into(wanted)) return;
    until(
        wanted,
        [](void *what) {
            const Range range = *static_cast<Range *>(what);
            return !comes_into(range);
        },
        &wanted);
}

void Guard::give_up(const void *address, std::size_t bytes) {
    const Range given = addresses_of(address, bytes);
    if (!any() || !comes_into(given)) return;
    const Quiet quiet;
    const Placing placing;
    for (Guard *guard = guards; guard; guard = guard->next_) guard->give_up_pages(given);
}

// A page of which some bytes are not given back stays as it is: what an allocation has on a page of its own is given back as a whole.
void Guard::give_up_pages(Range given) {
    const Range here = intersection(guarded(), given);
    if (here.empty()) return;
    Range pages = pages_of(here);
    const auto is_kept = [&](std::size_t page) {
        return !given.covers(intersection(addresses_of_pages({page, page + 1}), buffer_));
    };
    if (is_kept(pages.begin)) pages.begin++;
    if (!pages.empty() && is_kept(pages.end - 1)) pages.end--;
    if (pages.empty()) return;
    // What is here stays as the program has protected it.
    if (how_ == Guarding::userfault)
        userfault::forget(addresses_of_pages(pages));
    else
        for_each_run(pages, Page::closed,
                     [this](Range closed) { protect(addresses_of_pages(closed), PROT_READ | PROT_WRITE); });
    states_.set(pages, Page::gone);
    fault::pages_opened();
    if (!was_given_up()) return;
    coming_ = Range{};
}

// Nothing of it is missing to anybody.
bool Guard::was_given_up() const {
    for (std::size_t page = 0; page < states_.size(); page++)
        if (states_[page] == Page::closed) return false;
    return true;
}

// --- fork: a child would read zeros, or wait for ever, where a message has not come ---------------------------------

void Guard::before_fork() {
    forking = true;
    retire(nullptr, SIZE_MAX);
}

void Guard::after_fork() {
    forking = false;
}

// Both descriptors still speak of the parent's memory: used here, they would write there.
void Guard::in_child() {
    forking = false;
    placing.clear();
    best.guarding = Guarding::block;
    if (memory_file >= 0) ::close(memory_file);
    memory_file = -1;
    userfault::close();
}

} // namespace stretto::pages
