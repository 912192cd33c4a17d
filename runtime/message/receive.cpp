#include "message/receive.h"

#include "message/send.h"
#include "message/tags.h"
#include "mpi/job.h"
#include "mpi/lifeline.h"
#include "progress/helper.h"
#include "trace/counters.h"
#include "trace/timeline.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace stretto::message {

namespace {

// Receives of deltas that are posted ahead. What comes beyond them waits in the library, and is bounded by the message.
constexpr std::size_t posted_ahead = 1024;

// Most messages have the size that they may have, and no end marker comes. So its receive is posted only after so many looks that
// found nothing new; few, as a look may sleep where ranks share cores.
constexpr unsigned marker_patience = 8;

// Bytes of receives that are posted ahead into memory of ours.
constexpr std::size_t aside_ahead = 1 << 20;

} // namespace

Receive::~Receive() {
    posted::remove(*this);
    if (one_sided) transport::one_sided::take_back(*this, *one_sided);
    if (ran_on) trigger::leave(*this);
    if (guard) guard->end();
}

bool Receive::look_at_first() {
    if (state != State::posted) return true;
    if (follows_another()) return false;
    int done = 0;
    MPI_Status its_status;
    const int error = mpi::library.Test(&first, &done, &its_status);
    if (error == MPI_SUCCESS && !done) return false;
    first_ended(first, its_status, error);
    return true;
}

void Receive::first_ended(MPI_Request left, const MPI_Status &its_status, int error) {
    first = left;
    // A persistent request is there still; nobody else knows it when we are an orphan.
    if (orphan && first != MPI_REQUEST_NULL) mpi::library.Request_free(&first);
    first_came(its_status, error);
    if (orphan && state == State::complete) delete this;
}

void Receive::first_came(const MPI_Status &its_status, int its_error) {
    posted::remove(*this);
    first = MPI_REQUEST_NULL;
    status = its_status;
    failure = its_error;
    raised = its_error != MPI_SUCCESS;
    progress::moves++;
    report::matched(reported);
    if (ran_on_unmatched) {
        is_matched(std::exchange(ran_on_unmatched, 0));
        if (failure != MPI_SUCCESS)
            fail("receive",
                 describe("from", from.rank, from.tag) +
                     " failed after its call had returned: it is longer than its buffer of " +
                     std::to_string(data.bytes()) + " bytes, or its sender is gone",
                 site);
    }
    int n = 0;
    if (failure == MPI_SUCCESS) mpi::library.Get_count(&status, MPI_BYTE, &n);
    const auto length = static_cast<std::size_t>(n);
    // Longer than the buffer: truncated natively, which the library has told (rule 14). From a peer that does not frame there
    // may be no buffer to ask.
    // What its memory held before may look like a header, if it was cancelled.
    if (failure != MPI_SUCCESS || n < 0 || !has_fragment_length(length) || was_cancelled() ||
        !from.comm->framing_peer(status.MPI_SOURCE) || length > data.bytes()) {
        state = State::complete;
    } else {
        take_image();
        std::byte fragment[first_fragment];
        if (apart)
            std::memcpy(fragment, apart.get(), length);
        else
            data.pack(0, length, fragment);
        read_header(fragment, length);
    }
    if (!framed) report::message(reported, report::Fate::receive_native, length);
    if (!apart) return;
    if (!framed) come_whole(length);
    bounce::give_back(std::move(apart), data.bytes());
}

std::byte *Receive::set_apart() {
    const report::Cost cost(reported);
    apart = bounce::take(data.bytes());
    return apart.get();
}

bool Receive::was_cancelled() const {
    int cancelled = 0;
    mpi::library.Test_cancelled(&status, &cancelled);
    return cancelled;
}

// A plain message, or none: into the buffer as the library would have done it.
void Receive::come_whole(std::size_t bytes) {
    const report::Cost cost(reported);
    if (was_cancelled() || failure != MPI_SUCCESS) bytes = 0;
    unpack(apart.get(), bytes);
    end_guard();
    if (ran_on) learn_release();
}

// The message's first bytes.
void Receive::unpack(const std::byte *start, std::size_t bytes) {
    if (!guard)
        data.unpack(0, bytes, start);
    else if (bytes)
        arrive(0, start, bytes);
}

