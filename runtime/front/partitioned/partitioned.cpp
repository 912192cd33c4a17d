#include "front/partitioned/partitioned.h"

#include "front/arguments.h"
#include "front/calls/incoming.h"
#include "front/calls/outgoing.h"
#include "front/delta/delta.h"
#include "front/enter.h"
#include "front/native.h"
#include "front/native_calls.h"
#include "front/operation.h"
#include "mpi/requests.h"
#include "mpi/waits.h"
#include "trace/counters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

namespace stretto::front {

namespace {

// The last one marked of requests that share a place here; a request that is marked is not freed meanwhile. Read without the lock: what was
// read holds if the version is even, and the same before and after.
struct Known {
    std::atomic<unsigned> version;
    std::atomic<MPI_Request> request;
    std::atomic<Partitioned *> partitioned;

    // Under the lock.
    void set(MPI_Request to, Partitioned *its) {
        const unsigned before = version.load(std::memory_order_relaxed);
        version.store(before + 1, std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_release);
        request.store(to, std::memory_order_relaxed);
        partitioned.store(its, std::memory_order_relaxed);
        version.store(before + 2, std::memory_order_release);
    }

    Partitioned *find(MPI_Request wanted) const {
        const unsigned before = version.load(std::memory_order_acquire);
        const bool is_it = request.load(std::memory_order_relaxed) == wanted;
        Partitioned *const its = partitioned.load(std::memory_order_relaxed);
        std::atomic_thread_fence(std::memory_order_acquire);
        const bool holds = before % 2 == 0 && version.load(std::memory_order_relaxed) == before;
        return is_it && holds ? its : nullptr;
    }
};
constexpr std::size_t places = 64;
constinit std::array<Known, places> known{};

Known &place_of(MPI_Request request) {
    return known[mpi::hash(request) % places];
}

} // namespace

Partitioned *Partitioned::quickly(MPI_Request request) {
    return place_of(request).find(request);
}

void Partitioned::remember(Partitioned &partitioned) {
    const MPI_Request request = partitioned.operation.handle;
    place_of(request).set(request, &partitioned);
}

Partitioned::Partitioned(const Arguments &arguments, Operation &operation)
    : its(arguments), operation(operation), type(arguments.type),
      partition_bytes(static_cast<std::size_t>(arguments.count) * mpi::type_map(arguments.type).bytes()),
      marked(static_cast<std::size_t>(arguments.partitions)) {
    its.type = type.handle();
    if (its.rank == MPI_PROC_NULL) return;
    name = pairing::next(*its.comm, its.sends, its.rank, its.tag);
    way = pairing::way_to(*its.comm, its.rank);
    way_tag = pairing::tag_of(name).value_or(0);
}

Partitioned::~Partitioned() {
    if (quickly(operation.handle) == this) place_of(operation.handle).set(MPI_REQUEST_NULL, nullptr);
    if (its.sends && way_tag && !pairing::tag_of(name)) pairing::give_back_tag(way, way_tag);
}

Range Partitioned::range_of(int partition) const {
    const std::size_t begin = static_cast<std::size_t>(partition) * partition_bytes;
    return {begin, begin + partition_bytes};
}

const void *Partitioned::memory_of(int partition) const {
    MPI_Aint lower = 0, extent = 0;
    mpi::library.Type_get_extent(its.type, &lower, &extent);
    return static_cast<const std::byte *>(its.buf) + static_cast<MPI_Aint>(partition) * its.count * extent;
}

std::string Partitioned::message() const {
    return stretto::message::describe(its.sends ? "to" : "from", its.rank, its.tag);
}

void Partitioned::is_misused(const char *call, int partition, const char *how) const {
    fail(call, "partition " + std::to_string(partition) + " of " + message() + " " + how, its.site);
}

std::string Partitioned::what_is_missing() const {
    const auto first = std::find(marked.begin(), marked.end(), false);
    return "partition " + std::to_string(first - marked.begin()) + " of " + std::to_string(its.partitions) + " of " +
           message() + " is not ready: MPI_Pready comes before the wait";
}

int Partitioned::start() {
    if (operation.active) fail("MPI_Start", message() + " is under way already", its.site);
    if (its.rank == MPI_PROC_NULL) { // complete at once, whatever is marked
        operation.active = true;
        return MPI_SUCCESS;
    }
    return its.sends ? start_send() : start_receive();
}

// So many partitions at least as fill a delta.
void Partitioned::group_by(std::size_t delta) {
    const std::size_t all = marked.size();
    const std::size_t few = partition_bytes == 0 ? all : (delta + partition_bytes - 1) / partition_bytes;
    in_group = static_cast<int>(std::clamp<std::size_t>(few, 1, all));
    const std::size_t n = (all + static_cast<std::size_t>(in_group) - 1) / static_cast<std::size_t>(in_group);
    if (groups.size() != n) groups = std::vector<Group>(n);
    for (std::size_t k = 0; k < n; k++)
        groups[k].missing = std::min(in_group, its.partitions - static_cast<int>(k) * in_group);
    for (std::atomic<bool> &one : marked) one.store(false, std::memory_order_relaxed);
    missing_groups = n;
}

int Partitioned::start_send() {
    wait_for_matches();
    const progress::Guard guard;
    enter();
    if (!way_tag) {
        const auto tag = pairing::take_tag(way);
        if (!tag)
            fail("MPI_Start", "there is no tag left for " + message() + ": too many requests are not freed", its.site);
        way_tag = *tag;
        if (const int error = pairing::tell(way, {name, bytes(), way_tag, its.partitions}); error != MPI_SUCCESS)
            return raise(*its.comm, error);
    }
    const auto &ours = mpi::communicator(mpi::job.partitioned);
    const MPI_Count count = its.count * its.partitions;
    if (mpi::Peer *peer = peer_for_parts(its.buf, count, its.type, way, way_tag, ours->handle))
        operation.send = message::Send::begin({its.buf, count, its.type}, {ours, way, way_tag}, *peer,
                                              message::Send::Kind::delta, its.site);
    if (operation.send) operation.send->set_known_size();
    stretto::count(operation.send ? Rule::partitioned_send : Rule::partitioned_whole);
    group_by(operation.send ? operation.send->delta_bytes() : bytes());
    operation.active = operation.waits_for_end = true;
    operation.sent_natively = false;
    return MPI_SUCCESS;
}

void Partitioned::ready(int partition, const char *call) {
    if (its.rank == MPI_PROC_NULL) return;
    const auto k = static_cast<std::size_t>(partition);
    if (!operation.active) is_misused(call, partition, "is marked before MPI_Start");
    if (marked[k].exchange(true, std::memory_order_relaxed)) is_misused(call, partition, "was marked ready twice");
    const std::size_t group = k / static_cast<std::size_t>(in_group);
    if (groups[group].missing.fetch_sub(1, std::memory_order_acq_rel) == 1) leaves(group);
}

// Its memory may be what an earlier message still comes into.
void Partitioned::leaves(std::size_t group) {
    const int first = static_cast<int>(group) * in_group;
    const int n = std::min(in_group, its.partitions - first);
    wait_for_matches();
    settle(memory_of(first), its.count * n, its.type, false);
    const progress::Guard guard;
    enter();
    if (operation.send) operation.send->are_final({range_of(first).begin, range_of(first + n - 1).end}, its.site);
    if (--missing_groups == 0) all_are_ready();
}

void Partitioned::all_are_ready() {
    operation.waits_for_end = false;
    if (operation.send) {
        operation.send->end(bytes());
        return;
    }
    const MPI_Count count = its.count * its.partitions;
    operation.send = frame(native::Mode::standard, its.buf, count, its.type, way, way_tag, mpi::job.partitioned);
    if (operation.send) return;
    operation.sent_natively = true;
    const report::InLibrary not_ours;
    operation.sent_error = native::isend(native::Mode::standard, its.buf, count, its.type, way, way_tag,
                                         mpi::job.partitioned, &operation.native_send);
}

// Whoever asks for partitions uses them before the wait: for others the wait may return early, as a receive may.
int Partitioned::start_receive() {
    const MPI_Count count = its.count * its.partitions;
    const bool only_waits = std::exchange(was_started, true) && !asks;
    when = only_waits ? returns(*its.comm, count, its.type) : message::Returns::complete;
    settle(its.buf, count, its.type, true);
    const progress::Guard guard;
    enter();
    stretto::count(Rule::partitioned_receive);
    untold.reset();
    operation.active = operation.waits_for_end = true;
    if (way_tag || hear())
        begin_receive();
    else
        listen();
    return MPI_SUCCESS;
}

// Also while the library waits in a call of the program's, which the sender's wait may be for.
void Partitioned::listen() {
    progress::add(*this);
    native_calls::begin();
    if (mpi::waits::can_call()) native_calls::look();
}

bool Partitioned::hear() {
    const auto told = pairing::heard(way, name);
    if (!told) return false;
    way_tag = told->tag;
    if (told->bytes > bytes())
        fail("MPI_Precv_init",
             message() + " has " + std::to_string(told->bytes) + " bytes, in " + std::to_string(told->partitions) +
                 " partitions, and its receive " + std::to_string(bytes()) + ", in " + std::to_string(its.partitions),
             its.site);
    return true;
}

void Partitioned::begin_receive() {
    operation.waits_for_end = false;
    const auto &ours = mpi::communicator(mpi::job.partitioned);
    const Incoming incoming = front::begin_receive(const_cast<void *>(its.buf), its.count * its.partitions, its.type,
                                                   way, way_tag, ours->handle, its.site, when);
    operation.sent_error = incoming.error;
    operation.receive = incoming.receive;
    if (incoming.error == MPI_SUCCESS && !incoming.receive)
        operation.receive = look_after(incoming.native, {ours, way, way_tag});
}

bool Partitioned::poll() {
    if (!hear()) return false;
    begin_receive();
    progress::moves++;
    native_calls::end();
    return true;
}

bool Partitioned::is_active() const {
    return operation.active && its.rank != MPI_PROC_NULL;
}

bool Partitioned::arrived(int partition) {
    asks = true;
    if (!is_active() || is_here(partition)) return true;
    progress::poll(); // also what the other side may wait for before it goes on: sends that have not left yet
    return is_here(partition);
}

std::optional<int> Partitioned::any_arrived() {
    asks = true;
    if (!is_active()) return MPI_UNDEFINED;
    if (!untold) {
        untold.emplace(static_cast<std::size_t>(its.partitions));
        std::iota(untold->begin(), untold->end(), 0);
    }
    if (untold->empty()) return MPI_UNDEFINED;
    if (const auto one = take_one_that_is_here()) return one;
    progress::poll();
    return take_one_that_is_here();
}

// Of partitions that come together and are not here, one is looked at.
std::optional<int> Partitioned::take_one_that_is_here() {
    std::size_t not_before = 0;
    for (auto one = untold->begin(); one != untold->end(); ++one) {
        if (range_of(*one).begin < not_before) continue;
        if (const auto missing = missing_of(*one)) {
            not_before = missing->end;
            continue;
        }
        const int found = *one;
        untold->erase(one);
        return found;
    }
    return {};
}

// The bytes of the message that come first of those that it waits for.
std::optional<Range> Partitioned::missing_of(int partition) {
    const Range all = {0, SIZE_MAX};
    if (operation.waits_for_end) return all;
    message::Receive *const receive = operation.receive;
    if (!receive) return {}; // its error is told by who waits
    if (receive->where() == message::Receive::State::posted && !receive->look_at_first()) return all;
    if (receive->is_complete()) return {};
    const Range range = range_of(partition);
    const std::size_t end = receive->bytes();
    if (range.begin >= end) return receive->missing_in({0, end}); // the sender's are fewer: when all have come
    return receive->missing_in({range.begin, std::min(range.end, end)});
}

void Partitioned::look_at_error(int error) const {
    int its_class = MPI_SUCCESS;
    mpi::library.Error_class(error, &its_class);
    if (its_class == MPI_ERR_TRUNCATE)
        fail("MPI_Precv_init",
             message() + " is longer than its receive of " + std::to_string(bytes()) + " bytes, in " +
                 std::to_string(its.partitions) + " partitions",
             its.site);
}

void Partitioned::tell_of_other_side(MPI_Status *status) const {
    if (status == MPI_STATUS_IGNORE || its.sends) return;
    status->MPI_SOURCE = its.rank;
    status->MPI_TAG = its.rank == MPI_PROC_NULL ? static_cast<int>(MPI_ANY_TAG) : its.tag;
}

} // namespace stretto::front
