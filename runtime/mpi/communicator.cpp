#include "mpi/communicator.h"

#include "mpi/channel.h"
#include "process/lasting.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <unordered_map>

namespace stretto::mpi {

namespace {

std::uint64_t key(MPI_Comm handle) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &handle, sizeof handle);
    return bits;
}

constinit Lasting<std::unordered_map<std::uint64_t, std::shared_ptr<Communicator>>> known;
std::uint64_t serials = 0;

// MPI 4.1, 7.4.4: the program promises that lengths match exactly; then a header may not come in place of a message.
bool asserts_exact_length(MPI_Comm handle) {
    MPI_Info info;
    if (library.Comm_get_info(handle, &info) != MPI_SUCCESS) return false;
    int flag = 0;
    char value[8] = "";
    library.Info_get(info, "mpi_assert_exact_length", sizeof value - 1, value, &flag);
    library.Info_free(&info);
    return flag && std::strcmp(value, "true") == 0;
}

// The ranks of a group, which is freed; nullptr: outside MPI_COMM_WORLD.
std::vector<Peer *> peers_of(MPI_Group group) {
    MPI_Group world;
    int size = 0;
    library.Comm_group(MPI_COMM_WORLD, &world);
    library.Group_size(group, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size)), in_world(ranks.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    library.Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
    library.Group_free(&group);
    library.Group_free(&world);
    std::vector<Peer *> peers;
    peers.reserve(in_world.size());
    for (const int rank : in_world)
        peers.push_back(rank == MPI_UNDEFINED ? nullptr : &job.peers[static_cast<std::size_t>(rank)]);
    return peers;
}

const Peer *farthest_of(const std::vector<Peer *> &peers) {
    const Peer *found = nullptr;
    for (const Peer *peer : peers) {
        if (!peer || peer->rank == MPI_PROC_NULL) return nullptr;
        if (peer != &job.peers[static_cast<std::size_t>(job.rank)] && (!found || !peer->is_near())) found = peer;
    }
    return found;
}

std::shared_ptr<Communicator> describe(MPI_Comm handle) {
    auto c = std::make_shared<Communicator>();
    c->handle = handle;
    c->serial = ++serials;
    if (handle == MPI_COMM_NULL || (!job.framing && !job.has_partitioned()) || asserts_exact_length(handle)) return c;
    int inter = 0;
    MPI_Group group;
    library.Comm_rank(handle, &c->rank);
    library.Comm_test_inter(handle, &inter);
    library.Comm_group(handle, &group);
    c->between_groups = inter != 0;
    c->peers = peers_of(group);
    std::vector<Peer *> all = c->peers;
    if (inter) {
        library.Comm_remote_group(handle, &group);
        c->peers = peers_of(group);
        all.insert(all.end(), c->peers.begin(), c->peers.end());
    }
    for (const Peer *peer : c->peers) c->frames = c->frames || (peer && peer->frames);
    c->farthest = farthest_of(all);
    return c;
}

} // namespace

constinit Last last;

const std::shared_ptr<Communicator> &find_communicator(MPI_Comm handle) {
    auto [at, is_new] = known->try_emplace(key(handle));
    if (is_new) at->second = describe(handle);
    last = {handle, &at->second}; // unordered_map never moves its nodes
    return at->second;
}

bool Communicator::all_run_stretto() const {
    return std::all_of(peers.begin(), peers.end(),
                       [](const Peer *peer) { return peer && peer->rank != MPI_PROC_NULL; });
}

std::shared_ptr<Channel> make_channel(const Communicator &communicator) {
    std::vector<int> ranks;
    for (const Peer *peer : communicator.peers) ranks.push_back(peer->rank);
    return std::make_shared<Channel>(job.collectives, Channel::most_on_one(job.tag_bound), std::move(ranks),
                                     communicator.handle);
}

bool is_known(const Communicator &communicator) {
    const auto at = known->find(key(communicator.handle));
    return at != known->end() && at->second.get() == &communicator;
}

bool there_are_channels() {
    return !job.collectives.empty();
}

void forget(MPI_Comm handle) {
    known->erase(key(handle));
    last = {};
}

void forget_all() {
    known->clear();
    last = {};
}

} // namespace stretto::mpi
