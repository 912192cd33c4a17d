#include "message/send.h"

#include "message/copied.h"
#include "message/tags.h"
#include "mpi/job.h"
#include "mpi/lifeline.h"
#include "pages/memory.h"
#include "progress/helper.h"
#include "settings/settings.h"
#include "trace/counters.h"
#include "trace/timeline.h"
#include "transport/two_sided.h"
#include "tune/delta_size.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace stretto::message {

namespace {

std::uint64_t serials = 0;

// A look at what has left costs a poll of the library. It moves what waits behind a full socket, so it comes once the wire could have
// sent some deltas, and at the latest when more have left.
constexpr double deltas_between_looks = 4;
constexpr std::size_t most_between_looks = 8;

// A receiver that is at work empties shared memory within a few of these.
constexpr unsigned most_looks_for_room = 256;

constinit std::vector<Send *> held_back;

// Receives whose calls have returned before their match, by number, the first one first; and the last number.
constinit std::vector<std::uint64_t> unmatched_receives;
std::uint64_t released_receives = 0;

// Copies of messages that are, or were, held back: those of which some deltas have not left. And the part of the link that they take: what
// must not wait, as first fragments, finds it free.
std::size_t paced = 0;
constexpr double pace = 0.9;

} // namespace

std::optional<std::size_t> first_bytes(const mpi::TypedBuffer &data) {
    if (!data.map().element_border(header_bytes)) return std::nullopt;
    return data.bytes() >= least_total && data.map().element_border(first_fragment) ? first_most : 0;
}

bool looks_framed(const mpi::TypedBuffer &data) {
    if (!has_fragment_length(data.bytes())) return false;
    std::array<std::uint8_t, 16> start;
    data.pack(0, start.size(), reinterpret_cast<std::byte *>(start.data()));
    return start == mpi::job.nonce;
}

Send::Send(const mpi::TypedBuffer &data, const Envelope &to, mpi::Peer &peer, Kind kind, CallSite site,
           tune::Deltas what)
    : data(data), to(to), peer(peer), kind(kind), site(site), total(data.bytes()), end_bytes(total),
      delta(tune::delta_bytes(total, first_most, peer.eager, peer.rate, site, what)),
      copies(peer.copies || !data.contiguous()) {}

Send *Send::begin(const mpi::TypedBuffer &data, const Envelope &to, mpi::Peer &peer, Kind kind, CallSite site,
                  bool paged) {
    const auto n = first_bytes(data);
    if (!n) {
        count(Rule::send_no_border);
        return nullptr;
    }
    const tune::Deltas what = paged                                     ? tune::Deltas::paged
                              : transport::one_sided::is_possible(peer) ? tune::Deltas::shared
                                                                        : tune::Deltas::sent;
    auto *send = new Send(data, to, peer, kind, site, what);
    send->first_most_here = kind == Kind::escaped || kind == Kind::escaped_synchronous ? 0 : *n;
    // Where small deltas are best, the first bytes had better not wait until a first fragment is full. And where pages say what is final,
    // deltas had better end where pages do.
    if (kind == Kind::delta && (2 * send->delta <= send->first_most_here || what != tune::Deltas::sent)) {
        send->first_most_here = 0;
        send->delta = tune::delta_bytes(send->total, 0, peer.eager, peer.rate, site, what);
    }
    // For the grid that begins at 0: the one that begins at F has no more cells.
    send->tags = static_cast<std::uint32_t>(1 + (send->total + send->delta - 1) / send->delta);
    const auto tag = take_tags(peer.rank, send->tags);
    if (!tag) {
        count(Rule::tags_none);
        delete send;
        return nullptr;
    }
    send->tag = *tag;
    send->one_sided = transport::one_sided::Outgoing(peer, send->tag, send->delta);
    send->begun = trace::now();
    count(Rule::send_framed);
    progress::add(*send);
    progress::helper::wanted(send->total);
    mpi::lifeline::watch(peer.rank);
    if (kind == Kind::delta) {
        count(Rule::delta_begun);
        return send;
    }
    if (kind != Kind::ordinary) count(Rule::send_escaped);
    send->ended = true;
    send->leave_first(send->first_most_here);
    send->leave_all(false);
    return send;
}

