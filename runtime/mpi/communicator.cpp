#include "mpi/communicator.h"

#include "mpi/channel.h"

#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace stretto::mpi {

namespace {

std::uint64_t key(MPI_Comm handle) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &handle, sizeof handle);
    return bits;
}

std::unordered_map<std::uint64_t, std::shared_ptr<Communicator>> known;
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

const Peer *farthest_of(const std::vector<Peer *> &peers) {
    const Peer *found = nullptr;
    for (const Peer *peer : peers) {
        if (!peer || peer->rank == MPI_PROC_NULL) return nullptr;
        if (peer != &job.peers[static_cast<std::size_t>(job.rank)] && (!found || !peer->near)) found = peer;
    }
    return found;
}

std::shared_ptr<Communicator> describe(MPI_Comm handle) {
    auto c = std::make_shared<Communicator>();
    c->handle = handle;
    c->serial = ++serials;
    if (handle == MPI_COMM_NULL || !job.framing || asserts_exact_length(handle)) return c;
    int inter = 0, size = 0;
    MPI_Group group, world;
    library.Comm_rank(handle, &c->rank);
    library.Comm_test_inter(handle, &inter);
    c->between_groups = inter != 0;
    if (inter)
        library.Comm_remote_group(handle, &group);
    else
        library.Comm_group(handle, &group);
    library.Comm_group(MPI_COMM_WORLD, &world);
    library.Group_size(group, &size);
    std::vector<int> ranks(static_cast<std::size_t>(size)), in_world(static_cast<std::size_t>(size));
    for (int k = 0; k < size; k++) ranks[static_cast<std::size_t>(k)] = k;
    library.Group_translate_ranks(group, size, ranks.data(), world, in_world.data());
    library.Group_free(&group);
    library.Group_free(&world);
    for (int rank : in_world) {
        Peer *peer = rank == MPI_UNDEFINED ? nullptr : &job.peers[static_cast<std::size_t>(rank)];
        c->peers.push_back(peer);
        c->frames = c->frames || (peer && peer->frames);
    }
    c->farthest = farthest_of(c->peers);
    return c;
}

int most_channels() {
    return static_cast<int>((static_cast<long>(job.tag_bound) + 1) / (Channel::lanes * Channel::operations));
}

} // namespace

Last last;

const std::shared_ptr<Communicator> &find_communicator(MPI_Comm handle) {
    auto [at, is_new] = known.try_emplace(key(handle));
    if (is_new) at->second = describe(handle);
    last = {handle, &at->second}; // unordered_map never moves its nodes
    return at->second;
}

const std::shared_ptr<Channel> &channel(Communicator &communicator) {
    if (!communicator.channel) {
        std::vector<int> ranks;
        for (const Peer *peer : communicator.peers) ranks.push_back(peer->rank);
        communicator.channel =
            std::make_shared<Channel>(job.collectives, std::move(ranks), communicator.handle, most_channels());
    }
    return communicator.channel;
}

bool there_are_channels() {
    return job.collectives != MPI_COMM_NULL && most_channels() > 0;
}

void forget(MPI_Comm handle) {
    known.erase(key(handle));
    last = {};
}

void forget_all() {
    known.clear();
    last = {};
}

} // namespace stretto::mpi