void Receive::arrive(std::size_t offset, const std::byte *bytes, std::size_t n) {
    if (!guard->arrive(offset, bytes, n))
        fail("receive", name() + " cannot come in: its buffer is gone, unmapped before the message had come", site);
}

void Receive::first_listed(const std::byte *fragment, std::size_t n, bool is_framed, const MPI_Status &its_status) {
    const report::Cost cost(reported);
    status = its_status;
    take_image();
    if (is_framed) {
        read_header(fragment, n);
        return;
    }
    if (n > data.bytes()) {
        failure = MPI_ERR_TRUNCATE;
        truncated = true;
        count(Rule::truncated);
    }
    data.unpack(0, std::min(n, data.bytes()), fragment);
    report::message(reported, report::Fate::receive_native, n);
    put_back();
    state = State::complete;
}

void Receive::take_image() {
    if (data.map().known()) return;
    const report::Cost cost(reported);
    image = std::make_unique_for_overwrite<std::byte[]>(data.bytes());
    data.pack_all(image.get());
    program = data;
    data = {image.get(), static_cast<MPI_Count>(program.bytes()), MPI_BYTE};
}

void Receive::put_back() {
    if (!image) return;
    const report::Cost cost(reported);
    program.unpack_all(image.get());
}

void Receive::read_header(const std::byte *fragment, std::size_t n) {
    const report::Cost cost(reported);
    Header header;
    std::memcpy(&header, fragment, sizeof header);
    const mpi::Peer *sender = from.comm->framing_peer(status.MPI_SOURCE);
    if (header.nonce != mpi::job.nonce || header.version != version ||
        static_cast<int>(header.sender) != sender->rank || header.first_bytes != n - header_bytes) {
        state = State::complete;
        return;
    }
    count(Rule::receive_framed);
    framed = true;
    matched = trace::now();
    peer = sender->rank;
    total = header.total;
    first_data = header.first_bytes;
    delta = header.delta_bytes;
    tag = header.tag;
    tags = header.tags;
    if (total > data.bytes()) {
        // Rule 14: the deltas are received all the same, into nowhere.
        truncated = true;
        failure = MPI_ERR_TRUNCATE;
        count(Rule::truncated);
        if (ran_on)
            fail("receive",
                 name() + " of " + std::to_string(total) + " bytes is longer than its buffer of " +
                     std::to_string(data.bytes()) + ", and its call has returned",
                 site);
        end_guard();
    }
    if (guard) guard->shorten(total);
    unpack(fragment + header_bytes, std::min(first_data, data.bytes()));
    cells = (total - first_data + delta - 1) / delta;
    requests.assign(cells, MPI_REQUEST_NULL);
    here.assign(cells, false);
    marker_wanted = header.flags & Header::variable;
    if (returns == Returns::complete) fate = report::Fate::receive_waits;
    if (returns != Returns::complete && (truncated || image || !data.contiguous())) {
        returns = Returns::complete;
        fate = report::Fate::receive_scattered;
    }
    if (returns == Returns::unmatched && !guard) returns = Returns::released;
    if (returns == Returns::released &&
        (marker_wanted || !tune::lets_run_on(site, total - first_data, sender->rate, tune::Comes::in_deltas))) {
        returns = Returns::complete;
        fate = why_it_waits(sender->rate);
    }
    tail = std::min<std::size_t>(header.early, cells);
    if (returns == Returns::guarded) {
        close_pages(first_data);
        fate = guard ? report::Fate::receive_guarded : report::Fate::receive_unguardable;
    }
    if (truncated || !data.contiguous() || guard || returns == Returns::released) aside.resize(cells);
    state = State::deltas;
    if (header.flags & Header::one_sided) {
        came_bytes.assign(cells, 0);
        one_sided = sender;
        transport::one_sided::hand_to(*this, *sender, tag);
    }
    post();
    if (state == State::complete) return;
    progress::add(*this);
    progress::helper::wanted(total);
    mpi::lifeline::watch(peer);
}

// The program may run on as long as no byte that has not come can be read. Where the last page cannot be guarded and comes last, waiting
// for it is waiting for everything.
void Receive::close_pages(std::size_t here) {
    if (is_being_sent()) return;
    const report::Cost cost(reported);
    guard = pages::Guard::begin(data.contiguous_at(0), total, {here, marker_wanted});
    if (guard->how() != pages::Guarding::block && (guard->guards_the_end() || tail < cells)) {
        count(Rule::receive_guarded);
        return;
    }
    end_guard();
}