// The message takes its place in MPI's order: the first fragment, on the program's communicator and tag, so that MPI itself matches it.
void Send::leave_first(std::size_t n) {
    placed = true;
    // An ended message has its true size from the start.
    const std::size_t size = ended ? end_bytes : total;
    // What the library itself would have taken needs no acknowledgement (rule 4); more than that does, and the library's own
    // synchronous mode is it. Beyond the window it waits with no data.
    acknowledged = size <= peer.eager && kind != Kind::escaped_synchronous;
    if (!acknowledged && !fits(n)) n = 0;
    // What is held back is short when it may leave: its data has left, or is about to.
    const bool apart = unmatched && may_be_copied(end_bytes);
    if (apart) n = 0;
    first_data = n;
    Header header{};
    header.nonce = mpi::job.nonce;
    header.version = version;
    if (!ended && !has_known_size) header.flags |= Header::variable;
    if (one_sided) header.flags |= Header::one_sided;
    header.sender = static_cast<std::uint32_t>(mpi::job.peers[static_cast<std::size_t>(mpi::job.rank)].rank);
    header.total = size;
    header.first_bytes = static_cast<std::uint32_t>(n);
    header.delta_bytes = static_cast<std::uint32_t>(delta);
    header.tag = tag;
    header.tags = tags;
    header.serial = ++serials;
    early = early_cell();
    header.early = static_cast<std::uint32_t>(early);
    std::memcpy(fragment, &header, sizeof header);
    if (n) data.pack(0, n, fragment + header_bytes);
    left_bytes += n;
    if (checked) remember({0, n});
    count(n ? Rule::first_full : Rule::first_header_only);
    if (!acknowledged) {
        count(Rule::acknowledged);
        hold(n);
    }
    left.assign(cells(), false);
    if (unmatched)
        hold_back(apart);
    else
        post_first();
}

// Deltas leave meanwhile, no faster than the link takes them, so that first fragments need not queue behind them in the end; all messages
// that are held back at the same pace, as their receivers wait for all. What is left then goes on at it: else the second message's first
// fragment would queue behind the first one's deltas. Not without a helper, as the program may compute now; what the helper finds, it lets
// leave as far ahead as its next look is away. The program's buffer is not needed for that.
void Send::hold_back(bool apart) {
    count(Rule::send_held);
    held = true;
    held_for = released_receives;
    held_back.push_back(this);
    progress::helper::wanted(SIZE_MAX); // it leaves as soon as it may, however short what is under way
    if (!apart) return;
    const report::Cost cost(reported);
    kept = std::make_unique_for_overwrite<std::byte[]>(end_bytes);
    data.pack(0, end_bytes, kept.get());
    data = {kept.get(), static_cast<MPI_Count>(end_bytes), MPI_BYTE};
    copied::held += end_bytes;
    copies = false;
    detached = true;
    if (!all_left()) paced++;
}

Send::~Send() {
    if (!detached) return;
    copied::held -= end_bytes;
    if (!all_left()) paced--;
}

void Send::post_first() {
    held = false;
    const report::InLibrary not_ours;
    auto isend = acknowledged ? mpi::library.Isend : mpi::library.Issend;
    failure = isend(fragment, static_cast<int>(header_bytes + first_data), MPI_PACKED, to.rank, to.tag, to.comm->handle,
                    &first);
    if (failure == MPI_SUCCESS) [[likely]]
        return;
    raised = true; // on the program's communicator
    first = MPI_REQUEST_NULL;
}

std::uint64_t is_unmatched() {
    unmatched++;
    unmatched_receives.push_back(++released_receives);
    return released_receives;
}

void is_matched(std::uint64_t number) {
    unmatched--;
    unmatched_receives.erase(std::find(unmatched_receives.begin(), unmatched_receives.end(), number));
    Send::leave_held();
}

