#include "mpi/lifeline.h"

#include "mpi/job.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace stretto::mpi::lifeline {

namespace {

constexpr std::size_t most_addresses = 4;

//! What a rank tells the others.
struct Place {
    std::uint64_t machine;                               //!< the same: the same kernel
    std::uint64_t network;                               //!< and the same network namespace: loopback leads there
    std::array<std::uint32_t, most_addresses> addresses; //!< IPv4, network byte order, 0: none
    std::uint32_t port;                                  //!< network byte order, 0: it listens on none
};

int listener = -1;
constinit std::vector<Place> places; // by rank in job.deltas
constinit std::vector<bool> watched, ended;
constinit std::vector<pollfd> sockets; // of watched peers
constinit std::vector<int> peers;      // whose
bool any_ended = false;
std::int64_t last_look = 0;
unsigned calls = 0;

std::int64_t milliseconds() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

std::uint64_t this_machine() {
    char text[64] = {};
    if (FILE *file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
        [[maybe_unused]] const std::size_t n = std::fread(text, 1, sizeof text - 1, file);
        std::fclose(file);
    }
    std::uint64_t hash = 14695981039346656037u; // FNV-1a
    for (const char *c = text; *c; c++) hash = (hash ^ static_cast<unsigned char>(*c)) * 1099511628211u;
    return hash;
}

Place this_place() {
    Place place{};
    place.machine = this_machine();
    struct stat network {};
    stat("/proc/self/ns/net", &network);
    place.network = network.st_ino;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    socklen_t length = sizeof at;
    if (listener >= 0 && bind(listener, reinterpret_cast<sockaddr *>(&at), sizeof at) == 0 &&
        listen(listener, SOMAXCONN) == 0 && getsockname(listener, reinterpret_cast<sockaddr *>(&at), &length) == 0)
        place.port = at.sin_port;
    ifaddrs *all = nullptr;
    if (getifaddrs(&all) != 0) return place;
    std::size_t n = 0;
    for (const ifaddrs *one = all; one && n < most_addresses; one = one->ifa_next)
        if (one->ifa_addr && one->ifa_addr->sa_family == AF_INET && one->ifa_flags & IFF_UP &&
            !(one->ifa_flags & IFF_LOOPBACK))
            place.addresses[n++] = reinterpret_cast<const sockaddr_in *>(one->ifa_addr)->sin_addr.s_addr;
    freeifaddrs(all);
    return place;
}

void connect_to(int peer, std::uint32_t address) {
    const int line = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (line < 0) return;
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = static_cast<in_port_t>(places[static_cast<std::size_t>(peer)].port);
    to.sin_addr.s_addr = address;
    if (connect(line, reinterpret_cast<sockaddr *>(&to), sizeof to) != 0 && errno != EINPROGRESS) {
        ::close(line);
        return;
    }
    sockets.push_back({line, POLLOUT, 0});
    peers.push_back(peer);
}

bool same_kernel(const Place &there) {
    const Place &here = places[static_cast<std::size_t>(job.peers[static_cast<std::size_t>(job.rank)].rank)];
    return there.machine == here.machine && there.network == here.network;
}

// What the end of a connection says. One that was there and broke: the peer has ended. One that was refused: only where
// no firewall can have done that.
bool means_the_end(int socket, int peer) {
    int error = 0;
    socklen_t length = sizeof error;
    getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &length);
    if (error == 0 || error == ECONNRESET || error == EPIPE) return true;
    return error == ECONNREFUSED && same_kernel(places[static_cast<std::size_t>(peer)]);
}

void look() {
    if (sockets.empty() || poll(sockets.data(), sockets.size(), 0) <= 0) return;
    for (std::size_t k = 0; k < sockets.size(); k++) {
        if (!sockets[k].revents) continue;
        if (sockets[k].revents & (POLLHUP | POLLERR | POLLRDHUP)) {
            if (means_the_end(sockets[k].fd, peers[k])) any_ended = ended[static_cast<std::size_t>(peers[k])] = true;
            ::close(sockets[k].fd);
            sockets[k].fd = -1; // poll() passes it over
        } else
            sockets[k].events = POLLRDHUP; // it is there: from now on only its end is news
    }
}

} // namespace

// A child that lives longer would keep its parent's connections alive.
void open() {
    static const int once = pthread_atfork(nullptr, nullptr, close);
    static_cast<void>(once);
    const Place place = this_place();
    int size = 0;
    library.Comm_size(job.deltas, &size);
    places.assign(static_cast<std::size_t>(size), {});
    watched.assign(static_cast<std::size_t>(size), false);
    ended.assign(static_cast<std::size_t>(size), false);
    library.Allgather(&place, static_cast<int>(sizeof place), MPI_BYTE, places.data(), static_cast<int>(sizeof place),
                      MPI_BYTE, job.deltas);
}

void watch(int peer) {
    const auto index = static_cast<std::size_t>(peer);
    if (index >= watched.size() || watched[index]) return;
    watched[index] = true;
    const int self = job.peers[static_cast<std::size_t>(job.rank)].rank;
    const Place &there = places[index], &here = places[static_cast<std::size_t>(self)];
    if (!there.port || peer == self) return;
    if (same_kernel(there)) {
        connect_to(peer, htonl(INADDR_LOOPBACK));
        return;
    }
    for (const std::uint32_t address : there.addresses) {
        bool ours = !address; // a bridge for containers has the same address everywhere
        for (const std::uint32_t own : here.addresses) ours = ours || own == address;
        if (!ours) connect_to(peer, address);
    }
}

bool any_cut() {
    if (++calls % 16 == 0) {
        if (const std::int64_t now = milliseconds(); now - last_look >= 100) {
            last_look = now;
            look();
        }
    }
    return any_ended;
}

bool cut(int peer) {
    const auto index = static_cast<std::size_t>(peer);
    return any_cut() && index < ended.size() && ended[index];
}

void close() {
    for (const pollfd &line : sockets)
        if (line.fd >= 0) ::close(line.fd);
    if (listener >= 0) ::close(listener);
    listener = -1;
    sockets.clear();
    peers.clear();
    watched.clear();
    ended.clear();
    any_ended = false;
    places.clear();
}

} // namespace stretto::mpi::lifeline
