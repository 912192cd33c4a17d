#include "transport/one_sided.h"

#include "mpi/inbox.h"
#include "mpi/library.h"
#include "trace/counters.h"
#include "trace/report.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

namespace stretto::transport::one_sided {

namespace {

enum Kind : std::uint32_t { piece = 1, end_marker, rest_two_sided };

// A message may need a line for its end marker, and one to say that it turns.
constexpr std::size_t reserved_records = 2;

constinit std::vector<RingWriter> outs; // by seat

struct Early { // a record whose message nobody receives yet
    Record record;
    std::vector<std::byte> bytes;
};

struct In {
    RingReader ring;
    std::vector<std::pair<std::uint32_t, Incoming *>> messages; // by tag
    std::unordered_map<std::uint32_t, std::vector<Early>> early;
};
constinit std::vector<In> ins; // by seat

// They stay where they are: messages know them.
template <class Each>
Each &of_seat(std::vector<Each> &all, int seat) {
    if (all.empty()) all.resize(mpi::inbox::places());
    return all[static_cast<std::size_t>(seat)];
}

RingWriter &ring_to(int seat) {
    RingWriter &ring = of_seat(outs, seat);
    if (!ring)
        if (const mpi::inbox::Part part = mpi::inbox::to(static_cast<std::size_t>(seat)); part.memory)
            ring = RingWriter(part.memory, part.bytes);
    return ring;
}

In &from_seat(int seat) {
    In &in = of_seat(ins, seat);
    if (!in.ring) {
        const mpi::inbox::Part part = mpi::inbox::from(static_cast<std::size_t>(seat));
        in.ring = RingReader(part.memory, part.bytes);
    }
    return in;
}

void forget(In &in, const Incoming *message) {
    const auto at =
        std::find_if(in.messages.begin(), in.messages.end(), [&](const auto &one) { return one.second == message; });
    if (at != in.messages.end()) in.messages.erase(at);
}

void hand_over(In &in, Incoming &message, const Record &record, const std::byte *bytes) {
    switch (record.kind) {
    case piece:
        return message.piece_came(record.number, bytes, record.bytes);
    case end_marker:
        std::uint64_t total;
        std::memcpy(&total, bytes, sizeof total);
        return message.end_came(total);
    default:
        forget(in, &message);
        return message.turns_two_sided();
    }
}

} // namespace

bool is_possible(const mpi::Peer &peer) {
    return peer.is_near() && ring_to(peer.seat);
}

Outgoing::Outgoing(const mpi::Peer &peer, std::uint32_t tag, std::size_t most) : tag(tag) {
    if (!is_possible(peer)) return;
    RingWriter &its = ring_to(peer.seat);
    if (most > its.most() || !its.reserve(reserved_records)) return;
    ring = &its;
    reserved = reserved_records;
    count(Rule::one_sided);
}

Outgoing &Outgoing::operator=(Outgoing &&other) noexcept {
    close();
    ring = std::exchange(other.ring, nullptr);
    tag = other.tag;
    reserved = std::exchange(other.reserved, 0);
    return *this;
}

void Outgoing::close() {
    if (ring) ring->give_back(reserved);
    ring = nullptr;
    reserved = 0;
}

void Outgoing::put(std::uint32_t number, std::size_t bytes) {
    ring->put({static_cast<std::uint32_t>(bytes), piece, tag, number});
}

void Outgoing::end(std::uint64_t bytes) {
    std::memcpy(ring->reserved_room(), &bytes, sizeof bytes);
    ring->put_reserved({sizeof bytes, end_marker, tag, 0});
    reserved--;
}

void Outgoing::turn_two_sided() {
    count(Rule::one_sided_left);
    ring->put_reserved({0, rest_two_sided, tag, 0});
    reserved--;
    close();
}

void hand_to(Incoming &message, const mpi::Peer &from, std::uint32_t tag) {
    In &in = from_seat(from.seat);
    in.messages.emplace_back(tag, &message);
    const auto kept = in.early.find(tag);
    if (kept == in.early.end()) return;
    const std::vector<Early> early = std::move(kept->second);
    in.early.erase(kept);
    for (const Early &one : early) hand_over(in, message, one.record, one.bytes.data());
}

void take_back(Incoming &message, const mpi::Peer &from) {
    forget(of_seat(ins, from.seat), &message);
}

namespace {

Incoming *receiver_of(const In &in, const Record &record) {
    const auto its = std::find_if(in.messages.rbegin(), in.messages.rend(),
                                  [&](const auto &one) { return one.first == record.tag; });
    return its == in.messages.rend() ? nullptr : its->second;
}

const std::byte *bytes_of(const Record &record) {
    return reinterpret_cast<const std::byte *>(&record + 1);
}

} // namespace

void take_in(const mpi::Peer &from) {
    In &in = from_seat(from.seat);
    while (const Record *record = in.ring.first()) {
        const std::byte *const bytes = bytes_of(*record);
        if (Incoming *message = receiver_of(in, *record))
            hand_over(in, *message, *record, bytes);
        else {
            count(Rule::one_sided_early);
            in.early[record->tag].push_back({*record, {bytes, bytes + record->bytes}});
        }
        in.ring.take(*record);
    }
}

void take_in_what_is_awaited() {
    for (In &in : ins) {
        if (in.messages.empty()) continue;
        while (const Record *record = in.ring.first()) {
            Incoming *const message = receiver_of(in, *record);
            if (!message) break;
            hand_over(in, *message, *record, bytes_of(*record));
            in.ring.take(*record);
        }
    }
}

// MPICH looks at its links only where a probe has found nothing, and on a communicator of more than one rank.
void let_the_library_go_on(const mpi::Peer &towards) {
    constexpr unsigned looks_between = 16;
    constexpr int nobodys_tag = 0;
    static unsigned looks = 0;
    if (++looks % looks_between) return;
    int some = 0;
    const report::InLibrary not_ours;
    mpi::library.Iprobe(towards.rank, nobodys_tag, mpi::job.deltas, &some, MPI_STATUS_IGNORE);
}

} // namespace stretto::transport::one_sided
