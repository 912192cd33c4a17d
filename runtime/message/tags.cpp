#include "message/tags.h"

#include "mpi/job.h"
#include "process/lasting.h"
#include "progress/progress.h"
#include "range/range_set.h"
#include "trace/counters.h"
#include "transport/two_sided.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

namespace stretto::message {

namespace {

constexpr std::uint32_t fin_tag = 1; // on the private communicator
constexpr std::uint32_t first_tag = mpi::lowest_tag;

struct Fin { // as it travels
    std::uint32_t number;
    struct Interval {
        std::uint32_t begin, end;
    };
    std::array<Interval, 63> intervals;
};
static_assert(sizeof(Fin) == 508, "below every eager limit");

// Ours to one peer.
struct Space {
    RangeSet taken;
    std::uint32_t next = first_tag;
};
constinit Lasting<std::unordered_map<int, Space>> spaces;

// Theirs, of messages that we have received.
struct Done {
    RangeSet tags;
    std::size_t count = 0;
};
constinit Lasting<std::unordered_map<int, Done>> done;

std::size_t all_tags() {
    return static_cast<std::size_t>(mpi::job.highest_tag) + 1 - first_tag;
}

void collect_fins() {
    transport::take_in<Fin>(mpi::job.deltas, fin_tag, [](int sender, const Fin &fin) {
        Space &space = (*spaces)[sender];
        for (std::uint32_t k = 0; k < fin.number; k++)
            space.taken.erase({fin.intervals[k].begin, fin.intervals[k].end});
        count(Rule::fin_received);
    });
}

// A batch on its way. Only MPI_Finalize waits until it has left.
class FinMessage : public progress::Task {
public:
    bool leaving() const override { return true; }
    FinMessage(int peer, const Fin &fin) : fin(fin) {
        // If the library does not take it, the tags stay taken, and later messages go native.
        static_cast<void>(transport::send(&this->fin, sizeof this->fin, peer, fin_tag, request));
        progress::add(*this);
    }
    bool poll() override {
        if (transport::look(request) == transport::State::under_way) return false;
        progress::remove(*this);
        delete this;
        return false;
    }

private:
    Fin fin;
    MPI_Request request = MPI_REQUEST_NULL;
};

} // namespace

std::optional<std::uint32_t> take_tags(int peer, std::uint32_t n) {
    const auto end = static_cast<std::uint32_t>(mpi::job.highest_tag) + 1;
    Space &space = (*spaces)[peer];
    if (space.taken.bytes() > all_tags() / 2) collect_fins();
    // Twice: from where the last interval ended, then from the beginning.
    for (int round = 0; round < 2; round++) {
        std::uint32_t at = space.next;
        while (at <= end && n <= end - at) {
            const Range wanted{at, std::size_t{at} + n};
            const auto in_the_way = space.taken.ranges().empty() ? std::nullopt : space.taken.first_part(wanted);
            if (!in_the_way) {
                space.taken.insert(wanted);
                space.next = at + n;
                return at;
            }
            at = static_cast<std::uint32_t>(in_the_way->end);
        }
        if (round == 0) {
            count(Rule::tags_wrapped);
            space.next = first_tag;
        }
    }
    return std::nullopt;
}

void tags_done(int peer, std::uint32_t first, std::uint32_t n) {
    Done &d = (*done)[peer];
    d.tags.insert({first, std::size_t{first} + n});
    d.count++;
    // Seldom, since no sender is short of tags before half of them are gone.
    if (d.tags.bytes() < all_tags() / 16 && d.tags.ranges().size() < 63) return;
    Fin fin{};
    for (const Range &range : d.tags.ranges())
        fin.intervals[fin.number++] = {static_cast<std::uint32_t>(range.begin), static_cast<std::uint32_t>(range.end)};
    d = {};
    new FinMessage(peer, fin);
    count(Rule::fin_sent);
}

} // namespace stretto::message
