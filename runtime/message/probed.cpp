#include "message/probed.h"

#include "message/header.h"
#include "process/lasting.h"
#include "trace/counters.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>

namespace stretto::message::probed {

namespace {

constinit Lasting<std::unordered_map<std::uint64_t, std::deque<Message>>> lists; // by the communicator's serial
bool matches(const Message &message, int source, int tag) {
    return (source == MPI_ANY_SOURCE || source == message.status.MPI_SOURCE) &&
           (tag == MPI_ANY_TAG || tag == message.status.MPI_TAG);
}

} // namespace

std::size_t total = 0;

[[gnu::hot]] bool may_be_framed(const mpi::Communicator &comm, const MPI_Status &status) {
    int n = 0;
    MPI_Status copy = status;
    mpi::library.Get_count(&copy, MPI_BYTE, &n);
    return n >= 0 && has_fragment_length(static_cast<std::size_t>(n)) && comm.framing_peer(status.MPI_SOURCE);
}

void receive(const mpi::Communicator &comm, Message &message) {
    message.bytes.resize(first_fragment);
    mpi::library.Mrecv(message.bytes.data(), static_cast<int>(first_fragment), MPI_BYTE, &message.handle,
                       &message.status);
    message.received = true;
    int n = 0;
    mpi::library.Get_count(&message.status, MPI_BYTE, &n);
    message.bytes.resize(static_cast<std::size_t>(n));
    Header header;
    std::memcpy(&header, message.bytes.data(), sizeof header);
    message.framed = header.nonce == mpi::job.nonce && header.version == version &&
                     static_cast<int>(header.sender) == comm.framing_peer(message.status.MPI_SOURCE)->rank;
    if (!message.framed) return;
    count(Rule::probed_framed);
    mpi::library.Status_set_elements_x(&message.status, MPI_BYTE, static_cast<MPI_Count>(header.total));
}

int probe(const mpi::Communicator &comm, int source, int tag, bool &found, MPI_Status &status) {
    found = true;
    if (total)
        for (Message &message : (*lists)[comm.serial])
            if (matches(message, source, tag)) {
                if (!message.received && may_be_framed(comm, message.status)) receive(comm, message);
                status = message.status;
                return MPI_SUCCESS;
            }
    int flag = 0;
    MPI_Status hit;
    const int error = mpi::library.Iprobe(source, tag, comm.handle, &flag, &hit);
    found = error == MPI_SUCCESS && flag;
    if (!found) return error;
    if (!may_be_framed(comm, hit)) {
        status = hit;
        return MPI_SUCCESS;
    }
    // Everything before it from that source comes out too, so that the list stays the earliest part; until it is out itself.
    for (auto &list = (*lists)[comm.serial];;) {
        Message message;
        mpi::library.Improbe(hit.MPI_SOURCE, MPI_ANY_TAG, comm.handle, &flag, &message.handle, &message.status);
        found = flag != 0;
        if (!found) return MPI_SUCCESS; // another thread received it; the next probe will tell
        list.push_back(std::move(message));
        total++;
        count(Rule::probed);
        Message &last = list.back();
        if (tag != MPI_ANY_TAG && last.status.MPI_TAG != tag) continue;
        if (may_be_framed(comm, last.status)) receive(comm, last);
        status = last.status;
        return MPI_SUCCESS;
    }
}

std::optional<Message> take(const mpi::Communicator &comm, int source, int tag) {
    if (!total) return std::nullopt;
    const auto at = lists->find(comm.serial);
    if (at == lists->end()) return std::nullopt;
    auto &list = at->second;
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const Message &m) { return matches(m, source, tag); });
    if (found == list.end()) return std::nullopt;
    Message message = std::move(*found);
    list.erase(found);
    total--;
    return message;
}

void forget(const mpi::Communicator &comm) {
    if (const auto at = lists->find(comm.serial); at != lists->end()) {
        total -= at->second.size();
        lists->erase(at);
    }
}

} // namespace stretto::message::probed