void Send::leave_held() {
    const auto first_that_stays = std::find_if(held_back.begin(), held_back.end(), [](const Send *send) {
        return !unmatched_receives.empty() && unmatched_receives.front() <= send->held_for;
    });
    const std::vector<Send *> sends(held_back.begin(), first_that_stays);
    held_back.erase(held_back.begin(), first_that_stays);
    for (Send *send : sends) send->post_first();
    for (Send *send : sends) send->leave_all(false);
    if (paced) progress::helper::wanted(SIZE_MAX); // for what goes on at its pace
}

// A receive that returns before all has come must have the bytes of its last page, where other data may lie.
std::size_t Send::early_cell() const {
    if (!to.comm->use.receives || kind != Kind::ordinary) return cells();
    const std::size_t last_page = end_bytes - std::min(end_bytes - first_data, pages::page_bytes() - 1);
    return (last_page - first_data) / delta;
}

// What a piece of so many bytes takes at a peer that has not asked for it.
std::size_t Send::memory_there(std::size_t bytes) const {
    return one_sided ? transport::Ring::needed(bytes) : mpi::memory_of(bytes);
}

// Have so many bytes more room in the window?
bool Send::fits(std::size_t bytes) const {
    return progress::blocked || peer.outstanding + memory_there(bytes) <= mpi::job.window;
}

// Bytes that wait at the peer until the message is matched.
void Send::hold(std::size_t bytes) {
    const std::size_t memory = memory_there(bytes);
    outstanding += memory;
    peer.outstanding += memory;
}

double Send::seconds() const {
    return trace::now() - begun;
}

void Send::take_place() {
    if (!placed) leave_first(0);
}

Range Send::cell(std::size_t k) const {
    const std::size_t begin = first_data + k * delta;
    return {begin, std::min(begin + delta, end_bytes)};
}

// A send that may return early leaves from copies: its call needs to wait neither for a full socket nor, where the library completes a send
// only after its receiver has run, for the receiver.
bool Send::is_copied(std::size_t bytes) const {
    return copies || (!detached && may_be_copied(bytes));
}

bool Send::may_be_copied(std::size_t bytes) const {
    return to.comm->use.sends && kind == Kind::ordinary && copied::has_room(bytes);
}

// One delta. False when the window is full.
bool Send::leave(std::size_t k, bool whatever_the_window) {
    const Range range = cell(k);
    const std::size_t bytes = range.end - range.begin;
    if (!acknowledged && !whatever_the_window && !fits(bytes)) {
        count(Rule::window_full);
        stalled = true;
        return false;
    }
    if (detached && (held || (progress::helper::runs() && !whatever_the_window))) {
        const double now = trace::now(), turn = static_cast<double>(bytes * paced) / (pace * peer.rate);
        if (now + progress::until_next_look < may_leave) {
            stalled = true;
            return false;
        }
        may_leave = std::max(may_leave, now - turn) + turn;
    }
    if (one_sided ? !put(k, whatever_the_window) : !post(k)) return false;
    progress::moves++;
    if (!acknowledged) hold(bytes);
    left[k] = true;
    left_bytes += bytes;
    if (detached && all_left()) paced--;
    if (checked) remember(range);
    if (trace::enabled()) trace::delta_left(to.rank, bytes);
    if (pending.empty()) return true;
    if (pending.size() - pending_from >= most_between_looks ||
        // Where the library completes a send only after the receiver has run, what has just left cannot be complete.
        (!peer.copies && trace::now() - looked >= deltas_between_looks * static_cast<double>(delta) / peer.rate))
        look_at_pending();
    return true;
}

// Into memory that both share. Where there is no room for long, the receiver may be in a call that only our message ends: the rest goes two-sided. At
// once where this thread may not look again, and where plain MPI would have taken the message whole.
bool Send::put(std::size_t k, bool whatever_the_window) {
    const Range range = cell(k);
    if (std::byte *room = one_sided.room(range.bytes())) {
        data.pack(range.begin, range.bytes(), room);
        one_sided.put(static_cast<std::uint32_t>(k), range.bytes());
        looks_for_room = 0;
        return true;
    }
    count(Rule::one_sided_full);
    const bool looks_again = !whatever_the_window && !progress::blocked && end_bytes > peer.eager;
    if (looks_again && ++looks_for_room < most_looks_for_room) {
        stalled = true;
        return false;
    }
    one_sided.turn_two_sided();
    return post(k);
}