// To receive into what is being sent is wrong, but no library minds.
bool Receive::is_being_sent() const {
    return progress::anything_reads(pages::addresses_of(data.contiguous_at(0), data.bytes()));
}

void Receive::end_guard() {
    if (!guard) return;
    const report::Cost cost(reported);
    guard->end();
    guard = nullptr;
}

// Posted into a buffer that an earlier message still comes into.
bool Receive::follows_another() const {
    return apart && !guard && pages::Guard::comes_into(pages::addresses_of(data.contiguous_at(0), data.bytes()));
}

// Nothing of it is here yet.
bool Receive::close_all() {
    if (guard) return true;
    if (follows_another() || is_being_sent()) return false;
    const report::Cost cost(reported);
    guard = pages::Guard::begin(data.contiguous_at(0), data.bytes(),
                                {.fewer = true, .shares = progress::Guard::one_thread});
    if (guard->how() != pages::Guarding::block && guard->edges_arrived()) {
        count(Rule::receive_guarded);
        return true;
    }
    end_guard();
    returns = Returns::released;
    return false;
}

bool Receive::may_run_on(bool before_its_match) {
    // One out of the probed list is received straight into the buffer, whose pages must stay open for the library.
    if (state == State::posted) return before_its_match && apart && returns == Returns::unmatched && close_all();
    if (returns == Returns::unmatched && state == State::deltas) return guard->edges_arrived();
    if (state != State::deltas || returns != Returns::released) return false;
    if (guard) return edges_come();
    // Pages are closed from the first byte that is missing on, and what lies behind it counts as missing, too: so not where the program has been
    // told of some of that (MPI_Parrived).
    if (std::find(here.begin() + static_cast<std::ptrdiff_t>(missing), here.end(), true) != here.end()) {
        returns = Returns::complete;
        return false;
    }
    const std::size_t first_missing = cell(missing).begin;
    if (tune::is_worth_it(total - first_missing, from.comm->framing_peer(status.MPI_SOURCE)->rate)) {
        close_pages(first_missing);
        if (!guard) tune::learn(site, {.bytes = total});
        if (!guard) fate = report::Fate::receive_unguardable;
    }
    if (!guard) {
        returns = Returns::complete;
        return false;
    }
    for (std::size_t k = tail; k < cells && state == State::deltas; k++) post(k);
    return state == State::deltas && edges_come();
}

// What comes early is looked at only now: the guard did not know that it is here.
bool Receive::edges_come() {
    for (std::size_t k = tail; k < cells && !guard->edges_arrived(); k++) look(k);
    return state == State::deltas && guard->edges_arrived();
}

void Receive::run_on() {
    const report::Cost cost(reported);
    count(Rule::receive_released);
    ran_on = orphan = true;
    fate = state == State::posted ? report::Fate::receive_unmatched : report::Fate::receive_released;
    report::runs_on(reported);
    run.bytes = state == State::posted ? data.bytes() : total;
    run.begins(trace::now());
    if (state == State::posted) {
        count(Rule::receive_unmatched);
        ran_on_unmatched = is_unmatched();
    } else
        mpi::library.Status_set_elements_x(&status, MPI_BYTE, static_cast<MPI_Count>(total));
    trigger::enter(data.contiguous_at(0), run.bytes, *this);
}

report::Fate Receive::why_it_waits(double link_rate) const {
    if (marker_wanted) return report::Fate::receive_open_end;
    return tune::is_worth_it(total - first_data, link_rate) ? report::Fate::receive_given_up
                                                            : report::Fate::receive_little;
}

Range Receive::cell(std::size_t k) const {
    const std::size_t begin = first_data + k * delta;
    return {begin, std::min(begin + delta, total)};
}

void Receive::post() {
    const std::size_t ahead =
        aside.empty() ? posted_ahead : std::clamp(aside_ahead / delta, std::size_t{2}, posted_ahead);
    post_until(std::min(cells, missing + ahead));
}

void Receive::post_until(std::size_t end) {
    if (one_sided) return;
    for (; posted < end && state == State::deltas; posted++) post(posted);
}