// By the library.
bool Send::post(std::size_t k) {
    const Range range = cell(k);
    const std::size_t bytes = range.bytes();
    std::unique_ptr<std::byte[]> packed;
    const std::byte *from;
    if (is_copied(bytes)) {
        const report::Cost cost(reported);
        packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
        data.pack(range.begin, bytes, packed.get());
        from = packed.get();
        copied::held += bytes;
        count(data.contiguous() ? Rule::send_copied : Rule::typed_send);
    } else {
        from = data.contiguous_at(range.begin);
        from_buffer += !detached;
    }
    MPI_Request request;
    failure = transport::send(from, bytes, peer.rank, tag + 1 + static_cast<std::uint32_t>(k), request);
    if (failure != MPI_SUCCESS) [[unlikely]] {
        if (packed)
            copied::held -= bytes;
        else
            from_buffer -= !detached;
        return false;
    }
    since_poll = 0;
    if (pending.empty()) looked = trace::now();
    pending.push_back({request, bytes, std::move(packed)});
    return true;
}

// The cells among from..to-1 whose every byte is final.
void Send::leave_full(std::size_t from, std::size_t to, bool whatever_the_window) {
    for (std::size_t k = from; k < to; k++)
        if (!left[k] && (ended || declared.covers(cell(k))) && !leave(k, whatever_the_window)) return;
}

void Send::leave_all(bool whatever_the_window) {
    const std::size_t n = cells();
    stalled = false;
    if (!placed || failure != MPI_SUCCESS) return;
    while (next < n && left[next]) next++;
    if (early < n && next == 0) leave_full(0, 1, whatever_the_window);
    if (!stalled) leave_full(early, n, whatever_the_window);
    if (!stalled) leave_full(next, std::min(early, n), whatever_the_window);
}

void Send::ready(Range range, CallSite here) {
    // Addresses say which bytes of the message only where it is one piece of memory; else all leaves at the end.
    if (data.contiguous()) are_final(range, here);
}

void Send::are_final(Range range, CallSite here) {
    if (failure != MPI_SUCCESS) return;
    if (const auto twice = declared.insert(range))
        fail("MPIX_Delta_send_data",
             stretto::bytes(twice->begin, twice->end) + " of " + name() + " were declared ready twice", here);
    // While a large delta fills, what waits behind a full socket moves on, and what comes makes room for more.
    since_poll += range.bytes();
    if (since_poll > transport::between_polls) {
        since_poll = 0;
        if (!peer.copies) look_at_pending();
        transport::one_sided::take_in_what_is_awaited();
    }
    const Range run = declared.last_touched();
    if (!placed) {
        if (first_most_here && run.begin == 0 && run.end >= first_most_here)
            leave_first(first_most_here);
        else if (run.end - run.begin >= delta && (run.begin > 0 || !first_most_here))
            leave_first(0);
        else
            return;
    }
    // Only cells that the new bytes touch can have become full.
    if (range.end <= first_data) return;
    const std::size_t from = range.begin <= first_data ? 0 : (range.begin - first_data) / delta;
    const std::size_t to = std::min((range.end - first_data + delta - 1) / delta, left.size());
    for (std::size_t k = from; k < to; k++) {
        const Range c = cell(k);
        if (!left[k] && run.begin <= c.begin && c.end <= run.end && !leave(k, false)) return;
    }
}

void Send::end(std::size_t size) {
    if (!declared.empty() && declared.ranges().back().end > size)
        fail("MPIX_Delta_send_end_count",
             name() + " ends at byte " + std::to_string(size) + ", but " +
                 stretto::bytes(declared.ranges().back().begin, declared.ranges().back().end) + " were declared ready",
             site);
    ended = true;
    if (size < total) count(Rule::delta_variable);
    tune::learn(site, size, trace::now() - begun);
    end_bytes = size;
    if (!placed)
        leave_first(first_most_here && size >= least_total ? first_most_here : 0);
    else if (size < total) {
        marker_bytes = size;
        if (one_sided)
            one_sided.end(size);
        else if (failure == MPI_SUCCESS)
            failure = transport::send(&marker_bytes, sizeof marker_bytes, peer.rank, tag, marker);
    }
    leave_all(false);
}

// What a delta send reads may come in meanwhile: it is declared ready when it is there.
bool Send::reads(Range addresses) const {
    return kind == Kind::ordinary && !complete() && !detached &&
           pages::addresses_of(data.memory().data(), data.memory().size()).intersects(addresses);
}

// Deltas that the library is done with, in the order in which they left.
void Send::look_at_pending() {
    if (pending.empty()) return;
    looked = trace::now();
    since_poll = 0;
    while (pending_from < pending.size()) {
        const auto state = transport::look(pending[pending_from].request);
        if (state == transport::State::lost) lost();
        if (state == transport::State::under_way) break;
        Delta &gone = pending[pending_from++];
        progress::moves++;
        if (gone.packed)
            copied::held -= gone.bytes;
        else
            from_buffer -= !detached;
        gone.packed.reset();
    }
    if (pending_from == pending.size()) {
        pending.clear();
        pending_from = 0;
    }
}

bool Send::poll() {
    if (first != MPI_REQUEST_NULL) {
        switch (transport::look(first)) {
        case transport::State::lost:
            fail("send",
                 "rank " + std::to_string(to.rank) + " is gone; " + name() + " of " + std::to_string(total) +
                     " bytes was not matched",
                 site);
        case transport::State::under_way:
            break;
        case transport::State::complete:
            progress::moves++;
            acknowledged = true;
            peer.outstanding -= outstanding;
            outstanding = 0;
        }
    }
    if (stalled && (held || acknowledged || fits(delta))) leave_all(false);
    if (stalled && one_sided) transport::one_sided::let_the_library_go_on(peer);
    if (marker != MPI_REQUEST_NULL) transport::look(marker);
    look_at_pending();
    if (!finished()) {
        if (mpi::lifeline::cut(peer.rank)) lost();
        return false;
    }
    if (orphan) {
        progress::remove(*this);
        delete this;
        return false;
    }
    return true;
}

void Send::lost() const {
    fail("send",
         "rank " + std::to_string(to.rank) + " is gone; " + name() + " was under way, " + std::to_string(left_bytes) +
             " of " + std::to_string(total) + " bytes had left",
         site);
}

// Rule 8. A delta send that has said nothing yet still takes its place: what comes next may depend on it.
void Send::hand_over() {
    take_place();
    const std::size_t before = left_bytes;
    leave_all(true);
    if (left_bytes > before) count(Rule::handed_over);
}

void Send::release() {
    if (checked) compare();
    if (trace::enabled()) trace::message(trace::Direction::send, to.rank, end_bytes, begun);
    if (finished()) {
        progress::remove(*this);
        delete this;
    } else
        orphan = true;
}

void Send::remember(Range range) {
    if (range.begin == range.end) return;
    remembered.resize(total);
    data.pack(range.begin, range.end - range.begin, remembered.data() + range.begin);
    remembered_ranges.insert(range);
}

void Send::compare() {
    std::vector<std::byte> now(total);
    for (const Range &range : remembered_ranges.ranges()) {
        data.pack(range.begin, range.end - range.begin, now.data());
        const auto *then = remembered.data() + range.begin;
        const std::size_t n = range.end - range.begin;
        const auto at = static_cast<std::size_t>(std::mismatch(then, then + n, now.data()).first - then);
        if (at < n)
            fail(is_delta() ? "MPIX_Delta_wait" : "send",
                 "byte " + std::to_string(range.begin + at) + " of " + name() + " was written after it had left", site);
    }
}

} // namespace stretto::message