// The library does not take the receive of a delta: none of the others is wanted any more. The sender's tags stay taken.
void Receive::give_up(int error) {
    if (ran_on)
        fail("receive", name() + " cannot come in: the MPI library does not take a receive, and its call has returned",
             site);
    failure = error;
    for (MPI_Request &request : requests)
        if (request != MPI_REQUEST_NULL) transport::withdraw(request);
    if (marker != MPI_REQUEST_NULL) transport::withdraw(marker);
    end_guard();
    state = State::complete;
}

void Receive::post(std::size_t k) {
    if (one_sided || here[k] || has_come(k) || requests[k] != MPI_REQUEST_NULL) return;
    const Range range = cell(k);
    const std::size_t n = range.end - range.begin;
    std::byte *into;
    if (aside.empty())
        into = data.contiguous_at(range.begin);
    else {
        aside[k] = bounce::take(n);
        into = aside[k].get();
    }
    const int error = transport::receive(into, n, peer, tag + 1 + static_cast<std::uint32_t>(k), requests[k]);
    if (error != MPI_SUCCESS) [[unlikely]]
        give_up(error);
}

bool Receive::is_done(transport::State found) const {
    if (found == transport::State::lost) lost();
    return found == transport::State::complete;
}

// Has cell k come? Looks when it is posted.
bool Receive::look(std::size_t k) {
    if (here[k]) return true;
    if (one_sided && !has_come(k)) {
        since_poll = 0;
        transport::one_sided::take_in(*one_sided);
    }
    const Range range = cell(k);
    // The message's last one may be shorter than it could be. The library has left the rest of the program's buffer alone; so do we.
    const bool is_last = k == cells - 1;
    std::size_t bytes = range.bytes();
    if (has_come(k)) {
        bytes = came_bytes[k];
    } else if (one_sided) {
        transport::one_sided::let_the_library_go_on(*one_sided);
        return false;
    } else if (requests[k] == MPI_REQUEST_NULL) {
        return false;
    } else {
        since_poll = 0;
        if (!is_done(marker_wanted && (is_last || !aside.empty()) ? transport::look(requests[k], bytes)
                                                                  : transport::look(requests[k])))
            return false;
    }
    here[k] = true;
    came++;
    progress::moves++;
    fruitless = 0;
    if (is_last && bytes == range.bytes()) all_came = true;
    if (trace::enabled()) trace::delta_came(status.MPI_SOURCE, range.end - range.begin);
    if (!aside.empty()) put_in_place(k, bytes);
    while (missing < cells && here[missing]) missing++;
    post();
    return true;
}

// In the order in which they left, whatever has been looked at: what may not lie in the buffer yet is put aside.
void Receive::piece_came(std::uint32_t number, const std::byte *bytes, std::size_t n) {
    const std::size_t k = number;
    came_bytes[k] = static_cast<std::uint32_t>(n);
    if (aside.empty()) {
        data.unpack(cell(k).begin, n, bytes);
    } else {
        aside[k] = bounce::take(cell(k).bytes());
        std::memcpy(aside[k].get(), bytes, n);
    }
}

void Receive::end_came(std::uint64_t bytes) {
    marker_bytes = bytes;
    marker_is_here = true;
}

void Receive::turns_two_sided() {
    one_sided = nullptr;
    post();
    for (std::size_t k = guard ? tail : cells; k < cells && state == State::deltas; k++) post(k);
}

void Receive::put_in_place(std::size_t k, std::size_t bytes) {
    const report::Cost cost(reported);
    const std::size_t begin = cell(k).begin;
    if (guard) {
        arrive(begin, aside[k].get(), bytes);
    } else if (!truncated) {
        data.unpack(begin, bytes, aside[k].get());
        if (!data.contiguous()) count(Rule::typed_receive);
    }
    bounce::give_back(std::move(aside[k]), cell(k).bytes());
}

bool Receive::marker_came() {
    if (one_sided && !marker_is_here) transport::one_sided::take_in(*one_sided);
    if (marker_is_here) return true;
    if (one_sided) return false;
    if (marker == MPI_REQUEST_NULL) {
        if (++fruitless < marker_patience) return false;
        if (const int error = transport::receive(&marker_bytes, sizeof marker_bytes, peer, tag, marker);
            error != MPI_SUCCESS) {
            give_up(error);
            return false;
        }
    }
    return is_done(transport::look(marker));
}

// The end marker of a message whose size was not known: what lies behind the true end never comes.
bool Receive::look_at_marker() {
    if (!marker_wanted) return true;
    if (!marker_came()) return false;
    marker_wanted = false;
    total = std::max<std::size_t>(marker_bytes, first_data);
    const std::size_t true_cells = (total - first_data + delta - 1) / delta;
    for (std::size_t k = true_cells; k < posted; k++) transport::withdraw(requests[k]);
    posted = std::min(posted, true_cells);
    cells = true_cells;
    return true;
}

bool Receive::poll() {
    if (state == State::deltas) {
        while (missing < cells && look(missing)) {
        }
        if (state == State::deltas && missing == cells && marker_wanted && all_came) {
            // Everything that it may be has come, so nothing is left for a marker to say.
            if (marker != MPI_REQUEST_NULL) transport::withdraw(marker);
            marker_wanted = false;
        }
        if (state == State::deltas && marker_wanted && look_at_marker())
            while (missing < cells && look(missing)) {
            }
        if (state == State::deltas && missing == cells && !marker_wanted) finish();
    }
    if (state == State::deltas && mpi::lifeline::cut(peer)) lost();
    if (state != State::complete) return false;
    if (orphan) {
        progress::remove(*this);
        delete this;
        return false;
    }
    return true;
}

void Receive::finish() {
    if (one_sided) transport::one_sided::take_back(*this, *one_sided);
    one_sided = nullptr;
    tags_done(peer, tag, tags);
    end_guard(); // also where fewer bytes came than could have
    put_back();
    if (ran_on) learn_release();
    report::message(reported, fate, total);
    mpi::library.Status_set_elements_x(&status, MPI_BYTE, static_cast<MPI_Count>(total));
    if (trace::enabled()) trace::message(trace::Direction::receive, status.MPI_SOURCE, total, matched);
    state = State::complete;
}

void Receive::learn_release() {
    run.ends(trace::now());
    report::is_whole(reported);
    run.comes = framed ? tune::Comes::in_deltas : tune::Comes::whole;
    tune::learn(site, run);
}

std::optional<Range> Receive::missing_in(Range range) {
    const Range all = {0, SIZE_MAX};
    if (state == State::complete) return {};
    if (state == State::posted) return all;
    if (!buffer().contiguous()) // memory does not say which bytes of the message: all of them
        return poll() ? std::nullopt : std::optional(all);
    if (range.end <= first_data) return {};
    const std::size_t begin = range.begin <= first_data ? 0 : (range.begin - first_data) / delta;
    for (std::size_t k = begin; k < cells && cell(k).begin < range.end; k++) {
        post_until(k + 1); // a message may come from its end
        if (!look(k)) return cell(k);
    }
    // While the program uses a large delta, the next one comes in.
    since_poll += range.bytes();
    if (since_poll > transport::between_polls && missing < cells) look(missing);
    return {};
}

void Receive::waits(bool begins) {
    if (begins) report::Stop::meets(reported);
    if (ran_on) run.waits(begins, trace::now());
}

void Receive::lost() const {
    fail("receive",
         "rank " + std::to_string(status.MPI_SOURCE) + " is gone; " + name() + " had " + std::to_string(came) + " of " +
             std::to_string(cells) + " deltas here, " + stretto::bytes(cell(missing).begin, total) + " are missing",
         site);
}

void Receive::abandon() {
    if (state == State::complete) {
        progress::remove(*this);
        delete this;
        return;
    }
    orphan = true;
}

namespace posted {

namespace {

// A few at each poll, in turn.
constexpr std::size_t looks = 2;

class Turns final : public progress::Task {
public:
    std::vector<Receive *> receives;
    std::size_t turn = 0;

    bool poll() override {
        for (std::size_t k = 0; k < looks && !receives.empty(); k++) {
            turn = (turn + 1) % receives.size();
            receives[turn]->look_at_first(); // may remove it
        }
        return receives.empty();
    }
};
constinit Turns turns;

} // namespace

void add(Receive &receive) {
    turns.receives.push_back(&receive);
    progress::add(turns);
    progress::helper::wanted(receive.buffer().bytes());
}

void remove(Receive &receive) {
    const auto at = std::find(turns.receives.rbegin(), turns.receives.rend(), &receive);
    if (at == turns.receives.rend()) return;
    *at = turns.receives.back();
    turns.receives.pop_back();
    if (turns.receives.empty()) progress::remove(turns);
}

const std::vector<Receive *> &all() {
    return turns.receives;
}

} // namespace posted

} // namespace stretto::message
